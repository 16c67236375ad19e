/* Formulas are evaluated from their text on request: a few dozen, once a run. */
#include "replay/metrics/metrics.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/metrics/metrics_table.h"

static const struct metric table[] = {
#define METRIC(name, unit, better, scope, formula, definition)                                                        \
    {name, unit, METRIC_##better, METRIC_##scope, formula, definition},
    METRICS(METRIC)
#undef METRIC
};
enum { TABLE_COUNT = sizeof table / sizeof *table };

/* Each level of caches, in the order of names; "llc" is the last level of the system. */
static const char *const levels[] = {"l1i", "l1d", "l2", "l3", "memcache", "llc"};
enum { LEVEL_COUNT = sizeof levels / sizeof *levels };

struct evaluation {
    const struct figures *figures;
    const char *level;                   /* of caches, the value of "$"; NULL: none */
    int instance;                        /* or FIGURES_ALL */
    const char *at;                      /* in the formula */
};

static double evaluate(const struct figures *figures, const char *formula, const char *level, int instance);

const struct metric *metrics_table(size_t *count)
{
    *count = TABLE_COUNT;
    return table;
}

/* ---- formulas */
static void skip_spaces(struct evaluation *evaluation)
{
    evaluation->at += strspn(evaluation->at, " ");
}

static bool metrics_take(struct evaluation *evaluation, char wanted)
{
    skip_spaces(evaluation);
    if (*evaluation->at != wanted)
        return false;
    evaluation->at++;
    return true;
}

/* That a core has one of its own, if one of it is asked for. */
static bool has_instance(const struct evaluation *evaluation, const char *owner)
{
    if (evaluation->instance == FIGURES_ALL)
        return true;
    if (strcmp(owner, "cores") == 0 || strcmp(owner, "memories") == 0)
        return false;
    return strcmp(owner, "mem") == 0
           || figures_instances(evaluation->figures, owner) == figures_instances(evaluation->figures, "cpu");
}

/* Of all cores that executed something. */
static double sum_of_cores_ran(const struct figures *figures, const char *name)
{
    double total = NAN;

    for (int core = 0; core < figures_instances(figures, "cpu"); core++) {
        size_t found;
        double const own = metrics_core_ran(figures, core) ? figures_sum(figures, "cpu", name, core, &found)
                                                           : (double)NAN;

        if (!isnan(own))
            total = isnan(total) ? own : total + own;
    }
    return total;
}

static double statistic(const struct evaluation *evaluation, const char *owner, const char *name, char mark)
{
    size_t found;
    double sum;

    if (!has_instance(evaluation, owner))
        return NAN;
    if (mark == '~' && evaluation->instance == FIGURES_ALL)
        return sum_of_cores_ran(evaluation->figures, name);
    if (mark == '^' && evaluation->instance == FIGURES_ALL)
        return figures_highest(evaluation->figures, owner, name);
    sum = figures_sum(evaluation->figures, owner, name, evaluation->instance, &found);
    if (mark == '?' && found == 0)
        return figures_instances(evaluation->figures, owner) > evaluation->instance
               && figures_instances(evaluation->figures, owner) > 0 ? 0 : NAN;
    if (mark == '&' && evaluation->instance == FIGURES_ALL
        && found < (size_t)figures_instances(evaluation->figures, owner))
        return NAN;
    return mark == '!' && found > 1 ? NAN : sum;
}

/* The metric that a name in a formula refers to; NULL: the name is a statistic's, also if a metric is that statistic
 * and has its name. */
static const struct metric *metric_in_formula(const struct metric *list, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].scope != METRIC_CACHE && strlen(list[i].name) == length
            && strncmp(list[i].name, name, length) == 0 && strcmp(list[i].formula, list[i].name) != 0)
            return &list[i];
    return NULL;
}

