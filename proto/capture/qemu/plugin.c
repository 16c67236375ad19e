/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Plugin for QEMU's user mode that reports the guest's execution to another process through shared memory. It records
 * the beginning of each block, each access with its instruction and size, system calls, threads, order stamps; and
 * once, each block's instructions and each page of code. The reader determines which instructions of a block were
 * executed, and which pieces form one access.
 *
 * While there is one thread, a block of x86-64 whose first reported access is unconditional is reported together with
 * that access, in one call and one word: at the beginning of the block, QEMU itself adds its number to the lane's
 * `pending`, and the access clears it again. If the access traps, the fault handler reports the block; if the guest is
 * killed before the access, the reader finds the number. With a second thread QEMU retranslates all code (operations
 * must be atomic from then on), and each block has a call of its own, since QEMU has only one `pending`.
 *
 * Words are written with non-temporal stores, since the reader would take the lines from the cache anyway, and are
 * published in chunks and at system calls.
 *
 * Promises.
 * 1. All words are in shared memory once the guest has ended: nothing is lost when it dies.
 * 2. At a full ring, the plugin waits as long as the reader lives; without a reader the guest continues unrecorded.
 * 3. A forked child writes to memory of its own.
 * 4. The guest sees no descriptor, signal or variable of this plugin.
 *
 * Argument: area=PATH, a file of capture_area_bytes() that the reader has prepared. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "../ring.h"
#include "api.h"
#include "derive.h"
#include "guest_memory.h"
#include "guest_start.h"
#include "patterns.h"
#include "statics.h"

PLUGIN_EXPORT extern int qemu_plugin_version;
PLUGIN_EXPORT int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc, char **argv);

int qemu_plugin_version = PLUGIN_INTERFACE;

enum { STAMP_INSNS = 64, SINK_WORDS = 1024, LONGEST_X86 = 15, CHUNK_WORDS = 2048 };

/* Indices of a lane's `own`. */
enum { OWN_SINCE_STAMP, OWN_THREAD, OWN_IS_SINK };

/* The system call mmap that a thread is in. */
struct map_call { uint64_t bytes, protection; };

static struct capture_area *area;
static struct capture_lane *lanes;       /* of the area, by virtual CPU */
static struct capture_lane *only;        /* the first lane, used directly while the guest has only one thread */
static uint64_t sink_words[SINK_WORDS];  /* discarded words */
static enum guest guest;
static bool is_child, are_several;
static __thread struct capture_lane *calling;    /* the lane of the host's thread, once that is known */
static __thread struct map_call map_call;

static uint64_t blocks;

/* --- lanes --- */

static inline void write_word(uint64_t address, uint64_t word)
{
#ifdef __SSE2__
    _mm_stream_si64((long long *)(uintptr_t)address, (long long)word);
#else
    *(uint64_t *)(uintptr_t)address = word;
#endif
}

/* Publishes the words before `next` to the reader. */
static void tell_words(struct capture_lane *lane)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
    if (!lane->own[OWN_IS_SINK])
        __atomic_store_n(&lane->told, lane->next, __ATOMIC_RELEASE);
}

/* Writes to the sink, which is never full. */
static void make_sink(struct capture_lane *lane)
{
    if (lane->base != 0)
        tell_words(lane);
    lane->own[OWN_IS_SINK] = 1;
    lane->limit = (uint64_t)(uintptr_t)(sink_words + SINK_WORDS);
    lane->next = (uint64_t)(uintptr_t)sink_words;
}

/* `next` has come to the limit: there is room at `next` when it returns. */
static __attribute__((noinline)) void look_for_room(struct capture_lane *lane)
{
    const uint64_t mask = CAPTURE_LANE_WORDS - 1;
    uint64_t at = (lane->next - lane->base) / 8 & mask, room;

    if (lane->own[OWN_IS_SINK]) {
        make_sink(lane);
        return;
    }
    lane->next = lane->base + 8 * at;
    tell_words(lane);
    room = (__atomic_load_n(&lane->read, __ATOMIC_ACQUIRE) - at - 1) & mask;
    /* A wake-up costs more than many words, so a writer that finds the ring full waits until most of it is free, and
     * checks rarely. The remaining quarter keeps the reader busy for about as long as one pause. */
    for (const bool is_full = room == 0; is_full && room < CAPTURE_LANE_WORDS / 4 * 3;
         room = (__atomic_load_n(&lane->read, __ATOMIC_ACQUIRE) - at - 1) & mask) {
        if (statics_reader_is_gone()) {
            make_sink(lane);
            return;
        }
        statics_wait();
    }
    if (room > CAPTURE_LANE_WORDS - at)
        room = CAPTURE_LANE_WORDS - at;
    if (room > CHUNK_WORDS - at % CHUNK_WORDS)
        room = CHUNK_WORDS - at % CHUNK_WORDS;
    lane->limit = lane->base + 8 * (at + room);
}

