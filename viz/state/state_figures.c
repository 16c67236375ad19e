/* One walk over the fields of the layout adds up the figures of a component; shares are computed at the end, so that
 * those of several channels or SMs are weighted by their work. */
#include "viz/state/state_figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the activity of a component */

/* Sums of everything that figures are made of. `all` 0: the component has no such thing, or nothing happened. */
struct part {
    double some, all;
};

struct gathered {
    const uint64_t *before, *words;
    bool has_span;
    double fullest;
    const char *fullest_name;
    double read, write, both;            /* bytes a second */
    bool has_bytes, has_directions;
    double peak;
    struct part work, issuing, hits, latency, warps;
    bool has_work, is_gpu;               /* stall_cycles are there; the GPU's own counters tell hits */
    double busiest;                      /* way of a bus */
};

static const struct { const char *field, *name; } queue_names[] = {
    {"rob_ps", "ROB"}, {"load_buffer_ps", "load buffer"}, {"store_buffer_ps", "store buffer"}, {"mshrs_ps", "MSHRs"},
    {"write_buffers_ps", "write buffers"}, {"read_queue_ps", "read queue"}, {"write_queue_ps", "write queue"},
    {"waiting", "senders that wait"}
};

static const char *queue_name(const char *field)
{
    for (size_t i = 0; i < sizeof queue_names / sizeof *queue_names; i++)
        if (strcmp(queue_names[i].field, field) == 0)
            return queue_names[i].name;
    return field;
}

static double rate_of(const struct gathered *all, const struct telemetry_field *field, uint32_t element)
{
    return telemetry_rate(field, element, all->before, all->words);
}

static double delta_of(const struct gathered *all, const struct telemetry_field *field, uint32_t element)
{
    return (double)telemetry_delta(field, element, all->before, all->words);
}

static void add_queue(struct gathered *all, const struct telemetry_field *field)
{
    for (uint32_t i = 0; i < field->count; i++) {
        double const share = rate_of(all, field, i) / (double)field->limit;

        if (isnan(all->fullest) || share > all->fullest) {
            all->fullest = share;
            all->fullest_name = queue_name(field->name);
        }
    }
}

static void add_bytes(struct gathered *all, const struct telemetry_field *field)
{
    all->has_bytes = all->has_directions = true;
    all->read += rate_of(all, field, 0);
    all->write += rate_of(all, field, 1);
    all->both = all->read + all->write;
    all->peak += (double)field->limit;
}

static void add_bus_bytes(struct gathered *all, const struct telemetry_field *field)
{
    all->has_bytes = true;
    for (uint32_t i = 0; i < field->count; i++)
        all->both += rate_of(all, field, i);
    all->peak += (double)field->limit * field->count;
}

/* Ticks in a second, as a share. */
static void add_ways(struct gathered *all, const struct telemetry_field *field)
{
    for (uint32_t i = 0; i < field->count; i++)
        all->busiest = fmax(all->busiest, 1e-12 * rate_of(all, field, i));
}

static void add_latencies(struct gathered *all, const struct telemetry_field *field)
{
    for (uint32_t i = 0; i < field->count; i++) {
        double const count = delta_of(all, field, i);
        uint64_t const floor_ps = latency_bin_floor(i);
        uint64_t const end_ps = i + 1 < field->count ? latency_bin_floor(i + 1) : floor_ps;

        all->latency.some += count * (double)(floor_ps + end_ps) / 2;
        all->latency.all += count;
    }
}

static double element_of(const struct gathered *all, const struct telemetry_field *field, const char *name)
{
    for (uint32_t i = 0; field->element_names && i < field->count; i++)
        if (strcmp(field->element_names[i], name) == 0)
            return delta_of(all, field, i);
    return 0;
}

static void add_core_field(struct gathered *all, const struct telemetry_field *field)
{
    if (strcmp(field->name, "cycles") == 0) {
        all->work.some += element_of(all, field, "working");
        for (uint32_t i = 0; i < field->count; i++)
            all->work.all += delta_of(all, field, i);
    } else if (strcmp(field->name, "load_latency") == 0) {
        add_latencies(all, field);
    }
}

static void add_dram_field(struct gathered *all, const struct telemetry_field *field)
{
    if (strcmp(field->name, "bytes") == 0)
        add_bytes(all, field);
    else if (strcmp(field->name, "read_latency_ps") == 0)
        all->latency.some += delta_of(all, field, 0);
    else if (strcmp(field->name, "read_bursts") == 0)
        all->latency.all += delta_of(all, field, 0);
    else if (strcmp(field->name, "bursts") == 0) {
        all->hits.some += delta_of(all, field, 0);
        for (uint32_t i = 0; i < field->count; i++)
            all->hits.all += delta_of(all, field, i);
    }
}

