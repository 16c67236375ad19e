/* Superblocks: sequences of basic blocks that recur, matched with one comparison.
 *
 * A superblock (struct path) is a frequent block and its most frequent successors, as long as they have few words in
 * all: the template of each word, the destination of each address, and the runs. So one comparison and one branch
 * replace those of several blocks. It consists only of near blocks (repeats.h) and of exits that were taken: words that
 * match a superblock also match its blocks one by one and become the same instructions. The sink may join the runs of a
 * superblock. A block may begin two superblocks, which differ in its successor. Where the end of a superblock does not
 * match, its leading blocks that do are taken.
 *
 * Use: begin with {0}; paths_fit whenever there are more blocks; before matching paths_renew, and paths_are_used;
 * match_path of paths->of[block].first, then of its `other`, then paths_part of both; paths_met where neither matched
 * and the block was matched alone. paths_missed, paths_missed_part say when to call paths_judge, paths_shorten.
 * paths_forget, paths_forget_block when their blocks have changed; paths_account after matching; paths_end. Pointers
 * into a superblock stay valid until the next call of `paths_met`, `paths_judge` or `paths_shorten`. */
#ifndef PROTO_CAPTURE_CAPTURE_PATHS_H
#define PROTO_CAPTURE_CAPTURE_PATHS_H

#include <string.h>

#include "proto/capture/assemble.h"
#include "proto/capture/repeats.h"

/* Words compared: those of the superblock, and the first of its successor. */
enum { PATH_WORDS = 8, PATH_BLOCKS = PATH_WORDS - 1, PATHS = 2048 };
/* A superblock is formed for a block after PATH_MET misses, then after each doubling; it is re-evaluated every
 * PATH_MISSES mismatches. Both are powers of 2. */
enum { PATH_MET = 256, PATH_MISSES = 512 };

/* Relative costs: of trying a superblock, of a mismatch; and of a block matched without superblocks. */
enum { PATH_STEP_COST = 12, PATH_MISS_COST = 48, PATH_BLOCK_COST = 10 };

/* Two words. */
typedef uint64_t path_pair __attribute__((vector_size(16)));

/* Sums over the leading blocks of a superblock. */
struct path_part {
    uint64_t counts;                     /* as of struct repeat */
    uint32_t next, last;                 /* their successor; the last of them */
    uint32_t joined;                     /* their run, if the sink joined them: run_count 1 */
    uint16_t derived_count;
    uint8_t length, access_count;
    uint8_t run_count;                   /* runs passed to the sink; 0: not determined yet */
};

struct path {
    path_pair want[PATH_WORDS / 2] __attribute__((aligned(CAPTURE_CACHE_LINE)));
    path_pair mask[PATH_WORDS / 2];      /* bits compared with `want`: all but those of addresses */
    uint8_t order[2 * PATH_WORDS] __attribute__((aligned(16)));  /* per four words: halves with addresses */
    uint32_t runs[PATH_WORDS];           /* of the whole superblock, for the sink */
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

/* Statistics of a block as the possible beginning of superblocks. */
struct path_start {
    struct path *first;                  /* tried first; NULL: none */
    struct repeat_exit by;               /* majority candidate of its exits when no superblock matched */
    uint32_t votes;                      /* lead of that exit over all others (Boyer, Moore) */
    uint32_t met;                        /* misses: no superblock matched */
    bool is_many;                        /* it is left for more than two: no path goes through it */
    bool is_part;                        /* in a superblock, or the successor of one */
};

struct paths {
    struct path *list;                   /* PATHS of them; the first is none's */
    struct path *free;                   /* leads to others by `follows`; NULL: none */
    struct path_start *of;               /* by block */
    uint64_t room;                       /* blocks */
    uint32_t count, version;             /* version: code->version for which all hold */
    uint64_t words;                      /* since they were forgotten */
    uint64_t blocks, cost;               /* blocks matched in the current trial; relative cost of matching them */
    uint64_t pause, last_pause;          /* words until superblocks are tried again; 0: in use */
};

void paths_end(struct paths *paths);

/* False: out of memory. */
bool paths_fit(struct paths *paths, uint64_t blocks);

/* Discards superblocks of other versions of the code, and all of them now and then, since programs have phases. */
void paths_renew(struct paths *paths, uint32_t version);
/* Accounts for `words` words, matched with superblocks or without. Pauses the use of superblocks while they cost more
 * than they save. */
void paths_account(struct paths *paths, uint64_t words);

static inline bool paths_are_used(const struct paths *paths)
{
    return paths->pause == 0;
}

/* Discards all superblocks and all statistics of blocks. */
void paths_forget(struct paths *paths);
/* Discards the superblocks that contain this block, and its statistics. */
void paths_forget_block(struct paths *paths, uint64_t number);

/* Tries to form another superblock for a frequent block that was left by this exit. */
void paths_make(struct paths *paths, const struct repeats *repeats, const struct assemble_sink *sink, uint32_t number,
                struct repeat_exit by);

/* Counts a miss: no superblock of the block matched; it was matched alone, and left by this exit. */
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

/* Returns whether the whole superblock matches. Reads PATH_WORDS words and always writes that many addresses and runs;
 * only the entries of matching blocks are valid. The difference between a word and its template is the address. */
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

/* The number of leading blocks that match, of a superblock that does not as a whole. */
unsigned paths_part(const struct path *path, const uint64_t *words);
/* The sink's runs of the first `blocks` blocks of a superblock: writes PATH_WORDS runs, the first
 * parts[blocks].run_count of them valid. */
void paths_put_part(struct path *path, const struct assemble_sink *sink, unsigned blocks, uint32_t *runs);

/* The superblock of block `number` whose second block is the one in these words, else the block's second superblock;
 * NULL: neither exists. */
static inline struct path *paths_by(const struct paths *paths, uint32_t number, const uint64_t *words)
{
    struct path *const path = paths->of[number].first;
    unsigned at;

    if (path == NULL)
        return NULL;
    at = path->parts[1].length;
    return ((words[at] ^ path->want[at / 2][at % 2]) & path->mask[at / 2][at % 2]) == 0 ? path : path->other;
}

/* Counts a complete mismatch; returns whether paths_judge is due, which decides which of the block's two superblocks is
 * tried first, and may swap their contents. */
static inline bool paths_missed(struct path *path)
{
    return (++path->misses & (PATH_MISSES - 1)) == 0;
}

void paths_judge(struct path *path);

/* Counts a partial mismatch; returns whether paths_shorten is due, which may cut the superblock there. */
static inline bool paths_missed_part(struct path *path)
{
    return (++path->part_misses & (PATH_MISSES - 1)) == 0;
}

void paths_shorten(struct path *path, const struct repeats *repeats, const struct assemble_sink *sink, unsigned blocks);

#endif
