/* Chunks: the key; for each state the pages first touched since the one before, then the state; the index, a place and
 * two offsets a state. Without index and trailer a file was not ended, and goes on behind its last whole state. */
#include "replay/warm/warm_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/output_file.h"
#include "proto/container/container.h"

enum { CHUNK_KEY = 1, CHUNK_PAGES, CHUNK_STATE, CHUNK_INDEX };
enum { KEY_WORDS = 3, ENTRY_WORDS = 3 };
#define MEND "make it again with `rubato regions`"

static const struct container_kind warm_kind = {
    .magic = "rbtwarm2", .name = "states of regions", .mend = MEND,
    .rescue = "if `rubato regions` was stopped, the same command goes on; else " MEND, .index = CHUNK_INDEX
};

struct state_entry { uint64_t place, pages, state; };

struct warm_file_writer {
    char *path;
    struct container_writer out;
    struct column_packer *packer;
    struct column chunk;
    struct state_entry *entries;
    size_t count, room;
};

static struct fault unpack_fault(const struct container *file, const struct container_chunk *chunk, const char *wrong)
{
    return strcmp(wrong, "no memory") == 0 ? fault_memory(file->name, "the state of a region")
                                           : fault_at(file->name, chunk->offset, "a state that is damaged; %s", MEND);
}

static struct column_bytes bytes_of(const struct container_chunk *chunk)
{
    return (struct column_bytes){chunk->bytes, chunk->bytes + chunk->length, false};
}

/* ---- keys */
static bool key_is(const struct container_chunk *chunk, const struct warm_file_key *key)
{
    struct column_bytes bytes = bytes_of(chunk);
    uint64_t const size = column_take_word(&bytes), hash = column_take_word(&bytes), wish = column_take_word(&bytes);

    return chunk->kind == CHUNK_KEY && !bytes.failed && size == key->trace_bytes && hash == key->trace_hash
        && (key->wish == 0 || wish == key->wish);
}

/* Of an unfinished file of that key: its states, and where the last one ends. 0: it is none. */
static uint64_t find_begun(const struct container *file, const struct warm_file_key *key, struct state_entry **entries,
                           size_t *count, size_t *room)
{
    struct container_chunk chunk;
    uint64_t end = 0, at = CONTAINER_HEAD_BYTES, pages = 0;

    if (container_check_head(file, &warm_kind).kind != FAULT_NONE
        || container_look(file->bytes, file->size, at, &warm_kind, true, &chunk) || !key_is(&chunk, key))
        return 0;
    end = at = container_chunk_end(&chunk);
    while (!container_look(file->bytes, file->size, at, &warm_kind, true, &chunk)) {
        at = container_chunk_end(&chunk);
        if (chunk.kind == CHUNK_INDEX)
            return 0;
        if (chunk.kind == CHUNK_PAGES)
            pages = chunk.offset;
        if (chunk.kind != CHUNK_STATE || pages == 0)
            continue;
        if (!list_fit(entries, *count + 1, room, sizeof **entries))
            return 0;
        (*entries)[(*count)++] = (struct state_entry){bits_load64(chunk.bytes), pages, chunk.offset};
        pages = 0;
        end = at;
    }
    return end;
}

