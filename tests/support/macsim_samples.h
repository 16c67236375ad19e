/* Streams of MacSim records made by hand, in each of the eight layouts (macsim-traces 2): a loop of a few instructions.
 * Bytes go where the specification's tables say, by offsets written here once more; padding and unused slots hold
 * SAMPLE_GARBAGE.
 *
 * Use: sample_make, then bytes and length; sample_free. Opcodes are the dialect's; PCs follow each other. */
#ifndef TESTS_MACSIM_SAMPLES_H
#define TESTS_MACSIM_SAMPLES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/macsim/record.h"
#include "tests/support/macsim_writer.h"

enum { SAMPLE_GARBAGE = 0xa5, SAMPLE_PC = 0x401000, SAMPLE_GPU_PC = 8000, SAMPLE_DATA = 0x10000000 };

struct sample {
    uint8_t *bytes;
    size_t length, room;
};

/* One instruction of the loop. */
struct sample_inst {
    const char *x86, *a64;               /* opcodes */
    unsigned size, loads, stores, cf;
};

static const struct sample_inst sample_loop[] = {
    {"DATAXFER", "LDR", 4, 1, 0, 0}, {"BINARY", "ADD", 3, 0, 0, 0}, {"PUSH", "STR", 1, 0, 1, 0},
    {"POP", "LDR", 1, 1, 0, 0}, {"NOP", "NOP", 2, 0, 0, 0}, {"COND_BR", "CBZ", 2, 0, 0, 2},
};

struct sample_gpu_inst {
    const char *ptx, *sass;
    unsigned loads, stores, cf;
};

static const struct sample_gpu_inst sample_gpu_loop[] = {
    {"MOV", "S2R", 0, 0, 0}, {"MEM_LD_GM", "LDG", 1, 0, 0}, {"ADD", "IADD3", 0, 0, 0},
    {"MEM_ST_GM", "STG", 0, 1, 0}, {"BRA", "BRA", 0, 0, 2},
};

enum {
    SAMPLE_LOOP = sizeof sample_loop / sizeof sample_loop[0],
    SAMPLE_GPU_LOOP = sizeof sample_gpu_loop / sizeof sample_gpu_loop[0]
};

static inline uint8_t *sample_more(struct sample *sample, size_t bytes)
{
    if (sample->room - sample->length < bytes) {
        sample->room = 2 * sample->room + bytes;
        sample->bytes = realloc(sample->bytes, sample->room);
        if (sample->bytes == NULL)
            abort();
    }
    sample->length += bytes;
    return memset(sample->bytes + sample->length - bytes, SAMPLE_GARBAGE, bytes);
}

