/* A plan made once from the names of fields says which words of a sample are added to which sums; a sample then costs
 * one add a word. Fields that a system does not have leave their group empty. */
#include "viz/state/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* count words of a sample, each added to its own sum. */
struct digest_source {
    uint32_t from, to, count;
    bool is_level;                       /* times the time since the sample before */
};

static void add_source(struct digest *digest, const struct telemetry_field *field, uint32_t element, uint32_t to,
                       uint32_t count)
{
    bool const counts = field->kind == TELEMETRY_COUNTER || field->kind == TELEMETRY_BINS
                        || field->kind == TELEMETRY_INTEGRAL;

    if (digest->sources)
        digest->sources[digest->source_count] = (struct digest_source){
            .from = field->first + element, .to = to, .count = count, .is_level = !counts
        };
    digest->source_count++;
    digest->has_levels |= !counts;
}

static void add_limit(struct digest *digest, uint32_t word, double limit)
{
    if (digest->limits)
        digest->limits[word] += limit;
}

/* A field of that name, of such a component, which the digest is made of. */
static bool counts_here(const struct digest *digest, const struct telemetry_field *field, enum telemetry_part part,
                        const char *name)
{
    return (digest->only == TELEMETRY_NONE || digest->only == field->component)
           && digest->layout->components[field->component].part == part && strcmp(field->name, name) == 0;
}

/* All fields of that name add to the same words. */
static void sum_fields(struct digest *digest, enum digest_group_kind kind, enum telemetry_part part, const char *name)
{
    struct digest_group *const group = &digest->groups[kind];

    for (uint32_t i = 0; i < digest->layout->field_count; i++) {
        const struct telemetry_field *const field = &digest->layout->fields[i];

        if (!counts_here(digest, field, part, name))
            continue;
        if (group->count == 0) {
            group->first = digest->word_count;
            group->count = field->count;
            group->names = field->element_names;
            digest->word_count += field->count;
        }
        if (field->count != group->count)
            continue;
        group->limit += (double)field->limit;
        for (uint32_t j = 0; j < group->count; j++)
            add_limit(digest, group->first + j, (double)field->limit);
        add_source(digest, field, 0, group->first, field->count);
    }
}

/* ---- requestors */

#define MANY_CORES (TELEMETRY_NONE - 1)

enum { MOST_STEPS = 16 };

/* The one core whose requests come to a component, over any caches and buses; TELEMETRY_NONE: none, or
 * MANY_CORES, as a GPU is. `steps` ends a walk in a circle. */
static uint32_t core_above(const struct telemetry *layout, uint32_t component, unsigned steps)
{
    enum telemetry_part const part = layout->components[component].part;
    uint32_t core = TELEMETRY_NONE;

    if (part == TELEMETRY_CORE)
        return component;
    if (part == TELEMETRY_GPU || part == TELEMETRY_SM)
        return MANY_CORES;
    for (uint32_t i = 0; i < layout->link_count && steps > 0 && core != MANY_CORES; i++) {
        uint32_t above;

        if (layout->links[i].to != component)
            continue;
        above = core_above(layout, layout->links[i].from, steps - 1);
        if (above != TELEMETRY_NONE && above != core)
            core = core == TELEMETRY_NONE ? above : MANY_CORES;
    }
    return core;
}

