/* Four states at once (graph_scan.h). */
#include "replay/fast/graph_scan.h"

#include <string.h>

#include "base/arith.h"

/* Four states that lie in a row are four lanes of a word, ... */
enum { LANES = 4, LANE_BITS = 16 };
#define EACH_LANE UINT64_C(0x0001000100010001)
#define LANE_HIGHEST UINT64_C(0x8000)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static uint64_t lanes_from(uint64_t lane)
{
    return EACH_LANE * LANE_HIGHEST >> (LANE_BITS * lane);
}

static unsigned first_lane(uint64_t found)
{
    return (unsigned)__builtin_clzll(found) / LANE_BITS;
}
#else
/* ... the highest bits of those from one on ... */
static uint64_t lanes_from(uint64_t lane)
{
    return EACH_LANE * LANE_HIGHEST << (LANE_BITS * lane);
}

/* ... and the first one that has a bit. */
static unsigned first_lane(uint64_t found)
{
    return (unsigned)__builtin_ctzll(found) / LANE_BITS;
}
#endif

/* Looks at four states at once, which lie in a row: each is below 2^15, so that adding 2^15 - least to it sets its
 * highest bit if it counts. The place of a record not read yet does not count, unless it holds another record of the
 * ring, which is then found first. */
static uint64_t first_of_four(const struct elastic_graph *graph, uint64_t record, enum elastic_state state)
{
    uint64_t const addend = EACH_LANE * (LANE_HIGHEST - (uint64_t)state);
    uint64_t wanted = lanes_from(record % LANES);

    for (record -= record % LANES; record < graph->next_record; record += LANES) {
        uint64_t four, found;

        memcpy(&four, &graph->states[record & graph->mask], sizeof four);
        found = (four + addend) & wanted;
        if (found != 0)
            return min_u64(record + first_lane(found), graph->next_record);
        wanted = lanes_from(0);
    }
    return graph->next_record;
}

void graph_scan_bind(struct elastic_graph *graph)
{
    graph->first = first_of_four;
}
