/* .rbt: instructions put as runs, and joined runs, give the same file as instructions put singly. */
#include "tests/support/unit.h"

#include <unistd.h>

#include "proto/insn/rbt/rbt_file.h"
#include "proto/insn/rbt/rbt_writer.h"
#include "tests/support/random_numbers.h"
#include "tests/support/temporary_file.h"

enum { BLOCKS = 40, BLOCK_INSNS = 7, STEPS = 160000, THREADS = 2 };
enum { JOINED = 5, ROOM = JOINED * BLOCK_INSNS };

static char path[TEMPORARY_PATH];
static struct fault error;

static struct rbt_writer *create(bool is_quick)
{
    struct rbt_description const about = {.isa = ISA_X86_64, .source = "a test", .command = "", .is_quick = is_quick};
    struct rbt_writer *writer;

    make_temporary_file(path);
    writer = rbt_writer_create(path, &about, &error);
    if (!writer)
        fail_msg("%s", fault_text(error));
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(rbt_writer_thread(writer, 1 + t, &error), t);
    return writer;
}

static void finish(struct rbt_writer *writer)
{
    if (FAILS(error, rbt_writer_finish(writer)))
        fail_msg("%s", fault_text(error));
}

/* ---- a program of blocks */

enum way { BY_INSNS, BY_RUNS, BY_JOINED };

struct block {
    unsigned at, next, count, access_count, told;
    bool is_odd;
    struct insn_access accesses[BLOCK_INSNS];
    uint64_t addresses[BLOCK_INSNS];     /* of those that do not follow from others */
};

/* Blocks that were met, of which the first are not put yet. */
struct program {
    struct rbt_writer *writer;
    uint32_t runs[BLOCKS][BLOCKS];       /* run of a block by its successor */
    uint32_t pending[JOINED], pending_count, thread;
    uint64_t addresses[ROOM], target;
    uint32_t insns, told, followed;
    unsigned put_as_runs, put_joined;
};

/* Each fourth block lies behind the one before it, which falls through to it without a branch. */
static bool falls(unsigned at, unsigned next)
{
    return next == at + 1 && next % 4 == 3;
}

static uint64_t pc_of(unsigned at)
{
    return at % 4 == 3 ? pc_of(at - 1) + 1 + (at - 1) % BLOCK_INSNS : 0x1000 * (uint64_t)at;
}

/* Continues at one of two others; some have accesses, the last of which sometimes has another size. */
static struct block make_block(unsigned at, unsigned step)
{
    struct block block = {.at = at, .next = (at + (random_below(3) == 0 ? 17 : 1)) % BLOCKS,
                          .count = 1 + at % BLOCK_INSNS, .is_odd = random_below(100) == 0};

    for (unsigned i = 0; i < block.count; i++) {
        uint64_t const address = random_below(4) == 0 ? random_bits() : 0x1000 * at + 8 * step;
        struct insn_access *const access = &block.accesses[block.access_count];

        if ((at + i) % 3 != 0)
            continue;
        *access = (struct insn_access){.address = address, .size_bytes = block.is_odd ? 4 : 8, .is_write = at % 2};
        if (at % 5 == 0 && block.access_count > 0) {
            access->back = 1;
            access->by = at;
            access->address = access[-1].address + at;
        } else {
            block.addresses[block.told++] = address;
        }
        block.access_count++;
    }
    return block;
}

static void put_insns(struct program *program, const struct block *block)
{
    for (unsigned i = 0, k = 0; i < block->count; i++) {
        struct insn insn = {.pc = pc_of(block->at) + i, .size_bytes = 1, .form = INSN_EXECUTED, .encoding_bytes = 1,
                            .encoding = {(uint8_t)(block->at + i)}};

        if ((block->at + i) % 3 == 0) {
            insn.accesses = &block->accesses[k++];
            insn.access_count = 1;
        }
        if (i + 1 == block->count && !falls(block->at, block->next)) {
            insn.has_target = true;
            insn.target = pc_of(block->next);
        }
        assert_true(WORKS(error, rbt_writer_put(program->writer, program->thread, &insn, NULL)));
    }
}

