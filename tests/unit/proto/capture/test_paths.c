/* proto/capture/capture_paths.h: random programs come out as if read word by word, without paths, with paths, and
 * with those of fast/; and what becomes of paths. Code of A64, whose decoder is always there. */
#include "proto/capture/fast/bind_capture.h"
#include "tests/support/capture_rings.h"

enum { PROGRAMS = 16, BLOCKS = 24 };
enum { VISITS = 40000, KEPT = 64, RUNS = 1024, ACCESSES = 4, INSNS_ROOM = 3000, ACCESSES_ROOM = 2000, JOINS = 8192 };

/* --- the output, summed --- */

struct told {
    uint64_t pc, addresses[ACCESSES];
    uint32_t sizes[ACCESSES], branch, encoding_bytes;
    size_t access_count;
};

struct run { struct told insns[KEPT]; unsigned count; };
struct join { uint32_t runs[PATH_BLOCKS]; unsigned count; };

struct heard {
    uint64_t sum, insns, of_runs, random;
    uint64_t run_sum, item_sum;          /* of the runs' numbers, in order, each its own; as they were put */
    struct rbt_writer_room room;         /* given last */
    uint64_t target;                     /* where the next instruction is; UINT64_MAX: anywhere */
    struct told last[KEPT];
    uint32_t runs[INSNS_ROOM], run_count;
    uint64_t addresses[ACCESSES_ROOM];
    struct run learned[RUNS];
    struct join joins[JOINS];            /* whose numbers are RUNS and more */
    uint32_t join_count, joined;         /* joined: how many were put */
};

static uint64_t next_random(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static void add(uint64_t *sum, uint64_t value)
{
    *sum = (*sum ^ value) * 0x100000001b3u + 1;
}

static void hear(struct heard *heard, const struct told *told)
{
    assert_true(heard->target == UINT64_MAX || heard->target == told->pc);
    heard->target = UINT64_MAX;
    heard->insns++;
    add(&heard->sum, told->pc);
    add(&heard->sum, told->branch);
    add(&heard->sum, told->encoding_bytes);
    for (size_t i = 0; i < told->access_count; i++) {
        add(&heard->sum, told->addresses[i]);
        add(&heard->sum, told->sizes[i]);
    }
}

static struct fault hear_put(void *of, uint32_t thread, const struct insn *insn)
{
    struct heard *const heard = of;
    struct told told = {.pc = insn->pc, .branch = (uint32_t)insn->branch, .encoding_bytes = insn->encoding_bytes,
                        .access_count = insn->access_count};

    assert_true(insn->access_count <= ACCESSES);
    for (size_t i = 0; i < insn->access_count; i++) {
        told.addresses[i] = insn->accesses[i].address;
        told.sizes[i] = insn->accesses[i].size_bytes << 1 | insn->accesses[i].is_write;
    }
    hear(heard, &told);
    heard->last[heard->insns % KEPT] = told;
    return fault_none();
}

static uint32_t hear_thread(void *of, uint64_t id, struct fault *error)
{
    return (uint32_t)id;
}

static struct fault hear_mark(void *of, uint32_t thread, const struct insn_marker *marker)
{
    struct heard *const heard = of;

    add(&heard->sum, (uint64_t)marker->kind);
    add(&heard->sum, marker->value);
    return fault_none();
}

static uint32_t hear_run(void *of, uint32_t thread, unsigned count, unsigned accesses)
{
    struct heard *const heard = of;
    struct run *const run = &heard->learned[heard->run_count];

    assert_true(heard->run_count < RUNS && count <= KEPT);
    run->count = count;
    for (unsigned i = 0; i < count; i++) {
        run->insns[i] = heard->last[(heard->insns - count + 1 + i) % KEPT];
        run->insns[i].encoding_bytes = 0;
    }
    return heard->run_count++;
}

/* Some cannot be joined. */
static uint32_t hear_join(void *of, const uint32_t *runs, unsigned count)
{
    struct heard *const heard = of;
    struct join *const join = &heard->joins[heard->join_count];

    assert_true(heard->join_count < JOINS && count > 1 && count <= PATH_BLOCKS);
    if (runs[0] % 5 == 3)
        return REPEAT_NO_RUN;
    for (unsigned i = 0; i < count; i++) {
        assert_true(runs[i] < heard->run_count);
        join->runs[i] = runs[i];
    }
    join->count = count;
    return RUNS + heard->join_count++;
}

/* More at times, less at others, so that it ends anywhere. */
static bool hear_room(void *of, uint32_t thread, struct rbt_writer_room *room)
{
    struct heard *const heard = of;

    *room = heard->room = (struct rbt_writer_room){
        heard->runs, heard->addresses, 1 + (uint32_t)next_random(&heard->random, INSNS_ROOM),
        1 + (uint32_t)next_random(&heard->random, ACCESSES_ROOM)
    };
    return true;
}

/* One that was not joined. Answers the place of its successor's addresses. */
static uint32_t hear_one(struct heard *heard, uint32_t run, uint32_t at)
{
    add(&heard->run_sum, run);
    for (unsigned k = 0; k < heard->learned[run].count; k++) {
        struct told told = heard->learned[run].insns[k];

        for (size_t a = 0; a < told.access_count; a++)
            told.addresses[a] = heard->addresses[at++];
        hear(heard, &told);
    }
    return at;
}

static void hear_runs(void *of, uint32_t thread, uint32_t count, uint32_t insns, uint32_t accesses, uint32_t followed,
                      uint64_t target)
{
    struct heard *const heard = of;
    const uint64_t before = heard->insns;
    uint32_t at = 0;

    assert_true(insns <= heard->room.insns && accesses <= heard->room.accesses);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = heard->runs[i];
        const struct join *const join = item >= RUNS ? &heard->joins[item - RUNS] : NULL;

        add(&heard->item_sum, item);
        heard->joined += join != NULL;
        for (unsigned k = 0; join != NULL && k < join->count; k++)
            at = hear_one(heard, join->runs[k], at);
        if (join == NULL)
            at = hear_one(heard, item, at);
    }
    assert_int_equal(heard->insns - before, insns);
    assert_int_equal(at, accesses);
    assert_int_equal(followed, 0);
    heard->target = target;
    heard->of_runs += insns;
}

