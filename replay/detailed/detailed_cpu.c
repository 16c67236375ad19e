/* The detailed core as a whole: memory, ports, start and end. The work of a cycle is in the stages (core.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config/branch_params.h"
#include "replay/detailed/detailed_core.h"

/* MOST_JOINED: load, computation, branch, no-op. Arrays begin at multiples of ARRAY_BYTES. */
enum { MOST_JOINED = 4, MOST_TEMPORARIES = 8192, ARRAY_BYTES = 64 };

/* ---- micro-ops */
static const struct supply_access *access_of(const struct supply_insn *insn, const struct uop *uop)
{
    return uop->access < insn->access_count ? &insn->accesses[uop->access] : NULL;
}

struct inst *inst_make(struct detailed_cpu *cpu, const struct supply_insn *insn, unsigned micro_pc)
{
    struct inst *const inst = cpu->free_insts ? cpu->free_insts : &cpu->pool[cpu->pool_used];
    const struct uop *const uop = &insn->uops[micro_pc];
    uint32_t const pool_place = (uint32_t)(inst - cpu->pool);

    assert(detailed_cpu_has_inst(cpu));
    if (cpu->free_insts)
        cpu->free_insts = inst->list_next;
    else
        cpu->pool_used++;
    memset(inst, 0, offsetof(struct inst, results));
    inst->seq = ++cpu->seq;
    inst->flags = uop->flags;
    inst->op = uop->op;
    inst->micro_pc = (uint16_t)micro_pc;
    inst->holders = 1;
    inst->insn = insn;
    inst->uop = uop;
    inst->access = access_of(insn, uop);
    inst->pc = insn->pc;
    inst->pool_place = pool_place;
    inst->fetch_cyc = cpu->cycle;
    inst->decode_cyc = inst->rename_cyc = inst->dispatch_cyc = inst->issue_cyc = DETAILED_NEVER;
    inst->execute_cyc = inst->to_commit_cyc = inst->store_cyc = inst->first_issue_cyc = DETAILED_NEVER;
    inst->young_before = cpu->young_youngest;
    if (insn->is_counted) {
        inst->state |= INST_HOLDS_INSN;
        supply_hold(cpu->supply, insn);
    }
    if (cpu->young_youngest)
        cpu->young_youngest->young_next = inst;
    cpu->young_youngest = inst;
    return inst;
}

void inst_free(struct detailed_cpu *cpu, struct inst *inst)
{
    if (inst->fused)
        inst_drop(cpu, inst->fused);
    if (inst_is(inst, INST_HOLDS_INSN))
        supply_drop(cpu->supply, inst->insn);
    if (inst->young_before)
        inst->young_before->young_next = inst->young_next;
    if (inst->young_next)
        inst->young_next->young_before = inst->young_before;
    else
        cpu->young_youngest = inst->young_before;
    inst->list_next = cpu->free_insts;
    cpu->free_insts = inst;
}

/* ---- memory */
static uint32_t power_of_two(uint64_t least)
{
    uint32_t size = 1;

    while (size < least)
        size *= 2;
    return size;
}

/* All arrays come from one piece of memory: measured first, then given out. */
struct arrays {
    char *memory;                        /* NULL: measured */
    size_t used;
};

static void *detailed_cpu_take_part(struct arrays *arrays, size_t count, size_t bytes)
{
    void *const array = arrays->memory ? arrays->memory + arrays->used : NULL;

    arrays->used += (count * bytes + ARRAY_BYTES - 1) & ~(size_t)(ARRAY_BYTES - 1);
    return array;
}

static void take_fifo(struct arrays *arrays, struct inst_fifo *fifo, uint64_t room)
{
    uint32_t const size = power_of_two(room);

    *fifo = (struct inst_fifo){.items = detailed_cpu_take_part(arrays, size, sizeof *fifo->items), .mask = size - 1};
}

static void take_wire(struct arrays *arrays, struct inst_wire *wire, uint64_t width, uint64_t cycles)
{
    uint32_t const size = power_of_two(cycles);

    *wire = (struct inst_wire){
        .items = detailed_cpu_take_part(arrays, (size_t)size * width, sizeof *wire->items),
        .cycles = detailed_cpu_take_part(arrays, size, sizeof *wire->cycles),
        .counts = detailed_cpu_take_part(arrays, size, sizeof *wire->counts),
        .width = (uint32_t)width,
        .mask = size - 1,
    };
    for (uint32_t i = 0; arrays->memory && i < size; i++)
        wire->cycles[i] = UINT64_MAX;
}

