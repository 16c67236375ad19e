/* replay/record/recording.h, replay/record/telemetry_text.h, replay/record/perfetto.h: samples are read back as
 * written, files that break off or are damaged, a trace that is decoded again. */
#include "replay/record/perfetto.h"
#include "replay/record/perfetto_trace.pb-c.h"
#include "replay/record/recording.h"
#include "tests/support/unit.h"

enum { SAMPLES = 600, SMALL = 5, WORDS = TELEMETRY_HEAD + 9 + LATENCY_BIN_COUNT };

/* A layout with each kind of figure, and its samples. */
struct bench {
    struct telemetry layout;
    uint64_t source[WORDS];
    uint64_t samples[SAMPLES][WORDS];
};

static void make_layout(struct bench *bench)
{
    static const char *const pair[] = {"hits", "misses"}, *const states[] = {"idle", "active", "asleep"};
    struct telemetry *const layout = &bench->layout;
    const uint64_t *const source = bench->source;
    uint32_t system, cache;

    telemetry_init(layout);
    system = telemetry_add_component(layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "wide");
    cache = telemetry_add_component(layout, TELEMETRY_CACHE, system, "l1 \"odd\"");
    telemetry_add(layout, &(struct telemetry_field){.component = cache, .name = "demand", .kind = TELEMETRY_COUNTER,
        .unit = "Count", .help = "accesses", .count = 2, .element_names = pair, .source = source, .limit = 77});
    telemetry_add(layout, &(struct telemetry_field){.component = cache, .name = "mshrs_ps", .unit = "Count",
        .help = "in use", .kind = TELEMETRY_INTEGRAL, .count = 1, .source = source + 2});
    telemetry_add(layout, &(struct telemetry_field){.component = cache, .name = "level", .kind = TELEMETRY_LEVEL,
        .unit = "Count", .help = "now", .count = 3, .source = source + 3});
    telemetry_add(layout, &(struct telemetry_field){.component = system, .name = "state", .kind = TELEMETRY_STATE,
        .unit = "State", .help = "it", .count = 1, .source = source + 6, .state_names = states, .state_count = 3});
    telemetry_add(layout, &(struct telemetry_field){.component = system, .name = "place", .kind = TELEMETRY_PLACE,
        .unit = "Byte", .help = "where", .count = 2, .source = source + 7});
    telemetry_add(layout, &(struct telemetry_field){.component = system, .name = "latency", .kind = TELEMETRY_BINS,
        .unit = "Tick", .help = "loads", .count = LATENCY_BIN_COUNT, .source = source + 9});
    telemetry_link(layout, &(struct telemetry_link){.from = 0, .to = 1, .field = 0, .element = 1});
    telemetry_link(layout, &(struct telemetry_link){.from = 1, .to = 0, .field = TELEMETRY_NONE});
    assert_int_equal(telemetry_freeze(layout).kind, FAULT_NONE);
    assert_int_equal(layout->word_count, WORDS);
}

static uint64_t any_word(void)
{
    static const uint64_t odd[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1, 127, 128, 1 << 14};
    unsigned const which = (unsigned)rand() % 16;

    return which < 8 ? odd[which] : (uint64_t)rand() << (rand() % 33);
}

static struct bench *make_bench(void)
{
    struct bench *const bench = calloc(1, sizeof *bench);

    make_layout(bench);
    srand(11);
    for (unsigned i = 0; i < SAMPLES; i++) {
        /* Counters rise; the rest is anything. Half of the samples change little. */
        bench->source[0] += (uint64_t)rand() % 1000;
        bench->source[2] += (uint64_t)rand() % 1000000;
        for (unsigned j = 3; i % 2 == 0 && j < 9; j++)
            bench->source[j] = any_word();
        bench->source[9 + rand() % LATENCY_BIN_COUNT] += (uint64_t)rand() % 5;
        if (i == SAMPLES / 2) {
            memset(bench->source, 0, sizeof bench->source);
            bench->layout.since_ps = i * 1000000 - 500;
        }
        telemetry_read(&bench->layout, i * UINT64_C(1000000) + 999, bench->samples[i]);
    }
    return bench;
}

static void free_bench(struct bench *bench)
{
    telemetry_free(&bench->layout);
    free(bench);
}

