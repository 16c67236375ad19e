/* JSON is read as YAML, of which it is a part. A section is looked for in the core (ooo_cpu) first, then at the top of
 * the file, as ChampSim does. Latencies: ChampSim's latency of a cache is that of a hit and of the fill, of one cycle
 * where fill_latency does not say otherwise. */
#include "replay/config/champsim_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "replay/config/config.h"
#include "replay/config/import_nodes.h"

enum { LINE_BYTES = 64, MOST_CORES = 64, MOST_PREFETCHERS = 3 };

/* What a value is, and what becomes of it. */
enum champsim_value { NUMBER, MEGAHERTZ, WORD_OF };

struct champsim_word { const char *name, *is; };

/* ---- modules by name; {NULL}: the end */
static const struct champsim_word prefetchers[] = {
    {"no", "none"}, {"no_instr", "none"}, {"no_l1i", "none"}, {"no_l1d", "none"}, {"no_l2c", "none"},
    {"no_llc", "none"}, {"next_line", "next_line"}, {"next_line_instr", "next_line"}, {"ip_stride", "ip_stride"},
    {"spp_dev", "spp"}, {"va_ampm_lite", "ampm"}, {NULL, NULL}};
static const struct champsim_word policies[] = {
    {"lru", "lru"}, {"lru_llc", "lru"}, {"srrip", "srrip"}, {"drrip", "drrip"}, {"ship", "ship"}, {"random", "random"},
    {NULL, NULL}};
static const struct champsim_word branches[] = {
    {"bimodal", "local"}, {"gshare", "gshare"}, {"perceptron", "perceptron"}, {"hashed_perceptron", "perceptron"},
    {NULL, NULL}};
static const struct champsim_word targets[] = {{"basic_btb", "set_associative"}, {NULL, NULL}};

/* ---- keys: name, key of the system (with the cache's name before it if it is a cache's), what */
struct champsim_row {
    const char *name, *key;
    enum champsim_value value;
    const struct champsim_word *words;
};

static const struct champsim_row core_rows[] = {
    {"frequency", "cpu_clock", MEGAHERTZ, NULL},
    {"ifetch_buffer_size", "cpu.fetchQueueSize", NUMBER, NULL},
    {"fetch_width", "cpu.fetchWidth", NUMBER, NULL},
    {"decode_width", "cpu.decodeWidth", NUMBER, NULL},
    {"dispatch_width", "cpu.renameWidth", NUMBER, NULL},
    {"dispatch_width", "cpu.dispatchWidth", NUMBER, NULL},
    {"execute_width", "cpu.issueWidth", NUMBER, NULL},
    {"execute_width", "cpu.fuPool.IntALU", NUMBER, NULL},
    {"execute_width", "cpu.fuPool.RdWrPort", NUMBER, NULL},
    {"retire_width", "cpu.commitWidth", NUMBER, NULL},
    {"rob_size", "cpu.numROBEntries", NUMBER, NULL},
    {"scheduler_size", "cpu.numIQEntries", NUMBER, NULL},
    {"lq_size", "cpu.LQEntries", NUMBER, NULL},
    {"sq_size", "cpu.SQEntries", NUMBER, NULL},
    {"lq_width", "cpu.cacheLoadPorts", NUMBER, NULL},
    {"sq_width", "cpu.cacheStorePorts", NUMBER, NULL},
    {"branch_predictor", "cpu.branchPred.type", WORD_OF, branches},
    {"btb", "cpu.branchPred.BTB", WORD_OF, targets},
    {NULL, NULL, NUMBER, NULL}};
static const struct champsim_row cache_rows[] = {
    {"ways", "assoc", NUMBER, NULL},
    {"mshr_size", "mshrs", NUMBER, NULL},
    {"frequency", "clock", MEGAHERTZ, NULL},
    {"replacement", "replacement", WORD_OF, policies},
    {NULL, NULL, NUMBER, NULL}};
static const struct champsim_row walker_rows[] = {
    {"mshr_size", "cpu.tlb.walker.outstanding", NUMBER, NULL},
    {NULL, NULL, NUMBER, NULL}};
static const struct champsim_row virtual_rows[] = {
    {"minor_fault_penalty", "cpu.tlb.walker.first_touch", NUMBER, NULL},
    {NULL, NULL, NUMBER, NULL}};
