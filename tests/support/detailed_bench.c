/* Instructions of the right path are copies that are spoilt and freed once they are released, so that a use after that
 * shows. An L1 that refused takes nothing until it has called back, as caches do; a packet in between is a mistake of
 * the core's. */
#include "tests/support/detailed_bench.h"
#include "replay/fast/idle.h"
#include "tests/support/unit.h"

struct detailed_bench detailed;

/* ---- instructions */
struct made {
    struct supply_insn insn;
    struct uop uops[BENCH_MOST_UOPS];
    struct supply_access accesses[BENCH_MOST_UOPS];
    struct made *next;                   /* of those that hold for the whole run */
};

static struct made *kept, *given[BENCH_MOST_INSNS + 1];
static uint64_t released;                /* instructions below that one are */

static void make_uop(struct made *made, unsigned i, const struct bench_uop *from)
{
    struct uop *const uop = &made->uops[i];
    struct supply_access *const access = &made->accesses[i];

    *uop = (struct uop){.flags = from->flags, .op = from->op, .access = UOP_NO_ACCESS};
    for (unsigned s = 0; s < COUNT(from->sources); s++)
        if (from->sources[s] > 0)
            uop->sources[uop->source_count++] = from->sources[s];
    if (from->result > 0)
        uop->results[uop->result_count++] = from->result;
    uop->traits = from->traits;
    uop->flag_results = from->flag_results;
    uop->temporary_results = from->temporary_results;
    uop->address_sources = from->address_sources < uop->source_count ? from->address_sources : uop->source_count;
    if (!(from->flags & UOP_MEMORY))
        return;
    uop->access = from->size_bytes > 0 ? (uint16_t)i : UOP_NO_ACCESS;
    *access = (struct supply_access){.address = from->address, .place = from->address, .size_bytes = from->size_bytes,
                                     .has_place = from->size_bytes > 0, .is_first_touch = from->is_first_touch};
}

static struct made *make(const struct bench_insn *insn, uint64_t number)
{
    struct made *const made = calloc(1, sizeof *made);

    assert_non_null(made);
    made->insn = (struct supply_insn){
        .pc = insn->pc, .next_pc = insn->next_pc, .target = insn->target, .number = number, .uops = made->uops,
        .accesses = made->accesses, .uop_count = (uint16_t)insn->uop_count, .access_count = BENCH_MOST_UOPS,
        .size_bytes = (uint8_t)insn->size_bytes, .is_taken = insn->is_taken,
        .is_string = insn->is_string};
    for (unsigned i = 0; i < insn->uop_count; i++)
        make_uop(made, i, &insn->uops[i]);
    made->uops[insn->uop_count - 1].flags |= UOP_LAST;
    return made;
}

const struct supply_insn *bench_make(const struct bench_insn *insn, uint64_t number)
{
    struct made *const made = make(insn, number);

    made->next = kept;
    kept = made;
    return &made->insn;
}

const struct supply_insn *bench_wrong_alu(uint64_t pc)
{
    struct bench_insn const insn = {.pc = pc, .next_pc = pc + 4, .size_bytes = 4, .uop_count = 1,
                                    .uops = {{.op = DETAILED_OP_INT_ALU}}};

    return bench_make(&insn, SUPPLY_WRONG);
}

/* ---- the supply */
static enum supply_step right(struct supply *supply, uint64_t number, const struct supply_insn **insn,
                              struct fault *fault)
{
    (void)supply, (void)fault;
    assert_true(number >= released);
    if (number >= detailed.insn_count)
        return SUPPLY_END;
    if (!given[number])
        given[number] = make(&detailed.insns[number], number);
    *insn = &given[number]->insn;
    return SUPPLY_INSN;
}

static void spoil(struct made **made)
{
    if (!*made)
        return;
    memset(*made, 0xee, sizeof **made);
    free(*made);
    *made = NULL;
}

static void release(struct supply *supply, uint64_t number)
{
    (void)supply;
    assert_true(number >= released && number <= detailed.insn_count);
    while (released < number)
        spoil(&given[released++]);
}

static const struct supply_insn *wrong(struct supply *supply, uint64_t pc, uint64_t state_before)
{
    (void)supply;
    detailed.wrong_state = state_before;
    if (!detailed.wrong || detailed.wrong_limit == 0)
        return NULL;
    detailed.wrong_limit--;
    return detailed.wrong(pc);
}

static void hold(struct supply *supply, const struct supply_insn *insn, bool drops)
{
    (void)supply;
    assert_true(insn->has_values);
    detailed.wrong_held += drops ? -1 : 1;
    assert_true(detailed.wrong_held >= 0);
}

static bool place(struct supply *supply, uint64_t address, uint64_t *where)
{
    (void)supply;
    *where = address;
    return !detailed.has_no_place;
}

