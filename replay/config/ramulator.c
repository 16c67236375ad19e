/* Components are mappings with an `impl`; their other keys are parameters (a row of the table each) or components. A
 * device of 2.1 is resolved: sizes, timings and constraints as numbers, without the names of its presets; those are
 * found again by ramulator_device.c. */
#include "replay/config/ramulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/ramulator_parts.h"

enum { MOST_CONTROLLERS = 256 };

/* ---- tables */
enum conversion { PLAIN, PERCENT, NANOSECONDS };

/* impl (NULL: every controller), parameter, key of the memory, conversion */
static const struct parameter {
    const char *impl, *name, *key;
    enum conversion conversion;
} parameters[] = {
    {NULL, "wr_low_watermark", "command.wr_low_watermark", PERCENT},
    {NULL, "wr_high_watermark", "command.wr_high_watermark", PERCENT},
    {NULL, "read_buffer_size", "command.read_buffer_size", PLAIN},
    {NULL, "write_buffer_size", "command.write_buffer_size", PLAIN},
    {NULL, "priority_buffer_size", "command.priority_buffer_size", PLAIN},
    {"GDDR7", "rck_mode", "command.rck_mode", PLAIN},
    {"GDDR7", "rck_idle_threshold", "command.rck_idle_threshold", PLAIN},
    {"LPDDR5", "wck_sync_mode", "command.wck_sync_mode", PLAIN},
    {"LPDDR6", "wck_sync_mode", "command.wck_sync_mode", PLAIN},
    {"PRAC", "abo_threshold", "command.abo_threshold", PLAIN},
    {"PRAC", "abo_act_ns", "command.abo_act", NANOSECONDS},
    {"PRAC", "abo_recovery_refs", "command.abo_recovery_refs", PLAIN},
    {"PRAC", "abo_delay_acts", "command.abo_delay_acts", PLAIN},
    {"BlockHammer", "bf_num_filters", "command.bf_num_filters", PLAIN},
    {"BlockHammer", "bf_len_epoch", "command.bf_len_epoch", NANOSECONDS},
    {"BlockHammer", "bf_ctr_count", "command.bf_ctr_count", PLAIN},
    {"BlockHammer", "bf_ctr_thresh", "command.bf_ctr_thresh", PLAIN},
    {"BlockHammer", "bf_num_hashes", "command.bf_num_hashes", PLAIN},
    {"BlockHammer", "bf_hist_max_freq", "command.bf_hist_max_freq", PLAIN},
    {"BlockHammer", "bf_num_rh", "command.bf_num_rh", PLAIN},
    {"BlockHammer", "bf_trefw", "command.bf_trefw", NANOSECONDS},
    {"BlockHammer", "bf_trc", "command.bf_trc", NANOSECONDS},
    {"AllBank", "scatter_interval", "command.scatter_interval", PLAIN},
    {"ClosedCAP", "cap", "command.cap", PLAIN},
    {"ClosedRowPolicy", "cap", "command.cap", PLAIN},
    {"RITAddrMapper", "reserved_rows_per_bank", "command.reserved_rows_per_bank", PLAIN},
    {"PARA", "threshold", "mitigations.PARA_threshold", PLAIN},
    {"PARA", "seed", "mitigations.PARA_seed", PLAIN},
    {"Graphene", "num_table_entries", "mitigations.Graphene_num_table_entries", PLAIN},
    {"Graphene", "activation_threshold", "mitigations.Graphene_activation_threshold", PLAIN},
    {"Graphene", "reset_period_ns", "mitigations.Graphene_reset_period", NANOSECONDS},
    {"OracleRH", "tRH", "mitigations.OracleRH_tRH", PLAIN},
    {"TWiCeIdeal", "twice_rh_threshold", "mitigations.TWiCe_rh_threshold", PLAIN},
    {"TWiCeIdeal", "twice_pruning_interval_threshold", "mitigations.TWiCe_pruning_threshold", PLAIN},
    {"Hydra", "hydra_tracking_threshold", "mitigations.Hydra_tracking_threshold", PLAIN},
    {"Hydra", "hydra_group_threshold", "mitigations.Hydra_group_threshold", PLAIN},
    {"Hydra", "hydra_row_group_size", "mitigations.Hydra_row_group_size", PLAIN},
    {"Hydra", "hydra_reset_period_ns", "mitigations.Hydra_reset_period", NANOSECONDS},
    {"Hydra", "hydra_rcc_num_per_rank", "mitigations.Hydra_rcc_num_per_rank", PLAIN},
    {"Hydra", "hydra_rcc_policy", "mitigations.Hydra_rcc_policy", PLAIN},
    {"RRS", "num_hrt_entries", "mitigations.RRS_num_hrt_entries", PLAIN},
    {"RRS", "num_rit_entries", "mitigations.RRS_num_rit_entries", PLAIN},
    {"RRS", "rss_threshold", "mitigations.RRS_threshold", PLAIN},
    {"RRS", "reset_period_ns", "mitigations.RRS_reset_period", NANOSECONDS},
    {"AQUA", "num_art_entries", "mitigations.AQUA_num_art_entries", PLAIN},
    {"AQUA", "num_qrows_per_bank", "mitigations.AQUA_num_qrows_per_bank", PLAIN},
    {"AQUA", "art_threshold", "mitigations.AQUA_threshold", PLAIN},
    {"AQUA", "reset_period_ns", "mitigations.AQUA_reset_period", NANOSECONDS},
    {"RFMManager", "rfm_thresh", "mitigations.RFM_thresh", PLAIN},
    {"RFMManager", "rfm_mode", "mitigations.RFM_mode", PLAIN},
    {"HynixTRR", "sample_probability", "mitigations.HynixTRR_sample_probability", PLAIN},
    {"HynixTRR", "seed", "mitigations.HynixTRR_seed", PLAIN},
    {"SamsungTRR", "num_table_entries", "mitigations.SamsungTRR_num_table_entries", PLAIN},
    {"SamsungTRR", "num_rows_per_rfm", "mitigations.SamsungTRR_num_rows_per_rfm", PLAIN},
    {"IdealTRR", "num_rows_per_rfm", "mitigations.IdealTRR_num_rows_per_rfm", PLAIN}};

