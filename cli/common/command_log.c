/* Converts the commands reported by memsys to those that a device sees: an auto-precharge is a letter of its burst, a
 * precharge of all banks one command, and a change of power state the commands that make it. */
#include "cli/common/command_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "cli/common/cli.h"
#include "cli/common/output.h"
#include "memsys/dram/mem_ctrl.h"
#include "memsys/dram/memory_params.h"
#include "replay/config/config_values.h"

struct command_log_rank {
    uint64_t power;                      /* enum dram_power_state */
    uint64_t last_all_ps;                /* of the last PREA; TICK_NEVER: none */
};

struct command_log_line {
    uint64_t tick_ps;
    const char *name;
    uint32_t rank, bank;
    bool is_exit, has_bank, has_row, has_column;
    bool is_active;                      /* of power-down: a row is open */
    uint64_t row, column;
};

/* Waiting lines are sorted by tick; those of one tick are in the order of their reports, except that exits from low
 * power come first: the commands after an exit are decided, and reported, before it happens. */
struct command_log_channel {
    const struct dram_channel *channel;  /* during the run; NULL: of `device` */
    const struct cmd_ctrl *device;       /* a memory command by command; listed only in forms of other tools */
    uint64_t ck_ps;
    uint64_t bank_groups;
    struct command_log_rank *ranks;
    struct command_log_line *waiting;
    size_t waiting_count, capacity;
};

/* ---- header */

#define PUT_TIME(file, key, value) fprintf(file, " %s=%" PRIu64, key, value)
#define PUT_COUNT PUT_TIME
#define PUT_BOOL PUT_TIME
#define PUT_BYTES PUT_TIME
#define PUT_PAGE_POLICY(file, key, value) (void)0
#define PUT_ADDR_MAPPING PUT_PAGE_POLICY
#define PUT_PARAMETER(field, key, unit, fallback, lowest, highest, help) PUT_##unit(file, #key, dram->field);

static void put_channel(FILE *file, size_t number, const struct dram_channel *channel)
{
    const struct dram_params *const dram = channel->dram;

    fprintf(file, "# channel %zu %s.%s device=%s buses=%u", number, channel->controller->name, channel->name,
            channel->params->device, channel->row_bus == channel->column_bus ? 1 : 2);
    DRAM_PARAMETERS(PUT_PARAMETER)
    fputc('\n', file);
}

static void command_log_begin_part(void *context, const struct dram_channel *channel)
{
    struct command_log *const log = context;
    struct command_log_rank *const ranks = calloc(channel->rank_count, sizeof *ranks);

    if (!ranks || !list_fit_next(&log->channels, log->count, sizeof *log->channels)) {
        free(ranks);
        log->is_out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < channel->rank_count; i++)
        ranks[i] = (struct command_log_rank){channel->ranks[i].power_state, TICK_NEVER};
    if (!log->file)
        command_forms_add(&log->forms, (uint32_t)log->count, NULL);
    else if (!log->has_head)
        fputs("# rubato DRAM commands 1: tick(ps) channel rank bank-group bank command row column(bursts)\n",
              log->file);
    log->has_head = true;
    if (log->file)
        put_channel(log->file, log->count, channel);
    log->channels[log->count++] = (struct command_log_channel){
        .channel = channel, .ck_ps = channel->dram->tCK_ps, .bank_groups = channel->dram->bank_groups_per_rank,
        .ranks = ranks};
}

/* ---- lines */

/* DRAMPower's name; power-down has one for each state of the banks. */
static const char *command_log_power_name(const struct command_log_line *line)
{
    static const char *const names[][3] = {     /* of a rank with all banks closed, with an open row */
        {"REF", "REFA", "REFA"}, {"PDE", "PDEP", "PDEA"}, {"PDX", "PDXP", "PDXA"}, {"SRE", "SREFEN", "SREFEN"},
        {"SRX", "SREFEX", "SREFEX"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], line->name) == 0)
            return names[i][line->is_active ? 2 : 1];
    return line->name;
}

