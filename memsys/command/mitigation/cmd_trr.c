/* Refresh of victims inside the device, at each RFM (9.6): of a row that was drawn (HynixTRR), of those with the
 * largest counts in a small table (SamsungTRR) or of all rows (IdealTRR). */
#include "memsys/command/mitigation/cmd_mitigation.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum kind { HYNIX, SAMSUNG, IDEAL };

struct ranked {
    int32_t row;
    int64_t count;
};

struct trr {
    enum kind kind;
    struct cmd_tables tables;            /* SamsungTRR, IdealTRR */
    int32_t *sample;                     /* HynixTRR: of a bank; -1: none */
    struct cmd_random random;
    float probability;
    int64_t entries, rows_per_rfm;
    unsigned vrr;
    int rfm_all, rfm_bank, act;
    uint64_t observed, fired;
    struct ranked *ranked;
    size_t ranked_room;
};

static void trr_free(void *state)
{
    struct trr *const trr = state;

    cmd_tables_free(&trr->tables);
    free(trr->sample);
    free(trr->ranked);
    free(trr);
}

static struct fault init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, const char *name,
                         enum kind kind, void **state)
{
    uint32_t const banks = channel->spec->bank_count;
    struct trr *trr;
    int vrr, act;

    FORWARD(cmd_need(channel, name, "VRR", &vrr));
    FORWARD(cmd_need(channel, name, "ACT", &act));
    if (cmd_spec_level(channel->spec, "Rank") != 1)
        return fault_make(FAULT_INPUT, "mitigation %s: needs ranks; %s has none", name, channel->spec->standard->name);
    FORWARD(cmd_take_state(sizeof *trr, state));
    trr = *state;
    *trr = (struct trr){.kind = kind, .probability = config->probability, .entries = config->entries,
                        .rows_per_rfm = config->rows_per_rfm, .vrr = (unsigned)vrr, .act = act};
    trr->rfm_all = cmd_spec_command(channel->spec, "RFMab");
    trr->rfm_bank = cmd_spec_command(channel->spec, "RFMpb");
    if (trr->rfm_all == CMD_NONE && trr->rfm_bank == CMD_NONE)
        return cmd_need(channel, name, "RFMab", &trr->rfm_all);
    cmd_random_init(&trr->random, config->seed);
    FORWARD(cmd_tables_init(&trr->tables, banks));
    trr->sample = malloc(banks * sizeof *trr->sample);
    if (!trr->sample)
        return fault_memory("memory", name);
    memset(trr->sample, 0xff, banks * sizeof *trr->sample);
    return fault_none();
}

static struct fault hynix_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    if (!(config->probability >= 0 && config->probability <= 1))
        return fault_make(FAULT_INPUT, "mitigation HynixTRR: probability is %g; it must be from 0 to 1",
                          (double)config->probability);
    return init(channel, config, "HynixTRR", HYNIX, state);
}

static struct fault samsung_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    FORWARD(cmd_need_range("SamsungTRR", "entries", config->entries, 1, 1 << 20));
    FORWARD(cmd_need_range("SamsungTRR", "rows_per_rfm", config->rows_per_rfm, 0, 1 << 20));
    return init(channel, config, "SamsungTRR", SAMSUNG, state);
}

static struct fault ideal_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    FORWARD(cmd_need_range("IdealTRR", "rows_per_rfm", config->rows_per_rfm, 0, 1 << 20));
    return init(channel, config, "IdealTRR", IDEAL, state);
}

