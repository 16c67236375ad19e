/* Registry and evaluation of statistics. The number formats follow the reference's stats.txt: which figures a vector
 * or a distribution has, in which order, when one is left out. Not done: attributes that nothing here uses (one-line
 * vectors, sparse histograms, prerequisites).
 *
 * Texts live in chunks that never move, so struct stat_entry may point into them. */
#include "memsys/sim/sim_statistics.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

#define CHUNK_BYTES 16384
#define NAME_BYTES 512

struct stats_chunk {
    struct stats_chunk *next;
    size_t used, size;
    max_align_t bytes[];
};

void stats_init(struct stats *stats)
{
    *stats = (struct stats){0};
}

void stats_free(struct stats *stats)
{
    while (stats->chunks) {
        struct stats_chunk *const chunk = stats->chunks;

        stats->chunks = chunk->next;
        free(chunk);
    }
    free(stats->stats);
    free(stats->hooks);
    *stats = (struct stats){0};
}

/* Makes room for one more element; sets out_of_memory and returns false on failure. */
static bool make_room(struct stats *stats, void *elements, size_t size, size_t count, size_t *capacity)
{
    bool const has_room = list_fit(elements, count + 1, capacity, size);

    stats->out_of_memory |= !has_room;
    return has_room;
}

static void *sim_statistics_keep(struct stats *stats, size_t size)
{
    size_t const rounded = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct stats_chunk *chunk = stats->chunks;

    if (chunk == NULL || chunk->size - chunk->used < rounded) {
        size_t const room = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;

        chunk = malloc(sizeof *chunk + room);
        if (chunk == NULL) {
            stats->out_of_memory = true;
            return NULL;
        }
        *chunk = (struct stats_chunk){.next = stats->chunks, .size = room};
        stats->chunks = chunk;
    }
    chunk->used += rounded;
    return (char *)chunk->bytes + chunk->used - rounded;
}

/* "group.name", or the name alone where there is no group. */
static const char *keep_name(struct stats *stats, const char *name)
{
    size_t const group = strlen(stats->group), size = strlen(name) + 1;
    char *const kept = sim_statistics_keep(stats, group + 1 + size);

    if (!kept)
        return "";
    memcpy(kept, stats->group, group);
    kept[group] = '.';
    memcpy(kept + (group ? group + 1 : 0), name, size);
    return kept;
}

const char **stats_name_array(struct stats *stats, size_t count)
{
    return sim_statistics_keep(stats, count * sizeof(const char *));
}

void stats_group(struct stats *stats, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(stats->group, sizeof stats->group, format, arguments);
    va_end(arguments);
}

void stats_call(struct stats *stats, const char *component, const char *called)
{
    snprintf(stats->component, sizeof stats->component, "%s", component);
    snprintf(stats->called, sizeof stats->called, "%s", called);
}

static const char *our_name(struct stats *stats, const char *name)
{
    size_t const length = strlen(stats->component), called = strlen(stats->called);
    char *kept;

    if (length == 0 || strncmp(name, stats->component, length) != 0 || name[length] != '.')
        return name;
    kept = sim_statistics_keep(stats, called + strlen(name + length) + 1);
    if (!kept)
        return "";
    memcpy(kept, stats->called, called);
    memcpy(kept + called, name + length, strlen(name + length) + 1);
    return kept;
}

void stats_call_parts(struct stats *stats, stats_part_caller *call_part, const void *context)
{
    stats->call_part = call_part;
    stats->call_context = context;
}

static const char *our_part(struct stats *stats, const char *name)
{
    char text[NAME_BYTES];
    char *kept;

    if (!stats->call_part(stats->call_context, name, text, sizeof text))
        return name;
    kept = sim_statistics_keep(stats, strlen(text) + 1);
    return kept ? strcpy(kept, text) : "";
}

static bool has_other_part(const struct stats *stats, const char *const *names, size_t count)
{
    char text[NAME_BYTES];

    for (size_t i = 0; i < count; i++)
        if (stats->call_part(stats->call_context, names[i], text, sizeof text))
            return true;
    return false;
}

static const char *const *our_parts(struct stats *stats, const char *const *names, size_t count)
{
    const char **ours;

    if (!names || !stats->call_part)
        return names;
    if (names == stats->parts && count <= stats->part_count)
        return stats->our_parts;
    if (!has_other_part(stats, names, count))
        return names;
    ours = stats_name_array(stats, count);
    for (size_t i = 0; ours && i < count; i++)
        ours[i] = our_part(stats, names[i]);
    stats->parts = names;
    stats->our_parts = ours;
    stats->part_count = ours ? count : 0;
    return ours;
}

