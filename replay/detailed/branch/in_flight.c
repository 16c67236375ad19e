/* The ring of outcomes, as in in_flight.h. */
#include "replay/detailed/branch/in_flight.h"

#include <stdlib.h>

#include "base/arith.h"

struct in_flight *in_flight_new(size_t most)
{
    size_t const size = (size_t)1 << log2_up(most + 1);
    struct in_flight *const in_flight = calloc(1, sizeof *in_flight + size * sizeof in_flight->outcomes[0]);

    if (in_flight)
        in_flight->mask = size - 1;
    return in_flight;
}

void in_flight_free(struct in_flight *in_flight)
{
    free(in_flight);
}
