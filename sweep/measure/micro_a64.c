/* aarch64: encodings as in the Arm Architecture Reference Manual, C4. The state lies at x15, the count in x14; r(i) is
 * x(i + 1). Registers of vectors leave out v8 to v15, whose halves belong to the caller. */
#include "sweep/measure/micro_internal.h"

#ifdef __aarch64__

enum { STATE = 15, COUNT = 14, ZERO_REGISTER = 31 };

enum isa micro_isa(void)
{
    return ISA_A64;
}

static unsigned a64_vector(unsigned f)
{
    return f < 8 ? f : f + 8;
}

static void a64_word(struct micro_code *code, uint32_t word)
{
    micro_bytes(code, &word, sizeof word);
}

static void a64_put(struct micro_code *code, uint32_t word, struct micro_step step)
{
    a64_word(code, word);
    micro_step(code, sizeof word, step);
}

static const struct micro_step nothing = {.reg = MICRO_NO_REGISTER, .base = MICRO_NO_REGISTER};

/* Of numbers up to 4095, or multiples of 4096. */
static uint32_t a64_add_word(unsigned d, int32_t i)
{
    uint32_t const size = (uint32_t)(i < 0 ? -i : i), part = size < 4096 ? size : size >> 12;

    return (i < 0 ? 0xd1000000u : 0x91000000u) | (size < 4096 ? 0u : 1u << 22) | part << 10 | d << 5 | d;
}

static bool a64_integer(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    uint32_t const rd = d + 1, rs = s + 1;
    struct micro_step step = nothing;
    uint32_t word;

    switch (operation) {
    case MICRO_NOP: word = 0xd503201f; break;
    case MICRO_ADD:
        word = a64_add_word(rd, i);
        step = (struct micro_step){.effect = MICRO_ADDS, .reg = (uint8_t)d, .base = MICRO_NO_REGISTER, .number = i};
        break;
    case MICRO_ZERO:
        word = 0xd2800000 | rd;
        step = (struct micro_step){.effect = MICRO_COPIES, .reg = (uint8_t)d, .base = MICRO_NO_REGISTER};
        break;
    case MICRO_MOVE:
        word = 0xaa0003e0 | rs << 16 | rd;
        step = (struct micro_step){.effect = MICRO_COPIES, .reg = (uint8_t)d, .base = (uint8_t)s};
        break;
    case MICRO_SUM: word = 0x8b000000 | rs << 16 | rd << 5 | rd; break;
    case MICRO_MUL: word = 0x9b007c00 | rs << 16 | rd << 5 | rd; break;
    case MICRO_DIV: word = 0x9ac00800 | rs << 16 | 1 << 5 | 1; break;
    case MICRO_OR: word = 0xaa000000 | rs << 16 | rd << 5 | rd; break;
    case MICRO_TEST: word = 0xea00001f | rd << 16 | rd << 5; break;
    default: return false;
    }
    a64_put(code, word, step);
    return true;
}

static bool a64_float(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s)
{
    uint32_t const vd = a64_vector(d), vs = a64_vector(s), both = vs << 16 | vd << 5 | vd;
    uint32_t word;

    switch (operation) {
    case MICRO_FADD: word = 0x1e602800 | both; break;
    case MICRO_FMUL: word = 0x1e600800 | both; break;
    case MICRO_FDIV: word = 0x1e601800 | both; break;
    case MICRO_FSQRT: word = 0x1e61c000 | vd << 5 | vd; break;
    case MICRO_FMA: word = 0x1f400000 | vs << 16 | vs << 10 | vd << 5 | vd; break;
    case MICRO_VADD: word = 0x4ee08400 | both; break;
    case MICRO_VMUL: word = 0x4ea09c00 | both; break;
    default: return false;
    }
    a64_put(code, word, nothing);
    return true;
}

