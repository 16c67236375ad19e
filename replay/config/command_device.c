/* Parameters to a device and a configuration of its controller (command_device.h), and the checks of config_finish.
 * What the model itself refuses comes back with the memory's key in front. */
#include "replay/config/command_device.h"

#include <stdlib.h>
#include <string.h>

#include "memsys/command/cmd_ctrl.h"
#include "memsys/command/device/cmd_power_times.h"
#include "memsys/dram/memory_params.h"
#include "replay/config/command_standard.h"
#include "replay/config/config_internal.h"

/* RRS, AQUA with odd behaviour 20: the lowest threshold; a copy activates a few rows of its bank. */
enum { LEAST_SWAP = 32 };

/* Above this the refresh interval is half as long: JESD79-3F 4.13.2, JESD79-4 4.26, JESD79-5 4.13 (operating
 * temperature ranges). */
enum { HOT_C = 85 };

/* The presets of a standard if none is named: a common device. */
static const struct {
    const char *standard, *organization, *timing;
} usual[] = {
    {"DDR3", "DDR3_4Gb_x8", "DDR3_1600K"}, {"DDR4", "DDR4_8Gb_x8", "DDR4_2400R"},
    {"DDR5", "DDR5_16Gb_x8", "DDR5_4800BN"}, {"GDDR6", "GDDR6_8Gb_x16", "GDDR6_14000_1350mV_double"},
    {"GDDR7", "GDDR7_16Gb_x8", "GDDR7_28000_PAM3"}, {"HBM1", "HBM1_4Gb", "HBM1_2Gbps"},
    {"HBM2", "HBM2_8Gb", "HBM2_2000Mbps"}, {"HBM3", "HBM3_16Gb_8hi", "HBM3_6400Mbps"},
    {"HBM4", "HBM4_32Gb_8Hi", "HBM4_8000Mbps"}, {"LPDDR5", "LPDDR5_8Gb_x16", "LPDDR5_6400"},
    {"LPDDR6", "LPDDR6_16Gb_x12", "LPDDR6_10667_BL24"}, {"LPDDR5X", "LPDDR5_16Gb_x16", "LPDDR5X_8533"},
    {"HBM3E", "HBM3_16Gb_8hi", "HBM3E_9600Mbps"}
};

/* A variant such as DDR5_RFM has the presets of its parent; a user's own standard has its first ones. */
static void find_presets(const struct cmd_standard *standard, const struct memory_params *memory,
                         const char **organization, const char **timing)
{
    const struct command_memory_params *const given = &memory->command_device;
    size_t const length = strcspn(standard->name, "_");

    *organization = standard->organizations[0].name;
    *timing = standard->timings[0].name;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strlen(usual[i].standard) != length || strncmp(usual[i].standard, standard->name, length) != 0)
            continue;
        *organization = usual[i].organization;
        *timing = usual[i].timing;
    }
    *organization = *given->organization ? given->organization : *organization;
    *timing = *given->timing ? given->timing : *timing;
}

static uint32_t mends_of(const struct memory_params *memory)
{
    const struct command_memory_params *const given = &memory->command_device;
    uint32_t mends = memory->command.mode == COMMAND_EXACT ? CMD_EXACT : CMD_SANE;

    for (unsigned i = 0; i < CMD_MEND_COUNT; i++) {
        if (given->mends[i] == COMMAND_MEND_YES)
            mends |= UINT32_C(1) << i;
        else if (given->mends[i] == COMMAND_MEND_NO)
            mends &= ~(UINT32_C(1) << i);
    }
    return mends;
}

/* ---- the device */
static struct fault check_preset(const struct cmd_standard *standard, const struct cmd_preset *presets, size_t count,
                                 const char *name, const char *path, const char *key)
{
    char list[400] = "", *at = list;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(presets[i].name, name) == 0)
            return fault_none();
        at = config_append(at, list + sizeof list, i ? ", " : "");
        at = config_append(at, list + sizeof list, presets[i].name);
    }
    return fault_make(FAULT_INPUT, "%s.%s: %s has no preset %s; give auto or one of %s", path, key, standard->name,
                      name, list);
}

static bool is_level(const struct cmd_standard *standard, const char *name)
{
    for (unsigned i = 1; i < standard->level_count; i++) {
        const char *const level = standard->levels[i];
        size_t k = 0;

        while (level[k] && name[k] == (level[k] >= 'A' && level[k] <= 'Z' ? level[k] - 'A' + 'a' : level[k]))
            k++;
        if (!level[k] && !name[k])
            return true;
    }
    return false;
}

