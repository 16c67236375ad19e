/* Best-offset prefetcher (BOP): which single offset would have been timely most often?
 *
 * Source: Michaud, "Best-offset hardware prefetching", HPCA 2016. A table remembers recent requests that were
 * complete in time: the base address of each prefetch, written when its line has come in. Each access X tests one
 * offset d of the list: if X - d is in the table, a prefetch of X at that time would have been timely, and d scores.
 * After enough rounds the offset with the best score becomes the one that prefetches, or none does if even the best
 * is bad.
 *
 * From the paper, section 4.1 (prefetching, recent requests, learning), 4.2 (list), 4.3 (turning off), table 2
 * (values): 256 entries, direct mapped by the low 8 bits of the line number xor the next 8, with tags of 12 bits from
 * bit 8 on; scores of 5 bits (31 ends a phase), at most 100 rounds, a best score of 1 or less turns off; 52 offsets,
 * 1 to 256 without prime factors above 5; offset 1 at first. A phase ends with a round, never within. Trained by
 * misses and first hits on prefetched lines; a prefetch that a demand joined counts as one that came in. While off,
 * every line that comes in is its own base. X, X - d and X + d lie in one page: with pages of 4 KiB the long offsets
 * of the list are tested but never score.
 *
 * The paper's text could not be found: sections and table are from memory. The list of offsets, the learning, the end
 * of a phase and the turning off agree with study notes on the paper and with quotations of it; the values with
 * implementations that name it, and with Michaud's own program of the year before (2nd Data Prefetching Championship:
 * two banks, negative offsets). Choice: among equal scores the shortest offset wins. Not modelled: 4 MiB pages, the
 * delay queue of the championship's version, prefetching into one level only. degree: how many multiples of the offset
 * are fetched (the paper: 1). */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

enum {
    RECENT_ENTRIES = 256, TAG_BITS = 12, SCORE_MAX = 31, ROUND_MAX = 100, BAD_SCORE = 1, LONGEST_OFFSET = 256,
    OFFSETS = 52
};

struct best_offset {
    uint16_t recent[RECENT_ENTRIES];     /* tags + 1; 0: empty */
    uint16_t offsets[OFFSETS];           /* the list, rising */
    uint8_t scores[OFFSETS];
    uint32_t next;                       /* place in the list of the offset to be tested next */
    uint32_t round;
    uint32_t offset;                     /* that prefetches, in lines; 0: none does */
};

static bool is_product_of_2_3_5(unsigned number)
{
    static const unsigned primes[] = {2, 3, 5};

    for (unsigned i = 0; i < 3; i++)
        while (number % primes[i] == 0)
            number /= primes[i];
    return number == 1;
}

static void bop_start(struct prefetcher *prefetcher)
{
    struct best_offset *const best = prefetcher->own;
    unsigned count = 0;

    for (unsigned offset = 1; offset <= LONGEST_OFFSET; offset++)
        if (is_product_of_2_3_5(offset))
            best->offsets[count++] = (uint16_t)offset;
    assert(count == OFFSETS);
    best->offset = 1;
}

/* ---- table of recent requests, direct mapped */
static uint16_t *recent_entry(struct best_offset *best, uint64_t line)
{
    return &best->recent[(line ^ (line >> 8)) % RECENT_ENTRIES];
}

static uint16_t recent_tag(uint64_t line)
{
    return (uint16_t)(((line >> 8) & ((1u << TAG_BITS) - 1)) + 1);
}

static bool is_recent(struct best_offset *best, uint64_t line)
{
    return *recent_entry(best, line) == recent_tag(line);
}

/* ---- learning */
static void end_phase(struct best_offset *best)
{
    uint32_t winner = 0;

    for (uint32_t i = 1; i < OFFSETS; i++)
        if (best->scores[i] > best->scores[winner])
            winner = i;
    best->offset = best->scores[winner] > BAD_SCORE ? best->offsets[winner] : 0;
    for (uint32_t i = 0; i < OFFSETS; i++)
        best->scores[i] = 0;
    best->round = 0;
}

static bool has_top_score(const struct best_offset *best)
{
    for (uint32_t i = 0; i < OFFSETS; i++)
        if (best->scores[i] >= SCORE_MAX)
            return true;
    return false;
}

/* A phase ends with the round in which a score reached its maximum, or with the last round. */
static void test_next_offset(struct best_offset *best, uint64_t line, uint32_t page_line)
{
    uint32_t const offset = best->offsets[best->next];

    if (page_line >= offset && is_recent(best, line - offset) && best->scores[best->next] < SCORE_MAX)
        best->scores[best->next]++;
    if (++best->next < OFFSETS)
        return;
    best->next = 0;
    if (++best->round == ROUND_MAX || has_top_score(best))
        end_phase(best);
}

static void bop_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    struct best_offset *const best = prefetcher->own;

    test_next_offset(best, access->line_address >> prefetcher->sim->line_shift,
                     prefetch_page_line(prefetcher, access->line_address));
    for (uint64_t i = 1; best->offset && i <= prefetcher->degree; i++)
        prefetcher_propose(prefetcher, access->line_address + ((i * best->offset) << prefetcher->sim->line_shift));
}

/* While prefetching is off, every filled line is its own base, so that learning continues. */
static void filled(struct prefetcher *prefetcher, uint64_t line_address, bool by_prefetch)
{
    struct best_offset *const best = prefetcher->own;
    uint64_t const line = line_address >> prefetcher->sim->line_shift;

    if (!best->offset)
        *recent_entry(best, line) = recent_tag(line);
    else if (by_prefetch && prefetch_page_line(prefetcher, line_address) >= best->offset)
        *recent_entry(best, line - best->offset) = recent_tag(line - best->offset);
}

const struct prefetcher_ops prefetch_bop = {
    .name = "bop", .own_bytes = sizeof(struct best_offset), .degree = 1, .training = PREFETCH_TRAINING_FIRST_HITS,
    .start = bop_start, .train = bop_train, .filled = filled
};
