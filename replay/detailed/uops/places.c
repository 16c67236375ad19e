/* Pages get their places in the order in which instructions are read, pc before data, as replays of the other model
 * have it; never in the order of a run, in which time would play a part. */
#include "replay/detailed/uops/uop_ring.h"

#define NO_PAGE UINT64_MAX

void places_init(struct places *places, struct space *space)
{
    *places = (struct places){.space = space, .code_page = NO_PAGE};
    for (unsigned i = 0; i < PLACES_CACHED; i++)
        places->data[i].page = places->code[i].page = NO_PAGE;
}

void places_free(struct places *places)
{
    number_map_free(&places->touched);
}

static bool is_mapped(const struct places *places, uint64_t page)
{
    for (size_t i = 0; i < places->mapped_count; i++) {
        const struct supply_range *const range = &places->mapped[i];

        if (range->bytes > 0 && page >= range->address / VM_PAGE_BYTES
            && page <= (range->address + range->bytes - 1) / VM_PAGE_BYTES)
            return true;
    }
    return false;
}

static struct fault look_for_first_touch(struct places *places, uint64_t page, bool *is_first)
{
    uint64_t *const touched = number_map_put(&places->touched, page);

    if (!touched) {
        return fault_make(FAULT_MEMORY, "out of memory for the pages of a trace");
    }
    *is_first |= *touched == 0 && !is_mapped(places, page);
    *touched = 1;
    return fault_none();
}

/* A page that is not at hand. */
static struct fault find_page(struct places *places, uint64_t page, struct cached_page *cached,
                              bool *is_first)
{
    struct fault fault = fault_none();
    uint64_t base = page * VM_PAGE_BYTES;

    if (places->finds_first_touches)
        FORWARD(look_for_first_touch(places, page, is_first));
    if (places->space)
        base = space_touch_and_place(places->space, base, &fault);
    if (base == VM_NOWHERE)
        return fault;
    *cached = (struct cached_page){page, base};
    return fault_none();
}

static inline struct fault places_look_up(struct places *places, uint64_t page, uint64_t *base, bool *is_first)
{
    struct cached_page *const cached = &places->data[page % PLACES_CACHED];

    if (cached->page != page)
        FORWARD(find_page(places, page, cached, is_first));
    *base = cached->base;
    return fault_none();
}

struct fault places_data(struct places *places, struct supply_access *access)
{
    uint64_t const page = access->address / VM_PAGE_BYTES;
    uint64_t const last = (access->address + (access->size_bytes ? access->size_bytes - 1 : 0)) / VM_PAGE_BYTES;
    uint64_t base, other;

    access->is_first_touch = access->faults = false;
    FORWARD(places_look_up(places, page, &base, &access->is_first_touch));
    access->place = base + access->address % VM_PAGE_BYTES;
    access->has_place = true;
    return last == page ? fault_none() : places_look_up(places, last, &other, &access->is_first_touch);
}

static struct fault load_around(struct places *places, uint64_t page)
{
    struct fault fault = fault_none();
    uint64_t const first = page & ~(uint64_t)(PLACES_AROUND - 1);

    for (uint64_t at = first; at < first + PLACES_AROUND; at++)
        if (space_touch_and_place(places->space, at * VM_PAGE_BYTES, &fault) == VM_NOWHERE)
            return fault;
    return fault_none();
}

static struct fault touch_code(struct places *places, uint64_t page)
{
    struct fault fault = fault_none();

    places->code_page = page;
    if (places->loads_around && places->space && space_place(places->space, page * VM_PAGE_BYTES) == VM_NOWHERE)
        FORWARD(load_around(places, page));
    if (places->finds_first_touches && !number_map_put(&places->touched, page)) {
        return fault_make(FAULT_MEMORY, "out of memory for the pages of a trace");
    }
    if (places->finds_first_touches)
        *number_map_put(&places->touched, page) = 1;
    return (!places->space || space_touch_and_place(places->space, page * VM_PAGE_BYTES, &fault) != VM_NOWHERE)
        ? fault_none() : fault;
}

struct fault places_code(struct places *places, uint64_t pc, unsigned bytes)
{
    uint64_t const page = pc / VM_PAGE_BYTES, last = (pc + (bytes ? bytes - 1 : 0)) / VM_PAGE_BYTES;

    if (page != places->code_page)
        FORWARD(touch_code(places, page));
    return last == page ? fault_none() : touch_code(places, last);
}

bool places_find(struct places *places, uint64_t address, uint64_t *place)
{
    uint64_t const page = address / VM_PAGE_BYTES;
    struct cached_page *const cached = &places->code[page % PLACES_CACHED];

    if (!places->space) {
        *place = address;
        return true;
    }
    if (cached->page != page) {
        uint64_t const base = space_place(places->space, page * VM_PAGE_BYTES);

        if (base == VM_NOWHERE)
            return false;
        *cached = (struct cached_page){page, base};
    }
    *place = cached->base + address % VM_PAGE_BYTES;
    return true;
}
