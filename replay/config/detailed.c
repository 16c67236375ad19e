/* Keys of the detailed core in the section cpu and its parts: the keys, their defaults, and combinations that are
 * refused.
 *
 * Refused are queues smaller than the number of micro-ops that arrive in a cycle, too few registers to rename one
 * micro-op once those of the architecture are mapped (o3-core 4.4), since it would wait for ever, and delays between
 * stages that would lose micro-ops or signals. */
#include <stdio.h>
#include <string.h>

#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"

#define MOST_COMMIT_DELAY_CYC 4
#define AT(field) offsetof(struct system_config, field)

/* Mapped before anything is renamed (o3-core 4.4), and written by one micro-op (replay/detailed/uops/supply.h). */
enum { MAPPED_REGISTERS = 33, MOST_RESULTS = 4, FEWEST_REGISTERS = MAPPED_REGISTERS + MOST_RESULTS };

/* The parts of cpu, in the order of a file. */
static const struct part {
    enum config_kind kind;
    const char *key, *help;
    const struct param_table *table;
    size_t offset;                       /* in struct system_config */
} parts[CONFIG_DETAILED_SECTIONS] = {
    {CONFIG_FU_POOL, "fuPool", "detailed core: functional units, by group", &fu_pool_param_table,
     AT(detailed)},
    {CONFIG_OP_LAT, "opLat", "detailed core: cycles of execution, by op class", &op_lat_param_table,
     AT(detailed)},
    {CONFIG_PIPELINED, "pipelined", "detailed core: whether units take one each cycle, by op class",
     &pipelined_param_table, AT(detailed)},
    {CONFIG_PIPELINED, "opInterval", "detailed core: cycles between two that issue, by op class; 0: any",
     &op_interval_param_table, AT(detailed)},
    {CONFIG_PIPELINED, "opMost", "detailed core: most that issue in a cycle, by op class; 0: as many as units",
     &op_most_param_table, AT(detailed)},
    {CONFIG_BRANCH, "branchPred", "detailed core: branch prediction", &branch_param_table, AT(branch)}
};

/* ---- sections */
static struct config_section detailed_made(const struct part *part)
{
    struct config_section section = {.kind = part->kind, .help = part->help, .table = part->table,
                                     .offset = part->offset, .is_present = true};

    snprintf(section.path, sizeof section.path, "cpu.%s", part->key);
    return section;
}

bool config_detailed_subsection(const char *key, struct config_section *inner)
{
    for (size_t i = 0; i < CONFIG_DETAILED_SECTIONS; i++)
        if (strcmp(parts[i].key, key) == 0) {
            *inner = detailed_made(&parts[i]);
            return true;
        }
    return false;
}

unsigned config_detailed_sections(struct config_section *list, unsigned count)
{
    for (size_t i = 0; i < CONFIG_DETAILED_SECTIONS; i++)
        list[count++] = detailed_made(&parts[i]);
    return count;
}

bool config_is_detailed_key(const struct param_info *info)
{
    return info->offset < AT(core) || info->offset >= AT(core) + sizeof(struct core_params);
}

/* ---- defaults */

/* Offset of a row of the section cpu in struct detailed_params; false: the row is no parameter of the detailed
 * core. */
static bool find_field(const struct param_info *info, size_t *offset)
{
    *offset = info->offset - AT(detailed);
    return info->offset >= AT(detailed);
}

void detailed_params_defaults(struct detailed_params *params)
{
    size_t offset;

    memset(params, 0, sizeof *params);
    for (size_t i = 0; i < cpu_param_table.count; i++)
        if (find_field(&cpu_param_table.rows[i], &offset))
            memcpy((char *)params + offset, &cpu_param_table.rows[i].fallback, sizeof(uint64_t));
    for (size_t i = 0; parts[i].kind != CONFIG_BRANCH; i++)
        config_table_defaults(params, parts[i].table);
}

void branch_params_defaults(struct branch_params *params)
{
    memset(params, 0, sizeof *params);
    config_table_defaults(params, &branch_param_table);
}

void config_detailed_defaults(struct system_config *config)
{
    config->cpu_model = CPU_MODEL_AUTO;
    config->capture_core = CAPTURE_REFERENCE;
    detailed_params_defaults(&config->detailed);
    branch_params_defaults(&config->branch);
}

