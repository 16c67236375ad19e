/* The writer gathers a block of instructions for each thread; a full block is encoded and appended as a chunk, behind a
 * dictionary chunk with its new entries. The index of all chunks, and a trailer with its place, end the file.
 *
 * States of the writer:
 *
 *   rbt_writer_create --> OPEN --rbt_writer_finish--> FINISHED: blocks, pages, notes, index, trailer; gets its name
 *                          |
 *                          | a failure
 *                          v
 *                        FAILED --rbt_writer_finish-> FINISHED: index, trailer; gets its name
 *   OPEN, FAILED --rbt_writer_abandon--> no file
 *
 * States of a thread:
 *
 *   rbt_writer_thread --> EMPTY --put, mark--> GATHERING --flush--> EMPTY
 *                                                  `--mark of the end--> ENDED
 *
 *   OPEN       !has_failed
 *   FAILED     has_failed: every put and mark is refused
 *   EMPTY      block.insn_count and block.marker_count are 0
 *   GATHERING  the block has instructions or markers that are in no chunk
 *   ENDED      EMPTY, and the memory of block and model is freed; a further put begins both anew
 *
 * Transitions, and who makes them:
 *
 *   EMPTY to GATHERING         rbt_writer_put, rbt_writer_put_runs, rbt_writer_mark
 *   GATHERING to EMPTY         rbt_writer_flush, from rbt_writer_put when the block is full, rbt_writer_mark when it
 *                              has no room for a marker, and from put_rest for all threads
 *   GATHERING to ENDED         rbt_writer_mark, of INSN_MARKER_THREAD_END
 *   OPEN to FAILED             put_chunk when a write fails, after cutting the file back to its last whole chunk; all
 *                              functions that run out of memory in the midst of a block
 *   OPEN, FAILED to FINISHED   rbt_writer_finish; if FAILED, put_index_somehow drops as many of the last chunks as the
 *                              index needs room for, but not the description; if OPEN, a failed index leaves no file
 *
 * Invariants:
 *  1. Between calls the file is the head and the chunks of `places`, in that order, the description first;
 *     `out.written` is its length.
 *  2. A block needs no later chunk: its static instructions, rows and runs are numbers below statics_written,
 *     rows_written and runs_written, and numbered entries never change.
 *  3. thread->model is the state that a reader has after the thread's last chunk: reset before each block that
 *     `restarts`, so that reading can begin there, and changed by rbt_encode alone.
 *  4. has_failed is never cleared, so the file of a failed writer is a prefix of the complete one, and its index.
 *  5. A thread holds at most RBT_BLOCK_INSNS instructions, RBT_BLOCK_ACCESSES accesses and RBT_BLOCK_MARKERS markers;
 *     the writer holds one chunk. */
#include "proto/insn/rbt/rbt_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "base/list.h"
#include "base/output_file.h"
#include "proto/insn/champsim_registers.h"
#include "proto/insn/rbt/dictionary.h"
#include "proto/insn/rbt/rbt_encode.h"
#include "proto/insn/rbt/rbt_file.h"
#include "proto/insn/rbt/rbt_memory.h"

#define NO_THREAD UINT32_MAX

_Static_assert(RBT_NO_ITEM == RBT_WRITER_NO_RUN, "items are the runs of callers");

struct place {
    uint64_t offset, fetched;
    uint32_t kind, thread, insns;
    bool restarts;
};

struct thread {
    uint64_t id, first_stamp;
    uint64_t fetched_in_block;           /* instructions with those only counted */
    uint64_t events;                     /* instructions in blocks that are written */
    uint32_t blocks;
    uint32_t last_row;
    struct rbt_grouping grouping;
    struct rbt_block_input block;
    uint32_t access_room, shape_room, marker_room;
    struct rbt_model model;
};

