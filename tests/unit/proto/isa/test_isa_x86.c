/* x86-64 and x86-32: instructions for each rule of isa.h and x86.c, derived by hand from the Intel SDM, volume 2. */
#include "tests/support/isa_cases.h"

static struct isa_decoder *decoder;

static int open_decoder(void **state)
{
    struct fault error;

    decoder = isa_decoder_open(ISA_X86_64, &error);
    return 0;
}

static int close_decoder(void **state)
{
    isa_decoder_close(decoder);
    return 0;
}

/* "a write that keeps a part of its register reads it, too (8 and 16 bits of x86, merging masks)" */
static void parts_are_read(void **state)
{
    static const struct isa_case cases[] = {
        {"mov eax, ebx", "89d8", "IntAlu|other|rbx:d|rax|-|-|-"},
        {"mov ax, bx", "6689d8", "IntAlu|other|rax:d rbx:d|rax|-|-|-"},
        {"mov ah, bl", "88dc", "IntAlu|other|rax:d rbx:d|rax|-|-|-"},
        {"mov r9b, [rbx]", "448a0b", "No_OpClass|other|rbx:a r9:d|r9|load1(rbx)|-|-"},
        {"movzx eax, bl", "0fb6c3", "IntAlu|other|rbx:d|rax|-|-|-"},
        {"sete al", "0f94c0", "IntAlu|other|rax:d flags:d|rax|-|-|-"},
        {"cmovne eax, ecx", "0f45c1", "IntAlu|other|rax:d rcx:d flags:d|rax|-|-|-"},
        {"bsf rax, rcx", "480fbcc1", "IntAlu|other|rax:d rcx:d|rax flags|-|-|-"},
        {"movss xmm0, xmm1", "f30f10c1", "SimdMisc|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"movss xmm0, [rax]", "f30f1000", "No_OpClass|other|rax:a|xmm0|load4(rax)|-|-"},
        {"movhps xmm0, [rax]", "0f1600", "SimdMisc|other|rax:a xmm0:d|xmm0|load8(rax)|-|-"},
        {"cvtsi2sd xmm1, rax", "f2480f2ac8", "FloatCvt|other|xmm1:d rax:d|xmm1|-|-|-"},
        {"vmovapd zmm0{k1}, zmm1", "62f1fd4928c1", "SimdMisc|other|xmm0:d k1:d xmm1:d|xmm0|-|-|-"},
        {"vmovapd zmm0{k1}{z}, zmm1", "62f1fdc928c1", "SimdMisc|other|k1:d xmm1:d|xmm0|-|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "A zero idiom reads nothing." */
static void idioms_read_nothing(void **state)
{
    static const struct isa_case cases[] = {
        {"xor eax, eax", "31c0", "IntAlu|other|-|rax flags|-|-|-"},
        {"sub r8, r8", "4d29c0", "IntAlu|other|-|r8 flags|-|-|-"},
        {"xor al, al: keeps the rest", "30c0", "IntAlu|other|rax:d|rax flags|-|-|-"},
        {"xor eax, ebx", "31d8", "IntAlu|other|rax:d rbx:d|rax flags|-|-|-"},
        {"sbb eax, eax: of the carry", "19c0", "IntAlu|other|rax:d flags:d|rax flags|-|-|-"},
        {"pxor xmm3, xmm3", "660fefdb", "SimdAlu|other|-|xmm3|-|-|-"},
        {"xorps xmm3, xmm3", "0f57db", "SimdAlu|other|-|xmm3|-|-|-"},
        {"pcmpeqd xmm3, xmm3", "660f76db", "SimdAlu|other|-|xmm3|-|-|-"},
        {"vxorps xmm0, xmm1, xmm1", "c5f057c1", "SimdAlu|other|-|xmm0|-|-|-"},
        {"vpxor ymm0, ymm1, ymm2", "c5f5efc2", "SimdAlu|other|xmm1:d xmm2:d|xmm0|-|-|-"},
        {"pxor mm1, mm1: x87 is a chain", "0fefc9", "SimdAlu|other|x87:d|x87|-|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "What push, pop, call and ret do to the stack pointer is renamed away" */
static void stack_pointer_is_renamed_away(void **state)
{
    static const struct isa_case cases[] = {
        {"push rax", "50", "No_OpClass|other|rsp:a rax:d|-|store8(rsp)|-|-"},
        {"push rsp", "54", "No_OpClass|other|rsp:ad|-|store8(rsp)|-|-"},
        {"push [rax]", "ff30", "No_OpClass|other|rax:a rsp:a|-|load8(rax) store8(rsp)|-|-"},
        {"push ax", "6650", "No_OpClass|other|rsp:a rax:d|-|store2(rsp)|-|-"},
        {"pop rbx", "5b", "No_OpClass|other|rsp:a|rbx|load8(rsp)|-|-"},
        {"pop rsp: is written", "5c", "No_OpClass|other|rsp:a|rsp|load8(rsp)|-|-"},
        {"pop [rax]", "8f00", "No_OpClass|other|rsp:a rax:a|-|load8(rsp) store8(rax)|-|-"},
        {"call +0", "e800000000", "IntAlu|direct_call|rsp:a|-|store8(rsp)|-|1005"},
        {"call [rax]", "ff10", "IntAlu|indirect_call|rax:a rsp:a|-|load8(rax) store8(rsp)|-|-"},
        {"ret", "c3", "IntAlu|return|rsp:a|-|load8(rsp)|-|-"},
        {"ret 8", "c20800", "IntAlu|return|rsp:a|-|load8(rsp)|-|-"},
        {"leave: rsp comes of rbp", "c9", "No_OpClass|other|rbp:a|rbp rsp!|load8(rbp)|-|-"},
        {"enter 16, 0", "c8100000", "No_OpClass|other|rsp:a rbp:d|rbp!|store8(rsp)|-|-"},
        {"mov rsp, rbp", "4889ec", "IntAlu|other|rbp:d|rsp|-|-|-"},
        {"sub rsp, 8", "4883ec08", "IntAlu|other|rsp:d|rsp flags|-|-|-"},
        {"pushfq", "9c", "No_OpClass|other|rsp:a flags:d|-|store8(rsp)|-|-"},
        {"popfq", "9d", "No_OpClass|other|rsp:a|flags|load8(rsp)|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "Flags that x86 renames in parts are written and not read; an instruction that may leave all of them reads them" */
static void flags_are_one_register(void **state)
{
    static const struct isa_case cases[] = {
        {"add eax, ecx", "01c8", "IntAlu|other|rax:d rcx:d|rax flags|-|-|-"},
        {"adc eax, ecx", "11c8", "IntAlu|other|rax:d rcx:d flags:d|rax flags|-|-|-"},
        {"inc eax: keeps the carry", "ffc0", "IntAlu|other|rax:d|rax flags|-|-|-"},
        {"shl eax, cl", "d3e0", "IntAlu|other|rax:d rcx:d flags:d|rax flags|-|-|-"},
        {"shl eax, 3", "c1e003", "IntAlu|other|rax:d|rax flags|-|-|-"},
        {"shl eax, 0", "c1e000", "IntAlu|other|rax:d|rax|-|-|-"},
        {"not eax: writes none", "f7d0", "IntAlu|other|rax:d|rax|-|-|-"},
        {"mov eax, 1", "b801000000", "IntAlu|other|-|rax|-|-|-"},
        {"cmc", "f5", "IntAlu|other|flags:d|flags|-|-|-"},
        {"cld: no condition", "fc", "IntAlu|other|-|-|-|-|-"},
        {"ucomisd xmm0, xmm1", "660f2ec1", "FloatCmp|other|xmm0:d xmm1:d|flags|-|-|-"},
        {"jl +2", "7c02", "IntAlu|conditional|flags:d|-|-|-|1004"},
    };

    CHECK_CASES(decoder, cases);
}

/* "All of x87's stack, with its status, is one register, which each of its instructions reads and writes." */
static void x87_is_a_chain(void **state)
{
    static const struct isa_case cases[] = {
        {"fld qword [rax]", "dd00", "No_OpClass|other|rax:a x87:d|x87|load8(rax)|-|-"},
        {"fld1", "d9e8", "FloatMisc|other|x87:d|x87|-|-|-"},
        {"fstp tbyte [rax]", "db38", "No_OpClass|other|rax:a x87:d|x87|store10(rax)|-|-"},
        {"faddp", "dec1", "FloatAdd|other|x87:d|x87|-|-|-"},
        {"fmul st, st(3)", "d8cb", "FloatMult|other|x87:d|x87|-|-|-"},
        {"fdiv st, st(1)", "d8f1", "FloatDiv|other|x87:d|x87|-|-|-"},
        {"fsqrt", "d9fa", "FloatSqrt|other|x87:d|x87|-|-|-"},
        {"fucomi st, st(1)", "dbe9", "FloatCmp|other|x87:d|x87 flags|-|-|-"},
        {"fnstsw ax", "dfe0", "No_OpClass|other|rax:d x87:d|rax x87|-|-|-"},
        {"fldcw [rax]", "d928", "No_OpClass|other|rax:a x87:d|x87|load2(rax)|-|-"},
        {"fwait", "9b", "No_OpClass|other|x87:d|x87|-|-|-"},
        {"emms", "0f77", "No_OpClass|other|x87:d|x87|-|-|-"},
        {"movq mm0, [rax]", "0f6f00", "No_OpClass|other|rax:a x87:d|x87|load8(rax)|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "A place in memory. Both: it is read, then written." "in the order of their accesses", "0: it varies" */
static void operands_are_in_order(void **state)
{
    static const struct isa_case cases[] = {
        {"mov rax, [rbx+rcx*4+8]", "488b448b08", "No_OpClass|other|rbx:a rcx:a|rax|load8(rbx,rcx)|-|-"},
        {"mov [rbx], eax", "8903", "No_OpClass|other|rbx:a rax:d|-|store4(rbx)|-|-"},
        {"mov rax, [rip+16]", "488b0510000000", "No_OpClass|other|-|rax|load8()|-|-"},
        {"mov rax, fs:[0]", "64488b042500000000", "No_OpClass|other|-|rax|load8()|-|-"},
        {"add [rbx], eax", "0103", "IntAlu|other|rbx:a rax:d|flags|loadstore4(rbx)|-|-"},
        {"cmp [rbx], eax", "3903", "IntAlu|other|rbx:a rax:d|flags|load4(rbx)|-|-"},
        {"lea eax, [rax+rcx]: no access", "8d0408", "IntAlu|other|rax:d rcx:d|rax|-|-|-"},
        {"bt [rax], ecx: ecx chooses the word", "0fa308", "IntAlu|other|rax:a rcx:ad|flags|load4(rax,rcx)|-|-"},
        {"xlat", "d7", "No_OpClass|other|rbx:a rax:ad|rax|load1(rbx,rax)|-|-"},
        {"movsb", "a4", "No_OpClass|other|rsi:a rdi:a|rsi! rdi!|load1(rsi) store1(rdi)|-|-"},
        {"vmaskmovps ymm0, ymm1, [rax]", "c4e2752c00", "No_OpClass|other|rax:a xmm1:d|xmm0|load0(rax)|-|-"},
        {"vmovdqu32 [rax]{k2}, zmm0", "62f17e4a7f00", "No_OpClass|other|rax:a k2:d xmm0:d|-|store0(rax)|-|-"},
        {"vaddpd zmm0, zmm0, [rax]{1to8}", "62f1fd585800", "SimdFloatAdd|other|rax:a xmm0:d|xmm0|load8(rax)|-|-"},
        {"vpgatherdd xmm0, [rdx+xmm1], xmm2", "c4e26990040a",
         "No_OpClass|other|rdx:a xmm1:a xmm0:d xmm2:d|xmm0 xmm2|load0(rdx,xmm1)|-|-"},
        {"fxsave [rax]", "0fae00", "No_OpClass|other|rax:a|-|store512(rax)|serialising|-"},
        {"xsave [rax]", "0fae20", "No_OpClass|other|rax:ad rdx:d|-|loadstore0(rax)|serialising|-"},
        {"clflush [rax]: no access", "0fae38", "No_OpClass|other|rax:d|-|-|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "rep: any number of iterations with a load, a store or both each" */
static void strings_repeat(void **state)
{
    static const struct isa_case cases[] = {
        {"rep movsb", "f3a4",
         "No_OpClass|other|rsi:a rcx:a rdi:a|rsi! rdi! rcx!|load1(rsi,rcx) store1(rcx,rdi)|string|-"},
        {"rep stosq", "f348ab", "No_OpClass|other|rdi:a rcx:a rax:d|rdi! rcx!|store8(rdi,rcx)|string|-"},
        {"repe cmpsb", "f3a6",
         "IntAlu|other|rsi:a rcx:ad rdi:a flags:d|rsi rdi rcx flags|load1(rsi,rcx) load1(rcx,rdi)|string|-"},
        {"repne scasb", "f2ae", "IntAlu|other|rdi:a rcx:ad rax:d flags:d|rdi rcx flags|load1(rdi,rcx)|string|-"},
        {"lodsd", "ad", "No_OpClass|other|rsi:a|rsi! rax|load4(rsi)|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "locked": atomic, and a full fence; xchg with memory is locked by itself. "nothing passes it", "its operands are
 * hints" */
static void order_and_hints(void **state)
{
    static const struct isa_case cases[] = {
        {"lock cmpxchg [rdx], rcx", "f0480fb10a",
         "IntAlu|other|rdx:a rcx:d rax:d|rax flags|loadstore8(rdx)|atomic fence-full|-"},
        {"lock add [rax], ecx", "f00108", "IntAlu|other|rax:a rcx:d|flags|loadstore4(rax)|atomic fence-full|-"},
        {"cmpxchg16b [rsi]", "480fc70e",
         "IntAlu|other|rsi:a rdx:d rax:d rcx:d rbx:d|rdx rax flags|loadstore16(rsi)|-|-"},
        {"xchg [rbx], eax", "8703", "No_OpClass|other|rbx:a rax:d|rax|loadstore4(rbx)|atomic fence-full|-"},
        {"xchg ebx, eax", "87c3", "IntAlu|other|rbx:d rax:d|rbx rax|-|-|-"},
        {"mfence", "0faef0", "No_OpClass|other|-|-|-|fence-full|-"},
        {"lfence", "0faee8", "No_OpClass|other|-|-|-|serialising fence-load|-"},
        {"sfence", "0faef8", "No_OpClass|other|-|-|-|fence-store|-"},
        {"cpuid", "0fa2", "No_OpClass|other|rax:d rcx:d|rax rbx rcx rdx|-|serialising|-"},
        {"rdtsc", "0f31", "No_OpClass|other|-|rax rdx|-|-|-"},
        {"rdtscp", "0f01f9", "No_OpClass|other|-|rax rdx rcx|-|serialising|-"},
        {"syscall", "0f05", "No_OpClass|sysenter|-|rcx r11 flags|-|serialising|-"},
        {"int 0x80", "cd80", "No_OpClass|sysenter|-|-|-|serialising|-"},
        {"movntdq [rax], xmm0", "660fe700", "No_OpClass|other|rax:a xmm0:d|-|store16(rax)|streaming|-"},
        {"movnti [rax], ecx", "0fc308", "No_OpClass|other|rax:a rcx:d|-|store4(rax)|streaming|-"},
        {"prefetcht0 [rax]", "0f1808", "No_OpClass|other|rax:a|-|load0(rax)|prefetch|-"},
        {"nop [rax]", "0f1f00", "No_OpClass|other|-|-|-|nop|-"},
        {"endbr64", "f30f1efa", "No_OpClass|other|-|-|-|nop|-"},
        {"pause", "f390", "No_OpClass|other|-|-|-|nop|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "Of a direct branch, `target`" */
static void branches_have_kinds(void **state)
{
    static const struct isa_case cases[] = {
        {"jmp +2", "eb02", "IntAlu|direct_jump|-|-|-|-|1004"},
        {"jmp rax", "ffe0", "IntAlu|indirect_jump|rax:d|-|-|-|-"},
        {"jmp [rax]", "ff20", "IntAlu|indirect_jump|rax:a|-|load8(rax)|-|-"},
        {"call rax", "ffd0", "IntAlu|indirect_call|rsp:a rax:d|-|store8(rsp)|-|-"},
        {"je -16", "74f0", "IntAlu|conditional|flags:d|-|-|-|ff2"},
        {"loop -2", "e2fe", "IntAlu|conditional|rcx:d|rcx|-|-|1000"},
        {"jrcxz +0", "e300", "IntAlu|conditional|rcx:d|-|-|-|1002"},
        {"iretq", "48cf", "No_OpClass|return|rsp:ad|rsp flags|load40(rsp)|serialising|-"},
    };

    CHECK_CASES(decoder, cases);
}

static void classes_follow_operations(void **state)
{
    static const struct isa_case cases[] = {
        {"imul rax, rcx", "480fafc1", "IntMult|other|rax:d rcx:d|rax flags|-|-|-"},
        {"div ecx", "f7f1", "IntDiv|other|rcx:d rax:d rdx:d|rax rdx flags|-|-|-"},
        {"addsd xmm0, xmm1", "f20f58c1", "FloatAdd|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"mulss xmm0, [rax]", "f30f5900", "FloatMult|other|rax:a xmm0:d|xmm0|load4(rax)|-|-"},
        {"divsd xmm0, xmm1", "f20f5ec1", "FloatDiv|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"sqrtsd xmm0, xmm1", "f20f51c1", "FloatSqrt|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"cvttsd2si eax, xmm0", "f20f2cc0", "FloatCvt|other|xmm0:d|rax|-|-|-"},
        {"maxsd xmm0, xmm1", "f20f5fc1", "FloatCmp|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"vfmadd231sd xmm0, xmm1, xmm2", "c4e2f1b9c2", "FloatMultAcc|other|xmm0:d xmm1:d xmm2:d|xmm0|-|-|-"},
        {"addpd xmm0, xmm1", "660f58c1", "SimdFloatAdd|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"divps xmm0, xmm1", "0f5ec1", "SimdFloatDiv|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"sqrtpd xmm0, xmm1", "660f51c1", "SimdFloatSqrt|other|xmm1:d|xmm0|-|-|-"},
        {"mulps xmm0, xmm1", "0f59c1", "SimdFloatMult|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"vfmadd231pd ymm0, ymm1, ymm2", "c4e2f5b8c2", "SimdFloatMultAcc|other|xmm0:d xmm1:d xmm2:d|xmm0|-|-|-"},
        {"paddd xmm0, xmm1", "660ffec1", "SimdAlu|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"pmulld xmm0, xmm1", "660f3840c1", "SimdMult|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"pmaxsd xmm0, xmm1", "660f383dc1", "SimdAlu|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"pshufb xmm0, xmm1", "660f3800c1", "SimdMisc|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"aesenc xmm0, xmm1", "660f38dcc1", "SimdAes|other|xmm0:d xmm1:d|xmm0|-|-|-"},
        {"movdqu xmm0, [rax]", "f30f6f00", "No_OpClass|other|rax:a|xmm0|load16(rax)|-|-"},
        {"vzeroupper", "c5f877", "SimdMisc|other|-|-|-|-|-"},
        {"vzeroall: too many to list", "c5fc77", "SimdMisc|other|-|-|-|serialising|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "False: the bytes are no instruction that is known" */
static void unknown_bytes(void **state)
{
    static const char *const unknown[] = {"06", "0fff", "48", "ff", "c4e2", ""};
    struct isa_decoder *other;
    struct fault error;
    char text[ISA_TEXT_BYTES];

    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        isa_text(decoder, unknown[i], 0, text);
        assert_non_null(strstr(text, "unknown"));
    }
    other = isa_decoder_open(ISA_X86_32, &error);
    assert_non_null(other);
    isa_text(other, "06", 0, text);
    assert_null(strstr(text, "unknown"));
    isa_text(other, "ff30", 0, text);
    assert_non_null(strstr(text, "load4(rax) store4(rsp)"));
    isa_text(other, "ebf0", 0, text);
    assert_non_null(strstr(text, "fffffff2"));
    isa_decoder_close(other);
}

static void names(void **state)
{
    assert_string_equal(isa_register_name(ISA_X86_64, 1), "rax");
    assert_string_equal(isa_register_name(ISA_X86_64, 16), "r15");
    assert_string_equal(isa_register_name(ISA_X86_64, 17), "flags");
    assert_string_equal(isa_register_name(ISA_X86_64, 49), "xmm31");
    assert_string_equal(isa_register_name(ISA_X86_64, 57), "k7");
    assert_string_equal(isa_register_name(ISA_X86_64, 58), "x87");
    assert_null(isa_register_name(ISA_X86_64, 0));
    assert_null(isa_register_name(ISA_X86_64, 67));
    assert_null(isa_register_name(ISA_X86_64, 1000));
}

static void needs_the_library(void **state)
{
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_read), cmocka_unit_test(idioms_read_nothing),
        cmocka_unit_test(stack_pointer_is_renamed_away), cmocka_unit_test(flags_are_one_register),
        cmocka_unit_test(x87_is_a_chain), cmocka_unit_test(operands_are_in_order), cmocka_unit_test(strings_repeat),
        cmocka_unit_test(order_and_hints), cmocka_unit_test(branches_have_kinds),
        cmocka_unit_test(classes_follow_operations), cmocka_unit_test(unknown_bytes), cmocka_unit_test(names)};
    const struct CMUnitTest without[] = {cmocka_unit_test(needs_the_library), cmocka_unit_test(names)};

    open_decoder(NULL);
    if (!decoder)
        return cmocka_run_group_tests_name("decoder of x86, without its library", without, NULL, NULL);
    return cmocka_run_group_tests_name("decoder of x86", tests, NULL, close_decoder);
}
