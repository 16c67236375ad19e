/* What memsys tells of is made to what a device sees: a precharge with a burst is a letter of the burst, that of all
 * banks one command, a change between power states that commands make. */
#include "cli/command_log.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/list.h"
#include "memsys/dram/mem_ctrl.h"

struct command_log_rank {
    uint64_t power;                      /* enum dram_power_state */
    uint64_t last_all_ps;                /* of the last PREA; TICK_NEVER: none */
};

struct command_log_line {
    uint64_t tick_ps;
    const char *name;
    uint32_t rank, bank;
    bool is_exit, has_bank, has_row, has_column;
    uint64_t row, column;
};

/* Lines that wait are sorted by tick; of one tick, in the order in which they were told, but exits from low power come
 * first: commands behind them are decided before the exit happens. */
struct command_log_channel {
    const struct dram_channel *channel;  /* during the run */
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
    const struct dram_params *const dram = &channel->dram;

    fprintf(file, "# channel %zu %s.%s device=%s buses=%u", number, channel->controller->name, channel->name,
            channel->device, channel->row_bus == channel->column_bus ? 1 : 2);
    DRAM_PARAMETERS(PUT_PARAMETER)
    fputc('\n', file);
}

static void begin(void *context, const struct dram_channel *channel)
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
    put_channel(log->file, log->count, channel);
    log->channels[log->count++] = (struct command_log_channel){
        .channel = channel, .bank_groups = channel->dram.bank_groups_per_rank, .ranks = ranks};
}

/* ---- lines */

static void put_line(const struct command_log *log, size_t number, const struct command_log_line *line)
{
    uint64_t const groups = log->channels[number].bank_groups;

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
static void put_waiting(const struct command_log *log, size_t number, uint64_t now_ps)
{
    struct command_log_channel *const of = &log->channels[number];
    size_t done = 0;

    while (done < of->waiting_count && of->waiting[done].tick_ps < now_ps)
        put_line(log, number, &of->waiting[done++]);
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

static const char *name_of(struct command_log_rank *rank, const struct dram_command *command)
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

static void take(void *context, const struct dram_command *command)
{
    struct command_log *const log = context;
    const struct dram_channel *const channel = command->rank->channel;
    bool const is_burst = command->kind == DRAM_COMMAND_READ || command->kind == DRAM_COMMAND_WRITE;
    struct command_log_channel *of;
    struct command_log_line line;

    for (size_t tried = 0; tried < log->count && log->channels[log->last].channel != channel; tried++)
        log->last = log->last + 1 < log->count ? log->last + 1 : 0;
    if (log->is_out_of_memory)
        return;
    of = &log->channels[log->last];
    line = (struct command_log_line){
        .tick_ps = command->start_ps, .name = name_of(&of->ranks[command->rank->number], command),
        .rank = command->rank->number, .bank = command->bank, .row = command->row,
        .is_exit = command->kind == DRAM_COMMAND_POWER && !power_entry(command->row),
        .has_bank = is_burst || command->kind == DRAM_COMMAND_ACTIVATE
                    || (command->kind == DRAM_COMMAND_PRECHARGE && command->precharge == DRAM_PRECHARGE_ALONE),
        .has_row = is_burst || command->kind == DRAM_COMMAND_ACTIVATE,
        .has_column = is_burst, .column = is_burst ? dram_geometry_column(&channel->geometry, command->address) : 0};
    put_waiting(log, log->last, sim_now_ps(channel->sim));
    if (line.name)
        wait(log, of, &line);
}

void command_log_begin(struct command_log *log, FILE *file)
{
    *log = (struct command_log){.file = file, .sink = {.begin = begin, .take = take, .context = log}};
    fputs("# rubato DRAM commands 1: tick(ps) channel rank bank-group bank command row column(bursts)\n", file);
}

struct fault command_log_end(struct command_log *log, uint64_t end_ps)
{
    for (size_t i = 0; i < log->count; i++)
        put_waiting(log, i, TICK_NEVER);
    fprintf(log->file, "# end %" PRIu64 "\n", end_ps);
    return log->is_out_of_memory ? fault_make(FAULT_MEMORY, "out of memory for DRAM commands") : fault_none();
}

void command_log_free(struct command_log *log)
{
    for (size_t i = 0; i < log->count; i++) {
        free(log->channels[i].ranks);
        free(log->channels[i].waiting);
    }
    free(log->channels);
    *log = (struct command_log){0};
}
