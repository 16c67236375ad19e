/* Commands are observed as they are issued. The state of the row that an access met follows from the commands since the
 * last access of its bank: no activation, one, or one behind a precharge that was made for an access. */
#include "replay/traffic/traffic_detail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/dram/dram_params.h"
#include "replay/traffic/traffic_memory.h"

enum { FIRST_WINDOW_PS = 10000 };

/* ---- banks */
static void note_access(struct traffic_detail *detail, struct traffic_bank *bank, unsigned way, uint64_t latency_ps)
{
    enum traffic_row const row = !bank->was_opened ? TRAFFIC_ROW_HIT
                                 : bank->was_precharged ? TRAFFIC_ROW_CONFLICT : TRAFFIC_ROW_MISS;

    bank->was_opened = bank->was_precharged = false;
    bank->accesses[way][row]++;
    bank->latency_ps[way] += latency_ps;
    bank->highest_ps[way] = max_u64(bank->highest_ps[way], latency_ps);
    latency_histogram_add(&detail->rows[way][row], latency_ps);
}

static void take_dram(void *context, const struct dram_command *command)
{
    struct traffic_detail_port *const port = context;
    const struct dram_channel *const channel = command->rank->channel;
    size_t const place = (channel == port->channels[1] ? channel->rank_count * command->rank->bank_count : 0)
                         + command->rank->number * command->rank->bank_count + command->bank;
    struct traffic_bank *const bank = &port->detail->banks[port->first_bank + place];

    switch (command->kind) {
    case DRAM_COMMAND_ACTIVATE: bank->was_opened = true; break;
    case DRAM_COMMAND_PRECHARGE: bank->was_precharged |= command->precharge == DRAM_PRECHARGE_ALONE; break;
    case DRAM_COMMAND_READ:
        note_access(port->detail, bank, TRAFFIC_READ, command->start_ps + channel->dram->tCL_ps
                    + channel->dram->tBURST_ps - command->arrival_ps);
        break;
    case DRAM_COMMAND_WRITE:
        note_access(port->detail, bank, TRAFFIC_WRITE, command->start_ps - command->arrival_ps);
        break;
    default: break;
    }
}

static void take_device(void *context, const struct cmd_ctrl *ctrl, uint64_t tick_ps, const struct cmd_issued *issued)
{
    struct traffic_detail_port *const port = context;
    const struct cmd_spec *const spec = ctrl->spec;
    const struct cmd_command_row *const command = &spec->command[issued->command];
    struct traffic_bank *const bank =
        &port->detail->banks[port->first_bank + cmd_watch_bank_of(spec, issued->vector)];

    if (command->accessing && issued->kind != CMD_INTERNAL) {
        bool const is_read = issued->kind == CMD_READ;
        uint64_t const end_ps = is_read ? cmd_clock_tick_ps(&ctrl->clock, issued->tick + (uint64_t)spec->read_latency)
                                        : tick_ps;

        note_access(port->detail, bank, is_read ? TRAFFIC_READ : TRAFFIC_WRITE,
                    end_ps - cmd_clock_tick_ps(&ctrl->clock, issued->arrive));
    } else if (command->opening) {
        bank->was_opened = true;
    } else if (command->closing && issued->kind != CMD_INTERNAL) {
        bank->was_precharged = true;
    }
}

static void name_bank(struct traffic_bank *bank, const struct cmd_spec *spec, uint32_t number)
{
    uint32_t entries[CMD_LEVELS];
    size_t length = 0;

    for (unsigned level = spec->bank_level; level >= 1; level--) {
        entries[level] = number % spec->size[level];
        number /= spec->size[level];
    }
    for (unsigned level = 1; level <= spec->bank_level && length < sizeof bank->place; level++)
        length += (size_t)snprintf(bank->place + length, sizeof bank->place - length, level > 1 ? ".%u" : "%u",
                                   entries[level]);
}

static void name_levels(struct traffic_detail *detail, const struct traffic_memory *memory)
{
    const struct cmd_spec *spec = NULL;
    size_t length = 0;

    for (unsigned i = 0; i < memory->port_count && !spec; i++)
        spec = memory->ports[i].command ? memory->ports[i].command->spec : NULL;
    for (unsigned level = 1; spec && level <= spec->bank_level && length < sizeof detail->levels; level++)
        length += (size_t)snprintf(detail->levels + length, sizeof detail->levels - length, level > 1 ? ".%s" : "%s",
                                   spec->standard->levels[level]);
    if (!spec)
        snprintf(detail->levels, sizeof detail->levels, "Rank.Bank");
}

