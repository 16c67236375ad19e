#include "viz/view/script.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/path.h"
#include "viz/panels/panels.h"
#include "viz/view/view.h"

enum { MOST_FRAMES = 1200, LINE_ROOM = 200, WORD_ROOM = 96, MOST_WORDS = 4 };

/* S(value, name, words that follow) */
#define SCRIPT_STEPS(S)                                                                                               \
    S(AT, at, "TIME") S(FRAMES, frames, "N") S(KEY, key, "NAME") S(TYPE, type, "TEXT") S(MOVE, move, "X Y")           \
    S(PRESS, press, "") S(RELEASE, release, "") S(WHEEL, wheel, "X Y N") S(RESIZE, resize, "W H") S(CLOSE, close, "") \
    S(STALL, stall, "MS") S(POINT, point, "KIND NAME") S(CHART, chart, "PART") S(EXPECT, expect, "FACT")              \
    S(AWAIT, await, "FACT")

#define STEP_VALUE(value, name, words) STEP_##value,
enum step { SCRIPT_STEPS(STEP_VALUE) STEP_COUNT };
#undef STEP_VALUE

#define STEP_LINE(value, name, words) {#name, words},
static const struct { const char *name, *words; } steps[] = {SCRIPT_STEPS(STEP_LINE)};
#undef STEP_LINE

static const struct { const char *name; uint32_t key; } key_names[] = {
    {"space", ' '}, {"enter", VIEW_KEY_ENTER}, {"escape", VIEW_KEY_ESCAPE}, {"backspace", VIEW_KEY_BACKSPACE},
    {"tab", VIEW_KEY_TAB}, {"left", VIEW_KEY_LEFT}, {"right", VIEW_KEY_RIGHT}, {"up", VIEW_KEY_UP},
    {"down", VIEW_KEY_DOWN}, {"home", VIEW_KEY_HOME}, {"end", VIEW_KEY_END}, {"f12", VIEW_KEY_F12},
    {"shift+tab", VIEW_KEY_BACK_TAB}, {"ctrl+a", VIEW_KEY_SELECT_ALL}, {"ctrl+enter", VIEW_KEY_CTRL_ENTER}
};

static const char *const kind_names[] = {
    [HIT_COMPONENT] = "component", [HIT_LINK] = "link", [HIT_BANK] = "bank", [HIT_CHART] = "chart", [HIT_HEAT] = "heat",
    [HIT_PARAMETER] = "parameter", [HIT_TEXT] = "text", [HIT_REQUEST] = "request"
};

/* F(value, name, number of words that follow; REST: the rest of the line) */
#define REST (-1)
#define SCRIPT_FACTS(F)                                                                                               \
    F(RUNNING, running, 0) F(PAUSED, paused, 0) F(ENDED, ended, 0) F(FAILED, failed, 0) F(RUNS, runs, 1)              \
    F(SPEED, speed, 1) F(WINDOW, window, 2) F(FOLLOWS, follows, 0) F(WHOLE, whole, 0) F(AT, at, 1)                    \
    F(HOVER, hover, REST) F(PINNED, pinned, REST) F(FOUND, found, REST) F(MODE, mode, 1)                              \
    F(PARAMETER, parameter, 2) F(TYPED, typed, REST) F(SEARCH, search, REST) F(NOTE, note, REST) F(DARK, dark, 0)     \
    F(RECORDING, recording, 0) F(OLD, old, 0) F(LOST, lost, 0) F(SAMPLES, samples, 1) F(SIZE, size, 2)                \
    F(DRAGGING, dragging, 0) F(NEWEST, newest, 1) F(TOTALS, totals, 0) F(NUMBERS, numbers, REST)                      \
    F(DIFFERENCE, difference, REST) F(REQUESTS, requests, 1) F(FILTER, filter, REST) F(SELECTED, selected, 0)         \
    F(PROBLEM, problem, REST) F(WANTED, wanted, 2)

#define FACT_VALUE(value, name, words) FACT_##value,
enum fact { SCRIPT_FACTS(FACT_VALUE) FACT_COUNT };
#undef FACT_VALUE

