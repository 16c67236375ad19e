/* Pieces of a line, read from left to right: each function takes one, or leaves the parser where it is wrong. */
#ifndef PROTO_INSN_LINE_PIECES_H
#define PROTO_INSN_LINE_PIECES_H

#include <string.h>

#include "base/arith.h"
#include "proto/insn/lines.h"

static inline char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static inline bool is_done(const struct line_parser *p)
{
    return p->at == p->end;
}

/* One of these characters, which are in lower case. */
static inline bool take_char(struct line_parser *p, const char *of)
{
    if (is_done(p) || *p->at == '\0' || !strchr(of, lower(*p->at)))
        return false;
    p->at++;
    return true;
}

static inline bool skip_blanks(struct line_parser *p)
{
    const char *const before = p->at;

    while (!is_done(p) && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
    return p->at > before;
}

/* Skips this word, given in lower case, if it comes next; returns whether it did. */
static inline bool take_word(struct line_parser *p, const char *word)
{
    const char *at = p->at;

    for (; *word != '\0'; word++, at++)
        if (at == p->end || lower(*at) != *word)
            return false;
    p->at = at;
    return true;
}

/* The same of a whole word. */
static inline bool take_whole_word(struct line_parser *p, const char *word)
{
    const char *const before = p->at;

    if (take_word(p, word) && (is_done(p) || *p->at == ' ' || *p->at == '\t'))
        return true;
    p->at = before;
    return false;
}

static inline bool take_number(struct line_parser *p, unsigned base, uint64_t *number)
{
    const char *const before = p->at;

    *number = 0;
    for (; p->at < p->end; p->at++) {
        char const c = lower(*p->at);
        unsigned const digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
            : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;

        if (digit >= base)
            break;
        if (!append_digit(number, base, digit))
            return false;
    }
    return p->at > before;
}

/* 0x or not. */
static inline bool take_hex(struct line_parser *p, uint64_t *number)
{
    take_word(p, "0x");
    return take_number(p, 16, number);
}

static inline bool take_0x(struct line_parser *p, uint64_t *number)
{
    return take_word(p, "0x") && take_number(p, 16, number);
}

/* 0x hex, or decimal. */
static inline bool take_either(struct line_parser *p, uint64_t *number)
{
    return take_number(p, take_word(p, "0x") ? 16 : 10, number);
}

#endif
