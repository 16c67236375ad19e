#include "viz/state/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/telemetry/names.h"

void *view_memory(struct view *view, enum panel_kind kind, size_t bytes, void (*end)(void *memory))
{
    struct view_memory *const kept = &view->kept[kind];

    if (!kept->memory) {
        kept->memory = calloc(1, bytes);
        kept->end = kept->memory ? end : NULL;
    }
    return kept->memory;
}

bool view_samples(const struct view *view, unsigned index, const uint64_t **before, const uint64_t **words)
{
    struct history const *const history = &view->runs[index].history;
    size_t place;

    if (history->count == 0)
        return false;
    if (view_shows_whole(view, index, NULL)) {
        *words = view->runs[index].whole;
        *before = view->runs[index].begin_ps > 0 ? history_at(history, 0) : NULL;
        return true;
    }
    place = view->has_at ? history_find(history, view->at_ps) : history->count - 1;
    if (view->has_at && place == history->count)         /* before the first sample: that one covers it */
        place = 0;
    else if (view->has_at && place + 1 < history->count && history_time_ps(history, place) < view->at_ps)
        place++;                                         /* a sample describes the time before it */
    *words = history_at(history, place);
    *before = place > 0 ? history_at(history, place - 1) : NULL;
    return true;
}

/* ---- lists */

int view_scroll_set(struct view *view, unsigned which, struct area area, int lines, int shown)
{
    struct view_scroll *const scroll = &view->scrolls[which];

    scroll->area = area;
    scroll->most = lines > shown ? lines - shown : 0;
    if (scroll->first > scroll->most)
        scroll->first = scroll->most;
    return scroll->first;
}

bool view_scroll_by(struct view *view, int x, int y, int lines)
{
    for (unsigned i = 0; i < VIEW_SCROLLS; i++) {
        struct view_scroll *const scroll = &view->scrolls[i];

        if (scroll->most == 0 || !area_holds(scroll->area, x, y))
            continue;
        scroll->first += lines;
        scroll->first = scroll->first < 0 ? 0 : scroll->first > scroll->most ? scroll->most : scroll->first;
        return true;
    }
    return false;
}

/* ---- the whole of a run that is over */

static bool is_over(const struct view_run *run)
{
    return run->state == VIEW_ENDED || run->state == VIEW_FAILED;
}

/* The start of the time that its last sample covers. */
static uint64_t since_ps(const struct view_run *run)
{
    uint64_t const since = history_at(&run->history, run->history.count - 1)[TELEMETRY_SINCE];

    return since > run->begin_ps ? since : run->begin_ps;
}

/* Each sample's level counts for the time since the previous sample. */
static double mean_level(const struct view_run *run, uint32_t word, uint64_t begin_ps)
{
    double sum = 0, span = 0;

    for (size_t i = 0; i < run->history.count; i++) {
        uint64_t const *const words = history_at(&run->history, i);
        uint64_t const before_ps = i > 0 ? history_time_ps(&run->history, i - 1) : begin_ps;
        uint64_t const from_ps = before_ps > begin_ps ? before_ps : begin_ps;

        if (words[TELEMETRY_TIME] <= from_ps)
            continue;
        sum += (double)words[word] * (double)(words[TELEMETRY_TIME] - from_ps);
        span += (double)(words[TELEMETRY_TIME] - from_ps);
    }
    return span > 0 ? sum / span : (double)history_at(&run->history, run->history.count - 1)[word];
}

enum { ELEMENTS = 64 };                  /* of a field whose remainders are carried */

/* Levels are whole numbers: the rounding error of one component is carried to the next of its kind, so that sums over
 * many SMs are right. */
static void put_levels(struct view_run *run, const struct telemetry_field *field, double carried[ELEMENTS])
{
    for (uint32_t i = 0; i < field->count; i++) {
        double const mean = mean_level(run, field->first + i, since_ps(run)) + carried[i % ELEMENTS];
        double const whole = mean > 0 ? floor(mean + 0.5) : 0;

        carried[i % ELEMENTS] = mean - whole;
        run->whole[field->first + i] = (uint64_t)whole;
    }
}

void view_make_whole(struct view_run *run)
{
    struct telemetry const *const layout = run->layout;
    const struct telemetry_field *before = NULL;
    double carried[ELEMENTS] = {0};

    if (!is_over(run)) {
        free(run->whole);
        run->whole = NULL;
    }
    if (!is_over(run) || run->whole || run->history.count == 0)
        return;
    run->whole = malloc(layout->word_count * sizeof *run->whole);
    if (!run->whole)                     /* then its last sample is shown */
        return;
    memcpy(run->whole, history_at(&run->history, run->history.count - 1), layout->word_count * sizeof *run->whole);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        struct telemetry_field const *const field = &layout->fields[i];

        if (field->kind != TELEMETRY_LEVEL)
            continue;
        if (!before || strcmp(before->name, field->name) != 0)
            memset(carried, 0, sizeof carried);
        put_levels(run, field, carried);
        before = field;
    }
}

bool view_shows_whole(const struct view *view, unsigned index, uint64_t *begin_ps)
{
    struct view_run const *const run = &view->runs[index];

    if (view->has_at || !run->whole)
        return false;
    if (begin_ps)
        *begin_ps = since_ps(run);
    return true;
}

