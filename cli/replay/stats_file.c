/* Writes blocks of statistics as the run produces them; the file gets its name at the end, when it is complete. */
#include "cli/replay/stats_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/replay/champsim_stats.h"
#include "replay/record/stats_json.h"

static const struct { const char *ending; enum stats_form form; } forms[] = {
    {"txt", STATS_TEXT}, {"json", STATS_JSON}, {"jsonl", STATS_JSON_LINES}, {"csv", STATS_CSV}, {"tsv", STATS_TABS}
};

static enum stats_form form_of(const char *path)
{
    if (champsim_stats_is_name(path))
        return output_ends_in(path, "json") ? STATS_CHAMPSIM_JSON : STATS_CHAMPSIM_TEXT;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (output_ends_in(path, forms[i].ending))
            return forms[i].form;
    return STATS_TEXT;
}

bool stats_file_fits(const char *path)
{
    if (output_ends_in(path, "parquet") && !cli_output_replaces_input(path)) {
        cli_fail_text("%s: statistics are not written as Parquet; write .csv, which DuckDB and pandas read with types, "
                      "or run a sweep and write it with `rubato results -o FILE.parquet`", path);
        return false;
    }
    return cli_output_fits_only(path, "statistics", "txt json jsonl csv tsv");
}

bool stats_file_open(struct stats_file *output, const char *path, bool is_series, bool is_gpu_alone)
{
    *output = (struct stats_file){.form = form_of(path)};
    if (output->form == STATS_TABS && !is_gpu_alone) {
        cli_fail_text("%s: tables in tabs are the statistics of a GPU alone; give a name that ends in .csv, .txt, "
                      ".json or .jsonl", path);
        return false;
    }
    if (output->form >= STATS_CHAMPSIM_JSON && (is_gpu_alone || is_series)) {
        cli_fail_text("%s: ChampSim's form has one block, of a system with cores; give a name such as %s", path,
                      is_gpu_alone ? "gpu.json" : "stats.json, or leave --interval out");
        return false;
    }
    output->path = strdup(path);
    if (!output->path) {
        cli_fail_text("out of memory");
        return false;
    }
    output->file = cli_output_open(path);
    if (!output->file) {
        stats_file_discard(output);
        return false;
    }
    output->json.file = output->file;
    output->is_array = output->form == STATS_JSON && is_series;
    if (output->is_array)
        json_begin_array(&output->json, JSON_LINES(0, 0));
    return true;
}

void stats_file_block(struct stats_file *output, const struct stats *stats, uint64_t now_ps)
{
    switch (output->form) {
    case STATS_TEXT:
    case STATS_TABS: stats_text_write(output->file, stats, now_ps); break;
    case STATS_JSON: stats_json_put(&output->json, JSON_LINES(1, 0), stats, now_ps); break;
    case STATS_JSON_LINES: stats_json_put(&output->json, JSON_SPACED, stats, now_ps); break;
    case STATS_CSV: stats_csv_add(&output->csv, stats, now_ps); break;
    case STATS_CHAMPSIM_JSON:
    case STATS_CHAMPSIM_TEXT: break;
    }
}

void stats_file_champsim(struct stats_file *output, const struct champsim_stats *stats, const struct system *system,
                         const char *const *traces, size_t trace_count)
{
    if (output->form == STATS_CHAMPSIM_JSON)
        output->lacks_memory |= !champsim_stats_json(stats, &output->json, system, traces, trace_count);
    else if (output->form == STATS_CHAMPSIM_TEXT)
        output->lacks_memory |= !champsim_stats_text(stats, output->file, system, traces, trace_count);
}

void stats_file_gpu(struct stats_file *output, const struct system_config *config, const struct gpu_run *run,
                    uint64_t end_ps)
{
    bool good = false;

    switch (output->form) {
    case STATS_TEXT:
    case STATS_TABS: good = gpu_stats_text(output->file, config, run); break;
    case STATS_JSON: good = gpu_stats_json(&output->json, true, config, run, end_ps); break;
    case STATS_JSON_LINES: good = gpu_stats_json(&output->json, false, config, run, end_ps); break;
    case STATS_CSV: good = gpu_stats_csv(output->file, config, run); break;
    case STATS_CHAMPSIM_JSON:
    case STATS_CHAMPSIM_TEXT: break;     /* refused by stats_file_open */
    }
    output->lacks_memory |= !good;
}

bool stats_file_close(struct stats_file *output)
{
    FILE *const file = output->file;
    const char *problem;
    bool done = false;

    if (output->is_array)
        json_end(&output->json);
    output->lacks_memory |= !json_close(&output->json);
    output->file = NULL;
    problem = output->lacks_memory ? "out of memory" : stats_csv_end(&output->csv, file);
    if (!problem) {
        done = cli_output_close(file, output->path);
    } else {
        cli_output_discard(file);
        cli_fail_text("%s: %s", output->path, problem);
    }
    stats_file_discard(output);
    return done;
}

void stats_file_discard(struct stats_file *output)
{
    cli_output_discard(output->file);
    stats_csv_free(&output->csv);
    free(output->json.text.at);
    free(output->path);
    *output = (struct stats_file){0};
}

/* The columns are those of stats.txt, so that scripts made for it read ours; the comments are our own. */

static void format_share(char *text, size_t size, double share)
{
    if (isnan(share))
        text[0] = '\0';
    else
        snprintf(text, size, "%.2f%%", share * 100.0);
}

static void stats_text_write_line(void *context, const struct stat_leaf *leaf)
{
    FILE *const file = context;
    char value[400], share[32], cumulated[32];

    stats_format_value(value, sizeof value, leaf->value, leaf->precision);
    format_share(share, sizeof share, leaf->share);
    format_share(cumulated, sizeof cumulated, leaf->cumulated);
    fprintf(file, "%-40s %12s %10s %10s # %s (%s)\n", leaf->name, value, share, cumulated, leaf->stat->help,
            leaf->stat->unit);
}

void stats_text_write(FILE *file, const struct stats *stats, uint64_t now_ps)
{
    fputs("\n---------- Begin Simulation Statistics ----------\n", file);
    stats_visit(stats, now_ps, STATS_SHOWN, stats_text_write_line, file);
    fputs("\n---------- End Simulation Statistics   ----------\n", file);
}
