/* The script goes to gnuplot in memory, the picture comes back through a pipe: no file is made. The version in the
 * picture's comment is taken out, so that it does not depend on it. */
#define _GNU_SOURCE
#include "viz/draw/chart.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/harmless.h"
#include "base/text.h"

static const char *const colours[] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#a08a00"
};
static int const shapes[] = {7, 5, 9, 11, 13, 6, 4, 8};

enum { COLOURS = sizeof colours / sizeof colours[0], LETTER_WIDTH = 7, NARROW = 600 };

/* ---- the script */

/* A text in quotes, as gnuplot reads it: single ones, in which it runs nothing and replaces nothing. `twice`: letters
 * that mean something where the text stands. */
static void quote(FILE *script, const char *text, const char *twice)
{
    const char *harmful = text + harmless_bytes(text, strlen(text));

    fputc('\'', script);
    for (; *text; text++) {
        if (text == harmful) {
            fputc(' ', script);
            harmful = text + 1 + harmless_bytes(text + 1, strlen(text + 1));
            continue;
        }
        if (*text == '\'' || strchr(twice, *text))
            fputc(*text, script);
        fputc(*text, script);
    }
    fputc('\'', script);
}

static void set_text(FILE *script, const char *what, const char *text)
{
    if (!text)
        return;
    fprintf(script, "set %s ", what);
    quote(script, text, "");
    fputs(" noenhanced\n", script);
}

/* Names of the x axis that would not stand side by side in `room` pixels are turned; 0: they stand below each other. */
static void set_names(FILE *script, char axis, const char *const *names, size_t count, unsigned room)
{
    size_t letters = 0;

    for (size_t i = 0; i < count; i++)
        letters += strlen(names[i]) + 2;
    fprintf(script, "set %ctics %s(", axis, room && letters * LETTER_WIDTH > room ? "rotate by -25 " : "");
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", script);
        quote(script, names[i], "%");    /* names of tics are formats */
        fprintf(script, " %zu", i);
    }
    fputs(") noenhanced\n", script);
}

static bool is_drawn(const struct chart *chart, const struct chart_series *series, size_t i)
{
    return isfinite(series->x[i]) && isfinite(series->y[i]) && (!chart->log_x || series->x[i] > 0)
        && (!chart->log_y || series->y[i] > 0)
        && (series->mark != CHART_RANGE || (isfinite(series->low[i]) && isfinite(series->high[i])));
}

static void write_series(FILE *script, const struct chart *chart)
{
    for (size_t s = 0; s < chart->series_count; s++) {
        const struct chart_series *const series = &chart->series[s];

        fprintf(script, "$d%zu << EOD\n", s);
        for (size_t i = 0; i < series->count; i++)
            if (is_drawn(chart, series, i))
                fprintf(script, "%.17g %.17g %.17g %.17g\n", series->x[i], series->y[i],
                        series->low ? series->low[i] : 0, series->high ? series->high[i] : 0);
        fputs("EOD\n", script);
    }
}

static bool has_points(const struct chart *chart, const struct chart_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (is_drawn(chart, series, i))
            return true;
    return false;
}

static void plot_series(FILE *script, const struct chart *chart)
{
    static const char *const styles[] = {
        [CHART_LINE] = "1:2 with linespoints", [CHART_POINT] = "1:2 with points", [CHART_STEP] = "1:2 with steps",
        [CHART_RANGE] = "1:2:3:4 with yerrorbars"
    };
    bool begun = false;

    for (size_t s = 0; s < chart->series_count; s++) {
        const struct chart_series *const series = &chart->series[s];

        if (!has_points(chart, series))
            continue;
        fprintf(script, "%s $d%zu using %s lc rgb \"%s\" lw 2 pt %d ps 0.7 %s", begun ? ", \\\n" : "plot", s,
                styles[series->mark], colours[s % COLOURS], shapes[s % COLOURS], series->name ? "title " : "notitle");
        if (series->name) {
            quote(script, series->name, "");
            fputs(" noenhanced", script);
        }
        begun = true;
    }
    fputs(begun ? "\n" : "set label \"no data\" at graph 0.5,0.5 center\nplot [0:1] [0:1] NaN notitle\n", script);
}

