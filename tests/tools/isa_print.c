/* Prints what decoders say of instructions: isa_print ISA [HEX...], or from standard input, a line "HEX [PC]" each
 * (PC in hex). ISA as isa_name has it. A line an instruction: HEX, and the columns of tests/support/isa_text.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/isa/isa.h"
#include "tests/support/isa_text.h"

static void print(struct isa_decoder *decoder, const char *hex, uint64_t pc)
{
    char text[ISA_TEXT_BYTES];

    isa_text(decoder, hex, pc, text);
    printf("%s\t%s\n", hex, text);
}

int main(int argc, char **argv)
{
    struct isa_decoder *decoder = NULL;
    struct fault error = fault_none();
    char line[256], hex[64];
    uint64_t pc;

    for (int isa = 0; argc > 1 && isa < ISA_COUNT; isa++)
        if (strcmp(argv[1], isa_name((enum isa)isa)) == 0)
            decoder = isa_decoder_open((enum isa)isa, &error);
    if (!decoder) {
        fprintf(stderr, "isa_print: %s\n", argc > 1 ? fault_text(error) : "isa_print ISA [HEX...]");
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
