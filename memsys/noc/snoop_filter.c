/* Modelled: classic-memory 5.6. Not modelled: the panic at 8 MiB worth of lines; cache maintenance commands.
 *
 * The table: open addressing, at most half full. A dropped entry keeps its slot, with both masks 0, until the table is
 * made anew; so a search ends at the first slot that was never used. */
#include "memsys/noc/snoop_filter.h"

#include <stdlib.h>

#include "memsys/sim/out_of_memory.h"

#define FIRST_CAPACITY 1024

/* ---- the table */

struct slot {
    uint64_t key;                    /* line + 1; 0: never used */
    struct snoop_filter_entry entry;
};

struct slots {
    struct slot *list;
    uint64_t capacity, used;         /* a power of two; slots with a key */
    const struct sim *sim;
};

static bool is_empty(struct snoop_filter_entry entry)
{
    return (entry.requested | entry.holders) == 0;
}

static void *slots_new(const struct sim *sim)
{
    struct slots *const slots = malloc(sizeof *slots);

    if (!slots)
        return NULL;
    *slots = (struct slots){.capacity = FIRST_CAPACITY, .sim = sim};
    slots->list = calloc(FIRST_CAPACITY, sizeof *slots->list);
    if (slots->list)
        return slots;
    free(slots);
    return NULL;
}

static void slots_free(void *entries)
{
    struct slots *const slots = entries;

    if (slots)
        free(slots->list);
    free(slots);
}

/* The slot of the line, or the unused one where it belongs. */
static struct slot *snoop_filter_slot_of(const struct slots *slots, uint64_t line)
{
    uint64_t place = line * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (slots->capacity - 1);    /* Fibonacci hashing */

    while (slots->list[place].key != 0 && slots->list[place].key != line + 1)
        place = (place + 1) & (slots->capacity - 1);
    return &slots->list[place];
}

static struct snoop_filter_entry slots_find(const void *entries, uint64_t line)
{
    return snoop_filter_slot_of(entries, line)->entry;
}

/* The same without dropped entries, and at most a quarter full. */
static void slots_renew(struct slots *slots)
{
    struct slots const old = *slots;

    for (uint64_t i = slots->used = 0; i < old.capacity; i++)
        slots->used += !is_empty(old.list[i].entry);
    while (slots->used > slots->capacity / 4)
        slots->capacity *= 2;
    slots->list = calloc(slots->capacity, sizeof *slots->list);
    if (!slots->list) {
        *slots = old;
        sim_out_of_memory(slots->sim);
    }
    for (uint64_t i = 0; i < old.capacity; i++)
        if (!is_empty(old.list[i].entry))
            *snoop_filter_slot_of(slots, old.list[i].key - 1) = old.list[i];
    free(old.list);
}

static void slots_put(void *entries, uint64_t line, struct snoop_filter_entry entry)
{
    struct slots *const slots = entries;
    struct slot *slot = snoop_filter_slot_of(slots, line);

    if (slot->key == 0) {
        if (is_empty(entry))
            return;
        if (slots->used >= slots->capacity / 2) {
            slots_renew(slots);
            slot = snoop_filter_slot_of(slots, line);
        }
        slots->used++;
    }
    *slot = (struct slot){line + 1, entry};
}

static const struct snoop_filter_table plain_table = {slots_new, slots_free, slots_find, slots_put, NULL};

/* ---- the rules */

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
    *filter = (struct snoop_filter){.table = &plain_table, .entries = plain_table.new(sim)};
    return filter->entries ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for a snoop filter");
}

void snoop_filter_free(struct snoop_filter *filter)
{
    if (filter->table)
        filter->table->free(filter->entries);
    *filter = (struct snoop_filter){0};
}

struct snoop_filter_entry snoop_filter_find(const struct snoop_filter *filter, uint64_t line)
{
    return filter->table->find(filter->entries, line);
}

