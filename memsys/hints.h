/* What the compiler cannot know of hot paths; nothing depends on it but speed.
 *
 * What hot paths store is no uint8_t, however small: a byte may be part of anything in C, so after each such store the
 * compiler would load again what it had in registers. bool and uint16_t are no parts of others. */
#ifndef MEMSYS_HINTS_H
#define MEMSYS_HINTS_H

#include <assert.h>

/* An assertion that costs too much where it stands: `make DEBUG=1` and SANITIZE=1 check it. */
#ifdef CHECK_HOT_PATHS
#define HOT_ASSERT(condition) assert(condition)
#else
#define HOT_ASSERT(condition) ((void)0)
#endif

#ifdef __GNUC__
#define USUALLY(condition) __builtin_expect(!!(condition), 1)
#define RARELY(condition) __builtin_expect(!!(condition), 0)
#define OUT_OF_LINE __attribute__((noinline))      /* so that its callers stay short */
#define IN_LINE inline __attribute__((always_inline))    /* one of few callers is hot, and shall be one piece */
#define FETCH_SOON(pointer) __builtin_prefetch(pointer)    /* into the host's cache */
#else
#define USUALLY(condition) (condition)
#define RARELY(condition) (condition)
#define OUT_OF_LINE
#define IN_LINE inline
#define FETCH_SOON(pointer) ((void)(pointer))
#endif

#endif