static const char *core_name(const struct view *view, unsigned run, uint32_t component)
{
    const struct telemetry_component *const of = component != TELEMETRY_NONE
                                                     ? &view->runs[run].layout->components[component] : NULL;

    return of && (of->part == TELEMETRY_CORE || of->part == TELEMETRY_SM) ? of->name : NULL;
}

void view_choose(struct view *view, unsigned run, uint32_t component)
{
    const char *const name = core_name(view, run, component);

    snprintf(view->chosen, sizeof view->chosen, "%s", name ? name : "");
}

const char *view_chosen(const struct view *view)
{
    const char *const found = view->mode == MODE_SEARCH ? core_name(view, 0, view->found) : NULL;

    return found ? found : view->chosen[0] ? view->chosen : NULL;
}

enum { USUAL_COLUMNS = 900 };

size_t view_requests(const struct view *view, unsigned run, const struct telemetry_request *found[VIEW_REQUESTS],
                     uint64_t *from_ps, uint64_t *to_ps)
{
    uint64_t const half_ps = (view->window.to_ps - view->window.from_ps) / USUAL_COLUMNS / 2;
    const char *const chosen = view_chosen(view);
    const uint64_t *before, *words;

    *from_ps = *to_ps = view->at_ps;
    if (!view_samples(view, run, &before, &words))
        return 0;
    *from_ps = before ? before[TELEMETRY_TIME] : 0;
    *to_ps = words[TELEMETRY_TIME];
    if (*to_ps - *from_ps < 2 * half_ps) {
        *from_ps = view->at_ps > half_ps ? view->at_ps - half_ps : 0;
        *to_ps = view->at_ps + half_ps;
    }
    return requests_find(&view->runs[run].requests, *from_ps, *to_ps,
                         chosen ? telemetry_named(view->runs[run].layout, chosen) : TELEMETRY_NONE, found,
                         VIEW_REQUESTS);
}

/* Fields without a rule here are shown element by element, for any count. */

/* Requirements on fields. Banks: as many values as the component's field "banks", if it has that. */
static const struct rule {
    enum telemetry_part part;
    const char *field;
    uint32_t least, most;                /* values */
    bool has_names, is_of_banks;
} rules[] = {
    {.part = TELEMETRY_MEMORY, .field = "bytes", .least = 2, .most = 2},
    {.part = TELEMETRY_CHANNEL, .field = "bytes", .least = 2, .most = 2},
    {.part = TELEMETRY_CACHE, .field = "demand", .least = 2, .most = UINT32_MAX},
    {.part = TELEMETRY_CORE, .field = "load_latency", .least = LATENCY_BIN_COUNT, .most = LATENCY_BIN_COUNT},
    {.part = TELEMETRY_GPU, .field = "load_latency", .least = LATENCY_BIN_COUNT, .most = LATENCY_BIN_COUNT},
    {.part = TELEMETRY_CORE, .field = "cycles", .least = 1, .most = UINT32_MAX, .has_names = true},
    {.part = TELEMETRY_SM, .field = "warps", .least = 1, .most = UINT32_MAX, .has_names = true},
    {.part = TELEMETRY_SM, .field = "stalls", .least = 1, .most = UINT32_MAX, .has_names = true},
    {.part = TELEMETRY_RANK, .field = "rows", .is_of_banks = true},
    {.part = TELEMETRY_RANK, .field = "reads", .is_of_banks = true},
    {.part = TELEMETRY_RANK, .field = "writes", .is_of_banks = true},
    {.part = TELEMETRY_RANK, .field = "activates", .is_of_banks = true},
    {.part = TELEMETRY_RANK, .field = "conflicts", .is_of_banks = true}
};

static struct fault check_field(const struct telemetry *layout, const struct telemetry_field *field,
                                const struct rule *rule)
{
    const char *const component = layout->components[field->component].name;
    const struct telemetry_field *const banks
        = rule->is_of_banks ? telemetry_find(layout, field->component, "banks") : NULL;
    uint32_t const least = banks ? banks->count : rule->least;
    uint32_t const most = banks ? banks->count : rule->is_of_banks ? UINT32_MAX : rule->most;

    if (field->count < least || field->count > most)
        return fault_make(FAULT_INPUT, "layout of samples: %.80s: field %s: expected %s%u values, found %u", component,
                          rule->field, most > least ? "at least " : "", least, field->count);
    if (rule->has_names && !field->element_names)
        return fault_make(FAULT_INPUT, "layout of samples: %.80s: field %s: expected names of its %u values, found "
                          "none", component, rule->field, field->count);
    return fault_none();
}

struct fault layout_check(const struct telemetry *layout)
{
    if (layout->component_count == 0)
        return fault_make(FAULT_INPUT, "layout of samples: expected at least 1 component, found none");
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct telemetry_field *const field = &layout->fields[i];
        enum telemetry_part const part = layout->components[field->component].part;

        for (size_t j = 0; j < sizeof rules / sizeof *rules; j++)
            if (rules[j].part == part && strcmp(rules[j].field, field->name) == 0)
                FORWARD(check_field(layout, field, &rules[j]));
    }
    return fault_none();
}
