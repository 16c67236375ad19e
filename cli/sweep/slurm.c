/* --on slurm: an array job, one task a shard. The job is a script with all options in it, so that a user can look at
 * it, change it and submit it again; sbatch is called for it. A task that is started again resumes where it
 * stopped. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/sweep/sweep.h"

enum { USUAL_SHARDS = 16, ANSWER_TEXT = 400 };

struct job {
    size_t shards;
    const char *name;                    /* of the sweep's file */
    char program[SWEEP_PATH_MAX], working[SWEEP_PATH_MAX];
    char folder[2 * SWEEP_PATH_MAX];     /* of the shards, absolute */
};

static void quote(FILE *to, const char *text)
{
    char room[CLI_QUOTED_MAX];

    fputs(cli_quote(text, room), to);
}

/* As sbatch reads a path of an option: in quotes, where % begins a number of the job. */
static void quote_pattern(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++)
        fputs(*text == '%' ? "%%" : (char[]){*text, '\0'}, to);
}

/* Quotes a name, and replaces the characters that sbatch would interpret. */
static void quote_name(FILE *to, const char *name)
{
    fputs("\"rubato ", to);
    for (; *name; name++)
        fputc(strchr("\"\\%#", *name) ? '_' : *name, to);
    fputc('"', to);
}

/* Names that end a line would become options, or commands; in those of sbatch's own no quotes are possible. */
static int check_names(const struct sweep_session *session, const struct job *job)
{
    struct sweep_request const *const request = session->request;
    const char *const names[] = {request->spec, session->output, job->program, job->working, request->cache,
                                 request->partition, request->time};
    char room[CLI_QUOTED_MAX];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i] && cli_has_control(names[i]))
            return cli_fail_text("--on slurm: a name has a line feed or another control character, which no job can "
                                 "have in it; rename it: %s", cli_quote(names[i], room));
    for (size_t i = 0; i < request->sbatch_count; i++)
        if (cli_has_control(request->sbatch[i]))
            return cli_fail_text("--sbatch takes one option of one line, not %s", cli_quote(request->sbatch[i], room));
    if (strpbrk(job->folder, "\"\\"))
        return cli_fail_text("--on slurm: sbatch takes no \" and no \\ in the path of a log; give another file with "
                             "-o, not %s", cli_quote(session->output, room));
    if ((request->partition && strpbrk(request->partition, " \"'\\#"))
        || (request->time && strpbrk(request->time, " \"'\\#")))
        return cli_fail_text("--partition and --time must not contain spaces or quotes");
    return CLI_OK;
}

/* Those that decide how points run. */
static void write_options(FILE *to, const struct sweep_session *session)
{
    struct sweep_request const *const request = session->request;

    if (request->cache) {
        fputs(" --cache ", to);
        quote(to, request->cache);
    }
    if (request->confidence)
        fprintf(to, " --confidence %.17g", session->spec->confidence);
    if (request->warm) {
        fputs(" --warm ", to);
        quote(to, request->warm);
    }
    if (request->models)
        fprintf(to, " --model %s", request->models);         /* names of models alone */
    fputs(request->has_no_cache ? " --no-cache" : "", to);
    fputs(request->verifies ? " --verify" : "", to);
    fputs(request->retries ? " --retry\n" : "\n", to);
}

static void write_job(FILE *to, const struct sweep_session *session, const struct job *job)
{
    struct sweep_request const *const request = session->request;

    fputs("#!/bin/sh\n#SBATCH --job-name=", to);
    quote_name(to, job->name);
    fprintf(to, "\n#SBATCH --array=1-%zu", job->shards);
    if (request->throttle)
        fprintf(to, "%%%zu", request->throttle);
    fprintf(to, "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%zu\n#SBATCH --output=",
            request->jobs ? request->jobs : (size_t)1);
    quote_pattern(to, job->folder);
    fputs("/%a.log\"\n", to);
    if (request->partition)
        fprintf(to, "#SBATCH --partition=%s\n", request->partition);
    if (request->time)
        fprintf(to, "#SBATCH --time=%s\n", request->time);
    for (size_t i = 0; i < request->sbatch_count; i++)
        fprintf(to, "#SBATCH %s\n", request->sbatch[i]);
    fputs("# Each task runs its shard into a file of its own; `rubato sweep ... --collect` merges them.\ncd ", to);
    quote(to, job->working);
    fputs(" || exit 1\nexec ", to);
    quote(to, job->program);
    fputs(" sweep ", to);
    quote(to, request->spec);
    fprintf(to, " --shard \"$SLURM_ARRAY_TASK_ID/%zu\" --jobs %zu --output ", job->shards,
            request->jobs ? request->jobs : (size_t)1);
    quote(to, session->output);
    write_options(to, session);
}

