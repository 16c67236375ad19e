/* Modelled: virtual-memory 2 and 3: pages of 4 KiB and 2 MiB, radix page tables of 512 entries and four levels. Not
 * modelled: pages of 1 GiB, five levels, copy on write, swapping, pages that are given back.
 *
 * A region is 2 MiB of virtual addresses, aligned: either one huge page, or up to 512 small ones. Addresses of 48 bits
 * reach all entries; higher bits of an address are part of its page's identity, but not of the place of its
 * entries. */
#include "memsys/vm/vm_space.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/list.h"
#include "memsys/vm/vm_frames.h"

#define OWNER_BITS 12
#define OWNER_TABLE ((UINT64_C(1) << OWNER_BITS) - 1)    /* the owner of a frame: page << OWNER_BITS | space's number */
#define NAME_BYTES 96
#define PENDING UINT64_MAX               /* the frame of a page that gets one when the space is settled */
#define ADDRESS_BITS 48
#define ENTRY_BYTES 8
#define BITS_A_LEVEL 9
#define PAGE_BITS 12

/* Numbers of tables that an identity has at one level, by range of memory. */
struct table_run { uint64_t first_prefix, count, first_index; };

struct region {
    uint32_t touched;                    /* pieces of 4 KiB */
    bool is_huge;
    bool is_broken;                      /* it never will be: there was no block, or a map has pieces of it */
    uint64_t frame;                      /* if it is huge */
};

struct space {
    struct vm_memory *memory;
    unsigned number;
    char name[NAME_BYTES];
    bool is_identity, is_settled, has_map;
    struct number_map frames;            /* of small pages */
    struct number_map region_numbers;    /* 2 MiB: its place in regions, plus 1 */
    struct region *regions;
    size_t region_count, region_room;
    uint64_t *pending;                   /* pages touched before space_settle, in that order */
    size_t pending_count, pending_room;
    struct number_map used[VM_LEVELS + 1];       /* by level: numbers of space_first_use */
    struct number_map tables[VM_LEVELS + 1];     /* by level, prefix: its frame, plus 1 */
    uint64_t touched_last;               /* page touched last, plus 1; 0: none */
    struct { uint64_t address, bytes, physical; } last;      /* page asked last; bytes 0: none */
    struct table_run runs[VM_LEVELS + 1][VM_MAX_RANGES];     /* of an identity */
    uint64_t first_table;                /* of an identity, the index of its first table's frame */
    struct space_counts counts;
};

struct vm_memory {
    struct vm_frames frames;
    struct space **spaces;
    unsigned space_count;
    size_t space_room;
    uint64_t identity_tables;            /* frames at the end of memory that identities have taken */
    struct space *host;                  /* one of them; NULL: memory is not a guest's */
};

static struct fault no_host_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory for the pages of traces");
}

static struct fault vm_space_is_full(const struct space *space)
{
    struct vm_memory const *const memory = space->memory;
    struct space_counts const counts = vm_memory_counts(memory);

    return fault_make(FAULT_INPUT, "%s: memory is full: %llu frames of 4 KiB, of which pages and page tables have %llu "
                      "and pages of 2 MiB %llu each 512%s; give more memory.size%s", space->name,
                      (unsigned long long)memory->frames.count,
                      (unsigned long long)(counts.small_pages + counts.tables), (unsigned long long)counts.huge_pages,
                      memory->frames.params.policy == PLACEMENT_COLOURED ? " (none of the page's colour is left)" : "",
                      counts.huge_pages ? ", or pages.huge: never" : memory->frames.params.policy == PLACEMENT_COLOURED
                      ? ", or fewer pages.colours" : "");
}

struct vm_memory *vm_memory_make(const struct pages_params *params, const struct vm_range *ranges, unsigned count,
                                 struct fault *fault)
{
    struct vm_memory *const memory = calloc(1, sizeof *memory);

    *fault = memory ? vm_frames_init(&memory->frames, params, ranges, count) : no_host_memory();
    if (fault->kind == FAULT_NONE)
        return memory;
    vm_memory_free(memory);
    return NULL;
}

