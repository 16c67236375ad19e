/* rubato trace info of instruction traces: one pass over each thread. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/reuse_print.h"
#include "cli/trace/sheet.h"
#include "cli/trace/trace_command.h"

enum { THREADS_SHOWN = 64 };

struct info {
    struct insn_spans spans;             /* of accesses, as a replay takes them */
    uint64_t line_bytes, files, markers[INSN_MARKER_COUNT];
    struct insn_counts counts;           /* sums over the threads */
    uint64_t classes[ISA_CLASS_COUNT], decoded, undecoded;
    uint64_t thread_insns[THREADS_SHOWN];
    uint32_t lacks;                      /* of any of them */
    struct number_map ids, pcs;
    struct footprint loads, stores, both, code;
    struct reuse data_reuse, code_reuse;
    bool orders_threads;                 /* creations of threads, or arguments of system calls */
};

static void add_counts(struct insn_counts *sum, const struct insn_counts *counts)
{
#define COUNTER_ADD(name, what) sum->name += counts->name;
    INSN_COUNTERS(COUNTER_ADD)
    for (size_t i = 0; i < ISA_KIND_COUNT; i++)
        sum->kinds[i] += counts->kinds[i];
}

static void count_event(struct info *info, const struct insn_event *event)
{
    const struct insn *const insn = &event->insn;

    if (insn->form == INSN_EXECUTED && insn->pc != 0) {
        number_map_add(&info->pcs, insn->pc);
        footprint_touch(&info->code, insn->pc, insn->size_bytes, info->line_bytes);
        reuse_touch_bytes(&info->code_reuse, insn->pc, insn->size_bytes, info->line_bytes);
    }
    if (event->what && insn->form == INSN_EXECUTED) {
        info->classes[event->what->class]++;
        info->decoded++;
    }
    for (size_t i = 0; i < insn->access_count; i++) {
        struct insn_span const span = insn_span(&info->spans, &insn->accesses[i]);

        footprint_touch(insn->accesses[i].is_write ? &info->stores : &info->loads, span.address, span.size_bytes,
                        info->line_bytes);
        footprint_touch(&info->both, span.address, span.size_bytes, info->line_bytes);
        reuse_touch_bytes(&info->data_reuse, span.address, span.size_bytes, info->line_bytes);
    }
}

static struct fault read_thread(struct info *info, const struct insn_trace *trace, size_t i)
{
    struct fault fault = fault_none();
    const struct insn_thread *const thread = insn_trace_thread(trace, i);
    struct insn_cursor *const cursor = insn_cursor_open(trace, i, &fault);
    enum insn_step step;
    struct insn_event event;

