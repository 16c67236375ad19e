/* proto/macsim/warp.h: records of PTX and N64 warps as warp instructions (macsim-traces 2.2, 2.3, 4.2, 4.3). */
#include "proto/macsim/warp.h"
#include "tests/support/unit.h"

#define FULL UINT32_MAX
enum { LDG = 73, STG = 78, ATOMG = 85, RED = 86, LDS = 75, EXIT_SASS = 139, BAR = 151, UNKNOWN_SASS = 255 };   /* D */
enum { LD_GM = 140, LD_LM, LD_SM, LD_CM, LD_TM, LD_PM, ST_GM = 147, ADD = 3, ADD64, BAR_SYNC = 13, BAR_ARRIVE = 12,
       EXIT_PTX = 40, ATOM_GM = 8, FMA64 = 42, MEMBAR_GL = 57, SIN = 103, LD_ANY = 44 };                       /* C */

static struct macsim_format const ptx = {
    .layout = MACSIM_G72, .opcodes = MACSIM_PTX_V14, .registers = MACSIM_REG_PTX_1551, .is_gpu = true
};
static struct macsim_format const nvbit = {
    .layout = MACSIM_N64, .opcodes = MACSIM_NVBIT, .registers = MACSIM_REG_SASS, .is_gpu = true
};

static void begin(struct macsim_warps *warps, const struct macsim_format *format, bool compat)
{
    assert_true(macsim_warps_init(warps, format, compat));
    macsim_warps_begin_block(warps);
}

static void add(struct macsim_warps *warps, const struct macsim_gpu_record *record)
{
    assert_true(macsim_warps_add(warps, record));
}

/* The block of one warp that has been added. */
static struct gpu_block *end(struct macsim_warps *warps)
{
    struct gpu_block *block;

    assert_true(macsim_warps_end_warp(warps));
    block = macsim_warps_block(warps, 7);
    assert_non_null(block);
    return block;
}

static const struct gpu_static *fixed_of(const struct macsim_warps *warps, const struct gpu_inst *inst)
{
    return &warps->statics.items[inst->index];
}

static const struct gpu_opcode *opcode_of(const struct macsim_warps *warps, const struct gpu_inst *inst)
{
    return &warps->opcodes[fixed_of(warps, inst)->opcode];
}

/* Lane i at start + i * stride, if it is active. */
static struct macsim_gpu_record access_of_lanes(unsigned opcode, uint32_t mask, uint64_t start, uint64_t stride)
{
    struct macsim_gpu_record record = {
        .pc = 8000, .opcode = (uint8_t)opcode, .is_load = opcode != ST_GM, .accesses_memory = true, .has_lanes = true,
        .active_mask = mask, .access_bytes = 4
    };

    for (unsigned i = 0; i < MACSIM_LANES; i++)
        record.lanes[i] = (mask >> i & 1) != 0 ? start + i * stride : 0;
    return record;
}

static struct macsim_gpu_record access_of_block(unsigned opcode, uint32_t mask, uint64_t address, uint8_t bytes)
{
    return (struct macsim_gpu_record){
        .pc = 0x100, .opcode = (uint8_t)opcode, .is_load = opcode == LDG || opcode == LDS, .accesses_memory = true,
        .active_mask = mask, .address = address, .access_bytes = bytes
    };
}

/* ---- PTX */