static void space_free(struct space *space)
{
    number_map_free(&space->frames);
    number_map_free(&space->region_numbers);
    for (unsigned level = 0; level <= VM_LEVELS; level++) {
        number_map_free(&space->tables[level]);
        number_map_free(&space->used[level]);
    }
    free(space->regions);
    free(space->pending);
    free(space);
}

void vm_memory_free(struct vm_memory *memory)
{
    if (!memory)
        return;
    for (unsigned i = 0; i < memory->space_count; i++)
        space_free(memory->spaces[i]);
    free(memory->spaces);
    vm_frames_free(&memory->frames);
    free(memory);
}

/* ---- page tables */

/* The address bits that choose the table of a level. */
static unsigned table_shift(unsigned level)
{
    return PAGE_BITS + BITS_A_LEVEL * level;
}

static uint64_t table_prefix(uint64_t address, unsigned level)
{
    return (address & ((UINT64_C(1) << ADDRESS_BITS) - 1)) >> table_shift(level);
}

/* The lowest level of tables that pages have. */
static unsigned leaf_level(bool is_huge)
{
    return is_huge ? 2 : 1;
}

static bool identity_is_huge(const struct space *space)
{
    return space->memory->frames.params.huge == HUGE_ALWAYS;
}

/* All tables that addresses of memory need, one after the other at its end: level by level, range by range. */
static struct fault lay_identity_tables(struct space *space)
{
    struct vm_memory *const memory = space->memory;
    struct vm_frames const *const frames = &memory->frames;
    uint64_t index = 0;

    for (unsigned level = leaf_level(identity_is_huge(space)); level <= VM_LEVELS; level++) {
        uint64_t next = 0;               /* prefixes below it have their table */

        for (unsigned i = 0; i < frames->touched_count; i++) {
            unsigned const shift = BITS_A_LEVEL * level;
            uint64_t const first = max_u64(frames->touched[i].base >> shift, next);
            uint64_t const end = ((frames->touched[i].base + frames->touched[i].bytes - 1) >> shift) + 1;

            space->runs[level][i] = (struct table_run){first, end > first ? end - first : 0, index};
            index += space->runs[level][i].count;
            next = max_u64(end, next);
        }
    }
    memory->identity_tables += index;
    space->counts.tables = index;
    if (memory->identity_tables > frames->count)
        return fault_make(FAULT_INPUT, "%s: page tables for all of memory need %llu frames of 4 KiB, and memory has "
                          "%llu; give more memory.size", space->name, (unsigned long long)memory->identity_tables,
                          (unsigned long long)frames->count);
    space->first_table = frames->count - memory->identity_tables;
    memory->frames.next_table = max_u64(frames->next_table, memory->identity_tables);
    return fault_none();
}

static uint64_t identity_table(const struct space *space, uint64_t address, unsigned level)
{
    uint64_t const prefix = address >> table_shift(level);

    for (unsigned i = 0; i < space->memory->frames.touched_count; i++) {
        struct table_run const run = space->runs[level][i];

        if (prefix - run.first_prefix < run.count)
            return vm_frame_at(&space->memory->frames,
                               space->first_table + run.first_index + (prefix - run.first_prefix));
    }
    return VM_NO_FRAME;
}

static struct fault make_tables(struct space *space, uint64_t address, bool is_huge)
{
    for (unsigned level = VM_LEVELS; level >= leaf_level(is_huge); level--) {
        bool lacks_memory = false;
        uint64_t *const table = number_map_put(&space->tables[level], table_prefix(address, level));
        uint64_t frame;

        if (!table)
            return no_host_memory();
        if (*table != 0)
            continue;
        frame = vm_frames_take_table(&space->memory->frames, OWNER_TABLE, &lacks_memory);
        if (lacks_memory)
            return no_host_memory();
        if (frame == VM_NO_FRAME)
            return vm_space_is_full(space);
        *table = frame + 1;
        space->counts.tables++;
    }
    return fault_none();
}

