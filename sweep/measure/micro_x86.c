/* x86-64: encodings as in the Intel SDM, volume 2. The state lies at r15, the count in r14. */
#include "sweep/measure/micro_internal.h"

#ifdef __x86_64__

#include <string.h>

/* Of each integer register; r(0) is rax, and r(3) rdx, for division. */
static const uint8_t numbers[MICRO_REGISTERS] = {0, 1, 3, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13};
enum { STATE = 15, COUNT = 14 };

enum isa micro_isa(void)
{
    return ISA_X86_64;
}

/* An instruction that is put together. */
struct x86 {
    uint8_t bytes[16];
    size_t length;
};

static void x86_byte(struct x86 *x86, unsigned byte)
{
    x86->bytes[x86->length++] = (uint8_t)byte;
}

static void x86_word(struct x86 *x86, int32_t word)
{
    memcpy(x86->bytes + x86->length, &word, sizeof word);
    x86->length += sizeof word;
}

static void x86_rex(struct x86 *x86, bool is_wide, unsigned reg, unsigned base)
{
    x86_byte(x86, 0x40 | (is_wide ? 8u : 0u) | (reg >> 3 << 2) | base >> 3);
}

static void x86_registers(struct x86 *x86, unsigned reg, unsigned other)
{
    x86_byte(x86, 0xc0 | (reg & 7) << 3 | (other & 7));
}

/* ModRM, SIB if the base needs one, displacement of one byte or four. */
static void x86_memory(struct x86 *x86, unsigned reg, unsigned base, int32_t displacement)
{
    bool const is_none = displacement == 0 && (base & 7) != 5;
    bool const is_short = displacement >= -128 && displacement <= 127;

    x86_byte(x86, (is_none ? 0u : is_short ? 0x40u : 0x80u) | (reg & 7) << 3 | (base & 7));
    if ((base & 7) == 4)
        x86_byte(x86, 0x24);
    if (is_none)
        return;
    if (is_short)
        x86_byte(x86, (uint8_t)displacement);
    else
        x86_word(x86, displacement);
}

/* Three bytes of VEX: map 1 is 0F, 2 is 0F38; prefix 1 is 66, 2 F3, 3 F2. */
static void x86_vex(struct x86 *x86, unsigned map, unsigned prefix, bool is_wide, bool is_256, unsigned reg,
                    unsigned source, unsigned base)
{
    x86_byte(x86, 0xc4);
    x86_byte(x86, (~reg >> 3 & 1) << 7 | 0x40 | (~base >> 3 & 1) << 5 | map);
    x86_byte(x86, (is_wide ? 0x80u : 0u) | (~source & 15) << 3 | (is_256 ? 4u : 0u) | prefix);
}

static void x86_put(struct micro_code *code, const struct x86 *x86, struct micro_step step)
{
    micro_bytes(code, x86->bytes, x86->length);
    micro_step(code, x86->length, step);
}

static const struct micro_step nothing = {.reg = MICRO_NO_REGISTER, .base = MICRO_NO_REGISTER};

/* ---- integers */
static void x86_put_add(struct micro_code *code, unsigned d, int32_t i)
{
    struct x86 x86 = {.length = 0};
    bool const is_short = i >= -128 && i <= 127;

    x86_rex(&x86, true, 0, numbers[d]);
    x86_byte(&x86, is_short ? 0x83 : 0x81);
    x86_registers(&x86, 0, numbers[d]);
    if (is_short)
        x86_byte(&x86, (uint8_t)i);
    else
        x86_word(&x86, i);
    x86_put(code, &x86, (struct micro_step){.effect = MICRO_ADDS, .reg = (uint8_t)d, .base = MICRO_NO_REGISTER,
                                            .number = i});
}

static void x86_put_zero(struct micro_code *code, unsigned d)
{
    struct x86 x86 = {.length = 0};

    x86_rex(&x86, false, numbers[d], numbers[d]);
    x86_byte(&x86, 0x31);
    x86_registers(&x86, numbers[d], numbers[d]);
    x86_put(code, &x86, (struct micro_step){.effect = MICRO_COPIES, .reg = (uint8_t)d, .base = MICRO_NO_REGISTER});
}

static void x86_put_divide(struct micro_code *code, unsigned s)
{
    struct x86 x86 = {.length = 0};

    x86_put_zero(code, 3);
    x86_rex(&x86, true, 0, numbers[s]);
    x86_byte(&x86, 0xf7);
    x86_registers(&x86, 6, numbers[s]);
    x86_put(code, &x86, nothing);
}

