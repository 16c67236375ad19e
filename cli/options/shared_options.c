#include "cli/options/shared_options.h"

#include <string.h>

bool macsim_cli_take_latency(void *field, struct cli_parser *parser)
{
    struct latency_options *const latencies = field;
    char problem[300];

    if (strchr(parser->value, '=')) {
        latencies->has_insn = true;
        if (insn_latencies_parse(&latencies->insn, parser->value, problem, sizeof problem))
            return true;
        cli_usage_error(parser->usage, "--%s %s", parser->option, problem);
        return false;
    }
    latencies->has_table = true;
    latencies->table = macsim_core_table_find(parser->value);
    if (latencies->table != MACSIM_CORE_TABLE_COUNT)
        return true;
    cli_usage_error(parser->usage, "--%s %s: expected x86, skylake, skylake_x or coffee_lake, or "
                    "CLASS=CYCLES of instruction traces", parser->option, parser->value);
    return false;
}

bool cli_take_insn_format(void *name, struct cli_parser *parser)
{
    *(const char **)name = parser->value;
    if (insn_format_find(parser->value, strlen(parser->value)) != INSN_FORMAT_COUNT)
        return true;
    cli_usage_error(parser->usage, "--%s %s: expected a format of instruction traces, such as din", parser->option,
                    parser->value);
    return false;
}

bool cli_take_format(struct cli_parser *parser, struct macsim_override *override, const char **name)
{
    char problem[300];

    *name = NULL;
    if (insn_format_find(parser->value, strlen(parser->value)) != INSN_FORMAT_COUNT) {
        *name = parser->value;
        return true;
    }
    if (macsim_override_parse(override, parser->value, problem, sizeof problem))
        return true;
    cli_usage_error(parser->usage, "--%s %s: expected a format of instruction traces, such as din; "
                    "or, of MacSim, %s", parser->option, parser->value, problem);
    return false;
}

bool table_take_form(void *field, struct cli_parser *parser)
{
    static const char *const names[] = {[TABLE_TSV] = "tsv", [TABLE_CSV] = "csv", [TABLE_JSON] = "json"};
    enum table_form *const form = field, before = *form;

    for (enum table_form i = TABLE_TSV; i <= TABLE_JSON; i++)
        if (strcmp(parser->option, names[i]) == 0)
            *form = i;
    if (before == TABLE_TEXT || before == *form)
        return true;
    cli_usage_error(parser->usage, "give one of --%s and --%s", names[before], names[*form]);
    return false;
}
