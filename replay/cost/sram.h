/* Area, leakage, energy and time of an SRAM, by equations as CACTI's (Wilton and Jouppi 1996; Thoziyoor and others,
 * CACTI 5.1, HPL-2008-20; Muralimanohar and others, CACTI 6.0, HPL-2009-85): an array is cut into subarrays along
 * word lines and bit lines; decoders, word lines, bit lines, output multiplexers and the tree of wires between
 * subarrays each have a capacitance, a delay and an area. Of all ways to cut it, the one with the least energy times
 * square of the time is taken.
 *
 * Not modelled: more than one port, ECC logic, power gating, redundancy, other temperatures than 340 K. All transistors
 * are of the high-performance kind, as CACTI's are by default.
 * Units: nm, um2, V, ps, fF/um, ohm/um in; mm2, mW, pJ, ns out. No state, no failure: sizes are at least 1. */
#ifndef REPLAY_COST_SRAM_H
#define REPLAY_COST_SRAM_H

#include <stdbool.h>
#include <stdint.h>

/* A technology node: T(name, cell um2, supply V, gate delay ps, gate fF/um, wire ohm/um, wire fF/um, leakage nA/um).
 * The gate delay is the resistance of an on-transistor of 1 um times its gate; wires are semi-global, 4 features apart;
 * leakage is of a transistor that is off, at 340 K. The sources are in docs/cost.md:
 * 90 to 22 nm: the ITRS figures of CACTI 7's tables (hp), from which gate delay and wires are worked out.
 * 16 to 7 nm: cells as published (TSMC N16, N10, N7; Intel 14 nm); gate delay by the scaling factors of Stillmaker and
 * Baas 2017 (HP, nominal supply), of which 20 nm stands for 22; wires by the feature's square; leakage as ITRS allows
 * a high-performance device at 298 K, times 5.4 as at 22 nm.
 * 5 nm: cell and 15 % less delay as TSMC published for N5 over N7. */
#define TECHNOLOGY_NODES(T)                                                                                           \
    T(90nm, 1.1826, 1.2, 1.277, 0.744, 0.381, 0.302, 109)                                                             \
    T(45nm, 0.29565, 1.0, 0.537, 0.728, 1.524, 0.265, 696)                                                            \
    T(32nm, 0.149504, 0.9, 0.348, 0.574, 3.034, 0.254, 873)                                                           \
    T(22nm, 0.070664, 0.8, 0.171, 0.387, 7.15, 0.247, 699)                                                            \
    T(16nm, 0.070, 0.85, 0.1156, 0.387, 7.22, 0.247, 540)                                                             \
    T(14nm, 0.0588, 0.8, 0.0814, 0.387, 8.59, 0.247, 540)                                                             \
    T(10nm, 0.042, 0.75, 0.0696, 0.387, 12.0, 0.247, 540)                                                             \
    T(7nm, 0.027, 0.7, 0.0585, 0.387, 18.7, 0.247, 540)                                                               \
    T(5nm, 0.021, 0.7, 0.0509, 0.387, 24.1, 0.247, 540)

struct technology_node {
    const char *name;
    double cell_um2, vdd, gate_ps, gate_ff, wire_ohm, wire_ff, leakage_na;
};

/* The coefficients of the equations: C(name, value, meaning). The first stands by itself; the others were chosen on
 * half of the published rows of tests/unit/replay/cost/test_sram.c, with the cuts that these rows name; `leakage` on
 * the rows whose temperature is known. */
#define SRAM_COEFFICIENTS(C)                                                                                          \
    C(decode, 12, "gate delays of each level of a decoder")                                                           \
    C(edge, 858.9, "features of height beside each subarray: sense amplifiers, precharge, multiplexers, drivers")     \
    C(side, 1067, "features of width beside each subarray: decoder, word line drivers")                               \
    C(bundle_v, 2.561, "share of the wires' width between rows of mats")                                              \
    C(bundle_h, 1.531, "the same along a row of mats")                                                                \
    C(word_time, 0.06955, "of the word line's resistance times capacitance")                                          \
    C(bit_time, 0.4562, "of the bit line's capacitance over the cell's current")                                      \
    C(wire_time, 24.91, "of the geometric mean of gate delay and wire")                                               \
    C(mux_time, 8.787, "gate delays of each way to choose from")                                                      \
    C(bit_energy, 1.246, "of a bit line's swing")                                                                     \
    C(word_energy, 0.05019, "of the word lines")                                                                      \
    C(wire_energy, 0.9149, "of the wires from the array, a bit in two of which changes")                              \
    C(way_energy, 0.01274, "the same of ways that are not chosen")                                                    \
    C(leakage, 3.225, "features of transistor that leak in a cell, with its share of what is beside it")

struct sram_array {
    double rows, row_bits;               /* of a table: entries; of a cache: sets, all ways */
    double out_bits;                     /* that leave it on a read */
    double ways;                         /* to choose from */
    bool is_split;                       /* a row may lie in several subarray rows: tables, tags */
    bool is_cam;                         /* each row is compared with what is looked up */
};

struct sram_cost {
    double area_mm2, leakage_mw, read_pj, write_pj, access_ns;
};

/* A cache of banks, each with tags and data that are looked up at once; check bits are an eighth. */
struct sram_cache {
    double size_bytes, line_bytes, ways, banks, address_bits;
    double out_bytes;                    /* that an access gets; a line at most */
};

/* Rows of the table; NULL: no such name. */
const struct technology_node *technology_find(const char *name);
struct sram_cost sram_array_cost(const struct technology_node *node, const struct sram_array *array);
struct sram_cost sram_cache_cost(const struct technology_node *node, const struct sram_cache *cache);

#endif
