/* The picture is made in memory (viz/draw/raster.h): whole pixels and smooth edges come out the same with any driver.
 * Where the window's pixels are memory of this process in that format, as on X, it is made there, and shown by one
 * call; elsewhere, or where SDL_RENDER_DRIVER asks for a renderer, the window gets it as one texture a frame. An image
 * needs no driver at all. Text is letters put side by side (viz/draw/raster.h).
 *
 * Beside a run every page that is touched costs: a window's first frame, empty, touches its memory, and the usual
 * letters are made with it, before there is a run.
 *
 * HiDPI: where the system counts windows in points, pixels of a point are the renderer's size by the window's; where it
 * counts in pixels, the display's dots an inch decide, in halves. */
#include "viz/draw/canvas.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef RUBATO_SDL
#include <png.h>
#include <setjmp.h>
#endif

#include "base/arith.h"
#include "base/output_file.h"
#include "viz/draw/raster.h"
#include "viz/draw/sdl.h"

#ifdef RUBATO_SDL
extern const unsigned char viz_font_regular[], viz_font_regular_end[], viz_font_medium[], viz_font_medium_end[];
#endif

enum { COURSE_PIECE = 1024, NORMAL_DPI = 96 };

#define SIZE_ROUNDED 0.05                /* displays tell their size in whole millimetres: 191.9 dots an inch are 192 */

struct canvas {
    struct raster raster;
    int width, height;                   /* points */
    double scale;
    double wanted_scale;                 /* of a window: in place of the display's; 0: none */
    double window_scale;                 /* points of the window's coordinates */
    uint64_t frames;                     /* since all was background */
    struct colour background;
    struct raster_point points[COURSE_PIECE];
#ifdef RUBATO_SDL
    struct sdl sdl;
    bool is_window, has_ttf, has_video;
    bool is_direct;                      /* the raster's pixels are the window's; no renderer, no texture */
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    struct glyphs glyphs[TEXT_STYLES];
#endif
};

/* ---- areas */

bool area_holds(struct area area, int x, int y)
{
    return x >= area.x && y >= area.y && x - area.x < area.width && y - area.y < area.height;
}

struct area area_inset(struct area area, int by)
{
    return (struct area){area.x + by, area.y + by, max_int(area.width - 2 * by, 0), max_int(area.height - 2 * by, 0)};
}

/* As much of it as there is room for. */
static int fitting(int value, int room)
{
    return max_int(min_int(value, room), 0);
}

struct area area_take_top(struct area *rest, int height)
{
    struct area const taken = {rest->x, rest->y, rest->width, fitting(height, rest->height)};

    rest->y += taken.height;
    rest->height -= taken.height;
    return taken;
}

struct area area_take_bottom(struct area *rest, int height)
{
    int const taken = fitting(height, rest->height);

    rest->height -= taken;
    return (struct area){rest->x, rest->y + rest->height, rest->width, taken};
}

struct area area_take_left(struct area *rest, int width)
{
    struct area const taken = {rest->x, rest->y, fitting(width, rest->width), rest->height};

    rest->x += taken.width;
    rest->width -= taken.width;
    return taken;
}

struct area area_take_right(struct area *rest, int width)
{
    int const taken = fitting(width, rest->width);

    rest->width -= taken;
    return (struct area){rest->x + rest->width, rest->y, taken, rest->height};
}

/* ---- figures, in points */

static int pixel_at(const struct canvas *canvas, int points)
{
    return (int)lround(points * canvas->scale);
}

static struct raster_box box_of(const struct canvas *canvas, struct area area)
{
    return (struct raster_box){pixel_at(canvas, area.x), pixel_at(canvas, area.y),
                               pixel_at(canvas, area.x + area.width), pixel_at(canvas, area.y + area.height)};
}

static struct raster_point pixel_point(const struct canvas *canvas, struct point point)
{
    return (struct raster_point){point.x * (float)canvas->scale, point.y * (float)canvas->scale};
}

int canvas_width(const struct canvas *canvas)
{
    return canvas->width;
}

int canvas_height(const struct canvas *canvas)
{
    return canvas->height;
}

double canvas_scale(const struct canvas *canvas)
{
    return canvas->scale;
}

struct point canvas_place(const struct canvas *canvas, int window_x, int window_y)
{
    return (struct point){(float)(window_x / canvas->window_scale), (float)(window_y / canvas->window_scale)};
}