static uint64_t longest_latency(const struct detailed_params *params)
{
    uint64_t longest = UOP_MOST_LATENCY_CYC;      /* of micro-ops with their own */

    for (unsigned op = 0; op < DETAILED_OP_COUNT; op++)
        longest = max_u64(longest, params->latency_cyc[op]);
    return longest + params->scaled_cyc;
}

/* Registers for results that only their own instruction reads, if these take no others. */
static uint64_t temporaries(const struct detailed_params *params)
{
    return params->temporaries_take ? 0 : min_u64(2 * params->rob_entries + 2 * MOST_WIDTH, MOST_TEMPORARIES);
}

static void take_delays(struct detailed_cpu *cpu, struct arrays *arrays, uint64_t in_flight)
{
    const struct detailed_params *const params = &cpu->params;
    bool const is_used[] = {[DELAY_FORWARD] = params->forward_cyc > 0,
                            [DELAY_REPLAY] = params->failed_forward_cyc > 0,
                            [DELAY_RENAMED] = params->renamed_stores > 0};

    for (unsigned kind = 0; kind < DELAY_KINDS; kind++) {
        struct inst_delay *const delay = &cpu->delays[kind];

        take_fifo(arrays, &delay->fifo, is_used[kind] ? in_flight : 1);
        delay->due_cyc = detailed_cpu_take_part(arrays, delay->fifo.mask + 1, sizeof *delay->due_cyc);
    }
    cpu->renaming.mask = power_of_two(params->sq_entries + params->renamed_stores) - 1;
    cpu->renaming.stores = detailed_cpu_take_part(arrays, cpu->renaming.mask + 1, sizeof *cpu->renaming.stores);
}

static uint64_t most_of(const uint64_t *numbers, size_t count)
{
    uint64_t most = 0;

    for (size_t i = 0; i < count; i++)
        most = max_u64(most, numbers[i]);
    return most;
}

/* The most micro-ops between two stages: those sent until a stage that stopped is heard of. */
static uint64_t most_between(const struct detailed_params *params, uint64_t joined)
{
    uint64_t const widths[] = {params->fetch_width, params->decode_width, params->rename_width, params->dispatch_width,
                               params->issue_width, params->writeback_width, params->commit_width};
    uint64_t const cycles[] = {
        params->decode_to_fetch_cyc, params->commit_to_fetch_cyc, params->rename_to_decode_cyc,
        params->commit_to_decode_cyc, params->fetch_to_decode_cyc, params->iew_to_rename_cyc,
        params->commit_to_rename_cyc, params->decode_to_rename_cyc, params->commit_to_iew_cyc,
        params->rename_to_iew_cyc, params->rename_to_rob_cyc, params->issue_to_execute_cyc, params->iew_to_commit_cyc
    };

    return 2 * most_of(widths, sizeof widths / sizeof *widths) * joined
        * (2 * most_of(cycles, sizeof cycles / sizeof *cycles) + 4);
}

static uint64_t most_in_flight(const struct detailed_params *params, uint64_t joined)
{
    return params->rob_entries * joined + params->fetch_queue + 6 * most_between(params, joined) + params->lq_entries
        + params->sq_entries + params->iq_entries;
}