static struct supply fake_supply;

/* ---- L1s */
static uint64_t draw(struct bench_cache *cache)
{
    cache->random = cache->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return cache->random >> 33;
}

static void answer(void *owner)
{
    struct bench_slot *const slot = owner;
    struct packet *const packet = slot->packet;
    struct bench_cache *const cache = slot->cache;

    slot->packet = NULL;
    packet_make_response(packet);
    cache->answered++;
    assert_true(cache->above.ops->recv_response(cache->above.self, packet, 0));
}

static void retry(void *owner)
{
    struct bench_cache *const cache = owner;

    cache->owes_retry = false;
    cache->above.ops->recv_request_retry(cache->above.self, 0);
}

static bool refuses(struct bench_cache *cache)
{
    if (cache->takes_first > 0) {
        cache->takes_first--;
        return false;
    }
    if (cache->refuses_first > 0)
        return cache->refuses_first--;
    return cache->refuses_one_in > 0 && draw(cache) % cache->refuses_one_in == 0;
}

static bool request(void *self, struct packet *packet, unsigned port)
{
    struct bench_cache *const cache = self;
    struct event_queue *const events = &detailed.sim.events;
    struct bench_slot *slot = cache->slots;

    (void)port;
    assert_false(cache->owes_retry);         /* whom it refused, that waits until it is called */
    if (refuses(cache)) {
        cache->refused++;
        cache->owes_retry = true;
        event_schedule(events, &cache->retry, events->now_ps + cache->retry_ps);
        return false;
    }
    while (slot->packet)
        slot++;
    assert_true(slot < cache->slots + BENCH_MOST_SLOTS);
    slot->packet = packet;
    event_schedule(events, &slot->event,
                   events->now_ps + cache->latency_ps + (cache->jitter_ps > 0 ? draw(cache) % cache->jitter_ps : 0));
    if (cache->sent_count < BENCH_MOST_SENT)
        cache->sent[cache->sent_count++] = (struct bench_sent){events->now_ps / BENCH_PERIOD_PS, packet->address,
                                                               packet->size_bytes, packet->command};
    return true;
}

static const struct below_ops cache_ops = {.recv_request = request};

static void prepare_cache(struct bench_cache *cache)
{
    *cache = (struct bench_cache){.latency_ps = 2 * BENCH_PERIOD_PS, .retry_ps = 3 * BENCH_PERIOD_PS, .random = 1};
    cache->slots = calloc(BENCH_MOST_SLOTS, sizeof *cache->slots);
    cache->sent = calloc(BENCH_MOST_SENT, sizeof *cache->sent);
    assert_true(cache->slots && cache->sent);
    event_init(&cache->retry, retry, cache, EVENT_DEFAULT);
    for (size_t i = 0; i < BENCH_MOST_SLOTS; i++) {
        cache->slots[i].cache = cache;
        event_init(&cache->slots[i].event, answer, &cache->slots[i], EVENT_DEFAULT);
    }
}

static void free_cache(struct bench_cache *cache)
{
    for (size_t i = 0; cache->slots && i < BENCH_MOST_SLOTS; i++)
        if (cache->slots[i].packet)
            packet_give(detailed.sim.packets, cache->slots[i].packet);
    free(cache->slots);
    free(cache->sent);
}

static size_t under_way(const struct bench_cache *cache)
{
    size_t count = 0;

    for (size_t i = 0; i < BENCH_MOST_SLOTS; i++)
        count += cache->slots[i].packet != NULL;
    return count;
}

/* ---- life */
void detailed_prepare(void)
{
    detailed = (struct detailed_bench){.wrong_limit = SIZE_MAX, .is_checked = true};
    detailed_params_defaults(&detailed.params);
    branch_params_defaults(&detailed.branch);
    detailed.branch.type = BRANCH_PERFECT;
    detailed.params.ideal_fetch = 1;
    detailed.insns = calloc(BENCH_MOST_INSNS, sizeof *detailed.insns);
    assert_non_null(detailed.insns);
    prepare_cache(&detailed.l1i);
    prepare_cache(&detailed.l1d);
    released = 0;
}

int detailed_tear_down(void **state)
{
    (void)state;
    detailed_cpu_free(detailed.cpu);
    free_cache(&detailed.l1i);
    free_cache(&detailed.l1d);
    if (detailed.cpu) {
        assert_int_equal(detailed.sim.packets->outstanding, 0);
        sim_free(&detailed.sim);
    }
    free(detailed.insns);
    free(detailed.retired);
    for (size_t i = 0; i < COUNT(given); i++)
        spoil(&given[i]);
    while (kept) {
        struct made *const next = kept->next;

        free(kept);
        kept = next;
    }
    detailed = (struct detailed_bench){0};
    return 0;
}