/* Commands of gem5's controllers need not be at edges of the clock: the next edge counts, as in gem5's own output for
 * DRAMPower (src/mem/dram_interface.cc). */
static void put_power(struct command_log *log, size_t number, const struct command_log_line *line)
{
    const struct command_log_channel *const of = &log->channels[number];
    uint64_t const groups = of->bank_groups;
    struct command_power_line const power = {
        .cycle = (line->tick_ps + of->ck_ps - 1) / of->ck_ps, .name = command_log_power_name(line), .rank = line->rank,
        .group = line->has_bank && groups > 0 ? line->bank % groups : 0, .bank = line->has_bank ? line->bank : 0,
        .row = line->row, .column = line->column,
        .data_bytes = line->has_column ? of->channel->geometry.burst_bytes : 0};

    command_forms_put_power(&log->forms, number, &power);
}

static void command_log_put_line(struct command_log *log, size_t number, const struct command_log_line *line)
{
    uint64_t const groups = log->channels[number].bank_groups;

    if (!log->file) {
        put_power(log, number, line);
        return;
    }
    fprintf(log->file, "%" PRIu64 " %zu %u", line->tick_ps, number, line->rank);
    if (line->has_bank && groups > 0)
        fprintf(log->file, " %" PRIu64, line->bank % groups);
    else
        fputs(" -", log->file);
    if (line->has_bank)
        fprintf(log->file, " %u %s", line->bank, line->name);
    else
        fprintf(log->file, " - %s", line->name);
    if (line->has_row)
        fprintf(log->file, " %" PRIu64, line->row);
    if (line->has_column)
        fprintf(log->file, " %" PRIu64, line->column);
    fputc('\n', log->file);
}

/* Those before now_ps: none can come before them any more. */
static void put_waiting(struct command_log *log, size_t number, uint64_t now_ps)
{
    struct command_log_channel *const of = &log->channels[number];
    size_t done = 0;

    while (done < of->waiting_count && of->waiting[done].tick_ps < now_ps)
        command_log_put_line(log, number, &of->waiting[done++]);
    of->waiting_count -= done;
    for (size_t i = 0; done > 0 && i < of->waiting_count; i++)
        of->waiting[i] = of->waiting[done + i];
}

static void wait(struct command_log *log, struct command_log_channel *of, const struct command_log_line *line)
{
    size_t place = of->waiting_count;

    if (!list_fit(&of->waiting, of->waiting_count + 1, &of->capacity, sizeof *of->waiting)) {
        log->is_out_of_memory = true;
        return;
    }
    for (; place > 0 && of->waiting[place - 1].tick_ps + line->is_exit > line->tick_ps; place--)
        of->waiting[place] = of->waiting[place - 1];
    of->waiting[place] = *line;
    of->waiting_count++;
}

/* ---- commands */

/* That begins a power state; NULL: none, the rank is awake. */
static const char *power_entry(uint64_t state)
{
    static const char *const entries[POWER_STATES] = {
        [POWER_SELFREFRESH] = "SRE", [POWER_PRECHARGE_DOWN] = "PDE", [POWER_ACTIVE_DOWN] = "PDE"};

    return entries[state];
}

/* Between two power states; NULL: without a command. */
static const char *power_command(uint64_t before, uint64_t after)
{
    if (power_entry(after))
        return before == after ? NULL : power_entry(after);
    return !power_entry(before) ? NULL : before == POWER_SELFREFRESH ? "SRX" : "PDX";
}

static const char *precharge_command(struct command_log_rank *rank, const struct dram_command *command)
{
    uint64_t const last_ps = rank->last_all_ps;

    switch (command->precharge) {
    case DRAM_PRECHARGE_ALONE: return "PRE";
    case DRAM_PRECHARGE_OF_BURST: return NULL;
    case DRAM_PRECHARGE_OF_ALL: break;
    }
    rank->last_all_ps = command->start_ps;
    return last_ps == command->start_ps ? NULL : "PREA";
}

