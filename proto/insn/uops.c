#include "proto/insn/uops.h"

#include <assert.h>
#include <stdlib.h>

#include "base/list.h"

/* Those of an instruction beside its accesses: two fences, a write-back, a computation, a serialisation, or a NOP. */
#define MOST_OTHERS 6

/* State shared by the micro-ops of an instruction. */
struct making {
    struct insn_uops *uops;
    const struct isa_insn *what;
    bool is_last;
    bool has_loads, has_stores, computes;
};

static struct depend_uop *uops_add(struct insn_uops *uops, enum depend_kind kind, unsigned class)
{
    struct depend_uop *const uop = &uops->list[uops->count++];

    assert(uops->count <= uops->room);
    uop->kind = (uint8_t)kind;
    uop->fence = 0;
    uop->stops_fetch = false;
    uop->source_count = uop->destination_count = 0;
    uop->latency_cyc = uops->latencies.cyc[class];
    uop->bytes = 0;
    uop->address = 0;
    return uop;
}

static void add_fence(struct insn_uops *uops, enum depend_fence fence)
{
    uops_add(uops, DEPEND_FENCE, ISA_CLASS_NO_OP)->fence = (uint8_t)fence;
}

/* ---- registers */

static void read_register(struct depend_uop *uop, unsigned number)
{
    uop->sources[uop->source_count++] = (uint16_t)number;
}

static void write_register(struct depend_uop *uop, unsigned number)
{
    uop->destinations[uop->destination_count++] = (uint16_t)number;
}

/* Those of reads whose bits are set. */
static void read_some(struct depend_uop *uop, const struct isa_insn *what, unsigned bits)
{
    for (unsigned i = 0; i < what->read_count; i++)
        if ((bits >> i & 1) != 0 && what->reads[i] != 0)
            read_register(uop, what->reads[i]);
}

/* Those that come of the address alone, or all others. */
static void write_some(struct depend_uop *uop, const struct isa_insn *what, bool of_address)
{
    for (unsigned i = 0; i < what->write_count; i++)
        if ((what->address_writes >> i & 1) == of_address && what->writes[i] != 0)
            write_register(uop, what->writes[i]);
}

static bool writes_any(const struct isa_insn *what, bool of_address)
{
    unsigned const all = (1u << what->write_count) - 1, address = what->address_writes;

    return (all & (of_address ? address : ~address)) != 0;
}

static unsigned address_reads(const struct isa_insn *what)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < what->operand_count; i++)
        bits |= what->operands[i].address_reads;
    return bits;
}

/* ---- accesses */

/* The operand of the n-th access of its kind; accesses beyond the operands belong to the last one. NULL: none. */
static const struct isa_operand *operand_of(const struct isa_insn *what, size_t n, bool is_write)
{
    const struct isa_operand *operand = NULL;

    for (unsigned i = 0; i < what->operand_count; i++) {
        if (is_write ? !what->operands[i].is_store : !what->operands[i].is_load)
            continue;
        operand = &what->operands[i];
        if (n-- == 0)
            break;
    }
    return operand;
}

static struct depend_uop *add_access(struct making *making, const struct insn_access *access, size_t n)
{
    const struct isa_insn *const what = making->what;
    enum depend_kind const kind = access->is_write ? DEPEND_STORE
                                  : what && what->is_prefetch ? DEPEND_PREFETCH : DEPEND_LOAD;
    struct depend_uop *const uop = uops_add(making->uops, kind, ISA_CLASS_NO_OP);
    const struct isa_operand *const operand = what ? operand_of(what, n, access->is_write) : NULL;
    struct insn_span const span = insn_span(&making->uops->spans, access);

    uop->address = span.address;
    uop->bytes = (uint32_t)span.size_bytes;
    if (operand)
        read_some(uop, what, operand->address_reads);
    return uop;
}

static void add_loads(struct making *making, const struct insn_access *accesses, size_t count)
{
    const struct isa_insn *const what = making->what;
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        struct depend_uop *uop;

        if (accesses[i].is_write)
            continue;
        uop = add_access(making, &accesses[i], n++);
        if (!what || uop->kind == DEPEND_PREFETCH)
            continue;
        if (making->computes || making->has_stores)
            write_register(uop, INSN_LINK_REGISTER);
        if (!making->computes && making->is_last)
            write_some(uop, what, false);
    }
}

static void add_stores(struct making *making, const struct insn_access *accesses, size_t count)
{
    const struct isa_insn *const what = making->what;
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        struct depend_uop *uop;

        if (!accesses[i].is_write)
            continue;
        uop = add_access(making, &accesses[i], n++);
        if (!what)
            continue;
        if (!making->computes)
            read_some(uop, what, what->data_reads);
        /* the loaded value is stored, if no other can be */
        if (making->computes || (making->has_loads && what->data_reads == 0 && !isa_kind_is_branch(what->kind)))
            read_register(uop, INSN_LINK_REGISTER);
    }
}