/* Addresses of the active lanes, whether they rise evenly or not, and not those of others. */
static void ptx_lanes_keep_their_addresses(void **state)
{
    static struct { uint32_t mask; uint64_t stride; uint8_t mode; } const cases[] = {
        {FULL, 4, GPU_ADDRESS_STRIDE}, {FULL, 0, GPU_ADDRESS_STRIDE}, {0x00000ff0, 128, GPU_ADDRESS_STRIDE},
        {0x80000001, 4, GPU_ADDRESS_LIST}, {0x00010000, 4, GPU_ADDRESS_STRIDE}, {0x5, 4, GPU_ADDRESS_LIST}
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct macsim_gpu_record const record = access_of_lanes(LD_GM, cases[i].mask, 0x40000, cases[i].stride);
        uint64_t addresses[GPU_MAX_LANES];
        struct macsim_warps warps;
        struct gpu_block *block;

        begin(&warps, &ptx, false);
        add(&warps, &record);
        block = end(&warps);
        assert_int_equal(block->warp_count, 1);
        assert_int_equal(block->warps[0].count, 1);
        assert_int_equal(block->id[0], 7);
        assert_int_equal(block->warps[0].insts[0].mode, cases[i].mode);
        assert_int_equal(block->warps[0].insts[0].mask, cases[i].mask);
        assert_int_equal(gpu_inst_addresses(block, block->warps[0].insts, false, addresses), cases[i].mask);
        for (uint32_t left = cases[i].mask; left != 0; left &= left - 1)
            assert_int_equal(addresses[__builtin_ctz(left)], record.lanes[__builtin_ctz(left)]);
        gpu_block_free(block);
        macsim_warps_free(&warps);
    }
}

/* "An inactive lane's address is 0"; an active one with 0 accesses nothing, and is counted. */
static void ptx_lanes_without_address(void **state)
{
    struct macsim_gpu_record record = access_of_lanes(LD_GM, FULL, 0x1000, 4);
    uint64_t addresses[GPU_MAX_LANES];
    struct macsim_warps warps;
    struct gpu_block *block;

    begin(&warps, &ptx, false);
    record.lanes[3] = 0;
    add(&warps, &record);
    memset(record.lanes, 0, sizeof record.lanes);
    add(&warps, &record);
    block = end(&warps);
    assert_int_equal(gpu_inst_addresses(block, &block->warps[0].insts[0], false, addresses), FULL & ~UINT32_C(8));
    assert_int_equal(gpu_inst_addresses(block, &block->warps[0].insts[1], false, addresses), 0);
    assert_int_equal(block->warps[0].insts[1].mask, FULL);
    assert_int_equal(warps.oddities[MACSIM_WARP_NO_ADDRESS], 2);
    gpu_block_free(block);
    macsim_warps_free(&warps);
}

/* 4.2: the space is the opcode's; parameters lie in shared memory; what loads by another opcode loads globally, or from
 * the space of the record. */
