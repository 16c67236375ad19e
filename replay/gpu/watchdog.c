/* Diagnosis of a stalled run: the reason for which its oldest resident warp waits. */
#include <stdio.h>

#include "replay/gpu/gpu_machine.h"

static uint32_t oldest_warp(const struct gpu_sm *sm)
{
    uint32_t oldest = sm->machine->slot_count;

    for (uint32_t i = 0; i < sm->machine->slot_count; i++)
        if (sm->warps[i].resident && (oldest == sm->machine->slot_count || sm->warps[i].age < sm->warps[oldest].age))
            oldest = i;
    return oldest;
}

static void tell_register(const struct gpu_sm *sm, uint32_t slot, const struct gpu_decoded *decoded, char *text,
                          size_t size)
{
    const struct gpu_running *const running = sm->warps[slot].resident->kernel;

    for (unsigned i = 0; i < decoded->register_count; i++) {
        unsigned const number = running->registers[decoded->registers_at + i];

        if (sm->registers[slot][number] == CYC_NEVER) {
            snprintf(text, size, "register %c%u", number >= GPU_SCALAR_REGISTER ? 'S' : 'R',
                     number >= GPU_SCALAR_REGISTER ? number - GPU_SCALAR_REGISTER : number);
            return;
        }
    }
    snprintf(text, size, "a register");
}

static void tell_reason(const struct gpu_sm *sm, uint32_t slot, char *text, size_t size)
{
    const struct gpu_warp *const warp = &sm->warps[slot];

    switch ((enum gpu_warp_state)warp->state) {
    case GPU_WARP_REGISTERS:
        if (warp->is_waiting || warp_decoded(warp, warp->next)->action == GPU_WAIT)
            snprintf(text, size, "its %u accesses under way", warp->outstanding);
        else
            tell_register(sm, slot, warp_decoded(warp, warp->next), text, size);
        break;
    case GPU_WARP_BARRIER:
        snprintf(text, size, "a barrier that %u of %u warps have not reached", warp->resident->missing,
                 warp->resident->live);
        break;
    case GPU_WARP_FENCE:
        snprintf(text, size, "its %u accesses under way", warp->outstanding);
        break;
    case GPU_WARP_GROUPS:
        snprintf(text, size, "copies to shared memory");
        break;
    case GPU_WARP_SENDING:
        snprintf(text, size, "the LD/ST unit to send its access");
        break;
    case GPU_WARP_FETCH:
        snprintf(text, size, "a line of instructions");
        break;
    case GPU_WARP_EXITING:
        snprintf(text, size, "the end of its %u accesses", warp->outstanding);
        break;
    default:
        snprintf(text, size, "its unit");
    }
}

/* The access of the warp that has been under way for longest. */
static void tell_access(const struct gpu_sm *sm, uint32_t slot, char *text, size_t size)
{
    const struct gpu_running *const running = sm->warps[slot].resident->kernel;
    const struct gpu_op *oldest = NULL;
    const struct gpu_static *inst;

    text[0] = '\0';
    for (uint32_t i = 0; i < sm->ops_used; i++)
        if (sm->ops[i].is_used && !sm->ops[i].has_left && sm->ops[i].slot == slot &&
            (!oldest || sm->ops[i].issue_cyc < oldest->issue_cyc))
            oldest = &sm->ops[i];
    if (!oldest)
        return;
    inst = &running->kernel.statics[oldest->inst->index];
    snprintf(text, size, "; %s at pc 0x%llx issued in cycle %llu and lacks %u answers",
             running->kernel.opcodes[inst->opcode].text, (unsigned long long)inst->pc,
             (unsigned long long)oldest->issue_cyc, oldest->left);
}

static struct fault tell_warp(const struct gpu_sm *sm, uint32_t slot)
{
    const struct gpu_warp *const warp = &sm->warps[slot];
    const struct gpu_running *const running = warp->resident->kernel;
    const uint32_t *const id = warp->resident->block->id;
    char where[80] = "at its end", reason[96], access[120];

    if (warp->next != warp->end) {
        const struct gpu_static *const inst = &running->kernel.statics[warp->next->index];

        snprintf(where, sizeof where, "at pc 0x%llx (%s)", (unsigned long long)inst->pc,
                 running->kernel.opcodes[inst->opcode].text);
    }
    tell_reason(sm, slot, reason, sizeof reason);
    tell_access(sm, slot, access, sizeof access);
    return fault_make(FAULT_STALL, "the GPU stands still in cycle %llu: kernel %llu (%.60s), block %u,%u,%u, warp %u "
                      "on SM %u waits %s for %s%s", (unsigned long long)sm->machine->now_cyc,
                      (unsigned long long)running->result->number, running->result->name, id[0], id[1], id[2],
                      warp->number, sm->number, where, reason, access);
}

struct fault gpu_watchdog_fault(const struct gpu_machine *machine)
{
    const struct gpu_sm *stuck = NULL;
    uint32_t slot = 0;

    for (uint32_t i = 0; i < machine->sm_count; i++) {
        const struct gpu_sm *const sm = &machine->sms[i];
        uint32_t const oldest = oldest_warp(sm);

        if (oldest == machine->slot_count || (stuck && stuck->warps[slot].age < sm->warps[oldest].age))
            continue;
        stuck = sm;
        slot = oldest;
    }
    if (stuck)
        return tell_warp(stuck, slot);
    if (machine->running_count)
        return fault_make(FAULT_STALL, "the GPU stands still in cycle %llu: no SM takes the next block of kernel %llu "
                          "(%.100s)", (unsigned long long)machine->now_cyc,
                          (unsigned long long)machine->running[0]->result->number, machine->running[0]->result->name);
    return fault_make(FAULT_STALL, "the GPU stands still in cycle %llu between kernels",
                      (unsigned long long)machine->now_cyc);
}
