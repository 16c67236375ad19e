/* Uses go into a ring, the window; what leaves it is noted in a table: the last use of each line. So at any place the
 * table has the order of lines between the state before and the window. When it has many more lines than are kept, it
 * is made anew from those that were used last. A state empties both.
 *
 * Pages have stamps of their last use. Those in use are in small tables that are mapped directly, so that a use costs
 * no search; their stamps reach the large one when another page takes their place. */
#include "replay/warm/warm_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/list.h"
#include "base/number_map.h"

/* FILTER: sets of which the line used last is known. KEPT_PAGES: more than L1 TLBs have, of each side. */
enum { RECENT = 1 << 16, BRANCHES = 1 << 16, FILTER = 16, NEAR_PAGES = 256, KEPT_PAGES = 4096, TABLE_TIMES = 4 };
#define NOTHING UINT64_MAX

struct near_page { uint64_t page, stamp; };

struct last_use { uint64_t stamp, key; };

struct side {
    uint64_t filter[FILTER];             /* line used last; NOTHING: none */
    bool is_written[FILTER];
    struct near_page near[NEAR_PAGES];
    struct number_map stamps;            /* of pages */
};

struct warm_record {
    struct warm_record_limits limits;
    struct side sides[WARM_SIDES];
    uint64_t *ring, ring_end;            /* warm_line */
    struct number_map table;             /* of a line, twice, + 1 if fetched: stamp, twice, + 1 if written */
    uint64_t stamp, page_stamp;
    bool is_cut;
    struct number_map is_touched;        /* pages; all since the beginning */
    struct warm_numbers touched;         /* in the order of first touch, since the last state */
    struct warm_branch *branches;        /* a ring */
    uint64_t branch_end;
    struct last_use *sorted;             /* room to sort in */
    size_t sorted_room;
};

struct warm_record_limits warm_record_limits(uint64_t lines)
{
    return (struct warm_record_limits){.lines = lines, .branches = BRANCHES,
                                       .recent = lines < RECENT ? UINT64_C(1) << log2_down(lines) : RECENT};
}

/* Of all uses nothing is known. */
static void begin(struct warm_record *record)
{
    number_map_free(&record->table);
    record->ring_end = record->branch_end = record->stamp = record->page_stamp = 0;
    for (unsigned side = 0; side < WARM_SIDES; side++) {
        number_map_free(&record->sides[side].stamps);
        for (unsigned i = 0; i < FILTER; i++)
            record->sides[side].filter[i] = NOTHING;
        for (unsigned i = 0; i < NEAR_PAGES; i++)
            record->sides[side].near[i].page = NOTHING;
    }
}

struct warm_record *warm_record_new(const struct warm_record_limits *limits)
{
    struct warm_record *const record = calloc(1, sizeof *record);

    if (!record)
        return NULL;
    record->limits = *limits;
    record->ring = malloc(limits->recent * sizeof *record->ring);
    record->branches = malloc(limits->branches * sizeof *record->branches);
    if (!record->ring || !record->branches) {
        warm_record_free(record);
        return NULL;
    }
    begin(record);
    return record;
}

void warm_record_free(struct warm_record *record)
{
    if (!record)
        return;
    for (unsigned side = 0; side < WARM_SIDES; side++)
        number_map_free(&record->sides[side].stamps);
    number_map_free(&record->table);
    number_map_free(&record->is_touched);
    free(record->touched.list);
    free(record->ring);
    free(record->branches);
    free(record->sorted);
    free(record);
}

/* ---- the table of last uses */
static bool note(struct warm_record *record, warm_line use)
{
    uint64_t const key = warm_line_number(use) << 1 | (warm_line_use(use) == WARM_USE_FETCH);
    uint64_t *const last = number_map_put(&record->table, key);

    if (!last)
        return false;
    *last = ++record->stamp << 1 | (*last & 1) | (warm_line_use(use) == WARM_USE_WRITE);
    return true;
}

static int by_stamp(const void *a, const void *b)
{
    uint64_t const first = ((const struct last_use *)a)->stamp, second = ((const struct last_use *)b)->stamp;

    return first < second ? -1 : first > second;
}

/* Entries of a map in the order of their stamps, in `sorted`. */
static bool sort_map(struct warm_record *record, const struct number_map *map, size_t *count)
{
    *count = 0;
    if (!list_fit(&record->sorted, map->count + 1, &record->sorted_room, sizeof *record->sorted))
        return false;
    for (size_t i = 0; i < map->room; i++)
        if (map->slots[i].key != 0)
            record->sorted[(*count)++] = (struct last_use){map->slots[i].value, map->slots[i].key - 1};
    qsort(record->sorted, *count, sizeof *record->sorted, by_stamp);
    return true;
}

static bool renew_table(struct warm_record *record)
{
    struct number_map renewed = {0};
    size_t count;

    if (!sort_map(record, &record->table, &count))
        return false;
    for (size_t i = count - record->limits.lines; i < count; i++) {
        uint64_t *const last = number_map_put(&renewed, record->sorted[i].key);

        if (!last) {
            number_map_free(&renewed);
            return false;
        }
        *last = record->sorted[i].stamp;
    }
    number_map_free(&record->table);
    record->table = renewed;
    record->is_cut = true;
    return true;
}

