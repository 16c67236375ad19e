/* Choice: addresses have 48 bits, of them a cache tags 42; an access to an L1 gets 16 bytes, one to a further cache a
 * line; tables that are read at once have their energies and areas added, and the longest time. */
#include "replay/cost/system_cost.h"

#include <math.h>
#include <stdio.h>

#include "replay/config/config_values.h"
#include "replay/config/system_config.h"

enum {
    ADDRESS_BITS = 48, TAGGED_BITS = 42, L1_BYTES = 16, TARGET_BITS = 24, PAGE_BITS = 36, FRAME_BITS = 40,
    TAGE_BANKS = 30, TAGE_ENTRY_BITS = 15, PERCEPTRON_ROW_BITS = 1024
};

/* Bits of an entry of a core's queues and tables: Q(name, kind, entries, bits, is searched). A micro-op of the ROB has
 * its pc, three registers and its state; of the instruction queue three registers, an immediate and its state. */
#define DETAILED_ARRAYS(Q)                                                                                            \
    Q(rob, QUEUE, detailed->rob_entries, 88, false)                                                                   \
    Q(iq, QUEUE, detailed->iq_entries, 80, true)                                                                      \
    Q(load_queue, LOADS, detailed->lq_entries, 64, true)                                                              \
    Q(store_queue, STORES, detailed->sq_entries, 128, true)                                                           \
    Q(int_registers, QUEUE, detailed->int_registers, 64, false)                                                       \
    Q(float_registers, QUEUE, detailed->float_registers, 128, false)                                                  \
    Q(store_sets, LOADS, detailed->has_store_sets ? detailed->ssit_entries : 0, 12, false)                            \
    Q(last_stores, STORES, detailed->has_store_sets ? detailed->lfst_entries : 0, 12, false)
#define ELASTIC_ARRAYS(Q)                                                                                             \
    Q(rob, QUEUE, config->core.rob, 88, false)                                                                        \
    Q(load_buffer, LOADS, config->core.load_buffer, 64, true)                                                         \
    Q(store_buffer, STORES, config->core.store_buffer, 128, true)

/* Tables of prefetchers, as their files in memsys/prefetch/ have them: T(kind, entries, bits of one) */
#define PREFETCH_TABLES(T)                                                                                            \
    T(STRIDE, 64, 110) T(IP_STRIDE, 64, 118) T(STREAM, 64, 64) T(STREAMER, 32, 72) T(UP_DOWN, 64, 60)                 \
    T(NEXT_PAGE, 16, 60) T(BOP, 256, 12) T(BOP, 52, 14) T(AMPM, 208, 292)                                             \
    T(SPP, 256, 64) T(SPP, 512, 48) T(SPP, 1024, 8) T(SPP, 8, 40)

static struct cost_component *cost_add(struct system_cost *cost, enum cost_kind kind, unsigned instances,
                                       const char *owner, const char *part)
{
    struct cost_component *const component = &cost->list[cost->count];

    if (cost->count == COST_MOST)
        return NULL;
    cost->count++;
    *component = (struct cost_component){.kind = kind, .instances = instances};
    snprintf(component->name, sizeof component->name, "%s%s%s", owner, *part ? "." : "", part);
    return component;
}

static void cost_note(struct system_cost *cost, const char *note)
{
    if (cost->note_count < COST_MOST_NOTES)
        cost->notes[cost->note_count++] = note;
}

/* One more table of a component. */
static void add_table(const struct technology_node *node, struct cost_component *component, double entries,
                      double bits, bool is_searched)
{
    struct sram_array const array = {.rows = entries, .row_bits = bits, .out_bits = bits, .ways = 1, .is_split = true,
                                     .is_cam = is_searched};
    struct sram_cost added;

    if (!component || entries < 1 || bits < 1)
        return;
    added = sram_array_cost(node, &array);
    component->bytes += entries * bits / 8;
    component->cost.area_mm2 += added.area_mm2;
    component->cost.leakage_mw += added.leakage_mw;
    component->cost.read_pj += added.read_pj;
    component->cost.write_pj += added.write_pj;
    component->cost.access_ns = fmax(component->cost.access_ns, added.access_ns);
}

static void add_array(struct system_cost *cost, enum cost_kind kind, unsigned instances, const char *owner,
                      const char *part, double entries, double bits, bool is_searched)
{
    if (entries >= 1)
        add_table(cost->node, cost_add(cost, kind, instances, owner, part), entries, bits, is_searched);
}

