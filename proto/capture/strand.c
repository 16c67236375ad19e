/* A lane's words report the beginning of each block, and each access with its instruction. So once an access of an
 * instruction is reported, all earlier instructions were executed; the rest of the block was, too, unless
 *   - its last instruction is doubtful and its beginning was not reported: the host removed it from the block;
 *   - an instruction that must access memory did not, and either the same instruction begins the next block
 *     (the host started it anew), or the next block is a signal's handler, or nothing follows: it
 *     trapped, and it and the following ones were not executed. The same holds for a division whose successor was not
 *     reported to begin, and for an instruction that the host may not know and that ends the block.
 * All other missing accesses were made but not reported; they are counted.
 *
 * Derived accesses (ring.h, CAPTURE_DERIVED) are not reported: the instruction made them if it was executed. It was not
 * if an access of this direction was reported to trap at this address, no access was reported since, and the block was
 * left as above. Derived accesses are processed as if they had been reported.
 *
 * Accesses: pieces of one operand are merged where they touch, up to the operand's size. Atomic updates of which only
 * the store was reported have the load, too, and exclusive stores have none. A string instruction is one execution
 * and a repeat for each further iteration that accessed memory. */
#include "proto/capture/strand.h"

#include <inttypes.h>
#include <string.h>

/* --- markers and regions --- */

static struct fault has_thread(struct assembler *all, struct strand *strand);

struct fault strand_mark(struct assembler *all, struct strand *strand, enum insn_marker_kind kind, uint64_t value,
                         const uint64_t *args)
{
    struct insn_marker marker = {.kind = kind, .value = value, .arg_count = args != NULL ? CAPTURE_SYSCALL_ARGS : 0};

    if (!all->is_recording || all->is_done)
        return fault_none();
    FORWARD(has_thread(all, strand));
    if (args != NULL)
        memcpy(marker.args, args, sizeof marker.args);
    return all->sink.mark(all->sink.of, strand->thread, &marker);
}

/* A thread appears in the sink when there is something of it. */
static struct fault has_thread(struct assembler *all, struct strand *strand)
{
    struct fault fault = fault_none();

    if (strand->thread != UINT32_MAX)
        return fault_none();
    strand->thread = all->sink.thread(all->sink.of, strand->id, &fault);
    return (strand->thread != UINT32_MAX
            && WORKS(fault, strand_mark(all, strand, INSN_MARKER_THREAD_START, strand->creator, NULL)))
               ? fault_none()
               : fault;
}

/* Before an instruction is executed: does the region begin or end here? */
static struct fault watch(struct assembler *all, struct strand *strand, const struct code_insn *insn)
{
    const struct assemble_region *const region = &all->region;
    const uint64_t executed = all->counts.instructions + all->counts.skipped;

    if (all->is_done)
        return fault_none();
    if (!all->is_recording && (region->from_pc ? insn->is_from : executed >= region->from_count)) {
        all->is_recording = true;
        all->before = executed;
        if (executed - all->start_executed < all->start_count)
            all->start_lead = executed - all->start_executed;
        return strand_mark(all, strand, INSN_MARKER_REGION_BEGIN, 1, NULL);
    }
    if (all->is_recording && ((region->to_pc && insn->is_to) || executed >= region->to_count ||
                              all->counts.instructions >= region->at_most)) {
        FORWARD(strand_mark(all, strand, INSN_MARKER_REGION_END, 1, NULL));
        all->is_done = true;
    }
    return fault_none();
}

/* --- instructions --- */

