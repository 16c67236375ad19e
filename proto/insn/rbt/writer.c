/* Each thread gathers a block; a full one is encoded and appended, after a dictionary of its new entries. The file
 * consists of chunks; the index of their places, and a trailer with its place, end the file.
 *
 * After a failed write the file is cut back to its last whole chunk and takes no more; rbt_writer_finish then gives up
 * as many of the last chunks as the index needs. */
#define _POSIX_C_SOURCE 200809L
#include "proto/insn/rbt/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "base/list.h"
#include "base/output_file.h"
#include "proto/insn/champsim_registers.h"
#include "proto/insn/rbt/chunks.h"
#include "proto/insn/rbt/dictionary.h"
#include "proto/insn/rbt/encode.h"
#include "proto/insn/rbt/grouping.h"

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
    uint64_t written;
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
    struct rbt_column notes;
    uint64_t note_count;
    struct rbt_packer *packer;
    struct rbt_scratch scratch;          /* rbt_encode's */
    struct rbt_column chunk, columns[RBT_BLOCK_COLUMN_COUNT];
};

/* ---- chunks */

static struct fault no_memory(const struct rbt_writer *writer)
{
    return fault_memory(writer->path, "an instruction trace");
}

static struct fault put(struct rbt_writer *writer, const uint8_t *bytes, size_t count)
{
    uint64_t done = 0;

    while (done < count) {
        ssize_t const step = write(writer->output.descriptor, bytes + done, count - done);

        if (step < 0 && errno == EINTR)
            continue;
        if (step <= 0)
            return fault_at(writer->path, writer->written + done, "cannot be written: %s", strerror(step < 0 ? errno
                                                                                                    : ENOSPC));
        done += (uint64_t)step;
    }
    writer->written += count;
    return fault_none();
}

/* Cuts the file back to its complete chunks. A pipe cannot be cut. */
static void cut_back(struct rbt_writer *writer, uint64_t bytes)
{
    writer->written = bytes;
    if (ftruncate(writer->output.descriptor, (off_t)bytes) == 0)
        lseek(writer->output.descriptor, (off_t)bytes, SEEK_SET);
}

/* Seals and appends writer->chunk. */
static struct fault put_chunk(struct rbt_writer *writer, struct place place)
{
    struct fault fault = fault_none();
    uint64_t const offset = writer->written;
    bool const has_room = list_fit(&writer->places, writer->place_count + 1, &writer->place_room,
                                   sizeof *writer->places);

    rbt_chunk_seal(&writer->chunk, (enum rbt_chunk)place.kind);
    if (!has_room || writer->chunk.failed) {
        writer->has_failed = true;
        return no_memory(writer);
    }
    if (FAILS(fault, put(writer, writer->chunk.at, writer->chunk.length))) {
        cut_back(writer, offset);
        writer->has_failed = true;
        return fault;
    }
    place.offset = offset;
    writer->places[writer->place_count++] = place;
    return fault_none();
}

static void put_text(struct rbt_column *column, const char *text)
{
    size_t const length = text ? strlen(text) : 0;

    rbt_put_number(column, length);
    rbt_put_bytes(column, text, length);
}

static struct fault put_description(struct rbt_writer *writer, const struct rbt_description *description)
{
    rbt_chunk_begin(&writer->chunk);
    put_text(&writer->chunk, isa_name(description->isa));
    rbt_put_number(&writer->chunk, description->lacks);
    put_text(&writer->chunk, description->source);
    put_text(&writer->chunk, description->command);
    if (insn_meaning_number(&description->meaning) != 0)
        rbt_put_number(&writer->chunk, insn_meaning_number(&description->meaning));
    return put_chunk(writer, (struct place){.kind = RBT_DESCRIPTION});
}

