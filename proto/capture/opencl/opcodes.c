/* Two tables: operations with their opcodes by type, and names of LLVM's instructions and OpenCL's functions with their
 * operation. The first matching line decides; a '*' at the end matches any rest. A function that matches no line
 * belongs to the special function unit if it is of floating point, else it counts as an addition.
 *
 * A SASS opcode has LLVM's name as its last token, which the classification rules ignore. */
#include "proto/capture/opencl/opencl_code.h"

#include <stdio.h>
#include <string.h>

/* operation; SASS of integers, half, single, double; GCN3 likewise */
#define OPERATIONS(O)                                                                                                 \
    O(ADD, "IADD3", "HADD2", "FADD", "DADD", "V_ADD_U32", "V_ADD_F16", "V_ADD_F32", "V_ADD_F64")                      \
    O(MULTIPLY, "IMAD", "HMUL2", "FMUL", "DMUL", "V_MUL_LO_U32", "V_MUL_F16", "V_MUL_F32", "V_MUL_F64")               \
    O(FUSED, "IMAD", "HFMA2", "FFMA", "DFMA", "V_MAD_U32_U24", "V_FMA_F16", "V_FMA_F32", "V_FMA_F64")                 \
    O(DIVIDE, "MUFU.RCP", "MUFU.RCP", "MUFU.RCP", "MUFU.RCP64H", "V_RCP_F32", "V_RCP_F16", "V_RCP_F32", "V_RCP_F64")  \
    O(SPECIAL, "MUFU", "MUFU", "MUFU", "MUFU.RSQ64H", "V_SQRT_F32", "V_SQRT_F16", "V_SQRT_F32", "V_SQRT_F64")         \
    O(COMPARE, "ISETP", "HSETP2", "FSETP", "DSETP", "V_CMP_LT_U32", "V_CMP_LT_F16", "V_CMP_LT_F32", "V_CMP_LT_F64")   \
    O(SMALLEST, "IMNMX", "HSET2", "FMNMX", "DSETP", "V_MIN_U32", "V_MIN_F16", "V_MIN_F32", "V_MIN_F64")               \
    O(LOGIC, "LOP3", "LOP3", "LOP3", "LOP3", "V_AND_B32", "V_AND_B32", "V_AND_B32", "V_AND_B32")                      \
    O(SHIFT, "SHF", "SHF", "SHF", "SHF", "V_LSHLREV_B32", "V_LSHLREV_B32", "V_LSHLREV_B32", "V_LSHLREV_B32")          \
    O(MOVE, "MOV", "MOV", "MOV", "MOV", "V_MOV_B32", "V_MOV_B32", "V_MOV_B32", "V_MOV_B32")                           \
    O(SELECT, "SEL", "SEL", "FSEL", "FSEL", "V_CNDMASK_B32", "V_CNDMASK_B32", "V_CNDMASK_B32", "V_CNDMASK_B32")       \
    O(PERMUTE, "PRMT", "PRMT", "PRMT", "PRMT", "V_PERM_B32", "V_PERM_B32", "V_PERM_B32", "V_PERM_B32")                \
    O(IDENTITY, "S2R", "S2R", "S2R", "S2R", "V_MOV_B32", "V_MOV_B32", "V_MOV_B32", "V_MOV_B32")                       \
    O(TO_FLOAT, "I2F", "I2F", "I2F", "I2F", "V_CVT_F32_I32", "V_CVT_F16_I16", "V_CVT_F32_I32", "V_CVT_F64_I32")       \
    O(TO_INTEGER, "F2I", "F2I", "F2I", "F2I", "V_CVT_I32_F32", "V_CVT_I16_F16", "V_CVT_I32_F32", "V_CVT_I32_F64")     \
    O(RESIZE, "F2F", "F2F", "F2F", "F2F", "V_CVT_F32_F64", "V_CVT_F16_F32", "V_CVT_F32_F64", "V_CVT_F64_F32")         \
    O(ROUND, "FRND", "FRND", "FRND", "FRND", "V_FLOOR_F32", "V_FLOOR_F16", "V_FLOOR_F32", "V_FLOOR_F64")              \
    O(COUNT, "POPC", "POPC", "POPC", "POPC", "V_BCNT_U32_B32", "V_BCNT_U32_B32", "V_BCNT_U32_B32", "V_BCNT_U32_B32")  \
    O(JUMP, "BRA", "BRA", "BRA", "BRA", "S_CBRANCH_VCCNZ", "S_CBRANCH_VCCNZ", "S_CBRANCH_VCCNZ", "S_CBRANCH_VCCNZ")   \
    O(CALL, "CALL", "CALL", "CALL", "CALL", "S_SWAPPC_B64", "S_SWAPPC_B64", "S_SWAPPC_B64", "S_SWAPPC_B64")           \
    O(RETURN, "RET", "RET", "RET", "RET", "S_SETPC_B64", "S_SETPC_B64", "S_SETPC_B64", "S_SETPC_B64")                 \
    O(END, "EXIT", "EXIT", "EXIT", "EXIT", "S_ENDPGM", "S_ENDPGM", "S_ENDPGM", "S_ENDPGM")                            \
    O(BARRIER, "BAR.SYNC", "BAR.SYNC", "BAR.SYNC", "BAR.SYNC", "S_BARRIER", "S_BARRIER", "S_BARRIER", "S_BARRIER")    \
    O(FENCE, "MEMBAR", "MEMBAR", "MEMBAR", "MEMBAR", "S_WAITCNT", "S_WAITCNT", "S_WAITCNT", "S_WAITCNT")

