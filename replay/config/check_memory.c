/* The part of config_finish for memories: resolves open values, checks ranges and the geometry of DRAM. Order of a
 * memory: missing device values (before the limits), burst, row, queues, pseudo-channels, interleaving, range, rows,
 * then its place among the others. */
#include <stdio.h>
#include <string.h>

#include "memsys/noc/crossbar.h"
#include "memsys/dram/geometry.h"
#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"

enum { MOST_CHANNELS = NOC_MAX_MEMORY_PORTS, MOST_ROW_BYTES = 1 << 20 };

#define HIGHEST_BASE (UINT64_C(1) << 62)

/* Minimum reads and writes before the bus turns, if not given (8.1, 10.1). */
enum { SWITCH_AFTER = 16, PSEUDO_SWITCH_AFTER = 64 };

/* Which memory is looked at. */
struct place {
    const struct system_config *config;
    struct memory_params *memory;
    char path[CONFIG_PATH_TEXT];         /* "memory", "memories.1" */
};

struct fault config_check_missing(const struct system_config *config, unsigned index)
{
    struct config_section const section = config_dram_section(config, index);
    struct config_section const memory = config_memory_section(config, index);
    char missing[256] = "", example[256] = "";

    if (config->memories[index].type == MEMORY_SIMPLE || config->memories[index].type == MEMORY_COMMAND)
        return fault_none();
    for (size_t i = 0; i < section.table->count; i++) {
        const struct param_info *info = &section.table->rows[i];
        size_t const length = strlen(missing);

        if (config_value(config, &section, info) != PARAM_MISSING || info->unit == UNIT_RATIO)
            continue;
        snprintf(missing + length, sizeof missing - length, "%s%s", length ? " and " : "", info->key);
        snprintf(example + strlen(example), sizeof example - strlen(example), "%s%s.%s: %s", length ? ", " : "",
                 section.path, info->key, config_ps(info->fallback).text);
    }
    if (!*missing)
        return fault_none();
    return CONFIG_FAULTY(config, "%s.device %s comes without %s; give %s, for example %s", memory.path,
                         config->memories[index].device, missing, strchr(missing, ' ') ? "them" : "it", example);
}

static void resolve_switches(struct memory_params *memory)
{
    uint64_t const fallback = memory->type == MEMORY_HBM_PSEUDO ? PSEUDO_SWITCH_AFTER : SWITCH_AFTER;

    if (memory->controller.min_writes_per_switch == PARAM_MISSING)
        memory->controller.min_writes_per_switch = fallback;
    if (memory->controller.min_reads_per_switch == PARAM_MISSING)
        memory->controller.min_reads_per_switch = fallback;
}

/* ---- DRAM (classic-memory 8.1, 9.1, 9.5) */
static const char *geometry_problem(const struct dram_params *dram, char *problem, size_t size)
{
    uint64_t const burst = dram_burst_bytes(dram), row = dram_row_bytes(dram);
    uint64_t const burst_bits = dram->devices_per_rank * dram->burst_length * dram->device_bus_width_bits;

    if (!is_power_of_two(burst) || burst * 8 != burst_bits) {
        snprintf(problem, size, "%llu, with devices_per_rank %llu and device_bus_width %llu bits, is not a power of "
                 "two of bytes; give for example 8, 8 and 8", llu(dram->burst_length), llu(dram->devices_per_rank),
                 llu(dram->device_bus_width_bits));
        return "burst_length";
    }
    if (!is_power_of_two(row) || row < burst) {
        snprintf(problem, size, "%s for each of %llu chips makes a row of %s; expected a power of two of at least a "
                 "burst; give a size that makes %s", config_bytes(dram->device_rowbuffer_bytes).text,
                 llu(dram->devices_per_rank), config_bytes(row).text,
                 config_bytes(config_power_of_two_from(row > burst ? row : burst)).text);
        return "device_rowbuffer_size";
    }
    if (row > MOST_ROW_BYTES) {
        snprintf(problem, size, "%s for each of %llu chips makes a row of %s; give up to %s",
                 config_bytes(dram->device_rowbuffer_bytes).text, llu(dram->devices_per_rank), config_bytes(row).text,
                 config_bytes(MOST_ROW_BYTES).text);
        return "device_rowbuffer_size";
    }
    if (dram->bank_groups_per_rank && dram->banks_per_rank % dram->bank_groups_per_rank != 0) {
        snprintf(problem, size, "%llu does not divide the %llu banks; give 0 for none, or a divisor",
                 llu(dram->bank_groups_per_rank), llu(dram->banks_per_rank));
        return "bank_groups_per_rank";
    }
    if (dram->bank_hash && !is_power_of_two(dram->banks_per_rank)) {
        snprintf(problem, size, "yes, and banks_per_rank is %llu; bits of a row can be XORed into powers of two only: "
                 "give banks_per_rank one, or bank_hash: no", llu(dram->banks_per_rank));
        return "bank_hash";
    }
    return NULL;
}

