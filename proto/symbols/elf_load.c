/* Read: program headers, and of the dynamic section DT_NEEDED and DT_STRTAB. Sections are libelf's affair.
 *
 * Code is not relocated, so the bytes of an executable segment are those of memory. A segment is looked for at each
 * page of each image, by its first bytes, then compared whole as far as the image goes. */
#include "proto/symbols/elf_load.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "proto/insn/insn_kept.h"

enum { PAGE_BYTES = 4096, FIRST_BYTES = 16 };

static Elf64_Phdr header_at(const struct elf_load *elf, uint64_t i)
{
    Elf64_Phdr header;

    memcpy(&header, elf->bytes + elf->headers_at + i * sizeof header, sizeof header);
    return header;
}

static bool is_in_file(const struct elf_load *elf, uint64_t offset, uint64_t count)
{
    return offset <= elf->byte_count && count <= elf->byte_count - offset;
}

struct fault elf_load_read(struct elf_load *elf, const char *path)
{
    struct fault fault = fault_none();
    Elf64_Ehdr head;

    *elf = (struct elf_load){0};
    elf->bytes = insn_kept_read_file(path, &elf->byte_count, &fault);
    if (!elf->bytes)
        return fault;
    if (elf->byte_count >= sizeof head)
        memcpy(&head, elf->bytes, sizeof head);
    if (elf->byte_count < sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0
        || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB
        || (head.e_type != ET_EXEC && head.e_type != ET_DYN) || head.e_phentsize != sizeof(Elf64_Phdr)) {
        elf_load_free(elf);
        return fault_at(path, 0, "is no program or shared library; expected an ELF file of 64 bits, little-endian");
    }
    if (!is_in_file(elf, head.e_phoff, (uint64_t)head.e_phnum * sizeof(Elf64_Phdr))) {
        elf_load_free(elf);
        return fault_at(path, head.e_phoff, "program headers (%u) lie behind the end of the file; it is cut",
                        (unsigned)head.e_phnum);
    }
    elf->headers_at = head.e_phoff;
    elf->header_count = head.e_phnum;
    elf->is_moved = head.e_type == ET_DYN;
    return fault;
}

void elf_load_free(struct elf_load *elf)
{
    free(elf->bytes);
    elf->bytes = NULL;
}

/* ---- its place */
/* Do both have the same bytes where both have any? At least a page of them, or the whole segment. */
static bool is_at(const struct elf_load *elf, const Elf64_Phdr *segment, const struct insn_image *image,
                  uint64_t address)
{
    uint64_t const begin = max_u64(address, image->address);
    uint64_t const end = min_u64(address + segment->p_filesz, image->address + image->byte_count);

    if (begin >= end || end - begin < min_u64(segment->p_filesz, PAGE_BYTES))
        return false;
    return memcmp(elf->bytes + segment->p_offset + (begin - address), image->bytes + (begin - image->address),
                  (size_t)(end - begin)) == 0;
}

/* Where the image has the segment: its address, or 0. */
static uint64_t find_segment(const struct elf_load *elf, const Elf64_Phdr *segment, const struct insn_image *image)
{
    const uint8_t *const first = elf->bytes + segment->p_offset;
    uint64_t const in_page = segment->p_vaddr % PAGE_BYTES;
    uint64_t const first_bytes = min_u64(segment->p_filesz, FIRST_BYTES);

    for (uint64_t page = image->address / PAGE_BYTES * PAGE_BYTES; page < image->address + image->byte_count;
         page += PAGE_BYTES) {
        uint64_t const address = page + in_page;

        if (address >= image->address && address + first_bytes <= image->address + image->byte_count
            && memcmp(image->bytes + (address - image->address), first, (size_t)first_bytes) == 0
            && is_at(elf, segment, image, address))
            return address;
    }
    return 0;
}

bool elf_load_place(const struct elf_load *elf, const struct insn_image *images, size_t image_count, uint64_t *base)
{
    for (uint64_t i = 0; i < elf->header_count; i++) {
        Elf64_Phdr const segment = header_at(elf, i);

        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || segment.p_filesz == 0
            || !is_in_file(elf, segment.p_offset, segment.p_filesz))
            continue;
        for (size_t j = 0; j < image_count; j++) {
            uint64_t const address = elf->is_moved ? find_segment(elf, &segment, &images[j]) : segment.p_vaddr;

            if (address == 0 || !is_at(elf, &segment, &images[j], address))
                continue;
            *base = address - segment.p_vaddr;
            return true;
        }
    }
    return false;
}

/* ---- what it needs */
/* The place in the file of an address; UINT64_MAX: it has none. */
static uint64_t offset_of(const struct elf_load *elf, uint64_t address)
{
    for (uint64_t i = 0; i < elf->header_count; i++) {
        Elf64_Phdr const segment = header_at(elf, i);

        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz
            && is_in_file(elf, segment.p_offset, segment.p_filesz))
            return segment.p_offset + (address - segment.p_vaddr);
    }
    return UINT64_MAX;
}

static void take_text(const struct elf_load *elf, uint64_t offset, void (*take)(void *context, const char *name),
                      void *context)
{
    if (offset < elf->byte_count && memchr(elf->bytes + offset, 0, (size_t)(elf->byte_count - offset)))
        take(context, (const char *)elf->bytes + offset);
}

static void visit_dynamic(const struct elf_load *elf, const Elf64_Phdr *section,
                          void (*take)(void *context, const char *name), void *context)
{
    uint64_t const count = section->p_filesz / sizeof(Elf64_Dyn);
    uint64_t texts = UINT64_MAX;
    Elf64_Dyn entry;

    for (unsigned pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < count; i++) {
            memcpy(&entry, elf->bytes + section->p_offset + i * sizeof entry, sizeof entry);
            if (entry.d_tag == DT_NULL)
                break;
            if (pass == 0 && entry.d_tag == DT_STRTAB)
                texts = offset_of(elf, entry.d_un.d_ptr);
            if (pass == 1 && entry.d_tag == DT_NEEDED && texts != UINT64_MAX
                && entry.d_un.d_val < elf->byte_count - texts)
                take_text(elf, texts + entry.d_un.d_val, take, context);
        }
}

void elf_load_visit_needed(const struct elf_load *elf, void (*take)(void *context, const char *name), void *context)
{
    for (uint64_t i = 0; i < elf->header_count; i++) {
        Elf64_Phdr const header = header_at(elf, i);

        if (header.p_type == PT_INTERP)
            take_text(elf, header.p_offset, take, context);
    }
    for (uint64_t i = 0; i < elf->header_count; i++) {
        Elf64_Phdr const header = header_at(elf, i);

        if (header.p_type == PT_DYNAMIC && is_in_file(elf, header.p_offset, header.p_filesz))
            visit_dynamic(elf, &header, take, context);
    }
}