/* There is always room for a word. */
static inline void put(struct capture_lane *lane, uint64_t word)
{
    const uint64_t next = lane->next;

    write_word(next, word);
    lane->next = next + 8;
    if (__builtin_expect(next + 8 == lane->limit, 0))
        look_for_room(lane);
}

static inline struct capture_lane *lane_of(unsigned cpu)
{
    return &lanes[cpu & (CAPTURE_CPUS - 1)];
}

static __attribute__((noinline)) void put_stamp(struct capture_lane *lane)
{
    lane->own[OWN_SINCE_STAMP] = 0;
    if (!lane->own[OWN_IS_SINK])
        put(lane, capture_word(CAPTURE_STAMP, 0, __atomic_add_fetch(&area->stamp, 1, __ATOMIC_SEQ_CST)));
}

/* --- while the guest executes --- */

static __attribute__((noinline)) void block_begins_among_threads(struct capture_lane *lane, uint64_t word)
{
    lane->own[OWN_SINCE_STAMP] += word >> CAPTURE_FIELD_SHIFT & 0xfff;
    if (lane->own[OWN_SINCE_STAMP] >= STAMP_INSNS)
        put_stamp(lane);
    calling = lane;
    put(lane, word);
}

/* data: the word, whose field is the number of instructions */
static void block_begins(unsigned cpu, void *data)
{
    struct capture_lane *const lane = lane_of(cpu);

    if (__builtin_expect(are_several, 0))
        block_begins_among_threads(lane, (uint64_t)data);
    else
        put(lane, (uint64_t)data);
}

static void insn_begins(unsigned cpu, void *data)
{
    put(lane_of(cpu), (uint64_t)data);
}

/* QEMU's description of an access, queried once for each of its few kinds: info in bits 63:32, 1, kind and size as in
 * a word. */
static uint64_t access_kinds[256];

static uint64_t *kind_place(uint32_t info)
{
    return &access_kinds[(info ^ info >> 13) & 255];
}

/* A kind of access, or an address, that is met for the first time. */
static __attribute__((noinline)) void put_unusual_access(struct capture_lane *lane, uint32_t info, uint64_t address,
                                                         uint64_t word)
{
    const uint64_t kind = (uint64_t)(qemu_plugin_mem_is_store(info) ? CAPTURE_STORE : CAPTURE_LOAD) << 3 |
        (qemu_plugin_mem_size_shift(info) & 7);

    __atomic_store_n(kind_place(info), (uint64_t)info << 32 | 0x80000000u | kind, __ATOMIC_RELAXED);
    if (address >> CAPTURE_FIELD_SHIFT != 0)
        put(lane, capture_word(CAPTURE_HIGH, 0, address >> CAPTURE_FIELD_SHIFT));
    put(lane, word | kind << (CAPTURE_FIELD_SHIFT + CAPTURE_SIZE_SHIFT) | (address & CAPTURE_VALUE_MASK));
}

static inline void put_access(struct capture_lane *lane, uint32_t info, uint64_t address, uint64_t word)
{
    const uint64_t kind = __atomic_load_n(kind_place(info), __ATOMIC_RELAXED);

    if (__builtin_expect(((kind >> 31 ^ ((uint64_t)info << 1 | 1)) | address >> CAPTURE_FIELD_SHIFT) != 0, 0))
        put_unusual_access(lane, info, address, word);
    else
        put(lane, word | kind << (CAPTURE_FIELD_SHIFT + CAPTURE_SIZE_SHIFT) | address);
}

/* data: the instruction's number, at its place in a word */
static void access_done(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    put_access(lane_of(cpu), info, address, (uint64_t)data);
}

