/* memsys/sim/sim_random.h and the replacement policies behind memsys/cache/tags.h (classic-memory 14; SHiP and DRRIP:
 * their papers, whose own examples are in test_replacement_papers.c). Expected victims are derived by hand; where
 * numbers are drawn, a second generator says what must come. */
#include "memsys/fast/ways.h"
#include "memsys/policy/policy_params.h"
#include "memsys/policy/rrip.h"
#include "replay/config/tables.h"
#include "tests/support/policy_bench.h"
#include "tests/support/unit.h"

/* ---- random numbers */

static void the_generator_gives_the_published_numbers(void **state)
{
    struct random_generator random;
    uint64_t last = 0;

    random_init(&random, RANDOM_SEED);
    assert_int_equal(random_next(&random), UINT64_C(14514284786278117030));
    for (unsigned i = 2; i <= 10000; i++)
        last = random_next(&random);
    assert_int_equal(last, UINT64_C(9981545732273789042));
}

__extension__ typedef unsigned __int128 wide;

/* Classic-memory 14: low + high64(x * n). */
static void a_range_takes_the_high_part_of_the_product(void **state)
{
    static const uint32_t ranges[][2] = {{0, 0}, {0, 1}, {1, 100}, {0, 15}, {7, 1000000}, {0, UINT32_MAX - 1}};
    struct random_generator random, same;

    random_init(&random, RANDOM_SEED);
    random_init(&same, RANDOM_SEED);
    for (unsigned i = 0; i < 600; i++) {
        const uint32_t *const range = ranges[i % (sizeof ranges / sizeof *ranges)];
        wide const product = (wide)random_next(&same) * ((uint64_t)range[1] - range[0] + 1);

        assert_int_equal(random_uniform(&random, range[0], range[1]), range[0] + (uint32_t)(product >> 64));
    }
}

/* "if low64(p) < n: t = (2^64 - n) mod n, redraw while low64(p) < t": 2^64 mod 100 is 16, 2^64 mod 16 is 0. A word of
 * 0 stays 0. */
static void an_unfair_draw_is_repeated(void **state)
{
    struct random_generator random, same;

    random_init(&random, RANDOM_SEED);
    random_next(&random);
    random.words[1] = random.words[2] = 0;
    same = random;
    same.position += 2;
    assert_int_equal(random_uniform(&random, 1, 100), random_uniform(&same, 1, 100));
    assert_int_equal(random.position, same.position);
    random.position = 2;
    assert_int_equal(random_uniform(&random, 5, 20), 5);
    assert_int_equal(random.position, 3);
}

/* ---- a small cache around a policy */

static void invalidate(struct policy_bench *bench, uint64_t line)
{
    uint32_t const block = tags_find(&bench->tags, line * POLICY_LINE_BYTES);

    bench->sim.events.now_ps += POLICY_STEP_PS;
    assert_int_not_equal(block, BLOCK_NONE);
    tags_invalidate(&bench->tags, block);
}

/* Loads of lines A to Z into one set, a small letter invalidates. The answer, for each: '.' hit, '-' miss that takes an
 * invalid block, a letter: the line that it replaces; for an invalidation its own letter. */
static void play(struct policy_bench *bench, const char *sequence, char *answer)
{
    for (; *sequence; sequence++, answer++) {
        if (*sequence >= 'a') {
            invalidate(bench, (uint64_t)(*sequence - 'a' + 'A'));
            *answer = *sequence;
        } else if (policy_bench_load(bench, (uint64_t)*sequence, 0x400)) {
            *answer = '.';
        } else {
            *answer = bench->evicted == POLICY_NOTHING ? '-' : (char)bench->evicted;
        }
    }
    *answer = 0;
}

