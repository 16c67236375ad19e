/* micro_walks: each kind of microbenchmark of sweep/measure/ is run on this host and walked through; registers, and
 * memory as far as rings and branches depend on it, must be the same afterwards. Then a few of them are measured. It
 * prints TAP, and needs little of the model, so that tests/cli/measure_a64.sh can make it for another host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/measure/measurement.h"

static int failures;

static void check(bool is_right, const char *what, unsigned kind, unsigned operation, unsigned number)
{
    failures += !is_right;
    printf("%sok kind %u, operation %u, number %u: %s\n", is_right ? "" : "not ", kind, operation, number, what);
}

static bool count_step(void *steps, const struct micro_event *event)
{
    (void)event;
    ++*(uint64_t *)steps;
    return true;
}

static bool same_registers(const struct micro_bench *bench, const struct micro_state *ran,
                           const struct micro_state *walked)
{
    enum micro_case_kind const kind = bench->what->kind;
    bool const is_branch = kind == CASE_BRANCH || kind == CASE_PERIOD;
    bool const is_stream = kind == CASE_READ || kind == CASE_WRITE || kind == CASE_COPY;

    if (ran->count != 0 || walked->count != 0)
        return false;
    for (unsigned r = 0; r < (bench->has_slots ? 0 : is_branch ? 4 : bench->ring_chains); r++)
        if (ran->r[r] != walked->r[r])
            return false;
    return (!is_branch || ran->r[6] == walked->r[6])
        && (!is_stream || (ran->r[11] == walked->r[11] && ran->r[12] == walked->r[12]));
}

static void try_case(struct micro_memory *memory, const struct micro_case *what)
{
    enum { SOME_ITERATIONS = 7 };
    static uint8_t before[SCRATCH_BYTES];
    struct micro_state ran, walked;
    struct micro_bench bench;
    uint64_t slots[RING_CHAINS];
    uint64_t steps = 0;

    if (micro_bench_make(&bench, what, memory).kind != FAULT_NONE) {
        check(false, "it is made", what->kind, what->operation, what->number);
        return;
    }
    micro_bench_before(&bench);
    ran = bench.state;
    ran.count = bench.iterations > 0 ? bench.iterations : SOME_ITERATIONS;
    walked = ran;
    memcpy(before, memory->scratch, sizeof before);
    micro_run(&bench.code, &ran);
    for (unsigned c = 0; c < RING_CHAINS; c++)
        memcpy(&slots[c], memory->scratch + SLOT_BYTES * c, sizeof slots[c]);
    memcpy(memory->scratch, before, sizeof before);
    micro_walk(&bench.code, &walked, count_step, &steps);
    check(steps > SOME_ITERATIONS && same_registers(&bench, &ran, &walked), "run and walked through alike", what->kind,
          what->operation, what->number);
    for (unsigned c = 0; bench.has_slots && c < bench.ring_chains; c++)
        if (memcmp(&slots[c], memory->scratch + SLOT_BYTES * c, sizeof slots[c]) != 0)
            check(false, "the same places of rings", what->kind, what->operation, c);
    micro_bench_free(&bench);
}

static void try_all(struct micro_memory *memory)
{
    static const struct micro_case cases[] = {
        {.kind = CASE_FORWARD}, {.kind = CASE_FORWARD, .number = 1}, {.kind = CASE_FORWARD, .number = 2},
        {.kind = CASE_FORWARD, .number = 3}, {.kind = CASE_CHASE, .bytes = 64 << 10, .chains = 1},
        {.kind = CASE_CHASE, .bytes = 1 << 20, .chains = 8}, {.kind = CASE_CHASE, .bytes = 1 << 20, .chains = 32},
        {.kind = CASE_PAGES, .number = 64}, {.kind = CASE_LINES, .number = 64},
        {.kind = CASE_WAYS, .number = 8, .bytes = 64 << 10}, {.kind = CASE_STRIDE, .number = 256, .bytes = 8 << 20},
        {.kind = CASE_READ, .bytes = 8 << 10}, {.kind = CASE_READ, .bytes = 128 << 10},
        {.kind = CASE_WRITE, .bytes = 128 << 10}, {.kind = CASE_COPY, .bytes = 128 << 10}, {.kind = CASE_BRANCH},
        {.kind = CASE_BRANCH, .number = 1}, {.kind = CASE_PERIOD, .number = 16}, {.kind = CASE_CODE, .bytes = 64 << 10},
        {.kind = CASE_JUMPS, .number = 100}, {.kind = CASE_FETCH, .bytes = 64 << 10}
    };
    static const enum micro_operation fillers[] = {MICRO_OPERATION_COUNT, MICRO_ADD, MICRO_VADD, MICRO_OR, MICRO_LOAD,
                                                   MICRO_STORE};

    for (enum micro_operation operation = 0; operation < MICRO_SKIP; operation++)
        for (unsigned chains = 0; chains < 2; chains++)
            if (operation != MICRO_JUMP && operation != MICRO_TEST && operation != MICRO_LOAD4
                && operation != MICRO_STORE4)
                try_case(memory, &(struct micro_case){.kind = CASE_OPERATION, .operation = operation,
                                                      .chains = chains});
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++)
        try_case(memory, &(struct micro_case){.kind = CASE_WINDOW, .operation = fillers[i], .number = 100,
                                              .bytes = 1 << 20});
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        try_case(memory, &cases[i]);
}

/* Cycles of an emulator mean nothing; that there are some, does. */
static void try_measurement(void)
{
    struct measurement_options how = measurement_usual(1);
    struct measurement measurement;

    how.memory_bytes = 1 << 20;
    how.most_s = 1;
    if (measurement_begin(&measurement, &how).kind != FAULT_NONE) {
        check(false, "a measurement begins", 0, 0, 0);
        return;
    }
    measurement_add(&measurement, &(struct micro_case){.kind = CASE_OPERATION, .operation = MICRO_MUL, .chains = 1},
                    "mul_lat");
    measurement_add(&measurement, &(struct micro_case){.kind = CASE_CHASE, .chains = 1, .bytes = 16 << 10},
                    "chase 16K");
    check(measurement_run(&measurement, 0, 1, 1).kind == FAULT_NONE, "a measurement ends", 0, 0, 0);
    for (size_t i = 0; i < measurement.count; i++)
        check(passes_value(&measurement.list[i].cycles) > 0 || measurement.list[i].missing, measurement.list[i].name,
              measurement.list[i].what.kind, measurement.list[i].what.operation, 0);
    printf("# clock %.3f GHz by %s, %u cores\n", 1e-9 * measurement_clock_hz(&measurement),
           measurement.host.counter_name, measurement.host.core_count);
    measurement_end(&measurement);
}

int main(void)
{
    struct micro_memory memory;

    if (micro_memory_make(&memory, 8 << 20, 8 << 20, false).kind != FAULT_NONE)
        return 2;
    try_all(&memory);
    micro_memory_free(&memory);
    try_measurement();
    return failures > 0;
}
