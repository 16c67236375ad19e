/* Instructions that a warp has before it, and their fetch (gpu-traces 14).
 *
 * Modelled: each warp has a buffer of lines, filled one line at a time as long as it has room, independent of the
 * warp's state; an SM begins one fetch a cycle, that of the warp whose last line came longest ago. An instruction
 * issues when it and its possible second half are in the buffer. Lines are given up when the program has left them; a
 * branch, taken or not, empties the buffer, and lines in flight are discarded on arrival. Not modelled: an SM
 * takes one line a cycle. */
#include "replay/gpu/gpu_machine.h"

enum { MOST_INST_BYTES = 8, WORD_SLOTS = 64 };
#define LINE_BYTES UINT64_C(64)

static uint64_t gpu_fetch_line_of(uint64_t pc)
{
    return pc & ~(LINE_BYTES - 1);
}

static void want(struct gpu_sm *sm, uint32_t slot)
{
    sm->fetch_wanted[slot / WORD_SLOTS] |= UINT64_C(1) << slot % WORD_SLOTS;
    sm_wake(sm, max_u64(sm->fetches[slot].room_cyc, sm->machine->now_cyc + 1));
}

static void unwant(struct gpu_sm *sm, uint32_t slot)
{
    sm->fetch_wanted[slot / WORD_SLOTS] &= ~(UINT64_C(1) << slot % WORD_SLOTS);
}

static uint64_t next_pc(const struct gpu_sm *sm, uint32_t slot)
{
    const struct gpu_warp *const warp = &sm->warps[slot];

    return warp->resident->kernel->kernel.statics[warp->next->index].pc;
}

void gpu_fetch_start(struct gpu_sm *sm, uint32_t slot, uint64_t from_cyc)
{
    sm->fetches[slot] = (struct gpu_fetch){.room_cyc = from_cyc};
    if (sm->warps[slot].next == sm->warps[slot].end)
        return;
    sm->fetches[slot].start = gpu_fetch_line_of(next_pc(sm, slot));
    want(sm, slot);
}

void gpu_fetch_stop(struct gpu_sm *sm, uint32_t slot)
{
    unwant(sm, slot);
}

void gpu_fetch_branch(struct gpu_sm *sm, uint32_t slot)
{
    sm->fetches[slot].bytes = 0;
    sm->fetches[slot].has_branched = true;
}

/* The program is at `pc` from from_cyc on. */
static void leave_lines(struct gpu_sm *sm, uint32_t slot, uint64_t pc, uint64_t from_cyc)
{
    struct gpu_fetch *const fetch = &sm->fetches[slot];
    uint64_t const line = gpu_fetch_line_of(pc), passed = line - fetch->start;

    if (line == fetch->start && !fetch->has_branched)
        return;
    fetch->bytes = line > fetch->start && passed <= fetch->bytes ? fetch->bytes - passed : 0;
    fetch->start = line;
    fetch->has_branched = false;
    fetch->room_cyc = max_u64(fetch->room_cyc, from_cyc);
    if (!fetch->is_fetching)
        want(sm, slot);
}

uint64_t gpu_fetch_ready_cyc(struct gpu_sm *sm, uint32_t slot, uint64_t from_cyc)
{
    struct gpu_fetch *const fetch = &sm->fetches[slot];
    uint64_t const pc = next_pc(sm, slot);

    leave_lines(sm, slot, pc, from_cyc);
    if (pc + MOST_INST_BYTES > fetch->start + fetch->bytes)
        return CYC_NEVER;
    return pc + MOST_INST_BYTES > fetch->last_line ? max_u64(from_cyc, fetch->last_cyc) : from_cyc;
}

void gpu_fetch_arrive(struct gpu_sm *sm, uint32_t slot, uint64_t age, uint64_t address, uint64_t cyc)
{
    struct gpu_fetch *const fetch = &sm->fetches[slot];
    struct gpu_warp *const warp = &sm->warps[slot];

    if (!warp->resident || warp->age != age || warp->is_past_end)
        return;
    fetch->is_fetching = false;
    fetch->fetched_cyc = cyc;
    fetch->room_cyc = max_u64(fetch->room_cyc, cyc + 1);
    if (address == fetch->start + fetch->bytes) {
        fetch->bytes += LINE_BYTES;
        fetch->last_line = address;
        fetch->last_cyc = cyc + 1;
    }
    if (fetch->bytes < sm->machine->params.array.inst_buffer_bytes)
        want(sm, slot);
    if (warp->state == GPU_WARP_FETCH) {
        sm_rouse(sm, max_u64(cyc + 1, sm->machine->now_cyc + 1));
        gpu_warp_plan(sm, slot, cyc + 1);
    }
}

uint64_t gpu_fetch_cycle(struct gpu_sm *sm, uint64_t now_cyc)
{
    uint32_t const words = (sm->machine->slot_count + WORD_SLOTS - 1) / WORD_SLOTS;
    uint32_t chosen = UINT32_MAX;
    uint64_t next_cyc = CYC_NEVER;

    for (uint32_t word = 0; word < words; word++)
        for (uint64_t left = sm->fetch_wanted[word]; left; left &= left - 1) {
            uint32_t const slot = word * WORD_SLOTS + (uint32_t)__builtin_ctzll(left);

            if (sm->fetches[slot].room_cyc > now_cyc)
                next_cyc = min_u64(next_cyc, sm->fetches[slot].room_cyc);
            else if (chosen == UINT32_MAX || sm->fetches[slot].fetched_cyc < sm->fetches[chosen].fetched_cyc) {
                if (chosen != UINT32_MAX)
                    next_cyc = now_cyc + 1;
                chosen = slot;
            } else {
                next_cyc = now_cyc + 1;
            }
        }
    if (chosen != UINT32_MAX) {
        struct gpu_fetch *const fetch = &sm->fetches[chosen];

        unwant(sm, chosen);
        fetch->is_fetching = true;
        gpu_array_fetch(sm, chosen, fetch->start + fetch->bytes,
                        &sm->warps[chosen].resident->kernel->result->counts, now_cyc);
        /* A hit has said already when the next fetch may be. */
        if (!fetch->is_fetching && fetch->bytes < sm->machine->params.array.inst_buffer_bytes)
            next_cyc = min_u64(next_cyc, fetch->room_cyc);
    }
    return next_cyc;
}
