/* A thread of an instruction trace as elastic records: its instructions as micro-ops, which proto/depend/depend.h
 * turns into records and fetches. A replay and the files for gem5's TraceCPU use the same ones.
 *
 * A decoded instruction becomes:
 *   - a load for each read access, with the registers of its address; it writes the instruction's registers, or, if
 *     something is computed or stored, one linking register;
 *   - the write-back of a base register is a computation of its own, which waits for the address alone;
 *   - a computation of its class, where it has one, which reads the data registers and the loaded values;
 *   - a store for each write access, which reads the address and data registers, and the loaded or computed values;
 *   - a branch; a NOP;
 *   - fences before and after the accesses of an instruction that orders all (locked, acquire and release at once); one
 *     after those that acquire, which waits for their loads; one before those that release, for which their stores
 *     wait;
 *   - a serialising instruction is a full fence, and stops the fetch until it completes.
 * Software prefetches are loads without dependents. Iterations of a string instruction are folded: accesses that
 * follow each other in memory become one a line; its registers are written with the last one.
 * The accesses of an undecoded instruction neither read nor write registers.
 * A new fetch block begins where an instruction is not adjacent in memory to the previous one.
 *
 * Traces that lack dependences (INSN_LACKS_DEPENDENCES) are in order: see depend.h. An instruction without accesses,
 * and each of a gap, is one micro-op. An access without an instruction, in a format with instructions, waits for the
 * responses to all earlier ones: only its order in the trace is known. Times of the format (insn_trace_meaning) are
 * kept: an access is sent at its time, or so long after the answer to the one before. Which bytes accesses are of:
 * insn_trace_spans.
 *
 * Use: insn_elastic_open, insn_elastic_next until it says INSN_END, insn_elastic_close; markers are skipped. A thread
 * can be read in pieces: insn_elastic_until before each; after INSN_END the next piece begins with insn_elastic_until.
 * Ownership: borrows trace and space. Outputs stay valid until the next call. Errors are those of the
 * trace; accesses of more than 64 KiB and gaps of 2^32 instructions or cycles are, too. */
#ifndef PROTO_INSN_INSN_ELASTIC_H
#define PROTO_INSN_INSN_ELASTIC_H

#include "proto/depend/depend.h"
#include "proto/insn/insn_trace.h"
#include "proto/insn/uops.h"

#define INSN_ELASTIC_WINDOW 768          /* 3 times the reference's ROB, as the probe's manual advises */
#define INSN_ELASTIC_WIDTH 4

struct insn_elastic_options {
    struct insn_latencies latencies;
    uint64_t time_ps;                    /* of times that are cycles; 0: a cycle of the core */
    bool writes_files;                   /* writes files for gem5, which have no absolute times: they become gaps */
    struct depend_options depend;        /* insn_elastic_open sets registers, defects and in-order fields */
};

struct insn_latencies insn_latencies_usual(void);
/* Latencies of ISA_CLASSES, 64-byte lines and fetches, 4 GHz. */
struct insn_elastic_options insn_elastic_defaults(void);
/* "CLASS=CYC[,CLASS=CYC...]", classes by their names, in either case, cycles from 0 to 10000. False: `problem` says
 * why.
 */
bool insn_latencies_parse(struct insn_latencies *latencies, const char *text, char *problem, size_t room);

struct insn_elastic;

/* NULL on failure. */
struct insn_elastic *insn_elastic_open(const struct insn_trace *trace, size_t thread,
                                       const struct insn_elastic_options *options, const struct depend_space *space,
                                       struct fault *error);
void insn_elastic_close(struct insn_elastic *elastic);

/* The next piece ends before event `event` of the thread, counted from 0 with markers; UINT64_MAX: with the thread.
 * Its sequence numbers continue from first_seq, and it has no dependences on earlier pieces. */
void insn_elastic_until(struct insn_elastic *elastic, uint64_t event, uint64_t first_seq);

/* The next instruction, or line of a string; its output may have neither record nor fetch. */
enum insn_step insn_elastic_next(struct insn_elastic *elastic, struct depend_output *output, struct fault *error);

const struct depend_counts *insn_elastic_counted(const struct insn_elastic *elastic);
/* Markers LOST so far, and the instructions that they say were not recorded. */
struct insn_lost { uint64_t places, insns; };
struct insn_lost insn_elastic_lost(const struct insn_elastic *elastic);
const struct insn_cursor *insn_elastic_cursor(const struct insn_elastic *elastic);

/* A thread of an instruction trace as the pair of files that gem5's TraceCPU reads: deptrace and fetchtrace
 * (elastic-trace 1). Streaming. Files appear whole or not at all; after a failure neither is left. */

struct insn_convert_request {
    const struct insn_trace *trace;
    size_t thread;
    struct insn_elastic_options options;
    struct depend_space space;
    const char *dep_out, *fetch_out;     /* gzip if the name ends with .gz */
};

struct insn_converted {
    struct depend_counts counts;
    uint64_t undecoded;
};

/* warn: called with the warnings found at a thread's end; may be NULL. */
struct fault insn_convert(const struct insn_convert_request *request, struct insn_converted *converted,
                          void (*warn)(const char *text));

#endif
