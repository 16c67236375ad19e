/* Fuzz target: any bytes as instruction lines; the first byte chooses the header. A line may be refused, with a text
 * that can be printed, but not crash. Reading a line after others must give what reading it alone gives: earlier lines
 * only make it faster. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/gpu/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct parsed {
    enum gpu_line_step step;
    struct gpu_line_ids ids;
    struct gpu_inst inst;
    struct gpu_static fixed;
    struct gpu_opcode opcode;
    int64_t values[GPU_MAX_LANES];
};

static void expect_printable(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            abort();
}

static struct gpu_header header_of(unsigned choice)
{
    static uint32_t const versions[] = {35, 61, 75, 90};

    return (struct gpu_header){
        .isa = (choice & 1) != 0 ? GPU_ISA_GCN3 : GPU_ISA_SASS, .warp_size = (choice & 2) != 0 ? 64 : 32,
        .has_line_info = (choice & 4) != 0, .tracer_major = (choice & 128) != 0 ? 6 : (choice & 8) != 0 ? 5 : 3,
        .binary_version = versions[choice >> 5 & 3]
    };
}

static struct parsed parse(struct gpu_lines *lines, struct gpu_cursor line)
{
    struct parsed parsed = {.step = GPU_LINE_FAILED};
    struct fault error = fault_none();

    parsed.step = gpu_lines_parse(lines, line, 1, &parsed.ids, &parsed.inst, parsed.values, &error);
    expect_printable(fault_text(error));
    if (parsed.step == GPU_LINE_FAILED && fault_text(error)[0] == '\0')
        abort();
    if (parsed.step != GPU_LINE_INST)
        return parsed;
    if (parsed.inst.index >= lines->statics.count || parsed.inst.value_count > GPU_MAX_LANES)
        abort();
    parsed.fixed = lines->statics.items[parsed.inst.index];
    if (parsed.fixed.opcode >= lines->opcode_count || parsed.fixed.width_bytes > GPU_MAX_WIDTH
        || parsed.fixed.destination_count + parsed.fixed.source_count > GPU_MAX_REGISTERS)
        abort();
    parsed.opcode = lines->opcodes[parsed.fixed.opcode];
    return parsed;
}

/* Lanes that have an address are active ones, or the one of a scalar access. */
static void check_addresses(const struct parsed *parsed)
{
    struct gpu_block const block = {.values = parsed->values};
    bool const is_scalar = parsed->opcode.space == GPU_SPACE_SCALAR;
    uint64_t addresses[GPU_MAX_LANES];
    uint64_t const lanes = gpu_inst_addresses(&block, &parsed->inst, is_scalar, addresses);

    if ((lanes & ~(is_scalar ? 1 : parsed->inst.mask)) != 0)
        abort();
}

static bool same(const struct parsed *a, const struct parsed *b)
{
    if (a->step != b->step || a->step != GPU_LINE_INST)
        return a->step == b->step;
    return a->inst.mask == b->inst.mask && a->inst.base == b->inst.base && a->inst.stride == b->inst.stride
        && a->inst.mode == b->inst.mode && a->inst.value_count == b->inst.value_count
        && memcmp(a->values, b->values, a->inst.value_count * sizeof a->values[0]) == 0
        && a->fixed.pc == b->fixed.pc && a->fixed.immediate == b->fixed.immediate && a->fixed.line == b->fixed.line
        && a->fixed.width_bytes == b->fixed.width_bytes && a->fixed.traced_width == b->fixed.traced_width
        && a->fixed.destination_count == b->fixed.destination_count && a->fixed.source_count == b->fixed.source_count
        && a->fixed.commits_group == b->fixed.commits_group
        && memcmp(a->fixed.registers, b->fixed.registers, sizeof a->fixed.registers) == 0
        && memcmp(&a->opcode, &b->opcode, sizeof a->opcode) == 0;
}

static struct parsed parse_alone(const struct gpu_lines *like, const struct gpu_header *header, struct gpu_cursor line)
{
    struct fault error;
    struct gpu_lines lines;
    struct parsed parsed;

    if (FAILS(error, gpu_lines_init(&lines, header, "fuzz", like->has_ids)))
        abort();
    lines.is_shape_known = true;
    lines.has_extra_ids = like->has_extra_ids;
    parsed = parse(&lines, line);
    gpu_lines_free(&lines);
    return parsed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gpu_header const header = header_of(size > 0 ? data[0] : 0);
    struct gpu_text text;
    struct gpu_lines lines;
    struct gpu_cursor line;
    struct fault error;

    if (size < 2)
        return 0;
    if (FAILS(error,
              gpu_text_open(&text, &(struct stream_source){.path = "fuzz", .data = data + 1, .size = size - 1})))
        return 0;
    if (FAILS(error, gpu_lines_init(&lines, &header, "fuzz", (data[0] & 16) != 0)))
        abort();
    while (gpu_text_next(&text, &line, &error) == GPU_TEXT_LINE) {
        struct parsed const after = parse(&lines, line), again = parse(&lines, line);
        struct parsed const alone = parse_alone(&lines, &header, line);

        if (!same(&after, &alone) || !same(&again, &alone) || again.inst.index != after.inst.index)
            abort();
        if (alone.step == GPU_LINE_INST)
            check_addresses(&alone);
    }
    gpu_lines_free(&lines);
    gpu_text_close(&text);
    return 0;
}
