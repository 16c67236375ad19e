/* Invariants of a detailed core between two cycles (o3-core 13): every count of a queue equals its live entries,
 * micro-ops between rename and dispatch are counted once, registers are neither lost nor duplicated, and the reference
 * count of each micro-op equals its holders. */
#include "tests/support/detailed_bench.h"
#include "tests/support/unit.h"

static uint32_t *holds;                  /* of each micro-op of the pool; 0 between two checks */
static uint32_t held_room;

static void seen(const struct inst *inst)
{
    holds[inst->pool_place]++;
}

static void see_fifo(const struct inst_fifo *fifo)
{
    for (uint32_t i = 0; i < fifo->count; i++)
        seen(inst_fifo_at(fifo, i));
}

/* Signals sent recently, and those due later; all of them are found. */
static void see_wire(const struct inst_wire *wire, uint64_t now)
{
    uint64_t const first = now >= SIGNAL_SLOTS ? now - SIGNAL_SLOTS + 1 : 0;
    uint32_t held = 0;

    for (uint64_t cycle = first; held < wire->held && cycle <= first + wire->mask; cycle++) {
        uint32_t count;
        struct inst **const insts = inst_wire_at(wire, cycle, &count);

        for (uint32_t i = 0; i < count; i++)
            seen(insts[i]);
        held += count;
    }
    assert_int_equal(wire->held, held);
}

static void see_list(const struct inst *inst)
{
    for (; inst; inst = inst->list_next)
        seen(inst);
}

/* Packets of the L1D hold their micro-op. */
static void see_packets(const struct detailed_cpu *cpu)
{
    for (size_t i = 0; i < BENCH_MOST_SLOTS; i++) {
        const struct packet *const packet = detailed.l1d.slots[i].packet;

        if (packet && !lsq_answers_nothing(packet))
            seen(&cpu->pool[packet->request.sequence]);
    }
}

static void see_queues(const struct detailed_cpu *cpu)
{
    const struct load_store_queue *const lsq = &cpu->lsq;

    for (uint64_t i = cpu->commit.head; i < cpu->commit.tail; i++)
        seen(cpu->commit.rob[i & cpu->commit.rob_mask]);
    for (uint64_t i = lsq->load_head; i < lsq->load_tail; i++)
        seen(lsq->loads[i & lsq->load_mask]);
    for (uint64_t i = lsq->store_head; i < lsq->store_tail; i++)
        seen(lsq->stores[i & lsq->store_mask]);
    see_list(lsq->blocked);
    see_list(lsq->retried);
    see_list(lsq->replayed);
    see_list(lsq->forwarded);
    for (uint32_t i = 0; i <= cpu->iew.completion_mask; i++)
        see_list(cpu->iew.completions[i]);
}

static void check_holders(const struct detailed_cpu *cpu)
{
    size_t live = 0, free_count = 0;

    if (!holds || held_room < cpu->pool_count) {
        free(holds);
        holds = calloc(held_room = cpu->pool_count, sizeof *holds);
        assert_non_null(holds);
    }
    see_fifo(&cpu->fetch.queue);
    see_fifo(&cpu->decode.arrived);
    see_fifo(&cpu->decode.skid);
    see_fifo(&cpu->rename.arrived);
    see_fifo(&cpu->rename.skid);
    see_fifo(&cpu->iew.arrived);
    see_fifo(&cpu->iew.skid);
    see_fifo(&cpu->commit.kept_out);
    see_wire(&cpu->to_decode, cpu->cycle);
    see_wire(&cpu->to_rename, cpu->cycle);
    see_wire(&cpu->to_iew, cpu->cycle);
    see_wire(&cpu->to_rob, cpu->cycle);
    see_wire(&cpu->to_execute, cpu->cycle);
    see_wire(&cpu->to_commit, cpu->cycle);
    if (cpu->rename.serialising)
        seen(cpu->rename.serialising);
    see_queues(cpu);
    see_packets(cpu);
    for (unsigned kind = 0; kind < DELAY_KINDS; kind++)
        see_fifo(&cpu->delays[kind].fifo);
    for (const struct inst *inst = cpu->young_youngest; inst; inst = inst->young_before)
        if (inst->fused)
            seen(inst->fused);
    for (const struct inst *inst = cpu->young_youngest; inst; inst = inst->young_before, live++) {
        assert_true(!inst->young_before || inst->young_before->seq < inst->seq);
        if (inst->holders != holds[inst->pool_place])
            fail_msg("cycle %llu: micro-op %llu is held %u times, and %u have it", (unsigned long long)cpu->cycle,
                     (unsigned long long)inst->seq, inst->holders, holds[inst->pool_place]);
        holds[inst->pool_place] = 0;
    }
    if (!cpu->is_done)
        return;
    for (uint32_t i = 0; i < cpu->pool_count; i++)
        assert_int_equal(holds[i], 0);
    for (const struct inst *inst = cpu->free_insts; inst; inst = inst->list_next)
        free_count++;
    assert_int_equal(live + free_count, cpu->pool_used);
}

struct under_way { int64_t all, loads, stores, joined, eliminated; };

