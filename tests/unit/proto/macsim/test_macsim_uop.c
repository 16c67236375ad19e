/* proto/macsim/uop.h: the translation of macsim-traces 4.1 and 4.4, rule by rule, in our form and the reference's. */
#include "proto/macsim/uop.h"
#include "tests/support/macsim_writer.h"
#include "tests/support/unit.h"

enum { RAX = 10, RBX = 7, RCX = 9, RSP = 6, FLAGS = 25, RIP = 26, LINK = MACSIM_LINK_REGISTER };

static const struct macsim_format pin313 = {MACSIM_C80, MACSIM_X86_PIN313, MACSIM_REG_PIN313, false};
static const struct macsim_format tiles = {MACSIM_C464, MACSIM_X86_AMX2, MACSIM_REG_PIN313, false};
static const struct macsim_format a64 = {MACSIM_A80, MACSIM_A64, MACSIM_REG_NONE, false};

static struct macsim_cpu_record record_of(const struct macsim_format *format, const char *opcode)
{
    int const number = macsim_opcode_find(format->opcodes, opcode);

    assert_true(number >= 0);
    return (struct macsim_cpu_record){.pc = 0x400000, .opcode = (uint16_t)number, .size = 4, .bytes_read = 8,
                                      .bytes_written = 8};
}

static void read_registers(struct macsim_cpu_record *record, unsigned a, unsigned b)
{
    record->sources[0] = (uint16_t)a;
    record->sources[1] = (uint16_t)b;
    record->source_count = b != 0 ? 2 : 1;
}

static void write_register(struct macsim_cpu_record *record, unsigned a)
{
    record->destinations[0] = (uint16_t)a;
    record->destination_count = 1;
}

static void begin(struct macsim_uops *uops, const struct macsim_format *format, bool compat)
{
    struct macsim_uop_options const options = {.table = MACSIM_CORE_X86, .compat = compat};

    macsim_uops_init(uops, format, &options);
}

/* "load 100+8 7,9 > 10; alu 1600 > 10": kind, address and size of accesses, sources > destinations. */
static const char *told(const struct macsim_uops *uops)
{
    static char text[8000];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < uops->count; i++) {
        const struct macsim_uop *const uop = &uops->list[i];

        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "; " : "",
                                 macsim_uop_kind_name((enum macsim_uop_kind)uop->kind));
        if (macsim_uop_is_access(uop))
            used += (size_t)snprintf(text + used, sizeof text - used, " %x+%u", (unsigned)uop->address, uop->bytes);
        for (unsigned s = 0; s < uop->source_count; s++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", s ? "," : " ", uop->sources[s]);
        for (unsigned d = 0; d < uop->destination_count; d++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", d ? "," : " > ", uop->destinations[d]);
        if (uop->stops_fetch)
            used += (size_t)snprintf(text + used, sizeof text - used, " stop");
    }
    return text;
}

static void expect_of(const struct macsim_format *format, bool compat, const struct macsim_cpu_record *record,
                      const char *expected)
{
    struct macsim_uops *const uops = test_malloc(sizeof *uops);

    begin(uops, format, compat);
    assert_true(macsim_uops_decode(uops, record));
    assert_string_equal(told(uops), expected);
    macsim_uops_free(uops);
    test_free(uops);
}

static void expect(const struct macsim_cpu_record *record, const char *ours, const char *compat)
{
    expect_of(&pin313, false, record, ours);
    expect_of(&pin313, true, record, compat);
}

/* "dsts = all destinations if opcode==DATAXFER else none" */
static void moves_write_from_the_load(void **state)
{
    struct macsim_cpu_record move = record_of(&pin313, "DATAXFER"), add = record_of(&pin313, "BINARY");

    move.load_count = add.load_count = 1;
    move.load[0] = add.load[0] = 0x1000;
    move.bytes_read = add.bytes_read = 4;
    read_registers(&move, RBX, 0);
    write_register(&move, RAX);
    expect(&move, "load 1000+4 7 > 10", "load 1000+4 7 > 10");
    read_registers(&add, RBX, RAX);
    write_register(&add, RAX);
    expect(&add, "load 1000+4 7,10 > 1600; alu 7,10,1600 > 10", "load 1000+4 7,10 > 1600; alu 7,10,1600 > 10");
}

