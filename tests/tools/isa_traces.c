/* Executed instructions of traces against what the decoder says of their bytes: isa_traces ISA [-n INSTRUCTIONS]
 * TRACE... Compared: size, kind of branch, target of taken direct branches, and the accesses: their number, order,
 * direction and size, where operands have one; system calls are no kind of their own in drmemtrace. A line a static
 * instruction that differs (the first 20), then the sums: executed and static instructions, unknown ones of both,
 * those that differ. Exit 1 if any differs or none has bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/insn/reader.h"
#include "proto/isa/isa.h"

enum { SLOTS = 1 << 20, LISTED = 20 };

struct slot {
    uint64_t pc;
    struct isa_insn insn;
    uint8_t bytes[INSN_ENCODING_BYTES];
    bool is_used, is_known, differs;
};

static struct {
    uint64_t executed, unknown, without_bytes, statics, statics_unknown, statics_differ, differs;
} sums;

static struct slot *slot_of(struct slot *slots, uint64_t pc)
{
    size_t i = (pc * UINT64_C(0x9e3779b97f4a7c15)) >> 44;

    while (slots[i].is_used && slots[i].pc != pc)
        i = (i + 1) % SLOTS;
    return &slots[i];
}

/* The accesses of operands, one after the other: does the trace have the same? */
static bool same_accesses(const struct isa_insn *decoded, const struct insn *insn)
{
    size_t at = 0;

    if (decoded->is_string || decoded->is_prefetch)
        return true;
    for (unsigned o = 0; o < decoded->operand_count; o++) {
        const struct isa_operand *const operand = &decoded->operands[o];

        for (unsigned write = 0; write < 2; write++) {
            if (!(write ? operand->is_store : operand->is_load))
                continue;
            if (operand->size_bytes == 0)
                return true;
            /* A store-conditional that fails stores nothing. */
            if (at == insn->access_count)
                return decoded->is_atomic && write;
            if (insn->accesses[at].is_write != write
                || (insn->accesses[at].size_bytes && insn->accesses[at].size_bytes != operand->size_bytes))
                return false;
            at++;
        }
    }
    return at == insn->access_count;
}

static const char *difference(const struct isa_insn *decoded, const struct insn *insn)
{
    if (insn->size_bytes && decoded->size_bytes != insn->size_bytes)
        return "size";
    if (decoded->kind != insn->kind && !(decoded->kind == ISA_SYSTEM && insn->kind == ISA_OTHER))
        return "kind";
    if (decoded->has_target && insn->branch == INSN_TAKEN && insn->has_target && decoded->target != insn->target)
        return "target";
    return same_accesses(decoded, insn) ? NULL : "accesses";
}

static void list(const struct slot *slot, const struct insn *insn, const char *what)
{
    if (sums.statics_differ > LISTED)
        return;
    printf("  %s at %#" PRIx64 ": ", what, slot->pc);
    for (unsigned i = 0; i < INSN_ENCODING_BYTES && i < slot->insn.size_bytes; i++)
        printf("%02x", slot->bytes[i]);
    printf(", %s in the trace, accesses:", isa_kind_name(insn->kind));
    for (size_t i = 0; i < insn->access_count; i++)
        printf(" %s%u", insn->accesses[i].is_write ? "store" : "load", insn->accesses[i].size_bytes);
    printf("\n");
}

static void take(struct isa_decoder *decoder, struct slot *slots, const struct insn *insn)
{
    struct slot *const slot = slot_of(slots, insn->pc);
    const char *what;

    sums.executed++;
    if (insn->encoding_bytes && (!slot->is_used || memcmp(slot->bytes, insn->encoding, insn->encoding_bytes) != 0)) {
        if (!slot->is_used && ++sums.statics > SLOTS / 2)
            abort();
        *slot = (struct slot){.pc = insn->pc, .is_used = true};
        memcpy(slot->bytes, insn->encoding, insn->encoding_bytes);
        slot->is_known = isa_decode(decoder, insn->pc, insn->encoding, insn->encoding_bytes, &slot->insn);
        sums.statics_unknown += !slot->is_known;
    }
    if (!slot->is_used || !slot->is_known) {
        sums.without_bytes += !slot->is_used;
        sums.unknown += slot->is_used;
        return;
    }
    what = difference(&slot->insn, insn);
    if (!what)
        return;
    sums.differs++;
    sums.statics_differ += !slot->differs;
    if (!slot->differs)
        list(slot, insn, what);
    slot->differs = true;
}

static bool read_trace(struct isa_decoder *decoder, const char *path, uint64_t limit)
{
    struct slot *const slots = calloc(SLOTS, sizeof *slots);
    struct fault error = fault_none();
    struct insn_reader *const reader = insn_reader_open(path, &error);
    enum insn_step step = INSN_FAILED;
    struct insn insn;

    if (!slots)
        abort();
    while (reader && limit-- > 0 && (step = insn_reader_next(reader, &insn, &error)) == INSN_RECORD)
        if (insn.form == INSN_EXECUTED)
            take(decoder, slots, &insn);
    insn_reader_close(reader);
    free(slots);
    if (step == INSN_FAILED)
        fprintf(stderr, "isa_traces: %s\n", fault_text(error));
    return step != INSN_FAILED;
}

int main(int argc, char **argv)
{
    struct fault error = fault_none();
    struct isa_decoder *decoder = NULL;
    uint64_t limit = UINT64_MAX;
    bool is_fine = true;
    int first = 2;

    for (int isa = 0; argc > 2 && isa < ISA_COUNT; isa++)
        if (strcmp(argv[1], isa_name((enum isa)isa)) == 0)
            decoder = isa_decoder_open((enum isa)isa, &error);
    if (!decoder) {
        fprintf(stderr, "isa_traces: %s\n", fault_text(error));
        return 2;
    }
    if (argc > 4 && strcmp(argv[2], "-n") == 0) {
        limit = strtoull(argv[3], NULL, 10);
        first = 4;
    }
    for (int i = first; i < argc; i++)
        is_fine = read_trace(decoder, argv[i], limit) && is_fine;
    isa_decoder_close(decoder);
    printf("%s: %" PRIu64 " executed, %" PRIu64 " without bytes, %" PRIu64 " unknown, %" PRIu64 " differ; %" PRIu64
           " static, %" PRIu64 " unknown, %" PRIu64 " differ\n", argv[1], sums.executed, sums.without_bytes,
           sums.unknown,
           sums.differs, sums.statics, sums.statics_unknown, sums.statics_differ);
    return !is_fine || sums.statics == 0 || sums.differs > 0;
}
