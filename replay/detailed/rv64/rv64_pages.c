#include "replay/detailed/rv64/rv64_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/list.h"

enum { MOST_PAGES = 1 << 22 };

void pages_free(struct pages *pages)
{
    for (uint64_t i = 0; i < pages->count; i++)
        free(pages->list[i]);
    free(pages->list);
    free(pages->ranges);
    number_map_free(&pages->map);
    *pages = (struct pages){0};
}

static uint8_t *rv64_pages_look_up(struct pages *pages, uint64_t page)
{
    const uint64_t *const place = number_map_get(&pages->map, page);

    if (!place || *place == 0)
        return NULL;
    pages->cached[page % PAGES_CACHED].page = page;
    pages->cached[page % PAGES_CACHED].bytes = pages->list[*place - 1];
    return pages->list[*place - 1];
}

static inline uint8_t *rv64_pages_find(struct pages *pages, uint64_t page)
{
    return pages->cached[page % PAGES_CACHED].page == page && pages->cached[page % PAGES_CACHED].bytes
        ? pages->cached[page % PAGES_CACHED].bytes : rv64_pages_look_up(pages, page);
}

static void rv64_pages_make(struct pages *pages, uint64_t page)
{
    uint64_t *place;

    if (rv64_pages_find(pages, page))
        return;
    if (pages->count == MOST_PAGES) {
        pages->has_failed = true;
        return;
    }
    if (!list_fit_next(&pages->list, pages->count, sizeof *pages->list)) {
        pages->has_failed = true;
        return;
    }
    place = number_map_put(&pages->map, page);
    pages->list[pages->count] = place ? calloc(1, PAGES_BYTES) : NULL;
    if (pages->list[pages->count])
        *place = ++pages->count;
    else
        pages->has_failed = true;
}

void pages_make(struct pages *pages, uint64_t address, uint64_t bytes)
{
    uint64_t const last = (address + (bytes ? bytes - 1 : 0)) / PAGES_BYTES;

    for (uint64_t page = address / PAGES_BYTES; page <= last && !pages->has_failed; page++)
        rv64_pages_make(pages, page);
}

void pages_map(struct pages *pages, uint64_t address, uint64_t bytes)
{
    if (!list_fit_next(&pages->ranges, pages->range_count, sizeof *pages->ranges)) {
        pages->has_failed = true;
        return;
    }
    pages->ranges[pages->range_count++] =
        (struct pages_range){address / PAGES_BYTES, (address + (bytes ? bytes - 1 : 0)) / PAGES_BYTES};
}

static bool is_mapped(const struct pages *pages, uint64_t page)
{
    for (uint64_t i = 0; i < pages->range_count; i++)
        if (page >= pages->ranges[i].first && page <= pages->ranges[i].last)
            return true;
    return false;
}

static bool exists(struct pages *pages, uint64_t page)
{
    return rv64_pages_find(pages, page) != NULL || is_mapped(pages, page);
}

bool pages_have(struct pages *pages, uint64_t address, unsigned bytes)
{
    uint64_t const page = address / PAGES_BYTES, last = (address + bytes - 1) / PAGES_BYTES;

    return exists(pages, page) && (page == last || exists(pages, last));
}

/* To be written; NULL: it does not exist. */
static uint8_t *find_or_make(struct pages *pages, uint64_t page)
{
    uint8_t *const found = rv64_pages_find(pages, page);

    if (found != NULL || !is_mapped(pages, page))
        return found;
    rv64_pages_make(pages, page);
    return rv64_pages_find(pages, page);
}

uint64_t pages_read(struct pages *pages, uint64_t address, unsigned bytes)
{
    uint64_t const at = address % PAGES_BYTES;
    const uint8_t *const page = rv64_pages_find(pages, address / PAGES_BYTES);
    uint64_t value = 0;

    if (at + 8 <= PAGES_BYTES)
        return page ? bits_load64(page + at) & UINT64_MAX >> (64 - 8 * bytes) : 0;
    if (at + bytes <= PAGES_BYTES) {
        for (unsigned i = 0; page && i < bytes; i++)
            value |= (uint64_t)page[at + i] << 8 * i;
        return value;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= pages_read(pages, address + i, 1) << 8 * i;
    return value;
}

void pages_write(struct pages *pages, uint64_t address, unsigned bytes, uint64_t value)
{
    uint64_t const at = address % PAGES_BYTES;
    uint8_t *const page = find_or_make(pages, address / PAGES_BYTES);

    if (at + bytes <= PAGES_BYTES) {
        for (unsigned i = 0; page && i < bytes; i++)
            page[at + i] = (uint8_t)(value >> 8 * i);
        return;
    }
    for (unsigned i = 0; i < bytes; i++)
        pages_write(pages, address + i, 1, value >> 8 * i);
}

void pages_clear(struct pages *pages, uint64_t address, uint64_t bytes)
{
    pages_fill(pages, address, NULL, bytes);
}

void pages_fill(struct pages *pages, uint64_t address, const uint8_t *bytes, uint64_t count)
{
    pages_make(pages, address, count);
    for (uint64_t done = 0; done < count;) {
        uint64_t const at = (address + done) % PAGES_BYTES;
        uint64_t const now = count - done < PAGES_BYTES - at ? count - done : PAGES_BYTES - at;
        uint8_t *const page = rv64_pages_find(pages, (address + done) / PAGES_BYTES);

        if (page && bytes)
            memcpy(page + at, bytes + done, now);
        else if (page)
            memset(page + at, 0, now);
        done += now;
    }
}

void pages_wipe(struct pages *pages, uint64_t address, uint64_t bytes)
{
    uint64_t const count = bytes / PAGES_BYTES + (bytes % PAGES_BYTES != 0);

    for (uint64_t i = 0; i < count && i < MOST_PAGES; i++) {
        uint8_t *const page = rv64_pages_find(pages, address / PAGES_BYTES + i);

        if (page)
            memset(page, 0, PAGES_BYTES);
    }
}