static void take_arrays(struct detailed_cpu *cpu, struct arrays *arrays)
{
    const struct detailed_params *const params = &cpu->params;
    uint64_t const joined = cpu->fuses ? MOST_JOINED : 1;
    uint64_t const between = most_between(params, joined);
    uint64_t const in_flight = most_in_flight(params, joined);
    uint64_t const completion = power_of_two(longest_latency(params) + 2);
    uint64_t const commit_cycles = in_flight / params->writeback_width + 2 * MOST_STAGE_CYC + 4;

    cpu->pool_count = (uint32_t)in_flight;
    cpu->pool = detailed_cpu_take_part(arrays, in_flight, sizeof *cpu->pool);
    take_fifo(arrays, &cpu->fetch.queue, params->fetch_queue);
    cpu->fetch.ahead.count = params->fetch_ahead > 0 ? (uint32_t)params->fetch_ahead + 1 : 0;
    cpu->fetch.ahead.blocks = detailed_cpu_take_part(arrays, cpu->fetch.ahead.count, sizeof(struct fetch_block));
    cpu->fetch.ahead.kept = detailed_cpu_take_part(arrays, params->uop_cache, sizeof(struct kept_block));
    take_fifo(arrays, &cpu->decode.arrived, between);
    take_fifo(arrays, &cpu->decode.skid, between);
    take_fifo(arrays, &cpu->rename.arrived, between);
    take_fifo(arrays, &cpu->rename.skid, between);
    take_fifo(arrays, &cpu->iew.arrived, between);
    take_fifo(arrays, &cpu->iew.skid, between);
    take_wire(arrays, &cpu->to_decode, params->decode_width * joined, SIGNAL_SLOTS);
    take_wire(arrays, &cpu->to_rename, params->decode_width * joined, SIGNAL_SLOTS);
    take_wire(arrays, &cpu->to_iew, params->rename_width * joined, SIGNAL_SLOTS);
    take_wire(arrays, &cpu->to_rob, params->rename_width * joined, SIGNAL_SLOTS);
    take_wire(arrays, &cpu->to_execute, params->issue_width + params->iq_entries + params->rob_entries, SIGNAL_SLOTS);
    take_wire(arrays, &cpu->to_commit, params->writeback_width, commit_cycles);
    cpu->register_count = (uint32_t)(cpu->rename.named + params->int_registers + params->float_registers);
    if (cpu->rename.is_shared)
        cpu->register_count += (uint32_t)(params->flag_registers + temporaries(params) + 1);
    cpu->rename.map = detailed_cpu_take_part(arrays, cpu->rename.named, sizeof *cpu->rename.map);
    cpu->registers = detailed_cpu_take_part(arrays, cpu->register_count, sizeof *cpu->registers);
    /* a micro-op that rename does has two results, at most */
    cpu->rename.history_mask = power_of_two(cpu->register_count + (cpu->rename.is_shared ? 2 * in_flight : 0)) - 1;
    cpu->rename.history = detailed_cpu_take_part(arrays, cpu->rename.history_mask + 1, sizeof *cpu->rename.history);
    cpu->rename.free_registers = detailed_cpu_take_part(arrays, cpu->register_count + 1,
                                                        sizeof *cpu->rename.free_registers);
    cpu->iew.completion_mask = (uint32_t)completion - 1;
    cpu->iew.completions = detailed_cpu_take_part(arrays, completion, sizeof *cpu->iew.completions);
    cpu->iew.barriers = detailed_cpu_take_part(arrays, in_flight, sizeof *cpu->iew.barriers);
    cpu->lsq.load_mask = power_of_two(params->lq_entries) - 1;
    cpu->lsq.loads = detailed_cpu_take_part(arrays, cpu->lsq.load_mask + 1, sizeof *cpu->lsq.loads);
    cpu->lsq.store_mask = power_of_two(params->sq_entries) - 1;
    cpu->lsq.stores = detailed_cpu_take_part(arrays, cpu->lsq.store_mask + 1, sizeof *cpu->lsq.stores);
    cpu->lsq.combining.count = params->combined_lines;
    cpu->lsq.combining.line_bytes = cpu->line_bytes;
    cpu->lsq.combining.lines = detailed_cpu_take_part(arrays, params->combined_lines, sizeof(struct combined_line));
    cpu->commit.rob_mask = power_of_two(params->rob_entries * joined) - 1;
    cpu->commit.rob = detailed_cpu_take_part(arrays, cpu->commit.rob_mask + 1, sizeof *cpu->commit.rob);
    take_fifo(arrays, &cpu->commit.kept_out, in_flight);
    take_delays(cpu, arrays, in_flight);
    if (arrays->memory)
        store_sets_init(&cpu->iew.sets,
                        detailed_cpu_take_part(arrays, 1, store_sets_bytes(params->ssit_entries, params->lfst_entries)),
                        params->ssit_entries, params->lfst_entries, params->store_set_clear_period,
                        params->has_store_sets);
    else
        detailed_cpu_take_part(arrays, 1, store_sets_bytes(params->ssit_entries, params->lfst_entries));
}

