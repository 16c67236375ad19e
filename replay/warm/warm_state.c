/* Packed: numbers as differences, in columns that zstd packs.
 *
 * A line is written as its difference from the line before it of the same side (data, instructions), its use as a byte
 * of another column. A branch is predicted by the one before it and where that went: it is written as 0 where it is
 * the one that followed there the last time, else as its number plus 1, a new one as the count so far plus 1;
 * then whether it was taken, a bit, and, of a taken one, whether its target is the last one of this branch. */
#include "replay/warm/warm_state.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/number_map.h"

/* The columns of a state, in their order. */
enum column_kind {
    OLD_USES, OLD_LINES, RECENT_USES, RECENT_LINES, DATA_PAGES, CODE_PAGES, BRANCH_WHICH, BRANCH_TAKEN, BRANCH_TARGETS,
    BRANCH_STATICS, STATE_COLUMNS
};
#define MOST_BYTES (UINT64_C(1) << 32)   /* of a column */

static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unzigzag(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

bool warm_numbers_fit(struct warm_numbers *numbers, size_t count)
{
    return list_fit(&numbers->list, count, &numbers->room, sizeof *numbers->list);
}

void warm_state_free(struct warm_state *state)
{
    free(state->old.list);
    free(state->recent.list);
    free(state->touched.list);
    for (unsigned side = 0; side < WARM_SIDES; side++)
        free(state->pages[side].list);
    free(state->branches);
    *state = (struct warm_state){0};
}

/* ---- lines and pages */
static void put_lines(const struct warm_numbers *lines, struct column *uses, struct column *numbers)
{
    uint64_t last[WARM_SIDES] = {0, 0};

    for (size_t i = 0; i < lines->count; i++) {
        enum warm_use const use = warm_line_use(lines->list[i]);
        uint64_t *const before = &last[use == WARM_USE_FETCH], line = warm_line_number(lines->list[i]);

        column_put_byte(uses, use);
        column_put_number(numbers, zigzag(line - *before));
        *before = line;
    }
}

static bool take_lines(struct warm_numbers *lines, struct column_bytes *uses, struct column_bytes *numbers)
{
    uint64_t last[WARM_SIDES] = {0, 0};
    size_t const count = (size_t)(uses->end - uses->at);

    if (!warm_numbers_fit(lines, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        unsigned const use = column_take_byte(uses);

        numbers->failed |= use > WARM_USE_FETCH;
        last[use == WARM_USE_FETCH] += unzigzag(column_take_number(numbers));
        lines->list[i] = warm_line_of((enum warm_use)(use & 3), last[use == WARM_USE_FETCH]);
    }
    lines->count = count;
    return true;
}

static void put_pages(const uint64_t *pages, size_t count, struct column *column)
{
    uint64_t last = 0;

    for (size_t i = 0; i < count; i++) {
        column_put_number(column, zigzag(pages[i] - last));
        last = pages[i];
    }
}

static bool take_pages(struct warm_numbers *pages, struct column_bytes *column)
{
    uint64_t last = 0;

    while (column->at != column->end && !column->failed) {
        if (!warm_numbers_fit(pages, pages->count + 1))
            return false;
        last += unzigzag(column_take_number(column));
        pages->list[pages->count++] = last;
    }
    return true;
}

/* ---- branches */
struct branch_coder {
    struct number_map numbers;           /* of a pc, its number, plus 1 */
    struct number_map followers;         /* of a number and a direction, the number of the branch that followed, + 1 */
    struct warm_branch *statics;         /* by number; next_pc: the last target */
    size_t count, room;
    uint64_t last;                       /* of the branch before: its number and its direction or target */
};

static void coder_free(struct branch_coder *coder)
{
    number_map_free(&coder->numbers);
    number_map_free(&coder->followers);
    free(coder->statics);
}

/* NULL: no memory. */
static struct warm_branch *coder_add(struct branch_coder *coder, const struct warm_branch *branch)
{
    if (!list_fit(&coder->statics, coder->count + 1, &coder->room, sizeof *coder->statics))
        return NULL;
    coder->statics[coder->count] = *branch;
    coder->statics[coder->count].next_pc = branch->pc;
    return &coder->statics[coder->count++];
}

static void coder_went(struct branch_coder *coder, size_t number, bool is_taken, uint64_t next_pc)
{
    coder->last = is_taken ? (next_pc << 1 | 1) & (UINT64_MAX >> 1) : (uint64_t)number << 1;
    if (is_taken)
        coder->statics[number].next_pc = next_pc;
}

static bool put_branch(struct branch_coder *coder, const struct warm_branch *branch, struct column *columns,
                       bool is_taken)
{
    uint64_t *const number = number_map_put(&coder->numbers, branch->pc);
    uint64_t *const follower = number_map_put(&coder->followers, coder->last);
    struct warm_branch *known;

    if (!number || !follower)
        return false;
    if (*number == 0) {
        if (!coder_add(coder, branch))
            return false;
        *number = coder->count;
        column_put_number(&columns[BRANCH_WHICH], coder->count);
        column_put_number(&columns[BRANCH_STATICS],
                          zigzag(branch->pc - (coder->count > 1 ? coder->statics[coder->count - 2].pc : 0)));
        column_put_byte(&columns[BRANCH_STATICS], branch->size_bytes);
        column_put_byte(&columns[BRANCH_STATICS], branch->flags);
    } else {
        column_put_number(&columns[BRANCH_WHICH], *follower == *number ? 0 : *number);
    }
    *follower = *number;
    known = &coder->statics[*number - 1];
    if (is_taken)
        column_put_number(&columns[BRANCH_TARGETS], branch->next_pc == known->next_pc
                                                        ? 0 : zigzag(branch->next_pc - branch->pc) + 1);
    coder_went(coder, *number - 1, is_taken, branch->next_pc);
    return true;
}

static bool put_branches(const struct warm_state *state, struct column *columns)
{
    struct branch_coder coder = {.last = 0};
    bool has_memory = true;
    unsigned bits = 0;

    column_put_number(&columns[BRANCH_STATICS], state->branch_count);
    for (size_t i = 0; i < state->branch_count && has_memory; i++) {
        const struct warm_branch *const branch = &state->branches[i];
        bool const is_taken = branch->next_pc != branch->pc + branch->size_bytes;

        bits |= (unsigned)is_taken << i % 8;
        if (i % 8 == 7 || i + 1 == state->branch_count) {
            column_put_byte(&columns[BRANCH_TAKEN], bits);
            bits = 0;
        }
        has_memory = put_branch(&coder, branch, columns, is_taken);
    }
    coder_free(&coder);
    return has_memory;
}

static bool take_static(struct branch_coder *coder, struct column_bytes *statics)
{
    struct warm_branch branch = {.pc = coder->count > 0 ? coder->statics[coder->count - 1].pc : 0};

    branch.pc += unzigzag(column_take_number(statics));
    branch.size_bytes = (uint8_t)column_take_byte(statics);
    branch.flags = (uint8_t)column_take_byte(statics);
    return coder_add(coder, &branch) != NULL;
}

/* False: no memory. columns[..].failed: damaged. */
static bool take_branch(struct branch_coder *coder, struct column_bytes *columns, bool is_taken,
                        struct warm_branch *branch)
{
    uint64_t *const follower = number_map_put(&coder->followers, coder->last);
    uint64_t number = column_take_number(&columns[BRANCH_WHICH]);
    struct warm_branch *known;

    if (!follower)
        return false;
    if (number == coder->count + 1) {
        if (!take_static(coder, &columns[BRANCH_STATICS]))
            return false;
    } else if (number == 0) {
        number = *follower;
    }
    if (number == 0 || number > coder->count) {
        columns[BRANCH_WHICH].failed = true;
        return true;
    }
    *follower = number;
    known = &coder->statics[number - 1];
    *branch = *known;
    branch->next_pc = known->pc + known->size_bytes;
    if (is_taken) {
        uint64_t const target = column_take_number(&columns[BRANCH_TARGETS]);

        branch->next_pc = target == 0 ? known->next_pc : known->pc + unzigzag(target - 1);
    }
    coder_went(coder, number - 1, is_taken, branch->next_pc);
    return true;
}

static bool take_branches(struct warm_state *state, struct column_bytes *columns)
{
    uint64_t const count = column_take_number(&columns[BRANCH_STATICS]);
    struct branch_coder coder = {.last = 0};
    bool has_memory = true;
    unsigned bits = 0;

    if ((count + 7) / 8 != (uint64_t)(columns[BRANCH_TAKEN].end - columns[BRANCH_TAKEN].at)) {
        columns[BRANCH_TAKEN].failed = true;
        return true;
    }
    if (!list_fit(&state->branches, count, &state->branch_room, sizeof *state->branches))
        return false;
    for (uint64_t i = 0; i < count && has_memory && !columns[BRANCH_WHICH].failed; i++) {
        bits = i % 8 == 0 ? column_take_byte(&columns[BRANCH_TAKEN]) : bits >> 1;
        has_memory = take_branch(&coder, columns, bits & 1, &state->branches[i]);
    }
    state->branch_count = count;
    coder_free(&coder);
    return has_memory;
}

/* ---- a state */
static bool pack(struct column_packer *packer, struct column *columns, size_t count, struct column *payload)
{
    bool failed = false;

    for (size_t i = 0; i < count; i++)
        failed |= columns[i].failed;
    failed = failed || !columns_pack(packer, columns, count, payload) || payload->failed;
    for (size_t i = 0; i < count; i++)
        column_free(&columns[i]);
    return !failed;
}

void warm_state_empty(struct warm_state *state)
{
    state->old.count = state->recent.count = state->touched.count = state->branch_count = 0;
    for (unsigned side = 0; side < WARM_SIDES; side++)
        state->pages[side].count = 0;
}

bool warm_state_pack(const struct warm_state *state, struct column_packer *packer, struct column *payload)
{
    struct column columns[STATE_COLUMNS] = {{0}};

    column_put_word(payload, state->place);
    column_put_word(payload, state->kept_lines);
    column_put_word(payload, (uint64_t)state->core << 1 | state->is_cut);
    column_put_word(payload, state->pending.pc);
    column_put_word(payload, (uint64_t)state->pending.flags << 8 | state->pending.size_bytes);
    put_lines(&state->old, &columns[OLD_USES], &columns[OLD_LINES]);
    put_lines(&state->recent, &columns[RECENT_USES], &columns[RECENT_LINES]);
    put_pages(state->pages[0].list, state->pages[0].count, &columns[DATA_PAGES]);
    put_pages(state->pages[1].list, state->pages[1].count, &columns[CODE_PAGES]);
    if (!put_branches(state, columns))
        columns[0].failed = true;
    return pack(packer, columns, STATE_COLUMNS, payload);
}

const char *warm_state_unpack(struct warm_state *state, struct column_bytes *payload)
{
    struct columns_unpacked unpacked = {0};
    struct column_bytes columns[STATE_COLUMNS];
    const char *wrong = NULL;
    size_t which;
    uint64_t word;

    state->place = column_take_word(payload);
    state->kept_lines = column_take_word(payload);
    word = column_take_word(payload);
    state->core = (uint32_t)(word >> 1);
    state->is_cut = word & 1;
    state->pending.pc = column_take_word(payload);
    word = column_take_word(payload);
    state->pending.size_bytes = (uint8_t)word;
    state->pending.flags = (uint8_t)(word >> 8);
    if (payload->failed)
        wrong = "damaged";
    else if (!columns_unpack(&unpacked, payload, MOST_BYTES, STATE_COLUMNS, columns, &which))
        wrong = which == STATE_COLUMNS ? "no memory" : "damaged";
    else if (!take_lines(&state->old, &columns[OLD_USES], &columns[OLD_LINES])
             || !take_lines(&state->recent, &columns[RECENT_USES], &columns[RECENT_LINES])
             || !take_pages(&state->pages[0], &columns[DATA_PAGES])
             || !take_pages(&state->pages[1], &columns[CODE_PAGES]) || !take_branches(state, columns))
        wrong = "no memory";
    for (size_t i = 0; !wrong && i < STATE_COLUMNS; i++)
        if (columns[i].failed || columns[i].at != columns[i].end)
            wrong = "damaged";
    columns_unpacked_free(&unpacked);
    return wrong;
}

bool warm_pages_pack(const uint64_t *pages, size_t count, struct column_packer *packer, struct column *payload)
{
    struct column column = {0};

    put_pages(pages, count, &column);
    return pack(packer, &column, 1, payload);
}

const char *warm_pages_unpack(struct warm_numbers *pages, struct column_bytes *payload)
{
    struct columns_unpacked unpacked = {0};
    struct column_bytes column;
    const char *wrong = NULL;
    size_t which;

    if (!columns_unpack(&unpacked, payload, MOST_BYTES, 1, &column, &which))
        wrong = which == 1 ? "no memory" : "damaged";
    else if (!take_pages(pages, &column))
        wrong = "no memory";
    else if (column.failed)
        wrong = "damaged";
    columns_unpacked_free(&unpacked);
    return wrong;
}
