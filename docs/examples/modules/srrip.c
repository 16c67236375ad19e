/* Static re-reference interval prediction: gives every statistic of the built-in `srrip`. Source: Jaleel et al., ISCA
 * 2010; a use lowers the prediction by one, a line comes in one below the highest. */
#include <rubato_policy.h>
#include <stdlib.h>

struct srrip {
    uint32_t ways;
    unsigned highest;
    uint8_t predictions[];
};

static void *create(const struct rubato_host *host, const struct rubato_place *place, const union rubato_value *values,
                    uint64_t *counters)
{
    struct srrip *const self = calloc(1, sizeof *self + (size_t)place->sets * place->ways);

    (void)host, (void)counters;
    if (self) {
        self->ways = place->ways;
        self->highest = (1u << values[0].count) - 1;
    }
    return self;
}

static void access(void *own, const struct rubato_request *request)
{
    struct srrip *const self = own;
    uint8_t *const prediction = &self->predictions[request->set * self->ways + request->way];

    if (request->hit && *prediction > 0)
        --*prediction;
}

static uint32_t victim(void *own, const struct rubato_request *request)
{
    struct srrip *const self = own;
    uint8_t *const set = &self->predictions[request->set * self->ways];
    uint32_t farthest = 0;

    for (uint32_t way = 1; way < self->ways; way++)
        if (set[way] > set[farthest])
            farthest = way;
    for (uint32_t way = 0, missing = self->highest - set[farthest]; way < self->ways; way++)
        set[way] = (uint8_t)(set[way] + missing);
    return farthest;
}

static void fill(void *own, const struct rubato_fill *fill)
{
    struct srrip *const self = own;

    self->predictions[fill->set * self->ways + fill->way] = (uint8_t)(self->highest - 1);
}

static const struct rubato_parameter parameters[] = {
    {"bits", "bits", "of a prediction", RUBATO_COUNT, {.count = 2}, {.count = 1}, {.count = 7}}
};
static const struct rubato_replacement replacement = {.access = access, .victim = victim, .fill = fill};

RUBATO_EXPORT const struct rubato_module rubato_module = {
    .version = RUBATO_POLICY_VERSION, .bytes = sizeof(struct rubato_module), .name = "srrip",
    .help = "static re-reference interval prediction", .parameters = parameters, .parameter_count = 1,
    .create = create, .destroy = free, .replacement = &replacement
};
