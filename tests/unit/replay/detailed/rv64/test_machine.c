/* replay/detailed/rv64/rv64_machine.h, calls.c, proto/isa/isa_build.h: each kind of instruction by hand, what truth
 * corrects, and taking back. */
#include "proto/isa/isa_build.h"
#include "replay/detailed/rv64/rv64_machine.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

enum { PC = 0x10000 };
#define PAGE UINT64_C(0x20000)
#define NOWHERE UINT64_C(0x90000)
#define BOX UINT64_C(0xffffffff00000000)
#define LEAST (UINT64_C(1) << 63)
#define NAN_64 UINT64_C(0x7ff8000000000000)
#define ONE UINT64_C(0x3ff0000000000000)

static struct machine *machine;

static int begin(void **state)
{
    struct fault fault;

    machine = machine_new(&fault);
    assert_non_null(machine);
    pages_make(machine->pages, PAGE, PAGES_BYTES);
    return 0;
}

static int end(void **state)
{
    machine_free(machine);
    return 0;
}

static struct machine_result step(uint32_t bits, const struct machine_truth *truth)
{
    struct machine_insn const insn = {PC, bits, (bits & 3) == 3 ? 4 : 2};
    struct machine_result result;

    machine_step(machine, &insn, truth, &result);
    return result;
}

/* ---- one after the other: x8 = a, x9 = b; f8, f9, f10 = a, b, c; the result in x10 or f11 */

struct one { const char *what; uint32_t bits; uint64_t a, b, c, result; };

