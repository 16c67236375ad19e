/* Captures of regions: the whole trace is written first, regions are chosen from it, and only these are left.
 *
 * Use: capture_regions_name before the capture; capture_regions after it. The program runs once, so regions are those
 * of this very run. A failure leaves the whole trace, and says so.
 * Answers are exit codes; what they mean has been printed. */
#ifndef CLI_CAPTURE_CAPTURE_REGIONS_H
#define CLI_CAPTURE_CAPTURE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

/* As `rubato regions` takes them; NULL: its own defaults. */
struct capture_regions {
    bool are_wanted;
    const char *interval, *warmup, *method, *error, *system;
};

/* The output's name with another ending. False: too long. */
bool capture_regions_name(const char *output, const char *ending, char *name, size_t room);
/* Before the program runs, as much as can be known of them then: an exit code. */
int capture_regions_check(const struct capture_regions *regions);
int capture_regions(const struct capture_regions *regions, const char *whole, const char *output, bool is_quiet);

#endif
