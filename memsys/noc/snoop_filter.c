/* Modelled: classic-memory 5.6. Not modelled: the panic at 8 MiB worth of lines; cache maintenance commands.
 *
 * 1. Outside of a request in progress no entry has both masks 0.
 * 2. A short entry stands in the group of its hashed place, or in one behind it without a group in between that has a
 *    free place; a long one at its hashed place or behind it without a free place in between. Removal moves later ones
 *    back, so there are no tombstones: no look-up gets longer by what has been here before.
 * 3. At most five eighths of the places are taken: a probe ends soon, and always.
 *
 * A place of the table is a word while entries are short (see the header). A long one is three words: key, requested,
 * holders. */
#include "memsys/noc/snoop_filter.h"

#include "base/host_lines.h"
#include "memsys/sim/out_of_memory.h"

#define FIRST_CAPACITY_LOG2 10
#define LARGE_CAPACITY_LOG2 16    /* from here on tables are doubled; smaller ones become four times larger */
#define SHORT_KEY_BITS SNOOP_FILTER_KEY_BITS
#define SHORT_PORTS SNOOP_FILTER_SHORT_PORTS

/* Made twice by the compiler: for short entries, and for long ones. The parameter is_long is filter->is_long. */
#define TWICE static FORCE_INLINE

TWICE uint64_t key_at(const struct snoop_filter *filter, uint64_t place, bool is_long)
{
    return is_long ? filter->words[3 * place] : (uint32_t)filter->words[place];
}

TWICE struct snoop_filter_entry entry_at(const struct snoop_filter *filter, uint64_t place, bool is_long)
{
    uint64_t const *const words = &filter->words[is_long ? 3 * place : place];

    return is_long ? (struct snoop_filter_entry){words[1], words[2]}
                   : (struct snoop_filter_entry){(uint16_t)(words[0] >> SHORT_KEY_BITS),
                                                 words[0] >> (SHORT_KEY_BITS + SHORT_PORTS)};
}

TWICE void put(struct snoop_filter *filter, uint64_t place, uint64_t line, struct snoop_filter_entry entry,
               bool is_long)
{
    uint64_t *const words = &filter->words[is_long ? 3 * place : place];

    if (is_long) {
        words[0] = line + 1;
        words[1] = entry.requested;
        words[2] = entry.holders;
    } else {
        words[0] = (line + 1) | entry.requested << SHORT_KEY_BITS | entry.holders << (SHORT_KEY_BITS + SHORT_PORTS);
    }
}

/* A place, and whether the line's entry is there; else it is the free place where it belongs. */
struct finding {
    uint64_t place;
    bool has_entry;
};

TWICE struct finding probe(const struct snoop_filter *filter, uint64_t line, bool is_long)
{
    uint64_t place = snoop_filter_home(filter, line);

    if (!is_long) {
        const uint64_t *const word = snoop_filter_probe(filter, line);

        return (struct finding){(uint64_t)(word - filter->words), *word != 0};
    }
    for (;;) {
        uint64_t const key = key_at(filter, place, true);

        if (key == line + 1)
            return (struct finding){place, true};
        if (key == 0)
            return (struct finding){place, false};
        place = (place + 1) & filter->mask;
    }
}

/* An empty table; without memory, all is as it was. */
static bool allocate(struct snoop_filter *filter, unsigned capacity_log2, bool is_long)
{
    uint64_t const capacity = UINT64_C(1) << capacity_log2;
    uint64_t *const words = host_lines_written((size_t)capacity, (is_long ? 3 : 1) * sizeof *words);

    if (!words)
        return false;
    filter->words = words;
    filter->is_long = is_long;
    filter->mask = capacity - 1;
    filter->hash_shift = 64 - capacity_log2;
    filter->room = capacity / 8 * 5;
    filter->short_lines = is_long ? 0 : (UINT64_C(1) << SHORT_KEY_BITS) - 1;
    return true;
}

/* A new table with the same entries. */
NOINLINE static void rebuild(struct snoop_filter *filter, unsigned capacity_log2, bool is_long)
{
    struct snoop_filter const old = *filter;

    if (!allocate(filter, capacity_log2, is_long))
        sim_out_of_memory(filter->sim);
    for (uint64_t place = 0; place <= old.mask; place++) {
        uint64_t const key = key_at(&old, place, old.is_long);

        if (key != 0)
            put(filter, probe(filter, key - 1, is_long).place, key - 1, entry_at(&old, place, old.is_long), is_long);
    }
    host_lines_free(old.words);
}

/* Before an entry of this line gets this port. */
static void make_fit(struct snoop_filter *filter, uint64_t line, unsigned port)
{
    if (unlikely((line + 1) >> SHORT_KEY_BITS != 0 || port >= SHORT_PORTS) && !filter->is_long)
        rebuild(filter, 64 - filter->hash_shift, true);
}

static unsigned grown_log2(const struct snoop_filter *filter)
{
    unsigned const log2 = 64 - filter->hash_shift;

    return log2 < LARGE_CAPACITY_LOG2 ? log2 + 2 : log2 + 1;
}