static void computes(void **state)
{
    static const struct one ones[] = {
        {"add", 0x00940533, 1, UINT64_MAX, 0, 0},
        {"sub", 0x40940533, 1, 2, 0, UINT64_MAX},
        {"sll", 0x00941533, 1, 65, 0, 2},
        {"slt", 0x00942533, UINT64_MAX, 0, 0, 1},
        {"sltu", 0x00943533, UINT64_MAX, 0, 0, 0},
        {"xor", 0x00944533, 12, 10, 0, 6},
        {"srl", 0x00945533, LEAST, 63, 0, 1},
        {"sra", 0x40945533, LEAST, 63, 0, UINT64_MAX},
        {"or", 0x00946533, 12, 10, 0, 14},
        {"and", 0x00947533, 12, 10, 0, 8},
        {"addw", 0x0094053b, 0x7fffffff, 1, 0, UINT64_C(0xffffffff80000000)},
        {"subw", 0x4094053b, 0, 1, 0, UINT64_MAX},
        {"sllw", 0x0094153b, 1, 31, 0, UINT64_C(0xffffffff80000000)},
        {"srlw", 0x0094553b, UINT64_C(0xffffffff80000000), 31, 0, 1},
        {"sraw", 0x4094553b, 0x80000000, 31, 0, UINT64_MAX},
        {"addi", 0xfff40513, 0, 0, 0, UINT64_MAX},
        {"slti", 0xfff42513, LEAST, 0, 0, 1},
        {"sltiu", 0xfff43513, 7, 0, 0, 1},
        {"xori", 0xfff44513, 5, 0, 0, ~UINT64_C(5)},
        {"slli", 0x03f41513, 1, 0, 0, LEAST},
        {"srli", 0x03f45513, LEAST, 0, 0, 1},
        {"srai", 0x43f45513, LEAST, 0, 0, UINT64_MAX},
        {"addiw", 0x0014051b, 0x7fffffff, 0, 0, UINT64_C(0xffffffff80000000)},
        {"lui", 0x80000537, 0, 0, 0, UINT64_C(0xffffffff80000000)},
        {"auipc", 0x00001517, 0, 0, 0, PC + 0x1000},
        {"mul", 0x02940533, UINT64_MAX, 3, 0, (uint64_t)-3},
        {"mulh", 0x02941533, UINT64_MAX, UINT64_MAX, 0, 0},
        {"mulhsu", 0x02942533, UINT64_MAX, UINT64_MAX, 0, UINT64_MAX},
        {"mulhu", 0x02943533, UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1},
        {"div by 0", 0x02944533, 7, 0, 0, UINT64_MAX},
        {"div overflow", 0x02944533, LEAST, UINT64_MAX, 0, LEAST},
        {"div", 0x02944533, (uint64_t)-7, 2, 0, (uint64_t)-3},
        {"divu", 0x02945533, (uint64_t)-7, 2, 0, 0x7ffffffffffffffc},
        {"rem", 0x02946533, (uint64_t)-7, 2, 0, UINT64_MAX},
        {"rem overflow", 0x02946533, LEAST, UINT64_MAX, 0, 0},
        {"remu by 0", 0x02947533, 7, 0, 0, 7},
        {"mulw", 0x0294053b, 0x10000, 0x8000, 0, UINT64_C(0xffffffff80000000)},
        {"divw overflow", 0x0294453b, 0x80000000, UINT64_MAX, 0, UINT64_C(0xffffffff80000000)},
        {"divuw by 0", 0x0294553b, 7, UINT64_C(1) << 32, 0, UINT64_MAX},
        {"remw", 0x0294653b, (uint32_t)-7, 4, 0, (uint64_t)-3},
        {"feq.d of NaN", 0xa2942553, NAN_64, NAN_64, 0, 0},
        {"flt.d -0 +0", 0xa2941553, LEAST, 0, 0, 0},
        {"fle.d -0 +0", 0xa2940553, LEAST, 0, 0, 1},
        {"fcvt.w.d NaN", 0xc2041553, NAN_64, 0, 0, 0x7fffffff},
        {"fcvt.wu.d -1", 0xc2141553, UINT64_C(0xbff0000000000000), 0, 0, 0},
        {"fcvt.l.d 2^63", 0xc2241553, UINT64_C(0x43e0000000000000), 0, 0, INT64_MAX},
        {"fcvt.lu.d 2.5 to even", 0xc2340553, UINT64_C(0x4004000000000000), 0, 0, 2},
        {"fcvt.l.d 2.5 up", 0xc2243553, UINT64_C(0x4004000000000000), 0, 0, 3},
        {"fcvt.l.d 2.5 away", 0xc2244553, UINT64_C(0x4004000000000000), 0, 0, 3},
        {"fmv.x.w", 0xe0040553, UINT64_C(0x1234567880000000), 0, 0, UINT64_C(0xffffffff80000000)},
        {"fclass.d signalling", 0xe2041553, UINT64_C(0x7ff0000000000001), 0, 0, 1 << 8},
        {"fclass.s unboxed", 0xe0041553, 1, 0, 0, 1 << 9},
        {"fclass.s -denormal", 0xe0041553, BOX | 0x80000001, 0, 0, 1 << 2},
    };

    for (size_t i = 0; i < COUNT(ones); i++) {
        machine->registers[8] = machine->registers[MACHINE_F0 + 8] = ones[i].a;
        machine->registers[9] = machine->registers[MACHINE_F0 + 9] = ones[i].b;
        step(ones[i].bits, NULL);
        if (machine->registers[10] != ones[i].result)
            fail_msg("%s: 0x%llx, expected 0x%llx", ones[i].what, (unsigned long long)machine->registers[10],
                     (unsigned long long)ones[i].result);
        assert_int_equal(machine->registers[0], 0);
    }
}

