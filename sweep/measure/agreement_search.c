#include "sweep/measure/agreement_search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/host_facts.h"
#include "replay/config/config.h"

enum { ADJUSTMENTS = 6, MOST_PASSES = 4, TEXT = 64 };

#define BETTER 0.98                      /* times the distance of the value before */

/* ---- begin and end */
struct agreement *agreement_open(struct found_system *system, struct measurement *measurement,
                                 const struct agreement_options *options)
{
    struct agreement *const agreement = calloc(1, sizeof *agreement);

    if (!agreement)
        return NULL;
    agreement->system = system;
    agreement->measurement = measurement;
    agreement->options = options;
    agreement->start_s = host_clock_s();
    return agreement;
}

static void drop_case(struct agreement *agreement, size_t i)
{
    unlink(agreement->cases[i].path);
}

void agreement_close(struct agreement *agreement)
{
    for (size_t i = 0; agreement && i < agreement->case_count; i++)
        drop_case(agreement, i);
    free(agreement);
}

double agreement_time_left(const struct agreement *agreement)
{
    return agreement->options->most_s - (host_clock_s() - agreement->start_s);
}

bool agreement_has_time(struct agreement *agreement, const char *what)
{
    const struct agreement_options *const how = agreement->options;
    double const left = agreement_time_left(agreement), part = how->most_s > 0 ? 1 - left / how->most_s : 1;

    agreement->is_interrupted = agreement->is_interrupted
        || (how->progress && how->progress(how->context, what, fmin(part, 1)));
    return left > 0 && !agreement->is_interrupted;
}

/* ---- cases */
/* Is its value known better than replays must agree with it? */
static bool can_be_agreed_with(const struct measured *measured)
{
    return measured && passes_are_confirmed(&measured->cycles) && passes_spread(&measured->cycles) <= AGREES;
}

static struct fault add_trace(struct agreement *agreement, struct measured *measured, uint64_t refill_bytes, size_t *i)
{
    struct fault fault;

    *i = agreement->case_count;
    snprintf(agreement->cases[*i].path, AGREEMENT_PATH, "%s/%zu.rbt", agreement->options->folder, *i);
    agreement->cases[*i].measured = measured;
    fault = micro_trace_write(&agreement->cases[*i].trace, agreement->cases[*i].path, &measured->what,
                              &agreement->measurement->memory, refill_bytes);
    if (fault.kind == FAULT_NONE)
        agreement->case_count++;
    else
        drop_case(agreement, *i);
    return fault;
}

/* Numbers of the cases that are not in the list yet and have a value. */
struct case_list {
    size_t at[AGREEMENT_CASES], count;
};

static struct fault add_case(struct agreement *agreement, const char *name, struct case_list *list)
{
    struct measured *const measured = measurement_find(agreement->measurement, name);
    size_t i = 0;

    if (!can_be_agreed_with(measured))
        return fault_none();
    while (i < agreement->case_count && agreement->cases[i].measured != measured)
        i++;
    if (i == AGREEMENT_CASES)
        return fault_none();
    if (i == agreement->case_count)
        FORWARD(add_trace(agreement, measured, MICRO_REFILL_BYTES, &i));
    for (size_t known = 0; known < list->count; known++)
        if (list->at[known] == i)
            return fault_none();
    list->at[list->count++] = i;
    return fault_none();
}

static struct fault cases_of(struct agreement *agreement, const struct agreement_key *key, struct case_list *list)
{
    for (const char *const *name = key->cases; *name; name++)
        FORWARD(add_case(agreement, *name, list));
    return fault_none();
}

/* ---- replays */
static struct fault make_system(const struct found_system *system, unsigned cores, struct system_config *config)
{
    enum { STEP_GIB = 2 };                       /* each core has its own copy of the addresses */
    char number[TEXT], size[TEXT], step[TEXT];
    const char *const more[] = {number, size, step};
    size_t count;
    char **const settings = found_settings(system, &count);
    struct fault fault;

