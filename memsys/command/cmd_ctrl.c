/* Modelled: what cmd_ctrl.h says.
 *
 * The device is run as late as possible: at its own events, and when a packet arrives. Both first run all ticks up to
 * now, so the result does not depend on which comes first in a tick of the simulation. Room in a queue is used by the
 * event, never within the call of a neighbour. */
#include "memsys/command/cmd_ctrl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "memsys/command/cmd_energy.h"
#include "memsys/dram/geometry.h"
#include "memsys/dram/memory_params.h"

enum { FIRST_RANK = EVENT_HIGHEST_RANK / 2 };   /* behind cores, before the end of a run */

#define NO_READ UINT32_MAX

/* ---- reads in flight */
static uint32_t take_read(struct cmd_ctrl *ctrl, struct packet *packet, uint32_t accesses)
{
    uint32_t number = ctrl->first_free;

    if (number == NO_READ) {
        size_t const before = ctrl->read_capacity;

        if (!list_grow(&ctrl->reads, before + 1, &ctrl->read_capacity, sizeof *ctrl->reads))
            sim_out_of_memory(ctrl->sim);
        for (size_t i = before; i < ctrl->read_capacity; i++)
            ctrl->reads[i] = (struct cmd_ctrl_read){
                .next_free = i + 1 < ctrl->read_capacity ? (uint32_t)i + 1 : NO_READ};
        number = (uint32_t)before;
    }
    ctrl->first_free = ctrl->reads[number].next_free;
    ctrl->reads[number] = (struct cmd_ctrl_read){packet, sim_now_ps(ctrl->sim), accesses, NO_READ, NO_READ};
    return number;
}

static void give_read(struct cmd_ctrl *ctrl, uint32_t number)
{
    ctrl->reads[number] = (struct cmd_ctrl_read){.next_free = ctrl->first_free};
    ctrl->first_free = number;
}

/* ---- answers */
static void respond(struct cmd_ctrl *ctrl, struct packet *packet, uint64_t when_ps)
{
    when_ps += (uint64_t)packet->header_delay_ps + packet->payload_delay_ps;
    memory_traffic_count(ctrl->stats.traffic, packet);
    if (!packet_is(packet, ATTR_NEEDS_RESPONSE)) {
        packet_give(ctrl->sim->packets, packet);
        return;
    }
    packet_make_response(packet);
    packet->header_delay_ps = packet->payload_delay_ps = 0;
    packet_queue_push(&ctrl->responses, packet, when_ps);
    above_response_bound(&ctrl->above, packet, when_ps);
}

/* One read, and those that joined it, in the order of their arrival. */
static void answer_reads(struct cmd_ctrl *ctrl, uint32_t number)
{
    uint64_t const now_ps = sim_now_ps(ctrl->sim);

    while (number != NO_READ) {
        struct cmd_ctrl_read const read = ctrl->reads[number];

        latency_histogram_add(&ctrl->stats.read_latencies, now_ps - read.arrival_ps);
        give_read(ctrl, number);
        respond(ctrl, read.packet, now_ps + ctrl->frontend_ps + ctrl->backend_ps);
        number = read.joined;
    }
}

static void on_completed(void *owner, uint64_t token, enum cmd_kind kind, uint64_t arrive, uint64_t depart)
{
    struct cmd_ctrl *const ctrl = owner;
    uint64_t const now_ps = sim_now_ps(ctrl->sim);
    struct cmd_ctrl_read *read;

    /* A read that was answered from a waiting write has left in the tick after it came; others leave the queue with
     * their command. */
    if (kind != CMD_READ || depart - arrive <= 1)
        cmd_watch_gone(&ctrl->watch, kind == CMD_READ, now_ps);
    if (kind != CMD_READ || token == NO_READ)
        return;
    cmd_merge_issued(&ctrl->merge, (uint32_t)token);
    read = &ctrl->reads[token];
    if (--read->accesses > 0)
        return;
    cmd_throttle_end(&ctrl->throttle, read->packet->request.requestor);
    answer_reads(ctrl, (uint32_t)token);
}

static void on_throttled(void *owner, int32_t source, float share)
{
    struct cmd_ctrl *const ctrl = owner;

    ctrl->stats.throttles++;
    cmd_throttle_limit(&ctrl->throttle, (uint32_t)source, share);
}

