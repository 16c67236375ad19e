/* viz/draw/canvas.h, viz/draw/raster.h: areas, shapes to the pixel, text that is cut, equal pictures, windows of no
 * display. */
#include <math.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "viz/draw/canvas.h"
#include "viz/draw/raster.h"
#include "viz/draw/sdl.h"

static const struct colour white = {255, 255, 255, 255}, half_white = {255, 255, 255, 128};

/* ---- areas */

static void is_area(struct area area, int x, int y, int width, int height)
{
    assert_int_equal(area.x, x);
    assert_int_equal(area.y, y);
    assert_int_equal(area.width, width);
    assert_int_equal(area.height, height);
}

/* "Takes a strip of that size off the side, and makes *rest smaller" */
static void strips_are_taken_off(void **state)
{
    struct area rest = {10, 20, 100, 50};

    is_area(area_take_top(&rest, 10), 10, 20, 100, 10);
    is_area(area_take_bottom(&rest, 5), 10, 65, 100, 5);
    is_area(area_take_left(&rest, 30), 10, 30, 30, 35);
    is_area(area_take_right(&rest, 20), 90, 30, 20, 35);
    is_area(rest, 40, 30, 50, 35);
    is_area(area_take_top(&rest, 1000), 40, 30, 50, 35);
    is_area(area_take_left(&rest, -3), 40, 65, 0, 0);
    is_area(rest, 40, 65, 50, 0);
    is_area(area_inset((struct area){0, 0, 10, 10}, 2), 2, 2, 6, 6);
    is_area(area_inset((struct area){0, 0, 10, 3}, 2), 2, 2, 6, 0);
    assert_true(area_holds((struct area){5, 5, 2, 2}, 6, 6));
    assert_false(area_holds((struct area){5, 5, 2, 2}, 7, 6));
    assert_false(area_holds((struct area){5, 5, 2, 2}, 6, 4));
}

/* ---- shapes */

static void open_raster(struct raster *raster)
{
    memset(raster, 0, sizeof *raster);
    assert_int_equal(raster_resize(raster, 20, 12).kind, FAULT_NONE);
}

static unsigned red_at(const struct raster *raster, int x, int y)
{
    return raster->pixels[y * raster->width + x] >> 16 & 255;
}

/* The total painted area, in whole pixels. */
static double painted(const struct raster *raster)
{
    double sum = 0;

    for (int y = 0; y < raster->height; y++)
        for (int x = 0; x < raster->width; x++)
            sum += red_at(raster, x, y) / 255.0;
    return sum;
}

static void is_painted(const struct raster *raster, double expected, double tolerance)
{
    double const found = painted(raster);

    if (fabs(found - expected) > tolerance)
        fail_msg("%.3f pixels are painted instead of %.3f", found, expected);
    for (int i = 0; i < raster->width * raster->height; i++)
        assert_int_equal(raster->cover[i], 0);
}

static void fills_are_exact_and_clipped(void **state)
{
    struct raster raster;

    open_raster(&raster);
    raster_fill(&raster, (struct raster_box){2, 3, 5, 7}, white);
    is_painted(&raster, 12, 0);
    assert_int_equal(red_at(&raster, 2, 3), 255);
    assert_int_equal(red_at(&raster, 5, 3), 0);
    raster_clip(&raster, (struct raster_box){-5, -5, 3, 1000});
    raster_fill(&raster, (struct raster_box){-100, -100, 100, 1}, white);
    is_painted(&raster, 15, 0);
    raster_fill(&raster, (struct raster_box){0, 8, 1, 9}, half_white);
    assert_in_range(red_at(&raster, 0, 8), 127, 129);
    raster_free(&raster);
}

