/* The parts of the CPI stack add up to the CPI, so their differences add up to its difference: sorted by size they
 * explain it. Likewise the parts of a GPU's scheduler cycles. Other metrics follow by how many times they differ. */
#include "cli/sweep/diff_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "cli/common/progress.h"
#include "cli/common/shown.h"
#include "cli/config/config_lines.h"
#include "cli/sweep/unasked.h"

enum { MOST_PARTS = 32, NAME_COLUMNS = 24 };

/* Statistics in gem5's layout have six decimals; smaller differences are ignored. Shares of less than LITTLE are
 * little, and so is as much of the larger one of two. Work that differs by less than SAME_WORK is the same. */
static double const ROUNDING = 1e-6, LITTLE = 0.01, SAME_WORK = 0.01;
/* Differences that a sample does not tell from none come behind the others. */
static double const HIDDEN = 1e-12;

struct change {
    char name[METRIC_NAME];
    const struct metric *metric;
    double values[2], weight;            /* sorted by weight, falling */
    double half;                         /* of the difference; 0: exact; NAN: not known */
};

/* ---- samples */
static struct pairs_difference difference_of(const struct diff_side sides[2], const char *name)
{
    return sample_difference(sides[0].sample, sides[1].sample, name, metrics_value(&sides[0].figures, name),
                             metrics_value(&sides[1].figures, name));
}

static bool is_sampled(const struct diff_side sides[2])
{
    return sides[0].sample || sides[1].sample;
}

static double confidence_of(const struct diff_side sides[2])
{
    return fmax(sides[0].sample ? sides[0].sample->confidence : 0, sides[1].sample ? sides[1].sample->confidence : 0);
}

/* "not different at 95 %" */
static void put_no_difference(FILE *to, const struct diff_side sides[2])
{
    fprintf(to, "not different at %g %%", confidence_of(sides));
}

/* Where regions hide a difference. */
static bool is_hidden(const struct change *change)
{
    return change->half != 0 && !isnan(change->half)
           && !pairs_differ((struct pairs_difference){change->values[1] - change->values[0], change->half});
}

static void print_samples(FILE *to, const struct diff_side sides[2])
{
    const struct sample *const a = sides[0].sample, *const b = sides[1].sample;

    for (int i = 0; i < 2; i++)
        if (sides[i].sample)
            fprintf(to, "%c is estimated from %zu regions%s%s\n", 'A' + i, sides[i].sample->count,
                    sides[i].sample->dominated ? "; no further ones were run: "
                    : isnan(sample_half(sides[i].sample, "time_ms")) ? ", with an error that is not known" : "",
                    sides[i].sample->dominated ? sides[i].sample->dominated : "");
    if (a && b && strcmp(a->set, b->set) != 0)
        fprintf(to, "not the same regions: differences are less certain than those of regions in pairs\n");
}

static int by_weight(const void *one, const void *other)
{
    struct change const *const a = one, *const b = other;

    return a->weight > b->weight ? -1 : a->weight < b->weight ? 1 : strcmp(a->name, b->name);
}

/* ---- times */
static void print_time(FILE *to, const struct diff_side sides[2])
{
    double const a = metrics_value(&sides[0].figures, "time_ms"), b = metrics_value(&sides[1].figures, "time_ms");
    struct pairs_difference const difference = difference_of(sides, "time_ms");

    fprintf(to, "%-*s %14.6f %14.6f  %+.1f %%", NAME_COLUMNS, "time_ms", a, b, 100 * (b - a) / a);
    if (is_sampled(sides) && !isnan(difference.half))
        fprintf(to, " ± %.1f %%", 100 * difference.half / a);
    if (!is_sampled(sides) || isnan(difference.half) || pairs_differ(difference)) {
        fprintf(to, ", %c is %.3f times as fast\n", a < b ? 'A' : 'B', a < b ? b / a : a / b);
        return;
    }
    fputs(", ", to);
    put_no_difference(to, sides);
    fputc('\n', to);
}

/* Stacks of runs that did not do the same explain nothing of their times. */
static void print_work(FILE *to, const struct diff_side sides[2])
{
    static const struct { const char *name, *what; } works[] = {
        {"instructions", "instructions"}, {"gpu.warp_insts", "warp instructions"}
    };
    int const cores[] = {figures_instances(&sides[0].figures, "cpu"), figures_instances(&sides[1].figures, "cpu")};

    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        double const a = metrics_value(&sides[0].figures, works[i].name);
        double const b = metrics_value(&sides[1].figures, works[i].name);

        if (fabs(b - a) > SAME_WORK * fmax(a, b))
            fprintf(to, "not the same work: A has %.0f %s, B %.0f\n", a, works[i].what, b);
    }
    if (cores[0] != cores[1])
        fprintf(to, "not the same cores: A has %d, B %d\n", cores[0], cores[1]);
    if (isfinite(metrics_value(&sides[0].figures, "stall.working"))
        != isfinite(metrics_value(&sides[1].figures, "stall.working")) && cores[0] > 0 && cores[1] > 0)
        fprintf(to, "not the same model of cores: the parts of their CPI are others\n");
}

