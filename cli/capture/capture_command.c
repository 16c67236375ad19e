/* rubato capture: runs a program and writes the instructions it executes. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "base/path.h"
#include "cli/capture/capture_opencl.h"
#include "cli/capture/capture_regions.h"
#include "cli/common/capture_host.h"
#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/common/shown.h"
#include "cli/options/options.h"
#include "cli/regions/pilot.h"
#include "replay/regions/region_set.h"

struct request {
    struct capture_options capture;
    char output[4096], folder[CLI_CAPTURE_FOLDER];
    bool is_quiet, is_opencl, is_plain;
    unsigned warp_size;                  /* 0: not given */
    struct capture_regions regions;
    char whole[4096];                    /* with regions: the trace that they are chosen from */
};

static bool take_threads(void *main_only, struct cli_parser *parser);
static bool take_host(void *kind, struct cli_parser *parser);
static bool take_engine(void *is_plain, struct cli_parser *parser);
static bool take_warp(void *size, struct cli_parser *parser);
static bool take_count(void *text, struct cli_parser *parser);
static bool take_method(void *text, struct cli_parser *parser);
static bool take_error(void *text, struct cli_parser *parser);

static const struct cli_option options[] = {
    {"output", "FILE.rbt", "write there, also -o (default: the program's name with .rbt,\n"
     "of kernels with .pack)", CLI_INTO(TEXT, request, capture.output), CLI_FOR_GPUS},
    {"from", "PLACE",
     "begin there: a symbol of the program, an address (0x...), or\nafter N instructions",
     CLI_INTO(TEXT, request, capture.from)},
    {"to", "PLACE", "stop recording before it, and end the program", CLI_INTO(TEXT, request, capture.to)},
    {"instructions", "N", "record N instructions, then end the program",
     CLI_INTO(COUNT, request, capture.instructions)},
    {"regions", NULL, "leave only regions of it in FILE.rbt, chosen by `rubato regions`, and FILE.regions;\n"
     "the whole trace is beside them, as FILE.whole.rbt, until these are written",
     CLI_INTO(SWITCH, request, regions.are_wanted)},
    {"interval", "N", "with --regions: as `rubato regions` takes it", CLI_CALL(request, regions.interval, take_count)},
    {"warmup", "N", "with --regions: likewise", CLI_CALL(request, regions.warmup, take_count)},
    {"method", "METHOD", "with --regions: likewise", CLI_CALL(request, regions.method, take_method)},
    {"error", "SHARE%", "with --regions: likewise", CLI_CALL(request, regions.error, take_error)},
    {"system", "SYSTEM", "with --error: likewise", CLI_INTO(TEXT, request, regions.system)},
    {"threads", "all|main", "which threads are recorded (default all)",
     CLI_CALL(request, capture.host.main_only, take_threads)},
    {"sysroot", "DIR", "where the shared libraries of the program's architecture are",
     CLI_INTO(TEXT, request, capture.host.sysroot)},
    {"cpu", "MODEL", "CPU that QEMU shows to the program, as in qemu-x86_64 -cpu help",
     CLI_INTO(TEXT, request, capture.host.cpu)},
    {"with", "qemu|valgrind", "tool that runs the program (default qemu)",
     CLI_CALL(request, capture.host.kind, take_host)},
    {"no-program", NULL, "of riscv64: without the executable and memory, which give values to wrong\n"
     "paths in `replay --model detailed`; the executable is found again beside the\n"
     "trace by its build-id",
     CLI_INTO(SWITCH, request, capture.without_program)},
    {"engine", "plain|fast", "engine of the conversion; the file is the same (default fast)",
     CLI_CALL(request, is_plain, take_engine)},
    {"opencl", NULL, "the kernels of an OpenCL program, which runs in Oclgrind: a store of\n"
     "GPU warp traces", CLI_INTO(SWITCH, request, is_opencl), CLI_FOR_GPUS},
    {"warp", "32|64", "lanes of a warp (default 32, NVIDIA's; 64: AMD's GCN3)",
     CLI_CALL(request, warp_size, take_warp), CLI_FOR_GPUS},
    {"quiet", NULL, "no progress, no table; errors and warnings stay", CLI_INTO(SWITCH, request, is_quiet),
     CLI_FOR_GPUS},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato capture [options] [--] PROGRAM [ARGUMENTS]\n"
        "rubato capture --opencl [--warp 32|64] [-o FILE] [--] PROGRAM [ARGUMENTS]",
    .about = "Runs a program of x86-64, aarch64 or riscv64, and writes each instruction that it executes, with its\n"
             "accesses, to an instruction trace (.rbt), which all other commands read. The program is found as the\n"
             "shell finds it; a script runs in its interpreter. Standard input, output and errors are the program's.\n"
             "Or runs the kernels of an OpenCL program without a GPU, and writes what their warps execute to a store\n"
             "of GPU traces.",
    .options = options,
    .notes = "It runs in QEMU's user mode (Debian, Ubuntu: qemu-user) or in Valgrind, which also follows a program\n"
             "that execs; many times slower than by itself. A table at the end lists what was recorded and what is\n"
             "not seen: accesses of the kernel, of prefetches, of forked processes. docs/capture.md says more.\n"
             "OpenCL programs run in Oclgrind (Debian, Ubuntu: oclgrind), whose instructions are LLVM's; docs/gpu.md.\n"
             "Exit codes: 0 captured; the program's own exit code is shown; 2 no such program,\n"
             "nothing to run it with, or a file that cannot be written; 3 the program crashed or the capture\n"
             "could not continue, and the file has the earlier part."
};

