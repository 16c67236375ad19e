/* rubato trace build: makes a trace file of its text. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/common/cli.h"
#include "cli/trace/trace_command.h"
#include "proto/elastic/ascii.h"
#include "proto/elastic/trace_writer.h"

struct build {
    const char *text, *output, *obj_id;
    uint64_t window, tick_freq;      /* 0: as the text says */
};

static bool take_positive(struct cli_parser *parser, uint64_t highest, uint64_t *number)
{
    if (!cli_parse_count(parser, number))
        return false;
    if (*number >= 1 && *number <= highest)
        return true;
    cli_usage_error(parser->usage, "--%s %s: expected a number from 1 to %" PRIu64, parser->option, parser->value,
                    highest);
    return false;
}

static bool take_window(void *window, struct cli_parser *parser)
{
    return take_positive(parser, UINT32_MAX, window);
}

static bool take_frequency(void *tick_freq, struct cli_parser *parser)
{
    return take_positive(parser, UINT64_MAX, tick_freq);
}

static bool take_text(void *field, struct cli_parser *parser)
{
    struct build *const build = field;

    if (build->text == NULL)
        return build->text = parser->value, true;
    cli_usage_error(parser->usage, "%s: one text at a time", parser->value);
    return false;
}

static const struct cli_option options[] = {
    {"output", "FILE", "the trace to write, also -o; gzip if its name ends with .gz", CLI_INTO(TEXT, build, output)},
    {"window", "N", "header's window_size (gem5's text has none: 120, as gem5's encoder writes)",
     CLI_CALL(build, window, take_window)},
    {"tick-freq", "N", "header's tick_freq (gem5's text has none: 10^12)", CLI_CALL(build, tick_freq, take_frequency)},
    {"obj-id", "TEXT", "header's obj_id (gem5's text has none: empty)", CLI_INTO(TEXT, build, obj_id)},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace build TEXT -o FILE [options]",
    .about = "Makes a trace file of the text that `rubato trace dump` prints, in its own form or with --gem5; also of "
        "what gem5's\ndecode scripts print. The text may be gzip-compressed. --window, --tick-freq and --obj-id "
            "replace the header's.",
    .options = options, .take_operand = take_text,
    .notes = "gem5's text loses the header and does not tell an absent weight from 1; the form of `rubato trace dump` "
        "loses\nnothing. A file appears under its name only when it is whole."
};

static void replace_obj_id(char *obj_id, size_t room, const char *by)
{
    if (by != NULL)
        snprintf(obj_id, room, "%s", by);
}

static int build_dep(const struct build *build, struct ascii_reader *reader)
{
    struct dep_header header = *ascii_reader_dep_header(reader);
    struct fault error;
    struct dep_record record;
    struct trace_writer *writer;
    enum ascii_step step;
    bool good = true;

    replace_obj_id(header.obj_id, sizeof header.obj_id, build->obj_id);
    header.window_size = build->window != 0 ? (uint32_t)build->window : header.window_size;
    header.tick_freq = build->tick_freq != 0 ? build->tick_freq : header.tick_freq;
    if (!ascii_reader_is_full(reader) && build->window == 0)
        cli_warn("%s has no header; window_size is %" PRIu32 " (--window), an absent weight became 1", build->text,
                 header.window_size);
    writer = dep_writer_open(build->output, &header, &error);
    if (writer == NULL)
        return cli_fail_proto(&error);
    while (good && (step = ascii_next_dep(reader, &record, &error)) != ASCII_END)
        good = step == ASCII_RECORD && WORKS(error, dep_writer_put(writer, &record));
    if (good && WORKS(error, trace_writer_close(writer)))
        return CLI_OK;
    if (!good)
        trace_writer_discard(writer);
    return cli_fail_proto(&error);
}

static int build_packets(const struct build *build, struct ascii_reader *reader)
{
    struct packet_header header = *ascii_reader_packet_header(reader);
    struct fault error;
    struct packet_record record;
    struct trace_writer *writer;
    enum ascii_step step;
    bool good = true;

    if (build->window != 0)
        return cli_fail_text("%s is the text of a packet trace, which has no window; leave --window out", build->text);
    replace_obj_id(header.obj_id, sizeof header.obj_id, build->obj_id);
    header.tick_freq = build->tick_freq != 0 ? build->tick_freq : header.tick_freq;
    writer = packet_writer_open(build->output, &header, &error);
    if (writer == NULL)
        return cli_fail_proto(&error);
    while (good && (step = ascii_next_packet(reader, &record, &error)) != ASCII_END)
        good = step == ASCII_RECORD && WORKS(error, packet_writer_put(writer, &record));
    if (good && WORKS(error, trace_writer_close(writer)))
        return CLI_OK;
    if (!good)
        trace_writer_discard(writer);
    return cli_fail_proto(&error);
}

int cli_trace_build(int argc, char **argv)
{
    struct build build = {0};
    struct cli_parser parser;
    struct fault error;
    struct ascii_reader *reader;
    int exit_code;

    if (!cli_parse(&parser, &usage, &build, argc, argv))
        return parser.exit_code;
    if (build.text == NULL || build.output == NULL)
        return cli_usage_error(&usage, build.text == NULL ? "no text was given" : "no output was given; add -o FILE");
    if (cli_output_replaces_input(build.output))
        return CLI_BAD_INPUT;
    reader = ascii_reader_open(build.text, &error);
    if (reader == NULL)
        return cli_fail_proto(&error);
    exit_code = ascii_reader_kind(reader) == INPUT_DEP_TRACE ? build_dep(&build, reader) : build_packets(&build,
                                                                                                         reader);
    ascii_reader_close(reader);
    return exit_code;
}
