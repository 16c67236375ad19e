/* Decodes a trace for Perfetto again: perfetto_decode TRACE [RECORDING].
 *
 * Prints "slice RANK TRACK BEGIN_NS END_NS NAME" for each slice, where RANK is the name of the track that holds it.
 * What lies inside a request's slice is printed the same way, as "leg", before it.
 * Fails if slices of a track overlap, begin or end twice, or have no described track. With the recording that the trace
 * was made of: works out from the words of each sample what each counter should show, compares it with what the trace
 * shows at that time, prints "counters TRACKS SAMPLES"; looks whether the recorded commands of a bank, which the trace
 * could have cut, come in order and do not overlap, and prints "commands N". Exit code 1: something is wrong, which is
 * said. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/record/perfetto_trace.pb-c.h"
#include "replay/record/recording.h"

struct track {
    const Perfetto__TrackDescriptor *is;
    bool has_value;
    unsigned depth;                      /* slices that have begun: one, of requests another inside */
    uint64_t begin_ns[2], end_ns[2];
    const char *slice[2];
    double value;
};

static Perfetto__Trace *trace;
static struct track *tracks;             /* by uuid */
static uint64_t track_count;

static void wrong(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    exit(1);
}

static void read_trace(const char *path)
{
    FILE *const file = fopen(path, "rb");
    size_t bytes = 0, room = 1 << 20;
    uint8_t *text = malloc(room);

    if (!file || !text)
        wrong("%s: cannot be read", path);
    for (size_t got; (got = fread(text + bytes, 1, room - bytes, file)) > 0;) {
        bytes += got;
        text = bytes == room ? realloc(text, room *= 2) : text;
        if (!text)
            wrong("%s: too large", path);
    }
    fclose(file);
    trace = perfetto__trace__unpack(NULL, bytes, text);
    free(text);
    if (!trace)
        wrong("%s: no trace", path);
    for (size_t i = 0; i < trace->n_packet; i++)
        if (trace->packet[i]->track_descriptor && trace->packet[i]->track_descriptor->uuid >= track_count)
            track_count = trace->packet[i]->track_descriptor->uuid + 1;
    tracks = calloc(track_count, sizeof *tracks);
    if (!tracks)
        wrong("%s: too many tracks", path);
}

static struct track *track_of(const Perfetto__TracePacket *packet)
{
    uint64_t const uuid = packet->track_event->track_uuid;

    if (uuid >= track_count || !tracks[uuid].is)
        wrong("packet at %" PRIu64 " ns: track %" PRIu64 " is not described before", packet->timestamp, uuid);
    return &tracks[uuid];
}

static void take_slice(const Perfetto__TracePacket *packet)
{
    struct track *const track = track_of(packet);
    const char *const name = track->is->name;

    if (packet->track_event->type == PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN) {
        unsigned const depth = track->depth++;

        if (depth >= (strncmp(name, "requests ", 9) == 0 ? 2 : 1) || packet->timestamp < track->end_ns[depth]
            || (depth > 0 && packet->timestamp < track->begin_ns[0]))
            wrong("%s: a slice begins at %" PRIu64 " ns before the one before has ended", name, packet->timestamp);
        track->begin_ns[depth] = packet->timestamp;
        track->slice[depth] = packet->track_event->name;
        return;
    }
    if (track->depth == 0 || packet->timestamp < track->begin_ns[--track->depth]
        || (track->depth == 0 && packet->timestamp < track->end_ns[1]))
        wrong("%s: the end at %" PRIu64 " ns has no beginning", name, packet->timestamp);
    track->end_ns[track->depth] = packet->timestamp;
    printf("%s %s %s %" PRIu64 " %" PRIu64 " %s\n", track->depth ? "leg" : "slice",
           tracks[track->is->parent_uuid].is->name, name, track->begin_ns[track->depth], packet->timestamp,
           track->slice[track->depth]);
}

/* Takes all packets from *next on up to that time, in their order. */
static void take_until(size_t *next, uint64_t time_ns)
{
    for (; *next < trace->n_packet; ++*next) {
        const Perfetto__TracePacket *const packet = trace->packet[*next];

        if (packet->track_descriptor)
            tracks[packet->track_descriptor->uuid].is = packet->track_descriptor;
        if (!packet->track_event)
            continue;
        if (packet->track_event->type != PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER) {
            take_slice(packet);
            continue;
        }
        if (packet->timestamp > time_ns)
            return;
        track_of(packet)->has_value = true;
        track_of(packet)->value = packet->track_event->double_counter_value;
    }
}

/* ---- what counters should show */

static const struct track *find_track(const char *name, const char *parent)
{
    for (uint64_t i = 0; i < track_count; i++)
        if (tracks[i].is && tracks[i].is->counter && strcmp(tracks[i].is->name, name) == 0
            && strcmp(tracks[tracks[i].is->parent_uuid].is->name, parent) == 0)
            return &tracks[i];
    wrong("no track %s of %s", name, parent);
    return NULL;
}

