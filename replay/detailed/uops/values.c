#include "replay/detailed/uops/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "replay/detailed/rv64/rv64_machine.h"

#define IS_STEP (UINT64_C(1) << 63)      /* in a state: it is behind a step; else a number of the right path */

enum { RELEASE_EACH = 256, FIRST_STEPS = 256 };

struct step {
    struct supply_insn insn;             /* first: who holds knows this one */
    struct supply_access access;
    uint32_t holders;
    struct step *next;                   /* of those that are free */
};

struct call_result {
    uint64_t number, result;
    bool is_thread;                      /* the result is the id of a thread that it created */
};

struct new_thread {
    uint64_t id, registers[MACHINE_REGISTERS];
};

struct values_memory {
    struct pages pages;
    struct new_thread *threads;          /* that were created */
    size_t thread_count;
};

struct values {
    struct machine *machine;
    struct values_memory *memory;        /* NULL: its own */
    const struct ring *ring;
    struct places *places;
    uint64_t done;                       /* instructions of the ring that are executed */
    struct step **steps;                 /* of the wrong path, behind `done` */
    size_t count, room;
    struct call_result *results;         /* of system calls in the ring, and of some before */
    size_t result_count, result_room;
    uint64_t last_id;
    struct step *free;
    struct arena arena;
    bool has_begun;                      /* with the trace's first instruction */
    bool is_off, has_failed;
};

struct values_memory *values_memory_new(struct fault *fault)
{
    struct values_memory *const memory = calloc(1, sizeof *memory);

    if (!memory)
        *fault = fault_make(FAULT_MEMORY, "out of memory for the values of wrong paths");
    return memory;
}

void values_memory_free(struct values_memory *memory)
{
    if (!memory)
        return;
    pages_free(&memory->pages);
    free(memory->threads);
    free(memory);
}

static const struct new_thread *find_thread(const struct values_memory *memory, uint64_t id)
{
    for (size_t i = memory->thread_count; i-- > 0;)
        if (memory->threads[i].id == id)
            return &memory->threads[i];
    return NULL;
}

/* The state at the beginning of the trace, or of a thread in it. */
static void start(struct values *values, const struct insn_trace *trace, size_t thread)
{
    const struct insn_program *const program = insn_trace_program(trace);
    uint64_t const id = insn_trace_thread(trace, thread)->id;
    const struct new_thread *created;

    if (values->memory)
        machine_share(values->machine, &values->memory->pages);
    if (thread == 0) {
        if (values->memory) {
            pages_free(&values->memory->pages);
            values->memory->thread_count = 0;
        }
        machine_start(values->machine, program);
        return;
    }
    created = values->memory ? find_thread(values->memory, id) : NULL;
    values->has_begun = true;
    machine_start_thread(values->machine, program, id, created ? created->registers : NULL);
}

struct values *values_open(const struct insn_trace *trace, size_t thread, struct ring *ring, struct places *places,
                           struct values_memory *memory, struct fault *fault)
{
    const struct insn_program *const program = insn_trace_program(trace);
    struct values *const values = program ? calloc(1, sizeof *values) : NULL;

    if (!program)
        return NULL;
    if (values) {
        values->ring = ring;
        values->places = places;
        values->memory = memory;
        values->room = FIRST_STEPS;
        values->steps = malloc(FIRST_STEPS * sizeof *values->steps);
        values->machine = machine_new(fault);
    }
    if (values && values->steps && values->machine) {
        start(values, trace, thread);
        return values;
    }
    *fault = fault_make(FAULT_MEMORY, "out of memory for the values of wrong paths");
    values_close(values);
    return NULL;
}

void values_close(struct values *values)
{
    if (!values)
        return;
    machine_free(values->machine);
    arena_free(&values->arena);
    free(values->steps);
    free(values->results);
    free(values);
}

const struct machine_figures *values_figures(const struct values *values)
{
    return &values->machine->figures;
}

bool values_has_failed(const struct values *values)
{
    return values->has_failed || machine_has_failed(values->machine);
}

