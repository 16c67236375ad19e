#include "proto/insn/rbt/dictionary.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/list.h"
#include "proto/insn/rbt/rbt_format.h"

#define COLUMN_MOST ((size_t)1 << 26)
#define COLUMN_NAME(suffix, name) name,

static const char *const column_names[] = {RBT_DICTIONARY_COLUMNS(COLUMN_NAME)};

const char *const rbt_row_accesses = "row_accesses";

/* ---- writing */

/* A pc is where the static instruction before it ends mostly. */
static void put_statics(const struct insn_statics *statics, uint32_t first, struct column *columns)
{
    uint64_t behind = 0;

    for (uint32_t i = first; i < statics->count; i++) {
        const struct insn_static *const insn = &statics->insns[i];

        column_put_number(&columns[RBT_STATIC_PC], bits_zigzag(insn->pc - behind));
        column_put_byte(&columns[RBT_STATIC_LENGTH], insn->length);
        column_put_bytes(&columns[RBT_STATIC_BYTES], insn->bytes, insn->length);
        behind = insn->pc + insn->length;
    }
}

static unsigned about(const struct rbt_row *row)
{
    return (unsigned)row->form << RBT_FORM_SHIFT | (unsigned)row->branch << RBT_BRANCH_SHIFT
        | (unsigned)row->kind << RBT_KIND_SHIFT | (unsigned)row->flags << RBT_FLAGS_SHIFT;
}

/* Its size and direction, and the pc or access that its address derives from. */
static void dictionary_put_access(const struct insn_access *access, struct column *column)
{
    unsigned const source = access->back != 0 ? RBT_FOLLOWS_ACCESS : access->is_of_pc ? RBT_FOLLOWS_PC : RBT_STORED;

    column_put_number(column, ((uint64_t)access->size_bytes << 1 | access->is_write) << RBT_SOURCE_BITS | source);
    if (source == RBT_FOLLOWS_ACCESS)
        column_put_byte(column, access->back);
    if (source != RBT_STORED)
        column_put_number(column, bits_zigzag(access->by));
}

static void put_rows(const struct insn_statics *statics, const struct rbt_rows *rows, uint32_t first,
                     struct column *columns)
{
    uint64_t expected = 0;

    for (uint32_t i = first; i < rows->count; i++) {
        const struct rbt_row *const row = &rows->rows[i];

        column_put_number(&columns[RBT_ROW_STATIC], bits_zigzag(row->number - expected));
        column_put_number(&columns[RBT_ROW_ABOUT], about(row));
        column_put_number(&columns[RBT_ROW_SIZE],
                       bits_zigzag((uint64_t)row->size_bytes - statics->insns[row->number].length));
        expected = (uint64_t)row->number + 1;
        if (row->flags & RBT_IRREGULAR)
            continue;
        column_put_byte(&columns[RBT_ROW_ACCESSES], row->access_count);
        for (unsigned k = 0; k < row->access_count; k++)
            dictionary_put_access(&rows->accesses[row->first_slot + k], &columns[RBT_ROW_ACCESSES]);
    }
}

/* Rows follow each other in number mostly. */
static void put_runs(const struct rbt_runs *runs, uint32_t first, struct column *columns)
{
    uint64_t expected = 0;

    for (uint32_t i = first; i < runs->count; i++) {
        const struct rbt_run *const run = &runs->runs[i];

        column_put_number(&columns[RBT_RUN_LENGTH], run->insn_count);
        for (uint32_t k = 0; k < run->insn_count; k++) {
            uint32_t const row = runs->rows[run->rows + k];

            column_put_number(&columns[RBT_RUN_ROWS], bits_zigzag(row - expected));
            expected = (uint64_t)row + 1;
        }
    }
}

bool rbt_dictionary_put(struct column_packer *packer, const struct insn_statics *statics, uint32_t first_static,
                        const struct rbt_rows *rows, uint32_t first_row, const struct rbt_runs *runs,
                        uint32_t first_run, struct column *payload)
{
    struct column columns[RBT_DICTIONARY_COLUMN_COUNT] = {{0}};
    bool good;

    put_statics(statics, first_static, columns);
    put_rows(statics, rows, first_row, columns);
    put_runs(runs, first_run, columns);
    column_put_number(payload, first_static);
    column_put_number(payload, statics->count - first_static);
    column_put_number(payload, first_row);
    column_put_number(payload, rows->count - first_row);
    column_put_number(payload, first_run);
    column_put_number(payload, runs->count - first_run);
    good = columns_pack(packer, columns, RBT_DICTIONARY_COLUMN_COUNT, payload);
    for (size_t i = 0; i < RBT_DICTIONARY_COLUMN_COUNT; i++)
        column_free(&columns[i]);
    return good;
}

