/* One pass over each command (cmd_watch.h). Commands of all banks look at each bank, which only refreshes do. */
#include "memsys/command/cmd_watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

enum { SHORTEST_WINDOW_PS = 1000000 };

/* ---- commands */
/* From RDA and WRA to the precharge that they contain. */
static void init_close_times(struct cmd_watch *watch, uint64_t clock_ps, uint64_t clock_ticks)
{
    const struct cmd_spec *const spec = watch->spec;
    int64_t const read = cmd_spec_time(spec, "nRTP") + cmd_spec_time(spec, "nRTPL");     /* standards have one */
    int64_t const write = cmd_spec_time(spec, "nCWL") + cmd_spec_time(spec, "nBL") + cmd_spec_time(spec, "nWR");

    for (unsigned i = 0; i < spec->command_count; i++)
        if (spec->command[i].accessing && spec->command[i].closing)
            watch->close_ps[i] = (uint64_t)(spec->command[i].name[0] == 'R' ? read : write) * clock_ps / clock_ticks;
}

struct fault cmd_watch_init(struct cmd_watch *watch, const struct cmd_spec *spec, uint64_t clock_ps,
                            uint64_t clock_ticks, uint64_t hammer_threshold, uint64_t hammer_window_ps)
{
    static const char *const times[][2] = {
        {"REFab", "nRFC"}, {"REFab", "nRFCab"}, {"REFpb", "nRFCpb"}, {"RFMab", "nRFMab"}, {"RFMab", "nRFM"},
        {"RFMpb", "nRFMpb"}, {"VRR", "nVRR"}
    };
    int const pseudo = cmd_spec_level(spec, "PseudoChannel");
    uint64_t const buses = pseudo == CMD_NONE ? 1 : spec->size[pseudo];
    uint64_t const interval = (uint64_t)cmd_spec_time(spec, "nREFI");
    uint64_t const rate = max_u64((uint64_t)cmd_spec_time(spec, "rate"), 1);
    uint64_t const burst_ps = 1000000 * (uint64_t)spec->standard->prefetch / rate;

    *watch = (struct cmd_watch){.spec = spec, .vrr = cmd_spec_command(spec, "VRR"),
                                .hammer = {.threshold = hammer_threshold, .window_ps = hammer_window_ps}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int const command = cmd_spec_command(spec, times[i][0]);
        int64_t const ticks = cmd_spec_time(spec, times[i][1]);

        if (command != CMD_NONE && ticks > 0)
            watch->refresh_ps[command] = (uint64_t)ticks * clock_ps / clock_ticks;
    }
    init_close_times(watch, clock_ps, clock_ticks);
    watch->precharge_ps = (uint64_t)cmd_spec_time(spec, "nRP") * clock_ps / clock_ticks;
    bus_windows_init(&watch->windows, max_u64(interval * clock_ps / clock_ticks, SHORTEST_WINDOW_PS),
                     max_u64(burst_ps / buses, 1));
    cmd_waits_init(&watch->waits, spec);
    watch->banks = calloc(spec->bank_count, sizeof *watch->banks);
    if (!watch->banks)
        return fault_memory("memory", "the state of banks");
    return spec->power.first_command ? cmd_watch_states(watch) : fault_none();
}

void cmd_watch_free(struct cmd_watch *watch)
{
    free(watch->banks);
    cmd_hammer_free(&watch->hammer);
    cmd_states_free(&watch->states);
    watch->banks = NULL;
}

uint32_t cmd_watch_bank_of(const struct cmd_spec *spec, const int32_t *vector)
{
    uint32_t bank = 0;

    for (unsigned level = 1; level <= spec->bank_level; level++)
        bank = bank * spec->size[level] + (uint32_t)(vector[level] < 0 ? 0 : vector[level]);
    return bank;
}

/* Does the vector, whose -1 are all of a level, name that bank? */
static bool names_bank(const struct cmd_spec *spec, const int32_t *vector, uint32_t bank)
{
    for (unsigned level = spec->bank_level; level >= 1; level--) {
        if (vector[level] >= 0 && (uint32_t)vector[level] != bank % spec->size[level])
            return false;
        bank /= spec->size[level];
    }
    return true;
}

struct fault cmd_watch_states(struct cmd_watch *watch)
{
    return watch->states.ranks ? fault_none() : cmd_states_init(&watch->states, watch->spec);
}

static void close_bank(struct cmd_watch *watch, uint32_t number, const struct cmd_issued *issued,
                       enum cmd_watch_state why, uint64_t now_ps, uint64_t until_ps)
{
    struct cmd_watch_bank *const bank = &watch->banks[number];

    if (watch->states.ranks && bank->row)
        cmd_states_closed(&watch->states, number, now_ps, now_ps + watch->close_ps[issued->command]);
    if (watch->states.ranks && why == CMD_WATCH_REFRESH && watch->spec->command[issued->command].target_all)
        cmd_states_refreshed(&watch->states, number, now_ps, until_ps);
    bank->row = 0;
    bank->busy = why;
    bank->busy_until_ps = max_u64(bank->busy_until_ps, until_ps);
}

static void close_banks(struct cmd_watch *watch, const struct cmd_issued *issued, enum cmd_watch_state why,
                        uint64_t now_ps, uint64_t until_ps)
{
    const struct cmd_spec *const spec = watch->spec;

    if (!spec->command[issued->command].target_all) {
        close_bank(watch, cmd_watch_bank_of(spec, issued->vector), issued, why, now_ps, until_ps);
        return;
    }
    for (uint32_t i = 0; i < spec->bank_count; i++)
        if (names_bank(spec, issued->vector, i))
            close_bank(watch, i, issued, why, now_ps, until_ps);
}

