/* Physical registers of the detailed core (o3-core 4.4): which one stands for each that micro-ops name, and which are
 * free.
 *
 * Modelled: registers that a squash returns are free only when its walk is done. Integer registers, and floating-point
 * with vector registers, are counted separately but share one table. By keys, for x86-64 and A64: flags have registers
 * of their own (numPhysCCRegs, gem5's name; AMD's cores have a file for them: Chips and Cheese, "AMD's Zen 4, Part 1"),
 * results that only their own instruction reads take none (temporaryRegs: a load's value goes to the computation of its
 * instruction without being named). A register that several names share is free when the last one is gone. Where names
 * are labels of results and no registers of an instruction set (--model window), one name stands for an integer at one
 * time and a floating-point number at another: a micro-op then gives back as many of a class as it took.
 *
 * What rename does itself (moveElimination, zeroIdioms, nopElimination): register moves, whose destination becomes
 * another name of the source's register; xor of a register with itself and its like, whose results are a register that
 * is always 0; no-ops. Such a micro-op takes a slot of each stage and a ROB entry, no entry of the instruction queue,
 * no unit and no time.
 * Not modelled: miscellaneous registers, which cause no dependences; limits of how many names a register may have
 * (Intel's have some, AMD's are not published).
 * Source: AMD, Software Optimization Guide for Zen 4 (57647), "Zeroing Idioms" and "Zero-Cycle Moves"; Intel's
 * Optimization Manual, "Zero-Latency MOV Instructions"; Arm, Neoverse V2 Software Optimization Guide, "Zero Latency
 * Instructions". */
#include "replay/detailed/detailed_core.h"

static struct rename_history *history_at(struct rename_stage *rename, uint32_t i)
{
    return &rename->history[(rename->history_head + i) & rename->history_mask];
}

static enum register_class class_of_result(const struct detailed_cpu *cpu, const struct inst *inst, unsigned i)
{
    const struct uop *const uop = inst->uop;

    if (cpu->rename.is_shared) {
        if ((uop->temporary_results >> i & 1) != 0 && !cpu->params.temporaries_take)
            return REGISTER_TEMPORARY;
        if ((uop->flag_results >> i & 1) != 0 && cpu->params.flag_registers > 0)
            return REGISTER_FLAG;
    }
    return inst->flags & UOP_FLOAT_RESULT ? REGISTER_FLOAT : REGISTER_INT;
}

/* A name for it is gone. True: it is free, and its class is set. */
static bool is_given_back(struct detailed_cpu *cpu, unsigned reg, uint16_t *class)
{
    struct physical_register *const physical = &cpu->registers[reg];

    if (!cpu->rename.is_shared)
        return true;
    if (physical->sharers > 0) {
        physical->sharers--;
        return false;
    }
    physical->generation++;
    if (reg >= cpu->rename.named && !cpu->rename.has_labels)
        *class = physical->class;
    return true;
}

void registers_undo(struct detailed_cpu *cpu, uint64_t seq)
{
    struct rename_stage *const rename = &cpu->rename;

    while (rename->history_count > 0) {
        const struct rename_history *const last = history_at(rename, rename->history_count - 1);
        uint16_t class = last->class;
        bool is_free;

        if (last->seq <= seq)
            break;
        rename->map[last->reg] = last->before;
        rename->history_count--;
        is_free = is_given_back(cpu, last->now, &class);
        if (is_free)
            rename->free_registers[rename->free_register_count + rename->waiting_registers++] = last->now;
        rename->waiting_of[class] += rename->has_labels ? !last->shares : is_free;
    }
}

void registers_return(struct rename_stage *rename)
{
    rename->free_register_count += rename->waiting_registers;
    rename->waiting_registers = 0;
    for (unsigned class = 0; class < REGISTER_CLASSES; class++) {
        rename->free_of[class] += rename->waiting_of[class];
        rename->waiting_of[class] = 0;
    }
}

void registers_commit(struct detailed_cpu *cpu, uint64_t seq)
{
    struct rename_stage *const rename = &cpu->rename;

    while (rename->history_count > 0 && history_at(rename, 0)->seq <= seq) {
        const struct rename_history *const first = history_at(rename, 0);
        uint16_t class = first->class;
        bool const is_free = is_given_back(cpu, first->before, &class);

        rename->history_head++;
        rename->history_count--;
        rename->free_of[class] += rename->has_labels ? !first->shares : is_free;
        if (is_free) {
            uint32_t const place = rename->free_register_count++;

            /* The waiting registers are above it on the stack. */
            rename->free_registers[place + rename->waiting_registers] = rename->free_registers[place];
            rename->free_registers[place] = first->before;
        }
    }
}