/* --- random programs --- */

enum end { FALLS, JUMPS, TURNS, RETURNS };

struct block {
    uint64_t pc;
    unsigned insn_count;                 /* with the one that ends it */
    bool is_access[KEPT], is_store[KEPT];
    enum end end;
    unsigned target, often;              /* a block; of 16 times how often it turns */
};

static void tell_block(struct rings *rings, const struct block *blocks, unsigned i, bool is_other)
{
    const struct block *const block = &blocks[i];
    const uint64_t end_pc = block->pc + 4 * (block->insn_count - 1);
    const uint32_t by = (uint32_t)((int64_t)(blocks[block->target].pc - end_pc) / 4);
    struct ring_insn insns[KEPT];
    char end[16];
    uint32_t word = 0xd65f03c0;          /* ret */

    if (block->end == JUMPS)
        word = 0x14000000 | (by & 0x3ffffff);
    else if (block->end == TURNS)
        word = 0xb4000001 | (by & 0x7ffff) << 5;         /* cbz x1 */
    else if (block->end == FALLS)
        word = is_other ? 0x91000800 : 0x91000400;       /* add x0, x0, #2, or #1 */
    snprintf(end, sizeof end, "%02x%02x%02x%02x", word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24);
    for (unsigned k = 0; k < block->insn_count; k++)
        insns[k] = (struct ring_insn){
            block->pc + 4 * k, k + 1 == block->insn_count ? end
            : block->is_access[k] ? (block->is_store[k] ? "200000f9" : "200040f9")
            : is_other ? "00080091" : "00040091",
            false
        };
    rings_tell(rings, 1 + i + (is_other ? BLOCKS : 0), insns, block->insn_count);
}

