/* Modelled: when threads start, which core runs them, and their records and fetches while they run (macsim-traces 1.2,
 * 5). Not modelled: more than one thread at a time on a core; the choice of the least loaded core, since a free one has
 * no load.
 *
 * A running thread is decoded twice, once for each side of its core: the sides are not coupled, so one may be any
 * number of records ahead of the other. That main has fetched a block is known when its next fetch is asked for: the
 * source gives one fetch at a time. */
#include "replay/system/macsim_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "proto/store/shape.h"
#include "replay/system/spaces.h"

#define MOST_WARNINGS 64
#define SEQ_STEP (UINT64_C(1) << 40)     /* between the first numbers of threads that a core runs one after another */
#define MOST_WAITING_FETCHES 4

enum thread_state { THREAD_WAITS, THREAD_IS_DUE, THREAD_RUNS, THREAD_ENDED };

struct application {
    const struct macsim_part *part;
    struct macsim_pages pages;
    struct space *space;                 /* which says where they lie; NULL: they do so themselves */
    size_t main;                         /* place of its main thread */
    uint64_t fetched;                    /* by that one: instructions; UINT64_MAX: all */
};

struct waiting_fetch {
    struct packet_record fetch;
    uint64_t before;                     /* instructions before the one that brought it */
};

struct thread {
    struct macsim_threads *threads;
    struct application *application;
    size_t index;                        /* in the part's header */
    uint64_t id, start, instructions;
    uint64_t due_number;                 /* order in which threads became due */
    enum thread_state state;
    unsigned core;
    char name[MACSIM_PATH_MAX];          /* of its stream, for messages */

    /* while it runs: data side */
    struct macsim_elastic *data;
    struct store_record *records;
    struct store_shape *shapes;
    struct store_lists *lists;           /* of the shape of the same place */
    size_t record_room;
    uint32_t *distances, *edges;
    uint64_t *no_distances;              /* all 0: no distance in records is missing */
    size_t dep_room;

    /* fetch side */
    struct macsim_elastic *fetch;
    struct waiting_fetch waiting[MOST_WAITING_FETCHES];
    size_t waiting_count;
    bool fetch_ended, gave_fetch;
    uint64_t last_tick, given_until;     /* given_until: instructions that the fetch given last completes */
    struct store_fetch_shape fetch_shape;
    struct store_fetch store_fetch;
};

struct macsim_threads {
    struct macsim_elastic_options options;
    struct application *applications;
    size_t application_count;
    struct thread *threads;
    size_t count;
    uint64_t due_count, taken[CONFIG_MAX_CORES];     /* taken: threads that each core has had */
    void (*due)(void *context);
    void *context;
    char *warnings[MOST_WARNINGS];
    size_t warning_count;
};

static enum source_result fail_memory(struct fault *fault)
{
    *fault = fault_make(FAULT_MEMORY, "out of memory for the records of a MacSim thread");
    return SOURCE_FAULT;
}

/* ---- data records, an instruction at a time */

static bool make_record_room(struct thread *thread, size_t count)
{
    size_t const room = 2 * count;

    if (count <= thread->record_room)
        return true;
    free(thread->records);
    free(thread->shapes);
    free(thread->lists);
    thread->records = malloc(room * sizeof *thread->records);
    thread->shapes = malloc(room * sizeof *thread->shapes);
    thread->lists = malloc(room * sizeof *thread->lists);
    thread->record_room = room;
    return thread->records && thread->shapes && thread->lists;
}

static bool make_dep_room(struct thread *thread, size_t count)
{
    size_t const room = 2 * count;

    if (count <= thread->dep_room)
        return true;
    free(thread->distances);
    free(thread->edges);
    free(thread->no_distances);
    thread->distances = malloc(room * sizeof *thread->distances);
    thread->edges = malloc(room * sizeof *thread->edges);
    thread->no_distances = calloc(room, sizeof *thread->no_distances);
    thread->dep_room = room;
    return thread->distances && thread->edges && thread->no_distances;
}

/* Sequence numbers have no gaps, so a distance in them is one in records. */
static void fill_record(struct thread *thread, size_t place, const struct dep_record *record, size_t deps_before)
{
    uint32_t *const distances = thread->distances + deps_before;

    for (uint32_t i = 0; i < record->rob_dep_count; i++)
        distances[i] = (uint32_t)(record->seq_num - record->rob_dep[i]);
    for (uint32_t i = 0; i < record->reg_dep_count; i++)
        distances[record->rob_dep_count + i] = (uint32_t)(record->seq_num - record->reg_dep[i]);
    thread->shapes[place] = (struct store_shape){
        .pc = record->pc, .present = (uint16_t)record->present, .size_bytes = record->size_bytes,
        .flags = record->flags, .weight = record->weight, .is_access = store_is_access(record->type),
        .reach = UINT16_MAX, .comp_delay = record->comp_delay, .links.type = (uint8_t)record->type};
    thread->lists[place] = (struct store_lists){
        .rob_dep_count = record->rob_dep_count, .reg_dep_count = record->reg_dep_count, .record_distance = distances,
        .seq_distance = thread->no_distances};
    store_lists_complete(&thread->lists[place], thread->edges + deps_before, UINT64_MAX);
    thread->lists[place].linked_count = 0;       /* parents have no links */
    thread->records[place] = (struct store_record){&thread->shapes[place], record->seq_num, record->p_addr};
}

