/* Each line that is looked at has a place, which a touch moves behind all others; its distance is how many held
 * places lie behind the old one. A tree of partial sums (Fenwick, 1994) over words of 64 places answers that. When
 * there are no places left, those that are held move together.
 *
 * A touch of the line that was touched last has distance 0 and changes nothing, so it is counted without looking. */
#include "base/reuse.h"

#include <stdlib.h>
#include <string.h>

#include "base/line_span.h"
#include "base/list.h"

enum { FIRST_ROOM = 1024, WORD_BITS = 64 };

/* ---- ranges of distances */
static unsigned range_of(uint64_t distance)
{
    unsigned const power = distance < 4 ? 1 : 63 - (unsigned)__builtin_clzll(distance);

    return distance < 4 ? (unsigned)distance : 4 * (power - 1) + (unsigned)(distance >> (power - 2) & 3);
}

uint64_t reuse_size(unsigned number)
{
    return number < 4 ? number : (uint64_t)(4 + number % 4) << (number / 4 - 1);
}

static void reuse_count(struct reuse *reuse, uint64_t distance)
{
    reuse->again[range_of(distance << reuse->halvings)] += (double)(UINT64_C(1) << reuse->halvings);
}

/* ---- places */
static void add_to_sums(struct reuse *reuse, size_t place, uint32_t change)
{
    for (size_t i = place / WORD_BITS + 1; i <= reuse->room / WORD_BITS; i += i & (~i + 1))
        reuse->sums[i] += change;
}

/* Held places up to this one. */
static uint64_t held_up_to(const struct reuse *reuse, size_t place)
{
    uint64_t sum = (uint64_t)__builtin_popcountll(reuse->held[place / WORD_BITS]
                                                  << (WORD_BITS - 1 - place % WORD_BITS));

    for (size_t i = place / WORD_BITS; i > 0; i -= i & (~i + 1))
        sum += reuse->sums[i];
    return sum;
}

static void reuse_hold(struct reuse *reuse, size_t place)
{
    reuse->held[place / WORD_BITS] |= UINT64_C(1) << place % WORD_BITS;
    add_to_sums(reuse, place, 1);
}

static void give_up(struct reuse *reuse, size_t place)
{
    reuse->held[place / WORD_BITS] &= ~(UINT64_C(1) << place % WORD_BITS);
    add_to_sums(reuse, place, UINT32_MAX);
}

static bool is_held(const struct reuse *reuse, size_t place)
{
    return reuse->held[place / WORD_BITS] >> place % WORD_BITS & 1;
}

