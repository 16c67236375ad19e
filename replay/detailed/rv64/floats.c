/* Where the mode is not the host's, operands and result go through volatile variables, so that the computation stays
 * between the two calls that set it. */
#include "replay/detailed/rv64/rv64_machine.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "base/hints.h"

#define BOX UINT64_C(0xffffffff00000000)
#define NAN_DOUBLE UINT64_C(0x7ff8000000000000)
#define NAN_FLOAT 0x7fc00000u
#define SIGN_DOUBLE (UINT64_C(1) << 63)
#define SIGN_FLOAT 0x80000000u

enum { OP_FMADD = 0x43, OP_FMSUB = 0x47, OP_FNMSUB = 0x4b, OP_FNMADD = 0x4f };
enum what { ADD, SUBTRACT, MULTIPLY, DIVIDE, ROOT, FUSED };

static double to_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t of_double(double value)
{
    uint64_t bits;

    if (isnan(value))
        return NAN_DOUBLE;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t unbox(uint64_t bits)
{
    return (bits & BOX) == BOX ? (uint32_t)bits : NAN_FLOAT;
}

static float to_float(uint64_t bits)
{
    uint32_t const low = unbox(bits);
    float value;

    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t of_float(float value)
{
    uint32_t low;

    if (isnan(value))
        return BOX | NAN_FLOAT;
    memcpy(&low, &value, sizeof low);
    return BOX | low;
}

/* ---- arithmetic that rounds */

#define COMPUTE(name, type, suffix)                                                                                    \
    static inline type name(enum what what, type a, type b, type c)                                                   \
    {                                                                                                                 \
        switch (what) {                                                                                               \
        case ADD: return a + b;                                                                                       \
        case SUBTRACT: return a - b;                                                                                  \
        case MULTIPLY: return a * b;                                                                                  \
        case DIVIDE: return a / b;                                                                                    \
        case ROOT: return sqrt##suffix(a);                                                                            \
        case FUSED: break;                                                                                            \
        }                                                                                                             \
        return fma##suffix(a, b, c);                                                                                  \
    }                                                                                                                 \
    static NOINLINE type name##_directed(enum what what, int host, type a, type b, type c)                            \
    {                                                                                                                 \
        type volatile in_a = a, in_b = b, in_c = c, out;                                                              \
        int const before = fegetround();                                                                              \
                                                                                                                      \
        fesetround(host);                                                                                             \
        out = name(what, in_a, in_b, in_c);                                                                           \
        fesetround(before);                                                                                           \
        return out;                                                                                                   \
    }
COMPUTE(compute_double, double, )
COMPUTE(compute_float, float, f)

static int host_mode(enum float_mode mode)
{
    switch (mode) {
    case FLOAT_ZERO: return FE_TOWARDZERO;
    case FLOAT_DOWN: return FE_DOWNWARD;
    case FLOAT_UP: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

static uint64_t arithmetic(enum what what, bool is_double, enum float_mode mode, uint64_t a, uint64_t b, uint64_t c)
{
    int const host = host_mode(mode);

    if (is_double) {
        double const x = to_double(a), y = to_double(b), z = to_double(c);

        return of_double(host == FE_TONEAREST ? compute_double(what, x, y, z)
                                              : compute_double_directed(what, host, x, y, z));
    } else {
        float const x = to_float(a), y = to_float(b), z = to_float(c);

        return of_float(host == FE_TONEAREST ? compute_float(what, x, y, z)
                                             : compute_float_directed(what, host, x, y, z));
    }
}

static uint64_t negated(uint64_t bits, bool is_double)
{
    return is_double ? bits ^ SIGN_DOUBLE : BOX | (unbox(bits) ^ SIGN_FLOAT);
}

static uint64_t fused(uint32_t opcode, bool is_double, enum float_mode mode, uint64_t a, uint64_t b, uint64_t c)
{
    if (opcode == OP_FNMSUB || opcode == OP_FNMADD)
        a = negated(a, is_double);
    if (opcode == OP_FMSUB || opcode == OP_FNMADD)
        c = negated(c, is_double);
    return arithmetic(FUSED, is_double, mode, a, b, c);
}

/* ---- conversions */

static double rounded(double value, enum float_mode mode)
{
    switch (mode) {
    case FLOAT_ZERO: return trunc(value);
    case FLOAT_DOWN: return floor(value);
    case FLOAT_UP: return ceil(value);
    case FLOAT_AWAY: return round(value);
    default: return rint(value);
    }
}

/* kind: 0 w, 1 wu, 2 l, 3 lu. A value out of range becomes the nearest in range; NaN the largest. Results of 32 bits
 * are sign-extended. */
static uint64_t to_int(double value, unsigned kind, enum float_mode mode)
{
    static const struct { double low, high; uint64_t lowest, highest; } limits[] = {
        {-0x1p31, 0x1p31, UINT64_C(0xffffffff80000000), 0x7fffffff},
        {0, 0x1p32, 0, UINT64_MAX},
        {-0x1p63, 0x1p63, UINT64_C(1) << 63, INT64_MAX},
        {0, 0x1p64, 0, UINT64_MAX}};

    if (isnan(value))
        return limits[kind].highest;
    value = rounded(value, mode);
    if (value < limits[kind].low)
        return limits[kind].lowest;
    if (value >= limits[kind].high)
        return limits[kind].highest;
    switch (kind) {
    case 0: return (uint64_t)(int64_t)value;
    case 1: return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
    case 2: return (uint64_t)(int64_t)value;
    default: return (uint64_t)value;
    }
}

static double int_to_double(uint64_t value, unsigned kind)
{
    switch (kind) {
    case 0: return (int32_t)value;
    case 1: return (uint32_t)value;
    case 2: return (double)(int64_t)value;
    default: return (double)value;
    }
}

static float int_to_float(uint64_t value, unsigned kind)
{
    switch (kind) {
    case 0: return (float)(int32_t)value;
    case 1: return (float)(uint32_t)value;
    case 2: return (float)(int64_t)value;
    default: return (float)value;
    }
}

static uint64_t of_int(uint64_t value, unsigned kind, bool is_double, enum float_mode mode)
{
    uint64_t volatile in = value;
    int const before = fegetround();
    double volatile wide;
    float volatile narrow;

    if (host_mode(mode) == FE_TONEAREST)
        return is_double ? of_double(int_to_double(value, kind)) : of_float(int_to_float(value, kind));
    fesetround(host_mode(mode));
    wide = int_to_double(in, kind);
    narrow = int_to_float(in, kind);
    fesetround(before);
    return is_double ? of_double(wide) : of_float(narrow);
}

/* Between the two formats. */
static uint64_t narrowed(uint64_t a, enum float_mode mode)
{
    double volatile in = to_double(a);
    float volatile out;
    int const before = fegetround();

    if (host_mode(mode) == FE_TONEAREST)
        return of_float((float)to_double(a));
    fesetround(host_mode(mode));
    out = (float)in;
    fesetround(before);
    return of_float(out);
}

/* ---- operations without rounding */

static uint64_t with_sign(unsigned f3, bool is_double, uint64_t a, uint64_t b)
{
    uint64_t const sign = is_double ? SIGN_DOUBLE : SIGN_FLOAT;
    uint64_t const x = is_double ? a : unbox(a), y = is_double ? b : unbox(b);
    uint64_t const made = (x & ~sign) | ((f3 == 0 ? y : f3 == 1 ? ~y : x ^ y) & sign);

    return is_double ? made : BOX | made;
}

static uint64_t least_or_most(bool is_most, bool is_double, uint64_t a, uint64_t b)
{
    double const x = is_double ? to_double(a) : (double)to_float(a);
    double const y = is_double ? to_double(b) : (double)to_float(b);
    bool takes_a;

    if (isnan(x) && isnan(y))
        return is_double ? NAN_DOUBLE : BOX | NAN_FLOAT;
    if (isnan(x) || isnan(y))
        takes_a = isnan(y);
    else if (x < y || x > y)
        takes_a = (x < y) != is_most;
    else
        takes_a = (signbit(x) != 0) != is_most;
    return takes_a ? a : b;
}

static uint64_t compared(unsigned f3, bool is_double, uint64_t a, uint64_t b)
{
    double const x = is_double ? to_double(a) : (double)to_float(a);
    double const y = is_double ? to_double(b) : (double)to_float(b);

    return isnan(x) || isnan(y) ? 0 : f3 == 0 ? x <= y : f3 == 1 ? x < y : !(x < y || x > y);
}

static uint64_t floats_class_of(bool is_double, uint64_t a)
{
    double const value = is_double ? to_double(a) : (double)to_float(a);
    bool const is_negative = is_double ? a >> 63 != 0 : unbox(a) >> 31 != 0;
    bool const is_quiet = is_double ? (a >> 51 & 1) != 0 : (unbox(a) >> 22 & 1) != 0;
    bool const is_small = is_double ? (a >> 52 & 0x7ff) == 0 : (unbox(a) >> 23 & 0xff) == 0;

    if (isnan(value))
        return is_quiet ? 1u << 9 : 1u << 8;
    if (isinf(value))
        return is_negative ? 1u << 0 : 1u << 7;
    if (is_small)
        return fpclassify(value) == FP_ZERO ? (is_negative ? 1u << 3 : 1u << 4) : (is_negative ? 1u << 2 : 1u << 5);
    return is_negative ? 1u << 1 : 1u << 6;
}

/* ---- instructions */

bool float_writes_int(uint32_t bits)
{
    uint32_t const f5 = bits >> 27;

    return (bits & 0x7f) == 0x53 && (f5 == 0x14 || f5 == 0x18 || f5 == 0x1c);
}

bool float_reads_int(uint32_t bits)
{
    uint32_t const f5 = bits >> 27;

    return (bits & 0x7f) == 0x53 && (f5 == 0x1a || f5 == 0x1e);
}

uint64_t float_compute(uint32_t bits, enum float_mode mode, uint64_t a, uint64_t b, uint64_t c, bool *known)
{
    uint32_t const opcode = bits & 0x7f, f5 = bits >> 27, f3 = bits >> 12 & 7, second = bits >> 20 & 31;
    bool const is_double = (bits >> 25 & 3) == 1;

    *known = (bits >> 25 & 3) <= 1;
    if (opcode != 0x53)
        return fused(opcode, is_double, mode, a, b, c);
    switch (f5) {
    case 0x00: return arithmetic(ADD, is_double, mode, a, b, 0);
    case 0x01: return arithmetic(SUBTRACT, is_double, mode, a, b, 0);
    case 0x02: return arithmetic(MULTIPLY, is_double, mode, a, b, 0);
    case 0x03: return arithmetic(DIVIDE, is_double, mode, a, b, 0);
    case 0x0b: return arithmetic(ROOT, is_double, mode, a, 0, 0);
    case 0x04: return with_sign(f3, is_double, a, b);
    case 0x05: return least_or_most(f3 == 1, is_double, is_double ? a : BOX | unbox(a), is_double ? b : BOX | unbox(b));
    case 0x08: return is_double ? of_double(to_float(a)) : narrowed(a, mode);
    case 0x14: return compared(f3, is_double, a, b);
    case 0x18: return to_int(is_double ? to_double(a) : (double)to_float(a), second & 3, mode);
    case 0x1a: return of_int(a, second & 3, is_double, mode);
    case 0x1c:
        if (f3 == 1)
            return floats_class_of(is_double, a);
        return is_double ? a : (uint64_t)(int64_t)(int32_t)(uint32_t)a;
    case 0x1e: return is_double ? a : BOX | (uint32_t)a;
    default: break;
    }
    *known = false;
    return 0;
}
