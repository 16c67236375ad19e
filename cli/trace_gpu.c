/* What info and dump of GPU traces share. */
#include "cli/trace_gpu.h"

#include <inttypes.h>

#include "cli/cli.h"

size_t trace_gpu_warn(char *const *warnings, size_t count, size_t told)
{
    for (; told < count; told++)
        cli_warn("%s", warnings[told]);
    return told;
}

void trace_gpu_print_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}

static void print_three(FILE *file, const char *name, const uint32_t numbers[3])
{
    fprintf(file, ", \"%s\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", name, numbers[0], numbers[1], numbers[2]);
}

void trace_gpu_print_header_json(FILE *file, const struct gpu_header *header)
{
    fputs("\"name\": ", file);
    trace_gpu_print_text(file, header->name);
    fprintf(file, ", \"id\": %" PRIu64 ", \"stream\": %" PRIu64, header->id, header->stream);
    print_three(file, "grid", header->grid);
    print_three(file, "block", header->block);
    fprintf(file, ", \"shmem_bytes\": %" PRIu64 ", \"nregs\": %" PRIu32 ", \"isa\": \"%s\", "
            "\"binary_version\": %" PRIu32 ", \"warp_size\": %" PRIu32 ", \"shmem_base\": %" PRIu64
            ", \"local_base\": %" PRIu64 ", \"line_info\": %s",
            header->shmem_bytes, header->nregs, gpu_isa_name(header->isa), header->binary_version,
            header->warp_size, header->shmem_base, header->local_base, header->has_line_info ? "true" : "false");
    fputs(", \"tracer_version\": ", file);
    trace_gpu_print_text(file, header->tracer_version);
    fputs(", \"nvbit_version\": ", file);
    trace_gpu_print_text(file, header->nvbit_version);
    if (header->max_blocks > 0)
        fprintf(file, ", \"max_blocks\": %" PRIu32, header->max_blocks);
    if (header->other_count > 0) {
        fputs(", \"others\": {", file);
        for (size_t i = 0; i < header->other_count; i++) {
            fputs(i > 0 ? ", " : "", file);
            trace_gpu_print_text(file, header->others[i].key);
            fputs(": ", file);
            trace_gpu_print_text(file, header->others[i].value);
        }
        fputc('}', file);
    }
}
