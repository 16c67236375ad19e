/* The part of config_finish that checks the GPU: its caches, hashes, address bits, its DRAM, and the sections that a
 * system of a GPU alone may not have.
 *
 * Limits of the tables have been checked. Without cores there are no caches of cores, and if the GPU has its own
 * memory no buses: their settings return to the defaults, so that equal systems are equal values. With a shared memory
 * the settings of the cores' caches are dropped silently, so that `cores: 0` takes the cores out of any system; with a
 * memory of the GPU's own they are refused, because the user expects an effect. */
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "memsys/dram/geometry.h"
#include "memsys/sim/clock.h"
#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"

enum { FERMI_SETS = 32, FERMI_MOST_SETS = 64, IPOLY_LEAST = 16, IPOLY_MOST = 64, WARP_SIZE = 32, LINE_BYTES = 64 };

/* ---- caches */
static struct fault check_sector_cache(const struct system_config *config, const char *name,
                                       const struct sector_cache_params *cache)
{
    bool const is_modulo = cache == &config->gpu.l2.cache && cache->index == SET_LINEAR;     /* the line's number */

    if (!is_power_of_two(cache->sets) && !is_modulo)
        return CONFIG_FAULTY(config, "%s.sets: %llu is not a power of two; give %llu", name, llu(cache->sets),
                             llu(config_power_of_two_from(cache->sets)));
    if (!is_power_of_two(cache->line_bytes))
        return CONFIG_FAULTY(config, "%s.line: %s is not a power of two; give 128B", name,
                             config_bytes(cache->line_bytes).text);
    if (!is_power_of_two(cache->sector_bytes) || cache->sector_bytes > cache->line_bytes)
        return CONFIG_FAULTY(config, "%s.sector: %s does not divide a line of %s; give 32B", name,
                             config_bytes(cache->sector_bytes).text, config_bytes(cache->line_bytes).text);
    if (cache->line_bytes / cache->sector_bytes > 8)
        return CONFIG_FAULTY(config, "%s.sector: %s makes more than 8 sectors of a line; give %s or more", name,
                             config_bytes(cache->sector_bytes).text, config_bytes(cache->line_bytes / 8).text);
    if (cache->index == SET_FERMI && (cache->sets < FERMI_SETS || cache->sets > FERMI_MOST_SETS))
        return CONFIG_FAULTY(config, "%s.index: fermi is made for 32 or 64 sets, not %llu; give linear", name,
                             llu(cache->sets));
    if (cache->index == SET_IPOLY && (cache->sets < IPOLY_LEAST || cache->sets > IPOLY_MOST))
        return CONFIG_FAULTY(config, "%s.index: ipoly is made for 16, 32 or 64 sets, not %llu; give linear or xor",
                             name, llu(cache->sets));
    return fault_none();
}

static uint64_t largest_option(const struct gpu_l1_params *l1)
{
    uint64_t largest = 0;

    for (unsigned i = 0; i < GPU_SHARED_OPTIONS; i++)
        largest = max_u64(largest, l1->shared_options[i]);
    return largest;
}

static struct fault check_adaptive(const struct system_config *config)
{
    const struct gpu_l1_params *l1 = &config->gpu.l1;
    uint64_t const granule = l1->cache.sets * l1->cache.line_bytes;

    if (!l1->adaptive)
        return fault_none();
    if (l1->unified_bytes == 0 || l1->unified_bytes % granule != 0)
        return CONFIG_FAULTY(config, "gpu.l1.unified: %s is no multiple of a way, %s; give for example 128KiB, or "
                             "adaptive: no", config_bytes(l1->unified_bytes).text, config_bytes(granule).text);
    if (largest_option(l1) == 0)
        return CONFIG_FAULTY(config, "gpu.l1.shared_options: missing; give the sizes of shared memory, such as "
                             "[0B, 8KiB, 64KiB], or adaptive: no");
    if (largest_option(l1) >= l1->unified_bytes)
        return CONFIG_FAULTY(config, "gpu.l1.shared_options: %s leaves nothing of %s for the L1; give less, or more "
                             "gpu.l1.unified", config_bytes(largest_option(l1)).text,
                             config_bytes(l1->unified_bytes).text);
    return fault_none();
}

