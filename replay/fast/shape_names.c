/* Names of shapes (shape_names.h): a hash table with open addressing, in which the shapes of all blocks meet.
 *
 * Shapes differ if they differ in a field that affects time: type, delay, links, how many parents, the access and the
 * weight. Instruction and sequence numbers do not. */
#include "replay/fast/shape_names.h"

#include <string.h>

#include "base/hints.h"

static const struct shape_facts no_facts = {.name = SHAPE_NAMELESS, .reach = INT16_MAX, .children = UINT16_MAX};

void shape_names_clear(struct shape_names *names)
{
    memset(names->hashed, 0, sizeof names->hashed);
    names->count = names->listed = names->most_children = names->farthest_early = 0;
    names->forms = (struct store_forms){0};
}

bool shape_names_begin_block(struct shape_names *names, const struct record_source *source)
{
    names->source = source;
    names->low = names->high = 0;
    if (!source->forms || !source->forms(source->self, &names->forms)
        || names->forms.records > STORE_BLOCK_RECORDS || names->forms.shape_count > STORE_BLOCK_SHAPES) {
        names->forms = (struct store_forms){0};
        return false;
    }
    memset(names->facts, 0, names->forms.shape_count * sizeof *names->facts);
    return true;
}

/* The compared parts of a shape, without links that are listed separately. */
static struct store_shape essence_of(const struct store_shape *shape)
{
    struct store_shape essence;

    memset(&essence, 0, sizeof essence);
    essence.size_bytes = shape->size_bytes;
    essence.flags = shape->flags;
    essence.weight = shape->weight;
    essence.is_access = shape->is_access;
    essence.link_count = shape->link_count;
    essence.comp_delay = shape->comp_delay;
    essence.links.type = shape->links.type;
    essence.links.count = shape->links.count;
    if (!(shape->links.count & STORE_LISTS_LINKS))
        memcpy(essence.links.near, shape->links.near,
               (shape->links.count & STORE_NEAR_LINKS) * sizeof *essence.links.near);
    return essence;
}

