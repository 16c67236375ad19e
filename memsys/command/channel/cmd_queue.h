/* Requests of a channel and the queues in which they wait.
 *
 * A queue keeps the order in which requests came; they leave from anywhere. Requests come from a pool of the channel
 * and go back there, so that nothing is allocated once a run has reached its usual depth. */
#ifndef MEMSYS_COMMAND_CHANNEL_CMD_QUEUE_H
#define MEMSYS_COMMAND_CHANNEL_CMD_QUEUE_H

#include "memsys/command/device/cmd_access.h"

struct cmd_request {
    struct cmd_request *next, *previous; /* in its queue; next also in the pool, and among reads whose data is due */
    struct cmd_request *bank_next, *bank_previous;       /* of the same bank, where an engine links them */
    uint64_t address, token, order;      /* order: an engine's: of arrival; of an active one, a tick before
                                            which it cannot be served */
    int64_t arrive, depart;              /* -1: not known; internal requests have arrive -1 */
    uint32_t bank;                       /* of single-bank commands */
    int32_t row, source;
    int16_t kind;                        /* enum cmd_kind */
    uint16_t final, command;             /* what completes it; what must be issued next */
    bool is_counted;                     /* in the row statistics */
    int32_t vector[CMD_LEVELS];
};

enum cmd_queue_name {
    CMD_QUEUE_READ, CMD_QUEUE_WRITE, CMD_QUEUE_PRIORITY, CMD_QUEUE_ACTIVE, CMD_QUEUE_ACTIVATING, CMD_QUEUE_PRAC,
        CMD_QUEUES
};

struct cmd_queue {
    struct cmd_request *first, *last;
    size_t count, capacity;
    uint64_t waited;                     /* ticks, of all that have left, less those in which the present ones came */
};

#endif
