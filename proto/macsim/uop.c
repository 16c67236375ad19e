/* Modelled: the reference's decoder of x86 and A64 records (macsim-traces 4.1, 4.4), in the two forms of the header.
 * Not modelled: the effect of GPU_EN on a GPU; prefetch kinds beyond "it is one".
 *
 * In our form a gather that the layout has no address for is lost, too: C80 has two load slots. Tiles of AMX have a
 * count of rows and one address; rows are taken to follow each other. A64 loads write their registers
 * themselves, as x86's DATAXFER does. */
#include "proto/macsim/uop.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

#define CAP_BYTES 4u                     /* compat: of an access, and of a step of a string operation */

/* The kind of an instruction, apart from its operands. */
struct nature {
    enum macsim_class class;
    enum macsim_cf cf;
    bool is_move;                        /* its loads write its registers */
    bool is_prefetch, is_string, is_fence, fence_follows, fence_leads, stops_fetch;
    enum macsim_fence fence;
};

const char *macsim_uop_kind_name(enum macsim_uop_kind kind)
{
    static const char *const names[MACSIM_UOP_KINDS] = {
        [MACSIM_UOP_NOP] = "nop", [MACSIM_UOP_LOAD] = "load", [MACSIM_UOP_PREFETCH] = "prefetch",
        [MACSIM_UOP_ALU] = "alu", [MACSIM_UOP_STORE] = "store", [MACSIM_UOP_BRANCH] = "branch",
        [MACSIM_UOP_FENCE] = "fence"};

    return names[kind];
}

/* ---- set-up */

static void find_carriers(struct macsim_uops *uops)
{
    static const char *const names[] = {"invalid", "none", "rip", "eip", "ip"};
    size_t const count = uops->options.compat ? 2 : sizeof names / sizeof *names;

    memset(uops->carries, true, sizeof uops->carries);
    uops->carries[0] = false;
    for (size_t i = 0; i < count; i++) {
        int const number = macsim_register_find(uops->format.registers, names[i]);

        if (number >= 0 && number < MACSIM_REGISTER_LIMIT)
            uops->carries[number] = false;
    }
}

bool macsim_uops_can(const struct macsim_format *format)
{
    enum macsim_family const family = macsim_dialect_family(format->opcodes);

    return !format->is_gpu && (family == MACSIM_FAMILY_X86 || family == MACSIM_FAMILY_A64);
}

void macsim_uops_init(struct macsim_uops *uops, const struct macsim_format *format,
                      const struct macsim_uop_options *options)
{
    *uops = (struct macsim_uops){.format = *format, .options = *options,
                                 .is_a64 = macsim_dialect_family(format->opcodes) == MACSIM_FAMILY_A64};
    find_carriers(uops);
}

void macsim_uops_free(struct macsim_uops *uops)
{
    free(uops->shapes);
    number_map_free(&uops->shape_of);
    uops->shapes = NULL;
    uops->shape_count = uops->shape_room = 0;
}

/* ---- compat */

/* The record with the shape of its PC's first one. */
static bool take_shape(struct macsim_uops *uops, const struct macsim_cpu_record *record,
                       struct macsim_cpu_record *shaped)
{
    uint64_t *const shape = number_map_put(&uops->shape_of, record->pc);

    if (!shape || !list_fit(&uops->shapes, uops->shape_count + 1, &uops->shape_room, sizeof *uops->shapes))
        return false;
    if (*shape == 0) {
        uops->shapes[uops->shape_count++] = *record;
        *shape = uops->shape_count;
    }
    *shaped = uops->shapes[*shape - 1];
    shaped->load[0] = record->load[0];
    shaped->load[1] = record->load[1];
    shaped->store = record->store;
    shaped->bytes_read = record->bytes_read;
    shaped->bytes_written = record->bytes_written;
    shaped->repeat_direction = record->repeat_direction;
    shaped->taken = record->taken;
    shaped->target = record->target;
    return true;
}

/* ---- the meaning of opcodes */

static struct nature x86_nature(const struct macsim_uops *uops, const struct macsim_cpu_record *record)
{
    enum macsim_x86 const opcode = macsim_x86_op(uops->format.opcodes, record->opcode);
    struct nature nature = {.class = macsim_x86_class(uops->options.table, opcode, record->is_fp),
                            .cf = (enum macsim_cf)record->cf};

