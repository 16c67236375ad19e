/* memsys/fast/event_order.h: random programs of events on several queues, where the domains' queues run ahead of the
 * shared one, against the same program on one queue. The events each queue executes, the calls that leave a domain,
 * and the places passed must be the same. */
#include "memsys/fast/event_order.h"
#include "memsys/sim/event.h"
#include "memsys/sim/sim_random.h"
#include "tests/support/unit.h"

enum {
    PARTS = 3, QUEUES = PARTS + 1,       /* queue 0 is shared */
    EVENTS = 6,                          /* of each queue; the last of a part leaves it */
    LAST_PS = 300, MOST_EXECUTED = 20000
};

struct done {
    unsigned event;
    uint64_t when_ps;
    bool is_ahead;                       /* the place, as it was found */
};

struct part {
    struct event events[EVENTS];
    unsigned times[EVENTS];              /* how often each has executed */
    struct event_place place;
    struct done done[MOST_EXECUTED];     /* by the part's own events; what leaves it, too, at the shared one's */
    unsigned done_count;
};

struct program {
    uint64_t seed;
    unsigned lag;                        /* delays are up to that */
    bool calls;                          /* shared events insert events of parts */
    bool is_one_queue;
    struct event_queue queues[QUEUES];
    struct event_order order;
    struct part parts[QUEUES];
    uint64_t settled;                    /* how often */
};

struct owner {
    struct program *program;
    unsigned part, event;
};

static struct owner owners[2][QUEUES][EVENTS];

/* An event's action depends on its own past, not on the order of the host. */
static uint64_t draw(const struct program *program, unsigned part, unsigned event, unsigned salt)
{
    uint64_t hash = program->seed * 1000003 + part * 8191 + event * 131 + salt;

    hash = hash * 1000003 + program->parts[part].times[event];
    hash ^= hash >> 29;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    hash ^= hash >> 32;
    hash *= UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

static struct event_queue *queue_of(struct program *program, unsigned part)
{
    return &program->queues[program->is_one_queue ? 0 : part];
}

static void note(struct program *program, unsigned list, unsigned part, unsigned event, uint64_t when_ps, bool is_ahead)
{
    struct part *const to = &program->parts[list];

    assert_true(to->done_count < MOST_EXECUTED);
    to->done[to->done_count++] = (struct done){part * EVENTS + event, when_ps, is_ahead};
}

/* Inserts an event of that part, or moves it. */
static void insert(struct program *program, unsigned part, uint64_t choice, uint64_t now_ps, unsigned event)
{
    struct event *const chosen = &program->parts[part].events[event];
    uint64_t const when_ps = now_ps + choice % program->lag;

    if (when_ps >= LAST_PS)
        return;
    if (!chosen->scheduled)
        event_schedule(queue_of(program, part), chosen, when_ps);
    else if (choice >> 32 & 1 && chosen->when_ps >= now_ps)
        event_reschedule(queue_of(program, part), chosen, when_ps);
}

static void happen(struct program *program, unsigned part, unsigned event, unsigned in)
{
    struct event_queue *const queue = queue_of(program, in);
    struct event_place *const place = &program->parts[in].place;
    uint64_t const now_ps = queue->now_ps, choice = draw(program, part, event, 100 + in);
    bool const is_ahead = place->number > 0 && !event_has_passed(queue, place);
    unsigned const count = 1 + (unsigned)(choice % 3 == 0) + (unsigned)(choice % 7 == 0);

    note(program, in, part, event, now_ps, is_ahead);
    for (unsigned i = 0; i < count; i++) {
        uint64_t const which = draw(program, part, event, 10 * in + i);

        insert(program, in, which >> 8, now_ps, (unsigned)(which % EVENTS));
    }
    if (choice >> 40 & 1 && !is_ahead)
        *place = event_reserve(queue, now_ps + 1 + (choice >> 42) % program->lag);
}

static void handle(void *self)
{
    const struct owner *const owner = self;
    struct program *const program = owner->program;
    unsigned const part = owner->part, event = owner->event;
    uint64_t const choice = draw(program, part, event, 99);
    uint64_t const now_ps = queue_of(program, part)->now_ps;

    happen(program, part, event, part);
    if (part > 0 && event == EVENTS - 1)
        happen(program, part, event, 0);
    if (part == 0 && program->calls && choice % 2 == 0) {
        unsigned const called = 1 + (unsigned)(choice >> 8) % PARTS;

        if (!program->is_one_queue) {
            assert_true(program->queues[called].now_ps <= now_ps);
            program->queues[called].now_ps = now_ps;
            program->queues[called].current_number = program->queues[0].current_number;
        }
        happen(program, part, event, called);
    }
    program->parts[part].times[event]++;
}

static void begin(struct program *program, uint64_t seed, bool calls, bool is_one_queue)
{
    *program = (struct program){.seed = seed, .lag = 3 + (unsigned)(seed % 5), .calls = calls,
                                .is_one_queue = is_one_queue};
    assert_int_equal(event_order_init(&program->order, NULL).kind, FAULT_NONE);
    for (unsigned i = 0; i < QUEUES; i++) {
        assert_int_equal(event_queue_reserve(&program->queues[i], QUEUES * EVENTS).kind, FAULT_NONE);
        if (!is_one_queue) {
            event_order_join(&program->order, &program->queues[i]);
            assert_int_equal(event_order_keep(&program->order, &program->parts[i].place).kind, FAULT_NONE);
        }
    }
    for (unsigned i = 0; i < QUEUES; i++)
        for (unsigned j = 0; j < EVENTS; j++) {
            owners[is_one_queue][i][j] = (struct owner){program, i, j};
            event_init(&program->parts[i].events[j], handle, &owners[is_one_queue][i][j], EVENT_DEFAULT);
            program->parts[i].events[j].leaves_part = i > 0 && j == EVENTS - 1;
        }
    for (unsigned i = 0; i < QUEUES; i++)
        for (unsigned j = 0; j < EVENTS; j++)
            event_schedule(queue_of(program, i), &program->parts[i].events[j], draw(program, i, j, 1) % 3);
}

static void end(struct program *program)
{
    for (unsigned i = 0; i < QUEUES; i++)
        event_queue_free(&program->queues[i]);
    event_order_free(&program->order);
}

/* The queue whose next event is the first; -1: none is before end_ps. */
static int find_first(struct program *program, uint64_t end_ps)
{
    int first = -1;

    for (int i = 0; i < QUEUES; i++) {
        const struct event *const event = program->queues[i].next->event;
        const struct event *const best = first < 0 ? NULL : program->queues[first].next->event;

        if (!event || event->when_ps >= end_ps)
            continue;
        if (!best || event->when_ps < best->when_ps
            || (event->when_ps == best->when_ps
                && event_order_is_before(&program->order, event->number, best->number, event->when_ps)))
            first = i;
    }
    return first;
}

static void execute(struct program *program, int first)
{
    struct event_queue *const queue = &program->queues[first];

    if (queue->next->event->leaves_part) {
        program->queues[0].now_ps = queue->next->when_ps;
        program->queues[0].current_number = queue->next->event->number;
    }
    event_queue_execute(queue);
}

/* In windows, at whose end the order is settled or not. Domains without calls from outside run ahead at random. */
static void run(struct program *program, struct random_generator *random)
{
    uint64_t end_ps = 0;

    while (end_ps < LAST_PS + 20) {
        int first;

        end_ps += random_uniform(random, 1, 40);
        while ((first = find_first(program, end_ps)) >= 0) {
            unsigned const ahead = random_uniform(random, 1, PARTS);
            const struct event *const event = program->queues[ahead].next->event;

            if (!program->calls && event && event->when_ps < end_ps && !event->leaves_part)
                first = (int)ahead;
            execute(program, first);
        }
        if (random_uniform(random, 0, 1)) {
            struct event_queue *queues[QUEUES];

            for (unsigned i = 0; i < QUEUES; i++)
                queues[i] = &program->queues[i];
            assert_int_equal(event_order_settle(&program->order, queues, QUEUES, end_ps).kind, FAULT_NONE);
            program->settled++;
        }
    }
}

static void compare(const struct program *several, const struct program *one)
{
    for (unsigned i = 0; i < QUEUES; i++) {
        const struct part *const a = &several->parts[i], *const b = &one->parts[i];

        for (unsigned j = 0; j < a->done_count && j < b->done_count; j++)
            if (a->done[j].event != b->done[j].event || a->done[j].when_ps != b->done[j].when_ps
                || a->done[j].is_ahead != b->done[j].is_ahead)
                fail_msg("seed %llu, queue %u, event %u: %u at %llu, ahead %d; with one queue %u at %llu, ahead %d",
                         (unsigned long long)one->seed, i, j, a->done[j].event, (unsigned long long)a->done[j].when_ps,
                         a->done[j].is_ahead, b->done[j].event, (unsigned long long)b->done[j].when_ps,
                         b->done[j].is_ahead);
        assert_int_equal(a->done_count, b->done_count);
    }
}

static void run_programs(bool calls)
{
    static struct program several, one;
    struct random_generator random;
    uint64_t executed = 0, settled = 0;

    random_init(&random, 1);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        begin(&several, seed, calls, false);
        begin(&one, seed, calls, true);
        run(&several, &random);
        event_queue_run(&one.queues[0], TICK_NEVER - 1, UINT64_MAX / 2);
        compare(&several, &one);
        executed += event_queue_executed(&one.queues[0]);
        settled += several.settled;
        end(&several);
        end(&one);
    }
    assert_true(executed > 400 * 100);   /* the programs do not end at once */
    assert_true(settled > 400);
}

