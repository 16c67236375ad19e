/* proto/capture/iterations.c: continued string instructions give the same output as iterations read word by word. */
#include <unistd.h>

#include "tests/support/capture_rings.h"
#include "tests/support/random_numbers.h"
#include "tests/support/temporary_file.h"

enum { VISITS = 400, SEEDS = 12 };

/* A trace that is written, and how many runs of it were put. */
struct written {
    char path[TEMPORARY_PATH];
    struct rbt_writer *writer;
    uint64_t of_runs;
    struct capture_counts counts;
};

static struct fault error;

static uint32_t write_thread(void *of, uint64_t id, struct fault *fault)
{
    return rbt_writer_thread(((struct written *)of)->writer, id, fault);
}

static struct fault write_insn(void *of, uint32_t thread, const struct insn *insn)
{
    return rbt_writer_put(((struct written *)of)->writer, thread, insn, NULL);
}

static struct fault write_marker(void *of, uint32_t thread, const struct insn_marker *marker)
{
    return rbt_writer_mark(((struct written *)of)->writer, thread, marker);
}

static uint32_t write_run(void *of, uint32_t thread, unsigned count, unsigned accesses)
{
    return rbt_writer_run(((struct written *)of)->writer, thread, count, accesses);
}

static uint32_t write_join(void *of, const uint32_t *runs, unsigned count)
{
    return rbt_writer_join(((struct written *)of)->writer, runs, count);
}

static bool write_room(void *of, uint32_t thread, struct rbt_writer_room *room)
{
    return rbt_writer_room(((struct written *)of)->writer, thread, room);
}

static void write_runs(void *of, uint32_t thread, uint32_t count, uint32_t insns, uint32_t accesses, uint32_t followed,
                       uint64_t target)
{
    struct written *const written = of;

    written->of_runs += count;
    rbt_writer_put_runs(written->writer, thread, count, insns, accesses, followed, target);
}

/* --- words --- */

/* Numbers of the blocks: rep movsb, rep stosq, repe cmpsb, lodsb without rep, ret. */
enum { MOVS = 1, STOS, CMPS, LODS, RETURNS };

static void tell_blocks(struct rings *rings)
{
    rings_tell(rings, MOVS, (struct ring_insn[]){{0x1000, "f3a4", false}}, 1);
    rings_tell(rings, STOS, (struct ring_insn[]){{0x1002, "f348ab", false}}, 1);
    rings_tell(rings, CMPS, (struct ring_insn[]){{0x1005, "f3a6", false}}, 1);
    rings_tell(rings, LODS, (struct ring_insn[]){{0x1007, "ac", false}}, 1);
    rings_tell(rings, RETURNS, (struct ring_insn[]){{0x1008, "c3", false}}, 1);
}

static uint64_t somewhere(void)
{
    return 0x20000 + random_below(1 << 20);
}

/* One iteration; at times in pieces, with an address beyond 48 bits, or an order stamp. */
static void say_iteration(struct rings *rings, unsigned block)
{
    const uint64_t from = somewhere();

    rings_say(rings, 0, said_block(block));
    if (random_below(60) == 0)
        rings_say(rings, 0, capture_word(CAPTURE_HIGH, 0, 0xffff));
    if (block != STOS)
        rings_say(rings, 0, said_load(0, 1, from));
    if (block == MOVS)
        rings_say(rings, 0, said_store(0, 1, somewhere()));
    if (block == CMPS)
        rings_say(rings, 0, said_load(0, 1, random_below(4) == 0 ? from + 1 : somewhere()));
    if (block == STOS && random_below(60) == 0) {
        rings_say(rings, 0, said_store(0, 4, from));
        rings_say(rings, 0, said_store(0, 4, from + 4));
    } else if (block == STOS) {
        rings_say(rings, 0, said_store(0, 8, from));
    }
    if (random_below(80) == 0)
        rings_say(rings, 0, capture_word(CAPTURE_STAMP, 0, 1 + random_below(1000)));
}

/* From block to block in the order of the code; strings continue for some iterations, of which the last may access
 * nothing. */
