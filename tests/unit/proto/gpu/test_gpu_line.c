/* proto/gpu/line.h: columns, versions, registers, widths, the three address modes with their traps, immediates, tails,
 * and refusals (gpu-traces 3, 5, 6). */
#include "proto/gpu/line.h"
#include "tests/support/unit.h"

static struct gpu_header const sass3 = {.warp_size = 32, .binary_version = 70, .tracer_major = 3};
static struct gpu_header const sass5 = {.warp_size = 32, .binary_version = 80, .tracer_major = 5};
static struct gpu_header const sass5_lines = {
    .warp_size = 32, .binary_version = 75, .tracer_major = 5, .has_line_info = true
};
static struct gpu_header const gcn3 = {
    .isa = GPU_ISA_GCN3, .warp_size = 64, .binary_version = 100, .tracer_major = 3
};

/* A line on its own, and what came of it. */
struct one {
    struct gpu_lines lines;
    enum gpu_line_step step;
    struct gpu_line_ids ids;
    struct gpu_inst inst;
    int64_t values[GPU_MAX_LANES];
    const struct gpu_static *fixed;
    const struct gpu_opcode *opcode;
    struct fault error;
};

static void parse_next(struct one *one, const char *text)
{
    struct gpu_cursor const line = {text, text + strlen(text)};

    one->step = gpu_lines_parse(&one->lines, line, 7, &one->ids, &one->inst, one->values, &one->error);
    one->fixed = one->step == GPU_LINE_INST ? &one->lines.statics.items[one->inst.index] : NULL;
    one->opcode = one->fixed != NULL ? &one->lines.opcodes[one->fixed->opcode] : NULL;
}

static void begin(struct one *one, const struct gpu_header *header, bool has_ids)
{
    *one = (struct one){0};
    assert_true(WORKS(one->error, gpu_lines_init(&one->lines, header, "file", has_ids)));
}

/* To be freed by its lines. */
static void parse(struct one *one, const struct gpu_header *header, const char *text)
{
    begin(one, header, false);
    parse_next(one, text);
    if (one->step != GPU_LINE_INST)
        fail_msg("%s: %s", text, fault_text(one->error));
}

/* Lanes and addresses; expected: "lane:address lane:address" in hexadecimal. */
static void expect_addresses(const struct one *one, const char *expected)
{
    struct gpu_block const block = {.values = one->values};
    uint64_t addresses[GPU_MAX_LANES];
    uint64_t const lanes = gpu_inst_addresses(&block, &one->inst, one->opcode->space == GPU_SPACE_SCALAR, addresses);
    char text[GPU_MAX_LANES * 24] = "";
    size_t used = 0;

    for (unsigned lane = 0; lane < GPU_MAX_LANES; lane++)
        if ((lanes >> lane & 1) != 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u:%llx", used > 0 ? " " : "", lane,
                                     (unsigned long long)addresses[lane]);
    assert_string_equal(text, expected);
}

static void refuse(const struct gpu_header *header, const char *text, const char *expected)
{
    struct one one;

    begin(&one, header, false);
    parse_next(&one, text);
    if (one.step != GPU_LINE_FAILED)
        fail_msg("accepted: %s", text);
    if (strstr(fault_text(one.error), "file: line 7: ") == NULL || strstr(fault_text(one.error), expected) == NULL)
        fail_msg("%s: %s", text, fault_text(one.error));
    gpu_lines_free(&one.lines);
}

