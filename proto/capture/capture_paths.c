/* A superblock goes from block to block by the majority exit of each, as voted when no superblock matched (Boyer,
 * Moore: the majority vote); the second superblock of a block takes an exit that differs from the first one's. A loop
 * is unrolled as often as it fits as a whole, so that the superblock leads to its own beginning.
 *
 * A mismatch costs a mispredicted branch. So the one of two superblocks that matches more often is tried first; a
 * superblock that mostly matches only in part is shortened; and if superblocks still cost more than they save, they are
 * not used for a while, for longer each time. */
#include "proto/capture/capture_paths.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/list.h"

/* Words after which all superblocks are discarded; words of warm-up, and blocks of each trial after it; words of
 * pauses, each PAUSE_GROWTH times as long as the last. */
enum { WORDS_UNTIL_RENEWED = 1 << 24, WORDS_UNTIL_GOOD = 1 << 19, TRIAL_BLOCKS = 1 << 17 };
enum { FIRST_PAUSE = 1 << 18, LAST_PAUSE = 1 << 28, PAUSE_GROWTH = 4 };

void paths_end(struct paths *paths)
{
    free(paths->list);
    free(paths->of);
    *paths = (struct paths){0};
}

bool paths_fit(struct paths *paths, uint64_t blocks)
{
    if (blocks <= paths->room)
        return true;
    if (paths->list == NULL) {
        paths->list = aligned_alloc(CAPTURE_CACHE_LINE, PATHS * sizeof *paths->list);
        if (paths->list == NULL)
            return false;
        memset(paths->list, 0, sizeof *paths->list);
        paths->count = 1;
    }
    if (!list_extend(&paths->of, paths->room, blocks, sizeof *paths->of, 0))
        return false;
    paths->room = blocks;
    return true;
}

/* --- that they hold --- */

static void capture_paths_forget(struct paths *paths, struct path *path)
{
    if (path->other != NULL)
        path->other->other = NULL;
    paths->of[path->block].first = path->other;
    path->block = 0;
    path->follows = paths->free;
    paths->free = path;
}

void paths_forget(struct paths *paths)
{
    if (paths->room == 0)
        return;
    for (uint32_t i = 1; i < paths->count; i++)
        paths->list[i].block = 0;
    paths->count = 1;
    paths->free = NULL;
    paths->words = 0;
    memset(paths->of, 0, paths->room * sizeof *paths->of);
}

static bool has_block(const struct path *path, uint64_t number)
{
    for (unsigned k = 0; k <= path->block_count; k++)
        if (path->parts[k].next == number)
            return true;
    return false;
}

void paths_forget_block(struct paths *paths, uint64_t number)
{
    if (number >= paths->room)
        return;
    for (uint32_t i = 1; i < paths->count && paths->of[number].is_part; i++)
        if (paths->list[i].block != 0 && has_block(&paths->list[i], number))
            capture_paths_forget(paths, &paths->list[i]);
    paths->of[number] = (struct path_start){.first = NULL};
}

void paths_renew(struct paths *paths, uint32_t version)
{
    if (paths->version != version || paths->words > WORDS_UNTIL_RENEWED)
        paths_forget(paths);
    paths->version = version;
}

void paths_account(struct paths *paths, uint64_t words)
{
    if (paths->pause > 0) {
        paths->pause -= min_u64(words, paths->pause);
        return;
    }
    paths->words += words;
    if (paths->words >= WORDS_UNTIL_GOOD && paths->blocks < TRIAL_BLOCKS)
        return;
    if (paths->words >= WORDS_UNTIL_GOOD) {
        paths->last_pause = paths->cost <= PATH_BLOCK_COST * paths->blocks ? 0
            : paths->last_pause == 0 ? FIRST_PAUSE : min_u64(PAUSE_GROWTH * paths->last_pause, LAST_PAUSE);
        paths->pause = paths->last_pause;
    }
    paths->cost = paths->blocks = 0;
}

/* --- how they are made --- */

