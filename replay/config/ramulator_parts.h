/* Parts of the import of Ramulator's configurations (ramulator.h) among themselves. */
#ifndef REPLAY_CONFIG_RAMULATOR_PARTS_H
#define REPLAY_CONFIG_RAMULATOR_PARTS_H

#include "replay/config/import_nodes.h"

struct ramulator_memory {
    uint64_t channels;
    uint64_t tx_bytes;                   /* of an access */
};

/* The device: standard, presets, overrides; channels are multiplied by those that 2.0 has in it. */
struct fault ramulator_take_device(struct nodes *import, const yaml_node_t *node,
                                   struct ramulator_memory *memory);

/* Bytes of a channel that addresses reach, when the controller is known, too; 0: not a device. */
uint64_t ramulator_channel_bytes(const struct nodes *import);

#endif
