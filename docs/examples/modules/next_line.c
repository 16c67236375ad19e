/* Next-line prefetcher: each miss fetches the lines behind it. Gives every statistic of the built-in `next_line`. */
#include <rubato_policy.h>
#include <stdlib.h>

struct next_line {
    const struct rubato_host *host;
    uint64_t degree, line_bytes;
    uint64_t *proposed;
};

static void *create(const struct rubato_host *host, const struct rubato_place *place, const union rubato_value *values,
                    uint64_t *counters)
{
    struct next_line *const self = malloc(sizeof *self);

    if (self)
        *self = (struct next_line){host, values[0].count, place->line_bytes, &counters[0]};
    return self;
}

static uint32_t access(void *own, const struct rubato_request *request)
{
    struct next_line *const self = own;
    uint64_t const line = request->address / self->line_bytes * self->line_bytes;

    for (uint64_t i = 1; i <= self->degree; i++)
        *self->proposed += self->host->prefetch(self->host, line + i * self->line_bytes, 0, 0);
    return request->metadata;
}

static const struct rubato_parameter parameters[] = {
    {"degree", "lines", "fetched for one miss", RUBATO_COUNT, {.count = 1}, {.count = 1}, {.count = 64}}
};
static const struct rubato_counter counters[] = {{"proposed", "Count", "prefetches that were not refused"}};
static const struct rubato_prefetcher prefetcher = {
    .observes = RUBATO_ON_MISSES, .flags = RUBATO_DROPS_OLDEST, .access = access
};

RUBATO_EXPORT const struct rubato_module rubato_module = {
    .version = RUBATO_POLICY_VERSION, .bytes = sizeof(struct rubato_module), .name = "next_line",
    .help = "each miss fetches the lines behind it", .parameters = parameters, .parameter_count = 1,
    .statistics = counters, .statistic_count = 1, .create = create, .destroy = free, .prefetcher = &prefetcher
};
