/* Order: everything that can be wrong with the request is found before any program runs (exit code 2); then program by
 * program the native runs, the capture and the replay, whose failures (exit code 3) cost that program only. */
#include "cli/sweep/compare_native.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/progress.h"
#include "cli/common/shown.h"

enum { PATH_BYTES = 4096 };

/* ---- before any program runs */

#if defined __x86_64__
enum { HOST_ISA = ISA_X86_64 };
#elif defined __aarch64__
enum { HOST_ISA = ISA_A64 };
#elif defined __riscv
enum { HOST_ISA = ISA_RV64 };
#else
enum { HOST_ISA = -1 };
#endif

static struct fault within_line(const struct native_case *one, const char *path, struct fault fault)
{
    return path ? fault_within(fault, "%s: line %u: ", path, one->line) : fault;
}

static bool is_marked(const struct program *program)
{
    return program_symbol_room(program, NATIVE_MARK_BEGIN) > 0 && program_symbol_room(program, NATIVE_MARK_END) > 0;
}

static void find_region(const struct compare_native_request *request, struct native_row *row)
{
    row->from = row->one->from ? row->one->from : request->from;
    row->to = row->one->to ? row->one->to : request->to;
    if (!row->from && !row->to && is_marked(&row->program)) {
        row->from = NATIVE_MARK_BEGIN;
        row->to = NATIVE_MARK_END;
    }
}

static struct fault check_places(struct native_row *row)
{
    struct native_place places[2];

    if (row->one->cycles > 0)
        return fault_none();
    if ((int)row->program.isa != (int)HOST_ISA)
        return fault_make(FAULT_INPUT, "%s: a program of another architecture than this host's, which cannot run it "
                          "natively; build it for this host", row->one->argv[0]);
    FORWARD(native_place_find(&places[0], &row->program, "from", row->from));
    FORWARD(native_place_find(&places[1], &row->program, "to", row->to));
    if (row->from && row->to && places[0].address == places[1].address)
        return fault_make(FAULT_INPUT, "the region of %s begins and ends at %s; give two places", row->one->argv[0],
                          row->from);
    return fault_none();
}

static struct fault find_programs(struct native_comparison *comparison)
{
    for (size_t i = 0; i < comparison->list.count; i++) {
        struct native_row *const row = &comparison->rows[i];
        struct fault fault = program_find(&row->program, row->one->argv, getenv("PATH"));

        if (fault.kind == FAULT_NONE) {
            find_region(comparison->request, row);
            fault = check_places(row);
        }
        if (fault.kind != FAULT_NONE)
            return within_line(row->one, comparison->request->list, fault);
    }
    return fault_none();
}

static struct fault begin(struct native_comparison *comparison)
{
    const struct compare_native_request *const request = comparison->request;

    FORWARD(native_system_check(request->system, request->settings, request->setting_count));
    FORWARD(request->list ? native_list_read(&comparison->list, request->list)
                          : native_list_of_one(&comparison->list, path_name(request->argv[0]), request->argv));
    comparison->rows = calloc(comparison->list.count, sizeof *comparison->rows);
    comparison->pairs = calloc(comparison->list.count, sizeof *comparison->pairs);
    if (!comparison->rows || !comparison->pairs)
        return fault_memory("the comparison", NULL);
    for (size_t i = 0; i < comparison->list.count; i++)
        comparison->rows[i].one = &comparison->list.cases[i];
    return find_programs(comparison);
}

/* ---- one program */

static struct fault run_natively(const struct compare_native_request *request, struct native_row *row)
{
    struct native_request native = {
        .program = row->program, .input = request->input, .runs = (unsigned)request->runs,
        .core = request->core == UINT64_MAX ? -1 : (int)request->core,
        .timeout_s = 1e-12 * (double)request->timeout_ps, .without_counters = request->has_no_counters,
        .is_interrupted = interrupt_came
    };

    FORWARD(native_place_find(&native.from, &row->program, "from", row->from));
    FORWARD(native_place_find(&native.to, &row->program, "to", row->to));
    FORWARD(native_program_run(&native, &row->native));
    row->has_native = true;
    return fault_none();
}

static bool compare_native_show_progress(void *context, const struct session_progress *now)
{
    progress_show(context, (uint64_t)now->work, now->now_ps, now->part);
    return interrupt_came();
}

static struct fault replay_trace(const struct compare_native_request *request, struct native_row *row,
                                 const char *path)
{
    struct progress progress;
    struct native_replay_request replay = {
        .trace = path, .system = request->system, .settings = request->settings,
        .setting_count = request->setting_count, .warmup = row->warmup, .engine = request->engine,
        .progress = compare_native_show_progress, .context = &progress
    };
    struct fault fault;

    progress_start(&progress);
    progress.what = "instructions";
    fault = native_replay(&replay, &row->replayed);
    progress_end(&progress);
    row->has_replay = fault.kind == FAULT_NONE;
    return fault;
}