/* ---- the k largest (13.4), as libstdc++'s partial_sort finds them */
static void sift(struct ranked *heap, size_t hole, size_t length, struct ranked value)
{
    size_t const top = hole;
    size_t child = hole;

    while (length > 0 && child < (length - 1) / 2) {
        child = 2 * (child + 1);
        if (heap[child].count > heap[child - 1].count)
            child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (length % 2 == 0 && length >= 2 && child == (length - 2) / 2) {
        child = 2 * (child + 1);
        heap[hole] = heap[child - 1];
        hole = child - 1;
    }
    while (hole > top && heap[(hole - 1) / 2].count > value.count) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = value;
}

static void largest_first(struct ranked *rows, size_t count, size_t k)
{
    for (size_t parent = k >= 2 ? (k - 2) / 2 + 1 : 0; parent-- > 0;)
        sift(rows, parent, k, rows[parent]);
    for (size_t i = k; i < count; i++) {
        if (rows[i].count > rows[0].count) {
            struct ranked const value = rows[i];

            rows[i] = rows[0];
            sift(rows, 0, k, value);
        }
    }
    for (size_t last = k; last-- > 1;) {
        struct ranked const value = rows[last];

        rows[last] = rows[0];
        sift(rows, 0, last, value);
    }
}

/* ---- service at an RFM */
static void refresh_row(struct trr *trr, struct cmd_channel *channel, const struct cmd_request *request, uint32_t bank,
                        int32_t row)
{
    int32_t vector[CMD_LEVELS];
    const struct cmd_spec *const spec = channel->spec;

    cmd_device_vector(&channel->device, spec->bank_level, bank, vector);
    vector[spec->row_level] = row;
    vector[spec->column_level] = request->vector[spec->column_level];
    trr->fired += cmd_priority_send(channel, trr->vrr, vector);
}

static void serve_largest(struct trr *trr, struct cmd_channel *channel, const struct cmd_request *request,
                          uint32_t bank)
{
    struct cmd_hash_map *const map = &trr->tables.maps[bank];
    size_t const k = (uint64_t)trr->rows_per_rfm < map->count ? (size_t)trr->rows_per_rfm : map->count;
    size_t count = 0;

    if (k == 0)
        return;
    if (!list_fit(&trr->ranked, map->count, &trr->ranked_room, sizeof *trr->ranked)) {
        cmd_fail(channel, fault_memory("memory", "TRR"));
        return;
    }
    CMD_EACH_ENTRY(entry, map)
        trr->ranked[count++] = (struct ranked){entry->key, entry->value};
    largest_first(trr->ranked, count, k);
    for (size_t i = 0; i < k; i++) {
        refresh_row(trr, channel, request, bank, trr->ranked[i].row);
        *cmd_hash_map_get(map, trr->ranked[i].row) = trr->tables.spill[bank];
    }
}

static void serve(struct trr *trr, struct cmd_channel *channel, const struct cmd_request *request, uint32_t bank)
{
    if (trr->kind != HYNIX) {
        serve_largest(trr, channel, request, bank);
    } else if (trr->sample[bank] >= 0) {
        refresh_row(trr, channel, request, bank, trr->sample[bank]);
        trr->sample[bank] = -1;
    }
}

/* ---- activations */
static void count_samsung(struct trr *trr, struct cmd_channel *channel, uint32_t bank, int32_t row)
{
    struct cmd_hash_map *const map = &trr->tables.maps[bank];
    int64_t *const spill = &trr->tables.spill[bank], *count = cmd_hash_map_get(map, row);
    struct cmd_hash_entry *victim = NULL;

    if (count) {
        ++*count;
        return;
    }
    if (map->count >= trr->entries) {
        for (victim = cmd_hash_map_first(map); victim && victim->value != *spill; victim = cmd_hash_map_next(map,
                                                                                                             victim))
            ;
        if (!victim) {
            ++*spill;
            return;
        }
        cmd_hash_map_remove(map, victim->key);
    }
    count = cmd_count_of(channel, map, row);
    if (count)
        *count = *spill + 1;
}

static void count_row(struct trr *trr, struct cmd_channel *channel, uint32_t bank, int32_t row)
{
    int64_t *count;

    if (trr->kind == HYNIX) {
        if (cmd_random_unit(&trr->random) < trr->probability)
            trr->sample[bank] = row;
    } else if (trr->kind == SAMSUNG) {
        count_samsung(trr, channel, bank, row);
    } else {
        count = cmd_count_of(channel, &trr->tables.maps[bank], row);
        if (count)
            ++*count;
    }
}

static void trr_issued(void *state, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct trr *const trr = state;

    if (request->command == trr->act) {
        count_row(trr, channel, request->bank, request->row);
    } else if (request->command == trr->rfm_all) {
        uint32_t const banks = channel->device.banks_below[1], first = (uint32_t)request->vector[1] * banks;

        trr->observed++;
        for (uint32_t bank = first; bank < first + banks; bank++)
            serve(trr, channel, request, bank);
    } else if (request->command == trr->rfm_bank) {
        trr->observed++;
        serve(trr, channel, request, request->bank);
    }
}

static bool trr_count(const void *state, size_t index, struct cmd_named_count *count)
{
    const struct trr *const trr = state;

    *count = index == 0 ? (struct cmd_named_count){"rfm_observed", trr->observed}
                        : (struct cmd_named_count){"vrrs_fired", trr->fired};
    return index < 2;
}

const struct cmd_mitigation cmd_hynix_trr = {"HynixTRR", hynix_init, trr_issued, trr_free, trr_count};
const struct cmd_mitigation cmd_samsung_trr = {"SamsungTRR", samsung_init, trr_issued, trr_free, trr_count};
const struct cmd_mitigation cmd_ideal_trr = {"IdealTRR", ideal_init, trr_issued, trr_free, trr_count};
