/* A region that begins somewhere in the program is captured twice: once for how many instructions it has and how many
 * are before it, once with as many before it as the replay takes for its warm-up. Programs that are compared do the
 * same each time, so both captures count alike. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "cli/common/capture_host.h"
#include "cli/common/interrupt.h"
#include "cli/sweep/compare_native.h"

enum { SLOWER = 10 };     /* times the time-out of a native run that a capture may take */

struct taken {
    uint64_t instructions, before, calls;        /* calls: of the kernel */
};

/* ---- standard input and outputs of the program while it starts */

struct replaced_files {
    int before[3];
};

/* -1: it could not be kept. */
static void replace_files(struct replaced_files *files, const char *input, int output)
{
    int const in = open(input, O_RDONLY | O_CLOEXEC), none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int const now[3] = {in, output, none};

    fflush(NULL);
    for (int i = 0; i < 3; i++) {
        files->before[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        if (files->before[i] >= 0 && now[i] >= 0)
            dup2(now[i], i);
    }
    if (in >= 0)
        close(in);
    if (none >= 0)
        close(none);
}

static void restore_files(const struct replaced_files *files)
{
    for (int i = 0; i < 3; i++)
        if (files->before[i] >= 0) {
            dup2(files->before[i], i);
            close(files->before[i]);
        }
}

/* ---- one capture */

static struct fault judge(const struct capture *capture, const struct capture_options *options)
{
    const struct capture_end *const end = capture_end(capture);
    const struct capture_counts *const counts = capture_counts(capture);
    const char *const name = options->argv[0];

    if (!end->was_stopped && !end->child.has_exited)
        return fault_make(FAULT_STALL, "%s: ended by signal %d (%s) in its capture%s%s", name, end->child.signal,
                          strsignal(end->child.signal), *end->reason ? ": " : "", end->reason);
    if (!end->region_began && options->from)
        return fault_make(FAULT_STALL, "%s: %s, where the region begins, was not reached in its capture", name,
                          options->from);
    if (end->children > 0 || counts->execs > 0 || end->threads > 1)
        return fault_make(FAULT_STALL, "%s: it %s; only programs of one process and one thread can be compared", name,
                          counts->execs > 0 ? "replaces itself (exec)" : end->children > 0 ? "forks"
                          : "starts threads");
    if (!end->region_ended && options->to)
        return fault_make(FAULT_STALL, "%s: %s, where the region ends, was not reached in its capture", name,
                          options->to);
    if (!end->was_stopped && end->child.exit_code != 0)
        return fault_make(FAULT_STALL, "%s: it failed in its capture, with exit code %d", name, end->child.exit_code);
    return fault_none();
}

static struct fault run(struct capture *capture, const struct compare_native_request *request, const char *name)
{
    double const deadline_s = host_clock_s() + SLOWER * 1e-12 * (double)request->timeout_ps;
    struct fault fault = fault_none(), last;
    enum capture_state state;

    while ((state = capture_step(capture, &fault)) == CAPTURE_RUNS && fault.kind == FAULT_NONE) {
        if (interrupt_came())
            fault = fault_make(FAULT_STALL, "%s: stopped by the user", name);
        else if (host_clock_s() > deadline_s)
            fault = fault_make(FAULT_STALL, "%s: its capture has not ended after %.0f s; give --timeout TIME, or a "
                               "region", name, SLOWER * 1e-12 * (double)request->timeout_ps);
        if (fault.kind != FAULT_NONE)
            capture_stop(capture);
    }
    last = capture_finish(capture);
    return fault.kind != FAULT_NONE ? fault : last;
}

static struct fault capture_part(const struct compare_native_request *request, const struct capture_options *options,
                                 int output, struct taken *taken)
{
    struct replaced_files files;
    struct capture *capture;
    struct fault fault = fault_none();

    if (ftruncate(output, 0) != 0 || lseek(output, 0, SEEK_SET) != 0)
        return fault_memory(options->argv[0], "its output");
    replace_files(&files, request->input, output);
    capture = capture_start(options, &fault);
    restore_files(&files);
    if (!capture)
        return fault;
    fault = run(capture, request, options->argv[0]);
    if (fault.kind == FAULT_NONE)
        fault = judge(capture, options);
    *taken = (struct taken){
        capture_counts(capture)->instructions, capture_end(capture)->before, capture_counts(capture)->syscalls
    };
    capture_free(capture);
    return fault;
}

/* ---- the output */

static struct fault check_output(const struct native_row *row, int output, bool is_cut)
{
    off_t const size = lseek(output, 0, SEEK_END);
    size_t bytes = size > 0 ? (size_t)size : 0, line;
    char *const text = malloc(bytes + 1);

    if (!text || pread(output, text, bytes, 0) != (ssize_t)bytes) {
        free(text);
        return fault_memory(row->one->argv[0], "its output");
    }
    /* A capture sees the region's end late, and the program may have printed more. */
    if (is_cut && bytes > row->native.output_bytes)
        bytes = row->native.output_bytes;
    line = native_outputs_differ(row->native.output, row->native.output_bytes, text, bytes);
    free(text);
    if (line == 0)
        return fault_none();
    return fault_make(FAULT_STALL, "%s: its capture prints something else than the native run, from line %zu on; both "
                      "must do the same to be compared", row->one->argv[0], line);
}

/* ---- both */

static struct fault capture_with_warmup(const struct compare_native_request *request, struct native_row *row,
                                        struct capture_options options, int output, struct taken region)
{
    uint64_t const warmup = region.before < request->warmup ? region.before : request->warmup;
    char from[32];
    struct taken taken;

    row->warmup = warmup;
    if (warmup == 0)
        return fault_none();
    snprintf(from, sizeof from, "%" PRIu64, region.before - warmup);
    options.from = region.before > warmup ? from : NULL;
    options.to = NULL;
    options.instructions = warmup + region.instructions;
    FORWARD(capture_part(request, &options, output, &taken));
    /* Cores do not count the instructions that call the kernel. */
    row->warmup -= taken.calls > region.calls ? taken.calls - region.calls : 0;
    if (taken.instructions == options.instructions)
        return fault_none();
    return fault_make(FAULT_STALL, "%s: one capture has %" PRIu64 " instructions up to the end of the region, another "
                      "%" PRIu64 "; expected a program that does the same each time", row->one->argv[0],
                      options.instructions, taken.instructions);
}

static struct fault capture_all(const struct compare_native_request *request, struct native_row *row, const char *path,
                                int output)
{
    char folder[CLI_CAPTURE_FOLDER];
    struct capture_options options;
    struct taken region;

    cli_capture_begin(&options, folder);
    options.argv = row->one->argv;
    options.output = path;
    options.from = row->from;
    options.to = row->to;
    options.instructions = request->instructions + 1;
    options.without_program = true;
    FORWARD(capture_part(request, &options, output, &region));
    row->instructions = region.instructions;
    if (region.instructions > request->instructions)
        return fault_make(FAULT_STALL, "%s: it has more than %" PRIu64 " instructions to replay; give a region, or "
                          "--instructions N", row->one->argv[0], request->instructions);
    if (region.instructions == 0)
        return fault_make(FAULT_STALL, "%s: the region has no instructions", row->one->argv[0]);
    if (row->has_native)
        FORWARD(check_output(row, output, options.to != NULL));
    if (row->one->cycles > 0) {
        row->warmup = (uint64_t)((double)region.instructions * row->one->warm);
        row->instructions -= row->warmup;
        return fault_none();
    }
    return options.from ? capture_with_warmup(request, row, options, output, region) : fault_none();
}

struct fault compare_native_capture(const struct compare_native_request *request, struct native_row *row,
                                    const char *path)
{
    int const output = memfd_create("output", MFD_CLOEXEC);
    struct fault fault;

    if (output < 0)
        return fault_memory(row->one->argv[0], "its output");
    fault = capture_all(request, row, path, output);
    close(output);
    return fault;
}
