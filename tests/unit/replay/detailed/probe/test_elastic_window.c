/* replay/detailed/probe/elastic_window.h: elastic-trace 3.5 to 3.8, elastic-truth 1, by hand; then random runs against
 * the specification's text, taken literally and slowly. */
#include "replay/detailed/probe/elastic_window.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

enum { PERIOD_PS = 500, MOST_RECORDS = 20000, MOST_DEPS = 16 };

/* A record as it was given, with its lists. */
struct kept {
    struct dep_record record;
    uint64_t order[MOST_DEPS], producers[MOST_DEPS];
};

static struct kept kept[MOST_RECORDS];
static size_t kept_count;

static bool keep(void *self, const struct dep_record *record)
{
    struct kept *const to = &kept[kept_count++];

    assert_true(kept_count <= MOST_RECORDS && record->rob_dep_count <= MOST_DEPS
                && record->reg_dep_count <= MOST_DEPS);
    to->record = *record;
    memcpy(to->order, record->rob_dep, record->rob_dep_count * sizeof *record->rob_dep);
    memcpy(to->producers, record->reg_dep, record->reg_dep_count * sizeof *record->reg_dep);
    return true;
}

/* A micro-op in short; cycles. */
struct op {
    uint64_t seq;
    uint32_t flags;
    uint64_t execute, to_commit, retire;
    uint64_t producers[3];
    uint64_t place;
    uint32_t bytes;
    enum { FINE, SQUASHED, FAULTY, WITHOUT_REQUEST } how;
};

/* Its parts: when and what, its producers, its access. */
#define AT(number, kind, execute_cyc, to_commit_cyc, retire_cyc)                                                      \
    .seq = number, .flags = kind, .execute = execute_cyc, .to_commit = to_commit_cyc, .retire = retire_cyc
#define OF(...) .producers = {__VA_ARGS__}
#define ON(address, size) .place = address, .bytes = size

enum { COMP = 0, LOAD = UOP_LOAD, STORE = UOP_STORE, AMO = UOP_ATOMIC };

static void add(struct elastic_window *window, const struct op *op, enum elastic_sight sight)
{
    struct supply_insn const insn = {.pc = 0x1000 + op->seq};
    struct uop const uop = {.flags = op->flags};
    struct supply_access const access = {.address = op->place + 0x10000, .place = op->place, .size_bytes = op->bytes,
                                         .has_place = true};
    struct detailed_retired retired = {
        .seq = op->seq, .insn = &insn, .uop = &uop, .access = op->flags & UOP_MEMORY ? &access : NULL,
        .is_squashed = op->how == SQUASHED, .has_fault = op->how == FAULTY,
        .has_request = (op->flags & UOP_MEMORY) && op->how != WITHOUT_REQUEST,
        .execute_cyc = op->execute, .to_commit_cyc = op->to_commit, .retire_cyc = op->retire
    };

    while (retired.producer_count < COUNT(op->producers) && op->producers[retired.producer_count]) {
        retired.producers[retired.producer_count] = op->producers[retired.producer_count];
        retired.producer_count++;
    }
    elastic_window_add(window, &retired, sight);
}

static struct elastic_window *open_window(uint32_t records, bool has_virtual)
{
    struct elastic_window_setup const setup = {.period_ps = PERIOD_PS, .window = records, .has_virtual = has_virtual,
                                               .put = keep};
    struct elastic_window *const window = elastic_window_new(&setup);

    assert_non_null(window);
    kept_count = 0;
    return window;
}

/* All of them through a window of 64; the written records are in `kept`. */
static struct elastic_window_counts run(const struct op *ops, size_t count)
{
    struct elastic_window *const window = open_window(64, false);
    struct elastic_window_counts counts;

    for (size_t i = 0; i < count; i++)
        add(window, &ops[i], ELASTIC_FROM_RENAME);
    elastic_window_end(window);
    counts = *elastic_window_counted(window);
    elastic_window_free(window);
    return counts;
}

/* SEQ WEIGHT TYPE DELAY:order:producers, as gem5's script would print it. */
static void assert_kept(size_t index, const char *expected)
{
    static const char types[] = "?LSC";
    const struct kept *const one = &kept[index];
    char text[300];
    int length;

    assert_true(index < kept_count);
    length = snprintf(text, sizeof text, "%llu %u %c %llu:", (unsigned long long)one->record.seq_num,
                      one->record.weight, types[one->record.type], (unsigned long long)one->record.comp_delay);
    for (size_t i = 0; i < one->record.rob_dep_count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, ",%llu", (unsigned long long)one->order[i]);
    length += snprintf(text + length, sizeof text - (size_t)length, ":");
    for (size_t i = 0; i < one->record.reg_dep_count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, ",%llu",
                           (unsigned long long)one->producers[i]);
    assert_string_equal(text, expected);
}