#define FACT_LINE(value, name, words) {#name, words},
static const struct { const char *name; int words; } facts[] = {SCRIPT_FACTS(FACT_LINE)};
#undef FACT_LINE

static const char *const mode_names[] = {
    [MODE_WATCH] = "watch", [MODE_SEARCH] = "search", [MODE_PARAMETERS] = "parameters", [MODE_VALUE] = "value",
    [MODE_METRICS] = "metrics", [MODE_HELP] = "help", [MODE_REQUESTS] = "requests"
};

struct script_line {
    enum step step;
    unsigned number;                     /* in the file, from 1 */
    struct view_input input;             /* of key, wheel, resize, move */
    uint64_t time_ps, count;
    double part;
    enum hit_kind kind;
    enum fact fact;
    bool is_not;
    char text[LINE_ROOM];                /* of the fact, or to be typed */
    char words[MOST_WORDS][WORD_ROOM];
    unsigned typed;                      /* letters given so far */
};

/* ---- reading */
struct reader {
    struct script *script;
    unsigned number;
    const char *at;                      /* the rest of the line */
};

static struct fault script_wrong(const struct reader *reader, const char *format, ...) 
    __attribute__((format(printf, 2, 3)));

static struct fault script_wrong(const struct reader *reader, const char *format, ...)
{
    char text[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fault_make(FAULT_INPUT, "%.150s:%u: %s", reader->script->path, reader->number, text);
}

static bool take_word(struct reader *reader, char word[WORD_ROOM])
{
    size_t length;

    reader->at += strspn(reader->at, " \t");
    length = strcspn(reader->at, " \t");
    snprintf(word, WORD_ROOM, "%.*s", (int)(length < WORD_ROOM ? length : WORD_ROOM - 1), reader->at);
    reader->at += length;
    return length > 0;
}

static bool parse_time(const char *text, uint64_t *time_ps)
{
    static const struct { const char *unit; double ps; } units[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9},
                                                                    {"s", 1e12}, {"", 0}};
    char *end;
    double const value = strtod(text, &end);

    if (end == text || !(value >= 0))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].unit) == 0 && (units[i].ps > 0 || value == 0) && value * units[i].ps <= 1e18) {
            *time_ps = (uint64_t)(value * units[i].ps + 0.5);
            return true;
        }
    return false;
}

static struct fault script_take_time(struct reader *reader, uint64_t *time_ps)
{
    char word[WORD_ROOM];

    if (!take_word(reader, word) || !parse_time(word, time_ps))
        return script_wrong(reader, "'%s': expected a time such as 2us", word);
    return fault_none();
}

static struct fault script_take_number(struct reader *reader, long lowest, long highest, long *number)
{
    char word[WORD_ROOM], *end;

    if (!take_word(reader, word))
        return script_wrong(reader, "expected a number from %ld to %ld, and the line ends", lowest, highest);
    *number = strtol(word, &end, 10);
    if (*end != '\0' || *number < lowest || *number > highest)
        return script_wrong(reader, "'%s': expected a number from %ld to %ld", word, lowest, highest);
    return fault_none();
}

static struct fault take_place(struct reader *reader, struct view_input *input)
{
    long x = 0, y = 0;

    FORWARD(script_take_number(reader, -20000, 20000, &x));
    FORWARD(script_take_number(reader, -20000, 20000, &y));
    input->x = (int)x;
    input->y = (int)y;
    return fault_none();
}

static struct fault take_key(struct reader *reader, uint32_t *key)
{
    char word[WORD_ROOM];

    take_word(reader, word);
    *key = (unsigned char)word[0];
    if (word[0] > ' ' && word[1] == '\0')
        return fault_none();
    for (size_t i = 0; i < sizeof key_names / sizeof key_names[0]; i++)
        if (strcmp(word, key_names[i].name) == 0) {
            *key = key_names[i].key;
            return fault_none();
        }
    return script_wrong(reader, "key '%s': expected one character, or space, enter, escape, backspace, tab, left, "
                        "right, up, down, home, end, f12", word);
}

