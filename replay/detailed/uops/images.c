/* An index of pointers for each 4 KiB of code, made at the first look-up in it, so that it costs nothing in a run that
 * never leaves the right path. */
#include "replay/detailed/uops/static_insns.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "replay/detailed/uops/crack.h"

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT };

struct image {
    struct insn_image of;
    struct image_insn ***pages;          /* of each 4 KiB that it has a part of; NULL: nothing on it was asked for */
};

struct images {
    enum isa isa;
    struct isa_decoder *decoder;
    unsigned shift;                      /* instructions begin at multiples of 2 to the power of this */
    struct image *list;
    size_t count, last;                  /* last: the one that was asked for last */
    bool has_failed;
    struct arena arena;
    struct supply_access nothing[CRACK_MOST_ACCESSES];
};

static size_t page_count(const struct insn_image *image)
{
    return (size_t)((image->address + image->byte_count - 1) / PAGE_BYTES - image->address / PAGE_BYTES + 1);
}

static bool images_fill(struct images *images, const struct insn_image *list, size_t count)
{
    images->list = calloc(count, sizeof *images->list);
    for (size_t i = 0; images->list && i < count; i++) {
        struct image *const image = &images->list[images->count];

        image->of = list[i];
        image->pages = calloc(page_count(&list[i]), sizeof(struct image_insn **));
        if (!image->pages)
            return false;
        images->count++;
    }
    return images->list != NULL;
}

struct images *images_open(const struct insn_trace *trace, struct fault *fault)
{
    static const struct { enum isa isa; unsigned shift; } known[] = {
        {ISA_RV64, 1}, {ISA_A64, 2}, {ISA_X86_64, 0}, {ISA_X86_32, 0}};
    enum isa const isa = insn_trace_isa(trace);
    const struct insn_image *list;
    size_t const count = insn_trace_images(trace, &list);
    struct images *images;
    size_t i = 0;

    *fault = fault_none();
    while (i < sizeof known / sizeof known[0] && known[i].isa != isa)
        i++;
    if (count == 0 || i == sizeof known / sizeof known[0])
        return NULL;
    images = calloc(1, sizeof *images);
    if (images) {
        images->isa = isa;
        images->shift = known[i].shift;
        images->decoder = isa_decoder_open(isa, fault);
        if (images->decoder && images_fill(images, list, count))
            return images;
    }
    if (fault->kind == FAULT_NONE)
        *fault = fault_make(FAULT_MEMORY, "out of memory for code images");
    images_close(images);
    return NULL;
}

void images_close(struct images *images)
{
    if (!images)
        return;
    for (size_t i = 0; i < images->count; i++) {
        size_t const pages = page_count(&images->list[i].of);

        for (size_t page = 0; page < pages; page++)
            free(images->list[i].pages[page]);
        free(images->list[i].pages);
    }
    free(images->list);
    if (images->decoder)
        isa_decoder_close(images->decoder);
    arena_free(&images->arena);
    free(images);
}

bool images_has_failed(const struct images *images)
{
    return images->has_failed;
}

static bool has(const struct insn_image *image, uint64_t pc)
{
    return pc >= image->address && pc - image->address < image->byte_count;
}

static struct image *image_of(struct images *images, uint64_t pc)
{
    if (has(&images->list[images->last].of, pc))
        return &images->list[images->last];
    for (size_t i = 0; i < images->count; i++)
        if (has(&images->list[i].of, pc)) {
            images->last = i;
            return &images->list[i];
        }
    return NULL;
}

static unsigned size_of_nothing(const struct images *images, const uint8_t *bytes, const struct isa_insn *what)
{
    if (images->isa == ISA_RV64)
        return (bytes[0] & 3) == 3 ? 4 : 2;
    return what->size_bytes ? what->size_bytes : 4;
}

static void fill_in(struct images *images, uint64_t pc, const uint8_t *bytes, size_t length, struct image_insn *entry,
                    struct crack_uops *uops)
{
    struct supply_insn *const insn = &entry->insn;
    struct isa_insn what;
    unsigned accesses = 0;

    memset(&what, 0, sizeof what);
    if (isa_decode(images->decoder, pc, bytes, length, &what)) {
        struct crack_insn const cracked = {.isa = images->isa, .what = &what, .kind = (enum isa_kind)what.kind,
                                           .bytes = bytes, .length = what.size_bytes};
        struct crack_shape const shape = crack_usual(&what);

        crack(&cracked, shape, uops);
        accesses = what.kind == ISA_SYSTEM ? 0 : crack_accesses(shape);
        entry->is_system_call = what.kind == ISA_SYSTEM;
        insn->size_bytes = what.size_bytes;
        insn->target = what.has_target ? what.target : 0;
    } else {
        crack_nothing(uops);
        insn->size_bytes = (uint8_t)size_of_nothing(images, bytes, &what);
    }
    insn->pc = pc;
    insn->next_pc = pc + insn->size_bytes;
    insn->number = SUPPLY_WRONG;
    insn->access_count = (uint16_t)accesses;
    insn->accesses = accesses > 0 ? images->nothing : NULL;
    for (unsigned i = 0; i < 4 && i < insn->size_bytes && i < length; i++)
        insn->encoding |= (uint32_t)bytes[i] << 8 * i;
}

static struct image_insn *images_make(struct images *images, const struct image *image, uint64_t pc)
{
    uint64_t const at = pc - image->of.address, left = image->of.byte_count - at;
    struct image_insn *const entry = arena_take(&images->arena, sizeof *entry);
    struct crack_uops cracked;
    struct uop *uops;

    if (!entry)
        return NULL;
    fill_in(images, pc, image->of.bytes + at, left < ISA_MAX_BYTES ? (size_t)left : ISA_MAX_BYTES, entry, &cracked);
    uops = arena_take(&images->arena, cracked.count * sizeof *uops);
    if (!uops)
        return NULL;
    memcpy(uops, cracked.list, cracked.count * sizeof *uops);
    entry->insn.uops = uops;
    entry->insn.uop_count = (uint16_t)cracked.count;
    return entry;
}

struct image_insn *images_find(struct images *images, uint64_t pc)
{
    uint64_t const start = pc >> images->shift << images->shift;
    struct image *const image = image_of(images, start);
    struct image_insn ***page, **entry;

    if (!image)
        return NULL;
    page = &image->pages[start / PAGE_BYTES - image->of.address / PAGE_BYTES];
    if (!*page)
        *page = calloc(PAGE_BYTES >> images->shift, sizeof(struct image_insn *));
    if (*page) {
        entry = &(*page)[start % PAGE_BYTES >> images->shift];
        if (!*entry)
            *entry = images_make(images, image, start);
        if (*entry)
            return *entry;
    }
    images->has_failed = true;
    return NULL;
}

void images_note(struct images *images, const struct supply_insn *insn)
{
    struct image_insn *const entry = images_find(images, insn->pc);

    if (!entry || entry->insn.access_count != insn->access_count || entry->insn.encoding != insn->encoding)
        return;
    if (!entry->last)
        entry->last = arena_take(&images->arena, insn->access_count * sizeof *entry->last);
    if (!entry->last) {
        images->has_failed = true;
        return;
    }
    for (unsigned i = 0; i < insn->uop_count; i++)
        if ((insn->uops[i].flags & UOP_LOAD) != 0 && insn->uops[i].access != UOP_NO_ACCESS) {
            struct supply_access *const last = &entry->last[insn->uops[i].access];

            *last = insn->accesses[insn->uops[i].access];
            last->is_first_touch = false;
        }
}
