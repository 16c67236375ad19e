/* proto/capture/assemble.h: from hand-made words of lanes to instructions and accesses, rule by rule of the top of
 * assemble.c. Most of A64, whose decoder is always there; what only x86 has is skipped without its decoder. */
#include "tests/support/capture_rings.h"

#define LDR "200040f9"                   /* ldr x0, [x1] */
#define STR "200000f9"                   /* str x0, [x1] */
#define ADD "00040091"                   /* add x0, x0, #1 */
#define LDR_Q "2000c03d"                 /* ldr q0, [x1] */
#define LDP_Q "4004c1ac"                 /* ldp q0, q1, [x2], #32 */
#define LDADD "410020b8"                 /* ldadd w0, w1, [x2] */
#define STLXR "20fc02c8"                 /* stlxr w2, x0, [x1] */
#define CBZ "410000b4"                   /* cbz x1, .+8 */
#define JUMP "00000014"                  /* b . */
#define RET "c0035fd6"
#define SVC "010000d4"
#define ZVA "20740bd5"                   /* dc zva, x0 */
#define PRFM "000080f9"

#define TELL(rings, number, ...)                                                                                      \
    rings_tell(rings, number, (const struct ring_insn[]){__VA_ARGS__},                                                \
               COUNT(((const struct ring_insn[]){__VA_ARGS__})))
#define SAY(rings, lane, ...)                                                                                         \
    do {                                                                                                              \
        const uint64_t said_[] = {__VA_ARGS__};                                                                       \
        for (size_t i_ = 0; i_ < COUNT(said_); i_++)                                                                  \
            rings_say(rings, lane, said_[i_]);                                                                        \
    } while (0)

static struct rings *open_rings(enum isa isa)
{
    struct rings *const rings = rings_open(isa, NULL);

    if (rings == NULL)
        skip();
    rings_start(rings, 0, 1, 0);
    return rings;
}

/* The output after the thread's start; frees the rings. */
static void expect(struct rings *rings, const char *text)
{
    static const char start[] = "#thread_start 0\n";

    assert_int_equal(strncmp(rings->text, start, sizeof start - 1), 0);
    assert_string_equal(rings->text + sizeof start - 1, text);
    rings_free(rings);
}

static void blocks_and_branches(void **state)
{
    struct rings *const rings = open_rings(ISA_A64);

    TELL(rings, 1, {0x1000, LDR, false}, {0x1004, ADD, false}, {0x1008, CBZ, false});
    TELL(rings, 2, {0x1010, STR, false}, {0x1014, RET, false});
    TELL(rings, 3, {0x100c, ADD, false}, {0x1010, STR, false}, {0x1014, RET, false});
    SAY(rings, 0, said_block(1), said_load(0, 8, 0x20000), said_block(2), said_store(0, 8, 0x20008), said_block(1),
        capture_word(CAPTURE_HIGH, 0, 0xffff), said_load(0, 8, 0x30000), said_block(3), said_store(1, 8, 0x20010),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->instructions, 11);
    assert_int_equal(rings_counts(rings)->loads, 2);
    assert_int_equal(rings_counts(rings)->stores, 2);
    assert_int_equal(rings_counts(rings)->jumps, 0);
    assert_int_equal(rings_counts(rings)->unseen_loads + rings_counts(rings)->unseen_stores, 0);
    expect(rings, "1000 L20000:8\n1004\n1008 >1010\n1010 S20008:8\n1014 >1000\n"
           "1000 Lffff000000030000:8\n1004\n1008 -\n100c\n1010 S20010:8\n1014 >\n#thread_end 0\n");
}

static void a_block_cut_by_a_fault(void **state)
{
    struct rings *rings = open_rings(ISA_A64);

    /* Nothing follows the second load, which must have accessed memory: it trapped. */
    TELL(rings, 1, {0x1000, LDR, false}, {0x1004, ADD, false}, {0x1008, LDR, false}, {0x100c, ADD, false},
         {0x1010, RET, false});
    SAY(rings, 0, said_block(1), said_load(0, 8, 0x20000));
    rings_close_lane(rings, 0);
    assert_int_equal(rings_counts(rings)->instructions, 2);
    assert_int_equal(rings_counts(rings)->cuts, 1);
    assert_int_equal(assemble_last(rings->assembler, 0)->pc, 0x1008);
    expect(rings, "1000 L20000:8\n1004\n#signal 1008\n#thread_end 0\n");

    /* The host starts the same instruction anew: it was cut off the block and is executed once. */
    rings = open_rings(ISA_A64);
    TELL(rings, 1, {0x1000, LDR, false}, {0x1004, ADD, false}, {0x1008, LDR, false}, {0x100c, RET, false});
    TELL(rings, 2, {0x1008, LDR, false}, {0x100c, RET, false});
    SAY(rings, 0, said_block(1), said_load(0, 8, 0x20000), said_block(2), said_load(0, 8, 0x20008),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->cuts, 0);
    expect(rings, "1000 L20000:8\n1004\n1008 L20008:8\n100c >\n#thread_end 0\n");

    /* A handler begins: the store trapped, and what follows was not executed. */
    rings = open_rings(ISA_A64);
    TELL(rings, 1, {0x1000, ADD, false}, {0x1004, STR, false}, {0x1008, ADD, false}, {0x100c, RET, false});
    TELL(rings, 2, {0x5000, ADD, false}, {0x5004, RET, false});
    SAY(rings, 0, capture_word(CAPTURE_HANDLER, 0, 0x5000), said_block(1), said_block(2),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->cuts, 1);
    assert_int_equal(rings_counts(rings)->signals, 1);
    expect(rings, "1000\n#signal 1004\n5000\n5004 >\n#thread_end 0\n");

    /* Without a reason to think that it trapped, it was executed and not reported. */
    rings = open_rings(ISA_A64);
    TELL(rings, 1, {0x1000, STR, false}, {0x1004, RET, false});
    TELL(rings, 2, {0x3000, RET, false});
    SAY(rings, 0, said_block(1), said_block(2), capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->unseen_stores, 1);
    expect(rings, "1000\n1004 >3000\n3000 >\n#thread_end 0\n");
}

