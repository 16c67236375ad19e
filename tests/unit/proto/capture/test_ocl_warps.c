/* proto/capture/opencl: from what the plugin tells to instructions of warps. Sentences are those of
 * docs/spec/opencl-capture.md. */
#include <stdlib.h>
#include <string.h>

#include "proto/capture/opencl/warps.h"
#include "tests/support/unit.h"

enum { NONE = OCL_NO_PIECE, TEXT_WORDS = 8 };

struct kernel {
    struct ocl_code code;
    struct ocl_warps warps;
    struct fault error;
};

static void tell(struct kernel *kernel, const char *name, enum ocl_access access, enum ocl_space space, unsigned bytes,
                 int destination, int source)
{
    uint64_t words[8 + 2 + 1 + TEXT_WORDS] = {kernel->code.instruction_count, 7, 0, access, space, bytes,
                                              destination >= 0, source >= 0};
    size_t count = 8;

    if (destination >= 0)
        words[count++] = (uint64_t)destination;
    if (source >= 0)
        words[count++] = (uint64_t)source;
    words[count++] = strlen(name);
    memcpy(&words[count], name, strlen(name));
    count += (strlen(name) + 7) / 8;
    assert_true(WORKS(kernel->error, ocl_code_instruction(&kernel->code, words, count)));
}

static void tell_plain(struct kernel *kernel, const char *name)
{
    tell(kernel, name, OCL_NO_ACCESS, OCL_PRIVATE, 0, -1, -1);
}

static void tell_piece(struct kernel *kernel, uint64_t first, uint64_t count, uint64_t meets, enum ocl_piece_end end)
{
    assert_true(WORKS(kernel->error, ocl_code_piece(&kernel->code, (const uint64_t[]){first, count, meets, end}, 4)));
}

static void begin(struct kernel *kernel, enum gpu_isa isa)
{
    *kernel = (struct kernel){.warps = {.warp_size = isa == GPU_ISA_GCN3 ? 64 : 32}};
    kernel->warps.code = &kernel->code;
    ocl_code_begin(&kernel->code, isa);
}

static void begin_group(struct kernel *kernel, size_t items)
{
    assert_true(WORKS(kernel->error, ocl_code_end(&kernel->code)));
    assert_true(WORKS(kernel->error, ocl_warps_begin(&kernel->warps, (const uint32_t[]){1, 2, 3}, items)));
}

static void run(struct kernel *kernel, uint64_t item, const uint64_t *events, size_t count)
{
    assert_true(WORKS(kernel->error, ocl_warps_run(&kernel->warps, item, events, count)));
}