/* 3.1 */
static void reads_columns(void **state)
{
    struct one one;

    parse(&one, &sass3, "0090 0000ffff 1 R0 LDG.E.U8.SYS 1 R4 1 1 0x7f7393720000 1 ");
    assert_int_equal(one.fixed->pc, 0x90);
    assert_int_equal(one.inst.mask, 0xffff);
    assert_int_equal(one.fixed->destination_count, 1);
    assert_int_equal(one.fixed->source_count, 1);
    assert_int_equal(one.fixed->registers[0], 0);
    assert_int_equal(one.fixed->registers[1], 4);
    assert_string_equal(one.opcode->text, "LDG.E.U8.SYS");
    assert_int_equal(one.fixed->traced_width, 1);
    assert_int_equal(one.inst.mode, GPU_ADDRESS_STRIDE);
    assert_true(one.inst.base == 0x7f7393720000);
    assert_int_equal(one.inst.stride, 1);
    assert_int_equal(one.fixed->immediate, 0);
    gpu_lines_free(&one.lines);

    /* runs of blanks, blanks at both ends, tabs */
    parse(&one, &gcn3, " 00005124  ffffffffffffffff\t1 R2 V_MOV_B32_E32 0  0  ");
    assert_int_equal(one.fixed->pc, 0x5124);
    assert_true(one.inst.mask == UINT64_MAX);
    assert_int_equal(one.fixed->source_count, 0);
    assert_int_equal(one.inst.mode, GPU_ADDRESS_NONE);
    gpu_lines_free(&one.lines);
}

/* 3.1, 5: ids, line number, core ids; the order is ids, line number, pc */
static void reads_leading_columns(void **state)
{
    struct one one;

    begin(&one, &sass3, true);
    parse_next(&one, "41 2 3 21 0000 ffffffff 1 R1 MOV 0 0 ");
    assert_int_equal(one.step, GPU_LINE_INST);
    assert_int_equal(one.ids.block[0], 41);
    assert_int_equal(one.ids.block[1], 2);
    assert_int_equal(one.ids.block[2], 3);
    assert_int_equal(one.ids.warp, 21);
    gpu_lines_free(&one.lines);

    begin(&one, &sass3, true);
    parse_next(&one, "41 2 3 21 79 12 0010 ffffffff 1 R1 MOV 0 0 ");
    assert_int_equal(one.step, GPU_LINE_INST);
    assert_int_equal(one.ids.warp, 21);
    assert_int_equal(one.fixed->pc, 0x10);
    gpu_lines_free(&one.lines);

    begin(&one, &sass5_lines, true);
    parse_next(&one, "18 0 0 30 4711 0020 ffffffff 1 R1 MOV 0 0 0 ");
    assert_int_equal(one.step, GPU_LINE_INST);
    assert_int_equal(one.fixed->line, 4711);
    assert_int_equal(one.fixed->pc, 0x20);
    gpu_lines_free(&one.lines);

    parse(&one, &sass5_lines, "12 0000 ffffffff 1 R1 MOV 0 0 0 ");
    assert_int_equal(one.fixed->line, 12);
    gpu_lines_free(&one.lines);
}

/* 3.2 */
static void reads_registers(void **state)
{
    struct one one;
    char text[400] = "00005108 ffffffffffffffff 33";

    parse(&one, &gcn3, "00005108 ffffffffffffffff 8 S12 S13 S14 S15 S16 S17 S18 S19 S_LOAD_DWORDX8 2 S6 R255 32 1 "
          "0x6000 0");
    assert_int_equal(one.fixed->destination_count, 8);
    assert_int_equal(one.fixed->registers[0], GPU_SCALAR_REGISTER + 12);
    assert_int_equal(one.fixed->registers[9], 255);
    gpu_lines_free(&one.lines);

    parse(&one, &gcn3, "00005108 ffffffffffffffff 2 VCCLO VCCHI S_AND_B64 4 EXECLO EXECHI M0 SCC 0");
    assert_int_equal(one.fixed->registers[0], GPU_SCALAR_REGISTER + 106);
    assert_int_equal(one.fixed->registers[1], GPU_SCALAR_REGISTER + 107);
    assert_int_equal(one.fixed->registers[2], GPU_SCALAR_REGISTER + 126);
    assert_int_equal(one.fixed->registers[3], GPU_SCALAR_REGISTER + 127);
    assert_int_equal(one.fixed->registers[4], GPU_SCALAR_REGISTER + 124);
    assert_int_equal(one.fixed->registers[5], GPU_SCALAR_REGISTER + 253);
    gpu_lines_free(&one.lines);

    /* others are left out, with a warning */
    parse(&one, &sass3, "0000 ffffffff 2 RZ P0 MOV 2 UR4 R5 0 ");
    assert_int_equal(one.fixed->destination_count, 1);
    assert_int_equal(one.fixed->registers[0], GPU_ZERO_REGISTER);
    assert_int_equal(one.fixed->source_count, 1);
    assert_int_equal(one.fixed->registers[1], 5);
    assert_int_equal(one.lines.oddities[GPU_ODD_OTHER_REGISTER].count, 2);
    gpu_lines_free(&one.lines);

    /* more than the limit */
    for (int i = 0; i < 33; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " S%d", i);
    snprintf(text + strlen(text), sizeof text - strlen(text), " S_NOP 2 S1 S2 0");
    parse(&one, &gcn3, text);
    assert_int_equal(one.fixed->destination_count, GPU_MAX_REGISTERS);
    assert_int_equal(one.fixed->source_count, 0);
    assert_int_equal(one.lines.oddities[GPU_ODD_MANY_REGISTERS].count, 2);
    assert_int_equal(one.lines.oddities[GPU_ODD_MANY_REGISTERS].first_line, 7);
    gpu_lines_free(&one.lines);
}

