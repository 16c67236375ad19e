/* Modelled: gpu-traces 12.1 and 12.2: sectored and plain caches (sector_bytes == line_bytes), lines taken at the miss
 * or at the fill, all kinds of writes, lazy fetch with byte masks, LRU victims that spare modified lines, MSHRs by
 * sector with merges, atomics. Not modelled: data, FIFO replacement, ports; latency and queues are the owner's.
 *
 * A sector is absent, or some of: pending (a fetch will bring it), readable (a read hits), modified (a write or an
 * atomic changed it). A partly written sector is modified but not readable: a read of it misses and fetches. Where the
 * policy writes through, modified sectors are not written back, but still spared as victims, as in the reference.
 *
 * Write policies that keep nothing above the level below (read only, evict, and local_back_global_through for
 * addresses outside local memory) send the write and drop the sector; they never allocate.
 *
 * Lines of a set hang in two lists in order of their last access, clean ones and modified ones, so that a victim is
 * found at the head of one or the other; only lines with pending sectors are passed by. Lines are found by chained hash
 * tables: a GPU's L1 has hundreds of ways. So are outstanding sectors where lines are taken at the fill; else a line
 * knows the MSHRs of its pending sectors. */
#include "memsys/gpu/sector_cache.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "memsys/gpu/gpu_params.h"
#include "memsys/gpu/hash.h"
#include "memsys/gpu/sector_mshr.h"

#define NOTHING SECTOR_NO_MSHR             /* no line either */
#define MAX_TOKENS (UINT64_C(1) << 26)
#define MAX_LINES (UINT64_C(1) << 28)
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

enum { MAX_SECTORS = 32, NEAR_SECTORS = 4 };

struct line {
    uint64_t number;                     /* address / line_bytes */
    uint64_t last_access;
    uint32_t chain;                      /* next line of the bucket, or of the set's free ones */
    uint32_t older, newer;               /* in the list of clean or of modified lines */
    uint32_t pending, readable, modified;        /* sets of sectors */
    uint32_t mshrs[NEAR_SECTORS];        /* of pending sectors; see mshr_of */
};

struct line_list {
    uint32_t oldest, newest;
};

struct cache_set {
    struct line_list lists[2];           /* clean, modified */
    uint32_t fresh;                      /* ways from here on were not used since the cache was empty */
    uint32_t free;                       /* line */
};

struct sector_cache {
    struct sector_cache_params params;
    unsigned line_shift, sector_shift, sectors_shift;    /* sectors_shift: of sectors in a line */
    bool writes_back;
    bool has_owners;                     /* some access had one */
    uint64_t full_mask;                  /* of the bytes of a sector */
    uint64_t ways, clock, modified_lines;
    uint64_t modified_limit;             /* from that many modified lines on they are victims too */
    struct cache_index index;

    struct cache_set *sets;
    struct line *lines;
    uint64_t *byte_masks;                /* of sectors that are modified but not readable */
    void **owners;                       /* of modified sectors */
    uint32_t *buckets;                   /* of lines: some of each set */
    unsigned bucket_bits;                /* of a set */

    struct sector_mshrs mshrs;           /* found by address unless lines are taken at the miss */
    uint32_t modest_taken;               /* of them, by modest reads */
    bool has_split_mshrs;
    uint32_t *far_mshrs;                 /* for lines of more sectors than have their MSHRs in the line; else NULL */
};

/* --- set-up ------------------------------------------------------------------------------------------------------ */

static struct fault check_params(const struct sector_cache_params *params)
{
    uint64_t const sets = params->sets;

    if (!is_power_of_two(params->line_bytes) || !is_power_of_two(params->sector_bytes)
        || params->sector_bytes > params->line_bytes || params->line_bytes / params->sector_bytes > MAX_SECTORS)
        return fault_make(FAULT_INPUT, "line is %" PRIu64 " bytes and sector %" PRIu64 "; give powers of two, the "
                          "line 1 to %d sectors", params->line_bytes, params->sector_bytes, MAX_SECTORS);
    if (sets > MAX_LINES / params->ways)
        return fault_make(FAULT_INPUT, "sets x ways is %" PRIu64 " x %" PRIu64 " lines; give fewer", sets,
                          params->ways);
    if (params->merges > MAX_TOKENS / params->mshrs)
        return fault_make(FAULT_INPUT, "mshrs x merges is %" PRIu64 " x %" PRIu64 "; give fewer merges", params->mshrs,
                          params->merges);
    return fault_none();
}