const char *config_device_problem(const struct dram_params *dram, char *problem, size_t size)
{
    bool const is_missing = dram->tRP_ps == PARAM_MISSING || dram->tRFC_ps == PARAM_MISSING;
    uint64_t const busy_ps = is_missing ? 0 : dram->tRP_ps + dram->tRFC_ps;
    const char *const wrong = geometry_problem(dram, problem, size);

    if (wrong)
        return wrong;
    if (dram->max_accesses_per_row == 1) {
        snprintf(problem, size, "1 is what page_policy: close is for; give 2 or more, or 0 for no limit");
        return "max_accesses_per_row";
    }
    if (dram->tBURST_ps != dram->tBURST_MIN_ps && dram->tBURST_MAX_ps < dram->tBURST_ps) {
        snprintf(problem, size, "%s is shorter than tBURST, %s, whose bursts interleave; give that or more",
                 config_ps(dram->tBURST_MAX_ps).text, config_ps(dram->tBURST_ps).text);
        return "tBURST_MAX";
    }
    if (dram->tREFI_ps <= busy_ps) {
        snprintf(problem, size, "%s leaves no time between refreshes; give more than tRP + tRFC, such as %s",
                 config_ps(dram->tREFI_ps).text, config_ps(10 * busy_ps).text);
        return "tREFI";
    }
    return NULL;
}

static struct fault check_device(const struct place *at)
{
    char problem[CONFIG_EXPECTED_TEXT];
    const char *const key = config_device_problem(&at->memory->dram, problem, sizeof problem);

    return key ? CONFIG_FAULTY(at->config, "%s.dram.%s: %s", at->path, key, problem) : fault_none();
}

static struct fault check_queues(const struct place *at)
{
    const struct dram_params *dram = &at->memory->dram;
    const struct controller_params *controller = &at->memory->controller;
    uint64_t const line = config_gpu_owns_memory(at->config) ? at->config->gpu.l2.cache.sector_bytes
                                                           : at->config->line_bytes;
    uint64_t const bursts = divide_up(line, dram_burst_bytes(dram));

    if (dram->read_buffer_size < bursts || dram->write_buffer_size < bursts)
        return CONFIG_FAULTY(at->config, "%s.dram.%s: %llu cannot hold the %llu bursts of a line; give %llu or more",
                             at->path, dram->read_buffer_size < bursts ? "read_buffer_size" : "write_buffer_size",
                             llu(min_u64(dram->read_buffer_size, dram->write_buffer_size)), llu(bursts), llu(bursts));
    if (controller->write_low_thresh_perc >= controller->write_high_thresh_perc)
        return CONFIG_FAULTY(at->config, "%s.controller.write_low_thresh_perc: %llu%% must be below "
                             "write_high_thresh_perc, %llu%%; give 50%% and 85%%", at->path,
                             llu(controller->write_low_thresh_perc), llu(controller->write_high_thresh_perc));
    if (dram->tCK_ps > controller->command_window_ps)
        return CONFIG_FAULTY(at->config, "%s.controller.command_window: %s is shorter than tCK, so no command fits; "
                             "give %s or more", at->path, config_ps(controller->command_window_ps).text,
                             config_ps(8 * dram->tCK_ps).text);
    return fault_none();
}