static void computes_floats(void **state)
{
    static const struct one ones[] = {
        {"fadd.d inf - inf", 0x029475d3, UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000), 0, NAN_64},
        {"fsub.d", 0x0a9475d3, ONE, ONE, 0, 0},
        {"fmul.s unboxed", 0x109475d3, 0x3f800000, BOX | 0x3f800000, 0, BOX | 0x7fc00000},
        {"fmul.s", 0x109475d3, BOX | 0x40000000, BOX | 0x40400000, 0, BOX | 0x40c00000},
        {"fdiv.d by 0", 0x1a9475d3, ONE, LEAST, 0, UINT64_C(0xfff0000000000000)},
        {"fdiv.d down", 0x1a9425d3, ONE, UINT64_C(0x4008000000000000), 0, UINT64_C(0x3fd5555555555555)},
        {"fdiv.d up", 0x1a9435d3, ONE, UINT64_C(0x4008000000000000), 0, UINT64_C(0x3fd5555555555556)},
        {"fsqrt.d -1", 0x5a0475d3, UINT64_C(0xbff0000000000000), 0, 0, NAN_64},
        {"fsgnj.d", 0x229405d3, ONE, LEAST, 0, UINT64_C(0xbff0000000000000)},
        {"fsgnjn.s", 0x209415d3, BOX | 0x3f800000, BOX, 0, BOX | 0xbf800000},
        {"fsgnjx.d", 0x229425d3, UINT64_C(0xbff0000000000000), LEAST, 0, ONE},
        {"fmin.d -0 +0", 0x2a9405d3, 0, LEAST, 0, LEAST},
        {"fmax.d -0 +0", 0x2a9415d3, LEAST, 0, 0, 0},
        {"fmax.d NaN", 0x2a9415d3, NAN_64, ONE, 0, ONE},
        {"fmin.s signalling twice", 0x289405d3, BOX | 0x7f800001, BOX | 0x7f800001, 0, BOX | 0x7fc00000},
        {"fcvt.s.d", 0x401475d3, ONE, 0, 0, BOX | 0x3f800000},
        {"fcvt.d.s", 0x420405d3, BOX | 0x3f800000, 0, 0, ONE},
        {"fcvt.d.lu", 0xd23475d3, UINT64_MAX, 0, 0, UINT64_C(0x43f0000000000000)},
        {"fcvt.s.w", 0xd00475d3, UINT64_MAX, 0, 0, BOX | 0xbf800000},
        {"fcvt.s.l toward 0", 0xd02415d3, 0x1ffffff, 0, 0, BOX | 0x4bffffff},
        {"fmv.w.x", 0xf00405d3, UINT64_C(0x123456783f800000), 0, 0, BOX | 0x3f800000},
        {"fmv.d.x", 0xf20405d3, ONE, 0, 0, ONE},
        {"fmadd.d", 0x529475c3, ONE, ONE, ONE, UINT64_C(0x4000000000000000)},
        {"fmsub.d", 0x529475c7, ONE, ONE, ONE, 0},
        {"fnmsub.d", 0x529475cb, ONE, ONE, ONE, 0},
        {"fnmadd.d", 0x529475cf, ONE, ONE, ONE, UINT64_C(0xc000000000000000)},
        {"fmadd.d, once rounded", 0x529475c3, UINT64_C(0x3ff0000000000001), UINT64_C(0x3ff0000000000001),
         UINT64_C(0xbff0000000000002), UINT64_C(0x3970000000000000)},
    };

    for (size_t i = 0; i < COUNT(ones); i++) {
        machine->registers[8] = machine->registers[MACHINE_F0 + 8] = ones[i].a;
        machine->registers[9] = machine->registers[MACHINE_F0 + 9] = ones[i].b;
        machine->registers[MACHINE_F0 + 10] = ones[i].c;
        step(ones[i].bits, NULL);
        if (machine->registers[MACHINE_F0 + 11] != ones[i].result)
            fail_msg("%s: 0x%llx, expected 0x%llx", ones[i].what,
                     (unsigned long long)machine->registers[MACHINE_F0 + 11], (unsigned long long)ones[i].result);
    }
}

/* ---- memory */