/* 3.3: mem_width where it can be right, else by the opcode; LDSM is 16; GCN3 as it is */
static void finds_widths(void **state)
{
    static const struct {
        const char *text;
        unsigned traced, width;
    } cases[] = {
        {"0000 00000001 1 R0 LDG.E.64 1 R4 4 1 0x0 0", 4, 4}, {"0000 00000001 1 R0 LDG.E.64 1 R4 3 1 0x0 0", 3, 8},
        {"0000 00000001 1 R0 LDG.E.96 1 R4 12 1 0x0 0", 12, 12}, {"0000 00000001 1 R0 LDG.E 1 R4 64 1 0x0 0", 64, 4},
        {"0000 00000001 1 R0 LDSM.16.M88.4 1 R4 4 1 0x0 0", 4, 16}, {"0000 00000001 1 R0 LDS.U8 1 R4 5 1 0x0 0", 5, 1},
        {"0000 00000001 1 R0 LDC 1 R4 0 ", 0, 0}, {"0000 00000001 0 STG.E.S16 1 R4 65535 1 0x0 0", 65535, 2}
    };
    struct one one;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        parse(&one, &sass3, cases[i].text);
        assert_int_equal(one.fixed->traced_width, cases[i].traced);
        assert_int_equal(one.fixed->width_bytes, cases[i].width);
        gpu_lines_free(&one.lines);
    }
    parse(&one, &gcn3, "00005108 ffffffffffffffff 1 S1 S_LOAD_DWORDX16 1 S6 64 1 0x6000 0");
    assert_int_equal(one.fixed->width_bytes, 64);
    gpu_lines_free(&one.lines);
    refuse(&sass3, "0000 00000001 1 R0 LDG.E 1 R4 65536 1 0x0 0", "width");
    refuse(&gcn3, "00005108 ffffffffffffffff 1 S1 S_LOAD_DWORDX16 1 S6 65 1 0x6000 0", "0 to 64");
}

/* 3.4, mode 0 */
static void reads_lists(void **state)
{
    struct one one;

    parse(&one, &sass3, "0000 80000005 1 R2 LDG 1 R1 4 0 0x10 20 0xffffffffffffffff ");
    assert_int_equal(one.inst.mode, GPU_ADDRESS_LIST);
    assert_int_equal(one.inst.value_count, 3);
    assert_int_equal(one.inst.base, 0x10);
    expect_addresses(&one, "0:10 2:20 31:ffffffffffffffff");
    gpu_lines_free(&one.lines);

    parse(&one, &sass3, "0000 00000000 1 R2 LDG 1 R1 4 0 ");
    expect_addresses(&one, "");
    gpu_lines_free(&one.lines);
    refuse(&sass3, "0000 00000007 1 R2 LDG 1 R1 4 0 0x10 0x20", "address of an active lane");
}

