/* proto/capture/capture_code.h: blocks and pages as a host tells them; what no host tells is refused, whatever its
 * numbers. */
#include "tests/support/capture_rings.h"

#define ADD "00040091"                   /* A64: add x0, x0, #1 */
#define LDR "200040f9"                   /* ldr x0, [x1] */
#define RET "c0035fd6"

static int open_code(void **state)
{
    *state = rings_open(ISA_A64, NULL);
    return *state == NULL;
}

static int close_code(void **state)
{
    rings_free(*state);
    return 0;
}

static void an_instruction_is_a_pc_and_bytes(void **state)
{
    struct rings *const rings = *state;
    const struct code *const code = &rings->code;
    const struct code_block *blocks[4];

    rings_tell(rings, 1, (const struct ring_insn[]){{0x1000, LDR, false}, {0x1004, RET, false}}, 2);
    rings_tell(rings, 2, (const struct ring_insn[]){{0x1004, RET, false}}, 1);
    rings_tell(rings, 3, (const struct ring_insn[]){{0x1000, ADD, false}, {0x1004, RET, true}}, 2);
    assert_null(code_block(code, 0));
    assert_null(code_block(code, 4));
    for (unsigned i = 1; i < 4; i++) {
        blocks[i] = code_block(code, i);
        assert_non_null(blocks[i]);
    }
    assert_int_equal(code->insn_count, 3);
    assert_ptr_equal(code_insn(code, blocks[1], 1), code_insn(code, blocks[2], 0));
    assert_ptr_equal(code_insn(code, blocks[1], 1), code_insn(code, blocks[3], 1));
    assert_ptr_not_equal(code_insn(code, blocks[1], 0), code_insn(code, blocks[3], 0));
    assert_int_equal(code_insn(code, blocks[1], 0)->place, code_insn(code, blocks[3], 0)->place);
    assert_int_equal(blocks[1]->last_need, 0);
    assert_int_equal(blocks[3]->last_need, CODE_NONE);
    assert_false(blocks[1]->is_doubtful);
    assert_true(blocks[3]->is_doubtful);
    assert_true(code_insn(code, blocks[1], 0)->needs_load);
    assert_int_equal(code_insn(code, blocks[1], 0)->load_bytes, 8);
}

static void many_instructions(void **state)
{
    struct rings *const rings = *state;

    for (uint64_t i = 0; i < 5000; i++)
        rings_tell(rings, i + 1, (const struct ring_insn[]){{4 * i, ADD, false}, {4 * i + 4, ADD, false}}, 2);
    assert_int_equal(rings->code.insn_count, 5001);
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(code_insn(&rings->code, code_block(&rings->code, i + 1), 1)->pc, 4 * i + 4);
}

static void records_wrap_and_come_in_parts(void **state)
{
    struct rings *const rings = *state;
    struct fault error = fault_none();

    for (uint64_t before = 1; before < 12; before++) {
        const uint64_t at = 3 * (uint64_t)CAPTURE_STATICS_WORDS - before;

        rings->statics_at = rings->statics_told = at;
        rings_tell(rings, before, (const struct ring_insn[]){{0x1000, LDR, false}, {0x1004, RET, false}}, 2);
        assert_int_equal(rings->statics_at, at + 10);
        for (uint64_t words = 0; words < 10; words++)
            assert_int_equal(code_read(&rings->code, rings->statics, at, words, &error), 0);
        assert_fine(error);
    }
    assert_int_equal(rings->code.insn_count, 2);
}

static void pages(void **state)
{
    struct rings *const rings = *state;
    struct fault error = fault_none();
    static const uint64_t addresses[] = {0x3000, 0x1000, 0x3000, 0x1000};

    for (size_t i = 0; i < COUNT(addresses); i++) {
        rings_put_static(rings, (uint64_t)CAPTURE_STATIC_PAGE << CAPTURE_KIND_SHIFT);
        rings_put_static(rings, addresses[i]);
        for (unsigned k = 0; k < CAPTURE_PAGE_WORDS; k++)
            rings_put_static(rings, 0x0101010101010101ull * (4 - i));
    }
    assert_int_equal(code_read(&rings->code, rings->statics, 0, rings->statics_told, &error), 4 * 514);
    assert_fine(error);
    assert_int_equal(rings->code.page_count, 4);
    code_sort_pages(&rings->code);
    assert_int_equal(rings->code.page_count, 2);
    assert_int_equal(rings->code.pages[0].address, 0x1000);
    assert_int_equal(rings->code.pages[0].bytes[4095], 3);
    assert_int_equal(rings->code.pages[1].address, 0x3000);
    assert_int_equal(rings->code.pages[1].bytes[0], 4);
}

