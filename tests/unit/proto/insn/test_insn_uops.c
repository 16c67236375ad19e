/* proto/insn/insn_elastic.h: micro-ops of instructions, rule by rule. */
#include "proto/insn/insn_elastic.h"
#include "tests/support/unit.h"

enum { A = 1, B, C, SP, FLAGS, LINK = INSN_LINK_REGISTER };

static struct insn_uops begin(void)
{
    return (struct insn_uops){.latencies = insn_latencies_usual(), .spans.usual_bytes = 8};
}

static struct isa_operand operand(bool is_load, bool is_store, unsigned address_reads)
{
    return (struct isa_operand){.is_load = is_load, .is_store = is_store, .size_bytes = 8,
                                .address_reads = (uint16_t)address_reads};
}

/* "kind(sources>destinations) ..." */
static void assert_uops(const struct insn_uops *uops, const char *expected)
{
    char text[400] = "";
    size_t length = 0;

    for (size_t i = 0; i < uops->count; i++) {
        const struct depend_uop *const uop = &uops->list[i];

        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s(", i ? " " : "",
                                   depend_kind_name((enum depend_kind)uop->kind));
        for (unsigned k = 0; k < uop->source_count; k++)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%u", k ? "," : "", uop->sources[k]);
        length += (size_t)snprintf(text + length, sizeof text - length, ">");
        for (unsigned k = 0; k < uop->destination_count; k++)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%u", k ? "," : "",
                                       uop->destinations[k]);
        length += (size_t)snprintf(text + length, sizeof text - length, ")%s", uop->stops_fetch ? "!" : "");
    }
    assert_string_equal(text, expected);
}

static void make(struct insn_uops *uops, const struct isa_insn *what, const struct insn_access *accesses, size_t count)
{
    assert_true(insn_uops_make(uops, what, (enum isa_kind)(what ? what->kind : ISA_OTHER), accesses, count, true));
}

static struct insn_access const reads_8 = {.address = 0x100, .size_bytes = 8};
static struct insn_access const writes_8 = {.address = 0x200, .size_bytes = 8, .is_write = true};
static struct insn_access const both[] = {{.address = 0x100, .size_bytes = 8},
                                          {.address = 0x100, .size_bytes = 8, .is_write = true}};

/* "a load for each read access, with the registers of its address; it writes the instruction's registers" */
static void a_load_writes_registers(void **state)
{
    struct insn_uops uops = begin();
    struct isa_insn const load = {.read_count = 1, .reads = {A}, .write_count = 1, .writes = {B}, .operand_count = 1,
                                  .operands = {operand(true, false, 1)}};

    make(&uops, &load, &reads_8, 1);
    assert_uops(&uops, "load(1>2)");
    insn_uops_free(&uops);
}

/* "a computation of its class, with the registers of data and the loads' results; a store, with ... the computation's
 * result" */
static void a_change_in_memory_is_a_chain(void **state)
{
    struct insn_uops uops = begin();
    struct isa_insn const add = {.class = ISA_CLASS_INT_ALU, .read_count = 2, .reads = {A, B}, .data_reads = 2,
                                 .write_count = 1, .writes = {FLAGS}, .operand_count = 1,
                                 .operands = {operand(true, true, 1)}};

    make(&uops, &add, both, 2);
    assert_uops(&uops, "load(1>256) alu(2,256>5,256) store(1,256>)");
    insn_uops_free(&uops);
}

/* "the write-back of a base register is a computation of its own, which waits for the address alone" */
static void write_backs_do_not_wait_for_loads(void **state)
{
    struct insn_uops uops = begin();
    struct isa_insn const post_index = {.read_count = 1, .reads = {A}, .write_count = 2, .writes = {B, A},
                                        .address_writes = 2, .operand_count = 1,
                                        .operands = {operand(true, false, 1)}};

    make(&uops, &post_index, &reads_8, 1);
    assert_uops(&uops, "load(1>2) alu(1>1)");
    insn_uops_free(&uops);
}

/* Push, call and ret leave the stack pointer alone, so that they do not wait for each other. */
static void the_stack_is_not_a_chain(void **state)
{
    struct insn_uops uops = begin();
    struct isa_insn const push = {.read_count = 2, .reads = {SP, B}, .data_reads = 2, .operand_count = 1,
                                  .operands = {operand(false, true, 1)}};
    struct isa_insn const ret = {.class = ISA_CLASS_INT_ALU, .kind = ISA_RETURN, .read_count = 1, .reads = {SP},
                                 .operand_count = 1, .operands = {operand(true, false, 1)}};

    make(&uops, &push, &writes_8, 1);
    assert_uops(&uops, "store(4,2>)");
    make(&uops, &ret, &reads_8, 1);
    assert_uops(&uops, "load(4>) branch(256>)");
    insn_uops_free(&uops);
}

/* A zero idiom reads nothing, a NOP does nothing, a link is written by a computation. */
static void without_accesses(void **state)
{
    struct insn_uops uops = begin();
    struct isa_insn const zero = {.class = ISA_CLASS_INT_ALU, .write_count = 1, .writes = {A}};
    struct isa_insn const multiply = {.class = ISA_CLASS_INT_MULT, .read_count = 2, .reads = {A, B}, .write_count = 1,
                                      .writes = {C}};
    struct isa_insn const nop = {.class = ISA_CLASS_INT_ALU, .is_nop = true};
    struct isa_insn const link = {.class = ISA_CLASS_INT_ALU, .kind = ISA_DIRECT_CALL, .write_count = 1, .writes = {A}};
    struct isa_insn const jump = {.class = ISA_CLASS_INT_ALU, .kind = ISA_CONDITIONAL, .read_count = 1, .reads = {A}};

    make(&uops, &zero, NULL, 0);
    assert_uops(&uops, "alu(>1)");
    make(&uops, &multiply, NULL, 0);
    assert_uops(&uops, "alu(1,2>3)");
    assert_int_equal(uops.list[0].latency_cyc, 3);
    make(&uops, &nop, NULL, 0);
    assert_uops(&uops, "nop(>)");
    make(&uops, &link, NULL, 0);
    assert_uops(&uops, "alu(>1)");
    make(&uops, &jump, NULL, 0);
    assert_uops(&uops, "branch(1>)");
    insn_uops_free(&uops);
}

