/* Several settings at once. Settings that bring several values (files, devices) come before those that change single
 * values, so that the order in which settings are given does not matter, except that the later of two with the same
 * key counts. */
#include <string.h>

#include "replay/config/config_internal.h"

static bool is(const char *key, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(key, word, length) == 0;
}

static bool ends_in(const char *key, size_t length, const char *ending)
{
    size_t const own = strlen(ending);

    return length > own && strncmp(key + length - own, ending, own) == 0;
}

/* A key that a whole section goes by, which can be taken out: "l2", "gpu", "cpu.tlb". A single word that is no
 * parameter is one, or a cache's name. */
static bool is_section(const char *key, size_t length)
{
    struct config_section const top = config_top_section();

    for (size_t i = 0; i < top.table->count; i++)
        if (is(key, length, top.table->rows[i].key))
            return false;
    return !memchr(key, '.', length) || is(key, length, "cpu.tlb");
}

unsigned config_setting_rank(const char *key, size_t length)
{
    bool const is_of_memory = strncmp(key, "memory.", 7) == 0 || strncmp(key, "memories.", 9) == 0;

    if (is(key, length, "include"))
        return 0;
    if (is(key, length, "cores"))
        return 1;
    if (is_of_memory && ends_in(key, length, ".policy") && !ends_in(key, length, ".dram.policy"))
        return 2;
    if (is_of_memory && ends_in(key, length, ".device"))
        return 3;
    if (memmem(key, length, "module.", 7))
        return 5;
    if (is(key, length, "cpu.tlb.l2") || is(key, length, "cpu.tlb.walker.caches"))
        return 5;
    return is_section(key, length) ? 6 : 4;
}

struct fault config_set_all(struct system_config *config, const char *const *settings, size_t count, const char *where)
{
    for (unsigned rank = 0; rank < CONFIG_RANKS; rank++)
        for (size_t i = 0; i < count; i++)
            if (config_setting_rank(settings[i], strcspn(settings[i], "=")) == rank)
                FORWARD(config_set_from(config, settings[i], where ? where : settings[i]));
    return fault_none();
}
