/* The options of GPGPU-Sim and Accel-Sim that a system does not reflect, as comments in YAML. */
#include <stdio.h>
#include <string.h>

#include "replay/config/import.h"
#include "replay/config/config_text.h"

enum { NOTE_COLUMN = 110 };

/* F(option, value): the fixed behaviour of the model. */
#define FIXED_OPTIONS(F)                                                                                              \
    F("gpgpu_sub_core_model", "1")                                                                                    \
    F("gpgpu_perfect_inst_const_cache", "1")                                                                          \
    F("gpgpu_perfect_mem", "0")                                                                                       \
    F("l2_ideal", "0")                                                                                                \
    F("gpgpu_simple_dram_model", "0")                                                                                 \
    F("gpgpu_l1_banks_hashing_function", "0")                                                                         \
    F("gpgpu_flush_l2_cache", "0")                                                                                    \
    F("gpgpu_TB_launch_latency", "0")                                                                                 \
    F("gpgpu_shmem_limited_broadcast", "0")                                                                           \
    F("gpgpu_shmem_warp_parts", "1")                                                                                  \
    F("gpgpu_num_mem_units", "1")                                                                                     \
    F("gpgpu_mem_unit_ports", "1")                                                                                    \
    F("dram_bnk_indexing_policy", "0")                                                                                \
    F("dram_seperate_write_queue_enable", "0")                                                                        \
    F("gpgpu_local_mem_map", "1")                                                                                     \
    F("gpgpu_simd_model", "1")                                                                                        \
    F("gpgpu_ignore_resources_limitation", "0")

/* N(beginning of an option, why): not modelled, and the reference takes another time with another value. */
#define UNMODELLED_OPTIONS(N)                                                                                         \
    N("gpgpu_operand_collector", "operand collectors are part of gpu.sm.pipeline")                                    \
    N("gpgpu_enable_specialized_operand", "operand collectors are part of gpu.sm.pipeline")                           \
    N("gpgpu_reg_bank_use_warp_id", "a warp's number does not change which registers share a bank")                   \
    N("gpgpu_reg_file_port_throughput", "a register bank gives two registers a cycle")                                \
    N("gpgpu_pipeline_widths", "issue registers are as many as units")                                                \
    N("gpgpu_inst_fetch_throughput", "instructions are always there")                                                 \
    N("ptx_opcode_latency", "units take what trace.config says: trace_opcode_latency_initiation_...")                 \
    N("ptx_opcode_initiation", "units take what trace.config says: trace_opcode_latency_initiation_...")              \
    N("gpgpu_tex_cache", "no texture cache")                                                                          \
    N("gpgpu_const_cache", "constants are always there")                                                              \
    N("gpgpu_cache:il1", "instructions are always there")                                                             \
    N("gpgpu_cache:dl1Pref", "the L1 does not change with a kernel's wish")                                           \
    N("gpgpu_shmem_size_Pref", "the L1 does not change with a kernel's wish")                                         \
    N("gpgpu_shmem_sizeDefault", "the L1 does not change with a kernel's wish")                                       \
    N("gpgpu_shmem_per_block", "blocks take what their header says")                                                  \
    N("gpgpu_registers_per_block", "blocks take what their header says")                                              \
    N("gpgpu_num_cta_barriers", "as many barriers as blocks")                                                         \
    N("gpgpu_n_cluster_ejection_buffer_size", "an SM takes every answer")                                             \
    N("gpgpu_n_ldst_response_buffer_size", "an SM takes every answer")                                                \
    N("icnt_out_buffer_limit", "one length for all queues, gpu.icnt_queue")                                           \
    N("icnt_subnets", "one network each way")                                                                         \
    N("icnt_arbiter_algo", "ports take turns")                                                                        \
    N("icnt_grant_cycles", "ports take turns")                                                                        \
    N("inter_config_file", "the interconnect has a latency and a width")                                              \
    N("gpgpu_num_tensor_core_units", "tensor instructions go to specialized_unit_3")                                  \
    N("trace_opcode_latency_initiation_tensor", "tensor instructions go to specialized_unit_3")                       \
    N("gpgpu_tensor_core_avail", "tensor instructions go to specialized_unit_3")                                      \
    N("specialized_unit_", "units 5 to 8 have no instructions")                                                       \
    N("trace_opcode_latency_initiation_spec_op_", "units 5 to 8 have no instructions")                                \
    N("gpgpu_dram_return_queue_size", "answers leave DRAM at once")                                                   \
    N("dram_dual_bus_interface", "commands are counted in windows, see memory.controller.command_window")             \
    N("dram_bnkgrp_indexing_policy", "bank groups are as memory.dram has them")                                       \
    N("dram_write_queue_size", "writes wait as memory.controller says")                                               \
    N("gpgpu_n_chiplet_partition", "the L2 is one")                                                                   \
    N("gpgpu_lrc_", "requests of several SMs meet in the L2's MSHRs only")                                            \
    N("page_", "all pages of a GPU are in its memory")                                                                \
    N("pcie_bandwidth", "all pages of a GPU are in its memory")                                                       \
    N("hardware_prefetch", "all pages of a GPU are in its memory")                                                    \
    N("tlb_size", "no translation here; give gpu.tlb")                                                                \
    N("gpgpu_max_concurrent_kernel", "every stream has its next kernel in sight")                                     \
    N("gpgpu_simt_core_sim_order", "SMs take turns")                                                                  \
    N("gpgpu_warp_issue_shader", "blocks go to the SMs in turn")

