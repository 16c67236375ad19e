/* Growing arrays; a hash table from pcs to instructions, whose variants (code that was changed) are a list.
 *
 * needs_load and needs_store are set only for instructions that always access memory: conditional or repeated
 * instructions, hints and those of varying size (saving of state) may make fewer accesses, so a missing one never shows
 * that a block was cut short. */
#include "proto/capture/capture_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/capture/ring.h"

void code_begin(struct code *code, struct isa_decoder *decoder)
{
    *code = (struct code){.decoder = decoder, .from_pc = UINT64_MAX, .to_pc = UINT64_MAX, .version = 1};
}

void code_end(struct code *code)
{
    for (uint64_t i = 0; i < code->page_count; i++)
        free(code->pages[i].bytes);
    free(code->insns);
    free(code->members);
    free(code->derived);
    free(code->blocks);
    free(code->pages);
    free(code->table);
    free(code->told);
    insn_memory_free(&code->memory);
    *code = (struct code){0};
}

/* --- instructions --- */

static uint64_t capture_code_place_of(const struct code *code, uint64_t pc)
{
    uint64_t at = pc * 0x9e3779b97f4a7c15ull >> 30 & (code->table_room - 1);

    while (code->table[at] != 0 && code->insns[code->table[at] - 1].pc != pc)
        at = (at + 1) & (code->table_room - 1);
    return at;
}

static bool widen_table(struct code *code)
{
    const uint64_t before = code->table_room;
    uint32_t *const old = code->table;

    if (code->place_count * 2 < before)
        return true;
    code->table_room = before == 0 ? 4096 : before * 2;
    code->table = calloc(code->table_room, sizeof *code->table);
    if (code->table == NULL) {
        code->table = old;
        code->table_room = before;
        return false;
    }
    for (uint64_t i = 0; i < before; i++)
        if (old[i] != 0)
            code->table[capture_code_place_of(code, code->insns[old[i] - 1].pc)] = old[i];
    free(old);
    return true;
}

/* DC ZVA, of the A64 system instructions: op1 3, CRn 7, CRm 4, op2 1. */
static bool is_zeroing(enum isa isa, const uint8_t *bytes, unsigned size)
{
    uint32_t word;

    if (isa != ISA_A64 || size != 4)
        return false;
    memcpy(&word, bytes, 4);
    return (word & 0xffffffe0) == 0xd50b7420;
}

/* DIV, IDIV: they trap without an access where the quotient does not fit. */
static bool may_trap(enum isa isa, const struct isa_insn *what)
{
    return isa == ISA_X86_64 && what->class == ISA_CLASS_INT_DIV;
}

/* UD2 and instructions with an EVEX prefix (AVX-512); UDF and BRK; C.UNIMP and EBREAK; those unknown to the decoder. */
static bool is_illegal(enum isa isa, const struct code_insn *insn)
{
    uint32_t word = 0;

    memcpy(&word, insn->bytes, insn->size_bytes < 4 ? insn->size_bytes : 4);
    switch (isa) {
    case ISA_X86_64: return !insn->is_known || (word & 0xffff) == 0x0b0f || (word & 0xff) == 0x62;
    case ISA_A64: return !insn->is_known || word < 0x10000 || (word & 0xffe0001f) == 0xd4200000;
    default: return !insn->is_known || word == 0 || word == 0x9002 || word == 0x00100073;
    }
}

static void capture_code_describe(struct code *code, struct code_insn *insn)
{
    const enum isa isa = isa_decoder_isa(code->decoder);
    struct isa_insn what = {0};

    insn->is_zeroing = is_zeroing(isa, insn->bytes, insn->size_bytes);
    insn->is_from = insn->pc == code->from_pc;
    insn->is_to = insn->pc == code->to_pc;
    insn->is_known = isa_decode(code->decoder, insn->pc, insn->bytes, insn->size_bytes, &what) &&
        what.size_bytes == insn->size_bytes;
    insn->is_illegal = is_illegal(isa, insn);
    if (isa == ISA_A64)
        insn->zeroing = zeroing_describe(insn->bytes, insn->is_known ? &what : NULL);
    code->tracks_registers |= insn->zeroing.kind >= ZEROING_ZVA;
    if (!insn->is_known) {
        insn->room[0] = insn->room[1] = UINT32_MAX;
        code->undecoded++;
        return;
    }
    insn->kind = what.kind;
    insn->has_target = what.has_target;
    insn->target = what.target;
    insn->is_string = what.is_string;
    insn->is_prefetch = what.is_prefetch;
    insn->may_trap = may_trap(isa, &what);
    for (unsigned i = 0; i < what.operand_count; i++) {
        const struct isa_operand *const operand = &what.operands[i];
        const bool always = !what.is_string && !what.is_prefetch && !what.is_nop && operand->size_bytes != 0 &&
            !(what.is_atomic && operand->is_store && isa != ISA_X86_64);

        if (operand->is_load && operand->size_bytes > insn->load_bytes)
            insn->load_bytes = operand->size_bytes;
        if (operand->is_store && operand->size_bytes > insn->store_bytes)
            insn->store_bytes = operand->size_bytes;
        for (unsigned store = 0; store < 2; store++)
            if (store ? operand->is_store : operand->is_load)
                insn->room[store] = operand->size_bytes == 0 || insn->room[store] == UINT32_MAX ? UINT32_MAX
                    : insn->room[store] + operand->size_bytes;
        insn->needs_load |= operand->is_load && always && !(what.is_atomic && operand->is_store);
        insn->needs_store |= operand->is_store && always;
        insn->is_exclusive_store |= what.is_atomic && operand->is_store && !operand->is_load;
        insn->is_update |= what.is_atomic && operand->is_load && operand->is_store;
    }
}

