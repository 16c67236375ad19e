/* --help=man: a page for man(1), in the macros of man(7) that groff and mandoc both know. Lines of a table's texts that
 * begin with a blank stay lines; all others are filled. Text in `backquotes` is bold, words in capitals in
 * a synopsis are italic. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/common/cli.h"
#include "cli/options/help.h"

enum { LINE_ROOM = 72 };     /* of roff's input, not of the printed page */

static void put_letter(char letter, FILE *to)
{
    switch (letter) {
    case '\\': fputs("\\e", to); break;
    case '-': fputs("\\-", to); break;
    case '~': fputs("\\(ti", to); break;
    case '^': fputs("\\(ha", to); break;
    case '"': fputs("\\(dq", to); break;
    case '\'': fputs("\\(aq", to); break;
    default: fputc(letter, to);
    }
}

static void man_put_text(const char *text, size_t length, FILE *to)
{
    if (length > 0 && (text[0] == '.' || text[0] == '\''))
        fputs("\\&", to);
    for (size_t i = 0; i < length; i++)
        put_letter(text[i], to);
}

/* A word of a paragraph; hyphens between letters are hyphens. *is_code: between backquotes, over the ends of words. */
static size_t man_put_word(const char *word, size_t length, bool *is_code, FILE *to)
{
    if (word[0] == '.' || word[0] == '\'')
        fputs("\\&", to);
    for (size_t i = 0; i < length; i++) {
        bool const is_hyphen = word[i] == '-' && !*is_code && i > 0 && isalpha((unsigned char)word[i - 1])
            && i + 1 < length && isalpha((unsigned char)word[i + 1]) && word[0] != '-';

        if (word[i] == '`') {
            *is_code = !*is_code;
            fputs(*is_code ? "\\fB" : "\\fR", to);
        } else if (is_hyphen) {
            fputc('-', to);
        } else {
            put_letter(word[i], to);
        }
    }
    return length;
}

/* Filled, up to `end`. */
static void put_filled(const char *text, const char *end, FILE *to)
{
    size_t used = 0;
    bool is_code = false;

    while (text < end) {
        size_t const length = strcspn(text, " \n");
        size_t const shown = text + length < end ? length : (size_t)(end - text);

        if (shown > 0) {
            if (used > 0)
                fputc(used + shown > LINE_ROOM ? '\n' : ' ', to);
            if (used + shown > LINE_ROOM)
                used = 0;
            used += man_put_word(text, shown, &is_code, to) + 1;
        }
        text += shown + 1;
    }
    fputs(is_code ? "\\fR\n" : "\n", to);
}

static const char *behind_line(const char *line, const char *end)
{
    const char *const newline = memchr(line, '\n', (size_t)(end - line));

    return newline ? newline + 1 : end;
}

/* A text of several lines up to `end`; begins_paragraph: .PP comes before it. */
static void man_put_block(const char *text, const char *end, bool begins_paragraph, FILE *to)
{
    while (text < end) {
        const char *behind = text;
        bool const is_kept = *text == ' ';

        while (behind < end && (*behind == ' ') == is_kept)
            behind = behind_line(behind, end);
        if (begins_paragraph)
            fputs(".PP\n", to);
        if (!is_kept) {
            put_filled(text, behind, to);
        } else {
            fputs(".nf\n", to);
            for (const char *line = text; line < behind; line = behind_line(line, end)) {
                const char *const next = behind_line(line, end);

                man_put_text(line, (size_t)(next - line) - (next[-1] == '\n'), to);
                fputc('\n', to);
            }
            fputs(".fi\n", to);
        }
        begins_paragraph = true;
        text = behind;
    }
}

static void put_paragraph(const char *text, bool begins_paragraph, FILE *to)
{
    man_put_block(text, text + strlen(text), begins_paragraph, to);
}

