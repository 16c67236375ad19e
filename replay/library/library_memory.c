/* Memories of the public library: requests from outside, right at the ports of the memories of a system.
 *
 * A request may lack memory for its packet and in queues, and is often sent by a callback, whose frames are not to be
 * left at once; so each is one of sim_execute, too. A memory system that lacked memory is lost: it can only be closed.
 * Time that passes without an event ends behind all events of its tick, so that requests sent then come after them. */
#include "replay/library/handle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/traffic/traffic_memory.h"

/* Events without an answer, while one is owed, that no memory needs. */
#define STALL_EVENTS 1000000
#define NO_LIMIT (UINT64_MAX / 2)
/* Memories refresh some hundred thousand times in a second of theirs. */
#define MOST_ADVANCE_PS UINT64_C(1000000000000000)

struct rubato_memory {
    struct traffic_memory *model;
    rubato_memory_callbacks callbacks;
    struct request request;              /* of the packet sent last; its pc is when, its sequence the user's pointer */
    size_t under_way, refusals;          /* ports that have refused and not had room since */
    bool *has_refused;                   /* by port */
    uint64_t steps;                      /* answers and rooms */
    uint64_t until_ps;                   /* of the rubato_memory_advance under way */
    uint64_t last_step;                  /* of the rubato_memory_drain or _wait under way */
    bool is_inside;                      /* events are being executed */
    unsigned visits;                     /* under way */
    bool is_paused, is_draining, is_lost;
    struct stats stats;
};

static uint64_t library_memory_now_of(const struct rubato_memory *memory)
{
    return sim_now_ps(&memory->model->sim);
}

/* ---- the memories' side */
static bool is_drained(const struct rubato_memory *memory)
{
    return memory->under_way == 0 && memory->refusals == 0;
}

/* The condition that ends rubato_memory_drain or rubato_memory_wait. */
static bool is_reached(const struct rubato_memory *memory)
{
    return is_drained(memory) || memory->steps >= memory->last_step;
}

static void stop_if_reached(struct rubato_memory *memory)
{
    if (memory->is_draining && is_reached(memory))
        event_queue_pause(&memory->model->sim.events);
}

static bool library_memory_recv_response(void *self, struct packet *packet, unsigned port)
{
    struct rubato_memory *const memory = self;
    rubato_answer const answer = {
        .user = (void *)(uintptr_t)packet->request.sequence, .address = packet->request.address,
        .sent_ps = packet->request.pc, .done_ps = library_memory_now_of(memory),
        .size_bytes = packet->request.size_bytes, .is_write = packet->command == CMD_WriteResp
    };

    (void)port;
    packet_give(memory->model->sim.packets, packet);
    memory->under_way--;
    memory->steps++;
    if (memory->callbacks.answered)
        memory->callbacks.answered(memory->callbacks.context, &answer);
    stop_if_reached(memory);
    return true;
}

static void library_memory_recv_request_retry(void *self, unsigned port)
{
    struct rubato_memory *const memory = self;

    memory->refusals -= memory->has_refused[port];
    memory->has_refused[port] = false;
    memory->steps++;
    if (memory->callbacks.has_room)
        memory->callbacks.has_room(memory->callbacks.context);
    stop_if_reached(memory);
}

/* ---- open and close */
static struct fault add_stats(struct rubato_memory *memory)
{
    struct traffic_memory *const model = memory->model;

    stats_init(&memory->stats);
    sim_add_stats(&model->sim, &memory->stats);
    for (unsigned i = 0; i < model->port_count; i++) {
        if (model->ports[i].controller)
            mem_ctrl_add_stats(model->ports[i].controller, &memory->stats);
        else if (model->ports[i].command)
            cmd_ctrl_add_stats(model->ports[i].command, &memory->stats);
        else
            simple_memory_add_stats(model->ports[i].simple, &memory->stats);
    }
    return stats_freeze(&memory->stats);
}

static struct fault library_memory_make(struct rubato_memory *memory, const struct system_config *config)
{
    static const struct above_ops ops = {.recv_response = library_memory_recv_response,
        .recv_request_retry = library_memory_recv_request_retry};
    struct fault fault;

