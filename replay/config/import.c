/* The table from option to key, and the functions that apply it (gpu-traces 12, 13).
 *
 * Options are applied in the order of the table, independent of their order in the files: clocks before the times that
 * are counted in them. DRAM comes last, from several options at once, by cycles of its command clock: missing values
 * are read back from the system, so that a clock alone can change. Options without a row are named in
 * import_notes.c. */
#include "replay/config/import.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config/config_internal.h"
#include "replay/config/config_text.h"
#include "replay/config/system_config.h"

enum { ASSIGNMENT_TEXT = 256, MOST_NUMBERS = 16 };

/* One option on its way. */
struct taking {
    struct system_config *config;
    const struct config_import *import;
    const char *value;
    const char *key;                     /* of the table */
    char where[CONFIG_WHERE_TEXT];
};

static struct fault set(const struct taking *taking, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static struct fault set(const struct taking *taking, const char *key, const char *format, ...)
{
    char value[ASSIGNMENT_TEXT], assignment[2 * ASSIGNMENT_TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    snprintf(assignment, sizeof assignment, "%s=%s", key, value);
    return config_set_from(taking->config, assignment, taking->where);
}

static struct fault import_wrong(const struct taking *taking, const char *expected)
{
    return fault_make(FAULT_INPUT, "%s: \"%s\": expected %s", taking->where, config_quote(taking->value).text,
                      expected);
}

/* Numbers between any of `separators`; -1: something else is there. */
static int numbers_of(const char *text, const char *separators, double numbers[MOST_NUMBERS])
{
    int count = 0;

    while (*text) {
        char *end;

        if (count == MOST_NUMBERS)
            return -1;
        numbers[count] = strtod(text, &end);
        if (end == text || !isfinite(numbers[count]) || numbers[count] < 0 || numbers[count] > 1e18)
            return -1;
        count++;
        text = end + strspn(end, " ");
        if (*text && !strchr(separators, *text))
            return -1;
        if (*text)
            text++;
    }
    return count;
}

/* ---- keys and values of options */
static struct fault take_plain(struct taking *taking)
{
    return set(taking, taking->key, "%s", taking->value);
}

static struct fault take_sms(struct taking *taking)
{
    const struct config_import_option *option = config_import_find(taking->import, "gpgpu_n_cores_per_cluster");
    double numbers[MOST_NUMBERS], each[MOST_NUMBERS] = {1};

    if (option && numbers_of(option->value, "", each) != 1)
        return fault_make(FAULT_INPUT, "%s: the value of -gpgpu_n_cores_per_cluster is not a number", taking->where);
    if (numbers_of(taking->value, "", numbers) != 1)
        return import_wrong(taking, "a number");
    return set(taking, taking->key, "%.0f", numbers[0] * each[0]);
}

/* threads:warp size; configurations of 3.0 have a third number, the width of the pipeline, which is a warp's. */
static struct fault take_pipeline(struct taking *taking)
{
    double numbers[MOST_NUMBERS];
    int const count = numbers_of(taking->value, ":", numbers);

    if (count < 2 || count > 3 || fabs(numbers[1] - 32) > 0 || (count == 3 && fabs(numbers[2] - 32) > 0))
        return import_wrong(taking, "threads and a warp size of 32, such as 2048:32");
    return set(taking, taking->key, "%.0f", numbers[0]);
}

static struct fault take_scheduler(struct taking *taking)
{
    return set(taking, taking->key, "%s", strncmp(taking->value, "two_level", 9) == 0 ? "two_level" : taking->value);
}

/* latency,interval */
static struct fault take_latency(struct taking *taking)
{
    double numbers[MOST_NUMBERS];
    char key[CONFIG_KEY_TEXT];

    if (numbers_of(taking->value, ",", numbers) != 2)
        return import_wrong(taking, "latency and interval, such as 4,1");
    snprintf(key, sizeof key, "%s.latency", taking->key);
    FORWARD(set(taking, key, "%.0f", numbers[0]));
    snprintf(key, sizeof key, "%s.interval", taking->key);
    return set(taking, key, "%.0f", fmax(numbers[1], 1));
}

/* enabled,count,... */
static struct fault take_special_unit(struct taking *taking)
{
    unsigned is_there, count;

    if (sscanf(taking->value, "%1u,%u,", &is_there, &count) != 2 || is_there > 1)
        return import_wrong(taking, "whether it is there and how many, such as 1,4,200,4,4,TEX");
    return set(taking, taking->key, "%u", is_there ? count : 0);
}

static struct fault take_coalescing(struct taking *taking)
{
    double numbers[MOST_NUMBERS];

    if (numbers_of(taking->value, "", numbers) != 1)
        return import_wrong(taking, "a number");
    return set(taking, taking->key, "%s", numbers[0] < 40 ? "segments" : "sectors");
}

/* Letters of a cache string and the words for them; "" ends. */
struct word {
    char letter;
    const char *word;
};

static const struct word write_words[] = {{'R', "read_only"}, {'B', "write_back"}, {'T', "write_through"},
                                          {'E', "write_evict"}, {'L', "local_back_global_through"}, {0, NULL}};
static const struct word alloc_words[] = {{'m', "on_miss"}, {'f', "on_fill"}, {'s', "streaming"}, {0, NULL}};
static const struct word write_miss_words[] = {{'N', "no_allocate"}, {'W', "fetch_and_write"},
                                               {'F', "fetch_on_write"}, {'L', "lazy_fetch"}, {0, NULL}};
static const struct word index_words[] = {{'L', "linear"}, {'H', "fermi"}, {'P', "ipoly"}, {'X', "xor"}, {0, NULL}};

static struct fault set_word(const struct taking *taking, const char *part, char letter, const struct word *words)
{
    char key[CONFIG_KEY_TEXT];

    while (words->letter && words->letter != letter)
        words++;
    if (!words->letter)
        return fault_make(FAULT_INPUT, "%s: %s: the letter %c has no counterpart", taking->where, part, letter);
    snprintf(key, sizeof key, "%s.%s", taking->key, part);
    return set(taking, key, "%s", words->word);
}

/* True for the option value of an absent cache. */
static bool is_none(const char *value)
{
    return !*value || strcmp(value, "none") == 0;
}

/* The text behind ":" and a letter, or `text` where they are not. */
static const char *take_letter(const char *text, char *letter)
{
    if (text[0] != ':' || !text[1])
        return text;
    *letter = text[1];
    return text + 2;
}

/* [type:]sets:line:ways,repl:write:alloc:write miss[:index],mshr:entries:merges,miss queue... (12.1); configurations of
 * 3.x have no type, which is that of a cache without sectors, and may have no index, which is linear. Those of 3.0 have
 * a colon behind the ways and may have no write miss, which allocates nothing. */
static struct fault take_cache(struct taking *taking)
{
    static const char *const parts[] = {"sets", "line", "ways", "mshrs", "merges", "miss_queue"};
    const char *text = taking->value;
    char type = 'N', replacement, write, alloc, write_miss = 'N', index = 'L', mshr, key[CONFIG_KEY_TEXT];
    unsigned values[6];
    int used = 0;

    if (is_none(taking->value))
        return set(taking, taking->key, "none");
    if ((text[0] < '0' || text[0] > '9') && text[1] == ':') {
        type = text[0];
        text += 2;
    }
    if (sscanf(text, "%u:%u:%u%*1[,:]%c:%c:%c%n", &values[0], &values[1], &values[2], &replacement, &write, &alloc,
               &used) != 6)
        return import_wrong(taking, "a cache such as S:4:128:64,L:T:m:L:L,A:512:8,16:0,32, or none");
    text += used;
    text = take_letter(take_letter(text, &write_miss), &index);
    if (sscanf(text, ",%c:%u:%u,%u", &mshr, &values[3], &values[4], &values[5]) != 4)
        return import_wrong(taking, "a cache such as S:4:128:64,L:T:m:L:L,A:512:8,16:0,32, or none");
    if (replacement != 'L' || (mshr != 'A' && mshr != 'S'))
        return import_wrong(taking, "replacement L (LRU) and MSHRs A or S; others have no counterpart");
    for (int i = 0; i < 6; i++) {
        snprintf(key, sizeof key, "%s.%s", taking->key, parts[i]);
        FORWARD(set(taking, key, "%u", values[i]));
    }
    snprintf(key, sizeof key, "%s.sector", taking->key);
    FORWARD(set(taking, key, "%u", type == 'S' ? 32 : values[1]));
    FORWARD(set_word(taking, "write", write, write_words));
    FORWARD(set_word(taking, "alloc", alloc, alloc_words));
    FORWARD(set_word(taking, "write_miss", write_miss, write_miss_words));
    FORWARD(set_word(taking, "index", index, index_words));
    snprintf(key, sizeof key, "%s.absent", taking->key);
    return set(taking, key, "no");
}

/* A switch that is there and not 0; those of 2.x have no value. */
static bool is_on(const struct config_import *import, const char *name)
{
    const struct config_import_option *const option = config_import_find(import, name);

    return option && strcmp(option->value, "0") != 0;
}

/* Configurations of 2.x have L1s that are switched off. */
static struct fault take_l1(struct taking *taking)
{
    if (is_on(taking->import, "gpgpu_no_dl1"))
        return set(taking, taking->key, "none");
    return take_cache(taking);
}

/* An L2 for textures alone counts as no L2, since traces have no texture accesses. */
static struct fault take_l2(struct taking *taking)
{
    if (is_on(taking->import, "gpgpu_cache:dl2_texture_only"))
        return set(taking, taking->key, "none");
    return take_cache(taking);
}

/* Before 4.1 an adaptive L1 is Volta's, without options: 128 KB, of which shared memory has one of six sizes. */
static const char *value_or_volta(const struct taking *taking, const char *volta)
{
    bool const is_missing = strcmp(taking->value, "0") == 0;

    return is_missing && is_on(taking->import, "gpgpu_adaptive_cache_config") ? volta : taking->value;
}

static struct fault take_unified(struct taking *taking)
{
    return set(taking, taking->key, "%sKiB", value_or_volta(taking, "128"));
}

/* KB between commas; a single 0: none */
static struct fault take_shared_options(struct taking *taking)
{
    double numbers[MOST_NUMBERS];

    taking->value = value_or_volta(taking, "0,8,16,32,64,96");
    char list[ASSIGNMENT_TEXT] = "";
    int const count = numbers_of(taking->value, ",", numbers);

    if (count < 0)
        return import_wrong(taking, "sizes in KB such as 0,8,16,32");
    for (int i = 0; i < count && !(count == 1 && numbers[0] < 1); i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.0fKiB", i ? "," : "", numbers[i]);
    return set(taking, taking->key, "%s", list);
}

static struct fault take_hash(struct taking *taking)
{
    static const char *const words[] = {"linear", "xor", "ipoly", "pae", "random", "", "ipoly_modulo"};
    double numbers[MOST_NUMBERS];

    if (numbers_of(taking->value, "", numbers) != 1 || numbers[0] > 6 || !*words[(size_t)numbers[0]])
        return import_wrong(taking, "0 to 4, or 6");
    return set(taking, taking->key, "%s", words[(size_t)numbers[0]]);
}

/* dramid@8;letters */
static struct fault take_mapping(struct taking *taking)
{
    unsigned bit;
    int used = 0;

    if (sscanf(taking->value, "dramid@%u;%n", &bit, &used) != 1 || used == 0 || bit > 30)
        return import_wrong(taking, "a mapping such as dramid@8;" CONFIG_GPU_LETTERS);
    FORWARD(set(taking, "gpu.l2.interleave", "%llu", 1ULL << bit));
    return set(taking, taking->key, "%s", taking->value + used);
}

static struct fault take_queues(struct taking *taking)
{
    double numbers[MOST_NUMBERS];

    if (numbers_of(taking->value, ":", numbers) != 4)
        return import_wrong(taking, "four lengths such as 64:64:64:64");
    return set(taking, taking->key, "%.0f", numbers[0]);
}

/* core:interconnect:L2:DRAM in MHz; DRAM's is looked at with all of DRAM. */
static struct fault take_clocks(struct taking *taking)
{
    double numbers[MOST_NUMBERS];

    if (numbers_of(taking->value, ":", numbers) != 4)
        return import_wrong(taking, "four clocks in MHz, such as 1132:1132:1132:850");
    FORWARD(set(taking, "gpu.core_clock", "%.6fMHz", numbers[0]));
    FORWARD(set(taking, "gpu.icnt_clock", "%.6fMHz", numbers[1]));
    return set(taking, "gpu.l2_clock", "%.6fMHz", numbers[2]);
}

/* 1: a network of routers, imported as the extra latency of a request; 2: one crossbar. */
static struct fault take_network(struct taking *taking)
{
    return set(taking, taking->key, "%d", strcmp(taking->value, "1") == 0 ? 6 : 1);
}

static struct fault take_channels(struct taking *taking)
{
    taking->config->memories[0].channels = 1;        /* follows */
    return set(taking, taking->key, "%s", taking->value);
}

static struct fault take_dram_scheduler(struct taking *taking)
{
    return set(taking, taking->key, "%s", strcmp(taking->value, "0") == 0 ? "fcfs" : "frfcfs");
}

static struct fault take_dram_queue(struct taking *taking)
{
    FORWARD(set(taking, "memory.dram.read_buffer_size", "%s", taking->value));
    return set(taking, "memory.dram.write_buffer_size", "%s", taking->value);
}

/* ---- the table: O(option, the reference's default, function, key); no default: the option is required */
#define IMPORT_OPTIONS(O)                                                                                             \
    O("gpgpu_clock_domains", "500:2000:2000:2000", take_clocks, "gpu.core_clock")                                     \
    O("gpgpu_n_clusters", "10", take_sms, "gpu.sms")                                                                  \
    O("gpgpu_coalesce_arch", "13", take_coalescing, "gpu.coalescing")                                                 \
    O("gpgpu_kernel_launch_latency", "0", take_plain, "gpu.launch_latency")                                           \
    O("gpgpu_concurrent_kernel_sm", "0", take_plain, "gpu.concurrent_streams")                                        \
    O("gpgpu_perf_sim_memcpy", "1", take_plain, "gpu.copies_fill_l2")                                                 \
    O("network_mode", "1", take_network, "gpu.icnt_latency")                                                          \
    O("icnt_flit_size", "32", take_plain, "gpu.icnt_packet")                                                          \
    O("icnt_in_buffer_limit", "64", take_plain, "gpu.icnt_queue")                                                     \
    O("gpgpu_num_sched_per_core", "1", take_plain, "gpu.sm.schedulers")                                               \
    O("gpgpu_scheduler", "gto", take_scheduler, "gpu.sm.policy")                                                      \
    O("gpgpu_max_insn_issue_per_warp", "2", take_plain, "gpu.sm.issue_width")                                         \
    O("gpgpu_dual_issue_diff_exec_units", "1", take_plain, "gpu.sm.dual_issue_units")                                 \
    O("gpgpu_shader_core_pipeline", "1024:32", take_pipeline, "gpu.sm.max_threads")                                   \
    O("gpgpu_shader_cta", "8", take_plain, "gpu.sm.max_blocks")                                                       \
    O("gpgpu_shader_registers", "8192", take_plain, "gpu.sm.registers")                                               \
    O("gpgpu_num_reg_banks", "8", take_plain, "gpu.sm.register_banks")                                                \
    O("gpgpu_shmem_size", "16384", take_plain, "gpu.sm.shared")                                                       \
    O("gpgpu_smem_latency", "3", take_plain, "gpu.sm.shared_latency")                                                 \
    O("gpgpu_shmem_num_banks", "16", take_plain, "gpu.sm.shared_banks")                                               \
    O("gpgpu_num_int_units", "0", take_plain, "gpu.units.int.count")                                                  \
    O("gpgpu_num_sp_units", "1", take_plain, "gpu.units.sp.count")                                                    \
    O("gpgpu_num_dp_units", "0", take_plain, "gpu.units.dp.count")                                                    \
    O("gpgpu_num_sfu_units", "1", take_plain, "gpu.units.sfu.count")                                                  \
    O("specialized_unit_1", "0,4,4,4,4,BRA", take_special_unit, "gpu.units.branch.count")                             \
    O("specialized_unit_2", "0,4,4,4,4,TEX", take_special_unit, "gpu.units.texture.count")                            \
    O("specialized_unit_3", "0,4,4,4,4,TENSOR", take_special_unit, "gpu.units.tensor.count")                          \
    O("specialized_unit_4", "0,4,4,4,4,UDP", take_special_unit, "gpu.units.uniform.count")                            \
    O("trace_opcode_latency_initiation_int", "4,1", take_latency, "gpu.units.int")                                    \
    O("trace_opcode_latency_initiation_sp", "4,1", take_latency, "gpu.units.sp")                                      \
    O("trace_opcode_latency_initiation_dp", "4,1", take_latency, "gpu.units.dp")                                      \
    O("trace_opcode_latency_initiation_sfu", "4,1", take_latency, "gpu.units.sfu")                                    \
    O("trace_opcode_latency_initiation_spec_op_1", "4,4", take_latency, "gpu.units.branch")                           \
    O("trace_opcode_latency_initiation_spec_op_2", "4,4", take_latency, "gpu.units.texture")                          \
    O("trace_opcode_latency_initiation_spec_op_3", "4,4", take_latency, "gpu.units.tensor")                           \
    O("trace_opcode_latency_initiation_spec_op_4", "4,4", take_latency, "gpu.units.uniform")                          \
    O("gpgpu_cache:dl1", "none", take_l1, "gpu.l1")                                                                   \
    O("gpgpu_l1_cache_write_ratio", "0", take_plain, "gpu.l1.dirty_percent")                                          \
    O("gpgpu_l1_latency", "1", take_plain, "gpu.l1.latency")                                                          \
    O("gpgpu_l1_banks", "1", take_plain, "gpu.l1.banks")                                                              \
    O("gpgpu_l1_banks_byte_interleaving", "32", take_plain, "gpu.l1.bank_bytes")                                      \
    O("gpgpu_gmem_skip_L1D", "0", take_plain, "gpu.l1.skip_global")                                                   \
    O("gpgpu_adaptive_cache_config", "0", take_plain, "gpu.l1.adaptive")                                              \
    O("gpgpu_unified_l1d_size", "0", take_unified, "gpu.l1.unified")                                                  \
    O("gpgpu_shmem_option", "0", take_shared_options, "gpu.l1.shared_options")                                        \
    O("gpgpu_flush_l1_cache", "0", take_plain, "gpu.l1.flush")                                                        \
    O("gpgpu_cache:dl2", "none", take_l2, "gpu.l2")                                                                   \
    O("gpgpu_l2_rop_latency", "85", take_plain, "gpu.l2.latency")                                               \
    O("gpgpu_n_mem", "8", take_channels, "gpu.l2.channels")                                                           \
    O("gpgpu_n_sub_partition_per_mchannel", "1", take_plain, "gpu.l2.slices")                                         \
    O("gpgpu_memory_partition_indexing", "0", take_hash, "gpu.l2.hash")                                               \
    O("gpgpu_mem_addr_mapping", NULL, take_mapping, "gpu.l2.letters")                                                 \
    O("dram_latency", "30", take_plain, "gpu.l2.dram_latency")                                                        \
    O("gpgpu_dram_partition_queues", "8:8:8:8", take_queues, "gpu.l2.queue")                                          \
    O("gpgpu_dram_scheduler", "1", take_dram_scheduler, "memory.controller.mem_sched_policy")                         \
    O("gpgpu_frfcfs_dram_sched_queue_size", "64", take_dram_queue, "memory.dram.read_buffer_size")

enum { DRAM_CYCLES = 14 };
static const char *const timing_names[DRAM_CYCLES] = {"nbk", "CCD", "RRD", "RCD", "RAS", "RP", "RC", "CL", "WL", "CDLR",
                                                      "WR", "nbkgrp", "CCDL", "RTPL"};
enum timing { NBK, CCD, RRD, RCD, RAS, RP, RC, CL, WL, CDLR, WR, NBKGRP, CCDL, RTPL };

struct table_row {
    const char *name, *fallback;
    struct fault (*take)(struct taking *taking);
    const char *key;
};

#define TABLE_ROW(name, fallback, take, key) {name, fallback, take, key},
static const struct table_row table[] = {IMPORT_OPTIONS(TABLE_ROW)};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- DRAM */
struct dram_view {
    double clock_ps;
    uint64_t bus_bytes, burst_length, ratio, chips;
    uint64_t cycles[DRAM_CYCLES];
    bool no_turnaround;
};

static uint64_t cycles_of(uint64_t ps, uint64_t clock_ps)
{
    return (2 * ps + clock_ps) / (2 * clock_ps);
}

static struct dram_view view_of(const struct dram_params *dram)
{
    struct dram_view view = {.clock_ps = (double)dram->tCK_ps, .burst_length = dram->burst_length,
                             .chips = dram->devices_per_rank, .bus_bytes = dram->device_bus_width_bits / 8};
    uint64_t const clock_ps = dram->tCK_ps;
    uint64_t const times[DRAM_CYCLES] = {
        [CCD] = dram->tBURST_MIN_ps, [RRD] = dram->tRRD_ps, [RCD] = dram->tRCD_ps, [RAS] = dram->tRAS_ps,
        [RP] = dram->tRP_ps, [RC] = dram->tRAS_ps + dram->tRP_ps, [CL] = dram->tCL_ps, [WL] = dram->tCWL_ps,
        [CDLR] = dram->tWTR_ps, [WR] = dram->tWR_ps, [CCDL] = dram->tCCD_L_ps, [RTPL] = dram->tRTP_ps
    };

    for (int i = 0; i < DRAM_CYCLES; i++)
        view.cycles[i] = cycles_of(times[i], clock_ps);
    view.cycles[NBK] = dram->banks_per_rank;
    view.cycles[NBKGRP] = dram->bank_groups_per_rank;
    view.ratio = max_u64(1, dram->burst_length / max_u64(1, cycles_of(dram->tBURST_ps, clock_ps)));
    view.no_turnaround = dram->tRTW_ps == 0;
    return view;
}

/* "nbk=16:CCD=1:..." or the numbers alone in that order */
static struct fault take_timing(struct taking *taking, struct dram_view *view)
{
    const char *text = taking->value;
    double numbers[MOST_NUMBERS];

    if (!strchr(text, '=')) {
        int const count = numbers_of(text, ":", numbers);

        if (count != DRAM_CYCLES && count != NBKGRP && count != WR)
            return import_wrong(taking, "14 numbers, nbk:CCD:RRD:RCD:RAS:RP:RC:CL:WL:CDLR:WR:nbkgrp:CCDL:RTPL, or "
                                "the first 10 or 11 of them");
        view->cycles[WR] = 0;                        /* 2.x has no write recovery */
        for (int i = 0; i < count; i++)
            view->cycles[i] = (uint64_t)numbers[i];
        return fault_none();
    }
    for (text += strspn(text, " :"); *text; text += strspn(text, " :")) {
        size_t const length = strcspn(text, "= :");
        int i = 0;
        char *end;

        while (i < DRAM_CYCLES && (strlen(timing_names[i]) != length || strncmp(timing_names[i], text, length) != 0))
            i++;
        if (i == DRAM_CYCLES || text[length] != '=')
            return import_wrong(taking, "timings such as "
                                        "nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:"
                                "nbkgrp=4:CCDL=2:RTPL=3");
        view->cycles[i] = strtoull(text + length + 1, &end, 10);
        if (end == text + length + 1 || view->cycles[i] > 100000)
            return import_wrong(taking, "numbers of cycles up to 100000");
        text = end;
    }
    return fault_none();
}

static struct fault check_view(const struct taking *taking, const struct dram_view *view)
{
    if (view->cycles[RCD] <= view->cycles[WL] || view->cycles[CL] + 2 < view->cycles[WL])
        return fault_make(FAULT_INPUT, "%s: RCD %llu and CL %llu do not go with WL %llu", taking->where,
                          (unsigned long long)view->cycles[RCD], (unsigned long long)view->cycles[CL],
                          (unsigned long long)view->cycles[WL]);
    if (view->bus_bytes == 0 || view->burst_length == 0 || view->ratio == 0 || view->chips == 0 ||
        view->bus_bytes > 4096 || view->burst_length > 4096 || view->ratio > 64 || view->chips > 64)
        return fault_make(FAULT_INPUT, "%s: bus width, burst length, data rate, chips: 0 or too large", taking->where);
    return fault_none();
}

/* 12.4: the values derived from the timing string */
static void store_view(const struct dram_view *view, struct dram_params *dram)
{
    double const clock_ps = view->clock_ps;
    double const burst = (double)view->burst_length / (double)view->ratio;
    const uint64_t *cycles = view->cycles;

#define PS(cycles_) ((uint64_t)((double)(cycles_) * clock_ps + 0.5))
    dram->tCK_ps = PS(1);
    dram->burst_length = view->burst_length;
    dram->device_bus_width_bits = 8 * view->bus_bytes;
    dram->devices_per_rank = view->chips;
    dram->banks_per_rank = cycles[NBK];
    dram->bank_groups_per_rank = cycles[NBKGRP] > 1 ? cycles[NBKGRP] : 0;
    dram->tBURST_ps = dram->tBURST_MIN_ps = dram->tBURST_MAX_ps = PS(burst);
    dram->tCCD_L_ps = dram->tCCD_L_WR_ps = PS(fmax((double)cycles[CCDL], burst));
    dram->tRCD_ps = PS(cycles[RCD]);
    dram->tRCD_WR_ps = PS(cycles[RCD] - cycles[WL] - 1);
    dram->tCL_ps = PS(cycles[CL]);
    dram->tCWL_ps = PS(cycles[WL]);
    dram->tRP_ps = PS(cycles[RP]);
    dram->tRAS_ps = PS(cycles[RAS]);
    dram->tRRD_ps = dram->tRRD_L_ps = PS(cycles[RRD]);
    dram->tWR_ps = PS(cycles[WR]);
    dram->tRTP_ps = PS(cycles[RTPL]);
    dram->tWTR_ps = dram->tWTR_L_ps = view->no_turnaround ? 0 : PS(cycles[CDLR]);
    dram->tRTW_ps = view->no_turnaround ? 0 : PS(cycles[CL] + 2 - cycles[WL]);
#undef PS
}

static bool begin_taking(struct taking *taking, const char *name)
{
    const struct config_import_option *option = config_import_find(taking->import, name);

    if (option) {
        taking->value = option->value;
        snprintf(taking->where, sizeof taking->where, "%s:%zu: -%.60s", option->file, option->line, name);
    }
    return option != NULL;
}

static struct fault import_take_number(struct taking *taking, const char *name, uint64_t *number, bool *is_any)
{
    double numbers[MOST_NUMBERS];

    if (!begin_taking(taking, name))
        return fault_none();
    *is_any = true;
    if (numbers_of(taking->value, "", numbers) != 1)
        return import_wrong(taking, "a number");
    *number = (uint64_t)numbers[0];
    return fault_none();
}

static struct fault take_dram(struct taking *taking)
{
    struct memory_params *memory = &taking->config->memories[0];
    struct dram_view view = view_of(&memory->dram);
    double clocks[MOST_NUMBERS];
    uint64_t no_turnaround = view.no_turnaround;
    bool is_any = false;

    if (begin_taking(taking, "gpgpu_clock_domains") && numbers_of(taking->value, ":", clocks) == 4) {
        is_any = true;
        view.clock_ps = clocks[3] > 1 ? 1e6 / clocks[3] : 1e6;
    }
    FORWARD(import_take_number(taking, "gpgpu_dram_buswidth", &view.bus_bytes, &is_any));
    FORWARD(import_take_number(taking, "gpgpu_dram_burst_length", &view.burst_length, &is_any));
    FORWARD(import_take_number(taking, "dram_data_command_freq_ratio", &view.ratio, &is_any));
    FORWARD(import_take_number(taking, "gpgpu_n_mem_per_ctrlr", &view.chips, &is_any));
    FORWARD(import_take_number(taking, "dram_elimnate_rw_turnaround", &no_turnaround, &is_any));
    view.no_turnaround = no_turnaround != 0;
    if (begin_taking(taking, "gpgpu_dram_timing_opt")) {
        is_any = true;
        FORWARD(take_timing(taking, &view));
    }
    if (!is_any)
        return fault_none();
    FORWARD(check_view(taking, &view));
    store_view(&view, &memory->dram);
    return fault_none();
}

/* ---- a whole system */

/* Settings that are fixed in the reference, without an option. */
static const char *const reference_settings[] = {
    "cores=0", "gpu.sm.pipeline=5", "gpu.sm.scoreboard=yes", "gpu.sm.shared_first_word=yes", "gpu.l2.dirty_percent=0",
    "memory.device=HBM2_1700_1x128", "memory.size=16GiB", "memory.dram.page_policy=open",
    "memory.dram.bank_groups_per_rank=0", "memory.dram.tCCD_L=0ns", "memory.dram.tRTP=0ns",
    "memory.dram.ranks_per_channel=1", "memory.dram.max_accesses_per_row=0", "memory.dram.activation_limit=0",
    "memory.dram.tXAW=0ns", "memory.dram.tCS=0ns", "memory.dram.tRFC=0ns", "memory.dram.tREFI=1s",
    "memory.controller.static_frontend_latency=0ns", "memory.controller.static_backend_latency=0ns",
    "memory.controller.command_window=100ns"
};

/* Rows are as long as the letters say; no bits are lost. */
static void fit_rows(struct system_config *config)
{
    struct dram_params *dram = &config->memories[0].dram;
    uint64_t const chips = dram->devices_per_rank * (config->memories[0].type == MEMORY_HBM_PSEUDO ? 2 : 1);
    unsigned bits = 0;

    for (const char *letter = config->gpu.l2.letters; *letter; letter++)
        bits += *letter == 'C' || *letter == 'S';
    if (bits < 30)
        dram->device_rowbuffer_bytes = max_u64(1, (UINT64_C(1) << bits) / chips);
}

static struct fault take_all(const struct config_import *import, struct system_config *config, bool is_whole)
{
    struct taking taking = {.config = config, .import = import};

    for (size_t i = 0; i < COUNT_OF(table); i++) {
        bool const is_given = begin_taking(&taking, table[i].name);

        if (!is_given && (!is_whole || !table[i].fallback))
            continue;
        if (!is_given) {
            taking.value = table[i].fallback;
            snprintf(taking.where, sizeof taking.where, "-%s", table[i].name);
        }
        taking.key = table[i].key;
        FORWARD(table[i].take(&taking));
    }
    config->gpu.l2.cache.sector_bytes = min_u64(config->gpu.l2.cache.sector_bytes, config->gpu.l2.interleave_bytes);
    return take_dram(&taking);
}

struct fault config_import_change(const struct config_import *import, struct system_config *config)
{
    FORWARD(take_all(import, config, false));
    if (config_import_find(import, "gpgpu_mem_addr_mapping"))
        fit_rows(config);
    return fault_none();
}

struct fault config_import_system(const struct config_import *import, const char *name, struct system_config *config)
{
    config_defaults(config);
    config_set_name(config, name);
    for (size_t i = 0; i < COUNT_OF(reference_settings); i++)
        FORWARD(config_set(config, reference_settings[i]));
    if (!config_import_find(import, "gpgpu_cache:dl2") && !config_import_find(import, "gpgpu_no_dl1"))    /* 2.x */
        return fault_make(FAULT_INPUT, "%s: -gpgpu_cache:dl2 is missing; is this a gpgpusim.config?", name);
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!table[i].fallback && !config_import_find(import, table[i].name))
            return fault_make(FAULT_INPUT, "%s: -%s is missing; is this a gpgpusim.config?", name, table[i].name);
    if (!config_import_find(import, "gpgpu_dram_timing_opt"))
        return fault_make(FAULT_INPUT, "%s: -gpgpu_dram_timing_opt is missing; is this a gpgpusim.config?", name);
    FORWARD(take_all(import, config, true));
    config->gpu.l1.cache.sector_bytes = min_u64(config->gpu.l1.cache.sector_bytes, config->gpu.l2.cache.sector_bytes);
    fit_rows(config);
    return config_finish(config);
}

/* Looked at together with another of the table, or all of DRAM together. */
static const char *const joint_options[] = {
    "gpgpu_n_cores_per_cluster", "gpgpu_dram_buswidth", "gpgpu_dram_burst_length", "dram_data_command_freq_ratio",
    "gpgpu_dram_timing_opt", "gpgpu_n_mem_per_ctrlr", "dram_elimnate_rw_turnaround", "gpgpu_cache:dl2_texture_only",
    "gpgpu_no_dl1"
};

bool config_import_is_known(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (strcmp(table[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < COUNT_OF(joint_options); i++)
        if (strcmp(joint_options[i], name) == 0)
            return true;
    return false;
}
