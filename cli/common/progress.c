/* A terminal's line is rewritten in place with a carriage return; shorter text is padded to cover the previous one. */
#include "cli/common/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_facts.h"

#define REFRESH_S 0.2
#define LINE_S 10.0

void progress_start(struct progress *progress)
{
    *progress = (struct progress){.is_shown = true, .what = "records"};
    progress->is_terminal = isatty(STDERR_FILENO) == 1;
    progress->start_s = host_clock_s();
    progress->last_s = progress->start_s;
}

/* Regions are few, records are millions. */
static void write_count(char *text, size_t size, double count, const char *behind)
{
    if (count < 10000)
        snprintf(text, size, "%.4g%s", count, behind);
    else
        snprintf(text, size, "%.2f million%s", 1e-6 * count, behind);
}

void progress_show(struct progress *progress, uint64_t records, uint64_t now_ps, double part)
{
    double now_s, elapsed_s;
    char text[200], left[40] = "", simulated[40] = "", done[40], rate[40];
    int length;

    if (!progress->is_shown)
        return;
    now_s = host_clock_s();
    if (now_s - progress->last_s < (progress->is_terminal ? REFRESH_S : LINE_S))
        return;
    progress->last_s = now_s;
    elapsed_s = now_s - progress->start_s;
    if (part > 0.005)
        snprintf(left, sizeof left, ", %.0f %%, %.0f s left", 100 * part, elapsed_s * (1 - part) / part);
    if (now_ps != PROGRESS_NO_TIME)
        snprintf(simulated, sizeof simulated, ", %.3f ms simulated", 1e-9 * (double)now_ps);
    write_count(done, sizeof done, (double)records, " ");
    write_count(rate, sizeof rate, (double)records / elapsed_s, "");
    length = snprintf(text, sizeof text, "%s%s%s, %s/s%s", done, progress->what, simulated, rate, left);
    if (!progress->is_terminal) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    fprintf(stderr, "\r%-*s", (int)progress->width, text);
    fflush(stderr);
    if (length > (int)progress->width)
        progress->width = (unsigned)length;
}

void progress_end(struct progress *progress)
{
    if (progress->is_shown && progress->width)
        fprintf(stderr, "\r%-*s\r", (int)progress->width, "");
    progress->is_shown = false;
}

static bool is_coloured(FILE *to)
{
    const char *const no_colour = getenv("NO_COLOR"), *const terminal = getenv("TERM");

    return isatty(fileno(to)) == 1 && !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
}

const char *colour_on(FILE *to, enum colour colour)
{
    static const char *const codes[] = {
        [COLOUR_STRONG] = "\033[1m", [COLOUR_GOOD] = "\033[32m", [COLOUR_BAD] = "\033[31m",
        [COLOUR_WARNING] = "\033[33m"
    };

    return is_coloured(to) ? codes[colour] : "";
}

const char *colour_off(FILE *to)
{
    return is_coloured(to) ? "\033[0m" : "";
}
