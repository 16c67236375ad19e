/* Opening: head, trailer, index, then the chunks that the index names. Salvaging: chunk by chunk from the head on, as
 * long as they are whole; behind a damaged one the next head is looked for. */
#include "proto/insn/rbt/rbt_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "base/list.h"
#include "proto/insn/rbt/rbt_memory.h"

#define MOST_TEXT 4096
#define MOST_PAGE_COLUMN ((size_t)1 << 30)

/* ---- pieces */

static struct fault rbt_file_no_memory(const struct rbt_file *file)
{
    return fault_memory(file->in.name, "an instruction trace");
}

static struct column_bytes rbt_file_bytes_of(const struct container_chunk *place)
{
    return (struct column_bytes){place->bytes, place->bytes + place->length, false};
}

static struct fault damaged(const struct rbt_file *file, const struct container_chunk *place, const char *what)
{
    return fault_at(file->in.name, place->offset, "%s in a chunk whose hash is right; the file was not written by this "
                    "program", what);
}

/* Takes a text, without terminal control characters. NULL: damaged, or no memory. */
static char *rbt_file_take_text(struct column_bytes *bytes)
{
    uint64_t const length = column_take_number(bytes);
    const uint8_t *const at = length <= MOST_TEXT ? column_take_bytes(bytes, (size_t)length) : NULL;

    char *const text = at && !bytes->failed ? strndup((const char *)at, (size_t)length) : NULL;

    for (char *c = text; c && *c; c++)
        if ((*c >= 0 && *c < ' ') || *c == 127)
            *c = '?';
    return text;
}

/* ---- chunks */

static struct fault take_description(struct rbt_file *file, const struct container_chunk *place)
{
    struct column_bytes bytes = rbt_file_bytes_of(place);
    uint64_t lacks;
    bool is_meaning = true;

    if (file->isa_name)
        return damaged(file, place, "a second description");
    file->isa_name = rbt_file_take_text(&bytes);
    lacks = column_take_number(&bytes);
    file->lacks = (uint32_t)lacks;
    file->source = rbt_file_take_text(&bytes);
    file->command = rbt_file_take_text(&bytes);
    if (!bytes.failed && bytes.at < bytes.end)
        is_meaning = insn_meaning_of_number(column_take_number(&bytes), &file->meaning);
    if (!file->isa_name || !file->source || !file->command || bytes.failed || !is_meaning
        || lacks >> INSN_LACK_COUNT != 0)
        return damaged(file, place, "a description that is none");
    return fault_none();
}

static struct fault take_dictionary(struct rbt_file *file, const struct container_chunk *place)
{
    struct columns_unpacked unpacked = {0};
    const char *const wrong = rbt_dictionary_take(&file->dictionary, &unpacked, rbt_file_bytes_of(place));
    char what[96];

    columns_unpacked_free(&unpacked);
    if (!wrong)
        return fault_none();
    if (!*wrong)
        return rbt_file_no_memory(file);
    snprintf(what, sizeof what, "damaged %s", wrong);
    return damaged(file, place, what);
}

static struct fault take_notes(struct rbt_file *file, const struct container_chunk *place)
{
    struct column_bytes bytes = rbt_file_bytes_of(place);
    uint64_t const count = column_take_number(&bytes);

    for (uint64_t i = 0; i < count; i++) {
        bool const has_room = list_fit(&file->notes, file->note_count + 1, &file->note_room, sizeof *file->notes);
        char *const name = rbt_file_take_text(&bytes);
        uint64_t const number = column_take_number(&bytes);

        if (!has_room || !name || bytes.failed) {
            free(name);
            return damaged(file, place, "damaged notes");
        }
        file->notes[file->note_count++] = (struct insn_note){name, number};
    }
    return !bytes.failed ? fault_none() : damaged(file, place, "damaged notes");
}

static struct fault note_offset(struct rbt_file *file, uint64_t **list, size_t *count, size_t *room, uint64_t offset)
{
    if (!list_fit(list, *count + 1, room, sizeof **list))
        return rbt_file_no_memory(file);
    (*list)[(*count)++] = offset;
    return fault_none();
}