uint64_t space_entry(struct space *space, uint64_t address, unsigned level)
{
    uint64_t const index = address >> (table_shift(level) - BITS_A_LEVEL) & (VM_PAGES_IN_HUGE - 1);
    uint64_t frame = VM_NO_FRAME;

    if (space->is_identity) {
        frame = identity_table(space, address, level);
    } else {
        const uint64_t *const table = number_map_get(&space->tables[level], table_prefix(address, level));

        if (table)
            frame = *table - 1;
    }
    return frame == VM_NO_FRAME ? VM_NOWHERE : frame * VM_PAGE_BYTES + index * ENTRY_BYTES;
}

bool space_first_use(struct space *space, uint64_t number, unsigned level)
{
    uint64_t *const uses = number_map_put(&space->used[level], number);

    return uses && ++*uses == 1;
}

/* ---- spaces */

struct space *vm_memory_add_space(struct vm_memory *memory, const char *name, bool is_identity, struct fault *fault)
{
    struct space *space;

    if (memory->space_count == VM_MAX_SPACES) {
        *fault = fault_make(FAULT_INPUT, "%s: more than %d address spaces", name, VM_MAX_SPACES);
        return NULL;
    }
    space = list_fit(&memory->spaces, memory->space_count + 1, &memory->space_room, sizeof *memory->spaces)
        ? calloc(1, sizeof *space) : NULL;
    if (!space) {
        *fault = no_host_memory();
        return NULL;
    }
    memory->spaces[memory->space_count++] = space;
    space->memory = memory;
    space->number = memory->space_count;
    space->is_identity = is_identity || memory->frames.params.policy == PLACEMENT_IDENTITY;
    snprintf(space->name, sizeof space->name, "%s", name);
    *fault = space->is_identity ? lay_identity_tables(space) : fault_none();
    return fault->kind == FAULT_NONE ? space : NULL;
}

unsigned space_number(const struct space *space)
{
    return space->number;
}

struct space_counts space_counts(const struct space *space)
{
    return space->counts;
}

struct space_counts vm_memory_counts(const struct vm_memory *memory)
{
    struct space_counts sum = {0};

    for (unsigned i = 0; i < memory->space_count; i++) {
        const struct space_counts *const counts = &memory->spaces[i]->counts;

        sum.small_pages += counts->small_pages;
        sum.huge_pages += counts->huge_pages;
        sum.tables += counts->tables;
        sum.broken_huge_pages += counts->broken_huge_pages;
    }
    return sum;
}

static uint64_t vm_space_owner_of(const struct space *space, uint64_t page)
{
    return page << OWNER_BITS | space->number;
}

static struct region *region_of(const struct space *space, uint64_t page)
{
    const uint64_t *const number = number_map_get(&space->region_numbers, page / VM_PAGES_IN_HUGE);

    return number ? &space->regions[*number - 1] : NULL;
}

/* The region of a page, made if need be. NULL: out of memory. */
static struct region *make_region(struct space *space, uint64_t page)
{
    uint64_t *const number = number_map_put(&space->region_numbers, page / VM_PAGES_IN_HUGE);

    if (!number)
        return NULL;
    if (*number != 0)
        return &space->regions[*number - 1];
    if (!list_fit(&space->regions, space->region_count + 1, &space->region_room, sizeof *space->regions))
        return NULL;
    space->regions[space->region_count++] = (struct region){.frame = 0};
    *number = space->region_count;
    return &space->regions[space->region_count - 1];
}

/* ---- places */

static struct fault place_small(struct space *space, uint64_t page, uint64_t *frame)
{
    bool lacks_memory = false;

    FORWARD(make_tables(space, page * VM_PAGE_BYTES, false));
    *frame = vm_frames_take(&space->memory->frames, page, vm_space_owner_of(space, page), &lacks_memory);
    if (lacks_memory)
        return no_host_memory();
    if (*frame == VM_NO_FRAME)
        return vm_space_is_full(space);
    space->counts.small_pages++;
    return fault_none();
}

