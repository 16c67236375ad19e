/* Messages of all commands. */
#include "cli/cli.h"

#include <stdarg.h>

int cli_fail(struct fault fault)
{
    fprintf(stderr, "rubato: %s\n", fault.text);
    switch (fault.kind) {
    case FAULT_NONE: return CLI_OK;
    case FAULT_STALL: return CLI_STALLED;
    case FAULT_INPUT:
    case FAULT_MEMORY: break;
    }
    return CLI_BAD_INPUT;
}

int cli_fail_proto(const struct fault *error)
{
    fprintf(stderr, "rubato: %s\n", error->text);
    return CLI_BAD_INPUT;
}

int cli_fail_text(const char *format, ...)
{
    va_list arguments;

    fputs("rubato: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return CLI_BAD_INPUT;
}

void cli_warn(const char *format, ...)
{
    va_list arguments;

    fputs("rubato: warning: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void cli_note(const char *text)
{
    fprintf(stderr, "rubato: note: %s\n", text);
}

static void warn_line(void *context, const char *text)
{
    (void)context;
    cli_warn("%s", text);
}

const struct warn_sink cli_warnings = {.line = warn_line};
