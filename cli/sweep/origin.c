#define _POSIX_C_SOURCE 200809L
#include "cli/sweep/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/quote.h"

/* UTC, to the second. */
static void take_date(char *date, size_t size)
{
    time_t const now = time(NULL);
    struct tm parts;

    if (!gmtime_r(&now, &parts) || strftime(date, size, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        date[0] = '\0';
}

static char *command_of(int argc, char *const *argv)
{
    char *text = NULL, room[CLI_QUOTED_MAX];
    size_t length;
    FILE *const stream = open_memstream(&text, &length);

    if (!stream)
        return NULL;
    fputs("rubato", stream);
    for (int i = 0; i < argc; i++)
        fprintf(stream, " %s", cli_quote(argv[i], room));
    return text_stream_close(stream, &text) ? text : NULL;
}

void origin_make(struct origin *origin, int argc, char *const *argv)
{
    *origin = (struct origin){.command = command_of(argc, argv)};
    take_date(origin->date, sizeof origin->date);
    if (gethostname(origin->host, sizeof origin->host - 1) != 0)
        origin->host[0] = '\0';
    origin->run = (struct provenance_run){origin->date, origin->command ? origin->command : "", origin->host};
}

void origin_free(struct origin *origin)
{
    free(origin->command);
}
