/* A record of each step that may be undone holds the overwritten state: at most a register, up to 8 bytes of memory,
 * and the small rest. */
#include "replay/detailed/rv64/rv64_machine.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/isa/isa_build.h"

enum { FIRST_ROOM = 1024, COMPRESSED = 1 << 16 };

struct machine_record {
    uint64_t value;                      /* of the register */
    uint64_t address, stored;            /* the overwritten bytes; of a call: the kernel's state */
    uint64_t reservation;
    uint32_t fcsr;
    uint8_t result, bytes;               /* 0: none */
    bool is_call;
};

struct machine *machine_new(struct fault *fault)
{
    struct machine *const machine = calloc(1, sizeof *machine);

    if (machine) {
        machine->records = malloc(FIRST_ROOM * sizeof *machine->records);
        machine->expanded = calloc(COMPRESSED, sizeof *machine->expanded);
        machine->room = FIRST_ROOM;
        machine->reservation = UINT64_MAX;
        machine->pages = &machine->own_pages;
    }
    if (machine && machine->records && machine->expanded)
        return machine;
    *fault = fault_make(FAULT_MEMORY, "out of memory for the values of wrong paths");
    machine_free(machine);
    return NULL;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    pages_free(&machine->own_pages);
    free(machine->records);
    free(machine->expanded);
    free(machine);
}

void machine_share(struct machine *machine, struct pages *pages)
{
    machine->pages = pages;
}

bool machine_has_failed(const struct machine *machine)
{
    return machine->has_failed || machine->pages->has_failed;
}

static bool machine_grow(struct machine *machine)
{
    struct machine_record *const more = malloc(2 * machine->room * sizeof *more);

    if (!more) {
        machine->has_failed = true;
        return false;
    }
    for (uint64_t i = machine->released; i < machine->position; i++)
        more[i & (2 * machine->room - 1)] = machine->records[i & (machine->room - 1)];
    free(machine->records);
    machine->records = more;
    machine->room *= 2;
    return true;
}

static void apply(struct machine *machine, const struct effect *effect, struct machine_record *record)
{
    record->result = effect->result;
    record->value = machine->registers[effect->result];
    record->reservation = machine->reservation;
    record->fcsr = machine->fcsr;
    record->bytes = 0;
    record->is_call = false;
    if (effect->stores && !effect->faults) {
        record->bytes = effect->access_bytes;
        record->address = effect->address;
        record->stored = pages_read(machine->pages, effect->address, effect->access_bytes);
        pages_write(machine->pages, effect->address, effect->access_bytes, effect->stored);
    }
    if (effect->result != 0)
        machine->registers[effect->result] = effect->value;
    machine->reservation = effect->reservation;
    machine->fcsr = effect->fcsr;
}

static void call(struct machine *machine, const struct machine_truth *truth, struct machine_record *record)
{
    uint64_t result;

    record->is_call = true;
    record->address = machine->kernel.break_at;
    record->stored = machine->kernel.map_at;
    record->result = MACHINE_A0;
    record->value = machine->registers[MACHINE_A0];
    machine->figures.system_calls++;
    machine->kernel.calls++;
    result = machine_call(machine, truth);
    machine_call_writes(machine, truth->has_result ? truth->result : result);
    machine->registers[MACHINE_A0] = truth->has_result ? truth->result : result;
}

static inline uint32_t whole(struct machine *machine, uint32_t bits)
{
    uint32_t *const expanded = &machine->expanded[bits & (COMPRESSED - 1)];

    if (*expanded == 0)
        *expanded = rv64_expand((uint16_t)bits);
    return *expanded;
}

void machine_step(struct machine *machine, const struct machine_insn *insn, const struct machine_truth *truth,
                  struct machine_result *result)
{
    uint32_t const bits = insn->size_bytes == 2 ? whole(machine, insn->bits) : insn->bits;
    struct machine_record *record;
    struct effect effect;

    if (machine->position - machine->released >= machine->room && !machine_grow(machine))
        machine->released++;
    record = &machine->records[machine->position & (machine->room - 1)];
    execute(machine, insn, bits, truth, &effect);
    apply(machine, &effect, record);
    if (effect.is_call && truth)
        call(machine, truth, record);
    machine->figures.steps += truth != NULL;
    machine->position++;
    *result = (struct machine_result){effect.next_pc, effect.address, effect.access_bytes, effect.faults};
}

void machine_undo(struct machine *machine, uint64_t position)
{
    assert(position >= machine->released && position <= machine->position);
    while (machine->position > position) {
        const struct machine_record *const record = &machine->records[--machine->position & (machine->room - 1)];

        machine->registers[record->result] = record->value;
        machine->reservation = record->reservation;
        machine->fcsr = record->fcsr;
        if (record->is_call)
            machine->kernel.break_at = record->address, machine->kernel.map_at = record->stored,
            machine->kernel.calls--;
        else if (record->bytes > 0)
            pages_write(machine->pages, record->address, record->bytes, record->stored);
    }
}

void machine_release(struct machine *machine, uint64_t position)
{
    assert(position <= machine->position);
    if (position > machine->released)
        machine->released = position;
}