static void take_rest(struct reader *reader, char text[LINE_ROOM])
{
    reader->at += strspn(reader->at, " \t");
    snprintf(text, LINE_ROOM, "%s", reader->at);
    reader->at += strlen(reader->at);
}

static struct fault take_kind(struct reader *reader, struct script_line *line)
{
    char word[WORD_ROOM];

    take_word(reader, word);
    for (unsigned i = 0; i < sizeof kind_names / sizeof kind_names[0]; i++)
        if (strcmp(word, kind_names[i]) == 0) {
            line->kind = i;
            take_rest(reader, line->text);
            return fault_none();
        }
    return script_wrong(reader, "'%s': expected component, link, bank, chart, heat, parameter or text", word);
}

static bool is_time_fact(enum fact fact)
{
    return fact == FACT_SPEED || fact == FACT_WINDOW || fact == FACT_AT || fact == FACT_NEWEST;
}

static bool is_number_fact(enum fact fact)
{
    return fact == FACT_RUNS || fact == FACT_SAMPLES || fact == FACT_SIZE;
}

static bool is_mode(const char *word)
{
    for (size_t i = 0; i < sizeof mode_names / sizeof mode_names[0]; i++)
        if (strcmp(word, mode_names[i]) == 0)
            return true;
    return false;
}

/* A word that is never so would make `no` of it always true. */
static struct fault check_word(const struct reader *reader, enum fact fact, const char *word)
{
    uint64_t ignored;

    if (is_time_fact(fact) && !parse_time(word + (word[0] == '~'), &ignored))
        return script_wrong(reader, "'%s': expected a time such as 2us", word);
    if (is_number_fact(fact) && (word[strspn(word, "0123456789")] != '\0' || strlen(word) > 9))
        return script_wrong(reader, "'%s': expected a number", word);
    if (fact == FACT_MODE && !is_mode(word))
        return script_wrong(reader, "'%s': expected watch, search, parameters, value or help", word);
    return fault_none();
}

static struct fault take_fact(struct reader *reader, struct script_line *line)
{
    char word[WORD_ROOM];

    take_word(reader, word);
    line->is_not = strcmp(word, "no") == 0;
    if (line->is_not)
        take_word(reader, word);
    for (line->fact = 0; line->fact < FACT_COUNT; line->fact++)
        if (strcmp(word, facts[line->fact].name) == 0)
            break;
    if (line->fact == FACT_COUNT)
        return script_wrong(reader, "'%s' is not a fact: expected running, paused, window, hover ... "
                                    "(viz/view/script.h)", word);
    if (facts[line->fact].words == REST)
        take_rest(reader, line->text);
    for (int i = 0; i < facts[line->fact].words; i++) {
        if (!take_word(reader, line->words[i]))
            return script_wrong(reader, "%s: expected %d word%s after it", word, facts[line->fact].words,
                                facts[line->fact].words == 1 ? "" : "s");
        FORWARD(check_word(reader, line->fact, line->words[i]));
    }
    return fault_none();
}

static struct fault take_words(struct reader *reader, struct script_line *line)
{
    char word[WORD_ROOM], *end;
    long number = 0;

    switch (line->step) {
    case STEP_AT: return script_take_time(reader, &line->time_ps);
    case STEP_FRAMES:
        FORWARD(script_take_number(reader, 1, 100000, &number));
        line->count = (uint64_t)number;
        return fault_none();
    case STEP_STALL:
        FORWARD(script_take_number(reader, 1, 60000, &number));
        line->count = (uint64_t)number;
        return fault_none();
    case STEP_KEY: line->input.kind = VIEW_KEY; return take_key(reader, &line->input.key);
    case STEP_TYPE: take_rest(reader, line->text); return fault_none();
    case STEP_MOVE: line->input.kind = VIEW_MOTION; return take_place(reader, &line->input);
    case STEP_PRESS: line->input.kind = VIEW_PRESS; return fault_none();
    case STEP_RELEASE: line->input.kind = VIEW_RELEASE; return fault_none();
    case STEP_RESIZE: line->input.kind = VIEW_RESIZE; return take_place(reader, &line->input);
    case STEP_CLOSE: line->input.kind = VIEW_CLOSE; return fault_none();
    case STEP_WHEEL:
        line->input.kind = VIEW_WHEEL;
        FORWARD(take_place(reader, &line->input));
        FORWARD(script_take_number(reader, -100, 100, &number));
        line->input.wheel = (int)number;
        return fault_none();
    case STEP_POINT: return take_kind(reader, line);
    case STEP_CHART:
        take_word(reader, word);
        line->part = strtod(word, &end);
        if (end == word || *end != '\0' || !(line->part >= 0 && line->part <= 1))
            return script_wrong(reader, "'%s': expected a part of the time window, from 0 to 1", word);
        return fault_none();
    case STEP_EXPECT: case STEP_AWAIT: return take_fact(reader, line);
    case STEP_COUNT: break;
    }
    return fault_none();
}

