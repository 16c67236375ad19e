/* rubato as a library: replays traces on a memory system, and drives a memory system with requests of one's own.
 *
 * Systems: rubato_system_open reads a YAML file, or one of the shipped systems by name ("laptop"); rubato_system_set
 * changes keys, as `rubato replay --set` does.
 * Replays: rubato_run_open opens traces for a system, rubato_run_execute runs them, rubato_run_value and
 * rubato_run_visit read statistics and metrics.
 * Memories: rubato_memory_open makes the memories of a system (or of one DRAM device: rubato_system_of_device);
 * rubato_memory_send asks, rubato_memory_advance lets time pass, and a callback is told of each answer.
 *
 * Units: times are picoseconds (_ps), sizes and addresses bytes; a statistic says its own unit.
 * Errors: a function that can fail returns false, or NULL for a handle, and fills the error that it was given, if it
 * was given one: what was wrong, where, and how to mend it, in one line. After success it is RUBATO_OK. An argument
 * that is NULL where none may be, an enumerator out of range, a size or time beyond its bounds is RUBATO_BAD_INPUT; a
 * function that cannot fail does nothing then, or returns 0 (a time or address that is none: UINT64_MAX). The library
 * prints nothing, ends no process, and writes no file but this: warps of raw GPU trace groups that do not fit in memory
 * are sorted through a temporary file without a name, in the folder of the environment variable TMPDIR, else in /tmp.
 * Ownership: a handle belongs to the caller until the function that closes it, which takes NULL, too. Texts of a
 * callback live as long as the call. Nothing that is passed is kept but the pointers `context` and `user`, which are
 * handed back and never followed.
 * Threads: handles are independent of each other, and nothing else is shared. Each may be used by one thread at a time;
 * two threads may use two handles at the same time. A system is only read by those who take it as const.
 * Callbacks are called by the thread that called the library. They may not close the handle that calls them, which is
 * ignored, nor leave by longjmp or an exception.
 * Files: a trace that changes while a run reads it is RUBATO_BAD_INPUT. Stores of at most 1 GiB are read into memory;
 * larger ones are mapped, and one that becomes shorter meanwhile sends the process a SIGBUS.
 * Versions: semantic. While MAJOR is 0, another MINOR may change the interface, and with it the shared library's name.
 * Numbers in files and texts are read with a point, as long as the program leaves the category LC_NUMERIC at "C". */
#ifndef RUBATO_H
#define RUBATO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The one place where the version stands: command, packages and documents take it from here. */
#define RUBATO_VERSION_MAJOR 0
#define RUBATO_VERSION_MINOR 1
#define RUBATO_VERSION_PATCH 0

#define RUBATO_TEXT_OF_(number) #number
#define RUBATO_TEXT_(number) RUBATO_TEXT_OF_(number)
#define RUBATO_VERSION                                                                                                \
    RUBATO_TEXT_(RUBATO_VERSION_MAJOR) "." RUBATO_TEXT_(RUBATO_VERSION_MINOR) "." RUBATO_TEXT_(RUBATO_VERSION_PATCH)
/* For #if: 0.1.0 is 100. */
#define RUBATO_VERSION_NUMBER (RUBATO_VERSION_MAJOR * 10000 + RUBATO_VERSION_MINOR * 100 + RUBATO_VERSION_PATCH)

#if defined(__GNUC__)
#define RUBATO_API __attribute__((visibility("default")))
#else
#define RUBATO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0", of the library that is linked; RUBATO_VERSION is that of the header. */
RUBATO_API const char *rubato_version(void);

/* ---- errors */
enum rubato_error_kind {
    RUBATO_OK = 0,
    RUBATO_BAD_INPUT,                /* a file, a key, an argument */
    RUBATO_STALLED,                  /* a simulation that cannot go on */
    RUBATO_NO_MEMORY
};

typedef struct rubato_error {
    enum rubato_error_kind kind;
    char message[640];               /* one line without its end; "" for RUBATO_OK */
} rubato_error;

/* ---- systems */
typedef struct rubato_system rubato_system;

/* name: the path of a YAML file, or a shipped system such as "laptop" or "qv100". Shipped systems are found beside the
 * library, in share/rubato/configs, or else inside it. error may be NULL, here and everywhere. */