struct rbt_writer {
    struct output_file output;
    char *path;
    struct container_writer out;
    bool has_failed, is_quick;
    enum isa isa;
    uint32_t lacks;
    struct insn_statics statics;
    struct rbt_rows rows;
    struct rbt_groups groups;
    struct rbt_joins joins;
    uint32_t *static_rows;               /* of a static instruction: the row met last */
    uint32_t *followers;                 /* of a row: the one that followed it last */
    uint32_t follower_room;
    uint32_t static_room, statics_written, rows_written, runs_written;
    struct thread *threads;
    uint32_t thread_count, thread_room;
    struct place *places;
    size_t place_count, place_room;
    struct insn_page *pages;
    size_t page_count, page_room;
    struct column notes;
    uint64_t note_count;
    struct column_packer *packer;
    struct rbt_scratch scratch;          /* rbt_encode's */
    struct column chunk, columns[RBT_BLOCK_COLUMN_COUNT];
};

/* ---- chunks */

static struct fault rbt_writer_no_memory(const struct rbt_writer *writer)
{
    return fault_memory(writer->path, "an instruction trace");
}

/* Seals and appends writer->chunk. */
static struct fault put_chunk(struct rbt_writer *writer, struct place place)
{
    struct fault fault = fault_none();

    place.offset = writer->out.written;
    if (!list_fit(&writer->places, writer->place_count + 1, &writer->place_room, sizeof *writer->places)
        || FAILS(fault, container_put(&writer->out, &writer->chunk, place.kind))) {
        writer->has_failed = true;
        return fault.kind != FAULT_NONE ? fault : rbt_writer_no_memory(writer);
    }
    writer->places[writer->place_count++] = place;
    return fault_none();
}

static void rbt_writer_put_text(struct column *column, const char *text)
{
    size_t const length = text ? strlen(text) : 0;

    column_put_number(column, length);
    column_put_bytes(column, text, length);
}

static struct fault put_description(struct rbt_writer *writer, const struct rbt_description *description)
{
    container_chunk_begin(&writer->chunk);
    rbt_writer_put_text(&writer->chunk, isa_name(description->isa));
    column_put_number(&writer->chunk, description->lacks);
    rbt_writer_put_text(&writer->chunk, description->source);
    rbt_writer_put_text(&writer->chunk, description->command);
    if (insn_meaning_number(&description->meaning) != 0)
        column_put_number(&writer->chunk, insn_meaning_number(&description->meaning));
    return put_chunk(writer, (struct place){.kind = RBT_DESCRIPTION});
}

static struct fault put_dictionary(struct rbt_writer *writer)
{
    if (writer->rows_written == writer->rows.count && writer->statics_written == writer->statics.count
        && writer->runs_written == writer->groups.runs.count)
        return fault_none();
    container_chunk_begin(&writer->chunk);
    if (!rbt_dictionary_put(writer->packer, &writer->statics, writer->statics_written, &writer->rows,
                            writer->rows_written, &writer->groups.runs, writer->runs_written, &writer->chunk)) {
        writer->has_failed = true;
        return rbt_writer_no_memory(writer);
    }
    FORWARD(put_chunk(writer, (struct place){.kind = RBT_DICTIONARY}));
    writer->statics_written = writer->statics.count;
    writer->rows_written = writer->rows.count;
    writer->runs_written = writer->groups.runs.count;
    return fault_none();
}

/* ---- blocks */

static void free_block(struct thread *thread)
{
    rbt_grouping_free(&thread->grouping);
    free(thread->block.addresses);
    column_free(&thread->block.targets.column);
    column_free(&thread->block.gaps);
    free(thread->block.shapes);
    free(thread->block.markers);
    thread->block = (struct rbt_block_input){0};
    thread->access_room = thread->shape_room = thread->marker_room = 0;
    rbt_model_free(&thread->model);
}

static bool encode(struct rbt_writer *writer, struct thread *thread, bool restarts)
{
    struct rbt_block_input *const block = &thread->block;

    if (!rbt_model_fit(&thread->model, &writer->groups.runs, &writer->rows))
        return false;
    if (restarts)
        rbt_model_reset(&thread->model);
    for (size_t i = 0; i < RBT_BLOCK_COLUMN_COUNT; i++)
        writer->columns[i].length = 0;
    block->is_quick = writer->is_quick;
    block->runs = thread->grouping.runs;
    block->run_count = thread->grouping.run_count;
    rbt_encode(block, &writer->rows, &writer->groups.runs, &writer->joins, &thread->model, writer->scratch,
               writer->columns);
    return true;
}