static const char *command_log_name_of(struct command_log_rank *rank, const struct dram_command *command)
{
    uint64_t const power = rank->power;

    switch (command->kind) {
    case DRAM_COMMAND_ACTIVATE: return "ACT";
    case DRAM_COMMAND_READ: return command->closes ? "RDA" : "RD";
    case DRAM_COMMAND_WRITE: return command->closes ? "WRA" : "WR";
    case DRAM_COMMAND_PRECHARGE: return precharge_command(rank, command);
    case DRAM_COMMAND_REFRESH: return "REF";
    default:
        rank->power = command->row;
        return power_command(power, rank->power);
    }
}

static void command_log_take(void *context, const struct dram_command *command)
{
    struct command_log *const log = context;
    const struct dram_channel *const channel = command->rank->channel;
    bool const is_burst = command->kind == DRAM_COMMAND_READ || command->kind == DRAM_COMMAND_WRITE;
    struct command_log_channel *of;
    struct command_log_line line;
    uint64_t power;

    for (size_t tried = 0; tried < log->count && log->channels[log->last].channel != channel; tried++)
        log->last = log->last + 1 < log->count ? log->last + 1 : 0;
    if (log->is_out_of_memory)
        return;
    of = &log->channels[log->last];
    power = of->ranks[command->rank->number].power;
    line = (struct command_log_line){
        .tick_ps = command->start_ps, .name = command_log_name_of(&of->ranks[command->rank->number], command),
        .rank = command->rank->number, .bank = command->bank, .row = command->row,
        .is_exit = command->kind == DRAM_COMMAND_POWER && !power_entry(command->row),
        .is_active = command->kind == DRAM_COMMAND_POWER
                     && (power == POWER_ACTIVE_DOWN || command->row == POWER_ACTIVE_DOWN),
        .has_bank = is_burst || command->kind == DRAM_COMMAND_ACTIVATE
                    || (command->kind == DRAM_COMMAND_PRECHARGE && command->precharge == DRAM_PRECHARGE_ALONE),
        .has_row = is_burst || command->kind == DRAM_COMMAND_ACTIVATE,
        .has_column = is_burst, .column = is_burst ? dram_geometry_column(&channel->geometry, command->address) : 0};
    put_waiting(log, log->last, sim_now_ps(channel->sim));
    if (line.name)
        wait(log, of, &line);
}

/* ---- memories command by command */
static bool has_levels_of(const struct cmd_spec *one, const struct cmd_spec *other)
{
    if (!one || one->level_count != other->level_count)
        return false;
    for (unsigned i = 0; i < one->level_count; i++)
        if (strcmp(one->standard->levels[i], other->standard->levels[i]) != 0)
            return false;
    return true;
}

static void device_begin(void *context, const struct cmd_ctrl *ctrl)
{
    struct command_log *const log = context;

    if (log->file)
        return;
    if (!list_fit_next(&log->channels, log->count, sizeof *log->channels)) {
        log->is_out_of_memory = true;
        return;
    }
    command_forms_add(&log->forms, (uint32_t)log->count, ctrl->spec);
    log->channels[log->count++] = (struct command_log_channel){.device = ctrl, .ck_ps = (uint64_t)ctrl->spec->ck_ps};
}

static void device_put_text(struct command_log *log, const struct cmd_ctrl *ctrl, const struct cmd_issued *issued)
{
    const struct cmd_spec *const spec = ctrl->spec;

    if (!has_levels_of(log->device, spec)) {
        fputs("clock,command", log->file);
        for (unsigned i = 0; i < spec->level_count; i++)
            fprintf(log->file, ",%s", spec->standard->levels[i]);
        fputs(",type,source\n", log->file);
        log->device = spec;
    }
    fprintf(log->file, "%" PRIu64 ",%s,%u", issued->tick, spec->command[issued->command].name, ctrl->place);
    for (unsigned i = 1; i < spec->level_count; i++)
        fprintf(log->file, ",%d", issued->vector[i]);
    fprintf(log->file, ",%d,%d\n", issued->kind, issued->source);
}

