#include "tests/support/dram_bench.h"
#include "memsys/dram/dram_params.h"
#include "memsys/dram/memory_params.h"
#include "replay/config/device.h"
#include "tests/support/unit.h"

struct dram_bench dram_bench;

#define DEFAULT_VALUE(field, key, unit, fallback, lowest, highest, help) .field = (fallback),
static const struct memory_params memory_defaults = {MEMORY_PARAMETERS(DEFAULT_VALUE)};
static const struct controller_params controller_defaults = {CONTROLLER_PARAMETERS(DEFAULT_VALUE)};

static void keep_line(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                      uint64_t address, const char *details)
{
    struct dram_bench_burst *const burst = &dram_bench.bursts[dram_bench.burst_count];
    int hit;

    (void)context;
    (void)component;
    if (strcmp(what, "burst") != 0)
        return;
    assert_in_range(dram_bench.burst_count, 0, DRAM_BENCH_LIST - 1);
    *burst = (struct dram_bench_burst){.decided_ps = tick_ps, .address = address,
                                       .is_read = strcmp(command, "Read") == 0};
    if (strncmp(details, "dram", 4) == 0) {
        assert_int_equal(sscanf(details, "%7s", burst->channel), 1);
        details = strchr(details, ' ') + 1;
    }
    assert_int_equal(sscanf(details, "rank=%u bank=%u row=%lu hit=%d command=%lu ready=%lu", &burst->rank, &burst->bank,
                            &burst->row, &hit, &burst->command_ps, &burst->ready_ps), 6);
    burst->hit = hit != 0;
    dram_bench.burst_count++;
}

static bool recv_response(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)port;
    if (dram_bench.refuses_answers) {
        dram_bench.refused_answers++;
        return false;
    }
    assert_in_range(dram_bench.answer_count, 0, DRAM_BENCH_LIST - 1);
    dram_bench.answers[dram_bench.answer_count++] =
        (struct dram_bench_answer){sim_now_ps(&dram_bench.sim), packet->address, packet->command};
    packet_give(dram_bench.sim.packets, packet);
    return true;
}

static void send_due(void *owner);

static void recv_request_retry(void *self, unsigned port)
{
    (void)port;
    dram_bench.retries++;
    dram_bench.retry_ps = sim_now_ps(&dram_bench.sim);
    send_due(self);
}

static void send_due(void *owner)
{
    struct dram_bench *const bench = owner;

    while (bench->sent_count < bench->request_count) {
        struct dram_bench_request *const next = &bench->requests[bench->sent_count];
        struct request request = {.address = next->address, .size_bytes = next->size_bytes, .flags = next->flags,
                                  .requestor = 1};
        struct packet *packet;

        if (next->when_ps > sim_now_ps(&bench->sim)) {
            event_reschedule(&bench->sim.events, &bench->send_event, next->when_ps);
            return;
        }
        packet = packet_take(bench->sim.packets, &request, next->command);
        packet->header_delay_ps = next->header_delay_ps;
        packet->payload_delay_ps = next->payload_delay_ps;
        if (!bench->port.ops->recv_request(bench->port.self, packet, bench->port.port)) {
            assert_int_equal(packet->command, next->command);
            packet_give(bench->sim.packets, packet);
            return;
        }
        next->accepted = true;
        bench->sent_count++;
    }
}

void dram_bench_set_up(const char *device)
{
    memset(&dram_bench, 0, sizeof dram_bench);
    sim_init(&dram_bench.sim, 64);
    dram_bench.sim.log.line = keep_line;
    dram_bench.params = memory_defaults;
    dram_bench.params.controller = controller_defaults;
    assert_int_equal(config_device_read(&dram_bench.params.dram, device).kind, FAULT_NONE);
    snprintf(dram_bench.params.device, sizeof dram_bench.params.device, "%s", device);
    event_init(&dram_bench.send_event, send_due, &dram_bench, EVENT_DEFAULT);
    assert_int_equal(event_queue_reserve(&dram_bench.sim.events, 1).kind, FAULT_NONE);
}

static struct above above_of_bench(void)
{
    static const struct above_ops ops = {.recv_response = recv_response, .recv_request_retry = recv_request_retry};

    return (struct above){.ops = &ops, .self = &dram_bench};
}

static void build(bool has_pseudo_channels)
{
    struct fault const fault = mem_ctrl_init(&dram_bench.ctrl, &dram_bench.sim, "mem_ctrls", &dram_bench.params, 0,
                                             has_pseudo_channels);

    assert_string_equal(fault_text(fault), "");
    dram_bench.ctrl.above = above_of_bench();
    dram_bench.port = mem_ctrl_port(&dram_bench.ctrl);
    mem_ctrl_startup(&dram_bench.ctrl);
}

void dram_bench_build(void)
{
    build(false);
}

void dram_bench_build_with_pseudo_channels(void)
{
    build(true);
}

void dram_bench_build_simple(void)
{
    struct fault const fault = simple_memory_init(&dram_bench.simple, &dram_bench.sim, "memory", &dram_bench.params);

    assert_string_equal(fault_text(fault), "");
    dram_bench.is_simple = true;
    dram_bench.simple.above = above_of_bench();
    dram_bench.port = simple_memory_port(&dram_bench.simple);
}

void dram_bench_tear_down(void)
{
    if (dram_bench.is_simple)
        simple_memory_free(&dram_bench.simple);
    else if (dram_bench.ctrl.sim)
        mem_ctrl_free(&dram_bench.ctrl);
    assert_int_equal(dram_bench.sim.packets->outstanding, 0);
    sim_free(&dram_bench.sim);
}

struct dram_bench_request *dram_bench_send_at(uint64_t when_ps, enum command command, uint64_t address)
{
    struct dram_bench_request *const request = &dram_bench.requests[dram_bench.request_count++];

    assert_in_range(dram_bench.request_count, 1, DRAM_BENCH_LIST);
    *request = (struct dram_bench_request){.when_ps = when_ps, .command = command, .address = address,
                                            .size_bytes = 64};
    if (dram_bench.sent_count + 1 == dram_bench.request_count && !dram_bench.send_event.scheduled)
        event_schedule(&dram_bench.sim.events, &dram_bench.send_event, when_ps);
    return request;
}

void dram_bench_run_until(uint64_t tick_ps)
{
    while (event_queue_step(&dram_bench.sim.events, tick_ps))
        ;
}

uint64_t dram_bench_address(unsigned rank, unsigned bank, uint64_t row)
{
    const struct dram_geometry *const geometry = &dram_bench.ctrl.channels[0].geometry;

    return ((row * geometry->ranks + rank) * geometry->banks + bank) * geometry->row_bytes;
}