/* names, divided by blanks, and their operation; functions begin with "call " in the plugin's words, here with '@' */
#define NAMES(N)                                                                                                      \
    N("add sub fadd fsub fneg getelementptr @add_sat @sub_sat @abs @fabs @hadd @rhadd", ADD)                          \
    N("mul fmul @mul24 @mul_hi", MULTIPLY)                                                                            \
    N("@fma @mad @mad24 @mad_hi @mad_sat @mix @dot @llvm.fmuladd*", FUSED)                                            \
    N("udiv sdiv urem srem fdiv frem @native_divide @native_recip @fmod", DIVIDE)                                     \
    N("icmp fcmp @isequal* @isless* @isgreater* @isnan* @isinf* @any @all", COMPARE)                                  \
    N("@min @max @fmin @fmax @clamp @step", SMALLEST)                                                                 \
    N("and or xor @bitselect", LOGIC)                                                                                 \
    N("shl lshr ashr @rotate", SHIFT)                                                                                 \
    N("phi alloca bitcast trunc zext sext ptrtoint inttoptr addrspacecast freeze extractelement insertelement "       \
      "extractvalue insertvalue @as_* @llvm.lifetime* @vload* @vstore*", MOVE)                                        \
    N("select @select @copysign", SELECT)                                                                             \
    N("shufflevector @shuffle*", PERMUTE)                                                                             \
    N("@get_*", IDENTITY)                                                                                             \
    N("sitofp uitofp @convert_float* @convert_double* @convert_half*", TO_FLOAT)                                      \
    N("fptosi fptoui @convert_*", TO_INTEGER)                                                                         \
    N("fptrunc fpext", RESIZE)                                                                                        \
    N("@floor @ceil @rint @round @trunc", ROUND)                                                                      \
    N("@popcount @clz @ctz @llvm.ctpop*", COUNT)                                                                      \
    N("br switch indirectbr", JUMP)                                                                                   \
    N("call", CALL)                                                                                                   \
    N("ret", RETURN)                                                                                                  \
    N("exit unreachable", END)                                                                                        \
    N("@barrier @work_group_barrier @wait_group_events @sub_group_barrier", BARRIER)                                  \
    N("fence @mem_fence @read_mem_fence @write_mem_fence @atomic_work_item_fence", FENCE)

#define OPERATION_VALUE(name, ...) name,
enum operation { OPERATIONS(OPERATION_VALUE) OPERATION_COUNT };

enum { TYPES = 4 };                      /* integer, half, single, double */

struct names {
    const char *words;
    enum operation operation;
};

