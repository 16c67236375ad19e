#include "cli/replay/where.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/output.h"
#include "cli/common/output_name.h"
#include "cli/common/table.h"
#include "proto/symbols/symbols.h"
#include "replay/config/config_limits.h"
#include "replay/config/config_values.h"
#include "replay/detailed/detailed_cpu.h"
#include "replay/profile/call_tree.h"
#include "replay/source/workload.h"

enum {
    WHERE_COLUMNS = 12 + PROFILE_FIXED_COLUMNS + 3 * (CONFIG_MAX_CACHES + 1), WHERE_PC_TEXT = 24, WHERE_NAME = 48,
    WHERE_PLACE_TEXT = 400
};

/* Rows of one place, added up. */
struct where_group {
    struct symbols_place place;          /* as far as it is asked for */
    bool has_pc;
    uint64_t pc;                         /* the first of its rows */
    size_t first, count;                 /* its rows, in `rows` */
};

struct where {
    const struct where_options *options;
    FILE *file;
    struct profile *profile;
    struct symbols *symbols;             /* NULL: none are asked for */
    const struct call_tree *calls;       /* of FILE.folded; NULL: the file has rows */
    bool is_detailed;
    struct where_group *groups;
    uint64_t *counts;                    /* of groups, column_count of each */
    size_t *order;
    size_t group_count, column_count;
    uint64_t cycles;                     /* of all */
    struct table_column columns[WHERE_COLUMNS];
    char names[2 * (CONFIG_MAX_CACHES + 1)][WHERE_NAME];
    size_t table_columns, shown;         /* shown: rows of the table */
};

/* ---- options */
bool where_take_by(void *field, struct cli_parser *parser)
{
    static const char *const names[] = {"function", "line", "pc"};
    enum where_by *const by = field;

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(parser->value, names[i]) == 0) {
            *by = (enum where_by)(WHERE_FUNCTION + i);
            return true;
        }
    cli_usage_error(parser->usage, "--by %s: expected function, line or pc", parser->value);
    return false;
}

const char *where_wrong(const struct where_options *options)
{
    const char *const alone = options->file ? "by-file" : options->symbol_count > 0 ? "symbols"
                              : options->top > 0 ? "top" : NULL;

    return options->by == WHERE_NOWHERE ? alone : NULL;
}

static enum table_form form_of(const char *path)
{
    return output_ends_in(path, "json") ? TABLE_JSON : output_ends_in(path, "csv") ? TABLE_CSV : TABLE_TSV;
}

/* ---- life */
static int check_workload(const struct workload *workload)
{
    if (workload->insn_count > 1 || workload->pair_count > 1 || workload->macsim)
        return cli_fail_text("--by is for one program, whose pcs have one meaning; give one trace");
    return CLI_OK;
}

int where_open(struct where **made, const struct where_options *options, const struct workload *workload,
               const struct system_config *config, struct profile *profile)
{
    struct where *where;
    int const code = check_workload(workload);

    if (code != CLI_OK)
        return code;
    *made = where = calloc(1, sizeof *where);
    if (!where)
        return cli_fail_text("out of memory");
    where->options = options;
    where->is_detailed = config_is_detailed(config) && workload_detail(workload) != SOURCE_NEVER;
    if (options->by != WHERE_PC || options->symbol_count > 0) {
        where->symbols = where_find_symbols(options, workload);
        if (!where->symbols)
            return CLI_BAD_INPUT;
    }
    where->profile = profile;
    if (options->file && output_ends_in(options->file, "folded")) {
        if (!where->is_detailed)
            return cli_fail_text("%s: stacks have the cycles of detailed cores; give --model detailed, or another form",
                                 options->file);
        where->calls = profile_follow_calls(profile);
        if (!where->calls)
            return cli_fail_text("out of memory");
    }
    if (options->file)
        where->file = cli_output_open(options->file);
    return options->file && !where->file ? CLI_BAD_INPUT : CLI_OK;
}

void where_free(struct where *where)
{
    if (!where)
        return;
    cli_output_discard(where->file);
    symbols_close(where->symbols);
    free(where->groups);
    free(where->counts);
    free(where->order);
    free(where);
}

