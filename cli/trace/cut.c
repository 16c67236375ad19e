/* rubato trace cut: takes a range of records out of a pair of traces. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/shown.h"
#include "cli/trace/insn.h"
#include "cli/trace/trace.h"
#include "proto/elastic/cut.h"
#include "proto/elastic/trace_dir.h"
#include "proto/kind.h"

enum { OPT_OUTPUT, OPT_RECORDS, OPT_SALVAGE, OPT_DATA, OPT_FETCH, OPT_THREADS, OPT_FORMAT };

static const struct cli_option options[] = {
    [OPT_OUTPUT] = {"output", "DIR", "folder to write to, also -o; made if missing"},
    [OPT_RECORDS] = {"records", "A:B", "data records A to B-1, counted from 0; either may be missing (default: all)"},
    [OPT_SALVAGE] = {"salvage", NULL, "take what files that break off still hold"},
    [OPT_DATA] = {"data", "FILE", "data dependency trace, instead of a folder with both files"},
    [OPT_FETCH] = {"fetch", "FILE", "instruction fetch trace, likewise"},
    [OPT_THREADS] = {"threads", "ID,...", "of an instruction trace: only these threads"},
    [OPT_FORMAT] = {INSN_FORMAT_OPTION},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace cut DIR --records A:B -o OUT [options]\n"
        "rubato trace cut INSN_TRACE [--records A:B] [--threads ID,...] [--salvage] -o FILE.rbt",
    .about = "Writes deptrace.proto.gz and fetchtrace.proto.gz with a range of data records and the fetches of the "
        "same time.\nOf an instruction trace it writes an .rbt with the instructions A to B-1 of each thread; "
        "--salvage takes what is whole\nof an .rbt that is cut or damaged.",
    .options = options,
    .notes = "Data records carry no ticks; their times in the capture are found again by following the dependences and "
        "their\ndelays. The cut's tick 0 is the earliest execution in the range. Kept are the fetches from there to "
            "the latest\nexecution, and the one before them, at tick 0; with the last record, all fetches that follow. "
                "A cut from record\n0 keeps all ticks.\n"
             "Dependences on records before the cut are dropped, as those are complete. A record that lost one keeps "
                 "its\ntime: its comp_delay counts from the last dependence left, or from the beginning of the cut.\n"
             "gem5 refuses traces of fewer than two windows of records (window_size in the header); a warning says "
             "so.\n" FORMAT_LIST_NOTE
};

static bool same_file(const char *a, const char *b)
{
    struct stat about_a, about_b;

    return stat(a, &about_a) == 0 && stat(b, &about_b) == 0 && about_a.st_dev == about_b.st_dev
        && about_a.st_ino == about_b.st_ino;
}

/* Paths of the two outputs. False: the reason is printed. */
static bool name_outputs(const char *folder, const struct cut_request *request, struct trace_paths *outputs)
{
    if (snprintf(outputs->dep, sizeof outputs->dep, "%s/deptrace.proto.gz", folder) >= (int)sizeof outputs->dep
        || snprintf(outputs->fetch, sizeof outputs->fetch, "%s/fetchtrace.proto.gz", folder)
            >= (int)sizeof outputs->fetch) {
        cli_fail_text("%s: the path is longer than %d bytes", folder, TRACE_PATH_MAX);
        return false;
    }
    if (same_file(outputs->dep, request->dep_in) || same_file(outputs->fetch, request->fetch_in)) {
        cli_fail_text("%s: the cut would replace the traces that it is made of; name another folder with -o", folder);
        return false;
    }
    return true;
}