static void ordering_access_done(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    struct capture_lane *const lane = lane_of(cpu);

    put_access(lane, info, address, (uint64_t)data);
    if (are_several)
        put_stamp(lane);
}

/* --- while it has one thread --- */

static void only_block_begins(unsigned cpu, void *data)
{
    (void)cpu;
    put(only, (uint64_t)data);
}

static void only_access_done(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)cpu;
    put_access(only, info, address, (uint64_t)data);
}

/* An access whose kind and size are known from the instruction, without a query to QEMU. data: its word except for the
 * address. */
static void known_access_done(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)cpu;
    if (__builtin_expect(address >> CAPTURE_FIRST_SHIFT != 0, 0))
        put_access(only, info, address, (uint64_t)data & (uint64_t)CAPTURE_INDEX_MASK << CAPTURE_FIELD_SHIFT);
    else
        put(only, (uint64_t)data | address);
}

static uint16_t first_heads[CAPTURE_FIRST_NUMBER_MASK + 1];      /* by block: bits 63:48 of its first access's word */

/* Writes the word of a block that began without one. */
static void put_pending(struct capture_lane *lane)
{
    put(lane, capture_word(CAPTURE_BLOCK, 0, lane->pending));
    lane->pending = 0;
}

/* An address too large for the combined word of the block. */
static __attribute__((noinline)) void put_unusual_first(uint32_t info, uint64_t address)
{
    const uint64_t insn = first_heads[only->pending] & CAPTURE_INDEX_MASK;

    put_pending(only);
    put_access(only, info, address, insn << CAPTURE_FIELD_SHIFT);
}

/* The access that also reports its block. data: the combined word, except for the address. */
static void first_access_done(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)cpu;
    if (__builtin_expect(address >> CAPTURE_FIRST_SHIFT != 0, 0)) {
        put_unusual_first(info, address);
    } else {
        only->pending = 0;
        put(only, (uint64_t)data | address);
    }
}

/* Likewise; further pieces, or the store of a read-modify-write operand, are ordinary accesses. */
static void first_part_done(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    const uint64_t number = (uint64_t)data >> CAPTURE_FIRST_SHIFT & CAPTURE_FIRST_NUMBER_MASK;

    if (only->pending != 0)
        first_access_done(cpu, info, address, data);
    else
        put_access(only, info, address, (uint64_t)(first_heads[number] & CAPTURE_INDEX_MASK) << CAPTURE_FIELD_SHIFT);
}

static uint64_t guest_base;
static bool has_guest_base;

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(CAPTURE_PAGE_BYTES - 1);
}

/* --- where the guest faults --- */

/* Derived accesses may trap, so the handler reports the address; only on x86-64, whose kernel reports whether the
 * access was a store. Then it passes the signal on to QEMU's handler. */
#ifdef __x86_64__
static const bool tells_faults = true;
static struct sigaction before_segv, before_bus;

static void on_fault(int number, siginfo_t *info, void *context)
{
    const struct sigaction *const before = number == SIGSEGV ? &before_segv : &before_bus;
    struct capture_lane *const lane = calling != NULL ? calling : are_several ? NULL : &lanes[0];
    const ucontext_t *const state = context;

    if (lane != NULL && lane->limit != 0 && info->si_code > 0) {
        if (lane->pending != 0)
            put_pending(lane);
        put(lane, capture_word(CAPTURE_FAULT, (uint64_t)state->uc_mcontext.gregs[REG_ERR] >> 1 & 1,
                               ((uint64_t)(uintptr_t)info->si_addr - guest_base) & CAPTURE_VALUE_MASK));
    }
    before->sa_sigaction(number, info, context);
}

static bool watch_fault(int number, struct sigaction *before)
{
    struct sigaction action;

    if (sigaction(number, NULL, before) != 0 || (before->sa_flags & SA_SIGINFO) == 0)
        return false;
    action = *before;
    action.sa_sigaction = on_fault;
    return sigaction(number, &action, NULL) == 0;
}

/* QEMU has set its handlers by the first block, and does not change them. */
static bool watch_faults(void)
{
    return watch_fault(SIGSEGV, &before_segv) && watch_fault(SIGBUS, &before_bus);
}
#else
static const bool tells_faults = false;

static bool watch_faults(void)
{
    return false;
}
#endif

static bool derives;                     /* accesses that follow from others are left out */

