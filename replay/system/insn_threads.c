/* Modelled: when threads and their parts start, which core runs them, and their records and fetches while they run.
 * For a detailed core there is one source of instructions instead of the two sides.
 * Not modelled: more than one thread at a time on a core, and what the kernel does. */
#include "replay/system/thread_sides.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "memsys/vm/vm_params.h"
#include "replay/detailed/uops/values.h"
#include "replay/system/system_core.h"

#define MOST_WARNINGS 64
#define SEQ_STEP (UINT64_C(1) << 40)     /* between the first numbers of parts that a core runs one after another */

enum thread_state { THREAD_WAITS, THREAD_IS_DUE, THREAD_RUNS, THREAD_ENDED };

struct process {
    const struct insn_trace *trace;
    struct space *space;
    bool is_physical;                    /* addresses lie where they say, ... */
    bool wraps, has_warned;              /* ... and by their format, whose tools take them modulo memory: ... */
    uint64_t wrapped, first_wrapped;     /* ... places that were asked for beyond it, the first */
    struct fault fault;                  /* why a page has no place */
    struct values_memory *memory;        /* of its threads' machines; NULL: not yet */
    struct insn_sync sync;
    size_t first_thread, thread_count;
};

/* Of one side of a core. */
struct decoder {
    struct insn_elastic *elastic;        /* NULL: the core has no such side */
    struct process *process;
};

struct thread {
    struct process *process;
    size_t index;                        /* in the trace */
    const struct insn_part *parts;
    size_t part_count, done;             /* done: parts that are complete */
    uint64_t instructions;               /* 0: not known */
    uint64_t due_number;                 /* order in which threads became due */
    enum thread_state state;
    bool has_run;
    bool is_again;                       /* in a pass after the first one, of which the figures below are */
    unsigned core, first_core;           /* the last one, the first */
    uint64_t done_ps;                    /* when its first pass ended, so far; 0: no part has */
    struct decoder data, fetch;
    struct thread_sides sides;
    struct supply_thread *supply;        /* for a detailed core, in place of these; else NULL */
    struct supply_figures figures;       /* at its end, of that */
    struct machine_figures values;       /* the same, of the machine beside it ... */
    bool has_values;                     /* ... if there was one */
    struct depend_counts counts;         /* the same, of these */
    uint64_t undecoded, accesses;        /* accesses: that the trace has */
    struct insn_left_out left_out;
    struct insn_lost lost;
};

struct insn_threads {
    struct insn_threads_setup setup;
    struct process *processes;
    size_t process_count;
    struct thread *threads;
    size_t count;
    size_t *order;                       /* in which threads that are free to begin do so: by their first stamps */
    struct insn_part whole;              /* of threads that are not cut */
    uint64_t due_count, taken[CONFIG_MAX_CORES];     /* taken: parts that each core has had */
    bool is_running[CONFIG_MAX_CORES];
    void (*due)(void *context);
    void *context;
    char *warnings[MOST_WARNINGS];
    size_t warning_count;
};

static const struct insn_thread *about(const struct thread *thread)
{
    return insn_trace_thread(thread->process->trace, thread->index);
}

/* ---- pages */
/* Of a process whose pages are all known, or one that gets them as it goes. */
static uint64_t insn_threads_place(void *self, uint64_t address)
{
    struct process *const process = self;

    if (process->wraps) {
        uint64_t const folded = space_fold(process->space, address);

        process->first_wrapped = process->wrapped == 0 && folded != address ? address : process->first_wrapped;
        process->wrapped += folded != address;
        address = folded;
    }
    return space_touch_and_place(process->space, address, &process->fault);
}

static bool has_physical(const struct insn_threads *threads, const struct insn_trace *trace)
{
    if (threads->setup.is_identity || threads->setup.addresses == ADDRESSES_PHYSICAL)
        return true;
    return threads->setup.addresses == ADDRESSES_OF_FORMAT
        && insn_trace_meaning(trace).addresses == INSN_ADDRESSES_PHYSICAL;
}

