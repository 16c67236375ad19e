#include "replay/source/warn_sink.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_BYTES = 640 };

void warn_of(const struct warn_sink *sink, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    warn_of_line(sink, text);
}