/* One was executed, with the events at hand if `has_events`; next_pc: UINT64_MAX if not known. */
static struct fault executed(struct assembler *all, struct strand *strand, uint32_t number, bool has_events,
                             uint64_t next_pc)
{
    const struct code_insn *const from = &all->code->insns[number];
    struct insn *const insn = &strand->insn;
    const bool is_repeat = strand->string_pc == from->pc;

    if (!all->is_plain)
        FORWARD(watch(all, strand, from));
    strand->string_pc = from->is_string ? from->pc : UINT64_MAX;
    if (all->isa == ISA_A64)
        zeroing_step(&strand->registers, &from->zeroing, has_events ? &strand->events[0].address : NULL);
    if (is_repeat && !has_events)
        return fault_none();
    if (!all->is_recording || all->is_done) {
        all->counts.skipped += !is_repeat;
        return fault_none();
    }
    if (strand->thread == UINT32_MAX)
        FORWARD(has_thread(all, strand));

    insn->pc = from->pc;
    insn->size_bytes = from->size_bytes;
    insn->kind = from->kind;
    insn->form = is_repeat ? INSN_REPEAT : INSN_EXECUTED;
    insn->branch = INSN_BRANCH_UNKNOWN;
    insn->has_target = false;
    insn->encoding_bytes = 0;
    insn->access_count = 0;
    if (all->code->told[from->place] != number + 1) {
        all->code->version += all->code->told[from->place] != 0;
        all->code->told[from->place] = number + 1;
        insn->encoding_bytes = from->size_bytes;
        memcpy(insn->encoding, from->bytes, sizeof insn->encoding);
    }
    if (isa_kind_is_branch(from->kind)) {
        if (next_pc != UINT64_MAX) {
            insn->branch = from->kind == ISA_CONDITIONAL && next_pc == from->pc + from->size_bytes ? INSN_NOT_TAKEN
                : INSN_TAKEN;
            insn->has_target = insn->branch == INSN_TAKEN;
            insn->target = next_pc;
        } else if (from->kind != ISA_CONDITIONAL) {
            insn->branch = INSN_TAKEN;
            insn->has_target = from->has_target;
            insn->target = from->target;
        }
    }
    if (has_events)
        assemble_accesses(all, strand, from);
    if (is_repeat) {
        all->counts.repeats++;
    } else {
        all->counts.instructions++;
        all->counts.undecoded += !from->is_known;
        if (from->is_prefetch)
            assemble_prefetch(all, strand, from);
        if (from->is_zeroing)
            assemble_zeroed(all, strand, from);
        all->counts.unseen_loads += from->needs_load && !(has_events && (strand->has_load || from->is_update));
        all->counts.unseen_stores += from->needs_store && !(has_events && strand->has_store);
    }
    strand->put_count += (unsigned)insn->access_count;
    return all->sink.put(all->sink.of, strand->thread, insn);
}

/* Stamps that were taken within a block follow the instruction that they came with. */
struct fault strand_put_stamp(struct assembler *all, struct strand *strand)
{
    const uint64_t stamp = strand->stamp;

    strand->stamp = 0;
    return stamp == 0 ? fault_none() : strand_mark(all, strand, INSN_MARKER_STAMP, stamp, NULL);
}

/* Emits the instructions from strand->at up to `to`, exclusive; the first may have events. after_pc: the successor of
 * the last one; NULL: the block continues. */
static struct fault advance(struct assembler *all, struct strand *strand, unsigned to, const uint64_t *after_pc)
{
    const struct code_block *const block = strand->block;
    const uint32_t *const members = all->code->members + block->first;
    const struct code_insn *const insns = all->code->insns;

    for (unsigned i = strand->at; i < to; i++) {
        const uint64_t next_pc = i + 1 == to && after_pc != NULL ? *after_pc : insns[members[i + 1]].pc;

        const bool has_derived = block->has_derived;

        if (has_derived)
            assemble_derive(all, strand, i);
        FORWARD(executed(all, strand, members[i], (has_derived || i == strand->at) && strand->event_count > 0,
                         next_pc));
        if (has_derived || i == strand->at) {
            assemble_forget_events(strand);
            if (strand->stamp != 0)
                FORWARD(strand_put_stamp(all, strand));
        }
    }
    strand->at = to;
    return fault_none();
}

/* Returns whether control can flow from this instruction to `pc`. Indirect branches can lead anywhere. */
static bool leads_to(const struct code_insn *insn, uint64_t pc)
{
    const bool falls = pc == insn->pc + insn->size_bytes;

    if (!insn->is_known || insn->is_string)
        return falls || pc == insn->pc || !insn->is_known;
    if (!isa_kind_is_branch(insn->kind))
        return falls;
    if (insn->kind == ISA_CONDITIONAL)
        return falls || (insn->has_target && pc == insn->target);
    return !insn->has_target || pc == insn->target;
}

