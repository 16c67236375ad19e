/* replay/warm/warm_record.h, warm_state.h, memsys/warm/warm_caches.h: caches that begin with what was kept hold what
 * they hold after all accesses, line by line. */
#include "memsys/cache/cache_params.h"
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/warm/warm_caches.h"
#include "replay/warm/warm_record.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

enum { CACHES = 4, LINE_BYTES = 64, L1D = 0, L1I = 1, L2 = 2, L3 = 3, AFTER = 100000 };

/* ---- a program that mixes loops over arrays, hot data, and accesses at random */
struct program { uint64_t footprint, sweep, pc; };

static struct use_of { enum warm_use use; uint64_t line; } next_use(struct program *program)
{
    uint64_t const kind = random_below(100);

    if (kind < 30) {
        program->pc = random_below(50) == 0 ? random_below(4000) : program->pc + 1;
        return (struct use_of){WARM_USE_FETCH, 1 << 20 | (program->pc & 4095)};
    }
    if (kind < 60)
        return (struct use_of){kind % 3 ? WARM_USE_READ : WARM_USE_WRITE, random_below(300)};
    if (kind < 85)
        return (struct use_of){kind % 4 ? WARM_USE_READ : WARM_USE_WRITE,
                               1000 + program->sweep++ / 4 % (program->footprint / 2)};
    return (struct use_of){kind % 2 ? WARM_USE_READ : WARM_USE_WRITE,
                           1000 + random_below(program->footprint)};
}

/* ---- caches: two L1s above an L2 above an L3 */
struct geometry { struct cache_params params[CACHES]; };

struct tree {
    struct sim sim;
    struct cache caches[CACHES];
    struct warm_node nodes[CACHES];
    struct warm_caches warm;
};

static struct cache_params random_cache(uint64_t least_sets, uint64_t replacement)
{
    static const unsigned ways[] = {2, 4, 8, 16};
    uint64_t const sets = 16 * (least_sets + random_below(3 * least_sets)), assoc = ways[random_below(4)];

    return (struct cache_params){
        .size_bytes = sets * assoc * LINE_BYTES, .assoc = assoc, .mshrs = 4, .targets_per_mshr = 4,
        .write_buffers = 4, .clock_ps = 500, .replacement = replacement};
}

static struct geometry random_geometry(uint64_t replacement)
{
    struct geometry geometry = {{random_cache(1, replacement), random_cache(1, replacement),
                                 random_cache(8, replacement), random_cache(32, replacement)}};

    geometry.params[L1I].read_only = true;
    geometry.params[L2].writeback_clean = random_below(2);
    geometry.params[L3].clusivity = random_below(2) ? CLUSIVITY_MOSTLY_EXCL : CLUSIVITY_MOSTLY_INCL;
    geometry.params[L2].writeback_clean |= geometry.params[L3].clusivity == CLUSIVITY_MOSTLY_EXCL;
    return geometry;
}

static struct tree *tree_new(const struct geometry *geometry)
{
    static const char *const names[] = {"l1d", "l1i", "l2", "l3"};
    static const size_t below[] = {L2, L2, L3, SIZE_MAX};
    struct tree *const tree = calloc(1, sizeof *tree);

    assert_non_null(tree);
    sim_init(&tree->sim, LINE_BYTES);
    for (unsigned i = 0; i < CACHES; i++) {
        assert_fine(cache_init(&tree->caches[i], &tree->sim, names[i], &geometry->params[i]));
        tree->nodes[i].cache = &tree->caches[i];
    }
    warm_join(&tree->warm, tree->nodes, CACHES, below);
    return tree;
}

static void tree_free(struct tree *tree)
{
    for (unsigned i = 0; i < CACHES; i++)
        cache_free(&tree->caches[i]);
    sim_free(&tree->sim);
    free(tree);
}

static bool give(struct tree *tree, enum warm_use use, uint64_t line)
{
    static const enum warm_kind kinds[] = {WARM_READ, WARM_WRITE, WARM_FETCH};
    struct warm_node *const node = &tree->nodes[use == WARM_USE_FETCH ? L1I : L1D];
    bool const hits = tags_find(&node->cache->tags, line * LINE_BYTES) != BLOCK_NONE;

    warm_access(&tree->warm, node, &(struct warm_request){.address = line * LINE_BYTES, .kind = kinds[use]});
    return hits;
}

static void give_state(struct tree *tree, const struct warm_state *state)
{
    for (size_t i = 0; i < state->old.count; i++)
        give(tree, warm_line_use(state->old.list[i]), warm_line_number(state->old.list[i]));
    for (size_t i = 0; i < state->recent.count; i++)
        give(tree, warm_line_use(state->recent.list[i]), warm_line_number(state->recent.list[i]));
}

