/* rubato trace cut of a pair: takes a range of records out of it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/trace_kinds.h"
#include "proto/elastic/elastic_input.h"
#include "proto/elastic/trace_writer.h"

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

int trace_elastic_cut(const struct trace_request *request)
{
    struct cut_request cut_out = {.first = request->first, .behind = request->behind, .salvage = request->salvages,
                                  .dep_in = request->dep, .fetch_in = request->fetch};
    struct trace_paths inputs;
    struct fault error;

    if (request->path != NULL) {
        if (FAILS(error, trace_dir_find(request->path, &inputs)))
            return cli_fail_proto(&error);
        cut_out.dep_in = inputs.dep;
        cut_out.fetch_in = inputs.fetch;
    }
    return cut(&cut_out, request->output);
}