/* "A point's middle is at .5: such lines are sharp"; others cover as much. */
static void lines_cover_their_width(void **state)
{
    static const struct raster_point ends[][2] = {
        {{3, 5.5F}, {15, 5.5F}}, {{3, 5}, {15, 5}}, {{4.5F, 2}, {4.5F, 10}}, {{2, 2}, {16, 9}}, {{16, 9}, {2, 2}}
    };
    struct raster raster;

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        float const length = hypotf(ends[i][1].x - ends[i][0].x, ends[i][1].y - ends[i][0].y);

        for (float width = 0.5F; width < 4; width += 0.5F) {
            float const ends_area = width < 1 ? width : (float)M_PI / 4 * width * width;

            open_raster(&raster);
            raster_course(&raster, ends[i], 2, width, white);
            is_painted(&raster, length * width + ends_area, 0.09 * (length * width + ends_area));
            raster_free(&raster);
        }
    }
    open_raster(&raster);
    raster_course(&raster, ends[0], 2, 1, white);
    assert_int_equal(red_at(&raster, 8, 5), 255);
    assert_int_equal(red_at(&raster, 8, 4), 0);
    assert_int_equal(red_at(&raster, 8, 6), 0);
    raster_free(&raster);
}

/* "where a course meets itself it is not blended twice"; a gap where a point is no number, however far others are. */
static void courses_are_blended_once(void **state)
{
    static const struct raster_point there_and_back[] = {{3, 5.5F}, {15, 5.5F}, {3, 5.5F}, {15, 5.5F}};
    static const struct raster_point far[] = {{-1e9F, -1e9F}, {1e30F, 5}, {NAN, 4}, {3, INFINITY}, {-1e20F, 1e20F}};
    struct raster raster;

    open_raster(&raster);
    raster_course(&raster, there_and_back, 4, 1, half_white);
    assert_in_range(red_at(&raster, 8, 5), 127, 129);
    raster_free(&raster);
    open_raster(&raster);
    raster_course(&raster, far + 2, 3, 2, white);
    is_painted(&raster, 0, 0);
    raster_course(&raster, far, 5, 2, white);
    raster_free(&raster);
}

static void round_boxes_have_their_area(void **state)
{
    struct raster_box const box = {2, 1, 18, 11};
    struct raster raster;

    for (float radius = 0; radius < 8; radius += 1) {
        float const real = fminf(radius, 5), corners = (4 - (float)M_PI) * real * real;

        open_raster(&raster);
        raster_round(&raster, box, radius, 0, white);
        is_painted(&raster, 160 - corners, 0.6);
        raster_free(&raster);
        open_raster(&raster);
        raster_round(&raster, box, radius, 1, white);
        is_painted(&raster, 2 * (16 + 10) - 4 - (real > 0 ? (8 - 2 * (float)M_PI) * (real - 0.5F) : 0), 2.0);
        assert_int_equal(red_at(&raster, 10, 6), 0);
        raster_free(&raster);
    }
}

static void cells_are_stretched_without_smoothing(void **state)
{
    struct colour const cells[6] = {{10, 0, 0, 255}, {20, 0, 0, 255}, {30, 0, 0, 255},
                                    {40, 0, 0, 255}, {50, 0, 0, 255}, {60, 0, 0, 255}};
    struct raster raster;

    open_raster(&raster);
    raster_cells(&raster, (struct raster_box){-3, -4, 18, 12}, cells, 3, 2);
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 18; x++)
            assert_int_equal(red_at(&raster, x, y), 10 + 10 * ((x + 3) / 7) + (y >= 4 ? 30 : 0));
    assert_int_equal(red_at(&raster, 18, 5), 0);
    raster_free(&raster);
}

/* ---- canvas */

#ifdef RUBATO_SDL

static struct canvas *open_image(int width, int height, double scale)
{
    struct canvas *canvas;
    struct fault const fault = canvas_open_image(&canvas, width, height, scale);

    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault_text(fault));
    return canvas;
}

static void draw_something(struct canvas *canvas)
{
    const struct theme *const theme = palette_theme(true);
    struct point points[3000];

    for (int i = 0; i < 3000; i++)
        points[i] = (struct point){0.1F * (float)i, 50 + 30 * sinf(0.05F * (float)i)};
    canvas_begin(canvas, theme->background);
    canvas_fill_round(canvas, (struct area){5, 5, 100, 60}, 6, theme->panel);
    canvas_course(canvas, points, 3000, 1.5F, theme->series[0]);
    canvas_text(canvas, (struct area){5, 5, 200, 20}, TEXT_LEFT, TEXT_NORMAL, theme->text,
                "read queue 12 of 20, 3.1 µs");
    canvas_end(canvas);
}

