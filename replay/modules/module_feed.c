/* A call is made when its answer has been read, so that what the module asks meanwhile can be looked up. Questions have
 * no order: the first line with the same arguments that was not used yet counts, then the last one that was. Prefetches
 * are compared one by one. */
#include "replay/modules/module_feed.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/list.h"
#include "memsys/sim/module_use.h"
#include "replay/config/config_module.h"
#include "replay/modules/module_record.h"

enum { MOST_INSTANCES = 4096, MOST_QUESTIONS = 1 << 20, MOST_IN_FLIGHT = 1 << 16, LARGEST_SETS = 1 << 24 };

/* State of a branch in flight. */
struct branch_state { uint64_t sequence, *bytes; };

struct feed;

struct feed_instance {
    struct rubato_host host;             /* the first member */
    struct feed *feed;
    bool is_known, is_other, is_open;    /* is_other: of another module; is_open: a call without answer */
    struct module_record instance, call;
    struct module_use use;
    void *self;
    uint64_t random;
    uint64_t counters[RUBATO_MOST_STATISTICS];
    struct module_record *questions;
    bool *are_used;
    size_t question_count, question_room, used_room;
    size_t next_prefetch;                /* in questions */
    struct branch_state *states;
    size_t state_count, state_room;
};

struct feed {
    const struct module_feed_request *request;
    struct module_feed_result *result;
    struct feed_instance **instances;
    size_t instance_count, instance_room;
    uint64_t line;
};

static struct fault feed_wrong(const struct feed *feed, const char *problem)
{
    return fault_at_line(feed->request->log, feed->line, "%s", problem);
}

static struct fault feed_memory(const struct feed *feed)
{
    return fault_memory(feed->request->log, "the calls of a module");
}

static void __attribute__((format(printf, 2, 3))) differ(struct feed_instance *instance, const char *format, ...)
{
    struct feed *const feed = instance->feed;
    char text[300];
    va_list arguments;
    int const length = snprintf(text, sizeof text, "%s of %s: ", module_record_name(instance->call.kind),
                                module_record_word(&instance->instance, FIELD_PLACE));

    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    feed->result->differences++;
    feed->request->differs(feed->request->context, instance->call.line, text);
}

/* ---- what the module asks */

static struct feed_instance *feed_instance_of(const struct rubato_host *host)
{
    return (struct feed_instance *)(uintptr_t)host;
}

/* NULL: the log does not say. */
static const struct module_record *look_up(struct feed_instance *instance, const struct module_record *question)
{
    static const enum module_field arguments[] = {FIELD_CORE, FIELD_QUEUE, FIELD_SET, FIELD_WAY, FIELD_ADDRESS};
    /* a line has its address as an answer, way_of its way */
    enum module_field const but = question->kind == RECORD_LINE ? FIELD_ADDRESS
        : question->kind == RECORD_WAY_OF ? FIELD_WAY : FIELD_COUNT;
    const struct module_record *used = NULL;

    for (size_t i = 0; i < instance->question_count; i++) {
        const struct module_record *const known = &instance->questions[i];
        bool is_same = known->kind == question->kind;

        for (size_t k = 0; k < sizeof arguments / sizeof *arguments && is_same; k++)
            is_same = arguments[k] == but || known->values[arguments[k]] == question->values[arguments[k]];
        if (!is_same)
            continue;
        used = known;
        if (instance->are_used[i])
            continue;
        instance->are_used[i] = true;
        return known;
    }
    if (used)
        return used;
    if (instance->feed->result->unknown++ == 0)
        snprintf(instance->feed->result->asked, sizeof instance->feed->result->asked, "%s",
                 module_record_name(question->kind));
    return NULL;
}

static uint64_t look_up_number(const struct rubato_host *host, enum module_record_kind kind, enum module_field field,
                               uint64_t argument, uint64_t otherwise)
{
    struct module_record question = {.kind = kind};
    const struct module_record *known;

    question.values[field] = argument;
    if (field == FIELD_IS)
        question.values[field] = 0;
    known = look_up(feed_instance_of(host), &question);
    return known ? known->values[FIELD_IS] : otherwise;
}

