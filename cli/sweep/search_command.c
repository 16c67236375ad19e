/* rubato search: reads the arguments, and runs batch after batch of designs: asked for, run as a sweep runs them,
 * judged, told. The result file lists the designs that were chosen. A batch's size does not depend on the workers, so
 * their number changes nothing; an interrupted search asks the same again, and finds its points done. */
#include "cli/sweep/search_command.h"

#include <stdlib.h>
#include <string.h>

#include "base/host_facts.h"
#include "base/list.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/model_digest.h"
#include "cli/options/options.h"

enum { LEAST_BATCH = 4, MOST_BATCH = 32, BATCHES = 20, MOST_STOPPED = 8 };
#define VERSION RUBATO_VERSION "+" RUBATO_MODEL_DIGEST
#define SHORT_ENDING ".short.db"

static bool take_budget(void *budget, struct cli_parser *parser);
static bool take_search_jobs(void *jobs, struct cli_parser *parser);
static bool search_take_operand(void *request, struct cli_parser *parser);

static const struct cli_option options[] = {
    {"objective", "NAME", "what to improve: a metric, whose better direction is known, or min:NAME,\n"
     "max:NAME; twice or more: the front of all of them", CLI_APPEND(search_request, objectives, objective_count)},
    {"subject-to", "CONDITION", "what a design has to fulfil, as in rubato results --where, such as\n"
     "'area_mm2 < 20'; may be repeated", CLI_APPEND(search_request, conditions, condition_count)},
    {"budget", "N", "designs to run, each with all traces", CLI_CALL(search_request, budget, take_budget)},
    {"across", "mean|worst", "of several traces: the geometric mean of an objective (default), or its worst\n"
     "ratio to the first design", CLI_INTO(TEXT, search_request, across)},
    {"short", "RECORDS", "run RECORDS records of each design first, and all only of those that no other one\n"
     "dominates for sure; their results are in RESULTS.short.db", CLI_INTO(COUNT, search_request, short_records)},
    {"batch", "N", "choose N designs at a time (default: a twentieth of the budget, 4 to 32)",
     CLI_CALL(search_request, batch, take_budget)},
    {"seed", "N", "of the draws (default 1)", CLI_INTO(COUNT, search_request, seed)},
    {"output", "FILE", "the result file, also -o (default: the sweep's name and .db)",
     CLI_INTO(TEXT, search_request, sweep.output)},
    {"jobs", "N", "workers, also -j (default: all cores that may be used)",
     CLI_CALL(search_request, sweep.jobs, take_search_jobs)},
    {"cache", "DIR", "keep stores of traces there (default: ~/.cache/rubato or $XDG_CACHE_HOME/rubato)",
     CLI_INTO(TEXT, search_request, sweep.cache)},
    {"no-cache", NULL, "read the trace files themselves, and keep no store",
     CLI_INTO(SWITCH, search_request, sweep.has_no_cache)},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato search SPEC.yaml --objective NAME [--objective NAME ...] [--subject-to CONDITION]\n"
                "              --budget N [--short RECORDS] [-j N] [-o RESULTS.db]",
    .about = "Finds the best designs of a sweep's file, or the front of several objectives, with few of its runs:\n"
             "a surrogate of what was run chooses the next designs. The result file lists those, and is one of a\n"
             "sweep: `rubato results`, `rubato report` and `rubato diff` read it.",
    .options = options, .take_operand = search_take_operand,
    .notes = "The same file, options and seed choose the same designs, with any number of workers. Points that are in\n"
             "the result file are not run again, so an interrupted search continues where it was.\n"
             "Exit code: 0, 2 for wrong input or results that cannot be written, 3 if no design fulfils all\n"
             "conditions."};

/* ---- arguments */
static bool search_take_size(struct cli_parser *parser, uint64_t most, uint64_t *size)
{
    if (!cli_parse_count(parser, size))
        return false;
    if (*size >= 1 && *size <= most)
        return true;
    cli_usage_error(&usage, "--%s %s: give 1 to %zu", parser->option, parser->value, (size_t)most);
    return false;
}

static bool take_budget(void *budget, struct cli_parser *parser)
{
    return search_take_size(parser, PLAN_MAX_POINTS, budget);
}

