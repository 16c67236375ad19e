/* From traced to issued instructions (gpu-traces 7, 10).
 *
 * Modelled: the unit by class, with the classes' own latency and interval; half precision at half the interval. A GPU
 * without a unit for double precision has it done by the special function unit, one without integer units by the
 * single precision unit, all else that lacks a unit by integer, in integer's time. Not modelled: untraced state,
 * such as predicates and the upper registers of wide operands. */
#include <string.h>

#include "replay/gpu/gpu_machine.h"

#include "base/list.h"

static const uint8_t unit_of_class[GPU_CLASS_COUNT] = {
    [GPU_CLASS_ALU] = GPU_UNIT_INT,
    [GPU_CLASS_INT] = GPU_UNIT_INT,
    [GPU_CLASS_SP] = GPU_UNIT_SP,
    [GPU_CLASS_DP] = GPU_UNIT_DP,
    [GPU_CLASS_SFU] = GPU_UNIT_SFU,
    [GPU_CLASS_TENSOR] = GPU_UNIT_TENSOR,
    [GPU_CLASS_BRANCH] = GPU_UNIT_BRANCH,
    [GPU_CLASS_TEXTURE] = GPU_UNIT_TEXTURE,
    [GPU_CLASS_UNIFORM] = GPU_UNIT_UNIFORM,
    [GPU_CLASS_CONSTANT] = GPU_UNIT_INT,
    [GPU_CLASS_SCALAR] = GPU_UNIT_UNIFORM,
    [GPU_CLASS_MISC] = GPU_UNIT_INT,
};

static bool is_access(const struct gpu_static *inst, const struct gpu_opcode *opcode)
{
    switch (opcode->cls) {
    case GPU_CLASS_LOAD:
    case GPU_CLASS_STORE:
    case GPU_CLASS_ATOMIC:
        return inst->width_bytes > 0 && opcode->space != GPU_SPACE_NONE && opcode->space != GPU_SPACE_CONSTANT;
    default:
        return false;
    }
}

static void decode_unit(const struct gpu_params *params, const struct gpu_opcode *opcode, struct gpu_decoded *decoded)
{
    unsigned unit = unit_of_class[opcode->cls], timing = unit;

    if (params->units[unit].count == 0 && unit == GPU_UNIT_DP) {
        unit = params->units[GPU_UNIT_SFU].count ? GPU_UNIT_SFU : GPU_UNIT_INT;
    } else if (params->units[unit].count == 0 && unit != GPU_UNIT_INT) {
        decoded->is_fallback = unit == GPU_UNIT_TENSOR || unit == GPU_UNIT_TEXTURE;
        unit = timing = GPU_UNIT_INT;
    }
    if (params->units[unit].count == 0)
        unit = GPU_UNIT_SP;
    decoded->port = (uint8_t)unit;
    decoded->latency_cyc = (uint32_t)params->units[timing].latency_cyc;
    decoded->interval_cyc = (uint32_t)params->units[timing].interval_cyc;
    if (opcode->is_half && decoded->interval_cyc > 1)
        decoded->interval_cyc /= 2;
}

static void decode_action(const struct gpu_params *params, const struct gpu_static *inst,
                          const struct gpu_opcode *opcode, struct gpu_decoded *decoded)
{
    decoded->action = GPU_EXECUTE;
    decoded->port = GPU_PORT_NONE;
    decoded->latency_cyc = decoded->interval_cyc = 1;
    if (opcode->is_commit_group) {
        decoded->action = GPU_COMMIT_GROUP;
    } else if (opcode->is_wait_group) {
        decoded->action = GPU_WAIT_GROUP;
        decoded->groups = (uint8_t)(inst->immediate < 0 || inst->immediate > GPU_COPY_GROUPS ? GPU_COPY_GROUPS
                                                                                             : inst->immediate);
    } else if (opcode->cls == GPU_CLASS_BARRIER) {
        decoded->action = opcode->does_not_wait ? GPU_ARRIVE : GPU_BARRIER;
        decoded->ends_issue = true;
    } else if (opcode->cls == GPU_CLASS_MEMBAR) {
        decoded->action = GPU_FENCE;
    } else if (opcode->cls == GPU_CLASS_WAIT) {
        decoded->action = GPU_WAIT;
    } else if (opcode->cls == GPU_CLASS_EXIT) {
        decoded->action = GPU_EXIT;
        decoded->ends_issue = true;
    } else if (is_access(inst, opcode)) {
        decoded->action = GPU_ACCESS;
        decoded->port = GPU_PORT_MEMORY;
    } else if (opcode->cls != GPU_CLASS_LOAD && opcode->cls != GPU_CLASS_STORE && opcode->cls != GPU_CLASS_ATOMIC) {
        decode_unit(params, opcode, decoded);
        decoded->ends_issue = opcode->cls == GPU_CLASS_BRANCH;
    } else {
        decode_unit(params, &(struct gpu_opcode){.cls = GPU_CLASS_ALU}, decoded);
    }
}

/* The kernel's list of registers holds each instruction's, without the zero register. */
static void decode_registers(struct gpu_running *running, const struct gpu_static *inst, struct gpu_decoded *decoded)
{
    bool const has_zero = running->kernel.header.isa == GPU_ISA_SASS;
    unsigned const total = (unsigned)inst->destination_count + inst->source_count;

    decoded->registers_at = (uint32_t)running->register_count;
    for (unsigned i = 0; i < total && i < GPU_MAX_REGISTERS; i++) {
        uint16_t const number = inst->registers[i];

        if (number >= GPU_REGISTERS || (has_zero && number == GPU_ZERO_REGISTER))
            continue;
        running->registers[running->register_count++] = number;
        decoded->register_count++;
        if (i < inst->destination_count)
            decoded->destination_count++;
    }
}

