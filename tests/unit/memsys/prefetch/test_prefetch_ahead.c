/* memsys/prefetch/ip_stride.c and streamer.c: fronts that run ahead; up_down.c; next_page.c; and several prefetchers of
 * one cache. The guides that these follow give no patterns of addresses: those here are derived by hand from the files'
 * headers. */
#include "memsys/prefetch/prefetch_params.h"
#include "tests/support/prefetch_bench.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#define BASE UINT64_C(0x40000)

static void access_line(struct prefetch_bench *bench, uint64_t pc, int64_t line)
{
    prefetch_bench_access(bench, BASE + (uint64_t)(line * 64), pc, BENCH_MISS);
}

static void take_all(struct prefetch_bench *bench)
{
    while (prefetcher_take(bench->prefetcher, &(struct prefetch_candidate){0}))
        ;
}

/* "a stride counts when it has been seen three times"; the front grows by degree up to distance, and moves along */
static void front_of_a_stride_grows_to_its_distance(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_IP_STRIDE, 2, 5);
    for (int64_t i = 0; i < 4; i++) {
        prefetch_bench_expect_none(&bench);
        access_line(&bench, 0x400, 3 * i);
    }
    PREFETCH_EXPECT(&bench, BASE, 12, 15);
    access_line(&bench, 0x400, 12);
    PREFETCH_EXPECT(&bench, BASE, 18, 21);
    access_line(&bench, 0x400, 15);
    PREFETCH_EXPECT(&bench, BASE, 24, 27);
    access_line(&bench, 0x400, 18);
    PREFETCH_EXPECT(&bench, BASE, 30, 33);
    access_line(&bench, 0x400, 21);
    PREFETCH_EXPECT(&bench, BASE, 36);
    prefetch_bench_free(&bench);
}

/* "Strides shorter than a line are followed line by line"; another instruction's accesses do not matter */
static void short_strides_are_followed_by_lines(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_IP_STRIDE, 1, 2);
    for (uint64_t i = 0; i < 4; i++) {
        prefetch_bench_access(&bench, BASE + 2048 - 16 * i, 0x400, BENCH_HIT);
        prefetch_bench_access(&bench, BASE + 32 * i * i, 0x404, BENCH_HIT);
    }
    PREFETCH_EXPECT(&bench, BASE, 30);
    prefetch_bench_access(&bench, BASE + 2048 - 64, 0x400, BENCH_HIT);       /* the same line: one more ahead */
    PREFETCH_EXPECT(&bench, BASE, 29);
    prefetch_bench_access(&bench, BASE + 2048 - 80, 0x400, BENCH_HIT);       /* the next one: the front is one behind */
    PREFETCH_EXPECT(&bench, BASE, 28);
    prefetch_bench_free(&bench);
}

/* "A stride that does not come again loses confidence first": one odd access does not end a stride, several do */
static void a_stride_survives_one_odd_access(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_IP_STRIDE, 1, 1);
    for (int64_t i = 0; i < 6; i++)
        access_line(&bench, 0x400, i);
    take_all(&bench);
    access_line(&bench, 0x400, 40);
    take_all(&bench);
    access_line(&bench, 0x400, 41);
    access_line(&bench, 0x400, 42);
    PREFETCH_EXPECT(&bench, BASE, 43);
    access_line(&bench, 0x400, 10);
    access_line(&bench, 0x400, 50);
    access_line(&bench, 0x400, 5);
    take_all(&bench);
    access_line(&bench, 0x400, 6);
    prefetch_bench_expect_none(&bench);
    prefetch_bench_free(&bench);
}

/* "three accesses to different lines in one direction"; "a line is proposed once", also out of order */
static void streamer_proposes_each_line_once(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_STREAMER, 4, 6);
    access_line(&bench, 0x400, 10);
    access_line(&bench, 0x404, 11);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 0x408, 12);
    PREFETCH_EXPECT(&bench, BASE, 13, 14, 15, 16);
    access_line(&bench, 0x408, 14);
    PREFETCH_EXPECT(&bench, BASE, 17, 18, 19, 20);
    access_line(&bench, 0x408, 13);
    access_line(&bench, 0x408, 11);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 0x408, 15);
    PREFETCH_EXPECT(&bench, BASE, 21);
    prefetch_bench_free(&bench);
}

/* "ascending or descending"; "A front that is refused (the end of a page) stays where it is" */
static void streamer_stops_at_the_page(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_STREAMER, 4, 8);
    access_line(&bench, 0x400, 4);
    access_line(&bench, 0x400, 3);
    access_line(&bench, 0x400, 2);
    PREFETCH_EXPECT(&bench, BASE, 1, 0);
    access_line(&bench, 0x400, 1);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 0x400, -1);              /* within two lines of the front: it goes on in the page below */
    PREFETCH_EXPECT(&bench, BASE, -2, -3, -4, -5);
    prefetch_bench_free(&bench);
}

/* The rule of the header in its plain form: each stream is asked whether the line belongs to it. */
enum { PLAIN_STREAMS = 32, PLAIN_DEGREE = 2, PLAIN_DISTANCE = 6 };

