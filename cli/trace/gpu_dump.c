/* rubato trace dump of GPU traces: a line for each instruction of a warp, in the order of blocks and warps. */
#include <inttypes.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/trace_command.h"

struct dump {
    struct gpu_list list;
    enum trace_gpu_form form;
    struct json json;
    uint64_t first, behind, at;      /* instructions */
};

/* One instruction and its position. */
struct place {
    const struct gpu_kernel *kernel;
    const struct gpu_block *block;
    uint32_t warp;
    const struct gpu_inst *inst;
    const struct gpu_static *fixed;
    const struct gpu_opcode *opcode;
    uint64_t addresses[GPU_MAX_LANES], lanes;        /* lanes that have an address */
};

static int mask_digits(const struct place *place)
{
    return place->kernel->header.warp_size == 64 ? 16 : 8;
}

enum { NAME_BYTES = 16 };

/* PTX has one kind, of any number. */
static const char *register_name(const struct place *place, unsigned number, char name[NAME_BYTES])
{
    if (place->kernel->header.isa == GPU_ISA_PTX)
        snprintf(name, NAME_BYTES, "R%u", number);
    else
        snprintf(name, NAME_BYTES, "%c%u", number >= GPU_SCALAR_REGISTER ? 'S' : 'R', number % GPU_SCALAR_REGISTER);
    return name;
}

static void print_registers_text(const struct place *place, const uint16_t *registers, unsigned count)
{
    char name[NAME_BYTES];

    fputs(count == 0 ? " -" : " ", stdout);
    for (unsigned i = 0; i < count; i++)
        printf("%s%s", i > 0 ? "," : "", register_name(place, registers[i], name));
}

static void put_registers(struct json *json, const struct place *place, const char *key, const uint16_t *registers,
                          unsigned count)
{
    char name[NAME_BYTES];

    json_put_array(json, key, JSON_SPACED);
    for (unsigned i = 0; i < count; i++)
        json_write_string(json, register_name(place, registers[i], name));
    json_end(json);
}

static void put_mask(struct json *json, const char *key, const struct place *place, uint64_t mask)
{
    char digits[NAME_BYTES + 1];

    snprintf(digits, sizeof digits, "%0*" PRIx64, mask_digits(place), mask);
    json_put_string(json, key, digits);
}

static void print_inst_text(const struct place *place)
{
    const struct gpu_static *const fixed = place->fixed;
    const uint32_t *const id = place->block->id;

    printf("%" PRIu32 ",%" PRIu32 ",%" PRIu32 " %" PRIu32 " %04" PRIx64 " %0*" PRIx64 " %s", id[0], id[1], id[2],
           place->warp, fixed->pc, mask_digits(place), place->inst->mask, place->opcode->text);
    print_registers_text(place, fixed->registers, fixed->destination_count);
    print_registers_text(place, fixed->registers + fixed->destination_count, fixed->source_count);
    printf(" %s", gpu_class_name((enum gpu_class)place->opcode->cls));
    if (place->inst->mode != GPU_ADDRESS_NONE) {
        printf(" %s %u", gpu_space_name((enum gpu_space)place->opcode->space), (unsigned)fixed->width_bytes);
        for (uint64_t left = place->lanes; left != 0; left &= left - 1)
            printf(" %d:0x%" PRIx64, __builtin_ctzll(left), place->addresses[__builtin_ctzll(left)]);
    }
    if (fixed->immediate != 0)
        printf(" imm %" PRId64, fixed->immediate);
    if (fixed->line != 0)
        printf(" line %" PRIu32, fixed->line);
    putchar('\n');
}

static void gpu_dump_put_inst(struct json *json, const struct place *place)
{
    const struct gpu_static *const fixed = place->fixed;
    const uint32_t *const id = place->block->id;

    json_begin_object(json, JSON_SPACED);
    json_put_numbers(json, "block", (const uint64_t[]){id[0], id[1], id[2]}, 3);
    json_put_number(json, "warp", place->warp);
    json_put_number(json, "pc", fixed->pc);
    put_mask(json, "mask", place, place->inst->mask);
    json_put_string(json, "opcode", place->opcode->text);
    put_registers(json, place, "destinations", fixed->registers, fixed->destination_count);
    put_registers(json, place, "sources", fixed->registers + fixed->destination_count, fixed->source_count);
    json_put_string(json, "class", gpu_class_name((enum gpu_class)place->opcode->cls));
    if (place->inst->mode != GPU_ADDRESS_NONE) {
        json_put_string(json, "space", gpu_space_name((enum gpu_space)place->opcode->space));
        json_put_number(json, "width_bytes", fixed->width_bytes);
        put_mask(json, "lanes", place, place->lanes);
        json_put_array(json, "addresses", JSON_SPACED);
        for (uint64_t left = place->lanes; left != 0; left &= left - 1)
            json_write_number(json, place->addresses[__builtin_ctzll(left)]);
        json_end(json);
    }
    if (fixed->immediate != 0) {
        json_key(json, "immediate");
        json_write_signed(json, fixed->immediate);
    }
    if (fixed->line != 0)
        json_put_number(json, "line", fixed->line);
    json_end(json);
}

