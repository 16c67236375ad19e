/* Counted: what caches serve (memsys/cache/cache_watch.h), what memories accept, what detailed cores commit.
 *
 * Cycles. Each cycle of a core belongs to one instruction: one in which something commits to the first that does; one
 * in which nothing does to the next that will, since that is what the core waits for. So the cycles of all rows are
 * those up to the last commit. Of the waiting, the part before the instruction was dispatched is the front end's.
 * Misses are those of demand requests, which are not a prefetcher's. A prefetch belongs to the pc whose access
 * caused it, and is useful when the first access finds its line; the line keeps the pc until then.
 * The instruction that ends a warm-up is still of the warm-up here.
 * Not counted: squashed instructions have no row of their own cycles, but their accesses count; evictions and page
 * walks have no pc. */
#include "replay/profile/profile.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number_map.h"
#include "memsys/cache/cache_watch.h"
#include "replay/profile/call_tree.h"
#include "replay/config/config_limits.h"
#include "replay/config/config_values.h"
#include "replay/detailed/detailed_cpu.h"
#include "replay/system/system.h"

#define ROW_NO_PC 0

enum { CACHE_BITS = 11 };               /* there are fewer than 2^11 caches */

struct profile_core {
    struct profile *profile;
    uint64_t next_cyc;                   /* the first that belongs to no instruction yet */
    struct call_path path;
};

struct profile_ear {
    const char *kind;
    profile_take_access *take;
    void *context;
    unsigned level;
};

struct profile {
    struct packet_watch memory;          /* the first member: its function finds the profile */
    const struct system *system;
    uint64_t since_ps;                   /* statistics restarted then */
    unsigned core_count;
    bool is_detailed, lacks_memory;
    struct profile_core *cores;
    struct detailed_listener *listeners;
    struct call_tree *calls;             /* NULL: they are not followed */
    struct cache_watch *watches;         /* one a cache; number: its level */
    struct profile_ear ears[PROFILE_MOST_LISTENERS];
    unsigned ear_count, restarts;
    bool *is_prefetcher;                 /* by requestor */
    const char *levels[CONFIG_MAX_CACHES + 1];
    size_t level_count, column_count;
    struct number_map places;            /* by pc: row */
    struct number_map lines;             /* by line of a prefetch, mixed with its cache: row of its cause */
    uint64_t *pcs;                       /* of rows ... */
    uint64_t *counts;                    /* ... and column_count counts of each */
    size_t row_count, pc_room, count_room;
    size_t *order;
};

#define PROFILE_COLUMN_INFO(value, name, needs_detailed, unit, help) {name, unit, help, needs_detailed},
const struct profile_column_info profile_column_table[PROFILE_FIXED_COLUMNS] = {PROFILE_COLUMNS(PROFILE_COLUMN_INFO)};
#undef PROFILE_COLUMN_INFO

/* ---- rows */
static size_t add_row(struct profile *profile, uint64_t pc)
{
    size_t const columns = profile->column_count, row = profile->row_count;

    if (!list_fit(&profile->pcs, row + 1, &profile->pc_room, sizeof *profile->pcs)
        || !list_fit_zeroed(&profile->counts, (row + 1) * columns, &profile->count_room, sizeof *profile->counts)) {
        profile->lacks_memory = true;
        return ROW_NO_PC;
    }
    profile->pcs[row] = pc;
    profile->row_count++;
    return row;
}

static size_t find_row(struct profile *profile, bool has_pc, uint64_t pc)
{
    uint64_t *const place = has_pc && pc < UINT64_MAX - 1 ? number_map_put(&profile->places, pc) : NULL;

    if (!place) {
        profile->lacks_memory |= has_pc && pc < UINT64_MAX - 1;
        return ROW_NO_PC;
    }
    if (*place == 0)
        *place = add_row(profile, pc);
    return (size_t)*place;
}

static uint64_t *counts_of(struct profile *profile, size_t row)
{
    return &profile->counts[row * profile->column_count];
}

/* From here on, or anew since statistics restarted. */
static void begin(struct profile *profile, uint64_t since_ps)
{
    profile->since_ps = since_ps;
    for (size_t i = 0; profile->calls && i < profile->calls->count; i++)
        profile->calls->nodes[i].cycles = 0;
    if (profile->counts)
        memset(profile->counts, 0, profile->row_count * profile->column_count * sizeof *profile->counts);
    for (unsigned i = 0; i < profile->core_count; i++) {
        uint64_t const period_ps = config_cpu_clock_ps(profile->system->config);

        profile->cores[i].next_cyc = (since_ps + period_ps - 1) / period_ps;
    }
}

