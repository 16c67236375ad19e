/* Open outputs are in a list of the process, because a file's name is known only here, and exit must find all of
 * them. */
#include "cli/common/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/list.h"
#include "base/output_file.h"
#include "base/path.h"
#include "cli/common/cli.h"
#include "proto/trace_formats.h"

struct open_output {
    FILE *file;
    struct output_file output;
    struct open_output *next;
};

static struct open_output *open_outputs;

static const char **spared, **claimed;
static size_t spared_count, claimed_count;

/* ---- inputs */
void cli_output_spare(const char *input)
{
    if (list_fit_next(&spared, spared_count, sizeof *spared))
        spared[spared_count++] = input;
}

void cli_output_claim(const char *output)
{
    if (list_fit_next(&claimed, claimed_count, sizeof *claimed))
        claimed[claimed_count++] = output;
}

static bool output_is_same(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* By its name, or as MacSim's are, which have any. */
static bool is_of_traces(const char *path)
{
    static const char *const endings[] = {".proto", ".proto.gz", ".g", ".traceg", ".traceg.gz", ".traceg.xz",
                                          ".traceg.zst", ".tracez", ".trace", ".trace.gz", ".trace.xz", ".trace.zst",
                                          ".raw", ".zip"};
    const char *const name = path_name(path);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_ends_in(name, endings[i]))
            return true;
    return text_begins(name, "kernelslist") || trace_kind_of(path)->is_set;
}

/* Is the file, or one beside it, part of the input? */
static bool is_set(const char *input, const struct stat *about)
{
    return S_ISDIR(about->st_mode) || trace_kind_of(input)->is_set;
}

/* Does the file lie in that folder, or, if it is a file, beside it? */
static bool lies_in(const char *path, const char *input, const struct stat *about)
{
    char *const folder = strndup(path, (size_t)(path_name(path) - path));
    char *const beside = S_ISDIR(about->st_mode) ? strdup(input) : strndup(input, (size_t)(path_name(input) - input));
    struct stat one, other;
    bool const is_there = folder && beside && stat(*folder ? folder : ".", &one) == 0
                          && stat(*beside ? beside : ".", &other) == 0 && output_is_same(&one, &other);

    free(folder);
    free(beside);
    return is_there;
}

static bool say_input(const char *path)
{
    cli_fail_text("%s: is an input, or a trace that lies with one; give the output another name", path);
    return true;
}

static bool say_taken(const char *path)
{
    struct fault fault = fault_none();

    fault = fault_at(path, FAULT_NO_OFFSET, "is given as two outputs; give each a name of its own");
    cli_fail(fault);
    return true;
}

bool cli_output_replaces_input(const char *path)
{
    struct stat target, input;

    if (stat(path, &target) != 0 || !S_ISREG(target.st_mode))
        return false;
    if (input_file_is_input(&target))
        return say_input(path);
    for (size_t i = 0; i < spared_count; i++) {
        if (stat(spared[i], &input) != 0)
            continue;
        if (output_is_same(&target, &input)
            || (lies_in(path, spared[i], &input) && is_set(spared[i], &input) && is_of_traces(path)))
            return say_input(path);
    }
    return false;
}

/* The folder of an output and the name in it, as far as links can be followed; NULL: it cannot be made. */
static char *own_name(const char *path)
{
    char *const folder = strndup(path, (size_t)(path_name(path) - path));
    char *const real = realpath(path, NULL);
    char *const real_folder = folder ? realpath(*folder ? folder : ".", NULL) : NULL;
    char *const name = real ? real : real_folder ? path_join(real_folder, path_name(path)) : NULL;

    free(folder);
    free(real_folder);
    return name;
}

/* Devices and pipes may be named twice. */
static bool are_one(const char *one, const char *other)
{
    struct stat first, second;
    bool const is_first = stat(one, &first) == 0, is_second = stat(other, &second) == 0;
    char *const name = own_name(one), *const other_name = own_name(other);
    bool const are_named_so = name && other_name && strcmp(name, other_name) == 0;

    free(name);
    free(other_name);
    if (strcmp(one, "-") == 0 || strcmp(other, "-") == 0)
        return false;
    if (is_first && !S_ISREG(first.st_mode) && !S_ISDIR(first.st_mode))
        return false;
    return are_named_so || (is_first && is_second && output_is_same(&first, &second));
}

