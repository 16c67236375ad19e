#include "sweep/measure/micro_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "proto/insn/rbt/rbt_writer.h"
#include "replay/session/session.h"

#define CODE_BASE 0x400000u
#define REFILL_BASE 0x8000000u
#define LARGE_BASE 0x200000000u
#define SMALL_BASE 0x100000000u
#define SCRATCH_BASE 0x80000000u

enum {
    MEASURED_INSTRUCTIONS = 12000, MEASURED_LOADS = 4000, LEAST_ITERATIONS = 2, REFILL_UNROLLED = 8,
    TABLE_LINE_REACH = 8 * 4096          /* of a line of page tables, which a host that runs for long has in caches */
};

struct micro_writer {
    struct rbt_writer *writer;
    const struct micro_code *code;
    const struct micro_memory *memory;
    uint64_t code_base, refill_bytes;
    uint32_t thread;
    uint64_t put;
    uint8_t *seen;                       /* of each step: its bytes were put */
    struct fault fault;
};

/* ---- addresses */
static bool move_into(uint64_t *address, const uint8_t *from, uint64_t bytes, uint64_t to)
{
    uint64_t const base = (uint64_t)(uintptr_t)from;

    if (*address < base || *address - base >= bytes)
        return false;
    *address += to - base;
    return true;
}

static uint64_t traced_address(const struct micro_memory *memory, uint64_t address)
{
    if (!move_into(&address, memory->large, memory->large_bytes, LARGE_BASE)
        && !move_into(&address, memory->small, memory->small_bytes, SMALL_BASE))
        move_into(&address, memory->scratch, SCRATCH_BYTES, SCRATCH_BASE);
    return address;
}

/* ---- instructions */
static void fill_branch(struct insn *insn, const struct micro_writer *writer, const struct micro_event *event)
{
    const struct micro_step *const step = event->step;
    uint32_t const at = (uint32_t)(step - writer->code->steps);
    bool const is_sure = step->effect == MICRO_JUMPS, is_taken = is_sure || event->next != at + 1;

    if (step->effect < MICRO_JUMPS)
        return;
    insn->kind = is_sure ? ISA_DIRECT_JUMP : ISA_CONDITIONAL;
    insn->branch = is_taken ? INSN_TAKEN : INSN_NOT_TAKEN;
    insn->has_target = is_taken;
    insn->target = writer->code_base + (event->next < writer->code->step_count
                                            ? writer->code->steps[event->next].offset : writer->code->length);
}

static bool put_event(void *context, const struct micro_event *event)
{
    struct micro_writer *const writer = context;
    const struct micro_step *const step = event->step;
    size_t const at = (size_t)(step - writer->code->steps);
    struct insn_access const access = {
        .address = traced_address(writer->memory, event->address), .size_bytes = step->access_bytes,
        .is_write = step->effect == MICRO_STORES
    };
    struct insn insn = {
        .thread = 1, .pc = writer->code_base + step->offset, .size_bytes = step->size_bytes, .kind = ISA_OTHER,
        .accesses = &access, .access_count = step->access_bytes ? 1 : 0
    };

    fill_branch(&insn, writer, event);
    if (!writer->seen[at]) {
        writer->seen[at] = 1;
        insn.encoding_bytes = step->size_bytes;
        memcpy(insn.encoding, writer->code->bytes + step->offset, step->size_bytes);
    }
    writer->fault = rbt_writer_put(writer->writer, writer->thread, &insn, NULL);
    writer->put++;
    return writer->fault.kind == FAULT_NONE;
}

static void walk(struct micro_writer *writer, const struct micro_code *code, uint64_t code_base,
                 struct micro_state *state)
{
    uint8_t *const seen = calloc(code->step_count + 1, 1);

    if (!seen) {
        writer->fault = fault_memory("measure", "a trace");
        return;
    }
    writer->code = code;
    writer->code_base = code_base;
    writer->seen = seen;
    micro_walk(code, state, put_event, writer);
    free(seen);
    writer->seen = NULL;
}

/* ---- warming up */
/* Reads that touch each line of the footprint once. */
static void walk_refill(struct micro_writer *writer, uint64_t base, uint64_t bytes, uint64_t step)
{
    unsigned const unrolled = bytes / step % REFILL_UNROLLED == 0 ? REFILL_UNROLLED : 1;
    struct micro_state state = {.r = {[6] = base}, .count = bytes / step / unrolled};
    struct micro_code code;
    struct fault fault = micro_begin(&code, 4096);

    if (fault.kind == FAULT_NONE) {
        for (unsigned i = 0; i < unrolled; i++)
            micro_put(&code, MICRO_LOAD, 5, 6, (int32_t)(i * step));
        micro_put(&code, MICRO_ADD, 6, 0, (int32_t)(unrolled * step));
        fault = micro_end(&code);
    }
    if (fault.kind == FAULT_NONE)
        walk(writer, &code, REFILL_BASE, &state);
    else
        writer->fault = fault;
    micro_free(&code);
}

