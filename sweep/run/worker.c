/* An answer is a header and three texts, one after the other, each with a final zero; a text that is missing has 0
 * bytes. The parent never blocks on a worker: it reads available bytes only. */
#include "sweep/run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "base/input_file.h"
#include "base/list.h"
#include "base/text.h"
#include "replay/config/config.h"
#include "sweep/run/region_point.h"
#include "sweep/run/runner.h"

enum { MOST_READ = 1 << 16, LAST_WORDS = 4096, PATH_BYTES = 4096 };
enum { TEXT_ERROR, TEXT_STATISTICS, TEXT_CONFIG, TEXT_COUNT };

struct header {
    double wall_s, cpu_s;
    size_t bytes[TEXT_COUNT];
};

/* ---- the worker's side */
static bool worker_write_all(int descriptor, const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count > 0) {
        ssize_t const written = write(descriptor, at, count);

        if (written < 0 && errno != EINTR)
            return false;
        at += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static struct fault run_regions(const struct worker_surroundings *surroundings, const struct worker_job *job,
                                const struct system_config *config, const struct workload *workload, FILE *figures)
{
    const struct plan *const plan = surroundings->plan;
    struct region_point point = {.config = config, .workload = workload, .engine = plan->spec->engine,
                                 .jobs = surroundings->region_jobs, .confidence = plan->spec->confidence,
                                 .regions = job->regions};
    char path[PATH_BYTES], hash[RESULTS_HASH_TEXT];

    results_hash_text(plan->points[plan->runs[job->run]].hash, hash);
    if (surroundings->kept && snprintf(path, sizeof path, "%s/%s", surroundings->kept, hash) < PATH_BYTES)
        point.kept = path;
    return region_point_run(&point, figures);
}

static struct fault run_kind(const struct worker_surroundings *surroundings, const struct worker_job *job,
                             const struct system_config *config, struct workload *workload, FILE *figures)
{
    const struct spec *const spec = surroundings->plan->spec;

    if (workload->regions)
        return run_regions(surroundings, job, config, workload, figures);
    struct run_extras const extras = {.runs_alone = spec->runs_alone, .optimal = spec->optimal};

    return run_point(config, workload, &spec->limits, spec->engine, &extras, figures, true);
}

static struct fault run_one(const struct worker_surroundings *surroundings, const struct worker_job *job,
                            char **config_text, char **statistics, size_t *statistics_bytes)
{
    struct plan const *const plan = surroundings->plan;
    struct plan_point const *const point = &plan->points[plan->runs[job->run]];
    struct system_config *const config = config_new();
    FILE *const figures = open_memstream(statistics, statistics_bytes);
    struct workload *const workload = &plan->workloads[point->workload];
    struct fault fault = fault_make(FAULT_MEMORY, "out of memory"), after;

    if (config && figures)
        fault = plan_configure(plan, point, config);
    if (fault.kind == FAULT_NONE)
        fault = config_to_compact_yaml(config, config_text);
    if (fault.kind == FAULT_NONE)
        fault = workload_check(workload);
    if (fault.kind == FAULT_NONE)
        fault = run_kind(surroundings, job, config, workload, figures);
    /* data that a point read from a replaced file may be arbitrarily wrong */
    after = workload_check(workload);
    if (after.kind == FAULT_NONE)
        after = input_file_check_mapped();
    if (after.kind != FAULT_NONE)
        fault = after;
    if (figures && !text_stream_close(figures, statistics) && fault.kind == FAULT_NONE)
        fault = fault_make(FAULT_MEMORY, "out of memory for the figures");
    free(config);
    return fault;
}

static bool answer(int descriptor, const struct worker_surroundings *surroundings, const struct worker_job *job)
{
    double const wall_s = host_clock_s(), cpu_s = host_process_s() + host_children_s();
    char *config = NULL, *statistics = NULL;
    size_t statistics_bytes = 0;
    struct fault const fault = run_one(surroundings, job, &config, &statistics, &statistics_bytes);
    bool const is_done = fault.kind == FAULT_NONE;
    const char *const texts[TEXT_COUNT] = {[TEXT_ERROR] = is_done ? NULL : fault_text(fault),
                                           [TEXT_STATISTICS] = is_done ? statistics : NULL, [TEXT_CONFIG] = config};
    struct header header = {.wall_s = host_clock_s() - wall_s,
                            .cpu_s = host_process_s() + host_children_s() - cpu_s};
    bool is_written;

    for (int i = 0; i < TEXT_COUNT; i++)
        header.bytes[i] = texts[i] ? strlen(texts[i]) + 1 : 0;
    is_written = worker_write_all(descriptor, &header, sizeof header);
    for (int i = 0; is_written && i < TEXT_COUNT; i++)
        is_written = worker_write_all(descriptor, texts[i], header.bytes[i]);
    free(config);
    free(statistics);
    return is_written;
}

/* Points that come in, until the parent closes its end. */
static void serve(int in, int out, const struct worker_surroundings *surroundings)
{
    struct plan const *const plan = surroundings->plan;
    struct worker_job job;

    while (read(in, &job, sizeof job) == sizeof job) {
        if (surroundings->crash_point == plan->runs[job.run] + 1)
            abort();
        if (!answer(out, surroundings, &job))
            return;
    }
}

static void give_up(const struct worker_surroundings *surroundings)
{
    for (size_t i = 0; i < surroundings->worker_count; i++) {
        struct worker const *const other = &surroundings->workers[i];

        if (other->pid) {
            close(other->to);
            close(other->from);
            close(other->errors);
        }
    }
    if (surroundings->results)
        results_forget(surroundings->results);
}

static void be_worker(pid_t parent, const int to[2], const int from[2], const int errors[2],
                      const struct worker_surroundings *surroundings)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    give_up(surroundings);
    close(to[1]);
    close(from[0]);
    close(errors[0]);
    dup2(errors[1], STDERR_FILENO);
    close(errors[1]);
    serve(to[0], from[1], surroundings);
    _exit(0);
}

