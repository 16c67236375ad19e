/* The DRAM of a partition of a GPU that owns its memory: a controller as gem5's, or one or more channels of DRAM
 * commands (memsys/command/), in an event queue of their own (gpu_channel.c says why).
 *
 * Addresses are those of gpu_hash_dram_address. gem5's controller, and a single channel of commands with the mapping
 * RoBaRaCoCh, decode row, bank and column as the letters name them; with the letters "mapping" the address is that of
 * the partition without the bits that chose it, cut to the device's bytes, and the device's mapping decodes it.
 *
 * Use: gpu_controller_make, gpu_controller_startup, packets to gpu_controller_port; before statistics are read
 * gpu_controller_settle. Units: ps, bytes. Ownership: gpu_controller_free. Errors: FAULT_MEMORY; parameters have been
 * checked. A device that fails ends the run of the root (sim_abandon). */
#ifndef MEMSYS_GPU_GPU_CONTROLLER_H
#define MEMSYS_GPU_GPU_CONTROLLER_H

#include "memsys/command/cmd_ctrl.h"
#include "memsys/dram/mem_ctrl.h"
#include "memsys/gpu/hash.h"

struct gpu_command_channel {
    struct cmd_ctrl ctrl;
    char name[24];
};

struct gpu_controller {
    struct sim sim;
    struct mem_ctrl ctrl;                        /* unless there are commands */
    requestor_id requestor;                      /* of its simulation; channels of commands have the root's */
    char name[24];
    struct gpu_command_channel *commands;        /* NULL: gem5's controller */
    uint32_t command_count;
    uint64_t bytes;                              /* of these together */
};

struct gpu_controller_place {
    struct sim *root;                            /* the GPU's */
    const struct memory_params *memory;          /* `channels` of all partitions together */
    const struct cmd_config *commands;           /* of a channel; its spec must outlive the run. NULL: gem5's */
    const struct gpu_hash *hash;
    uint32_t number, count;                      /* of the partition, and of all of them */
    struct above above;                          /* who gets answers and retries */
};

struct fault gpu_controller_make(struct gpu_controller **made, const struct gpu_controller_place *place);
/* Also of NULL. */
void gpu_controller_free(struct gpu_controller *controller);
void gpu_controller_startup(struct gpu_controller *controller);

/* The address of a sector in its partition. */
uint64_t gpu_controller_address(const struct gpu_controller *controller, const struct gpu_hash *hash, uint64_t key);
/* The port of the channel that the address belongs to. */
struct below gpu_controller_port(struct gpu_controller *controller, uint64_t address);
/* Brings figures that depend on time up to now_ps, up to which all events have been executed. */
void gpu_controller_settle(struct gpu_controller *controller, uint64_t now_ps);

/* Shortest time between two requests to a partition: a cycle of its DRAM, or less where several buses share it. */
uint64_t gpu_controller_period_ps(const struct memory_params *memory, uint64_t partitions);
/* From a read of a closed row to its answer. */
uint64_t gpu_controller_read_ps(const struct memory_params *memory);

#endif