    if (!settings)
        return fault_memory("measure", "the system");
    config_defaults(config);
    fault = config_set_all(config, (const char *const *)settings, count, "measure");
    found_settings_free(settings, count);
    snprintf(number, sizeof number, "cores=%u", cores);
    snprintf(size, sizeof size, "memory.size=%" PRIu64 "GiB", (uint64_t)STEP_GIB << log2_up(max_u64(cores, 2)));
    snprintf(step, sizeof step, "cpu.offset_step=%dGiB", STEP_GIB);
    if (fault.kind == FAULT_NONE && cores > 1)
        fault = config_set_all(config, more, sizeof more / sizeof more[0], "measure");
    return fault.kind == FAULT_NONE ? config_finish(config) : fault;
}

static double distance_of(const struct agreement *agreement, size_t i)
{
    const struct measured *const measured = agreement->cases[i].measured;

    return fabs(log(measured->simulated / passes_value(&measured->cycles)));
}

/* *distance: the mean of the logarithms of the ratios, without signs; INFINITY: above `most`, and the rest was not
 * replayed. */
static struct fault replay_cases(struct agreement *agreement, const struct case_list *list, double most,
                                 double *distance)
{
    struct system_config *const config = config_new();
    struct fault fault = fault_memory("measure", "the system");
    double sum = 0;

    if (config && list->count > 0)
        fault = make_system(agreement->system, agreement->cases[list->at[0]].trace.cores, config);
    for (size_t i = 0; fault.kind == FAULT_NONE && i < list->count && sum <= most * (double)list->count; i++) {
        size_t const at = list->at[i];

        fault = micro_replay(&agreement->cases[at].trace, config, &agreement->cases[at].measured->simulated);
        if (fault.kind == FAULT_NONE)
            sum += distance_of(agreement, at);
    }
    free(config);
    *distance = fault.kind != FAULT_NONE || sum > most * (double)list->count ? INFINITY : sum / (double)list->count;
    return fault;
}

struct fault agreement_simulate(struct agreement *agreement, struct measured *measured, uint64_t refill_bytes)
{
    struct case_list list = {.count = 0};
    double distance;

    measured->simulated = (double)NAN;
    if (!isfinite(passes_value(&measured->cycles)) || agreement->case_count == AGREEMENT_CASES)
        return fault_none();
    FORWARD(add_trace(agreement, measured, refill_bytes, &list.at[list.count++]));
    FORWARD(replay_cases(agreement, &list, INFINITY, &distance));
    drop_case(agreement, --agreement->case_count);
    return fault_none();
}

/* ---- keys */
static void set_value(struct agreement *agreement, const struct agreement_key *key, const char *value,
                      const char *note)
{
    for (size_t i = 0; i < AGREEMENT_KEYS && key->keys[i]; i++)
        found_set(agreement->system, key->keys[i], value, "%s", note);
}

static const char *text_of(const struct agreement_key *key, char text[TEXT])
{
    if (key->values)
        snprintf(text, TEXT, "%s", key->values[key->at]);
    else
        snprintf(text, TEXT, key->unit[0] ? "%.1f%s" : "%.0f%s", key->value, key->unit);
    return text;
}

static void put_value(struct agreement *agreement, const struct agreement_key *key)
{
    char text[TEXT];

    set_value(agreement, key, text_of(key, text), "to be found");
}

void agreement_put_first(struct agreement *agreement, struct agreement_key *key)
{
    key->at = 0;
    put_value(agreement, key);
}

/* A fault that leaves the key unknown is none of the search. */
static struct fault keep_refused(struct agreement *agreement, struct fault fault)
{
    if (fault.kind == FAULT_MEMORY)
        return fault;
    if (fault.kind != FAULT_NONE)
        agreement->refused = fault;
    return fault_none();
}

static bool can_begin(struct agreement *agreement, struct agreement_key *key)
{
    if (agreement->refused.kind == FAULT_NONE && agreement_has_time(agreement, key->keys[0]))
        return true;
    /* A key that has a reason keeps it. */
    if (!key->is_found && !key->reason && agreement->refused.kind == FAULT_NONE)
        key->reason = "no time was left for its replays; give more --seconds";
    return false;
}

static struct fault adjust(struct agreement *agreement, struct agreement_key *key, const struct case_list *list)
{
    bool const is_ns = key->unit[0] != '\0';
    double const cycle_ns = 1e9 / measurement_clock_hz(agreement->measurement);
    double least = INFINITY, best = key->value;