static void dump_block(struct dump *dump, const struct gpu_kernel *kernel, const struct gpu_block *block)
{
    struct place place = {.kernel = kernel, .block = block};

    for (; place.warp < block->warp_count; place.warp++) {
        const struct gpu_warp_list *const warp = &block->warps[place.warp];

        for (uint32_t i = 0; i < warp->count && dump->at < dump->behind; i++, dump->at++) {
            if (dump->at < dump->first)
                continue;
            place.inst = &warp->insts[i];
            place.fixed = &kernel->statics[place.inst->index];
            place.opcode = &kernel->opcodes[place.fixed->opcode];
            place.lanes = gpu_inst_addresses(block, place.inst, place.opcode->space == GPU_SPACE_SCALAR,
                                             place.addresses);
            if (dump->form == TRACE_GPU_JSON)
                gpu_dump_put_inst(&dump->json, &place);
            else
                print_inst_text(&place);
        }
    }
}

static void print_kernel(struct dump *dump, const char *file, const struct gpu_header *header)
{
    if (dump->form == TRACE_GPU_JSON) {
        json_begin_object(&dump->json, JSON_SPACED);
        json_put_string(&dump->json, "kernel", file);
        trace_gpu_put_header(&dump->json, header);
        json_end(&dump->json);
        return;
    }
    printf("# kernel %s\n# name %s\n# id %" PRIu64 "\n# stream %" PRIu64 "\n# grid %" PRIu32 ",%" PRIu32 ",%" PRIu32
           "\n# block %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n# shmem %" PRIu64 "\n# nregs %" PRIu32 "\n# isa %s\n"
           "# binary_version %" PRIu32 "\n# tracer_version %s\n# warp_size %" PRIu32 "\n", cli_shown(file),
           cli_shown(header->name),
           header->id, header->stream, header->grid[0], header->grid[1], header->grid[2], header->block[0],
           header->block[1], header->block[2], header->shmem_bytes, header->nregs, gpu_isa_name(header->isa),
           header->binary_version, cli_shown(header->tracer_version), header->warp_size);
    if (header->max_blocks > 0)
        printf("# max_blocks %" PRIu32 "\n", header->max_blocks);
    for (size_t i = 0; i < header->other_count; i++)
        printf("# %s = %s\n", cli_shown(header->others[i].key), cli_shown(header->others[i].value));
}

static void print_copy(struct dump *dump, const struct gpu_command *command)
{
    bool const is_back = command->kind == GPU_COPY_TO_HOST;

    if (dump->form != TRACE_GPU_JSON) {
        printf("# copy %s0x%" PRIx64 " %" PRIu64 "\n", is_back ? "back " : "", command->address, command->bytes);
        return;
    }
    json_begin_object(&dump->json, JSON_SPACED);
    json_put_object(&dump->json, is_back ? "copy_back" : "copy", JSON_SPACED);
    json_put_number(&dump->json, "address", command->address);
    json_put_number(&dump->json, "bytes", command->bytes);
    json_end(&dump->json);
    json_end(&dump->json);
}

static int dump_kernel(struct dump *dump, const char *file)
{
    struct gpu_kernel kernel;
    struct gpu_block *block;
    struct fault error;
    enum gpu_step step = GPU_NO_BLOCK;

    if (FAILS(error, gpu_list_kernel(&kernel, &dump->list, file)))
        return cli_fail_proto(&error);
    print_kernel(dump, file, &kernel.header);
    while (dump->at < dump->behind && !ferror(stdout)
           && (step = gpu_kernel_next_block(&kernel, &block, &error)) == GPU_BLOCK) {
        dump_block(dump, &kernel, block);
        gpu_block_free(block);
    }
    if (step != GPU_FAILED)
        trace_gpu_warn(kernel.warnings, kernel.warning_count, 0);
    gpu_kernel_close(&kernel);
    return step == GPU_FAILED ? cli_fail_proto(&error) : CLI_OK;
}

int trace_gpu_dump(const struct trace_request *request)
{
    struct dump dump = {.form = request->is_json ? TRACE_GPU_JSON : TRACE_GPU_TEXT, .json.file = stdout,
                        .first = request->first, .behind = request->behind};
    struct fault error;
    int code = CLI_OK;

    if (FAILS(error, gpu_list_open(&dump.list, request->path)))
        return cli_fail_proto(&error);
    trace_gpu_warn(dump.list.warnings, dump.list.warning_count, 0);
    if (!request->is_json)
        puts("# rubato GPU trace");
    for (size_t i = 0; code == CLI_OK && i < dump.list.count && dump.at < request->behind; i++)
        if (dump.list.commands[i].kind == GPU_KERNEL)
            code = dump_kernel(&dump, dump.list.commands[i].file);
        else
            print_copy(&dump, &dump.list.commands[i]);
    if (!json_close(&dump.json) && code == CLI_OK)
        code = cli_fail_text("out of memory");
    gpu_list_close(&dump.list);
    return code;
}