static void on_served(void *owner, uint64_t tick, uint32_t bank, int32_t row)
{
    struct cmd_ctrl *const ctrl = owner;

    cmd_watch_served(&ctrl->watch, bank, row, cmd_clock_tick_ps(&ctrl->clock, tick));
}

static void on_issued(void *owner, const struct cmd_issued *issued)
{
    struct cmd_ctrl *const ctrl = owner;
    uint64_t const tick_ps = cmd_clock_tick_ps(&ctrl->clock, issued->tick);

    cmd_watch_issued(&ctrl->watch, issued, tick_ps);
    if (issued->kind == CMD_READ && ctrl->merge.count > 0 && ctrl->spec->command[issued->command].accessing)
        cmd_merge_issued(&ctrl->merge, (uint32_t)issued->token);
    for (const struct cmd_sink *sink = ctrl->sink; sink; sink = sink->next)
        sink->take(sink->context, ctrl, tick_ps, issued);
}

/* ---- time */
static bool has_rest(const struct cmd_ctrl *ctrl)
{
    return ctrl->rest.next < ctrl->rest.end || ctrl->checks.next < ctrl->checks.count;
}

static void schedule_tick(struct cmd_ctrl *ctrl)
{
    uint64_t const next = cmd_memory_next(ctrl->memory), now_ps = sim_now_ps(ctrl->sim);
    uint64_t when_ps;

    if (ctrl->throttle.is_due && !has_rest(ctrl))
        when_ps = now_ps;
    else if (ctrl->has_room && (ctrl->request_retry_owed || has_rest(ctrl)))
        when_ps = now_ps;
    else if (next == UINT64_MAX)
        return;
    else
        when_ps = max_u64(cmd_clock_tick_ps(&ctrl->clock, next), now_ps);
    if (!ctrl->tick_event.scheduled || ctrl->tick_event.when_ps > when_ps)
        event_reschedule(&ctrl->sim->events, &ctrl->tick_event, when_ps);
}

/* All ticks up to now. */
static void catch_up(struct cmd_ctrl *ctrl)
{
    uint64_t const tick = cmd_clock_tick_of(&ctrl->clock, sim_now_ps(ctrl->sim));

    while (cmd_memory_now(ctrl->memory) < tick) {
        struct fault const fault = cmd_memory_run(ctrl->memory, tick);

        if (fault.kind != FAULT_NONE)
            sim_abandon(ctrl->sim, fault_within(fault, "%s: ", ctrl->name));
        if (ctrl->watch.is_out_of_memory)
            sim_out_of_memory(ctrl->sim);
        ctrl->has_room |= cmd_memory_has_room(ctrl->memory);
    }
}

/* ---- requests */

static bool send_access(struct cmd_ctrl *ctrl, enum cmd_kind kind, uint64_t address, uint32_t read)
{
    struct cmd_access const access = {.kind = kind, .address = address, .source = ctrl->rest.source, .token = read};
    uint64_t const now_ps = sim_now_ps(ctrl->sim);
    struct fault fault;
    enum cmd_answer answer;

    cmd_watch_sent(&ctrl->watch, kind == CMD_READ, now_ps);
    answer = cmd_memory_send(ctrl->memory, &access, &fault);
    if (fault.kind != FAULT_NONE)
        sim_abandon(ctrl->sim, fault_within(fault, "%s: ", ctrl->name));
    if (answer == CMD_REFUSED)
        cmd_watch_gone(&ctrl->watch, kind == CMD_READ, now_ps);
    return answer == CMD_ACCEPTED;
}

/* Inline ECC: what an access of data that was taken needs besides. A read waits for its check bits. */
static void note_checks(struct cmd_ctrl *ctrl, uint64_t offset, bool is_partial)
{
    struct cmd_ctrl_checks *const checks = &ctrl->checks;
    bool const is_read = ctrl->rest.kind == CMD_READ;

    checks->next = 0;
    checks->count = cmd_inline_ecc_access(&ctrl->ecc, ctrl->rest.kind, offset, is_partial && !is_read, checks->extra);
    for (uint32_t i = 0; i < checks->count && is_read; i++)
        ctrl->reads[ctrl->rest.read].accesses += checks->extra[i].kind == CMD_READ;
}

static bool send_checks(struct cmd_ctrl *ctrl)
{
    struct cmd_ctrl_checks *const checks = &ctrl->checks;

    while (checks->next < checks->count) {
        const struct cmd_ecc_extra *const extra = &checks->extra[checks->next];

        if (!send_access(ctrl, extra->kind, extra->address, extra->kind == CMD_READ ? ctrl->rest.read : NO_READ))
            return false;
        checks->next++;
    }
    return true;
}

