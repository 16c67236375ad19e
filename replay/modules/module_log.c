/* `create` of an interface of C has nothing that says which module is meant; the values of its parameters are a part of
 * the struct module_use that has the tap. */
#include "replay/modules/module_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "memsys/sim/module_use.h"
#include "replay/config/config_module.h"
#include "replay/config/config_values.h"
#include "replay/modules/module_record.h"

struct module_tap {
    struct rubato_module module;         /* that the model calls */
    struct rubato_prefetcher prefetcher;
    struct rubato_replacement replacement;
    struct rubato_direction direction;
    struct rubato_btb btb;
    struct rubato_indirect indirect;
    const struct rubato_module *recorded;
    struct module_log *log;
};

struct module_log {
    FILE *file;
    struct module_tap **taps;
    size_t tap_count, tap_room;
    uint32_t instances;
};

struct recorder {
    struct rubato_host host;             /* the first member */
    const struct rubato_host *behind;
    const struct rubato_module *module;
    void *self;
    FILE *file;
    uint32_t number;
};

/* ---- lines */

static void put(const struct recorder *recorder, struct module_record *record)
{
    char line[MODULE_RECORD_LINE];

    record->instance = recorder->number;
    fwrite(line, 1, module_record_write(record, line), recorder->file);
}

static struct module_record call_of(const struct recorder *recorder, enum module_record_kind kind)
{
    struct module_record record = {.kind = kind};

    record.values[FIELD_AT] = recorder->behind->cycle(recorder->behind);
    return record;
}

static void put_answer(const struct recorder *recorder, enum module_field field, uint64_t value)
{
    struct module_record record = {.kind = RECORD_ANSWER};

    record.values[field] = value;
    put(recorder, &record);
}

/* ---- what a module asks */

static const struct recorder *recorder_of(const struct rubato_host *host)
{
    return (const struct recorder *)(const void *)host;
}

static uint64_t ask(const struct rubato_host *host, enum module_record_kind kind, enum module_field field,
                    uint64_t argument, enum module_field is, uint64_t value)
{
    struct module_record record = {.kind = kind};

    record.values[field] = argument;
    record.values[is] = value;
    put(recorder_of(host), &record);
    return value;
}

static bool log_prefetch(const struct rubato_host *host, uint64_t address, uint32_t levels_below, uint32_t metadata)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;
    struct module_record record = {.kind = RECORD_PREFETCH};
    bool const is_taken = behind->prefetch(behind, address, levels_below, metadata);

    record.values[FIELD_ADDRESS] = address;
    record.values[FIELD_BELOW] = levels_below;
    record.values[FIELD_METADATA] = metadata;
    record.values[FIELD_IS] = is_taken;
    put(recorder_of(host), &record);
    return is_taken;
}

static uint64_t log_cycle(const struct rubato_host *host)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;

    return behind->cycle(behind);
}

static uint64_t log_retired(const struct rubato_host *host, uint32_t core)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;

    return ask(host, RECORD_RETIRED, FIELD_CORE, core, FIELD_IS, behind->retired(behind, core));
}

static bool log_is_warm(const struct rubato_host *host)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;

    return ask(host, RECORD_WARM, FIELD_IS, 0, FIELD_IS, behind->is_warm(behind)) != 0;
}

static uint32_t log_bandwidth(const struct rubato_host *host)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;

    return (uint32_t)ask(host, RECORD_BANDWIDTH, FIELD_IS, 0, FIELD_IS, behind->memory_bandwidth(behind));
}

/* A queue that the interface does not have has no name. */
static uint32_t log_occupancy(const struct rubato_host *host, enum rubato_queue queue)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;
    uint32_t const is = behind->occupancy(behind, queue);

    return queue > RUBATO_PREFETCH_QUEUE ? is
                                         : (uint32_t)ask(host, RECORD_OCCUPANCY, FIELD_QUEUE, queue, FIELD_IS, is);
}

static uint32_t log_capacity(const struct rubato_host *host, enum rubato_queue queue)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;
    uint32_t const is = behind->capacity(behind, queue);

    return queue > RUBATO_PREFETCH_QUEUE ? is : (uint32_t)ask(host, RECORD_CAPACITY, FIELD_QUEUE, queue, FIELD_IS, is);
}

static void log_line(const struct rubato_host *host, uint32_t set, uint32_t way, struct rubato_line *line)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;
    struct module_record record = {.kind = RECORD_LINE};

    behind->line(behind, set, way, line);
    record.values[FIELD_SET] = set;
    record.values[FIELD_WAY] = way;
    record.values[FIELD_ADDRESS] = line->address;
    record.values[FIELD_VIRTUAL] = line->virtual_address;
    record.values[FIELD_METADATA] = line->metadata;
    record.values[FIELD_VALID] = line->is_valid;
    record.values[FIELD_DIRTY] = line->is_dirty;
    record.values[FIELD_UNUSED] = line->is_prefetched;
    put(recorder_of(host), &record);
}