static void ptx_opcodes(void **state)
{
    static struct { unsigned opcode; bool is_load, is_fp, accesses; uint8_t space; enum gpu_class cls;
                    enum gpu_space of; } const cases[] = {
        {LD_GM, true, false, true, 2, GPU_CLASS_LOAD, GPU_SPACE_GLOBAL},
        {LD_LM, true, false, true, 3, GPU_CLASS_LOAD, GPU_SPACE_LOCAL},
        {LD_SM, true, true, true, 5, GPU_CLASS_LOAD, GPU_SPACE_SHARED},
        {LD_CM, true, false, true, 1, GPU_CLASS_CONSTANT, GPU_SPACE_CONSTANT},
        {LD_TM, true, false, true, 6, GPU_CLASS_LOAD, GPU_SPACE_TEXTURE},
        {LD_PM, true, false, true, 4, GPU_CLASS_LOAD, GPU_SPACE_SHARED},
        {ST_GM, false, false, true, 2, GPU_CLASS_STORE, GPU_SPACE_GLOBAL},
        {ATOM_GM, true, false, true, 2, GPU_CLASS_ATOMIC, GPU_SPACE_GLOBAL},
        {LD_ANY, true, false, true, 0, GPU_CLASS_LOAD, GPU_SPACE_GLOBAL},
        {LD_ANY, true, false, true, 5, GPU_CLASS_LOAD, GPU_SPACE_SHARED},
        {ADD, true, false, true, 0, GPU_CLASS_LOAD, GPU_SPACE_GLOBAL},
        {ADD, false, false, false, 0, GPU_CLASS_INT, GPU_SPACE_NONE},
        {ADD, false, true, false, 0, GPU_CLASS_SP, GPU_SPACE_NONE},
        {ADD64, false, false, false, 0, GPU_CLASS_INT, GPU_SPACE_NONE},
        {FMA64, false, true, false, 0, GPU_CLASS_DP, GPU_SPACE_NONE},
        {SIN, false, true, false, 0, GPU_CLASS_SFU, GPU_SPACE_NONE},
        {BAR_SYNC, false, false, false, 0, GPU_CLASS_BARRIER, GPU_SPACE_NONE},
        {BAR_ARRIVE, false, false, false, 0, GPU_CLASS_BARRIER, GPU_SPACE_NONE},
        {MEMBAR_GL, false, false, false, 0, GPU_CLASS_MEMBAR, GPU_SPACE_NONE},
        {EXIT_PTX, false, false, false, 0, GPU_CLASS_EXIT, GPU_SPACE_NONE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct macsim_gpu_record record = access_of_lanes(cases[i].opcode, FULL, 0x40000, 4);
        const struct gpu_opcode *opcode;
        struct macsim_warps warps;
        struct gpu_block *block;

        record.is_load = cases[i].is_load;
        record.is_fp = cases[i].is_fp;
        record.accesses_memory = record.has_lanes = cases[i].accesses;
        record.space = cases[i].space;
        begin(&warps, &ptx, false);
        add(&warps, &record);
        block = end(&warps);
        opcode = opcode_of(&warps, &block->warps[0].insts[0]);
        if (opcode->cls != cases[i].cls || opcode->space != cases[i].of || !opcode->is_known)
            fail_msg("%s: %s %s, expected %s %s", opcode->text, gpu_class_name((enum gpu_class)opcode->cls),
                     gpu_space_name((enum gpu_space)opcode->space), gpu_class_name(cases[i].cls),
                     gpu_space_name(cases[i].of));
        assert_int_equal(opcode->does_not_wait, cases[i].opcode == BAR_ARRIVE);
        gpu_block_free(block);
        macsim_warps_free(&warps);
    }
}

/* Only the first `count` registers mean something; special ones (1551 on) and those above 383 are left out. */
static void registers(void **state)
{
    struct macsim_gpu_record record = {
        .pc = 8000, .opcode = ADD, .active_mask = FULL, .destination_count = 1, .destinations = {5, 99},
        .source_count = 4, .sources = {6, 1551, 400, 7, 99}
    };
    const struct gpu_static *fixed;
    struct macsim_warps warps;
    struct gpu_block *block;

    begin(&warps, &ptx, false);
    add(&warps, &record);
    record.taken_mask = 1;                       /* no part of what stays the same */
    add(&warps, &record);
    block = end(&warps);
    fixed = fixed_of(&warps, &block->warps[0].insts[0]);
    assert_int_equal(fixed->destination_count, 1);
    assert_int_equal(fixed->source_count, 2);
    assert_int_equal(fixed->registers[0], 5);
    assert_int_equal(fixed->registers[1], 6);
    assert_int_equal(fixed->registers[2], 7);
    assert_int_equal(warps.statics.count, 1);
    assert_int_equal(warps.oddities[MACSIM_WARP_HIGH_REGISTER], 2);
    gpu_block_free(block);
    macsim_warps_free(&warps);
}

static void odd_sizes(void **state)
{
    struct macsim_gpu_record record = access_of_lanes(LD_GM, FULL, 0x1000, 4);
    struct macsim_warps warps;
    struct gpu_block *block;

    begin(&warps, &ptx, false);
    record.access_bytes = 0;
    add(&warps, &record);
    record.access_bytes = 255;
    add(&warps, &record);
    block = end(&warps);
    assert_int_equal(fixed_of(&warps, &block->warps[0].insts[0])->width_bytes, 4);
    assert_int_equal(fixed_of(&warps, &block->warps[0].insts[1])->width_bytes, 64);
    assert_int_equal(warps.oddities[MACSIM_WARP_NO_WIDTH], 1);
    assert_int_equal(warps.oddities[MACSIM_WARP_WIDE], 1);
    gpu_block_free(block);
    macsim_warps_free(&warps);
}

/* ---- N64 */

/* Checks the only instruction's width and lanes: lane i at start[i / a_block] + i % a_block * bytes. */
static void check_blocks(const struct macsim_warps *warps, const struct gpu_block *block, unsigned bytes,
                         const uint64_t *starts, unsigned count)
{
    const struct gpu_inst *const inst = &block->warps[0].insts[0];
    uint64_t addresses[GPU_MAX_LANES];

    assert_int_equal(block->warps[0].count, 1);
    assert_int_equal(fixed_of(warps, inst)->width_bytes, bytes);
    assert_int_equal(gpu_inst_addresses(block, inst, false, addresses), FULL);
    for (unsigned i = 0; i < MACSIM_LANES; i++)
        assert_int_equal(addresses[i], starts[i / (MACSIM_LANES / count)] + i % (MACSIM_LANES / count) * bytes);
}

/* One record, no children: the lanes lie side by side, over two blocks if they are wide. */
static void a_block_alone(void **state)
{
    static uint8_t const widths[] = {4, 8, 16};
    uint64_t const start = 0x7fafc1d00300;

    for (size_t i = 0; i < sizeof widths; i++) {
        struct macsim_gpu_record const record = access_of_block(LDG, FULL, start, widths[i]);
        struct macsim_warps warps;
        struct gpu_block *block;

        begin(&warps, &nvbit, false);
        add(&warps, &record);
        block = end(&warps);
        check_blocks(&warps, block, widths[i], &start, 1);
        gpu_block_free(block);
        macsim_warps_free(&warps);
    }
}

/* 2.3: the parent's block is issued, too; in the reference's way only the children's are. */
static void children(void **state)
{
    static uint64_t const starts[] = {0x1000, 0x2000, 0x3000, 0x4000};

    for (int compat = 0; compat < 2; compat++) {
        struct macsim_gpu_record record = access_of_block(LDG, FULL, 0x1000, 16);
        struct macsim_warps warps;
        struct gpu_block *block;

        record.child_count = 3;
        memcpy(record.children, starts + 1, 3 * sizeof starts[0]);
        memset(record.child_bytes, 4, 3);
        if (compat)                              /* two are left, so that lanes divide evenly */
            record.child_count = 2;
        begin(&warps, &nvbit, compat);
        add(&warps, &record);
        block = end(&warps);
        check_blocks(&warps, block, 4, compat ? starts + 1 : starts, compat ? 2 : 4);
        gpu_block_free(block);
        macsim_warps_free(&warps);
    }
}

/* The 2024 tracer: copies like their parent right behind it are its blocks; its size is multiplied by their number. The
 * same pc after something else is another execution. In the reference's way each copy is an instruction. */
static void copies(void **state)
{
    static uint64_t const starts[] = {0x1000, 0x1080};
    struct macsim_gpu_record const exits = {.pc = 0x200, .opcode = EXIT_SASS, .active_mask = FULL};

    for (int compat = 0; compat < 2; compat++) {
        struct macsim_warps warps;
        struct gpu_block *block;

        begin(&warps, &nvbit, compat);
        for (int i = 0; i < 2; i++) {
            struct macsim_gpu_record const record = access_of_block(LDG, FULL, starts[i], 8);

            add(&warps, &record);
        }
        if (!compat) {
            block = end(&warps);
            check_blocks(&warps, block, 4, starts, 2);
            gpu_block_free(block);
            macsim_warps_begin_block(&warps);
            for (int i = 0; i < 2; i++) {
                struct macsim_gpu_record const record = access_of_block(LDG, FULL, starts[i], 4);

                add(&warps, &record);
                add(&warps, &exits);
            }
        }
        block = end(&warps);
        assert_int_equal(block->warps[0].count, compat ? 2 : 4);
        assert_int_equal(opcode_of(&warps, &block->warps[0].insts[compat ? 1 : 3])->cls,
                         compat ? GPU_CLASS_LOAD : GPU_CLASS_EXIT);
        gpu_block_free(block);
        macsim_warps_free(&warps);
    }
}

/* The 32 raw addresses of the 2024 tracer, 0 for lanes that are off; more blocks than lanes make one more. */
static void one_block_a_lane(void **state)
{
    struct macsim_warps warps;
    struct gpu_block *block;
    uint64_t addresses[GPU_MAX_LANES];

    begin(&warps, &nvbit, false);
    for (unsigned i = 0; i < 32; i++) {
        struct macsim_gpu_record const record = access_of_block(LDG, 0xff, i < 9 ? 0x10000 + 0x1000 * i : 0, 128);

        add(&warps, &record);
    }
    block = end(&warps);
    assert_int_equal(block->warps[0].count, 2);
    assert_int_equal(fixed_of(&warps, &block->warps[0].insts[0])->width_bytes, 4);
    assert_int_equal(gpu_inst_addresses(block, &block->warps[0].insts[0], false, addresses), 0xff);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(addresses[i], 0x10000 + 0x1000 * i);
    gpu_inst_addresses(block, &block->warps[0].insts[1], false, addresses);
    assert_int_equal(addresses[0], 0x18000);
    assert_int_equal(warps.oddities[MACSIM_WARP_SURPLUS], 1);
    gpu_block_free(block);
    macsim_warps_free(&warps);
}

/* "ATOM/RED are not stores" of the reference: they compute there. BAR is a barrier; unknown opcodes say so. */
static void sass_opcodes(void **state)
{
    for (int compat = 0; compat < 2; compat++) {
        struct macsim_gpu_record const records[] = {
            access_of_block(ATOMG, FULL, 0x1000, 4), access_of_block(RED, FULL, 0x1000, 4),
            access_of_block(STG, FULL, 0x1000, 4), access_of_block(LDS, FULL, 0x40, 4),
            {.pc = 0x300, .opcode = BAR, .active_mask = FULL},
            {.pc = 0x310, .opcode = UNKNOWN_SASS, .active_mask = FULL}
        };
        struct macsim_warps warps;
        struct gpu_block *block;
        const struct gpu_inst *insts;

        begin(&warps, &nvbit, compat);
        for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
            add(&warps, &records[i]);
        block = end(&warps);
        insts = block->warps[0].insts;
        for (int i = 0; i < 2; i++) {
            assert_int_equal(opcode_of(&warps, &insts[i])->cls, GPU_CLASS_ATOMIC);
            assert_int_equal(insts[i].mode == GPU_ADDRESS_NONE, compat);
            assert_int_equal(fixed_of(&warps, &insts[i])->width_bytes, compat ? 0 : 4);
        }
        assert_int_equal(opcode_of(&warps, &insts[2])->cls, GPU_CLASS_STORE);
        assert_int_equal(opcode_of(&warps, &insts[3])->space, GPU_SPACE_SHARED);
        assert_int_equal(opcode_of(&warps, &insts[4])->cls, GPU_CLASS_BARRIER);
        assert_false(opcode_of(&warps, &insts[5])->is_known);
        assert_string_equal(opcode_of(&warps, &insts[5])->text, "OP255");
        gpu_block_free(block);
        macsim_warps_free(&warps);
    }
}

int main(void)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(ptx_lanes_keep_their_addresses), cmocka_unit_test(ptx_lanes_without_address),
        cmocka_unit_test(ptx_opcodes), cmocka_unit_test(registers), cmocka_unit_test(odd_sizes),
        cmocka_unit_test(a_block_alone), cmocka_unit_test(children), cmocka_unit_test(copies),
        cmocka_unit_test(one_block_a_lane), cmocka_unit_test(sass_opcodes)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