#define RUN(ops) run(ops, COUNT(ops))

/* 3.6: a record without predecessors has the tick of its own execution: a COMP when it was written back, a load when
 * it was sent. */
static void the_first_has_an_absolute_delay(void **state)
{
    static const struct op ops[] = {
        {AT(1, COMP, 30, 31, 33)}, {AT(2, COMP, 31, 32, 33), OF(1)}, {AT(3, LOAD, 20, 40, 41), .bytes = 8}
    };
    static const struct op load[] = {{AT(7, LOAD, 20, 24, 26), .bytes = 8}};

    RUN(ops);
    assert_kept(0, "1 0 C 15500::");
    RUN(load);
    assert_kept(0, "7 0 L 10000::");
}

/* 3.6: exec(child) - done(parent): a COMP's delay has its own latency in it, a load's not that of memory. */
static void delays_run_from_the_producer(void **state)
{
    static const struct op ops[] = {
        {AT(1, COMP, 10, 10, 20)},
        {AT(2, COMP, 11, 14, 21), OF(1)},                      /* 4 cycles behind 1 */
        {AT(3, LOAD, 15, 40, 42), OF(2), ON(0x100, 8)},            /* sent 1 behind 2 */
        {AT(4, COMP, 41, 41, 43), OF(3)},                      /* 1 behind the answer */
        {AT(5, LOAD, 44, 46, 48), OF(4, 1), ON(0x140, 8)},         /* 3 behind the later one */
        {AT(6, COMP, 47, 47, 49), OF(5)}, {AT(7, COMP, 48, 48, 50), OF(6)}
    };

    RUN(ops);
    assert_int_equal(kept_count, 6);
    assert_kept(1, "2 0 C 2000::,1");
    assert_kept(2, "3 0 L 500::,2");
    assert_kept(3, "4 0 C 500::,3");
    assert_kept(4, "5 0 L 1500::,1,4");
    assert_kept(5, "6 0 C 500::,5");
}

/* 3.5: the nearest store, then the nearest load; a store is executed when it commits, and a load is done with its
 * answer. Stores that commit in one cycle wait for each other with a delay of 0 (elastic-truth 1.3). */
static void stores_wait_in_order(void **state)
{
    static const struct op ops[] = {
        {AT(1, LOAD, 10, 14, 20), .place = 0x100, .bytes = 8},
        {AT(2, STORE, 11, 11, 22), .place = 0x100, .bytes = 4},
        {AT(3, STORE, 12, 12, 22), .place = 0x104, .bytes = 4},
        {AT(4, LOAD, 13, 30, 31), .place = 0x200, .bytes = 8},
        {AT(5, COMP, 14, 14, 31)},
        {AT(6, STORE, 15, 15, 33), OF(5), ON(0x108, 4)}
    };

    RUN(ops);
    assert_kept(1, "2 0 S 4000:,1:");
    assert_kept(2, "3 0 S 0:,2,1:");
    assert_kept(4, "5 0 C 500:,4:");                     /* issue order: the load was sent at 13 */
    assert_kept(5, "6 0 S 1500:,3,4:,5");
}

/* 3.5: what waits for nothing waits for the nearest one that was complete when it was executed; loads need only have
 * been sent. */
static void an_instruction_without_waits_waits_for_issue(void **state)
{
    static const struct op ops[] = {
        {AT(1, COMP, 5, 5, 20)}, {AT(2, COMP, 9, 9, 20)}, {AT(3, COMP, 40, 40, 41)},
        {AT(4, COMP, 9, 9, 42)},                             /* 3 was later; 2 in the same cycle counts */
        {AT(5, LOAD, 8, 60, 61), .place = 0x40, .bytes = 8}, /* 4, 3, 2 were later */
        {AT(6, COMP, 12, 12, 62)},                           /* load 5 was sent, though not answered */
        {AT(7, LOAD, 3, 9, 63), .place = 0x80, .bytes = 8}   /* nothing was complete */
    };

    RUN(ops);
    assert_int_equal(kept_count, 4);
    assert_kept(0, "1 0 C 2500::");
    assert_kept(1, "2 0 C 2000:,1:");
    assert_kept(2, "5 2 L 1500:,1:");
    assert_kept(3, "7 1 L 1500::");
}