static const struct champsim_row memory_rows[] = {
    {"channels", "memory.channels", NUMBER, NULL},
    {"ranks", "memory.dram.ranks_per_channel", NUMBER, NULL},
    {"rq_size", "memory.dram.read_buffer_size", NUMBER, NULL},
    {"wq_size", "memory.dram.write_buffer_size", NUMBER, NULL},
    {NULL, NULL, NUMBER, NULL}};

/* ---- keys that functions take together, with blanks around each */
static const char cache_others[] = " name sets size latency hit_latency fill_latency wq_size pq_size prefetcher "
                                   "prefetch_activate virtual_prefetch ";
static const char tlb_others[] = " name sets ways latency hit_latency mshr_size ";
static const char walker_others[] = " name pscl5_set pscl5_way pscl4_set pscl4_way pscl3_set pscl3_way pscl2_set "
                                    "pscl2_way ";
static const char memory_others[] = " name frequency data_rate io_freq bankgroups banks rows bank_rows columns "
                                    "bank_columns channel_width tRP tRCD tCAS tRAS refresh_period "
                                    "refreshes_per_period ";
static const char sections[] = " L1I L1D L2C LLC ITLB DTLB STLB PTW physical_memory virtual_memory ooo_cpu num_cores "
                               "cpu_clock_freq block_size page_size ";

/* ---- keys without counterpart */
static const struct { const char *name, *why; } without[] = {
    {"executable_name", "rubato builds none"},
    {"name", "a system is named by its file"},
    {"heartbeat_frequency", "is an option: --interval"},
    {"DIB", "micro-ops are decoded at once; cpu.uopCache is a cache of them"},
    {"decode_buffer_size", "queues between stages are the stages' own"},
    {"dispatch_buffer_size", "queues between stages are the stages' own"},
    {"register_file_size", "registers are no limit; cpu.numPhysIntRegs is one"},
    {"mispredict_penalty", "is the length of the front end: cpu.fetchToDecodeDelay and others"},
    {"decode_latency", "is a delay of at least 1: cpu.fetchToDecodeDelay"},
    {"dispatch_latency", "is a delay of at least 1: cpu.renameToIEWDelay"},
    {"schedule_latency", "is a delay of at least 1: cpu.issueToExecuteDelay"},
    {"execute_latency", "is that of each kind of micro-op: cpu.opLat"},
    {"rq_size", "caches have MSHRs, and no queue before them"},
    {"wq_size", "is the write_buffers of the cache above"},
    {"pq_size", "TLBs have no prefetcher"},
    {"max_read", "a cache looks up any number of requests a cycle"},
    {"max_write", "a cache fills any number of lines a cycle"},
    {"max_tag_check", "a cache looks up any number of requests a cycle"},
    {"max_fill", "a cache fills any number of lines a cycle"},
    {"prefetch_as_load", "prefetches wait until no other request does"},
    {"wq_check_full_addr", "stores are forwarded by their bytes"},
    {"lower_level", "the levels are L1I and L1D, L2C, LLC"},
    {"replacement", "TLBs replace the entry used least recently"},
    {"prefetcher", "TLBs have no prefetcher"},
    {"row_size", "follows from columns and channel_width"},
    {"size", "memory is as large as its rows"},
    {"num_levels", "page tables have four levels"},
    {"pte_page_size", "entries have 8 bytes, pages of tables 4 KiB"},
    {"randomization", "is pages.seed"},
    {"fill_latency", "TLBs are filled at once"},
    {"max_write_ptw", "the walker has no such limit"}};

/* ---- values */
/* Bytes may have a unit: 48kB. */
static struct fault champsim_number(struct nodes *import, const yaml_node_t *node, const char *name, double *number)
{
    static const char units[] = "kMGT";
    const char *const text = nodes_text(node);
    char *end;

    *number = strtod(text, &end);
    if (end != text && *end) {
        const char *const unit = strchr(units, *end);

        if (unit) {
            *number *= pow(1024, (double)(unit - units) + 1);
            end++;
        }
        end += strspn(end, "iB");
    }
    if (!*text || *end || !(*number >= 0 && *number <= 1e15))
        return nodes_wrong(import, node, "%s: \"%.40s\": expected a number of at least 0", name, text);
    return fault_none();
}

