/* Snoop filter: which CPU-side ports of a crossbar hold a line, or have requested it (classic-memory 5.6).
 *
 * Use: snoop_filter_request before a request is passed on, snoop_filter_finish after; the other functions when the
 * crossbar sees what they are named after. Ports are bits of a mask: bit i is CPU-side port i.
 * Lines are numbers (address >> line_shift, ADDRESS_SECURE included): a secure line is not the other one.
 *
 * Ownership: the table is the filter's. It grows when five eighths are taken and never shrinks, so a run stops
 * allocating when the caches above are warm. Entries are short, a word, until a line or port comes that does not fit;
 * then all become long. Growth may be sim_out_of_memory. */
#ifndef MEMSYS_NOC_SNOOP_FILTER_H
#define MEMSYS_NOC_SNOOP_FILTER_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "memsys/sim/packet.h"

#define SNOOP_FILTER_PORTS 64

/* Masks of ports. Both 0: no entry. */
struct snoop_filter_entry {
    uint64_t requested, holders;
};

/* Refused and repeated requests count again. */
struct snoop_filter_stats {
    uint64_t tot_requests;           /* requests that found or made an entry */
    uint64_t hit_single_requests;    /* those that found one with one port in it (the requester counts) */
    uint64_t hit_multi_requests;     /* those that found one with several */
    uint64_t tot_snoops;             /* snoops from below of lines with an entry */
    uint64_t hit_single_snoops, hit_multi_snoops;
};

struct snoop_filter {
    uint64_t *words;                 /* open addressing, capacity a power of two; see the source */
    uint64_t mask;                   /* capacity - 1 */
    unsigned hash_shift;             /* 64 - log2(capacity) */
    bool is_long;
    uint64_t short_lines;            /* lines below that number have short entries: 0 if entries are long */
    uint64_t count, room;            /* entries; how many the table takes before it grows */
    struct snoop_filter_stats stats;
    const struct sim *sim;
};

/* What snoop_filter_finish needs to know of a request: what it did to its line's entry. */
struct snoop_filter_ticket {
    uint64_t added, taken;           /* ports that it added to those that have requested, took from the holders */
    bool has_entry, left_empty;
};

/* FAULT_MEMORY if there is none. sim: for sim_out_of_memory; NULL: none. */
struct fault snoop_filter_init(struct snoop_filter *filter, const struct sim *sim);
void snoop_filter_free(struct snoop_filter *filter);

/* Who above holds or has requested the line. */
struct snoop_filter_entry snoop_filter_find(const struct snoop_filter *filter, uint64_t line);

/* A request of CPU-side port `port`, which is_snooping or not. Returns the other ports that hold or have requested the
 * line. Reads the packet's marks as they are before the crossbar sets any. */
uint64_t snoop_filter_request(struct snoop_filter *filter, const struct packet *packet, uint64_t line, unsigned port,
                              bool is_snooping, struct snoop_filter_ticket *ticket);
/* Undoes the request for `line` if it was not accepted. Nothing is to do for one that was accepted and has not
 * left_empty. */
void snoop_filter_finish(struct snoop_filter *filter, uint64_t line, struct snoop_filter_ticket ticket, bool accepted);

/* Use snoop_filter_response: this is its half for what is long. */
void snoop_filter_long_response(struct snoop_filter *filter, uint64_t line, unsigned port);
/* A snoop from below: returns the ports to forward it to. */
uint64_t snoop_filter_snoop(struct snoop_filter *filter, uint64_t line, bool is_invalidate);
/* A snoop response leaves downward. */
void snoop_filter_snoop_response_down(struct snoop_filter *filter, uint64_t line, bool has_sharers);
/* A snoop response becomes the normal response of `port`. */
void snoop_filter_snoop_response_up(struct snoop_filter *filter, uint64_t line, bool has_sharers, unsigned port);

/* ---- short entries, of which one port alone holds or has requested the line: most of them, looked up once */

/* A place of the table is a word while entries are short: key in the lower half, above it 16 bits each of `requested`
 * and `holders`. The key is the line's number + 1; 0: the place is free. */
