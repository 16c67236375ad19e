/* rubato trace info of MacSim traces: contents of the headers, how the format was detected, then one pass over all
 * streams. Memory grows with distinct lines and PCs, and with the number of threads, not with their length. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/line_span.h"
#include "base/number_map.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/trace_kinds.h"
#include "proto/macsim/set.h"
#include "cli/trace/sheet.h"
#include "cli/trace/reuse_print.h"
#include "cli/trace/trace_command.h"

enum { CPU_LINE = 64, GPU_LINE = 128, THREADS_SHOWN = 16, OPCODES_SHOWN = 24, OPCODES = 1 << 16, NAME_BYTES = 24 };

/* field, text, JSON key: of CPUs and GPUs, of CPUs, of GPUs */
#define BOTH_COUNTS(C)                                                                                                \
    C(records, "records") C(instructions, "instructions") C(tail_bytes, "tail_bytes") C(faulty, "odd_records")
#define CPU_COUNTS(C)                                                                                                 \
    C(loads, "loads") C(stores, "stores") C(bytes_read, "bytes_read") C(bytes_written, "bytes_written")               \
    C(fp, "floating_point") C(taken, "taken_conditional") C(sources, "source_registers")                              \
    C(destinations, "destination_registers")
#define GPU_COUNTS(C)                                                                                                 \
    C(loads, "loads") C(stores, "stores") C(others, "other_accesses") C(lanes, "lane_addresses")                      \
    C(children, "child_records") C(fp, "floating_point") C(active, "active_lanes") C(sources, "source_registers")     \
    C(destinations, "destination_registers")

struct counts {
    uint64_t records, instructions, tail_bytes, faulty;
    uint64_t loads, stores, others, bytes_read, bytes_written, fp, taken, sources, destinations;
    uint64_t lanes, children, active;
    uint64_t cf[256];
    uint64_t *opcodes;                   /* OPCODES of them */
    struct number_map pcs, lines;
    struct reuse reuse;
    uint64_t *thread_records;            /* of each thread */
};

struct info {
    struct macsim_set set;
    uint64_t line_bytes;                 /* 0: by kind */
    const struct macsim_part *part;      /* the one being looked at */
    struct counts counts;
    struct lane_lines lanes;             /* of the record being looked at */
    struct sheet sheet;
};

/* --- counting ----------------------------------------------------------------------------------------------------- */

static void macsim_info_touch(struct info *info, uint64_t address, uint64_t bytes)
{
    uint64_t const line_bytes = info->line_bytes != 0 ? info->line_bytes : info->part->is_gpu ? GPU_LINE : CPU_LINE;
    struct line_span const span = line_span_of(address, bytes, line_bytes);

    for (uint64_t i = 0; i < span.count; i++)
        number_map_add(&info->counts.lines, span.first + i);
    if (info->part->is_gpu)
        lane_lines_add(&info->lanes, address, bytes, line_bytes);
    else
        reuse_touch_bytes(&info->counts.reuse, address, bytes, line_bytes);
}

static void count_cpu(struct info *info, const struct macsim_cpu_record *record)
{
    struct counts *const counts = &info->counts;

    counts->loads += record->load_count;
    counts->stores += record->has_store;
    counts->bytes_read += (uint64_t)record->load_count * record->bytes_read;
    counts->bytes_written += record->has_store ? record->bytes_written : 0;
    counts->fp += record->is_fp;
    counts->taken += record->cf == MACSIM_CF_CONDITIONAL && record->taken;
    counts->sources += record->source_count;
    counts->destinations += record->destination_count;
    counts->cf[record->cf]++;
    counts->opcodes[record->opcode]++;
    number_map_add(&counts->pcs, record->pc);
    if (record->load_count > 2)          /* rows of a tile, which follow each other */
        macsim_info_touch(info, record->load[0], (uint64_t)record->load_count * record->bytes_read);
    for (unsigned i = 0; record->load_count <= 2 && i < record->load_count; i++)
        macsim_info_touch(info, record->load[i], record->bytes_read);
    if (record->has_store)
        macsim_info_touch(info, record->store, record->bytes_written);
}

