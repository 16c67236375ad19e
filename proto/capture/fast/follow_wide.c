/* Faster: compares a superblock's words and stores its addresses four at a time instead of two.
 * Why the result is the same: the consequences of a comparison are in follow_paths, whose source is shared; the same
 * bits of PATH_WORDS words are compared; the addresses are those of path->addresses, moved to the front of each group
 * of four (path->order) instead of stored one by one. Entries after the last address are ignored in both versions.
 * Compared with the plain engine by tests/unit/proto/capture/test_paths.c. */
#include "proto/capture/fast/bind_capture.h"

#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#include <immintrin.h>

_Static_assert(PATH_WORDS == 8, "two vectors of four words");

static inline bool match_path_wide(const struct path *path, const uint64_t *words, uint64_t *addresses, uint32_t *runs)
{
    const __m256i *const from = (const void *)words, *const want = (const void *)path->want;
    const __m256i *const mask = (const void *)path->mask;
    const __m256i low = _mm256_xor_si256(_mm256_loadu_si256(from), want[0]);
    const __m256i high = _mm256_xor_si256(_mm256_loadu_si256(from + 1), want[1]);
    const __m256i differing = _mm256_or_si256(_mm256_and_si256(low, mask[0]), _mm256_and_si256(high, mask[1]));
    const __m256i order_low = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)path->order));
    const __m256i order_high = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(path->order + PATH_WORDS)));

    _mm256_storeu_si256((void *)addresses, _mm256_permutevar8x32_epi32(low, order_low));
    _mm256_storeu_si256((void *)(addresses + path->low_count), _mm256_permutevar8x32_epi32(high, order_high));
    _mm256_storeu_si256((void *)runs, _mm256_loadu_si256((const void *)path->runs));
    return _mm256_testz_si256(differing, differing);
}

#define FOLLOW_MATCH match_path_wide
#include "proto/capture/follow.h"

static bool follow_wide_follow(struct assembler *all, struct match_place *to, const uint64_t *end)
{
    return follow_paths(all, to, end);
}

match_follow *follow_wide(void)
{
    return __builtin_cpu_supports("avx2") ? follow_wide_follow : NULL;
}

#ifdef __clang__
#pragma clang attribute pop
#endif
#else

match_follow *follow_wide(void)
{
    return NULL;
}

#endif
