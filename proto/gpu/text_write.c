/* A line is made in a buffer that holds the longest one there is: 64 lanes of 64-bit addresses, 32 registers. */
#include "proto/gpu/gpu_text.h"
#include "proto/gpu/line.h"
#include "proto/gpu/tracez.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 4096 };

struct writing {
    const struct gpu_kernel *kernel;
    struct gpu_header header;            /* the kernel's, with the version of the file */
    struct sink *to;
    struct gpu_tracez_writer *container; /* NULL: text */
    struct fault *error;
    char line[LINE_ROOM];
    size_t length;
};

static __attribute__((format(printf, 2, 3))) void text_write_add(struct writing *writing, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(writing->line + writing->length, LINE_ROOM - writing->length, format, arguments);
    va_end(arguments);
    if (length > 0)
        writing->length += (size_t)length;
    if (writing->length >= LINE_ROOM)
        writing->length = LINE_ROOM - 1;
}

static bool put_header_text(struct writing *writing, const void *text, size_t length)
{
    return WORKS(*writing->error, writing->container != NULL
                 ? gpu_tracez_writer_header(writing->container, text, length) : sink_write(writing->to, text, length));
}

static bool text_write_put(struct writing *writing)
{
    size_t const length = writing->length;

    writing->length = 0;
    return WORKS(*writing->error, sink_write(writing->to, writing->line, length));
}

/* An instruction's line. */
static bool put_inst_line(struct writing *writing)
{
    size_t const length = writing->length;

    if (writing->container == NULL)
        return text_write_put(writing);
    writing->length = 0;
    return WORKS(*writing->error, gpu_tracez_writer_line(writing->container, writing->line, length));
}

static bool put_header_lines(struct writing *writing)
{
    size_t const length = writing->length;

    writing->length = 0;
    return put_header_text(writing, writing->line, length);
}

/* ---- header */

/* Names and values may be longer than the buffer. */
static bool put_text_key(struct writing *writing, const char *key, const char *value)
{
    return put_header_text(writing, "-", 1)
           && put_header_text(writing, key, strlen(key))
           && put_header_text(writing, " = ", 3)
           && put_header_text(writing, value, strlen(value))
           && put_header_text(writing, "\n", 1);
}

static bool writes_values(const struct gpu_header *header)
{
    return header->tracer_major >= 6 && header->isa == GPU_ISA_SASS;
}

static bool put_header(struct writing *writing)
{
    const struct gpu_header *const header = &writing->header;

    if (!put_text_key(writing, "kernel name", header->name != NULL ? header->name : ""))
        return false;
    text_write_add(writing, "-kernel id = %" PRIu64 "\n-grid dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", header->id,
                   header->grid[0], header->grid[1], header->grid[2]);
    text_write_add(writing,
                   "-block dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n-shmem = %" PRIu64 "\n-nregs = %" PRIu32 "\n",
                   header->block[0], header->block[1], header->block[2], header->shmem_bytes, header->nregs);
    text_write_add(writing, "-binary version = %" PRIu32 "\n-cuda stream id = %" PRIu64 "\n", header->binary_version,
                   header->stream);
    text_write_add(writing, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n",
                   header->shmem_base, header->local_base);
    if (header->nvbit_version[0] != '\0')
        text_write_add(writing, "-nvbit version = %s\n", header->nvbit_version);
    /* Without a version lines have ids, as those of the first ones. MacSim's versions are of another tracer. */
    if (header->tracer_version[0] != '\0')
        text_write_add(writing, "-%s = %s\n", strtoul(header->tracer_version, NULL, 10) == header->tracer_major
                       ? "accelsim tracer version" : "macsim version", header->tracer_version);
    if (header->has_line_info || header->tracer_major >= 4)
        text_write_add(writing, "-enable lineinfo = %d\n", header->has_line_info);
    if (header->isa == GPU_ISA_GCN3 || header->warp_size != 32)
        text_write_add(writing, "-warp size = %" PRIu32 "\n", header->warp_size);
    if (header->isa == GPU_ISA_GCN3)
        text_write_add(writing, "-isa type = GCN3\n");
    if (!put_header_lines(writing))
        return false;
    for (size_t i = 0; i < header->other_count; i++)
        if (!put_text_key(writing, header->others[i].key, header->others[i].value))
            return false;
    text_write_add(writing, "\n#traces format = %s%sPC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
                   "[adrrescompress?] [mem_addresses]%s%s\n", header->tracer_major < 3
                       ? "threadblock_x threadblock_y threadblock_z "
                   "warpid_tb " : "", header->has_line_info ? "[line_num] " : "", header->tracer_major >= 5
                       ? " immediate" : "", writes_values(header) ? " Val|NoVal [values]" : "");
    return put_header_lines(writing);
}