static uint32_t log_set_of(const struct rubato_host *host, uint64_t address)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;

    return (uint32_t)ask(host, RECORD_SET_OF, FIELD_ADDRESS, address, FIELD_IS, behind->set_of(behind, address));
}

static uint32_t log_way_of(const struct rubato_host *host, uint64_t address)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;

    return (uint32_t)ask(host, RECORD_WAY_OF, FIELD_ADDRESS, address, FIELD_WAY, behind->way_of(behind, address));
}

static uint64_t log_random(const struct rubato_host *host)
{
    const struct rubato_host *const behind = recorder_of(host)->behind;

    return behind->random(behind);
}

static const struct rubato_host log_host = {
    .prefetch = log_prefetch, .cycle = log_cycle, .retired = log_retired, .is_warm = log_is_warm,
    .memory_bandwidth = log_bandwidth, .occupancy = log_occupancy, .capacity = log_capacity, .line = log_line,
    .set_of = log_set_of, .way_of = log_way_of, .random = log_random};

/* ---- caches */

static uint32_t log_access(void *self, const struct rubato_request *request)
{
    const struct recorder *const recorder = self;
    struct module_record record = call_of(recorder, RECORD_ACCESS);
    uint32_t answer;

    module_record_of_request(&record, request);
    put(recorder, &record);
    answer = recorder->module->prefetcher->access(recorder->self, request);
    put_answer(recorder, FIELD_METADATA, answer);
    return answer;
}

static uint32_t log_fill(void *self, const struct rubato_fill *fill)
{
    const struct recorder *const recorder = self;
    struct module_record record = call_of(recorder, RECORD_FILL);
    uint32_t answer;

    module_record_of_fill(&record, fill);
    put(recorder, &record);
    answer = recorder->module->prefetcher->fill(recorder->self, fill);
    put_answer(recorder, FIELD_METADATA, answer);
    return answer;
}

static void put_eviction(const struct recorder *recorder, const struct rubato_eviction *eviction)
{
    struct module_record record = call_of(recorder, RECORD_EVICT);

    module_record_of_eviction(&record, eviction);
    put(recorder, &record);
}

static void log_evicted(void *self, const struct rubato_eviction *eviction)
{
    const struct recorder *const recorder = self;

    put_eviction(recorder, eviction);
    recorder->module->prefetcher->evicted(recorder->self, eviction);
    put_answer(recorder, FIELD_IS, 0);
}

static void log_each_cycle(void *self)
{
    const struct recorder *const recorder = self;
    struct module_record record = call_of(recorder, RECORD_CYCLE);

    put(recorder, &record);
    recorder->module->prefetcher->cycle(recorder->self);
    put_answer(recorder, FIELD_IS, 0);
}

static void put_branch(const struct recorder *recorder, enum module_record_kind kind,
                       const struct rubato_branch *branch)
{
    struct module_record record = call_of(recorder, kind);

    module_record_of_branch(&record, branch);
    put(recorder, &record);
}

static void log_branch(void *self, const struct rubato_branch *branch)
{
    const struct recorder *const recorder = self;

    put_branch(recorder, RECORD_BRANCH, branch);
    recorder->module->prefetcher->branch(recorder->self, branch);
    put_answer(recorder, FIELD_IS, 0);
}

static void log_policy_access(void *self, const struct rubato_request *request)
{
    const struct recorder *const recorder = self;
    struct module_record record = call_of(recorder, RECORD_ACCESS);

    module_record_of_request(&record, request);
    put(recorder, &record);
    recorder->module->replacement->access(recorder->self, request);
    put_answer(recorder, FIELD_IS, 0);
}

static uint32_t log_victim(void *self, const struct rubato_request *request)
{
    const struct recorder *const recorder = self;
    struct module_record record = call_of(recorder, RECORD_VICTIM);
    uint32_t way;

    module_record_of_request(&record, request);
    put(recorder, &record);
    way = recorder->module->replacement->victim(recorder->self, request);
    put_answer(recorder, FIELD_WAY, way);
    return way;
}

static void log_policy_fill(void *self, const struct rubato_fill *fill)
{
    const struct recorder *const recorder = self;
    struct module_record record = call_of(recorder, RECORD_FILL);

    module_record_of_fill(&record, fill);
    put(recorder, &record);
    recorder->module->replacement->fill(recorder->self, fill);
    put_answer(recorder, FIELD_IS, 0);
}