/* A store without a load or store before it: 3.5, as any other. */
static void a_store_without_company_waits_for_issue(void **state)
{
    static const struct op ops[] = {
        {AT(1, COMP, 5, 5, 20)}, {AT(2, COMP, 30, 30, 31)}, {AT(3, STORE, 6, 6, 29), .bytes = 8}
    };

    RUN(ops);
    assert_kept(1, "3 1 S 12000:,1:");
}

/* 3.7: a COMP without dependents is left out and counted in the next one's weight; one level deep. */
static void comps_without_children_become_weight(void **state)
{
    static const struct op ops[] = {
        {AT(1, COMP, 5, 5, 20)}, {AT(2, COMP, 6, 6, 20), OF(1)}, {AT(3, COMP, 7, 7, 20), OF(2)},
        {AT(4, COMP, 7, 7, 21), OF(1)},
        {AT(5, LOAD, 9, 12, 22), OF(1), ON(0x40, 8)}, {AT(6, COMP, 13, 13, 23), OF(5)}
    };
    struct elastic_window_counts const counts = RUN(ops);

    assert_int_equal(kept_count, 3);
    assert_kept(0, "1 0 C 2500::");
    assert_kept(1, "2 0 C 500::,1");                     /* its only child, 3, is left out itself */
    assert_kept(2, "5 2 L 2000::,1");
    assert_int_equal(counts.filtered, 3);
    assert_int_equal(counts.records[DEP_COMP], 2);
    assert_int_equal(counts.records[DEP_LOAD], 1);
}

/* 3.5, elastic-truth 1.6: no producers, no children, always written; the weight of those before it is its own. */
static void squashed_loads_are_recorded(void **state)
{
    static const struct op ops[] = {
        {AT(1, COMP, 5, 5, 20)}, {AT(2, COMP, 6, 6, 20)},
        {AT(3, LOAD, 7, 9, 21), OF(1), ON(0x40, 8), .how = SQUASHED},
        {AT(4, LOAD, 8, DETAILED_NEVER, 21), OF(1), ON(0x80, 8), .how = SQUASHED},            /* no answer yet */
        {AT(5, LOAD, DETAILED_NEVER, DETAILED_NEVER, 21), OF(1), ON(0x80, 8), .how = SQUASHED},
        {AT(6, LOAD, 8, 8, 21), OF(1), ON(0x80, 8), .how = WITHOUT_REQUEST},
        {AT(7, COMP, 8, 8, 21), OF(1), .how = SQUASHED}, {AT(8, STORE, 8, 8, 21), OF(1), ON(0x80, 8), .how = SQUASHED},
        {AT(9, COMP, 8, 8, 22)},
        {AT(10, STORE, 10, 10, 23), OF(1), ON(0xc0, 8)}
    };
    struct elastic_window_counts const counts = RUN(ops);

    assert_kept(0, "1 0 C 2500::");
    assert_kept(1, "2 0 C 500:,1:");
    assert_kept(2, "3 0 L 500:,2:");
    assert_kept(3, "10 1 S 9000::,1");                   /* 9 waited for 2, past the squashed load */
    assert_int_equal(kept_count, 4);
    assert_int_equal(counts.squashed_loads, 1);
}

/* elastic-truth 1.1, 1.4: no record, no weight; a dependence on such a producer is dropped. */
static void faulty_ones_leave_no_record(void **state)
{
    static const struct op ops[] = {
        {AT(1, COMP, 5, 5, 20)}, {AT(2, COMP, 6, 6, 20), OF(1), .how = FAULTY}, {AT(3, UOP_TRAP, 6, 6, 20), OF(1)},
        {AT(4, LOAD, 6, 6, 21), OF(1), ON(0x40, 8), .how = WITHOUT_REQUEST},
        {AT(5, LOAD, 9, 9, 22), OF(1, 2, 4), ON(0x40, 8)}
    };

    RUN(ops);
    assert_int_equal(kept_count, 2);
    assert_kept(1, "5 0 L 2000::,1");
}

