/* Reads tokens, of which the first three tell the order of the others (macsim-traces 1.1). Line ends mean nothing; they
 * are counted for error messages only. */
#include "proto/macsim/macsim_header.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/list.h"
#include "proto/io/io_stream.h"

enum { HEADER_BYTES_MAX = 64 << 20, SHOWN = 40, GPU_VERSION_NOW = 14 };

struct kind {
    const char *word;
    bool is_gpu;
};

#define KIND_ROW(suffix, word, gpu) [MACSIM_KIND_##suffix] = {word, gpu},
static const struct kind kinds[] = { [MACSIM_KIND_UNKNOWN] = {"no header", false}, MACSIM_KINDS(KIND_ROW) };

const char *macsim_kind_name(enum macsim_kind kind)
{
    return kinds[kind].word;
}

bool macsim_kind_is_gpu(enum macsim_kind kind)
{
    return kinds[kind].is_gpu;
}

const char *macsim_era_name(enum macsim_era era)
{
    static const char *const names[] = {
        [MACSIM_ERA_2011] = "2011-09 to 2013-04",
        [MACSIM_ERA_2013_APRIL] = "2013-04-28 to 2013-05-13",
        [MACSIM_ERA_2013_MAY] = "2013-05-13 to 2020-06",
        [MACSIM_ERA_2020] = "2020-06 on",
        [MACSIM_ERA_OTHER] = "a type with one form of header",
    };

    return names[era];
}

/* ---- tokens */

struct token {
    const char *at;
    size_t length;                       /* 0: the text has ended */
};

struct tokens {
    const char *path, *data, *next, *end;
    struct fault *error;
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct token peek(struct tokens *tokens)
{
    const char *at = tokens->next;
    struct token token;

    while (at < tokens->end && is_space(*at))
        at++;
    token.at = tokens->next = at;
    while (at < tokens->end && !is_space(*at))
        at++;
    token.length = (size_t)(at - token.at);
    return token;
}

static struct token macsim_header_take(struct tokens *tokens)
{
    struct token const token = peek(tokens);