static struct fault check_hash(const struct system_config *config, const struct gpu_l2_params *l2)
{
    uint64_t const hashed = config_power_of_two_from(l2->channels) * l2->slices;

    if (l2->hash == SLICE_XOR && !is_power_of_two(l2->channels))
        return CONFIG_FAULTY(config, "gpu.l2.hash: xor needs a power of two of channels, not %llu; give linear",
                             llu(l2->channels));
    if (l2->hash == SLICE_IPOLY && (hashed < IPOLY_LEAST || hashed > IPOLY_MOST))
        return CONFIG_FAULTY(config, "gpu.l2.hash: ipoly is made for 16, 32 or 64 slices (channels up to the next "
                             "power of two, times slices), not %llu; give ipoly_modulo or linear", llu(hashed));
    if (l2->hash == SLICE_IPOLY_MODULO && l2->channels * l2->slices % 2 != 0)
        return CONFIG_FAULTY(config, "gpu.l2.hash: ipoly_modulo needs an even number of slices, not %llu; give linear",
                             llu(l2->channels * l2->slices));
    return fault_none();
}

static struct fault check_slices(const struct system_config *config)
{
    const struct gpu_l2_params *l2 = &config->gpu.l2;

    if (!is_power_of_two(l2->slices))
        return CONFIG_FAULTY(config, "gpu.l2.slices: %llu is not a power of two; give %llu", llu(l2->slices),
                             llu(config_power_of_two_from(l2->slices)));
    if (!is_power_of_two(l2->interleave_bytes) || l2->interleave_bytes < l2->cache.sector_bytes)
        return CONFIG_FAULTY(config, "gpu.l2.interleave: %s is not a power of two of at least a sector of %s; give %s",
                             config_bytes(l2->interleave_bytes).text, config_bytes(l2->cache.sector_bytes).text,
                             config_bytes(max_u64(256, l2->cache.sector_bytes)).text);
    return check_hash(config, l2);
}

/* ---- the SM */
static struct fault check_sm(const struct system_config *config)
{
    const struct gpu_sm_params *sm = &config->gpu.sm;

    if (sm->max_threads % WARP_SIZE != 0)
        return CONFIG_FAULTY(config, "gpu.sm.max_threads: %llu is no multiple of a warp; give %llu",
                             llu(sm->max_threads), llu(sm->max_threads / WARP_SIZE * WARP_SIZE + WARP_SIZE));
    if (!is_power_of_two(sm->shared_banks))
        return CONFIG_FAULTY(config, "gpu.sm.shared_banks: %llu is not a power of two; give 32", llu(sm->shared_banks));
    if (config->gpu.units[GPU_UNIT_INT].count == 0 && config->gpu.units[GPU_UNIT_SP].count == 0)
        return CONFIG_FAULTY(config, "gpu.units: no int and no sp unit; give one of them a count, such as "
                             "int.count: 4");
    if (!is_power_of_two(config->gpu.l1.banks) || !is_power_of_two(config->gpu.l1.bank_bytes))
        return CONFIG_FAULTY(config, "gpu.l1.banks: %llu banks of %s; both must be powers of two, such as 4 and 32B",
                             llu(config->gpu.l1.banks), config_bytes(config->gpu.l1.bank_bytes).text);
    if (config->gpu.l1.tag_banks && !is_power_of_two(config->gpu.l1.tag_banks))
        return CONFIG_FAULTY(config, "gpu.l1.tag_banks: %llu is not a power of two; give 4, or 0 for none",
                             llu(config->gpu.l1.tag_banks));
    return fault_none();
}

/* ---- a GPU alone */
/* ---- additions of GCN3 (gpu-traces 14) */
static struct fault check_array(const struct system_config *config)
{
    const struct gpu_array_params *array = &config->gpu.array;
    const struct gpu_tlb_params *tlb = &config->gpu.tlb;
    const struct gpu_l1_params *l1 = &config->gpu.l1;

