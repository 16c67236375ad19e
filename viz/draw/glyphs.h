/* The letters of one size of the font, as shares of pixels that each is asked for once.
 *
 * Units: pixels. Use: glyphs_open; glyphs_of for each character of a text, from left to right; glyphs_close.
 * Ownership: the font's bytes are borrowed; glyphs are the cache's. Errors: FAULT_INPUT if SDL2_ttf refuses the font;
 * without memory for a letter its place stays empty. */
#ifndef VIZ_DRAW_GLYPHS_H
#define VIZ_DRAW_GLYPHS_H

#include "viz/draw/sdl.h"

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
/* What the font does not have is a question mark. */
const struct glyph *glyphs_of(struct glyphs *glyphs, uint32_t character);
/* The next character of UTF-8, and moves on; broken bytes are question marks. 0 at the end. */
uint32_t glyphs_next(const char **text);

#endif
#endif