static struct fault script_read_line(struct reader *reader)
{
    struct script *const script = reader->script;
    struct script_line line = {.number = reader->number};
    char word[WORD_ROOM];

    if (!take_word(reader, word) || word[0] == '#')
        return fault_none();
    while (line.step < STEP_COUNT && strcmp(word, steps[line.step].name) != 0)
        line.step++;
    if (line.step == STEP_COUNT)
        return script_wrong(reader, "'%s' is not a step: expected at, key, type, move, wheel, press, expect ... (see "
                            "viz/view/script.h)", word);
    FORWARD(take_words(reader, &line));
    reader->at += strspn(reader->at, " \t");
    if (*reader->at != '\0' && *reader->at != '#')
        return script_wrong(reader, "'%.60s' is too much: expected %s%s%s", reader->at, steps[line.step].name,
                            *steps[line.step].words ? " " : "", steps[line.step].words);
    if (!list_fit_next(&script->lines, script->count, sizeof *script->lines))
        return fault_make(FAULT_MEMORY, "out of memory");
    script->lines[script->count++] = line;
    return fault_none();
}

struct fault script_read(struct script *script, const char *path, const char *text, size_t length)
{
    struct reader reader = {.script = script};
    struct fault fault = fault_none();
    size_t const path_bytes = strlen(path) + 1;

    *script = (struct script){.path = malloc(path_bytes)};
    if (!script->path)
        return fault_make(FAULT_MEMORY, "out of memory");
    memcpy(script->path, path, path_bytes);
    while (length > 0 && fault.kind == FAULT_NONE) {
        const char *const end = memchr(text, '\n', length);
        size_t const line = end ? (size_t)(end - text) : length;
        char copy[LINE_ROOM];

        reader.number++;
        reader.at = copy;
        snprintf(copy, sizeof copy, "%.*s", (int)(line < LINE_ROOM ? line : LINE_ROOM - 1), text);
        fault = line < LINE_ROOM ? script_read_line(&reader)
                                 : script_wrong(&reader, "%zu characters; expected at most %d", line, LINE_ROOM - 1);
        text += line + (end != NULL);
        length -= line + (end != NULL);
    }
    if (fault.kind != FAULT_NONE)
        script_free(script);
    return fault;
}

void script_free(struct script *script)
{
    free(script->path);
    free(script->lines);
    *script = (struct script){0};
}

/* ---- facts */
static bool is_time(const struct view *view, const char *word, uint64_t actual_ps)
{
    bool const is_about = word[0] == '~';
    uint64_t const slack_ps = is_about ? (view->window.to_ps - view->window.from_ps) / 50 : 0;
    uint64_t expected_ps = 0;

    parse_time(word + is_about, &expected_ps);
    return (actual_ps > expected_ps ? actual_ps - expected_ps : expected_ps - actual_ps) <= slack_ps;
}

/* "cpu2" is not how "cpu2.l1d" begins, but another name. */
static bool is_titled(const char *title, const char *text)
{
    return text_begins(title, text) && title[strlen(text)] != '.';
}