/* ---- which threads may begin */
static bool may_begin(const struct process *process, const struct insn_part *part, const struct thread *threads)
{
    return part->thread == INSN_SYNC_NONE || threads[process->first_thread + part->thread].done > part->part;
}

/* Parts without an instruction are complete as soon as they may begin. True: something became due or complete. */
static bool insn_threads_look_at(struct insn_threads *threads, struct thread *thread)
{
    bool has_changed = false;

    while (thread->state == THREAD_WAITS
           && may_begin(thread->process, &thread->parts[thread->done], threads->threads)) {
        has_changed = true;
        if (thread->parts[thread->done].instructions > 0) {
            thread->state = THREAD_IS_DUE;
            thread->due_number = threads->due_count++;
        } else if (++thread->done == thread->part_count) {
            thread->state = THREAD_ENDED;
        }
    }
    return has_changed;
}

static void find_due(struct insn_threads *threads)
{
    uint64_t const due_before = threads->due_count;
    bool has_changed;

    do {
        has_changed = false;
        for (size_t i = 0; i < threads->count; i++)
            has_changed |= insn_threads_look_at(threads, &threads->threads[threads->order[i]]);
    } while (has_changed);
    if (threads->due_count > due_before && threads->due)
        threads->due(threads->context);
}

/* ---- a thread's life */
static void insn_threads_warn(struct insn_threads *threads, const char *path, const char *text)
{
    char line[4096 + 300];

    if (threads->warning_count == MOST_WARNINGS)
        return;
    snprintf(line, sizeof line, "%.300s: %s", path, text);
    threads->warnings[threads->warning_count] = strdup(line);
    threads->warning_count += threads->warnings[threads->warning_count] != NULL;
}

static void close_thread(struct thread *thread)
{
    insn_elastic_close(thread->data.elastic);
    insn_elastic_close(thread->fetch.elastic);
    thread->data.elastic = thread->fetch.elastic = NULL;
    thread_sides_free(&thread->sides);
    supply_thread_close(thread->supply);
    thread->supply = NULL;
}

/* Of a thread that is open; NULL: it is not. */
static const struct insn_cursor *cursor_of(const struct thread *thread)
{
    return thread->supply ? supply_thread_cursor(thread->supply)
           : thread->data.elastic ? insn_elastic_cursor(thread->data.elastic) : NULL;
}

static void keep_figures(struct thread *thread)
{
    if (thread->is_again)
        return;
    if (thread->supply) {
        thread->figures = *supply_thread_figures(thread->supply);
        thread->has_values = supply_thread_values(thread->supply) != NULL;
        if (thread->has_values)
            thread->values = *supply_thread_values(thread->supply);
        thread->counts.instructions = thread->figures.instructions;
    } else if (thread->data.elastic) {
        thread->counts = *insn_elastic_counted(thread->data.elastic);
        thread->lost = insn_elastic_lost(thread->data.elastic);
    }
    if (cursor_of(thread)) {
        const struct insn_counts *const counts = insn_cursor_counts(cursor_of(thread));

        thread->undecoded = insn_cursor_undecoded(cursor_of(thread));
        thread->accesses = counts->loads + counts->stores;
        thread->left_out = (struct insn_left_out){counts->messages, counts->foreign, counts->superblocks, counts->zeros,
                                                  counts->without_data};
    }
}

/* Once for a trace. */
static void warn_of_wrapped(struct insn_threads *threads, struct process *process)
{
    char text[240];

    if (process->wrapped == 0 || process->has_warned)
        return;
    snprintf(text, sizeof text, "accesses to physical addresses beyond memory, the first 0x%" PRIx64 ", wrap round, as "
             "in tools for DRAM; give more memory.size, or --addresses virtual", process->first_wrapped);
    insn_threads_warn(threads, insn_trace_thread(process->trace, 0)->path, text);
    process->has_warned = true;
}

