/* What keys and the pointer do in the live view: the window's help, `rubato view --help` and docs/view.md are made from
 * this table, and input.c handles each of its lines. */
#ifndef VIZ_VIEW_KEYS_H
#define VIZ_VIEW_KEYS_H

#include <stdint.h>

#include "viz/view/view.h"

/* K(value, key, as shown, what it does); key 0: the pointer, or several keys */
#define VIEW_KEYS(K)                                                                                                  \
    K(PAUSE, ' ', "space", "pause the run, or resume it")                                                             \
    K(STEP, '.', ".", "advance one sample, then pause")                                                               \
    K(FASTER, '+', "+", "faster, up to as fast as it runs")                                                           \
    K(SLOWER, '-', "-", "slower, down to one cycle a frame")                                                          \
    K(ZOOM, 0, "wheel", "zoom time, at the pointer; also arrow up and down")                                          \
    K(PAN, 0, "drag", "move along time; also arrow left and right")                                                   \
    K(WHOLE, VIEW_KEY_HOME, "Home", "show the whole run")                                                             \
    K(NEWEST, VIEW_KEY_END, "End", "go to the newest sample, and follow it")                                          \
    K(HOVER, 0, "point", "name, numbers and meaning of anything; in a chart, the other panels show that moment")      \
    K(PIN, 0, "click", "keep that box or moment; charts show that core or SM alone; again releases it")               \
    K(SEARCH, '/', "/", "find a component: type a part of its name, Enter selects, Esc leaves")                       \
    K(REQUESTS, 'l', "l", "requests of that moment, and their way; also a click in the chart of latency")           \
    K(WINDOW, 'r', "r", "write the stretch of time that is shown to a file, for view and export")                     \
    K(RECORD, 'R', "R", "write samples to a file as they come, from now until R again")                               \
    K(COMPARE, 'c', "c", "start a second run beside this one, or end it")                                             \
    K(PARAMETERS, 'p', "p", "change a parameter: letters narrow the list, Enter edits, Enter starts anew with it")    \
    K(COMPARE_VALUE, 0, "Tab", "in that panel, while a value is edited: compare with a second run that has it")       \
    K(METRICS, 'm', "m", "all metrics of a run that is over; of two runs both, and the change")                       \
    K(PNG, 's', "s", "write the picture to a PNG file; also F12, wherever letters are typed")                         \
    K(THEME, 't', "t", "dark or light")                                                                               \
    K(HELP, '?', "?", "this list")                                                                                    \
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