bool registers_suffice(const struct detailed_cpu *cpu, const struct inst *inst)
{
    const struct rename_stage *const rename = &cpu->rename;
    uint32_t needed[REGISTER_CLASSES] = {0};

    if (inst->uop->result_count > rename->free_register_count)
        return false;
    if (!rename->is_shared)
        return inst->uop->result_count
            <= rename->free_of[inst->flags & UOP_FLOAT_RESULT ? REGISTER_FLOAT : REGISTER_INT];
    for (unsigned i = 0; i < inst->uop->result_count; i++) {
        enum register_class const class = class_of_result(cpu, inst, i);

        if (++needed[class] > rename->free_of[class])
            return false;
    }
    return true;
}

void registers_read(struct detailed_cpu *cpu, struct inst *inst)
{
    const struct uop *const uop = inst->uop;

    inst->source_count = uop->source_count;
    for (unsigned i = 0; i < uop->source_count; i++) {
        inst->sources[i] = cpu->rename.map[uop->sources[i]];
        inst->producers[i] = cpu->registers[inst->sources[i]].producer;
    }
}

static void add_history(struct detailed_cpu *cpu, const struct inst *inst, uint16_t reg, uint16_t now, uint16_t class,
                        bool shares)
{
    struct rename_stage *const rename = &cpu->rename;

    assert(rename->history_count <= rename->history_mask);
    *history_at(rename, rename->history_count++) =
        (struct rename_history){inst->seq, reg, now, rename->map[reg], class, shares};
    rename->map[reg] = now;
}

void registers_share(struct detailed_cpu *cpu, const struct inst *inst, unsigned i, unsigned reg)
{
    cpu->registers[reg].sharers++;
    add_history(cpu, inst, inst->uop->results[i], (uint16_t)reg, (uint16_t)class_of_result(cpu, inst, i), true);
}

void registers_write(struct detailed_cpu *cpu, struct inst *inst)
{
    struct rename_stage *const rename = &cpu->rename;
    const struct uop *const uop = inst->uop;

    inst->result_count = uop->result_count;
    for (unsigned i = 0; i < uop->result_count; i++) {
        uint16_t const now = rename->free_registers[--rename->free_register_count];
        enum register_class const class = class_of_result(cpu, inst, i);

        /* Those that wait move down with the top of the stack. */
        if (rename->waiting_registers > 0)
            rename->free_registers[rename->free_register_count] =
                rename->free_registers[rename->free_register_count + rename->waiting_registers];
        add_history(cpu, inst, uop->results[i], now, (uint16_t)class, false);
        rename->free_of[class]--;
        inst->results[i] = now;
        cpu->registers[now].is_ready = 0;
        cpu->registers[now].class = (uint8_t)class;
        cpu->registers[now].producer = inst->seq;
        assert(!cpu->registers[now].waiters);
    }
}

/* ---- what rename does itself */
void idioms_init(struct detailed_cpu *cpu)
{
    const struct detailed_params *const params = &cpu->params;

    cpu->rename.eliminates = (uint8_t)((params->move_elimination ? UOP_MOVES : 0)
                                       | (params->zero_idioms ? UOP_ZEROES : 0)
                                       | (params->nop_elimination ? UOP_DOES_NOTHING : 0));
}

void idioms_rename(struct detailed_cpu *cpu, struct inst *inst)
{
    const struct uop *const uop = inst->uop;

    registers_read(cpu, inst);
    for (unsigned i = 0; i < uop->result_count; i++)
        registers_share(cpu, inst, i, uop->traits & UOP_MOVES ? inst->sources[0] : cpu->rename.zero);
    inst->result_count = 0;
    inst->state |= INST_ELIMINATED;
}

void idioms_dispatch(struct detailed_cpu *cpu, struct inst *inst)
{
    if (inst_is(inst, INST_FUSES))
        return;                              /* the micro-op before it executes it */
    inst->state |= INST_ISSUED | INST_EXECUTED | INST_CAN_COMMIT | INST_WRITTEN_BACK;
    inst->issue_cyc = inst->first_issue_cyc = inst->execute_cyc = inst->to_commit_cyc = cpu->cycle;
}
