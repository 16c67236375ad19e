/* The detailed core between two threads: everything in flight after the last instruction of one is dropped before the
 * other begins. The reference does not switch threads; its runs end with the process. */
#include "replay/detailed/detailed_core.h"

static void drop_fifo(struct detailed_cpu *cpu, struct inst_fifo *fifo)
{
    while (fifo->count > 0)
        inst_drop(cpu, inst_fifo_pop(fifo));
}

static void drop_wire(struct detailed_cpu *cpu, struct inst_wire *wire)
{
    for (uint32_t place = 0; place <= wire->mask; place++) {
        for (uint32_t i = 0; i < wire->counts[place]; i++)
            inst_drop(cpu, wire->items[(size_t)place * wire->width + i]);
        wire->counts[place] = 0;
        wire->cycles[place] = UINT64_MAX;
    }
    wire->held = 0;
}

static void drop_list(struct detailed_cpu *cpu, struct inst **list, struct inst ***end)
{
    while (*list) {
        struct inst *const inst = *list;

        *list = inst->list_next;
        inst->list_next = NULL;
        inst_drop(cpu, inst);
    }
    *end = list;
}

static void drop_completions(struct detailed_cpu *cpu)
{
    struct iew_stage *const iew = &cpu->iew;

    for (uint32_t place = 0; place <= iew->completion_mask; place++)
        while (iew->completions[place]) {
            struct inst *const inst = iew->completions[place];

            iew->completions[place] = inst->list_next;
            inst->list_next = NULL;
            inst_drop(cpu, inst);
        }
    iew->completions_held = 0;
    for (unsigned unit = 0; unit <= DETAILED_UNIT_COUNT; unit++)
        iew->units_busy[unit] = iew->units_freed_next[unit] = 0;
}

static void drop_fronts(struct detailed_cpu *cpu)
{
    drop_fifo(cpu, &cpu->fetch.queue);
    drop_wire(cpu, &cpu->to_decode);
    drop_fifo(cpu, &cpu->decode.arrived);
    drop_fifo(cpu, &cpu->decode.skid);
    drop_wire(cpu, &cpu->to_rename);
    drop_wire(cpu, &cpu->to_iew);
    drop_wire(cpu, &cpu->to_rob);
    drop_fifo(cpu, &cpu->iew.arrived);
    drop_fifo(cpu, &cpu->iew.skid);
    drop_wire(cpu, &cpu->to_execute);
    drop_wire(cpu, &cpu->to_commit);
}

static void drop_rob(struct detailed_cpu *cpu)
{
    struct commit_stage *const commit = &cpu->commit;

    while (commit->head < commit->tail)
        inst_drop(cpu, commit->rob[commit->head++ & commit->rob_mask]);
    commit->entries = 0;
    drop_fifo(cpu, &commit->kept_out);
    commit->status = COMMIT_RUNNING;
    commit->trap_cyc = DETAILED_NEVER;
    commit->faulted_number = SUPPLY_WRONG;
    commit->youngest = commit->last_committed;
    commit->check_empty = commit->changed_rob = commit->is_refilling = false;
}

static void begin_fetch(struct detailed_cpu *cpu)
{
    struct fetch_stage *const fetch = &cpu->fetch;

    if (fetch->refused) {
        packet_give(cpu->sim->packets, fetch->refused);
        fetch->refused = NULL;               /* is_blocked stays until the L1I calls back */
    }
    fetch->status = FETCH_RUNNING;
    fetch->request = 0;
    fetch->offset_bytes = 0;
    fetch->in_macro = fetch->decode_stalls = fetch->buffer_is_valid = false;
    fetch->highest_number = 0;
    ahead_begin(cpu);
}

void core_restart(struct detailed_cpu *cpu)
{
    uint64_t const seq = cpu->commit.last_committed;

    delays_take(cpu, true);
    branch_unit_train(cpu->branches, seq);
    branch_unit_squash(cpu->branches, seq);
    issue_squash(cpu, seq);
    order_squash(cpu, seq);
    lsq_squash(cpu, seq);
    lsq_commit(cpu, seq);
    drop_list(cpu, &cpu->lsq.blocked, &cpu->lsq.blocked_end);
    drop_list(cpu, &cpu->lsq.retried, &cpu->lsq.retried_end);
    drop_list(cpu, &cpu->lsq.forwarded, &cpu->lsq.forwarded_end);
    cpu->lsq.reservation = UINT64_MAX;
    drop_completions(cpu);
    drop_fronts(cpu);
    rename_restart(cpu, seq);
    drop_rob(cpu);
    begin_fetch(cpu);
    cpu->decode.status = cpu->iew.status = STAGE_RUNNING;
    cpu->decode.rename_stalls = false;
    cpu->iew.update_next = false;
    for (unsigned i = 0; i < SIGNAL_SLOTS; i++)
        cpu->signals[i].cycle = cpu->requests[i].cycle = UINT64_MAX;
}
