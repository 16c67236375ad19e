/* Accesses without packets: loads and stores that the L1D or a cache behind it can answer at once (memo.h). */
#include "replay/fast/memo.h"

#include "memsys/fast/bind_memory.h"
#include "memsys/fast/cache_try.h"
#include "replay/fast/fast_core.h"

static inline struct cache *cache_of(const struct below *below)
{
    return below->self;
}

/* ---- loads and stores */

/* Flags that make more of an access than an ordinary one, or send nothing at all. */
#define SPECIAL (REQUEST_UNCACHEABLE | REQUEST_STRICT_ORDER | REQUEST_LOCKED_RMW | REQUEST_LLSC | REQUEST_SWAP         \
                 | REQUEST_SWAP_CONDITIONAL | REQUEST_PREFETCH | REQUEST_PREFETCH_EXCLUSIVE | REQUEST_SECURE           \
                 | ELASTIC_ATOMIC_OPERATIONS)

static FORCE_INLINE bool may_try(const struct elastic_cpu *cpu, uint32_t place, bool is_load)
{
    const struct store_shape *const shape = elastic_graph_shape(&fast_of(cpu)->graph, place);

    return likely(!(shape->flags & SPECIAL)
                  && shape->size_bytes <= elastic_rest_of_line(cpu, fast_of(cpu)->graph.addresses[place])
                  && (is_load || shape->size_bytes != cpu->line_bytes));
}

static FORCE_INLINE enum elastic_sending send(struct elastic_cpu *cpu, uint64_t record, uint32_t place, bool is_load)
{
    struct cache *const cache = cache_of(&cpu->dcache);
    uint64_t const address = fast_of(cpu)->graph.addresses[place];

    if (!may_try(cpu, place, is_load))
        return ELASTIC_NEEDS_PACKET;
    if (unlikely(is_load ? !cache_try_read(cache, address, elastic_token(record, CMD_ReadResp))
                         : !cache_try_write(cache, address, elastic_token(record, CMD_WriteResp))))
        return cache_refuses(cache) ? ELASTIC_REFUSED : ELASTIC_NEEDS_PACKET;
    sim_log(cpu->sim, cpu->data_name, "send", is_load ? CMD_ReadReq : CMD_WriteReq, address);
    if (unlikely(fast_of(cpu)->is_watched))
        elastic_memo_note_access(cpu, record);
    return ELASTIC_SENT;
}

/* ---- fetches */

static bool fetch_hits(struct elastic_cpu *cpu)
{
    return likely(!cpu->refused_fetch && cpu->fetches_are_sound_reads && !cpu->sim->log.line)
        && cache_try_fetch_hit(cache_of(&cpu->icache), cpu->fetch_address);
}

static bool fetch(struct elastic_cpu *cpu)
{
    return (likely(cpu->fetches_are_sound_reads) || elastic_fetch_is_read(cpu->fetches.fetches->shape))
        && cache_try_fetch(cache_of(&cpu->icache), cpu->fetch_address);
}

uint64_t accesses_fetch_hits_until(const struct elastic_cpu *cpu, uint64_t end_ps, size_t *count)
{
    const struct store_fetch *next = cpu->fetches.fetches;
    size_t const visible = cpu->fetches.count + cpu->fetches.ahead;
    uint64_t due_ps = cpu->fetch_event.scheduled ? cpu->fetch_event.when_ps : cpu->fetch_ended ? TICK_NEVER : 0;

    *count = 0;
    if (due_ps >= end_ps)
        return due_ps;
    if (due_ps == 0 || cpu->refused_fetch || !cpu->fetches_are_sound_reads || cpu->sim->log.line)
        return 0;
    for (; due_ps < end_ps; next++, ++*count) {
        uint64_t const address = next->shape->addr + cpu->address_offset;

        if (*count + 1 >= visible || next[1].tick < next->tick || next[1].tick >= ELASTIC_LAST_TICK
            || !cache_will_hit_fetch(cache_of(&cpu->icache), address, due_ps))
            return 0;
        due_ps += next[1].tick - next->tick;
    }
    return due_ps < ELASTIC_LAST_TICK ? due_ps : 0;
}

/* ---- next events */

static bool continue_at(struct elastic_cpu *cpu, uint64_t when_ps)
{
    return event_continue(&cpu->sim->events, &cpu->data_event, when_ps);
}

/* Executes the next events as long as they are the core's own; true on reaching another data event. The first event
 * is not one, since continue_at did not succeed. */
static FORCE_INLINE bool go_on(struct elastic_cpu *cpu)
{
    struct event_queue *const events = &cpu->sim->events;
    struct packet_queue *const answers = &cache_of(&cpu->dcache)->responses;
    struct event *next = event_queue_upcoming(events);

    for (;;) {
        if (next == &answers->send_event) {
            event_queue_begin(events, next);
            packet_queue_send(answers, fast_data_answer, cpu);
        } else if (next == &cpu->fetch_event) {
            event_queue_begin(events, next);
            elastic_fetch_event(cpu);
        } else {
            return false;
        }
        next = event_queue_upcoming(events);
        if (next == &cpu->data_event) {
            event_queue_begin(events, next);
            return true;
        }
    }
}

/* Event of the L1D's response queue: takes the due responses, then executes the data event if it is next. */
static void take_answers(void *queue)
{
    struct packet_queue *const answers = queue;
    struct elastic_cpu *const cpu = answers->above->self;
    struct event_queue *const events = &cpu->sim->events;

    packet_queue_send(answers, fast_data_answer, cpu);
    if (event_queue_upcoming(events) == &cpu->data_event) {
        event_queue_begin(events, &cpu->data_event);
        fast_data_event(cpu);
    }
}

/* ---- binding */

bool accesses_are_possible(const struct cache *l1)
{
    return cache_is_simple(l1);
}

void accesses_bind_fetches(struct elastic_cpu *cpu, struct cache *l1i)
{
    static const struct above_fast fast = {.ignores_responses = true};

    l1i->above.fast = &fast;
    if (!accesses_are_possible(l1i))
        return;
    cpu->hooks.fetch_hits = fetch_hits;
    cpu->hooks.fetch = fetch;
}

void accesses_bind_data(struct elastic_cpu *cpu, struct cache *l1d)
{
    static const struct above_fast fast = {.recv_answer = fast_data_answer, .describe = fast_data_describe,
                                           .take_from_queue = take_answers, .ignores_snoops = true};

    l1d->above.fast = &fast;
    fast_of(cpu)->hooks.continue_at = continue_at;
    if (!accesses_are_possible(l1d))
        return;
    fast_of(cpu)->hooks.send = send;
    fast_of(cpu)->hooks.go_on = go_on;
}