static void make_blocks(struct block *blocks, uint64_t *random)
{
    uint64_t pc = 0x10000;

    for (unsigned i = 0; i < BLOCKS; i++) {
        struct block *const block = &blocks[i];
        const unsigned often[] = {0, 1, 2, 8, 14, 15, 16};

        *block = (struct block){.pc = pc, .insn_count = 1 + (unsigned)next_random(random, 6)};
        block->insn_count += next_random(random, 6) == 0 ? KEPT - 8 : 0;
        for (unsigned k = 0; k + 1 < block->insn_count && k < 5; k++) {
            block->is_access[k] = next_random(random, 2) == 0;
            block->is_store[k] = next_random(random, 3) == 0;
        }
        block->end = i + 1 == BLOCKS ? JUMPS : next_random(random, 8) == 0 ? RETURNS
            : next_random(random, 4) == 0 ? (next_random(random, 2) ? JUMPS : FALLS) : TURNS;
        /* Mostly back, a little. */
        block->target = next_random(random, 3) == 0 ? (unsigned)next_random(random, BLOCKS)
            : i - (unsigned)next_random(random, i < 4 ? i + 1 : 4);
        block->often = often[next_random(random, COUNT(often))];
        pc += 4 * block->insn_count;
    }
    blocks[BLOCKS - 1].target = 0;
}

/* How the words of blocks are sent: the first access with the block, other code at its place, larger accesses. */
static void say_visit(struct rings *rings, const struct block *block, unsigned number, bool with_first, bool is_large,
                      uint64_t *random)
{
    bool is_begun = false;

    for (unsigned k = 0; k + 1 < block->insn_count; k++) {
        const uint64_t address = next_random(random, 4) == 0 ? 0x7fffffffff00 : 0x10000 + next_random(random, 1 << 20);

        if (!block->is_access[k])
            continue;
        if (!is_begun && with_first) {
            rings_say(rings, 0, said_first(number, address));
        } else {
            if (!is_begun)
                rings_say(rings, 0, said_block(number));
            rings_say(rings, 0, said_access(block->is_store[k] ? CAPTURE_STORE : CAPTURE_LOAD, k, is_large ? 4 : 8,
                                            address));
        }
        is_begun = true;
    }
    if (!is_begun)
        rings_say(rings, 0, said_block(number));
}

static void say_firsts(struct rings *rings, const struct block *blocks, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct block *const block = &blocks[i % BLOCKS];
        unsigned k = 0;

        while (k + 1 < block->insn_count && !block->is_access[k])
            k++;
        if (k + 1 < block->insn_count)
            rings_say(rings, 0, said_first_is(1 + i, block->is_store[k] ? said_store(k, 8, 0) : said_load(k, 8, 0)));
    }
}

static unsigned next_block(const struct block *block, unsigned i, uint64_t *random)
{
    switch (block->end) {
    case JUMPS: return block->target;
    case TURNS: return next_random(random, 16) < block->often ? block->target : i + 1;
    case RETURNS: return next_random(random, 4) == 0 ? (unsigned)next_random(random, BLOCKS) : block->target;
    default: return i + 1;
    }
}

/* Where a block mostly returns to, if one returns. */
static unsigned handler(const struct block *blocks)
{
    for (unsigned i = 0; i < BLOCKS; i++)
        if (blocks[i].end == RETURNS)
            return blocks[i].target;
    return 0;
}

/* A lane with a program's words. From a third of the time on the frequent blocks are rare, from two thirds on a block
 * sometimes has other code, and another is a signal's handler. */
static void say_program(struct rings *rings, uint64_t random)
{
    struct block blocks[BLOCKS];
    unsigned at = 0;

    make_blocks(blocks, &random);
    for (unsigned other = 0; other < 2; other++)
        for (unsigned i = 0; i < BLOCKS; i++)
            tell_block(rings, blocks, i, other);
    rings_start(rings, 0, 1, 0);
    say_firsts(rings, blocks, 2 * BLOCKS);
    for (unsigned visit = 0; visit < VISITS; visit++) {
        const bool is_other = visit > VISITS / 3 * 2 && visit / 2048 % 2 != 0 && at % 5 == 2;
        const bool with_first = next_random(&random, 2000) != 0;
        const bool is_large = next_random(&random, 2000) == 0;

        if (visit == VISITS / 3)
            for (unsigned i = 0; i < BLOCKS; i++)
                blocks[i].often = 16 - blocks[i].often;
        if (visit == VISITS / 4 * 3)
            rings_say(rings, 0, capture_word(CAPTURE_HANDLER, 0, blocks[handler(blocks)].pc));
        say_visit(rings, &blocks[at], 1 + at + (is_other ? BLOCKS : 0), with_first, is_large, &random);
        at = next_block(&blocks[at], at, &random);
    }
    rings_say(rings, 0, capture_word(CAPTURE_THREAD_END, 0, 0));
}