static struct fault check_override(const struct cmd_standard *standard, const char *name, const char *path)
{
    bool found = is_level(standard, name) || strcmp(name, "channel_width") == 0;
    char list[400] = "", *at = list;

    for (unsigned i = 0; i < standard->timing_count; i++) {
        found |= strcmp(standard->timing_names[i], name) == 0;
        at = config_append(at, list + sizeof list, i ? ", " : "");
        at = config_append(at, list + sizeof list, standard->timing_names[i]);
    }
    if (found)
        return fault_none();
    if (strcmp(name, "channel") == 0)
        return fault_make(FAULT_INPUT, "%s.overrides.channel: a controller has one; give %s.channels", path, path);
    return fault_make(FAULT_INPUT, "%s.overrides.%s: %s has no such timing or level; give a level in small letters, "
                      "channel_width, or one of %s", path, name, standard->name, list);
}

static struct fault make_spec(struct command_device *device, const struct memory_params *memory, const char *path,
                              uint32_t mends)
{
    const struct command_memory_params *const given = &memory->command_device;
    struct cmd_pair pairs[COMMAND_MOST_OVERRIDES];
    struct cmd_overrides const overrides = {pairs, given->override_count};
    const char *organization, *timing;

    for (size_t i = 0; i < given->override_count; i++)
        pairs[i] = (struct cmd_pair){given->overrides[i].name, (int64_t)given->overrides[i].value};
    find_presets(&device->standard, memory, &organization, &timing);
    FORWARD(check_preset(&device->standard, device->standard.organizations, device->standard.organization_count,
                         organization, path, "organization"));
    FORWARD(check_preset(&device->standard, device->standard.timings, device->standard.preset_count, timing, path,
                         "timing"));
    for (size_t i = 0; i < given->override_count; i++)
        FORWARD(check_override(&device->standard, given->overrides[i].name, path));
    return fault_within(cmd_spec_make(&device->spec, &device->standard, organization, timing, overrides,
                                      mends >> CMD_MEND_MISSING_CONSTRAINTS & 1, mends >> CMD_MEND_ONE_WINDOW & 1),
                        "%s: ", path);
}

/* ---- the controller */
static int64_t ns(uint64_t ps)
{
    return (int64_t)(ps / 1000);
}

static struct cmd_mitigation_config mitigation_of(const struct mitigation_params *params, enum cmd_mitigation_kind kind)
{
    struct cmd_mitigation_config made = cmd_mitigation_default(kind);

#define TAKE(field, value) made.field = (__typeof__(made.field))(value)
    switch (kind) {
    case CMD_MITIGATION_PARA:
        TAKE(probability, params->para_threshold), TAKE(seed, params->para_seed);
        break;
    case CMD_MITIGATION_GRAPHENE:
        TAKE(entries, params->graphene_entries), TAKE(threshold, params->graphene_threshold);
        made.reset_ns = ns(params->graphene_reset_ps);
        break;
    case CMD_MITIGATION_ORACLE_RH:
        TAKE(threshold, params->oracle_threshold);
        break;
    case CMD_MITIGATION_TWICE:
        TAKE(threshold, params->twice_threshold), TAKE(pruning, params->twice_pruning);
        break;
    case CMD_MITIGATION_HYDRA:
        TAKE(threshold, params->hydra_tracking), TAKE(group_threshold, params->hydra_group);
        TAKE(group_rows, params->hydra_group_rows), TAKE(cache_entries, params->hydra_cache);
        made.evict_least = params->hydra_policy == COMMAND_CACHE_MIN_COUNT;
        made.reset_ns = ns(params->hydra_reset_ps);
        break;
    case CMD_MITIGATION_RRS:
        TAKE(threshold, params->rrs_threshold), TAKE(entries, params->rrs_tracker);
        TAKE(indirections, params->rrs_pairs);
        made.reset_ns = ns(params->rrs_reset_ps);
        break;
    case CMD_MITIGATION_AQUA:
        TAKE(threshold, params->aqua_threshold), TAKE(entries, params->aqua_tracker);
        TAKE(quarantine_rows, params->aqua_rows);
        made.reset_ns = ns(params->aqua_reset_ps);
        break;
    case CMD_MITIGATION_RFM:
        TAKE(threshold, params->rfm_threshold);
        made.per_bank = params->rfm_mode == COMMAND_RFM_PER_BANK;
        break;
    case CMD_MITIGATION_HYNIX_TRR:
        TAKE(probability, params->hynix_probability), TAKE(seed, params->hynix_seed);
        break;
    case CMD_MITIGATION_SAMSUNG_TRR:
        TAKE(entries, params->samsung_entries), TAKE(rows_per_rfm, params->samsung_rows);
        break;
    case CMD_MITIGATION_IDEAL_TRR:
        TAKE(rows_per_rfm, params->ideal_rows);
        break;
    }
#undef TAKE
    return made;
}

