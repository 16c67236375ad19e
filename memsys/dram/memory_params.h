/* Parameters of a memory, whatever its type (memsys/sim/param.h). A type with parameters of its own has a header beside
 * its model, and a member in struct memory_params (docs/extending.md). */
#ifndef MEMSYS_DRAM_MEMORY_PARAMS_H
#define MEMSYS_DRAM_MEMORY_PARAMS_H

#include "memsys/command/device/command_params.h"
#include "memsys/dram/dram_params.h"
#include "memsys/energy/energy.h"
#include "memsys/energy/energy_params.h"
#include "memsys/sim/param.h"

#define INTERLEAVE_ROW_BUFFER (UINT64_MAX - 1)
#define INTERLEAVE_AUTO 0                /* a cache line; with RoRaBaChCo the row buffer (classic-memory 6) */

/* The source of page policy, address map and queue depths. */
#define DEVICE_POLICIES(V)                                                                                            \
    V(DEVICE_POLICY_SYSTEM, system) V(DEVICE_POLICY_DEVICE, device)
PARAM_ENUM(device_policy, DEVICE_POLICIES);

#define MEMORY_TYPES(V)                                                                                               \
    V(MEMORY_DRAM, dram) V(MEMORY_SIMPLE, simple) V(MEMORY_HBM_PSEUDO, hbm_pseudo) V(MEMORY_COMMAND, command)
PARAM_ENUM(memory_type, MEMORY_TYPES);

/* In front of each channel (memsys/link/). */
#define MEMORY_LINKS(V)                                                                                               \
    V(MEMORY_LINK_NONE, none) V(MEMORY_LINK_CXL, cxl)
PARAM_ENUM(memory_link, MEMORY_LINKS);

/* classic-memory 6, 7; the link: CXL 3.0 */
#define MEMORY_PARAMETERS(P)                                                                                          \
    P(type, type, MEMORY_TYPE, MEMORY_DRAM, 0, 3, "gem5's DRAM controller, one of two HBM pseudo-channels a "         \
      "channel, a fixed latency and bandwidth, or DRAM command by command")                                           \
    P(policy, policy, DEVICE_POLICY, DEVICE_POLICY_SYSTEM, 0, 1, "page policy, address mapping, queue depths and "    \
      "power-down under another device: the system's, which stay, or that device's own")                              \
    P(base, base, BYTES, 0, 0, UINT64_C(1) << 62, "first address")                                                    \
    P(size_bytes, size, BYTES, 536870912, 4096, MOST_MEMORY_BYTES, "capacity of all channels together")               \
    P(channels, channels, COUNT, 1, 1, 256, "DRAM: channels")                                                         \
    P(interleave_bytes, interleave, BYTES_OR_ROW, INTERLEAVE_AUTO, 16, UINT64_C(1) << 30, "DRAM: bytes in a row on "  \
      "one channel; left out: a line (RoRaBaChCo: a row)")                                                            \
    P(xor_low_bit, xor_low_bit, COUNT, 0, 0, 58, "DRAM: hash the channel bits with those from this address bit on; "  \
      "0: no")                                                                                                        \
    P(refresh, refresh, COMMAND_REFRESH, COMMAND_REFRESH_AUTO, 0, COMMAND_REFRESH_PAIRED, "command: what is "         \
      "refreshed at once; auto: all banks, where the standard can")                                                   \
    P(latency_ps, latency, TIME, 30000, 0, LONGEST_WAY_PS, "simple: latency of every access")                         \
    P(bandwidth_bytes_per_s, bandwidth, BANDWIDTH, UINT64_C(13743895347), 1 << 20, UINT64_C(2000000000000),           \
      "simple: bandwidth of reads and writes together")                                                               \
    P(link, link, MEMORY_LINK, MEMORY_LINK_NONE, 0, MEMORY_LINK_CXL, "what lies in front of each channel: nothing, "  \
      "or a CXL.mem link")                                                                                            \
    P(link_latency_ps, link_latency, TIME, 35000, 1000, LONGEST_WAY_PS, "link: one way, without the time on the "     \
      "wire")                                                                                                         \
    P(link_lanes, link_lanes, COUNT, 8, 1, 16, "link: lanes, each way")                                               \
    P(link_rate_mts, link_rate, COUNT, 32000, 1000, 256000, "link: 10^6 transfers a second of a lane")                \
    P(link_credits, link_credits, COUNT, 64, 1, 65536, "link: messages each way that may be on it or in the other "   \
      "end's buffer")

enum { MEMORY_DEVICE_TEXT = 40 };

struct memory_params {
    MEMORY_PARAMETERS(PARAM_FIELD)
    char device[MEMORY_DEVICE_TEXT];     /* name of the device */
    uint64_t has_policy;                 /* a device or a key has set the policy for rows and queues */
    struct dram_params of_device;        /* the device's own values */
    struct dram_params dram;             /* those, overridden by the user */
    struct controller_params controller;
    struct command_memory_params command_device;    /* MEMORY_COMMAND: its device ... */
    struct command_params command;       /* ... its controller ... */
    struct mitigation_params mitigation; /* ... and its defences */
    struct energy_params currents;       /* given by the user; 0: the device's */
    char datasheet[ENERGY_SOURCE_TEXT];  /* of those */
    struct energy_device energy;         /* of a rank: worked out when the configuration is finished, and ... */
    char energy_source[ENERGY_SOURCE_TEXT];      /* ... where its currents are published */
};

#endif
