/* The period in which the probe listens, and its files.
 *
 * With `from`, listening begins in the commit stage of a cycle, the last stage of that cycle; events of the earlier
 * stages in this cycle are missed (elastic-truth 1.3). A micro-op that was renamed before and executed after has a
 * record without producers; one that was executed before has none. Producers renamed before are unknown. */
#include "replay/detailed/probe/elastic_probe.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/elastic/trace_writer.h"

#define TICK_FREQ UINT64_C(1000000000000)

/* elastic-trace 1.3, 1.6 */
enum { CMD_READ = 1, FLAG_FETCH = 0x100 };

struct elastic_probe {
    struct elastic_probe_setup setup;
    struct detailed_listener listener;
    struct elastic_window *window;
    struct trace_writer *dep, *fetch;
    char dep_path[TRACE_PATH_MAX];
    uint64_t instructions, fetches;
    bool listens;
    bool heard_all;                      /* from the beginning of the run */
    uint64_t began_cyc;                  /* unless heard_all */
    uint64_t first_renamed;              /* the first sequence number whose renaming was heard; UINT64_MAX: none yet */
    struct fault fault;                  /* the first one */
};

/* ---- events of the core */

static void fetched(void *context, uint64_t now_ps, uint64_t place, uint64_t pc)
{
    struct elastic_probe *const probe = context;
    struct packet_record const record = {
        .tick = now_ps, .cmd = CMD_READ, .addr = place & ~(uint64_t)(probe->setup.fetch_bytes - 1), .pc = pc,
        .size_bytes = probe->setup.fetch_bytes, .flags = FLAG_FETCH, .present = PACKET_HAS_FLAGS | PACKET_HAS_PC
    };

    if (!probe->listens || probe->fault.kind != FAULT_NONE)
        return;
    if (WORKS(probe->fault, packet_writer_put(probe->fetch, &record)))
        probe->fetches++;
}

static bool put_record(void *self, const struct dep_record *record)
{
    struct elastic_probe *const probe = self;

    return probe->fault.kind == FAULT_NONE && WORKS(probe->fault, dep_writer_put(probe->dep, record));
}

static bool was_heard(const struct elastic_probe *probe, uint64_t cyc)
{
    return cyc != DETAILED_NEVER && (probe->heard_all || cyc > probe->began_cyc);
}

/* Without those producers whose renaming was not heard. */
static void add_known(struct elastic_probe *probe, const struct detailed_retired *retired)
{
    struct detailed_retired known = *retired;

    known.producer_count = 0;
    for (unsigned i = 0; i < retired->producer_count; i++)
        if (retired->producers[i] >= probe->first_renamed)
            known.producers[known.producer_count++] = retired->producers[i];
    elastic_window_add(probe->window, &known, ELASTIC_FROM_RENAME);
}

static void elastic_probe_listen(struct elastic_probe *probe, const struct detailed_retired *retired)
{
    if (probe->heard_all) {
        elastic_window_add(probe->window, retired, ELASTIC_FROM_RENAME);
    } else if (was_heard(probe, retired->rename_cyc)) {
        if (retired->seq < probe->first_renamed)
            probe->first_renamed = retired->seq;
        add_known(probe, retired);
    } else if (was_heard(probe, retired->execute_cyc)) {
        elastic_window_add(probe->window, retired, ELASTIC_FROM_EXECUTE);
    }
}

static void retired(void *context, const struct detailed_retired *retired)
{
    struct elastic_probe *const probe = context;

    if (probe->listens)
        elastic_probe_listen(probe, retired);
    if (retired->is_squashed || !(retired->uop->flags & UOP_LAST) || retired->insn->is_repeat)
        return;
    probe->instructions++;
    if (!probe->listens && probe->instructions == probe->setup.from) {
        probe->listens = true;
        probe->began_cyc = retired->retire_cyc;
    }
}

/* ---- files */

static struct fault elastic_probe_open_files(struct elastic_probe *probe)
{
    struct fault fault = fault_none();

    struct elastic_probe_setup const *const setup = &probe->setup;
    struct dep_header dep = {.tick_freq = TICK_FREQ, .window_size = setup->window};
    struct packet_header fetch = {.tick_freq = TICK_FREQ};
    char fetch_path[TRACE_PATH_MAX];

    if (snprintf(probe->dep_path, TRACE_PATH_MAX, "%s/deptrace.proto.gz", setup->folder) >= TRACE_PATH_MAX
        || snprintf(fetch_path, TRACE_PATH_MAX, "%s/fetchtrace.proto.gz", setup->folder) >= TRACE_PATH_MAX)
        return fault_at(setup->folder, FAULT_NO_OFFSET, "the path is longer than %d bytes", TRACE_PATH_MAX);
    snprintf(dep.obj_id, sizeof dep.obj_id, "%s", setup->object);
    snprintf(fetch.obj_id, sizeof fetch.obj_id, "%s", setup->object);
    probe->dep = dep_writer_open(probe->dep_path, &dep, &fault);
    if (probe->dep)
        probe->fetch = packet_writer_open(fetch_path, &fetch, &fault);
    return probe->fetch != NULL ? fault_none() : fault;
}

static struct fault make_window(struct elastic_probe *probe)
{
    struct elastic_window_setup const setup = {
        .period_ps = probe->setup.period_ps, .window = probe->setup.window, .has_virtual = probe->setup.has_virtual,
        .put = put_record, .self = probe
    };

    probe->window = elastic_window_new(&setup);
    return probe->window ? fault_none() : fault_memory(probe->setup.folder, "the probe's window");
}

struct elastic_probe *elastic_probe_open(const struct elastic_probe_setup *setup, struct fault *fault)
{
    struct elastic_probe *const probe = calloc(1, sizeof *probe);

    if (!probe) {
        *fault = fault_memory(setup->folder, NULL);
        return NULL;
    }
    probe->setup = *setup;
    probe->listener = (struct detailed_listener){.fetched = fetched, .retired = retired, .context = probe};
    probe->listens = probe->heard_all = setup->from == 0;
    probe->first_renamed = UINT64_MAX;
    if (WORKS(*fault, make_window(probe)) && WORKS(*fault, elastic_probe_open_files(probe)))
        return probe;
    elastic_probe_discard(probe);
    return NULL;
}

const struct detailed_listener *elastic_probe_listener(const struct elastic_probe *probe)
{
    return &probe->listener;
}

struct elastic_probe_counts elastic_probe_counted(const struct elastic_probe *probe)
{
    return (struct elastic_probe_counts){
        .data = *elastic_window_counted(probe->window), .fetches = probe->fetches,
        .instructions = probe->instructions,
        .before = probe->listens ? probe->setup.from : probe->instructions
    };
}

static void free_probe(struct elastic_probe *probe)
{
    elastic_window_free(probe->window);
    free(probe);
}

struct fault elastic_probe_close(struct elastic_probe *probe, struct elastic_probe_counts *counts)
{
    struct fault fault;

    elastic_window_end(probe->window);
    if (counts)
        *counts = elastic_probe_counted(probe);
    fault = trace_writer_close_pair(probe->dep, probe->fetch, probe->dep_path, probe->fault);
    free_probe(probe);
    return fault;
}

void elastic_probe_discard(struct elastic_probe *probe)
{
    if (!probe)
        return;
    trace_writer_discard(probe->dep);
    trace_writer_discard(probe->fetch);
    free_probe(probe);
}
