/* Letters start at whole pixels, as far apart as the font says for its size, so that equal numbers are equally wide.
 * Light hinting: stems keep their place across, and heights are sharp. */
#include "viz/draw/raster.h"

#ifdef RUBATO_SDL

#include <stdlib.h>
#include <string.h>

struct fault glyphs_open(struct glyphs *glyphs, const struct sdl *sdl, const void *font, size_t bytes, int size)
{
    int bottom, top;

    memset(glyphs, 0, sizeof *glyphs);
    glyphs->sdl = sdl;
    glyphs->font = sdl->TTF_OpenFontRW(sdl->SDL_RWFromConstMem(font, (int)bytes), 1, size);
    if (!glyphs->font)
        return fault_make(FAULT_INPUT, "SDL2_ttf cannot read the font of the view: %s", sdl->SDL_GetError());
    sdl->TTF_SetFontHinting(glyphs->font, TTF_HINTING_LIGHT);
    glyphs->height = sdl->TTF_FontAscent(glyphs->font) - sdl->TTF_FontDescent(glyphs->font);
    sdl->TTF_GlyphMetrics32(glyphs->font, 'H', NULL, NULL, &bottom, &top, NULL);
    glyphs->middle = sdl->TTF_FontAscent(glyphs->font) - (top + bottom) / 2;
    return fault_none();
}

void glyphs_close(struct glyphs *glyphs)
{
    for (unsigned i = 0; i < GLYPH_SLOTS; i++)
        free(glyphs->slots[i].cover);
    if (glyphs->font)
        glyphs->sdl->TTF_CloseFont(glyphs->font);
    memset(glyphs, 0, sizeof *glyphs);
}

static uint8_t alpha_at(const SDL_Surface *surface, int x, int y)
{
    uint32_t pixel;

    memcpy(&pixel, (const uint8_t *)surface->pixels + y * surface->pitch + 4 * x, sizeof pixel);
    return (uint8_t)(pixel >> 24);
}

/* Copies the part of the surface that is not empty. The surface begins at the pen, or left of it if the letter does. */
static void keep_pixels(struct glyph *glyph, const SDL_Surface *surface, int letter_left)
{
    int left = surface->w, right = 0, top = surface->h, bottom = 0;

    for (int y = 0; y < surface->h; y++)
        for (int x = 0; x < surface->w; x++)
            if (alpha_at(surface, x, y)) {
                left = x < left ? x : left;
                right = x >= right ? x + 1 : right;
                top = y < top ? y : top;
                bottom = y + 1;
            }
    if (left >= right)
        return;
    glyph->cover = malloc((size_t)(right - left) * (size_t)(bottom - top));
    if (!glyph->cover)
        return;
    glyph->width = right - left;
    glyph->height = bottom - top;
    glyph->left = left + (letter_left < 0 ? letter_left : 0);
    glyph->top = top;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
            glyph->cover[(y - top) * glyph->width + x - left] = alpha_at(surface, x, y);
}

static void draw_glyph(struct glyphs *glyphs, struct glyph *glyph, uint32_t character)
{
    const struct sdl *const sdl = glyphs->sdl;
    SDL_Surface *surface;
    int left = 0;

    sdl->TTF_GlyphMetrics32(glyphs->font, character, &left, NULL, NULL, NULL, &glyph->advance);
    surface = sdl->TTF_RenderGlyph32_Blended(glyphs->font, character, (SDL_Color){255, 255, 255, 255});
    if (!surface)
        return;
    keep_pixels(glyph, surface, left);
    sdl->SDL_FreeSurface(surface);
}

const struct glyph *glyphs_of(struct glyphs *glyphs, uint32_t character)
{
    uint32_t slot = character * UINT32_C(2654435761) % GLYPH_SLOTS;

    while (glyphs->slots[slot].character && glyphs->slots[slot].character != character)
        slot = (slot + 1) % GLYPH_SLOTS;
    if (glyphs->slots[slot].character)
        return &glyphs->slots[slot];
    if (character != '?' && (glyphs->count >= GLYPH_SLOTS / 2 || character < ' '
                             || !glyphs->sdl->TTF_GlyphIsProvided32(glyphs->font, character)))
        return glyphs_of(glyphs, '?');
    glyphs->count++;
    glyphs->slots[slot].character = character;
    draw_glyph(glyphs, &glyphs->slots[slot], character);
    return &glyphs->slots[slot];
}

uint32_t glyphs_next(const char **text)
{
    const unsigned char *const bytes = (const unsigned char *)*text;
    int const more = bytes[0] < 0x80 ? 0 : bytes[0] < 0xc2 ? -1 : bytes[0] < 0xe0 ? 1 : bytes[0] < 0xf0 ? 2
                     : bytes[0] < 0xf5 ? 3 : -1;
    uint32_t character = bytes[0];

    if (bytes[0] == 0)
        return 0;
    *text += 1;
    if (more < 0)
        return '?';
    if (more > 0)
        character &= 0x3fU >> more;
    for (int i = 1; i <= more; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return '?';
        character = character << 6 | (bytes[i] & 0x3f);
    }
    *text += more;
    return character;
}

#else

/* A file of C is not empty. */
typedef int glyphs_are_not_built_in;

#endif
