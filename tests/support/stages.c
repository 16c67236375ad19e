/* Listings are read as a whole: some ten megabytes of text. Columns are found by their names. */
#include "tests/support/stages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/io/io_stream.h"

const char *const stage_names[STAGE_COUNT] = {"fetch", "decode", "rename", "dispatch", "issue", "complete", "retire"};

enum { SEQ, COMMITTED, PC, MICRO_OP, ENCODING, OP_CLASS, VADDR, PREDICTED_TAKEN, MISPREDICTED, STAGES,
       COLUMNS = STAGES + STAGE_COUNT };
enum { MOST_CELLS = 64 };

static const char *column_name(unsigned column)
{
    static const char *const names[] = {"seq", "committed", "pc", "micro_op", "encoding", "op_class", "vaddr",
                                        "predicted_taken", "mispredicted"};

    return column < STAGES ? names[column] : stage_names[column - STAGES];
}

static struct fault read_text(const char *path, char **text, size_t *length)
{
    struct stream_source const source = {.path = path, .unpacks_all = true};
    enum stream_status status = STREAM_OK;
    struct fault fault = fault_none();
    struct stream stream;
    size_t room = 0;

    *text = NULL;
    *length = 0;
    if (FAILS(fault, stream_open(&stream, &source)))
        return fault;
    while (status == STREAM_OK && fault.kind == FAULT_NONE) {
        status = stream_need(&stream, 1, &fault);
        size_t const part = (size_t)(stream.end - stream.next);

        if (*length + part + 1 > room) {
            char *const larger = realloc(*text, room = 2 * (*length + part + 1));

            if (!larger) {
                fault = fault_memory(path, "a pipeline listing");
                break;
            }
            *text = larger;
        }
        memcpy(*text + *length, stream.next, part);
        *length += part;
        stream.next = stream.end;
    }
    stream_close(&stream);
    if (*text)
        (*text)[*length] = '\0';
    return fault;
}

/* Cuts a line at its tabs. */
static size_t cut(char *line, char *cells[MOST_CELLS])
{
    size_t count = 0;

    for (char *tab = line; tab && count < MOST_CELLS; count++) {
        cells[count] = line;
        tab = strchr(line, '\t');
        if (tab) {
            *tab = '\0';
            line = tab + 1;
        }
    }
    return count;
}

static bool number(const char *text, int base, uint64_t *value)
{
    char *end;

    *value = strtoull(text, &end, base);
    return *text && *end == '\0';
}

static bool parse_row(char *cells[MOST_CELLS], const size_t places[COLUMNS], struct stage_row *row)
{
    uint64_t plain[STAGES] = {0};

    for (unsigned i = 0; i < STAGES; i++) {
        const char *const cell = cells[places[i]];

        if (i == VADDR && strcmp(cell, "-") == 0)
            continue;
        row->has_address |= i == VADDR;
        if (!number(cell, i == PC || i == ENCODING || i == VADDR ? 16 : 10, &plain[i]))
            return false;
    }
    row->seq = plain[SEQ];
    row->is_committed = plain[COMMITTED] != 0;
    row->pc = plain[PC];
    row->micro_op = (unsigned)plain[MICRO_OP];
    row->encoding = plain[ENCODING];
    row->op_class = (unsigned)plain[OP_CLASS];
    row->address = plain[VADDR];
    row->is_predicted_taken = plain[PREDICTED_TAKEN] != 0;
    row->is_mispredicted = plain[MISPREDICTED] != 0;
    for (unsigned i = 0; i < STAGE_COUNT; i++) {
        const char *const cell = cells[places[STAGES + i]];
        uint64_t cycle;

        row->cycles[i] = STAGE_NONE;
        if (strcmp(cell, "-") == 0)
            continue;
        if (!number(cell, 10, &cycle))
            return false;
        row->cycles[i] = (int64_t)cycle;
    }
    return true;
}

static void find_columns(const char *path, char *cells[MOST_CELLS], size_t count, size_t places[COLUMNS],
                         struct fault *fault)
{
    for (unsigned i = 0; i < COLUMNS && fault->kind == FAULT_NONE; i++) {
        size_t k = 0;

        while (k < count && strcmp(cells[k], column_name(i)) != 0)
            k++;
        if (k == count)
            *fault = fault_at_line(path, 1, "no column %s; a pipeline listing is expected", column_name(i));
        places[i] = k;
    }
}