static void want(struct path *path, unsigned i, uint64_t word, uint64_t mask)
{
    path->want[i / 2][i % 2] = word;
    path->mask[i / 2][i % 2] = mask;
}

static void want_tag(struct path *path, unsigned i, uint64_t tag)
{
    if (repeat_has_first(tag))
        want(path, i, tag << CAPTURE_FIRST_SHIFT, ~CAPTURE_FIRST_ADDRESS_MASK);
    else
        want(path, i, tag, UINT64_MAX);
}

/* The block behind it, left this way. */
static void capture_paths_add(struct path *path, const struct repeats *repeats, struct repeat_exit by)
{
    const struct path_part before = path->parts[path->block_count];
    const struct repeat *const repeat = &repeats->blocks[before.next];
    const uint8_t *const accesses = repeats->accesses + repeats->known[before.next].accesses_at;
    const unsigned own = !repeat_has_first(repeat->tag);

    want_tag(path, before.length, repeat->tag);
    for (unsigned i = 1; i < repeat->length; i++)
        want(path, before.length + i, (repeat->heads >> 16 * (i - 1) & UINT16_MAX) << CAPTURE_FIELD_SHIFT,
             ~CAPTURE_VALUE_MASK);
    for (unsigned i = 0, access = 0; i < repeat->length; i++) {
        path->addresses[before.length + i] = (uint8_t)(before.access_count + access);
        access += access < repeat->access_count && i == accesses[access] + own;
    }
    path->own_runs[path->block_count++] = by.run;
    path->parts[path->block_count] = (struct path_part){
        .counts = before.counts + repeat->counts, .next = by.next, .last = before.next,
        .derived_count = (uint16_t)(before.derived_count + repeat->derived_count),
        .length = (uint8_t)(before.length + repeat->length),
        .access_count = (uint8_t)(before.access_count + repeat->access_count)
    };
}

static bool can_add(const struct paths *paths, const struct path *path, const struct repeats *repeats,
                    struct repeat_exit by)
{
    const struct path_part *const at = &path->parts[path->block_count];
    const struct repeat *const repeat = &repeats->blocks[at->next];

    return repeat->near_version == paths->version && !paths->of[at->next].is_many && by.next != 0 &&
        repeats->blocks[by.next].tag != 0 && at->length + repeat->length < PATH_WORDS;
}

/* Layout for follow_wide: the halves of the words with addresses, in front of each group of four words. */
static void put_in_order(struct path *path)
{
    unsigned count[2] = {0, 0};

    memset(path->order, 0, sizeof path->order);
    for (unsigned i = 0; i < path->all.length; i++) {
        const unsigned behind = i + 1 < path->all.length ? path->addresses[i + 1] : path->all.access_count;
        const unsigned four = i / 4, at = 8 * four + 2 * count[four];

        if (path->addresses[i] == behind)
            continue;
        path->order[at] = (uint8_t)(2 * (i % 4));
        path->order[at + 1] = (uint8_t)(2 * (i % 4) + 1);
        count[four]++;
    }
    path->low_count = (uint8_t)count[0];
}

void paths_put_part(struct path *path, const struct assemble_sink *sink, unsigned blocks, uint32_t *runs)
{
    struct path_part *const part = &path->parts[blocks];

    if (part->run_count == 0) {
        part->joined = sink->join != NULL && blocks > 1 ? sink->join(sink->of, path->own_runs, blocks) : REPEAT_NO_RUN;
        part->run_count = part->joined != REPEAT_NO_RUN ? 1 : (uint8_t)blocks;
    }
    memcpy(runs, path->own_runs, sizeof path->own_runs);
    if (part->joined != REPEAT_NO_RUN)
        runs[0] = part->joined;
}