bool cli_outputs_agree(void)
{
    for (size_t i = 0; i < claimed_count; i++) {
        if (cli_output_replaces_input(claimed[i]))
            return false;
        for (size_t before = 0; before < i; before++)
            if (are_one(claimed[before], claimed[i]))
                return !say_taken(claimed[i]);
    }
    return true;
}

/* ---- outputs */
static void discard_all(void)
{
    while (open_outputs)
        cli_output_discard(open_outputs->file);
}

/* Takes it out of the list; NULL: it is not in it. */
static struct open_output *take_out(FILE *file)
{
    struct open_output **at = &open_outputs, *found;

    while (*at && (*at)->file != file)
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    return found;
}

static bool is_in_use(const struct output_file *output)
{
    for (const struct open_output *open = open_outputs; open; open = open->next)
        if (output->path && open->output.path && strcmp(open->output.path, output->path) == 0)
            return true;
    return false;
}

bool cli_output_is_taken(const char *path)
{
    struct output_file output;
    bool is_taken;

    if (output_file_open(&output, path).kind != FAULT_NONE)
        return false;
    is_taken = is_in_use(&output);
    close(output.descriptor);
    output_file_drop(&output);
    return is_taken && say_taken(path);
}

static FILE *open_by(struct fault (*open_file)(struct output_file *output, const char *path), const char *path)
{
    static bool is_registered;
    struct open_output *open;
    struct fault fault;

    if (strcmp(path, "-") == 0)
        return stdout;
    if (cli_output_replaces_input(path))
        return NULL;
    open = calloc(1, sizeof *open);
    if (!open || (!is_registered && atexit(discard_all) != 0)) {
        free(open);
        cli_fail_text("out of memory");
        return NULL;
    }
    is_registered = true;
    fault = open_file(&open->output, path);
    if (fault.kind == FAULT_NONE && is_in_use(&open->output)) {
        close(open->output.descriptor);
        output_file_drop(&open->output);
        fault = fault_at(path, FAULT_NO_OFFSET, "is given as two outputs; give each a name of its own");
    } else if (fault.kind == FAULT_NONE) {
        open->file = fdopen(open->output.descriptor, "w");
        if (!open->file) {
            fault = fault_at(path, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno));
            close(open->output.descriptor);
            output_file_drop(&open->output);
        }
    }
    if (fault.kind != FAULT_NONE) {
        free(open);
        cli_fail(fault);
        return NULL;
    }
    open->next = open_outputs;
    open_outputs = open;
    return open->file;
}

FILE *cli_output_open(const char *path)
{
    return open_by(output_file_open, path);
}

FILE *cli_output_open_visible(const char *path)
{
    return open_by(output_file_open_visible, path);
}

/* Text of the failure, or NULL. fclose may fail after all was flushed, and an earlier failure has lost its errno. */
static const char *close_file(FILE *file)
{
    bool const had_failed = ferror(file) != 0;
    int error;

    errno = 0;
    if (had_failed && file != stdout)    /* the reason is lost, but a further byte meets it again */
        (void)!write(fileno(file), "", 1);
    error = (fflush(file) != 0 || had_failed) ? errno : 0;
    if (file != stdout && fclose(file) != 0 && error == 0)
        error = errno;
    if (error != 0)
        return strerror(error);
    return had_failed ? "an earlier write failed; is the disk full, or the reader gone?" : NULL;
}

bool cli_output_close(FILE *file, const char *path)
{
    struct open_output *const open = take_out(file);
    const char *const failure = close_file(file);
    struct fault fault = fault_none();

    if (failure)
        fault = fault_at(path, FAULT_NO_OFFSET, "not written completely: %s", failure);
    if (failure && file == stdout)
        clearerr(stdout);                /* said once is enough */
    if (open) {
        if (!failure)
            fault = output_file_take(&open->output);
        output_file_drop(&open->output);
        free(open);
    }
    return fault.kind == FAULT_NONE || (cli_fail(fault), false);
}

void cli_output_remove_partial(void)
{
    for (const struct open_output *open = open_outputs; open; open = open->next)
        if (open->output.temporary)
            unlink(open->output.temporary);
}

void cli_output_discard(FILE *file)
{
    struct open_output *const open = file ? take_out(file) : NULL;

    if (!open)
        return;
    fclose(file);
    output_file_drop(&open->output);
    free(open);
}
