/* Lines are compared one after the other: each instruction of a program is decoded once. */
#include "proto/isa/isa_build.h"

#include <assert.h>
#include <stdlib.h>

enum { WORD_BITS = 32, FIELD = 31, HALF_FIELD = 15 };

static struct isa_pattern_bits compile(const struct isa_pattern *pattern)
{
    struct isa_pattern_bits compiled = {.pattern = pattern};
    unsigned count = 0;

    for (const char *bit = pattern->bits; *bit; bit++) {
        if (*bit == ' ')
            continue;
        assert(*bit == '0' || *bit == '1' || *bit == '.');
        compiled.mask = compiled.mask << 1 | (*bit != '.');
        compiled.value = compiled.value << 1 | (*bit == '1');
        count++;
    }
    assert(count == WORD_BITS);
    return compiled;
}

struct isa_patterns *isa_patterns_new(const struct isa_fields *fields, size_t tables,
                                      const struct isa_pattern *const tables_of[], const size_t counts[])
{
    struct isa_patterns *patterns;
    size_t count = 0;

    for (size_t t = 0; t < tables; t++)
        count += counts[t];
    patterns = malloc(sizeof *patterns + count * sizeof patterns->list[0]);
    if (!patterns)
        return NULL;
    patterns->fields = fields;
    patterns->count = 0;
    for (size_t t = 0; t < tables; t++)
        for (size_t i = 0; i < counts[t]; i++)
            patterns->list[patterns->count++] = compile(&tables_of[t][i]);
    return patterns;
}

const struct isa_pattern *isa_patterns_find(const struct isa_patterns *patterns, uint32_t bits)
{
    for (size_t i = 0; i < patterns->count; i++) {
        const struct isa_pattern_bits *const line = &patterns->list[i];

        if ((bits & line->mask) == line->value)
            return line->pattern->operands[0] == '-' ? NULL : line->pattern;
    }
    return NULL;
}

/* The register that the word at *text names; *text moves behind it. */
static unsigned register_at(const struct isa_fields *fields, const char **text, uint32_t bits)
{
    const char *word = *text;
    bool const is_vector = *word == 'v';
    char const letter = is_vector ? *++word : *word;
    bool const is_stack = letter >= 'A' && letter <= 'Z';
    unsigned field, shift, mask = FIELD;

    word++;
    *text = word;
    switch (letter) {
    case 'c':
        return fields->flags;
    case 'L':
        return fields->link;
    case 'S':
        return fields->stack;
    case '1':
        *text = word + 1;
        return fields->first + 10 + (unsigned)(*word - '0');
    case 'h': shift = fields->m; mask = HALF_FIELD; break;
    case 'd': case 'D': shift = fields->d; break;
    case 'n': case 'N': shift = fields->n; break;
    case 'm': case 'M': shift = fields->m; break;
    default: assert(letter == 'a'); shift = fields->a; break;
    }
    field = bits >> shift & mask;
    if (*word == '+') {
        field = (field + (unsigned)(word[1] - '0')) & FIELD;
        *text = word + 2;
    }
    if (is_vector)
        return fields->first_vector + field;
    if (field == fields->zero)
        return is_stack ? fields->stack : 0;
    return fields->first + field;
}

void isa_pattern_apply(const struct isa_patterns *patterns, const struct isa_pattern *pattern, uint32_t bits,
                       unsigned size_bytes, struct isa_insn *insn)
{
    const char *text = pattern->operands;
    struct isa_operand *operand = NULL;
    enum { WRITTEN, READ, ADDRESS } place = WRITTEN;
    unsigned base = 0;

    insn->class = pattern->class;
    insn->kind = pattern->kind;
    insn->fence = pattern->fence;
    insn->is_atomic = pattern->is_atomic;
    insn->is_prefetch = pattern->is_prefetch;
    insn->is_serialising = pattern->is_serialising;
    insn->is_nop = pattern->is_nop;
    if (pattern->direction != ISA_DIRECTION_NONE)
        operand = isa_operand_add(insn, pattern->direction, size_bytes);
    while (*text) {
        unsigned number;

        if (*text == ' ' || *text == ']') {
            text++;
        } else if (*text == '<') {
            place = READ;
            text++;
        } else if (*text == '[') {
            place = ADDRESS;
            text++;
        } else if (*text == '!') {
            isa_write_address(insn, base);
            text++;
        } else {
            number = register_at(patterns->fields, &text, bits);
            if (place == WRITTEN)
                isa_write(insn, number);
            else if (place == READ || !operand)
                isa_read_data(insn, number);
            else
                isa_read_address(insn, operand, number);
            if (place == ADDRESS && base == 0)
                base = number;
        }
    }
}
