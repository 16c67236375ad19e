/* Opcodes of GPU traces: class, memory space and kind of access, by prefix (gpu-traces 7; PTX: macsim-traces 4.2).
 *
 * One table serves Kepler to Hopper, another GCN3, a third PTX as MacSim names it; gpu_opcode_classify never fails.
 * Opcodes are compared without regard to case for GCN3. PTX has further tokens behind the name: F, floating point; a
 * space of gpu_space_name, if the name has none. */
#ifndef PROTO_GPU_OPCODE_H
#define PROTO_GPU_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

enum gpu_isa { GPU_ISA_SASS, GPU_ISA_GCN3, GPU_ISA_PTX, GPU_ISA_COUNT };

/* C(value, name): the execution unit, or a special kind of instruction */
#define GPU_CLASSES(C)                                                                                                \
    C(ALU, alu) C(INT, int) C(SP, sp) C(DP, dp) C(SFU, sfu) C(TENSOR, tensor) C(BRANCH, branch) C(TEXTURE, texture)   \
    C(UNIFORM, uniform) C(LOAD, load) C(STORE, store) C(ATOMIC, atomic) C(CONSTANT, constant) C(BARRIER, barrier)     \
    C(MEMBAR, membar) C(WAIT, wait) C(EXIT, exit) C(SCALAR, scalar) C(MISC, misc)

#define GPU_CLASS_VALUE(value, name) GPU_CLASS_##value,
enum gpu_class { GPU_CLASSES(GPU_CLASS_VALUE) GPU_CLASS_COUNT };
#undef GPU_CLASS_VALUE

#define GPU_SPACES(S)                                                                                                 \
    S(NONE, none) S(GLOBAL, global) S(SHARED, shared) S(LOCAL, local) S(GENERIC, generic) S(CONSTANT, constant)       \
    S(TEXTURE, texture) S(SCALAR, scalar) S(GLOBAL_SHARE, gds)

#define GPU_SPACE_VALUE(value, name) GPU_SPACE_##value,
enum gpu_space { GPU_SPACES(GPU_SPACE_VALUE) GPU_SPACE_COUNT };
#undef GPU_SPACE_VALUE

struct gpu_opcode {
    char text[48];                       /* as traced, cut if longer */
    uint8_t cls;                         /* enum gpu_class */
    uint8_t space;                       /* enum gpu_space; of the access, if one is traced */
    bool is_known;                       /* false: named by no rule, classified by width (6) */
    bool returns;                        /* an atomic that gives a value back */
    bool past_l1;                        /* STRONG.GPU, BYPASS, atomics (7.2) */
    bool is_half;                        /* half precision: initiation interval halved */
    bool is_copy_to_shared;              /* LDGSTS */
    bool does_not_wait;                  /* BAR.ARV */
    bool is_commit_group;                /* LDGDEPBAR */
    bool is_wait_group;                  /* DEPBAR on Volta and later: waits for LDGSTS groups */
    uint8_t width_bytes;                 /* by the opcode's own tokens (3.3) */
};

/* has_addresses: the line's mem_width is not 0. */
void gpu_opcode_classify(struct gpu_opcode *opcode, const char *text, enum gpu_isa isa, uint32_t binary_version,
                         bool has_addresses);

const char *gpu_isa_name(enum gpu_isa isa);
const char *gpu_class_name(enum gpu_class cls);
const char *gpu_space_name(enum gpu_space space);

#endif
