#include "sweep/measure/agreement.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "replay/config/config.h"
#include "sweep/measure/micro_replay.h"

enum { MOST_CASES = 12, MOST_KEYS = 4, ADJUSTMENTS = 4, PATH_BYTES = 4096, TEXT = 64 };

#define AGREES 0.22                      /* of logarithms: 25 % */

/* Traces of the cases of one key. */
struct agreement {
    struct found_system *system;
    struct measurement *measurement;
    const struct agreement_options *options;
    struct measured *cases[MOST_CASES];
    struct micro_trace traces[MOST_CASES];
    char paths[MOST_CASES][PATH_BYTES];
    size_t case_count;
    double start_s;
    size_t keys_done;
    struct fault refused;                /* why replays are impossible */
};

/* ---- cases */
static void forget_cases(struct agreement *agreement)
{
    for (size_t i = 0; i < agreement->case_count; i++)
        unlink(agreement->paths[i]);
    agreement->case_count = 0;
}

/* Without a value there is nothing to agree with. */
static struct fault add_case(struct agreement *agreement, struct measured *measured)
{
    size_t const i = agreement->case_count;
    struct fault fault;

    if (!measured || i == MOST_CASES || !isfinite(passes_value(&measured->cycles)))
        return fault_none();
    snprintf(agreement->paths[i], PATH_BYTES, "%s/%zu.rbt", agreement->options->folder, i);
    fault = micro_trace_write(&agreement->traces[i], agreement->paths[i], &measured->what,
                              &agreement->measurement->memory);
    if (fault.kind != FAULT_NONE) {
        unlink(agreement->paths[i]);
        return fault;
    }
    agreement->cases[agreement->case_count++] = measured;
    return fault_none();
}

static struct fault add_named(struct agreement *agreement, const char *const *names)
{
    for (; *names; names++)
        FORWARD(add_case(agreement, measurement_find(agreement->measurement, *names)));
    return fault_none();
}

/* ---- systems */
static struct fault make_system(const struct found_system *system, struct system_config *config)
{
    size_t count;
    char **const settings = found_settings(system, &count);
    struct fault fault;

    if (!settings)
        return fault_memory("measure", "the system");
    config_defaults(config);
    fault = config_set_all(config, (const char *const *)settings, count, "measure");
    found_settings_free(settings, count);
    return fault.kind == FAULT_NONE ? config_finish(config) : fault;
}

static struct fault replay_cases(struct agreement *agreement)
{
    struct system_config *const config = config_new();
    struct fault fault = config ? make_system(agreement->system, config) : fault_memory("measure", "the system");

    for (size_t i = 0; fault.kind == FAULT_NONE && i < agreement->case_count; i++)
        fault = micro_replay(&agreement->traces[i], config, &agreement->cases[i]->simulated);
    free(config);
    return fault;
}

/* The mean of the logarithms of the ratios, without signs. */
static double distance_of(const struct agreement *agreement)
{
    double sum = 0;

    for (size_t i = 0; i < agreement->case_count; i++)
        sum += fabs(log(agreement->cases[i]->simulated / passes_value(&agreement->cases[i]->cycles)));
    return agreement->case_count == 0 ? (double)NAN : sum / (double)agreement->case_count;
}

/* ---- keys */
struct key {
    const char *keys[MOST_KEYS];         /* that have the same value */
    const char *unit;                    /* of an adjusted key: "" cycles, "ns" */
    double from, least, most;            /* of an adjusted key: where it begins, its limits ... */
    double gain;                         /* ... and how much of it one cycle of an operation is */
    const char *const *values;           /* of a chosen key, ends with NULL; NULL: adjusted */
    const char *const *cases;            /* ends with NULL */
    bool must_agree;                     /* a chosen key: unknown if no value does */
};

static void set_all(struct agreement *agreement, const struct key *key, const char *value, const char *note)
{
    for (size_t i = 0; i < MOST_KEYS && key->keys[i]; i++)
        found_set(agreement->system, key->keys[i], value, "%s", note);
}

static bool has_no_time(const struct agreement *agreement)
{
    return host_clock_s() - agreement->start_s > agreement->options->most_s;
}

static bool is_interrupted(struct agreement *agreement, const char *what)
{
    enum { KEYS = 19 };
    const struct agreement_options *const how = agreement->options;
    double const part = fmin(1, (double)agreement->keys_done++ / KEYS);

    return how->progress && how->progress(how->context, what, part);
}