static struct fault add_thread(struct rbt_file *file, uint64_t id, uint64_t first_stamp)
{
    if (!list_fit(&file->threads, file->thread_count + 1, &file->thread_room, sizeof *file->threads))
        return rbt_file_no_memory(file);
    file->threads[file->thread_count++] = (struct rbt_thread){.id = id, .first_stamp = first_stamp};
    return fault_none();
}

static struct fault add_block(struct rbt_file *file, struct rbt_thread *thread, struct rbt_block_place place)
{
    if (!list_fit(&thread->blocks, thread->block_count + 1, &thread->block_room, sizeof *thread->blocks))
        return rbt_file_no_memory(file);
    place.first = thread->insns;
    thread->blocks[thread->block_count++] = place;
    thread->insns += place.insns;
    thread->fetched += place.fetched;
    return fault_none();
}

static bool restarts(const struct rbt_block_head *head)
{
    return (head->flags & RBT_BLOCK_RESTARTS) != 0;
}

static bool take_head(struct column_bytes bytes, struct rbt_block_head *head)
{
    head->thread = column_take_number(&bytes);
    head->id = column_take_number(&bytes);
    head->first_stamp = column_take_number(&bytes);
    head->flags = column_take_number(&bytes);
    head->rows = column_take_number(&bytes);
    head->runs = column_take_number(&bytes);
    head->first = column_take_number(&bytes);
    head->insns = column_take_number(&bytes);
    head->fetched = column_take_number(&bytes);
    head->columns = bytes;
    return !bytes.failed && head->insns <= RBT_BLOCK_INSNS
        && (head->flags & ~(uint64_t)(RBT_BLOCK_RESTARTS | RBT_BLOCK_BY_SUCCESSORS)) == 0;
}

/* Of all chunks but blocks. */
static struct fault take_chunk(struct rbt_file *file, const struct container_chunk *place)
{
    switch (place->kind) {
    case RBT_DESCRIPTION: return take_description(file, place);
    case RBT_DICTIONARY: return take_dictionary(file, place);
    case RBT_NOTES: return take_notes(file, place);
    case RBT_IMAGE:
        return note_offset(file, &file->images, &file->image_count, &file->image_room, place->offset);
    case RBT_PAGES:
        return note_offset(file, &file->pages, &file->page_chunk_count, &file->page_chunk_room, place->offset);
    case RBT_PROGRAM:
        if (file->program != 0)
            return damaged(file, place, "a second program");
        file->program = place->offset;
        return fault_none();
    default: return damaged(file, place, "an unexpected kind of chunk");
    }
}

/* ---- by the index */

static struct fault rbt_file_look(const struct rbt_file *file, uint64_t offset, bool hashes,
                                  struct container_chunk *place)
{
    return container_chunk_at(&file->in, &rbt_kind, offset, hashes, place);
}

static struct fault take_place(struct rbt_file *file, const struct container_chunk *index, struct column_bytes *bytes,
                               uint64_t *offset)
{
    unsigned const kind = column_take_byte(bytes);
    struct rbt_block_place block = {.offset = *offset + column_take_number(bytes)};
    struct container_chunk place;
    uint64_t thread, insns, restarts;

    *offset = block.offset;
    if (bytes->failed)
        return damaged(file, index, "an index that ends early");
    FORWARD(rbt_file_look(file, *offset, kind != RBT_BLOCK && kind != RBT_IMAGE && kind != RBT_PROGRAM,
                          &place));
    if (place.kind != kind || kind == RBT_INDEX)
        return damaged(file, index, "the place of a chunk of another kind");
    file->chunk_bytes[kind] += container_chunk_end(&place) - place.offset;
    if (kind != RBT_BLOCK)
        return take_chunk(file, &place);
    thread = column_take_number(bytes);
    restarts = column_take_number(bytes);
    insns = column_take_number(bytes);
    block.fetched = column_take_number(bytes);
    if (bytes->failed || thread >= file->thread_count || restarts > 1 || insns > RBT_BLOCK_INSNS)
        return damaged(file, index, "the place of a block that cannot be");
    block.restarts = restarts;
    block.insns = (uint32_t)insns;
    return add_block(file, &file->threads[thread], block);
}

