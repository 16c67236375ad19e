/* Reads a kernel's tables, and assembles its thread blocks chunk by chunk.
 *
 * A chunk's columns are checked as a whole when it is opened: every number refers to an existing entry, and all
 * assumptions of the consumers of a trace hold (masks within the warp's lanes, at most as many values as lanes). Then a
 * warp's executions are copies of shapes, into which bases and values are put. */
#include "proto/gpu/gpu_store_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "proto/gpu/gpu_text.h"
#include "proto/store/store_file.h"

struct shape {
    struct gpu_inst inst;            /* without base and values_at */
    bool has_base, has_list;
};

struct path {
    const uint8_t *steps;
    uint32_t length, values;         /* of a warp that goes through it */
};

struct list {
    const uint8_t *bytes;            /* `count` numbers of `width` bytes */
    uint8_t count, width;
};

struct gpu_stored {
    const struct gpu_store *store;
    struct gpu_store *own;           /* the same, to be closed with the kernel; or NULL */
    uint32_t number;
    struct gpu_chunk_index *chunks;
    size_t chunk_count, next_chunk;
    struct store_warnings warnings;
    enum gpu_step step;
    struct fault error;        /* of GPU_FAILED */

    /* the chunk at hand */
    const struct gpu_chunk_index *chunk;
    struct container_chunk part;
    struct shape *shapes;
    struct path *paths;
    struct list *lists;
    struct gpu_expected *expected;   /* of each static instruction */
    size_t shape_room, path_room, list_room;
    uint32_t shape_count, path_count, list_count, lists_met, blocks_left, id[3];
    struct gpu_cluster cluster;          /* of the block */
    uint64_t insts_left;
    unsigned step_width;
    struct column_bytes blocks, numbers;
    uint32_t path_of[GPU_STORE_WARPS_MAX];
};

static struct fault gpu_stored_no_memory(const struct gpu_stored *stored)
{
    return fault_memory(gpu_store_name(stored->store), "a kernel");
}

/* --- a kernel's tables -------------------------------------------------------------------------------------------- */

static uint32_t take_u32(struct column_bytes *meta)
{
    uint64_t const word = column_take_word(meta);

    meta->failed = meta->failed || word > UINT32_MAX;
    return (uint32_t)word;
}

static void take_others(struct column_bytes *meta, struct gpu_header *header)
{
    uint64_t const count = store_meta_take_count(meta, 16);

    header->others = calloc(count + 1, sizeof *header->others);
    if (header->others == NULL)
        meta->failed = true;
    while (!meta->failed && header->other_count < count) {
        struct gpu_header_key *const other = &header->others[header->other_count++];

        other->key = store_meta_take_new_text(meta);
        other->value = store_meta_take_new_text(meta);
    }
}

static void take_header(struct column_bytes *meta, struct gpu_header *header)
{
    uint32_t isa;

    header->name = store_meta_take_new_text(meta);
    header->id = column_take_word(meta);
    header->stream = column_take_word(meta);
    for (int i = 0; i < 3; i++)
        header->grid[i] = take_u32(meta);
    for (int i = 0; i < 3; i++)
        header->block[i] = take_u32(meta);
    header->shmem_bytes = column_take_word(meta);
    header->nregs = take_u32(meta);
    header->binary_version = take_u32(meta);
    header->shmem_base = column_take_word(meta);
    header->local_base = column_take_word(meta);
    store_meta_take_text(meta, header->nvbit_version, sizeof header->nvbit_version);
    store_meta_take_text(meta, header->tracer_version, sizeof header->tracer_version);
    header->tracer_major = take_u32(meta);
    header->has_line_info = column_take_word(meta) != 0;
    header->warp_size = take_u32(meta);
    isa = take_u32(meta);
    header->isa = isa < GPU_ISA_COUNT ? (enum gpu_isa)isa : GPU_ISA_SASS;
    header->max_blocks = take_u32(meta);
    take_others(meta, header);
    for (int i = 0; i < 3; i++)
        meta->failed = meta->failed || header->block[i] > GPU_THREADS_MAX;
    meta->failed = meta->failed || isa >= GPU_ISA_COUNT || (header->warp_size != 32 && header->warp_size != 64)
        || gpu_header_threads(header) > GPU_THREADS_MAX;
}