    tokens->next = token.at + token.length;
    return token;
}

static size_t count_rest(struct tokens tokens)
{
    size_t count = 0;

    while (macsim_header_take(&tokens).length > 0)
        count++;
    return count;
}

static bool is_number(struct token token)
{
    size_t const from = token.length > 1 && token.at[0] == '-';

    for (size_t i = from; i < token.length; i++)
        if (token.at[i] < '0' || token.at[i] > '9')
            return false;
    return token.length > 0;
}

static bool equals(struct token token, const char *text)
{
    return strlen(text) == token.length && memcmp(token.at, text, token.length) == 0;
}

static enum macsim_kind macsim_header_kind_of(struct token token)
{
    for (int kind = MACSIM_KIND_UNKNOWN + 1; kind < MACSIM_KIND_COUNT; kind++)
        if (equals(token, kinds[kind].word))
            return (enum macsim_kind)kind;
    return MACSIM_KIND_UNKNOWN;
}

static bool fail_at(const struct tokens *tokens, struct token token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "file: line N: found TOKEN, expected ..." */
static bool fail_at(const struct tokens *tokens, struct token token, const char *format, ...)
{
    char expected[300], found[SHOWN + 1];
    uint64_t line = 1;
    va_list arguments;
    size_t used = 0;

    for (const char *c = tokens->data; c < token.at; c++)
        line += *c == '\n';
    for (size_t i = 0; i < token.length && used < SHOWN; i++)
        found[used++] = token.at[i] >= '!' && token.at[i] <= '~' ? token.at[i] : '?';
    found[used] = '\0';
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    return token.length == 0
               ? WORKS(*tokens->error, fault_at_line(tokens->path, line, "the text ends where %s", expected))
               : WORKS(*tokens->error, fault_at_line(tokens->path, line, "found %s where %s", found, expected));
}

static bool macsim_header_take_number(struct tokens *tokens, const char *what, uint64_t highest, uint64_t *number)
{
    struct token const token = macsim_header_take(tokens);

    *number = 0;
    if (!is_number(token) || token.at[0] == '-')
        return fail_at(tokens, token, "%s was expected, a number from 0 to %" PRIu64, what, highest);
    for (size_t i = 0; i < token.length; i++) {
        unsigned const digit = (unsigned)(token.at[i] - '0');

        if (*number > (highest - digit) / 10)
            return fail_at(tokens, token, "%s was expected, a number from 0 to %" PRIu64, what, highest);
        *number = 10 * *number + digit;
    }
    return true;
}

static void macsim_header_warn(struct macsim_header *header, const char *format, ...) __attribute__((format(printf, 2,
                                                                                                            3)));

static void macsim_header_warn(struct macsim_header *header, const char *format, ...)
{
    size_t const most = sizeof header->warnings / sizeof header->warnings[0];
    va_list arguments;

    if (header->warning_count == most)
        return;
    va_start(arguments, format);
    vsnprintf(header->warnings[header->warning_count++], sizeof header->warnings[0], format, arguments);
    va_end(arguments);
}

/* ---- threads */

static bool read_threads(struct tokens *tokens, struct macsim_header *header, uint64_t count)
{
    uint64_t const numbers = count_rest(*tokens);

    if (count == 0)
        return WORKS(*tokens->error, fault_at(tokens->path, FAULT_NO_OFFSET, "the header promises 0 threads; expected "
                                              "a count of at least 1 and a pair of id and start for each"));
    if (numbers / 2 < count)
        return WORKS(*tokens->error, fault_at(tokens->path, FAULT_NO_OFFSET, "the header promises %" PRIu64
                                              " threads, but %" PRIu64 " pairs of id and start follow; expected one a "
                                              "thread", count, numbers / 2));
    if (numbers > 2 * count)
        macsim_header_warn(header, "%" PRIu64 " numbers behind the %" PRIu64 " promised threads are left out",
                           numbers - 2 * count, count);
    header->threads = malloc(count * sizeof *header->threads);
    if (header->threads == NULL)
        return WORKS(*tokens->error, fault_memory(tokens->path, NULL));
    header->thread_count = count;
    for (uint64_t i = 0; i < count; i++)
        if (!macsim_header_take_number(tokens, "a thread's id", INT64_MAX, &header->threads[i].id)
            || !macsim_header_take_number(tokens, "a thread's start", INT64_MAX, &header->threads[i].start))
            return false;
    return true;
}

static bool read_count_and_threads(struct tokens *tokens, struct macsim_header *header)
{
    uint64_t count;

    return macsim_header_take_number(tokens, "the number of threads", INT64_MAX, &count) && read_threads(tokens,
                                                                                                         header, count);
}

/* ---- lists */

static bool is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

/* The last `count` components. */
static const char *tail_of(const char *path, int count)
{
    const char *at = path + strlen(path);

    while (at > path && (at[-1] != '/' || --count > 0))
        at--;
    return at;
}

static char *macsim_header_join(const char *folder, size_t folder_length, const char *name)
{
    size_t const room = folder_length + strlen(name) + 1;
    char *const path = malloc(room);

    if (path != NULL)
        snprintf(path, room, "%.*s%s", (int)folder_length, folder, name);
    return path;
}

/* The path of a list's entry that exists, or as given; NULL: out of memory. Relative paths are the list's own first. */
static char *find_path(const char *list, const char *given)
{
    size_t const folder = (size_t)(tail_of(list, 1) - list);

    while (strncmp(given, "./", 2) == 0)
        given += 2;

    const char *const tries[] = {given, tail_of(given, 2), tail_of(given, 1)};
    size_t const first = given[0] == '/';

    if (first == 1 && is_file(given))
        return strdup(given);
    for (size_t i = first; i < sizeof tries / sizeof tries[0]; i++) {
        char *const path = macsim_header_join(list, folder, tries[i]);

        if (path == NULL || is_file(path))
            return path;
        free(path);
    }
    return strdup(given);
}

static bool add_path(struct tokens *tokens, struct macsim_header *header, struct token token)
{
    char *const given = strndup(token.at, token.length);

    if (given == NULL || !list_fit_next(&header->paths, header->path_count, sizeof *header->paths)) {
        free(given);
        return WORKS(*tokens->error, fault_memory(tokens->path, NULL));
    }
    header->paths[header->path_count] = find_path(tokens->path, given);
    free(given);
    if (header->paths[header->path_count] == NULL)
        return WORKS(*tokens->error, fault_memory(tokens->path, NULL));
    header->path_count++;
    return true;
}

/* "12.5%", as tables have it. */
static bool is_decimal(struct token token)
{
    for (size_t i = 0; i < token.length; i++)
        if (memchr("0123456789.%+-", token.at[i], 14) == NULL)
            return false;
    return true;
}

/* A dot in the last component, no control characters. */
static bool is_path(struct token token)
{
    bool has_dot = false;

    for (size_t i = 0; i < token.length; i++) {
        if ((unsigned char)token.at[i] < ' ' || token.at[i] == 127)
            return false;
        has_dot = token.at[i] == '.' || (has_dot && token.at[i] != '/');
    }
    return has_dot && !is_decimal(token);
}

static bool read_paths(struct tokens *tokens, struct macsim_header *header, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct token const token = macsim_header_take(tokens);

        if (!is_path(token))
            return fail_at(tokens, token, "path %" PRIu64 " of a header was expected, with a `.` in its name and no "
                           "control characters", i + 1);
        if (!add_path(tokens, header, token))
            return false;
    }
    return true;
}

static bool read_kernel_list(struct tokens *tokens, struct macsim_header *header)
{
    size_t const count = count_rest(*tokens);

    header->form = MACSIM_KERNEL_LIST;
    if (!macsim_kind_is_gpu(header->kind))
        return WORKS(*tokens->error, fault_at(tokens->path, FAULT_NO_OFFSET, "a list of kernels (count -1) of %s; "
                                              "expected ptx, newptx or nvbit", macsim_kind_name(header->kind)));
    if (count == 0)
        return WORKS(*tokens->error, fault_at(tokens->path, FAULT_NO_OFFSET, "the list names no kernel; expected "
                                              "paths of their headers"));
    return read_paths(tokens, header, count);
}

static bool read_trace_list(struct tokens *tokens, struct macsim_header *header)
{
    size_t rest;
    uint64_t count;

    header->form = MACSIM_TRACE_LIST;
    if (!macsim_header_take_number(tokens, "the number of traces", INT64_MAX, &count))
        return false;
    rest = count_rest(*tokens);
    if (count == 0 || rest < count)
        return WORKS(*tokens->error, fault_at(tokens->path, FAULT_NO_OFFSET, "the list promises %" PRIu64
                                              " traces, but %zu paths follow; expected at least one, and as many as "
                                              "promised", count, rest));
    if (rest > count)
        macsim_header_warn(header, "%" PRIu64 " words behind the %" PRIu64 " promised paths are left out",
                           (uint64_t)rest - count, count);
    return read_paths(tokens, header, count);
}

/* ---- orders of fields */

static bool is_list_count(struct tokens *tokens)
{
    return equals(peek(tokens), "-1");
}

static bool take_version(struct tokens *tokens, struct macsim_header *header)
{
    struct token const token = peek(tokens);
    size_t const room = sizeof header->version - 1;

    memcpy(header->version, token.at, token.length < room ? token.length : room);
    return macsim_header_take_number(tokens, "a version", UINT32_MAX, &header->version_number);
}

static bool take_max_blocks(struct tokens *tokens, struct macsim_header *header)
{
    return macsim_header_take_number(tokens, "the most blocks of a core", UINT32_MAX, &header->max_blocks);
}

/* COUNT WORD ..., -1 WORD PATH*, VERSION COUNT WORD ... */
static bool read_old(struct tokens *tokens, struct macsim_header *header, bool has_version)
{
    uint64_t count = 0;
    bool is_list;

    header->era = has_version ? MACSIM_ERA_2013_APRIL : MACSIM_ERA_2011;
    if (has_version && !take_version(tokens, header))
        return false;
    is_list = is_list_count(tokens);
    if (is_list)
        macsim_header_take(tokens);
    else if (!macsim_header_take_number(tokens, "the number of threads", INT64_MAX, &count))
        return false;
    header->kind = macsim_header_kind_of(macsim_header_take(tokens));
    if (is_list)
        return read_kernel_list(tokens, header);
    if ((header->kind == MACSIM_KIND_NEWPTX || header->kind == MACSIM_KIND_NVBIT) && !take_max_blocks(tokens, header))
        return false;
    return read_threads(tokens, header, count);
}

/* VERSION COUNT (ID START)*COUNT and nothing else? */
static bool counts_fit(struct tokens tokens)
{
    struct fault ignored;
    uint64_t count;

    tokens.error = &ignored;
    macsim_header_take(&tokens);
    return macsim_header_take_number(&tokens, "", INT64_MAX, &count) && count_rest(tokens) / 2 == count;
}

/* x86 [GENVER] COUNT ...: a version has a dot, or is recognised by the number of numbers. */
static bool read_x86(struct tokens *tokens, struct macsim_header *header)
{
    struct token const first = peek(tokens);
    size_t const room = sizeof header->version - 1;
    bool const has_dot = first.length > 0 && memchr(first.at, '.', first.length) != NULL;

    if (!has_dot && count_rest(*tokens) % 2 == 1) {
        header->era = MACSIM_ERA_2013_MAY;
        return read_count_and_threads(tokens, header);
    }
    header->era = MACSIM_ERA_2020;
    if (!has_dot && !is_number(first))
        return fail_at(tokens, first, "a version or the number of threads was expected");
    if (!has_dot && !counts_fit(*tokens))
        return WORKS(*tokens->error, fault_at(tokens->path, FAULT_NO_OFFSET, "%zu numbers follow x86; expected a "
                                              "count and two for each thread, or a version, a count and two for each "
                                              "thread", count_rest(*tokens)));
    macsim_header_take(tokens);
    for (size_t i = 0; i < first.length && i < room; i++)
        header->version[i] = first.at[i] > ' ' && first.at[i] <= '~' && strchr("\"\\<>&", first.at[i]) == NULL
            ? first.at[i] : '?';
    if (strcmp(header->version, "1.3") != 0)
        macsim_header_warn(header, "version %s of an x86 trace; 1.3 is known", header->version);
    return read_count_and_threads(tokens, header);
}

/* WORD first. */
static bool read_new(struct tokens *tokens, struct macsim_header *header)
{
    header->kind = macsim_header_kind_of(macsim_header_take(tokens));
    header->era = MACSIM_ERA_OTHER;
    if (header->kind == MACSIM_KIND_X86)
        return read_x86(tokens, header);
    if (!macsim_kind_is_gpu(header->kind))
        return read_count_and_threads(tokens, header);
    if (!take_version(tokens, header))
        return false;
    if (header->kind != MACSIM_KIND_NVBIT)
        header->era = header->version_number == GPU_VERSION_NOW ? MACSIM_ERA_2020 : MACSIM_ERA_2013_MAY;
    if (is_list_count(tokens)) {
        macsim_header_take(tokens);
        return read_kernel_list(tokens, header);
    }
    return (header->kind == MACSIM_KIND_PTX || take_max_blocks(tokens, header))
        && read_count_and_threads(tokens, header);
}

enum order { NO_HEADER, NEW, OLD, OLD_WITH_VERSION, TRACE_LIST };

static enum order order_of(struct tokens tokens)
{
    struct token const first = macsim_header_take(&tokens), second = macsim_header_take(&tokens),
        third = macsim_header_take(&tokens);