/* "chase 128K: 14.0 cycles, replayed 14.1" of the first, how many there are, and the mean distance. */
static void note_of(const struct agreement *agreement, char note[FOUND_NOTE])
{
    const struct measured *const first = agreement->cases[0];

    if (agreement->case_count == 1)
        snprintf(note, FOUND_NOTE, "replays of %s: %.2f cycles, measured %.2f, spread %.1f %%", first->name,
                 first->simulated, passes_value(&first->cycles), 100 * passes_spread(&first->cycles));
    else
        snprintf(note, FOUND_NOTE, "replays of %s and %zu more: %.0f %% off in the mean%s", first->name,
                 agreement->case_count - 1, 100 * (exp(distance_of(agreement)) - 1),
                 distance_of(agreement) > AGREES ? "; no value agrees, this is the nearest" : "");
}

static struct fault adjust(struct agreement *agreement, const struct key *key)
{
    bool const is_ns = key->unit[0] != '\0';
    double const cycle_ns = 1e9 / measurement_clock_hz(agreement->measurement);
    double value = key->from;
    char text[TEXT], note[FOUND_NOTE] = "to be adjusted";

    for (int i = 0; i < ADJUSTMENTS; i++) {
        double lacks;

        snprintf(text, sizeof text, is_ns ? "%.1f%s" : "%.0f%s", value, key->unit);
        set_all(agreement, key, text, note);
        FORWARD(replay_cases(agreement));
        lacks = (passes_value(&agreement->cases[0]->cycles) - agreement->cases[0]->simulated)
            * (is_ns ? cycle_ns : 1) * key->gain;
        note_of(agreement, note);
        if (fabs(lacks) < (is_ns ? 0.2 : 0.6))
            break;
        value = fmin(fmax(is_ns ? value + lacks : round(value + lacks), key->least), key->most);
    }
    set_all(agreement, key, text, note);
    return fault_none();
}

static struct fault choose(struct agreement *agreement, const struct key *key)
{
    double least = INFINITY;
    const char *best = NULL;
    char note[FOUND_NOTE] = "to be chosen", best_note[FOUND_NOTE] = "";
    double simulated[MOST_CASES];

    for (const char *const *value = key->values; *value; value++) {
        struct fault fault;

        set_all(agreement, key, *value, note);
        fault = replay_cases(agreement);
        if (fault.kind == FAULT_MEMORY)
            return fault;
        /* A value that the rest of the system does not go with. */
        if (fault.kind != FAULT_NONE)
            continue;
        /* What is no better than one before stays as it was: the first values are the simpler ones. */
        if (distance_of(agreement) < 0.98 * least) {
            least = distance_of(agreement);
            best = *value;
            note_of(agreement, best_note);
            for (size_t i = 0; i < agreement->case_count; i++)
                simulated[i] = agreement->cases[i]->simulated;
        }
    }
    for (size_t i = 0; best && i < agreement->case_count; i++)
        agreement->cases[i]->simulated = simulated[i];
    if (best && key->must_agree && least > AGREES)
        best = NULL;
    set_all(agreement, key, best, best || best_note[0] ? best_note : "no replay succeeded");
    return fault_none();
}

static struct fault find_key_value(struct agreement *agreement, const struct key *key)
{
    struct fault fault;

    if (agreement->refused.kind != FAULT_NONE) {
        set_all(agreement, key, NULL, fault_text(agreement->refused));
        return fault_none();
    }
    if (is_interrupted(agreement, key->keys[0]))
        return fault_none();
    if (has_no_time(agreement)) {
        set_all(agreement, key, NULL, "no time was left for its replays; give more --seconds");
        return fault_none();
    }
    fault = add_named(agreement, key->cases);
    if (fault.kind == FAULT_NONE && agreement->case_count == 0)
        set_all(agreement, key, NULL, "its microbenchmark has no value");
    else if (fault.kind == FAULT_NONE)
        fault = key->values ? choose(agreement, key) : adjust(agreement, key);
    forget_cases(agreement);
    if (fault.kind == FAULT_MEMORY)
        return fault;
    if (fault.kind != FAULT_NONE) {
        agreement->refused = fault;
        set_all(agreement, key, NULL, fault_text(fault));
    }
    return fault_none();
}

/* ---- all keys */
static struct fault find_latencies(struct agreement *agreement)
{
    static const char *const sections[] = {"l1d", "l2", "l3"};
    char names[4][MEASURED_NAME], tags[3][TEXT], data[3][TEXT];