static void end_thread(struct insn_threads *threads, struct thread *thread)
{
    const char *const text = insn_cursor_warning(cursor_of(thread));

    if (text && !thread->is_again)
        insn_threads_warn(threads, about(thread)->path, text);
    warn_of_wrapped(threads, thread->process);
    keep_figures(thread);
    thread->instructions = thread->counts.instructions;
    close_thread(thread);
    thread->state = THREAD_ENDED;
    if (!threads->setup.pick.restarts)
        return;
    thread->is_again = true;
    thread->done = 0;
    thread->state = THREAD_WAITS;
}

static enum thread_step next_instruction(void *self, struct depend_output *output, struct fault *error)
{
    struct decoder const *const decoder = self;

    enum insn_step const step = insn_elastic_next(decoder->elastic, output, error);

    if (decoder->process->fault.kind != FAULT_NONE) {
        *error = decoder->process->fault;
        return THREAD_FAILED;
    }
    return step == INSN_RECORD ? THREAD_GAVE : step == INSN_END ? THREAD_IS_OVER : THREAD_FAILED;
}

static bool has_fetches(const struct thread *thread)
{
    return !(insn_trace_lacks(thread->process->trace) & 1u << INSN_LACKS_PCS);
}

/* A cycle of the trace's times. */
static uint64_t time_ps(const struct insn_threads *threads, const struct insn_trace *trace)
{
    enum insn_clock const clock = insn_trace_meaning(trace).clock;

    if (threads->setup.options.time_ps != 0 && clock != INSN_CLOCK_PS)
        return threads->setup.options.time_ps;
    switch (clock) {
    case INSN_CLOCK_PS: return 1;
    case INSN_CLOCK_MEMORY: return threads->setup.memory_clock_ps;
    default: return threads->setup.options.depend.period_ps;
    }
}

static struct fault open_thread(struct insn_threads *threads, struct thread *thread)
{
    struct fault fault = fault_none();
    struct insn_elastic_options options = threads->setup.options;
    struct depend_space const space = {insn_threads_place, thread->process, thread->process->is_physical};
    const struct insn_trace *const trace = thread->process->trace;

    options.time_ps = time_ps(threads, trace);
    thread->data.process = thread->fetch.process = thread->process;
    thread->data.elastic = insn_elastic_open(trace, thread->index, &options, &space, &fault);
    if (!thread->data.elastic || !has_fetches(thread))
        return thread->data.elastic != NULL ? fault_none() : fault;
    options.depend.only_fetches = true;
    thread->fetch.elastic = insn_elastic_open(trace, thread->index, &options, &space, &fault);
    return thread->fetch.elastic != NULL ? fault_none() : fault;
}

/* ---- parts for detailed cores */
static struct fault begin_supply(struct insn_threads *threads, struct thread *thread)
{
    struct fault fault = fault_none();
    struct process *const process = thread->process;

    if (!process->memory)
        process->memory = values_memory_new(&fault);

    struct supply_thread_options const options = {
        .space = thread->process->space, .line_bytes = threads->setup.options.depend.line_bytes,
        .wrong_path_loads = threads->setup.wrong_path_loads,
        .wrong_path_values = threads->setup.wrong_path_values, .memory = process->memory
    };

    if (!thread->supply && process->memory)
        thread->supply = supply_thread_open(thread->process->trace, thread->index, &options, &fault);
    if (thread->supply)
        supply_thread_until(thread->supply, thread->parts[thread->done].until);
    return thread->supply != NULL ? fault_none() : fault;
}

/* Of the part that begins; 0: it has no instruction. A fault is the core's, which will meet it, too. */
static uint64_t first_pc(const struct thread *thread)
{
    const struct supply_insn *insn;
    struct fault fault = fault_none();

    return supply_right(supply_of_thread(thread->supply), 0, &insn, &fault) == SUPPLY_INSN ? insn->pc : 0;
}

/* ---- and for elastic ones */