#define SNOOP_FILTER_KEY_BITS 32
#define SNOOP_FILTER_SHORT_PORTS 16

static inline uint64_t snoop_filter_home(const struct snoop_filter *filter, uint64_t line)
{
    return (line * UINT64_C(0x9E3779B97F4A7C15)) >> filter->hash_shift;    /* Fibonacci hashing */
}

/* The line will be looked up. */
static inline void snoop_filter_prefetch_hint(const struct snoop_filter *filter, uint64_t line)
{
    uint64_t const place = snoop_filter_home(filter, line);

    PREFETCH(&filter->words[filter->is_long ? 3 * place : place]);
}

/* Short entries stand in groups, each a line of the host. The words of a group as a set: those with that lower half
 * in the lower eight bits, the free ones in the upper. */
#define SNOOP_FILTER_GROUP 8

static inline unsigned snoop_filter_match(const uint64_t *group, uint32_t key)
{
#if defined(__SSE2__)
    __m128 const *const pairs = (const void *)group;
    __m128i const pattern = _mm_set1_epi32((int)key), zero = _mm_setzero_si128();
    __m128i const first = _mm_castps_si128(_mm_shuffle_ps(pairs[0], pairs[1], 0x88));
    __m128i const second = _mm_castps_si128(_mm_shuffle_ps(pairs[2], pairs[3], 0x88));
    __m128i const equal = _mm_packs_epi32(_mm_cmpeq_epi32(first, pattern), _mm_cmpeq_epi32(second, pattern));
    __m128i const free = _mm_packs_epi32(_mm_cmpeq_epi32(first, zero), _mm_cmpeq_epi32(second, zero));

    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(equal, free));
#else
    unsigned places = 0;

    for (unsigned i = 0; i < SNOOP_FILTER_GROUP; i++)
        places |= (unsigned)((uint32_t)group[i] == key) << i | (unsigned)(group[i] == 0) << (i + SNOOP_FILTER_GROUP);
    return places;
#endif
}

static inline bool snoop_filter_is_full(const uint64_t *group)
{
    return snoop_filter_match(group, 0) == 0;
}

/* Where the short entry of a line stands, or would stand; then the word is 0. Which of a group's words it is costs no
 * branch: nobody can guess it. *has_room: its group has a free word. */
static inline uint64_t *snoop_filter_probe_group(const struct snoop_filter *filter, uint64_t line, bool *has_room)
{
    uint64_t place = snoop_filter_home(filter, line) & ~(uint64_t)(SNOOP_FILTER_GROUP - 1);

    for (;;) {
        uint64_t *const group = &filter->words[place];
        unsigned const found = snoop_filter_match(group, (uint32_t)line + 1);

        if (likely(found != 0)) {
            *has_room = found >> SNOOP_FILTER_GROUP != 0;
            return &group[__builtin_ctz(found) % SNOOP_FILTER_GROUP];
        }
        place = (place + SNOOP_FILTER_GROUP) & filter->mask;
    }
}

static inline uint64_t *snoop_filter_probe(const struct snoop_filter *filter, uint64_t line)
{
    bool has_room;

    return snoop_filter_probe_group(filter, line, &has_room);
}

static inline bool snoop_filter_is_short(const struct snoop_filter *filter, uint64_t line)
{
    return line < filter->short_lines;
}

/* Where the line's entry stands, or would stand (then the word is 0); NULL if entries are long, the line needs a long
 * one, or another port than `port`, which is below SNOOP_FILTER_SHORT_PORTS, has to do with it. *has_room, unless NULL
 * is answered: its group has a free word. */
static inline uint64_t *snoop_filter_find_own(const struct snoop_filter *filter, uint64_t line, unsigned port,
                                              bool *has_room)
{
    uint64_t const own = (UINT64_C(1) << SNOOP_FILTER_SHORT_PORTS | 1) << port;
    uint64_t *word;

    if (unlikely(!snoop_filter_is_short(filter, line)))
        return NULL;
    word = snoop_filter_probe_group(filter, line, has_room);
    return likely((*word >> SNOOP_FILTER_KEY_BITS & ~own) == 0) ? word : NULL;
}

