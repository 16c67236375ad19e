#include "sweep/native/native_list.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"

enum { MOST_COLUMNS = 64, MOST_BYTES = 1 << 22 };

enum column { NAME, COMMAND, FROM, TO, CYCLES, WARM, PER, COLUMNS, OTHER = COLUMNS };

static const char *const column_names[COLUMNS] = {"name", "command", "from", "to", "cycles", "warm", "per"};

/* ---- words */

/* Reads one word from *at to *to; false: a quote has no end. */
static bool take_word(const char **at, char **to)
{
    char quote = '\0';

    for (; **at && (quote || (**at != ' ' && **at != '\t')); (*at)++) {
        char const letter = **at;

        if (letter == '\\' && quote != '\'' && (*at)[1])
            *(*to)++ = *++*at;
        else if (letter == quote)
            quote = '\0';
        else if (!quote && (letter == '\'' || letter == '"'))
            quote = letter;
        else
            *(*to)++ = letter;
    }
    *(*to)++ = '\0';
    return quote == '\0';
}

char **native_words(const char *command, const char **wrong)
{
    size_t const most = strlen(command) / 2 + 2;
    char **const words = calloc(1, most * sizeof *words + strlen(command) + 2);
    char *to = (char *)(words + most);
    size_t count = 0;

    *wrong = NULL;
    if (!words)
        return NULL;
    for (const char *at = command + strspn(command, " \t"); *at; at += strspn(at, " \t")) {
        words[count++] = to;
        if (!take_word(&at, &to))
            *wrong = "a quote has no end";
    }
    if (count == 0)
        *wrong = "it is empty";
    if (!*wrong)
        return words;
    free(words);
    return NULL;
}

/* ---- lines */

struct reader {
    struct native_list *list;
    const char *path;
    unsigned line;
    enum column columns[MOST_COLUMNS];
    size_t column_count;
};

static struct fault wrong_cell(const struct reader *reader, enum column column, const char *text, const char *expected)
{
    return fault_at_line(reader->path, reader->line, "%s is \"%.60s\"; expected %s", column_names[column], text,
                         expected);
}

static struct fault take_number(const struct reader *reader, enum column column, const char *text, double most,
                                const char *expected, double *number)
{
    char *end;

    *number = strtod(text, &end);
    if (end != text && *end == '\0' && *number >= 0 && *number <= most && (column == WARM || *number > 0))
        return fault_none();
    return wrong_cell(reader, column, text, expected);
}

static bool is_missing(const char *text)
{
    return *text == '\0' || strcmp(text, "-") == 0;
}

static struct fault take_cell(const struct reader *reader, struct native_case *one, enum column column,
                              const char *text)
{
    const char *wrong;

    switch (column) {
    case NAME:
        one->name = text;
        return is_missing(text) || strchr(text, '/') || text[0] == ':' ? wrong_cell(reader, NAME, text,
            "a name such as sort, or sort:branchless for a variant of it, without slashes") : fault_none();
    case COMMAND:
        one->argv = native_words(text, &wrong);
        if (one->argv)
            return fault_none();
        return wrong ? fault_at_line(reader->path, reader->line, "command \"%.60s\": %s; expected a program and its "
                                     "arguments", text, wrong) : fault_memory(reader->path, NULL);
    case FROM:
    case TO:
        *(column == FROM ? &one->from : &one->to) = is_missing(text) ? NULL : text;
        return fault_none();
    case CYCLES:
        return is_missing(text) ? fault_none()
            : take_number(reader, column, text, 1e18, "cycles above 0, or - if they are not known", &one->cycles);
    case WARM:
        return is_missing(text) ? fault_none()
            : take_number(reader, column, text, 0.99, "a share from 0 to 0.99", &one->warm);
    case PER:
        return is_missing(text) ? fault_none()
            : take_number(reader, column, text, 1e18, "a number above 0", &one->per);
    default:
        return fault_none();
    }
}

static struct fault take_heading(struct reader *reader, char *line)
{
    bool seen[COLUMNS + 1] = {false};

    for (char *name; (name = strsep(&line, "\t")) != NULL;) {
        size_t column = 0;

        if (reader->column_count == MOST_COLUMNS)
            return fault_at_line(reader->path, reader->line, "more than %d columns", MOST_COLUMNS);
        while (column < COLUMNS && strcmp(name, column_names[column]) != 0)
            column++;
        if (column < COLUMNS && seen[column])
            return fault_at_line(reader->path, reader->line, "column %s occurs twice", name);
        seen[column] = true;
        reader->columns[reader->column_count++] = (enum column)column;
    }
    if (seen[NAME] && seen[COMMAND])
        return fault_none();
    return fault_at_line(reader->path, reader->line, "no column %s; expected a heading such as name, command, from, to "
                         "in tabs", seen[NAME] ? "command" : "name");
}