static bool is_parameter(const struct script_line *line, const struct view *view, char *actual, size_t room)
{
    const struct view_parameter *parameter;

    if (view->parameter >= view->parameter_count) {
        snprintf(actual, room, "no parameters");
        return false;
    }
    parameter = &view->parameters[view->parameter];
    snprintf(actual, room, "%s %s", parameter->key, parameter->value);
    return strcmp(parameter->key, line->words[0]) == 0 && strcmp(parameter->value, line->words[1]) == 0;
}

/* Of any parameter. */
static bool script_is_wanted(const struct script_line *line, const struct view *view, char *actual, size_t room)
{
    snprintf(actual, room, "no such value is kept");
    for (size_t i = 0; i < view->parameter_count; i++)
        if (strcmp(view->parameters[i].key, line->words[0]) == 0) {
            snprintf(actual, room, "'%s'", view->parameters[i].wanted);
            return strcmp(view->parameters[i].wanted, line->words[1]) == 0;
        }
    return false;
}

static bool has_requests(const struct script_line *line, const struct view *view, char *actual, size_t room)
{
    const struct telemetry_request *found[VIEW_REQUESTS];
    uint64_t from_ps, to_ps;
    size_t const count = view->run_count ? view_requests(view, 0, found, &from_ps, &to_ps) : 0;

    snprintf(actual, room, "%zu requests", count);
    return count >= strtoull(line->words[0], NULL, 10);
}

/* Returns whether the expected fact holds; writes the actual state for the message. */
/* Facts that are texts. */
static bool script_look_text(const struct script_line *line, const struct view *view, char *actual, size_t room)
{
    const struct telemetry *const layout = view->runs[0].layout;
    const char *name = "nothing";

    switch (line->fact) {
    case FACT_HOVER:
        snprintf(actual, room, "%s", view->has_hover ? view->hover.title : "nothing");
        return view->has_hover && is_titled(view->hover.title, line->text);
    case FACT_PINNED:
        snprintf(actual, room, "%s", view->has_pinned ? view->pinned.title : "nothing");
        return view->has_pinned && is_titled(view->pinned.title, line->text);
    case FACT_FOUND:
        if (view->found != TELEMETRY_NONE && layout)
            name = layout->components[view->found].name;
        snprintf(actual, room, "%s", name);
        return strcmp(name, line->text) == 0;
    case FACT_MODE:
        snprintf(actual, room, "%s", mode_names[view->mode]);
        return strcmp(mode_names[view->mode], line->words[0]) == 0;
    case FACT_TYPED:
        snprintf(actual, room, "'%s'", view->typed);
        return strcmp(view->typed, line->text) == 0;
    case FACT_SEARCH:
        snprintf(actual, room, "'%s'", view->search);
        return strcmp(view->search, line->text) == 0;
    case FACT_NOTE:
        snprintf(actual, room, "'%.150s'", view->note);
        return strstr(view->note, line->text) != NULL && view->note[0] != '\0';
    case FACT_FILTER:
        snprintf(actual, room, "'%s'", view->filter);
        return strcmp(view->filter, line->text) == 0;
    case FACT_PROBLEM:
        snprintf(actual, room, "'%.150s'", view->problem);
        return view->problem[0] != '\0' && strstr(view->problem, line->text) != NULL;
    case FACT_NUMBERS:
        snprintf(actual, room, "%.120s", view->has_hover ? view->hover.numbers : "nothing");
        return view->has_hover && strstr(view->hover.numbers, line->text) != NULL;
    case FACT_DIFFERENCE:
        snprintf(actual, room, "'%.120s'", view->difference);
        return strstr(view->difference, line->text) != NULL;
    default: return false;
    }
}