    if (config_gpu_owns_memory(config))
        return fault_make(FAULT_INPUT, "%s has a GPU alone, whose memory needs its L2; give a system with a memory_bus",
                          config_name(config));
    memory->model = traffic_memory_create(config, &fault);
    if (!memory->model)
        return fault;
    memory->has_refused = calloc(memory->model->port_count, sizeof *memory->has_refused);
    if (!memory->has_refused)
        return fault_make(FAULT_MEMORY, "out of memory for %u ports", memory->model->port_count);
    memory->request.requestor = sim_add_requestor(&memory->model->sim, "requests");
    for (unsigned i = 0; i < memory->model->port_count; i++)
        *memory->model->ports[i].above = (struct above){.ops = &ops, .self = memory, .port = i};
    FORWARD(add_stats(memory));
    traffic_memory_startup(memory->model);
    return fault_none();
}

rubato_memory *rubato_memory_open(const rubato_system *system, const rubato_memory_callbacks *callbacks,
                                  rubato_error *error)
{
    struct rubato_memory *memory;
    struct system_config *config;
    struct fault fault;

    if (!system)
        return library_lacks(error, __func__, "system"), NULL;
    memory = calloc(1, sizeof *memory);
    config = config_new();
    fault = memory && config ? library_config(system, NULL, config)
                             : fault_make(FAULT_MEMORY, "out of memory for a memory system");
    if (fault.kind == FAULT_NONE)
        fault = library_memory_make(memory, config);
    if (fault.kind == FAULT_NONE && callbacks)
        memory->callbacks = *callbacks;
    free(config);
    if (library_say(error, fault))
        return memory;
    rubato_memory_close(memory);
    return NULL;
}

void rubato_memory_close(rubato_memory *memory)
{
    if (!memory || memory->is_inside || memory->visits > 0)      /* by a callback of it */
        return;
    stats_free(&memory->stats);
    traffic_memory_destroy(memory->model);
    free(memory->has_refused);
    free(memory);
}

/* ---- requests */
static struct fault lost(void)
{
    return fault_make(FAULT_MEMORY, "this memory system ran out of memory; close it");
}

static bool is_lost(const struct rubato_memory *memory, rubato_error *error)
{
    if (memory->is_lost)
        library_say(error, lost());
    return memory->is_lost;
}

static enum rubato_sent library_memory_wrong(const struct rubato_memory *memory, uint64_t address, uint32_t size_bytes,
                                             rubato_error *error)
{
    const struct traffic_memory *const model = memory->model;

    if (traffic_memory_port_of(model, address) == model->port_count)
        library_say(error, fault_make(FAULT_INPUT, "address 0x%" PRIx64 " is in no memory; the first begins at 0x%"
                                      PRIx64 " and has %" PRIu64 " bytes", address, model->ranges[0].range.first,
                                      model->ranges[0].range.end - model->ranges[0].range.first));
    else
        library_say(error, fault_make(FAULT_INPUT, "%" PRIu32 " bytes at 0x%" PRIx64 " do not lie in one line of %"
                                      PRIu32 " bytes; send one request for each line", size_bytes, address,
                                      model->sim.line_bytes));
    return RUBATO_WRONG;
}

struct offering {
    struct rubato_memory *memory;
    unsigned port;
    enum rubato_access access;
    enum rubato_sent answer;
};

static void library_memory_offer(void *context)
{
    static const uint16_t commands[] = {
        [RUBATO_READ] = CMD_ReadReq, [RUBATO_WRITE] = CMD_WriteReq, [RUBATO_WRITE_POSTED] = CMD_WritebackDirty
    };
    struct offering *const offering = context;
    struct rubato_memory *const memory = offering->memory;
    const struct below *const below = &memory->model->ports[offering->port].below;
    struct packet_pool *const pool = memory->model->sim.packets;
    struct packet *const packet = packet_take(pool, &memory->request, commands[offering->access]);

    if (below->ops->recv_request(below->self, packet, below->port)) {
        memory->under_way += offering->access != RUBATO_WRITE_POSTED;
        offering->answer = RUBATO_ACCEPTED;
    } else {
        packet_give(pool, packet);
        memory->refusals += !memory->has_refused[offering->port];
        memory->has_refused[offering->port] = true;
        offering->answer = RUBATO_REFUSED;
    }
}

static enum rubato_sent lose(struct rubato_memory *memory, struct fault fault, rubato_error *error)
{
    memory->is_lost = true;
    event_queue_stop(&memory->model->sim.events);
    library_say(error, fault);
    return RUBATO_WRONG;
}

