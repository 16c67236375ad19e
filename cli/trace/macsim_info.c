/* rubato trace info of MacSim traces: what the headers say, how the format was told, then one pass over all streams.
 * Memory grows with distinct lines and PCs, and with the number of threads, not with their length. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/line_span.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/number_set.h"
#include "cli/shown.h"
#include "cli/trace/trace_kinds.h"
#include "proto/macsim/set.h"
#include "cli/trace/reuse_print.h"
#include "cli/trace/trace.h"

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
    struct number_set pcs, lines;
    struct reuse reuse;
    uint64_t *thread_records;            /* of the first THREADS_SHOWN threads */
};

struct info {
    struct macsim_set set;
    uint64_t line_bytes;                 /* 0: by kind */
    const struct macsim_part *part;      /* the one being looked at */
    struct counts counts;
    struct lane_lines lanes;             /* of the record being looked at */
    FILE *to;                            /* text */
    struct json *json;                   /* NULL: text */
};

/* --- counting ----------------------------------------------------------------------------------------------------- */

static void touch(struct info *info, uint64_t address, uint64_t bytes)
{
    uint64_t const line_bytes = info->line_bytes != 0 ? info->line_bytes : info->part->is_gpu ? GPU_LINE : CPU_LINE;
    struct line_span const span = line_span_of(address, bytes, line_bytes);

    for (uint64_t i = 0; i < span.count; i++)
        number_set_add(&info->counts.lines, span.first + i);
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
    number_set_add(&counts->pcs, record->pc);
    if (record->load_count > 2)          /* rows of a tile, which follow each other */
        touch(info, record->load[0], (uint64_t)record->load_count * record->bytes_read);
    for (unsigned i = 0; record->load_count <= 2 && i < record->load_count; i++)
        touch(info, record->load[i], record->bytes_read);
    if (record->has_store)
        touch(info, record->store, record->bytes_written);
}