/* ---- caches */
static void add_prefetcher(struct system_cost *cost, const struct cache_config *cache, unsigned slot, unsigned index,
                           unsigned instances)
{
    enum prefetcher_kind const kind = (enum prefetcher_kind)cache->prefetchers[slot].type;
    static const char *const names[] = {"prefetcher", "prefetcher2", "prefetcher3"};
    struct cost_component *component;

    if (kind == PREFETCHER_NONE)
        return;
    if (kind == PREFETCHER_MODULE) {
        cost_note(cost, "prefetchers of modules");
        return;
    }
    component = cost_add(cost, COST_PREFETCHER, instances, cache->name, names[slot]);
    if (!component)
        return;
    component->cache = index;
#define TABLE_OF_KIND(name, entries, bits)                                                                            \
    if (kind == PREFETCHER_##name)                                                                                    \
        add_table(cost->node, component, entries, bits, false);
    PREFETCH_TABLES(TABLE_OF_KIND)
#undef TABLE_OF_KIND
    if (component->bytes == 0)
        cost->count--;                   /* next_line and tagged have no table */
}

static void add_cache(struct system_cost *cost, const struct system_config *config, const struct cache_config *cache,
                      unsigned index, unsigned instances)
{
    struct cache_params const *const params = &cache->params;
    double const line = (double)config->line_bytes;
    struct sram_cache sram = {.size_bytes = (double)params->size_bytes, .line_bytes = line,
                              .ways = (double)params->assoc, .banks = 1, .address_bits = TAGGED_BITS,
                              .out_bytes = cache->feed == FEED_CACHES ? line : fmin(line, L1_BYTES)};
    struct cost_component *const component = cost_add(cost, COST_CACHE, instances, cache->name, "");
    size_t const first = cost->count;

    if (!component)
        return;
    component->bytes = sram.size_bytes;
    component->cost = sram_cache_cost(cost->node, &sram);
    component->fill_pj = component->cost.write_pj * line / sram.out_bytes;
    component->latency_cyc = (unsigned)(params->sequential_access ? params->tag_latency_cyc + params->data_latency_cyc
                             : params->tag_latency_cyc > params->data_latency_cyc ? params->tag_latency_cyc
                                                                                  : params->data_latency_cyc);
    component->latency_ps = component->latency_cyc * params->clock_ps;
    component->cache = index;
    add_array(cost, COST_MSHRS, instances, cache->name, "mshrs", (double)params->mshrs,
              TAGGED_BITS + TARGET_BITS * (double)params->targets_per_mshr, true);
    add_array(cost, COST_WRITES, instances, cache->name, "write_buffers", (double)params->write_buffers,
              TAGGED_BITS + 8 * line, true);
    for (size_t i = first; i < cost->count; i++)
        cost->list[i].cache = index;
    for (unsigned slot = 0; slot < PREFETCHERS_OF_CACHE; slot++)
        add_prefetcher(cost, cache, slot, index, instances);
}

/* ---- TLBs */
static void add_ways(struct system_cost *cost, struct cost_component *component, uint64_t entries, uint64_t ways,
                     unsigned bits)
{
    bool const is_cam = ways >= entries;

    add_table(cost->node, component, (double)(is_cam ? entries : entries / ways), (double)(is_cam ? bits : ways * bits),
              is_cam);
}

static void add_tlbs(struct system_cost *cost, const struct system_config *config)
{
    enum { BITS = PAGE_BITS + FRAME_BITS, WALK_BITS = PAGE_BITS + FRAME_BITS };
    struct tlb_params const *const tlb = &config->tlb;
    struct { enum cost_kind kind; const char *name; struct tlb_l1_params const *l1; } const sides[] = {
        {COST_TLB_I, "tlb.l1i", &tlb->l1i}, {COST_TLB_D, "tlb.l1d", &tlb->l1d}};
    struct cost_component *component;

    for (size_t i = 0; i < 2; i++) {
        component = cost_add(cost, sides[i].kind, config->core_count, "cpu", sides[i].name);
        add_ways(cost, component, sides[i].l1->entries, sides[i].l1->assoc, BITS);
        add_ways(cost, component, sides[i].l1->huge_entries, sides[i].l1->huge_assoc, BITS);
    }
    if (tlb->l2.entries > 0) {
        component = cost_add(cost, COST_TLB_2, config->core_count, "cpu", "tlb.l2");
        add_ways(cost, component, tlb->l2.entries, tlb->l2.assoc, BITS);
        if (component) {
            component->latency_cyc = (unsigned)tlb->l2.latency_cyc;
            component->latency_ps = tlb->l2.latency_cyc * config->cpu_clock_ps;
        }
    }
    add_array(cost, COST_WALKS, config->core_count, "cpu", "tlb.walks",
              (double)(tlb->caches.level4 + tlb->caches.level3 + tlb->caches.level2), WALK_BITS, true);
}

/* ---- cores */
static void add_direction(struct system_cost *cost, const struct branch_params *branch,
                          struct cost_component *component)
{
    const struct technology_node *const node = cost->node;

    switch (branch->type) {
    case BRANCH_TOURNAMENT:
        add_table(node, component, (double)branch->local_counters, (double)branch->local_bits, false);
        add_table(node, component, (double)branch->local_histories, log2((double)branch->local_counters), false);
        add_table(node, component, (double)branch->choice_counters, (double)branch->choice_bits, false);
        add_table(node, component, (double)branch->global_counters, (double)branch->global_bits, false);
        break;
    case BRANCH_BIMODE:
        add_table(node, component, (double)branch->choice_counters, (double)branch->choice_bits, false);
        add_table(node, component, 2 * (double)branch->global_counters, (double)branch->global_bits, false);
        break;
    case BRANCH_LOCAL:
        add_table(node, component, (double)branch->local_counters / (double)branch->local_bits,
                  (double)branch->local_bits, false);
        break;
    case BRANCH_GSHARE:
        add_table(node, component, (double)branch->gshare_counters, (double)branch->gshare_bits, false);
        break;
    case BRANCH_TAGE:
    case BRANCH_TAGE_SC_L:
        add_table(node, component, ldexp(1, (int)branch->tage_bimodal_bits), 2, false);
        for (int i = 0; i < TAGE_BANKS; i++)
            add_table(node, component, ldexp(1, (int)branch->tage_bank_bits), TAGE_ENTRY_BITS, false);
        break;
    case BRANCH_PERCEPTRON:
        add_table(node, component, (double)branch->perceptron_bits / PERCEPTRON_ROW_BITS, PERCEPTRON_ROW_BITS, false);
        break;
    default:
        break;
    }
}

static void add_predictors(struct system_cost *cost, const struct system_config *config)
{
    struct branch_params const *const branch = &config->branch;
    unsigned const cores = config->core_count;
    struct cost_component *component = cost_add(cost, COST_PREDICTOR, cores, "cpu", "direction");

    add_direction(cost, branch, component);
    if (component && component->bytes == 0)
        cost->count--;
    if (branch->btb == BTB_DIRECT_MAPPED || branch->btb == BTB_SET_ASSOCIATIVE) {
        component = cost_add(cost, COST_PREDICTOR, cores, "cpu", "btb");
        add_ways(cost, component, branch->btb_entries, branch->btb == BTB_DIRECT_MAPPED ? 1 : branch->btb_ways,
                 (unsigned)branch->btb_tag_bits + ADDRESS_BITS);
    }
    if (branch->indirect == INDIRECT_PATH) {
        component = cost_add(cost, COST_PREDICTOR, cores, "cpu", "indirect");
        add_ways(cost, component, branch->indirect_sets * branch->indirect_ways, branch->indirect_ways,
                 (unsigned)branch->indirect_tag_bits + ADDRESS_BITS);
    }
    if (branch->type == BRANCH_MODULE || branch->btb == BTB_MODULE || branch->indirect == INDIRECT_MODULE)
        cost_note(cost, "predictors of modules");
}

static void add_cores(struct system_cost *cost, const struct system_config *config)
{
    struct detailed_params const *const detailed = &config->detailed;

    if (config->core_count == 0)
        return;
#define ARRAY(name, kind, entries, bits, is_searched)                                                                 \
    add_array(cost, COST_##kind, config->core_count, "cpu", #name, (double)(entries), bits, is_searched);
    if (config_is_detailed(config)) {
        DETAILED_ARRAYS(ARRAY)
        add_predictors(cost, config);
        cost_note(cost, "caches of micro-ops, return address stacks");
    } else {
        ELASTIC_ARRAYS(ARRAY)
        cost_note(cost, "registers, instruction queue and predictors of elastic cores, which have no sizes");
    }
#undef ARRAY
    if (config->has_tlb)
        add_tlbs(cost, config);
}

static const char *name_of(enum technology technology)
{
#define NAME_OF(value, name) [value] = #name,
    static const char *const names[] = {TECHNOLOGIES(NAME_OF)};
#undef NAME_OF

    return names[technology];
}

void system_cost_make(struct system_cost *cost, const struct system_config *config, enum technology technology)
{
    *cost = (struct system_cost){.node = technology_find(name_of(technology))};
    add_cores(cost, config);
    for (unsigned i = 0; config->core_count > 0 && i < config->cache_count; i++)
        add_cache(cost, config, &config->caches[i], i, config->caches[i].is_private ? config->core_count : 1);
    if (config->has_memory_cache)
        add_cache(cost, config, &config->memory_cache, CONFIG_MAX_CACHES, 1);
    cost_note(cost, "logic of cores, buses and their snoop filters, memory controllers and pins");
    if (config->gpu.sms > 0)
        cost_note(cost, "the GPU");
    for (size_t i = 0; i < cost->count; i++) {
        cost->area_mm2 += cost->list[i].instances * cost->list[i].cost.area_mm2;
        cost->leakage_mw += cost->list[i].instances * cost->list[i].cost.leakage_mw;
    }
}

bool cost_is_doubtful(const struct cost_component *component)
{
    return component->latency_ps > 0 && (double)component->latency_ps * 1e-3 < component->cost.access_ns;
}