static void follow_restart(struct profile *profile)
{
    if (profile->system->stats.reset_ps == profile->since_ps)
        return;
    begin(profile, profile->system->stats.reset_ps);
    profile->restarts++;
}

/* ---- caches and memories */
static uint64_t line_key(const struct cache_watch *watch, const struct cache *cache, uint64_t address)
{
    const struct profile *const profile = watch->context;
    uint64_t const line = (address & ~ADDRESS_SECURE) >> cache->sim->line_shift;

    return line << CACHE_BITS | (uint64_t)(watch - profile->watches);
}

/* Sets of caches of a kind are counted one cache after the other. */
static uint64_t set_of(const struct profile *profile, const struct cache *cache, unsigned cache_number,
                       uint64_t address)
{
    uint64_t const set = tags_set_of(&cache->tags, address >> cache->sim->line_shift);

    return profile->system->caches[cache_number].instance * cache->tags.set_count + set;
}

static void tell(struct profile *profile, const struct cache_watch *watch, const struct cache *cache,
                 struct profile_access access)
{
    unsigned const number = (unsigned)(watch - profile->watches);

    access.tick_ps = sim_now_ps(cache->sim);
    access.cache = cache->our_name;
    access.instance = profile->system->caches[number].instance;
    access.set = set_of(profile, cache, number, access.address);
    access.line_bytes = cache->sim->line_bytes;
    access.assoc = cache->tags.assoc;
    access.restarts = profile->restarts;
    for (unsigned i = 0; i < profile->ear_count; i++)
        if (profile->ears[i].level == watch->number)
            profile->ears[i].take(profile->ears[i].context, &access);
}

static void served(struct cache_watch *watch, const struct cache *cache, const struct cache_served *access)
{
    struct profile *const profile = watch->context;
    uint64_t *counts;

    follow_restart(profile);
    if (profile->ear_count > 0 && (access->is_hit || access->is_miss))
        tell(profile, watch, cache, (struct profile_access){
                 .address = access->address & ~ADDRESS_SECURE, .pc = access->request->pc, .command = access->command,
                 .has_pc = access->request->has_pc, .is_hit = access->is_hit, .is_fetch = access->is_fetch});
    if (access->uses_prefetch) {
        const uint64_t *const cause = number_map_get(&profile->lines, line_key(watch, cache, access->address));

        if (cause)
            counts_of(profile, (size_t)*cause)[PROFILE_USEFUL]++;
    }
    if (!(command_attributes(access->command) & ATTR_DEMAND) || profile->is_prefetcher[access->request->requestor]
        || !(access->is_hit || access->is_miss))
        return;
    counts = counts_of(profile, find_row(profile, access->request->has_pc, access->request->pc));
    counts[profile_accesses(watch->number)]++;
    counts[profile_misses(watch->number)] += access->is_miss;
}

static void prefetched(struct cache_watch *watch, const struct cache *cache, const struct packet *packet)
{
    struct profile *const profile = watch->context;
    uint64_t *const cause = number_map_put(&profile->lines, line_key(watch, cache, packet->address));
    size_t const row = find_row(profile, packet->request.has_pc, packet->request.pc);

    follow_restart(profile);
    if (cause)
        *cause = row;
    else
        profile->lacks_memory = true;
    counts_of(profile, row)[PROFILE_PREFETCHES]++;
    if (profile->ear_count > 0)
        tell(profile, watch, cache, (struct profile_access){
                 .address = packet->address & ~ADDRESS_SECURE, .pc = packet->request.pc, .command = packet->command,
                 .has_pc = packet->request.has_pc, .is_own_prefetch = true, .is_fetch = true});
}

static void accepted(struct packet_watch *watch, const struct packet *packet)
{
    struct profile *const profile = (struct profile *)watch;
    const struct request *const request = &packet->request;
    bool const is_write = packet_is(packet, ATTR_WRITE);
    uint64_t *counts;

    follow_restart(profile);
    counts = counts_of(profile, find_row(profile, request->has_pc && !packet_is(packet, ATTR_EVICTION), request->pc));
    counts[is_write ? PROFILE_WRITE_BYTES : PROFILE_READ_BYTES] += packet->size_bytes;
    if (!is_write && profile->is_prefetcher[request->requestor])
        counts[PROFILE_PREFETCH_BYTES] += packet->size_bytes;
}