bool config_detailed_is_shown(const struct system_config *config)
{
    struct detailed_params usual;
    struct branch_params usual_branch;

    detailed_params_defaults(&usual);
    branch_params_defaults(&usual_branch);
    return config_is_detailed(config) || memcmp(&usual, &config->detailed, sizeof usual) != 0
        || memcmp(&usual_branch, &config->branch, sizeof usual_branch) != 0;
}

/* ---- checks */
static struct fault refuse_small(const char *key, uint64_t value, const char *of, uint64_t fewest)
{
    if (value >= fewest)
        return fault_none();
    return fault_make(FAULT_INPUT, "cpu.%s: %llu is less than %s, %llu; give %llu or more", key, llu(value), of,
                      llu(fewest), llu(fewest));
}

static struct fault check_power(const char *key, uint64_t value)
{
    if (is_power_of_two(value))
        return fault_none();
    return fault_make(FAULT_INPUT, "cpu.%s: %llu is not a power of two; give %llu", key, llu(value),
                      llu(config_power_of_two_from(value)));
}

static struct fault check_value(const char *path, const struct param_info *info, const void *field)
{
    uint64_t value;

    memcpy(&value, field, sizeof value);
    if (value >= info->lowest && value <= info->highest)
        return fault_none();
    return fault_make(FAULT_INPUT, "cpu.%s%s%s: %llu is out of range; give %llu to %llu", path, *path ? "." : "",
                      info->key, llu(value), llu(info->lowest), llu(info->highest));
}

struct fault config_check_part(const char *key, const struct param_table *table, const void *params)
{
    for (size_t i = 0; i < table->count; i++)
        FORWARD(check_value(key, &table->rows[i], (const char *)params + table->rows[i].offset));
    return fault_none();
}

/* Parameters may have been made by a program, so limits are checked here, too. */
static struct fault check_limits(const struct detailed_params *params)
{
    size_t offset;

    for (size_t i = 0; i < cpu_param_table.count; i++)
        if (find_field(&cpu_param_table.rows[i], &offset))
            FORWARD(check_value("", &cpu_param_table.rows[i], (const char *)params + offset));
    for (size_t i = 0; parts[i].kind != CONFIG_BRANCH; i++)
        FORWARD(config_check_part(parts[i].key, parts[i].table, params));
    return fault_none();
}

static struct fault check_queues(const struct detailed_params *params)
{
    FORWARD(refuse_small("fetchQueueSize", params->fetch_queue, "fetchWidth", params->fetch_width));
    FORWARD(refuse_small("numROBEntries", params->rob_entries, "renameWidth", params->rename_width));
    FORWARD(refuse_small("numIQEntries", params->iq_entries, "renameWidth", params->rename_width));
    FORWARD(refuse_small("numIQEntries", params->iq_entries, "dispatchWidth", params->dispatch_width));
    FORWARD(refuse_small("numPhysIntRegs", params->int_registers, "the registers that are mapped "
                           "always and those that one micro-op writes", FEWEST_REGISTERS));
    if (params->flag_registers > 0)
        FORWARD(refuse_small("numPhysCCRegs", params->flag_registers, "the one that is mapped always and those that "
                             "one micro-op writes", 1 + MOST_RESULTS));
    return refuse_small("numPhysFloatRegs", params->float_registers, "the registers that are mapped "
                        "always and those that one micro-op writes", FEWEST_REGISTERS);
}

/* The signals of a squash must arrive before the instructions fetched after it, and before signals of younger
 * squashes; a renamed micro-op must be in the ROB's count before rename stops counting it as in flight, and in the ROB
 * before it requests a squash. */