static bool feed_prefetch(const struct rubato_host *host, uint64_t address, uint32_t levels_below, uint32_t metadata)
{
    struct feed_instance *const instance = feed_instance_of(host);
    const struct module_record *known = NULL;

    while (instance->next_prefetch < instance->question_count && !known) {
        known = &instance->questions[instance->next_prefetch++];
        known = known->kind == RECORD_PREFETCH ? known : NULL;
    }
    instance->feed->result->prefetches++;
    if (!known)
        differ(instance, "prefetch of 0x%" PRIx64 ", of which the log has nothing", address);
    else if (known->values[FIELD_ADDRESS] != address || known->values[FIELD_BELOW] != levels_below
             || known->values[FIELD_METADATA] != metadata)
        differ(instance, "prefetch of 0x%" PRIx64 ", %" PRIu32 " below, metadata %" PRIu32 "; the log has 0x%" PRIx64
               ", %" PRIu64 " below, metadata %" PRIu64, address, levels_below, metadata,
               known->values[FIELD_ADDRESS], known->values[FIELD_BELOW], known->values[FIELD_METADATA]);
    return !known || known->values[FIELD_IS] != 0;
}

static uint64_t feed_cycle(const struct rubato_host *host)
{
    return feed_instance_of(host)->call.values[FIELD_AT];
}

static uint64_t feed_retired(const struct rubato_host *host, uint32_t core)
{
    return look_up_number(host, RECORD_RETIRED, FIELD_CORE, core, 0);
}

static bool feed_is_warm(const struct rubato_host *host)
{
    return look_up_number(host, RECORD_WARM, FIELD_IS, 0, 1) != 0;
}

static uint32_t feed_bandwidth(const struct rubato_host *host)
{
    return (uint32_t)look_up_number(host, RECORD_BANDWIDTH, FIELD_IS, 0, 0);
}

static uint32_t feed_occupancy(const struct rubato_host *host, enum rubato_queue queue)
{
    return (uint32_t)look_up_number(host, RECORD_OCCUPANCY, FIELD_QUEUE, queue, 0);
}

static uint32_t feed_capacity(const struct rubato_host *host, enum rubato_queue queue)
{
    const struct module_record *const place = &feed_instance_of(host)->instance;

    switch (queue) {
    case RUBATO_MSHRS:
    case RUBATO_READ_QUEUE: return (uint32_t)place->values[FIELD_MSHRS];
    case RUBATO_WRITE_QUEUE: return (uint32_t)place->values[FIELD_WRITE_BUFFERS];
    case RUBATO_PREFETCH_QUEUE: return (uint32_t)place->values[FIELD_PREFETCH_QUEUE];
    }
    return 0;
}

static void feed_line(const struct rubato_host *host, uint32_t set, uint32_t way, struct rubato_line *line)
{
    struct module_record question = {.kind = RECORD_LINE};
    const struct module_record *known;

    question.values[FIELD_SET] = set;
    question.values[FIELD_WAY] = way;
    known = look_up(feed_instance_of(host), &question);
    *line = (struct rubato_line){.is_valid = false};
    if (known)
        *line = (struct rubato_line){
            .address = known->values[FIELD_ADDRESS], .virtual_address = known->values[FIELD_VIRTUAL],
            .metadata = (uint32_t)known->values[FIELD_METADATA], .is_valid = known->values[FIELD_VALID] != 0,
            .is_dirty = known->values[FIELD_DIRTY] != 0, .is_prefetched = known->values[FIELD_UNUSED] != 0};
}

static uint32_t feed_set_of(const struct rubato_host *host, uint64_t address)
{
    uint64_t const sets = feed_instance_of(host)->instance.values[FIELD_SETS];
    uint64_t const set = look_up_number(host, RECORD_SET_OF, FIELD_ADDRESS, address, 0);

    return (uint32_t)(set < sets ? set : 0);
}