/* Ends it behind its first blocks. */
static void end_path(struct path *path, const struct repeats *repeats, const struct assemble_sink *sink,
                     unsigned blocks)
{
    paths_put_part(path, sink, blocks, path->runs);
    path->block_count = (uint8_t)blocks;
    path->all = path->parts[blocks];
    for (unsigned i = path->all.length; i < PATH_WORDS; i++)
        want(path, i, 0, 0);
    want_tag(path, path->all.length, repeats->blocks[path->all.next].tag);
    memset(path->addresses + path->all.length, path->all.access_count, PATH_WORDS - path->all.length);
    put_in_order(path);
    for (unsigned words = 0, k = 0; words < PATH_WORDS; words++) {
        if (k < blocks && path->parts[k + 1].length < words)
            k++;
        path->blocks[words] = (uint8_t)k;
    }
}

/* As many blocks as have room, the first left this way, a loop as often as it has, and each time this way. */
static void capture_paths_gather(const struct paths *paths, struct path *path, const struct repeats *repeats,
                                 struct repeat_exit by)
{
    unsigned loop = 0;

    while (can_add(paths, path, repeats, by)) {
        const struct path_part *now;

        capture_paths_add(path, repeats, by);
        now = &path->parts[path->block_count];
        by = paths->of[now->next].by;
        if (now->next != path->parts[0].next)
            continue;
        by = (struct repeat_exit){.next = path->parts[1].next, .run = path->own_runs[0]};
        loop = loop == 0 ? now->length : loop;
        if (now->length + loop >= PATH_WORDS)
            break;
    }
}

static struct path *free_path(struct paths *paths)
{
    struct path *path = paths->free;

    if (path != NULL)
        paths->free = path->follows;
    else
        path = &paths->list[paths->count++];
    memset(path, 0, sizeof *path);
    return path;
}

static bool is_by(const struct path *path, uint32_t next)
{
    return path != NULL && path->parts[1].next == next;
}

void paths_make(struct paths *paths, const struct repeats *repeats, const struct assemble_sink *sink, uint32_t number,
                struct repeat_exit by)
{
    struct path_start *const start = &paths->of[number];
    struct path *const first = start->first;
    struct path *path;

    if (first != NULL && first->other != NULL && start->met / 2 > first->hits + first->other->hits) {
        capture_paths_forget(paths, first->other);
        capture_paths_forget(paths, first);
        start->is_many = true;
    }
    if (start->is_many || (first != NULL && (first->other != NULL || is_by(first, by.next))) ||
        (paths->free == NULL && paths->count == PATHS))
        return;
    path = free_path(paths);
    path->follows = paths->list;
    path->block = path->parts[0].next = path->parts[0].last = number;
    path->other = first;
    capture_paths_gather(paths, path, repeats, first == NULL ? start->by : by);
    if (first != NULL)
        first->other = path;
    else
        start->first = path;
    if (path->block_count == 0) {
        capture_paths_forget(paths, path);
        return;
    }
    end_path(path, repeats, sink, path->block_count);
    for (unsigned k = 0; k <= path->block_count; k++)
        paths->of[path->parts[k].next].is_part = true;
}

/* --- which are good ones --- */

unsigned paths_part(const struct path *path, const uint64_t *words)
{
    unsigned differing = 1u << (PATH_WORDS - 1);         /* the last one at the latest */

    for (unsigned i = 0; i < PATH_WORDS - 1; i++)
        differing |= (unsigned)(((words[i] ^ path->want[i / 2][i % 2]) & path->mask[i / 2][i % 2]) != 0) << i;
    return path->blocks[__builtin_ctz(differing)];
}

void paths_judge(struct path *path)
{
    struct path *const other = path->other;

    if (other != NULL && path->hits - path->judged_hits < PATH_MISSES) {
        const struct path before = *path;

        *path = *other;
        *other = before;
        path->other = other;
        other->other = path;
        other->judged_hits = other->hits;
    }
    path->judged_hits = path->hits;
}

void paths_shorten(struct path *path, const struct repeats *repeats, const struct assemble_sink *sink, unsigned blocks)
{
    if (path->hits - path->judged_part_hits < PATH_MISSES)
        end_path(path, repeats, sink, blocks);
    path->judged_part_hits = path->hits;
}
