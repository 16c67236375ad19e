/* RV64GC: I, M, A, F, D, C, Zicsr, Zifencei. Modelled: each instruction as in docs/spec/riscv-decode.md (sections 2 to
 * 6); encodings are those of the RISC-V unprivileged specification, chapter "RV32/64G Instruction Set Listings" and
 * the tables of the C extension. Not modelled: vectors, half precision, bit manipulation, privileged instructions;
 * these are not known.
 *
 * Compressed instructions are expanded first. lr, sc and amo are one instruction with one operand, and so are their
 * fences: aq is ACQUIRE, rl RELEASE, both FULL. A jump that is a call and a return (jalr with x1 and x5, one of each)
 * is a RETURN, as there; it writes a link register. Rounding modes, exception flags and CSRs are no registers. */
#include "proto/isa/decoder.h"
#include "proto/isa/isa_build.h"

enum { X1 = 1, X5 = 5, F0 = 32, REGISTERS = 64 };
enum target { TARGET_NONE, TARGET_B, TARGET_J };
enum ordering { ORDER_NONE, ORDER_AQ_RL };

#define R(bits, class_, operands) {bits, operands, .class = ISA_CLASS_##class_}
#define LOAD(bits, operands, bytes) \
    {bits, operands, .class = ISA_CLASS_NO_OP, .direction = ISA_DIRECTION_LOAD, .size = (bytes)}
#define STORE(bits, operands, bytes) \
    {bits, operands, .class = ISA_CLASS_NO_OP, .direction = ISA_DIRECTION_STORE, .size = (bytes)}
#define ATOMIC(bits, operands, way, bytes)                                                                            \
    {bits, operands, .class = ISA_CLASS_NO_OP, .direction = ISA_DIRECTION_##way, .size = (bytes), .is_atomic = true,  \
     .ordering = ORDER_AQ_RL}