static void take_warnings(struct column_bytes *meta, struct gpu_kernel *kernel)
{
    struct gpu_stored *const stored = kernel->reader;
    struct store_warnings *const warnings = &stored->warnings;
    uint64_t const at_opening = column_take_word(meta), count = store_meta_take_count(meta, 8);

    warnings->texts = calloc(count + 1, sizeof *warnings->texts);
    if (warnings->texts == NULL || at_opening > count)
        meta->failed = true;
    for (; !meta->failed && warnings->count < count; warnings->count++)
        warnings->texts[warnings->count] = store_meta_take_new_text(meta);
    kernel->warnings = warnings->texts;
    kernel->warning_count = (size_t)at_opening;
}

/* Classified again when read, so that a store is equal to its text. */
static void take_opcodes(struct column_bytes *meta, struct gpu_kernel *kernel)
{
    uint64_t const count = store_meta_take_count(meta, 2 * 8);

    kernel->opcodes = calloc(count + 1, sizeof *kernel->opcodes);
    if (kernel->opcodes == NULL || count > UINT16_MAX + 1)
        meta->failed = true;
    while (!meta->failed && kernel->opcode_count < count) {
        struct gpu_opcode *const opcode = &kernel->opcodes[kernel->opcode_count++];
        char text[sizeof opcode->text] = "";
        bool has_addresses;

        store_meta_take_text(meta, text, sizeof text);
        has_addresses = column_take_word(meta) != 0;
        gpu_opcode_classify(opcode, text, kernel->header.isa, kernel->header.binary_version, has_addresses);
    }
}

/* At most `highest`. */
static uint64_t take_small(struct column_bytes *from, uint64_t highest)
{
    uint64_t const number = store_varint(from, false);

    from->failed = from->failed || number > highest;
    return number;
}

static void take_static(struct column_bytes *from, struct gpu_static *one, uint64_t *pc, size_t opcode_count)
{
    uint64_t destinations;

    *pc += bits_unzigzag(store_varint(from, false));
    one->pc = *pc;
    one->immediate = (int64_t)bits_unzigzag(store_varint(from, false));
    one->line = (uint32_t)take_small(from, UINT32_MAX);
    one->opcode = (uint16_t)take_small(from, opcode_count - 1);
    one->width_bytes = (uint16_t)take_small(from, GPU_MAX_WIDTH);
    one->traced_width = (uint16_t)take_small(from, UINT16_MAX);
    destinations = take_small(from, GPU_STORE_COMMITS + GPU_MAX_REGISTERS);
    one->commits_group = destinations >= GPU_STORE_COMMITS;
    one->destination_count = (uint8_t)(destinations % GPU_STORE_COMMITS);
    one->source_count = (uint8_t)take_small(from, GPU_MAX_REGISTERS);
    if (one->destination_count > GPU_MAX_REGISTERS || one->destination_count + one->source_count > GPU_MAX_REGISTERS
        || (one->width_bytes == 0) != (one->traced_width == 0))
        from->failed = true;
    for (int i = 0; !from->failed && i < one->destination_count + one->source_count; i++)
        one->registers[i] = (uint16_t)take_small(from, GPU_STORE_REGISTERS - 1);
}

