/* Offsets by macsim-traces 2.1 to 2.3. A layout is a row of offsets; decoding is one inlined function a row, so that
 * offsets are constants. The records that belong to another: proto/macsim/macsim_stream.c. */
#include "proto/macsim/record.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

/* ---- layouts */

struct layout {
    const char *name;
    size_t bytes;
    bool is_gpu;
};

#define LAYOUT_ROW(name, bytes, gpu) [MACSIM_##name] = {#name, bytes, gpu},
static const struct layout layouts[] = { MACSIM_LAYOUT_LIST(LAYOUT_ROW) };

const char *macsim_layout_name(enum macsim_layout layout)
{
    return layouts[layout].name;
}

size_t macsim_layout_bytes(enum macsim_layout layout)
{
    return layouts[layout].bytes;
}

bool macsim_layout_is_gpu(enum macsim_layout layout)
{
    return layouts[layout].is_gpu;
}

/* Offsets. The counts are at 0 and 1, source registers at 2. Five addresses follow each other (load 1, load 2, store,
 * instruction, target), then four bytes (read, written, direction, taken). */
struct cpu_offsets {
    uint16_t register_bytes, destinations, cf, opcode, opcode_bytes, has_store, stores, size, rows, addresses,
        address_bytes;
};

/* Immediate follows cf; fp, flags and loads follow has_store. 0: the layout has no such field. */
static const struct cpu_offsets cpu_offsets[] = {
    [MACSIM_C52]  = {1, 11, 17, 19, 1, 20, 0, 24, 0, 28, 4},
    [MACSIM_C80]  = {1, 11, 17, 19, 1, 20, 0, 24, 0, 32, 8},
    [MACSIM_C88]  = {2, 20, 32, 34, 1, 35, 0, 39, 0, 40, 8},
    [MACSIM_A80]  = {1, 11, 17, 20, 2, 22, 0, 26, 0, 32, 8},
    [MACSIM_C464] = {1, 11, 17, 19, 1, 20, 24, 25, 32, 416, 8},
};

struct gpu_offsets {
    uint16_t register_bytes, source_room, destinations, destination_room, size, active_mask, taken_mask, pc;
};

/* Opcode, fp, load, cf and the counts are at 0 to 5, source registers at 6. After pc: target, address, then size,
 * padding, threads in barrier (2), space, cache level, cache operator. */
static const struct gpu_offsets gpu_offsets[] = {
    [MACSIM_G64] = {1, 9, 15, 6, 21, 24, 28, 32},
    [MACSIM_G72] = {2, 5, 16, 4, 24, 28, 32, 40},
    [MACSIM_N64] = {2, 4, 14, 4, 22, 24, 28, 32},
};

/* ---- decoding */

static inline uint8_t at_most(unsigned count, unsigned room)
{
    return (uint8_t)(count < room ? count : room);
}

static inline void get_registers(uint16_t *to, unsigned count, const uint8_t *from, unsigned bytes)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = bytes == 1 ? from[i] : bits_load16(from + 2 * (size_t)i);
}

static inline uint64_t get_address(const uint8_t *from, unsigned index, unsigned bytes)
{
    return bytes == 4 ? bits_load32(from + 4 * (size_t)index) : bits_load64(from + 8 * (size_t)index);
}

__attribute__((always_inline))
static inline void decode_cpu(const struct cpu_offsets at, const uint8_t *bytes, struct macsim_cpu_record *record)
{
    const uint8_t *const addresses = bytes + at.addresses;
    const uint8_t *const behind = addresses + 5 * (size_t)at.address_bytes;

    record->source_count = at_most(bytes[0], MACSIM_MAX_SOURCES);
    record->destination_count = at_most(bytes[1], MACSIM_MAX_DESTINATIONS);
    get_registers(record->sources, record->source_count, bytes + 2, at.register_bytes);
    get_registers(record->destinations, record->destination_count, bytes + at.destinations, at.register_bytes);
    record->cf = bytes[at.cf];
    record->has_immediate = bytes[at.cf + 1] != 0;
    record->opcode = at.opcode_bytes == 1 ? bytes[at.opcode] : bits_load16(bytes + at.opcode);
    record->has_store = bytes[at.has_store] != 0;
    record->is_fp = bytes[at.has_store + 1] != 0;
    record->writes_flags = bytes[at.has_store + 2] != 0;
    record->load_count = bytes[at.has_store + 3];
    record->store_count = at.stores != 0 ? bytes[at.stores] : record->has_store;
    record->size = bytes[at.size];
    record->tile_rows = at.rows != 0 ? bytes + at.rows : NULL;
    record->load[0] = get_address(addresses, 0, at.address_bytes);
    record->load[1] = get_address(addresses, 1, at.address_bytes);
    record->store = get_address(addresses, 2, at.address_bytes);
    record->pc = get_address(addresses, 3, at.address_bytes);
    record->target = get_address(addresses, 4, at.address_bytes);
    record->bytes_read = behind[0];
    record->bytes_written = behind[1];
    record->repeat_direction = behind[2];
    record->taken = behind[3] != 0;
}

