/* Defences that count activations, or draw for each one: PARA (9.1), Graphene (9.2), OracleRH (9.3), TWiCe (9.4),
 * RFM (9.5). */
#include "memsys/command/mitigation/cmd_mitigation.h"

#include <stdlib.h>
#include <string.h>

/* ---- shared by all defences */
struct fault cmd_take_state(size_t bytes, void **state)
{
    *state = calloc(1, bytes);
    return *state ? fault_none() : fault_memory("memory", "a RowHammer defence");
}

struct fault cmd_need(const struct cmd_channel *channel, const char *mitigation, const char *command, int *number)
{
    *number = cmd_spec_command(channel->spec, command);
    return *number != CMD_NONE ? fault_none()
        : fault_make(FAULT_INPUT, "mitigation %s: %s has no command %s; take a standard that has, such as DDR5_RFM_VRR",
                     mitigation, channel->spec->standard->name, command);
}

struct fault cmd_need_range(const char *mitigation, const char *key, int64_t value, int64_t lowest, int64_t highest)
{
    return value >= lowest && value <= highest ? fault_none()
        : fault_make(FAULT_INPUT, "mitigation %s: %s is %lld; it must be from %lld to %lld", mitigation, key,
                     (long long)value,
                     (long long)lowest, (long long)highest);
}

struct fault cmd_tables_init(struct cmd_tables *tables, uint32_t banks)
{
    tables->maps = calloc(banks, sizeof *tables->maps);
    tables->spill = calloc(banks, sizeof *tables->spill);
    tables->banks = banks;
    return tables->maps && tables->spill ? fault_none() : fault_memory("memory", "a RowHammer defence");
}

void cmd_tables_free(struct cmd_tables *tables)
{
    for (uint32_t bank = 0; tables->maps && bank < tables->banks; bank++)
        cmd_hash_map_free(&tables->maps[bank]);
    free(tables->maps);
    free(tables->spill);
}

static bool no_counts(const void *state, size_t index, struct cmd_named_count *count)
{
    (void)state;
    (void)index;
    (void)count;
    return false;
}

/* First bank of a rank, and how many it has. */
static uint32_t rank_banks(const struct cmd_channel *channel, const struct cmd_request *request, uint32_t *count)
{
    int const level = cmd_spec_level(channel->spec, "Rank");

    *count = channel->device.banks_below[level];
    return (uint32_t)request->vector[level] * *count;
}

static struct fault need_ranks(const struct cmd_channel *channel, const char *mitigation)
{
    return cmd_spec_level(channel->spec, "Rank") == 1 ? fault_none()
        : fault_make(FAULT_INPUT, "mitigation %s: needs ranks; %s has none", mitigation, channel->spec->standard->name);
}

/* ---- PARA */
struct para {
    struct cmd_random random;
    float probability;
    unsigned vrr;
};

static struct fault para_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    struct para *para;
    int vrr;

    FORWARD(cmd_need(channel, "PARA", "VRR", &vrr));
    if (!(config->probability > 0 && config->probability < 1))
        return fault_make(FAULT_INPUT, "mitigation PARA: probability is %g; it must lie between 0 and 1",
                          (double)config->probability);
    FORWARD(cmd_take_state(sizeof *para, state));
    para = *state;
    para->vrr = (unsigned)vrr;
    para->probability = config->probability;
    cmd_random_init(&para->random, config->seed);
    return fault_none();
}

static void para_issued(void *state, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct para *const para = state;

    if (cmd_opens(channel, request) && cmd_random_unit(&para->random) < para->probability)
        cmd_priority_send(channel, para->vrr, request->vector);
}

const struct cmd_mitigation cmd_para = {"PARA", para_init, para_issued, free, no_counts};

/* ---- Graphene, OracleRH, TWiCe: counts of rows */
struct row_counts {
    struct cmd_tables tables;
    int64_t threshold, period, last_period;
    float pruning;
    unsigned vrr;
    uint32_t *turns;                     /* OracleRH: a rank: the part of its rows that is refreshed next */
};

static struct fault row_counts_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config,
                                    const char *name,
                                    void **state)
{
    struct row_counts *counts;
    int vrr;

    FORWARD(cmd_need(channel, name, "VRR", &vrr));
    FORWARD(need_ranks(channel, name));
    FORWARD(cmd_need_range(name, "threshold", config->threshold, 1, INT32_MAX));
    FORWARD(cmd_take_state(sizeof *counts, state));
    counts = *state;
    counts->vrr = (unsigned)vrr;
    counts->threshold = config->threshold;
    counts->pruning = config->pruning;
    return cmd_tables_init(&counts->tables, channel->spec->bank_count);
}

static void row_counts_free(void *state)
{
    struct row_counts *const counts = state;

    cmd_tables_free(&counts->tables);
    free(counts->turns);
    free(state);
}