bool warm_file_is_there(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

void warm_file_remove(const char *path)
{
    if (container_detect(path, &warm_kind))
        unlink(path);
}

bool warm_file_is_begun(const char *path, const struct warm_file_key *key)
{
    struct state_entry *entries = NULL;
    size_t count = 0, room = 0;
    struct container file;
    bool is_begun = false;

    if (warm_file_is_there(path) && container_map(&file, path, &warm_kind).kind == FAULT_NONE) {
        is_begun = find_begun(&file, key, &entries, &count, &room) > 0;
        container_close(&file);
    }
    free(entries);
    return is_begun;
}

/* ---- reading */

/* Also of a file that was not ended, which has no trailer. */
static struct fault warm_chunk_at(const struct container *file, uint64_t offset, struct container_chunk *chunk)
{
    const char *const wrong = container_look(file->bytes, file->size, offset, &warm_kind, true, chunk);

    return !wrong ? fault_none() : fault_at(file->name, offset, "%s; the file is cut or damaged; %s", wrong, MEND);
}

struct warm_file {
    struct container in;
    struct state_entry *entries;
    size_t count, read;                  /* read: entries that were given */
};

static struct fault add_pages(const struct warm_file *file, const struct state_entry *entry, struct warm_state *state)
{
    struct container_chunk chunk;
    struct column_bytes bytes;
    const char *wrong;

    FORWARD(warm_chunk_at(&file->in, entry->pages, &chunk));
    bytes = bytes_of(&chunk);
    wrong = warm_pages_unpack(&state->touched, &bytes);
    return wrong ? unpack_fault(&file->in, &chunk, wrong) : fault_none();
}

static struct fault take_state(const struct warm_file *file, size_t at, struct warm_state *state)
{
    struct container_chunk chunk;
    struct column_bytes bytes;
    const char *wrong;

    FORWARD(warm_chunk_at(&file->in, file->entries[at].state, &chunk));
    bytes = bytes_of(&chunk);
    wrong = warm_state_unpack(state, &bytes);
    return wrong ? unpack_fault(&file->in, &chunk, wrong) : add_pages(file, &file->entries[at], state);
}

static struct fault read_index(struct warm_file *file, const struct warm_file_key *key)
{
    struct container_chunk chunk;
    struct column_bytes bytes;

    FORWARD(container_index(&file->in, &warm_kind, &chunk));
    bytes = bytes_of(&chunk);
    file->entries = malloc(chunk.length + 1);
    if (!file->entries)
        return fault_memory(file->in.name, NULL);
    for (; file->count < chunk.length / (ENTRY_WORDS * 8); file->count++) {
        file->entries[file->count].place = column_take_word(&bytes);
        file->entries[file->count].pages = column_take_word(&bytes);
        file->entries[file->count].state = column_take_word(&bytes);
    }
    FORWARD(warm_chunk_at(&file->in, CONTAINER_HEAD_BYTES, &chunk));
    return key_is(&chunk, key) ? fault_none()
                               : fault_at(file->in.name, FAULT_NO_OFFSET, "its states are of another trace; %s", MEND);
}

struct warm_file *warm_file_open(const char *path, const struct warm_file_key *key, struct fault *fault)
{
    struct warm_file *const file = calloc(1, sizeof *file);

    *fault = file ? fault_none() : fault_memory(path, NULL);
    if (file && warm_file_is_there(path) && !container_detect(path, &warm_kind)) {
        *fault = fault_at(path, 0, "is no states of regions, or those of an earlier version; " MEND);
        free(file);
        return NULL;
    }
    if (file && FAILS(*fault, container_map(&file->in, path, &warm_kind))) {
        free(file);
        return NULL;
    }
    if (file && WORKS(*fault, read_index(file, key)))
        return file;
    warm_file_close(file);
    return NULL;
}

struct fault warm_file_check_place(const struct warm_file *file, uint64_t place)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->entries[i].place == place)
            return fault_none();
    return fault_at(file->in.name, FAULT_NO_OFFSET, "no state of the region that begins behind %" PRIu64
                    " instructions; its states are of other regions; %s", place, MEND);
}

struct fault warm_file_next(struct warm_file *file, uint64_t place, struct warm_state *state, bool *is_there)
{
    *is_there = file->read < file->count && file->entries[file->read].place <= place;
    if (!*is_there)
        return fault_none();
    warm_state_empty(state);
    return take_state(file, file->read++, state);
}

void warm_file_close(struct warm_file *file)
{
    if (!file)
        return;
    container_close(&file->in);
    free(file->entries);
    free(file);
}

/* ---- writing */
static struct fault go_on(struct warm_file_writer *writer, const struct warm_file_key *key, struct warm_state *last)
{
    struct fault fault = fault_none();
    struct warm_file file = {.count = 0};
    uint64_t end;

    if (container_map(&file.in, writer->path, &warm_kind).kind != FAULT_NONE)
        return fault_none();
    end = find_begun(&file.in, key, &writer->entries, &writer->count, &writer->room);
    file.entries = writer->entries;
    for (size_t i = 0; end > 0 && i + 1 < writer->count && fault.kind == FAULT_NONE; i++)
        fault = add_pages(&file, &writer->entries[i], last);
    if (end > 0 && writer->count > 0 && fault.kind == FAULT_NONE)
        fault = take_state(&file, writer->count - 1, last);
    container_close(&file.in);
    if (end == 0 || fault.kind != FAULT_NONE)
        writer->count = 0;
    else
        container_cut(&writer->out, end);
    return fault;
}