void macsim_decode_cpu(enum macsim_layout layout, const uint8_t *bytes, struct macsim_cpu_record *record)
{
    switch (layout) {
    case MACSIM_C80: decode_cpu(cpu_offsets[MACSIM_C80], bytes, record); return;
    case MACSIM_C52: case MACSIM_C88: case MACSIM_A80: case MACSIM_C464:
        decode_cpu(cpu_offsets[layout], bytes, record);
        return;
    case MACSIM_G64: case MACSIM_G72: case MACSIM_N64: case MACSIM_LAYOUT_COUNT: break;
    }
    *record = (struct macsim_cpu_record){0};
}

uint64_t macsim_tile_row(const struct macsim_cpu_record *record, unsigned tile, unsigned row)
{
    return record->tile_rows != NULL ? bits_load64(record->tile_rows + 8 * (size_t)(16 * tile + row)) : 0;
}

/* The spaces whose accesses have address records; texture and surface opcodes access as far as "is load" says. */
static bool has_addresses_by_opcode(enum macsim_dialect dialect, unsigned opcode)
{
    struct macsim_gpu_op const op = macsim_gpu_op(dialect, opcode);

    return op.access == MACSIM_STORE || op.access == MACSIM_ATOMIC || op.access == MACSIM_REDUCTION;
}

static void set_number_or_unknown(uint8_t *count, unsigned value, unsigned room)
{
    *count = value == 255 ? 0 : at_most(value, room);
}

__attribute__((always_inline))
static inline void decode_gpu(const struct macsim_format *format, const struct gpu_offsets at, bool is_nvbit,
                              const uint8_t *bytes, struct macsim_gpu_record *record)
{
    const uint8_t *const behind = bytes + at.pc + 24;

    record->opcode = bytes[0];
    record->is_fp = bytes[1] != 0;
    record->is_load = bytes[2] != 0;
    record->cf = is_nvbit && bytes[3] == 255 ? MACSIM_CF_NONE : bytes[3];
    set_number_or_unknown(&record->source_count, bytes[4], at.source_room);
    set_number_or_unknown(&record->destination_count, bytes[5], at.destination_room);
    get_registers(record->sources, record->source_count, bytes + 6, at.register_bytes);
    get_registers(record->destinations, record->destination_count, bytes + at.destinations, at.register_bytes);
    record->size = bytes[at.size];
    record->active_mask = bits_load32(bytes + at.active_mask);
    record->taken_mask = bits_load32(bytes + at.taken_mask);
    record->pc = bits_load64(bytes + at.pc);
    record->target = bits_load64(bytes + at.pc + 8);
    record->accesses_memory = record->is_load || has_addresses_by_opcode(format->opcodes, record->opcode);
    record->address = is_nvbit || record->accesses_memory ? bits_load64(bytes + at.pc + 16) : 0;
    record->reconvergence = !is_nvbit && record->cf != MACSIM_CF_NONE && !record->accesses_memory
        ? bits_load64(bytes + at.pc + 16) : 0;
    record->access_bytes = behind[0];
    record->barrier = behind[0];
    record->barrier_threads = bits_load16(behind + 2);
    record->space = behind[4];
    record->fence = behind[4];
    record->cache_level = behind[5];
    record->cache_operator = behind[6];
}

