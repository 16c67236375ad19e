/* What a trace keeps of the program that was captured, so that a replay can execute it beside the trace: the
 * executable, or its memory and registers where the recording begins; and what system calls wrote from there on.
 *
 * Use: captured_program_take once the program has ended and all pages of code are there, sorted; insn_kept_free. */
#ifndef PROTO_CAPTURE_CAPTURED_PROGRAM_H
#define PROTO_CAPTURE_CAPTURED_PROGRAM_H

#include "proto/capture/capture_code.h"
#include "proto/capture/host.h"
#include "proto/insn/insn_kept.h"

struct captured_program {
    const struct program *program;
    const struct capture_area *area;     /* the guest may have written to it: all in it may be anything */
    const struct code *code;
    uint64_t moved_by;                   /* from the addresses of the program's file */
    uint64_t lead;                       /* assemble_start_lead */
    bool begins_at_entry;                /* of the program's file: its memory is that of the file */
    bool begins_first;                   /* with the first instruction, be it that of a loader */
    bool is_left_out;                    /* as the user wishes */
};

/* kept: {0}; it stays so if nothing is kept. *out: why bytes are left out, as the end of a sentence; NULL: they are
 * not. *is_large: for that reason. */
struct fault captured_program_take(const struct captured_program *of, struct insn_kept *kept, const char **out,
                                   bool *is_large);

#endif