RUBATO_API rubato_system *rubato_system_open(const char *name, rubato_error *error);
/* The same from `bytes` bytes of YAML; name stands for the file in errors, and files that it includes are looked up
 * beside it. */
RUBATO_API rubato_system *rubato_system_parse(const char *name, const char *text, size_t bytes, rubato_error *error);
/* One core and one channel of a DRAM device, such as "DDR4_2400_8x8", with the page policy and queues of its class;
 * rubato_system_set changes it further. */
RUBATO_API rubato_system *rubato_system_of_device(const char *device, rubato_error *error);
/* The devices there are: NULL past the last. */
RUBATO_API const char *rubato_device_name(size_t index);
/* assignment: "l2.size=512KiB", "memory.channels=2". After a failure the system is what it was. */
RUBATO_API bool rubato_system_set(rubato_system *system, const char *assignment, rubato_error *error);
/* The value of a key as text, cut to `bytes`; what is left out so far is worked out as for a run. */
RUBATO_API bool rubato_system_get(const rubato_system *system, const char *key, char *text, size_t bytes,
                                  rubato_error *error);
RUBATO_API void rubato_system_close(rubato_system *system);

/* ---- statistics, of replays and of memories */
typedef struct rubato_statistic {
    const char *name;                /* "system.l2.overallMisses::total"; of a metric "l2.mpki" */
    const char *unit;                /* "Tick" (picoseconds), "Count", "ns", ...; "" for a plain number */
    const char *help;                /* what it is, in a line; "" where the name says all */
    double value;
} rubato_statistic;

typedef void rubato_visit(void *context, const rubato_statistic *statistic);

/* ---- replays */
typedef struct rubato_run rubato_run;

typedef struct rubato_progress {
    uint64_t now_ps;
    uint64_t work;                   /* records, instructions or warp instructions that are done */
    double part;                     /* of all of them, 0 to 1 */
} rubato_progress;

/* Begin with {0}: all of the traces, the fast engine, no callbacks. */
typedef struct rubato_run_options {
    uint64_t warmup_records;         /* of each core; statistics begin then. Of detailed cores instructions */
    uint64_t max_records;            /* of each core; 0: all */
    uint64_t until_ps;               /* 0: to the end */
    const char *engine;              /* as `rubato replay --engine` takes it; NULL: fast. Results are the same */
    /* Now and then, at least once a second or so; true: the run stops there, and results are those up to there. */
    bool (*progress)(void *context, const rubato_progress *progress);
    void (*warning)(void *context, const char *line);    /* NULL: warnings are dropped */
    void *context;                   /* of both */
    uint64_t reserved[6];            /* 0 */
} rubato_run_options;

/* traces: paths of any kind that `rubato replay` takes: one for all cores, or one for each. The system is copied. All
 * that can be wrong with system, traces and options shows here. options may be NULL. */
RUBATO_API rubato_run *rubato_run_open(const rubato_system *system, const char *const *traces, size_t count,
                                       const rubato_run_options *options, rubato_error *error);
/* Once. */
RUBATO_API bool rubato_run_execute(rubato_run *run, rubato_error *error);
/* After rubato_run_execute: when it ended, and whether a limit or `progress` cut it short. */
RUBATO_API uint64_t rubato_run_end_ps(const rubato_run *run);
RUBATO_API bool rubato_run_is_cut_short(const rubato_run *run);
/* A statistic by its name in statistics files, or a metric by its own (`rubato results --metrics`), such as "ipc",
 * "cpu3.l1d.mpki", "mem.gb_s". Of what a core among several has alone, gem5's name is taken, too: "system.l1d3..." for
 * "system.cpu3.l1d...". False: the run has none of that name, or it is not a number. */
RUBATO_API bool rubato_run_value(rubato_run *run, const char *name, double *value, rubato_error *error);
/* All statistics, then all metrics that the run has. */
RUBATO_API bool rubato_run_visit(rubato_run *run, rubato_visit *visit, void *context, rubato_error *error);
RUBATO_API void rubato_run_close(rubato_run *run);

/* ---- memories, driven with requests of one's own
 *
 * Controllers and DRAM of a system, or its simple memories; its cores, caches and buses take no part. Time stands still
 * but in rubato_memory_advance, _wait and _drain:
 *
 *     while (there are requests)
 *         if (rubato_memory_send(memory, address, 64, RUBATO_READ, user, &error) == RUBATO_REFUSED)
 *             rubato_memory_wait(memory, &error);
 *     rubato_memory_drain(memory, &error);
 *
 * Callbacks may send; they may not let time pass. */