static struct fault begin_part(struct insn_threads *threads, struct thread *thread, unsigned core)
{
    uint64_t const first_seq = 1 + threads->taken[core]++ * SEQ_STEP, until = thread->parts[thread->done].until;
    struct thread_decoders decoders = {.next = next_instruction};

    if (!thread->data.elastic)
        FORWARD(open_thread(threads, thread));
    insn_elastic_until(thread->data.elastic, until, first_seq);
    if (thread->fetch.elastic)
        insn_elastic_until(thread->fetch.elastic, until, first_seq);
    decoders.data = &thread->data;
    decoders.fetch = thread->fetch.elastic ? &thread->fetch : NULL;
    return thread_sides_begin(&thread->sides, &decoders);
}

/* Is it the one that its own core would take? */
static bool is_kept(const struct insn_threads *threads, const struct thread *thread)
{
    if (!thread->has_run || threads->is_running[thread->core])
        return false;
    for (size_t i = 0; i < threads->count; i++) {
        const struct thread *const other = &threads->threads[i];

        if (other->state == THREAD_IS_DUE && other->has_run && other->core == thread->core
            && other->due_number < thread->due_number)
            return false;
    }
    return true;
}

/* The one that came first of those that ran here before, else of those that no other free core is going to take. */
static struct thread *insn_threads_choose(struct insn_threads *threads, unsigned core)
{
    struct thread *own = NULL, *any = NULL;

    for (size_t i = 0; i < threads->count; i++) {
        struct thread *const thread = &threads->threads[i];
        bool const is_own = thread->has_run && thread->core == core;

        if (thread->state != THREAD_IS_DUE)
            continue;
        if (is_own && (!own || thread->due_number < own->due_number))
            own = thread;
        if (!is_own && !is_kept(threads, thread) && (!any || thread->due_number < any->due_number))
            any = thread;
    }
    return own ? own : any;
}

static struct fault insn_threads_take(void *self, unsigned core, struct system_thread *out, bool *is_taken)
{
    struct insn_threads *const threads = self;
    struct threads_pick const *const pick = &threads->setup.pick;
    struct thread *const next = insn_threads_choose(threads, core);
    const char *name;

    if (!next || (pick->only != THREADS_ALL && next->process->thread_count == 1 && core != pick->only_core))
        return fault_none();
    FORWARD(threads->setup.is_detailed ? begin_supply(threads, next) : begin_part(threads, next, core));
    next->state = THREAD_RUNS;
    if (!next->has_run)
        next->first_core = core;
    next->has_run = true;
    out->is_again = next->is_again;
    next->core = core;
    threads->is_running[core] = true;
    name = about(next)->path;
    if (next->supply) {
        out->supply = supply_of_thread(next->supply);
        out->pc = first_pc(next);
    } else {
        out->records = thread_sides_records(&next->sides, name, threads->setup.options.depend.window);
        out->records.may_be_short = true;
        out->fetches = thread_sides_fetches(&next->sides, name);
        out->pc = thread_sides_pc(&next->sides);
    }
    snprintf(out->what, sizeof out->what, "thread=%" PRIu64 " part=%zu of=%.60s", about(next)->id, next->done,
             path_name(name));
    *is_taken = true;
    return fault_none();
}

static void ended(void *self, unsigned core, uint64_t done_ps)
{
    struct insn_threads *const threads = self;

    for (size_t i = 0; i < threads->count; i++) {
        struct thread *const thread = &threads->threads[i];

        if (thread->state != THREAD_RUNS || thread->core != core)
            continue;
        threads->is_running[core] = false;
        thread->state = THREAD_WAITS;
        if (!thread->is_again)
            thread->done_ps = done_ps;
        if (++thread->done == thread->part_count)
            end_thread(threads, thread);
    }
    find_due(threads);
}

static size_t left(const void *self)
{
    const struct insn_threads *const threads = self;
    size_t count = 0;

    for (size_t i = 0; i < threads->count; i++)
        count += !threads->threads[i].is_again
                 && (threads->threads[i].state == THREAD_WAITS || threads->threads[i].state == THREAD_IS_DUE);
    return count;
}

