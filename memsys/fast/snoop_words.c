/* Snoop filter whose entries are words (snoop_words.h): the table.
 *
 * 1. A short entry is in the group of its hashed place, or in a later one if all groups before it are full; a long one
 * at its hashed place or behind it without a free place in between. Removal moves later ones back, so there are no
 * tombstones: removed entries lengthen no look-up.
 * 2. At most five eighths of the places are taken: a probe ends soon, and always.
 *
 * A place of the table is a word while entries are short (see the header). A long one is three words: key, requested,
 * holders. */
#include "memsys/fast/snoop_words.h"

#include <stdlib.h>

#include "base/host_facts.h"
#include "memsys/sim/out_of_memory.h"

#define FIRST_CAPACITY_LOG2 10
#define LARGE_CAPACITY_LOG2 16    /* from here on tables are doubled; smaller ones become four times larger */
#define KEY_BITS SNOOP_WORDS_KEY_BITS
#define GROUP SNOOP_WORDS_GROUP

static uint64_t key_at(const struct snoop_words *words, uint64_t place)
{
    return words->is_long ? words->words[3 * place] : (uint32_t)words->words[place];
}

static struct snoop_filter_entry entry_at(const struct snoop_words *words, uint64_t place)
{
    uint64_t const *const word = &words->words[words->is_long ? 3 * place : place];

    return words->is_long ? (struct snoop_filter_entry){word[1], word[2]}
                          : (struct snoop_filter_entry){(uint16_t)(word[0] >> KEY_BITS),
                                                        word[0] >> (KEY_BITS + SNOOP_WORDS_PORTS)};
}

static void put_at(struct snoop_words *words, uint64_t place, uint64_t line, struct snoop_filter_entry entry)
{
    uint64_t *const word = &words->words[words->is_long ? 3 * place : place];

    if (words->is_long) {
        word[0] = line + 1;
        word[1] = entry.requested;
        word[2] = entry.holders;
    } else {
        word[0] = (line + 1) | entry.requested << KEY_BITS | entry.holders << (KEY_BITS + SNOOP_WORDS_PORTS);
    }
}

static uint64_t probe_long(const struct snoop_words *words, uint64_t line)
{
    uint64_t place = snoop_words_home(words, line);

    while (key_at(words, place) != line + 1 && key_at(words, place) != 0)
        place = (place + 1) & words->mask;
    return place;
}

/* The place of the line's entry, or the free one where it belongs. */
static uint64_t probe(const struct snoop_words *words, uint64_t line)
{
    bool has_room;

    return words->is_long ? probe_long(words, line)
                          : (uint64_t)(snoop_words_probe_group(words, line, &has_room) - words->words);
}

/* An empty table; without memory, all is as it was. */
static bool snoop_words_allocate(struct snoop_words *words, unsigned capacity_log2, bool is_long)
{
    uint64_t const capacity = UINT64_C(1) << capacity_log2;
    uint64_t *const list = host_lines_written((size_t)capacity, (is_long ? 3 : 1) * sizeof *list);

    if (!list)
        return false;
    words->words = list;
    words->is_long = is_long;
    words->mask = capacity - 1;
    words->hash_shift = 64 - capacity_log2;
    words->room = capacity / 8 * 5;
    words->short_lines = is_long ? 0 : (UINT64_C(1) << KEY_BITS) - 1;
    return true;
}

/* A new table with the same entries. */
NOINLINE static void rebuild(struct snoop_words *words, unsigned capacity_log2, bool is_long)
{
    struct snoop_words const old = *words;

    if (!snoop_words_allocate(words, capacity_log2, is_long))
        sim_out_of_memory(words->sim);
    for (uint64_t place = 0; place <= old.mask; place++) {
        uint64_t const key = key_at(&old, place);

        if (key != 0)
            put_at(words, probe(words, key - 1), key - 1, entry_at(&old, place));
    }
    host_lines_free(old.words);
}

static unsigned grown_log2(const struct snoop_words *words)
{
    unsigned const log2 = 64 - words->hash_shift;

    return log2 < LARGE_CAPACITY_LOG2 ? log2 + 2 : log2 + 1;
}

static void remove_long(struct snoop_words *words, uint64_t hole)
{
    uint64_t const mask = words->mask;
    uint64_t place = hole;

    for (;;) {
        uint64_t line;

        place = (place + 1) & mask;
        line = key_at(words, place) - 1;
        if (line == UINT64_MAX)
            break;
        if (((place - snoop_words_home(words, line)) & mask) >= ((place - hole) & mask)) {
            put_at(words, hole, line, entry_at(words, place));
            hole = place;
        }
    }
    words->words[3 * hole] = 0;
    words->count--;
}

static uint64_t group_of(uint64_t place)
{
    return place & ~(uint64_t)(GROUP - 1);
}

/* The place of an entry in `group`, behind the group of `hole`, that may move into the hole; group + GROUP without
 * such an entry. */
