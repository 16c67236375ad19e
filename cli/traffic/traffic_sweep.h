/* Loaded-latency curves over several read shares, each a curve of its own (replay/traffic/traffic.h).
 *
 * Use: fill in `shares` and `count`, traffic_sweep_run, then the lines; traffic_sweep_end. Curves are spread over
 * threads; results do not depend on their number. A share below one request in a hundred is driven with one read in a
 * hundred, so that there is a latency. Errors: that of the first share which has one. Ctrl-C ends all after their
 * present point. Ownership: lines have the points of the curves. */
#ifndef CLI_TRAFFIC_TRAFFIC_SWEEP_H
#define CLI_TRAFFIC_TRAFFIC_SWEEP_H

#include "cli/traffic/traffic_print.h"

struct traffic_sweep {
    double shares[TRAFFIC_MOST_LINES];
    unsigned count;                      /* 0: none was asked for */
    struct traffic_curve curves[TRAFFIC_MOST_LINES];
    struct traffic_line lines[TRAFFIC_MOST_LINES];
};

/* "0,0.25,1": numbers from 0 to 1, each once. False: the text is wrong. */
bool traffic_sweep_parse(struct traffic_sweep *sweep, const char *text);
/* load: as of traffic_curve_begin; `outstanding` 0: eight times what the queues hold. threads: above 0. */
struct fault traffic_sweep_run(struct traffic_sweep *sweep, const struct system_config *config,
                               const struct traffic_load *load, unsigned threads);
void traffic_sweep_end(struct traffic_sweep *sweep);

#endif