static volatile sig_atomic_t signal_caught, interrupts, terminations;

/* One signal more than the capture handles itself (see run) ends the process at once, and the program with it. */
static void catch_signal(int number)
{
    signal_caught = number;
    if (number == SIGINT ? ++interrupts > 2 : ++terminations > 1) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static int next_signal(void)
{
    int const number = signal_caught;

    signal_caught = 0;
    return number;
}

/* The program gets the terminal's signals by itself, and ends or does not; a second one ends it. */
static void listen_to_signals(void)
{
    struct sigaction action = {.sa_handler = catch_signal};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);            /* a file that may not grow is a fault, not a signal */
}

/* ---- arguments */

static bool take_choice(struct cli_parser *parser, const char *first, const char *second, bool *is_second)
{
    *is_second = strcmp(parser->value, second) == 0;
    if (*is_second || strcmp(parser->value, first) == 0)
        return true;
    cli_usage_error(&usage, "--%s %s: expected %s or %s", parser->option, parser->value, first, second);
    return false;
}

static bool take_threads(void *main_only, struct cli_parser *parser)
{
    return take_choice(parser, "all", "main", main_only);
}

static bool take_engine(void *is_plain, struct cli_parser *parser)
{
    return take_choice(parser, "fast", "plain", is_plain);
}

static bool take_host(void *field, struct cli_parser *parser)
{
    enum host_kind *const kind = field;
    bool is_valgrind;
    bool const is_right = take_choice(parser, "qemu", "valgrind", &is_valgrind);

    *kind = is_valgrind ? HOST_VALGRIND : HOST_QEMU;
    return is_right;
}

/* Values for `rubato regions` are checked before the program runs. */
static bool take_count(void *field, struct cli_parser *parser)
{
    const char **const text = field;
    uint64_t count;

    *text = parser->value;
    return cli_parse_count(parser, &count);
}

static bool take_method(void *field, struct cli_parser *parser)
{
    const char **const text = field;
    enum region_method method;

    *text = parser->value;
    if (region_method_find(parser->value, &method) && method != REGIONS_GIVEN)
        return true;
    cli_usage_error(&usage, "--method %s; expected simpoint, systematic or stratified", parser->value);
    return false;
}

static bool take_error(void *field, struct cli_parser *parser)
{
    const char **const text = field;
    double share;

    *text = parser->value;
    return pilot_take_error(&share, parser);
}

static bool take_warp(void *field, struct cli_parser *parser)
{
    unsigned *const lanes = field;
    bool is_64;
    bool const is_right = take_choice(parser, "32", "64", &is_64);

    *lanes = is_64 ? 64 : 32;
    return is_right;
}