static void a_signal_between_blocks(void **state)
{
    struct rings *const rings = open_rings(ISA_A64);

    TELL(rings, 1, {0x1000, ADD, false}, {0x1004, CBZ, false});
    TELL(rings, 2, {0x5000, RET, false});
    TELL(rings, 3, {0x7000, RET, false});
    SAY(rings, 0, capture_word(CAPTURE_HANDLER, 0, 0x5000), said_block(1), said_block(2), said_block(1), said_block(3),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->signals, 1);
    assert_int_equal(rings_counts(rings)->jumps, 1);
    /* A conditional branch that leads to neither is no branch that was taken. */
    expect(rings, "1000\n1004\n#signal 1008\n5000 >1000\n1000\n1004\n#signal 1008\n7000 >\n#thread_end 0\n");
}

static void a_block_one_instruction_too_long(void **state)
{
    struct rings *rings = open_rings(ISA_A64);

    TELL(rings, 1, {0x1ff8, ADD, false}, {0x1ffc, ADD, true});
    TELL(rings, 2, {0x1ffc, ADD, false}, {0x2000, RET, false});
    SAY(rings, 0, said_block(1), said_block(2), capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    expect(rings, "1ff8\n1ffc\n2000 >\n#thread_end 0\n");

    /* The same, and it is said to have begun. */
    rings = open_rings(ISA_A64);
    TELL(rings, 1, {0x1ff8, ADD, false}, {0x1ffc, ADD, true});
    TELL(rings, 2, {0x2000, RET, false});
    SAY(rings, 0, said_block(1), said_begun(1), said_block(2), capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->instructions, 3);
    expect(rings, "1ff8\n1ffc\n2000 >\n#thread_end 0\n");

    /* The first of a block is never in doubt: there would be nothing left. */
    rings = open_rings(ISA_A64);
    TELL(rings, 1, {0x1ffc, RET, true});
    SAY(rings, 0, said_block(1), said_block(1), capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    expect(rings, "1ffc >1ffc\n1ffc >\n#thread_end 0\n");
}

static void code_at_address_0(void **state)
{
    struct rings *const rings = open_rings(ISA_A64);

    TELL(rings, 1, {0x1000, ADD, false}, {0x1004, RET, false});
    TELL(rings, 2, {0, RET, false});
    SAY(rings, 0, said_block(1), said_block(2), said_block(1), capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    expect(rings, "1000\n1004 >0\n0 >1000\n1000\n1004 >\n#thread_end 0\n");
}

static void pieces_are_merged(void **state)
{
    struct rings *const rings = open_rings(ISA_A64);

    TELL(rings, 1, {0x1000, LDR_Q, false}, {0x1004, LDP_Q, false}, {0x1008, LDR_Q, false}, {0x100c, JUMP, false});
    SAY(rings, 0, said_block(1), said_load(0, 8, 0x20000), said_load(0, 8, 0x20008),
        said_load(1, 8, 0x30000), said_load(1, 8, 0x30008), said_load(1, 8, 0x30010), said_load(1, 8, 0x30018),
        said_load(2, 8, 0x40000), said_load(2, 8, 0x50000), capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->loads, 4);
    /* What does not touch stays apart. */
    expect(rings, "1000 L20000:16\n1004 L30000:32\n1008 L40000:8 L50000:8\n100c >100c\n#thread_end 0\n");
}

static void wide_vectors_are_merged(void **state)
{
    struct rings *const rings = open_rings(ISA_X86_64);

    /* vmovdqu ymm0, [rax]; vmovdqu [rbx], ymm0; movups xmm0, [rax]; ret */
    TELL(rings, 1, {0x1000, "c5fe6f00", false}, {0x1004, "c5fe7f03", false}, {0x1008, "0f1000", false},
         {0x100b, "c3", false});
    SAY(rings, 0, said_block(1), said_load(0, 8, 0x20000), said_load(0, 8, 0x20008), said_load(0, 8, 0x20010),
        said_load(0, 8, 0x20018), said_store(1, 8, 0x30000), said_store(1, 8, 0x30008), said_store(1, 8, 0x30010),
        said_store(1, 8, 0x30018), said_load(2, 8, 0x40001), said_load(2, 8, 0x40009), said_load(3, 8, 0x7000),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    expect(rings, "1000 L20000:32\n1004 S30000:32\n1008 L40001:16\n100b > L7000:8\n#thread_end 0\n");
}

static void locked_operations(void **state)
{
    struct rings *rings = open_rings(ISA_A64);

    /* Once there are threads, the host reports the store alone; before, both. */
    TELL(rings, 1, {0x1000, LDADD, false}, {0x1004, LDADD, false}, {0x1008, JUMP, false});
    SAY(rings, 0, said_block(1), said_store(0, 4, 0x20000), said_load(1, 4, 0x20000), said_store(1, 4, 0x20000),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->unseen_loads, 0);
    expect(rings, "1000 L20000:4 S20000:4\n1004 L20000:4 S20000:4\n1008 >1008\n#thread_end 0\n");

    /* An exclusive store has no load; one that fails early has nothing, and ends no block. */
    rings = open_rings(ISA_A64);
    TELL(rings, 1, {0x1000, STLXR, false}, {0x1004, STLXR, false}, {0x1008, JUMP, false});
    SAY(rings, 0, said_block(1), said_load(0, 8, 0x20000), said_store(0, 8, 0x20000),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->cuts + rings_counts(rings)->unseen_stores, 0);
    expect(rings, "1000 S20000:8\n1004\n1008 >1008\n#thread_end 0\n");

    rings = open_rings(ISA_X86_64);
    /* lock add [rax], ecx; lock cmpxchg16b [rdi], in two pieces; jmp . */
    TELL(rings, 1, {0x1000, "f00108", false}, {0x1003, "f0480fc70f", false}, {0x1008, "ebfe", false});
    SAY(rings, 0, said_block(1), said_store(0, 4, 0x20000), said_store(1, 8, 0x30000), said_store(1, 8, 0x30008),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    expect(rings, "1000 L20000:4 S20000:4\n1003 L30000:16 S30000:16\n1008 >1008\n#thread_end 0\n");
}

/* An event for each iteration: one execution and repeats; an iteration that ends the loop without an access is none. */
static void iterations_of_strings(void **state)
{
    struct rings *const rings = open_rings(ISA_X86_64);

    /* rep movsb is a block of its own each time, then ret. */
    TELL(rings, 1, {0x1000, "f3a4", false});
    TELL(rings, 2, {0x1002, "c3", false});
    SAY(rings, 0, said_block(1), said_load(0, 1, 0x20000), said_store(0, 1, 0x30000),
        said_block(1), said_load(0, 1, 0x20001), said_store(0, 1, 0x30001),
        said_block(1), said_load(0, 1, 0x20002), said_store(0, 1, 0x30002),
        said_block(1), said_block(2), said_load(0, 8, 0x7000),
        said_block(1), said_block(2), said_load(0, 8, 0x7000), capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->instructions, 4);
    assert_int_equal(rings_counts(rings)->repeats, 2);
    assert_int_equal(rings_counts(rings)->jumps, 0);
    expect(rings, "1000 L20000:1 S30000:1\n1000 again L20001:1 S30001:1\n1000 again L20002:1 S30002:1\n"
           "1002 >1000 L7000:8\n1000\n1002 > L7000:8\n#thread_end 0\n");
}

static void a_division_that_traps(void **state)
{
    struct rings *const rings = open_rings(ISA_X86_64);

    /* div ecx; nop; ret: what follows the division is said to begin, if it does. */
    TELL(rings, 1, {0x1000, "f7f1", false}, {0x1002, "90", false}, {0x1003, "c3", false});
    SAY(rings, 0, said_block(1), said_begun(1), said_load(2, 8, 0x7000), said_block(1));
    rings_close_lane(rings, 0);
    assert_int_equal(rings_counts(rings)->cuts, 1);
    expect(rings, "1000\n1002\n1003 >1000 L7000:8\n#signal 1000\n#thread_end 0\n");
}

/* Bits of an instruction with an 8-byte access whose address is not sent. */
static uint64_t derived(unsigned ways, unsigned from, uint64_t by)
{
    return CAPTURE_DERIVED | ways | 3ull << CAPTURE_DERIVED_SIZE_SHIFT |
        (uint64_t)from << CAPTURE_DERIVED_FROM_SHIFT | by << CAPTURE_DERIVED_BY_SHIFT;
}

/* A load; a load behind it, a store beside the code, an update before the load, none of them sent; ret. A handler. */
static struct rings *tell_derived(bool has_runs)
{
    struct rings *const rings = rings_open_for(ISA_X86_64, NULL, has_runs);

    if (rings == NULL)
        skip();
    rings_start(rings, 0, 1, 0);
    rings->derived[1] = derived(CAPTURE_DERIVED_LOADS, 0, 8);
    rings->derived[2] = derived(CAPTURE_DERIVED_STORES, 0, 0x17) | CAPTURE_DERIVED_PC;
    rings->derived[3] = derived(CAPTURE_DERIVED_LOADS | CAPTURE_DERIVED_STORES, 0, 0xfffffff8);
    TELL(rings, 1, {0x1000, "488b03", false}, {0x1003, "488b4b08", false}, {0x1007, "48890510000000", false},
         {0x100e, "488343f801", false}, {0x1013, "c3", false});
    memset(rings->derived, 0, sizeof rings->derived);
    TELL(rings, 2, {0x5000, "90", false}, {0x5001, "c3", false});
    SAY(rings, 0, capture_word(CAPTURE_HANDLER, 0, 0x5000), said_block(1), said_load(0, 8, 0x20ff8));
    return rings;
}

static void accesses_that_follow_from_others(void **state)
{
    const struct { uint64_t fault; const char *text; uint32_t followed; } cases[] = {
        {capture_word(CAPTURE_FAULT, 0, 0x21000), "1000 L20ff8:8\n#signal 1003\n", 0},
        {capture_word(CAPTURE_FAULT, 0, 0x21007), "1000 L20ff8:8\n#signal 1003\n", 0},
        {capture_word(CAPTURE_FAULT, 1, 0x101e), "1000 L20ff8:8\n1003 L21000:8\n#signal 1007\n", 1},
        {capture_word(CAPTURE_FAULT, 1, 0x20ff0),
         "1000 L20ff8:8\n1003 L21000:8\n1007 S101e:8\n#signal 100e\n", 2},
        /* Address of none of them: the fault is at the sent access, which is missing. */
        {capture_word(CAPTURE_FAULT, 1, 0x21000),
         "1000 L20ff8:8\n1003 L21000:8\n1007 S101e:8\n100e L20ff0:8 S20ff0:8\n#signal 1013\n", 4},
    };
    char text[256];

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rings *const rings = tell_derived(false);

        SAY(rings, 0, cases[i].fault, said_block(2), said_load(1, 8, 0x7000), capture_word(CAPTURE_THREAD_END, 0, 0));
        rings_read(rings, 0, 3);
        assert_int_equal(rings_counts(rings)->cuts, 1);
        assert_int_equal(rings->followed, cases[i].followed);
        snprintf(text, sizeof text, "%s5000\n5001 > L7000:8\n#thread_end 0\n", cases[i].text);
        expect(rings, text);
    }

    /* It trapped, and was done all the same. */
    struct rings *const rings = tell_derived(false);

    SAY(rings, 0, cases[2].fault, said_load(4, 8, 0x7000), said_block(2), said_load(1, 8, 0x7008),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, 3);
    assert_int_equal(rings_counts(rings)->cuts, 0);
    assert_int_equal(rings_counts(rings)->unseen_loads + rings_counts(rings)->unseen_stores, 0);
    expect(rings, "1000 L20ff8:8\n1003 L21000:8\n1007 S101e:8\n100e L20ff0:8 S20ff0:8\n1013 > L7000:8\n#signal 0\n"
           "5000\n5001 > L7008:8\n#thread_end 0\n");
}

/* As runs they have only the sent addresses. */
static void accesses_that_follow_from_others_in_runs(void **state)
{
    static const uint64_t addresses[] = {0x28ff8, 0x7008, 0x30ff8, 0x7010};
    struct rings *const rings = tell_derived(true);

    SAY(rings, 0, said_load(4, 8, 0x7000), said_block(1), said_load(0, 8, 0x28ff8), said_load(4, 8, 0x7008),
        said_block(1), said_load(0, 8, 0x30ff8), said_load(4, 8, 0x7010), said_block(1));
    rings_close_lane(rings, 0);
    assert_int_equal(rings->put_as_runs, 2);
    assert_int_equal(rings->followed, 3 * 4);
    assert_memory_equal(rings->addresses, addresses, sizeof addresses);
    assert_int_equal(rings_counts(rings)->loads, 3 * 4);
    assert_int_equal(rings_counts(rings)->stores, 3 * 2);
    rings_free(rings);
}

/* A load; a prefetch and a load of the same place behind it, at which the load traps: prefetches do not. ldr x0, [x1];
 * prfm pldl1keep, [x1, #64]; b 1000. */
static void prefetches_with_addresses(void **state)
{
    struct rings *rings = open_rings(ISA_X86_64);

    rings->derived[1] = rings->derived[2] = derived(CAPTURE_DERIVED_LOADS, 0, 8);
    TELL(rings, 1, {0x1000, "488b03", false}, {0x1003, "0f184b08", false}, {0x1007, "488b4b08", false},
         {0x100b, "c3", false});
    memset(rings->derived, 0, sizeof rings->derived);
    TELL(rings, 2, {0x5000, "90", false}, {0x5001, "c3", false});
    SAY(rings, 0, capture_word(CAPTURE_HANDLER, 0, 0x5000), said_block(1), said_load(0, 8, 0x20ff8),
        capture_word(CAPTURE_FAULT, 0, 0x21000), said_block(2), said_load(1, 8, 0x7000));
    rings_close_lane(rings, 0);
    assert_int_equal(rings_counts(rings)->prefetches_known, 1);
    expect(rings, "1000 L20ff8:8\n1003 L21000:8\n#signal 1007\n5000\n5001 > L7000:8\n#thread_end 0\n");
    rings = open_rings(ISA_A64);
    TELL(rings, 1, {0x1000, "200040f9", false}, {0x1004, "202080f9", false}, {0x1008, "feffff17", false});
    SAY(rings, 0, said_block(1), said_load(0, 8, 0x20000), said_block(1), said_load(0, 8, 0x30000));
    rings_close_lane(rings, 0);
    expect(rings, "1000 L20000:8\n1004 L20040:1\n1008 >1000\n1000 L30000:8\n1004 L30040:1\n1008 >1000\n"
           "#thread_end 0\n");
}

static void threads_follow_each_other_in_a_lane(void **state)
{
    struct rings *const rings = open_rings(ISA_A64);

    TELL(rings, 1, {0x1000, ADD, false}, {0x1004, SVC, false});
    TELL(rings, 2, {0x1008, LDR, false}, {0x100c, JUMP, false});
    SAY(rings, 0, said_block(1), capture_word(CAPTURE_SYSCALL, 0, 220), 1, 2, 3, 4, 5, 6,
        capture_word(CAPTURE_CREATE, 0, 2), capture_word(CAPTURE_SYSCALL_END, 0, 220), 77);
    rings_start(rings, 1, 2, 1);
    /* The virtual CPU of thread 2 is reused by thread 3. */
    SAY(rings, 1, said_block(2), capture_word(CAPTURE_STAMP, 0, 9), said_load(0, 8, 0x20000),
        capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_start(rings, 1, 3, 1);
    SAY(rings, 1, said_block(2), said_load(0, 8, 0x20008), capture_word(CAPTURE_THREAD_END, 0, 0));
    SAY(rings, 0, said_block(2), said_load(0, 8, 0x20010));
    rings_read(rings, 0, 8);
    rings_read(rings, 1, 2);
    rings_close_lane(rings, 1);
    rings_close_lane(rings, 0);
    assert_int_equal(rings->thread_count, 3);
    assert_int_equal(rings_counts(rings)->syscalls, 1);
    expect(rings, "1000\n1004\n#syscall dc\n#create 2\n#syscall_end 4d\n"
           "2:#thread_start 1\n2:1008 L20000:8\n2:#stamp 9\n2:100c >100c\n2:#thread_end 0\n"
           "3:#thread_start 1\n3:1008 L20008:8\n3:100c >100c\n3:#thread_end 0\n"
           "1008 L20010:8\n100c >100c\n#thread_end 0\n");
}

/* The words of an event may lie on both sides of the ring's end, and of a piece's. */
static void the_ring_wraps(void **state)
{
    for (uint64_t before = 1; before < 12; before++) {
        struct rings *const rings = rings_open(ISA_A64, NULL);

        rings->at[0] = rings->said[0] = 5 * (uint64_t)CAPTURE_LANE_WORDS - before;
        rings_start(rings, 0, 1, 0);
        TELL(rings, 1, {0x1000, LDR, false}, {0x1004, SVC, false});
        TELL(rings, 2, {0x1008, JUMP, false});
        SAY(rings, 0, said_block(1), said_load(0, 8, 0x20000), capture_word(CAPTURE_SYSCALL, 0, 64), 1, 2, 3, 4, 5, 6,
            capture_word(CAPTURE_SYSCALL_END, 0, 64), 77, said_block(2));
        rings_close_lane(rings, 0);
        assert_int_equal(rings_counts(rings)->kernel_bytes, 77);
        expect(rings, "1000 L20000:8\n1004\n#syscall 40\n#syscall_end 4d\n1008 >1008\n#thread_end 0\n");
    }
    {
        /* Of an event that is not yet whole, nothing is taken. */
        struct rings *const rings = open_rings(ISA_A64);
        struct fault error = fault_none();

        SAY(rings, 0, capture_word(CAPTURE_SYSCALL, 0, 64), 1, 2, 3);
        assert_int_equal(assemble_read(rings->assembler, 0, rings->lanes[0], 0, rings->said[0], &error), 2);
        assert_fine(error);
        rings_free(rings);
    }
}

static void unseen_blocks_are_counted(void **state)
{
    struct rings *const rings = open_rings(ISA_A64);

    TELL(rings, 1, {0x1000, ZVA, false}, {0x1004, PRFM, false}, {0x1008, "00000000", false}, {0x100c, JUMP, false});
    SAY(rings, 0, said_block(1), said_block(77), said_load(0, 8, 0x20000), capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->unknown_blocks, 1);
    rings_free(rings);

    struct rings *const whole = open_rings(ISA_A64);

    TELL(whole, 1, {0x1000, ZVA, false}, {0x1004, PRFM, false}, {0x1008, JUMP, false});
    SAY(whole, 0, said_block(1), said_block(1), capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(whole, 0, UINT64_MAX);
    assert_int_equal(rings_counts(whole)->zeroings, 2);
    assert_int_equal(rings_counts(whole)->prefetches, 2);
    assert_int_equal(rings_counts(whole)->unseen_stores + rings_counts(whole)->cuts, 0);
    rings_free(whole);
}

/* glibc's memset: pairs of stores give the register's value, additions move it. */
static void zeroing_is_inferred(void **state)
{
    static const struct { const char *before, *between; bool is_known; } cases[] = {
        {"200000ad", "1f2003d5", true},          /* stp q0, q0, [x1] */
        {"20000039", "1f2003d5", true},          /* strb w0, [x1] */
        {"208c1ff8", "1f2003d5", true},          /* str x0, [x1, #-8]! : x1 is the address */
        {"20841ff8", "1f2003d5", true},          /* str x0, [x1], #-8 */
        {"200080f9", "1f2003d5", false},         /* prfm: no access is sent */
        {"200000f9", "e10302aa", false},         /* str; mov x1, x2 */
        {"210040f9", "1f2003d5", false},         /* ldr x1, [x1] */
        {"200000f9", "210002cb", false},         /* str; sub x1, x1, x2 */
        {"200000f9", "ffffffff", false}          /* str; what cannot be decoded */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rings *const rings = open_rings(ISA_A64);
        char text[200];

        rings->code.zeroed_bytes = 64;
        /* before; between; add x3, x1, #64; dc zva, x3 */
        rings_tell(rings, 1, (const struct ring_insn[]){{0x1000, cases[i].before, false},
                   {0x1004, cases[i].between, false}, {0x1008, "23000191", false}, {0x100c, "23740bd5", false},
                   {0x1010, JUMP, false}}, 5);
        SAY(rings, 0, said_block(1));
        if (i != 4)
            SAY(rings, 0, i == 6 ? said_load(0, 8, 0x20010) : said_store(0, 8, 0x20010));
        SAY(rings, 0, capture_word(CAPTURE_THREAD_END, 0, 0));
        /* The unknown instruction does not end its block here. */
        rings_read(rings, 0, UINT64_MAX);
        assert_int_equal(rings_counts(rings)->zeroed, cases[i].is_known);
        assert_int_equal(rings_counts(rings)->zeroings, !cases[i].is_known);
        snprintf(text, sizeof text, "1000 %s\n1004\n1008\n100c%s\n1010 >1010\n#thread_end 0\n",
                 i == 4 ? "" : i == 6 ? "L20010:8" : "S20010:8", cases[i].is_known ? " S20040:64" : "");
        if (i != 4)
            expect(rings, text);
        else
            rings_free(rings);
    }
}

/* The access that tells where is in a block that goes as it went before. */
static void zeroing_after_repeats(void **state)
{
    enum { TIMES = 40 };
    struct rings *const rings = rings_open_for(ISA_A64, NULL, true);

    (void)state;
    assert_non_null(rings);
    rings_start(rings, 0, 1, 0);
    rings->code.zeroed_bytes = 64;
    /* stp q0, q0, [x3, #32]; mov x5, x3; nop; dc zva, x5; b 1000 */
    TELL(rings, 1, {0x1000, "600001ad", false}, {0x1004, "e50303aa", false});
    TELL(rings, 2, {0x1008, "1f2003d5", false});
    TELL(rings, 3, {0x100c, "25740bd5", false}, {0x1010, "fcffff17", false});
    for (uint64_t i = 0; i < TIMES; i++)
        SAY(rings, 0, said_block(1), said_store(0, 16, 0x20020 + i * 64), said_store(0, 16, 0x20030 + i * 64),
            said_block(2), said_block(3));
    rings_close_lane(rings, 0);
    assert_true(rings->put_as_runs >= TIMES);
    assert_int_equal(rings_counts(rings)->instructions, TIMES * 5);
    assert_int_equal(rings_counts(rings)->zeroed, TIMES);
    assert_int_equal(rings_counts(rings)->zeroings, 0);
    /* Of those that no run has, the last one's place. */
    assert_non_null(strstr(rings->text, "100c S209c0:64\n"));
    rings_free(rings);
}

static void zeroing_in_a_loop(void **state)
{
    struct rings *rings = open_rings(ISA_A64);

    rings->code.zeroed_bytes = 64;
    /* stp q0, q0, [x3, #32]; sub x3, x3, #0; dc zva, x3; add x3, x3, #64; b.hi 1008 */
    TELL(rings, 1, {0x1000, "600001ad", false}, {0x1004, "630000d1", false}, {0x1008, "23740bd5", false},
         {0x100c, "63000191", false}, {0x1010, "c8ffff54", false});
    TELL(rings, 2, {0x1008, "23740bd5", false}, {0x100c, "63000191", false}, {0x1010, "c8ffff54", false});
    TELL(rings, 3, {0x1014, SVC, false});
    SAY(rings, 0, said_block(1), said_store(0, 8, 0x20020), said_store(0, 8, 0x20028), said_store(0, 8, 0x20030),
        said_store(0, 8, 0x20038), said_block(2), said_block(2), said_block(3), capture_word(CAPTURE_SYSCALL, 0, 64),
        0, 0, 0, 0, 0, 0, capture_word(CAPTURE_SYSCALL_END, 0, 64), 0, said_block(2));
    rings_close_lane(rings, 0);
    assert_int_equal(rings_counts(rings)->zeroed, 3);
    assert_int_equal(rings_counts(rings)->zeroings, 1);
    assert_int_equal(rings_counts(rings)->stores, 4);
    /* What the system call changed is not known. */
    expect(rings, "1000 S20020:32\n1004\n1008 S20000:64\n100c\n1010 >1008\n1008 S20040:64\n100c\n1010 >1008\n"
           "1008 S20080:64\n100c\n1010 -\n1014\n#syscall 40\n#syscall_end 0\n1008\n100c\n1010\n#thread_end 0\n");
}

static void more_accesses_than_fit(void **state)
{
    struct rings *const rings = open_rings(ISA_A64);

    TELL(rings, 1, {0x1000, LDADD, false}, {0x1004, JUMP, false});
    SAY(rings, 0, said_block(1));
    for (uint64_t i = 0; i < 1500; i++)
        rings_say(rings, 0, said_store(0, 4, 0x20000 + 64 * i));
    SAY(rings, 0, capture_word(CAPTURE_THREAD_END, 0, 0));
    rings_read(rings, 0, UINT64_MAX);
    assert_int_equal(rings_counts(rings)->dropped, 1500 - 1024);
    assert_int_equal(rings_counts(rings)->loads, 1024);
    assert_int_equal(rings_counts(rings)->stores, 1024);
    rings_free(rings);
}

static void regions(void **state)
{
    const struct assemble_region counts = {.from_count = 2, .to_count = 5, .at_most = UINT64_MAX};
    const struct assemble_region pcs = {.from_pc = true, .to_pc = true, .to_count = UINT64_MAX, .at_most = UINT64_MAX};
    struct rings *rings = rings_open(ISA_A64, &counts);

    rings_start(rings, 0, 1, 0);
    TELL(rings, 1, {0x1000, ADD, false}, {0x1004, LDR, false}, {0x1008, CBZ, false});
    for (unsigned i = 0; i < 3; i++)
        SAY(rings, 0, said_block(1), said_load(1, 8, 0x20000));
    rings_close_lane(rings, 0);
    assert_true(assemble_is_done(rings->assembler));
    assert_int_equal(rings_counts(rings)->skipped, 6);
    assert_string_equal(rings->text, "#thread_start 0\n#region_begin 1\n1008\n#signal 100c\n1000\n1004 L20000:8\n"
                        "#region_end 1\n");
    rings_free(rings);

    rings = rings_open(ISA_A64, &pcs);
    rings->code.from_pc = 0x1004;
    rings->code.to_pc = 0x1008;
    rings_start(rings, 0, 1, 0);
    TELL(rings, 1, {0x1000, ADD, false}, {0x1004, LDR, false}, {0x1008, JUMP, false});
    SAY(rings, 0, said_block(1), said_load(1, 8, 0x20000));
    rings_close_lane(rings, 0);
    assert_string_equal(rings->text, "#thread_start 0\n#region_begin 1\n1004 L20000:8\n#region_end 1\n");
    rings_free(rings);
}

/* assemble.h: assemble_start_lead */
static void memory_at_the_start_of_a_region(void **state)
{
    const struct assemble_region counts = {.from_count = 4, .to_count = UINT64_MAX, .at_most = UINT64_MAX};

    for (unsigned told = 0; told < 3; told++) {
        struct rings *const rings = rings_open(ISA_A64, &counts);

        rings_start(rings, 0, 1, 0);
        TELL(rings, 1, {0x1000, ADD, false}, {0x1004, LDR, false}, {0x1008, CBZ, false});
        for (unsigned i = 0; i < 3; i++) {
            if (i == told)
                SAY(rings, 0, capture_word(CAPTURE_START_IS, 0, 0));
            SAY(rings, 0, said_block(1), said_load(1, 8, 0x20000));
        }
        rings_close_lane(rings, 0);
        assert_int_equal(assemble_start_lead(rings->assembler), told == 1 ? 1 : UINT64_MAX);
        rings_free(rings);
    }
}

static void invalid_words(void **state)
{
    static const struct { uint64_t word; const char *said; } cases[] = {
        {0, "a word that is not known (0000000000000000)"},
        {0x7f00000000000001ull, "a word that is not known (7f00000000000001)"},
        {CAPTURE_FIRST | 1ull << CAPTURE_FIRST_SHIFT, "a word that is not known (8000800000000000)"},
        {(uint64_t)CAPTURE_LOAD << CAPTURE_KIND_SHIFT | 511ull << CAPTURE_FIELD_SHIFT,
         "instruction 511 of a block of 2"}
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rings *const rings = open_rings(ISA_A64);
        struct fault error = fault_none();
        const uint64_t before = rings->said[0] + 1;

        TELL(rings, 1, {0x1000, ADD, false}, {0x1004, JUMP, false});
        SAY(rings, 0, said_block(1), cases[i].word, said_block(1));
        assert_int_equal(assemble_read(rings->assembler, 0, rings->lanes[0], 0, rings->said[0], &error), before);
        assert_int_equal(error.kind, FAULT_INPUT);
        assert_text(fault_text(error), cases[i].said);
        assert_text(fault_text(error), "plugin and command must be of one build");
        rings_free(rings);
    }
}

/* The blocks of a loop, sent with or without their first accesses. */
static void say_loop(struct rings *rings, unsigned times, bool with_first)
{
    TELL(rings, 1, {0x1000, ADD, false}, {0x1004, LDR_Q, false}, {0x1008, STR, false}, {0x100c, CBZ, false});
    TELL(rings, 2, {0x1010, ADD, false}, {0x1014, CBZ, false});
    TELL(rings, 3, {0x1014, STR, false}, {0x1018, "faffff17", false});      /* b 1000 */
    rings_start(rings, 0, 1, 0);
    if (with_first)
        SAY(rings, 0, said_first_is(1, said_load(1, 8, 0)), said_first_is(3, said_store(0, 8, 0)));
    for (unsigned i = 0; i < times; i++) {
        const uint64_t at = 0x7fffff000000ull + 64 * i;

        if (with_first)
            SAY(rings, 0, said_first(1, at));
        else
            SAY(rings, 0, said_block(1), said_load(1, 8, at));
        SAY(rings, 0, said_load(1, 8, at + 8), said_store(2, 8, at + 16));
        /* Sometimes sent in two words, as after a fault. */
        if (with_first && i % 16 != 5)
            SAY(rings, 0, said_first(3, at + 24));
        else
            SAY(rings, 0, said_block(3), said_store(0, 8, at + 24));
    }
    SAY(rings, 0, said_block(2), capture_word(CAPTURE_THREAD_END, 0, 0));
}

static void blocks_sent_with_their_first_access(void **state)
{
    enum { TIMES = 70 };
    static char text[RINGS_TEXT_BYTES];
    struct rings *rings = rings_open(ISA_A64, NULL);
    struct capture_counts counts;

    (void)state;
    say_loop(rings, TIMES, false);
    rings_read(rings, 0, UINT64_MAX);
    memcpy(text, rings->text, sizeof text);
    counts = *rings_counts(rings);
    rings_free(rings);
    /* In pieces of all lengths, so that each place is a piece's end. */
    for (unsigned piece = 2; piece < 12; piece++) {
        rings = rings_open(ISA_A64, NULL);
        say_loop(rings, TIMES, true);
        rings_read(rings, 0, piece);
        assert_string_equal(rings->text, text);
        rings_free(rings);
    }
    for (unsigned piece = 2; piece < 100; piece += 9) {
        rings = rings_open_for(ISA_A64, NULL, true);
        say_loop(rings, TIMES, true);
        rings_read(rings, 0, piece);
        assert_memory_equal(rings_counts(rings), &counts, sizeof counts);
        if (piece > 90)
            assert_true(rings->put_as_runs > TIMES);
        rings_free(rings);
    }
}

/* A block that returns to others of no, one, three and five accesses, in turn; from half of the time on one of them is
 * a handler, to which a signal goes. */
static void say_returns(struct rings *rings, unsigned times)
{
    TELL(rings, 1, {0x1000, ADD, false}, {0x1004, "c0035fd6", false});
    TELL(rings, 2, {0x2000, ADD, false}, {0x2004, "fffbff17", false});      /* b 1000, as of all */
    TELL(rings, 3, {0x3000, STR, false}, {0x3004, "fff7ff17", false});
    TELL(rings, 4, {0x4000, STR, false}, {0x4004, STR, false}, {0x4008, STR, false}, {0x400c, "fdf3ff17", false});
    TELL(rings, 5, {0x5000, STR, false}, {0x5004, STR, false}, {0x5008, STR, false}, {0x500c, STR, false},
         {0x5010, STR, false}, {0x5014, "fbefff17", false});
    rings_start(rings, 0, 1, 0);
    for (unsigned i = 0; i < times; i++) {
        static const unsigned stores[] = {0, 1, 3, 5};
        const unsigned to = (i / 7 + i % 3 / 2) % 4;

        if (i == times / 2)
            SAY(rings, 0, capture_word(CAPTURE_HANDLER, 0, 0x4000));
        SAY(rings, 0, said_block(1), said_block(2 + to));
        for (unsigned k = 0; k < stores[to]; k++)
            SAY(rings, 0, said_store(k, 8, 0x8000 + 64 * i + k));
    }
    SAY(rings, 0, said_block(1), capture_word(CAPTURE_THREAD_END, 0, 0));
}

static void ways_by_which_a_block_is_left(void **state)
{
    enum { TIMES = 200 };
    struct rings *rings = rings_open(ISA_A64, NULL);
    struct capture_counts counts;

    (void)state;
    say_returns(rings, TIMES);
    rings_read(rings, 0, UINT64_MAX);
    counts = *rings_counts(rings);
    assert_int_not_equal(counts.signals, 0);
    assert_int_equal(counts.jumps, 0);
    rings_free(rings);
    for (unsigned piece = 2; piece < 200; piece += 11) {
        rings = rings_open_for(ISA_A64, NULL, true);
        say_returns(rings, TIMES);
        rings_read(rings, 0, piece);
        assert_memory_equal(rings_counts(rings), &counts, sizeof counts);
        if (piece > 90)
            assert_true(rings->put_as_runs > TIMES);
        rings_free(rings);
    }
}

/* A ring that was written no further, behind blocks that have been left by one way alone so far. */
static void zeros_after_runs(void **state)
{
    struct rings *const rings = rings_open_for(ISA_A64, NULL, true);
    struct fault error = fault_none();
    uint64_t at = 0, done;

    (void)state;
    TELL(rings, 1, {0x1000, ADD, false}, {0x1004, "c0035fd6", false});
    TELL(rings, 2, {0x2000, ADD, false}, {0x2004, "fffbff17", false});      /* b 1000 */
    rings_start(rings, 0, 1, 0);
    for (unsigned i = 0; i < 100; i++)
        SAY(rings, 0, said_block(1), said_block(2));
    for (unsigned i = 0; i < 20; i++)
        SAY(rings, 0, 0);
    do {
        done = assemble_read(rings->assembler, 0, rings->lanes[0], at, rings->said[0] - at, &error);
        at += done;
    } while (done > 0 && error.kind == FAULT_NONE);
    assert_true(rings->put_as_runs > 0);
    assert_text(fault_text(error), "a word that is not known (0000000000000000)");
    rings_free(rings);
}

/* Until the writer has ended, only the sent accesses are there; then all written ones, unless they were elsewhere. */
static void how_far_a_lane_is_filled(void **state)
{
    struct capture_lane lane = {.next = 0x10000 + 8 * 100, .told = 0x10000 + 8 * 60, .read = 40};

    (void)state;
    assert_int_equal(capture_lane_filled(&lane, false), 0);
    assert_int_equal(capture_lane_filled(&lane, true), 0);
    lane.base = 0x10000;
    assert_int_equal(capture_lane_filled(&lane, false), 20);
    assert_int_equal(capture_lane_filled(&lane, true), 60);
    lane.next = 0x8000;
    assert_int_equal(capture_lane_filled(&lane, true), 20);
    lane.next = 0x10000 + 8 * 10;
    assert_int_equal(capture_lane_filled(&lane, true), CAPTURE_LANE_WORDS - 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_branches),
        cmocka_unit_test(blocks_sent_with_their_first_access),
        cmocka_unit_test(ways_by_which_a_block_is_left),
        cmocka_unit_test(zeros_after_runs),
        cmocka_unit_test(how_far_a_lane_is_filled),
        cmocka_unit_test(a_block_cut_by_a_fault),
        cmocka_unit_test(a_signal_between_blocks),
        cmocka_unit_test(a_block_one_instruction_too_long),
        cmocka_unit_test(code_at_address_0),
        cmocka_unit_test(pieces_are_merged),
        cmocka_unit_test(wide_vectors_are_merged),
        cmocka_unit_test(locked_operations),
        cmocka_unit_test(iterations_of_strings),
        cmocka_unit_test(a_division_that_traps),
        cmocka_unit_test(accesses_that_follow_from_others),
        cmocka_unit_test(accesses_that_follow_from_others_in_runs),
        cmocka_unit_test(threads_follow_each_other_in_a_lane),
        cmocka_unit_test(the_ring_wraps),
        cmocka_unit_test(unseen_blocks_are_counted),
        cmocka_unit_test(prefetches_with_addresses), cmocka_unit_test(zeroing_is_inferred),
        cmocka_unit_test(zeroing_in_a_loop),
        cmocka_unit_test(zeroing_after_repeats),
        cmocka_unit_test(more_accesses_than_fit),
        cmocka_unit_test(regions), cmocka_unit_test(memory_at_the_start_of_a_region),
        cmocka_unit_test(invalid_words)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
