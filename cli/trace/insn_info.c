/* rubato trace info of instruction traces: one pass over each thread. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/shown.h"
#include "cli/trace/footprint.h"
#include "cli/trace/insn.h"
#include "cli/trace/reuse_print.h"
#include "cli/trace/trace.h"

enum { THREADS_SHOWN = 64 };

struct info {
    struct insn_spans spans;             /* of accesses, as a replay takes them */
    uint64_t line_bytes, files, markers[INSN_MARKER_COUNT];
    struct insn_counts counts;           /* sums over the threads */
    uint64_t classes[ISA_CLASS_COUNT], decoded, undecoded;
    uint64_t thread_insns[THREADS_SHOWN];
    uint32_t lacks;                      /* of any of them */
    struct number_set ids, pcs;
    struct footprint loads, stores, both, code;
    struct reuse data_reuse, code_reuse;
    bool orders_threads;                 /* who creates whom, or arguments of system calls */
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
        number_set_add(&info->pcs, insn->pc);
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
    number_set_add(&info->ids, thread->id);
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

static void print_kinds(const struct info *info)
{
    if (info->lacks & 1u << INSN_LACKS_BRANCHES)
        return;
    for (unsigned kind = 0; kind < ISA_KIND_COUNT; kind++)
        if (info->counts.kinds[kind] > 0)
            printf("    %-14s%12" PRIu64 " %5.1f %%\n", isa_kind_name(kind), info->counts.kinds[kind],
                   percent(info->counts.kinds[kind], info->counts.instructions));
    if (info->counts.branches_taken + info->counts.branches_untaken > 0)
        printf("    conditional branches taken: %.1f %%\n",
               percent(info->counts.branches_taken, info->counts.branches_taken + info->counts.branches_untaken));
}

static void print_classes(const struct info *info)
{
    if (info->decoded == 0)
        return;
    printf("  classes\n");
    for (unsigned class = 0; class < ISA_CLASS_COUNT; class++)
        if (info->classes[class] > 0)
            printf("    %-20s%12" PRIu64 " %5.1f %%\n", isa_class_name(class), info->classes[class],
                   percent(info->classes[class], info->decoded));
    if (info->undecoded > 0)
        printf("    not decoded         %12" PRIu64 "\n", info->undecoded);
}

static bool is_among(const uint64_t *counter, const uint64_t *const told[4])
{
    return counter == told[0] || counter == told[1] || counter == told[2] || counter == told[3];
}

static void print_counters(const struct info *info)
{
    const struct insn_counts *const counts = &info->counts;
    uint64_t const *const told[] = {&counts->records, &counts->instructions, &counts->encodings, &counts->high_pcs};

    /* Those that are the same for each instruction are left out. */
#define COUNTER_PRINT(name, what)                                                                                     \
    if (counts->name > 0 && (counts->name != counts->instructions || !is_among(&counts->name, told)))                 \
        printf("  %12" PRIu64 " %s\n", counts->name, what);
    INSN_COUNTERS(COUNTER_PRINT)
    for (unsigned kind = 0; kind < INSN_MARKER_COUNT; kind++)
        if (info->markers[kind] > 0)
            printf("  %12" PRIu64 " markers %s\n", info->markers[kind], insn_marker_name(kind));
}

static void print_meaning(const struct insn_trace *trace)
{
    struct insn_meaning const meaning = insn_trace_meaning(trace);

    printf("  addresses     %s\n", insn_addresses_text(meaning.addresses));
    if (meaning.clock == INSN_CLOCK_NONE)
        return;
    printf("  times         in %s%s, from the %s\n", meaning.clock == INSN_CLOCK_PS ? "" : "cycles of the ",
           insn_clock_text(meaning.clock), insn_origin_text(meaning.since));
}