/* The bits of an entry that say that `port` has requested the line, or holds it. */
static inline uint64_t snoop_filter_requested(unsigned port)
{
    return UINT64_C(1) << (SNOOP_FILTER_KEY_BITS + port);
}

static inline uint64_t snoop_filter_held(unsigned port)
{
    return UINT64_C(1) << (SNOOP_FILTER_KEY_BITS + SNOOP_FILTER_SHORT_PORTS + port);
}

/* A response goes up to `port`. Only for cacheable packets and snooping ports; so is snoop_filter_snoop_response_up.
 * place: what snoop_filter_request_own has answered, or anything: the entry may have moved since. */
static inline void snoop_filter_response_at(struct snoop_filter *filter, uint64_t line, unsigned port, uint32_t place)
{
    uint64_t *word;

    if (unlikely(!snoop_filter_is_short(filter, line) || port >= SNOOP_FILTER_SHORT_PORTS)) {
        snoop_filter_long_response(filter, line, port);
        return;
    }
    word = &filter->words[place & filter->mask];
    if (unlikely((uint32_t)*word != (uint32_t)line + 1))
        word = snoop_filter_probe(filter, line);
    if (*word != 0)
        *word = (*word & ~snoop_filter_requested(port)) | snoop_filter_held(port);
}

/* The same for callers that do not know a place. */
static inline void snoop_filter_response(struct snoop_filter *filter, uint64_t line, unsigned port)
{
    snoop_filter_response_at(filter, line, port, 0);
}

/* Rare half of snoop_filter_add_own: a larger table; answers where the line belongs in it. */
uint64_t *snoop_filter_grow(struct snoop_filter *filter, uint64_t line);

/* An entry for a line that has none. word: what snoop_filter_find_own found; the answer is where the entry is. */
static inline uint64_t *snoop_filter_add_own(struct snoop_filter *filter, uint64_t *word, uint64_t line)
{
    if (unlikely(++filter->count > filter->room))
        word = snoop_filter_grow(filter, line);
    *word = line + 1;
    return word;
}

/* snoop_filter_request for a request that wants an answer; the word is what snoop_filter_find_own found. Answers how
 * the entry was, 0 if there was none; *place is where it is now. */
static inline uint64_t snoop_filter_request_own(struct snoop_filter *filter, uint64_t *word, uint64_t line,
                                                unsigned port, uint32_t *place)
{
    uint64_t const old = *word;

    filter->stats.tot_requests++;
    if (old != 0)
        filter->stats.hit_single_requests++;
    else
        word = snoop_filter_add_own(filter, word, line);
    *word |= snoop_filter_requested(port);
    *place = (uint32_t)(word - filter->words);
    return old;
}

/* Use snoop_filter_remove: this is its half for an entry of a full group, behind which others may have had to go. */
void snoop_filter_remove_of_full(struct snoop_filter *filter, uint64_t *word);

/* has_room: the word's group has a free one. */
static inline void snoop_filter_remove(struct snoop_filter *filter, uint64_t *word, bool has_room)
{
    if (unlikely(!has_room)) {
        snoop_filter_remove_of_full(filter, word);
        return;
    }
    *word = 0;
    filter->count--;
}

/* snoop_filter_request_own for an eviction of which no copy stays above `port`, with snoop_filter_finish; there must be
 * an entry. has_room: as snoop_filter_find_own has answered. */
static inline uint64_t snoop_filter_evict_own(struct snoop_filter *filter, uint64_t *word, bool has_room,
                                              unsigned port)
{
    uint64_t const old = *word;

    filter->stats.tot_requests++;
    filter->stats.hit_single_requests++;
    *word &= ~snoop_filter_held(port);
    if (likely(*word >> SNOOP_FILTER_KEY_BITS == 0))
        snoop_filter_remove(filter, word, has_room);
    return old;
}

/* Undoes either, but for statistics, if the request was not accepted. */
void snoop_filter_undo_own(struct snoop_filter *filter, uint64_t line, unsigned port, uint64_t old);

#endif