/* place: what probe answered for the line, which has no entry; its entry will stand at the answer. */
TWICE uint64_t make_room(struct snoop_filter *filter, uint64_t place, uint64_t line, bool is_long)
{
    if (likely(++filter->count <= filter->room))
        return place;
    rebuild(filter, grown_log2(filter), is_long);
    return probe(filter, line, is_long).place;
}

static void remove_long(struct snoop_filter *filter, uint64_t hole)
{
    uint64_t const mask = filter->mask;
    uint64_t place = hole;

    for (;;) {
        uint64_t line;

        place = (place + 1) & mask;
        line = key_at(filter, place, true) - 1;
        if (line == UINT64_MAX)
            break;
        if (((place - snoop_filter_home(filter, line)) & mask) >= ((place - hole) & mask)) {
            put(filter, hole, line, entry_at(filter, place, true), true);
            hole = place;
        }
    }
    filter->words[3 * hole] = 0;
    filter->count--;
}

static uint64_t group_of(uint64_t place)
{
    return place & ~(uint64_t)(SNOOP_FILTER_GROUP - 1);
}

/* The place of an entry in `group`, behind that of `hole`, which may stand in the hole; SNOOP_FILTER_GROUP places
 * further if there is none. */
static uint64_t find_displaced(const struct snoop_filter *filter, uint64_t group, uint64_t hole)
{
    uint64_t const way = (group - group_of(hole)) & filter->mask;
    uint64_t place = group;

    for (; place < group + SNOOP_FILTER_GROUP; place++) {
        uint64_t const key = key_at(filter, place, false);

        if (key != 0 && ((group - group_of(snoop_filter_home(filter, key - 1))) & filter->mask) >= way)
            break;
    }
    return place;
}

NOINLINE void snoop_filter_remove_of_full(struct snoop_filter *filter, uint64_t *word)
{
    uint64_t hole = (uint64_t)(word - filter->words), group = group_of(hole);
    bool is_full;

    do {
        uint64_t place;

        group = (group + SNOOP_FILTER_GROUP) & filter->mask;
        is_full = snoop_filter_is_full(&filter->words[group]);
        place = find_displaced(filter, group, hole);
        if (place < group + SNOOP_FILTER_GROUP) {
            filter->words[hole] = filter->words[place];
            hole = place;
        }
    } while (is_full);
    filter->words[hole] = 0;
    filter->count--;
}

TWICE void remove_at(struct snoop_filter *filter, uint64_t place, bool is_long)
{
    if (is_long)
        remove_long(filter, place);
    else
        snoop_filter_remove(filter, &filter->words[place], !snoop_filter_is_full(&filter->words[group_of(place)]));
}

static bool is_empty(struct snoop_filter_entry entry)
{
    return (entry.requested | entry.holders) == 0;
}

TWICE void put_or_remove(struct snoop_filter *filter, uint64_t place, uint64_t line, struct snoop_filter_entry entry,
                         bool is_long)
{
    if (is_empty(entry))
        remove_at(filter, place, is_long);
    else
        put(filter, place, line, entry, is_long);
}

static bool is_single(uint64_t mask)
{
    return mask != 0 && (mask & (mask - 1)) == 0;
}

static uint64_t port_bit(unsigned port)
{
    return UINT64_C(1) << port;
}

struct fault snoop_filter_init(struct snoop_filter *filter, const struct sim *sim)
{
    *filter = (struct snoop_filter){.sim = sim};
    if (!allocate(filter, FIRST_CAPACITY_LOG2, false))
        return fault_make(FAULT_MEMORY, "out of memory for a snoop filter");
    return fault_none();
}

void snoop_filter_free(struct snoop_filter *filter)
{
    host_lines_free(filter->words);
    *filter = (struct snoop_filter){0};
}

struct snoop_filter_entry snoop_filter_find(const struct snoop_filter *filter, uint64_t line)
{
    struct finding const found = probe(filter, line, filter->is_long);

    return found.has_entry ? entry_at(filter, found.place, filter->is_long) : (struct snoop_filter_entry){0};
}

TWICE uint64_t take_request(struct snoop_filter *filter, const struct packet *packet, uint64_t line, uint64_t own_bit,
                            bool is_tracked, struct snoop_filter_ticket *ticket, bool is_long)
{
    struct finding found = probe(filter, line, is_long);
    struct snoop_filter_entry entry = {0};
    uint64_t interested = 0;

    *ticket = (struct snoop_filter_ticket){.has_entry = is_tracked || found.has_entry};
    if (unlikely(!ticket->has_entry))
        return 0;
    filter->stats.tot_requests++;
    if (found.has_entry) {
        entry = entry_at(filter, found.place, is_long);
        interested = entry.requested | entry.holders;
        if (is_single(interested))
            filter->stats.hit_single_requests++;
        else
            filter->stats.hit_multi_requests++;
    } else {
        found.place = make_room(filter, found.place, line, is_long);
    }
    if (unlikely(!is_tracked))
        return interested & ~own_bit;
    if (packet_is(packet, ATTR_NEEDS_RESPONSE)) {
        if (!packet->cache_responding) {
            ticket->added = own_bit & ~entry.requested;
            entry.requested |= own_bit;
        }
    } else if (!packet->block_cached) {
        ticket->taken = own_bit & entry.holders;
        entry.holders &= ~own_bit;
    }
    put(filter, found.place, line, entry, is_long);
    ticket->left_empty = is_empty(entry);
    return interested & ~own_bit;
}

