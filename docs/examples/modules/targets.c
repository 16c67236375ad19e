/* A branch target buffer, and a predictor of indirect jumps: both keep the last target of each pc, in a table without
 * tags beyond the pc itself. One file may be several kinds. */
#include <rubato_policy.h>
#include <stdlib.h>

struct entry {
    uint64_t pc, target;
};

struct targets {
    uint64_t mask;
    uint64_t *replaced;
    struct entry entries[];
};

static void *create(const struct rubato_host *host, const struct rubato_place *place, const union rubato_value *values,
                    uint64_t *counters)
{
    uint64_t count = 1;
    struct targets *self;

    (void)host, (void)place;
    while (count < values[0].count)
        count *= 2;
    self = calloc(1, sizeof *self + count * sizeof self->entries[0]);
    if (self) {
        self->mask = count - 1;
        self->replaced = &counters[0];
    }
    return self;
}

static bool find(void *own, const struct rubato_branch *branch, uint64_t *target)
{
    const struct targets *const self = own;
    const struct entry *const entry = &self->entries[branch->pc >> 1 & self->mask];

    if (entry->pc != branch->pc)
        return false;
    *target = entry->target;
    return true;
}

static void learn(void *own, const struct rubato_branch *branch)
{
    struct targets *const self = own;
    struct entry *const entry = &self->entries[branch->pc >> 1 & self->mask];

    *self->replaced += entry->pc != 0 && entry->pc != branch->pc;
    *entry = (struct entry){branch->pc, branch->target};
}

static bool predict(void *self, const struct rubato_branch *branch, uint64_t *target, bool *always_taken)
{
    (void)always_taken;
    return find(self, branch, target);
}

static void train(void *self, const struct rubato_branch *branch)
{
    if (branch->kind == RUBATO_INDIRECT_UNCOND || branch->kind == RUBATO_CALL_INDIRECT)
        learn(self, branch);
}

static const struct rubato_parameter parameters[] = {
    {"entries", NULL, "rounded up to a power of two", RUBATO_COUNT, {.count = 4096}, {.count = 1}, {.count = 1 << 22}}
};
static const struct rubato_counter counters[] = {{"replaced", "Count", "entries of another branch that went"}};
static const struct rubato_btb btb = {.predict = predict, .update = learn};
static const struct rubato_indirect indirect = {.predict = find, .train = train};

RUBATO_EXPORT const struct rubato_module rubato_module = {
    .version = RUBATO_POLICY_VERSION, .bytes = sizeof(struct rubato_module), .name = "targets",
    .help = "the last target of each pc", .parameters = parameters, .parameter_count = 1, .statistics = counters,
    .statistic_count = 1, .create = create, .destroy = free, .btb = &btb, .indirect = &indirect
};