/* The file, in memory; the first `samples` of the bench. */
static char *record(struct bench *bench, unsigned samples, bool ends, size_t *bytes)
{
    struct recording_writer writer;
    char *text;
    FILE *const file = open_memstream(&text, bytes);

    assert_int_equal(recording_create(&writer, file, "memory", &bench->layout, 1000000).kind, FAULT_NONE);
    for (unsigned i = 0; i < samples; i++)
        assert_int_equal(recording_put(&writer, bench->samples[i]).kind, FAULT_NONE);
    if (ends)
        assert_int_equal(recording_end(&writer).kind, FAULT_NONE);
    recording_free(&writer);
    fclose(file);
    return text;
}

/* Reads all; how many samples were equal to the bench's, from the first on. */
static unsigned read_back(const struct bench *bench, char *text, size_t bytes, struct recording *recording)
{
    FILE *const file = fmemopen(text, bytes, "rb");
    unsigned count = 0;

    struct fault const fault = recording_open(recording, file, "memory");

    if (fault.kind != FAULT_NONE) {
        *recording = (struct recording){.fault = fault};
        fclose(file);
        return 0;
    }
    while (recording_next(recording)) {
        assert_true(count < SAMPLES);
        assert_memory_equal(recording->words, bench->samples[count], sizeof bench->samples[count]);
        count++;
    }
    fclose(file);
    return count;
}

/* Fields, components and links are there again. */
static void a_recording_is_read_back(void **state)
{
    struct bench *const bench = make_bench();
    struct recording recording = {0};
    size_t bytes;
    char *const text = record(bench, SAMPLES, true, &bytes);
    FILE *const file = fmemopen(text, bytes, "rb");
    const struct telemetry *const layout = &recording.text.layout;

    assert_int_equal(recording_open(&recording, file, "memory").kind, FAULT_NONE);
    assert_int_equal(recording.text.interval_ps, 1000000);
    assert_int_equal(layout->component_count, 2);
    assert_string_equal(layout->components[1].name, "l1 \"odd\"");
    assert_int_equal(layout->components[1].part, TELEMETRY_CACHE);
    assert_int_equal(layout->components[1].parent, 0);
    assert_int_equal(layout->components[0].parent, TELEMETRY_NONE);
    assert_int_equal(layout->link_count, 2);
    assert_int_equal(layout->links[0].element, 1);
    assert_int_equal(layout->links[1].field, TELEMETRY_NONE);
    assert_int_equal(layout->field_count, bench->layout.field_count);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        struct telemetry_field const *const is = &layout->fields[i], *const was = &bench->layout.fields[i];

        assert_string_equal(is->name, was->name);
        assert_string_equal(is->unit, was->unit);
        assert_string_equal(is->help, was->help);
        assert_int_equal(is->first, was->first);
        assert_int_equal(is->count, was->count);
        assert_int_equal(is->kind, was->kind);
        assert_int_equal(is->limit, was->limit);
    }
    assert_string_equal(layout->fields[0].element_names[1], "misses");
    assert_string_equal(layout->fields[3].state_names[2], "asleep");
    for (unsigned i = 0; i < SAMPLES; i++) {
        assert_true(recording_next(&recording));
        assert_memory_equal(recording.words, bench->samples[i], sizeof bench->samples[i]);
    }
    assert_false(recording_next(&recording));
    assert_int_equal(recording.state, RECORDING_WHOLE);
    recording_close(&recording);
    fclose(file);
    free(text);
    free_bench(bench);
}

/* "cut off or damaged, gives all samples up to there, and says where it ends" */
static void cut_off_at_any_byte_it_gives_whole_samples(void **state)
{
    struct bench *const bench = make_bench();
    struct recording recording;
    size_t bytes, one_less, header;
    char *const text = record(bench, SMALL, true, &bytes);

    free(record(bench, 0, false, &header));
    for (size_t cut = 1; cut < bytes; cut++) {
        unsigned whole = 0;
        unsigned const count = read_back(bench, text, cut, &recording);

        for (unsigned i = 1; i <= SMALL; i++) {
            free(record(bench, i, false, &one_less));
            whole += one_less <= cut;
        }
        assert_int_equal(count, whole);
        assert_int_equal(recording.fault.kind, FAULT_INPUT);
        assert_int_equal(recording.state == RECORDING_BROKEN, cut >= header);
        if (cut >= header)
            recording_close(&recording);
        if (cut + 40 < header)
            cut = header - 40;           /* all of these say the same */
    }
    free(text);
    free_bench(bench);
}