/* ---- reading */

static bool grow_statics(struct rbt_dictionary *dictionary)
{
    return dictionary->static_count < UINT32_MAX / 4 && list_fit(&dictionary->statics, dictionary->static_count + 1,
                                                                 &dictionary->static_room, sizeof *dictionary->statics);
}

static const char *take_statics(struct rbt_dictionary *dictionary, uint64_t count, struct column_bytes *columns)
{
    uint64_t behind = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct rbt_static insn = {.pc = behind + bits_unzigzag(column_take_number(&columns[RBT_STATIC_PC]))};
        unsigned const length = column_take_byte(&columns[RBT_STATIC_LENGTH]);
        const uint8_t *bytes;

        if (columns[RBT_STATIC_PC].failed)
            return column_names[RBT_STATIC_PC];
        if (columns[RBT_STATIC_LENGTH].failed || length > INSN_ENCODING_BYTES)
            return column_names[RBT_STATIC_LENGTH];
        bytes = column_take_bytes(&columns[RBT_STATIC_BYTES], length);
        if (!bytes)
            return column_names[RBT_STATIC_BYTES];
        insn.length = (uint8_t)length;
        if (length > 0)
            memcpy(insn.bytes, bytes, length);
        if (!grow_statics(dictionary))
            return "";
        dictionary->statics[dictionary->static_count++] = insn;
        behind = insn.pc + length;
    }
    return NULL;
}

static bool take_about(struct column_bytes *columns, struct rbt_row *row)
{
    uint64_t const word = column_take_number(&columns[RBT_ROW_ABOUT]);

    row->form = word >> RBT_FORM_SHIFT & 3;
    row->branch = word >> RBT_BRANCH_SHIFT & 3;
    row->kind = word >> RBT_KIND_SHIFT & 15;
    row->flags = (uint8_t)(word >> RBT_FLAGS_SHIFT);
    return !columns[RBT_ROW_ABOUT].failed && row->form <= INSN_ACCESS_ONLY && row->branch <= INSN_NOT_TAKEN
        && row->kind < ISA_KIND_COUNT && word >> RBT_FLAGS_SHIFT <= RBT_FLAGS;
}

static bool take_access(struct column_bytes *column, struct insn_access *access)
{
    uint64_t const word = column_take_number(column);
    unsigned const source = (unsigned)word & ((1u << RBT_SOURCE_BITS) - 1);
    uint64_t const shape = word >> RBT_SOURCE_BITS;

    *access = (struct insn_access){
        .size_bytes = (uint32_t)(shape >> 1), .is_write = shape & 1, .is_of_pc = source == RBT_FOLLOWS_PC};
    if (source == RBT_FOLLOWS_ACCESS)
        access->back = (uint8_t)column_take_byte(column);
    if (source != RBT_STORED)
        access->by = bits_unzigzag(column_take_number(column));
    return shape >> 33 == 0 && source <= RBT_FOLLOWS_PC && (source != RBT_FOLLOWS_ACCESS || access->back != 0);
}

static bool take_accesses(struct column_bytes *column, struct rbt_row *row, struct insn_access *accesses)
{
    row->access_count = (uint8_t)column_take_byte(column);
    if (row->access_count > RBT_REGULAR_ACCESSES)
        return false;
    for (unsigned i = 0; i < row->access_count; i++)
        if (!take_access(column, &accesses[i]))
            return false;
    return !column->failed;
}

