/* Modelled: when threads start, which core runs them, and their records and fetches while they run (macsim-traces 1.2,
 * 5). Not modelled: more than one thread at a time on a core; the choice of the least loaded core, since a free one has
 * no load.
 *
 * That main has fetched a block is known when its next fetch is asked for: the source gives one fetch at a time. */
#include "replay/system/thread_sides.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "replay/system/system_core.h"

#define MOST_WARNINGS 64
#define SEQ_STEP (UINT64_C(1) << 40)     /* between the first numbers of threads that a core runs one after another */

enum thread_state { THREAD_WAITS, THREAD_IS_DUE, THREAD_RUNS, THREAD_ENDED };

struct application {
    const struct macsim_part *part;
    struct macsim_pages pages;
    struct space *space;                 /* which says where they lie; NULL: they do so themselves */
    size_t main;                         /* place of its main thread */
    uint64_t fetched;                    /* by that one: instructions; UINT64_MAX: all */
};

struct thread {
    struct macsim_threads *threads;
    struct application *application;
    size_t index;                        /* in the part's header */
    uint64_t id, start, instructions;
    uint64_t due_number;                 /* order in which threads became due */
    enum thread_state state;
    bool has_run;
    bool is_again;                       /* in a pass after the first one */
    unsigned core, first_core;           /* the last one, the first */
    uint64_t done_ps;                    /* when its first pass ended; 0: it has not */
    char name[MACSIM_PATH_MAX];          /* of its stream, for messages */

    /* while it runs */
    struct macsim_elastic *data, *fetch;
    struct thread_sides sides;
};

struct macsim_threads {
    struct macsim_elastic_options options;
    struct threads_pick pick;
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

/* ---- fetches */

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

static void fetched(void *context, uint64_t instructions)
{
    struct thread *const thread = context;

    if (thread == &thread->threads->threads[thread->application->main])
        tell_fetched(thread->threads, thread->application, instructions);
}

static enum thread_step next_instruction(void *decoder, struct depend_output *output, struct fault *error)
{
    switch (macsim_elastic_next(decoder, output, error)) {
    case MACSIM_RECORD: return THREAD_GAVE;
    case MACSIM_END: return THREAD_IS_OVER;
    case MACSIM_FAILED: break;
    }
    return THREAD_FAILED;
}

/* ---- a thread's life */

static void macsim_threads_warn(struct macsim_threads *threads, const char *text)
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
        macsim_threads_warn(threads, text);
}

static void close_thread(struct thread *thread)
{
    macsim_elastic_close(thread->data);
    macsim_elastic_close(thread->fetch);
    thread_sides_free(&thread->sides);
    thread->data = thread->fetch = NULL;
}

static struct fault open_thread(struct macsim_threads *threads, struct thread *thread, unsigned core)
{
    struct fault fault = fault_none();
    struct macsim_elastic_options options = threads->options;
    struct application *const application = thread->application;
    struct thread_decoders decoders;

    options.first_seq = 1 + threads->taken[core]++ * SEQ_STEP;
    thread->data = macsim_elastic_open(application->part, thread->index, &options, &application->pages, &fault);
    options.only_fetches = true;
    if (thread->data)
        thread->fetch = macsim_elastic_open(application->part, thread->index, &options, &application->pages, &fault);
    if (!thread->fetch)
        return fault;
    decoders = (struct thread_decoders){next_instruction, thread->data, thread->fetch, fetched, thread};
    return thread_sides_begin(&thread->sides, &decoders);
}

/* One that starts again does so on its core. */
static bool may_run_on(const struct macsim_threads *threads, const struct thread *thread, unsigned core)
{
    if (thread->has_run)
        return thread->core == core;
    return threads->pick.only == THREADS_ALL || thread->application->part->header.thread_count > 1
        || core == threads->pick.only_core;
}

static struct fault macsim_threads_take(void *self, unsigned core, struct system_thread *out, bool *is_taken)
{
    struct fault fault;
    struct macsim_threads *const threads = self;
    struct thread *next = NULL;