/* ---- channels and capacity (classic-memory 6, 9.1) */
static uint64_t lowest_interleave(const struct place *at)
{
    uint64_t const burst = dram_burst_bytes(&at->memory->dram);
    uint64_t const line = max_u64(burst, at->config->line_bytes);

    return at->memory->type == MEMORY_HBM_PSEUDO ? max_u64(line, 2 * DRAM_PSEUDO_CHANNEL_BYTES) : line;
}

static bool has_row_stripes(const struct memory_params *memory)
{
    return dram_mapping_of(memory->dram.addr_mapping)->has_row_stripes;
}

static void resolve_interleave(const struct place *at)
{
    struct memory_params *memory = at->memory;

    if (memory->interleave_bytes == INTERLEAVE_AUTO && !has_row_stripes(memory))
        memory->interleave_bytes = lowest_interleave(at);
    else if (memory->interleave_bytes == INTERLEAVE_AUTO || memory->interleave_bytes == INTERLEAVE_ROW_BUFFER)
        memory->interleave_bytes = dram_row_bytes(&memory->dram);
}

static struct fault check_interleave(const struct place *at)
{
    const struct memory_params *memory = at->memory;
    uint64_t const stripe = memory->interleave_bytes, row = dram_row_bytes(&memory->dram);
    uint64_t const lowest = lowest_interleave(at);
    unsigned const low_bit = log2_down(stripe), channel_bits = log2_down(memory->channels);

    if (memory->channels == 1)
        return fault_none();
    if (!is_power_of_two(stripe) || stripe < lowest)
        return CONFIG_FAULTY(at->config, "%s.interleave: %s is not a power of two of at least %s; give %s", at->path,
                             config_bytes(stripe).text,
                             memory->type == MEMORY_HBM_PSEUDO ? "two pseudo-channels" : "a line and a burst",
                             config_bytes(lowest).text);
    if (has_row_stripes(memory) && stripe != row)
        return CONFIG_FAULTY(at->config, "%s.interleave: %s, but addr_mapping RoRaBaChCo interleaves whole rows; give "
                             "row_buffer (%s)", at->path, config_bytes(stripe).text, config_bytes(row).text);
    if (stripe > row && row >= lowest)
        return CONFIG_FAULTY(at->config, "%s.interleave: %s is more than a row; give row_buffer (%s) or less", at->path,
                             config_bytes(stripe).text, config_bytes(row).text);
    if (memory->xor_low_bit && memory->xor_low_bit < low_bit + channel_bits)
        return CONFIG_FAULTY(at->config, "%s.xor_low_bit: bit %llu is one of those that choose the channel (%u to %u); "
                             "give %u or more, or 0 for no hashing", at->path, llu(memory->xor_low_bit),
                             low_bit, low_bit + channel_bits - 1, low_bit + channel_bits);
    return fault_none();
}

static struct fault check_range(const struct place *at, uint64_t unit, const char *what)
{
    const struct memory_params *memory = at->memory;

    if (memory->base % unit != 0)
        return CONFIG_FAULTY(at->config, "%s.base: %s is no multiple of %s, %s; give %s", at->path,
                             config_bytes(memory->base).text, config_bytes(unit).text, what,
                             config_bytes(memory->base / unit * unit).text);
    if (memory->size_bytes % unit != 0)
        return CONFIG_FAULTY(at->config, "%s.size: %s is no multiple of %s, %s; give %s", at->path,
                             config_bytes(memory->size_bytes).text, config_bytes(unit).text, what,
                             config_bytes((memory->size_bytes / unit + 1) * unit).text);
    return fault_none();
}

static struct fault check_rows(const struct place *at)
{
    const struct memory_params *memory = at->memory;
    uint64_t const row_of_all_banks = dram_row_bytes(&memory->dram) * memory->dram.banks_per_rank *
                                      memory->dram.ranks_per_channel;
    uint64_t const capacity = config_power_of_two_from(divide_up(memory->size_bytes, dram_channel_count(memory)));

    if (capacity >= row_of_all_banks)
        return fault_none();
    return CONFIG_FAULTY(at->config, "%s.size: %s is less than one row in each bank of each channel; give %s or more",
                         at->path, config_bytes(memory->size_bytes).text,
                         config_bytes(config_power_of_two_from(row_of_all_banks) * dram_channel_count(memory)).text);
}

