/* zstd's frames carry no checksum: that of the chunk covers them. */
#include "proto/container/column.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/list.h"

enum { LEVEL = 5, QUICK_LEVEL = 1, QUICK_MATCH = 7, QUICK_STEP = 8, LEAST_TO_PACK = 24, MOST_COLUMNS = 32 };

/* ZSTD_c_literalCompressionMode and its values, which the header has for static linking alone. */
#define LITERALS ZSTD_c_experimentalParam5
enum { PACK_LITERALS = 1, LEAVE_LITERALS = 2 };      /* ZSTD_ps_enable, ZSTD_ps_disable */
enum { SCATTERED_SHARE = 4 };            /* of a scattered column, that a packed one may be */

struct column_packer {
    ZSTD_CCtx *context;
    struct column packed;
    bool may_leave, leaves;              /* literals of scattered columns */
};

/* ---- writing */

bool column_grow(struct column *column, size_t count)
{
    if (!column->failed && list_grow(&column->at, column->length + count, &column->room, 1))
        return true;
    column->failed = true;
    column->length = 0;
    return false;
}

void column_free(struct column *column)
{
    free(column->at);
    *column = (struct column){0};
}

static bool set(struct column_packer *packer, ZSTD_cParameter parameter, int value)
{
    return !ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, parameter, value));
}

/* Level 1 that looks for longer matches, and not at each byte: a conversion takes 5 to 10 % less time, and its file is
 * 5 to 20 % larger. A library that does not pack literals by themselves then is left as it is. */
static bool set_quick(struct column_packer *packer)
{
    packer->may_leave = set(packer, LITERALS, PACK_LITERALS);
    return set(packer, ZSTD_c_compressionLevel, QUICK_LEVEL) && set(packer, ZSTD_c_minMatch, QUICK_MATCH)
        && (!packer->may_leave || set(packer, ZSTD_c_targetLength, QUICK_STEP));
}

struct column_packer *column_packer_make(bool is_quick)
{
    struct column_packer *const packer = calloc(1, sizeof *packer);

    if (packer)
        packer->context = ZSTD_createCCtx();
    if (packer && packer->context && (is_quick ? set_quick(packer) : set(packer, ZSTD_c_compressionLevel, LEVEL))
        && set(packer, ZSTD_c_contentSizeFlag, 0))
        return packer;
    column_packer_free(packer);
    return NULL;
}

void column_packer_free(struct column_packer *packer)
{
    if (!packer)
        return;
    ZSTD_freeCCtx(packer->context);
    column_free(&packer->packed);
    free(packer);
}

/* Bytes of the packed column behind packer->packed; 0: it stays as it is. */
static size_t column_pack(struct column_packer *packer, const struct column *column)
{
    size_t const bound = ZSTD_compressBound(column->length);
    bool const may_leave = packer->may_leave && column->is_scattered;
    struct column *const packed = &packer->packed;
    size_t made;

    if (column->length < LEAST_TO_PACK)
        return 0;
    if (packed->room - packed->length < bound && !column_grow(packed, bound))
        return 0;
    if (may_leave && packer->leaves)
        set(packer, LITERALS, LEAVE_LITERALS);
    made = ZSTD_compress2(packer->context, packed->at + packed->length, bound, column->at, column->length);
    if (may_leave) {
        set(packer, LITERALS, PACK_LITERALS);
        packer->leaves = made > column->length / SCATTERED_SHARE;
    }
    return ZSTD_isError(made) || made >= column->length ? 0 : made;
}

bool columns_pack(struct column_packer *packer, const struct column *columns, size_t count,
                      struct column *payload)
{
    packer->packed.length = 0;
    for (size_t i = 0; i < count; i++) {
        size_t const made = column_pack(packer, &columns[i]);

        if (columns[i].failed)
            return false;
        column_put_number(payload, columns[i].length);
        if (columns[i].length > 0)
            column_put_number(payload, made);
        if (made > 0)
            packer->packed.length += made;
        else
            column_put_bytes(&packer->packed, columns[i].at, columns[i].length);
    }
    column_put_bytes(payload, packer->packed.at, packer->packed.length);
    return !packer->packed.failed && !payload->failed;
}

/* ---- reading */

static bool fit_unpacked(struct columns_unpacked *unpacked, size_t count)
{
    if (!unpacked->context)
        unpacked->context = ZSTD_createDCtx();
    return unpacked->context && list_fit(&unpacked->room, count + 1, &unpacked->room_bytes, 1);
}

bool columns_unpack(struct columns_unpacked *unpacked, struct column_bytes *payload, size_t most, size_t count,
                        struct column_bytes *columns, size_t *column)
{
    size_t lengths[MOST_COLUMNS], packed[MOST_COLUMNS], sum = 0;
    uint8_t *to;

    for (size_t i = 0; i < count; i++) {
        uint64_t const length = column_take_number(payload);
        uint64_t const made = length > 0 ? column_take_number(payload) : 0;

        *column = i;
        if (payload->failed || length > most || made > most)
            return false;
        lengths[i] = (size_t)length;
        packed[i] = (size_t)made;
        sum += made > 0 ? lengths[i] : 0;
    }
    *column = count;
    if (!fit_unpacked(unpacked, sum))
        return false;
    to = unpacked->room;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const from = column_take_bytes(payload, packed[i] > 0 ? packed[i] : lengths[i]);

        *column = i;
        if (!from)
            return false;
        columns[i] = (struct column_bytes){packed[i] > 0 ? to : from, NULL, false};
        columns[i].end = columns[i].at + lengths[i];
        if (packed[i] == 0)
            continue;
        if (ZSTD_decompressDCtx(unpacked->context, to, lengths[i], from, packed[i]) != lengths[i])
            return false;
        to += lengths[i];
    }
    return true;
}

void columns_unpacked_free(struct columns_unpacked *unpacked)
{
    ZSTD_freeDCtx(unpacked->context);
    free(unpacked->room);
    *unpacked = (struct columns_unpacked){0};
}