/* Blocks of a cache whose line the other one has not in the same place of the order of use, or with other owners. */
static size_t count_differences(struct tree *one, struct tree *other, unsigned cache, bool looks_at_order)
{
    struct tags *const a = &one->caches[cache].tags, *const b = &other->caches[cache].tags;
    unsigned const states = BLOCK_VALID | BLOCK_DIRTY | BLOCK_WRITABLE | BLOCK_READABLE;
    size_t differences = 0;

    for (uint32_t block = 0; block < a->block_count; block++) {
        uint32_t found;

        if (!tags_is_valid(a, block))
            continue;
        found = tags_find(b, tags_address(a, block));
        differences += found == BLOCK_NONE
            || (looks_at_order && (a->policy.stamps[block] != b->policy.stamps[found]
                                   || (a->flags[block] & states) != (b->flags[found] & states)));
    }
    for (uint32_t block = 0; block < b->block_count; block++)
        differences += tags_is_valid(b, block) && tags_find(a, tags_address(b, block)) == BLOCK_NONE;
    return differences;
}

static size_t count_lines(const struct tree *tree, unsigned cache)
{
    size_t lines = 0;

    for (uint32_t block = 0; block < tree->caches[cache].tags.block_count; block++)
        lines += tags_is_valid(&tree->caches[cache].tags, block);
    return lines;
}

/* ---- a program up to a place, and the two ways to be warm there */
struct run {
    struct program program;
    struct tree *all, *kept;
    size_t old, longest;                 /* lines before the windows of all states; of the longest state */
};

/* What is read of a file in place of what was recorded. */
static void pack_and_unpack(struct warm_state *state)
{
    struct column_packer *const packer = column_packer_make(false);
    struct column payload = {0};
    struct warm_state read = {.touched = state->touched};
    struct column_bytes bytes;

    assert_non_null(packer);
    assert_true(warm_state_pack(state, packer, &payload));
    bytes = (struct column_bytes){payload.at, payload.at + payload.length, false};
    assert_null(warm_state_unpack(&read, &bytes));
    assert_true(bytes.at == bytes.end);
    state->touched = (struct warm_numbers){0};
    warm_state_free(state);
    *state = read;
    column_free(&payload);
    column_packer_free(packer);
}

/* A tree goes through the states one after the other. */
static void give_next(struct run *run, struct warm_record *record, uint64_t place)
{
    struct warm_state state;

    assert_true(warm_record_state(record, place, &state));
    pack_and_unpack(&state);
    give_state(run->kept, &state);
    run->old += state.old.count;
    if (state.old.count + state.recent.count > run->longest)
        run->longest = state.old.count + state.recent.count;
    warm_state_free(&state);
}

/* States at `places` places, at even distances, the last one at the end. */
static struct run run_both(uint64_t seed, uint64_t replacement, uint64_t uses, unsigned places,
                           const struct warm_record_limits *limits)
{
    struct run run = {.program.footprint = 2000};
    struct warm_record *const record = warm_record_new(limits);
    struct warm_sink const sink = warm_record_sink(record);
    struct geometry geometry;

    random_state = seed;
    geometry = random_geometry(replacement);
    run.program.footprint += random_below(20000);
    run.all = tree_new(&geometry);
    run.kept = tree_new(&geometry);
    for (uint64_t i = 0; i < uses; i++) {
        struct use_of const use = next_use(&run.program);

        assert_true(sink.use(sink.context, use.use, use.line, 0));
        give(run.all, use.use, use.line);
        if ((i + 1) * places / uses > i * places / uses)
            give_next(&run, record, i + 1);
    }
    warm_record_free(record);
    warm_end(&run.all->warm);
    warm_end(&run.kept->warm);
    return run;
}

static void end_run(struct run *run)
{
    tree_free(run->all);
    tree_free(run->kept);
}

/* Hits of the next accesses in the L1s. */
static void count_hits(struct run *run, uint64_t hits[2])
{
    hits[0] = hits[1] = 0;
    for (unsigned i = 0; i < AFTER; i++) {
        struct use_of const use = next_use(&run->program);

        hits[0] += give(run->all, use.use, use.line);
        hits[1] += give(run->kept, use.use, use.line);
    }
}