static struct fault take_index(struct rbt_file *file, const struct container_chunk *index)
{
    struct column_bytes bytes = rbt_file_bytes_of(index);
    uint64_t const lacks = column_take_number(&bytes), threads = column_take_number(&bytes);
    uint64_t offset = 0, places;

    for (uint64_t i = 0; i < threads; i++) {
        uint64_t const id = column_take_number(&bytes), first_stamp = column_take_number(&bytes);

        if (bytes.failed)
            return damaged(file, index, "an index that ends early");
        FORWARD(add_thread(file, id, first_stamp));
    }
    places = column_take_number(&bytes);
    for (uint64_t i = 0; i < places; i++)
        FORWARD(take_place(file, index, &bytes, &offset));
    if (bytes.failed || bytes.at != bytes.end || lacks >> INSN_LACK_COUNT != 0)
        return damaged(file, index, "an index of another length, or of lacks that are not known");
    file->lacks |= (uint32_t)lacks;
    return file->isa_name ? fault_none() : damaged(file, index, "no description");
}

static struct fault open_whole(struct rbt_file *file)
{
    struct container_chunk index;

    FORWARD(container_index(&file->in, &rbt_kind, &index));
    return take_index(file, &index);
}

/* ---- salvage */

static bool has_all(const struct rbt_file *file, const struct rbt_block_head *head)
{
    return head->rows <= file->dictionary.rows.count && head->runs <= file->dictionary.runs.count;
}

static struct fault salvage_block(struct rbt_file *file, const struct container_chunk *place, uint64_t *left_out)
{
    struct rbt_block_head head;
    struct rbt_thread *thread;

    if (!take_head(rbt_file_bytes_of(place), &head) || head.thread > file->thread_count + UINT16_MAX) {
        ++*left_out;
        return fault_none();
    }
    while (head.thread >= file->thread_count)
        FORWARD(add_thread(file, 0, 0));
    thread = &file->threads[head.thread];
    thread->id = head.id;
    thread->first_stamp = head.first_stamp;
    if (head.first != thread->insns || !has_all(file, &head)) {
        ++*left_out;
        return fault_none();
    }
    return add_block(file, thread, (struct rbt_block_place){.offset = place->offset, .insns = (uint32_t)head.insns,
                                                            .fetched = head.fetched, .restarts = restarts(&head)});
}

/* The next place at or behind `offset` where a chunk begins that is whole; the size: none. Behind a chunk there must be
 * the bytes of a trailer, as readers of its columns expect (container.h): one that a cut left without is lost. */
static uint64_t next_chunk(const struct rbt_file *file, uint64_t offset, struct container_chunk *place)
{
    uint64_t const size = file->in.size > CONTAINER_TRAILER_BYTES ? file->in.size - CONTAINER_TRAILER_BYTES : 0;

    for (; offset < size; offset += CONTAINER_ALIGNMENT)
        if (!container_look(file->in.bytes, size, offset, &rbt_kind, true, place))
            return offset;
    return file->in.size;
}

static struct fault open_salvaged(struct rbt_file *file)
{
    struct fault fault = fault_none();
    uint64_t offset = CONTAINER_HEAD_BYTES, lost = 0, left_out = 0;
    bool has_index = false;

    while (offset < file->in.size && !has_index) {
        struct container_chunk place;
        uint64_t const from = offset;

        offset = next_chunk(file, from, &place);
        lost += offset - from;
        if (offset >= file->in.size)
            break;
        has_index = place.kind == RBT_INDEX;
        offset = container_chunk_end(&place);
        file->chunk_bytes[place.kind] += offset - place.offset;
        if (place.kind == RBT_BLOCK) {
            FORWARD(salvage_block(file, &place, &left_out));
        } else if (!has_index && FAILS(fault, take_chunk(file, &place))) {
            if (fault.kind == FAULT_MEMORY || place.kind == RBT_DESCRIPTION)
                return fault;
            left_out++;
        }
    }
    if (!file->isa_name)
        return fault_at(file->in.name, CONTAINER_HEAD_BYTES, "no description is whole; nothing can be read of the "
                        "file");
    if (!has_index || lost > 0 || left_out > 0)
        snprintf(file->lost, sizeof file->lost, "%s%" PRIu64 " bytes are in no whole chunk, %" PRIu64 " whole chunks "
                 "miss what they build on", has_index ? "" : "is cut: ", lost, left_out);
    return fault_none();
}