static void add_rank_field(struct gathered *all, const struct telemetry_field *field)
{
    bool const is_access = strcmp(field->name, "reads") == 0 || strcmp(field->name, "writes") == 0;
    double sum = 0;

    for (uint32_t i = 0; field->kind == TELEMETRY_COUNTER && i < field->count; i++)
        sum += delta_of(all, field, i);
    if (is_access)
        all->hits.all += sum;
    if (is_access || strcmp(field->name, "activates") == 0)
        all->hits.some += is_access ? sum : -sum;
    if (strcmp(field->name, "power_ps") == 0) {
        all->work.some += element_of(all, field, "active");
        all->work.all += sum;
    }
}

/* Slices and SMs tell no latency. */
static void add_demand(struct gathered *all, const struct telemetry_field *field)
{
    if (strcmp(field->name, "demand") != 0 || field->count < 2)
        return;
    all->hits.some += delta_of(all, field, 0);
    all->hits.all += delta_of(all, field, 0) + delta_of(all, field, 1);
    if (field->count > 2) {
        all->latency.some += delta_of(all, field, 2);
        all->latency.all += delta_of(all, field, 1);
    }
}

/* Schedulers that issue: of all cycles between two samples, or, in layouts without these, at the moment. */
static void add_sm_field(struct gathered *all, const struct telemetry_field *field)
{
    if (strcmp(field->name, "warps") == 0) {
        all->warps.all += (double)field->limit;
        all->warps.some += (double)field->limit - (double)telemetry_value(field, 0, all->words);
    } else if (strcmp(field->name, "stalls") == 0) {
        all->issuing.all += (double)field->limit;
        all->issuing.some += (double)telemetry_value(field, 0, all->words);
    } else if (strcmp(field->name, "stall_cycles") == 0) {
        all->has_work = true;
        all->work.some += delta_of(all, field, 0);
        for (uint32_t i = 0; i < field->count; i++)
            all->work.all += delta_of(all, field, i);
    }
}

static void add_gpu_field(struct gathered *all, const struct telemetry_field *field)
{
    if (strcmp(field->name, "counts") == 0) {
        all->hits.some += element_of(all, field, "l1_read_hits");
        all->hits.all += element_of(all, field, "l1_reads");
        all->latency.some += element_of(all, field, "latency_ps");
        all->latency.all += element_of(all, field, "latency_requests");
    }
}

static void add_field(struct gathered *all, enum telemetry_part part, const struct telemetry_field *field)
{
    if (field->kind == TELEMETRY_INTEGRAL && field->limit && all->has_span)
        add_queue(all, field);
    switch (part) {
    case TELEMETRY_CORE:
        add_core_field(all, field);
        break;
    case TELEMETRY_CACHE:
    case TELEMETRY_SLICE:
        add_demand(all, field);
        break;
    case TELEMETRY_BUS:
        if (field->kind == TELEMETRY_LEVEL && field->limit)
            add_queue(all, field);
        else if (strcmp(field->name, "bytes_below") == 0)
            add_bus_bytes(all, field);
        else if (strcmp(field->name, "request_ps") == 0 || strcmp(field->name, "response_ps") == 0)
            add_ways(all, field);
        break;
    case TELEMETRY_MEMORY:
    case TELEMETRY_CHANNEL:
        add_dram_field(all, field);
        break;
    case TELEMETRY_RANK:
        add_rank_field(all, field);
        break;
    case TELEMETRY_GPU:
        add_gpu_field(all, field);
        break;
    case TELEMETRY_SM:
        add_sm_field(all, field);
        if (!all->is_gpu)
            add_demand(all, field);
        break;
    case TELEMETRY_SYSTEM:
    case TELEMETRY_PART_COUNT:
        break;
    }
}

/* Whose fields count for which component besides its own. */
static bool counts_for(const struct telemetry *layout, uint32_t component, enum telemetry_part of_part, uint32_t of)
{
    enum telemetry_part const part = layout->components[component].part;

    if (component == of)
        return true;
    if (part == TELEMETRY_SYSTEM)
        return of_part == TELEMETRY_CHANNEL || of_part == TELEMETRY_MEMORY;
    if (part == TELEMETRY_MEMORY)
        return of_part == TELEMETRY_CHANNEL && layout->components[of].parent == component;
    return part == TELEMETRY_GPU && of_part == TELEMETRY_SM && layout->components[of].parent == component;
}