    if (macsim_header_kind_of(first) != MACSIM_KIND_UNKNOWN)
        return is_number(second) || (second.length > 0 && memchr(second.at, '.', second.length) != NULL) ? NEW
                                                                                                        : NO_HEADER;
    if (!is_number(first) || second.length == 0)
        return NO_HEADER;
    if (macsim_header_kind_of(second) != MACSIM_KIND_UNKNOWN)
        return OLD;
    if (is_number(second))
        return macsim_header_kind_of(third) != MACSIM_KIND_UNKNOWN ? OLD_WITH_VERSION : NO_HEADER;
    return memchr(second.at, '.', second.length) != NULL && !is_decimal(second) && first.at[0] != '-' ? TRACE_LIST
                                                                                                     : NO_HEADER;
}

static bool read_tokens(struct tokens *tokens, struct macsim_header *header)
{
    switch (order_of(*tokens)) {
    case NEW: return read_new(tokens, header);
    case OLD: return read_old(tokens, header, false);
    case OLD_WITH_VERSION: return read_old(tokens, header, true);
    case TRACE_LIST: return read_trace_list(tokens, header);
    case NO_HEADER: break;
    }
    return fail_at(tokens, peek(tokens), "a MacSim header was expected: x86, a64, igpu, ptx, newptx or nvbit with "
                   "numbers, a number before such a word, or the number of traces and their paths");
}

/* ---- entry points */

static struct fault macsim_header_begin(struct macsim_header *header, const char *path)
{
    const char *const dot = strrchr(path, '.');
    size_t const base = dot != NULL && dot >= tail_of(path, 1) ? (size_t)(dot - path) : strlen(path);