static void note_retired(void *context, const struct detailed_retired *what)
{
    (void)context;
    if (detailed.retired_count == detailed.retired_room) {
        detailed.retired_room = detailed.retired_room * 2 + 1024;
        detailed.retired = realloc(detailed.retired, detailed.retired_room * sizeof *detailed.retired);
        assert_non_null(detailed.retired);
    }
    detailed.retired[detailed.retired_count++] =
        (struct bench_retired){.what = *what, .number = what->insn->number, .pc = what->insn->pc};
}

static void finished(void *context)
{
    (void)context;
    detailed.finished_calls++;
    detailed.end_ps = sim_now_ps(&detailed.sim);
}

void detailed_begin(void)
{
    static const struct supply_ops ops = {.right = right, .release = release, .wrong = wrong, .place = place,
                                          .hold = hold};
    static const struct detailed_listener listener = {.retired = note_retired};
    struct detailed_cpu_setup const setup = {
        .sim = &detailed.sim, .name = "cpu", .period_ps = BENCH_PERIOD_PS, .params = &detailed.params,
        .branch = &detailed.branch, .line_bytes = 64, .supply = &fake_supply, .listener = &listener};
    struct below const icache = {.ops = &cache_ops, .self = &detailed.l1i};
    struct below const dcache = {.ops = &cache_ops, .self = &detailed.l1d};
    struct fault fault = detailed_params_check(&detailed.params, 64);

    assert_fine(fault);
    fake_supply = (struct supply){.ops = &ops, .has_images = detailed.wrong != NULL};
    sim_init(&detailed.sim, 64);
    assert_fine(event_queue_reserve(&detailed.sim.events, 2 * BENCH_MOST_SLOTS + 8));
    detailed.cpu = detailed_cpu_new(&setup, &fault);
    assert_fine(fault);
    if (detailed.is_idle_bound)
        assert_fine(idle_bind(detailed.cpu));
    detailed.l1i.above = detailed_cpu_inst_port(detailed.cpu);
    detailed.l1d.above = detailed_cpu_data_port(detailed.cpu);
    detailed_cpu_connect(detailed.cpu, &icache, &dcache);
    detailed_cpu_on_finished(detailed.cpu, finished, NULL);
    assert_fine(detailed_cpu_start(detailed.cpu));
}

void detailed_run(void)
{
    detailed_begin();
    detailed_finish();
}

void detailed_finish(void)
{
    struct detailed_cpu *const cpu = detailed.cpu;
    uint64_t const first = cpu->cycle;
    uint64_t checked = first;

    while (!cpu->is_done && event_queue_step(&detailed.sim.events, TICK_NEVER - 1)) {
        if (detailed.is_checked && cpu->cycle != checked)
            detailed_check();
        checked = cpu->cycle;
        if (cpu->cycle > first + 20000 + 400 * detailed.insn_count)
            break;
    }
    assert_fine(*detailed_cpu_fault(cpu));
    if (!cpu->is_done) {
        char text[256];

        detailed_cpu_describe(cpu, text, sizeof text);
        fail_msg("the core hangs in cycle %llu, %llu instructions committed: %s", (unsigned long long)cpu->cycle,
                 (unsigned long long)detailed_cpu_instructions(cpu), text);
    }
    detailed_cpu_sync(cpu);
    assert_int_equal(detailed.finished_calls, 1);
    if (detailed.is_checked)
        detailed_check();
    if (detailed.is_left_open)
        return;
    /* Answers that are under way find the core at its end. */
    while (event_queue_step(&detailed.sim.events, TICK_NEVER - 1))
        ;
    assert_int_equal(under_way(&detailed.l1i) + under_way(&detailed.l1d), 0);
    if (detailed.is_checked)
        detailed_check();
}

static void start_again(void *owner)
{
    (void)owner;
    detailed_cpu_take(detailed.cpu, &fake_supply);
    assert_fine(detailed_cpu_start(detailed.cpu));
}

void detailed_run_again(void)
{
    struct event_queue *const events = &detailed.sim.events;
    struct event start;

    for (size_t i = 0; i < COUNT(given); i++)
        spoil(&given[i]);
    released = 0;
    detailed.retired_count = 0;
    detailed.finished_calls = 0;
    event_init(&start, start_again, NULL, EVENT_DEFAULT);
    event_schedule(events, &start, (events->now_ps / BENCH_PERIOD_PS + 1) * BENCH_PERIOD_PS);
    while (start.scheduled)
        assert_true(event_queue_step(events, TICK_NEVER - 1));
    detailed_finish();
}

