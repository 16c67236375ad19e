/* Courses for strip charts: one value for each column of pixels, from the samples of a time window.
 *
 * Columns lie on a grid of absolute time, so that moving charts do not flicker. A column with samples covers the time
 * from the last sample before it to the last one in it; one that lies between two distant samples covers the time
 * between these. Columns before the statistics or after the newest sample are NaN.
 *
 * Use: strip_columns_make once for a chart, one pass over the samples of the window; then strip_rates and others fill
 * arrays of STRIP_COLUMNS values from the sums that belong to each column.
 * Units: picoseconds; values as said. Ownership: plain values; the history is borrowed. */
#ifndef VIZ_PANELS_STRIP_SERIES_H
#define VIZ_PANELS_STRIP_SERIES_H

#include "viz/state/state.h"

enum { STRIP_COLUMNS = 4096 };

#define STRIP_NO_SAMPLE UINT32_MAX

struct strip_columns {
    const struct history *history;
    const struct digest *digest;         /* that of the history, or of one component alone */
    uint64_t *own_sums;                  /* of that: digest->word_count words a column; NULL: those of the history */
    uint64_t first_ps, step_ps;          /* column i is from first_ps + i * step_ps to the next one's begin */
    uint32_t count;
    /* The samples between which a column lies; last STRIP_NO_SAMPLE: nothing; before STRIP_NO_SAMPLE: since the
     * statistics began. */
    uint32_t before[STRIP_COLUMNS], last[STRIP_COLUMNS];
};

/* About `wanted` columns. An empty window has none. */
void strip_columns_make(struct strip_columns *columns, const struct history *history,
                        const struct time_window *window, uint32_t wanted);
/* One column, from a moment at which statistics began, or that a sample is of, to the newest sample. */
void strip_columns_since(struct strip_columns *columns, const struct history *history, uint64_t begin_ps);
/* The same columns for one core or SM, from the samples themselves; levels are those of the samples that
 * were kept. `own` is to be freed, also after FAULT_MEMORY, when it has no columns. */
struct fault strip_columns_own(struct strip_columns *own, const struct strip_columns *all, uint32_t component);
void strip_columns_own_free(struct strip_columns *own);
/* That holds this moment; `count` if none does. The data of a sample belongs to the column in which its time ends. */
uint32_t strip_column_at(const struct strip_columns *columns, uint64_t time_ps);
/* Both lie between the same samples, so all their values are equal. */
static inline bool strip_columns_alike(const struct strip_columns *columns, uint32_t one, uint32_t other)
{
    return one == other || (one < columns->count && other < columns->count
                            && columns->before[one] == columns->before[other]
                            && columns->last[one] == columns->last[other]);
}
/* Middle of a column. */
double strip_column_ps(const struct strip_columns *columns, uint32_t column);

/* Sum of `words` words of a digest from `word` on, in a picosecond, times `factor`: 1e12 for counters in a second. */
void strip_rates(const struct strip_columns *columns, uint32_t word, uint32_t words, double factor, float *values);
/* One of them, of one column; NAN: it has nothing. */
double strip_rate_at(const struct strip_columns *columns, uint32_t column, uint32_t word);
/* The most of these between any two samples that follow each other. */
void strip_highest(const struct strip_columns *columns, uint32_t word, uint32_t words, double factor, float *most);
/* Second word by the first: mean of a count and a sum. */
void strip_means(const struct strip_columns *columns, const struct digest_group *group, float *values);
/* Of `count` percentages, which rise, that many arrays. */
enum { STRIP_PERCENTILES = 4 };
void strip_percentiles(const struct strip_columns *columns, const struct digest_group *group, const double *percents,
                       uint32_t count, float *const *values);
/* Levels by their limits: mean of all words of a group, and the highest one. */
void strip_shares(const struct strip_columns *columns, const struct digest_group *group, float *mean, float *highest);
/* Each word's part of the whole group; `parts` are group->count arrays of STRIP_COLUMNS. */
void strip_parts(const struct strip_columns *columns, const struct digest_group *group, float (*parts)[STRIP_COLUMNS],
                 uint32_t part_room);

#endif