/* ---- micro-ops other than accesses */

static void add_computation(struct making *making)
{
    const struct isa_insn *const what = making->what;
    struct depend_uop *const uop = uops_add(making->uops, isa_kind_is_branch(what->kind) ? DEPEND_BRANCH : DEPEND_ALU,
                                            what->class);

    read_some(uop, what, making->has_loads || making->has_stores ? what->data_reads : ~0u);
    if (making->has_loads)
        read_register(uop, INSN_LINK_REGISTER);
    if (making->is_last)
        write_some(uop, what, false);
    if (making->has_stores)
        write_register(uop, INSN_LINK_REGISTER);
    if (uop->destination_count > 0)
        uop->kind = DEPEND_ALU;
}

static void add_write_back(struct making *making)
{
    struct depend_uop *const uop = uops_add(making->uops, DEPEND_ALU, ISA_CLASS_INT_ALU);

    read_some(uop, making->what, address_reads(making->what));
    write_some(uop, making->what, true);
}

/* Adds the micro-op of a fence, before the accesses or behind them. */
static void uops_add_order(struct making *making, bool is_before)
{
    struct insn_uops *const uops = making->uops;
    bool const accesses = making->has_loads || making->has_stores;

    switch ((enum isa_fence)making->what->fence) {
    case ISA_FENCE_NONE:
        return;
    case ISA_FENCE_FULL:
        if (is_before || accesses)
            add_fence(uops, DEPEND_FENCE_FULL);
        return;
    case ISA_FENCE_LOAD:
        if (is_before)
            add_fence(uops, DEPEND_FENCE_LOAD);
        return;
    case ISA_FENCE_STORE:
        if (is_before)
            add_fence(uops, DEPEND_FENCE_STORE);
        return;
    case ISA_FENCE_ACQUIRE:
        if (!is_before)
            add_fence(uops, accesses ? DEPEND_FENCE_OWN_ACQUIRE : DEPEND_FENCE_ACQUIRE);
        return;
    case ISA_FENCE_RELEASE:
        if (is_before)
            add_fence(uops, accesses ? DEPEND_FENCE_OWN_RELEASE : DEPEND_FENCE_RELEASE);
        return;
    }
}

static void add_serialisation(struct insn_uops *uops)
{
    struct depend_uop *const uop = uops_add(uops, DEPEND_FENCE, ISA_CLASS_NO_OP);

    uop->fence = DEPEND_FENCE_FULL;
    uop->stops_fetch = true;
}

/* ---- the whole */

static void make_known(struct making *making, const struct insn_access *accesses, size_t count)
{
    const struct isa_insn *const what = making->what;
    bool const writes = making->is_last && writes_any(what, false);

    if (!what->is_prefetch)
        uops_add_order(making, true);
    add_loads(making, accesses, count);
    if (making->computes || (writes && !making->has_loads) || isa_kind_is_branch(what->kind))
        add_computation(making);
    add_stores(making, accesses, count);
    /* behind all accesses, whose addresses are those before it */
    if (making->is_last && what->address_writes != 0 && writes_any(what, true))
        add_write_back(making);
    if (!what->is_prefetch)
        uops_add_order(making, false);
    if (what->is_serialising && making->is_last)
        add_serialisation(making->uops);
}

bool insn_uops_make(struct insn_uops *uops, const struct isa_insn *what, enum isa_kind kind,
                    const struct insn_access *accesses, size_t access_count, bool is_last)
{
    struct making making = {.uops = uops, .what = what, .is_last = is_last};

    uops->count = 0;
    if (!list_fit(&uops->list, access_count + MOST_OTHERS, &uops->room, sizeof *uops->list))
        return false;
    for (size_t i = 0; i < access_count; i++)
        *(accesses[i].is_write ? &making.has_stores : &making.has_loads) = true;
    if (what) {
        making.computes = what->class != ISA_CLASS_NO_OP && !what->is_nop && !what->is_prefetch
            && !(isa_kind_is_branch(what->kind) && !writes_any(what, false));
        make_known(&making, accesses, access_count);
    } else {
        add_loads(&making, accesses, access_count);
        add_stores(&making, accesses, access_count);
        if (isa_kind_is_branch(kind))
            uops_add(uops, DEPEND_BRANCH, ISA_CLASS_INT_ALU);
    }
    if (uops->count == 0)
        uops_add(uops, DEPEND_NOP, ISA_CLASS_NO_OP);
    return true;
}

void insn_uops_free(struct insn_uops *uops)
{
    free(uops->list);
    uops->list = NULL;
    uops->count = uops->room = 0;
}
