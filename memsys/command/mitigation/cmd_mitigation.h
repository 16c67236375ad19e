/* Defences against RowHammer and managers of refresh management (docs/spec/command-dram.md 9).
 *
 * A defence sees each command as it is issued and answers with requests of the priority queue: a refresh of a row's
 * victims (VRR), refresh management (RFM), or traffic of its own tables. An activation is a command that opens, from
 * whatever request. Ownership: a defence's state is its channel's to free. */
#ifndef MEMSYS_COMMAND_MITIGATION_CMD_MITIGATION_H
#define MEMSYS_COMMAND_MITIGATION_CMD_MITIGATION_H

#include "memsys/command/channel/cmd_hash_map.h"
#include "memsys/command/channel/cmd_internal.h"
#include "memsys/command/mitigation/cmd_random.h"

extern const struct cmd_mitigation cmd_para, cmd_graphene, cmd_oracle_rh, cmd_twice, cmd_rfm, cmd_hynix_trr,
    cmd_samsung_trr,
                                   cmd_ideal_trr, cmd_hydra, cmd_rrs, cmd_aqua;

/* Maps and spill counts, one a bank (9.2, 9.6, 9.8). */
struct cmd_tables {
    struct cmd_hash_map *maps;
    int64_t *spill;
    uint32_t banks;
};

struct fault cmd_tables_init(struct cmd_tables *tables, uint32_t banks);
void cmd_tables_free(struct cmd_tables *tables);

/* Zeroed state of a defence. */
struct fault cmd_take_state(size_t bytes, void **state);
/* Number of a command that the defence needs; FAULT_INPUT if the standard does not have it. */
struct fault cmd_need(const struct cmd_channel *channel, const char *mitigation, const char *command, int *number);
/* Bounds of a parameter. */
struct fault cmd_need_range(const char *mitigation, const char *key, int64_t value, int64_t lowest, int64_t highest);

/* A row as it is counted. */
static inline bool cmd_opens(const struct cmd_channel *channel, const struct cmd_request *request)
{
    return channel->spec->command[request->command].opening;
}

/* Has a clock that ticks with the channel passed a multiple of the period since it was asked last? (*last begins at
 * 0.) */
static inline bool cmd_period_passed(const struct cmd_channel *channel, int64_t period, int64_t *last)
{
    int64_t const now = channel->clk / period;
    bool const has_passed = now != *last;

    *last = now;
    return has_passed;
}

/* Without memory a defence ends the run. */
static inline int64_t *cmd_count_of(struct cmd_channel *channel, struct cmd_hash_map *map, int32_t row)
{
    int64_t *const count = cmd_hash_map_put(map, row);

    if (!count)
        cmd_fail(channel, fault_memory("memory", "a RowHammer defence"));
    return count;
}

#endif
