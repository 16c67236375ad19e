/* Shared by info and dump of GPU traces. */
#include "cli/trace/trace_command.h"

#include "cli/common/cli.h"

size_t trace_gpu_warn(char *const *warnings, size_t count, size_t told)
{
    for (; told < count; told++)
        cli_warn("%s", warnings[told]);
    return told;
}

static void put_three(struct json *json, const char *name, const uint32_t numbers[3])
{
    json_put_numbers(json, name, (const uint64_t[]){numbers[0], numbers[1], numbers[2]}, 3);
}

void trace_gpu_put_header(struct json *json, const struct gpu_header *header)
{
    json_put_string(json, "name", header->name);
    json_put_number(json, "id", header->id);
    json_put_number(json, "stream", header->stream);
    put_three(json, "grid", header->grid);
    put_three(json, "block", header->block);
    json_put_number(json, "shmem_bytes", header->shmem_bytes);
    json_put_number(json, "nregs", header->nregs);
    json_put_string(json, "isa", gpu_isa_name(header->isa));
    json_put_number(json, "binary_version", header->binary_version);
    json_put_number(json, "warp_size", header->warp_size);
    json_put_number(json, "shmem_base", header->shmem_base);
    json_put_number(json, "local_base", header->local_base);
    json_put_bool(json, "line_info", header->has_line_info);
    json_put_string(json, "tracer_version", header->tracer_version);
    json_put_string(json, "nvbit_version", header->nvbit_version);
    if (header->max_blocks > 0)
        json_put_number(json, "max_blocks", header->max_blocks);
    if (header->other_count > 0) {
        json_put_object(json, "others", JSON_SPACED);
        for (size_t i = 0; i < header->other_count; i++)
            json_put_string(json, header->others[i].key, header->others[i].value);
        json_end(json);
    }
}