static bool take_search_jobs(void *jobs, struct cli_parser *parser)
{
    uint64_t count;
    bool const is_taken = search_take_size(parser, RUNNER_MAX_WORKERS, &count);

    if (is_taken)
        *(size_t *)jobs = (size_t)count;
    return is_taken;
}

static bool search_take_operand(void *field, struct cli_parser *parser)
{
    struct search_request *const request = field;

    if (request->sweep.spec)
        cli_usage_error(&usage, "%s: only one sweep file can be given", parser->value);
    else
        request->sweep.spec = parser->value;
    return request->sweep.spec == parser->value;
}

static bool search_parse(struct search_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    *request = (struct search_request){.seed = 1};
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    request->sweep.workers = request->sweep.jobs ? request->sweep.jobs : host_cores();
    if (!request->sweep.spec)
        *code = cli_usage_error(&usage, "no sweep file was given; try configs/sweep/first.yaml");
    else if (request->objective_count == 0)
        *code = cli_usage_error(&usage, "no objective was given; give --objective, such as --objective time_ms");
    else if (request->budget == 0)
        *code = cli_usage_error(&usage, "no budget was given; give --budget, such as --budget 100 designs");
    else if (request->across && strcmp(request->across, "mean") != 0 && strcmp(request->across, "worst") != 0)
        *code = cli_usage_error(&usage, "--across %s: must be mean or worst", request->across);
    else
        return true;
    return false;
}

/* ---- a search */
struct run_file {
    struct results *results;
    char path[SWEEP_PATH_MAX + sizeof SHORT_ENDING];
    struct spec spec;                    /* a copy with its own limits; what it points at is the session's */
    struct plan *plan;
    uint32_t *rows;                      /* of all its designs */
    size_t count, room;
};

struct searching {
    const struct search_request *request;
    struct sweep_session *session;
    struct search_problem problem;
    struct search_axis axes[SEARCH_MAX_AXES];
    struct search *search;
    struct judge judge;
    struct shorts *shorts;               /* NULL: all runs are whole */
    struct run_file whole, brief;
    struct search_tally tally;
    size_t *point_of, point_room;        /* of each told design: its first point, if it was run whole */
    struct fault fault;                  /* of is_there */
    char unsound[FAULT_TEXT];            /* the first system that cannot be built */
    bool was_stopped;
    double start_s, shown_s;
};

/* Numbers in rising or falling order. */
static bool has_order(const struct spec_axis *axis)
{
    bool is_rising = true, is_falling = true;

    for (size_t i = 0; i + 1 < axis->count; i++) {
        struct quantity const one = quantity_of(axis->values[i]), other = quantity_of(axis->values[i + 1]);
        enum quantity_order const order = one.kind == QUANTITY_WORD ? QUANTITY_OTHER : quantity_compare(&one, &other);

        is_rising &= order == QUANTITY_LESS;
        is_falling &= order == QUANTITY_GREATER;
    }
    return is_rising || is_falling;
}

static struct fault describe_axes(struct searching *searching)
{
    struct spec const *const spec = searching->session->spec;

    if (spec->group_count + 1 > SEARCH_MAX_AXES)
        return fault_make(FAULT_INPUT, "%s: has %zu axes; a search takes %d at most", spec->path, spec->group_count,
                          SEARCH_MAX_AXES - 1);
    searching->tally.combinations = (double)spec->system_count;
    for (size_t i = 0; i < spec->group_count; i++) {
        searching->axes[i] = (struct search_axis){(uint32_t)spec->groups[i].levels,
                                                  has_order(&spec->axes[spec->groups[i].first_axis])};
        searching->tally.combinations *= (double)spec->groups[i].levels;
    }
    searching->axes[spec->group_count] = (struct search_axis){(uint32_t)spec->system_count, false};
    searching->problem.axes = searching->axes;
    searching->problem.axis_count = spec->group_count + 1;
    return fault_none();
}

/* What a sweep's file may have and a search cannot use. */
static struct fault check_spec(const struct spec *spec)
{
    if (spec->sample_points)
        return fault_make(FAULT_INPUT, "%s: sample: draws points by itself, and so does a search; leave sample: out",
                          spec->path);
    if (spec->until_error > 0)
        return fault_make(FAULT_INPUT, "%s: until_error: compares all points of a sweep, and a search runs some at a "
                          "time; leave it out", spec->path);
    return fault_none();
}