/* ---- reads that join others */
static bool may_merge(const struct cmd_ctrl *ctrl, uint64_t first, uint64_t end)
{
    return ctrl->merge.is_on && end - first < ctrl->access_bytes
        && first / ctrl->access_bytes == (end - 1) / ctrl->access_bytes;
}

/* Takes the packet if a read waits for its access. */
static bool join_read(struct cmd_ctrl *ctrl, struct packet *packet, uint64_t first, uint64_t end)
{
    uint32_t const host = may_merge(ctrl, first, end) ? cmd_merge_find(&ctrl->merge, first / ctrl->access_bytes)
                                                      : CMD_MERGE_NONE;
    uint32_t last = host, joined;

    if (host == CMD_MERGE_NONE)
        return false;
    joined = take_read(ctrl, packet, 1);
    while (ctrl->reads[last].joined != NO_READ)
        last = ctrl->reads[last].joined;
    ctrl->reads[last].joined = joined;
    ctrl->merge.merged++;
    ctrl->stats.read_reqs++;
    sim_accepted(ctrl->sim, ctrl->name, packet, packet->address);
    schedule_tick(ctrl);
    return true;
}

/* An access of the rest has been taken. */
static void note_merging(struct cmd_ctrl *ctrl, uint64_t offset)
{
    uint64_t const access = offset / ctrl->access_bytes;

    if (ctrl->rest.kind == CMD_WRITE)
        cmd_merge_written(&ctrl->merge, access);
    else if (ctrl->rest.may_merge && !cmd_merge_add(&ctrl->merge, access, ctrl->rest.read))
        sim_out_of_memory(ctrl->sim);
}

/* Sends accesses of the packet until its queue is full or none is left. */
static void send_rest(struct cmd_ctrl *ctrl)
{
    struct cmd_ctrl_rest *const rest = &ctrl->rest;
    uint64_t const access_bytes = ctrl->access_bytes;
    bool const has_ecc = ctrl->ecc.data_bytes > 0;

    while (send_checks(ctrl) && rest->next < rest->end) {
        uint64_t const offset = rest->next, next = offset / access_bytes * access_bytes + access_bytes;
        bool const is_partial = offset % access_bytes != 0 || next > rest->end;

        /* The last one may complete within the call, and give the packet away. */
        rest->next = next;
        if (!send_access(ctrl, rest->kind, has_ecc ? cmd_inline_ecc_place(&ctrl->ecc, offset) : offset, rest->read)) {
            rest->next = offset;
            return;
        }
        if (ctrl->merge.is_on)
            note_merging(ctrl, offset);
        if (has_ecc)
            note_checks(ctrl, offset, is_partial);
    }
}

/* Reads that waited for their source's share, before those that are refused. */
static void send_throttled(struct cmd_ctrl *ctrl)
{
    struct cmd_throttled_read read;

    while (!has_rest(ctrl) && cmd_throttle_next(&ctrl->throttle, &read)) {
        ctrl->rest = (struct cmd_ctrl_rest){read.first, read.end, CMD_READ, (int32_t)read.source, read.read,
                                            may_merge(ctrl, read.first, read.end)};
        send_rest(ctrl);
    }
}

static void on_tick(void *owner)
{
    struct cmd_ctrl *const ctrl = owner;

    catch_up(ctrl);
    if (ctrl->throttle.is_due)
        send_throttled(ctrl);
    if (ctrl->has_room) {
        ctrl->has_room = false;
        send_rest(ctrl);
        if (ctrl->request_retry_owed && !has_rest(ctrl)) {
            ctrl->request_retry_owed = false;
            ctrl->above.ops->recv_request_retry(ctrl->above.self, ctrl->above.port);
        }
    }
    schedule_tick(ctrl);
}

static bool refuse(struct cmd_ctrl *ctrl, bool is_read)
{
    ctrl->request_retry_owed = true;
    ctrl->stats.read_retries += is_read;
    ctrl->stats.write_retries += !is_read;
    schedule_tick(ctrl);
    return false;
}