void canvas_fill(struct canvas *canvas, struct area area, struct colour colour)
{
    raster_fill(&canvas->raster, box_of(canvas, area), colour);
}

static float line_width(const struct canvas *canvas)
{
    return fmaxf(1, floorf((float)canvas->scale));
}

void canvas_frame(struct canvas *canvas, struct area area, struct colour colour)
{
    raster_round(&canvas->raster, box_of(canvas, area), 0, line_width(canvas), colour);
}

void canvas_fill_round(struct canvas *canvas, struct area area, float radius, struct colour colour)
{
    raster_round(&canvas->raster, box_of(canvas, area), radius * (float)canvas->scale, 0, colour);
}

void canvas_frame_round(struct canvas *canvas, struct area area, float radius, struct colour colour)
{
    raster_round(&canvas->raster, box_of(canvas, area), radius * (float)canvas->scale, line_width(canvas), colour);
}

void canvas_line(struct canvas *canvas, struct point from, struct point to, float width, struct colour colour)
{
    struct raster_point const points[2] = {pixel_point(canvas, from), pixel_point(canvas, to)};

    raster_course(&canvas->raster, points, 2, width * (float)canvas->scale, colour);
}

/* Pieces of a longer course share a point. */
void canvas_course(struct canvas *canvas, const struct point *points, size_t count, float width, struct colour colour)
{
    for (size_t first = 0; first + 1 < count; first += COURSE_PIECE - 1) {
        size_t const piece = count - first < COURSE_PIECE ? count - first : COURSE_PIECE;

        for (size_t i = 0; i < piece; i++)
            canvas->points[i] = pixel_point(canvas, points[first + i]);
        raster_course(&canvas->raster, canvas->points, piece, width * (float)canvas->scale, colour);
    }
}

void canvas_cells(struct canvas *canvas, struct area area, const struct colour *cells, int width, int height)
{
    if (width > 0 && height > 0)
        raster_cells(&canvas->raster, box_of(canvas, area), cells, width, height);
}

void canvas_clip(struct canvas *canvas, struct area area)
{
    raster_clip(&canvas->raster, box_of(canvas, area));
}

void canvas_clip_all(struct canvas *canvas)
{
    raster_clip(&canvas->raster, (struct raster_box){0, 0, canvas->raster.width, canvas->raster.height});
}

#ifdef RUBATO_SDL

/* ---- text */

int canvas_text_height(const struct canvas *canvas, enum text_style style)
{
    return (int)ceil(canvas->glyphs[style].height / canvas->scale);
}

static int text_pixels(struct glyphs *glyphs, const char *text)
{
    int width = 0;

    for (uint32_t character; (character = glyphs_next(&text)) != 0;)
        width += glyphs_of(glyphs, character)->advance;
    return width;
}

int canvas_text_width(struct canvas *canvas, enum text_style style, const char *text)
{
    return (int)ceil(text_pixels(&canvas->glyphs[style], text) / canvas->scale);
}

static int draw_glyph(struct canvas *canvas, const struct glyph *glyph, int x, int y, struct colour colour)
{
    if (glyph->cover)
        raster_stamp(&canvas->raster, x + glyph->left, y + glyph->top, glyph->cover, glyph->width, glyph->height,
                     glyph->width, colour);
    return x + glyph->advance;
}

bool canvas_text(struct canvas *canvas, struct area area, enum text_side side, enum text_style style,
                 struct colour colour, const char *text)
{
    struct glyphs *const glyphs = &canvas->glyphs[style];
    struct raster_box const box = box_of(canvas, area);
    int const room = box.right - box.left, whole = text_pixels(glyphs, text);
    int const ellipsis = glyphs_of(glyphs, GLYPH_ELLIPSIS)->advance;
    bool const is_cut = whole > room;
    int const y = (box.top + box.bottom) / 2 - glyphs->middle;
    int x = box.left;

    if (is_cut && ellipsis > room)
        return true;
    if (!is_cut)
        x += side == TEXT_LEFT ? 0 : side == TEXT_RIGHT ? room - whole : (room - whole) / 2;
    for (uint32_t character; (character = glyphs_next(&text)) != 0;) {
        const struct glyph *const glyph = glyphs_of(glyphs, character);

        if (is_cut && x + glyph->advance + ellipsis > box.right)
            break;
        x = draw_glyph(canvas, glyph, x, y, colour);
    }
    if (is_cut)
        draw_glyph(canvas, glyphs_of(glyphs, GLYPH_ELLIPSIS), x, y, colour);
    return is_cut;
}

