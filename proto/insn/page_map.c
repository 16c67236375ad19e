/* Words and braces; a stack of blocks that knows of each whether it is a mapping. */
#include "proto/insn/v2p.h"

#include <string.h>

#include "base/arith.h"
#include "base/list.h"
#include "proto/io/bytes.h"

enum { USUAL_PAGE_BYTES = 4096, MOST_DEPTH = 16 };

struct map {
    const char *path;
    uint64_t line;
    struct insn_page **pages;
    size_t *count;
    struct insn_page page;               /* at hand */
    uint64_t page_bytes;
    bool is_mapping[MOST_DEPTH];         /* of each open block */
    unsigned depth;
    bool names_mapping;                  /* the word before was address_mapping */
};

struct word { const char *at; size_t length; };

static struct fault page_map_refuse(const struct map *map, struct word word, const char *expected)
{
    char shown[24];
    size_t const length = word.length < sizeof shown - 1 ? word.length : sizeof shown - 1;

    for (size_t i = 0; i < length; i++)
        shown[i] = word.at[i] >= ' ' && word.at[i] < 127 ? word.at[i] : '?';
    shown[length] = '\0';
    return fault_at_line(map->path, map->line, "\"%s\"; expected %s", shown, expected);
}

/* Decimal, or hexadecimal behind 0x. */
static bool page_map_take_number(struct word word, uint64_t *number)
{
    bool const is_hex = word.length > 2 && word.at[0] == '0' && (word.at[1] == 'x' || word.at[1] == 'X');

    *number = 0;
    for (size_t i = is_hex ? 2 : 0; i < word.length; i++) {
        char const c = word.at[i];
        unsigned const digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
            : is_hex && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
            : is_hex && c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 99;

        if (digit == 99 || !append_digit(number, is_hex ? 16 : 10, digit))
            return false;
    }
    return word.length > 0;
}

static bool is_word(struct word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.at, text, word.length) == 0;
}

/* The next word of the line; ':', '{' and '}' are words. Length 0: the line ends. */
static struct word next_word(const char **at, const char *end)
{
    struct word word;

    while (*at < end && memchr(" \t,;", **at, 4))
        *at += 1;
    word = (struct word){*at, 0};
    if (*at == end || **at == '#')
        return word;
    if (memchr(":{}", **at, 3))
        *at += 1;
    else
        while (*at < end && !memchr(" \t:,;{}#", **at, 8))
            *at += 1;
    word.length = (size_t)(*at - word.at);
    return word;
}

static struct fault add_page(struct map *map)
{
    if (!list_fit_next(map->pages, *map->count, sizeof **map->pages))
        return fault_memory(map->path, "pages");
    map->page.byte_count = map->page_bytes;
    (*map->pages)[*map->count] = map->page;
    *map->count += 1;
    return fault_none();
}

static struct fault open_block(struct map *map, struct word word)
{
    if (map->depth == MOST_DEPTH)
        return page_map_refuse(map, word, "blocks nested less deeply");
    map->is_mapping[map->depth++] = map->names_mapping;
    if (map->names_mapping)
        map->page = (struct insn_page){0};
    map->names_mapping = false;
    return fault_none();
}

static struct fault close_block(struct map *map, struct word word)
{
    if (map->depth == 0)
        return page_map_refuse(map, word, "a block that it ends");
    return !map->is_mapping[--map->depth] ? fault_none() : add_page(map);
}

static struct fault page_map_take_field(struct map *map, struct word name, struct word value)
{
    bool const is_in_mapping = map->depth > 0 && map->is_mapping[map->depth - 1];
    bool const is_size = is_word(name, "page_size");
    uint64_t number;

    if (!is_size && !is_word(name, "virtual_address") && !is_word(name, "physical_address"))
        return fault_none();
    if (is_size == is_in_mapping)
        return page_map_refuse(map, name, "page_size outside and addresses inside of address_mapping { }");
    if (!page_map_take_number(value, &number))
        return page_map_refuse(map, value, "a number, decimal or behind 0x");
    if (is_size && !is_power_of_two(number))
        return page_map_refuse(map, value, "a power of two as page_size");
    *(is_size ? &map->page_bytes : is_word(name, "virtual_address") ? &map->page.virtual_address
      : &map->page.physical_address) = number;
    return fault_none();
}

static struct fault page_map_take_line(struct map *map, const char *at, const char *end)
{
    for (;;) {
        struct word const word = next_word(&at, end);
        struct word next;

        if (word.length == 0)
            return fault_none();
        if (is_word(word, "{") || is_word(word, "}")) {
            FORWARD(*word.at == '{' ? open_block(map, word) : close_block(map, word));
            continue;
        }
        map->names_mapping = is_word(word, "address_mapping");
        next = next_word(&at, end);
        if (is_word(next, ":") && !map->names_mapping) {
            FORWARD(page_map_take_field(map, word, next_word(&at, end)));
        } else if (is_word(next, "{")) {
            FORWARD(open_block(map, next));
        } else if (next.length > 0 && !is_word(next, ":")) {
            return page_map_refuse(map, next, "':' or '{' behind a name");
        }
    }
}

struct fault insn_page_map_read(const char *path, struct insn_page **pages, size_t *count)
{
    struct fault fault = fault_none();
    struct map map = {.path = path, .pages = pages, .count = count, .page_bytes = USUAL_PAGE_BYTES};
    struct trace_bytes bytes;
    const char *line;
    size_t length;
    bool good = true;

    FORWARD(trace_bytes_open(&bytes, path));
    while (good && (line = trace_bytes_line(&bytes, &length, &fault)) != NULL) {
        map.line++;
        good = WORKS(fault, page_map_take_line(&map, line, line + length));
    }
    good = good && fault.kind == FAULT_NONE;
    trace_bytes_close(&bytes);
    if (good && map.depth > 0)
        return fault_at_line(path, map.line, "the file ends inside of a block; expected }");
    return good ? fault_none() : fault;
}
