/* Reads grouped kernel files block by block (gpu-traces 4.2, 6); raw ones are first grouped into a temporary file
 * (4.1).
 *
 * A block is read into reusable buffers, then copied into one allocation of the right size, which the caller owns. So
 * memory is that of the blocks not yet freed by the caller, plus the buffers for one block. Oddities that do not
 * prevent reading are counted, and reported in one line for each kind at the end of the kernel. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/list.h"
#include "base/path.h"
#include "proto/gpu/gpu_group.h"
#include "proto/gpu/gpu_store_format.h"
#include "proto/gpu/gpu_text.h"
#include "proto/gpu/gpu_trace.h"
#include "proto/gpu/line.h"

#define WARPS_MAX 2048u              /* of a block: GPU_THREADS_MAX / 32 */
#define MARKS_MAX (UINT64_C(1) << 26)        /* blocks of a grid up to which repeated ones are noticed */

/* Oddities of a block: O(value, meaning) */
#define BLOCK_ODDITIES(O)                                                                                             \
    O(NO_EXIT, "the warp's last instruction does not end it; it ends there all the same")                             \
    O(EXTRA_WARP, "the warp lies beyond the block's size; it runs all the same")                                      \
    O(OUTSIDE, "the block lies outside of the grid; it runs all the same")                                            \
    O(TWICE, "the block was there before; it runs again")                                                             \
    O(CLUSTER, "the block is one of a cluster; blocks of clusters start one by one, as others do")

#define ODDITY_VALUE(value, text) value,
enum block_oddity { BLOCK_ODDITIES(ODDITY_VALUE) BLOCK_ODDITY_COUNT };

#define ODDITY_TEXT(value, text) text,
static const char *const block_oddity_texts[] = { BLOCK_ODDITIES(ODDITY_TEXT) };

struct warp {
    size_t first;                    /* of insts */
    uint32_t count;
    bool is_met;
};

struct gpu_reader {
    struct gpu_text text;
    struct gpu_lines lines;
    struct gpu_warnings warnings;
    struct gpu_oddity_count oddities[BLOCK_ODDITY_COUNT];
    bool is_from_raw;                /* from a raw file: grouping has already checked the grid */
    enum gpu_step step;              /* GPU_BLOCK as long as there may be more */
    struct fault error;        /* of GPU_FAILED */
    uint64_t grid_blocks;            /* saturating */
    uint8_t *marks;                  /* bit of each block of the grid; NULL: not kept */
    /* the block at hand */
    uint32_t id[3], header_warps, warp_top;
    struct gpu_cluster cluster;
    struct warp warps[WARPS_MAX];
    struct gpu_inst *insts;
    size_t inst_count, inst_room;
    int64_t *values;
    size_t value_count, value_room;
};

static struct fault gpu_kernel_fail(struct gpu_reader *reader, const char *text)
{
    return fault_at_line(gpu_text_name(&reader->text), reader->text.line, "%s", text);
}

