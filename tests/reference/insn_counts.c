/* Compares what our readers count in instruction traces with what an independent parser counted.
 *
 *     tests/insn-counts DIR
 *
 * DIR/expected.tsv: comment lines with #, a header with the names of the columns (the first is file, the second
 * format), then a line a file; `-`: the format has no such number. One line a file: FILE, tab, ok or FAILED with
 * COLUMN OURS EXPECTED for each that differs; then `N passed, N failed`. Exit code 0 if none failed, 1 if any did, 2
 * for unusable arguments. A file that cannot be read to its end fails. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_map.h"
#include "proto/insn/reader.h"

enum { COLUMNS_MAX = 64, LINE_BYTES = 1 << 14 };

struct counted { struct insn_counts counts; struct number_map pcs; uint64_t branches; };

struct column {
    const char *name;
    uint64_t (*value)(const struct counted *counted);
};

#define OF_COUNTS(name) static uint64_t name##_of(const struct counted *c) { return c->counts.name; }
OF_COUNTS(records) OF_COUNTS(instructions) OF_COUNTS(repeats) OF_COUNTS(loads) OF_COUNTS(stores) OF_COUNTS(prefetches)
OF_COUNTS(encodings) OF_COUNTS(markers) OF_COUNTS(branches_taken) OF_COUNTS(branches_untaken)
#define OF_KIND(name, KIND) static uint64_t name##_of(const struct counted *c) { return c->counts.kinds[ISA_##KIND]; }
OF_KIND(direct_jump, DIRECT_JUMP) OF_KIND(indirect_jump, INDIRECT_JUMP) OF_KIND(direct_call, DIRECT_CALL)
OF_KIND(indirect_call, INDIRECT_CALL) OF_KIND(return, RETURN) OF_KIND(conditional, CONDITIONAL)
static uint64_t branches_of(const struct counted *c) { return c->branches; }
static uint64_t static_of(const struct counted *c) { return c->pcs.count; }

static const struct column columns[] = {
    {"records", records_of}, {"instructions", instructions_of}, {"repeats", repeats_of}, {"loads", loads_of},
    {"stores", stores_of}, {"prefetches", prefetches_of}, {"encodings", encodings_of}, {"markers", markers_of},
    {"branches", branches_of}, {"direct_jump", direct_jump_of}, {"indirect_jump", indirect_jump_of},
    {"conditional", conditional_of}, {"conditional_taken", branches_taken_of},
    {"conditional_untaken", branches_untaken_of}, {"direct_call", direct_call_of},
    {"indirect_call", indirect_call_of}, {"return", return_of}, {"static", static_of}};

static bool count_file(const char *path, const char *format, struct counted *counted, struct fault *error)
{
    struct insn_reader *const reader = insn_reader_open(path, error);
    enum insn_step step;
    struct insn insn;

    if (!reader)
        return false;
    if (strcmp(insn_reader_name(reader), format) != 0) {
        *error = fault_at(path, FAULT_NO_OFFSET, "was taken for %s", insn_reader_name(reader));
        insn_reader_close(reader);
        return false;
    }
    while ((step = insn_reader_next(reader, &insn, error)) == INSN_RECORD)
        if (insn.form == INSN_EXECUTED) {
            counted->branches += isa_kind_is_branch(insn.kind);
            number_map_add(&counted->pcs, insn.pc);
        }
    counted->counts = *insn_reader_counts(reader);
    insn_reader_close(reader);
    return step == INSN_END;
}

static size_t split(char *line, char *fields[COLUMNS_MAX])
{
    size_t count = 0;

    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && count < COLUMNS_MAX; count++) {
        fields[count] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    return count;
}

static const struct column *find(const char *name)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    return NULL;
}

static bool compare(char *const names[], char *const fields[], size_t count, const struct counted *counted)
{
    bool equal = true;

    for (size_t i = 2; i < count; i++) {
        const struct column *const column = find(names[i]);
        char *end;
        uint64_t const expected = strtoull(fields[i], &end, 10), ours = column ? column->value(counted) : 0;

        if (strcmp(fields[i], "-") == 0)
            continue;
        if (column && *end == '\0' && end != fields[i] && ours == expected)
            continue;
        printf("%s\t%s %" PRIu64 " %s", equal ? "\tFAILED" : "", names[i], ours, fields[i]);
        equal = false;
    }
    printf("%s\n", equal ? "\tok" : "");
    return equal;
}

static bool check_file(const char *folder, char *const names[], char *const fields[], size_t count)
{
    struct counted counted = {.branches = 0};
    struct fault error;
    char path[LINE_BYTES];
    bool good;

    printf("%s", fields[0]);
    snprintf(path, sizeof path, "%s/%s", folder, fields[0]);
    good = count_file(path, fields[1], &counted, &error);
    if (!good)
        printf("\tFAILED\t%s\n", fault_text(error));
    good = good && compare(names, fields, count, &counted);
    number_map_free(&counted.pcs);
    return good;
}

static int check_all(const char *folder, FILE *file)
{
    static char header[LINE_BYTES], line[LINE_BYTES];
    char *names[COLUMNS_MAX], *fields[COLUMNS_MAX];
    size_t columns_count = 0;
    unsigned passed = 0, failed = 0;

    while (fgets(columns_count == 0 ? header : line, LINE_BYTES, file)) {
        if (columns_count == 0) {
            columns_count = header[0] == '#' ? 0 : split(header, names);
            continue;
        }
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (split(line, fields) == columns_count && columns_count > 2
            && check_file(folder, names, fields, columns_count))
            passed++;
        else
            failed++;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}

int main(int argc, char **argv)
{
    char path[LINE_BYTES];
    FILE *file;
    int result;

    if (argc != 2) {
        fputs("usage: tests/insn-counts DIR\n", stderr);
        return 2;
    }
    snprintf(path, sizeof path, "%s/expected.tsv", argv[1]);
    file = fopen(path, "r");
    if (!file) {
        perror(path);
        return 2;
    }
    result = check_all(argv[1], file);
    fclose(file);
    return result;
}
