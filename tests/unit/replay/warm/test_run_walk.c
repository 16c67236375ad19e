/* replay/warm/fast/run_walk.h: on random traces a walk run by run gives the uses and branches, at every place, that the
 * walk by instructions gives; with a sink that leaves uses out, those that are left. */
#include "proto/insn/rbt/rbt_writer.h"
#include "replay/warm/fast/run_walk.h"
#include "tests/support/random_numbers.h"
#include "tests/support/temporary_file.h"
#include "tests/support/unit.h"

enum { TRACES = 12, INSNS = 20000, STATICS = 400, MOST_ACCESSES = 20, PLACES = 40 };

static char path[TEMPORARY_PATH];
static bool is_met[STATICS];              /* its bytes are in the trace */

/* ---- a random trace: loops of instructions, of which each has its kind and mostly its accesses */
static void put_insn(struct rbt_writer *writer, uint64_t number, bool repeats, bool is_odd)
{
    static struct insn_access accesses[MOST_ACCESSES];
    static const uint8_t codes[][2] = {{0x90}, {0x74, 2}, {0xeb, 2}, {0xc3}};
    struct insn insn = {.pc = 0x400000 + 7 * number, .size_bytes = (uint32_t)(number % 7 == 0 ? 0 : 1 + number % 9),
                        .form = number % 50 == 49 ? INSN_ACCESS_ONLY : repeats ? INSN_REPEAT : INSN_EXECUTED,
                        .kind = (enum isa_kind)(number % ISA_KIND_COUNT), .accesses = accesses,
                        .has_target = number % 6 == 2, .gap = number % 13 == 5 ? random_below(9) : 0};
    struct insn_marker const marker = {.kind = INSN_MARKER_STAMP, .value = random_below(1000)};

    insn.target = insn.has_target ? insn.pc + random_below(3) : 0;
    insn.access_count = is_odd && number % 12 == 7 ? random_below(MOST_ACCESSES) : number % 4 == 3 ? 1 + number % 3 : 0;
    for (size_t i = 0; i < insn.access_count; i++) {
        accesses[i] = (struct insn_access){.size_bytes = (uint32_t)(number % 5 == 0 ? 0 : 1u << random_below(8) % 4),
                                           .is_write = (number + i) % 2, .is_of_pc = number % 16 == 11,
                                           .back = i > 0 && number % 3 == 0, .by = 8 * number};
        accesses[i].address = accesses[i].back ? accesses[i - 1].address + accesses[i].by
            : accesses[i].is_of_pc ? insn.pc + accesses[i].by
            : random_below(40) == 0 ? random_bits() : 0x10000 * (number % 9) + random_below(1 << 9);
    }
    if (!is_met[number])
        memcpy(insn.encoding, codes[number % COUNT(codes)], insn.encoding_bytes = 2);
    is_met[number] = true;
    assert_fine(rbt_writer_put(writer, 0, &insn, NULL));
    if (random_below(300) == 0)
        assert_fine(rbt_writer_mark(writer, 0, &marker));
}

static void write_trace(uint32_t lacks)
{
    struct rbt_description const about = {.isa = ISA_X86_64, .lacks = lacks, .source = "a test", .command = ""};
    struct fault fault;
    struct rbt_writer *const writer = rbt_writer_create(path, &about, &fault);
    uint64_t begin = 0, length = 10;

    assert_non_null(writer);
    memset(is_met, 0, sizeof is_met);
    assert_int_equal(rbt_writer_thread(writer, 1, &fault), 0);
    for (uint64_t i = 0; i < INSNS; i++) {
        if (random_below(60) == 0)
            begin = random_below(STATICS), length = 1 + random_below(30);
        put_insn(writer, (begin + i % length) % STATICS, random_below(200) == 0, random_below(2));
    }
    assert_fine(rbt_writer_finish(writer));
}

/* ---- what a walk gives */
struct given { uint64_t what, pc, more; };

struct log {
    struct given *list;
    size_t count;
    struct warm_near near[2];
    bool is_filtered;                    /* by `near`, as systems do */
};

static void add(struct log *log, uint64_t what, uint64_t pc, uint64_t more)
{
    log->list[log->count++] = (struct given){what, pc, more};
}

