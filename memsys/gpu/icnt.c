/* Modelled: gpu-traces 10, the local crossbar: inputs are queues, whose first packet alone may pass; in each cycle the
 * outputs choose in their order, each in turn among the inputs whose first packet is for it (iSLIP with one iteration).
 * As in the reference the packet behind one that has passed may still be chosen by a later output in the same cycle,
 * unless its input is busy with further pieces. Not modelled: networks of several hops.
 *
 * A packet that finds its ports free takes them when it is sent, without an event. There is one for each direction, at
 * edges at which a packet that waits may pass; not while all that wait lack room at their outputs. */
#include "memsys/gpu/icnt.h"

#include <assert.h>
#include <stdlib.h>

#include "memsys/gpu/gpu_params.h"

static struct gpu_packet *packet_at(const struct gpu_crossbar *crossbar, uint32_t from, uint32_t place)
{
    struct gpu_packet_queue const *const queue = &crossbar->queues[from];

    return &queue->ring[(queue->first + place) & crossbar->queue_mask];
}

/* ---- who wants which output */
static uint64_t *wanting_of(const struct gpu_crossbar *crossbar, uint32_t to)
{
    return &crossbar->wanting[(size_t)to * crossbar->words];
}

static void note_first(struct gpu_crossbar *crossbar, uint32_t from)
{
    uint32_t const to = packet_at(crossbar, from, 0)->to;

    wanting_of(crossbar, to)[from / 64] |= UINT64_C(1) << from % 64;
    crossbar->wanted[to / 64] |= UINT64_C(1) << to % 64;
}

static void forget_first(struct gpu_crossbar *crossbar, uint32_t from, uint32_t to)
{
    uint64_t *const wanting = wanting_of(crossbar, to);
    uint64_t left = 0;

    wanting[from / 64] &= ~(UINT64_C(1) << from % 64);
    for (uint32_t i = 0; i < crossbar->words; i++)
        left |= wanting[i];
    if (left == 0)
        crossbar->wanted[to / 64] &= ~(UINT64_C(1) << to % 64);
}

/* The first from `start` on whose bit is set and whose port is free; UINT32_MAX without one. */
static uint32_t first_free(const struct gpu_crossbar *crossbar, const uint64_t *wanting, uint32_t start, uint32_t end,
                           uint64_t now_ps)
{
    uint64_t const until_ps = now_ps + crossbar->icnt->clock.period_ps;

    for (uint32_t word = start / 64; word * 64 < end; word++) {
        uint64_t bits = wanting[word];

        if (word == start / 64)
            bits &= UINT64_MAX << start % 64;
        for (; bits != 0; bits &= bits - 1) {
            uint32_t const input = word * 64 + (uint32_t)__builtin_ctzll(bits);

            if (input >= end)
                return UINT32_MAX;
            if (crossbar->input_ps[input] <= until_ps)
                return input;
        }
    }
    return UINT32_MAX;
}

static uint32_t icnt_choose(const struct gpu_crossbar *crossbar, uint32_t to, uint64_t now_ps)
{
    const uint64_t *const wanting = wanting_of(crossbar, to);
    uint32_t const input = first_free(crossbar, wanting, crossbar->turns[to], crossbar->inputs, now_ps);

    return input != UINT32_MAX ? input : first_free(crossbar, wanting, 0, crossbar->turns[to], now_ps);
}

/* ---- an edge */
static bool icnt_has_room(const struct gpu_crossbar *crossbar, uint32_t to)
{
    return !crossbar->sink.has_room || crossbar->sink.has_room(crossbar->sink.self, to);
}

static void icnt_schedule(struct gpu_crossbar *crossbar, uint64_t when_ps)
{
    if (!crossbar->event.scheduled)
        event_schedule(&crossbar->icnt->sim->events, &crossbar->event, when_ps);
}

static void pass(struct gpu_crossbar *crossbar, uint32_t from, uint32_t to, uint64_t now_ps)
{
    struct gpu_packet const packet = *packet_at(crossbar, from, 0);

    crossbar->waiting--;
    crossbar->queues[from].first++;
    crossbar->queues[from].count--;
    crossbar->turns[to] = from + 1 < crossbar->inputs ? from + 1 : 0;
    forget_first(crossbar, from, to);
    if (crossbar->queues[from].count > 0)
        note_first(crossbar, from);
    crossbar->sink.passes(crossbar->sink.self, &packet, from,
                          gpu_crossbar_take(crossbar, from, to, packet.pieces, now_ps));
}

/* Lets as many packets pass to the output as can. Whether another may in the next cycle. */
static bool serve(struct gpu_crossbar *crossbar, uint32_t to, uint64_t now_ps)
{
    for (uint64_t i = 0; i < crossbar->ports; i++) {
        uint32_t from;

        if (!gpu_icnt_is_free(crossbar->icnt, crossbar->output_ps[to], crossbar->ports, now_ps))
            return true;
        if (!icnt_has_room(crossbar, to))
            return i > 0;                            /* one behind a packet that passed may want another output */
        from = icnt_choose(crossbar, to, now_ps);
        if (from == UINT32_MAX)
            return true;
        pass(crossbar, from, to, now_ps);
    }
    return true;
}