static unsigned char *read_file(const char *path, size_t *bytes)
{
    FILE *const file = fopen(path, "rb");
    unsigned char *const content = malloc(1 << 20);

    assert_non_null(file);
    assert_non_null(content);
    *bytes = fread(content, 1, 1 << 20, file);
    fclose(file);
    return content;
}

/* "Same calls, same pixels": of two canvases, and of one that drew before. */
static void the_same_calls_give_the_same_file(void **state)
{
    char folder[] = "/tmp/rubato-canvas-XXXXXX", path[3][64];
    unsigned char *content[3];
    size_t bytes[3];

    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/%d.png", folder, i);
    for (int i = 0; i < 2; i++) {
        struct canvas *const canvas = open_image(300, 120, 1.5);

        for (int frame = 0; frame <= i; frame++)
            draw_something(canvas);
        assert_int_equal(canvas_write_png(canvas, path[i]).kind, FAULT_NONE);
        if (i == 1) {
            canvas_begin(canvas, white);
            canvas_end(canvas);
            assert_int_equal(canvas_write_png(canvas, path[2]).kind, FAULT_NONE);
        }
        canvas_close(canvas);
    }
    for (int i = 0; i < 3; i++)
        content[i] = read_file(path[i], &bytes[i]);
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(content[0], content[1], bytes[0]);
    assert_true(bytes[2] < bytes[0]);
    for (int i = 0; i < 3; i++) {
        free(content[i]);
        unlink(path[i]);
    }
    rmdir(folder);
}

static void a_picture_that_cannot_be_written_is_a_fault(void **state)
{
    struct canvas *const canvas = open_image(10, 10, 1);
    struct fault const fault = canvas_write_png(canvas, "/no/such/folder/picture.png");

    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(fault), "/no/such/folder/picture.png"));
    canvas_close(canvas);
}

/* Whole under its name, or not there: a file under that name is not written over, and its other names keep the old
 * content. */
static void a_picture_replaces_a_file_and_does_not_write_over_it(void **state)
{
    struct canvas *const canvas = open_image(10, 10, 1);
    char folder[] = "/tmp/rubato-canvas-XXXXXX", path[64], other[64];
    unsigned char *content;
    size_t bytes;
    FILE *old;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/picture.png", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    old = fopen(path, "w");
    assert_true(old && fputs("old", old) >= 0 && fclose(old) == 0);
    assert_int_equal(link(path, other), 0);
    assert_int_equal(canvas_write_png(canvas, path).kind, FAULT_NONE);
    content = read_file(other, &bytes);
    assert_int_equal(bytes, 3);
    free(content);
    content = read_file(path, &bytes);
    assert_memory_equal(content + 1, "PNG", 3);
    free(content);
    unlink(path);
    unlink(other);
    assert_int_equal(rmdir(folder), 0);      /* and nothing lies beside it */
    canvas_close(canvas);
}

/* "Text is cut with an ellipsis where it does not fit"; what fits is not cut. */
static void text_is_cut_where_it_does_not_fit(void **state)
{
    static const double scales[] = {1, 1.5, 2};
    struct colour const colour = {255, 255, 255, 255};
    const char *const text = "system.cpu0.dcache, broken \xff\xc3 bytes";

    for (size_t scale = 0; scale < 3; scale++) {
        struct canvas *const canvas = open_image(400, 60, scales[scale]);

        for (int style = 0; style < TEXT_STYLES; style++) {
            int const width = canvas_text_width(canvas, (enum text_style)style, text);

            assert_in_range(width, 100, 390);
            assert_in_range(canvas_text_height(canvas, (enum text_style)style), 11, 24);
            assert_false(canvas_text(canvas, (struct area){0, 0, width, 20}, TEXT_LEFT, (enum text_style)style, colour,
                                     text));
            for (int room = 0; room < width - 1; room++)
                assert_true(canvas_text(canvas, (struct area){0, 0, room, 20}, TEXT_CENTRE, (enum text_style)style,
                                        colour, text));
        }
        assert_int_equal(canvas_text_width(canvas, TEXT_NORMAL, "111.1"),
                         canvas_text_width(canvas, TEXT_NORMAL, "888.8"));
        assert_int_equal(canvas_text_width(canvas, TEXT_NORMAL, ""), 0);
        canvas_close(canvas);
    }
}