/* The points of some designs. */
static struct fault plan_rows(const struct searching *searching, const struct spec *spec, const uint32_t *rows,
                              size_t count, struct plan **plan)
{
    size_t const axes = searching->problem.axis_count;
    struct plan_choice *const choices = malloc((count + 1) * sizeof *choices);
    struct fault fault;

    if (!choices)
        return fault_make(FAULT_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        choices[i] = (struct plan_choice){rows[i * axes + axes - 1], rows + i * axes};
    fault = plan_make_chosen(plan, spec, searching->session->workloads, VERSION, choices, count);
    free(choices);
    return fault;
}

/* Is there a point for each workload, and can its system be built? */
static bool is_design_there(void *self, const uint32_t *row)
{
    struct searching *const searching = self;
    struct plan *plan = NULL;
    struct fault const fault = plan_rows(searching, searching->session->spec, row, 1, &plan);
    bool is_there = fault.kind == FAULT_NONE && plan->count == searching->session->workload_count;

    for (size_t i = 0; is_there && i < plan->count; i++) {
        is_there = !plan->points[i].is_unsound;
        if (!is_there && !*searching->unsound)
            snprintf(searching->unsound, sizeof searching->unsound, "%s",
                     fault_text(plan_unsound(plan, &plan->points[i])));
    }
    if (fault.kind != FAULT_NONE && searching->fault.kind == FAULT_NONE)
        searching->fault = fault;
    plan_free(plan);
    return is_there;
}

/* ---- a batch */
static bool search_on_progress(void *self, const struct runner_tally *tally)
{
    (void)self;
    (void)tally;
    return sweep_was_interrupted();
}

/* Runs designs after those that the file has, and judges them. */
static struct fault run_rows(struct searching *searching, struct run_file *file, const uint32_t *rows, size_t count,
                             struct search_answer *answers)
{
    size_t const axes = searching->problem.axis_count, before = file->count;
    struct runner_tally tally;
    struct runner_request request;

    if (!list_fit(&file->rows, (before + count) * axes + 1, &file->room, sizeof *file->rows))
        return fault_make(FAULT_MEMORY, "out of memory");
    memcpy(file->rows + before * axes, rows, count * axes * sizeof *rows);
    file->count += count;
    plan_free(file->plan);
    file->plan = NULL;
    FORWARD(plan_rows(searching, &file->spec, file->rows, file->count, &file->plan));
    FORWARD(results_begin(file->results, file->plan, false));
    FORWARD(provenance_note(file->results, &searching->session->origin.run));
    request = (struct runner_request){.plan = file->plan, .results = file->results,
                                      .workers = searching->request->sweep.workers, .shard_count = 1,
                                      .temporary = "/tmp", .progress = search_on_progress};
    FORWARD(runner_run(&request, &tally, &searching->was_stopped));
    searching->tally.runs += tally.done + tally.failed;
    if (searching->was_stopped)
        return fault_none();
    FORWARD(results_keep(file->results, true));
    return judge_answers(&searching->judge, file->results, file->plan, before, answers);
}

static struct fault tell(struct searching *searching, const uint32_t *row, const struct search_answer *answer,
                         size_t point)
{
    size_t const told = search_told(searching->search);

    if (!list_fit(&searching->point_of, told + 1, &searching->point_room, sizeof *searching->point_of)
        || !search_tell(searching->search, row, answer))
        return fault_make(FAULT_MEMORY, "out of memory");
    searching->point_of[told] = point;
    if (answer->is_estimate) {
        searching->tally.stopped++;
    } else {
        bool const has_failed = answer->objectives[0] != answer->objectives[0];

        searching->tally.designs++;
        searching->tally.failed += has_failed;
        searching->tally.feasible += search_answer_of(searching->search, told)->is_feasible;
    }
    return fault_none();
}

/* Short runs of a batch; leaves the designs that are worth a whole one, and tells of the others. */
static struct fault run_short(struct searching *searching, uint32_t *rows, size_t *count,
                              struct search_answer *answers, size_t *numbers)
{
    size_t const axes = searching->problem.axis_count, first = shorts_count(searching->shorts);
    size_t kept = 0;

    FORWARD(run_rows(searching, &searching->brief, rows, *count, answers));
    for (size_t i = 0; i < *count && !searching->was_stopped; i++)
        if (!shorts_add(searching->shorts, &answers[i]))
            return fault_make(FAULT_MEMORY, "out of memory");
    for (size_t i = 0; i < *count && !searching->was_stopped; i++) {
        struct search_answer estimate;

        if (shorts_dominated(searching->shorts, first + i, &estimate)) {
            FORWARD(tell(searching, rows + i * axes, &estimate, SIZE_MAX));
            continue;
        }
        memmove(rows + kept * axes, rows + i * axes, axes * sizeof *rows);
        numbers[kept++] = first + i;
    }
    *count = kept;
    return fault_none();
}

static struct fault run_batch(struct searching *searching, uint32_t *rows, size_t count,
                              struct search_answer *answers, size_t *numbers)
{
    size_t const axes = searching->problem.axis_count, workloads = searching->session->workload_count;

    if (searching->shorts)
        FORWARD(run_short(searching, rows, &count, answers, numbers));
    if (count == 0 || searching->was_stopped)
        return fault_none();
    size_t const before = searching->whole.count;

    FORWARD(run_rows(searching, &searching->whole, rows, count, answers));
    for (size_t i = 0; i < count && !searching->was_stopped; i++) {
        FORWARD(tell(searching, rows + i * axes, &answers[i], (before + i) * workloads));
        if (searching->shorts)
            shorts_learn(searching->shorts, numbers[i], &answers[i]);
    }
    return fault_none();
}

static size_t batch_of(const struct search_request *request)
{
    size_t const batch = (size_t)(request->batch ? request->batch : request->budget / BATCHES);

    return request->batch ? batch : batch < LEAST_BATCH ? LEAST_BATCH : batch > MOST_BATCH ? MOST_BATCH : batch;
}

static void show_search(struct searching *searching)
{
    double const now_s = host_clock_s();

    if (now_s - searching->shown_s < 10)
        return;
    searching->shown_s = now_s;
    fprintf(stderr, "%zu of %zu designs, %zu failed, %.0f s\n", searching->tally.designs,
            (size_t)searching->request->budget, searching->tally.failed, now_s - searching->start_s);
}

static struct fault run_batches(struct searching *searching)
{
    size_t const budget = (size_t)searching->request->budget, batch = batch_of(searching->request);
    uint32_t *const rows = malloc((batch * searching->problem.axis_count + 1) * sizeof *rows);
    struct search_answer *const answers = malloc((batch + 1) * sizeof *answers);
    size_t *const numbers = malloc((batch + 1) * sizeof *numbers), count = 1;
    struct fault fault = rows && answers && numbers ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");

    while (fault.kind == FAULT_NONE && count > 0 && !searching->was_stopped && searching->tally.designs < budget
           && searching->tally.stopped < MOST_STOPPED * budget) {
        size_t const left = budget - searching->tally.designs;

        if (!search_ask(searching->search, batch < left ? batch : left, rows, &count))
            fault = fault_make(FAULT_MEMORY, "out of memory");
        if (fault.kind == FAULT_NONE)
            fault = searching->fault;
        if (fault.kind == FAULT_NONE && count > 0)
            fault = run_batch(searching, rows, count, answers, numbers);
        show_search(searching);
    }
    free(rows);
    free(answers);
    free(numbers);
    return fault;
}

/* ---- beginning and end */
static struct fault open_file(const struct searching *searching, struct run_file *file, uint64_t records)
{
    char const *const output = searching->session->output;

    file->spec = *searching->session->spec;
    if (records) {
        size_t const length = strlen(output), ending = length > 3 && strcmp(output + length - 3, ".db") == 0 ? 3 : 0;

        snprintf(file->path, sizeof file->path, "%.*s" SHORT_ENDING, (int)(length - ending), output);
        file->spec.limits.max_records = records;
    } else {
        snprintf(file->path, sizeof file->path, "%s", output);
    }
    return results_open(&file->results, file->path, RESULTS_WRITE);
}

static struct fault begin(struct searching *searching)
{
    struct search_request const *const request = searching->request;
    struct spec const *const spec = searching->session->spec;

    FORWARD(check_spec(spec));
    FORWARD(describe_axes(searching));
    searching->problem.objectives = request->objective_count;
    searching->problem.seed = request->seed;
    searching->problem.is_there = is_design_there;
    searching->problem.context = searching;
    if (request->budget < search_initial(&searching->problem))
        return fault_make(FAULT_INPUT, "--budget %zu: a search of %zu axes begins with %zu designs; give at least that "
                          "many", (size_t)request->budget, spec->group_count,
                          search_initial(&searching->problem));
    if (request->short_records && spec->limits.max_records && request->short_records >= spec->limits.max_records)
        return fault_make(FAULT_INPUT, "--short %zu: a whole run has %zu records; give fewer",
                          (size_t)request->short_records, (size_t)spec->limits.max_records);
    FORWARD(judge_open(&searching->judge, request, spec));
    searching->search = search_make(&searching->problem);
    searching->shorts = request->short_records ? shorts_make(request->objective_count) : NULL;
    if (!searching->search || (request->short_records && !searching->shorts))
        return fault_make(FAULT_MEMORY, "out of memory");
    FORWARD(open_file(searching, &searching->whole, 0));
    return request->short_records ? open_file(searching, &searching->brief, request->short_records) : fault_none();
}

static struct fault close_file(struct run_file *file)
{
    struct fault const fault = results_close(file->results);

    plan_free(file->plan);
    free(file->rows);
    return fault;
}

static int say_nothing_found(const struct searching *searching)
{
    if (searching->tally.designs == 0)
        return cli_fail_text("no combination of the axes can run%s%s", *searching->unsound ? "; the first: " : "",
                             searching->unsound);
    fprintf(stderr, "rubato: none of %zu designs fulfils all conditions%s%s\n", searching->tally.designs,
            *searching->judge.failure ? "; " : "", searching->judge.failure);
    return CLI_STALLED;
}

static int search_show(struct searching *searching)
{
    bool *const is_front = malloc((search_told(searching->search) + 1) * sizeof *is_front);
    bool const has_memory = is_front && search_front(searching->search, is_front, &searching->tally.front);

    free(is_front);
    if (!has_memory || (searching->tally.front > 0
                        && !search_print_front(&searching->judge, searching->search, searching->whole.plan,
                                               searching->point_of)))
        return cli_fail_text("out of memory");
    if (searching->tally.designs > 0)
        search_print_summary(&searching->tally, searching->request, searching->whole.path);
    return searching->tally.feasible > 0 ? CLI_OK : say_nothing_found(searching);
}

static int search_run(struct searching *searching)
{
    struct fault fault = begin(searching), closing;
    int code;

    searching->start_s = searching->shown_s = host_clock_s();
    sweep_listen_to_signals();
    if (fault.kind == FAULT_NONE)
        fault = run_batches(searching);
    searching->tally.elapsed_s = host_clock_s() - searching->start_s;
    if (fault.kind != FAULT_NONE) {
        code = cli_fail(fault);
    } else if (searching->was_stopped) {
        fprintf(stderr, "rubato: stopped; %zu of %zu designs are kept, and the same command continues\n",
                searching->tally.designs, (size_t)searching->request->budget);
        code = CLI_OK;
    } else {
        code = search_show(searching);
    }
    closing = close_file(&searching->whole);
    if (code == CLI_OK && closing.kind != FAULT_NONE)
        code = cli_fail(closing);
    closing = close_file(&searching->brief);
    if (code == CLI_OK && closing.kind != FAULT_NONE)
        code = cli_fail(closing);
    search_free(searching->search);
    shorts_free(searching->shorts);
    judge_close(&searching->judge);
    free(searching->point_of);
    return code;
}

int cli_search(int argc, char **argv)
{
    struct search_request request;
    struct sweep_session session = {.request = &request.sweep};
    struct searching *const searching = calloc(1, sizeof *searching);
    int code;

    if (!search_parse(&request, argc, argv, &code)) {
        free(searching);
        return code;
    }
    origin_make(&session.origin, argc, argv);
    code = searching ? sweep_open(&session) : cli_fail_text("out of memory");
    if (code == CLI_OK) {
        searching->request = &request;
        searching->session = &session;
        code = search_run(searching);
    }
    sweep_close_traces(&session);
    spec_free(session.spec);
    origin_free(&session.origin);
    free(searching);
    sweep_end_by_signal();
    return code;
}