static void put_memory(struct rings *rings, uint64_t address, uint64_t call, const char *text)
{
    uint64_t words[2] = {0};

    memcpy(words, text, strlen(text));
    rings_put_static(rings, (uint64_t)CAPTURE_STATIC_MEMORY << CAPTURE_KIND_SHIFT | strlen(text));
    rings_put_static(rings, address);
    rings_put_static(rings, call);
    for (size_t i = 0; i < (strlen(text) + 7) / 8; i++)
        rings_put_static(rings, words[i]);
}

/* ring.h: CAPTURE_STATIC_MEMORY, CAPTURE_STATIC_ZEROS */
static void memory_is_gathered(void **state)
{
    struct rings *const rings = *state;
    const struct insn_memory *const memory = &rings->code.memory;
    struct fault error = fault_none();

    put_memory(rings, 0x1000, 0, "at first");
    rings_put_static(rings, (uint64_t)CAPTURE_STATIC_ZEROS << CAPTURE_KIND_SHIFT);
    rings_put_static(rings, 0x1008);
    rings_put_static(rings, 100);
    put_memory(rings, 0x2000, 4, "of a call");
    put_memory(rings, 0x2000, 3, "before");          /* of another thread */
    code_read(&rings->code, rings->statics, 0, rings->statics_told, &error);
    assert_fine(error);
    assert_false(rings->code.is_memory_large);
    assert_int_equal(memory->piece_count, 4);
    assert_int_equal(memory->pieces[1].kind, INSN_PIECE_ZEROS);
    assert_int_equal(memory->pieces[1].byte_count, 100);
    assert_int_equal(memory->pieces[2].call, 4);
    assert_memory_equal(memory->bytes, "at firstof a callbefore", 23);
    put_memory(rings, UINT64_MAX, 5, "xx");
    code_read(&rings->code, rings->statics, rings->statics_told - 4, 4, &error);
    assert_true(rings->code.is_memory_large);
    assert_int_equal(memory->piece_count, 4);
}

static void impossible_words(void **state)
{
    struct rings *const rings = *state;
    static const struct { uint64_t words[6]; const char *said; } cases[] = {
        {{0, 1}, "in a way that is not known (0000000000000000)"},
        {{5ull << 60 | 1, 1}, "in a way that is not known (5000000000000001)"},
        {{3ull << 60 | 0xffff, 1}, "in a way that is not known (300000000000ffff)"},
        {{1ull << 60 | 513, 1}, "in a way that is not known"},
        {{1ull << 60 | 0xffff, 1}, "in a way that is not known"},
        {{1ull << 60 | 1, 1 << 28, 0x1000, 4}, "more than 268435456 blocks"},
        {{1ull << 60 | 1, UINT64_MAX, 0x1000, 4}, "more than 268435456 blocks"},
        {{1ull << 60 | 1, 0, 0x1000, 4}, "told block 0 of code; expected 2"},
        {{1ull << 60 | 1, 3, 0x1000, 4}, "told block 3 of code; expected 2"},
        {{1ull << 60, 2}, "without instructions"},
        {{1ull << 60 | 1, 2, 0x1000, 0}, "an instruction of 0 bytes; expected 1 to 16"},
        {{1ull << 60 | 1, 2, 0x1000, 17}, "an instruction of 17 bytes"},
        {{1ull << 60 | 1, 2, 0x1000, 0x1ff}, "an instruction of 255 bytes"},
        {{1ull << 60 | 1, 2, 0x1000, 0x204}, "an access that follows from no earlier one"}
    };

    rings_tell(rings, 1, (const struct ring_insn[]){{0x1000, LDR, false}}, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fault error = fault_none();

        rings->statics_told = rings->statics_at;
        for (size_t k = 0; k < COUNT(cases[i].words); k++)
            rings_put_static(rings, cases[i].words[k]);
        assert_int_equal(code_read(&rings->code, rings->statics, rings->statics_at, 6, &error), 0);
        assert_int_equal(error.kind, FAULT_INPUT);
        assert_text(fault_text(error), cases[i].said);
    }
    assert_int_equal(rings->code.block_count, 2);
    assert_int_equal(rings->code.insn_count, 1);
}

int main(void)
{
#define CODE_TEST(name) cmocka_unit_test_setup_teardown(name, open_code, close_code)
    const struct CMUnitTest tests[] = {
        CODE_TEST(an_instruction_is_a_pc_and_bytes),
        CODE_TEST(many_instructions),
        CODE_TEST(records_wrap_and_come_in_parts),
        CODE_TEST(pages),
        CODE_TEST(memory_is_gathered),
        CODE_TEST(impossible_words)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