/* 3.4, mode 1; detail 2: an empty mask; 7: 16 digits; "treat the later lanes as having no address" */
static void reads_strides(void **state)
{
    struct one one;

    parse(&one, &sass3, "0000 000000f0 1 R2 LDG 1 R1 4 1 0x100 4 ");
    expect_addresses(&one, "4:100 5:104 6:108 7:10c");
    gpu_lines_free(&one.lines);

    parse(&one, &sass3, "0000 00000007 1 R2 LDG 1 R1 8 1 0x00007f2d93400000 -8 ");
    expect_addresses(&one, "0:7f2d93400000 1:7f2d933ffff8 2:7f2d933ffff0");
    gpu_lines_free(&one.lines);

    parse(&one, &sass3, "0000 00000000 1 R2 LDG 1 R1 4 1 0x0 0 ");
    assert_int_equal(one.inst.mode, GPU_ADDRESS_STRIDE);
    expect_addresses(&one, "");
    gpu_lines_free(&one.lines);

    parse(&one, &sass3, "0000 00ff0003 1 R2 LDG 1 R1 4 1 0x100 4 ");
    expect_addresses(&one, "0:100 1:104");
    assert_int_equal(one.lines.oddities[GPU_ODD_SECOND_RUN].count, 1);
    gpu_lines_free(&one.lines);

    parse(&one, &gcn3, "00005108 ffffffffffffffff 1 R1 FLAT_LOAD_DWORD 2 R1 R2 4 1 0x0 0");
    assert_int_equal(one.lines.oddities[GPU_ODD_SECOND_RUN].count, 0);
    gpu_lines_free(&one.lines);
}

/* 3.4, mode 2: chained; detail 1: one lane has a base and nothing else */
static void reads_deltas(void **state)
{
    struct one one;

    parse(&one, &sass3, "0000 80000013 1 R2 LDG 1 R1 4 2 0x100 4 -16 1000 ");
    assert_int_equal(one.inst.value_count, 3);
    expect_addresses(&one, "0:100 1:104 4:f4 31:4dc");
    gpu_lines_free(&one.lines);

    parse(&one, &sass3, "00d0 00000100 0 STG.E.U8.SYS 2 R4 R255 1 2 0x7f7393720000 ");
    assert_int_equal(one.inst.value_count, 0);
    expect_addresses(&one, "8:7f7393720000");
    gpu_lines_free(&one.lines);
    refuse(&sass3, "0000 00000007 1 R2 LDG 1 R1 4 2 0x100 4 ", "step to the next lane");
}

/* 3.4, detail 1: the stride of one lane means nothing, but is a number of 64 bits */
static void one_lane_ignores_its_stride(void **state)
{
    struct one one;

    parse(&one, &gcn3, "00005108 0000000000000001 1 R1 FLAT_LOAD_UBYTE 2 R1 R2 1 1 0xfffffffffffffff0 274877902928");
    expect_addresses(&one, "0:fffffffffffffff0");
    gpu_lines_free(&one.lines);
    refuse(&gcn3, "00005108 0000000000000001 1 R1 FLAT_LOAD_UBYTE 2 R1 R2 1 1 0x10 9223372036854775808", "stride");
}

/* 3.4, detail 3: the immediate is behind |A|-1 deltas */
static void immediate_behind_deltas(void **state)
{
    struct one one;

    parse(&one, &sass5, "0000 00000003 1 R2 LDG 1 R1 4 2 0x100 4 77 ");
    assert_int_equal(one.fixed->immediate, 77);
    expect_addresses(&one, "0:100 1:104");
    gpu_lines_free(&one.lines);
    parse(&one, &sass5, "0000 00000001 1 R2 LDG 1 R1 4 2 0x100 77 ");
    assert_int_equal(one.fixed->immediate, 77);
    expect_addresses(&one, "0:100");
    gpu_lines_free(&one.lines);
    parse(&one, &sass5, "0000 00000003 1 R2 LDG 1 R1 4 0 0x100 0x200 -1 ");
    assert_int_equal(one.fixed->immediate, -1);
    expect_addresses(&one, "0:100 1:200");
    gpu_lines_free(&one.lines);
}

