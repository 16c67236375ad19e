/* Snoop filter whose entries are words, and the requests of which one port alone holds or has requested the line.
 *
 * Shortcut: the plain filter looks a request's entry up to read it, and again to write it, and once more for its
 * response, in slots of 24 bytes. Here an entry is one word of 8 bytes, a group of eight words a line of the host,
 * searched with one comparison; a request keeps the word that it found, and its packet the place for the response. Why
 * the result is the same: `snoop_words_table` maps lines to the same two masks; the functions with `_own` take the
 * steps of snoop_filter_request and snoop_filter_undo for an entry of one port, with the same statistics. A line or a
 * port that no word can hold makes all entries long, of three words; the plain functions then decide alone. Compared
 * with an array and with the plain table by tests/unit/memsys/noc/test_snoop_filter.c.
 *
 * Use: snoop_words_bind before the first request. The table grows when five eighths are taken and never shrinks, so a
 * run stops allocating when the caches above are warm. */
#ifndef MEMSYS_FAST_SNOOP_WORDS_H
#define MEMSYS_FAST_SNOOP_WORDS_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/hints.h"
#include "memsys/noc/snoop_filter.h"

/* A place of the table is a word while entries are short: key in the lower half, above it 16 bits each of `requested`
 * and `holders`. The key is the line's number + 1; 0: the place is free. */
#define SNOOP_WORDS_KEY_BITS 32
#define SNOOP_WORDS_PORTS 16

/* Short entries are kept in groups, each a cache line of the host. */
#define SNOOP_WORDS_GROUP 8

struct snoop_words {
    uint64_t *words;                 /* open addressing, capacity a power of two; see the source */
    uint64_t mask;                   /* capacity - 1 */
    unsigned hash_shift;             /* 64 - log2(capacity) */
    bool is_long;
    uint64_t short_lines;            /* lines below that number have short entries: 0 if entries are long */
    uint64_t count, room;            /* entries; how many the table takes before it grows */
    const struct sim *sim;
};

/* Puts the words in the place of the filter's own table, which is empty. FAULT_MEMORY. */
struct fault snoop_words_bind(struct snoop_filter *filter, const struct sim *sim);
bool snoop_words_are_bound(const struct snoop_filter *filter);

/* Of a filter with snoop_words_bind. */
static inline struct snoop_words *snoop_words_of(const struct snoop_filter *filter)
{
    return filter->entries;
}

static inline uint64_t snoop_words_home(const struct snoop_words *words, uint64_t line)
{
    return (line * UINT64_C(0x9E3779B97F4A7C15)) >> words->hash_shift;    /* Fibonacci hashing */
}

/* The line will be looked up. */
static inline void snoop_words_prefetch_hint(const struct snoop_words *words, uint64_t line)
{
    uint64_t const place = snoop_words_home(words, line);

    PREFETCH(&words->words[words->is_long ? 3 * place : place]);
}

/* The words of a group as a set: those with that lower half in the lower eight bits, the free ones in the upper. */
static inline unsigned snoop_words_match(const uint64_t *group, uint32_t key)
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

    for (unsigned i = 0; i < SNOOP_WORDS_GROUP; i++)
        places |= (unsigned)((uint32_t)group[i] == key) << i | (unsigned)(group[i] == 0) << (i + SNOOP_WORDS_GROUP);
    return places;
#endif
}

static inline bool snoop_words_is_full(const uint64_t *group)
{
    return snoop_words_match(group, 0) == 0;
}

/* The word of a line's short entry, or the free word for it, which is 0. The word within a group is found without a
 * branch, which would be unpredictable. *has_room: its group has a free word. */
static inline uint64_t *snoop_words_probe_group(const struct snoop_words *words, uint64_t line, bool *has_room)
{
    uint64_t place = snoop_words_home(words, line) & ~(uint64_t)(SNOOP_WORDS_GROUP - 1);

    for (;;) {
        uint64_t *const group = &words->words[place];
        unsigned const found = snoop_words_match(group, (uint32_t)line + 1);

        if (likely(found != 0)) {
            *has_room = found >> SNOOP_WORDS_GROUP != 0;
            return &group[__builtin_ctz(found) % SNOOP_WORDS_GROUP];
        }
        place = (place + SNOOP_WORDS_GROUP) & words->mask;
    }
}