/* impl, word of rubato; NULL: has none, and no effect on the memory */
struct word {
    const char *impl, *is;
};
static const struct word controllers[] = {
    {"GenericDDR", "single-bus"}, {"Generic", "single-bus"}, {"HBM12", "dual-bus"}, {"HBM34", "dual-bus-half-tick"},
    {"GDDR7", "gddr7"}, {"LPDDR5", "lpddr5"}, {"LPDDR6", "lpddr6"}, {"PRAC", "single-bus-prac"},
    {"BlockHammer", "single-bus-blockhammer"}, {NULL, NULL}};
static const struct word schedulers[] = {
    {"FRFCFS", "FR-FCFS"}, {"FRFCFS-RowHit", "FR-FCFS-RowHit"}, {NULL, NULL}};
static const struct word refreshes[] = {
    {"AllBank", "all-bank"}, {"NoRefresh", "none"}, {"PerBank", "per-bank"}, {"HBM34PerBankRefresh", "per-bank-hbm34"},
    {NULL, NULL}};
static const struct word row_policies[] = {
    {"Open", "open"}, {"OpenRowPolicy", "open"}, {"ClosedCAP", "closed-after"}, {"ClosedRowPolicy", "closed-after"},
    {NULL, NULL}};
static const struct word mappers[] = {
    {"RoBaRaCoCh", "RoBaRaCoCh"}, {"ChRaBaRoCo", "ChRaBaRoCo"}, {"MOP4CLXOR", "MOP4CLXOR"}, {"RITAddrMapper", ""},
    {NULL, NULL}};
static const struct word plugins[] = {
    {"PARA", "PARA"}, {"Graphene", "Graphene"}, {"OracleRH", "OracleRH"}, {"TWiCeIdeal", "TWiCe"}, {"Hydra", "Hydra"},
    {"RRS", "RRS"}, {"AQUA", "AQUA"}, {"RFMManager", "RFM"}, {"HynixTRR", "HynixTRR"}, {"SamsungTRR", "SamsungTRR"},
    {"IdealTRR", "IdealTRR"}, {"CommandCounter", ""}, {"CmdTraceRecorder", ""}, {"BinTraceRecorder", ""},
    {"LiveTraceStreamer", ""}, {"IssuedCommandValidationHook", ""}, {NULL, NULL}};

