/* Profile: what each pc of a program did to the system, and what it cost the core.
 *
 * Use: profile_new before the session, whose request gets it (and, for detailed cores, profile_listeners); the session
 * calls profile_bind; after the run profile_sort, then the rows. A row a pc, and one without a pc (write-backs, page
 * walks). Rows restart when statistics do. Such a run has no fast paths in its caches and memories; its results are
 * the same.
 * Units: cycles of the core, bytes. Columns are data: first PROFILE_FIXED_COLUMNS, then, for each kind of cache
 * (profile_levels), accesses and misses.
 * Ownership: rows are valid until profile_free. Errors: FAULT_MEMORY from profile_sort if memory ran out in the run. */
#ifndef REPLAY_PROFILE_PROFILE_H
#define REPLAY_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct call_tree;
struct detailed_listener;
struct system;
struct system_config;

/* C(value, name, needs detailed cores, unit, help) */
#define PROFILE_COLUMNS(C)                                                                                            \
    C(INSTRUCTIONS, "instructions", true, "Count", "committed")                                                       \
    C(CYCLES, "cycles", true, "Cycle", "in which one of its micro-ops was the first to commit, and before it none")   \
    C(STALL_CYCLES, "stall_cycles", true, "Cycle", "of these, those in which nothing committed")                      \
    C(FRONTEND_CYCLES, "frontend_cycles", true, "Cycle", "of these, those before it was dispatched")                  \
    C(PREFETCHES, "prefetches", false, "Count", "hardware prefetches that its accesses caused, in all caches")        \
    C(USEFUL, "useful_prefetches", false, "Count", "of these, those whose line was used")                             \
    C(READ_BYTES, "read_bytes", false, "Byte", "that memory read for it, those of its prefetches included")           \
    C(PREFETCH_BYTES, "prefetch_bytes", false, "Byte", "of these, those of its prefetches")                           \
    C(WRITE_BYTES, "write_bytes", false, "Byte", "that memory was to write for it; write-backs have no pc")

#define PROFILE_COLUMN_VALUE(value, name, needs_detailed, unit, help) PROFILE_##value,
enum profile_column { PROFILE_COLUMNS(PROFILE_COLUMN_VALUE) PROFILE_FIXED_COLUMNS };
#undef PROFILE_COLUMN_VALUE

struct profile_column_info {
    const char *name, *unit, *help;
    bool needs_detailed;
};
extern const struct profile_column_info profile_column_table[PROFILE_FIXED_COLUMNS];

/* A look-up of a cache, or a prefetch of its own that takes an MSHR. */
struct profile_access {
    uint64_t tick_ps, address, pc;
    const char *cache;                   /* its name: "cpu0.l1d" */
    unsigned instance;                   /* of the cache among those of its kind */
    uint64_t set;                        /* of the line, counted over all caches of the kind */
    uint32_t line_bytes, assoc;
    uint16_t command;                    /* enum command */
    bool has_pc, is_hit;
    bool is_own_prefetch;
    bool is_fetch;                       /* a line is taken from below */
    unsigned restarts;                   /* of statistics so far: those before the last one are of the warm-up */
};
typedef void profile_take_access(void *context, const struct profile_access *access);
enum { PROFILE_MOST_LISTENERS = 2 };

struct profile_row {
    bool has_pc;
    uint64_t pc;
    const uint64_t *counts;              /* one a column */
};

struct profile;

/* NULL: out of memory. */
struct profile *profile_new(const struct system_config *config);
/* NULL is fine. */
void profile_free(struct profile *profile);

/* Before the session: detailed cores keep a tree of calls. NULL: out of memory. */
const struct call_tree *profile_follow_calls(struct profile *profile);

/* An array of one for each core; NULL: the cores are not detailed. */
const struct detailed_listener *profile_listeners(struct profile *profile);
/* Before the session: each access of the caches of that kind ("l3"), in their order; profile_bind fails, FAULT_INPUT,
 * where the system has no such cache. kind is borrowed. At most PROFILE_MOST_LISTENERS (asserted). */
void profile_listen(struct profile *profile, const char *kind, profile_take_access *take, void *context);
/* The system is made, of plain caches, and nothing has happened. Again: another run, from its beginning. */
struct fault profile_bind(struct profile *profile, struct system *system);

/* Kinds of caches, such as "l1d", in the order of the configuration. */
size_t profile_levels(const struct profile *profile);
const char *profile_level(const struct profile *profile, size_t level);
static inline size_t profile_accesses(size_t level)
{
    return PROFILE_FIXED_COLUMNS + 2 * level;
}
static inline size_t profile_misses(size_t level)
{
    return PROFILE_FIXED_COLUMNS + 2 * level + 1;
}
size_t profile_columns(const struct profile *profile);

/* After the run: those who cost most first (profile_compare), equal ones by pc. */
struct fault profile_sort(struct profile *profile);
size_t profile_rows(const struct profile *profile);
struct profile_row profile_row(const struct profile *profile, size_t i);
/* Negative: a before b. By cycles, then bytes read, then misses from the last level to the first. */
int profile_compare(const struct profile *profile, const uint64_t *a, const uint64_t *b);

#endif