/* elastic-truth 1.5: a COMP without address; its way to memory and back is in its delay. SC: STORE, LR: LOAD. */
static void atomics_and_linked_accesses(void **state)
{
    static const struct op ops[] = {
        {AT(1, COMP, 5, 5, 10)}, {AT(2, AMO, 11, 30, 32), OF(1), ON(0x40, 4)},
        {AT(3, LOAD | UOP_LINKED, 34, 36, 38), OF(2), ON(0x80, 4)},
        {AT(4, STORE | UOP_LINKED, 40, 44, 45), OF(3), ON(0x80, 8)}, {AT(5, COMP, 45, 45, 46), OF(4)},
        {AT(6, COMP, 47, 47, 48), OF(5)},
        {AT(7, LOAD | UOP_PREFETCH, 50, 50, 51), OF(6), ON(0x100, 1)}, {AT(8, LOAD, 52, 53, 54), OF(6), ON(0x100, 16)},
        {AT(9, LOAD, 52, 53, 54), OF(6), ON(0x100, 12)}
    };

    RUN(ops);
    assert_kept(1, "2 0 C 12500::,1");
    assert_int_equal(kept[1].record.present, DEP_HAS_PC);
    assert_int_equal(kept[1].record.pc, 0x1002);
    assert_kept(2, "3 0 L 2000::,2");
    assert_int_equal(kept[2].record.flags, 0x200002);
    assert_kept(3, "4 0 S 4500:,3:,3");
    assert_int_equal(kept[3].record.flags, 0x200003);
    assert_kept(4, "5 0 C 0::,4");                       /* a store's result counts from its commit */
    assert_int_equal(kept[6].record.flags, 0x1000000);
    assert_int_equal(kept[6].record.present, DEP_HAS_PC | DEP_HAS_P_ADDR | DEP_HAS_SIZE | DEP_HAS_FLAGS);
    assert_int_equal(kept[7].record.flags, 4);
    assert_int_equal(kept[8].record.flags, 0);
    assert_int_equal(kept[8].record.size_bytes, 12);
    assert_int_equal(kept[8].record.p_addr, 0x100);
}

/* 3.4, elastic-truth 1.4: a producer less than a window of sequence numbers before; the same one twice counts once. */
static void the_window_is_of_sequence_numbers(void **state)
{
    static const struct op ops[] = {
        {AT(1, LOAD, 5, 5, 10), .bytes = 8}, {AT(2, LOAD, 6, 6, 10), .bytes = 8},
        {AT(65, LOAD, 20, 21, 22), OF(1, 2, 2), ON(0x40, 8)}
    };

    RUN(ops);
    assert_kept(2, "65 0 L 7000::,2");
}

static void virtual_addresses(void **state)
{
    static const struct op ops[] = {
        {AT(1, LOAD, 5, 5, 10), .place = 0x40, .bytes = 8}, {AT(2, COMP, 9, 9, 10), OF(1)}
    };
    struct elastic_window *const window = open_window(4, true);

    add(window, &ops[0], ELASTIC_FROM_RENAME);
    add(window, &ops[1], ELASTIC_FROM_RENAME);
    elastic_window_end(window);
    elastic_window_free(window);
    assert_int_equal(kept[0].record.present & DEP_HAS_V_ADDR, DEP_HAS_V_ADDR);
    assert_int_equal(kept[0].record.v_addr, 0x10040);
}

/* 3.7: records leave a window at a time, when as many younger ones follow them; those that are left out at the
 * end of a window are in no weight. */
static void windows_leave_whole(void **state)
{
    struct elastic_window *const window = open_window(4, false);

    for (uint64_t seq = 1; seq <= 8; seq++) {
        /* 3 and 4 are childless; 5 waits for 2 */
        struct op const op = {AT(seq, seq == 3 || seq == 4 ? COMP : LOAD, seq + 10, seq + 10, seq + 20), .bytes = 8};

        assert_int_equal(kept_count, 0);
        add(window, &op, ELASTIC_FROM_RENAME);
        /* 4 would be the parent of 5, and 3 that of 4 */
        if (seq == 4) {
            struct op const late = {AT(5, LOAD, 12, 13, 25), .bytes = 8};

            add(window, &late, ELASTIC_FROM_RENAME);
            seq++;
        }
    }
    assert_int_equal(kept_count, 3);
    assert_kept(0, "1 0 L 5500::");
    assert_kept(1, "2 0 L 500:,1:");
    assert_kept(2, "3 0 C 500:,2:");                     /* 4 waits for it, and is lost with its weight */
    elastic_window_end(window);
    elastic_window_free(window);
    assert_int_equal(kept_count, 7);
    assert_kept(3, "5 0 L 0:,2:");
}

/* ---- against the specification's text, word by word */

enum { SLOW_WINDOW = 24, RANDOM_OPS = 6000 };