static bool add_insn(struct code *code, const uint64_t *words, uint32_t *number)
{
    struct code_insn insn = {.pc = words[0], .size_bytes = (uint8_t)words[1], .next = UINT32_MAX};
    uint64_t at;

    memcpy(insn.bytes, words + 2, insn.size_bytes);
    if (!widen_table(code) || !list_fit_zeroed(&code->insns, code->insn_count + 1, &code->insn_room, sizeof insn))
        return false;
    at = capture_code_place_of(code, insn.pc);
    if (code->table[at] == 0) {
        insn.place = (uint32_t)code->place_count;
        if (!list_fit_zeroed(&code->told, code->place_count + 1, &code->told_room, sizeof *code->told))
            return false;
        code->place_count++;
    } else {
        insn.place = code->insns[code->table[at] - 1].place;
        insn.next = code->table[at] - 1;
        for (uint32_t i = insn.next; i != UINT32_MAX; i = code->insns[i].next)
            if (code->insns[i].size_bytes == insn.size_bytes &&
                memcmp(code->insns[i].bytes, insn.bytes, sizeof insn.bytes) == 0) {
                *number = i;
                return true;
            }
    }
    capture_code_describe(code, &insn);
    *number = (uint32_t)code->insn_count++;
    code->insns[*number] = insn;
    code->table[at] = *number + 1;
    return true;
}

/* --- records --- */

static bool add_block(struct code *code, uint64_t number, unsigned count, const uint64_t *words)
{
    struct code_block block = {
        .first = (uint32_t)code->member_count, .count = (uint16_t)count, .last_need = CODE_NONE, .last_trap = CODE_NONE
    };

    if (!list_fit_zeroed(&code->members, code->member_count + count, &code->member_room, sizeof *code->members) ||
        !list_fit_zeroed(&code->derived, code->member_count + count, &code->derived_room, sizeof *code->derived) ||
        !list_fit_zeroed(&code->blocks, number + 1, &code->block_room, sizeof block))
        return false;
    for (unsigned i = 0; i < count; i++, words += CAPTURE_INSN_WORDS) {
        uint32_t *const member = &code->members[code->member_count];
        const struct code_insn *insn;

        if (!add_insn(code, words, member))
            return false;
        insn = &code->insns[*member];
        code->derived[code->member_count] = (words[1] & CAPTURE_DERIVED) != 0 ? words[1] : 0;
        block.has_derived |= code->derived[code->member_count] != 0;
        code->member_count++;
        if (insn->needs_load || insn->needs_store)
            block.last_need = (uint16_t)i;
        if (insn->may_trap)
            block.last_trap = (uint16_t)i;
        block.is_watched |= insn->is_from || insn->is_to;
        block.is_doubtful = i > 0 && (words[1] & CAPTURE_INSN_DOUBTFUL) != 0;
    }
    code->blocks[number] = block;
    if (number >= code->block_count)
        code->block_count = number + 1;
    return true;
}

bool code_add_page(struct code *code, uint64_t address, const void *from)
{
    uint8_t *const bytes = malloc(CAPTURE_PAGE_BYTES);

    if (bytes == NULL || !list_fit_zeroed(&code->pages, code->page_count + 1, &code->page_room, sizeof *code->pages)) {
        free(bytes);
        return false;
    }
    memcpy(bytes, from, CAPTURE_PAGE_BYTES);
    code->pages[code->page_count] = (struct code_page){address, code->page_count, bytes};
    code->page_count++;
    return true;
}

enum { RECORD_WORDS = 2 + CAPTURE_BLOCK_INSNS * CAPTURE_INSN_WORDS, BLOCKS_AT_MOST = 1 << 28 };

/* Hosts number blocks consecutively from 1 on, in the order of their reports, so checking the number also bounds
 * memory; the guest may overwrite the shared memory with anything. */
static struct fault capture_code_is_sound(const struct code *code, const uint64_t *record, unsigned count)
{
    const uint64_t number = record[1], after = code->block_count == 0 ? 1 : code->block_count;

