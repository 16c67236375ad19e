/* Borders (border.h). When may the bus call? With answers, of most of which memories and bus tell before when they
 * come; those of which they do not take a memory's shortest time yet. And with the retry of a request that it has
 * refused, any time. */
#include "replay/fast/border.h"

#include "memsys/fast/ports.h"

static struct border_answer *find_answer(struct border *border, const struct packet *packet)
{
    for (unsigned i = 0; i < border->known; i++)
        if (border->answers[i].packet == packet)
            return &border->answers[i];
    return NULL;
}

static void response_bound(void *self, const struct packet *packet, uint64_t when_ps)
{
    struct border *const border = self;
    struct border_answer *answer = find_answer(border, packet);

    if (!answer && border->known == BORDER_ANSWERS) {
        border->is_unsure = true;
        return;
    }
    if (!answer) {
        answer = &border->answers[border->known++];
        *answer = (struct border_answer){.packet = packet, .is_read = !packet_is(packet, ATTR_WRITE)};
        border->known_reads += answer->is_read;
    }
    answer->when_ps = when_ps;
}

static void forget_answer(struct border *border, const struct packet *packet)
{
    struct border_answer *const answer = find_answer(border, packet);

    if (!answer)
        return;
    border->known_reads -= answer->is_read;
    *answer = border->answers[--border->known];
}

static bool border_recv_response(void *self, struct packet *packet, unsigned port)
{
    struct border *const border = self;

    lookahead_enter(border->lookahead, border->number);
    forget_answer(border, packet);
    return border->real.ops->recv_response(border->real.self, packet, port);
}

static void border_recv_request_retry(void *self, unsigned port)
{
    const struct border *const border = self;

    lookahead_enter(border->lookahead, border->number);
    border->real.ops->recv_request_retry(border->real.self, port);
}

/* Lines of the part are cached by no other part. */
static void recv_snoop(void *self, struct packet *packet, unsigned port)
{
    const struct border *const border = self;

    lookahead_break_off(border->lookahead);
    border->real.ops->recv_snoop(border->real.self, packet, port);
}

static void recv_snoop_response_retry(void *self, unsigned port)
{
    const struct border *const border = self;

    border->real.ops->recv_snoop_response_retry(border->real.self, port);
}

/* ---- calls of the part, but those that go over the bus directly, which only the event that may makes */

static bool border_recv_request(void *self, struct packet *packet, unsigned port)
{
    const struct border *const border = self;

    (void)port;
    if (unlikely(*border->is_ahead))
        lookahead_break_off(border->lookahead);
    return border->bus.ops->recv_request(border->bus.self, packet, border->bus.port);
}

static bool border_recv_snoop_response(void *self, struct packet *packet, unsigned port)
{
    const struct border *const border = self;

    (void)port;
    lookahead_break_off(border->lookahead);
    return border->bus.ops->recv_snoop_response(border->bus.self, packet, border->bus.port);
}

/* Caches take all answers. */
static void border_recv_response_retry(void *self, unsigned port)
{
    const struct border *const border = self;

    (void)port;
    border->bus.ops->recv_response_retry(border->bus.self, border->bus.port);
}

static void prefetch_hint(const void *self, uint64_t address)
{
    const struct border *const border = self;

    below_prefetch_hint(&border->bus, address);
}

/* ---- joining */

struct above border_init(struct border *border)
{
    static const struct above_ops ops = {border_recv_response, border_recv_request_retry, recv_snoop,
                                         recv_snoop_response_retry, response_bound};
    struct above above = cache_above_port(border->cache);

    border->real = above;
    border->cache->request_event.leaves_part = true;
    above.ops = &ops;
    above.self = border;
    above.fast = NULL;
    return above;
}

void border_join(struct border *border)
{
    static const struct below_ops ops = {.recv_request = border_recv_request,
        .recv_response_retry = border_recv_response_retry, .recv_snoop_response = border_recv_snoop_response};
    static const struct below_fast fast = {.prefetch_hint = prefetch_hint};
    struct below *const below = &border->cache->below;

    border->bus = *below;
    below->ops = &ops;
    below->self = border;
    below->fast = &fast;
}

uint64_t border_first_call_ps(const struct border *border, uint64_t now_ps)
{
    const struct cache *const cache = border->cache;
    uint64_t first_ps = TICK_NEVER;

    if (cache->waiting_for_request_retry || border->is_unsure)
        return 0;
    if (cache->mshr_count - cache->mshr_ready_count > border->known_reads)
        first_ps = now_ps + border->shortest_answer_ps;
    for (unsigned i = 0; i < border->known; i++)
        first_ps = min_u64(first_ps, border->answers[i].when_ps);
    return first_ps;
}
