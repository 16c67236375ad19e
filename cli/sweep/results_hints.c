#include "cli/sweep/results_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"

/* ---- names of columns */
struct search {
    struct nearest nearest;
    const char *typed;
    size_t prefix;                       /* letters of "cpu3.", "mem0.", "mean." before it */
    char name[CELL_TEXT];                /* of the nearest, which need not last */
};

static void results_hints_offer(struct search *search, const char *name)
{
    nearest_offer(&search->nearest, name);
    if (search->nearest.name == name) {
        snprintf(search->name, sizeof search->name, "%s", name);
        search->nearest.name = search->name;
    }
}

static void offer_metric(void *context, const char *name, const struct metric *metric)
{
    struct search *const search = context;
    char full[CELL_TEXT];

    (void)metric;
    snprintf(full, sizeof full, "%.*s%s", (int)search->prefix, search->typed, name);
    results_hints_offer(search, full);
}

static size_t prefix_of(const char *name)
{
    size_t const digits = strspn(name + (strlen(name) < 3 ? strlen(name) : 3), "0123456789");

    if (strncmp(name, "mean.", 5) == 0)
        return 5;
    return (strncmp(name, "cpu", 3) == 0 || strncmp(name, "mem", 3) == 0) && digits > 0 && name[3 + digits] == '.'
        ? digits + 4 : 0;
}

/* The key that a fault suggests. */
static void offer_suggested(struct search *search, const struct fault *fault)
{
    static const char words[] = "did you mean ";
    const char *const at = strstr(fault_text(*fault), words);
    char key[CELL_TEXT];

    if (!at)
        return;
    snprintf(key, sizeof key, "%.*s", (int)strcspn(at + strlen(words), "?"), at + strlen(words));
    results_hints_offer(search, key);
}

struct fault results_unknown_column(const struct columns *columns, const char *name, const char *where,
                                    const struct fault *other)
{
    static const char *const usual[] = {"point", "hash", "system", "traces", "state", "error", "time_ms", "wall_s",
                                        "cpu_s", "bound", "speedup"};
    struct search search = {.nearest = nearest_to(name), .typed = name, .prefix = prefix_of(name)};
    unsigned key_distance;
    const char *statistic;
    json_t *value;

    offer_suggested(&search, other);
    key_distance = search.nearest.name ? search.nearest.distance : UINT32_MAX;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        results_hints_offer(&search, usual[i]);
    for (size_t i = 0; i < columns->axis_count; i++)
        results_hints_offer(&search, columns->axes[i]);
    metrics_names(offer_metric, &search);
    json_object_foreach(columns->statistics, statistic, value)
        results_hints_offer(&search, statistic);
    if (search.nearest.distance >= key_distance && key_distance != UINT32_MAX)
        return *other;
    if (!nearest_is_likely(&search.nearest))
        return fault_make(FAULT_INPUT, "%s: %.100s is not a column; `rubato results --metrics` lists metrics, `rubato "
                          "config keys` the keys of a system", where, name);
    return fault_make(FAULT_INPUT, "%s: %.100s is not a column; did you mean %.200s?", where, name, search.name);
}

/* ---- words */
struct word_check {
    const char *column, *word;
    struct text values;                  /* those that points have, each once, with a zero behind each */
    bool is_there;
};

static const char *value_in(const struct word_check *check, const struct results_row *row)
{
    return strcmp(check->column, "system") == 0 ? row->system : row->traces;
}

static bool results_hints_look_at(void *self, const struct results_row *row)
{
    struct word_check *const check = self;
    const char *const value = value_in(check, row);
    size_t at = 0;

    if (!value)
        return true;
    check->is_there |= strcmp(value, check->word) == 0;
    while (at < check->values.length && strcmp(check->values.at + at, value) != 0)
        at += strlen(check->values.at + at) + 1;
    if (at >= check->values.length)
        text_put_bytes(&check->values, value, strlen(value) + 1);
    return !check->is_there;
}

/* "gups, triad", as far as there is room. */
static void list_values(const struct text *values, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t at = 0; at < values->length && used + 4 < size; at += strlen(values->at + at) + 1)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", values->at + at);
}

static struct fault unknown_word(const struct word_check *check, const char *where)
{
    struct nearest nearest = nearest_to(check->word);
    char values[200], question[200];

    for (size_t at = 0; at < check->values.length; at += strlen(check->values.at + at) + 1)
        nearest_offer(&nearest, check->values.at + at);
    list_values(&check->values, values, sizeof values);
    return fault_make(FAULT_INPUT, "%s: no point has %s %.80s%s There are %s", where, check->column, check->word,
                      *nearest_question(&nearest, question, sizeof question) ? question : ".", values);
}

struct checking {
    struct results *results;
    const char *where;
    struct fault fault;
};

static struct fault check_state(const char *word, const char *where)
{
    static const char *const states[] = {"done", "failed", "to do"};
    struct nearest nearest = nearest_to(word);
    char question[100];

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (strcmp(states[i], word) == 0)
            return fault_none();
        nearest_offer(&nearest, states[i]);
    }
    return fault_make(FAULT_INPUT, "%s: state is never %.80s%s It is done, failed or 'to do'", where, word,
                      *nearest_question(&nearest, question, sizeof question) ? question : ".");
}

static bool check_word(void *context, const char *column, const char *word)
{
    struct checking *const checking = context;
    struct word_check check = {.column = column, .word = word};

    if (strcmp(column, "state") == 0) {
        checking->fault = check_state(word, checking->where);
    } else if (strcmp(column, "system") == 0 || strcmp(column, "traces") == 0) {
        checking->fault = results_read(checking->results, results_hints_look_at, &check);
        if (checking->fault.kind == FAULT_NONE && !check.is_there && check.values.length > 0)
            checking->fault = unknown_word(&check, checking->where);
        free(check.values.at);
    }
    return checking->fault.kind == FAULT_NONE;
}

struct fault results_check_words(struct results *results, const struct condition *condition, const char *where)
{
    struct checking checking = {results, where, fault_none()};

    condition_visit_words(condition, check_word, &checking);
    return checking.fault;
}
