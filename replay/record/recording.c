/* A recording is no container of proto/container/: it is written into a stream and read from one, sample by sample, and
 * programs of others read it, whose libraries have CRC-32. A sample is a block of its own, so that a run that is killed
 * leaves all that reached the file, to the last whole one. Most words do not change from sample to sample, or by
 * little: a sample takes a few hundred bytes, and no time to speak of to pack. */
#include "replay/record/recording.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bits.h"
#include "base/list.h"
#include "proto/container/column.h"

enum {
    MAGIC_BYTES = sizeof RECORDING_MAGIC - 1,
    HEAD_BYTES = 9,                      /* of a block */
    WORD_BYTES = 10,                     /* the most that one takes */
    KEY_EVERY = 256,                     /* samples */
    COMMAND_NUMBERS = 6,
    COMMAND_BYTES = COMMAND_NUMBERS * WORD_BYTES,    /* the most that one takes */
    COMMANDS_BYTES = 1 << 16,            /* of a block of them */
    REQUEST_NUMBERS = 8, STOP_NUMBERS = 3,
    REQUEST_BYTES = (REQUEST_NUMBERS + STOP_NUMBERS * TELEMETRY_MOST_STOPS) * WORD_BYTES
};
#define MAX_BLOCK (UINT32_C(1) << 28)

/* ---- numbers */

/* Most are short, but how short cannot be guessed: no branch decides between one byte and two. Both are written. */
static unsigned char *recording_put_number(unsigned char *at, uint64_t value)
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

/* ---- samples: 0 begins a run of words without a difference */

/* The first changed word from `from` on; `count`: none. Most are unchanged, so steps are long. */
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

static size_t recording_pack(const struct recording_writer *writer, const uint64_t *words, unsigned char *to)
{
    unsigned char *at = to;

    for (uint32_t i = 0; i < writer->word_count;) {
        uint64_t const value = bits_zigzag(words[i] - writer->before[i]);
        uint32_t const first = i++;

        at = recording_put_number(at, value);
        if (value != 0)
            continue;
        i = first_change(words, writer->before, i, writer->word_count);
        at = recording_put_number(at, i - first - 1);
    }
    return (size_t)(at - to);
}

static bool unpack(uint64_t *words, uint32_t count, struct column_bytes from)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t const value = column_take_number(&from), run = value == 0 ? column_take_number(&from) : 0;

        if (from.failed || run >= count - i)
            return false;
        words[i] += bits_unzigzag(value);
        i += (uint32_t)run;
    }
    return from.at == from.end;
}

/* ---- writing */