static void on_edge(void *owner)
{
    struct gpu_crossbar *const crossbar = owner;
    uint64_t const now_ps = sim_now_ps(crossbar->icnt->sim);
    bool goes_on = false;

    for (uint32_t word = 0; word * 64 < crossbar->outputs; word++) {
        uint64_t done = 0;
        uint64_t left;

        while ((left = crossbar->wanted[word] & ~done) != 0) {
            uint64_t const bit = left & -left;

            done |= bit | (bit - 1);                 /* one behind a passed packet is the next cycle's */
            goes_on |= serve(crossbar, word * 64 + (uint32_t)__builtin_ctzll(bit), now_ps);
        }
    }
    if (goes_on && crossbar->waiting > 0)
        icnt_schedule(crossbar, now_ps + crossbar->icnt->clock.period_ps);
}

/* ---- calls */
void gpu_crossbar_wait(struct gpu_crossbar *crossbar, uint32_t slot, uint32_t from, uint32_t to, uint32_t bytes)
{
    struct gpu_icnt *const icnt = crossbar->icnt;

    assert(crossbar->queues[from].count <= crossbar->queue_mask);
    *packet_at(crossbar, from, crossbar->queues[from].count) =
        (struct gpu_packet){.slot = slot, .to = (uint16_t)to, .pieces = (uint16_t)gpu_icnt_pieces(icnt, bytes)};
    crossbar->waiting++;
    if (crossbar->queues[from].count++ > 0)
        return;
    note_first(crossbar, from);
    icnt_schedule(crossbar, domain_edge_ps(icnt->clock, sim_now_ps(icnt->sim)) + icnt->clock.period_ps);
}

void gpu_crossbar_room(struct gpu_crossbar *crossbar, uint32_t to)
{
    struct gpu_icnt *const icnt = crossbar->icnt;

    if (crossbar->waiting > 0 && crossbar->wanted[to / 64] >> to % 64 & 1)
        icnt_schedule(crossbar, domain_edge_ps(icnt->clock, sim_now_ps(icnt->sim) + 1));
}

/* ---- set-up */
static struct fault init_queues(struct gpu_crossbar *crossbar, uint64_t most)
{
    uint32_t size = 1;

    while (size < most)
        size *= 2;
    crossbar->queue_mask = size - 1;
    crossbar->queues = calloc(crossbar->inputs, sizeof *crossbar->queues);
    for (uint32_t i = 0; crossbar->queues && i < crossbar->inputs; i++) {
        crossbar->queues[i].ring = malloc(size * sizeof(struct gpu_packet));
        if (!crossbar->queues[i].ring)
            return fault_make(FAULT_MEMORY, "out of memory for the queues of an interconnect");
    }
    return fault_none();
}

static struct fault init_crossbar(struct gpu_crossbar *crossbar, struct gpu_icnt *icnt, uint32_t inputs,
                                  uint32_t outputs, uint64_t queue, const struct gpu_crossbar_sink *sink)
{
    uint32_t const words = (inputs + 63) / 64;

    *crossbar = (struct gpu_crossbar){.icnt = icnt, .sink = *sink, .inputs = inputs, .outputs = outputs,
                                      .words = words, .ports = icnt->ports};
    event_init(&crossbar->event, on_edge, crossbar, EVENT_DEFAULT);
    FORWARD(init_queues(crossbar, queue));
    crossbar->input_ps = calloc(inputs, sizeof *crossbar->input_ps);
    crossbar->output_ps = calloc(outputs, sizeof *crossbar->output_ps);
    crossbar->wanted = calloc((outputs + 63) / 64, sizeof *crossbar->wanted);
    crossbar->wanting = calloc((size_t)outputs * words, sizeof *crossbar->wanting);
    crossbar->turns = calloc(outputs, sizeof *crossbar->turns);
    if (!crossbar->queues || !crossbar->input_ps || !crossbar->output_ps || !crossbar->wanted || !crossbar->wanting ||
        !crossbar->turns)
        return fault_make(FAULT_MEMORY, "out of memory for an interconnect of %u and %u ports", inputs, outputs);
    return event_queue_reserve(&icnt->sim->events, 1);
}

struct fault gpu_icnt_init(struct gpu_icnt *icnt, struct sim *sim, const struct gpu_params *params,
                           uint64_t reply_queue, const struct gpu_crossbar_sink *requests,
                           const struct gpu_crossbar_sink *replies)
{
    uint32_t const sms = (uint32_t)params->sms, slices = (uint32_t)(params->l2.channels * params->l2.slices);

    *icnt = (struct gpu_icnt){.sim = sim, .clock = clock_domain(params->icnt_clock_ps),
                              .latency_ps = params->icnt_latency_cyc * params->icnt_clock_ps,
                              .packet_bytes = clock_domain(params->icnt_packet_bytes),
                              .ports = params->icnt_packets};
    FORWARD(init_crossbar(&icnt->requests, icnt, sms, slices, params->icnt_queue, requests));
    FORWARD(init_crossbar(&icnt->replies, icnt, slices, sms, reply_queue, replies));
    icnt->replies.is_reply = true;
    return fault_none();
}

static void free_crossbar(struct gpu_crossbar *crossbar)
{
    if (crossbar->event.scheduled)
        event_deschedule(&crossbar->icnt->sim->events, &crossbar->event);
    for (uint32_t i = 0; crossbar->queues && i < crossbar->inputs; i++)
        free(crossbar->queues[i].ring);
    free(crossbar->queues);
    free(crossbar->input_ps);
    free(crossbar->output_ps);
    free(crossbar->wanted);
    free(crossbar->wanting);
    free(crossbar->turns);
}

void gpu_icnt_free(struct gpu_icnt *icnt)
{
    free_crossbar(&icnt->requests);
    free_crossbar(&icnt->replies);
    *icnt = (struct gpu_icnt){0};
}
