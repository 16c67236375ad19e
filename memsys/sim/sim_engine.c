/* Names of engines (sim_engine.h). Nothing is modelled here. */
#include "memsys/sim/sim_engine.h"

#include <string.h>

struct fast_path {
    const char *name;
    size_t offset;
};

#define FAST_PATH(name, help) {#name, offsetof(struct engine_options, name)},
static const struct fast_path fast_paths[] = {ENGINE_FAST_PATHS(FAST_PATH)};

#define FAST_PATH_COUNT (sizeof fast_paths / sizeof *fast_paths)

static bool *switch_of(struct engine_options *options, size_t i)
{
    return (bool *)((char *)options + fast_paths[i].offset);
}

static struct engine_options engine_all(bool is_on)
{
    struct engine_options options = {0};

    for (size_t i = 0; i < FAST_PATH_COUNT; i++)
        *switch_of(&options, i) = is_on;
    return options;
}

struct engine_options engine_fast(void)
{
    return engine_all(true);
}

static bool set_switch(struct engine_options *options, const char *name, size_t length, bool is_on)
{
    for (size_t i = 0; i < FAST_PATH_COUNT; i++)
        if (strlen(fast_paths[i].name) == length && memcmp(fast_paths[i].name, name, length) == 0) {
            *switch_of(options, i) = is_on;
            return true;
        }
    return false;
}

struct fault engine_parse(const char *text, struct engine_options *options)
{
#define NAME(name, help) " " #name
    static const char known[] = ENGINE_FAST_PATHS(NAME);
#undef NAME
    size_t length = strcspn(text, "+-");
    struct engine_options parsed;

    if (length == 5 && memcmp(text, "plain", length) == 0)
        parsed = engine_all(false);
    else if (length == 4 && memcmp(text, "fast", length) == 0)
        parsed = engine_all(true);
    else
        return fault_make(FAULT_INPUT, "engine '%.40s': expected plain or fast, or one of them with fast paths added "
                          "or taken out, such as plain+hits or fast-memo; there are%s", text, known);
    for (const char *at = text + length; *at; at += length) {
        bool const is_on = *at++ == '+';

        length = strcspn(at, "+-");
        if (!set_switch(&parsed, at, length, is_on))
            return fault_make(FAULT_INPUT, "engine '%.40s': no fast path '%.*s'; there are%s", text,
                              (int)(length < 40 ? length : 40), at, known);
    }
    *options = parsed;
    return fault_none();
}