static void plot_cells(FILE *script, const struct chart_cells *cells, unsigned width)
{
    double middle = 0, low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < cells->rows * cells->columns; i++)
        if (isfinite(cells->values[i])) {
            low = fmin(low, cells->values[i]);
            high = fmax(high, cells->values[i]);
        }
    middle = low + (high - low) / 2;
    set_names(script, 'x', cells->column_names, cells->columns, width * 2 / 3);
    set_names(script, 'y', cells->row_names, cells->rows, 0);
    set_text(script, "cblabel", cells->value_label);
    fputs("set palette defined (0 \"#fff7bc\", 0.5 \"#fe9929\", 1 \"#662506\")\nset grid noxtics noytics\n", script);
    if (isfinite(middle))
        fprintf(script, "set cbrange [%.17g:%.17g]\n", low, high > low ? high : low + 1);
    fputs("$cells << EOD\n", script);
    for (size_t row = 0; row < cells->rows; row++)
        for (size_t column = 0; column < cells->columns; column++) {
            double const value = cells->values[row * cells->columns + column];

            if (isfinite(value))
                fprintf(script, "%zu %zu %.17g \"%.*f\" %d\n", column, row, value, cells->decimals, value,
                        value > middle ? 0xffffff : 0);
        }
    fprintf(script, "EOD\nset xrange [-0.5:%zu.5]\nset yrange [-0.5:%zu.5]\n", cells->columns - 1, cells->rows - 1);
    fputs(isfinite(middle) ? "plot $cells using 1:2:(0.5):(0.5):3 with boxxyerror fs solid noborder lc palette "
                             "notitle, "
                             "$cells using 1:2:4:5 with labels tc rgb variable font \",11\" notitle\n"
                           : "set label \"no data\" at graph 0.5,0.5 center\nplot NaN notitle\n", script);
}

static void write_script(FILE *script, const struct chart *chart)
{
    fprintf(script, "set terminal svg size %u,%u fixed noenhanced font \"sans-serif,13\" name \"%s\" "
            "background \"white\"\n", chart->width, chart->height, chart->id);
    fputs("set border 3 lc rgb \"#444444\"\nset tics nomirror\nset grid lc rgb \"#dddddd\" lw 1\n"
          "set offsets graph 0.03, graph 0.03, graph 0.05, 0\n", script);
    fprintf(script, "set key %s reverse Left width 1\n",
            chart->width < NARROW ? "tmargin center horizontal" : "outside right top");
    set_text(script, "title", chart->title);
    set_text(script, "xlabel", chart->x_label);
    set_text(script, "ylabel", chart->y_label);
    if (chart->cells) {
        fputs("set offsets 0,0,0,0\n", script);
        plot_cells(script, chart->cells, chart->width);
        return;
    }
    if (chart->log_x)
        fputs("set logscale x 2\n", script);
    if (chart->log_y)
        fputs("set logscale y\nset yrange [*:*] noextend\n", script);
    if (chart->from_zero && !chart->log_y)
        fputs("set yrange [0:*]\n", script);
    if (chart->x_names)
        set_names(script, 'x', chart->x_names, chart->x_name_count, chart->width * 3 / 5);
    write_series(script, chart);
    plot_series(script, chart);
}

/* ---- gnuplot */

static bool complain(char *problem, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool complain(char *problem, size_t size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem, size, format, arguments);
    va_end(arguments);
    return false;
}

