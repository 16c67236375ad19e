/* Hydra (9.7): counts of groups of rows; where a group's reaches its threshold, counts of its rows, which lie in
 * DRAM and are kept in a cache. Traffic of the table in DRAM goes through the priority queue: an ACT and an access
 * for each line. Accesses to the table's own rows are counted apart. */
#include "memsys/command/mitigation/cmd_mitigation.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

enum { WAYS = 16, LINE_BITS = 512, RESERVED_SEED = 1337 };

struct line {
    int32_t row;
    int64_t count;
    int32_t vector[CMD_LEVELS];
    bool is_used;
};

struct cache_set {
    struct cmd_hash_map ways;            /* tag: index of a line */
    struct line lines[WAYS];
};

#define HYDRA_COUNTS(C)                                                                                               \
    C(num_vrr) C(num_vrr_rct) C(num_read_req) C(num_write_req) C(num_initialization) C(num_eviction) C(num_rcc_miss)  \
    C(gct_check) C(rcc_check) C(rct_check) C(rctct_check)

struct hydra {
    int64_t tracking, group, group_rows, period, last_period;
    unsigned group_shift, set_bits, tag_row_bits, counter_bits;
    int64_t table_rows, rows_per_table_row, rows_per_line, group_lines;
    struct cmd_tables groups;            /* group: 2 * count, plus 1 once its rows have counts */
    struct cmd_tables rows, own;         /* counts of rows; of the table's own rows */
    struct cache_set *sets;              /* [rank][set] */
    uint32_t set_count, banks_per_rank;
    struct cmd_random random;
    bool evicts_least;
    unsigned vrr, act, read, write;
#define FIELD(name) uint64_t name;
    HYDRA_COUNTS(FIELD)
#undef FIELD
};

static void hydra_free(void *state)
{
    struct hydra *const hydra = state;

    for (uint32_t i = 0; hydra->sets && i < hydra->set_count; i++)
        cmd_hash_map_free(&hydra->sets[i].ways);
    free(hydra->sets);
    cmd_tables_free(&hydra->groups);
    cmd_tables_free(&hydra->rows);
    cmd_tables_free(&hydra->own);
    free(hydra);
}

/* Whole divisions and single precision as the reference has them. */
static struct fault init_sizes(struct hydra *hydra, const struct cmd_channel *channel,
                               const struct cmd_mitigation_config *config)
{
    const struct cmd_spec *const spec = channel->spec;
    int64_t const rows = spec->size[spec->row_level], lines = spec->size[spec->column_level] / 8;
    unsigned const row_bits = log2_down((uint64_t)rows);
    int64_t const sets = config->cache_entries / WAYS;

    FORWARD(cmd_need_range("Hydra", "tracking_threshold", config->threshold, 2, INT32_MAX));
    FORWARD(cmd_need_range("Hydra", "group_threshold", config->group_threshold, 1, INT32_MAX));
    FORWARD(cmd_need_range("Hydra", "group_rows", config->group_rows, 1, rows));
    FORWARD(cmd_need_range("Hydra", "cache_entries_per_rank", config->cache_entries, WAYS, 1 << 24));
    FORWARD(cmd_need_range("Hydra", "reset_ns", config->reset_ns, 1, INT64_C(1) << 40));
    hydra->tracking = config->threshold;
    hydra->group = config->group_threshold;
    hydra->group_rows = config->group_rows;
    hydra->period = (int64_t)cmd_spec_period(spec, config->reset_ns);
    hydra->counter_bits = (log2_up((uint64_t)config->threshold) + 7) / 8 * 8;
    hydra->group_shift = row_bits - log2_down((uint64_t)(rows / config->group_rows));
    hydra->set_bits = log2_down((uint64_t)sets);
    hydra->tag_row_bits = row_bits - hydra->set_bits;
    hydra->rows_per_line = LINE_BITS / hydra->counter_bits;
    hydra->rows_per_table_row = lines * LINE_BITS / hydra->counter_bits;
    hydra->group_lines = config->group_rows * hydra->counter_bits / LINE_BITS;
    hydra->set_count = (uint32_t)1 << hydra->set_bits;
    hydra->evicts_least = config->evict_least;
    if (lines == 0 || hydra->period < 1 || hydra->set_bits > row_bits)
        return fault_make(FAULT_INPUT, "mitigation Hydra: rows of 8 columns at least, a reset of a tick at least, and "
                                       "a cache of fewer sets than rows are needed");
    {
        float const quotient = (float)(rows * hydra->counter_bits / LINE_BITS) / (float)lines;

        hydra->table_rows = (int64_t)quotient + ((float)(int64_t)quotient < quotient);
    }
    return fault_none();
}