static uint32_t feed_way_of(const struct rubato_host *host, uint64_t address)
{
    struct module_record question = {.kind = RECORD_WAY_OF};
    const struct module_record *known;

    question.values[FIELD_ADDRESS] = address;
    known = look_up(feed_instance_of(host), &question);
    return known ? (uint32_t)known->values[FIELD_WAY] : RUBATO_NO_WAY;
}

static uint64_t feed_random(const struct rubato_host *host)
{
    return module_random(&feed_instance_of(host)->random);
}

static const struct rubato_host feed_host = {
    .prefetch = feed_prefetch, .cycle = feed_cycle, .retired = feed_retired, .is_warm = feed_is_warm,
    .memory_bandwidth = feed_bandwidth, .occupancy = feed_occupancy, .capacity = feed_capacity, .line = feed_line,
    .set_of = feed_set_of, .way_of = feed_way_of, .random = feed_random};

/* ---- branches in flight */

static struct branch_state *state_of(struct feed_instance *instance, uint64_t sequence)
{
    for (size_t i = instance->state_count; i-- > 0;)
        if (instance->states[i].sequence == sequence)
            return &instance->states[i];
    return NULL;
}

static struct fault begin_branch(struct feed_instance *instance, uint64_t sequence, struct branch_state **state)
{
    size_t const bytes = instance->use.module->direction->state_bytes;

    *state = state_of(instance, sequence);
    if (!*state) {
        if (instance->state_count == MOST_IN_FLIGHT)
            return feed_wrong(instance->feed, "predict: more than 65536 branches that are neither trained nor undone; "
                              "expected train or undo of each");
        if (!list_fit(&instance->states, instance->state_count + 1, &instance->state_room, sizeof **state))
            return feed_memory(instance->feed);
        *state = &instance->states[instance->state_count];
        **state = (struct branch_state){.sequence = sequence, .bytes = malloc(bytes + 8)};
        if (!(*state)->bytes)
            return feed_memory(instance->feed);
        instance->state_count++;
    }
    memset((*state)->bytes, 0, bytes);
    return fault_none();
}

static void end_branch(struct feed_instance *instance, struct branch_state *state)
{
    free(state->bytes);
    memmove(state, state + 1, (size_t)(instance->states + instance->state_count - (state + 1)) * sizeof *state);
    instance->state_count--;
}

/* ---- calls */

static void compare(struct feed_instance *instance, const char *what, uint64_t is, uint64_t expected)
{
    if (is != expected)
        differ(instance, "%s %" PRIu64 "; the log has %" PRIu64, what, is, expected);
}

static void compare_target(struct feed_instance *instance, const struct module_record *answer, bool is_known,
                           uint64_t target)
{
    compare(instance, "a target:", is_known, answer->values[FIELD_IS]);
    if (is_known && answer->values[FIELD_IS] && target != answer->values[FIELD_TARGET])
        differ(instance, "target 0x%" PRIx64 "; the log has 0x%" PRIx64, target, answer->values[FIELD_TARGET]);
}

static struct fault call_direction(struct feed_instance *instance, const struct module_record *answer)
{
    const struct rubato_direction *const functions = instance->use.module->direction;
    struct rubato_branch const branch = module_record_branch(&instance->call);
    struct branch_state *state = state_of(instance, branch.sequence);
    enum module_record_kind const kind = instance->call.kind;

    if (kind == RECORD_PREDICT) {
        FORWARD(begin_branch(instance, branch.sequence, &state));
        compare(instance, "taken:", functions->predict(instance->self, state->bytes, &branch),
                answer->values[FIELD_IS]);
        return fault_none();
    }
    if (!state)
        return feed_wrong(instance->feed, "a branch that was not predicted, or was trained or undone before; expected "
                          "predict with its sequence before it");
    if (kind == RECORD_SHIFT && functions->shift)
        functions->shift(instance->self, state->bytes, &branch);
    if (kind == RECORD_CORRECT && functions->correct)
        functions->correct(instance->self, state->bytes, &branch);
    if (kind == RECORD_UNDO && functions->undo)
        functions->undo(instance->self, state->bytes, &branch);
    if (kind == RECORD_TRAIN)
        functions->train(instance->self, state->bytes, &branch);
    if (kind == RECORD_TRAIN || kind == RECORD_UNDO)
        end_branch(instance, state);
    return fault_none();
}

