/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Source of the patterns: Intel SDM volume 2, 2.1 and appendix A. */
#include "code.h"

#include "lanes.h"

struct opcode {
    bool is_long, is_wide, is_short, is_moved;       /* moved: addresses of a segment, or of 32 bits */
    uint8_t rex, opcode, modrm;
    unsigned at;                                     /* of ModRM */
};

static bool is_prefix(uint8_t byte)
{
    switch (byte) {
    case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67: case 0xf0: case 0xf2:
    case 0xf3: return true;
    default: return false;
    }
}

static struct opcode opcode_of(const uint8_t *bytes, unsigned count)
{
    struct opcode found = {0};
    unsigned i = 0;

    for (; i < count && is_prefix(bytes[i]); i++) {
        found.is_short |= bytes[i] == 0x66;
        found.is_moved |= bytes[i] == 0x64 || bytes[i] == 0x65 || bytes[i] == 0x67;
    }
    if (i < count && (bytes[i] & 0xf0) == 0x40)
        found.rex = bytes[i++];
    found.is_wide = (found.rex & 8) != 0;
    if (i < count && bytes[i] == 0x0f) {
        found.is_long = true;
        i++;
    }
    if (i + 1 < count) {
        found.opcode = bytes[i];
        found.modrm = bytes[i + 1];
        found.at = i + 1;
    }
    return found;
}

bool code_is_division(const uint8_t *bytes, unsigned count)
{
    const struct opcode found = opcode_of(bytes, count);

    return !found.is_long && (found.opcode & 0xfe) == 0xf6 && (found.modrm & 0x30) == 0x30;
}

/* VEX prefixes with map 1, as of vmaskmovdqu; their length. */
static unsigned vex_of_map_1(const uint8_t *bytes, unsigned count)
{
    if (count > 2 && bytes[0] == 0xc5)
        return 2;
    return count > 3 && bytes[0] == 0xc4 && (bytes[1] & 0x1f) == 1 ? 3 : 0;
}

static uint64_t displacement_at(const uint8_t *bytes, unsigned size)
{
    int32_t word;

    VG_(memcpy)(&word, bytes, sizeof word);
    return size == 0 ? 0 : size == 1 ? (uint64_t)(int64_t)(int8_t)bytes[0] : (uint64_t)(int64_t)word;
}

/* Base and displacement of a memory operand. bytes: 16 of them. */
static void find_operand(struct code_insn *insn, const uint8_t *bytes, const struct opcode *found)
{
    const unsigned mode = found->modrm >> 6, low = found->modrm & 7;
    const unsigned sib = low == 4 ? bytes[found->at + 1] : low;
    const bool has_index = found->is_moved || (low == 4 && ((sib >> 3 & 7) != 4 || (found->rex & 2) != 0));
    const bool is_baseless = mode == 0 && (sib & 7) == 5;
    const unsigned size = mode == 1 ? 1 : mode == 2 || is_baseless ? 4 : 0;

    insn->base = has_index ? CODE_HAS_INDEX : is_baseless ? CODE_NO_BASE : ((sib & 7) | (found->rex & 1u) << 3);
    insn->displacement = displacement_at(bytes + found->at + 1 + (low == 4), size);
    if (is_baseless && low == 5)
        insn->displacement += insn->pc + insn->size;
}

void code_find_quirk(struct code_insn *insn, const uint8_t *bytes, unsigned count)
{
    const struct opcode found = opcode_of(bytes, count);
    const unsigned vex = vex_of_map_1(bytes, count);

    if (found.is_long && (found.opcode & 0xe7) == 0xa3) {
        insn->quirk = found.modrm >= 0xc0 ? CODE_BITS_OF_REGISTER : CODE_BITS_OF_MEMORY;
        insn->operand = found.is_wide ? 8 : found.is_short ? 2 : 4;
    } else if (found.is_long && found.modrm < 0xc0 &&
               (found.opcode == 0x0d || (found.opcode == 0x18 && (found.modrm >> 3 & 7) < 4))) {
        insn->quirk = CODE_PREFETCH;
        find_operand(insn, bytes, &found);
    } else if ((found.is_long && found.opcode == 0xf7) || (vex > 0 && bytes[vex] == 0xf7)) {
        insn->quirk = CODE_MASKED_STORE;
    }
}