    if (array->inst_buffer_bytes % LINE_BYTES)
        return CONFIG_FAULTY(config, "gpu.array.inst_buffer: %s is no multiple of a line of 64B; give 256B",
                             config_bytes(array->inst_buffer_bytes).text);
    if (!is_power_of_two(array->inst_sets) || !is_power_of_two(array->scalar_sets))
        return CONFIG_FAULTY(config, "gpu.array.%s_sets: no power of two; give 64",
                             is_power_of_two(array->inst_sets) ? "scalar" : "inst");
    if (tlb->page_bytes && (!is_power_of_two(tlb->page_bytes) || tlb->page_bytes < LINE_BYTES))
        return CONFIG_FAULTY(config, "gpu.tlb.page: %s is not a power of two of at least 64B; give 4KiB, or 0B for no "
                             "translation", config_bytes(tlb->page_bytes).text);
    if (l1->in_flight && !l1->reorder)
        return CONFIG_FAULTY(config, "gpu.l1.in_flight: only with a reorder buffer; give gpu.l1.reorder entries, such "
                             "as 128, or in_flight: 0");
    if (config->gpu.sm.scoreboard && (config->gpu.sm.address_latency_cyc || config->gpu.sm.issue_in_turn))
        return CONFIG_FAULTY(config, "gpu.sm.%s: only without a scoreboard; give scoreboard: no, or leave it out",
                             config->gpu.sm.issue_in_turn ? "issue_in_turn" : "address_latency");
    if (config->gpu.sm.issue_rotates && !config->gpu.sm.issue_in_turn)
        return CONFIG_FAULTY(config, "gpu.sm.issue_rotates: only with turns; give issue_in_turn: yes, or leave it out");
    return fault_none();
}

static struct fault refuse_caches(const struct system_config *config)
{
    const char *name = config->has_memory_cache ? "memory_cache" : NULL;

    if (config->cache_count > CONFIG_FIRST_BEHIND)
        name = config->caches[CONFIG_FIRST_BEHIND].name;
    if (!name)
        return fault_none();
    return CONFIG_FAULTY(config, "%s: a system without cores has the GPU's caches only; leave it out, give cores, or "
                         "gpu.memory: shared", name);
}

static struct fault refuse_shared_keys(const struct system_config *config)
{
    const struct gpu_params *gpu = &config->gpu;
    const char *key = gpu->memory_base ? "memory_base" : gpu->memory_size_bytes ? "memory_size" : NULL;

    if (gpu->llc_ways || gpu->cpu_llc_ways)
        key = gpu->llc_ways ? "llc_ways" : "cpu_llc_ways";
    if (!key)
        return fault_none();
    return CONFIG_FAULTY(config, "gpu.%s: the GPU's memory is its own; leave it out, or give gpu.memory: shared", key);
}

static void forget_cores(struct system_config *config)
{
    struct system_config fresh;

    config_defaults(&fresh);
    config->core = fresh.core;
    config->cpu_model = fresh.cpu_model;
    config->capture_core = fresh.capture_core;
    config->detailed = fresh.detailed;
    config->share = fresh.share;
    config->offset_step_bytes = fresh.offset_step_bytes;
    memcpy(config->cores, fresh.cores, sizeof config->cores);
    memcpy(config->caches, fresh.caches, sizeof config->caches);
    config->cache_count = fresh.cache_count;
    config->cache_bus = fresh.cache_bus;
    for (unsigned i = 0; i < config->cache_count; i++)
        config->caches[i].params.clock_ps = config->cpu_clock_ps;
    config->cache_bus.clock_ps = config->cpu_clock_ps;
}

static struct fault finish_place(struct system_config *config)
{
    struct gpu_params *gpu = &config->gpu;
    struct system_config fresh;

    if (config->core_count > 0 && gpu->memory_place == GPU_MEMORY_OWN)
        return CONFIG_FAULTY(config, "gpu.memory: own, but a GPU beside cores has their memory; give shared, or cores: "
                             "0");
    if (gpu->memory_place == GPU_MEMORY_AUTO)
        gpu->memory_place = config->core_count > 0 ? GPU_MEMORY_SHARED : GPU_MEMORY_OWN;
    if (config->core_count > 0)
        return fault_none();
    if (config_gpu_owns_memory(config)) {
        FORWARD(refuse_caches(config));
        FORWARD(refuse_shared_keys(config));
        config_defaults(&fresh);
        config->memory_bus = fresh.memory_bus;
        config->memory_cache = fresh.memory_cache;
    }
    forget_cores(config);
    return fault_none();
}

struct fault config_finish_gpu(struct system_config *config)
{
    struct gpu_params fresh;