/* ---- detailed cores */
/* Before the cycles of the micro-op are taken. */
static void follow_call(struct profile_core *core, const struct detailed_retired *retired)
{
    const struct supply_insn *const insn = retired->insn;
    struct call_tree *const calls = core->profile->calls;
    bool const is_first = retired->retire_cyc >= core->next_cyc;

    call_path_count(calls, &core->path, insn->pc, is_first ? retired->retire_cyc + 1 - core->next_cyc : 0);
    if ((retired->uop->flags & UOP_CALL) && insn->next_pc != insn->pc + insn->size_bytes)
        call_path_enter(calls, &core->path, insn->next_pc, insn->pc + insn->size_bytes);
    else if (retired->uop->flags & UOP_RETURN)
        call_path_leave(calls, &core->path, insn->next_pc);
}

static void retired(void *context, const struct detailed_retired *retired)
{
    struct profile_core *const core = context;
    struct profile *const profile = core->profile;
    uint64_t *counts;

    if (retired->is_squashed)
        return;
    follow_restart(profile);
    counts = counts_of(profile, find_row(profile, true, retired->insn->pc));
    counts[PROFILE_INSTRUCTIONS] += retired->micro_pc == 0 && !retired->insn->is_repeat && !retired->insn->is_unfetched;
    if (profile->calls)
        follow_call(core, retired);
    if (retired->retire_cyc < core->next_cyc)
        return;
    counts[PROFILE_CYCLES] += retired->retire_cyc + 1 - core->next_cyc;
    counts[PROFILE_STALL_CYCLES] += retired->retire_cyc - core->next_cyc;
    if (retired->dispatch_cyc > core->next_cyc)
        counts[PROFILE_FRONTEND_CYCLES] += min_u64(retired->dispatch_cyc, retired->retire_cyc) - core->next_cyc;
    core->next_cyc = retired->retire_cyc + 1;
}

/* ---- life */
struct profile *profile_new(const struct system_config *config)
{
    struct profile *const profile = calloc(1, sizeof *profile);

    if (!profile)
        return NULL;
    profile->memory.accepted = accepted;
    profile->core_count = config_core_count(config);
    profile->is_detailed = config_is_detailed(config);
    profile->cores = calloc(profile->core_count, sizeof *profile->cores);
    profile->listeners = calloc(profile->core_count, sizeof *profile->listeners);
    profile->is_prefetcher = calloc(MAX_REQUESTORS, sizeof *profile->is_prefetcher);
    if (!profile->cores || !profile->listeners || !profile->is_prefetcher) {
        profile_free(profile);
        return NULL;
    }
    for (unsigned i = 0; i < profile->core_count; i++) {
        profile->cores[i].profile = profile;
        profile->listeners[i] = (struct detailed_listener){.retired = retired, .context = &profile->cores[i]};
    }
    return profile;
}

static void forget_rows(struct profile *profile)
{
    number_map_free(&profile->places);
    number_map_free(&profile->lines);
    free(profile->pcs);
    free(profile->counts);
    free(profile->order);
    free(profile->watches);
    profile->places = profile->lines = (struct number_map){0};
    profile->pcs = profile->counts = NULL;
    profile->order = NULL;
    profile->watches = NULL;
    profile->row_count = profile->pc_room = profile->count_room = profile->level_count = 0;
}

void profile_free(struct profile *profile)
{
    if (!profile)
        return;
    forget_rows(profile);
    if (profile->calls)
        call_tree_free(profile->calls);
    free(profile->calls);
    free(profile->cores);
    free(profile->listeners);
    free(profile->is_prefetcher);
    free(profile);
}

const struct call_tree *profile_follow_calls(struct profile *profile)
{
    if (!profile->calls)
        profile->calls = calloc(1, sizeof *profile->calls);
    return profile->calls;
}

const struct detailed_listener *profile_listeners(struct profile *profile)
{
    return profile->is_detailed ? profile->listeners : NULL;
}

static unsigned level_of(struct profile *profile, const char *kind)
{
    for (size_t i = 0; i < profile->level_count; i++)
        if (strcmp(profile->levels[i], kind) == 0)
            return (unsigned)i;
    profile->levels[profile->level_count] = kind;
    return (unsigned)profile->level_count++;
}

void profile_listen(struct profile *profile, const char *kind, profile_take_access *take, void *context)
{
    assert(profile->ear_count < PROFILE_MOST_LISTENERS);
    profile->ears[profile->ear_count++] = (struct profile_ear){.kind = kind, .take = take, .context = context};
}

static struct fault find_kinds(struct profile *profile)
{
    char kinds[300] = "";

