/* Blocks go to the output as they come; it has its name when it is whole. */
#define _POSIX_C_SOURCE 200809L
#include "cli/replay/stats_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "cli/cli.h"
#include "cli/replay/stats_text.h"
#include "replay/record/stats_json.h"

bool stats_file_open(struct stats_file *output, const char *path)
{
    *output = (struct stats_file){.is_json = text_ends_in(path, ".json"), .path = strdup(path)};
    if (!output->path) {
        cli_fail_text("out of memory");
        return false;
    }
    output->file = cli_output_open(path);
    if (!output->file)
        stats_file_discard(output);
    return output->file != NULL;
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
    bool done = !output->lacks_memory;

    output->file = NULL;
    if (done)
        done = cli_output_close(file, output->path);
    else {
        cli_output_discard(file);
        cli_fail_text("%s: out of memory", output->path);
    }
    stats_file_discard(output);
    return done;
}

void stats_file_discard(struct stats_file *output)
{
    cli_output_discard(output->file);
    free(output->path);
    *output = (struct stats_file){0};
}