static unsigned opcode_of(enum micro_operation operation)
{
    return operation == MICRO_MOVE ? 0x89 : operation == MICRO_OR ? 0x09 : operation == MICRO_SUM ? 0x01 : 0x85;
}

static bool x86_integer(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    struct x86 x86 = {.length = 0};
    struct micro_step step = nothing;

    switch (operation) {
    case MICRO_NOP: x86_byte(&x86, 0x90); break;
    case MICRO_ADD: x86_put_add(code, d, i); return true;
    case MICRO_ZERO: x86_put_zero(code, d); return true;
    case MICRO_DIV: x86_put_divide(code, s); return true;
    case MICRO_MUL:
        x86_rex(&x86, true, numbers[d], numbers[s]);
        x86_byte(&x86, 0x0f);
        x86_byte(&x86, 0xaf);
        x86_registers(&x86, numbers[d], numbers[s]);
        break;
    case MICRO_MOVE:
        step = (struct micro_step){.effect = MICRO_COPIES, .reg = (uint8_t)d, .base = (uint8_t)s};
        /* fall through */
    case MICRO_OR:
    case MICRO_SUM:
    case MICRO_TEST:
        s = operation == MICRO_TEST ? d : s;
        x86_rex(&x86, true, numbers[s], numbers[d]);
        x86_byte(&x86, opcode_of(operation));
        x86_registers(&x86, numbers[s], numbers[d]);
        break;
    default: return false;
    }
    x86_put(code, &x86, step);
    return true;
}

/* ---- floating point and vectors */
static bool x86_float(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s)
{
    static const struct { uint8_t prefix, opcode; } opcodes[MICRO_OPERATION_COUNT] = {
        [MICRO_FADD] = {0xf2, 0x58}, [MICRO_FMUL] = {0xf2, 0x59}, [MICRO_FDIV] = {0xf2, 0x5e},
        [MICRO_FSQRT] = {0xf2, 0x51}, [MICRO_VADD] = {0x66, 0xd4}, [MICRO_VMUL] = {0x66, 0xf4}
    };
    struct x86 x86 = {.length = 0};

    if (operation == MICRO_FMA && code->has_fma) {
        x86_vex(&x86, 2, 1, true, false, d, s, s);
        x86_byte(&x86, 0xa9);
    } else if (opcodes[operation].opcode != 0) {
        s = operation == MICRO_FSQRT ? d : s;
        x86_byte(&x86, opcodes[operation].prefix);
        x86_rex(&x86, false, d, s);
        x86_byte(&x86, 0x0f);
        x86_byte(&x86, opcodes[operation].opcode);
    } else {
        return false;
    }
    x86_registers(&x86, d, s);
    x86_put(code, &x86, nothing);
    return true;
}

static bool x86_access(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    bool const is_vector = operation == MICRO_VLOAD || operation == MICRO_VSTORE;
    bool const is_store = operation == MICRO_STORE || operation == MICRO_STORE4 || operation == MICRO_VSTORE;
    bool const is_wide = operation == MICRO_LOAD || operation == MICRO_STORE;
    struct micro_step step = {.effect = is_store ? MICRO_STORES : MICRO_LOADS, .number = i, .base = (uint8_t)s};
    struct x86 x86 = {.length = 0};

    step.reg = is_vector ? MICRO_NO_REGISTER : (uint8_t)d;
    step.access_bytes = is_vector ? code->vector_bytes : is_wide ? 8 : 4;
    if (is_vector && code->vector_bytes == 32) {
        x86_vex(&x86, 1, 1, false, true, d, 0, numbers[s]);
        x86_byte(&x86, is_store ? 0x7f : 0x6f);
    } else if (is_vector) {
        x86_byte(&x86, 0x66);
        x86_rex(&x86, false, d, numbers[s]);
        x86_byte(&x86, 0x0f);
        x86_byte(&x86, is_store ? 0x7f : 0x6f);
    } else {
        d = numbers[d];
        x86_rex(&x86, is_wide, d, numbers[s]);
        x86_byte(&x86, is_store ? 0x89 : 0x8b);
    }
    x86_memory(&x86, d, numbers[s], i);
    x86_put(code, &x86, step);
    return true;
}