/* The last instruction of a block is doubtful if it may reach beyond the page where the block began: QEMU 7.2 removes
 * an x86 instruction that crosses the page from the block after showing it to the plugin, and shows only the bytes read
 * so far, which may end well before the page does. */
static bool is_doubtful(uint64_t block_pc, uint64_t pc)
{
    return guest == GUEST_X86_64 && page_of(pc + LONGEST_X86 - 1) != page_of(block_pc);
}

/* Registers for loads and stores, since QEMU 7.2 never calls callbacks registered for loads alone. */
static void watch(struct qemu_plugin_insn *insn, plugin_on_access *call, uint64_t data)
{
    qemu_plugin_register_vcpu_mem_cb(insn, call, PLUGIN_NO_REGISTERS, PLUGIN_READS_AND_WRITES, (void *)data);
}

/* Registers reports of the accesses of instruction `i` of block `number`, which are known but not derivable, while
 * there is one thread. is_first: the first of them also reports the block. QEMU's functions that write a signal's frame
 * may call the callback of an instruction that uses the same helper; then the access must be queried from QEMU. */
static void watch_known(struct qemu_plugin_insn *insn, size_t i, const struct derive *known, uint64_t number,
                        bool is_first)
{
    const bool loads = (known->access & CAPTURE_DERIVED_LOADS) != 0;
    const bool asks = known->may_help || (loads && (known->access & CAPTURE_DERIVED_STORES) != 0);
    const bool is_one = (known->access >> CAPTURE_DERIVED_PIECES_SHIFT & 3) == 0;
    const uint64_t size_log = known->access >> CAPTURE_DERIVED_SIZE_SHIFT & 7;
    const uint64_t word = capture_word(loads ? CAPTURE_LOAD : CAPTURE_STORE,
                                       i | size_log << CAPTURE_SIZE_SHIFT, 0);

    if (is_first) {
        first_heads[number] = (uint16_t)(word >> CAPTURE_FIELD_SHIFT);
        put(only, capture_word(CAPTURE_FIRST_IS, 0, (uint64_t)first_heads[number] << CAPTURE_FIRST_NUMBER_BITS |
                               number));
        watch(insn, is_one && !asks ? first_access_done : first_part_done,
              CAPTURE_FIRST | number << CAPTURE_FIRST_SHIFT);
    } else if (asks) {
        watch(insn, only_access_done, (uint64_t)i << CAPTURE_FIELD_SHIFT);
    } else {
        watch(insn, known_access_done, word);
    }
}

static void first_block(void)
{
    area->start_code = qemu_plugin_start_code();
    area->end_code = qemu_plugin_end_code();
    area->entry = qemu_plugin_entry_code();
    derives = tells_faults && guest == GUEST_X86_64 && !area->all_told && watch_faults();
}

static void tell_pages_of(const struct qemu_plugin_tb *block, size_t count)
{
    uint64_t last_page = UINT64_MAX;

    for (size_t i = 0; i < count; i++) {
        const struct qemu_plugin_insn *const insn = qemu_plugin_tb_get_insn(block, i);
        const uint64_t pc = qemu_plugin_insn_vaddr(insn);

        if (page_of(pc) != last_page) {
            const uint8_t *const host = qemu_plugin_insn_haddr(insn);

            last_page = page_of(pc);
            if (host != NULL) {
                guest_base = (uint64_t)(uintptr_t)host - pc;
                has_guest_base = true;
                statics_page(last_page, host - (pc - last_page));
            }
        }
    }
}

/* --- where the recording begins --- */

static uint64_t start_pc;                /* of CAPTURE_START_PC, as loaded */
static uint64_t executed;                /* instructions of blocks that began, for CAPTURE_START_COUNT */

static void find_start(uint64_t pc)
{
    if (blocks != 0 || guest != GUEST_RV64 || !has_guest_base)
        return;
    area->start_count = guest_start_find(guest_base, area->entry, area->start_words, &area->start_sp);
    guest_memory_begin(area, guest_base);
    start_pc = area->start_at;
    if (area->start_file_code != UINT64_MAX)
        start_pc += page_of(area->start_code) - area->start_file_code;
    if (area->start_place == CAPTURE_START_FIRST)
        guest_memory_tell(pc);
}