const struct detailed_listener *where_listeners(const struct where *where)
{
    return where && where->is_detailed ? profile_listeners(where->profile) : NULL;
}

/* ---- groups */
static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_places(const void *left, const void *right)
{
    const struct where_group *const a = left, *const b = right;
    int order = (int)a->has_pc - (int)b->has_pc;

    if (order == 0)
        order = compare_texts(a->place.module, b->place.module);
    if (order == 0)
        order = compare_texts(a->place.function, b->place.function);
    if (order == 0)
        order = compare_texts(a->place.file, b->place.file);
    if (order == 0)
        order = (a->place.line > b->place.line) - (a->place.line < b->place.line);
    return order;
}

static int compare_first(const void *left, const void *right)
{
    const struct where_group *const a = left, *const b = right;
    int const order = compare_places(a, b);

    return order ? order : (a->pc > b->pc) - (a->pc < b->pc);
}

static void find_place(const struct where *where, struct where_group *group)
{
    enum where_by const by = where->options->by;

    if (group->has_pc && where->symbols)
        symbols_find(where->symbols, group->pc, &group->place);
    group->place.begin = 0;
    if (by == WHERE_FUNCTION)
        group->place.file = NULL;
    if (by == WHERE_FUNCTION || !group->place.file)
        group->place.line = 0;
}

static void add_counts(struct where *where, size_t to, size_t row)
{
    const uint64_t *const counts = profile_row(where->profile, row).counts;

    for (size_t i = 0; i < where->column_count; i++)
        where->counts[to * where->column_count + i] += counts[i];
}

/* Rows in the order of places become groups; by pc each is its own. */
static void join_groups(struct where *where, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        struct where_group *const last = where->group_count > 0 ? &where->groups[where->group_count - 1] : NULL;
        struct where_group const next = where->groups[i];

        if (where->options->by == WHERE_PC || !last || compare_places(last, &next) != 0)
            where->groups[where->group_count++] = next;
        add_counts(where, where->group_count - 1, next.first);
    }
}

static int compare_groups(const void *left, const void *right, void *context)
{
    const struct where *const where = context;
    size_t const a = *(const size_t *)left, b = *(const size_t *)right;
    int const order = profile_compare(where->profile, &where->counts[a * where->column_count],
                                      &where->counts[b * where->column_count]);

    return order ? order : (a > b) - (a < b);
}

static struct fault group_rows(struct where *where)
{
    size_t rows;

    FORWARD(profile_sort(where->profile));
    rows = profile_rows(where->profile);
    where->column_count = profile_columns(where->profile);
    where->groups = calloc(rows + 1, sizeof *where->groups);
    where->counts = calloc((rows + 1) * where->column_count, sizeof *where->counts);
    where->order = calloc(rows + 1, sizeof *where->order);
    if (!where->groups || !where->counts || !where->order)
        return fault_make(FAULT_MEMORY, "out of memory for the rows of --by");
    for (size_t i = 0; i < rows; i++) {
        struct profile_row const row = profile_row(where->profile, i);

        where->groups[i] = (struct where_group){.has_pc = row.has_pc, .pc = row.pc, .first = i};
        find_place(where, &where->groups[i]);
        where->cycles += row.counts[PROFILE_CYCLES];
    }
    qsort(where->groups, rows, sizeof *where->groups, compare_first);
    join_groups(where, rows);
    for (size_t i = 0; i < where->group_count; i++)
        where->order[i] = i;
    qsort_r(where->order, where->group_count, sizeof *where->order, compare_groups, where);
    return fault_none();
}

/* ---- the table: for people shares and misses, for programs all columns */
static void add_column(struct where *where, struct table_column column)
{
    where->columns[where->table_columns++] = column;
}