/* ---- which lines are looked at */
static uint64_t reuse_mix(uint64_t line)
{
    line = (line ^ line >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    line = (line ^ line >> 27) * UINT64_C(0x94d049bb133111eb);
    return line ^ line >> 31;
}

static bool is_looked_at(const struct reuse *reuse, uint64_t line)
{
    return reuse->halvings == 0 || reuse_mix(line) >> (64 - reuse->halvings) == 0;
}

static bool reuse_resize(struct reuse *reuse, size_t room)
{
    bool const has_lines = list_resize(&reuse->lines, room, sizeof *reuse->lines);
    uint64_t *const held = calloc(room / WORD_BITS, sizeof *held);
    uint32_t *const sums = calloc(room / WORD_BITS + 1, sizeof *sums);

    if (!has_lines || !held || !sums) {
        free(held);
        free(sums);
        return false;
    }
    free(reuse->held);
    free(reuse->sums);
    reuse->held = held;
    reuse->sums = sums;
    reuse->room = room;
    return true;
}

/* Moves the held lines that are still looked at together, and makes room for as many more. */
static bool move_together(struct reuse *reuse)
{
    size_t kept = 0, room = reuse->room ? reuse->room : FIRST_ROOM;

    for (size_t place = 0; place < reuse->next; place++)
        if (is_held(reuse, place) && is_looked_at(reuse, reuse->lines[place]))
            reuse->lines[kept++] = reuse->lines[place];
    while (room < 2 * kept)
        room *= 2;
    if (kept < reuse->held_count) {
        number_map_free(&reuse->places);
        reuse->places = (struct number_map){0};
    }
    if (!reuse_resize(reuse, room))
        return false;
    reuse->next = reuse->held_count = kept;
    for (size_t place = 0; place < kept; place++) {
        uint64_t *const at = number_map_put(&reuse->places, reuse->lines[place]);

        if (!at)
            return false;
        *at = place + 1;
        reuse_hold(reuse, place);
    }
    return true;
}

/* ---- */
void reuse_begin(struct reuse *reuse, uint64_t most_lines)
{
    *reuse = (struct reuse){.most_lines = most_lines};
}

static void reuse_look_at(struct reuse *reuse, uint64_t line)
{
    uint64_t *const at = number_map_put(&reuse->places, line);

    if (!at) {
        reuse->failed = true;
        return;
    }
    if (*at) {
        reuse_count(reuse, reuse->held_count - held_up_to(reuse, *at - 1));
        give_up(reuse, *at - 1);
    } else {
        reuse->first += (double)(UINT64_C(1) << reuse->halvings);
        reuse->held_count++;
    }
    *at = reuse->next + 1;
    reuse->lines[reuse->next] = line;
    reuse_hold(reuse, reuse->next++);
}

void reuse_touch(struct reuse *reuse, uint64_t line)
{
    if (reuse->failed)
        return;
    reuse->touches++;
    if (reuse->last == line + 1) {
        reuse->again[0]++;
        return;
    }
    reuse->last = line + 1;
    if (!is_looked_at(reuse, line))
        return;
    if (reuse->next == reuse->room && !move_together(reuse)) {
        reuse->failed = true;
        return;
    }
    reuse_look_at(reuse, line);
    while (!reuse->failed && reuse->held_count > reuse->most_lines) {
        reuse->halvings++;
        reuse->failed = !move_together(reuse);
    }
}

void reuse_touch_bytes(struct reuse *reuse, uint64_t address, uint64_t bytes, uint64_t line_bytes)
{
    struct line_span const span = line_span_of(address, bytes, line_bytes);

    for (uint64_t i = 0; i < span.count; i++)
        reuse_touch(reuse, span.first + i);
}

void reuse_next_stream(struct reuse *reuse)
{
    number_map_free(&reuse->places);
    reuse->places = (struct number_map){0};
    if (reuse->room) {
        memset(reuse->held, 0, reuse->room / WORD_BITS * sizeof *reuse->held);
        memset(reuse->sums, 0, (reuse->room / WORD_BITS + 1) * sizeof *reuse->sums);
    }
    reuse->next = reuse->held_count = 0;
    reuse->last = 0;
}

void reuse_free(struct reuse *reuse)
{
    number_map_free(&reuse->places);
    free(reuse->lines);
    free(reuse->held);
    free(reuse->sums);
    *reuse = (struct reuse){0};
}

/* ---- the curve */
double reuse_misses(const struct reuse *reuse, uint64_t lines)
{
    double missed = reuse->first, counted = 0, difference;

    for (unsigned i = 0; i < REUSE_RANGES; i++) {
        counted += reuse->again[i];
        if (reuse_size(i) >= lines)
            missed += reuse->again[i];
    }
    /* Samples: a surplus or shortage of them is attributed to hits of the hottest lines, which cause it. */
    difference = (double)reuse->touches - counted - reuse->first;
    if (lines < 2)
        missed += difference;
    if (reuse->touches == 0)
        return 0;
    return missed < 0 ? 0 : missed > (double)reuse->touches ? 1 : missed / (double)reuse->touches;
}

uint64_t reuse_largest(const struct reuse *reuse)
{
    uint64_t lines = 1;

    for (unsigned i = 0; i < REUSE_RANGES; i++)
        while (reuse->again[i] > 0 && lines <= reuse_size(i))
            lines *= 2;
    return lines;
}