static bool gather_block(struct rbt_writer *writer, struct thread *thread, bool restarts)
{
    struct rbt_block_input *const block = &thread->block;
    struct column *const chunk = &writer->chunk;

    container_chunk_begin(chunk);
    column_put_number(chunk, (uint64_t)(thread - writer->threads));
    column_put_number(chunk, thread->id);
    column_put_number(chunk, thread->first_stamp);
    column_put_number(chunk, (restarts ? RBT_BLOCK_RESTARTS : 0u) | (block->is_quick ? RBT_BLOCK_BY_SUCCESSORS : 0u));
    column_put_number(chunk, writer->rows.count);
    column_put_number(chunk, writer->groups.runs.count);
    column_put_number(chunk, thread->events);
    column_put_number(chunk, block->insn_count);
    column_put_number(chunk, thread->fetched_in_block);
    return columns_pack(writer->packer, writer->columns, RBT_BLOCK_COLUMN_COUNT, chunk);
}

static struct fault rbt_writer_flush(struct rbt_writer *writer, struct thread *thread)
{
    struct rbt_block_input *const block = &thread->block;
    bool const restarts = thread->blocks % RBT_RESTART_BLOCKS == 0 || !thread->model.table;
    struct place const place = {.kind = RBT_BLOCK, .thread = (uint32_t)(thread - writer->threads),
                                .insns = block->insn_count, .restarts = restarts,
                                .fetched = thread->fetched_in_block};

    if (block->insn_count == 0 && block->marker_count == 0)
        return fault_none();
    if (!rbt_grouping_end(&writer->groups, &writer->rows, &thread->grouping)) {
        writer->has_failed = true;
        return rbt_writer_no_memory(writer);
    }
    if (!encode(writer, thread, restarts)) {
        writer->has_failed = true;
        return rbt_writer_no_memory(writer);
    }
    FORWARD(put_dictionary(writer));
    if (!gather_block(writer, thread, restarts)) {
        writer->has_failed = true;
        return rbt_writer_no_memory(writer);
    }
    FORWARD(put_chunk(writer, place));
    thread->blocks++;
    thread->events += block->insn_count;
    thread->fetched_in_block = 0;
    block->accesses_before = 0;
    block->insn_count = block->access_count = block->shape_count = block->marker_count = 0;
    thread->grouping.run_count = 0;
    return fault_none();
}

/* ---- rows */

/* Rows by number, RBT_NO_ROW behind those that there are. */
static bool fit_rows(uint32_t **list, uint32_t *room, uint32_t wanted)
{
    if (wanted <= *room)
        return true;
    if (!list_extend(list, *room, wanted, sizeof **list, 0xff))
        return false;
    *room = wanted;
    return true;
}

static uint8_t flags_of(const struct insn *insn)
{
    return (uint8_t)((insn->has_target ? RBT_HAS_TARGET : 0) | (insn->gap ? RBT_HAS_GAP : 0)
                     | (insn->gap_time ? RBT_HAS_CYCLES : 0));
}

/* RBT_NO_ROW: out of memory. */
static uint32_t find_row(struct rbt_writer *writer, uint32_t number, const struct insn *insn)
{
    struct rbt_row wanted = {
        .pc = insn->pc, .number = number, .size_bytes = insn->size_bytes, .form = (uint8_t)insn->form,
        .kind = (uint8_t)insn->kind, .branch = (uint8_t)insn->branch,
        .flags = flags_of(insn)};
    uint32_t regular = 0;

    if (!fit_rows(&writer->static_rows, &writer->static_room, writer->statics.room))
        return RBT_NO_ROW;
    for (int pass = 0; pass < 2; pass++) {
        bool const is_irregular = pass == 1 || insn->access_count > RBT_REGULAR_ACCESSES;

        if (is_irregular)
            wanted.flags |= RBT_IRREGULAR;
        wanted.access_count = is_irregular ? 0 : (uint8_t)insn->access_count;
        regular = 0;
        for (uint32_t at = writer->static_rows[number]; at != RBT_NO_ROW; at = writer->rows.rows[at].next) {
            if (rbt_rows_is(&writer->rows, at, &wanted, insn->accesses))
                return at;
            regular++;
        }
        if (is_irregular || regular < RBT_REGULAR_SHAPES)
            break;
    }
    wanted.next = writer->static_rows[number];
    wanted.ends_run = rbt_ends_run(&wanted) || rbt_rows_is_further(&writer->rows, &wanted, insn->accesses);
    if (!rbt_rows_add(&writer->rows, wanted, insn->accesses))
        return RBT_NO_ROW;
    return writer->static_rows[number] = writer->rows.count - 1;
}

