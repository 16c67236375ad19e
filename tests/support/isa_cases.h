/* Encodings with what a decoder is to say of them, for tests of decoders. */
#ifndef TESTS_SUPPORT_ISA_CASES_H
#define TESTS_SUPPORT_ISA_CASES_H

#include "tests/support/isa_text.h"
#include "tests/support/unit.h"

/* The instruction as manuals write it, its bytes, and isa_text.h's columns between "|". */
struct isa_case {
    const char *written, *hex, *expected;
};

/* Of each case but the size, which is that of its bytes; pc is 0x1000. */
static inline void check_cases(struct isa_decoder *decoder, const struct isa_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[ISA_TEXT_BYTES], expected[ISA_TEXT_BYTES];

        isa_text(decoder, cases[i].hex, 0x1000, text);
        for (char *tab = text; *tab; tab++)
            if (*tab == '\t')
                *tab = '|';
        snprintf(expected, sizeof expected, "%zu|%s", strlen(cases[i].hex) / 2, cases[i].expected);
        if (strcmp(text, expected) != 0)
            print_message("%s (%s)\n", cases[i].written, cases[i].hex);
        assert_string_equal(text, expected);
    }
}

#define CHECK_CASES(decoder, cases) check_cases(decoder, cases, sizeof cases / sizeof cases[0])

#endif
