/* Tables of memories, of their energy, and of rows that are activated too often. Two pseudo-channels behind one
 * controller are added up. */
#include "cli/replay/summary.h"

#include <math.h>
#include <stdlib.h>

#include "cli/common/rowhammer.h"
#include "memsys/dram/memory_params.h"
#include "memsys/gpu/gpu_channel.h"
#include "replay/config/system_config.h"

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* A controller of a run: one of the three is there. */
struct memory_part {
    const char *name, *energy_source;
    const struct simple_memory *simple;
    const struct mem_ctrl *dram;
    const struct cmd_ctrl *command;
};

struct memory_list {
    struct memory_part *parts;
    unsigned count;
    uint64_t now_ps, reset_ps;
    bool shows_all;
};

static double measured_s(const struct memory_list *list)
{
    return 1e-12 * (double)(list->now_ps - list->reset_ps);
}

/* ---- energy of one memory or of several */
struct energy_sums {
    struct energy parts;                 /* pJ */
    double bits;
    bool has_unknown, has_io;            /* a device without published currents; published I/O */
};

static void energy_sums_add(struct energy_sums *to, const struct energy_sums *one)
{
#define ADD(part) to->parts.part += one->parts.part;
    ENERGY_PARTS(ADD)
#undef ADD
    to->bits += one->bits;
    to->has_unknown |= one->has_unknown;
    to->has_io |= one->has_io;
}

static void add_meter(struct energy_sums *sums, const struct energy_meter *meter, uint64_t now_ps)
{
    struct energy_counts const counts = meter->count(meter->channel, now_ps);
    struct energy_sums one = {.parts = energy_of(meter->device, &counts),
                              .bits = (double)((counts.reads + counts.writes) * meter->burst_bits),
                              .has_unknown = !meter->device->is_known, .has_io = meter->device->has_io};

    energy_sums_add(sums, &one);
}

static struct energy_sums energy_sums_of(const struct memory_part *memory, uint64_t now_ps)
{
    struct energy_sums sums = {.has_unknown = memory->simple != NULL};

    if (memory->command)
        add_meter(&sums, &memory->command->energy, now_ps);
    for (unsigned i = 0; memory->dram && i < memory->dram->channel_count; i++)
        add_meter(&sums, &memory->dram->channels[i].energy, now_ps);
    return sums;
}

#define ENERGY_COLUMN(heading, width) TEXT_COLUMN(heading, width, .text_digits = -4)

static struct table_column const energy_columns[] = {
    TEXT_COLUMN("energy mJ", -11), ENERGY_COLUMN("all", 10), ENERGY_COLUMN("activate", 10), ENERGY_COLUMN("read", 10),
    ENERGY_COLUMN("write", 10), ENERGY_COLUMN("refresh", 10), ENERGY_COLUMN("background", 10),
    ENERGY_COLUMN("I/O", 13), ENERGY_COLUMN("mW", 10), TEXT_COLUMN("currents", 0, .gap = "  ")
};

static void put_energy(struct table_writer *writer, const struct memory_part *memory, const struct energy_sums *sums,
                       double seconds)
{
    const struct energy *const parts = &sums->parts;
    double const values[] = {energy_total(parts), parts->activate, parts->read, parts->write, parts->refresh,
                             parts->background};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        table_real(writer, 1e-9 * values[i]);
    if (sums->has_io)
        table_real(writer, 1e-9 * parts->io);
    else
        table_word(writer, "not published");
    table_real(writer, seconds > 0 ? 1e-9 * energy_total(parts) / seconds : 0);
    table_word(writer, memory->energy_source);
}

static void put_energies(const void *context, struct table_writer *writer)
{
    const struct memory_list *const list = context;

    for (unsigned i = 0; i < list->count; i++) {
        const struct memory_part *const memory = &list->parts[i];
        struct energy_sums const sums = energy_sums_of(memory, list->now_ps);

        table_word(writer, memory->name);
        if (sums.has_unknown)
            table_word(writer, "none published");
        else
            put_energy(writer, memory, &sums, measured_s(list));
        table_end_row(writer);
    }
}

/* ---- traffic and queues */
struct memory_sums {
    uint64_t read_bytes, written_bytes, bursts, row_hits;
    double peak_bytes_per_s, read_queue, write_queue;
    struct energy_sums energy;
};

static struct memory_sums sum_memory(const struct memory_part *memory, uint64_t now_ps)
{
    struct memory_sums sums = {.energy = energy_sums_of(memory, now_ps)};

