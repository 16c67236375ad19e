/* The text stays as it was read; fields are pointers into it. */
#include "base/input_file.h"
#include "base/list.h"
#include "sweep/compare/compare_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_COLUMNS = 64, MOST_BYTES = 1 << 26 };

enum column { PROGRAM, SYSTEM, DETAILED_TICKS, REPLAY_TICKS, DETAILED_HOST_S, REPLAY_HOST_S, DETAILED_FILE, REPLAY_FILE,
              COLUMNS, OTHER = COLUMNS };

static const char *const column_names[COLUMNS] = {
    "program", "system", "detailed_ticks", "replay_ticks", "detailed_host_s", "replay_host_s", "detailed_file",
    "replay_file"
};

const char *const comparison_side_names[COMPARISON_SIDES] = {"detailed", "replay"};

struct heading {
    enum column columns[MOST_COLUMNS];
    size_t count;
};

static struct fault compare_table_out_of_memory(const char *path)
{
    return fault_make(FAULT_MEMORY, "%s: out of memory", path);
}

static struct fault read_text(struct comparison_table *table)
{
    FILE *const file = input_file_fopen(table->path);
    struct fault fault = fault_none();
    size_t size;

    if (!file)
        return fault_make(FAULT_INPUT, "%s: %s; expected a table of pairs, or a folder with table.tsv", table->path,
                          strerror(errno));
    table->text = malloc(MOST_BYTES);
    if (!table->text) {
        input_file_fclose(file);
        return compare_table_out_of_memory(table->path);
    }
    size = fread(table->text, 1, MOST_BYTES, file);
    if (ferror(file))
        fault = fault_make(FAULT_INPUT, "%s: cannot be read: %s", table->path, strerror(errno));
    else if (size == MOST_BYTES)
        fault = fault_make(FAULT_INPUT, "%s: %d MiB or more; expected a table of pairs", table->path, MOST_BYTES >> 20);
    else if (memchr(table->text, '\0', size))
        fault = fault_make(FAULT_INPUT, "%s: byte %zu is 0; expected text in tabs", table->path, strlen(table->text));
    input_file_fclose(file);
    if (fault.kind != FAULT_NONE)
        return fault;
    table->text[size] = '\0';
    (void)list_resize(&table->text, size + 1, 1);        /* smaller; if not, it stays as it is */
    return fault_none();
}

/* Cuts the next line off; NULL at the end. */
static char *next_line(char **rest)
{
    char *const line = *rest;
    char *end;

    if (*line == '\0')
        return NULL;
    end = line + strcspn(line, "\n");
    *rest = *end ? end + 1 : end;
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    *end = '\0';
    return line;
}

static struct fault read_heading(struct heading *heading, const char *path, char *line)
{
    bool seen[COLUMNS + 1] = {false};

    heading->count = 0;
    for (char *name; (name = strsep(&line, "\t")) != NULL;) {
        size_t column = 0;

        if (heading->count == MOST_COLUMNS)
            return fault_make(FAULT_INPUT, "%s: line 1: more than %d columns", path, MOST_COLUMNS);
        while (column < COLUMNS && strcmp(name, column_names[column]) != 0)
            column++;
        if (column < COLUMNS && seen[column])
            return fault_make(FAULT_INPUT, "%s: line 1: column %s occurs twice", path, name);
        seen[column] = true;
        heading->columns[heading->count++] = (enum column)column;
    }
    for (size_t column = PROGRAM; column <= SYSTEM; column++)
        if (!seen[column])
            return fault_make(FAULT_INPUT, "%s: line 1: no column %s; expected a heading such as program, system, "
                              "detailed_ticks, replay_ticks in tabs", path, column_names[column]);
    return fault_none();
}

static struct fault wrong_field(const char *path, unsigned line, enum column column, const char *text,
                                const char *expected)
{
    return fault_make(FAULT_INPUT, "%s: line %u: %s is \"%.40s\"; expected %s, or - if it is not known", path, line,
                      column_names[column], text, expected);
}

static struct fault compare_table_take_field(struct comparison_row *row, const char *path, enum column column,
                                             const char *text)
{
    struct comparison_run *const run = &row->runs[(column - DETAILED_TICKS) % COMPARISON_SIDES];
    char *end;

    if (column == PROGRAM || column == SYSTEM) {
        *(column == PROGRAM ? &row->program : &row->system) = text;
        return fault_none();
    }
    if (*text == '\0' || strcmp(text, "-") == 0 || column == OTHER)
        return fault_none();
    errno = 0;
    if (column <= REPLAY_TICKS) {
        run->ticks = strtoull(text, &end, 10);
        if (*end || *text == '-' || run->ticks == 0 || errno)
            return wrong_field(path, row->line, column, text, "ticks, a whole number above 0");
    } else if (column <= REPLAY_HOST_S) {
        run->host_s = strtod(text, &end);
        if (*end || !(run->host_s >= 0 && run->host_s < 1e12) || errno)
            return wrong_field(path, row->line, column, text, "seconds");
    } else {
        run->file = text;
    }
    return fault_none();
}

static bool is_name(const char *text)
{
    return text && *text && strcmp(text, "-") != 0 && !strpbrk(text, "/ ");
}

