/* Both libraries are found by the names under which systems keep their second generation. */
#include "viz/draw/sdl.h"

#ifdef RUBATO_SDL

#include <dlfcn.h>

#include "base/host_library.h"

#define SDL_LIBRARY "libSDL2-2.0.so.0"
#define TTF_LIBRARY "libSDL2_ttf-2.0.so.0"

static struct fault open_library(void **library, const char *name, const char *package)
{
    *library = host_library_open(name);
    if (*library)
        return fault_none();
    return fault_make(FAULT_INPUT, "the view needs %s, which cannot be loaded here; install it (Debian, Ubuntu: %s); "
                      "or use --view=text: %s", name, package, dlerror());
}

/* Puts the address of a function into a pointer to one. */
static struct fault sdl_find(void *library, const char *name, void *function)
{
    if (host_library_find(library, name, function))
        return fault_none();
    return fault_make(FAULT_INPUT, "the view needs %s, which the installed SDL2 does not have; install a newer one "
                      "(SDL2 2.0.18, SDL2_ttf 2.0.18), or use --view=text", name);
}

struct fault sdl_load(struct sdl *sdl)
{
    void *library;

    FORWARD(open_library(&library, SDL_LIBRARY, "libsdl2-2.0-0"));
#define SDL_FIND(name) FORWARD(sdl_find(library, #name, &sdl->name));
    SDL_FUNCTIONS(SDL_FIND)
    FORWARD(open_library(&library, TTF_LIBRARY, "libsdl2-ttf-2.0-0"));
    TTF_FUNCTIONS(SDL_FIND)
#undef SDL_FIND
    return fault_none();
}

#else

/* A file of C is not empty. */
typedef int sdl_is_not_built_in;

#endif