static struct fault begin_anew(struct warm_file_writer *writer, const struct warm_file_key *key)
{
    container_cut(&writer->out, 0);
    FORWARD(container_begin(&writer->out, &warm_kind));
    container_chunk_begin(&writer->chunk);
    column_put_word(&writer->chunk, key->trace_bytes);
    column_put_word(&writer->chunk, key->trace_hash);
    column_put_word(&writer->chunk, key->wish);
    return container_put(&writer->out, &writer->chunk, CHUNK_KEY);
}

static struct fault begin_file(struct warm_file_writer *writer, const struct warm_file_key *key,
                               struct warm_state *last)
{
    FORWARD(output_file_check_links(writer->path));
    writer->out = (struct container_writer){.path = writer->path,
                                            .file = open(writer->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666)};
    if (writer->out.file < 0)
        return fault_at(writer->path, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    if (!warm_file_is_there(writer->path))
        return fault_at(writer->path, FAULT_NO_OFFSET, "is no regular file; expected one, or none, beside the "
                        "regions; give another --output");
    writer->packer = column_packer_make(false);
    if (!writer->packer)
        return fault_memory(writer->path, NULL);
    FORWARD(go_on(writer, key, last));
    return writer->out.written > 0 ? fault_none() : begin_anew(writer, key);
}

struct warm_file_writer *warm_file_begin(const char *path, const struct warm_file_key *key, size_t *done,
                                         struct warm_state *last, struct fault *fault)
{
    struct warm_file_writer *const writer = calloc(1, sizeof *writer);

    *last = (struct warm_state){0};
    if (writer)
        writer->path = strdup(path);
    if (!writer || !writer->path) {
        free(writer);
        *fault = fault_memory(path, NULL);
        return NULL;
    }
    writer->out.file = -1;
    *fault = begin_file(writer, key, last);
    *done = writer->count;
    if (fault->kind == FAULT_NONE)
        return writer;
    warm_file_end(writer, false);
    return NULL;
}

struct fault warm_file_add(struct warm_file_writer *writer, const struct warm_state *state)
{
    struct state_entry entry = {.place = state->place, .pages = writer->out.written};

    container_chunk_begin(&writer->chunk);
    if (!warm_pages_pack(state->touched.list, state->touched.count, writer->packer, &writer->chunk))
        return fault_memory(writer->path, NULL);
    FORWARD(container_put(&writer->out, &writer->chunk, CHUNK_PAGES));
    entry.state = writer->out.written;
    container_chunk_begin(&writer->chunk);
    if (!warm_state_pack(state, writer->packer, &writer->chunk))
        return fault_memory(writer->path, NULL);
    FORWARD(container_put(&writer->out, &writer->chunk, CHUNK_STATE));
    if (!list_fit(&writer->entries, writer->count + 1, &writer->room, sizeof *writer->entries))
        return fault_memory(writer->path, NULL);
    writer->entries[writer->count++] = entry;
    return fault_none();
}

static struct fault end_file(struct warm_file_writer *writer)
{
    container_chunk_begin(&writer->chunk);
    for (size_t i = 0; i < writer->count; i++) {
        column_put_word(&writer->chunk, writer->entries[i].place);
        column_put_word(&writer->chunk, writer->entries[i].pages);
        column_put_word(&writer->chunk, writer->entries[i].state);
    }
    return container_end(&writer->out, &writer->chunk, &warm_kind);
}

struct fault warm_file_end(struct warm_file_writer *writer, bool is_whole)
{
    struct fault fault = is_whole ? end_file(writer) : fault_none();

    if (writer->out.file >= 0 && close(writer->out.file) != 0 && fault.kind == FAULT_NONE)
        fault = fault_at(writer->path, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno));
    column_packer_free(writer->packer);
    column_free(&writer->chunk);
    free(writer->entries);
    free(writer->path);
    free(writer);
    return fault;
}

uint64_t warm_file_bytes(const struct warm_file_writer *writer)
{
    return writer->out.written;
}