/* The capture writes the whole trace, beside the output. */
static bool prepare_regions(struct request *request, int *exit_code)
{
    const char *const given = request->regions.interval ? "interval" : request->regions.warmup ? "warmup"
                              : request->regions.method ? "method" : request->regions.error ? "error"
                              : request->regions.system ? "system" : NULL;

    if (!request->regions.are_wanted && given) {
        *exit_code = cli_usage_error(&usage, "--%s is for regions; give --regions, too", given);
        return false;
    }
    if (!request->regions.are_wanted)
        return true;
    *exit_code = capture_regions_check(&request->regions);
    if (*exit_code != CLI_OK)
        return false;
    if (!capture_regions_name(request->capture.output, ".whole.rbt", request->whole, sizeof request->whole)) {
        *exit_code = cli_fail_text("%s: the name is too long", request->capture.output);
        return false;
    }
    return !cli_output_replaces_input(request->whole);
}

/* Options end at the program's name; further words are the program's arguments. */
static bool take_arguments(struct request *request, int argc, char **argv, int *exit_code)
{
    struct cli_parser parser;

    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *exit_code = parser.exit_code;
        return false;
    }
    if (request->is_plain)
        request->capture.bind = NULL;
    if (!parser.has_operand) {
        *exit_code = cli_usage_error(&usage, "no program was given; for example: rubato capture -- ./program "
                                             "arguments");
        return false;
    }
    request->capture.argv = argv + parser.index - 1;
    for (int i = parser.index; i < argc; i++)
        cli_output_spare(argv[i]);           /* the program may read its arguments as files */
    if (!cli_outputs_agree())
        return *exit_code = CLI_BAD_INPUT, false;
    if (request->is_opencl ? parser.cpu_option != NULL : request->warp_size != 0) {
        *exit_code = cli_usage_error(&usage, request->is_opencl ? "--opencl records whole kernels of all work-items; "
                                     "of the other options it takes -o, --warp and --quiet"
                                     : "--warp is for --opencl; add that, or leave it out");
        return false;
    }
    if (request->capture.output == NULL) {
        snprintf(request->output, sizeof request->output, "%s.%s", path_name(request->capture.argv[0]),
                 request->is_opencl ? "pack" : "rbt");
        request->capture.output = request->output;
    }
    *exit_code = CLI_BAD_INPUT;
    if (cli_output_replaces_input(request->capture.output))
        return false;
    if (!(request->is_opencl ? cli_output_fits(request->capture.output, "a store of GPU traces", "pack")
          : cli_output_fits(request->capture.output, "an instruction trace", "rbt")))
        return false;
    if (request->capture.instructions == 0) {
        *exit_code = cli_usage_error(&usage, "--instructions 0 records nothing");
        return false;
    }
    return prepare_regions(request, exit_code);
}

/* ---- progress and table */

struct meter {
    bool is_shown;
    double start_s, last_s;
    int width;
};

static void capture_command_show_progress(struct meter *meter, const struct capture *capture)
{
    const struct capture_counts *const counts = capture_counts(capture);
    const double now_s = host_clock_s();
    char text[160];
    int length;

    if (!meter->is_shown || now_s - meter->last_s < 0.2)
        return;
    meter->last_s = now_s;
    length = snprintf(text, sizeof text, "%.1f million instructions, %.1f million/s, %.1f MB",
                      1e-6 * (double)counts->instructions,
                      1e-6 * (double)(counts->instructions + counts->skipped) / (now_s - meter->start_s),
                      1e-6 * (double)capture_bytes(capture));
    fprintf(stderr, "\r%-*s", meter->width, text);
    fflush(stderr);
    if (length > meter->width)
        meter->width = length;
}

static void end_progress(const struct meter *meter)
{
    if (meter->is_shown && meter->width > 0)
        fprintf(stderr, "\r%-*s\r", meter->width, "");
}

static void capture_command_print_count(uint64_t count, const char *what)
{
    if (count > 0)
        fprintf(stderr, "  %14" PRIu64 "  %s\n", count, what);
}