static void loads_and_stores(void **state)
{
    static const struct { uint32_t bits; uint64_t value; } loads[] = {
        {0x00040503, (uint64_t)-1}, {0x00041503, (uint64_t)-257}, {0x00042503, UINT64_C(0xffffffffcdabfeff)},
        {0x00043503, UINT64_C(0x89efcdabfeff)}, {0x00044503, 0xff}, {0x00045503, 0xfeff}, {0x00046503, 0xcdabfeff}};
    struct machine_result result;

    machine->registers[8] = PAGE + 4092;
    machine->registers[9] = UINT64_C(0x89efcdabfeff);
    pages_make(machine->pages, PAGE + 4096, 1);
    result = step(0x00943023, NULL);                                 /* sd, into the next page */
    assert_int_equal(result.address, PAGE + 4092);
    assert_int_equal(result.size_bytes, 8);
    assert_false(result.faults);
    assert_int_equal(pages_read(machine->pages, PAGE + 4096, 4), 0x89ef);
    for (size_t i = 0; i < COUNT(loads); i++) {
        step(loads[i].bits, NULL);
        assert_int_equal(machine->registers[10], loads[i].value);
    }
    step(0x00042587, NULL);                                          /* flw */
    assert_int_equal(machine->registers[MACHINE_F0 + 11], BOX | 0xcdabfeff);
    step(0xfe940f23, NULL);                                          /* sb x9, -2(x8) */
    assert_int_equal(pages_read(machine->pages, PAGE + 4090, 2), 0xff);
}

/* rv64_machine.h: "an access to a page that does not exist faults: it loads 0, and stores nothing" */
static void faults_where_no_page_is(void **state)
{
    struct machine_truth const truth = {.next_pc = PC + 4, .address = NOWHERE, .has_access = true};
    struct machine_result result;

    machine->registers[8] = NOWHERE - 4;
    machine->registers[9] = 1;
    assert_true(step(0x00943023, NULL).faults);
    machine->registers[8] = NOWHERE;
    machine->registers[10] = 7;
    result = step(0x00043503, NULL);
    assert_true(result.faults);
    assert_int_equal(result.address, NOWHERE);
    assert_int_equal(machine->registers[10], 0);
    step(0x00943023, &truth);                                        /* the right path makes it */
    assert_false(step(0x00043503, NULL).faults);
    assert_int_equal(machine->registers[10], 1);
}

static void executes_atomics_on_the_right_path(void **state)
{
    struct machine_truth const truth = {.next_pc = PC + 4, .address = PAGE, .has_access = true};

    machine->registers[8] = PAGE;
    machine->registers[9] = (uint64_t)-5;
    pages_write(machine->pages, PAGE, 8, 3);
    step(0x0094352f, NULL);                                          /* amoadd.d on a wrong path */
    assert_int_equal(pages_read(machine->pages, PAGE, 8), 3);
    step(0x0094352f, &truth);
    assert_int_equal(machine->registers[10], 3);
    assert_int_equal(pages_read(machine->pages, PAGE, 8), (uint64_t)-2);
    step(0xe094252f, &truth);                                        /* amomaxu.w */
    assert_int_equal(machine->registers[10], (uint64_t)-2);
    assert_int_equal(pages_read(machine->pages, PAGE, 4), 0xfffffffe);
    step(0x1894352f, &truth);                                        /* sc.d without reservation */
    assert_int_equal(machine->registers[10], 1);
    step(0x1004352f, &truth);                                        /* lr.d */
    step(0x1894352f, &truth);
    assert_int_equal(machine->registers[10], 0);
    assert_int_equal(pages_read(machine->pages, PAGE, 8), (uint64_t)-5);
    step(0x1894352f, &truth);
    assert_int_equal(machine->registers[10], 1);
}

/* ---- jumps, and what truth corrects */