static uint32_t mshr_count_of(const struct sector_cache_params *params)
{
    uint64_t const sectors = params->sets * params->ways * (params->line_bytes / params->sector_bytes);

    if (params->alloc != SECTOR_STREAMING)
        return (uint32_t)params->mshrs;
    return (uint32_t)max_u64(params->mshrs, min_u64(sectors, MAX_TOKENS / params->merges));
}

static void empty_sets(struct sector_cache *cache)
{
    static const struct cache_set empty = {{{NOTHING, NOTHING}, {NOTHING, NOTHING}}, 0, NOTHING};

    for (uint64_t set = 0; set < cache->params.sets; set++) {
        if (cache->sets[set].fresh == 0)
            continue;
        cache->sets[set] = empty;
        memset(&cache->buckets[set << cache->bucket_bits], 0xff, sizeof(uint32_t) << cache->bucket_bits);
    }
    cache->modified_lines = 0;
}

static struct fault sector_cache_allocate(struct sector_cache *cache)
{
    const struct sector_cache_params *const params = &cache->params;
    size_t const lines = params->sets * params->ways, sectors = lines << cache->sectors_shift;
    bool const has_far = UINT64_C(1) << cache->sectors_shift > NEAR_SECTORS;

    cache->sets = calloc(params->sets, sizeof *cache->sets);
    cache->lines = malloc(lines * sizeof *cache->lines);         /* filled in when taken */
    cache->byte_masks = calloc(sectors, sizeof *cache->byte_masks);
    cache->owners = calloc(sectors, sizeof *cache->owners);
    cache->buckets = malloc((params->sets * sizeof *cache->buckets) << cache->bucket_bits);
    if (has_far)
        cache->far_mshrs = malloc(sectors * sizeof *cache->far_mshrs);
    if (!cache->sets || !cache->lines || !cache->byte_masks || !cache->owners || !cache->buckets
        || (has_far && !cache->far_mshrs)
        || !sector_mshrs_init(&cache->mshrs, mshr_count_of(params), params->merges, cache->sector_shift,
                              params->alloc != SECTOR_ON_MISS))
        return fault_make(FAULT_MEMORY, "out of memory for a cache of %zu lines", lines);
    for (uint64_t set = 0; set < params->sets; set++)
        cache->sets[set].fresh = 1;              /* so that it is made empty */
    empty_sets(cache);
    return fault_none();
}

struct fault sector_cache_init(struct sector_cache **made, const struct sector_cache_params *params)
{
    struct sector_cache *cache;
    struct fault fault;

    *made = NULL;
    FORWARD(check_params(params));
    cache = calloc(1, sizeof *cache);
    if (!cache)
        return fault_make(FAULT_MEMORY, "out of memory for a cache");
    cache->params = *params;
    cache->line_shift = log2_up(params->line_bytes);
    cache->sector_shift = log2_up(params->sector_bytes);
    cache->sectors_shift = cache->line_shift - cache->sector_shift;
    cache->writes_back = params->write == SECTOR_WRITE_BACK || params->write == SECTOR_LOCAL_BACK_GLOBAL_THROUGH;
    cache->full_mask = params->sector_bytes >= 64 ? UINT64_MAX : (UINT64_C(1) << params->sector_bytes) - 1;
    cache->bucket_bits = log2_up(params->ways);
    fault = set_index_init(&cache->index, params);
    if (fault.kind == FAULT_NONE)
        fault = sector_cache_allocate(cache);
    if (fault.kind != FAULT_NONE) {
        sector_cache_free(cache);
        return fault;
    }
    sector_cache_set_ways(cache, params->ways);
    *made = cache;
    return fault_none();
}

