/* Counts a module's calls, and the cases in which a rule is broken. As a prefetcher it asks for the next line with
 * metadata made of its address, which must come back with the fill. */
#include <rubato_policy.h>
#include <stdlib.h>
#include <string.h>

enum { ACCESSES, FILLS, PREFETCHED, EVICTIONS, CYCLES, BRANCHES, REFUSED, WARMUPS, ENDS, BROKEN, COUNTERS };
enum { PROBE_SETS = 1 << 16 };

struct probe {
    const struct rubato_host *host;
    uint64_t *counts;
    uint64_t line_bytes, last_cycle;
    uint32_t sets, ways, levels_below;
    uint64_t ends;
    /* Of lines by their address: 1 in here. Too many lines for the table are not looked at. */
    uint64_t lines[PROBE_SETS];
};

static void *create(const struct rubato_host *host, const struct rubato_place *place, const union rubato_value *values,
                    uint64_t *counters)
{
    struct probe *const self = calloc(1, sizeof *self);

    if (self) {
        self->host = host;
        self->counts = counters;
        self->line_bytes = place->line_bytes;
        self->sets = place->sets;
        self->ways = place->ways;
        self->levels_below = (uint32_t)values[0].count;
    }
    return self;
}

static void expect(struct probe *self, bool is_true)
{
    self->counts[BROKEN] += !is_true;
}

static uint64_t *place_of(struct probe *self, uint64_t address)
{
    return &self->lines[address / self->line_bytes % PROBE_SETS];
}

static uint32_t metadata_of(const struct probe *self, uint64_t address)
{
    return (uint32_t)(address / self->line_bytes % 0xffff + 1);
}

static void look(struct probe *self, const struct rubato_request *request)
{
    uint64_t const cycle = self->host->cycle(self->host);

    self->counts[ACCESSES]++;
    expect(self, cycle >= self->last_cycle);
    self->last_cycle = cycle;
    expect(self, request->set < self->sets && request->set == self->host->set_of(self->host, request->address));
    expect(self, request->hit == (request->way != RUBATO_NO_WAY));
    expect(self, !request->hit || request->way < self->ways);
    expect(self, self->host->occupancy(self->host, RUBATO_MSHRS) <= self->host->capacity(self->host, RUBATO_MSHRS));
    expect(self, self->host->memory_bandwidth(self->host) <= 1200);
    if (request->hit) {
        struct rubato_line line;

        self->host->line(self->host, request->set, request->way, &line);
        expect(self, line.is_valid && line.address == request->address / self->line_bytes * self->line_bytes);
    }
}

static uint32_t observe(void *own, const struct rubato_request *request)
{
    struct probe *const self = own;
    uint64_t const next = request->address / self->line_bytes * self->line_bytes + self->line_bytes;

    look(self, request);
    if (!request->hit && !self->host->prefetch(self->host, next, self->levels_below, metadata_of(self, next)))
        self->counts[REFUSED]++;
    return request->metadata;
}

static void access(void *own, const struct rubato_request *request)
{
    look(own, request);
}

static void see_fill(struct probe *self, const struct rubato_fill *fill)
{
    uint64_t const line = fill->address / self->line_bytes * self->line_bytes;

    self->counts[FILLS]++;
    self->counts[PREFETCHED] += fill->prefetched;
    expect(self, fill->set < self->sets && (fill->way < self->ways || fill->way == RUBATO_NO_WAY));
    if (fill->way != RUBATO_NO_WAY)
        *place_of(self, line) = line | 1;
    if (fill->prefetched && fill->metadata != 0)
        expect(self, fill->metadata == metadata_of(self, line));
}

static uint32_t filled(void *own, const struct rubato_fill *fill)
{
    see_fill(own, fill);
    return fill->metadata;
}

static void fill_policy(void *own, const struct rubato_fill *fill)
{
    see_fill(own, fill);
}

static void evicted(void *own, const struct rubato_eviction *eviction)
{
    struct probe *const self = own;
    uint64_t *const place = place_of(self, eviction->address);

    self->counts[EVICTIONS]++;
    expect(self, eviction->set < self->sets && eviction->way < self->ways);
    if (*place == (eviction->address | 1))
        *place = 0;
    else
        expect(self, *place != 0);       /* another line of the table's place */
}

static void cycle(void *own)
{
    struct probe *const self = own;

    self->counts[CYCLES]++;
}

static void branch(void *own, const struct rubato_branch *seen)
{
    struct probe *const self = own;

    self->counts[BRANCHES]++;
    expect(self, seen->kind <= RUBATO_INDIRECT_UNCOND && seen->pc != 0);
}

static uint32_t victim(void *own, const struct rubato_request *request)
{
    struct probe *const self = own;

    expect(self, request->set < self->sets && request->way == RUBATO_NO_WAY);
    return (uint32_t)(self->host->random(self->host) % self->ways);
}

static void warmup_end(void *own)
{
    struct probe *const self = own;

    for (int i = 0; i < COUNTERS; i++)
        expect(self, self->counts[i] == 0);
    expect(self, self->host->is_warm(self->host));
    self->counts[WARMUPS]++;
}

static void run_end(void *own)
{
    struct probe *const self = own;

    self->counts[ENDS]++;
}

static const struct rubato_parameter parameters[] = {
    {"below", "levels", "that its prefetches go down", RUBATO_COUNT, {.count = 0}, {.count = 0}, {.count = 1}}
};
static const struct rubato_counter counters[COUNTERS] = {
    [ACCESSES] = {"accesses", NULL, "accesses"}, [FILLS] = {"fills", NULL, "fills"},
    [PREFETCHED] = {"prefetched", NULL, "fills by a prefetch"}, [EVICTIONS] = {"evictions", NULL, "evictions"},
    [CYCLES] = {"cycles", NULL, "cycles"}, [BRANCHES] = {"branches", NULL, "branches"},
    [REFUSED] = {"refused", NULL, "prefetches that were refused"}, [WARMUPS] = {"warmups", NULL, "ends of a warm-up"},
    [ENDS] = {"ends", NULL, "ends of the run"}, [BROKEN] = {"broken", NULL, "rules that were broken"}
};
static const struct rubato_prefetcher prefetcher = {
    .flags = RUBATO_FILLS_BELOW, .access = observe, .fill = filled, .evicted = evicted, .cycle = cycle, .branch = branch
};
static const struct rubato_replacement replacement = {
    .access = access, .victim = victim, .fill = fill_policy, .evicted = evicted
};

RUBATO_EXPORT const struct rubato_module rubato_module = {
    .version = RUBATO_POLICY_VERSION, .bytes = sizeof(struct rubato_module), .name = "probe",
    .parameters = parameters, .parameter_count = 1, .statistics = counters, .statistic_count = COUNTERS,
    .create = create, .destroy = free, .warmup_end = warmup_end, .run_end = run_end, .prefetcher = &prefetcher,
    .replacement = &replacement
};
