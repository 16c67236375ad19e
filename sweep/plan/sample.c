#include "sweep/plan/sample.h"

#include <string.h>

#include "base/hash64.h"
#include "memsys/sim/random.h"

/* Parts of one part: where in it the point lies. */
#define FINE UINT64_C(4096)

void latin_hypercube(uint64_t seed, const char *key, size_t points, size_t levels, uint32_t *picked)
{
    struct random_generator random;

    random_init(&random, seed ^ hash64(key, strlen(key)));
    for (size_t i = 0; i < points; i++)
        picked[i] = (uint32_t)i;
    for (size_t i = points; i > 1; i--) {
        size_t const other = random_uniform(&random, 0, (uint32_t)(i - 1));
        uint32_t const part = picked[i - 1];

        picked[i - 1] = picked[other];
        picked[other] = part;
    }
    for (size_t i = 0; i < points; i++) {
        uint64_t const place = picked[i] * FINE + random_uniform(&random, 0, (uint32_t)(FINE - 1));

        picked[i] = (uint32_t)(place * levels / (points * FINE));
    }
}