static double expected_of(const struct telemetry_field *field, uint32_t element, const uint64_t *before,
                          const uint64_t *words)
{
    bool const restarts = !before || before[2] != words[2];
    uint64_t const was = restarts ? 0 : before[field->first + element];
    double const span_ps = (double)(words[1] - (restarts ? words[2] : before[1]));
    double const difference = (double)(words[field->first + element] - was);

    if (field->kind == TELEMETRY_COUNTER)
        return span_ps > 0 ? 1e12 * difference / span_ps : 0;
    if (field->kind == TELEMETRY_INTEGRAL)
        return span_ps > 0 ? difference / span_ps : 0;
    return (double)words[field->first + element];
}

static void name_of(const struct telemetry_field *field, uint32_t element, char *name, size_t size)
{
    if (field->kind == TELEMETRY_INTEGRAL)
        snprintf(name, size, "%.*s average", (int)strlen(field->name) - 3, field->name);
    else if (field->element_names)
        snprintf(name, size, "%s %s", field->name, field->element_names[element]);
    else if (field->count > 1)
        snprintf(name, size, "%s %u", field->name, element);
    else
        snprintf(name, size, "%s", field->name);
}

static bool is_shown(const struct telemetry_field *field)
{
    return field->kind != TELEMETRY_BINS && field->kind != TELEMETRY_PLACE;
}

/* ---- commands as recorded */

struct commands {
    const struct telemetry *layout;
    uint64_t *end_ps;                    /* by component, and in it by bank, behind those of the rank */
    uint64_t count;
};

enum { MOST_BANKS = 256 };

static void check_command(void *context, const struct recorded_command *command)
{
    struct commands *const commands = context;
    bool const is_power = command->kind == DRAM_COMMAND_POWER, is_refresh = command->kind == DRAM_COMMAND_REFRESH;
    uint32_t const place = is_power ? 0 : is_refresh ? 1 : 2 + command->bank;
    uint64_t *const end_ps = &commands->end_ps[command->component * (MOST_BANKS + 2) + place];

    if (command->start_ps < *end_ps)
        wrong("%s bank %u: command %d at %" PRIu64 " ps, but the one before lasts until %" PRIu64 " ps",
              commands->layout->components[command->component].name, command->bank, (int)command->kind,
              command->start_ps, *end_ps);
    *end_ps = command->start_ps + command->duration_ps;
    commands->count++;
}

static void compare(const char *path)
{
    FILE *const file = fopen(path, "rb");
    struct recording recording;
    struct commands commands = {0};
    const struct telemetry *layout;
    const struct track **wanted;
    uint64_t *before;
    uint64_t samples = 0, counters = 0;
    size_t next = 0;

    if (!file || recording_open(&recording, file, path).kind != FAULT_NONE)
        wrong("%s: no recording", path);
    layout = &recording.text.layout;
    wanted = calloc(layout->word_count, sizeof *wanted);
    before = calloc(layout->word_count, sizeof *before);
    commands.layout = layout;
    commands.end_ps = calloc(layout->component_count, (MOST_BANKS + 2) * sizeof *commands.end_ps);
    if (!wanted || !before || !commands.end_ps)
        wrong("%s: too large", path);
    recording.on_command = check_command;
    recording.context = &commands;
    for (; recording_next(&recording); samples++) {
        take_until(&next, recording.words[1] / 1000);
        for (uint32_t i = 0; i < layout->field_count; i++)
            for (uint32_t j = 0; is_shown(&layout->fields[i]) && j < layout->fields[i].count; j++) {
                const struct telemetry_field *const field = &layout->fields[i];
                const struct track **const track = &wanted[field->first + j];
                double const expected = expected_of(field, j, samples ? before : NULL, recording.words);
                char name[256];

                name_of(field, j, name, sizeof name);
                if (!*track) {
                    *track = find_track(name, layout->components[field->component].name);
                    counters++;
                }
                if (!(*track)->has_value || (*track)->value != expected)
                    wrong("%s %s at %" PRIu64 " ps: the trace has %g, the samples have %g",
                          layout->components[field->component].name, name, recording.words[1], (*track)->value,
                          expected);
            }
        memcpy(before, recording.words, layout->word_count * sizeof *before);
    }
    take_until(&next, UINT64_MAX);
    printf("counters %" PRIu64 " %" PRIu64 "\ncommands %" PRIu64 "\n", counters, samples, commands.count);
    free(commands.end_ps);
    free(wanted);
    free(before);
    recording_close(&recording);
    fclose(file);
}

int main(int argc, char **argv)
{
    size_t next = 0;

    read_trace(argc > 1 ? argv[1] : "");
    if (argc > 2)
        compare(argv[2]);
    else
        take_until(&next, UINT64_MAX);
    for (uint64_t i = 0; i < track_count; i++)
        if (tracks[i].depth)
            wrong("%s: the last slice has no end", tracks[i].is->name);
    free(tracks);
    perfetto__trace__free_unpacked(trace, NULL);
    return 0;
}
