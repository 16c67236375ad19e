/* The tree of caches: names in behind: become references, caches get into order, the tree is checked.
 *
 * A reference is to all instances of a cache (-1), or to one (cpu2.l1d). Rules: a cache that is not an L1 is behind at
 * least one other; each instance has one cache below it at most; a private cache is behind private ones only, its
 * instance of core i behind theirs; no cycles; no crossbar has more ports above than a snoop filter knows.
 *
 * Order: l1i, l1d, then each cache after those that it is behind, where there is a choice l2, l3, then as written. A
 * tree in that order keeps it, so config_finish is idempotent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "memsys/noc/snoop_filter.h"
#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"

static unsigned instances_of(const struct system_config *config, unsigned cache)
{
    return config->caches[cache].is_private ? config->core_count : 1;
}

/* ---- names */

/* The instance with number `text` of the cache `name`; false: no such instance. */
static bool find_instance(const struct system_config *config, const char *name, const char *text,
                          struct behind_ref *reference)
{
    unsigned const cache = config_cache_find(config, name);
    unsigned long const instance = strtoul(text, NULL, 10);

    if (cache == CONFIG_MAX_CACHES || !config->caches[cache].is_private || instance >= config->core_count)
        return false;
    *reference = (struct behind_ref){(uint8_t)cache, (int8_t)instance};
    return true;
}

/* "cpu2.l1d", or the reference's "l1d2": the cache l1d and instance 2. An exact name is all of that cache. */
static bool find_reference(const struct system_config *config, const char *name, struct behind_ref *reference)
{
    size_t const length = strlen(name);
    size_t digits = 0;
    unsigned const exact = config_cache_find(config, name);
    char base[CONFIG_NAME_BYTES];

    *reference = (struct behind_ref){(uint8_t)exact, -1};
    if (exact != CONFIG_MAX_CACHES)
        return true;
    if (strncmp(name, "cpu", 3) == 0 && strspn(name + 3, "0123456789") > 0) {
        const char *const point = name + 3 + strspn(name + 3, "0123456789");

        return *point == '.' && point <= name + 5 && find_instance(config, point + 1, name + 3, reference);
    }
    while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
        digits++;
    for (size_t number = 1; number <= digits && number <= 2 && length - number < sizeof base; number++) {
        memset(base, 0, sizeof base);
        memcpy(base, name, length - number);
        if (find_instance(config, base, name + length - number, reference))
            return true;
    }
    return false;
}

static struct fault unknown_name(const struct system_config *config, unsigned cache, const char *name)
{
    const char *nearest = config->caches[CONFIG_L1D].name;

    for (unsigned i = 0; i < config->cache_count; i++)
        if (i != cache && name_distance(name, config->caches[i].name) < name_distance(name, nearest))
            nearest = config->caches[i].name;
    if (config->core_count == 1)
        return CONFIG_FAULTY(config, "%s.behind: %s is no cache here; did you mean %s?", config->caches[cache].name,
                             config_quote(name).text, nearest);
    return CONFIG_FAULTY(config, "%s.behind: %s is no cache here; did you mean %s? One core's private cache is named "
                         "after the core, such as cpu0.l1d, up to cpu%u", config->caches[cache].name,
                         config_quote(name).text, nearest, config->core_count - 1);
}

static struct fault add_reference(struct system_config *config, unsigned cache, const char *name)
{
    struct cache_config *made = &config->caches[cache];
    struct behind_ref reference;

    if (!find_reference(config, name, &reference))
        return unknown_name(config, cache, name);
    if (reference.cache == cache)
        return CONFIG_FAULTY(config, "%s.behind: names the cache itself; name those above it", made->name);
    if (made->is_private && (reference.instance >= 0 || !config->caches[reference.cache].is_private))
        return CONFIG_FAULTY(config, "%s.behind: %s, but a private cache stands behind the same core's only; name "
                             "private caches without a core, such as l1d, or leave private out", made->name, name);
    if (made->behind_count == CONFIG_MAX_BEHIND)
        return CONFIG_FAULTY(config, "%s.behind: more than %d names; write l1d for all of the L1Ds", made->name,
                             CONFIG_MAX_BEHIND);
    made->behind[made->behind_count++] = reference;
    return fault_none();
}