static double value_of_name(const struct evaluation *evaluation, char *name, char mark)
{
    const struct metric *const metric = metric_in_formula(table, TABLE_COUNT, name, strlen(name));
    char *const point = strchr(name, '.');
    size_t found;

    if (metric)
        return evaluate(evaluation->figures, metric->formula, evaluation->level, evaluation->instance);
    if (!point)
        return figures_sum(evaluation->figures, "", name, FIGURES_ALL, &found);
    *point = '\0';
    return statistic(evaluation, strcmp(name, "$") == 0 ? evaluation->level : name, point + 1, mark);
}

static double alternatives(struct evaluation *evaluation);

static double value(struct evaluation *evaluation)
{
    char name[METRIC_NAME], *end;
    size_t length = 0;
    double number;

    if (metrics_take(evaluation, '(')) {
        number = alternatives(evaluation);
        metrics_take(evaluation, ')');
        return number;
    }
    if (isdigit((unsigned char)*evaluation->at)) {
        number = strtod(evaluation->at, &end);
        evaluation->at = end;
        return number;
    }
    for (; isalnum((unsigned char)*evaluation->at) || strchr("$._:", *evaluation->at); evaluation->at++) {
        if (*evaluation->at == '\0')
            break;
        if (length < sizeof name - 1)
            name[length++] = *evaluation->at;
    }
    name[length] = '\0';
    char const mark = *evaluation->at && strchr("?!~&^", *evaluation->at) ? *evaluation->at++ : '\0';

    return value_of_name(evaluation, name, mark);
}

static double product(struct evaluation *evaluation)
{
    double result = value(evaluation);

    for (;;) {
        if (metrics_take(evaluation, '*')) {
            result *= value(evaluation);
        } else if (metrics_take(evaluation, '/')) {
            double const divisor = value(evaluation);

            result = divisor == 0 ? (double)NAN : result / divisor;
        } else {
            return result;
        }
    }
}

static double sum(struct evaluation *evaluation)
{
    double result = product(evaluation);

    for (;;) {
        if (metrics_take(evaluation, '+'))
            result += product(evaluation);
        else if (metrics_take(evaluation, '-'))
            result -= product(evaluation);
        else
            return result;
    }
}

static double alternatives(struct evaluation *evaluation)
{
    double result = sum(evaluation);

    while (metrics_take(evaluation, '|')) {
        double const other = sum(evaluation);

        result = isnan(result) ? other : result;
    }
    return result;
}

static double evaluate(const struct figures *figures, const char *formula, const char *level, int instance)
{
    struct evaluation evaluation = {figures, level, instance, formula};

    return alternatives(&evaluation);
}

/* ---- names */
struct parsed {
    const struct metric *metric;
    const char *level;                   /* NULL: no cache */
    int instance;
    bool is_mean;
};

/* The metric itself: "cpi", "l1d.mpki". */
static bool parse_plain(const char *name, struct parsed *parsed)
{
    const char *const point = strchr(name, '.');

    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (table[i].scope == METRIC_CACHE || strcmp(table[i].name, name) != 0)
            continue;
        parsed->metric = &table[i];
        return true;
    }
    for (size_t level = 0; point && level < LEVEL_COUNT; level++) {
        if (strncmp(levels[level], name, (size_t)(point - name)) != 0 || levels[level][point - name] != '\0')
            continue;
        for (size_t i = 0; i < TABLE_COUNT; i++) {
            if (table[i].scope != METRIC_CACHE || strcmp(table[i].name, point + 1) != 0)
                continue;
            parsed->metric = &table[i];
            parsed->level = levels[level];
            return true;
        }
    }
    return false;
}

/* "cpu3.", "mem3.", "mem_ctrls3.": the instance's number, and the text behind it; NULL: the name does not begin so. */
static const char *skip_instance(const char *name, const char *owner, int *instance)
{
    size_t const length = strlen(owner);
    char *end;

    if (strncmp(name, owner, length) != 0 || !isdigit((unsigned char)name[length]))
        return NULL;
    *instance = (int)strtol(name + length, &end, 10);
    return *end == '.' ? end + 1 : NULL;
}

