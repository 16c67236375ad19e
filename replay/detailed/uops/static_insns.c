#include "replay/detailed/uops/static_insns.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/insn/champsim_registers.h"

enum { USUAL_SIZE = 4, MOST_SIZE = 15, AVX_BYTES = 32, OPEN_BYTES = 8 };
/* Forms of x86-64's branches, by their bytes: ret; jmp, jcc rel8; jmp, call rel32; jcc rel32; jmp, call *register,
 * *disp8(register), *disp32(rip) */
enum {
    SIZE_RETURN = 1, SIZE_SHORT = 2, SIZE_NEAR = 5, SIZE_NEAR_CONDITIONAL = 6, SIZE_BY_REGISTER = 2, SIZE_BY_BASE = 3,
    SIZE_BY_RIP = 6
};

static bool is_of_registers(enum isa isa)
{
    return isa == ISA_REGDEPS || isa == ISA_CHAMPSIM;
}

void static_insns_init(struct static_insns *insns, const struct insn_trace *trace, const struct insn_cursor *cursor)
{
    enum isa const isa = insn_trace_isa(trace);

    *insns = (struct static_insns){.isa = isa, .cursor = cursor, .has_bytes = isa != ISA_UNKNOWN
                                   && !is_of_registers(isa),
                                   .lacks_branches = (insn_trace_lacks(trace) & 1u << INSN_LACKS_BRANCHES) != 0,
                                   .lacks_sizes = (insn_trace_lacks(trace) & 1u << INSN_LACKS_INSN_SIZES) != 0};
}

void static_insns_free(struct static_insns *insns)
{
    free(insns->list);
    seen_code_free(&insns->seen);
    arena_free(&insns->arena);
}

/* ---- kind and size */

static bool is_call(enum isa_kind kind)
{
    return kind == ISA_DIRECT_CALL || kind == ISA_INDIRECT_CALL;
}

static unsigned indirect_size(const struct isa_insn *what)
{
    if (what->operand_count == 0 || !what->operands[0].is_load)
        return SIZE_BY_REGISTER;
    for (unsigned i = 0; i < what->read_count; i++)
        if (what->reads[i] != CHAMPSIM_SP && what->reads[i] != UINT8_MAX)
            return SIZE_BY_BASE;
    return SIZE_BY_RIP;
}

/* Size of a taken branch that has never been seen to fall through: that of the form compilers choose. Without odd
 * sizes the ISA is not x86-64. distance: from its pc to its target. */
static unsigned branch_size(const struct static_insns *insns, const struct static_insn *insn, uint64_t distance)
{
    bool const is_short = (int64_t)distance - SIZE_SHORT >= INT8_MIN && (int64_t)distance - SIZE_SHORT <= INT8_MAX;

    if (!insns->has_odd_sizes || !insn->what)
        return USUAL_SIZE;
    switch (insn->kind) {
    case ISA_RETURN: return SIZE_RETURN;
    case ISA_CONDITIONAL: return is_short ? SIZE_SHORT : SIZE_NEAR_CONDITIONAL;
    case ISA_DIRECT_JUMP: return is_short ? SIZE_SHORT : SIZE_NEAR;
    case ISA_DIRECT_CALL: return SIZE_NEAR;
    case ISA_INDIRECT_JUMP:
    case ISA_INDIRECT_CALL: return indirect_size(insn->what);
    default: return USUAL_SIZE;
    }
}

static void set_size(const struct static_insns *insns, const struct insn_event *event, struct static_insn *insn)
{
    insn->size_bytes = event->insn.size_bytes;
    if (insn->size_bytes == 0 && event->what && !is_of_registers(insns->isa))
        insn->size_bytes = event->what->size_bytes;
    insn->has_size = insn->size_bytes > 0 && insn->size_bytes <= UINT8_MAX;
    if (!insn->has_size)
        insn->size_bytes = USUAL_SIZE;
}

/* Of ChampSim's registers above the instruction pointer some are vectors, some are parts of others (al, eax). A load
 * that computes with one and leaves the flags alone is a vector's; unaligned, it is AVX's, since SSE's would fault. Of
 * others that touch one the size is open. 0: it has the size of its alignment. */
static uint8_t unaligned_bytes(const struct isa_insn *what)
{
    unsigned data_reads = 0, data_writes = 0;
    bool has_flags = false;

    for (unsigned i = 0; i < what->read_count; i++) {
        data_reads += what->reads[i] > CHAMPSIM_IP;
        has_flags |= what->reads[i] == CHAMPSIM_FLAGS;
    }
    for (unsigned i = 0; i < what->write_count; i++) {
        data_writes += what->writes[i] > CHAMPSIM_IP;
        has_flags |= what->writes[i] == CHAMPSIM_FLAGS;
    }
    if (data_reads > 0 && data_writes > 0 && !has_flags)
        return AVX_BYTES;
    return data_reads + data_writes > 0 ? OPEN_BYTES : 0;
}