/* Only memory that all blocks share is in the footprint. */
static void count_lanes(struct info *info, const struct macsim_gpu_record *record, unsigned space)
{
    bool const is_shared_by_all = space == MACSIM_GLOBAL || space == MACSIM_LOCAL || space == MACSIM_GENERIC;

    for (unsigned lane = 0; record->has_lanes && lane < MACSIM_LANES; lane++) {
        info->counts.lanes += record->lanes[lane] != 0;
        if (is_shared_by_all && record->lanes[lane] != 0)
            touch(info, record->lanes[lane], record->access_bytes);
    }
    if (record->has_lanes || !is_shared_by_all)
        return;
    touch(info, record->address, 1);
    for (unsigned i = 0; i < record->child_count; i++)
        touch(info, record->children[i], 1);
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
    number_set_add(&counts->pcs, record->pc);
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
    if (thread < THREADS_SHOWN)
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
    counts->thread_records = calloc(THREADS_SHOWN, sizeof *counts->thread_records);
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
    number_set_free(&counts->pcs);
    number_set_free(&counts->lines);
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

/* --- text --------------------------------------------------------------------------------------------------------- */

static void print_threads_text(FILE *to, const struct macsim_part *part, const struct counts *counts)
{
    const struct macsim_header *const header = &part->header;

    if (part->is_gpu) {
        fprintf(to, "  warps                  %zu in %" PRIu64 " blocks, %" PRIu32 " in the first",
                header->thread_count, count_blocks(header), part->warps_per_block);
        if (header->max_blocks > 0)
            fprintf(to, "; at most %" PRIu64 " blocks on a core", header->max_blocks);
        fputc('\n', to);
        return;
    }
    fprintf(to, "  threads                %zu\n", header->thread_count);
    for (size_t i = 0; i < header->thread_count && i < THREADS_SHOWN; i++)
        fprintf(to, "    %-6" PRIu64 " starts at %12" PRIu64 " %12" PRIu64 " records\n", header->threads[i].id,
                header->threads[i].start, counts->thread_records[i]);
    if (header->thread_count > THREADS_SHOWN)
        fprintf(to, "    and %zu more\n", header->thread_count - THREADS_SHOWN);
}

static void print_evidence_text(FILE *to, const struct macsim_detection *detection)
{
    const struct macsim_format *const format = &detection->format;

    fprintf(to, "  layout                 %s, %zu bytes a record\n  opcodes                %s\n"
            "  registers              %s\n  told by                %s\n", macsim_layout_name(format->layout),
            macsim_layout_bytes(format->layout), macsim_dialect_name(format->opcodes),
            macsim_registers_name(format->registers), cli_shown(detection->reason));
    fprintf(to, "    %-12s %9s %9s %9s  %s\n", "layout", "records", "fit", "PCs fit", "first that cannot be");
    for (int i = 0; i < MACSIM_LAYOUT_COUNT; i++) {
        const struct macsim_layout_score *const score = &detection->layouts[i];

        if (score->records > 0)
            fprintf(to, "    %-12s %9" PRIu64 " %7.1f %% %7.1f %%  %s\n", macsim_layout_name((enum macsim_layout)i),
                    score->records, percent(score->fits, score->records), percent(score->pc_follows, score->pc_pairs),
                    score->fault);
    }
    fprintf(to, "    %-12s %9s %11s\n", "opcodes", "agree", "contradict");
    for (int i = 0; i < MACSIM_DIALECT_COUNT; i++) {
        const struct macsim_dialect_score *const score = &detection->dialects[i];

        if (score->agree + score->contradict > 0)
            fprintf(to, "    %-12s %9" PRIu64 " %11" PRIu64 "\n", macsim_dialect_name((enum macsim_dialect)i),
                    score->agree, score->contradict);
    }
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

static void print_opcodes_text(FILE *to, const struct macsim_part *part, const struct counts *counts)
{
    static struct opcode_count sorted[OPCODES];
    size_t count = 0;
    uint64_t rest = 0;

    for (unsigned i = 0; i < OPCODES; i++)
        if (counts->opcodes[i] > 0)
            sorted[count++] = (struct opcode_count){i, counts->opcodes[i]};
    qsort(sorted, count, sizeof sorted[0], compare_counts);
    fputs("  opcodes\n", to);
    for (size_t i = 0; i < count; i++) {
        char name[NAME_BYTES];

        if (i >= OPCODES_SHOWN) {
            rest += sorted[i].count;
            continue;
        }
        opcode_name(part->detection.format.opcodes, sorted[i].opcode, name);
        fprintf(to, "    %4u %-16s %12" PRIu64 " %5.1f %%\n", sorted[i].opcode, name, sorted[i].count,
                percent(sorted[i].count, counts->instructions));
    }
    if (rest > 0)
        fprintf(to, "    %4s %-16s %12" PRIu64 " %5.1f %%\n", "", "others", rest, percent(rest, counts->instructions));
}

static void print_flow_text(FILE *to, const struct counts *counts)
{
    fputs("  control flow\n", to);
    for (unsigned i = 0; i < 256; i++) {
        char name[NAME_BYTES];

        if (counts->cf[i] == 0)
            continue;
        cf_name(i, name);
        fprintf(to, "    %4u %-16s %12" PRIu64 " %5.1f %%\n", i, name, counts->cf[i],
                percent(counts->cf[i], counts->instructions));
    }
}

static void print_count(FILE *to, const char *name, uint64_t count)
{
    char text[NAME_BYTES];

    snprintf(text, sizeof text, "%s", name);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
    fprintf(to, "  %-22s %" PRIu64 "\n", text, count);
}

static void print_part_text(FILE *to, const struct info *info, bool is_kernel, size_t number)
{
    struct reuse_curve const curve = curve_of(info);
    const struct macsim_part *const part = info->part;
    const struct macsim_header *const header = &part->header;
    const struct counts *const counts = &info->counts;

    if (is_kernel)
        fprintf(to, "\nkernel %zu                 %s\n", number, cli_shown(header->path));
    if (part->has_header)
        fprintf(to, "  header                 %s%s%s, %s\n", macsim_kind_name(header->kind),
                header->version[0] != '\0' ? " " : "", cli_shown(header->version), macsim_era_name(header->era));
    else
        fputs("  header                 none\n", to);
    print_threads_text(to, part, counts);
    print_evidence_text(to, &part->detection);
#define PRINT_TEXT(field, name) print_count(to, name, counts->field);
    BOTH_COUNTS(PRINT_TEXT)
    if (part->is_gpu) {
        GPU_COUNTS(PRINT_TEXT)
    } else {
        CPU_COUNTS(PRINT_TEXT)
    }
    print_count(to, "static_pcs", counts->pcs.count);
    fprintf(to, "  footprint              %zu lines of %" PRIu64 " bytes\n", counts->lines.count,
            info->line_bytes != 0 ? info->line_bytes : (uint64_t)(part->is_gpu ? GPU_LINE : CPU_LINE));
    print_flow_text(to, counts);
    print_opcodes_text(to, part, counts);
    reuse_print(to, &curve);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void put_evidence(struct json *json, const struct macsim_detection *detection)
{
    json_put_object(json, "evidence", JSON_LINES(6, 5));
    json_put_string(json, "reason", detection->reason);
    json_put_object(json, "layouts", JSON_LINES(7, 6));
    for (int i = 0; i < MACSIM_LAYOUT_COUNT; i++) {
        const struct macsim_layout_score *const score = &detection->layouts[i];

        if (score->records == 0)
            continue;
        json_put_object(json, macsim_layout_name((enum macsim_layout)i), JSON_LINES(8, 7));
        json_put_number(json, "records", score->records);
        json_put_number(json, "fit", score->fits);
        json_put_number(json, "pc_pairs", score->pc_pairs);
        json_put_number(json, "pc_follows", score->pc_follows);
        json_put_string(json, "fault", score->fault);
        json_end(json);
    }
    json_end(json);
    json_put_object(json, "opcodes", JSON_LINES(7, 6));
    for (int i = 0; i < MACSIM_DIALECT_COUNT; i++) {
        const struct macsim_dialect_score *const score = &detection->dialects[i];

        if (score->agree + score->contradict == 0)
            continue;
        json_put_object(json, macsim_dialect_name((enum macsim_dialect)i), JSON_LINES(8, 7));
        json_put_number(json, "agree", score->agree);
        json_put_number(json, "contradict", score->contradict);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void put_threads(struct json *json, const struct macsim_part *part)
{
    const struct macsim_header *const header = &part->header;

    if (part->is_gpu) {
        json_put_object(json, "grid", JSON_LINES(6, 5));
        json_put_number(json, "warps", header->thread_count);
        json_put_number(json, "blocks", count_blocks(header));
        json_put_number(json, "warps_per_block", part->warps_per_block);
        json_put_number(json, "max_blocks", header->max_blocks);
        json_end(json);
        return;
    }
    json_put_array(json, "threads", JSON_LINES(6, 5));
    for (size_t i = 0; i < header->thread_count; i++) {
        json_begin_object(json, JSON_LINES(7, 6));
        json_put_number(json, "id", header->threads[i].id);
        json_put_number(json, "start", header->threads[i].start);
        json_end(json);
    }
    json_end(json);
}

static void put_part(struct json *json, const struct info *info)
{
    struct reuse_curve const curve = curve_of(info);
    const struct macsim_part *const part = info->part;
    const struct macsim_format *const format = &part->detection.format;
    const struct counts *const counts = &info->counts;
    char name[NAME_BYTES];

    json_begin_object(json, JSON_LINES(5, 4));
    if (part->has_header) {
        json_put_string(json, "header", part->header.path);
        json_put_string(json, "kind", macsim_kind_name(part->header.kind));
        json_put_string(json, "version", part->header.version);
        json_put_string(json, "era", macsim_era_name(part->header.era));
    }
    json_put_string(json, "layout", macsim_layout_name(format->layout));
    json_put_string(json, "opcode_table", macsim_dialect_name(format->opcodes));
    json_put_string(json, "registers", macsim_registers_name(format->registers));
    put_evidence(json, &part->detection);
    put_threads(json, part);
#define PUT_JSON(field, key) json_put_number(json, key, counts->field);
    BOTH_COUNTS(PUT_JSON)
    if (part->is_gpu) {
        GPU_COUNTS(PUT_JSON)
    } else {
        CPU_COUNTS(PUT_JSON)
    }
    json_put_number(json, "static_pcs", counts->pcs.count);
    json_put_number(json, "footprint_lines", counts->lines.count);
    reuse_put_json(json, &curve);
    json_put_object(json, "control_flow", JSON_LINES(6, 5));
    for (unsigned i = 0; i < 256; i++)
        if (counts->cf[i] > 0) {
            cf_name(i, name);
            json_put_number(json, name, counts->cf[i]);
        }
    json_end(json);
    json_put_object(json, "opcodes", JSON_LINES(6, 5));
    for (unsigned i = 0; i < OPCODES; i++)
        if (counts->opcodes[i] > 0) {
            opcode_name(format->opcodes, i, name);
            json_put_number(json, name, counts->opcodes[i]);
        }
    json_end(json);
    json_end(json);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static struct fault show_application(struct info *info, const struct macsim_application *application)
{
    struct fault fault = fault_none();
    bool good = true;

    for (size_t i = 0; good && i < application->part_count; i++) {
        info->part = &application->parts[i];
        good = WORKS(fault, count_part(info));
        if (good && info->json != NULL)
            put_part(info->json, info);
        else if (good)
            print_part_text(info->to, info, application->is_gpu && application->part_count > 1, i + 1);
        free_counts(&info->counts);
    }
    return good ? fault_none() : fault;
}

static struct fault show_text(struct info *info)
{
    struct fault fault = fault_none();
    const struct macsim_set *const set = &info->set;
    bool good = true;

    fprintf(info->to, "%s\n  kind                   MacSim trace, %zu application%s\n", cli_shown(set->path),
            set->application_count, set->application_count == 1 ? "" : "s");
    for (size_t i = 0; good && i < set->application_count; i++) {
        const struct macsim_application *const application = &set->applications[i];

        fprintf(info->to, "\napplication %zu            %s", i + 1, cli_shown(application->path));
        if (application->is_gpu)
            fprintf(info->to, ", %zu kernel%s", application->part_count, application->part_count == 1 ? "" : "s");
        fputc('\n', info->to);
        good = WORKS(fault, show_application(info, application));
    }
    return good ? fault_none() : fault;
}

/* All or nothing: a stream may turn out to be broken. */
static struct fault show_page(struct info *info)
{
    struct fault fault = fault_none();
    char *page = NULL;
    size_t length = 0;
    bool good;

    info->to = open_memstream(&page, &length);
    if (info->to == NULL)
        return fault_memory(info->set.path, NULL);
    good = WORKS(fault, show_text(info));
    if (!text_stream_close(info->to, &page) && good)
        good = WORKS(fault, fault_memory(info->set.path, NULL));
    if (good)
        fwrite(page, 1, length, stdout);
    free(page);
    return good ? fault_none() : fault;
}

/* All or nothing, too. */
static struct fault show_json(struct info *info)
{
    struct fault fault = fault_none();
    struct json json = {0};
    bool good = true;

    info->json = &json;
    json_begin_object(&json, JSON_LINES(1, 0));
    json_put_string(&json, "path", info->set.path);
    json_put_string(&json, "kind", "MacSim trace");
    json_put_array(&json, "applications", JSON_LINES(2, 1));
    for (size_t i = 0; good && i < info->set.application_count; i++) {
        const struct macsim_application *const application = &info->set.applications[i];

        json_begin_object(&json, JSON_LINES(3, 2));
        json_put_string(&json, "path", application->path);
        json_put_bool(&json, "gpu", application->is_gpu);
        json_put_array(&json, "parts", JSON_LINES(4, 3));
        good = WORKS(fault, show_application(info, application));
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    if (good && json.text.failed)
        good = WORKS(fault, fault_memory(info->set.path, NULL));
    text_put(&json.text, "\n");
    if (good)
        fwrite(json.text.at, 1, json.text.length, stdout);
    free(json.text.at);
    return good ? fault_none() : fault;
}

int trace_macsim_info(const struct trace_request *request)
{
    struct info info = {.line_bytes = request->line_bytes};
    struct fault error;
    bool good;

    if (FAILS(error, macsim_set_open(&info.set, request->path, trace_override(request))))
        return cli_fail_proto(&error);
    for (size_t i = 0; i < info.set.warning_count; i++)
        cli_warn("%s", info.set.warnings[i]);
    good = request->is_json ? WORKS(error, show_json(&info)) : WORKS(error, show_page(&info));
    macsim_set_close(&info.set);
    return good ? CLI_OK : cli_fail_proto(&error);
}