/* Whether the instruction matches this row, its pc aside. */
static bool is_follower(const struct rbt_writer *writer, uint32_t number, const struct insn *insn)
{
    const struct rbt_row *const row = &writer->rows.rows[number];
    const struct insn_static *const fixed = &writer->statics.insns[row->number];
    struct rbt_row wanted;

    if (row->pc != insn->pc || !fixed->is_last || row->flags & RBT_IRREGULAR
        || insn->access_count != row->access_count || writer->isa == ISA_CHAMPSIM
        || (insn->encoding_bytes > 0
            && (insn->encoding_bytes != fixed->length || memcmp(insn->encoding, fixed->bytes, fixed->length) != 0)))
        return false;
    wanted = (struct rbt_row){
        .size_bytes = insn->size_bytes, .form = (uint8_t)insn->form, .kind = (uint8_t)insn->kind,
        .branch = (uint8_t)insn->branch, .access_count = row->access_count,
        .flags = flags_of(insn)};
    return rbt_rows_is(&writer->rows, number, &wanted, insn->accesses);
}

static uint32_t rbt_writer_row_of(struct rbt_writer *writer, const struct insn *insn)
{
    uint8_t bytes[INSN_ENCODING_BYTES];
    uint32_t number;

    if (writer->isa == ISA_CHAMPSIM) {
        champsim_bytes(insn, bytes);
        number = insn_statics_find(&writer->statics, insn->pc, bytes, CHAMPSIM_BYTES);
    } else {
        number = insn_statics_find(&writer->statics, insn->pc, insn->encoding, insn->encoding_bytes);
    }
    return number == INSN_NO_STATIC ? RBT_NO_ROW : find_row(writer, number, insn);
}

/* ---- the interface */

struct rbt_writer *rbt_writer_create(const char *path, const struct rbt_description *description, struct fault *error)
{
    struct rbt_writer *const writer = calloc(1, sizeof *writer);
    struct fault fault;

    if (!writer) {
        *error = fault_memory(path, NULL);
        return NULL;
    }
    fault = output_file_open(&writer->output, path);
    if (fault.kind != FAULT_NONE) {
        *error = fault;
        free(writer);
        return NULL;
    }
    writer->path = strdup(path);
    writer->packer = column_packer_make(description->is_quick);
    writer->is_quick = description->is_quick;
    writer->columns[RBT_WILD].is_scattered = true;
    writer->isa = description->isa;
    writer->lacks = description->lacks;
    writer->out = (struct container_writer){.path = writer->path, .file = writer->output.descriptor};
    writer->scratch.slots = malloc((RBT_BLOCK_ACCESSES + RBT_SLOTS_SPARE) * sizeof *writer->scratch.slots);
    writer->scratch.misses = malloc(RBT_BLOCK_INSNS * sizeof *writer->scratch.misses);
    if (!writer->path || !writer->packer || !writer->scratch.slots || !writer->scratch.misses)
        *error = fault_memory(path, NULL);
    else if (WORKS(*error, container_begin(&writer->out, &rbt_kind)) &&
             WORKS(*error, put_description(writer, description)))
        return writer;
    rbt_writer_abandon(writer);
    return NULL;
}

uint32_t rbt_writer_thread(struct rbt_writer *writer, uint64_t id, struct fault *error)
{
    if (!list_fit_32(&writer->threads, writer->thread_count + 1, &writer->thread_room, sizeof *writer->threads)) {
        *error = rbt_writer_no_memory(writer);
        return NO_THREAD;
    }
    writer->threads[writer->thread_count] = (struct thread){.id = id, .last_row = RBT_NO_ROW};
    return writer->thread_count++;
}

