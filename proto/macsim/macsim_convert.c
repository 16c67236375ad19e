/* One pass writes both files. obj_id names thread and stream, since there is no object that captured them. */
#include "proto/macsim/macsim_elastic.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/elastic/trace_writer.h"

static void name_object(const struct macsim_convert_request *request, char *text, size_t room)
{
    char path[MACSIM_PATH_MAX] = "";
    const char *name;

    if (!macsim_part_path(request->part, request->thread, path))
        path[0] = '\0';
    name = strrchr(path, '/');
    snprintf(text, room, "macsim.thread%" PRIu64 ".%.200s", request->part->header.threads[request->thread].id,
             name ? name + 1 : path);
}

static struct fault macsim_convert_write_all(struct macsim_elastic *elastic, struct trace_writer *dep,
                                             struct trace_writer *fetches)
{
    struct fault fault = fault_none();
    struct depend_output output;
    enum macsim_step step;

    while ((step = macsim_elastic_next(elastic, &output, &fault)) == MACSIM_RECORD) {
        for (size_t i = 0; i < output.fetch_count; i++)
            FORWARD(packet_writer_put(fetches, &output.fetches[i]));
        for (size_t i = 0; i < output.record_count; i++)
            FORWARD(dep_writer_put(dep, &output.records[i]));
    }
    return step == MACSIM_END ? fault_none() : fault;
}

static void tell_warnings(const struct macsim_elastic *elastic, void (*warn)(const char *text))
{
    char text[MACSIM_PATH_MAX + 200];
    unsigned told = 0;

    while (macsim_elastic_warning(elastic, &told, text, sizeof text))
        warn(text);
}

struct fault macsim_convert(const struct macsim_convert_request *request, struct depend_counts *counts,
                            void (*warn)(const char *text))
{
    struct fault fault = fault_none();
    struct dep_header dep_header = {.tick_freq = MACSIM_ELASTIC_TICK_FREQ, .window_size = request->options.window};
    struct packet_header fetch_header = {.tick_freq = MACSIM_ELASTIC_TICK_FREQ};
    struct macsim_elastic *const elastic = macsim_elastic_open(request->part, request->thread, &request->options,
                                                               request->pages, &fault);
    struct trace_writer *dep, *fetches;

    if (!elastic)
        return fault;
    name_object(request, dep_header.obj_id, sizeof dep_header.obj_id);
    name_object(request, fetch_header.obj_id, sizeof fetch_header.obj_id);
    dep = dep_writer_open(request->dep_out, &dep_header, &fault);
    fetches = dep ? packet_writer_open(request->fetch_out, &fetch_header, &fault) : NULL;
    if (fetches)
        fault = macsim_convert_write_all(elastic, dep, fetches);
    fault = trace_writer_close_pair(dep, fetches, request->dep_out, fault);
    *counts = *macsim_elastic_counted(elastic);
    if (fault.kind == FAULT_NONE && warn)
        tell_warnings(elastic, warn);
    macsim_elastic_close(elastic);
    return fault;
}
