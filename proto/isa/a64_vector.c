/* Advanced SIMD and cryptography: Arm ARM C4.1, "Data Processing -- Scalar Floating-Point and Advanced SIMD". Bit 28
 * is 1 where an instruction works on one element; a64_float.c handles the other encodings. Instructions that
 * accumulate, insert, or write only the upper half read their destination. */
#include "proto/isa/a64_table.h"

/* One element of v<m>, whose number has 4 bits where the elements have 16: U, size, opcode. */
#define ELEMENT(u, size, opcode, class, operands) \
    R("0 . " u " .1111 " size " . . .... " opcode " . 0 ..... .....", class, operands)
/* Three registers of the same kind: U, size, opcode. */
#define SAME(u, size, opcode, class, operands) \
    R("0 . " u " .1110 " size " 1 ..... " opcode " 1 ..... .....", class, operands)
/* The same of half precision: U, a, opcode. */
#define HALF(u, a, opcode, class, operands) \
    R("0 . " u " .1110 " a " 10 ..... 00 " opcode " 1 ..... .....", class, operands)
/* U, size, opcode. */
#define EXTRA(u, size, opcode, class, operands) \
    R("0 . " u " .1110 " size " 0 ..... 1 " opcode " 1 ..... .....", class, operands)
/* Two registers, then of half precision. */
#define MISC(q, u, size, opcode, class, operands) \
    R("0 " q " " u " " size " 10000 " opcode " 10 ..... .....", class, operands)
#define MISC_HALF(u, a, opcode, class, operands) \
    R("0 . " u " .1110 " a " 111100 " opcode " 10 ..... .....", class, operands)
/* Three of different sizes. */
#define DIFFERENT(q, u, opcode, class, operands) \
    R("0 " q " " u " .1110 .. 1 ..... " opcode " 00 ..... .....", class, operands)
/* By an immediate. */
#define SHIFT(q, u, opcode, class, operands) \
    R("0 " q " " u " .11110 .... ... " opcode " 1 ..... .....", class, operands)