void sector_cache_free(struct sector_cache *cache)
{
    if (!cache)
        return;
    free(cache->sets);
    free(cache->lines);
    free(cache->byte_masks);
    free(cache->owners);
    free(cache->buckets);
    free(cache->far_mshrs);
    sector_mshrs_free(&cache->mshrs);
    free(cache);
}

void sector_cache_split_mshrs(struct sector_cache *cache)
{
    cache->has_split_mshrs = true;
}

void sector_cache_set_ways(struct sector_cache *cache, uint64_t ways)
{
    assert(ways >= 1 && ways <= cache->params.ways && cache->mshrs.taken == 0);
    cache->ways = ways;
    cache->modified_limit = (cache->params.dirty_percent * cache->params.sets * ways + 99) / 100;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

static uint64_t sector_cache_set_of(const struct sector_cache *cache, uint64_t number)
{
    return set_index_of(&cache->index, number);
}

static uint64_t hash_bits(uint64_t value, unsigned bits)
{
    return bits == 0 ? 0 : value * HASH_FACTOR >> (64 - bits);
}

static unsigned sector_of(const struct sector_cache *cache, uint64_t address)
{
    return (unsigned)(address >> cache->sector_shift) & ((1u << cache->sectors_shift) - 1);
}

static uint32_t *line_bucket(const struct sector_cache *cache, uint64_t set, uint64_t number)
{
    return &cache->buckets[(set << cache->bucket_bits) + hash_bits(number, cache->bucket_bits)];
}

static uint32_t find_line(const struct sector_cache *cache, uint64_t set, uint64_t number)
{
    uint32_t at = *line_bucket(cache, set, number);

    while (at != NOTHING && cache->lines[at].number != number)
        at = cache->lines[at].chain;
    return at;
}

static struct line_list *list_of(struct cache_set *set, const struct line *line)
{
    return &set->lists[line->modified != 0];
}

static void unlink_line(struct sector_cache *cache, struct line_list *list, struct line *line)
{
    *(line->older == NOTHING ? &list->oldest : &cache->lines[line->older].newer) = line->newer;
    *(line->newer == NOTHING ? &list->newest : &cache->lines[line->newer].older) = line->older;
}

/* Into its place by last access, which is near the newest. */
static void link_line(struct sector_cache *cache, struct line_list *list, struct line *line)
{
    uint32_t const at = (uint32_t)(line - cache->lines);
    uint32_t older = list->newest;

    while (older != NOTHING && cache->lines[older].last_access > line->last_access)
        older = cache->lines[older].older;
    line->older = older;
    line->newer = older == NOTHING ? list->oldest : cache->lines[older].newer;
    *(line->older == NOTHING ? &list->oldest : &cache->lines[line->older].newer) = at;
    *(line->newer == NOTHING ? &list->newest : &cache->lines[line->newer].older) = at;
}

/* All changes of `modified` go through here; is_access: the line is the newest from here on. */
static void set_modified(struct sector_cache *cache, uint64_t set, struct line *line, uint32_t modified, bool is_access)
{
    struct line_list *const list = list_of(&cache->sets[set], line);
    bool const moves = (modified != 0) != (line->modified != 0);

    if (is_access)
        line->last_access = ++cache->clock;
    if (moves || (is_access && line->newer != NOTHING)) {
        unlink_line(cache, list, line);
        if (moves)
            cache->modified_lines += modified != 0 ? UINT64_C(1) : UINT64_MAX;
        line->modified = modified;
        link_line(cache, list_of(&cache->sets[set], line), line);
    } else {
        line->modified = modified;
    }
}

static void touch_line(struct sector_cache *cache, uint64_t set, struct line *line)
{
    set_modified(cache, set, line, line->modified, true);
}

static uint32_t oldest_idle(const struct sector_cache *cache, const struct line_list *list)
{
    uint32_t at = list->oldest;

    while (at != NOTHING && cache->lines[at].pending != 0)
        at = cache->lines[at].newer;
    return at;
}

static uint64_t pending_lines(const struct sector_cache *cache, const struct cache_set *set)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < 2; i++)
        for (uint32_t at = set->lists[i].oldest; at != NOTHING; at = cache->lines[at].newer)
            count += cache->lines[at].pending != 0;
    return count;
}