static struct fault find_number(struct nodes *import, const yaml_node_t *section, const char *name, double *number)
{
    const yaml_node_t *const node = nodes_find(import, section, name);

    return node ? champsim_number(import, node, name, number) : fault_none();
}

/* The word of a module, which is a name, a path, or a mapping with a path. */
static struct fault take_module(struct nodes *import, const yaml_node_t *node, const char *what,
                                const struct champsim_word *words, const char **is)
{
    const yaml_node_t *const path = nodes_find(import, node, "path");
    const char *text = nodes_text(path ? path : node);
    const char *const slash = strrchr(text, '/');
    char known[200] = "";

    text = slash && slash[1] ? slash + 1 : text;
    for (const struct champsim_word *word = words; word->name; word++) {
        if (strcmp(word->name, text) == 0) {
            *is = word->is;
            return fault_none();
        }
        if (!strstr(word->name, "no_"))
            strcat(strcat(known, *known ? ", " : ""), word->name);
    }
    return nodes_wrong(import, node, "%s: the module \"%.40s\" is not built in; give one of %s, or set the "
                       "imported key to what rubato plugin build makes of it", what, text, known);
}

static struct fault take_row(struct nodes *import, const yaml_node_t *node, const char *prefix,
                             const struct champsim_row *row)
{
    char key[80];
    const char *is;
    double number = 0;

    snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", row->key);
    if (row->value == WORD_OF) {
        FORWARD(take_module(import, node, row->name, row->words, &is));
        return nodes_set(import, node, key, "%s", is);
    }
    FORWARD(champsim_number(import, node, row->name, &number));
    return row->value == MEGAHERTZ ? nodes_set(import, node, key, "%.9gMHz", number)
                                   : nodes_set(import, node, key, "%.15g", number);
}

static bool champsim_lists(const char *words, const char *name)
{
    char word[80];

    snprintf(word, sizeof word, " %.70s ", name);
    return strstr(words, word) != NULL;
}

/* All keys of a section by its rows; `others` are taken elsewhere. */
static struct fault take_rows(struct nodes *import, const yaml_node_t *section, const char *what,
                              const char *prefix, const struct champsim_row *rows, const char *others)
{
    if (!section || section->type != YAML_MAPPING_NODE)
        return fault_none();
    for (const yaml_node_pair_t *pair = section->data.mapping.pairs.start; pair < section->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *const key = nodes_node(import, pair->key);
        const yaml_node_t *const value = nodes_node(import, pair->value);
        const char *const name = nodes_text(key), *why = NULL;
        bool is_known = champsim_lists(others, name);

        for (const struct champsim_row *row = rows; row->name; row++)
            if (strcmp(row->name, name) == 0) {
                FORWARD(take_row(import, value, prefix, row));
                is_known = true;
            }
        for (size_t i = 0; i < sizeof without / sizeof *without && !is_known && !why; i++)
            if (strcmp(without[i].name, name) == 0)
                why = without[i].why;
        if (why)
            FORWARD(nodes_note(import, key, name, why));
        else if (!is_known)
            return nodes_wrong(import, key, "%s%s%.60s: is no key of ChampSim's; leave it out", what,
                               *what ? "." : "", name);
    }
    return fault_none();
}

/* ---- caches */
struct champsim_cache { const char *name, *key, *above; };       /* above: the one whose write-backs its queue takes */

static const struct champsim_cache caches[] = {
    {"L1I", "l1i", ""}, {"L1D", "l1d", ""}, {"L2C", "l2", "l1d"}, {"LLC", "l3", "l2"}};

static struct fault set_of_cache(struct nodes *import, const yaml_node_t *node, const char *cache, const char *key,
                                 double number)
{
    char full[80];

    snprintf(full, sizeof full, "%s.%s", cache, key);
    return nodes_set(import, node, full, "%.15g", number);
}

static struct fault take_size(struct nodes *import, const yaml_node_t *section, const struct champsim_cache *cache)
{
    const yaml_node_t *const sets = nodes_find(import, section, "sets");
    const yaml_node_t *const size = nodes_find(import, section, "size");
    double number = 0, ways = 0;
    char key[40];