    if (number >= BLOCKS_AT_MOST)
        return fault_at("capture", FAULT_NO_OFFSET, "more than %d blocks of code", BLOCKS_AT_MOST);
    if (number == 0 || number > after)
        return fault_at("capture", FAULT_NO_OFFSET, "the plugin told block %" PRIu64 " of code; expected %" PRIu64
                        " or one before; plugin and command must be of one build", number, after);
    if (count == 0)
        return fault_at("capture", FAULT_NO_OFFSET, "the plugin told block %" PRIu64 " of code without instructions; "
                        "plugin and command must be of one build", number);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t about = record[2 + i * CAPTURE_INSN_WORDS + 1];
        const unsigned size_bytes = (uint8_t)about;

        if ((about & (CAPTURE_DERIVED | CAPTURE_DERIVED_PC)) == CAPTURE_DERIVED &&
            (about >> CAPTURE_DERIVED_FROM_SHIFT & CAPTURE_INDEX_MASK) >= i)
            return fault_at("capture", FAULT_NO_OFFSET, "the plugin sent an access that follows from no earlier one; "
                            "plugin and command must be of one build");
        if (size_bytes == 0 || size_bytes > ISA_MAX_BYTES)
            return fault_at("capture", FAULT_NO_OFFSET, "the plugin sent an instruction of %u bytes; expected 1 to "
                            "%d; plugin and command must be of one build", size_bytes, ISA_MAX_BYTES);
    }
    return fault_none();
}

/* Words of a record; 0: its kind is not known. */
static uint64_t record_words(unsigned kind, unsigned count)
{
    switch (kind) {
    case CAPTURE_STATIC_BLOCK: return 2 + (uint64_t)count * CAPTURE_INSN_WORDS;
    case CAPTURE_STATIC_PAGE: return 2 + CAPTURE_PAGE_WORDS;
    case CAPTURE_STATIC_MEMORY: return 3 + ((uint64_t)count + 7) / 8;
    case CAPTURE_STATIC_ZEROS: return 3;
    default: return 0;
    }
}

static void add_memory(struct code *code, uint64_t address, uint64_t call, const uint64_t *words, uint64_t count)
{
    struct insn_memory *const memory = &code->memory;

    if (code->is_memory_large)
        return;
    code->is_memory_large = !insn_memory_add(memory, call, address, words != NULL ? INSN_PIECE_BYTES : INSN_PIECE_ZEROS,
                                             (const uint8_t *)words, count);
}

/* False: out of memory. */
static bool add_record(struct code *code, unsigned kind, unsigned count, const uint64_t *record)
{
    switch (kind) {
    case CAPTURE_STATIC_BLOCK: return add_block(code, record[1], count, record + 2);
    case CAPTURE_STATIC_PAGE: return code_add_page(code, record[1], record + 2);
    case CAPTURE_STATIC_MEMORY: add_memory(code, record[1], record[2], record + 3, count); return true;
    default: add_memory(code, record[1], 0, NULL, record[2]); return true;
    }
}

uint64_t code_read(struct code *code, const uint64_t *ring, uint64_t at, uint64_t words, struct fault *error)
{
    uint64_t done = 0;

    while (words - done >= 2) {
        uint64_t record[RECORD_WORDS];
        const uint64_t first = ring[(at + done) & (CAPTURE_STATICS_WORDS - 1)];
        const unsigned kind = (unsigned)(first >> CAPTURE_KIND_SHIFT), count = (unsigned)(first & 0xffff);
        const uint64_t length = record_words(kind, count);

        if (length == 0 || length > RECORD_WORDS) {
            *error = fault_at("capture", FAULT_NO_OFFSET,
                              "the plugin told of code in a way that is not known (%016" PRIx64
                              "); plugin and command must be of one build", first);
            return done;
        }
        if (words - done < length)
            break;
        for (uint64_t i = 0; i < length; i++)
            record[i] = ring[(at + done + i) & (CAPTURE_STATICS_WORDS - 1)];
        if (kind == CAPTURE_STATIC_BLOCK && FAILS(*error, capture_code_is_sound(code, record, count)))
            return done;
        if (!add_record(code, kind, count, record)) {
            *error = fault_memory("capture", "the program's code");
            return done;
        }
        done += length;
    }
    return done;
}

static int by_address(const void *a, const void *b)
{
    const struct code_page *const first = a, *const second = b;

    if (first->address != second->address)
        return first->address > second->address ? 1 : -1;
    return (first->order > second->order) - (first->order < second->order);
}

void code_sort_pages(struct code *code)
{
    uint64_t kept = 0;

    if (code->page_count > 0)
        qsort(code->pages, code->page_count, sizeof *code->pages, by_address);
    for (uint64_t i = 0; i < code->page_count; i++)
        if (kept > 0 && code->pages[kept - 1].address == code->pages[i].address)
            free(code->pages[i].bytes);
        else
            code->pages[kept++] = code->pages[i];
    code->page_count = kept;
}

const struct code_page *code_find_page(const struct code *code, uint64_t sorted, uint64_t address)
{
    uint64_t low = 0, high = sorted;

    while (low < high) {
        const uint64_t middle = (low + high) / 2;

        if (code->pages[middle].address == address)
            return &code->pages[middle];
        if (code->pages[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