static void begin_registers(struct detailed_cpu *cpu)
{
    struct rename_stage *const rename = &cpu->rename;

    for (uint32_t i = 0; i < cpu->register_count; i++)
        cpu->registers[i].is_ready = 1;
    for (uint16_t i = 0; i < rename->named; i++)
        rename->map[i] = i;
    rename->zero = (uint16_t)(cpu->register_count - 1);
    rename->free_register_count = cpu->register_count - rename->named - rename->is_shared;
    for (uint32_t i = 0; i < rename->free_register_count; i++)
        rename->free_registers[i] = (uint16_t)(cpu->register_count - 1 - rename->is_shared - i);
    rename->free_of[REGISTER_INT] = (uint32_t)cpu->params.int_registers - 33;
    rename->free_of[REGISTER_FLOAT] = (uint32_t)cpu->params.float_registers - 33;
    if (cpu->params.flag_registers > 0)
        rename->free_of[REGISTER_FLAG] = (uint32_t)cpu->params.flag_registers - 1;
    rename->free_of[REGISTER_TEMPORARY] = (uint32_t)temporaries(&cpu->params);
}

static void begin_lists(struct load_store_queue *lsq)
{
    lsq->blocked_end = &lsq->blocked;
    lsq->retried_end = &lsq->retried;
    lsq->replayed_end = &lsq->replayed;
    lsq->forwarded_end = &lsq->forwarded;
    lsq->reservation = UINT64_MAX;
}

static void begin_units(struct detailed_cpu *cpu)
{
#define OP_UNIT(suffix, key, unit, cycles, is_pipelined) DETAILED_UNIT_##unit,
    static const uint8_t units[] = {DETAILED_OPS(OP_UNIT)};
#undef OP_UNIT

    memcpy(cpu->op_unit, units, sizeof units);
}

static void begin_mechanisms(struct detailed_cpu *cpu)
{
    const struct detailed_params *const params = &cpu->params;

    limits_init(cpu);
    idioms_init(cpu);
    fusion_init(cpu);
    cpu->rename.is_shared = cpu->rename.eliminates != 0 || params->flag_registers > 0 || !params->temporaries_take
        || params->renamed_stores > 0;
}

static struct fault detailed_cpu_begin(struct detailed_cpu *cpu, const struct detailed_cpu_setup *setup)
{
    struct arrays arrays = {NULL, 0};
    struct branch_params branch = *setup->branch;
    struct fault fault = fault_none();

    branch.where = setup->where;
    begin_mechanisms(cpu);
    take_arrays(cpu, &arrays);
    /* calloc: most of them is never used, and the system gives zeroed pages when they are. */
    cpu->memory = calloc(1, arrays.used + ARRAY_BYTES);
    if (!cpu->memory)
        return fault_make(FAULT_MEMORY, "out of memory for a detailed core");
    arrays = (struct arrays){
        (char *)cpu->memory + (ARRAY_BYTES - (uintptr_t)cpu->memory % ARRAY_BYTES) % ARRAY_BYTES, 0};
    take_arrays(cpu, &arrays);
    begin_registers(cpu);
    ahead_begin(cpu);
    begin_lists(&cpu->lsq);
    begin_units(cpu);
    cpu->branches = branch_unit_new(&branch, cpu->pool_count, &fault);
    if (!cpu->branches)
        return fault;
    snprintf(cpu->name, sizeof cpu->name, "%s", setup->name);
    snprintf(cpu->inst_name, sizeof cpu->inst_name, "%s.inst", cpu->name);
    snprintf(cpu->data_name, sizeof cpu->data_name, "%s.data", cpu->name);
    cpu->inst_requestor = sim_add_requestor(cpu->sim, cpu->inst_name);
    cpu->data_requestor = sim_add_requestor(cpu->sim, cpu->data_name);
    event_init(&cpu->tick_event, core_tick, cpu, EVENT_EXIT);
    event_set_rank(&cpu->tick_event, EVENT_HIGHEST_RANK - setup->number);
    return event_queue_reserve(&cpu->sim->events, 1);
}

struct detailed_cpu *detailed_cpu_new(const struct detailed_cpu_setup *setup, struct fault *fault)
{
    struct detailed_cpu *const cpu = calloc(1, sizeof *cpu);