void stats_add(struct stats *stats, const struct stat_entry *stat)
{
    assert(!stats->frozen && "statistics are added before stats_freeze");
    if (!make_room(stats, &stats->stats, sizeof *stats->stats, stats->count, &stats->capacity))
        return;
    stats->stats[stats->count] = *stat;
    stats->stats[stats->count].name = keep_name(stats, stat->name);
    stats->stats[stats->count].our_name = our_name(stats, stats->stats[stats->count].name);
    stats->stats[stats->count].our_row_names = our_parts(stats, stat->row_names, stat->rows);
    stats->stats[stats->count].our_column_names = our_parts(stats, stat->column_names, stat->columns);
    if (!stat->unit)
        stats->stats[stats->count].unit = "Count";
    if (stat->formula)
        stats->stats[stats->count].kind = STAT_FORMULA;
    stats->count++;
}

void stats_add_table(struct stats *stats, const struct stat_entry *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        stats_add(stats, &rows[i]);
}

static double constant(const void *context, uint64_t argument, uint32_t column, const struct stats_time *time)
{
    double value;

    (void)context;
    (void)column;
    (void)time;
    memcpy(&value, &argument, sizeof value);
    return value;
}

void stats_add_constant(struct stats *stats, const char *name, double value, const char *unit, const char *help)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    stats_add(stats, &(struct stat_entry){
        .name = name, .unit = unit, .help = help, .formula = constant, .argument = bits
    });
}

void stats_on_reset(struct stats *stats, void (*reset)(void *owner, uint64_t now_ps), void *owner)
{
    if (make_room(stats, &stats->hooks, sizeof *stats->hooks, stats->hook_count, &stats->hook_capacity))
        stats->hooks[stats->hook_count++] = (struct stat_reset_hook){reset, owner};
}

static void count_leaf(void *context, const struct stat_leaf *leaf)
{
    size_t *const count = context;

    (void)leaf;
    (*count)++;
}

struct fault stats_freeze(struct stats *stats)
{
    if (stats->out_of_memory)
        return fault_make(FAULT_MEMORY, "out of memory for the names of statistics");
    stats->frozen = true;
    return fault_none();
}

/* Counted on request: most runs only need the figures. */
size_t stats_record_size(const struct stats *stats)
{
    size_t count = 0;

    assert(stats->frozen);
    stats_visit(stats, stats->reset_ps, STATS_ALL, count_leaf, &count);
    return count;
}

void stats_reset(struct stats *stats, uint64_t now_ps)
{
    stats->reset_ps = now_ps;
    for (size_t i = 0; i < stats->hook_count; i++)
        stats->hooks[i].reset(stats->hooks[i].owner, now_ps);
}

/* ---- visiting: one function for each shape of statistic */

enum { NAMES_OF_REFERENCE, NAMES_OF_OURS, NAMES_COUNT };

/* A figure of a statistic whose figures are kept. */
struct kept_figure {
    const char *parts[NAMES_COUNT];      /* the parts behind the statistic's name */
    double value, share, cumulated;
};

struct kept_figures {
    size_t count;
    bool is_empty;                       /* a distribution without samples */
    struct kept_figure figures[];
};

struct visitor {
    void (*visit)(void *context, const struct stat_leaf *leaf);
    void *context;
    struct stats_time time;
    enum stats_selection selection;
    bool keeps_all;                      /* ignores the flags that leave out */
    const struct stat_entry *stat;
    const char *stat_name;               /* by the names requested */
    double share, cumulated;             /* of the next leaf */
    char name[NAME_BYTES];
};

static void emit(struct visitor *visitor, double value)
{
    const struct stat_entry *const stat = visitor->stat;
    struct stat_leaf const leaf = {
        .stat = stat, .name = visitor->name, .value = value, .share = visitor->share, .cumulated = visitor->cumulated,
        .precision = stat->precision
    };

    if (!visitor->keeps_all && (((stat->flags & STAT_NO_ZERO) && value == 0) ||
                                ((stat->flags & STAT_NO_NAN) && isnan(value))))
        return;
    visitor->visit(visitor->context, &leaf);
}

/* Figure `name::part`. */
static void emit_part(struct visitor *visitor, const char *name, const char *part, double value)
{
    snprintf(visitor->name, sizeof visitor->name, "%s::%s", name, part);
    emit(visitor, value);
}