static void print_bounds(FILE *to, const struct diff_side sides[2])
{
    for (int i = 0; i < 2; i++) {
        if (sides[i].verdict.cores.count > 0)
            fprintf(to, "%c is bound by  %s\n", 'A' + i, sides[i].verdict.cores.text);
        if (sides[i].verdict.gpu.count > 0)
            fprintf(to, "%c's GPU is bound by  %s\n", 'A' + i, sides[i].verdict.gpu.text);
    }
}

/* ---- the explanation */
struct stack {
    const struct diff_side *sides;
    const char *whole;                   /* cpi: parts are shares of it */
    const char *prefix;                  /* of the parts' names */
    struct change parts[MOST_PARTS];
    size_t count;
};

static void diff_print_add_part(void *context, const char *name, const struct metric *metric)
{
    struct stack *const stack = context;
    struct change *const part = &stack->parts[stack->count];

    if (strncmp(name, stack->prefix, strlen(stack->prefix)) != 0 || stack->count == MOST_PARTS)
        return;
    *part = (struct change){.metric = metric};
    snprintf(part->name, sizeof part->name, "%s", name + strlen(stack->prefix));
    for (int i = 0; i < 2; i++)
        part->values[i] = metrics_value(&stack->sides[i].figures, name)
                          * metrics_value(&stack->sides[i].figures, stack->whole);
    part->weight = fabs(part->values[1] - part->values[0]);
    if (!isnan(part->weight))
        stack->count++;
}

static void print_stack(FILE *to, const struct diff_side sides[2], const char *title, const char *whole,
                        const char *prefix)
{
    struct stack stack = {.sides = sides, .whole = whole, .prefix = prefix};
    double const a = metrics_value(&sides[0].figures, whole), b = metrics_value(&sides[1].figures, whole);
    struct pairs_difference const difference = difference_of(sides, whole);
    bool const is_real = !is_sampled(sides) || isnan(difference.half) || pairs_differ(difference);

    metrics_names(diff_print_add_part, &stack);
    if (stack.count == 0 || isnan(a) || isnan(b))
        return;
    qsort(stack.parts, stack.count, sizeof *stack.parts, by_weight);
    fprintf(to, "\n%-*s %14s %14s %14s  %s\n", NAME_COLUMNS, title, "A", "B", "B - A",
            is_real ? "of the difference" : "");
    fprintf(to, "%-*s %14.4f %14.4f %+14.4f", NAME_COLUMNS, whole, a, b, b - a);
    if (!is_real) {
        fputs("  ", to);
        put_no_difference(to, sides);
    }
    fputc('\n', to);
    for (size_t i = 0; i < stack.count; i++) {
        struct change const *const part = &stack.parts[i];
        double const change = part->values[1] - part->values[0];

        fprintf(to, "  %-*s %14.4f %14.4f %+14.4f", NAME_COLUMNS - 2, part->name, part->values[0], part->values[1],
                change);
        if (fabs(b - a) > 1e-9 * fabs(a) && is_real)
            fprintf(to, "  %6.1f %%", fabs(change) < 0.0005 * fabs(b - a) ? 0.0 : 100 * change / (b - a));
        fputc('\n', to);
    }
}

/* ---- metrics */
struct metrics_list {
    const struct diff_side *sides;
    struct change *list;
    size_t count, room;
    bool has_all, has_parts, is_out_of_memory;   /* has_parts: also the time and the parts of stacks */
};

/* How many times they differ, as a logarithm; metrics of only one run are sorted first. From nothing to little is not
 * infinitely much. */
static double weight_of(const struct metric *metric, double a, double b)
{
    bool const is_share = strncmp(metric->unit, "of ", 3) == 0 || strcmp(metric->unit, "caches") == 0;
    double const least = is_share ? LITTLE : LITTLE * fmax(fabs(a), fabs(b));

    if (fabs(a - b) <= ROUNDING * fabs(a))
        return 0;
    if (isnan(a) || isnan(b))
        return 1e3;
    return fmax(fabs(log(fmax(b, least) / fmax(a, least))), ROUNDING);
}