/* Whatever the room, nothing is painted outside of it to the left or right. */
static void cut_text_stays_inside(void **state)
{
    char path[] = "/tmp/rubato-canvas-XXXXXX";
    struct canvas *const canvas = open_image(200, 30, 1), *const empty = open_image(200, 30, 1);
    struct colour const black = {0, 0, 0, 255};
    unsigned char *content, *blank;
    size_t bytes, blank_bytes;
    int const handle = mkstemp(path);

    assert_true(handle >= 0);
    close(handle);
    canvas_begin(empty, black);
    canvas_write_png(empty, path);
    blank = read_file(path, &blank_bytes);
    for (int room = 0; room < 150; room += 7) {
        canvas_begin(canvas, black);
        canvas_text(canvas, (struct area){20, 0, room, 30}, TEXT_RIGHT, TEXT_STRONG, white,
                    "a long name of a component");
        canvas_fill(canvas, (struct area){20, 0, room, 30}, black);
        canvas_write_png(canvas, path);
        content = read_file(path, &bytes);
        assert_int_equal(bytes, blank_bytes);
        assert_memory_equal(content, blank, bytes);
        free(content);
    }
    free(blank);
    unlink(path);
    canvas_close(canvas);
    canvas_close(empty);
}

static unsigned char *picture(struct canvas *canvas, size_t *bytes)
{
    char path[] = "/tmp/rubato-canvas-XXXXXX";
    int const handle = mkstemp(path);
    unsigned char *content;

    assert_true(handle >= 0);
    close(handle);
    assert_int_equal(canvas_write_png(canvas, path).kind, FAULT_NONE);
    content = read_file(path, bytes);
    unlink(path);
    return content;
}

static void look_alike(struct canvas *one, struct canvas *other)
{
    size_t bytes[2];
    unsigned char *const content[2] = {picture(one, &bytes[0]), picture(other, &bytes[1])};

    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(content[0], content[1], bytes[0]);
    free(content[0]);
    free(content[1]);
}

/* earlier drawing is kept if the size and the background are the same; a frame that begins anew is empty. */
static void resumed_frames_keep_earlier_drawing(void **state)
{
    struct area const spot = {3, 4, 9, 8};
    struct colour const black = {0, 0, 0, 255};
    struct canvas *const canvas = open_image(40, 30, 1), *const empty = open_image(40, 30, 1);
    struct canvas *const spotted = open_image(40, 30, 1);

    canvas_begin(empty, black);
    canvas_begin(spotted, black);
    canvas_fill(spotted, spot, white);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(canvas_resume(canvas, black), i);
            look_alike(canvas, i == 0 ? empty : spotted);
            canvas_fill(canvas, spot, white);
            canvas_end(canvas);
        }
        if (round == 0)
            canvas_forget(canvas);
        else
            assert_int_equal(canvas_resume(canvas, white), 0);
    }
    canvas_begin(canvas, black);
    look_alike(canvas, empty);
    assert_int_equal(canvas_resume(canvas, black), 1);
    canvas_close(canvas);
    canvas_close(empty);
    canvas_close(spotted);
}

/* The picture of a window is that of an image of its size. */
static void is_as_an_image(struct canvas *window)
{
    struct canvas *const image = open_image(canvas_width(window), canvas_height(window), 1);

    draw_something(image);
    look_alike(window, image);
    canvas_close(image);
}

/* A window without a display, by SDL's dummy driver: opened twice, in its own memory and on a renderer, resized, drawn,
 * closed; nothing is left behind. */