/* "ALU: STORE/BRANCH get all destination registers as extra sources"; without one they wait for the load. */
static void stores_and_branches_wait(void **state)
{
    struct macsim_cpu_record add = record_of(&pin313, "BINARY"), push = record_of(&pin313, "PUSH"),
                             jump = record_of(&pin313, "UNCOND_BR"), branch = record_of(&pin313, "COND_BR");

    add.load_count = 1;
    add.load[0] = add.store = 0x2000;
    add.has_store = true;
    add.store_count = 1;
    add.bytes_read = add.bytes_written = 4;
    read_registers(&add, RAX, 0);
    write_register(&add, FLAGS);
    expect(&add, "load 2000+4 10 > 1600; alu 10,1600 > 25; store 2000+4 10,25",
           "load 2000+4 10 > 1600; alu 10,1600 > 25; store 2000+4 10,25");
    push.load_count = 1;
    push.load[0] = 0x3000;
    push.store = 0x4000;
    push.has_store = true;
    push.store_count = 1;
    push.bytes_read = push.bytes_written = 4;
    read_registers(&push, RSP, 0);
    expect(&push, "load 3000+4 6 > 1600; store 4000+4 6,1600", "load 3000+4 6 > 1600; store 4000+4 6,1600");
    jump.cf = MACSIM_CF_INDIRECT_JUMP;
    jump.load_count = 1;
    jump.load[0] = 0x5000;
    jump.bytes_read = 4;
    read_registers(&jump, RBX, 0);
    expect(&jump, "load 5000+4 7 > 1600; branch 7,1600", "load 5000+4 7 > 1600; branch 7,1600");
    branch.cf = MACSIM_CF_CONDITIONAL;
    read_registers(&branch, FLAGS, RIP);
    write_register(&branch, RIP);
    expect(&branch, "alu 25,26 > 26; branch 25,26,26", "alu 25,26 > 26; branch 25,26,26");
}

/* "real_load = num_ld>=1 and kind is load": nothing waits for a prefetch. */
static void prefetches_have_no_dependents(void **state)
{
    struct macsim_cpu_record prefetch = record_of(&pin313, "PREFETCH_T0");

    prefetch.load_count = 1;
    prefetch.load[0] = 0x1040;
    prefetch.bytes_read = 1;
    read_registers(&prefetch, RBX, 0);
    expect(&prefetch, "prefetch 1040+1 7", "prefetch 1040+1 7");
}

static void fences_nops_and_barriers(void **state)
{
    struct macsim_cpu_record fence = record_of(&pin313, "MISC"), nop = record_of(&pin313, "NOP"),
                             call = record_of(&pin313, "SYSCALL"), busy = record_of(&pin313, "MISC");

    fence.load[1] = 1;
    expect(&fence, "fence", "fence");
    busy.load[1] = 1;
    write_register(&busy, RAX);
    expect(&busy, "alu > 10", "alu > 10");
    expect(&nop, "nop", "nop");
    write_register(&call, RCX);
    expect(&call, "alu > 9 stop", "alu > 9 stop");
    call = record_of(&pin313, "SEMAPHORE");
    call.has_store = true;
    call.store_count = 1;
    call.store = 0x10;
    call.bytes_written = 4;
    expect(&call, "store 10+4", "store 10+4");
}

/* Defects: 4 bytes at most; only exactly two loads are two. */
static void sizes_and_second_loads(void **state)
{
    struct macsim_cpu_record move = record_of(&pin313, "DATAXFER"), compare = record_of(&pin313, "AVX");

    move.has_store = true;
    move.store_count = 1;
    move.store = 0x7f;
    move.bytes_written = 64;
    expect(&move, "store 7f+64", "store 7f+4");
    move.bytes_written = 2;
    expect(&move, "store 7f+2", "store 7f+2");
    move.bytes_written = 0;
    expect(&move, "store 7f+1", "store 7f+1");
    compare.load_count = 2;
    compare.load[0] = 0x100;
    compare.load[1] = 0x200;
    compare.bytes_read = 16;
    write_register(&compare, RAX);
    expect(&compare, "load 100+16 > 1600; load 200+16 > 1600; alu 1600 > 10",
           "load 100+4 > 1600; load 200+4 > 1600; alu 1600 > 10");
    compare.load_count = 3;
    expect(&compare, "load 100+16 > 1600; load 200+16 > 1600; alu 1600 > 10", "load 100+4 > 1600; alu 1600 > 10");
}

