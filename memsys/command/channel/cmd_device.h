/* The banks of a channel and when each command may be issued: a tree of nodes, the channel its root, banks its
 * leaves.
 *
 * Use: cmd_device_init; cmd_device_prerequisite says what a command needs first, cmd_device_ready when a command may
 * be issued at the earliest, cmd_device_issue what issuing it changes. Ticks are those of the controller. Ownership:
 * cmd_device_free. Source: docs/spec/command-dram.md 3.5 to 3.8. */
#ifndef MEMSYS_COMMAND_CHANNEL_CMD_DEVICE_H
#define MEMSYS_COMMAND_CHANNEL_CMD_DEVICE_H

#include "memsys/command/device/cmd_spec.h"

enum cmd_bank_state { CMD_BANK_CLOSED, CMD_BANK_ACTIVATING, CMD_BANK_OPENED };

struct cmd_bank {
    int32_t row;                         /* of an open bank */
    uint16_t state;
};

struct cmd_device {
    const struct cmd_spec *spec;
    uint32_t channel;                    /* the root's number */
    uint32_t first[CMD_LEVELS], count[CMD_LEVELS];       /* nodes of a level: the first one's index, how many */
    uint32_t banks_below[CMD_LEVELS];    /* a node of that level */
    uint32_t (*path)[CMD_LEVELS];        /* a bank: its nodes, from the channel down, in ready[]; each once */
    unsigned path_length, place[CMD_LEVELS];             /* of a level's node in a path */
    int64_t *ready[CMD_COMMANDS];        /* of a command: a node's earliest tick; 0: any */
    int64_t *history[CMD_LEVELS][CMD_COMMANDS];          /* a node: last issues, the newest first; NULL: none needed */
    uint8_t window[CMD_LEVELS][CMD_COMMANDS];            /* entries of a node's history */
    bool has_sibling[CMD_LEVELS][CMD_COMMANDS];
    uint8_t deepest[CMD_COMMANDS];       /* level below which issuing a command changes nothing */
    uint8_t bounded[CMD_COMMANDS];       /* ... and below which nothing holds it up */
    struct cmd_bank *banks;
    uint32_t not_closed;                 /* banks */
};

/* The banks that a vector names (3.8): those of first .. end that match it, all if is_range. */
struct cmd_targets {
    uint32_t first, end;
    bool is_range;
};

/* Nodes of a level: first .. end. */
struct cmd_nodes {
    uint32_t first, end;
};

struct fault cmd_device_init(struct cmd_device *device, const struct cmd_spec *spec, uint32_t channel);
void cmd_device_free(struct cmd_device *device);

/* Index of the bank of a vector without -1 down to the bank. */
uint32_t cmd_device_bank(const struct cmd_spec *spec, const int32_t *vector);
struct cmd_targets cmd_device_targets(const struct cmd_device *device, unsigned command, const int32_t *vector);
bool cmd_device_matches(const struct cmd_device *device, uint32_t bank, const int32_t *vector);
/* Levels of a bank, -1 below it. */
void cmd_device_vector(const struct cmd_device *device, unsigned level, uint32_t node, int32_t *vector);

/* The nodes of `level` that hold banks of a vector. */
struct cmd_nodes cmd_device_nodes(const struct cmd_device *device, unsigned level, const int32_t *vector);

#define CMD_EACH_TARGET(bank, device, targets, vector)                                                                \
    for (uint32_t bank = (targets).first; bank < (targets).end; bank++)                                               \
        if ((targets).is_range || cmd_device_matches(device, bank, vector))

/* What a bank needs before `command` (3.7); `command` itself if it may be issued. */
unsigned cmd_device_bank_needs(const struct cmd_device *device, unsigned command, uint32_t bank, int32_t row);
unsigned cmd_device_prerequisite(const struct cmd_device *device, unsigned command, const int32_t *vector);
/* Earliest tick of a command (3.6). */
int64_t cmd_device_ready(const struct cmd_device *device, unsigned command, const int32_t *vector);
/* The same where the bank is known. */
static inline int64_t cmd_device_bank_ready(const struct cmd_device *device, unsigned command, uint32_t bank)
{
    const uint32_t *const path = device->path[bank];
    const int64_t *const of = device->ready[command];
    int64_t ready = of[path[0]];

    for (unsigned i = 1; i < device->path_length; i++) {
        int64_t const here = of[path[i]];

        ready = here > ready ? here : ready;
    }
    return ready;
}
/* The state of a bank from now on. */
static inline void cmd_device_set_bank(struct cmd_device *device, uint32_t bank, struct cmd_bank state)
{
    device->not_closed -= device->banks[bank].state != CMD_BANK_CLOSED;
    device->not_closed += state.state != CMD_BANK_CLOSED;
    device->banks[bank] = state;
}

void cmd_device_issue(struct cmd_device *device, unsigned command, const int32_t *vector, int64_t tick);

#endif