static bool matches(const char *word, size_t length, const char *name)
{
    if (*word == '@') {
        if (strncmp(name, "call ", 5) != 0)
            return false;
        name += 5;
        word++;
        length--;
    }
    if (length > 0 && word[length - 1] == '*')
        return strncmp(word, name, length - 1) == 0;
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool opcodes_is_among(const char *words, const char *name)
{
    while (*words != '\0') {
        size_t const length = strcspn(words, " ");

        if (matches(words, length, name))
            return true;
        words += length + (words[length] == ' ');
    }
    return false;
}

#define NAMES_LINE(words, operation) {words, operation},
static enum operation operation_of(const char *name, unsigned float_bits)
{
    static const struct names lines[] = { NAMES(NAMES_LINE) };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (opcodes_is_among(lines[i].words, name))
            return lines[i].operation;
    return float_bits != 0 ? SPECIAL : ADD;
}

static const char *own_name(const char *name)
{
    return strncmp(name, "call ", 5) == 0 ? name + 5 : name;
}

/* The name as the last token, if it fits. */
static void put_sass(char text[OCL_OPCODE_BYTES], const char *opcode, const char *name)
{
    if (snprintf(text, OCL_OPCODE_BYTES, "%s.%s", opcode, own_name(name)) >= (int)OCL_OPCODE_BYTES)
        snprintf(text, OCL_OPCODE_BYTES, "%s", opcode);
    for (char *c = text; *c != '\0'; c++)
        if (*c <= ' ' || *c > '~')
            *c = '_';
}

#define OPERATION_LINE(name, ...) {__VA_ARGS__},
void ocl_opcode(char text[OCL_OPCODE_BYTES], enum gpu_isa isa, const char *name, unsigned float_bits)
{
    static const char *const texts[OPERATION_COUNT][2 * TYPES] = { OPERATIONS(OPERATION_LINE) };
    unsigned const type = float_bits == 0 ? 0 : float_bits <= 16 ? 1 : float_bits <= 32 ? 2 : 3;
    const char *const *const operation = texts[operation_of(name, float_bits)];

    if (isa == GPU_ISA_GCN3)
        snprintf(text, OCL_OPCODE_BYTES, "%s", operation[TYPES + type]);
    else
        put_sass(text, operation[type], name);
}

/* ---- accesses */

/* Bytes, and how they are called: SASS; GCN3 to global memory, loaded and stored; GCN3 in local memory. */
static const struct {
    unsigned bytes;
    const char *sass, *flat_load, *flat_store, *ds_load, *ds_store;
} widths[] = {
    {1, ".U8", "UBYTE", "BYTE", "U8", "B8"}, {2, ".U16", "USHORT", "SHORT", "U16", "B16"},
    {4, "", "DWORD", "DWORD", "B32", "B32"}, {8, ".64", "DWORDX2", "DWORDX2", "B64", "B64"},
    {12, ".96", "DWORDX3", "DWORDX3", "B96", "B96"}, {16, ".128", "DWORDX4", "DWORDX4", "B128", "B128"}
};

unsigned ocl_access_piece(unsigned left)
{
    size_t i = sizeof widths / sizeof widths[0] - 1;

    if (left == 12)
        return 12;
    while (i > 0 && (widths[i].bytes > left || widths[i].bytes == 12))
        i--;
    return widths[i].bytes;
}

static const char *sass_access(enum ocl_access access, enum ocl_space space, bool returns)
{
    static const char *const loads[] = {
        [OCL_PRIVATE] = "LDL", [OCL_GLOBAL] = "LDG.E", [OCL_CONSTANT] = "LDC", [OCL_LOCAL] = "LDS"
    };
    static const char *const stores[] = {
        [OCL_PRIVATE] = "STL", [OCL_GLOBAL] = "STG.E", [OCL_CONSTANT] = "STG.E", [OCL_LOCAL] = "STS"
    };

    if (access == OCL_ATOMIC && space != OCL_PRIVATE)
        return space == OCL_LOCAL ? "ATOMS" : returns ? "ATOMG.E" : "RED.E";
    return access == OCL_STORE ? stores[space] : loads[space];
}

static void put_gcn3_access(char text[OCL_OPCODE_BYTES], size_t width, enum ocl_access access, enum ocl_space space,
                            bool returns)
{
    bool const is_wide = widths[width].bytes == 8;

    if (access == OCL_ATOMIC && space == OCL_LOCAL)
        snprintf(text, OCL_OPCODE_BYTES, "DS_ADD%s_U%d", returns ? "_RTN" : "", is_wide ? 64 : 32);
    else if (access == OCL_ATOMIC && space != OCL_PRIVATE)
        snprintf(text, OCL_OPCODE_BYTES, "FLAT_ATOMIC_ADD%s%s", is_wide ? "_X2" : "", returns ? "_RTN" : "");
    else if (space == OCL_LOCAL)
        snprintf(text, OCL_OPCODE_BYTES, "DS_%s_%s", access == OCL_STORE ? "WRITE" : "READ",
                 access == OCL_STORE ? widths[width].ds_store : widths[width].ds_load);
    else
        snprintf(text, OCL_OPCODE_BYTES, "%s_%s_%s", space == OCL_PRIVATE ? "SCRATCH" : "FLAT",
                 access == OCL_STORE ? "STORE" : "LOAD",
                 access == OCL_STORE ? widths[width].flat_store : widths[width].flat_load);
}

void ocl_access_opcode(char text[OCL_OPCODE_BYTES], enum gpu_isa isa, const char *name, enum ocl_access access,
                       enum ocl_space space, unsigned bytes, bool returns)
{
    char opcode[24];
    size_t width = 0;

    while (widths[width].bytes != bytes)
        width++;
    if (isa == GPU_ISA_GCN3) {
        put_gcn3_access(text, width, access, space, returns);
        return;
    }
    snprintf(opcode, sizeof opcode, "%s%s", sass_access(access, space, returns), widths[width].sass);
    put_sass(text, opcode, name);
}
