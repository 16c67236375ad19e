/* Fuzz target: any text as the layout of a recording, and after the first zero byte a byte for each word of its
 * samples. None may crash; accepted input is drawn in full. Large layouts are left out, as they only take time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "replay/record/telemetry_text.h"
#include "viz/state/state.h"
#include "viz/state/state_figures.h"
#include "viz/view/view.h"

enum { MOST_WORDS = 4096, MOST_COMPONENTS = 64, MOST_LINKS = 128, MOST_SAMPLES = 8, WIDTH = 640, HEIGHT = 480,
       HISTORY_BYTES = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small numbers, and all powers of two. */
static uint64_t word_of(uint8_t byte)
{
    return byte & 0x80 ? UINT64_C(1) << (byte & 63) : byte;
}

static void put_samples(struct history *history, const uint8_t *data, size_t size)
{
    uint32_t const words = history->layout->word_count;
    uint64_t *const sample = calloc(words, sizeof *sample);
    size_t next = 0;

    for (unsigned i = 0; sample && i < MOST_SAMPLES && next < size; i++) {
        for (uint32_t j = 0; j < words && next < size; j++)
            sample[j] += word_of(data[next++]);
        history_put(history, sample);
    }
    free(sample);
}

static void work_out_figures(const struct history *history)
{
    struct component_figures *const figures = calloc(history->layout->component_count, sizeof *figures);

    for (size_t i = 0; figures && i < history->count; i++)
        figures_of_all(history->layout, i ? history_at(history, i - 1) : NULL, history_at(history, i), figures);
    free(figures);
}

/* The canvas stays for the next input. Without a canvas, nothing is drawn. */
static void draw(struct view *view)
{
    static struct canvas *canvas;

    if (!canvas && canvas_open_image(&canvas, WIDTH, HEIGHT, 1).kind != FAULT_NONE)
        return;
    view_event(view, &(struct view_input){.kind = VIEW_RESIZE, .x = WIDTH, .y = HEIGHT});
    view_event(view, &(struct view_input){.kind = VIEW_MOTION, .x = WIDTH / 4, .y = HEIGHT / 4});
    view_update(view);
    canvas_begin(canvas, (struct colour){0, 0, 0, 255});
    view_draw(view, canvas);
    canvas_end(canvas);
}

static void show(const struct telemetry *layout, const uint8_t *data, size_t size)
{
    struct view view;

    view_init(&view);
    if (history_init(&view.runs[0].history, layout, HISTORY_BYTES).kind == FAULT_NONE) {
        view.runs[0].layout = layout;
        view.run_count = 1;
        put_samples(&view.runs[0].history, data, size);
        work_out_figures(&view.runs[0].history);
        draw(&view);
    }
    view_free(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *const zero = size ? memchr(data, 0, size) : NULL;
    size_t const length = zero ? (size_t)(zero - data) : size;
    struct telemetry_text text;

    if (telemetry_text_read(&text, (const char *)data, length).kind != FAULT_NONE)
        return 0;
    if (text.layout.word_count <= MOST_WORDS && text.layout.component_count <= MOST_COMPONENTS
        && text.layout.link_count <= MOST_LINKS && layout_check(&text.layout).kind == FAULT_NONE)
        show(&text.layout, zero ? zero + 1 : data, zero ? size - length - 1 : 0);
    telemetry_text_free(&text);
    return 0;
}
