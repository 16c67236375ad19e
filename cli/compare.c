/* rubato compare: replay against detailed timing, from recorded runs or from replays made now. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compare_print.h"
#include "cli/options.h"
#include "cli/replay_once.h"
#include "replay/config.h"
#include "sweep/comparison.h"

#define MAX_TRACE_FOLDERS 64
#define PATH_BYTES 4096

enum { OPT_TRACES, OPT_SYSTEMS, OPT_BASE, OPT_RUN, OPT_TSV, OPT_CACHE, OPT_NO_CACHE };

static const struct cli_option options[] = {
    [OPT_TRACES] = {"traces", "DIR", "where the programs' traces are, as DIR/PROGRAM; may be repeated"},
    [OPT_SYSTEMS] = {"systems", "DIR", "where the systems are, as DIR/SYSTEM.yaml (default: configs/detailed)"},
    [OPT_BASE] = {"base", "SYSTEM", "what relative errors start from (default: base, else the first system)"},
    [OPT_RUN] = {"run", NULL, "replay all pairs now, and judge these replays instead of the recorded ones"},
    [OPT_TSV] = {"tsv", NULL, "a line a pair, values and a count, in tabs"},
    [OPT_CACHE] = {"cache", "DIR", "with --run, as in rubato replay"},
    [OPT_NO_CACHE] = {"no-cache", NULL, "with --run, as in rubato replay"},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato compare DIR --traces DIR [--traces DIR...] [--systems DIR] [--run] [--tsv]\n"
                "rubato compare DIR [--tsv]",
    .about = "How far replays are from detailed timing. DIR holds table.tsv, a line a pair of program and system, and\n"
             "the statistics of both runs as PROGRAM.SYSTEM.detailed.txt.gz and PROGRAM.SYSTEM.replay.txt.gz: gem5's\n"
             "stats.txt, or what rubato replay --stats wrote (.txt, .json). Instead of DIR any table of that form\n"
             "will do; its columns detailed_file and replay_file may name the files, or points of a sweep as\n"
             "RESULTS.db:POINT; detailed_ticks and replay_ticks are the final ticks, detailed_host_s and\n"
             "replay_host_s the seconds that the simulations took.\n"
             "A pair fails if its files cannot be read or do not end at the table's ticks; with --run, if our replay\n"
             "does not end at the tick of the recorded one.",
    .options = options,
    .notes = "--tsv prints PROGRAM SYSTEM detailed_ticks reference_replay_ticks our_ticks difference abs_err_pct\n"
             "rel_err_pct ok|FAILED, then values (means of the errors' magnitudes over all pairs and over those that\n"
             "are not base; Spearman's rank correlation of the systems, mean of the programs; host time of the\n"
             "detailed runs over that of the replays), then the count. - stands for what is not known.\n"
             "Exit code: 0, 1 if a pair failed, 2 for wrong input."};

struct compare_request {
    const char *table, *systems, *base, *cache;
    const char *traces[MAX_TRACE_FOLDERS];
    size_t trace_count;
    bool runs, is_tsv, has_no_cache;
};

/* False: return the exit code. */
static bool take_option(struct compare_request *request, struct cli_parser *parser, int what, int *code)
{
    const char *const value = parser->value;

    switch (what) {
    case OPT_TRACES:
        if (request->trace_count == MAX_TRACE_FOLDERS) {
            *code = cli_usage_error(&usage, "--traces is given too often");
            return false;
        }
        request->traces[request->trace_count++] = value;
        return true;
    case OPT_SYSTEMS: request->systems = value; return true;
    case OPT_BASE: request->base = value; return true;
    case OPT_RUN: request->runs = true; return true;
    case OPT_TSV: request->is_tsv = true; return true;
    case OPT_CACHE: request->cache = value; return true;
    case OPT_NO_CACHE: request->has_no_cache = true; return true;
    case CLI_PARSE_OPERAND:
        if (request->table) {
            *code = cli_usage_error(&usage, "%s: one DIR is compared at a time", value);
            return false;
        }
        request->table = value;
        return true;
    default: *code = parser->exit_code; return false;
    }
}