static int slurm_describe(const struct sweep_session *session, struct job *job)
{
    const char *const slash = strrchr(session->request->spec, '/');
    bool const is_absolute = session->shards[0] == '/';
    ssize_t const length = readlink("/proc/self/exe", job->program, sizeof job->program - 1);

    job->shards = session->request->shards ? session->request->shards : USUAL_SHARDS;
    if (job->shards > session->plan->run_count)
        job->shards = session->plan->run_count;
    job->program[length > 0 ? length : 0] = '\0';
    if (length <= 0 || !getcwd(job->working, sizeof job->working))
        return cli_fail_text("the program's own path, or the working folder, is unknown: %s", strerror(errno));
    job->name = slash ? slash + 1 : session->request->spec;
    snprintf(job->folder, sizeof job->folder, "%s%s%s", is_absolute ? "" : job->working, is_absolute ? "" : "/",
             session->shards);
    return check_names(session, job);
}

static int write_script(const struct sweep_session *session, const struct job *job, const char *path)
{
    FILE *script;

    if (mkdir(session->shards, 0777) != 0 && errno != EEXIST)
        return cli_fail_text("%s: cannot be created: %s", session->shards, strerror(errno));
    script = cli_output_open(path);
    if (!script)
        return CLI_BAD_INPUT;
    write_job(script, session, job);
    return cli_output_close(script, path) ? CLI_OK : CLI_BAD_INPUT;
}

/* Stores both outputs of sbatch in `answer`. Returns the exit code of the child; -1: it could not be started. */
static int call_sbatch(const char *script, char answer[ANSWER_TEXT])
{
    extern char **environ;
    char program[] = "sbatch", option[] = "--parsable", path[SWEEP_PATH_MAX + 16];
    char *const words[] = {program, option, path, NULL};
    posix_spawn_file_actions_t actions;
    int pipes[2], status = -1, error;
    size_t used = 0;
    ssize_t count;
    pid_t pid;

    snprintf(path, sizeof path, "%s", script);
    if (pipe(pipes) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipes[0]);
    posix_spawn_file_actions_addclose(&actions, pipes[1]);
    error = posix_spawnp(&pid, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    while (used < ANSWER_TEXT - 1 && (count = read(pipes[0], answer + used, ANSWER_TEXT - 1 - used)) > 0)
        used += (size_t)count;
    answer[used] = '\0';
    answer[strcspn(answer, "\n")] = '\0';
    close(pipes[0]);
    if (error) {
        snprintf(answer, ANSWER_TEXT, "%s", strerror(error));
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int submit(const struct sweep_session *session, const struct job *job)
{
    char path[SWEEP_PATH_MAX + 16], answer[ANSWER_TEXT], room[CLI_QUOTED_MAX];
    int code;

    snprintf(path, sizeof path, "%s/job.sh", session->shards);
    code = write_script(session, job, path);
    if (code != CLI_OK)
        return code;
    code = call_sbatch(path, answer);
    if (code < 0)
        return cli_fail_text("sbatch cannot be started: %s; call it where Slurm is: sbatch %s", answer,
                             cli_quote(path, room));
    if (code != 0)
        return cli_fail_text("sbatch refused %s: %s", path, answer);
    printf("submitted     job %s, %zu tasks for %zu points: %s\n", answer, job->shards, session->plan->run_count, path);
    printf("afterwards    rubato sweep %s", cli_quote(session->request->spec, room));
    printf(" --output %s --collect\n", cli_quote(session->output, room));
    return CLI_OK;
}

int sweep_submit(const struct sweep_session *session)
{
    struct job job = {.shards = 0};
    int code = slurm_describe(session, &job);

    if (code == CLI_OK && session->request->is_dry)
        write_job(stdout, session, &job);
    else if (code == CLI_OK)
        code = submit(session, &job);
    return code;
}