typedef struct rubato_memory rubato_memory;

enum rubato_access {
    RUBATO_READ,                     /* answered when its data are there */
    RUBATO_WRITE,                    /* answered when the controller has it, which then owes it to the DRAM */
    RUBATO_WRITE_POSTED              /* done when it is accepted: no answer, as write-backs of a cache */
};

enum rubato_sent {
    RUBATO_ACCEPTED,
    RUBATO_REFUSED,                  /* back-pressure: the queue for it is full; send it again later */
    RUBATO_WRONG                     /* an error says why */
};

typedef struct rubato_answer {
    void *user;                      /* as it was sent */
    uint64_t address;
    uint64_t sent_ps, done_ps;       /* accepted, answered: now */
    uint32_t size_bytes;
    bool is_write;
} rubato_answer;

typedef struct rubato_memory_callbacks {
    void (*answered)(void *context, const rubato_answer *answer);
    /* A queue that refused a request has room again: once for each channel that refused since. NULL: nobody asks. */
    void (*has_room)(void *context);
    void *context;
} rubato_memory_callbacks;

/* callbacks: copied; NULL: none. The system may be closed before the memory. */
RUBATO_API rubato_memory *rubato_memory_open(const rubato_system *system, const rubato_memory_callbacks *callbacks,
                                             rubato_error *error);
/* Sends a request now. It lies within one line (rubato_memory_line_bytes) of a memory of the system. A refused request
 * is not kept. error is filled for RUBATO_WRONG only. */
RUBATO_API enum rubato_sent rubato_memory_send(rubato_memory *memory, uint64_t address, uint32_t size_bytes,
                                               enum rubato_access access, void *user, rubato_error *error);
/* Everything up to and including that time, which is now then; at most 1000 s (10^15 ps) from now. A time that has
 * passed: nothing. */
RUBATO_API bool rubato_memory_advance(rubato_memory *memory, uint64_t until_ps, rubato_error *error);
/* Until all that was sent is answered, and what refused has room again; also what callbacks send meanwhile.
 * RUBATO_STALLED if that never comes. */
RUBATO_API bool rubato_memory_drain(rubato_memory *memory, rubato_error *error);
/* Until the next answer or room, and returns at its time: a loop does without callbacks by it, which are called all the
 * same. If nothing is under way or refused, nothing. RUBATO_STALLED as above. */
RUBATO_API bool rubato_memory_wait(rubato_memory *memory, rubato_error *error);
/* From within a callback: the function that lets time pass returns after it, at its time. */
RUBATO_API void rubato_memory_pause(rubato_memory *memory);
RUBATO_API uint64_t rubato_memory_now_ps(const rubato_memory *memory);
/* When something happens next; UINT64_MAX: never. Until then an answer, or room, cannot come. */
RUBATO_API uint64_t rubato_memory_next_ps(const rubato_memory *memory);
/* Requests that are accepted and not answered. */
RUBATO_API size_t rubato_memory_under_way(const rubato_memory *memory);
/* Of the system: the largest request; all memories together; where byte `offset` of them lies, end to end (UINT64_MAX
 * behind the last); their peak bandwidth. */
RUBATO_API uint32_t rubato_memory_line_bytes(const rubato_memory *memory);
RUBATO_API uint64_t rubato_memory_size_bytes(const rubato_memory *memory);
RUBATO_API uint64_t rubato_memory_address(const rubato_memory *memory, uint64_t offset_bytes);
RUBATO_API double rubato_memory_peak_bytes_per_s(const rubato_memory *memory);
/* A statistic by name, such as "system.mem_ctrls.dram.readRowHits": those of a replay's memories. Names of several
 * channels carry their number: "system.mem_ctrls3.readReqs". */
RUBATO_API bool rubato_memory_value(rubato_memory *memory, const char *name, double *value, rubato_error *error);
RUBATO_API bool rubato_memory_visit(rubato_memory *memory, rubato_visit *visit, void *context, rubato_error *error);
/* Statistics begin anew, as after a warm-up. */
RUBATO_API void rubato_memory_reset_statistics(rubato_memory *memory);
RUBATO_API void rubato_memory_close(rubato_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