enum rubato_sent rubato_memory_send(rubato_memory *memory, uint64_t address, uint32_t size_bytes,
                                    enum rubato_access access, void *user, rubato_error *error)
{
    struct traffic_memory *const model = memory ? memory->model : NULL;
    unsigned const port = model ? traffic_memory_port_of(model, address) : 0;
    struct offering offering = {.memory = memory, .port = port, .access = access};
    struct fault fault;

    if (unlikely(!model))
        return library_lacks(error, __func__, "memory"), RUBATO_WRONG;
    if (unlikely((unsigned)access > RUBATO_WRITE_POSTED)) {
        library_say(error, fault_make(FAULT_INPUT, "access %u; expected RUBATO_READ, RUBATO_WRITE or "
                                      "RUBATO_WRITE_POSTED", (unsigned)access));
        return RUBATO_WRONG;
    }
    if (unlikely(memory->is_lost) && is_lost(memory, error))
        return RUBATO_WRONG;
    if (unlikely(port == model->port_count || size_bytes == 0
                 || (address & (model->sim.line_bytes - 1)) + size_bytes > model->sim.line_bytes))
        return library_memory_wrong(memory, address, size_bytes, error);
    memory->request.address = address;
    memory->request.size_bytes = size_bytes;
    memory->request.pc = library_memory_now_of(memory);
    memory->request.sequence = (uintptr_t)user;
    fault = sim_execute(&model->sim, library_memory_offer, &offering);
    return likely(fault.kind == FAULT_NONE) ? offering.answer : lose(memory, fault, error);
}

/* ---- time */
static void advance(void *context)
{
    struct rubato_memory *const memory = context;
    struct event_queue *const events = &memory->model->sim.events;

    event_queue_run(events, memory->until_ps, NO_LIMIT);
    if (!memory->is_paused)
        event_queue_advance(events, memory->until_ps);
}

static void drain(void *context)
{
    struct rubato_memory *const memory = context;
    struct event_queue *const events = &memory->model->sim.events;

    for (uint64_t steps = memory->steps + 1; !is_reached(memory) && !memory->is_paused
         && memory->steps != steps && event_queue_next_ps(events) != TICK_NEVER;) {
        steps = memory->steps;
        event_queue_run(events, TICK_NEVER - 1, STALL_EVENTS);
    }
}

/* Runs `what`, which executes events, in sim_execute. The fault is copied only if there is one. */
static bool library_memory_execute(struct rubato_memory *memory, void (*what)(void *context), rubato_error *error)
{
    memory->is_inside = true;
    memory->is_paused = false;
    {
        struct fault const fault = sim_execute(&memory->model->sim, what, memory);

        memory->is_inside = false;
        if (unlikely(fault.kind != FAULT_NONE)) {
            memory->is_lost = true;
            return library_say(error, fault);
        }
    }
    return !is_lost(memory, error);      /* by a callback */
}

static bool is_outside(const struct rubato_memory *memory, rubato_error *error)
{
    return likely(!memory->is_inside)
           || library_say(error, fault_make(FAULT_INPUT, "a callback may not let time pass; rubato_memory_pause ends "
                                            "what is under way"));
}

bool rubato_memory_advance(rubato_memory *memory, uint64_t until_ps, rubato_error *error)
{
    if (!memory)
        return library_lacks(error, __func__, "memory");
    if (is_lost(memory, error) || !is_outside(memory, error))
        return false;
    if (until_ps >= TICK_NEVER - 1 || (until_ps > library_memory_now_of(memory)
                                       && until_ps - library_memory_now_of(memory) > MOST_ADVANCE_PS))
        return library_say(error, fault_make(FAULT_INPUT, "%" PRIu64 " ps is more than 1000 s from now, and memories "
                                             "refresh all the time; rubato_memory_drain waits for all answers",
                                             until_ps));
    memory->until_ps = until_ps;
    return (until_ps < library_memory_now_of(memory) || library_memory_execute(memory, advance, error))
        && library_is_fine(error);
}

