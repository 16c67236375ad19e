/* Records of MacSim's raw streams (macsim-traces 2): eight layouts of fixed size, decoded into one struct for CPUs and
 * one for GPUs, and C80 and G72 encoded.
 *
 * Values are those of the file: opcodes and registers are numbers of the stream's dialects (proto/macsim/enum.h). Only
 * the first `count` registers are valid. Counts above the arrays are cut; macsim_record_fault says so. Addresses and
 * sizes are bytes. Nothing here allocates. */
#ifndef PROTO_MACSIM_RECORD_H
#define PROTO_MACSIM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/macsim/enum.h"

#define MACSIM_LANES 32
#define MACSIM_MAX_SOURCES 9
#define MACSIM_MAX_DESTINATIONS 6
#define MACSIM_MAX_CHILDREN 64
#define MACSIM_MAX_TILE_ROWS 48          /* of the three operands of an instruction on tiles */

/* name, bytes, GPU? */
#define MACSIM_LAYOUT_LIST(L)                                                                                         \
    L(C52, 52, false) L(C80, 80, false) L(C88, 88, false) L(A80, 80, false) L(C464, 464, false)                       \
    L(G64, 64, true) L(G72, 72, true) L(N64, 64, true)

#define MACSIM_LAYOUT_ENUM(name, bytes, gpu) MACSIM_##name,
enum macsim_layout { MACSIM_LAYOUT_LIST(MACSIM_LAYOUT_ENUM) MACSIM_LAYOUT_COUNT };
#undef MACSIM_LAYOUT_ENUM

const char *macsim_layout_name(enum macsim_layout layout);
size_t macsim_layout_bytes(enum macsim_layout layout);
bool macsim_layout_is_gpu(enum macsim_layout layout);

/* All that is needed to understand a stream's bytes. */
struct macsim_format {
    enum macsim_layout layout;
    enum macsim_dialect opcodes;
    enum macsim_registers registers;
    bool is_gpu;                         /* old PTX streams are GPU streams in C52 or C80 records */
};

/* C52, C80, C88, A80, C464. */
struct macsim_cpu_record {
    uint64_t pc, target;                 /* target: of direct branches even if not taken */
    uint64_t load[2], store;             /* addresses */
    const uint8_t *tile_rows;            /* C464: 3 x 16 masks (macsim_tile_row), in the bytes decoded; else NULL */
    uint16_t sources[MACSIM_MAX_SOURCES], destinations[MACSIM_MAX_DESTINATIONS];
    uint16_t opcode;
    uint8_t source_count, destination_count;
    uint8_t cf;                          /* enum macsim_cf, as in the file */
    uint8_t size;                        /* of the instruction */
    uint8_t load_count;                  /* C464, AMX in C80: 16 or 32, rows of a tile */
    uint8_t store_count;                 /* C464's own field; else 1 with has_store */
    uint8_t bytes_read, bytes_written;   /* of one access */
    uint8_t repeat_direction;            /* 1: downwards */
    bool has_immediate, has_store, is_fp, writes_flags, taken;
};

/* G64, G72, N64, and PTX in C52 or C80 records: one instruction, its address records or children with it. */
struct macsim_gpu_record {
    uint64_t pc, target;
    uint64_t reconvergence;              /* G64, G72: with cf != 0 */
    uint64_t address;                    /* lane 0's of memory instructions; N64: the record's own, of any */
    /* G64, G72, memory instructions: of all lanes, 0 where inactive. Only if has_lanes. */
    uint64_t lanes[MACSIM_LANES];
    /* N64: addresses and sizes of the records that follow and belong to it (2.3); the parent's own is `address`. */
    uint64_t children[MACSIM_MAX_CHILDREN];
    uint8_t child_bytes[MACSIM_MAX_CHILDREN];
    uint8_t child_count;
    bool has_lanes;
    bool accesses_memory;                /* is_load, or a store, atomic or reduction by opcode */
    bool is_fp, is_load;
    uint8_t opcode, cf, size;
    uint8_t source_count, destination_count;
    uint16_t sources[MACSIM_MAX_SOURCES], destinations[MACSIM_MAX_DESTINATIONS];
    uint32_t active_mask, taken_mask;
    uint8_t access_bytes;                /* of a lane; N64: see 2.3 */
    uint8_t barrier;                     /* number, of BAR_* */
    uint8_t fence;                       /* level, of MEMBAR_* */
    uint16_t barrier_threads;
    uint8_t space;                       /* as in the file: G64, G72 addr_space, N64 nvbit_space */
    uint8_t cache_level, cache_operator;
};

/* bytes: macsim_layout_bytes of them. */
void macsim_decode_cpu(enum macsim_layout layout, const uint8_t *bytes, struct macsim_cpu_record *record);
/* One record without those that belong to it: no lanes, no children. */
void macsim_decode_gpu(const struct macsim_format *format, const uint8_t *bytes, struct macsim_gpu_record *record);
/* Mask `row` (0 to 15) of tile register operand `tile` (0 to 2). */
uint64_t macsim_tile_row(const struct macsim_cpu_record *record, unsigned tile, unsigned row);

/* Plausibility of a record. Flags say yes or no and decide no access (has immediate, is floating point, writes flags,
 * repeat direction, taken): converters left garbage in them, which counts as yes. */
enum macsim_oddity { MACSIM_PLAUSIBLE, MACSIM_ODD_FLAG, MACSIM_ODD_FIELD };

/* text: the first implausible field of these bytes, with its value and the valid ones, as "cf 37, expected 0 to 9".
 * PCs are not checked. */
enum macsim_oddity macsim_record_fault(const struct macsim_format *format, const uint8_t *bytes, char *text,
                                       size_t room);

#endif
