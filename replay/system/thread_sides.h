/* The two sides of a core that runs a thread: records and fetches of its instructions, as sources for the core.
 *
 * A thread is decoded twice, once for each side: the sides are not coupled, so one may be any number of records ahead
 * of the other. The owner of the thread supplies two decoders of it, whose outputs are those of proto/depend/depend.h.
 * Use: thread_sides_begin when a core takes the thread; thread_sides_records and thread_sides_fetches, for the core;
 * thread_sides_free. It may begin anew after its end, with the same decoders or others. Ownership: borrows the
 * decoders; must stay where it is while a core has its sources. */
#ifndef REPLAY_SYSTEM_THREAD_SIDES_H
#define REPLAY_SYSTEM_THREAD_SIDES_H

#include "base/fault.h"
#include "memsys/vm/vm_space.h"
#include "proto/depend/depend.h"
#include "proto/insn/insn_elastic.h"
#include "proto/macsim/macsim_elastic.h"
#include "proto/macsim/set.h"
#include "replay/detailed/uops/thread.h"
#include "replay/elastic/trace_source.h"
#include "replay/system/insn_sync.h"
#include "replay/system/system.h"

enum thread_step { THREAD_GAVE, THREAD_IS_OVER, THREAD_FAILED };

struct thread_decoders {
    /* The next instruction; error: why it failed. */
    enum thread_step (*next)(void *decoder, struct depend_output *output, struct fault *error);
    void *data, *fetch;                  /* the two; fetch: NULL if there are no fetches */
    /* Reports the number of instructions that the core has fetched, UINT64_MAX: all. May be NULL. */
    void (*fetched)(void *context, uint64_t instructions);
    void *context;
};

enum { THREAD_SIDES_WAITING = 6 };

struct thread_waiting_fetch {
    struct packet_record fetch;
    uint64_t before;                     /* instructions before the one that brought it */
};

struct thread_sides {
    struct thread_decoders decoders;

    /* data side */
    struct store_record *records;
    struct store_shape *shapes;
    struct store_lists *lists;           /* of the shape of the same place */
    size_t record_room;
    uint32_t *distances, *edges;
    uint64_t *no_distances;              /* all 0: no distance in records is missing */
    size_t dep_room;

    /* fetch side */
    struct thread_waiting_fetch waiting[THREAD_SIDES_WAITING];
    size_t waiting_count;
    bool fetch_ended, gave_fetch;
    uint64_t last_tick, given_until;     /* given_until: instructions that the fetch given last completes */
    struct store_fetch_shape fetch_shape;
    struct store_fetch store_fetch;
};

/* Decodes until the second fetch is known. sides: all zero, or used before. */
struct fault thread_sides_begin(struct thread_sides *sides, const struct thread_decoders *decoders);
void thread_sides_free(struct thread_sides *sides);

struct record_source thread_sides_records(struct thread_sides *sides, const char *name, uint64_t window);
struct fetch_source thread_sides_fetches(struct thread_sides *sides, const char *name);
/* The pc of the next fetch; 0: none is left. */
uint64_t thread_sides_pc(const struct thread_sides *sides);

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

/* Threads of instruction traces, for the cores of a system.
 *
 * Each trace is a process: its threads see one address space, processes have their own. A thread, or a part of it,
 * whose time has come (replay/system/insn_sync.h) goes to the core that it ran on before, if that is free, else to the
 * free core of the lowest number, or waits for one, first come, first served. It stays there until it ends or waits for
 * another thread; its instructions in flight complete before that, as before a blocking system call.
 *
 * Elastic cores get records of the instructions, detailed cores the instructions themselves
 * (replay/detailed/uops/thread.h).
 *
 * Pages get frames in the order in which instructions touch them, thread after thread. So a trace of several threads is
 * read once before the run, of which it needs the waits as well; one of a single thread is not.
 *
 * Use: insn_threads_open; insn_threads_of_system, for cores of system_traces with takes_threads, given to
 * system_set_threads; insn_threads_close after system_destroy. For another run of the same threads open them anew.
 * Ownership: borrows the traces and the memory. */

