#include "memsys/command/cmd_states.h"

#include <stdlib.h>
#include <string.h>

struct fault cmd_states_init(struct cmd_states *states, const struct cmd_spec *spec)
{
    static const struct {
        const char *command;
        enum cmd_states_change change;
    } changes[] = {{"PDE", CMD_STATES_DOWN}, {"PDX", CMD_STATES_WAKE}, {"SRE", CMD_STATES_SELF_REFRESH},
                   {"SRX", CMD_STATES_WAKE}};
    int const rank_level = cmd_spec_level(spec, "Rank");

    states->rank_level = rank_level == CMD_NONE ? 0 : (unsigned)rank_level;
    states->rank_count = 1;
    for (unsigned level = 1; level <= states->rank_level; level++)
        states->rank_count *= spec->size[level];
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        int const command = cmd_spec_command(spec, changes[i].command);

        if (command != CMD_NONE)
            states->change[command] = (uint8_t)changes[i].change;
    }
    states->banks_per_rank = spec->bank_count / states->rank_count;
    states->ranks = calloc(states->rank_count, sizeof *states->ranks);
    return states->ranks ? fault_none() : fault_memory("memory", "the states of ranks");
}

void cmd_states_free(struct cmd_states *states)
{
    free(states->ranks);
    states->ranks = NULL;
}

void cmd_states_pass(struct cmd_rank_state *rank, uint64_t now_ps)
{
    uint64_t const past_ps = now_ps - rank->since_ps;
    uint64_t active_ps = past_ps, refresh_ps = 0;

    if (rank->sleeps) {
        rank->state_ps[rank->sleep] += past_ps;
        rank->since_ps = now_ps;
        return;
    }
    if (rank->open == 0) {
        uint64_t const active_end_ps = max_u64(rank->active_until_ps, rank->since_ps);
        uint64_t const refresh_end_ps = max_u64(rank->refresh_until_ps, rank->since_ps);

        active_ps = min_u64(active_end_ps, now_ps) - rank->since_ps;
        refresh_ps = min_u64(refresh_end_ps, now_ps) - rank->since_ps;
        refresh_ps -= min_u64(refresh_ps, active_ps);
    }
    rank->state_ps[ENERGY_ACTIVE] += active_ps;
    rank->state_ps[ENERGY_REFRESH] += refresh_ps;
    rank->state_ps[ENERGY_PRECHARGED] += past_ps - active_ps - refresh_ps;
    rank->since_ps = now_ps;
}

void cmd_states_changed(struct cmd_states *states, uint32_t number, enum cmd_states_change change, uint64_t now_ps)
{
    struct cmd_rank_state *const rank = &states->ranks[number];
    bool const is_active = rank->open > 0 || rank->active_until_ps > now_ps;

    cmd_states_pass(rank, now_ps);
    rank->sleeps = change == CMD_STATES_DOWN || change == CMD_STATES_SELF_REFRESH;
    rank->sleep = change == CMD_STATES_SELF_REFRESH ? ENERGY_SELF_REFRESH
                  : is_active ? ENERGY_ACTIVE_DOWN : ENERGY_PRECHARGE_DOWN;
}

void cmd_states_reset(struct cmd_states *states, uint64_t now_ps)
{
    for (uint32_t i = 0; states->ranks && i < states->rank_count; i++) {
        cmd_states_pass(&states->ranks[i], max_u64(now_ps, states->ranks[i].since_ps));
        memset(states->ranks[i].state_ps, 0, sizeof states->ranks[i].state_ps);
    }
}

uint64_t cmd_states_of(const struct cmd_states *states, uint32_t number, enum energy_state state, uint64_t now_ps)
{
    struct cmd_rank_state rank = states->ranks[number];

    cmd_states_pass(&rank, max_u64(now_ps, rank.since_ps));
    return rank.state_ps[state];
}

void cmd_states_add(const struct cmd_states *states, uint64_t now_ps, double state_ps[ENERGY_STATES])
{
    for (uint32_t i = 0; states->ranks && i < states->rank_count; i++) {
        struct cmd_rank_state rank = states->ranks[i];

        cmd_states_pass(&rank, max_u64(now_ps, rank.since_ps));
        for (unsigned k = 0; k < ENERGY_STATES; k++)
            state_ps[k] += (double)rank.state_ps[k];
    }
}