static struct fault check_writable(const struct rbt_writer *writer)
{
    return writer->has_failed ? fault_at(writer->path, writer->out.written, "takes no more after a failure")
                              : fault_none();
}

static void rbt_writer_put_accesses(struct rbt_block_input *block, const struct insn *insn, bool is_irregular)
{
    for (size_t i = 0; i < insn->access_count; i++)
        if (is_irregular || !insn_access_follows(&insn->accesses[i]))
            block->addresses[block->access_count++] = insn->accesses[i].address;
    block->accesses_before += (uint32_t)insn->access_count;
}

static void put_shape(struct rbt_block_input *block, const struct insn *insn)
{
    block->shapes[block->shape_count++] = insn->access_count;
    for (size_t i = 0; i < insn->access_count; i++)
        block->shapes[block->shape_count++] = rbt_shape(insn->accesses[i].size_bytes, insn->accesses[i].is_write);
}

/* Whether an instruction with this number of accesses would overfill the block. Most blocks fill up at the end of a
 * run. */
static bool rbt_writer_is_full(const struct thread *thread, uint32_t accesses)
{
    const struct rbt_block_input *const block = &thread->block;

    return (thread->grouping.path == RBT_ROOT && block->insn_count > RBT_BLOCK_ENOUGH)
        || block->insn_count == RBT_BLOCK_INSNS || block->access_count + accesses > RBT_BLOCK_ACCESSES;
}

struct fault rbt_writer_put(struct rbt_writer *writer, uint32_t number, const struct insn *insn,
                            const struct isa_insn *what)
{
    struct thread *const thread = &writer->threads[number];
    struct rbt_block_input *const block = &thread->block;
    struct insn_access own[RBT_REGULAR_ACCESSES];
    struct insn copy;
    uint32_t const accesses = (uint32_t)insn->access_count;
    uint32_t row;

    (void)what;
    FORWARD(check_writable(writer));
    if (insn->access_count > RBT_MOST_ACCESSES)
        return fault_at(writer->path, writer->out.written, "an instruction with %zu accesses; expected at most %d",
                        insn->access_count, RBT_MOST_ACCESSES);
    if (rbt_writer_is_full(thread, accesses))
        FORWARD(rbt_writer_flush(writer, thread));
    if ((writer->rows.count - writer->rows_written >= RBT_DICTIONARY_ROWS
         || writer->groups.runs.count - writer->runs_written >= RBT_DICTIONARY_ROWS))
        FORWARD(put_dictionary(writer));
    insn = rbt_rows_within(block->accesses_before, insn, own, &copy);
    row = thread->last_row != RBT_NO_ROW ? writer->followers[thread->last_row] : RBT_NO_ROW;
    if (row == RBT_NO_ROW || !is_follower(writer, row, insn)) {
        row = rbt_writer_row_of(writer, insn);
        if (row != RBT_NO_ROW && !fit_rows(&writer->followers, &writer->follower_room, writer->rows.room))
            row = RBT_NO_ROW;
        else if (row != RBT_NO_ROW && thread->last_row != RBT_NO_ROW)
            writer->followers[thread->last_row] = row;
    }
    thread->last_row = row;
    if (row == RBT_NO_ROW || !rbt_grouping_begin(&thread->grouping)
        || !list_fit_32(&block->addresses, block->access_count + accesses, &thread->access_room,
                        sizeof *block->addresses)
        || !list_fit_32(&block->shapes, block->shape_count + accesses + 1, &thread->shape_room, sizeof *block->shapes)
        || !rbt_grouping_add(&writer->groups, &writer->rows, &thread->grouping, row)) {
        writer->has_failed = true;
        return rbt_writer_no_memory(writer);
    }
    block->insn_count++;
    rbt_writer_put_accesses(block, insn, (writer->rows.rows[row].flags & RBT_IRREGULAR) != 0);
    rbt_targets_next(&block->targets, insn->pc);
    if (insn->has_target)
        rbt_targets_open(&block->targets, insn->pc, insn->target);
    if (insn->gap)
        column_put_number(&block->gaps, insn->gap);
    if (insn->gap_time)
        column_put_number(&block->gaps, insn->gap_time);
    if (writer->rows.rows[row].flags & RBT_IRREGULAR)
        put_shape(block, insn);
    thread->fetched_in_block += insn->gap + (insn->form == INSN_EXECUTED);
    return fault_none();
}