static void describe_text(struct where *where)
{
    if (where->is_detailed) {
        add_column(where, (struct table_column)TEXT_COLUMN("cycles", 8, .text_digits = 1, .scale = 100,
                                                           .suffix = " %"));
        add_column(where, (struct table_column)TEXT_COLUMN("stalled", 8, .text_digits = 1, .scale = 100,
                                                           .suffix = " %"));
        add_column(where, (struct table_column)TEXT_COLUMN("instrs", TABLE_FIT));
    }
    for (size_t i = 0; i < profile_levels(where->profile); i++) {
        snprintf(where->names[2 * i], WHERE_NAME, "%.30s misses", profile_level(where->profile, i));
        add_column(where, (struct table_column)TEXT_COLUMN(where->names[2 * i], TABLE_FIT));
    }
    add_column(where, (struct table_column)TEXT_COLUMN("KiB read", TABLE_FIT, .text_digits = 1));
    add_column(where, (struct table_column)TEXT_COLUMN("where", 0, .gap = "  "));
}

static void describe_data(struct where *where)
{
    static const char *const places[] = {"module", "function", "file", "line", "pc"};

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        add_column(where, (struct table_column){.name = places[i]});
    for (unsigned i = 0; i < PROFILE_FIXED_COLUMNS; i++)
        if (where->is_detailed || !profile_column_table[i].needs_detailed)
            add_column(where, (struct table_column){.name = profile_column_table[i].name});
}

static void describe_levels(struct where *where, char names[][WHERE_NAME])
{
    for (size_t i = 0; i < profile_levels(where->profile); i++) {
        snprintf(names[2 * i], WHERE_NAME, "%.30s_accesses", profile_level(where->profile, i));
        snprintf(names[2 * i + 1], WHERE_NAME, "%.30s_misses", profile_level(where->profile, i));
        add_column(where, (struct table_column){.name = names[2 * i]});
        add_column(where, (struct table_column){.name = names[2 * i + 1]});
    }
}

static void place_text(const struct where *where, const struct where_group *group, char text[WHERE_PLACE_TEXT])
{
    const struct symbols_place *const place = &group->place;
    char pc[WHERE_PC_TEXT] = "";

    if (!group->has_pc) {
        snprintf(text, WHERE_PLACE_TEXT, "(without a pc: write-backs, page walks)");
        return;
    }
    if (where->options->by == WHERE_PC)
        snprintf(pc, sizeof pc, "0x%" PRIx64, group->pc);
    if (where->options->by == WHERE_PC && !place->module)
        snprintf(text, WHERE_PLACE_TEXT, "%s", pc);
    else if (place->file)
        snprintf(text, WHERE_PLACE_TEXT, "%s%s%.100s:%u %.200s", pc, *pc ? " " : "", path_name(place->file),
                 place->line, place->function ? place->function : "");
    else
        snprintf(text, WHERE_PLACE_TEXT, "%s%s%.200s%s%.100s", pc, *pc ? " " : "",
                 place->function ? place->function : place->module ? "(no symbol)" : "(of no file with symbols)",
                 place->module ? " in " : "", place->module ? place->module : "");
}

static void put_text(const struct where *where, struct table_writer *writer, const struct where_group *group,
                     const uint64_t *counts)
{
    double const cycles = where->cycles > 0 ? (double)where->cycles : 1;
    char text[WHERE_PLACE_TEXT];

    if (where->is_detailed) {
        table_real(writer, (double)counts[PROFILE_CYCLES] / cycles);
        table_real(writer, (double)counts[PROFILE_STALL_CYCLES] / cycles);
        table_count(writer, counts[PROFILE_INSTRUCTIONS]);
    }
    for (size_t i = 0; i < profile_levels(where->profile); i++)
        table_count(writer, counts[profile_misses(i)]);
    table_real(writer, (double)counts[PROFILE_READ_BYTES] / 1024);
    place_text(where, group, text);
    table_word(writer, text);
}

static void put_data(const struct where *where, struct table_writer *writer, const struct where_group *group,
                     const uint64_t *counts)
{
    char pc[WHERE_PC_TEXT];

    snprintf(pc, sizeof pc, "0x%" PRIx64, group->pc);
    table_word(writer, group->place.module);
    table_word(writer, group->place.function);
    table_word(writer, group->place.file);
    if (group->place.line > 0)
        table_count(writer, group->place.line);
    else
        table_word(writer, NULL);
    table_word(writer, group->has_pc ? pc : NULL);
    for (unsigned i = 0; i < PROFILE_FIXED_COLUMNS; i++)
        if (where->is_detailed || !profile_column_table[i].needs_detailed)
            table_count(writer, counts[i]);
    for (size_t i = 0; i < profile_levels(where->profile); i++) {
        table_count(writer, counts[profile_accesses(i)]);
        table_count(writer, counts[profile_misses(i)]);
    }
}