static bool is_of_cores(const struct metric *metric)
{
    return metric->scope == METRIC_CORE || metric->scope == METRIC_CACHE;
}

static bool metrics_parse(const char *name, struct parsed *parsed)
{
    char whole[METRIC_NAME];
    const char *rest;

    *parsed = (struct parsed){.instance = FIGURES_ALL};
    if (parse_plain(name, parsed))
        return true;
    if (strncmp(name, "mean.", 5) == 0) {
        parsed->is_mean = true;
        return parse_plain(name + 5, parsed) && is_of_cores(parsed->metric);
    }
    rest = skip_instance(name, "cpu", &parsed->instance);
    if (rest)
        return parse_plain(rest, parsed) && is_of_cores(parsed->metric);
    rest = skip_instance(name, "mem", &parsed->instance);
    rest = rest ? rest : skip_instance(name, "mem_ctrls", &parsed->instance);
    if (!rest)
        return false;
    snprintf(whole, sizeof whole, "mem.%s", rest);
    return parse_plain(whole, parsed) && parsed->metric->scope == METRIC_MEMORY;
}

const struct metric *metrics_find(const char *name)
{
    struct parsed parsed;

    return metrics_parse(name, &parsed) ? parsed.metric : NULL;
}

static const char *last_level(const struct figures *figures)
{
    return figures_instances(figures, "l3") ? "l3" : figures_instances(figures, "l2") ? "l2" : "l1d";
}

bool metrics_core_ran(const struct figures *figures, int core)
{
    static const char instructions[] = "cpu.commitStats0.numInsts | cpu.microOps | cpu.numOps";

    return !(evaluate(figures, instructions, NULL, core) <= 0);    /* not a number: not counted */
}

int metrics_cores_ran(const struct figures *figures)
{
    int count = 0;

    for (int core = 0; core < figures_instances(figures, "cpu"); core++)
        count += metrics_core_ran(figures, core);
    return count;
}

static double metrics_value_of(const struct figures *figures, const struct parsed *parsed)
{
    const char *const level = parsed->level && strcmp(parsed->level, "llc") == 0 ? last_level(figures) : parsed->level;
    int const cores = figures_instances(figures, "cpu");
    double total = 0;
    int counted = 0;

    if (!parsed->is_mean)
        return evaluate(figures, parsed->metric->formula, level, parsed->instance);
    for (int core = 0; core < cores; core++) {
        double const own = evaluate(figures, parsed->metric->formula, level, core);

        if (isnan(own) || !metrics_core_ran(figures, core))
            continue;
        total += own;
        counted++;
    }
    return counted ? total / counted : (double)NAN;
}

double metrics_value(const struct figures *figures, const char *name)
{
    struct parsed parsed;

    return metrics_parse(name, &parsed) ? metrics_value_of(figures, &parsed) : (double)NAN;
}

/* ---- lists */
static int compare_needed(const void *one, const void *other)
{
    struct metrics_needed const *const a = one, *const b = other;
    int const order = memcmp(a->name, b->name, a->length < b->length ? a->length : b->length);

    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static void add_needed(struct metrics_needs *needs, const char *name, size_t length)
{
    assert(needs->count < METRICS_MOST_NEEDS);
    needs->list[needs->count++] = (struct metrics_needed){name, length};
}

/* Length of a name without its column. */
static size_t name_length(const char *name, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (name[i] == ':' && name[i + 1] == ':')
            return i;
    return length;
}

/* The next name in a formula, and its length; NULL: no more names. */
static const char *next_name(const char *formula, size_t *length)
{
    static const char letters[] = "$._:0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    while (*(formula += strcspn(formula, letters))) {
        *length = strspn(formula, letters);
        if (!isdigit((unsigned char)*formula))
            return formula;
        formula += *length;
    }
    return NULL;
}

