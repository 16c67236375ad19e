/* Traces in an .rbt: the second source of proto/insn/insn_source.h, and the format for proto/insn/reader.h, which
 * returns the threads one after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/insn/champsim_registers.h"
#include "proto/insn/insn_format.h"
#include "proto/insn/rbt/rbt_decode.h"
#include "proto/insn/rbt/rbt_file.h"
#include "proto/insn/insn_source.h"

/* A thread being read. */
struct reading {
    const struct rbt_file *file;
    size_t thread, block;
    bool has_registers;                  /* ChampSim's in place of bytes */
    bool is_in_block;
    struct rbt_decoder decoder;
    struct insn_counts counts;
};

static enum isa isa_of(const char *name)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (strcmp(isa_name((enum isa)isa), name) == 0)
            return (enum isa)isa;
    return ISA_COUNT;
}

/* ---- a thread */

static void begin_reading(struct reading *reading, const struct rbt_file *file, size_t thread)
{
    reading->file = file;
    reading->thread = thread;
    reading->block = 0;
    reading->is_in_block = false;
    reading->has_registers = isa_of(file->isa_name) == ISA_CHAMPSIM;
    rbt_decoder_reset(&reading->decoder);
}

static struct fault rbt_source_fail(const struct reading *reading, size_t block)
{
    const struct rbt_file *const file = reading->file;

    if (!reading->decoder.wrong)
        return fault_memory(file->in.name, "a block");
    return fault_at(file->in.name, file->threads[reading->thread].blocks[block].offset, "damaged %s in a block whose "
                    "hash is right; the file was not written by this program", reading->decoder.wrong);
}

static struct fault rbt_source_begin_block(struct reading *reading)
{
    struct rbt_block_head head;

    FORWARD(rbt_file_block(reading->file, reading->thread, reading->block, &head));
    if (!rbt_decoder_begin(&reading->decoder, &reading->file->dictionary.rows, &reading->file->dictionary.runs,
                           head.columns, (uint32_t)head.insns, (unsigned)head.flags))
        return rbt_source_fail(reading, reading->block);
    reading->block++;
    reading->is_in_block = true;
    return fault_none();
}

/* INSN_RECORD, INSN_MARKED, INSN_END, INSN_FAILED. *number: of the static instruction. */
static enum insn_step rbt_source_step(struct reading *reading, struct insn *insn, uint32_t *number,
                                      struct insn_marker *marker, struct fault *error)
{
    const struct rbt_thread *const thread = &reading->file->threads[reading->thread];
    const struct rbt_row *row;

    for (;;) {
        if (!reading->is_in_block) {
            if (reading->block == thread->block_count)
                return INSN_END;
            if (FAILS(*error, rbt_source_begin_block(reading)))
                return INSN_FAILED;
        }
        switch (rbt_decoder_next(&reading->decoder, insn, &row, marker)) {
        case RBT_STEP_INSN:
            insn->thread = thread->id;
            *number = row->number;
            insn->encoding_bytes = 0;
            memset(insn->reads, 0, sizeof insn->reads);
            memset(insn->writes, 0, sizeof insn->writes);
            if (reading->has_registers)
                champsim_registers(reading->file->dictionary.statics[row->number].bytes, insn);
            reading->counts.records++;
            insn_count(&reading->counts, insn);
            insn_count_accesses(&reading->counts, insn);
            return INSN_RECORD;
        case RBT_STEP_MARKER:
            insn->thread = thread->id;
            reading->counts.records++;
            reading->counts.markers++;
            return INSN_MARKED;
        case RBT_STEP_END: reading->is_in_block = false; break;
        case RBT_STEP_FAILED: return *error = rbt_source_fail(reading, reading->block - 1), INSN_FAILED;
        }
    }
}

/* ---- traces */

bool insn_is_rbt(const char *path)
{
    return container_detect(path, &rbt_kind);
}

static struct fault take_image(void *context, uint64_t address, uint8_t *bytes, uint64_t count)
{
    return insn_trace_add_image(context, address, bytes, count);
}

static struct fault take_page(void *context, const struct insn_page *page)
{
    return insn_trace_add_page(context, page);
}