static enum source_result give_records(void *self, struct record_batch *out, struct fault *fault)
{
    struct thread *const thread = self;
    struct macsim_elastic_output output;
    enum macsim_step step;
    size_t deps = 0;

    do
        step = macsim_elastic_next(thread->data, &output, fault);
    while (step == MACSIM_RECORD && output.record_count == 0);
    if (step == MACSIM_FAILED)
        return SOURCE_FAULT;
    if (step == MACSIM_END)
        return SOURCE_END;
    for (size_t i = 0; i < output.record_count; i++)
        deps += (size_t)output.records[i].rob_dep_count + output.records[i].reg_dep_count;
    if (!make_record_room(thread, output.record_count) || !make_dep_room(thread, deps))
        return fail_memory(fault);
    deps = 0;
    for (size_t i = 0; i < output.record_count; i++) {
        fill_record(thread, i, &output.records[i], deps);
        deps += (size_t)output.records[i].rob_dep_count + output.records[i].reg_dep_count;
    }
    *out = (struct record_batch){.records = thread->records, .count = output.record_count};
    return SOURCE_RECORD;
}

static enum source_result give_lists(void *self, const struct store_shape *shape, struct store_lists *out,
                                     struct fault *fault)
{
    const struct thread *const thread = self;

    (void)fault;
    *out = thread->lists[shape - thread->shapes];
    return SOURCE_RECORD;
}

/* ---- fetches, one at a time */

/* An application's main thread has fetched that many instructions. */
static void tell_fetched(struct macsim_threads *threads, struct application *application, uint64_t fetched)
{
    uint64_t const due_before = threads->due_count;

    application->fetched = fetched;
    for (size_t i = 0; i < threads->count; i++) {
        struct thread *const thread = &threads->threads[i];

        if (thread->application != application || thread->state != THREAD_WAITS || thread->start > fetched)
            continue;
        thread->state = THREAD_IS_DUE;
        thread->due_number = threads->due_count++;
    }
    if (threads->due_count > due_before && threads->due)
        threads->due(threads->context);
}

/* Decodes until the fetch after the next one is known, or the end. */
static bool look_ahead(struct thread *thread, struct fault *error)
{
    while (!thread->fetch_ended && thread->waiting_count < 2) {
        struct macsim_elastic_output output;
        enum macsim_step const step = macsim_elastic_next(thread->fetch, &output, error);

        if (step == MACSIM_FAILED)
            return false;
        if (step == MACSIM_END) {
            thread->fetch_ended = true;
            return true;
        }
        for (size_t i = 0; i < output.fetch_count; i++)
            thread->waiting[thread->waiting_count++]
                = (struct waiting_fetch){output.fetches[i], output.fetched_before};
    }
    return true;
}

static enum source_result give_fetch(void *self, struct store_fetch_batch *out, struct fault *fault)
{
    struct thread *const thread = self;
    struct packet_record const *fetch;

    if (thread->gave_fetch && thread == &thread->threads->threads[thread->application->main])
        tell_fetched(thread->threads, thread->application, thread->given_until);
    if (!look_ahead(thread, fault))
        return SOURCE_FAULT;
    if (thread->waiting_count == 0)
        return SOURCE_END;
    fetch = &thread->waiting[0].fetch;
    thread->fetch_shape = (struct store_fetch_shape){
        .addr = fetch->addr, .pc = fetch->pc, .step_ticks = fetch->tick - thread->last_tick, .cmd = fetch->cmd,
        .size_bytes = fetch->size_bytes, .flags = fetch->flags, .present = fetch->present};
    thread->store_fetch = (struct store_fetch){&thread->fetch_shape, fetch->tick};
    thread->last_tick = fetch->tick;
    thread->gave_fetch = true;
    thread->given_until = thread->waiting_count > 1 ? thread->waiting[1].before : UINT64_MAX;
    memmove(thread->waiting, thread->waiting + 1, --thread->waiting_count * sizeof *thread->waiting);
    *out = (struct store_fetch_batch){.fetches = &thread->store_fetch, .count = 1, .shapes = &thread->fetch_shape,
                                      .shape_count = 1};
    return SOURCE_RECORD;
}

