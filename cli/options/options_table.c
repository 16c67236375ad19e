/* --help=table: options and operands as lines for programs. The values that an option takes follow from the word that
 * the option's table has for it: "plain|fast" lists words, FILE is a file. */
#include "cli/options/help.h"

#include <string.h>

#include "memsys/sim/sim_engine.h"

static const struct { const char *word, *kind; } kinds[] = {
    {"FILE", "file"}, {"FILE.rbt", "file"}, {"FILE.svg", "file"}, {"OUT", "file"}, {"DIR", "folder"},
    {"KEY=VALUE", "setting"}, {"SYSTEM", "system"}, {"OTHER", "system"}, {"GPU_SYSTEM", "system"},
    {"SYSTEM_WITH_BOTH", "system"}, {"ENGINE", "words"}, {"TRACES", "file"}, {"TRACE", "file"}, {"LIST", "file"},
    {"INSTRUCTION_TRACES", "file"}, {"INSTRUCTION_TRACE", "file"}, {"INSN_TRACE", "file"}, {"MACSIM_SET", "file"},
    {"RECORDING", "file"}, {"SPEC.yaml", "file"}, {"RESULTS.db", "file"}, {"TEXT", "file"}, {"FOLDER", "folder"},
    {"GPGPUSIM_CONFIG", "file"}, {"TRACE_CONFIG", "file"}, {"PROGRAM", "command"}, {"A", "system"}, {"B", "system"}
};

/* "qemu|valgrind", "text": words that are typed literally. */
static bool is_literal(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!((word[i] >= 'a' && word[i] <= 'z') || word[i] == '|' || word[i] == '-'))
            return false;
    return length > 0;
}

static const char *options_table_kind_of(const char *word, size_t length)
{
    if (is_literal(word, length))
        return "words";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].word) == length && memcmp(kinds[i].word, word, length) == 0)
            return kinds[i].kind;
    return "free";
}

static void print_words(const char *word, size_t length, FILE *to)
{
    if (is_literal(word, length))
        for (size_t i = 0; i < length; i++)
            fputc(word[i] == '|' ? ' ' : word[i], to);
    if (length == strlen("ENGINE") && memcmp(word, "ENGINE", length) == 0) {
#define PATH_WORDS(name, help) " plain+" #name " fast-" #name
        fputs("plain fast" ENGINE_FAST_PATHS(PATH_WORDS), to);
#undef PATH_WORDS
    }
}

static void print_option(const struct cli_option *option, FILE *to)
{
    const char *const argument = option->argument ? option->argument : "";
    const char *word = argument;
    size_t length;

    word += strspn(word, "[=");
    length = strcspn(word, "]");
    fprintf(to, "option\t%s\t%s\t%s\t", option->name, *argument ? argument : "-",
            *word ? options_table_kind_of(word, length) : "-");
    print_words(word, length, to);
    fputc('\t', to);
    for (const char *c = option->help; *c; c++)
        fputc(*c == '\n' ? ' ' : *c, to);
    fputc('\n', to);
}

/* One line of a synopsis, behind the command: words up to the first option are operands. */
static void print_operands(const char *line, size_t length, FILE *to)
{
    int place = 0;

    while (length > 0) {
        size_t const word = strcspn(line, " \n") < length ? strcspn(line, " \n") : length;
        size_t const shown = word > 3 && memcmp(line + word - 3, "...", 3) == 0 ? word - 3 : word;
        size_t const bracket = shown > 0 && line[0] == '[';

        if (shown == 0 || line[0] == '-' || (bracket && (line[1] == '-' || line[1] == 'o')))
            return;
        if (!is_literal(line, shown) || place == 0) {
            size_t const from = bracket, to_end = bracket && line[shown - 1] == ']' ? shown - 1 : shown;

            fprintf(to, "operand\t%d\t%s\t", ++place, options_table_kind_of(line + from, to_end - from));
            print_words(line + from, to_end - from, to);
            fputc('\n', to);
        } else {
            return;
        }
        line += word;
        length -= word;
        if (length > 0) {
            line++;
            length--;
        }
    }
}

void help_table(const struct cli_usage *usage, FILE *to)
{
    const char *const command = help_page_of(usage->synopsis)->command;

    fprintf(to, "command\t%s\n", command);
    for (const struct cli_option *option = usage->options; option->name; option++)
        print_option(option, to);
    for (const char *line = usage->synopsis; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t const skipped = strlen("rubato ") + strlen(command) + 1, length = strcspn(line, "\n");

        if (length > skipped)
            print_operands(line + skipped, length - skipped, to);
    }
}

void help_table_group(const struct cli_group *group, FILE *to)
{
    fprintf(to, "group\t%s\n", group->name);
    for (const struct cli_member *member = group->members; member->name; member++)
        fprintf(to, "member\t%s\t%s\n", member->name, member->summary);
}
