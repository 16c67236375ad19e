/* rubato trace pack, cut, verify, convert of instruction traces. */
#include "cli/trace/trace_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/common/progress.h"
#include "cli/common/shown.h"
#include "proto/insn/rbt/copy.h"
#include "proto/insn/write/write.h"

enum { MOST_THREADS = 4096 };

struct insn_trace *trace_insn_open(const char *path, const char *format, struct fault *error)
{
    struct fault first;
    struct insn_trace *trace = insn_trace_open_as(path, format, INSN_OPEN_DECODED, &first);

    if (trace)
        return trace;
    trace = insn_trace_open_as(path, format, INSN_OPEN_RAW, error);
    if (trace)
        cli_warn("%s: instructions are not decoded: %s", path, fault_text(first));
    return trace;
}

/* ---- verify */

static struct fault read_thread(const struct insn_trace *trace, size_t i, uint64_t *insns, bool *is_odd)
{
    struct fault fault = fault_none();
    struct insn_cursor *const cursor = insn_cursor_open(trace, i, &fault);
    enum insn_step step = INSN_FAILED;
    struct insn_event event;

    if (!cursor)
        return fault;
    while ((step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD)
        ;
    *insns += insn_cursor_counts(cursor)->instructions;
    if (step == INSN_END && insn_cursor_warning(cursor)) {
        const struct insn_thread *const thread = insn_trace_thread(trace, i);

        printf("%s: thread %" PRIu64 ": %s\n", cli_shown(thread->path), thread->id,
               cli_shown(insn_cursor_warning(cursor)));
        *is_odd = true;
    }
    insn_cursor_close(cursor);
    return step == INSN_END ? fault_none() : fault;
}

int trace_insn_verify(const struct trace_request *request)
{
    struct fault error;
    struct insn_trace *const trace = insn_trace_open_as(request->path, request->format, INSN_OPEN_RAW, &error);
    bool good = trace != NULL, is_odd = false;
    uint64_t insns = 0;
    size_t threads;

    for (size_t i = 0; good && i < insn_trace_threads(trace); i++)
        good = WORKS(error, read_thread(trace, i, &insns, &is_odd));
    if (!good) {
        insn_trace_close(trace);
        return cli_fail_proto(&error);
    }
    threads = insn_trace_threads(trace);
    printf("%s: %s; %s, %zu thread%s, %" PRIu64 " instructions\n", cli_shown(request->path),
           is_odd ? "not whole" : "whole",
           cli_shown(insn_trace_format(trace)), threads, threads == 1 ? "" : "s", insns);
    insn_trace_close(trace);
    return is_odd ? CLI_BAD_INPUT : CLI_OK;
}

/* ---- pack and cut */

static void trace_insn_show_progress(void *context, uint64_t insns)
{
    progress_show(context, insns, PROGRESS_NO_TIME, 0);
}

static void print_copy(const char *output, const struct rbt_copy_result *result)
{
    double const insns = result->fetched > 0 ? (double)result->fetched : 1;

    if (result->bytes == 0)
        return;
    printf("%s: %" PRIu64 " thread%s, %" PRIu64 " instructions, %" PRIu64 " bytes, %.3f an instruction",
           cli_shown(output), result->threads, result->threads == 1 ? "" : "s", result->fetched, result->bytes,
           (double)(result->bytes - result->image_bytes - result->program_bytes) / insns);
    if (result->image_bytes > 0)
        printf(" besides %" PRIu64 " of code images", result->image_bytes);
    if (result->program_bytes > 0)
        printf(" and %" PRIu64 " of the program", result->program_bytes);
    putchar('\n');
}

static int trace_insn_copy(struct insn_trace *trace, struct rbt_copy_request *request, bool is_quiet)
{
    struct rbt_copy_result result;
    struct progress progress;
    struct fault error;
    bool good;

    progress_start(&progress);
    progress.what = "instructions";
    request->progress = trace_insn_show_progress;
    request->context = &progress;
    good = WORKS(error, rbt_copy(trace, request, &result));
    progress_end(&progress);
    insn_trace_close(trace);
    if (!good)
        return cli_fail_proto(&error);
    if (result.warning[0])
        cli_warn("%s", result.warning);
    if (!is_quiet)
        print_copy(request->path, &result);
    return CLI_OK;
}

int trace_insn_pack(const struct trace_request *request)
{
    struct rbt_copy_request copied = {.path = request->output, .behind = UINT64_MAX,
                                      .without_images = request->without_images,
                                      .without_program = request->without_program};
    struct insn_trace *trace;
    struct fault error;

    if (!cli_output_fits(request->output, "an instruction trace", "rbt"))
        return CLI_BAD_INPUT;
    trace = insn_trace_open_as(request->path, request->format, INSN_OPEN_RAW, &error);
    return trace ? trace_insn_copy(trace, &copied, request->is_quiet) : cli_fail_proto(&error);
}

/* False: the reason is printed. */
static bool parse_threads(const struct insn_trace *trace, const char *text, uint64_t *threads, size_t *count)
{
    for (*count = 0; *text != '\0'; *count += 1) {
        bool is_there = false;
        uint64_t id;
        char *end;

        errno = 0;
        id = strtoull(text, &end, 0);
        for (size_t i = 0; i < insn_trace_threads(trace); i++)
            is_there |= insn_trace_thread(trace, i)->id == id;
        if (errno != 0 || end == text || (*end != '\0' && *end != ',') || *text == '-' || *count == MOST_THREADS) {
            cli_fail_text("--threads %s: expected ids of threads with commas between them", text);
            return false;
        }
        if (!is_there) {
            cli_fail_text("--threads: there is no thread %" PRIu64 "; `rubato trace info` lists them", id);
            return false;
        }
        threads[*count] = id;
        text = *end == ',' ? end + 1 : end;
    }
    return *count > 0 || (cli_fail_text("--threads: expected ids of threads with commas between them"), false);
}

int trace_insn_cut(const struct trace_request *request)
{
    static uint64_t ids[MOST_THREADS];
    struct rbt_copy_request copied = {.path = request->output, .first = request->first, .behind = request->behind};
    struct fault error;
    struct insn_trace *const trace = insn_trace_open_as(request->path, request->format,
                                                        request->salvages ? INSN_OPEN_SALVAGED : INSN_OPEN_RAW,
                                                        &error);

    if (!trace)
        return cli_fail_proto(&error);
    if (request->threads && !parse_threads(trace, request->threads, ids, &copied.thread_count)) {
        insn_trace_close(trace);
        return CLI_BAD_INPUT;
    }
    copied.threads = request->threads ? ids : NULL;
    return trace_insn_copy(trace, &copied, false);
}

/* ---- convert */

int trace_insn_convert(const char *path, const char *format, const char *to, const char *output, bool is_quiet)
{
    struct insn_write_result result;
    struct fault error;
    struct insn_trace *const trace = trace_insn_open(path, format, &error);
    bool const good = trace && WORKS(error, insn_write(trace, to, output, &result));

    insn_trace_close(trace);
    if (!good)
        return cli_fail_proto(&error);
    if (result.warning[0])
        cli_warn("%s", result.warning);
    if (is_quiet)
        return CLI_OK;
    printf("%s: %s, %zu thread%s, %" PRIu64 " instructions, %" PRIu64 " bytes\n", cli_shown(output),
           result.is_folder ? "folder" : "file", result.threads, result.threads == 1 ? "" : "s", result.insns,
           result.bytes);
    for (size_t i = 0; i < INSN_LOSS_COUNT; i++)
        if (result.losses[i] > 0)
            printf("  %12" PRIu64 " %s\n", result.losses[i], insn_loss_text((enum insn_loss)i));
    return CLI_OK;
}
