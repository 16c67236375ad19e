/* Where the commit slots of a cycle went, top-down (A. Yasin, "A Top-Down Method for Performance Analysis and Counters
 * Architecture", ISPASS 2014): committed micro-ops count as retiring; the rest goes to the one reason that holds the
 * oldest micro-op back, or that left the ROB empty. An oldest micro-op that has waited for nothing since it was
 * renamed, and is no longer there than a result of one cycle takes, came too late: the reason is the front end's.
 *
 * Where the ROB is nearly empty and an earlier stage limits how fast it fills, the reason is not the oldest micro-op
 * but that stage: fetch, while no later stage stops it, or a full store queue, whose stores have committed and wait
 * for the L1D. A micro-op that waits for a load of 5 cycles waits beside a fetch of 6, not instead of it. */
#include "replay/detailed/detailed_core.h"

enum { THIN_PARTS = 2 };                 /* the ROB holds little below half of its entries */

static bool is_thin(const struct detailed_cpu *cpu)
{
    return (cpu->commit.tail - cpu->commit.head) * THIN_PARTS < cpu->params.rob_entries;
}

/* Does rename have micro-ops that it may not pass on since the store queue has no room? */
static bool is_held_by_stores(const struct detailed_cpu *cpu)
{
    const struct rename_stage *const rename = &cpu->rename;

    return rename->skid.count + rename->arrived.count > 0 && rename->free_sq <= rename->stores_in_progress;
}

/* Does the first micro-op of the fetch queue wait for its bytes? */
static bool waits_ahead(const struct detailed_cpu *cpu)
{
    const struct fetch_stage *const fetch = &cpu->fetch;

    return fetch->ahead.count > 0 && fetch->queue.count > 0 && ahead_waits(cpu, inst_fifo_at(&fetch->queue, 0));
}

/* Is fetch on the right path, and as far as it gets, since no later stage stops it? */
static bool is_starved(const struct detailed_cpu *cpu)
{
    const struct fetch_stage *const fetch = &cpu->fetch;

    return (fetch->queue.count == 0 || waits_ahead(cpu)) && !fetch->decode_stalls && fetch->next.number != SUPPLY_WRONG
        && fetch->status != FETCH_SQUASHING && fetch->status != FETCH_NOWHERE;
}

/* The ROB is empty, or as good as that. */
static enum detailed_slot reason_of_front_end(const struct detailed_cpu *cpu)
{
    if (cpu->commit.is_refilling || cpu->commit.status == COMMIT_SQUASHING)
        return DETAILED_SLOT_BAD_SPECULATION;
    if (cpu->rename.status == STAGE_SERIALISING)
        return cpu->lsq.to_write_back > 0 ? DETAILED_SLOT_MEMORY_STORES : DETAILED_SLOT_SERIALISING;
    if (is_held_by_stores(cpu))
        return DETAILED_SLOT_MEMORY_STORES;
    if (waits_ahead(cpu))
        return DETAILED_SLOT_FETCH_LATENCY;
    if (cpu->fetch.status == FETCH_WAITS_CACHE || cpu->fetch.status == FETCH_WAITS_RETRY
        || cpu->fetch.status == FETCH_HAS_ANSWER)
        return DETAILED_SLOT_FETCH_LATENCY;
    return DETAILED_SLOT_FETCH_BANDWIDTH;
}

/* Between rename and commit, as fast as can be. Nothing older can hold back its dispatch. */
static bool is_on_its_way(const struct detailed_cpu *cpu, const struct inst *head)
{
    const struct detailed_params *const params = &cpu->params;

    if (head->dispatch_cyc == DETAILED_NEVER)
        return true;
    if (!inst_is(head, INST_ISSUED))
        return cpu->cycle == head->dispatch_cyc;
    return head->first_issue_cyc <= head->dispatch_cyc + 1
           && cpu->cycle <= head->first_issue_cyc + params->issue_to_execute_cyc + params->iew_to_commit_cyc;
}

static enum detailed_slot reason_of_head(const struct detailed_cpu *cpu, const struct inst *head)
{
    if (inst_is(head, INST_SQUASHED))
        return DETAILED_SLOT_BAD_SPECULATION;
    if (cpu->commit.status == COMMIT_TRAP)
        return DETAILED_SLOT_SERIALISING;
    if ((head->flags & (UOP_NON_SPECULATIVE | UOP_READ_BARRIER | UOP_WRITE_BARRIER | UOP_ATOMIC)) != 0)
        return cpu->lsq.to_write_back > 0 ? DETAILED_SLOT_MEMORY_STORES : DETAILED_SLOT_SERIALISING;
    if (is_on_its_way(cpu, head))
        return head->seq == cpu->commit.refilled_seq ? DETAILED_SLOT_BAD_SPECULATION : reason_of_front_end(cpu);
    if (is_thin(cpu) && is_held_by_stores(cpu))
        return DETAILED_SLOT_MEMORY_STORES;
    if (is_thin(cpu) && is_starved(cpu))
        return reason_of_front_end(cpu);
    if (inst_is(head, INST_WAITS_STORE) || head->order_link.before)
        return DETAILED_SLOT_MEMORY_ORDER;
    if ((head->flags & UOP_LOAD) && (inst_is(head, INST_ISSUED | INST_WAITS_CACHE)))
        return DETAILED_SLOT_MEMORY_LOADS;
    if (head->waiting > 0)
        return DETAILED_SLOT_CORE_DEPENDENCES;
    if (lsq_stores(&cpu->lsq) >= cpu->params.sq_entries)
        return DETAILED_SLOT_MEMORY_STORES;
    return DETAILED_SLOT_CORE_UNITS;
}

void slots_count(struct detailed_cpu *cpu)
{
    const struct commit_stage *const commit = &cpu->commit;
    struct detailed_stats *const stats = &cpu->stats;
    uint64_t const rest = cpu->params.commit_width - commit->slots_now;
    uint64_t const held = commit->entries;

    stats->rob_cyc += held;
    stats->load_cyc += lsq_loads(&cpu->lsq);
    stats->store_cyc += lsq_stores(&cpu->lsq);
    stats->queue_cyc += cpu->iew.queue_used;
    stats->slots[DETAILED_SLOT_RETIRING] += commit->slots_now;
    if (rest == 0)
        return;
    stats->slots[held == 0 ? reason_of_front_end(cpu)
                           : reason_of_head(cpu, commit->rob[commit->head & commit->rob_mask])] += rest;
}