static void add_names_of(struct metrics_needs *needs, const char *formula)
{
    size_t length;

    for (const char *name; (name = next_name(formula, &length)) != NULL; formula = name + length) {
        const char *const point = memchr(name, '.', length);

        if (point)
            add_needed(needs, point + 1, name_length(point + 1, length - (size_t)(point + 1 - name)));
        else
            add_needed(needs, name, length);
    }
}

/* Are formulas nested deeper than there are metrics? */
static bool goes_deeper(const struct metric *list, size_t count, const char *formula, size_t depth)
{
    size_t length;

    if (depth > count)
        return true;
    for (const char *name; (name = next_name(formula, &length)) != NULL; formula = name + length) {
        const struct metric *const metric = metric_in_formula(list, count, name, length);

        if (metric && goes_deeper(list, count, metric->formula, depth + 1))
            return true;
    }
    return false;
}

const struct metric *metrics_circular(const struct metric *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (goes_deeper(list, count, list[i].formula, 1))
            return &list[i];
    return NULL;
}

void metrics_needs_make(struct metrics_needs *needs, const char *const *more)
{
    needs->count = 0;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        add_names_of(needs, table[i].formula);
    for (; more && *more; more++)
        add_needed(needs, *more, strlen(*more));
    qsort(needs->list, needs->count, sizeof *needs->list, compare_needed);
}

bool metrics_need(const struct metrics_needs *needs, const char *statistic)
{
    const char *const component = strncmp(statistic, "system.", 7) == 0 ? strchr(statistic + 7, '.') : NULL;
    const char *const name = component ? component + 1 : statistic;
    struct metrics_needed const key = {name, strlen(name)};
    char channel[2 * METRIC_NAME];

    if (strncmp(name, "dram_", 5) == 0 && strchr(name, '.')) {       /* another pseudo-channel */
        struct metrics_needed const first = {channel, (size_t)snprintf(channel, sizeof channel, "dram%.100s",
                                                                       strchr(name, '.'))};

        return bsearch(&first, needs->list, needs->count, sizeof *needs->list, compare_needed) != NULL;
    }
    return bsearch(&key, needs->list, needs->count, sizeof *needs->list, compare_needed) != NULL;
}

void metrics_names(void (*visit)(void *context, const char *name, const struct metric *metric), void *context)
{
    char name[METRIC_NAME];
    size_t first;

    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (table[i].scope != METRIC_CACHE) {
            visit(context, table[i].name, &table[i]);
            continue;
        }
        if (i > 0 && table[i - 1].scope == METRIC_CACHE)
            continue;
        first = i;
        for (size_t level = 0; level < LEVEL_COUNT; level++)
            for (size_t k = first; k < TABLE_COUNT && table[k].scope == METRIC_CACHE; k++) {
                snprintf(name, sizeof name, "%s.%s", levels[level], table[k].name);
                visit(context, name, &table[k]);
            }
    }
}

struct visitor {
    const struct figures *figures;
    void (*visit)(void *context, const char *name, const struct metric *metric, double value);
    void *context;
    const char *prefix;                  /* "", "mean.", "cpu3.", "mem3." */
    enum metric_scope scope;             /* METRIC_MEMORY: of channels; METRIC_CORE: of cores; METRIC_RUN: totals */
};

static void visit_name(void *context, const char *name, const struct metric *metric)
{
    struct visitor const *const visitor = context;
    bool const is_channel = visitor->scope == METRIC_MEMORY;
    char whole[2 * METRIC_NAME];
    double value;

    if ((visitor->scope == METRIC_CORE && !is_of_cores(metric)) || (is_channel && metric->scope != METRIC_MEMORY))
        return;
    snprintf(whole, sizeof whole, "%s%s", visitor->prefix, is_channel ? name + strlen("mem.") : name);
    value = metrics_value(visitor->figures, whole);
    if (isfinite(value))
        visitor->visit(visitor->context, whole, metric, value);
}