static void the_first_of_all_queues_is_that_of_one_queue(void **state)
{
    run_programs(true);
}

static void parts_may_run_ahead(void **state)
{
    run_programs(false);
}

/* Two parts that do the same in the same ticks: who was first at the start decides for ever, and turns round. */
static void long_ties_are_followed_to_their_begin(void **state)
{
    static struct event_queue queues[2];
    struct event_order order;
    struct event events[2];

    memset(queues, 0, sizeof queues);
    assert_int_equal(event_order_init(&order, NULL).kind, FAULT_NONE);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(event_queue_reserve(&queues[i], 1).kind, FAULT_NONE);
        event_order_join(&order, &queues[i]);
        event_init(&events[i], handle, NULL, EVENT_DEFAULT);
        event_schedule(&queues[i], &events[i], 1);
    }
    for (uint64_t tick = 1; tick < 5000; tick++) {
        bool const second_is_first = event_order_is_before(&order, events[1].number, events[0].number, tick);

        assert_int_equal(second_is_first, tick % 2 == 1);
        for (int i = 0; i < 2; i++) {                /* in the order of the host, which must not matter */
            event_queue_begin(&queues[i], &events[i]);
            event_schedule(&queues[i], &events[i], tick + 1);
        }
    }
    assert_true(order.steps < 5000 * 100);
    for (int i = 0; i < 2; i++)
        event_queue_free(&queues[i]);
    event_order_free(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_all_queues_is_that_of_one_queue),
        cmocka_unit_test(parts_may_run_ahead),
        cmocka_unit_test(long_ties_are_followed_to_their_begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
