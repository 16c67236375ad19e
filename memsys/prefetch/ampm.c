/* Access map pattern matching (AMPM): strides found in a map of the lines that were touched, independent of their
 * order.
 *
 * Source: Ishii, Inaba, Hiraki, "Access map pattern matching for data cache prefetch", ICS 2009; "Access map pattern
 * matching for high performance data cache prefetch", JILP 13, 2011. Each line of a zone is in one of four states:
 * init, accessed, prefetched, successful (prefetched, then accessed). At an access to line t, line t + k is a candidate
 * if it is init, t - k was accessed, and so was t - 2k or t - 2k - 1 (a stride that is no multiple of the line);
 * t - k likewise if t + k and t + 2k or t + 2k + 1 were. Small k first.
 *
 * The example in the JILP paper (lines 1, 3, 4, then 5 give 6 and 7), the states, the rule and the three maps were
 * confirmed by study notes on the paper; its text was not at hand. The rule in both directions ("-2k - 1", too), 52
 * maps of 256 lines, least recently used replaced, are those of the authors' own program for the 1st Data Prefetching
 * Championship. gem5 takes 2k + 1, not -2k - 1, for candidates above t as well. Two lines in each direction, none
 * twice: the simplified program of the 2nd championship.
 *
 * A zone here is a page, for a candidate never leaves it, and there are as many as cover the memory of 52 maps of 16
 * KiB. A line that the cache loses is init again, or a cache smaller than the maps would never fetch it a second time.
 * Not modelled: the degree that adapts to accuracy, coverage and bandwidth in each epoch of 256000 cycles (a number
 * from memory), maps that look into neighbouring zones, prefetched lines that count as accessed while most prefetches
 * are used (the authors' program does so). degree: lines in each direction. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

enum { ZONES = 208, MAP_WORDS = PREFETCH_PAGE_LINES / 64 };

/* Accessed covers the paper's states accessed and successful; init is neither. */
struct access_map {
    uint64_t page;                       /* number + 1; 0: free */
    uint64_t last_use;
    uint64_t accessed[MAP_WORDS], prefetched[MAP_WORDS];
};

struct access_maps {
    struct access_map zones[ZONES];
    uint64_t uses;
    uint32_t latest;                     /* the zone of the access before */
};

static bool has(const uint64_t *map, uint32_t line)
{
    return (map[line / 64] >> (line % 64) & 1) != 0;
}

static void mark(uint64_t *map, uint32_t line)
{
    map[line / 64] |= UINT64_C(1) << (line % 64);
}

static void unmark(uint64_t *map, uint32_t line)
{
    map[line / 64] &= ~(UINT64_C(1) << (line % 64));
}

static struct access_map *find_zone(struct access_maps *maps, uint64_t page)
{
    uint32_t found = maps->latest;

    for (uint32_t i = 0; maps->zones[found].page != page && i < ZONES; i++)
        if (maps->zones[i].page == page)
            found = i;
    if (maps->zones[found].page != page) {
        for (uint32_t i = 0; i < ZONES; i++)
            if (maps->zones[i].last_use < maps->zones[found].last_use)
                found = i;
        maps->zones[found] = (struct access_map){.page = page};
    }
    maps->zones[found].last_use = ++maps->uses;
    maps->latest = found;
    return &maps->zones[found];
}

/* False outside the page. */
static bool was_accessed(const struct access_map *zone, int64_t line, int64_t offset, int64_t lines)
{
    return line + offset >= 0 && line + offset < lines && has(zone->accessed, (uint32_t)(line + offset));
}

/* Lines in the direction of `sign`, nearest first. */
static void match(struct prefetcher *prefetcher, struct access_map *zone, const struct prefetch_access *access,
                  int sign)
{
    int64_t const lines = prefetch_page_lines(prefetcher);
    int64_t const line = prefetch_page_line(prefetcher, access->address);
    uint32_t found = 0;

    for (int64_t k = 1; k < lines && found < prefetcher->degree; k++) {
        int64_t const target = line + sign * k;

        if (target < 0 || target >= lines)
            break;
        if (!was_accessed(zone, line, -sign * k, lines)
            || !(was_accessed(zone, line, -2 * sign * k, lines)
                 || was_accessed(zone, line, -sign * (2 * k + 1), lines)))
            continue;
        if (has(zone->accessed, (uint32_t)target) || has(zone->prefetched, (uint32_t)target))
            continue;
        found++;
        mark(zone->prefetched, (uint32_t)target);
        prefetcher_propose(prefetcher, access->line_address + ((uint64_t)(sign * k) << prefetcher->sim->line_shift));
    }
}

static void ampm_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    struct access_map *const zone = find_zone(prefetcher->own, (access->address >> PREFETCH_PAGE_SHIFT) + 1);

    mark(zone->accessed, prefetch_page_line(prefetcher, access->address));
    match(prefetcher, zone, access, 1);
    match(prefetcher, zone, access, -1);
}

static void lost(struct prefetcher *prefetcher, uint64_t line_address)
{
    struct access_maps *const maps = prefetcher->own;
    uint64_t const page = (line_address >> PREFETCH_PAGE_SHIFT) + 1;
    uint32_t const line = prefetch_page_line(prefetcher, line_address);

    for (uint32_t i = 0; i < ZONES; i++)
        if (maps->zones[i].page == page) {
            unmark(maps->zones[i].accessed, line);
            unmark(maps->zones[i].prefetched, line);
            break;
        }
}

const struct prefetcher_ops prefetch_ampm = {
    .name = "ampm", .own_bytes = sizeof(struct access_maps), .degree = 2, .training = PREFETCH_TRAINING_ACCESSES,
    .train = ampm_train, .lost = lost
};