/* Facts that are true or false. */
static bool script_look_flag(const struct script_line *line, const struct view *view, char *actual, size_t room)
{
    struct view_run const *const run = &view->runs[0];

    switch (line->fact) {
    case FACT_RUNNING: return view_any_run_is(view, VIEW_RUNNING);
    case FACT_PAUSED: return view_any_run_is(view, VIEW_PAUSED);
    case FACT_ENDED: return view_any_run_is(view, VIEW_ENDED);
    case FACT_FAILED: return view_any_run_is(view, VIEW_FAILED);
    case FACT_FOLLOWS: case FACT_WHOLE:
        snprintf(actual, room, "%s, %s", view->window.follows ? "follows" : "does not follow",
                 view->window.is_whole ? "whole" : "not whole");
        return line->fact == FACT_FOLLOWS ? view->window.follows : view->window.is_whole;
    case FACT_SELECTED:
        snprintf(actual, room, "%s", view->is_all_selected ? "selected" : "nothing is selected");
        return view->is_all_selected;
    case FACT_DARK:
        snprintf(actual, room, "%s", view->is_dark ? "dark" : "light");
        return view->is_dark;
    case FACT_RECORDING:
        snprintf(actual, room, "%s", view->is_recording ? "recording" : "not recording");
        return view->is_recording;
    case FACT_OLD:
        snprintf(actual, room, "%s", run->has_old ? "an old course" : "no old course");
        return run->has_old;
    case FACT_LOST:
        snprintf(actual, room, "%" PRIu64 " lost", run->lost);
        return run->lost > 0;
    case FACT_DRAGGING:
        snprintf(actual, room, "%s", view->is_dragging ? "dragging" : "not dragging");
        return view->is_dragging;
    case FACT_TOTALS:
        snprintf(actual, room, "%s", view_shows_whole(view, 0, NULL) ? "the whole run" : "a moment");
        return view_shows_whole(view, 0, NULL);
    default: return script_look_text(line, view, actual, room);
    }
}

static bool script_look(const struct script_line *line, const struct view *view, char *actual, size_t room)
{
    struct view_run const *const run = &view->runs[0];

    snprintf(actual, room, "%s", view_state_name(run->state));
    switch (line->fact) {
    case FACT_RUNS:
        snprintf(actual, room, "%u runs", view->run_count);
        return view->run_count == strtoul(line->words[0], NULL, 10);
    case FACT_SPEED:
        snprintf(actual, room, "%" PRIu64 "ps", view->speed_ps);
        return is_time(view, line->words[0], view->speed_ps);
    case FACT_WINDOW:
        snprintf(actual, room, "%" PRIu64 "ps to %" PRIu64 "ps", view->window.from_ps, view->window.to_ps);
        return is_time(view, line->words[0], view->window.from_ps) && is_time(view, line->words[1], view->window.to_ps);
    case FACT_AT:
        snprintf(actual, room, "%s %" PRIu64 "ps", view->has_at ? "at" : "newest,", view->at_ps);
        return view->has_at && is_time(view, line->words[0], view->at_ps);
    case FACT_NEWEST:
        snprintf(actual, room, "%" PRIu64 "ps", history_end_ps(&view->runs[0].history));
        return is_time(view, line->words[0], history_end_ps(&view->runs[0].history));
    case FACT_PARAMETER: return is_parameter(line, view, actual, room);
    case FACT_WANTED: return script_is_wanted(line, view, actual, room);
    case FACT_SAMPLES:
        snprintf(actual, room, "%" PRIu64 " samples", run->history.put_count);
        return run->history.put_count >= strtoull(line->words[0], NULL, 10);
    case FACT_SIZE:
        snprintf(actual, room, "%d x %d", view->width, view->height);
        return view->width == atoi(line->words[0]) && view->height == atoi(line->words[1]);
    case FACT_REQUESTS: return has_requests(line, view, actual, room);
    default: return script_look_flag(line, view, actual, room);
    }
}