    for (size_t i = 0; i < threads->count; i++) {
        struct thread *const thread = &threads->threads[i];

        if (thread->state == THREAD_IS_DUE && may_run_on(threads, thread, core)
            && (!next || thread->due_number < next->due_number))
            next = thread;
    }
    if (!next)
        return fault_none();
    next->state = THREAD_RUNS;
    next->core = core;
    if (!next->has_run)
        next->first_core = core;
    next->has_run = true;
    out->is_again = next->is_again;
    if (FAILS(fault, open_thread(threads, next, core))) {
        close_thread(next);
        return fault;
    }
    out->records = thread_sides_records(&next->sides, next->name, threads->options.window);
    out->fetches = thread_sides_fetches(&next->sides, next->name);
    out->pc = thread_sides_pc(&next->sides);
    snprintf(out->what, sizeof out->what, "thread=%" PRIu64 " count=%" PRIu64 " of=%.60s", next->id, next->start,
             path_name(next->name));
    *is_taken = true;
    return fault_none();
}

static void ended(void *self, unsigned core, uint64_t done_ps)
{
    struct macsim_threads *const threads = self;

    for (size_t i = 0; i < threads->count; i++) {
        struct thread *const thread = &threads->threads[i];

        if (thread->state != THREAD_RUNS || thread->core != core)
            continue;
        if (!thread->is_again) {
            warn_of(threads, thread);
            thread->done_ps = done_ps;
        }
        close_thread(thread);
        thread->state = THREAD_ENDED;
        if (!threads->pick.restarts)
            continue;
        thread->is_again = true;
        thread->state = THREAD_IS_DUE;
        thread->due_number = threads->due_count++;
    }
}

static size_t left(const void *self)
{
    const struct macsim_threads *const threads = self;
    size_t count = 0;

    for (size_t i = 0; i < threads->count; i++)
        count += !threads->threads[i].is_again
                 && (threads->threads[i].state == THREAD_WAITS || threads->threads[i].state == THREAD_IS_DUE);
    return count;
}

static void macsim_threads_listen(void *self, void (*due)(void *context), void *context)
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

static bool macsim_threads_allocate(struct macsim_threads *threads, const struct macsim_set *set)
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

static struct fault survey(struct macsim_threads *threads, struct application *application, struct thread *thread)
{
    struct depend_counts counts;

    if (!macsim_part_path(application->part, thread->index, thread->name))
        snprintf(thread->name, sizeof thread->name, "%s", application->part->header.path);
    FORWARD(macsim_elastic_survey(application->part, thread->index, &threads->options, &application->pages, &counts));
    thread->instructions = counts.instructions;
    return fault_none();
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
static struct fault begin_pages(struct macsim_threads *threads, size_t number, const struct macsim_memory *memory)
{
    struct fault fault = fault_none();
    struct application *const application = &threads->applications[number];
    struct macsim_places places = {touch_page, place_page, NULL};

