/* Registry of statistics: which counters exist, under which names, and how their figures are made and written.
 *
 * Components count in plain uint64_t fields and know nothing of names. At set-up each one's registration file
 * (memsys/cache/stats.c and the like) adds lines that point at the fields. Rates and averages are formulas, evaluated
 * on request. Names, order and number formats are those of the reference simulator's stats.txt, so that one script
 * reads both.
 *
 * Use: stats_init; for each component <component>_add_stats in the order wanted, once it is complete (a cache: after
 * cache_start) and all requestors are known; stats_freeze once; stats_reset where a measurement
 * begins; stats_visit whenever figures are wanted. After stats_freeze the number of figures (stats_record_size) never
 * changes, so a sample of all of them is a record of fixed size.
 * Ownership: names are copied; sources, contexts, subnames, units and help texts are borrowed and must outlive the
 * registry.
 * Units: ticks are picoseconds. No printing here: cli/replay/stats_file.c and replay/record/stats_json.c write. */
#ifndef MEMSYS_SIM_SIM_STATISTICS_H
#define MEMSYS_SIM_SIM_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "memsys/sim/histogram.h"
#include "memsys/sim/occupancy.h"

#define STATS_TICKS_PER_SECOND 1000000000000.0
#define STAT_TOTAL UINT32_MAX            /* column that asks a formula for the figure of the whole vector */
#define STAT_PRECISION_AUTO 0            /* whole numbers without decimals, others with six */
#define STAT_NO_DECIMALS (-1)

struct stats_time {
    uint64_t now_ps;
    uint64_t reset_ps;                   /* when the figures began */
};

enum stat_kind {
    STAT_COUNTER,                        /* source: uint64_t[rows][columns]; rows 0: a vector, columns 0: one number */
    STAT_FORMULA,                        /* all that have one: formula(source, argument, column) */
    STAT_LEVEL,                          /* source: struct occupancy; its average over time */
    STAT_DISTRIBUTION,                   /* source: uint64_t[columns], how often the values 0, 1, ... were seen */
    STAT_HISTOGRAM                       /* source: struct histogram */
};

enum stat_flag {
    STAT_NO_ZERO = 1,                    /* left out while 0 */
    STAT_NO_NAN = 2,                     /* left out while not a number (0/0) */
    STAT_WITH_TOTAL = 4,                 /* vector: followed by name::total */
    STAT_OURS = 8                        /* unknown to the reference: not in stats.txt, only in JSON */
};

/* Figure number `column` of a formula; STAT_TOTAL: of the vector as a whole. */
typedef double stat_formula(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time);

struct kept_figures;

struct stat_entry {
    const struct kept_figures *kept;     /* set by stats_keep: shown in place of the source's; NULL: none */
    const char *name;                    /* within the group; stats_add replaces it by the full name */
    const char *our_name;                /* set by stats_add; the same, unless stats_call says otherwise */
    const char *unit, *help;             /* unit NULL: "Count" */
    const void *source;
    stat_formula *formula;
    uint64_t argument;
    const char *const *row_names;
    const char *const *column_names;     /* NULL: numbered; "": this column is never shown */
    const char *const *our_row_names, *const *our_column_names;    /* set by stats_add, as our_name */
    uint32_t rows, columns;
    size_t row_bytes, column_bytes;      /* from counter to counter, where they are fields of structs; 0: no gaps */
    enum stat_kind kind;
    unsigned flags;                      /* enum stat_flag */
    int precision;                       /* decimals, STAT_PRECISION_AUTO or STAT_NO_DECIMALS */
};

struct stat_reset_hook {
    void (*reset)(void *owner, uint64_t now_ps);
    void *owner;
};

/* Our name of a row or column; false: it is the same. */
typedef bool stats_part_caller(const void *context, const char *name, char *text, size_t size);