/* The name of a trace: letters of the program's name that any file system has. */
static bool name_trace(const char *folder, const char *name, char path[PATH_BYTES])
{
    int const length = snprintf(path, PATH_BYTES, "%s/%s.rbt", folder, name);

    for (char *c = path + strlen(folder) + 1; length > 0 && length < PATH_BYTES && *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-", *c))
            *c = '_';
    return length > 0 && length < PATH_BYTES;
}

static struct fault run_row(const struct compare_native_request *request, struct native_row *row, const char *folder)
{
    char path[PATH_BYTES];
    struct fault fault;

    if (interrupt_came())
        return fault_make(FAULT_STALL, "%s: not run, because %s stopped the command", row->one->name,
                          interrupt_name());
    if (!name_trace(folder, row->one->name, path))
        return fault_make(FAULT_INPUT, "%s: the path is too long", row->one->name);
    if (row->one->cycles == 0)
        FORWARD(run_natively(request, row));
    fault = compare_native_capture(request, row, path);
    if (fault.kind == FAULT_NONE)
        fault = replay_trace(request, row, path);
    if (!request->captures)
        unlink(path);
    return fault;
}

static void run_rows(struct native_comparison *comparison, const char *folder)
{
    const struct compare_native_request *const request = comparison->request;

    interrupt_listen();
    for (size_t i = 0; i < comparison->list.count; i++) {
        struct native_row *const row = &comparison->rows[i];

        row->fault = within_line(row->one, request->list, run_row(request, row, folder));
        comparison->pairs[i] = (struct native_pair){.name = row->one->name};
        if (row->fault.kind != FAULT_NONE) {
            comparison->failed++;
            cli_fail(row->fault);
            continue;
        }
        comparison->pairs[i].native_cycles = row->has_native ? row->native.cycles : row->one->cycles;
        comparison->pairs[i].cycles = row->replayed.cycles / row->one->per;
        comparison->pairs[i].instructions = native_row_instructions(row);
    }
}

/* ---- all */

static int finish(struct native_comparison *comparison)
{
    struct fault const fault = native_errors_of(&comparison->errors, comparison->pairs, comparison->list.count);
    int code = CLI_OK;

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    /* Of a single program, which failed, there is nothing to show. */
    if (comparison->errors.count > 0 || comparison->list.count > 1) {
        if (!compare_native_print(comparison))
            return cli_fail_text("out of memory");
        if (comparison->request->page)
            code = compare_native_page(comparison);
    }
    if (interrupt_came())
        return interrupt_exit_code();
    return code != CLI_OK ? code : comparison->failed ? CLI_STALLED : CLI_OK;
}

static int run_in(struct native_comparison *comparison)
{
    const struct compare_native_request *const request = comparison->request;
    const char *const named = getenv("TMPDIR");
    char folder[PATH_BYTES];

    if (request->captures) {
        if (mkdir(request->captures, 0777) != 0 && errno != EEXIST)
            return cli_fail_text("%s: cannot be created: %s", cli_shown(request->captures), strerror(errno));
        run_rows(comparison, request->captures);
        return finish(comparison);
    }
    if (snprintf(folder, sizeof folder, "%s/rubato-native-XXXXXX", named && *named ? named : "/tmp")
        >= (int)sizeof folder)
        return cli_fail_text("the environment's TMPDIR is too long");
    if (!mkdtemp(folder))
        return cli_fail_text("%s: cannot be created: %s; name another folder in the environment's TMPDIR, or with "
                             "--captures", cli_shown(folder), strerror(errno));
    run_rows(comparison, folder);
    rmdir(folder);
    return finish(comparison);
}

static void end(struct native_comparison *comparison)
{
    for (size_t i = 0; comparison->rows && i < comparison->list.count; i++) {
        struct native_row *const row = &comparison->rows[i];

        program_free(&row->program);
        if (row->has_native)
            native_program_free(&row->native);
        if (row->has_replay)
            native_replay_free(&row->replayed);
    }
    free(comparison->rows);
    free(comparison->pairs);
    native_list_free(&comparison->list);
}

int compare_native(const struct compare_native_request *request)
{
    struct native_comparison comparison = {.request = request};
    struct fault const fault = begin(&comparison);
    int const code = fault.kind == FAULT_NONE ? run_in(&comparison) : cli_fail(fault);

    end(&comparison);
    return code;
}
