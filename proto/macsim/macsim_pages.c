/* The page asked last is kept beside the table. */
#include "proto/macsim/macsim_pages.h"

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
    number_map_free(&pages->frames);
}

void macsim_pages_next(struct macsim_pages *pages, const struct macsim_pages *before)
{
    macsim_pages_init(pages, before->base, before->is_identity);
    pages->next_frame = before->next_frame;
}

static bool touch_page(struct macsim_pages *pages, uint64_t number)
{
    size_t const known = pages->frames.count;
    uint64_t *frame;

    if (number + 1 == pages->last_number)
        return true;
    frame = number_map_put(&pages->frames, number);
    if (!frame)
        return false;
    if (pages->frames.count > known)
        *frame = pages->next_frame++;
    pages->last_number = number + 1;
    pages->last_frame = *frame;
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
        if (!touch_page(pages, (first + i) % (UINT64_MAX / MACSIM_PAGE_BYTES + 1)))
            return false;
    return true;
}

uint64_t macsim_pages_place(struct macsim_pages *pages, uint64_t address)
{
    uint64_t const number = address / MACSIM_PAGE_BYTES;

    if (pages->others.self)
        return pages->others.place(pages->others.self, address);
    if (pages->is_identity)
        return address;
    if (number + 1 != pages->last_number) {
        const uint64_t *const frame = number_map_get(&pages->frames, number);

        if (!frame)
            return UINT64_MAX;
        pages->last_number = number + 1;
        pages->last_frame = *frame;
    }
    return pages->base + pages->last_frame * MACSIM_PAGE_BYTES + address % MACSIM_PAGE_BYTES;
}