/* "fences before and after the accesses of an instruction that orders all ..., one after those that acquire, one before
 * those that release; serialising instructions are fences of everything, and stop fetch" */
static void order(void **state)
{
    struct insn_uops uops = begin();
    struct isa_insn locked = {.class = ISA_CLASS_INT_ALU, .read_count = 2, .reads = {A, B}, .data_reads = 2,
                              .operand_count = 1, .operands = {operand(true, true, 1)}, .is_atomic = true,
                              .fence = ISA_FENCE_FULL};
    struct isa_insn const call = {.is_serialising = true, .kind = ISA_SYSTEM};
    struct isa_insn const barrier = {.fence = ISA_FENCE_ACQUIRE};

    make(&uops, &locked, both, 2);
    assert_uops(&uops, "fence(>) load(1>256) alu(2,256>256) store(1,256>) fence(>)");
    assert_int_equal(uops.list[0].fence, DEPEND_FENCE_FULL);
    assert_int_equal(uops.list[4].fence, DEPEND_FENCE_FULL);
    locked.fence = ISA_FENCE_ACQUIRE;
    make(&uops, &locked, both, 2);
    assert_uops(&uops, "load(1>256) alu(2,256>256) store(1,256>) fence(>)");
    assert_int_equal(uops.list[3].fence, DEPEND_FENCE_OWN_ACQUIRE);
    locked.fence = ISA_FENCE_RELEASE;
    make(&uops, &locked, both, 2);
    assert_uops(&uops, "fence(>) load(1>256) alu(2,256>256) store(1,256>)");
    assert_int_equal(uops.list[0].fence, DEPEND_FENCE_OWN_RELEASE);
    make(&uops, &call, NULL, 0);
    assert_uops(&uops, "fence(>)!");
    make(&uops, &barrier, NULL, 0);
    assert_uops(&uops, "fence(>)");
    assert_int_equal(uops.list[0].fence, DEPEND_FENCE_ACQUIRE);
    insn_uops_free(&uops);
}

/* Software prefetches are loads without dependents; "of an instruction that was not decoded, accesses wait for no
 * register and give none"; "accesses without a size are 8 bytes" */
static void little_is_known(void **state)
{
    struct insn_uops uops = begin();
    struct isa_insn const prefetch = {.read_count = 1, .reads = {A}, .is_prefetch = true, .operand_count = 1,
                                      .operands = {operand(true, false, 1)}};
    struct insn_access const unsized = {.address = 0x300};

    make(&uops, &prefetch, &reads_8, 1);
    assert_uops(&uops, "prefetch(1>)");
    make(&uops, NULL, both, 2);
    assert_uops(&uops, "load(>) store(>)");
    make(&uops, NULL, &unsized, 1);
    assert_int_equal(uops.list[0].bytes, 8);
    insn_uops_free(&uops);
}

/* "its registers are written with the last one" */
static void parts_of_a_string_write_at_the_end(void **state)
{
    struct insn_uops uops = begin();
    struct isa_insn const move = {.read_count = 2, .reads = {A, B}, .write_count = 2, .writes = {A, B},
                                  .address_writes = 3, .is_string = true, .operand_count = 2,
                                  .operands = {operand(true, false, 1), operand(false, true, 2)}};

    assert_true(insn_uops_make(&uops, &move, ISA_OTHER, both, 2, false));
    assert_uops(&uops, "load(1>256) store(2,256>)");
    assert_true(insn_uops_make(&uops, &move, ISA_OTHER, both, 2, true));
    assert_uops(&uops, "load(1>256) store(2,256>) alu(1,2>1,2)");
    insn_uops_free(&uops);
}

static void latencies_are_read(void **state)
{
    struct insn_latencies latencies = insn_latencies_usual();
    char problem[300];

    assert_true(insn_latencies_parse(&latencies, "IntMult=7,intdiv=40", problem, sizeof problem));
    assert_int_equal(latencies.cyc[ISA_CLASS_INT_MULT], 7);
    assert_int_equal(latencies.cyc[ISA_CLASS_INT_DIV], 40);
    assert_int_equal(latencies.cyc[ISA_CLASS_INT_ALU], 1);
    assert_false(insn_latencies_parse(&latencies, "IntMult=", problem, sizeof problem));
    assert_false(insn_latencies_parse(&latencies, "IntMul=3", problem, sizeof problem));
    assert_text(problem, "IntMul is no class");
    assert_false(insn_latencies_parse(&latencies, "IntMult=99999", problem, sizeof problem));
    assert_false(insn_latencies_parse(&latencies, "IntMult=3,", problem, sizeof problem));
    assert_false(insn_latencies_parse(&latencies, "IntMult=-3", problem, sizeof problem));
    assert_text(problem, "expected CLASS=CYCLES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_writes_registers), cmocka_unit_test(a_change_in_memory_is_a_chain),
        cmocka_unit_test(write_backs_do_not_wait_for_loads), cmocka_unit_test(the_stack_is_not_a_chain),
        cmocka_unit_test(without_accesses), cmocka_unit_test(order), cmocka_unit_test(little_is_known),
        cmocka_unit_test(parts_of_a_string_write_at_the_end), cmocka_unit_test(latencies_are_read)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