/* Only memory that all blocks share is in the footprint. */
static void count_lanes(struct info *info, const struct macsim_gpu_record *record, unsigned space)
{
    bool const is_shared_by_all = space == MACSIM_GLOBAL || space == MACSIM_LOCAL || space == MACSIM_GENERIC;

    for (unsigned lane = 0; record->has_lanes && lane < MACSIM_LANES; lane++) {
        info->counts.lanes += record->lanes[lane] != 0;
        if (is_shared_by_all && record->lanes[lane] != 0)
            macsim_info_touch(info, record->lanes[lane], record->access_bytes);
    }
    if (record->has_lanes || !is_shared_by_all)
        return;
    macsim_info_touch(info, record->address, 1);
    for (unsigned i = 0; i < record->child_count; i++)
        macsim_info_touch(info, record->children[i], 1);
}

static void count_gpu(struct info *info, const struct macsim_gpu_record *record)
{
    struct counts *const counts = &info->counts;
    struct macsim_gpu_op const op = macsim_gpu_op(info->part->detection.format.opcodes, record->opcode);

    counts->loads += record->is_load;
    counts->stores += op.access == MACSIM_STORE;
    counts->others += record->accesses_memory && !record->is_load && op.access != MACSIM_STORE;
    counts->children += record->child_count;
    counts->fp += record->is_fp;
    counts->active += (unsigned)__builtin_popcount(record->active_mask);
    counts->sources += record->source_count;
    counts->destinations += record->destination_count;
    counts->cf[record->cf]++;
    counts->opcodes[record->opcode]++;
    number_map_add(&counts->pcs, record->pc);
    if (!record->accesses_memory)
        return;
    info->lanes.count = 0;
    count_lanes(info, record, op.space);
    lane_lines_touch(&info->lanes, &counts->reuse);
}

static enum macsim_step count_next(struct info *info, struct macsim_stream *stream, struct fault *error)
{
    struct macsim_cpu_record cpu;
    struct macsim_gpu_record gpu;
    enum macsim_step step;

    if (stream->format.is_gpu) {
        step = macsim_stream_next_gpu(stream, &gpu, error);
        if (step == MACSIM_RECORD)
            count_gpu(info, &gpu);
        return step;
    }
    step = macsim_stream_next_cpu(stream, &cpu, error);
    if (step == MACSIM_RECORD)
        count_cpu(info, &cpu);
    return step;
}

static struct fault count_stream(struct info *info, size_t thread)
{
    struct fault fault = fault_none();
    struct counts *const counts = &info->counts;
    struct macsim_stream stream;
    enum macsim_step step;
    unsigned told = 0;
    char text[500];

    FORWARD(macsim_part_open(info->part, thread, &stream));
    if (!info->part->is_gpu)
        reuse_next_stream(&counts->reuse);
    while ((step = count_next(info, &stream, &fault)) == MACSIM_RECORD)
        continue;
    while (macsim_stream_warning(&stream, &told, text, sizeof text))
        cli_warn("%s", text);
    counts->records += stream.records;
    counts->instructions += stream.instructions;
    counts->tail_bytes += stream.tail_bytes;
    counts->faulty += stream.faulty;
    counts->thread_records[thread] = stream.records;
    macsim_stream_close(&stream);
    return step == MACSIM_END ? fault_none() : fault;
}

static struct fault count_part(struct info *info)
{
    struct counts *const counts = &info->counts;

    *counts = (struct counts){0};
    reuse_begin(&counts->reuse, REUSE_USUAL_LINES);
    counts->opcodes = calloc(OPCODES, sizeof *counts->opcodes);
    counts->thread_records = calloc(info->part->header.thread_count + 1, sizeof *counts->thread_records);
    if (counts->opcodes == NULL || counts->thread_records == NULL)
        return fault_memory(info->set.path, NULL);
    for (size_t i = 0; i < info->part->header.thread_count; i++)
        FORWARD(count_stream(info, i));
    return (!counts->pcs.failed && !counts->lines.failed) ? fault_none() : fault_memory(info->set.path,
                                                                                        "the footprint");
}