/* Makes a region a huge page if a block is free, else marks it as broken. */
static struct fault place_region(struct space *space, struct region *region, uint64_t page)
{
    bool lacks_memory = false;
    uint64_t const first = page / VM_PAGES_IN_HUGE * VM_PAGES_IN_HUGE;
    uint64_t const frame = vm_frames_take_block(&space->memory->frames, vm_space_owner_of(space, first), &lacks_memory);

    if (lacks_memory)
        return no_host_memory();
    region->is_broken = frame == VM_NO_FRAME;
    space->counts.broken_huge_pages += region->is_broken;
    if (region->is_broken)
        return fault_none();
    region->is_huge = true;
    region->frame = frame;
    space->counts.huge_pages++;
    return make_tables(space, page * VM_PAGE_BYTES, true);
}

static bool wants_huge(const struct space *space, const struct region *region)
{
    const struct pages_params *const params = &space->memory->frames.params;

    return !region->is_huge && !region->is_broken
        && (params->huge == HUGE_ALWAYS
            || (params->huge == HUGE_THRESHOLD && !space->is_settled && region->touched >= params->threshold));
}

static bool wait_for_settling(struct space *space, uint64_t page)
{
    if (!list_fit(&space->pending, space->pending_count + 1, &space->pending_room, sizeof *space->pending))
        return false;
    space->pending[space->pending_count++] = page;
    return true;
}

/* With `huge: never` there are no regions but those of a map. */
static struct fault touch_page(struct space *space, uint64_t page)
{
    bool const waits = space->memory->frames.params.huge == HUGE_THRESHOLD && !space->is_settled;
    struct region *region = region_of(space, page);
    uint64_t *frame, given;

    if ((region && region->is_huge) || number_map_get(&space->frames, page))
        return space->has_map ? make_tables(space, page * VM_PAGE_BYTES, region && region->is_huge) : fault_none();
    if (space->memory->frames.params.huge != HUGE_NEVER) {
        region = make_region(space, page);
        if (!region)
            return no_host_memory();
        region->touched++;
        if (!waits && wants_huge(space, region))
            FORWARD(place_region(space, region, page));
        if (region->is_huge)
            return fault_none();
    }
    frame = number_map_put(&space->frames, page);
    if (!frame || (waits && !wait_for_settling(space, page)))
        return no_host_memory();
    *frame = PENDING;
    if (waits)
        return fault_none();
    FORWARD(place_small(space, page, &given));
    *frame = given;
    return fault_none();
}

struct fault space_touch(struct space *space, uint64_t address, uint64_t bytes)
{
    uint64_t const first = address / VM_PAGE_BYTES;
    uint64_t const more = (address % VM_PAGE_BYTES + (bytes ? bytes - 1 : 0)) / VM_PAGE_BYTES;

    if (space->is_identity || (more == 0 && first + 1 == space->touched_last))
        return fault_none();
    for (uint64_t i = 0; i <= more; i++)
        FORWARD(touch_page(space, (first + i) % (UINT64_MAX / VM_PAGE_BYTES + 1)));
    space->touched_last = first + 1;
    return fault_none();
}

struct space *vm_memory_nth_space(const struct vm_memory *memory, unsigned i)
{
    unsigned const first = memory->host != NULL;

    return memory->space_count > first + i ? memory->spaces[first + i] : NULL;
}

struct space *vm_memory_first_space(const struct vm_memory *memory)
{
    return vm_memory_nth_space(memory, 0);
}

struct space *vm_memory_add_host(struct vm_memory *memory, struct fault *fault)
{
    assert(memory->space_count == 0);
    memory->host = vm_memory_add_space(memory, "host", true, fault);
    return memory->host;
}

struct space *vm_memory_host(const struct vm_memory *memory)
{
    return memory->host;
}

uint64_t space_page_bytes(const struct space *space)
{
    assert(space->is_identity);
    return identity_is_huge(space) ? VM_HUGE_BYTES : VM_PAGE_BYTES;
}