    if (!cpu) {
        *fault = fault_make(FAULT_MEMORY, "out of memory for a detailed core");
        return NULL;
    }
    cpu->sim = setup->sim;
    cpu->clock = clock_domain(setup->period_ps);
    cpu->params = *setup->params;
    cpu->line_bytes = setup->line_bytes;
    cpu->supply = setup->supply;
    cpu->rename.named = UOP_REGISTERS;
    if (setup->supply && setup->supply->register_count > 0) {
        cpu->rename.named = setup->supply->register_count;
        cpu->rename.has_labels = true;
    }
    cpu->listener = setup->listener;
    cpu->reached_at = UINT64_MAX;
    cpu->commit.trap_cyc = DETAILED_NEVER;
    cpu->commit.faulted_number = SUPPLY_WRONG;
    for (unsigned i = 0; i < SIGNAL_SLOTS; i++)
        cpu->signals[i].cycle = cpu->requests[i].cycle = UINT64_MAX;
    *fault = detailed_cpu_begin(cpu, setup);
    if (fault->kind != FAULT_NONE) {
        detailed_cpu_free(cpu);
        return NULL;
    }
    return cpu;
}

void detailed_cpu_free(struct detailed_cpu *cpu)
{
    if (!cpu)
        return;
    if (cpu->fetch.refused)
        packet_give(cpu->sim->packets, cpu->fetch.refused);
    branch_unit_free(cpu->branches);
    free(cpu->hooked);
    free(cpu->memory);
    free(cpu);
}

/* ---- ports */
static bool inst_response(void *self, struct packet *packet, unsigned port)
{
    (void)port;
    return fetch_response(self, packet);
}

static void inst_retry(void *self, unsigned port)
{
    (void)port;
    fetch_retry(self);
}

static bool data_response(void *self, struct packet *packet, unsigned port)
{
    (void)port;
    return lsq_response(self, packet);
}

static void data_retry(void *self, unsigned port)
{
    (void)port;
    lsq_retry(self);
}

static void no_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
}

static void no_snoop_retry(void *self, unsigned port)
{
    (void)self;
    (void)port;
}

struct above detailed_cpu_inst_port(struct detailed_cpu *cpu)
{
    static const struct above_ops ops = {inst_response, inst_retry, no_snoop, no_snoop_retry, NULL};

    return (struct above){.ops = &ops, .self = cpu, .requestor = cpu->inst_requestor};
}

struct above detailed_cpu_data_port(struct detailed_cpu *cpu)
{
    static const struct above_ops ops = {data_response, data_retry, no_snoop, no_snoop_retry, NULL};

    return (struct above){.ops = &ops, .self = cpu, .requestor = cpu->data_requestor};
}

void detailed_cpu_connect(struct detailed_cpu *cpu, const struct below *icache, const struct below *dcache)
{
    cpu->icache = *icache;
    cpu->dcache = *dcache;
}

/* ---- start and end */
void detailed_cpu_on_finished(struct detailed_cpu *cpu, void (*finished)(void *context), void *context)
{
    cpu->finished = finished;
    cpu->finished_context = context;
}

void detailed_cpu_on_instructions(struct detailed_cpu *cpu, uint64_t instructions, void (*reached)(void *context),
                                  void *context)
{
    cpu->reached_at = instructions;
    cpu->reached = reached;
    cpu->reached_context = context;
}

void detailed_cpu_take(struct detailed_cpu *cpu, struct supply *supply)
{
    for (struct inst *inst = cpu->young_youngest; inst; inst = inst->young_before)
        inst->state &= ~(uint32_t)INST_HOLDS_INSN;       /* of the supply before, which may be gone */
    cpu->supply = supply;
}

struct fault detailed_cpu_start(struct detailed_cpu *cpu)
{
    uint64_t cycle = domain_cycles(cpu->clock, sim_now_ps(cpu->sim));
    const struct supply_insn *first;
    struct fault fault = fault_none();