static bool use(void *context, enum warm_use use, uint64_t line, uint64_t pc)
{
    struct log *const log = context;
    struct warm_near *const near = &log->near[use == WARM_USE_FETCH];

    if (log->is_filtered && warm_near_skips(near, use, line))
        return true;
    near->page = warm_near_page(near, line);
    near->lines[line % WARM_NEAR_LINES] = line << 1 | (use == WARM_USE_WRITE);
    add(log, use, pc, line);
    return true;
}

static bool branch(void *context, const struct warm_branch *branch)
{
    add(context, UINT64_C(1) << 32 | (uint64_t)branch->size_bytes << 8 | branch->flags, branch->pc, branch->next_pc);
    return true;
}

static struct log log_new(bool is_filtered, uint64_t page_mask)
{
    struct log log = {.list = calloc((size_t)INSNS * (MOST_ACCESSES * 2 + 2), sizeof *log.list),
                      .is_filtered = is_filtered};

    assert_non_null(log.list);
    for (unsigned side = 0; side < 2; side++) {
        log.near[side] = (struct warm_near){.page = page_mask ? WARM_NO_PAGE : 0, .page_mask = page_mask};
        memset(log.near[side].lines, 0xff, sizeof log.near[side].lines);
    }
    return log;
}

static struct warm_walk *walk_new(const struct insn_trace *trace, struct log *log, uint64_t from,
                                  const struct warm_walk_way *way)
{
    struct warm_sink sink = {.use = use, .branch = branch, .context = log};
    struct fault fault;
    struct warm_walk *walk;

    if (log->is_filtered)
        sink.near[0] = &log->near[0], sink.near[1] = &log->near[1];
    walk = warm_walk_open(trace, from, &sink, way, &fault);
    assert_non_null(walk);
    return walk;
}

static void assert_same(const struct log *plain, const struct log *fast)
{
    assert_int_equal(plain->count, fast->count);
    for (size_t i = 0; i < plain->count; i++)
        assert_memory_equal(&plain->list[i], &fast->list[i], sizeof plain->list[i]);
}

static void walk_both(const struct insn_trace *trace, uint64_t from, bool is_filtered, uint64_t page_mask)
{
    struct log plain = log_new(is_filtered, page_mask), fast = log_new(is_filtered, page_mask);
    struct warm_walk *const one = walk_new(trace, &plain, from, NULL), *const other = walk_new(trace, &fast, from,
                                                                                               &run_walk);
    uint64_t place = from;

    for (unsigned i = 0; i < PLACES; i++) {
        struct warm_branch one_pending, other_pending;

        place += random_below(2) ? random_below(5) : random_below(2 * (INSNS - from) / PLACES);
        place = i + 1 == PLACES || place > INSNS ? INSNS : place;
        assert_fine(warm_walk_to(one, place, NULL, NULL));
        assert_fine(warm_walk_to(other, place, NULL, NULL));
        assert_int_equal(warm_walk_place(other), place);
        one_pending = warm_walk_pending(one), other_pending = warm_walk_pending(other);
        assert_true(one_pending.pc == other_pending.pc && one_pending.size_bytes == other_pending.size_bytes
                    && one_pending.flags == other_pending.flags);
        assert_same(&plain, &fast);
        if (random_below(3) == 0)
            warm_walk_leave_line(one), warm_walk_leave_line(other);
    }
    assert_true(plain.count > (INSNS - from) / 50);
    assert_int_equal(warm_walk_to(other, INSNS + 1, NULL, NULL).kind, FAULT_INPUT);
    warm_walk_close(one);
    warm_walk_close(other);
    free(plain.list);
    free(fast.list);
}

static void runs_give_the_same(void **state)
{
    for (unsigned i = 0; i < TRACES; i++) {
        struct fault fault;
        struct insn_trace *trace;
        struct insn_cursor *cursor;

        write_trace(i % 3 == 2 ? 1u << INSN_LACKS_PARTS_OF_LINES : 0);
        trace = insn_trace_open(path, &fault);
        assert_non_null(trace);
        cursor = insn_cursor_open(trace, 0, &fault);
        assert_true(insn_cursor_has_run_accesses(cursor));
        insn_cursor_close(cursor);
        walk_both(trace, 0, false, UINT64_MAX);
        walk_both(trace, random_below(INSNS / 2), true, i % 2 ? UINT64_MAX : 0);
        insn_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_give_the_same)};
    int failed;

    make_temporary_file(path);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
