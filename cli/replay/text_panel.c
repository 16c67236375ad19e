/* Figures are found by part and name, so that any system has its rows; of many components of a part, those with most
 * use come together: sums of counts, means of shares. */
#include "cli/replay/text_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/shown.h"

enum { BAR = 24 };

static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

struct fault text_panel_init(struct text_panel *panel, const struct telemetry *layout)
{
    *panel = (struct text_panel){.layout = layout};
    panel->words = calloc(layout->word_count, sizeof *panel->words);
    panel->before = calloc(layout->word_count, sizeof *panel->before);
    panel->areas = calloc(layout->word_count, sizeof *panel->areas);
    if (!panel->words || !panel->before || !panel->areas)
        return fault_make(FAULT_MEMORY, "out of memory for a panel");
    return text_families_init(&panel->families, layout);
}

void text_panel_free(struct text_panel *panel)
{
    free(panel->words);
    free(panel->before);
    free(panel->areas);
    text_families_free(&panel->families);
    *panel = (struct text_panel){0};
}

/* ---- figures */

static const uint64_t *sample_before(const struct text_panel *panel)
{
    return panel->has_before ? panel->before : NULL;
}

static bool is_of(const struct text_panel *panel, const struct telemetry_field *field, enum telemetry_part part,
                  const char *name)
{
    return panel->layout->components[field->component].part == part && strcmp(field->name, name) == 0;
}

/* Of one element of all components of a part: the sum, and that of the limits. */
struct total {
    double value, limit;
    unsigned count;
};

