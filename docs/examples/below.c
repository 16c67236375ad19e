/* A simulator with a clock of its own above DRAM command by command: lines "ADDRESS READ|WRITE CYCLE" are misses of a
 * core of 3 GHz, at most 16 reads at a time; prints what they cost:
 *     cc below.c $(pkg-config --cflags --libs rubato) -o below && ./below commands-ddr5 memory.refresh=none < misses */
#include <rubato.h>
#include <stdio.h>

enum { PERIOD_PS = 333, MOST_READS = 16 };
struct core { unsigned long long cycle, stalled, reads, waiting, latency_ps; };

static void answered(void *context, const rubato_answer *answer) /* a cache would fill its line: answer->user */
{
    struct core *const core = context;
    core->reads++, core->waiting--, core->latency_ps += answer->done_ps - answer->sent_ps;
}

int main(int argc, char **argv)
{
    struct core core = {0};
    rubato_memory_callbacks callbacks = {.answered = answered, .context = &core};
    rubato_error error;
    rubato_system *system = rubato_system_open(argc > 1 ? argv[1] : "commands-ddr4", &error);
    bool is_set = system && (argc < 3 || rubato_system_set(system, argv[2], &error));
    rubato_memory *memory = is_set ? rubato_memory_open(system, &callbacks, &error) : NULL;
    unsigned long long address, due;
    char kind[8] = "";

    while (memory && error.kind == RUBATO_OK && scanf("%llx %7s %llu", &address, kind, &due) == 3) {
        enum rubato_access access = kind[0] == 'R' ? RUBATO_READ : RUBATO_WRITE_POSTED;
        while (core.cycle < due && rubato_memory_advance(memory, ++core.cycle * PERIOD_PS, &error)) {
        } /* a core would do its work of the cycle here; it stalls while the memory refuses, or with too many reads */
        while ((access == RUBATO_READ && core.waiting == MOST_READS)
               || rubato_memory_send(memory, address, 64, access, NULL, &error) == RUBATO_REFUSED)
            if (core.stalled++, !rubato_memory_advance(memory, ++core.cycle * PERIOD_PS, &error)) break;
        core.waiting += access == RUBATO_READ;
    }
    if (!memory || error.kind != RUBATO_OK || !rubato_memory_drain(memory, &error))
        return fprintf(stderr, "below: %s\n", error.message), 2;
    printf("%llu reads, %llu ps all together, %llu cycles stalled\n", core.reads, core.latency_ps, core.stalled);
    rubato_memory_close(memory), rubato_system_close(system);
}
