/* Replays of the public library: a session, with its system and traces, and the figures of its end.
 *
 * All statistics of a run that is over are kept sorted by name from the first question on: they do not change. */
#include "replay/library/handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/input_file.h"
#include "base/list.h"
#include "replay/config/config.h"
#include "replay/metrics/metrics.h"
#include "replay/session/session.h"

enum { MOST_TRACES = 1 << 16 };

struct rubato_run {
    struct system_config *config;
    const char **paths;                  /* copies, in texts */
    struct arena texts;
    struct workload workload;
    struct session *session;
    struct rubato_run_options options;
    enum { RUN_IS_OPEN, RUN_IS_EXECUTED, RUN_IS_OVER, RUN_FAILED } state;
    unsigned visits;                     /* under way */
    bool is_stopped;                     /* by options.progress */
    rubato_statistic *list;              /* in the order of the registry; then: by name */
    rubato_statistic **by_name;
    size_t count, room;
    bool has_figures, is_out_of_memory;
    struct figures figures;
};

static struct fault library_run_out_of_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory for a run");
}

/* ---- open */
static void library_run_warn(void *context, const char *line)
{
    const struct rubato_run *const run = context;

    run->options.warning(run->options.context, line);
}

static struct fault copy_paths(struct rubato_run *run, const char *const *traces, size_t count)
{
    run->paths = calloc(count + 1, sizeof *run->paths);
    if (!run->paths)
        return library_run_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        if (!traces[i] || !*traces[i])
            return fault_make(FAULT_INPUT, "trace %zu of %zu is NULL or empty; give its path", i + 1, count);
        run->paths[i] = arena_copy(&run->texts, traces[i], strlen(traces[i]));
        if (!run->paths[i])
            return library_run_out_of_memory();
    }
    return fault_none();
}

static struct fault open_run(struct rubato_run *run, const struct rubato_system *system, const char *const *traces,
                             size_t count)
{
    const struct rubato_run_options *const options = &run->options;
    struct session_request request = {
        .config = run->config, .workload = &run->workload, .limits = session_no_limits(), .engine = engine_fast(),
        .has_stats = true, .warn = {options->warning ? library_run_warn : NULL, run}
    };

    request.limits.warmup_records = options->warmup_records;
    request.limits.max_records = options->max_records;
    if (options->until_ps > 0 && options->until_ps < request.limits.until_ps)
        request.limits.until_ps = options->until_ps;
    if (options->engine)
        FORWARD(engine_parse(options->engine, &request.engine));
    FORWARD(copy_paths(run, traces, count));
    FORWARD(library_config(system, workload_is_threads(run->paths, count, NULL) ? THREAD_CORES_SETTING : NULL,
                             run->config));
    FORWARD(workload_find(&run->workload, run->paths[0], run->paths, count, NULL));
    return session_open(&run->session, &request);
}

static bool library_run_is_known(const struct rubato_run_options *options)
{
    for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
        if (options->reserved[i] != 0)
            return false;
    return true;
}

rubato_run *rubato_run_open(const rubato_system *system, const char *const *traces, size_t count,
                            const rubato_run_options *options, rubato_error *error)
{
    struct rubato_run *run;
    struct fault fault;

    if (!system || (!traces && count > 0))
        return library_lacks(error, __func__, system ? "traces" : "system"), NULL;
    if (count == 0)
        return library_say(error, fault_make(FAULT_INPUT, "no traces were given")), NULL;
    if (count > MOST_TRACES)
        return library_say(error, fault_make(FAULT_INPUT, "%zu traces were given; expected at most %d", count,
                                             MOST_TRACES)), NULL;
    run = calloc(1, sizeof *run);
    if (run)
        run->config = config_new();
    if (!run || !run->config) {
        free(run);
        library_say(error, library_run_out_of_memory());
        return NULL;
    }
    if (options)
        run->options = *options;
    input_file_copy_begin();
    fault = library_run_is_known(&run->options) ? open_run(run, system, traces, count)
        : fault_make(FAULT_INPUT, "rubato_run_options.reserved has to be 0; begin with {0}");
    input_file_copy_end();
    if (library_say(error, fault))
        return run;
    rubato_run_close(run);
    return NULL;
}

void rubato_run_close(rubato_run *run)
{
    if (!run || run->state == RUN_IS_EXECUTED || run->visits > 0)        /* by a callback of it */
        return;
    session_close(run->session);
    workload_close(&run->workload);
    figures_free(&run->figures);
    arena_free(&run->texts);
    free(run->paths);
    free(run->list);
    free(run->by_name);
    free(run->config);
    free(run);
}

/* ---- execute */
static bool library_run_show_progress(void *context, const struct session_progress *done)
{
    struct rubato_run *const run = context;
    rubato_progress const progress = {.now_ps = done->now_ps, .work = done->work, .part = done->part};

    run->is_stopped = run->is_stopped || run->options.progress(run->options.context, &progress);
    return false;
}

/* Called before library_run_show_progress, so the answer of progress takes effect at the next call. */
static bool is_interrupted(void *context)
{
    const struct rubato_run *const run = context;

    return run->is_stopped;
}

