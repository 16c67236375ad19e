/* A damaged copy of a file: the same seed gives the same damage.
 *
 * Use: mutate SEED FROM TO. One to four of these are done, mostly one: bits flipped; bytes set; the end cut off; blocks
 * taken out, doubled, exchanged, overwritten; what may be a length (1, 2, 4, 8 bytes, a varint) set to a bound. Text
 * has more: a number becomes a bound of some type, or no number; lines are taken out, doubled, exchanged, joined; signs
 * of other languages (YAML, JSON, formats, terminals, shells) come in. One line on standard output describes the
 * mutation. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random_numbers.h"

enum { MOST_DAMAGES = 4, MOST_BLOCK = 4096, MOST_INSERTED = 4096 };

struct bytes {
    uint8_t *at;
    size_t length, room;
};

static size_t below(size_t limit)
{
    return limit > 0 ? (size_t)(random_bits() >> 3) % limit : 0;
}

/* Room for `count` more bytes at the end. */
static void make_room(struct bytes *bytes, size_t count)
{
    if (bytes->room - bytes->length >= count)
        return;
    bytes->room = bytes->length + count + MOST_BLOCK;
    bytes->at = realloc(bytes->at, bytes->room);
    if (!bytes->at)
        exit(2);
}

/* `removed` bytes from a place on become `count` others. */
static void replace(struct bytes *bytes, size_t place, size_t removed, const void *others, size_t count)
{
    make_room(bytes, count);
    memmove(bytes->at + place + count, bytes->at + place + removed, bytes->length - place - removed);
    if (count > 0)
        memcpy(bytes->at + place, others, count);
    bytes->length += count - removed;
}

/* A block that lies in the bytes: mostly short. */
static size_t some_block(const struct bytes *bytes, size_t *place)
{
    size_t const most = below(3) == 0 ? MOST_BLOCK : 32;
    size_t count = 1 + below(most);

    *place = below(bytes->length);
    if (count > bytes->length - *place)
        count = bytes->length - *place;
    return count;
}

/* ---- of any bytes */
static void flip_bits(struct bytes *bytes)
{
    for (size_t i = 1 + below(4); i > 0; i--)
        bytes->at[below(bytes->length)] ^= (uint8_t)(1u << below(8));
}

static void set_bytes(struct bytes *bytes)
{
    static const uint8_t usual[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '"'};

    for (size_t i = 1 + below(4); i > 0; i--)
        bytes->at[below(bytes->length)] = below(2) ? usual[below(sizeof usual)] : (uint8_t)below(256);
}

static void cut_off(struct bytes *bytes)
{
    size_t const some = bytes->length < 16 ? bytes->length : 16;

    bytes->length = below(2) ? below(bytes->length) : bytes->length - 1 - below(some);
}

static void take_out(struct bytes *bytes)
{
    size_t place;
    size_t const count = some_block(bytes, &place);

    replace(bytes, place, count, NULL, 0);
}

/* A block comes again at some other place, inserted or overwriting. */
static void copy_block(struct bytes *bytes)
{
    static uint8_t block[MOST_BLOCK];
    size_t from, to;
    size_t const count = some_block(bytes, &from);

    memcpy(block, bytes->at + from, count);
    to = below(bytes->length - count + 1);
    replace(bytes, to, below(2) ? count : 0, block, count);
}

static void repeat_block(struct bytes *bytes)
{
    static uint8_t block[MOST_BLOCK];
    size_t place, times = 1 + below(below(4) == 0 ? 1000 : 4);
    size_t const count = some_block(bytes, &place);

    memcpy(block, bytes->at + place, count);
    for (; times > 0; times--)
        replace(bytes, place, 0, block, count);
}

static void set_length(struct bytes *bytes)
{
    static const uint64_t bounds[] = {0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
                                      0xfffffffe, 0xffffffff, 0x100000000, INT64_MAX, UINT64_MAX - 7, UINT64_MAX};
    uint64_t const bound = bounds[below(sizeof bounds / sizeof bounds[0])];
    size_t const place = below(bytes->length), left = bytes->length - place;
    uint8_t text[10];
    size_t used = 0;

    if (below(3) == 0) {
        uint64_t rest = bound;

        for (; rest >= 0x80; rest >>= 7)
            text[used++] = (uint8_t)(rest | 0x80);
        text[used++] = (uint8_t)rest;
        replace(bytes, place, below(2) && left > 0 ? 1 : 0, text, used);
        return;
    }
    for (size_t count = (size_t)1 << below(4); used < count && used < left; used++)
        bytes->at[place + used] = (uint8_t)(bound >> 8 * used);
}