static bool swaps_rows(enum cmd_mitigation_kind kind)
{
    return kind == CMD_MITIGATION_RRS || kind == CMD_MITIGATION_AQUA || kind == CMD_MITIGATION_HYDRA;
}

static void take_mitigations(struct cmd_config *config, const struct memory_params *memory)
{
    config->mitigation_count = (uint32_t)memory->command_device.mitigation_count;
    config->reserved_rows = (int64_t)memory->command.reserved_rows_per_bank;
    config->row_indirection = config->reserved_rows > 0;
    for (uint32_t i = 0; i < config->mitigation_count; i++) {
        enum cmd_mitigation_kind const kind = (enum cmd_mitigation_kind)memory->command_device.mitigations[i];

        config->mitigations[i] = mitigation_of(&memory->mitigation, kind);
        config->row_indirection |= swaps_rows(kind) && kind != CMD_MITIGATION_HYDRA;
    }
}

static void take_blockhammer(struct cmd_config *config, const struct command_params *params)
{
    config->blockhammer.filters = (int64_t)params->bf_num_filters;
    config->blockhammer.epoch_ns = ns(params->bf_len_epoch_ps);
    config->blockhammer.counters = (int64_t)params->bf_ctr_count;
    config->blockhammer.threshold = (int64_t)params->bf_ctr_thresh;
    config->blockhammer.hashes = (int64_t)params->bf_num_hashes;
    config->blockhammer.history_max = (int64_t)params->bf_hist_max_freq;
    config->blockhammer.rowhammer_threshold = (int64_t)params->bf_num_rh;
    config->blockhammer.refresh_window_ns = ns(params->bf_trefw_ps);
    config->blockhammer.trc_ns = ns(params->bf_trc_ps);
}

static void take_controller(struct cmd_config *config, const struct memory_params *memory)
{
    const struct command_params *const params = &memory->command;

    if (params->controller != COMMAND_CONTROLLER_AUTO)
        config->controller = (enum cmd_controller_kind)(params->controller - 1);
    config->read_queue = (uint32_t)params->read_buffer_size;
    config->write_queue = (uint32_t)params->write_buffer_size;
    config->priority_queue = (uint32_t)params->priority_buffer_size;
    config->write_low = (float)((double)params->wr_low_watermark_perc / 100);
    config->write_high = (float)((double)params->wr_high_watermark_perc / 100);
    config->wck_always_on = params->wck_sync_mode == COMMAND_WCK_ALWAYS_ON;
    config->rck = (enum cmd_rck_kind)params->rck_mode;
    config->rck_idle = (int64_t)params->rck_idle_threshold;
    config->prac.threshold = (int64_t)params->abo_threshold;
    config->prac.alert_ns = ns(params->abo_act_ps);
    config->prac.recovery_refreshes = (int64_t)params->abo_recovery_refs;
    config->prac.delay_activations = (int64_t)params->abo_delay_acts;
    take_blockhammer(config, params);
    config->scheduler = (enum cmd_scheduler_kind)params->scheduler;
    config->row_policy = (enum cmd_row_policy_kind)params->row_policy;
    config->accesses = (uint32_t)params->cap;
    if (memory->refresh != COMMAND_REFRESH_AUTO)
        config->refresh = (enum cmd_refresh_kind)(memory->refresh - 1);
    config->stagger = (int64_t)params->scatter_interval;
    config->refresh_rate = params->refresh_rate * (params->temperature_c > HOT_C ? 2 : 1);
    config->postponed = (uint32_t)params->postponed_refreshes;
    config->power.down_idle = (int64_t)params->power_down_idle;
    config->power.self_idle = (int64_t)params->self_refresh_idle;
    config->mapping = (enum cmd_mapping_kind)params->mapping;
}