static void take_statics(struct column_bytes *meta, struct gpu_kernel *kernel)
{
    struct gpu_stored *const stored = kernel->reader;
    uint64_t const count = column_take_word(meta), bytes = store_meta_take_count(meta, 1);
    struct column_bytes from = {.at = meta->at, .end = meta->at + bytes};
    uint64_t pc = 0;

    /* each has at least 8 bytes */
    if (count > bytes / 8 || count > UINT32_MAX || (count > 0 && kernel->opcode_count == 0)) {
        meta->failed = true;
        return;
    }
    meta->at += bytes;
    kernel->statics = calloc(count + 1, sizeof *kernel->statics);
    stored->expected = calloc(count + 1, sizeof *stored->expected);
    if (kernel->statics == NULL || stored->expected == NULL) {
        meta->failed = true;
        return;
    }
    while (!from.failed && kernel->static_count < count)
        take_static(&from, &kernel->statics[kernel->static_count++], &pc, kernel->opcode_count);
    meta->failed = meta->failed || from.failed || from.at != from.end;
}

/* Chunks follow each other in blocks; sums as meta says. */
static void take_chunks(struct column_bytes *meta, struct gpu_stored *stored)
{
    const struct gpu_store_kernel *const about = &gpu_store_about(stored->store)->kernels[stored->number];
    uint64_t const count = store_meta_take_count(meta, 8 * GPU_CHUNK_INDEX_WORDS);
    uint64_t insts = 0;

    stored->chunks = calloc(count + 1, sizeof *stored->chunks);
    if (stored->chunks == NULL)
        meta->failed = true;
    while (!meta->failed && stored->chunk_count < count) {
        struct gpu_chunk_index *const chunk = &stored->chunks[stored->chunk_count];
        uint64_t const before = stored->chunk_count > 0 ? chunk[-1].first_block : 0;

        chunk->place = column_take_word(meta);
        chunk->first_block = column_take_word(meta);
        chunk->insts = column_take_word(meta);
        if (chunk->first_block >= about->blocks
            || (stored->chunk_count == 0 ? chunk->first_block != 0 : chunk->first_block <= before)
            || !add_u64(insts, chunk->insts, &insts))
            meta->failed = true;
        stored->chunk_count++;
    }
    meta->failed = meta->failed || insts != about->insts || (count == 0) != (about->blocks == 0);
}

static struct fault read_tables(struct gpu_kernel *kernel)
{
    struct gpu_stored *const stored = kernel->reader;
    const struct gpu_store_kernel *const about = &gpu_store_about(stored->store)->kernels[stored->number];
    struct container_chunk chunk;
    struct column_bytes meta;

    FORWARD(gpu_store_part(stored->store, about->place, GPU_STORE_TABLES, &chunk));
    meta = (struct column_bytes){.at = chunk.bytes, .end = chunk.bytes + chunk.length};
    meta.failed = column_take_word(&meta) != stored->number;
    if (!meta.failed)
        take_header(&meta, &kernel->header);
    if (!meta.failed)
        take_warnings(&meta, kernel);
    if (!meta.failed)
        take_opcodes(&meta, kernel);
    if (!meta.failed)
        take_statics(&meta, kernel);
    if (!meta.failed)
        take_chunks(&meta, stored);
    return (!meta.failed && meta.at == meta.end) ? fault_none() : gpu_store_damaged(stored->store, about->place,
                                                                                 "tables of a kernel make no sense, "
                                                                                 "or memory is short");
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static void close_stored(struct gpu_kernel *kernel);
static enum gpu_step next_of_stored(struct gpu_kernel *kernel, struct gpu_block **block, struct fault *error);

static const struct gpu_format stored_format = {.next_block = next_of_stored, .close = close_stored};

struct fault gpu_store_kernel_open(const struct gpu_store *store, size_t number, struct gpu_kernel *kernel)
{
    struct fault fault = fault_none();
    const char *const folder = gpu_store_name(store), *const file = gpu_store_about(store)->kernels[number].file;
    size_t const length = strlen(folder) + strlen(file) + 2;

    struct gpu_stored *const stored = calloc(1, sizeof *stored);

