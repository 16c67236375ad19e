/* Kinds of programs by what a replay of theirs on a window did (--model window), and how far off such replays were:
 * so that an error can be predicted where the truth is unknown. Figures are of the pairs that docs/window.md lists.
 *
 * Use: kind_of for a replay's figures; kinds[] has the expected error and its reason. */
#ifndef SWEEP_COMPARE_KINDS_H
#define SWEEP_COMPARE_KINDS_H

#include "sweep/compare/run_figures.h"

/* suffix, name, least error to expect in percent, most, why. In the order in which they are asked for. */
#define WINDOW_KINDS(K)                                                                                               \
    K(OVERLAPS, "partial overlaps", -6, 1,                                                                            \
      "loads of what stores wrote in part are made again; such a replay is 4 % too fast, which is not explained")     \
    K(MISPREDICTS, "mispredictions", -20, 3,                                                                          \
      "they are its cost, and those of the capture: this system's core may have more, and a full ROB takes no time "  \
      "to clear")                                                                                                     \
    K(NEXT_LINES, "mispredictions, next lines", -3, 12,                                                               \
      "the core's wrong paths fetch what it needs next from memory; the trace has such loads only if the capture "    \
      "finished them")                                                                                                \
    K(BRANCHES, "mispredicts", -3, 3,                                                                                 \
      "what most branches wait for is found from the capture's times, or guessed")                                    \
    K(SERIAL, "serialising", -1, 2, "time of CSR accesses, fences and atomics is known, their accesses are not")      \
    K(STREAMS, "waits for memory", -2, 2, "what asks for memory, and when, is all in the trace")                      \
    K(COMPUTES, "computes", -2, 2, "latencies are those of gem5's default units, found by pc")

enum window_kind {
#define WINDOW_KIND_ENUM(suffix, name, least, most, why) KIND_##suffix,
    WINDOW_KINDS(WINDOW_KIND_ENUM)
#undef WINDOW_KIND_ENUM
    KIND_COUNT
};

struct window_kind_about {
    const char *name;
    int least_pct, most_pct;
    const char *why;
};

extern const struct window_kind_about window_kinds[KIND_COUNT];

enum window_kind window_kind_of(const struct run_figures *replay);
/* Misses of the last level of caches. */
double run_memory_lines(const struct run_figures *figures);

#endif