/* ---- observations */
const struct detailed_retired *at_uop(uint64_t number, unsigned micro_pc)
{
    for (size_t i = 0; i < detailed.retired_count; i++) {
        const struct bench_retired *const retired = &detailed.retired[i];

        if (retired->number == number && retired->what.micro_pc == micro_pc
            && (!retired->what.is_squashed || (retired->what.uop && retired->what.has_fault)))
            return &retired->what;
    }
    fail_msg("micro-op %u of instruction %llu did not leave the ROB", micro_pc, (unsigned long long)number);
    return NULL;
}

const struct detailed_retired *at(uint64_t number)
{
    return at_uop(number, 0);
}

uint64_t sent_at(const struct bench_cache *cache, uint64_t address, unsigned n)
{
    for (size_t i = 0; i < cache->sent_count; i++)
        if (cache->sent[i].address == address && n-- == 0)
            return cache->sent[i].cycle;
    return UINT64_MAX;
}

/* ---- programs by hand */
static struct bench_insn *add(uint8_t op, uint32_t flags)
{
    struct bench_insn *const insn = &detailed.insns[detailed.insn_count];

    assert_true(detailed.insn_count < BENCH_MOST_INSNS);
    insn->pc = detailed.insn_count == 0 ? BENCH_CODE : insn[-1].next_pc;
    insn->size_bytes = 4;
    insn->next_pc = insn->pc + 4;
    insn->uop_count = 1;
    insn->uops[0].op = op;
    insn->uops[0].flags = flags;
    detailed.insn_count++;
    return insn;
}

static struct bench_insn *add_access(uint8_t op, uint32_t flags, uint64_t address, uint32_t size_bytes)
{
    struct bench_insn *const insn = add(op, flags);

    insn->uops[0].address = address;
    insn->uops[0].size_bytes = size_bytes;
    return insn;
}

struct bench_insn *add_op(enum detailed_op op, uint16_t result, uint16_t source)
{
    struct bench_insn *const insn = add((uint8_t)op, 0);

    insn->uops[0].result = result;
    insn->uops[0].sources[0] = source;
    return insn;
}

struct bench_insn *add_alu(uint16_t result, uint16_t source)
{
    return add_op(DETAILED_OP_INT_ALU, result, source);
}

void add_alus(unsigned count)
{
    while (count-- > 0)
        add_alu(0, 0);
}

struct bench_insn *add_load(uint16_t result, uint64_t address, uint32_t size_bytes)
{
    struct bench_insn *const insn = add_access(DETAILED_OP_MEM_READ, UOP_LOAD, address, size_bytes);

    insn->uops[0].result = result;
    return insn;
}

struct bench_insn *add_store(uint16_t source, uint64_t address, uint32_t size_bytes)
{
    struct bench_insn *const insn = add_access(DETAILED_OP_MEM_WRITE, UOP_STORE, address, size_bytes);

    insn->uops[0].sources[0] = source;
    return insn;
}

struct bench_insn *add_atomic(uint16_t result, uint64_t address)
{
    struct bench_insn *const insn = add_access(DETAILED_OP_MEM_READ, UOP_ATOMIC | UOP_NON_SPECULATIVE, address, 8);

    insn->uops[0].result = result;
    return insn;
}

struct bench_insn *add_linked(uint16_t result, uint64_t address)
{
    struct bench_insn *const insn = add_access(DETAILED_OP_MEM_READ, UOP_LOAD | UOP_LINKED, address, 8);

    insn->uops[0].result = result;
    return insn;
}

struct bench_insn *add_conditional(uint16_t result, uint64_t address)
{
    struct bench_insn *const insn = add_access(DETAILED_OP_MEM_WRITE, UOP_STORE | UOP_LINKED | UOP_NON_SPECULATIVE,
                                               address, address > 0 ? 8 : 0);

    insn->uops[0].result = result;
    return insn;
}

struct bench_insn *add_fence(void)
{
    return add(DETAILED_OP_NO_OP, UOP_READ_BARRIER | UOP_WRITE_BARRIER);
}

struct bench_insn *add_serialising(void)
{
    return add(DETAILED_OP_NO_OP, UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE);
}

struct bench_insn *add_syscall(void)
{
    return add(DETAILED_OP_NO_OP, UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE | UOP_TRAP);
}

struct bench_insn *add_branch(uint16_t source, uint64_t target)
{
    struct bench_insn *const insn = add(DETAILED_OP_INT_ALU, UOP_CONTROL | UOP_DIRECT | UOP_CONDITIONAL);

    insn->uops[0].sources[0] = source;
    insn->next_pc = insn->target = target;
    insn->is_taken = true;
    return insn;
}

struct bench_insn *add_jump(uint64_t target)
{
    struct bench_insn *const insn = add(DETAILED_OP_INT_ALU, UOP_CONTROL | UOP_DIRECT);

    insn->next_pc = insn->target = target;
    insn->is_taken = true;
    return insn;
}
