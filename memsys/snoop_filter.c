/* Modelled: classic-memory 5.6. Not modelled: the panic at 8 MiB worth of lines; cache maintenance commands.
 *
 * 1. Outside of a request in progress no entry has both masks 0.
 * 2. An entry stands at its hashed place or behind it without a free place in between; removal moves later ones back,
 *    so there are no tombstones and a full run of removals leaves the table as if they had never been inserted.
 * 3. At most five eighths of the places are taken: a probe ends soon, and always.
 *
 * A place of the table is a word while entries are short: key in the lower half, above it 16 bits each of `requested`
 * and `holders`. A long one is three words: key, requested, holders. The key is the line's number + 1; 0: free. */
#include "memsys/snoop_filter.h"

#include <stdlib.h>

#include "memsys/host_lines.h"

#define FIRST_CAPACITY_LOG2 10
#define SHORT_KEY_BITS 32
#define SHORT_PORTS 16

static uint64_t home_of(const struct snoop_filter *filter, uint64_t line)
{
    return (line * UINT64_C(0x9E3779B97F4A7C15)) >> filter->hash_shift;    /* Fibonacci hashing */
}

static uint64_t key_at(const struct snoop_filter *filter, uint64_t place)
{
    return filter->is_long ? filter->words[3 * place] : (uint32_t)filter->words[place];
}

static bool is_free(const struct snoop_filter *filter, uint64_t place)
{
    return key_at(filter, place) == 0;
}

/* place: what probe answered. */
static bool has_line(const struct snoop_filter *filter, uint64_t place)
{
    return key_at(filter, place) != 0;
}

static struct snoop_filter_entry entry_at(const struct snoop_filter *filter, uint64_t place)
{
    if (RARELY(filter->is_long))
        return (struct snoop_filter_entry){filter->words[3 * place + 1], filter->words[3 * place + 2]};

    uint64_t const word = filter->words[place];

    return (struct snoop_filter_entry){word >> SHORT_KEY_BITS & ((1 << SHORT_PORTS) - 1),
                                       word >> (SHORT_KEY_BITS + SHORT_PORTS)};
}

static void put(struct snoop_filter *filter, uint64_t place, uint64_t line, struct snoop_filter_entry entry)
{
    if (RARELY(filter->is_long)) {
        uint64_t *const words = &filter->words[3 * place];

        words[0] = line + 1;
        words[1] = entry.requested;
        words[2] = entry.holders;
    } else {
        filter->words[place] = (line + 1) | entry.requested << SHORT_KEY_BITS
                               | entry.holders << (SHORT_KEY_BITS + SHORT_PORTS);
    }
}

/* Place of the line's entry, or the free place where it belongs. */
static uint64_t probe(const struct snoop_filter *filter, uint64_t line)
{
    uint64_t place = home_of(filter, line);

    if (USUALLY(!filter->is_long)) {
        const uint64_t *const words = filter->words;
        uint64_t const mask = filter->mask;

        while ((uint32_t)words[place] != line + 1 && (uint32_t)words[place] != 0)
            place = (place + 1) & mask;
        return place;
    }
    while (key_at(filter, place) != line + 1 && !is_free(filter, place))
        place = (place + 1) & filter->mask;
    return place;
}

static bool allocate(struct snoop_filter *filter, unsigned capacity_log2)
{
    uint64_t const capacity = UINT64_C(1) << capacity_log2;

    filter->words = host_lines_zeroed((size_t)capacity, (filter->is_long ? 3 : 1) * sizeof *filter->words);
    filter->mask = capacity - 1;
    filter->hash_shift = 64 - capacity_log2;
    return filter->words != NULL;
}

/* A new table with the same entries. */
OUT_OF_LINE static void rebuild(struct snoop_filter *filter, unsigned capacity_log2, bool is_long)
{
    struct snoop_filter const old = *filter;

    filter->is_long = is_long;
    if (!allocate(filter, capacity_log2))
        abort();
    for (uint64_t place = 0; place <= old.mask; place++)
        if (!is_free(&old, place)) {
            uint64_t const line = key_at(&old, place) - 1;

            put(filter, probe(filter, line), line, entry_at(&old, place));
        }
    host_lines_free(old.words);
}

/* Before an entry of this line gets this port. */
static void make_fit(struct snoop_filter *filter, uint64_t line, unsigned port)
{
    if (RARELY((line + 1) >> SHORT_KEY_BITS != 0 || port >= SHORT_PORTS) && !filter->is_long)
        rebuild(filter, 64 - filter->hash_shift, true);
}

/* place: what probe answered for the line, which has no entry; its entry will stand at the answer. */
static uint64_t make_room(struct snoop_filter *filter, uint64_t place, uint64_t line)
{
    filter->count++;
    if (USUALLY(8 * filter->count <= 5 * (filter->mask + 1)))
        return place;
    rebuild(filter, 64 - filter->hash_shift + 2, filter->is_long);
    return probe(filter, line);
}

static void remove_at(struct snoop_filter *filter, uint64_t hole)
{
    uint64_t place = hole;

    for (;;) {
        uint64_t line;

        place = (place + 1) & filter->mask;
        if (is_free(filter, place))
            break;
        line = key_at(filter, place) - 1;
        if (((place - home_of(filter, line)) & filter->mask) >= ((place - hole) & filter->mask)) {
            put(filter, hole, line, entry_at(filter, place));
            hole = place;
        }
    }
    filter->words[filter->is_long ? 3 * hole : hole] = 0;
    filter->count--;
}