/* ---- the wrong path */

void values_hold(struct values *values, const struct supply_insn *insn, bool drops)
{
    struct step *const step = (struct step *)(uintptr_t)insn;

    if (!drops) {
        step->holders++;
    } else if (--step->holders == 0) {
        step->next = values->free;
        values->free = step;
    }
}

/* All but the first `count` steps are taken back. */
static void take_back(struct values *values, size_t count)
{
    if (values->count <= count)
        return;
    while (values->count > count)
        values_hold(values, &values->steps[--values->count]->insn, true);
    machine_undo(values->machine, values->done + count);
}

static struct step *new_step(struct values *values)
{
    struct step *step = values->free;

    if (!list_fit(&values->steps, values->count + 1, &values->room, sizeof(struct step *)))
        return NULL;
    if (step)
        values->free = step->next;
    else
        step = arena_take(&values->arena, sizeof *step);
    return step;
}

static void set_access(struct values *values, const struct machine_result *result, struct supply_access *access)
{
    *access = (struct supply_access){.address = result->address, .size_bytes = result->size_bytes,
                                     .faults = result->faults};
    access->has_place = !result->faults && places_find(values->places, result->address, &access->place);
}

static const struct supply_insn *values_execute(struct values *values, const struct supply_insn *what, uint64_t state)
{
    struct machine_insn const insn = {what->pc, what->encoding, what->size_bytes};
    struct step *const step = new_step(values);
    struct machine_result result;

    if (!step) {
        values->has_failed = true;
        return NULL;
    }
    machine_step(values->machine, &insn, NULL, &result);
    step->insn = *what;
    step->insn.has_values = true;
    step->insn.is_counted = true;
    step->insn.before = state;
    step->insn.state = IS_STEP | ++values->last_id;
    step->holders = 1;
    if ((what->uops[what->uop_count - 1].flags & UOP_CONTROL) != 0) {
        step->insn.next_pc = result.next_pc;
        step->insn.is_taken = result.next_pc != what->pc + what->size_bytes;
    }
    if (what->access_count > 0 && result.size_bytes > 0) {
        step->insn.accesses = &step->access;
        step->insn.access_count = 1;
        set_access(values, &result, &step->access);
    }
    values->steps[values->count++] = step;
    return &step->insn;
}

/* ---- the right path */

static void values_look_ahead(const struct values *values, uint64_t ahead[SUPPLY_AHEAD], struct machine_truth *truth)
{
    truth->ahead = ahead;
    for (uint64_t n = values->done + 1; n < values->ring->count && n <= values->done + SUPPLY_AHEAD; n++) {
        const struct supply_insn *const insn = ring_at(values->ring, n);

        if (insn->access_count > 0)
            ahead[truth->ahead_count++] = insn->accesses[0].address;
    }
}

void values_mark(struct values *values, const struct insn_marker *marker)
{
    size_t old = 0;

    if (marker->kind != INSN_MARKER_SYSCALL_END && marker->kind != INSN_MARKER_CREATE)
        return;
    while (old < values->result_count && values->results[old].number < values->ring->first)
        old++;
    memmove(values->results, values->results + old, (values->result_count - old) * sizeof *values->results);
    values->result_count -= old;
    if (list_fit(&values->results, values->result_count + 1, &values->result_room, sizeof *values->results))
        values->results[values->result_count++] =
            (struct call_result){values->ring->count, marker->value, marker->kind == INSN_MARKER_CREATE};
    else
        values->has_failed = true;
}

static void find_result(const struct values *values, struct machine_truth *truth)
{
    for (size_t i = 0; i < values->result_count && !truth->has_result; i++) {
        truth->has_result = values->results[i].number == values->done && !values->results[i].is_thread;
        truth->result = values->results[i].result;
    }
}