static void jumps(void **state)
{
    struct machine_truth const untaken = {.next_pc = PC + 4}, elsewhere = {.next_pc = 0x4444};

    machine->registers[8] = (uint64_t)-1;
    machine->registers[9] = 1;
    assert_int_equal(step(0xfe944ee3, NULL).next_pc, PC - 4);        /* blt */
    assert_int_equal(step(0xfe946ee3, NULL).next_pc, PC + 4);        /* bltu */
    assert_int_equal(step(0xfe944ee3, &untaken).next_pc, PC + 4);
    assert_int_equal(machine->figures.branches, 1);
    assert_int_equal(step(0x010000ef, NULL).next_pc, PC + 16);       /* jal */
    assert_int_equal(machine->registers[1], PC + 4);
    machine->registers[8] = 0x2001;
    assert_int_equal(step(0x004400e7, NULL).next_pc, 0x2004);        /* jalr x1, 4(x8) */
    assert_int_equal(step(0x9426, NULL).next_pc, PC + 2);            /* c.add: of 2 bytes */
    assert_int_equal(step(0x004400e7, &elsewhere).next_pc, 0x4444);
    assert_int_equal(machine->registers[8], 0x4440);
    assert_int_equal(machine->figures.targets, 1);
}

static void takes_addresses_from_the_truth(void **state)
{
    struct machine_truth const truth = {.next_pc = PC + 4, .address = PAGE + 16, .has_access = true};

    machine->registers[8] = 0;
    pages_write(machine->pages, PAGE + 16, 8, 77);
    step(0x00843503, &truth);                                        /* ld x10, 8(x8) */
    assert_int_equal(machine->registers[10], 77);
    assert_int_equal(machine->registers[8], PAGE + 8);
    assert_int_equal(machine->figures.addresses, 1);
}

static void keeps_the_rounding_mode(void **state)
{
    struct machine_truth const truth = {.next_pc = PC + 4};

    step(0x0021d073, NULL);                                          /* csrwi frm, 3 on a wrong path */
    assert_int_equal(machine->fcsr, 0);
    step(0x0021d073, &truth);
    assert_int_equal(machine->fcsr, 3 << 5);
    step(0x0032e573, &truth);                                        /* csrrsi x10, fcsr, 5 */
    assert_int_equal(machine->registers[10], 3 << 5);
    assert_int_equal(machine->fcsr, 3 << 5 | 5);
    step(0x0013f573, &truth);                                        /* csrrci x10, fflags, 7 */
    assert_int_equal(machine->registers[10], 5);
    assert_int_equal(machine->fcsr, 3 << 5);
}

/* ---- compressed ones */

/* calls.c: "what a call reads or writes is bounded": any length in a register, any distance of the address behind. */
static void arguments_of_calls_are_bounded(void **state)
{
    static const uint64_t numbers[] = {29, 56, 57, 63, 64, 66, 78, 79, 80, 96, 99, 134, 135, 215, 226, 233, 113, 169,
                                       172, 174, 179, 214, 222, 261, 278, 93, 94, 400};
    static const uint64_t lengths[] = {0, 1, 4096, 4097, UINT64_C(1) << 20, UINT64_C(1) << 36, UINT64_C(1) << 63,
                                       UINT64_MAX - 1, UINT64_MAX};
    static const uint64_t places[] = {PAGE, NOWHERE, UINT64_MAX - 8, UINT64_MAX};
    uint64_t most = 0;

    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        for (size_t at = 0; at < sizeof places / sizeof *places; at++)
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
                uint64_t const ahead[] = {places[at] + lengths[l] - 1};
                struct machine_truth const truth = {.next_pc = PC + 4, .ahead = ahead, .ahead_count = 1};
                uint64_t const before = machine->pages->count;

                for (unsigned i = 0; i < 6; i++)
                    machine->registers[MACHINE_A0 + i] = i % 2 == n % 2 ? places[at] : lengths[l];
                machine->registers[MACHINE_A0 + 3] = lengths[l];
                machine->registers[MACHINE_A7] = numbers[n];
                step(0x00000073, &truth);
                most = machine->pages->count - before > most ? machine->pages->count - before : most;
            }
    assert_false(machine_has_failed(machine));
    if (most > 257)
        fail_msg("a call made %llu pages; expected 257 at most", (unsigned long long)most);
}

