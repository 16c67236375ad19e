/* Modelled: a message is a slot of 16 bytes for its header and as many for its data (a request M2S Req, a write M2S
 * RwD, an answer with data S2M DRS, one without S2M NDR); a flit of 68 bytes carries four slots. Not modelled: flits
 * that are not full (a message takes its slots' share of a flit), credits by class of message, retries of the link
 * layer, the completion of writes that no one above waits for. Both engines have this one model.
 *
 * Invariant: credits here + messages under way or in the buffer + credits under way = params.credits, each way. */
#include "memsys/link/cxl_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "memsys/sim/sim_statistics.h"

static uint64_t slots_of(uint64_t data_bytes)
{
    return 1 + (data_bytes + CXL_SLOT_BYTES - 1) / CXL_SLOT_BYTES;
}

static uint64_t slots_ps(const struct cxl_link_params *params, uint64_t slots)
{
    uint64_t const bits = slots * CXL_FLIT_BYTES / CXL_FLIT_SLOTS * 8, mbits_per_s = params->lanes * params->rate_mts;

    return (bits * 1000000 + mbits_per_s - 1) / mbits_per_s;
}

uint64_t cxl_link_wire_ps(const struct cxl_link_params *params, uint64_t data_bytes)
{
    return slots_ps(params, slots_of(data_bytes));
}

double cxl_link_peak_bytes_per_s(const struct cxl_link_params *params, uint64_t data_bytes)
{
    return (double)data_bytes * 1e12 / (double)cxl_link_wire_ps(params, data_bytes);
}

/* ---- one way */
/* Takes a message if there is a credit. */
static bool send(struct cxl_way *way, struct packet *packet)
{
    const struct cxl_link *const link = way->link;
    uint64_t const now_ps = sim_now_ps(link->sim);
    uint64_t const slots = slots_of(packet_is(packet, ATTR_DATA) ? packet->size_bytes : 0);
    uint64_t const ready_ps = now_ps + packet->header_delay_ps + packet->payload_delay_ps;

    if (way->retry_owed || way->credits == 0) {
        way->refused += !way->retry_owed;
        way->retry_owed = true;
        return false;
    }
    way->credits--;
    occupancy_up(&way->used, now_ps, way->used.level + 1);
    way->messages++;
    way->slots += slots;
    packet->header_delay_ps = packet->payload_delay_ps = 0;
    way->free_ps = max_u64(way->free_ps, ready_ps) + slots_ps(&link->params, slots);
    packet_queue_push(&way->arrivals, packet, way->free_ps + link->params.latency_ps);
    return true;
}

/* The other end has handed a message on: its place is free, which is known here a latency later. */
static void return_credit(struct cxl_way *way)
{
    const struct cxl_link *const link = way->link;
    uint64_t const when_ps = sim_now_ps(link->sim) + link->params.latency_ps;

    way->returns[way->last_return++ % link->params.credits] = when_ps;
    if (!way->return_event.scheduled)
        event_schedule(&link->sim->events, &way->return_event, when_ps);
}

static void on_return(void *owner)
{
    struct cxl_way *const way = owner;
    const struct cxl_link *const link = way->link;
    uint64_t const now_ps = sim_now_ps(link->sim);

    while (way->first_return < way->last_return && way->returns[way->first_return % link->params.credits] <= now_ps) {
        way->first_return++;
        way->credits++;
        occupancy_down(&way->used, now_ps, way->used.level - 1);
    }
    if (way->first_return < way->last_return)
        event_schedule(&link->sim->events, &way->return_event,
                       way->returns[way->first_return % link->params.credits]);
    if (way->retry_owed) {
        way->retry_owed = false;
        way->retry(way->link);
    }
}

static struct fault init_way(struct cxl_way *way, struct cxl_link *link,
                             bool (*arrive)(void *owner, struct packet *packet),
                             void (*retry)(struct cxl_link *link))
{
    way->link = link;
    way->retry = retry;
    way->credits = link->params.credits;
    way->returns = calloc(link->params.credits, sizeof *way->returns);
    if (!way->returns)
        return fault_memory("memory", "the credits of a link");
    event_init(&way->return_event, on_return, way, EVENT_DEFAULT);
    FORWARD(event_queue_reserve(&link->sim->events, 1));
    return packet_queue_init(&way->arrivals, link->sim, arrive, link, true);
}

/* ---- both */
static bool recv_request(void *self, struct packet *packet, unsigned port)
{
    struct cxl_link *const link = self;

    (void)port;
    return send(&link->down, packet);
}

static bool arrive_below(void *owner, struct packet *packet)
{
    struct cxl_link *const link = owner;

    if (!link->below.ops->recv_request(link->below.self, packet, link->below.port))
        return false;
    return_credit(&link->down);
    return true;
}

