/* Parameters of an interconnect (memsys/sim/param.h). */
#ifndef MEMSYS_NOC_NOC_PARAMS_H
#define MEMSYS_NOC_NOC_PARAMS_H

#include "memsys/sim/param.h"

/* Interconnects. One line a kind: N(kind, name). `name` is what users write; memsys/noc/ defines its functions as
 * noc_<name>. */
#define INTERCONNECTS(N)                                                                                              \
    N(CROSSBAR, crossbar)

#define NOC_VALUE(kind, name) NOC_##kind,
enum noc_kind { INTERCONNECTS(NOC_VALUE) NOC_COUNT };
#undef NOC_VALUE

/* classic-memory 5.1; defaults of the L2XBar, the memory bus has its own */
#define NOC_PARAMETERS(P)                                                                                             \
    P(kind, type, INTERCONNECT, NOC_CROSSBAR, 0, NOC_COUNT - 1, "kind of interconnect")                               \
    P(clock_ps, clock, PERIOD, CLOCK_INHERITED, 1, SLOWEST_CLOCK_PS, "clock; left out: the CPU's (cache bus) or the " \
      "system's (memory bus)")                                                                                        \
    P(width_bytes, width, BYTES, 32, 1, 65536, "bytes a cycle")                                                       \
    P(frontend_latency_cyc, frontend_latency, CYCLES, 1, 0, MOST_CYC, "arbitration and decoding of a request")        \
    P(forward_latency_cyc, forward_latency, CYCLES, 0, 0, MOST_CYC, "request path")                                   \
    P(response_latency_cyc, response_latency, CYCLES, 1, 0, MOST_CYC, "response path")                                \
    P(snoop_response_latency_cyc, snoop_response_latency, CYCLES, 1, 0, MOST_CYC, "path of snoop responses")          \
    P(header_latency_cyc, header_latency, CYCLES, 1, 0, MOST_CYC, "cycles a packet's header occupies the path")    \
    P(command_path, command_path, BOOL, 0, 0, 1, "requests without data have a path of their own: they wait for no "  \
      "data, and no data for them")

struct noc_params { NOC_PARAMETERS(PARAM_FIELD) };

#endif