    for (int i = 0; i < ADJUSTMENTS; i++) {
        const struct measured *const measured = agreement->cases[list->at[0]].measured;
        double distance, lacks;

        put_value(agreement, key);
        FORWARD(replay_cases(agreement, list, INFINITY, &distance));
        if (distance < least) {
            least = distance;
            best = key->value;
        }
        lacks = (passes_value(&measured->cycles) - measured->simulated) * (is_ns ? cycle_ns : 1) * key->gain;
        if (fabs(lacks) < (is_ns ? 0.2 : 0.5))
            break;
        /* Rounded, so that the last step is one to the nearer side at least. */
        lacks = is_ns ? lacks : copysign(fmax(round(fabs(lacks)), 1), lacks);
        key->value = fmin(fmax(key->value + lacks, key->least), key->most);
    }
    key->value = best;
    put_value(agreement, key);
    return fault_none();
}

struct fault agreement_adjust(struct agreement *agreement, struct agreement_key *key, bool *is_changed)
{
    double const before = key->value;
    struct case_list list = {.count = 0};
    struct fault fault;

    if (!can_begin(agreement, key))
        return fault_none();
    fault = cases_of(agreement, key, &list);
    if (fault.kind == FAULT_NONE && list.count == 0) {
        key->reason = "its microbenchmark has no value, or was disturbed";
        return fault_none();
    }
    if (!key->is_found)
        key->value = key->from;
    if (fault.kind == FAULT_NONE)
        fault = adjust(agreement, key, &list);
    *is_changed = *is_changed || !key->is_found || key->value != before;
    key->is_found = fault.kind == FAULT_NONE;
    return keep_refused(agreement, fault);
}

static bool is_without_effect(const struct agreement *agreement, const struct agreement_key *key)
{
    const char *const needed = key->needs ? found_value(agreement->system, key->needs) : NULL;

    return key->needs && (!needed || strcmp(needed, "none") == 0);
}

/* *least: the distance of the value that the key has. */
static struct fault choose(struct agreement *agreement, struct agreement_key *key, const struct case_list *list,
                           double *least, bool *is_changed)
{
    size_t const before = key->at;
    size_t best = before;

    for (size_t i = 0; key->values[i] && !is_without_effect(agreement, key); i++) {
        double distance;
        struct fault fault;

        if (i == before || !agreement_has_time(agreement, key->keys[0]))
            continue;
        key->at = i;
        put_value(agreement, key);
        /* What is no better stays as it was: the first values are the simpler ones. */
        fault = replay_cases(agreement, list, BETTER * *least, &distance);
        if (fault.kind == FAULT_MEMORY)
            return fault;
        /* A value that the rest of the system does not go with is none. */
        if (fault.kind == FAULT_NONE && distance < BETTER * *least) {
            *least = distance;
            best = i;
        }
    }
    key->at = best;
    put_value(agreement, key);
    *is_changed = *is_changed || best != before;
    return fault_none();
}

static struct fault choose_all(struct agreement *agreement, struct agreement_key *const *group, size_t count,
                               const struct case_list *list, bool *is_changed)
{
    bool is_moved = true;
    double least;

    for (size_t i = 0; i < count; i++)
        put_value(agreement, group[i]);
    FORWARD(replay_cases(agreement, list, INFINITY, &least));
    for (int pass = 0; pass < MOST_PASSES && is_moved; pass++) {
        is_moved = false;
        for (size_t i = 0; i < count; i++) {
            if (!can_begin(agreement, group[i]))
                continue;
            FORWARD(choose(agreement, group[i], list, &least, &is_moved));
            group[i]->is_found = true;
        }
        *is_changed = *is_changed || is_moved;
    }
    return fault_none();
}

struct fault agreement_choose(struct agreement *agreement, struct agreement_key *const *group, size_t count,
                              bool *is_changed)
{
    struct case_list list = {.count = 0};
    struct fault fault = fault_none();

    if (!can_begin(agreement, group[0])) {
        for (size_t i = 1; i < count; i++)
            can_begin(agreement, group[i]);
        return fault_none();
    }
    for (size_t i = 0; i < count && fault.kind == FAULT_NONE; i++)
        fault = cases_of(agreement, group[i], &list);
    for (size_t i = 0; i < count && list.count == 0; i++)
        group[i]->reason = "its microbenchmarks have no values, or were disturbed";
    if (fault.kind == FAULT_NONE && list.count > 0)
        fault = choose_all(agreement, group, count, &list, is_changed);
    return keep_refused(agreement, fault);
}

