/* Instructions of a trace's code images, decoded on first use: any pc, executed or not.
 *
 * Use: images_open, images_find, images_close. Bytes of an image that are no instruction give one of class IntAlu
 * without dependents, of 4 bytes (of 2 where RISC-V's low bits say so, or as many as the decoder says).
 * Ownership: borrows the trace; an instruction holds until images_close. */
#ifndef REPLAY_DETAILED_UOPS_IMAGES_H
#define REPLAY_DETAILED_UOPS_IMAGES_H

#include "proto/insn/trace.h"
#include "replay/detailed/uops/supply.h"

struct image_insn {
    struct supply_insn insn;             /* as on a wrong path */
    bool is_system_call;
    struct supply_access *last;          /* the accesses that it made last, as many as insn has; NULL: not known */
};

struct images;

/* NULL without fault: the trace has no images, or of an architecture that is not decoded. */
struct images *images_open(const struct insn_trace *trace, struct fault *fault);
void images_close(struct images *images);
/* NULL: no image has this pc; or out of memory, which images_has_failed tells. */
struct image_insn *images_find(struct images *images, uint64_t pc);
bool images_has_failed(const struct images *images);
/* What the instruction did last on the right path; accesses of micro-ops that are no loads are left out. */
void images_note(struct images *images, const struct supply_insn *insn);

#endif