static double share_of(struct part part)
{
    return part.all > 0 ? part.some / part.all : (double)NAN;
}

/* From the fields from `first` to before `end`, which hold all that count. */
static struct component_figures figures_within(const struct telemetry *layout, uint32_t component,
                                               const uint64_t *before, const uint64_t *words, uint32_t first,
                                               uint32_t end)
{
    struct gathered all = {.before = before, .words = words, .has_span = telemetry_span_ps(before, words) != 0,
                           .fullest = (double)NAN, .busiest = (double)NAN,
                           .is_gpu = layout->components[component].part == TELEMETRY_GPU};
    struct component_figures figures;

    for (uint32_t i = first; i < end; i++) {
        const struct telemetry_field *const field = &layout->fields[i];
        enum telemetry_part const part = layout->components[field->component].part;

        if (counts_for(layout, component, part, field->component))
            add_field(&all, part, field);
    }
    if (!all.has_work && all.issuing.all > 0)
        all.work = all.issuing;
    if (all.warps.all > 0) {
        all.fullest = share_of(all.warps);
        all.fullest_name = "warp slots";
    }
    figures = (struct component_figures){
        .occupancy = all.fullest, .fullest = all.fullest_name,
        .read_rate = all.has_directions && all.has_span ? all.read : (double)NAN,
        .write_rate = all.has_directions && all.has_span ? all.write : (double)NAN,
        .rate = all.has_bytes && all.has_span ? all.both : (double)NAN,
        .peak_rate = all.peak > 0 ? all.peak : (double)NAN,
        .hit_rate = share_of(all.hits), .latency_ps = share_of(all.latency), .busy = share_of(all.work)
    };
    if (isnan(figures.busy) && all.has_span)
        figures.busy = all.busiest;
    if (isnan(figures.busy) && all.peak > 0)
        figures.busy = figures.rate / all.peak;
    return figures;
}

struct component_figures figures_of(const struct telemetry *layout, uint32_t component, const uint64_t *before,
                          const uint64_t *words)
{
    return figures_within(layout, component, before, words, 0, layout->field_count);
}

static bool has_fields_of_others(enum telemetry_part part)
{
    return part == TELEMETRY_SYSTEM || part == TELEMETRY_MEMORY || part == TELEMETRY_GPU;
}

/* The fields of a component are neighbours as a rule: then these are all that is looked at. */
void figures_of_all(const struct telemetry *layout, const uint64_t *before, const uint64_t *words,
                    struct component_figures *figures)
{
    double const not_yet = -1;

    for (uint32_t i = 0; i < layout->component_count; i++)
        figures[i] = (struct component_figures){.peak_rate = not_yet};
    for (uint32_t first = 0, end; first < layout->field_count; first = end) {
        uint32_t const component = layout->fields[first].component;
        bool const is_first = figures[component].peak_rate == not_yet;

        for (end = first + 1; end < layout->field_count && layout->fields[end].component == component; end++)
            continue;
        if (!is_first || has_fields_of_others(layout->components[component].part))
            figures[component] = figures_of(layout, component, before, words);
        else
            figures[component] = figures_within(layout, component, before, words, first, end);
    }
    for (uint32_t i = 0; i < layout->component_count; i++)
        if (figures[i].peak_rate == not_yet)
            figures[i] = figures_of(layout, i, before, words);
}

double figures_link_rate(const struct telemetry *layout, const struct telemetry_link *link, const uint64_t *before,
                         const uint64_t *words, double *share)
{
    const struct telemetry_field *field;
    double rate;

    *share = (double)NAN;
    if (link->field == TELEMETRY_NONE || telemetry_span_ps(before, words) == 0)
        return (double)NAN;
    field = &layout->fields[link->field];
    rate = telemetry_rate(field, link->element, before, words);
    if (field->limit)
        *share = rate / (double)field->limit;
    return rate;
}

/* ---- text */

/* Three digits that count, below 1000 after rounding. */
static bool put_digits(char *text, size_t room, double value, const char *unit)
{
    double const size = fabs(value);

    if (size >= 999.5)
        return false;
    snprintf(text, room, "%.*f%s", value == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2, value, unit);
    return true;
}