static inline bool snoop_words_is_short(const struct snoop_words *words, uint64_t line)
{
    return line < words->short_lines;
}

/* The word of the line's entry, or the free word for it, which is 0; NULL if entries are long, the line needs a long
 * one, or a port other than `port` (below SNOOP_WORDS_PORTS) holds or has requested the line. *has_room, unless NULL
 * is returned: its group has a free word. */
static inline uint64_t *snoop_words_find_own(const struct snoop_words *words, uint64_t line, unsigned port,
                                             bool *has_room)
{
    uint64_t const own = (UINT64_C(1) << SNOOP_WORDS_PORTS | 1) << port;
    uint64_t *word;

    if (unlikely(!snoop_words_is_short(words, line)))
        return NULL;
    word = snoop_words_probe_group(words, line, has_room);
    return likely((*word >> SNOOP_WORDS_KEY_BITS & ~own) == 0) ? word : NULL;
}

/* The bits of an entry that say that `port` has requested the line, or holds it. */
static inline uint64_t snoop_words_requested(unsigned port)
{
    return UINT64_C(1) << (SNOOP_WORDS_KEY_BITS + port);
}

static inline uint64_t snoop_words_held(unsigned port)
{
    return UINT64_C(1) << (SNOOP_WORDS_KEY_BITS + SNOOP_WORDS_PORTS + port);
}

/* Rare half of snoop_words_add_own: a larger table; answers where the line belongs in it. */
uint64_t *snoop_words_grow(struct snoop_words *words, uint64_t line);

/* Adds an entry for a line that has none. word: the result of snoop_words_find_own; returns the word of the entry. */
static inline uint64_t *snoop_words_add_own(struct snoop_words *words, uint64_t *word, uint64_t line)
{
    if (unlikely(++words->count > words->room))
        word = snoop_words_grow(words, line);
    *word = line + 1;
    return word;
}

/* snoop_filter_request for a request that wants an answer; `word` is the result of snoop_words_find_own. Returns the
 * old entry, 0 for none; *place is its place now. */
static inline uint64_t snoop_words_request_own(struct snoop_filter *filter, uint64_t *word, uint64_t line,
                                               unsigned port, uint32_t *place)
{
    struct snoop_words *const words = snoop_words_of(filter);
    uint64_t const old = *word;

    filter->stats.tot_requests++;
    if (old != 0)
        filter->stats.hit_single_requests++;
    else
        word = snoop_words_add_own(words, word, line);
    *word |= snoop_words_requested(port);
    *place = (uint32_t)(word - words->words);
    return old;
}

/* Use snoop_words_remove: this is its half for an entry of a full group, behind which others may have had to go. */
void snoop_words_remove_of_full(struct snoop_words *words, uint64_t *word);

/* has_room: the word's group has a free one. */
static inline void snoop_words_remove(struct snoop_words *words, uint64_t *word, bool has_room)
{
    if (unlikely(!has_room)) {
        snoop_words_remove_of_full(words, word);
        return;
    }
    *word = 0;
    words->count--;
}

/* snoop_words_request_own for an eviction of which no copy stays above `port`; there must be an entry. has_room: as
 * snoop_words_find_own has answered. */
static inline uint64_t snoop_words_evict_own(struct snoop_filter *filter, uint64_t *word, bool has_room, unsigned port)
{
    uint64_t const old = *word;

    filter->stats.tot_requests++;
    filter->stats.hit_single_requests++;
    *word &= ~snoop_words_held(port);
    if (likely(*word >> SNOOP_WORDS_KEY_BITS == 0))
        snoop_words_remove(snoop_words_of(filter), word, has_room);
    return old;
}

/* Undoes either, except statistics, if the request was not accepted. */
void snoop_words_undo_own(struct snoop_words *words, uint64_t line, unsigned port, uint64_t old);

#endif