static struct fault rbt_source_describe(struct insn_trace *trace, const struct rbt_file *file)
{
    trace->isa = isa_of(file->isa_name);
    if (trace->isa == ISA_COUNT)
        return fault_at(file->in.name, CONTAINER_HEAD_BYTES,
                        "an architecture that is not known; the file is of a newer rubato");
    trace->lacks = file->lacks;
    trace->meaning = file->meaning;
    trace->file_bytes = file->in.size;
    trace->image_bytes = file->chunk_bytes[RBT_IMAGE];
    trace->made_of = file->source;
    trace->command = file->command;
    trace->notes = file->notes;
    trace->note_count = file->note_count;
    snprintf(trace->name, sizeof trace->name, "rbt");
    snprintf(trace->about, sizeof trace->about, ".rbt, of %s", file->source);
    snprintf(trace->warning, sizeof trace->warning, "%s", file->lost);
    for (size_t i = 0; i < file->thread_count; i++)
        FORWARD(insn_trace_add_thread(trace, &(struct insn_thread){ .id = file->threads[i].id,
                                                                   .instructions = file->threads[i].fetched,
                                                                   .first_stamp = file->threads[i].first_stamp,
                                                                   .path = trace->path}, false));
    return fault_none();
}

static struct fault open_trace(struct insn_trace *trace)
{
    struct fault fault = fault_none();
    struct rbt_file *const file = rbt_file_open(trace->path, trace->salvages, &fault);
    struct rbt_file_sink const sink = {take_image, take_page, trace};

    trace->state = file;
    return (file && WORKS(fault, rbt_source_describe(trace, file)) && WORKS(fault, rbt_file_read_rest(file, &sink))
            && WORKS(fault, rbt_file_program(file, &trace->kept)))
        ? fault_none() : fault;
}

static void close_trace(struct insn_trace *trace)
{
    rbt_file_close(trace->state);
}

static struct fault open_cursor(struct insn_cursor *cursor)
{
    struct reading *const reading = calloc(1, sizeof *reading);

    cursor->state = reading;
    if (!reading)
        return fault_memory(cursor->trace->path, NULL);
    begin_reading(reading, cursor->trace->state, cursor->thread);
    return fault_none();
}

static void close_cursor(struct insn_cursor *cursor)
{
    struct reading *const reading = cursor->state;

    if (reading)
        rbt_decoder_free(&reading->decoder);
    free(reading);
}

static enum insn_step next_event(struct insn_cursor *cursor, struct insn_event *event, struct fault *error)
{
    enum insn_step const what = rbt_source_step(cursor->state, &event->insn, &event->number, &event->marker, error);

    event->is_marker = what == INSN_MARKED;
    return event->is_marker ? INSN_RECORD : what;
}

/* The last block that decodes without earlier ones and begins before instruction `insns`: markers before that
 * instruction may be in the block before its own. */
static size_t block_to_begin_with(const struct rbt_thread *thread, uint64_t insns)
{
    size_t place = 0;

    for (size_t i = 1; i < thread->block_count && thread->blocks[i].first < insns; i++)
        if (thread->blocks[i].restarts)
            place = i;
    return place;
}

/* Up to the run that has instruction `insns`, or ends before it. False: a block is damaged. */
static bool pass_blocks(struct reading *reading, uint64_t insns)
{
    const struct rbt_thread *const thread = &reading->file->threads[reading->thread];

    for (;;) {
        const struct rbt_block_place *const block = &thread->blocks[reading->block];
        uint64_t const before = insns - block->first;

        if (rbt_source_begin_block(reading).kind != FAULT_NONE
            || !rbt_decoder_pass(&reading->decoder, before < UINT32_MAX ? (uint32_t)before : UINT32_MAX))
            return false;
        if (reading->decoder.at < block->insns || reading->block == thread->block_count
            || thread->blocks[reading->block].first >= insns)
            return true;
    }
}

/* A damaged block is left to be read, which tells where. */
static uint64_t skip(struct insn_cursor *cursor, uint64_t insns)
{
    struct reading *const reading = cursor->state;
    const struct rbt_thread *const thread = &reading->file->threads[reading->thread];
    size_t const place = block_to_begin_with(thread, insns);

    reading->block = place;
    if (thread->block_count == 0)
        return 0;
    if (thread->blocks[place].first < insns && pass_blocks(reading, insns))
        return thread->blocks[reading->block - 1].first + reading->decoder.at;
    reading->block = place;
    reading->is_in_block = false;
    rbt_decoder_reset(&reading->decoder);
    return thread->blocks[place].first;
}

