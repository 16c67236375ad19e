/* Fuzz target: any bytes as a log of calls of a module, fed to one of all kinds that reads what it may rely on. Nothing
 * may crash; refusals can be printed; a record that is written and read again is the same. */
#define _GNU_SOURCE
#include <string.h>

#include "replay/modules/module_feed.h"
#include "replay/modules/module_record.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fed {
    const struct rubato_host *host;
    uint32_t sets, ways;
    uint8_t *lines;
};

static void *create(const struct rubato_host *host, const struct rubato_place *place, const union rubato_value *values,
                    uint64_t *counters)
{
    struct fed *const fed = calloc(1, sizeof *fed);

    if (!fed)
        abort();
    *fed = (struct fed){host, place->sets, place->ways,
                        calloc((size_t)place->sets * place->ways + 1, sizeof *fed->lines)};
    if (!fed->lines)
        abort();
    counters[0] = values[0].count;
    return fed;
}

static void destroy(void *self)
{
    struct fed *const fed = self;

    free(fed->lines);
    free(fed);
}

static uint32_t access_line(void *self, const struct rubato_request *request)
{
    struct fed *const fed = self;
    struct rubato_line line;

    if (request->way != RUBATO_NO_WAY)
        fed->lines[(size_t)request->set * fed->ways + request->way]++;
    fed->host->prefetch(fed->host, request->address + 64, 0, 1);
    fed->host->line(fed->host, request->set, 0, &line);
    return fed->lines[(size_t)request->set * fed->ways] + fed->host->occupancy(fed->host, RUBATO_MSHRS)
        + fed->host->way_of(fed->host, request->address);
}

static void touch(void *self, const struct rubato_request *request)
{
    access_line(self, request);
}

static uint32_t victim(void *self, const struct rubato_request *request)
{
    return access_line(self, request) % ((struct fed *)self)->ways;
}

static void evicted(void *self, const struct rubato_eviction *eviction)
{
    struct fed *const fed = self;

    fed->lines[(size_t)eviction->set * fed->ways + eviction->way] = 0;
}

static bool predict(void *self, void *state, const struct rubato_branch *branch)
{
    (void)self;
    *(uint64_t *)state = branch->pc;
    return branch->pc & 1;
}

static void train(void *self, void *state, const struct rubato_branch *branch)
{
    (void)self;
    *(uint64_t *)state += branch->pc;
}

static const struct rubato_prefetcher prefetcher = {.access = access_line, .evicted = evicted};
static const struct rubato_replacement replacement = {.access = touch, .victim = victim, .evicted = evicted};
static const struct rubato_direction direction = {.state_bytes = 8, .predict = predict, .train = train};
static const struct rubato_parameter parameters[] = {
    {"degree", "lines", "any", RUBATO_COUNT, {.count = 1}, {.count = 0}, {.count = 9}}};
static const struct rubato_counter counter[] = {{"any", NULL, NULL}};

static void see(void *context, uint64_t line, const char *text)
{
    (void)context, (void)line;
    expect_printable(text);
}

static void repeat(const uint8_t *data, size_t size)
{
    char line[2 * MODULE_RECORD_LINE], written[MODULE_RECORD_LINE], again[MODULE_RECORD_LINE], problem[200];
    struct module_record record, other;
    size_t length;

    if (size >= sizeof line)
        return;
    memcpy(line, data, size);
    line[size] = '\0';
    if (module_record_read(&record, line, problem))
        return;
    length = module_record_write(&record, written);
    memcpy(line, written, length);
    line[length] = '\0';
    if (module_record_read(&other, line, problem) || module_record_write(&other, again) != length
        || memcmp(written, again, length) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file const file = memory_file_open(data, size);
    struct rubato_module module = {
        .version = RUBATO_POLICY_VERSION, .bytes = sizeof module, .name = "fed", .parameters = parameters,
        .parameter_count = 1, .statistics = counter, .statistic_count = 1, .create = create, .destroy = destroy,
        .prefetcher = &prefetcher, .replacement = &replacement, .direction = &direction};
    struct module_feed_request const request = {
        .module = &module, .path = "fed.so", .log = file.path, .as = "fed", .differs = see};
    struct module_feed_result result;
    struct fault fault;

    if (FAILS(fault, module_feed(&request, &result)))
        expect_printable(fault_text(fault));
    repeat(data, size);
    memory_file_close(&file);
    return 0;
}