static bool a64_access(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    bool const is_vector = operation == MICRO_VLOAD || operation == MICRO_VSTORE;
    bool const is_store = operation == MICRO_STORE || operation == MICRO_STORE4 || operation == MICRO_VSTORE;
    unsigned const bytes = is_vector ? 16 : operation == MICRO_LOAD || operation == MICRO_STORE ? 8 : 4;
    uint32_t const base = is_vector ? 0x3d800000u : bytes == 8 ? 0xf9000000u : 0xb9000000u;
    uint32_t const load = is_store ? 0u : 1u << 22, target = is_vector ? a64_vector(d) : d + 1;
    struct micro_step step = {.effect = is_store ? MICRO_STORES : MICRO_LOADS, .number = i, .base = (uint8_t)s,
                              .access_bytes = (uint8_t)bytes};

    if (i < 0 || (unsigned)i % bytes != 0 || (unsigned)i / bytes > 4095)
        return false;
    step.reg = is_vector ? MICRO_NO_REGISTER : (uint8_t)d;
    a64_put(code, base | load | (unsigned)i / bytes << 10 | (s + 1) << 5 | target, step);
    return true;
}

static bool a64_branch(struct micro_code *code, enum micro_operation operation, unsigned d, int32_t i)
{
    struct micro_step step = nothing;

    if (operation == MICRO_JUMP) {
        step.effect = MICRO_JUMPS;
        step.target = (uint32_t)code->step_count + 1;
        a64_put(code, 0x14000000u | (1 + (unsigned)i / 4), step);
        for (int32_t gap = 0; gap + 4 <= i; gap += 4)
            a64_word(code, 0xd503201f);
    } else {
        step = (struct micro_step){.effect = MICRO_JUMPS_ON_BIT, .reg = (uint8_t)d, .number = i,
                                   .base = MICRO_NO_REGISTER};
        a64_put(code, 0x37000000u | (unsigned)i << 19 | 2 << 5 | (d + 1), step);
        code->open_skip = code->step_count - 1;
    }
    return true;
}

void micro_host_jump(struct micro_code *code, int32_t distance, uint32_t target_step)
{
    struct micro_step step = nothing;

    step.effect = MICRO_JUMPS;
    step.target = target_step;
    a64_put(code, 0x14000000u | ((uint32_t)distance >> 2 & 0x3ffffff), step);
}

bool micro_host_put(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    switch (operation) {
    case MICRO_JUMP: case MICRO_SKIP: return a64_branch(code, operation, d, i);
    case MICRO_LOAD: case MICRO_STORE: case MICRO_LOAD4: case MICRO_STORE4: case MICRO_VLOAD: case MICRO_VSTORE:
        return a64_access(code, operation, d, s, i);
    default: return a64_integer(code, operation, d, s, i) || a64_float(code, operation, d, s);
    }
}

static void a64_state(struct micro_code *code, bool is_store)
{
    uint32_t const word = is_store ? 0xf9000000u : 0xf9400000u;

    for (uint32_t r = 0; r <= MICRO_REGISTERS; r++)
        a64_word(code, word | r << 10 | STATE << 5 | (r < MICRO_REGISTERS ? r + 1 : COUNT));
}

void micro_host_begin(struct micro_code *code)
{
    code->vector_bytes = 16;
    code->has_fma = true;
    a64_word(code, 0xaa0003ef);                          /* mov x15, x0 */
    for (unsigned f = 0; f < MICRO_VECTORS; f++)
        a64_word(code, 0x3dc00000u | (uint32_t)((offsetof(struct micro_state, f) + 16 * f) / 16) << 10 | STATE << 5
                           | a64_vector(f));
    a64_state(code, false);
    while (code->length % 64 != 0)
        a64_word(code, 0xd503201f);
}

void micro_host_end(struct micro_code *code)
{
    struct micro_step step = nothing;

    step.effect = MICRO_COUNTS_DOWN;
    a64_put(code, 0xd1000400u | COUNT << 5 | COUNT, step);
    step.effect = MICRO_JUMPS_AT_ZERO;
    step.target = (uint32_t)code->step_count + 2;
    a64_put(code, 0xb4000000u | 2 << 5 | COUNT, step);
    step.effect = MICRO_JUMPS;
    step.target = 0;
    a64_put(code, 0x14000000u | ((uint32_t)((int64_t)code->loop - (int64_t)code->length) >> 2 & 0x3ffffff), step);
    a64_state(code, true);
    a64_word(code, 0xd65f03c0);
}

#endif
