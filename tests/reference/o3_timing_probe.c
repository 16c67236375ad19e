/* Elastic traces that our core's probe wrote against those of the reference's: record by record, and by the time that
 * replays of both take on the six memory systems. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/reference/o3_timing.h"

static const char *const systems[] = {"base", "l2-256k", "ddr4", "lpddr3", "ddr5-2ch", "small"};

static void theirs_of(const struct o3_options *options, const struct o3_run *run, char path[O3_PATH])
{
    snprintf(path, O3_PATH, "%.3000s/elastic/%s%s", options->traces, run->program, options->suffix);
}

bool o3_probe_path(const struct o3_options *options, const struct o3_run *run, char path[O3_PATH])
{
    char theirs[O3_PATH];

    theirs_of(options, run, theirs);
    snprintf(path, O3_PATH, "%.3000s/%s.%s.probe", options->work, run->program, run->system);
    return run->kind == O3_IDEAL && strcmp(options->model, "detailed") == 0 && access(theirs, R_OK) == 0;
}

/* Final tick of a replay; 0: it failed. */
static double replay(const struct o3_options *options, const char *trace, const char *system, const char *stats)
{
    char name[O3_NAME];
    pid_t process;
    int status = 1;

    snprintf(name, sizeof name, "detailed/%s", system);
    fflush(NULL);
    process = fork();
    if (process == 0) {
        if (freopen("/dev/null", "w", stderr))
            execl(options->rubato, "rubato", "replay", name, trace, "--model", "elastic", "--stats", stats,
                  "--no-cache", "--quiet", (char *)NULL);
        _exit(127);
    }
    if (process < 0 || waitpid(process, &status, 0) != process || status != 0)
        return 0;
    return o3_final_tick(stats);
}

static void compare_replays(const struct o3_options *options, struct o3_run *run, const char *ours, const char *theirs)
{
    char stats[O3_PATH];

    snprintf(stats, sizeof stats, "%.3000s/%s.replay.txt", options->work, run->program);
    for (size_t i = 0; i < sizeof systems / sizeof systems[0] && !run->problem[0]; i++) {
        double const tick = replay(options, ours, systems[i], stats);
        double const wanted = replay(options, theirs, systems[i], stats);
        double const error = wanted > 0 ? 100 * fabs(tick / wanted - 1) : 100;

        run->replay_error_sum += error;
        run->replay_error_worst = fmax(run->replay_error_worst, error);
        run->replay_count++;
        if (tick <= 0 || wanted <= 0)
            snprintf(run->problem, sizeof run->problem, "a replay of %.900s on %s failed", tick > 0 ? theirs : ours,
                     systems[i]);
    }
    unlink(stats);
}

void o3_read_probe(const struct o3_options *options, struct o3_run *run)
{
    char ours[O3_PATH], theirs[O3_PATH], path[O3_PATH + 32];
    struct fault fault;

    if (!o3_probe_path(options, run, ours) || run->problem[0])
        return;
    theirs_of(options, run, theirs);
    fault = elastic_compare(ours, theirs, &run->elastic, NULL, NULL);
    if (fault.kind == FAULT_NONE) {
        run->has_probe = true;
        compare_replays(options, run, ours, theirs);
    } else {
        snprintf(run->problem, sizeof run->problem, "%s", fault_text(fault));
    }
    if (options->keep)
        return;
    snprintf(path, sizeof path, "%s/deptrace.proto.gz", ours);
    unlink(path);
    snprintf(path, sizeof path, "%s/fetchtrace.proto.gz", ours);
    unlink(path);
    rmdir(ours);
}