static void snoop_filter_put(struct snoop_filter *filter, uint64_t line, struct snoop_filter_entry entry)
{
    filter->table->put(filter->entries, line, entry);
}

/* A cache's request is tracked unless uncacheable: one that wants an answer marks the port as having requested the
 * line (unless a cache has it in hand already), an eviction takes the port from the holders (unless a copy stays
 * above it). */
uint64_t snoop_filter_request(struct snoop_filter *filter, const struct packet *packet, uint64_t line, unsigned port,
                              bool is_snooping, struct snoop_filter_ticket *ticket)
{
    bool const is_tracked = is_snooping && packet_is(packet, ATTR_FROM_CACHE) && !packet_is_uncacheable(packet);
    uint64_t const own_bit = port_bit(port);
    struct snoop_filter_entry entry = snoop_filter_find(filter, line);
    uint64_t const interested = entry.requested | entry.holders;

    *ticket = (struct snoop_filter_ticket){0};
    if (!is_tracked && interested == 0)
        return 0;
    filter->stats.tot_requests++;
    if (is_single(interested))
        filter->stats.hit_single_requests++;
    else if (interested != 0)
        filter->stats.hit_multi_requests++;
    if (!is_tracked)
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
    snoop_filter_put(filter, line, entry);
    return interested & ~own_bit;
}

void snoop_filter_undo(struct snoop_filter *filter, uint64_t line, struct snoop_filter_ticket ticket)
{
    struct snoop_filter_entry entry;

    if ((ticket.added | ticket.taken) == 0)
        return;
    entry = snoop_filter_find(filter, line);
    snoop_filter_put(filter, line, (struct snoop_filter_entry){entry.requested & ~ticket.added,
                                                               entry.holders | ticket.taken});
}

void snoop_filter_response(struct snoop_filter *filter, uint64_t line, unsigned port, const struct packet *packet)
{
    uint64_t const bit = port_bit(port);
    struct snoop_filter_entry entry;

    if (filter->table->respond) {
        filter->table->respond(filter->entries, line, port, packet);
        return;
    }
    entry = snoop_filter_find(filter, line);
    if (!is_empty(entry))
        snoop_filter_put(filter, line, (struct snoop_filter_entry){entry.requested & ~bit, entry.holders | bit});
}

uint64_t snoop_filter_snoop(struct snoop_filter *filter, uint64_t line, bool is_invalidate)
{
    struct snoop_filter_entry const entry = snoop_filter_find(filter, line);
    uint64_t const targets = entry.requested | entry.holders;

    if (targets == 0)
        return 0;
    filter->stats.tot_snoops++;
    if (is_single(targets))
        filter->stats.hit_single_snoops++;
    else
        filter->stats.hit_multi_snoops++;
    if (is_invalidate && entry.requested == 0)
        snoop_filter_put(filter, line, (struct snoop_filter_entry){0});
    return targets;
}

void snoop_filter_snoop_response_down(struct snoop_filter *filter, uint64_t line, bool has_sharers)
{
    if (!has_sharers)
        snoop_filter_put(filter, line, (struct snoop_filter_entry){.requested = snoop_filter_find(filter,
                                                                                                  line).requested});
}

void snoop_filter_snoop_response_up(struct snoop_filter *filter, uint64_t line, bool has_sharers, unsigned port)
{
    struct snoop_filter_entry const entry = snoop_filter_find(filter, line);

    snoop_filter_put(filter, line, (struct snoop_filter_entry){entry.requested & ~port_bit(port),
                                                               (has_sharers ? entry.holders : 0) | port_bit(port)});
}

void snoop_filter_hold(struct snoop_filter *filter, uint64_t line, unsigned port)
{
    struct snoop_filter_entry const entry = snoop_filter_find(filter, line);

    snoop_filter_put(filter, line, (struct snoop_filter_entry){entry.requested, entry.holders | port_bit(port)});
}
