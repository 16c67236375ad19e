/* Options of a command as a table: one line an option; `--help` is made from the lines.
 *
 * Use:
 *     enum { OPT_STATS, OPT_RECORDS };
 *     static const struct cli_option options[] = {
 *         [OPT_STATS] = {"stats", "FILE", "write all statistics; .json or .txt (gem5's layout)"},
 *         [OPT_RECORDS] = {"records", "N", "stop after N records"},
 *         {0}
 *     };
 *     static const struct cli_usage usage = {
 *         .synopsis = "rubato replay SYSTEM TRACES [options]", .about = "Replays ...", .options = options
 *     };
 *
 *     struct cli_parser parser;
 *     cli_parse_begin(&parser, &usage, argc, argv);
 *     for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;)
 *         switch (what) {
 *         case OPT_STATS: stats_path = parser.value; break;
 *         case OPT_RECORDS: if (!cli_parse_count(&parser, &records)) return parser.exit_code; break;
 *         case CLI_PARSE_OPERAND: ... parser.value ...; break;
 *         default: return parser.exit_code;     // CLI_PARSE_STOP: --help was printed, or a usage error
 *         }
 *
 * Written as GNU does: --name VALUE or --name=VALUE, options and operands in any order, "--" ends the options, "-"
 * alone is an operand. Every command has --help (and -h); -o is short for --output and -j for --jobs where there are
 * such. No other option may be shortened. Ownership: values point into argv; nothing to free. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cli_option {
    const char *name;        /* without dashes; NULL ends the table */
    const char *argument;    /* what --help calls the value; NULL: a switch without value; "[=X]": it may be left out,
                              * and is written with = (then parser.value is not NULL) */
    const char *help;
};

struct cli_usage {
    const char *synopsis;                 /* one line or several; the first begins "rubato NAME" */
    const char *about;                    /* a paragraph, lines broken by hand */
    const struct cli_option *options;     /* ends with {0} */
    const char *notes;                    /* after the options; may be NULL */
};

enum { CLI_PARSE_END = -1, CLI_PARSE_OPERAND = -2, CLI_PARSE_STOP = -3 };

struct cli_parser {
    const struct cli_usage *usage;
    char **argv;
    int argc, index;
    bool options_ended;
    const char *option;      /* name of the option met last */
    const char *value;       /* its value, or the operand */
    int exit_code;           /* after CLI_PARSE_STOP */
};

/* argv[0] is the command's name and skipped. */
void cli_parse_begin(struct cli_parser *parser, const struct cli_usage *usage, int argc, char **argv);
/* Operands, and values of options that name what is read, are inputs, which no output replaces, nor may two options
 * name one output (cli/output.h): that is checked when the arguments end.
 * Index of the option in the table, or one of CLI_PARSE_*. After CLI_PARSE_STOP everything is printed: return
 * exit_code. */
int cli_parse_next(struct cli_parser *parser);

/* The value of the option met last as a count (base/count.h: "1000000", "2e6", "100k", "64Ki"). All options that are
 * counts are read so. False: the error is printed. */
bool cli_parse_count(struct cli_parser *parser, uint64_t *count);
/* The same as a capacity ("64B", "64", "4KiB"). */
bool cli_parse_bytes(struct cli_parser *parser, uint64_t *bytes);
/* The same as a time above 0 with its unit ("10us", "1.5ms"), in ps. All options that are times are read so. */
bool cli_parse_time(struct cli_parser *parser, uint64_t *time_ps);
/* The same where 0 is a time, too, and where a whole number without unit counts picoseconds, gem5's ticks. */
bool cli_parse_ticks(struct cli_parser *parser, uint64_t *time_ps);
/* The same for a positive decimal number. */
bool cli_parse_ratio(struct cli_parser *parser, double *ratio);

void cli_print_help(const struct cli_usage *usage, FILE *to);
/* Prints "rubato: <text>; see rubato NAME --help" and returns the exit code for it. */
int cli_usage_error(const struct cli_usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