uint32_t rbt_writer_run(struct rbt_writer *writer, uint32_t number, unsigned count, unsigned accesses)
{
    uint32_t const item = rbt_grouping_item(&writer->groups, &writer->rows, &writer->threads[number].grouping, count);

    if (item == RBT_NO_ITEM || rbt_item_run(&writer->groups, item)->slot_count != accesses)
        return RBT_WRITER_NO_RUN;
    return item;
}

uint32_t rbt_writer_join(struct rbt_writer *writer, const uint32_t *items, unsigned count)
{
    return rbt_grouping_join(&writer->groups, &writer->rows, items, count);
}

bool rbt_writer_room(struct rbt_writer *writer, uint32_t number, struct rbt_writer_room *room)
{
    struct thread *const thread = &writer->threads[number];
    struct rbt_block_input *const block = &thread->block;
    uint32_t const accesses = RBT_BLOCK_ACCESSES - block->access_count;
    uint32_t const enough = RBT_BLOCK_ENOUGH + 1;

    if (writer->has_failed || !rbt_grouping_begin(&thread->grouping)
        || !list_fit_32(&block->addresses, RBT_BLOCK_ACCESSES, &thread->access_room, sizeof *block->addresses))
        return false;
    *room = (struct rbt_writer_room){
        .runs = thread->grouping.runs + thread->grouping.run_count, .addresses = block->addresses + block->access_count,
        .insns = block->insn_count < enough ? enough - block->insn_count : 0, .accesses = accesses};
    return true;
}

void rbt_writer_put_runs(struct rbt_writer *writer, uint32_t number, uint32_t count, uint32_t insns, uint32_t accesses,
                         uint32_t followed, uint64_t target)
{
    struct thread *const thread = &writer->threads[number];
    struct rbt_block_input *const block = &thread->block;
    const uint32_t *const items = thread->grouping.runs + thread->grouping.run_count;
    const struct rbt_run *const last = rbt_item_run(&writer->groups, items[count - 1]);
    uint32_t const last_row = last->last_row;
    uint32_t targets = 0, any = 0;

    rbt_targets_next(&block->targets, rbt_item_run(&writer->groups, items[0])->pc);
    for (uint32_t i = 0; i < count; i++) {
        targets += rbt_item_targets(items[i]);
        any |= items[i];
    }
    block->targets.right += targets - last->has_target;
    if (last->has_target)
        rbt_targets_open(&block->targets, writer->rows.rows[last_row].pc, target);
    if (!rbt_grouping_take(&writer->groups, &writer->rows, &thread->grouping, count, any))
        writer->has_failed = true;
    block->insn_count += insns;
    block->access_count += accesses;
    block->accesses_before += accesses + followed;
    thread->fetched_in_block += writer->rows.rows[last_row].form == INSN_EXECUTED ? insns : 0;
    thread->last_row = last_row;
}

struct fault rbt_writer_mark(struct rbt_writer *writer, uint32_t number, const struct insn_marker *marker)
{
    struct thread *const thread = &writer->threads[number];
    struct rbt_block_input *const block = &thread->block;

    FORWARD(check_writable(writer));
    if (block->marker_count == RBT_BLOCK_MARKERS)
        FORWARD(rbt_writer_flush(writer, thread));
    if (!list_fit_32(&block->markers, block->marker_count + 1, &thread->marker_room, sizeof *block->markers)) {
        writer->has_failed = true;
        return rbt_writer_no_memory(writer);
    }
    if (thread->first_stamp == 0 && (marker->kind == INSN_MARKER_STAMP || marker->kind == INSN_MARKER_TIMESTAMP))
        thread->first_stamp = marker->value;
    block->markers[block->marker_count++] = (struct rbt_block_marker){block->insn_count, *marker};
    if (marker->kind != INSN_MARKER_THREAD_END)
        return fault_none();
    FORWARD(rbt_writer_flush(writer, thread));
    free_block(thread);
    return fault_none();
}

