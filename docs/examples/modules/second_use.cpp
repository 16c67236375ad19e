// Replacement that lets lines pass by: a line is kept only if it was wanted before, as a small table remembers; the
// oldest line of the set goes.
#include <rubato_policy.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace {

struct second_use {
    uint32_t ways;
    uint64_t clock = 0;
    uint64_t *bypassed;
    std::vector<uint64_t> touched, seen;

    second_use(const rubato_place &place, uint64_t entries, uint64_t *counters)
        : ways(place.ways), bypassed(counters), touched(static_cast<size_t>(place.sets) * place.ways), seen(entries) {}

    uint32_t victim(const rubato_request &request)
    {
        uint64_t const line = request.address / 64;
        uint64_t *const set = &touched[static_cast<size_t>(request.set) * ways];
        uint32_t oldest = 0;

        if (seen[line % seen.size()] != line) {
            seen[line % seen.size()] = line;
            ++*bypassed;
            return RUBATO_BYPASS;
        }
        for (uint32_t way = 1; way < ways; way++)
            if (set[way] < set[oldest])
                oldest = way;
        return oldest;
    }
    void touch(uint32_t set, uint32_t way) { touched[static_cast<size_t>(set) * ways + way] = ++clock; }
};

void *create(const rubato_host *, const rubato_place *place, const rubato_value *values, uint64_t *counters)
{
    return new (std::nothrow) second_use(*place, values[0].count, counters);
}
void destroy(void *self) { delete static_cast<second_use *>(self); }
void access(void *self, const rubato_request *request)
{
    if (request->hit)
        static_cast<second_use *>(self)->touch(request->set, request->way);
}
uint32_t victim(void *self, const rubato_request *request) { return static_cast<second_use *>(self)->victim(*request); }
void fill(void *self, const rubato_fill *fill) { static_cast<second_use *>(self)->touch(fill->set, fill->way); }

const rubato_parameter parameters[] = {{"entries", nullptr, "lines remembered", RUBATO_COUNT, {4096}, {1}, {1 << 20}}};
const rubato_counter counters[] = {{"bypassed", "Count", "lines that passed by"}};
const rubato_replacement replacement = {access, victim, fill, nullptr};

}  // namespace

RUBATO_EXPORT const rubato_module rubato_module = {
    RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, "second_use", "keeps lines that are wanted a second time",
    parameters, 1, counters, 1, create, destroy, nullptr, nullptr, nullptr, &replacement, nullptr, nullptr, nullptr};