static void call_btb(struct feed_instance *instance, const struct module_record *answer)
{
    const struct rubato_btb *const functions = instance->use.module->btb;
    struct rubato_branch const branch = module_record_branch(&instance->call);
    bool always_taken = false;
    uint64_t target = 0;

    if (instance->call.kind == RECORD_PREDICT) {
        bool const is_known = functions->predict(instance->self, &branch, &target, &always_taken);

        compare_target(instance, answer, is_known, target);
        compare(instance, "always taken:", always_taken, answer->values[FIELD_ALWAYS]);
    } else if (instance->call.kind == RECORD_UPDATE && functions->update) {
        functions->update(instance->self, &branch);
    } else if (instance->call.kind == RECORD_TRAIN && functions->train) {
        functions->train(instance->self, &branch);
    }
}

static void call_indirect(struct feed_instance *instance, const struct module_record *answer)
{
    const struct rubato_indirect *const functions = instance->use.module->indirect;
    struct rubato_branch const branch = module_record_branch(&instance->call);
    uint64_t target = 0;

    if (instance->call.kind == RECORD_PREDICT) {
        bool const is_known = functions->predict(instance->self, &branch, &target);

        compare_target(instance, answer, is_known, target);
    } else if (instance->call.kind == RECORD_TRAIN && functions->train) {
        functions->train(instance->self, &branch);
    }
}

static void call_prefetcher(struct feed_instance *instance, const struct module_record *answer)
{
    const struct rubato_prefetcher *const functions = instance->use.module->prefetcher;
    const struct module_record *const call = &instance->call;
    struct rubato_request const request = module_record_request(call);
    struct rubato_fill const fill = module_record_fill(call);
    struct rubato_eviction const eviction = module_record_eviction(call);
    struct rubato_branch const branch = module_record_branch(call);

    if (call->kind == RECORD_ACCESS && functions->access)
        compare(instance, "metadata", functions->access(instance->self, &request), answer->values[FIELD_METADATA]);
    if (call->kind == RECORD_FILL && functions->fill)
        compare(instance, "metadata", functions->fill(instance->self, &fill), answer->values[FIELD_METADATA]);
    if (call->kind == RECORD_EVICT && functions->evicted)
        functions->evicted(instance->self, &eviction);
    if (call->kind == RECORD_CYCLE && functions->cycle)
        functions->cycle(instance->self);
    if (call->kind == RECORD_BRANCH && functions->branch)
        functions->branch(instance->self, &branch);
}

static void call_policy(struct feed_instance *instance, const struct module_record *answer)
{
    const struct rubato_replacement *const functions = instance->use.module->replacement;
    const struct module_record *const call = &instance->call;
    struct rubato_request const request = module_record_request(call);
    struct rubato_fill const fill = module_record_fill(call);
    struct rubato_eviction const eviction = module_record_eviction(call);
    uint64_t const ways = instance->instance.values[FIELD_WAYS];

    if (call->kind == RECORD_ACCESS && functions->access)
        functions->access(instance->self, &request);
    if (call->kind == RECORD_VICTIM) {
        uint64_t const way = functions->victim(instance->self, &request), expected = answer->values[FIELD_WAY];

        if (way < ways || expected < ways)       /* any other way is a bypass */
            compare(instance, "way", way, expected);
    }
    if (call->kind == RECORD_FILL && functions->fill)
        functions->fill(instance->self, &fill);
    if (call->kind == RECORD_EVICT && functions->evicted)
        functions->evicted(instance->self, &eviction);
}