/* The default of behind_text. */
static struct fault default_behind(struct system_config *config, struct cache_config *cache)
{
    if (*cache->behind_text)
        return fault_none();
    if (strcmp(cache->name, "l2") == 0) {
        strcpy(cache->behind_text, "l1i, l1d");
        return fault_none();
    }
    if (strcmp(cache->name, "l3") != 0)
        return CONFIG_FAULTY(config, "%s.behind: missing; name the caches above it, for example %s.behind: [l1i, l1d]",
                             cache->name, cache->name);
    if (config_cache_find(config, "l2") == CONFIG_MAX_CACHES)
        return CONFIG_FAULTY(config, "l3 needs an l2; give an l2, for example l2.size: 256KiB, or l3: none");
    strcpy(cache->behind_text, "l2");
    return fault_none();
}

static struct fault read_names(struct system_config *config, unsigned cache)
{
    struct cache_config *made = &config->caches[cache];
    char name[CONFIG_BEHIND_TEXT];

    memset(made->behind, 0, sizeof made->behind);
    made->behind_count = 0;
    if (cache < CONFIG_FIRST_BEHIND)
        return fault_none();
    FORWARD(default_behind(config, made));
    for (const char *c = made->behind_text; *c;) {
        size_t const length = strcspn(c, ", ");

        memcpy(name, c, length);
        name[length] = '\0';
        if (length)
            FORWARD(add_reference(config, cache, name));
        c += length ? length : 1;
    }
    return fault_none();
}

static struct fault read_all_names(struct system_config *config)
{
    for (unsigned i = 0; i < config->cache_count; i++)
        FORWARD(read_names(config, i));
    return fault_none();
}

/* Names of instances are made of digits too: the reference calls the l2 of core 0 l20. */
static struct fault check_names(const struct system_config *config)
{
    for (unsigned i = 0; i < config->cache_count; i++) {
        size_t const length = strlen(config->caches[i].name);

        for (unsigned k = 0; k < config->cache_count; k++) {
            const char *other = config->caches[k].name;

            if (config->caches[i].is_private && strncmp(other, config->caches[i].name, length) == 0 && other[length] &&
                strspn(other + length, "0123456789") == strlen(other + length))
                return CONFIG_FAULTY(config, "caches: %s reads like one core's %s; give it another name, such as %s%s",
                                     other, config->caches[i].name, other, "x");
        }
    }
    return fault_none();
}

/* ---- order */

/* l2 before l3 before all others. */
static unsigned tree_rank_of(const struct system_config *config, unsigned cache)
{
    if (strcmp(config->caches[cache].name, "l2") == 0)
        return CONFIG_FIRST_BEHIND;
    if (strcmp(config->caches[cache].name, "l3") == 0)
        return CONFIG_FIRST_BEHIND + 1;
    return cache < CONFIG_FIRST_BEHIND ? cache : CONFIG_FIRST_BEHIND + 2 + cache;
}

static bool is_ready(const struct system_config *config, unsigned cache, const bool placed[])
{
    const struct cache_config *made = &config->caches[cache];

    for (unsigned i = 0; i < made->behind_count; i++)
        if (!placed[made->behind[i].cache])
            return false;
    return true;
}

static struct fault goes_round(const struct system_config *config, const bool placed[])
{
    unsigned cache = 0, next = 0;

    while (placed[cache])
        cache++;
    for (unsigned steps = 0; steps < config->cache_count; steps++) {        /* leads into the cycle */
        for (unsigned i = 0; i < config->caches[cache].behind_count; i++)
            if (!placed[config->caches[cache].behind[i].cache])
                next = config->caches[cache].behind[i].cache;
        unsigned const before = cache;
        cache = next;
        next = before;
    }
    return CONFIG_FAULTY(config, "%s.behind: goes round, since %s is behind %s, directly or through others; take one "
                         "of the names out", config->caches[next].name, config->caches[cache].name,
                         config->caches[next].name);
}

static struct fault put_in_order(struct system_config *config)
{
    struct cache_config *sorted = malloc(sizeof config->caches);
    bool placed[CONFIG_MAX_CACHES] = {false};
    unsigned count = 0;

    if (!sorted)
        return fault_make(FAULT_MEMORY, "out of memory for a system");
    for (; count < config->cache_count; count++) {
        unsigned best = CONFIG_MAX_CACHES;

        for (unsigned i = 0; i < config->cache_count; i++)
            if (!placed[i] && is_ready(config, i, placed) &&
                (best == CONFIG_MAX_CACHES || tree_rank_of(config, i) < tree_rank_of(config, best)))
                best = i;
        if (best == CONFIG_MAX_CACHES)
            break;
        placed[best] = true;
        sorted[count] = config->caches[best];
    }
    if (count == config->cache_count)
        memcpy(config->caches, sorted, count * sizeof *sorted);
    free(sorted);
    return count == config->cache_count ? fault_none() : goes_round(config, placed);
}

