/* Scalar floating point: Arm ARM C4.1, "Data Processing -- Scalar Floating-Point and Advanced SIMD", the groups whose
 * bits 31:24 are .0.1111.. The last line closes the space that they share. FPCR and FPSR are no registers. */
#include "proto/isa/a64_table.h"

const struct isa_pattern a64_float[] = {
    R("1 0 0 11110 10 1 01 110 000000 ..... .....", FLOAT_MISC, "d < vn"),    /* fmov of an upper half */
    R("1 0 0 11110 10 1 01 111 000000 ..... .....", FLOAT_MISC, "vd < vd n"),
    NONE(". 0 . 1111. 10 . ..... ...... ..... ....."),
    R(". 0 0 11110 .. 0 00 01. ...... ..... .....", FLOAT_CVT, "vd < n"),    /* scvtf ucvtf, fixed point */
    R(". 0 0 11110 .. 0 11 00. ...... ..... .....", FLOAT_CVT, "d < vn"),    /* fcvtzs fcvtzu, fixed point */
    R(". 0 0 11110 .. 1 .. 00. 000000 ..... .....", FLOAT_CVT, "d < vn"),    /* fcvtns fcvtps ... */
    R(". 0 0 11110 .. 1 00 10. 000000 ..... .....", FLOAT_CVT, "d < vn"),    /* fcvtas fcvtau */
    R(". 0 0 11110 .. 1 00 01. 000000 ..... .....", FLOAT_CVT, "vd < n"),    /* scvtf ucvtf */
    R("0 0 0 11110 01 1 11 110 000000 ..... .....", FLOAT_CVT, "d c < vn"),    /* fjcvtzs */
    NONE("0 0 0 11110 01 1 00 11. 000000 ..... ....."),
    NONE("1 0 0 11110 00 1 00 11. 000000 ..... ....."),
    R(". 0 0 11110 .. 1 00 110 000000 ..... .....", FLOAT_MISC, "d < vn"),    /* fmov */
    R(". 0 0 11110 .. 1 00 111 000000 ..... .....", FLOAT_MISC, "vd < n"),
    R("0 0 0 11110 .. 1 00000. 10000 ..... .....", FLOAT_MISC, "vd < vn"),    /* fmov fabs */
    R("0 0 0 11110 .. 1 000010 10000 ..... .....", FLOAT_MISC, "vd < vn"),    /* fneg */
    R("0 0 0 11110 .. 1 000011 10000 ..... .....", FLOAT_SQRT, "vd < vn"),
    R("0 0 0 11110 .. 1 0001.. 10000 ..... .....", FLOAT_CVT, "vd < vn"),    /* fcvt bfcvt */
    NONE("0 0 0 11110 .. 1 001101 10000 ..... ....."),
    R("0 0 0 11110 .. 1 001... 10000 ..... .....", FLOAT_CVT, "vd < vn"),    /* frintn frintp ... */
    R("0 0 0 11110 0. 1 0100.. 10000 ..... .....", FLOAT_CVT, "vd < vn"),    /* frint32z ... */
    R("0 0 0 11110 .. 1 ..... 00 1000 ..... .0000", FLOAT_CMP, "c < vn vm"),    /* fcmp fcmpe, with zero */
    R("0 0 0 11110 .. 1 ..... 00 1000 ..... .1000", FLOAT_CMP, "c < vn"),
    R("0 0 0 11110 .. 1 ........ 100 00000 .....", FLOAT_MISC, "vd"),    /* fmov of an immediate */
    R("0 0 0 11110 .. 1 ..... .... 01 ..... . ....", FLOAT_CMP, "c < vn vm c"),    /* fccmp */
    R("0 0 0 11110 .. 1 ..... 0000 10 ..... .....", FLOAT_MULT, "vd < vn vm"),
    R("0 0 0 11110 .. 1 ..... 1000 10 ..... .....", FLOAT_MULT, "vd < vn vm"),    /* fnmul */
    R("0 0 0 11110 .. 1 ..... 0001 10 ..... .....", FLOAT_DIV, "vd < vn vm"),
    R("0 0 0 11110 .. 1 ..... 001. 10 ..... .....", FLOAT_ADD, "vd < vn vm"),    /* fadd fsub */
    R("0 0 0 11110 .. 1 ..... 01.. 10 ..... .....", FLOAT_CMP, "vd < vn vm"),    /* fmax fmin fmaxnm fminnm */
    R("0 0 0 11110 .. 1 ..... .... 11 ..... .....", FLOAT_MISC, "vd < vn vm c"),    /* fcsel */
    R("0 0 0 11111 .. . ..... . ..... ..... .....", FLOAT_MULT_ACC, "vd < vn vm va"),    /* fmadd fmsub ... */
    NONE(". 0 . 1111. .. ......................"),
};

const size_t a64_float_count = COUNT(a64_float);
