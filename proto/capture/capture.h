/* Captures a program: starts it in its host (QEMU's user mode, Valgrind), reads the host's reports while the program
 * runs, and writes an instruction trace.
 *
 * Use: capture_start; capture_step until it answers CAPTURE_ENDED; capture_finish, after which the file is there under
 * its name; capture_free. capture_stop at any time ends the program. The program's standard input, output and errors
 * are those of the process.
 * Nothing is lost when the program dies: its execution up to that point is recorded in shared memory
 * (proto/capture/ring.h).
 * Ownership: the options and everything they point at outlive the capture. Errors: FAULT_INPUT before the program has
 * begun (no such program, wrong ELF, nothing to run it with), FAULT_STALL afterwards; then capture_finish still writes
 * all that was captured. */
#ifndef PROTO_CAPTURE_CAPTURE_H
#define PROTO_CAPTURE_CAPTURE_H

#include "proto/capture/assemble.h"
#include "proto/capture/host.h"

struct capture_options {
    char *const *argv;                   /* the program and its arguments */
    const char *output;                  /* .rbt */
    const char *from, *to;               /* symbol, address (0x...) or number of instructions; NULL */
    uint64_t instructions;               /* at most; UINT64_MAX */
    bool without_program;                /* its bytes are left out */
    bool all_told;                       /* the host leaves nothing out that follows; the file is the same */
    bool (*bind)(struct assembler *assembler);   /* binds the functions of fast/; the file is the same. NULL: plain */
    struct host_options host;
};

enum capture_state { CAPTURE_RUNS, CAPTURE_ENDED, CAPTURE_FAILED };

/* Figures of the closing table besides capture_counts. */
struct capture_end {
    struct child_end child;              /* of the host */
    bool was_stopped;                    /* by capture_stop, or since its region was complete */
    bool region_began, region_ended;
    uint64_t before;                     /* instructions before the region */
    uint64_t threads, threads_unrecorded, children;
    uint64_t static_insns, static_undecoded, code_bytes;
    uint64_t program_bytes;              /* of its file that the trace keeps */
    const char *program_out;             /* why they are left out, as the end of a sentence; NULL: they are not */
    bool is_program_large;               /* for that reason */
    uint64_t writes_out;                 /* bytes that system calls wrote and that are not kept with it: too many */
    bool has_identity;                   /* what identifies the program is in the trace */
    char reason[200];                    /* why it crashed, as far as is known; "" */
    char successor[1024];                /* by which it replaced itself, if that is known and not recorded; "" */
};

struct capture;

struct capture *capture_start(const struct capture_options *options, struct fault *error);
/* Works for some milliseconds, or waits for one. */
enum capture_state capture_step(struct capture *capture, struct fault *error);
void capture_stop(struct capture *capture);
/* Also after CAPTURE_FAILED. */
struct fault capture_finish(struct capture *capture);
void capture_free(struct capture *capture);

const struct capture_counts *capture_counts(const struct capture *capture);
const struct capture_end *capture_end(const struct capture *capture);
uint64_t capture_bytes(const struct capture *capture);
/* "capture, qemu-x86_64" */
const char *capture_source(const struct capture *capture);
/* "QEMU" */
const char *capture_host(const struct capture *capture);

#endif