static uint64_t counter(const struct stat_entry *stat, uint32_t row, uint32_t column)
{
    size_t const column_bytes = stat->column_bytes ? stat->column_bytes : sizeof(uint64_t);
    size_t const row_bytes = stat->row_bytes ? stat->row_bytes : stat->columns * column_bytes;

    return *(const uint64_t *)(const void *)((const char *)stat->source + row * row_bytes + column * column_bytes);
}

static double figure(const struct visitor *visitor, uint32_t row, uint32_t column)
{
    const struct stat_entry *const stat = visitor->stat;
    uint64_t total = 0;

    if (stat->kind == STAT_FORMULA)
        return stat->formula(stat->source, stat->argument, column, &visitor->time);
    if (column != STAT_TOTAL)
        return (double)counter(stat, row, column);
    for (uint32_t i = 0; i < stat->columns; i++)
        total += counter(stat, row, i);
    return (double)total;
}

static const char *column_name(const struct visitor *visitor, uint32_t column, char *digits, size_t size)
{
    const struct stat_entry *const stat = visitor->stat;

    if (stat->column_names)
        return (visitor->selection == STATS_SHOWN ? stat->column_names : stat->our_column_names)[column];
    snprintf(digits, size, "%" PRIu32, column);
    return digits;
}

static void visit_vector(struct visitor *visitor, const char *name, uint32_t row)
{
    const struct stat_entry *const stat = visitor->stat;

    for (uint32_t i = 0; i < stat->columns; i++) {
        char digits[16];
        const char *const part = column_name(visitor, i, digits, sizeof digits);

        if (part[0])
            emit_part(visitor, name, part, figure(visitor, row, i));
    }
    if ((stat->flags & STAT_WITH_TOTAL) && stat->columns > 1)
        emit_part(visitor, name, "total", figure(visitor, row, STAT_TOTAL));
}

/* Rows are called "name_row::column"; the total of all rows is left out if there is only one. */
static void visit_matrix(struct visitor *visitor)
{
    const struct stat_entry *const stat = visitor->stat;
    const char *const *const names = visitor->selection == STATS_SHOWN ? stat->row_names : stat->our_row_names;
    double total = 0;

    for (uint32_t row = 0; row < stat->rows; row++) {
        char name[NAME_BYTES];

        snprintf(name, sizeof name, "%s_%s", visitor->stat_name, names[row]);
        visit_vector(visitor, name, row);
        total += figure(visitor, row, STAT_TOTAL);
    }
    if ((stat->flags & STAT_WITH_TOTAL) && stat->rows > 1)
        emit_part(visitor, visitor->stat_name, "total", total);
}

static double mean(const struct sample_sums *sums)
{
    return sums->samples ? (double)sums->sum / (double)sums->samples : NAN;
}

/* Of the sample, so 0/0 for a single one. */
static double deviation(const struct sample_sums *sums)
{
    double const samples = (double)sums->samples, sum = (double)sums->sum;

    if (sums->samples == 0)
        return NAN;
    return sqrt((samples * (double)sums->squares - sum * sum) / (samples * (samples - 1.0)));
}

static void emit_bin(struct visitor *visitor, const char *part, uint64_t count, uint64_t total)
{
    if (total) {
        visitor->share = (double)count / (double)total;
        visitor->cumulated = isnan(visitor->cumulated) ? visitor->share : visitor->cumulated + visitor->share;
    }
    emit_part(visitor, visitor->stat_name, part, (double)count);
}

static void end_bins(struct visitor *visitor)
{
    visitor->share = visitor->cumulated = NAN;
}

static bool is_empty_and_hidden(const struct visitor *visitor, const struct sample_sums *sums)
{
    return !visitor->keeps_all && (visitor->stat->flags & STAT_NO_ZERO) && sums->samples == 0;
}

static void visit_distribution(struct visitor *visitor)
{
    const struct stat_entry *const stat = visitor->stat;
    uint64_t const *const counts = stat->source;
    struct sample_sums sums = {0};
    uint32_t smallest = 0, largest = 0;

    for (uint32_t value = stat->columns; value-- > 0;) {
        if (counts[value] == 0)
            continue;
        largest = sums.samples ? largest : value;
        smallest = value;
        sums.samples += counts[value];
        sums.sum += counts[value] * value;
        sums.squares += counts[value] * value * value;
    }
    if (is_empty_and_hidden(visitor, &sums))
        return;
    emit_part(visitor, visitor->stat_name, "samples", (double)sums.samples);
    emit_part(visitor, visitor->stat_name, "mean", mean(&sums));
    emit_part(visitor, visitor->stat_name, "stdev", deviation(&sums));
    emit_bin(visitor, "underflows", 0, sums.samples);
    for (uint32_t value = 0; value < stat->columns; value++) {
        char part[16];

        snprintf(part, sizeof part, "%" PRIu32, value);
        emit_bin(visitor, part, counts[value], sums.samples);
    }
    emit_bin(visitor, "overflows", 0, sums.samples);
    end_bins(visitor);
    emit_part(visitor, visitor->stat_name, "min_value", smallest);
    emit_part(visitor, visitor->stat_name, "max_value", largest);
    emit_part(visitor, visitor->stat_name, "total", (double)sums.samples);
}