static void sequences(void **state)
{
    static const struct { enum replacement_kind kind; uint32_t assoc; const char *sequence, *expected; } rows[] = {
        {REPLACEMENT_LRU, 4, "ABCDAEBF", "----.BCD"},
        {REPLACEMENT_LRU, 4, "ABCDbEF", "----b-A"},
        {REPLACEMENT_LRU, 1, "ABBA", "-A.B"},
        {REPLACEMENT_MRU, 4, "ABCDEAF", "----D.A"},
        {REPLACEMENT_MRU, 4, "ABCDbE", "----b-"},
        /* a use does not count; an invalidated block goes to the end of the queue */
        {REPLACEMENT_FIFO, 4, "ABCDAE", "----.A"},
        {REPLACEMENT_FIFO, 4, "ABCDbEFGH", "----bACD-"},
        {REPLACEMENT_SECOND_CHANCE, 4, "ABCDABEFG", "----..CDA"},
        {REPLACEMENT_SECOND_CHANCE, 4, "ABCDABCDE", "----....A"},
        {REPLACEMENT_SECOND_CHANCE, 4, "ABCDBbEFGH", "----.bACD-"},
        {REPLACEMENT_LFU, 4, "ABCDAABBCEF", "----.....DE"},
        {REPLACEMENT_LFU, 4, "ABCDAABBCDaEF", "----......a-E"},
        /* blocks fill in the order of ways 0, 2, 1, 3; the hit on C turns root and left node */
        {REPLACEMENT_TREE_PLRU, 4, "ABCDEF", "----AB"},
        {REPLACEMENT_TREE_PLRU, 4, "ABCDEFG", "----ABC"},
        {REPLACEMENT_TREE_PLRU, 4, "ABCDEFCG", "----AB.D"},
        {REPLACEMENT_TREE_PLRU, 4, "ABCDcE", "----c-"},
        {REPLACEMENT_TREE_PLRU, 2, "ABACB", "--.BA"},
        /* a use lowers by one only: A, used twice, outlives two rounds */
        {REPLACEMENT_RRIP, 4, "ABCDAAEFGHIJK", "----..BCDEFGA"},
        {REPLACEMENT_SRRIP, 4, "ABCDAAEFGHIJK", "----..BCDEFGA"},
        {REPLACEMENT_RRIP, 4, "ABCDcE", "----c-"},
        {REPLACEMENT_NRU, 4, "ABCDEBF", "----A.C"},
        {REPLACEMENT_LIP, 4, "ABCDEFFG", "----AE.B"},
        /* the pattern of the RRIP paper, section 4.1: a1 a2 a2 a1 b1 b2 b3 b4 a1 a2; only predictions keep a1 and a2
         * through the scan */
        {REPLACEMENT_LRU, 4, "ABBACDEFAB", "--..--BACD"},
        {REPLACEMENT_NRU, 4, "ABBACDEFAB", "--..--ABCD"},
        {REPLACEMENT_SRRIP, 4, "ABBACDEFAB", "--..--CD.."},
        {REPLACEMENT_DRRIP, 4, "ABBACDEFAB", "--..--CD.."},
        {REPLACEMENT_SHIP, 4, "ABBACDEFAB", "--..--CD.."},
        /* hit priority: A, used once, outlives a round more than with RRIP */
        {REPLACEMENT_RRIP, 4, "ABCDAEFGHIJ", "----.BCDAEF"},
        {REPLACEMENT_DRRIP, 4, "ABCDAEFGHIJ", "----.BCDEFG"},
        {REPLACEMENT_DRRIP, 4, "ABCDcE", "----c-"},
        {REPLACEMENT_SHIP, 4, "ABCDcE", "----c-"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct policy_bench bench;
        char answer[32], expected[80], seen[80];

        policy_bench_start(&bench, rows[i].kind, rows[i].assoc, 1);
        play(&bench, rows[i].sequence, answer);
        snprintf(expected, sizeof expected, "%s %s %s", bench.tags.policy.ops->name, rows[i].sequence,
                 rows[i].expected);
        snprintf(seen, sizeof seen, "%s %s %s", bench.tags.policy.ops->name, rows[i].sequence, answer);
        policy_bench_stop(&bench);
        assert_string_equal(seen, expected);
    }
}

/* "equal ticks are possible; the strict < keeps the lowest way" */
static void equal_ticks_keep_the_order_of_ways(void **state)
{
    struct policy_bench bench;
    char answer[8];

    policy_bench_start(&bench, REPLACEMENT_LRU, 4, 1);
    play(&bench, "ABCD", answer);
    for (uint32_t block = 0; block < 4; block++)
        tags_touch(&bench.tags, 3 - block, NULL);
    play(&bench, "EF", answer);
    assert_string_equal(answer, "AB");
    policy_bench_stop(&bench);
}

/* memsys/policy/lru.c, and memsys/fast/ways.h: ages of 32 bits order ways as ticks do, also after the base has moved;
 * here steps are so long that it moves every few thousand accesses, and some accesses come in the tick of the one
 * before. The model keeps whole ticks. */
static void lru_over_any_time(bool has_ways)
{
    enum { ASSOC = 8, SETS = 4, LINES = 96 };
    struct policy_bench bench;
    uint64_t ticks[SETS][ASSOC] = {{0}}, lines[SETS][ASSOC], last_base_ps = 0;
    unsigned moves = 0;

    memset(lines, 0xff, sizeof lines);
    policy_bench_start(&bench, REPLACEMENT_LRU, ASSOC, SETS);
    if (has_ways)
        ways_bind(&bench.tags);
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t const line = random_uniform(&bench.sim.random, 0, LINES - 1);
        unsigned const set = (unsigned)(line % SETS);
        unsigned way = 0;

        if (random_uniform(&bench.sim.random, 0, 3) == 0)
            bench.sim.events.now_ps -= POLICY_STEP_PS;           /* which the access adds */
        else
            bench.sim.events.now_ps += random_uniform(&bench.sim.random, 0, 2000000);
        while (way < ASSOC && lines[set][way] != line)
            way++;
        if (way == ASSOC) {
            way = 0;
            for (unsigned other = 1; other < ASSOC; other++)
                if (ticks[set][other] < ticks[set][way])
                    way = other;
            assert_false(policy_bench_load(&bench, line, 0x400));
            assert_int_equal(bench.evicted, lines[set][way]);
            lines[set][way] = line;
        } else {
            assert_true(policy_bench_load(&bench, line, 0x400));
        }
        ticks[set][way] = bench.sim.events.now_ps;
        moves += bench.tags.age_base_ps != last_base_ps;
        last_base_ps = bench.tags.age_base_ps;
    }
    assert_true(has_ways ? moves > 10 : moves == 0);
    policy_bench_stop(&bench);
}