static void print_trace(const char *path, const struct insn_trace *trace, const struct info *info)
{
    const struct insn_image *images;
    const struct insn_page *pages;
    uint64_t image_bytes, bytes = 0;
    uint64_t const file_bytes = insn_trace_bytes(trace, &image_bytes);
    size_t const image_count = insn_trace_images(trace, &images), page_count = insn_trace_pages(trace, &pages);

    printf("%s\n  kind          instruction trace, %s\n", cli_shown(path), cli_shown(insn_trace_format(trace)));
    if (insn_trace_isa(trace) != ISA_UNKNOWN && insn_trace_isa(trace) != ISA_CHAMPSIM)
        printf("  architecture  %s\n", isa_name(insn_trace_isa(trace)));
    if (insn_trace_command(trace)[0])
        printf("  command       %s\n", cli_shown(insn_trace_command(trace)));
    printf("  files         %" PRIu64 "\n", info->files);
    if (file_bytes > 0) {
        printf("  bytes         %" PRIu64 ", %.3f an instruction", file_bytes,
               (double)(file_bytes - image_bytes)
               / (double)(info->counts.instructions ? info->counts.instructions : 1));
        if (image_bytes > 0)
            printf(" besides %" PRIu64 " of code images", image_bytes);
        putchar('\n');
    }
    for (size_t i = 0; i < image_count; i++)
        bytes += images[i].byte_count;
    print_meaning(trace);
    if (image_count > 0)
        printf("  code images   %zu of %" PRIu64 " bytes\n", image_count, bytes);
    if (page_count > 0)
        printf("  page map      %zu pages of %" PRIu64 " bytes\n", page_count, pages[0].byte_count);
    if (!(info->lacks & 1u << INSN_LACKS_THREADS))
        printf("  threads       %zu\n", info->ids.count);
    for (size_t i = 0; insn_trace_threads(trace) > 1 && i < insn_trace_threads(trace) && i < THREADS_SHOWN; i++)
        printf("    %-12" PRIu64 "%14" PRIu64 " instructions\n", insn_trace_thread(trace, i)->id,
               info->thread_insns[i]);
    if (insn_trace_threads(trace) > THREADS_SHOWN)
        printf("    and %zu more\n", insn_trace_threads(trace) - THREADS_SHOWN);
}

/* How a replay takes it. */
static void print_replay(const struct insn_trace *trace, const struct info *info)
{
    bool const has_sizes = !(info->lacks & 1u << INSN_LACKS_ACCESS_SIZES);
    const char *const sizes = has_sizes ? "" : "; accesses are taken to be of one size";
    size_t const threads = insn_trace_threads(trace);

    if (info->lacks & 1u << INSN_LACKS_DEPENDENCES)
        printf("  replay        accesses in program order, within the reorder buffer%s", sizes);
    else if (info->decoded > 0 || info->counts.instructions == 0)
        printf("  replay        with dependences between instructions%s", sizes);
    else
        printf("  replay        not without what decodes it");
    if (threads > 1 && info->orders_threads)
        printf("; threads begin and wait for each other as system calls show it");
    else if (threads > 1)
        printf("; threads run free: the trace does not say who waits for whom");
    putchar('\n');
}

static void find_curves(struct reuse_curve curves[2], const struct insn_trace *trace, const struct info *info)
{
    const char *const order = insn_trace_threads(trace) > 1 ? "each thread with a cache of its own" : NULL;

    curves[0] = (struct reuse_curve){.name = "loads and stores", .reuse = &info->data_reuse,
                                     .line_bytes = info->line_bytes, .order = order};
    curves[1] = (struct reuse_curve){.name = "instruction fetches", .reuse = &info->code_reuse,
                                     .line_bytes = info->line_bytes, .order = order};
}

static void print_info(const char *path, const struct insn_trace *trace, const struct info *info)
{
    struct reuse_curve curves[2];
    const char *separator = "  lacks         ";

    print_trace(path, trace, info);
    for (unsigned lack = 0; lack < INSN_LACK_COUNT; lack++)
        if (info->lacks & 1u << lack) {
            printf("%s%s", separator, insn_lack_text(lack));
            separator = "; ";
        }
    printf("%s\n", info->lacks ? "\n" : "");
    printf("  instructions  %" PRIu64 ", %zu different pcs\n", info->counts.instructions, info->pcs.count);
    print_kinds(info);
    print_classes(info);
    print_counters(info);
    for (size_t i = 0; i < insn_trace_notes(trace); i++) {
        uint64_t count;
        const char *const name = insn_trace_note(trace, i, &count);

        printf("  %12" PRIu64 " %s\n", count, cli_shown(name));
    }
    putchar('\n');
    footprint_print("loads", &info->loads, info->line_bytes);
    footprint_print("stores", &info->stores, info->line_bytes);
    footprint_print("both", &info->both, info->line_bytes);
    footprint_print("code", &info->code, info->line_bytes);
    find_curves(curves, trace, info);
    reuse_print(stdout, &curves[0]);
    reuse_print(stdout, &curves[1]);
    putchar('\n');
    print_replay(trace, info);
}

/* A damaged .rbt shows what is whole in it. */
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
    if (good) {
        print_info(request->path, trace, &info);
        find_curves(curves, trace, &info);
        code = reuse_plot(request->svg, request->path, curves, sizeof curves / sizeof curves[0]);
    }
    insn_trace_close(trace);
    reuse_free(&info.data_reuse);
    reuse_free(&info.code_reuse);
    number_set_free(&info.ids);
    number_set_free(&info.pcs);
    footprint_free(&info.loads);
    footprint_free(&info.stores);
    footprint_free(&info.both);
    footprint_free(&info.code);
    return good ? code : cli_fail_proto(&error);
}