/* A line to use for another address: a free one, else a victim; NOTHING if all are pending, or modified ones must be
 * spared and a pending one may soon be clean, which the first do not wait for. */
static uint32_t find_room(const struct sector_cache *cache, const struct cache_set *set, bool is_first)
{
    uint32_t clean, modified;

    if (set->free != NOTHING)
        return set->free;
    if (set->fresh < cache->ways)
        return (uint32_t)((uint64_t)(set - cache->sets) * cache->params.ways + set->fresh);
    clean = oldest_idle(cache, &set->lists[0]);
    if (clean != NOTHING && cache->modified_lines < cache->modified_limit)
        return clean;
    modified = oldest_idle(cache, &set->lists[1]);
    if (!is_first && cache->modified_lines < cache->modified_limit && pending_lines(cache, set) > 0)
        return NOTHING;
    if (clean == NOTHING || modified == NOTHING)
        return clean == NOTHING ? modified : clean;
    return cache->lines[clean].last_access < cache->lines[modified].last_access ? clean : modified;
}

static uint64_t line_address(const struct sector_cache *cache, const struct line *line)
{
    return line->number << cache->line_shift;
}

static void **sector_cache_owner_of(const struct sector_cache *cache, const struct line *line, unsigned sector)
{
    return &cache->owners[((size_t)(line - cache->lines) << cache->sectors_shift) + sector];
}

static uint64_t *byte_mask_of(const struct sector_cache *cache, const struct line *line, unsigned sector)
{
    return &cache->byte_masks[((size_t)(line - cache->lines) << cache->sectors_shift) + sector];
}

static struct sector_send write_back_of(const struct sector_cache *cache, const struct line *line, unsigned sector)
{
    return (struct sector_send){.address = line_address(cache, line) + ((uint64_t)sector << cache->sector_shift),
                                .bytes = (uint32_t)cache->params.sector_bytes, .is_write = true,
                                .is_write_back = true, .owner = *sector_cache_owner_of(cache, line, sector)};
}

/* Out of its list and its bucket. */
static void drop_line(struct sector_cache *cache, uint64_t set, struct line *line)
{
    uint32_t *link = line_bucket(cache, set, line->number);

    while (*link != (uint32_t)(line - cache->lines))
        link = &cache->lines[*link].chain;
    *link = line->chain;
    cache->modified_lines -= line->modified != 0;
    unlink_line(cache, list_of(&cache->sets[set], line), line);
}

static void free_line(struct sector_cache *cache, uint64_t set, struct line *line)
{
    drop_line(cache, set, line);
    line->chain = cache->sets[set].free;
    cache->sets[set].free = (uint32_t)(line - cache->lines);
}

/* `at` comes from find_room; the old line goes to `result` if it must be written back. */
static struct line *sector_cache_take_line(struct sector_cache *cache, uint64_t set, uint32_t at, uint64_t number,
                                           struct sector_result *result)
{
    struct cache_set *const of = &cache->sets[set];
    struct line *const line = &cache->lines[at];
    uint32_t *const bucket = line_bucket(cache, set, number);

    if (at == of->free) {
        of->free = line->chain;
    } else if (of->fresh < cache->ways) {
        of->fresh++;
    } else {
        for (uint32_t left = cache->writes_back && result ? line->modified : 0; left != 0; left &= left - 1)
            result->sends[result->send_count++] = write_back_of(cache, line, (unsigned)__builtin_ctz(left));
        drop_line(cache, set, line);
    }
    *line = (struct line){.number = number, .last_access = ++cache->clock, .chain = *bucket};
    *bucket = at;
    link_line(cache, &of->lists[0], line);
    return line;
}

/* --- outstanding sectors ----------------------------------------------------------------------------------------- */

/* Where a line has the MSHR of a pending sector. */
static uint32_t *mshr_of(const struct sector_cache *cache, struct line *line, unsigned sector)
{
    return cache->far_mshrs ? &cache->far_mshrs[((size_t)(line - cache->lines) << cache->sectors_shift) + sector]
                            : &line->mshrs[sector];
}

