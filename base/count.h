/* Counts as people write them: 1000000, 1_000_000, 2e6, 0x10, 100k, 1.5M, 64Ki. k, M, G, T are decimal, Ki, Mi, Gi,
 * Ti binary. (Of capacities k, M, G, T are binary: replay/config/units.h.) All options and keys that are counts are
 * read here. Exact: no floating point. Ownership: plain values. */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

#include <stdint.h>

/* NULL, or the error in the text, as the end of a sentence that begins with the text ("is negative"). */
const char *count_parse(const char *text, uint64_t *count);

/* The form of a count, for messages. */
#define COUNT_EXPECTED "a whole number such as 1000000, 2e6, 100k or 64Ki"

#endif
