/* Facts about hot paths that the compiler cannot know; they affect speed only.
 *
 * Hot paths store no uint8_t, however small the value: a byte may be part of anything in C, so after each such store
 * the compiler would reload its registers from memory. bool and uint16_t are no parts of others. */
#ifndef BASE_HINTS_H
#define BASE_HINTS_H

#include <assert.h>

/* An assertion too expensive for a hot path: `make DEBUG=1` and SANITIZE=1 check it. */
#ifdef CHECK_HOT_PATHS
#define HOT_ASSERT(condition) assert(condition)
#else
#define HOT_ASSERT(condition) ((void)0)
#endif

#ifdef __GNUC__
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define NOINLINE __attribute__((noinline))      /* so that its callers stay short */
#define FORCE_INLINE inline __attribute__((always_inline))    /* one of few callers is hot, and is to be one piece */
#define PREFETCH(pointer) __builtin_prefetch(pointer)    /* into the host's cache */
#else
#define likely(condition) (condition)
#define unlikely(condition) (condition)
#define NOINLINE
#define FORCE_INLINE inline
#define PREFETCH(pointer) ((void)(pointer))
#endif

#endif