/* `line`: where it goes, if there is such a line. */
static uint32_t find_mshr(const struct sector_cache *cache, uint64_t address, struct line *line)
{
    unsigned const sector = sector_of(cache, address);

    if (cache->mshrs.buckets)
        return cache->mshrs.taken == 0 ? NOTHING : sector_mshrs_find(&cache->mshrs, address);
    return line && line->pending >> sector & 1 ? *mshr_of(cache, line, sector) : NOTHING;
}

static bool has_mshr_room(const struct sector_cache *cache, uint32_t found, bool waits, bool is_modest)
{
    uint32_t const taken = is_modest ? cache->modest_taken : cache->mshrs.taken - cache->modest_taken;

    if (found == NOTHING)
        return taken < (cache->has_split_mshrs ? cache->mshrs.capacity / 2 : cache->mshrs.capacity);
    return !waits || sector_mshr_at(&cache->mshrs, found)->count < cache->params.merges;
}

/* There is room. `found`: of find_mshr; a new one is made for NOTHING. `line`: that the sector goes to, if it is taken
 * already. */
static void wait_for_sector(struct sector_cache *cache, const struct sector_access *access, uint32_t found,
                            struct line *line)
{
    struct sector_mshr *mshr;

    if (found == NOTHING) {
        found = sector_mshrs_take(&cache->mshrs, access->address);
        sector_mshr_at(&cache->mshrs, found)->is_modest = access->is_modest;
        cache->modest_taken += access->is_modest;
        if (!cache->mshrs.buckets)
            *mshr_of(cache, line, sector_of(cache, access->address)) = found;
    }
    if (access->is_write)
        return;
    mshr = sector_mshr_at(&cache->mshrs, found);
    mshr->tokens[mshr->count++] = access->token;
    if (access->is_atomic) {
        mshr->has_atomic = true;
        mshr->owner = access->owner;
    }
}

/* --- accesses ---------------------------------------------------------------------------------------------------- */

/* An access and the results of its look-ups. */
struct lookup {
    const struct sector_access *access;
    struct sector_result *result;
    uint64_t number, set;
    uint32_t line, mshr;                 /* NOTHING: none */
    unsigned sector;
    uint32_t bit;                        /* of the sector in its line's sets */
    unsigned room;                       /* for sends */
};

/* Room for `count` sends, or for as many as the queue can ever take. */
static bool sector_cache_has_room(const struct sector_cache *cache, const struct lookup *lookup, unsigned count)
{
    return lookup->room >= count || lookup->room >= cache->params.miss_queue;
}

static void sector_cache_send(const struct sector_cache *cache, const struct lookup *lookup, bool is_write)
{
    struct sector_send *const to = &lookup->result->sends[lookup->result->send_count++];
    uint64_t const granule = cache->params.sector_bytes > 64 ? cache->params.sector_bytes / 64 : 1;

    *to = (struct sector_send){.address = lookup->access->address, .bytes = (uint32_t)cache->params.sector_bytes,
                               .mshr = is_write ? NOTHING : sector_mshrs_next(&cache->mshrs),
                               .is_write = is_write, .owner = lookup->access->owner};
    if (is_write)
        to->bytes = (uint32_t)((uint64_t)__builtin_popcountll(lookup->access->byte_mask) * granule);
}

static void set_owner(struct sector_cache *cache, const struct line *line, unsigned sector, void *owner)
{
    cache->has_owners = cache->has_owners || owner;
    if (cache->has_owners)
        *sector_cache_owner_of(cache, line, sector) = owner;
}

/* The sector is changed from here on: by a write of these bytes, which makes it readable if all are there. */
static void modify(struct sector_cache *cache, const struct lookup *lookup, struct line *line)
{
    uint64_t bytes = lookup->access->byte_mask & cache->full_mask;

    if (bytes == cache->full_mask) {
        line->readable |= lookup->bit;
    } else if (!(line->readable & lookup->bit)) {
        uint64_t *const mask = byte_mask_of(cache, line, lookup->sector);

        *mask = bytes |= line->modified & lookup->bit ? *mask : 0;
        if (bytes == cache->full_mask)
            line->readable |= lookup->bit;
    }
    set_owner(cache, line, lookup->sector, lookup->access->owner);
    set_modified(cache, lookup->set, line, line->modified | lookup->bit, true);
}