static struct total total_of(const struct text_panel *panel, enum telemetry_part part, const char *name,
                             uint32_t element)
{
    struct total total = {0};

    for (uint32_t i = 0; i < panel->layout->field_count; i++) {
        const struct telemetry_field *const field = &panel->layout->fields[i];

        if (!is_of(panel, field, part, name) || element >= field->count)
            continue;
        total.value += panel->is_whole && field->kind == TELEMETRY_LEVEL && panel->area_ps > 0
                           ? panel->areas[field->first + element] / (double)panel->area_ps
                           : telemetry_rate(field, element, sample_before(panel), panel->words);
        total.limit += (double)field->limit;
        total.count++;
    }
    return total;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Bytes a second of channels and of simple memories, which know no channels. */
static struct total bandwidth(const struct text_panel *panel, uint32_t direction)
{
    struct total const channels = total_of(panel, TELEMETRY_CHANNEL, "bytes", direction);
    struct total const simple = total_of(panel, TELEMETRY_MEMORY, "bytes", direction);

    return (struct total){channels.value + simple.value, channels.limit + simple.limit, channels.count + simple.count};
}

/* Of the loads of all cores; the mean of the cores that had any. */
static double latency_ns(const struct text_panel *panel, double percent)
{
    double sum = 0;
    unsigned count = 0;

    for (uint32_t i = 0; i < panel->layout->field_count; i++) {
        const struct telemetry_field *const field = &panel->layout->fields[i];
        uint64_t latency_ps;

        if (!is_of(panel, field, TELEMETRY_CORE, "load_latency"))
            continue;
        latency_ps = telemetry_latency_percentile(field, sample_before(panel), panel->words, percent);
        sum += 1e-3 * (double)latency_ps;
        count += latency_ps != 0;
    }
    return share(sum, count);
}

static double row_hit_share(const struct text_panel *panel)
{
    double bursts[3];

    for (uint32_t i = 0; i < 3; i++)
        bursts[i] = total_of(panel, TELEMETRY_CHANNEL, "bursts", i).value;
    return share(bursts[0], bursts[0] + bursts[1] + bursts[2]);
}

/* ---- drawing */

static void put_bar(FILE *to, double part)
{
    unsigned const filled = (unsigned)(8 * BAR * (part < 0 ? 0 : part > 1 ? 1 : part) + 0.5);

    for (unsigned i = 0; i < BAR; i++)
        fputs(eighths[filled >= 8 * (i + 1) ? 8 : filled > 8 * i ? filled - 8 * i : 0], to);
}

static void put_course(FILE *to, const double *course, double limit)
{
    double highest = limit;

    for (unsigned i = 0; limit <= 0 && i < TEXT_PANEL_COURSE; i++)
        highest = course[i] > highest ? course[i] : highest;
    for (unsigned i = 0; i < TEXT_PANEL_COURSE; i++) {
        double const part = share(course[i], highest);

        fputs(heights[part >= 1 ? 8 : course[i] > 0 && part < 0.125 ? 1 : (unsigned)(8 * part)], to);
    }
}

/* Ends the line, and clears the rest of the previous text. */
static void end_line(struct text_panel *panel, FILE *to)
{
    fputs("\033[K\n", to);
    panel->lines++;
}

static void put_bandwidth(struct text_panel *panel, FILE *to, uint32_t direction, const char *name)
{
    struct total const moved = bandwidth(panel, direction);

    if (!panel->is_whole) {
        memmove(panel->course[direction], panel->course[direction] + 1, (TEXT_PANEL_COURSE - 1) * sizeof(double));
        panel->course[direction][TEXT_PANEL_COURSE - 1] = moved.value;
    }
    fprintf(to, "%-14s %8.2f GB/s  ", name, 1e-9 * moved.value);
    put_course(to, panel->course[direction], moved.limit);
    if (moved.limit > 0)
        fprintf(to, "  of %.1f", 1e-9 * moved.limit);
    end_line(panel, to);
}

static void put_share(struct text_panel *panel, FILE *to, const char *name, double part, const char *what)
{
    fprintf(to, "%-14s %7.1f %% %s  ", name, 100 * part, what);
    put_bar(to, part);
    end_line(panel, to);
}

static void put_cores(struct text_panel *panel, FILE *to)
{
    static const struct { const char *field, *name; } buffers[] = {
        {"rob_ps", "ROB"}, {"load_buffer_ps", "load buffer"}, {"store_buffer_ps", "store buffer"}
    };
    double cycles[16], all = 0;
    const struct telemetry_field *stack = NULL;

    for (uint32_t i = 0; i < panel->layout->field_count; i++)
        if (is_of(panel, &panel->layout->fields[i], TELEMETRY_CORE, "cycles"))
            stack = &panel->layout->fields[i];
    if (!stack)
        return;
    fprintf(to, "%-14s p50 %.1f  p95 %.1f  p99 %.1f ns", "load latency", latency_ns(panel, 50), latency_ns(panel, 95),
            latency_ns(panel, 99));
    end_line(panel, to);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        struct total const used = total_of(panel, TELEMETRY_CORE, buffers[i].field, 0);

        put_share(panel, to, buffers[i].name, share(used.value, used.limit), "used");
    }
    for (uint32_t i = 0; i < stack->count && i < 16; i++)
        all += cycles[i] = total_of(panel, TELEMETRY_CORE, "cycles", i).value;
    for (uint32_t i = 0; i < stack->count && i < 16; i++)
        put_share(panel, to, stack->element_names[i], share(cycles[i], all), "cyc ");
}

static unsigned count_of(const struct text_panel *panel, enum telemetry_part part)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < panel->layout->component_count; i++)
        count += panel->layout->components[i].part == part;
    return count;
}

static void put_count(FILE *to, unsigned count, const char *name)
{
    if (count > 0)
        fprintf(to, ", %u %s%s", count, name, count > 1 ? "s" : "");
}

static void put_head(struct text_panel *panel, FILE *to)
{
    fprintf(to, "%-14s %.3f us", cli_shown(panel->layout->components[0].name),
            1e-6 * (double)panel->words[TELEMETRY_TIME]);
    put_count(to, count_of(panel, TELEMETRY_CORE), "core");
    put_count(to, count_of(panel, TELEMETRY_SM), "SM");
    put_count(to, count_of(panel, TELEMETRY_CHANNEL), "channel");
    if (panel->is_whole)
        fputs("; the whole run", to);
    end_line(panel, to);
}