/* ---- the tree */
struct tree {
    unsigned below[CONFIG_MAX_CACHES][CONFIG_MAX_CORES];     /* of each instance; CONFIG_MAX_CACHES: the memory bus */
    unsigned above[CONFIG_MAX_CACHES];                       /* instances above one instance */
};

static void instance_name(const struct system_config *config, unsigned cache, unsigned instance, char *text,
                          size_t size)
{
    if (config->caches[cache].is_private && config->core_count > 1)
        snprintf(text, size, "cpu%0*u.%s", config->core_count > 10 ? 2 : 1, instance, config->caches[cache].name);
    else
        snprintf(text, size, "%s", config->caches[cache].name);
}

static struct fault hang_one(const struct system_config *config, struct tree *tree, unsigned cache,
                             struct behind_ref reference, unsigned instance)
{
    unsigned *below = &tree->below[reference.cache][instance];
    char name[CONFIG_NAME_BYTES + 12];

    if (*below == CONFIG_MAX_CACHES) {
        *below = cache;
        return fault_none();
    }
    instance_name(config, reference.cache, instance, name, sizeof name);
    if (*below == cache)
        return CONFIG_FAULTY(config, "%s.behind: names %s twice; leave one of them", config->caches[cache].name, name);
    return CONFIG_FAULTY(config, "%s.behind: names %s, which has %s below it already; a cache has one below it, so "
                         "take the name out of one of the two", config->caches[cache].name, name,
                         config->caches[*below].name);
}

static struct fault hang_above(const struct system_config *config, struct tree *tree, unsigned cache)
{
    const struct cache_config *made = &config->caches[cache];

    for (unsigned i = 0; i < made->behind_count; i++) {
        struct behind_ref const reference = made->behind[i];
        bool const is_all = reference.instance < 0;
        unsigned const first = is_all ? 0 : (unsigned)reference.instance;
        unsigned const end = is_all ? instances_of(config, reference.cache) : first + 1;

        for (unsigned instance = first; instance < end; instance++)
            FORWARD(hang_one(config, tree, cache, reference, instance));
        tree->above[cache] += made->is_private ? 1 : end - first;
    }
    return fault_none();
}

static struct fault check_ports(const struct system_config *config, const struct tree *tree)
{
    unsigned on_memory_bus = 1;          /* the system port of the reference */

    for (unsigned i = 0; i < config->cache_count; i++) {
        if (tree->above[i] > SNOOP_FILTER_PORTS)
            return CONFIG_FAULTY(config, "%s.behind: %u caches on one crossbar; give up to %d, and a level between, "
                                 "such as l2.private: yes", config->caches[i].name, tree->above[i], SNOOP_FILTER_PORTS);
        for (unsigned instance = 0; instance < instances_of(config, i); instance++)
            on_memory_bus += tree->below[i][instance] == CONFIG_MAX_CACHES;
    }
    if (on_memory_bus <= SNOOP_FILTER_PORTS)
        return fault_none();
    return CONFIG_FAULTY(config, "memory_bus: %u caches sit on it; give up to %d, and a level between, such as "
                         "l2.private: yes with an l3", on_memory_bus - 1, SNOOP_FILTER_PORTS - 1);
}

struct fault config_finish_tree(struct system_config *config)
{
    struct tree tree = {.above = {0}};

    FORWARD(check_names(config));
    FORWARD(read_all_names(config));
    FORWARD(put_in_order(config));
    FORWARD(read_all_names(config));   /* references are places in the order */
    for (unsigned i = 0; i < CONFIG_MAX_CACHES; i++)
        for (unsigned instance = 0; instance < CONFIG_MAX_CORES; instance++)
            tree.below[i][instance] = CONFIG_MAX_CACHES;
    for (unsigned i = 0; i < config->cache_count; i++)
        FORWARD(hang_above(config, &tree, i));
    return check_ports(config, &tree);
}

bool config_cache_below(const struct system_config *config, unsigned cache, unsigned instance, unsigned *below,
                        unsigned *below_instance)
{
    for (unsigned i = cache + 1; i < config->cache_count; i++) {
        const struct cache_config *made = &config->caches[i];

        for (unsigned k = 0; k < made->behind_count; k++) {
            bool const is_this = made->behind[k].instance < 0 || (unsigned)made->behind[k].instance == instance;

            if (made->behind[k].cache != cache || !is_this)
                continue;
            *below = i;
            *below_instance = made->is_private ? instance : 0;
            return true;
        }
    }
    return false;
}