    *header = (struct macsim_header){.path = strdup(path), .base = strndup(path, base)};
    return (header->path != NULL && header->base != NULL) ? fault_none() : fault_memory(path, NULL);
}

struct fault macsim_header_read_memory(struct macsim_header *header, const char *path, const void *data, size_t size)
{
    struct fault fault = fault_none();
    struct tokens tokens = {.path = path, .data = data, .next = data, .end = (const char *)data + size,
                            .error = &fault};

    if (WORKS(fault, macsim_header_begin(header, path)) && read_tokens(&tokens, header))
        return fault_none();
    macsim_header_free(header);
    return fault;
}

/* All of a file; the caller frees *data. */
static struct fault macsim_header_read_file(const char *path, char **data, size_t *size)
{
    struct fault fault = fault_none();
    struct stream_source const source = {.path = path};
    struct stream stream;
    bool good;

    FORWARD(stream_open(&stream, &source));
    good = stream_need(&stream, HEADER_BYTES_MAX, &fault) == STREAM_SHORT
           || WORKS(fault, fault_at(path, FAULT_NO_OFFSET, "is longer than the %d MiB that a header may have",
                                    HEADER_BYTES_MAX >> 20));
    *size = (size_t)(stream.end - stream.next);
    *data = good ? malloc(*size + 1) : NULL;
    if (good && *data == NULL)
        good = WORKS(fault, fault_memory(path, NULL));
    if (good)
        memcpy(*data, stream.next, *size);
    stream_close(&stream);
    return good ? fault_none() : fault;
}

struct fault macsim_header_read(struct macsim_header *header, const char *path)
{
    struct fault fault = fault_none();
    char *data;
    size_t size;
    bool good;