static void insn_threads_listen(void *self, void (*due)(void *context), void *context)
{
    struct insn_threads *const threads = self;

    threads->due = due;
    threads->context = context;
}

/* ---- set-up */

/* Loads, then stores, as micro-ops have them. */
static struct fault insn_threads_touch(struct process *process, const struct insn_event *event,
                                       const struct insn_spans *spans)
{
    const struct insn *const insn = &event->insn;

    if (insn->form != INSN_ACCESS_ONLY)
        FORWARD(space_touch(process->space, insn->pc, insn->size_bytes ? insn->size_bytes : 1));
    for (int is_write = 0; is_write < 2; is_write++)
        for (size_t i = 0; i < insn->access_count; i++) {
            struct insn_span const span = insn_span(spans, &insn->accesses[i]);

            if (insn->accesses[i].is_write == is_write)
                FORWARD(space_touch(process->space, span.address, span.size_bytes));
        }
    return fault_none();
}

/* Reads a thread once, for its pages, its number of instructions, and its waits. */
static struct fault survey(const struct insn_threads *threads, struct process *process, struct thread *thread)
{
    struct insn_spans const spans = insn_trace_spans(process->trace, threads->setup.options.depend.line_bytes);
    struct fault fault = fault_none();
    struct insn_cursor *const cursor = insn_cursor_open(process->trace, thread->index, &fault);
    struct insn_event event;
    enum insn_step step = INSN_END;

    if (!cursor)
        return fault;
    thread->instructions = 0;
    insn_sync_thread(&process->sync, about(thread)->id);
    while (fault.kind == FAULT_NONE && (step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD) {
        if (!insn_sync_event(&process->sync, &event))
            fault = fault_make(FAULT_MEMORY, "out of memory for the waits of threads");
        if (event.is_marker || fault.kind != FAULT_NONE)
            continue;
        thread->instructions++;
        fault = insn_threads_touch(process, &event, &spans);
    }
    insn_cursor_close(cursor);
    return fault;
}

static struct fault survey_all(struct insn_threads *threads, struct process *process)
{
    struct fault const no_memory = fault_make(FAULT_MEMORY, "out of memory for the threads of a trace");

    if (!insn_sync_init(&process->sync, insn_trace_isa(process->trace), process->thread_count))
        return no_memory;
    for (size_t i = 0; i < process->thread_count; i++)
        FORWARD(survey(threads, process, &threads->threads[process->first_thread + i]));
    if (!insn_sync_finish(&process->sync, threads->setup.is_free))
        return no_memory;
    for (size_t i = 0; i < process->thread_count; i++) {
        struct thread *const thread = &threads->threads[process->first_thread + i];

        thread->part_count = insn_sync_parts(&process->sync, i, &thread->parts);
    }
    return fault_none();
}

static struct fault add_process(struct insn_threads *threads, const struct insn_trace *trace)
{
    struct process *const process = &threads->processes[threads->process_count++];
    const char *const name = insn_trace_thread(trace, 0)->path;
    struct fault fault = fault_none();

