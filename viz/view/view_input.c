/* Keys and pointer: the mode determines which part of the view handles a key.
 *
 *   WATCH       -> SEARCH by "/", PARAMETERS by "p", METRICS by "m", HELP by "?"
 *   SEARCH      letters narrow the search, up and down choose; Enter keeps the component found, Esc drops it: WATCH
 *   PARAMETERS  letters narrow the list, up and down choose; Enter: VALUE; left and right: VALUE with the next choice;
 *               Esc: WATCH; "q" without a filter closes the window. Filter and choice are there again the next time;
 *               the first letter then begins a new filter
 *   VALUE       letters edit, left and right choose; Enter asks for a restart, Tab for a comparison: WATCH; Esc:
 *               PARAMETERS
 *   METRICS     up and down, Home and End move the list; Esc or "m": WATCH; other keys act as in WATCH
 *   HELP        any key: WATCH
 *   REQUESTS    by "l", or a click in the chart of latency: up and down choose, left and right go to the sample before
 *               or after, Esc or "l": WATCH (view_requests.c)
 * The pointer works in every mode but HELP. Wheel and drag are for time, wherever charts are; elsewhere the wheel zooms
 * about the end of the window. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/telemetry/names.h"
#include "viz/view/keys.h"
#include "viz/view/view_internal.h"

#define ZOOM_A_NOTCH 0.8
#define PAN_A_KEY 0.125
#define FASTEST_PS UINT64_C(1000000000)  /* a frame; beyond that it runs as fast as it can */

enum { CLICK_REACH = 3 };

#define KEY_LINE(value, key, shown, help) [VIEW_DOES_##value] = {key, shown, help},
const struct view_key_line view_key_lines[VIEW_KEY_ACTIONS] = {VIEW_KEYS(KEY_LINE)};
#undef KEY_LINE

enum view_key_action view_key_action(uint32_t key)
{
    if (key == '=')                      /* the same key as + without shift */
        key = '+';
    for (unsigned i = 0; i < VIEW_KEY_ACTIONS; i++)
        if (view_key_lines[i].key != 0 && view_key_lines[i].key == key)
            return i;
    return VIEW_KEY_ACTIONS;
}

/* ---- texts */
static bool is_printable(uint32_t key)
{
    return key >= ' ' && key < 127;
}

static void view_input_append(char *text, size_t room, uint32_t key)
{
    size_t const length = strlen(text);

    if (length + 1 < room) {
        text[length] = (char)key;
        text[length + 1] = '\0';
    }
}

static void cut_last(char *text)
{
    size_t const length = strlen(text);

    if (length > 0)
        text[length - 1] = '\0';
}

/* Backspace, a letter; after Ctrl+A both replace all of it. False: the key is no edit. */
static bool edit(struct view *view, char *text, size_t room, uint32_t key)
{
    if (key == VIEW_KEY_SELECT_ALL) {
        view->is_all_selected = text[0] != '\0';
        return true;
    }
    if (key != VIEW_KEY_BACKSPACE && !is_printable(key))
        return false;
    if (view->is_all_selected)
        text[0] = '\0';
    else if (key == VIEW_KEY_BACKSPACE)
        cut_last(text);
    if (key != VIEW_KEY_BACKSPACE)
        view_input_append(text, room, key);
    view->is_all_selected = false;
    return true;
}

/* ---- speed */
/* A cycle, then 2, 5 and 10 times as much, and so on. */
static uint64_t speed_at(uint64_t cycle_ps, unsigned notch)
{
    static const unsigned steps[] = {1, 2, 5};
    uint64_t decade_ps = cycle_ps;

    for (unsigned i = 0; i < notch / 3; i++)
        decade_ps *= 10;
    return decade_ps * steps[notch % 3];
}

static uint64_t next_speed(uint64_t speed_ps, uint64_t cycle_ps, bool is_faster)
{
    uint64_t below_ps = cycle_ps;

    if (is_faster ? speed_ps == 0 : speed_ps != 0 && speed_ps <= cycle_ps)
        return speed_ps;
    for (unsigned notch = 0;; notch++) {
        uint64_t const notch_ps = speed_at(cycle_ps, notch);

        if (notch_ps > FASTEST_PS)
            return is_faster ? 0 : below_ps;
        if (is_faster && notch_ps > speed_ps)
            return notch_ps;
        if (!is_faster && speed_ps != 0 && notch_ps >= speed_ps)
            return below_ps;
        below_ps = notch_ps;
    }
}