#define RUN(kernel, item, ...)                                                                                        \
    run(kernel, item, (const uint64_t[]){__VA_ARGS__}, sizeof (const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static const struct gpu_block *block_of(struct kernel *kernel)
{
    const struct gpu_block *block;

    assert_true(WORKS(kernel->error, ocl_warps_block(&kernel->warps, &block)));
    return block;
}

static void end(struct kernel *kernel)
{
    ocl_warps_free(&kernel->warps);
    ocl_code_free(&kernel->code);
}

static uint64_t pc_of(const struct kernel *kernel, const struct gpu_inst *inst)
{
    return kernel->code.statics.items[inst->index].pc;
}

static const char *opcode_of(const struct kernel *kernel, const struct gpu_inst *inst)
{
    return kernel->code.opcodes[kernel->code.statics.items[inst->index].opcode].text;
}

static void is_record(const struct kernel *kernel, const struct gpu_warp_list *warp, unsigned i, uint64_t pc,
                      uint64_t mask)
{
    assert_true(i < warp->count);
    assert_int_equal(pc_of(kernel, &warp->insts[i]), pc);
    assert_int_equal(warp->insts[i].mask, mask);
}

static uint64_t access(enum ocl_access kind, uint64_t place, uint64_t address)
{
    return OCL_EVENT_ACCESS | (uint64_t)kind << OCL_EVENT_KIND_SHIFT | place << OCL_EVENT_PLACE_SHIFT | address;
}

/* 0: if, 1 and 2: its ways, 3: where they meet and return. */
static void tell_diamond(struct kernel *kernel)
{
    for (unsigned i = 0; i < 3; i++)
        tell_plain(kernel, "br");
    tell_plain(kernel, "exit");
    tell_piece(kernel, 0, 1, 3, OCL_FALLS);
    tell_piece(kernel, 1, 1, 3, OCL_FALLS);
    tell_piece(kernel, 2, 1, 3, OCL_FALLS);
    tell_piece(kernel, 3, 1, NONE, OCL_RETURNS);
}

/* "They are together again at the block's immediate post-dominator"; "the one whose next block comes first in the code
 * goes first" */
static void ways_meet_again(void **state)
{
    struct kernel kernel;
    const struct gpu_block *block;

    (void)state;
    begin(&kernel, GPU_ISA_SASS);
    tell_diamond(&kernel);
    begin_group(&kernel, 4);
    RUN(&kernel, 0, 0, 2, 3);
    RUN(&kernel, 1, 0, 1, 3);
    RUN(&kernel, 2, 0, 2, 3);
    RUN(&kernel, 3, 0, 1, 3);
    block = block_of(&kernel);
    assert_int_equal(block->id[2], 3);
    assert_int_equal(block->warp_count, 1);
    assert_int_equal(block->warps[0].count, 4);
    is_record(&kernel, &block->warps[0], 0, 0x00, 0xf);
    is_record(&kernel, &block->warps[0], 1, 0x10, 0xa);
    is_record(&kernel, &block->warps[0], 2, 0x20, 0x5);
    is_record(&kernel, &block->warps[0], 3, 0x30, 0xf);
    assert_int_equal(kernel.warps.counts.item_instructions, 12);
    assert_int_equal(kernel.warps.counts.splits, 1);
    end(&kernel);
}

/* A loop of one block that each lane leaves after another round: 1 is the loop, 2 what follows. */
static void lanes_leave_a_loop_one_by_one(void **state)
{
    struct kernel kernel;
    const struct gpu_block *block;

    (void)state;
    begin(&kernel, GPU_ISA_SASS);
    tell_plain(&kernel, "br");
    tell_plain(&kernel, "br");
    tell_plain(&kernel, "exit");
    tell_piece(&kernel, 0, 1, 1, OCL_FALLS);
    tell_piece(&kernel, 1, 1, 2, OCL_FALLS);
    tell_piece(&kernel, 2, 1, NONE, OCL_RETURNS);
    begin_group(&kernel, 32);
    for (uint64_t lane = 0; lane < 32; lane++) {
        RUN(&kernel, lane, 0);
        for (uint64_t i = 0; i <= lane; i++)
            RUN(&kernel, lane, 1);
        RUN(&kernel, lane, 2);
    }
    block = block_of(&kernel);
    assert_int_equal(block->warps[0].count, 1 + 32 + 1);
    for (unsigned i = 0; i < 32; i++)
        is_record(&kernel, &block->warps[0], 1 + i, 0x10, 0xffffffffu & ~((UINT64_C(1) << i) - 1));
    is_record(&kernel, &block->warps[0], 33, 0x20, 0xffffffffu);
    end(&kernel);
}

/* Reconvergence of a called function without one of its own is at its return: 0 calls 2, whose ways 3 and 4 both
 * return; 1 follows the call. Pieces of a kernel precede those of its callees. */
static void returns_reconverge_after_the_call(void **state)
{
    struct kernel kernel;
    const struct gpu_block *block;

    (void)state;
    begin(&kernel, GPU_ISA_SASS);
    tell_plain(&kernel, "call");
    tell_plain(&kernel, "exit");
    tell_plain(&kernel, "br");
    tell_plain(&kernel, "ret");
    tell_plain(&kernel, "ret");
    tell_piece(&kernel, 0, 1, 1, OCL_CALLS);
    tell_piece(&kernel, 1, 1, NONE, OCL_RETURNS);
    tell_piece(&kernel, 2, 1, NONE, OCL_FALLS);
    tell_piece(&kernel, 3, 1, NONE, OCL_RETURNS);
    tell_piece(&kernel, 4, 1, NONE, OCL_RETURNS);
    begin_group(&kernel, 2);
    RUN(&kernel, 0, 0, 2, 3, 1);
    RUN(&kernel, 1, 0, 2, 4, 1);
    block = block_of(&kernel);
    assert_int_equal(block->warps[0].count, 5);
    is_record(&kernel, &block->warps[0], 2, 0x30, 1);
    is_record(&kernel, &block->warps[0], 3, 0x40, 2);
    is_record(&kernel, &block->warps[0], 4, 0x10, 3);
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[0]), "CALL.call");
    end(&kernel);
}

/* "Work-items of the last warp may be fewer" */
static void the_last_warp_may_be_smaller(void **state)
{
    struct kernel kernel;
    const struct gpu_block *block;

    (void)state;
    begin(&kernel, GPU_ISA_SASS);
    tell_plain(&kernel, "exit");
    tell_piece(&kernel, 0, 1, NONE, OCL_RETURNS);
    begin_group(&kernel, 33);
    for (uint64_t i = 0; i < 33; i++)
        RUN(&kernel, i, 0);
    block = block_of(&kernel);
    assert_int_equal(block->warp_count, 2);
    is_record(&kernel, &block->warps[0], 0, 0, 0xffffffff);
    is_record(&kernel, &block->warps[1], 0, 0, 1);
    end(&kernel);
}

