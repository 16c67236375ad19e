/* rubato export: a recording as a table of numbers (CSV, Parquet), or as a trace for Perfetto's viewer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/parquet.h"
#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/common/shown.h"
#include "cli/options/options.h"
#include "replay/record/perfetto.h"
#include "replay/record/recording.h"

struct export_request {
    const char *recording, *csv, *perfetto, *parquet;
};

static bool export_take_operand(void *request, struct cli_parser *parser);

static const struct cli_option options[] = {
    {"perfetto", "OUT", "write a protobuf trace with a track for each figure; its viewer opens it",
     CLI_INTO(TEXT, export_request, perfetto)},
    {"csv", "OUT", "write a line for each sample: its number, its time, then each value as counted",
     CLI_INTO(TEXT, export_request, csv)},
    {"parquet", "OUT", "the same as Parquet, whose columns have types and units",
     CLI_INTO(TEXT, export_request, parquet)},
    {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato export RECORDING --perfetto OUT | --csv OUT | --parquet OUT",
    .about = "Turns a recording of replay --record into files of other programs. OUT - is standard output.",
    .options = options, .take_operand = export_take_operand,
    .notes = "Columns of tables are component.figure or component.figure.element. Counters are those since since_ps;\n"
             "the difference of two lines with the same since_ps is what came in between.\n"
             "Tracks of Perfetto show what was between two samples: counters in a second, averages of what was in\n"
             "use, percentiles of latencies (ps). A nanosecond there is one of simulated time. DRAM commands (replay\n"
             "--commands) are slices of the banks' tracks, requests that were followed (replay --requests) of their\n"
             "core's, with what they waited for inside.\n"
             "A recording that breaks off is exported up to its last whole sample; the exit code is 2 then."};

/* ---- tables */

/* Of an element's column; it is as short as its parts. */
static void write_column_name(FILE *to, const struct telemetry *layout, const struct telemetry_field *field,
                              uint32_t element)
{
    fprintf(to, "%s.%s", layout->components[field->component].name, field->name);
    if (field->element_names)
        fprintf(to, ".%s", field->element_names[element]);
    else if (field->count > 1)
        fprintf(to, ".%" PRIu32, element);
}

static char *column_name(const struct telemetry *layout, const struct telemetry_field *field, uint32_t element)
{
    char *name = NULL;
    size_t length;
    FILE *const to = open_memstream(&name, &length);

    if (!to)
        return NULL;
    write_column_name(to, layout, field, element);
    return text_stream_close(to, &name) ? name : NULL;
}

static bool write_csv_head(FILE *to, const struct telemetry *layout)
{
    fputs("number,time_ps,since_ps", to);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        for (uint32_t j = 0; j < layout->fields[i].count; j++) {
            char *const name = column_name(layout, &layout->fields[i], j);

            if (!name)
                return false;
            putc(',', to);
            csv_put_cell(to, name);
            free(name);
        }
    }
    return fputc('\n', to) != EOF;
}

static void write_csv_line(FILE *to, const struct telemetry *layout, const uint64_t *words)
{
    for (uint32_t i = 0; i < layout->word_count; i++)
        fprintf(to, "%s%" PRIu64, i ? "," : "", words[i]);
    fputc('\n', to);
}

static struct fault export_csv(FILE *to, struct recording *recording)
{
    if (!write_csv_head(to, &recording->text.layout))
        return fault_make(FAULT_MEMORY, "out of memory for the names of columns");
    while (recording_next(recording))
        write_csv_line(to, &recording->text.layout, recording->words);
    return fault_none();
}

/* A field has the unit of averages of its integrals, which are levels times picoseconds, and of the values in its
 * bins; a tick is a picosecond. */
static const char *export_unit_of(const struct telemetry_field *field, uint32_t element)
{
    bool const is_time = strcmp(field->unit, "Tick") == 0
        || (field->element_names && text_ends_in(field->element_names[element], "_ps"));

    if (field->kind == TELEMETRY_BINS)
        return "Count";
    if (field->kind == TELEMETRY_INTEGRAL)
        return strcmp(field->unit, "Count") == 0 ? "Count*ps" : "";
    return is_time ? "ps" : field->unit;
}

/* A column for each word of a sample, whose names are the caller's to free. False: out of memory. */
static bool describe_columns(struct parquet_column *columns, const struct telemetry *layout)
{
    bool good = true;

    columns[TELEMETRY_NUMBER] = (struct parquet_column){"number", "", PARQUET_INT64};
    columns[TELEMETRY_TIME] = (struct parquet_column){"time_ps", "ps", PARQUET_INT64};
    columns[TELEMETRY_SINCE] = (struct parquet_column){"since_ps", "ps", PARQUET_INT64};
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct telemetry_field *const field = &layout->fields[i];

        for (uint32_t j = 0; j < field->count; j++) {
            struct parquet_column *const column = &columns[field->first + j];

            *column = (struct parquet_column){column_name(layout, field, j), export_unit_of(field, j),
                                              field->kind == TELEMETRY_PLACE ? PARQUET_UINT64 : PARQUET_INT64};
            good = good && column->name;
        }
    }
    return good;
}

