/* Reuse distances of a stream of lines: how many other lines were touched since the last touch of the same one. A
 * fully associative cache with LRU replacement hits if it holds more lines than that, so one pass gives the miss
 * rates of all sizes (Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2),
 * 1970).
 *
 * Exact up to `most_lines` distinct lines; of more, half of the lines are looked at, then a quarter and so on, chosen
 * by a hash of their numbers, and counts are scaled (SHARDS: Waldspurger et al., FAST 2015). `halvings` says how
 * often.
 *
 * Use: reuse_begin; reuse_touch each line; reuse_next_stream where a stream with a cache of its own begins; then
 * reuse_misses; reuse_free. Lines are numbers below 2^64 - 1.
 * Memory: up to 90 bytes a line that is looked at. Time: logarithmic in their number. Without memory `failed` is set,
 * and further touches do not count. */
#ifndef BASE_REUSE_H
#define BASE_REUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number_map.h"

#define REUSE_USUAL_LINES (UINT64_C(1) << 20)

/* Distances 0 to 3, then four ranges for each power of two; all of a range's are counted together. */
enum { REUSE_RANGES = 4 * 63 };

struct reuse {
    uint64_t most_lines, touches;
    unsigned halvings;
    bool failed;
    double first;                        /* touches of lines that had not been touched before */
    double again[REUSE_RANGES];          /* others, by distance */
    /* ---- the lines that are looked at, in the order of their last touches, with gaps */
    struct number_map places;            /* of a line, from 1 */
    uint64_t *lines;                     /* by place */
    uint64_t *held;                      /* a bit a place: not a gap */
    uint32_t *sums;                      /* tree of how many are held, by words of `held` */
    size_t room, next, held_count;
    uint64_t last;                       /* line, plus 1 */
};

void reuse_begin(struct reuse *reuse, uint64_t most_lines);
void reuse_touch(struct reuse *reuse, uint64_t line);
/* All lines that an access touches (base/line_span.h). */
void reuse_touch_bytes(struct reuse *reuse, uint64_t address, uint64_t bytes, uint64_t line_bytes);
/* Touches so far count, but later caches start empty. */
void reuse_next_stream(struct reuse *reuse);
void reuse_free(struct reuse *reuse);

/* Miss ratio of a cache of `lines` lines, 0 to 1, compulsory misses included. Exact for 1 to 4 lines and the sizes of
 * reuse_size. */
double reuse_misses(const struct reuse *reuse, uint64_t lines);
/* Sizes in lines, rising: 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, ...; number < REUSE_RANGES. */
uint64_t reuse_size(unsigned number);
/* The smallest power of two at which only first touches miss. */
uint64_t reuse_largest(const struct reuse *reuse);

#endif