/* data: pc of the block, its instructions above */
static void may_be_start(unsigned cpu, void *data)
{
    const uint64_t pc = (uint64_t)data & CAPTURE_VALUE_MASK;

    if (area->start_state != CAPTURE_START_NOT_YET)
        return;
    if (are_several) {
        area->start_state = CAPTURE_START_AMONG_THREADS;
        return;
    }
    executed += (uint64_t)data >> CAPTURE_FIELD_SHIFT;
    if (area->start_place == CAPTURE_START_COUNT && executed <= area->start_at)
        return;
    guest_memory_tell(pc);
    put(lane_of(cpu), capture_word(CAPTURE_START_IS, 0, 0));
}

/* Before its other reports. */
static void watch_start(struct qemu_plugin_tb *block, size_t count, uint64_t pc)
{
    bool has_place = area->start_place == CAPTURE_START_COUNT;

    if (guest != GUEST_RV64 || area->start_state != CAPTURE_START_NOT_YET)
        return;
    for (size_t i = 0; i < count && area->start_place == CAPTURE_START_PC && !has_place; i++)
        has_place = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, i)) == start_pc;
    if (has_place)
        qemu_plugin_register_vcpu_tb_exec_cb(block, may_be_start, PLUGIN_NO_REGISTERS,
                                             (void *)(pc | (uint64_t)count << CAPTURE_FIELD_SHIFT));
}

/* An instruction of a block, CAPTURE_INSN_WORDS words. */
static void put_insn(uint64_t pc, size_t size, uint64_t marks, const uint8_t *bytes)
{
    uint64_t words[2] = {0};

    memcpy(words, bytes, size < sizeof words ? size : sizeof words);
    statics_put(pc);
    statics_put(size | marks);
    statics_put(words[0]);
    statics_put(words[1]);
}

/* How the accesses of an instruction follow from others; of prefetches always, as no report is spared. */
static uint64_t derived_of(struct derive *derive, unsigned i, const uint8_t *bytes, size_t size)
{
    const uint64_t derived = derive_next(derive, i, bytes, size);

    return derives || derive->is_hint ? derived : 0;
}

static void block_translated(plugin_id id, struct qemu_plugin_tb *block)
{
    const size_t count = qemu_plugin_tb_n_insns(block);
    bool after_division = false, may_be_first, is_told = false;
    struct derive derive;
    uint64_t number;

    (void)id;
    if (is_child || count == 0 || count > CAPTURE_BLOCK_INSNS)
        return;
    if (blocks == 0)
        first_block();
    tell_pages_of(block, count);

    const uint64_t block_pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0));

    find_start(block_pc);
    if (!statics_open(2 + count * CAPTURE_INSN_WORDS))
        return;
    number = ++blocks;
    statics_put((uint64_t)CAPTURE_STATIC_BLOCK << CAPTURE_KIND_SHIFT | count);
    statics_put(number);
    derive_begin(&derive);
    may_be_first = derives && !are_several && number <= CAPTURE_FIRST_NUMBER_MASK;
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *const insn = qemu_plugin_tb_get_insn(block, i);
        const uint64_t pc = qemu_plugin_insn_vaddr(insn);
        const size_t size = qemu_plugin_insn_size(insn);
        const uint8_t *const bytes = qemu_plugin_insn_data(insn);
        const bool doubtful = i > 0 && i + 1 == count && is_doubtful(block_pc, pc);
        const bool is_read = guest == GUEST_X86_64 && !doubtful && has_guest_base, is_derivable = derives && is_read;
        const uint64_t derived = is_read ? derived_of(&derive, (unsigned)i, bytes, size) : 0;

        put_insn(pc, size, (doubtful ? CAPTURE_INSN_DOUBTFUL : 0) | derived, bytes);
        if (doubtful || after_division) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, insn_begins, PLUGIN_NO_REGISTERS,
                                                   (void *)capture_word(CAPTURE_BEGUN, i, 0));
            may_be_first = false;
        }
        after_division = is_x86_division(guest, bytes, size);
        if (derived != 0 || (is_derivable && derive.makes == DERIVE_NONE))
            continue;

        const bool is_order = orders_threads(guest, bytes, size);

        if (!is_derivable || are_several || is_order || derive.access == 0) {
            watch(insn, is_order ? ordering_access_done : are_several ? access_done : only_access_done,
                  (uint64_t)i << CAPTURE_FIELD_SHIFT);
            may_be_first = false;
        } else {
            watch_known(insn, i, &derive, number, may_be_first);
            is_told |= may_be_first;
            may_be_first = false;
        }
    }
    statics_close();
    watch_start(block, count, block_pc);
    if (is_told)
        qemu_plugin_register_vcpu_tb_exec_inline(block, PLUGIN_ADD, &only->pending, number);
    else
        qemu_plugin_register_vcpu_tb_exec_cb(block, are_several ? block_begins : only_block_begins,
                                             PLUGIN_NO_REGISTERS, (void *)capture_word(CAPTURE_BLOCK, count, number));
}

