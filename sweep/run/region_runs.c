/* Processes have from their parent what would take time to make in each: the trace that regions have in common, opened,
 * and a system that has learnt from what is kept for the region. The parent's system goes through the states of all
 * regions before, wanted or not, so that a region begins the same in any run; it learns from that of the next region
 * while others run.
 *
 * A process writes its region's statistics to a file without a name that its parent opened, a line each, and ends
 * with 0; or a fault's kind and text, and ends with FAILED. The parent reads the files in the order of regions. */
#include "sweep/run/region_runs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay/config/config_values.h"
#include "sweep/run/kernel_region.h"

enum { FAILED = 1, LOOK_NS = 500 * 1000, LOOK_MOST_NS = 20 * 1000 * 1000 };      /* longer while none ends */

struct region_run {
    pid_t pid;                           /* 0: none, or done */
    FILE *answer;
    int status;
};

/* The regions to run. */
struct batch {
    const struct region_runs_request *request;
    struct region_place *places;         /* ascending */
    struct region_run *runs;             /* of each of them */
    size_t count;
    struct workload workload;            /* of the regions without a trace of their own */
    struct region_states states;
};

static void write_statistic(void *context, const char *name, double value)
{
    fprintf(context, "%a\t%s\n", value, name);
}

/* ---- in the process of a region, whose end frees all */
static struct fault run_region(struct batch *batch, const struct region *region, FILE *answer)
{
    const struct region_runs_request *const request = batch->request;
    struct workload_options reading = *request->reading;
    struct session_request wanted = {.config = request->config, .limits = session_no_limits(),
                                     .engine = request->engine};
    struct session_outputs const outputs = {0};
    struct metrics_needs needs;
    struct warm_plan plan;
    struct workload *workload = &batch->workload, own;
    const char *const trace = region->trace ? region->trace : request->trace;
    struct session *session = batch->states.session;
    struct fault fault;

    if (request->set->is_of_kernels)
        return kernel_region_run(request, region, write_statistic, answer);
    region_warm_begin(&plan, request->warm, request->set, region, trace, &reading, &wanted);
    metrics_needs_make(&needs, NULL);
    if (region->trace) {
        workload = &own;
        FORWARD(workload_find(workload, trace, &trace, 1, &reading));
    }
    wanted.workload = workload;
    if (session)
        fault = region_states_take(&batch->states, workload, &reading, &wanted.limits);
    else if (WORKS(fault, workload_read_insn_as(workload, &reading)))
        fault = session_open(&session, &wanted);
    if (fault.kind == FAULT_NONE)
        fault = session_run(session, &outputs);
    return fault.kind == FAULT_NONE ? session_visit_stats(session, &needs, write_statistic, answer) : fault;
}

/* It ends with its parent, however that ends. */
static void be_region(struct batch *batch, const struct region *region, pid_t parent, FILE *answer)
{
    struct fault fault;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(FAILED);
    fault = run_region(batch, region, answer);
    if (fault.kind != FAULT_NONE) {
        rewind(answer);
        fprintf(answer, "%d\t%s\n", (int)fault.kind, fault_text(fault));
    }
    _exit(fflush(answer) != 0 || fault.kind != FAULT_NONE ? FAILED : 0);
}

/* ---- in the parent */
static struct fault start_region(struct batch *batch, size_t i, struct region_run *run)
{
    pid_t const parent = getpid();

    run->answer = tmpfile();
    if (!run->answer)
        return fault_make(FAULT_MEMORY, "a temporary file: %s", strerror(errno));
    run->pid = fork();
    if (run->pid == 0)
        be_region(batch, &batch->request->set->regions[i], parent, run->answer);
    return run->pid > 0 ? fault_none() : fault_make(FAULT_MEMORY, "a process for a region: %s", strerror(errno));
}

/* As many as may run, and as far as the system has learnt; it goes towards the next one while they run.
 * *walks: it is not there yet. */
static struct fault start_regions(struct batch *batch, size_t *started, size_t done, bool *walks)
{
    *walks = false;
    for (; *started < batch->count; ++*started) {
        bool is_there;

        FORWARD(region_states_go_to(&batch->states, batch->places[*started].place, &is_there));
        *walks = !is_there;
        if (!is_there || *started - done >= batch->request->jobs)
            return fault_none();
        FORWARD(start_region(batch, batch->places[*started].region, &batch->runs[*started]));
    }
    return fault_none();
}

/* The number of those that have ended since. */
static size_t take_ended(struct region_run *runs, size_t count)
{
    size_t ended = 0;

    for (size_t i = 0; i < count; i++)
        if (runs[i].pid > 0 && waitpid(runs[i].pid, &runs[i].status, WNOHANG) == runs[i].pid) {
            runs[i].pid = 0;
            ended++;
        }
    return ended;
}

static void stop_all(struct region_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i].pid > 0)
            kill(runs[i].pid, SIGKILL);
    for (size_t i = 0; i < count; i++)
        if (runs[i].pid > 0)
            waitpid(runs[i].pid, &runs[i].status, 0);
}

static struct fault run_all(struct batch *batch)
{
    const struct region_runs_request *const request = batch->request;
    struct timespec pause = {0, LOOK_NS};
    size_t started = 0, done = 0;
    struct fault fault;
    bool walks;