/* 3.4, detail 4: scalar accesses have a mask of ones, fewer deltas, and only the first address counts */
static void scalar_has_one_address(void **state)
{
    struct one one;

    parse(&one, &gcn3, "00005204 ffffffffffffffff 1 S1 S_LOAD_DWORD 2 S6 S7 4 2 0x6020 0 0 0");
    assert_int_equal(one.inst.value_count, 0);
    expect_addresses(&one, "0:6020");
    assert_int_equal(one.lines.oddities[GPU_ODD_FEW_ADDRESSES].count, 0);
    gpu_lines_free(&one.lines);
    parse(&one, &gcn3, "00005204 ffffffffffffffff 1 S1 S_LOAD_DWORD 2 S6 S7 4 2 0x0");
    expect_addresses(&one, "0:0");
    gpu_lines_free(&one.lines);
    parse(&one, &gcn3, "00005204 ffffffffffffffff 1 S1 S_BUFFER_LOAD_DWORD 2 S6 S7 4 1 0xfffffffffffffffc 64");
    expect_addresses(&one, "0:fffffffffffffffc");
    gpu_lines_free(&one.lines);
}

/* 3.4, detail 5: 64 lanes, 63 deltas */
static void reads_64_lanes(void **state)
{
    char text[600] = "00005204 ffffffffffffffff 1 R1 FLAT_LOAD_DWORD 2 R1 R2 4 2 0x1000";
    uint64_t addresses[GPU_MAX_LANES];
    struct one one;

    for (int i = 0; i < 63; i++)
        strcat(text, " 256");
    parse(&one, &gcn3, text);
    assert_int_equal(one.inst.value_count, 63);
    assert_true(gpu_inst_addresses(&(struct gpu_block){.values = one.values}, &one.inst, false, addresses)
                == UINT64_MAX);
    assert_int_equal(addresses[63], 0x1000 + 63 * 256);
    gpu_lines_free(&one.lines);

    /* vector accesses with fewer: the last lanes have none */
    parse(&one, &gcn3, "00005204 000000000000000f 1 R1 FLAT_LOAD_DWORD 2 R1 R2 4 2 0x1000 4");
    expect_addresses(&one, "0:1000 1:1004");
    assert_int_equal(one.lines.oddities[GPU_ODD_FEW_ADDRESSES].count, 1);
    gpu_lines_free(&one.lines);
}

/* 3.5 */
static void reads_immediates(void **state)
{
    static const struct {
        const char *text;
        int64_t immediate;
    } cases[] = {
        {"0000 ffffffff 1 R1 MOV 0 0 1073742663 ", 1073742663}, {"0000 ffffffff 1 R1 MOV 0 0 -2147483648", INT32_MIN},
        {"0000 ffffffff 1 R1 MOV 0 0 ", 0}, {"0000 ffffffff 1 R1 MOV 0 0 -0", 0},
        {"0000 ffffffff 0 STG 1 R1 4 1 0x0 4 16 STORE_DATA I32 1 REG0:T0:0x1 T1:0x2", 16},
        {"0000 ffffffff 0 STG 1 R1 4 1 0x0 4 STORE_DATA I32", 0}
    };
    struct one one;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        parse(&one, &sass5, cases[i].text);
        assert_int_equal(one.fixed->immediate, cases[i].immediate);
        gpu_lines_free(&one.lines);
    }
    refuse(&sass5, "0000 ffffffff 1 R1 MOV 0 0 9223372036854775808", "immediate");
    refuse(&sass5, "0000 ffffffff 1 R1 MOV 0 0 12x", "immediate");

    /* before version 5 it is a tail like any other */
    parse(&one, &sass3, "0000 ffffffff 1 R1 MOV 0 0 12x anything \"at\" all");
    assert_int_equal(one.fixed->immediate, 0);
    gpu_lines_free(&one.lines);
}