struct insn_threads_setup {
    struct insn_trace *const *traces;
    size_t trace_count;
    struct insn_elastic_options options; /* period_ps, line_bytes and fetch_bytes should be the system's */
    bool is_free;                        /* no thread waits for another one */
    struct vm_memory *memory;            /* spaces are made in it */
    const char *pages_map;               /* file that says where the pages of the one process lie; "": none */
    bool needs_all_pages;                /* where a page lies depends on all that are touched */
    uint64_t addresses;                  /* enum insn_addresses_key: virtual, physical, or by the traces' formats */
    bool is_identity;                    /* all of them lie where they say, by the policy of pages */
    uint64_t memory_clock_ps;            /* of times that count in it */
    bool is_detailed;                    /* for detailed cores: of options only line_bytes counts, and ... */
    bool wrong_path_values;              /* ... and that */
    bool wrong_path_loads;               /* ... that of replay/detailed/uops/thread.h */
    struct threads_pick pick;
};

/* Items of the files that became no record (struct insn_counts). */
struct insn_left_out { uint64_t messages, foreign, superblocks, zeros, without_data; };

struct insn_threads_figures {
    struct depend_counts depend;         /* of all threads, as far as they have been read */
    uint64_t accesses, replayed;         /* that the traces have; requests and micro-ops that they became */
    uint64_t undecoded;                  /* instructions of traces that have bytes or registers */
    struct insn_lost lost;
    struct insn_left_out left_out;
    uint32_t lacks;                      /* of all traces together, bits of enum insn_lack */
    uint32_t usual_size_bytes;           /* of accesses without a size, if lacks says that there are such */
    struct insn_meaning meaning;         /* of the first trace, as it was replayed; */
    bool are_mixed;                      /* of others it is another one */
    uint64_t time_ps;                    /* of a cycle of its times, if it has them */
    bool is_time_given;                  /* by the setup's options, not by its format */
    size_t traces, physical;             /* physical: those whose addresses are */
    bool is_in_order;                    /* there are traces without dependences ... */
    bool is_elastic;                     /* ... and with */
    size_t threads;
    struct insn_sync_counts sync;
    bool is_free;
    bool is_detailed;                    /* of depend only the instructions are known, and ... */
    struct supply_figures supply;        /* ... these */
    bool has_images;                     /* of all traces */
    bool has_seen_code;                  /* executed code replaces missing images (registers only) */
    bool has_values;                     /* of one at least: wrong paths are executed, and ... */
    struct machine_figures values;       /* ... these are that machine's */
    bool lacks_program;                  /* a trace that could have one has none */
};

struct insn_threads;

/* NULL on failure. */
struct insn_threads *insn_threads_open(const struct insn_threads_setup *setup, struct fault *fault);
void insn_threads_close(struct insn_threads *threads);
size_t insn_threads_count(const struct insn_threads *threads);

/* Processes. */
size_t insn_threads_programs(const struct insn_threads *threads);
struct threads_program insn_threads_program(const struct insn_threads *threads, const struct system *system, size_t i);

/* The core that a program of one thread will begin on, before the run, if there are as many cores as programs. */
unsigned insn_threads_first_core(const struct insn_threads *threads, size_t program);

struct system_threads insn_threads_of_system(struct insn_threads *threads);

/* Part of the instructions that have become records, 0 to 1; as far as it is known how many there are. */
double insn_threads_position(const struct insn_threads *threads);
struct insn_threads_figures insn_threads_figures(const struct insn_threads *threads);
/* The i-th warning, as one line; NULL: no more. The list is complete after the run. */
const char *insn_threads_warning(const struct insn_threads *threads, size_t i);

#endif
