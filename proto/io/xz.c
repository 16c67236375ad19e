/* A thin cover over liblzma; the texts explain its codes to the owner of the file. */
#include "proto/io/xz.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct unxz {
    lzma_stream lzma;
};

struct unxz *unxz_new(void)
{
    struct unxz *const unxz = calloc(1, sizeof *unxz);

    if (unxz == NULL)
        return NULL;
    unxz->lzma = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&unxz->lzma, UNXZ_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK)
        return unxz;
    free(unxz);
    return NULL;
}

void unxz_free(struct unxz *unxz)
{
    if (unxz == NULL)
        return;
    lzma_end(&unxz->lzma);
    free(unxz);
}

static const char *problem_of(lzma_ret code)
{
    switch (code) {
    case LZMA_MEMLIMIT_ERROR: return "it needs more than 256 MiB to be decompressed; compress it again with xz -6";
    case LZMA_FORMAT_ERROR: return "behind the magic number is no xz data";
    case LZMA_OPTIONS_ERROR: return "it uses options that this liblzma does not know";
    case LZMA_DATA_ERROR: return "a check sum or a code is wrong, or something else follows it";
    default: return "liblzma refuses it";
    }
}

enum inflate_status unxz_run(struct unxz *unxz, struct inflate_job *job, bool is_end)
{
    lzma_stream *const lzma = &unxz->lzma;
    lzma_ret code;

    lzma->next_in = job->from;
    lzma->avail_in = job->from_left;
    lzma->next_out = job->to;
    lzma->avail_out = job->room;
    code = lzma_code(lzma, is_end ? LZMA_FINISH : LZMA_RUN);
    job->made = job->room - lzma->avail_out;
    job->from = lzma->next_in;
    job->from_left = lzma->avail_in;
    switch (code) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: return INFLATE_OK;
    case LZMA_STREAM_END: return INFLATE_END;
    case LZMA_MEM_ERROR: return INFLATE_NO_MEMORY;
    default: break;
    }
    job->problem = problem_of(code);
    return INFLATE_DAMAGED;
}

enum { LEVEL = 1, BLOCK = 64 * 1024 };

struct sink_xz {
    lzma_stream stream;
    int file;
    uint8_t block[BLOCK];
};

struct sink_xz *sink_xz_open(int descriptor)
{
    struct sink_xz *const xz = malloc(sizeof *xz);

    if (xz == NULL)
        return NULL;
    xz->stream = (lzma_stream)LZMA_STREAM_INIT;
    xz->file = descriptor;
    if (lzma_easy_encoder(&xz->stream, LEVEL, LZMA_CHECK_CRC64) != LZMA_OK) {
        free(xz);
        return NULL;
    }
    xz->stream.next_out = xz->block;
    xz->stream.avail_out = BLOCK;
    return xz;
}

static const char *sink_xz_write_block(struct sink_xz *xz)
{
    const uint8_t *at = xz->block;
    size_t left = BLOCK - xz->stream.avail_out;

    while (left > 0) {
        ssize_t const written = write(xz->file, at, left);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? strerror(errno) : "the disk is full";
        at += written;
        left -= (size_t)written;
    }
    xz->stream.next_out = xz->block;
    xz->stream.avail_out = BLOCK;
    return NULL;
}

static const char *sink_xz_run(struct sink_xz *xz, lzma_action action)
{
    lzma_ret answer = LZMA_OK;

    while (answer == LZMA_OK && (action == LZMA_FINISH || xz->stream.avail_in > 0)) {
        const char *const problem = xz->stream.avail_out == 0 ? sink_xz_write_block(xz) : NULL;

        if (problem != NULL)
            return problem;
        answer = lzma_code(&xz->stream, action);
    }
    if (answer == LZMA_STREAM_END)
        return sink_xz_write_block(xz);
    return answer == LZMA_OK ? NULL : answer == LZMA_MEM_ERROR ? "out of memory" : "xz cannot go on";
}

const char *sink_xz_write(struct sink_xz *xz, const void *bytes, size_t count)
{
    xz->stream.next_in = bytes;
    xz->stream.avail_in = count;
    return sink_xz_run(xz, LZMA_RUN);
}

const char *sink_xz_close(struct sink_xz *xz, bool finish)
{
    const char *problem = finish ? sink_xz_run(xz, LZMA_FINISH) : NULL;

    lzma_end(&xz->stream);
    if (close(xz->file) != 0 && problem == NULL)
        problem = strerror(errno);
    free(xz);
    return problem;
}