static bool read_all(FILE *from, char **text)
{
    size_t used = 0, capacity = 1 << 16, got;

    *text = malloc(capacity);
    while (*text && (got = fread(*text + used, 1, capacity - used - 1, from)) > 0) {
        used += got;
        if (capacity - used < 2) {
            char *const grown = realloc(*text, capacity *= 2);

            if (!grown)
                free(*text);
            *text = grown;
        }
    }
    if (*text)
        (*text)[used] = '\0';
    return *text != NULL;
}

/* What stands in front of <svg>, which a page cannot have inside. */
static bool cut_front(char *svg)
{
    char *const begin = strstr(svg, "<svg");

    if (!begin || !strstr(begin, "</svg>"))
        return false;
    memmove(svg, begin, strlen(begin) + 1);
    return true;
}

/* Takes the maker's version out, and puts the picture's own name before those of its parts, as several pictures stand
 * in one page. */
static char *make_own(char *svg, const char *id)
{
    static const char *const uses[] = {"id='", "id=\"", "href='#", "url(#"};
    char *text = NULL, *version, *end;
    size_t length;
    FILE *const to = open_memstream(&text, &length);

    for (const char *at = svg; to && *at; at++) {
        fputc(*at, to);
        for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
            size_t const before = strlen(uses[i]);

            if ((size_t)(at + 1 - svg) >= before && strncmp(at + 1 - before, uses[i], before) == 0)
                fprintf(to, "%s_", id);
        }
    }
    free(svg);
    if (!to || !text_stream_close(to, &text))
        return NULL;
    if ((version = strstr(text, "<desc>")) && (end = strstr(version, "</desc>")))
        memmove(version, end + strlen("</desc>"), strlen(end + strlen("</desc>")) + 1);
    return text;
}

/* gnuplot with the script as its input, in the C locale; its words are dropped. 0, or why it could not be started. */
static int start_gnuplot(int script, int to, pid_t *pid)
{
    char program[] = "env", locale[] = "LC_ALL=C", name[] = "gnuplot", option[] = "-d", input[] = "/dev/stdin";
    char *const words[] = {program, locale, name, option, input, NULL};
    posix_spawn_file_actions_t actions;
    int error;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(pid, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool run_gnuplot(int script, char **svg, char *problem, size_t size)
{
    int pipes[2], error, status = -1;
    bool is_read = false;
    FILE *from;
    pid_t pid;

    if (pipe2(pipes, O_CLOEXEC) != 0)
        return complain(problem, size, "gnuplot cannot be started: %s", strerror(errno));
    error = start_gnuplot(script, pipes[1], &pid);
    close(pipes[1]);
    from = fdopen(pipes[0], "r");
    if (from) {
        is_read = read_all(from, svg);
        fclose(from);
    } else {
        close(pipes[0]);
    }
    while (!error && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (error && error != ENOENT)
        return complain(problem, size, "gnuplot cannot be started: %s", strerror(error));
    if (!is_read)
        return complain(problem, size, "out of memory");
    if (!error && status == 0 && cut_front(*svg))
        return true;
    free(*svg);
    *svg = NULL;
    if (error || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
        return complain(problem, size, "gnuplot is not there, which draws the charts; install it (Debian, Ubuntu: "
                        "gnuplot-nox)");
    return complain(problem, size, "gnuplot refused a chart (exit status %d)", status);
}

bool chart_svg(const struct chart *chart, char **svg, char *problem, size_t size)
{
    int const descriptor = memfd_create("chart", MFD_CLOEXEC);
    FILE *const script = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    bool done = script != NULL;

    *svg = NULL;
    if (script) {
        write_script(script, chart);
        done = fflush(script) == 0 && !ferror(script) && lseek(descriptor, 0, SEEK_SET) == 0;
    }
    if (done)
        done = run_gnuplot(descriptor, svg, problem, size);
    else
        complain(problem, size, "no memory for a chart: %s", strerror(errno));
    if (script)
        fclose(script);
    else if (descriptor >= 0)
        close(descriptor);
    if (done && !(*svg = make_own(*svg, chart->id)))
        return complain(problem, size, "out of memory");
    return done;
}
