/* The contents of the strip charts: the rows of a system, and the courses of each, from the samples of a time window.
 *
 * Use: strip_rows_of for the rows; strip_columns_make for a run; strip_row_fill for each row.
 * Units: by strip_unit: bytes a second, picoseconds, shares from 0 to 1. Ownership: plain values. */
#ifndef VIZ_PANELS_STRIP_ROWS_H
#define VIZ_PANELS_STRIP_ROWS_H

#include "viz/panels/strip_series.h"

/* R(value, title, title for a single core or SM, meaning, meaning while a core or SM is chosen but samples have the
 * figure only for all of them) */
#define STRIP_ROWS(R)                                                                                                 \
    R(BANDWIDTH, "Memory bandwidth", "Memory bandwidth",                                                              \
      "Bytes read from and written to DRAM per second. The dashed line is the peak bandwidth.",                       \
      "Bytes read from and written to DRAM per second, for all requestors. The dashed line is the peak.")             \
    R(LATENCY, "Load latency", "Load latency",                                                                        \
      "Time from the L1D accepting a load to its data: 50 %, 95 % and 99 % of the loads took at most this long.",     \
      "This is for all cores, because the chosen component is not a core.")                                           \
    R(GPU_LATENCY, "GPU read latency", "GPU read latency",                                                            \
      "Time from a read leaving the L1 of an SM to its data: 50 %, 95 % and 99 % took at most this long.",            \
      "Time from a read leaving an L1 to its data. This is for all SMs: it is not recorded for a single SM.")         \
    R(DRAM_LATENCY, "DRAM read latency", "DRAM read latency",                                                         \
      "Mean time from a read burst arriving at the memory controller to its data.",                                   \
      "Mean time from a read burst arriving at the controller to its data. This is for all requestors.")              \
    R(BUFFERS, "Core buffers", "Core buffers",                                                                        \
      "How full the buffers are: the mean of all cores, and the fullest core.",                                       \
      "This is for all cores, because the chosen component is not a core.")                                           \
    R(WARPS, "Warps", "Warps",                                                                                        \
      "Warp slots of all SMs that hold a warp: one that can issue, or one that waits.",                               \
      "This is for all SMs, because the chosen component is not an SM.")                                              \
    R(CYCLES, "Core cycles", "Core cycles",                                                                           \
      "What the cores spent their cycles on: each cycle counts for what the core did or what stalled it.",            \
      "This is for all cores, because the chosen component is not a core.")                                           \
    R(STALLS, "SM schedulers", "SM schedulers",                                                                       \
      "Scheduler cycles: the share in which a warp issued, and why none did in the others.",                          \
      "This is for all SMs, because the chosen component is not an SM.")                                              \
    R(REQUESTORS, "By requestor", "Memory traffic",                                                                   \
      "Bytes per second that each core, or other requestor, reads from and writes to memory.",                        \
      "This is for all requestors: the bytes of the chosen component alone are not recorded.")                        \
    R(SMS, "By SM", "L2 traffic",                                                                                     \
      "Bytes per second that each SM moves over the interconnect to and from the L2.",                                \
      "This is for all SMs: the bytes of the chosen component alone are not recorded.")

#define STRIP_ROW_VALUE(value, title, own_title, meaning, shared_meaning) STRIP_##value,
enum strip_row { STRIP_ROWS(STRIP_ROW_VALUE) STRIP_ROW_COUNT };
#undef STRIP_ROW_VALUE

enum strip_unit { STRIP_BYTES_RATE, STRIP_TIME, STRIP_SHARE };

enum { STRIP_COURSES = 9, STRIP_NAME = 24, STRIP_CALM = PALETTE_SERIES };

struct strip_course {
    char name[STRIP_NAME];
    unsigned colour;                     /* of the theme's series; STRIP_CALM: the uninteresting rest */
    const char *meaning;
    bool has_peer;                       /* the course after it is its highest: a thin line, no entry of its own */
};

struct strip_data {
    enum strip_row row;
    const char *of;                      /* the core or SM that it shows alone, NULL: all; borrowed */
    enum strip_unit unit;
    bool is_stacked, is_whole;           /* bands from below; whole: up to 100 % */
    bool is_log;
    double limit;                        /* 0: none */
    uint32_t count;
    struct strip_course courses[STRIP_COURSES];
    bool has_most;                       /* highest sum between two samples, where columns have several */
    float most[STRIP_COLUMNS];
    float values[STRIP_COURSES][STRIP_COLUMNS];
};

/* "Core cycles", "Core cycles of cpu2". */
void strip_title(const struct strip_data *data, char *text, size_t room);
/* chosen: the core or SM that is, NULL: none. */
const char *strip_meaning(const struct strip_data *data, const char *chosen);
/* Those that any of the runs has, in the order of drawing; `rows` has STRIP_ROW_COUNT places. */
uint32_t strip_rows_of(const struct view *view, enum strip_row *rows);
/* Whether there is such a row of one core or SM. */
bool strip_row_has_own(enum strip_row row, const struct strip_columns *own);
/* `like`: the run shown beside this one, whose requestors are named here too, or NULL. */
void strip_row_fill(struct strip_data *data, enum strip_row row, const struct strip_columns *columns,
                    const struct strip_data *like);
/* The same of the core or SM that `own` columns are of, whose name is `of`. own NULL: the run does not have it, nothing
 * is shown. */
void strip_row_fill_own(struct strip_data *data, enum strip_row row, const struct strip_columns *columns,
                        const struct strip_columns *own, const char *of);

/* Of several requestors that are one course, by name: lines "cpu13<tab>4.10 GB/s", those that move most first, in a
 * column. Nothing where a course is one requestor, or none. */
void strip_members(const struct strip_columns *columns, uint32_t column, const char *course, char *text, size_t room);

/* A value of a row as text. */
void strip_value_text(enum strip_unit unit, double value, char *text, size_t room);

#endif