    snprintf(key, sizeof key, "%s.size", cache->key);
    if (size && !sets) {
        FORWARD(champsim_number(import, size, "size", &number));
        return nodes_set(import, size, key, "%.0fB", number);
    }
    if (!sets)
        return fault_none();
    FORWARD(champsim_number(import, sets, "sets", &number));
    FORWARD(find_number(import, section, "ways", &ways));
    if (ways < 1)
        return nodes_wrong(import, sets, "%s.sets: ways are missing beside it; give both, such as 64 and 12",
                           cache->name);
    return nodes_set(import, sets, key, "%.0fB", number * ways * LINE_BYTES);
}

static struct fault take_latency_of(struct nodes *import, const yaml_node_t *section, const char *cache)
{
    const yaml_node_t *const latency = nodes_find(import, section, "latency");
    const yaml_node_t *const hit = nodes_find(import, section, "hit_latency");
    const yaml_node_t *const node = hit ? hit : latency;
    double fill = 1, hit_cyc = 0;

    if (!node)
        return fault_none();
    FORWARD(find_number(import, section, "fill_latency", &fill));
    FORWARD(champsim_number(import, node, "latency", &hit_cyc));
    hit_cyc = hit ? hit_cyc : fmax(hit_cyc - fill, 0);
    FORWARD(set_of_cache(import, node, cache, "tag_latency", hit_cyc));
    FORWARD(set_of_cache(import, node, cache, "data_latency", hit_cyc));
    return set_of_cache(import, node, cache, "response_latency", fill);
}

/* Accesses that a prefetcher learns from: LOAD and PREFETCH where the file does not say. */
static struct fault take_activate(struct nodes *import, const yaml_node_t *section, const yaml_node_t *node,
                                  const char *prefetcher)
{
    static const struct { const char *type, *key; bool by_default; } types[] = {
        {"PREFETCH", "ignore_prefetches", true}, {"RFO", "ignore_stores", false},
        {"WRITE", "ignore_writebacks", false}, {"TRANSLATION", "ignore_walks", false}};
    const yaml_node_t *const given = nodes_find(import, section, "prefetch_activate");
    char list[200] = "", key[60];

    if (given && given->type == YAML_SEQUENCE_NODE)
        for (const yaml_node_item_t *item = given->data.sequence.items.start; item < given->data.sequence.items.top;
             item++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%.20s,",
                     nodes_text(nodes_node(import, *item)));
    else
        snprintf(list, sizeof list, "%.180s", nodes_text(given));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool const learns = given ? strstr(list, types[i].type) != NULL : types[i].by_default;

        snprintf(key, sizeof key, "%s.%s", prefetcher, types[i].key);
        FORWARD(nodes_set(import, node, key, learns ? "no" : "yes"));
    }
    return fault_none();
}

static struct fault take_prefetcher(struct nodes *import, const yaml_node_t *section, const yaml_node_t *node,
                                    const struct champsim_cache *cache, unsigned number)
{
    const yaml_node_t *const queue = nodes_find(import, section, "pq_size");
    const yaml_node_t *const crosses = nodes_find(import, section, "virtual_prefetch");
    char prefetcher[40], key[60], what[40];
    const char *is;

    snprintf(what, sizeof what, "%s.prefetcher", cache->name);
    FORWARD(take_module(import, node, what, prefetchers, &is));
    if (strcmp(is, "none") == 0)
        return fault_none();
    snprintf(prefetcher, sizeof prefetcher, number ? "%s.prefetcher%u" : "%s.prefetcher", cache->key, number + 1);
    snprintf(key, sizeof key, "%s.type", prefetcher);
    FORWARD(nodes_set(import, node, key, "%s", is));
    if (queue) {
        double size = 0;

        FORWARD(champsim_number(import, queue, "pq_size", &size));
        snprintf(key, sizeof key, "%s.queue_size", prefetcher);
        FORWARD(nodes_set(import, queue, key, "%.15g", fmax(size, 1)));
    }
    snprintf(key, sizeof key, "%s.cross_pages", prefetcher);
    if (crosses)
        FORWARD(nodes_set(import, crosses, key, strcmp(nodes_text(crosses), "true") == 0 ? "yes" : "no"));
    return take_activate(import, section, node, prefetcher);
}