/* ---- files */

/* Frees the file on failure. */
static struct rbt_file *open_any(struct rbt_file *file, bool salvages, struct fault *error)
{
    if (salvages ? WORKS(*error, container_check_head(&file->in, &rbt_kind)) && WORKS(*error, open_salvaged(file))
                 : WORKS(*error, open_whole(file))) {
        if (rbt_dictionary_finish(&file->dictionary))
            return file;
        *error = rbt_file_no_memory(file);
    }
    rbt_file_close(file);
    return NULL;
}

struct rbt_file *rbt_file_open(const char *path, bool salvages, struct fault *error)
{
    struct rbt_file *const file = calloc(1, sizeof *file);

    if (!file)
        *error = fault_memory(path, NULL);
    else if (WORKS(*error, container_map(&file->in, path, &rbt_kind)))
        return open_any(file, salvages, error);
    free(file);
    return NULL;
}

void rbt_file_close(struct rbt_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->thread_count; i++)
        free(file->threads[i].blocks);
    for (size_t i = 0; i < file->note_count; i++)
        free(file->notes[i].name);
    free(file->threads);
    free(file->notes);
    free(file->images);
    free(file->pages);
    free(file->isa_name);
    free(file->source);
    free(file->command);
    rbt_dictionary_free(&file->dictionary);
    container_close(&file->in);
    free(file);
}

struct fault rbt_file_block(const struct rbt_file *file, size_t thread, size_t block, struct rbt_block_head *head)
{
    const struct rbt_block_place *const expected = &file->threads[thread].blocks[block];
    struct container_chunk place;

    FORWARD(rbt_file_look(file, expected->offset, true, &place));
    if (!take_head(rbt_file_bytes_of(&place), head) || head->thread != thread || !has_all(file, head)
        || head->first != expected->first
        || head->insns != expected->insns || restarts(head) != expected->restarts
        || head->fetched != expected->fetched)
        return damaged(file, &place, "another block than the index says");
    return fault_none();
}

/* ---- the program, images and pages */

/* What identifies it; false: damaged, or no memory. */
static bool take_program_head(struct column_bytes *payload, struct insn_kept *kept)
{
    const uint8_t *id;

    kept->name = rbt_file_take_text(payload);
    kept->build_id_bytes = (uint8_t)column_take_byte(payload);
    id = column_take_bytes(payload, kept->build_id_bytes);
    if (!kept->name || !id || kept->build_id_bytes > INSN_BUILD_ID_BYTES)
        return false;
    memcpy(kept->build_id, id, kept->build_id_bytes);
    kept->base = column_take_number(payload);
    kept->byte_count = column_take_number(payload);
    kept->hash = column_take_word(payload);
    kept->sp = column_take_number(payload);
    return !payload->failed;
}

static struct fault take_stack(const struct rbt_file *file, const struct container_chunk *place,
                               struct column_bytes bytes, struct insn_kept *kept)
{
    size_t const length = (size_t)(bytes.end - bytes.at);
    uint64_t const count = length / sizeof *kept->stack;

    if (length % sizeof *kept->stack != 0 || count > INSN_STACK_WORDS
        || kept->sp > UINT64_MAX - count * sizeof *kept->stack)
        return damaged(file, place, "a stack that cannot be");
    if (count == 0)
        return fault_none();
    kept->stack = malloc((size_t)count * sizeof *kept->stack);
    if (!kept->stack)
        return rbt_file_no_memory(file);
    while (kept->stack_words < count)
        kept->stack[kept->stack_words++] = column_take_word(&bytes);
    return fault_none();
}

static struct fault take_program_bytes(const struct rbt_file *file, const struct container_chunk *place,
                                       struct column_bytes bytes, struct insn_kept *kept)
{
    uint64_t const count = (uint64_t)(bytes.end - bytes.at);