/* The commands of power-down and self-refresh, where they are wanted. */
static struct fault add_power(struct cmd_spec *spec, const struct command_params *params)
{
    struct cmd_power_given const given = {params->power_down_exit_ps, params->power_down_least_ps,
                                          params->self_refresh_exit_ps, params->self_refresh_least_ps,
                                          params->self_refresh_lock_ps};
    struct cmd_power_times times;

    if (params->power_down_idle == 0 && params->self_refresh_idle == 0)
        return fault_none();
    FORWARD(cmd_power_times_of(spec, &given, params->self_refresh_idle > 0, &times));
    return cmd_spec_add_power(spec, &times);
}

struct fault command_device_make(struct command_device *device, const struct memory_params *memory, const char *path)
{
    uint32_t const mends = mends_of(memory);
    struct fault fault;

    *device = (struct command_device){0};
    FORWARD(fault_within(command_standard_read(&device->standard, memory->command_device.standard), "%s.standard: ",
                         path));
    if (FAILS(fault, make_spec(device, memory, path, mends))
        || FAILS(fault, fault_within(add_power(&device->spec, &memory->command), "%s.", path))) {
        cmd_spec_free(&device->spec);
        cmd_standard_free(&device->standard);
        *device = (struct command_device){0};
        return fault;
    }
    cmd_config_default(&device->config, &device->spec);
    device->config.mends = mends;
    take_controller(&device->config, memory);
    take_mitigations(&device->config, memory);
    return fault_none();
}

void command_device_free(struct command_device *device)
{
    cmd_spec_free(&device->spec);
    cmd_standard_free(&device->standard);
    *device = (struct command_device){0};
}

/* ---- figures: reads of a device that does nothing else */
struct probe {
    struct cmd_memory *memory;
    bool is_done;
};

static void note_done(void *owner, uint64_t token, enum cmd_kind kind, uint64_t arrive, uint64_t depart)
{
    struct probe *const probe = owner;

    (void)token, (void)kind, (void)arrive, (void)depart;
    probe->is_done = true;
}

/* Ticks from the arrival of a read of that row to its data, long after all else. */
static struct fault probe_read(struct probe *probe, const struct cmd_spec *spec, int32_t row, uint64_t *ticks)
{
    enum { REST = 100000 };
    int32_t vector[CMD_LEVELS] = {0};
    struct cmd_access const access = {.kind = CMD_READ, .source = -1, .vector = vector};
    uint64_t const start = cmd_memory_now(probe->memory) + REST;
    struct fault fault;

    vector[spec->row_level] = row;
    while (cmd_memory_now(probe->memory) < start)
        FORWARD(cmd_memory_run(probe->memory, start));
    probe->is_done = false;
    cmd_memory_send(probe->memory, &access, &fault);
    FORWARD(fault);
    while (!probe->is_done && cmd_memory_now(probe->memory) < start + REST)
        FORWARD(cmd_memory_run(probe->memory, start + REST));
    *ticks = cmd_memory_now(probe->memory) - start;
    return fault_none();
}

/* A read of a closed bank, one more of its row, one of another row. */
static struct fault probe_reads(const struct command_device *device, uint64_t ticks[3])
{
    struct cmd_config config = device->config;
    struct probe probe = {NULL, false};
    struct cmd_hooks const hooks = {.owner = &probe, .completed = note_done};
    struct fault fault;

    config.controller = device->config.controller == CMD_CONTROLLER_PRAC
                        || device->config.controller == CMD_CONTROLLER_BLOCKHAMMER ? CMD_CONTROLLER_SINGLE_BUS
                                                                                   : device->config.controller;
    config.refresh = CMD_REFRESH_NONE;
    config.postponed = 0;
    config.power.down_idle = config.power.self_idle = 0;
    config.row_policy = CMD_ROW_POLICY_OPEN;
    config.mapping = CMD_MAPPING_GIVEN;
    config.mitigation_count = 0;
    config.row_indirection = false;
    config.reserved_rows = 0;
    FORWARD(cmd_memory_new(&probe.memory, &config, &hooks, 1));
    if (WORKS(fault, probe_read(&probe, &device->spec, 0, &ticks[0]))
        && WORKS(fault, probe_read(&probe, &device->spec, 0, &ticks[1])))
        fault = probe_read(&probe, &device->spec, device->spec.size[device->spec.row_level] > 1, &ticks[2]);
    cmd_memory_free(probe.memory);
    return fault;
}

