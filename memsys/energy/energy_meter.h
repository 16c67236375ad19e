/* The energy of a channel at any time: what its ranks are made of, and who counts what they did. */
#ifndef MEMSYS_ENERGY_ENERGY_METER_H
#define MEMSYS_ENERGY_ENERGY_METER_H

#include "memsys/energy/energy.h"

struct energy_meter {
    const struct energy_device *device;
    const void *channel;
    /* Since the statistics began, up to now_ps. */
    struct energy_counts (*count)(const void *channel, uint64_t now_ps);
    uint64_t burst_bits;
};

static inline struct energy energy_meter_read(const struct energy_meter *meter, uint64_t now_ps)
{
    struct energy_counts const counts = meter->count(meter->channel, now_ps);

    return energy_of(meter->device, &counts);
}

#endif