static uint64_t shape_names_hash_of(const struct store_shape *essence, const struct store_link_list *list)
{
    uint64_t words[sizeof *essence / sizeof(uint64_t)], hash = 0;

    memcpy(words, essence, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 32;
    for (uint32_t i = 0; i < list->count; i++)
        hash = (hash ^ store_listed_link(list, i)) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 32;
    return hash;
}

static bool has_links(const struct shape_names *names, const struct store_shape *named,
                      const struct store_link_list *list)
{
    uint32_t const at = named->links.near[0], count = named->links.near[1];

    if (count != list->count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (names->links[at + i] != store_listed_link(list, i))
            return false;
    return true;
}

/* Is it the shape of that name? */
static bool is_named(const struct shape_names *names, uint32_t name, const struct store_shape *essence,
                     const struct store_link_list *list)
{
    struct store_shape named = names->shapes[name];

    if (essence->links.count & STORE_LISTS_LINKS) {
        if (!(named.links.count & STORE_LISTS_LINKS) || !has_links(names, &named, list))
            return false;
        memset(named.links.near, 0, sizeof named.links.near);
    }
    return memcmp(&named, essence, sizeof named) == 0;
}

static uint16_t shape_names_find_name(struct shape_names *names, const struct store_shape *shape)
{
    bool const is_listed = shape->links.count & STORE_LISTS_LINKS;
    struct store_link_list const list = is_listed ? store_link_list(&shape->links) : (struct store_link_list){0};
    struct store_shape const essence = essence_of(shape);
    uint64_t place = shape_names_hash_of(&essence, &list) % (2 * SHAPE_NAMES);

    for (; names->hashed[place] != 0; place = (place + 1) % (2 * SHAPE_NAMES))
        if (is_named(names, names->hashed[place], &essence, &list))
            return names->hashed[place];
    if (shape_names_are_used_up(names) || list.count > SHAPE_NAME_LISTED - names->listed)
        return SHAPE_NAMELESS;
    names->hashed[place] = (uint16_t)++names->count;
    names->shapes[names->count] = essence;
    if (is_listed) {
        names->shapes[names->count].links.near[0] = (uint16_t)names->listed;
        names->shapes[names->count].links.near[1] = (uint16_t)list.count;
        for (uint32_t i = 0; i < list.count; i++)
            names->links[names->listed++] = (uint16_t)store_listed_link(&list, i);
    }
    return (uint16_t)names->count;
}

/* How far its parents are; false if that is not known of all. */
static bool find_reach(const struct record_source *source, const struct store_shape *shape, int16_t *reach)
{
    uint32_t nearest = INT16_MAX, farthest_order = 0;
    struct store_lists lists;
    struct fault fault;

    if (shape->reach > STORE_LINK_REACH || source->lists(source->self, shape, &lists, &fault) != SOURCE_RECORD)
        return false;
    for (uint32_t i = 0; i < lists.rob_dep_count + lists.reg_dep_count; i++) {
        uint32_t const distance = lists.record_distance[i];

        if (distance == 0 || distance > STORE_LINK_REACH)
            return false;
        nearest = distance < nearest ? distance : nearest;
        if (i < lists.rob_dep_count && distance > farthest_order)
            farthest_order = distance;
    }
    *reach = (int16_t)(nearest > farthest_order ? nearest : farthest_order);
    return true;
}

static void note_child(struct shape_facts *facts, uint32_t link)
{
    facts->children++;
    if (link & STORE_LINK_EARLY && store_link_distance(link) > facts->early)
        facts->early = (uint16_t)store_link_distance(link);
}

/* False if there are too many. */
static bool find_children(const struct store_links *links, struct shape_facts *facts)
{
    facts->children = 0;
    if (links->count & STORE_LISTS_LINKS) {
        struct store_link_list const list = store_link_list(links);

        if (list.count > STORE_LINK_REACH)
            return false;
        for (uint32_t i = 0; i < list.count; i++)
            note_child(facts, store_listed_link(&list, i));
        return true;
    }
    for (unsigned i = 0; i < (links->count & STORE_NEAR_LINKS); i++)
        note_child(facts, links->near[i]);
    return true;
}

static struct shape_facts find_facts(struct shape_names *names, const struct store_shape *shape)
{
    struct shape_facts facts = no_facts;

    if (!find_reach(names->source, shape, &facts.reach) || !find_children(&shape->links, &facts))
        return no_facts;
    facts.name = shape_names_find_name(names, shape);
    names->most_children = facts.children > names->most_children ? facts.children : names->most_children;
    names->farthest_early = facts.early > names->farthest_early ? facts.early : names->farthest_early;
    facts.parents = shape->link_count;
    return facts;
}

/* Facts of a shape for the first time. */
NOINLINE static const struct shape_facts *ask(struct shape_names *names, uint32_t number)
{
    if (number >= names->forms.shape_count)
        return &no_facts;
    names->asked++;
    names->facts[number] = find_facts(names, &names->forms.shapes[number]);
    return &names->facts[number];
}

static FORCE_INLINE const struct shape_facts *facts_of(struct shape_names *names, uint32_t number)
{
    if (unlikely(number >= STORE_BLOCK_SHAPES || names->facts[number].name == 0))
        return ask(names, number);
    return &names->facts[number];
}

const struct shape_facts *shape_names_of(struct shape_names *names, uint64_t i)
{
    return facts_of(names, bits_load16(names->forms.numbers + 2 * i));
}

void shape_names_prepare(struct shape_names *names, uint64_t first, uint64_t end)
{
    const uint8_t *const numbers = names->forms.numbers;
    uint16_t *const to_names = names->names;
    int16_t *const to_reaches = names->reaches;
    uint8_t *const to_parents = names->parents;
    uint64_t i;

    if (first < names->low || first > names->high)
        names->low = names->high = first;
    for (i = names->high; i < end; i++) {
        struct shape_facts const facts = *facts_of(names, bits_load16(numbers + 2 * i));

        to_names[i] = facts.name;
        to_reaches[i] = facts.reach;
        to_parents[i] = facts.parents;
    }
    names->high = i;
}

int16_t shape_names_farthest(const struct shape_names *names, uint64_t first, uint64_t end)
{
    int16_t farthest = 0;

    for (; first < end; first++)
        farthest = names->reaches[first] > farthest ? names->reaches[first] : farthest;
    return farthest;
}