bool rubato_run_execute(rubato_run *run, rubato_error *error)
{
    bool const watches = run && run->options.progress;
    struct session_outputs const outputs = {
        .progress = watches ? library_run_show_progress : NULL, .is_interrupted = watches ? is_interrupted : NULL,
        .context = run
    };
    struct fault fault;

    if (!run)
        return library_lacks(error, __func__, "run");
    if (run->state != RUN_IS_OPEN)
        return library_say(error, fault_make(FAULT_INPUT, "this run %s; open another one",
                                             run->state == RUN_IS_EXECUTED ? "is under way" : "was executed before"));
    run->state = RUN_IS_EXECUTED;
    fault = session_run(run->session, &outputs);
    run->state = fault.kind == FAULT_NONE ? RUN_IS_OVER : RUN_FAILED;
    return library_say(error, fault);
}

uint64_t rubato_run_end_ps(const rubato_run *run)
{
    return run ? session_result(run->session)->end_ps : 0;
}

bool rubato_run_is_cut_short(const rubato_run *run)
{
    return run && session_result(run->session)->is_cut_short;
}

/* ---- statistics */
static void library_run_add(struct rubato_run *run, const char *name, const char *unit, const char *help, double value)
{
    char *const copy = arena_copy(&run->texts, name, strlen(name));

    if (!copy || !list_fit(&run->list, run->count + 1, &run->room, sizeof *run->list)) {
        run->is_out_of_memory = true;
        return;
    }
    run->list[run->count++] = (rubato_statistic){.name = copy, .unit = unit, .help = help, .value = value};
    figures_add(&run->figures, copy, value);
}

/* Units and texts live as long as the system. */
static void add_leaf(void *context, const rubato_statistic *statistic)
{
    library_run_add(context, statistic->name, statistic->unit, statistic->help, statistic->value);
}

static void library_run_add_figure(void *context, const char *name, double value)
{
    library_run_add(context, name, "", "", value);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(rubato_statistic *const *)a)->name, (*(rubato_statistic *const *)b)->name);
}

static struct fault take_figures(struct rubato_run *run)
{
    const struct system *const system = session_system(run->session);
    struct library_visitor visitor = {add_leaf, run};

    if (run->has_figures)
        return fault_none();
    if (run->state != RUN_IS_OVER)
        return fault_make(FAULT_INPUT, "%s", run->state == RUN_IS_OPEN || run->state == RUN_IS_EXECUTED
                          ? "the run has no statistics before rubato_run_execute"
                          : "the run failed, and has no statistics");
    if (system)
        stats_visit(&system->stats, system_now_ps(system), STATS_SHOWN_AND_OURS, library_visit_leaf, &visitor);
    else
        FORWARD(session_visit_stats(run->session, NULL, library_run_add_figure, run));
    run->by_name = malloc((run->count + 1) * sizeof *run->by_name);
    if (!run->by_name || run->is_out_of_memory)
        return library_run_out_of_memory();
    for (size_t i = 0; i < run->count; i++)
        run->by_name[i] = &run->list[i];
    qsort(run->by_name, run->count, sizeof *run->by_name, compare_names);
    FORWARD(figures_finish(&run->figures));
    run->has_figures = true;
    return fault_none();
}

/* After a failure drops the partial figures; the next call begins anew. */
static bool have_figures(struct rubato_run *run, rubato_error *error)
{
    struct fault const fault = take_figures(run);

    if (fault.kind != FAULT_NONE) {
        free(run->by_name);
        figures_free(&run->figures);
        run->by_name = NULL;
        run->figures = (struct figures){0};
        run->count = 0;
        run->is_out_of_memory = false;
    }
    return library_say(error, fault);
}

static const rubato_statistic *library_run_look_up(const struct rubato_run *run, const char *name)
{
    rubato_statistic wanted = {.name = name};
    rubato_statistic *const key = &wanted;
    rubato_statistic **const found = bsearch(&key, run->by_name, run->count, sizeof *run->by_name, compare_names);

    return found ? *found : NULL;
}

/* By its name, or by gem5's. */
static const rubato_statistic *find_statistic(const struct rubato_run *run, const char *name)
{
    const rubato_statistic *found = library_run_look_up(run, name);
    char alias[ALIAS_BYTES];

    for (unsigned number = 0; !found && alias_of(name, number, alias); number++)
        found = library_run_look_up(run, alias);
    return found;
}

bool rubato_run_value(rubato_run *run, const char *name, double *value, rubato_error *error)
{
    const rubato_statistic *found;

    if (!run || !name || !value)
        return library_lacks(error, __func__, !run ? "run" : name ? "value" : "name");
    if (!have_figures(run, error))
        return false;
    found = find_statistic(run, name);
    *value = found ? found->value : metrics_value(&run->figures, name);
    if (isnan(*value))
        return library_say(error, fault_make(FAULT_INPUT, "%.200s: %s; rubato_run_visit names all there are", name,
                                             found ? "not a number in this run"
                                                   : "the run has no statistic or metric of that name"));
    return true;
}

static void visit_metric(void *context, const char *name, const struct metric *metric, double value)
{
    struct library_visitor const *const visitor = context;
    rubato_statistic const statistic = {
        .name = name, .unit = metric->unit, .help = metric->definition, .value = value
    };

    if (!isnan(value))
        visitor->visit(visitor->context, &statistic);
}

bool rubato_run_visit(rubato_run *run, rubato_visit *visit, void *context, rubato_error *error)
{
    struct library_visitor visitor = {visit, context};

    if (!run || !visit)
        return library_lacks(error, __func__, run ? "visit" : "run");
    if (!have_figures(run, error))
        return false;
    run->visits++;
    for (size_t i = 0; i < run->count; i++)
        visit(context, &run->list[i]);
    metrics_visit(&run->figures, true, visit_metric, &visitor);
    run->visits--;
    return true;
}