/* Tables begin with rows that do not exist. */
static struct fault graphene_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    int32_t const rows = (int32_t)channel->spec->size[channel->spec->row_level];
    struct row_counts *counts;

    FORWARD(cmd_need_range("Graphene", "entries", config->entries, 1, 1 << 20));
    FORWARD(cmd_need_range("Graphene", "reset_ns", config->reset_ns, 1, INT64_C(1) << 40));
    FORWARD(row_counts_init(channel, config, "Graphene", state));
    counts = *state;
    counts->period = (int64_t)cmd_spec_period(channel->spec, config->reset_ns);
    FORWARD(cmd_need_range("Graphene", "reset_ns in ticks", counts->period, 1, INT64_MAX));
    for (uint32_t bank = 0; bank < counts->tables.banks; bank++)
        for (int32_t i = 0; i < config->entries; i++)
            if (!cmd_hash_map_put(&counts->tables.maps[bank], i - rows))
                return fault_memory("memory", "Graphene");
    return fault_none();
}

static struct cmd_hash_entry *with_count(const struct cmd_hash_map *map, int64_t count)
{
    CMD_EACH_ENTRY(entry, map)
        if (entry->value == count)
            return entry;
    return NULL;
}

static void graphene_reset(struct row_counts *counts)
{
    for (uint32_t bank = 0; bank < counts->tables.banks; bank++) {
        CMD_EACH_ENTRY(entry, &counts->tables.maps[bank])
            entry->value = 0;
        counts->tables.spill[bank] = 0;
    }
}

static void graphene_issued(void *state, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct row_counts *const counts = state;
    struct cmd_hash_map *const map = &counts->tables.maps[request->bank];
    int64_t *const spill = &counts->tables.spill[request->bank];
    struct cmd_hash_entry *victim;
    int64_t *count;

    if (!cmd_opens(channel, request))
        return;
    if (cmd_period_passed(channel, counts->period, &counts->last_period))
        graphene_reset(counts);
    count = cmd_hash_map_get(map, request->row);
    if (count) {
        if (++*count >= counts->threshold) {
            cmd_priority_send(channel, counts->vrr, request->vector);
            *count = *spill;
        }
        return;
    }
    victim = with_count(map, *spill);
    if (!victim) {
        ++*spill;
        return;
    }
    cmd_hash_map_remove(map, victim->key);
    count = cmd_count_of(channel, map, request->row);
    if (count)
        *count = *spill + 1;
}

const struct cmd_mitigation cmd_graphene = {"Graphene", graphene_init, graphene_issued, row_counts_free, no_counts};

/* REFab of a refresh window: tREFW / tREFI of DDR3 to DDR5 (JESD79-3F, JESD79-4, JESD79-5). */
enum { REFRESHES_PER_WINDOW = 8192 };

static struct fault oracle_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    struct row_counts *counts;

    FORWARD(row_counts_init(channel, config, "OracleRH", state));
    counts = *state;
    counts->turns = calloc(channel->spec->bank_count, sizeof *counts->turns);
    return counts->turns ? fault_none() : fault_memory("memory", "a RowHammer defence");
}

static bool refreshes_all(const struct cmd_channel *channel, const struct cmd_request *request)
{
    const struct cmd_command_row *const command = &channel->spec->command[request->command];

    return command->refreshing && command->target_all;
}

/* In turn, each REFab refreshes a part of the rows of all banks; of an RFM the rows are not known. */
static void oracle_refreshed(struct row_counts *counts, struct cmd_channel *channel, const struct cmd_request *request)
{
    uint64_t const rows = channel->spec->size[channel->spec->row_level];
    uint32_t banks, first = rank_banks(channel, request, &banks);
    uint64_t turn;

    if (channel->spec->command[request->command].name[2] == 'M')
        return;
    turn = counts->turns[first / banks]++ % REFRESHES_PER_WINDOW;
    for (uint32_t bank = first; bank < first + banks; bank++)
        for (uint64_t row = turn * rows / REFRESHES_PER_WINDOW; row < (turn + 1) * rows / REFRESHES_PER_WINDOW; row++)
            cmd_hash_map_remove(&counts->tables.maps[bank], (int32_t)row);
}

static void oracle_issued(void *state, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct row_counts *const counts = state;
    uint32_t first, banks;

    if (cmd_opens(channel, request)) {
        int64_t *const count = cmd_count_of(channel, &counts->tables.maps[request->bank], request->row);

        if (count && ++*count >= counts->threshold) {
            *count = 0;
            cmd_priority_send(channel, counts->vrr, request->vector);
        }
    } else if (refreshes_all(channel, request) && cmd_mends(channel->config, CMD_MEND_ORACLE_REFRESH)) {
        oracle_refreshed(counts, channel, request);
    } else if (refreshes_all(channel, request)) {
        first = rank_banks(channel, request, &banks);
        for (uint32_t bank = first; bank < first + banks; bank++)
            cmd_hash_map_clear(&counts->tables.maps[bank]);
    }
}