    FORWARD(macsim_header_read_file(path, &data, &size));
    good = WORKS(fault, macsim_header_read_memory(header, path, data, size));
    free(data);
    return good ? fault_none() : fault;
}

void macsim_header_free(struct macsim_header *header)
{
    for (size_t i = 0; i < header->path_count; i++)
        free(header->paths[i]);
    free(header->paths);
    free(header->threads);
    free(header->path);
    free(header->base);
    *header = (struct macsim_header){0};
}

bool macsim_header_detect(const char *data, size_t size)
{
    return order_of((struct tokens){.data = data, .next = data, .end = data + size}) != NO_HEADER;
}

bool macsim_header_stream_path(const struct macsim_header *header, size_t index, char *path, size_t room)
{
    int const length = snprintf(path, room, "%s_%" PRIu64 ".raw", header->base, header->threads[index].id);

    return length > 0 && (size_t)length < room;
}

/* ---- formats of kind and version (2.4, rule 1) */

struct known_format {
    enum macsim_kind kind;
    const char *version;                 /* NULL: any, or none */
    struct macsim_format format;
};

static const struct known_format known_formats[] = {
    {MACSIM_KIND_X86, "1.3", {MACSIM_C80, MACSIM_X86_PIN313, MACSIM_REG_PIN313, false}},
    {MACSIM_KIND_A64, NULL, {MACSIM_A80, MACSIM_A64, MACSIM_REG_NONE, false}},
    {MACSIM_KIND_IGPU, NULL, {MACSIM_C80, MACSIM_GED_2019, MACSIM_REG_NONE, false}},
    {MACSIM_KIND_NVBIT, NULL, {MACSIM_N64, MACSIM_NVBIT, MACSIM_REG_SASS, true}},
    {MACSIM_KIND_PTX, "14", {MACSIM_G72, MACSIM_PTX_V14, MACSIM_REG_PTX_1551, true}},
    {MACSIM_KIND_PTX, "131", {MACSIM_G72, MACSIM_PTX_V131, MACSIM_REG_PTX_900, true}},
    {MACSIM_KIND_PTX, "13", {MACSIM_G64, MACSIM_PTX_V131, MACSIM_REG_PTX_200, true}},
    {MACSIM_KIND_PTX, "11", {MACSIM_G64, MACSIM_PTX_V131, MACSIM_REG_PTX_200, true}},
};

bool macsim_header_format(const struct macsim_header *header, struct macsim_format *format)
{
    enum macsim_kind const kind = header->kind == MACSIM_KIND_NEWPTX ? MACSIM_KIND_PTX : header->kind;

    for (size_t i = 0; i < sizeof known_formats / sizeof known_formats[0]; i++) {
        const struct known_format *const known = &known_formats[i];

        if (known->kind == kind && (known->version == NULL || strcmp(known->version, header->version) == 0)) {
            *format = known->format;
            return true;
        }
    }
    return false;
}