static void knows_paths_up_to_their_bound(void **state)
{
    for (unsigned length = 4095; length <= 4097; length++) {
        uint64_t const ahead[] = {PAGE + length - 1};
        struct machine_truth const truth = {.next_pc = PC + 4, .ahead = ahead, .ahead_count = 1};

        machine->registers[MACHINE_A0 + 2] = PAGE;
        machine->registers[MACHINE_A0 + 3] = UINT64_MAX;
        machine->registers[MACHINE_A7] = 78;
        step(0x00000073, &truth);
        assert_int_equal(machine->registers[MACHINE_A0], length <= 4096 ? length : (uint64_t)-2);
    }
}

/* rv64_machine.h: "System calls of a trace that keeps what they wrote write that; new mappings are zero", again after
 * they were taken back */
static void calls_write_what_the_trace_has(void **state)
{
    struct insn_write writes[] = {{1, PAGE + 8, 3, (const uint8_t *)"abc"}, {3, NOWHERE, 2, (const uint8_t *)"de"},
                                  {3, PAGE, 1, (const uint8_t *)"f"}};
    struct insn_program const program = {.name = (char *)(uintptr_t)"own", .writes = writes, .write_count = 3};
    struct machine_truth const truth = {.next_pc = PC + 4, .has_result = true, .result = PAGE};

    machine_start(machine, &program);
    machine->registers[MACHINE_A7] = 63;
    step(0x00000073, &truth);
    assert_int_equal(pages_read(machine->pages, PAGE + 8, 4), 0x636261);
    machine->registers[MACHINE_A7] = 222;            /* mmap at PAGE */
    machine->registers[MACHINE_A0 + 1] = 4096;
    step(0x00000073, &truth);
    assert_int_equal(pages_read(machine->pages, PAGE + 8, 4), 0);
    machine->registers[MACHINE_A7] = 63;
    for (unsigned i = 0; i < 2; i++) {
        step(0x00000073, &truth);
        assert_int_equal(pages_read(machine->pages, NOWHERE, 4), 0x6564);
        assert_int_equal(pages_read(machine->pages, PAGE, 4), 'f');
        pages_write(machine->pages, NOWHERE, 4, 0);
        machine_undo(machine, 2);
    }
    assert_int_equal(machine->kernel.calls, 2);
    machine->registers[MACHINE_A7] = 222;            /* an error, and a length that wraps */
    machine->registers[MACHINE_A0 + 1] = UINT64_MAX;
    step(0x00000073, &(struct machine_truth){.next_pc = PC + 4, .has_result = true, .result = (uint64_t)-12});
    step(0x00000073, &(struct machine_truth){.next_pc = PC + 4, .has_result = true, .result = NOWHERE});
    assert_false(machine_has_failed(machine));
}

/* rv64_machine.h: machine_start_thread, and machines that share pages; insn_memory.h: insn_write_call */
static void a_thread_begins_as_its_creator_was(void **state)
{
    static const struct insn_write writes[] = {{3, PAGE, 1, (const uint8_t *)"a"},
                                               {UINT64_C(1) << 40 | 1, PAGE, 1, (const uint8_t *)"b"}};
    struct insn_program const program = {.name = (char *)(uintptr_t)"own", .write_count = 2,
                                         .writes = (struct insn_write *)(uintptr_t)writes};
    struct machine_truth const truth = {.next_pc = PC + 4, .has_result = true, .result = 1};
    uint64_t registers[MACHINE_REGISTERS];
    struct machine *creator;
    struct fault fault;

    creator = machine_new(&fault);
    assert_non_null(creator);
    creator->registers[8] = 88;
    creator->registers[MACHINE_F0 + 1] = 99;
    creator->registers[MACHINE_A0] = 0x3d0f00;
    creator->registers[MACHINE_A0 + 1] = NOWHERE;    /* its stack */
    creator->registers[MACHINE_A0 + 3] = NOWHERE + 64;
    machine_thread_registers(creator, registers);
    machine_share(creator, machine->pages);
    machine_start_thread(creator, &program, 2, registers);
    assert_int_equal(creator->registers[8], 88);
    assert_int_equal(creator->registers[MACHINE_F0 + 1], 99);
    assert_int_equal(creator->registers[MACHINE_A0], 0);
    assert_int_equal(creator->registers[MACHINE_SP], NOWHERE);
    assert_int_equal(creator->registers[MACHINE_TP], NOWHERE + 64);
    creator->registers[MACHINE_A7] = 63;
    machine_step(creator, &(struct machine_insn){PC, 0x00000073, 4}, &truth, &(struct machine_result){0});
    assert_int_equal(pages_read(machine->pages, PAGE, 1), 'b');
    machine_free(creator);
    assert_int_equal(pages_read(machine->pages, PAGE, 1), 'b');
}

