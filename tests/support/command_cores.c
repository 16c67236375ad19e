/* The reference's simple cores with their last-level cache (docs/spec/command-dram.md 10.5, 10.6), as its runs have
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/list.h"
#include "tests/support/command_case.h"

enum { MOST_CORES = 16, MOST_WAYS = 64 };

struct miss {                            /* a request to the cache or below it */
    uint64_t address;
    int64_t when;
    int32_t source;
    bool is_write, has_callback;
};

struct line {
    uint64_t address, tag;
    bool dirty, ready, is_used;
    uint64_t order;                      /* of use */
};

struct mshr {
    uint64_t address;
    struct line *line;
};

struct waiter {                          /* of the waiting list of an address */
    uint64_t key, address;
    int32_t source;
};

struct step {
    int64_t bubbles, load, store;
};

struct slot {
    bool ready;
    uint64_t address;
};

struct core {
    struct step *steps, now;
    size_t count, room, at;
    struct slot *window;                 /* a ring */
    size_t first, used;
    int64_t retired, recorded_cycles, recorded, memory_cycles, last_memory, requests;
    bool reached;
};

struct cores {
    struct command_front front;
    struct command_run *run;
    bool blacklists;
    int64_t clk, expected, width, depth, latency, line_bytes, ways, mshr_limit, mshrs_per_core;
    uint64_t modulo, sets, use;
    unsigned index_shift, tag_shift;
    struct line *lines;
    struct mshr *mshrs;
    size_t mshr_count;
    struct waiter *waiters;
    size_t waiter_count, waiter_room;
    struct miss *misses, *hits;
    size_t miss_count, miss_room, hit_count, hit_room;
    struct core core[MOST_CORES];
    uint32_t count;
    int64_t allocated[MOST_CORES], cap[MOST_CORES];
    bool black[MOST_CORES];
    int64_t eviction, read_access, write_access, read_misses, write_misses, mshr_unavailable, mshr_blacklisted;
};

static uint64_t align(const struct cores *cores, uint64_t address)
{
    return address & ~((uint64_t)cores->line_bytes - 1);
}

static void append(struct miss **list, size_t *count, size_t *room, struct miss miss)
{
    if (list_fit(list, *count + 1, room, sizeof **list))
        (*list)[(*count)++] = miss;
}

/* ---- waiting lists, in the order of joining */
static void clear_waiters(struct cores *cores, uint64_t key)
{
    size_t kept = 0;

    for (size_t i = 0; i < cores->waiter_count; i++)
        if (cores->waiters[i].key != key)
            cores->waiters[kept++] = cores->waiters[i];
    cores->waiter_count = kept;
}

static void add_waiter(struct cores *cores, uint64_t key, uint64_t address, int32_t source)
{
    if (list_fit(&cores->waiters, cores->waiter_count + 1, &cores->waiter_room, sizeof *cores->waiters))
        cores->waiters[cores->waiter_count++] = (struct waiter){key, address, source};
}

/* ---- completion */
static void core_receive(struct core *core, const struct cores *cores, uint64_t address, int64_t arrive, int64_t depart)
{
    for (size_t i = 0; i < core->used; i++) {
        struct slot *const slot = &core->window[(core->first + i) % (size_t)cores->depth];

        slot->ready |= slot->address == address;
    }
    if (arrive != -1 && depart > core->last_memory && !core->reached) {
        core->memory_cycles += depart - (core->last_memory > arrive ? core->last_memory : arrive);
        core->last_memory = depart;
    }
}

static void receive(struct cores *cores, uint64_t address, int32_t source, int64_t arrive, int64_t depart)
{
    for (size_t i = 0; i < cores->mshr_count; i++) {
        if (align(cores, cores->mshrs[i].address) != align(cores, address))
            continue;
        cores->mshrs[i].line->ready = true;
        memmove(&cores->mshrs[i], &cores->mshrs[i + 1], (cores->mshr_count - i - 1) * sizeof *cores->mshrs);
        cores->mshr_count--;
        if (cores->blacklists && source >= 0 && cores->allocated[source] > 0)
            cores->allocated[source]--;
        break;
    }
    for (size_t i = 0; i < cores->waiter_count; i++)
        if (cores->waiters[i].key == address)
            core_receive(&cores->core[cores->waiters[i].source], cores, cores->waiters[i].address, arrive, depart);
    clear_waiters(cores, address);
}