static void know(const struct static_insns *insns, const struct insn_event *event, struct static_insn *insn)
{
    const struct isa_insn *const what = event->what;
    struct crack_insn cracked;

    *insn = (struct static_insn){.what = what, .kind = event->insn.kind, .is_there = true};
    if (what && insns->isa != ISA_REGDEPS)
        insn->kind = (enum isa_kind)what->kind;
    set_size(insns, event, insn);
    insn->has_target = what && what->has_target;
    insn->target = insn->has_target ? what->target : 0;
    insn->may_become_branch = insns->lacks_branches && !what && insn->kind == ISA_OTHER;
    cracked = (struct crack_insn){.isa = insns->isa, .what = what, .kind = insn->kind};
    insn->learns = !insn->has_size || insn->may_become_branch || (insns->lacks_sizes && insn->kind == ISA_RETURN)
                   || ((crack_control(&cracked) & UOP_DIRECT) != 0 && !insn->has_target);
    if (what && insns->isa == ISA_CHAMPSIM)
        insn->unaligned_bytes = unaligned_bytes(what);
    insn->is_fixed = crack_is_fixed(&cracked);
    if (insn->is_fixed)
        insn->shape = insn->kind == ISA_SYSTEM ? (struct crack_shape){.is_last = true} : crack_usual(what);
    for (unsigned i = 0; what && what->is_string && i < what->operand_count; i++)
        insn->group += (unsigned)what->operands[i].is_load + (unsigned)what->operands[i].is_store;
}

struct static_insn *static_insns_new(struct static_insns *insns, const struct insn_event *event)
{
    if (!list_fit_zeroed(&insns->list, (size_t)event->number + 1, &insns->room, sizeof *insns->list))
        return NULL;
    if (!insns->list[event->number].is_there) {
        if (insns->keeps_code && !seen_code_put(&insns->seen, event->insn.pc, event->number))
            return NULL;
        know(insns, event, &insns->list[event->number]);
    }
    return &insns->list[event->number];
}

/* The shortest step is its size: longer ones are jumps that the format does not tell from others. */
static void learn_size(struct static_insns *insns, struct static_insn *insn, uint64_t distance)
{
    if (insn->has_size || distance == 0 || distance > MOST_SIZE
        || (insn->has_learnt_size && distance >= insn->size_bytes))
        return;
    insn->size_bytes = (unsigned)distance;
    insn->has_learnt_size = true;
    insns->has_odd_sizes |= distance % 2 != 0;
}

static void learn_of_return(struct static_insns *insns, uint64_t next)
{
    const struct pending_call *const call = call_stack_pop(&insns->calls, next, MOST_SIZE);

    if (call)
        learn_size(insns, &insns->list[call->number], next - call->pc);
}

void static_insns_learn(struct static_insns *insns, uint32_t number, uint64_t pc, enum insn_branch branch,
                        uint64_t next)
{
    struct static_insn *const insn = &insns->list[number];
    uint64_t const distance = next - pc;

    if (insns->lacks_sizes && insn->kind == ISA_RETURN)
        learn_of_return(insns, next);
    if (insns->lacks_sizes && is_call(insn->kind) && !insn->has_size)
        call_stack_push(&insns->calls, pc, number);
    else if (!isa_kind_is_branch(insn->kind) || branch != INSN_TAKEN)
        learn_size(insns, insn, distance);
    if (insns->lacks_sizes && !insn->has_size && !insn->has_learnt_size && isa_kind_is_branch(insn->kind))
        insn->size_bytes = branch_size(insns, insn, distance);
    if (distance == insn->size_bytes)
        return;
    if (insn->may_become_branch) {
        insn->kind = ISA_OTHER_BRANCH;
        insn->may_become_branch = false;
        insn->made = NULL;
    }
    if (isa_kind_is_branch(insn->kind) && !insn->has_target)
        insn->target = next;
}

/* ---- its micro-ops */

/* ChampSim's x86-64 instruction: its addresses are made of registers that can address. */
static const struct isa_insn *without_data(const struct isa_insn *what, struct isa_insn *addressing)
{
    unsigned bits = 0;

    if (!what)
        return NULL;
    *addressing = *what;
    for (unsigned i = 0; i < what->read_count; i++)
        bits |= (unsigned)champsim_can_address(what->reads[i]) << i;
    for (unsigned i = 0; i < what->operand_count; i++)
        addressing->operands[i].address_reads = (uint16_t)bits;
    return addressing;
}

