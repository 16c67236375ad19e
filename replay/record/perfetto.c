/* Tracks are numbered from 1: components, then counters in the order of the layout. Packets are written one by one; a
 * trace is nothing but its packets in a row. */
#include "replay/record/perfetto.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "replay/record/perfetto_trace.pb-c.h"

enum { SEQUENCE = 1, NAME_BYTES = 200 };

static const double percents[] = {50, 95, 99};
enum { PERCENTS = sizeof percents / sizeof *percents };

static bool is_latency(const struct telemetry_field *field)
{
    return field->kind == TELEMETRY_BINS && strcmp(field->unit, "Tick") == 0;
}

static uint32_t tracks_of(const struct telemetry_field *field)
{
    if (is_latency(field))
        return PERCENTS;
    return field->kind == TELEMETRY_BINS || field->kind == TELEMETRY_PLACE ? 0 : field->count;
}

static void write_packet(struct perfetto_writer *writer, Perfetto__TracePacket *packet)
{
    Perfetto__TracePacket *packets[] = {packet};
    Perfetto__Trace trace = PERFETTO__TRACE__INIT;
    size_t bytes;

    packet->has_trusted_packet_sequence_id = 1;
    packet->trusted_packet_sequence_id = SEQUENCE;
    trace.n_packet = 1;
    trace.packet = packets;
    bytes = perfetto__trace__get_packed_size(&trace);
    if (!list_fit(&writer->packet, bytes, &writer->packet_room, 1)) {
        writer->lacks_memory = true;
        return;
    }
    fwrite(writer->packet, 1, perfetto__trace__pack(&trace, writer->packet), writer->file);
}

/* unit NULL: no counter. */
static void write_track(struct perfetto_writer *writer, uint64_t uuid, uint64_t parent, char *name, char *unit)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;

    track.has_uuid = 1;
    track.uuid = uuid;
    track.has_parent_uuid = parent != 0;
    track.parent_uuid = parent;
    track.name = name;
    counter.unit_name = unit;
    track.counter = unit ? &counter : NULL;
    packet.track_descriptor = &track;
    write_packet(writer, &packet);
}

static void name_track(const struct telemetry_field *field, uint32_t element, char name[NAME_BYTES])
{
    size_t length = strlen(field->name);

    /* The average of "mshrs_ps" are MSHRs. */
    if (field->kind == TELEMETRY_INTEGRAL && length > 3 && strcmp(field->name + length - 3, "_ps") == 0)
        snprintf(name, NAME_BYTES, "%.*s average", (int)(length - 3), field->name);
    else if (is_latency(field))
        snprintf(name, NAME_BYTES, "%s p%.0f", field->name, percents[element]);
    else if (field->element_names)
        snprintf(name, NAME_BYTES, "%s %s", field->name, field->element_names[element]);
    else if (field->count > 1)
        snprintf(name, NAME_BYTES, "%s %u", field->name, element);
    else
        snprintf(name, NAME_BYTES, "%s", field->name);
}

static void write_tracks(struct perfetto_writer *writer)
{
    const struct telemetry *const layout = writer->layout;
    uint64_t uuid = 1;

    for (uint32_t i = 0; i < layout->component_count; i++, uuid++) {
        const struct telemetry_component *const component = &layout->components[i];
        char name[NAME_BYTES];

        snprintf(name, sizeof name, "%s", component->name);
        write_track(writer, uuid, component->parent == TELEMETRY_NONE ? 0 : component->parent + 1u, name, NULL);
    }
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct telemetry_field *const field = &layout->fields[i];
        char name[NAME_BYTES], unit[64];

        snprintf(unit, sizeof unit, "%s%s", is_latency(field) ? "ps" : field->unit,
                 field->kind == TELEMETRY_COUNTER ? "/s" : "");
        for (uint32_t j = 0; j < tracks_of(field); j++, uuid++) {
            name_track(field, j, name);
            write_track(writer, uuid, field->component + 1u, name, unit);
        }
    }
}