static bool parse(struct compare_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    *request = (struct compare_request){0};
    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        if (!take_option(request, &parser, what, code))
            return false;
    if (!request->table)
        *code = cli_usage_error(&usage, "no DIR was given");
    else if (request->runs && request->trace_count == 0)
        *code = cli_usage_error(&usage, "--run needs --traces DIR, the folder with the programs' traces");
    else if (!request->runs && (request->cache || request->has_no_cache))
        *code = cli_usage_error(&usage, "--%s is for --run", request->cache ? "cache" : "no-cache");
    else
        return true;
    return false;
}

/* ---- replays of ours */

/* The program's traces in the first of the folders that has them; else where they would be in the last. */
static bool find_program(const struct compare_request *request, const char *program, char path[PATH_BYTES])
{
    for (size_t i = 0; i < request->trace_count; i++) {
        int const length = snprintf(path, PATH_BYTES, "%s/%s", request->traces[i], program);

        if (length < 0 || length >= PATH_BYTES)
            return false;
        if (replay_once_has_traces(path))
            break;
    }
    return true;
}

static bool find_system(const struct compare_request *request, const char *system, char path[PATH_BYTES])
{
    int const length = request->systems ? snprintf(path, PATH_BYTES, "%s/%s.yaml", request->systems, system)
                                        : snprintf(path, PATH_BYTES, "detailed/%s", system);

    return length >= 0 && length < PATH_BYTES;
}

static struct fault run_pair(const struct compare_request *request, struct comparison *comparison, size_t index)
{
    const struct comparison_row *const row = comparison->pairs[index].row;
    char traces[PATH_BYTES], system[PATH_BYTES];
    struct replay_once once = {
        .system = system, .traces = traces, .cache = request->cache, .has_no_cache = request->has_no_cache
    };
    struct run_figures ours;

    if (!find_program(request, row->program, traces) || !find_system(request, row->system, system))
        return fault_make(FAULT_INPUT, "%s on %s: the path is too long", row->program, row->system);
    FAULT_TRY(replay_once(&once));

    struct fault const fault = run_figures_of(&once.stats, row->program, &ours);

    stats_table_free(&once.stats);
    FAULT_TRY(fault);
    ours.host_s = once.host_s;
    comparison_set_ours(comparison, index, &ours);
    return fault_none();
}

static void run_pairs(const struct compare_request *request, struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->pair_count; i++) {
        struct comparison_pair *const pair = &comparison->pairs[i];
        struct fault const fault = run_pair(request, comparison, i);

        if (fault.kind != FAULT_NONE)
            pair->fault = fault;
    }
}

static int compare(const struct compare_request *request, struct comparison *comparison)
{
    comparison->judges_ours = request->runs;
    for (size_t i = 0; i < comparison->pair_count; i++)
        comparison_read_files(comparison, i, !request->runs);
    if (request->runs)
        run_pairs(request, comparison);
    comparison_judge(comparison);
    for (size_t i = 0; i < comparison->pair_count; i++)
        if (comparison->pairs[i].fault.kind != FAULT_NONE)
            cli_fail(comparison->pairs[i].fault);
    (request->is_tsv ? compare_print_tsv : compare_print)(stdout, comparison);
    return comparison->failed ? CLI_DIFFERS : CLI_OK;
}

int cli_compare(int argc, char **argv)
{
    struct compare_request request;
    struct comparison_table table;
    struct comparison comparison;
    struct fault fault;
    int code;

    if (!parse(&request, argc, argv, &code))
        return code;
    fault = comparison_table_read(&table, request.table);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    fault = comparison_begin(&comparison, &table, request.base);
    code = fault.kind == FAULT_NONE ? compare(&request, &comparison) : cli_fail(fault);
    if (fault.kind == FAULT_NONE)
        comparison_end(&comparison);
    comparison_table_free(&table);
    return code;
}
