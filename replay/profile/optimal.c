/* Two passes over the list: backwards to find the next fetch of each access's line, forwards to keep lines. A line
 * whose next access is free needs no keeping until then. */
#include "replay/profile/optimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number_map.h"
#include "memsys/sim/packet.h"
#include "replay/system/system.h"

struct optimal_way {
    uint64_t line;
    size_t next;                         /* OPTIMAL_NEVER: the way is free, or may as well be */
};

enum { OPTIMAL_NAME = 64 };

#define OPTIMAL_NEVER SIZE_MAX
#define OPTIMAL_CACHES UINT64_C(128)     /* more than there are of a kind */

/* next[i]: the access that fetches the line of access i unless it is kept. */
static bool find_next(const struct optimal_access *list, size_t count, size_t *next)
{
    struct number_map seen = {0};
    bool good = true;

    for (size_t i = count; good && i-- > 0;) {
        uint64_t *const later = number_map_put(&seen, list[i].line);

        good = later != NULL;
        if (!good)
            break;
        next[i] = *later > 0 && !list[*later - 1].is_free ? (size_t)(*later - 1) : OPTIMAL_NEVER;
        *later = i + 1;
    }
    number_map_free(&seen);
    return good;
}

/* The way that has the line, or else the one to be given up first. */
static struct optimal_way *find_way(struct optimal_way *ways, uint32_t assoc, uint64_t line)
{
    struct optimal_way *last = ways;

    for (uint32_t i = 0; i < assoc; i++) {
        if (ways[i].next != OPTIMAL_NEVER && ways[i].line == line)
            return &ways[i];
        if (ways[i].next > last->next)
            last = &ways[i];
    }
    return last;
}

struct fault optimal_least(const struct optimal_access *list, size_t count, size_t from, uint32_t assoc,
                           uint64_t *least)
{
    uint32_t sets = 1;

    for (size_t i = 0; i < count; i++)
        sets = list[i].set >= sets ? list[i].set + 1 : sets;

    size_t *const next = malloc((count + 1) * sizeof *next);
    struct optimal_way *const ways = calloc((size_t)sets * assoc, sizeof *ways);
    bool const good = next && ways && find_next(list, count, next);

    *least = 0;
    for (size_t i = 0; good && i < (size_t)sets * assoc; i++)
        ways[i].next = OPTIMAL_NEVER;
    for (size_t i = 0; good && i < count; i++) {
        struct optimal_way *const way = find_way(&ways[(size_t)list[i].set * assoc], assoc, list[i].line);
        bool const is_there = way->next != OPTIMAL_NEVER && way->line == list[i].line;

        *least += !is_there && !list[i].is_free && i >= from;
        if (is_there || next[i] < way->next)
            *way = (struct optimal_way){list[i].line, next[i]};
    }
    free(next);
    free(ways);
    return good ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for the optimal policy");
}

/* ---- the accesses of a run */
static void optimal_take(void *context, const struct profile_access *access)
{
    struct optimal *const optimal = context;
    uint32_t const attributes = command_attributes(access->command);

    if (access->restarts != optimal->restarts) {
        optimal->restarts = access->restarts;
        optimal->from = optimal->count;
        optimal->fetched = 0;
    }
    if (!list_fit(&optimal->list, optimal->count + 1, &optimal->room, sizeof *optimal->list)) {
        optimal->lacks_memory = true;
        return;
    }
    optimal->assoc = access->assoc;
    optimal->fetched += access->is_fetch;
    optimal->list[optimal->count++] = (struct optimal_access){
        .line = (access->address / access->line_bytes) * OPTIMAL_CACHES + access->instance,
        .set = (uint32_t)access->set,
        .is_free = (attributes & ATTR_EVICTION) || ((attributes & ATTR_LLSC) && (attributes & ATTR_WRITE))};
}

void optimal_listen(struct optimal *optimal, struct profile *profile, const char *kind)
{
    optimal->kind = kind;
    profile_listen(profile, kind, optimal_take, optimal);
}

struct fault optimal_count(const struct optimal *optimal, struct optimal_counts *counts)
{
    if (optimal->lacks_memory)
        return fault_make(FAULT_MEMORY, "out of memory for the accesses of %s", optimal->kind);
    *counts = (struct optimal_counts){.accesses = optimal->count - optimal->from, .fetched = optimal->fetched};
    return optimal_least(optimal->list, optimal->count, optimal->from, optimal->assoc, &counts->least);
}

void optimal_visit(const struct optimal_counts *counts, const struct system *system, const char *kind,
                   void (*visit)(void *context, const char *name, double value), void *context)
{
    char name[OPTIMAL_NAME];

    for (unsigned i = 0; i < system->cache_count; i++)
        if (strcmp(system->caches[i].kind, kind) == 0) {
            snprintf(name, sizeof name, "system.%s.optimalFetched", system->caches[i].name);
            visit(context, name, (double)counts->fetched);
            snprintf(name, sizeof name, "system.%s.optimalLeast", system->caches[i].name);
            visit(context, name, (double)counts->least);
            return;
        }
}

void optimal_free(struct optimal *optimal)
{
    free(optimal->list);
    optimal->list = NULL;
}