static void log_policy_evicted(void *self, const struct rubato_eviction *eviction)
{
    const struct recorder *const recorder = self;

    put_eviction(recorder, eviction);
    recorder->module->replacement->evicted(recorder->self, eviction);
    put_answer(recorder, FIELD_IS, 0);
}

/* ---- branches */

static bool log_predict(void *self, void *state, const struct rubato_branch *branch)
{
    const struct recorder *const recorder = self;
    bool is_taken;

    put_branch(recorder, RECORD_PREDICT, branch);
    is_taken = recorder->module->direction->predict(recorder->self, state, branch);
    put_answer(recorder, FIELD_IS, is_taken);
    return is_taken;
}

/* The other calls of a direction predictor, which answer nothing. */
#define LOG_DIRECTION(function, kind)                                                                                 \
    static void log_##function(void *self, void *state, const struct rubato_branch *branch)                          \
    {                                                                                                                 \
        const struct recorder *const recorder = self;                                                                 \
                                                                                                                      \
        put_branch(recorder, kind, branch);                                                                           \
        recorder->module->direction->function(recorder->self, state, branch);                                         \
        put_answer(recorder, FIELD_IS, 0);                                                                            \
    }
LOG_DIRECTION(shift, RECORD_SHIFT)
LOG_DIRECTION(undo, RECORD_UNDO)
LOG_DIRECTION(correct, RECORD_CORRECT)
LOG_DIRECTION(train, RECORD_TRAIN)

static bool log_btb_predict(void *self, const struct rubato_branch *branch, uint64_t *target, bool *always_taken)
{
    const struct recorder *const recorder = self;
    struct module_record answer = {.kind = RECORD_ANSWER};
    bool is_known;

    put_branch(recorder, RECORD_PREDICT, branch);
    is_known = recorder->module->btb->predict(recorder->self, branch, target, always_taken);
    answer.values[FIELD_IS] = is_known;
    answer.values[FIELD_TARGET] = is_known ? *target : 0;
    answer.values[FIELD_ALWAYS] = *always_taken;
    put(recorder, &answer);
    return is_known;
}

static bool log_indirect_predict(void *self, const struct rubato_branch *branch, uint64_t *target)
{
    const struct recorder *const recorder = self;
    struct module_record answer = {.kind = RECORD_ANSWER};
    bool is_known;

    put_branch(recorder, RECORD_PREDICT, branch);
    is_known = recorder->module->indirect->predict(recorder->self, branch, target);
    answer.values[FIELD_IS] = is_known;
    answer.values[FIELD_TARGET] = is_known ? *target : 0;
    put(recorder, &answer);
    return is_known;
}

#define LOG_TARGETS(part, function, kind)                                                                             \
    static void log_##part##_##function(void *self, const struct rubato_branch *branch)                              \
    {                                                                                                                 \
        const struct recorder *const recorder = self;                                                                 \
                                                                                                                      \
        put_branch(recorder, kind, branch);                                                                           \
        recorder->module->part->function(recorder->self, branch);                                                     \
        put_answer(recorder, FIELD_IS, 0);                                                                            \
    }
LOG_TARGETS(btb, update, RECORD_UPDATE)
LOG_TARGETS(btb, train, RECORD_TRAIN)
LOG_TARGETS(indirect, train, RECORD_TRAIN)

/* ---- instances */

static void put_parameters(const struct recorder *recorder, const union rubato_value *values)
{
    for (uint32_t i = 0; i < recorder->module->parameter_count; i++) {
        const struct rubato_parameter *const parameter = &recorder->module->parameters[i];
        struct module_record record = {.kind = RECORD_PARAMETER};
        char *const value = record.words[FIELD_VALUE - FIELD_MODULE];

        module_record_set_word(&record, FIELD_NAME, parameter->name);
        if (parameter->type == RUBATO_NUMBER)
            snprintf(value, MODULE_RECORD_WORD, "%.17g", values[i].number);
        else if (parameter->type == RUBATO_YES_NO)
            snprintf(value, MODULE_RECORD_WORD, "%s", values[i].count ? "yes" : "no");
        else
            snprintf(value, MODULE_RECORD_WORD, "%llu", (unsigned long long)values[i].count);
        put(recorder, &record);
    }
}