/* ---- instructions */

static void add_register(struct writing *writing, unsigned number)
{
    static const struct { unsigned number; const char *name; } own[] = {
        {106, "VCC"}, {107, "VCCHI"}, {124, "M0"}, {126, "EXEC"}, {127, "EXECHI"}, {251, "VCCZ"}, {252, "EXECZ"},
        {253, "SCC"}
    };

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (number == GPU_SCALAR_REGISTER + own[i].number) {
            text_write_add(writing, " %s", own[i].name);
            return;
        }
    if (number >= GPU_SCALAR_REGISTER)
        text_write_add(writing, " S%u", number - GPU_SCALAR_REGISTER);
    else
        text_write_add(writing, " R%u", number);
}

/* Inactive lanes have no address; without any active lane, the base is written all the same, and ignored. */
static void add_addresses(struct writing *writing, const struct gpu_block *block, const struct gpu_inst *inst)
{
    const int64_t *const values = block->values + inst->values_at;

    switch (inst->mode) {
    case GPU_ADDRESS_LIST:
        text_write_add(writing, " 0");
        for (unsigned i = 0; i < inst->value_count; i++)
            text_write_add(writing, " 0x%" PRIx64, (uint64_t)values[i]);
        break;
    case GPU_ADDRESS_DELTAS:
        text_write_add(writing, " 2 0x%" PRIx64, inst->base);
        for (unsigned i = 0; i < inst->value_count; i++)
            text_write_add(writing, " %" PRId64, values[i]);
        break;
    default: text_write_add(writing, " 1 0x%" PRIx64 " %" PRId64, inst->base, inst->stride);
    }
}

static bool text_write_put_inst(struct writing *writing, const struct gpu_block *block, uint32_t warp,
                                const struct gpu_inst *inst)
{
    const struct gpu_header *const header = &writing->header;
    const struct gpu_static *const fixed = &writing->kernel->statics[inst->index];
    const char *const opcode = writing->kernel->opcodes[fixed->opcode].text;
    const uint16_t *number = fixed->registers;

    if (header->tracer_major < 3)
        text_write_add(writing, "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " ", block->id[0], block->id[1],
                       block->id[2], warp);
    if (header->has_line_info)
        text_write_add(writing, "%" PRIu32 " ", fixed->line);
    text_write_add(writing, "%04" PRIx64 " %0*" PRIx64 " %u", fixed->pc, header->warp_size == 64 ? 16 : 8, inst->mask,
                   fixed->destination_count);
    for (unsigned i = 0; i < fixed->destination_count; i++)
        add_register(writing, *number++);
    text_write_add(writing, " %s %u", opcode, fixed->source_count);
    for (unsigned i = 0; i < fixed->source_count; i++)
        add_register(writing, *number++);
    if (writes_values(header) && gpu_is_group_product(opcode))
        text_write_add(writing, " %d", fixed->commits_group);
    text_write_add(writing, " %u", fixed->traced_width);
    if (fixed->traced_width != 0)
        add_addresses(writing, block, inst);
    else if (writes_values(header) && gpu_is_tile_copy(opcode))
        text_write_add(writing, " 0x0 0 0 0 3 0");   /* no barrier, one block, no bytes, a list of no addresses */
    if (header->tracer_major >= 5)
        text_write_add(writing, " %" PRId64, fixed->immediate);
    text_write_add(writing, writes_values(header) ? " NoVal\n" : "\n");
    return put_inst_line(writing);
}