/* rv64_machine.h: machine_lead_in "Executes what lies between", with the registers of that place */
static void leads_in(void **state)
{
    static const uint8_t code[] = {0x13, 0x05, 0x15, 0x00, 0x05, 0x05, 0x23, 0x30, 0xa1, 0x00};
    struct insn_segment segments[] = {{PC, sizeof code, code, sizeof code}};     /* addi; c.addi; sd a0, 0(sp) */
    struct insn_start const start = {.pc = PC, .lead = 3, .registers = {[MACHINE_SP] = PAGE, [MACHINE_A0] = 40}};
    struct insn_program const program = {.name = (char *)(uintptr_t)"own", .entry = PC, .segments = segments,
                                         .segment_count = 1, .start = &start};

    machine_start(machine, &program);
    assert_int_equal(machine_first_stack(&program), PAGE);
    assert_false(machine_lead_in(machine, PC + 4));
    machine_start(machine, &program);
    assert_true(machine_lead_in(machine, PC + sizeof code));
    assert_int_equal(machine->registers[MACHINE_A0], 42);
    assert_int_equal(pages_read(machine->pages, PAGE, 8), 42);
    assert_int_equal(machine_position(machine), 0);
    assert_int_equal(machine->figures.steps, 0);
}

static void expands(void **state)
{
    static const struct { uint16_t c; uint32_t bits; } some[] = {
        {0x0000, 0}, {0x8002, 0}, {0x1ffc, 0x3fc10793}, {0x2100, 0x00053407}, {0x4d5c, 0x01c52783},
        {0x7d7c, 0x0f853783}, {0xa100, 0x00853027}, {0xc15c, 0x00f52223}, {0xe51c, 0x00f53423}, {0x1141, 0xff010113},
        {0x2505, 0x0015051b}, {0x557d, 0xfff00513}, {0x7139, 0xfc010113}, {0x75fd, 0xfffff5b7}, {0x9101, 0x02055513},
        {0x9541, 0x43055513}, {0x99f1, 0xffc5f593}, {0x8d1d, 0x40f50533}, {0x9d3d, 0x00f5053b}, {0xbfe5, 0xff9ff06f},
        {0xc119, 0x00050363}, {0xf96d, 0xfe0519e3}, {0x1502, 0x02051513}, {0x2502, 0x00013507}, {0x5502, 0x02012503},
        {0x70e2, 0x03813083}, {0x8082, 0x00008067}, {0x852e, 0x00b00533}, {0x9002, 0x00100073}, {0x9782, 0x000780e7},
        {0x952e, 0x00b50533}, {0xa82a, 0x00a13827}, {0xc62e, 0x00b12623}, {0xfc06, 0x02113c23}};

    for (size_t i = 0; i < COUNT(some); i++)
        if (rv64_expand(some[i].c) != some[i].bits)
            fail_msg("0x%04x: 0x%08x, expected 0x%08x", some[i].c, rv64_expand(some[i].c), some[i].bits);
}

/* ---- taking back */