const struct isa_pattern a64_vector[] = {
    /* --- cryptography --- */
    R("01001110 00 10100 0010. 10 ..... .....", SIMD_AES, "vd < vd vn"),    /* aese aesd */
    R("01001110 00 10100 0011. 10 ..... .....", SIMD_AES, "vd < vn"),    /* aesmc aesimc */
    NONE("01011110 00 0 ..... 0 111 00 ..... ....."),
    R("01011110 00 0 ..... 0 ... 00 ..... .....", SIMD_AES, "vd < vd vn vm"),    /* sha1c ... sha256su1 */
    R("01011110 00 10100 00000 10 ..... .....", SIMD_AES, "vd < vn"),    /* sha1h */
    R("01011110 00 10100 00001 10 ..... .....", SIMD_AES, "vd < vd vn"),    /* sha1su1 sha256su0 */
    R("01011110 00 10100 00010 10 ..... .....", SIMD_AES, "vd < vd vn"),
    R("11001110 011 ..... 1 0 00 11 ..... .....", SIMD_AES, "vd < vn vm"),    /* rax1 */
    R("11001110 011 ..... 1 0 00 .. ..... .....", SIMD_AES, "vd < vd vn vm"),    /* sha512h sha512h2 sha512su1 */
    R("11001110 011 ..... 1 1 00 10 ..... .....", SIMD_AES, "vd < vn vm"),    /* sm4ekey */
    R("11001110 011 ..... 1 1 00 0. ..... .....", SIMD_AES, "vd < vd vn vm"),    /* sm3partw1 sm3partw2 */
    R("11001110 110 00000 1000 0. ..... .....", SIMD_AES, "vd < vd vn"),    /* sha512su0 sm4e */
    R("11001110 00. ..... 0 ..... ..... .....", SIMD_ALU, "vd < vn vm va"),    /* eor3 bcax */
    R("11001110 010 ..... 0 ..... ..... .....", SIMD_AES, "vd < vn vm va"),    /* sm3ss1 */
    R("11001110 010 ..... 10 .. .. ..... .....", SIMD_AES, "vd < vd vn vm"),    /* sm3tt1a ... */
    R("11001110 100 ..... ...... ..... .....", SIMD_ALU, "vd < vn vm"),    /* xar */

    /* --- copies, tables, permutations --- */
    NONE("0 . . .1110000 .0000 0 .... 1 ..... ....."),
    R("0 . 0 .1110000 ..... 0 0000 1 ..... .....", SIMD_MISC, "vd < vn"),    /* dup */
    R("0 . 0 01110000 ..... 0 0001 1 ..... .....", SIMD_MISC, "vd < n"),
    R("0 . 0 01110000 ..... 0 01.1 1 ..... .....", SIMD_MISC, "d < vn"),    /* smov umov */
    R("0 1 0 01110000 ..... 0 0011 1 ..... .....", SIMD_MISC, "vd < vd n"),    /* ins */
    R("0 1 1 01110000 ..... 0 .... 1 ..... .....", SIMD_MISC, "vd < vd vn"),
    R("0 . 0 01110 00 0 ..... 0 00 0 00 ..... .....", SIMD_MISC, "vd < vn vm"),    /* tbl tbx */
    R("0 . 0 01110 00 0 ..... 0 01 0 00 ..... .....", SIMD_MISC, "vd < vn vn+1 vm"),
    R("0 . 0 01110 00 0 ..... 0 10 0 00 ..... .....", SIMD_MISC, "vd < vn vn+1 vn+2 vm"),
    R("0 . 0 01110 00 0 ..... 0 11 0 00 ..... .....", SIMD_MISC, "vd < vn vn+1 vn+2 vn+3 vm"),
    R("0 . 0 01110 00 0 ..... 0 00 1 00 ..... .....", SIMD_MISC, "vd < vd vn vm"),
    R("0 . 0 01110 00 0 ..... 0 01 1 00 ..... .....", SIMD_MISC, "vd < vd vn vn+1 vm"),
    R("0 . 0 01110 00 0 ..... 0 10 1 00 ..... .....", SIMD_MISC, "vd < vd vn vn+1 vn+2 vm"),
    R("0 . 0 01110 00 0 ..... 0 11 1 00 ..... .....", SIMD_MISC, "vd < vd vn vn+1 vn+2 vn+3 vm"),
    NONE("0 0 0 01110 11 0 ..... 0 ... 10 ..... ....."),
    NONE("0 . 0 01110 .. 0 ..... 0 .00 10 ..... ....."),
    R("0 . 0 01110 .. 0 ..... 0 ... 10 ..... .....", SIMD_MISC, "vd < vn vm"),    /* uzp trn zip */
    R("0 . 1 01110 00 0 ..... 0 .... 0 ..... .....", SIMD_MISC, "vd < vn vm"),    /* ext */

    /* --- immediates --- */
    R("0 . . 0111100000 ... 0..1 0 1 ..... .....", SIMD_ALU, "vd < vd"),    /* orr bic */
    R("0 . . 0111100000 ... 10.1 0 1 ..... .....", SIMD_ALU, "vd < vd"),
    R("0 . . 0111100000 ... .... 0 1 ..... .....", SIMD_MISC, "vd"),    /* movi mvni fmov */
    R("0 . 0 0111100000 ... 1111 1 1 ..... .....", SIMD_MISC, "vd"),
    NONE("0 . . .11110 0000 ... ..... 1 ..... ....."),
    SHIFT(".", ".", "00000", SIMD_ALU, "vd < vn"),    /* sshr ushr */
    SHIFT(".", ".", "00010", SIMD_ALU, "vd < vd vn"),    /* ssra usra */
    R("0 1 . 011110 .... ... 100.. 1 ..... .....", SIMD_ALU, "vd < vd vn"),    /* shrn2 sqshrn2 ... */
    SHIFT(".", ".", "100..", SIMD_ALU, "vd < vn"),
    SHIFT(".", ".", "00100", SIMD_ALU, "vd < vn"),    /* srshr urshr */
    SHIFT(".", ".", "00110", SIMD_ALU, "vd < vd vn"),    /* srsra ursra */
    SHIFT(".", "1", "01000", SIMD_ALU, "vd < vd vn"),    /* sri sli */
    SHIFT(".", "1", "01010", SIMD_ALU, "vd < vd vn"),
    SHIFT(".", "0", "01010", SIMD_ALU, "vd < vn"),    /* shl */
    SHIFT(".", "1", "01100", SIMD_ALU, "vd < vn"),    /* sqshlu sqshl uqshl */
    SHIFT(".", ".", "01110", SIMD_ALU, "vd < vn"),
    SHIFT(".", ".", "10100", SIMD_ALU, "vd < vn"),    /* sshll ushll */
    SHIFT(".", ".", "11100", SIMD_FLOAT_ADD, "vd < vn"),    /* scvtf ucvtf fcvtzs fcvtzu */
    SHIFT(".", ".", "11111", SIMD_FLOAT_ADD, "vd < vn"),

    /* --- by element --- */
    ELEMENT("0", "01", "0.1.", SIMD_MULT, "vd < vd vn vh"),    /* smlal sqdmlal smlsl sqdmlsl */
    ELEMENT("0", "10", "0.1.", SIMD_MULT, "vd < vd vn vm"),
    ELEMENT("1", "01", "0.10", SIMD_MULT, "vd < vd vn vh"),    /* umlal umlsl */
    ELEMENT("1", "10", "0.10", SIMD_MULT, "vd < vd vn vm"),
    ELEMENT("1", "01", "0.00", SIMD_MULT, "vd < vd vn vh"),    /* mla mls */
    ELEMENT("1", "10", "0.00", SIMD_MULT, "vd < vd vn vm"),
    ELEMENT("0", "01", "1000", SIMD_MULT, "vd < vn vh"),    /* mul */
    ELEMENT("0", "10", "1000", SIMD_MULT, "vd < vn vm"),
    ELEMENT(".", "01", "1010", SIMD_MULT, "vd < vn vh"),    /* smull umull */
    ELEMENT(".", "10", "1010", SIMD_MULT, "vd < vn vm"),
    ELEMENT("0", "01", "1011", SIMD_MULT, "vd < vn vh"),    /* sqdmull sqdmulh sqrdmulh */
    ELEMENT("0", "10", "1011", SIMD_MULT, "vd < vn vm"),
    ELEMENT("0", "01", "110.", SIMD_MULT, "vd < vn vh"),
    ELEMENT("0", "10", "110.", SIMD_MULT, "vd < vn vm"),
    ELEMENT("1", "01", "11.1", SIMD_MULT, "vd < vd vn vh"),    /* sqrdmlah sqrdmlsh */
    ELEMENT("1", "10", "11.1", SIMD_MULT, "vd < vd vn vm"),
    ELEMENT(".", "10", "1110", SIMD_MULT, "vd < vd vn vm"),    /* sdot udot */
    ELEMENT("0", "01", "1111", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),    /* bfdot bfmlalb sudot usdot */
    ELEMENT("0", "11", "1111", SIMD_FLOAT_MULT_ACC, "vd < vd vn vh"),
    ELEMENT("0", ".0", "1111", SIMD_MULT, "vd < vd vn vm"),
    ELEMENT("0", "00", "0.01", SIMD_FLOAT_MULT_ACC, "vd < vd vn vh"),    /* fmla fmls */
    ELEMENT("0", "1.", "0.01", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),
    ELEMENT(".", "00", "1001", SIMD_FLOAT_MULT, "vd < vn vh"),    /* fmul fmulx */
    ELEMENT(".", "1.", "1001", SIMD_FLOAT_MULT, "vd < vn vm"),
    ELEMENT("0", "10", "0.00", SIMD_FLOAT_MULT_ACC, "vd < vd vn vh"),    /* fmlal fmlsl fmlal2 fmlsl2 */
    ELEMENT("1", "10", "1.00", SIMD_FLOAT_MULT_ACC, "vd < vd vn vh"),
    ELEMENT("1", "01", "0..1", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),    /* fcmla */
    ELEMENT("1", "10", "0..1", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),

    /* --- two registers, over lanes --- */
    MISC("1", ".", "01110 ..", "10010", SIMD_MISC, "vd < vd vn"),    /* xtn2 sqxtun2; shll2 follows */
    MISC("1", ".", "01110 ..", "10100", SIMD_MISC, "vd < vd vn"),    /* sqxtn2 uqxtn2 */
    MISC("1", ".", "01110 ..", "10110", SIMD_FLOAT_ADD, "vd < vd vn"),    /* fcvtn2 fcvtxn2 bfcvtn2 */
    MISC(".", ".", ".1110 ..", "10010", SIMD_MISC, "vd < vn"),
    MISC(".", ".", ".1110 ..", "10100", SIMD_MISC, "vd < vn"),
    MISC(".", ".", ".1110 ..", "10110", SIMD_FLOAT_ADD, "vd < vn"),
    MISC(".", "1", "01110 ..", "10011", SIMD_ALU, "vd < vn"),    /* shll */
    MISC(".", ".", ".1110 ..", "00011", SIMD_ALU, "vd < vd vn"),    /* suqadd usqadd sadalp uadalp */
    MISC(".", ".", "01110 ..", "00110", SIMD_ALU, "vd < vd vn"),
    MISC(".", ".", "01110 ..", "000.0", SIMD_ALU, "vd < vn"),    /* rev64 rev32 saddlp */
    MISC(".", "0", "01110 ..", "00001", SIMD_ALU, "vd < vn"),    /* rev16 */
    MISC(".", ".", ".1110 ..", "0010.", SIMD_ALU, "vd < vn"),    /* cls clz cnt not rbit */
    MISC(".", ".", ".1110 ..", "00111", SIMD_ALU, "vd < vn"),    /* sqabs sqneg */
    MISC(".", ".", ".1110 ..", "010..", SIMD_ALU, "vd < vn"),    /* cmgt ... abs neg */
    MISC(".", ".", ".1110 1.", "011..", SIMD_FLOAT_ADD, "vd < vn"),    /* fcmgt ... fabs fneg */
    MISC(".", "0", "01110 0.", "10111", SIMD_FLOAT_ADD, "vd < vn"),    /* fcvtl */
    MISC(".", ".", ".1110 1.", "11101", SIMD_FLOAT_MULT, "vd < vn"),    /* frecpe frsqrte frecpx */
    MISC(".", ".", ".1110 1.", "11100", SIMD_ALU, "vd < vn"),    /* urecpe ursqrte */
    MISC(".", "1", "01110 1.", "11111", SIMD_FLOAT_SQRT, "vd < vn"),
    MISC(".", "0", ".1110 1.", "11111", SIMD_FLOAT_MULT, "vd < vn"),
    MISC(".", ".", ".1110 ..", "11...", SIMD_FLOAT_ADD, "vd < vn"),    /* frint fcvt scvtf */
    MISC_HALF("1", "1", "11111", SIMD_FLOAT_SQRT, "vd < vn"),
    MISC_HALF("0", "1", "11111", SIMD_FLOAT_MULT, "vd < vn"),
    MISC_HALF(".", "1", "11101", SIMD_FLOAT_MULT, "vd < vn"),
    MISC_HALF(".", "1", "011..", SIMD_FLOAT_ADD, "vd < vn"),
    MISC_HALF(".", ".", "110..", SIMD_FLOAT_ADD, "vd < vn"),
    MISC_HALF(".", ".", "1110.", SIMD_FLOAT_ADD, "vd < vn"),
    R("0 . . .1110 .. 11000 00011 10 ..... .....", SIMD_ALU, "vd < vn"),    /* saddlv smaxv sminv addv, addp */
    R("0 . . .1110 .. 11000 1.010 10 ..... .....", SIMD_ALU, "vd < vn"),
    R("0 . . .1110 .. 11000 01010 10 ..... .....", SIMD_ALU, "vd < vn"),
    R("0 . . .1110 .. 11000 11011 10 ..... .....", SIMD_ALU, "vd < vn"),
    R("0 . . .1110 .. 11000 011.. 10 ..... .....", SIMD_FLOAT_ADD, "vd < vn"),    /* fmaxv, faddp fmaxp of two */

    /* --- three registers --- */
    DIFFERENT("1", ".", "01.0", SIMD_ALU, "vd < vd vn vm"),    /* addhn2 subhn2 */
    DIFFERENT(".", ".", "0101", SIMD_ALU, "vd < vd vn vm"),    /* sabal uabal */
    DIFFERENT(".", ".", "0...", SIMD_ALU, "vd < vn vm"),    /* saddl ssubw addhn sabdl */
    DIFFERENT(".", ".", "10.0", SIMD_MULT, "vd < vd vn vm"),    /* smlal smlsl */
    DIFFERENT(".", "0", "10.1", SIMD_MULT, "vd < vd vn vm"),    /* sqdmlal sqdmlsl */
    DIFFERENT(".", ".", "1100", SIMD_MULT, "vd < vn vm"),    /* smull sqdmull */
    DIFFERENT(".", "0", "1101", SIMD_MULT, "vd < vn vm"),
    DIFFERENT(".", "0", "1110", SIMD_AES, "vd < vn vm"),    /* pmull */
    SAME("1", "00", "00011", SIMD_ALU, "vd < vn vm"),    /* eor */
    SAME("1", "..", "00011", SIMD_ALU, "vd < vd vn vm"),    /* bsl bit bif */
    SAME(".", "..", "01111", SIMD_ALU, "vd < vd vn vm"),    /* saba uaba */
    SAME(".", "..", "0....", SIMD_ALU, "vd < vn vm"),    /* shadd sqadd cmgt sshl smax and orr ... */
    SAME(".", "..", "1000.", SIMD_ALU, "vd < vn vm"),    /* add sub cmtst cmeq */
    SAME(".", "..", "10010", SIMD_MULT, "vd < vd vn vm"),    /* mla mls */
    SAME(".", "..", "10011", SIMD_MULT, "vd < vn vm"),    /* mul pmul sqdmulh sqrdmulh */
    SAME(".", "..", "10110", SIMD_MULT, "vd < vn vm"),
    SAME(".", "..", "1010.", SIMD_ALU, "vd < vn vm"),    /* smaxp sminp addp */
    SAME("0", "..", "10111", SIMD_ALU, "vd < vn vm"),
    SAME("0", "..", "11001", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),    /* fmla fmls, fmlal fmlsl */
    SAME("0", ".0", "11101", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),
    SAME("1", ".0", "11001", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),
    SAME("0", "0.", "11011", SIMD_FLOAT_MULT, "vd < vn vm"),    /* fmulx fmul */
    SAME("1", "0.", "11011", SIMD_FLOAT_MULT, "vd < vn vm"),
    SAME("1", "0.", "11111", SIMD_FLOAT_DIV, "vd < vn vm"),
    SAME("0", "..", "11111", SIMD_FLOAT_MULT_ACC, "vd < vn vm"),    /* frecps frsqrts */
    SAME(".", "..", "110.0", SIMD_FLOAT_ADD, "vd < vn vm"),    /* fmaxnm fminnm fadd fsub faddp fabd */
    SAME(".", "..", "111.0", SIMD_FLOAT_ADD, "vd < vn vm"),    /* fcmeq fcmge fcmgt fmax fmin */
    SAME("1", "..", "11101", SIMD_FLOAT_ADD, "vd < vn vm"),    /* facge facgt */
    HALF("0", ".", "001", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),
    HALF("0", "0", "011", SIMD_FLOAT_MULT, "vd < vn vm"),
    HALF("1", "0", "011", SIMD_FLOAT_MULT, "vd < vn vm"),
    HALF("0", ".", "111", SIMD_FLOAT_MULT_ACC, "vd < vn vm"),
    HALF("1", "0", "111", SIMD_FLOAT_DIV, "vd < vn vm"),
    HALF(".", ".", "0.0", SIMD_FLOAT_ADD, "vd < vn vm"),
    HALF(".", ".", "1.0", SIMD_FLOAT_ADD, "vd < vn vm"),
    HALF("1", ".", "101", SIMD_FLOAT_ADD, "vd < vn vm"),
    EXTRA("1", "..", "000.", SIMD_MULT, "vd < vd vn vm"),    /* sqrdmlah sqrdmlsh */
    EXTRA(".", "..", "0010", SIMD_MULT, "vd < vd vn vm"),    /* sdot udot */
    EXTRA("0", "10", "0011", SIMD_MULT, "vd < vd vn vm"),    /* usdot */
    EXTRA(".", "10", "010.", SIMD_MULT, "vd < vd vn vm"),    /* smmla ummla usmmla */
    EXTRA("1", "..", "10..", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),    /* fcmla */
    EXTRA("1", "..", "11.0", SIMD_FLOAT_ADD, "vd < vn vm"),    /* fcadd */
    EXTRA("1", "01", "11.1", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),    /* bfmmla bfdot */
    EXTRA("1", "11", "1111", SIMD_FLOAT_MULT_ACC, "vd < vd vn vm"),    /* bfmlal */
};

const size_t a64_vector_count = COUNT(a64_vector);