static inline void sample_put(uint8_t *to, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static inline unsigned sample_opcode(enum macsim_dialect dialect, const char *name)
{
    int const opcode = macsim_opcode_find(dialect, name);

    return opcode >= 0 ? (unsigned)opcode : 0;
}

/* Offsets of the fields that move between the layouts of CPUs. */
struct sample_offsets {
    unsigned register_bytes, destinations, cf, opcode, opcode_bytes, store, stores, size, addresses, address_bytes, end;
};

static inline struct sample_offsets sample_offsets_of(enum macsim_layout layout)
{
    switch (layout) {
    case MACSIM_C52: return (struct sample_offsets){1, 11, 17, 19, 1, 20, 0, 24, 28, 4, 48};
    case MACSIM_C88: return (struct sample_offsets){2, 20, 32, 34, 1, 35, 0, 39, 40, 8, 80};
    case MACSIM_A80: return (struct sample_offsets){1, 11, 17, 20, 2, 22, 0, 26, 32, 8, 72};
    case MACSIM_C464: return (struct sample_offsets){1, 11, 17, 19, 1, 20, 24, 25, 416, 8, 456};
    default: return (struct sample_offsets){1, 11, 17, 19, 1, 20, 0, 24, 32, 8, 72};
    }
}

static inline void sample_cpu_record(struct sample *sample, enum macsim_layout layout, enum macsim_dialect dialect,
                                     unsigned index, uint64_t pc, bool taken, uint64_t data)
{
    struct sample_offsets const at = sample_offsets_of(layout);
    struct sample_inst const inst = sample_loop[index];
    uint8_t *const bytes = sample_more(sample, macsim_layout_bytes(layout));
    unsigned const destinations = inst.stores == 0 && inst.cf == 0 && index != 4;

    sample_put(bytes, 1, 1);
    sample_put(bytes + 1, 1, destinations);
    sample_put(bytes + 2, at.register_bytes, 30 + index);
    sample_put(bytes + at.destinations, at.register_bytes, 40 + index);
    sample_put(bytes + at.cf, 2, inst.cf);
    sample_put(bytes + at.opcode, at.opcode_bytes,
               sample_opcode(dialect, layout == MACSIM_A80 ? inst.a64 : inst.x86));
    sample_put(bytes + at.store, 1, inst.stores);
    sample_put(bytes + at.store + 1, 2, 0);
    sample_put(bytes + at.store + 3, 1, inst.loads);
    if (at.stores != 0)
        sample_put(bytes + at.stores, 1, inst.stores);
    sample_put(bytes + at.size, 1, layout == MACSIM_A80 ? 4 : inst.size);
    sample_put(bytes + at.addresses, at.address_bytes, inst.loads > 0 ? data : 0);
    sample_put(bytes + at.addresses + at.address_bytes, at.address_bytes, 0);
    sample_put(bytes + at.addresses + 2 * at.address_bytes, at.address_bytes, inst.stores > 0 ? data : 0);
    sample_put(bytes + at.addresses + 3 * at.address_bytes, at.address_bytes, pc);
    sample_put(bytes + at.addresses + 4 * at.address_bytes, at.address_bytes, inst.cf != 0 ? SAMPLE_PC : 0);
    sample_put(bytes + at.end, 1, inst.loads > 0 ? 8 : 0);
    sample_put(bytes + at.end + 1, 1, inst.stores > 0 ? 8 : 0);
    sample_put(bytes + at.end + 2, 1, 0);
    sample_put(bytes + at.end + 3, 1, taken);
}

static inline void sample_cpu(struct sample *sample, enum macsim_layout layout, enum macsim_dialect dialect,
                              unsigned loops, uint64_t data)
{
    for (unsigned loop = 0; loop < loops; loop++) {
        uint64_t pc = SAMPLE_PC;

        for (unsigned i = 0; i < SAMPLE_LOOP; i++) {
            sample_cpu_record(sample, layout, dialect, i, pc, sample_loop[i].cf != 0 && loop + 1 < loops,
                              data + 64 * (uint64_t)loop);
            pc += layout == MACSIM_A80 ? 4 : sample_loop[i].size;
        }
    }
}

/* name: PTX's or SASS's; mask: active lanes; the lanes' addresses are `data` and each 4 bytes on. */
static inline void sample_gpu_record(struct sample *sample, enum macsim_layout layout, enum macsim_dialect dialect,
                                     const char *name, uint64_t pc, unsigned loads, unsigned stores, unsigned cf,
                                     bool taken, uint32_t mask, uint64_t data)
{
    size_t const size = macsim_layout_bytes(layout);
    uint8_t *bytes = sample_more(sample, size);
    bool const wide = layout != MACSIM_G64, accesses = loads + stores > 0;
    unsigned const masks = layout == MACSIM_G72 ? 28 : 24, address = layout == MACSIM_G72 ? 40 : 32;

    sample_put(bytes, 1, sample_opcode(dialect, name));
    sample_put(bytes + 1, 1, 0);
    sample_put(bytes + 2, 1, loads);
    sample_put(bytes + 3, 1, cf);
    sample_put(bytes + 4, 1, 1);
    sample_put(bytes + 5, 1, loads);
    sample_put(bytes + 6, wide ? 2 : 1, 7);
    sample_put(bytes + (layout == MACSIM_G64 ? 15 : layout == MACSIM_G72 ? 16 : 14), wide ? 2 : 1, 8);
    sample_put(bytes + (layout == MACSIM_G64 ? 21 : layout == MACSIM_G72 ? 24 : 22), 1, layout == MACSIM_N64 ? 16 : 4);
    sample_put(bytes + masks, 4, mask);
    sample_put(bytes + masks + 4, 4, taken ? mask : 0);
    sample_put(bytes + address, 8, pc);
    sample_put(bytes + address + 8, 8, cf != 0 ? SAMPLE_GPU_PC : 0);
    sample_put(bytes + address + 16, 8, accesses && (mask & 1) != 0 ? data : 0);
    sample_put(bytes + address + 24, 1, accesses ? 4 : 0);
    sample_put(bytes + address + 26, 2, 0);
    sample_put(bytes + address + 28, 1, accesses ? layout == MACSIM_N64 ? 3 : 2 : 0);
    sample_put(bytes + address + 29, 2, 0);
    if (!accesses || layout == MACSIM_N64)
        return;
    bytes = sample_more(sample, 4 * size);
    for (unsigned lane = 1; lane < MACSIM_LANES; lane++) {
        size_t const in_record = size / 8, slot = lane - 1;

        sample_put(bytes + size * (slot / in_record) + 8 * (slot % in_record), 8,
                   (mask >> lane & 1) != 0 ? data + 4 * (uint64_t)lane : 0);
    }
}

static inline void sample_gpu(struct sample *sample, enum macsim_layout layout, enum macsim_dialect dialect,
                              unsigned loops, uint64_t data)
{
    unsigned const step = layout == MACSIM_N64 ? 16 : 8;

    for (unsigned loop = 0; loop < loops; loop++)
        for (unsigned i = 0; i < SAMPLE_GPU_LOOP; i++) {
            struct sample_gpu_inst const inst = sample_gpu_loop[i];

            sample_gpu_record(sample, layout, dialect, layout == MACSIM_N64 ? inst.sass : inst.ptx,
                              SAMPLE_GPU_PC + (uint64_t)step * i, inst.loads, inst.stores, inst.cf,
                              inst.cf != 0 && loop + 1 < loops, UINT32_MAX, data + 128 * (uint64_t)loop);
        }
    sample_gpu_record(sample, layout, dialect, "EXIT", SAMPLE_GPU_PC + (uint64_t)step * SAMPLE_GPU_LOOP, 0, 0,
                      layout == MACSIM_N64 ? 0 : 8, false, UINT32_MAX, 0);
}

/* Begin with {0}; a second call adds to it. */
static inline void sample_make(struct sample *sample, enum macsim_layout layout, enum macsim_dialect dialect,
                               unsigned loops, uint64_t data)
{
    if (macsim_layout_is_gpu(layout))
        sample_gpu(sample, layout, dialect, loops, data);
    else
        sample_cpu(sample, layout, dialect, loops, data);
}

static inline void sample_free(struct sample *sample)
{
    free(sample->bytes);
    *sample = (struct sample){0};
}

#endif