/* Its first lines. */
static bool put_block_head(struct writing *writing, const struct gpu_block *block)
{
    const struct gpu_cluster *const cluster = &block->cluster;

    if (writing->container != NULL)
        return WORKS(*writing->error, gpu_tracez_writer_block(writing->container, block));
    text_write_add(writing, "\n#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", block->id[0],
                   block->id[1], block->id[2]);
    if (writes_values(&writing->header))
        text_write_add(writing, "cluster id = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\ncluster cta = %" PRIu32 ",%" PRIu32
                       ",%" PRIu32 "\ncluster rank = %" PRIu32 "\n", cluster->id[0], cluster->id[1], cluster->id[2],
                       cluster->block[0], cluster->block[1], cluster->block[2], cluster->rank);
    return text_write_put(writing);
}

static bool put_warp_head(struct writing *writing, uint32_t number, uint32_t count)
{
    if (writing->container != NULL)
        return WORKS(*writing->error, gpu_tracez_writer_warp(writing->container));
    text_write_add(writing, "\nwarp = %" PRIu32 "\ninsts = %" PRIu32 "\n", number, count);
    return text_write_put(writing);
}

static bool text_write_put_block(struct writing *writing, const struct gpu_block *block,
                                 struct gpu_text_written *written)
{
    if (!put_block_head(writing, block))
        return false;
    written->blocks++;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const struct gpu_warp_list *const warp = &block->warps[i];

        if (!put_warp_head(writing, i, warp->count))
            return false;
        written->warps += warp->count > 0;
        written->empty_warps += warp->count == 0;
        written->insts += warp->count;
        for (uint32_t j = 0; j < warp->count; j++)
            if (!text_write_put_inst(writing, block, i, &warp->insts[j]))
                return false;
    }
    if (writing->container != NULL)
        return true;
    text_write_add(writing, "\n#END_TB\n");
    return text_write_put(writing);
}

/* The header of the file: of another version, if one is asked for. */
static struct fault set_version(struct writing *writing, const struct gpu_text_form *form)
{
    struct gpu_header *const header = &writing->header;
    uint32_t const version = form->version != 0 ? form->version : writing->kernel->header.tracer_major;

    *header = writing->kernel->header;
    if (header->isa == GPU_ISA_PTX)
        return fault_at(writing->kernel->file, FAULT_NO_OFFSET, "a kernel of PTX as MacSim has it, for which Accel-Sim "
                        "has no form; expected SASS or GCN3");
    if (version >= 6 && header->isa != GPU_ISA_SASS)
        return fault_at(writing->kernel->file, FAULT_NO_OFFSET, "a kernel of GCN3, which version %" PRIu32 " of the "
                        "tracer does not have; expected SASS, or version 5", version);
    if (form->is_container && version < 6)
        return fault_at(writing->kernel->file, FAULT_NO_OFFSET, "a kernel of version %" PRIu32 " of the tracer, which "
                        "has no .tracez; expected version 6; add --version 6", version);
    if (form->version == 0)
        return fault_none();
    header->tracer_major = version;
    snprintf(header->tracer_version, sizeof header->tracer_version, "%" PRIu32, version);
    return fault_none();
}

static struct fault write_blocks(struct writing *writing, struct gpu_kernel *kernel, struct gpu_text_written *written)
{
    struct fault fault = fault_none();
    struct gpu_block *block;
    enum gpu_step step;

    writing->error = &fault;
    if (!put_header(writing))
        return fault;
    while ((step = gpu_kernel_next_block(kernel, &block, &fault)) == GPU_BLOCK) {
        bool const good = text_write_put_block(writing, block, written);

        gpu_block_free(block);
        if (!good)
            return fault;
    }
    return step == GPU_NO_BLOCK ? fault_none() : fault;
}

struct fault gpu_text_write_kernel(struct gpu_kernel *kernel, struct sink *to, const struct gpu_text_form *form,
                                   struct gpu_text_written *written)
{
    struct fault fault = fault_none();
    struct writing writing = {.kernel = kernel, .to = to};

    FORWARD(set_version(&writing, form));
    if (!form->is_container)
        return write_blocks(&writing, kernel, written);
    writing.container = gpu_tracez_writer_new(to);
    if (writing.container == NULL)
        return fault_memory(sink_name(to), NULL);
    if (WORKS(fault, write_blocks(&writing, kernel, written)))
        fault = gpu_tracez_writer_finish(writing.container);
    gpu_tracez_writer_free(writing.container);
    return fault;
}
