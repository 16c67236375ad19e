/* Bimodal predictor: counters of two bits, indexed by the pc. Gives every statistic of the built-in `local`. */
#include <rubato_policy.h>
#include <stdlib.h>

struct bimodal {
    uint64_t mask;
    uint8_t counters[];
};

static void *create(const struct rubato_host *host, const struct rubato_place *place, const union rubato_value *values,
                    uint64_t *counters)
{
    uint64_t count = 1;
    struct bimodal *self;

    (void)host, (void)place, (void)counters;
    while (count < values[0].count)
        count *= 2;
    self = calloc(1, sizeof *self + count);
    if (self)
        self->mask = count - 1;
    return self;
}

static uint8_t *counter_of(struct bimodal *self, const struct rubato_branch *branch)
{
    return &self->counters[branch->pc >> 2 & self->mask];
}

static bool predict(void *self, void *state, const struct rubato_branch *branch)
{
    (void)state;
    return *counter_of(self, branch) >= 2;
}

static void train(void *self, void *state, const struct rubato_branch *branch)
{
    uint8_t *const counter = counter_of(self, branch);

    (void)state;
    if (branch->is_taken && *counter < 3)
        ++*counter;
    if (!branch->is_taken && *counter > 0)
        --*counter;
}

static const struct rubato_parameter parameters[] = {
    {"counters", NULL, "rounded up to a power of two", RUBATO_COUNT, {.count = 1024}, {.count = 1},
     {.count = 1 << 24}}
};
static const struct rubato_direction direction = {.predict = predict, .train = train};

RUBATO_EXPORT const struct rubato_module rubato_module = {
    .version = RUBATO_POLICY_VERSION, .bytes = sizeof(struct rubato_module), .name = "bimodal",
    .help = "counters of two bits, indexed by the pc", .parameters = parameters, .parameter_count = 1,
    .create = create, .destroy = free, .direction = &direction
};