static void *log_create(const struct rubato_host *host, const struct rubato_place *place,
                        const union rubato_value *values, uint64_t *counters)
{
    const struct module_use *const use = (const struct module_use *)(const void *)
        ((const char *)values - offsetof(struct module_use, values));
    struct module_log *const log = use->tap->log;
    struct module_record record = {.kind = RECORD_INSTANCE}, create;
    struct recorder *const recorder = calloc(1, sizeof *recorder);

    if (!recorder)
        return NULL;
    *recorder = (struct recorder){.host = log_host, .behind = host, .module = use->tap->recorded, .file = log->file,
                                  .number = log->instances++};
    module_record_of_place(&record, place);
    module_record_set_word(&record, FIELD_MODULE, recorder->module->name);
    put(recorder, &record);
    put_parameters(recorder, values);
    create = call_of(recorder, RECORD_CREATE);
    put(recorder, &create);
    recorder->self = recorder->module->create(&recorder->host, place, values, counters);
    put_answer(recorder, FIELD_IS, recorder->self != NULL);
    if (recorder->self)
        return recorder;
    free(recorder);
    return NULL;
}

static void log_destroy(void *self)
{
    struct recorder *const recorder = self;

    if (recorder->module->destroy)
        recorder->module->destroy(recorder->self);
    free(recorder);
}

static void log_warmup_end(void *self)
{
    const struct recorder *const recorder = self;
    struct module_record record = call_of(recorder, RECORD_WARMUP_END);

    put(recorder, &record);
    recorder->module->warmup_end(recorder->self);
    put_answer(recorder, FIELD_IS, 0);
}

static void log_run_end(void *self)
{
    const struct recorder *const recorder = self;
    struct module_record record = call_of(recorder, RECORD_RUN_END);

    put(recorder, &record);
    recorder->module->run_end(recorder->self);
    put_answer(recorder, FIELD_IS, 0);
}

/* ---- taps: each function stands where the module has one, as NULL has a meaning */

#define TAP(part, function, own) tap->part.function = real->part->function ? (own) : NULL

static void tap_kinds(struct module_tap *tap, const struct rubato_module *real)
{
    if (real->prefetcher) {
        tap->prefetcher = *real->prefetcher;
        TAP(prefetcher, access, log_access), TAP(prefetcher, fill, log_fill), TAP(prefetcher, evicted, log_evicted);
        TAP(prefetcher, cycle, log_each_cycle), TAP(prefetcher, branch, log_branch);
        tap->module.prefetcher = &tap->prefetcher;
    }
    if (real->replacement) {
        TAP(replacement, access, log_policy_access), TAP(replacement, victim, log_victim);
        TAP(replacement, fill, log_policy_fill), TAP(replacement, evicted, log_policy_evicted);
        tap->module.replacement = &tap->replacement;
    }
    if (real->direction) {
        tap->direction = *real->direction;
        TAP(direction, predict, log_predict), TAP(direction, shift, log_shift), TAP(direction, undo, log_undo);
        TAP(direction, correct, log_correct), TAP(direction, train, log_train);
        tap->module.direction = &tap->direction;
    }
    if (real->btb) {
        TAP(btb, predict, log_btb_predict), TAP(btb, update, log_btb_update), TAP(btb, train, log_btb_train);
        tap->module.btb = &tap->btb;
    }
    if (real->indirect) {
        TAP(indirect, predict, log_indirect_predict), TAP(indirect, train, log_indirect_train);
        tap->module.indirect = &tap->indirect;
    }
}

static struct fault tap_one(void *context, struct module_use *use)
{
    struct module_log *const log = context;
    const struct rubato_module *const real = use->module;
    struct module_tap *tap;

    if (!list_fit(&log->taps, log->tap_count + 1, &log->tap_room, sizeof(struct module_tap *))
        || !(tap = calloc(1, sizeof *tap)))
        return fault_make(FAULT_MEMORY, "out of memory for a log of modules");
    log->taps[log->tap_count++] = tap;
    tap->module = *real;
    tap->recorded = real;
    tap->log = log;
    tap->module.create = log_create;
    tap->module.destroy = log_destroy;
    tap->module.warmup_end = real->warmup_end ? log_warmup_end : NULL;
    tap->module.run_end = real->run_end ? log_run_end : NULL;
    tap_kinds(tap, real);
    use->module = &tap->module;
    use->tap = tap;
    return fault_none();
}

struct fault module_log_tap(struct module_log **log, struct system_config *config, FILE *file)
{
    *log = calloc(1, sizeof **log);
    if (!*log)
        return fault_make(FAULT_MEMORY, "out of memory for a log of modules");
    (*log)->file = file;
    fputs(MODULE_LOG_FIRST_LINE "\n", file);
    FORWARD(config_modules_each(config, tap_one, *log));
    if ((*log)->tap_count == 0)
        return fault_make(FAULT_INPUT, "--module-log: %s has no module; set one, such as --set l2.prefetcher=./x.so",
                          config_name(config));
    return fault_none();
}

void module_log_free(struct module_log *log)
{
    for (size_t i = 0; log && i < log->tap_count; i++)
        free(log->taps[i]);
    if (log)
        free(log->taps);
    free(log);
}