static void visit_histogram(struct visitor *visitor)
{
    const char *const name = visitor->stat_name;
    const struct histogram *const histogram = visitor->stat->source;
    const struct sample_sums *const sums = &histogram->sums;

    if (is_empty_and_hidden(visitor, sums))
        return;
    emit_part(visitor, name, "samples", (double)sums->samples);
    emit_part(visitor, name, "mean", mean(sums));
    emit_part(visitor, name, "gmean", sums->samples ? exp(histogram->log_sum / (double)sums->samples) : NAN);
    emit_part(visitor, name, "stdev", deviation(sums));
    for (uint32_t i = 0; i < histogram->bin_count; i++) {
        char part[48];
        uint64_t const low = i * histogram->bin_width;

        if (histogram->bin_width == 1)
            snprintf(part, sizeof part, "%" PRIu64, low);
        else
            snprintf(part, sizeof part, "%" PRIu64 "-%" PRIu64, low, low + histogram->bin_width - 1);
        emit_bin(visitor, part, histogram->bins[i], sums->samples);
    }
    end_bins(visitor);
    emit_part(visitor, name, "total", (double)sums->samples);
}

/* The reference counts the current tick too: a level that was just set weighs one tick. */
static double average_level(const struct visitor *visitor)
{
    const struct occupancy *const level = visitor->stat->source;

    return (double)(occupancy_area(level, visitor->time.now_ps) + level->level)
           / (double)(visitor->time.now_ps - level->start_ps + 1);
}

static void visit_scalar(struct visitor *visitor)
{
    const struct stat_entry *const stat = visitor->stat;

    snprintf(visitor->name, sizeof visitor->name, "%s", visitor->stat_name);
    if (stat->kind == STAT_LEVEL)
        emit(visitor, average_level(visitor));
    else
        emit(visitor, figure(visitor, 0, 0));
}

static void visit_kept(struct visitor *visitor)
{
    const struct kept_figures *const kept = visitor->stat->kept;
    int const names = visitor->selection == STATS_SHOWN ? NAMES_OF_REFERENCE : NAMES_OF_OURS;

    if (!visitor->keeps_all && kept->is_empty && (visitor->stat->flags & STAT_NO_ZERO))
        return;
    for (size_t i = 0; i < kept->count; i++) {
        const struct kept_figure *const figure_kept = &kept->figures[i];

        visitor->share = figure_kept->share;
        visitor->cumulated = figure_kept->cumulated;
        snprintf(visitor->name, sizeof visitor->name, "%s%s", visitor->stat_name, figure_kept->parts[names]);
        emit(visitor, figure_kept->value);
    }
    visitor->share = visitor->cumulated = NAN;
}

static void visit_stat(struct visitor *visitor)
{
    const struct stat_entry *const stat = visitor->stat;

    if (stat->kept)
        visit_kept(visitor);
    else if (stat->kind == STAT_DISTRIBUTION)
        visit_distribution(visitor);
    else if (stat->kind == STAT_HISTOGRAM)
        visit_histogram(visitor);
    else if (stat->rows)
        visit_matrix(visitor);
    else if (stat->columns > 1)
        visit_vector(visitor, visitor->stat_name, 0);
    else
        visit_scalar(visitor);               /* the reference names a vector of one like a single number */
}

/* wants NULL: all. */
static void visit_all(const struct stats *stats, struct visitor visitor,
                      bool (*wants)(const void *wanted, const char *name), const void *wanted)
{
    visitor.share = visitor.cumulated = NAN;
    visitor.keeps_all = visitor.selection == STATS_ALL;
    for (size_t i = 0; i < stats->count; i++) {
        visitor.stat = &stats->stats[i];
        visitor.stat_name = visitor.selection == STATS_SHOWN ? visitor.stat->name : visitor.stat->our_name;
        if ((visitor.selection != STATS_SHOWN || !(visitor.stat->flags & STAT_OURS))
            && (!wants || wants(wanted, visitor.stat->name)))
            visit_stat(&visitor);
    }
}