/* The fullest queues of all components. */
static void put_fullest(struct text_panel *panel, FILE *to)
{
    const struct text_families *const families = &panel->families;

    if (families->fullest_count == 0)
        return;
    fprintf(to, "%-14s", "fullest");
    for (unsigned i = 0; i < families->fullest_count; i++) {
        const struct text_fullest *const fullest = &families->fullest[i];

        fprintf(to, "%s %s", i ? "," : "", cli_shown(panel->layout->components[fullest->component].name));
        fprintf(to, " %s %.0f %%", fullest->queue, 100 * fullest->share);
    }
    end_line(panel, to);
}

/* Memories and caches, all of a kind in a line; the bar is the mean of how full their fullest queues are. */
static void put_families(struct text_panel *panel, FILE *to)
{
    for (unsigned i = 0; i < panel->families.count; i++) {
        const struct text_family *const family = &panel->families.list[i];
        char name[TEXT_FAMILY_NAME + 8];

        snprintf(name, sizeof name, family->count > 1 ? "%s x%u" : "%s", family->name, family->count);
        fprintf(to, "%-14s", cli_shown(name));
        if (isnan(family->hit_rate))
            fprintf(to, " %7s   hit   ", "-");
        else
            fprintf(to, " %7.1f %% hit   ", 100 * family->hit_rate);
        put_bar(to, isnan(family->mean) ? 0 : family->mean);
        if (!isnan(family->mean) && family->count == 1)
            fprintf(to, "  %s %.0f %%", family->queue, 100 * family->mean);
        else if (!isnan(family->mean))
            fprintf(to, "  full %.0f %%, most %.0f %% %s", 100 * family->mean, 100 * family->most,
                    cli_shown(panel->layout->components[family->fullest].name));
        end_line(panel, to);
    }
}

/* The cycles of schedulers by activity or, in layouts without these, their present state. */
static const struct telemetry_field *find_stalls(const struct text_panel *panel)
{
    const struct telemetry_field *stalls = NULL;

    for (uint32_t i = 0; i < panel->layout->field_count; i++) {
        const struct telemetry_field *const field = &panel->layout->fields[i];

        if (is_of(panel, field, TELEMETRY_SM, "stall_cycles")
            || (!stalls && is_of(panel, field, TELEMETRY_SM, "stalls")))
            stalls = field;
    }
    return stalls;
}

static double stall_share(const struct text_panel *panel, const struct telemetry_field *stalls, uint32_t element)
{
    double all = 0;

    for (uint32_t i = 0; i < stalls->count; i++)
        all += total_of(panel, TELEMETRY_SM, stalls->name, i).value;
    return share(total_of(panel, TELEMETRY_SM, stalls->name, element).value, all);
}

static void put_sms(struct text_panel *panel, FILE *to)
{
    const struct telemetry_field *const stalls = find_stalls(panel), *warps = NULL;

    for (uint32_t i = 0; i < panel->layout->field_count; i++)
        warps = is_of(panel, &panel->layout->fields[i], TELEMETRY_SM, "warps") ? &panel->layout->fields[i] : warps;
    for (uint32_t i = 0; warps && i < warps->count; i++) {
        struct total const in_state = total_of(panel, TELEMETRY_SM, "warps", i);

        put_share(panel, to, warps->element_names[i], share(in_state.value, in_state.limit), "warp");
    }
    for (uint32_t i = 0; stalls && i < stalls->count; i++)
        put_share(panel, to, stalls->element_names[i], stall_share(panel, stalls, i), "sch.");
}