/* ---- steps */
static void script_fail(struct script *script, const struct script_line *line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void script_fail(struct script *script, const struct script_line *line, const char *format, ...)
{
    char text[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(script->failure, sizeof script->failure, "%.90s:%u: %s", script->path, line->number, text);
    script->has_failed = true;
}

/* Is the step done? If not, it is tried again in the next frame, for a while. */
static bool check_fact(struct script *script, const struct script_line *line, const struct view *view)
{
    char actual[160];

    if (script_look(line, view, actual, sizeof actual) != line->is_not)
        return true;
    if (line->step == STEP_AWAIT && script->frames_waited < MOST_FRAMES)
        return false;
    script_fail(script, line, "expected %s%s%s%s%s%s%s, got %s", line->is_not ? "no " : "", facts[line->fact].name,
                facts[line->fact].words ? " " : "", line->text, line->words[0], line->words[1][0] ? " " : "",
                    line->words[1], actual);
    return false;
}

static void give_motion(struct script *script, int x, int y, script_give *give, void *context)
{
    script->x = x;
    script->y = y;
    give(context, &(struct view_input){.kind = VIEW_MOTION, .x = x, .y = y});
}

static bool point(struct script *script, const struct script_line *line, const struct view *view, script_give *give,
                  void *context)
{
    for (uint32_t i = view->hits.count; i > 0; i--) {
        struct hit const *const hit = &view->hits.hits[i - 1];

        if (hit->kind == line->kind && is_titled(hit->title, line->text)) {
            give_motion(script, hit->area.x + hit->area.width / 2, hit->area.y + hit->area.height / 2, give, context);
            return true;
        }
    }
    if (script->frames_waited >= MOST_FRAMES)
        script_fail(script, line, "expected a %s %s in the picture, which lacks it", kind_names[line->kind],
                    line->text);
    return false;
}

static bool chart(struct script *script, const struct script_line *line, const struct view *view, script_give *give,
                  void *context)
{
    struct view_layout const layout = view_layout_of(view);
    struct area const axis = panel_time_area(layout.strips, 0, view->run_count);

    give_motion(script, axis.x + (int)(line->part * (axis.width - 1) + 0.5), layout.strips.y + layout.strips.height / 2,
                give, context);
    return true;
}

/* Is it done? */
static bool script_take(struct script *script, struct script_line *line, const struct view *view, script_give *give,
                        void *context)
{
    struct view_input input = line->input;

    switch (line->step) {
    case STEP_AT:
        if (history_end_ps(&view->runs[0].history) >= line->time_ps)
            return true;
        if (view->runs[0].state == VIEW_ENDED || view->runs[0].state == VIEW_FAILED)
            script_fail(script, line, "expected a sample at %" PRIu64 " ps or later, but the run ended at "
                                                                      "%" PRIu64 " ps",
                        line->time_ps, history_end_ps(&view->runs[0].history));
        else if (script->frames_waited >= 10 * MOST_FRAMES)
            script_fail(script, line, "expected a sample at %" PRIu64 " ps or later; the newest is at %" PRIu64 " ps",
                        line->time_ps, history_end_ps(&view->runs[0].history));
        return false;
    case STEP_STALL: script->stall_ms = (unsigned)line->count; return true;
    case STEP_FRAMES: return script->frames_waited >= line->count;
    case STEP_TYPE:
        if (line->text[line->typed] != '\0')
            give(context, &(struct view_input){.kind = VIEW_KEY, .key = (unsigned char)line->text[line->typed++]});
        return line->text[line->typed] == '\0';
    case STEP_PRESS: case STEP_RELEASE:
        input.x = script->x;
        input.y = script->y;
        give(context, &input);
        return true;
    case STEP_MOVE: give_motion(script, input.x, input.y, give, context); return true;
    case STEP_KEY: case STEP_WHEEL: case STEP_RESIZE: case STEP_CLOSE: give(context, &input); return true;
    case STEP_POINT: return point(script, line, view, give, context);
    case STEP_CHART: return chart(script, line, view, give, context);
    case STEP_EXPECT: case STEP_AWAIT: return check_fact(script, line, view);
    case STEP_COUNT: break;
    }
    return true;
}

bool script_step(struct script *script, const struct view *view, script_give *give, void *context)
{
    script->stall_ms = 0;
    if (script->place == script->count || script->has_failed)
        return false;
    if (script_take(script, &script->lines[script->place], view, give, context)) {
        script->place++;
        script->frames_waited = 0;
    } else {
        script->frames_waited++;
    }
    return !script->has_failed;
}

void script_closed(struct script *script)
{
    if (script->place < script->count && !script->has_failed)
        script_fail(script, &script->lines[script->place], "expected the window to be open, it was closed");
}
