/* Modelled: classic-memory 5.6. Not modelled: the panic at 8 MiB worth of lines; cache maintenance commands.
 *
 * 1. Outside of a request in progress no entry has both masks 0.
 * 2. An entry stands at its hashed place or behind it without a free place in between; removal moves later ones back,
 *    so there are no tombstones and a full run of removals leaves the table as if they had never been inserted.
 * 3. At most half of the places are taken: a probe ends soon, and always. */
#include "memsys/snoop_filter.h"

#include <stdlib.h>

#define FIRST_CAPACITY_LOG2 10

static uint64_t home_of(const struct snoop_filter *filter, uint64_t line)
{
    return (line * UINT64_C(0x9E3779B97F4A7C15)) >> filter->hash_shift;    /* Fibonacci hashing */
}

/* Place of the line's entry, or of the free place where it belongs. */
static struct snoop_filter_entry *probe(const struct snoop_filter *filter, uint64_t line)
{
    uint64_t place = home_of(filter, line);

    while (filter->entries[place].line != line && filter->entries[place].line != SNOOP_FILTER_FREE)
        place = (place + 1) & filter->mask;
    return &filter->entries[place];
}

static bool allocate(struct snoop_filter *filter, unsigned capacity_log2)
{
    uint64_t const capacity = UINT64_C(1) << capacity_log2;
    struct snoop_filter_entry *const entries = malloc((size_t)capacity * sizeof *entries);

    if (!entries)
        return false;
    for (uint64_t i = 0; i < capacity; i++)
        entries[i] = (struct snoop_filter_entry){.line = SNOOP_FILTER_FREE};
    filter->entries = entries;
    filter->mask = capacity - 1;
    filter->hash_shift = 64 - capacity_log2;
    return true;
}

OUT_OF_LINE static void grow(struct snoop_filter *filter)
{
    struct snoop_filter_entry *const old = filter->entries;
    uint64_t const old_capacity = filter->mask + 1;

    if (!allocate(filter, 64 - filter->hash_shift + 1))
        abort();
    for (uint64_t i = 0; i < old_capacity; i++)
        if (old[i].line != SNOOP_FILTER_FREE)
            *probe(filter, old[i].line) = old[i];
    free(old);
}

/* place: what probe answered for the line, which has no entry. */
static IN_LINE struct snoop_filter_entry *insert_at(struct snoop_filter *filter, struct snoop_filter_entry *place,
                                            uint64_t line)
{
    assert(line != SNOOP_FILTER_FREE && place->line == SNOOP_FILTER_FREE);
    if (RARELY(2 * (filter->count + 1) > filter->mask + 1)) {
        grow(filter);
        place = probe(filter, line);
    }
    filter->count++;
    *place = (struct snoop_filter_entry){.line = line};
    return place;
}

static void remove_entry(struct snoop_filter *filter, struct snoop_filter_entry *entry)
{
    uint64_t hole = (uint64_t)(entry - filter->entries);
    uint64_t place = hole;

    for (;;) {
        uint64_t home;

        place = (place + 1) & filter->mask;
        if (filter->entries[place].line == SNOOP_FILTER_FREE)
            break;
        home = home_of(filter, filter->entries[place].line);
        if (((place - home) & filter->mask) >= ((place - hole) & filter->mask)) {
            filter->entries[hole] = filter->entries[place];
            hole = place;
        }
    }
    filter->entries[hole].line = SNOOP_FILTER_FREE;
    filter->count--;
}

static void remove_if_empty(struct snoop_filter *filter, struct snoop_filter_entry *entry)
{
    if ((entry->requested | entry->holders) == 0)
        remove_entry(filter, entry);
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
    FETCH_SOON(&filter->entries[home_of(filter, line)]);
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
    free(filter->entries);
    *filter = (struct snoop_filter){0};
}

struct snoop_filter_entry *snoop_filter_find(const struct snoop_filter *filter, uint64_t line)
{
    struct snoop_filter_entry *const entry = probe(filter, line);

    return entry->line == line ? entry : NULL;
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
    struct snoop_filter_entry *entry = probe(filter, line);
    uint64_t interested = 0;

    *ticket = (struct snoop_filter_ticket){.has_entry = is_tracked || entry->line == line};
    if (RARELY(!ticket->has_entry))
        return 0;
    filter->stats.tot_requests++;
    if (entry->line != line) {
        entry = insert_at(filter, entry, line);
    } else {
        interested = entry->requested | entry->holders;
        if (is_single(interested))
            filter->stats.hit_single_requests++;
        else
            filter->stats.hit_multi_requests++;
    }
    if (RARELY(!is_tracked))
        return interested & ~own_bit;
    if (attributes & ATTR_NEEDS_RESPONSE) {
        if (!packet->cache_responding) {
            ticket->added = own_bit & ~entry->requested;
            entry->requested |= own_bit;
        }
    } else if (!packet->block_cached) {
        ticket->taken = own_bit & entry->holders;
        entry->holders &= ~own_bit;
    }
    ticket->left_empty = (entry->requested | entry->holders) == 0;
    return interested & ~own_bit;
}

void snoop_filter_finish(struct snoop_filter *filter, uint64_t line, struct snoop_filter_ticket ticket, bool accepted)
{
    struct snoop_filter_entry *entry;

    if (!ticket.has_entry || (accepted && !ticket.left_empty))
        return;
    entry = snoop_filter_find(filter, line);
    if (!entry)
        return;
    if (!accepted) {
        entry->requested &= ~ticket.added;
        entry->holders |= ticket.taken;
    }
    remove_if_empty(filter, entry);
}

void snoop_filter_response(struct snoop_filter *filter, uint64_t line, unsigned port)
{
    struct snoop_filter_entry *const entry = snoop_filter_find(filter, line);

    if (entry) {
        entry->requested &= ~port_bit(port);
        entry->holders |= port_bit(port);
    }
}

uint64_t snoop_filter_snoop(struct snoop_filter *filter, uint64_t line, bool is_invalidate)
{
    struct snoop_filter_entry *const entry = snoop_filter_find(filter, line);
    uint64_t targets;

    if (!entry)
        return 0;
    targets = entry->requested | entry->holders;
    filter->stats.tot_snoops++;
    if (is_single(targets))
        filter->stats.hit_single_snoops++;
    else
        filter->stats.hit_multi_snoops++;
    if (is_invalidate && entry->requested == 0) {
        entry->holders = 0;
        remove_entry(filter, entry);
    }
    return targets;
}

void snoop_filter_snoop_response_down(struct snoop_filter *filter, uint64_t line, bool has_sharers)
{
    struct snoop_filter_entry *const entry = snoop_filter_find(filter, line);

    if (entry && !has_sharers) {
        entry->holders = 0;
        remove_if_empty(filter, entry);
    }
}

void snoop_filter_snoop_response_up(struct snoop_filter *filter, uint64_t line, bool has_sharers, unsigned port)
{
    struct snoop_filter_entry *entry = probe(filter, line);

    if (entry->line != line)
        entry = insert_at(filter, entry, line);
    if (!has_sharers)
        entry->holders = 0;
    entry->holders |= port_bit(port);
    entry->requested &= ~port_bit(port);
}