static struct fault take_prefetchers(struct nodes *import, const yaml_node_t *section,
                                     const struct champsim_cache *cache)
{
    const yaml_node_t *const node = nodes_find(import, section, "prefetcher");
    unsigned number = 0;

    if (!node || node->type != YAML_SEQUENCE_NODE)
        return node ? take_prefetcher(import, section, node, cache, 0) : fault_none();
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        if (number == MOST_PREFETCHERS)
            return nodes_wrong(import, node, "prefetcher: more than %d of one cache", MOST_PREFETCHERS);
        FORWARD(take_prefetcher(import, section, nodes_node(import, *item), cache, number++));
    }
    return fault_none();
}

static struct fault take_cache(struct nodes *import, const yaml_node_t *section, const struct champsim_cache *cache)
{
    const yaml_node_t *const writes = nodes_find(import, section, "wq_size");
    double number = 0;

    FORWARD(take_rows(import, section, cache->name, cache->key, cache_rows, cache_others));
    FORWARD(take_size(import, section, cache));
    FORWARD(take_latency_of(import, section, cache->key));
    if (writes && *cache->above) {
        FORWARD(champsim_number(import, writes, "wq_size", &number));
        FORWARD(set_of_cache(import, writes, cache->above, "write_buffers", fmax(number, 1)));
    }
    return take_prefetchers(import, section, cache);
}

/* ---- TLBs and walks */
static struct fault take_tlb(struct nodes *import, const yaml_node_t *section, const char *name, const char *key)
{
    static const struct champsim_row none = {NULL, NULL, NUMBER, NULL};
    const yaml_node_t *const latency = nodes_find(import, section, "latency");
    double sets = 0, ways = 0, mshrs = 0, cycles = 0;
    bool const is_l2 = strcmp(key, "cpu.tlb.l2") == 0;

    if (!section)
        return fault_none();
    FORWARD(take_rows(import, section, name, "", &none, tlb_others));
    FORWARD(find_number(import, section, "sets", &sets));
    FORWARD(find_number(import, section, "ways", &ways));
    FORWARD(find_number(import, section, "mshr_size", &mshrs));
    FORWARD(find_number(import, section, "latency", &cycles));
    if ((sets > 0) != (ways > 0))
        return nodes_wrong(import, section, "%s: give both sets and ways, such as 16 and 4", name);
    if (sets > 0) {
        FORWARD(set_of_cache(import, section, key, "entries", sets * ways));
        FORWARD(set_of_cache(import, section, key, "assoc", ways));
    }
    if (!is_l2 && mshrs > 0)
        FORWARD(set_of_cache(import, section, key, "mshrs", mshrs));
    if (is_l2 && latency)
        return set_of_cache(import, latency, key, "latency", cycles);
    return fault_none();
}

static struct fault take_walker(struct nodes *import, const yaml_node_t *section)
{
    FORWARD(take_rows(import, section, "PTW", "", walker_rows, walker_others));
    for (int level = 2; section && level <= 4; level++) {
        char name[20], key[40];
        double sets = 0, ways = 0;

        snprintf(name, sizeof name, "pscl%d_set", level);
        FORWARD(find_number(import, section, name, &sets));
        snprintf(name, sizeof name, "pscl%d_way", level);
        FORWARD(find_number(import, section, name, &ways));
        snprintf(key, sizeof key, "level%d", level);
        if (sets > 0 && ways > 0)
            FORWARD(set_of_cache(import, section, "cpu.tlb.walker.caches", key, sets * ways));
    }
    return fault_none();
}

/* ---- DRAM: rows are as long as its columns, and memory as large as its rows */
struct champsim_memory { double rate, groups, banks, rows, columns, width, channels, ranks; };

static struct fault set_burst(struct nodes *import, const yaml_node_t *section,
                              const struct champsim_memory *memory)
{
    static const char *const bursts[] = {"tBURST", "tBURST_MIN", "tBURST_MAX"};
    double const burst_ns = LINE_BYTES / memory->width * 1000 / memory->rate;
    char key[40];

    if (!(memory->rate >= 1 && memory->width >= 1 && memory->width <= LINE_BYTES))
        return nodes_wrong(import, section, "physical_memory: a rate of %.9g MT/s and a width of %.9g bytes; give "
                           "for example 3200 and 8", memory->rate, memory->width);
    FORWARD(nodes_set(import, section, "memory.dram.tCK", "%.9gns", 2000 / memory->rate));
    for (size_t i = 0; i < sizeof bursts / sizeof *bursts; i++) {
        snprintf(key, sizeof key, "memory.dram.%s", bursts[i]);
        FORWARD(nodes_set(import, section, key, "%.9gns", burst_ns));
    }
    FORWARD(nodes_set(import, section, "memory.dram.devices_per_rank", "%.15g", memory->width));
    return nodes_set(import, section, "memory.dram.burst_length", "%.15g", LINE_BYTES / memory->width);
}