/* To the end, or to that step. */
static bool drain_to(struct rubato_memory *memory, uint64_t last_step, const char *function, rubato_error *error)
{
    bool is_good;

    if (!memory)
        return library_lacks(error, function, "memory");
    if (is_lost(memory, error) || !is_outside(memory, error))
        return false;
    memory->last_step = last_step;
    memory->is_draining = true;
    is_good = library_memory_execute(memory, drain, error);
    memory->is_draining = false;
    if (unlikely(is_good && !is_reached(memory) && !memory->is_paused))
        return library_say(error, fault_make(FAULT_STALL, "the memory is stuck at tick %" PRIu64 ": %zu requests are "
                                             "under way, and none was answered for a million events",
                                                 library_memory_now_of(memory), memory->under_way));
    return is_good && library_is_fine(error);
}

bool rubato_memory_drain(rubato_memory *memory, rubato_error *error)
{
    return drain_to(memory, UINT64_MAX, __func__, error);
}

bool rubato_memory_wait(rubato_memory *memory, rubato_error *error)
{
    return drain_to(memory, memory ? memory->steps + 1 : 0, __func__, error);
}

void rubato_memory_pause(rubato_memory *memory)
{
    if (!memory)
        return;
    memory->is_paused = true;
    event_queue_pause(&memory->model->sim.events);
}

uint64_t rubato_memory_now_ps(const rubato_memory *memory)
{
    return memory ? library_memory_now_of(memory) : 0;
}

uint64_t rubato_memory_next_ps(const rubato_memory *memory)
{
    return memory ? event_queue_next_ps(&memory->model->sim.events) : UINT64_MAX;
}

size_t rubato_memory_under_way(const rubato_memory *memory)
{
    return memory ? memory->under_way : 0;
}

/* ---- properties */
uint32_t rubato_memory_line_bytes(const rubato_memory *memory)
{
    return memory ? memory->model->sim.line_bytes : 0;
}

uint64_t rubato_memory_size_bytes(const rubato_memory *memory)
{
    return memory ? memory->model->size_bytes : 0;
}

uint64_t rubato_memory_address(const rubato_memory *memory, uint64_t offset_bytes)
{
    return memory && offset_bytes < memory->model->size_bytes ? traffic_memory_address(memory->model, offset_bytes)
                                                              : UINT64_MAX;
}

double rubato_memory_peak_bytes_per_s(const rubato_memory *memory)
{
    return memory ? memory->model->peak_bytes_per_s : 0;
}

/* ---- statistics */
static void settle(struct rubato_memory *memory)
{
    for (unsigned i = 0; i < memory->model->port_count; i++)
        if (memory->model->ports[i].controller)
            mem_ctrl_settle_stats(memory->model->ports[i].controller);
        else if (memory->model->ports[i].command)
            cmd_ctrl_settle_stats(memory->model->ports[i].command);
}

bool rubato_memory_visit(rubato_memory *memory, rubato_visit *visit, void *context, rubato_error *error)
{
    struct library_visitor visitor = {visit, context};

    if (!memory || !visit)
        return library_lacks(error, __func__, memory ? "visit" : "memory");
    if (is_lost(memory, error))
        return false;
    settle(memory);
    memory->visits++;
    stats_visit(&memory->stats, library_memory_now_of(memory), STATS_SHOWN_AND_OURS, library_visit_leaf, &visitor);
    memory->visits--;
    return library_say(error, fault_none());
}

struct search {
    const char *name;
    double value;
    bool is_found;
};

static void match(void *context, const rubato_statistic *statistic)
{
    struct search *const search = context;

    if (!search->is_found && strcmp(statistic->name, search->name) == 0) {
        search->value = statistic->value;
        search->is_found = true;
    }
}

bool rubato_memory_value(rubato_memory *memory, const char *name, double *value, rubato_error *error)
{
    struct search search = {.name = name};

    if (!memory || !name || !value)
        return library_lacks(error, __func__, !memory ? "memory" : name ? "value" : "name");
    if (!rubato_memory_visit(memory, match, &search, error))
        return false;
    if (!search.is_found)
        return library_say(error, fault_make(FAULT_INPUT, "%.200s: the memory has no statistic of that name; "
                                             "rubato_memory_visit names all there are", name));
    *value = search.value;
    return true;
}

void rubato_memory_reset_statistics(rubato_memory *memory)
{
    if (!memory || memory->is_lost)
        return;
    stats_reset(&memory->stats, library_memory_now_of(memory));
}