/* ---- branches */
static void x86_jump(struct micro_code *code, int32_t i)
{
    static const uint8_t gap[256];
    struct x86 x86 = {.length = 0};
    struct micro_step step = {.effect = MICRO_JUMPS, .reg = MICRO_NO_REGISTER, .base = MICRO_NO_REGISTER,
                              .target = (uint32_t)code->step_count + 1};

    x86_byte(&x86, 0xeb);
    x86_byte(&x86, (uint8_t)i);
    x86_put(code, &x86, step);
    micro_bytes(code, gap, (size_t)(i & 127));
}

void micro_host_jump(struct micro_code *code, int32_t distance, uint32_t target_step)
{
    struct x86 x86 = {.bytes = {0xe9}, .length = 1};

    x86_word(&x86, distance - 5);
    x86_put(code, &x86, (struct micro_step){.effect = MICRO_JUMPS, .reg = MICRO_NO_REGISTER,
                                            .base = MICRO_NO_REGISTER, .target = target_step});
}

/* What it leaves out has four bytes: an ADD. */
static void x86_skip(struct micro_code *code, unsigned d, int32_t i)
{
    struct x86 x86 = {.length = 0}, jump = {.bytes = {0x75, 4}, .length = 2};

    x86_rex(&x86, false, 0, numbers[d]);
    x86_byte(&x86, 0xf6);
    x86_registers(&x86, 0, numbers[d]);
    x86_byte(&x86, 1u << i);
    x86_put(code, &x86, nothing);
    x86_put(code, &jump, (struct micro_step){.effect = MICRO_JUMPS_ON_BIT, .reg = (uint8_t)d, .number = i,
                                             .base = MICRO_NO_REGISTER});
    code->open_skip = code->step_count - 1;
}

bool micro_host_put(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    switch (operation) {
    case MICRO_JUMP: x86_jump(code, i); return true;
    case MICRO_SKIP: x86_skip(code, d, i); return true;
    case MICRO_LOAD: case MICRO_STORE: case MICRO_LOAD4: case MICRO_STORE4: case MICRO_VLOAD: case MICRO_VSTORE:
        return x86_access(code, operation, d, s, i);
    default: return x86_integer(code, operation, d, s, i) || x86_float(code, operation, d, s);
    }
}

/* ---- around the loop */
static void x86_state(struct micro_code *code, bool is_store)
{
    for (unsigned r = 0; r <= MICRO_REGISTERS; r++) {
        unsigned const number = r < MICRO_REGISTERS ? numbers[r] : COUNT;
        struct x86 x86 = {.length = 0};

        x86_rex(&x86, true, number, STATE);
        x86_byte(&x86, is_store ? 0x89 : 0x8b);
        x86_memory(&x86, number, STATE, (int32_t)(8 * r));
        micro_bytes(code, x86.bytes, x86.length);
    }
}

void micro_host_begin(struct micro_code *code)
{
    static const uint8_t saves[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x49, 0x89, 0xff};

    code->vector_bytes = __builtin_cpu_supports("avx") ? 32 : 16;
    code->has_fma = __builtin_cpu_supports("fma") != 0;
    micro_bytes(code, saves, sizeof saves);
    for (unsigned f = 0; f < MICRO_VECTORS; f++) {
        struct x86 x86 = {.length = 0};

        x86_rex(&x86, false, f, STATE);
        x86_byte(&x86, 0x0f);
        x86_byte(&x86, 0x10);
        x86_memory(&x86, f, STATE, (int32_t)(offsetof(struct micro_state, f) + 16 * f));
        micro_bytes(code, x86.bytes, x86.length);
    }
    x86_state(code, false);
    while (code->length % 64 != 0)
        micro_bytes(code, "\x90", 1);
}

void micro_host_end(struct micro_code *code)
{
    static const uint8_t leaves[] = {0xc5, 0xf8, 0x77, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b,
                                     0xc3};
    size_t const no_vectors = code->vector_bytes == 32 ? 0 : 3;
    struct x86 count = {.bytes = {0x49, 0x83, 0xee, 1}, .length = 4}, jump = {.bytes = {0x0f, 0x85}, .length = 2};
    struct micro_step step = nothing;

    step.effect = MICRO_COUNTS_DOWN;
    x86_put(code, &count, step);
    x86_word(&jump, (int32_t)code->loop - (int32_t)(code->length + 6));
    step.effect = MICRO_JUMPS_WHILE_COUNT;
    x86_put(code, &jump, step);
    x86_state(code, true);
    micro_bytes(code, leaves + no_vectors, sizeof leaves - no_vectors);
}

#endif