static void export_rows(struct parquet *parquet, struct recording *recording)
{
    while (recording_next(recording)) {
        for (uint32_t i = 0; i < recording->text.layout.word_count; i++)
            parquet_put_integer(parquet, i, recording->words[i]);
        parquet_end_row(parquet);
    }
}

static struct fault export_parquet(FILE *to, struct recording *recording, const char *name)
{
    uint32_t const count = recording->text.layout.word_count;
    struct parquet_column *const columns = calloc(count, sizeof *columns);
    struct parquet parquet = {.file = to};
    struct fault fault = fault_none();
    bool good = columns && describe_columns(columns, &recording->text.layout);

    if (good) {
        parquet_begin(&parquet, columns, count);
        export_rows(&parquet, recording);
        good = parquet_close(&parquet);
    }
    for (uint32_t i = TELEMETRY_HEAD; columns && i < count; i++)
        free((char *)(uintptr_t)columns[i].name);
    free(columns);
    if (!good)
        fault = fault_memory(name, NULL);
    return fault;
}

/* ---- all of it */

/* Out of memory is found again by the next sample. */
static void put_command(void *writer, const struct recorded_command *command)
{
    perfetto_put_command(writer, command);
}

static void put_request(void *writer, const struct telemetry_request *request)
{
    perfetto_put_request(writer, request);
}

static struct fault export_perfetto(FILE *to, struct recording *recording)
{
    struct perfetto_writer writer;
    struct fault fault = perfetto_begin(&writer, to, &recording->text.layout);

    recording->on_command = put_command;
    recording->on_request = put_request;
    recording->context = &writer;
    while (fault.kind == FAULT_NONE && recording_next(recording))
        fault = perfetto_put(&writer, recording->words);
    perfetto_end(&writer);
    return fault;
}

static int export_all(const struct export_request *request, struct recording *recording)
{
    const char *const path = request->csv ? request->csv : request->parquet ? request->parquet : request->perfetto;
    struct fault fault = fault_none();
    FILE *const to = cli_output_open(path);

    if (!to)
        return CLI_BAD_INPUT;
    if (request->csv)
        fault = export_csv(to, recording);
    else if (request->parquet)
        fault = export_parquet(to, recording, request->recording);
    else
        fault = export_perfetto(to, recording);
    if (fault.kind != FAULT_NONE) {
        cli_output_discard(to);
        return cli_fail(fault);
    }
    if (!cli_output_close(to, path))
        return CLI_BAD_INPUT;
    return recording->state == RECORDING_WHOLE ? CLI_OK : cli_fail(recording->fault);
}

static bool export_take_operand(void *field, struct cli_parser *parser)
{
    struct export_request *const request = field;

    if (request->recording)
        cli_usage_error(&usage, "%s: one RECORDING at a time", parser->value);
    else
        request->recording = parser->value;
    return request->recording == parser->value;
}

static bool export_parse(struct export_request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    *request = (struct export_request){0};
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    *code = CLI_BAD_INPUT;
    if (!request->recording)
        *code = cli_usage_error(&usage, "no RECORDING was given; replay --record makes one");
    else if (!!request->csv + !!request->perfetto + !!request->parquet != 1)
        *code = cli_usage_error(&usage, "give either --csv OUT, --parquet OUT or --perfetto OUT");
    else
        return request->csv ? cli_output_fits(request->csv, "CSV", "csv")
            : request->parquet ? cli_output_fits(request->parquet, "Parquet", "parquet")
            : cli_output_fits(request->perfetto, "a trace for Perfetto", "perfetto pftrace");
    return false;
}

int cli_export(int argc, char **argv)
{
    struct export_request request;
    struct recording recording;
    struct fault fault;
    FILE *file;
    int code;

    if (!export_parse(&request, argc, argv, &code))
        return code;
    input_file_note(request.recording);
    file = fopen(request.recording, "rb");
    if (!file)
        return cli_fail_text("%s: cannot be read: no such file, or not allowed", request.recording);
    fault = recording_open(&recording, file, request.recording);
    if (fault.kind == FAULT_NONE) {
        code = export_all(&request, &recording);
        recording_close(&recording);
    } else {
        code = cli_fail(fault);
    }
    fclose(file);
    return code;
}