static void note_access(struct cmd_watch *watch, const struct cmd_issued *issued, struct cmd_watch_bank *bank,
                        uint64_t now_ps)
{
    bool const is_write = issued->kind == CMD_WRITE;

    if (!bus_windows_has(&watch->windows, now_ps))
        bus_windows_close(&watch->windows, now_ps, occupancy_area(&watch->reads, now_ps));
    bus_windows_count(&watch->windows);
    bank->reads += issued->kind == CMD_READ;
    bank->writes += is_write;
    if (issued->kind == CMD_READ)
        cmd_watch_gone(watch, true, now_ps);
}

/* Power-down and self-refresh. */
static void change_rank(struct cmd_watch *watch, const struct cmd_issued *issued, uint64_t now_ps)
{
    struct cmd_states *const states = &watch->states;
    uint32_t rank = 0;

    for (unsigned level = 1; level <= states->rank_level; level++)
        rank = rank * watch->spec->size[level] + (uint32_t)(issued->vector[level] < 0 ? 0 : issued->vector[level]);
    cmd_states_changed(states, rank, (enum cmd_states_change)states->change[issued->command], now_ps);
}

/* Number of a row among all; row: its number in the bank, and 1. */
static uint64_t hammer_row(const struct cmd_watch *watch, uint32_t bank, uint64_t row)
{
    return (uint64_t)bank * watch->spec->size[watch->spec->row_level] + row;
}

void cmd_watch_served(struct cmd_watch *watch, uint32_t bank, int32_t row, uint64_t now_ps)
{
    if (watch->hammer.threshold > 0)
        cmd_hammer_served(&watch->hammer, hammer_row(watch, bank, (uint64_t)row + 1), now_ps);
}

void cmd_watch_issued(struct cmd_watch *watch, const struct cmd_issued *issued, uint64_t now_ps)
{
    const struct cmd_spec *const spec = watch->spec;
    const struct cmd_command_row *const command = &spec->command[issued->command];
    uint32_t const number = cmd_watch_bank_of(spec, issued->vector);
    struct cmd_watch_bank *const bank = &watch->banks[number];
    uint64_t const row = (uint64_t)(issued->vector[spec->row_level] + 1);

    if (watch->states.ranks && watch->states.change[issued->command])
        change_rank(watch, issued, now_ps);
    watch->internal[issued->command] += issued->kind == CMD_INTERNAL;
    cmd_waits_issued(&watch->waits, issued);
    if (command->accessing)
        note_access(watch, issued, bank, now_ps);
    if (command->opening) {
        bank->activates++;
        if (watch->states.ranks && !bank->row)
            cmd_states_opened(&watch->states, number, now_ps);
        bank->row = row;
        if (watch->hammer.threshold > 0)
            watch->is_out_of_memory |= !cmd_hammer_activated(&watch->hammer, hammer_row(watch, number, row), now_ps);
    } else if (command->closing) {
        bank->conflicts += issued->kind != CMD_INTERNAL && !command->accessing;
        close_banks(watch, issued, CMD_WATCH_PRECHARGE, now_ps, now_ps + watch->precharge_ps);
    } else if (watch->refresh_ps[issued->command] > 0) {
        close_banks(watch, issued, CMD_WATCH_REFRESH, now_ps, now_ps + watch->refresh_ps[issued->command]);
        if ((int)issued->command == watch->vrr && watch->hammer.threshold > 0)
            cmd_hammer_served(&watch->hammer, hammer_row(watch, number, row), now_ps);
    }
}

struct cmd_watch_defences cmd_watch_defences(const struct cmd_watch *watch)
{
    struct cmd_watch_defences sum = {0};

    for (unsigned i = 0; i < watch->spec->command_count; i++) {
        const struct cmd_command_row *const command = &watch->spec->command[i];

        if (command->effect == CMD_EFFECT_OPEN)
            sum.activates += watch->internal[i];
        else if (command->refreshing && strncmp(command->name, "REF", 3) != 0)
            sum.refreshes += watch->internal[i];
    }
    return sum;
}

enum cmd_watch_state cmd_watch_bank_state(const struct cmd_watch *watch, uint32_t number, uint64_t now_ps)
{
    const struct cmd_watch_bank *const bank = &watch->banks[number];

    if (bank->row)
        return CMD_WATCH_ACTIVE;
    return bank->busy_until_ps > now_ps ? bank->busy : CMD_WATCH_IDLE;
}

void cmd_watch_reset(struct cmd_watch *watch, uint64_t now_ps)
{
    occupancy_reset(&watch->reads, now_ps);
    occupancy_reset(&watch->writes, now_ps);
    bus_windows_reset(&watch->windows, now_ps);
    cmd_states_reset(&watch->states, now_ps);
    memset(watch->internal, 0, sizeof watch->internal);
    cmd_waits_reset(&watch->waits);
    for (uint32_t i = 0; i < watch->spec->bank_count; i++) {
        struct cmd_watch_bank *const bank = &watch->banks[i];

        bank->reads = bank->writes = bank->activates = bank->conflicts = 0;
    }
    cmd_hammer_reset(&watch->hammer);
}