static void lru_orders_by_ticks_over_any_time(void **state)
{
    lru_over_any_time(false);
    lru_over_any_time(true);
}

/* Names and rows follow one list. */
static void names_are_those_of_the_configuration(void **state)
{
    const char *const *const names = param_enum_names(UNIT_REPLACEMENT);
    unsigned kind;

    for (kind = 0; kind < REPLACEMENT_COUNT; kind++) {
        struct policy_bench bench;

        assert_non_null(names[kind]);
        policy_bench_start(&bench, (enum replacement_kind)kind, 4, 2);
        assert_string_equal(bench.tags.policy.ops->name, names[kind]);
        policy_bench_stop(&bench);
    }
    assert_null(names[kind]);
}

static void a_tree_needs_a_power_of_two(void **state)
{
    static const struct { uint32_t assoc; const char *advice; } rows[] = {{1, "l2.assoc: 2,"}, {3, "l2.assoc: 4,"},
                                                                          {12, "l2.assoc: 16,"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fault const fault = replacement_check("l2", REPLACEMENT_TREE_PLRU, rows[i].assoc);
        struct replacement policy;
        struct sim sim;

        assert_int_equal(fault.kind, FAULT_INPUT);
        assert_non_null(strstr(fault_text(fault), "l2.replacement: tree_plru"));
        if (!strstr(fault_text(fault), rows[i].advice))
            fail_msg("\"%s\" does not say \"%s\"", fault_text(fault), rows[i].advice);
        sim_init(&sim, POLICY_LINE_BYTES);
        assert_int_equal(replacement_init(&policy, &sim, REPLACEMENT_TREE_PLRU, 4 * rows[i].assoc, rows[i].assoc).kind,
                         FAULT_INPUT);
        replacement_free(&policy);
        sim_free(&sim);
    }
    assert_int_equal(replacement_check("l2", REPLACEMENT_TREE_PLRU, 8).kind, FAULT_NONE);
    assert_int_equal(replacement_check("l2", REPLACEMENT_LRU, 3).kind, FAULT_NONE);
}

/* ---- policies that draw: a second generator in the same state predicts their draws */

/* "draw uniform 0..assoc-1 always; first invalid way overrides" */
static void random_draws_for_every_victim(void **state)
{
    struct random_generator same;
    struct policy_bench bench;

    policy_bench_start(&bench, REPLACEMENT_RANDOM, 3, 1);
    random_init(&same, RANDOM_SEED);
    for (uint64_t line = 0; line < 300; line++) {
        uint32_t const drawn = random_uniform(&same, 0, 2);
        uint64_t const lost = tags_line(&bench.tags, drawn);

        assert_false(policy_bench_load(&bench, line, 1));
        if (line < 3)
            assert_int_equal(tags_find(&bench.tags, line * POLICY_LINE_BYTES), line);
        else if (line % 10 == 1)         /* way 1 was made invalid */
            assert_int_equal(tags_find(&bench.tags, line * POLICY_LINE_BYTES), 1);
        else
            assert_int_equal(bench.evicted, lost);
        assert_true(policy_bench_load(&bench, line, 1));
        if (line % 10 == 0 && line > 0)
            invalidate(&bench, tags_line(&bench.tags, 1));
    }
    assert_int_equal(random_next(&bench.sim.random), random_next(&same));
    policy_bench_stop(&bench);
}

/* "with prob. btp t = now else t = 1", 3 of 100: a line is kept as just used, else it is the first to go, the lowest
 * way before the others. */
static void bip_and_lip_draw_for_every_fill(void **state)
{
    static const enum replacement_kind kinds[] = {REPLACEMENT_BIP, REPLACEMENT_LIP};

    for (size_t k = 0; k < 2; k++) {
        uint32_t const percent = kinds[k] == REPLACEMENT_BIP ? 3 : 0;
        struct random_generator same;
        struct policy_bench bench;
        uint64_t when[4] = {0};          /* fill by way, 0: at the LRU end */
        unsigned recent = 0;

        policy_bench_start(&bench, kinds[k], 4, 1);
        random_init(&same, RANDOM_SEED);
        for (uint64_t line = 1; line <= 400; line++) {
            unsigned way = 0;

            for (unsigned other = 1; other < 4; other++)
                way = when[other] < when[way] ? other : way;
            if (line <= 4)
                way = (unsigned)line - 1;
            assert_false(policy_bench_load(&bench, line, 1));
            assert_int_equal(tags_find(&bench.tags, line * POLICY_LINE_BYTES), way);
            when[way] = random_uniform(&same, 1, 100) <= percent ? line : 0;
            recent += when[way] != 0;
        }
        assert_int_equal(random_next(&bench.sim.random), random_next(&same));
        if (percent)
            assert_in_range(recent, 4, 30);
        else
            assert_int_equal(recent, 0);
        policy_bench_stop(&bench);
    }
}

/* "rrpv = max; with prob. btp rrpv--"; RRIP and NRU draw too. */
static void rrip_draws_for_every_fill(void **state)
{
    static const struct { enum replacement_kind kind; unsigned highest; uint32_t percent; } rows[] = {
        {REPLACEMENT_BRRIP, 3, 3}, {REPLACEMENT_RRIP, 3, 100}, {REPLACEMENT_SRRIP, 3, 100}, {REPLACEMENT_NRU, 1, 100}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct random_generator same;
        struct policy_bench bench;

        policy_bench_start(&bench, rows[i].kind, 4, 1);
        random_init(&same, RANDOM_SEED);
        for (uint64_t line = 0; line < 400; line++) {
            bool const is_long = random_uniform(&same, 1, 100) <= rows[i].percent;

            policy_bench_load(&bench, line, 1);
            assert_int_equal(bench.tags.policy.marks[tags_find(&bench.tags, line * POLICY_LINE_BYTES)],
                             RRIP_VALID + rows[i].highest - is_long);
        }
        assert_int_equal(random_next(&bench.sim.random), random_next(&same));
        policy_bench_stop(&bench);
    }
}

/* "one global generator, shared by all users in call order" */
static void two_caches_share_the_generator(void **state)
{
    struct random_generator same;
    struct policy_bench bench;
    struct replacement other;

    policy_bench_start(&bench, REPLACEMENT_RANDOM, 4, 1);
    assert_int_equal(replacement_init(&other, &bench.sim, REPLACEMENT_BRRIP, 4, 4).kind, FAULT_NONE);
    random_init(&same, RANDOM_SEED);
    for (uint64_t line = 0; line < 100; line++) {
        uint64_t const lost = tags_line(&bench.tags, random_uniform(&same, 0, 3));

        policy_bench_load(&bench, line, 1);
        if (line >= 4)
            assert_int_equal(bench.evicted, lost);
        other.ops->insert(&other, (uint32_t)line % 4, NULL);
        random_uniform(&same, 1, 100);
    }
    replacement_free(&other);
    policy_bench_stop(&bench);
}

/* ---- SHiP */

#define REUSING_PC 0x4010
#define SCANNING_PC 0x4100

/* A round: the working set twice, then a scan of lines never seen before; hits of the first pass over the working
 * set. */
static unsigned scan_round(struct policy_bench *bench, unsigned working_set, unsigned scan, uint64_t *fresh)
{
    unsigned hits = 0;

    for (unsigned pass = 0; pass < 2; pass++)
        for (uint64_t line = 0; line < working_set; line++)
            hits += policy_bench_load(bench, line, REUSING_PC) && pass == 0;
    for (unsigned i = 0; i < scan; i++)
        policy_bench_load(bench, (*fresh)++, SCANNING_PC);
    return hits;
}

/* SHiP paper, section 2: SRRIP resists scans up to a threshold only. With SHiP they do no harm once their instruction
 * is known. The numbers are derived by hand. */
static void ship_keeps_the_working_set_through_a_long_scan(void **state)
{
    static const struct { enum replacement_kind kind; unsigned hits; } rows[] = {
        {REPLACEMENT_LRU, 0}, {REPLACEMENT_SRRIP, 0}, {REPLACEMENT_SHIP, 12}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t fresh = 1000;
        struct policy_bench bench;

        policy_bench_start(&bench, rows[i].kind, 4, 4);
        for (unsigned round = 0; round < 6; round++) {
            unsigned const hits = scan_round(&bench, 12, 256, &fresh);

            if (round >= 2)              /* the first rounds teach */
                assert_int_equal(hits, rows[i].hits);
        }
        policy_bench_stop(&bench);
    }
}

/* SHiP paper, figure 7, round after round in sets that are full (the numbers are derived by hand): lines brought by
 * one instruction are used by another after a scan that is longer than the ways. SRRIP sees no use before the scan
 * and loses them; SHiP learns it for the instruction that brings them, and that the scan's are not used: the first
 * line of the scan makes one of a set's two distant and takes its place, all others of the scan follow each other
 * there. */
static void ship_learns_for_the_instruction_that_brings(void **state)
{
    static const struct { enum replacement_kind kind; unsigned hits; } rows[] = {
        {REPLACEMENT_LRU, 0}, {REPLACEMENT_SRRIP, 0}, {REPLACEMENT_SHIP, 10 * 4}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t fresh = 1000;
        unsigned hits = 0;
        struct policy_bench bench;

        policy_bench_start(&bench, rows[i].kind, 4, 4);
        for (unsigned round = 0; round < 14; round++) {
            uint64_t const brought = fresh;

            for (unsigned n = 0; n < 8; n++)
                policy_bench_load(&bench, fresh++, 0x4010);
            for (unsigned n = 0; n < (round == 0 ? 4 : 64); n++)      /* a short scan teaches */
                policy_bench_load(&bench, fresh++, 0x4100);
            for (unsigned n = 0; n < 8; n++)
                hits += policy_bench_load(&bench, brought + n, 0x4200) && round >= 4;
        }
        assert_int_equal(hits, rows[i].hits);
        policy_bench_stop(&bench);
    }
}

/* One set of two ways: counters move by one for a use and for a block that leaves unused, between 0 and 7. */
static void ship_counts_uses_and_departures(void **state)
{
    struct policy_bench bench;

    policy_bench_start(&bench, REPLACEMENT_SHIP, 2, 1);
    policy_bench_load(&bench, 1, 0x10);
    assert_int_equal(policy_bench_prediction(&bench, 1), RRIP_LONG);      /* unknown: given a chance */
    invalidate(&bench, 1);
    policy_bench_load(&bench, 2, 0x10);
    assert_int_equal(policy_bench_prediction(&bench, 2), RRIP_DISTANT);
    invalidate(&bench, 2);
    policy_bench_load(&bench, 3, 0x10);
    assert_int_equal(policy_bench_prediction(&bench, 3), RRIP_DISTANT);   /* not below 0 */
    policy_bench_load(&bench, 3, 0x20);        /* a use counts for the instruction that filled */
    assert_int_equal(policy_bench_prediction(&bench, 3), RRIP_NEAR);
    invalidate(&bench, 3);
    policy_bench_load(&bench, 4, 0x10);
    assert_int_equal(policy_bench_prediction(&bench, 4), RRIP_LONG);
    for (unsigned i = 0; i < 20; i++)
        policy_bench_load(&bench, 4, 0x10);
    invalidate(&bench, 4);
    for (uint64_t line = 10; line < 17; line++) {               /* from 7 to 0 */
        policy_bench_load(&bench, line, 0x10);
        assert_int_equal(policy_bench_prediction(&bench, line), RRIP_LONG);
        invalidate(&bench, line);
    }
    policy_bench_load(&bench, 20, 0x10);
    assert_int_equal(policy_bench_prediction(&bench, 20), RRIP_DISTANT);
    policy_bench_stop(&bench);
}

/* A write-back from above is no use, and a block that is invalid already does not leave a second time. */
static void ship_is_not_taught_by_write_backs(void **state)
{
    struct policy_bench bench;

    policy_bench_start(&bench, REPLACEMENT_SHIP, 2, 1);
    policy_bench_load(&bench, 1, 0x10);
    policy_bench_load(&bench, 1, 0x10);
    tags_invalidate(&bench.tags, 0);
    policy_bench_load(&bench, 2, 0x10);               /* the counter is 2 */
    policy_bench_send(&bench, 2, 0, CMD_WritebackDirty);
    assert_int_equal(policy_bench_prediction(&bench, 2), RRIP_LONG);
    tags_invalidate(&bench.tags, 0);     /* 1 */
    tags_invalidate(&bench.tags, 0);
    policy_bench_load(&bench, 3, 0x10);
    assert_int_equal(policy_bench_prediction(&bench, 3), RRIP_LONG);
    tags_invalidate(&bench.tags, 0);
    policy_bench_load(&bench, 4, 0x10);
    assert_int_equal(policy_bench_prediction(&bench, 4), RRIP_DISTANT);
    policy_bench_stop(&bench);
}

/* pcs that differ in the upper bits have different signatures; without pc the region of 16 KiB counts, 256 lines. */
static void ship_signatures(void **state)
{
    struct policy_bench bench;

    policy_bench_start(&bench, REPLACEMENT_SHIP, 2, 1);
    policy_bench_load(&bench, 1, 0x10);
    invalidate(&bench, 1);
    policy_bench_load(&bench, 1, 0x10 + (UINT64_C(1) << 40));
    assert_int_equal(policy_bench_prediction(&bench, 1), RRIP_LONG);
    invalidate(&bench, 1);
    policy_bench_load(&bench, 1, 0x10 + (1 << 13));           /* the uppermost of 14 bits */
    assert_int_equal(policy_bench_prediction(&bench, 1), RRIP_LONG);
    invalidate(&bench, 1);
    policy_bench_load(&bench, 1, 0x11 + (1 << 14));           /* the 15th goes with the first: 0x10 again */
    assert_int_equal(policy_bench_prediction(&bench, 1), RRIP_DISTANT);
    invalidate(&bench, 1);
    policy_bench_load(&bench, 513, 0);
    assert_int_equal(policy_bench_prediction(&bench, 513), RRIP_LONG);
    invalidate(&bench, 513);
    policy_bench_load(&bench, 767, 0);
    assert_int_equal(policy_bench_prediction(&bench, 767), RRIP_DISTANT);
    invalidate(&bench, 767);
    policy_bench_load(&bench, 768, 0);
    assert_int_equal(policy_bench_prediction(&bench, 768), RRIP_LONG);
    policy_bench_stop(&bench);
}

/* ---- DRRIP */

#define SETS 256                         /* runs of 8 sets: run r is led by set r % 8 (SRRIP) and 7 - r % 8 (BRRIP) */
#define WAYS 4

static void drrip_misses_of_leaders_decide(void **state)
{
    struct policy_bench bench;
    uint64_t fresh = SETS;

    policy_bench_start(&bench, REPLACEMENT_DRRIP, WAYS, SETS);
    policy_bench_load(&bench, 2, 1);                  /* a follower of run 0 */
    assert_int_equal(policy_bench_prediction(&bench, 2), RRIP_LONG);
    policy_bench_load(&bench, fresh, 1);              /* one miss of run 0's SRRIP leader: BRRIP is ahead */
    assert_int_equal(policy_bench_prediction(&bench, fresh), RRIP_LONG);
    policy_bench_load(&bench, 3, 1);
    assert_int_equal(policy_bench_prediction(&bench, 3), RRIP_DISTANT);
    policy_bench_load(&bench, 7, 1);                  /* a miss of run 0's BRRIP leader: even */
    assert_int_equal(policy_bench_prediction(&bench, 7), RRIP_DISTANT);
    policy_bench_load(&bench, 4, 1);
    assert_int_equal(policy_bench_prediction(&bench, 4), RRIP_LONG);
    policy_bench_send(&bench, 8 + 1, 0, CMD_WritebackDirty);    /* run 1's SRRIP leader; neither is a miss */
    policy_bench_send(&bench, 8 + 1 + SETS, 1, CMD_HardPFReq);
    policy_bench_load(&bench, 5, 1);
    assert_int_equal(policy_bench_prediction(&bench, 5), RRIP_LONG);
    for (unsigned i = 0; i < 2000; i++)  /* the selector stops at 1023: 512 misses of BRRIP's turn it back */
        policy_bench_load(&bench, fresh += SETS, 1);
    for (unsigned i = 0; i < 511; i++)
        policy_bench_load(&bench, 7 + (fresh += SETS), 1);
    policy_bench_load(&bench, 6, 1);
    assert_int_equal(policy_bench_prediction(&bench, 6), RRIP_DISTANT);
    policy_bench_load(&bench, 7 + (fresh += SETS), 1);
    policy_bench_load(&bench, 16, 1);                 /* run 2's follower */
    assert_int_equal(policy_bench_prediction(&bench, 16), RRIP_LONG);
    policy_bench_stop(&bench);
}

/* A run's BRRIP leader fills as distant, but for every 32nd time; the selector stops at 0; write-backs are no uses. */
static void drrip_throttles_and_stops(void **state)
{
    struct policy_bench bench;
    uint64_t line = 7;

    policy_bench_start(&bench, REPLACEMENT_DRRIP, WAYS, SETS);
    for (unsigned fill = 1; fill <= 640; fill++, line += SETS) {
        policy_bench_load(&bench, line, 1);
        assert_int_equal(policy_bench_prediction(&bench, line), fill % 32 == 0 ? RRIP_LONG : RRIP_DISTANT);
        policy_bench_send(&bench, line, 0, CMD_WritebackDirty);
        assert_int_equal(policy_bench_prediction(&bench, line), fill % 32 == 0 ? RRIP_LONG : RRIP_DISTANT);
    }
    for (uint64_t fill = 1; fill <= 512; fill++) {
        policy_bench_load(&bench, fill * SETS, 1);    /* SRRIP's leader */
        policy_bench_load(&bench, fill * SETS + 2, 1);
        assert_int_equal(policy_bench_prediction(&bench, fill * SETS + 2), fill < 512 ? RRIP_LONG : RRIP_DISTANT);
    }
    policy_bench_stop(&bench);
}

/* 32 leaders of each kind, recognised by their behaviour under either selector: 512 misses more of the one or the
 * other. */
static void drrip_has_32_leaders_of_each_kind(void **state)
{
    static const unsigned sets[] = {128, 256, 2048};

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        unsigned distant[2] = {0, 0};

        for (unsigned brrip_ahead = 0; brrip_ahead < 2; brrip_ahead++) {
            struct policy_bench bench;
            unsigned const run = sets[i] / 32;

            policy_bench_start(&bench, REPLACEMENT_DRRIP, 1, sets[i]);
            for (uint64_t n = 0; n < 900; n++)
                policy_bench_load(&bench, (brrip_ahead ? 0 : run - 1) + (n + 2) * sets[i], 1);
            for (uint64_t set = 0; set < sets[i]; set++) {
                bench.tags.policy.counter = 0;       /* the throttle is for another test */
                policy_bench_load(&bench, set, 1);
                distant[brrip_ahead] += policy_bench_prediction(&bench, set) == RRIP_DISTANT;
            }
            policy_bench_stop(&bench);
        }
        assert_int_equal(distant[0], 32);
        assert_int_equal(distant[1], sets[i] - 32);
    }
}