static uint64_t find_displaced(const struct snoop_words *words, uint64_t group, uint64_t hole)
{
    uint64_t const way = (group - group_of(hole)) & words->mask;
    uint64_t place = group;

    for (; place < group + GROUP; place++) {
        uint64_t const key = key_at(words, place);

        if (key != 0 && ((group - group_of(snoop_words_home(words, key - 1))) & words->mask) >= way)
            break;
    }
    return place;
}

NOINLINE void snoop_words_remove_of_full(struct snoop_words *words, uint64_t *word)
{
    uint64_t hole = (uint64_t)(word - words->words), group = group_of(hole);
    bool is_full;

    do {
        uint64_t place;

        group = (group + GROUP) & words->mask;
        is_full = snoop_words_is_full(&words->words[group]);
        place = find_displaced(words, group, hole);
        if (place < group + GROUP) {
            words->words[hole] = words->words[place];
            hole = place;
        }
    } while (is_full);
    words->words[hole] = 0;
    words->count--;
}

NOINLINE uint64_t *snoop_words_grow(struct snoop_words *words, uint64_t line)
{
    rebuild(words, grown_log2(words), words->is_long);
    return &words->words[probe(words, line)];
}

void snoop_words_undo_own(struct snoop_words *words, uint64_t line, unsigned port, uint64_t old)
{
    bool has_room = false;
    uint64_t *word = snoop_words_find_own(words, line, port, &has_room);

    if (old == 0) {
        snoop_words_remove(words, word, has_room);
        return;
    }
    if (*word == 0)
        word = snoop_words_add_own(words, word, line);
    *word = old;
}

/* ---- struct snoop_filter_table */

static void *new_table(const struct sim *sim)
{
    struct snoop_words *const words = malloc(sizeof *words);

    if (!words)
        return NULL;
    *words = (struct snoop_words){.sim = sim};
    if (snoop_words_allocate(words, FIRST_CAPACITY_LOG2, false))
        return words;
    free(words);
    return NULL;
}

static void free_table(void *entries)
{
    struct snoop_words *const words = entries;

    if (words)
        host_lines_free(words->words);
    free(words);
}

static struct snoop_filter_entry snoop_words_find(const void *entries, uint64_t line)
{
    struct snoop_words const *const words = entries;
    uint64_t place;

    if (!words->is_long && !snoop_words_is_short(words, line))
        return (struct snoop_filter_entry){0};
    place = probe(words, line);
    return key_at(words, place) != 0 ? entry_at(words, place) : (struct snoop_filter_entry){0};
}

static void snoop_words_put(void *entries, uint64_t line, struct snoop_filter_entry entry)
{
    struct snoop_words *const words = entries;
    bool const is_empty = (entry.requested | entry.holders) == 0;
    uint64_t place;

    if (!words->is_long
        && (!snoop_words_is_short(words, line) || (entry.requested | entry.holders) >> SNOOP_WORDS_PORTS != 0)) {
        if (is_empty)
            return;
        rebuild(words, 64 - words->hash_shift, true);
    }
    place = probe(words, line);
    if (key_at(words, place) == 0) {
        if (is_empty)
            return;
        if (++words->count > words->room) {
            rebuild(words, grown_log2(words), words->is_long);
            place = probe(words, line);
        }
    }
    if (!is_empty)
        put_at(words, place, line, entry);
    else if (words->is_long)
        remove_long(words, place);
    else
        snoop_words_remove(words, &words->words[place], !snoop_words_is_full(&words->words[group_of(place)]));
}

/* packet->filter_place: as snoop_words_request_own set it, or anything: the entry may have moved since. */
static void respond(void *entries, uint64_t line, unsigned port, const struct packet *packet)
{
    struct snoop_words *const words = entries;
    uint64_t *word;
    bool has_room;

    if (unlikely(!snoop_words_is_short(words, line) || port >= SNOOP_WORDS_PORTS)) {
        struct snoop_filter_entry const entry = snoop_words_find(words, line);
        uint64_t const bit = UINT64_C(1) << port;

        if ((entry.requested | entry.holders) != 0)
            snoop_words_put(words, line, (struct snoop_filter_entry){entry.requested & ~bit, entry.holders | bit});
        return;
    }
    word = &words->words[packet->filter_place & words->mask];
    if (unlikely((uint32_t)*word != (uint32_t)line + 1))
        word = snoop_words_probe_group(words, line, &has_room);
    if (*word != 0)
        *word = (*word & ~snoop_words_requested(port)) | snoop_words_held(port);
}

static const struct snoop_filter_table table = {new_table, free_table, snoop_words_find, snoop_words_put, respond};

struct fault snoop_words_bind(struct snoop_filter *filter, const struct sim *sim)
{
    void *const entries = new_table(sim);

    if (!entries)
        return fault_make(FAULT_MEMORY, "out of memory for a snoop filter");
    filter->table->free(filter->entries);
    filter->table = &table;
    filter->entries = entries;
    return fault_none();
}

bool snoop_words_are_bound(const struct snoop_filter *filter)
{
    return filter->table == &table;
}
