/* rubato trace convert --to accel-sim: a list of GPU kernels as kernelslist.g and grouped traces. The list comes last,
 * so that a folder that has one is whole. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/trace_command.h"
#include "proto/gpu/gpu_text.h"
#include "proto/trace_formats.h"

struct conversion {
    struct gpu_list list;
    const char *folder;
    const char *ending;                  /* of kernels' files */
    struct gpu_text_form form;
    struct gpu_text_written written;
    char (*names)[64];                   /* of each command that is a kernel: of its file; "": one before has it */
    size_t kernels;
};

/* Names as Accel-Sim has them, by the number of the kernel in the list. */
static void name_kernels(struct conversion *conversion)
{
    struct gpu_list const *const list = &conversion->list;

    for (size_t i = 0; i < list->count; i++) {
        size_t before = 0;

        if (list->commands[i].kind != GPU_KERNEL)
            continue;
        while (before < i && (list->commands[before].kind != GPU_KERNEL
                              || strcmp(list->commands[before].file, list->commands[i].file) != 0))
            before++;
        if (before == i)
            snprintf(conversion->names[i], sizeof conversion->names[i], "kernel-%zu.%s", ++conversion->kernels,
                     conversion->ending);
        else
            memcpy(conversion->names[i], conversion->names[before], sizeof conversion->names[i]);
    }
}

static bool is_first_of_name(const struct conversion *conversion, size_t command)
{
    for (size_t i = 0; i < command; i++)
        if (strcmp(conversion->names[i], conversion->names[command]) == 0)
            return false;
    return true;
}

/* A path in the folder; the caller frees it. */
static struct sink *open_sink(const struct conversion *conversion, const char *name, struct fault *error)
{
    char *const path = path_join(conversion->folder, name);
    struct sink *const sink = path != NULL ? sink_open_text(path, error) : NULL;

    if (path == NULL)
        *error = fault_memory(conversion->folder, NULL);
    free(path);
    return sink;
}

static struct fault write_kernel(struct conversion *conversion, size_t command)
{
    struct fault fault = fault_none();
    struct gpu_kernel kernel;
    struct sink *sink;
    bool good;

    FORWARD(gpu_list_kernel(&kernel, &conversion->list, conversion->list.commands[command].file));
    sink = open_sink(conversion, conversion->names[command], &fault);
    good = sink != NULL && WORKS(fault, gpu_text_write_kernel(&kernel, sink, &conversion->form,
                                                                     &conversion->written));
    if (good)
        good = WORKS(fault, sink_close(sink));
    else
        sink_discard(sink);
    if (good)
        trace_gpu_warn(kernel.warnings, kernel.warning_count, 0);
    gpu_kernel_close(&kernel);
    return good ? fault_none() : fault;
}

static struct fault write_list(const struct conversion *conversion)
{
    struct fault fault = fault_none();
    struct sink *const sink = open_sink(conversion, "kernelslist.g", &fault);
    bool good = sink != NULL;

    for (size_t i = 0; good && i < conversion->list.count; i++) {
        const struct gpu_command *const command = &conversion->list.commands[i];
        char line[96];
        int const length = command->kind == GPU_KERNEL ? snprintf(line, sizeof line, "%s\n", conversion->names[i])
            : snprintf(line, sizeof line, "Memcpy%s,0x%016" PRIx64 ",%" PRIu64 "\n",
                       command->kind == GPU_COPY_TO_DEVICE ? "HtoD" : "DtoH", command->address, command->bytes);

        good = WORKS(fault, sink_write(sink, line, (size_t)length));
    }
    if (good)
        return sink_close(sink);
    sink_discard(sink);
    return fault;
}

static struct fault convert(struct conversion *conversion)
{
    name_kernels(conversion);
    if (mkdir(conversion->folder, 0777) != 0 && errno != EEXIST)
        return fault_at(conversion->folder, FAULT_NO_OFFSET, "cannot be made: %s", strerror(errno));
    for (size_t i = 0; i < conversion->list.count; i++)
        if (conversion->list.commands[i].kind == GPU_KERNEL && is_first_of_name(conversion, i))
            FORWARD(write_kernel(conversion, i));
    return write_list(conversion);
}

static const char *ending_of(const char *packed)
{
    static const struct { const char *packed, *ending; } endings[] = {
        {"gz", "traceg.gz"}, {"xz", "traceg.xz"}, {"zst", "traceg.zst"}, {"tracez", "tracez"}
    };

    for (size_t i = 0; packed != NULL && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(packed, endings[i].packed) == 0)
            return endings[i].ending;
    return "traceg";
}

int trace_accel_sim_convert(const char *path, const char *folder, const struct accel_sim_form *form, bool is_quiet)
{
    struct conversion conversion = {
        .folder = folder, .ending = ending_of(form->packed),
        .form = {.version = form->version, .is_container = form->packed != NULL && strcmp(form->packed, "tracez") == 0}
    };
    struct fault error;
    int code = CLI_OK;

    if (FAILS(error, trace_list_open(&conversion.list, path, NULL)))
        return cli_fail_proto(&error);
    trace_gpu_warn(conversion.list.warnings, conversion.list.warning_count, 0);
    conversion.names = calloc(conversion.list.count + 1, sizeof *conversion.names);
    if (conversion.names == NULL)
        code = cli_fail_text("out of memory");
    else if (FAILS(error, convert(&conversion)))
        code = cli_fail_proto(&error);
    if (code == CLI_OK && conversion.written.empty_warps > 0)
        cli_warn("%" PRIu64 " warps have no instruction; Accel-Sim's own reader stops at such",
                 conversion.written.empty_warps);
    if (code == CLI_OK && !is_quiet)
        printf("%s: %zu kernel%s, %" PRIu64 " thread blocks and %" PRIu64 " warp instructions\n", cli_shown(folder),
               conversion.kernels, conversion.kernels == 1 ? "" : "s", conversion.written.blocks,
               conversion.written.insts);
    free(conversion.names);
    gpu_list_close(&conversion.list);
    return code;
}