static void within_the_window_all_levels_are_exact(void **state)
{
    struct warm_record_limits const limits = {.lines = 1 << 20, .recent = 1 << 17, .branches = 16};

    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct run run = run_both(seed, REPLACEMENT_LRU, 100000, 1 + seed % 4, &limits);
        uint64_t hits[2];

        assert_int_equal(run.old, 0);
        for (unsigned cache = 0; cache < CACHES; cache++)
            if (count_differences(run.all, run.kept, cache, true) > 0)
                fail_msg("seed %d, cache %u: %zu of %zu lines differ", (int)seed, cache,
                         count_differences(run.all, run.kept, cache, true), count_lines(run.all, cache));
        count_hits(&run, hits);
        assert_int_equal(hits[0], hits[1]);
        end_run(&run);
    }
}

/* Beyond it, too, the L1s are exact; caches below follow the order of last use there, and differ the less the nearer
 * states are to each other. */
static void beyond_the_window(unsigned places, unsigned most_percent)
{
    struct warm_record_limits const limits = {.lines = 1 << 20, .recent = 1 << 12, .branches = 16};
    size_t differ[CACHES] = {0}, lines[CACHES] = {0};

    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct run run = run_both(seed, REPLACEMENT_LRU, 150000, places, &limits);
        uint64_t hits[2];

        assert_true(run.old > 0);
        for (unsigned cache = 0; cache < CACHES; cache++) {
            differ[cache] += count_differences(run.all, run.kept, cache, false);
            lines[cache] += count_lines(run.all, cache);
        }
        count_hits(&run, hits);
        assert_int_equal(hits[0], hits[1]);
        end_run(&run);
    }
    print_message("lines that differ: L1D %zu of %zu, L1I %zu of %zu, L2 %zu of %zu, L3 %zu of %zu\n", differ[L1D],
                  lines[L1D], differ[L1I], lines[L1I], differ[L2], lines[L2], differ[L3], lines[L3]);
    assert_int_equal(differ[L1D] + differ[L1I], 0);
    assert_true(differ[L2] * 100 <= lines[L2] * most_percent);
    assert_true(differ[L3] * 100 <= lines[L3] * most_percent);
}

static void beyond_the_window_the_first_level_is_exact(void **state)
{
    beyond_the_window(1, 10);
    beyond_the_window(5, 10);
    beyond_the_window(20, 2);
}

/* "only what changed since the one before": states add up to what happened, however many places there are. */
static void states_have_what_is_new(void **state)
{
    struct warm_record_limits const limits = {.lines = 1 << 20, .recent = 1 << 10, .branches = 16};
    struct run one = run_both(3, REPLACEMENT_LRU, 100000, 1, &limits);
    struct run many = run_both(3, REPLACEMENT_LRU, 100000, 50, &limits);

    assert_true(many.longest <= 2000 && one.longest > 4 * many.longest);
    end_run(&one);
    end_run(&many);
}

/* LFU counts all uses since the fill, more than a record knows. */
static void other_policies_hit_as_often_within_a_percent(void **state)
{
    struct warm_record_limits const limits = {.lines = 1 << 20, .recent = 1 << 14, .branches = 16};

    for (uint64_t replacement = 0; replacement < REPLACEMENT_COUNT; replacement++) {
        unsigned const percent = replacement == REPLACEMENT_LFU ? 4 : 1;
        struct run run = run_both(7 + replacement, replacement, 100000, (unsigned)(1 + replacement % 3), &limits);
        uint64_t hits[2];

        count_hits(&run, hits);
        if (hits[0] > hits[1] + AFTER / 100 * percent || hits[1] > hits[0] + AFTER / 100 * percent)
            fail_msg("policy %d: %d hits after all accesses, %d with what is kept", (int)replacement, (int)hits[0],
                     (int)hits[1]);
        end_run(&run);
    }
}

/* ---- the record itself */
static void give_record(struct warm_record *record, struct program *program, unsigned uses)
{
    struct warm_sink const sink = warm_record_sink(record);

    for (unsigned i = 0; i < uses; i++) {
        struct use_of const use = next_use(program);
        struct warm_branch const branch = {.pc = 4 * (use.line % 97), .size_bytes = 4, .flags = use.line % 97 % 16,
                                           .next_pc = 4 * (use.line % 97) + 4 * (1 + use.line % 2 * 7)};

        assert_true(sink.use(sink.context, use.use, use.line, 0));
        assert_true(sink.branch(sink.context, &branch));
    }
}

static void assert_same_numbers(const struct warm_numbers *one, const struct warm_numbers *other)
{
    assert_int_equal(one->count, other->count);
    if (one->count > 0)
        assert_memory_equal(one->list, other->list, one->count * sizeof *one->list);
}