/* header: "A line like an earlier one of the same pc is compared, not read again" - with the same result */
static void repeated_lines_share_a_static(void **state)
{
    struct one one;
    uint32_t load, move;

    begin(&one, &sass5, false);
    parse_next(&one, "0010 ffffffff 1 R2 LDG.E 1 R1 4 1 0x100 4 8 ");
    load = one.inst.index;
    parse_next(&one, "0020 ffffffff 1 R1 MOV 0 0 0 ");
    move = one.inst.index;
    assert_int_not_equal(load, move);
    parse_next(&one, "0010 0000000f 1 R2 LDG.E 1 R1 4 2 0x200 4 4 8 8 ");
    assert_int_equal(one.inst.index, load);
    assert_int_equal(one.inst.mask, 0xf);
    expect_addresses(&one, "0:200 1:204 2:208 3:210");
    parse_next(&one, "0020 00000000 1 R1 MOV 0 0 0 ");
    assert_int_equal(one.inst.index, move);
    assert_int_equal(one.inst.mask, 0);
    /* other blanks, same meaning */
    parse_next(&one, "0020 ffffffff  1  R1 MOV 0 0 0");
    assert_int_equal(one.inst.index, move);
    /* the immediate is part of what an instruction is */
    parse_next(&one, "0010 ffffffff 1 R2 LDG.E 1 R1 4 1 0x100 4 16 ");
    assert_int_not_equal(one.inst.index, load);
    assert_int_equal(one.fixed->immediate, 16);
    parse_next(&one, "0010 ffffffff 1 R2 LDG.E 1 R1 4 1 0x100 4 8 ");
    assert_int_equal(one.inst.index, load);
    assert_int_equal(one.lines.statics.count, 3);
    assert_int_equal(one.lines.opcode_count, 2);
    gpu_lines_free(&one.lines);
}

/* Tables grow without losing anything. */
static void many_statics(void **state)
{
    struct one one;
    char text[100];

    begin(&one, &sass3, false);
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < 5000; i++) {
            snprintf(text, sizeof text, "%04x ffffffff 1 R%u OP%u.E 0 0 ", 16 * i, i % 255, i % 700);
            parse_next(&one, text);
            assert_int_equal(one.step, GPU_LINE_INST);
            assert_int_equal(one.inst.index, i);
            assert_int_equal(one.fixed->pc, 16 * i);
        }
    assert_int_equal(one.lines.statics.count, 5000);
    assert_int_equal(one.lines.opcode_count, 700);
    gpu_lines_free(&one.lines);
}

/* header of opcodes: an unknown one is classified by its width, so it may be there twice; a known one is not */
static void opcodes_by_text(void **state)
{
    struct one one;

    begin(&one, &sass3, false);
    parse_next(&one, "0010 ffffffff 1 R2 LDG 1 R1 4 1 0x100 4 ");
    parse_next(&one, "0020 ffffffff 1 R2 LDG 1 R1 0 ");
    assert_int_equal(one.lines.opcode_count, 1);
    parse_next(&one, "0030 ffffffff 1 R2 QQQ 1 R1 4 1 0x100 4 ");
    assert_int_equal(one.opcode->space, GPU_SPACE_GLOBAL);
    parse_next(&one, "0040 ffffffff 1 R2 QQQ 1 R1 0 ");
    assert_int_equal(one.opcode->space, GPU_SPACE_NONE);
    assert_int_equal(one.lines.opcode_count, 3);
    gpu_lines_free(&one.lines);
}

