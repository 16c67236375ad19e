/* Figures of a memory of DRAM commands in a sample. The device counts in its own ticks, up to the last one in which
 * something happened; queues are added up in these. */
#include "replay/record/telemetry_text.h"

#include <stdio.h>

#include "memsys/command/cmd_ctrl.h"

static const char *const direction_names[] = {"read", "write"};
static const char *const outcome_names[] = {"hits", "misses", "conflicts"};

static void read_packet_bytes(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct cmd_ctrl *const ctrl = field->source;

    (void)now_ps;
    values[0] = 0;
    for (unsigned i = 0; i < ctrl->sim->root->requestor_count; i++)
        values[0] += field->argument ? ctrl->stats.traffic[i].bytes_written : ctrl->stats.traffic[i].bytes_read;
}

static void read_responses(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    (void)now_ps;
    values[0] = packet_queue_count(field->source);
}

enum device_figure {
    FIGURE_BYTES, FIGURE_OUTCOMES, FIGURE_READS, FIGURE_LATENCY, FIGURE_READ_QUEUE, FIGURE_WRITE_QUEUE
};

/* argument: enum device_figure */
static void read_device(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct cmd_ctrl *const ctrl = field->source;
    struct cmd_stats const stats = cmd_memory_stats(ctrl->memory, 0);

    (void)now_ps;
    switch ((enum device_figure)field->argument) {
    case FIGURE_BYTES:
        values[0] = stats.num_read_reqs_served * ctrl->access_bytes;
        values[1] = stats.num_write_reqs_served * ctrl->access_bytes;
        break;
    case FIGURE_OUTCOMES:
        values[0] = stats.row_hits;
        values[1] = stats.row_misses;
        values[2] = stats.row_conflicts;
        break;
    case FIGURE_READS:
        values[0] = ctrl->stats.read_latencies.count;
        break;
    case FIGURE_LATENCY:
        values[0] = ctrl->stats.read_latencies.sum;
        break;
    case FIGURE_READ_QUEUE:
        values[0] = cmd_clock_tick_ps(&ctrl->clock, stats.read_queue_len);
        break;
    case FIGURE_WRITE_QUEUE:
        values[0] = cmd_clock_tick_ps(&ctrl->clock, stats.write_queue_len);
        break;
    }
}

/* ---- banks */
static const char *const bank_states[CMD_WATCH_STATES] = {
    [CMD_WATCH_IDLE] = "idle", [CMD_WATCH_ACTIVE] = "active", [CMD_WATCH_PRECHARGE] = "precharge",
    [CMD_WATCH_REFRESH] = "refresh"
};

enum bank_figure {
    FIGURE_STATE, FIGURE_ROW, FIGURE_BANK_READS, FIGURE_BANK_WRITES, FIGURE_ACTIVATES, FIGURE_CONFLICTS
};

/* argument: first bank * 2^32 + enum bank_figure */
static void read_banks(const struct telemetry_field *field, uint64_t now_ps, uint64_t *values)
{
    const struct cmd_ctrl *const ctrl = field->source;
    uint32_t const first = (uint32_t)(field->argument >> 32);

    for (uint32_t i = 0; i < field->count; i++) {
        const struct cmd_watch_bank *const bank = &ctrl->watch.banks[first + i];

        switch ((enum bank_figure)(uint32_t)field->argument) {
        case FIGURE_STATE: values[i] = cmd_watch_bank_state(&ctrl->watch, first + i, now_ps); break;
        case FIGURE_ROW: values[i] = bank->row; break;
        case FIGURE_BANK_READS: values[i] = bank->reads; break;
        case FIGURE_BANK_WRITES: values[i] = bank->writes; break;
        case FIGURE_ACTIVATES: values[i] = bank->activates; break;
        case FIGURE_CONFLICTS: values[i] = bank->conflicts; break;
        }
    }
}

#define BANKS(figure) .source = ctrl, .read = read_banks, .argument = (uint64_t)first << 32 | (figure), .count = banks