void stats_visit(const struct stats *stats, uint64_t now_ps, enum stats_selection selection,
                 void (*visit)(void *context, const struct stat_leaf *leaf), void *context)
{
    visit_all(stats, (struct visitor){
        .visit = visit, .context = context, .time = {now_ps, stats->reset_ps}, .selection = selection
    }, NULL, NULL);
}

void stats_visit_wanted(const struct stats *stats, uint64_t now_ps,
                        bool (*wants)(const void *wanted, const char *name), const void *wanted,
                        void (*visit)(void *context, const struct stat_leaf *leaf), void *context)
{
    visit_all(stats, (struct visitor){
        .visit = visit, .context = context, .time = {now_ps, stats->reset_ps}, .selection = STATS_SHOWN_AND_OURS
    }, wants, wanted);
}

/* ---- keeping */

struct keeper {
    struct stats *stats;
    struct kept_figures *kept;           /* NULL: they are counted */
    const struct visitor *visitor;
    int names;
    size_t count;
    bool lacks_memory;
};

static void keep_leaf(void *context, const struct stat_leaf *leaf)
{
    struct keeper *const keeper = context;
    const char *const part = leaf->name + strlen(keeper->visitor->stat_name);
    struct kept_figure *figure_kept;
    char *copy;

    if (!keeper->kept) {
        keeper->count++;
        return;
    }
    figure_kept = &keeper->kept->figures[keeper->count++];
    copy = sim_statistics_keep(keeper->stats, strlen(part) + 1);
    keeper->lacks_memory |= !copy;
    figure_kept->parts[keeper->names] = copy ? strcpy(copy, part) : "";
    figure_kept->value = leaf->value;
    figure_kept->share = leaf->share;
    figure_kept->cumulated = leaf->cumulated;
}

static bool has_no_sample(const struct stat_entry *stat)
{
    uint64_t samples = 0;

    if (stat->kind == STAT_HISTOGRAM)
        return ((const struct histogram *)stat->source)->sums.samples == 0;
    for (uint32_t i = 0; stat->kind == STAT_DISTRIBUTION && i < stat->columns; i++)
        samples += ((const uint64_t *)stat->source)[i];
    return stat->kind == STAT_DISTRIBUTION && samples == 0;
}

static bool keep_stat(struct stats *stats, struct stat_entry *stat, uint64_t now_ps)
{
    struct keeper keeper = {.stats = stats};
    struct visitor visitor = {.visit = keep_leaf, .context = &keeper, .time = {now_ps, stats->reset_ps},
                              .keeps_all = true, .stat = stat, .share = NAN, .cumulated = NAN};

    keeper.visitor = &visitor;
    visitor.selection = STATS_ALL;
    visitor.stat_name = stat->our_name;
    visit_stat(&visitor);
    keeper.kept = sim_statistics_keep(stats, sizeof *keeper.kept + keeper.count * sizeof *keeper.kept->figures);
    if (!keeper.kept)
        return false;
    keeper.kept->count = keeper.count;
    keeper.kept->is_empty = has_no_sample(stat);
    for (keeper.names = 0; keeper.names < NAMES_COUNT; keeper.names++) {
        keeper.count = 0;
        visitor.selection = keeper.names == NAMES_OF_OURS ? STATS_ALL : STATS_SHOWN;
        visitor.stat_name = keeper.names == NAMES_OF_OURS ? stat->our_name : stat->name;
        visit_stat(&visitor);
    }
    stat->kept = keeper.kept;
    return !keeper.lacks_memory;
}

bool stats_keep(struct stats *stats, uint64_t now_ps, bool (*wants)(const void *wanted, const char *our_name),
                const void *wanted)
{
    bool is_well = true;

    assert(stats->frozen);
    for (size_t i = 0; i < stats->count && is_well; i++)
        if (!stats->stats[i].kept && wants(wanted, stats->stats[i].our_name))
            is_well = keep_stat(stats, &stats->stats[i], now_ps);
    return is_well;
}

char *stats_format_value(char *text, size_t size, double value, int precision)
{
    if (isnan(value))
        snprintf(text, size, "nan");
    else if (precision != STAT_PRECISION_AUTO)
        snprintf(text, size, "%.*f", precision == STAT_NO_DECIMALS ? 0 : precision, value);
    else
        snprintf(text, size, "%.*f", value == rint(value) ? 0 : 6, value);
    return text;
}
