/* The ring of outcomes, as in in_flight.h. */
#include "replay/detailed/branch/in_flight.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arith.h"

enum { RING_BEGIN = 256 };

struct in_flight *in_flight_new(size_t most)
{
    size_t const size = (size_t)1 << log2_up(most + 1);
    struct in_flight *const in_flight = calloc(1, sizeof *in_flight + size * sizeof in_flight->outcomes[0]);

    if (in_flight) {
        in_flight->most = size;
        in_flight->mask = min_u64(size, RING_BEGIN) - 1;
    }
    return in_flight;
}

void in_flight_widen(struct in_flight *in_flight)
{
    uint64_t const size = in_flight->mask + 1;

    assert(size < in_flight->most);
    for (uint64_t number = in_flight->begin; number != in_flight->end; number++)
        if (number & size)
            in_flight->outcomes[(number & in_flight->mask) + size] = in_flight->outcomes[number & in_flight->mask];
    in_flight->mask = 2 * size - 1;
}

void in_flight_free(struct in_flight *in_flight)
{
    free(in_flight);
}