/* Defects: STOS is a NOP; other string operations advance by 4 bytes, downwards if the record says so. */
static void string_operations(void **state)
{
    struct macsim_cpu_record stos = record_of(&pin313, "STRINGOP"), movs = record_of(&pin313, "STRINGOP");

    stos.has_store = true;
    stos.store_count = 1;
    stos.store = 0x900;
    stos.bytes_read = 0;
    read_registers(&stos, RCX, FLAGS);
    expect(&stos, "store 900+8 9,25", "nop");
    movs.load_count = 1;
    movs.load[0] = 0x1000;
    movs.has_store = true;
    movs.store_count = 1;
    movs.store = 0x2000;
    expect(&movs, "load 1000+8 > 1600; store 2000+8 1600",
           "load 1000+4 > 1600; store 2000+4 1600; load 1004+4 > 1600; store 2004+4 1600");
    movs.bytes_read = movs.bytes_written = 7;
    movs.repeat_direction = 1;
    expect(&movs, "load 1000+7 > 1600; store 2000+7 1600",
           "load 1000+4 > 1600; store 2000+4 1600; load ffc+3 > 1600; store 1ffc+3 1600");
}

/* Defect: a PC keeps the shape of its first record; addresses and sizes are each record's own. */
static void shapes_of_a_pc(void **state)
{
    struct macsim_cpu_record one = record_of(&pin313, "DATAXFER"), two = record_of(&pin313, "BINARY");
    struct macsim_uops *const uops = test_malloc(sizeof *uops);

    one.load_count = 1;
    one.load[0] = 0x100;
    one.bytes_read = 4;
    write_register(&one, RAX);
    two.has_store = true;
    two.store_count = 1;
    two.store = 0x300;
    two.load[0] = 0x500;
    two.bytes_read = 2;
    begin(uops, &pin313, true);
    assert_true(macsim_uops_decode(uops, &one));
    assert_string_equal(told(uops), "load 100+4 > 10");
    assert_true(macsim_uops_decode(uops, &two));
    assert_string_equal(told(uops), "load 500+2 > 10");
    two.pc++;
    assert_true(macsim_uops_decode(uops, &two));
    assert_string_equal(told(uops), "store 300+4");
    macsim_uops_free(uops);
    begin(uops, &pin313, false);
    assert_true(macsim_uops_decode(uops, &one));
    two.pc = one.pc;
    assert_true(macsim_uops_decode(uops, &two));
    assert_string_equal(told(uops), "store 300+8");
    macsim_uops_free(uops);
    test_free(uops);
}

/* More PCs than the table of shapes begins with. */
static void many_shapes(void **state)
{
    struct macsim_cpu_record move = record_of(&pin313, "DATAXFER");
    struct macsim_uops *const uops = test_malloc(sizeof *uops);

    move.has_store = true;
    move.store_count = 1;
    move.bytes_written = 4;
    begin(uops, &pin313, true);
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < 5000; i++) {
            move.pc = 0x400000 + 3 * (uint64_t)i;
            move.has_store = round == 0 && i % 2 == 0;
            move.load_count = round == 0 && i % 2 == 1;
            assert_true(macsim_uops_decode(uops, &move));
            assert_int_equal(uops->count, 1);
            assert_int_equal(uops->list[0].kind, i % 2 ? MACSIM_UOP_LOAD : MACSIM_UOP_STORE);
        }
    macsim_uops_free(uops);
    test_free(uops);
}

/* Defect: the instruction pointer ties instructions; "invalid" and "none" never do. */
static void registers_that_carry(void **state)
{
    struct macsim_uops *const uops = test_malloc(sizeof *uops);

    begin(uops, &pin313, false);
    assert_false(uops->carries[RIP]);
    assert_false(uops->carries[0]);
    assert_false(uops->carries[1]);
    assert_true(uops->carries[RAX]);
    assert_true(uops->carries[LINK]);
    begin(uops, &pin313, true);
    assert_true(uops->carries[RIP]);
    assert_false(uops->carries[0]);
    assert_false(uops->carries[1]);
    test_free(uops);
}

