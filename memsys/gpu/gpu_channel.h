/* Memory channels of a GPU: from the L2 slices to DRAM and back (gpu-traces 10, 12.5).
 *
 * A slice's request waits in the channel's queue, enters a pipe, one a cycle of the DRAM (of the L2, where
 * the caller has the ports), and after the fixed latency goes to the memory controller. While the controller refuses
 * the oldest, nothing enters the pipe; behind a controller that takes requests more slowly than one a cycle, the pipe
 * fills, then the queue, then the slices wait.
 * Controllers are made here, one a channel (gpu_controller.h), or are ports that
 * the caller has.
 *
 * Use: gpu_channels_init; gpu_channels_send while gpu_channels_room says so; fetched sectors come back by `fetched`, at
 * edges of the L2's clock. Units: ticks are picoseconds. Ownership: the channels must not move after init; they own
 * their controllers; the calendar is the memory's, which calls gpu_channels_due for items from first_item on. */
#ifndef MEMSYS_GPU_GPU_CHANNEL_H
#define MEMSYS_GPU_GPU_CHANNEL_H

#include "memsys/gpu/calendar.h"
#include "memsys/gpu/gpu_controller.h"
#include "memsys/gpu/hash.h"
#include "memsys/gpu/translation.h"
#include "memsys/noc/address_heat.h"

struct gpu_params;

/* A sector on its way to DRAM. */
struct gpu_dram_request {
    uint64_t ready_ps;                       /* at the end of the pipe */
    uint64_t key;
    uint32_t slice;
    uint32_t mshr;                           /* of the slice; comes back with the sector */
    bool is_write;
};

struct gpu_channel {
    struct gpu_channels *all;
    struct gpu_controller *own;              /* NULL: the caller's */
    struct below dram;                       /* of the caller's */
    struct packet *refused;
    struct gpu_dram_request *requests;       /* ring, a power of two; those in the pipe first */
    uint32_t head, in_pipe, waiting, mask;
    uint32_t *behind;                        /* of each slice: its requests behind the first `stages` of the ring */
    uint32_t answers;                        /* that the controller owes */
    uint64_t entry_ps;                       /* the next may enter the pipe */
    uint64_t due_ps;                         /* in the calendar; TICK_NEVER: not there */
};

/* Where fetched sectors and news of room go. */
struct gpu_channel_sink {
    void (*fetched)(void *self, uint32_t slice, uint64_t key, uint32_t mshr);
    /* Something that waited has entered the pipe: gpu_channels_room may have grown. */
    void (*room)(void *self, uint32_t channel);
    void *self;
};

struct gpu_channels {
    struct sim *sim;
    const struct gpu_hash *hash;
    struct gpu_channel_sink sink;
    struct gpu_calendar *edges;              /* of the L2's clock */
    uint32_t first_item;
    struct gpu_channel *channels;
    uint32_t count, capacity;                /* capacity: requests that may wait to enter a channel's pipe */
    uint32_t slices;                         /* of a channel */
    uint32_t share;                          /* of a slice in the capacity, while the pipe is full */
    uint32_t stages;                         /* of the pipe: requests in it while the controller takes each at once */
    uint32_t sector_bytes;
    uint64_t latency_ps;
    struct clock_domain core, dram;
    uint64_t under_way;                      /* writes until the controller has them, fetches until they are back */
    requestor_id requestor;
    struct gpu_pages pages;                  /* of the caller's ports only */
    struct address_heat *heat;               /* NULL: the places of accesses are not counted */
};

/* dram: NULL, or a port of each channel, to which requests go by the address of their page; ports may be connected
 * later. Otherwise controllers are made of `memory`, and of `commands` if it is of that type. Faults name the key to
 * change. */
struct fault gpu_channels_init(struct gpu_channels *channels, struct sim *sim, const struct gpu_params *params,
                               const struct memory_params *memory, const struct cmd_config *commands,
                               const struct below *dram, const struct gpu_hash *hash,
                               const struct gpu_channel_sink *sink);
void gpu_channels_free(struct gpu_channels *channels);
void gpu_channels_startup(struct gpu_channels *channels);
/* At the end of a run, before statistics are read: all that happens in DRAM up to now_ps. */
void gpu_channels_settle(struct gpu_channels *channels, uint64_t now_ps);

/* Where the port of a channel answers; and the port itself, if it is the caller's and was not there at init. */
struct above gpu_channels_above(struct gpu_channels *channels, uint32_t channel);
void gpu_channels_connect(struct gpu_channels *channels, uint32_t channel, struct below dram);

/* Of the calendar: something of the channel is due. */
void gpu_channels_due(struct gpu_channels *channels, uint32_t channel);

/* How many requests of the slice the channel takes now. */
unsigned gpu_channels_room(const struct gpu_channels *channels, uint32_t channel, uint32_t slice);
void gpu_channels_send(struct gpu_channels *channels, uint32_t channel, uint32_t slice, uint64_t key, uint32_t mshr,
                       bool is_write);

/* Tick at which the controller has a request that is sent at now_ps to an idle channel. */
uint64_t gpu_channels_handover_ps(const struct gpu_params *params, uint64_t now_ps);

#endif