    for (unsigned level = 0; level <= agreement->system->caches && level < 4; level++) {
        bool const is_memory = level == agreement->system->caches;
        const char *const cases[] = {names[level], NULL};
        struct key key = {.keys = {"memory.latency"}, .unit = "ns", .from = 60, .least = 1, .most = 1000, .gain = 1,
                          .cases = cases};

        snprintf(names[level], MEASURED_NAME, "chase %" PRIu64 "K",
                 found_footprint(agreement->system, agreement->measurement, level) >> 10);
        if (!is_memory) {
            snprintf(tags[level], TEXT, "%s.tag_latency", sections[level]);
            snprintf(data[level], TEXT, "%s.data_latency", sections[level]);
            key = (struct key){.keys = {tags[level], data[level]}, .unit = "", .from = level == 0 ? 2 : 8,
                               .least = 1, .most = 200, .gain = 1, .cases = cases};
        }
        FORWARD(find_key_value(agreement, &key));
    }
    return fault_none();
}

/* Latencies that only shift those which are adjusted. */
static void fix_responses(struct agreement *agreement)
{
    static const char *const keys[] = {"l1d.response_latency", "l2.response_latency", "l3.response_latency"};

    for (unsigned level = 0; level < agreement->system->caches; level++)
        found_set(agreement->system, keys[level], "1", "not separable from tag_latency and data_latency");
    if (agreement->system->caches >= 2)
        found_set(agreement->system, "l2.private", "yes", "not measured; a core's own where there are three levels");
}

static struct fault find_misses(struct agreement *agreement)
{
    static const char *const counts[] = {"8", "10", "12", "16", "20", "24", "32", "48", NULL};
    static const char *const chains[] = {"chains 8", "chains 16", "chains 32", NULL};
    static const char *const more[] = {"32", "48", "64", NULL}, *const walks[] = {"2", "4", "8", "16", NULL};
    struct key const l1 = {.keys = {"l1d.mshrs"}, .values = counts, .cases = chains};
    struct key const walker = {.keys = {"cpu.tlb.walker.outstanding"}, .values = walks, .cases = chains};
    struct key const l2 = {.keys = {"l2.mshrs", "l3.mshrs"}, .values = more, .cases = chains};

    found_set(agreement->system, "l1d.mshrs", "32", "to be chosen");
    found_set(agreement->system, "l2.mshrs", "64", "more than any L1D has");
    if (agreement->system->caches >= 3)
        found_set(agreement->system, "l3.mshrs", "64", "more than any L1D has");
    FORWARD(find_key_value(agreement, &walker));
    FORWARD(find_key_value(agreement, &l1));
    return agreement->system->caches >= 3 ? find_key_value(agreement, &l2) : fault_none();
}

/* Registers hold the architecture's state beside what waits behind a miss, and how much that is, is the model's: so
 * many that replays overlap below the measured edge, and do not above it. */
static struct fault find_registers(struct agreement *agreement, const char *what, enum measure_edge edge)
{
    static const unsigned more[] = {16, 24, 32, 40, 48, 64};
    enum { VALUES = sizeof more / sizeof more[0] };
    struct measured_edge const found = measure_edge_find(agreement->measurement, edge);
    char names[2][MEASURED_NAME], texts[VALUES][TEXT];
    const char *values[VALUES + 1] = {NULL};
    const char *const cases[] = {names[0], names[1], NULL};
    struct key const key = {.keys = {what}, .values = values, .cases = cases, .must_agree = true};

    if (isnan(found.at)) {
        found_set(agreement->system, what, NULL, "%s: no edge, or a sibling thread was always busy",
                  measure_edge_name(edge));
        return fault_none();
    }
    snprintf(names[0], MEASURED_NAME, "%s %.0f", measure_edge_name(edge), found.below);
    snprintf(names[1], MEASURED_NAME, "%s %.0f", measure_edge_name(edge), found.above);
    for (size_t i = 0; i < VALUES; i++) {
        snprintf(texts[i], TEXT, "%.0f", found.below + more[i]);
        values[i] = texts[i];
    }
    return find_key_value(agreement, &key);
}

static struct fault find_chosen(struct agreement *agreement, const struct key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        FORWARD(find_key_value(agreement, &keys[i]));
    return fault_none();
}

