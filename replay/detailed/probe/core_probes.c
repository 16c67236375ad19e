#include "replay/detailed/probe/core_probes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/elastic/trace_writer.h"
#include "replay/config/config_values.h"
#include "replay/config/detailed_params.h"

/* Of which each record may be in the memory of the probe twice. */
#define MOST_WINDOW (UINT64_C(1) << 20)

struct core_probe {
    struct elastic_probe *probe;         /* NULL: closed, or not opened yet */
    struct elastic_probe_counts counts;
    char folder[TRACE_PATH_MAX];
    bool made_folder, has_trace;
};

struct core_probes {
    struct core_probes_options options;
    uint32_t window;
    unsigned count;
    bool made_folder;                    /* the one of all */
    bool is_closed;
    struct core_probe *cores;
    struct detailed_listener *listeners;
};

/* ---- folders */

static struct fault make_folder(const char *path, bool *made)
{
    struct fault fault = fault_none();

    *made = mkdir(path, 0777) == 0;
    if (!*made && errno != EEXIST)
        fault = fault_at(path, FAULT_NO_OFFSET, "cannot be created: %s", strerror(errno));
    return fault;
}

/* Those of the probes that were made here and are empty. */
static void remove_folder(const char *path, bool *made)
{
    if (*made)
        rmdir(path);
    *made = false;
}

static struct fault name_folder(const struct core_probes *probes, unsigned core, char folder[TRACE_PATH_MAX])
{
    const char *const base = probes->options.folder;
    int const length = probes->count == 1 ? snprintf(folder, TRACE_PATH_MAX, "%s", base)
                                          : snprintf(folder, TRACE_PATH_MAX, "%s/cpu%u", base, core);
    struct fault fault = fault_none();

    if (length < 0 || length >= TRACE_PATH_MAX)
        fault = fault_at(base, FAULT_NO_OFFSET, "the path is longer than %d bytes", TRACE_PATH_MAX);
    return fault;
}

/* ---- opening */

static struct fault find_window(struct core_probes *probes, const struct system_config *config)
{
    uint64_t const rob = config_detailed(config)->rob_entries, wanted = probes->options.window;

    probes->window = (uint32_t)(wanted ? wanted : ELASTIC_PROBE_ROBS * rob);
    if (wanted && (wanted < rob || wanted > MOST_WINDOW))
        return fault_make(FAULT_INPUT, "a probe's window of %" PRIu64 " records, where the ROB holds %" PRIu64
                          " micro-ops; give %" PRIu64 " (three times the ROB), or at least %" PRIu64 " and at most %"
                          PRIu64, wanted, rob, ELASTIC_PROBE_ROBS * rob, rob, MOST_WINDOW);
    return fault_none();
}

static struct fault open_probe(struct core_probes *probes, unsigned core, const struct system_config *config)
{
    struct core_probe *const one = &probes->cores[core];
    char object[64];
    struct elastic_probe_setup const setup = {
        .folder = one->folder, .object = object, .period_ps = config_cpu_clock_ps(config), .window = probes->window,
        .fetch_bytes = (uint32_t)config_detailed(config)->fetch_buffer_bytes,
        .has_virtual = probes->options.has_virtual,
        .from = probes->options.from
    };
    struct fault fault = name_folder(probes, core, one->folder);

    snprintf(object, sizeof object, probes->count == 1 ? "system.cpu.traceListener" : "system.cpu%u.traceListener",
             core);
    if (fault.kind == FAULT_NONE && probes->count > 1)
        fault = make_folder(one->folder, &one->made_folder);
    if (fault.kind != FAULT_NONE)
        return fault;
    one->probe = elastic_probe_open(&setup, &fault);
    if (one->probe)
        probes->listeners[core] = *elastic_probe_listener(one->probe);
    return fault;
}

