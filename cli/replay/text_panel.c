/* Figures are found by part and name, so that any system has its rows; of many components of a part, those with most
 * use come together: sums of counts, means of shares. */
#include "cli/replay/text_panel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shown.h"

enum { BAR = 24, MAX_CACHES = 8 };

static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

struct fault text_panel_init(struct text_panel *panel, const struct telemetry *layout)
{
    *panel = (struct text_panel){.layout = layout};
    panel->words = calloc(layout->word_count, sizeof *panel->words);
    panel->before = calloc(layout->word_count, sizeof *panel->before);
    return panel->words && panel->before ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for a panel");
}

void text_panel_free(struct text_panel *panel)
{
    free(panel->words);
    free(panel->before);
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
        total.value += telemetry_rate(field, element, sample_before(panel), panel->words);
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

/* What stood on the line before is cleared. */
static void end_line(struct text_panel *panel, FILE *to)
{
    fputs("\033[K\n", to);
    panel->lines++;
}

static void put_bandwidth(struct text_panel *panel, FILE *to, uint32_t direction, const char *name)
{
    struct total const moved = bandwidth(panel, direction);

    memmove(panel->course[direction], panel->course[direction] + 1, (TEXT_PANEL_COURSE - 1) * sizeof(double));
    panel->course[direction][TEXT_PANEL_COURSE - 1] = moved.value;
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

static void put_caches(struct text_panel *panel, FILE *to)
{
    unsigned shown = 0;

    for (uint32_t i = 0; i < panel->layout->component_count && shown < MAX_CACHES; i++) {
        const struct telemetry_field *const demand = telemetry_find(panel->layout, i, "demand");
        const struct telemetry_field *const mshrs = telemetry_find(panel->layout, i, "mshrs_ps");
        double hits, misses;

        if (panel->layout->components[i].part != TELEMETRY_CACHE || !demand || !mshrs)
            continue;
        hits = telemetry_rate(demand, 0, sample_before(panel), panel->words);
        misses = telemetry_rate(demand, 1, sample_before(panel), panel->words);
        fprintf(to, "%-14.14s %7.1f %% hit   ", cli_shown(panel->layout->components[i].name),
                100 * share(hits, hits + misses));
        put_bar(to, share(telemetry_rate(mshrs, 0, sample_before(panel), panel->words), (double)mshrs->limit));
        fprintf(to, "  MSHRs of %" PRIu64, mshrs->limit);
        end_line(panel, to);
        shown++;
    }
}

static void put_sms(struct text_panel *panel, FILE *to)
{
    const struct telemetry_field *warps = NULL, *stalls = NULL;

    for (uint32_t i = 0; i < panel->layout->field_count; i++) {
        const struct telemetry_field *const field = &panel->layout->fields[i];

        warps = is_of(panel, field, TELEMETRY_SM, "warps") ? field : warps;
        stalls = is_of(panel, field, TELEMETRY_SM, "stalls") ? field : stalls;
    }
    for (uint32_t i = 0; warps && i < warps->count; i++) {
        struct total const in_state = total_of(panel, TELEMETRY_SM, "warps", i);

        put_share(panel, to, warps->element_names[i], share(in_state.value, in_state.limit), "warp");
    }
    for (uint32_t i = 0; stalls && i < stalls->count; i++) {
        struct total const stalled = total_of(panel, TELEMETRY_SM, "stalls", i);

        put_share(panel, to, stalls->element_names[i], share(stalled.value, stalled.limit), "sch.");
    }
}

static void remember(struct text_panel *panel)
{
    memcpy(panel->before, panel->words, panel->layout->word_count * sizeof *panel->words);
    panel->has_before = true;
}

void text_panel_draw(struct text_panel *panel, FILE *to)
{
    if (panel->lines)
        fprintf(to, "\033[%uA", panel->lines);
    panel->lines = 0;
    fprintf(to, "%-14s %.3f us", cli_shown(panel->layout->components[0].name),
            1e-6 * (double)panel->words[TELEMETRY_TIME]);
    end_line(panel, to);
    put_bandwidth(panel, to, 0, "memory read");
    put_bandwidth(panel, to, 1, "memory write");
    put_share(panel, to, "DRAM rows", row_hit_share(panel), "hit ");
    put_caches(panel, to);
    put_cores(panel, to);
    put_sms(panel, to);
    fflush(to);
    remember(panel);
}

void text_panel_line(struct text_panel *panel, FILE *to)
{
    fprintf(to, "%.3f us  read %.2f GB/s  write %.2f GB/s  rows hit %.1f %%",
            1e-6 * (double)panel->words[TELEMETRY_TIME], 1e-9 * bandwidth(panel, 0).value,
            1e-9 * bandwidth(panel, 1).value, 100 * row_hit_share(panel));
    if (total_of(panel, TELEMETRY_CORE, "cycles", 0).count) {
        struct total const rob = total_of(panel, TELEMETRY_CORE, "rob_ps", 0);

        fprintf(to, "  load p50 %.1f p95 %.1f p99 %.1f ns  ROB %.1f %%", latency_ns(panel, 50), latency_ns(panel, 95),
                latency_ns(panel, 99), 100 * share(rob.value, rob.limit));
    }
    if (total_of(panel, TELEMETRY_SM, "warps", 0).count) {
        struct total const issuing = total_of(panel, TELEMETRY_SM, "stalls", 0);
        struct total const free_slots = total_of(panel, TELEMETRY_SM, "warps", 0);

        fprintf(to, "  warps %.0f  schedulers issuing %.1f %%", free_slots.limit - free_slots.value,
                100 * share(issuing.value, issuing.limit));
    }
    fputc('\n', to);
    remember(panel);
}