/* ---- the parent's side */

/* Points go through a socket, as only a socket can be written to without a signal when its reader is gone. */
static struct fault open_pipes(int pipes[3][2])
{
    for (int i = 0; i < 3; i++) {
        if ((i == 0 ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pipes[i]) : pipe2(pipes[i], O_CLOEXEC)) == 0)
            continue;
        for (int k = 0; k < i; k++) {
            close(pipes[k][0]);
            close(pipes[k][1]);
        }
        return fault_make(FAULT_INPUT, "no pipe to a worker: %s; run fewer of them with -j", strerror(errno));
    }
    return fault_none();
}

struct fault worker_start(struct worker *worker, const struct worker_surroundings *surroundings)
{
    enum { TO, FROM, ERRORS };
    int pipes[3][2];
    pid_t const parent = getpid();
    pid_t pid;

    worker->used = 0;
    worker->is_busy = false;
    FORWARD(open_pipes(pipes));
    /* a worker must not block on messages that the parent does not read */
    fcntl(pipes[ERRORS][1], F_SETFL, O_NONBLOCK);
    pid = fork();
    if (pid == 0)
        be_worker(parent, pipes[TO], pipes[FROM], pipes[ERRORS], surroundings);
    close(pipes[TO][0]);
    close(pipes[FROM][1]);
    close(pipes[ERRORS][1]);
    if (pid < 0) {
        close(pipes[TO][1]);
        close(pipes[FROM][0]);
        close(pipes[ERRORS][0]);
        return fault_make(FAULT_INPUT, "no worker could be started: %s; run fewer of them with -j", strerror(errno));
    }
    fcntl(pipes[FROM][0], F_SETFL, O_NONBLOCK);
    fcntl(pipes[ERRORS][0], F_SETFL, O_NONBLOCK);
    worker->pid = pid;
    worker->to = pipes[TO][1];
    worker->from = pipes[FROM][0];
    worker->errors = pipes[ERRORS][0];
    return fault_none();
}