static struct fault create(struct feed_instance *instance)
{
    struct rubato_place const place = module_record_place(&instance->instance);

    if (instance->self)
        return feed_wrong(instance->feed, "create: the instance was created before; expected a call");
    instance->self = instance->use.module->create(&instance->host, &place, instance->use.values, instance->counters);
    return instance->self ? fault_none()
                          : fault_make(FAULT_MEMORY, "%.300s: the module could not be created",
                                       instance->feed->request->path);
}

static struct fault make_call(struct feed_instance *instance, const struct module_record *answer)
{
    const struct rubato_module *const module = instance->use.module;

    instance->next_prefetch = 0;
    instance->feed->result->calls++;
    if (instance->call.kind == RECORD_CREATE)
        return create(instance);
    if (instance->call.kind == RECORD_WARMUP_END) {
        memset(instance->counters, 0, sizeof instance->counters);
        if (module->warmup_end)
            module->warmup_end(instance->self);
        return fault_none();
    }
    if (instance->call.kind == RECORD_RUN_END) {
        if (module->run_end)
            module->run_end(instance->self);
        return fault_none();
    }
    switch ((enum rubato_slot)instance->instance.values[FIELD_SLOT]) {
    case RUBATO_IS_PREFETCHER: call_prefetcher(instance, answer); break;
    case RUBATO_IS_REPLACEMENT: call_policy(instance, answer); break;
    case RUBATO_IS_DIRECTION: return call_direction(instance, answer);
    case RUBATO_IS_BTB: call_btb(instance, answer); break;
    case RUBATO_IS_INDIRECT: call_indirect(instance, answer); break;
    }
    return fault_none();
}

static void find_missing_prefetches(struct feed_instance *instance)
{
    for (size_t i = instance->next_prefetch; i < instance->question_count; i++)
        if (instance->questions[i].kind == RECORD_PREFETCH)
            differ(instance, "no prefetch of 0x%" PRIx64 ", which the log has",
                   instance->questions[i].values[FIELD_ADDRESS]);
}

/* ---- lines */

/* What a module may rely on. */
static const char *check_place(const struct module_record *record)
{
    const uint64_t *const values = record->values;
    bool const is_cache = values[FIELD_SLOT] <= RUBATO_IS_REPLACEMENT;

    if (is_cache && (values[FIELD_SETS] == 0 || values[FIELD_WAYS] == 0 || values[FIELD_SETS] > LARGEST_SETS
                     || values[FIELD_WAYS] > 65536 || values[FIELD_SETS] * values[FIELD_WAYS] > LARGEST_SETS))
        return "instance: expected sets and ways of at least 1, and 16777216 lines at most";
    if (is_cache && (values[FIELD_LINE_BYTES] < 8 || values[FIELD_LINE_BYTES] > 65536
                     || values[FIELD_PAGE_BYTES] < values[FIELD_LINE_BYTES]))
        return "instance: expected line_bytes of 8 to 65536, and page_bytes of a line at least";
    if (values[FIELD_CORES] > 4096)
        return "instance: expected at most 4096 cores";
    return NULL;
}