    config_gpu_defaults(&fresh);
    if (!config_has_gpu(config) && memcmp(&fresh, &config->gpu, sizeof fresh) != 0)
        return CONFIG_FAULTY(config, "gpu.sms: missing; give how many SMs there are, such as 80, or gpu: none");
    if (!config_has_gpu(config))
        return fault_none();
    FORWARD(check_sector_cache(config, "gpu.l1", &config->gpu.l1.cache));
    FORWARD(check_sector_cache(config, "gpu.l2", &config->gpu.l2.cache));
    FORWARD(check_adaptive(config));
    FORWARD(check_slices(config));
    FORWARD(check_sm(config));
    FORWARD(check_array(config));
    return finish_place(config);
}

/* ---- its DRAM (gpu-traces 12.3) */
static struct fault refuse_mapping(const struct system_config *config)
{
    return CONFIG_FAULTY(config, "gpu.l2.letters: " GPU_LETTERS_MAPPING " is for a GPU alone with memory.type: "
                         "command, whose mapping it means; give letters such as " CONFIG_GPU_LETTERS);
}

static unsigned letters_of(const struct gpu_l2_params *l2, const char *which)
{
    unsigned count = 0;

    for (const char *letter = l2->letters; *letter; letter++)
        count += strchr(which, *letter) != NULL;
    return count;
}

/* Row, bank and column of an address that the letters name are decoded by RoBaRaCoCh, which has them in this order. */
static struct fault check_command_letters(const struct system_config *config)
{
    const struct gpu_l2_params *l2 = &config->gpu.l2;
    const struct memory_params *memory = &config->memories[0];
    const struct command_figures *figures = &memory->command_device.figures;
    unsigned const bank_bits = letters_of(l2, "B"), column_bits = letters_of(l2, "CS"), row_bits = letters_of(l2, "R");
    unsigned const bits = bank_bits + column_bits + row_bits;
    const char *needs = NULL;

    if (memory->channels > l2->channels)
        needs = "several channels a partition";
    if (memory->command.ecc == COMMAND_ECC_INLINE)
        needs = "ecc: inline";
    if (memory->command.mapping != COMMAND_MAP_ROBARACOCH)
        needs = param_enum_names(UNIT_COMMAND_MAPPING)[memory->command.mapping];
    if (needs)
        return CONFIG_FAULTY(config, "gpu.l2.letters: they place rows, banks and columns as RoBaRaCoCh alone does, but "
                             "memory has %s; give letters: " GPU_LETTERS_MAPPING, needs);
    if (bank_bits > 16 || figures->banks != UINT64_C(1) << bank_bits)
        return CONFIG_FAULTY(config, "gpu.l2.letters: %u times B, but a channel of %.60s has %llu banks; give as many "
                             "B as they need, or letters: " GPU_LETTERS_MAPPING, bank_bits,
                             memory->command_device.standard, llu(figures->banks));
    if (column_bits > 30 || figures->row_bytes != UINT64_C(1) << column_bits)
        return CONFIG_FAULTY(config, "gpu.l2.letters: %u times C and S, but %.60s has rows of %s; give as many as "
                             "address their bytes, or letters: " GPU_LETTERS_MAPPING, column_bits,
                             memory->command_device.standard, config_bytes(figures->row_bytes).text);
    if (row_bits == 0 || bits > 60 || UINT64_C(1) << bits > figures->channel_bytes)
        return CONFIG_FAULTY(config, "gpu.l2.letters: %u times R, but a channel of %.60s has %s; give as many as its "
                             "rows need or less, or letters: " GPU_LETTERS_MAPPING, row_bits,
                             memory->command_device.standard, config_bytes(figures->channel_bytes).text);
    return fault_none();
}

static struct fault check_letters(const struct system_config *config)
{
    const struct gpu_l2_params *l2 = &config->gpu.l2;
    const struct dram_params *dram = &config->memories[0].dram;
    bool const is_pseudo = config->memories[0].type == MEMORY_HBM_PSEUDO;
    unsigned const bank_bits = letters_of(l2, "B"), column_bits = letters_of(l2, "CS"), row_bits = letters_of(l2, "R");
    uint64_t const banks = dram->banks_per_rank * dram->ranks_per_channel;
    uint64_t const row_bytes = dram_row_bytes(dram) * (is_pseudo ? 2 : 1);

