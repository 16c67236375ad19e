/* rubato trace group: makes grouped GPU traces of a list of raw ones. The list is read line by line here, not as
 * commands (proto/gpu/gpu_trace.h), as its copies' lines are to stay as they are. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/trace_command.h"
#include "proto/gpu/gpu_group.h"
#include "proto/gpu/gpu_text.h"

struct kernel {
    char *in, *out;                  /* paths */
};

struct job {
    const char *operand, *to;        /* of the command line */
    bool is_quiet;
    char *list, *folder, *list_out;  /* folder: with '/', or "" */
    struct kernel *kernels;
    size_t count;
    char *text;                      /* of the list to write */
    size_t text_bytes;
};

static bool take_list(void *field, struct cli_parser *parser)
{
    struct job *const job = field;

    if (job->operand == NULL)
        return job->operand = parser->value, true;
    cli_usage_error(parser->usage, "%s: one list at a time", parser->value);
    return false;
}

static const struct cli_option options[] = {
    {"output", "DIR", "folder to write to, also -o; made if missing", CLI_INTO(TEXT, job, to)},
    {"quiet", NULL, "say nothing when all went well", CLI_INTO(SWITCH, job, is_quiet)},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace group LIST -o DIR\nrubato trace group FOLDER -o DIR",
    .about = "Groups the kernels of a list of raw GPU traces (kernelslist): the instructions of each thread block and "
        "warp come\ntogether. Writes kernel-N.traceg, compressed as kernel-N.trace is, and the list, with \".g\" "
        "behind its name.",
    .options = options, .take_operand = take_list,
    .notes = "Replays read raw traces, too, but group them each time.\n"
        "Memory is bounded; lines that do not fit wait in a file in $TMPDIR or /tmp. Files appear whole or not at all, "
        "the\nlist last."
};

static void free_job(struct job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        free(job->kernels[i].in);
        free(job->kernels[i].out);
    }
    free(job->kernels);
    free(job->list);
    free(job->folder);
    free(job->list_out);
    free(job->text);
}

static bool trace_group_no_memory(void)
{
    cli_fail_text("out of memory");
    return false;
}

/* a b c; NULL without memory */
static char *trace_group_join(const char *a, const char *b, const char *c)
{
    size_t const room = strlen(a) + strlen(b) + strlen(c) + 1;
    char *const whole = malloc(room);

    if (whole != NULL)
        snprintf(whole, room, "%s%s%s", a, b, c);
    return whole;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static bool is_raw_list(const char *name)
{
    return strcmp(name, "kernelslist") == 0
        || (strncmp(name, "kernelslist_ctx_", 16) == 0 && !text_ends_in(name, ".g"));
}

/* The raw list of a folder: kernelslist, or the one of a context. NULL: the reason is printed. */
static char *find_list(const char *folder)
{
    DIR *const open = opendir(folder);
    char *best = NULL, *path;
    unsigned found = 0;

    if (open == NULL) {
        cli_fail_text("%s: cannot be read: %s", folder, strerror(errno));
        return NULL;
    }
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;)
        if (is_raw_list(entry->d_name)) {
            found++;
            if (best == NULL || strcmp(entry->d_name, best) < 0) {
                free(best);
                best = strdup(entry->d_name);
            }
        }
    closedir(open);
    if (found == 0) {
        cli_fail_text("%s: holds no list of raw GPU traces; expected kernelslist or kernelslist_ctx_*", folder);
        return NULL;
    }
    if (best != NULL && found > 1 && strcmp(best, "kernelslist") != 0)
        cli_warn("%s: holds %u lists; %s is taken, name the others to group them", folder, found, best);
    path = best != NULL ? trace_group_join(folder, "/", best) : NULL;
    free(best);
    if (path == NULL)
        trace_group_no_memory();
    return path;
}

static bool add_text(struct job *job, const char *at, size_t bytes, const char *end)
{
    size_t const more = bytes + strlen(end);

    if (!list_resize(&job->text, job->text_bytes + more, 1))
        return trace_group_no_memory();
    memcpy(job->text + job->text_bytes, at, bytes);
    memcpy(job->text + job->text_bytes + bytes, end, strlen(end));
    job->text_bytes += more;
    return true;
}