struct slow {
    struct op op;
    uint64_t execute, to_commit, commit, children, order[2], producers[3];
    int64_t delay;
    unsigned order_count, producer_count;
    enum dep_type type;
};

static struct slow buffer[RANDOM_OPS + 1];
static size_t first, behind;             /* of `buffer`: the records that are in the reference's */
static bool is_first_window;

static uint64_t slow_exec(const struct slow *r)
{
    return r->type == DEP_LOAD ? r->execute : r->type == DEP_STORE ? r->commit : r->to_commit;
}

static void apply_delay(struct slow *parent, struct slow *child, uint64_t done)
{
    int64_t const delay = (int64_t)slow_exec(child) - (int64_t)done;

    assert_true(delay >= 0);
    if (child->delay == -1 || delay < child->delay)
        child->delay = delay;
    parent->children++;
}

static void add_order(struct slow *parent, struct slow *child)
{
    child->order[child->order_count++] = parent->op.seq;
    apply_delay(parent, child, parent->type == DEP_LOAD
                    ? child->type == DEP_STORE ? parent->to_commit : parent->execute
                    : parent->type == DEP_STORE ? parent->commit : parent->to_commit);
}

static void slow_stores(struct slow *child, bool of_loads)
{
    for (size_t i = behind, back = 0; back < SLOW_WINDOW && i > first; back++) {
        struct slow *const p = &buffer[--i];

        if (of_loads ? p->type == DEP_LOAD && p->op.how != SQUASHED && p->to_commit <= child->commit
                     : p->type == DEP_STORE && p->commit <= child->commit) {
            add_order(p, child);
            return;
        }
    }
}

static void slow_issue(struct slow *child)
{
    uint64_t const t = slow_exec(child);

    for (size_t i = behind, back = 0; back < SLOW_WINDOW && i > first; back++) {
        struct slow *const p = &buffer[--i];

        if ((p->type == DEP_LOAD && p->op.how != SQUASHED && p->execute <= t)
            || (p->type == DEP_STORE && p->commit <= t) || (p->type == DEP_COMP && p->to_commit <= t)) {
            add_order(p, child);
            return;
        }
    }
}

static struct kept expected[RANDOM_OPS];
static size_t expected_count;

static void slow_write(size_t count)
{
    uint32_t filtered = 0;

    for (size_t n = 0; n < count; n++) {
        const struct slow *const r = &buffer[first++];
        struct kept *const to = &expected[expected_count];

        if (r->type == DEP_COMP && r->children == 0) {
            filtered++;
            continue;
        }
        *to = (struct kept){.record = {.seq_num = r->op.seq, .type = r->type, .weight = filtered,
                                       .rob_dep_count = r->order_count, .reg_dep_count = r->producer_count}};
        if (r->delay == -1)
            assert_true(is_first_window);
        to->record.comp_delay = r->delay == -1 ? slow_exec(r) : (uint64_t)r->delay;
        memcpy(to->order, r->order, sizeof r->order);
        memcpy(to->producers, r->producers, sizeof r->producers);
        filtered = 0;
        expected_count++;
    }
    is_first_window = false;
}

static int by_number(const void *one, const void *two)
{
    uint64_t const a = *(const uint64_t *)one, b = *(const uint64_t *)two;

    return (a > b) - (a < b);
}

static void slow_add(const struct op *op)
{
    struct slow *const r = &buffer[behind];
    struct op sorted = *op;
    bool const is_squashed = op->how == SQUASHED;

    if (op->how == FAULTY || op->how == WITHOUT_REQUEST || (is_squashed && op->flags != LOAD))
        return;
    *r = (struct slow){.op = *op, .execute = op->execute * PERIOD_PS, .to_commit = op->to_commit * PERIOD_PS,
                       .commit = op->retire * PERIOD_PS, .delay = -1,
                       .type = op->flags == LOAD ? DEP_LOAD : op->flags == STORE ? DEP_STORE : DEP_COMP};
    qsort(sorted.producers, COUNT(sorted.producers), sizeof sorted.producers[0], by_number);
    for (size_t k = 0; !is_squashed && k < COUNT(sorted.producers); k++) {
        uint64_t const seq = sorted.producers[k];

        if (seq == 0 || op->seq - seq >= SLOW_WINDOW || (k > 0 && sorted.producers[k - 1] == seq))
            continue;
        for (size_t i = first; i < behind; i++)
            if (buffer[i].op.seq == seq) {
                r->producers[r->producer_count++] = seq;
                apply_delay(&buffer[i], r,
                            buffer[i].type == DEP_STORE ? buffer[i].commit : buffer[i].to_commit);
            }
    }
    if (r->type == DEP_STORE) {
        slow_stores(r, false);
        slow_stores(r, true);
    }
    if (r->order_count == 0 && r->producer_count == 0)
        slow_issue(r);
    if (++behind - first == 2 * SLOW_WINDOW)
        slow_write(SLOW_WINDOW);
}

