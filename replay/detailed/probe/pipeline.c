/* Rows are written as micro-ops leave the ROB. Not written: when a committed store reached the cache, which is later
 * than its row. */
#include "replay/detailed/probe/pipeline.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/io/sink.h"
#include "replay/config/detailed_params.h"

enum { ROW_BYTES = 1024 };

struct pipeline {
    struct sink *sink;
    enum pipeline_format format;
    uint64_t period_ps;
    uint64_t insts_left;
    struct fault fault;
    char row[ROW_BYTES];
    size_t row_bytes;
};

/* gem5's numbers of op classes. */
static const unsigned char op_numbers[DETAILED_OP_COUNT] = {
    [DETAILED_OP_NO_OP] = 0, [DETAILED_OP_INT_ALU] = 1, [DETAILED_OP_INT_MULT] = 2, [DETAILED_OP_INT_DIV] = 3,
    [DETAILED_OP_FLOAT_ADD] = 4, [DETAILED_OP_FLOAT_CMP] = 5, [DETAILED_OP_FLOAT_CVT] = 6,
    [DETAILED_OP_FLOAT_MULT] = 7, [DETAILED_OP_FLOAT_MULT_ACC] = 8, [DETAILED_OP_FLOAT_DIV] = 9,
    [DETAILED_OP_FLOAT_MISC] = 10, [DETAILED_OP_FLOAT_SQRT] = 11, [DETAILED_OP_SIMD_ALU] = 14,
    [DETAILED_OP_SIMD_MISC] = 17, [DETAILED_OP_SIMD_MULT] = 18, [DETAILED_OP_SIMD_FLOAT_ADD] = 25,
    [DETAILED_OP_SIMD_FLOAT_DIV] = 29, [DETAILED_OP_SIMD_FLOAT_MULT] = 31, [DETAILED_OP_SIMD_FLOAT_MULT_ACC] = 32,
    [DETAILED_OP_SIMD_FLOAT_SQRT] = 34, [DETAILED_OP_SIMD_AES] = 40, [DETAILED_OP_MEM_READ] = 52,
    [DETAILED_OP_MEM_WRITE] = 53, [DETAILED_OP_FLOAT_MEM_READ] = 54, [DETAILED_OP_FLOAT_MEM_WRITE] = 55
};

#define OP_NAME(suffix, key, unit, cycles, is_pipelined) #key,
static const char *const op_names[DETAILED_OP_COUNT] = {DETAILED_OPS(OP_NAME)};

enum pipeline_format pipeline_format_of(const char *path)
{
    size_t length = strlen(path);

    if (length > 3 && (strcmp(path + length - 3, ".gz") == 0 || strcmp(path + length - 3, ".xz") == 0))
        length -= 3;
    return length >= 4 && strncmp(path + length - 4, ".tsv", 4) == 0 ? PIPELINE_TABLE : PIPELINE_O3PIPEVIEW;
}