/* "base and stride if the lanes are one run and the steps are equal, else a list" */
static void addresses_are_a_stride_or_a_list(void **state)
{
    struct kernel kernel;
    const struct gpu_block *block;
    uint64_t addresses[GPU_MAX_LANES];

    (void)state;
    begin(&kernel, GPU_ISA_SASS);
    tell(&kernel, "load", OCL_LOAD, OCL_GLOBAL, 4, 5, -1);
    tell(&kernel, "store", OCL_STORE, OCL_LOCAL, 8, -1, 5);
    tell_piece(&kernel, 0, 2, NONE, OCL_RETURNS);
    begin_group(&kernel, 3);
    for (uint64_t i = 0; i < 3; i++)
        RUN(&kernel, i, 0, access(OCL_LOAD, 0, 0xc0000000 + 128 * i), access(OCL_STORE, 1, 64 * i * i));
    block = block_of(&kernel);
    assert_int_equal(block->warps[0].count, 2);
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[0]), "LDG.E.load");
    assert_int_equal(block->warps[0].insts[0].mode, GPU_ADDRESS_STRIDE);
    assert_int_equal(block->warps[0].insts[0].base, 0xc0000000);
    assert_int_equal(block->warps[0].insts[0].stride, 128);
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[1]), "STS.64.store");
    assert_int_equal(block->warps[0].insts[1].mode, GPU_ADDRESS_LIST);
    assert_int_equal(gpu_inst_addresses(block, &block->warps[0].insts[1], false, addresses), 7);
    assert_int_equal(addresses[2], 256);
    end(&kernel);
}

/* "An access of more than 16 bytes ... is several"; lanes that differ "are records of their own" */
static void accesses_of_functions_are_as_they_were_made(void **state)
{
    struct kernel kernel;
    const struct gpu_block *block;

    (void)state;
    begin(&kernel, GPU_ISA_SASS);
    tell(&kernel, "call vload8", OCL_CALL, OCL_PRIVATE, 0, 3, -1);
    tell_plain(&kernel, "exit");
    tell_piece(&kernel, 0, 2, NONE, OCL_RETURNS);
    begin_group(&kernel, 4);
    RUN(&kernel, 0, 0, access(OCL_LOAD, 0, 0x1000) | OCL_EVENT_SIZED, 32 | (uint64_t)OCL_GLOBAL << 32);
    RUN(&kernel, 1, 0, access(OCL_LOAD, 0, 0x2000) | OCL_EVENT_SIZED, 4 | (uint64_t)OCL_LOCAL << 32);
    RUN(&kernel, 2, 0, access(OCL_LOAD, 0, 0x1040) | OCL_EVENT_SIZED, 32 | (uint64_t)OCL_GLOBAL << 32);
    RUN(&kernel, 3, 0);
    block = block_of(&kernel);
    assert_int_equal(block->warps[0].count, 5);
    is_record(&kernel, &block->warps[0], 0, 0, 8);
    is_record(&kernel, &block->warps[0], 1, 0, 5);
    is_record(&kernel, &block->warps[0], 2, 0, 5);
    is_record(&kernel, &block->warps[0], 3, 0, 2);
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[1]), "LDG.E.128.vload8");
    assert_int_equal(block->warps[0].insts[2].base, 0x1010);
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[3]), "LDS.vload8");
    assert_int_equal(kernel.warps.counts.further, 2);
    end(&kernel);
}

/* Events are read before the barrier that waits for them. */
static void a_barrier_that_reads_is_one(void **state)
{
    struct kernel kernel;
    const struct gpu_block *block;

    (void)state;
    begin(&kernel, GPU_ISA_SASS);
    tell(&kernel, "call wait_group_events", OCL_CALL, OCL_PRIVATE, 0, -1, -1);
    tell_piece(&kernel, 0, 1, NONE, OCL_RETURNS);
    begin_group(&kernel, 2);
    RUN(&kernel, 0, 0, access(OCL_LOAD, 0, 0x10) | OCL_EVENT_SIZED, 8 | (uint64_t)OCL_PRIVATE << 32);
    RUN(&kernel, 1, 0, access(OCL_LOAD, 0, 0x10) | OCL_EVENT_SIZED, 8 | (uint64_t)OCL_PRIVATE << 32);
    block = block_of(&kernel);
    assert_int_equal(block->warps[0].count, 2);
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[0]), "LDL.64.wait_group_events");
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[1]), "BAR.SYNC.wait_group_events");
    is_record(&kernel, &block->warps[0], 1, 0, 3);
    assert_int_equal(kernel.warps.counts.further, 2);
    end(&kernel);
}