/* Bytes that the address map reaches: the map takes whole bits of each level, and what is reserved lies above. */
static uint64_t reachable_bytes(const struct command_device *device)
{
    const struct cmd_spec *const spec = &device->spec;
    uint64_t bytes = UINT64_C(1) << log2_down(spec->tx_bytes);
    uint64_t const rows = spec->size[spec->row_level] - (uint64_t)device->config.reserved_rows;

    for (unsigned level = 1; level < spec->row_level; level++)
        bytes <<= log2_down(spec->size[level]);
    bytes <<= log2_down(spec->size[spec->column_level]) - log2_down(spec->standard->prefetch);
    /* The row is the highest part, so any number of rows will do; MOP4CLXOR mixes its bits. */
    if (device->config.mapping == CMD_MAPPING_ROBARACOCH && device->config.reserved_rows > 0)
        return bytes * min_u64(rows, UINT64_C(1) << log2_down(spec->size[spec->row_level]));
    return bytes << log2_down(rows);
}

/* Of those, what inline ECC leaves. */
static uint64_t data_bytes(const struct command_device *device, const struct memory_params *memory)
{
    uint64_t const bytes = reachable_bytes(device);

    return memory->command.ecc == COMMAND_ECC_INLINE ? bytes - bytes / CMD_ECC_DATA_PER_CHECK : bytes;
}

static void take_figures(struct memory_params *memory, const struct command_device *device, const uint64_t ticks[3])
{
    struct command_figures *const figures = &memory->command_device.figures;
    uint64_t const ways_ps = memory->command.frontend_latency_ps + memory->command.backend_latency_ps;
    struct cmd_clock const clock = cmd_ctrl_clock(&device->config);

    *figures = (struct command_figures){
        .tx_bytes = UINT64_C(1) << log2_down(device->spec.tx_bytes), .channel_bytes = data_bytes(device, memory),
        .row_bytes = cmd_ecc_row_bytes(&device->spec), .banks = device->spec.bank_count,
        .tick_ps = (uint64_t)device->spec.tck_ps, .ck_ps = (uint64_t)device->spec.ck_ps,
        .standard_digest = device->standard.digest,
        .peak_bytes_per_s = cmd_ctrl_peak_bytes_per_s(&device->spec),
        .closed_bank_ps = cmd_clock_tick_ps(&clock, ticks[0]) + ways_ps,
        .row_hit_ps = cmd_clock_tick_ps(&clock, ticks[1]) + ways_ps,
        .row_conflict_ps = cmd_clock_tick_ps(&clock, ticks[2]) + ways_ps};
}

/* ---- checks */
static struct fault check_capacity(const struct system_config *config, const struct memory_params *memory,
                                   const char *path)
{
    uint64_t const channel = memory->command_device.figures.channel_bytes, most = channel * memory->channels;

    if (memory->size_bytes <= most)
        return fault_none();
    return CONFIG_FAULTY(config, "%s.size: %s is beyond the device: %llu channel%s of %s reach%s %s; give that or "
                         "less, more channels, or %s.overrides such as rank: 2", path,
                         config_bytes(memory->size_bytes).text, llu(memory->channels),
                         memory->channels == 1 ? "" : "s", config_bytes(channel).text,
                         memory->channels == 1 ? "es" : "", config_bytes(most).text, path);
}

/* LPDDR reports the rate that it needs (JESD209-5, MR4), by thresholds of its own; those of GDDR and HBM are not in
 * their standards either. */
static struct fault check_refresh_rate(const struct command_device *device, const struct command_params *params,
                                       const char *path)
{
    const char *const name = device->standard.name;
    bool const has_ranges = strncmp(name, "DDR", 3) == 0;

    if (!(params->refresh_rate >= 0.125 && params->refresh_rate <= 8))
        return fault_make(FAULT_INPUT, "%s.command.refresh_rate: %g; give 0.125 to 8", path, params->refresh_rate);
    if (params->temperature_c <= HOT_C || has_ranges)
        return fault_none();
    return fault_make(FAULT_INPUT, "%s.command.temperature_c: %llu: the standard of %s says no refresh rate above %d "
                      "degrees; give the device's as %s.command.refresh_rate", path, llu(params->temperature_c), name,
                      HOT_C, path);
}