#define SYSTEM(bits, operands, kind_) \
    {bits, operands, .class = ISA_CLASS_NO_OP, .kind = ISA_##kind_, .is_serialising = true}
#define BRANCH(bits, operands, kind_, rule)                                                                           \
    {bits, operands, .class = ISA_CLASS_INT_ALU, .kind = ISA_##kind_, .target = TARGET_##rule}

/* bits; class; written < read. Of floats d n m a are named vd vn vm va. */
static const struct isa_pattern table[] = {
    LOAD("............ ..... 000 ..... 0000011", "d < [n]", 1),    /* lb */
    LOAD("............ ..... 001 ..... 0000011", "d < [n]", 2),
    LOAD("............ ..... 010 ..... 0000011", "d < [n]", 4),
    LOAD("............ ..... 011 ..... 0000011", "d < [n]", 8),
    LOAD("............ ..... 100 ..... 0000011", "d < [n]", 1),    /* lbu */
    LOAD("............ ..... 101 ..... 0000011", "d < [n]", 2),
    LOAD("............ ..... 110 ..... 0000011", "d < [n]", 4),
    LOAD("............ ..... 010 ..... 0000111", "vd < [n]", 4),    /* flw fld */
    LOAD("............ ..... 011 ..... 0000111", "vd < [n]", 8),
    STORE("............ ..... 000 ..... 0100011", "< m [n]", 1),    /* sb sh sw sd */
    STORE("............ ..... 001 ..... 0100011", "< m [n]", 2),
    STORE("............ ..... 010 ..... 0100011", "< m [n]", 4),
    STORE("............ ..... 011 ..... 0100011", "< m [n]", 8),
    STORE("............ ..... 010 ..... 0100111", "< vm [n]", 4),    /* fsw fsd */
    STORE("............ ..... 011 ..... 0100111", "< vm [n]", 8),
    {"............ ..... 000 ..... 0001111", "<", ISA_CLASS_NO_OP, .fence = ISA_FENCE_FULL},
    SYSTEM("............ ..... 001 ..... 0001111", "<", OTHER),    /* fence.i */
    R("............ ..... 000 ..... 0010011", INT_ALU, "d < n"),    /* addi slti sltiu xori ori andi */
    R("............ ..... 01. ..... 0010011", INT_ALU, "d < n"),
    R("............ ..... 100 ..... 0010011", INT_ALU, "d < n"),
    R("............ ..... 11. ..... 0010011", INT_ALU, "d < n"),
    R("000000...... ..... 001 ..... 0010011", INT_ALU, "d < n"),    /* slli srli srai */
    R("0.0000...... ..... 101 ..... 0010011", INT_ALU, "d < n"),
    R("............ ..... ... ..... 0010111", INT_ALU, "d <"),    /* auipc */
    R("............ ..... 000 ..... 0011011", INT_ALU, "d < n"),    /* addiw slliw srliw sraiw */
    R("0000000..... ..... 001 ..... 0011011", INT_ALU, "d < n"),
    R("0.00000..... ..... 101 ..... 0011011", INT_ALU, "d < n"),
    ATOMIC("00010 .. 00000 ..... 010 ..... 0101111", "d < [n]", LOAD, 4),    /* lr */
    ATOMIC("00010 .. 00000 ..... 011 ..... 0101111", "d < [n]", LOAD, 8),
    ATOMIC("00011 .. ..... ..... 010 ..... 0101111", "d < m [n]", STORE, 4),    /* sc */
    ATOMIC("00011 .. ..... ..... 011 ..... 0101111", "d < m [n]", STORE, 8),
    ATOMIC("0000. .. ..... ..... 010 ..... 0101111", "d < m [n]", BOTH, 4),    /* amoadd amoswap */
    ATOMIC("0000. .. ..... ..... 011 ..... 0101111", "d < m [n]", BOTH, 8),
    ATOMIC("...00 .. ..... ..... 010 ..... 0101111", "d < m [n]", BOTH, 4),    /* the other seven */
    ATOMIC("...00 .. ..... ..... 011 ..... 0101111", "d < m [n]", BOTH, 8),
    R("0000000 ..... ..... ... ..... 0110011", INT_ALU, "d < n m"),    /* add sll slt sltu xor srl or and */
    R("0100000 ..... ..... 000 ..... 0110011", INT_ALU, "d < n m"),    /* sub sra */
    R("0100000 ..... ..... 101 ..... 0110011", INT_ALU, "d < n m"),
    R("0000001 ..... ..... 0.. ..... 0110011", INT_MULT, "d < n m"),
    R("0000001 ..... ..... 1.. ..... 0110011", INT_DIV, "d < n m"),
    R("............ ..... ... ..... 0110111", INT_ALU, "d <"),    /* lui */
    R("0000000 ..... ..... 000 ..... 0111011", INT_ALU, "d < n m"),    /* addw sllw srlw subw sraw */
    R("0000000 ..... ..... .01 ..... 0111011", INT_ALU, "d < n m"),
    R("0100000 ..... ..... 000 ..... 0111011", INT_ALU, "d < n m"),
    R("0100000 ..... ..... 101 ..... 0111011", INT_ALU, "d < n m"),
    R("0000001 ..... ..... 000 ..... 0111011", INT_MULT, "d < n m"),
    R("0000001 ..... ..... 1.. ..... 0111011", INT_DIV, "d < n m"),
    R("..... 0. ..... ..... 101 ..... 100..11", NO_OP, "-"),    /* rounding modes 5 and 6 */
    R("..... 0. ..... ..... 110 ..... 100..11", NO_OP, "-"),
    R("..... 0. ..... ..... ... ..... 100..11", FLOAT_MULT_ACC, "vd < vn vm va"),
    R("00100 0. ..... ..... 000 ..... 1010011", FLOAT_MISC, "vd < vn vm"),    /* fsgnj fsgnjn fsgnjx */
    R("00100 0. ..... ..... 001 ..... 1010011", FLOAT_MISC, "vd < vn vm"),
    R("00100 0. ..... ..... 010 ..... 1010011", FLOAT_MISC, "vd < vn vm"),
    R("00101 0. ..... ..... 00. ..... 1010011", FLOAT_CMP, "vd < vn vm"),    /* fmin fmax */
    R("10100 0. ..... ..... 00. ..... 1010011", FLOAT_CMP, "d < vn vm"),    /* fle flt feq */
    R("10100 0. ..... ..... 010 ..... 1010011", FLOAT_CMP, "d < vn vm"),
    R("11100 0. 00000 ..... 000 ..... 1010011", FLOAT_CVT, "d < vn"),    /* fmv.x.w fmv.x.d */
    R("11100 0. 00000 ..... 001 ..... 1010011", FLOAT_MISC, "d < vn"),    /* fclass */
    R("11110 0. 00000 ..... 000 ..... 1010011", FLOAT_CVT, "vd < n"),    /* fmv.w.x fmv.d.x */
    R("..... 0. ..... ..... 101 ..... 1010011", NO_OP, "-"),
    R("..... 0. ..... ..... 110 ..... 1010011", NO_OP, "-"),
    R("0000. 0. ..... ..... ... ..... 1010011", FLOAT_ADD, "vd < vn vm"),
    R("00010 0. ..... ..... ... ..... 1010011", FLOAT_MULT, "vd < vn vm"),
    R("00011 0. ..... ..... ... ..... 1010011", FLOAT_DIV, "vd < vn vm"),
    R("01000 00 00001 ..... ... ..... 1010011", FLOAT_CVT, "vd < vn"),    /* fcvt.s.d fcvt.d.s */
    R("01000 01 00000 ..... ... ..... 1010011", FLOAT_CVT, "vd < vn"),
    R("01011 0. 00000 ..... ... ..... 1010011", FLOAT_SQRT, "vd < vn"),
    R("11000 0. 000.. ..... ... ..... 1010011", FLOAT_CVT, "d < vn"),    /* fcvt.w.s ... */
    R("11010 0. 000.. ..... ... ..... 1010011", FLOAT_CVT, "vd < n"),    /* fcvt.s.w ... */
    BRANCH("....... ..... ..... 00. ..... 1100011", "< n m", CONDITIONAL, B),
    BRANCH("....... ..... ..... 1.. ..... 1100011", "< n m", CONDITIONAL, B),
    BRANCH("............ ..... 000 ..... 1100111", "d < n", INDIRECT_JUMP, NONE),    /* jalr */
    BRANCH(".................... ..... 1101111", "d <", DIRECT_JUMP, J),    /* jal */
    SYSTEM("000000000000 00000 000 00000 1110011", "<", SYSTEM),    /* ecall ebreak */
    SYSTEM("000000000001 00000 000 00000 1110011", "<", OTHER),
    SYSTEM("............ ..... 001 ..... 1110011", "d < n", OTHER),    /* csrrw csrrs csrrc */
    SYSTEM("............ ..... 01. ..... 1110011", "d < n", OTHER),
    SYSTEM("............ ..... 101 ..... 1110011", "d <", OTHER),    /* csrrwi csrrsi csrrci */
    SYSTEM("............ ..... 11. ..... 1110011", "d <", OTHER),
};

static const struct isa_fields fields = {.d = 7, .n = 15, .m = 20, .a = 27, .zero = 0, .first = 0, .first_vector = F0};

struct isa_patterns *rv64_patterns_new(void)
{
    return isa_patterns_new(&fields, 1, (const struct isa_pattern *const[]){table},
                            (const size_t[]){sizeof table / sizeof table[0]});
}

const char *rv64_register_name(unsigned number)
{
    static const char *const names[REGISTERS] = {
        NULL, "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "x31",
        "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15",
        "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24", "f25", "f26", "f27", "f28", "f29", "f30", "f31"};

    return number < REGISTERS ? names[number] : NULL;
}

/* Bits high:low of c, at the place `at`. */
static uint32_t cut(uint32_t c, unsigned high, unsigned low, unsigned at)
{
    return (c >> low & ((1u << (high - low + 1)) - 1)) << at;
}

/* `bit` is the sign. */
static uint32_t sign(uint32_t value, unsigned bit)
{
    return (value ^ 1u << bit) - (1u << bit);
}

static uint64_t offset_of(enum target rule, uint32_t bits)
{
    uint32_t const b = cut(bits, 31, 31, 12) | cut(bits, 7, 7, 11) | cut(bits, 30, 25, 5) | cut(bits, 11, 8, 1);
    uint32_t const j = cut(bits, 31, 31, 20) | cut(bits, 19, 12, 12) | cut(bits, 20, 20, 11) | cut(bits, 30, 21, 1);

    return (uint64_t)(int64_t)(int32_t)(rule == TARGET_B ? sign(b, 12) : sign(j, 20));
}

static bool is_link(unsigned number)
{
    return number == X1 || number == X5;
}

/* Calls and returns: docs/spec/branch-prediction.md 1. */
static enum isa_kind kind_of_jump(bool is_direct, unsigned d, unsigned n)
{
    if (!is_direct && is_link(n) && d != n)
        return ISA_RETURN;
    if (is_link(d))
        return is_direct ? ISA_DIRECT_CALL : ISA_INDIRECT_CALL;
    return is_direct ? ISA_DIRECT_JUMP : ISA_INDIRECT_JUMP;
}

/* From the bits that say it; 0: more than 8. */
static unsigned rv64_size_of(uint32_t low)
{
    if ((low & 0x03) != 0x03)
        return 2;
    if ((low & 0x1c) != 0x1c)
        return 4;
    if ((low & 0x20) == 0)
        return 6;
    return (low & 0x40) == 0 ? 8 : 0;
}

bool rv64_decode(const struct isa_patterns *patterns, uint64_t pc, const uint8_t *bytes, size_t length,
                 struct isa_insn *insn)
{
    static const uint8_t fence_of[] = {ISA_FENCE_NONE, ISA_FENCE_RELEASE, ISA_FENCE_ACQUIRE, ISA_FENCE_FULL};
    const struct isa_pattern *pattern;
    uint32_t bits = 0;

    if (length < 2)
        return false;
    insn->size_bytes = (uint8_t)rv64_size_of(bytes[0]);
    if ((insn->size_bytes != 2 && insn->size_bytes != 4) || insn->size_bytes > length)
        return false;
    for (unsigned i = 0; i < insn->size_bytes; i++)
        bits |= (uint32_t)bytes[i] << 8 * i;
    if (insn->size_bytes == 2)
        bits = rv64_expand((uint16_t)bits);
    pattern = isa_patterns_find(patterns, bits);
    if (!pattern)
        return false;
    isa_pattern_apply(patterns, pattern, bits, pattern->size, insn);
    if (pattern->ordering == ORDER_AQ_RL)
        insn->fence = fence_of[cut(bits, 26, 25, 0)];
    if (insn->kind == ISA_DIRECT_JUMP || insn->kind == ISA_INDIRECT_JUMP)
        insn->kind = (uint8_t)kind_of_jump(insn->kind == ISA_DIRECT_JUMP, cut(bits, 11, 7, 0), cut(bits, 19, 15, 0));
    if (pattern->target != TARGET_NONE) {
        insn->has_target = true;
        insn->target = pc + offset_of(pattern->target, bits);
    }
    return true;
}
