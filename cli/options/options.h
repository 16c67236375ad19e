/* Options of a command as a table: one line an option, bound to the field of the command's request that takes its
 * value. The parser, `--help`, man pages and completions are made from the lines.
 *
 * Use:
 *     struct replay_request { const char *log; uint64_t records; const char *traces[8]; size_t trace_count; };
 *
 *     static const struct cli_option options[] = {
 *         {"log", "FILE", "write the event log", CLI_INTO(TEXT, replay_request, log)},
 *         {"records", "N", "stop after N records", CLI_INTO(COUNT, replay_request, records)},
 *         {0}
 *     };
 *     static const struct cli_usage usage = {
 *         .synopsis = "rubato replay SYSTEM TRACES [options]", .about = "Replays ...", .options = options,
 *         .take_operand = take_operand
 *     };
 *
 *     if (!cli_parse(&parser, &usage, &request, argc, argv))
 *         return parser.exit_code;                // --help was printed, or a usage error
 *
 * Written as GNU does: --name VALUE or --name=VALUE, options and operands in any order, "--" ends the options, "-"
 * alone is an operand. Every command has --help (and -h); -o is short for --output and -j for --jobs. No other option
 * may be shortened. Ownership: values point into argv; nothing to free. */
#ifndef CLI_OPTIONS_OPTIONS_H
#define CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cli_parser;

/* The type of an option's value. */
enum cli_taken {
    CLI_SWITCH = 1,          /* bool: true */
    CLI_TEXT,                /* const char * */
    CLI_LIST,                /* an array of const char *, and how many are in it */
    CLI_COUNT, CLI_BYTES, CLI_TIME, CLI_TICKS,     /* uint64_t, parsed by cli_parse_count, cli_parse_bytes, ... */
    CLI_RATIO,               /* double */
    CLI_FUNCTION             /* take(field, parser): false after it has printed the error */
};

struct cli_option {
    const char *name;        /* without dashes; NULL ends the table */
    const char *argument;    /* the value's name in --help; NULL: a switch without value; "[=X]": it may be left out,
                              * and is written with = (then parser.value is not NULL) */
    const char *help;
    enum cli_taken taken;
    size_t field;            /* its offset in the request */
    size_t count, room;      /* of a list: the offset of its size_t, how many it holds */
    bool (*take)(void *field, struct cli_parser *parser);
    bool is_for_gpus;        /* a system that is a GPU alone takes it, too */
    const char *heading;     /* of the group that begins with it; NULL: it belongs to the option before */
};

/* The end of a line: the field that the value goes to. */
#define CLI_INTO(kind, request, name) .taken = CLI_##kind, .field = offsetof(struct request, name)
#define CLI_CALL(request, name, function) CLI_INTO(FUNCTION, request, name), .take = function
/* ... which is the request as a whole. */
#define CLI_WHOLE(function) .taken = CLI_FUNCTION, .take = function
#define CLI_APPEND(request, list, number)                                                                             \
    CLI_INTO(LIST, request, list), .count = offsetof(struct request, number),                                         \
    .room = sizeof ((struct request *)0)->list / sizeof ((struct request *)0)->list[0]
#define CLI_FOR_GPUS .is_for_gpus = true
#define CLI_HEADING(text) .heading = text

struct cli_usage {
    const char *synopsis;                 /* one line or several; the first begins "rubato NAME" */
    const char *about;                    /* a paragraph, lines broken by hand */
    const struct cli_option *options;     /* ends with {0} */
    const char *notes;                    /* after the options; may be NULL */
    /* False after it has printed the error; NULL: the arguments end at the first operand, and parser->index is the one
     * behind it. */
    bool (*take_operand)(void *request, struct cli_parser *parser);
};

struct cli_parser {
    const struct cli_usage *usage;
    char **argv;
    int argc, index;
    bool options_ended, has_operand;
    const char *option;      /* name of the option met last; NULL: an operand was */
    const char *value;       /* its value, or the operand */
    const char *cpu_option;  /* the option met last that is not for GPUs; NULL: none */
    int exit_code;           /* after cli_parse */
};

/* Reads all arguments into the request, whose fields have their defaults; argv[0] is the command's name and skipped.
 * While a value is taken exit_code is CLI_BAD_INPUT. False: everything is printed; return parser->exit_code. */
bool cli_parse(struct cli_parser *parser, const struct cli_usage *usage, void *request, int argc, char **argv);

/* Appends the value to a list; false: the list has `room` values already, and the error is printed. */
bool cli_parse_append(const struct cli_parser *parser, const char **list, size_t *count, size_t room);

/* The value of the option met last as a count (base/count.h: "1000000", "2e6", "100k", "64Ki"). All options that are
 * counts are read so. False: the error is printed. */
bool cli_parse_count(struct cli_parser *parser, uint64_t *count);
/* The same as a capacity ("64B", "64", "4KiB"). */
bool cli_parse_bytes(struct cli_parser *parser, uint64_t *bytes);
/* The same as a time above 0 with its unit ("10us", "1.5ms"), in ps. All options that are times are read so. */
bool cli_parse_time(struct cli_parser *parser, uint64_t *time_ps);
/* The same where 0 is a time, too, and where a whole number without unit counts picoseconds, gem5's ticks. */
bool cli_parse_ticks(struct cli_parser *parser, uint64_t *time_ps);
/* For CLI_CALL. period_ps: a uint64_t, never 0 where true is returned. */
bool cli_take_clock(void *period_ps, struct cli_parser *parser);
#define TRACE_CLOCK_CLI_OPTION                                                                                        \
    "trace-clock", "CLOCK", "instruction traces whose times are cycles: of this clock, such as 1600MHz\n"              \
    "(default: the memory's or the core's, as the format says)"
/* The same for a positive decimal number. */
bool cli_parse_ratio(struct cli_parser *parser, double *ratio);

void cli_print_help(const struct cli_usage *usage, FILE *to);
/* Prints "rubato: <text>; see rubato NAME --help" and returns the exit code for it. */
int cli_usage_error(const struct cli_usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
