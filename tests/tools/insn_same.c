/* Compares the first threads of two instruction traces of one program: insn_same FIRST SECOND. Instructions that call
 * the system are left out, as some traces do not have them. Prints
 *
 *   same N                                instructions in both, in order, by pc and size
 *   only FIRST N from PC to PC            a run that the other does not have
 *   accesses same N, moved N by D ...     of these: equal in number, kinds, sizes and addresses; moved by D bytes
 *   accesses other N                      differ in number, kind, size, or move as fewer than RARE others do
 *   differs before A and after B          of FIRST: instructions before the first half's last difference, and after the
 *                                         second half's first one
 *
 * Where the two part, the next place is sought where RUN instructions are equal again, the nearest one first. Exit
 * code 1 if a trace cannot be read or no such place is within WINDOW instructions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/insn/insn_trace.h"

enum { RUN = 24, WINDOW = 20000, MOVES = 1024, RARE = 1000, SHOWN = 40, MOST_ACCESSES = 64 };

struct step { uint64_t pc; uint32_t first_access; uint16_t access_count; uint8_t size; };
struct sequence {
    const char *path;
    struct step *steps;
    struct insn_access *accesses;
    size_t count, access_count, room, access_room;
};

static void *grown(void *array, size_t *room, size_t count, size_t element)
{
    void *larger = array;

    if (count >= *room) {
        *room = *room ? 2 * *room : 4096;
        larger = realloc(array, *room * element);
        if (larger == NULL)
            exit(1);
    }
    return larger;
}

static void add(struct sequence *sequence, const struct insn *insn)
{
    if (insn->form != INSN_EXECUTED || insn->kind == ISA_SYSTEM)
        return;
    sequence->steps = grown(sequence->steps, &sequence->room, sequence->count, sizeof *sequence->steps);
    sequence->steps[sequence->count++] = (struct step){
        insn->pc, (uint32_t)sequence->access_count, (uint16_t)insn->access_count, (uint8_t)insn->size_bytes
    };
    for (size_t i = 0; i < insn->access_count; i++) {
        sequence->accesses = grown(sequence->accesses, &sequence->access_room, sequence->access_count,
                                   sizeof *sequence->accesses);
        sequence->accesses[sequence->access_count++] = insn->accesses[i];
    }
}

static bool read_trace(struct sequence *sequence, const char *path)
{
    struct fault error = {0};
    struct insn_trace *const trace = insn_trace_open(path, &error);
    struct insn_cursor *const cursor = trace != NULL ? insn_cursor_open(trace, 0, &error) : NULL;
    struct insn_event event;
    enum insn_step step = INSN_FAILED;

    *sequence = (struct sequence){.path = path};
    while (cursor != NULL && (step = insn_cursor_next(cursor, &event, &error)) == INSN_RECORD)
        if (!event.is_marker)
            add(sequence, &event.insn);
    if (step != INSN_END)
        fprintf(stderr, "insn_same: %s\n", fault_text(error));
    if (cursor != NULL)
        insn_cursor_close(cursor);
    if (trace != NULL)
        insn_trace_close(trace);
    return step == INSN_END;
}

static bool is_same(const struct sequence *a, size_t i, const struct sequence *b, size_t j)
{
    return a->steps[i].pc == b->steps[j].pc && a->steps[i].size == b->steps[j].size;
}

static bool runs(const struct sequence *a, size_t i, const struct sequence *b, size_t j)
{
    for (size_t k = 0; k < RUN; k++) {
        if (i + k == a->count && j + k == b->count)
            return true;
        if (i + k >= a->count || j + k >= b->count || !is_same(a, i + k, b, j + k))
            return false;
    }
    return true;
}

static bool find_next(const struct sequence *a, size_t i, const struct sequence *b, size_t j, size_t *skip_a,
                      size_t *skip_b)
{
    for (size_t both = 1; both < WINDOW; both++)
        for (size_t s = 0; s <= both; s++)
            if (i + s <= a->count && j + both - s <= b->count && runs(a, i + s, b, j + both - s)) {
                *skip_a = s;
                *skip_b = both - s;
                return true;
            }
    return false;
}

static unsigned shown;

static void print_only(const struct sequence *sequence, size_t at, size_t count)
{
    if (count > 0 && shown++ < SHOWN)
        printf("only %s %zu from %#" PRIx64 " to %#" PRIx64 ", after %zu\n", sequence->path, count,
               sequence->steps[at].pc,
               sequence->steps[at + count - 1].pc, at);
}

struct moves {
    uint64_t same, other;
    struct { uint64_t by, count; } moved[MOVES];
};

static void count_move(struct moves *moves, uint64_t by)
{
    for (size_t i = 0; i < MOVES; i++)
        if (moves->moved[i].count == 0 || moves->moved[i].by == by) {
            moves->moved[i].by = by;
            moves->moved[i].count++;
            return;
        }
    moves->other++;
}

static void compare_accesses(struct moves *moves, const struct sequence *a, const struct step *one,
                             const struct sequence *b, const struct step *two)
{
    if (one->access_count != two->access_count) {
        moves->other++;
        return;
    }
    for (size_t k = 0; k < one->access_count; k++) {
        const struct insn_access *const x = &a->accesses[one->first_access + k];
        const struct insn_access *const y = &b->accesses[two->first_access + k];

        if (x->is_write != y->is_write || x->size_bytes != y->size_bytes)
            moves->other++;
        else if (x->address == y->address)
            moves->same++;
        else
            count_move(moves, y->address - x->address);
    }
}

int main(int argc, char **argv)
{
    struct sequence a, b;
    struct moves moves = {0};
    size_t i = 0, j = 0, same = 0, skip_a, skip_b, before = 0, after = 0;

    if (argc != 3 || !read_trace(&a, argv[1]) || !read_trace(&b, argv[2]))
        return 1;
    while (i < a.count || j < b.count) {
        if (i < a.count && j < b.count && is_same(&a, i, &b, j)) {
            compare_accesses(&moves, &a, &a.steps[i++], &b, &b.steps[j++]);
            same++;
            continue;
        }
        if (!find_next(&a, i, &b, j, &skip_a, &skip_b)) {
            printf("parted after %zu and %zu\n", i, j);
            return 1;
        }
        print_only(&a, i, skip_a);
        print_only(&b, j, skip_b);
        i += skip_a;
        j += skip_b;
        if (i <= a.count / 2)
            before = i;
        else if (after == 0)
            after = a.count - (i - skip_a);
    }
    printf("same %zu of %zu and %zu\naccesses same %" PRIu64, same, a.count, b.count, moves.same);
    for (size_t k = 0; k < MOVES && moves.moved[k].count > 0; k++)
        if (moves.moved[k].count < RARE)
            moves.other += moves.moved[k].count;
        else
            printf(", moved %" PRIu64 " by %#" PRIx64, moves.moved[k].count, moves.moved[k].by);
    printf("\naccesses other %" PRIu64 "\ndiffers before %zu and after %zu\n", moves.other, before, after);
    return 0;
}