enum way { PLAIN, RUNS_ALONE, PATHS_TOO, PATHS_FAST, JOINED, JOINED_FAST };

struct outcome { struct capture_counts counts; uint64_t sum, run_sum, item_sum, of_runs, joined, hits, parts; };

static struct outcome read_program(uint64_t random, enum way way, uint64_t piece)
{
    struct rings *const rings = rings_open(ISA_A64, NULL);
    struct heard *const heard = calloc(1, sizeof *heard);
    struct outcome outcome = {.sum = 0};

    assert_non_null(heard);
    heard->target = UINT64_MAX;
    heard->random = random;
    rings->assembler->sink = (struct assemble_sink){
        .of = heard, .thread = hear_thread, .put = hear_put, .mark = hear_mark,
        .run = way != PLAIN ? hear_run : NULL, .room = way != PLAIN ? hear_room : NULL,
        .put_runs = way != PLAIN ? hear_runs : NULL, .join = way >= JOINED ? hear_join : NULL
    };
    if ((way == PATHS_FAST || way == JOINED_FAST) && !capture_bind_fast(rings->assembler))
        print_message("fast/ has nothing for this processor\n");
    rings->assembler->paths.pause = way == RUNS_ALONE ? UINT64_MAX : 0;
    say_program(rings, random);
    rings_read(rings, 0, piece);
    outcome.counts = *rings_counts(rings);
    outcome.sum = heard->sum;
    outcome.run_sum = heard->run_sum;
    outcome.item_sum = heard->item_sum;
    outcome.of_runs = heard->of_runs;
    outcome.joined = heard->joined;
    for (uint32_t i = 1; i < rings->assembler->paths.count; i++) {
        outcome.hits += rings->assembler->paths.list[i].hits;
        outcome.parts += rings->assembler->paths.list[i].part_misses;
    }
    rings_free(rings);
    free(heard);
    return outcome;
}

static void is_as_plain(const struct outcome *outcome, const struct outcome *plain)
{
    assert_memory_equal(&outcome->counts, &plain->counts, sizeof plain->counts);
    assert_int_equal(outcome->sum, plain->sum);
}

/* The very same runs, too, joined or not; and the fast version joins the same ones: so the file is the same, byte by
 * byte. */
static void random_programs_come_out_the_same(void **state)
{
    const uint64_t pieces[] = {40, 1000, UINT64_MAX};
    uint64_t hits = 0, parts = 0, joins = 0;

    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        const struct outcome plain = read_program(seed, PLAIN, UINT64_MAX);

        for (unsigned i = 0; i < COUNT(pieces); i++) {
            const struct outcome alone = read_program(seed, RUNS_ALONE, pieces[i]);
            const struct outcome paths = read_program(seed, PATHS_TOO, pieces[i]);
            const struct outcome fast = read_program(seed, PATHS_FAST, pieces[i]);
            const struct outcome joined = read_program(seed, JOINED, pieces[i]);
            const struct outcome joined_fast = read_program(seed, JOINED_FAST, pieces[i]);

            is_as_plain(&alone, &plain);
            is_as_plain(&paths, &plain);
            is_as_plain(&joined, &plain);
            assert_int_equal(paths.of_runs, alone.of_runs);
            assert_int_equal(paths.run_sum, alone.run_sum);
            assert_memory_equal(&fast, &paths, sizeof fast);
            assert_int_equal(joined.run_sum, alone.run_sum);
            assert_int_equal(joined.hits, paths.hits);
            assert_int_equal(joined.parts, paths.parts);
            assert_memory_equal(&joined_fast, &joined, sizeof joined);
            assert_int_equal(paths.joined, 0);
            assert_int_equal(alone.hits, 0);
            hits += paths.hits;
            parts += paths.parts;
            joins += joined.joined;
        }
    }
    /* Most of it by paths. */
    assert_true(hits > PROGRAMS * 1000);
    assert_true(parts > PROGRAMS * 10);
    assert_true(joins > PROGRAMS * 1000);
}

