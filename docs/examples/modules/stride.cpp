// Stride prefetcher: two equal distances between accesses of one pc fetch the line that follows. In C++, a class is an
// instance, and the functions of the module call its members.
#include <rubato_policy.h>

#include <cstdlib>
#include <new>
#include <unordered_map>

namespace {

struct stride {
    const rubato_host *host;
    uint64_t degree;
    uint64_t *sent;
    struct last { uint64_t address; int64_t distance; };
    std::unordered_map<uint64_t, last> by_pc;

    uint32_t access(const rubato_request &request)
    {
        last &known = by_pc[request.pc];
        auto const distance = static_cast<int64_t>(request.address - known.address);

        if (distance == known.distance && distance != 0)
            for (uint64_t i = 1; i <= degree; i++)
                *sent += host->prefetch(host, request.address + i * static_cast<uint64_t>(distance), 0, 0);
        known = {request.address, distance};
        return request.metadata;
    }
};

void *create(const rubato_host *host, const rubato_place *, const rubato_value *values, uint64_t *counters)
{
    return new (std::nothrow) stride{host, values[0].count, counters, {}};
}

void destroy(void *self) { delete static_cast<stride *>(self); }

uint32_t access(void *self, const rubato_request *request) { return static_cast<stride *>(self)->access(*request); }

const rubato_parameter parameters[] = {{"degree", "strides", "fetched ahead", RUBATO_COUNT, {2}, {1}, {16}}};
const rubato_counter counters[] = {{"sent", "Count", "prefetches that were not refused"}};
const rubato_prefetcher prefetcher = {1u << RUBATO_TYPE_LOAD, RUBATO_ON_ALL, 0, access, nullptr, nullptr, nullptr,
                                      nullptr};

}  // namespace

RUBATO_EXPORT const rubato_module rubato_module = {
    RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, "stride", "two equal distances fetch the next",
    parameters, 1, counters, 1, create, destroy, nullptr, nullptr, &prefetcher, nullptr, nullptr, nullptr, nullptr};
