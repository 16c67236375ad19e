/* sweep/measure/micro_code.h: what the code does on this host is what walking through it does, for every operation. */
#include <stdlib.h>
#include <string.h>

#include "proto/isa/isa.h"
#include "sweep/measure/micro_code.h"
#include "tests/support/unit.h"

enum { WORDS = 64 };

/* Each operation once or more, with accesses and branches whose outcomes differ from iteration to iteration. */
static void put_all(struct micro_code *code)
{
    for (enum micro_operation operation = 0; operation < MICRO_OPERATION_COUNT; operation++)
        if (operation != MICRO_FMA || code->has_fma)
            if (operation < MICRO_LOAD && operation != MICRO_DIV)
                micro_put(code, operation, 8, 9, 1);
    micro_put(code, MICRO_LOAD4, 5, 6, 0);
    micro_put(code, MICRO_ADD, 6, 0, 4);
    for (int bit = 0; bit < 7; bit++) {
        micro_put(code, MICRO_SKIP, 5, 0, bit);
        micro_put(code, MICRO_ADD, 7, 0, 1 + bit);
    }
    micro_put(code, MICRO_JUMP, 0, 0, 12);
    micro_put(code, MICRO_STORE, 7, 11, 8);
    micro_put(code, MICRO_LOAD, 4, 11, 8);
    micro_put(code, MICRO_VLOAD, 1, 11, 0);
    micro_put(code, MICRO_VSTORE, 1, 12, 0);
    micro_put(code, MICRO_STORE4, 7, 12, 256);
    micro_put(code, MICRO_ADD, 2, 0, 2040);
    micro_put(code, MICRO_MOVE, 1, 2, 0);
}

struct memory {
    uint32_t words[WORDS];
    _Alignas(64) uint8_t scratch[64], other[512];
};

static void fill(struct memory *memory, struct micro_state *state)
{
    memset(memory, 0, sizeof *memory);
    for (uint32_t i = 0; i < WORDS; i++)
        memory->words[i] = i * 2654435761u >> 9;
    *state = (struct micro_state){.count = WORDS};
    state->r[6] = (uint64_t)(uintptr_t)memory->words;
    state->r[11] = (uint64_t)(uintptr_t)memory->scratch;
    state->r[12] = (uint64_t)(uintptr_t)memory->other;
}

struct walked {
    const struct micro_code *code;
    struct isa_decoder *decoder;
    uint64_t steps, bad;
};

/* Sizes, accesses and branches are those that the decoder finds in the bytes. */
static bool check_step(void *context, const struct micro_event *event)
{
    struct walked *const walked = context;
    const struct micro_step *const step = event->step;
    struct isa_insn insn;

    walked->steps++;
    if (!walked->decoder)
        return true;
    if (!isa_decode(walked->decoder, 0x1000 + step->offset, walked->code->bytes + step->offset, step->size_bytes, &insn)
        || insn.size_bytes != step->size_bytes || (insn.operand_count > 0) != (step->access_bytes > 0)
        || isa_kind_is_branch(insn.kind) != (step->effect >= MICRO_JUMPS)
        || (step->access_bytes > 0 && insn.operands[0].size_bytes != step->access_bytes)
        || (step->access_bytes > 0 && insn.operands[0].is_store != (step->effect == MICRO_STORES)))
        walked->bad++;
    return true;
}

static void walking_is_running(void **state)
{
    static struct memory ran, walked;
    struct micro_state after_run, after_walk;
    struct walked context = {.steps = 0};
    struct micro_code code;
    struct fault error;

    (void)state;
    if (micro_isa() == ISA_UNKNOWN)
        skip();
    assert_int_equal(micro_begin(&code, 4096).kind, FAULT_NONE);
    put_all(&code);
    assert_int_equal(micro_end(&code).kind, FAULT_NONE);
    fill(&ran, &after_run);
    micro_run(&code, &after_run);
    fill(&walked, &after_walk);
    context.code = &code;
    context.decoder = isa_decoder_open(micro_isa(), &error);
    micro_walk(&code, &after_walk, check_step, &context);
    isa_decoder_close(context.decoder);
    assert_int_equal(context.bad, 0);
    assert_true(context.steps > WORDS * 20);
    assert_int_equal(after_run.count, 0);
    assert_int_equal(after_walk.count, 0);
    assert_int_equal(after_run.r[7], after_walk.r[7]);
    assert_int_equal(after_run.r[4], after_walk.r[4]);
    assert_int_equal(after_run.r[1], after_walk.r[1]);
    assert_int_equal(after_run.r[1], WORDS * 2040);
    assert_int_equal(after_run.r[6] - (uint64_t)(uintptr_t)ran.words, sizeof ran.words);
    assert_memory_equal(ran.scratch + 8, walked.scratch + 8, 8);
    assert_memory_equal(ran.other + 256, walked.other + 256, 4);
    micro_free(&code);
}

static void too_much_code_is_refused(void **state)
{
    struct micro_code code;

    (void)state;
    if (micro_isa() == ISA_UNKNOWN)
        skip();
    assert_int_equal(micro_begin(&code, 4096).kind, FAULT_NONE);
    for (int i = 0; i < 100000; i++)
        micro_put(&code, MICRO_ADD, 1, 0, 1);
    assert_int_equal(micro_end(&code).kind, FAULT_MEMORY);
    micro_free(&code);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(walking_is_running), cmocka_unit_test(too_much_code_is_refused)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
