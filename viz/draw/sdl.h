/* SDL2 and SDL2_ttf, loaded when they are needed: the command does not link them, starts without their cost, and runs
 * where they are not installed. Types and constants come from their headers, by which RUBATO_SDL is set when building.
 *
 * Use: sdl_load; call sdl.SDL_Xyz(...) instead of SDL_Xyz(...). Libraries stay loaded until the process ends: drivers
 * that they load in turn leave threads and handlers behind. Errors: FAULT_INPUT, naming the missing library.
 * Ownership: a plain table, nothing to free. */
#ifndef VIZ_DRAW_SDL_H
#define VIZ_DRAW_SDL_H

#include "base/fault.h"

#ifdef RUBATO_SDL

#include <SDL.h>
#include <SDL_ttf.h>

/* One line a function that is used; the type is that of the header. */
#define SDL_FUNCTIONS(F)                                                                                              \
    F(SDL_Init) F(SDL_Quit) F(SDL_GetError) F(SDL_SetHint) F(SDL_GetCurrentVideoDriver)                               \
    F(SDL_CreateWindow) F(SDL_DestroyWindow) F(SDL_GetWindowSize) F(SDL_SetWindowSize) F(SDL_GetWindowID)             \
    F(SDL_GetWindowDisplayIndex) F(SDL_GetDisplayDPI) F(SDL_GetWindowSurface) F(SDL_UpdateWindowSurface)              \
    F(SDL_CreateRenderer) F(SDL_DestroyRenderer) F(SDL_GetRendererOutputSize)                                         \
    F(SDL_CreateTexture) F(SDL_DestroyTexture) F(SDL_UpdateTexture) F(SDL_RenderCopy) F(SDL_RenderPresent)            \
    F(SDL_PollEvent) F(SDL_WaitEventTimeout) F(SDL_PushEvent) F(SDL_GetMouseState) F(SDL_Delay)                       \
    F(SDL_RWFromConstMem) F(SDL_FreeSurface)

#define TTF_FUNCTIONS(F)                                                                                              \
    F(TTF_Init) F(TTF_Quit) F(TTF_OpenFontRW) F(TTF_CloseFont) F(TTF_SetFontHinting) F(TTF_FontAscent)                \
    F(TTF_FontDescent) F(TTF_GlyphIsProvided32) F(TTF_GlyphMetrics32) F(TTF_RenderGlyph32_Blended)

#define SDL_MEMBER(name) __typeof__(name) *name;
struct sdl {
    SDL_FUNCTIONS(SDL_MEMBER)
    TTF_FUNCTIONS(SDL_MEMBER)
};
#undef SDL_MEMBER

struct fault sdl_load(struct sdl *sdl);

struct canvas;

/* For events: the functions, and the window; NULL for an image. */
const struct sdl *canvas_sdl(const struct canvas *canvas);
SDL_Window *canvas_window(const struct canvas *canvas);

#endif
#endif