static struct fault take_line(struct reader *reader, char *line)
{
    struct native_list *const list = reader->list;
    struct native_case *const one = &list->cases[list->count++];
    size_t fields = 0;

    *one = (struct native_case){.per = 1, .line = reader->line};
    for (char *text; (text = strsep(&line, "\t")) != NULL; fields++) {
        if (fields == reader->column_count)
            return fault_at_line(reader->path, reader->line, "it has more than the %zu fields of the heading",
                                 reader->column_count);
        FORWARD(take_cell(reader, one, reader->columns[fields], text));
    }
    if (!one->name || !one->argv)
        return fault_at_line(reader->path, reader->line, "no %s; expected as many fields as the heading has",
                             one->name ? "command" : "name");
    if (one->cycles == 0 && (one->warm > 0 || one->per != 1))
        return fault_at_line(reader->path, reader->line, "%s is for programs whose cycles are given, too; a native "
                             "run has the whole region", one->warm > 0 ? "warm" : "per");
    for (size_t i = 0; i + 1 < list->count; i++)
        if (strcmp(list->cases[i].name, one->name) == 0)
            return fault_at_line(reader->path, reader->line, "%s occurs twice, first in line %u; give a variant "
                                 "another name, such as %s:other", one->name, list->cases[i].line, one->name);
    return fault_none();
}

static struct fault read_lines(struct reader *reader)
{
    size_t room = 1;

    for (const char *c = reader->list->text; *c; c++)
        room += *c == '\n';
    reader->list->cases = calloc(room, sizeof *reader->list->cases);
    if (!reader->list->cases)
        return fault_memory(reader->path, NULL);
    for (char *rest = reader->list->text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        size_t const length = strlen(line);

        reader->line++;
        if (length > 0 && line[length - 1] == '\r')
            line[length - 1] = '\0';
        if (*line == '\0' || *line == '#')
            continue;
        FORWARD(reader->column_count == 0 ? take_heading(reader, line) : take_line(reader, line));
    }
    if (reader->list->count == 0)
        return fault_at(reader->path, FAULT_NO_OFFSET, "no programs; expected a heading with name and command, in "
                        "tabs, and a line a program");
    return fault_none();
}

static struct fault read_text(struct native_list *list, const char *path)
{
    FILE *const file = input_file_fopen(path);
    struct fault fault = fault_none();
    size_t size = 0;

    if (!file)
        return fault_at(path, FAULT_NO_OFFSET, "%s; expected a list of programs in tabs", strerror(errno));
    list->text = calloc(1, MOST_BYTES + 1);
    if (list->text)
        size = fread(list->text, 1, MOST_BYTES, file);
    if (!list->text)
        fault = fault_memory(path, NULL);
    else if (ferror(file))
        fault = fault_at(path, FAULT_NO_OFFSET, "it cannot be read: %s", strerror(errno));
    else if (size == MOST_BYTES || memchr(list->text, '\0', size))
        fault = fault_at(path, FAULT_NO_OFFSET, "%s; expected a list of programs in tabs",
                         size == MOST_BYTES ? "4 MiB or more" : "it has bytes that are 0");
    input_file_fclose(file);
    return fault;
}

struct fault native_list_read(struct native_list *list, const char *path)
{
    struct reader reader = {.list = list, .path = path};
    struct fault fault;

    *list = (struct native_list){0};
    fault = read_text(list, path);
    if (fault.kind == FAULT_NONE)
        fault = read_lines(&reader);
    if (fault.kind != FAULT_NONE)
        native_list_free(list);
    return fault;
}

struct fault native_list_of_one(struct native_list *list, const char *name, char *const *argv)
{
    size_t count = 0;

    while (argv[count])
        count++;
    *list = (struct native_list){.cases = calloc(1, sizeof *list->cases), .count = 1};
    if (list->cases)
        list->cases[0] = (struct native_case){.name = name, .per = 1, .argv = calloc(count + 1, sizeof *argv)};
    if (!list->cases || !list->cases[0].argv) {
        native_list_free(list);
        return fault_memory(name, NULL);
    }
    memcpy(list->cases[0].argv, argv, count * sizeof *argv);
    return fault_none();
}

void native_list_free(struct native_list *list)
{
    for (size_t i = 0; list->cases && i < list->count; i++)
        free(list->cases[i].argv);
    free(list->cases);
    free(list->text);
    *list = (struct native_list){0};
}
