#include "cli/sweep/compare_print.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/shown.h"
#include "proto/trace_formats.h"
#include "replay/regions/region_set.h"
#include "sweep/compare/comparison.h"

enum { MOST_PROGRAMS = 1024 };

struct program {
    char *name, *trace;
};

struct programs {
    struct program list[MOST_PROGRAMS];
    size_t count;
};

/* ---- programs: each trace is one, or all traces of a folder */
static int add_program(struct programs *programs, const char *trace)
{
    const char *const last = path_name(trace);
    struct program made;

    if (region_set_is_file(trace))
        return cli_fail_text("%s: --detailed captures an elastic trace of the whole program; give the trace itself, or "
                             "compare two systems on regions with `rubato diff`", cli_shown(trace));
    if (programs->count == MOST_PROGRAMS)
        return cli_fail_text("more than %d programs", MOST_PROGRAMS);
    made = (struct program){strndup(last, *last == '.' ? strlen(last) : strcspn(last, ".")), strdup(trace)};
    programs->list[programs->count++] = made;
    if (!made.name || !made.trace)
        return cli_fail_text("out of memory");
    for (size_t i = 0; i + 1 < programs->count; i++)
        if (strcmp(programs->list[i].name, made.name) == 0)
            return cli_fail_text("%s and %s are both called %s; give one of them another name",
                                 cli_shown(programs->list[i].trace), cli_shown(trace), cli_shown(made.name));
    return CLI_OK;
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int add_folder(struct programs *programs, const char *folder)
{
    struct dirent **entries = NULL;
    int const count = scandir(folder, &entries, not_hidden, alphasort);
    size_t const before = programs->count;
    int code = CLI_OK;

    if (count < 0)
        return cli_fail_text("%s: %s", cli_shown(folder), strerror(errno));
    for (int i = 0; i < count; i++) {
        char *const path = path_join(folder, entries[i]->d_name);

        if (code == CLI_OK && path && trace_kind_of(path)->has_instructions)
            code = add_program(programs, path);
        free(path);
        free(entries[i]);
    }
    free(entries);
    if (code == CLI_OK && programs->count == before)
        code = cli_fail_text("%s: holds no instruction trace, which detailed cores need",
                             cli_shown(folder));
    return code;
}

static int find_programs(struct programs *programs, const struct compare_detailed_request *request)
{
    for (size_t i = 0; i < request->trace_count; i++) {
        const char *const path = request->traces[i];
        bool const is_folder = path_is_folder(path) && !trace_kind_of(path)->has_instructions;
        int const code = is_folder ? add_folder(programs, path) : add_program(programs, path);

        if (code != CLI_OK)
            return code;
    }
    return CLI_OK;
}

static void free_programs(struct programs *programs)
{
    for (size_t i = 0; i < programs->count; i++) {
        free(programs->list[i].name);
        free(programs->list[i].trace);
    }
    free(programs);
}

/* ---- runs */
static struct fault run_pair(struct own_runs *runs, struct comparison *comparison, size_t index)
{
    const char *const system = comparison->pairs[index].row->system;
    struct run_figures figures;

    FORWARD(own_runs_detailed(runs, system, &figures));
    comparison_set_detailed(comparison, index, &figures);
    FORWARD(own_runs_replay(runs, system, &figures));
    comparison_set_ours(comparison, index, &figures);
    return fault_none();
}

static void run_pairs(struct comparison *comparison, const struct programs *programs, struct own_runs *runs)
{
    interrupt_listen();
    for (size_t i = 0; i < comparison->pair_count; i++) {
        struct comparison_pair *const pair = &comparison->pairs[i];
        const struct program *const program = &programs->list[pair->program];
        struct fault fault;

        if (i == 0 || comparison->pairs[i - 1].program != pair->program)
            own_runs_begin(runs, program->name, program->trace);
        fault = interrupt_came()
            ? fault_make(FAULT_INPUT, "%s on %s: not run, because %s stopped the "
                                      "command", pair->row->program, pair->row->system,
                         interrupt_name())
            : run_pair(runs, comparison, i);
        if (fault.kind != FAULT_NONE)
            pair->fault = fault;
    }
    own_runs_end(runs);
}

static int run_table(const struct compare_detailed_request *request, const struct programs *programs,
                     struct own_runs *runs)
{
    const char *names[MOST_PROGRAMS];
    struct comparison_table table;
    struct comparison comparison;
    struct fault fault;
    int code = CLI_OK;

    for (size_t i = 0; i < programs->count; i++)
        names[i] = programs->list[i].name;
    fault = comparison_table_make(&table, names, programs->count, request->systems, request->system_count);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    fault = comparison_begin(&comparison, &table, request->base);
    if (fault.kind == FAULT_NONE) {
        comparison.judges_ours = true;
        run_pairs(&comparison, programs, runs);
        code = compare_finish(&comparison, request->form);
        comparison_end(&comparison);
    } else {
        code = cli_fail(fault);
    }
    comparison_table_free(&table);
    return code;
}

/* ---- where elastic traces go */
static int run_in(const struct compare_detailed_request *request, const struct programs *programs, const char *folder)
{
    struct own_runs_setup const setup = {
        .folder = folder, .keeps = request->captures, .settings = request->settings,
        .setting_count = request->setting_count, .engine = request->engine, .reading = request->reading
    };
    struct own_runs runs;

    own_runs_init(&runs, &setup);
    for (size_t i = 0; i < request->system_count; i++) {
        struct fault const fault = own_runs_check(&runs, request->systems[i]);

        if (fault.kind != FAULT_NONE)
            return cli_fail(fault);
    }
    return run_table(request, programs, &runs);
}

static int run_in_temporary(const struct compare_detailed_request *request, const struct programs *programs)
{
    const char *const named = getenv("TMPDIR");
    char folder[4096];
    int code;

    if (snprintf(folder, sizeof folder, "%s/rubato-compare-XXXXXX", named && *named ? named : "/tmp")
        >= (int)sizeof folder)
        return cli_fail_text("the environment's TMPDIR is too long");
    if (!mkdtemp(folder))
        return cli_fail_text("%s: cannot be created: %s; name another folder in the environment's TMPDIR, or with "
                             "--captures", cli_shown(folder), strerror(errno));
    code = run_in(request, programs, folder);
    rmdir(folder);
    return code;
}

int compare_detailed(const struct compare_detailed_request *request)
{
    struct programs *const programs = calloc(1, sizeof *programs);
    int code = programs ? find_programs(programs, request) : cli_fail_text("out of memory");

    if (!programs)
        return code;
    if (code == CLI_OK && request->captures && mkdir(request->captures, 0777) != 0 && errno != EEXIST)
        code = cli_fail_text("%s: cannot be created: %s", cli_shown(request->captures), strerror(errno));
    if (code == CLI_OK)
        code = request->captures ? run_in(request, programs, request->captures) : run_in_temporary(request, programs);
    free_programs(programs);
    return code;
}