static void put_scaled(char *text, size_t room, double value, const char *const *units, size_t count)
{
    if (isnan(value)) {
        snprintf(text, room, "-");
        return;
    }
    for (size_t i = 0; i + 1 < count; i++, value /= 1000)
        if (put_digits(text, room, value, units[i]))
            return;
    if (!put_digits(text, room, value, units[count - 1]))
        snprintf(text, room, "%.3g%s", value, units[count - 1]);
}

#define UNITS(...) (const char *const[]){__VA_ARGS__}, sizeof (const char *const[]){__VA_ARGS__} / sizeof(char *)

void figures_bytes_rate(char *text, size_t room, double bytes_per_second)
{
    put_scaled(text, room, bytes_per_second, UNITS(" B/s", " kB/s", " MB/s", " GB/s", " TB/s"));
}

void figures_time(char *text, size_t room, double ps)
{
    if (fabs(ps) < 1 && ps != 0)
        snprintf(text, room, "%.2g ps", ps);
    else
        put_scaled(text, room, ps, UNITS(" ps", " ns", " us", " ms", " s"));
}

void figures_percent(char *text, size_t room, double share)
{
    put_scaled(text, room, 100 * share, UNITS(" %"));
}

void figures_count(char *text, size_t room, double count)
{
    if (fabs(count) < 999.5 && count == floor(count))
        snprintf(text, room, "%.0f", count);
    else
        put_scaled(text, room, count, UNITS("", " k", " M", " G", " T", " P"));
}

static void put_counter(char *text, size_t room, const struct telemetry_field *field, const char *name, double delta,
                        double rate)
{
    char limit[32], number[32];

    if (strcmp(field->unit, "Byte") == 0) {
        figures_bytes_rate(number, sizeof number, rate);
        figures_bytes_rate(limit, sizeof limit, (double)field->limit);
        snprintf(text, room, field->limit ? "%s of %s" : "%s", number, limit);
    } else if (strcmp(field->unit, "Tick") == 0 && strstr(name, "latency")) {
        figures_time(number, sizeof number, delta);
        snprintf(text, room, "%s in all", number);
    } else if (strcmp(field->unit, "Tick") == 0) {
        figures_percent(number, sizeof number, 1e-12 * rate);
        snprintf(text, room, "%s of the time", number);
    } else if (strcmp(field->unit, "Cycle") == 0) {
        figures_count(number, sizeof number, delta);
        snprintf(text, room, "%s cycles", number);
    } else {
        put_scaled(text, room, rate, UNITS("/s", " k/s", " M/s", " G/s", " T/s"));
    }
}

/* "closed", or the row itself: samples count rows from 1. */
static void put_place(char *text, size_t room, const struct telemetry_field *field, uint64_t value)
{
    if (strcmp(field->unit, "Byte") == 0)
        snprintf(text, room, "0x%" PRIx64, value);
    else if (strcmp(field->unit, "Row") != 0)
        snprintf(text, room, "%" PRIu64, value);
    else if (value == 0)
        snprintf(text, room, "closed");
    else
        snprintf(text, room, "row %" PRIu64, value - 1);
}

void figures_field(char *text, size_t room, const struct telemetry_field *field, uint32_t element,
                   const uint64_t *before, const uint64_t *words)
{
    const char *const name = field->element_names ? field->element_names[element] : field->name;
    uint64_t const value = telemetry_value(field, element, words);
    double const rate = telemetry_span_ps(before, words) || field->kind == TELEMETRY_LEVEL
                            ? telemetry_rate(field, element, before, words) : (double)NAN;
    char number[32];

    switch (field->kind) {
    case TELEMETRY_COUNTER:
        put_counter(text, room, field, name, (double)telemetry_delta(field, element, before, words), rate);
        break;
    case TELEMETRY_INTEGRAL:
    case TELEMETRY_LEVEL:
        figures_count(number, sizeof number, rate);
        if (field->limit)
            snprintf(text, room, "%s of %" PRIu64, number, field->limit);
        else
            snprintf(text, room, "%s", number);
        break;
    case TELEMETRY_STATE:
        if (field->state_names && value < field->state_count)
            snprintf(text, room, "%s", field->state_names[value]);
        else
            snprintf(text, room, "%" PRIu64, value);
        break;
    case TELEMETRY_BINS:
        figures_count(text, room, (double)telemetry_delta(field, element, before, words));
        break;
    case TELEMETRY_PLACE:
    case TELEMETRY_KIND_COUNT:
        put_place(text, room, field, value);
        break;
    }
}