static struct fault put_dictionary(struct rbt_writer *writer)
{
    if (writer->rows_written == writer->rows.count && writer->statics_written == writer->statics.count
        && writer->runs_written == writer->groups.runs.count)
        return fault_none();
    rbt_chunk_begin(&writer->chunk);
    if (!rbt_dictionary_put(writer->packer, &writer->statics, writer->statics_written, &writer->rows,
                            writer->rows_written, &writer->groups.runs, writer->runs_written, &writer->chunk)) {
        writer->has_failed = true;
        return no_memory(writer);
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
    rbt_column_free(&thread->block.targets.column);
    rbt_column_free(&thread->block.gaps);
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
    struct rbt_column *const chunk = &writer->chunk;

    rbt_chunk_begin(chunk);
    rbt_put_number(chunk, (uint64_t)(thread - writer->threads));
    rbt_put_number(chunk, thread->id);
    rbt_put_number(chunk, thread->first_stamp);
    rbt_put_number(chunk, (restarts ? RBT_BLOCK_RESTARTS : 0u) | (block->is_quick ? RBT_BLOCK_BY_SUCCESSORS : 0u));
    rbt_put_number(chunk, writer->rows.count);
    rbt_put_number(chunk, writer->groups.runs.count);
    rbt_put_number(chunk, thread->events);
    rbt_put_number(chunk, block->insn_count);
    rbt_put_number(chunk, thread->fetched_in_block);
    return rbt_pack_columns(writer->packer, writer->columns, RBT_BLOCK_COLUMN_COUNT, chunk);
}

static struct fault flush(struct rbt_writer *writer, struct thread *thread)
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
        return no_memory(writer);
    }
    if (!encode(writer, thread, restarts)) {
        writer->has_failed = true;
        return no_memory(writer);
    }
    FORWARD(put_dictionary(writer));
    if (!gather_block(writer, thread, restarts)) {
        writer->has_failed = true;
        return no_memory(writer);
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

static uint32_t row_of(struct rbt_writer *writer, const struct insn *insn)
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

/* ---- what callers call */

struct rbt_writer *rbt_writer_create(const char *path, const struct rbt_description *description, struct fault *error)
{
    uint8_t head[RBT_HEAD_BYTES];
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
    writer->packer = rbt_packer_make(description->is_quick);
    writer->is_quick = description->is_quick;
    writer->columns[RBT_WILD].is_scattered = true;
    writer->isa = description->isa;
    writer->lacks = description->lacks;
    container_fill_head(head, &rbt_kind);
    writer->scratch.slots = malloc((RBT_BLOCK_ACCESSES + RBT_SLOTS_SPARE) * sizeof *writer->scratch.slots);
    writer->scratch.misses = malloc(RBT_BLOCK_INSNS * sizeof *writer->scratch.misses);
    if (!writer->path || !writer->packer || !writer->scratch.slots || !writer->scratch.misses)
        *error = fault_memory(path, NULL);
    else if (WORKS(*error, put(writer, head, sizeof head)) && WORKS(*error, put_description(writer, description)))
        return writer;
    rbt_writer_abandon(writer);
    return NULL;
}

uint32_t rbt_writer_thread(struct rbt_writer *writer, uint64_t id, struct fault *error)
{
    if (!list_fit_32(&writer->threads, writer->thread_count + 1, &writer->thread_room, sizeof *writer->threads)) {
        *error = no_memory(writer);
        return NO_THREAD;
    }
    writer->threads[writer->thread_count] = (struct thread){.id = id, .last_row = RBT_NO_ROW};
    return writer->thread_count++;
}

static struct fault check_writable(const struct rbt_writer *writer)
{
    return writer->has_failed ? fault_at(writer->path, writer->written, "takes no more after a failure")
                              : fault_none();
}

static void put_accesses(struct rbt_block_input *block, const struct insn *insn, bool is_irregular)
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
static bool is_full(const struct thread *thread, uint32_t accesses)
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
        return fault_at(writer->path, writer->written, "an instruction with %zu accesses; expected at most %d",
                        insn->access_count, RBT_MOST_ACCESSES);
    if (is_full(thread, accesses))
        FORWARD(flush(writer, thread));
    if ((writer->rows.count - writer->rows_written >= RBT_DICTIONARY_ROWS
         || writer->groups.runs.count - writer->runs_written >= RBT_DICTIONARY_ROWS))
        FORWARD(put_dictionary(writer));
    insn = rbt_rows_within(block->accesses_before, insn, own, &copy);
    row = thread->last_row != RBT_NO_ROW ? writer->followers[thread->last_row] : RBT_NO_ROW;
    if (row == RBT_NO_ROW || !is_follower(writer, row, insn)) {
        row = row_of(writer, insn);
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
        return no_memory(writer);
    }
    block->insn_count++;
    put_accesses(block, insn, (writer->rows.rows[row].flags & RBT_IRREGULAR) != 0);
    rbt_targets_next(&block->targets, insn->pc);
    if (insn->has_target)
        rbt_targets_open(&block->targets, insn->pc, insn->target);
    if (insn->gap)
        rbt_put_number(&block->gaps, insn->gap);
    if (insn->gap_time)
        rbt_put_number(&block->gaps, insn->gap_time);
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
        FORWARD(flush(writer, thread));
    if (!list_fit_32(&block->markers, block->marker_count + 1, &thread->marker_room, sizeof *block->markers)) {
        writer->has_failed = true;
        return no_memory(writer);
    }
    if (thread->first_stamp == 0 && (marker->kind == INSN_MARKER_STAMP || marker->kind == INSN_MARKER_TIMESTAMP))
        thread->first_stamp = marker->value;
    block->markers[block->marker_count++] = (struct rbt_block_marker){block->insn_count, *marker};
    if (marker->kind != INSN_MARKER_THREAD_END)
        return fault_none();
    FORWARD(flush(writer, thread));
    free_block(thread);
    return fault_none();
}