static struct made *static_insns_make(struct static_insns *insns, uint32_t number, uint64_t pc,
                                      struct crack_shape shape)
{
    struct static_insn *const insn = &insns->list[number];
    struct made *const made = arena_take(&insns->arena, sizeof *made);
    struct isa_insn addressing;
    const uint8_t *bytes = NULL;
    size_t const length = insns->has_bytes ? insn_cursor_bytes(insns->cursor, number, &bytes) : 0;
    const struct isa_insn *const what = insns->isa == ISA_CHAMPSIM && insns->has_odd_sizes
                                            ? without_data(insn->what, &addressing) : insn->what;
    struct crack_insn const cracked = {.isa = insns->isa, .what = what, .kind = insn->kind, .bytes = bytes,
                                       .length = length};
    struct crack_uops uops;
    struct uop *list;

    crack(&cracked, shape, &uops);
    list = arena_take(&insns->arena, uops.count * sizeof *list);
    if (!made || !list)
        return NULL;
    memcpy(list, uops.list, uops.count * sizeof *list);
    made->shape = shape;
    made->insn.pc = pc;
    made->insn.uops = list;
    made->insn.uop_count = (uint16_t)uops.count;
    made->insn.access_count = (uint16_t)crack_accesses(shape);
    made->insn.target = insn->target;
    for (size_t i = 0; i < length && i < 4; i++)
        made->insn.encoding |= (uint32_t)bytes[i] << 8 * i;
    return made;
}

const struct made *static_insns_find(struct static_insns *insns, uint32_t number, uint64_t pc,
                                     struct crack_shape shape)
{
    struct static_insn *const insn = &insns->list[number];
    struct made **at = &insn->made, *found;

    while (*at && !static_insns_are_same((*at)->shape, shape))
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    else
        found = static_insns_make(insns, number, pc, shape);
    if (found) {
        found->next = insn->made;
        insn->made = found;
    }
    return found;
}

/* ---- wrong paths */

void static_insns_wrong(const struct static_insns *insns, uint64_t pc, struct supply_insn *insn,
                        struct supply_access *accesses)
{
    static const struct uop nothing = {.flags = UOP_LAST, .op = DETAILED_OP_INT_ALU, .access = UOP_NO_ACCESS};
    int64_t const number = seen_code_find(&insns->seen, pc);
    const struct static_insn *const fixed = number >= 0 ? &insns->list[number] : NULL;

    if (fixed && fixed->made && fixed->made->insn.access_count <= CRACK_MOST_ACCESSES) {
        *insn = fixed->made->insn;
        insn->size_bytes = (uint8_t)fixed->size_bytes;
        insn->target = fixed->target;
        memset(accesses, 0, insn->access_count * sizeof *accesses);
        insn->accesses = insn->access_count > 0 ? accesses : NULL;
    } else {
        *insn = (struct supply_insn){.size_bytes = USUAL_SIZE, .uops = &nothing, .uop_count = 1};
    }
    insn->pc = pc;
    insn->next_pc = pc + insn->size_bytes;
    insn->number = SUPPLY_WRONG;
}

enum { FIRST_ROOM = 4096 };

/* Where the pc is, or would be: at most half of the table is in use. */
static struct seen_insn *seen_code_place_of(const struct seen_code *seen, uint64_t pc)
{
    size_t at = (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (seen->room - 1);

    while (seen->table[at].number_and_1 != 0 && seen->table[at].pc != pc)
        at = (at + 1) & (seen->room - 1);
    return &seen->table[at];
}

static bool seen_code_grow(struct seen_code *seen)
{
    struct seen_code more = {.room = seen->room ? 2 * seen->room : FIRST_ROOM, .count = seen->count};

    more.table = calloc(more.room, sizeof *more.table);
    if (!more.table)
        return false;
    for (size_t i = 0; i < seen->room; i++)
        if (seen->table[i].number_and_1 != 0)
            *seen_code_place_of(&more, seen->table[i].pc) = seen->table[i];
    free(seen->table);
    *seen = more;
    return true;
}

bool seen_code_put(struct seen_code *seen, uint64_t pc, uint32_t number)
{
    struct seen_insn *place;

    if (2 * seen->count >= seen->room && !seen_code_grow(seen))
        return false;
    place = seen_code_place_of(seen, pc);
    seen->count += place->number_and_1 == 0;
    *place = (struct seen_insn){pc, number + 1};
    return true;
}

int64_t seen_code_find(const struct seen_code *seen, uint64_t pc)
{
    const struct seen_insn *const place = seen->room > 0 ? seen_code_place_of(seen, pc) : NULL;

    return place ? (int64_t)place->number_and_1 - 1 : SEEN_NOTHING;
}

void seen_code_free(struct seen_code *seen)
{
    free(seen->table);
    *seen = (struct seen_code){0};
}
