#include "cli/sweep/search_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep/results_print.h"

struct asked_point {
    struct columns columns;
};

/* ---- names */

/* Statistics have no list; all of ours and gem5's begin so. */
static bool may_be_statistic(const char *name)
{
    return strncmp(name, "system.", 7) == 0 || strncmp(name, "sim", 3) == 0 || strncmp(name, "host", 4) == 0;
}

static struct fault judge_find(void *self, const char *name, const char *where, struct quantity *value)
{
    struct asked_point *const point = self;
    char text[CELL_TEXT];
    enum cell_kind kind;
    double number;
    struct fault const fault = columns_find(&point->columns, name, where, &kind, text, &number);

    if (fault.kind == FAULT_INPUT && may_be_statistic(name)) {
        *value = quantity_of("");
        return fault_none();
    }
    if (fault.kind != FAULT_NONE)
        return fault;
    *value = cell_is_number(kind) ? quantity_number(number) : quantity_of(text);
    return fault_none();
}

/* Names, as far as they are known before a point has run: of keys, axes and metrics. */
static struct fault check_names(struct judge *judge)
{
    struct results_row const none = {.number = 0, .hash = "", .system = "", .traces = "", .state = "to do"};
    struct asked_point point;
    struct condition_names const names = {.find = judge_find, .self = &point};
    struct quantity value;
    struct fault fault = fault_none();
    bool holds;

    columns_open(&point.columns, &none, NULL, 0);
    point.columns.is_typed = true;
    for (size_t i = 0; fault.kind == FAULT_NONE && i < judge->request->objective_count; i++)
        fault = judge_find(&point, judge->objectives[i].name, "--objective", &value);
    for (size_t i = 0; fault.kind == FAULT_NONE && i < judge->request->condition_count; i++)
        fault = condition_holds(judge->conditions[i], &names, &holds);
    columns_close(&point.columns);
    return fault;
}

/* "NAME", whose metric says which way is better; "min:NAME", "max:NAME". */
static struct fault read_objective(struct judge *judge, size_t number, const char *text)
{
    struct judged_objective *const made = &judge->objectives[number];
    bool const is_said = strncmp(text, "min:", 4) == 0 || strncmp(text, "max:", 4) == 0;

    made->name = is_said ? text + 4 : text;

    struct metric const *const metric = metrics_find(made->name);

    made->is_higher = is_said ? text[1] == 'a' : metric && metric->better == METRIC_HIGHER;
    if (*made->name == '\0')
        return fault_make(FAULT_INPUT, "--objective %s: expected a metric, such as time_ms or max:ipc", text);
    if (!is_said && metric && metric->better == METRIC_NEITHER)
        return fault_make(FAULT_INPUT, "--objective %s: neither way is better by itself; give min:%s or max:%s", text,
                          text, text);
    for (size_t i = 0; i < number; i++)
        if (strcmp(judge->objectives[i].name, made->name) == 0)
            return fault_make(FAULT_INPUT, "--objective %s: given twice; give each objective once", made->name);
    return fault_none();
}

struct fault judge_open(struct judge *judge, const struct search_request *request, const struct spec *spec)
{
    *judge = (struct judge){.request = request, .spec = spec};
    judge->is_worst = request->across && strcmp(request->across, "worst") == 0;
    judge->references = calloc(spec->workload_count * SEARCH_MAX_OBJECTIVES + 1, sizeof *judge->references);
    if (!judge->references)
        return fault_make(FAULT_MEMORY, "out of memory");
    for (size_t i = 0; i < request->objective_count; i++)
        FORWARD(read_objective(judge, i, request->objectives[i]));
    for (size_t i = 0; i < request->condition_count; i++) {
        struct condition *parsed;

        FORWARD(condition_parse(&parsed, &judge->arena, request->conditions[i], "--subject-to"));
        judge->conditions[i] = parsed;
    }
    return check_names(judge);
}

void judge_close(struct judge *judge)
{
    free(judge->references);
    arena_free(&judge->arena);
}

/* ---- points */
struct reading {
    struct judge *judge;
    const char *const *axes;
    size_t axis_count, first;            /* design */
    double *values;                      /* of each point from that on, and each objective */
    struct search_answer *answers;
    struct fault fault;
};

static struct fault see_objective(struct judge *judge, struct columns *columns, size_t objective, double *value)
{
    struct judged_objective *const asked = &judge->objectives[objective];
    char text[CELL_TEXT];
    enum cell_kind kind;
    double number = NAN;

    FORWARD(columns_find(columns, asked->name, "--objective", &kind, text, &number));
    if (kind == CELL_WORD)
        return fault_make(FAULT_INPUT, "--objective %s: is a word (%.80s), not a number; give a metric, as `rubato "
                          "results --metrics` lists them", asked->name, text);
    *value = cell_is_number(kind) ? number : NAN;
    asked->was_seen |= isfinite(*value);
    return fault_none();
}

