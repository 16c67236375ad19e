#include "tests/support/isa_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const fences[] = {NULL, "fence-load", "fence-store", "fence-full", "fence-acquire", "fence-release"};

__attribute__((format(printf, 2, 3))) static void put(char *text, const char *format, ...)
{
    size_t const length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, ISA_TEXT_BYTES - length, format, arguments);
    va_end(arguments);
}

static void put_reads(char *text, enum isa isa, const struct isa_insn *insn)
{
    unsigned addresses = 0;

    for (unsigned o = 0; o < insn->operand_count; o++)
        addresses |= insn->operands[o].address_reads;
    for (unsigned i = 0; i < insn->read_count; i++)
        put(text, "%s%s:%s%s", i ? " " : "", isa_register_name(isa, insn->reads[i]), addresses >> i & 1 ? "a" : "",
            insn->data_reads >> i & 1 ? "d" : "");
    put(text, insn->read_count ? "\t" : "-\t");
}

static void put_writes(char *text, enum isa isa, const struct isa_insn *insn)
{
    for (unsigned i = 0; i < insn->write_count; i++)
        put(text, "%s%s%s", i ? " " : "", isa_register_name(isa, insn->writes[i]),
            insn->address_writes >> i & 1 ? "!" : "");
    put(text, insn->write_count ? "\t" : "-\t");
}

static void put_operands(char *text, enum isa isa, const struct isa_insn *insn)
{
    for (unsigned o = 0; o < insn->operand_count; o++) {
        const struct isa_operand *const operand = &insn->operands[o];
        bool is_first = true;

        put(text, "%s%s%s%u(", o ? " " : "", operand->is_load ? "load" : "", operand->is_store ? "store" : "",
            operand->size_bytes);
        for (unsigned i = 0; i < insn->read_count; i++)
            if (operand->address_reads >> i & 1) {
                put(text, "%s%s", is_first ? "" : ",", isa_register_name(isa, insn->reads[i]));
                is_first = false;
            }
        put(text, ")");
    }
    put(text, insn->operand_count ? "\t" : "-\t");
}

static void put_marks(char *text, const struct isa_insn *insn)
{
    const char *const marks[] = {
        insn->is_atomic ? "atomic" : NULL, insn->is_prefetch ? "prefetch" : NULL,
        insn->is_streaming ? "streaming" : NULL,
        insn->is_serialising ? "serialising" : NULL, insn->is_string ? "string" : NULL, insn->is_nop ? "nop" : NULL,
        fences[insn->fence]};
    bool is_any = false;

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (marks[i]) {
            put(text, "%s%s", is_any ? " " : "", marks[i]);
            is_any = true;
        }
    put(text, is_any ? "\t" : "-\t");
}

void isa_text(struct isa_decoder *decoder, const char *hex, uint64_t pc, char text[ISA_TEXT_BYTES])
{
    enum isa const isa = isa_decoder_isa(decoder);
    size_t const digits = strlen(hex);
    uint8_t bytes[ISA_MAX_BYTES];
    struct isa_insn insn;
    size_t length = 0;
    unsigned byte;

    while (length < sizeof bytes && 2 * length + 1 < digits && sscanf(hex + 2 * length, "%2x", &byte) == 1)
        bytes[length++] = (uint8_t)byte;
    text[0] = '\0';
    if (!isa_decode(decoder, pc, bytes, length, &insn)) {
        put(text, "%u\tunknown", insn.size_bytes);
        return;
    }
    put(text, "%u\t%s\t%s\t", insn.size_bytes, isa_class_name(insn.class), isa_kind_name(insn.kind));
    put_reads(text, isa, &insn);
    put_writes(text, isa, &insn);
    put_operands(text, isa, &insn);
    put_marks(text, &insn);
    if (insn.has_target)
        put(text, "%" PRIx64, insn.target);
    else
        put(text, "-");
}