    for (size_t i = 0; i < profile->level_count; i++)
        snprintf(kinds + strlen(kinds), sizeof kinds - strlen(kinds), "%s%.20s", i > 0 ? ", " : "",
                 profile->levels[i]);
    for (unsigned i = 0; i < profile->ear_count; i++) {
        struct profile_ear *const ear = &profile->ears[i];

        for (ear->level = 0; ear->level < profile->level_count; ear->level++)
            if (strcmp(profile->levels[ear->level], ear->kind) == 0)
                break;
        if (ear->level == profile->level_count)
            return fault_make(FAULT_INPUT, "the system has no cache %.100s; expected one of %s", ear->kind, kinds);
    }
    return fault_none();
}

struct fault profile_bind(struct profile *profile, struct system *system)
{
    forget_rows(profile);
    profile->system = system;
    profile->watches = calloc(system->cache_count + 1, sizeof *profile->watches);
    if (!profile->watches)
        return fault_make(FAULT_MEMORY, "out of memory for the profile");
    memset(profile->is_prefetcher, 0, MAX_REQUESTORS * sizeof *profile->is_prefetcher);
    for (unsigned i = 0; i < system->cache_count; i++) {
        struct cache *const cache = &system->caches[i].cache;

        profile->watches[i] = (struct cache_watch){.served = served, .prefetched = prefetched, .context = profile,
                                                   .number = level_of(profile, system->caches[i].kind)};
        cache_watch_bind(cache, &profile->watches[i]);
        if (cache->prefetcher)
            profile->is_prefetcher[cache->prefetcher->requestor] = true;
    }
    profile->column_count = PROFILE_FIXED_COLUMNS + 2 * profile->level_count;
    system->sim.watch = &profile->memory;
    profile->restarts = 0;
    if (profile->calls) {
        call_tree_free(profile->calls);
        call_tree_begin(profile->calls);
        profile->lacks_memory |= profile->calls->lacks_memory;
    }
    for (unsigned i = 0; i < profile->core_count; i++)
        profile->cores[i].path.depth = 0;
    add_row(profile, 0);
    begin(profile, 0);
    return profile->lacks_memory ? fault_make(FAULT_MEMORY, "out of memory for the profile") : find_kinds(profile);
}

/* ---- results */
size_t profile_levels(const struct profile *profile)
{
    return profile->level_count;
}

const char *profile_level(const struct profile *profile, size_t level)
{
    return profile->levels[level];
}

size_t profile_columns(const struct profile *profile)
{
    return profile->column_count;
}

int profile_compare(const struct profile *profile, const uint64_t *a, const uint64_t *b)
{
    if (a[PROFILE_CYCLES] != b[PROFILE_CYCLES])
        return a[PROFILE_CYCLES] > b[PROFILE_CYCLES] ? -1 : 1;
    if (a[PROFILE_READ_BYTES] != b[PROFILE_READ_BYTES])
        return a[PROFILE_READ_BYTES] > b[PROFILE_READ_BYTES] ? -1 : 1;
    for (size_t column = profile->column_count; column-- > PROFILE_FIXED_COLUMNS;)
        if (a[column] != b[column])
            return a[column] > b[column] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct profile *const profile = context;
    size_t const a = *(const size_t *)left, b = *(const size_t *)right;
    int const order = profile_compare(profile, &profile->counts[a * profile->column_count],
                                      &profile->counts[b * profile->column_count]);

    return order ? order : (profile->pcs[a] > profile->pcs[b]) - (profile->pcs[a] < profile->pcs[b]);
}

static bool is_empty(const struct profile *profile, size_t row)
{
    for (size_t i = 0; i < profile->column_count; i++)
        if (profile->counts[row * profile->column_count + i] > 0)
            return false;
    return true;
}

struct fault profile_sort(struct profile *profile)
{
    size_t count = 0;

    if (profile->system && profile->system->stats.reset_ps != profile->since_ps)
        follow_restart(profile);
    free(profile->order);
    profile->order = malloc((profile->row_count + 1) * sizeof *profile->order);
    if (!profile->order || profile->lacks_memory || (profile->calls && profile->calls->lacks_memory))
        return fault_make(FAULT_MEMORY, "out of memory for the profile");
    for (size_t i = 0; i < profile->row_count; i++)
        if (!is_empty(profile, i))
            profile->order[count++] = i;
    profile->row_count = count;
    qsort_r(profile->order, count, sizeof *profile->order, compare_rows, profile);
    return fault_none();
}

size_t profile_rows(const struct profile *profile)
{
    return profile->row_count;
}

struct profile_row profile_row(const struct profile *profile, size_t i)
{
    size_t const row = profile->order[i];

    return (struct profile_row){.has_pc = row != ROW_NO_PC, .pc = profile->pcs[row],
                                .counts = &profile->counts[row * profile->column_count]};
}