/* ---- head */
static void put_head(const struct help_page *page, const char *summary, FILE *to)
{
    const char *const epoch = getenv("SOURCE_DATE_EPOCH");
    time_t const when = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm day;
    char date[16] = "";

    if (gmtime_r(&when, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    fputs(".\\\" Made by rubato --help=man.\n.TH RUBATO", to);
    for (const char *c = *page->command ? " " : ""; *c; c = "")
        fputc('-', to);
    for (const char *c = page->command; *c; c++)
        fputc(*c == ' ' ? '-' : toupper((unsigned char)*c), to);
    fprintf(to, " 1 %s \"rubato %s\" \"rubato\"\n.ad l\n.nh\n.SH NAME\nrubato", date, RUBATO_VERSION);
    if (*page->command)
        fputs("\\-", to);
    for (const char *c = page->command; *c; c++)
        fputs(*c == ' ' ? "\\-" : (char[]){*c, '\0'}, to);
    fputs(" \\- ", to);
    put_filled(summary, summary + strlen(summary), to);
}

/* Capitals are italic, brackets and dots as they are, all other text is typed literally: bold. */
static void put_synopsis_line(const char *line, size_t length, FILE *to)
{
    size_t i = 0;

    while (i < length) {
        size_t n = 0;

        if (strchr("[]|(). ", line[i])) {
            put_letter(line[i++], to);
            continue;
        }
        while (i + n < length && !strchr("[]|() ", line[i + n]) && strncmp(line + i + n, "...", 3) != 0)
            n++;
        fputs(isupper((unsigned char)line[i]) ? "\\fI" : "\\fB", to);
        man_put_text(line + i, n, to);
        fputs("\\fR", to);
        i += n;
    }
    fputc('\n', to);
}

static void put_synopsis(const struct help_page *page, const char *synopsis, FILE *to)
{
    fputs(".SH SYNOPSIS\n", to);
    for (const char *line = synopsis; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t const skipped = strlen("rubato ") + strlen(page->command), length = strcspn(line, "\n");

        fprintf(to, ".SY \"rubato%s%s\"\n", *page->command ? " " : "", page->command);
        if (length > skipped)
            put_synopsis_line(line + skipped + (line[skipped] == ' '), length - skipped - (line[skipped] == ' '), to);
        fputs(".YS\n", to);
    }
}

/* ---- options */
static void put_option(const struct cli_option *option, FILE *to)
{
    const char letter = strcmp(option->name, "output") == 0 ? 'o' : strcmp(option->name, "jobs") == 0 ? 'j' : '\0';
    const char *const argument = option->argument ? option->argument : "";

    if (option->heading) {
        fputs(".SS ", to);
        man_put_text(option->heading, strlen(option->heading), to);
        fputc('\n', to);
    }
    fputs(".TP\n", to);
    if (letter)
        fprintf(to, "\\fB\\-%c\\fR, ", letter);
    fputs("\\fB\\-\\-", to);
    man_put_text(option->name, strlen(option->name), to);
    fputs("\\fR", to);
    if (*argument) {
        fputs(argument[0] == '[' ? "\\fI" : " \\fI", to);
        man_put_text(argument, strlen(argument), to);
        fputs("\\fR", to);
    }
    fputc('\n', to);
    put_paragraph(option->help, false, to);
}

/* ---- foot */
/* told: the text of --help on exit codes, or NULL; has_all: the page is a list of commands. */
static void put_exits(const char *told, bool has_all, FILE *to)
{
    static const struct page_item exits[] = {
        {"0", "done"}, {"1", "a comparison differs"}, {"2", "wrong usage, input or configuration, or an output that "
        "cannot be written; one line on standard error gives fault and place"}, {"3", "the run cannot continue"}
    };

    fputs(".SH EXIT STATUS\n", to);
    for (size_t i = 0; i < sizeof exits / sizeof exits[0]; i++) {
        bool const is_usual = i == 0 || i == 2;

        if (!has_all && !is_usual && (!told || !strstr(told, exits[i].what)))
            continue;
        fprintf(to, ".TP\n%s\n", exits[i].what);
        put_paragraph(exits[i].text, false, to);
    }
    if (told)
        put_paragraph(told, true, to);
}

static void put_items(const char *title, const struct page_item *items, size_t most, FILE *to)
{
    if (!items[0].what)
        return;
    fprintf(to, ".SH %s\n", title);
    for (size_t i = 0; i < most && items[i].what; i++) {
        fputs(".TP\n\\fI", to);
        man_put_text(items[i].what, strlen(items[i].what), to);
        fputs("\\fR\n", to);
        put_paragraph(items[i].text, false, to);
    }
}

static void put_environment(const char *names, FILE *to)
{
    if (!names)
        return;
    fputs(".SH ENVIRONMENT\n", to);
    while (*names) {
        size_t const length = strcspn(names, " ");
        char name[40];
        const char *does;

        snprintf(name, sizeof name, "%.*s", (int)length, names);
        does = help_variable(name);
        fprintf(to, ".TP\n\\fB%s\\fR\n", name);
        if (does)
            put_paragraph(does, false, to);
        names += length + (names[length] == ' ');
    }
}

static void put_examples(const struct help_page *page, FILE *to)
{
    if (!page->examples[0].what)
        return;
    fputs(".SH EXAMPLES\n", to);
    for (size_t i = 0; i < PAGE_MAX_EXAMPLES && page->examples[i].what; i++) {
        if (i > 0)
            fputs(".PP\n", to);
        put_paragraph(page->examples[i].what, false, to);
        fputs(".PP\n.nf\n.RS 4\n", to);
        man_put_text(page->examples[i].text, strlen(page->examples[i].text), to);
        fputs("\n.RE\n.fi\n", to);
    }
}

static void put_see(const struct help_page *page, FILE *to)
{
    const char *name = page->see;

    fputs(".SH SEE ALSO\n", to);
    while (*name) {
        size_t const length = strcspn(name, " ");

        fputs(".BR rubato", to);
        if (length != 1 || *name != '.') {
            fputs("\\-", to);
            man_put_text(name, length, to);
        }
        name += length + (name[length] == ' ');
        fprintf(to, " (1)%s\n", *name ? "," : "");
    }
    if (page->chapter) {
        fputs(".PP\nThe chapter \\fI", to);
        man_put_text(page->chapter, strlen(page->chapter), to);
        fputs("\\fR of the documents.\n", to);
    }
}

void help_man(const struct cli_usage *usage, FILE *to)
{
    static const struct cli_option help = {"help", "[=man]", "print the options, or this page for `man -l -`",
                                          .taken = CLI_SWITCH};
    const struct help_page *const page = help_page_of(usage->synopsis);
    const char *const exits = usage->notes ? strstr(usage->notes, "Exit code") : NULL;

    put_head(page, help_summary(page->command), to);
    put_synopsis(page, usage->synopsis, to);
    fputs(".SH DESCRIPTION\n", to);
    put_paragraph(usage->about, false, to);
    if (page->more)
        put_paragraph(page->more, true, to);
    fputs(".SH OPTIONS\n", to);
    for (const struct cli_option *option = usage->options; option->name; option++)
        put_option(option, to);
    put_option(&help, to);
    if (usage->notes && usage->notes != exits) {
        fputs(".SH NOTES\n", to);
        man_put_block(usage->notes, exits ? exits : usage->notes + strlen(usage->notes), false, to);
    }
    put_exits(exits, false, to);
    put_environment(page->environment, to);
    put_items("FILES", page->files, PAGE_MAX_FILES, to);
    put_examples(page, to);
    put_see(page, to);
}

void help_man_group(const struct cli_group *group, FILE *to)
{
    const struct help_page *const page = help_page_of(group->name);
    char synopsis[80];

    put_head(page, *page->command ? help_summary(page->command) : "a memory-system explorer", to);
    snprintf(synopsis, sizeof synopsis, "%s COMMAND [arguments]", group->name);
    put_synopsis(page, synopsis, to);
    fputs(".SH DESCRIPTION\n", to);
    put_paragraph(group->about, false, to);
    if (page->more)
        put_paragraph(page->more, true, to);
    fputs(".SH COMMANDS\n", to);
    for (const struct cli_member *member = group->members; member->name; member++) {
        fprintf(to, ".TP\n\\fB%s\\fR\n", member->name);
        put_paragraph(member->summary, false, to);
    }
    put_paragraph(group->notes, true, to);
    put_exits(NULL, true, to);
    put_environment(page->environment, to);
    put_items("FILES", page->files, PAGE_MAX_FILES, to);
    put_examples(page, to);
    put_see(page, to);
}
