/* Paths that follow each other (paths.h): the loop that takes most words of a capture. Its text stands once, and is
 * compiled for any processor (follow.c) and for some that compare more words at a time (fast/follow_wide.c).
 *
 * Use: define FOLLOW_MATCH as what compares a path, of the contract of match_path; include this once; call
 * follow_paths. */
#ifndef PROTO_CAPTURE_FOLLOW_H
#define PROTO_CAPTURE_FOLLOW_H

#include "proto/capture/strand.h"

static inline void add_part(struct match_place *at, const struct path_part *part, unsigned blocks)
{
    at->runs += blocks;
    at->addresses += part->access_count;
    at->counts += part->counts;
    at->derived += part->derived_count;
    at->begin += part->length;
}

/* Behind a path; answers the one with which the next block begins, NULL: it has none. */
static inline struct path *go_behind(const struct paths *paths, struct match_place *at, struct path *path)
{
    struct path *next = path->follows;

    add_part(at, &path->all, path->block_count);
    path->hits++;
    if (__builtin_expect(next->block != path->all.next, 0)) {
        next = paths->of[path->all.next].first;
        if (next != NULL)
            path->follows = next;
    }
    return next;
}

struct matched_part { struct path *path; unsigned blocks; };

/* No path of a block matches, of which this is one: the one of which a part does, and how many blocks; NULL: none. */
static __attribute__((noinline)) struct matched_part match_part(struct path *path, const uint64_t *words,
                                                                uint64_t *addresses, uint32_t *runs)
{
    struct matched_part part = {path, paths_part(path, words)};

    if (part.blocks == 0 && path->other != NULL)
        part = (struct matched_part){path->other, paths_part(path->other, words)};
    if (part.blocks == 0)
        return (struct matched_part){NULL, 0};
    (void)match_path(part.path, words, addresses, runs);
    return part;
}

/* match_part is given copies of what `at` has, never its address: so it stays in registers. */
static inline bool follow_paths(struct assembler *all, struct match_place *to, const uint64_t *end)
{
    struct paths *const paths = &all->paths;
    struct repeat *const blocks = all->repeats.blocks;
    struct match_place at = *to;
    struct path *path = paths->of[at.repeat - blocks].first;
    struct path_part last = {.next = (uint32_t)(at.repeat - blocks), .last = (uint32_t)(at.last - blocks)};
    const struct path_part *taken = &last;       /* what was taken last: a path's own as long as it cannot change */
    uint32_t steps = 0, misses = 0;

    do {
        struct path *now = path;

        steps++;
        if (__builtin_expect(!FOLLOW_MATCH(path, at.begin, at.addresses, at.runs), 0)) {
            misses++;
            if (paths_missed(path)) {
                last = *taken;
                taken = &last;
                paths_judge(path);
                continue;                /* perhaps it is the other one now */
            }
            now = path->other;
            if (now == NULL || !FOLLOW_MATCH(now, at.begin, at.addresses, at.runs)) {
                struct matched_part const part = match_part(path, at.begin, at.addresses, at.runs);

                path = part.path;
                if (path == NULL)
                    break;
                last = path->parts[part.blocks];
                taken = &last;
                add_part(&at, &last, part.blocks);
                if (paths_missed_part(path))
                    paths_shorten(path, &all->repeats, part.blocks);
                path = paths_by(paths, last.next, at.begin);
                continue;
            }
        }
        path = go_behind(paths, &at, now);
        taken = &now->all;
    } while (path != NULL && at.begin < end);
    at.last = &blocks[taken->last];
    at.repeat = &blocks[taken->next];
    paths->cost += PATH_STEP_COST * steps + PATH_MISS_COST * misses;
    paths->blocks += (uint64_t)(at.runs - to->runs);
    *to = at;
    return path != NULL;
}

#endif
