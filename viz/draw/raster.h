/* Pixels in memory, and how areas, smooth lines and courses are put on them. The same calls give the same pixels.
 *
 * Units: pixels, from the upper left corner; a pixel's middle is at .5. Colours are blended over the pixels below.
 * Use: raster_resize or raster_use, which clear the clip; draw; raster_free. Nothing is allocated while drawing.
 * Ownership: the pixels are the raster's, or those of raster_use. Errors: FAULT_MEMORY. */
#ifndef VIZ_DRAW_RASTER_H
#define VIZ_DRAW_RASTER_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "viz/draw/palette.h"
#include "viz/draw/sdl.h"

/* From left and top to before right and bottom. */
struct raster_box {
    int left, top, right, bottom;
};

struct raster_point {
    float x, y;
};

struct raster {
    int width, height;
    uint32_t *pixels;                    /* 0xffRRGGBB, width a row */
    bool is_borrowed;                    /* the pixels are */
    uint8_t *cover;                      /* of the shape being drawn; all 0 in between */
    struct raster_box clip;
};

struct fault raster_resize(struct raster *raster, int width, int height);
/* Draws on pixels that the caller owns. */
struct fault raster_use(struct raster *raster, uint32_t *pixels, int width, int height);
void raster_free(struct raster *raster);
/* To the box, as far as it is inside. */
void raster_clip(struct raster *raster, struct raster_box box);

void raster_fill(struct raster *raster, struct raster_box box, struct colour colour);
/* Inside the box, with round corners; width 0: filled. */
void raster_round(struct raster *raster, struct raster_box box, float radius, float width, struct colour colour);
/* Round ends and bends; where a course meets itself it is not blended twice. Width below 1: fainter. */
void raster_course(struct raster *raster, const struct raster_point *points, size_t count, float width,
                   struct colour colour);
/* width x height colours stretched over the box, nearest ones. */
void raster_cells(struct raster *raster, struct raster_box box, const struct colour *cells, int width, int height);
/* width x height shares of 255, `stride` bytes a row, put at x, y. */
void raster_stamp(struct raster *raster, int x, int y, const uint8_t *cover, int width, int height, int stride,
                  struct colour colour);

/* The letters of one size of the font, as shares of pixels that each is asked for once.
 *
 * Units: pixels. Use: glyphs_open; glyphs_of for each character of a text, from left to right; glyphs_close.
 * Ownership: the font's bytes are borrowed; glyphs are the cache's. Errors: FAULT_INPUT if SDL2_ttf refuses the font;
 * without memory for a letter its place stays empty. */

#ifdef RUBATO_SDL

#include <stdint.h>

enum { GLYPH_SLOTS = 512, GLYPH_ELLIPSIS = 0x2026 };

struct glyph {
    uint32_t character;                  /* 0: an empty slot */
    int left, top;                       /* of its pixels, from the pen and the upper end of a line of text */
    int width, height;
    int advance;
    uint8_t *cover;                      /* width a row */
};

struct glyphs {
    const struct sdl *sdl;
    TTF_Font *font;
    int height;                          /* of a line of text */
    int middle;                          /* of capital letters, below the upper end of the line */
    unsigned count;
    struct glyph slots[GLYPH_SLOTS];
};

struct fault glyphs_open(struct glyphs *glyphs, const struct sdl *sdl, const void *font, size_t bytes, int size);
void glyphs_close(struct glyphs *glyphs);
/* Characters that the font lacks are drawn as a question mark. */
const struct glyph *glyphs_of(struct glyphs *glyphs, uint32_t character);
/* The next character of UTF-8, and moves on; broken bytes are question marks. 0 at the end. */
uint32_t glyphs_next(const char **text);

#endif

#endif