static void gpu_kernel_note(struct gpu_reader *reader, enum block_oddity oddity)
{
    if (reader->oddities[oddity].count++ == 0)
        reader->oddities[oddity].first_line = reader->text.line;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

enum layout { LAYOUT_GROUPED, LAYOUT_RAW, LAYOUT_UNREADABLE };

/* By the first line behind the header that says something. A file without one has no blocks. */
static enum layout find_layout(struct gpu_text *text, struct fault *error)
{
    struct gpu_cursor line;
    enum gpu_text_step step;

    while ((step = gpu_text_next(text, &line, error)) == GPU_TEXT_LINE) {
        gpu_trim(&line);
        if (line.at == line.end || (*line.at == '#' && !gpu_equals(&line, "#BEGIN_TB")))
            continue;
        gpu_text_again(text);
        return *line.at == '#' ? LAYOUT_GROUPED : LAYOUT_RAW;
    }
    return step == GPU_TEXT_END ? LAYOUT_GROUPED : LAYOUT_UNREADABLE;
}

static struct fault open_text(struct gpu_kernel *kernel, const struct stream_source *source,
                              struct gpu_warnings *warnings)
{
    struct gpu_reader *const reader = kernel->reader;

    FORWARD(gpu_text_open(&reader->text, source));
    return gpu_header_read(&reader->text, &kernel->header, warnings);
}

/* From the file's grouped form, whose lines errors then name. */
static struct fault group(struct gpu_kernel *kernel)
{
    struct fault fault = fault_none();
    struct gpu_reader *const reader = kernel->reader;
    struct gpu_group_report report;
    struct gpu_warnings header_warnings = {0};
    struct stream_source source = {.path = kernel->file, .has_descriptor = true};
    bool good;

    reader->is_from_raw = true;
    gpu_text_close(&reader->text);
    gpu_header_free(&kernel->header);
    source.descriptor = gpu_group_temporary(kernel->file, 0, &report, &reader->warnings, &fault);
    if (source.descriptor < 0)
        return fault;
    good = WORKS(fault, open_text(kernel, &source, &header_warnings))
           && find_layout(&reader->text, &fault) != LAYOUT_UNREADABLE;
    gpu_warnings_free(&header_warnings);
    return good ? fault_none() : fault;
}

static struct fault gpu_kernel_prepare(struct gpu_kernel *kernel)
{
    struct gpu_reader *const reader = kernel->reader;
    const struct gpu_header *const header = &kernel->header;

    reader->header_warps = gpu_header_warps(header);
    if (!multiply_u64((uint64_t)header->grid[0] * header->grid[1], header->grid[2], &reader->grid_blocks))
        reader->grid_blocks = UINT64_MAX;
    if (reader->grid_blocks <= MARKS_MAX)
        reader->marks = calloc(reader->grid_blocks / 8 + 1, 1);
    return gpu_lines_init(&reader->lines, header, kernel->file, header->tracer_major < 3);
}

static void close_text(struct gpu_kernel *kernel);
static enum gpu_step next_of_text(struct gpu_kernel *kernel, struct gpu_block **block, struct fault *error);

static const struct gpu_format text_format = {.next_block = next_of_text, .close = close_text};

static struct fault open_kernel(struct gpu_kernel *kernel, const struct stream_source *source)
{
    struct fault fault = fault_none();
    struct gpu_reader *const reader = calloc(1, sizeof *reader);
    enum layout layout;

    kernel->format = &text_format;
    kernel->reader = reader;
    if (reader == NULL)
        return fault_memory(source->path, NULL);
    FORWARD(open_text(kernel, source, &reader->warnings));
    layout = find_layout(&reader->text, &fault);
    if (layout == LAYOUT_RAW && source->data != NULL)
        return fault_at(source->path, FAULT_NO_OFFSET, "is raw; expected grouped lines in memory");
    return (layout != LAYOUT_UNREADABLE && (layout == LAYOUT_GROUPED || WORKS(fault, group(kernel)))
            && WORKS(fault, gpu_kernel_prepare(kernel)))
               ? fault_none()
               : fault;
}

/* The end of opening: all or nothing. */
static struct fault be_open(struct gpu_kernel *kernel, struct fault fault)
{
    if (fault.kind != FAULT_NONE) {
        gpu_kernel_close(kernel);
        return fault;
    }
    struct gpu_reader *const reader = kernel->reader;

    kernel->warnings = reader->warnings.items;
    kernel->warning_count = reader->warnings.count;
    return fault;
}

struct fault gpu_kernel_open(struct gpu_kernel *kernel, const char *folder, const char *file)
{
    struct fault fault = fault_none();
    bool is_store;

    FORWARD(gpu_stored_open(kernel, folder, file, &is_store));
    if (is_store)
        return fault_none();
    *kernel = (struct gpu_kernel){.file = gpu_text_find(folder, file)};
    if (kernel->file == NULL)
        fault = fault_at(file, FAULT_NO_OFFSET, "is not there (folder \"%s\"), nor the same with or "
                                     "without .xz, .gz or .zst; name a kernel's file that is", folder);
    else
        fault = open_kernel(kernel, &(struct stream_source){.path = kernel->file});
    return be_open(kernel, fault);
}

struct fault gpu_list_kernel(struct gpu_kernel *kernel, const struct gpu_list *list, const char *file)
{
    return list->format != NULL ? list->format->open(kernel, list, file) : gpu_kernel_open(kernel, list->folder, file);
}

struct fault gpu_kernel_open_memory(struct gpu_kernel *kernel, const char *name, const void *data, size_t size)
{
    struct stream_source const source = {.path = name, .data = data, .size = size};

    *kernel = (struct gpu_kernel){.file = strdup(name)};
    return be_open(kernel, kernel->file ? open_kernel(kernel, &source) : fault_memory(name, NULL));
}

static void close_text(struct gpu_kernel *kernel)
{
    struct gpu_reader *const reader = kernel->reader;

    gpu_text_close(&reader->text);
    gpu_lines_free(&reader->lines);
    gpu_warnings_free(&reader->warnings);
    free(reader->marks);
    free(reader->insts);
    free(reader->values);
    free(reader);
}

void gpu_kernel_close(struct gpu_kernel *kernel)
{
    if (kernel->reader != NULL)
        kernel->format->close(kernel);
    gpu_header_free(&kernel->header);
    free(kernel->file);
    *kernel = (struct gpu_kernel){0};
}

/* --- a warp ------------------------------------------------------------------------------------------------------- */

static struct fault make_room(struct gpu_reader *reader)
{
    if (!list_fit(&reader->insts, reader->inst_count + 1, &reader->inst_room, sizeof *reader->insts))
        return fault_memory(gpu_text_name(&reader->text), "a block");
    if (reader->value_count >= UINT32_MAX / 2
        || !list_fit(&reader->values, reader->value_count + GPU_MAX_LANES, &reader->value_room, sizeof *reader->values))
        return fault_memory(gpu_text_name(&reader->text), "the addresses of a block");
    return fault_none();
}

static bool same_ids(const struct gpu_reader *reader, const struct gpu_line_ids *ids, uint32_t warp)
{
    return memcmp(ids->block, reader->id, sizeof ids->block) == 0 && ids->warp == warp;
}

/* Decodes one line; a line with an unexpected beginning is no instruction. */
static struct fault take_inst(struct gpu_reader *reader, struct gpu_cursor line, uint32_t warp)
{
    struct fault fault = fault_none();
    struct gpu_inst *inst;
    struct gpu_line_ids ids;

    FORWARD(make_room(reader));
    inst = &reader->insts[reader->inst_count];
    switch (gpu_lines_parse(&reader->lines, line, reader->text.line, &ids, inst, reader->values + reader->value_count,
                            &fault)) {
    case GPU_LINE_FAILED: return fault;
    case GPU_LINE_LEFT_OUT: return fault_none();
    case GPU_LINE_INST: break;
    }
    if (reader->lines.has_ids && !same_ids(reader, &ids, warp))
        return gpu_kernel_fail(reader, "the line names another block or warp than the one that it is in; trace "
                               "the program again");
    inst->values_at = (uint32_t)reader->value_count;
    reader->value_count += inst->value_count;
    reader->inst_count++;
    return fault_none();
}

static bool is_exit(const struct gpu_reader *reader, const struct gpu_inst *inst)
{
    return reader->lines.opcodes[reader->lines.statics.items[inst->index].opcode].cls == GPU_CLASS_EXIT;
}

/* The lines behind `insts = N`. */
static struct fault read_warp(struct gpu_reader *reader, uint32_t number, uint64_t lines)
{
    struct fault fault = fault_none();
    struct warp *const warp = &reader->warps[number];
    uint64_t const from = reader->text.line;
    struct gpu_cursor line;

    warp->first = reader->inst_count;
    for (uint64_t read = 0; read < lines;) {
        enum gpu_text_step const step = gpu_text_next(&reader->text, &line, &fault);

        if (step == GPU_TEXT_FAILED)
            return fault;
        if (step == GPU_TEXT_END)
            return fault_at_line(gpu_text_name(&reader->text), reader->text.line, "the file ends within a warp, after "
                                 "%" PRIu64 " of %" PRIu64 " lines; it was cut; get it again", read, lines);
        gpu_skip_blanks(&line);
        if (line.at == line.end)
            continue;
        if (*line.at == '#' || *line.at == 'w' || *line.at == 't' || *line.at == 'i')
            return fault_at_line(gpu_text_name(&reader->text), reader->text.line, "the warp ends after %" PRIu64
                                 " lines; expected the %" PRIu64 " that line %" PRIu64 " announces; trace the program "
                                 "again", read, lines, from);
        FORWARD(take_inst(reader, line, number));
        read++;
    }
    warp->count = (uint32_t)(reader->inst_count - warp->first);
    if (warp->count > 0 && !is_exit(reader, &reader->insts[reader->inst_count - 1]))
        gpu_kernel_note(reader, NO_EXIT);
    return fault_none();
}

/* --- a block ------------------------------------------------------------------------------------------------------ */

struct open_block {
    bool has_id, has_warp;           /* has_warp: its `insts` comes next */
    uint32_t warp;
};

static struct fault gpu_kernel_take_number(struct gpu_reader *reader, struct gpu_cursor text, uint64_t highest,
                                           const char *what, uint64_t *number)
{
    struct gpu_cursor const whole = text;

    if (gpu_take_unsigned(&text, highest, number) && text.at == text.end)
        return fault_none();
    return gpu_text_unexpected(gpu_text_name(&reader->text), reader->text.line, &whole, what);
}

static struct fault begin_warp(struct gpu_reader *reader, struct open_block *block, struct gpu_cursor text)
{
    uint64_t number;

    FORWARD(gpu_kernel_take_number(reader, text, WARPS_MAX - 1, "the warp's number, below 2048,", &number));
    if (number < reader->warp_top && reader->warps[number].is_met)
        return gpu_kernel_fail(reader, "the block has this warp already; expected each warp once; trace the program "
                                       "again");
    if (number >= reader->header_warps)
        gpu_kernel_note(reader, EXTRA_WARP);
    while (reader->warp_top <= number)
        reader->warps[reader->warp_top++] = (struct warp){0};
    reader->warps[number].is_met = true;
    block->warp = (uint32_t)number;
    block->has_warp = true;
    return fault_none();
}

static struct fault take_block_id(struct gpu_reader *reader, struct open_block *block, struct gpu_cursor text)
{
    if (block->has_id)
        return gpu_kernel_fail(reader, "a second \"thread block\" within a block; expected #END_TB before it; trace "
                               "the program again");
    block->has_id = true;
    return gpu_take_three(text, reader->id) ? fault_none() : gpu_text_unexpected(gpu_text_name(&reader->text),
                                                                                 reader->text.line, &text,
                                                                                 "three numbers such as 0,0,0");
}

/* Lines of version 6 behind the block's own. *is_one: it is one. */
static struct fault take_cluster(struct gpu_reader *reader, struct gpu_cursor line, bool *is_one)
{
    static const char *const three = "three numbers such as 0,0,0";
    struct gpu_cluster *const cluster = &reader->cluster;
    uint64_t rank;

    *is_one = true;
    if (gpu_take_word(&line, "cluster id ="))
        return gpu_take_three(line, cluster->id)
            ? fault_none() : gpu_text_unexpected(gpu_text_name(&reader->text), reader->text.line, &line, three);
    if (gpu_take_word(&line, "cluster cta ="))
        return gpu_take_three(line, cluster->block)
            ? fault_none() : gpu_text_unexpected(gpu_text_name(&reader->text), reader->text.line, &line, three);
    *is_one = gpu_take_word(&line, "cluster rank =");
    if (!*is_one)
        return fault_none();
    FORWARD(gpu_kernel_take_number(reader, line, UINT32_MAX, "the block's number in its cluster", &rank));
    cluster->rank = (uint32_t)rank;
    if (rank > 0)
        gpu_kernel_note(reader, CLUSTER);
    return gpu_cluster_check(cluster, gpu_text_name(&reader->text), reader->text.line);
}

/* A line between #BEGIN_TB and #END_TB, with the instructions that it announces. */
static struct fault take_block_line(struct gpu_reader *reader, struct open_block *block, struct gpu_cursor line)
{
    struct gpu_cursor const whole = line;
    bool is_cluster = false;
    uint64_t lines;

    if (gpu_equals(&line, "#BEGIN_TB"))
        return gpu_kernel_fail(reader, "a block begins within a block; expected #END_TB before it; trace the program "
                                       "again");
    if (block->has_warp) {
        if (!gpu_take_word(&line, "insts =") && !gpu_take_word(&line, "insts="))
            return gpu_text_unexpected(gpu_text_name(&reader->text), reader->text.line, &whole, "insts = N");
        block->has_warp = false;
        FORWARD(gpu_kernel_take_number(reader, line, UINT32_MAX, "the number of instructions, of 32 bits,", &lines));
        return read_warp(reader, block->warp, lines);
    }
    if (gpu_take_word(&line, "thread block ="))
        return take_block_id(reader, block, line);
    if (block->has_id && reader->lines.has_values)
        FORWARD(take_cluster(reader, line, &is_cluster));
    if (is_cluster)
        return fault_none();
    if (block->has_id && gpu_take_word(&line, "warp ="))
        return begin_warp(reader, block, line);
    return gpu_text_unexpected(gpu_text_name(&reader->text), reader->text.line, &whole, !block->has_id
                               ? "\"thread block = x,y,z\"" : "\"warp = N\" or #END_TB (or the warp has more lines "
                               "than its insts says)");
}

static struct fault read_block(struct gpu_reader *reader)
{
    struct fault fault = fault_none();
    struct open_block block = {0};
    struct gpu_cursor line;
    enum gpu_text_step step;

    reader->inst_count = reader->value_count = 0;
    reader->cluster = (struct gpu_cluster){0};
    reader->warp_top = 0;
    memset(reader->warps, 0, reader->header_warps * sizeof reader->warps[0]);
    while ((step = gpu_text_next(&reader->text, &line, &fault)) == GPU_TEXT_LINE) {
        gpu_trim(&line);
        if (line.at == line.end)
            continue;
        if (block.has_id && !block.has_warp && gpu_equals(&line, "#END_TB"))     /* its rank may be missing */
            return gpu_cluster_check(&reader->cluster, gpu_text_name(&reader->text), reader->text.line);
        FORWARD(take_block_line(reader, &block, line));
    }
    return (step == GPU_TEXT_END && WORKS(fault, gpu_kernel_fail(
               reader, "the file ends within a block; it was cut; get it again")))
        ? fault_none() : fault;
}

/* Counts the block's place in the grid. */
static void mark(struct gpu_reader *reader, const struct gpu_header *header)
{
    const uint32_t *const id = reader->id, *const grid = header->grid;
    uint64_t place;

    if (reader->grid_blocks == 0)
        return;
    if (id[0] >= grid[0] || id[1] >= grid[1] || id[2] >= grid[2]) {
        if (!reader->is_from_raw)
            gpu_kernel_note(reader, OUTSIDE);
        return;
    }
    if (reader->marks == NULL)
        return;
    place = ((uint64_t)id[2] * grid[1] + id[1]) * grid[0] + id[0];
    if ((reader->marks[place / 8] >> place % 8 & 1) != 0)
        gpu_kernel_note(reader, TWICE);
    reader->marks[place / 8] = (uint8_t)(reader->marks[place / 8] | 1u << place % 8);
}

static struct gpu_block *copy_block(const struct gpu_reader *reader)
{
    uint32_t const warps = reader->warp_top > reader->header_warps ? reader->warp_top : reader->header_warps;
    struct gpu_block *const block = gpu_block_copy(reader->id, warps, reader->insts, reader->inst_count, reader->values,
                                                   reader->value_count);

    if (block != NULL)
        block->cluster = reader->cluster;
    for (uint32_t i = 0; block != NULL && i < warps; i++)
        block->warps[i] = (struct gpu_warp_list){.insts = gpu_block_insts(block) + reader->warps[i].first,
                                                 .count = reader->warps[i].count};
    return block;
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

static void tell(struct gpu_kernel *kernel, const struct gpu_oddity_count *oddity, const char *text)
{
    struct gpu_reader *const reader = kernel->reader;
    struct gpu_warnings *const warnings = &reader->warnings;

    if (oddity->count == 1)
        gpu_warn(warnings, kernel->file, oddity->first_line, "%s", text);
    else if (oddity->count > 1)
        gpu_warn(warnings, kernel->file, oddity->first_line, "%s (and %" PRIu64 " more)", text, oddity->count - 1);
}

static void tell_oddities(struct gpu_kernel *kernel, bool is_whole)
{
    struct gpu_reader *const reader = kernel->reader;
    const uint32_t *const grid = kernel->header.grid;

    for (int i = 0; i < GPU_ODDITY_COUNT; i++)
        tell(kernel, &reader->lines.oddities[i], gpu_oddity_text((enum gpu_oddity)i));
    for (int i = 0; i < BLOCK_ODDITY_COUNT; i++)
        tell(kernel, &reader->oddities[i], block_oddity_texts[i]);
    if (is_whole && !reader->is_from_raw && kernel->blocks_read != reader->grid_blocks)
        gpu_warn(&reader->warnings, kernel->file, 0, "has %" PRIu64 " blocks, but its grid is (%" PRIu32 ",%" PRIu32
                 ",%" PRIu32 "); the blocks that are there run", kernel->blocks_read, grid[0], grid[1], grid[2]);
    kernel->warnings = reader->warnings.items;
    kernel->warning_count = reader->warnings.count;
}

/* To the next #BEGIN_TB. */
static enum gpu_step find_block(struct gpu_reader *reader, struct fault *error)
{
    struct gpu_cursor line;
    enum gpu_text_step step;

    while ((step = gpu_text_next(&reader->text, &line, error)) == GPU_TEXT_LINE) {
        gpu_trim(&line);
        if (gpu_equals(&line, "#BEGIN_TB"))
            return GPU_BLOCK;
        if (line.at < line.end && (*line.at != '#' || gpu_equals(&line, "#END_TB"))) {
            *error = gpu_text_unexpected(gpu_text_name(&reader->text), reader->text.line, &line, "#BEGIN_TB");
            return GPU_FAILED;
        }
    }
    return step == GPU_TEXT_END ? GPU_NO_BLOCK : GPU_FAILED;
}

static enum gpu_step gpu_kernel_next_block_part(struct gpu_kernel *kernel, struct gpu_block **block,
                                                struct fault *error)
{
    struct gpu_reader *const reader = kernel->reader;
    enum gpu_step const step = find_block(reader, error);

    if (step != GPU_BLOCK)
        return step;
    if (FAILS(*error, read_block(reader)))
        return GPU_FAILED;
    mark(reader, &kernel->header);
    *block = copy_block(reader);
    if (*block == NULL) {
        *error = fault_memory(gpu_text_name(&reader->text), "a block");
        return GPU_FAILED;
    }
    kernel->blocks_read++;
    kernel->statics = reader->lines.statics.items;
    kernel->static_count = reader->lines.statics.count;
    kernel->opcodes = reader->lines.opcodes;
    kernel->opcode_count = reader->lines.opcode_count;
    return GPU_BLOCK;
}

static enum gpu_step next_of_text(struct gpu_kernel *kernel, struct gpu_block **block, struct fault *error)
{
    struct gpu_reader *const reader = kernel->reader;

    *block = NULL;
    if (reader->step == GPU_BLOCK) {
        reader->step = gpu_kernel_next_block_part(kernel, block, &reader->error);
        if (reader->step != GPU_BLOCK)
            tell_oddities(kernel, reader->step == GPU_NO_BLOCK);
    }
    if (reader->step == GPU_FAILED)
        *error = reader->error;
    return reader->step;
}

enum gpu_step gpu_kernel_next_block(struct gpu_kernel *kernel, struct gpu_block **block, struct fault *error)
{
    return kernel->format->next_block(kernel, block, error);
}

struct gpu_block *gpu_block_new(const uint32_t id[3], uint32_t warp_count, uint64_t inst_count, uint64_t value_count)
{
    size_t const inst_bytes = inst_count * sizeof(struct gpu_inst), value_bytes = value_count * sizeof(int64_t);
    struct gpu_block *const block = malloc(sizeof *block + inst_bytes + value_bytes
                                           + warp_count * sizeof *block->warps);
    char *behind;

    if (block == NULL)
        return NULL;
    behind = (char *)(block + 1);
    *block = (struct gpu_block){
        .id = {id[0], id[1], id[2]}, .warp_count = warp_count, .values = (int64_t *)(void *)(behind + inst_bytes),
        .memory = block, .warps = (struct gpu_warp_list *)(void *)(behind + inst_bytes + value_bytes)
    };
    return block;
}

struct gpu_block *gpu_block_copy(const uint32_t id[3], uint32_t warp_count, const struct gpu_inst *insts,
                                 size_t inst_count, const int64_t *values, size_t value_count)
{
    struct gpu_block *const block = gpu_block_new(id, warp_count, inst_count, value_count);

    if (block != NULL && inst_count > 0)
        memcpy(gpu_block_insts(block), insts, inst_count * sizeof *insts);
    if (block != NULL && value_count > 0)
        memcpy((int64_t *)(uintptr_t)block->values, values, value_count * sizeof *values);
    return block;
}

void gpu_block_free(struct gpu_block *block)
{
    if (block != NULL)
        free(block->memory);
}
