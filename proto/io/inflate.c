/* Both libraries check sum and length of a member when it ends. ISA-L may hold back bytes that it has read or made; in
 * between calls that shows in nothing. ISA-L is loaded when something is to be inflated: a replay from a store starts
 * without it. */
#include "proto/io/inflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#ifdef RUBATO_ISAL
#include <isa-l/igzip_lib.h>

#include "base/host_library.h"

#define ISAL_LIBRARY "libisal.so.2"
#endif

#define PIECE (UINT32_C(1) << 30)     /* both count in 32 bits */

#ifdef RUBATO_ISAL
struct isal {
    void *library;                    /* NULL: not loaded */
    void (*init)(struct inflate_state *state);
    void (*reset)(struct inflate_state *state);
    int (*inflate)(struct inflate_state *state);
    struct inflate_state state;
};
#endif

struct inflater {
    bool is_fast;
    z_stream zlib;
#ifdef RUBATO_ISAL
    struct isal isal;
#endif
};

#ifdef RUBATO_ISAL
static bool load_isal(struct isal *isal)
{
    isal->library = host_library_open(ISAL_LIBRARY);
    if (isal->library == NULL)
        return false;
    if (host_library_find(isal->library, "isal_inflate_init", &isal->init)
        && host_library_find(isal->library, "isal_inflate_reset", &isal->reset)
        && host_library_find(isal->library, "isal_inflate", &isal->inflate))
        return true;
    host_library_close(isal->library);
    return false;
}
#endif

struct inflater *inflater_new(bool fast)
{
    struct inflater *const inflater = malloc(sizeof *inflater);

    if (inflater == NULL)
        return NULL;
#ifdef RUBATO_ISAL
    inflater->is_fast = fast && load_isal(&inflater->isal);
    if (inflater->is_fast) {
        inflater->isal.init(&inflater->isal.state);
        inflater->isal.state.crc_flag = ISAL_GZIP;
        return inflater;
    }
#else
    (void)fast;
    inflater->is_fast = false;
#endif
    inflater->zlib = (z_stream){0};
    if (inflateInit2(&inflater->zlib, 15 + 16) == Z_OK)
        return inflater;
    free(inflater);
    return NULL;
}

void inflater_free(struct inflater *inflater)
{
    if (inflater == NULL)
        return;
    if (!inflater->is_fast)
        inflateEnd(&inflater->zlib);
#ifdef RUBATO_ISAL
    else
        host_library_close(inflater->isal.library);
#endif
    free(inflater);
}

bool inflater_is_fast(const struct inflater *inflater)
{
    return inflater->is_fast;
}

bool inflater_reset(struct inflater *inflater)
{
#ifdef RUBATO_ISAL
    if (inflater->is_fast) {
        inflater->isal.reset(&inflater->isal.state);
        inflater->isal.state.crc_flag = ISAL_GZIP;
        return true;
    }
#endif
    return inflateReset(&inflater->zlib) == Z_OK;
}

static uint32_t piece_of(size_t bytes)
{
    return bytes < PIECE ? (uint32_t)bytes : PIECE;
}

#ifdef RUBATO_ISAL
static enum inflate_status run_isal(struct isal *isal, struct inflate_job *job)
{
    struct inflate_state *const state = &isal->state;
    uint32_t const given = piece_of(job->from_left), room = piece_of(job->room);
    int code;

    state->next_in = (uint8_t *)(uintptr_t)job->from;     /* ISA-L only reads there */
    state->avail_in = given;
    state->next_out = job->to;
    state->avail_out = room;
    code = isal->inflate(state);
    job->from = state->next_in;
    job->from_left -= given - state->avail_in;
    job->made = room - state->avail_out;
    if (code < 0 || code == ISAL_NEED_DICT) {
        job->problem = "invalid data";
        return INFLATE_DAMAGED;
    }
    return state->block_state == ISAL_BLOCK_FINISH ? INFLATE_END : INFLATE_OK;
}
#endif

static enum inflate_status run_zlib(z_stream *z, struct inflate_job *job)
{
    uint32_t const given = piece_of(job->from_left), room = piece_of(job->room);
    int code;

    z->next_in = (Bytef *)(uintptr_t)job->from;     /* zlib only reads there */
    z->avail_in = given;
    z->next_out = job->to;
    z->avail_out = room;
    code = inflate(z, Z_NO_FLUSH);
    job->from += given - z->avail_in;
    job->from_left -= given - z->avail_in;
    job->made = room - z->avail_out;
    switch (code) {
    case Z_OK:
    case Z_BUF_ERROR: return INFLATE_OK;
    case Z_STREAM_END: return INFLATE_END;
    case Z_MEM_ERROR: return INFLATE_NO_MEMORY;
    default: job->problem = z->msg != NULL ? z->msg : "a preset dictionary"; return INFLATE_DAMAGED;
    }
}

enum inflate_status inflater_run(struct inflater *inflater, struct inflate_job *job)
{
#ifdef RUBATO_ISAL
    if (inflater->is_fast)
        return run_isal(&inflater->isal, job);
#endif
    return run_zlib(&inflater->zlib, job);
}
