/* A table of the rows of the present window, by their hash. */
#include "memsys/command/cmd_hammer.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

const char *const cmd_hammer_bin_names[CMD_HAMMER_BINS] = {
    "1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1Ki", "2Ki", "4Ki", "8Ki", "16Ki", "32Ki", "64Ki",
    "128Ki", "256Ki", "512Ki", "1Mi", "2Mi", "4Mi", "8Mi"
};

enum { FIRST_ROWS = 1024 };

static uint64_t hash(uint64_t row)
{
    row *= UINT64_C(0x9e3779b97f4a7c15);
    return row ^ row >> 32;
}

static struct cmd_hammer_row *find_row(const struct cmd_hammer *hammer, uint64_t number)
{
    size_t place = hash(number) & (hammer->room - 1);

    while (hammer->rows[place].row && hammer->rows[place].row != number)
        place = (place + 1) & (hammer->room - 1);
    return &hammer->rows[place];
}

/* The table is at most half full. */
static bool make_room(struct cmd_hammer *hammer)
{
    struct cmd_hammer const before = *hammer;
    size_t const room = before.room ? 2 * before.room : FIRST_ROWS;

    if (2 * before.used < before.room)
        return true;
    hammer->rows = calloc(room, sizeof *hammer->rows);
    if (!hammer->rows) {
        hammer->rows = before.rows;
        return false;
    }
    hammer->room = room;
    for (size_t i = 0; i < before.room; i++)
        if (before.rows[i].row)
            *find_row(hammer, before.rows[i].row) = before.rows[i];
    free(before.rows);
    return true;
}

static void pass_windows(struct cmd_hammer *hammer, uint64_t now_ps)
{
    uint64_t const window = now_ps / hammer->window_ps;

    if (window == hammer->window)
        return;
    if (hammer->room > 0)
        memset(hammer->rows, 0, hammer->room * sizeof *hammer->rows);
    hammer->used = 0;
    hammer->windows += window - hammer->window;
    hammer->window = window;
}

static unsigned bin_of(uint32_t activations)
{
    return (unsigned)min_u64(log2_down(activations), CMD_HAMMER_BINS - 1);
}

bool cmd_hammer_activated(struct cmd_hammer *hammer, uint64_t number, uint64_t now_ps)
{
    struct cmd_hammer_row *row;

    pass_windows(hammer, now_ps);
    if (!make_room(hammer))
        return false;
    row = find_row(hammer, number);
    if (row->row == 0)
        hammer->used++;
    else
        hammer->histogram[bin_of(row->activations)]--;
    row->row = number;
    row->activations += row->activations < UINT32_MAX;
    row->unserved += row->unserved < UINT32_MAX;
    hammer->histogram[bin_of(row->activations)]++;
    hammer->most = max_u64(hammer->most, row->activations);
    hammer->most_unserved = max_u64(hammer->most_unserved, row->unserved);
    hammer->hot += row->activations == hammer->threshold;
    hammer->flips += row->unserved == hammer->threshold && !row->may_flip;
    row->may_flip |= row->unserved >= hammer->threshold;
    return true;
}

void cmd_hammer_served(struct cmd_hammer *hammer, uint64_t number, uint64_t now_ps)
{
    pass_windows(hammer, now_ps);
    if (hammer->room > 0)
        find_row(hammer, number)->unserved = 0;
}

void cmd_hammer_reset(struct cmd_hammer *hammer)
{
    hammer->windows = hammer->most = hammer->most_unserved = hammer->hot = hammer->flips = 0;
    memset(hammer->histogram, 0, sizeof hammer->histogram);
    for (size_t i = 0; i < hammer->room; i++) {
        const struct cmd_hammer_row *const row = &hammer->rows[i];

        if (row->row == 0)
            continue;
        hammer->histogram[bin_of(row->activations)]++;
        hammer->most = max_u64(hammer->most, row->activations);
        hammer->most_unserved = max_u64(hammer->most_unserved, row->unserved);
        hammer->hot += row->activations >= hammer->threshold;
        hammer->flips += row->may_flip;
    }
}

void cmd_hammer_free(struct cmd_hammer *hammer)
{
    free(hammer->rows);
    hammer->rows = NULL;
    hammer->room = hammer->used = 0;
}