/* ---- what agrees */
/* "replays of chase 128K: 14.0 cycles, measured 14.1" of one case, of more the mean distance. */
static void note_of(const struct agreement *agreement, const struct case_list *list, double distance,
                    char note[FOUND_NOTE])
{
    const struct measured *const first = agreement->cases[list->at[0]].measured;

    if (list->count == 1)
        snprintf(note, FOUND_NOTE, "replays of %s: %.2f cycles, measured %.2f, spread %.1f %%", first->name,
                 first->simulated, passes_value(&first->cycles), 100 * passes_spread(&first->cycles));
    else
        snprintf(note, FOUND_NOTE, "replays of %s and %zu more: %.0f %% off in the mean", first->name,
                 list->count - 1, 100 * (exp(distance) - 1));
}

/* Its comment, by the last replays. *is_changed: it had a value, which does not agree and is taken away. */
static struct fault judge(struct agreement *agreement, struct agreement_key *key, bool *is_changed)
{
    struct case_list list = {.count = 0};
    char text[TEXT], note[FOUND_NOTE];
    double distance = 0;

    FORWARD(cases_of(agreement, key, &list));
    for (size_t i = 0; i < list.count; i++)
        distance += distance_of(agreement, list.at[i]) / (double)list.count;
    note_of(agreement, &list, distance, note);
    text_of(key, text);
    if (is_without_effect(agreement, key))
        set_value(agreement, key, NULL, "without effect where no prefetcher is known");
    else if (distance <= (key->agrees > 0 ? key->agrees : AGREES))
        set_value(agreement, key, text, note);
    else
        for (size_t i = 0; i < AGREEMENT_KEYS && key->keys[i]; i++)
            found_set(agreement->system, key->keys[i], NULL, "%s is nearest, but does not agree: %s", text, note);
    if (found_value(agreement->system, key->keys[0]))
        return fault_none();
    key->is_found = false;
    *is_changed = true;
    return fault_none();
}

/* Replays on the system as it is, then all keys. */
static struct fault judge_all(struct agreement *agreement, struct agreement_key *const *keys, size_t count,
                              bool *is_changed)
{
    struct case_list all = {.count = 0};
    double distance;

    /* Those of keys that are not found have replays of other systems. */
    for (size_t i = 0; i < agreement->case_count; i++)
        agreement->cases[i].measured->simulated = (double)NAN;
    for (size_t i = 0; i < count; i++)
        if (keys[i]->is_found)
            FORWARD(cases_of(agreement, keys[i], &all));
    if (all.count == 0)
        return fault_none();
    FORWARD(replay_cases(agreement, &all, INFINITY, &distance));
    for (size_t i = 0; i < count; i++)
        if (keys[i]->is_found)
            FORWARD(judge(agreement, keys[i], is_changed));
    return fault_none();
}

/* A latency is as certain as the one benchmark that it is from. */
static void leave_out_disturbed(struct agreement *agreement, const struct agreement_key *key)
{
    const struct measured *const measured = measurement_find(agreement->measurement, key->cases[0]);
    char text[TEXT];

    if (!key->is_found || key->values || passes_are_steady(&measured->cycles))
        return;
    text_of(key, text);
    for (size_t i = 0; i < AGREEMENT_KEYS && key->keys[i]; i++)
        found_set_doubtful(agreement->system, key->keys[i], text, "%s agrees with %s, %.2f cycles, but that was "
                           "disturbed: spread %.1f %%", text, measured->name, passes_value(&measured->cycles),
                           100 * passes_spread(&measured->cycles));
}

struct fault agreement_settle(struct agreement *agreement, struct agreement_key *const *keys, size_t count)
{
    bool is_changed = true;

    for (size_t i = 0; i < count; i++)
        if (!keys[i]->is_found)
            set_value(agreement, keys[i], NULL, keys[i]->reason ? keys[i]->reason
                      : agreement->refused.kind != FAULT_NONE ? fault_text(agreement->refused)
                      : "it was not looked for");
    /* Each time one key less at least. */
    while (is_changed && agreement->refused.kind == FAULT_NONE) {
        is_changed = false;
        FORWARD(keep_refused(agreement, judge_all(agreement, keys, count, &is_changed)));
    }
    for (size_t i = 0; i < count; i++)
        leave_out_disturbed(agreement, keys[i]);
    return fault_none();
}
