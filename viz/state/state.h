/* The contents of the live view, as data: runs, time window, the moment shown, the chosen, found and pinned elements.
 *
 * Panels read it, and add the elements that respond to the pointer to `hits`; viz/view/ changes it on events and new
 * samples.
 * Units: picoseconds, points. Ownership: layouts are borrowed; everything else is the view's. */
#ifndef VIZ_STATE_STATE_H
#define VIZ_STATE_STATE_H

#include "memsys/telemetry/telemetry.h"
#include "memsys/telemetry/telemetry_requests.h"
#include "viz/state/history.h"
#include "viz/state/state_figures.h"

/* Checks whether the view can show a layout of samples from outside, that is from a recording or another process: the
 * view finds figures by part and name, and relies on the number of values of each.
 *
 * Use: layout_check once, before a layout is given to view_add_run or shown as text. Layouts of runs in this process
 * need none. Requirements on any layout are checked by replay/record/telemetry_text.h. Errors: FAULT_INPUT names
 * component and field, the expectation and the actual value. */

struct fault layout_check(const struct telemetry *layout);

/* The requests of a run that were followed (memsys/telemetry/telemetry_requests.h), as far as a view keeps them.
 *
 * Memory is bounded: when it is full, of each two neighbours the slower one stays, so that peaks keep theirs.
 * Use: zeroed; requests_put for each, by the time of the answer; requests_find; requests_free. Ownership: copies. */

enum { REQUESTS_MOST = 1 << 15 };

struct request_list {
    struct telemetry_request *items;
    size_t count, room;
};

void requests_put(struct request_list *list, const struct telemetry_request *request);
/* Those answered after from_ps and until to_ps, of one core or, with TELEMETRY_NONE, of all: the slowest first, at most
 * `most`. The answer is how many. They stay until the next requests_put. */
size_t requests_find(const struct request_list *list, uint64_t from_ps, uint64_t to_ps, uint32_t core,
                     const struct telemetry_request **found, size_t most);
void requests_free(struct request_list *list);

enum { VIEW_RUNS = 2, VIEW_TITLE = 96, VIEW_SEARCH = 64, VIEW_NOTE = 160, VIEW_PROBLEM = 500, VIEW_VALUE = 64,
       VIEW_DIFFERENCE = 480, VIEW_REQUESTS = 200 };

/* S(value, name) */
#define VIEW_STATES(S) S(RUNNING, "running") S(PAUSED, "paused") S(ENDED, "ended") S(FAILED, "failed")
#define VIEW_STATE_VALUE(value, name) VIEW_##value,
enum view_run_state { VIEW_STATES(VIEW_STATE_VALUE) };
#undef VIEW_STATE_VALUE

struct view_run {
    char title[VIEW_TITLE];
    const struct telemetry *layout;
    struct history history;
    enum view_run_state state;
    uint64_t begin_ps;                   /* time before is not shown: a recording of a later stretch */
    uint64_t *whole;                     /* of a finished run: all of it as one sample, or NULL */
    struct findings findings;            /* of a run that is over, if its host knows them */
    uint64_t lost;                       /* samples that came too fast to be kept */
    bool has_old;                        /* the run before the last restart: grey behind the new one */
    struct history old;
    const struct telemetry *old_layout;
    struct request_list requests;        /* that were followed */
};

/* A parameter of the system that may be changed: the host fills them in. */
struct view_parameter {
    const char *key, *help;              /* as in the configuration: "l2.size" */
    char value[VIEW_VALUE];
    char wanted[VIEW_VALUE];             /* typed and not yet run; "": the value stays */
    const char *const *choices;          /* NULL: text is typed; else they end with NULL; left and right walk */
};

/* Requests to the host. */
enum view_ask_kind {
    VIEW_ASK_NONE,
    VIEW_ASK_PAUSE, VIEW_ASK_GO, VIEW_ASK_STEP,
    VIEW_ASK_SPEED,                      /* speed_ps of the view: simulated time a frame; 0: as fast as it runs */
    VIEW_ASK_RESTART,                    /* with `key` set to `value` */
    VIEW_ASK_COMPARE,                    /* a second run, with `key` set to `value`; without key, that of the command
                                          * line; if there are two, end the second */
    VIEW_ASK_WINDOW,                     /* write the time window that is shown to a file */
    VIEW_ASK_RECORD,                     /* start or end writing samples to a file as they come */
    VIEW_ASK_PNG,
    VIEW_ASK_FOLLOW,                     /* start anew, and follow requests */
    VIEW_ASK_QUIT
};

struct view_ask {
    enum view_ask_kind kind;
    char key[VIEW_VALUE], value[VIEW_VALUE];
};

/* The part of time that charts show. */
struct time_window {
    uint64_t from_ps, to_ps;
    bool follows;                        /* its end is the newest sample */
    bool is_whole;                       /* it shows all there is */
};

/* The panel that a key or the pointer is for. */
enum view_mode { MODE_WATCH, MODE_SEARCH, MODE_PARAMETERS, MODE_VALUE, MODE_METRICS, MODE_HELP, MODE_REQUESTS };

/* From pressing the button to letting go. */
struct view_drag {
    struct time_window before;
    int x, y;
    int axis_width;                      /* points of the time axis that is held; 0: none is */
    bool has_moved;
};