/* --- system calls --- */

static bool is_call(int64_t number, int64_t of_x86, int64_t of_others)
{
    return number == (guest == GUEST_X86_64 ? of_x86 : of_others);
}

/* Reports a signal's handler. Read through the kernel, because the guest's pointer may be invalid. */
static void tell_handler(struct capture_lane *lane, uint64_t action)
{
    uint64_t handler = 0;
    const struct iovec to = {&handler, sizeof handler}, from = {(void *)(guest_base + action), sizeof handler};

    if (has_guest_base && action != 0 && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof handler &&
        handler > 1)
        put(lane, capture_word(CAPTURE_HANDLER, 0, handler & CAPTURE_VALUE_MASK));
}

/* Of a thread that is recorded. */
static bool keeps_memory(const struct capture_lane *lane)
{
    return guest == GUEST_RV64 && area->keeps_memory != 0 && has_guest_base && !is_child && !lane->own[OWN_IS_SINK];
}

static void syscall_begins(plugin_id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                           uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    struct capture_lane *const lane = lane_of(cpu);
    const struct guest_call call = {lane->own[OWN_THREAD], number, {a1, a2, a3, a4, a5, a6}};

    (void)id, (void)a7, (void)a8;
    if (is_call(number, 13, 134))
        tell_handler(lane, a2);
    if (keeps_memory(lane))
        guest_memory_call_begins(&call);
    map_call = (struct map_call){is_call(number, 9, 222) && (int32_t)a5 >= 0 ? a2 : 0, a3};
    calling = lane;
    if (are_several)
        put_stamp(lane);
    put(lane, capture_word(CAPTURE_SYSCALL, 0, (uint64_t)number & CAPTURE_VALUE_MASK));
    for (unsigned i = 0; i < CAPTURE_SYSCALL_ARGS; i++)
        put(lane, call.args[i]);
    tell_words(lane);
}

static void syscall_ends(plugin_id id, unsigned cpu, int64_t number, int64_t result)
{
    struct capture_lane *const lane = lane_of(cpu);

    (void)id;
    if (keeps_memory(lane))
        guest_memory_call_ends(result);
    put(lane, capture_word(CAPTURE_SYSCALL_END, 0, (uint64_t)number & CAPTURE_VALUE_MASK));
    put(lane, (uint64_t)result);
    if (are_several)
        put_stamp(lane);
    /* Code of a library: all of it, before any of it is executed. */
    if (is_call(number, 9, 222) && map_call.bytes != 0 && (map_call.protection & PROT_EXEC) != 0 && has_guest_base &&
        !is_child && (result & (CAPTURE_PAGE_BYTES - 1)) == 0)
        for (uint64_t at = 0; at < map_call.bytes; at += CAPTURE_PAGE_BYTES)
            statics_page((uint64_t)result + at, (const void *)(guest_base + (uint64_t)result + at));
    map_call.bytes = 0;
}

/* --- threads and processes --- */

/* Called by the thread that creates it, within its system call. */
static void cpu_begins(plugin_id id, unsigned cpu)
{
    const uint64_t before = __atomic_fetch_add(&area->threads, 1, __ATOMIC_RELAXED);
    struct capture_lane *const lane = lane_of(cpu);

    (void)id;
    if (before > 0 || is_child)
        are_several = true;
    if (cpu >= CAPTURE_LANES || (area->main_only && before > 0) || is_child) {
        __atomic_fetch_add(&area->threads_unrecorded, 1, __ATOMIC_RELAXED);
        make_sink(lane);
        return;
    }
    if (lane->base == 0) {
        lane->told = lane->next = (uint64_t)(uintptr_t)capture_lane_words(area, cpu);
        __atomic_store_n(&lane->base, lane->next, __ATOMIC_RELEASE);
        look_for_room(lane);
    }
    lane->own[OWN_SINCE_STAMP] = STAMP_INSNS;
    lane->own[OWN_THREAD] = before + 1;
    put(lane, capture_word(CAPTURE_THREAD_START, 0, before + 1));
    put(lane, calling != NULL ? calling->own[OWN_THREAD] : 0);
    tell_words(lane);
    if (calling != NULL) {
        put(calling, capture_word(CAPTURE_CREATE, 0, before + 1));
        tell_words(calling);
    }
}