    process->trace = trace;
    process->first_thread = threads->count;
    process->thread_count = insn_trace_threads(trace);
    process->fault = fault_none();
    if (threads->setup.pick.restarts && process->thread_count > 1)
        return fault_make(FAULT_INPUT, "--restart is for programs of one thread, but %.300s has %zu threads, which "
                          "start each other; leave it out", name, process->thread_count);
    process->is_physical = has_physical(threads, trace);
    process->wraps = process->is_physical && !threads->setup.is_identity && !threads->setup.is_detailed;
    for (size_t i = 0; i < process->thread_count; i++)
        threads->threads[threads->count++] = (struct thread){
            .process = process, .index = i, .parts = &threads->whole, .part_count = 1,
            .instructions = insn_trace_thread(trace, i)->instructions};
    process->space = vm_memory_add_space(threads->setup.memory, path_name(name), process->is_physical, &fault);
    if (process->space && process->is_physical && *threads->setup.pages_map)
        fault = fault_at(name, FAULT_NO_OFFSET, "pages.map places virtual pages, and the addresses of this "
                         "trace are physical (%s); leave the map out, or give --addresses virtual",
                         insn_trace_format(trace));
    if (fault.kind != FAULT_NONE || !process->space
        || FAILS(fault, spaces_map(process->space, threads->setup.pages_map)))
        return fault;
    if (threads->setup.is_detailed) {
        FORWARD(supply_check(trace));
        FORWARD(supply_touch_images(trace, process->space));
    }
    if (process->thread_count > 1 || threads->setup.needs_all_pages)
        FORWARD(survey_all(threads, process));
    return space_settle(process->space);
}

/* Insertion sort, since threads are mostly in that order already. */
static bool sort_threads(struct insn_threads *threads)
{
    threads->order = malloc((threads->count + 1) * sizeof *threads->order);
    for (size_t i = 0; threads->order && i < threads->count; i++) {
        uint64_t const stamp = about(&threads->threads[i])->first_stamp;
        size_t at = i;

        for (; at > 0 && about(&threads->threads[threads->order[at - 1]])->first_stamp > stamp; at--)
            threads->order[at] = threads->order[at - 1];
        threads->order[at] = i;
    }
    return threads->order != NULL;
}

static struct fault insn_threads_open_all(struct insn_threads *threads)
{
    size_t count = 0;

    for (size_t i = 0; i < threads->setup.trace_count; i++)
        count += insn_trace_threads(threads->setup.traces[i]);
    threads->whole = (struct insn_part){UINT64_MAX, UINT64_MAX, INSN_SYNC_NONE, 0};
    threads->processes = calloc(threads->setup.trace_count + 1, sizeof *threads->processes);
    threads->threads = calloc(count + 1, sizeof *threads->threads);
    if (!threads->processes || !threads->threads)
        return fault_make(FAULT_MEMORY, "out of memory for the threads of a trace");
    for (size_t i = 0; i < threads->setup.trace_count; i++)
        FORWARD(add_process(threads, threads->setup.traces[i]));
    for (size_t i = 0; i < threads->count && threads->setup.pick.only != THREADS_ALL; i++)
        if (threads->threads[i].process != &threads->processes[threads->setup.pick.only])
            threads->threads[i].state = THREAD_ENDED;
    return sort_threads(threads) ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for the threads of a trace");
}

/* A thread that has no instruction is none. */
static bool has_work(const struct insn_threads *threads)
{
    for (size_t i = 0; i < threads->count; i++)
        if (threads->threads[i].state == THREAD_IS_DUE)
            return true;
    return false;
}

struct insn_threads *insn_threads_open(const struct insn_threads_setup *setup, struct fault *fault)
{
    struct insn_threads *const threads = calloc(1, sizeof *threads);