#define PAIR_ROW(name, text) {name, text},
static const char *const fixed_options[][2] = {FIXED_OPTIONS(PAIR_ROW)};
static const char *const unmodelled_options[][2] = {UNMODELLED_OPTIONS(PAIR_ROW)};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *fixed_value(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(fixed_options); i++)
        if (strcmp(fixed_options[i][0], name) == 0)
            return fixed_options[i][1];
    return NULL;
}

static const char *why_unmodelled(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(unmodelled_options); i++)
        if (strncmp(unmodelled_options[i][0], name, strlen(unmodelled_options[i][0])) == 0)
            return unmodelled_options[i][1];
    return NULL;
}

/* An L1 without sectors above an L2 with them. */
static void note_l1(struct config_text *text, const struct config_import *import, size_t *count)
{
    const struct config_import_option *const l1 = config_import_find(import, "gpgpu_cache:dl1");
    const struct config_import_option *const l2 = config_import_find(import, "gpgpu_cache:dl2");

    if (!l1 || !l2 || l1->value[0] == 'S' || !strchr(l1->value, ':') || l2->value[0] != 'S')
        return;
    config_text_add(text, "#   -%s %s: a miss fetches a sector of the L2, not the line\n", l1->name, l1->value);
    ++*count;
}

/* An L2 with lines longer than a slice's consecutive bytes: a slice fetches its own bytes only. */
static void note_l2(struct config_text *text, const struct config_import *import, size_t *count)
{
    const struct config_import_option *const l2 = config_import_find(import, "gpgpu_cache:dl2");
    const struct config_import_option *const mapping = config_import_find(import, "gpgpu_mem_addr_mapping");
    unsigned line, bit;

    if (!l2 || !mapping || sscanf(l2->value, "%*u:%u", &line) != 1 || sscanf(mapping->value, "dramid@%u", &bit) != 1
        || bit > 30 || line <= 1u << bit)
        return;
    config_text_add(text, "#   -%s %s: a miss fetches %u bytes, what one channel has side by side, not the line\n",
                    l2->name, l2->value, 1u << bit);
    ++*count;
}

static void note_one(struct config_text *text, const struct config_import_option *option, size_t *count)
{
    const char *fixed = fixed_value(config_import_name(option->name));
    const char *why = why_unmodelled(config_import_name(option->name));

    if (fixed && strcmp(fixed, option->value) != 0)
        config_text_add(text, "#   -%s %s: always %s here\n", option->name, option->value, fixed);
    else if (!fixed && why)
        config_text_add(text, "#   -%s %s: %s\n", option->name, option->value, why);
    else
        return;
    ++*count;
}

struct fault config_import_notes(const struct config_import *import, char **text, size_t *count)
{
    struct config_text notes = {0};
    size_t column = NOTE_COLUMN;

    *count = 0;
    config_text_add(&notes, "# options without counterpart\n");
    note_l1(&notes, import, count);
    note_l2(&notes, import, count);
    for (size_t i = 0; i < import->count; i++) {
        const struct config_import_option *option = &import->options[i];
        const char *const name = config_import_name(option->name);

        if (!config_import_is_known(name) && config_import_find(import, name) == option)
            note_one(&notes, option, count);
    }
    config_text_add(&notes, "# options without meaning here: output, power, compilation, or unknown");
    for (size_t i = 0; i < import->count; i++) {
        const char *name = config_import_name(import->options[i].name);

        if (config_import_is_known(name) || fixed_value(name) || why_unmodelled(name))
            continue;
        config_text_add(&notes, "%s -%s", column + strlen(name) + 2 > NOTE_COLUMN ? "\n#  " : "", name);
        column = column + strlen(name) + 2 > NOTE_COLUMN ? strlen(name) + 4 : column + strlen(name) + 2;
    }
    config_text_add(&notes, "\n");
    return config_text_finish(&notes, text);
}