static void each_damaged_byte_is_found(void **state)
{
    struct bench *const bench = make_bench();
    struct recording recording;
    size_t bytes;
    char *const text = record(bench, SMALL, true, &bytes);

    for (size_t at = 0; at < bytes; at++) {
        text[at] ^= 0x10;
        read_back(bench, text, bytes, &recording);
        assert_int_equal(recording.fault.kind, FAULT_INPUT);
        if (recording.words)
            recording_close(&recording);
        text[at] ^= 0x10;
    }
    assert_int_equal(read_back(bench, text, bytes, &recording), SMALL);
    assert_int_equal(recording.state, RECORDING_WHOLE);
    recording_close(&recording);
    free(text);
    free_bench(bench);
}

/* ---- DRAM commands */

enum { COMMANDS = 20000, BANKS = 5 };

struct commands {
    struct recorded_command all[COMMANDS];
    unsigned count, wanted;
};

static void expect_command(void *context, const struct recorded_command *command)
{
    struct commands *const commands = context;
    const struct recorded_command *const expected = &commands->all[commands->count++];

    assert_true(commands->count <= commands->wanted);
    assert_int_equal(command->kind, expected->kind);
    assert_int_equal(command->component, expected->component);
    assert_int_equal(command->bank, expected->bank);
    assert_int_equal(command->start_ps, expected->start_ps);
    assert_int_equal(command->duration_ps, expected->duration_ps);
    assert_int_equal(command->row, expected->row);
}

static void make_ranks(struct telemetry *layout)
{
    static const uint64_t zero[BANKS];

    telemetry_init(layout);
    telemetry_add_component(layout, TELEMETRY_CHANNEL, TELEMETRY_NONE, "dram");
    for (unsigned i = 0; i < 2; i++) {
        uint32_t const rank = telemetry_add_component(layout, TELEMETRY_RANK, 0, i ? "rank1" : "rank0");

        telemetry_add(layout, &(struct telemetry_field){.component = rank, .name = "banks", .count = BANKS,
            .kind = TELEMETRY_STATE, .unit = "State", .help = "", .source = zero});
    }
    assert_int_equal(telemetry_freeze(layout).kind, FAULT_NONE);
}

static char *record_commands(const struct telemetry *layout, const struct commands *commands, size_t *bytes)
{
    struct recording_writer writer;
    uint64_t words[TELEMETRY_HEAD + 2 * BANKS] = {0};
    char *text;
    FILE *const file = open_memstream(&text, bytes);

    assert_int_equal(recording_create(&writer, file, "memory", layout, 1000000).kind, FAULT_NONE);
    for (unsigned i = 0; i < commands->wanted; i++) {
        assert_int_equal(recording_put_command(&writer, &commands->all[i]).kind, FAULT_NONE);
        words[TELEMETRY_NUMBER] = i / 1000;
        if (i % 1000 == 0)
            assert_int_equal(recording_put(&writer, words).kind, FAULT_NONE);
    }
    assert_int_equal(recording_end(&writer).kind, FAULT_NONE);
    recording_free(&writer);
    fclose(file);
    return text;
}

static unsigned read_commands(struct commands *commands, char *text, size_t bytes, struct fault *fault)
{
    FILE *const file = fmemopen(text, bytes, "rb");
    struct recording recording;
    unsigned samples = 0;

    commands->count = 0;
    assert_int_equal(recording_open(&recording, file, "memory").kind, FAULT_NONE);
    recording.on_command = expect_command;
    recording.context = commands;
    while (recording_next(&recording))
        samples++;
    *fault = recording.fault;
    recording_close(&recording);
    fclose(file);
    return samples;
}

/* All are read back, in their order, whatever they hold; also when there are more than a block has. */
static void commands_are_read_back(void **state)
{
    struct commands *const commands = calloc(1, sizeof *commands);
    struct telemetry layout;
    struct fault fault;
    size_t bytes;
    char *text;

    make_ranks(&layout);
    commands->wanted = COMMANDS;
    for (unsigned i = 0; i < COMMANDS; i++)
        commands->all[i] = (struct recorded_command){
            .kind = (enum dram_command_kind)(rand() % DRAM_COMMAND_COUNT), .component = 1 + (uint32_t)rand() % 2,
            .bank = (uint32_t)rand() % BANKS, .start_ps = any_word(), .duration_ps = any_word(), .row = any_word()
        };
    text = record_commands(&layout, commands, &bytes);
    assert_int_equal(read_commands(commands, text, bytes, &fault), COMMANDS / 1000);
    assert_int_equal(fault.kind, FAULT_NONE);
    assert_int_equal(commands->count, COMMANDS);
    free(text);
    free(commands);
    telemetry_free(&layout);
}