struct plain_stream { uint64_t last_use; int64_t head, front, direction; unsigned steps; };

static bool plain_belongs(const struct plain_stream *stream, int64_t line)
{
    if (stream->steps < 2)
        return line - stream->head <= 2 && stream->head - line <= 2;
    return (line - stream->head) * stream->direction >= -32 && (line - stream->front) * stream->direction <= 2;
}

static struct plain_stream *plain_find(struct plain_stream *streams, int64_t line, uint64_t use)
{
    struct plain_stream *found = NULL, *oldest = streams;

    for (unsigned i = 0; i < PLAIN_STREAMS; i++) {
        if (streams[i].last_use && plain_belongs(&streams[i], line) && (!found || streams[i].steps > found->steps))
            found = &streams[i];
        if (streams[i].last_use < oldest->last_use)
            oldest = &streams[i];
    }
    if (!found)
        *oldest = (struct plain_stream){.head = line, .front = line};
    (found ? found : oldest)->last_use = use;
    return found;
}

/* Lines that are proposed, to `lines`; their number. */
static size_t plain_access(struct plain_stream *streams, int64_t line, uint64_t use, int64_t lines[PLAIN_DEGREE])
{
    struct plain_stream *const stream = plain_find(streams, line, use);
    int64_t const direction = stream && line > stream->head ? 1 : -1;
    size_t count = 0;

    if (!stream || line == stream->head)
        return 0;
    if (stream->steps < 2) {
        stream->steps = direction == stream->direction ? stream->steps + 1 : 1;
        stream->direction = direction;
        stream->head = stream->front = line;
    }
    if (stream->steps < 2)
        return 0;
    if ((line - stream->head) * stream->direction > 0)
        stream->head = line;
    if ((stream->head - stream->front) * stream->direction > 0)
        stream->front = stream->head;
    for (int64_t next = stream->front + stream->direction; count < PLAIN_DEGREE; next += stream->direction) {
        if ((next - stream->head) * stream->direction > PLAIN_DISTANCE || next >> 6 != line >> 6)
            break;
        lines[count++] = stream->front = next;
    }
    return count;
}

/* More streams than there is room for, in both directions, which meet; and each line at times twice */
static void streamer_does_as_the_plain_rule(void **state)
{
    static struct plain_stream streams[PLAIN_STREAMS];
    int64_t heads[40], line = 0, lines[PLAIN_DEGREE];
    struct prefetch_bench bench;
    size_t count, proposed = 0;

    prefetch_bench_init(&bench, PREFETCHER_STREAMER, PLAIN_DEGREE, PLAIN_DISTANCE);
    for (unsigned i = 0; i < COUNT(heads); i++)
        heads[i] = 5000 + 60 * i;
    for (uint64_t i = 1; i < 60000; i++) {
        uint64_t const kind = random_below(20), which = random_below(COUNT(heads));

        if (kind < 12)
            line = heads[which] += (which % 2 ? -1 : 1) * (int64_t)random_below(3);
        else if (kind < 16)
            line = 5000 + (int64_t)random_below(3000);
        if (random_below(100) == 0)
            heads[which] = 5000 + (int64_t)random_below(3000);
        access_line(&bench, 0x400, line);
        count = plain_access(streams, line, i, lines);
        if (count > 0)
            prefetch_bench_expect_lines(&bench, BASE, lines, count);
        else
            prefetch_bench_expect_none(&bench);
        proposed += count;
    }
    assert_true(proposed > 5000);
    prefetch_bench_free(&bench);
}

/* "an access without either is a vote against both": nothing for far lines, the next line where pairs are used */
static void up_down_wants_neighbours_that_are_used(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_UP_DOWN, 1, 0);
    for (int64_t i = 0; i < 200; i++)
        access_line(&bench, 0x400, 7 * i);
    prefetch_bench_expect_none(&bench);
    for (int64_t i = 0; i < 16; i++)
        access_line(&bench, 0x400, 2000 + i);
    prefetch_bench_expect_none(&bench);          /* 15 votes: the first had no neighbour */
    access_line(&bench, 0x400, 2016);
    PREFETCH_EXPECT(&bench, BASE, 2017);
    prefetch_bench_free(&bench);
}

static void up_down_goes_down(void **state)
{
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_UP_DOWN, 1, 0);
    for (int64_t i = 0; i < 17; i++)
        access_line(&bench, 0x400, 2020 - i);
    PREFETCH_EXPECT(&bench, BASE, 2003);
    prefetch_bench_free(&bench);
}

/* ---- other pages: virtual addresses are 1 MiB above physical ones, and pages upside down within 64 KiB */
#define VIRTUAL_BASE (UINT64_C(1) << 20)

static unsigned refusals;
static uint64_t turned(uint64_t address)
{
    return address ^ UINT64_C(0xf000);
}

#define TABLES UINT64_C(0x900000)                /* page tables, which have no virtual address */