static void close_fonts(struct canvas *canvas)
{
    for (int style = 0; style < TEXT_STYLES; style++)
        glyphs_close(&canvas->glyphs[style]);
}

static struct fault open_fonts(struct canvas *canvas)
{
    static const struct {
        double size;                     /* points */
        bool is_medium;
    } styles[TEXT_STYLES] = {
        [TEXT_SMALL] = {11, false}, [TEXT_NORMAL] = {13, false}, [TEXT_STRONG] = {13, true}, [TEXT_TITLE] = {17, true}
    };

    close_fonts(canvas);
    for (int style = 0; style < TEXT_STYLES; style++) {
        const unsigned char *const font = styles[style].is_medium ? viz_font_medium : viz_font_regular;
        const unsigned char *const end = styles[style].is_medium ? viz_font_medium_end : viz_font_regular_end;

        FORWARD(glyphs_open(&canvas->glyphs[style], &canvas->sdl, font, (size_t)(end - font),
                              (int)lround(styles[style].size * canvas->scale)));
    }
    return fault_none();
}

/* ---- opening and closing */

static struct fault no_sdl_word(const struct canvas *canvas, const char *what)
{
    return fault_make(FAULT_INPUT, "the view cannot open a window: %s: %s; use --view=text without one, or view "
                                   "--frames for images", what, canvas->sdl.SDL_GetError());
}

/* The libraries that windows and images share. */
static struct fault open_common(struct canvas *canvas)
{
    FORWARD(sdl_load(&canvas->sdl));
    if (canvas->sdl.TTF_Init() != 0)
        return no_sdl_word(canvas, "SDL2_ttf");
    canvas->has_ttf = true;
    return fault_none();
}

static bool is_set(const char *name)
{
    const char *const value = getenv(name);

    return value && *value;
}

/* Returns false if there is certainly no display: SDL would then open an invisible window in memory, and libraries
 * that it probes would print messages. */
static bool find_display(const struct sdl *sdl)
{
#ifdef __linux__
    if (is_set("SDL_VIDEODRIVER") || is_set("WAYLAND_DISPLAY"))
        return true;
    sdl->SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11");
    return is_set("DISPLAY");
#else
    (void)sdl;
    return true;
#endif
}

static double display_scale(const struct canvas *canvas)
{
    float dots = 0;
    int const display = canvas->sdl.SDL_GetWindowDisplayIndex(canvas->window);
    double halves;

    if (display < 0 || canvas->sdl.SDL_GetDisplayDPI(display, &dots, NULL, NULL) != 0 || !(dots > 0))
        return 1;
    halves = floor(2.0 * dots / NORMAL_DPI + SIZE_ROUNDED);
    return halves < 3 ? 1 : fmin(4, halves / 2);
}

static struct fault fit_scale(struct canvas *canvas, double scale)
{
    canvas->width = (int)ceil(canvas->raster.width / scale);
    canvas->height = (int)ceil(canvas->raster.height / scale);
    if (fabs(scale - canvas->scale) <= 1e-6)
        return fault_none();
    canvas->scale = scale;
    canvas->frames = 0;
    return open_fonts(canvas);
}

static bool is_of_raster(const SDL_Surface *surface)
{
    return (surface->format->format == SDL_PIXELFORMAT_RGB888 || surface->format->format == SDL_PIXELFORMAT_ARGB8888)
           && surface->pitch == 4 * surface->w && !SDL_MUSTLOCK(surface);
}

static struct fault fit_surface(struct canvas *canvas)
{
    SDL_Surface *const surface = canvas->sdl.SDL_GetWindowSurface(canvas->window);

    if (!surface || !is_of_raster(surface)) {
        raster_free(&canvas->raster);    /* its pixels are gone: nothing is drawn until there are others */
        return no_sdl_word(canvas, "pixels of the window");
    }
    if (surface->pixels != canvas->raster.pixels || surface->w != canvas->raster.width
        || surface->h != canvas->raster.height) {
        canvas->frames = 0;
        raster_free(&canvas->raster);
        FORWARD(raster_use(&canvas->raster, surface->pixels, surface->w, surface->h));
    }
    canvas->window_scale = canvas->wanted_scale > 0 ? canvas->wanted_scale : display_scale(canvas);
    return fit_scale(canvas, canvas->window_scale);
}