static struct fault read_row(struct comparison_table *table, const struct heading *heading, char *line, unsigned number)
{
    struct comparison_row *const row = &table->rows[table->count];
    size_t fields = 0;

    *row = (struct comparison_row){.line = number};
    for (char *text; (text = strsep(&line, "\t")) != NULL; fields++) {
        if (fields == heading->count)
            return fault_make(FAULT_INPUT, "%s: line %u has more than the %zu fields of its heading", table->path,
                              number, heading->count);
        FORWARD(compare_table_take_field(row, table->path, heading->columns[fields], text));
    }
    if (!is_name(row->program) || !is_name(row->system))
        return fault_make(FAULT_INPUT, "%s: line %u: %s is \"%.40s\"; expected a name without blanks and slashes",
                          table->path, number, is_name(row->program) ? "system" : "program",
                          is_name(row->program) ? row->system ? row->system : "" : row->program ? row->program : "");
    table->count++;
    return fault_none();
}

static const struct comparison_row *find_twice(struct comparison_table *table)
{
    for (size_t i = 1; i < table->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(table->rows[i].program, table->rows[j].program) == 0
                && strcmp(table->rows[i].system, table->rows[j].system) == 0)
                return &table->rows[i];
    return NULL;
}

static struct fault read_rows(struct comparison_table *table)
{
    struct heading heading = {.count = 0};
    char *rest = table->text, *line;
    size_t room = 1;

    for (const char *c = table->text; *c; c++)
        room += *c == '\n';
    table->rows = calloc(room, sizeof *table->rows);
    if (!table->rows)
        return compare_table_out_of_memory(table->path);
    for (unsigned number = 1; (line = next_line(&rest)) != NULL; number++) {
        if (heading.count == 0)
            FORWARD(read_heading(&heading, table->path, line));
        else if (*line)
            FORWARD(read_row(table, &heading, line, number));
    }
    if (table->count == 0)
        return fault_make(FAULT_INPUT, "%s: no pairs; expected a heading and a line a pair", table->path);

    const struct comparison_row *const twice = find_twice(table);

    return twice ? fault_make(FAULT_INPUT, "%s: line %u: %s on %s occurs twice", table->path, twice->line,
                              twice->program, twice->system)
                 : fault_none();
}

/* Fills in both paths, from the path that the user gave. */
static bool name_paths(struct comparison_table *table, const char *path)
{
    struct stat about;
    bool const is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    const char *slash;

    if (asprintf(&table->path, is_folder ? "%s/table.tsv" : "%s", path) < 0) {
        table->path = NULL;
        return false;
    }
    slash = strrchr(table->path, '/');
    table->folder = strndup(table->path, slash ? (size_t)(slash - table->path + 1) : 0);
    return table->folder != NULL;
}

struct fault comparison_table_read(struct comparison_table *table, const char *path)
{
    struct fault fault;

    *table = (struct comparison_table){0};
    fault = name_paths(table, path) ? read_text(table) : compare_table_out_of_memory(path);
    if (fault.kind == FAULT_NONE)
        fault = read_rows(table);
    if (fault.kind != FAULT_NONE)
        comparison_table_free(table);
    return fault;
}

struct fault comparison_table_make(struct comparison_table *table, const char *const *programs, size_t program_count,
                                   const char *const *systems, size_t system_count)
{
    static const char name[] = "these systems";

    *table = (struct comparison_table){
        .path = strdup(name), .folder = strdup(""),
        .rows = calloc(program_count * system_count + 1, sizeof *table->rows)
    };
    if (!table->path || !table->folder || !table->rows) {
        comparison_table_free(table);
        return compare_table_out_of_memory(name);
    }
    for (size_t i = 0; i < program_count; i++)
        for (size_t k = 0; k < system_count; k++)
            table->rows[table->count++] = (struct comparison_row){.program = programs[i], .system = systems[k]};
    return fault_none();
}

void comparison_table_free(struct comparison_table *table)
{
    free(table->path);
    free(table->folder);
    free(table->rows);
    free(table->text);
    *table = (struct comparison_table){0};
}

char *comparison_file(const struct comparison_table *table, const struct comparison_row *row,
                      enum comparison_side side, struct fault *fault)
{
    static const char *const endings[] = {".txt.gz", ".txt", ".json"};
    const char *const named = row->runs[side].file;
    char *path = NULL;

    if (named) {
        if (asprintf(&path, "%s%s", named[0] == '/' ? "" : table->folder, named) >= 0)
            return path;
        *fault = compare_table_out_of_memory(table->path);
        return NULL;
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (asprintf(&path, "%s%s.%s.%s%s", table->folder, row->program, row->system, comparison_side_names[side],
                     endings[i]) < 0) {
            *fault = compare_table_out_of_memory(table->path);
            return NULL;
        }
        if (access(path, F_OK) == 0)
            return path;
        free(path);
    }
    *fault = fault_make(FAULT_INPUT, "%s%s.%s.%s.txt.gz: no such file, nor with .txt or .json; name it in the column "
                        "%s_file, or put it there", table->folder, row->program, row->system,
                        comparison_side_names[side], comparison_side_names[side]);
    return NULL;
}
