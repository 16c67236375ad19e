/* Columns of `rubato results`: what of a point a name stands for.
 *
 * In this order: point, hash, system, traces, state, error, time_ms, wall_s, cpu_s; a key of an axis; a statistic; a
 * metric (replay/metrics/metrics.h); bound, what it is bound by (verdict.h); speedup; any other key of the
 * configuration, whose value is that of the effective system.
 *
 * Use: columns_open a row, columns_find as often as wanted, columns_close. Ownership: borrows the row. */
#ifndef CLI_SWEEP_RESULTS_COLUMNS_H
#define CLI_SWEEP_RESULTS_COLUMNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "replay/config/config.h"
#include "replay/metrics/alias.h"
#include "replay/metrics/metrics.h"
#include "sweep/results/results.h"

enum { CELL_TEXT = 1200 };

struct columns {
    const struct results_row *row;
    const char *const *axes;
    size_t axis_count;
    json_t *statistics;                  /* NULL: none */
    struct figures figures;              /* of the statistics, once a metric was asked for */
    bool has_figures;
    bool lacks_memory;                   /* for the statistics: columns_find says so */
    double baseline_ps;                  /* time of the point that speedup is against; 0: none; NAN: nobody named one */
    bool is_typed;                       /* quantities are numbers wherever they stand: bytes, ps, bytes a second */
    struct system_config *config;        /* NULL: not asked for yet */
    bool has_config;
};

void columns_open(struct columns *columns, const struct results_row *row, const char *const *axes, size_t axis_count);
void columns_close(struct columns *columns);

/* Numbers of a quantity of the system know its unit. */
enum cell_kind { CELL_MISSING, CELL_WORD, CELL_NUMBER, CELL_BYTES, CELL_PS, CELL_RATE };

static inline bool cell_is_number(enum cell_kind kind)
{
    return kind >= CELL_NUMBER;
}

/* "" for none. */
static inline const char *cell_unit(enum cell_kind kind)
{
    return kind == CELL_BYTES ? "bytes" : kind == CELL_PS ? "ps" : kind == CELL_RATE ? "bytes/s" : "";
}

/* `text` as it is exported; `number` of those that are. CELL_MISSING: this point does not have it.
 * Fault: there is no such key. */
struct fault columns_find(struct columns *columns, const char *name, const char *where, enum cell_kind *kind,
                          char text[CELL_TEXT], double *number);

/* The statistics of the point; they live as long as it is open. */
struct fault columns_figures(struct columns *columns, const struct figures **figures);

/* The name that a statistic has among `names`, ours or gem5's; it lives as long as alias. NULL: there is none. */
const char *columns_statistic(const json_t *names, const char *name, char alias[ALIAS_BYTES]);

/* The shortest text that reads back as the same number. */
void columns_number_text(double number, char text[CELL_TEXT]);

#endif