static size_t banks_of(const struct traffic_port *port)
{
    const struct mem_ctrl *const controller = port->controller;

    if (port->command)
        return port->command->spec->bank_count;
    return controller ? controller->channel_count * controller->channels[0].rank_count
                            * controller->channels[0].ranks[0].bank_count
                      : 0;
}

static void name_banks(struct traffic_detail *detail, const struct traffic_memory *memory, unsigned number)
{
    const struct traffic_port *const port = &memory->ports[number];
    size_t const count = banks_of(port);

    for (size_t i = 0; i < count; i++) {
        struct traffic_bank *const bank = &detail->banks[detail->ports[number].first_bank + i];

        snprintf(bank->channel, sizeof bank->channel, "%s", memory->names[number]);
        if (port->command) {
            name_bank(bank, port->command->spec, (uint32_t)i);
        } else {
            const struct dram_channel *const channel = &port->controller->channels[0];
            size_t const banks = channel->ranks[0].bank_count, ranks = channel->rank_count;

            if (port->controller->channel_count > 1)
                snprintf(bank->place, sizeof bank->place, "%u.%u.%u", (unsigned)(i / banks / ranks),
                         (unsigned)(i / banks % ranks), (unsigned)(i % banks));
            else
                snprintf(bank->place, sizeof bank->place, "%u.%u", (unsigned)(i / banks), (unsigned)(i % banks));
        }
    }
}

/* ---- set-up */
struct fault traffic_detail_make(struct traffic_detail *detail, const struct traffic_memory *memory)
{
    *detail = (struct traffic_detail){.window_ps = FIRST_WINDOW_PS};
    detail->ports = calloc(memory->port_count, sizeof *detail->ports);
    if (!detail->ports)
        return fault_make(FAULT_MEMORY, "out of memory for %u channels", memory->port_count);
    for (unsigned i = 0; i < memory->port_count; i++) {
        detail->ports[i].detail = detail;
        detail->ports[i].first_bank = detail->bank_count;
        detail->bank_count += banks_of(&memory->ports[i]);
    }
    detail->banks = calloc(detail->bank_count + 1, sizeof *detail->banks);
    if (!detail->banks)
        return fault_make(FAULT_MEMORY, "out of memory for %zu banks", detail->bank_count);
    for (unsigned i = 0; i < memory->port_count; i++)
        name_banks(detail, memory, i);
    name_levels(detail, memory);
    return fault_none();
}

void traffic_detail_free(struct traffic_detail *detail)
{
    free(detail->banks);
    free(detail->ports);
    detail->banks = NULL;
    detail->ports = NULL;
}

void traffic_detail_watch(struct traffic_detail *detail, struct traffic_memory *memory,
                          const struct dram_command_sink *commands, const struct cmd_sink *device_commands)
{
    for (unsigned i = 0; i < memory->port_count; i++) {
        struct traffic_detail_port *const port = &detail->ports[i];
        struct mem_ctrl *const controller = memory->ports[i].controller;

        port->sink = (struct dram_command_sink){.take = take_dram, .context = port, .next = commands};
        port->device_sink = (struct cmd_sink){.take = take_device, .context = port, .next = device_commands};
        for (uint32_t c = 0; controller && c < controller->channel_count; c++) {
            port->channels[c] = &controller->channels[c];
            if (commands && commands->begin)
                commands->begin(commands->context, port->channels[c]);
        }
        if (controller)
            mem_ctrl_watch(controller, &port->sink);
        else if (memory->ports[i].command)
            cmd_ctrl_watch(memory->ports[i].command, &port->device_sink);
    }
}

/* ---- time */
static void add_window(struct traffic_window *to, const struct traffic_window *from)
{
    for (unsigned way = 0; way < TRAFFIC_WAYS; way++)
        to->done[way] += from->done[way];
    to->latency_ps += from->latency_ps;
    to->highest_ps = max_u64(to->highest_ps, from->highest_ps);
}

