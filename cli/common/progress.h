/* Progress line of a long run on stderr: records done, simulated time if there is one, records a second, time left. A
 * terminal has one line that changes a few times a second; a file or pipe gets a line every ten seconds.
 *
 * Use: progress_start, progress_show as often as you like, progress_end before any other output. */
#ifndef CLI_COMMON_PROGRESS_H
#define CLI_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    bool is_shown, is_terminal;
    double start_s, last_s;
    unsigned width;                  /* of the line on the screen */
    const char *what;                /* is counted: "records" unless changed after progress_start */
};

void progress_start(struct progress *progress);
/* Of work that simulates nothing. */
#define PROGRESS_NO_TIME UINT64_MAX

/* part: of the work, 0 to 1; 0 if unknown. */
void progress_show(struct progress *progress, uint64_t records, uint64_t now_ps, double part);
void progress_end(struct progress *progress);

/* Colour in output for people: on terminals only, and not if the environment has NO_COLOR (no-color.org) or its TERM
 * is dumb. Elsewhere both calls answer "".
 *
 * Use: fprintf(to, "%s%s%s", colour_on(to, COLOUR_WARNING), text, colour_off(to)). */

enum colour { COLOUR_STRONG, COLOUR_GOOD, COLOUR_BAD, COLOUR_WARNING };

const char *colour_on(FILE *to, enum colour colour);
const char *colour_off(FILE *to);

#endif