static void memory_done(struct command_run *run, const struct command_entry *entry, int64_t arrive, int64_t depart)
{
    receive((struct cores *)run->front, entry->access.address, entry->access.source, arrive, depart);
}

/* ---- the cache */
static void cache_tick(struct cores *cores)
{
    size_t kept = 0, count = cores->hit_count;

    for (size_t i = 0; i < cores->miss_count; i++) {
        struct miss const miss = cores->misses[i];
        struct cmd_access const access = {miss.is_write ? CMD_WRITE : CMD_READ, miss.address, miss.source, 0, NULL};

        if (cores->clk < miss.when
            || !command_run_send(cores->run, access, miss.has_callback ? memory_done : NULL, 0))
            cores->misses[kept++] = miss;
    }
    cores->miss_count = kept;
    kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct miss const hit = cores->hits[i];

        if (cores->clk < hit.when) {
            cores->hits[kept++] = hit;
            continue;
        }
        clear_waiters(cores, hit.address);
        add_waiter(cores, hit.address, hit.address, hit.source);
        receive(cores, hit.address, hit.source, -1, -1);
    }
    cores->hit_count = kept;
}

static struct line *find_line(const struct cores *cores, struct line *set, uint64_t tag)
{
    for (int64_t way = 0; way < cores->ways; way++)
        if (set[way].is_used && set[way].tag == tag)
            return &set[way];
    return NULL;
}

/* A free way; else that of the oldest line that is ready, which is evicted. NULL: none. */
static struct line *make_place(struct cores *cores, struct line *set)
{
    struct line *oldest = NULL;

    for (int64_t way = 0; way < cores->ways; way++) {
        if (!set[way].is_used)
            return &set[way];
        if (set[way].ready && (!oldest || set[way].order < oldest->order))
            oldest = &set[way];
    }
    if (!oldest)
        return NULL;
    cores->eviction++;
    if (oldest->dirty)
        append(&cores->misses, &cores->miss_count, &cores->miss_room,
               (struct miss){oldest->address, cores->clk + cores->latency, -1, true, false});
    return oldest;
}

static bool cache_miss(struct cores *cores, struct line *set, uint64_t address, int32_t core, bool dirty)
{
    struct line *line;

    for (size_t i = 0; i < cores->mshr_count; i++) {
        if (align(cores, cores->mshrs[i].address) == align(cores, address)) {
            add_waiter(cores, cores->mshrs[i].address, address, core);
            cores->mshrs[i].line->dirty |= dirty;
            return true;
        }
    }
    if (cores->blacklists && cores->black[core] && cores->cap[core] > 0 && cores->allocated[core] >= cores->cap[core]) {
        cores->mshr_blacklisted++;
        return false;
    }
    if ((int64_t)cores->mshr_count == cores->mshr_limit) {
        cores->mshr_unavailable++;
        return false;
    }
    line = make_place(cores, set);
    if (!line)
        return false;
    *line = (struct line){address, address >> cores->tag_shift, dirty, false, true, cores->use++};
    cores->mshrs[cores->mshr_count++] = (struct mshr){address, line};
    clear_waiters(cores, address);
    add_waiter(cores, address, address, core);
    append(&cores->misses, &cores->miss_count, &cores->miss_room,
           (struct miss){address, cores->clk + cores->latency, core, false, true});
    cores->allocated[core] += cores->blacklists;
    return true;
}

