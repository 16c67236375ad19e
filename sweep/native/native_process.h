/* One native run of a program under ptrace: from its first instruction, or where the region begins, to its end, or
 * where the region ends; there it is ended, as a capture ends it.
 *
 * The clock: the processor time of the process between two stops, and beside it the time of a stop, which is measured
 * at the region's begin; or, by patches, ticks inside of the program (native_machine.h). The program runs as it is on
 * the core of the thread that calls, without a shell, at addresses that are not random.
 *
 * Errors: FAULT_STALL, with the reason, where the program fails, is ended by a signal, forks, starts a thread,
 * replaces itself, takes too long, or does not reach the region. FAULT_INPUT: it cannot be started, or the host
 * cannot trace it. Ownership: all is borrowed for the time of the call. */
#ifndef SWEEP_NATIVE_NATIVE_PROCESS_H
#define SWEEP_NATIVE_NATIVE_PROCESS_H

#include "proto/capture/host.h"
#include "sweep/native/native_counters.h"

/* A symbol of the program, or an address of one that is not moved. */
struct native_place {
    const char *text;                    /* as given; NULL: the program's first or last instruction */
    uint64_t address;                    /* as in the file */
    uint64_t room;                       /* to the next symbol; 0: unknown */
};

/* FAULT_INPUT: no such symbol, or a place that has no address before the program runs. `option` gave it. */
struct fault native_place_find(struct native_place *place, const struct program *program, const char *option,
                               const char *text);

struct native_launch {
    const struct program *program;
    struct native_place from, to;
    const char *input;                   /* a file; the program's standard input */
    int output, errors;                  /* files of this process */
    double timeout_s;
    bool by_patches;                       /* where possible */
    struct native_counters *counters;    /* opened and counted; NULL: none */
    bool (*is_interrupted)(void);        /* NULL: never */
};

struct native_sample {
    double cpu_s;                        /* of the region and a stop; NAN: by ticks only */
    double kernel_s;                     /* of it in the kernel, as far as the host tells them apart */
    uint64_t ticks;                      /* of the region; 0: by processor time only */
    double stop_s;                       /* cost of a stop, the least of some; 0: not measured */
};

struct fault native_process_run(const struct native_launch *launch, struct native_sample *sample);
/* Once more as a whole, neither traced nor timed, since runs end where the region does: FAULT_STALL where it fails or
 * is ended by a signal. One that goes on after `most_s` is ended, and no fault. Its standard output is not kept. */
struct fault native_process_whole(const struct native_launch *launch, double most_s);

#endif