/* "One is put before the first record of the warp that reads or writes such a register, and before such a barrier" */
static void warps_of_64_wait_for_loads(void **state)
{
    struct kernel kernel;
    const struct gpu_block *block;

    (void)state;
    begin(&kernel, GPU_ISA_GCN3);
    tell(&kernel, "load", OCL_LOAD, OCL_GLOBAL, 4, 5, -1);
    tell(&kernel, "add", OCL_NO_ACCESS, OCL_PRIVATE, 0, 6, 4);
    tell(&kernel, "store", OCL_STORE, OCL_GLOBAL, 4, -1, 5);
    tell_plain(&kernel, "call barrier");
    tell_plain(&kernel, "call barrier");
    tell_piece(&kernel, 0, 5, NONE, OCL_RETURNS);
    begin_group(&kernel, 1);
    RUN(&kernel, 0, 0, access(OCL_LOAD, 0, 0x1000), access(OCL_STORE, 2, 0x2000));
    block = block_of(&kernel);
    assert_int_equal(block->warps[0].count, 7);
    is_record(&kernel, &block->warps[0], 1, 8 + 4, 1);
    is_record(&kernel, &block->warps[0], 2, 16, 1);
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[2]), "S_WAITCNT");
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[3]), "FLAT_STORE_DWORD");
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[4]), "S_WAITCNT");
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[5]), "S_BARRIER");
    assert_string_equal(opcode_of(&kernel, &block->warps[0].insts[6]), "S_BARRIER");
    assert_int_equal(kernel.warps.counts.waits, 2);
    assert_int_equal(kernel.warps.counts.item_instructions, 5);
    end(&kernel);
}

/* Whatever the plugin tells: a fault or a block, never more. */
static void nonsense_is_refused(void **state)
{
    struct kernel kernel;
    const struct gpu_block *block;

    (void)state;
    begin(&kernel, GPU_ISA_SASS);
    assert_false(
        WORKS(kernel.error, ocl_code_instruction(&kernel.code, (const uint64_t[]){0, 0, 0, 0, 0, 0, 0, 9, 0}, 9)));
    assert_false(WORKS(kernel.error,
                       ocl_code_instruction(&kernel.code, (const uint64_t[]){0, 0, 0, 0, 0, 0, 1, 0, 1, 99}, 10)));
    tell_diamond(&kernel);
    assert_false(WORKS(kernel.error, ocl_code_piece(&kernel.code, (const uint64_t[]){3, 2, NONE, 0}, 4)));
    assert_false(WORKS(kernel.error, ocl_code_piece(&kernel.code, (const uint64_t[]){0, 1, NONE, 9}, 4)));
    begin_group(&kernel, 2);
    assert_false(WORKS(kernel.error, ocl_warps_run(&kernel.warps, 2, (const uint64_t[]){0}, 1)));
    RUN(&kernel, 0, 0, 99);
    RUN(&kernel, 1, 0, 3);
    assert_false(WORKS(kernel.error, ocl_warps_block(&kernel.warps, &block)));
    assert_non_null(strstr(fault_text(kernel.error), "are inconsistent"));
    end(&kernel);

    /* Random words after a good beginning. */
    srand(1);
    for (unsigned turn = 0; turn < 2000; turn++) {
        begin(&kernel, turn % 2 ? GPU_ISA_GCN3 : GPU_ISA_SASS);
        tell_diamond(&kernel);
        begin_group(&kernel, 40);
        for (unsigned i = 0; i < 200; i++) {
            uint64_t const word = (uint64_t)rand() % 4 != 0 ? (uint64_t)rand() % 5
                : access((enum ocl_access)(rand() % 4), (uint64_t)rand() % 3, (uint64_t)rand());

            RUN(&kernel, (uint64_t)rand() % 40, word | (rand() % 8 == 0 ? OCL_EVENT_SIZED : 0));
        }
        if (WORKS(kernel.error, ocl_warps_block(&kernel.warps, &block)))
            assert_int_equal(block->warp_count, turn % 2 ? 1 : 2);
        else
            assert_true(fault_text(kernel.error)[0] != '\0');
        end(&kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_meet_again),
        cmocka_unit_test(lanes_leave_a_loop_one_by_one),
        cmocka_unit_test(returns_reconverge_after_the_call),
        cmocka_unit_test(the_last_warp_may_be_smaller),
        cmocka_unit_test(addresses_are_a_stride_or_a_list),
        cmocka_unit_test(accesses_of_functions_are_as_they_were_made),
        cmocka_unit_test(a_barrier_that_reads_is_one),
        cmocka_unit_test(warps_of_64_wait_for_loads),
        cmocka_unit_test(nonsense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
