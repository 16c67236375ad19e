/* A thin cover over liblzma; the texts say what its codes mean for the owner of the file. */
#include "proto/io/unxz.h"

#include <lzma.h>
#include <stdlib.h>

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