static const char *packing_of(const char *name)
{
    return text_ends_in(name, ".xz") ? ".xz" : text_ends_in(name, ".gz") ? ".gz"
        : text_ends_in(name, ".zst") ? ".zst" : "";
}

/* Name without .xz, .gz or .zst, and "g"; the list's line is the same with the ending of its own. */
/* Whether the name is that of a raw trace beside the list. bare: its length without that of the packing. */
static bool name_is_raw(const struct job *job, const char *name, size_t bare, uint64_t line)
{
    if (strchr(name, '/') != NULL) {
        cli_fail_text("%s: line %" PRIu64 ": \"%s\" is in another folder; expected a file beside the list", job->list,
                      line, name);
        return false;
    }
    if (bare >= 7 && (strncmp(name + bare - 7, ".traceg", 7) == 0 || strncmp(name + bare - 7, ".tracez", 7) == 0)) {
        cli_fail_text("%s: line %" PRIu64 ": \"%s\" is grouped already; expected a raw trace, kernel-N.trace",
                      job->list, line, name);
        return false;
    }
    return true;
}

static bool add_kernel(struct job *job, const char *name, uint64_t line)
{
    size_t const bare = strlen(name) - strlen(packing_of(name));
    char *grouped;
    struct kernel kernel = {0};

    if (!list_fit_next(&job->kernels, job->count, sizeof *job->kernels))
        return trace_group_no_memory();
    if (!name_is_raw(job, name, bare, line))
        return false;
    kernel.in = gpu_text_find(job->folder, name);
    if (kernel.in == NULL) {
        cli_fail_text("%s: line %" PRIu64 ": there is no %s%s, nor with .xz, .gz or .zst; put it there or take the "
                      "line out",
                      job->list, line, job->folder, name);
        return false;
    }
    grouped = malloc(bare + 2);
    if (grouped != NULL) {
        memcpy(grouped, name, bare);
        memcpy(grouped + bare, "g", 2);
        kernel.out = malloc(strlen(job->to) + bare + 8);
    }
    if (kernel.out != NULL)
        snprintf(kernel.out, strlen(job->to) + bare + 8, "%s/%s%s", job->to, grouped, packing_of(kernel.in));
    job->kernels[job->count++] = kernel;
    if (kernel.out == NULL || !add_text(job, grouped, strlen(grouped), packing_of(name))
        || !add_text(job, "\n", 1, "")) {
        free(grouped);
        return kernel.out != NULL || trace_group_no_memory();
    }
    free(grouped);
    return true;
}

static bool trace_group_take_line(struct job *job, struct gpu_cursor line, uint64_t number)
{
    struct gpu_cursor const whole = line;
    bool good;
    char *name;

    gpu_trim(&line);
    if (line.at == line.end)
        return true;
    if (line.end - line.at >= 6 && memcmp(line.at, "Memcpy", 6) == 0)
        return add_text(job, whole.at, (size_t)(whole.end - whole.at), "\n");
    name = gpu_copy_shown(line.at, line.end);
    if (name == NULL)
        return trace_group_no_memory();
    if (strncmp(name, "kernel", 6) == 0) {
        good = add_kernel(job, name, number);
    } else if (number == 1 && name[0] == '-') {
        cli_fail_text("%s: is a kernel's trace; expected the list that names it", job->list);
        good = false;
    } else {
        cli_warn("%s: line %" PRIu64 ": \"%.60s\" is neither a copy nor a kernel; left out", job->list, number, name);
        good = true;
    }
    free(name);
    return good;
}

static bool read_list(struct job *job)
{
    struct fault error;
    struct gpu_text text;
    struct gpu_cursor line;
    enum gpu_text_step step;
    bool good = true;

    if (FAILS(error, gpu_text_open(&text, &(struct stream_source){.path = job->list}))) {
        cli_fail_proto(&error);
        return false;
    }
    while (good && (step = gpu_text_next(&text, &line, &error)) != GPU_TEXT_END) {
        if (step == GPU_TEXT_FAILED)
            cli_fail_proto(&error);
        good = step == GPU_TEXT_LINE && trace_group_take_line(job, line, text.line);
    }
    gpu_text_close(&text);
    if (good && job->count == 0) {
        cli_fail_text("%s: names no kernel; expected lines such as kernel-1.trace", job->list);
        good = false;
    }
    return good;
}

