/* Reads a command's arguments by its table. Not done: shortened names, options with two values. */
#include "cli/options/options.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/nearest.h"
#include "cli/common/cli.h"
#include "cli/options/help.h"
#include "replay/config/units.h"

enum { CLI_PARSE_END = -1, CLI_PARSE_OPERAND = -2, CLI_PARSE_STOP = -3 };

#define HELP_COLUMN 24     /* where the help texts of options begin */

/* "rubato trace info FILE": the words up to the first that is not in small letters name the command. */
static int command_words(const char *synopsis)
{
    int end = 0;

    for (int i = 0; synopsis[i] != '\0'; i++) {
        if (synopsis[i] == ' ')
            end = i;
        else if (synopsis[i] < 'a' || synopsis[i] > 'z')
            return end;
    }
    return (int)strlen(synopsis);
}

static int stop(struct cli_parser *parser, int exit_code)
{
    parser->exit_code = exit_code;
    return CLI_PARSE_STOP;
}

static int find_option(const struct cli_option *options, const char *name, size_t length)
{
    for (int i = 0; options[i].name != NULL; i++)
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return i;
    return -1;
}

/* Short options: -o FILE for --output, -j N or -jN for --jobs. */
static int find_letter(const struct cli_option *options, const char *word)
{
    static const struct { char letter; const char *name; } letters[] = {{'o', "output"}, {'j', "jobs"}};

    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (word[1] == letters[i].letter)
            return find_option(options, letters[i].name, strlen(letters[i].name));
    return -1;
}

/* Options whose value names an input or an output, in all commands that have them. */
static const char *const inputs[] = {"data", "fetch", "trace", "traces", "script", "compare", "systems", "programs",
                                     "input", "symbols", NULL};
static const char *const outputs[] = {"output", "stats", "log", "commands", "record", "summary", "pipeline", "probe",
                                      "by-file", "svg", "plot", "csv", "parquet", "perfetto", "frames", "captures",
                                      "cut", NULL};

static bool options_is_among(const char *const *names, const struct cli_option *option)
{
    while (*names && strcmp(*names, option->name) != 0)
        names++;
    return option->argument && *names;
}

static int options_end(struct cli_parser *parser)
{
    return cli_outputs_agree() ? CLI_PARSE_END : stop(parser, CLI_BAD_INPUT);
}

/* Options that had another name. */
static const struct { const char *was, *is; } renamed[] = {{"sample", "every"}};

static const char *renamed_option(const struct cli_option *options, const char *was)
{
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
        if (strcmp(renamed[i].was, was) == 0 && find_option(options, renamed[i].is, strlen(renamed[i].is)) >= 0)
            return renamed[i].is;
    return NULL;
}

