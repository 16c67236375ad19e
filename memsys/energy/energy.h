/* Energy of a DRAM rank from the currents of its chips, counts of commands and times in power states: the published
 * method (Micron TN-41-01 and TN-40-07; Chandrasekar and others, DRAMPower, 2011), summed over both supplies:
 *
 *      activate    V (IDD0 tRC - IDD3N tRAS - IDD2N tRP)   an activate and its precharge
 *      read        V (IDD4R - IDD3N) tBURST                above standby; write: IDD4W
 *      refresh     V (IDD5B - IDD3N) tRFC                  of all banks; of one bank: its share
 *      background  V IDDn t                            IDD2N, IDD2P, IDD3N, IDD3P, IDD6 by state; a refresh: IDD3N
 *      I/O         power of a pin, pins, tBURST
 *
 * times the chips of a rank; with sideband ECC those that hold check bits are among them, since each of them gets every
 * command and burst. Times are those at which the data sheet measured, so the device's own.
 * Use: energy_device_init once, energy_of for counts of any stretch of time. Units: ps, pJ; a W is a pJ/ps. Ownership:
 * plain values. Errors: FAULT_INPUT, which begins with the key to change. */
#ifndef MEMSYS_ENERGY_ENERGY_H
#define MEMSYS_ENERGY_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

struct energy_params;

/* In the order of gem5's pwrStateTime. */
enum energy_state {
    ENERGY_PRECHARGED, ENERGY_REFRESH, ENERGY_SELF_REFRESH, ENERGY_PRECHARGE_DOWN, ENERGY_ACTIVE, ENERGY_ACTIVE_DOWN,
    ENERGY_STATES
};

/* Of the chip that was measured, and of the rank. */
struct energy_conditions {
    uint64_t tRAS_ps, tRP_ps, tBURST_ps, tRFC_ps, tREFI_ps;
    uint64_t chips, pins;                /* of a rank, for data; data pins of a chip */
    uint64_t check_chips, check_pins;    /* sideband ECC: chips of a rank more; their pins that carry check bits */
};

/* Of a rank. */
struct energy_device {
    bool is_known, has_io;               /* known: currents are published */
    double activate_pj, read_pj, write_pj, read_io_pj, write_io_pj;
    double refresh_w, state_w[ENERGY_STATES];
};

/* Of all ranks together. */
struct energy_counts {
    uint64_t activates, reads, writes;   /* bursts */
    double refresh_ps;                   /* of all banks; refreshes of single banks with their share */
    double state_ps[ENERGY_STATES];
};

#define ENERGY_PARTS(E) E(activate) E(read) E(write) E(refresh) E(background) E(io)
struct energy {                          /* pJ */
#define ENERGY_PART(name) double name;
    ENERGY_PARTS(ENERGY_PART)
#undef ENERGY_PART
};

/* path: of the keys in faults, "memory.currents". Without any value the device is not known, which is no fault. */
struct fault energy_device_init(struct energy_device *device, const struct energy_params *params,
                                const struct energy_conditions *conditions, const char *path);

struct energy energy_of(const struct energy_device *device, const struct energy_counts *counts);
double energy_total(const struct energy *energy);

#endif