/* ---- a thread's life */

static void warn(struct macsim_threads *threads, const char *text)
{
    char *copy;

    if (threads->warning_count == MOST_WARNINGS)
        return;
    copy = malloc(strlen(text) + 1);
    if (!copy)
        return;
    memcpy(copy, text, strlen(text) + 1);
    threads->warnings[threads->warning_count++] = copy;
}

static void warn_of(struct macsim_threads *threads, const struct thread *thread)
{
    char text[MACSIM_PATH_MAX + 200];
    unsigned told = 0;

    while (macsim_elastic_warning(thread->data, &told, text, sizeof text))
        warn(threads, text);
}

static void close_thread(struct thread *thread)
{
    macsim_elastic_close(thread->data);
    macsim_elastic_close(thread->fetch);
    free(thread->records);
    free(thread->shapes);
    free(thread->lists);
    free(thread->distances);
    free(thread->edges);
    free(thread->no_distances);
    thread->data = thread->fetch = NULL;
    thread->records = NULL;
    thread->shapes = NULL;
    thread->lists = NULL;
    thread->distances = thread->edges = NULL;
    thread->no_distances = NULL;
    thread->record_room = thread->dep_room = 0;
}

static bool open_thread(struct macsim_threads *threads, struct thread *thread, unsigned core, struct fault *error)
{
    struct macsim_elastic_options options = threads->options;
    struct application *const application = thread->application;

    options.first_seq = 1 + threads->taken[core]++ * SEQ_STEP;
    thread->data = macsim_elastic_open(application->part, thread->index, &options, &application->pages, error);
    options.only_fetches = true;
    if (thread->data)
        thread->fetch = macsim_elastic_open(application->part, thread->index, &options, &application->pages, error);
    if (thread->fetch)
        return look_ahead(thread, error);
    return false;
}

static bool take(void *self, unsigned core, struct system_thread *out, struct fault *fault)
{
    struct macsim_threads *const threads = self;
    struct thread *next = NULL;

    for (size_t i = 0; i < threads->count; i++) {
        struct thread *const thread = &threads->threads[i];

        if (thread->state == THREAD_IS_DUE && (!next || thread->due_number < next->due_number))
            next = thread;
    }
    if (!next)
        return false;
    next->state = THREAD_RUNS;
    next->core = core;
    if (!open_thread(threads, next, core, fault)) {
        close_thread(next);
        return false;
    }
    out->records = (struct record_source){.batch = give_records, .lists = give_lists, .self = next, .name = next->name,
                                          .window_records = threads->options.window, .known_reach_seq = UINT64_MAX};
    out->fetches = (struct fetch_source){give_fetch, next, next->name};
    out->pc = next->waiting_count > 0 ? next->waiting[0].fetch.pc : 0;
    snprintf(out->what, sizeof out->what, "thread=%" PRIu64 " count=%" PRIu64 " of=%.60s", next->id, next->start,
             path_name(next->name));
    return true;
}

static void ended(void *self, unsigned core)
{
    struct macsim_threads *const threads = self;

    for (size_t i = 0; i < threads->count; i++) {
        struct thread *const thread = &threads->threads[i];

        if (thread->state != THREAD_RUNS || thread->core != core)
            continue;
        warn_of(threads, thread);
        close_thread(thread);
        thread->state = THREAD_ENDED;
    }
}

static size_t left(const void *self)
{
    const struct macsim_threads *const threads = self;
    size_t count = 0;

    for (size_t i = 0; i < threads->count; i++)
        count += threads->threads[i].state == THREAD_WAITS || threads->threads[i].state == THREAD_IS_DUE;
    return count;
}

static void listen(void *self, void (*due)(void *context), void *context)
{
    struct macsim_threads *const threads = self;

    threads->due = due;
    threads->context = context;
}

/* ---- set-up */

static bool is_cpu(const struct macsim_part *part)
{
    return !part->is_gpu;
}

static bool allocate(struct macsim_threads *threads, const struct macsim_set *set)
{
    size_t parts = 0, count = 0;

    for (size_t a = 0; a < set->application_count; a++)
        for (size_t p = 0; p < set->applications[a].part_count; p++)
            if (is_cpu(&set->applications[a].parts[p])) {
                parts++;
                count += set->applications[a].parts[p].header.thread_count;
            }
    threads->applications = calloc(parts + 1, sizeof *threads->applications);
    threads->threads = calloc(count + 1, sizeof *threads->threads);
    return threads->applications && threads->threads;
}

static bool survey(struct macsim_threads *threads, struct application *application, struct thread *thread,
                   struct fault *error)
{
    struct macsim_elastic_counts counts;