static void warm_up(struct micro_writer *writer, const struct micro_bench *bench)
{
    const struct micro_case *const what = bench->what;
    uint64_t const base = (uint64_t)(uintptr_t)micro_ring_base(bench->memory, bench->memory->ring);

    switch (what->kind) {
    case CASE_CHASE: case CASE_READ: case CASE_WRITE: case CASE_COPY: case CASE_STRIDE: case CASE_WINDOW:
        if (what->bytes <= writer->refill_bytes)
            walk_refill(writer, (uint64_t)(uintptr_t)bench->memory->large,
                        what->bytes * (what->kind == CASE_COPY ? 2 : 1), RING_LINE);
        else
            walk_refill(writer, (uint64_t)(uintptr_t)bench->memory->large, what->bytes, TABLE_LINE_REACH);
        break;
    case CASE_PAGES: walk_refill(writer, base, (uint64_t)what->number * 4096, 4096); break;
    case CASE_BRANCH: case CASE_PERIOD:
        walk_refill(writer, (uint64_t)(uintptr_t)bench->memory->scratch, SCRATCH_BYTES / 2, RING_LINE);
        break;
    case CASE_LINES: walk_refill(writer, base, (uint64_t)what->number * RING_LINE, RING_LINE); break;
    default: break;
    }
}

/* ---- a trace */
/* On the host, too, a pass begins right behind the reads. */
static bool is_refilled(const struct micro_writer *writer, const struct micro_bench *bench)
{
    return bench->refill_bytes > 0 && bench->what->bytes <= writer->refill_bytes;
}

static uint64_t traced_iterations(const struct micro_writer *writer, const struct micro_bench *bench)
{
    /* Loads that wait for memory take hundreds of cycles each. */
    bool const is_slow = (bench->what->kind == CASE_CHASE || bench->what->kind == CASE_STRIDE)
        && !is_refilled(writer, bench);
    uint64_t const most = is_slow ? MEASURED_LOADS : MEASURED_INSTRUCTIONS;
    uint64_t const wanted = max_u64(most / bench->code.step_count, LEAST_ITERATIONS);

    return bench->iterations > 0 ? min_u64(wanted, bench->iterations) : wanted;
}

static void walk_bench(struct micro_writer *writer, struct micro_trace *trace, struct micro_bench *bench)
{
    uint64_t const iterations = traced_iterations(writer, bench);
    struct micro_state state;

    warm_up(writer, bench);
    for (int part = 0; part < 2 && writer->fault.kind == FAULT_NONE; part++) {
        trace->warm_instructions = writer->put;
        micro_bench_before(bench);
        state = bench->state;
        state.count = part == 0 && is_refilled(writer, bench) ? LEAST_ITERATIONS : iterations;
        walk(writer, &bench->code, CODE_BASE, &state);
        micro_bench_after(bench, &state);
    }
    trace->operations = bench->operations * (double)iterations;
}

struct fault micro_trace_write(struct micro_trace *trace, const char *path, const struct micro_case *what,
                               struct micro_memory *memory, uint64_t refill_bytes)
{
    struct rbt_description const description = {.isa = micro_isa(), .source = "microbenchmark", .command = "",
                                                .is_quick = true};
    struct micro_case const read = {.kind = CASE_READ, .bytes = memory->large_bytes};
    bool const is_of_cores = what->kind == CASE_CORES;
    struct micro_writer writer = {.memory = memory, .refill_bytes = refill_bytes};
    struct micro_bench bench;
    struct fault finished;

    *trace = (struct micro_trace){.path = path, .cores = is_of_cores ? what->number : 1};
    memory->place = 0;
    FORWARD(micro_bench_make(&bench, is_of_cores ? &read : what, memory));
    writer.writer = rbt_writer_create(path, &description, &writer.fault);
    if (writer.writer) {
        writer.thread = rbt_writer_thread(writer.writer, 1, &writer.fault);
        if (writer.fault.kind == FAULT_NONE)
            walk_bench(&writer, trace, &bench);
        if (writer.fault.kind == FAULT_NONE && FAILS(finished, rbt_writer_finish(writer.writer)))
            writer.fault = finished;
        else if (writer.fault.kind != FAULT_NONE)
            rbt_writer_abandon(writer.writer);
    }
    micro_bench_free(&bench);
    return writer.fault;
}

/* ---- a replay */
static void take_cycles(void *context, const char *name, double value)
{
    static const char core[] = "system.cpu";
    double *const cycles = context;

    if (strncmp(name, core, sizeof core - 1) == 0
        && strcmp(name + sizeof core - 1 + strspn(name + sizeof core - 1, "0123456789"), ".numCycles") == 0)
        *cycles = fmax(*cycles, value);
}

static struct fault run(const struct micro_trace *trace, const struct system_config *config,
                        struct workload *workload, double *cycles)
{
    struct session_request request = {.config = config, .workload = workload, .limits = session_no_limits(),
                                      .engine = engine_fast(), .has_stats = true};
    struct session_outputs const outputs = {.context = NULL};
    struct session *session;
    struct fault fault;

    request.limits.warmup_records = trace->warm_instructions;
    fault = session_open(&session, &request);
    if (fault.kind == FAULT_NONE)
        fault = session_run(session, &outputs);
    if (fault.kind == FAULT_NONE)
        fault = session_visit_stats(session, NULL, take_cycles, cycles);
    session_close(session);
    return fault;
}

struct fault micro_replay(const struct micro_trace *trace, const struct system_config *config, double *cycles)
{
    struct workload workload = {0};
    const char *paths[MICRO_MOST_CORES];
    double total = (double)NAN;
    struct fault fault;

    for (unsigned i = 0; i < trace->cores && i < MICRO_MOST_CORES; i++)
        paths[i] = trace->path;
    fault = workload_find(&workload, "microbenchmark", paths, trace->cores, NULL);

    if (fault.kind == FAULT_NONE)
        fault = run(trace, config, &workload, &total);
    workload_close(&workload);
    *cycles = total / trace->operations / trace->cores;
    return fault;
}
