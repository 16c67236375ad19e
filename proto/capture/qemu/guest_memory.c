/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Source: System V ABI, "Program Header"; Linux, "create_elf_tables", and the numbers of asm-generic. */
#define _GNU_SOURCE
#include "guest_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest_writes.h"
#include "statics.h"

enum {
    PAGE = CAPTURE_PAGE_BYTES, PAGES_AT_ONCE = 16, RANGES = 1 << 14, LINE = 512, STATE_WORDS = 32,
    SP = 2, A0 = 10, A7 = 17,
    ELF_HEADER = 64, PROGRAM_HEADER = 56, LOADED = 1, MOST_HEADERS = 64,
    AUX_NULL = 0, AUX_HEADERS = 3, AUX_BASE = 7, AUX_NAME = 31, MOST_NAME = 1 << 16,
    UNMAP = 215, BREAK = 214, REMAP = 216, MAP = 222, PROTECT = 226, IS_ANONYMOUS = 0x20
};
#define MOST_SCANNED (1ull << 34)
#define ERRORS ((uint64_t)-4095)

/* is_whole: it exists from its beginning to its end, zeros too; else what is not zero, and what lies between. */
struct range { uint64_t begin, end; bool is_whole; };

static struct capture_area *area;
static uint64_t guest_base;
static struct range ranges[RANGES];
static unsigned range_count;
static bool is_known;                    /* all mappings are, and the registers */
static bool is_told;                     /* the recording has begun */
static uint64_t state_at;                /* of the registers, in this process */
static uint64_t hidden_begin, hidden_end;        /* strings of the stack */
static uint64_t break_begin, break_end;
static uint64_t call_bytes;              /* that calls wrote */
static __thread struct guest_call call;  /* that the thread is in */
static __thread uint64_t calls;          /* of the thread, since the recording began */

static bool copy(uint64_t address, void *to, uint64_t bytes)
{
    return statics_copy(guest_base + address, to, bytes);
}

static uint64_t down(uint64_t address)
{
    return address & ~(uint64_t)(PAGE - 1);
}

static uint64_t up(uint64_t address)
{
    return down(address + PAGE - 1);
}

/* --- mappings --- */

static void put_range(uint64_t begin, uint64_t end, bool is_whole)
{
    if (begin >= end)
        return;
    if (range_count == RANGES)
        is_known = false;
    else
        ranges[range_count++] = (struct range){begin, end, is_whole};
}

static void remove_range(uint64_t begin, uint64_t end)
{
    const unsigned count = range_count;

    for (unsigned i = 0; i < count; i++) {
        const struct range old = ranges[i];

        if (old.end <= begin || old.begin >= end)
            continue;
        ranges[i].end = old.begin < begin ? begin : old.begin;
        if (old.end > end)
            put_range(end, old.end, old.is_whole);
    }
    for (unsigned i = 0; i < range_count;)
        if (ranges[i].begin >= ranges[i].end)
            ranges[i] = ranges[--range_count];
        else
            i++;
}

static void add_range(uint64_t begin, uint64_t end, bool is_whole)
{
    remove_range(begin, end);
    put_range(begin, end, is_whole);
}

static uint64_t half(const uint8_t *at)
{
    return at[0] | (uint64_t)at[1] << 8;
}

