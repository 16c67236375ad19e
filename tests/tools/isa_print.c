/* Prints what decoders say of instructions: isa_print ISA [HEX...], or from standard input, a line "HEX [PC]" each
 * (PC in hex). ISA as isa_name has it. A line an instruction, columns by tabs:
 *
 *   HEX size class kind READS WRITES OPERANDS MARKS TARGET
 *
 * READS: "x1:a x2:d", a feeds an address, d data. WRITES: "x1 x2!", ! comes of the address alone. OPERANDS:
 * "load8(x1,x2)"; size 0 varies. "-" stands for none. Not known: "HEX size unknown". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/isa/isa.h"

static const char *const fences[] = {NULL, "fence-load", "fence-store", "fence-full", "fence-acquire", "fence-release"};

static void print_registers(enum isa isa, const struct isa_insn *insn)
{
    unsigned addresses = 0;

    for (unsigned o = 0; o < insn->operand_count; o++)
        addresses |= insn->operands[o].address_reads;
    if (insn->read_count == 0)
        putchar('-');
    for (unsigned i = 0; i < insn->read_count; i++)
        printf("%s%s:%s%s", i ? " " : "", isa_register_name(isa, insn->reads[i]), addresses >> i & 1 ? "a" : "",
               insn->data_reads >> i & 1 ? "d" : "");
    putchar('\t');
    if (insn->write_count == 0)
        putchar('-');
    for (unsigned i = 0; i < insn->write_count; i++)
        printf("%s%s%s", i ? " " : "", isa_register_name(isa, insn->writes[i]),
        insn->address_writes >> i & 1 ? "!" : "");
}

static void print_operands(enum isa isa, const struct isa_insn *insn)
{
    if (insn->operand_count == 0)
        putchar('-');
    for (unsigned o = 0; o < insn->operand_count; o++) {
        const struct isa_operand *const operand = &insn->operands[o];
        bool is_first = true;

        printf("%s%s%s%u(", o ? " " : "", operand->is_load ? "load" : "", operand->is_store ? "store" : "",
        operand->size_bytes);
        for (unsigned i = 0; i < insn->read_count; i++)
            if (operand->address_reads >> i & 1) {
                printf("%s%s", is_first ? "" : ",", isa_register_name(isa, insn->reads[i]));
                is_first = false;
            }
        putchar(')');
    }
}

static void print_marks(const struct isa_insn *insn)
{
    const char *const marks[] = {
        insn->is_atomic ? "atomic" : NULL, insn->is_prefetch ? "prefetch" : NULL,
        insn->is_serialising ? "serialising" : NULL,
        insn->is_string ? "string" : NULL, insn->is_nop ? "nop" : NULL, fences[insn->fence]};
    bool is_any = false;

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (marks[i]) {
            printf("%s%s", is_any ? " " : "", marks[i]);
            is_any = true;
        }
    if (!is_any)
        putchar('-');
}

static void print(struct isa_decoder *decoder, const char *hex, uint64_t pc)
{
    enum isa const isa = isa_decoder_isa(decoder);
    uint8_t bytes[ISA_MAX_BYTES];
    struct isa_insn insn;
    size_t length = 0;

    for (unsigned byte; length < sizeof bytes && sscanf(hex + 2 * length, "%2x", &byte) == 1; length++) {
        bytes[length] = (uint8_t)byte;
        if (hex[2 * length + 1] == '\0' || hex[2 * length + 2] == '\0') {
            length++;
            break;
        }
    }
    if (!isa_decode(decoder, pc, bytes, length, &insn)) {
        printf("%s\t%u\tunknown\n", hex, insn.size_bytes);
        return;
    }
    printf("%s\t%u\t%s\t%s\t", hex, insn.size_bytes, isa_class_name(insn.class), isa_kind_name(insn.kind));
    print_registers(isa, &insn);
    putchar('\t');
    print_operands(isa, &insn);
    putchar('\t');
    print_marks(&insn);
    if (insn.has_target)
        printf("\t%" PRIx64 "\n", insn.target);
    else
        printf("\t-\n");
}

int main(int argc, char **argv)
{
    struct isa_decoder *decoder = NULL;
    struct fault error = {.text = "no such architecture"};
    char line[256], hex[64];
    uint64_t pc;

    for (int isa = 0; argc > 1 && isa < ISA_COUNT; isa++)
        if (strcmp(argv[1], isa_name((enum isa)isa)) == 0)
            decoder = isa_decoder_open((enum isa)isa, &error);
    if (!decoder) {
        fprintf(stderr, "isa_print: %s\n", argc > 1 ? error.text : "isa_print ISA [HEX...]");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        print(decoder, argv[i], 0);
    while (argc == 2 && fgets(line, sizeof line, stdin)) {
        pc = 0;
        if (sscanf(line, "%63s %" SCNx64, hex, &pc) >= 1)
            print(decoder, hex, pc);
    }
    isa_decoder_close(decoder);
    return 0;
}