enum { STEPS = 4000, LONGEST = 200, SEEN = 4096 };

struct seen {
    uint64_t registers[MACHINE_REGISTERS], reservation, memory;
    uint32_t fcsr;
    struct machine_kernel kernel;
};

static struct seen look(void)
{
    struct seen seen = {.reservation = machine->reservation, .fcsr = machine->fcsr, .kernel = machine->kernel};

    memcpy(seen.registers, machine->registers, sizeof seen.registers);
    for (uint64_t at = 0; at < PAGES_BYTES; at += 8)
        seen.memory = seen.memory * 31 + pages_read(machine->pages, PAGE + at, 8);
    return seen;
}

/* Any bits: most of them accesses to one page, which truth leads back to it. */
static void step_at_random(bool is_right)
{
    static const uint32_t opcodes[] = {0x03, 0x07, 0x23, 0x27, 0x2f, 0x13, 0x33, 0x3b, 0x43, 0x53, 0x63, 0x73, 0x67};
    uint32_t const bits = random_below(4) == 0 ? (uint32_t)random_below(1 << 16)
                                               : (uint32_t)(random_bits() & ~UINT64_C(0x7f))
                                                     | opcodes[random_below(COUNT(opcodes))];
    uint64_t const next[] = {PC + 4, PC + 8};
    struct machine_truth const truth = {.next_pc = next[random_below(2)], .has_access = true,
                                        .address = PAGE + random_below(PAGES_BYTES - 8)};

    step((bits & 3) == 3 ? bits : bits & 0xffff, is_right ? &truth : NULL);
}

/* rv64_machine.h: "machine_undo restores registers, memory and the kernel's state exactly, with three exceptions" */
static void undo_restores_all_state(void **state)
{
    static struct seen seen[LONGEST + 1];

    random_state = 7;
    for (unsigned i = 1; i < MACHINE_REGISTERS; i++)
        machine->registers[i] = PAGE + random_below(PAGES_BYTES);
    for (unsigned i = 0; i < STEPS; i++) {
        uint64_t const begin = machine_position(machine);
        unsigned const count = 1 + (unsigned)random_below(LONGEST);
        unsigned left = count;

        seen[0] = look();
        for (unsigned n = 1; n <= count; n++) {
            step_at_random(false);
            seen[n] = look();
        }
        while (left > 0) {
            struct seen now;

            left -= 1 + (unsigned)random_below(left);
            machine_undo(machine, begin + left);
            now = look();
            assert_memory_equal(&now, &seen[left], sizeof now);
        }
        step_at_random(true);
        if (random_below(2))
            machine_release(machine, machine_position(machine));
        i += count / 8;
    }
    assert_true(machine->figures.addresses > 100);
}

/* A journal that grows: more steps than it has room for at first. */
static void takes_back_a_long_way(void **state)
{
    struct seen before, after;

    machine->registers[8] = PAGE;
    before = look();
    for (unsigned i = 0; i < SEEN; i++) {
        step(0x00148493, NULL);                                      /* addi x9, x9, 1 */
        step(0x00943023, NULL);                                      /* sd x9, 0(x8) */
    }
    assert_int_equal(pages_read(machine->pages, PAGE, 8), SEEN);
    machine_undo(machine, 0);
    after = look();
    assert_memory_equal(&before, &after, sizeof before);
    assert_false(machine_has_failed(machine));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(computes), TEST(computes_floats), TEST(loads_and_stores), TEST(faults_where_no_page_is),
        TEST(executes_atomics_on_the_right_path), TEST(jumps), TEST(takes_addresses_from_the_truth),
        TEST(arguments_of_calls_are_bounded), TEST(knows_paths_up_to_their_bound),
        TEST(calls_write_what_the_trace_has), TEST(leads_in), TEST(keeps_the_rounding_mode), TEST(expands),
        TEST(a_thread_begins_as_its_creator_was),
        TEST(undo_restores_all_state), TEST(takes_back_a_long_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
