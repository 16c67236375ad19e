/* Regions of a program: parts of a trace that stand for all of it, each with a weight; and the file that keeps them.
 *
 * Use: region_set_read, or choose.h; region_set_trace_changed before a run; region_set_write; region_set_free, also
 * after a fault.
 * A region belongs to a stratum: a part of the program of which regions were taken at random, or of which one stands
 * for all. A stratum with two regions or more says how much its regions differ, and so how far an estimate can be off
 * (replay/regions/estimate.h).
 * The file is text, a line a fact, fields separated by tabs; numbers in it are exact, so what is read equals what was
 * written. Units: instructions, as block_vectors.h counts them.
 * Traces with weights are read as well: parts of a program that were recorded as files of their own, as ChampSim's
 * sets of traces are (trace_sets.c). Each trace becomes a region with a path of its own, and is a stratum by itself, of
 * which nothing else is known.
 * Errors: FAULT_INPUT with file, line, field, what was expected. */
#ifndef REPLAY_REGIONS_REGION_SET_H
#define REPLAY_REGIONS_REGION_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

/* suffix, name, meaning */
#define REGION_METHODS(M)                                                                                             \
    M(SIMPOINT, "simpoint", "one region a phase, the one nearest to its mean; without an interval of confidence")     \
    M(SYSTEMATIC, "systematic", "regions at even distances")                                                          \
    M(STRATIFIED, "stratified", "regions at random in each phase, two at least")                                      \
    M(GIVEN, "given", "regions that another tool has chosen")

enum region_method {
#define REGION_METHOD_ENUM(suffix, name, meaning) REGIONS_##suffix,
    REGION_METHODS(REGION_METHOD_ENUM)
#undef REGION_METHOD_ENUM
    REGION_METHOD_COUNT
};

const char *region_method_name(enum region_method method);
/* False: no method has that name. */
bool region_method_find(const char *name, enum region_method *method);

/* Of kernels: a region is one launch, `first` and `warmup` are launches, and instructions those of warps. */
struct region {
    uint64_t first;                      /* events of the trace before its warm-up */
    uint64_t warmup, instructions;       /* of the warm-up, of the region behind it */
    double weight;                       /* share of the program's instructions that it stands for; all add up to 1 */
    uint32_t stratum;
    char *trace;                         /* path of its own trace; NULL: it is of the set's */
    uint64_t trace_hash;                 /* of that; 0: none */
};

struct region_stratum {
    uint64_t intervals;                  /* that its regions were taken from */
    uint64_t regions;                    /* of those that a file has, while it is read */
};

struct region_set {
    char *trace;                         /* path, as the file has it */
    char *states;                        /* path of the file of warm states beside it; NULL: it was not read */
    uint64_t trace_bytes, trace_hash;    /* its mark (trace_mark.h) */
    enum region_method method;
    bool is_of_kernels;                  /* launches of a list of GPU kernels, in place of instructions of a trace */
    uint64_t interval, instructions;     /* of a region (of kernels: 1 launch); of the program */
    uint64_t events;                     /* of the program's trace, which places count; of kernels 0 */
    struct region *regions;
    size_t count, room;
    struct region_stratum *strata;
    size_t stratum_count, stratum_room;
};

/* Makes an empty set for a trace at that path, which is copied. */
struct fault region_set_begin(struct region_set *set, const char *trace);
/* A file that begins like a set of regions? */
bool region_set_is_file(const char *path);
struct fault region_set_read(struct region_set *set, const char *path);
/* False: errno says why. */
bool region_set_write(const struct region_set *set, FILE *file);
/* Is the trace at `path` the one that the regions are of? */
struct fault region_set_check_trace(const struct region_set *set, const char *set_path, const char *path);
/* Sets of one hash have the same regions of the same trace, which begin alike. */
uint64_t region_set_hash(const struct region_set *set);
void region_set_free(struct region_set *set);

/* The same for the text alone, without sets of traces. set: {0}. */
bool region_set_is_text(const char *path);
struct fault region_set_read_text(struct region_set *set, const char *path);

/* Where the warm states of a set at that path are (replay/warm/warm_file.h). NULL: out of memory; else to be freed. */
char *region_set_states_path(const char *set_path);
/* Where a set's trace is: its path, taken from the folder of the set's file unless it is absolute. NULL: out of
 * memory; else to be freed. */
char *region_set_trace_path(const struct region_set *set, const char *set_path);

#endif