static const char *check_call(const struct feed_instance *instance, const struct module_record *record)
{
    static const uint32_t of_prefetcher = 1u << RECORD_ACCESS | 1u << RECORD_FILL | 1u << RECORD_EVICT
        | 1u << RECORD_CYCLE | 1u << RECORD_BRANCH;
    static const uint32_t of_policy = 1u << RECORD_ACCESS | 1u << RECORD_VICTIM | 1u << RECORD_FILL
        | 1u << RECORD_EVICT;
    static const uint32_t of_slots[] = {
        of_prefetcher, of_policy,
        1u << RECORD_PREDICT | 1u << RECORD_SHIFT | 1u << RECORD_UNDO | 1u << RECORD_CORRECT | 1u << RECORD_TRAIN,
        1u << RECORD_PREDICT | 1u << RECORD_UPDATE | 1u << RECORD_TRAIN, 1u << RECORD_PREDICT | 1u << RECORD_TRAIN};
    uint32_t const any = 1u << RECORD_CREATE | 1u << RECORD_WARMUP_END | 1u << RECORD_RUN_END;
    uint64_t const way = record->values[FIELD_WAY];

    if (!((of_slots[instance->instance.values[FIELD_SLOT]] | any) >> record->kind & 1))
        return "a call that the instance's kind of module does not have";
    if (!instance->is_other && !instance->self && record->kind != RECORD_CREATE)
        return "a call of an instance that was not created; expected create before it";
    if (record->kind < RECORD_ACCESS || record->kind > RECORD_EVICT)
        return NULL;
    if (record->values[FIELD_SET] >= instance->instance.values[FIELD_SETS])
        return "a set that the instance does not have; expected one below its sets";
    return way < instance->instance.values[FIELD_WAYS] || (way == RUBATO_NO_WAY && record->kind != RECORD_EVICT)
        ? NULL : "a way that the instance does not have; expected one below its ways, or none";
}

static struct fault new_instance(struct feed *feed, const struct module_record *record)
{
    const struct rubato_module *const module = feed->request->module;
    struct module_record named;
    const char *const problem = check_place(record);
    struct feed_instance *instance;

    if (problem || record->instance != feed->instance_count || record->instance == MOST_INSTANCES)
        return feed_wrong(feed, problem ? problem : "instance: expected numbers that ascend from 0 to 4095");
    if (!list_fit(&feed->instances, feed->instance_count + 1, &feed->instance_room, sizeof(struct feed_instance *))
        || !(instance = calloc(1, sizeof *instance)))
        return feed_memory(feed);
    feed->instances[feed->instance_count++] = instance;
    instance->host = feed_host;
    instance->feed = feed;
    instance->instance = *record;
    module_record_set_word(&named, FIELD_MODULE, feed->request->as);
    instance->is_other
        = strcmp(module_record_word(&named, FIELD_MODULE), module_record_word(record, FIELD_MODULE)) != 0;
    feed->result->instances += !instance->is_other;
    feed->result->other_instances += instance->is_other;
    if (instance->is_other)
        return fault_none();
    config_module_defaults(&instance->use, module);
    return config_check_module(module, feed->request->path, feed->request->log,
                               (enum rubato_slot)record->values[FIELD_SLOT]);
}

static struct fault take_question(struct feed_instance *instance, const struct module_record *record)
{
    if (!instance->is_open)
        return feed_wrong(instance->feed, "a question without a call; expected a call of the instance before it");
    if (instance->question_count == MOST_QUESTIONS)
        return feed_wrong(instance->feed, "more than 1048576 questions of one call; expected answer");
    if (!list_fit(&instance->questions, instance->question_count + 1, &instance->question_room, sizeof *record)
        || !list_fit(&instance->are_used, instance->question_count + 1, &instance->used_room, sizeof(bool)))
        return feed_memory(instance->feed);
    instance->questions[instance->question_count] = *record;
    instance->are_used[instance->question_count++] = false;
    return fault_none();
}

static struct fault take_answer(struct feed_instance *instance, const struct module_record *record)
{
    if (!instance->is_open)
        return feed_wrong(instance->feed, "an answer without a call; expected a call of the instance before it");
    instance->is_open = false;
    if (instance->is_other)
        return fault_none();
    FORWARD(make_call(instance, record));
    find_missing_prefetches(instance);
    return fault_none();
}

static struct fault take_record(struct feed *feed, const struct module_record *record)
{
    struct feed_instance *const instance = record->instance < feed->instance_count
        ? feed->instances[record->instance] : NULL;
    const char *problem;