    switch (opcode) {
    case MACSIM_X86_DATAXFER:
        nature.is_move = true;
        break;
    case MACSIM_X86_PREFETCH: case MACSIM_X86_PREFETCH_NTA: case MACSIM_X86_PREFETCH_T0: case MACSIM_X86_PREFETCH_T1:
    case MACSIM_X86_PREFETCH_T2:
        nature.is_prefetch = true;
        break;
    case MACSIM_X86_STRINGOP:
        nature.is_string = true;
        break;
    case MACSIM_X86_MISC:
        nature.is_fence = record->load[1] == 1;
        nature.fence = MACSIM_FENCE_FULL;
        break;
    case MACSIM_X86_SEMAPHORE: case MACSIM_X86_IO: case MACSIM_X86_INTERRUPT: case MACSIM_X86_SYSTEM:
    case MACSIM_X86_SYSCALL: case MACSIM_X86_SYSRET:
        nature.stops_fetch = true;
        break;
    default:
        break;
    }
    return nature;
}

static enum macsim_cf a64_cf(enum macsim_a64 opcode)
{
    switch (opcode) {
    case MACSIM_A64_B: case MACSIM_A64_BR: return MACSIM_CF_JUMP;
    case MACSIM_A64_CBZ: case MACSIM_A64_CBNZ: case MACSIM_A64_TBZ: case MACSIM_A64_TBNZ: return MACSIM_CF_CONDITIONAL;
    case MACSIM_A64_BL: case MACSIM_A64_BLR: return MACSIM_CF_CALL;
    case MACSIM_A64_RET: case MACSIM_A64_ERET: return MACSIM_CF_RETURN;
    case MACSIM_A64_SVC: case MACSIM_A64_HVC: case MACSIM_A64_SMC: case MACSIM_A64_BRK: case MACSIM_A64_HLT:
    case MACSIM_A64_DCPS1: case MACSIM_A64_DCPS2: case MACSIM_A64_DCPS3: return MACSIM_CF_INDIRECT_SYSTEM;
    default: return MACSIM_CF_NONE;
    }
}

static struct nature a64_nature(const struct macsim_uops *uops, const struct macsim_cpu_record *record)
{
    enum macsim_a64 const opcode = macsim_a64_op(uops->format.opcodes, record->opcode);
    struct nature nature = {.class = macsim_a64_class(uops->format.opcodes, record->opcode, record->is_fp),
                            .cf = a64_cf(opcode), .is_move = true};

    switch (opcode) {
    case MACSIM_A64_LDAR: case MACSIM_A64_LDARB: case MACSIM_A64_LDARH: case MACSIM_A64_LDAXR: case MACSIM_A64_LDAXRB:
    case MACSIM_A64_LDAXRH: case MACSIM_A64_LDAXP:
        nature.fence_follows = true;
        nature.fence = MACSIM_FENCE_ACQUIRE;
        break;
    case MACSIM_A64_STLR: case MACSIM_A64_STLRB: case MACSIM_A64_STLRH: case MACSIM_A64_STLXR: case MACSIM_A64_STLXRB:
    case MACSIM_A64_STLXRH: case MACSIM_A64_STLXP:
        nature.fence_leads = true;
        nature.fence = MACSIM_FENCE_RELEASE;
        break;
    case MACSIM_A64_DMB: case MACSIM_A64_DSB:
        nature.is_fence = true;
        nature.fence = MACSIM_FENCE_FULL;
        break;
    case MACSIM_A64_PRFM: case MACSIM_A64_PRFUM:
        nature.is_prefetch = true;
        break;
    default:
        break;
    }
    return nature;
}

/* ---- building */

static struct macsim_uop *uop_add(struct macsim_uops *uops, enum macsim_uop_kind kind, enum macsim_class class)
{
    struct macsim_uop *const uop = &uops->list[uops->count++];

    *uop = (struct macsim_uop){.kind = (uint8_t)kind, .class = (uint8_t)class};
    return uop;
}

static void add_source(struct macsim_uop *uop, unsigned number)
{
    uop->sources[uop->source_count++] = (uint16_t)number;
}

static void add_destination(struct macsim_uop *uop, unsigned number)
{
    uop->destinations[uop->destination_count++] = (uint16_t)number;
}