    if (!cursor)
        return fault;
    reuse_next_stream(&info->data_reuse);
    reuse_next_stream(&info->code_reuse);
    number_map_add(&info->ids, thread->id);
    info->files += i == 0 || thread->path != insn_trace_thread(trace, i - 1)->path;
    while ((step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD)
        if (event.is_marker) {
            info->markers[event.marker.kind]++;
            info->orders_threads |= event.marker.kind == INSN_MARKER_CREATE ||
                (event.marker.kind == INSN_MARKER_SYSCALL && event.marker.arg_count > 0);
        } else {
            count_event(info, &event);
        }
    add_counts(&info->counts, insn_cursor_counts(cursor));
    info->undecoded += insn_cursor_undecoded(cursor);
    info->lacks |= insn_cursor_lacks(cursor);
    if (i < THREADS_SHOWN)
        info->thread_insns[i] = insn_cursor_counts(cursor)->instructions;
    if (step == INSN_END && insn_cursor_warning(cursor))
        cli_warn("%s: %s", thread->path, insn_cursor_warning(cursor));
    insn_cursor_close(cursor);
    return step == INSN_END ? fault_none() : fault;
}

/* ---- printing */

static void print_kinds(struct sheet *sheet, const struct info *info)
{
    if (info->lacks & 1u << INSN_LACKS_BRANCHES)
        return;
    sheet_object(sheet, "kinds");
    for (unsigned kind = 0; kind < ISA_KIND_COUNT; kind++)
        if (info->counts.kinds[kind] > 0)
            sheet_share(sheet, (struct sheet_share){4, 14, 12}, isa_kind_name(kind), info->counts.kinds[kind],
                        info->counts.instructions);
    sheet_close(sheet);
    if (info->counts.branches_taken + info->counts.branches_untaken > 0)
        sheet_text(sheet, "    conditional branches taken: %.1f %%\n",
                   percent(info->counts.branches_taken, info->counts.branches_taken + info->counts.branches_untaken));
}

static void print_classes(struct sheet *sheet, const struct info *info)
{
    if (info->decoded == 0)
        return;
    sheet_text(sheet, "  classes\n");
    sheet_object(sheet, "classes");
    for (unsigned class = 0; class < ISA_CLASS_COUNT; class++)
        if (info->classes[class] > 0)
            sheet_share(sheet, (struct sheet_share){4, 20, 12}, isa_class_name(class), info->classes[class],
                        info->decoded);
    sheet_close(sheet);
    if (info->undecoded > 0)
        sheet_numbers(sheet, "    not decoded         {not_decoded:12}\n", info->undecoded);
}

static bool insn_info_is_among(const uint64_t *counter, const uint64_t *const told[4])
{
    return counter == told[0] || counter == told[1] || counter == told[2] || counter == told[3];
}

static void print_count(struct sheet *sheet, const char *kind, const char *name, uint64_t count)
{
    sheet_text(sheet, "  %12" PRIu64 " %s%s\n", count, kind, cli_shown(name));
    if (!sheet->to)
        json_put_number(&sheet->json, name, count);
}

static void print_counters(struct sheet *sheet, const struct insn_trace *trace, const struct info *info)
{
    const struct insn_counts *const counts = &info->counts;
    uint64_t const *const told[] = {&counts->records, &counts->instructions, &counts->encodings, &counts->high_pcs};

    /* Those that are the same for each instruction are left out. */
#define COUNTER_PRINT(name, what)                                                                                     \
    if (counts->name > 0 &&                                                                                           \
        (counts->name != counts->instructions || !insn_info_is_among(&counts->name, told)))                          \
        sheet_numbers(sheet, "  {" #name ":12} " what "\n", counts->name);
    sheet_object(sheet, "counts");
    INSN_COUNTERS(COUNTER_PRINT)
    sheet_close(sheet);
    sheet_object(sheet, "markers");
    for (unsigned kind = 0; kind < INSN_MARKER_COUNT; kind++)
        if (info->markers[kind] > 0)
            print_count(sheet, "markers ", insn_marker_name(kind), info->markers[kind]);
    sheet_close(sheet);
    sheet_object(sheet, "notes");
    for (size_t i = 0; i < insn_trace_notes(trace); i++) {
        uint64_t count;
        const char *const name = insn_trace_note(trace, i, &count);

        print_count(sheet, "", name, count);
    }
    sheet_close(sheet);
}

static void print_meaning(struct sheet *sheet, const struct insn_trace *trace)
{
    struct insn_meaning const meaning = insn_trace_meaning(trace);

    sheet_strings(sheet, "  addresses     {addresses}\n", insn_addresses_text(meaning.addresses));
    if (meaning.clock == INSN_CLOCK_NONE)
        return;
    sheet_text(sheet, "  times         in %s", meaning.clock == INSN_CLOCK_PS ? "" : "cycles of the ");
    sheet_strings(sheet, "{clock}, from the {clock_since}\n", insn_clock_text(meaning.clock),
                  insn_origin_text(meaning.since));
}

static void print_threads(struct sheet *sheet, const struct insn_trace *trace, const struct info *info)
{
    size_t const count = insn_trace_threads(trace);

    if (!(info->lacks & 1u << INSN_LACKS_THREADS))
        sheet_text(sheet, "  threads       %zu\n", info->ids.count);
    sheet_array(sheet, "threads");
    for (size_t i = 0; i < count && i < THREADS_SHOWN; i++) {
        sheet_object(sheet, NULL);
        sheet_numbers(sheet, count > 1 ? "    {id:-12}{instructions:14} instructions\n" : "{+id}{+instructions}",
                      insn_trace_thread(trace, i)->id, info->thread_insns[i]);
        sheet_close(sheet);
    }
    sheet_close(sheet);
    if (count > THREADS_SHOWN)
        sheet_text(sheet, "    and %zu more\n", count - THREADS_SHOWN);
}

static void print_bytes(struct sheet *sheet, const struct insn_trace *trace, const struct info *info)
{
    const struct insn_kept *const kept = insn_trace_kept(trace);
    uint64_t const program_bytes = kept ? kept->packed_bytes : 0;
    uint64_t image_bytes;
    uint64_t const file_bytes = insn_trace_bytes(trace, &image_bytes);

    if (file_bytes == 0)
        return;
    sheet_numbers(sheet, "  bytes         {bytes}", file_bytes);
    sheet_text(sheet, ", %.3f an instruction", (double)(file_bytes - image_bytes - program_bytes)
               / (double)(info->counts.instructions ? info->counts.instructions : 1));
    if (image_bytes > 0)
        sheet_numbers(sheet, " besides {packed_image_bytes} of code images", image_bytes);
    if (program_bytes > 0)
        sheet_text(sheet, " and %" PRIu64 " of the program", program_bytes);
    sheet_text(sheet, "\n");
}

/* The program whose values wrong paths have. */
static void print_program(struct sheet *sheet, const struct insn_trace *trace)
{
    const struct insn_kept *const kept = insn_trace_kept(trace);
    bool const is_kept = kept && insn_kept_can_run(kept) && !kept->is_beside;
    char id[INSN_ID_TEXT_ROOM];

    if (!kept)
        return;
    sheet_object(sheet, "program");
    insn_kept_id_text(kept, id);
    sheet_text(sheet, "  program       %s, %s, ", cli_shown(kept->name), id);
    sheet_strings(sheet, kept->build_id_bytes > 0 ? "{+name}{+build_id}" : "{+name}", kept->name,
                  id + sizeof "build-id " - 1);
    sheet_numbers(sheet, "{+hash:h}{bytes} bytes, ", kept->hash, kept->byte_count);
    sheet_flag(sheet, "is_kept", is_kept, is_kept ? kept->memory.has_start
               ? "its memory is kept in the trace\n" : "kept in the trace\n" : "");
    sheet_flag(sheet, "is_beside", kept->is_beside, is_kept ? "" : kept->is_beside ? "beside the trace\n"
               : "not kept, and not found beside the trace\n");
    sheet_close(sheet);
}

static void print_trace(struct sheet *sheet, const char *path, const struct insn_trace *trace, const struct info *info)
{
    const struct insn_image *images;
    const struct insn_page *pages;
    uint64_t bytes = 0;
    size_t const image_count = insn_trace_images(trace, &images), page_count = insn_trace_pages(trace, &pages);

    sheet_strings(sheet, "{path}\n  kind          {kind}, {format}\n", path, "instruction trace",
                  insn_trace_format(trace));
    if (insn_trace_isa(trace) != ISA_UNKNOWN && insn_trace_isa(trace) != ISA_CHAMPSIM)
        sheet_strings(sheet, "  architecture  {architecture}\n", isa_name(insn_trace_isa(trace)));
    if (insn_trace_command(trace)[0])
        sheet_strings(sheet, "  command       {command}\n", insn_trace_command(trace));
    sheet_numbers(sheet, "  files         {files}\n", info->files);
    print_bytes(sheet, trace, info);
    for (size_t i = 0; i < image_count; i++)
        bytes += images[i].byte_count;
    print_meaning(sheet, trace);
    if (image_count > 0)
        sheet_numbers(sheet, "  code images   {images} of {image_bytes} bytes\n", image_count, bytes);
    if (page_count > 0)
        sheet_numbers(sheet, "  page map      {pages} pages of {page_bytes} bytes\n", page_count, pages[0].byte_count);
    print_program(sheet, trace);
    print_threads(sheet, trace, info);
}

/* How a replay takes it. */
static void print_replay(struct sheet *sheet, const struct insn_trace *trace, const struct info *info)
{
    bool const has_sizes = !(info->lacks & 1u << INSN_LACKS_ACCESS_SIZES);
    const char *const sizes = has_sizes ? "" : "; accesses are taken to be of one size";
    size_t const threads = insn_trace_threads(trace);

    if (info->lacks & 1u << INSN_LACKS_DEPENDENCES)
        sheet_text(sheet, "  replay        accesses in program order, within the reorder buffer%s", sizes);
    else if (info->decoded > 0 || info->counts.instructions == 0)
        sheet_text(sheet, "  replay        with dependences between instructions%s", sizes);
    else
        sheet_text(sheet, "  replay        not without a decoder");
    if (threads > 1 && info->orders_threads)
        sheet_text(sheet, "; threads begin and wait for each other as system calls show it");
    else if (threads > 1)
        sheet_text(sheet, "; threads run free: the trace has no waits between threads");
    sheet_text(sheet, "\n");
}

static void find_curves(struct reuse_curve curves[2], const struct insn_trace *trace, const struct info *info)
{
    const char *const order = insn_trace_threads(trace) > 1 ? "each thread with a cache of its own" : NULL;

    curves[0] = (struct reuse_curve){.name = "loads and stores", .reuse = &info->data_reuse,
                                     .line_bytes = info->line_bytes, .order = order};
    curves[1] = (struct reuse_curve){.key = "code_reuse", .name = "instruction fetches", .reuse = &info->code_reuse,
                                     .line_bytes = info->line_bytes, .order = order};
}

static void print_lacks(struct sheet *sheet, uint32_t lacks)
{
    const char *separator = "  lacks         ";

    sheet_array(sheet, "lacks");
    for (unsigned lack = 0; lack < INSN_LACK_COUNT; lack++)
        if (lacks & 1u << lack) {
            sheet_text(sheet, "%s%s", separator, insn_lack_text(lack));
            if (!sheet->to)
                json_write_string(&sheet->json, insn_lack_text(lack));
            separator = "; ";
        }
    sheet_text(sheet, "%s\n", lacks ? "\n" : "");
    sheet_close(sheet);
}

static void print_info(struct sheet *sheet, const char *path, const struct insn_trace *trace, const struct info *info)
{
    struct reuse_curve curves[2];

    print_trace(sheet, path, trace, info);
    print_lacks(sheet, info->lacks);
    sheet_numbers(sheet, "  instructions  {instructions}, {static_pcs} different pcs\n", info->counts.instructions,
                  info->pcs.count);
    print_kinds(sheet, info);
    print_classes(sheet, info);
    print_counters(sheet, trace, info);
    sheet_text(sheet, "\n");
    sheet_object(sheet, "footprint");
    sheet_footprint(sheet, "loads", &info->loads, info->line_bytes);
    sheet_footprint(sheet, "stores", &info->stores, info->line_bytes);
    sheet_footprint(sheet, "both", &info->both, info->line_bytes);
    sheet_footprint(sheet, "code", &info->code, info->line_bytes);
    sheet_close(sheet);
    find_curves(curves, trace, info);
    reuse_sheet(sheet, &curves[0]);
    reuse_sheet(sheet, &curves[1]);
    sheet_text(sheet, "\n");
    print_replay(sheet, trace, info);
}

/* Of a damaged .rbt the intact part is shown. */
static struct insn_trace *open_trace(const char *path, const char *format, struct fault *error)
{
    struct insn_trace *const trace = trace_insn_open(path, format, error);

    if (trace || format || !insn_is_rbt(path))
        return trace;
    cli_warn("%s", fault_text(*error));
    return insn_trace_open_salvaged(path, error);
}

int trace_insn_info(const struct trace_request *request)
{
    struct info info = {.line_bytes = request->line_bytes ? request->line_bytes : 64};
    struct fault error;
    struct insn_trace *const trace = open_trace(request->path, request->format, &error);
    struct reuse_curve curves[2];
    struct sheet sheet;
    bool good = trace != NULL;
    int code = CLI_OK;

    reuse_begin(&info.data_reuse, REUSE_USUAL_LINES);
    reuse_begin(&info.code_reuse, REUSE_USUAL_LINES);
    if (good)
        info.lacks = insn_trace_lacks(trace);
    if (good)
        info.spans = insn_trace_spans(trace, (uint32_t)info.line_bytes);
    for (size_t i = 0; good && i < insn_trace_threads(trace); i++)
        good = WORKS(error, read_thread(&info, trace, i));
    if (good && !sheet_begin(&sheet, request, false)) {
        code = CLI_BAD_INPUT;
    } else if (good) {
        print_info(&sheet, request->path, trace, &info);
        code = sheet_end(&sheet, CLI_OK);
        find_curves(curves, trace, &info);
        if (code == CLI_OK)
            code = reuse_plot(request->svg, request->path, curves, sizeof curves / sizeof curves[0]);
    }
    insn_trace_close(trace);
    reuse_free(&info.data_reuse);
    reuse_free(&info.code_reuse);
    number_map_free(&info.ids);
    number_map_free(&info.pcs);
    footprint_free(&info.loads);
    footprint_free(&info.stores);
    footprint_free(&info.both);
    footprint_free(&info.code);
    return good ? code : cli_fail_proto(&error);
}