struct fault rbt_writer_image(struct rbt_writer *writer, uint64_t address, const uint8_t *bytes, size_t count)
{
    FORWARD(check_writable(writer));
    while (count > 0) {
        size_t const piece = count < RBT_IMAGE_PIECE ? count : RBT_IMAGE_PIECE;
        struct rbt_column column = {0};
        bool good;

        rbt_put_bytes(&column, bytes, piece);
        rbt_chunk_begin(&writer->chunk);
        rbt_put_number(&writer->chunk, address);
        good = rbt_pack_columns(writer->packer, &column, 1, &writer->chunk);
        rbt_column_free(&column);
        if (!good)
            return no_memory(writer);
        FORWARD(put_chunk(writer, (struct place){.kind = RBT_IMAGE}));
        address += piece;
        bytes += piece;
        count -= piece;
    }
    return fault_none();
}

struct fault rbt_writer_page(struct rbt_writer *writer, const struct insn_page *page)
{
    if (!list_fit(&writer->pages, writer->page_count + 1, &writer->page_room, sizeof *writer->pages))
        return no_memory(writer);
    writer->pages[writer->page_count++] = *page;
    return fault_none();
}

struct fault rbt_writer_note(struct rbt_writer *writer, const char *name, uint64_t count)
{
    put_text(&writer->notes, name);
    rbt_put_number(&writer->notes, count);
    writer->note_count++;
    return !writer->notes.failed ? fault_none() : no_memory(writer);
}

void rbt_writer_lacks(struct rbt_writer *writer, uint32_t lacks)
{
    writer->lacks |= lacks;
}

uint64_t rbt_writer_bytes(const struct rbt_writer *writer)
{
    return writer->written;
}

/* ---- the end */

static struct fault put_pages(struct rbt_writer *writer)
{
    struct rbt_column column = {0};
    struct insn_page last = {0};
    bool good;

