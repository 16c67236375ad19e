/* Activations of single rows: how often each is activated within a refresh window, and whether its victims are
 * refreshed before bits of them may flip (RowHammer).
 *
 * Use: cmd_hammer_activated for each activation, cmd_hammer_served when a row's victims have been refreshed, both in
 * the order of time; cmd_hammer_free. A row is a number above 0. Units: ps. Ownership: cmd_hammer_free.
 *
 * Time is divided into windows, each as long as it takes to refresh every row. In each, the activations of a row are
 * counted: all of them, and those since its victims were refreshed. A row that reaches the threshold is hot. If it
 * does so without a refresh of its victims, bits of them may flip; otherwise the flip was prevented. Both are rows,
 * window by window, so hot rows are the sum of possible and prevented flips.
 * Not modelled: the data in the rows, the distance of the victims, activations of victims by their own refreshes, the
 * date in the window at which a row is refreshed. */
#ifndef MEMSYS_COMMAND_CMD_HAMMER_H
#define MEMSYS_COMMAND_CMD_HAMMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CMD_HAMMER_BINS = 24 };               /* by log2 of the activations in a window; the last: more */
extern const char *const cmd_hammer_bin_names[CMD_HAMMER_BINS];    /* "1", "2", ... "8Mi" */

struct cmd_hammer_row {
    uint64_t row;                            /* 0: free */
    uint32_t activations, unserved;          /* in this window; since its victims were refreshed */
    bool may_flip;                           /* in this window */
};

struct cmd_hammer {
    uint64_t threshold, window_ps;           /* threshold 0: nothing is counted */
    uint64_t window;                         /* number of the present one */
    struct cmd_hammer_row *rows;             /* by their hash, a power of two */
    size_t room, used;
    /* statistics; windows: those that are over; the others count the present one, too */
    uint64_t windows, most, most_unserved, hot, flips;
    uint64_t histogram[CMD_HAMMER_BINS];     /* rows, window by window */
};

/* False: out of memory. */
bool cmd_hammer_activated(struct cmd_hammer *hammer, uint64_t row, uint64_t now_ps);
void cmd_hammer_served(struct cmd_hammer *hammer, uint64_t row, uint64_t now_ps);
/* Statistics begin anew, with those of the present window. */
void cmd_hammer_reset(struct cmd_hammer *hammer);
void cmd_hammer_free(struct cmd_hammer *hammer);

#endif