/* Keys without counterpart: why. */
static const struct { const char *name, *why; } ignored[] = {
    {"frontend", "cores and traces are arguments of rubato replay and traffic"},
    {"Frontend", "cores and traces are arguments of rubato replay and traffic"},
    {"clock_ratio", "clocks are periods: the memory's is the device's tCK, the cores' is cpu_clock"},
    {"debug", "rubato's log is --log"},
    {"id", "channels are numbered"},
    {"bf_ctr_saturate", "never read (odd behaviour 15)"},
    {"num_fpt_entries", "limits nothing in Ramulator either"},
    {"RFM", "part of the standard: DDR5_RFM"},
    {"CommandCounter", "commands are counted in the statistics"},
    {"CmdTraceRecorder", "give --commands FILE.csv or FILE.bin"},
    {"BinTraceRecorder", "give --commands FILE.ram2bin"},
    {"LiveTraceStreamer", "give --view"},
    {"IssuedCommandValidationHook", "is for Ramulator's tests"}};

/* ---- nodes */
/* By either name, 2.1's or 2.0's. */
static const yaml_node_t *find_either(struct nodes *import, const yaml_node_t *node, const char *one,
                                      const char *other)
{
    const yaml_node_t *const found = nodes_find(import, node, one);

    return found ? found : nodes_find(import, node, other);
}

/* ---- parameters */
static const char *why_ignored(const char *name)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcmp(ignored[i].name, name) == 0)
            return ignored[i].why;
    return NULL;
}

/* A parameter of a component; is_controller: rows without an impl count. */
static struct fault take_parameter(struct nodes *import, const char *impl, bool is_controller, const char *name,
                                   const yaml_node_t *value)
{
    const char *const text = nodes_text(value), *const why = why_ignored(name);

    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        const struct parameter *const row = &parameters[i];
        char *end;
        double number;

        if (strcmp(row->name, name) != 0 || (row->impl ? strcmp(row->impl, impl) != 0 : !is_controller))
            continue;
        if (row->conversion == PLAIN)
            return nodes_set(import, value, row->key, "%s", text);
        number = strtod(text, &end);
        if (!*text || *end || !(number >= 0 && number <= 1e12))
            return nodes_wrong(import, value, "%s.%s: \"%.40s\": expected a number of at least 0", impl, name,
                               text);
        if (row->conversion == PERCENT)
            return nodes_set(import, value, row->key, "%.9g%%", number * 100);
        return nodes_set(import, value, row->key, "%.15gns", number);
    }
    return why ? nodes_note(import, value, name, why)
               : nodes_wrong(import, value, "%s has no parameter %.60s", impl, name);
}

/* The word for the impl of a component in a table. */
static struct fault take_impl(struct nodes *import, const yaml_node_t *node, const char *what,
                              const struct word *words, const struct word **found)
{
    const yaml_node_t *const impl = nodes_find(import, node, "impl");
    char known[300] = "";

    for (*found = words; impl && (*found)->impl; (*found)++)
        if (strcmp((*found)->impl, nodes_text(impl)) == 0)
            return fault_none();
    for (const struct word *word = words; word->impl; word++)
        strcat(strcat(known, *known ? ", " : ""), word->impl);
    return nodes_wrong(import, impl ? impl : node, "%s: impl \"%.40s\": expected one of %s", what,
                       nodes_text(impl), known);
}

/* All parameters of a component; keys in `but` (with blanks around each) are components of it. */
static struct fault take_parameters(struct nodes *import, const yaml_node_t *node, const char *impl,
                                    bool is_controller, const char *but)
{
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *const key = nodes_node(import, pair->key);
        char word[80];

        snprintf(word, sizeof word, " %.70s ", nodes_text(key));
        if (!strstr(but, word))
            FORWARD(take_parameter(import, impl, is_controller, nodes_text(key),
                                   nodes_node(import, pair->value)));
    }
    return fault_none();
}

/* ---- components */
static struct fault take_component(struct nodes *import, const yaml_node_t *node, const char *what,
                                   const struct word *words, const char *key)
{
    const struct word *word;

    if (!node)
        return fault_none();                     /* Ramulator's default is rubato's */
    FORWARD(take_impl(import, node, what, words, &word));
    FORWARD(nodes_set(import, node, key, "%s", word->is));
    return take_parameters(import, node, word->impl, false, " impl ");
}

static struct fault take_mapper(struct nodes *import, const yaml_node_t *node)
{
    const struct word *word;

