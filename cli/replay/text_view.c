/* The thread sleeps between two looks at the ring, so it costs the run nothing; samples that it misses need no
 * drawing. */
#include "cli/replay/text_view.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 4 };
#define REFRESH_NS 150000000

static void *text_view_draw(void *context)
{
    struct text_view *const view = context;
    struct telemetry_ring ring;
    bool has_ended;

    if (telemetry_ring_open(&ring, view->memory, view->memory_bytes).kind != FAULT_NONE)
        return NULL;
    do {
        has_ended = telemetry_ring_has_ended(&ring);
        if (telemetry_ring_newest(&ring, view->panel.words))
            text_panel_draw(&view->panel, view->to);
        if (!has_ended)
            nanosleep(&(struct timespec){.tv_nsec = REFRESH_NS}, NULL);
    } while (!has_ended);
    return NULL;
}

static struct fault start_thread(struct text_view *view, const struct telemetry *layout)
{
    view->memory_bytes = telemetry_ring_bytes(layout->word_count, SLOTS, 0);
    view->memory = aligned_alloc(64, view->memory_bytes);
    if (!view->memory)
        return fault_make(FAULT_MEMORY, "out of memory for a view");
    memset(view->memory, 0, view->memory_bytes);
    telemetry_ring_create(&view->ring, view->memory, layout->word_count, SLOTS, "", 0);
    view->is_started = pthread_create(&view->thread, NULL, text_view_draw, view) == 0;
    return view->is_started ? fault_none()
                            : fault_make(FAULT_MEMORY, "no thread could be started for the view; leave out --view");
}

struct fault text_view_start(struct text_view *view, const struct telemetry *layout, FILE *to)
{
    *view = (struct text_view){.to = to, .is_terminal = isatty(fileno(to)) == 1};
    FORWARD(text_panel_init(&view->panel, layout));
    return view->is_terminal ? start_thread(view, layout) : fault_none();
}

void text_view_show(struct text_view *view, const uint64_t *words)
{
    if (view->is_terminal) {
        telemetry_ring_put(&view->ring, words);
        return;
    }
    memcpy(view->panel.words, words, view->panel.layout->word_count * sizeof *words);
    text_panel_line(&view->panel, view->to);
}

void text_view_end(struct text_view *view)
{
    if (view->is_started) {
        telemetry_ring_end(&view->ring);
        pthread_join(view->thread, NULL);
    }
    if (view->to)
        text_panel_whole(&view->panel, view->to, view->is_terminal);
    free(view->memory);
    text_panel_free(&view->panel);
    *view = (struct text_view){0};
}