/* PTX in CPU records (2.2, last paragraph): address fields hold the masks. */
static void decode_old_ptx(const struct macsim_format *format, const uint8_t *bytes, struct macsim_gpu_record *record)
{
    struct macsim_cpu_record cpu;

    macsim_decode_cpu(format->layout, bytes, &cpu);
    record->opcode = (uint8_t)cpu.opcode;
    record->is_fp = cpu.is_fp;
    record->is_load = cpu.load_count > 0;
    record->cf = cpu.cf;
    record->source_count = cpu.source_count;
    record->destination_count = cpu.destination_count;
    memcpy(record->sources, cpu.sources, sizeof cpu.sources);
    memcpy(record->destinations, cpu.destinations, sizeof cpu.destinations);
    record->size = cpu.size;
    record->active_mask = (uint32_t)cpu.load[1];
    record->taken_mask = cpu.cf != MACSIM_CF_NONE ? (uint32_t)cpu.load[0] : 0;
    record->pc = cpu.pc;
    record->target = cpu.target;
    record->accesses_memory = cpu.load_count > 0 || cpu.has_store;
    record->address = cpu.load_count > 0 ? cpu.load[0] : cpu.has_store ? cpu.store : 0;
    record->reconvergence = cpu.cf != MACSIM_CF_NONE ? cpu.store : 0;
    record->access_bytes = cpu.load_count > 0 ? cpu.bytes_read : cpu.bytes_written;
    record->barrier = record->fence = record->space = 0;
    record->barrier_threads = 0;
    record->cache_level = record->cache_operator = 0;
}

void macsim_decode_gpu(const struct macsim_format *format, const uint8_t *bytes, struct macsim_gpu_record *record)
{
    record->child_count = 0;
    record->has_lanes = false;
    switch (format->layout) {
    case MACSIM_G64: decode_gpu(format, gpu_offsets[MACSIM_G64], false, bytes, record); return;
    case MACSIM_G72: decode_gpu(format, gpu_offsets[MACSIM_G72], false, bytes, record); return;
    case MACSIM_N64: decode_gpu(format, gpu_offsets[MACSIM_N64], true, bytes, record); return;
    case MACSIM_C52: case MACSIM_C80: case MACSIM_C88: case MACSIM_A80: case MACSIM_C464: case MACSIM_LAYOUT_COUNT:
        decode_old_ptx(format, bytes, record);
    }
}

/* ---- implausible fields */

struct look {
    char *text;
    size_t room;
    enum macsim_oddity is;
};

static void expect_else(struct look *look, enum macsim_oddity oddity, const char *field, unsigned value,
                        unsigned lowest, unsigned highest)
{
    if (look->is >= oddity || (value >= lowest && value <= highest))
        return;
    if (look->is == MACSIM_PLAUSIBLE && look->room > 0)
        snprintf(look->text, look->room, "%s is %u, expected %u to %u", field, value, lowest, highest);
    look->is = oddity;
}

static void expect(struct look *look, const char *field, unsigned value, unsigned lowest, unsigned highest)
{
    expect_else(look, MACSIM_ODD_FIELD, field, value, lowest, highest);
}

static void expect_flag(struct look *look, const char *field, unsigned value)
{
    expect_else(look, MACSIM_ODD_FLAG, field, value, 0, 1);
}

/* Highest opcode of any dialect that a layout was written with. */
static unsigned highest_opcode(const struct macsim_format *format)
{
    switch (format->layout) {
    case MACSIM_C52: return format->is_gpu ? 255 : macsim_dialect_size(MACSIM_X86_2012B) - 1;
    case MACSIM_C80: return macsim_dialect_size(MACSIM_PTX_2013A) - 1;
    case MACSIM_C88: case MACSIM_C464: return macsim_dialect_size(MACSIM_X86_AMX3) - 1;
    case MACSIM_A80: return macsim_dialect_size(MACSIM_A64) - 1;
    case MACSIM_G64: return macsim_dialect_size(MACSIM_PTX_V131) - 1;
    case MACSIM_G72: return macsim_dialect_size(MACSIM_PTX_V14) - 1;
    case MACSIM_N64: case MACSIM_LAYOUT_COUNT: break;
    }
    return macsim_dialect_size(MACSIM_NVBIT) - 1;
}

