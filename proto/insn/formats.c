#include "proto/insn/formats.h"

#include <string.h>

#define FORMAT_ABOUT(name, what, form) {#name, what, form},
const struct insn_format_about insn_format_abouts[INSN_FORMAT_COUNT] = {INSN_FORMATS(FORMAT_ABOUT)};

enum insn_format_number insn_format_find(const char *name, size_t length)
{
    int i = 0;

    while (i < INSN_FORMAT_COUNT && (strlen(insn_format_abouts[i].name) != length
                                     || memcmp(insn_format_abouts[i].name, name, length) != 0))
        i++;
    return (enum insn_format_number)i;
}