    while (done < batch->count) {
        size_t ended;

        FORWARD(start_regions(batch, &started, done, &walks));
        ended = take_ended(batch->runs, started);
        done += ended;
        pause.tv_nsec = ended || pause.tv_nsec > LOOK_MOST_NS / 2 ? LOOK_NS * (ended ? 1 : LOOK_MOST_NS / LOOK_NS)
                                                                  : 2 * pause.tv_nsec;
        if (request->is_interrupted && request->is_interrupted(request->context, done)) {
            fault = fault_make(FAULT_STALL, "stopped after %zu of %zu regions; there are no results", done,
                               batch->count);
            stop_all(batch->runs, started);
            return fault;
        }
        if (done < batch->count && !walks)
            nanosleep(&pause, NULL);
    }
    return fault_none();
}

static struct fault failure_of(const struct region_run *run, size_t i, size_t count, char *line)
{
    char *text;

    if (WIFSIGNALED(run->status))
        return fault_make(FAULT_STALL, "region %zu of %zu: its process was ended by signal %d", i + 1, count,
                          WTERMSIG(run->status));
    line[strcspn(line, "\n")] = '\0';
    text = strchr(line, '\t');
    return fault_make(text && strtol(line, NULL, 10) == FAULT_INPUT ? FAULT_INPUT : FAULT_STALL,
                      "region %zu of %zu: %s", i + 1, count, text ? text + 1 : "its process failed");
}

static struct fault take_answer(const struct region_run *run, size_t i, struct estimate *estimate)
{
    struct fault fault = fault_none();
    char *line = NULL;
    size_t room = 0;

    rewind(run->answer);
    while (fault.kind == FAULT_NONE && getline(&line, &room, run->answer) >= 0) {
        char *name = strchr(line, '\t');

        if (run->status != 0 || !name) {
            fault = failure_of(run, i, estimate->set->count, line);
            break;
        }
        name[strcspn(name, "\n")] = '\0';
        fault = estimate_add(estimate, i, name + 1, strtod(line, NULL));
    }
    if (fault.kind == FAULT_NONE && run->status != 0)
        fault = failure_of(run, i, estimate->set->count, (char[]){""});
    free(line);
    return fault;
}

static struct fault open_common(struct batch *batch)
{
    const struct region_runs_request *const request = batch->request;
    bool is_wanted = false;

    for (size_t i = 0; i < batch->count; i++)
        is_wanted |= !request->set->regions[batch->places[i].region].trace;
    return is_wanted ? workload_find(&batch->workload, request->trace, &request->trace, 1, request->reading)
                     : fault_none();
}

static struct fault begin_states(struct batch *batch)
{
    const struct region_runs_request *const request = batch->request;
    struct session_request const wanted = {.config = request->config, .engine = request->engine,
                                           .workload = &batch->workload};

    return batch->count > 0 ? region_states_begin(&batch->states, request->warm, request->set, request->trace,
                                                  insn_read_format_name(&request->reading->insn), &wanted)
                            : fault_none();
}

static struct fault run_batch(struct batch *batch, struct estimate *estimate)
{
    struct fault fault = run_all(batch);

    if (fault.kind != FAULT_NONE)
        stop_all(batch->runs, batch->count);
    for (size_t i = 0; i < batch->count && fault.kind == FAULT_NONE; i++)
        fault = take_answer(&batch->runs[i], batch->places[i].region, estimate);
    for (size_t i = 0; i < batch->count; i++)
        if (batch->runs[i].answer)
            fclose(batch->runs[i].answer);
    return fault;
}

struct fault region_runs_check(const struct region_set *set, const char *where, const struct system_config *config,
                               enum region_warm_method warm)
{
    if (set->is_of_kernels && !config_gpu_owns_memory(config))
        return fault_at(where, FAULT_NO_OFFSET, "regions of kernels run on a GPU with memory of its own; give a system "
                        "such as h100");
    if (set->is_of_kernels && (warm == REGION_WARM_KEPT || warm == REGION_WARM_FUNCTIONAL))
        return fault_at(where, FAULT_NO_OFFSET, "nothing is kept for kernels, which begin behind the launches before "
                        "them; give detailed or none in place of --warm %s", region_warm_name(warm));
    if (!set->is_of_kernels && (!config_is_detailed(config) || config_is_window(config)))
        return fault_at(where, FAULT_NO_OFFSET, "regions are counted in instructions, which detailed cores execute; "
                        "add --model detailed, or cpu.model: detailed to a sweep");
    return fault_none();
}

struct fault region_runs_add(const struct region_runs_request *request, struct estimate *estimate)
{
    size_t const count = request->set->count;
    struct batch batch = {request, calloc(count, sizeof *batch.places), calloc(count, sizeof *batch.runs), 0,
                          {.name = NULL}, {.session = NULL}};
    struct fault fault = fault_none();

    if (!batch.places || !batch.runs)
        fault = fault_make(FAULT_MEMORY, "out of memory for regions");
    for (size_t i = 0; i < count && fault.kind == FAULT_NONE; i++)
        if ((!request->wanted || request->wanted[i]) && !estimate_has(estimate, i))
            batch.places[batch.count++] = (struct region_place){request->set->regions[i].first, i};
    if (fault.kind == FAULT_NONE)
        region_places_sort(batch.places, batch.count);
    if (fault.kind == FAULT_NONE && WORKS(fault, open_common(&batch))
        && WORKS(fault, begin_states(&batch)))
        fault = run_batch(&batch, estimate);
    region_states_end(&batch.states);
    workload_close(&batch.workload);
    if (fault.kind == FAULT_NONE)
        fault = estimate_make(estimate, request->confidence);
    free(batch.places);
    free(batch.runs);
    return fault;
}

struct fault region_runs(const struct region_runs_request *request, struct estimate *estimate)
{
    FORWARD(estimate_begin(estimate, request->set));
    return region_runs_add(request, estimate);
}