struct fault rbt_writer_image(struct rbt_writer *writer, uint64_t address, const uint8_t *bytes, size_t count)
{
    FORWARD(check_writable(writer));
    while (count > 0) {
        size_t const piece = count < RBT_IMAGE_PIECE ? count : RBT_IMAGE_PIECE;
        struct column column = {0};
        bool good;

        column_put_bytes(&column, bytes, piece);
        container_chunk_begin(&writer->chunk);
        column_put_number(&writer->chunk, address);
        good = columns_pack(writer->packer, &column, 1, &writer->chunk);
        column_free(&column);
        if (!good)
            return rbt_writer_no_memory(writer);
        FORWARD(put_chunk(writer, (struct place){.kind = RBT_IMAGE}));
        address += piece;
        bytes += piece;
        count -= piece;
    }
    return fault_none();
}

struct fault rbt_writer_program(struct rbt_writer *writer, const struct insn_kept *kept)
{
    struct column_packer *packer;        /* it is packed once: well, also by a writer in a hurry */
    struct column columns[2] = {{0}};
    bool good;

    FORWARD(check_writable(writer));
    container_chunk_begin(&writer->chunk);
    rbt_writer_put_text(&writer->chunk, kept->name);
    column_put_byte(&writer->chunk, kept->build_id_bytes);
    column_put_bytes(&writer->chunk, kept->build_id, kept->build_id_bytes);
    column_put_number(&writer->chunk, kept->base);
    column_put_number(&writer->chunk, kept->byte_count);
    column_put_word(&writer->chunk, kept->hash);
    column_put_number(&writer->chunk, kept->sp);
    if (kept->bytes)
        column_put_bytes(&columns[0], kept->bytes, (size_t)kept->byte_count);
    for (uint64_t i = 0; i < kept->stack_words; i++)
        column_put_word(&columns[1], kept->stack[i]);
    packer = column_packer_make(false);
    good = packer && columns_pack(packer, columns, 2, &writer->chunk);
    if (good && insn_memory_has_any(&kept->memory))
        good = rbt_memory_put(packer, &kept->memory, &writer->chunk);
    column_packer_free(packer);
    column_free(&columns[0]);
    column_free(&columns[1]);
    if (!good)
        return rbt_writer_no_memory(writer);
    return put_chunk(writer, (struct place){.kind = RBT_PROGRAM});
}

struct fault rbt_writer_page(struct rbt_writer *writer, const struct insn_page *page)
{
    if (!list_fit(&writer->pages, writer->page_count + 1, &writer->page_room, sizeof *writer->pages))
        return rbt_writer_no_memory(writer);
    writer->pages[writer->page_count++] = *page;
    return fault_none();
}

struct fault rbt_writer_note(struct rbt_writer *writer, const char *name, uint64_t count)
{
    rbt_writer_put_text(&writer->notes, name);
    column_put_number(&writer->notes, count);
    writer->note_count++;
    return !writer->notes.failed ? fault_none() : rbt_writer_no_memory(writer);
}

void rbt_writer_lacks(struct rbt_writer *writer, uint32_t lacks)
{
    writer->lacks |= lacks;
}

uint64_t rbt_writer_bytes(const struct rbt_writer *writer)
{
    return writer->out.written;
}

/* ---- the end */

static struct fault put_pages(struct rbt_writer *writer)
{
    struct column column = {0};
    struct insn_page last = {0};
    bool good;

    if (writer->page_count == 0)
        return fault_none();
    for (size_t i = 0; i < writer->page_count; i++) {
        const struct insn_page *const page = &writer->pages[i];

        column_put_number(&column, bits_zigzag(page->virtual_address - last.virtual_address - last.byte_count));
        column_put_number(&column, bits_zigzag(page->physical_address - last.physical_address - last.byte_count));
        column_put_number(&column, bits_zigzag(page->byte_count - last.byte_count));
        last = *page;
    }
    container_chunk_begin(&writer->chunk);
    column_put_number(&writer->chunk, writer->page_count);
    good = columns_pack(writer->packer, &column, 1, &writer->chunk);
    column_free(&column);
    if (!good)
        return rbt_writer_no_memory(writer);
    return put_chunk(writer, (struct place){.kind = RBT_PAGES});
}

