/* Replays a trace on a system and prints what became of it:
 *     cc replay.c $(pkg-config --cflags --libs rubato) -o replay
 *     ./replay laptop TRACE */
#include <inttypes.h>
#include <rubato.h>
#include <stdio.h>
#include <string.h>

static void print_mpki(void *context, const rubato_statistic *statistic)
{
    if (strstr(statistic->name, "mpki"))
        fprintf(context, "%-14s %8.2f  %s\n", statistic->name, statistic->value, statistic->help);
}

int main(int argc, char **argv)
{
    const char *const trace = argc > 2 ? argv[2] : "";
    rubato_error error;
    rubato_system *system = rubato_system_open(argc > 1 ? argv[1] : "laptop", &error);
    rubato_run *run = NULL;
    double ipc;

    if (system && rubato_system_set(system, "memory.channels=2", &error))
        run = rubato_run_open(system, &trace, 1, NULL, &error);
    if (run && rubato_run_execute(run, &error) && rubato_run_value(run, "ipc", &ipc, &error)) {
        printf("%" PRIu64 " ps, %.3f instructions a cycle\n", rubato_run_end_ps(run), ipc);
        rubato_run_visit(run, print_mpki, stdout, &error);
    } else {
        fprintf(stderr, "replay: %s\n", error.message);
    }
    rubato_run_close(run);
    rubato_system_close(system);
    return error.kind == RUBATO_OK ? 0 : 2;
}