static bool ends_with(const char *name, size_t length, const char *end)
{
    size_t const end_length = strlen(end);

    return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* The only core that uses the cache of a prefetcher, or NULL if none or several do. */
static const char *core_of_prefetcher(const struct telemetry *layout, const char *name, size_t cache_length)
{
    for (uint32_t i = 0; i < layout->component_count; i++) {
        const char *const cache = layout->components[i].name;
        uint32_t core;

        if (strlen(cache) != cache_length || memcmp(cache, name, cache_length) != 0)
            continue;
        core = core_above(layout, i, MOST_STEPS);
        return core == TELEMETRY_NONE || core == MANY_CORES ? NULL : layout->components[core].name;
    }
    return NULL;
}

/* Instructions, data, page walks and prefetchers of a core count together. The answer is as long as *length says. */
static const char *owner_name(const struct telemetry *layout, const char *name, size_t *length)
{
    const char *core;

    *length = strlen(name);
    if (ends_with(name, *length, ".inst") || ends_with(name, *length, ".data"))
        *length -= 5;
    if (ends_with(name, *length, ".mmu.walker"))
        *length -= 11;
    if (!ends_with(name, *length, ".prefetcher"))
        return name;
    core = core_of_prefetcher(layout, name, *length - strlen(".prefetcher"));
    if (!core)
        return name;
    *length = strlen(core);
    return core;
}

/* Its place among the requestors; a new one if it is not there yet. */
static uint32_t digest_owner_of(struct digest *digest, const char *requestor)
{
    size_t length;
    const char *const name = owner_name(digest->layout, requestor, &length);
    char *copy;

    for (uint32_t i = digest->requestor_count; i-- > 0;)
        if (strlen(digest->requestors[i]) == length && memcmp(digest->requestors[i], name, length) == 0)
            return i;
    copy = strndup(name, length);
    if (!copy) {
        digest->lacks_memory = true;
        return 0;
    }
    digest->requestors[digest->requestor_count] = copy;
    return digest->requestor_count++;
}

/* In the digest of a single core or SM only its own requests count. SMs are numbered in the order of the layout. */
static bool is_counted(const struct digest *digest, const char *requestor, uint32_t element)
{
    const struct telemetry_component *const components = digest->layout->components;
    uint32_t sm = 0;
    size_t length;
    const char *name;

    if (digest->only == TELEMETRY_NONE)
        return true;
    if (components[digest->only].part == TELEMETRY_SM && !requestor) {
        for (uint32_t i = 0; i < digest->only; i++)
            sm += components[i].part == TELEMETRY_SM;
        return sm == element;
    }
    if (!requestor)
        return false;
    name = owner_name(digest->layout, requestor, &length);
    return strlen(components[digest->only].name) == length
           && memcmp(components[digest->only].name, name, length) == 0;
}

/* The name of a component, by its number among those of a part, or NULL if the number is too high. */
static const char *name_in_part(const struct telemetry *layout, enum telemetry_part part, uint32_t number)
{
    for (uint32_t i = 0; i < layout->component_count; i++)
        if (layout->components[i].part == part && number-- == 0)
            return layout->components[i].name;
    return NULL;
}

/* SMs have no names there but those of their components. */
static const char *requestor_name(const struct digest *digest, const struct telemetry_field *field, uint32_t element)
{
    return field->element_names ? field->element_names[element]
           : digest->are_sms ? name_in_part(digest->layout, TELEMETRY_SM, element) : NULL;
}

static void add_requestors(struct digest *digest, const struct telemetry_field *field)
{
    struct digest_group *const group = &digest->groups[DIGEST_REQUESTORS];
    const char *called;
    char name[32];
    uint32_t owner;

    if (!digest->requestors) {           /* in the first pass the room is asked for, and no more */
        digest->requestor_room += field->count;
        group->count = digest->requestor_room;
        digest->source_count += field->count;
        return;
    }
    group->first = digest->word_count;
    for (uint32_t i = 0; i < field->count; i++) {
        if (!is_counted(digest, field->element_names ? field->element_names[i] : NULL, i))
            continue;
        called = requestor_name(digest, field, i);
        snprintf(name, sizeof name, "requestor %u", i);
        owner = digest_owner_of(digest, called ? called : name);
        add_source(digest, field, i, group->first + owner, 1);
    }
    group->count = digest->requestor_count;
    group->names = digest->requestors;
}

/* They come last: how many there are is known when they were added. */
static void plan_requestors(struct digest *digest)
{
    bool has_requestors = false;

    for (uint32_t i = 0; i < digest->layout->field_count; i++) {
        const struct telemetry_field *const field = &digest->layout->fields[i];

        if (strcmp(field->name, "requestor_read_bytes") == 0 || strcmp(field->name, "requestor_write_bytes") == 0) {
            add_requestors(digest, field);
            has_requestors = true;
        }
    }
    for (uint32_t i = 0; !has_requestors && i < digest->layout->field_count; i++) {
        const struct telemetry_field *const field = &digest->layout->fields[i];

        if (strcmp(field->name, "bytes_above") == 0
            && strcmp(digest->layout->components[field->component].name, "gpu_icnt") == 0) {
            digest->are_sms = true;
            add_requestors(digest, field);
        }
    }
    digest->word_count += digest->groups[DIGEST_REQUESTORS].count;
}

/* Each field of that name has a word of its own. */
static void gather_fields(struct digest *digest, enum digest_group_kind kind, enum telemetry_part part,
                          const char *name)
{
    struct digest_group *const group = &digest->groups[kind];

    group->first = digest->word_count;
    for (uint32_t i = 0; i < digest->layout->field_count; i++) {
        const struct telemetry_field *const field = &digest->layout->fields[i];

        if (!counts_here(digest, field, part, name) || field->limit == 0)
            continue;
        group->limit += (double)field->limit;
        add_limit(digest, digest->word_count, (double)field->limit);
        add_source(digest, field, 0, digest->word_count, 1);
        digest->word_count++;
        group->count++;
    }
}

/* Elements of fields that are a count and a sum beside others: all components' together, two words. */
static void pair_fields(struct digest *digest, enum digest_group_kind kind, enum telemetry_part part,
                        const char *const fields[2], const char *const elements[2])
{
    struct digest_group *const group = &digest->groups[kind];

    for (uint32_t i = 0; i < digest->layout->field_count; i++) {
        const struct telemetry_field *const field = &digest->layout->fields[i];

        for (uint32_t which = 0; which < 2; which++) {
            if (!counts_here(digest, field, part, fields[which]))
                continue;
            if (group->count == 0) {
                group->first = digest->word_count;
                group->count = 2;
                digest->word_count += 2;
            }
            for (uint32_t j = 0; j < field->count; j++)
                if (!elements[which]
                    || (field->element_names && strcmp(field->element_names[j], elements[which]) == 0))
                    add_source(digest, field, j, group->first + which, 1);
        }
    }
}

static void plan(struct digest *digest)
{
    static const char *const gpu_reads[2] = {"counts", "counts"};
    static const char *const gpu_read_elements[2] = {"latency_requests", "latency_ps"};
    static const char *const dram_reads[2] = {"read_bursts", "read_latency_ps"}, *const whole[2] = {NULL, NULL};

    memset(digest->groups, 0, sizeof digest->groups);
    digest->groups[DIGEST_SPAN].count = 1;
    digest->word_count = 1;
    digest->source_count = 0;
    sum_fields(digest, DIGEST_BYTES, TELEMETRY_CHANNEL, "bytes");
    sum_fields(digest, DIGEST_BYTES, TELEMETRY_MEMORY, "bytes");
    sum_fields(digest, DIGEST_LATENCY, TELEMETRY_CORE, "load_latency");
    sum_fields(digest, DIGEST_CYCLES, TELEMETRY_CORE, "cycles");
    gather_fields(digest, DIGEST_ROB, TELEMETRY_CORE, "rob_ps");
    gather_fields(digest, DIGEST_LOADS, TELEMETRY_CORE, "load_buffer_ps");
    gather_fields(digest, DIGEST_STORES, TELEMETRY_CORE, "store_buffer_ps");
    sum_fields(digest, DIGEST_WARPS, TELEMETRY_SM, "warps");
    sum_fields(digest, DIGEST_STALLS, TELEMETRY_SM, "stall_cycles");
    if (digest->groups[DIGEST_STALLS].count == 0)
        sum_fields(digest, DIGEST_STALLS, TELEMETRY_SM, "stalls");
    sum_fields(digest, DIGEST_GPU_LATENCY, TELEMETRY_GPU, "load_latency");
    pair_fields(digest, DIGEST_GPU_READS, TELEMETRY_GPU, gpu_reads, gpu_read_elements);
    pair_fields(digest, DIGEST_DRAM_READS, TELEMETRY_CHANNEL, dram_reads, whole);
    plan_requestors(digest);
}

struct fault digest_init(struct digest *digest, const struct telemetry *layout)
{
    return digest_init_of(digest, layout, TELEMETRY_NONE);
}

struct fault digest_init_of(struct digest *digest, const struct telemetry *layout, uint32_t component)
{
    *digest = (struct digest){.layout = layout, .only = component};
    plan(digest);                        /* counts only: there is no room yet */
    digest->requestors = calloc(digest->requestor_room + 1, sizeof *digest->requestors);
    digest->sources = calloc(digest->source_count + 1, sizeof *digest->sources);
    digest->limits = calloc(digest->word_count, sizeof *digest->limits);
    if (!digest->requestors || !digest->sources || !digest->limits) {
        digest_free(digest);
        return fault_make(FAULT_MEMORY, "out of memory for the sums of samples");
    }
    plan(digest);
    if (digest->lacks_memory) {
        digest_free(digest);
        return fault_make(FAULT_MEMORY, "out of memory for the sums of samples");
    }
    return fault_none();
}

void digest_free(struct digest *digest)
{
    for (uint32_t i = 0; i < digest->requestor_count; i++)
        free((void *)(uintptr_t)digest->requestors[i]);
    free(digest->requestors);
    free(digest->sources);
    free(digest->limits);
    *digest = (struct digest){0};
}

void digest_add(const struct digest *digest, const uint64_t *before, const uint64_t *sums_before,
                const uint64_t *words, uint64_t *sums)
{
    uint64_t const span_ps = telemetry_span_ps(before, words);
    bool const goes_on = before && before[TELEMETRY_SINCE] == words[TELEMETRY_SINCE];

    if (sums_before)
        memmove(sums, sums_before, digest->word_count * sizeof *sums);
    else
        memset(sums, 0, digest->word_count * sizeof *sums);
    sums[digest->groups[DIGEST_SPAN].first] += span_ps;
    for (uint32_t i = 0; i < digest->source_count; i++) {
        const struct digest_source *const source = &digest->sources[i];
        const uint64_t *const from = words + source->from;
        uint64_t *const to = sums + source->to;

        if (source->is_level)
            for (uint32_t j = 0; j < source->count; j++)
                to[j] += from[j] * span_ps;
        else if (goes_on)
            for (uint32_t j = 0; j < source->count; j++)
                to[j] += from[j] - before[source->from + j];
        else
            for (uint32_t j = 0; j < source->count; j++)
                to[j] += from[j];
    }
}

double digest_rate(const uint64_t *sums_before, const uint64_t *sums, uint32_t word)
{
    uint64_t const span_ps = digest_delta(sums_before, sums, 0);

    return span_ps ? (double)digest_delta(sums_before, sums, word) / (double)span_ps : (double)NAN;
}

void digest_percentiles(const struct digest_group *group, const uint64_t *sums_before, const uint64_t *sums,
                        const double *percents, uint32_t count, double *values)
{
    uint64_t all = 0, seen = 0;
    uint32_t bin = 0;

    for (uint32_t i = 0; i < group->count; i++)
        all += digest_delta(sums_before, sums, group->first + i);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t const wanted = (uint64_t)ceil(percents[i] / 100 * (double)all);

        /* `seen` are those of bins before this one. */
        while (bin + 1 < group->count && seen + digest_delta(sums_before, sums, group->first + bin) < wanted)
            seen += digest_delta(sums_before, sums, group->first + bin++);
        values[i] = all == 0 ? (double)NAN
                    : bin + 1 < group->count
                        ? (double)(latency_bin_floor(bin) + latency_bin_floor(bin + 1)) / 2
                        : (double)latency_bin_floor(group->count - 1);
    }
}