/* Size and pixels of a point, as the window is now; fonts and texture are made anew where they changed. */
static struct fault fit_window(struct canvas *canvas)
{
    const struct sdl *const sdl = &canvas->sdl;
    int width, height, pixel_width, pixel_height;
    double scale, window_scale = 1;

    if (canvas->is_direct)
        return fit_surface(canvas);
    sdl->SDL_GetWindowSize(canvas->window, &width, &height);
    if (sdl->SDL_GetRendererOutputSize(canvas->renderer, &pixel_width, &pixel_height) != 0)
        return no_sdl_word(canvas, "size of the window");
    pixel_width = pixel_width > 0 ? pixel_width : 1;
    pixel_height = pixel_height > 0 ? pixel_height : 1;
    scale = width > 0 ? (double)pixel_width / width : 1;
    if (canvas->wanted_scale > 0) {
        window_scale = canvas->wanted_scale / scale;
        scale = canvas->wanted_scale;
    } else if (scale < 1.01) {
        scale = window_scale = display_scale(canvas);
    }
    canvas->window_scale = window_scale;
    if (!canvas->texture || pixel_width != canvas->raster.width || pixel_height != canvas->raster.height) {
        canvas->frames = 0;
        FORWARD(raster_resize(&canvas->raster, pixel_width, pixel_height));
        if (canvas->texture)
            sdl->SDL_DestroyTexture(canvas->texture);
        canvas->texture = sdl->SDL_CreateTexture(canvas->renderer, SDL_PIXELFORMAT_ARGB8888,
                                                 SDL_TEXTUREACCESS_STREAMING, pixel_width, pixel_height);
        if (!canvas->texture)
            return no_sdl_word(canvas, "texture");
    }
    return fit_scale(canvas, scale);
}

static struct fault create_window(struct canvas *canvas, const char *title, int width, int height)
{
    canvas->window = canvas->sdl.SDL_CreateWindow(title, (int)SDL_WINDOWPOS_CENTERED, (int)SDL_WINDOWPOS_CENTERED,
                                                  width, height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    return canvas->window ? fault_none() : no_sdl_word(canvas, "window");
}

/* Whether the window's own pixels can be drawn on. Elsewhere than on X and in memory only graphics cards know pixels
 * that are finer than points. A window that was asked for them takes no renderer: then there is a new one. */
static struct fault find_pixels(struct canvas *canvas, const char *title, int width, int height)
{
    const struct sdl *const sdl = &canvas->sdl;
    const char *const driver = sdl->SDL_GetCurrentVideoDriver();
    SDL_Surface *surface;

    if ((strcmp(driver, "x11") != 0 && strcmp(driver, "dummy") != 0) || is_set("SDL_RENDER_DRIVER"))
        return fault_none();
    surface = sdl->SDL_GetWindowSurface(canvas->window);
    canvas->is_direct = surface && is_of_raster(surface);
    if (canvas->is_direct)
        return fault_none();
    sdl->SDL_DestroyWindow(canvas->window);
    return create_window(canvas, title, width, height);
}

static void prepare(struct canvas *canvas)
{
    struct raster *const raster = &canvas->raster;

    for (int style = 0; style < TEXT_STYLES; style++)
        for (uint32_t character = ' '; character <= '~'; character++)
            glyphs_of(&canvas->glyphs[style], character);
    memset(raster->cover, 0, (size_t)raster->width * (size_t)raster->height);
    canvas_begin(canvas, palette_theme(true)->background);
    canvas_end(canvas);
}

static struct fault open_window(struct canvas *canvas, const char *title, int width, int height)
{
    const struct sdl *const sdl = &canvas->sdl;
    double scale;