    *kernel = (struct gpu_kernel){.file = malloc(length), .format = &stored_format, .reader = stored};
    if (kernel->file == NULL || stored == NULL) {
        free(kernel->file);
        free(stored);
        *kernel = (struct gpu_kernel){0};
        return fault_memory(folder, NULL);
    }
    strcpy(kernel->file, folder);
    strcat(strcat(kernel->file, "/"), file);
    stored->store = store;
    stored->number = (uint32_t)number;
    if (WORKS(fault, read_tables(kernel)))
        return fault_none();
    gpu_kernel_close(kernel);
    return fault;
}

static bool find_kernel(const struct gpu_store *store, const char *file, size_t *number)
{
    const struct gpu_store_about *const about = gpu_store_about(store);

    for (*number = 0; *number < about->kernel_count; ++*number)
        if (strcmp(about->kernels[*number].file, file) == 0)
            return true;
    return false;
}

struct fault gpu_stored_open(struct gpu_kernel *kernel, const char *folder, const char *file, bool *is_store)
{
    struct fault fault = fault_none();
    size_t const length = strlen(folder);
    char *const path = length > 1 && folder[length - 1] == '/' ? strndup(folder, length - 1) : NULL;
    struct gpu_store *store;
    size_t number;

    *is_store = path != NULL && gpu_store_detect(path);
    if (!*is_store) {
        free(path);
        return fault_none();
    }
    store = gpu_store_open(path, &fault);
    free(path);
    if (store == NULL)
        return fault;
    if (!find_kernel(store, file, &number))
        fault = fault_at(gpu_store_name(store), FAULT_NO_OFFSET, "holds no kernel %s; name one that it holds", file);
    else if (WORKS(fault, gpu_store_kernel_open(store, number, kernel))) {
        ((struct gpu_stored *)kernel->reader)->own = store;
        return fault_none();
    }
    gpu_store_close(store);
    return fault;
}

static void close_stored(struct gpu_kernel *kernel)
{
    struct gpu_stored *const stored = kernel->reader;

    for (size_t i = 0; i < stored->warnings.count; i++)
        free(stored->warnings.texts[i]);
    free(stored->warnings.texts);
    free(stored->chunks);
    free(stored->shapes);
    free(stored->paths);
    free(stored->lists);
    free(stored->expected);
    gpu_store_close(stored->own);
    free(stored);
    free(kernel->statics);
    free(kernel->opcodes);
}

/* --- a chunk ------------------------------------------------------------------------------------------------------ */

static struct fault damaged(const struct gpu_stored *stored, const char *what)
{
    return gpu_store_damaged(stored->store, stored->chunk->place, what);
}

/* Room for `count` things that hold nothing yet. */
static bool fit_empty(void **things, size_t *room, size_t count, size_t bytes)
{
    if (count <= *room)
        return true;
    free(*things);
    *things = malloc(count * bytes);
    *room = *things != NULL ? count : 0;
    return *things != NULL;
}

/* The same checks as in the reader of text. */
static bool gpu_stored_is_sound(const struct gpu_inst *inst, uint64_t flags, const struct gpu_static *fixed,
                                uint32_t warp_size)
{
    unsigned const lanes = (unsigned)__builtin_popcountll(inst->mask);

    if ((warp_size < 64 && inst->mask >> warp_size != 0)
        || (inst->mode == GPU_ADDRESS_NONE) != (fixed->traced_width == 0))
        return false;
    switch (inst->mode) {
    case GPU_ADDRESS_LIST: return inst->value_count <= lanes;
    case GPU_ADDRESS_DELTAS: return inst->value_count == 0 || inst->value_count < lanes;
    case GPU_ADDRESS_STRIDE: return inst->value_count == 0;
    default: return inst->value_count == 0 && (flags & GPU_SHAPE_HAS_BASE) == 0;
    }
}

static bool take_shapes(struct gpu_stored *stored, const struct gpu_kernel *kernel, struct column_bytes from)
{
    for (uint32_t i = 0; i < stored->shape_count; i++) {
        struct shape *const shape = &stored->shapes[i];
        uint64_t flags;

        *shape = (struct shape){.inst = {.index = (uint32_t)take_small(&from, kernel->static_count - 1)}};
        flags = take_small(&from, GPU_SHAPE_MODE | GPU_SHAPE_HAS_BASE);
        shape->inst.mode = flags & GPU_SHAPE_MODE;
        shape->inst.mask = store_varint(&from, false);
        shape->inst.value_count = (uint8_t)take_small(&from, GPU_MAX_LANES);
        if (shape->inst.mode == GPU_ADDRESS_STRIDE)
            shape->inst.stride = (int64_t)bits_unzigzag(store_varint(&from, false));
        shape->has_base = (flags & GPU_SHAPE_HAS_BASE) != 0;
        shape->has_list = shape->inst.value_count > 0;
        if (from.failed || !gpu_stored_is_sound(&shape->inst, flags, &kernel->statics[shape->inst.index],
                                             kernel->header.warp_size)) return false;
    }
    return from.at == from.end;
}

STORE_INLINE uint32_t step_at(const uint8_t *steps, uint32_t number, unsigned width)
{
    return width == 2 ? bits_load16(steps + 2 * (size_t)number) : bits_load32(steps + 4 * (size_t)number);
}

static bool take_paths(struct gpu_stored *stored, struct column_bytes lengths, const uint8_t *steps, uint32_t left)
{
    for (uint32_t i = 0; i < stored->path_count; i++) {
        struct path *const path = &stored->paths[i];

        *path = (struct path){.steps = steps, .length = (uint32_t)take_small(&lengths, left)};
        if (lengths.failed)
            return false;
        for (uint32_t j = 0; j < path->length; j++) {
            uint32_t const number = step_at(steps, j, stored->step_width);

            if (number >= stored->shape_count)
                return false;
            path->values += stored->shapes[number].inst.value_count;
        }
        if (path->length > UINT32_MAX / GPU_MAX_LANES)
            return false;
        left -= path->length;
        steps += (size_t)path->length * stored->step_width;
    }
    return left == 0 && lengths.at == lengths.end;
}

static bool take_lists(struct gpu_stored *stored, const uint8_t *at, const uint8_t *end)
{
    for (uint32_t i = 0; i < stored->list_count; i++) {
        struct list *const list = &stored->lists[i];

        if (end - at < 2)
            return false;
        *list = (struct list){.count = at[0], .width = at[1], .bytes = at + 2};
        if (list->count > GPU_MAX_LANES || list->width == 0 || list->width > 8
            || end - list->bytes < list->count * list->width)
            return false;
        at = list->bytes + list->count * list->width;
    }
    return at == end;
}

static bool make_rooms(struct gpu_stored *stored)
{
    return fit_empty((void **)&stored->shapes, &stored->shape_room, stored->shape_count, sizeof *stored->shapes)
        && fit_empty((void **)&stored->paths, &stored->path_room, stored->path_count, sizeof *stored->paths)
        && fit_empty((void **)&stored->lists, &stored->list_room, stored->list_count, sizeof *stored->lists);
}

/* Is it the chunk that its index names? */
static bool is_that_chunk(const struct gpu_stored *stored, const uint64_t words[GPU_CHUNK_WORDS])
{
    const struct gpu_chunk_index *const chunk = stored->chunk;
    uint64_t const behind = stored->next_chunk < stored->chunk_count ? chunk[1].first_block
        : gpu_store_about(stored->store)->kernels[stored->number].blocks;

    return words[GPU_CHUNK_KERNEL] == stored->number
        && (words[GPU_CHUNK_FIRST_BLOCK_HIGH] << 32 | words[GPU_CHUNK_FIRST_BLOCK_LOW]) == chunk->first_block
        && words[GPU_CHUNK_BLOCKS] == behind - chunk->first_block && words[GPU_CHUNK_INSTS] == chunk->insts;
}

/* The columns add up to the chunk's bytes; counts are at most the number of their columns' bytes, so that a false count
 * cannot cause a large allocation. */
static bool columns_fit(const uint64_t words[GPU_CHUNK_WORDS], uint64_t bytes, size_t static_count)
{
    uint64_t const width = words[GPU_CHUNK_STEP_WIDTH];

    return (width == 2 || width == 4)
        && words[GPU_CHUNK_SHAPE_BYTES] + words[GPU_CHUNK_LENGTH_BYTES] + words[GPU_CHUNK_STEPS] * width
            + words[GPU_CHUNK_LIST_BYTES] + words[GPU_CHUNK_BLOCK_BYTES] + words[GPU_CHUNK_NUMBER_BYTES] == bytes
        && words[GPU_CHUNK_SHAPES] <= words[GPU_CHUNK_SHAPE_BYTES]
        && words[GPU_CHUNK_PATHS] <= words[GPU_CHUNK_LENGTH_BYTES]
        && words[GPU_CHUNK_LISTS] <= words[GPU_CHUNK_LIST_BYTES]
        && (static_count > 0 || words[GPU_CHUNK_SHAPES] == 0);
}

static struct fault gpu_stored_place_columns(struct gpu_stored *stored, const struct gpu_kernel *kernel)
{
    const uint8_t *at = stored->part.bytes;
    const uint8_t *const end = at + stored->part.length;
    const uint8_t *shapes, *lengths, *steps, *lists, *blocks, *numbers;
    uint64_t words[GPU_CHUNK_WORDS];