const struct cmd_mitigation cmd_oracle_rh = {"OracleRH", oracle_init, oracle_issued, row_counts_free, no_counts};

/* A row's number: activations in the high half, intervals that it has lived through in the low one. */
static struct fault twice_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    return row_counts_init(channel, config, "TWiCe", state);
}

static void twice_prune(struct row_counts *counts, uint32_t first, uint32_t end)
{
    for (uint32_t bank = first; bank < end; bank++) {
        struct cmd_hash_map *const map = &counts->tables.maps[bank];
        struct cmd_hash_entry *entry = cmd_hash_map_first(map);

        while (entry) {
            struct cmd_hash_entry *const next = cmd_hash_map_next(map, entry);

            if ((float)(entry->value >> 32) < (float)(entry->value & UINT32_MAX) * counts->pruning)
                cmd_hash_map_remove(map, entry->key);
            else
                entry->value++;
            entry = next;
        }
    }
}

static void twice_issued(void *state, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct row_counts *const counts = state;
    struct cmd_hash_map *const map = &counts->tables.maps[request->bank];
    uint32_t first = 0, banks = counts->tables.banks;
    int64_t *count;

    if (refreshes_all(channel, request)) {
        if (cmd_mends(channel->config, CMD_MEND_ONE_RANK))
            first = rank_banks(channel, request, &banks);
        twice_prune(counts, first, first + banks);
        return;
    }
    if (!cmd_opens(channel, request))
        return;
    if (!cmd_hash_map_get(map, request->row)) {
        count = cmd_count_of(channel, map, request->row);
        if (count)
            *count = INT64_C(1) << 32;
        return;
    }
    count = cmd_hash_map_get(map, request->row);
    *count += INT64_C(1) << 32;
    if (*count >> 32 >= counts->threshold) {
        cmd_priority_send(channel, counts->vrr, request->vector);
        cmd_hash_map_remove(map, request->row);
    }
}

const struct cmd_mitigation cmd_twice = {"TWiCeIdeal", twice_init, twice_issued, row_counts_free, no_counts};

/* ---- refresh management */
struct rfm {
    int64_t *counts, threshold;
    uint64_t sent;
    unsigned command;
    bool per_bank;
    int group;                           /* level; CMD_NONE */
};

static struct fault rfm_init(struct cmd_channel *channel, const struct cmd_mitigation_config *config, void **state)
{
    struct rfm *rfm;
    int command;

    FORWARD(cmd_need(channel, "RFM", config->per_bank ? "RFMpb" : "RFMab", &command));
    FORWARD(need_ranks(channel, "RFM"));
    FORWARD(cmd_need_range("RFM", "threshold", config->threshold, 1, INT32_MAX));
    FORWARD(cmd_take_state(sizeof *rfm, state));
    rfm = *state;
    rfm->command = (unsigned)command;
    rfm->per_bank = config->per_bank;
    rfm->threshold = config->threshold;
    rfm->group = cmd_spec_level(channel->spec, "BankGroup");
    rfm->counts = calloc(channel->spec->bank_count, sizeof *rfm->counts);
    return rfm->counts ? fault_none() : fault_memory("memory", "refresh management");
}

static void rfm_free(void *state)
{
    free(((struct rfm *)state)->counts);
    free(state);
}

static void rfm_issued(void *state, struct cmd_channel *channel, const struct cmd_request *request)
{
    struct rfm *const rfm = state;
    uint32_t first = 0, banks = channel->spec->bank_count;
    int32_t vector[CMD_LEVELS];

    if (!cmd_opens(channel, request) || ++rfm->counts[request->bank] < rfm->threshold)
        return;
    memcpy(vector, request->vector, sizeof vector);
    if (!rfm->per_bank) {
        if (rfm->group != CMD_NONE)
            vector[rfm->group] = -1;
        vector[channel->spec->bank_level] = -1;
    }
    if (!cmd_priority_send(channel, rfm->command, vector)) {
        cmd_fail(channel,
                 fault_make(FAULT_STALL, "channel %u: tick %lld: an RFM finds all %u entries of the priority queue "
                                         "taken; give priority_queue more, or RFM a higher threshold", channel->number,
                                     (long long)channel->clk, channel->config->priority_queue));
        return;
    }
    rfm->sent++;
    if (rfm->per_bank) {
        rfm->counts[request->bank] = 0;
        return;
    }
    if (cmd_mends(channel->config, CMD_MEND_ONE_RANK))
        first = rank_banks(channel, request, &banks);
    memset(rfm->counts + first, 0, banks * sizeof *rfm->counts);
}

static bool rfm_count(const void *state, size_t index, struct cmd_named_count *count)
{
    *count = (struct cmd_named_count){"rfm_counter", ((const struct rfm *)state)->sent};
    return index == 0;
}

const struct cmd_mitigation cmd_rfm = {"RFMManager", rfm_init, rfm_issued, rfm_free, rfm_count};