/* C464: a tile's rows follow each other; the reference makes one access of 4 bytes. */
static void rows_of_a_tile(void **state)
{
    struct macsim_cpu_record tile = record_of(&tiles, "BINARY");

    tile.load_count = 3;
    tile.load[0] = 0x1000;
    tile.bytes_read = 64;
    expect_of(&tiles, false, &tile, "load 1000+64; load 1040+64; load 1080+64");
    expect_of(&tiles, true, &tile, "load 1000+4");
    tile.load_count = 0;
    tile.has_store = true;
    tile.store_count = 2;
    tile.store = 0x2000;
    tile.bytes_written = 64;
    expect_of(&tiles, false, &tile, "store 2000+64; store 2040+64");
    expect_of(&tiles, true, &tile, "store 2000+4");
}

/* Tiles in records of 80 bytes: the count of rows and their first address; other instructions have two. */
static void tile_rows_in_c80(void **state)
{
    struct macsim_format const c80 = {MACSIM_C80, MACSIM_X86_AMX1, MACSIM_REG_PIN313, false};
    struct macsim_cpu_record tile = record_of(&c80, "AMX"), other = record_of(&c80, "AVX");
    char expected[16 * sizeof "load 10000+64; "] = "";

    tile.load_count = other.load_count = 16;
    tile.load[0] = other.load[0] = 0x10000;
    other.load[1] = 0x20000;
    tile.bytes_read = other.bytes_read = 64;
    for (unsigned i = 0; i < 16; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%sload %x+64", i ? "; " : "",
                 0x10000 + 64 * i);
    expect_of(&c80, false, &tile, expected);
    expect_of(&c80, true, &tile, "load 10000+4");
    expect_of(&c80, false, &other, "load 10000+64; load 20000+64");
}

/* "cf recomputed from the opcode"; "acquire loads gain an acquire-fence uop after, release stores a release-fence
 * before"; "ALU uops get no registers" */
static void a64_rules(void **state)
{
    struct macsim_cpu_record record = record_of(&a64, "LDAR");

    record.load_count = 1;
    record.load[0] = 0x40;
    record.bytes_read = 4;
    write_register(&record, 3);
    expect_of(&a64, false, &record, "load 40+4 > 3; fence");
    record = record_of(&a64, "STLR");
    record.has_store = true;
    record.store_count = 1;
    record.store = 0x80;
    record.bytes_written = 4;
    expect_of(&a64, false, &record, "fence; store 80+4");
    record = record_of(&a64, "CBZ");
    read_registers(&record, 4, 0);
    expect_of(&a64, false, &record, "branch 4");
    record = record_of(&a64, "ADD");
    record.cf = MACSIM_CF_JUMP;
    read_registers(&record, 4, 5);
    write_register(&record, 6);
    expect_of(&a64, false, &record, "alu 4,5 > 6");
    expect_of(&a64, true, &record, "alu");
    record = record_of(&a64, "DMB");
    expect_of(&a64, false, &record, "fence");
}

static void clipped_records_are_counted(void **state)
{
    struct macsim_cpu_record record = record_of(&pin313, "BINARY");
    struct macsim_uops *const uops = test_malloc(sizeof *uops);

    read_registers(&record, RAX, 1600);
    write_register(&record, 2000);
    record.load_count = 5;
    record.bytes_read = 0;
    begin(uops, &pin313, false);
    assert_true(macsim_uops_decode(uops, &record));
    assert_string_equal(told(uops), "load 0+1 10 > 1600; load 0+1 10 > 1600; alu 10,1600");
    assert_int_equal(uops->clipped_registers, 2);
    assert_int_equal(uops->clipped_loads, 3);
    assert_int_equal(uops->zero_sizes, 1);
    macsim_uops_free(uops);
    test_free(uops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_write_from_the_load), cmocka_unit_test(stores_and_branches_wait),
        cmocka_unit_test(prefetches_have_no_dependents), cmocka_unit_test(fences_nops_and_barriers),
        cmocka_unit_test(sizes_and_second_loads), cmocka_unit_test(string_operations),
        cmocka_unit_test(shapes_of_a_pc), cmocka_unit_test(many_shapes), cmocka_unit_test(registers_that_carry),
        cmocka_unit_test(rows_of_a_tile), cmocka_unit_test(tile_rows_in_c80),
        cmocka_unit_test(a64_rules), cmocka_unit_test(clipped_records_are_counted)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
