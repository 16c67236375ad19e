/* The kernel that was under way when the program died has the groups that had ended. */
#include "proto/capture/opencl/recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "proto/capture/opencl/opencl_ring.h"

enum { LINE_BYTES = 400 };

struct fault ocl_makes_no_sense(void)
{
    return fault_at("capture", FAULT_NO_OFFSET, "the plugin's data are inconsistent; plugin and command must be of "
                    "one build");
}

static struct fault take_copy(struct ocl_recorder *recorder, const uint64_t *words, size_t count)
{
    struct ocl_told *const told = recorder->told;
    struct gpu_command command = {0};

    if (count != 3 || words[0] > 1)
        return ocl_makes_no_sense();
    command = (struct gpu_command){.kind = words[0] == 0 ? GPU_COPY_TO_DEVICE : GPU_COPY_TO_HOST,
                                   .line = told->kernels + told->copies + told->copies_back + 1,
                                   .address = words[1], .bytes = words[2]};
    told->copies += words[0] == 0;
    told->copies_back += words[0] == 1;
    *(words[0] == 0 ? &told->copied_bytes : &told->copied_back_bytes) += words[2];
    return gpu_store_writer_command(recorder->writer, &command, 0);
}

static bool put_key(struct ocl_recorder *recorder, const char *key, const char *value)
{
    struct gpu_header *const header = &recorder->kernel.header;
    struct gpu_header_key *const pair = &recorder->keys[header->other_count];

    if (header->other_count == OCL_KEYS_MAX)
        return true;
    *pair = (struct gpu_header_key){strdup(key), strdup(value)};
    header->other_count++;
    for (char *c = pair->value; c != NULL && *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return pair->key != NULL && pair->value != NULL;
}

static void free_header(struct ocl_recorder *recorder)
{
    struct gpu_header *const header = &recorder->kernel.header;

    for (size_t i = 0; i < header->other_count; i++) {
        free(recorder->keys[i].key);
        free(recorder->keys[i].value);
    }
    free(header->name);
    *header = (struct gpu_header){0};
}

/* Threads and blocks as the store can hold them. */
static struct fault take_geometry(struct gpu_header *header, const uint64_t *words)
{
    uint64_t threads = 1;

    for (int i = 0; i < 3; i++) {
        if (words[i] > UINT32_MAX || words[3 + i] == 0 || words[3 + i] > GPU_THREADS_MAX)
            return ocl_makes_no_sense();
        header->grid[i] = (uint32_t)words[i];
        header->block[i] = (uint32_t)words[3 + i];
        threads *= words[3 + i];
    }
    return threads <= GPU_THREADS_MAX ? fault_none() : fault_at("capture", FAULT_NO_OFFSET,
                                                                "a work-group has %" PRIu64 " work-items; expected at "
                                                                "most %u", threads, GPU_THREADS_MAX);
}

static struct fault take_kernel(struct ocl_recorder *recorder, const uint64_t *words, size_t count)
{
    struct gpu_header *const header = &recorder->kernel.header;
    bool const is_sass = recorder->warps.warp_size == 32;
    char name[1024], file[64];

    if (recorder->in_kernel || count < 8 || !ocl_take_text(words + 8, count - 8, name, sizeof name))
        return ocl_makes_no_sense();
    free_header(recorder);
    *header = (struct gpu_header){
        .name = strdup(name), .id = recorder->told->kernels + 1, .shmem_bytes = words[6],
        .nregs = (uint32_t)max_u64(1, min_u64(words[7], OCL_REGISTERS)), .binary_version = is_sass ? 70 : 100,
        .nvbit_version = "-1", .tracer_version = "4", .tracer_major = 4, .has_line_info = true,
        .warp_size = recorder->warps.warp_size, .isa = is_sass ? GPU_ISA_SASS : GPU_ISA_GCN3,
        .others = recorder->keys
    };
    if (header->name == NULL
        || !put_key(recorder, "capture", "Oclgrind's LLVM instructions; registers a thread are an estimate: words live "
                    "at once; lanes meet at immediate post-dominators"))
        return fault_memory("capture", NULL);
    FORWARD(take_geometry(header, words));
    ocl_code_begin(&recorder->code, recorder->kernel.header.isa);
    snprintf(file, sizeof file, "kernel-%" PRIu64 ".traceg", header->id);
    FORWARD(gpu_store_writer_kernel(recorder->writer, file, &recorder->kernel_number));
    recorder->in_kernel = true;
    recorder->is_ready = recorder->in_group = false;
    return gpu_store_writer_command(recorder->writer,
                                    &(struct gpu_command){.kind = GPU_KERNEL,
                                                          .line = ++recorder->told->kernels + recorder->told->copies
                                                                  + recorder->told->copies_back},
                                    recorder->kernel_number);
}

static struct fault take_argument(struct ocl_recorder *recorder, const uint64_t *words, size_t count)
{
    static const char *const spaces[] = {"value", "global memory at", "constant memory at", "local memory"};
    char key[32], name[200], value[LINE_BYTES];

    if (!recorder->in_kernel || count < 3 || words[0] > OCL_LOCAL || !ocl_take_text(words + 3, count - 3, name,
                                                                                   sizeof name))
        return ocl_makes_no_sense();
    snprintf(key, sizeof key, "argument %zu", recorder->kernel.header.other_count - 1);
    if (words[0] == OCL_LOCAL)
        snprintf(value, sizeof value, "%s, %s of %" PRIu64 " bytes", name, spaces[words[0]], words[2]);
    else
        snprintf(value, sizeof value, "%s, %s 0x%" PRIx64 "%s", name, spaces[words[0]], words[1],
                 words[2] > sizeof words[1] ? ", its first bytes" : "");
    return put_key(recorder, key, value) ? fault_none() : fault_memory("capture", NULL);
}

static struct fault end_kernel(struct ocl_recorder *recorder)
{
    struct gpu_kernel *const kernel = &recorder->kernel;

    recorder->in_kernel = false;
    recorder->told->groups_lost += recorder->in_group;
    recorder->in_group = false;
    kernel->statics = recorder->code.statics.items;
    kernel->static_count = recorder->code.statics.count;
    kernel->opcodes = recorder->code.opcodes;
    kernel->opcode_count = recorder->code.opcode_count;
    return gpu_store_writer_kernel_end(recorder->writer, kernel, 0, NULL, NULL);
}

static struct fault take_group(struct ocl_recorder *recorder, const uint64_t *words, size_t count)
{
    uint32_t id[3];

    if (!recorder->is_ready || recorder->in_group || count != 4 || words[3] == 0
        || words[3] > gpu_header_threads(&recorder->kernel.header))
        return ocl_makes_no_sense();
    for (int i = 0; i < 3; i++)
        id[i] = (uint32_t)words[i];
    recorder->in_group = true;
    return ocl_warps_begin(&recorder->warps, id, (size_t)words[3]);
}

static struct fault end_group(struct ocl_recorder *recorder)
{
    const struct gpu_block *block;

    if (!recorder->in_group)
        return ocl_makes_no_sense();
    recorder->in_group = false;
    FORWARD(ocl_warps_block(&recorder->warps, &block));
    return gpu_store_writer_block(recorder->writer, block);
}

static void take_trouble(struct ocl_recorder *recorder, const uint64_t *words, size_t count)
{
    char text[sizeof recorder->told->trouble];
    const char *line = text;

    if (recorder->told->troubles++ > 0 || !ocl_take_text(words, count, text, sizeof text))
        return;
    line += strspn(line, "\n\t ");
    snprintf(recorder->told->trouble, sizeof recorder->told->trouble, "%.*s", (int)strcspn(line, "\n"), line);
}

struct fault ocl_recorder_take(struct ocl_recorder *recorder, unsigned type, const uint64_t *words, size_t count)
{
    switch (type) {
    case OCL_COPY: return take_copy(recorder, words, count);
    case OCL_KERNEL: return take_kernel(recorder, words, count);
    case OCL_ARGUMENT: return take_argument(recorder, words, count);
    case OCL_INSTRUCTION:
        return recorder->in_kernel && !recorder->is_ready ? ocl_code_instruction(&recorder->code, words, count)
            : ocl_makes_no_sense();
    case OCL_PIECE:
        return recorder->in_kernel && !recorder->is_ready ? ocl_code_piece(&recorder->code, words, count)
            : ocl_makes_no_sense();
    case OCL_READY:
        recorder->is_ready = recorder->in_kernel;
        return ocl_code_end(&recorder->code);
    case OCL_GROUP: return take_group(recorder, words, count);
    case OCL_RUN:
        return recorder->in_group && count > 0 ? ocl_warps_run(&recorder->warps, words[0], words + 1, count - 1)
            : ocl_makes_no_sense();
    case OCL_GROUP_END: return end_group(recorder);
    case OCL_KERNEL_END:
        if (!recorder->is_ready || count != 2)
            return ocl_makes_no_sense();
        recorder->told->instructions += words[0];
        recorder->told->async_bytes += words[1];
        return end_kernel(recorder);
    case OCL_TROUBLE: take_trouble(recorder, words, count); return fault_none();
    default: return ocl_makes_no_sense();
    }
}

struct fault ocl_recorder_open(struct ocl_recorder *recorder, const char *output, unsigned warp_size,
                               struct ocl_told *told)
{
    struct fault fault = fault_none();

    recorder->told = told;
    recorder->warps.warp_size = warp_size;
    recorder->warps.code = &recorder->code;
    recorder->writer = gpu_store_writer_open(output, &fault);
    return recorder->writer != NULL ? fault_none() : fault;
}

static char *source_text(char *const *argv)
{
    static const char begin[] = "capture, oclgrind:";
    size_t length = sizeof begin;
    char *text;

    for (char *const *word = argv; *word != NULL; word++)
        length += strlen(*word) + 1;
    text = calloc(1, length);
    if (text != NULL)
        strcpy(text, begin);
    for (char *const *word = argv; text != NULL && *word != NULL; word++) {
        strcat(text, " ");
        strcat(text, *word);
    }
    return text;
}

struct fault ocl_recorder_finish(struct ocl_recorder *recorder, char *const *argv, struct fault so_far,
                                 uint64_t *bytes)
{
    struct gpu_store_writer *const writer = recorder->writer;
    struct store_source source = {0};

    if (so_far.kind == FAULT_NONE && recorder->in_kernel)
        so_far = end_kernel(recorder);
    recorder->writer = NULL;
    *bytes = gpu_store_writer_bytes(writer);
    if (so_far.kind == FAULT_NONE && !(source.path = source_text(argv)))
        so_far = fault_memory("capture", NULL);
    if (so_far.kind == FAULT_NONE)
        so_far = gpu_store_writer_finish(writer, &source, NULL, 0);
    else
        gpu_store_writer_abandon(writer);
    free(source.path);
    return so_far;
}

void ocl_recorder_free(struct ocl_recorder *recorder)
{
    if (recorder->writer != NULL)
        gpu_store_writer_abandon(recorder->writer);
    free_header(recorder);
    ocl_code_free(&recorder->code);
    ocl_warps_free(&recorder->warps);
}