static void add_inst(struct under_way *sum, const struct inst *inst)
{
    sum->all++;
    sum->joined += inst_is(inst, INST_JOINED);
    sum->eliminated += inst_is(inst, INST_ELIMINATED);
    if (inst->flags & UOP_LOAD)
        sum->loads++;
    else if (inst->flags & (UOP_STORE | UOP_ATOMIC))
        sum->stores++;
}

/* Renamed, and rename has not heard yet that it was dispatched. */
static void check_under_way(const struct detailed_cpu *cpu)
{
    struct under_way sum = {0};

    for (uint64_t back = 0; back < cpu->params.rename_to_iew_cyc; back++) {
        uint32_t count;
        struct inst **const insts = inst_wire_at(&cpu->to_iew, cpu->cycle - back, &count);

        for (uint32_t i = 0; i < count; i++)
            add_inst(&sum, insts[i]);
    }
    for (uint32_t i = 0; i < cpu->iew.arrived.count; i++)
        add_inst(&sum, inst_fifo_at(&cpu->iew.arrived, i));
    for (uint32_t i = 0; i < cpu->iew.skid.count; i++)
        add_inst(&sum, inst_fifo_at(&cpu->iew.skid, i));
    for (uint64_t back = 0; back < cpu->params.iew_to_rename_cyc; back++) {
        const struct signals *const told = signals_seen(cpu, back);

        sum.all += told->dispatched;
        sum.joined += told->dispatched_joined;
        sum.eliminated += told->dispatched_eliminated;
        sum.loads += told->dispatched_loads;
        sum.stores += told->dispatched_stores;
    }
    assert_int_equal(cpu->rename.in_progress, sum.all);
    assert_int_equal(cpu->rename.joined_in_progress, sum.joined);
    assert_int_equal(cpu->rename.eliminated_in_progress, sum.eliminated);
    assert_int_equal(cpu->rename.loads_in_progress, sum.loads);
    assert_int_equal(cpu->rename.stores_in_progress, sum.stores);
}

static void check_counts(const struct detailed_cpu *cpu)
{
    const struct load_store_queue *const lsq = &cpu->lsq;
    uint32_t in_queue = 0, to_write_back = 0, entries = 0;
    uint64_t before = 0;

    for (const struct inst *inst = cpu->young_youngest; inst; inst = inst->young_before)
        in_queue += inst_is(inst, INST_IN_QUEUE);
    assert_int_equal(cpu->iew.queue_used, in_queue);
    assert_true(in_queue <= cpu->params.iq_entries);
    assert_true(lsq_loads(lsq) <= cpu->params.lq_entries && lsq_stores(lsq) <= cpu->params.sq_entries);
    for (uint64_t i = cpu->commit.head; i < cpu->commit.tail; i++)
        entries += inst_slots(cpu->commit.rob[i & cpu->commit.rob_mask]);
    assert_int_equal(cpu->commit.entries, entries);
    assert_true(entries <= cpu->params.rob_entries);
    for (uint64_t i = lsq->store_head; i < lsq->store_tail; i++) {
        const struct inst *const store = lsq->stores[i & lsq->store_mask];

        to_write_back += inst_is(store, INST_CAN_WRITE_BACK) && !inst_is(store, INST_COMPLETE_STORE);
        assert_true(store->seq > before);
        before = store->seq;
    }
    assert_int_equal(lsq->to_write_back, to_write_back);
    assert_true(lsq->write_place >= lsq->store_head && lsq->write_place <= lsq->store_tail);
    for (uint64_t i = before = 0; i + cpu->commit.head < cpu->commit.tail; i++) {
        const struct inst *const inst = cpu->commit.rob[(i + cpu->commit.head) & cpu->commit.rob_mask];

        assert_true(inst->seq > before);
        before = inst->seq;
    }
}

/* Each physical register is mapped, replaced and not committed yet, free, or waits to be. */
static void check_registers(const struct detailed_cpu *cpu)
{
    const struct rename_stage *const rename = &cpu->rename;
    uint32_t *const users = calloc(cpu->register_count, sizeof *users);
    uint32_t taken_back = 0;

    assert_non_null(users);
    for (uint32_t i = 0; i < UOP_REGISTERS; i++)
        users[rename->map[i]]++;
    for (uint32_t i = 0; i < rename->history_count; i++)
        users[rename->history[(rename->history_head + i) & rename->history_mask].before]++;
    for (uint32_t i = 0; i < rename->free_register_count + rename->waiting_registers; i++)
        users[rename->free_registers[i]]++;
    for (uint32_t i = 0; i < cpu->register_count; i++)
        if (users[i] != cpu->registers[i].sharers + !(rename->is_shared && i == rename->zero))
            fail_msg("cycle %llu: physical register %u has %u places", (unsigned long long)cpu->cycle, i, users[i]);
    free(users);
    for (unsigned class = 0; class < REGISTER_CLASSES; class++)
        taken_back += rename->free_of[class] + rename->waiting_of[class];
    if (!rename->is_shared)
        assert_int_equal(taken_back + rename->history_count,
                         cpu->params.int_registers + cpu->params.float_registers - 2 * 33);
}

void detailed_check(void)
{
    const struct detailed_cpu *const cpu = detailed.cpu;

    check_holders(cpu);
    check_under_way(cpu);
    check_counts(cpu);
    check_registers(cpu);
}