static void widen_windows(struct traffic_detail *detail)
{
    for (unsigned i = 0; i < TRAFFIC_WINDOWS; i++) {
        struct traffic_window const window = detail->windows[i];

        detail->windows[i] = (struct traffic_window){0};
        add_window(&detail->windows[i / 2], &window);
    }
    detail->window_ps *= 2;
    detail->window_count = (detail->window_count + 1) / 2;
}

void traffic_detail_done(struct traffic_detail *detail, uint64_t now_ps, unsigned way, uint64_t latency_ps)
{
    struct traffic_window one = {.done = {0}};
    uint64_t window;

    while (now_ps / detail->window_ps >= TRAFFIC_WINDOWS)
        widen_windows(detail);
    window = now_ps / detail->window_ps;
    one.done[way] = 1;
    if (way == TRAFFIC_READ)
        one.latency_ps = one.highest_ps = latency_ps;
    add_window(&detail->windows[window], &one);
    detail->window_count = (unsigned)max_u64(detail->window_count, window + 1);
    detail->until_ps = now_ps;
}

void traffic_detail_reset(struct traffic_detail *detail, uint64_t now_ps)
{
    detail->since_ps = now_ps;
    memset(detail->windows, 0, sizeof detail->windows);
    for (unsigned way = 0; way < TRAFFIC_WAYS; way++)
        for (unsigned row = 0; row < TRAFFIC_ROWS; row++)
            latency_histogram_reset(&detail->rows[way][row]);
    for (size_t i = 0; i < detail->bank_count; i++) {
        struct traffic_bank *const bank = &detail->banks[i];

        memset(bank->accesses, 0, sizeof bank->accesses);
        memset(bank->latency_ps, 0, sizeof bank->latency_ps);
        memset(bank->highest_ps, 0, sizeof bank->highest_ps);
    }
}

/* ---- what became of the accesses */
static void add_fate(struct traffic_fate *fate, uint64_t requests, uint64_t given, uint64_t served, uint64_t spared)
{
    fate->requests += requests;
    fate->given += given;
    fate->served += served;
    fate->spared += spared;
    fate->waiting += given - served - spared;
}

static uint64_t count_port(struct traffic_fate *fates, struct traffic_port *port)
{
    if (port->command) {
        const struct cmd_ctrl_stats *const stats = &port->command->stats;
        const struct cmd_stats *const device = &stats->device;

        cmd_ctrl_settle_stats(port->command);
        add_fate(&fates[TRAFFIC_READ], stats->read_reqs, device->num_read_reqs, device->num_read_reqs_served,
                 device->num_read_reqs_forwarded);
        add_fate(&fates[TRAFFIC_WRITE], stats->write_reqs, device->num_write_reqs, device->num_write_reqs_served,
                 device->num_write_reqs_coalesced);
        return port->command->access_bytes;
    }
    if (port->controller) {
        const struct mem_ctrl_stats *const stats = &port->controller->stats;
        uint64_t reads = 0, writes = 0;

        for (uint32_t c = 0; c < port->controller->channel_count; c++) {
            reads += port->controller->channels[c].stats.read_bursts;
            writes += port->controller->channels[c].stats.write_bursts;
        }
        add_fate(&fates[TRAFFIC_READ], stats->read_reqs, stats->read_bursts, reads, stats->serviced_by_write_queue);
        add_fate(&fates[TRAFFIC_WRITE], stats->write_reqs, stats->write_bursts, writes, stats->merged_writes);
        return port->controller->channels[0].geometry.burst_bytes;
    }
    for (unsigned i = 0; i < MAX_REQUESTORS; i++) {
        uint64_t const reads = port->simple->traffic[i].reads, writes = port->simple->traffic[i].writes;

        add_fate(&fates[TRAFFIC_READ], reads, reads, reads, 0);
        add_fate(&fates[TRAFFIC_WRITE], writes, writes, writes, 0);
    }
    return port->simple->sim->line_bytes;
}

void traffic_detail_count(struct traffic_detail *detail, struct traffic_memory *memory)
{
    for (unsigned i = 0; i < memory->port_count; i++) {
        uint64_t const bytes = count_port(detail->fates, &memory->ports[i]);

        detail->access_bytes = i == 0 || bytes == detail->access_bytes ? bytes : 0;
        if (memory->ports[i].command)
            cmd_rowhammer_add(&detail->rowhammer, memory->ports[i].command, sim_now_ps(&memory->sim));
    }
}