/* Regions in which enough was touched become huge as their first page gets its turn. */
struct fault space_settle(struct space *space)
{
    for (size_t i = 0; i < space->pending_count; i++) {
        uint64_t const page = space->pending[i];
        struct region *const region = region_of(space, page);
        uint64_t frame;

        if (wants_huge(space, region))
            FORWARD(place_region(space, region, page));
        if (region->is_huge)
            continue;
        FORWARD(place_small(space, page, &frame));
        *number_map_get(&space->frames, page) = frame;
    }
    free(space->pending);
    space->pending = NULL;
    space->pending_count = space->pending_room = 0;
    space->is_settled = true;
    return fault_none();
}

/* ---- a map */

static struct fault map_fault(const struct space *space, uint64_t address, uint64_t physical, const char *what)
{
    return fault_make(FAULT_INPUT, "%s: virtual page 0x%llx at physical 0x%llx: %s", space->name,
                      (unsigned long long)address, (unsigned long long)physical, what);
}

static struct fault map_small(struct space *space, uint64_t page, uint64_t frame)
{
    bool lacks_memory = false;
    uint64_t *const place = number_map_put(&space->frames, page);
    struct region *const region = make_region(space, page);

    if (!place || !region)
        return no_host_memory();
    *place = frame;
    region->is_broken = true;
    vm_frames_take_this(&space->memory->frames, frame, vm_space_owner_of(space, page), &lacks_memory);
    space->counts.small_pages++;
    return lacks_memory ? no_host_memory() : fault_none();
}

static struct fault map_huge(struct space *space, uint64_t page, uint64_t frame)
{
    bool lacks_memory = false;
    struct region *const region = make_region(space, page);

    if (!region)
        return no_host_memory();
    *region = (struct region){.is_huge = true, .frame = frame};
    vm_frames_take_this_block(&space->memory->frames, frame, vm_space_owner_of(space, page), &lacks_memory);
    space->counts.huge_pages++;
    return lacks_memory ? no_host_memory() : fault_none();
}

/* Tables are made when a page is touched: not before all of the map has its frames. */
struct fault space_map(struct space *space, uint64_t address, uint64_t physical, uint64_t bytes)
{
    uint64_t const page = address / VM_PAGE_BYTES, frame = physical / VM_PAGE_BYTES, count = bytes / VM_PAGE_BYTES;

    space->has_map = true;
    if (address % VM_PAGE_BYTES || physical % VM_PAGE_BYTES || bytes % VM_PAGE_BYTES || bytes == 0)
        return map_fault(space, address, physical, "no multiple of 4 KiB");
    if (!vm_frames_are_memory(&space->memory->frames, frame, count))
        return map_fault(space, address, physical, "not in memory; give more memory.size, or a memory there "
                         "(memory.base)");
    for (uint64_t i = 0; i < count;) {
        bool const is_huge = (page + i) % VM_PAGES_IN_HUGE == 0 && (frame + i) % VM_PAGES_IN_HUGE == 0
            && count - i >= VM_PAGES_IN_HUGE;
        const struct region *const region = region_of(space, page + i);

        if ((region && (region->is_huge || is_huge)) || number_map_get(&space->frames, page + i))
            return map_fault(space, address, physical, "this page, or a part of it, has a place already");
        FORWARD((is_huge ? map_huge : map_small)(space, page + i, frame + i));
        i += is_huge ? VM_PAGES_IN_HUGE : 1;
    }
    return fault_none();
}

/* ---- there and back */

static void vm_space_remember(struct space *space, uint64_t address, uint64_t bytes, uint64_t frame)
{
    space->last.address = address / bytes * bytes;
    space->last.bytes = bytes;
    space->last.physical = frame * VM_PAGE_BYTES;
}

uint64_t space_place(struct space *space, uint64_t address)
{
    uint64_t const page = address / VM_PAGE_BYTES;

    if (space->is_identity)
        return address;
    if (address - space->last.address >= space->last.bytes) {
        const struct region *const region = space->region_count ? region_of(space, page) : NULL;

        if (region && region->is_huge) {
            vm_space_remember(space, address, VM_HUGE_BYTES, region->frame);
        } else {
            const uint64_t *const frame = number_map_get(&space->frames, page);

            if (!frame || *frame == PENDING)
                return VM_NOWHERE;
            vm_space_remember(space, address, VM_PAGE_BYTES, *frame);
        }
    }
    return space->last.physical + (address - space->last.address);
}