    if (count == 0)
        return fault_none();
    if (count != kept->byte_count || hash64(bytes.at, (size_t)count) != kept->hash)
        return damaged(file, place, "another program than its hash says");
    kept->bytes = malloc((size_t)count);
    if (!kept->bytes)
        return rbt_file_no_memory(file);
    memcpy(kept->bytes, bytes.at, (size_t)count);
    return fault_none();
}

struct fault rbt_file_program(const struct rbt_file *file, struct insn_kept *kept)
{
    struct columns_unpacked unpacked = {0};
    struct fault fault = fault_none();
    struct column_bytes payload, columns[2];
    struct container_chunk place;
    size_t unused;

    if (file->program == 0)
        return fault_none();
    FORWARD(rbt_file_look(file, file->program, true, &place));
    payload = rbt_file_bytes_of(&place);
    kept->offset = place.offset;
    kept->packed_bytes = container_chunk_end(&place) - place.offset;
    if (!take_program_head(&payload, kept)
        || !columns_unpack(&unpacked, &payload, INSN_KEPT_MOST, 2, columns, &unused))
        fault = damaged(file, &place, "a damaged program");
    else if (WORKS(fault, take_program_bytes(file, &place, columns[0], kept))
             && WORKS(fault, take_stack(file, &place, columns[1], kept))
             && (!rbt_memory_take(&unpacked, &payload, &kept->memory) || payload.at != payload.end))
        fault = damaged(file, &place, "damaged memory of a program");
    columns_unpacked_free(&unpacked);
    return fault;
}

static struct fault read_image(const struct rbt_file *file, uint64_t offset, const struct rbt_file_sink *sink,
                               struct columns_unpacked *unpacked)
{
    struct container_chunk place;
    struct column_bytes payload, column;
    uint64_t address;
    uint8_t *copy;
    size_t unused;

    FORWARD(rbt_file_look(file, offset, true, &place));
    payload = rbt_file_bytes_of(&place);
    address = column_take_number(&payload);
    if (!columns_unpack(unpacked, &payload, RBT_IMAGE_PIECE, 1, &column, &unused))
        return damaged(file, &place, "a damaged code image");
    copy = malloc((size_t)(column.end - column.at) + 1);
    if (!copy)
        return rbt_file_no_memory(file);
    memcpy(copy, column.at, (size_t)(column.end - column.at));
    return sink->image(sink->context, address, copy, (uint64_t)(column.end - column.at));
}

static struct fault read_pages(const struct rbt_file *file, uint64_t offset, const struct rbt_file_sink *sink,
                               struct columns_unpacked *unpacked)
{
    struct column_bytes payload, column;
    struct container_chunk place;
    struct insn_page page = {0};
    uint64_t count;
    size_t unused;

    FORWARD(rbt_file_look(file, offset, false, &place));
    payload = rbt_file_bytes_of(&place);
    count = column_take_number(&payload);
    if (!columns_unpack(unpacked, &payload, MOST_PAGE_COLUMN, 1, &column, &unused))
        return damaged(file, &place, "a damaged page map");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t const last = page.byte_count;

        page.virtual_address += last + bits_unzigzag(column_take_number(&column));
        page.physical_address += last + bits_unzigzag(column_take_number(&column));
        page.byte_count += bits_unzigzag(column_take_number(&column));
        if (column.failed)
            return damaged(file, &place, "a damaged page map");
        FORWARD(sink->page(sink->context, &page));
    }
    return fault_none();
}

struct fault rbt_file_read_rest(const struct rbt_file *file, const struct rbt_file_sink *sink)
{
    struct fault fault = fault_none();
    struct columns_unpacked unpacked = {0};
    bool good = true;

    for (size_t i = 0; good && i < file->image_count; i++)
        good = WORKS(fault, read_image(file, file->images[i], sink, &unpacked));
    for (size_t i = 0; good && i < file->page_chunk_count; i++)
        good = WORKS(fault, read_pages(file, file->pages[i], sink, &unpacked));
    columns_unpacked_free(&unpacked);
    return good ? fault_none() : fault;
}
