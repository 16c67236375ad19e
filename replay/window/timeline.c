/* Two ways, the one used last first. */
#include "replay/window/timeline.h"

enum { LINE_BYTES = 64 };

bool timeline_hits(struct timeline *timeline, uint64_t address)
{
    uint64_t const line = address / LINE_BYTES + 1;
    uint64_t *const ways = timeline->lines[line % RULE_CACHE_SETS];
    bool const is_first = ways[0] == line, is_second = ways[1] == line;

    if (!is_first) {
        ways[1] = ways[0];
        ways[0] = line;
    }
    return is_first || is_second;
}