/* In cycles of the DRAM's clock since 2025 (where the file has bank groups or a data rate), before in nanoseconds. */
static struct fault set_times(struct nodes *import, const yaml_node_t *section, double rate)
{
    bool const in_cycles = nodes_find(import, section, "data_rate")
        || nodes_find(import, section, "bankgroups");
    static const struct champsim_word times[] = {{"tRP", "tRP"}, {"tRCD", "tRCD"}, {"tRCD", "tRCD_WR"}, {"tCAS", "tCL"},
                                                 {"tCAS", "tCWL"}, {"tRAS", "tRAS"}};
    char key[40];

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double time = -1;

        FORWARD(find_number(import, section, times[i].name, &time));
        snprintf(key, sizeof key, "memory.dram.%s", times[i].is);
        if (time >= 0)
            FORWARD(nodes_set(import, section, key, "%.9gns", in_cycles ? time * 2000 / rate : time));
    }
    return fault_none();
}

static struct fault take_memory(struct nodes *import, const yaml_node_t *section)
{
    struct champsim_memory memory = {3200, 4, 8, 65536, 1024, 8, 1, 1};
    const yaml_node_t *const columns = nodes_find(import, section, "columns");
    struct { const char *name; double *into; } const fields[] = {
        {"frequency", &memory.rate}, {"io_freq", &memory.rate}, {"data_rate", &memory.rate},
        {"bankgroups", &memory.groups}, {"banks", &memory.banks}, {"rows", &memory.rows}, {"bank_rows", &memory.rows},
        {"columns", &memory.columns}, {"bank_columns", &memory.columns}, {"channel_width", &memory.width},
        {"channels", &memory.channels}, {"ranks", &memory.ranks}};

    if (!section)
        return fault_none();
    /* Before 2025 there were no bank groups, and columns counted bursts of eight. */
    if (columns)
        memory.groups = 1;
    FORWARD(take_rows(import, section, "physical_memory", "", memory_rows, memory_others));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        FORWARD(find_number(import, section, fields[i].name, fields[i].into));
    memory.columns *= columns ? 8 : 1;
    FORWARD(set_burst(import, section, &memory));
    FORWARD(set_times(import, section, memory.rate));
    FORWARD(nodes_set(import, section, "memory.dram.banks_per_rank", "%.15g", memory.groups * memory.banks));
    FORWARD(nodes_set(import, section, "memory.dram.device_rowbuffer_size", "%.15gB", memory.columns));
    return nodes_set(import, section, "memory.size", "%.15gB", memory.channels * memory.ranks * memory.groups
                     * memory.banks * memory.rows * memory.columns * memory.width);
}

/* ---- the whole */
/* ooo_cpu, whose items must be alike; NULL: the file lacks it. */
static struct fault find_core(struct nodes *import, const yaml_node_t *root, const yaml_node_t **core)
{
    const yaml_node_t *const list = nodes_find(import, root, "ooo_cpu");

    *core = list;
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return fault_none();
    *core = NULL;
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        const yaml_node_t *const one = nodes_node(import, *item);

        if (*core && !nodes_is_same(import, *core, one, 0))
            return nodes_wrong(import, one, "ooo_cpu: cores differ; give one, which stands for all");
        *core = one;
    }
    return fault_none();
}

static const yaml_node_t *section_of(struct nodes *import, const yaml_node_t *root, const yaml_node_t *core,
                                     const char *name)
{
    const yaml_node_t *const own = nodes_find(import, core, name);

    return own ? own : nodes_find(import, root, name);
}

/* Sets and MSHRs of the last level are those of one core times the cores, where the file does not say. */
static struct fault take_cores(struct nodes *import, const yaml_node_t *root)
{
    const yaml_node_t *const node = nodes_find(import, root, "num_cores");
    double cores = 1;