static bool cache_send(struct cores *cores, uint64_t address, int32_t core, bool is_write)
{
    struct line *const set = &cores->lines[(address >> cores->index_shift & (cores->sets - 1)) * (uint64_t)cores->ways];
    struct line *const line = find_line(cores, set, address >> cores->tag_shift);

    *(is_write ? &cores->write_access : &cores->read_access) += 1;
    if (line && line->ready) {
        line->address = address;
        line->dirty |= is_write;
        line->order = cores->use++;
        append(&cores->hits, &cores->hit_count, &cores->hit_room,
               (struct miss){address, cores->clk + cores->latency, core, is_write, true});
        return true;
    }
    *(is_write ? &cores->write_misses : &cores->read_misses) += 1;
    return cache_miss(cores, set, address, core, is_write);
}

/* ---- cores */
static void next_step(struct core *core)
{
    core->now = core->steps[core->at];
    core->at = (core->at + 1) % core->count;
}

static void insert(const struct cores *cores, struct core *core, bool ready, uint64_t address)
{
    core->window[(core->first + core->used++) % (size_t)cores->depth] = (struct slot){ready, address};
}

static void retire(const struct cores *cores, struct core *core)
{
    int64_t count = 0;

    while (core->used > 0 && count < cores->width && core->window[core->first].ready) {
        core->first = (core->first + 1) % (size_t)cores->depth;
        core->used--;
        count++;
    }
    core->retired += count;
    if (core->reached)
        return;
    core->recorded += count;
    if (core->retired >= cores->expected) {
        core->reached = true;
        core->recorded_cycles = cores->clk;
    }
}

static void core_tick(struct cores *cores, int32_t number)
{
    struct core *const core = &cores->core[number];
    int64_t inserted = 0;

    retire(cores, core);
    for (; core->now.bubbles > 0; core->now.bubbles--, inserted++) {
        if (inserted == cores->width || (int64_t)core->used == cores->depth)
            return;
        insert(cores, core, true, UINT64_MAX);
    }
    if (core->now.load != -1) {
        uint64_t const address = (uint64_t)core->now.load % cores->modulo;

        if (inserted == cores->width || (int64_t)core->used == cores->depth
            || !cache_send(cores, address, number, false))
            return;
        insert(cores, core, false, address);
        core->now.load = -1;
        core->requests++;
        if (core->now.store != -1)
            return;
    }
    if (core->now.store != -1) {
        if (!cache_send(cores, (uint64_t)core->now.store % cores->modulo, number, true))
            return;
        core->requests++;
    }
    next_step(core);
}

static void cores_tick(struct command_front *front, struct command_run *run)
{
    struct cores *const cores = (struct cores *)front;

    cores->run = run;
    cores->clk++;
    cache_tick(cores);
    for (uint32_t i = 0; i < cores->count; i++)
        core_tick(cores, (int32_t)i);
}

static bool cores_are_finished(const struct command_front *front)
{
    const struct cores *const cores = (const struct cores *)front;

    for (uint32_t i = 0; i < cores->count; i++)
        if (!cores->core[i].reached)
            return false;
    return true;
}

static void cores_throttled(struct command_front *front, int32_t source, float share)
{
    struct cores *const cores = (struct cores *)front;

    cores->black[source] = true;
    cores->cap[source] = (int64_t)((float)cores->mshrs_per_core * share);
}