    *fault = threads ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for the threads of a trace");
    if (!threads)
        return NULL;
    threads->setup = *setup;
    *fault = insn_threads_open_all(threads);
    if (fault->kind == FAULT_NONE) {
        find_due(threads);
        if (has_work(threads))
            return threads;
        *fault = fault_at(insn_trace_thread(setup->traces[0], 0)->path, FAULT_NO_OFFSET, "no instruction in the "
                          "trace; expected one at least");
    }
    insn_threads_close(threads);
    return NULL;
}

void insn_threads_close(struct insn_threads *threads)
{
    if (!threads)
        return;
    for (size_t i = 0; i < threads->count; i++)
        close_thread(&threads->threads[i]);
    for (size_t i = 0; i < threads->process_count; i++)
        insn_sync_free(&threads->processes[i].sync), values_memory_free(threads->processes[i].memory);
    for (size_t i = 0; i < threads->warning_count; i++)
        free(threads->warnings[i]);
    free(threads->order);
    free(threads->processes);
    free(threads->threads);
    free(threads);
}

size_t insn_threads_count(const struct insn_threads *threads)
{
    return threads->count;
}

size_t insn_threads_programs(const struct insn_threads *threads)
{
    return threads->process_count;
}

/* The end of a core's thread is known before the thread's callback runs. */
static uint64_t first_pass_ps(const struct thread *thread, const struct system *system)
{
    if (thread->is_again || thread->state == THREAD_ENDED)
        return thread->done_ps;
    if (thread->state != THREAD_RUNS || thread->done + 1 < thread->part_count)
        return TICK_NEVER;
    return system->cores[thread->core].done_ps;
}

struct threads_program insn_threads_program(const struct insn_threads *threads, const struct system *system, size_t i)
{
    const struct process *const process = &threads->processes[i];
    struct threads_program program = {.path = insn_trace_thread(process->trace, 0)->path, .core = UINT_MAX,
                                      .thread_count = process->thread_count};

    for (size_t k = 0; k < process->thread_count; k++) {
        const struct thread *const thread = &threads->threads[process->first_thread + k];

        if (thread->has_run && program.core == UINT_MAX)
            program.core = thread->first_core;
        program.done_ps = max_u64(program.done_ps, first_pass_ps(thread, system));
    }
    return program;
}

unsigned insn_threads_first_core(const struct insn_threads *threads, size_t program)
{
    return (unsigned)threads->threads[threads->processes[program].first_thread].due_number;
}

struct system_threads insn_threads_of_system(struct insn_threads *threads)
{
    return (struct system_threads){insn_threads_take, ended, left, insn_threads_listen, threads,
                                   threads->setup.pick.restarts};
}

/* ---- figures */

/* As they are now. */
static struct thread figures_of(const struct thread *thread)
{
    struct thread now = *thread;

