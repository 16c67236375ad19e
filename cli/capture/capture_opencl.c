/* Runs the program under Oclgrind, shows its progress, and reports at the end the recorded parts and the missing
 * ones. */
#include "cli/capture/capture_opencl.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"

struct meter {
    bool is_shown;
    double start_s, last_s;
};

static void capture_opencl_show_progress(struct meter *meter, const struct ocl_summary *summary)
{
    double const now_s = host_clock_s();

    if (!meter->is_shown || now_s - meter->last_s < 0.2)
        return;
    meter->last_s = now_s;
    fprintf(stderr, "\rkernel %" PRIu64 ", %.1f s        ", summary->told.kernels, now_s - meter->start_s);
    fflush(stderr);
}

static void capture_opencl_print_count(uint64_t count, const char *what)
{
    if (count > 0)
        fprintf(stderr, "  %14" PRIu64 "  %s\n", count, what);
}

static void print_table(const struct ocl_summary *summary, const struct ocl_options *options, double seconds)
{
    const struct ocl_counts *const counts = &summary->counts;
    double const instructions = (double)counts->item_instructions;

    fprintf(stderr, "%s: capture, oclgrind, %.1f s, %.1f million instructions of work-items/s, %.3f bytes an "
            "instruction of a warp\n", cli_shown(options->output), seconds, 1e-6 * instructions / seconds,
            counts->records > 0 ? (double)summary->bytes / (double)counts->records : 0);
    if (summary->was_stopped)
        fprintf(stderr, "The program was ended by a signal to rubato.\n");
    else if (summary->child.has_exited)
        fprintf(stderr, "The program's exit code is %d.\n", summary->child.exit_code);
    fprintf(stderr, "Oclgrind took %.2f s of user time, %.1f million instructions of work-items/s.\n",
            summary->child.user_s, 1e-6 * instructions / (summary->child.user_s > 0 ? summary->child.user_s : 1e-3));
    fprintf(stderr, "Recorded, for warps of %u lanes:\n", options->warp_size);
    capture_opencl_print_count(summary->told.kernels, "kernels");
    capture_opencl_print_count(counts->groups, "work-groups");
    capture_opencl_print_count(counts->warps, "warps");
    capture_opencl_print_count(counts->item_instructions, "instructions of work-items");
    capture_opencl_print_count(counts->records, "instructions of warps");
    capture_opencl_print_count(counts->loads, "of them loads");
    capture_opencl_print_count(counts->stores, "of them stores");
    capture_opencl_print_count(counts->atomics, "of them atomics");
    capture_opencl_print_count(counts->barriers, "of them barriers");
    capture_opencl_print_count(counts->waits, "of them waits for accesses, put in as a compiler of GCN3 does");
    capture_opencl_print_count(counts->splits, "times that a warp was split into paths");
    capture_opencl_print_count(counts->further, "lanes of further records of one instruction, of wide accesses");
    capture_opencl_print_count(summary->told.copies, "copies to the device");
    capture_opencl_print_count(summary->told.copied_bytes, "bytes of them");
    capture_opencl_print_count(summary->told.copies_back, "copies to the host");
    capture_opencl_print_count(summary->told.copied_back_bytes, "bytes of them");
    fprintf(stderr, "Estimated: registers a thread, as words of 32 bits that live at once.\n");
    if (summary->told.async_bytes > 0 || summary->told.groups_lost > 0 || counts->cut_bytes > 0)
        fprintf(stderr, "Not seen:\n");
    capture_opencl_print_count(summary->told.async_bytes, "bytes of asynchronous copies of work-groups");
    capture_opencl_print_count(counts->cut_bytes, "bytes of accesses beyond 4096 of one instruction and work-item");
    capture_opencl_print_count(summary->told.groups_lost, "work-groups that did not end");
}

/* Why the exit code is 3, if it is; prints it. */
static int capture_opencl_judge(const struct ocl_summary *summary, const struct ocl_options *options)
{
    if (summary->told.troubles > 0)
        cli_warn("Oclgrind reports %" PRIu64 " error%s, listed above; the first: %s", summary->told.troubles,
                 summary->told.troubles > 1 ? "s" : "", summary->told.trouble);
    if (!summary->was_stopped && !summary->child.has_exited) {
        fprintf(stderr, "rubato: %s was ended by signal %d (%s); the work-groups that had ended are in %s\n",
                cli_shown(options->argv[0]), summary->child.signal, strsignal(summary->child.signal),
                cli_shown(options->output));
        return CLI_STALLED;
    }
    if (summary->told.groups_lost > 0 && !summary->was_stopped) {
        fprintf(stderr, "rubato: %s ended within a kernel; the work-groups that had ended are in %s\n",
                cli_shown(options->argv[0]), cli_shown(options->output));
        return CLI_STALLED;
    }
    return CLI_OK;
}

int capture_opencl(const struct ocl_options *options, bool is_quiet, int (*next_signal)(void))
{
    struct fault error = {0}, last = {0};
    struct ocl_capture *const capture = ocl_capture_start(options, &error);
    struct meter meter = {.is_shown = !is_quiet && isatty(STDERR_FILENO) == 1, .start_s = host_clock_s()};
    const struct ocl_summary *summary;
    enum ocl_state state;
    int signals = 0, code;
    bool is_written;

    if (capture == NULL)
        return cli_fail(error);
    summary = ocl_capture_summary(capture);
    while ((state = ocl_capture_step(capture, &error)) == OCL_RUNS) {
        int const number = next_signal();

        capture_opencl_show_progress(&meter, summary);
        /* The program gets the terminal's by itself; a second one ends it. */
        if (number != 0 && (number == SIGTERM || ++signals > 1))
            ocl_capture_stop(capture);
    }
    if (meter.is_shown)
        fprintf(stderr, "\r%40s\r", "");
    is_written = WORKS(last, ocl_capture_finish(capture));
    if (!is_written && state != OCL_FAILED)
        error = last;
    if (is_written && !is_quiet)
        print_table(summary, options, host_clock_s() - meter.start_s);
    code = state == OCL_FAILED || !is_written ? cli_fail(error) : capture_opencl_judge(summary, options);
    ocl_capture_free(capture);
    return code;
}