static void assert_same_states(const struct warm_state *one, const struct warm_state *other)
{
    assert_same_numbers(&one->old, &other->old);
    assert_same_numbers(&one->recent, &other->recent);
    assert_same_numbers(&one->touched, &other->touched);
    for (unsigned side = 0; side < WARM_SIDES; side++)
        assert_same_numbers(&one->pages[side], &other->pages[side]);
    assert_int_equal(one->is_cut, other->is_cut);
    assert_int_equal(one->branch_count, other->branch_count);
    for (size_t i = 0; i < one->branch_count; i++) {
        assert_int_equal(one->branches[i].pc, other->branches[i].pc);
        assert_int_equal(one->branches[i].next_pc, other->branches[i].next_pc);
        assert_int_equal(one->branches[i].flags, other->branches[i].flags);
        assert_int_equal(one->branches[i].size_bytes, other->branches[i].size_bytes);
    }
}

/* A record that goes on from a state, packed and unpacked, gives the next state as one that was not interrupted. */
static void a_record_goes_on_from_a_state(void **state)
{
    static const struct warm_record_limits limits[] = {
        {.lines = 1 << 20, .recent = 1 << 10, .branches = 1 << 10},
        {.lines = 1 << 9, .recent = 1 << 10, .branches = 64}};

    for (unsigned i = 0; i < COUNT(limits); i++) {
        struct program program = {.footprint = 9000};
        struct warm_record *const whole = warm_record_new(&limits[i]), *const next = warm_record_new(&limits[i]);
        struct warm_state first, second, again;
        struct program kept;
        uint64_t drawn;

        random_state = 5;
        give_record(whole, &program, 50000);
        assert_true(warm_record_state(whole, 50000, &first));
        assert_int_equal(first.is_cut, i == 1);
        pack_and_unpack(&first);
        assert_true(warm_record_resume(next, &first));
        kept = program;
        drawn = random_state;
        give_record(whole, &program, 20000);
        random_state = drawn;
        give_record(next, &kept, 20000);
        assert_true(warm_record_state(whole, 70000, &second));
        assert_true(warm_record_state(next, 70000, &again));
        assert_same_states(&second, &again);
        warm_state_free(&first);
        warm_state_free(&second);
        warm_state_free(&again);
        warm_record_free(whole);
        warm_record_free(next);
    }
}

/* warm_caches.h, `prefetches`: lines that a prefetcher of the L2 asks for are there at once, unused, in the L2 alone; a
 * use takes the mark away, and what was learnt is not counted. */
static void prefetches_come_at_once(void **state)
{
    struct prefetcher_params const streamer = {.type = PREFETCHER_STREAMER, .degree = 2, .distance = 4,
                                               .latency_cyc = 1, .queue_size = 8};
    enum { FIRST = 1000, LAST = 1010, AHEAD = LAST + 4 };

    for (int prefetches = 0; prefetches < 2; prefetches++) {
        struct geometry const geometry = random_geometry(REPLACEMENT_LRU);
        struct tree *const tree = tree_new(&geometry);
        struct tags *const l2 = &tree->caches[L2].tags;

        assert_fine(cache_add_prefetcher(&tree->caches[L2], &streamer));
        tree->warm.prefetches = prefetches == 1;
        for (uint64_t line = FIRST; line <= LAST; line++)
            give(tree, WARM_USE_READ, line);
        for (uint64_t line = LAST + 1; line <= AHEAD + 1; line++) {
            uint32_t const block = tags_find(l2, line * LINE_BYTES);

            assert_int_equal(block != BLOCK_NONE, prefetches == 1 && line <= AHEAD);
            assert_true(block == BLOCK_NONE || tags_has(l2, block, BLOCK_PREFETCHED));
            assert_int_equal(tags_find(&tree->caches[L1D].tags, line * LINE_BYTES), BLOCK_NONE);
        }
        give(tree, WARM_USE_READ, LAST + 1);
        assert_false(tags_has(l2, tags_find(l2, (LAST + 1) * LINE_BYTES), BLOCK_PREFETCHED));
        warm_end(&tree->warm);
        assert_int_equal(tree->caches[L2].prefetcher->stats.issued, 0);
        assert_int_equal(tree->caches[L2].prefetcher->count, 0);
        tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_the_window_all_levels_are_exact),
        cmocka_unit_test(beyond_the_window_the_first_level_is_exact),
        cmocka_unit_test(states_have_what_is_new),
        cmocka_unit_test(other_policies_hit_as_often_within_a_percent),
        cmocka_unit_test(a_record_goes_on_from_a_state),
        cmocka_unit_test(prefetches_come_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