/* Takes a read of a source that has its share in flight. */
static bool hold_read(struct cmd_ctrl *ctrl, struct packet *packet, uint64_t first, uint64_t end, uint32_t accesses)
{
    struct cmd_throttled_read const read = {first, end, packet->request.requestor, take_read(ctrl, packet, accesses)};

    if (!cmd_throttle_put(&ctrl->throttle, &read))
        sim_out_of_memory(ctrl->sim);
    sim_accepted(ctrl->sim, ctrl->name, packet, packet->address);
    ctrl->stats.read_reqs++;
    ctrl->stats.throttled_reads++;
    schedule_tick(ctrl);
    return true;
}

static bool recv_request(void *self, struct packet *packet, unsigned port)
{
    struct cmd_ctrl *const ctrl = self;
    bool const is_read = !packet_is(packet, ATTR_WRITE);
    uint64_t const access_bytes = ctrl->access_bytes;
    uint64_t const first = address_range_offset(&ctrl->range, packet->address);
    uint64_t const end = first + max_u64(packet->size_bytes, 1);
    uint32_t const accesses = (uint32_t)((end - 1) / access_bytes - first / access_bytes + 1);

    (void)port;
    if (ctrl->request_retry_owed)
        return false;
    catch_up(ctrl);
    if (has_rest(ctrl))
        return refuse(ctrl, is_read);
    if (is_read && join_read(ctrl, packet, first, end))
        return true;
    if (is_read && cmd_throttle_holds(&ctrl->throttle, packet->request.requestor))
        return hold_read(ctrl, packet, first, end, accesses);
    if (is_read)
        cmd_throttle_begin(&ctrl->throttle, packet->request.requestor);
    ctrl->has_room = false;
    ctrl->rest = (struct cmd_ctrl_rest){first, end, is_read ? CMD_READ : CMD_WRITE, (int32_t)packet->request.requestor,
                                        is_read ? take_read(ctrl, packet, accesses) : NO_READ,
                                        is_read && may_merge(ctrl, first, end)};
    send_rest(ctrl);
    if (ctrl->rest.next == first) {
        ctrl->rest.end = 0;
        if (is_read) {
            give_read(ctrl, ctrl->rest.read);
            cmd_throttle_end(&ctrl->throttle, packet->request.requestor);
        }
        return refuse(ctrl, is_read);
    }
    sim_accepted(ctrl->sim, ctrl->name, packet, packet->address);
    ctrl->stats.read_reqs += is_read;
    ctrl->stats.write_reqs += !is_read;
    if (!is_read)
        respond(ctrl, packet, sim_now_ps(ctrl->sim) + ctrl->frontend_ps);
    schedule_tick(ctrl);
    return true;
}

static void recv_response_retry(void *self, unsigned port)
{
    struct cmd_ctrl *const ctrl = self;

    (void)port;
    packet_queue_retry(&ctrl->responses);
}

struct below cmd_ctrl_port(struct cmd_ctrl *ctrl)
{
    static const struct below_ops ops = {.recv_request = recv_request, .recv_response_retry = recv_response_retry};

    return (struct below){.ops = &ops, .self = ctrl};
}

/* ---- set-up */
struct cmd_clock cmd_ctrl_clock(const struct cmd_config *config)
{
    const struct cmd_spec *const spec = config->spec;

    /* Odd behaviour 30 is to cut the odd picosecond of CK before it is halved. */
    if (cmd_mends(config, CMD_MEND_HALF_TICK))
        return (struct cmd_clock){(uint64_t)spec->ck_ps, spec->standard->ticks_per_ck};
    return (struct cmd_clock){(uint64_t)spec->tck_ps, 1};
}

double cmd_ctrl_peak_bytes_per_s(const struct cmd_spec *spec)
{
    int const pseudo = cmd_spec_level(spec, "PseudoChannel");
    double const buses = pseudo == CMD_NONE ? 1 : spec->size[pseudo];

    return buses * 1e6 * (double)cmd_spec_time(spec, "rate") / spec->standard->prefetch * spec->tx_bytes;
}

