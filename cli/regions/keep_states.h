/* The states that regions begin with, kept beside them. */
#ifndef CLI_REGIONS_KEEP_STATES_H
#define CLI_REGIONS_KEEP_STATES_H

#include "replay/regions/region_set.h"

struct keep_request {
    const char *trace, *format;          /* format: NULL: detected */
    const char *regions;                 /* path of the regions' file */
    uint64_t lines;                      /* 64 bytes each: kept of each region at most */
    uint64_t wish;                       /* hash of what the regions are made with, and of `lines` */
    uint64_t *firsts;                    /* of each region, its place in this trace; NULL: as the set has it */
    bool is_quiet;
};

struct kept { size_t states, had; uint64_t bytes; };     /* had: by an earlier command */

/* Is there a file of states that an earlier command with the same wish did not finish, and are the regions there? */
bool keep_is_begun(const struct keep_request *request, const struct region_set *set);
/* FAULT_STALL: stopped; what is finished is kept. */
struct fault keep_states(const struct keep_request *request, const struct region_set *set, struct kept *kept);

#endif
