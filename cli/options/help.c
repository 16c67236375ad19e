/* Which form of --help is asked for. */
#include "cli/options/help.h"

#include <string.h>

#include "base/nearest.h"
#include "cli/common/cli.h"

bool cli_asks_help(const char *word)
{
    return strcmp(word, "-h") == 0 || (strncmp(word, "--help", 6) == 0 && (word[6] == '\0' || word[6] == '='));
}

static const char *form_of(const char *word)
{
    return strncmp(word, "--help=", 7) == 0 ? word + 7 : "";
}

static int unknown_form(const char *word)
{
    return cli_fail_text("%s: expected --help, --help=man for the man page, or --help=table", word);
}

int cli_help(const struct cli_usage *usage, const char *word)
{
    const char *const form = form_of(word);

    if (strcmp(form, "man") == 0)
        help_man(usage, stdout);
    else if (strcmp(form, "table") == 0)
        help_table(usage, stdout);
    else if (*form)
        return unknown_form(word);
    else
        cli_print_help(usage, stdout);
    return CLI_OK;
}

void cli_print_group(const struct cli_group *group, FILE *to)
{
    fprintf(to, "Usage: %s COMMAND [arguments]\n\n%s\n\nCommands:\n", group->name, group->about);
    for (const struct cli_member *member = group->members; member->name; member++)
        fprintf(to, "  %-10s %s\n", member->name, member->summary);
    fprintf(to, "\n%s\n", group->notes);
}

int cli_unknown_command(const struct cli_group *group, const char *word)
{
    const char *const above = strchr(group->name, ' ');          /* " trace" */
    struct nearest nearest = nearest_to(word);
    char question[100];

    for (const struct cli_member *member = group->members; member->name; member++)
        nearest_offer(&nearest, member->name);
    return cli_fail_text("there is no command%s %s%s see %s --help", above ? above : "", word,
                         *nearest_question(&nearest, question, sizeof question) ? question : ";", group->name);
}

int cli_help_group(const struct cli_group *group, const char *word)
{
    const char *const form = form_of(word);

    if (strcmp(form, "man") == 0)
        help_man_group(group, stdout);
    else if (strcmp(form, "table") == 0)
        help_table_group(group, stdout);
    else if (*form)
        return unknown_form(word);
    else
        cli_print_group(group, stdout);
    return CLI_OK;
}

const char *help_summary(const char *command)
{
#define SUMMARY(name, summary) {#name, summary},
    static const struct cli_member commands[] = {CLI_COMMANDS(SUMMARY) {NULL, NULL}};
    static const struct cli_member below[] = {TRACE_COMMANDS(SUMMARY) {NULL, NULL}};
#undef SUMMARY
    static const char trace[] = "trace ";
    bool const is_below = strncmp(command, trace, strlen(trace)) == 0;
    const char *const name = is_below ? command + strlen(trace) : command;

    for (const struct cli_member *member = is_below ? below : commands; member->name; member++)
        if (strcmp(member->name, name) == 0)
            return member->summary;
    return NULL;
}