static struct fault see_point(struct reading *reading, const struct results_row *row, size_t place)
{
    struct judge *const judge = reading->judge;
    struct asked_point point;
    struct condition_names const names = {.find = judge_find, .self = &point};
    struct search_answer *const answer = &reading->answers[place / judge->spec->workload_count];
    struct fault fault = fault_none();
    bool holds = true;

    columns_open(&point.columns, row, reading->axes, reading->axis_count);
    point.columns.is_typed = true;
    for (size_t m = 0; fault.kind == FAULT_NONE && m < judge->request->objective_count; m++)
        fault = see_objective(judge, &point.columns, m,
                              &reading->values[place * judge->request->objective_count + m]);
    for (size_t i = 0; fault.kind == FAULT_NONE && holds && i < judge->request->condition_count; i++)
        fault = condition_holds(judge->conditions[i], &names, &holds);
    answer->is_feasible &= holds;
    columns_close(&point.columns);
    return fault;
}

static bool see_judged_row(void *self, const struct results_row *row)
{
    struct reading *const reading = self;
    size_t const skipped = reading->first * reading->judge->spec->workload_count;

    if (row->number <= skipped)
        return true;
    if (strcmp(row->state, "done") == 0)
        reading->fault = see_point(reading, row, (size_t)row->number - 1 - skipped);
    else if (row->error && !*reading->judge->failure)
        snprintf(reading->judge->failure, sizeof reading->judge->failure, "point %zu failed: %.400s",
                 (size_t)row->number, row->error);
    return reading->fault.kind == FAULT_NONE;
}

/* ---- designs */
static bool has_all(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* Geometric; 0 if one is 0, and nothing if one is below. */
static double mean_of(const double *values, size_t count, size_t step)
{
    double sum = 0, least = INFINITY;

    for (size_t i = 0; i < count; i++)
        least = fmin(least, values[i * step]);
    if (least <= 0)
        return least == 0 ? 0 : NAN;
    for (size_t i = 0; i < count; i++)
        sum += log(values[i * step]);
    return exp(sum / (double)count);
}

static double worst_of(const struct judge *judge, const double *values, size_t objective)
{
    size_t const step = judge->request->objective_count;
    bool const is_higher = judge->objectives[objective].is_higher;
    double worst = is_higher ? INFINITY : -INFINITY;

    for (size_t i = 0; i < judge->spec->workload_count; i++) {
        double const ratio = values[i * step + objective] / judge->references[i * step + objective];

        worst = is_higher ? fmin(worst, ratio) : fmax(worst, ratio);
    }
    return worst;
}

static void judge_design(struct judge *judge, const double *values, struct search_answer *answer)
{
    size_t const workloads = judge->spec->workload_count, objectives = judge->request->objective_count;
    bool const is_whole = has_all(values, workloads * objectives);

    if (is_whole && !judge->has_references) {
        memcpy(judge->references, values, workloads * objectives * sizeof *values);
        judge->has_references = true;
    }
    for (size_t m = 0; m < objectives; m++) {
        double const value = !is_whole        ? NAN
                             : workloads == 1 ? values[m]
                             : judge->is_worst ? worst_of(judge, values, m)
                                               : mean_of(values + m, workloads, objectives);

        answer->objectives[m] = judge->objectives[m].is_higher ? -value : value;
    }
}

double judge_shown(const struct judge *judge, size_t objective, double value)
{
    return judge->objectives[objective].is_higher ? -value : value;
}

/* An objective that no point has, though points ran. */
static struct fault check_seen(const struct judge *judge, const struct results *results)
{
    (void)results;
    for (size_t m = 0; m < judge->request->objective_count; m++)
        if (!judge->objectives[m].was_seen && !*judge->failure)
            return fault_make(FAULT_INPUT, "--objective %s: no point has it; %s", judge->objectives[m].name,
                              strcmp(judge->objectives[m].name, "cost") == 0
                              ? "add cost: to the sweep's file"
                              : "`rubato results --metrics` says what each is made of; the points that ran are kept");
    return fault_none();
}

struct fault judge_answers(struct judge *judge, struct results *results, const struct plan *plan, size_t first,
                           struct search_answer *answers)
{
    size_t const workloads = judge->spec->workload_count, objectives = judge->request->objective_count;
    size_t const count = plan->count / workloads - first, cells = count * workloads * objectives;
    struct reading reading = {.judge = judge, .first = first, .answers = answers, .fault = fault_none()};
    struct fault fault;

    reading.axes = results_axes(results, &reading.axis_count);
    reading.values = malloc((cells + 1) * sizeof *reading.values);
    if (!reading.values)
        return fault_make(FAULT_MEMORY, "out of memory");
    for (size_t i = 0; i < cells; i++)
        reading.values[i] = NAN;
    for (size_t i = 0; i < count; i++)
        answers[i] = (struct search_answer){.is_feasible = true};
    fault = results_read(results, see_judged_row, &reading);
    if (fault.kind == FAULT_NONE)
        fault = reading.fault;
    for (size_t i = 0; i < count; i++)
        judge_design(judge, reading.values + i * workloads * objectives, &answers[i]);
    free(reading.values);
    return fault.kind == FAULT_NONE ? check_seen(judge, results) : fault;
}