/* Puts the blocks that are pending, the first of them joined if they can be. False: there is no room. */
static bool put_pending(struct program *program, unsigned joined)
{
    struct rbt_writer_room room;
    uint32_t count = 0, run = RBT_WRITER_NO_RUN;

    assert_true(rbt_writer_room(program->writer, program->thread, &room));
    if (room.insns < program->insns || room.accesses < program->told)
        return false;
    if (joined > 1)
        run = rbt_writer_join(program->writer, program->pending, joined);
    if (run != RBT_WRITER_NO_RUN)
        room.runs[count++] = run;
    program->put_joined += count;
    for (unsigned i = run != RBT_WRITER_NO_RUN ? joined : 0; i < program->pending_count; i++)
        room.runs[count++] = program->pending[i];
    memcpy(room.addresses, program->addresses, program->told * sizeof *room.addresses);
    rbt_writer_put_runs(program->writer, program->thread, count, program->insns, program->told, program->followed,
                        program->target);
    program->put_as_runs += program->pending_count;
    program->pending_count = program->insns = program->told = program->followed = 0;
    return true;
}

static void add_pending(struct program *program, const struct block *block)
{
    program->pending[program->pending_count++] = program->runs[block->at][block->next];
    memcpy(program->addresses + program->told, block->addresses, block->told * sizeof *block->addresses);
    program->insns += block->count;
    program->told += block->told;
    program->followed += block->access_count - block->told;
    program->target = pc_of(block->next);
}

/* Returns how many blocks were put joined. */
static unsigned write_blocks(enum way way, bool is_quick)
{
    struct program program = {.writer = create(is_quick)};
    struct block before[JOINED];         /* those that are pending */
    unsigned at = 0;
    uint64_t state;

    random_state = 77;
    memset(program.runs, 0xff, sizeof program.runs);
    for (unsigned step = 0; step < STEPS; step++) {
        struct block const block = make_block(at, step);
        uint32_t *const run = &program.runs[block.at][block.next];
        bool const is_last = step % 1000 == 999 || program.pending_count + 1 == JOINED || way == BY_RUNS;
        bool const is_run = way != BY_INSNS && !block.is_odd && *run != RBT_WRITER_NO_RUN;

        if (is_run) {
            before[program.pending_count] = block;
            add_pending(&program, &block);
        }
        if (program.pending_count > 0 && (!is_run || is_last)) {
            unsigned const count = program.pending_count;

            state = random_state;
            if (!put_pending(&program, way == BY_JOINED ? (unsigned)random_below(count + 1) : 0)) {
                for (unsigned i = 0; i < count; i++)
                    put_insns(&program, &before[i]);
                program.pending_count = program.insns = program.told = program.followed = 0;
            }
            random_state = state;        /* the same program each way */
        }
        if (!is_run) {
            put_insns(&program, &block);
            if (way != BY_INSNS && !block.is_odd)
                *run = rbt_writer_run(program.writer, program.thread, block.count, block.told);
        }
        if (step % 1000 == 999) {
            struct insn_marker const marker = {.kind = INSN_MARKER_STAMP, .value = step};

            assert_true(WORKS(error, rbt_writer_mark(program.writer, program.thread, &marker)));
            program.thread = (step + 1) / 5000 % THREADS;
        }
        at = block.next;
    }
    assert_true(way == BY_INSNS || program.put_as_runs > STEPS / 2);
    finish(program.writer);
    return program.put_joined;
}

static uint8_t *whole_file(size_t *count)
{
    FILE *const file = fopen(path, "rb");
    uint8_t *const bytes = malloc(1 << 24);

    assert_non_null(file);
    assert_non_null(bytes);
    *count = fread(bytes, 1, 1 << 24, file);
    assert_true(*count > 1000 && *count < 1 << 24);
    fclose(file);
    unlink(path);
    return bytes;
}

