/* Printable keys come as text, so that any layout of a keyboard types the characters printed on its keys; all others
 * by their symbol. */
#include "viz/draw/draw_window.h"

#include "viz/draw/sdl.h"

#ifdef RUBATO_SDL
#include <math.h>

/* K(SDL's symbol, the view's key) */
#define SYMBOL_KEYS(K)                                                                                                \
    K(SDLK_RETURN, VIEW_KEY_ENTER) K(SDLK_KP_ENTER, VIEW_KEY_ENTER) K(SDLK_ESCAPE, VIEW_KEY_ESCAPE)                   \
    K(SDLK_BACKSPACE, VIEW_KEY_BACKSPACE) K(SDLK_TAB, VIEW_KEY_TAB) K(SDLK_LEFT, VIEW_KEY_LEFT)                       \
    K(SDLK_RIGHT, VIEW_KEY_RIGHT) K(SDLK_UP, VIEW_KEY_UP) K(SDLK_DOWN, VIEW_KEY_DOWN) K(SDLK_HOME, VIEW_KEY_HOME)     \
    K(SDLK_END, VIEW_KEY_END) K(SDLK_F12, VIEW_KEY_F12)

#define SYMBOL_LINE(symbol, key) {symbol, key},
static const struct { SDL_Keycode symbol; uint32_t key; } symbol_keys[] = {SYMBOL_KEYS(SYMBOL_LINE)};
#undef SYMBOL_LINE
enum { SYMBOLS = sizeof symbol_keys / sizeof symbol_keys[0] };

/* Keys that are others with Shift or Ctrl. */
static const struct { SDL_Keycode symbol; uint16_t modifier; uint32_t key; } modified_keys[] = {
    {SDLK_TAB, KMOD_SHIFT, VIEW_KEY_BACK_TAB}, {SDLK_a, KMOD_CTRL, VIEW_KEY_SELECT_ALL},
    {SDLK_RETURN, KMOD_CTRL, VIEW_KEY_CTRL_ENTER}, {SDLK_KP_ENTER, KMOD_CTRL, VIEW_KEY_CTRL_ENTER}
};
enum { MODIFIED = sizeof modified_keys / sizeof modified_keys[0] };

static bool take_symbol(SDL_Keycode symbol, unsigned modifiers, struct view_input *input)
{
    for (unsigned i = 0; i < MODIFIED; i++)
        if (modified_keys[i].symbol == symbol && modifiers & modified_keys[i].modifier) {
            *input = (struct view_input){.kind = VIEW_KEY, .key = modified_keys[i].key};
            return true;
        }
    for (unsigned i = 0; i < SYMBOLS; i++)
        if (symbol_keys[i].symbol == symbol) {
            *input = (struct view_input){.kind = VIEW_KEY, .key = symbol_keys[i].key};
            return true;
        }
    return false;
}

/* One character; others than ASCII have no meaning for the view. */
static bool take_text(const char *text, struct view_input *input)
{
    *input = (struct view_input){.kind = VIEW_KEY, .key = (unsigned char)text[0]};
    return text[0] > 0 && text[1] == '\0';
}

static bool take_place(const struct canvas *canvas, enum view_input_kind kind, int x, int y, struct view_input *input)
{
    struct point const place = canvas_place(canvas, x, y);

    *input = (struct view_input){.kind = kind, .x = (int)floorf(place.x), .y = (int)floorf(place.y)};
    return true;
}

/* Translates an event of SDL; false: the view ignores it. */
static bool translate(const struct canvas *canvas, const SDL_Event *event, struct view_input *input)
{
    int x, y;

    switch (event->type) {
    case SDL_QUIT:
        *input = (struct view_input){.kind = VIEW_CLOSE};
        return true;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED)
            return take_place(canvas, VIEW_RESIZE, event->window.data1, event->window.data2, input);
        *input = (struct view_input){.kind = VIEW_RESIZE, .x = canvas_width(canvas), .y = canvas_height(canvas)};
        return event->window.event == SDL_WINDOWEVENT_EXPOSED;
    case SDL_KEYDOWN: return take_symbol(event->key.keysym.sym, event->key.keysym.mod, input);
    case SDL_TEXTINPUT: return take_text(event->text.text, input);
    case SDL_MOUSEMOTION: return take_place(canvas, VIEW_MOTION, event->motion.x, event->motion.y, input);
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        return event->button.button == SDL_BUTTON_LEFT
               && take_place(canvas, event->type == SDL_MOUSEBUTTONDOWN ? VIEW_PRESS : VIEW_RELEASE, event->button.x,
                             event->button.y, input);
    case SDL_MOUSEWHEEL:
#if SDL_VERSION_ATLEAST(2, 26, 0)
        x = event->wheel.mouseX;
        y = event->wheel.mouseY;
#else
        canvas_sdl(canvas)->SDL_GetMouseState(&x, &y);
#endif
        take_place(canvas, VIEW_WHEEL, x, y, input);
        input->wheel = event->wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -event->wheel.y : event->wheel.y;
        return input->wheel != 0;
    default: return false;
    }
}

