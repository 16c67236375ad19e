/* Blocks that follow each other as they did before, matched at once.
 *
 * A path is a block that is met often and those that mostly come behind it, of few words all together: what each word
 * must be, where their addresses go, their runs. So one comparison and one branch stand for several blocks. It is made
 * of near blocks (repeats.h) and of ways out that were taken, of nothing else: words that match a path match its blocks
 * one by one, and become the same instructions. The sink may join the runs of a path. A block may have two paths, by
 * where it is left for. Where the end of a path does not match, the blocks before that are taken.
 *
 * Use: begin with {0}; paths_fit whenever there are more blocks; before matching paths_renew, and paths_are_used;
 * match_path of paths->of[block].first, then of its `other`, then paths_part of both; paths_met where nothing matched
 * and the block was taken alone. paths_missed, paths_missed_part say when to call paths_judge, paths_shorten.
 * paths_forget, paths_forget_block when what they are made of does not hold any more; paths_account behind matching;
 * paths_end. What is in a path holds until the next paths_met, paths_judge or paths_shorten. */
#ifndef PROTO_CAPTURE_PATHS_H
#define PROTO_CAPTURE_PATHS_H

#include <string.h>

#include "proto/capture/assemble.h"
#include "proto/capture/repeats.h"

/* Words that are compared: of the path, and the first of the block behind it. */
enum { PATH_WORDS = 8, PATH_BLOCKS = PATH_WORDS - 1, PATHS = 2048 };
/* A path is looked for when no path of a block matched so many times, and each time that is twice as many; one is
 * judged each time that it did not match so many times. Both are powers of 2. */
enum { PATH_MET = 256, PATH_MISSES = 512 };

/* What is spent, in parts of a block's: for a path that is tried, for one that did not match; and for a block without
 * paths. */
enum { PATH_STEP_COST = 12, PATH_MISS_COST = 48, PATH_BLOCK_COST = 10 };

/* Two words. */
typedef uint64_t path_pair __attribute__((vector_size(16)));

/* The first blocks of a path, added up. */
struct path_part {
    uint64_t counts;                     /* as of struct repeat */
    uint32_t next, last;                 /* the block behind them; the last of them */
    uint32_t joined;                     /* their run, if the sink joined them: run_count 1 */
    uint16_t derived_count;
    uint8_t length, access_count;
    uint8_t run_count;                   /* what they are put as; 0: it was not asked yet */
};

struct path {
    path_pair want[PATH_WORDS / 2] __attribute__((aligned(CAPTURE_CACHE_LINE)));
    path_pair mask[PATH_WORDS / 2];      /* bits that must be as wanted; where addresses are, not those of them */
    uint8_t order[2 * PATH_WORDS] __attribute__((aligned(16)));  /* of each four words the halves that are addresses */
    uint32_t runs[PATH_WORDS];           /* what all of it is put as */
    uint8_t low_count;                   /* addresses in the first four words */
    uint8_t block_count;
    struct path *follows;                /* the one with which the block behind it begins, if that is its block */
    struct path *other;                  /* of the same block; NULL: none */
    struct path_part all;
    uint32_t block;                      /* with which it begins; 0: none, it is free */
    uint32_t hits;
    uint32_t own_runs[PATH_WORDS];       /* of its blocks */
    uint8_t addresses[PATH_WORDS];       /* where those of words go; of one without, where the next goes */
    uint8_t blocks[PATH_WORDS];          /* by the first words that match: blocks that do */
    struct path_part parts[PATH_BLOCKS + 1];     /* by number of blocks */
    /* How often none, only a part of it matched; and hits until it was judged for that. */
    uint32_t misses, part_misses, judged_hits, judged_part_hits;
};

/* What is known of a block with which paths may begin. */
struct path_start {
    struct path *first;                  /* the one that is tried first; NULL: none */
    struct repeat_exit by;               /* where it was mostly left for when no path matched */
    uint32_t votes;                      /* by how many more than for others */
    uint32_t met;                        /* how often no path matched */
    bool is_many;                        /* it is left for more than two: no path goes through it */
    bool is_part;                        /* of a path, or behind one */
};