    keep_figures(&now);
    return now;
}

double insn_threads_position(const struct insn_threads *threads)
{
    uint64_t all = 0, done = 0;

    for (size_t i = 0; i < threads->count; i++) {
        all += threads->threads[i].instructions;
        done += figures_of(&threads->threads[i]).counts.instructions;
    }
    return done < all ? (double)done / (double)all : all ? 1 : 0;
}

#define SUPPLY_FIGURES(F)                                                                                             \
    F(instructions) F(pieces) F(system_calls) F(loads) F(stores) F(atomics) F(missing) F(jumps) F(orphans)            \
    F(first_touches)

static void add_supply(struct supply_figures *sum, const struct supply_figures *figures)
{
#define ADD_FIGURE(field) sum->field += figures->field;
    SUPPLY_FIGURES(ADD_FIGURE)
#undef ADD_FIGURE
}

#define MACHINE_FIGURES(F) F(steps) F(addresses) F(targets) F(branches) F(system_calls) F(unknown_calls)

static void add_values(struct machine_figures *sum, const struct machine_figures *figures)
{
#define ADD_FIGURE(field) sum->field += figures->field;
    MACHINE_FIGURES(ADD_FIGURE)
#undef ADD_FIGURE
    sum->begins_elsewhere |= figures->begins_elsewhere;
}

static void add_counts(struct depend_counts *sum, const struct depend_counts *counts)
{
    sum->instructions += counts->instructions;
    for (int kind = 0; kind < DEPEND_KIND_COUNT; kind++)
        sum->uops[kind] += counts->uops[kind];
    for (int type = 0; type < DEP_TYPES; type++)
        sum->records[type] += counts->records[type];
    sum->fetches += counts->fetches;
    sum->front_ends += counts->front_ends;
    sum->register_deps += counts->register_deps;
    sum->memory_deps += counts->memory_deps;
    sum->fetch_deps += counts->fetch_deps;
    sum->pieces += counts->pieces;
}

static void add_left_out(struct insn_left_out *sum, const struct insn_left_out *of)
{
    sum->messages += of->messages;
    sum->foreign += of->foreign;
    sum->superblocks += of->superblocks;
    sum->zeros += of->zeros;
    sum->without_data += of->without_data;
}

static void sum_thread(struct insn_threads_figures *figures, const struct thread *thread)
{
    figures->lost.places += thread->lost.places;
    figures->lost.insns += thread->lost.insns;
    add_left_out(&figures->left_out, &thread->left_out);
    figures->accesses += thread->accesses;
    figures->replayed += thread->counts.records[DEP_LOAD] + thread->counts.records[DEP_STORE] + thread->figures.loads
        + thread->figures.stores + thread->figures.atomics;
    add_counts(&figures->depend, &thread->counts);
    add_supply(&figures->supply, &thread->figures);
    add_values(&figures->values, &thread->values);
    figures->has_values |= thread->has_values;
    if (!(insn_trace_lacks(thread->process->trace) & 1u << INSN_LACKS_DEPENDENCES))
        figures->undecoded += thread->undecoded;
}

static void sum_meaning(struct insn_threads_figures *figures, const struct insn_threads *threads,
                        const struct process *process)
{
    bool const is_first = process == threads->processes;
    struct insn_meaning meaning = insn_trace_meaning(process->trace);

    meaning.addresses = process->is_physical ? INSN_ADDRESSES_PHYSICAL : INSN_ADDRESSES_VIRTUAL;
    figures->physical += process->is_physical;
    if (is_first)
        figures->meaning = meaning;
    figures->time_ps = is_first ? time_ps(threads, process->trace) : figures->time_ps;
    figures->is_time_given = threads->setup.options.time_ps != 0;
    figures->are_mixed |= insn_meaning_number(&meaning) != insn_meaning_number(&figures->meaning);
}

static void sum_process(struct insn_threads_figures *figures, const struct insn_threads *threads,
                        const struct process *process)
{
    uint32_t const lacks = insn_trace_lacks(process->trace);
    struct insn_sync_counts const *const sync = &process->sync.counts;
    uint32_t const size = insn_trace_spans(process->trace, threads->setup.options.depend.line_bytes).usual_bytes;
    const struct insn_image *images;

    sum_meaning(figures, threads, process);
    figures->lacks |= threads->setup.is_detailed ? supply_lacks(process->trace) : lacks;
    figures->has_images &= insn_trace_images(process->trace, &images) > 0;
    figures->has_seen_code &= insn_trace_isa(process->trace) == ISA_CHAMPSIM;
    figures->lacks_program |= insn_trace_isa(process->trace) == ISA_RV64 && !insn_trace_program(process->trace);
    *(lacks & 1u << INSN_LACKS_DEPENDENCES ? &figures->is_in_order : &figures->is_elastic) = true;
    if (lacks & 1u << INSN_LACKS_ACCESS_SIZES)
        figures->usual_size_bytes = size > figures->usual_size_bytes ? size : figures->usual_size_bytes;
    figures->sync.creations += sync->creations;
    figures->sync.waits += sync->waits;
    figures->sync.wakes += sync->wakes;
    figures->sync.unmatched += sync->unmatched;
    figures->sync.unknown += sync->unknown;
}

struct insn_threads_figures insn_threads_figures(const struct insn_threads *threads)
{
    struct insn_threads_figures figures = {.threads = threads->count, .traces = threads->process_count,
                                           .is_free = threads->setup.is_free,
                                           .is_detailed = threads->setup.is_detailed, .has_images = true,
                                           .has_seen_code = true};

    for (size_t i = 0; i < threads->count; i++) {
        struct thread const thread = figures_of(&threads->threads[i]);

        sum_thread(&figures, &thread);
    }
    for (size_t i = 0; i < threads->process_count; i++)
        sum_process(&figures, threads, &threads->processes[i]);
    return figures;
}

const char *insn_threads_warning(const struct insn_threads *threads, size_t i)
{
    return i < threads->warning_count ? threads->warnings[i] : NULL;
}
