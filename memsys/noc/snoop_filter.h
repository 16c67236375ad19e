/* Snoop filter: which CPU-side ports of a crossbar hold a line, or have requested it (classic-memory 5.6).
 *
 * Use: snoop_filter_request before a request is passed on, snoop_filter_undo if it is refused; the other functions at
 * the events that they are named after. Ports are bits of a mask: bit i is CPU-side port i.
 * Lines are numbers (address >> line_shift, ADDRESS_SECURE included): a secure line differs from the other one.
 *
 * Hook: `table` is where the entries are. It is the filter's own hash table, unless the fast engine puts another in its
 * place before the first request (memsys/fast/snoop_words.h).
 * Ownership: the entries are the filter's. Their memory follows the number of lines that the caches above hold; running
 * out of it while a simulation runs is sim_out_of_memory. */
#ifndef MEMSYS_NOC_SNOOP_FILTER_H
#define MEMSYS_NOC_SNOOP_FILTER_H

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

struct snoop_filter_table {
    void *(*new)(const struct sim *sim);                         /* NULL: out of memory */
    void (*free)(void *entries);
    struct snoop_filter_entry (*find)(const void *entries, uint64_t line);
    void (*put)(void *entries, uint64_t line, struct snoop_filter_entry entry);      /* an empty entry is dropped */
    /* Instead of find and put in snoop_filter_response; NULL in the plain engine. */
    void (*respond)(void *entries, uint64_t line, unsigned port, const struct packet *packet);
};

struct snoop_filter {
    const struct snoop_filter_table *table;
    void *entries;
    struct snoop_filter_stats stats;
};

/* Changes that snoop_filter_request made to the line's entry, for snoop_filter_undo. */
struct snoop_filter_ticket {
    uint64_t added, taken;           /* ports added to `requested`, taken from `holders` */
};

/* FAULT_MEMORY if the table cannot be allocated. sim: for sim_out_of_memory; NULL: aborts instead. */
struct fault snoop_filter_init(struct snoop_filter *filter, const struct sim *sim);
void snoop_filter_free(struct snoop_filter *filter);

/* The ports above that hold or have requested the line. */
struct snoop_filter_entry snoop_filter_find(const struct snoop_filter *filter, uint64_t line);

/* A request of CPU-side port `port`, which is_snooping or not. Returns the other ports that hold or have requested the
 * line. Reads the packet's marks as they are before the crossbar sets any. */
uint64_t snoop_filter_request(struct snoop_filter *filter, const struct packet *packet, uint64_t line, unsigned port,
                              bool is_snooping, struct snoop_filter_ticket *ticket);
/* Undoes the request for `line`, which was not accepted. */
void snoop_filter_undo(struct snoop_filter *filter, uint64_t line, struct snoop_filter_ticket ticket);
/* A response, `packet`, goes up to `port`. Only for cacheable packets and snooping ports; so is
 * snoop_filter_snoop_response_up. */
void snoop_filter_response(struct snoop_filter *filter, uint64_t line, unsigned port, const struct packet *packet);
/* A snoop from below: returns the ports to forward it to. */
uint64_t snoop_filter_snoop(struct snoop_filter *filter, uint64_t line, bool is_invalidate);
/* A snoop response leaves downward. */
void snoop_filter_snoop_response_down(struct snoop_filter *filter, uint64_t line, bool has_sharers);
/* A snoop response becomes the normal response of `port`. */
void snoop_filter_snoop_response_up(struct snoop_filter *filter, uint64_t line, bool has_sharers, unsigned port);

/* A cache at `port` holds the line from now on; nothing was requested. */
void snoop_filter_hold(struct snoop_filter *filter, uint64_t line, unsigned port);

#endif
