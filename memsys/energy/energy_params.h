/* Currents of a DRAM chip as its data sheet has them (memsys/sim/param.h): keys of memory.currents. */
#ifndef MEMSYS_ENERGY_ENERGY_PARAMS_H
#define MEMSYS_ENERGY_ENERGY_PARAMS_H

#include "memsys/sim/param.h"

#define MOST_MV 5000
#define MOST_UA 10000000                 /* 10 A */
#define MOST_PIN_UW 1000000              /* 1 W */

/* Names are JEDEC's (JESD79-4B). IPP: of VPP of DDR4 and DDR5, or of VDD2 of LPDDR2 and 3, whose VDD1 is VDD. */
#define ENERGY_PARAMETERS(P)                                                                                          \
    P(vdd_mv, VDD, VOLTAGE, 0, 0, MOST_MV, "supply; 0V: the device's, as for all of these")                           \
    P(idd0_ua, IDD0, CURRENT, 0, 0, MOST_UA, "one bank activated and precharged each tRC")                            \
    P(idd2n_ua, IDD2N, CURRENT, 0, 0, MOST_UA, "precharge standby")                                                   \
    P(idd2p_ua, IDD2P, CURRENT, 0, 0, MOST_UA, "precharge power-down")                                                \
    P(idd3n_ua, IDD3N, CURRENT, 0, 0, MOST_UA, "active standby")                                                      \
    P(idd3p_ua, IDD3P, CURRENT, 0, 0, MOST_UA, "active power-down")                                                   \
    P(idd4r_ua, IDD4R, CURRENT, 0, 0, MOST_UA, "reads without a gap")                                                 \
    P(idd4w_ua, IDD4W, CURRENT, 0, 0, MOST_UA, "writes without a gap")                                                \
    P(idd5b_ua, IDD5B, CURRENT, 0, 0, MOST_UA, "refreshes without a gap")                                             \
    P(idd5r_ua, IDD5R, CURRENT, 0, 0, MOST_UA, "refreshes each tREFI; counts where IDD5B is not given")               \
    P(idd6_ua, IDD6, CURRENT, 0, 0, MOST_UA, "self-refresh")                                                          \
    P(vpp_mv, VPP, VOLTAGE, 0, 0, MOST_MV, "second supply: VPP, or VDD2 of LPDDR")                                    \
    P(ipp0_ua, IPP0, CURRENT, 0, 0, MOST_UA, "of it, as IDD0")                                                        \
    P(ipp2n_ua, IPP2N, CURRENT, 0, 0, MOST_UA, "as IDD2N; this and those below: IPP3N where not given")               \
    P(ipp2p_ua, IPP2P, CURRENT, 0, 0, MOST_UA, "as IDD2P")                                                            \
    P(ipp3n_ua, IPP3N, CURRENT, 0, 0, MOST_UA, "as IDD3N")                                                            \
    P(ipp3p_ua, IPP3P, CURRENT, 0, 0, MOST_UA, "as IDD3P")                                                            \
    P(ipp4r_ua, IPP4R, CURRENT, 0, 0, MOST_UA, "as IDD4R")                                                            \
    P(ipp4w_ua, IPP4W, CURRENT, 0, 0, MOST_UA, "as IDD4W")                                                            \
    P(ipp5b_ua, IPP5B, CURRENT, 0, 0, MOST_UA, "as IDD5B")                                                            \
    P(ipp6_ua, IPP6, CURRENT, 0, 0, MOST_UA, "as IDD6")                                                               \
    P(read_pin_uw, read_pin, POWER, 0, 0, MOST_PIN_UW, "I/O: a data pin that drives, with termination")               \
    P(write_pin_uw, write_pin, POWER, 0, 0, MOST_PIN_UW, "I/O: a data pin that is driven, with termination")

struct energy_params { ENERGY_PARAMETERS(PARAM_FIELD) };

enum { ENERGY_SOURCE_TEXT = 120 };

#endif