/* C464 was made for tiles of AMX; C80 has at most two loads, except with the opcode of AMX, whose number is the same
 * in all tables that have it (appendix A: x86-amx1 to 3). */
static unsigned highest_load_count(const struct macsim_format *format, unsigned opcode)
{
    bool const may_be_tile = format->layout == MACSIM_C464
        || (format->layout == MACSIM_C80 && !format->is_gpu && macsim_is_tile(MACSIM_X86_AMX1, opcode));

    return may_be_tile ? MACSIM_MAX_TILE_ROWS : 2;
}

static void look_at_cpu(struct look *look, const struct macsim_format *format, const uint8_t *bytes)
{
    struct cpu_offsets const at = cpu_offsets[format->layout];
    const uint8_t *const behind = bytes + at.addresses + 5 * (size_t)at.address_bytes;
    unsigned const opcode = at.opcode_bytes == 1 ? bytes[at.opcode] : bits_load16(bytes + at.opcode);
    bool const is_x86 = format->layout != MACSIM_A80
        && (format->is_gpu || macsim_dialect_family(format->opcodes) == MACSIM_FAMILY_X86);

    expect(look, "number of source registers", bytes[0], 0, MACSIM_MAX_SOURCES);
    expect(look, "number of destination registers", bytes[1], 0, MACSIM_MAX_DESTINATIONS);
    expect(look, "control-flow type", bytes[at.cf], 0, MACSIM_CF_COUNT - 1);
    expect_flag(look, "has immediate", bytes[at.cf + 1]);
    expect(look, "opcode", opcode, 0, highest_opcode(format));
    expect(look, "has store", bytes[at.has_store], 0, 1);
    expect_flag(look, "is floating point", bytes[at.has_store + 1]);
    expect_flag(look, "writes flags", bytes[at.has_store + 2]);
    expect(look, "number of loads", bytes[at.has_store + 3], 0, highest_load_count(format, opcode));
    if (at.stores != 0)
        expect(look, "number of stores", bytes[at.stores], 0, MACSIM_MAX_TILE_ROWS);
    if (format->layout == MACSIM_A80)
        expect(look, "instruction size", bytes[at.size], 4, 4);
    else if (is_x86 && !format->is_gpu)
        expect(look, "instruction size", bytes[at.size], 1, 15);
    else
        expect(look, "instruction size", bytes[at.size], 0, 16);
    expect_flag(look, "repeat direction", behind[2]);
    expect_flag(look, "taken", behind[3]);
}

/* N64: 255 is "not known". */
static void expect_or_unknown(struct look *look, bool is_nvbit, const char *field, unsigned value, unsigned highest)
{
    if (!is_nvbit || value != 255)
        expect(look, field, value, 0, highest);
}

static void look_at_gpu(struct look *look, const struct macsim_format *format, const uint8_t *bytes)
{
    struct gpu_offsets const at = gpu_offsets[format->layout];
    const uint8_t *const behind = bytes + at.pc + 24;
    bool const is_nvbit = format->layout == MACSIM_N64;

    expect_or_unknown(look, is_nvbit, "opcode", bytes[0], highest_opcode(format));
    expect_flag(look, "is floating point", bytes[1]);
    expect(look, "is load", bytes[2], 0, 1);
    expect_or_unknown(look, is_nvbit, "control-flow type", bytes[3], MACSIM_CF_COUNT - 1);
    expect_or_unknown(look, is_nvbit, "number of source registers", bytes[4], at.source_room);
    expect_or_unknown(look, is_nvbit, "number of destination registers", bytes[5], at.destination_room);
    expect(look, "instruction size", bytes[at.size], is_nvbit ? 16 : 4, is_nvbit ? 16 : 4);
    expect_or_unknown(look, is_nvbit, "address space", behind[4], is_nvbit ? 8 : 7);
    expect(look, "cache level", behind[5], 0, 2);
    expect(look, "cache operator", behind[6], 0, 6);
}

enum macsim_oddity macsim_record_fault(const struct macsim_format *format, const uint8_t *bytes, char *text,
                                       size_t room)
{
    struct look look = {text, room, MACSIM_PLAUSIBLE};

    if (layouts[format->layout].is_gpu)
        look_at_gpu(&look, format, bytes);
    else
        look_at_cpu(&look, format, bytes);
    return look.is;
}