/* classic-memory 10.1: refuses what the reference refuses, and stripes that it decodes wrongly */
static struct fault check_pseudo_channels(const struct place *at)
{
    const struct memory_params *memory = at->memory;

    if (at->config->line_bytes > DRAM_PSEUDO_CHANNEL_BYTES)
        return CONFIG_FAULTY(at->config, "%s.type: hbm_pseudo holds lines of up to %dB, not %s; give line: 64B, or "
                             "type: dram", at->path, DRAM_PSEUDO_CHANNEL_BYTES,
                             config_bytes(at->config->line_bytes).text);
    if (dram_burst_bytes(&memory->dram) > DRAM_PSEUDO_CHANNEL_BYTES)
        return CONFIG_FAULTY(at->config, "%s.dram: bursts of %s, but hbm_pseudo holds up to %dB; give a device such as "
                             "HBM_2000_4H_1x64", at->path, config_bytes(dram_burst_bytes(&memory->dram)).text,
                             DRAM_PSEUDO_CHANNEL_BYTES);
    if (has_row_stripes(memory))
        return CONFIG_FAULTY(at->config, "%s.dram.addr_mapping: RoRaBaChCo does not go with hbm_pseudo, whose channels "
                             "change every 64B; give RoRaBaCoCh", at->path);
    if (memory->xor_low_bit)
        return CONFIG_FAULTY(at->config, "%s.xor_low_bit: hbm_pseudo does not hash; give 0, or type: dram", at->path);
    return fault_none();
}

static struct fault finish_dram(const struct place *at)
{
    const struct memory_params *memory = at->memory;
    bool const is_pseudo = memory->type == MEMORY_HBM_PSEUDO;

    FORWARD(check_device(at));
    FORWARD(check_queues(at));
    if (is_pseudo)
        FORWARD(check_pseudo_channels(at));
    if (config_gpu_owns_memory(at->config))
        return check_range(at, at->config->gpu.l2.interleave_bytes, "the run of bytes on one channel");
    resolve_interleave(at);
    FORWARD(check_interleave(at));
    if (memory->channels > 1)
        FORWARD(check_range(at, is_power_of_two(memory->channels) ? memory->channels * memory->interleave_bytes
                                                                    : memory->interleave_bytes,
                              is_power_of_two(memory->channels) ? "one stripe on each channel" : "a stripe"));
    else if (is_pseudo)
        FORWARD(check_range(at, 2 * DRAM_PSEUDO_CHANNEL_BYTES, "both pseudo-channels"));
    else
        FORWARD(check_range(at, at->config->line_bytes, "a line"));
    return check_rows(at);
}

/* Sets what gem5's controller has and others do not to the defaults, so that equal systems are equal values. */
static void forget_dram(struct memory_params *memory)
{
    struct memory_params fresh;

    config_memory_defaults(&fresh, true);
    memcpy(memory->device, fresh.device, sizeof fresh.device);
    memory->of_device = fresh.of_device;
    memory->dram = fresh.dram;
    memory->controller = fresh.controller;
    memory->policy = fresh.policy;
    resolve_switches(memory);
}

/* A memory without DRAM has no device: sets its values to the defaults, so that equal systems are equal values. */
static struct fault finish_simple(const struct place *at)
{
    forget_dram(at->memory);
    at->memory->currents = (struct energy_params){0};
    memset(at->memory->datasheet, 0, sizeof at->memory->datasheet);
    at->memory->energy = (struct energy_device){0};
    at->memory->channels = 1;
    at->memory->interleave_bytes = at->config->line_bytes;
    at->memory->xor_low_bit = 0;
    return check_range(at, at->config->line_bytes, "a line");
}

static struct fault check_channel_bits(const struct place *at)
{
    const struct memory_params *const memory = at->memory;
    uint64_t const stripe = memory->interleave_bytes;
    uint64_t const lowest = max_u64(memory->command_device.figures.tx_bytes, at->config->line_bytes);
    unsigned const above = log2_down(stripe) + log2_down(memory->channels);