    if (config_gpu_is_mapped(l2))
        return config->memories[0].type == MEMORY_COMMAND ? fault_none() : refuse_mapping(config);
    if (config->memories[0].type == MEMORY_COMMAND)
        return check_command_letters(config);
    if (row_bits == 0)
        return CONFIG_FAULTY(config, "gpu.l2.letters: no R; give the bits of the row, as in " CONFIG_GPU_LETTERS);
    if (bank_bits > 16 || banks != UINT64_C(1) << bank_bits)
        return CONFIG_FAULTY(config, "gpu.l2.letters: %u times B, but memory.dram has %llu banks; give as many B as "
                             "they need, or change banks_per_rank", bank_bits, llu(banks));
    if (column_bits > 30 || row_bytes != UINT64_C(1) << column_bits)
        return CONFIG_FAULTY(config, "gpu.l2.letters: %u times C and S, but memory.dram has rows of %s%s; give as many "
                             "as address their bytes, or change device_rowbuffer_size", column_bits,
                             config_bytes(row_bytes).text, is_pseudo ? " in both pseudo-channels" : "");
    if (l2->slices > banks)
        return CONFIG_FAULTY(config, "gpu.l2.slices: %llu, but a channel has %llu banks to divide among them; give "
                             "less", llu(l2->slices), llu(banks));
    return fault_none();
}

static struct fault check_channels(struct system_config *config)
{
    struct memory_params *memory = &config->memories[0];
    uint64_t const channels = config->gpu.l2.channels;

    if (config->memory_count > 1)
        return CONFIG_FAULTY(config, "memories: %u of them, but a GPU alone has one; give memory: instead",
                             config->memory_count);
    if (memory->type == MEMORY_COMMAND)
        return fault_none();
    if (memory->type == MEMORY_SIMPLE)
        return CONFIG_FAULTY(config, "memory.type: a GPU's memory is DRAM, not %s; give dram, hbm_pseudo, or command",
                             param_enum_names(UNIT_MEMORY_TYPE)[memory->type]);
    if (memory->type == MEMORY_HBM_PSEUDO && config->gpu.l2.cache.sector_bytes > DRAM_PSEUDO_CHANNEL_BYTES)
        return CONFIG_FAULTY(config, "memory.type: hbm_pseudo changes the channel every %dB, but gpu.l2.sector is %s; "
                             "give dram, or at most %dB", DRAM_PSEUDO_CHANNEL_BYTES,
                             config_bytes(config->gpu.l2.cache.sector_bytes).text, DRAM_PSEUDO_CHANNEL_BYTES);
    if (memory->channels != 1 && memory->channels != channels)
        return CONFIG_FAULTY(config, "memory.channels: %llu, but gpu.l2.channels is %llu; leave it out",
                             llu(memory->channels), llu(channels));
    if (memory->interleave_bytes != INTERLEAVE_AUTO || memory->xor_low_bit != 0)
        return CONFIG_FAULTY(config, "memory.%s: a GPU's channels come from gpu.l2.interleave and gpu.l2.hash; leave "
                             "it out", memory->xor_low_bit ? "xor_low_bit" : "interleave");
    memory->channels = channels;
    return fault_none();
}

/* ---- DRAM commands: one channel for each of the GPU's, or several */
static struct fault check_partitions(const struct system_config *config, struct memory_params *memory)
{
    uint64_t const partitions = config->gpu.l2.channels;

    if (memory->channels == 1)
        memory->channels = partitions;
    if (memory->channels % partitions != 0)
        return CONFIG_FAULTY(config, "memory.channels: %llu, but gpu.l2.channels is %llu, and each of these has as "
                             "many; give a multiple of it, or leave it out", llu(memory->channels), llu(partitions));
    if (memory->channels == partitions && (memory->interleave_bytes != INTERLEAVE_AUTO || memory->xor_low_bit != 0))
        return CONFIG_FAULTY(config, "memory.%s: a GPU's channels come from gpu.l2.interleave and gpu.l2.hash; leave "
                             "it out, or give memory.channels as a multiple of gpu.l2.channels",
                             memory->xor_low_bit ? "xor_low_bit" : "interleave");
    return fault_none();
}

/* Of the channels of a partition. */
static struct fault finish_stripes(const struct system_config *config, struct memory_params *memory)
{
    const struct sector_cache_params *l2 = &config->gpu.l2.cache;
    uint64_t const lowest = max_u64(memory->command_device.figures.tx_bytes, l2->sector_bytes);
    uint64_t const channels = memory->channels / config->gpu.l2.channels;