static void pipeline_add(struct pipeline *pipeline, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void pipeline_add(struct pipeline *pipeline, const char *format, ...)
{
    size_t const room = sizeof pipeline->row - pipeline->row_bytes;
    va_list arguments;

    va_start(arguments, format);
    int const bytes = vsnprintf(pipeline->row + pipeline->row_bytes, room, format, arguments);
    va_end(arguments);
    if (bytes > 0)
        pipeline->row_bytes += (size_t)bytes < room ? (size_t)bytes : room - 1;
}

static void write_row(struct pipeline *pipeline)
{
    if (pipeline->fault.kind == FAULT_NONE)
        pipeline->fault = sink_write(pipeline->sink, pipeline->row, pipeline->row_bytes);
    pipeline->row_bytes = 0;
}

struct pipeline *pipeline_open(const char *path, enum pipeline_format format, uint64_t period_ps, uint64_t most_insts,
                               struct fault *fault)
{
    struct pipeline *const pipeline = calloc(1, sizeof *pipeline);

    if (!pipeline) {
        *fault = fault_memory(path, NULL);
        return NULL;
    }
    pipeline->format = format;
    pipeline->period_ps = period_ps;
    pipeline->insts_left = most_insts;
    pipeline->sink = sink_open_text(path, fault);
    if (!pipeline->sink) {
        free(pipeline);
        return NULL;
    }
    if (format == PIPELINE_TABLE) {
        pipeline_add(pipeline, "seq\tcommitted\tpc\tmicro_op\tencoding\top_class\tvaddr\tpaddr\tsize\tpredicted_taken\t"
                               "mispredicted\tfetch\tdecode\trename\tdispatch\tissue\tcomplete\tretire\n");
        write_row(pipeline);
    }
    return pipeline;
}

/* ---- rows */
static uint32_t code_of(const struct supply_insn *insn)
{
    return insn->size_bytes == 2 ? insn->encoding & 0xffff : insn->encoding;
}

static const struct supply_access *access_of(const struct detailed_retired *retired)
{
    return retired->has_request ? retired->access : NULL;
}

static void add_cycle(struct pipeline *pipeline, uint64_t cycle)
{
    if (cycle == DETAILED_NEVER)
        pipeline_add(pipeline, "\t-");
    else
        pipeline_add(pipeline, "\t%" PRIu64, cycle);
}

static void add_table_row(struct pipeline *pipeline, const struct detailed_retired *retired)
{
    const struct supply_access *const access = access_of(retired);

    pipeline_add(pipeline, "%" PRIu64 "\t%d\t%" PRIx64 "\t%u\t%" PRIx32 "\t%u", retired->seq, !retired->is_squashed,
                 retired->insn->pc, retired->micro_pc, code_of(retired->insn), op_numbers[retired->uop->op]);
    if (!access)
        pipeline_add(pipeline, "\t-\t-\t-");
    else if (!access->has_place)
        pipeline_add(pipeline, "\t%" PRIx64 "\t-\t%" PRIu32, access->address, access->size_bytes);
    else
        pipeline_add(pipeline, "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIu32, access->address, access->place,
                     access->size_bytes);
    pipeline_add(pipeline, "\t%d\t%d", retired->is_predicted_taken, retired->is_mispredicted);
    add_cycle(pipeline, retired->fetch_cyc);
    add_cycle(pipeline, retired->decode_cyc);
    add_cycle(pipeline, retired->rename_cyc);
    add_cycle(pipeline, retired->dispatch_cyc);
    add_cycle(pipeline, retired->issue_cyc);
    add_cycle(pipeline, retired->execute_cyc);
    add_cycle(pipeline, retired->retire_cyc);
    pipeline_add(pipeline, "\n");
}

static uint64_t tick_of(const struct pipeline *pipeline, uint64_t cycle)
{
    return cycle == DETAILED_NEVER ? 0 : cycle * pipeline->period_ps;
}

static void add_o3pipeview(struct pipeline *pipeline, const struct detailed_retired *retired)
{
    const struct supply_access *const access = access_of(retired);

    pipeline_add(pipeline, "O3PipeView:fetch:%" PRIu64 ":0x%08" PRIx64 ":%u:%" PRIu64 ":%s %" PRIx32,
                 tick_of(pipeline, retired->fetch_cyc), retired->insn->pc, retired->micro_pc, retired->seq,
                 op_names[retired->uop->op], code_of(retired->insn));
    if (access)
        pipeline_add(pipeline, " 0x%" PRIx64 "+%" PRIu32, access->address, access->size_bytes);
    pipeline_add(pipeline,
                 "\nO3PipeView:decode:%" PRIu64 "\nO3PipeView:rename:%" PRIu64 "\nO3PipeView:dispatch:%" PRIu64
                 "\nO3PipeView:issue:%" PRIu64 "\nO3PipeView:complete:%" PRIu64 "\nO3PipeView:retire:%" PRIu64
                 ":store:%" PRIu64 "\n",
                 tick_of(pipeline, retired->decode_cyc), tick_of(pipeline, retired->rename_cyc),
                 tick_of(pipeline, retired->dispatch_cyc), tick_of(pipeline, retired->issue_cyc),
                 tick_of(pipeline, retired->execute_cyc),
                 retired->is_squashed ? 0 : tick_of(pipeline, retired->retire_cyc), tick_of(pipeline,
                                                                                            retired->store_cyc));
}

void pipeline_retired(void *context, const struct detailed_retired *retired)
{
    struct pipeline *const pipeline = context;

    if (pipeline->insts_left == 0)
        return;
    if (pipeline->format == PIPELINE_TABLE)
        add_table_row(pipeline, retired);
    else
        add_o3pipeview(pipeline, retired);
    write_row(pipeline);
    if (!retired->is_squashed && retired->uop->flags & UOP_LAST && pipeline->insts_left != UINT64_MAX)
        pipeline->insts_left--;
}

struct fault pipeline_close(struct pipeline *pipeline)
{
    struct fault fault = pipeline->fault;

    if (fault.kind == FAULT_NONE)
        fault = sink_close(pipeline->sink);
    else
        sink_discard(pipeline->sink);
    free(pipeline);
    return fault;
}

void pipeline_discard(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    sink_discard(pipeline->sink);
    free(pipeline);
}
