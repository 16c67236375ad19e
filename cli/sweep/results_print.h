/* Points as they are printed: a table for people, TSV, CSV, JSON, or Parquet.
 *
 * Errors: those of the file itself are ferror's. */
#ifndef CLI_SWEEP_RESULTS_PRINT_H
#define CLI_SWEEP_RESULTS_PRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/fault.h"
#include "cli/common/table.h"
#include "replay/metrics/metrics.h"
#include "sweep/plan/spec.h"
#include "sweep/results/results.h"

/* Columns of `rubato results`: the value of a point that a name denotes.
 *
 * In this order: point, hash, system, traces, state, error, time_ms, wall_s, cpu_s; a key of an axis; a statistic; a
 * metric (replay/metrics/metrics.h); bound, its bottleneck (verdict.h); speedup; any other key of the
 * configuration, whose value is that of the effective system. Of a kernel also kernel.NAME, before statistics.
 *
 * Use: columns_open a row, columns_find as often as wanted, columns_close. Ownership: borrows the row. */

struct system_config;

/* Of `--kernels`, behind the point's: for other programs, for people. */
#define RESULTS_KERNEL_COLUMNS                                                                                        \
    "kernel.number", "kernel.name", "kernel.stream_id", "kernel.grid", "kernel.block", "kernel.launch_ps",            \
    "kernel.start_ps", "kernel.end_ps", "kernel.cycles", "kernel.warp_insts", "kernel.thread_insts", "kernel.ipc",    \
    "kernel.thread_ipc", "kernel.l1_hit_rate", "kernel.l1_write_hit_rate", "kernel.l2_hit_rate",                      \
    "kernel.l2_write_hit_rate", "kernel.sectors_per_request", "kernel.l2_bytes", "kernel.l2_gb_s",                    \
    "kernel.l2_of_peak", "kernel.dram_bytes", "kernel.dram_gb_s", "kernel.dram_of_peak", "kernel.memory_latency_ns",  \
    "kernel.occupancy", "kernel.blocks_per_sm", "kernel.limit", "kernel.bound"
#define RESULTS_KERNEL_FEW                                                                                            \
    "kernel.number", "kernel.name", "kernel.cycles", "kernel.ipc", "kernel.l1_hit_rate", "kernel.l2_hit_rate",        \
    "kernel.sectors_per_request", "kernel.l2_bytes", "kernel.l2_of_peak", "kernel.dram_bytes", "kernel.dram_of_peak", \
    "kernel.occupancy", "kernel.bound"

enum { CELL_TEXT = 1200 };

struct columns {
    const struct results_row *row;
    const char *const *axes;
    size_t axis_count;
    json_t *statistics;                  /* NULL: none */
    const json_t *kernel;                /* one of those of the statistics, whose figures are called kernel.NAME */
    struct figures figures;              /* of the statistics, once a metric was asked for */
    bool has_figures;
    bool lacks_memory;                   /* for the statistics: columns_find says so */
    double baseline_ps;                  /* time of the point that speedup is against; 0: none; NAN: not given */
    bool is_typed;                       /* all quantities are numbers: bytes, ps, bytes a second */
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

/* The name of a statistic among `names`, ours or gem5's, valid as long as alias; NULL if it is not among them. */
const char *columns_statistic(const json_t *names, const char *name, char alias[ALIAS_BYTES]);

/* The shortest text that reads back as the same number. */
void columns_number_text(double number, char text[CELL_TEXT]);

enum results_form { RESULTS_TABLE, RESULTS_TSV, RESULTS_CSV, RESULTS_JSON, RESULTS_PARQUET, RESULTS_FORM_COUNT };

/* Find a form by its name, or by a file's ending (that of "table" is "txt"). Return false if no form has it. */
bool results_form_of(const char *name, enum results_form *form);
bool results_form_of_file(const char *path, enum results_form *form);
/* TABLE_TEXT of Parquet, too, for what is no listing. */
enum table_form results_table_form(enum results_form form);
/* False: the name says that something else is in it, and that is printed. */
bool results_form_fits(enum results_form form, const char *path);

struct results_line {
    char **cells;                        /* as they are exported */
    enum cell_kind *kinds;
    double order;                        /* of --sort; NAN: last */
    const char *order_word;
    size_t place;
};

struct results_listing {
    const char *const *columns;
    size_t column_count;
    const char *const *axes;             /* a column of such a name is the axis, even if a metric has it too */
    size_t axis_count;
    const struct results_line *lines;
    size_t line_count;
};

/* False: out of memory. A column of Parquet is of whole numbers if all its cells are such and it is no metric that is
 * measured in a unit or divides; quantities of the system and metrics bring
 * their units. */
bool results_print(FILE *to, enum results_form form, const struct results_listing *listing);

/* What all points say, in sentences, of a figure that is better when it is lower. baseline: a point by its place;
 * SIZE_MAX: the first one. Returns the exit code, after printing the reason. */
int results_conclude(FILE *to, struct results *results, const char *path, const char *metric, size_t baseline);

/* Suggestions for a mistyped name or word of `rubato results`. */

/* The fault for a name that is no column: `other`, which is that of the keys of a system, or one that names a metric or
 * another column, if that is nearer. */
struct fault results_unknown_column(const struct columns *columns, const char *name, const char *where,
                                    const struct fault *other);

/* FAULT_INPUT: a condition compares the column system, traces or state with a word that no point has there. */
struct fault results_check_words(struct results *results, const struct condition *condition, const char *where);

#endif