/* RRIP paper, section 2, the thrashing pattern: a cyclic working set larger than the cache. Hits of each set in the
 * last of many rounds. */
static void drrip_resists_thrashing(void **state)
{
    static const enum replacement_kind kinds[] = {REPLACEMENT_LRU, REPLACEMENT_SRRIP, REPLACEMENT_DRRIP};
    unsigned hits[3] = {0};

    for (size_t k = 0; k < 3; k++) {
        struct policy_bench bench;

        policy_bench_start(&bench, kinds[k], WAYS, SETS);
        for (unsigned round = 0; round < 60; round++)
            for (uint64_t line = 0; line < SETS * (WAYS + 1); line++)
                hits[k] += policy_bench_load(&bench, line, 1) && round >= 40;
        policy_bench_stop(&bench);
    }
    assert_int_equal(hits[0], 0);
    assert_int_equal(hits[1], 0);
    /* BRRIP keeps up to 3 of the 5 lines; 32 of 256 sets keep losing all lines */
    assert_in_range(hits[2], 20 * (SETS - 32) * 2, 20 * (SETS - 32) * 3);
}

/* Lines used twice at a short distance and never again: SRRIP gets all second uses, and DRRIP does too but for its
 * BRRIP leaders. */
static void drrip_follows_srrip_where_that_is_better(void **state)
{
    static const enum replacement_kind kinds[] = {REPLACEMENT_SRRIP, REPLACEMENT_BRRIP, REPLACEMENT_DRRIP};
    unsigned hits[3] = {0};

    for (size_t k = 0; k < 3; k++) {
        struct policy_bench bench;

        policy_bench_start(&bench, kinds[k], WAYS, SETS);
        for (uint64_t round = 0; round < 40; round++)
            for (unsigned pass = 0; pass < 2; pass++)
                for (uint64_t line = 0; line < 2 * SETS; line++)
                    hits[k] += policy_bench_load(&bench, round * 2 * SETS + line, 1);
        policy_bench_stop(&bench);
    }
    assert_int_equal(hits[0], 40 * 2 * SETS);
    assert_true(hits[1] < hits[0] / 4);
    assert_in_range(hits[2], 40 * 2 * (SETS - 32), 40 * 2 * SETS - 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_the_published_numbers),
        cmocka_unit_test(a_range_takes_the_high_part_of_the_product),
        cmocka_unit_test(an_unfair_draw_is_repeated),
        cmocka_unit_test(sequences),
        cmocka_unit_test(equal_ticks_keep_the_order_of_ways),
        cmocka_unit_test(lru_orders_by_ticks_over_any_time),
        cmocka_unit_test(names_are_those_of_the_configuration),
        cmocka_unit_test(a_tree_needs_a_power_of_two),
        cmocka_unit_test(random_draws_for_every_victim),
        cmocka_unit_test(bip_and_lip_draw_for_every_fill),
        cmocka_unit_test(rrip_draws_for_every_fill),
        cmocka_unit_test(two_caches_share_the_generator),
        cmocka_unit_test(ship_keeps_the_working_set_through_a_long_scan),
        cmocka_unit_test(ship_learns_for_the_instruction_that_brings),
        cmocka_unit_test(ship_counts_uses_and_departures),
        cmocka_unit_test(ship_is_not_taught_by_write_backs),
        cmocka_unit_test(ship_signatures),
        cmocka_unit_test(drrip_misses_of_leaders_decide),
        cmocka_unit_test(drrip_throttles_and_stops),
        cmocka_unit_test(drrip_has_32_leaders_of_each_kind),
        cmocka_unit_test(drrip_resists_thrashing),
        cmocka_unit_test(drrip_follows_srrip_where_that_is_better),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