static void print_unseen(const struct capture_counts *counts, const struct capture_end *end)
{
    fprintf(stderr, "Not seen:\n");
    fprintf(stderr, "  %14" PRIu64 "  system calls' accesses; those that read or write moved %" PRIu64 " bytes\n",
            counts->syscalls, counts->kernel_bytes);
    capture_command_print_count(counts->skipped, "instructions outside of the region");
    capture_command_print_count(counts->prefetches, "prefetches, whose addresses are not known");
    capture_command_print_count(counts->zeroings, "stores of dc zva, whose addresses are not known");
    capture_command_print_count(counts->undecoded, "instructions executed that the decoder does not know");
    capture_command_print_count(counts->unseen_loads, "loads that must have been made and were not reported");
    capture_command_print_count(counts->unseen_stores, "stores that must have been made and were not reported");
    capture_command_print_count(counts->signals, "signals' frames on the stack");
    capture_command_print_count(counts->frames, "accesses of these frames that QEMU reported, left out");
    capture_command_print_count(counts->cuts, "instructions that trapped, which are left out");
    capture_command_print_count(counts->jumps, "places where control went where the code does not lead");
    capture_command_print_count(end->threads_unrecorded, "threads that are not recorded");
    capture_command_print_count(end->children, "forked processes");
    capture_command_print_count(counts->execs, "program that replaced itself (exec); its successor is not recorded");
    capture_command_print_count(counts->successors,
                                "programs that replaced themselves (exec), and are recorded from there on");
    capture_command_print_count(counts->unknown_blocks, "blocks of instructions of unknown code");
    capture_command_print_count(counts->dropped, "accesses beyond 1024 of an instruction");
}

static void print_table(const struct capture *capture, const struct request *request, double seconds)
{
    const struct capture_counts *const counts = capture_counts(capture);
    const struct capture_end *const end = capture_end(capture);
    const double instructions = (double)counts->instructions;

    fprintf(stderr, "%s: %s, %.1f s, %.1f million instructions/s, %.3f bytes an instruction\n",
            cli_shown(request->capture.output), capture_source(capture), seconds,
            1e-6 * (instructions + (double)counts->skipped) / seconds,
            counts->instructions > 0 ? (double)capture_bytes(capture) / instructions : 0);
    if (end->was_stopped)
        fprintf(stderr, "The program was ended %s.\n", end->region_ended ? "where the region ends"
                : "by a signal to rubato");
    else if (end->child.has_exited)
        fprintf(stderr, "The program's exit code is %d.\n", end->child.exit_code);
    fprintf(stderr, "%s took %.2f s of user time, %.1f million instructions/s.\n", capture_host(capture),
            end->child.user_s,
            1e-6 * (instructions + (double)counts->skipped) / (end->child.user_s > 0 ? end->child.user_s : 1e-3));
    fprintf(stderr, "Recorded:\n");
    capture_command_print_count(counts->instructions, "instructions");
    capture_command_print_count(end->static_insns, "of them different ones");
    capture_command_print_count(counts->repeats, "further iterations of string instructions");
    capture_command_print_count(counts->loads, "loads");
    capture_command_print_count(counts->prefetches_known, "of them prefetches, whose addresses are known");
    capture_command_print_count(counts->stores, "stores");
    capture_command_print_count(counts->zeroed, "of them dc zva, whose addresses accesses before gave");
    capture_command_print_count(end->threads - end->threads_unrecorded, "threads");
    capture_command_print_count(end->code_bytes, "bytes of code");
    capture_command_print_count(end->program_bytes, "bytes of the program, for values on wrong paths");
    capture_command_print_count(end->writes_out, "bytes that system calls wrote beyond 64 MiB, which are not kept");
    if (end->program_out != NULL)
        fprintf(stderr, "The program itself is not kept: %s.\n", end->program_out);
    print_unseen(counts, end);
}

/* ---- run */

/* The program was a wrapper: it replaced itself by the program that the user meant. */
static int replaced(const struct capture *capture, const struct request *request)
{
    const char *const successor = capture_end(capture)->successor;
    char room[CLI_QUOTED_MAX];

    fprintf(stderr, "rubato: %s replaced itself by %s (exec) after %" PRIu64 " instructions; %s does not follow it, so "
            "%s holds only the part before: ", cli_shown(request->capture.argv[0]),
            *successor ? cli_shown(successor) : "another program", capture_counts(capture)->instructions,
            capture_host(capture), cli_shown(request->capture.output));
    if (*successor)
        fprintf(stderr, "capture that program (`rubato capture ... -- %s ...`), or give --with valgrind\n",
                cli_quote(successor, room));
    else
        fprintf(stderr, "capture that program by its own name, or give --with valgrind\n");
    return CLI_STALLED;
}