/* ---- of text */
static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static void change_number(struct bytes *bytes)
{
    static const char *const bounds[] = {
        "0", "-1", "1", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
        "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e308", "1e400",
        "nan", "-inf", "0x", "0xffffffffffffffff", "1.5", "", "00000000000000000000000000000000000000001", "1e-400", "٣"
    };
    const char *const bound = bounds[below(sizeof bounds / sizeof bounds[0])];
    size_t from = below(bytes->length), to;

    for (size_t i = 0; i < bytes->length && !is_digit(bytes->at[from]); i++)
        from = (from + 1) % bytes->length;
    for (; from > 0 && is_digit(bytes->at[from - 1]); from--) {
    }
    for (to = from; to < bytes->length && is_digit(bytes->at[to]); to++) {
    }
    replace(bytes, from, to - from, bound, strlen(bound));
}

/* The line around a place, with its end; its length. */
static size_t some_line(const struct bytes *bytes, size_t *from)
{
    size_t to = below(bytes->length);

    for (*from = to; *from > 0 && bytes->at[*from - 1] != '\n'; --*from) {
    }
    for (; to < bytes->length && bytes->at[to] != '\n'; to++) {
    }
    to += to < bytes->length;
    return to - *from < MOST_BLOCK ? to - *from : MOST_BLOCK;
}

static void move_line(struct bytes *bytes)
{
    static uint8_t line[MOST_BLOCK];
    size_t from, to;
    size_t const count = some_line(bytes, &from);

    memcpy(line, bytes->at + from, count);
    if (below(3) > 0)
        replace(bytes, from, count, NULL, 0);
    if (bytes->length == 0 || below(4) == 0)
        return;
    some_line(bytes, &to);
    replace(bytes, to, 0, line, count);
}

static void join_lines(struct bytes *bytes)
{
    size_t from;
    size_t const count = some_line(bytes, &from);

    if (count > 0)
        replace(bytes, from + count - 1, 1, " ", below(2));
}

static void insert_sign(struct bytes *bytes)
{
    static const char *const signs[] = {
        "\"", "'", "`id`", "$(id)", ";", "|", "\\", "{", "}", "[", "]", ": ", "- ", "&a", "*a", "<<: ", "!!binary ",
        "#", "%s%n", "\033[2J", "\033]0;x\007", "\r", "\t", "\n", "\n\n", "../../../", "/", "\xff\xfe", "\xc0\x80",
        "\xed\xa0\x80", ",", "=", "null", "~", "yes", "--set", "\xe2\x80\xae"
    };
    const char *const sign = signs[below(sizeof signs / sizeof signs[0])];
    size_t const place = below(bytes->length);
    size_t times = below(8) == 0 ? 1 + below(MOST_INSERTED / 16) : 1;

    for (; times > 0; times--)
        replace(bytes, place, 0, sign, strlen(sign));
}

/* ---- */
static const struct damage {
    const char *name;
    void (*change)(struct bytes *bytes);
    bool is_of_text;
} damages[] = {
    {"bits", flip_bits, false}, {"bytes", set_bytes, false}, {"end", cut_off, false}, {"out", take_out, false},
    {"copy", copy_block, false}, {"repeat", repeat_block, false}, {"length", set_length, false},
    {"number", change_number, true}, {"number", change_number, true}, {"line", move_line, true},
    {"join", join_lines, true}, {"sign", insert_sign, true}
};
enum { DAMAGES = sizeof damages / sizeof damages[0] };

static bool read_file(struct bytes *bytes, const char *path)
{
    FILE *const file = fopen(path, "rb");
    size_t count = 1;

    while (file && count > 0) {
        make_room(bytes, MOST_BLOCK);
        count = fread(bytes->at + bytes->length, 1, bytes->room - bytes->length, file);
        bytes->length += count;
    }
    return file && !ferror(file) && fclose(file) == 0;
}

static bool write_file(const struct bytes *bytes, const char *path)
{
    FILE *const file = fopen(path, "wb");

    return file && fwrite(bytes->at, 1, bytes->length, file) == bytes->length && fclose(file) == 0;
}

static bool is_text(const struct bytes *bytes)
{
    size_t const looked = bytes->length < 1000 ? bytes->length : 1000;

    return !memchr(bytes->at, '\0', looked) && memchr(bytes->at, '\n', looked);
}

int main(int argc, char **argv)
{
    struct bytes bytes = {.length = 0};
    bool has_text;

    if (argc != 4 || !read_file(&bytes, argv[2])) {
        fprintf(stderr, "usage: mutate SEED FROM TO\n");
        return 2;
    }
    random_state = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < 8; i++)
        random_bits();
    has_text = is_text(&bytes);
    for (size_t i = 1 + below(2) * below(MOST_DAMAGES); i > 0 && bytes.length > 0; i--) {
        struct damage const *damage;

        do
            damage = &damages[below(DAMAGES)];
        while (damage->is_of_text && !has_text);
        damage->change(&bytes);
        printf("%s ", damage->name);
    }
    printf("\n");
    if (!write_file(&bytes, argv[3])) {
        perror(argv[3]);
        return 2;
    }
    free(bytes.at);
    return 0;
}
