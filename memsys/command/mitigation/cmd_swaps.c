/* Defences that move hot rows: RRS swaps them with cold ones (9.8), AQUA moves them to quarantine rows (9.9). Both
 * count activations of physical rows in a small table with a spill count, copy rows by accesses of the priority
 * queue, and keep the swap table that the address map reads (2.5). What finds the queue full is lost. */
#include "memsys/command/mitigation/cmd_mitigation.h"

#include <stdlib.h>
#include <string.h>

enum { RESERVED_SEED = 1337 };

/* An entry of the swap table: 2 * partner, plus 1 while the pair is locked. */
struct swaps {
    struct cmd_tables hot, partners;
    int64_t entries, threshold, period, last_period;
    unsigned read, write;
    struct cmd_random random;
    int64_t pairs;                       /* RRS */
    uint64_t num_swaps, num_unswaps, num_reswaps;
    struct cmd_tables held;              /* AQUA: slot: row */
    int64_t slots, head;
    uint64_t migrations, r_migrations;
};

static void swaps_free(void *state)
{
    struct swaps *const swaps = state;

    cmd_tables_free(&swaps->hot);
    cmd_tables_free(&swaps->partners);
    cmd_tables_free(&swaps->held);
    free(swaps);
}

static struct fault init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, const char *name,
                         void **state)
{
    const struct cmd_spec *const spec = channel->spec;
    struct swaps *swaps;

    if (!channel->config->row_indirection)
        return fault_make(FAULT_INPUT, "mitigation %s: needs the mapping row-indirection, whose table it swaps rows in",
                                       name);
    if (channel->row_table)
        return fault_make(FAULT_INPUT, "mitigation %s: another defence swaps rows already; choose one", name);
    FORWARD(cmd_need_range(name, "tracker_entries", config->entries, 1, 1 << 24));
    FORWARD(cmd_need_range(name, "threshold", config->threshold, 1, INT32_MAX));
    FORWARD(cmd_need_range(name, "reset_ns", config->reset_ns, 1, INT64_C(1) << 40));
    FORWARD(cmd_take_state(sizeof *swaps, state));
    swaps = *state;
    swaps->entries = config->entries;
    swaps->threshold = config->threshold;
    swaps->period = (int64_t)cmd_spec_period(spec, config->reset_ns);
    FORWARD(cmd_need_range(name, "reset_ns in ticks", swaps->period, 1, INT64_MAX));
    swaps->pairs = config->indirections;
    swaps->slots = config->quarantine_rows;
    swaps->read = spec->read_command;
    swaps->write = spec->write_command;
    cmd_random_init(&swaps->random, RESERVED_SEED);
    FORWARD(cmd_tables_init(&swaps->hot, spec->bank_count));
    FORWARD(cmd_tables_init(&swaps->partners, spec->bank_count));
    FORWARD(cmd_tables_init(&swaps->held, spec->bank_count));
    channel->row_table = swaps->partners.maps;
    return fault_none();
}

static void begin_period(struct swaps *swaps)
{
    for (uint32_t bank = 0; bank < swaps->hot.banks; bank++) {
        cmd_hash_map_clear(&swaps->hot.maps[bank]);
        swaps->hot.spill[bank] = 0;
        CMD_EACH_ENTRY(entry, &swaps->partners.maps[bank])
            entry->value &= ~INT64_C(1);
    }
}

/* Counts an activation; is the count now a multiple of the threshold? */
static bool reaches_threshold(struct swaps *swaps, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct cmd_hash_map *const map = &swaps->hot.maps[request->bank];
    int64_t *const spill = &swaps->hot.spill[request->bank], *count;

    if (!cmd_opens(channel, request)
        || (request->kind == CMD_INTERNAL && cmd_mends(channel->config, CMD_MEND_OWN_TRAFFIC)))
        return false;
    if (cmd_period_passed(channel, swaps->period, &swaps->last_period))
        begin_period(swaps);
    count = cmd_hash_map_get(map, request->row);
    if (!count && map->count < swaps->entries) {
        count = cmd_count_of(channel, map, request->row);
    } else if (!count) {
        struct cmd_hash_entry *victim = cmd_hash_map_first(map);

        while (victim && victim->value != *spill)
            victim = cmd_hash_map_next(map, victim);
        if (!victim) {
            ++*spill;
            return false;
        }
        cmd_hash_map_remove(map, victim->key);
        count = cmd_count_of(channel, map, request->row);
        if (count)
            *count = *spill;
    }
    return count && ++*count % swaps->threshold == 0;
}