static struct fault hydra_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    const struct cmd_spec *const spec = channel->spec;
    uint32_t const banks = spec->bank_count;
    struct hydra *hydra;
    int numbers[4];
    const char *const names[4] = {"VRR", "ACT", "RD", "WR"};

    for (size_t i = 0; i < 4; i++)
        FORWARD(cmd_need(channel, "Hydra", names[i], &numbers[i]));
    if (cmd_spec_level(spec, "Rank") != 1)
        return fault_make(FAULT_INPUT, "mitigation Hydra: needs ranks; %s has none", spec->standard->name);
    FORWARD(cmd_take_state(sizeof *hydra, state));
    hydra = *state;
    hydra->vrr = (unsigned)numbers[0];
    hydra->act = (unsigned)numbers[1];
    hydra->read = (unsigned)numbers[2];
    hydra->write = (unsigned)numbers[3];
    FORWARD(init_sizes(hydra, channel, config));
    hydra->banks_per_rank = channel->device.banks_below[1];
    cmd_random_init(&hydra->random, RESERVED_SEED);
    FORWARD(cmd_tables_init(&hydra->groups, banks));
    FORWARD(cmd_tables_init(&hydra->rows, banks));
    FORWARD(cmd_tables_init(&hydra->own, banks));
    hydra->sets = calloc((size_t)hydra->set_count * spec->size[1], sizeof *hydra->sets);
    if (!hydra->sets)
        return fault_memory("memory", "Hydra");
    hydra->set_count *= spec->size[1];
    return fault_none();
}

static void reset(struct hydra *hydra)
{
    struct cmd_tables *const tables[] = {&hydra->groups, &hydra->rows, &hydra->own};

    for (size_t i = 0; i < 3; i++)
        for (uint32_t bank = 0; bank < tables[i]->banks; bank++)
            cmd_hash_map_clear(&tables[i]->maps[bank]);
    for (uint32_t i = 0; i < hydra->set_count; i++) {
        cmd_hash_map_clear(&hydra->sets[i].ways);
        for (unsigned way = 0; way < WAYS; way++)
            hydra->sets[i].lines[way].is_used = false;
    }
}

/* The line of the table that has a row's counter. Columns are counted eight a line whatever the standard (odd
 * behaviour 26). */
static void access_table(struct hydra *hydra, struct cmd_channel *channel, bool is_write, int64_t row,
                         const int32_t *of)
{
    const struct cmd_spec *const spec = channel->spec;
    int32_t vector[CMD_LEVELS];

    memcpy(vector, of, sizeof vector);
    vector[spec->row_level] = (int32_t)(row / hydra->rows_per_table_row);
    vector[spec->column_level] = (int32_t)(row % hydra->rows_per_table_row * hydra->counter_bits / LINE_BITS << 3);
    cmd_priority_send(channel, hydra->act, vector);
    cmd_priority_send(channel, is_write ? hydra->write : hydra->read, vector);
    *(is_write ? &hydra->num_write_req : &hydra->num_read_req) += 1;
}

static void count_own_row(struct hydra *hydra, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct cmd_hash_map *const map = &hydra->own.maps[request->bank];
    int64_t *const count = cmd_count_of(channel, map, request->row);

    hydra->rctct_check++;
    if (!count || ++*count < hydra->tracking)
        return;
    cmd_priority_send(channel, hydra->vrr, request->vector);
    hydra->num_vrr_rct++;
    hydra->num_vrr++;
    cmd_hash_map_remove(map, request->row);
}

/* The rows of a group get counts of their own. */
static void begin_rows(struct hydra *hydra, struct cmd_channel *channel, const struct cmd_request *request,
                       int64_t group)
{
    int64_t const first = group * hydra->group_rows;

    hydra->num_initialization++;
    for (int64_t row = first; row < first + hydra->group_rows; row++) {
        int64_t *const count = cmd_count_of(channel, &hydra->rows.maps[request->bank], (int32_t)row);

        if (!count)
            return;
        *count = hydra->group;
    }
    for (int64_t i = 0; i < hydra->group_lines; i++)
        access_table(hydra, channel, true, first + i * hydra->rows_per_line, request->vector);
}