/* Paths of the list, of its folder, and of the list to write. False: the reason is printed. */
static bool find_paths(struct job *job)
{
    const char *const operand = job->operand;
    struct stat about;
    const char *slash;

    if (stat(operand, &about) != 0) {
        cli_fail_text("%s: cannot be opened: %s", operand, strerror(errno));
        return false;
    }
    job->list = S_ISDIR(about.st_mode) ? find_list(operand) : strdup(operand);
    if (job->list == NULL)
        return S_ISDIR(about.st_mode) ? false : trace_group_no_memory();
    slash = strrchr(job->list, '/');
    job->folder = strndup(job->list, slash != NULL ? (size_t)(slash + 1 - job->list) : 0);
    job->list_out = malloc(strlen(job->to) + strlen(job->list) + 4);
    if (job->folder == NULL || job->list_out == NULL)
        return trace_group_no_memory();
    sprintf(job->list_out, "%s/%s.g", job->to, slash != NULL ? slash + 1 : job->list);
    return true;
}

/* --- grouping ----------------------------------------------------------------------------------------------------- */

static struct fault group_kernel(const struct kernel *kernel, struct gpu_group_report *sum)
{
    struct fault fault = fault_none();
    struct sink *const sink = sink_open_text(kernel->out, &fault);
    struct gpu_warnings warnings = {0};
    struct gpu_group_report report;
    bool good = sink != NULL && WORKS(fault, gpu_group_file(kernel->in, sink, 0, &report, &warnings));

    if (good)
        good = WORKS(fault, sink_close(sink));
    else
        sink_discard(sink);
    for (size_t i = 0; i < warnings.count; i++)
        cli_warn("%s", warnings.items[i]);
    gpu_warnings_free(&warnings);
    if (good) {
        sum->blocks += report.blocks;
        sum->warps += report.warps;
        sum->insts += report.insts;
        sum->left_out += report.left_out;
    }
    return good ? fault_none() : fault;
}

static struct fault write_list(const struct job *job)
{
    struct fault fault = fault_none();
    struct sink *const sink = sink_open_text(job->list_out, &fault);

    if (sink != NULL && WORKS(fault, sink_write(sink, job->text, job->text_bytes)))
        return sink_close(sink);
    sink_discard(sink);
    return fault;
}

static int group(const struct job *job)
{
    struct gpu_group_report sum = {0};
    struct fault error;
    bool const is_new = mkdir(job->to, 0777) == 0;

    if (!is_new && errno != EEXIST)
        return cli_fail_text("%s: cannot be created: %s", job->to, strerror(errno));
    if (cli_output_replaces_input(job->list_out))
        return CLI_BAD_INPUT;
    /* A list of an earlier time would name files of both times. */
    if (unlink(job->list_out) != 0 && errno != ENOENT)
        return cli_fail_text("%s: cannot be replaced: %s", job->list_out, strerror(errno));
    for (size_t i = 0; i < job->count; i++)
        if (FAILS(error, group_kernel(&job->kernels[i], &sum))) {
            if (is_new)
                rmdir(job->to);
            return cli_fail_proto(&error);
        }
    if (FAILS(error, write_list(job)))
        return cli_fail_proto(&error);
    if (!job->is_quiet)
        printf("%s: %zu kernel%s, %" PRIu64 " thread blocks, %" PRIu64 " warps, %" PRIu64 " warp instructions\n",
               cli_shown(job->list_out), job->count, job->count == 1 ? "" : "s", sum.blocks, sum.warps, sum.insts);
    if (!job->is_quiet && sum.left_out > 0)
        printf("%" PRIu64 " first records of LDGSTS pairs left out\n", sum.left_out);
    return CLI_OK;
}

int cli_trace_group(int argc, char **argv)
{
    struct job job = {0};
    struct cli_parser parser;
    int code = CLI_BAD_INPUT;

    if (!cli_parse(&parser, &usage, &job, argc, argv))
        return parser.exit_code;
    if (job.operand == NULL)
        return cli_usage_error(&usage, "no list was given; name a kernelslist or its folder");
    if (job.to == NULL)
        return cli_usage_error(&usage, "no output was given; add -o DIR");
    if (find_paths(&job) && read_list(&job))
        code = group(&job);
    free_job(&job);
    return code;
}
