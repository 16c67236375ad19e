/* x86-64 and x86-32 by Zydis (zydis.re), which is loaded when a decoder is opened. Its operands follow the Intel SDM,
 * volume 2; here they become registers of one file, and effects that the manual has only as text are added.
 *
 * Modelled:
 * - A write of 8 or 16 bits reads the register; of 32 bits it does not. A write of less than 128 bits by SSE (movss,
 *   sqrtsd, cvtsi2sd, movhps) reads the vector register; that 128 bits leave those above as they are is not modelled,
 *   as cores with clean upper halves do not see it. cmov, bsf, bsr and rdssp may keep their destination, and read it.
 * - Flags are one register, of CF PF AF ZF SF OF. An instruction that writes some of them does not read it (inc, bt,
 *   stc: cores rename carry and the rest apart); one that may write none (shifts by cl, rep cmps) does. A shift by 0
 *   writes none. The direction flag is no register.
 * - push, pop, call, ret, enter and leave read the stack pointer for the address. Only leave, iret, pop rsp write it.
 * - Each instruction of x87 and MMX reads and writes the register "x87".
 * - rep: the count feeds the addresses. The final rsi, rdi, rcx of movs and stos depend on the addresses alone; those
 *   of cmps and scas on the data read.
 * - Flushes of lines (clflush, clwb) access nothing. Prefetches have one load of unknown size, nops nothing.
 * - Instructions with more registers than fit (fxsave, xsave, their restoring counterparts, vzeroall) are serialising.
 * Not modelled: segment registers, MXCSR, x87's control word, control and bound registers, the shadow stack. */
#include "proto/isa/decoder.h"

enum {
    RAX = 1, RCX, RDX, RBX, RSP, RBP, RSI, RDI, FLAGS = 17, VECTOR_0 = 18, VECTOR_END = 50, MASK_0 = 50, X87 = 58,
    TILE_0 = 59, REGISTERS = 67
};

const char *x86_register_name(unsigned number)
{
    static const char *const names[REGISTERS] = {
        NULL, "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
        "r15", "flags", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",
        "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4",
        "k5", "k6", "k7", "x87",
        "tmm0", "tmm1", "tmm2", "tmm3", "tmm4", "tmm5", "tmm6", "tmm7"};

    return number < REGISTERS ? names[number] : NULL;
}

#ifdef RUBATO_ZYDIS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "base/host_library.h"
#include "proto/isa/isa_build.h"

enum {
    MNEMONICS = ZYDIS_MNEMONIC_MAX_VALUE + 1, UNITS = X86_VECTOR + 1, BYTE_BITS = 8, LINE_BYTES = 64,
    /* Bits of the flags register: CF PF AF ZF SF OF. */
    CONDITION_FLAGS = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF
                      | ZYDIS_CPUFLAG_OF
};

/* Result, name, arguments of the functions that are called. */
#define FUNCTIONS(F)                                                                                                  \
    F(ZyanU64, GetVersion, (void))                                                                                    \
    F(ZyanStatus, DecoderInit, (ZydisDecoder *, ZydisMachineMode, ZydisStackWidth))                                   \
    F(ZyanStatus, DecoderDecodeFull, (const ZydisDecoder *, const void *, ZyanUSize, ZydisDecodedInstruction *,       \
                                      ZydisDecodedOperand[ZYDIS_MAX_OPERAND_COUNT]))                                  \
    F(const char *, MnemonicGetString, (ZydisMnemonic))

/* Facts derived from an instruction's name, cached. */
struct named {
    uint8_t class[UNITS];                /* enum isa_class */
    bool is_asked, moves, is_idiom, gives_ones, streams;
};

struct x86 {
    void *library;
    unsigned mode_bits;
    ZydisDecoder decoder;
    struct named named[MNEMONICS];
#define FUNCTION_FIELD(result, name, arguments) result (*name) arguments;
    FUNCTIONS(FUNCTION_FIELD)
};