    if (channels == 1)
        return fault_none();
    if (memory->interleave_bytes == INTERLEAVE_AUTO || memory->interleave_bytes == INTERLEAVE_ROW_BUFFER)
        memory->interleave_bytes = max_u64(lowest, l2->line_bytes);
    if (!is_power_of_two(memory->interleave_bytes) || memory->interleave_bytes < lowest)
        return CONFIG_FAULTY(config, "memory.interleave: %s is not a power of two of at least %s, a sector and an "
                             "access; give %s", config_bytes(memory->interleave_bytes).text, config_bytes(lowest).text,
                             config_bytes(max_u64(lowest, l2->line_bytes)).text);
    if (memory->xor_low_bit && memory->xor_low_bit < log2_down(memory->interleave_bytes) + log2_down(channels))
        return CONFIG_FAULTY(config, "memory.xor_low_bit: bit %llu is one of those that choose the channel; give %u or "
                             "more, or 0 for no hashing", llu(memory->xor_low_bit),
                             log2_down(memory->interleave_bytes) + log2_down(channels));
    return fault_none();
}

struct fault config_finish_gpu_command(const struct system_config *config, struct memory_params *memory,
                                       const char *path)
{
    FORWARD(check_partitions(config, memory));
    FORWARD(config_finish_command(config, memory, path));
    return finish_stripes(config, memory);
}

/* ---- a GPU that shares a memory */
static struct fault check_llc_ways(const struct system_config *config, const char *key, uint64_t ways)
{
    const struct cache_params *llc = &config->memory_cache.params;

    if (ways == 0)
        return fault_none();
    if (!config->has_memory_cache)
        return CONFIG_FAULTY(config, "gpu.%s: there is no memory_cache whose ways could be divided; leave it out, or "
                             "add that cache", key);
    if (ways > llc->assoc)
        return CONFIG_FAULTY(config, "gpu.%s: %llu, but memory_cache has %llu ways; give at most that", key,
                             llu(ways), llu(llc->assoc));
    if (llc->replacement != REPLACEMENT_LRU)
        return CONFIG_FAULTY(config, "gpu.%s: ways are divided with memory_cache.replacement lru only", key);
    return fault_none();
}

struct fault config_finish_gpu_window(struct system_config *config)
{
    struct gpu_params *gpu = &config->gpu;

    if (config_gpu_is_mapped(&gpu->l2))
        return refuse_mapping(config);
    FORWARD(check_llc_ways(config, "llc_ways", gpu->llc_ways));
    FORWARD(check_llc_ways(config, "cpu_llc_ways", gpu->cpu_llc_ways));
    if (!is_power_of_two(gpu->page_bytes))
        return CONFIG_FAULTY(config, "gpu.page: %s is not a power of two; give "
                                     "64KiB", config_bytes(gpu->page_bytes).text);
    if (gpu->memory_base % gpu->page_bytes)
        return CONFIG_FAULTY(config, "gpu.memory_base: %s is no multiple of a page; give one",
                             config_bytes(gpu->memory_base).text);
    for (unsigned i = 0; i < config->memory_count; i++) {
        const struct memory_params *memory = &config->memories[i];
        uint64_t const left = memory->base + memory->size_bytes - gpu->memory_base;

        if (gpu->memory_base < memory->base || gpu->memory_base - memory->base >= memory->size_bytes)
            continue;
        if (gpu->memory_size_bytes == 0)
            gpu->memory_size_bytes = left;
        if (gpu->memory_size_bytes > left || gpu->memory_size_bytes < gpu->page_bytes)
            return CONFIG_FAULTY(config, "gpu.memory_size: %s; give at least a page and at most %s, to the end of the "
                                 "memory that it begins in", config_bytes(gpu->memory_size_bytes).text,
                                 config_bytes(left).text);
        return fault_none();
    }
    return CONFIG_FAULTY(config, "gpu.memory_base: no memory has the address %s; give one that lies in a memory",
                         config_bytes(gpu->memory_base).text);
}

struct fault config_finish_gpu_memory(struct system_config *config)
{
    FORWARD(check_channels(config));
    return check_letters(config);
}
