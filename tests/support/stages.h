/* Pipeline listings (replay/detailed/probe/pipeline.h, and the reference's pipe.tsv.xz), and how two of them compare.
 *
 * Use: stages_read twice, stages_compare, stages_free. Rows are in the order in which micro-ops left the ROB; committed
 * ones of both listings are paired by their order, as far as both go and their paths are the same. Cycles are relative
 * to the first fetch of their listing.
 * Ownership: a listing owns its rows. Errors: FAULT_INPUT with line; a column that is missing is named. */
#ifndef TESTS_SUPPORT_STAGES_H
#define TESTS_SUPPORT_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum stage {
    STAGE_FETCH, STAGE_DECODE, STAGE_RENAME, STAGE_DISPATCH, STAGE_ISSUE, STAGE_COMPLETE, STAGE_RETIRE, STAGE_COUNT
};
#define STAGE_NONE INT64_MIN             /* it was not reached */

extern const char *const stage_names[STAGE_COUNT];

struct stage_row {
    uint64_t seq, pc, encoding, address;
    unsigned micro_op, op_class;
    bool is_committed, is_predicted_taken, is_mispredicted, has_address;
    int64_t cycles[STAGE_COUNT];
};

struct stage_listing {
    struct stage_row *rows;
    size_t count;
    size_t *committed;                   /* which rows are */
    size_t committed_count;
};

/* Plain, gzip or xz. */
struct fault stages_read(struct stage_listing *listing, const char *path);
void stages_free(struct stage_listing *listing);

/* Where a stage of two rows lies apart, ours - theirs; 0 if neither has it, STAGE_NONE if only one has. */
int64_t stages_apart(const struct stage_row *ours, const struct stage_row *theirs, enum stage stage);
bool stages_same_place(const struct stage_row *ours, const struct stage_row *theirs);

struct stage_comparison {
    size_t wanted;                       /* committed ones of theirs */
    size_t pairs;                        /* committed ones, up to the end or to where the paths part */
    bool parts;                          /* the pair behind the last has another pc or micro-op */
    size_t equal;                        /* all seven cycles are */
    size_t equal_here;                   /* the same, if counted from the retirement of the one before */
    size_t equal_of[STAGE_COUNT];
    size_t first;                        /* pair that differs first; `pairs` if none does */
};

void stages_compare(const struct stage_listing *ours, const struct stage_listing *theirs,
                    struct stage_comparison *comparison);
/* Of the wanted ones: those that ours lacks are not equal. */
double stages_equal_pct(const struct stage_comparison *comparison);

#endif