bool worker_give(struct worker *worker, const struct worker_job *job)
{
    worker->run = job->run;
    worker->is_busy = true;
    worker->used = 0;
    return send(worker->to, job, sizeof *job, MSG_NOSIGNAL) == sizeof *job;
}

/* The last line that it wrote; "" if it wrote none. */
static void last_words(const struct worker *worker, char words[LAST_WORDS])
{
    char bytes[LAST_WORDS];
    ssize_t count;
    size_t used = 0;

    words[0] = '\0';
    while ((count = read(worker->errors, bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < count; i++) {
            if (bytes[i] == '\n' || used == LAST_WORDS - 1) {
                words[used] = '\0';
                used = 0;
            } else {
                words[used++] = bytes[i];
            }
        }
    }
    if (used)
        words[used] = '\0';
}

static void close_worker(struct worker *worker)
{
    close(worker->to);
    close(worker->from);
    close(worker->errors);
    free(worker->bytes);
    *worker = (struct worker){.pid = 0};
}

static enum worker_news say_end(struct worker *worker, char *why, size_t why_size)
{
    char words[LAST_WORDS];
    int status = 0;

    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR) {
    }
    last_words(worker, words);
    if (WIFSIGNALED(status))
        snprintf(why, why_size, "the worker was ended by signal %d (%s)%s%s%.300s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), WTERMSIG(status) == SIGKILL ? ", perhaps for want of memory" : "",
                 *words ? ": " : "", words);
    else
        snprintf(why, why_size, "the worker ended with code %d%s%.300s", WEXITSTATUS(status), *words ? ": " : "",
                 words);
    close_worker(worker);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? WORKER_KILLED : WORKER_GONE;
}

/* Bytes of the whole answer, as far as that is known. */
static size_t expected(const struct worker *worker)
{
    struct header header;
    size_t sum = sizeof header;

    if (worker->used < sizeof header)
        return sum;
    memcpy(&header, worker->bytes, sizeof header);
    for (int i = 0; i < TEXT_COUNT; i++)
        sum += header.bytes[i];
    return sum;
}

static void read_answer(struct worker *worker, struct results_point *point)
{
    struct header header;
    const char *texts[TEXT_COUNT], *at = worker->bytes + sizeof header;

    memcpy(&header, worker->bytes, sizeof header);
    for (int i = 0; i < TEXT_COUNT; i++) {
        texts[i] = header.bytes[i] ? at : NULL;
        at += header.bytes[i];
    }
    point->error = texts[TEXT_ERROR];
    point->statistics = texts[TEXT_STATISTICS];
    point->config = texts[TEXT_CONFIG];
    point->wall_s = header.wall_s;
    point->cpu_s = header.cpu_s;
    worker->is_busy = false;
}

enum worker_news worker_take(struct worker *worker, struct results_point *answer, char *why, size_t why_size)
{
    for (;;) {
        ssize_t count;

        if (!list_fit(&worker->bytes, worker->used + MOST_READ, &worker->room, 1)) {
            snprintf(why, why_size, "out of memory for its figures");
            worker_stop(worker);
            return WORKER_GONE;
        }
        count = read(worker->from, worker->bytes + worker->used, worker->room - worker->used);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return WORKER_MORE;
        if (count <= 0)
            return say_end(worker, why, why_size);
        worker->used += (size_t)count;
        if (worker->used >= expected(worker)) {
            read_answer(worker, answer);
            return WORKER_ANSWER;
        }
    }
}

void worker_dismiss(const struct worker *worker)
{
    if (worker->pid)
        kill(worker->pid, SIGKILL);
}

void worker_stop(struct worker *worker)
{
    if (!worker->pid)
        return;
    worker_dismiss(worker);
    while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    close_worker(worker);
}