bool window_next(struct canvas *canvas, struct view_input *input)
{
    SDL_Event event;

    while (canvas_sdl(canvas)->SDL_PollEvent(&event) != 0) {
        if (event.type == SDL_WINDOWEVENT)
            canvas_forget(canvas);       /* its pixels may be others, or were drawn over */
        if (translate(canvas, &event, input))
            return true;
    }
    return false;
}

void window_wait(struct canvas *canvas, int most_ms)
{
    canvas_sdl(canvas)->SDL_WaitEventTimeout(NULL, most_ms);
}

void window_pause(struct canvas *canvas, int ms)
{
    canvas_sdl(canvas)->SDL_Delay((uint32_t)ms);
}

/* ---- scripts */
static int to_window(const struct canvas *canvas, int at)
{
    struct point const unit = canvas_place(canvas, 1024, 0);

    return unit.x > 0 ? (int)lroundf((float)at * 1024.0f / unit.x) : at;
}

static void push_key(const struct sdl *sdl, uint32_t window, uint32_t key)
{
    SDL_Event event = {0};

    for (unsigned i = 0; i < MODIFIED; i++)
        if (modified_keys[i].key == key) {
            event.key = (SDL_KeyboardEvent){.type = SDL_KEYDOWN, .windowID = window, .state = SDL_PRESSED,
                                            .keysym = {.sym = modified_keys[i].symbol,
                                                       .mod = modified_keys[i].modifier}};
            sdl->SDL_PushEvent(&event);
            return;
        }
    for (unsigned i = 0; i < SYMBOLS; i++)
        if (symbol_keys[i].key == key) {
            event.key = (SDL_KeyboardEvent){.type = SDL_KEYDOWN, .windowID = window, .state = SDL_PRESSED,
                                            .keysym = {.sym = symbol_keys[i].symbol}};
            sdl->SDL_PushEvent(&event);
            return;
        }
    event.text = (SDL_TextInputEvent){.type = SDL_TEXTINPUT, .windowID = window, .text = {(char)key}};
    sdl->SDL_PushEvent(&event);
}

void window_push(struct canvas *canvas, const struct view_input *input)
{
    const struct sdl *const sdl = canvas_sdl(canvas);
    uint32_t const window = sdl->SDL_GetWindowID(canvas_window(canvas));
    int const x = to_window(canvas, input->x), y = to_window(canvas, input->y);
    SDL_Event event = {0};

    switch (input->kind) {
    case VIEW_KEY: push_key(sdl, window, input->key); return;
    case VIEW_MOTION:
        event.motion = (SDL_MouseMotionEvent){.type = SDL_MOUSEMOTION, .windowID = window, .x = x, .y = y};
        break;
    case VIEW_PRESS:
    case VIEW_RELEASE:
        event.button = (SDL_MouseButtonEvent){
            .type = input->kind == VIEW_PRESS ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP, .windowID = window,
            .button = SDL_BUTTON_LEFT, .state = input->kind == VIEW_PRESS ? SDL_PRESSED : SDL_RELEASED, .x = x, .y = y};
        break;
    case VIEW_WHEEL:
        event.wheel = (SDL_MouseWheelEvent){.type = SDL_MOUSEWHEEL, .windowID = window, .y = input->wheel};
#if SDL_VERSION_ATLEAST(2, 26, 0)
        event.wheel.mouseX = x;
        event.wheel.mouseY = y;
#endif
        break;
    case VIEW_RESIZE: sdl->SDL_SetWindowSize(canvas_window(canvas), x, y); return;
    case VIEW_CLOSE: event.quit = (SDL_QuitEvent){.type = SDL_QUIT}; break;
    }
    sdl->SDL_PushEvent(&event);
}

#else

bool window_next(struct canvas *canvas, struct view_input *input)
{
    (void)canvas, (void)input;
    return false;
}

void window_wait(struct canvas *canvas, int most_ms)
{
    (void)canvas, (void)most_ms;
}

void window_pause(struct canvas *canvas, int ms)
{
    (void)canvas, (void)ms;
}

void window_push(struct canvas *canvas, const struct view_input *input)
{
    (void)canvas, (void)input;
}

#endif