unsigned code_bytes(const struct code_insn *insn, uint8_t bytes[16])
{
    const unsigned wanted = insn->size != 0 ? insn->size : CODE_LONGEST;
    unsigned count = wanted;

    /* The last bytes of an undecodable instruction may be unmapped. */
    if (insn->size == 0 && !VG_(am_is_valid_for_client)(insn->pc, wanted, VKI_PROT_READ))
        count = (unsigned)(CAPTURE_PAGE_BYTES - insn->pc % CAPTURE_PAGE_BYTES);
    if (count > wanted)
        count = wanted;
    VG_(memset)(bytes, 0, 16);
    VG_(memcpy)(bytes, (const void *)insn->pc, count);
    return count;
}

/* --- pages --- */

static uint64_t *pages;                  /* addresses of reported pages; a hash table; 0: free */
static uint64_t page_count, page_places;

static uint64_t place_of(uint64_t address)
{
    uint64_t at = (address >> 12) * 0x9e3779b97f4a7c15ull >> 20 & (page_places - 1);

    while (pages[at] != 0 && pages[at] != address)
        at = (at + 1) & (page_places - 1);
    return at;
}

/* Was it new? */
static bool add_page(uint64_t address)
{
    uint64_t at;

    if (page_count * 2 >= page_places) {
        uint64_t *const old = pages;
        const uint64_t places = page_places;

        page_places = places == 0 ? 1024 : places * 2;
        pages = VG_(calloc)("capture.pages", page_places, sizeof *pages);
        for (uint64_t i = 0; i < places; i++)
            if (old[i] != 0)
                pages[place_of(old[i])] = old[i];
        if (old != NULL)
            VG_(free)(old);
    }
    at = place_of(address);
    if (pages[at] == address)
        return false;
    pages[at] = address;
    page_count++;
    return true;
}

void code_tell_pages(Addr address, SizeT bytes)
{
    static uint64_t words[CAPTURE_PAGE_WORDS];

    for (Addr page = VG_PGROUNDDN(address); page < address + bytes; page += CAPTURE_PAGE_BYTES) {
        const struct vki_iovec to = {words, sizeof words}, from = {(void *)page, sizeof words};

        if (page == 0 || !add_page(page))
            continue;
        /* The kernel reads it: a page may lie beyond the end of its file. */
        const SysRes read = VG_(do_syscall)(__NR_process_vm_readv, (UWord)VG_(getpid)(), (UWord)&to, 1, (UWord)&from, 1,
                                            0, 0, 0);

        if (sr_isError(read) || sr_Res(read) != sizeof words || !open_static(2 + CAPTURE_PAGE_WORDS))
            continue;
        put_static((uint64_t)CAPTURE_STATIC_PAGE << CAPTURE_KIND_SHIFT);
        put_static(page);
        for (unsigned i = 0; i < CAPTURE_PAGE_WORDS; i++)
            put_static(words[i]);
        close_static();
    }
}

/* --- blocks --- */

/* Where the program's first executable segment lies. */
static void find_program(void)
{
    enum { MOST = 4096 };
    static Addr starts[MOST];
    struct vg_stat file;
    const Int count = VG_(am_get_segment_starts)(SkFileC, starts, MOST);

    if (area->start_code != 0 || VG_(fstat)(VG_(cl_exec_fd), &file) != 0)
        return;
    for (Int i = 0; i < count; i++) {
        const NSegment *const segment = VG_(am_find_nsegment)(starts[i]);

        if (segment != NULL && segment->hasX && segment->dev == file.dev && segment->ino == file.ino) {
            area->start_code = segment->start;
            area->end_code = segment->end + 1;
            return;
        }
    }
}

uint64_t code_tell_block(const struct code_insn *insns, unsigned count)
{
    uint64_t number;

    if (area->blocks == 0)
        find_program();
    for (unsigned i = 0; i < count; i++)
        code_tell_pages(insns[i].pc, insns[i].size != 0 ? insns[i].size : 1);
    if (!open_static(2 + count * CAPTURE_INSN_WORDS))
        return 0;
    number = ++area->blocks;
    put_static((uint64_t)CAPTURE_STATIC_BLOCK << CAPTURE_KIND_SHIFT | count);
    put_static(number);
    for (unsigned i = 0; i < count; i++) {
        union { uint8_t bytes[16]; uint64_t words[2]; } code;

        put_static(insns[i].pc);
        put_static(code_bytes(&insns[i], code.bytes));
        put_static(code.words[0]);
        put_static(code.words[1]);
    }
    close_static();
    return number;
}