    if (memory->spaces) {
        application->space = vm_memory_add_space(memory->spaces, application->part->header.path, false, &fault);
        if (!application->space || FAILS(fault, spaces_map(application->space, memory->map)))
            return fault;
        places.self = application->space;
        macsim_pages_init_others(&application->pages, &places);
    } else if (number == 0) {
        macsim_pages_init(&application->pages, memory->base, false);
    } else {
        macsim_pages_next(&application->pages, &threads->applications[number - 1].pages);
    }
    return fault_none();
}

static struct fault add_application(struct macsim_threads *threads, const struct macsim_part *part,
                                    const struct macsim_memory *memory)
{
    struct fault fault = fault_none();
    size_t const number = threads->application_count++, first = threads->count;
    struct application *const application = &threads->applications[number];

    application->part = part;
    application->main = first;
    if (memory->pick.restarts && part->header.thread_count > 1)
        return fault_at(part->header.path, FAULT_NO_OFFSET, "--restart is for programs of one thread, but this one "
                        "has %" PRIu64 ", which start each other; leave it out", (uint64_t)part->header.thread_count);
    FORWARD(begin_pages(threads, number, memory));
    for (size_t i = 0; i < part->header.thread_count; i++) {
        struct thread *const thread = &threads->threads[threads->count++];

        *thread = (struct thread){.threads = threads, .application = application, .index = i,
                                  .id = part->header.threads[i].id, .start = part->header.threads[i].start};
        if (thread->id == 0)
            application->main = first + i;
        FORWARD(survey(threads, application, thread));
    }
    threads->threads[application->main].start = 0;
    if (application->space)
        fault = space_settle(application->space);
    return (!application->space || fault.kind == FAULT_NONE) ? fault_none() : fault;
}

static struct fault add_applications(struct macsim_threads *threads, const struct macsim_set *set,
                                     const struct macsim_memory *memory)
{
    for (size_t a = 0; a < set->application_count; a++)
        for (size_t p = 0; p < set->applications[a].part_count; p++)
            if (is_cpu(&set->applications[a].parts[p]))
                FORWARD(add_application(threads, &set->applications[a].parts[p], memory));
    if (threads->count == 0)
        return fault_at(set->path, FAULT_NO_OFFSET, "no thread of a CPU in the set; expected x86 or a64");
    for (size_t i = 0; i < threads->count && memory->pick.only != THREADS_ALL; i++)
        if (threads->threads[i].application != &threads->applications[memory->pick.only])
            threads->threads[i].state = THREAD_ENDED;
    for (size_t a = 0; a < threads->application_count; a++)
        tell_fetched(threads, &threads->applications[a], 0);
    return fault_none();
}

struct macsim_threads *macsim_threads_open(const struct macsim_set *set, const struct macsim_elastic_options *options,
                                           const struct macsim_memory *memory, struct fault *fault)
{
    struct macsim_threads *const threads = calloc(1, sizeof *threads);

    if (!threads || !macsim_threads_allocate(threads, set)) {
        *fault = fault_make(FAULT_MEMORY, "out of memory for the threads of a MacSim set");
    } else {
        threads->options = *options;
        threads->pick = memory->pick;
        if (WORKS(*fault, add_applications(threads, set, memory)))
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

size_t macsim_threads_programs(const struct macsim_threads *threads)
{
    return threads->application_count;
}

/* The end of a core's thread is known before the thread's callback runs. */
static uint64_t first_pass_ps(const struct thread *thread, const struct system *system)
{
    if (thread->is_again || thread->state == THREAD_ENDED)
        return thread->done_ps;
    return thread->state == THREAD_RUNS ? system->cores[thread->core].done_ps : TICK_NEVER;
}

struct threads_program macsim_threads_program(const struct macsim_threads *threads, const struct system *system,
                                              size_t i)
{
    const struct macsim_part *const part = threads->applications[i].part;
    struct threads_program program = {.path = part->header.path, .core = UINT_MAX,
                                      .thread_count = part->header.thread_count};

    for (size_t k = 0; k < threads->count; k++) {
        const struct thread *const thread = &threads->threads[k];

        if (thread->application != &threads->applications[i])
            continue;
        if (thread->has_run && program.core == UINT_MAX)
            program.core = thread->first_core;
        program.done_ps = max_u64(program.done_ps, first_pass_ps(thread, system));
    }
    return program;
}

struct system_threads macsim_threads_of_system(struct macsim_threads *threads)
{
    return (struct system_threads){macsim_threads_take, ended, left, macsim_threads_listen, threads,
                                   threads->pick.restarts};
}

double macsim_threads_position(const struct macsim_threads *threads)
{
    uint64_t all = 0, done = 0;

    for (size_t i = 0; i < threads->count; i++) {
        const struct thread *const thread = &threads->threads[i];

        all += thread->instructions;
        if (thread->state == THREAD_ENDED || thread->is_again)
            done += thread->instructions;
        else if (thread->data)
            done += macsim_elastic_counted(thread->data)->instructions;
    }
    return all ? (double)done / (double)all : 1;
}

const char *macsim_threads_warning(const struct macsim_threads *threads, size_t i)
{
    return i < threads->warning_count ? threads->warnings[i] : NULL;
}
