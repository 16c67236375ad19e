/* Modelled on "write, then rename": whoever finds PATH finds all of it. */
#define _POSIX_C_SOURCE 200809L
#include "cli/replay/stats_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "cli/cli.h"
#include "cli/replay/stats_text.h"
#include "replay/record/stats_json.h"

static const char partial_suffix[] = ".partial";

static bool may_be_renamed_over(const char *path)
{
    struct stat info;

    return lstat(path, &info) != 0 || S_ISREG(info.st_mode);
}

bool stats_file_open(struct stats_file *output, const char *path, bool several_blocks)
{
    size_t const length = strlen(path);
    bool const by_rename = !several_blocks && strcmp(path, "-") != 0 && may_be_renamed_over(path);

    *output = (struct stats_file){.is_json = text_ends_in(path, ".json")};
    output->path = malloc(length + 1);
    output->partial_path = by_rename ? malloc(length + sizeof partial_suffix) : NULL;
    if (output->path == NULL || (by_rename && output->partial_path == NULL)) {
        stats_file_discard(output);
        cli_fail_text("out of memory");
        return false;
    }
    memcpy(output->path, path, length + 1);
    if (by_rename) {
        memcpy(output->partial_path, path, length);
        memcpy(output->partial_path + length, partial_suffix, sizeof partial_suffix);
    }
    output->file = cli_output_open(by_rename ? output->partial_path : path);
    if (output->file == NULL) {
        stats_file_discard(output);
        return false;
    }
    return true;
}

void stats_file_block(struct stats_file *output, const struct stats *stats, uint64_t now_ps)
{
    if (output->is_json)
        output->lacks_memory |= !stats_json_write(output->file, stats, now_ps);
    else
        stats_text_write(output->file, stats, now_ps);
}

bool stats_file_close(struct stats_file *output)
{
    FILE *const file = output->file;
    bool done;

    output->file = NULL;
    done = cli_output_close(file, output->path);
    if (done && output->lacks_memory) {
        cli_fail_text("%s: out of memory", output->path);
        done = false;
    }
    if (done && output->partial_path) {
        done = rename(output->partial_path, output->path) == 0;
        if (!done)
            cli_fail_text("%s: cannot be written: %s", output->path, strerror(errno));
    }
    if (done) {
        free(output->partial_path);
        output->partial_path = NULL;
    }
    stats_file_discard(output);
    return done;
}

void stats_file_discard(struct stats_file *output)
{
    if (output->file && output->file != stdout)
        fclose(output->file);
    if (output->partial_path)
        remove(output->partial_path);
    free(output->partial_path);
    free(output->path);
    *output = (struct stats_file){0};
}
