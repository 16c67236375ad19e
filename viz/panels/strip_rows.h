/* What the strip charts show: which rows a system has, and the courses of each, from the samples of a time window.
 *
 * Use: strip_rows_of for the rows; strip_columns_make for a run; strip_row_fill for each row.
 * Units: by strip_unit: bytes a second, picoseconds, shares from 0 to 1. Ownership: plain values. */
#ifndef VIZ_PANELS_STRIP_ROWS_H
#define VIZ_PANELS_STRIP_ROWS_H

#include "viz/panels/strip_series.h"

/* R(value, title, title of one core or SM alone, what it means, what it means beside one that is chosen: then it is
 * shown of all, where samples do not have it of one) */
#define STRIP_ROWS(R)                                                                                                 \
    R(BANDWIDTH, "Memory bandwidth", "Memory bandwidth",                                                              \
      "bytes that DRAM moves in a second; the dashed line is its peak",                                               \
      "bytes that DRAM moves in a second, for all requestors together; the dashed line is its peak")                  \
    R(LATENCY, "Load latency", "Load latency",                                                                        \
      "half, 95 % and 99 % of the loads took at most this long",                                                      \
      "of all cores, as the chosen component is none of them")                                                        \
    R(GPU_LATENCY, "GPU read latency", "GPU read latency",                                                            \
      "reads of SMs that leave the L1, from there until the answer",                                                  \
      "reads of all SMs that leave the L1, until the answer: samples do not have it for one SM")                      \
    R(DRAM_LATENCY, "DRAM read latency", "DRAM read latency",                                                         \
      "mean time of a read burst from its arrival to its data",                                                       \
      "mean time of a read burst until its data, for all requestors: DRAM does not know for whom it reads")           \
    R(BUFFERS, "Core buffers", "Core buffers",                                                                        \
      "share of entries in use: mean of the cores, and the fullest core",                                             \
      "of all cores, as the chosen component is none of them")                                                        \
    R(WARPS, "Warps", "Warps",                                                                                        \
      "warp slots of all SMs: with a warp that can issue, and with one that waits",                                   \
      "of all SMs, as the chosen component is none of them")                                                          \
    R(CYCLES, "Core cycles", "Core cycles",                                                                           \
      "each cycle of a core is charged to what it did or waited for",                                                 \
      "of all cores, as the chosen component is none of them")                                                        \
    R(STALLS, "SM schedulers", "SM schedulers",                                                                       \
      "cycles of schedulers that issued, or why they did not",                                                        \
      "of all SMs, as the chosen component is none of them")                                                          \
    R(REQUESTORS, "By requestor", "Memory traffic",                                                                   \
      "bytes that each core or other requestor reads from and writes to memory",                                      \
      "of all requestors: samples have no bytes of the chosen one alone")                                             \
    R(SMS, "By SM", "L2 traffic",                                                                                     \
      "bytes that each SM moves over the interconnect to the L2",                                                     \
      "of all SMs: samples have no bytes of the chosen one alone")

#define STRIP_ROW_VALUE(value, title, own_title, meaning, shared_meaning) STRIP_##value,
enum strip_row { STRIP_ROWS(STRIP_ROW_VALUE) STRIP_ROW_COUNT };
#undef STRIP_ROW_VALUE

enum strip_unit { STRIP_BYTES_RATE, STRIP_TIME, STRIP_SHARE };

enum { STRIP_COURSES = 9, STRIP_NAME = 24, STRIP_CALM = PALETTE_SERIES };

struct strip_course {
    char name[STRIP_NAME];
    unsigned colour;                     /* of the theme's series; STRIP_CALM: what is of no interest */
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
/* `like` NULL, or a run beside which this one stands: the same requestors are named. */
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