/* Reads or writes a whole row. */
static void copy_row(const struct swaps *swaps, struct cmd_channel *channel, const int32_t *of, int32_t row,
                     bool is_write)
{
    const struct cmd_spec *const spec = channel->spec;
    uint32_t const prefetch = spec->standard->prefetch;
    int32_t vector[CMD_LEVELS];

    memcpy(vector, of, sizeof vector);
    vector[spec->row_level] = row;
    for (uint32_t line = 0; line < spec->size[spec->column_level] / prefetch; line++) {
        vector[spec->column_level] = (int32_t)(line * prefetch);
        cmd_priority_send(channel, is_write ? swaps->write : swaps->read, vector);
    }
}

static void link_rows(struct cmd_channel *channel, struct cmd_hash_map *partners, int32_t one, int32_t other)
{
    int64_t *value = cmd_count_of(channel, partners, one);

    if (value)
        *value = (int64_t)other * 2 + 1;
    value = cmd_count_of(channel, partners, other);
    if (value)
        *value = (int64_t)one * 2 + 1;
}

static void unlink_rows(struct cmd_hash_map *partners, int32_t one, int32_t other)
{
    cmd_hash_map_remove(partners, one);
    cmd_hash_map_remove(partners, other);
}

/* ---- RRS */
static void swap(const struct swaps *swaps, struct cmd_channel *channel, const int32_t *of, int32_t one, int32_t other)
{
    copy_row(swaps, channel, of, one, false);
    copy_row(swaps, channel, of, other, false);
    copy_row(swaps, channel, of, other, true);
    copy_row(swaps, channel, of, one, true);
}

/* The reference draws one row too many (odd behaviour 20). */
static int32_t cold_row(struct swaps *swaps, const struct cmd_channel *channel, uint32_t bank, int32_t row)
{
    uint32_t const rows = channel->spec->size[channel->spec->row_level]
        + !cmd_mends(channel->config, CMD_MEND_OWN_TRAFFIC);
    int32_t drawn;

    do
        drawn = (int32_t)cmd_random_below(&swaps->random, rows);
    while (drawn == row || cmd_hash_map_get(&swaps->hot.maps[bank], drawn)
           || cmd_hash_map_get(&swaps->partners.maps[bank], drawn));
    return drawn;
}

/* A full table loses the first pair with a row that is not hot, or just the first. */
static void make_room(struct swaps *swaps, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct cmd_hash_map *const partners = &swaps->partners.maps[request->bank];
    const struct cmd_hash_entry *found = cmd_hash_map_first(partners);
    int32_t row, other;

    while (found && cmd_hash_map_get(&swaps->hot.maps[request->bank], found->key))
        found = cmd_hash_map_next(partners, found);
    if (!found)
        found = cmd_hash_map_first(partners);
    row = found->key;
    other = (int32_t)(found->value >> 1);
    swap(swaps, channel, request->vector, row, other);
    unlink_rows(partners, row, other);
    swaps->num_unswaps++;
}

static void rrs_issued(void *state, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct swaps *const swaps = state;
    struct cmd_hash_map *const partners = &swaps->partners.maps[request->bank];
    int32_t const row = request->row;
    const int32_t *const of = request->vector;
    const int64_t *entry;
    int32_t partner = 0, first, second;
    bool has_partner, is_locked;

    if (!reaches_threshold(swaps, channel, request))
        return;
    entry = cmd_hash_map_get(partners, row);
    has_partner = entry;
    is_locked = entry && (*entry & 1);
    partner = entry ? (int32_t)(*entry >> 1) : 0;
    if (has_partner && !is_locked) {
        first = cold_row(swaps, channel, request->bank, row);
        swap(swaps, channel, of, row, partner);
        unlink_rows(partners, row, partner);
        swaps->num_unswaps++;
        swap(swaps, channel, of, row, first);
        link_rows(channel, partners, row, first);
        swaps->num_swaps++;
        return;
    }
    if ((int64_t)partners->count >= 2 * swaps->pairs)
        make_room(swaps, channel, request);
    first = cold_row(swaps, channel, request->bank, row);
    if (!has_partner) {
        swap(swaps, channel, of, row, first);
        link_rows(channel, partners, row, first);
        swaps->num_swaps++;
        return;
    }
    second = cold_row(swaps, channel, request->bank, row);
    unlink_rows(partners, row, partner);
    swap(swaps, channel, of, row, first);
    swap(swaps, channel, of, partner, second);
    link_rows(channel, partners, row, second);
    link_rows(channel, partners, partner, first);
    swaps->num_swaps += 2;
    swaps->num_reswaps++;
}