static void add_sources(struct macsim_uop *uop, const uint16_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] < MACSIM_REGISTER_LIMIT)
            add_source(uop, numbers[i]);
}

static void add_destinations(struct macsim_uop *uop, const struct macsim_cpu_record *record)
{
    for (size_t i = 0; i < record->destination_count; i++)
        if (record->destinations[i] < MACSIM_REGISTER_LIMIT)
            add_destination(uop, record->destinations[i]);
}

static void count_clipped(struct macsim_uops *uops, const struct macsim_cpu_record *record)
{
    for (size_t i = 0; i < record->source_count; i++)
        uops->clipped_registers += record->sources[i] >= MACSIM_REGISTER_LIMIT;
    for (size_t i = 0; i < record->destination_count; i++)
        uops->clipped_registers += record->destinations[i] >= MACSIM_REGISTER_LIMIT;
}

static uint32_t access_bytes(struct macsim_uops *uops, uint32_t recorded)
{
    if (recorded == 0)
        uops->zero_sizes++;
    if (uops->options.compat && recorded > CAP_BYTES)
        return CAP_BYTES;
    return recorded ? recorded : 1;
}

/* How many loads a record has, and whether they are rows that follow each other. */
static unsigned count_loads(struct macsim_uops *uops, const struct macsim_cpu_record *record, bool *are_rows)
{
    *are_rows = record->load_count > 2 && !uops->options.compat
        && (uops->format.layout == MACSIM_C464 || macsim_is_tile(uops->format.opcodes, record->opcode));
    if (*are_rows)
        return record->load_count < 32 ? record->load_count : 32;
    if (uops->options.compat)
        return record->load_count == 2 ? 2 : record->load_count > 0;
    if (record->load_count > 2)
        uops->clipped_loads += record->load_count - 2u;
    return record->load_count < 2 ? record->load_count : 2;
}

static unsigned count_stores(const struct macsim_uops *uops, const struct macsim_cpu_record *record, bool has_store)
{
    if (!has_store)
        return 0;
    if (uops->format.layout != MACSIM_C464 || uops->options.compat || record->store_count <= 1)
        return 1;
    return record->store_count < 32 ? record->store_count : 32;
}

static void add_loads(struct macsim_uops *uops, const struct macsim_cpu_record *record, const struct nature *nature,
                      bool writes)
{
    bool are_rows;
    unsigned const count = count_loads(uops, record, &are_rows);
    uint32_t const bytes = count ? access_bytes(uops, record->bytes_read) : 0;

    for (unsigned i = 0; i < count; i++) {
        struct macsim_uop *const uop = uop_add(uops, nature->is_prefetch ? MACSIM_UOP_PREFETCH : MACSIM_UOP_LOAD,
                                               MACSIM_CLASS_MEMORY);

        uop->address = are_rows ? record->load[0] + (uint64_t)i * record->bytes_read : record->load[i];
        uop->bytes = bytes;
        add_sources(uop, record->sources, record->source_count);
        if (writes)
            add_destinations(uop, record);
    }
}

static void add_stores(struct macsim_uops *uops, const struct macsim_cpu_record *record, unsigned count)
{
    uint32_t const bytes = count ? access_bytes(uops, record->bytes_written) : 0;

    for (unsigned i = 0; i < count; i++) {
        struct macsim_uop *const uop = uop_add(uops, MACSIM_UOP_STORE, MACSIM_CLASS_MEMORY);

        uop->address = record->store + (uint64_t)i * record->bytes_written;
        uop->bytes = bytes;
        add_sources(uop, record->sources, record->source_count);
    }
}

/* Makes the computation depend on the loads, and store and branch on the computation. */
static void link_uops(struct macsim_uops *uops, const struct macsim_cpu_record *record, bool loads, bool has_alu)
{
    bool is_used = false;

    for (size_t i = 0; i < uops->count; i++) {
        enum macsim_uop_kind const kind = (enum macsim_uop_kind)uops->list[i].kind;

        is_used = is_used || kind == MACSIM_UOP_ALU || kind == MACSIM_UOP_STORE || kind == MACSIM_UOP_BRANCH;
    }
    for (size_t i = 0; i < uops->count; i++) {
        struct macsim_uop *const uop = &uops->list[i];
        bool const ends = uop->kind == MACSIM_UOP_STORE || uop->kind == MACSIM_UOP_BRANCH;

        if (uop->kind == MACSIM_UOP_LOAD && is_used)
            add_destination(uop, MACSIM_LINK_REGISTER);
        if (loads && (uop->kind == MACSIM_UOP_ALU || (ends && !has_alu)))
            add_source(uop, MACSIM_LINK_REGISTER);
        if (ends && has_alu)
            add_sources(uop, record->destinations, record->destination_count);
    }
}

