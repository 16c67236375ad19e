/* A sample is a block of its own, so that a run that is killed leaves all that reached the file, to the last whole one.
 * Most words do not change from sample to sample, or by little: a sample takes a few hundred bytes, and no time to
 * speak of to pack. */
#include "replay/record/recording.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/list.h"

enum {
    MAGIC_BYTES = sizeof RECORDING_MAGIC - 1,
    HEAD_BYTES = 9,                      /* of a block */
    WORD_BYTES = 10,                     /* the most that one takes */
    KEY_EVERY = 256,                     /* samples */
    COMMAND_BYTES = 6 * WORD_BYTES,      /* the most that one takes */
    COMMANDS_BYTES = 1 << 16,            /* of a block of them */
    REQUEST_NUMBERS = 8, STOP_NUMBERS = 3,
    REQUEST_BYTES = (REQUEST_NUMBERS + STOP_NUMBERS * TELEMETRY_MOST_STOPS) * WORD_BYTES
};
#define MAX_BLOCK (UINT32_C(1) << 28)

/* ---- numbers */

static void put_u32(unsigned char *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t get_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Most are short, but how short cannot be guessed: no branch decides between one byte and two. Both are written. */
static unsigned char *put_number(unsigned char *at, uint64_t value)
{
    bool const is_long = value >= 0x80;

    if (value < 0x4000) {
        at[0] = (unsigned char)(value | (unsigned)is_long << 7);
        at[1] = (unsigned char)(value >> 7);
        return at + 1 + is_long;
    }
    while (value >= 0x80) {
        *at++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *at++ = (unsigned char)value;
    return at;
}

/* NULL: it does not end before `end`, or is too long. */
static const unsigned char *get_number(const unsigned char *at, const unsigned char *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        *value |= (uint64_t)(*at & 0x7f) << shift;
        if (!(*at++ & 0x80))
            return at;
    }
    return NULL;
}

/* ---- samples: a difference d is written as 2d or, if negative, -2d - 1; 0 begins a run of words without one */

static uint64_t folded(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfolded(uint64_t value)
{
    return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

/* The first word from `from` on that is another; `count`: there is none. Most are as before, so steps are long. */
static uint32_t first_change(const uint64_t *words, const uint64_t *before, uint32_t from, uint32_t count)
{
    enum { STEP = 8 };

    while (count - from >= STEP) {
        uint64_t differences = 0;

        for (uint32_t i = from; i < from + STEP; i++)
            differences |= words[i] ^ before[i];
        if (differences)
            break;
        from += STEP;
    }
    while (from < count && words[from] == before[from])
        from++;
    return from;
}

static size_t pack(const struct recording_writer *writer, const uint64_t *words, unsigned char *to)
{
    unsigned char *at = to;

    for (uint32_t i = 0; i < writer->word_count;) {
        uint64_t const value = folded(words[i] - writer->before[i]);
        uint32_t const first = i++;

        at = put_number(at, value);
        if (value != 0)
            continue;
        i = first_change(words, writer->before, i, writer->word_count);
        at = put_number(at, i - first - 1);
    }
    return (size_t)(at - to);
}

static bool unpack(uint64_t *words, uint32_t count, const unsigned char *at, const unsigned char *end)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value, run = 0;

        at = get_number(at, end, &value);
        if (at && value == 0)
            at = get_number(at, end, &run);
        if (!at || run >= count - i)
            return false;
        words[i] += unfolded(value);
        i += (uint32_t)run;
    }
    return at == end;
}

/* ---- writing */

static struct fault write_block(struct recording_writer *writer, char kind, unsigned char *block, size_t bytes)
{
    block[0] = (unsigned char)kind;
    put_u32(block + 1, (uint32_t)bytes);
    put_u32(block + 5, (uint32_t)crc32(crc32(0, block, 5), block + HEAD_BYTES, (uInt)bytes));
    if (fwrite(block, 1, HEAD_BYTES + bytes, writer->file) != HEAD_BYTES + bytes)
        return fault_make(FAULT_INPUT, "%s: cannot be written after %llu samples; make room and record again",
                          writer->path, (unsigned long long)writer->samples);
    return fault_none();
}

static struct fault write_header(struct recording_writer *writer, const struct telemetry *layout, uint64_t interval_ps)
{
    char *text;
    unsigned char *block;
    size_t length;
    struct fault fault = telemetry_text_write(layout, interval_ps, &text);

    if (fault.kind != FAULT_NONE)
        return fault;
    length = strlen(text);
    block = malloc(HEAD_BYTES + length);
    if (!block) {
        fault = fault_make(FAULT_MEMORY, "out of memory for a recording");
    } else {
        memcpy(block + HEAD_BYTES, text, length);
        fwrite(RECORDING_MAGIC, 1, MAGIC_BYTES, writer->file);
        fault = write_block(writer, 'H', block, length);
    }
    free(block);
    free(text);
    return fault;
}

struct fault recording_create(struct recording_writer *writer, FILE *file, const char *path,
                              const struct telemetry *layout, uint64_t interval_ps)
{
    *writer = (struct recording_writer){.file = file, .path = path, .word_count = layout->word_count};
    writer->block_room = HEAD_BYTES + (size_t)WORD_BYTES * 2 * writer->word_count;
    writer->before = calloc(writer->word_count, sizeof *writer->before);
    writer->block = malloc(writer->block_room);
    if (!writer->before || !writer->block)
        return fault_make(FAULT_MEMORY, "out of memory for a recording");
    return write_header(writer, layout, interval_ps);
}

static struct fault write_commands(struct recording_writer *writer)
{
    size_t const bytes = writer->commands_bytes;

    writer->commands_bytes = 0;
    writer->command_ps = 0;
    return bytes ? write_block(writer, 'C', writer->commands, bytes) : fault_none();
}

struct fault recording_put_command(struct recording_writer *writer, const struct recorded_command *command)
{
    unsigned char *const start = writer->commands, *at;

    if (!start) {
        writer->commands = malloc(HEAD_BYTES + COMMANDS_BYTES);
        return writer->commands ? recording_put_command(writer, command)
                                : fault_make(FAULT_MEMORY, "out of memory for DRAM commands");
    }
    if (writer->commands_bytes + COMMAND_BYTES > COMMANDS_BYTES)
        FORWARD(write_commands(writer));
    at = put_number(start + HEAD_BYTES + writer->commands_bytes, command->kind);
    at = put_number(at, command->component);
    at = put_number(at, command->bank);
    at = put_number(at, folded(command->start_ps - writer->command_ps));
    at = put_number(at, command->duration_ps);
    at = put_number(at, command->row);
    writer->command_ps = command->start_ps;
    writer->commands_bytes = (size_t)(at - start) - HEAD_BYTES;
    return fault_none();
}

/* ---- requests */
enum { REQUEST_WRITE = 1, REQUEST_SLOW = 2, REQUEST_BURST = 4, REQUEST_ROW_HIT = 8 };

static struct fault write_requests(struct recording_writer *writer)
{
    size_t const bytes = writer->requests_bytes;

    writer->requests_bytes = 0;
    return bytes ? write_block(writer, 'Q', writer->requests, bytes) : fault_none();
}

struct fault recording_put_request(struct recording_writer *writer, const struct telemetry_request *request)
{
    uint64_t const start_ps = telemetry_request_start_ps(request);
    uint64_t const numbers[REQUEST_NUMBERS] = {
        request->address, request->core,
        (request->is_write ? (uint64_t)REQUEST_WRITE : 0) | (request->is_slow ? (uint64_t)REQUEST_SLOW : 0)
            | (request->has_burst ? (uint64_t)REQUEST_BURST : 0)
            | (request->is_row_hit ? (uint64_t)REQUEST_ROW_HIT : 0),
        request->rank, request->bank, request->row, request->stop_count, start_ps
    };
    unsigned char *at;

    if (writer->requests_bytes + REQUEST_BYTES > COMMANDS_BYTES)
        FORWARD(write_requests(writer));
    if (!list_fit(&writer->requests, HEAD_BYTES + COMMANDS_BYTES, &writer->requests_room, 1))
        return fault_make(FAULT_MEMORY, "out of memory for requests");
    at = writer->requests + HEAD_BYTES + writer->requests_bytes;
    for (unsigned i = 0; i < REQUEST_NUMBERS; i++)
        at = put_number(at, numbers[i]);
    for (uint32_t i = 0; i < request->stop_count; i++) {
        at = put_number(at, request->stops[i].kind);
        at = put_number(at, request->stops[i].component);
        at = put_number(at, request->stops[i].time_ps - (i > 0 ? request->stops[i - 1].time_ps : start_ps));
    }
    writer->requests_bytes = (size_t)(at - writer->requests) - HEAD_BYTES;
    return fault_none();
}

struct fault recording_put(struct recording_writer *writer, const uint64_t *words)
{
    bool const is_key = writer->samples % KEY_EVERY == 0;
    size_t const bytes = writer->word_count * sizeof *words;

    FORWARD(write_commands(writer));
    FORWARD(write_requests(writer));
    if (is_key)
        memset(writer->before, 0, bytes);
    FORWARD(write_block(writer, is_key ? 'K' : 'D', writer->block,
                          pack(writer, words, writer->block + HEAD_BYTES)));
    memcpy(writer->before, words, bytes);
    writer->samples++;
    return fault_none();
}

struct fault recording_end(struct recording_writer *writer)
{
    FORWARD(write_commands(writer));
    FORWARD(write_requests(writer));
    put_u32(writer->block + HEAD_BYTES, (uint32_t)writer->samples);
    put_u32(writer->block + HEAD_BYTES + 4, (uint32_t)(writer->samples >> 32));
    return write_block(writer, 'E', writer->block, 8);
}

void recording_free(struct recording_writer *writer)
{
    free(writer->before);
    free(writer->block);
    free(writer->commands);
    free(writer->requests);
    *writer = (struct recording_writer){0};
}

/* ---- reading */

static bool break_off(struct recording *recording, const char *what)
{
    recording->state = RECORDING_BROKEN;
    recording->fault = fault_make(FAULT_INPUT, "%s: byte %llu: %s; %llu samples before it are whole", recording->path,
                                  (unsigned long long)recording->offset, what,
                                  (unsigned long long)recording->samples);
    return false;
}

/* A block, its payload behind its head in recording->block; false: the recording is broken. */
static bool read_block(struct recording *recording, char *kind, size_t *bytes)
{
    unsigned char head[HEAD_BYTES];
    size_t const got = fread(head, 1, sizeof head, recording->file);

    if (got < sizeof head)
        return break_off(recording, got == 0 ? "it breaks off: the run was stopped before its end"
                                             : "it breaks off in the middle of a block");
    *kind = (char)head[0];
    *bytes = get_u32(head + 1);
    if (*bytes > MAX_BLOCK)
        return break_off(recording, "damaged: a block longer than any can be");
    if (!list_fit(&recording->block, *bytes, &recording->block_room, 1))
        return break_off(recording, "out of memory for a block");
    if (fread(recording->block, 1, *bytes, recording->file) != *bytes)
        return break_off(recording, "it breaks off in the middle of a block");
    if (crc32(crc32(0, head, 5), recording->block, (uInt)*bytes) != get_u32(head + 5))
        return break_off(recording, "damaged: the checksum of a block is wrong");
    return true;
}

static void note_banks(struct recording *recording)
{
    const struct telemetry *const layout = &recording->text.layout;

    for (uint32_t i = 0; i < layout->component_count; i++) {
        const struct telemetry_field *const banks = layout->components[i].part == TELEMETRY_RANK
                                                        ? telemetry_find(layout, i, "banks") : NULL;

        recording->banks[i] = banks ? banks->count : 0;
    }
}

static struct fault read_header(struct recording *recording)
{
    char magic[MAGIC_BYTES], kind;
    size_t bytes;
    struct fault fault;

    if (fread(magic, 1, sizeof magic, recording->file) != sizeof magic
        || memcmp(magic, RECORDING_MAGIC, sizeof magic) != 0)
        return fault_make(FAULT_INPUT, "%s: byte 0: no recording; expected a file that replay --record has written",
                          recording->path);
    recording->offset = sizeof magic;
    if (!read_block(recording, &kind, &bytes))
        return recording->fault;
    if (kind != 'H')
        return fault_make(FAULT_INPUT, "%s: byte %llu: expected the layout of samples", recording->path,
                          (unsigned long long)recording->offset);
    fault = telemetry_text_read(&recording->text, (const char *)recording->block, bytes);
    if (fault.kind != FAULT_NONE)
        return fault_within(fault, "%s: byte %llu: ", recording->path,
                            (unsigned long long)recording->offset + HEAD_BYTES);
    recording->offset += HEAD_BYTES + bytes;
    recording->words = calloc(recording->text.layout.word_count, sizeof *recording->words);
    recording->banks = calloc(recording->text.layout.component_count + 1, sizeof *recording->banks);
    if (!recording->words || !recording->banks)
        return fault_make(FAULT_MEMORY, "%s: out of memory", recording->path);
    note_banks(recording);
    return fault_none();
}

struct fault recording_open(struct recording *recording, FILE *file, const char *path)
{
    struct fault fault;

    *recording = (struct recording){.file = file, .path = path};
    fault = read_header(recording);
    if (fault.kind != FAULT_NONE)
        recording_close(recording);
    return fault;
}

static bool end_reached(struct recording *recording, size_t bytes)
{
    uint64_t const samples = bytes == 8 ? get_u32(recording->block) | (uint64_t)get_u32(recording->block + 4) << 32 : 0;

    if (bytes != 8 || samples != recording->samples)
        return break_off(recording, "damaged: the end counts other samples than there are");
    if (fgetc(recording->file) != EOF)
        return break_off(recording, "damaged: there is more behind the end");
    recording->state = RECORDING_WHOLE;
    return false;
}

/* The place of a rank, and a bank of it? */
static bool is_in_layout(const struct recording *recording, const struct recorded_command *command)
{
    return command->component < recording->text.layout.component_count && command->kind < DRAM_COMMAND_COUNT
           && command->bank < recording->banks[command->component];
}

static bool take_commands(struct recording *recording, const unsigned char *at, const unsigned char *end)
{
    uint64_t start_ps = 0;

    while (at < end) {
        uint64_t numbers[6];
        struct recorded_command command;

        for (unsigned i = 0; i < 6; i++) {
            at = at ? get_number(at, end, &numbers[i]) : NULL;
            if (!at || (i < 3 && numbers[i] > UINT32_MAX))
                return false;
        }
        start_ps += unfolded(numbers[3]);
        command = (struct recorded_command){
            .kind = (enum dram_command_kind)numbers[0], .component = (uint32_t)numbers[1], .bank = (uint32_t)numbers[2],
            .start_ps = start_ps, .duration_ps = numbers[4], .row = numbers[5]
        };
        if (!is_in_layout(recording, &command))
            return false;
        if (recording->on_command)
            recording->on_command(recording->context, &command);
    }
    return true;
}

static const unsigned char *get_numbers(const unsigned char *at, const unsigned char *end, uint64_t *numbers,
                                        unsigned count)
{
    for (unsigned i = 0; at && i < count; i++)
        at = get_number(at, end, &numbers[i]);
    return at;
}

/* NULL: it is not what a writer writes. */
static const unsigned char *get_request(const struct recording *recording, const unsigned char *at,
                                        const unsigned char *end, struct telemetry_request *request)
{
    uint64_t numbers[REQUEST_NUMBERS], time_ps;

    at = get_numbers(at, end, numbers, REQUEST_NUMBERS);
    if (!at || numbers[1] > UINT32_MAX || numbers[3] > UINT32_MAX || numbers[4] > UINT32_MAX
        || numbers[6] > TELEMETRY_MOST_STOPS)
        return NULL;
    *request = (struct telemetry_request){
        .address = numbers[0], .core = (uint32_t)numbers[1], .is_write = numbers[2] & REQUEST_WRITE,
        .is_slow = numbers[2] & REQUEST_SLOW, .has_burst = numbers[2] & REQUEST_BURST,
        .is_row_hit = numbers[2] & REQUEST_ROW_HIT, .rank = (uint32_t)numbers[3], .bank = (uint32_t)numbers[4],
        .row = numbers[5], .stop_count = (uint32_t)numbers[6]
    };
    time_ps = numbers[7];
    for (uint32_t i = 0; i < request->stop_count; i++) {
        uint64_t stop[STOP_NUMBERS];

        at = get_numbers(at, end, stop, STOP_NUMBERS);
        if (!at || stop[0] >= TELEMETRY_STOP_COUNT || stop[1] > UINT32_MAX || stop[2] > UINT64_MAX - time_ps)
            return NULL;
        time_ps += stop[2];
        request->stops[i] = (struct telemetry_stop){(uint32_t)stop[1], (enum telemetry_stop_kind)stop[0], time_ps};
    }
    return telemetry_request_is_sound(request, &recording->text.layout) ? at : NULL;
}

static bool take_requests(struct recording *recording, const unsigned char *at, const unsigned char *end)
{
    while (at && at < end) {
        struct telemetry_request request;

        at = get_request(recording, at, end, &request);
        if (at && recording->on_request)
            recording->on_request(recording->context, &request);
    }
    return at != NULL;
}

bool recording_next(struct recording *recording)
{
    uint32_t const count = recording->text.layout.word_count;
    char kind;
    size_t bytes;

    for (;;) {
        if (recording->state != RECORDING_OPEN || !read_block(recording, &kind, &bytes))
            return false;
        if (kind != 'C' && kind != 'Q')
            break;
        if (kind == 'C' && !take_commands(recording, recording->block, recording->block + bytes))
            return break_off(recording, "damaged: DRAM commands that the layout does not allow");
        if (kind == 'Q' && !take_requests(recording, recording->block, recording->block + bytes))
            return break_off(recording, "damaged: requests that the layout does not allow");
        recording->offset += HEAD_BYTES + bytes;
    }
    if (kind == 'E')
        return end_reached(recording, bytes);
    if (kind == 'K')
        memset(recording->words, 0, count * sizeof *recording->words);
    else if (kind != 'D' || recording->samples == 0)
        return break_off(recording, "damaged: expected a sample");
    if (!unpack(recording->words, count, recording->block, recording->block + bytes))
        return break_off(recording, "damaged: a sample has not the length of its layout");
    recording->offset += HEAD_BYTES + bytes;
    recording->samples++;
    return true;
}

void recording_close(struct recording *recording)
{
    telemetry_text_free(&recording->text);
    free(recording->words);
    free(recording->banks);
    free(recording->block);
    recording->words = NULL;
    recording->banks = NULL;
    recording->block = NULL;
}