    if (!macsim_part_path(application->part, thread->index, thread->name))
        snprintf(thread->name, sizeof thread->name, "%s", application->part->header.path);
    if (!macsim_elastic_survey(application->part, thread->index, &threads->options, &application->pages, &counts,
                               error))
        return false;
    thread->instructions = counts.instructions;
    return true;
}

static struct fault touch_page(void *space, uint64_t address, uint64_t bytes)
{
    return space_touch(space, address, bytes);
}

static uint64_t place_page(void *space, uint64_t address)
{
    return space_place(space, address);
}

/* Without spaces, its places are behind those of the application before. */
static bool begin_pages(struct macsim_threads *threads, size_t number, const struct macsim_memory *memory,
                        struct fault *error)
{
    struct application *const application = &threads->applications[number];
    struct macsim_places places = {touch_page, place_page, NULL};

    if (memory->spaces) {
        application->space = vm_memory_add_space(memory->spaces, application->part->header.path, false, error);
        if (!application->space || !spaces_map(application->space, memory->map, error))
            return false;
        places.self = application->space;
        macsim_pages_init_others(&application->pages, &places);
    } else if (number == 0) {
        macsim_pages_init(&application->pages, memory->base, false);
    } else {
        macsim_pages_next(&application->pages, &threads->applications[number - 1].pages);
    }
    return true;
}

static bool add_application(struct macsim_threads *threads, const struct macsim_part *part,
                            const struct macsim_memory *memory, struct fault *error)
{
    size_t const number = threads->application_count++, first = threads->count;
    struct application *const application = &threads->applications[number];

    application->part = part;
    application->main = first;
    if (!begin_pages(threads, number, memory, error))
        return false;
    for (size_t i = 0; i < part->header.thread_count; i++) {
        struct thread *const thread = &threads->threads[threads->count++];

        *thread = (struct thread){.threads = threads, .application = application, .index = i,
                                  .id = part->header.threads[i].id, .start = part->header.threads[i].start};
        if (thread->id == 0)
            application->main = first + i;
        if (!survey(threads, application, thread, error))
            return false;
    }
    threads->threads[application->main].start = 0;
    if (application->space)
        *error = space_settle(application->space);
    return !application->space || error->kind == FAULT_NONE;
}

static bool add_applications(struct macsim_threads *threads, const struct macsim_set *set,
                             const struct macsim_memory *memory, struct fault *error)
{
    for (size_t a = 0; a < set->application_count; a++)
        for (size_t p = 0; p < set->applications[a].part_count; p++)
            if (is_cpu(&set->applications[a].parts[p])
                && !add_application(threads, &set->applications[a].parts[p], memory, error))
                return false;
    if (threads->count == 0)
        return fault_at(error, set->path, FAULT_NO_OFFSET, "no thread of a CPU in the set; expected x86 or a64");
    for (size_t a = 0; a < threads->application_count; a++)
        tell_fetched(threads, &threads->applications[a], 0);
    return true;
}

struct macsim_threads *macsim_threads_open(const struct macsim_set *set, const struct macsim_elastic_options *options,
                                           const struct macsim_memory *memory, struct fault *fault)
{
    struct macsim_threads *const threads = calloc(1, sizeof *threads);

    if (!threads || !allocate(threads, set)) {
        fail_memory(fault);
    } else {
        threads->options = *options;
        if (add_applications(threads, set, memory, fault))
            return threads;
    }
    macsim_threads_close(threads);
    return NULL;
}

void macsim_threads_close(struct macsim_threads *threads)
{
    if (!threads)
        return;
    for (size_t i = 0; i < threads->count; i++)
        close_thread(&threads->threads[i]);
    for (size_t i = 0; i < threads->application_count; i++)
        macsim_pages_free(&threads->applications[i].pages);
    for (size_t i = 0; i < threads->warning_count; i++)
        free(threads->warnings[i]);
    free(threads->applications);
    free(threads->threads);
    free(threads);
}

size_t macsim_threads_count(const struct macsim_threads *threads)
{
    return threads->count;
}

struct system_threads macsim_threads_of_system(struct macsim_threads *threads)
{
    return (struct system_threads){take, ended, left, listen, threads};
}

double macsim_threads_position(const struct macsim_threads *threads)
{
    uint64_t all = 0, done = 0;

    for (size_t i = 0; i < threads->count; i++) {
        const struct thread *const thread = &threads->threads[i];

        all += thread->instructions;
        if (thread->state == THREAD_ENDED)
            done += thread->instructions;
        else if (thread->data)
            done += macsim_elastic_counted(thread->data).instructions;
    }
    return all ? (double)done / (double)all : 1;
}

const char *macsim_threads_warning(const struct macsim_threads *threads, size_t i)
{
    return i < threads->warning_count ? threads->warnings[i] : NULL;
}