/* Returns the first instruction whose expected access is missing (the block may have been left there), or `count` if
 * none is. */
static unsigned first_missing(const struct assembler *all, const struct strand *strand, unsigned count)
{
    const struct code_block *const block = strand->block;
    unsigned missing = count;

    if (block->last_need != CODE_NONE && block->last_need >= strand->at)
        for (unsigned i = strand->at; i <= block->last_need && i < count; i++) {
            const struct code_insn *const insn = code_insn(all->code, block, i);
            const bool is_at = i == strand->at;

            if (block->has_derived && all->code->derived[block->first + i] != 0)
                continue;
            if ((insn->needs_load && !(is_at && (strand->has_load || (insn->is_update && strand->has_store)))) ||
                (insn->needs_store && !(is_at && strand->has_store))) {
                missing = i;
                break;
            }
        }
    if (block->last_trap != CODE_NONE && block->last_trap >= strand->at)
        for (unsigned i = strand->at; i <= block->last_trap && i < missing; i++)
            if (code_insn(all->code, block, i)->may_trap &&
                (i + 1 >= count || strand->begun == CODE_NONE || strand->begun <= i))
                missing = i;
    missing = block->has_derived ? assemble_first_trapped(all, strand, missing) : missing;
    return missing == count && code_insn(all->code, block, count - 1)->is_illegal && (strand->at < count - 1 ||
        strand->event_count == 0) ? count - 1 : missing;
}

static struct fault signalled(struct assembler *all, struct strand *strand, uint64_t pc)
{
    zeroing_forget(&strand->registers);
    all->counts.signals += all->is_recording && !all->is_done;
    return strand_mark(all, strand, INSN_MARKER_SIGNAL, pc, NULL);
}

/* The block is left for the pc given, or its thread ends; is_whole: its last instruction is known to be executed. */
static struct fault strand_finish(struct assembler *all, struct strand *strand, uint64_t next_pc, bool is_whole)
{
    const struct code_block *const block = strand->block;
    const unsigned count = block->is_doubtful && strand->begun != block->count - 1u ? block->count - 1u : block->count;
    const struct code_insn *const last = code_insn(all->code, block, count - 1);
    const unsigned missing = is_whole ? count : first_missing(all, strand, count);
    const bool ends = next_pc == UINT64_MAX;

    strand->was_whole = false;
    strand->last_insn = all->code->members[block->first + (missing < count ? missing : count - 1)] + 1u;
    if (missing < count) {
        const struct code_insn *const cut = code_insn(all->code, block, missing);
        const bool again = next_pc == cut->pc, handled = !ends && is_handler(all, next_pc);

        if (ends || ((again || handled) && !(leads_to(last, next_pc) && last->has_target))) {
            FORWARD(advance(all, strand, missing, &cut->pc));
            strand->block = NULL;
            assemble_forget_events(strand);
            if (again)
                return fault_none();
            all->counts.cuts += all->is_recording && !all->is_done;
            return ends ? strand_mark(all, strand, INSN_MARKER_SIGNAL, cut->pc, NULL) : signalled(all, strand, cut->pc);
        }
    }

    const bool is_led = ends || count < block->count || leads_to(last, next_pc);
    const bool is_signal = !ends && is_handler(all, next_pc) && (!is_led || last->kind == ISA_RETURN);
    const uint64_t anywhere = UINT64_MAX;
    /* Where it would have gone without the signal. */
    const uint64_t resumed_pc = !isa_kind_is_branch(last->kind) || last->kind == ISA_CONDITIONAL
        ? last->pc + last->size_bytes : last->has_target ? last->target : 0;

    FORWARD(advance(all, strand, count, is_signal || !is_led ? &anywhere : &next_pc));
    strand->block = NULL;
    strand->was_whole = missing == count && count == block->count && is_led && !is_signal && !ends;
    if (is_signal)
        return signalled(all, strand, resumed_pc);
    if (!is_led) {
        all->counts.jumps += all->is_recording && !all->is_done;
        zeroing_forget(&strand->registers);
        return strand_mark(all, strand, INSN_MARKER_SIGNAL, resumed_pc, NULL);
    }
    return fault_none();
}

