/* The text form of a protobuf message, as far as this one needs it (drmemtrace 9): fields `name: number`, blocks
 * `address_mapping { ... }`, comments, commas and semicolons between. Fields of other names are passed over. */
#include "proto/insn/v2p.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/io/io_stream.h"

#define WORD_BYTES 64
#define SMALLEST_PAGE 4096
#define LARGEST_PAGE (UINT64_C(1) << 30)
#define NO_MARK '\0'

struct text {
    struct stream stream;
    const char *path;
    uint64_t line;
    struct fault *error;
    char mark;                       /* the last token: ':', '{', '}', a word: 'w', the end: NO_MARK */
    char word[WORD_BYTES];
};

static bool expected(const struct text *text, const char *what)
{
    char found[WORD_BYTES + 4] = "the end";

    if (text->mark == 'w')
        snprintf(found, sizeof found, "\"%s\"", text->word);
    else if (text->mark != NO_MARK)
        snprintf(found, sizeof found, "\"%c\"", text->mark);
    return WORKS(*text->error, fault_at_line(text->path, text->line, "expected %s, found %s", what, found));
}

/* The next byte, or -1 for the end; false after a fault. */
static bool v2p_look(struct text *text, int *c)
{
    enum stream_status const status = stream_need(&text->stream, 1, text->error);

    *c = status == STREAM_OK ? *text->stream.next : -1;
    return status != STREAM_FAILED;
}

static bool is_word_letter(int c)
{
    return c >= 0 && (isalnum(c) || c == '_' || c == '.' || c == '+' || c == '-' || c == '"');
}

static bool read_word(struct text *text)
{
    size_t length = 0;
    int c;

    while (v2p_look(text, &c)) {
        if (!is_word_letter(c)) {
            text->word[length] = '\0';
            text->mark = 'w';
            return true;
        }
        if (length + 1 == sizeof text->word)
            return WORKS(*text->error, fault_at_line(text->path, text->line, "a word of more than %d letters; "
                                                     "expected a v2p.textproto with page_size and address_mapping",
                                                     WORD_BYTES - 1));
        text->word[length++] = (char)c;
        text->stream.next++;
    }
    return false;
}

/* The next mark; skips comments and separators. */
static bool v2p_next(struct text *text)
{
    bool is_comment = false;
    int c;

    while (v2p_look(text, &c)) {
        if (c < 0) {
            text->mark = NO_MARK;
            return true;
        }
        if (!is_comment && is_word_letter(c))
            return read_word(text);
        text->stream.next++;
        text->line += c == '\n';
        is_comment = c != '\n' && (is_comment || c == '#');
        if (is_comment || strchr(" \t\r\n,;", c))
            continue;
        if (c != ':' && c != '{' && c != '}')
            return WORKS(*text->error, fault_at_line(text->path, text->line, "byte 0x%02x; expected a v2p.textproto "
                                                     "with page_size and address_mapping", (unsigned)c));
        text->mark = (char)c;
        return true;
    }
    return false;
}

static bool read_number(struct text *text, uint64_t *number)
{
    unsigned long long value;
    char *end;

    if (!v2p_next(text))
        return false;
    if (text->mark != ':')
        return expected(text, "a colon");
    if (!v2p_next(text))
        return false;
    value = strtoull(text->word, &end, 0);
    if (text->mark != 'w' || !isdigit((unsigned char)text->word[0]) || *end || (value == UINT64_MAX))
        return expected(text, "a number of 64 bits, decimal or 0x and hexadecimal");
    *number = value;
    return true;
}

static bool skip_value(struct text *text)
{
    if (!v2p_next(text))
        return false;
    if (text->mark != ':')
        return expected(text, "a colon");
    return v2p_next(text) && (text->mark == 'w' || expected(text, "a value"));
}

static bool read_mapping(struct text *text, struct v2p_map *map)
{
    struct v2p_page page = {0};

    if (!v2p_next(text))
        return false;
    if (text->mark == ':' && !v2p_next(text))        /* the colon before a block may be there */
        return false;
    if (text->mark != '{')
        return expected(text, "{ after address_mapping");
    for (;;) {
        bool is_right;

        if (!v2p_next(text))
            return false;
        if (text->mark == '}')
            break;
        if (text->mark != 'w')
            return expected(text, "virtual_address, physical_address or }");
        is_right = strcmp(text->word, "virtual_address") == 0    ? read_number(text, &page.address)
                   : strcmp(text->word, "physical_address") == 0 ? read_number(text, &page.physical)
                                                                 : skip_value(text);
        if (!is_right)
            return false;
    }
    page.line = text->line;
    if (!list_fit(&map->pages, map->count + 1, &map->room, sizeof *map->pages))
        return WORKS(*text->error, fault_memory(text->path, "its pages"));
    map->pages[map->count++] = page;
    return true;
}

static bool v2p_read_all(struct text *text, struct v2p_map *map)
{
    for (;;) {
        bool is_right;

        if (!v2p_next(text))
            return false;
        if (text->mark == NO_MARK)
            return true;
        if (text->mark != 'w')
            return expected(text, "page_size or address_mapping");
        is_right = strcmp(text->word, "page_size") == 0         ? read_number(text, &map->page_bytes)
                   : strcmp(text->word, "address_mapping") == 0 ? read_mapping(text, map)
                                                                : skip_value(text);
        if (!is_right)
            return false;
    }
}

static bool v2p_check(const struct text *text, const struct v2p_map *map)
{
    uint64_t const bytes = map->page_bytes;

    if (map->count == 0 || bytes == 0)
        return WORKS(*text->error, fault_at(text->path, FAULT_NO_OFFSET, "no %s; expected a v2p.textproto with "
                                            "page_size and address_mapping", bytes == 0 ? "page_size"
                                            : "address_mapping"));
    if (bytes < SMALLEST_PAGE || bytes > LARGEST_PAGE || (bytes & (bytes - 1)) != 0)
        return WORKS(*text->error, fault_at(text->path, FAULT_NO_OFFSET, "page_size is 0x%llx; expected a power of "
                                            "two from 4 KiB to 1 GiB", (unsigned long long)bytes));
    for (size_t i = 0; i < map->count; i++)
        if ((map->pages[i].address | map->pages[i].physical) & (bytes - 1))
            return WORKS(*text->error, fault_at_line(text->path, map->pages[i].line, "0x%llx at 0x%llx: expected "
                                                     "multiples of page_size, 0x%llx",
                                                     (unsigned long long)map->pages[i].address,
                                                     (unsigned long long)map->pages[i].physical,
                                                     (unsigned long long)bytes));
    return true;
}

struct fault v2p_read(const char *path, struct v2p_map *map)
{
    struct fault fault = fault_none();
    struct stream_source const source = {.path = path, .unpacks_all = true};
    struct text text = {.path = path, .line = 1, .error = &fault};
    bool is_right;

    *map = (struct v2p_map){0};
    FORWARD(stream_open(&text.stream, &source));
    is_right = v2p_read_all(&text, map) && v2p_check(&text, map);
    stream_close(&text.stream);
    return is_right ? fault_none() : fault;
}

void v2p_free(struct v2p_map *map)
{
    free(map->pages);
    *map = (struct v2p_map){0};
}