static void count_from_first_fetch(struct stage_listing *listing)
{
    int64_t first = STAGE_NONE;

    for (size_t i = 0; i < listing->count; i++) {
        struct stage_row *const row = &listing->rows[i];

        if (first == STAGE_NONE)
            first = row->cycles[STAGE_FETCH];
        for (unsigned k = 0; k < STAGE_COUNT && first != STAGE_NONE; k++)
            row->cycles[k] -= row->cycles[k] == STAGE_NONE ? 0 : first;
        if (row->is_committed)
            listing->committed[listing->committed_count++] = i;
    }
}

static struct fault parse(struct stage_listing *listing, const char *path, char *text)
{
    size_t lines = 1, columns = 0, places[COLUMNS] = {0};
    char *cells[MOST_CELLS];
    struct fault fault = fault_none();

    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    listing->rows = calloc(lines, sizeof *listing->rows);
    listing->committed = calloc(lines, sizeof *listing->committed);
    if (!listing->rows || !listing->committed)
        fault = fault_memory(path, "a pipeline listing");
    for (size_t line = 1; *text && fault.kind == FAULT_NONE; line++) {
        char *const end = text + strcspn(text, "\n");
        char *const next = *end ? end + 1 : end;

        *end = '\0';
        size_t const count = cut(text, cells);
        if (line == 1) {
            columns = count;
            find_columns(path, cells, count, places, &fault);
        } else if (count != columns || !parse_row(cells, places, &listing->rows[listing->count++])) {
            fault = fault_at_line(path, line, "not a row of a pipeline listing");
        }
        text = next;
    }
    if (fault.kind == FAULT_NONE)
        count_from_first_fetch(listing);
    return fault;
}

struct fault stages_read(struct stage_listing *listing, const char *path)
{
    size_t length;
    char *text;
    struct fault fault = read_text(path, &text, &length);

    *listing = (struct stage_listing){0};
    if (fault.kind == FAULT_NONE && length == 0)
        fault = fault_at_line(path, 1, "it is empty; a pipeline listing is expected");
    if (fault.kind == FAULT_NONE)
        fault = parse(listing, path, text);
    free(text);
    if (fault.kind != FAULT_NONE)
        stages_free(listing);
    return fault;
}

void stages_free(struct stage_listing *listing)
{
    free(listing->rows);
    free(listing->committed);
    *listing = (struct stage_listing){0};
}

int64_t stages_apart(const struct stage_row *ours, const struct stage_row *theirs, enum stage stage)
{
    int64_t const one = ours->cycles[stage], other = theirs->cycles[stage];

    if (one == STAGE_NONE || other == STAGE_NONE)
        return one == other ? 0 : STAGE_NONE;
    return one - other;
}

bool stages_same_place(const struct stage_row *ours, const struct stage_row *theirs)
{
    return ours->pc == theirs->pc && ours->micro_op == theirs->micro_op;
}

void stages_compare(const struct stage_listing *ours, const struct stage_listing *theirs,
                    struct stage_comparison *comparison)
{
    size_t const most = ours->committed_count < theirs->committed_count ? ours->committed_count
                                                                        : theirs->committed_count;
    int64_t before = 0;                  /* how far the retirements of the pair before lie apart */

    *comparison = (struct stage_comparison){.wanted = theirs->committed_count, .first = SIZE_MAX};
    for (size_t i = 0; i < most; i++) {
        const struct stage_row *const one = &ours->rows[ours->committed[i]];
        const struct stage_row *const other = &theirs->rows[theirs->committed[i]];
        unsigned equal = 0, equal_here = 0;

        if (!stages_same_place(one, other)) {
            comparison->parts = true;
            break;
        }
        for (unsigned k = 0; k < STAGE_COUNT; k++) {
            int64_t const apart = stages_apart(one, other, k);

            comparison->equal_of[k] += apart == 0;
            equal += apart == 0;
            equal_here += apart == before;
        }
        comparison->pairs++;
        comparison->equal += equal == STAGE_COUNT;
        comparison->equal_here += equal_here == STAGE_COUNT;
        if (equal < STAGE_COUNT && comparison->first == SIZE_MAX)
            comparison->first = i;
        before = stages_apart(one, other, STAGE_RETIRE);
    }
    if (comparison->first == SIZE_MAX)
        comparison->first = comparison->pairs;
}

double stages_equal_pct(const struct stage_comparison *comparison)
{
    return comparison->wanted ? 100 * (double)comparison->equal / (double)comparison->wanted : 0;
}