/* An instruction as Zydis has it. */
struct decoded {
    ZydisDecodedInstruction head;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* --- the library --- */

static bool load(struct x86 *x86, const char *library)
{
    x86->library = host_library_open(library);
    if (!x86->library)
        return false;
#define FUNCTION_FIND(result, name, arguments)                                                                        \
    if (!host_library_find(x86->library, "Zydis" #name, &x86->name))                                                  \
        return false;
    FUNCTIONS(FUNCTION_FIND)
    return ZYDIS_VERSION_MAJOR(x86->GetVersion()) == ZYDIS_VERSION_MAJOR(ZYDIS_VERSION)
           && ZYDIS_VERSION_MINOR(x86->GetVersion()) == ZYDIS_VERSION_MINOR(ZYDIS_VERSION);
}

struct x86 *x86_open(unsigned mode_bits, const char *name, struct fault *error)
{
    struct x86 *const x86 = calloc(1, sizeof *x86);
    char library[32];

    if (!x86) {
        *error = fault_memory(name, "the decoder");
        return NULL;
    }
    x86->mode_bits = mode_bits;
    snprintf(library, sizeof library, "libZydis.so.%u.%u", (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION),
             (unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
    if (!load(x86, library)) {
        *error = fault_at(name, FAULT_NO_OFFSET, "is decoded by Zydis, whose library %s cannot be loaded; install it "
                          "(on Debian and Ubuntu libzydis4.0), or build rubato again with the libzydis-dev that is "
                          "there", library);
        x86_close(x86);
        return NULL;
    }
    x86->DecoderInit(&x86->decoder, mode_bits == 64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     mode_bits == 64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    return x86;
}

void x86_close(struct x86 *x86)
{
    if (!x86)
        return;
    host_library_close(x86->library);
    free(x86);
}

static const struct named *named(struct x86 *x86, ZydisMnemonic mnemonic)
{
    struct named *const named = &x86->named[mnemonic];

    if (!named->is_asked) {
        const char *const name = x86->MnemonicGetString(mnemonic);

        for (unsigned unit = 0; unit < UNITS; unit++)
            named->class[unit] = (uint8_t)x86_class(name, (enum x86_unit)unit);
        named->moves = x86_class_moves(name);
        named->is_idiom = x86_class_is_idiom(name);
        named->gives_ones = strstr(name, "cmpeq") != NULL;
        named->streams = strncmp(name, "movnt", 5) == 0 || strncmp(name, "vmovnt", 6) == 0;
        named->is_asked = true;
    }
    return named;
}

/* --- registers --- */

/* First and last of Zydis; the number of the first, and after how many numbers repeat (ah is of rax, too). */
static const struct { uint16_t first, last; uint8_t number, period; } ranges[] = {
    {ZYDIS_REGISTER_AL, ZYDIS_REGISTER_BH, RAX, 4}, {ZYDIS_REGISTER_SPL, ZYDIS_REGISTER_R15B, RSP, 12},
    {ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W, RAX, 16}, {ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D, RAX, 16},
    {ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15, RAX, 16}, {ZYDIS_REGISTER_ST0, ZYDIS_REGISTER_MM7, X87, 1},
    {ZYDIS_REGISTER_XMM0, ZYDIS_REGISTER_XMM31, VECTOR_0, 32},
    {ZYDIS_REGISTER_YMM0, ZYDIS_REGISTER_YMM31, VECTOR_0, 32},
    {ZYDIS_REGISTER_ZMM0, ZYDIS_REGISTER_ZMM31, VECTOR_0, 32}, {ZYDIS_REGISTER_TMM0, ZYDIS_REGISTER_TMM7, TILE_0, 8},
    {ZYDIS_REGISTER_K0, ZYDIS_REGISTER_K7, MASK_0, 8},
};

static unsigned number_of(ZydisRegister name)
{
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (name >= ranges[i].first && name <= ranges[i].last)
            return ranges[i].number + ((unsigned)name - ranges[i].first) % ranges[i].period;
    return 0;
}

static bool is_general(unsigned number)
{
    return number >= RAX && number < FLAGS;
}

static bool is_vector(unsigned number)
{
    return number >= VECTOR_0 && number < VECTOR_END;
}

/* --- questions --- */

static bool is_register(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

/* A mask register that encodes "no mask". */
static bool is_no_mask(const ZydisDecodedOperand *operand)
{
    return operand->encoding == ZYDIS_OPERAND_ENCODING_MASK && is_register(operand)
           && operand->reg.value == ZYDIS_REGISTER_K0;
}

static bool is_of(const struct decoded *decoded, ZydisInstructionCategory category)
{
    return decoded->head.meta.category == category;
}

static bool is_masked(const struct decoded *decoded)
{
    return decoded->head.avx.mask.mode > ZYDIS_MASK_MODE_DISABLED;
}

static bool is_nop(const struct decoded *decoded)
{
    switch (decoded->head.mnemonic) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_PAUSE:
    case ZYDIS_MNEMONIC_ENDBR32:
    case ZYDIS_MNEMONIC_ENDBR64:
        return true;
    default:
        return is_of(decoded, ZYDIS_CATEGORY_NOP) || is_of(decoded, ZYDIS_CATEGORY_WIDENOP);
    }
}

static bool is_string(const struct decoded *decoded)
{
    return is_of(decoded, ZYDIS_CATEGORY_STRINGOP) || is_of(decoded, ZYDIS_CATEGORY_IOSTRINGOP);
}

/* String instructions whose final address registers depend on the data read. */
static bool compares(const struct decoded *decoded)
{
    return is_string(decoded) && decoded->head.cpu_flags && (decoded->head.cpu_flags->modified & CONDITION_FLAGS) != 0;
}

/* push, pop, call, ret and their like: the stack pointer is renamed away. Returns from interrupts load it. */
static bool renames_stack(const struct decoded *decoded)
{
    switch (decoded->head.mnemonic) {
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_UIRET:
    case ZYDIS_MNEMONIC_LEAVE:
        return false;
    case ZYDIS_MNEMONIC_ENTER:
        return true;
    default:
        return is_of(decoded, ZYDIS_CATEGORY_PUSH) || is_of(decoded, ZYDIS_CATEGORY_POP)
               || is_of(decoded, ZYDIS_CATEGORY_CALL) || is_of(decoded, ZYDIS_CATEGORY_RET);
    }
}

/* It may leave its destination as it is, though Zydis has it written. */
static bool may_keep(const struct decoded *decoded)
{
    switch (decoded->head.mnemonic) {
    case ZYDIS_MNEMONIC_BSF:
    case ZYDIS_MNEMONIC_BSR:
    case ZYDIS_MNEMONIC_RDSSPD:
    case ZYDIS_MNEMONIC_RDSSPQ:
        return true;
    default:
        return false;
    }
}

static bool is_serialising(const struct decoded *decoded)
{
    switch (decoded->head.mnemonic) {
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_SERIALIZE:
    case ZYDIS_MNEMONIC_LFENCE:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_UIRET:
    case ZYDIS_MNEMONIC_INVD:
    case ZYDIS_MNEMONIC_WBINVD:
    case ZYDIS_MNEMONIC_INVLPG:
    case ZYDIS_MNEMONIC_INVPCID:
    case ZYDIS_MNEMONIC_LGDT:
    case ZYDIS_MNEMONIC_LIDT:
    case ZYDIS_MNEMONIC_LLDT:
    case ZYDIS_MNEMONIC_LTR:
    case ZYDIS_MNEMONIC_LMSW:
    case ZYDIS_MNEMONIC_WRMSR:
    case ZYDIS_MNEMONIC_XSETBV:
    case ZYDIS_MNEMONIC_RSM:
    case ZYDIS_MNEMONIC_VZEROALL:
        return true;
    case ZYDIS_MNEMONIC_VZEROUPPER:
        return false;
    default:
        break;
    }
    for (unsigned i = 0; i < decoded->head.operand_count; i++)
        if (is_register(&decoded->operands[i]) && decoded->operands[i].reg.value >= ZYDIS_REGISTER_CR0
            && decoded->operands[i].reg.value <= ZYDIS_REGISTER_DR15)
            return true;
    return is_of(decoded, ZYDIS_CATEGORY_SYSCALL) || is_of(decoded, ZYDIS_CATEGORY_SYSRET)
           || is_of(decoded, ZYDIS_CATEGORY_INTERRUPT) || is_of(decoded, ZYDIS_CATEGORY_VTX)
           || (decoded->head.attributes & (ZYDIS_ATTRIB_XMM_STATE_CR | ZYDIS_ATTRIB_XMM_STATE_CW)) != 0;
}

static bool is_prefetch(const struct decoded *decoded)
{
    return is_of(decoded, ZYDIS_CATEGORY_PREFETCH) || is_of(decoded, ZYDIS_CATEGORY_PREFETCHWT1)
           || decoded->head.meta.isa_set == ZYDIS_ISA_SET_AVX512PF_512;
}

static bool flushes(const struct decoded *decoded)
{
    switch (decoded->head.mnemonic) {
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_CLDEMOTE:
    case ZYDIS_MNEMONIC_INVLPG:
        return true;
    default:
        return false;
    }
}

/* Masked, scattered, or of a size that depends on the machine. */
static bool varies(const struct decoded *decoded, const ZydisDecodedOperand *operand)
{
    switch (decoded->head.mnemonic) {
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
        return true;
    case ZYDIS_MNEMONIC_ENTER:
        return decoded->operands[1].imm.value.u != 0;
    default:
        return is_masked(decoded) || operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB || is_prefetch(decoded)
               || is_of(decoded, ZYDIS_CATEGORY_XSAVE) || is_of(decoded, ZYDIS_CATEGORY_XSAVEOPT)
               || is_of(decoded, ZYDIS_CATEGORY_AMX_TILE);
    }
}

static bool is_bit_test(const struct decoded *decoded)
{
    switch (decoded->head.mnemonic) {
    case ZYDIS_MNEMONIC_BT:
    case ZYDIS_MNEMONIC_BTC:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTS:
        return true;
    default:
        return false;
    }
}

/* Equal sources, and an instruction whose result does not depend on their value then. */
static bool is_idiom(const struct decoded *decoded, const struct named *name)
{
    const ZydisDecodedOperand *visible[3];
    unsigned count = 0, number;

    if (!name->is_idiom || is_masked(decoded))
        return false;
    for (unsigned i = 0; i < decoded->head.operand_count_visible; i++) {
        if (is_no_mask(&decoded->operands[i]))
            continue;
        if (count == 3 || !is_register(&decoded->operands[i]))
            return false;
        visible[count++] = &decoded->operands[i];
    }
    if (count < 2 || visible[count - 1]->reg.value != visible[count - 2]->reg.value)
        return false;
    number = number_of(visible[0]->reg.value);
    return is_vector(number) || (is_general(number) && visible[0]->size > 16);
}

/* Register to register, with nothing kept of the destination: what renaming can do. */
static bool is_move(const struct decoded *decoded)
{
    const ZydisDecodedOperand *const to = &decoded->operands[0], *const from = &decoded->operands[1];
    unsigned number;

    switch (decoded->head.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_VMOVAPD:
    case ZYDIS_MNEMONIC_VMOVAPS:
    case ZYDIS_MNEMONIC_VMOVDQA:
    case ZYDIS_MNEMONIC_VMOVDQU:
    case ZYDIS_MNEMONIC_VMOVUPD:
    case ZYDIS_MNEMONIC_VMOVUPS:
        break;
    default:
        return false;
    }
    if (decoded->head.operand_count_visible != 2 || !is_register(to) || !is_register(from))
        return false;
    number = number_of(from->reg.value);
    return (is_vector(number) || (is_general(number) && to->size >= 32))
           && is_vector(number) == is_vector(number_of(to->reg.value)) && number_of(to->reg.value) != 0;
}

/* AMD, Software Optimization Guide for Zen 4 (57647), "Branch Fusion"; Intel's Optimization Manual, "Macro-Fusion". */
static enum isa_fusion fusion_of(const struct decoded *decoded)
{
    if (decoded->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY && decoded->head.mnemonic != ZYDIS_MNEMONIC_CMP
        && decoded->head.mnemonic != ZYDIS_MNEMONIC_TEST)
        return ISA_FUSES_NONE;
    switch (decoded->head.mnemonic) {
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST:
        return ISA_FUSES_COMPARE;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_DEC:
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_SUB:
        return ISA_FUSES_ARITHMETIC;
    case ZYDIS_MNEMONIC_OR:
    case ZYDIS_MNEMONIC_XOR:
        return ISA_FUSES_LOGIC;
    default:
        return ISA_FUSES_NONE;
    }
}

/* --- facts --- */

static void add_memory(const struct decoded *decoded, const ZydisDecodedOperand *operand, struct isa_insn *insn)
{
    bool const is_load = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    bool const is_store = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    bool const accesses = (is_load || is_store) && operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN
                          && operand->mem.type != ZYDIS_MEMOP_TYPE_MIB && !flushes(decoded);
    enum isa_direction direction;
    struct isa_operand *place = NULL;
    unsigned const base = number_of(operand->mem.base), index = number_of(operand->mem.index);
    bool const is_scaled = index != 0 && operand->mem.scale > 1;

    if (!accesses) {
        isa_read_data(insn, base);
        isa_read_data(insn, index);
        return;
    }
    direction = (enum isa_direction)((is_load ? ISA_DIRECTION_LOAD : 0) | (is_store ? ISA_DIRECTION_STORE : 0));
    place = isa_operand_add(insn, direction, varies(decoded, operand) ? 0 : operand->size / BYTE_BITS);
    isa_read_address(insn, place, base);
    isa_read_address(insn, place, index);
    if (place)
        place->is_scaled = is_scaled;
    if (insn->is_string)
        isa_read_address(insn, place, RCX);
    if (decoded->head.mnemonic == ZYDIS_MNEMONIC_XLAT)
        isa_read_address(insn, place, RAX);
    if (is_bit_test(decoded) && is_register(&decoded->operands[1]))
        isa_read_address(insn, place, number_of(decoded->operands[1].reg.value));
    if (!is_string(decoded))
        return;
    if (compares(decoded) && insn->is_string) {
        isa_read_data(insn, RCX);
        isa_write(insn, base);
    } else {
        isa_write_address(insn, base);
    }
}

/* Loads first: all reads precede all writes. */
static void add_memories(const struct decoded *decoded, struct isa_insn *insn)
{
    for (unsigned stores = 0; stores < 2; stores++)
        for (unsigned i = 0; i < decoded->head.operand_count; i++) {
            const ZydisDecodedOperand *const operand = &decoded->operands[i];

            if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY
                && (stores != 0) == ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) == 0))
                add_memory(decoded, operand, insn);
        }
    if (decoded->head.mnemonic == ZYDIS_MNEMONIC_CLZERO)
        isa_read_address(insn, isa_operand_add(insn, ISA_DIRECTION_STORE, LINE_BYTES), RAX);
}

static void write_register(const struct decoded *decoded, const ZydisDecodedOperand *operand, unsigned number,
                           struct isa_insn *insn)
{
    bool const is_sure = operand->actions & ZYDIS_OPERAND_ACTION_WRITE;
    bool const is_part = (is_general(number) && operand->size <= 16)
                         || (is_vector(number) && operand->size < 128
                             && decoded->head.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY);

    if (!is_sure || is_part || may_keep(decoded))
        isa_read_data(insn, number);
    isa_write(insn, number);
}

static void add_register(const struct decoded *decoded, const ZydisDecodedOperand *operand, bool reads,
                         struct isa_insn *insn)
{
    bool const is_hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    unsigned const number = number_of(operand->reg.value);

    if (number == 0 || is_no_mask(operand))
        return;
    if (is_hidden && number == RSP && renames_stack(decoded))
        return;
    if (number == X87) {
        isa_read_data(insn, X87);
        isa_write(insn, X87);
        return;
    }
    if (is_string(decoded) && is_hidden && (number == RSI || number == RDI))
        return;
    if (insn->is_string && is_hidden && number == RCX) {
        if (compares(decoded))
            isa_write(insn, RCX);
        else
            isa_write_address(insn, RCX);
        return;
    }
    if (reads && (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ))
        for (unsigned i = 0; i < (operand->attributes & ZYDIS_OATTRIB_IS_MULTISOURCE4 ? 4u : 1u); i++)
            isa_read_data(insn, number + i);
    if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return;
    if (reads)
        write_register(decoded, operand, number, insn);
    else
        isa_write(insn, number);
}

/* Shifts and rotations by an immediate that comes to nothing. */
static bool shifts_by_none(const struct decoded *decoded)
{
    unsigned const count = decoded->head.operand_count_visible;
    const ZydisDecodedOperand *last;

    if (count == 0 || (!is_of(decoded, ZYDIS_CATEGORY_SHIFT) && !is_of(decoded, ZYDIS_CATEGORY_ROTATE)))
        return false;
    last = &decoded->operands[count - 1];
    return last->type == ZYDIS_OPERAND_TYPE_IMMEDIATE
           && (last->imm.value.u & (decoded->head.operand_width == 64 ? 63 : 31)) == 0;
}

static void add_flags(const struct decoded *decoded, struct isa_insn *insn)
{
    const ZydisAccessedFlags *const flags = decoded->head.cpu_flags;
    bool may_write_none = false, writes;

    if (!flags || shifts_by_none(decoded))
        return;
    writes = ((flags->modified | flags->set_0 | flags->set_1 | flags->undefined) & CONDITION_FLAGS) != 0;
    for (unsigned i = 0; i < decoded->head.operand_count; i++)
        if (is_register(&decoded->operands[i]) && decoded->operands[i].reg.value >= ZYDIS_REGISTER_FLAGS
            && decoded->operands[i].reg.value <= ZYDIS_REGISTER_RFLAGS)
            may_write_none = decoded->operands[i].actions & ZYDIS_OPERAND_ACTION_CONDWRITE;
    if ((flags->tested & CONDITION_FLAGS) != 0 || (writes && may_write_none))
        isa_read_data(insn, FLAGS);
    if (writes)
        isa_write(insn, FLAGS);
}

/* enter and leave, whose manual page is a program. */
static void add_frames(const struct decoded *decoded, struct isa_insn *insn)
{
    struct isa_operand *const place = &insn->operands[0];

    if (decoded->head.mnemonic == ZYDIS_MNEMONIC_ENTER) {
        isa_read_data(insn, RBP);
        isa_write_address(insn, RBP);
        if (decoded->operands[1].imm.value.u != 0) {
            isa_read_address(insn, isa_operand_add(insn, ISA_DIRECTION_LOAD, 0), RBP);
        }
    } else {
        place->address_reads = 0;
        insn->read_count = 0;
        isa_read_address(insn, place, RBP);
        isa_write(insn, RBP);
        isa_write_address(insn, RSP);
    }
}

static void add_registers(const struct decoded *decoded, const struct named *name, struct isa_insn *insn)
{
    bool const reads = !is_idiom(decoded, name);

    if (decoded->head.mnemonic == ZYDIS_MNEMONIC_ENTER || decoded->head.mnemonic == ZYDIS_MNEMONIC_LEAVE) {
        add_frames(decoded, insn);
        return;
    }
    for (unsigned i = 0; i < decoded->head.operand_count; i++)
        if (is_register(&decoded->operands[i]))
            add_register(decoded, &decoded->operands[i], reads, insn);
    add_flags(decoded, insn);
    if ((decoded->head.meta.isa_set == ZYDIS_ISA_SET_X87
         || (decoded->head.attributes & (ZYDIS_ATTRIB_FPU_STATE_CR | ZYDIS_ATTRIB_FPU_STATE_CW)) != 0)
        && (decoded->head.attributes & (ZYDIS_ATTRIB_XMM_STATE_CR | ZYDIS_ATTRIB_XMM_STATE_CW)) == 0) {
        isa_read_data(insn, X87);
        isa_write(insn, X87);
    }
}

static enum isa_kind kind_of(const struct decoded *decoded, bool is_direct)
{
    if (decoded->head.mnemonic == ZYDIS_MNEMONIC_XABORT || decoded->head.mnemonic == ZYDIS_MNEMONIC_XEND)
        return ISA_OTHER;
    switch (decoded->head.meta.category) {
    case ZYDIS_CATEGORY_CALL:
        return is_direct ? ISA_DIRECT_CALL : ISA_INDIRECT_CALL;
    case ZYDIS_CATEGORY_RET:
        return ISA_RETURN;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return is_direct ? ISA_DIRECT_JUMP : ISA_INDIRECT_JUMP;
    case ZYDIS_CATEGORY_COND_BR:
        return ISA_CONDITIONAL;
    case ZYDIS_CATEGORY_SYSRET:
        return ISA_OTHER_BRANCH;
    case ZYDIS_CATEGORY_SYSCALL:
        return ISA_SYSTEM;
    default:
        return decoded->head.mnemonic == ZYDIS_MNEMONIC_INT ? ISA_SYSTEM : ISA_OTHER;
    }
}

static void add_branch(const struct x86 *x86, const struct decoded *decoded, uint64_t pc, struct isa_insn *insn)
{
    const ZydisDecodedOperand *const first = &decoded->operands[0];
    bool const is_relative = decoded->head.operand_count > 0 && first->type == ZYDIS_OPERAND_TYPE_IMMEDIATE
                             && first->imm.is_relative;
    bool const is_far = decoded->head.operand_count > 0 && first->type == ZYDIS_OPERAND_TYPE_POINTER;

    insn->kind = (uint8_t)kind_of(decoded, is_relative || is_far);
    if (!isa_kind_is_branch(insn->kind) || !is_relative)
        return;
    insn->has_target = true;
    insn->target = pc + decoded->head.length + (uint64_t)first->imm.value.s;
    if (x86->mode_bits == 32)
        insn->target &= UINT32_MAX;
}

static void add_order(const struct decoded *decoded, struct isa_insn *insn)
{
    insn->is_atomic = (decoded->head.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0
                      || (decoded->head.mnemonic == ZYDIS_MNEMONIC_XCHG && insn->operand_count > 0);
    insn->is_serialising = insn->is_serialising || is_serialising(decoded);
    if (insn->is_atomic || decoded->head.mnemonic == ZYDIS_MNEMONIC_MFENCE)
        insn->fence = ISA_FENCE_FULL;
    else if (decoded->head.mnemonic == ZYDIS_MNEMONIC_LFENCE)
        insn->fence = ISA_FENCE_LOAD;
    else if (decoded->head.mnemonic == ZYDIS_MNEMONIC_SFENCE)
        insn->fence = ISA_FENCE_STORE;
}

static enum x86_unit unit_of(const struct decoded *decoded, const struct isa_insn *insn)
{
    bool is_x87 = false;

    for (unsigned i = 0; i < decoded->head.operand_count; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operands[i];
        unsigned const number = is_register(operand) ? number_of(operand->reg.value) : 0;

        if (is_vector(number) || (number >= MASK_0 && number < REGISTERS && number != X87)
            || (number == X87 && operand->reg.value >= ZYDIS_REGISTER_MM0))
            return X86_VECTOR;
        is_x87 = is_x87 || number == X87;
    }
    for (unsigned i = 0; i < insn->write_count; i++)
        is_x87 = is_x87 || insn->writes[i] == X87;
    return is_x87 ? X86_X87 : X86_INTEGER;
}

/* A move from memory that keeps a part of a vector register computes more than a move. */
static bool merges_vectors(const struct isa_insn *insn)
{
    if (insn->operand_count != 1 || insn->operands[0].is_store)
        return false;
    for (unsigned i = 0; i < insn->read_count; i++)
        if (insn->data_reads >> i & 1 && is_vector(insn->reads[i]))
            return true;
    return false;
}

bool x86_decode(struct x86 *x86, uint64_t pc, const uint8_t *bytes, size_t length, struct isa_insn *insn)
{
    struct decoded decoded;
    const struct named *name;

    if (!ZYAN_SUCCESS(x86->DecoderDecodeFull(&x86->decoder, bytes, length, &decoded.head, decoded.operands)))
        return false;
    insn->size_bytes = decoded.head.length;
    insn->is_nop = is_nop(&decoded);
    if (insn->is_nop)
        return true;
    name = named(x86, decoded.head.mnemonic);
    insn->is_string = is_string(&decoded) && (decoded.head.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE
                                                                         | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
    insn->is_prefetch = is_prefetch(&decoded);
    add_memories(&decoded, insn);
    add_registers(&decoded, name, insn);
    add_branch(x86, &decoded, pc, insn);
    add_order(&decoded, insn);
    insn->class = name->class[unit_of(&decoded, insn)];
    if (insn->operand_count > 0 && name->moves && !merges_vectors(insn))
        insn->class = ISA_CLASS_NO_OP;
    insn->is_move = is_move(&decoded);
    insn->is_zeroing = is_idiom(&decoded, name) && !name->gives_ones;
    insn->is_streaming = name->streams;
    insn->fusion = (uint8_t)fusion_of(&decoded);
    return true;
}

#else

struct x86 *x86_open(unsigned mode_bits, const char *name, struct fault *error)
{
    (void)mode_bits;
    *error = fault_at(name, FAULT_NO_OFFSET, "is decoded by Zydis, which this rubato was built without; install "
                      "libzydis-dev (version 4) and build it again");
    return NULL;
}

void x86_close(struct x86 *x86)
{
    (void)x86;
}

bool x86_decode(struct x86 *x86, uint64_t pc, const uint8_t *bytes, size_t length, struct isa_insn *insn)
{
    (void)x86;
    (void)pc;
    (void)bytes;
    (void)length;
    (void)insn;
    return false;
}
#endif