/* A load of GCN3 whose traced address is not its own: see gpu_space.c. */
static bool loses_address(const struct gpu_running *running, const struct gpu_static *inst,
                          const struct gpu_opcode *opcode)
{
    const uint16_t *const sources = &inst->registers[inst->destination_count];
    bool has_low = false, has_high = false;

    if (running->kernel.header.isa != GPU_ISA_GCN3 || opcode->cls != GPU_CLASS_LOAD ||
        opcode->space == GPU_SPACE_SHARED || inst->source_count < 2 ||
        inst->destination_count + 2 > GPU_MAX_REGISTERS)
        return false;
    for (unsigned i = 0; i < inst->destination_count; i++) {
        has_low |= inst->registers[i] == sources[0];
        has_high |= inst->registers[i] == sources[1];
    }
    return opcode->space == GPU_SPACE_SCALAR ? has_low || has_high : has_high && !has_low;
}

/* Cycles that reading the sources takes beyond the first: the scheduler's banks give two registers a cycle each. Which
 * registers share a bank does not depend on the warp. */
static uint32_t bank_conflict_cyc(const struct gpu_sm_params *params, const struct gpu_running *running,
                                  const struct gpu_decoded *decoded)
{
    unsigned const banks = (unsigned)max_u64(params->register_banks / params->schedulers, 1);
    unsigned most = 1;

    for (unsigned i = decoded->destination_count; params->register_banks && i < decoded->register_count; i++) {
        const uint16_t *const list = &running->registers[decoded->registers_at];
        unsigned same = 1;

        for (unsigned j = decoded->destination_count; j < i; j++)
            same += list[j] != list[i] && list[j] % banks == list[i] % banks;
        most = same > most ? same : most;
    }
    return (most - 1) / 2;
}

static struct fault fit_statics(struct gpu_machine *machine, struct gpu_running *running)
{
    size_t const wanted = running->kernel.static_count;
    size_t room = running->decoded_room ? running->decoded_room : 256;

    while (room < wanted)
        room *= 2;
    if (room == running->decoded_room)
        return fault_none();
    if (!list_resize(&running->decoded, room, sizeof *running->decoded)
        || !list_resize(&running->registers, room, GPU_MAX_REGISTERS * sizeof *running->registers)
        || (machine->options.pc_counts && !list_resize(&running->pcs, room, sizeof *running->pcs)))
        return fault_make(FAULT_MEMORY, "out of memory for %zu instructions of a kernel", room);
    running->decoded_room = room;
    return fault_none();
}

/* An opcode is named once a run; many of them are no program's, and the first tell enough. */
static void warn_unknown(struct gpu_machine *machine, const struct gpu_running *running, const char *text)
{
    for (unsigned i = 0; i < machine->unknown_count; i++)
        if (strcmp(machine->unknown[i], text) == 0)
            return;
    if (machine->unknown_count == GPU_UNKNOWN_NAMES)
        return;
    memcpy(machine->unknown[machine->unknown_count++], text, sizeof machine->unknown[0]);
    gpu_run_warn(machine->run, "%s: opcode %s is not known; it counts as global memory where it has addresses, as ALU "
                 "elsewhere", running->result->file, text);
}

static void start_pc_counts(const struct gpu_static *inst, const struct gpu_opcode *opcode,
                            struct gpu_pc_counts *counts)
{
    *counts = (struct gpu_pc_counts){.pc = inst->pc, .line = inst->line};
    for (size_t i = 0; i + 1 < sizeof counts->opcode && i < sizeof opcode->text && opcode->text[i]; i++)
        counts->opcode[i] = opcode->text[i];
}

struct fault gpu_decode(struct gpu_machine *machine, struct gpu_running *running)
{
    if (running->decoded_count == running->kernel.static_count)
        return fault_none();
    FORWARD(fit_statics(machine, running));
    for (; running->decoded_count < running->kernel.static_count; running->decoded_count++) {
        const struct gpu_static *const inst = &running->kernel.statics[running->decoded_count];
        const struct gpu_opcode *const opcode = &running->kernel.opcodes[inst->opcode];
        struct gpu_decoded *const decoded = &running->decoded[running->decoded_count];

        *decoded = (struct gpu_decoded){
            .space = opcode->space, .cls = opcode->cls, .past_l1 = opcode->past_l1,
            .is_unknown = !opcode->is_known, .is_copy_to_shared = opcode->is_copy_to_shared,
            .is_scalar = opcode->space == GPU_SPACE_SCALAR, .width_bytes = inst->width_bytes,
            .loses_address = loses_address(running, inst, opcode),
        };
        decode_action(&machine->params, inst, opcode, decoded);
        decode_registers(running, inst, decoded);
        decoded->latency_cyc += bank_conflict_cyc(&machine->params.sm, running, decoded);
        /* Stores, and atomics without a result, write no register. */
        if (opcode->cls == GPU_CLASS_STORE || (opcode->cls == GPU_CLASS_ATOMIC && !opcode->returns))
            decoded->destination_count = 0;
        if (decoded->is_unknown)
            warn_unknown(machine, running, opcode->text);
        if (machine->options.pc_counts)
            start_pc_counts(inst, opcode, &running->pcs[running->decoded_count]);
    }
    return fault_none();
}