/* Bytes a cycle; what is fetched ahead decides how much of them a stream needs, so both take turns. */
static struct fault find_streams(struct agreement *agreement)
{
    static const char *const widths[] = {"16B", "32B", "64B", "128B", NULL};
    static const char *const kinds[] = {"none", "stride", "ip_stride", "streamer", "tagged", NULL};
    static const char *const more[] = {"none", "streamer", "up_down", "stream", NULL};
    static const char *const distances[] = {"0", "4", "8", "16", "32", NULL}, *const either[] = {"no", "yes", NULL};
    static const char *const lists[] = {"stride 64", "stride 512", "stride 4096", NULL};
    static const char *const inner[] = {"read 128K", "read 3072K", NULL};
    char name[MEASURED_NAME];
    const char *const outer[] = {name, "stride 64", NULL};
    static const char *const second[] = {"none", "streamer", "up_down", NULL};
    struct key const keys[] = {
        {.keys = {"cache_bus.width"}, .values = widths, .cases = inner},
        {.keys = {"l1d.prefetcher.type"}, .values = kinds, .cases = lists},
        {.keys = {"l1d.prefetcher.cross_pages"}, .values = either, .cases = lists},
        {.keys = {"l1d.prefetcher.distance"}, .values = distances, .cases = lists},
        {.keys = {"l2.prefetcher.type"}, .values = more, .cases = lists},
        {.keys = {"l2.prefetcher.distance"}, .values = distances, .cases = lists},
        {.keys = {"l1d.prefetcher2.type"}, .values = second, .cases = outer},
        {.keys = {"l2.prefetcher2.type"}, .values = second, .cases = outer},
        {.keys = {"memory_bus.width"}, .values = widths, .cases = outer}
    };

    snprintf(name, sizeof name, "read %zuK", agreement->measurement->memory.large_bytes >> 10);
    found_set(agreement->system, "memory_bus.width", "64B", "to be chosen");
    if (agreement->system->caches < 3)
        return find_key_value(agreement, &keys[0]);
    return find_chosen(agreement, keys, sizeof keys / sizeof keys[0]);
}

struct fault agreement_run(struct found_system *system, struct measurement *measurement,
                           const struct agreement_options *options)
{
    struct agreement *const agreement = calloc(1, sizeof *agreement);
    static const char *const delays[] = {"branch 1", NULL};
    struct key const refill = {.keys = {"cpu.fetchToDecodeDelay"}, .unit = "", .from = 6, .least = 1, .most = 40,
                               .gain = 2, .cases = delays};
    struct fault fault;

    if (!agreement)
        return fault_memory("measure", "replays");
    agreement->system = system;
    agreement->measurement = measurement;
    agreement->options = options;
    agreement->start_s = host_clock_s();
    fix_responses(agreement);
    fault = find_latencies(agreement);
    if (fault.kind == FAULT_NONE)
        fault = find_key_value(agreement, &refill);
    if (fault.kind == FAULT_NONE)
        fault = find_registers(agreement, "cpu.numPhysIntRegs", EDGE_INTEGERS);
    if (fault.kind == FAULT_NONE)
        fault = find_registers(agreement, "cpu.numPhysFloatRegs", EDGE_VECTORS);
    if (fault.kind == FAULT_NONE)
        fault = find_misses(agreement);
    if (fault.kind == FAULT_NONE)
        fault = find_streams(agreement);
    free(agreement);
    return fault.kind == FAULT_NONE && system->is_out_of_memory ? fault_memory("measure", "the keys of the system")
                                                                 : fault;
}

/* ---- curves */
/* Large footprints of caches would need a warming up as long as they are. */
static bool is_too_large(const struct micro_case *what, const struct measurement *measurement)
{
    enum { MOST_BYTES = 6 << 20 };

    return what->kind == CASE_CHASE && what->bytes > MOST_BYTES && what->bytes < measurement->memory.large_bytes;
}

struct fault agreement_curve(const struct found_system *system, struct measurement *measurement, const char *name,
                             const struct agreement_options *options)
{
    struct found_system copy = *system;
    struct agreement *const agreement = calloc(1, sizeof *agreement);
    size_t const length = strlen(name);
    struct fault fault = agreement ? fault_none() : fault_memory("measure", "replays");

    if (!agreement)
        return fault;
    agreement->system = &copy;
    agreement->measurement = measurement;
    agreement->options = options;
    agreement->start_s = host_clock_s();
    for (size_t i = 0; i < measurement->count && fault.kind == FAULT_NONE; i++) {
        struct measured *const measured = &measurement->list[i];

        if (strncmp(measured->name, name, length) != 0 || measured->name[length] != ' '
            || is_too_large(&measured->what, measurement))
            continue;
        if (has_no_time(agreement)
            || (options->progress && options->progress(options->context, measured->name, 1)))
            break;
        fault = add_case(agreement, measured);
        if (fault.kind == FAULT_NONE && agreement->case_count > 0)
            fault = replay_cases(agreement);
        forget_cases(agreement);
    }
    free(agreement);
    return fault.kind == FAULT_MEMORY ? fault : fault_none();
}
