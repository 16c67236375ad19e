/* Micro-ops that are one (keys microFusion, macroFusion, nopFusion): a load and the computation or branch that it
 * feeds, an operation and the conditional branch behind it, a no-op and what stands before it.
 *
 * Modelled: the later of the two is joined: it takes no slot of fetch, decode, rename, dispatch and commit, and no ROB
 * entry. Load and computation issue one by one. A branch that is renamed in the cycle of the operation is executed with
 * it: no entry of the instruction queue, no unit. One that comes later executes by itself, as on cores that fuse within
 * a group of decode.
 * Not modelled: operands that keep x86-64 cores from fusing (an immediate with an address of rip; conditions of some
 * flags).
 * Source: AMD, Software Optimization Guide for Zen 4 (57647), "Branch Fusion" and "NOP"; Intel's Optimization Manual,
 * "Micro-Fusion" and "Macro-Fusion"; A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs". */
#include "replay/detailed/detailed_core.h"

void fusion_init(struct detailed_cpu *cpu)
{
    static const uint8_t fused[] = {
        [MACRO_FUSION_COMPARE] = UOP_FUSES_COMPARE,
        [MACRO_FUSION_ARITHMETIC] = UOP_FUSES_COMPARE | UOP_FUSES_ARITHMETIC,
        [MACRO_FUSION_LOGIC] = UOP_FUSES_COMPARE | UOP_FUSES_ARITHMETIC | UOP_FUSES_LOGIC,
    };

    cpu->fuses_branches = fused[cpu->params.macro_fusion];
    cpu->fuses = cpu->fuses_branches != 0 || cpu->params.micro_fusion || cpu->params.nop_fusion;
}

static bool is_fused_branch(const struct detailed_cpu *cpu, const struct inst *inst, const struct inst *before)
{
    uint32_t const wanted = UOP_CONDITIONAL | UOP_DIRECT;

    return (before->uop->traits & cpu->fuses_branches) != 0 && (inst->flags & wanted) == wanted
           && inst->insn->uop_count == 1 && inst->uop->source_count == 1 && (before->flags & UOP_LAST) != 0;
}

void fusion_find(const struct detailed_cpu *cpu, struct inst *inst)
{
    const struct inst *const before = inst->young_before;

    if ((inst->uop->traits & UOP_JOINS) != 0 && cpu->params.micro_fusion)
        inst->state |= INST_JOINED;
    if (!before || before->seq + 1 != inst->seq || inst_is(before, INST_SQUASHED))
        return;
    if (is_fused_branch(cpu, inst, before))
        inst->state |= INST_JOINED | INST_FUSES;
    if ((inst->uop->traits & UOP_DOES_NOTHING) != 0 && cpu->params.nop_fusion
        && !(inst_is(before, INST_JOINED) && (before->uop->traits & UOP_DOES_NOTHING) != 0))
        inst->state |= INST_JOINED;
}

void fusion_rename(const struct detailed_cpu *cpu, struct inst *inst)
{
    struct inst *const before = inst->young_before;

    if (!before || before->seq + 1 != inst->seq || before->rename_done_cyc != cpu->cycle) {
        inst->state &= ~(uint32_t)INST_FUSES;
        return;
    }
    inst->state |= INST_ELIMINATED;
    inst_hold(inst);
    before->fused = inst;
}

void fusion_execute(struct detailed_cpu *cpu, struct inst *inst)
{
    struct inst *const branch = inst->fused;

    inst->fused = NULL;
    if (!inst_is(branch, INST_SQUASHED)) {
        branch->issue_cyc = inst->issue_cyc;
        branch->first_issue_cyc = inst->first_issue_cyc;
        branch->execute_cyc = cpu->cycle;
        branch->state |= INST_ISSUED | INST_EXECUTED;
        cpu->stats.executed_insts++;
        iew_send_to_commit(cpu, branch);
        iew_check_squash(cpu, branch);
    }
    inst_drop(cpu, branch);
}
