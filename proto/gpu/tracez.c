/* Reads blocks in the order of the index. The index is met word by word in a window of its own, frames in another; both
 * move forward in files as Accel-Sim's tool writes them. */
#include "proto/gpu/tracez.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bits.h"
#include "base/input_file.h"
#include "base/list.h"
#include "base/path.h"

enum {
    WINDOW = 64 * 1024, TAIL = 8, BLOCK_WORDS = 11, WARP_WORDS = 4, HEADER_MAX = 1 << 20, HEAD_ROOM = 512,
    WARPS_MAX = GPU_THREADS_MAX / 32
};

struct window {
    uint8_t *bytes;
    size_t room, count;
    uint64_t from;
};

enum tracez_state { AT_HEADER, AT_BLOCK, AT_WARP, AT_CHUNK, AT_END };

struct gpu_tracez {
    char *name;
    int file;                        /* -1: memory */
    struct input_file *watched;
    const uint8_t *data;
    uint64_t size;
    uint64_t frames_from, index_from, index_at;
    struct window index, frames;
    ZSTD_DCtx *context;
    ZSTD_DDict *dictionary;          /* NULL: none */
    char *text;                      /* of a header or frame */
    size_t text_room, header_bytes;
    char head[HEAD_ROOM];            /* lines of a block or warp */
    enum tracez_state state;
    uint32_t blocks_left, warps_left, warp;
    uint32_t lines, chunks, chunk;   /* of the warp, by the index */
    uint64_t lines_met, frame_at;    /* frame_at: of the next frame */
};

bool gpu_tracez_is(const char *path)
{
    return text_ends_in(path, ".tracez");
}

const char *gpu_tracez_name(const struct gpu_tracez *container)
{
    return container->name;
}

/* ---- bytes */

static struct fault fill_window(struct gpu_tracez *container, struct window *window, uint64_t from, size_t count)
{
    uint64_t const left = container->size - from;
    size_t const wanted = count > WINDOW ? count : left < WINDOW ? (size_t)left : WINDOW;

    window->count = 0;
    window->from = from;
    if (!list_fit(&window->bytes, wanted, &window->room, 1))
        return fault_memory(container->name, NULL);
    while (window->count < wanted) {
        ssize_t const got = pread(container->file, window->bytes + window->count, wanted - window->count,
                                  (off_t)(from + window->count));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fault_at(container->name, from + window->count, "cannot be read: %s", strerror(errno));
        if (got == 0)
            return fault_at(container->name, from + window->count, "the file ends here, but was longer when it was "
                            "opened; leave it as it is while it is read");
        window->count += (size_t)got;
    }
    return fault_none();
}

/* `count` bytes of the file, which has them, from a place on. */
static struct fault bytes_at(struct gpu_tracez *container, struct window *window, uint64_t from, size_t count,
                             const uint8_t **bytes)
{
    if (container->data != NULL) {
        *bytes = container->data + from;
        return fault_none();
    }
    if (from < window->from || from + count > window->from + window->count)
        FORWARD(fill_window(container, window, from, count));
    *bytes = window->bytes + (from - window->from);
    return fault_none();
}

/* Words of the index, which go on behind those before. */
static struct fault take_words(struct gpu_tracez *container, unsigned count, const char *what, uint32_t *words)
{
    const uint8_t *bytes = NULL;

    if (container->size - TAIL - container->index_at < 4 * (uint64_t)count)
        return fault_at(container->name, container->index_at, "the index ends where %s was expected; the file was cut "
                        "or changed; get it again", what);
    FORWARD(bytes_at(container, &container->index, container->index_at, 4 * count, &bytes));
    for (unsigned i = 0; i < count; i++)
        words[i] = bits_load32(bytes + 4 * i);
    container->index_at += 4 * (uint64_t)count;
    return fault_none();
}

/* ---- opening */

static struct fault open_file(struct gpu_tracez *container)
{
    struct stat about;

    container->file = open(container->name, O_RDONLY | O_CLOEXEC);
    if (container->file < 0)
        return fault_at(container->name, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    if (fstat(container->file, &about) != 0)
        return fault_at(container->name, FAULT_NO_OFFSET, "cannot be examined: %s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return fault_at(container->name, FAULT_NO_OFFSET, "is no regular file; expected a .tracez, whose index is at "
                        "its end");
    container->size = (uint64_t)about.st_size;
    container->watched = input_file_begin(container->file, container->name);
    return fault_none();
}

/* The header's text, up to its zero byte. */
static struct fault take_header(struct gpu_tracez *container)
{
    size_t const most = container->size < HEADER_MAX ? (size_t)container->size : HEADER_MAX;
    const uint8_t *bytes, *zero = NULL;