    if (stored->part.length < 4 * GPU_CHUNK_WORDS)
        return damaged(stored, "part that begins here is no chunk");
    for (unsigned i = 0; i < GPU_CHUNK_WORDS; i++, at += 4)
        words[i] = bits_load32(at);
    if (!is_that_chunk(stored, words))
        return damaged(stored, "part that begins here is another chunk than its index says");
    if (!columns_fit(words, (uint64_t)(end - at), kernel->static_count))
        return damaged(stored, "chunk that begins here has columns that do not fit it");
    shapes = at;
    lengths = shapes + words[GPU_CHUNK_SHAPE_BYTES];
    steps = lengths + words[GPU_CHUNK_LENGTH_BYTES];
    lists = steps + words[GPU_CHUNK_STEPS] * words[GPU_CHUNK_STEP_WIDTH];
    blocks = lists + words[GPU_CHUNK_LIST_BYTES];
    numbers = blocks + words[GPU_CHUNK_BLOCK_BYTES];
    stored->shape_count = (uint32_t)words[GPU_CHUNK_SHAPES];
    stored->path_count = (uint32_t)words[GPU_CHUNK_PATHS];
    stored->list_count = (uint32_t)words[GPU_CHUNK_LISTS];
    stored->step_width = (unsigned)words[GPU_CHUNK_STEP_WIDTH];
    stored->blocks_left = (uint32_t)words[GPU_CHUNK_BLOCKS];
    stored->insts_left = words[GPU_CHUNK_INSTS];
    stored->blocks = (struct column_bytes){.at = blocks, .end = numbers};
    stored->numbers = (struct column_bytes){.at = numbers, .end = end};
    if (!make_rooms(stored))
        return gpu_stored_no_memory(stored);
    return (take_shapes(stored, kernel, (struct column_bytes){.at = shapes, .end = lengths})
            && take_paths(stored, (struct column_bytes){.at = lengths, .end = steps}, steps,
                          (uint32_t)words[GPU_CHUNK_STEPS])
            && take_lists(stored, lists, blocks))
               ? fault_none()
               : damaged(stored, "chunk that begins here makes no sense");
}

static struct fault open_chunk(struct gpu_stored *stored, const struct gpu_kernel *kernel)
{
    if (stored->chunk != NULL)
        gpu_store_forget(stored->store, stored->part.offset, container_chunk_end(&stored->part));
    stored->chunk = &stored->chunks[stored->next_chunk++];
    FORWARD(gpu_store_part(stored->store, stored->chunk->place, GPU_STORE_BLOCKS, &stored->part));
    memset(stored->expected, 0, kernel->static_count * sizeof *stored->expected);
    memset(stored->id, 0, sizeof stored->id);
    stored->lists_met = 0;
    return gpu_stored_place_columns(stored, kernel);
}

/* --- a thread block ----------------------------------------------------------------------------------------------- */

/* Values of an execution behind its base; false: the number names no list that fits. */
static bool gpu_stored_put_list(struct gpu_stored *stored, const struct gpu_inst *inst, uint64_t code, int64_t *values)
{
    uint64_t const number = code == 0 ? stored->lists_met : code - 1;
    unsigned const wanted = gpu_listed_values(inst);
    bool const is_list = inst->mode == GPU_ADDRESS_LIST;
    const struct list *list;
    uint64_t low_bytes, address = inst->base;

    stored->lists_met += code == 0;
    if (number >= stored->list_count)
        return false;
    list = &stored->lists[number];
    if (list->count != wanted)
        return false;
    low_bytes = bits_low_bytes(UINT64_MAX, list->width);
    if (is_list)
        *values++ = (int64_t)address;
    for (unsigned i = 0; i < wanted; i++) {
        uint64_t const value = bits_unzigzag(bits_load64(list->bytes + i * list->width) & low_bytes);

        address += value;
        values[i] = (int64_t)(is_list ? address : value);
    }
    return true;
}

/* The executions of a warp. `is_safe`, a constant: the numbers have as many bytes as varints can have. */
STORE_INLINE bool put_warp(struct gpu_stored *stored, const struct path *path, struct gpu_inst *insts, int64_t *values,
                           uint32_t *value_count, bool is_safe, unsigned width)
{
    struct column_bytes numbers = stored->numbers;
    const struct shape *const shapes = stored->shapes;

    for (uint32_t i = 0; i < path->length; i++) {
        const struct shape *const shape = &shapes[step_at(path->steps, i, width)];
        struct gpu_inst *const inst = &insts[i];

        *inst = shape->inst;
        if (shape->has_base) {
            struct gpu_expected *const expected = &stored->expected[inst->index];

            inst->base = gpu_expected_base(expected) + bits_unzigzag(store_varint(&numbers, is_safe));
            gpu_expected_met(expected, inst->base);
        }
        inst->values_at = *value_count;
        if (shape->has_list) {
            if (gpu_listed_values(inst) == 0)
                values[*value_count] = (int64_t)inst->base;
            else if (!gpu_stored_put_list(stored, inst, store_varint(&numbers, is_safe), values + *value_count))
                return false;
            *value_count += inst->value_count;
        }
    }
    stored->numbers = numbers;
    return !numbers.failed;
}

static bool put_any_warp(struct gpu_stored *stored, const struct path *path, struct gpu_inst *insts, int64_t *values,
                         uint32_t *value_count)
{
    bool const is_safe = store_varints_have(&stored->numbers, 2 * (uint64_t)path->length);

    if (stored->step_width == 2)
        return is_safe ? put_warp(stored, path, insts, values, value_count, true, 2)
                       : put_warp(stored, path, insts, values, value_count, false, 2);
    return is_safe ? put_warp(stored, path, insts, values, value_count, true, 4)
                   : put_warp(stored, path, insts, values, value_count, false, 4);
}

struct sizes {
    uint32_t warps;
    uint64_t insts, values;
};

static void take_cluster(struct gpu_stored *stored, bool is_there)
{
    struct gpu_cluster *const cluster = &stored->cluster;

    *cluster = (struct gpu_cluster){0};
    for (int i = 0; is_there && i < 3; i++)
        cluster->id[i] = (uint32_t)take_small(&stored->blocks, UINT32_MAX);
    for (int i = 0; is_there && i < 3; i++)
        cluster->block[i] = (uint32_t)take_small(&stored->blocks, GPU_CLUSTER_MAX - 1);
    if (is_there)
        cluster->rank = (uint32_t)take_small(&stored->blocks, GPU_CLUSTER_MAX - 1);
}

static bool take_block(struct gpu_stored *stored, struct sizes *sizes)
{
    struct column_bytes *const from = &stored->blocks;

    *sizes = (struct sizes){0};
    for (int i = 0; i < 3; i++)
        stored->id[i] += (uint32_t)bits_unzigzag(store_varint(from, false));
    sizes->warps = (uint32_t)take_small(from, GPU_STORE_HAS_CLUSTER + GPU_STORE_WARPS_MAX);
    take_cluster(stored, sizes->warps >= GPU_STORE_HAS_CLUSTER);
    sizes->warps %= GPU_STORE_HAS_CLUSTER;
    if (from->failed || sizes->warps > GPU_STORE_WARPS_MAX)
        return false;
    for (uint32_t i = 0; i < sizes->warps; i++) {
        uint32_t const number = (uint32_t)take_small(from, (uint64_t)stored->path_count - 1);

        if (from->failed || stored->path_count == 0)
            return false;
        stored->path_of[i] = number;
        sizes->insts += stored->paths[number].length;
        sizes->values += stored->paths[number].values;
    }
    return sizes->insts <= stored->insts_left && sizes->values <= UINT32_MAX;
}

static bool gpu_stored_put_block(struct gpu_stored *stored, struct gpu_block *block)
{
    struct gpu_inst *insts = gpu_block_insts(block);
    uint32_t value_count = 0;

    for (uint32_t i = 0; i < block->warp_count; i++) {
        const struct path *const path = &stored->paths[stored->path_of[i]];

        block->warps[i] = (struct gpu_warp_list){.insts = insts, .count = path->length};
        if (!put_any_warp(stored, path, insts, (int64_t *)(uintptr_t)block->values, &value_count))
            return false;
        insts += path->length;
    }
    return true;
}

/* Behind the last block of a chunk nothing is left. */
static bool is_used_up(const struct gpu_stored *stored)
{
    return stored->blocks_left > 0
        || (stored->insts_left == 0 && stored->blocks.at == stored->blocks.end
            && stored->numbers.at == stored->numbers.end);
}

static enum gpu_step gpu_stored_next_block(struct gpu_stored *stored, struct gpu_kernel *kernel,
                                           struct gpu_block **block, struct fault *error)
{
    struct sizes sizes;