static bool push(struct warm_record *record, warm_line use)
{
    uint64_t *const place = &record->ring[record->ring_end++ & (record->limits.recent - 1)];

    if (record->ring_end > record->limits.recent && !note(record, *place))
        return false;
    *place = use;
    return record->table.count < TABLE_TIMES * record->limits.lines || renew_table(record);
}

/* ---- pages */
static bool touch_page(struct warm_record *record, uint64_t page)
{
    uint64_t *const is_touched = number_map_put(&record->is_touched, page);

    if (!is_touched)
        return false;
    if (*is_touched)
        return true;
    *is_touched = 1;
    if (!warm_numbers_fit(&record->touched, record->touched.count + 1))
        return false;
    record->touched.list[record->touched.count++] = page;
    return true;
}

static bool leave_near(struct side *side, const struct near_page *near)
{
    uint64_t *const stamp = near->page == NOTHING ? NULL : number_map_put(&side->stamps, near->page);

    if (stamp)
        *stamp = near->stamp;
    return stamp || near->page == NOTHING;
}

static bool use_page(struct warm_record *record, struct side *side, uint64_t page)
{
    struct near_page *const near = &side->near[page % NEAR_PAGES];

    if (near->page != page) {
        if (!leave_near(side, near) || !touch_page(record, page))
            return false;
        near->page = page;
    }
    near->stamp = ++record->page_stamp;
    return true;
}

/* ---- the sink */
static bool use(void *context, enum warm_use kind, uint64_t line, uint64_t pc)
{
    struct warm_record *const record = context;
    struct side *const side = &record->sides[kind == WARM_USE_FETCH];
    unsigned const set = line % FILTER;

    (void)pc;
    if (!use_page(record, side, line >> (WARM_PAGE_SHIFT - WARM_LINE_SHIFT)))
        return false;
    if (side->filter[set] == line && (kind != WARM_USE_WRITE || side->is_written[set]))
        return true;
    side->is_written[set] = kind == WARM_USE_WRITE || (side->filter[set] == line && side->is_written[set]);
    side->filter[set] = line;
    return push(record, warm_line_of(kind, line));
}

static bool branch(void *context, const struct warm_branch *made)
{
    struct warm_record *const record = context;

    record->branches[record->branch_end++ & (record->limits.branches - 1)] = *made;
    return true;
}

struct warm_sink warm_record_sink(struct warm_record *record)
{
    return (struct warm_sink){.use = use, .branch = branch, .context = record};
}

/* ---- states */
static uint64_t at_most(uint64_t count, uint64_t most)
{
    return count < most ? count : most;
}

static bool give_old(struct warm_record *record, struct warm_state *state)
{
    size_t count, kept;

    if (!sort_map(record, &record->table, &count))
        return false;
    kept = at_most(count, record->limits.lines);
    record->is_cut |= count > kept;
    if (!warm_numbers_fit(&state->old, kept))
        return false;
    for (size_t i = 0; i < kept; i++) {
        const struct last_use *const last = &record->sorted[count - kept + i];

        state->old.list[i] = warm_line_of(last->key & 1 ? WARM_USE_FETCH : last->stamp & 1 ? WARM_USE_WRITE
                                                                                          : WARM_USE_READ,
                                          last->key >> 1);
    }
    state->old.count = kept;
    return true;
}

static bool give_recent(const struct warm_record *record, struct warm_state *state)
{
    uint64_t const count = at_most(record->ring_end, record->limits.recent);
    uint64_t const branches = at_most(record->branch_end, record->limits.branches);

    if (!warm_numbers_fit(&state->recent, count)
        || !list_fit(&state->branches, branches, &state->branch_room, sizeof *state->branches))
        return false;
    for (uint64_t i = 0; i < count; i++)
        state->recent.list[i] = record->ring[(record->ring_end - count + i) & (record->limits.recent - 1)];
    for (uint64_t i = 0; i < branches; i++)
        state->branches[i] = record->branches[(record->branch_end - branches + i) & (record->limits.branches - 1)];
    state->recent.count = count;
    state->branch_count = branches;
    return true;
}

static bool give_pages(struct warm_record *record, struct side *side, struct warm_numbers *pages)
{
    size_t count, kept;

    for (unsigned i = 0; i < NEAR_PAGES; i++)
        if (!leave_near(side, &side->near[i]))
            return false;
    if (!sort_map(record, &side->stamps, &count))
        return false;
    kept = at_most(count, KEPT_PAGES);
    if (!warm_numbers_fit(pages, kept))
        return false;
    for (size_t i = 0; i < kept; i++)
        pages->list[i] = record->sorted[count - kept + i].key;
    pages->count = kept;
    return true;
}

bool warm_record_state(struct warm_record *record, uint64_t place, struct warm_state *state)
{
    *state = (struct warm_state){.place = place, .kept_lines = record->limits.lines};
    if (!give_old(record, state) || !give_recent(record, state))
        return false;
    for (unsigned side = 0; side < WARM_SIDES; side++)
        if (!give_pages(record, &record->sides[side], &state->pages[side]))
            return false;
    state->is_cut = record->is_cut;
    state->touched = record->touched;
    record->touched = (struct warm_numbers){0};
    begin(record);
    return true;
}

bool warm_record_resume(struct warm_record *record, const struct warm_state *state)
{
    for (size_t i = 0; i < state->touched.count; i++)
        if (!touch_page(record, state->touched.list[i]))
            return false;
    record->touched.count = 0;
    record->is_cut = state->is_cut;
    return true;
}