/* Panels that keep state from one frame to the next (view_memory). */
enum panel_kind { PANEL_DIAGRAM, PANEL_STRIPS, PANEL_HEAT, PANEL_KINDS };

struct view_memory {
    void *memory;
    void (*end)(void *memory);
};

/* Data of the previous frame by which the next one decides which unchanged areas it may keep. */
struct view_drawn {
    uint64_t frames;                     /* as canvas_resume said */
    struct area all, strips;
    unsigned run_count;
    bool has_over;                       /* boxes or sheets lie over panels, and between them */
};

/* A list that has more lines than room: the function that draws it sets the area and the largest `first`, 0 if all of
 * it is shown; the wheel over the area moves it. */
struct view_scroll {
    struct area area;
    int first, most;
};

/* The legends of strip charts by their row, then the metrics. */
enum { VIEW_SCROLLS = 16, VIEW_SCROLL_METRICS = VIEW_SCROLLS - 1 };

struct view {
    struct view_run runs[VIEW_RUNS];
    unsigned run_count;
    uint64_t layouts;                    /* from 1; counts up when the layout of any run is another one */
    int width, height;                   /* of the frame, points */
    struct time_window window;
    uint64_t at_ps;                      /* of diagram and banks: the pointer's in a chart, else the newest */
    bool has_at;
    uint64_t pinned_ps;                  /* a moment that was clicked in a chart */
    bool has_pinned_at;
    uint64_t speed_ps;                   /* see VIEW_ASK_SPEED */
    uint64_t cycle_ps;                   /* the slowest speed; the host sets it before the first event */
    bool is_dark, is_recording;
    enum view_mode mode;
    int pointer_x, pointer_y;
    bool is_dragging, has_pointer;
    struct view_drag drag;
    struct hit hover, pinned;            /* copies of the element under the pointer, and of the clicked one */
    bool has_hover, has_pinned;
    char chosen[HIT_TITLE];              /* core or SM that was clicked or searched for; empty: none */
    char search[VIEW_SEARCH];
    uint32_t found;                      /* component; TELEMETRY_NONE */
    uint32_t found_place, found_count;   /* of the matches, which, and how many */
    struct view_parameter *parameters;
    size_t parameter_count, parameter;   /* the chosen one */
    char filter[VIEW_SEARCH];            /* of the parameters that are listed: part of their keys */
    bool filter_is_kept;                 /* it is from the last time: the next letter begins a new one */
    char typed[VIEW_VALUE];
    unsigned request_run;                /* whose requests are listed, ... */
    uint32_t request;                    /* ... and the chosen one of them */
    bool can_follow;                     /* the host carries out VIEW_ASK_FOLLOW; */
    bool is_following;                   /* requests come, or will */
    char difference[VIEW_DIFFERENCE];    /* of two runs' systems, by the host: "l2.size 256KiB vs 1MiB" */
    bool is_all_selected;                /* of the typed text: search, filter or value */
    char problem[VIEW_PROBLEM];          /* with the value that is edited, shown in the panel; "": none */
    char note[VIEW_NOTE];                /* a line for the user: "written view-0001.png" */
    struct view_scroll scrolls[VIEW_SCROLLS];
    struct view_drawn drawn;
    struct view_memory kept[PANEL_KINDS];
    struct view_ask asked[16];
    unsigned asked_first, asked_count;
    struct hit_map hits;                 /* last: it is large */
};

/* A list of `lines` in `area`, where `shown` of them have room: the first line to show. */
int view_scroll_set(struct view *view, unsigned which, struct area area, int lines, int shown);
/* Scrolls the list under a point by `lines`. Returns false if there is no list, or it is shown completely. */
bool view_scroll_by(struct view *view, int x, int y, int lines);

/* Chooses a core or SM; any other component, or TELEMETRY_NONE, clears the choice. */
void view_choose(struct view *view, unsigned run, uint32_t component);
/* Name of the core or SM whose charts are shown alone: the match during a search, otherwise the last one chosen; NULL:
 * all. Valid as long as the view and the layout. */
const char *view_chosen(const struct view *view);

/* The samples that diagram and banks show: that of the moment, and the one before it. Returns false if there is no
 * sample yet. After the end of a run, while no moment is chosen, they describe the whole run: counters are sums,
 * levels means over time as whole numbers, states those at the end. */
bool view_samples(const struct view *view, unsigned run, const uint64_t **before, const uint64_t **words);

/* The traced requests that were answered around the moment: between the two samples around it, or in its column of the
 * charts if that is wider; only those of the chosen core, if there is one; the slowest first. Returns their number;
 * *from_ps and *to_ps: the time they are from. */
size_t view_requests(const struct view *view, unsigned run, const struct telemetry_request *found[VIEW_REQUESTS],
                     uint64_t *from_ps, uint64_t *to_ps);

/* Whether samples tell of the whole run now, which is from *begin_ps to its end: since its statistics began, after the
 * warm-up. begin_ps may be NULL. */
bool view_shows_whole(const struct view *view, unsigned run, uint64_t *begin_ps);
/* For a finished run, or one that is still running. */
void view_make_whole(struct view_run *run);

/* The state of a panel, kept from one frame to the next: zeroed when it is made; freed with the view, and before that
 * given to `end` (NULL: nothing lies in it). NULL: there is no memory. */
void *view_memory(struct view *view, enum panel_kind kind, size_t bytes, void (*end)(void *memory));

#endif