static uint64_t word(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

/* The segments of an ELF file whose header lies there; false: none does. */
static bool add_program(uint64_t at)
{
    uint8_t header[ELF_HEADER], table[MOST_HEADERS * PROGRAM_HEADER];
    uint64_t count, moved_by = 0;
    bool has_first = false;

    if (!copy(at, header, sizeof header) || memcmp(header, "\177ELF\2\1", 6) != 0)
        return false;
    count = half(header + 56);
    if (count > MOST_HEADERS || half(header + 54) != PROGRAM_HEADER ||
        !copy(at + word(header + 32), table, count * PROGRAM_HEADER))
        return false;
    for (uint64_t i = 0; i < count && !has_first; i++) {
        const uint8_t *const segment = table + i * PROGRAM_HEADER;

        has_first = (word(segment) & UINT32_MAX) == LOADED && word(segment + 8) == 0;
        moved_by = at - word(segment + 16);
    }
    for (uint64_t i = 0; i < count && has_first; i++) {
        const uint8_t *const segment = table + i * PROGRAM_HEADER;
        const uint64_t begin = moved_by + word(segment + 16);

        if ((word(segment) & UINT32_MAX) == LOADED)
            add_range(down(begin), up(begin + word(segment + 40)), true);
    }
    return has_first;
}

/* A value of the auxiliary vector at first; 0: none. */
static uint64_t auxiliary(uint64_t type)
{
    const uint64_t *const words = area->start_words;
    uint64_t at = words[0] + 2;

    while (at < area->start_count && words[at] != 0)
        at++;
    for (at++; at + 1 < area->start_count && words[at] != AUX_NULL; at += 2)
        if (words[at] == type)
            return words[at + 1];
    return 0;
}

/* The name of the program's file lies at the top of the stack. */
static bool add_stack(void)
{
    const uint64_t name = auxiliary(AUX_NAME);
    uint64_t end = name;
    char one = 1;

    while (name != 0 && one != 0 && end - name < MOST_NAME && copy(end, &one, 1))
        end++;
    if (name == 0 || one != 0)
        return false;
    hidden_begin = area->start_sp + 8 * area->start_count;
    hidden_end = up(end);
    /* All of it may be used; below it is zero. Its usual size; what is not there is passed over. */
    add_range(down(area->start_sp) - ((8u << 20) - PAGE), hidden_end, false);
    return true;
}

/* --- registers --- */

static bool is_state(const uint64_t *words)
{
    for (unsigned i = 0; i < STATE_WORDS; i++)
        if (words[i] != (i == SP ? area->start_sp : 0))
            return false;
    return true;
}

/* How many places in [begin, end) are so. */
static unsigned find_states(uint64_t begin, uint64_t end)
{
    enum { AT_ONCE = 4096 };
    static uint64_t words[AT_ONCE + STATE_WORDS];
    unsigned found = 0;

    for (uint64_t at = begin; at < end; at += AT_ONCE * sizeof *words) {
        const uint64_t count = (end - at) / 8 < AT_ONCE + STATE_WORDS ? (end - at) / 8 : AT_ONCE + STATE_WORDS;

        if (!statics_copy(at, words, 8 * count))
            return found;
        for (uint64_t i = 0; i < AT_ONCE && i + STATE_WORDS <= count; i++)
            if (words[i + SP] == area->start_sp && is_state(words + i)) {
                state_at = at + 8 * i;
                found++;
            }
    }
    return found;
}

static bool find_registers(void)
{
    FILE *const maps = fopen("/proc/self/maps", "re");
    unsigned found = 0;
    char line[LINE];

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long begin, end;
        char rights[5];

        if (sscanf(line, "%llx-%llx %4s", &begin, &end, rights) == 3 && strcmp(rights, "rw-p") == 0)
            found += find_states(begin, end);
    }
    if (maps != NULL)
        fclose(maps);
    return found == 1;
}

/* The system call that begins: are its arguments those registers? */
static bool are_registers(void)
{
    uint64_t registers[STATE_WORDS];

    return statics_copy(state_at, registers, sizeof registers) && registers[0] == 0 &&
        memcmp(registers + A0, call.args, sizeof call.args) == 0 && registers[A7] == (uint64_t)call.number;
}

void guest_memory_begin(struct capture_area *of, uint64_t base)
{
    area = of;
    guest_base = base;
    if (area->start_place == CAPTURE_START_NOWHERE) {
        is_told = area->keeps_memory != 0;
        return;
    }
    is_known = true;
    is_known = area->start_count != 0 && add_program(down(auxiliary(AUX_HEADERS))) &&
        (auxiliary(AUX_BASE) == 0 || add_program(auxiliary(AUX_BASE))) && add_stack() && find_registers() && is_known;
}

/* --- all memory --- */

static uint64_t told_bytes, scanned_bytes;
static uint64_t zeros_from;              /* zeros that are not told yet; UINT64_MAX: none */

/* False: it is unreadable. */
static bool tell_page(uint64_t address, bool is_whole)
{
    uint8_t page[PAGE];
    static const uint8_t zeros[PAGE];

    scanned_bytes += PAGE;
    if (!copy(address, page, PAGE))
        return false;
    for (uint64_t at = address; at < address + PAGE && hidden_begin < address + PAGE; at++)
        if (at >= hidden_begin && at < hidden_end)
            page[at - address] = 0;
    if (memcmp(page, zeros, PAGE) == 0) {
        if (is_whole && zeros_from == UINT64_MAX)
            zeros_from = address;
        return true;
    }
    if (zeros_from != UINT64_MAX)
        statics_zeros(zeros_from, address - zeros_from);
    zeros_from = address + PAGE;
    statics_memory(address, 0, page, PAGE);
    told_bytes += PAGE;
    return true;
}

