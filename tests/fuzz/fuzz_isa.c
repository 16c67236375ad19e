/* Fuzz target: any bytes as instructions, of the architecture that the first byte chooses. What decoders say keeps to
 * the limits of its arrays; the same bytes give the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void check_registers(enum isa isa, const uint8_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect(numbers[i] != 0 && isa_register_name(isa, numbers[i]) != NULL);
        for (size_t k = 0; k < i; k++)
            expect(numbers[k] != numbers[i]);
    }
}

static void check(enum isa isa, const struct isa_insn *insn, size_t length)
{
    expect(insn->size_bytes > 0 && insn->size_bytes <= length && insn->size_bytes <= ISA_MAX_BYTES);
    expect(insn->class < ISA_CLASS_COUNT && insn->kind < ISA_KIND_COUNT && insn->fence <= ISA_FENCE_RELEASE);
    expect(insn->read_count <= ISA_MAX_READS && insn->write_count <= ISA_MAX_WRITES);
    expect(insn->operand_count <= ISA_MAX_OPERANDS);
    check_registers(isa, insn->reads, insn->read_count);
    check_registers(isa, insn->writes, insn->write_count);
    expect(insn->data_reads >> insn->read_count == 0 && insn->address_writes >> insn->write_count == 0);
    for (size_t i = 0; i < insn->operand_count; i++) {
        expect(insn->operands[i].is_load || insn->operands[i].is_store);
        expect(insn->operands[i].address_reads >> insn->read_count == 0);
    }
    expect(!insn->has_target || isa_kind_is_branch(insn->kind));
}

static void decode_all(struct isa_decoder *decoder, const uint8_t *data, size_t size)
{
    enum isa const isa = isa_decoder_isa(decoder);
    struct isa_insn insn, again;
    uint64_t pc = 0x1000;

    for (size_t at = 0; at < size;) {
        size_t const length = size - at < ISA_MAX_BYTES ? size - at : ISA_MAX_BYTES;
        uint8_t bytes[ISA_MAX_BYTES];
        bool const is_known = isa_decode(decoder, pc, data + at, size - at, &insn);

        memcpy(bytes, data + at, length);
        expect(isa_decode(decoder, pc, bytes, length, &again) == is_known);
        expect(insn.read_count == again.read_count && insn.write_count == again.write_count
               && insn.target == again.target && memcmp(insn.reads, again.reads, sizeof insn.reads) == 0);
        if (is_known)
            check(isa, &insn, length);
        else
            expect(insn.read_count == 0 && insn.write_count == 0 && insn.operand_count == 0 && insn.kind == ISA_OTHER);
        at += is_known ? insn.size_bytes : isa == ISA_A64 ? 4 : 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum isa isas[] = {ISA_X86_64, ISA_A64, ISA_RV64, ISA_REGDEPS, ISA_X86_32};
    /* Opened once: that takes longer than decoding. */
    static struct isa_decoder *decoders[sizeof isas / sizeof isas[0]];
    struct fault error;
    size_t which;

    if (size == 0)
        return 0;
    which = data[0] % (sizeof isas / sizeof isas[0]);
    if (!decoders[which])
        decoders[which] = isa_decoder_open(isas[which], &error);
    if (decoders[which])
        decode_all(decoders[which], data + 1, size - 1);
    else
        expect(error.kind == FAULT_INPUT && fault_text(error)[0] != '\0');
    return 0;
}