static const struct rbt_dictionary *dictionary_of(const struct insn_cursor *cursor)
{
    return &((const struct rbt_file *)cursor->trace->state)->dictionary;
}

/* ---- runs */

static uint32_t rbt_source_runs(const struct insn_cursor *cursor)
{
    return dictionary_of(cursor)->runs.count;
}

static uint32_t rbt_source_run_length(const struct insn_cursor *cursor, uint32_t run)
{
    return dictionary_of(cursor)->runs.runs[run].insn_count;
}

static struct insn_place rbt_source_run_place(const struct insn_cursor *cursor, uint32_t run, uint32_t at)
{
    const struct rbt_dictionary *const dictionary = dictionary_of(cursor);
    uint32_t const number = dictionary->runs.rows[dictionary->runs.runs[run].rows + at];
    const struct rbt_row *const row = &dictionary->rows.rows[number];

    return (struct insn_place){row->pc, (enum isa_kind)row->kind, (enum insn_form)row->form};
}

static enum insn_step rbt_source_next_run(struct insn_cursor *cursor, uint32_t *run, struct fault *error)
{
    struct reading *const reading = cursor->state;

    for (;;) {
        if (!reading->is_in_block && reading->block == reading->file->threads[reading->thread].block_count)
            return INSN_END;
        if (!reading->is_in_block && FAILS(*error, rbt_source_begin_block(reading)))
            return INSN_FAILED;
        switch (rbt_decoder_next_run(&reading->decoder, run)) {
        case RBT_STEP_END: reading->is_in_block = false; break;
        case RBT_STEP_FAILED: return *error = rbt_source_fail(reading, reading->block - 1), INSN_FAILED;
        default: return INSN_RECORD;
        }
    }
}

static bool has_run_accesses(const struct insn_cursor *cursor)
{
    return dictionary_of(cursor)->runs.count > 0 && !dictionary_of(cursor)->runs.has_odd;
}

static enum insn_step next_run_accesses(struct insn_cursor *cursor, struct insn_run *run, struct fault *error)
{
    struct reading *const reading = cursor->state;
    struct rbt_run_accesses found;

    for (;;) {
        if (!reading->is_in_block && reading->block == reading->file->threads[reading->thread].block_count)
            return INSN_END;
        if (!reading->is_in_block && FAILS(*error, rbt_source_begin_block(reading)))
            return INSN_FAILED;
        switch (rbt_decoder_next_accesses(&reading->decoder, &found)) {
        case RBT_STEP_END: reading->is_in_block = false; break;
        case RBT_STEP_FAILED: return *error = rbt_source_fail(reading, reading->block - 1), INSN_FAILED;
        default:
            *run = (struct insn_run){found.run, found.count, found.irregular_count, found.addresses, found.irregular};
            return INSN_RECORD;
        }
    }
}

static void run_insn(const struct insn_cursor *cursor, uint32_t run, uint32_t at, struct insn_event *event)
{
    const struct rbt_dictionary *const dictionary = dictionary_of(cursor);
    uint32_t const number = dictionary->runs.rows[dictionary->runs.runs[run].rows + at];
    const struct rbt_row *const row = &dictionary->rows.rows[number];

    event->number = row->number;
    event->insn = (struct insn){
        .pc = row->pc, .size_bytes = row->size_bytes, .form = (enum insn_form)row->form,
        .kind = (enum isa_kind)row->kind, .branch = (enum insn_branch)row->branch,
        .accesses = dictionary->rows.accesses + row->first_slot, .access_count = row->access_count};
    if (((const struct reading *)cursor->state)->has_registers)
        champsim_registers(dictionary->statics[row->number].bytes, &event->insn);
}

static uint32_t statics(const struct insn_cursor *cursor)
{
    return dictionary_of(cursor)->static_count;
}

static size_t rbt_source_bytes_of(const struct insn_cursor *cursor, uint32_t number, uint64_t *pc,
                                  const uint8_t **bytes)
{
    const struct rbt_static *const insn = &dictionary_of(cursor)->statics[number];

    *pc = insn->pc;
    *bytes = insn->bytes;
    return insn->length;
}

static const struct insn_counts *counts_of(const struct insn_cursor *cursor)
{
    return &((const struct reading *)cursor->state)->counts;
}

static uint32_t lacks_of(const struct insn_cursor *cursor)
{
    return cursor->trace->lacks;
}