struct fault cmd_ctrl_init(struct cmd_ctrl *ctrl, struct sim *sim, const char *name, const struct memory_params *params,
                           const struct cmd_config *config, unsigned number, unsigned place)
{
    struct cmd_hooks const hooks = {.owner = ctrl, .completed = on_completed, .issued = on_issued,
                                    .throttled = on_throttled, .served = on_served};

    *ctrl = (struct cmd_ctrl){.sim = sim, .name = name, .spec = config->spec, .number = number,
                              .place = place,
                              .clock = cmd_ctrl_clock(config), .defences = config->mitigation_count,
                              .read_queue = config->read_queue, .write_queue = config->write_queue,
                              .access_bytes = UINT64_C(1) << log2_down(config->spec->tx_bytes),
                              .frontend_ps = params->command.frontend_latency_ps,
                              .backend_ps = params->command.backend_latency_ps, .first_free = NO_READ,
                              .can_postpone = config->postponed > 0,
                              .merge.is_on = params->command.merge_reads == COMMAND_MERGE_YES
                                  || (params->command.merge_reads == COMMAND_MERGE_AUTO
                                      && params->command.mode == COMMAND_SANE)};
    event_init(&ctrl->tick_event, on_tick, ctrl, EVENT_EXIT);
    event_set_rank(&ctrl->tick_event, FIRST_RANK - place);
    FORWARD(address_range_init(&ctrl->range, params, number));
    FORWARD(cmd_watch_init(&ctrl->watch, config->spec, ctrl->clock.period_ps, ctrl->clock.ticks,
                           params->command.rowhammer_threshold, params->command.rowhammer_window_ps));
    FORWARD(cmd_energy_init(ctrl, &params->energy));
    if (params->command.ecc == COMMAND_ECC_INLINE)
        FORWARD(cmd_inline_ecc_init(&ctrl->ecc, config->spec, (uint32_t)params->command.ecc_lines));
    if (params->command.ecc == COMMAND_ECC_SIDEBAND)
        ctrl->ecc_chips = cmd_ecc_sideband_chips(config->spec);
    if (config->controller == CMD_CONTROLLER_BLOCKHAMMER && cmd_mends(config, CMD_MEND_THROTTLE_QUOTA))
        FORWARD(cmd_throttle_init(&ctrl->throttle, MAX_REQUESTORS, config->read_queue));
    FORWARD(cmd_memory_new(&ctrl->memory, config, &hooks, MAX_REQUESTORS));
    FORWARD(event_queue_reserve(&sim->events, 1));
    return packet_queue_init_responses(&ctrl->responses, sim, &ctrl->above, true);
}

void cmd_ctrl_free(struct cmd_ctrl *ctrl)
{
    for (size_t i = 0; i < ctrl->read_capacity; i++)
        if (ctrl->reads[i].packet)
            packet_give(ctrl->sim->packets, ctrl->reads[i].packet);
    free(ctrl->reads);
    ctrl->reads = NULL;
    ctrl->read_capacity = 0;
    cmd_watch_free(&ctrl->watch);
    cmd_inline_ecc_free(&ctrl->ecc);
    cmd_merge_free(&ctrl->merge);
    cmd_throttle_free(&ctrl->throttle);
    cmd_memory_free(ctrl->memory);
    ctrl->memory = NULL;
    packet_queue_free(&ctrl->responses);
}

void cmd_ctrl_startup(struct cmd_ctrl *ctrl)
{
    schedule_tick(ctrl);
}

uint64_t cmd_ctrl_shortest_read_ps(const struct memory_params *params)
{
    return params->command.frontend_latency_ps + params->command.backend_latency_ps;
}

/* ---- where a request is */
bool cmd_ctrl_describe(const struct cmd_ctrl *ctrl, uint64_t address, char *text, size_t size)
{
    uint64_t const line = sim_line_address(ctrl->sim, address & ~ADDRESS_SECURE);

    for (size_t i = 0; i < ctrl->read_capacity; i++) {
        const struct cmd_ctrl_read *const read = &ctrl->reads[i];

        if (!read->packet || sim_line_address(ctrl->sim, read->packet->address & ~ADDRESS_SECURE) != line)
            continue;
        snprintf(text, size, "%s: a read that came at %" PRIu64 " ps lacks %u of its accesses", ctrl->name,
                 read->arrival_ps, read->accesses);
        return true;
    }
    if (packet_queue_holds_line(&ctrl->responses, line)
        || packet_queue_holds_line(&ctrl->responses, line | ADDRESS_SECURE)) {
        snprintf(text, size, "%s: its answer %s", ctrl->name,
                 ctrl->responses.waiting_for_retry ? "waits for the bus above" : "is about to leave");
        return true;
    }
    snprintf(text, size, ctrl->request_retry_owed ? "%s: not here; a refused request waits for room" : "%s: not here",
             ctrl->name);
    return false;
}