static struct fault recording_write_block(struct recording_writer *writer, char kind, unsigned char *block,
                                          size_t bytes)
{
    block[0] = (unsigned char)kind;
    bits_store32(block + 1, (uint32_t)bytes);
    bits_store32(block + 5, (uint32_t)crc32(crc32(0, block, 5), block + HEAD_BYTES, (uInt)bytes));
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
        fault = recording_write_block(writer, 'H', block, length);
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
    return bytes ? recording_write_block(writer, 'C', writer->commands, bytes) : fault_none();
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
    at = recording_put_number(start + HEAD_BYTES + writer->commands_bytes, command->kind);
    at = recording_put_number(at, command->component);
    at = recording_put_number(at, command->bank);
    at = recording_put_number(at, bits_zigzag(command->start_ps - writer->command_ps));
    at = recording_put_number(at, command->duration_ps);
    at = recording_put_number(at, command->row);
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
    return bytes ? recording_write_block(writer, 'Q', writer->requests, bytes) : fault_none();
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
        at = recording_put_number(at, numbers[i]);
    for (uint32_t i = 0; i < request->stop_count; i++) {
        at = recording_put_number(at, request->stops[i].kind);
        at = recording_put_number(at, request->stops[i].component);
        at = recording_put_number(at, request->stops[i].time_ps - (i > 0 ? request->stops[i - 1].time_ps : start_ps));
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
    FORWARD(recording_write_block(writer, is_key ? 'K' : 'D', writer->block,
                                    recording_pack(writer, words, writer->block + HEAD_BYTES)));
    memcpy(writer->before, words, bytes);
    writer->samples++;
    return fault_none();
}

struct fault recording_end(struct recording_writer *writer)
{
    FORWARD(write_commands(writer));
    FORWARD(write_requests(writer));
    bits_store64(writer->block + HEAD_BYTES, writer->samples);
    return recording_write_block(writer, 'E', writer->block, 8);
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
    *bytes = bits_load32(head + 1);
    if (*bytes > MAX_BLOCK)
        return break_off(recording, "damaged: a block longer than any can be");
    if (!list_fit(&recording->block, *bytes, &recording->block_room, 1))
        return break_off(recording, "out of memory for a block");
    if (fread(recording->block, 1, *bytes, recording->file) != *bytes)
        return break_off(recording, "it breaks off in the middle of a block");
    if (crc32(crc32(0, head, 5), recording->block, (uInt)*bytes) != bits_load32(head + 5))
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
    uint64_t const samples = bytes == 8 ? bits_load64(recording->block) : 0;

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

static bool take_numbers(struct column_bytes *from, uint64_t *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        numbers[i] = column_take_number(from);
    return !from->failed;
}

static bool take_commands(struct recording *recording, struct column_bytes from)
{
    uint64_t start_ps = 0, numbers[COMMAND_NUMBERS];

    while (from.at < from.end) {
        struct recorded_command command;

        if (!take_numbers(&from, numbers, COMMAND_NUMBERS) || numbers[0] > UINT32_MAX || numbers[1] > UINT32_MAX
            || numbers[2] > UINT32_MAX)
            return false;
        start_ps += bits_unzigzag(numbers[3]);
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

static bool take_request(const struct recording *recording, struct column_bytes *from,
                         struct telemetry_request *request)
{
    uint64_t numbers[REQUEST_NUMBERS], time_ps;

    if (!take_numbers(from, numbers, REQUEST_NUMBERS) || numbers[1] > UINT32_MAX || numbers[3] > UINT32_MAX
        || numbers[4] > UINT32_MAX || numbers[6] > TELEMETRY_MOST_STOPS)
        return false;
    *request = (struct telemetry_request){
        .address = numbers[0], .core = (uint32_t)numbers[1], .is_write = numbers[2] & REQUEST_WRITE,
        .is_slow = numbers[2] & REQUEST_SLOW, .has_burst = numbers[2] & REQUEST_BURST,
        .is_row_hit = numbers[2] & REQUEST_ROW_HIT, .rank = (uint32_t)numbers[3], .bank = (uint32_t)numbers[4],
        .row = numbers[5], .stop_count = (uint32_t)numbers[6]
    };
    time_ps = numbers[7];
    for (uint32_t i = 0; i < request->stop_count; i++) {
        uint64_t stop[STOP_NUMBERS];

        if (!take_numbers(from, stop, STOP_NUMBERS) || stop[0] >= TELEMETRY_STOP_COUNT || stop[1] > UINT32_MAX
            || stop[2] > UINT64_MAX - time_ps)
            return false;
        time_ps += stop[2];
        request->stops[i] = (struct telemetry_stop){(uint32_t)stop[1], (enum telemetry_stop_kind)stop[0], time_ps};
    }
    return telemetry_request_is_sound(request, &recording->text.layout);
}

static bool take_requests(struct recording *recording, struct column_bytes from)
{
    while (from.at < from.end) {
        struct telemetry_request request;

        if (!take_request(recording, &from, &request))
            return false;
        if (recording->on_request)
            recording->on_request(recording->context, &request);
    }
    return true;
}

bool recording_next(struct recording *recording)
{
    uint32_t const count = recording->text.layout.word_count;
    struct column_bytes payload;
    char kind;
    size_t bytes;

    for (;;) {
        if (recording->state != RECORDING_OPEN || !read_block(recording, &kind, &bytes))
            return false;
        payload = (struct column_bytes){recording->block, recording->block + bytes, false};
        if (kind != 'C' && kind != 'Q')
            break;
        if (kind == 'C' && !take_commands(recording, payload))
            return break_off(recording, "damaged: DRAM commands that the layout does not allow");
        if (kind == 'Q' && !take_requests(recording, payload))
            return break_off(recording, "damaged: requests that the layout does not allow");
        recording->offset += HEAD_BYTES + bytes;
    }
    if (kind == 'E')
        return end_reached(recording, bytes);
    if (kind == 'K')
        memset(recording->words, 0, count * sizeof *recording->words);
    else if (kind != 'D' || recording->samples == 0)
        return break_off(recording, "damaged: expected a sample");
    if (!unpack(recording->words, count, payload))
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