static struct fault rrs_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    int64_t const rows = channel->spec->size[channel->spec->row_level];

    FORWARD(cmd_need_range("RRS", "indirection_entries", config->indirections, 1, rows / 4));
    FORWARD(cmd_need_range("RRS", "tracker_entries", config->entries, 1, rows / 4));
    return init(channel, config, "RRS", state);
}

static bool rrs_count(const void *state, size_t index, struct cmd_named_count *count)
{
    const struct swaps *const swaps = state;
    const struct cmd_named_count counts[] = {{"rss_num_swaps", swaps->num_swaps},
                                             {"rss_num_unswaps", swaps->num_unswaps},
                                             {"rss_num_reswaps", swaps->num_reswaps}};

    if (index >= sizeof counts / sizeof *counts)
        return false;
    *count = counts[index];
    return true;
}

const struct cmd_mitigation cmd_rrs = {"RRS", rrs_init, rrs_issued, swaps_free, rrs_count};

/* ---- AQUA */
static void move(const struct swaps *swaps, struct cmd_channel *channel, const int32_t *of, int32_t from, int32_t to)
{
    copy_row(swaps, channel, of, from, false);
    copy_row(swaps, channel, of, to, true);
}

static void hold(struct swaps *swaps, struct cmd_channel *channel, uint32_t bank, int32_t slot, int32_t row)
{
    int64_t *const held = cmd_count_of(channel, &swaps->held.maps[bank], slot);

    if (held)
        *held = row;
    link_rows(channel, &swaps->partners.maps[bank], row, slot);
}

/* Frees a slot; -1: it holds no row. */
static int32_t release(struct swaps *swaps, uint32_t bank, int32_t slot)
{
    const int64_t *const held = cmd_hash_map_get(&swaps->held.maps[bank], slot);
    int32_t const row = held ? (int32_t)*held : -1;

    if (!held)
        return -1;
    cmd_hash_map_remove(&swaps->held.maps[bank], slot);
    unlink_rows(&swaps->partners.maps[bank], row, slot);
    return row;
}

static void aqua_issued(void *state, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct swaps *const swaps = state;
    int32_t const slot = (int32_t)swaps->head, row = request->row;
    int32_t original, old;

    if (!reaches_threshold(swaps, channel, request))
        return;
    old = release(swaps, request->bank, slot);
    if (old >= 0) {
        move(swaps, channel, request->vector, slot, old);
        swaps->r_migrations++;
    }
    if (row >= swaps->slots) {
        hold(swaps, channel, request->bank, slot, row);
    } else {
        original = release(swaps, request->bank, row);
        if (original >= 0)
            hold(swaps, channel, request->bank, slot, original);
    }
    move(swaps, channel, request->vector, row, slot);
    swaps->migrations++;
    swaps->head = (swaps->head + 1) % swaps->slots;
}

static struct fault aqua_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    FORWARD(cmd_need_range("AQUA", "quarantine_rows", config->quarantine_rows, 1,
                           (int64_t)channel->spec->size[channel->spec->row_level] - 1));
    return init(channel, config, "AQUA", state);
}

static bool aqua_count(const void *state, size_t index, struct cmd_named_count *count)
{
    const struct swaps *const swaps = state;

    *count = index == 0 ? (struct cmd_named_count){"aqua_migrations", swaps->migrations}
                        : (struct cmd_named_count){"aqua_r_migrations", swaps->r_migrations};
    return index < 2;
}

const struct cmd_mitigation cmd_aqua = {"AQUA", aqua_init, aqua_issued, swaps_free, aqua_count};