static uint64_t virtual_of(void *self, uint64_t physical)
{
    (void)self;
    if (physical >= TABLES)
        return PREFETCH_NOWHERE;
    return turned(physical) + VIRTUAL_BASE;
}

static bool translate(void *self, const struct prefetch_candidate *candidate, uint64_t from)
{
    struct prefetch_candidate placed = *candidate;

    (void)from;
    if (refusals > 0) {
        refusals--;
        return false;
    }
    placed.line_address = turned(candidate->line_address - VIRTUAL_BASE);
    prefetcher_queue(self, &placed);
    return true;
}

static void begin_crossing(struct prefetch_bench *bench, uint64_t kind, uint32_t degree, uint32_t distance)
{
    prefetch_bench_init_params(bench, (struct prefetcher_params){.type = kind, .degree = degree, .distance = distance,
                                                                 .latency_cyc = 1, .cross_pages = 1});
    bench->prefetcher->translator = (struct prefetch_translator){virtual_of, translate, bench->prefetcher};
    refusals = 0;
}

/* A virtual page's end is followed into its neighbour, which lies below it in physical memory. */
static void crossing_follows_virtual_addresses(void **state)
{
    struct prefetch_bench bench;

    begin_crossing(&bench, PREFETCHER_STREAMER, 2, 4);
    access_line(&bench, 0x400, 64 + 60);         /* virtual page 0xe: the next one is 0xf, physical page 0 */
    access_line(&bench, 0x400, 64 + 61);
    access_line(&bench, 0x400, 64 + 62);
    PREFETCH_EXPECT(&bench, BASE, 64 + 63, 0);
    refusals = 1;
    access_line(&bench, 0x400, 64 + 63);         /* refused: tried again */
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 0x400, 0);
    PREFETCH_EXPECT(&bench, BASE, 1, 2);
    prefetch_bench_free(&bench);
}

/* "A page table that a walk reads ... is learnt from by its physical address", within its page */
static void page_tables_are_followed_within_their_page(void **state)
{
    struct prefetch_bench bench;

    begin_crossing(&bench, PREFETCHER_STREAMER, 4, 4);
    for (uint64_t line = 59; line < 62; line++)
        prefetch_bench_miss(&bench, TABLES + line * 64);
    PREFETCH_EXPECT(&bench, TABLES, 62, 63);
    prefetch_bench_free(&bench);
}

/* "two steps in one direction count as sequential"; within `distance` lines of the boundary; once for a page */
static void next_page_is_fetched_near_the_boundary(void **state)
{
    struct prefetch_bench bench;

    begin_crossing(&bench, PREFETCHER_NEXT_PAGE, 2, 4);
    for (int64_t line = 55; line < 60; line++)
        access_line(&bench, 0x400, 64 + line);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 0x400, 64 + 60);
    PREFETCH_EXPECT(&bench, BASE, 0, 1);
    access_line(&bench, 0x400, 64 + 61);
    prefetch_bench_expect_none(&bench);
    access_line(&bench, 0x400, 5);               /* downwards, in the virtual page above */
    access_line(&bench, 0x400, 4);
    access_line(&bench, 0x400, 3);
    PREFETCH_EXPECT(&bench, BASE, 64 + 63, 64 + 62);
    prefetch_bench_free(&bench);
}

/* "shares their queue, so that a line is proposed once" */
static void several_share_a_queue(void **state)
{
    struct prefetcher_params const second = {.type = PREFETCHER_IP_STRIDE, .degree = 2, .distance = 2,
                                             .latency_cyc = 1, .queue_size = 32};
    struct prefetch_bench bench;

    prefetch_bench_init(&bench, PREFETCHER_NEXT_LINE, 1, 0);
    assert_fine(prefetcher_add(bench.prefetcher, BENCH_PERIOD_PS, &(struct prefetcher_params){.type = 0}));
    assert_null(bench.prefetcher->next);
    assert_fine(prefetcher_add(bench.prefetcher, BENCH_PERIOD_PS, &second));
    for (int64_t i = 0; i < 3; i++)
        access_line(&bench, 0x400, i);
    take_all(&bench);
    access_line(&bench, 0x400, 3);
    PREFETCH_EXPECT(&bench, BASE, 4, 5);
    assert_int_equal(bench.prefetcher->stats.identified, 4 + 2);
    prefetch_bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_of_a_stride_grows_to_its_distance),
        cmocka_unit_test(short_strides_are_followed_by_lines),
        cmocka_unit_test(a_stride_survives_one_odd_access),
        cmocka_unit_test(streamer_proposes_each_line_once),
        cmocka_unit_test(streamer_stops_at_the_page),
        cmocka_unit_test(streamer_does_as_the_plain_rule),
        cmocka_unit_test(up_down_wants_neighbours_that_are_used),
        cmocka_unit_test(up_down_goes_down),
        cmocka_unit_test(crossing_follows_virtual_addresses),
        cmocka_unit_test(page_tables_are_followed_within_their_page),
        cmocka_unit_test(next_page_is_fetched_near_the_boundary),
        cmocka_unit_test(several_share_a_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