static void put(json_t *object, const char *key, int64_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

static json_t *cores_stats(const struct command_front *front)
{
    const struct cores *const cores = (const struct cores *)front;
    json_t *const object = json_pack("{s:s,s:{s:s}}", "impl", cores->blacklists ? "BHO3" : "SimpleO3", "translation",
                                     "impl",
                                     "NoTranslation");

    put(object, "num_expected_insts", cores->expected);
    put(object, "llc_eviction", cores->eviction);
    put(object, "llc_read_access", cores->read_access);
    put(object, "llc_write_access", cores->write_access);
    put(object, "llc_read_misses", cores->read_misses);
    put(object, "llc_write_misses", cores->write_misses);
    put(object, "llc_mshr_unavailable", cores->mshr_unavailable);
    if (cores->blacklists)
        put(object, "llc_mshr_blacklisted", cores->mshr_blacklisted);
    for (uint32_t i = 0; i < cores->count; i++) {
        const struct core *const core = &cores->core[i];
        char key[64];

        snprintf(key, sizeof key, "cycles_recorded_core_%u", i);
        put(object, key, core->recorded_cycles);
        snprintf(key, sizeof key, "memory_access_cycles_recorded_core_%u", i);
        put(object, key, core->memory_cycles);
        if (cores->blacklists) {
            snprintf(key, sizeof key, "insts_recorded_core_%u", i);
            put(object, key, core->recorded);
            snprintf(key, sizeof key, "mem_requests_issued_core_%u", i);
            put(object, key, core->requests);
        }
    }
    return object;
}

static void cores_free(struct command_front *front)
{
    struct cores *const cores = (struct cores *)front;

    for (uint32_t i = 0; i < cores->count; i++) {
        free(cores->core[i].steps);
        free(cores->core[i].window);
    }
    free(cores->lines);
    free(cores->mshrs);
    free(cores->waiters);
    free(cores->misses);
    free(cores->hits);
    free(cores);
}

static bool read_core(struct cores *cores, struct core *core, const char *text)
{
    core->window = calloc((size_t)cores->depth, sizeof *core->window);
    while (text && *text) {
        struct step step = {0, 0, -1};
        long long bubbles, load, store;
        int const count = sscanf(text, "%lld %lld%*1[ ]%lld", &bubbles, &load, &store);

        if (count < 2 || !list_fit(&core->steps, core->count + 1, &core->room, sizeof step))
            return false;
        step.bubbles = bubbles;
        step.load = load;
        if (count == 3 && strchr(text, '\n') > strchr(strchr(text, ' ') + 1, ' ') && strchr(strchr(text, ' ') + 1, ' '))
            step.store = store;
        core->steps[core->count++] = step;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (core->count == 0 || !core->window)
        return false;
    next_step(core);
    return true;
}

struct command_front *command_cores_new(const json_t *front_end, char **texts, size_t count)
{
    struct cores *const cores = calloc(1, sizeof *cores);
    const char *const kind = json_string_value(json_object_get(front_end, "kind"));

    if (!cores || count < 1 || count > MOST_CORES) {
        free(cores);
        return NULL;
    }
    cores->front = (struct command_front){.tick = cores_tick, .is_finished = cores_are_finished,
                                          .throttled = cores_throttled,
                                          .stats = cores_stats, .free = cores_free, .sources = (uint32_t)count};
    cores->blacklists = strcmp(kind, "BHO3") == 0;
    cores->count = (uint32_t)count;
    cores->expected = command_number(front_end, "instructions", 0);
    cores->width = command_number(front_end, "width", 4);
    cores->depth = command_number(front_end, "window", 128);
    cores->latency = command_number(front_end, "llc_latency", 47);
    cores->line_bytes = command_number(front_end, "llc_line", 64);
    cores->ways = command_number(front_end, "llc_ways", 8);
    cores->mshrs_per_core = command_number(front_end, "llc_mshrs_per_core", 16);
    cores->mshr_limit = cores->mshrs_per_core * (int64_t)count;
    cores->modulo = (uint64_t)command_number(front_end, "translate_modulo", 1);
    cores->sets = (uint64_t)(command_number(front_end, "llc_bytes_per_core", 2 << 20) * (int64_t)count
                             / (cores->line_bytes * cores->ways));
    cores->index_shift = log2_down((uint64_t)cores->line_bytes);
    cores->tag_shift = cores->index_shift + log2_down(cores->sets);
    cores->lines = calloc(cores->sets * (uint64_t)cores->ways, sizeof *cores->lines);
    cores->mshrs = calloc((size_t)cores->mshr_limit + 1, sizeof *cores->mshrs);
    for (size_t i = 0; i < count; i++) {
        if (!cores->lines || !cores->mshrs || !read_core(cores, &cores->core[i], texts[i])) {
            cores_free(&cores->front);
            return NULL;
        }
    }
    return &cores->front;
}