/* What no layout allows is damage: a command of a channel, a bank that is not there, an unknown kind. */
static void commands_outside_the_layout_are_refused(void **state)
{
    static const struct recorded_command wrong[] = {
        {.component = 0}, {.component = 3}, {.component = 1, .bank = BANKS},
        {.component = 1, .kind = (enum dram_command_kind)DRAM_COMMAND_COUNT}
    };
    struct commands *const commands = calloc(1, sizeof *commands);
    struct telemetry layout;
    struct fault fault;

    make_ranks(&layout);
    commands->wanted = 1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t bytes;
        char *text;

        commands->all[0] = wrong[i];
        text = record_commands(&layout, commands, &bytes);
        assert_int_equal(read_commands(commands, text, bytes, &fault), 0);
        assert_int_equal(fault.kind, FAULT_INPUT);
        assert_non_null(strstr(fault_text(fault), "DRAM commands that the layout does not allow"));
        assert_int_equal(commands->count, 0);
        free(text);
    }
    free(commands);
    telemetry_free(&layout);
}

/* A look-up of such a figure would find one or the other: a rank with "banks" twice had room for the slices of one,
 * and commands of the other. */
static void a_duplicate_figure_is_refused(void **state)
{
    static const uint64_t zero[BANKS];
    struct recording_writer writer;
    struct recording recording;
    struct telemetry layout;
    struct fault fault;
    size_t bytes;
    char *text;
    FILE *file = open_memstream(&text, &bytes);

    telemetry_init(&layout);
    telemetry_add_component(&layout, TELEMETRY_RANK, TELEMETRY_NONE, "rank0");
    for (uint32_t count = 1; count <= BANKS; count += BANKS - 1)
        telemetry_add(&layout, &(struct telemetry_field){.name = "banks", .count = count, .kind = TELEMETRY_STATE,
                                                         .unit = "State", .help = "", .source = zero});
    assert_int_equal(telemetry_freeze(&layout).kind, FAULT_NONE);
    assert_int_equal(recording_create(&writer, file, "memory", &layout, 1000000).kind, FAULT_NONE);
    assert_int_equal(recording_put_command(&writer, &(struct recorded_command){.bank = BANKS - 1}).kind, FAULT_NONE);
    assert_int_equal(recording_end(&writer).kind, FAULT_NONE);
    recording_free(&writer);
    fclose(file);
    file = fmemopen(text, bytes, "rb");
    fault = recording_open(&recording, file, "memory");
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_string_equal(fault_text(fault),
                        "memory: byte 25: layout of samples: fields[1].name: expected a name that the "
                        "component has no other field of; banks is there twice");
    fclose(file);
    free(text);
    telemetry_free(&layout);
}

/* ---- Perfetto */

static const Perfetto__TrackDescriptor *find_track(const Perfetto__Trace *trace, const char *name, uint64_t parent)
{
    for (size_t i = 0; i < trace->n_packet; i++) {
        const Perfetto__TrackDescriptor *const track = trace->packet[i]->track_descriptor;

        if (track && strcmp(track->name, name) == 0 && track->parent_uuid == parent)
            return track;
    }
    fail_msg("no track %s", name);
    return NULL;
}

/* a value holds from its sample to the next packet of its track */
static double value_at(const Perfetto__Trace *trace, uint64_t uuid, uint64_t time_ns)
{
    double value = -1;

    for (size_t i = 0; i < trace->n_packet; i++) {
        const Perfetto__TrackEvent *const event = trace->packet[i]->track_event;

        if (event && event->track_uuid == uuid && trace->packet[i]->timestamp <= time_ns) {
            assert_int_equal(event->type, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER);
            value = event->double_counter_value;
        }
    }
    return value;
}