static struct fault put_notes(struct rbt_writer *writer)
{
    if (writer->note_count == 0)
        return fault_none();
    container_chunk_begin(&writer->chunk);
    column_put_number(&writer->chunk, writer->note_count);
    column_put_bytes(&writer->chunk, writer->notes.at, writer->notes.length);
    return put_chunk(writer, (struct place){.kind = RBT_NOTES});
}

static void gather_index(struct rbt_writer *writer)
{
    struct column *const chunk = &writer->chunk;
    uint64_t offset = 0;

    container_chunk_begin(chunk);
    column_put_number(chunk, writer->lacks);
    column_put_number(chunk, writer->thread_count);
    for (uint32_t i = 0; i < writer->thread_count; i++) {
        column_put_number(chunk, writer->threads[i].id);
        column_put_number(chunk, writer->threads[i].first_stamp);
    }
    column_put_number(chunk, writer->place_count);
    for (size_t i = 0; i < writer->place_count; i++) {
        const struct place *const place = &writer->places[i];

        column_put_byte(chunk, place->kind);
        column_put_number(chunk, place->offset - offset);
        offset = place->offset;
        if (place->kind != RBT_BLOCK)
            continue;
        column_put_number(chunk, place->thread);
        column_put_number(chunk, place->restarts);
        column_put_number(chunk, place->insns);
        column_put_number(chunk, place->fetched);
    }
}

static struct fault put_index(struct rbt_writer *writer)
{
    gather_index(writer);
    return container_end(&writer->out, &writer->chunk, &rbt_kind);
}

/* After a failure: as much as leaves room for the index. The description stays. */
static struct fault put_index_somehow(struct rbt_writer *writer)
{
    struct fault fault = fault_none();

    while (FAILS(fault, put_index(writer))) {
        if (!writer->has_failed || writer->place_count <= 1)
            return fault;
        container_cut(&writer->out, writer->places[--writer->place_count].offset);
    }
    return fault_none();
}

static void free_writer(struct rbt_writer *writer)
{
    output_file_drop(&writer->output);
    for (uint32_t i = 0; i < writer->thread_count; i++)
        free_block(&writer->threads[i]);
    for (size_t i = 0; i < RBT_BLOCK_COLUMN_COUNT; i++)
        column_free(&writer->columns[i]);
    column_free(&writer->chunk);
    column_free(&writer->notes);
    column_packer_free(writer->packer);
    insn_statics_free(&writer->statics);
    rbt_rows_free(&writer->rows);
    rbt_groups_free(&writer->groups);
    rbt_joins_free(&writer->joins);
    free(writer->scratch.slots);
    free(writer->scratch.misses);
    free(writer->static_rows);
    free(writer->followers);
    free(writer->threads);
    free(writer->places);
    free(writer->pages);
    free(writer->path);
    free(writer);
}

static struct fault put_rest(struct rbt_writer *writer)
{
    for (uint32_t i = 0; i < writer->thread_count; i++)
        FORWARD(rbt_writer_flush(writer, &writer->threads[i]));
    FORWARD(put_pages(writer));
    return put_notes(writer);
}

struct fault rbt_writer_finish(struct rbt_writer *writer)
{
    struct fault first = fault_none(), fault = fault_none();

    /* Data that can no longer be appended is lost, which is reported; the file written so far is still completed. */
    if (!writer->has_failed)
        first = put_rest(writer);
    if (FAILS(fault, put_index_somehow(writer))) {
        close(writer->output.descriptor);
    } else if (close(writer->output.descriptor) != 0) {
        fault = fault_at(writer->path, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno));
    } else {
        fault = output_file_take(&writer->output);
    }
    free_writer(writer);
    if (first.kind == FAULT_NONE)
        return fault;
    return first;
}

void rbt_writer_abandon(struct rbt_writer *writer)
{
    if (!writer)
        return;
    close(writer->output.descriptor);
    free_writer(writer);
}
