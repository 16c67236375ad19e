/* Threads of MacSim CPU applications, for the cores of a system.
 *
 * A thread starts when the main thread of its application (its first) has fetched as many instructions as the header
 * says; if main ends before, at main's end. Main threads start at once. A thread whose time has come goes to the free
 * core of the lowest number, or waits for one, first come, first served; it stays there to its end. All cores see one
 * address space for an application; applications have their own.
 *
 * Use: macsim_threads_open; macsim_threads_of_system, for cores of system_traces with takes_threads, given to
 * system_set_threads; macsim_threads_close after system_destroy. For another run of the same threads open them anew.
 * Ownership: borrows the set. */
#ifndef REPLAY_SYSTEM_MACSIM_THREADS_H
#define REPLAY_SYSTEM_MACSIM_THREADS_H

#include "base/fault.h"
#include "proto/macsim/elastic.h"
#include "memsys/vm/space.h"
#include "proto/macsim/set.h"
#include "replay/system/system.h"

struct macsim_threads;

/* Where pages lie. */
struct macsim_memory {
    uint64_t base;                       /* the lowest physical address: pages lie from there on, by first touch ... */
    struct vm_memory *spaces;            /* ... unless this says where, a space for each application; borrowed */
    const char *map;                     /* file for spaces_map; "": none */
    struct threads_pick pick;
};

/* The set's CPU applications, of which there must be one; those of GPUs are left alone. options: period_ps, line_bytes
 * and fetch_bytes should be the system's. Reads all threads once. NULL on failure. */
struct macsim_threads *macsim_threads_open(const struct macsim_set *set, const struct macsim_elastic_options *options,
                                           const struct macsim_memory *memory, struct fault *fault);
void macsim_threads_close(struct macsim_threads *threads);
size_t macsim_threads_count(const struct macsim_threads *threads);

/* Applications. */
size_t macsim_threads_programs(const struct macsim_threads *threads);
struct threads_program macsim_threads_program(const struct macsim_threads *threads, const struct system *system,
                                              size_t i);

struct system_threads macsim_threads_of_system(struct macsim_threads *threads);

/* Part of the instructions that have become records, 0 to 1. */
double macsim_threads_position(const struct macsim_threads *threads);
/* The i-th thing to warn of, one line; NULL: no more. Complete after the run. */
const char *macsim_threads_warning(const struct macsim_threads *threads, size_t i);

#endif