/* One of `count`: numbers as wide as the last one's, so that names sort. */
static void visit_instances(struct visitor visitor, const char *owner, int count)
{
    int const width = snprintf(NULL, 0, "%d", count - 1);
    char prefix[METRIC_NAME];

    for (int i = 0; i < count; i++) {
        snprintf(prefix, sizeof prefix, "%s%0*d.", owner, width, i);
        visitor.prefix = prefix;
        metrics_names(visit_name, &visitor);
    }
}

void metrics_visit(const struct figures *figures, bool each,
                   void (*visit)(void *context, const char *name, const struct metric *metric, double value),
                   void *context)
{
    struct visitor visitor = {figures, visit, context, "", METRIC_RUN};
    int const cores = figures_instances(figures, "cpu"), channels = figures_instances(figures, "mem");

    metrics_names(visit_name, &visitor);
    if (!each)
        return;
    if (cores > 1) {
        visitor.scope = METRIC_CORE;
        visitor.prefix = "mean.";
        metrics_names(visit_name, &visitor);
        visit_instances(visitor, "cpu", cores);
    }
    if (channels > 1) {
        visitor.scope = METRIC_MEMORY;
        visit_instances(visitor, "mem", channels);
    }
}

enum { COMPONENT_BYTES = 100 };

static const char system_of[] = "system.", core[] = "cpu", digits[] = "0123456789";

/* "cpu13.l1d.x": gem5's name is "l1d13". */
static const char *take_ours(const char *text, char other[COMPONENT_BYTES])
{
    const char *const number = text + sizeof core - 1;
    size_t const number_length = strspn(number, digits);
    const char *const kind = number + number_length + 1;
    size_t const kind_length = number_length > 0 && number[number_length] == '.' ? strcspn(kind, ".:") : 0;

    if (kind_length == 0 || kind[kind_length] != '.')
        return NULL;
    snprintf(other, COMPONENT_BYTES, "%.*s%.*s", (int)kind_length, kind, (int)number_length, number);
    return kind + kind_length;
}

/* "l213.x": the core's number has one digit, or two. */
static const char *take_theirs(const char *text, unsigned number_length, char other[COMPONENT_BYTES])
{
    size_t const length = strcspn(text, ".:");
    size_t number = length;

    while (number > 0 && strchr(digits, text[number - 1]))
        number--;
    if (text[length] != '.' || length - number < number_length || length == number_length)
        return NULL;
    snprintf(other, COMPONENT_BYTES, "%s%.*s.%.*s", core, (int)number_length, text + length - number_length,
             (int)(length - number_length), text);
    return text + length;
}

/* The other name of the component that `text` begins with; returns the text behind it, or NULL without another
 * name. */
static const char *alias_take(const char *text, unsigned number, char other[COMPONENT_BYTES])
{
    if (strncmp(text, core, sizeof core - 1) == 0)
        return number == 0 ? take_ours(text, other) : NULL;
    return take_theirs(text, number + 1, other);
}

bool alias_of(const char *name, unsigned number, char alias[ALIAS_BYTES])
{
    size_t const before = sizeof system_of - 1;
    const char *const column = strstr(name, "::");
    char component[COMPONENT_BYTES] = "", part[COMPONENT_BYTES] = "";
    const char *rest, *end = NULL;

    if (strncmp(name, system_of, before) != 0)
        return false;
    rest = alias_take(name + before, number, component);
    if (column)
        end = alias_take(column + 2, number, part);
    if (!rest && !end)
        return false;
    rest = rest ? rest : name + before;
    if (end)
        snprintf(alias, ALIAS_BYTES, "%s%s%.*s%s%s", system_of, component, (int)(column + 2 - rest), rest, part, end);
    else
        snprintf(alias, ALIAS_BYTES, "%s%s%s", system_of, component, rest);
    return true;
}