struct fault perfetto_begin(struct perfetto_writer *writer, FILE *file, const struct telemetry *layout)
{
    *writer = (struct perfetto_writer){.file = file, .layout = layout};
    for (uint32_t i = 0; i < layout->field_count; i++)
        writer->track_count += tracks_of(&layout->fields[i]);
    writer->last_uuid = layout->component_count + writer->track_count;
    writer->slices = calloc(layout->component_count + 1, sizeof *writer->slices);
    writer->slice_counts = calloc(layout->component_count + 1, sizeof *writer->slice_counts);
    writer->lanes = calloc(layout->component_count + 1, sizeof *writer->lanes);
    writer->before = calloc(layout->word_count, sizeof *writer->before);
    writer->shown = malloc((writer->track_count + 1) * sizeof *writer->shown);
    if (!writer->before || !writer->shown || !writer->slices || !writer->slice_counts || !writer->lanes)
        return fault_make(FAULT_MEMORY, "out of memory for a trace of %zu tracks", writer->track_count);
    for (size_t i = 0; i < writer->track_count; i++)
        writer->shown[i] = NAN;
    write_tracks(writer);
    return writer->lacks_memory ? fault_make(FAULT_MEMORY, "out of memory for a packet") : fault_none();
}

/* name: of a slice that begins. */
static void write_event(struct perfetto_writer *writer, uint64_t uuid, uint64_t time_ps,
                        Perfetto__TrackEvent__Type type, double value, char *name)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.has_type = 1;
    event.type = type;
    event.has_track_uuid = 1;
    event.track_uuid = uuid;
    event.has_double_counter_value = type == PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
    event.double_counter_value = value;
    event.name = name;
    packet.has_timestamp = 1;
    packet.timestamp = time_ps / 1000;
    packet.track_event = &event;
    write_packet(writer, &packet);
}

struct fault perfetto_put(struct perfetto_writer *writer, const uint64_t *words)
{
    const struct telemetry *const layout = writer->layout;
    const uint64_t *const before = writer->has_before ? writer->before : NULL;
    size_t track = 0;

    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct telemetry_field *const field = &layout->fields[i];

        for (uint32_t j = 0; j < tracks_of(field); j++, track++) {
            double const value = is_latency(field)
                                     ? (double)telemetry_latency_percentile(field, before, words, percents[j])
                                     : telemetry_rate(field, j, before, words);

            if (value == writer->shown[track])
                continue;
            writer->shown[track] = value;
            write_event(writer, 1 + layout->component_count + track, words[TELEMETRY_TIME],
                        PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, value, NULL);
        }
    }
    memcpy(writer->before, words, layout->word_count * sizeof *words);
    writer->has_before = true;
    return writer->lacks_memory ? fault_make(FAULT_MEMORY, "out of memory for a packet") : fault_none();
}

/* ---- slices */

enum { SLICES_REFRESH, SLICES_POWER, SLICES_BANKS };

/* name NULL: the end of the slice that began last on the track. */
static void write_slice(struct perfetto_writer *writer, uint64_t uuid, uint64_t time_ps, char *name)
{
    write_event(writer, uuid, time_ps,
                name ? PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN : PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, 0,
                name);
}

static const struct telemetry_field *power_of(const struct perfetto_writer *writer, uint32_t component)
{
    const struct telemetry_field *const power = telemetry_find(writer->layout, component, "power");

    return power && power->state_names ? power : NULL;
}

static void name_slice(const struct perfetto_writer *writer, const struct recorded_command *command,
                       char name[NAME_BYTES])
{
#define COMMAND_NAME(value, text, is_of_rank) [DRAM_COMMAND_##value] = #text,
    static const char *const names[] = {DRAM_COMMANDS(COMMAND_NAME)};
    const struct telemetry_field *power;

    switch (command->kind) {
    case DRAM_COMMAND_POWER:
        power = power_of(writer, command->component);
        snprintf(name, NAME_BYTES, "%s", power && command->row < power->state_count
                                             ? power->state_names[command->row] : "asleep");
        break;
    case DRAM_COMMAND_PRECHARGE:
    case DRAM_COMMAND_REFRESH:
        snprintf(name, NAME_BYTES, "%s", names[command->kind]);
        break;
    default:
        snprintf(name, NAME_BYTES, "%s %" PRIu64, names[command->kind], command->row);
    }
}

/* The track of the command, described when its first slice comes; NULL: no memory. */
static struct perfetto_slices *slices_of(struct perfetto_writer *writer, const struct recorded_command *command)
{
    uint32_t const place = command->kind == DRAM_COMMAND_REFRESH ? SLICES_REFRESH
                           : command->kind == DRAM_COMMAND_POWER ? SLICES_POWER : SLICES_BANKS + command->bank;
    struct perfetto_slices **const tracks = &writer->slices[command->component];
    char name[NAME_BYTES];

