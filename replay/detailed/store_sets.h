/* Store sets: which loads wait for which stores (o3-core 5.8; Chrysos and Emer, ISCA 1998).
 *
 * Use: store_sets_init with arrays of the caller's (store_sets_bytes); for each memory micro-op store_sets_check, for a
 * store store_sets_insert as well; store_sets_issued, store_sets_violation, store_sets_squash as things happen.
 * No allocation, no errors. */
#ifndef REPLAY_DETAILED_STORE_SETS_H
#define REPLAY_DETAILED_STORE_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_set_id {
    uint32_t id;
    uint16_t is_valid, vain;             /* vain: waits in a row for a store of another address */
};
struct store_set_last { uint64_t seq; uint32_t is_valid; };

struct store_sets {
    struct store_set_id *ids;            /* SSIT, by pc */
    struct store_set_last *last;         /* LFST, by identifier */
    uint32_t id_mask, last_mask;
    uint64_t period, stores;
    bool is_on;
};

size_t store_sets_bytes(uint64_t ssit_entries, uint64_t lfst_entries);
void store_sets_init(struct store_sets *sets, void *memory, uint64_t ssit_entries, uint64_t lfst_entries,
                     uint64_t period, bool is_on);

/* The store that an access of this pc waits for; 0: none. */
uint64_t store_sets_check(const struct store_sets *sets, uint64_t pc);
/* True: *set is the set that knows it as its last store. */
bool store_sets_insert(struct store_sets *sets, uint64_t pc, uint64_t seq, uint32_t *set);
void store_sets_issued(struct store_sets *sets, uint64_t pc, uint64_t seq);
void store_sets_violation(struct store_sets *sets, uint64_t store_pc, uint64_t load_pc);
/* A load waited for a store of its set, and whether that had its bytes: after `trust` waits in a row for nothing the
 * load leaves the set; 0: it stays. Not of the reference; as confidence counters of M. Moshovos, G. Sohi, "Streamlining
 * Inter-operation Memory Communication via Data Dependence Prediction", MICRO 1997. */
void store_sets_waited(struct store_sets *sets, uint64_t load_pc, bool was_right, uint64_t trust);
/* A store of that set is squashed: all younger than seq are. */
void store_sets_squash(struct store_sets *sets, uint32_t set, uint64_t seq);

#endif