/* compat: the same again for the bytes beyond the first step of a string operation. */
static void repeat(struct macsim_uops *uops, const struct macsim_cpu_record *record)
{
    size_t const once = uops->count;
    uint32_t left = record->bytes_read;
    uint64_t offset = 0;

    while (left > CAP_BYTES && uops->count + once <= MACSIM_UOP_MAX) {
        left -= CAP_BYTES;
        offset = record->repeat_direction == 1 ? offset - CAP_BYTES : offset + CAP_BYTES;
        for (size_t i = 0; i < once; i++) {
            struct macsim_uop *const uop = &uops->list[uops->count++];

            *uop = uops->list[i];
            if (!macsim_uop_is_access(uop))
                continue;
            uop->address += offset;
            uop->bytes = left < CAP_BYTES ? left : CAP_BYTES;
        }
    }
}

static void uop_build(struct macsim_uops *uops, const struct macsim_cpu_record *record, const struct nature *nature)
{
    bool const compat = uops->options.compat, has_load = record->load_count > 0;
    bool const loads_write = nature->is_move && has_load;
    bool const has_alu = record->destination_count > 0 && !loads_write;
    unsigned const cf = nature->cf > MACSIM_CF_RETURN ? MACSIM_CF_INDIRECT_SYSTEM : nature->cf;

    if (nature->fence_leads)
        uop_add(uops, MACSIM_UOP_FENCE, MACSIM_CLASS_FENCE)->fence = (uint8_t)nature->fence;
    add_loads(uops, record, nature, loads_write);
    if (has_alu) {
        struct macsim_uop *const alu = uop_add(uops, MACSIM_UOP_ALU, nature->class);

        if (!(compat && uops->is_a64)) {
            add_sources(alu, record->sources, record->source_count);
            add_destinations(alu, record);
        }
    }
    add_stores(uops, record, count_stores(uops, record, record->has_store));
    if (cf != MACSIM_CF_NONE) {
        struct macsim_uop *const branch = uop_add(uops, MACSIM_UOP_BRANCH, MACSIM_CLASS_BRANCH);

        branch->cf = (uint8_t)cf;
        add_sources(branch, record->sources, record->source_count);
    }
    if (uops->count == 0 && nature->is_fence)
        uop_add(uops, MACSIM_UOP_FENCE, MACSIM_CLASS_FENCE)->fence = (uint8_t)nature->fence;
    if (uops->count == 0)
        uop_add(uops, MACSIM_UOP_NOP, MACSIM_CLASS_NOP);
    link_uops(uops, record, has_load && !nature->is_prefetch, has_alu);
    if (nature->fence_follows)
        uop_add(uops, MACSIM_UOP_FENCE, MACSIM_CLASS_FENCE)->fence = (uint8_t)nature->fence;
    if (nature->stops_fetch && !macsim_uop_is_access(&uops->list[uops->count - 1])) {
        uops->list[uops->count - 1].stops_fetch = true;
        uops->list[uops->count - 1].cf = MACSIM_CF_INDIRECT_SYSTEM;
    }
}

bool macsim_uops_decode(struct macsim_uops *uops, const struct macsim_cpu_record *record)
{
    struct macsim_cpu_record shaped;
    struct nature nature;

    uops->count = 0;
    if (uops->options.compat) {
        if (!take_shape(uops, record, &shaped))
            return false;
        record = &shaped;
    }
    nature = uops->is_a64 ? a64_nature(uops, record) : x86_nature(uops, record);
    count_clipped(uops, record);
    if (uops->options.compat && nature.is_string && record->bytes_read == 0) {
        uop_add(uops, MACSIM_UOP_NOP, MACSIM_CLASS_NOP);
        return true;
    }
    uop_build(uops, record, &nature);
    if (uops->options.compat && nature.is_string)
        repeat(uops, record);
    return true;
}