static enum sector_outcome outcome_of(const struct sector_cache *cache, const struct lookup *lookup)
{
    const struct line *const line = &cache->lines[lookup->line];

    if (lookup->line == NOTHING)
        return lookup->mshr == NOTHING ? SECTOR_MISS : SECTOR_HIT_RESERVED;
    if (line->readable & lookup->bit)
        return SECTOR_HIT;
    if (lookup->mshr != NOTHING)
        return SECTOR_HIT_RESERVED;
    return lookup->access->is_write && line->modified & lookup->bit ? SECTOR_HIT : SECTOR_SECTOR_MISS;
}

/* The line for the access, its own or a victim; NOTHING if all are in use. `victim_sends`: whether the victim must be
 * written back. */
static uint32_t line_for(const struct sector_cache *cache, const struct lookup *lookup, bool *victim_sends)
{
    uint32_t at = lookup->line;

    *victim_sends = false;
    if (at == NOTHING) {
        const struct cache_set *const set = &cache->sets[lookup->set];

        if (lookup->access->is_modest && pending_lines(cache, set) + 1 >= cache->ways)
            return NOTHING;
        at = find_room(cache, set, lookup->access->is_first);
        *victim_sends = at != NOTHING && at != set->free && set->fresh == cache->ways && cache->writes_back
                        && cache->lines[at].modified != 0;
    }
    return at;
}

/* A read of a sector that is not there. */
static bool read_absent(struct sector_cache *cache, struct lookup *lookup)
{
    struct sector_result *const result = lookup->result;
    struct line *line = NULL;
    bool victim_sends = false;
    uint32_t at = lookup->line;

    if (cache->params.alloc == SECTOR_ON_MISS)
        at = line_for(cache, lookup, &victim_sends);
    if ((cache->params.alloc == SECTOR_ON_MISS && at == NOTHING)
        || !has_mshr_room(cache, lookup->mshr, true, lookup->access->is_modest)
        || !sector_cache_has_room(cache, lookup, (lookup->mshr == NOTHING ? 1u : 0u) + victim_sends))
        return false;
    if (lookup->mshr == NOTHING)
        sector_cache_send(cache, lookup, false);
    if (at != NOTHING && lookup->line == NOTHING)
        line = sector_cache_take_line(cache, lookup->set, at, lookup->number, result);
    else if (at != NOTHING)
        touch_line(cache, lookup->set, line = &cache->lines[at]);
    wait_for_sector(cache, lookup->access, lookup->mshr, line);
    if (cache->params.alloc == SECTOR_ON_MISS)
        line->pending |= lookup->bit;
    result->is_waiting = true;
    return true;
}

static bool read_sector(struct sector_cache *cache, struct lookup *lookup)
{
    struct line *line;

    if (lookup->result->outcome != SECTOR_HIT)
        return read_absent(cache, lookup);
    line = &cache->lines[lookup->line];
    if (lookup->access->is_atomic)
        modify(cache, lookup, line);
    else
        touch_line(cache, lookup->set, line);
    return true;
}

/* The write goes down; nothing stays here. */
static bool write_around(struct sector_cache *cache, struct lookup *lookup, bool evicts)
{
    if (!sector_cache_has_room(cache, lookup, 1))
        return false;
    sector_cache_send(cache, lookup, true);
    if (evicts && lookup->line != NOTHING) {
        struct line *const line = &cache->lines[lookup->line];

        line->readable &= ~lookup->bit;
        set_modified(cache, lookup->set, line, line->modified & ~lookup->bit, true);
        if ((line->readable | line->modified | line->pending) == 0)
            free_line(cache, lookup->set, line);
    }
    return true;
}