/* 6 */
static void refuses_malformed_lines(void **state)
{
    refuse(&sass3, "", "the line ends where the pc");
    refuse(&sass3, "0000", "pc and the mask");
    refuse(&sass3, "xyz ffffffff 0 EXIT 0 0", "found \"xyz ffff");
    refuse(&sass3, "0000 1ffffffff 0 EXIT 0 0", "32 lanes");
    refuse(&sass3, "0000 fffffffffffffffff 0 EXIT 0 0", "mask");
    refuse(&sass3, "10000000000000000 ffffffff 0 EXIT 0 0", "pc");
    refuse(&sass3, "0000 ffffffff", "number of destination registers");
    refuse(&sass3, "0000 ffffffff x EXIT 0 0", "number of destination registers");
    refuse(&sass3, "0000 ffffffff 1 R256 MOV 0 0", "R255");
    refuse(&sass3, "0000 ffffffff 1 S1 MOV 0 0", "register such as R12");
    refuse(&sass3, "0000 ffffffff 1 R MOV 0 0", "register such as R12");
    refuse(&sass3, "0000 ffffffff 2 R1 MOV 0 0", "register such as R12");
    refuse(&sass3, "0000 ffffffff 0", "an opcode");
    refuse(&sass3, "0000 ffffffff 0 EXIT", "number of source registers");
    refuse(&sass3, "0000 ffffffff 0 EXIT 0", "width");
    refuse(&sass3, "0000 ffffffff 0 EXIT 0 -1", "width");
    refuse(&sass3, "0000 ffffffff 1 R2 LDG 1 R1 4", "mode");
    refuse(&sass3, "0000 ffffffff 1 R2 LDG 1 R1 4 3 0x0", "mode");
    refuse(&sass3, "0000 ffffffff 1 R2 LDG 1 R1 4 18446744073709551616 0x0", "mode");
    refuse(&sass3, "0000 ffffffff 1 R2 LDG 1 R1 4 1", "first address");
    refuse(&sass3, "0000 ffffffff 1 R2 LDG 1 R1 4 1 0x", "first address");
    refuse(&sass3, "0000 ffffffff 1 R2 LDG 1 R1 4 1 0x10000000000000000 0", "first address");
    refuse(&sass3, "0000 ffffffff 1 R2 LDG 1 R1 4 1 0x0", "stride");
    refuse(&sass3, "0000 ffffffff 1 R2 LDG 1 R1 4 1 0x0 99999999999999999999", "stride");
    refuse(&sass3, "0000 00000003 1 R2 LDG 1 R1 4 2 0x0 --1", "step");
    refuse(&sass3, "0000 0000000f 1 R2 LDG 1 R1 4 1 0xfffffffffffffff0 8", "beyond 64 bits");
    refuse(&sass3, "0000 0000000f 1 R2 LDG 1 R1 4 1 0x10 -8", "beyond 64 bits");
    refuse(&sass3, "0000 0000000f 1 R2 LDG 1 R1 4 1 0x10 9223372036854775807", "beyond 64 bits");
    refuse(&sass3, "0000 00000003 1 R2 LDG 1 R1 4 2 0x10 -17", "beyond 64 bits");
    refuse(&sass5_lines, "4294967296 0000 ffffffff 1 R1 MOV 0 0 0", "source's line");
}

/* "Do not echo file contents unescaped": unprintable bytes are shown as '?' */
static void shows_only_printable_bytes(void **state)
{
    struct one one;

    refuse(&sass3, "0000 ffffffff 0 EXIT 0 \x1b[2J\x9b", "found \"?[2J?\"");
    parse(&one, &sass3, "0000 ffffffff 0 EX\x1bIT 0 0");
    assert_string_equal(one.opcode->text, "EX?IT");
    gpu_lines_free(&one.lines);
}

/* 6: "GCN3 line with empty body: warn, skip" */
static void leaves_out_empty_bodies(void **state)
{
    static const char *const texts[] = {
        "00005210 ffffffffffffffff", "00005210", "00005210 ffffffffffffffff 1 R1",
        "00005210 ffffffffffffffff 0 FLAT_ATOMIC_ADD", "00005210 ffffffffffffffff 0 FLAT_ATOMIC_ADD 1 R1 "
    };
    struct one one;

    begin(&one, &gcn3, false);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        parse_next(&one, texts[i]);
        assert_int_equal(one.step, GPU_LINE_LEFT_OUT);
    }
    assert_int_equal(one.lines.oddities[GPU_ODD_EMPTY_BODY].count, 5);
    assert_int_equal(one.lines.statics.count, 0);
    gpu_lines_free(&one.lines);
    refuse(&gcn3, "00005210 ffffffffffffffff 0 FLAT_ATOMIC_ADD 0 4", "mode");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_columns), cmocka_unit_test(reads_leading_columns), cmocka_unit_test(reads_registers),
        cmocka_unit_test(finds_widths), cmocka_unit_test(reads_lists), cmocka_unit_test(reads_strides),
        cmocka_unit_test(reads_deltas), cmocka_unit_test(one_lane_ignores_its_stride),
        cmocka_unit_test(immediate_behind_deltas), cmocka_unit_test(scalar_has_one_address),
        cmocka_unit_test(reads_64_lanes), cmocka_unit_test(reads_immediates),
        cmocka_unit_test(repeated_lines_share_a_static), cmocka_unit_test(many_statics),
        cmocka_unit_test(opcodes_by_text), cmocka_unit_test(refuses_malformed_lines),
        cmocka_unit_test(shows_only_printable_bytes), cmocka_unit_test(leaves_out_empty_bodies)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
