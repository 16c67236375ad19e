/* Writing by zlib's gz functions, which also write plain files, or by proto/io/xz and zst. The gzip header carries no
 * name and no time, so equal records make equal files. */
#include "proto/io/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/list.h"
#include "base/output_file.h"
#include "base/path.h"
#include "proto/io/wire.h"
#include "proto/io/xz.h"
#include "proto/io/zst.h"

struct sink {
    char *path;
    struct output_file output;
    gzFile file;                     /* NULL: xz, zstd, or closed */
    struct sink_xz *xz;
    struct sink_zst *zst;
    void *scratch;
    size_t scratch_size;
};

/* Why the last gz call failed. */
static const char *reason(gzFile file)
{
    int code;
    const char *const text = gzerror(file, &code);

    return code == Z_ERRNO ? strerror(errno) : code == Z_OK ? "unknown reason" : text;
}

static struct fault sink_fail(struct sink *sink, const char *why)
{
    return fault_at(sink->path, FAULT_NO_OFFSET, "cannot be written: %s", why);
}

/* Modes beyond those of gzdopen. */
static const char mode_xz[] = "xz", mode_zst[] = "zst";

/* Takes the descriptor. */
static struct fault sink_begin(struct sink *sink, int descriptor, const char *mode)
{
    if (mode == mode_xz)
        sink->xz = sink_xz_open(descriptor);
    else if (mode == mode_zst)
        sink->zst = sink_zst_open(descriptor);
    else
        sink->file = gzdopen(descriptor, mode);
    if (sink->file == NULL && sink->xz == NULL && sink->zst == NULL) {
        close(descriptor);
        return fault_memory(sink->path, NULL);
    }
    if (sink->file != NULL)
        gzbuffer(sink->file, 128 * 1024);
    return fault_none();
}

static struct fault sink_open_file(struct sink *sink, const char *mode)
{
    struct fault fault = fault_none();

    fault = output_file_open(&sink->output, sink->path);
    if (fault.kind != FAULT_NONE)
        return fault;
    return sink_begin(sink, sink->output.descriptor, mode);
}

static struct fault sink_put_part(struct sink *sink, const void *bytes, size_t count)
{
    if (sink->xz != NULL || sink->zst != NULL) {
        const char *const problem = sink->xz != NULL ? sink_xz_write(sink->xz, bytes, count)
                                                     : sink_zst_write(sink->zst, bytes, count);

        return problem == NULL ? fault_none() : sink_fail(sink, problem);
    }
    if (count == 0 || gzwrite(sink->file, bytes, (unsigned)count) == (int)count)
        return fault_none();
    return sink_fail(sink, reason(sink->file));
}

static struct sink *new_sink(const char *path, struct fault *error)
{
    struct sink *const sink = calloc(1, sizeof *sink);

    if (sink == NULL || (sink->path = strdup(path)) == NULL) {
        free(sink);
        *error = fault_memory(path, NULL);
        return NULL;
    }
    return sink;
}

struct sink *sink_open(const char *path, struct fault *error)
{
    struct sink *const sink = new_sink(path, error);

    if (sink != NULL && WORKS(*error, sink_open_file(sink, text_ends_in(path, ".gz") ? "wb" : "wbT"))
        && WORKS(*error, sink_put_part(sink, "gem5", 4)))
        return sink;
    sink_discard(sink);
    return NULL;
}

struct sink *sink_open_text(const char *path, struct fault *error)
{
    struct sink *const sink = new_sink(path, error);

    if (sink != NULL && WORKS(*error, sink_open_file(sink, text_ends_in(path, ".xz") ? mode_xz
                                                     : text_ends_in(path, ".zst") ? mode_zst
                                                     : text_ends_in(path, ".gz") ? "wb1" : "wbT")))
        return sink;
    sink_discard(sink);
    return NULL;
}

struct sink *sink_open_bytes(const char *path, bool gzip, struct fault *error)
{
    struct sink *const sink = new_sink(path, error);

    if (sink != NULL && WORKS(*error, sink_open_file(sink, gzip ? "wb" : "wbT")))
        return sink;
    sink_discard(sink);
    return NULL;
}

struct sink *sink_open_descriptor(int descriptor, const char *name, struct fault *error)
{
    struct sink *const sink = new_sink(name, error);

    if (sink == NULL)
        close(descriptor);
    else if (WORKS(*error, sink_begin(sink, descriptor, "wbT")))
        return sink;
    sink_discard(sink);
    return NULL;
}

struct fault sink_write(struct sink *sink, const void *bytes, size_t count)
{
    return sink_put_part(sink, bytes, count);
}

struct fault sink_message(struct sink *sink, const void *message, size_t length)
{
    uint8_t varint[BITS_VARINT_MAX];

    if (length > WIRE_MESSAGE_MAX)
        return fault_at(sink->path, FAULT_NO_OFFSET, "a message of %zu bytes cannot be written; expected at most %u; "
                        "shorten its lists", length, WIRE_MESSAGE_MAX);
    FORWARD(sink_put_part(sink, varint, (size_t)(bits_put_varint(varint, length) - varint)));
    return sink_put_part(sink, message, length);
}

static void free_sink(struct sink *sink)
{
    free(sink->path);
    free(sink->scratch);
    free(sink);
}

struct fault sink_close(struct sink *sink)
{
    struct fault fault = fault_none();
    const char *problem;
    bool good;

    errno = 0;
    if (sink->xz != NULL)
        problem = sink_xz_close(sink->xz, true);
    else if (sink->zst != NULL)
        problem = sink_zst_close(sink->zst, true);
    else
        problem = gzclose(sink->file) == Z_OK ? NULL : errno != 0 ? strerror(errno) : "not written completely";
    sink->file = NULL;
    sink->xz = NULL;
    sink->zst = NULL;
    good = problem == NULL;
    if (!good)
        fault = sink_fail(sink, problem);
    else if ((fault = output_file_take(&sink->output)).kind != FAULT_NONE)
        good = false;
    if (good)
        free_sink(sink);
    else
        sink_discard(sink);
    return good ? fault_none() : fault;
}

void sink_discard(struct sink *sink)
{
    if (sink == NULL)
        return;
    if (sink->file != NULL)
        gzclose(sink->file);
    if (sink->xz != NULL)
        sink_xz_close(sink->xz, false);
    if (sink->zst != NULL)
        sink_zst_close(sink->zst, false);
    output_file_drop(&sink->output);
    free_sink(sink);
}

const char *sink_name(const struct sink *sink)
{
    return sink->path;
}

void *sink_scratch(struct sink *sink, size_t size, struct fault *error)
{
    if (size > sink->scratch_size) {
        if (!list_resize(&sink->scratch, size, 1)) {
            *error = fault_memory(sink->path, NULL);
            return NULL;
        }
        sink->scratch_size = size;
    }
    return sink->scratch;
}
