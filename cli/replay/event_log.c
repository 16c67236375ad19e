/* Writes log lines; errors of the file show when it is closed. */
#include "cli/replay/event_log.h"

#include <inttypes.h>

static void write_line(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                       uint64_t address, const char *details)
{
    FILE *const file = context;

    fprintf(file, "%" PRIu64 " %s %s %s 0x%" PRIx64 "%s%s\n", tick_ps, component, what, command, address,
            details ? " " : "", details ? details : "");
}

struct log_sink event_log_sink(FILE *file)
{
    return (struct log_sink){.line = write_line, .context = file};
}
