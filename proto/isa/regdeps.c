/* Register dependences of drmemtrace (REGDEPS), and the register numbers of ChampSim's records:
 * docs/spec/drmemtrace.md 8 and champsim-traces.md 4.
 *
 * REGDEPS: registers are numbered from 1 here, since 0 is none. There are numbers up to 255, and the flags are a
 * register, too: the last three numbers, which no trace is known to use, are one register. Which registers feed the
 * address is not said: all do, and all are data. Branches are known as such only; which kind, the trace's records
 * say. */
#include "proto/isa/decoder.h"

#include "proto/isa/isa_build.h"

enum {
    HEADER_BYTES = 4, MAX_OPERANDS = 8, COUNT_MASK = 15, READS_SHIFT = 4, WRITES_FLAGS = 1 << 8, READS_FLAGS = 1 << 9,
    CATEGORY_SHIFT = 10, LAST = 254, FLAGS = 255
};

enum category {
    CATEGORY_FP = 1, CATEGORY_LOAD = 2, CATEGORY_STORE = 4, CATEGORY_BRANCH = 8, CATEGORY_SIMD = 0x10,
    CATEGORY_STATE = 0x20,
    CATEGORY_MOVE = 0x40, CATEGORY_CONVERT = 0x80, CATEGORY_MATH = 0x100, CATEGORY_OTHER = 0x200
};

/* The first line with all its bits set decides. The trace does not specify the operation further. */
static const struct { uint16_t category; uint8_t class; } classes[] = {
    {CATEGORY_BRANCH, ISA_CLASS_INT_ALU},
    {CATEGORY_STATE, ISA_CLASS_NO_OP},
    {CATEGORY_SIMD | CATEGORY_FP | CATEGORY_MATH, ISA_CLASS_SIMD_FLOAT_ADD},
    {CATEGORY_SIMD | CATEGORY_FP | CATEGORY_CONVERT, ISA_CLASS_SIMD_FLOAT_ADD},
    {CATEGORY_SIMD | CATEGORY_MATH, ISA_CLASS_SIMD_ALU},
    {CATEGORY_SIMD | CATEGORY_CONVERT, ISA_CLASS_SIMD_FLOAT_ADD},
    {CATEGORY_FP | CATEGORY_MATH, ISA_CLASS_FLOAT_ADD},
    {CATEGORY_FP | CATEGORY_CONVERT, ISA_CLASS_FLOAT_CVT},
    {CATEGORY_MATH, ISA_CLASS_INT_ALU},
    {CATEGORY_CONVERT, ISA_CLASS_FLOAT_CVT},
    {CATEGORY_LOAD, ISA_CLASS_NO_OP},
    {CATEGORY_STORE, ISA_CLASS_NO_OP},
    {CATEGORY_SIMD, ISA_CLASS_SIMD_MISC},
    {CATEGORY_FP, ISA_CLASS_FLOAT_MISC},
    {0, ISA_CLASS_INT_ALU},
};

/* By the operation-size code; the rest is not known. */
static const uint8_t sizes_bytes[] = {[2] = 1, [3] = 2, [4] = 4, [6] = 8, [8] = 16};

static unsigned regdeps_number_of(uint8_t byte)
{
    return byte + 1u < LAST ? byte + 1u : LAST;
}

static uint8_t regdeps_class_of(uint32_t category)
{
    size_t i = 0;

    while ((category & classes[i].category) != classes[i].category)
        i++;
    return classes[i].class;
}

bool regdeps_decode(const uint8_t *bytes, size_t length, struct isa_insn *insn)
{
    uint32_t header = 0, category;
    unsigned written, read, size = 0;
    struct isa_operand *load = NULL, *store = NULL;

    if (length < HEADER_BYTES)
        return false;
    for (unsigned i = 0; i < HEADER_BYTES; i++)
        header |= (uint32_t)bytes[i] << 8 * i;
    written = header & COUNT_MASK;
    read = header >> READS_SHIFT & COUNT_MASK;
    category = header >> CATEGORY_SHIFT;
    insn->size_bytes = (uint8_t)(written + read == 0 ? HEADER_BYTES : (HEADER_BYTES + 1 + written + read + 3) / 4 * 4);
    if (written > MAX_OPERANDS || read > MAX_OPERANDS || HEADER_BYTES + 1 + written + read > ISA_MAX_BYTES
        || insn->size_bytes > length) {
        insn->size_bytes = 0;
        return false;
    }
    bytes += HEADER_BYTES;
    if (written + read > 0) {
        size = *bytes < sizeof sizes_bytes ? sizes_bytes[*bytes] : 0;
        bytes++;
    }
    insn->class = regdeps_class_of(category);
    insn->kind = category & CATEGORY_BRANCH ? ISA_OTHER_BRANCH : ISA_OTHER;
    if (category & CATEGORY_LOAD)
        load = isa_operand_add(insn, ISA_DIRECTION_LOAD, size);
    if (category & CATEGORY_STORE)
        store = isa_operand_add(insn, ISA_DIRECTION_STORE, size);
    for (unsigned i = 0; i < written; i++)
        isa_write(insn, regdeps_number_of(bytes[i]));
    for (unsigned i = written; i < written + read; i++) {
        isa_read_data(insn, regdeps_number_of(bytes[i]));
        isa_read_address(insn, load, regdeps_number_of(bytes[i]));
        isa_read_address(insn, store, regdeps_number_of(bytes[i]));
    }
    if (header & WRITES_FLAGS)
        isa_write(insn, FLAGS);
    if (header & READS_FLAGS)
        isa_read_data(insn, FLAGS);
    return true;
}

/* --- names --- */

#define TEN(tens) \
    "r" #tens "0", "r" #tens "1", "r" #tens "2", "r" #tens "3", "r" #tens "4", "r" #tens "5", "r" #tens "6", \
    "r" #tens "7", "r" #tens "8", "r" #tens "9"
static const char *const plain[260] = {
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6), TEN(7),
    TEN(8),
    TEN(9), TEN(10), TEN(11), TEN(12), TEN(13), TEN(14), TEN(15), TEN(16), TEN(17), TEN(18), TEN(19), TEN(20), TEN(21),
    TEN(22), TEN(23), TEN(24), TEN(25)};

const char *regdeps_register_name(unsigned number)
{
    return number == FLAGS ? "flags" : plain[number - 1];
}

const char *champsim_register_name(unsigned number)
{
    static const char *const names[] = {
        NULL, NULL, NULL, "rdi", "rsi", "rbp", "rsp", "rbx", "rdx", "rcx", "rax", "r8", "r9", "r10", "r11", "r12",
        "r13", "r14",
        "r15", "cs", "ss", "ds", "es", "fs", "gs", "flags", "rip"};

    return number < sizeof names / sizeof names[0] && names[number] ? names[number] : plain[number];
}