static void device_take(void *context, const struct cmd_ctrl *ctrl, uint64_t tick_ps, const struct cmd_issued *issued)
{
    struct command_log *const log = context;

    (void)tick_ps;
    if (log->file) {
        device_put_text(log, ctrl, issued);
        return;
    }
    for (size_t tried = 0; tried < log->count && log->channels[log->last].device != ctrl; tried++)
        log->last = log->last + 1 < log->count ? log->last + 1 : 0;
    if (!log->is_out_of_memory)
        command_forms_put(&log->forms, log->last, issued);
}

/* ---- the whole */

/* Forms of Ramulator have ticks of a device, which commands of gem5's controllers are not bound to. */
static bool fits_memories(enum command_form form, const char *path, const struct system_config *config)
{
    bool has_dram = config_gpu_owns_memory(config);

    for (unsigned i = 0; i < config_memory_count(config); i++) {
        uint64_t const type = config_memory(config, i)->type;

        has_dram |= type == MEMORY_DRAM || type == MEMORY_HBM_PSEUDO;
    }
    if (!has_dram || command_form_has_dram(form))
        return true;
    cli_fail_text("--commands %s: %s is for memory.type: command; memory.type: dram has .txt, .drampower, .drampower4",
                  path, command_form_what(form));
    return false;
}

bool command_log_open(struct command_log *log, const char *path, const struct system_config *config)
{
    enum command_form const form = command_form_of(path);

    *log = (struct command_log){
        .path = path, .sink = {.begin = command_log_begin_part, .take = command_log_take, .context = log},
        .device_sink = {.begin = device_begin, .take = device_take, .context = log}};
    if (!fits_memories(form, path, config))
        return false;
    log->is_open = form == COMMAND_FORM_TEXT ? (log->file = cli_output_open(path)) != NULL
                                             : command_forms_open(&log->forms, form, path);
    return log->is_open;
}

static bool close_forms(struct command_log *log, uint64_t end_ps)
{
    uint64_t *const cycles = calloc(log->count + 1, sizeof *cycles);
    bool is_well;

    for (size_t i = 0; cycles && i < log->count; i++)
        cycles[i] = (end_ps + log->channels[i].ck_ps - 1) / log->channels[i].ck_ps;
    is_well = cycles && command_forms_close(&log->forms, cycles);
    free(cycles);
    return is_well;
}

bool command_log_close(struct command_log *log, uint64_t end_ps, const char *stopped_by)
{
    FILE *const file = log->file;
    bool is_well;

    for (size_t i = 0; i < log->count; i++)
        put_waiting(log, i, TICK_NEVER);
    if (log->is_out_of_memory)
        cli_fail_text("out of memory for DRAM commands");
    if (!file)
        return close_forms(log, end_ps) && !log->is_out_of_memory;
    if (log->has_head)
        fprintf(file, "# end %" PRIu64 "\n", end_ps);
    if (stopped_by)
        fprintf(file, "# stopped by %s at tick %" PRIu64 "\n", stopped_by, end_ps);
    log->file = NULL;
    is_well = cli_output_close(file, log->path);
    return is_well && !log->is_out_of_memory;
}

void command_log_free(struct command_log *log)
{
    cli_output_discard(log->file);
    command_forms_free(&log->forms);
    for (size_t i = 0; i < log->count; i++) {
        free(log->channels[i].ranks);
        free(log->channels[i].waiting);
    }
    free(log->channels);
    *log = (struct command_log){0};
}