    if (!is_power_of_two(stripe) || stripe < lowest)
        return CONFIG_FAULTY(at->config, "%s.interleave: %s is not a power of two of at least %s, a line and an "
                             "access; give %s", at->path, config_bytes(stripe).text, config_bytes(lowest).text,
                             config_bytes(lowest).text);
    if (memory->xor_low_bit && memory->xor_low_bit < above)
        return CONFIG_FAULTY(at->config, "%s.xor_low_bit: bit %llu is one of those that choose the channel; give %u or "
                             "more, or 0 for no hashing", at->path, llu(memory->xor_low_bit), above);
    return check_range(at, is_power_of_two(memory->channels) ? memory->channels * stripe : stripe,
                       is_power_of_two(memory->channels) ? "one stripe on each channel" : "a stripe");
}

static struct fault finish_command(const struct place *at)
{
    struct memory_params *const memory = at->memory;

    forget_dram(memory);
    if (config_gpu_owns_memory(at->config))
        return config_finish_gpu_command(at->config, memory, at->path);
    FORWARD(config_finish_command(at->config, memory, at->path));
    if (memory->interleave_bytes == INTERLEAVE_AUTO || memory->interleave_bytes == INTERLEAVE_ROW_BUFFER)
        memory->interleave_bytes = max_u64(memory->command_device.figures.tx_bytes, at->config->line_bytes);
    return memory->channels > 1 ? check_channel_bits(at) : check_range(at, at->config->line_bytes, "a line");
}

static struct fault finish_memory(const struct place *at)
{
    if (at->memory->link != MEMORY_LINK_NONE && config_gpu_owns_memory(at->config))
        return CONFIG_FAULTY(at->config, "%s.link: cxl does not go below a GPU alone; give gpu.memory: shared, or none",
                             at->path);
    if (at->memory->type == MEMORY_COMMAND)
        return finish_command(at);
    config_forget_command(at->memory);
    if (at->memory->type == MEMORY_SIMPLE)
        return finish_simple(at);
    FORWARD(config_finish_energy(at->config, at->memory, at->path));
    return finish_dram(at);
}

/* ---- all memories of a system */
static struct fault check_overlap(const struct system_config *config, unsigned index)
{
    const struct memory_params *memory = &config->memories[index];
    uint64_t const end = memory->base + memory->size_bytes;

    for (unsigned i = 0; i < index; i++) {
        const struct memory_params *other = &config->memories[i];
        uint64_t const other_end = other->base + other->size_bytes;

        if (memory->base < other_end && other->base < end)
            return CONFIG_FAULTY(config, "memories.%u.base: %s with a size of %s overlaps memories.%u, %s to %s; give "
                                 "%s, or leave base out", index, config_bytes(memory->base).text,
                                 config_bytes(memory->size_bytes).text, i, config_bytes(other->base).text,
                                 config_bytes(other_end).text, config_bytes(other_end).text);
    }
    return fault_none();
}

static struct fault check_channels(const struct system_config *config)
{
    uint64_t channels = 0;

    for (unsigned i = 0; i < config->memory_count; i++)
        channels += config->memories[i].channels;
    if (channels <= MOST_CHANNELS)
        return fault_none();
    return CONFIG_FAULTY(config, "memories: %llu channels together; give up to %d", llu(channels), MOST_CHANNELS);
}

struct fault config_finish_memories(struct system_config *config)
{
    uint64_t end = 0;

    for (unsigned i = 0; i < config->memory_count; i++) {
        struct place at = {.config = config, .memory = &config->memories[i]};

        snprintf(at.path, sizeof at.path, "%s", config_memory_section(config, i).path);
        if (at.memory->base == PARAM_MISSING && end > HIGHEST_BASE)
            return CONFIG_FAULTY(config, "%s.base: the memory before ends at %s, which is too far up; give a base",
                                 at.path, config_bytes(end).text);
        if (at.memory->base == PARAM_MISSING)
            at.memory->base = end;
        end = at.memory->base + at.memory->size_bytes;
        at.memory->has_policy = true;
        resolve_switches(at.memory);
        FORWARD(finish_memory(&at));
        FORWARD(check_overlap(config, i));
    }
    if (config_gpu_owns_memory(config))
        return config_finish_gpu_memory(config);
    FORWARD(check_channels(config));
    return config_has_gpu(config) ? config_finish_gpu_window(config) : fault_none();
}
