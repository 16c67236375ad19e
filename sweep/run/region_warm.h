/* How a region begins: with what is kept for it, after a walk over all before it, or cold.
 *
 * Use: region_warm_begin before a region's workload is found; the session borrows what it makes; region_warm_end. */
#ifndef SWEEP_RUN_REGION_WARM_H
#define SWEEP_RUN_REGION_WARM_H

#include "replay/regions/region_set.h"
#include "replay/session/session.h"
#include "replay/warm/warm_system.h"

/* suffix, name, meaning */
#define REGION_WARM_METHODS(M)                                                                                        \
    M(USUAL, "usual", "kept if the regions have it, else detailed")                                                   \
    M(KEPT, "kept", "what `rubato regions` kept for each region, then its detailed warm-up")                          \
    M(FUNCTIONAL, "functional", "caches, TLBs and predictors learn from all of the trace before it, then the same")   \
    M(DETAILED, "detailed", "its detailed warm-up alone")                                                             \
    M(NONE, "none", "cold")

enum region_warm_method {
#define REGION_WARM_ENUM(suffix, name, meaning) REGION_WARM_##suffix,
    REGION_WARM_METHODS(REGION_WARM_ENUM)
#undef REGION_WARM_ENUM
    REGION_WARM_COUNT
};

const char *region_warm_name(enum region_warm_method method);
/* False: no method has that name. */
bool region_warm_find(const char *name, enum region_warm_method *method);
/* The method that USUAL stands for with these regions; others are themselves. */
enum region_warm_method region_warm_of(const struct region_set *set, enum region_warm_method method);

struct region_warm {
    struct warm_plan plan;
    struct warm_state state;
};

/* Fills in what `reading` and `wanted` have of it. */
struct fault region_warm_begin(struct region_warm *warm, enum region_warm_method method, const struct region_set *set,
                               const struct region *region, const char *trace, struct workload_options *reading,
                               struct session_request *wanted);
void region_warm_end(struct region_warm *warm);

#endif