    if (cpu->was_started) {
        core_restart(cpu);
        cycle = max_u64(cycle, cpu->cycle + 1);
    }
    cpu->is_done = false;
    switch (supply_right(cpu->supply, 0, &first, &fault)) {
    case SUPPLY_FAULT:
        return fault;
    case SUPPLY_END:
        core_finish(cpu);
        return fault_none();
    case SUPPLY_INSN:
        break;
    }
    cpu->was_started = true;
    cpu->fetch.next = (struct position){0, first->pc, 0, 0};
    cpu->start_cycle = cycle;
    cpu->rename.free_rob = (int64_t)cpu->params.rob_entries;
    cpu->rename.free_iq = (int64_t)cpu->params.iq_entries;
    cpu->rename.free_lq = (int64_t)cpu->params.lq_entries;
    cpu->rename.free_sq = (int64_t)cpu->params.sq_entries;
    cpu->rename.empty_rob = true;
    core_schedule(cpu, cycle);
    return fault_none();
}

void core_finish(struct detailed_cpu *cpu)
{
    cpu->is_done = true;
    if (cpu->finished)
        cpu->finished(cpu->finished_context);
}

void core_fail(struct detailed_cpu *cpu, struct fault fault)
{
    if (cpu->fault.kind == FAULT_NONE)
        cpu->fault = fault;
    event_queue_stop(&cpu->sim->events);
}

/* ---- queries */
void detailed_cpu_sync(struct detailed_cpu *cpu)
{
    if (cpu->hooks.catch_up && !cpu->is_done)
        cpu->hooks.catch_up(cpu);
}


void detailed_cpu_warm(struct detailed_cpu *cpu, const struct branch_query *query)
{
    branch_unit_warm(cpu->branches, query, BRANCH_WARM_IN_FLIGHT);
}

void detailed_cpu_warm_end(struct detailed_cpu *cpu)
{
    branch_unit_warm_end(cpu->branches);
}

void detailed_cpu_reset_statistics(struct detailed_cpu *cpu)
{
    detailed_cpu_sync(cpu);
    cpu->stats = (struct detailed_stats){0};
    *branch_unit_stats(cpu->branches) = (struct branch_stats){0};
    branch_unit_reset_modules(cpu->branches);
}

void detailed_cpu_watch_branches(struct detailed_cpu *cpu,
                                 void (*watch)(void *self, const struct rubato_branch *branch), void *self)
{
    cpu->watch_branch = watch;
    cpu->branch_watcher = self;
}

void detailed_cpu_add_modules(const struct detailed_cpu *cpu, const char *name, struct stats *stats)
{
    branch_unit_add_modules(cpu->branches, name, stats);
}

void detailed_cpu_end_modules(struct detailed_cpu *cpu)
{
    branch_unit_end_modules(cpu->branches);
}

const struct detailed_params *detailed_cpu_params(const struct detailed_cpu *cpu)
{
    return &cpu->params;
}

const struct detailed_stats *detailed_cpu_stats(const struct detailed_cpu *cpu)
{
    return &cpu->stats;
}

const struct branch_stats *detailed_cpu_branch_stats(const struct detailed_cpu *cpu)
{
    return branch_unit_stats(cpu->branches);
}

uint64_t detailed_cpu_instructions(const struct detailed_cpu *cpu)
{
    return cpu->instructions;
}

const struct fault *detailed_cpu_fault(const struct detailed_cpu *cpu)
{
    return &cpu->fault;
}

bool detailed_cpu_is_done(const struct detailed_cpu *cpu)
{
    return cpu->is_done;
}

bool detailed_cpu_is_waiting(const struct detailed_cpu *cpu)
{
    return !cpu->is_done && !cpu->tick_event.scheduled;
}

uint64_t detailed_cpu_activity(const struct detailed_cpu *cpu)
{
    return cpu->activity;
}

void detailed_cpu_describe(const struct detailed_cpu *cpu, char *text, size_t size)
{
    const struct commit_stage *const commit = &cpu->commit;
    const struct inst *const head = commit->head < commit->tail ? commit->rob[commit->head & commit->rob_mask] : NULL;

    if (!head)
        snprintf(text, size, "the ROB is empty, fetch is at pc 0x%llx", (unsigned long long)cpu->fetch.next.pc);
    else if (head->packets_left > 0)
        snprintf(text, size, "the oldest micro-op, at pc 0x%llx, waits for the L1D to answer for address 0x%llx",
                 (unsigned long long)head->pc, (unsigned long long)head->place);
    else
        snprintf(text, size, "the oldest micro-op, at pc 0x%llx, is not executed", (unsigned long long)head->pc);
}

