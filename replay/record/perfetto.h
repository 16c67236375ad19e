/* A recording as a trace of Perfetto's protobuf format (replay/record/perfetto_trace.proto), which its viewer opens.
 *
 * Each component is a track, inside the one that contains it; each figure is a counter track of its component, with an
 * element's name behind the figure's. Values are those of telemetry_rate for two neighbouring samples: counters in a
 * second, integrals as averages, levels and states as they are. Latencies are three counters, p50, p95 and p99 of the
 * latencies in between, in ps. Other histograms and places have no tracks. A value holds from its sample to the next
 * packet of its track: unchanged values make no packet.
 *
 * DRAM commands are slices (perfetto_put_command): each bank has a track inside its rank's, whose slices are named by
 * command and row, "RD 17"; refreshes and power states have tracks "refresh" and "power" beside. Slices of a track do
 * not overlap: one that would, ends where the next begins.
 *
 * Requests that were followed (perfetto_put_request) are slices on tracks inside their core's, "requests 1" and so
 * on, as many as were under way at once; inside each, its legs (memsys/telemetry/telemetry_requests.h) are slices,
 * one after the other.
 *
 * Use: perfetto_begin; perfetto_put for each sample, in order; perfetto_end. Units: timestamps are ns, rounded down.
 * Errors: FAULT_MEMORY. Whether all was written the caller asks the FILE. */
#ifndef REPLAY_RECORD_PERFETTO_H
#define REPLAY_RECORD_PERFETTO_H

#include <stdio.h>

#include "memsys/telemetry/telemetry.h"
#include "replay/record/recording.h"

/* A track of slices; the last one has begun, and waits for its end. */
struct perfetto_slices {
    uint64_t uuid, end_ps;               /* uuid 0: no slice yet */
};

struct perfetto_writer {
    FILE *file;
    const struct telemetry *layout;
    uint64_t *before;                    /* the sample before ... */
    bool has_before;                     /* ... if there was one */
    double *shown;                       /* by track; NAN: nothing yet */
    size_t track_count;
    struct perfetto_slices **slices;     /* by component: "refresh", "power", then the banks; NULL: none yet */
    uint32_t *slice_counts;
    struct perfetto_slices **lanes;      /* by component: of a core, tracks of requests, up to the first without uuid */
    uint64_t last_uuid;
    uint8_t *packet;
    size_t packet_room;
    bool lacks_memory;
};

/* Writes the descriptions of all tracks. The layout must outlive the writer. */
struct fault perfetto_begin(struct perfetto_writer *writer, FILE *file, const struct telemetry *layout);
struct fault perfetto_put(struct perfetto_writer *writer, const uint64_t *words);
/* In the order of the recording; its component must be a rank with that bank. */
struct fault perfetto_put_command(struct perfetto_writer *writer, const struct recorded_command *command);
/* In the order of the recording, by the time of the answers. */
struct fault perfetto_put_request(struct perfetto_writer *writer, const struct telemetry_request *request);
void perfetto_end(struct perfetto_writer *writer);

#endif