/* A level counts for the time since the previous sample. */
static void text_panel_remember(struct text_panel *panel)
{
    uint64_t const *const words = panel->words;
    uint64_t const span_ps = telemetry_span_ps(sample_before(panel), words);

    if (panel->since_ps != words[TELEMETRY_SINCE]) {
        panel->since_ps = words[TELEMETRY_SINCE];
        panel->area_ps = 0;
        memset(panel->areas, 0, panel->layout->word_count * sizeof *panel->areas);
    }
    for (uint32_t i = 0; i < panel->layout->field_count; i++) {
        const struct telemetry_field *const field = &panel->layout->fields[i];

        for (uint32_t j = field->first; field->kind == TELEMETRY_LEVEL && j < field->first + field->count; j++)
            panel->areas[j] += (double)words[j] * (double)span_ps;
    }
    panel->area_ps += span_ps;
    panel->samples++;
    memcpy(panel->before, words, panel->layout->word_count * sizeof *words);
    panel->has_before = true;
}

static void text_panel_draw_part(struct text_panel *panel, FILE *to)
{
    if (panel->lines)
        fprintf(to, "\033[%uA", panel->lines);
    panel->lines = 0;
    text_families_fill(&panel->families, sample_before(panel), panel->words);
    put_head(panel, to);
    put_bandwidth(panel, to, 0, "memory read");
    put_bandwidth(panel, to, 1, "memory write");
    put_share(panel, to, "DRAM rows", row_hit_share(panel), "hit ");
    put_fullest(panel, to);
    put_families(panel, to);
    put_cores(panel, to);
    put_sms(panel, to);
    fflush(to);
}

void text_panel_draw(struct text_panel *panel, FILE *to)
{
    text_panel_draw_part(panel, to);
    text_panel_remember(panel);
}

static void put_time(const struct text_panel *panel, FILE *to)
{
    if (panel->is_whole)
        fputs("whole run", to);
    else
        fprintf(to, "%.3f us", 1e-6 * (double)panel->words[TELEMETRY_TIME]);
}

static void text_panel_put_line(struct text_panel *panel, FILE *to)
{
    put_time(panel, to);
    fprintf(to, "  read %.2f GB/s  write %.2f GB/s  rows hit %.1f %%", 1e-9 * bandwidth(panel, 0).value,
            1e-9 * bandwidth(panel, 1).value, 100 * row_hit_share(panel));
    if (total_of(panel, TELEMETRY_CORE, "cycles", 0).count) {
        struct total const rob = total_of(panel, TELEMETRY_CORE, "rob_ps", 0);

        fprintf(to, "  load p50 %.1f p95 %.1f p99 %.1f ns  ROB %.1f %%", latency_ns(panel, 50), latency_ns(panel, 95),
                latency_ns(panel, 99), 100 * share(rob.value, rob.limit));
    }
    if (total_of(panel, TELEMETRY_SM, "warps", 0).count && find_stalls(panel)) {
        struct total const free_slots = total_of(panel, TELEMETRY_SM, "warps", 0);

        fprintf(to, "  warps %.0f  schedulers issuing %.1f %%", free_slots.limit - free_slots.value,
                100 * stall_share(panel, find_stalls(panel), 0));
    }
    fputc('\n', to);
}

void text_panel_line(struct text_panel *panel, FILE *to)
{
    text_panel_put_line(panel, to);
    text_panel_remember(panel);
}

void text_panel_whole(struct text_panel *panel, FILE *to, bool is_terminal)
{
    if (panel->samples == 0)
        return;
    memcpy(panel->words, panel->before, panel->layout->word_count * sizeof *panel->words);
    for (uint32_t i = 0; i < panel->layout->field_count && panel->area_ps > 0; i++) {
        const struct telemetry_field *const field = &panel->layout->fields[i];

        for (uint32_t j = field->first; field->kind == TELEMETRY_LEVEL && j < field->first + field->count; j++)
            panel->words[j] = (uint64_t)(panel->areas[j] / (double)panel->area_ps + 0.5);
    }
    panel->has_before = false;
    panel->is_whole = true;
    if (is_terminal)
        text_panel_draw_part(panel, to);
    else
        text_panel_put_line(panel, to);
}