    if (memory->simple) {
        sums.peak_bytes_per_s = 1e12 / (double)memory->simple->ps_per_byte;
        for (unsigned r = 0; r < MAX_REQUESTORS; r++) {
            sums.read_bytes += memory->simple->traffic[r].bytes_read;
            sums.written_bytes += memory->simple->traffic[r].bytes_written;
        }
        return sums;
    }
    if (memory->command) {
        const struct cmd_stats *const device = &memory->command->stats.device;
        uint64_t const bytes = memory->command->access_bytes;

        return (struct memory_sums){
            .read_bytes = device->num_read_reqs_served * bytes, .written_bytes = device->num_write_reqs_served * bytes,
            .bursts = device->row_hits + device->row_misses + device->row_conflicts, .row_hits = device->row_hits,
            .peak_bytes_per_s = cmd_ctrl_peak_bytes_per_s(memory->command->spec),
            .read_queue = (double)device->read_queue_len_avg, .write_queue = (double)device->write_queue_len_avg,
            .energy = sums.energy};
    }
    for (unsigned c = 0; c < memory->dram->channel_count; c++) {
        const struct dram_channel *const channel = &memory->dram->channels[c];

        sums.peak_bytes_per_s += dram_channel_peak_bytes_per_s(channel);
        sums.read_bytes += channel->stats.read_bursts * channel->geometry.burst_bytes;
        sums.written_bytes += channel->stats.write_bursts * channel->geometry.burst_bytes;
        sums.bursts += channel->stats.read_bursts + channel->stats.write_bursts;
        sums.row_hits += channel->stats.read_row_hits + channel->stats.write_row_hits;
        sums.read_queue += occupancy_average(&channel->stats.read_queue, now_ps);
        sums.write_queue += occupancy_average(&channel->stats.write_queue, now_ps);
    }
    return sums;
}

static void summary_add_memory(struct memory_sums *to, const struct memory_sums *one)
{
    to->read_bytes += one->read_bytes;
    to->written_bytes += one->written_bytes;
    to->bursts += one->bursts;
    to->row_hits += one->row_hits;
    to->peak_bytes_per_s += one->peak_bytes_per_s;
    to->read_queue += one->read_queue;
    to->write_queue += one->write_queue;
    energy_sums_add(&to->energy, &one->energy);
}

static double used_of(const struct memory_sums *sums, double seconds)
{
    double const bytes = (double)(sums->read_bytes + sums->written_bytes);

    return seconds > 0 ? percent(bytes / seconds, sums->peak_bytes_per_s) : 0;
}

/* Simple memories have those before `row hits`. */
static struct table_column const memory_columns[] = {
    TEXT_COLUMN("memory", -11), TEXT_COLUMN("read GB/s", 12, .text_digits = 3),
    TEXT_COLUMN("write GB/s", 12, .text_digits = 3), TEXT_COLUMN("of peak GB/s", 16),
    TEXT_COLUMN("row hits", 9, .text_digits = 1, .suffix = " %"),
    TEXT_COLUMN("reads queued", -12, .text_digits = 2, .gap = "  "), TEXT_COLUMN("writes", -7, .text_digits = 2),
    ENERGY_COLUMN("energy mJ", 9), TEXT_COLUMN("pJ/bit", 6, .text_digits = 1, .gap = "  ")
};

static void put_memory(struct table_writer *writer, const char *name, const struct memory_sums *sums, double seconds,
                       bool has_rows)
{
    double const read_rate = seconds > 0 ? (double)sums->read_bytes / seconds : 0;
    double const write_rate = seconds > 0 ? (double)sums->written_bytes / seconds : 0;
    double const energy_pj = energy_total(&sums->energy.parts);
    char peak[64];

    snprintf(peak, sizeof peak, "%.1f (%4.1f %%)", 1e-9 * sums->peak_bytes_per_s,
             percent(read_rate + write_rate, sums->peak_bytes_per_s));
    table_word(writer, name);
    table_real(writer, 1e-9 * read_rate);
    table_real(writer, 1e-9 * write_rate);
    table_word(writer, peak);
    if (has_rows) {
        table_real(writer, percent((double)sums->row_hits, (double)sums->bursts));
        table_real(writer, sums->read_queue);
        table_real(writer, sums->write_queue);
        if (sums->energy.has_unknown) {
            table_word(writer, " none published");
        } else {
            table_real(writer, 1e-9 * energy_pj);
            table_real(writer, sums->energy.bits > 0 ? energy_pj / sums->energy.bits : (double)NAN);
        }
    }
    table_end_row(writer);
}