static void change_speed(struct view *view, bool is_faster)
{
    uint64_t const speed_ps = next_speed(view->speed_ps, view->cycle_ps, is_faster);

    if (speed_ps == view->speed_ps)
        return;
    view->speed_ps = speed_ps;
    view_put_ask(view, VIEW_ASK_SPEED, NULL, NULL);
}

/* ---- search */
static bool holds_text(const char *name, const char *part)
{
    size_t const length = strlen(part);

    for (; *name != '\0'; name++) {
        size_t i = 0;

        while (i < length && name[i] != '\0' && (name[i] | 0x20) == (part[i] | 0x20))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

bool view_search_finds(const struct view *view, uint32_t component)
{
    const char *const name = view->runs[0].layout->components[component].name;
    char reference[TELEMETRY_NAME];

    return view->search[0] != '\0'
           && (holds_text(name, view->search)
               || (telemetry_name_reference(name, reference) && holds_text(reference, view->search)));
}

/* Finds the components whose names contain the typed text. */
static void search(struct view *view)
{
    const struct telemetry *const layout = view->run_count ? view->runs[0].layout : NULL;

    view->found = TELEMETRY_NONE;
    view->found_count = 0;
    for (uint32_t i = 0; layout && i < layout->component_count && view->search[0] != '\0'; i++) {
        if (!view_search_finds(view, i))
            continue;
        if (view->found_count <= view->found_place)
            view->found = i;
        view->found_count++;
    }
    if (view->found_place >= view->found_count)
        view->found_place = view->found_count ? view->found_count - 1 : 0;
}

static void begin_search(struct view *view)
{
    view->mode = MODE_SEARCH;
    view->search[0] = '\0';
    view->found_place = 0;
    search(view);
}

/* ---- watching */
static void toggle_pause(struct view *view)
{
    if (view_any_run_is(view, VIEW_RUNNING))
        view_put_ask(view, VIEW_ASK_PAUSE, NULL, NULL);
    else if (view_any_run_is(view, VIEW_PAUSED))
        view_put_ask(view, VIEW_ASK_GO, NULL, NULL);
}

static void show_whole(struct view *view)
{
    view->window.follows = view->window.is_whole = true;
    view->has_pinned_at = false;
}

/* As much of time as is shown now; a pinned moment is let go. */
static void show_newest(struct view *view)
{
    view->window.follows = true;
    view->has_pinned_at = false;
}

static void begin_parameters(struct view *view)
{
    view->filter_is_kept = view->filter[0] != '\0';
    if (view->parameter_count > 0)
        view->mode = MODE_PARAMETERS;
    else
        view_note(view, "no parameters can be changed here: start the run with rubato view SYSTEM TRACES");
}

static void begin_metrics(struct view *view)
{
    for (unsigned i = 0; i < view->run_count; i++)
        if (view->runs[i].findings.metric_count > 0)
            view->mode = MODE_METRICS;
    if (view->mode != MODE_METRICS)
        view_note(view, "metrics appear when a run started here is over; a recording has samples but no statistics "
                        "(use replay --summary)");
}

static void act(struct view *view, enum view_key_action action)
{
    switch (action) {
    case VIEW_DOES_PAUSE: toggle_pause(view); break;
    case VIEW_DOES_STEP: view_put_ask(view, VIEW_ASK_STEP, NULL, NULL); break;
    case VIEW_DOES_FASTER: change_speed(view, true); break;
    case VIEW_DOES_SLOWER: change_speed(view, false); break;
    case VIEW_DOES_WHOLE: show_whole(view); break;
    case VIEW_DOES_NEWEST: show_newest(view); break;
    case VIEW_DOES_SEARCH: begin_search(view); break;
    case VIEW_DOES_WINDOW: view_put_ask(view, VIEW_ASK_WINDOW, NULL, NULL); break;
    case VIEW_DOES_RECORD: view_put_ask(view, VIEW_ASK_RECORD, NULL, NULL); break;
    case VIEW_DOES_COMPARE: view_put_ask(view, VIEW_ASK_COMPARE, NULL, NULL); break;
    case VIEW_DOES_PARAMETERS: begin_parameters(view); break;
    case VIEW_DOES_METRICS: begin_metrics(view); break;
    case VIEW_DOES_PNG: view_put_ask(view, VIEW_ASK_PNG, NULL, NULL); break;
    case VIEW_DOES_THEME: view->is_dark = !view->is_dark; break;
    case VIEW_DOES_HELP: view->mode = MODE_HELP; break;
    case VIEW_DOES_REQUESTS: view_begin_requests(view, 0); break;
    case VIEW_DOES_QUIT: view_put_ask(view, VIEW_ASK_QUIT, NULL, NULL); break;
    case VIEW_DOES_ZOOM: case VIEW_DOES_PAN: case VIEW_DOES_HOVER: case VIEW_DOES_PIN: case VIEW_DOES_COMPARE_VALUE:
    case VIEW_DOES_NEXT_VALUE: case VIEW_DOES_SELECT_ALL: case VIEW_KEY_ACTIONS: break;
    }
}

static void let_go(struct view *view)
{
    view->has_pinned = view->has_pinned_at = false;
    view->found = TELEMETRY_NONE;
    view_choose(view, 0, TELEMETRY_NONE);
}

static void key_watch(struct view *view, uint32_t key)
{
    double const span_ps = (double)(view->window.to_ps - view->window.from_ps);
    uint64_t const middle_ps = view->window.from_ps / 2 + view->window.to_ps / 2;

    switch (key) {
    case VIEW_KEY_LEFT: view_pan(view, -PAN_A_KEY * span_ps); break;
    case VIEW_KEY_RIGHT: view_pan(view, PAN_A_KEY * span_ps); break;
    case VIEW_KEY_UP: view_zoom(view, view->window.follows ? view->window.to_ps : middle_ps, ZOOM_A_NOTCH); break;
    case VIEW_KEY_DOWN: view_zoom(view, view->window.follows ? view->window.to_ps : middle_ps, 1 / ZOOM_A_NOTCH); break;
    case VIEW_KEY_ESCAPE: let_go(view); break;
    default: act(view, view_key_action(key)); break;
    }
}

/* ---- keys of the search */
/* Its box stays open, if the picture has it. */
static void pin_found(struct view *view)
{
    for (uint32_t i = 0; i < view->hits.count; i++) {
        struct hit const *const hit = &view->hits.hits[i];

        if (hit->kind == HIT_COMPONENT && hit->run == 0 && hit->component == view->found) {
            view->pinned = *hit;
            view->has_pinned = true;
            return;
        }
    }
}

static void key_search(struct view *view, uint32_t key)
{
    if (key == VIEW_KEY_ESCAPE) {
        view->mode = MODE_WATCH;
        view->search[0] = '\0';
        view->found = TELEMETRY_NONE;
    } else if (key == VIEW_KEY_ENTER) {
        view->mode = MODE_WATCH;
        if (view->found != TELEMETRY_NONE) {
            pin_found(view);
            view_choose(view, 0, view->found);
        }
    } else if (key == VIEW_KEY_DOWN || key == VIEW_KEY_UP) {
        if (view->found_count > 0)
            view->found_place = (view->found_place + (key == VIEW_KEY_DOWN ? 1 : view->found_count - 1))
                                % view->found_count;
        search(view);
    } else if (edit(view, view->search, sizeof view->search, key)) {
        view->found_place = 0;
        search(view);
    }
}

/* ---- parameters */
/* From the typed value, or the first one if it is none of them. */
static void walk_choices(struct view *view, bool goes_on)
{
    const char *const *const choices = view->parameters[view->parameter].choices;
    size_t count = 0, place = 0;

    if (!choices)
        return;
    while (choices[count])
        count++;
    if (count == 0)
        return;
    while (place < count && strcmp(choices[place], view->typed) != 0)
        place++;
    if (place == count)
        place = 0;
    else
        place = (place + (goes_on ? 1 : count - 1)) % count;
    view->typed[0] = '\0';
    strncat(view->typed, choices[place], sizeof view->typed - 1);
}

static void begin_value(struct view *view)
{
    const struct view_parameter *const parameter = &view->parameters[view->parameter];

    view->mode = MODE_VALUE;
    view->is_all_selected = false;
    memcpy(view->typed, parameter->wanted[0] ? parameter->wanted : parameter->value, sizeof view->typed);
}

/* Keeps the typed value as the wanted one until Enter asks for a restart. */
static void keep_value(struct view *view)
{
    struct view_parameter *const parameter = &view->parameters[view->parameter];

    if (strcmp(view->typed, parameter->value) == 0)
        parameter->wanted[0] = '\0';
    else if (view->typed[0] != '\0')
        memcpy(parameter->wanted, view->typed, sizeof parameter->wanted);
}

bool view_parameter_is_listed(const struct view *view, size_t parameter)
{
    return view->filter[0] == '\0' || holds_text(view->parameters[parameter].key, view->filter);
}

/* Chooses the next listed parameter in steps of `step`, wrapping at the end; without one the choice is kept. */
static void choose_listed(struct view *view, size_t from, size_t step)
{
    for (size_t i = 0; i < view->parameter_count; i++, from += step) {
        from %= view->parameter_count;
        if (view_parameter_is_listed(view, from)) {
            view->parameter = from;
            return;
        }
    }
}

static void edit_filter(struct view *view, uint32_t key)
{
    if (view->filter_is_kept && key != VIEW_KEY_SELECT_ALL)
        view->filter[0] = '\0';
    view->filter_is_kept = view->filter_is_kept && key == VIEW_KEY_SELECT_ALL;
    edit(view, view->filter, sizeof view->filter, key);
    choose_listed(view, view->parameter, 1);
}

static void key_parameters(struct view *view, uint32_t key)
{
    size_t const back = view->parameter_count - 1;   /* a step back is as many on, but one */
    bool const is_any = view_parameter_is_listed(view, view->parameter);

    if (key == VIEW_KEY_ESCAPE) {
        view->mode = MODE_WATCH;
    } else if (key == 'q' && (view->filter[0] == '\0' || view->filter_is_kept)) {
        view_put_ask(view, VIEW_ASK_QUIT, NULL, NULL);
    } else if (key == VIEW_KEY_UP || key == VIEW_KEY_BACK_TAB) {
        choose_listed(view, view->parameter + back, back);
    } else if (key == VIEW_KEY_DOWN || key == VIEW_KEY_TAB) {
        choose_listed(view, view->parameter + 1, 1);
    } else if (key == VIEW_KEY_HOME) {
        choose_listed(view, 0, 1);
    } else if (key == VIEW_KEY_END) {
        choose_listed(view, back, back);
    } else if (key == VIEW_KEY_ENTER && is_any) {
        begin_value(view);
    } else if ((key == VIEW_KEY_LEFT || key == VIEW_KEY_RIGHT) && is_any) {
        begin_value(view);
        walk_choices(view, key == VIEW_KEY_RIGHT);
    } else if (key == VIEW_KEY_BACKSPACE || key == VIEW_KEY_SELECT_ALL || is_printable(key)) {
        edit_filter(view, key);
    }
}

static void key_value(struct view *view, uint32_t key)
{
    const char *const name = view->parameters[view->parameter].key;
    size_t const back = view->parameter_count - 1;

    if (key == VIEW_KEY_ESCAPE) {
        view->parameters[view->parameter].wanted[0] = '\0';
        view->mode = MODE_PARAMETERS;
    } else if (key == VIEW_KEY_ENTER) {
        keep_value(view);
        view->mode = MODE_WATCH;
        if (view->typed[0] != '\0')
            view_put_ask(view, VIEW_ASK_RESTART, name, view->typed);
    } else if (key == VIEW_KEY_CTRL_ENTER) {
        view->mode = MODE_WATCH;
        if (view->typed[0] != '\0')
            view_put_ask(view, VIEW_ASK_COMPARE, name, view->typed);
    } else if (key == VIEW_KEY_TAB || key == VIEW_KEY_BACK_TAB) {
        keep_value(view);
        if (key == VIEW_KEY_TAB)
            choose_listed(view, view->parameter + 1, 1);
        else
            choose_listed(view, view->parameter + back, back);
        begin_value(view);
    } else if (key == VIEW_KEY_LEFT || key == VIEW_KEY_RIGHT) {
        walk_choices(view, key == VIEW_KEY_RIGHT);
    } else {
        edit(view, view->typed, sizeof view->typed, key);
    }
}

void view_refuse_value(struct view *view, const char *key, const char *value, const char *problem)
{
    for (size_t i = 0; i < view->parameter_count; i++)
        if (strcmp(view->parameters[i].key, key) == 0) {
            view->parameter = i;
            begin_value(view);
            snprintf(view->typed, sizeof view->typed, "%s", value);
        }
    snprintf(view->problem, sizeof view->problem, "%s", problem);
    view_note(view, "%s", problem);
}

static void press_key(struct view *view, uint32_t key)
{
    view->note[0] = '\0';
    if (key != VIEW_KEY_F12)
        view->problem[0] = '\0';
    if (key != VIEW_KEY_SELECT_ALL && key != VIEW_KEY_BACKSPACE && key != VIEW_KEY_F12 && !is_printable(key))
        view->is_all_selected = false;
    if (key == VIEW_KEY_F12) {
        view_put_ask(view, VIEW_ASK_PNG, NULL, NULL);
        return;
    }
    switch (view->mode) {
    case MODE_WATCH: key_watch(view, key); break;
    case MODE_SEARCH: key_search(view, key); break;
    case MODE_PARAMETERS: key_parameters(view, key); break;
    case MODE_VALUE: key_value(view, key); break;
    case MODE_METRICS:
        if (!view_metrics_key(view, key))
            key_watch(view, key);
        break;
    case MODE_HELP: view->mode = MODE_WATCH; break;
    case MODE_REQUESTS: view_key_requests(view, key); break;
    }
}

/* ---- pointer */
static void move_pointer(struct view *view, const struct view_input *input)
{
    struct view_drag *const drag = &view->drag;

    view->pointer_x = input->x;
    view->pointer_y = input->y;
    view->has_pointer = true;
    if (!view->is_dragging)
        return;
    if (abs(input->x - drag->x) > CLICK_REACH || abs(input->y - drag->y) > CLICK_REACH)
        drag->has_moved = true;
    if (drag->axis_width == 0 || !drag->has_moved)
        return;
    /* From where the button was pressed, so that no motion is lost where time ends. */
    view->window = drag->before;
    view_pan(view, ((double)drag->x - (double)input->x) * (double)(drag->before.to_ps - drag->before.from_ps)
                       / drag->axis_width);
}

static void press_button(struct view *view, const struct view_input *input)
{
    move_pointer(view, input);
    view->is_dragging = true;
    view->drag = (struct view_drag){.before = view->window, .x = input->x, .y = input->y,
                                    .axis_width = view_time_axis(view, input->x, input->y).width};
}

/* Pins the clicked element, or unpins it if it is pinned already. A click in a chart also pins its moment, and keeps
 * the chosen core or SM, so that moments of it can be examined. */
static void click(struct view *view)
{
    const struct hit *const hit = hits_find(&view->hits, view->pointer_x, view->pointer_y);
    bool is_time;

    if (view_click_requests(view, hit))
        return;
    is_time = view_time_at(view, view->pointer_x, view->pointer_y, &view->pinned_ps);
    if (hit && hit->kind == HIT_PARAMETER && hit->element < view->parameter_count) {
        view->parameter = hit->element;
        begin_value(view);
        return;
    }
    if (is_time) {
        view->has_pinned_at = !view->has_pinned_at;
        view->has_pinned = view->has_pinned_at && hit;
        if (view->has_pinned) {
            view->pinned = *hit;
            view_clicked_chart(view, &view->pinned);
        }
        return;
    }
    if (!hit || (view->has_pinned && hit_is_same(&view->pinned, hit))) {
        view->has_pinned = false;
        view_choose(view, 0, TELEMETRY_NONE);
        return;
    }
    view->pinned = *hit;
    view->has_pinned = true;
    view_choose(view, hit->run, hit->kind == HIT_COMPONENT ? hit->component : TELEMETRY_NONE);
}

static void release_button(struct view *view, const struct view_input *input)
{
    if (!view->is_dragging)
        return;
    move_pointer(view, input);
    view->is_dragging = false;
    if (!view->drag.has_moved)
        click(view);
}

static void turn_wheel(struct view *view, const struct view_input *input)
{
    uint64_t about_ps;
    double factor = 1;

    move_pointer(view, input);
    if (view_scroll_by(view, input->x, input->y, -input->wheel))
        return;
    for (int i = 0; i < input->wheel && i < 40; i++)
        factor *= ZOOM_A_NOTCH;
    for (int i = 0; i > input->wheel && i > -40; i--)
        factor /= ZOOM_A_NOTCH;
    if (!view_time_at(view, input->x, input->y, &about_ps))
        about_ps = view->window.to_ps;
    view_zoom(view, about_ps, factor);
}

void view_event(struct view *view, const struct view_input *input)
{
    bool const is_pointer = input->kind != VIEW_KEY && input->kind != VIEW_RESIZE && input->kind != VIEW_CLOSE;

    if (view->mode == MODE_HELP && is_pointer) {
        if (input->kind == VIEW_PRESS)
            view->mode = MODE_WATCH;
        return;
    }
    switch (input->kind) {
    case VIEW_KEY: press_key(view, input->key); break;
    case VIEW_MOTION: move_pointer(view, input); break;
    case VIEW_PRESS: press_button(view, input); break;
    case VIEW_RELEASE: release_button(view, input); break;
    case VIEW_WHEEL: turn_wheel(view, input); break;
    case VIEW_RESIZE:
        view->width = input->x;
        view->height = input->y;
        break;
    case VIEW_CLOSE: view_put_ask(view, VIEW_ASK_QUIT, NULL, NULL); break;
    }
    view_update(view);
    view_point(view);
}
