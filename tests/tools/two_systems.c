/* Two systems in one process, equal and open at a time: a run of each must end at the same tick, and differ from one
 * without the last setting. Modules with state outside their instances make them differ.
 *     two_systems SYSTEM TRACE SETTING...   prints the three ticks; exit code 1: the first two differ */
#include <inttypes.h>
#include <stdio.h>

#include "include/rubato.h"

static rubato_run *open_run(rubato_system *system, const char *trace, rubato_error *error)
{
    return rubato_run_open(system, &trace, 1, NULL, error);
}

static uint64_t end_of(rubato_run *run, rubato_error *error)
{
    uint64_t const end = run && rubato_run_execute(run, error) ? rubato_run_end_ps(run) : 0;

    return end;
}

int main(int argc, char **argv)
{
    rubato_error error = {.kind = RUBATO_OK};
    rubato_system *const system = argc > 3 ? rubato_system_open(argv[1], &error) : NULL;
    rubato_run *plain = system ? open_run(system, argv[2], &error) : NULL;
    rubato_run *runs[2] = {NULL, NULL};
    uint64_t ends[3] = {0, 0, 0};

    for (int i = 3; i < argc && system && error.kind == RUBATO_OK; i++)
        rubato_system_set(system, argv[i], &error);
    for (int i = 0; i < 2 && plain && error.kind == RUBATO_OK; i++)
        runs[i] = open_run(system, argv[2], &error);
    for (int i = 0; i < 2 && error.kind == RUBATO_OK; i++)
        ends[i] = end_of(runs[i], &error);
    if (error.kind == RUBATO_OK)
        ends[2] = end_of(plain, &error);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", ends[0], ends[1], ends[2]);
    if (error.kind != RUBATO_OK)
        fprintf(stderr, "two_systems: %s\n", error.message);
    rubato_run_close(runs[0]);
    rubato_run_close(runs[1]);
    rubato_run_close(plain);
    rubato_system_close(system);
    return error.kind != RUBATO_OK || ends[0] == 0 ? 2 : ends[0] != ends[1];
}