/* Of a space whose addresses are physical. */
static bool is_in_memory(const struct space *space, uint64_t address)
{
    struct vm_frames const *const frames = &space->memory->frames;

    for (unsigned i = 0; i < frames->touched_count; i++)
        if (address / VM_PAGE_BYTES - frames->touched[i].base < frames->touched[i].bytes)
            return true;
    return false;
}

static struct fault not_in_memory(const struct space *space, uint64_t address)
{
    struct vm_frames const *const frames = &space->memory->frames;
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    uint64_t const base = frames->touched_count ? frames->touched[0].base * VM_PAGE_BYTES : 0;
    uint64_t const end = frames->touched_count ? (frames->touched[frames->touched_count - 1].base
                                                  + frames->touched[frames->touched_count - 1].bytes) * VM_PAGE_BYTES
                                               : 0;
    unsigned exponent = 10;

    if (address < base || address < end || address - base >= UINT64_C(1) << 62)
        return fault_make(FAULT_INPUT, "%s: address 0x%llx lies %s memory, which goes from 0x%llx to 0x%llx",
                          space->name, (unsigned long long)address,
                          address >= base && address < end ? "in a hole of" : address < base ? "below" : "beyond any",
                          (unsigned long long)base, (unsigned long long)(end - 1));
    while (UINT64_C(1) << exponent <= address - base)
        exponent++;
    return fault_make(FAULT_INPUT, "%s: address 0x%llx lies outside memory, which ends at 0x%llx; give "
                      "memory.size=%u%s or more", space->name, (unsigned long long)address, (unsigned long long)end,
                      1u << exponent % 10, units[exponent / 10 - 1]);
}

uint64_t space_fold(const struct space *space, uint64_t address)
{
    struct vm_frames const *const frames = &space->memory->frames;

    if (is_in_memory(space, address) || frames->count == 0)
        return address;
    return vm_frame_at(frames, address / VM_PAGE_BYTES % frames->count) * VM_PAGE_BYTES + address % VM_PAGE_BYTES;
}

uint64_t space_touch_and_place(struct space *space, uint64_t address, struct fault *fault)
{
    uint64_t const known = space_place(space, address);

    if (space->is_identity && !is_in_memory(space, address)) {
        *fault = not_in_memory(space, address);
        return VM_NOWHERE;
    }
    if (known != VM_NOWHERE)
        return known;
    *fault = space_touch(space, address, 1);
    return fault->kind == FAULT_NONE ? space_place(space, address) : VM_NOWHERE;
}

static struct vm_page owned(const struct vm_memory *memory, uint64_t owner, uint64_t physical, uint64_t bytes)
{
    if ((owner & OWNER_TABLE) == OWNER_TABLE)
        return (struct vm_page){NULL, VM_NOWHERE, 0};
    return (struct vm_page){memory->spaces[(owner & OWNER_TABLE) - 1],
                            (owner >> OWNER_BITS) * VM_PAGE_BYTES + physical % bytes, bytes};
}

struct vm_page vm_find(const struct vm_memory *memory, struct space *own, uint64_t physical)
{
    uint64_t const frame = physical / VM_PAGE_BYTES;
    const uint64_t *owner;

    if (own && own->is_identity)
        return (struct vm_page){own, physical, identity_is_huge(own) ? VM_HUGE_BYTES : VM_PAGE_BYTES};
    owner = number_map_get(&memory->frames.owners, frame);
    if (owner)
        return owned(memory, *owner, physical, VM_PAGE_BYTES);
    owner = number_map_get(&memory->frames.huge_owners, frame / VM_PAGES_IN_HUGE * VM_PAGES_IN_HUGE);
    if (owner)
        return owned(memory, *owner, physical, VM_HUGE_BYTES);
    return (struct vm_page){NULL, VM_NOWHERE, 0};
}

uint64_t space_virtual_of(struct space *space, uint64_t physical)
{
    struct vm_page const page = vm_find(space->memory, space, physical);

    return page.space == space ? page.address : VM_NOWHERE;
}
