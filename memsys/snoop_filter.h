/* Snoop filter: which CPU-side ports of a crossbar hold a line, or have requested it (classic-memory 5.6).
 *
 * Use: snoop_filter_request before a request is passed on, snoop_filter_finish after; the other functions when the
 * crossbar sees what they are named after. Ports are bits of a mask: bit i is CPU-side port i.
 * Lines are numbers (address >> line_shift, ADDRESS_SECURE included): a secure line is not the other one.
 *
 * Ownership: the table is the filter's. It grows fourfold when five eighths are taken and never shrinks, so a run stops
 * allocating when the caches above are warm. Entries are short, a word, until a line or port comes that does not fit;
 * then all become long. Out of memory aborts, as with packets: no caller could go on. */
#ifndef MEMSYS_SNOOP_FILTER_H
#define MEMSYS_SNOOP_FILTER_H

#include "memsys/packet.h"

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
    uint64_t *words;                 /* open addressing, linear probes, capacity a power of two; see the source */
    uint64_t mask;                   /* capacity - 1 */
    unsigned hash_shift;             /* 64 - log2(capacity) */
    bool is_long;
    uint64_t count;
    struct snoop_filter_stats stats;
};

/* What snoop_filter_finish needs to know of a request: what it did to its line's entry. */
struct snoop_filter_ticket {
    uint64_t added, taken;           /* ports that it added to those that have requested, took from the holders */
    bool has_entry, left_empty;
};

/* FAULT_MEMORY if there is none. */
struct fault snoop_filter_init(struct snoop_filter *filter);
void snoop_filter_free(struct snoop_filter *filter);

/* The line will be looked up. */
void snoop_filter_expect(const struct snoop_filter *filter, uint64_t line);
/* Who above holds or has requested the line. */
struct snoop_filter_entry snoop_filter_find(const struct snoop_filter *filter, uint64_t line);

/* A request of CPU-side port `port`, which is_snooping or not. Returns the other ports that hold or have requested the
 * line. Reads the packet's marks as they are before the crossbar sets any. */
uint64_t snoop_filter_request(struct snoop_filter *filter, const struct packet *packet, uint64_t line, unsigned port,
                              bool is_snooping, struct snoop_filter_ticket *ticket);
/* Undoes the request for `line` if it was not accepted. Nothing is to do for one that was accepted and has not
 * left_empty. */
void snoop_filter_finish(struct snoop_filter *filter, uint64_t line, struct snoop_filter_ticket ticket, bool accepted);

/* A response goes up to `port`. Only for cacheable packets and snooping ports; so is snoop_filter_snoop_response_up. */
void snoop_filter_response(struct snoop_filter *filter, uint64_t line, unsigned port);
/* A snoop from below: returns the ports to forward it to. */
uint64_t snoop_filter_snoop(struct snoop_filter *filter, uint64_t line, bool is_invalidate);
/* A snoop response leaves downward. */
void snoop_filter_snoop_response_down(struct snoop_filter *filter, uint64_t line, bool has_sharers);
/* A snoop response becomes the normal response of `port`. */
void snoop_filter_snoop_response_up(struct snoop_filter *filter, uint64_t line, bool has_sharers, unsigned port);

#endif