static struct fault core_probes_open_all(struct core_probes *probes, const struct system_config *config)
{
    probes->cores = calloc(probes->count, sizeof *probes->cores);
    probes->listeners = calloc(probes->count, sizeof *probes->listeners);
    if (!probes->cores || !probes->listeners)
        return fault_make(FAULT_MEMORY, "%s: out of memory", probes->options.folder);
    FORWARD(find_window(probes, config));
    FORWARD(make_folder(probes->options.folder, &probes->made_folder));
    for (unsigned i = 0; i < probes->count; i++)
        FORWARD(open_probe(probes, i, config));
    return fault_none();
}

struct fault core_probes_open(struct core_probes **made, const struct core_probes_options *options,
                              const struct system_config *config)
{
    struct core_probes *const probes = calloc(1, sizeof *probes);
    struct fault fault;

    *made = NULL;
    if (!probes)
        return fault_make(FAULT_MEMORY, "%s: out of memory", options->folder);
    probes->options = *options;
    probes->count = config_core_count(config);
    fault = core_probes_open_all(probes, config);
    if (fault.kind == FAULT_NONE) {
        *made = probes;
        return fault;
    }
    core_probes_free(probes);
    return fault;
}

const struct detailed_listener *core_probes_listeners(const struct core_probes *probes)
{
    return probes->listeners;
}

/* ---- the end */

static bool did_nothing(const struct elastic_probe_counts *counts)
{
    return counts->fetches == 0 && counts->instructions == 0;
}

static struct fault close_probe(struct core_probes *probes, unsigned core)
{
    struct core_probe *const one = &probes->cores[core];
    struct elastic_probe *const probe = one->probe;

    one->probe = NULL;
    one->counts = elastic_probe_counted(probe);
    if (probes->count > 1 && did_nothing(&one->counts)) {
        elastic_probe_discard(probe);
        remove_folder(one->folder, &one->made_folder);
        return fault_none();
    }
    if (one->counts.instructions < probes->options.from) {
        elastic_probe_discard(probe);
        return fault_make(FAULT_INPUT, "%s: the probe was set to begin at instruction %" PRIu64 ", but only %" PRIu64
                          " committed; give a lower number", one->folder, probes->options.from,
                          one->counts.instructions);
    }
    FORWARD(elastic_probe_close(probe, &one->counts));
    one->has_trace = true;
    return fault_none();
}

struct fault core_probes_close(struct core_probes *probes)
{
    for (unsigned i = 0; i < probes->count; i++)
        FORWARD(close_probe(probes, i));
    probes->is_closed = true;
    return fault_none();
}

static void remove_trace(struct core_probe *one)
{
    static const char *const names[] = {"deptrace.proto.gz", "fetchtrace.proto.gz"};
    char path[TRACE_PATH_MAX + 32];

    for (size_t i = 0; one->has_trace && i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", one->folder, names[i]);
        unlink(path);
    }
    one->has_trace = false;
}

static void discard(struct core_probes *probes)
{
    for (unsigned i = 0; probes->cores && i < probes->count; i++) {
        elastic_probe_discard(probes->cores[i].probe);
        probes->cores[i].probe = NULL;
        remove_trace(&probes->cores[i]);
        remove_folder(probes->cores[i].folder, &probes->cores[i].made_folder);
    }
    remove_folder(probes->options.folder, &probes->made_folder);
}

void core_probes_free(struct core_probes *probes)
{
    if (!probes)
        return;
    if (!probes->is_closed)
        discard(probes);
    free(probes->cores);
    free(probes->listeners);
    free(probes);
}

uint32_t core_probes_window(const struct core_probes *probes)
{
    return probes->window;
}

unsigned core_probes_count(const struct core_probes *probes)
{
    return probes->count;
}

const char *core_probes_folder(const struct core_probes *probes, unsigned core)
{
    return probes->cores[core].has_trace ? probes->cores[core].folder : NULL;
}

const struct elastic_probe_counts *core_probes_counts(const struct core_probes *probes, unsigned core)
{
    return &probes->cores[core].counts;
}