static struct fault check_delays(const struct detailed_params *params)
{
    uint64_t const to_decode = params->fetch_to_decode_cyc, to_rename = to_decode + params->decode_to_rename_cyc;
    struct { const char *key; uint64_t value; const char *of; uint64_t most; } const bounds[] = {
        {"decodeToFetchDelay", params->decode_to_fetch_cyc, "fetchToDecodeDelay", to_decode},
        {"decodeToFetchDelay", params->decode_to_fetch_cyc, "commitToFetchDelay", params->commit_to_fetch_cyc},
        {"commitToFetchDelay", params->commit_to_fetch_cyc, "fetchToDecodeDelay", to_decode},
        {"commitToDecodeDelay", params->commit_to_decode_cyc, "commitToFetchDelay + fetchToDecodeDelay",
         params->commit_to_fetch_cyc + to_decode},
        {"commitToRenameDelay", params->commit_to_rename_cyc,
         "commitToFetchDelay + fetchToDecodeDelay + decodeToRenameDelay", params->commit_to_fetch_cyc + to_rename},
        {"commitToIEWDelay", params->commit_to_iew_cyc + params->iew_to_rename_cyc,
         "commitToFetchDelay + fetchToDecodeDelay + decodeToRenameDelay - iewToRenameDelay",
         params->commit_to_fetch_cyc + to_rename},
        {"renameToROBDelay", params->rename_to_rob_cyc + params->commit_to_rename_cyc - 1,
         "renameToIEWDelay + iewToRenameDelay - commitToRenameDelay",
         params->rename_to_iew_cyc + params->iew_to_rename_cyc - 1},
        {"renameToROBDelay", params->rename_to_rob_cyc, "renameToIEWDelay + issueToExecuteDelay",
         params->rename_to_iew_cyc + params->issue_to_execute_cyc},
    };

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        if (bounds[i].value > bounds[i].most)
            return fault_make(FAULT_INPUT, "cpu.%s: more than %s, so that what is squashed would go on; give less",
                              bounds[i].key, bounds[i].of);
    if (params->iew_to_commit_cyc > MOST_COMMIT_DELAY_CYC)
        return fault_make(FAULT_INPUT, "cpu.iewToCommitDelay: %llu cycles; more than %d are not modelled, so give "
                          "fewer, and a longer fetchToDecodeDelay for a deeper pipeline",
                          llu(params->iew_to_commit_cyc), MOST_COMMIT_DELAY_CYC);
    return fault_none();
}

static struct fault check_front(const struct detailed_params *params)
{
    if (params->uop_cache > 0 && params->fetch_ahead == 0)
        return fault_make(FAULT_INPUT, "cpu.uopCache: %llu, but cpu.fetchAhead is 0, and fetch without it has no cache "
                          "of micro-ops; give fetchAhead, such as 8", llu(params->uop_cache));
    if (params->uop_cache % params->uop_cache_ways != 0)
        return fault_make(FAULT_INPUT, "cpu.uopCacheAssoc: %llu does not divide cpu.uopCache, %llu; give sets of one "
                          "size", llu(params->uop_cache_ways), llu(params->uop_cache));
    return fault_none();
}

struct fault detailed_params_check(const struct detailed_params *params, uint64_t line_bytes)
{
    FORWARD(check_limits(params));
    FORWARD(check_queues(params));
    FORWARD(check_delays(params));
    FORWARD(check_power("fetchBufferSize", params->fetch_buffer_bytes));
    if (params->fetch_buffer_bytes > line_bytes)
        return fault_make(FAULT_INPUT, "cpu.fetchBufferSize: %s is more than a line, %s; give %s",
                          config_bytes(params->fetch_buffer_bytes).text, config_bytes(line_bytes).text,
                          config_bytes(line_bytes).text);
    FORWARD(check_front(params));
    FORWARD(check_power("SSITSize", params->ssit_entries));
    return check_power("LFSTSize", params->lfst_entries);
}

struct fault config_check_detailed(struct system_config *config)
{
    struct detailed_params usual;
    struct fault fault;

    detailed_params_defaults(&usual);
    if (config_is_detailed(config) && config->detailed.fetch_buffer_bytes == usual.fetch_buffer_bytes)
        config->detailed.fetch_buffer_bytes = min_u64(usual.fetch_buffer_bytes, config->line_bytes);
    if (config->core_count == 0 || !config_detailed_is_shown(config))
        return fault_none();
    fault = detailed_params_check(&config->detailed, config->line_bytes);
    if (fault.kind == FAULT_NONE)
        fault = branch_params_check(&config->branch);
    if (fault.kind == FAULT_NONE && config->branch.training == TRAIN_TRACE_ORDER && config->detailed.wrong_path)
        fault = fault_make(FAULT_INPUT, "cpu.branchPred.train: trace_order learns of the trace's branches alone; give "
                           "cpu.wrongPath: no, too");
    return fault.kind == FAULT_NONE ? fault : config_faulty(config, fault);
}