static const char *warning_of(const struct insn_cursor *cursor)
{
    return cursor->trace->warning[0] ? cursor->trace->warning : NULL;
}

const struct insn_source insn_source_rbt = {
    .open = open_trace, .close = close_trace, .cursor_open = open_cursor, .cursor_close = close_cursor,
    .next = next_event, .skip = skip, .runs = rbt_source_runs, .run_length = rbt_source_run_length,
    .run_place = rbt_source_run_place, .next_run = rbt_source_next_run, .has_run_accesses = has_run_accesses,
    .next_run_accesses = next_run_accesses, .run_insn = run_insn, .statics = statics,
    .bytes = rbt_source_bytes_of, .counts = counts_of, .lacks = lacks_of, .warning = warning_of};

/* ---- the format */

struct format_state {
    struct rbt_file *file;
    bool *are_given;                     /* of a static instruction: its bytes were */
    bool has_begun;
    struct reading reading;
};

static bool rbt_source_detect(struct trace_bytes *bytes)
{
    return trace_bytes_look(bytes, CONTAINER_MAGIC_BYTES) >= CONTAINER_MAGIC_BYTES
        && memcmp(bytes->next, rbt_kind.magic, CONTAINER_MAGIC_BYTES) == 0;
}

static struct fault open_format(struct insn_reader *reader)
{
    struct fault fault = fault_none();
    struct format_state *const state = calloc(1, sizeof *state);

    reader->state = state;
    if (!state)
        return fault_memory(reader->bytes.path, NULL);
    state->file = rbt_file_open(reader->bytes.path, false, &fault);
    if (!state->file)
        return fault;
    state->are_given = calloc((size_t)state->file->dictionary.static_count + 1, sizeof *state->are_given);
    if (!state->are_given)
        return fault_memory(reader->bytes.path, NULL);
    reader->isa = isa_of(state->file->isa_name);
    if (reader->isa == ISA_COUNT)
        return fault_at(reader->bytes.path, CONTAINER_HEAD_BYTES, "an architecture that is not known; the file is of a "
                        "newer rubato");
    reader->lacks = state->file->lacks;
    reader->meaning = state->file->meaning;
    snprintf(reader->about, sizeof reader->about, ".rbt, of %s", state->file->source);
    return fault_none();
}

static void close_format(struct insn_reader *reader)
{
    struct format_state *const state = reader->state;

    if (!state)
        return;
    rbt_decoder_free(&state->reading.decoder);
    rbt_file_close(state->file);
    free(state->are_given);
    free(state);
}

/* Bytes when they are met first, and each time if the pc has had others. */
static void give_bytes(struct insn_reader *reader, uint32_t number, struct insn *insn)
{
    struct format_state *const state = reader->state;
    const struct rbt_static *const from = &state->file->dictionary.statics[number];

    if (state->reading.has_registers || from->length == 0 || (state->are_given[number] && !from->shares_pc))
        return;
    reader->counts.encodings += !state->are_given[number];
    state->are_given[number] = true;
    insn->encoding_bytes = from->length;
    memcpy(insn->encoding, from->bytes, from->length);
}

static enum insn_step next_record(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct format_state *const state = reader->state;
    struct insn_marker marker;
    uint32_t number;

    if (!state->has_begun)
        begin_reading(&state->reading, state->file, 0);
    state->has_begun = true;
    for (;;) {
        enum insn_step what;

        if (state->reading.thread >= state->file->thread_count)
            return INSN_END;
        what = rbt_source_step(&state->reading, insn, &number, &marker, error);
        if (what == INSN_END) {
            begin_reading(&state->reading, state->file, state->reading.thread + 1);
            continue;
        }
        if (what == INSN_FAILED)
            return what;
        /* Of this thread and those before it. */
        state->reading.counts.encodings = reader->counts.encodings;
        reader->counts = state->reading.counts;
        if (what == INSN_RECORD) {
            give_bytes(reader, number, insn);
            return what;
        }
        if (FAILS(*error, insn_add_marker(reader, &marker)))
            return INSN_FAILED;
        if (insn_has_marker(reader))
            return insn_give_marker(reader, insn, insn->thread);
    }
}

const struct insn_format insn_rbt = {
    .about = INSN_FORMAT_ABOUT(rbt), .detect = rbt_source_detect, .open = open_format, .next = next_record,
    .close = close_format};