static void put_rows(const void *context, struct table_writer *writer)
{
    const struct where *const where = context;

    for (size_t i = 0; i < where->shown; i++) {
        size_t const group = where->order[i];
        const uint64_t *const counts = &where->counts[group * where->column_count];

        if (writer->form == TABLE_TEXT)
            put_text(where, writer, &where->groups[group], counts);
        else
            put_data(where, writer, &where->groups[group], counts);
        table_end_row(writer);
    }
}

/* A copy for a table of the first `shown` rows. */
static struct where described(const struct where *where, size_t shown)
{
    struct where copy = *where;

    copy.table_columns = 0;
    copy.shown = shown < where->group_count ? shown : where->group_count;
    return copy;
}

static struct table table_of(struct where *where, enum table_form form)
{
    if (form == TABLE_TEXT) {
        describe_text(where);
    } else {
        describe_data(where);
        describe_levels(where, where->names);
    }
    return (struct table){.columns = where->columns, .count = where->table_columns, .rows = put_rows,
                          .context = where};
}

/* ---- stacks: a line a place of the tree, "main;sort;compare 1234", as scripts for flame graphs read them */
static void write_frame(const struct where *where, FILE *to, uint64_t entry)
{
    struct symbols_place place = {0};

    if (where->symbols)
        symbols_find(where->symbols, entry, &place);
    if (place.function)
        fputs(place.function, to);
    else
        fprintf(to, "0x%" PRIx64, entry);
}

static void write_stacks(const struct where *where, FILE *to)
{
    for (size_t i = 1; i < where->calls->count; i++) {
        uint32_t path[CALL_DEPTH], depth = 0;

        if (where->calls->nodes[i].cycles == 0)
            continue;
        for (uint32_t node = (uint32_t)i; node != 0 && depth < CALL_DEPTH; node = where->calls->nodes[node].parent)
            path[depth++] = node;
        while (depth-- > 0) {
            write_frame(where, to, where->calls->nodes[path[depth]].entry);
            fputc(depth > 0 ? ';' : ' ', to);
        }
        fprintf(to, "%" PRIu64 "\n", where->calls->nodes[i].cycles);
    }
}

/* ---- outputs */
static int close_file(struct where *where)
{
    FILE *const file = where->file;

    where->file = NULL;
    return cli_output_close(file, where->options->file) ? CLI_OK : CLI_BAD_INPUT;
}

int where_finish(struct where *where)
{
    struct fault const fault = group_rows(where);
    FILE *const file = where->file;

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    if (!file)
        return CLI_OK;
    if (where->calls) {
        write_stacks(where, file);
        return close_file(where);
    }
    enum table_form const form = form_of(where->options->file);
    struct where copy = described(where, SIZE_MAX);
    struct table const table = table_of(&copy, form);

    if (!table_print(file, form, &table))
        return cli_fail_text("%s: out of memory", where->options->file);
    return close_file(where);
}

static size_t top_of(const struct where *where)
{
    return where->options->top > 0 ? (size_t)where->options->top : WHERE_USUAL_TOP;
}

void where_print(FILE *to, const struct where *where)
{
    static const char *const what[] = {"", "functions", "lines", "pcs"};
    struct where copy = described(where, top_of(where));
    struct table const table = table_of(&copy, TABLE_TEXT);

    fprintf(to, "\nWhere in the program: %zu of %zu %s, those first that take most %s\n", copy.shown,
            where->group_count, what[where->options->by], where->is_detailed ? "cycles" : "reads of memory");
    table_print(to, TABLE_TEXT, &table);
}

void where_put_json(struct json *json, const struct where *where)
{
    struct where copy = described(where, top_of(where));
    struct table const table = table_of(&copy, TABLE_JSON);

    json_put_array(json, "where", JSON_LINES(2, 1));
    table_put_json(json, &table);
    json_end(json);
}