static void say_visits(struct rings *rings)
{
    rings_start(rings, 0, 1, 0);
    for (unsigned i = 0; i < VISITS; i++) {
        for (unsigned block = MOVS; block <= CMPS; block++) {
            for (uint64_t left = random_below(4) == 0 ? random_below(100) : random_below(4); left > 0; left--)
                say_iteration(rings, block);
            if (random_below(2) == 0)
                rings_say(rings, 0, said_block(block));
        }
        rings_say(rings, 0, said_block(LODS));
        rings_say(rings, 0, said_load(0, 1, somewhere()));
        rings_say(rings, 0, said_block(RETURNS));
        rings_say(rings, 0, said_load(0, 8, 0x7000));
    }
    rings_say(rings, 0, capture_word(CAPTURE_THREAD_END, 0, 0));
}

/* --- both ways --- */

/* piece: words that are read at once. */
static void write_trace(struct written *written, uint64_t seed, uint64_t piece, bool has_runs)
{
    static const struct assemble_region all = {.to_count = UINT64_MAX, .at_most = UINT64_MAX};
    const struct rbt_description about = {.isa = ISA_X86_64, .source = "a test", .command = "", .is_quick = has_runs};
    const struct assemble_sink sink = {
        .of = written, .thread = write_thread, .put = write_insn, .mark = write_marker,
        .run = has_runs ? write_run : NULL, .room = has_runs ? write_room : NULL,
        .put_runs = has_runs ? write_runs : NULL, .join = write_join
    };
    struct rings *const rings = rings_open(ISA_X86_64, NULL);

    *written = (struct written){0};
    make_temporary_file(written->path);
    written->writer = rbt_writer_create(written->path, &about, &error);
    assert_non_null(written->writer);
    assemble_end(rings->assembler);
    rings->assembler = assemble_begin(&rings->code, &sink, &all, &error);
    assert_non_null(rings->assembler);
    random_state = seed;
    tell_blocks(rings);
    say_visits(rings);
    rings_read(rings, 0, piece);
    rings_close_lane(rings, 0);
    written->counts = *rings_counts(rings);
    assert_true(WORKS(error, rbt_writer_finish(written->writer)));
    rings_free(rings);
}

static bool is_same(const struct insn_event *one, const struct insn_event *other)
{
    if (one->is_marker || other->is_marker)
        return one->is_marker && other->is_marker && one->marker.kind == other->marker.kind &&
            one->marker.value == other->marker.value;
    if (one->insn.pc != other->insn.pc || one->insn.form != other->insn.form ||
        one->insn.branch != other->insn.branch || one->insn.target != other->insn.target ||
        one->insn.access_count != other->insn.access_count)
        return false;
    for (size_t i = 0; i < one->insn.access_count; i++)
        if (one->insn.accesses[i].address != other->insn.accesses[i].address ||
            one->insn.accesses[i].size_bytes != other->insn.accesses[i].size_bytes ||
            one->insn.accesses[i].is_write != other->insn.accesses[i].is_write)
            return false;
    return true;
}

static void compare(const struct written *written)
{
    struct insn_trace *traces[2];
    struct insn_cursor *cursors[2];
    struct insn_event events[2];
    enum insn_step steps[2];

    for (int i = 0; i < 2; i++) {
        traces[i] = insn_trace_open_raw(written[i].path, &error);
        assert_non_null(traces[i]);
        cursors[i] = insn_cursor_open(traces[i], 0, &error);
        assert_non_null(cursors[i]);
    }
    assert_int_equal(insn_trace_thread(traces[0], 0)->instructions, insn_trace_thread(traces[1], 0)->instructions);
    do {
        for (int i = 0; i < 2; i++)
            steps[i] = insn_cursor_next(cursors[i], &events[i], &error);
        assert_int_equal(steps[0], steps[1]);
        assert_true(steps[0] == INSN_END || (steps[0] == INSN_RECORD && is_same(&events[0], &events[1])));
    } while (steps[0] == INSN_RECORD);
    for (int i = 0; i < 2; i++) {
        insn_cursor_close(cursors[i]);
        insn_trace_close(traces[i]);
        unlink(written[i].path);
    }
}

static void as_word_by_word(void **state)
{
    static const uint64_t pieces[] = {UINT64_MAX, 1000, 7};

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct written written[2];

        write_trace(&written[0], seed, UINT64_MAX, false);
        write_trace(&written[1], seed, pieces[seed % 3], true);
        assert_memory_equal(&written[0].counts, &written[1].counts, sizeof written[0].counts);
        assert_true(written[0].counts.repeats > 1000);
        compare(written);
        /* Iterations of movs and stos, all of which are there at once, are put as runs mostly. */
        if (seed % 3 == 0)
            assert_true(written[1].of_runs > written[0].counts.repeats / 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_word_by_word)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