static struct reuse_curve curve_of(const struct info *info)
{
    bool const is_gpu = info->part->is_gpu;

    return (struct reuse_curve){
        .name = is_gpu ? "accesses to memory that blocks share" : "loads and stores", .reuse = &info->counts.reuse,
        .line_bytes = info->line_bytes != 0 ? info->line_bytes : is_gpu ? GPU_LINE : CPU_LINE,
        .order = is_gpu ? "a line once an instruction; warps one after the other"
                        : info->part->header.thread_count > 1 ? "each thread with a cache of its own" : NULL
    };
}

static void free_counts(struct counts *counts)
{
    number_map_free(&counts->pcs);
    number_map_free(&counts->lines);
    reuse_free(&counts->reuse);
    free(counts->opcodes);
    free(counts->thread_records);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void cf_name(unsigned cf, char name[NAME_BYTES])
{
    const char *const known = macsim_value_name(MACSIM_TABLE_CF, cf);

    if (known != NULL)
        snprintf(name, NAME_BYTES, "%s", known);
    else
        snprintf(name, NAME_BYTES, "%u", cf);
}

static void opcode_name(enum macsim_dialect dialect, unsigned opcode, char name[NAME_BYTES])
{
    const char *const known = macsim_opcode_name(dialect, opcode);

    if (known != NULL)
        snprintf(name, NAME_BYTES, "%s", known);
    else
        snprintf(name, NAME_BYTES, "%u", opcode);
}

static uint64_t count_blocks(const struct macsim_header *header)
{
    uint64_t blocks = 0;

    for (size_t i = 0; i < header->thread_count; i++)
        blocks += i == 0 || macsim_block_of(header->threads[i].id) != macsim_block_of(header->threads[i - 1].id);
    return blocks;
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

static void print_threads(struct sheet *sheet, const struct macsim_part *part, const struct counts *counts)
{
    const struct macsim_header *const header = &part->header;

    if (part->is_gpu) {
        sheet_object(sheet, "grid");
        sheet_numbers(sheet, "  warps                  {warps} in {blocks} blocks, {warps_per_block} in the first",
                      header->thread_count, count_blocks(header), part->warps_per_block);
        sheet_numbers(sheet, header->max_blocks > 0 ? "; at most {max_blocks} blocks on a core\n" : "{+max_blocks}\n",
                      header->max_blocks);
        sheet_close(sheet);
        return;
    }
    sheet_text(sheet, "  threads                %zu\n", header->thread_count);
    sheet_array(sheet, "threads");
    for (size_t i = 0; i < header->thread_count; i++) {
        sheet_object(sheet, NULL);
        sheet_numbers(sheet, i < THREADS_SHOWN ? "    {id:-6} starts at {start:12} {records:12} records\n"
                      : "{+id}{+start}{+records}", header->threads[i].id, header->threads[i].start,
                      counts->thread_records[i]);
        sheet_close(sheet);
    }
    sheet_close(sheet);
    if (header->thread_count > THREADS_SHOWN)
        sheet_text(sheet, "    and %zu more\n", header->thread_count - THREADS_SHOWN);
}

static void print_evidence(struct sheet *sheet, const struct macsim_detection *detection)
{
    sheet_object(sheet, "evidence");
    sheet_strings(sheet, "  recognised by          {reason}\n", detection->reason);
    sheet_text(sheet, "    %-12s %9s %9s %9s  %s\n", "layout", "records", "fit", "PCs fit", "first that cannot be");
    sheet_object(sheet, "layouts");
    for (int i = 0; i < MACSIM_LAYOUT_COUNT; i++) {
        const struct macsim_layout_score *const score = &detection->layouts[i];
        const char *const name = macsim_layout_name((enum macsim_layout)i);

        if (score->records == 0)
            continue;
        sheet_object(sheet, name);
        sheet_text(sheet, "    %-12s ", name);
        sheet_numbers(sheet, "{records:9}{+fit}{+pc_pairs}{+pc_follows}", score->records, score->fits, score->pc_pairs,
                      score->pc_follows);
        sheet_text(sheet, " %7.1f %% %7.1f %%  ", percent(score->fits, score->records),
                   percent(score->pc_follows, score->pc_pairs));
        sheet_strings(sheet, "{fault}\n", score->fault);
        sheet_close(sheet);
    }
    sheet_close(sheet);
    sheet_text(sheet, "    %-12s %9s %11s\n", "opcodes", "agree", "contradict");
    sheet_object(sheet, "opcodes");
    for (int i = 0; i < MACSIM_DIALECT_COUNT; i++) {
        const struct macsim_dialect_score *const score = &detection->dialects[i];
        const char *const name = macsim_dialect_name((enum macsim_dialect)i);

        if (score->agree + score->contradict == 0)
            continue;
        sheet_object(sheet, name);
        sheet_text(sheet, "    %-12s ", name);
        sheet_numbers(sheet, "{agree:9} {contradict:11}\n", score->agree, score->contradict);
        sheet_close(sheet);
    }
    sheet_close(sheet);
    sheet_close(sheet);
}

struct opcode_count {
    unsigned opcode;
    uint64_t count;
};

static int compare_counts(const void *a, const void *b)
{
    const struct opcode_count *const left = a, *const right = b;

    return left->count != right->count ? (left->count < right->count) - (left->count > right->count)
                                       : (left->opcode > right->opcode) - (left->opcode < right->opcode);
}

/* A row with its number before its name. */
static void print_numbered(struct sheet *sheet, unsigned number, const char *name, uint64_t count, uint64_t whole)
{
    sheet_text(sheet, "    %4u ", number);
    sheet_share(sheet, (struct sheet_share){0, 17, 12}, name, count, whole);
}

/* In text the most frequent ones. */
static void print_opcodes(struct sheet *sheet, const struct macsim_part *part, const struct counts *counts)
{
    static struct opcode_count sorted[OPCODES];
    size_t count = 0;
    uint64_t rest = 0;

    for (unsigned i = 0; i < OPCODES; i++)
        if (counts->opcodes[i] > 0)
            sorted[count++] = (struct opcode_count){i, counts->opcodes[i]};
    qsort(sorted, count, sizeof sorted[0], compare_counts);
    sheet_text(sheet, "  opcodes\n");
    sheet_object(sheet, "opcodes");
    for (size_t i = 0; i < count; i++) {
        char name[NAME_BYTES];

        opcode_name(part->detection.format.opcodes, sorted[i].opcode, name);
        if (sheet->to && i >= OPCODES_SHOWN)
            rest += sorted[i].count;
        else
            print_numbered(sheet, sorted[i].opcode, name, sorted[i].count, counts->instructions);
    }
    if (rest > 0)
        sheet_text(sheet, "    %4s %-16s %12" PRIu64 " %5.1f %%\n", "", "others", rest,
                   percent(rest, counts->instructions));
    sheet_close(sheet);
}

static void print_flow(struct sheet *sheet, const struct counts *counts)
{
    sheet_text(sheet, "  control flow\n");
    sheet_object(sheet, "control_flow");
    for (unsigned i = 0; i < 256; i++) {
        char name[NAME_BYTES];

        cf_name(i, name);
        if (counts->cf[i] > 0)
            print_numbered(sheet, i, name, counts->cf[i], counts->instructions);
    }
    sheet_close(sheet);
}

/* "  floating point         12", in JSON "floating_point". */
static void macsim_info_print_count(struct sheet *sheet, const char *key, uint64_t count)
{
    char text[NAME_BYTES];

    snprintf(text, sizeof text, "%s", key);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
    sheet_text(sheet, "  %-22s %" PRIu64 "\n", text, count);
    if (!sheet->to)
        json_put_number(&sheet->json, key, count);
}

static void print_part(struct sheet *sheet, const struct info *info, bool is_kernel, size_t number)
{
    struct reuse_curve const curve = curve_of(info);
    const struct macsim_part *const part = info->part;
    const struct macsim_header *const header = &part->header;
    const struct macsim_format *const format = &part->detection.format;
    const struct counts *const counts = &info->counts;

    sheet_object(sheet, NULL);
    if (is_kernel)
        sheet_text(sheet, "\nkernel %zu                 %s\n", number, cli_shown(header->path));
    sheet_text(sheet, part->has_header ? "" : "  header                 none\n");
    if (part->has_header)
        sheet_strings(sheet, header->version[0] ? "{+header}  header                 {kind} {version}, {era}\n"
                      : "{+header}  header                 {kind}{version}, {era}\n", header->path,
                      macsim_kind_name(header->kind), header->version, macsim_era_name(header->era));
    print_threads(sheet, part, counts);
    sheet_strings(sheet, "  layout                 {layout}", macsim_layout_name(format->layout));
    sheet_text(sheet, ", %zu bytes a record\n", macsim_layout_bytes(format->layout));
    sheet_strings(sheet, "  opcodes                {opcode_table}\n  registers              {registers}\n",
                  macsim_dialect_name(format->opcodes), macsim_registers_name(format->registers));
    print_evidence(sheet, &part->detection);
#define PRINT_COUNT(field, key) macsim_info_print_count(sheet, key, counts->field);
    BOTH_COUNTS(PRINT_COUNT)
    if (part->is_gpu) {
        GPU_COUNTS(PRINT_COUNT)
    } else {
        CPU_COUNTS(PRINT_COUNT)
    }
    macsim_info_print_count(sheet, "static_pcs", counts->pcs.count);
    sheet_numbers(sheet, "  footprint              {footprint_lines} lines of {line_bytes} bytes\n",
                  counts->lines.count, curve.line_bytes);
    print_flow(sheet, counts);
    print_opcodes(sheet, part, counts);
    reuse_sheet(sheet, &curve);
    sheet_close(sheet);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static struct fault show_application(struct info *info, const struct macsim_application *application)
{
    struct fault fault = fault_none();

    for (size_t i = 0; fault.kind == FAULT_NONE && i < application->part_count; i++) {
        info->part = &application->parts[i];
        if (WORKS(fault, count_part(info)))
            print_part(&info->sheet, info, application->is_gpu && application->part_count > 1, i + 1);
        free_counts(&info->counts);
    }
    return fault;
}

static struct fault show_set(struct info *info)
{
    const struct macsim_set *const set = &info->set;
    struct sheet *const sheet = &info->sheet;
    struct fault fault = fault_none();

    sheet_strings(sheet, "{path}\n  kind                   {kind}", set->path, "MacSim trace");
    sheet_text(sheet, ", %zu application%s\n", set->application_count, set->application_count == 1 ? "" : "s");
    sheet_array(sheet, "applications");
    for (size_t i = 0; fault.kind == FAULT_NONE && i < set->application_count; i++) {
        const struct macsim_application *const application = &set->applications[i];

        sheet_object(sheet, NULL);
        sheet_text(sheet, "\napplication %zu            ", i + 1);
        sheet_strings(sheet, "{path}", application->path);
        if (application->is_gpu)
            sheet_text(sheet, ", %zu kernel%s", application->part_count, application->part_count == 1 ? "" : "s");
        sheet_text(sheet, "\n");
        if (!sheet->to)
            json_put_bool(&sheet->json, "gpu", application->is_gpu);
        sheet_array(sheet, "parts");
        fault = show_application(info, application);
        sheet_close(sheet);
        sheet_close(sheet);
    }
    sheet_close(sheet);
    return fault;
}

int trace_macsim_info(const struct trace_request *request)
{
    struct info info = {.line_bytes = request->line_bytes};
    struct fault error;
    int code = CLI_BAD_INPUT;

    if (FAILS(error, macsim_set_open(&info.set, request->path, trace_override(request))))
        return cli_fail_proto(&error);
    for (size_t i = 0; i < info.set.warning_count; i++)
        cli_warn("%s", info.set.warnings[i]);
    if (sheet_begin(&info.sheet, request, false))
        code = sheet_end(&info.sheet, WORKS(error, show_set(&info)) ? CLI_OK : cli_fail_proto(&error));
    macsim_set_close(&info.set);
    return code;
}