static struct cmd_hash_entry *victim(struct hydra *hydra, struct cache_set *set)
{
    struct cmd_hash_entry *best = cmd_hash_map_first(&set->ways);

    if (!hydra->evicts_least) {
        for (uint32_t steps = cmd_random_below(&hydra->random, WAYS) % set->ways.count; steps > 0; steps--)
            best = cmd_hash_map_next(&set->ways, best);
        return best;
    }
    CMD_EACH_ENTRY(entry, &set->ways)
        if (set->lines[entry->value].count < set->lines[best->value].count)
            best = entry;
    return best;
}

/* The line of a row that the cache does not have. */
static struct line *fetch(struct hydra *hydra, struct cmd_channel *channel, const struct cmd_request *request,
                          struct cache_set *set, int32_t tag, int64_t *row_count)
{
    unsigned way = 0;
    int64_t *index;

    hydra->num_rcc_miss++;
    if (set->ways.count == WAYS) {
        struct cmd_hash_entry *const evicted = victim(hydra, set);
        struct line *const line = &set->lines[evicted->value];

        access_table(hydra, channel, true, line->row, line->vector);
        line->is_used = false;
        cmd_hash_map_remove(&set->ways, evicted->key);
        hydra->num_eviction++;
    }
    hydra->rct_check++;
    access_table(hydra, channel, false, request->row, request->vector);
    ++*row_count;
    while (set->lines[way].is_used)
        way++;
    index = cmd_count_of(channel, &set->ways, tag);
    if (!index)
        return NULL;
    *index = way;
    set->lines[way] = (struct line){.row = request->row, .count = *row_count, .is_used = true};
    memcpy(set->lines[way].vector, request->vector, sizeof set->lines[way].vector);
    return &set->lines[way];
}

static void count_row(struct hydra *hydra, struct cmd_channel *channel, const struct cmd_request *request)
{
    uint32_t const rank = (uint32_t)request->vector[1], sets = (uint32_t)1 << hydra->set_bits;
    struct cache_set *const set = &hydra->sets[rank * sets + ((uint32_t)request->row & (sets - 1))];
    int32_t const tag = (int32_t)((uint32_t)request->row >> hydra->set_bits
                                  | request->bank % hydra->banks_per_rank << hydra->tag_row_bits);
    int64_t *const row_count = cmd_count_of(channel, &hydra->rows.maps[request->bank], request->row);
    int64_t *const index = cmd_hash_map_get(&set->ways, tag);
    struct line *line;

    hydra->rcc_check++;
    if (!row_count)
        return;
    if (index) {
        line = &set->lines[*index];
        line->count++;
        ++*row_count;
    } else {
        line = fetch(hydra, channel, request, set, tag, row_count);
    }
    if (!line || line->count < hydra->tracking)
        return;
    cmd_priority_send(channel, hydra->vrr, request->vector);
    hydra->num_vrr++;
    line->count = *row_count = 0;
}

static void hydra_issued(void *state, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct hydra *const hydra = state;
    int64_t const group = request->row >> hydra->group_shift;
    int64_t *group_count;

    if (!cmd_opens(channel, request))
        return;
    if (cmd_period_passed(channel, hydra->period, &hydra->last_period))
        reset(hydra);
    if (request->row < hydra->table_rows) {
        count_own_row(hydra, channel, request);
        return;
    }
    hydra->gct_check++;
    group_count = cmd_count_of(channel, &hydra->groups.maps[request->bank], (int32_t)group);
    if (!group_count)
        return;
    if (*group_count >> 1 < hydra->group) {
        *group_count += 2;
        return;
    }
    if (!(*group_count & 1)) {
        *group_count |= 1;
        begin_rows(hydra, channel, request, group);
    }
    count_row(hydra, channel, request);
}

static bool hydra_count(const void *state, size_t index, struct cmd_named_count *count)
{
    const struct hydra *const hydra = state;
    const struct cmd_named_count counts[] = {
#define ROW(name) {"hydra_" #name, hydra->name},
        HYDRA_COUNTS(ROW)
#undef ROW
    };

    if (index >= sizeof counts / sizeof *counts)
        return false;
    *count = counts[index];
    return true;
}

const struct cmd_mitigation cmd_hydra = {"Hydra", hydra_init, hydra_issued, hydra_free, hydra_count};