/* A file written with runs is the same, byte by byte. */
static void runs_are_instructions(void **state)
{
    for (unsigned quick = 0; quick < 2; quick++) {
        uint8_t *bytes[2];
        size_t counts[2];

        for (int i = 0; i < 2; i++) {
            write_blocks(i == 1 ? BY_RUNS : BY_INSNS, quick != 0);
            bytes[i] = whole_file(&counts[i]);
        }
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(bytes[0], bytes[1], counts[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
}

/* ---- joined runs */

static bool is_same(const struct insn_event *one, const struct insn_event *other)
{
    if (one->is_marker || other->is_marker)
        return one->is_marker && other->is_marker && one->marker.kind == other->marker.kind
            && one->marker.value == other->marker.value;
    if (one->insn.pc != other->insn.pc || one->insn.has_target != other->insn.has_target
        || one->insn.target != other->insn.target || one->insn.access_count != other->insn.access_count)
        return false;
    for (size_t i = 0; i < one->insn.access_count; i++)
        if (one->insn.accesses[i].address != other->insn.accesses[i].address
            || one->insn.accesses[i].size_bytes != other->insn.accesses[i].size_bytes)
            return false;
    return true;
}

static void threads_are_same(struct insn_trace *const *traces, size_t thread)
{
    struct insn_cursor *cursors[2];
    struct insn_event events[2];
    enum insn_step steps[2];

    for (int i = 0; i < 2; i++) {
        cursors[i] = insn_cursor_open(traces[i], thread, &error);
        assert_non_null(cursors[i]);
    }
    do {
        for (int i = 0; i < 2; i++)
            steps[i] = insn_cursor_next(cursors[i], &events[i], &error);
        assert_int_equal(steps[0], steps[1]);
        assert_true(steps[0] != INSN_RECORD || is_same(&events[0], &events[1]));
    } while (steps[0] == INSN_RECORD);
    assert_int_equal(steps[0], INSN_END);
    for (int i = 0; i < 2; i++)
        insn_cursor_close(cursors[i]);
}

static void joined_runs_are_instructions(void **state)
{
    for (unsigned quick = 0; quick < 2; quick++) {
        struct insn_trace *traces[2];

        for (int i = 0; i < 2; i++) {
            unsigned const joined = write_blocks(i == 1 ? BY_JOINED : BY_INSNS, quick != 0);

            assert_true(i == 0 ? joined == 0 : joined > STEPS / 20);
            traces[i] = insn_trace_open_raw(path, &error);
            assert_non_null(traces[i]);
            unlink(path);
        }
        for (size_t t = 0; t < THREADS; t++)
            threads_are_same(traces, t);
        insn_trace_close(traces[0]);
        insn_trace_close(traces[1]);
    }
}

/* `count` instructions, the last with a target if has_target; returns their run. */
static uint32_t put_and_learn(struct rbt_writer *writer, uint64_t pc, unsigned count, bool has_target)
{
    for (unsigned i = 0; i < count; i++) {
        struct insn const insn = {.pc = pc + i, .size_bytes = 1, .form = INSN_EXECUTED, .encoding_bytes = 1,
                                  .has_target = has_target && i + 1 == count, .target = pc,
                                  .branch = !has_target && i + 1 == count ? INSN_TAKEN : INSN_BRANCH_UNKNOWN};

        assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, NULL)));
    }
    return rbt_writer_run(writer, 0, count, 0);
}

/* runs.c: joined once, they are the same run; above the limits of rows and targets there is no joint run. */
static void some_runs_cannot_be_joined(void **state)
{
    struct rbt_writer *const writer = create(true);
    uint32_t const half = put_and_learn(writer, 0x1000, 128, false), turn = put_and_learn(writer, 0x2000, 3, true);
    uint32_t const halves[] = {half, half, turn}, turns[] = {turn, turn, turn, turn, turn, turn, turn, turn};
    uint32_t joined;

    assert_int_not_equal(half, RBT_WRITER_NO_RUN);
    assert_int_not_equal(turn, RBT_WRITER_NO_RUN);
    joined = rbt_writer_join(writer, halves, 2);
    assert_int_not_equal(joined, RBT_WRITER_NO_RUN);
    assert_int_not_equal(joined, half);
    assert_int_equal(rbt_writer_join(writer, halves, 2), joined);
    assert_int_equal(rbt_writer_join(writer, halves, 3), RBT_WRITER_NO_RUN);
    assert_int_not_equal(rbt_writer_join(writer, turns, 7), RBT_WRITER_NO_RUN);
    assert_int_equal(rbt_writer_join(writer, turns, 8), RBT_WRITER_NO_RUN);
    assert_int_equal(rbt_writer_join(writer, turns, 0), RBT_WRITER_NO_RUN);
    rbt_writer_abandon(writer);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_instructions), cmocka_unit_test(joined_runs_are_instructions),
        cmocka_unit_test(some_runs_cannot_be_joined)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