/* --- which are used --- */

/* Block 1 returns to 2 and 3, which jump back to it. */
static struct rings *open_returns(void)
{
    struct rings *const rings = rings_open_for(ISA_A64, NULL, true);

    rings_tell(rings, 1, (const struct ring_insn[]){{0x1000, "c0035fd6", false}}, 1);
    rings_tell(rings, 2, (const struct ring_insn[]){{0x2000, "00fcff17", false}}, 1);
    rings_tell(rings, 3, (const struct ring_insn[]){{0x3000, "00f8ff17", false}}, 1);
    rings_start(rings, 0, 1, 0);
    return rings;
}

static void say_returns(struct rings *rings, unsigned to, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        rings_say(rings, 0, said_block(1));
        rings_say(rings, 0, said_block(to));
    }
    rings_read(rings, 0, 4096);
}

/* Of the two paths of a block that is tried first which matches. */
static void the_matching_superblock_is_tried_first(void **state)
{
    struct rings *const rings = open_returns();
    const struct path_start *starts;

    for (unsigned to = 2; to <= 3; to++) {
        say_returns(rings, to, 8000);
        starts = rings->assembler->paths.of;
        assert_non_null(starts[1].first);
        assert_int_equal(starts[1].first->parts[1].next, to);
        assert_true(starts[1].first->hits > 200);
    }
    assert_int_equal(starts[1].first->other->parts[1].next, 2);
    rings_free(rings);
}

/* What returned to a block is a signal, once that block is a handler. */
static void handlers_end_paths(void **state)
{
    struct rings *const rings = open_returns();

    say_returns(rings, 2, 4000);
    assert_non_null(rings->assembler->paths.of[1].first);
    assert_int_equal(rings_counts(rings)->signals, 0);
    rings_say(rings, 0, capture_word(CAPTURE_HANDLER, 0, 0x2000));
    say_returns(rings, 2, 100);
    assert_int_equal(rings_counts(rings)->signals, 100);
    rings_free(rings);
}

/* The cost of a trial's blocks decides, and each time that it is too high the pause is four times as long; the first
 * words decide nothing. */
static void paths_pause_where_they_cost_more(void **state)
{
    enum { BLOCKS_OF_TRIAL = 1 << 24, FIRST_WORDS = 1000, WORDS = 1 << 24 };
    struct paths paths = {.blocks = 10, .cost = UINT64_MAX};
    uint64_t before = 0;

    paths_account(&paths, FIRST_WORDS);
    assert_true(paths_are_used(&paths));
    assert_int_equal(paths.blocks, 0);
    for (unsigned i = 0; i < 4; i++) {
        paths.blocks = BLOCKS_OF_TRIAL;
        paths.cost = paths.blocks * PATH_BLOCK_COST + 1;
        paths_account(&paths, WORDS);
        assert_false(paths_are_used(&paths));
        assert_true(before == 0 || paths.pause == 4 * before);
        before = paths.pause;
        paths_account(&paths, before - 1);
        assert_false(paths_are_used(&paths));
        paths_account(&paths, 1);
        assert_true(paths_are_used(&paths));
    }
    paths.blocks = BLOCKS_OF_TRIAL;
    paths.cost = paths.blocks * PATH_BLOCK_COST;
    paths_account(&paths, WORDS);
    assert_true(paths_are_used(&paths));
    assert_int_equal(paths.last_pause, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_come_out_the_same),
        cmocka_unit_test(the_matching_superblock_is_tried_first),
        cmocka_unit_test(handlers_end_paths),
        cmocka_unit_test(paths_pause_where_they_cost_more)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