static bool is_large(void)
{
    return told_bytes > CAPTURE_MEMORY_MOST || scanned_bytes > MOST_SCANNED;
}

static void tell_range(const struct range *range)
{
    zeros_from = UINT64_MAX;
    for (uint64_t at = range->begin; at < range->end && !is_large() && !statics_reader_is_gone(); at += PAGE)
        if (!tell_page(at, range->is_whole))
            zeros_from = UINT64_MAX;
    if (range->is_whole && zeros_from != UINT64_MAX)
        statics_zeros(zeros_from, range->end - zeros_from);
}

static int by_begin(const void *a, const void *b)
{
    const struct range *const first = a, *const second = b;

    return (first->begin > second->begin) - (first->begin < second->begin);
}

/* x0 to x31, then f0 to f31. These are behind the others, in QEMU 7 behind their upper halves; elsewhere, and there in
 * QEMU 8, is zero as long as no vectors are used. */
static bool copy_registers(uint64_t *registers)
{
    uint64_t words[3 * STATE_WORDS];
    unsigned at;

    if (!statics_copy(state_at, words, sizeof words))
        return false;
    for (at = STATE_WORDS; at < 2 * STATE_WORDS && words[at] == 0; at++)
        continue;
    memcpy(registers, words, STATE_WORDS * sizeof *words);
    memcpy(registers + STATE_WORDS, words + (at < 2 * STATE_WORDS ? 1 : 2) * STATE_WORDS, STATE_WORDS * sizeof *words);
    return true;
}

void guest_memory_tell(uint64_t pc)
{
    uint64_t registers[CAPTURE_REGISTERS];

    is_told = true;
    if (!is_known || !copy_registers(registers)) {
        area->start_state = CAPTURE_START_UNKNOWN;
        return;
    }
    qsort(ranges, range_count, sizeof *ranges, by_begin);
    for (unsigned i = 0; i < range_count && !is_large(); i++)
        tell_range(&ranges[i]);
    memcpy(area->start_registers, registers, sizeof registers);
    area->start_pc = pc;
    area->start_state = is_large() ? CAPTURE_START_LARGE : CAPTURE_START_TOLD;
}

/* --- system calls --- */

void guest_memory_call_begins(const struct guest_call *of)
{
    call = *of;
    calls += is_told;
    if (is_known && !is_told && !are_registers())
        is_known = false;
}

static void note_mappings(uint64_t result)
{
    const uint64_t *const args = call.args;

    switch (call.number) {
    case BREAK:
        if (break_begin == 0)
            break_begin = break_end = up(result);
        if (up(result) > break_end)
            add_range(break_end, up(result), false);
        break_end = up(result) > break_end ? up(result) : break_end;
        break;
    case UNMAP:
        remove_range(args[0], up(args[0] + args[1]));
        break;
    case REMAP:
        remove_range(args[0], up(args[0] + args[1]));
        add_range(result, up(result + args[2]), false);
        break;
    case MAP:
        remove_range(result, up(result + args[1]));
        if (args[2] != 0)
            put_range(result, up(result + args[1]), (args[3] & IS_ANONYMOUS) == 0);
        break;
    case PROTECT:
        if (args[2] != 0)
            add_range(args[0], up(args[0] + args[1]), false);
        break;
    default:
        break;
    }
}

/* What the call wrote, page by page: some may lie behind the end of a file. */
static void tell_write(uint64_t address, uint64_t bytes)
{
    uint8_t page[PAGE];

    for (uint64_t at = address, end = address + bytes; at < end;) {
        const uint64_t count = down(at) + PAGE < end ? down(at) + PAGE - at : end - at;

        if (__atomic_add_fetch(&call_bytes, count, __ATOMIC_RELAXED) > CAPTURE_MEMORY_MOST) {
            __atomic_add_fetch(&area->writes_dropped, end - at, __ATOMIC_RELAXED);
            return;
        }
        if (copy(at, page, count))
            statics_memory(at, capture_call(call.thread, calls), page, count);
        at += count;
    }
}

void guest_memory_call_ends(int64_t result)
{
    if ((uint64_t)result >= ERRORS)
        return;
    if (is_known && !is_told)
        note_mappings((uint64_t)result);
    if (is_told && area->keeps_memory != 0)
        guest_writes_each(&call, (uint64_t)result, copy, tell_write);
}