    FORWARD(open_common(canvas));
    if (!find_display(sdl))
        return fault_make(FAULT_INPUT, "the view cannot open a window: there is no display; use --view=text "
                                       "without one, or view --frames for images");
    sdl->SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    sdl->SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    sdl->SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    if (sdl->SDL_Init(SDL_INIT_VIDEO) != 0)
        return no_sdl_word(canvas, "no display");
    canvas->has_video = true;
    FORWARD(create_window(canvas, title, width, height));
    /* Frames are rasterized here, so a graphics card has nothing to draw; without a card its driver would render with
     * threads of the processor, which slows the run. */
    if (strcmp(sdl->SDL_GetCurrentVideoDriver(), "x11") == 0) {
        sdl->SDL_SetHint(SDL_HINT_RENDER_DRIVER, "software");
        sdl->SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    }
    FORWARD(find_pixels(canvas, title, width, height));
    if (!canvas->is_direct) {
        canvas->renderer = sdl->SDL_CreateRenderer(canvas->window, -1, 0);
        if (!canvas->renderer)
            return no_sdl_word(canvas, "renderer");
    }
    FORWARD(fit_window(canvas));
    scale = canvas->window_scale;
    if (scale > 1 || canvas->wanted_scale > 0) {
        sdl->SDL_SetWindowSize(canvas->window, (int)(width * scale), (int)(height * scale));
        FORWARD(fit_window(canvas));
    }
    prepare(canvas);
    return fault_none();
}

static struct fault open_image(struct canvas *canvas, int width, int height, double scale)
{
    FORWARD(open_common(canvas));
    canvas->width = width;
    canvas->height = height;
    canvas->scale = scale;
    FORWARD(raster_resize(&canvas->raster, pixel_at(canvas, width), pixel_at(canvas, height)));
    return open_fonts(canvas);
}

/* Hands the canvas over, or after a fault closes its parts. */
static struct fault opened(struct canvas **to, struct canvas *canvas, struct fault fault)
{
    *to = canvas;
    if (fault.kind == FAULT_NONE)
        return fault;
    canvas_close(canvas);
    *to = NULL;
    return fault;
}

static struct canvas *new_canvas(void)
{
    struct canvas *const canvas = calloc(1, sizeof *canvas);

    if (canvas)
        canvas->window_scale = 1;
    return canvas;
}

struct fault canvas_open_window(struct canvas **to, const char *title, int width, int height, double scale)
{
    struct canvas *const canvas = new_canvas();

    *to = NULL;
    if (!canvas)
        return fault_make(FAULT_MEMORY, "no memory for a window");
    canvas->is_window = true;
    canvas->wanted_scale = scale;
    return opened(to, canvas, open_window(canvas, title, width, height));
}

struct fault canvas_open_image(struct canvas **to, int width, int height, double scale)
{
    struct canvas *const canvas = new_canvas();