/* The system call that is executed next may create one. */
static void keep_thread(struct values *values)
{
    struct values_memory *const memory = values->memory;

    for (size_t i = 0; i < values->result_count && memory; i++) {
        if (values->results[i].number != values->done || !values->results[i].is_thread)
            continue;
        if (!list_fit_next(&memory->threads, memory->thread_count, sizeof *memory->threads)) {
            values->has_failed = true;
            return;
        }
        memory->threads[memory->thread_count].id = values->results[i].result;
        machine_thread_registers(values->machine, memory->threads[memory->thread_count++].registers);
    }
}

bool values_have(const struct values *values, const struct supply_access *access)
{
    return pages_have(values->machine->pages, access->address, access->size_bytes);
}

/* Accesses to memory that the previous system call mapped are no first touches. */
static void forget_first_touches(struct values *values)
{
    for (uint64_t n = values->done; n < values->ring->count; n++) {
        const struct supply_insn *const insn = ring_at(values->ring, n);
        struct supply_access *const access = (struct supply_access *)(uintptr_t)insn->accesses;

        if (insn->access_count > 0 && access->is_first_touch && values_have(values, access))
            access->is_first_touch = false;
    }
}

static bool is_system_call(const struct supply_insn *insn)
{
    return (insn->uops[0].flags & UOP_TRAP) != 0;
}

static void execute_right(struct values *values)
{
    const struct supply_insn *const next = ring_at(values->ring, values->done);
    struct machine_insn const insn = {next->pc, next->encoding, next->size_bytes};
    struct machine_truth truth = {.next_pc = next->next_pc};
    bool const is_call = is_system_call(next);
    struct machine_result result;
    uint64_t ahead[SUPPLY_AHEAD];

    if (!values->has_begun) {
        values->has_begun = true;
        values->is_off = !machine_lead_in(values->machine, next->pc);
        values->machine->figures.begins_elsewhere = values->is_off;
    }
    if (next->access_count > 0 && next->accesses[0].size_bytes > 0) {
        truth.has_access = true;
        truth.address = next->accesses[0].address;
    }
    if (is_call) {
        values_look_ahead(values, ahead, &truth);
        find_result(values, &truth);
        keep_thread(values);
    }
    machine_step(values->machine, &insn, &truth, &result);
    values->done++;
    if (is_call)
        forget_first_touches(values);
}

/* Number of the ring that comes next. */
static void go_to(struct values *values, uint64_t number)
{
    take_back(values, 0);
    if (number < values->done) {
        machine_undo(values->machine, number);
        values->done = number;
    }
    while (values->done < number)
        execute_right(values);
}

void values_release(struct values *values, uint64_t number)
{
    if (number > values->done) {
        take_back(values, 0);
        while (values->done < number) {
            execute_right(values);
            if (values->done % RELEASE_EACH == 0)
                machine_release(values->machine, values->done);
        }
    }
    machine_release(values->machine, number);
    /* A system call at the head of the ROB takes place now: nothing behind it was executed yet. */
    if (values->count == 0 && number + 1 < values->ring->count && values->done < number + 2
        && is_system_call(ring_at(values->ring, number + 1)))
        go_to(values, number + 2);
}

/* ---- states */

/* How many steps lead to the state, which the machine can take; false: it is not known. */
static bool find_state(struct values *values, uint64_t state, uint64_t base, size_t *steps)
{
    *steps = 0;
    if ((state & IS_STEP) == 0) {
        if (base + state > values->ring->count)
            return false;
        if (base + state != values->done)
            go_to(values, base + state);
        return true;
    }
    for (*steps = values->count; *steps > 0 && values->steps[*steps - 1]->insn.state > state;)
        --*steps;
    return *steps > 0 && values->steps[*steps - 1]->insn.state == state;
}

const struct supply_insn *values_wrong(struct values *values, const struct supply_insn *what, uint64_t state,
                                       uint64_t base)
{
    size_t steps;

    if (state == SUPPLY_NO_STATE || values->is_off || !find_state(values, state, base, &steps))
        return NULL;
    if (steps < values->count && values->steps[steps]->insn.pc == what->pc) {
        take_back(values, steps + 1);
        return &values->steps[steps]->insn;
    }
    take_back(values, steps);
    return values_execute(values, what, state);
}