static int unknown_option(const struct cli_parser *parser, const char *word)
{
    int const length = (int)strcspn(word, "=");
    char name[64];
    struct nearest nearest;

    snprintf(name, sizeof name, "%.*s", length, word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    if (renamed_option(parser->usage->options, name))
        return cli_usage_error(parser->usage, "--%s is called --%s", name,
                               renamed_option(parser->usage->options, name));
    nearest = nearest_to(name);
    for (const struct cli_option *option = parser->usage->options; option->name; option++)
        nearest_offer(&nearest, option->name);
    if (nearest_is_likely(&nearest))
        return cli_fail_text("unknown option %.*s; see %.*s --help; did you mean --%s?", length, word,
                             command_words(parser->usage->synopsis), parser->usage->synopsis, nearest.name);
    return cli_usage_error(parser->usage, "unknown option %.*s", length, word);
}

/* The index of the next option in the table, or one of CLI_PARSE_*. Operands, and values of options that name files to
 * read, are inputs; when the arguments end, no output may replace an input, and no two options name the same output
 * (cli/common/output.h). After CLI_PARSE_STOP everything is printed. */
static int options_next(struct cli_parser *parser)
{
    if (parser->index >= parser->argc)
        return options_end(parser);

    const char *const word = parser->argv[parser->index++];

    if (!parser->options_ended && strcmp(word, "--") == 0) {
        parser->options_ended = true;
        return options_next(parser);
    }
    if (parser->options_ended || word[0] != '-' || word[1] == '\0') {
        parser->value = word;
        parser->option = NULL;
        parser->has_operand = true;
        cli_output_spare(word);
        return CLI_PARSE_OPERAND;
    }
    if (cli_asks_help(word))
        return stop(parser, cli_help(parser->usage, word));

    const bool is_long = word[1] == '-';
    const char *const name = word + 2;
    const size_t length = is_long ? strcspn(name, "=") : 0;
    const int found = is_long ? find_option(parser->usage->options, name, length)
                              : find_letter(parser->usage->options, word);

    if (found < 0)
        return stop(parser, unknown_option(parser, word));

    const struct cli_option *const option = &parser->usage->options[found];

    parser->option = option->name;
    parser->value = name[length] == '\0' ? NULL : is_long ? name + length + 1 : name;
    if (option->argument == NULL && parser->value != NULL)
        return stop(parser, cli_usage_error(parser->usage, "--%s takes no value", option->name));
    if (option->argument != NULL && option->argument[0] != '[' && parser->value == NULL) {
        if (parser->index >= parser->argc)
            return stop(parser, cli_usage_error(parser->usage, "--%s needs a value: --%s %s", option->name,
                                                option->name, option->argument));
        parser->value = parser->argv[parser->index++];
    }
    if (parser->value && options_is_among(inputs, option))
        cli_output_spare(parser->value);
    if (parser->value && options_is_among(outputs, option))
        cli_output_claim(parser->value);
    return found;
}

bool cli_parse_append(const struct cli_parser *parser, const char **list, size_t *count, size_t room)
{
    if (*count < room)
        return list[(*count)++] = parser->value, true;
    if (parser->option)
        cli_usage_error(parser->usage, "--%s is given more than %zu times", parser->option, room);
    else
        cli_usage_error(parser->usage, "%s: more than %zu arguments", parser->value, room);
    return false;
}

static bool options_take(const struct cli_option *option, void *request, struct cli_parser *parser)
{
    void *const field = (char *)request + option->field, *const count = (char *)request + option->count;

    switch (option->taken) {
    case CLI_SWITCH: return *(bool *)field = true;
    case CLI_TEXT: *(const char **)field = parser->value; return true;
    case CLI_LIST: return cli_parse_append(parser, field, count, option->room);
    case CLI_COUNT: return cli_parse_count(parser, field);
    case CLI_BYTES: return cli_parse_bytes(parser, field);
    case CLI_TIME: return cli_parse_time(parser, field);
    case CLI_TICKS: return cli_parse_ticks(parser, field);
    case CLI_RATIO: return cli_parse_ratio(parser, field);
    case CLI_FUNCTION: return option->take(field, parser);
    }
    return false;
}

bool cli_parse(struct cli_parser *parser, const struct cli_usage *usage, void *request, int argc, char **argv)
{
    *parser = (struct cli_parser){.usage = usage, .argv = argv, .argc = argc, .index = 1};
    for (int what; (what = options_next(parser)) != CLI_PARSE_END;) {
        if (what == CLI_PARSE_STOP)
            return false;
        if (what == CLI_PARSE_OPERAND && !usage->take_operand)
            return true;
        parser->exit_code = CLI_BAD_INPUT;
        if (what == CLI_PARSE_OPERAND ? !usage->take_operand(request, parser)
                                      : !options_take(&usage->options[what], request, parser))
            return false;
        if (what >= 0 && !usage->options[what].is_for_gpus)
            parser->cpu_option = parser->option;
        parser->exit_code = CLI_OK;
    }
    return true;
}

bool cli_parse_count(struct cli_parser *parser, uint64_t *count)
{
    const char *const wrong = count_parse(parser->value, count);

    if (wrong)
        cli_usage_error(parser->usage, "--%s %s %s; expected " COUNT_EXPECTED, parser->option, parser->value, wrong);
    return !wrong;
}

bool cli_parse_bytes(struct cli_parser *parser, uint64_t *bytes)
{
    double unused;
    const char *const wrong = units_parse(UNIT_BYTES, parser->value, bytes, &unused);

    if (wrong)
        cli_usage_error(parser->usage, "--%s %s %s; expected a size such as 64B, 64 or 4KiB", parser->option,
                        parser->value, wrong);
    return !wrong;
}

bool cli_take_clock(void *period_ps, struct cli_parser *parser)
{
    double unused;
    const char *const wrong = units_parse(UNIT_PERIOD, parser->value, period_ps, &unused);

    if (!wrong && *(uint64_t *)period_ps > 0)
        return true;
    cli_usage_error(parser->usage, "--%s %s %s; give a clock such as 1600MHz or its period, such as 625ps",
                    parser->option, parser->value, wrong ? wrong : "is no clock");
    return false;
}

bool cli_parse_time(struct cli_parser *parser, uint64_t *time_ps)
{
    double unused;
    const char *const wrong = units_parse(UNIT_TIME, parser->value, time_ps, &unused);

    if (!wrong && *time_ps > 0)
        return true;
    cli_usage_error(parser->usage, "--%s %s %s; give a time such as 10us, 500ns or 1.5ms", parser->option,
                    parser->value, wrong ? wrong : "is less than a picosecond");
    return false;
}

bool cli_parse_ticks(struct cli_parser *parser, uint64_t *time_ps)
{
    double unused;

    if (!units_parse(UNIT_TIME, parser->value, time_ps, &unused))
        return true;
    if (!count_parse(parser->value, time_ps))
        return true;
    cli_usage_error(parser->usage, "--%s %s %s; give a time such as 20us, 500ns or 1.5ms, or whole " "picoseconds",
                    parser->option, parser->value, units_parse(UNIT_TIME, parser->value, time_ps, &unused));
    return false;
}

bool cli_parse_ratio(struct cli_parser *parser, double *ratio)
{
    char *end;

    *ratio = strtod(parser->value, &end);
    if (end != parser->value && *end == '\0' && isfinite(*ratio) && *ratio > 0)
        return true;
    cli_usage_error(parser->usage, "--%s %s: expected a number above 0 such as 1.5", parser->option, parser->value);
    return false;
}

static void print_option(FILE *to, const char *name, const char *argument, const char *help)
{
    const int width = fprintf(to, "  --%s%s%s", name, argument != NULL && argument[0] != '[' ? " " : "",
                              argument != NULL ? argument : "");

    if (width + 2 > HELP_COLUMN)
        fprintf(to, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(to, "%*s", HELP_COLUMN - width, "");
    for (; *help != '\0'; help++) {
        fputc(*help, to);
        if (*help == '\n')
            fprintf(to, "%*s", HELP_COLUMN, "");
    }
    fputc('\n', to);
}

void cli_print_help(const struct cli_usage *usage, FILE *to)
{
    fprintf(to, "Usage: %s\n\n%s\n\nOptions:\n", usage->synopsis, usage->about);
    for (const struct cli_option *option = usage->options; option->name != NULL; option++) {
        if (option->heading)
            fprintf(to, "\n%s:\n", option->heading);
        print_option(to, option->name, option->argument, option->help);
    }
    print_option(to, "help", "[=man]", "print this; =man: the man page, for man -l -");
    if (usage->notes != NULL)
        fprintf(to, "\n%s\n", usage->notes);
}

int cli_usage_error(const struct cli_usage *usage, const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    cli_fail_text("%s; see %.*s --help", text ? text : "out of memory", command_words(usage->synopsis),
                  usage->synopsis);
    free(text);
    return CLI_BAD_INPUT;
}