    *to = NULL;
    if (!canvas)
        return fault_make(FAULT_MEMORY, "no memory for an image");
    return opened(to, canvas, open_image(canvas, width, height, scale));
}

void canvas_close(struct canvas *canvas)
{
    const struct sdl *sdl;

    if (!canvas)
        return;
    sdl = &canvas->sdl;
    close_fonts(canvas);
    if (canvas->has_ttf)
        sdl->TTF_Quit();
    if (canvas->texture)
        sdl->SDL_DestroyTexture(canvas->texture);
    if (canvas->renderer)
        sdl->SDL_DestroyRenderer(canvas->renderer);
    if (canvas->window)
        sdl->SDL_DestroyWindow(canvas->window);
    if (canvas->has_video)
        sdl->SDL_Quit();
    raster_free(&canvas->raster);
    free(canvas);
}

const struct sdl *canvas_sdl(const struct canvas *canvas)
{
    return &canvas->sdl;
}

SDL_Window *canvas_window(const struct canvas *canvas)
{
    return canvas->window;
}

/* ---- frames */

/* A window that cannot be fitted (no memory for its new size) keeps the size of its last frame. */
uint64_t canvas_resume(struct canvas *canvas, struct colour background)
{
    background.alpha = 255;
    if (canvas->is_window)
        fit_window(canvas);
    canvas_clip_all(canvas);
    if (memcmp(&background, &canvas->background, sizeof background) != 0)
        canvas->frames = 0;
    if (canvas->frames == 0)
        raster_fill(&canvas->raster, canvas->raster.clip, background);
    canvas->background = background;
    return canvas->frames++;
}

void canvas_begin(struct canvas *canvas, struct colour background)
{
    canvas_forget(canvas);
    canvas_resume(canvas, background);
}

void canvas_forget(struct canvas *canvas)
{
    canvas->frames = 0;
}

void canvas_end(struct canvas *canvas)
{
    const struct sdl *const sdl = &canvas->sdl;

    if (canvas->is_direct)
        sdl->SDL_UpdateWindowSurface(canvas->window);
    if (!canvas->texture)
        return;
    sdl->SDL_UpdateTexture(canvas->texture, NULL, canvas->raster.pixels, canvas->raster.width * 4);
    sdl->SDL_RenderCopy(canvas->renderer, canvas->texture, NULL, NULL);
    sdl->SDL_RenderPresent(canvas->renderer);
}

/* ---- PNG */

static void write_rows(png_structp png, const struct raster *raster, unsigned char *row)
{
    for (int y = 0; y < raster->height; y++) {
        const uint32_t *const pixels = raster->pixels + (size_t)y * (size_t)raster->width;

        for (int x = 0; x < raster->width; x++) {
            row[3 * x] = (unsigned char)(pixels[x] >> 16);
            row[3 * x + 1] = (unsigned char)(pixels[x] >> 8);
            row[3 * x + 2] = (unsigned char)pixels[x];
        }
        png_write_row(png, row);
    }
}

/* Returns false if the library gave up; its structures are freed in either case. */
static bool write_png(FILE *file, const struct raster *raster, unsigned char *row)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;

    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);          /* areas of one colour are smallest so */
    png_set_compression_level(png, 9);
    png_set_IHDR(png, info, (png_uint_32)raster->width, (png_uint_32)raster->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    write_rows(png, raster, row);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

/* Into `file`, which it closes. */
static struct fault write_picture(struct canvas *canvas, FILE *file, const char *path)
{
    unsigned char *const row = malloc(3 * (size_t)canvas->raster.width);
    bool const is_written = row && write_png(file, &canvas->raster, row);

    free(row);
    if (fclose(file) != 0 || (row && !is_written))
        return fault_make(FAULT_INPUT, "%s: the picture could not be written completely: %s", path, strerror(errno));
    return row ? fault_none() : fault_make(FAULT_MEMORY, "%s: no memory to write a picture", path);
}

struct fault canvas_write_png(struct canvas *canvas, const char *path)
{
    struct output_file output;
    struct fault fault = output_file_open(&output, path);
    FILE *file;

    if (fault.kind != FAULT_NONE)
        return fault;
    file = fdopen(output.descriptor, "wb");
    if (file) {
        fault = write_picture(canvas, file, path);
    } else {
        close(output.descriptor);
        fault = fault_make(FAULT_MEMORY, "%s: no memory to write a picture", path);
    }
    if (fault.kind == FAULT_NONE)
        return output_file_take(&output);
    output_file_drop(&output);
    return fault;
}

#else

/* ---- built without SDL2: no canvas is ever opened */

static struct fault not_built_in(struct canvas **canvas)
{
    *canvas = NULL;
    return fault_make(FAULT_INPUT, "this rubato was built without SDL2, so it cannot open a window (Debian, Ubuntu: "
                                   "install libsdl2-dev, libsdl2-ttf-dev and libpng-dev, then build again); use "
                                   "--view=text without one");
}

struct fault canvas_open_window(struct canvas **canvas, const char *title, int width, int height, double scale)
{
    (void)title, (void)width, (void)height, (void)scale;
    return not_built_in(canvas);
}

struct fault canvas_open_image(struct canvas **canvas, int width, int height, double scale)
{
    (void)width, (void)height, (void)scale;
    return not_built_in(canvas);
}

void canvas_close(struct canvas *canvas)
{
    assert(!canvas);
}

void canvas_begin(struct canvas *canvas, struct colour background)
{
    (void)canvas, (void)background;
}

uint64_t canvas_resume(struct canvas *canvas, struct colour background)
{
    (void)canvas, (void)background;
    return 0;
}

void canvas_forget(struct canvas *canvas)
{
    (void)canvas;
}

void canvas_end(struct canvas *canvas)
{
    (void)canvas;
}

struct fault canvas_write_png(struct canvas *canvas, const char *path)
{
    (void)path;
    return not_built_in(&canvas);
}

int canvas_text_height(const struct canvas *canvas, enum text_style style)
{
    (void)canvas, (void)style;
    return 0;
}

int canvas_text_width(struct canvas *canvas, enum text_style style, const char *text)
{
    (void)canvas, (void)style, (void)text;
    return 0;
}

bool canvas_text(struct canvas *canvas, struct area area, enum text_side side, enum text_style style,
                 struct colour colour, const char *text)
{
    (void)canvas, (void)area, (void)side, (void)style, (void)colour, (void)text;
    return true;
}

#endif
