#include "proto/isa/decoder.h"

#include <stdlib.h>

static struct fault open_isa(struct isa_decoder *decoder)
{
    struct fault fault = fault_none();

    switch (decoder->isa) {
    case ISA_X86_64:
    case ISA_X86_32:
        decoder->x86 = x86_open(decoder->isa == ISA_X86_64 ? 64 : 32, isa_name(decoder->isa), &fault);
        return decoder->x86 != NULL ? fault_none() : fault;
    case ISA_A64:
    case ISA_RV64:
        decoder->patterns = decoder->isa == ISA_A64 ? a64_patterns_new() : rv64_patterns_new();
        return decoder->patterns ? fault_none() : fault_memory(isa_name(decoder->isa), "the decoder");
    case ISA_REGDEPS:
        return fault_none();
    default:
        return fault_at(isa_name(decoder->isa), FAULT_NO_OFFSET, "no decoder is known; x86-64, x86-32, aarch64, "
                        "riscv64 and regdeps have one");
    }
}

struct isa_decoder *isa_decoder_open(enum isa isa, struct fault *error)
{
    struct isa_decoder *const decoder = calloc(1, sizeof *decoder);

    if (!decoder) {
        *error = fault_memory(isa_name(isa), "the decoder");
        return NULL;
    }
    decoder->isa = isa;
    if (WORKS(*error, open_isa(decoder)))
        return decoder;
    isa_decoder_close(decoder);
    return NULL;
}

void isa_decoder_close(struct isa_decoder *decoder)
{
    if (!decoder)
        return;
    x86_close(decoder->x86);
    free(decoder->patterns);
    free(decoder);
}

enum isa isa_decoder_isa(const struct isa_decoder *decoder)
{
    return decoder->isa;
}

static bool decoder_decode(struct isa_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t length,
                           struct isa_insn *insn)
{
    switch (decoder->isa) {
    case ISA_A64:
        return a64_decode(decoder->patterns, pc, bytes, length, insn);
    case ISA_RV64:
        return rv64_decode(decoder->patterns, pc, bytes, length, insn);
    case ISA_REGDEPS:
        return regdeps_decode(bytes, length, insn);
    default:
        return x86_decode(decoder->x86, pc, bytes, length, insn);
    }
}

bool isa_decode(struct isa_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t length, struct isa_insn *insn)
{
    uint8_t size_bytes;

    *insn = (struct isa_insn){0};
    if (decoder_decode(decoder, pc, bytes, length < ISA_MAX_BYTES ? length : ISA_MAX_BYTES, insn))
        return true;
    size_bytes = insn->size_bytes;
    *insn = (struct isa_insn){.size_bytes = size_bytes};
    return false;
}
