/* A thin cover over libzstd. A text ends where a frame ends and no byte follows: ZSTD_decompressStream answers 0 at the
 * end of each frame. */
#include "proto/io/zst.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

struct unzst {
    ZSTD_DStream *stream;
    bool between_frames;             /* nothing of a frame was read */
};

struct unzst *unzst_new(void)
{
    struct unzst *const unzst = calloc(1, sizeof *unzst);

    if (unzst == NULL)
        return NULL;
    unzst->stream = ZSTD_createDStream();
    unzst->between_frames = true;
    if (unzst->stream != NULL)
        return unzst;
    free(unzst);
    return NULL;
}

void unzst_free(struct unzst *unzst)
{
    if (unzst == NULL)
        return;
    ZSTD_freeDStream(unzst->stream);
    free(unzst);
}

static const char *zst_problem_of(size_t code)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_frameParameter_windowTooLarge:
        return "it needs more than 128 MiB to be decompressed; compress it again without --long or --ultra";
    case ZSTD_error_prefix_unknown: return "behind a frame are other bytes";
    case ZSTD_error_checksum_wrong: return "its check sum is wrong";
    case ZSTD_error_dictionary_wrong: return "it needs a dictionary; compress it again without one";
    default: return ZSTD_getErrorName(code);
    }
}

enum inflate_status unzst_run(struct unzst *unzst, struct inflate_job *job, bool is_end)
{
    ZSTD_inBuffer in = {.src = job->from, .size = job->from_left};
    ZSTD_outBuffer out = {.dst = job->to, .size = job->room};
    size_t const left = ZSTD_decompressStream(unzst->stream, &out, &in);

    job->made = out.pos;
    job->from += in.pos;
    job->from_left -= in.pos;
    if (ZSTD_isError(left)) {
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            return INFLATE_NO_MEMORY;
        job->problem = zst_problem_of(left);
        return INFLATE_DAMAGED;
    }
    if (in.pos > 0 || out.pos > 0)
        unzst->between_frames = left == 0;
    return is_end && unzst->between_frames && job->from_left == 0 ? INFLATE_END : INFLATE_OK;
}

enum { LEVEL = 1, BLOCK = 64 * 1024 };

struct sink_zst {
    ZSTD_CCtx *context;
    int file;
    uint8_t block[BLOCK];
};

struct sink_zst *sink_zst_open(int descriptor)
{
    struct sink_zst *const zst = malloc(sizeof *zst);

    if (zst == NULL)
        return NULL;
    zst->context = ZSTD_createCCtx();
    zst->file = descriptor;
    if (zst->context != NULL
        && !ZSTD_isError(ZSTD_CCtx_setParameter(zst->context, ZSTD_c_compressionLevel, LEVEL))
        && !ZSTD_isError(ZSTD_CCtx_setParameter(zst->context, ZSTD_c_checksumFlag, 1)))
        return zst;
    ZSTD_freeCCtx(zst->context);
    free(zst);
    return NULL;
}

static const char *sink_zst_write_block(const struct sink_zst *zst, size_t count)
{
    const uint8_t *at = zst->block;

    while (count > 0) {
        ssize_t const written = write(zst->file, at, count);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? strerror(errno) : "the disk is full";
        at += written;
        count -= (size_t)written;
    }
    return NULL;
}

static const char *sink_zst_run(struct sink_zst *zst, ZSTD_inBuffer *in, ZSTD_EndDirective directive)
{
    size_t left;

    do {
        ZSTD_outBuffer out = {.dst = zst->block, .size = BLOCK};
        const char *problem;

        left = ZSTD_compressStream2(zst->context, &out, in, directive);
        if (ZSTD_isError(left))
            return ZSTD_getErrorName(left);
        problem = sink_zst_write_block(zst, out.pos);
        if (problem != NULL)
            return problem;
    } while (directive == ZSTD_e_end ? left > 0 : in->pos < in->size);
    return NULL;
}

const char *sink_zst_write(struct sink_zst *zst, const void *bytes, size_t count)
{
    return sink_zst_run(zst, &(ZSTD_inBuffer){.src = bytes, .size = count}, ZSTD_e_continue);
}

const char *sink_zst_close(struct sink_zst *zst, bool finish)
{
    const char *problem = finish ? sink_zst_run(zst, &(ZSTD_inBuffer){0}, ZSTD_e_end) : NULL;

    ZSTD_freeCCtx(zst->context);
    if (close(zst->file) != 0 && problem == NULL)
        problem = strerror(errno);
    free(zst);
    return problem;
}