static bool is_empty(struct snoop_filter_entry entry)
{
    return (entry.requested | entry.holders) == 0;
}

static void put_or_remove(struct snoop_filter *filter, uint64_t place, uint64_t line, struct snoop_filter_entry entry)
{
    if (is_empty(entry))
        remove_at(filter, place);
    else
        put(filter, place, line, entry);
}

static bool is_single(uint64_t mask)
{
    return mask != 0 && (mask & (mask - 1)) == 0;
}

static uint64_t port_bit(unsigned port)
{
    return UINT64_C(1) << port;
}

void snoop_filter_expect(const struct snoop_filter *filter, uint64_t line)
{
    uint64_t const place = home_of(filter, line);

    FETCH_SOON(&filter->words[filter->is_long ? 3 * place : place]);
}

struct fault snoop_filter_init(struct snoop_filter *filter)
{
    *filter = (struct snoop_filter){0};
    if (!allocate(filter, FIRST_CAPACITY_LOG2))
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
    uint64_t const place = probe(filter, line);

    return has_line(filter, place) ? entry_at(filter, place) : (struct snoop_filter_entry){0};
}

/* A cache's request is tracked unless uncacheable: one that wants an answer marks the port as having requested the
 * line (unless a cache has it in hand already), an eviction takes the port from the holders (unless a copy stays
 * above it). */
uint64_t snoop_filter_request(struct snoop_filter *filter, const struct packet *packet, uint64_t line, unsigned port,
                              bool is_snooping, struct snoop_filter_ticket *ticket)
{
    uint64_t const own_bit = port_bit(port);
    uint32_t const attributes = command_attributes(packet->command);
    bool const is_tracked = is_snooping && (attributes & ATTR_FROM_CACHE) && !packet_is_uncacheable(packet);
    struct snoop_filter_entry entry = {0};
    uint64_t place, interested = 0;

    if (is_tracked)
        make_fit(filter, line, port);
    place = probe(filter, line);
    *ticket = (struct snoop_filter_ticket){.has_entry = is_tracked || has_line(filter, place)};
    if (RARELY(!ticket->has_entry))
        return 0;
    filter->stats.tot_requests++;
    if (has_line(filter, place)) {
        entry = entry_at(filter, place);
        interested = entry.requested | entry.holders;
        if (is_single(interested))
            filter->stats.hit_single_requests++;
        else
            filter->stats.hit_multi_requests++;
    } else {
        place = make_room(filter, place, line);
    }
    if (RARELY(!is_tracked))
        return interested & ~own_bit;
    if (attributes & ATTR_NEEDS_RESPONSE) {
        if (!packet->cache_responding) {
            ticket->added = own_bit & ~entry.requested;
            entry.requested |= own_bit;
        }
    } else if (!packet->block_cached) {
        ticket->taken = own_bit & entry.holders;
        entry.holders &= ~own_bit;
    }
    put(filter, place, line, entry);
    ticket->left_empty = is_empty(entry);
    return interested & ~own_bit;
}

void snoop_filter_finish(struct snoop_filter *filter, uint64_t line, struct snoop_filter_ticket ticket, bool accepted)
{
    struct snoop_filter_entry entry;
    uint64_t place;

    if (!ticket.has_entry || (accepted && !ticket.left_empty))
        return;
    place = probe(filter, line);
    if (!has_line(filter, place))
        return;
    entry = entry_at(filter, place);
    if (!accepted) {
        entry.requested &= ~ticket.added;
        entry.holders |= ticket.taken;
    }
    put_or_remove(filter, place, line, entry);
}

void snoop_filter_response(struct snoop_filter *filter, uint64_t line, unsigned port)
{
    uint64_t place;

    make_fit(filter, line, port);
    place = probe(filter, line);
    if (has_line(filter, place)) {
        struct snoop_filter_entry const entry = entry_at(filter, place);

        put(filter, place, line, (struct snoop_filter_entry){entry.requested & ~port_bit(port),
                                                             entry.holders | port_bit(port)});
    }
}

uint64_t snoop_filter_snoop(struct snoop_filter *filter, uint64_t line, bool is_invalidate)
{
    uint64_t const place = probe(filter, line);
    struct snoop_filter_entry entry;
    uint64_t targets;

    if (!has_line(filter, place))
        return 0;
    entry = entry_at(filter, place);
    targets = entry.requested | entry.holders;
    filter->stats.tot_snoops++;
    if (is_single(targets))
        filter->stats.hit_single_snoops++;
    else
        filter->stats.hit_multi_snoops++;
    if (is_invalidate && entry.requested == 0)
        remove_at(filter, place);
    return targets;
}

void snoop_filter_snoop_response_down(struct snoop_filter *filter, uint64_t line, bool has_sharers)
{
    uint64_t const place = probe(filter, line);

    if (!has_sharers && has_line(filter, place))
        put_or_remove(filter, place, line, (struct snoop_filter_entry){entry_at(filter, place).requested, 0});
}

void snoop_filter_snoop_response_up(struct snoop_filter *filter, uint64_t line, bool has_sharers, unsigned port)
{
    struct snoop_filter_entry entry = {0};
    uint64_t place;

    make_fit(filter, line, port);
    place = probe(filter, line);
    if (has_line(filter, place))
        entry = entry_at(filter, place);
    else
        place = make_room(filter, place, line);
    put(filter, place, line, (struct snoop_filter_entry){entry.requested & ~port_bit(port),
                                                         (has_sharers ? entry.holders : 0) | port_bit(port)});
}
