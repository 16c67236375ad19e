/* Instruction lines of a kernel file (gpu-traces 3): collects each static instruction once, and returns its executions.
 *
 * Use: gpu_lines_init when the header is known; gpu_lines_parse for each line, with room for GPU_MAX_LANES values;
 * gpu_lines_free. A line equal to an earlier one of the same pc is compared, not parsed again, up to its addresses.
 * Statics and opcodes grow; entries never change. */
#ifndef PROTO_GPU_LINE_H
#define PROTO_GPU_LINE_H

#include "proto/gpu/gpu_text.h"
#include "proto/gpu/gpu_trace.h"

/* Oddities of a line that do not prevent reading: O(value, meaning) */
#define GPU_ODDITIES(O)                                                                                               \
    O(SECOND_RUN, "the active lanes of a base and stride are not one run; those behind the first gap have no address")\
    O(FEW_ADDRESSES, "there are fewer addresses than active lanes; the last lanes have none")                         \
    O(OTHER_REGISTER, "there are registers of another kind than R and S; they are left out")                          \
    O(MANY_REGISTERS, "there are more than 32 registers; those beyond are left out")                                  \
    O(EMPTY_BODY, "the line ends before its opcode or width, as this tracer writes atomics; it is left out")           \
    O(TILE_COPY, "a copy of a tile or block between global and shared memory (UTMA*, UBLK*) is issued, but its bytes " \
      "are not moved")                                                                                                \
    O(REPLAYED, "a wait for a barrier in shared memory (REPLAY_START, REPLAY_END) runs as often as it was traced")

#define GPU_ODDITY_VALUE(value, text) GPU_ODD_##value,
enum gpu_oddity { GPU_ODDITIES(GPU_ODDITY_VALUE) GPU_ODDITY_COUNT };
#undef GPU_ODDITY_VALUE

struct gpu_oddity_count {
    uint64_t count, first_line;
};

struct gpu_line_ids {
    uint32_t block[3];
    uint32_t warp;
};

struct gpu_seen;                     /* a line's text after the mask, and its parsed contents */

struct gpu_lines {
    const char *file;                /* for errors; must outlive this */
    enum gpu_isa isa;
    uint32_t binary_version;
    unsigned warp_size;
    bool has_ids, has_line_number, has_immediate;
    bool has_values;                 /* version 6: uniform registers, predicates, values (5.6) */
    bool is_shape_known;             /* of extra_ids: known from the first line on */
    bool has_extra_ids;              /* SM and slot behind the ids (3.1) */
    struct gpu_statics statics;
    struct gpu_opcode *opcodes;
    size_t opcode_count, opcode_room;
    struct hash_index opcode_index;  /* of an opcode's text: twice its place, plus 1 if it was classified as one with
                                      * addresses */
    struct gpu_seen *seen;
    unsigned seen_bits, pc_shift;    /* instructions have at least 1 << pc_shift bytes */
    struct gpu_oddity_count oddities[GPU_ODDITY_COUNT];
};

enum gpu_line_step { GPU_LINE_INST, GPU_LINE_LEFT_OUT, GPU_LINE_FAILED };

/* has_ids: lines begin with block and warp. On failure nothing remains. */
struct fault gpu_lines_init(struct gpu_lines *lines, const struct gpu_header *header, const char *file, bool has_ids);
void gpu_lines_free(struct gpu_lines *lines);

/* number: of the line in its file. ids is written if the lines have them. inst->value_count is the number of values
 * written; the caller sets inst->values_at. */
enum gpu_line_step gpu_lines_parse(struct gpu_lines *lines, struct gpu_cursor line, uint64_t number,
                                   struct gpu_line_ids *ids, struct gpu_inst *inst, int64_t *values,
                                   struct fault *error);

const char *gpu_oddity_text(enum gpu_oddity oddity);

/* By the opcode's text: lines of version 6 with columns of their own. */
bool gpu_is_tile_copy(const char *opcode);
bool gpu_is_group_product(const char *opcode);

#endif