/* Why the exit code is 3, if it is; prints it. */
static int capture_command_judge(const struct capture *capture, const struct request *request)
{
    const struct capture_end *const end = capture_end(capture);
    const struct capture_counts *const counts = capture_counts(capture);
    const char *const place = request->capture.from;

    if (!end->was_stopped && !end->child.has_exited) {
        fprintf(stderr, "rubato: %s was ended by signal %d (%s)%s%s; the instructions until then are in %s\n",
                cli_shown(request->capture.argv[0]), end->child.signal, strsignal(end->child.signal),
                end->reason[0] != '\0' ? ": " : "", end->reason, cli_shown(request->capture.output));
        return CLI_STALLED;
    }
    if (!end->region_began && place != NULL) {
        fprintf(stderr, "rubato: --from %s was not reached in %" PRIu64 " instructions; %s has none\n",
                cli_shown(place), capture_counts(capture)->skipped, cli_shown(request->capture.output));
        return CLI_STALLED;
    }
    if (counts->execs > 0 && counts->successors == 0 && !end->region_ended && !end->was_stopped)
        return replaced(capture, request);
    if (!end->region_ended && request->capture.to != NULL && !end->was_stopped)
        cli_warn("--to %s was not reached; the trace ends with the program", request->capture.to);
    return CLI_OK;
}

static int capture_command_run(const struct request *request)
{
    struct fault error = {0}, last = {0};
    struct capture *const capture = capture_start(&request->capture, &error);
    struct meter meter = {.is_shown = !request->is_quiet && isatty(STDERR_FILENO) == 1, .start_s = host_clock_s()};
    enum capture_state state;
    int signals = 0, code = CLI_OK;

    if (capture == NULL)
        return cli_fail(error);
    while ((state = capture_step(capture, &error)) == CAPTURE_RUNS) {
        capture_command_show_progress(&meter, capture);
        if (signal_caught != 0 && (signal_caught == SIGTERM || ++signals > 1))
            capture_stop(capture);
        if (signal_caught == SIGINT)
            signal_caught = 0;
    }
    end_progress(&meter);
    if (FAILS(last, capture_finish(capture)) && state != CAPTURE_FAILED) {
        error = last;
        state = CAPTURE_FAILED;
    }
    if (!request->is_quiet && capture_counts(capture)->instructions > 0)
        print_table(capture, request, host_clock_s() - meter.start_s);
    if (capture_end(capture)->is_program_large && !request->capture.without_program)
        cli_warn(capture_end(capture)->has_identity
                 ? "%s: the program is not kept, as its loaded part is larger than 64 MiB; beside the trace it is "
                 "found by its build-id"
                 : "%s: the program is not kept, as its memory where the recording begins is larger than 64 MiB; begin "
                 "earlier, or with less memory", request->capture.output);
    code = state == CAPTURE_FAILED ? cli_fail(error) : capture_command_judge(capture, request);
    capture_free(capture);
    return code;
}

static int run_opencl(const struct request *request)
{
    struct ocl_options const kernels = {
        .argv = request->capture.argv, .output = request->capture.output, .search = request->capture.host.search,
        .folder = request->folder, .warp_size = request->warp_size != 0 ? request->warp_size : 32
    };

    return capture_opencl(&kernels, request->is_quiet, next_signal);
}

int cli_capture(int argc, char **argv)
{
    struct request *const request = calloc(1, sizeof *request);
    const char *const all_told = getenv("RUBATO_CAPTURE_ALL_TOLD");
    int code = CLI_BAD_INPUT;

    if (request == NULL)
        return cli_fail_text("out of memory");
    cli_capture_begin(&request->capture, request->folder);
    /* For tests: with 1 the host leaves nothing out. The program's environment has it as well, so 0 is a value, too. */
    request->capture.all_told = all_told != NULL && strcmp(all_told, "1") == 0;
    if (take_arguments(request, argc, argv, &code)) {
        const char *const output = request->capture.output;

        if (request->regions.are_wanted)
            request->capture.output = request->whole;
        listen_to_signals();
        code = request->is_opencl ? run_opencl(request) : capture_command_run(request);
        if (code == CLI_OK && request->regions.are_wanted)
            code = capture_regions(&request->regions, request->whole, output, request->is_quiet);
    }
    free(request);
    return code;
}