static void report(const struct cut_request *request, const struct cut_result *result)
{
    double const us_per_tick = 1e6 / (double)result->tick_freq;

    printf("%" PRIu64 " records and %" PRIu64 " fetches from %.3f us of the capture", result->records, result->fetches,
           us_per_tick * (double)result->start_ticks);
    if (result->end_ticks == UINT64_MAX)
        printf(" to its end");
    else
        printf(" to %.3f us", us_per_tick * (double)result->end_ticks);
    printf("; %" PRIu64 " records lost a dependence\n", result->changed);
    if (request->salvage && !result->dep_truncated && !result->fetch_truncated && result->end_ticks == UINT64_MAX)
        printf("neither file breaks off\n");
    if (result->dep_truncated)
        printf("%s breaks off behind record %" PRIu64 "\n", cli_shown(request->dep_in),
               request->first + result->records - 1);
    if (result->fetch_truncated)
        printf("%s breaks off\n", cli_shown(request->fetch_in));
    if (result->records < 2 * (uint64_t)result->window_size)
        cli_warn("the cut holds %" PRIu64 " records, fewer than two windows (%" PRIu64 "); gem5 refuses that",
                 result->records,
                 2 * (uint64_t)result->window_size);
}

static int cut(struct cut_request *request, const char *folder)
{
    struct trace_paths outputs;
    struct cut_result result;
    struct fault error;

    if (!name_outputs(folder, request, &outputs))
        return CLI_BAD_INPUT;

    bool const is_new = mkdir(folder, 0777) == 0;

    if (!is_new && errno != EEXIST)
        return cli_fail_text("%s: cannot be created: %s", folder, strerror(errno));
    request->dep_out = outputs.dep;
    request->fetch_out = outputs.fetch;
    if (FAILS(error, cut_traces(request, &result))) {
        if (is_new)
            rmdir(folder);
        return cli_fail_proto(&error);
    }
    report(request, &result);
    return CLI_OK;
}

int cli_trace_cut(int argc, char **argv)
{
    struct cut_request request = {.behind = UINT64_MAX};
    const char *folder = NULL, *output = NULL, *threads = NULL, *format = NULL;
    enum trace_kind kind = TRACE_IS_PAIR;
    struct trace_paths inputs;
    struct cli_parser parser;
    struct fault error;

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
        switch (what) {
        case OPT_OUTPUT: output = parser.value; break;
        case OPT_SALVAGE: request.salvage = true; break;
        case OPT_DATA: request.dep_in = parser.value; break;
        case OPT_FETCH: request.fetch_in = parser.value; break;
        case OPT_THREADS: threads = parser.value; break;
        case OPT_FORMAT:
            if (!cli_take_insn_format(&format, &parser))
                return parser.exit_code;
            break;
        case OPT_RECORDS:
            if (!trace_parse_range(&parser, &request.first, &request.behind))
                return parser.exit_code;
            break;
        case CLI_PARSE_OPERAND:
            if (folder != NULL)
                return cli_usage_error(&usage, "%s: one folder at a time", parser.value);
            folder = cli_input_path(parser.value);
            if (folder == NULL)
                return CLI_BAD_INPUT;
            break;
        default: return parser.exit_code;
        }
    if (output == NULL)
        return cli_usage_error(&usage, "no output was given; add -o DIR");
    if (folder != NULL && (request.dep_in != NULL || request.fetch_in != NULL))
        return cli_usage_error(&usage, "both a folder and files were given; leave one out");
    if (folder == NULL && (request.dep_in == NULL || request.fetch_in == NULL))
        return cli_usage_error(&usage, "no traces were given; name a folder, or both --data and --fetch");
    if (folder != NULL)
        kind = trace_kind_of_as(folder, format);
    if (folder != NULL && FAILS(error, trace_check_known(folder, kind)))
        return cli_fail_proto(&error);
    if (trace_kind_is_insn(kind))
        return trace_insn_cut(folder, format, output, request.first, request.behind, threads, request.salvage);
    if (threads != NULL)
        return cli_usage_error(&usage, "--threads is for instruction traces; leave it out");
    if (folder != NULL) {
        if (FAILS(error, trace_dir_find(folder, &inputs)))
            return cli_fail_proto(&error);
        request.dep_in = inputs.dep;
        request.fetch_in = inputs.fetch;
    }
    return cut(&request, output);
}