/* A cache's request is tracked unless uncacheable: one that wants an answer marks the port as having requested the
 * line (unless a cache has it in hand already), an eviction takes the port from the holders (unless a copy stays
 * above it). */
uint64_t snoop_filter_request(struct snoop_filter *filter, const struct packet *packet, uint64_t line, unsigned port,
                              bool is_snooping, struct snoop_filter_ticket *ticket)
{
    bool const is_tracked = is_snooping && packet_is(packet, ATTR_FROM_CACHE) && !packet_is_uncacheable(packet);

    if (is_tracked)
        make_fit(filter, line, port);
    if (unlikely(filter->is_long))
        return take_request(filter, packet, line, port_bit(port), is_tracked, ticket, true);
    return take_request(filter, packet, line, port_bit(port), is_tracked, ticket, false);
}

TWICE void finish(struct snoop_filter *filter, uint64_t line, struct snoop_filter_ticket ticket, bool accepted,
                  bool is_long)
{
    struct finding const found = probe(filter, line, is_long);
    struct snoop_filter_entry entry;

    if (!found.has_entry)
        return;
    entry = entry_at(filter, found.place, is_long);
    if (!accepted) {
        entry.requested &= ~ticket.added;
        entry.holders |= ticket.taken;
    }
    put_or_remove(filter, found.place, line, entry, is_long);
}

void snoop_filter_finish(struct snoop_filter *filter, uint64_t line, struct snoop_filter_ticket ticket, bool accepted)
{
    if (!ticket.has_entry || (accepted && !ticket.left_empty))
        return;
    if (unlikely(filter->is_long))
        finish(filter, line, ticket, accepted, true);
    else
        finish(filter, line, ticket, accepted, false);
}

void snoop_filter_long_response(struct snoop_filter *filter, uint64_t line, unsigned port)
{
    struct finding found;

    make_fit(filter, line, port);
    found = probe(filter, line, true);
    if (found.has_entry) {
        struct snoop_filter_entry const entry = entry_at(filter, found.place, true);

        put(filter, found.place, line,
            (struct snoop_filter_entry){entry.requested & ~port_bit(port), entry.holders | port_bit(port)}, true);
    }
}

uint64_t snoop_filter_snoop(struct snoop_filter *filter, uint64_t line, bool is_invalidate)
{
    struct finding const found = probe(filter, line, filter->is_long);
    struct snoop_filter_entry entry;
    uint64_t targets;

    if (!found.has_entry)
        return 0;
    entry = entry_at(filter, found.place, filter->is_long);
    targets = entry.requested | entry.holders;
    filter->stats.tot_snoops++;
    if (is_single(targets))
        filter->stats.hit_single_snoops++;
    else
        filter->stats.hit_multi_snoops++;
    if (is_invalidate && entry.requested == 0)
        remove_at(filter, found.place, filter->is_long);
    return targets;
}

void snoop_filter_snoop_response_down(struct snoop_filter *filter, uint64_t line, bool has_sharers)
{
    struct finding const found = probe(filter, line, filter->is_long);

    if (!has_sharers && found.has_entry) {
        struct snoop_filter_entry entry = entry_at(filter, found.place, filter->is_long);

        entry.holders = 0;
        put_or_remove(filter, found.place, line, entry, filter->is_long);
    }
}

void snoop_filter_snoop_response_up(struct snoop_filter *filter, uint64_t line, bool has_sharers, unsigned port)
{
    struct snoop_filter_entry entry = {0};
    struct finding found;

    make_fit(filter, line, port);
    found = probe(filter, line, filter->is_long);
    if (found.has_entry)
        entry = entry_at(filter, found.place, filter->is_long);
    else
        found.place = make_room(filter, found.place, line, filter->is_long);
    if (!has_sharers)
        entry.holders = 0;
    entry.holders |= port_bit(port);
    entry.requested &= ~port_bit(port);
    put(filter, found.place, line, entry, filter->is_long);
}

/* ---- short entries of one port --------------------------------------------------------------------------------- */

NOINLINE uint64_t *snoop_filter_grow(struct snoop_filter *filter, uint64_t line)
{
    rebuild(filter, grown_log2(filter), false);
    return &filter->words[probe(filter, line, false).place];
}

void snoop_filter_undo_own(struct snoop_filter *filter, uint64_t line, unsigned port, uint64_t old)
{
    bool has_room = false;
    uint64_t *word = snoop_filter_find_own(filter, line, port, &has_room);

    if (old == 0) {
        snoop_filter_remove(filter, word, has_room);
        return;
    }
    if (*word == 0)
        word = snoop_filter_add_own(filter, word, line);
    *word = old;
}