void strand_open_block(struct assembler *all, struct strand *strand, uint64_t number)
{
    strand->own_block = *code_block(all->code, number);
    strand->block = &strand->own_block;
    strand->at = 0;
    strand->begun = CODE_NONE;
    strand->has_first = false;
    strand->is_in_frame = false;
    strand->has_fault = false;
    strand->put_count = 0;
    if (strand->block->has_derived) {
        memset(strand->first_address, 0xff, strand->block->count * sizeof *strand->first_address);
        memset(strand->first_access, 0, strand->block->count * sizeof *strand->first_access);
    }
    assemble_forget_events(strand);
}

static struct fault strand_begin_block(struct assembler *all, struct strand *strand, uint64_t number)
{
    struct fault fault = fault_none();
    const struct code_block *const block = code_block(all->code, number);
    uint64_t pc;

    if (block == NULL) {
        all->counts.unknown_blocks++;
        zeroing_forget(&strand->registers);
        strand->block = NULL;
        return fault_none();
    }
    pc = code_insn(all->code, block, 0)->pc;
    if ((strand->block != NULL && FAILS(fault, strand_finish(all, strand, pc, false)))
        || FAILS(fault, strand_put_stamp(all, strand)))
        return fault;
    if (strand->expected_pc != UINT64_MAX && strand->expected_pc != pc && is_handler(all, pc))
        FORWARD(signalled(all, strand, strand->expected_pc));
    strand->expected_pc = UINT64_MAX;
    strand_open_block(all, strand, number);
    if (strand->is_start_next) {
        strand->is_start_next = false;
        all->start_executed = all->counts.instructions + all->counts.skipped;
        all->start_count = block->count;
    }
    return fault_none();
}

/* --- system calls and threads --- */

/* Numbers of system calls: x86-64, and those that aarch64 and riscv64 share. */
struct call_number { uint16_t x86, others; };

static bool is_call(const struct assembler *all, uint64_t number, struct call_number call)
{
    return number == (all->isa == ISA_X86_64 ? call.x86 : call.others);
}

bool strand_calls_exec(const struct assembler *all, const struct strand *strand)
{
    return is_call(all, strand->call, (struct call_number){59, 221});
}

struct fault strand_call_ends(struct assembler *all, struct strand *strand, int64_t result)
{
    static const struct call_number moving[] = {
        {0, 63}, {1, 64}, {17, 67}, {18, 68}, {19, 65}, {20, 66}, {44, 206}, {45, 207}, {46, 211}, {47, 212}, {40, 71},
        {217, 61}, {318, 278}
    };

    for (size_t i = 0; i < sizeof moving / sizeof moving[0]; i++)
        if (is_call(all, strand->call, moving[i]) && result > 0 && all->is_recording && !all->is_done)
            all->counts.kernel_bytes += (uint64_t)result;
    /* It came back: as another program, which has no handlers yet. */
    if (result == 0 && (is_call(all, strand->call, (struct call_number){59, 221}) ||
                        is_call(all, strand->call, (struct call_number){322, 281}))) {
        all->counts.successors++;
        all->handler_count = 0;
        strand->expected_pc = UINT64_MAX;
    }
    return strand_mark(all, strand, INSN_MARKER_SYSCALL_END, (uint64_t)result, NULL);
}

struct fault strand_call_begins(struct assembler *all, struct strand *strand, uint64_t number)
{
    strand->expected_pc = UINT64_MAX;
    if (strand->block != NULL) {
        const struct code_insn *const last = code_insn(all->code, strand->block, strand->block->count - 1u);

        strand->expected_pc = last->pc + last->size_bytes;
        FORWARD(strand_finish(all, strand, strand->expected_pc, true));
    }
    FORWARD(strand_put_stamp(all, strand));
    strand->call = number;
    strand->ends_in_call = true;
    zeroing_forget(&strand->registers);
    all->counts.syscalls += all->is_recording && !all->is_done;
    return strand_mark(all, strand, INSN_MARKER_SYSCALL, number, strand->call_args);
}