static void windows_open_resize_and_close(void **state)
{
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    for (int round = 0; round < 2; round++) {
        struct canvas *canvas;
        struct fault fault;

        if (round == 1)
            setenv("SDL_RENDER_DRIVER", "software", 1);
        fault = canvas_open_window(&canvas, "test", 320, 200, 0);
        if (fault.kind != FAULT_NONE)
            fail_msg("%s", fault_text(fault));
        for (int i = 0; i < 4; i++) {
            canvas_sdl(canvas)->SDL_SetWindowSize(canvas_window(canvas), 320 + 40 * i, 200 - 60 * i);
            draw_something(canvas);
            assert_int_equal(canvas_width(canvas), 320 + 40 * i);
            assert_int_equal(canvas_height(canvas), 200 - 60 * i);
            is_as_an_image(canvas);
        }
        canvas_close(canvas);
    }
    unsetenv("SDL_RENDER_DRIVER");
    unsetenv("SDL_VIDEODRIVER");
}

/* errors: FAULT_INPUT, naming the missing part */
static void a_missing_display_is_a_fault(void **state)
{
    struct canvas *canvas;
    struct fault fault;

    setenv("SDL_VIDEODRIVER", "no-such-driver", 1);
    fault = canvas_open_window(&canvas, "test", 320, 200, 0);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_null(canvas);
    assert_non_null(strstr(fault_text(fault), "no display"));
    assert_non_null(strstr(fault_text(fault), "--view=text"));
    unsetenv("SDL_VIDEODRIVER");
}

/* SDL is not called without any display, and does not open an invisible window. */
static void without_any_display_no_window_is_opened(void **state)
{
    static const char *const displays[] = {NULL, "", ":9977"};
    const char *const display = getenv("DISPLAY"), *const wayland = getenv("WAYLAND_DISPLAY");
    char kept[2][256];

    snprintf(kept[0], sizeof kept[0], "%s", display ? display : "");
    snprintf(kept[1], sizeof kept[1], "%s", wayland ? wayland : "");
    unsetenv("WAYLAND_DISPLAY");
    unsetenv("SDL_VIDEODRIVER");
    for (size_t i = 0; i < 3; i++) {
        struct canvas *canvas;
        struct fault fault;

        if (displays[i])
            setenv("DISPLAY", displays[i], 1);
        else
            unsetenv("DISPLAY");
        fault = canvas_open_window(&canvas, "test", 320, 200, 0);
        if (fault.kind != FAULT_INPUT || canvas || !strstr(fault_text(fault), "no display"))
            fail_msg("DISPLAY %s: kind %d, %s", displays[i] ? displays[i] : "unset", fault.kind, fault_text(fault));
    }
    setenv("DISPLAY", kept[0], 1);
    setenv("WAYLAND_DISPLAY", kept[1], 1);
}

#else

static void without_sdl_the_word_is_plain(void **state)
{
    struct canvas *canvas;
    struct fault const fault = canvas_open_image(&canvas, 10, 10, 1);

    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_null(canvas);
    assert_non_null(strstr(fault_text(fault), "built without SDL2"));
    assert_int_equal(canvas_open_window(&canvas, "test", 10, 10, 0).kind, FAULT_INPUT);
}

#endif

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips_are_taken_off),
        cmocka_unit_test(fills_are_exact_and_clipped),
        cmocka_unit_test(lines_cover_their_width),
        cmocka_unit_test(courses_are_blended_once),
        cmocka_unit_test(round_boxes_have_their_area),
        cmocka_unit_test(cells_are_stretched_without_smoothing),
#ifdef RUBATO_SDL
        cmocka_unit_test(the_same_calls_give_the_same_file),
        cmocka_unit_test(a_picture_that_cannot_be_written_is_a_fault),
        cmocka_unit_test(a_picture_replaces_a_file_and_does_not_write_over_it),
        cmocka_unit_test(text_is_cut_where_it_does_not_fit),
        cmocka_unit_test(cut_text_stays_inside),
        cmocka_unit_test(resumed_frames_keep_earlier_drawing),
        cmocka_unit_test(windows_open_resize_and_close),
        cmocka_unit_test(a_missing_display_is_a_fault),
        cmocka_unit_test(without_any_display_no_window_is_opened)
#else
        cmocka_unit_test(without_sdl_the_word_is_plain)
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