/* Counters of the decoded trace equal what two samples say, worked out here from their words. */
static void the_trace_has_the_values_of_the_samples(void **state)
{
    struct bench *const bench = make_bench();
    struct perfetto_writer writer;
    Perfetto__Trace *trace;
    size_t bytes;
    char *text;
    FILE *const file = open_memstream(&text, &bytes);

    assert_int_equal(perfetto_begin(&writer, file, &bench->layout).kind, FAULT_NONE);
    for (unsigned i = 0; i < SAMPLES; i++)
        assert_int_equal(perfetto_put(&writer, bench->samples[i]).kind, FAULT_NONE);
    perfetto_end(&writer);
    fclose(file);
    trace = perfetto__trace__unpack(NULL, bytes, (const uint8_t *)text);
    assert_non_null(trace);

    uint64_t const cache = find_track(trace, "l1 \"odd\"", find_track(trace, "wide", 0)->uuid)->uuid;
    const Perfetto__TrackDescriptor *const hits = find_track(trace, "demand hits", cache);
    uint64_t const average = find_track(trace, "mshrs average", cache)->uuid;
    uint64_t const level = find_track(trace, "level 2", cache)->uuid;
    uint64_t const p95 = find_track(trace, "latency p95", find_track(trace, "wide", 0)->uuid)->uuid;

    assert_string_equal(hits->counter->unit_name, "Count/s");
    for (unsigned i = 1; i < SAMPLES; i += 7) {
        uint64_t const *const now = bench->samples[i], *const before = bench->samples[i - 1];
        bool const restarts = now[2] != before[2];
        double const span_ps = (double)(now[1] - (restarts ? now[2] : before[1]));
        uint64_t const time_ns = now[1] / 1000;

        assert_true(value_at(trace, hits->uuid, time_ns)
                    == 1e12 * (double)(now[3] - (restarts ? 0 : before[3])) / span_ps);
        assert_true(value_at(trace, average, time_ns) == (double)(now[5] - (restarts ? 0 : before[5])) / span_ps);
        assert_true(value_at(trace, level, time_ns) == (double)now[8]);
        assert_true(value_at(trace, p95, time_ns)
                    == (double)telemetry_latency_percentile(&bench->layout.fields[5], before, now, 95));
    }
    perfetto__trace__free_unpacked(trace, NULL);
    free(text);
    free_bench(bench);
}

/* "Slices of a track do not overlap: one that would, ends where the next begins." */
static void slices_that_would_overlap_are_cut(void **state)
{
    static const struct recorded_command commands[] = {
        {.component = 1, .bank = 2, .kind = DRAM_COMMAND_READ, .start_ps = 1000, .duration_ps = 5000, .row = 17},
        {.component = 1, .bank = 2, .kind = DRAM_COMMAND_PRECHARGE, .start_ps = 4000, .duration_ps = 3000},
        {.component = 2, .kind = DRAM_COMMAND_REFRESH, .start_ps = 2000, .duration_ps = 2000}
    };
    static const struct {
        const char *track, *name;        /* name NULL: an end */
        uint64_t parent, time_ns;
    } expected[] = {{"bank 2", "RD 17", 2, 1}, {"bank 2", NULL, 2, 4}, {"bank 2", "PRE", 2, 4},
                    {"refresh", "REF", 3, 2}, {"bank 2", NULL, 2, 7}, {"refresh", NULL, 3, 4}};
    struct telemetry layout;
    struct perfetto_writer writer;
    Perfetto__Trace *trace;
    size_t bytes, found = 0;
    char *text;
    FILE *const file = open_memstream(&text, &bytes);

    make_ranks(&layout);
    assert_int_equal(perfetto_begin(&writer, file, &layout).kind, FAULT_NONE);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(perfetto_put_command(&writer, &commands[i]).kind, FAULT_NONE);
    perfetto_end(&writer);
    fclose(file);
    trace = perfetto__trace__unpack(NULL, bytes, (const uint8_t *)text);
    assert_non_null(trace);
    for (size_t i = 0; i < trace->n_packet; i++) {
        const Perfetto__TrackEvent *const event = trace->packet[i]->track_event;

        if (!event)
            continue;
        assert_true(found < sizeof expected / sizeof *expected);
        assert_int_equal(trace->packet[i]->timestamp, expected[found].time_ns);
        assert_int_equal(event->type, expected[found].name ? PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN
                                                           : PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END);
        assert_int_equal(event->track_uuid, find_track(trace, expected[found].track, expected[found].parent)->uuid);
        if (expected[found].name)
            assert_string_equal(event->name, expected[found].name);
        found++;
    }
    assert_int_equal(found, sizeof expected / sizeof *expected);
    perfetto__trace__free_unpacked(trace, NULL);
    free(text);
    telemetry_free(&layout);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_is_read_back),
        cmocka_unit_test(cut_off_at_any_byte_it_gives_whole_samples),
        cmocka_unit_test(each_damaged_byte_is_found),
        cmocka_unit_test(commands_are_read_back),
        cmocka_unit_test(commands_outside_the_layout_are_refused),
        cmocka_unit_test(a_duplicate_figure_is_refused),
        cmocka_unit_test(slices_that_would_overlap_are_cut),
        cmocka_unit_test(the_trace_has_the_values_of_the_samples)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