/* Allocates the sector for a write; is_fetched: also fetches the bytes that the write leaves out, without a request
 * waiting for them. */
static bool write_allocate(struct sector_cache *cache, struct lookup *lookup, bool is_sent, bool is_fetched,
                           bool is_modified)
{
    bool victim_sends;
    uint32_t const at = line_for(cache, lookup, &victim_sends);
    struct line *line;

    is_fetched = is_fetched && lookup->mshr == NOTHING;
    if (at == NOTHING || (is_fetched && !has_mshr_room(cache, NOTHING, false, false))
        || !sector_cache_has_room(cache, lookup, (unsigned)is_sent + is_fetched + victim_sends))
        return false;
    if (is_sent)
        sector_cache_send(cache, lookup, true);
    if (is_fetched)
        sector_cache_send(cache, lookup, false);
    line = &cache->lines[at];
    if (lookup->line == NOTHING)
        line = sector_cache_take_line(cache, lookup->set, at, lookup->number, lookup->result);
    if (is_fetched) {
        wait_for_sector(cache, lookup->access, NOTHING, line);
        line->pending |= lookup->bit;
    }
    if (is_modified)
        modify(cache, lookup, line);
    else
        touch_line(cache, lookup->set, line);
    return true;
}

/* A write of a sector that is not there, or not whole. */
static bool write_miss(struct sector_cache *cache, struct lookup *lookup)
{
    bool const is_through = cache->params.write == SECTOR_WRITE_THROUGH;
    bool const is_whole = (lookup->access->byte_mask & cache->full_mask) == cache->full_mask;

    switch (cache->params.write_miss) {
    case SECTOR_FETCH_AND_WRITE:
        return write_allocate(cache, lookup, true, true, false);
    case SECTOR_FETCH_ON_WRITE:
        return write_allocate(cache, lookup, is_through, !is_whole, true);
    case SECTOR_LAZY_FETCH:
        return write_allocate(cache, lookup, is_through, false, true);
    default:
        return write_around(cache, lookup, false);
    }
}

static bool write_sector(struct sector_cache *cache, struct lookup *lookup)
{
    switch (cache->params.write) {
    case SECTOR_READ_ONLY:
    case SECTOR_WRITE_EVICT:
        return write_around(cache, lookup, true);
    case SECTOR_LOCAL_BACK_GLOBAL_THROUGH:
        if (!lookup->access->is_local)
            return write_around(cache, lookup, true);
        break;
    default:
        break;
    }
    if (lookup->result->outcome != SECTOR_HIT)
        return write_miss(cache, lookup);
    if (cache->params.write == SECTOR_WRITE_THROUGH) {
        if (!sector_cache_has_room(cache, lookup, 1))
            return false;
        sector_cache_send(cache, lookup, true);
    }
    modify(cache, lookup, &cache->lines[lookup->line]);
    return true;
}

static struct lookup sector_cache_look_up(const struct sector_cache *cache, const struct sector_access *access,
                                          unsigned room, struct sector_result *result)
{
    uint64_t const number = access->address >> cache->line_shift;
    uint64_t const set = sector_cache_set_of(cache, number);
    unsigned const sector = sector_of(cache, access->address);
    uint32_t const line = find_line(cache, set, number);

    return (struct lookup){.access = access, .result = result, .number = number, .set = set, .line = line,
                           .mshr = find_mshr(cache, access->address, line == NOTHING ? NULL : &cache->lines[line]),
                           .sector = sector, .bit = UINT32_C(1) << sector, .room = room};
}

const void *sector_cache_line_at(const struct sector_cache *cache, uint64_t address)
{
    uint64_t const number = address >> cache->line_shift;
    uint32_t const at = *line_bucket(cache, sector_cache_set_of(cache, number), number);

    return at == NOTHING ? NULL : &cache->lines[at];
}

const void *sector_cache_mshr_at(const struct sector_cache *cache, uint32_t mshr)
{
    return sector_mshr_at(&cache->mshrs, mshr);
}

void sector_cache_access(struct sector_cache *cache, const struct sector_access *access, unsigned miss_room,
                         struct sector_result *result)
{
    struct lookup lookup = sector_cache_look_up(cache, access, miss_room, result);
    bool is_done;