struct fault strand_thread_begins(struct assembler *all, struct strand *strand, uint64_t id, uint64_t creator)
{
    strand->id = id;
    strand->creator = creator;
    strand->thread = UINT32_MAX;
    strand->block = NULL;
    strand->expected_pc = strand->string_pc = UINT64_MAX;
    strand->has_begun = true;
    strand->is_in_frame = false;
    zeroing_forget(&strand->registers);
    assemble_forget_events(strand);
    return !all->is_recording || all->is_done ? fault_none() : has_thread(all, strand);
}

struct fault strand_thread_ends(struct assembler *all, struct strand *strand, bool is_whole)
{
    struct fault fault = fault_none();

    if ((strand->block != NULL && FAILS(fault, strand_finish(all, strand, UINT64_MAX, is_whole)))
        || FAILS(fault, strand_put_stamp(all, strand)))
        return fault;
    strand->has_begun = false;
    return strand->thread == UINT32_MAX ? fault_none() : strand_mark(all, strand, INSN_MARKER_THREAD_END, 0, NULL);
}

/* --- words --- */

/* QEMU 7.2 writes the floating-point state of a signal's frame with the helper of fxsave, and attributes these accesses
 * to the last reported instruction. They show as accesses of an earlier instruction of the block, or as more bytes than
 * the instruction accesses. */
static bool is_of_frame(const struct assembler *all, const struct strand *strand, unsigned at, uint64_t word,
                        bool is_write)
{
    const struct code_insn *const insn = code_insn(all->code, strand->block, at);
    const uint64_t before = at == strand->at ? strand->event_bytes[is_write] : 0;

    return at < strand->at || before + (1u << (word >> (CAPTURE_FIELD_SHIFT + CAPTURE_SIZE_SHIFT) & 7)) >
        insn->room[is_write];
}

struct fault strand_take_access(struct assembler *all, struct strand *strand, uint64_t word)
{
    const bool is_write = word >> CAPTURE_KIND_SHIFT == CAPTURE_STORE;
    const unsigned at = (unsigned)(word >> CAPTURE_FIELD_SHIFT) & CAPTURE_INDEX_MASK;

    if (strand->block == NULL)
        return fault_none();
    if (all->handler_count > 0 && all->isa == ISA_X86_64 &&
        (strand->is_in_frame || at >= strand->block->count || is_of_frame(all, strand, at, word, is_write))) {
        strand->is_in_frame = true;
        strand->high = 0;
        all->counts.frames += all->is_recording && !all->is_done;
        return fault_none();
    }
    if (at != strand->at) {
        if (at < strand->at || at >= strand->block->count)
            return fault_at("capture", FAULT_NO_OFFSET, "an access of instruction %u of a block of %u that stands at "
                            "%u; plugin and command must be of one build", at, strand->block->count, strand->at);
        FORWARD(advance(all, strand, at, NULL));
    }
    assemble_add_event(all, strand, (word & CAPTURE_VALUE_MASK) | strand->high << CAPTURE_FIELD_SHIFT,
                       1u << (word >> (CAPTURE_FIELD_SHIFT + CAPTURE_SIZE_SHIFT) & 7), is_write);
    strand->high = 0;
    strand->has_fault = false;
    return fault_none();
}

bool strand_is_iteration(const struct assembler *all, const struct strand *strand)
{
    const struct code_block *const block = strand->block;
    const struct code_insn *insn;

    if (block == NULL || block->count != 1 || block->is_watched || block->is_doubtful || strand->has_first ||
        strand->thread == UINT32_MAX || strand->high != 0 || strand->stamp != 0 || !all->is_recording || all->is_done)
        return false;
    insn = code_insn(all->code, block, 0);
    return insn->is_string && strand->string_pc == insn->pc;
}

struct fault strand_unknown_word(uint64_t word)
{
    return fault_at("capture", FAULT_NO_OFFSET, "the plugin wrote a word that is not known (%016" PRIx64
                    "); plugin and command must be of one build", word);
}

struct fault strand_begin_with(struct assembler *all, struct strand *strand, uint64_t word)
{
    const bool has_first = (word & CAPTURE_FIRST) != 0;

    if (has_first && all->first_heads[repeat_block(word)] == 0)
        return strand_unknown_word(word);
    FORWARD(strand_begin_block(all, strand, repeat_block(word)));
    strand->has_first = has_first;
    return fault_none();
}