    if (!node)
        return fault_none();
    FORWARD(take_impl(import, node, "addr_mapper", mappers, &word));
    if (*word->is)
        return take_component(import, node, "addr_mapper", mappers, "command.mapping");
    FORWARD(take_parameters(import, node, word->impl, false, " impl addr_mapper "));
    return take_component(import, nodes_find(import, node, "addr_mapper"), "addr_mapper.addr_mapper", mappers,
                          "command.mapping");
}

static struct fault take_plugins(struct nodes *import, const yaml_node_t *list)
{
    char names[200] = "";
    const struct word *word;

    if (!list || list->type != YAML_SEQUENCE_NODE)
        return fault_none();
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        const yaml_node_t *const node = nodes_node(import, *item);
        const yaml_node_t *const inner = nodes_find(import, node, "ControllerPlugin");    /* 2.0 */
        const yaml_node_t *const plugin = inner ? inner : node;

        FORWARD(take_impl(import, plugin, "controller_plugins", plugins, &word));
        if (!*word->is) {
            FORWARD(nodes_note(import, plugin, word->impl, why_ignored(word->impl)));
            continue;
        }
        if (strlen(names) + strlen(word->is) + 2 > sizeof names)
            return nodes_wrong(import, plugin, "controller_plugins: too many");
        strcat(strcat(names, *names ? "," : ""), word->is);
        FORWARD(take_parameters(import, plugin, word->impl, false, " impl "));
    }
    return *names ? nodes_set(import, list, "mitigation", "%s", names) : fault_none();
}

static struct fault take_controller(struct nodes *import, const yaml_node_t *node)
{
    const struct word *word;

    FORWARD(take_impl(import, node, "controller", controllers, &word));
    FORWARD(nodes_set(import, node, "command.controller", "%s", word->is));
    FORWARD(take_parameters(import, node, word->impl, true, " impl scheduler Scheduler refresh_manager RefreshManager "
                            "row_policy RowPolicy addr_mapper AddrMapper dram DRAM controller_plugins plugins "));
    FORWARD(take_component(import, find_either(import, node, "scheduler", "Scheduler"), "scheduler", schedulers,
                           "command.scheduler"));
    FORWARD(take_component(import, find_either(import, node, "refresh_manager", "RefreshManager"), "refresh_manager",
                           refreshes, "refresh"));
    FORWARD(take_component(import, find_either(import, node, "row_policy", "RowPolicy"), "row_policy", row_policies,
                           "command.row_policy"));
    return take_plugins(import, find_either(import, node, "controller_plugins", "plugins"));
}

/* ---- the memory system */

/* The one controller that stands for all; *channels of them. */
static struct fault find_controller(struct nodes *import, const yaml_node_t *system, const yaml_node_t **controller,
                                    uint64_t *channels)
{
    const yaml_node_t *const list = find_either(import, system, "controllers", "Controllers");

    *channels = 1;
    *controller = find_either(import, system, "controller", "Controller");
    if (list && list->type == YAML_SEQUENCE_NODE && list->data.sequence.items.start < list->data.sequence.items.top) {
        const yaml_node_item_t *const start = list->data.sequence.items.start;

        *controller = nodes_node(import, *start);
        *channels = (uint64_t)(list->data.sequence.items.top - start);
        for (uint64_t i = 1; i < *channels; i++)
            if (!nodes_is_same(import, *controller, nodes_node(import, start[i]), 0))
                return nodes_wrong(import, nodes_node(import, start[i]), "controllers: number %llu differs "
                                       "from number 0; import a file of each, and put them together in memories:",
                                       (unsigned long long)i);
    }
    if (!*controller)
        return nodes_wrong(import, system, "expected controllers: (2.1) or Controller: (2.0)");
    if (*channels > MOST_CONTROLLERS)
        return nodes_wrong(import, list, "controllers: %llu; at most %d", (unsigned long long)*channels,
                           MOST_CONTROLLERS);
    return fault_none();
}

