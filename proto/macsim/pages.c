/* A hash table with open addressing, at most half full; the page asked last is kept beside it. */
#include "proto/macsim/pages.h"

#include <stdlib.h>

#define FIRST_ROOM 1024

void macsim_pages_init(struct macsim_pages *pages, uint64_t base, bool is_identity)
{
    *pages = (struct macsim_pages){.base = base, .is_identity = is_identity};
}

void macsim_pages_init_others(struct macsim_pages *pages, const struct macsim_places *others)
{
    *pages = (struct macsim_pages){.others = *others};
}

void macsim_pages_free(struct macsim_pages *pages)
{
    free(pages->table);
    pages->table = NULL;
    pages->count = pages->room = 0;
}

void macsim_pages_next(struct macsim_pages *pages, const struct macsim_pages *before)
{
    macsim_pages_init(pages, before->base, before->is_identity);
    pages->next_frame = before->next_frame;
}

static struct macsim_page *find(struct macsim_page *table, size_t room, uint64_t number)
{
    size_t place = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);

    while (table[place].number != 0 && table[place].number != number)
        place = (place + 1) & (room - 1);
    return &table[place];
}

static bool grow(struct macsim_pages *pages)
{
    size_t const room = pages->room ? 2 * pages->room : FIRST_ROOM;
    struct macsim_page *const table = calloc(room, sizeof *table);

    if (!table)
        return false;
    for (size_t i = 0; i < pages->room; i++)
        if (pages->table[i].number != 0)
            *find(table, room, pages->table[i].number) = pages->table[i];
    free(pages->table);
    pages->table = table;
    pages->room = room;
    return true;
}

static bool touch_page(struct macsim_pages *pages, uint64_t number)
{
    struct macsim_page *page;

    if (number == pages->last.number)
        return true;
    if (2 * pages->count >= pages->room && !grow(pages))
        return false;
    page = find(pages->table, pages->room, number);
    if (page->number == 0) {
        *page = (struct macsim_page){number, pages->next_frame++};
        pages->count++;
    }
    pages->last = *page;
    return true;
}

bool macsim_pages_touch(struct macsim_pages *pages, uint64_t address, uint32_t bytes)
{
    uint64_t const first = address / MACSIM_PAGE_BYTES;
    uint64_t const pages_more = (address % MACSIM_PAGE_BYTES + bytes - 1) / MACSIM_PAGE_BYTES;

    if (pages->others.self) {
        pages->fault = pages->others.touch(pages->others.self, address, bytes);
        return pages->fault.kind == FAULT_NONE;
    }
    if (pages->is_identity)
        return true;
    for (uint64_t i = 0; i <= pages_more; i++)
        if (!touch_page(pages, (first + i) % (UINT64_MAX / MACSIM_PAGE_BYTES + 1) + 1))
            return false;
    return true;
}

uint64_t macsim_pages_place(struct macsim_pages *pages, uint64_t address)
{
    uint64_t const number = address / MACSIM_PAGE_BYTES + 1;

    if (pages->others.self)
        return pages->others.place(pages->others.self, address);
    if (pages->is_identity)
        return address;
    if (number != pages->last.number) {
        struct macsim_page const *const page = pages->room ? find(pages->table, pages->room, number) : NULL;

        if (!page || page->number == 0)
            return UINT64_MAX;
        pages->last = *page;
    }
    return pages->base + pages->last.frame * MACSIM_PAGE_BYTES + address % MACSIM_PAGE_BYTES;
}