    if (writer->page_count == 0)
        return fault_none();
    for (size_t i = 0; i < writer->page_count; i++) {
        const struct insn_page *const page = &writer->pages[i];

        rbt_put_number(&column, bits_zigzag(page->virtual_address - last.virtual_address - last.byte_count));
        rbt_put_number(&column, bits_zigzag(page->physical_address - last.physical_address - last.byte_count));
        rbt_put_number(&column, bits_zigzag(page->byte_count - last.byte_count));
        last = *page;
    }
    rbt_chunk_begin(&writer->chunk);
    rbt_put_number(&writer->chunk, writer->page_count);
    good = rbt_pack_columns(writer->packer, &column, 1, &writer->chunk);
    rbt_column_free(&column);
    if (!good)
        return no_memory(writer);
    return put_chunk(writer, (struct place){.kind = RBT_PAGES});
}

static struct fault put_notes(struct rbt_writer *writer)
{
    if (writer->note_count == 0)
        return fault_none();
    rbt_chunk_begin(&writer->chunk);
    rbt_put_number(&writer->chunk, writer->note_count);
    rbt_put_bytes(&writer->chunk, writer->notes.at, writer->notes.length);
    return put_chunk(writer, (struct place){.kind = RBT_NOTES});
}

static void gather_index(struct rbt_writer *writer)
{
    struct rbt_column *const chunk = &writer->chunk;
    uint64_t offset = 0;

    rbt_chunk_begin(chunk);
    rbt_put_number(chunk, writer->lacks);
    rbt_put_number(chunk, writer->thread_count);
    for (uint32_t i = 0; i < writer->thread_count; i++) {
        rbt_put_number(chunk, writer->threads[i].id);
        rbt_put_number(chunk, writer->threads[i].first_stamp);
    }
    rbt_put_number(chunk, writer->place_count);
    for (size_t i = 0; i < writer->place_count; i++) {
        const struct place *const place = &writer->places[i];

        rbt_put_byte(chunk, place->kind);
        rbt_put_number(chunk, place->offset - offset);
        offset = place->offset;
        if (place->kind != RBT_BLOCK)
            continue;
        rbt_put_number(chunk, place->thread);
        rbt_put_number(chunk, place->restarts);
        rbt_put_number(chunk, place->insns);
        rbt_put_number(chunk, place->fetched);
    }
    rbt_chunk_seal(chunk, RBT_INDEX);
}

static struct fault put_index(struct rbt_writer *writer)
{
    struct fault fault = fault_none();
    uint64_t const offset = writer->written;
    uint8_t trailer[RBT_TRAILER_BYTES];

    gather_index(writer);
    if (writer->chunk.failed)
        return no_memory(writer);
    bits_store64(trailer, offset);
    memcpy(trailer + 16, RBT_END_MAGIC, RBT_END_BYTES);
    bits_store64(trailer + 8, hash64(trailer, 8));
    if (WORKS(fault, put(writer, writer->chunk.at, writer->chunk.length))
        && WORKS(fault, put(writer, trailer, sizeof trailer)))
        return fault_none();
    cut_back(writer, offset);
    return fault;
}

/* After a failure: as much as leaves room for the index. The description stays. */
static struct fault put_index_somehow(struct rbt_writer *writer)
{
    struct fault fault = fault_none();

    while (FAILS(fault, put_index(writer))) {
        if (!writer->has_failed || writer->place_count <= 1)
            return fault;
        cut_back(writer, writer->places[--writer->place_count].offset);
    }
    return fault_none();
}

static void free_writer(struct rbt_writer *writer)
{
    output_file_drop(&writer->output);
    for (uint32_t i = 0; i < writer->thread_count; i++)
        free_block(&writer->threads[i]);
    for (size_t i = 0; i < RBT_BLOCK_COLUMN_COUNT; i++)
        rbt_column_free(&writer->columns[i]);
    rbt_column_free(&writer->chunk);
    rbt_column_free(&writer->notes);
    rbt_packer_free(writer->packer);
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
        FORWARD(flush(writer, &writer->threads[i]));
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