    if (!node)
        return fault_none();
    FORWARD(champsim_number(import, node, "num_cores", &cores));
    if (!(cores >= 1 && cores <= MOST_CORES))
        return nodes_wrong(import, node, "num_cores: %.9g: give 1 to %d", cores, MOST_CORES);
    FORWARD(nodes_set(import, node, "cores", "%.15g", cores));
    FORWARD(nodes_set(import, node, "l3.size", "%.0fMiB", 2 * cores));
    return nodes_set(import, node, "l3.mshrs", "%.15g", 64 * cores);
}

static struct fault take_top(struct nodes *import, const yaml_node_t *root)
{
    const yaml_node_t *const clock = nodes_find(import, root, "cpu_clock_freq");
    const yaml_node_t *const line = nodes_find(import, root, "block_size");
    const yaml_node_t *const page = nodes_find(import, root, "page_size");
    const yaml_node_t *const list = nodes_find(import, root, "caches");
    double number = LINE_BYTES;

    if (list || nodes_find(import, root, "ptws"))
        return nodes_wrong(import, list ? list : root, "caches, ptws: lists by name are not imported; give L1I, "
                           "L1D, L2C, LLC, ITLB, DTLB, STLB and PTW as sections");
    if (line)
        FORWARD(champsim_number(import, line, "block_size", &number));
    if (fabs(number - LINE_BYTES) > 0)
        return nodes_wrong(import, line, "block_size: %.9g: expected 64", number);
    number = 4096;
    if (page)
        FORWARD(champsim_number(import, page, "page_size", &number));
    if (fabs(number - 4096) > 0)
        return nodes_wrong(import, page, "page_size: %.9g: expected 4096", number);
    if (clock) {
        FORWARD(champsim_number(import, clock, "cpu_clock_freq", &number));
        FORWARD(nodes_set(import, clock, "cpu_clock", "%.9gMHz", number));
    }
    return take_cores(import, root);
}

static struct fault champsim_take(struct nodes *import)
{
    const yaml_node_t *const root = yaml_document_get_root_node(&import->document), *core;

    FORWARD(config_load(import->config, "champsim"));
    FORWARD(find_core(import, root, &core));
    FORWARD(take_top(import, root));
    FORWARD(take_rows(import, root, "", "", core_rows, sections));
    FORWARD(take_rows(import, core, "ooo_cpu", "", core_rows, sections));
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
        FORWARD(take_cache(import, section_of(import, root, core, caches[i].name), &caches[i]));
    FORWARD(take_tlb(import, section_of(import, root, core, "ITLB"), "ITLB", "cpu.tlb.l1i"));
    FORWARD(take_tlb(import, section_of(import, root, core, "DTLB"), "DTLB", "cpu.tlb.l1d"));
    FORWARD(take_tlb(import, section_of(import, root, core, "STLB"), "STLB", "cpu.tlb.l2"));
    FORWARD(take_walker(import, section_of(import, root, core, "PTW")));
    FORWARD(take_memory(import, nodes_find(import, root, "physical_memory")));
    return take_rows(import, nodes_find(import, root, "virtual_memory"), "virtual_memory", "", virtual_rows, " ");
}

bool champsim_is(const char *text, size_t length)
{
    static const char *const marks[] = {"ooo_cpu", "physical_memory", "L1D", "LLC", "num_cores"};
    struct nodes import = {.name = ""};
    bool is = false;

    if (!nodes_load(&import.document, text, length))
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        is = is || nodes_find(&import, yaml_document_get_root_node(&import.document), marks[i]);
    yaml_document_delete(&import.document);
    return is;
}

struct fault champsim_import(struct system_config *config, const char *name, const char *text, size_t length,
                             char **notes, size_t *count)
{
    struct nodes import = {.config = config, .name = name, .prefix = ""};
    struct fault fault;

    config_defaults(config);
    if (!nodes_load(&import.document, text, length))
        return fault_make(FAULT_INPUT, "%s: expected JSON, or there is no memory for it", name);
    fault = champsim_take(&import);
    yaml_document_delete(&import.document);
    *notes = import.notes;
    *count = import.note_count;
    return fault.kind == FAULT_NONE ? config_finish(config) : fault;
}