static void add_metric(void *context, const char *name, const struct metric *metric)
{
    struct metrics_list *const list = context;
    double const a = metrics_value(&list->sides[0].figures, name), b = metrics_value(&list->sides[1].figures, name);
    bool const is_part = strncmp(name, "stall.", 6) == 0 || strncmp(name, "slots.", 6) == 0
                         || strncmp(name, "gpu.stall.", 10) == 0 || strcmp(name, "time_ms") == 0;

    /* the last level is one of the others */
    if (strncmp(name, "llc.", 4) == 0 && !list->has_all)
        return;
    if ((isnan(a) && isnan(b)) || (is_part && !list->has_parts) || (weight_of(metric, a, b) == 0 && !list->has_all))
        return;
    if (!list_fit(&list->list, list->count + 1, &list->room, sizeof *list->list)) {
        list->is_out_of_memory = true;
        return;
    }

    struct change *const change = &list->list[list->count++];

    *change = (struct change){.metric = metric, .values = {a, b}, .weight = weight_of(metric, a, b),
                              .half = is_sampled(list->sides) ? difference_of(list->sides, name).half : 0};
    snprintf(change->name, sizeof change->name, "%s", name);
    if (is_hidden(change))
        change->weight *= HIDDEN;
}

enum judgement { JUDGED_NEITHER, JUDGED_BETTER, JUDGED_WORSE };

static enum judgement judgement(const struct change *change)
{
    bool const is_lower = change->values[1] < change->values[0];

    if (change->metric->better == METRIC_NEITHER || change->weight == 0 || is_hidden(change) || isnan(change->values[0])
        || isnan(change->values[1]))
        return JUDGED_NEITHER;
    return is_lower == (change->metric->better == METRIC_LOWER) ? JUDGED_BETTER : JUDGED_WORSE;
}

static const char *const judgement_words[] = {"", "better", "worse"};

static void print_judgement(FILE *to, enum judgement judged)
{
    enum colour const colour = judged == JUDGED_BETTER ? COLOUR_GOOD : COLOUR_BAD;
    bool const is_coloured = judged != JUDGED_NEITHER;

    fprintf(to, "  %s%-6s%s", is_coloured ? colour_on(to, colour) : "", judgement_words[judged],
            is_coloured ? colour_off(to) : "");
}

static void print_value(FILE *to, double value)
{
    if (isnan(value))
        fprintf(to, " %14s", "-");
    else
        fprintf(to, " %14.6g", value);
}

static struct metrics_list list_metrics(const struct diff_side sides[2], bool has_all, bool has_parts)
{
    struct metrics_list list = {.sides = sides, .has_all = has_all, .has_parts = has_parts};

    metrics_names(add_metric, &list);
    if (list.count)
        qsort(list.list, list.count, sizeof *list.list, by_weight);
    return list;
}

static bool print_metrics(FILE *to, const struct diff_side sides[2], bool has_all)
{
    struct metrics_list const list = list_metrics(sides, has_all, false);

    for (size_t i = 0; i < list.count; i++) {
        struct change const *const change = &list.list[i];
        double const a = change->values[0], b = change->values[1];

        if (i == 0)
            fprintf(to, "\n%-*s %14s %14s %9s  %s\n", NAME_COLUMNS, "metric", "A", "B", "B / A", "");
        fprintf(to, "%-*s", NAME_COLUMNS, change->name);
        print_value(to, a);
        print_value(to, b);
        if (a > 0 && b > 0)
            fprintf(to, " %9.3f", b / a);
        else
            fprintf(to, " %9s", "-");
        print_judgement(to, judgement(change));
        fprintf(to, " %s", change->metric->unit);
        if (change->half != 0 && change->weight > 0 && is_hidden(change)) {
            fputs("  ", to);
            put_no_difference(to, sides);
        }
        fputc('\n', to);
    }
    free(list.list);
    return !list.is_out_of_memory;
}

/* ---- configuration */
struct settings_printer {
    FILE *to;
    size_t printed;
};

static void print_setting(void *context, const char *key, const char *a, const char *b)
{
    struct settings_printer *const printer = context;

    if (printer->printed++ == 0)
        fprintf(printer->to, "\n%-*s %20s %20s\n", NAME_COLUMNS + 6, "configuration", "A", "B");
    fprintf(printer->to, "%-*s", NAME_COLUMNS + 6, cli_shown(key));
    fprintf(printer->to, " %20s", a ? cli_shown(a) : "-");
    fprintf(printer->to, " %20s\n", b ? cli_shown(b) : "-");
}

/* Calls `see` for each key that differs or that only one side has, whose other value is NULL. False: out of memory. */
static bool visit_settings(const struct diff_side sides[2],
                           void (*see)(void *context, const char *key, const char *a, const char *b), void *context)
{
    struct config_lines a = {0}, b = {0};
    bool good;

    if (!sides[0].config || !sides[1].config)
        return true;
    good = config_lines_read(&a, sides[0].config) && config_lines_read(&b, sides[1].config);
    for (size_t i = 0; i < a.count; i++) {
        const char *const other = config_lines_find(&b, a.list[i].key);

        if (!other || strcmp(a.list[i].value, other) != 0)
            see(context, a.list[i].key, a.list[i].value, other);
    }
    for (size_t i = 0; i < b.count; i++)
        if (!config_lines_find(&a, b.list[i].key))
            see(context, b.list[i].key, NULL, b.list[i].value);
    config_lines_free(&a);
    config_lines_free(&b);
    return good;
}