/* All together, and which of them have least and most to do. */
static void put_memory_sum(struct table_writer *writer, const struct memory_list *list)
{
    double const seconds = measured_s(list);
    double least = 0, most = 0;
    unsigned least_at = 0, most_at = 0;
    struct memory_sums all = {0};
    bool has_rows = false;
    char name[32];

    for (unsigned i = 0; i < list->count; i++) {
        struct memory_sums const one = sum_memory(&list->parts[i], list->now_ps);
        double const used = used_of(&one, seconds);

        summary_add_memory(&all, &one);
        has_rows |= !list->parts[i].simple;
        least_at = i == 0 || used < least ? i : least_at;
        least = least_at == i ? used : least;
        most_at = i == 0 || used > most ? i : most_at;
        most = most_at == i ? used : most;
    }
    snprintf(name, sizeof name, "all %u", list->count);
    put_memory(writer, name, &all, seconds, has_rows);
    table_prose(writer, "  least %.1f %% of peak (%s), most %.1f %% (%s)\n", least,
                list->parts[least_at].name, most, list->parts[most_at].name);
}

static void put_memories(const void *context, struct table_writer *writer)
{
    const struct memory_list *const list = context;

    if (list->count > SUMMARY_MOST_ALONE && !list->shows_all) {
        put_memory_sum(writer, list);
        return;
    }
    for (unsigned i = 0; i < list->count; i++) {
        const struct memory_part *const memory = &list->parts[i];
        struct memory_sums const sums = sum_memory(memory, list->now_ps);

        put_memory(writer, memory->name, &sums, measured_s(list), !memory->simple);
    }
}

static struct cmd_rowhammer sum_rowhammer(const struct memory_list *list)
{
    struct cmd_rowhammer all = {0};

    for (unsigned i = 0; i < list->count; i++)
        if (list->parts[i].command)
            cmd_rowhammer_add(&all, list->parts[i].command, list->now_ps);
    return all;
}

static void print_table(FILE *to, struct table table)
{
    fputc('\n', to);
    table_print(to, TABLE_TEXT, &table);
}

static void print_list(FILE *to, const struct memory_list *list)
{
    struct cmd_rowhammer const rowhammer = sum_rowhammer(list);

    print_table(to, TABLE_OF(memory_columns, put_memories, list));
    if (list->shows_all)
        print_table(to, TABLE_OF(energy_columns, put_energies, list));
    rowhammer_print(to, &rowhammer);
}

static bool make_list(FILE *to, struct memory_list *list, size_t most)
{
    list->parts = calloc(most + 1, sizeof *list->parts);
    if (!list->parts)
        fprintf(to, "out of memory for the table of memories\n");
    return list->parts != NULL;
}

void memory_summary_print(FILE *to, const struct system *system, bool shows_all)
{
    struct memory_list list = {.now_ps = system_now_ps(system), .reset_ps = system->stats.reset_ps,
                               .shows_all = shows_all};

    if (!make_list(to, &list, system->memory_count))
        return;
    for (unsigned i = 0; i < system->memory_count; i++) {
        const struct system_memory *const memory = &system->memories[i];
        struct memory_part *const part = &list.parts[list.count++];

        *part = (struct memory_part){.name = memory->name, .energy_source = memory->params->energy_source};
        if (memory->is_simple)
            part->simple = &memory->simple;
        else if (memory->is_command)
            part->command = &memory->command;
        else
            part->dram = &memory->controller;
    }
    print_list(to, &list);
    free(list.parts);
}

void memory_summary_print_gpu(FILE *to, const struct system_config *config, const struct gpu_run *run, uint64_t now_ps,
                              bool shows_all)
{
    const struct gpu_channels *const channels = gpu_memory_channels(run->memory);
    struct memory_list list = {.now_ps = now_ps, .shows_all = shows_all};

    if (config->memories[0].type != MEMORY_COMMAND || !make_list(to, &list, config->memories[0].channels))
        return;
    for (uint32_t i = 0; i < channels->count; i++)
        for (uint32_t c = 0; c < channels->channels[i].own->command_count; c++) {
            const struct gpu_command_channel *const command = &channels->channels[i].own->commands[c];

            list.parts[list.count++] = (struct memory_part){.name = command->name, .command = &command->ctrl,
                                                            .energy_source = config->memories[0].energy_source};
        }
    print_list(to, &list);
    free(list.parts);
}
