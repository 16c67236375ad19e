/* The pilot of `rubato regions --error`: some regions are run on a system, and their spread says how many are needed.
 *
 * Its states are kept in OUTPUT.pilot.warm while it runs; those of a pilot that was stopped are taken up again. */
#ifndef CLI_REGIONS_PILOT_H
#define CLI_REGIONS_PILOT_H

#include "cli/options/options.h"
#include "cli/regions/keep_states.h"
#include "replay/regions/choose.h"

#define PILOT_SYSTEM "core/zen4"

struct pilot_request {
    const char *system;                  /* NULL: PILOT_SYSTEM */
    double error, confidence;            /* a share of time; in percent */
};

/* For CLI_CALL: a double, the share. */
bool pilot_take_error(void *error, struct cli_parser *parser);
/* FAULT_INPUT: the system has no detailed cores, or cannot be read. */
struct fault pilot_check(const struct pilot_request *request);
/* choice: that of the pilot; *of_stratum: regions of each stratum, to be freed. keep: its file of states is that of the
 * regions that are chosen later; none are kept for the pilot if `lines` is 0. */
struct fault pilot_run(const struct pilot_request *request, const struct block_vectors *vectors,
                       const struct choice *choice, const struct keep_request *keep, uint64_t **of_stratum);

#endif