    if (stored->blocks_left == 0 && stored->next_chunk == stored->chunk_count)
        return GPU_NO_BLOCK;
    if (stored->blocks_left == 0 && FAILS(*error, open_chunk(stored, kernel)))
        return GPU_FAILED;
    stored->blocks_left--;
    if (take_block(stored, &sizes)) {
        stored->insts_left -= sizes.insts;
        *block = gpu_block_new(stored->id, sizes.warps, sizes.insts, sizes.values);
        if (*block == NULL) {
            *error = gpu_stored_no_memory(stored);
            return GPU_FAILED;
        }
        (*block)->cluster = stored->cluster;
        if (gpu_stored_put_block(stored, *block) && is_used_up(stored)) {
            kernel->blocks_read++;
            return GPU_BLOCK;
        }
        gpu_block_free(*block);
        *block = NULL;
    }
    *error = damaged(stored, "chunk that begins here makes no sense");
    return GPU_FAILED;
}

static enum gpu_step next_of_stored(struct gpu_kernel *kernel, struct gpu_block **block, struct fault *error)
{
    struct gpu_stored *const stored = kernel->reader;

    *block = NULL;
    if (stored->step == GPU_BLOCK)
        stored->step = gpu_stored_next_block(stored, kernel, block, &stored->error);
    if (stored->step == GPU_FAILED)
        *error = stored->error;
    if (stored->step == GPU_NO_BLOCK)
        kernel->warning_count = stored->warnings.count;
    return stored->step;
}