    if (!*tracks) {
        const struct telemetry_field *const banks = telemetry_find(writer->layout, command->component, "banks");

        writer->slice_counts[command->component] = SLICES_BANKS + banks->count;
        *tracks = calloc(SLICES_BANKS + banks->count, sizeof **tracks);
        writer->lacks_memory |= !*tracks;
        if (!*tracks)
            return NULL;
    }
    if (!(*tracks)[place].uuid) {
        (*tracks)[place].uuid = ++writer->last_uuid;
        if (place < SLICES_BANKS)
            snprintf(name, sizeof name, "%s", place == SLICES_REFRESH ? "refresh" : "power");
        else
            snprintf(name, sizeof name, "bank %" PRIu32, command->bank);
        write_track(writer, (*tracks)[place].uuid, command->component + 1u, name, NULL);
    } else {
        uint64_t const end_ps = (*tracks)[place].end_ps;

        write_slice(writer, (*tracks)[place].uuid, end_ps < command->start_ps ? end_ps : command->start_ps, NULL);
    }
    return &(*tracks)[place];
}

struct fault perfetto_put_command(struct perfetto_writer *writer, const struct recorded_command *command)
{
    struct perfetto_slices *const track = slices_of(writer, command);
    char name[NAME_BYTES];

    if (track) {
        name_slice(writer, command, name);
        write_slice(writer, track->uuid, command->start_ps, name);
        track->end_ps = command->start_ps + command->duration_ps;
    }
    return writer->lacks_memory ? fault_make(FAULT_MEMORY, "out of memory for a packet") : fault_none();
}

/* ---- requests: a track holds those that do not overlap, so that the legs of each lie inside it */
enum { MOST_LANES = 64 };

/* The first track that is free by then; NULL: no memory, or more at once than there are tracks. */
static struct perfetto_slices *lane_of(struct perfetto_writer *writer, uint32_t core, uint64_t start_ps)
{
    struct perfetto_slices **const lanes = &writer->lanes[core];
    char name[NAME_BYTES];

    if (!*lanes) {
        *lanes = calloc(MOST_LANES, sizeof **lanes);
        writer->lacks_memory |= !*lanes;
    }
    for (unsigned i = 0; *lanes && i < MOST_LANES; i++) {
        struct perfetto_slices *const lane = &(*lanes)[i];

        if (!lane->uuid) {
            lane->uuid = ++writer->last_uuid;
            snprintf(name, sizeof name, "requests %u", i + 1);
            write_track(writer, lane->uuid, core + 1u, name, NULL);
            return lane;
        }
        if (lane->end_ps <= start_ps)
            return lane;
    }
    return NULL;
}

struct fault perfetto_put_request(struct perfetto_writer *writer, const struct telemetry_request *request)
{
    struct telemetry_leg legs[TELEMETRY_MOST_STOPS];
    unsigned const count = telemetry_request_legs(request, writer->layout, legs);
    struct perfetto_slices *const lane = lane_of(writer, request->core, telemetry_request_start_ps(request));
    char name[NAME_BYTES], source[NAME_BYTES / 2];

    if (lane) {
        telemetry_request_source(request, writer->layout, source, sizeof source);
        snprintf(name, sizeof name, "%s 0x%" PRIx64 ": %s", request->is_write ? "store" : "load", request->address,
                 source);
        write_slice(writer, lane->uuid, telemetry_request_start_ps(request), name);
        for (unsigned i = 0; i < count; i++) {
            write_slice(writer, lane->uuid, legs[i].from_ps, legs[i].text);
            write_slice(writer, lane->uuid, legs[i].to_ps, NULL);
        }
        lane->end_ps = telemetry_request_end_ps(request);
        write_slice(writer, lane->uuid, lane->end_ps, NULL);
    }
    return writer->lacks_memory ? fault_make(FAULT_MEMORY, "out of memory for a packet") : fault_none();
}

static void end_slices(struct perfetto_writer *writer)
{
    for (uint32_t i = 0; writer->slices && i < writer->layout->component_count; i++) {
        for (uint32_t j = 0; writer->slices[i] && j < writer->slice_counts[i]; j++)
            if (writer->slices[i][j].uuid)
                write_slice(writer, writer->slices[i][j].uuid, writer->slices[i][j].end_ps, NULL);
        free(writer->slices[i]);
    }
}

void perfetto_end(struct perfetto_writer *writer)
{
    end_slices(writer);
    for (uint32_t i = 0; writer->lanes && i < writer->layout->component_count; i++)
        free(writer->lanes[i]);
    free(writer->lanes);
    free(writer->slices);
    free(writer->slice_counts);
    free(writer->before);
    free(writer->shown);
    free(writer->packet);
    *writer = (struct perfetto_writer){0};
}