static struct fault check_ecc(const struct command_device *device, const struct command_params *params,
                              const char *path)
{
    const char *const name = device->standard.name;
    uint64_t const row = cmd_ecc_row_bytes(&device->spec);

    if (params->ecc == COMMAND_ECC_SIDEBAND && strncmp(name, "DDR", 3) != 0)
        return fault_make(FAULT_INPUT, "%s.command.ecc: sideband needs chips beside those of a DIMM, so DDR3, DDR4 or "
                          "DDR5, not %s; give inline", path, name);
    if (params->ecc != COMMAND_ECC_INLINE)
        return fault_none();
    if (device->config.mapping == CMD_MAPPING_MOP4CLXOR)
        return fault_make(FAULT_INPUT, "%s.command.ecc: inline needs rows whose bytes follow each other; give "
                          "%s.command.mapping: RoBaRaCoCh or ChRaBaRoCo", path, path);
    if (row < CMD_ECC_DATA_PER_CHECK * (UINT64_C(1) << log2_down(device->spec.tx_bytes)))
        return fault_make(FAULT_INPUT, "%s.command.ecc: inline needs rows of eight accesses or more; %s has %llu bytes",
                          path, device->spec.organization, llu(row));
    return fault_none();
}

static struct fault check_device(const struct command_device *device, const struct memory_params *memory,
                                 const char *path)
{
    const struct command_params *const params = &memory->command;
    uint64_t const rows = device->spec.size[device->spec.row_level];

    if (params->wr_low_watermark_perc > params->wr_high_watermark_perc)
        return fault_make(FAULT_INPUT, "%s.command.wr_low_watermark: %llu%% is above wr_high_watermark, %llu%%; give "
                          "20%% and 80%%", path, llu(params->wr_low_watermark_perc),
                          llu(params->wr_high_watermark_perc));
    if (params->reserved_rows_per_bank >= rows)
        return fault_make(FAULT_INPUT, "%s.command.reserved_rows_per_bank: %llu of the %llu rows of a bank; give less",
                          path, llu(params->reserved_rows_per_bank), llu(rows));
    FORWARD(check_refresh_rate(device, params, path));
    FORWARD(check_ecc(device, params, path));
    for (unsigned i = 0; i < device->config.mitigation_count; i++) {
        enum cmd_mitigation_kind const kind = device->config.mitigations[i].kind;
        int64_t const threshold = device->config.mitigations[i].threshold;

        /* Odd behaviour 20: a swap activates four rows, which count; a refresh between doubles that. */
        if ((kind == CMD_MITIGATION_RRS || kind == CMD_MITIGATION_AQUA) && threshold < LEAST_SWAP
            && !cmd_mends(&device->config, CMD_MEND_OWN_TRAFFIC))
            return fault_make(FAULT_INPUT, "%s.mitigations.%s_threshold: %lld, with odd behaviour 20, never ends: "
                              "copies of rows count as activations, which start further copies; give %d or more, or "
                              "%s.mends.own-traffic: yes", path, kind == CMD_MITIGATION_RRS ? "RRS" : "AQUA",
                              (long long)threshold, LEAST_SWAP, path);
    }
    return fault_none();
}

struct fault config_finish_command(const struct system_config *config, struct memory_params *memory, const char *path)
{
    struct cmd_hooks const hooks = {.owner = NULL};
    struct command_device device;
    struct cmd_memory *whole = NULL;
    struct fault fault;
    uint64_t ticks[3];

    if (FAILS(fault, command_device_make(&device, memory, path)))
        return config_faulty(config, fault);
    if (WORKS(fault, check_device(&device, memory, path))
        && WORKS(fault, fault_within(cmd_memory_new(&whole, &device.config, &hooks, 1), "%s: ", path))
        && WORKS(fault, fault_within(probe_reads(&device, ticks), "%s: ", path)))
        take_figures(memory, &device, ticks);
    if (fault.kind == FAULT_NONE)
        fault = config_finish_command_energy(memory, &device, path);
    cmd_memory_free(whole);
    command_device_free(&device);
    return fault.kind == FAULT_NONE ? check_capacity(config, memory, path) : config_faulty(config, fault);
}