    if (record->kind == RECORD_INSTANCE)
        return new_instance(feed, record);
    if (!instance)
        return feed_wrong(feed, "a number that no instance has; expected instance with it before");
    if (record->kind == RECORD_PARAMETER && !instance->is_other)
        return fault_within(config_module_take_value(&instance->use, "parameter",
                                                     module_record_word(record, FIELD_NAME),
                                                     module_record_word(record, FIELD_VALUE)), "%s: line %" PRIu64 ": ",
                            feed->request->log, feed->line);
    if (record->kind == RECORD_PARAMETER)
        return fault_none();
    if (module_record_is_question(record->kind))
        return instance->is_other ? fault_none() : take_question(instance, record);
    if (record->kind == RECORD_ANSWER)
        return take_answer(instance, record);
    problem = instance->is_open ? "a call within another one of the instance; expected answer"
                                : check_call(instance, record);
    if (problem)
        return feed_wrong(feed, problem);
    instance->is_open = true;
    instance->call = *record;
    instance->question_count = 0;
    return fault_none();
}

static struct fault read_lines(struct feed *feed, FILE *file, char **text, size_t *room)
{
    struct module_record record;
    char problem[200];
    ssize_t length;

    while ((length = getline(text, room, file)) >= 0) {
        feed->line++;
        if (length > 0 && (*text)[length - 1] == '\n')
            (*text)[--length] = '\0';
        if (length >= 2 * MODULE_RECORD_LINE || strlen(*text) != (size_t)length)
            return feed_wrong(feed, "a line of more than 2047 bytes, or with a byte of 0; expected text");
        if (feed->line == 1 && strcmp(*text, MODULE_LOG_FIRST_LINE) != 0)
            return feed_wrong(feed, "expected \"" MODULE_LOG_FIRST_LINE "\", as rubato replay --module-log writes it");
        if (feed->line == 1 || (*text)[strspn(*text, " \t\r")] == '\0' || **text == '#')
            continue;
        if (module_record_read(&record, *text, problem))
            return feed_wrong(feed, problem);
        record.line = feed->line;
        FORWARD(take_record(feed, &record));
    }
    for (size_t i = 0; i < feed->instance_count; i++)
        if (feed->instances[i]->is_open)
            return feed_wrong(feed, "the log ends within a call; expected answer");
    return feed->line > 0 ? fault_none()
                          : feed_wrong(feed, "empty; expected \"" MODULE_LOG_FIRST_LINE "\"");
}

static void feed_free(struct feed *feed)
{
    for (size_t i = 0; i < feed->instance_count; i++) {
        struct feed_instance *const instance = feed->instances[i];

        if (instance->self && instance->use.module->destroy)
            instance->use.module->destroy(instance->self);
        for (size_t k = 0; k < instance->state_count; k++)
            free(instance->states[k].bytes);
        free(instance->states);
        free(instance->questions);
        free(instance->are_used);
        free(instance);
    }
    free(feed->instances);
}

struct fault module_feed(const struct module_feed_request *request, struct module_feed_result *result)
{
    struct feed feed = {.request = request, .result = result};
    FILE *const file = input_file_fopen(request->log);
    char *text = NULL;
    size_t room = 0;
    struct fault fault;

    *result = (struct module_feed_result){.calls = 0};
    if (!file)
        return fault_at(request->log, FAULT_NO_OFFSET, "cannot be opened; give a log of rubato replay --module-log");
    fault = read_lines(&feed, file, &text, &room);
    if (fault.kind == FAULT_NONE && ferror(file))
        fault = fault_at(request->log, FAULT_NO_OFFSET, "cannot be read; give a file");
    if (fault.kind == FAULT_NONE && result->instances == 0)
        fault = fault_at(request->log, FAULT_NO_OFFSET, "no calls of a module %.60s%s%.60s%s", request->as,
                         feed.instance_count ? "; --as " : "; record it with rubato replay --module-log",
                         feed.instance_count ? module_record_word(&feed.instances[0]->instance, FIELD_MODULE) : "",
                         feed.instance_count ? " takes those of the first one in it" : "");
    feed_free(&feed);
    free(text);
    input_file_fclose(file);
    return fault;
}
