/* Messages of all commands. */
#include "cli/common/cli.h"

#include <stdarg.h>
#include <stdlib.h>

#include "cli/common/shown.h"

static _Thread_local const struct cli_listener *listener;

void cli_listen(const struct cli_listener *of_thread)
{
    listener = of_thread;
}

/* "rubato: <kind><text>"; the text may have anything in it. */
static void print(const char *kind, const char *text)
{
    if (*kind || !listener || !listener->take(listener->context, text))
        fprintf(stderr, "rubato: %s%s\n", kind, cli_shown(text));
}

static void print_formatted(const char *kind, const char *format, va_list arguments)
{
    char *text;

    if (vasprintf(&text, format, arguments) < 0) {
        print(kind, "out of memory");
        return;
    }
    print(kind, text);
    free(text);
}

int cli_fail(struct fault fault)
{
    print("", fault_text(fault));
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
    print("", fault_text(*error));
    return CLI_BAD_INPUT;
}

int cli_fail_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_formatted("", format, arguments);
    va_end(arguments);
    return CLI_BAD_INPUT;
}

void cli_warn(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_formatted("warning: ", format, arguments);
    va_end(arguments);
}

void cli_note(const char *text)
{
    print("note: ", text);
}

static void warn_line(void *context, const char *text)
{
    (void)context;
    cli_warn("%s", text);
}

const struct warn_sink cli_warnings = {.line = warn_line};