/* Transactions of a channel in a row, as bytes: a line at least, since a line is one packet. */
static struct fault take_channels(struct nodes *import, const yaml_node_t *system,
                                   const struct ramulator_memory *memory)
{
    const yaml_node_t *const mapper = find_either(import, system, "channel_mapper", "ChannelMapper");
    const yaml_node_t *const bits = nodes_find(import, mapper, "interleave_bits");
    const char *const impl = nodes_text(nodes_find(import, mapper, "impl"));
    unsigned long const shift = bits ? strtoul(nodes_text(bits), NULL, 10) : 0;
    uint64_t const line_bytes = config_line_bytes(import->config), channels = memory->channels;
    uint64_t bytes = memory->tx_bytes;

    if (mapper && strcmp(impl, "CacheLineInterleave") != 0)
        return nodes_wrong(import, mapper, "channel_mapper: impl \"%.40s\": expected CacheLineInterleave; "
                           "PassThroughChannelMapper is for requests with given levels", impl);
    if (shift > 20)
        return nodes_wrong(import, bits, "channel_mapper.interleave_bits: %lu: expected 0 to 20", shift);
    bytes <<= shift;
    FORWARD(nodes_set(import, system, "channels", "%llu", (unsigned long long)channels));
    FORWARD(nodes_set(import, system, "size", "%lluB",
                      (unsigned long long)(ramulator_channel_bytes(import) * channels)));
    if (bytes < line_bytes && channels > 1)
        FORWARD(nodes_note(import, mapper ? mapper : system, "channel_mapper",
                           "channels alternate in less than a line; memory.interleave is a line"));
    bytes = bytes < line_bytes ? line_bytes : bytes;
    return channels == 1 ? fault_none()
                         : nodes_set(import, system, "interleave", "%lluB", (unsigned long long)bytes);
}

static struct fault take_system(struct nodes *import, const yaml_node_t *system)
{
    static const char known[] = " impl channel_mapper ChannelMapper controllers Controllers controller Controller DRAM "
                                "AddrMapper ";
    const yaml_node_t *controller, *device, *mapper;
    const char *const impl = nodes_text(nodes_find(import, system, "impl"));
    struct ramulator_memory memory = {.channels = 1};

    if (strcmp(impl, "GenericDRAM") != 0)
        return nodes_wrong(import, system, "memory_system: impl \"%.40s\": expected GenericDRAM", impl);
    FORWARD(take_parameters(import, system, impl, false, known));
    FORWARD(find_controller(import, system, &controller, &memory.channels));
    device = find_either(import, controller, "dram", "DRAM");
    device = device ? device : nodes_find(import, system, "DRAM");
    mapper = find_either(import, controller, "addr_mapper", "AddrMapper");
    mapper = mapper ? mapper : nodes_find(import, system, "AddrMapper");
    if (!device)
        return nodes_wrong(import, controller, "expected dram: (2.1), or DRAM: (2.0)");
    FORWARD(nodes_set(import, device, "type", "command"));
    FORWARD(ramulator_take_device(import, device, &memory));
    FORWARD(nodes_set(import, system, "command.mode", "exact"));
    FORWARD(nodes_set(import, system, "command.frontend_latency", "0ns"));
    FORWARD(nodes_set(import, system, "command.backend_latency", "0ns"));
    FORWARD(take_controller(import, controller));
    FORWARD(take_mapper(import, mapper));
    return take_channels(import, system, &memory);
}

static struct fault take_root(struct nodes *import)
{
    const yaml_node_t *const root = yaml_document_get_root_node(&import->document);

    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *const key = nodes_node(import, pair->key);
        const char *const word = nodes_text(key), *const why = why_ignored(word);

        if (strcmp(word, "memory_system") == 0 || strcmp(word, "MemorySystem") == 0)
            FORWARD(take_system(import, nodes_node(import, pair->value)));
        else if (why)
            FORWARD(nodes_note(import, key, word, why));
        else
            return nodes_wrong(import, key, "%.60s: expected frontend and memory_system", word);
    }
    return fault_none();
}

/* ---- the text */
bool ramulator_is(const char *text, size_t length)
{
    struct nodes import = {.name = ""};
    const yaml_node_t *root;
    bool is;

    if (!nodes_load(&import.document, text, length))
        return false;
    root = yaml_document_get_root_node(&import.document);
    is = root && find_either(&import, root, "memory_system", "MemorySystem");
    yaml_document_delete(&import.document);
    return is;
}

struct fault ramulator_import(struct system_config *config, const char *name, const char *text, size_t length,
                              char **notes, size_t *count)
{
    struct nodes import = {.config = config, .name = name, .prefix = "memory."};
    struct fault fault;

    config_defaults(config);
    if (!nodes_load(&import.document, text, length))
        return fault_make(FAULT_INPUT, "%s: expected YAML, or there is no memory for it", name);
    fault = take_root(&import);
    yaml_document_delete(&import.document);
    *notes = import.notes;
    *count = import.note_count;
    return fault.kind == FAULT_NONE ? config_finish(config) : fault;
}