static void retry_request(struct cxl_link *link)
{
    link->above.ops->recv_request_retry(link->above.self, link->above.port);
}

static bool recv_response(void *self, struct packet *packet, unsigned port)
{
    struct cxl_link *const link = self;

    (void)port;
    return send(&link->up, packet);
}

static bool arrive_above(void *owner, struct packet *packet)
{
    struct cxl_link *const link = owner;

    if (!link->above.ops->recv_response(link->above.self, packet, link->above.port))
        return false;
    return_credit(&link->up);
    return true;
}

static void retry_response(struct cxl_link *link)
{
    link->below.ops->recv_response_retry(link->below.self, link->below.port);
}

static void recv_response_retry(void *self, unsigned port)
{
    struct cxl_link *const link = self;

    (void)port;
    packet_queue_retry(&link->up.arrivals);
}

static void recv_request_retry(void *self, unsigned port)
{
    struct cxl_link *const link = self;

    (void)port;
    packet_queue_retry(&link->down.arrivals);
}

/* The memory's answer crosses the link after that. */
static void response_bound(void *self, const struct packet *packet, uint64_t when_ps)
{
    const struct cxl_link *const link = self;

    above_response_bound(&link->above, packet, when_ps + link->params.latency_ps);
}

struct below cxl_link_port(struct cxl_link *link)
{
    static const struct below_ops ops = {.recv_request = recv_request, .recv_response_retry = recv_response_retry};

    return (struct below){.ops = &ops, .self = link};
}

struct above cxl_link_above(struct cxl_link *link)
{
    static const struct above_ops ops = {.recv_response = recv_response, .recv_request_retry = recv_request_retry,
                                         .response_bound = response_bound};

    return (struct above){.ops = &ops, .self = link};
}

struct fault cxl_link_init(struct cxl_link *link, struct sim *sim, const char *name,
                           const struct cxl_link_params *params)
{
    *link = (struct cxl_link){.sim = sim, .name = name, .params = *params};
    FORWARD(init_way(&link->down, link, arrive_below, retry_request));
    return init_way(&link->up, link, arrive_above, retry_response);
}

static void free_way(struct cxl_way *way)
{
    if (way->arrivals.entries)
        packet_queue_free(&way->arrivals);
    free(way->returns);
    way->returns = NULL;
}

void cxl_link_free(struct cxl_link *link)
{
    free_way(&link->down);
    free_way(&link->up);
}

bool cxl_link_describe(const struct cxl_link *link, uint64_t address, char *text, size_t size)
{
    uint64_t const line = sim_line_address(link->sim, address & ~ADDRESS_SECURE);

    for (unsigned is_answer = 0; is_answer < 2; is_answer++) {
        const struct packet_queue *const arrivals = is_answer ? &link->up.arrivals : &link->down.arrivals;

        if (!packet_queue_holds_line(arrivals, line) && !packet_queue_holds_line(arrivals, line | ADDRESS_SECURE))
            continue;
        snprintf(text, size, "%s.link: its %s is %s", link->name, is_answer ? "answer" : "request",
                 arrivals->waiting_for_retry ? "at the other end, which refuses it" : "under way");
        return true;
    }
    return false;
}

/* ---- statistics */
static void on_reset(void *owner, uint64_t now_ps)
{
    struct cxl_link *const link = owner;

    for (unsigned is_up = 0; is_up < 2; is_up++) {
        struct cxl_way *const way = is_up ? &link->up : &link->down;

        way->messages = way->slots = way->refused = 0;
        occupancy_reset(&way->used, now_ps);
    }
}

#define OF_WAY(stat, field, text) {.name = #stat, .source = &link->field, .help = text}
#define CREDITS(stat, field, text)                                                                                    \
    {.name = #stat, .kind = STAT_LEVEL, .source = &link->field, .flags = STAT_OURS, .precision = 2, .help = text}

void cxl_link_add_stats(struct cxl_link *link, struct stats *stats)
{
    struct stat_entry const rows[] = {
        OF_WAY(requests, down.messages, "requests sent"),
        OF_WAY(responses, up.messages, "answers sent"),
        OF_WAY(slotsDown, down.slots, "slots of 16 bytes of requests"),
        OF_WAY(slotsUp, up.slots, "slots of 16 bytes of answers"),
        OF_WAY(requestsRefused, down.refused, "requests that found no credit"),
        OF_WAY(responsesRefused, up.refused, "answers that found no credit"),
        CREDITS(avgCreditsDown, down.used, "time average of the credits of requests in use"),
        CREDITS(avgCreditsUp, up.used, "time average of the credits of answers in use")
    };

    stats_group(stats, "system.%s.link", link->name);
    STATS_ADD_TABLE(stats, rows);
    stats_on_reset(stats, on_reset, link);
}
