/* Writes both files of an elastic trace in one pass. A file of its own: the library only reads traces, and links
 * without protobuf. obj_id names format and thread, since there is no object that captured them. */
#include "proto/insn/insn_elastic.h"

#include <inttypes.h>
#include <stdio.h>

#include "proto/elastic/trace_writer.h"

static struct fault insn_convert_write_all(struct insn_elastic *elastic, struct trace_writer *dep,
                                           struct trace_writer *fetches)
{
    struct fault fault = fault_none();
    struct depend_output output;
    enum insn_step step;

    while ((step = insn_elastic_next(elastic, &output, &fault)) == INSN_RECORD) {
        for (size_t i = 0; i < output.fetch_count; i++)
            FORWARD(packet_writer_put(fetches, &output.fetches[i]));
        for (size_t i = 0; i < output.record_count; i++)
            FORWARD(dep_writer_put(dep, &output.records[i]));
    }
    return step == INSN_END ? fault_none() : fault;
}

static struct fault write_files(const struct insn_convert_request *request, struct insn_elastic *elastic)
{
    struct fault fault = fault_none();
    struct dep_header dep_header = {.tick_freq = DEPEND_TICK_FREQ, .window_size = request->options.depend.window};
    struct packet_header fetch_header = {.tick_freq = DEPEND_TICK_FREQ};
    struct trace_writer *dep, *fetches;

    snprintf(dep_header.obj_id, sizeof dep_header.obj_id, "%.40s.thread%" PRIu64, insn_trace_name(request->trace),
             insn_trace_thread(request->trace, request->thread)->id);
    snprintf(fetch_header.obj_id, sizeof fetch_header.obj_id, "%s", dep_header.obj_id);
    dep = dep_writer_open(request->dep_out, &dep_header, &fault);
    fetches = dep ? packet_writer_open(request->fetch_out, &fetch_header, &fault) : NULL;
    if (fetches)
        fault = insn_convert_write_all(elastic, dep, fetches);
    return trace_writer_close_pair(dep, fetches, request->dep_out, fault);
}

struct fault insn_convert(const struct insn_convert_request *request, struct insn_converted *converted,
                          void (*warn)(const char *text))
{
    struct fault fault = fault_none();
    struct insn_elastic *const elastic = insn_elastic_open(request->trace, request->thread, &request->options,
                                                           &request->space, &fault);
    const struct insn_cursor *cursor;
    bool good;

    if (!elastic)
        return fault;
    cursor = insn_elastic_cursor(elastic);
    good = WORKS(fault, write_files(request, elastic));
    *converted = (struct insn_converted){*insn_elastic_counted(elastic), insn_cursor_undecoded(cursor)};
    if (good && warn && insn_cursor_warning(cursor))
        warn(insn_cursor_warning(cursor));
    insn_elastic_close(elastic);
    return good ? fault_none() : fault;
}
