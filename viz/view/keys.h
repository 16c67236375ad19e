/* The functions of keys and the pointer in the live view: the window's help, `rubato view --help` and docs/view.md are
 * made from this table, and view_input.c handles each of its lines. */
#ifndef VIZ_VIEW_KEYS_H
#define VIZ_VIEW_KEYS_H

#include <stdint.h>

#include "viz/view/view.h"

/* K(value, key, label, effect); key 0: the pointer, or several keys */
#define VIEW_KEYS(K)                                                                                                  \
    K(PAUSE, ' ', "space", "pause the run, or resume it")                                                             \
    K(STEP, '.', ".", "advance by one sample, then pause")                                                            \
    K(FASTER, '+', "+", "faster, up to full speed")                                                                   \
    K(SLOWER, '-', "-", "slower, down to one cycle a frame")                                                          \
    K(ZOOM, 0, "wheel", "zoom the time axis at the pointer; also arrow up and down")                                  \
    K(PAN, 0, "drag", "move along the time axis; also arrow left and right")                                          \
    K(WHOLE, VIEW_KEY_HOME, "Home", "show the whole run")                                                             \
    K(NEWEST, VIEW_KEY_END, "End", "go to the newest sample, and follow it")                                          \
    K(HOVER, 0, "point", "see what something is, with its numbers; in a chart, the other panels show that moment")    \
    K(PIN, 0, "click", "keep that box or moment; the charts show that core or SM alone; click again to release")      \
    K(SEARCH, '/', "/", "find a component: type a part of its name, Enter selects, Esc closes")                       \
    K(REQUESTS, 'l', "l", "list traced requests of that moment; also a click in the latency chart")                   \
    K(WINDOW, 'r', "r", "write the time shown to a file, for rubato view and rubato export")                          \
    K(RECORD, 'R', "R", "start recording samples to a file; press R again to stop")                                   \
    K(COMPARE, 'c', "c", "start a second run for comparison, or end it")                                              \
    K(PARAMETERS, 'p', "p", "change a parameter: type to filter, Enter edits, Enter restarts the run with it")        \
    K(NEXT_VALUE, 0, "Tab", "while editing a value: keep it, and edit the next one; Shift+Tab the one before")         \
    K(COMPARE_VALUE, 0, "Ctrl+Enter", "while editing a value: compare with a second run that has it")                 \
    K(SELECT_ALL, 0, "Ctrl+A", "select all of what is typed; the next letter replaces it")                            \
    K(METRICS, 'm', "m", "all metrics, once the run is over; of two runs both, and the change")                       \
    K(PNG, 's', "s", "write a screenshot to a PNG file; also F12, even while typing")                                 \
    K(THEME, 't', "t", "switch between dark and light colours")                                                       \
    K(HELP, '?', "?", "show or hide this list")                                                                       \
    K(QUIT, 'q', "q", "close the window")

#define VIEW_KEY_VALUE(value, key, shown, help) VIEW_DOES_##value,
enum view_key_action { VIEW_KEYS(VIEW_KEY_VALUE) VIEW_KEY_ACTIONS };
#undef VIEW_KEY_VALUE

struct view_key_line {
    uint32_t key;
    const char *shown, *help;
};

extern const struct view_key_line view_key_lines[VIEW_KEY_ACTIONS];

/* VIEW_KEY_ACTIONS: the key does nothing by itself. */
enum view_key_action view_key_action(uint32_t key);

#endif