static bool print_config(FILE *to, const struct diff_side sides[2])
{
    struct settings_printer printer = {.to = to};
    bool const good = visit_settings(sides, print_setting, &printer);

    if (printer.printed == 0 && sides[0].config && sides[1].config)
        fprintf(to, "\nconfiguration: the same\n");
    return good;
}

static bool print_doubt(FILE *to, const struct diff_request *request, const struct diff_side sides[2])
{
    struct unasked unasked = {0};
    char text[UNASKED_TEXT];
    bool good;

    for (int i = 0; i < 2; i++)
        for (size_t s = 0; s < request->setting_counts[i]; s++)
            unasked_ask(&unasked, request->settings[i][s]);
    for (int i = 0; i < 2; i++)
        for (size_t s = 0; s < sides[i].asked_count; s++)
            unasked_ask(&unasked, sides[i].asked[s]);
    for (int i = 0; i < 2; i++)
        unasked_add(&unasked, sides[i].config);
    unasked_text(&unasked, text);
    if (*text)
        fprintf(to, "doubtful       %s\n", text);
    good = !unasked.is_out_of_memory;
    unasked_free(&unasked);
    return good;
}

/* ---- for programs */
static struct table_column const columns[] = {
    {.name = "kind", .help = "metric, or configuration: a key of the system"}, {.name = "name"}, {.name = "unit"},
    {.name = "a", .data_digits = -12}, {.name = "b", .data_digits = -12}, {.name = "judgement", .help = "of B"},
    {.name = "half_width", .data_digits = -6, .help = "of the interval of B - A, of estimates from regions"}
};

struct diff_rows {
    const struct diff_request *request;
    const struct diff_side *sides;
    bool *is_out_of_memory;
};

static void put_setting(void *context, const char *key, const char *a, const char *b)
{
    const char *const cells[] = {"configuration", key, NULL, a, b, NULL};

    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        table_word(context, cells[i]);
    table_skip(context);
    table_end_row(context);
}

static void put_rows(const void *context, struct table_writer *writer)
{
    const struct diff_rows *const rows = context;
    struct metrics_list const list = list_metrics(rows->sides, rows->request->has_all, true);

    for (const struct change *change = list.list; change < list.list + list.count; change++) {
        enum judgement const judged = judgement(change);

        table_word(writer, "metric");
        table_word(writer, change->name);
        table_word(writer, *change->metric->unit ? change->metric->unit : NULL);
        table_real(writer, change->values[0]);
        table_real(writer, change->values[1]);
        table_word(writer, judged == JUDGED_NEITHER ? NULL : judgement_words[judged]);
        if (is_sampled(rows->sides))
            table_real(writer, change->half);
        else
            table_skip(writer);
        table_end_row(writer);
    }
    *rows->is_out_of_memory = list.is_out_of_memory || !visit_settings(rows->sides, put_setting, writer);
    free(list.list);
}

static bool print_for_programs(FILE *to, const struct diff_request *request, const struct diff_side sides[2])
{
    bool is_out_of_memory = false;
    struct diff_rows const rows = {request, sides, &is_out_of_memory};
    struct table const table = {
        .columns = columns, .count = sizeof columns / sizeof columns[0], .rows = put_rows, .context = &rows
    };

    return table_print(to, request->form, &table) && !is_out_of_memory;
}

/* ---- */
bool diff_print(FILE *to, const struct diff_request *request, const struct diff_side sides[2])
{
    bool good;

    if (request->form != TABLE_TEXT)
        return print_for_programs(to, request, sides);
    for (int i = 0; i < 2; i++)
        fprintf(to, "%c              %s\n", 'A' + i, cli_shown(request->sides[i]));
    print_samples(to, sides);
    print_bounds(to, sides);
    good = print_doubt(to, request, sides);
    fprintf(to, "\n%-*s %14s %14s\n", NAME_COLUMNS, "", "A", "B");
    print_time(to, sides);
    print_work(to, sides);
    print_stack(to, sides, "CPI stack", "cpi", "stall.");
    print_stack(to, sides, "commit slots as CPI", "cpi", "slots.");
    print_stack(to, sides, "GPU scheduler cycles", "gpu.scheduler_cycles", "gpu.stall.");
    good = print_config(to, sides) && good;
    return print_metrics(to, sides, request->has_all) && good;
}
