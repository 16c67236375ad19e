/* Threads of instruction traces, for the cores of a system.
 *
 * Each trace is a process: its threads see one address space, processes have their own. A thread, or a part of it,
 * whose time has come (replay/system/insn_sync.h) goes to the core that it ran on before, if that is free, else to the
 * free core of the lowest number, or waits for one, first come, first served. It stays there until it ends or waits for
 * another thread; what it has under way is complete before that, as before a system call that the kernel blocks in.
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
#ifndef REPLAY_SYSTEM_INSN_THREADS_H
#define REPLAY_SYSTEM_INSN_THREADS_H

#include "base/fault.h"
#include "memsys/vm/space.h"
#include "proto/insn/elastic.h"
#include "replay/detailed/uops/thread.h"
#include "replay/system/insn_sync.h"
#include "replay/system/system.h"

struct insn_threads_setup {
    struct insn_trace *const *traces;
    size_t trace_count;
    struct insn_elastic_options options; /* period_ps, line_bytes and fetch_bytes should be the system's */
    bool is_free;                        /* no thread waits for another one */
    struct vm_memory *memory;            /* spaces are made in it */
    const char *pages_map;               /* file that says where the pages of the one process lie; "": none */
    bool needs_all_pages;                /* where a page lies depends on all that are touched */
    uint64_t addresses;                  /* enum insn_addresses_key: what they are, or what the traces' formats say */
    bool is_identity;                    /* all of them lie where they say, by the policy of pages */
    uint64_t memory_clock_ps;            /* of times that count in it */
    bool is_detailed;                    /* for detailed cores: of options only line_bytes counts, and ... */
    bool wrong_path_values;              /* ... and that */
    bool wrong_path_loads;               /* ... that of replay/detailed/uops/thread.h */
    struct threads_pick pick;
};

/* What of the files is no record (struct insn_counts). */
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
    size_t traces, physical;             /* physical: those whose addresses are */
    bool is_in_order;                    /* there are traces without dependences ... */
    bool is_elastic;                     /* ... and with */
    size_t threads;
    struct insn_sync_counts sync;
    bool is_free;
    bool is_detailed;                    /* of depend only the instructions are known, and ... */
    struct supply_figures supply;        /* ... these */
    bool has_images;                     /* of all traces */
    bool has_seen_code;                  /* where they lack, the code that was executed stands in (registers only) */
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

struct system_threads insn_threads_of_system(struct insn_threads *threads);

/* Part of the instructions that have become records, 0 to 1; as far as it is known how many there are. */
double insn_threads_position(const struct insn_threads *threads);
struct insn_threads_figures insn_threads_figures(const struct insn_threads *threads);
/* The i-th thing to warn of, one line; NULL: no more. Complete after the run. */
const char *insn_threads_warning(const struct insn_threads *threads, size_t i);

#endif
