/* Construction of faults. Texts longer than the field are cut, never overrun. */
#include "memsys/fault.h"

#include <stdarg.h>
#include <stdio.h>

struct fault fault_make(enum fault_kind kind, const char *format, ...)
{
    struct fault fault = {.kind = kind};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(fault.text, sizeof fault.text, format, arguments);
    va_end(arguments);
    return fault;
}