    for (size_t looked = most < WINDOW ? most : WINDOW; zero == NULL; looked = most) {
        FORWARD(bytes_at(container, &container->frames, 0, looked, &bytes));
        zero = looked > 0 ? memchr(bytes, '\0', looked) : NULL;
        if (zero == NULL && looked == most)
            return fault_at(container->name, most, "the header's text has no zero byte at its end; expected a .tracez "
                            "as Accel-Sim writes it; the file was cut, or is another; get it again");
    }
    container->header_bytes = (size_t)(zero - bytes);
    if (!list_fit(&container->text, container->header_bytes + 1, &container->text_room, 1))
        return fault_memory(container->name, NULL);
    memcpy(container->text, bytes, container->header_bytes);
    container->frames_from = container->header_bytes + 1;
    return fault_none();
}

static struct fault take_dictionary(struct gpu_tracez *container)
{
    uint64_t const at = container->frames_from;
    const uint8_t *bytes = NULL;
    uint32_t count;

    if (container->size - at < 8 + 4 + TAIL)
        return fault_at(container->name, container->size, "the file ends behind its header; it was cut; get it again");
    FORWARD(bytes_at(container, &container->frames, at, 8, &bytes));
    count = bits_load32(bytes);
    if (container->size - at - 8 - 4 - TAIL < count)
        return fault_at(container->name, at, "the dictionary has %" PRIu32 " bytes, more than the file holds; the file "
                        "was cut or changed; get it again", count);
    container->frames_from = at + 8 + count;
    if (count == 0)
        return fault_none();
    FORWARD(bytes_at(container, &container->frames, at + 8, count, &bytes));
    container->dictionary = ZSTD_createDDict(bytes, count);
    return container->dictionary != NULL ? fault_none()
        : fault_at(container->name, at + 8, "the dictionary of %" PRIu32 " bytes is damaged; get the file again",
                   count);
}

static struct fault find_index(struct gpu_tracez *container)
{
    uint64_t const at = container->size - TAIL;
    const uint8_t *bytes = NULL;

    FORWARD(bytes_at(container, &container->index, at, TAIL, &bytes));
    container->index_from = container->index_at = bits_load64(bytes);
    if (container->index_from < container->frames_from || container->index_from > at - 4)
        return fault_at(container->name, at, "the index is said to begin at byte %" PRIu64 "; expected %" PRIu64
                        " to %" PRIu64 "; the file was cut or changed; get it again", container->index_from,
                        container->frames_from, at - 4);
    return take_words(container, 1, "the number of blocks", &container->blocks_left);
}

struct gpu_tracez *gpu_tracez_open(const struct stream_source *source, struct fault *error)
{
    struct gpu_tracez *const container = calloc(1, sizeof *container);
    bool good;

    if (container == NULL || (container->name = strdup(source->path)) == NULL) {
        free(container);
        *error = fault_memory(source->path, NULL);
        return NULL;
    }
    container->file = -1;
    container->data = source->data;
    container->size = source->size;
    container->context = ZSTD_createDCtx();
    good = (container->context != NULL || WORKS(*error, fault_memory(source->path, "decompression")))
        && (source->data != NULL || WORKS(*error, open_file(container)))
        && WORKS(*error, take_header(container)) && WORKS(*error, take_dictionary(container))
        && WORKS(*error, find_index(container));
    if (good)
        return container;
    gpu_tracez_close(container);
    return NULL;
}

void gpu_tracez_close(struct gpu_tracez *container)
{
    if (container == NULL)
        return;
    input_file_end(container->watched);
    if (container->file >= 0)
        close(container->file);
    ZSTD_freeDCtx(container->context);
    ZSTD_freeDDict(container->dictionary);
    free(container->index.bytes);
    free(container->frames.bytes);
    free(container->text);
    free(container->name);
    free(container);
}

/* ---- frames */

/* The place of a frame and its length, which precedes it. */
static struct fault find_frame(struct gpu_tracez *container, const uint8_t **frame, uint32_t *bytes)
{
    uint64_t const at = container->frame_at, left = container->index_from - at;
    const uint8_t *length;