static void cpu_ends(plugin_id id, unsigned cpu)
{
    struct capture_lane *const lane = lane_of(cpu);

    (void)id;
    if (are_several)
        put_stamp(lane);
    put(lane, capture_word(CAPTURE_THREAD_END, 0, 0));
    tell_words(lane);
}

/* From here on nothing may reach the reader. */
static void in_child(void)
{
    uint64_t threads = area->threads;

    __atomic_fetch_add(&area->children, 1, __ATOMIC_RELAXED);
    is_child = true;
    statics_stop();
    if (mmap(area, capture_area_bytes(), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
             -1, 0) == MAP_FAILED)
        abort();
    /* The child has one thread, on any CPU; cpu_begins handles further ones. */
    if (threads > CAPTURE_CPUS)
        threads = CAPTURE_CPUS;
    for (uint64_t i = 0; i < threads; i++)
        make_sink(&lanes[i]);
}

/* --- installation --- */

static int refuse(const char *why)
{
    snprintf(area->refusal, sizeof area->refusal, "%s", why);
    __atomic_store_n(&area->attached, 2, __ATOMIC_RELEASE);
    return -1;
}

static bool map_area(const char *path)
{
    int segment = -1, file = -1;
    void *map;

    if (sscanf(path, CAPTURE_SEGMENT "%d", &segment) != 1)
        file = open(path, O_RDWR | O_CLOEXEC);
    map = segment >= 0 ? shmat(segment, NULL, 0)
        : file < 0 ? MAP_FAILED
        : mmap(NULL, capture_area_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);

    if (file >= 0)
        close(file);
    if (map == MAP_FAILED)
        return false;
    area = map;
    lanes = area->lanes;
    only = &lanes[0];
    statics_begin(area);
    return area->magic == CAPTURE_MAGIC;
}

static bool find_guest(const char *name)
{
    static const char *const names[] = {
        [GUEST_X86_64] = "x86_64", [GUEST_A64] = "aarch64", [GUEST_RV64] = "riscv64"
    };

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) {
            guest = (enum guest)i;
            return true;
        }
    return false;
}

int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc, char **argv)
{
    char why[CAPTURE_REFUSAL_BYTES];

    if (argc != 1 || strncmp(argv[0], "area=", 5) != 0 || !map_area(argv[0] + 5)) {
        fprintf(stderr, "capture-qemu: expected area=FILE, as `rubato capture` prepares it\n");
        return -1;
    }
    if (info->version.min > PLUGIN_INTERFACE || info->version.cur < PLUGIN_INTERFACE) {
        snprintf(why, sizeof why, "QEMU has versions %d to %d of the plugin interface; version 1 is needed, of QEMU "
                 "6.0 to 8.2", info->version.min, info->version.cur);
        return refuse(why);
    }
    if (info->system_emulation)
        return refuse("QEMU emulates a whole system; its user mode is needed (qemu-x86_64, qemu-aarch64, "
                      "qemu-riscv64)");
    if (!find_guest(info->target_name)) {
        snprintf(why, sizeof why, "QEMU emulates %s; x86_64, aarch64 and riscv64 are known", info->target_name);
        return refuse(why);
    }
    if (pthread_atfork(NULL, NULL, in_child) != 0)
        return refuse("no memory for watching fork");
    qemu_plugin_register_vcpu_init_cb(id, cpu_begins);
    qemu_plugin_register_vcpu_exit_cb(id, cpu_ends);
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
    qemu_plugin_register_vcpu_syscall_cb(id, syscall_begins);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, syscall_ends);
    __atomic_store_n(&area->attached, 1, __ATOMIC_RELEASE);
    return 0;
}
