/* Matches consecutive superblocks (capture_paths.h): the loop that consumes most words of a capture. This source is
 * compiled twice: for any processor (follow.c), and for those with wider vectors (fast/follow_wide.c).
 *
 * Use: define FOLLOW_MATCH as a function with the contract of match_path; include this file once; call follow_paths. */
#ifndef PROTO_CAPTURE_FOLLOW_H
#define PROTO_CAPTURE_FOLLOW_H

#include "proto/capture/strand.h"

static inline void add_part(struct match_place *at, const struct path_part *part)
{
    at->runs += part->run_count;
    at->addresses += part->access_count;
    at->counts += part->counts;
    at->derived += part->derived_count;
    at->begin += part->length;
}

/* Behind a path; answers the one with which the next block begins, NULL: it has none. */
static inline struct path *go_behind(const struct paths *paths, struct match_place *at, struct path *path)
{
    struct path *next = path->follows;

    add_part(at, &path->all);
    path->hits++;
    if (__builtin_expect(next->block != path->all.next, 0)) {
        next = paths->of[path->all.next].first;
        if (next != NULL)
            path->follows = next;
    }
    return next;
}

/* `at` stays in registers, since its address is never taken. */
static inline bool follow_paths(struct assembler *all, struct match_place *to, const uint64_t *end)
{
    struct paths *const paths = &all->paths;
    struct repeat *const blocks = all->repeats.blocks;
    struct match_place at = *to;
    struct path *path = paths->of[at.repeat - blocks].first;
    struct path_part last = {.next = (uint32_t)(at.repeat - blocks), .last = (uint32_t)(at.last - blocks)};
    const struct path_part *taken = &last;       /* last part taken; may point into a superblock */
    uint32_t steps = 0, misses = 0, block_count = 0;

    do {
        unsigned part = 0;                       /* matching blocks of a mismatched superblock; 0: all match */

        steps++;
        if (__builtin_expect(!FOLLOW_MATCH(path, at.begin, at.addresses, at.runs), 0)) {
            misses++;
            if (paths_missed(path)) {
                last = *taken;
                taken = &last;
                paths_judge(path);
                continue;                /* perhaps it is the other one now */
            }
            part = paths_part(path, at.begin);
            if (part == 0) {
                /* Not even its first block matches, as it is left for elsewhere: the other path's way, perhaps. */
                path = path->other;
                if (path != NULL && !FOLLOW_MATCH(path, at.begin, at.addresses, at.runs)) {
                    part = paths_part(path, at.begin);
                    path = part != 0 ? path : NULL;
                }
                if (path == NULL)
                    break;
            }
        }
        if (part != 0) {
            paths_put_part(path, &all->sink, part, at.runs);
            last = path->parts[part];
            taken = &last;
            add_part(&at, &last);
            block_count += part;
            if (paths_missed_part(path))
                paths_shorten(path, &all->repeats, &all->sink, part);
            path = paths_by(paths, last.next, at.begin);
            continue;
        }
        taken = &path->all;
        block_count += path->block_count;
        path = go_behind(paths, &at, path);
    } while (path != NULL && at.begin < end);
    at.last = &blocks[taken->last];
    at.repeat = &blocks[taken->next];
    paths->cost += PATH_STEP_COST * steps + PATH_MISS_COST * misses;
    paths->blocks += block_count;
    *to = at;
    return path != NULL;
}

#endif
