/* --collect: the shards' files, on one host and one after the other, into the file of all results. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/sweep/sweep.h"

/* "3-of-8.db" */
static int is_shard(const struct dirent *entry)
{
    unsigned shard, count;
    int end = 0;

    return sscanf(entry->d_name, "%u-of-%u.db%n", &shard, &count, &end) == 2 && end > 0 && entry->d_name[end] == '\0';
}

struct missing {
    size_t to_do, failed;
};

static bool count_missing(void *self, const struct results_row *row)
{
    struct missing *const missing = self;

    missing->to_do += strcmp(row->state, "to do") == 0;
    missing->failed += strcmp(row->state, "failed") == 0;
    return true;
}

/* A shard that is in use, or damaged, is said and left out; the others are merged. */
static int merge_all(const struct sweep_session *session, struct results *results, struct dirent **files, int count)
{
    int code = CLI_OK, merged = 0;
    size_t added, sum = 0;
    char path[SWEEP_PATH_MAX + 300];

    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", session->shards, files[i]->d_name);

        struct fault const fault = results_merge(results, path, &added);

        if (fault.kind == FAULT_NONE) {
            merged++;
            sum += added;
        } else {
            code = cli_fail(fault);
        }
    }
    printf("collected     %d of %d files, %zu points\n", merged, count, sum);
    return code;
}

static int check_complete(const struct sweep_session *session, struct results *results)
{
    struct missing missing = {.to_do = 0};
    struct fault const fault = results_read(results, count_missing, &missing);

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    printf("points        %zu, %zu failed, %zu to do\n", session->plan->count, missing.failed, missing.to_do);
    printf("results       %s\n", cli_shown(session->output));
    return missing.to_do || missing.failed ? CLI_STALLED : CLI_OK;
}

int sweep_collect(const struct sweep_session *session)
{
    struct dirent **files = NULL;
    struct results *results = NULL;
    int const count = scandir(session->shards, &files, is_shard, alphasort);
    struct fault fault;
    int code = CLI_OK;

    if (count <= 0) {
        free(files);
        return cli_fail_text("%s: %s; run shards first, with --shard or --on", session->shards,
                             count < 0 ? strerror(errno) : "holds no file of a shard");
    }
    fault = results_open(&results, session->output, RESULTS_WRITE);
    if (fault.kind == FAULT_NONE)
        fault = results_begin(results, session->plan, session->request->retries);
    if (fault.kind == FAULT_NONE)
        fault = provenance_note(results, &session->origin.run);
    if (fault.kind == FAULT_NONE)
        code = merge_all(session, results, files, count);
    if (fault.kind == FAULT_NONE && code == CLI_OK)
        code = check_complete(session, results);
    if (fault.kind == FAULT_NONE)
        fault = results_close(results);
    else
        results_close(results);
    for (int i = 0; i < count; i++)
        free(files[i]);
    free(files);
    return fault.kind == FAULT_NONE ? code : cli_fail(fault);
}