    assert((access->address & (cache->params.sector_bytes - 1)) == 0);
    result->is_waiting = false;
    result->send_count = 0;
    result->outcome = outcome_of(cache, &lookup);
    is_done = access->is_write ? write_sector(cache, &lookup) : read_sector(cache, &lookup);
    if (!is_done)
        result->outcome = SECTOR_RESERVATION_FAIL;
}

/* A line for a sector that is there from now on; NULL if there is no room. `at`: the line, if there is one already. */
static struct line *line_to_fill(struct sector_cache *cache, uint64_t set, uint64_t number, uint32_t at,
                                 struct sector_result *result)
{
    if (at != NOTHING)
        return &cache->lines[at];
    at = find_room(cache, &cache->sets[set], false);
    return at == NOTHING ? NULL : sector_cache_take_line(cache, set, at, number, result);
}

unsigned sector_cache_fill(struct sector_cache *cache, uint64_t address, uint64_t *tokens,
                           struct sector_result *result)
{
    uint64_t const number = address >> cache->line_shift, set = sector_cache_set_of(cache, number);
    uint32_t const found = find_line(cache, set, number);
    uint32_t const at = find_mshr(cache, address, found == NOTHING ? NULL : &cache->lines[found]);
    unsigned const sector = sector_of(cache, address);
    const struct sector_mshr *const mshr = sector_mshr_at(&cache->mshrs, at);
    struct line *line;

    assert(at != NOTHING);
    result->outcome = SECTOR_HIT;
    result->is_waiting = false;
    result->send_count = 0;
    line = line_to_fill(cache, set, number, found, result);
    if (line) {
        line->pending &= ~(UINT32_C(1) << sector);
        line->readable |= UINT32_C(1) << sector;
        if (mshr->has_atomic) {
            set_owner(cache, line, sector, mshr->owner);
            set_modified(cache, set, line, line->modified | UINT32_C(1) << sector, false);
        }
    }
    memcpy(tokens, mshr->tokens, mshr->count * sizeof *tokens);
    cache->modest_taken -= mshr->is_modest;
    sector_mshrs_give(&cache->mshrs, at);
    return mshr->count;
}

void sector_cache_preload(struct sector_cache *cache, uint64_t address)
{
    uint64_t const number = address >> cache->line_shift, set = sector_cache_set_of(cache, number);
    uint32_t const bit = UINT32_C(1) << sector_of(cache, address);
    struct line *const line = line_to_fill(cache, set, number, find_line(cache, set, number), NULL);

    if (line && !(line->pending & bit))
        line->readable |= bit;
}

void sector_cache_drop(struct sector_cache *cache, uint64_t address)
{
    uint64_t const number = address >> cache->line_shift, set = sector_cache_set_of(cache, number);
    uint32_t const at = find_line(cache, set, number);
    struct line *const line = at == NOTHING ? NULL : &cache->lines[at];

    if (!line)
        return;
    line->readable &= ~(UINT32_C(1) << sector_of(cache, address) & ~line->modified);
    if (line->readable == 0 && line->pending == 0 && line->modified == 0)
        free_line(cache, set, line);
}

void sector_cache_flush(struct sector_cache *cache, void (*send_one)(void *context, const struct sector_send *send),
                        void *context)
{
    bool const writes = send_one && cache->writes_back && cache->modified_lines > 0;

    assert(cache->mshrs.taken == 0);
    for (uint64_t set = 0; writes && set < cache->params.sets; set++)
        for (uint32_t at = cache->sets[set].lists[1].oldest; at != NOTHING; at = cache->lines[at].newer)
            for (uint32_t left = cache->lines[at].modified; left != 0; left &= left - 1) {
                struct sector_send const send = write_back_of(cache, &cache->lines[at], (unsigned)__builtin_ctz(left));

                send_one(context, &send);
            }
    empty_sets(cache);
}

uint64_t sector_cache_outstanding(const struct sector_cache *cache)
{
    return cache->mshrs.taken;
}