    if (left < 4)
        return fault_at(container->name, at, "the length of frame %" PRIu32 " of warp %" PRIu32 " lies beyond the "
                        "frames; the index does not fit them; get the file again", container->chunk, container->warp);
    FORWARD(bytes_at(container, &container->frames, at, 4, &length));
    *bytes = bits_load32(length);
    if (left - 4 < *bytes)
        return fault_at(container->name, at, "frame %" PRIu32 " of warp %" PRIu32 " has %" PRIu32 " bytes, which go "
                        "beyond the frames; the file was cut or changed; get it again", container->chunk,
                        container->warp, *bytes);
    container->frame_at = at + 4 + *bytes;
    return bytes_at(container, &container->frames, at + 4, *bytes, frame);
}

/* A frame's text into `text`, with a newline at its end. */
static struct fault unpack_frame(struct gpu_tracez *container, size_t *made)
{
    uint64_t const at = container->frame_at + 4;
    const uint8_t *frame = NULL;
    unsigned long long size;
    uint32_t bytes = 0;

    FORWARD(find_frame(container, &frame, &bytes));
    size = ZSTD_getFrameContentSize(frame, bytes);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > GPU_TRACEZ_TEXT_MAX)
        return fault_at(container->name, at, "%s; expected a frame of zstd with the size of its text, at most %" PRIu64
                        " bytes; get the file again", size == ZSTD_CONTENTSIZE_ERROR ? "here is no frame"
                        : size == ZSTD_CONTENTSIZE_UNKNOWN ? "the frame does not say how long its text is"
                        : "the frame's text is too long", GPU_TRACEZ_TEXT_MAX);
    if (!list_fit(&container->text, (size_t)size + 1, &container->text_room, 1))
        return fault_memory(container->name, "a frame's text");
    *made = container->dictionary != NULL
        ? ZSTD_decompress_usingDDict(container->context, container->text, (size_t)size, frame, bytes,
                                     container->dictionary)
        : ZSTD_decompressDCtx(container->context, container->text, (size_t)size, frame, bytes);
    if (ZSTD_isError(*made))
        return fault_at(container->name, at, "the frame is damaged (%s); get the file again", ZSTD_getErrorName(*made));
    if (*made > 0 && container->text[*made - 1] != '\n')
        container->text[(*made)++] = '\n';
    return fault_none();
}

static uint64_t lines_of(const char *text, size_t bytes)
{
    const char *const end = text + bytes;
    uint64_t lines = 0;

    for (; text < end; lines++)
        text = (const char *)memchr(text, '\n', (size_t)(end - text)) + 1;
    return lines;
}

/* The next frame of a warp. */
static struct fault take_chunk(struct gpu_tracez *container, const uint8_t **from, const uint8_t **end)
{
    uint64_t const at = container->frame_at + 4, listed_at = container->index_at;
    uint32_t lines;
    uint64_t met;
    size_t bytes = 0;

    FORWARD(take_words(container, 1, "the number of a frame's lines", &lines));
    FORWARD(unpack_frame(container, &bytes));
    met = lines_of(container->text, bytes);
    if (met != lines)
        return fault_at(container->name, at, "the frame has %" PRIu64 " lines; expected %" PRIu32 ", which the index "
                        "has at byte %" PRIu64 "; the file was changed; get it again", met, lines, listed_at);
    container->chunk++;
    container->lines_met += lines;
    *from = (const uint8_t *)container->text;
    *end = *from + bytes;
    return fault_none();
}

/* ---- heads of blocks and warps, in the manner of grouped files */

static void give_head(const struct gpu_tracez *container, int length, const uint8_t **from, const uint8_t **end)
{
    *from = (const uint8_t *)container->head;
    *end = *from + length;
}

static struct fault begin_block(struct gpu_tracez *container, const uint8_t **from, const uint8_t **end)
{
    uint64_t const at = container->index_at;
    uint32_t word[BLOCK_WORDS] = {0};

    FORWARD(take_words(container, BLOCK_WORDS, "a block", word));
    container->blocks_left--;
    container->warps_left = word[10];
    container->warp = 0;
    if (container->warps_left > WARPS_MAX)
        return fault_at(container->name, at + 40, "block %" PRIu32 ",%" PRIu32 ",%" PRIu32 " has %" PRIu32
                        " warps; expected at most %d; the index is damaged; get the file again", word[0], word[1],
                        word[2], word[10], WARPS_MAX);
    give_head(container, snprintf(container->head, HEAD_ROOM, "\n#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32
                                  ",%" PRIu32 "\ncluster id = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\ncluster cta = %"
                                  PRIu32 ",%" PRIu32 ",%" PRIu32 "\ncluster rank = %" PRIu32 "\n", word[0], word[1],
                                  word[2], word[3], word[4], word[5], word[6], word[7], word[8], word[9]), from, end);
    return fault_none();
}