/* Micro-ops of a core with a ROB of 8: each executes when its producers are done, and leaves in order. */
static void make_ops(struct op *ops)
{
    static const uint32_t flags[] = {COMP, COMP, COMP, LOAD, LOAD, STORE};
    uint64_t done[RANDOM_OPS] = {0}, retire = 0, seq = 0;

    for (size_t i = 0; i < RANDOM_OPS; i++) {
        uint64_t ready = i >= 8 ? ops[i - 8].retire : 0;
        struct op *const op = &ops[i];

        seq += 1 + (random_bits() % 8 == 0 ? random_bits() % 12 : 0);
        *op = (struct op){.seq = seq, .flags = flags[random_bits() % COUNT(flags)], .bytes = 8};
        op->how = random_bits() % 10 ? FINE : op->flags == COMP || random_bits() % 2 ? FAULTY : SQUASHED;
        for (size_t k = 0; k < COUNT(op->producers) && random_bits() % 2; k++) {
            uint64_t const back = 1 + random_bits() % 30;

            if (back > i || ops[i - back].how == SQUASHED)
                break;
            op->producers[k] = ops[i - back].seq;
            ready = done[i - back] > ready ? done[i - back] : ready;
        }
        op->execute = ready + 1 + random_bits() % 4;
        op->to_commit = op->execute + (op->flags == LOAD ? random_bits() % 30 : 0);
        op->retire = op->to_commit + 1 > retire ? op->to_commit + 1 : retire;
        retire = op->retire;
        done[i] = op->flags == STORE ? op->retire : op->to_commit;
    }
}

static void random_runs_equal_the_specification(void **state)
{
    static struct op ops[RANDOM_OPS];

    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct elastic_window *const window = open_window(SLOW_WINDOW, false);

        random_state = seed;
        make_ops(ops);
        first = behind = expected_count = 0;
        is_first_window = true;
        for (size_t i = 0; i < RANDOM_OPS; i++) {
            add(window, &ops[i], ELASTIC_FROM_RENAME);
            slow_add(&ops[i]);
        }
        elastic_window_end(window);
        slow_write(behind - first);
        assert_int_equal(elastic_window_counted(window)->overtaken, 0);
        assert_int_equal(elastic_window_counted(window)->unordered, 0);
        elastic_window_free(window);
        assert_true(kept_count > RANDOM_OPS / 2);
        assert_int_equal(kept_count, expected_count);
        for (size_t i = 0; i < kept_count; i++) {
            struct dep_record const *const a = &kept[i].record, *const b = &expected[i].record;

            assert_int_equal(a->seq_num, b->seq_num);
            assert_int_equal(a->type, b->type);
            assert_int_equal(a->weight, b->weight);
            assert_int_equal(a->comp_delay, b->comp_delay);
            assert_int_equal(a->rob_dep_count, b->rob_dep_count);
            assert_int_equal(a->reg_dep_count, b->reg_dep_count);
            for (size_t k = 0; k < a->rob_dep_count; k++)
                assert_int_equal(kept[i].order[k], expected[i].order[k]);
            for (size_t k = 0; k < a->reg_dep_count; k++)
                assert_int_equal(kept[i].producers[k], expected[i].producers[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_has_an_absolute_delay),
        cmocka_unit_test(delays_run_from_the_producer),
        cmocka_unit_test(stores_wait_in_order),
        cmocka_unit_test(an_instruction_without_waits_waits_for_issue),
        cmocka_unit_test(a_store_without_company_waits_for_issue),
        cmocka_unit_test(comps_without_children_become_weight),
        cmocka_unit_test(squashed_loads_are_recorded),
        cmocka_unit_test(faulty_ones_leave_no_record),
        cmocka_unit_test(atomics_and_linked_accesses),
        cmocka_unit_test(the_window_is_of_sequence_numbers),
        cmocka_unit_test(virtual_addresses),
        cmocka_unit_test(windows_leave_whole),
        cmocka_unit_test(random_runs_equal_the_specification)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