struct paths {
    struct path *list;                   /* PATHS of them; the first is none's */
    struct path *free;                   /* leads to others by `follows`; NULL: none */
    struct path_start *of;               /* by block */
    uint64_t room;                       /* blocks */
    uint32_t count, version;             /* version: code->version for which all hold */
    uint64_t words;                      /* since they were forgotten */
    uint64_t blocks, cost;               /* taken in the trial that goes on; by how many steps, in parts of a block's */
    uint64_t pause, last_pause;          /* words until they are tried again; 0: they are used */
};

void paths_end(struct paths *paths);

/* False: out of memory. */
bool paths_fit(struct paths *paths, uint64_t blocks);

/* For code of this version. They are made anew now and then: programs change what they do. */
void paths_renew(struct paths *paths, uint32_t version);
/* So many words were matched, with paths or without. Where paths cost more than they spare, they are not used for a
 * while. */
void paths_account(struct paths *paths, uint64_t words);

static inline bool paths_are_used(const struct paths *paths)
{
    return paths->pause == 0;
}

/* None is left, nor what was learned of blocks. */
void paths_forget(struct paths *paths);
/* Nor those with this block. */
void paths_forget_block(struct paths *paths, uint64_t number);

/* A block was met often enough, and left this way: it may have a path more then. */
void paths_make(struct paths *paths, const struct repeats *repeats, const struct assemble_sink *sink, uint32_t number,
                struct repeat_exit by);

/* No path of a block matched; it was matched without, and left this way. */
static inline void paths_met(struct paths *paths, const struct repeats *repeats, const struct assemble_sink *sink,
                             uint32_t number, struct repeat_exit by)
{
    struct path_start *const start = &paths->of[number];

    if (start->votes == 0)
        start->by = by;
    start->votes += by.next == start->by.next ? 1u : UINT32_MAX;
    start->met++;
    if (start->met >= PATH_MET && (start->met & (start->met - 1)) == 0)
        paths_make(paths, repeats, sink, number, by);
}

/* Does all of it match? PATH_WORDS words can be read, and so many addresses and runs written: those of the blocks that
 * match are right. What a word has beside what it should have is its address. */
static inline __attribute__((always_inline)) bool match_path(const struct path *path, const uint64_t *words,
                                                             uint64_t *addresses, uint32_t *runs)
{
    path_pair differing = {0, 0};

    for (unsigned i = 0; i < PATH_WORDS / 2; i++) {
        path_pair pair;

        memcpy(&pair, words + 2 * i, sizeof pair);
        pair ^= path->want[i];
        differing |= pair & path->mask[i];
        addresses[path->addresses[2 * i]] = pair[0];
        addresses[path->addresses[2 * i + 1]] = pair[1];
    }
    memcpy(runs, path->runs, sizeof path->runs);
    return (differing[0] | differing[1]) == 0;
}

/* How many of the blocks match of a path that does not. */
unsigned paths_part(const struct path *path, const uint64_t *words);
/* What so many first blocks of a path are put as: writes PATH_WORDS runs, of which parts[blocks].run_count count. */
void paths_put_part(struct path *path, const struct assemble_sink *sink, unsigned blocks, uint32_t *runs);

/* The path of the block with these words that leaves it for where they do, or another than the first; NULL: it has none
 * of them. */
static inline struct path *paths_by(const struct paths *paths, uint32_t number, const uint64_t *words)
{
    struct path *const path = paths->of[number].first;
    unsigned at;

    if (path == NULL)
        return NULL;
    at = path->parts[1].length;
    return ((words[at] ^ path->want[at / 2][at % 2]) & path->mask[at / 2][at % 2]) == 0 ? path : path->other;
}

/* Nothing of it matched, another time: is it to be judged? Then which of its block's paths is tried first. What is in
 * the two may change places. */
static inline bool paths_missed(struct path *path)
{
    return (++path->misses & (PATH_MISSES - 1)) == 0;
}

void paths_judge(struct path *path);

/* Likewise, where only a part of it matched: whether it is to end there. */
static inline bool paths_missed_part(struct path *path)
{
    return (++path->part_misses & (PATH_MISSES - 1)) == 0;
}

void paths_shorten(struct path *path, const struct repeats *repeats, const struct assemble_sink *sink, unsigned blocks);

#endif