struct stats {
    struct stat_entry *stats;                  /* in order of registration */
    size_t count, capacity;
    struct stat_reset_hook *hooks;
    size_t hook_count, hook_capacity;
    struct stats_chunk *chunks;          /* names */
    char group[240];
    char component[64], called[64];      /* of stats_call */
    stats_part_caller *call_part;        /* of stats_call_parts */
    const void *call_context;
    const char *const *parts, *const *our_parts;    /* the names that differed last: of most statistics the same */
    size_t part_count;
    uint64_t reset_ps;
    bool frozen;
    bool out_of_memory;
};

/* One figure, as a writer gets it. */
struct stat_leaf {
    const struct stat_entry *stat;
    const char *name;                    /* full, e.g. "system.l2.demandHits::total"; valid during the call */
    double value;
    double share, cumulated;             /* of a distribution's bin, 0 to 1; NAN: the figure has none */
    int precision;
};

void stats_init(struct stats *stats);
void stats_free(struct stats *stats);

/* Names that are added from here on begin "path."; format as printf; "" for none. */
void stats_group(struct stats *stats, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Statistics of that component ("system.l1d13") are called otherwise ("system.cpu13.l1d") wherever not the reference's
 * names are wanted, STATS_SHOWN; so they are from here to the next call. "" and "": no more. */
void stats_call(struct stats *stats, const char *component, const char *called);
/* The same for rows and columns, of statistics that are added from here on ("l1d13.prefetcher"). */
void stats_call_parts(struct stats *stats, stats_part_caller *call_part, const void *context);
/* The registry must not be frozen (asserted). Running out of memory is reported by stats_freeze. */
void stats_add(struct stats *stats, const struct stat_entry *stat);
void stats_add_table(struct stats *stats, const struct stat_entry *rows, size_t count);
#define STATS_ADD_TABLE(stats, rows) stats_add_table(stats, rows, sizeof(rows) / sizeof *(rows))
/* A number that does not change during a run. */
void stats_add_constant(struct stats *stats, const char *name, double value, const char *unit, const char *help);
/* An array for `count` names of rows or columns, which lives as long as the registry. NULL when out of memory (which
 * stats_freeze reports): add no statistic that needs it. */
const char **stats_name_array(struct stats *stats, size_t count);
/* `reset` sets a component's counters to 0. */
void stats_on_reset(struct stats *stats, void (*reset)(void *owner, uint64_t now_ps), void *owner);
/* Ends set-up. FAULT_MEMORY. */
struct fault stats_freeze(struct stats *stats);

/* All counters restart at now. */
void stats_reset(struct stats *stats, uint64_t now_ps);

/* The figures of all statistics that `wants` names, by our name, stay as they are now, also after stats_reset. After
 * stats_freeze. False: out of memory. */
bool stats_keep(struct stats *stats, uint64_t now_ps, bool (*wants)(const void *wanted, const char *our_name),
                const void *wanted);

enum stats_selection {
    STATS_SHOWN,                         /* as the reference prints them: without what flags leave out, without ours */
    STATS_SHOWN_AND_OURS,
    STATS_ALL                            /* exactly stats_record_size figures, always the same ones in the same order */
};

void stats_visit(const struct stats *stats, uint64_t now_ps, enum stats_selection selection,
                 void (*visit)(void *context, const struct stat_leaf *leaf), void *context);

/* Of the figures that stats_visit shows with STATS_SHOWN_AND_OURS those whose statistic is wanted. */
void stats_visit_wanted(const struct stats *stats, uint64_t now_ps,
                        bool (*wants)(const void *wanted, const char *name), const void *wanted,
                        void (*visit)(void *context, const struct stat_leaf *leaf), void *context);

size_t stats_record_size(const struct stats *stats);

/* Seconds since the last reset, as rates divide by. */
static inline double stats_seconds(const struct stats_time *time)
{
    return (double)(time->now_ps - time->reset_ps) / STATS_TICKS_PER_SECOND;
}

/* Number as stats.txt shows it: fixed decimals, "nan", "inf". Returns text. */
char *stats_format_value(char *text, size_t size, double value, int precision);

#endif