/* A rank, or a pseudo-channel. */
static void add_banks(struct telemetry *telemetry, uint32_t parent, const struct cmd_ctrl *ctrl, uint32_t number,
                      uint32_t banks)
{
    uint32_t const first = number * banks;
    struct telemetry_field const fields[] = {
        {.name = "banks", .unit = "State", .kind = TELEMETRY_STATE, BANKS(FIGURE_STATE), .state_names = bank_states,
         .state_count = CMD_WATCH_STATES, .help = "what each bank does"},
        {.name = "rows", .unit = "Row", .kind = TELEMETRY_PLACE, BANKS(FIGURE_ROW),
         .help = "open row of each bank, counted from 1; 0: closed"},
        {.name = "reads", .kind = TELEMETRY_COUNTER, BANKS(FIGURE_BANK_READS), .help = "read accesses by bank"},
        {.name = "writes", .kind = TELEMETRY_COUNTER, BANKS(FIGURE_BANK_WRITES), .help = "write accesses by bank"},
        {.name = "activates", .kind = TELEMETRY_COUNTER, BANKS(FIGURE_ACTIVATES), .help = "rows opened, by bank"},
        {.name = "conflicts", .kind = TELEMETRY_COUNTER, BANKS(FIGURE_CONFLICTS),
         .help = "rows closed for an access to another, by bank"}
    };
    char name[80];

    snprintf(name, sizeof name, "%s.rank%u", telemetry->components[parent].name, number);
    TELEMETRY_ADD_TABLE(telemetry, telemetry_add_component(telemetry, TELEMETRY_RANK, parent, name), fields);
}

static void add_device(struct telemetry *telemetry, uint32_t parent, const struct cmd_ctrl *ctrl)
{
    struct telemetry_field const fields[] = {
        {.name = "bytes", .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = ctrl, .read = read_device,
         .argument = FIGURE_BYTES, .count = 2, .element_names = direction_names,
         .limit = (uint64_t)cmd_ctrl_peak_bytes_per_s(ctrl->spec),
         .help = "bytes of accesses; its peak is that of both directions together"},
        {.name = "bursts", .kind = TELEMETRY_COUNTER, .source = ctrl, .read = read_device,
         .argument = FIGURE_OUTCOMES, .count = 3, .element_names = outcome_names,
         .help = "accesses to an open row, a closed bank, and a bank with another row open"},
        {.name = "read_bursts", .kind = TELEMETRY_COUNTER, .source = ctrl, .read = read_device,
         .argument = FIGURE_READS, .help = "read packets answered"},
        {.name = "read_latency_ps", .unit = "Tick", .kind = TELEMETRY_COUNTER, .source = ctrl, .read = read_device,
         .argument = FIGURE_LATENCY, .help = "time of these from arrival to data"},
        {.name = "read_queue_ps", .kind = TELEMETRY_INTEGRAL, .source = ctrl, .read = read_device,
         .argument = FIGURE_READ_QUEUE, .limit = ctrl->read_queue, .help = "read accesses that wait"},
        {.name = "write_queue_ps", .kind = TELEMETRY_INTEGRAL, .source = ctrl, .read = read_device,
         .argument = FIGURE_WRITE_QUEUE, .limit = ctrl->write_queue, .help = "write accesses that wait"}
    };
    bool const has_ranks = cmd_spec_level(ctrl->spec, "Rank") == 1 || cmd_spec_level(ctrl->spec, "PseudoChannel") == 1;
    uint32_t const ranks = has_ranks ? ctrl->spec->size[1] : 1;
    uint32_t component;
    char name[64];

    snprintf(name, sizeof name, "%s.dram", telemetry->components[parent].name);
    component = telemetry_add_component(telemetry, TELEMETRY_CHANNEL, parent, name);
    TELEMETRY_ADD_TABLE(telemetry, component, fields);
    for (uint32_t i = 0; i < ranks; i++)
        add_banks(telemetry, component, ctrl, i, ctrl->spec->bank_count / ranks);
}

uint32_t telemetry_add_cmd_ctrl(struct telemetry *telemetry, uint32_t parent, const struct cmd_ctrl *ctrl)
{
    const struct cmd_ctrl_stats *const stats = &ctrl->stats;
    struct telemetry_field const fields[] = {
        {.name = "bytes_read", .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = ctrl, .read = read_packet_bytes,
         .help = "bytes of read packets"},
        {.name = "bytes_written", .unit = "Byte", .kind = TELEMETRY_COUNTER, .source = ctrl, .read = read_packet_bytes,
         .argument = 1, .help = "bytes of write packets"},
        {.name = "read_retries", .kind = TELEMETRY_COUNTER, .source = &stats->read_retries,
         .help = "reads refused by a full queue"},
        {.name = "write_retries", .kind = TELEMETRY_COUNTER, .source = &stats->write_retries,
         .help = "writes refused by a full queue"},
        {.name = "responses", .kind = TELEMETRY_LEVEL, .source = &ctrl->responses, .read = read_responses,
         .help = "responses that wait to leave"}
    };
    uint32_t const component = telemetry_add_component(telemetry, TELEMETRY_MEMORY, parent, ctrl->name);

    TELEMETRY_ADD_TABLE(telemetry, component, fields);
    add_device(telemetry, component, ctrl);
    return component;
}
