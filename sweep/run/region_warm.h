/* How a region begins: with what is kept for it, after a walk over all before it, or cold.
 *
 * Use: region_warm_begin before the region's workload is found; the session borrows what it makes. For many regions
 * of one trace that begin warm: region_states_begin for all of them; for each in the order of places
 * region_states_go_to, then, in a copy of the process, region_states_take and session_run. At the end
 * region_states_end, in the first process. */
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

/* Where a region of a set begins. */
struct region_place { uint64_t place; size_t region; };

/* Ascending, by the region's number if places are equal. */
void region_places_sort(struct region_place *places, size_t count);

/* A system that has learnt from the states of all regions up to the one that begins next, or walks there. */
struct region_states {
    struct session *session;             /* NULL: the regions begin cold, or each walks over a trace of its own */
    struct warm_system *warming;         /* that session's system */
    struct warm_file *file;              /* NULL: it walks */
    uint64_t place;                      /* that a walk has come to */
    struct warm_state state;             /* read last */
};

/* Fields are zero, if the method needs no states. The caller ends it in any case. request: config, engine and workload
 * are looked at; format: of the trace, NULL: detected. */
struct fault region_states_begin(struct region_states *states, enum region_warm_method method,
                                 const struct region_set *set, const char *trace, const char *format,
                                 const struct session_request *request);
/* Towards that place, for a second at most; *is_there: it has come there. */
struct fault region_states_go_to(struct region_states *states, uint64_t place, bool *is_there);
/* The session's next run begins there, as reading and limits say. */
struct fault region_states_take(struct region_states *states, struct workload *workload,
                                const struct workload_options *reading, const struct session_limits *limits);
void region_states_end(struct region_states *states);

/* Fills in what `reading` and `wanted` have of a region, and the plan, which is borrowed. */
void region_warm_begin(struct warm_plan *plan, enum region_warm_method method, const struct region_set *set,
                       const struct region *region, const char *trace, struct workload_options *reading,
                       struct session_request *wanted);

#endif