static const char *take_rows(struct rbt_dictionary *dictionary, uint64_t count, struct column_bytes *columns)
{
    struct insn_access accesses[RBT_REGULAR_ACCESSES];
    uint64_t expected = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct rbt_row row = {.next = RBT_NO_ROW};
        uint64_t const number = expected + bits_unzigzag(column_take_number(&columns[RBT_ROW_STATIC]));
        uint64_t size;

        if (columns[RBT_ROW_STATIC].failed || number >= dictionary->static_count)
            return column_names[RBT_ROW_STATIC];
        if (!take_about(columns, &row))
            return column_names[RBT_ROW_ABOUT];
        size = dictionary->statics[number].length + bits_unzigzag(column_take_number(&columns[RBT_ROW_SIZE]));
        if (columns[RBT_ROW_SIZE].failed || size > UINT32_MAX)
            return column_names[RBT_ROW_SIZE];
        if (!(row.flags & RBT_IRREGULAR) && !take_accesses(&columns[RBT_ROW_ACCESSES], &row, accesses))
            return column_names[RBT_ROW_ACCESSES];
        row.number = (uint32_t)number;
        row.pc = dictionary->statics[number].pc;
        row.size_bytes = (uint32_t)size;
        expected = number + 1;
        if (!rbt_rows_add(&dictionary->rows, row, accesses))
            return "";
    }
    return NULL;
}

static const char *take_runs(struct rbt_dictionary *dictionary, uint64_t count, struct column_bytes *columns)
{
    uint64_t expected = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t const length = column_take_number(&columns[RBT_RUN_LENGTH]);
        uint32_t rows[RBT_RUN_INSNS];

        if (columns[RBT_RUN_LENGTH].failed || length == 0 || length > RBT_RUN_INSNS)
            return column_names[RBT_RUN_LENGTH];
        for (uint64_t k = 0; k < length; k++) {
            uint64_t const row = expected + bits_unzigzag(column_take_number(&columns[RBT_RUN_ROWS]));

            if (columns[RBT_RUN_ROWS].failed || row >= dictionary->rows.count)
                return column_names[RBT_RUN_ROWS];
            rows[k] = (uint32_t)row;
            expected = row + 1;
        }
        if (!rbt_runs_add(&dictionary->runs, &dictionary->rows, rows, (unsigned)length))
            return "";
    }
    return NULL;
}

const char *rbt_dictionary_take(struct rbt_dictionary *dictionary, struct columns_unpacked *unpacked,
                                struct column_bytes payload)
{
    struct column_bytes columns[RBT_DICTIONARY_COLUMN_COUNT];
    uint64_t const first_static = column_take_number(&payload), statics = column_take_number(&payload);
    uint64_t const first_row = column_take_number(&payload), rows = column_take_number(&payload);
    uint64_t const first_run = column_take_number(&payload), runs = column_take_number(&payload);
    const char *wrong;
    size_t column = 0;

    if (payload.failed)
        return "counts";
    if (first_static != dictionary->static_count || first_row != dictionary->rows.count
        || first_run != dictionary->runs.count)
        return "numbers of the first: a dictionary before this one is missing";
    if (!columns_unpack(unpacked, &payload, COLUMN_MOST, RBT_DICTIONARY_COLUMN_COUNT, columns, &column))
        return column < RBT_DICTIONARY_COLUMN_COUNT ? column_names[column] : "";
    wrong = take_statics(dictionary, statics, columns);
    if (!wrong)
        wrong = take_rows(dictionary, rows, columns);
    return wrong ? wrong : take_runs(dictionary, runs, columns);
}

bool rbt_dictionary_finish(struct rbt_dictionary *dictionary)
{
    struct insn_statics met = {0};

    for (uint32_t i = 0; i < dictionary->static_count; i++) {
        /* Bytes that differ by the number: each is new, and knows the one before it of its pc. */
        uint32_t const at = insn_statics_find(&met, dictionary->statics[i].pc, (const uint8_t *)&i, sizeof i);

        if (at == INSN_NO_STATIC) {
            insn_statics_free(&met);
            return false;
        }
        if (met.insns[at].before != INSN_NO_STATIC)
            dictionary->statics[i].shares_pc = dictionary->statics[met.insns[at].before].shares_pc = true;
    }
    insn_statics_free(&met);
    return true;
}

void rbt_dictionary_free(struct rbt_dictionary *dictionary)
{
    free(dictionary->statics);
    rbt_rows_free(&dictionary->rows);
    rbt_runs_free(&dictionary->runs);
    *dictionary = (struct rbt_dictionary){0};
}