/* The warp's numbers stand in the index and before its frames. */
static struct fault begin_warp(struct gpu_tracez *container, const uint8_t **from, const uint8_t **end)
{
    uint64_t const at = container->index_at;
    uint32_t word[WARP_WORDS] = {0};
    const uint8_t *bytes = NULL;
    uint64_t place;

    FORWARD(take_words(container, WARP_WORDS, "a warp", word));
    place = word[2] | (uint64_t)word[3] << 32;
    if (place < container->frames_from || place > container->index_from || container->index_from - place < 8)
        return fault_at(container->name, at + 8, "warp %" PRIu32 " is said to begin at byte %" PRIu64 "; expected %"
                        PRIu64 " to %" PRIu64 "; the index is damaged; get the file again", container->warp, place,
                        container->frames_from, container->index_from);
    FORWARD(bytes_at(container, &container->frames, place, 8, &bytes));
    if (bits_load32(bytes) != word[0] || bits_load32(bytes + 4) != word[1])
        return fault_at(container->name, place, "the warp has %" PRIu32 " instructions in %" PRIu32 " frames; expected "
                        "%" PRIu32 " in %" PRIu32 ", which the index has at byte %" PRIu64 "; the index does not fit "
                        "the frames; get the file again", bits_load32(bytes), bits_load32(bytes + 4), word[0],
                        word[1], at);
    container->lines = word[0];
    container->chunks = word[1];
    container->chunk = 0;
    container->lines_met = 0;
    container->frame_at = place + 8;
    give_head(container, snprintf(container->head, HEAD_ROOM, "\nwarp = %" PRIu32 "\ninsts = %" PRIu32 "\n",
                                  container->warp, word[0]), from, end);
    return fault_none();
}

static struct fault end_warp(struct gpu_tracez *container)
{
    if (container->lines_met != container->lines)
        return fault_at(container->name, container->index_at, "the frames of warp %" PRIu32 " have %" PRIu64
                        " lines by the index; expected the warp's %" PRIu32 " instructions; the index is damaged; get "
                        "the file again", container->warp, container->lines_met, container->lines);
    container->warp++;
    container->warps_left--;
    return fault_none();
}

/* *has_more: [from, end) are the next lines; they may be none. */
static struct fault step(struct gpu_tracez *container, const uint8_t **from, const uint8_t **end, bool *has_more)
{
    *from = *end = NULL;
    *has_more = true;
    switch (container->state) {
    case AT_HEADER:
        container->state = AT_BLOCK;
        if (container->header_bytes > 0 && container->text[container->header_bytes - 1] != '\n')
            container->text[container->header_bytes++] = '\n';
        *from = (const uint8_t *)container->text;
        *end = *from + container->header_bytes;
        return fault_none();
    case AT_BLOCK:
        container->state = container->blocks_left > 0 ? AT_WARP : AT_END;
        if (container->state == AT_WARP)
            return begin_block(container, from, end);
        if (container->index_at != container->size - TAIL)
            return fault_at(container->name, container->index_at, "the index goes on behind its last block; expected "
                            "its end here; the file was changed; get it again");
        return fault_none();
    case AT_WARP:
        container->state = container->warps_left > 0 ? AT_CHUNK : AT_BLOCK;
        if (container->state == AT_CHUNK)
            return begin_warp(container, from, end);
        give_head(container, snprintf(container->head, HEAD_ROOM, "\n#END_TB\n"), from, end);
        return fault_none();
    case AT_CHUNK:
        if (container->chunk < container->chunks)
            return take_chunk(container, from, end);
        container->state = AT_WARP;
        return end_warp(container);
    case AT_END:
        break;
    }
    *has_more = false;
    return fault_none();
}

enum gpu_text_step gpu_tracez_next(struct gpu_tracez *container, const uint8_t **from, const uint8_t **end,
                                   struct fault *error)
{
    bool has_more;

    do {
        if (FAILS(*error, step(container, from, end, &has_more))) {
            container->state = AT_END;
            return GPU_TEXT_FAILED;
        }
    } while (has_more && *from == *end);
    return has_more ? GPU_TEXT_LINE : GPU_TEXT_END;
}
