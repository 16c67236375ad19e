/* replay/window/: window.h, feed.h, stream.h, learn.h, resolve.h, sources.h. Each rule of elastic-truth part 3 and of
 * docs/window.md on records made by hand. */
#include "replay/window/window.h"
#include "tests/support/unit.h"

#include "replay/config/detailed_params.h"

enum { MOST_ROWS = 4096, WINDOW = 64, PERIOD = 500 };

struct row {
    uint64_t seq;
    enum dep_type type;
    uint64_t pc;
    uint32_t weight;
    uint64_t delay_cyc;
    uint64_t order, producers[2];        /* sequence numbers; 0: none */
    uint64_t address;
};

/* Records as a reader gives them: one at a time, dependences by number alone. */
struct rows {
    const struct row *rows;
    size_t count, next;
    struct store_shape shape;
    struct store_record record;
    struct store_lists lists;
    uint32_t distances[3];
    uint64_t seq_distances[3];
};

static struct row rows[MOST_ROWS];
static size_t row_count;
static struct window *window;

static enum source_result give(void *self, struct record_batch *out, struct fault *fault)
{
    struct rows *const from = self;
    const struct row *const row = &from->rows[from->next];
    uint32_t count = 0;

    if (from->next == from->count)
        return SOURCE_END;
    from->next++;
    from->lists = (struct store_lists){.record_distance = from->distances, .seq_distance = from->seq_distances};
    if (row->order) {
        from->seq_distances[count++] = row->seq - row->order;
        from->lists.rob_dep_count = 1;
    }
    for (int i = 0; i < 2; i++)
        if (row->producers[i]) {
            from->seq_distances[count++] = row->seq - row->producers[i];
            from->lists.reg_dep_count++;
        }
    from->shape = (struct store_shape){.pc = row->pc, .size_bytes = row->type == DEP_COMP ? 0 : 8,
                                       .weight = row->weight, .comp_delay = row->delay_cyc * PERIOD,
                                       .links.type = (uint8_t)row->type,
                                       .is_access = row->type != DEP_COMP};
    from->record = (struct store_record){.shape = &from->shape, .seq_num = row->seq, .p_addr = row->address};
    *out = (struct record_batch){.records = &from->record, .count = 1};
    return SOURCE_RECORD;
}

static enum source_result give_lists(void *self, const struct store_shape *shape, struct store_lists *out,
                                     struct fault *fault)
{
    *out = ((struct rows *)self)->lists;
    return SOURCE_RECORD;
}

static struct record_source source_of(struct rows *from)
{
    *from = (struct rows){.rows = rows, .count = row_count};
    return (struct record_source){.batch = give, .lists = give_lists, .self = from, .name = "rows",
                                  .window_records = WINDOW};
}

static int begin(void **state)
{
    row_count = 0;
    return 0;
}

static int end(void **state)
{
    window_close(window);
    window = NULL;
    return 0;
}

/* Appends a record; the one before it has the number seq_now(). */
static uint64_t seq_now(void)
{
    return row_count ? rows[row_count - 1].seq : 0;
}

static uint64_t put(struct row row)
{
    assert_true(row_count < MOST_ROWS);
    if (row.seq == 0)
        row.seq = seq_now() + 1 + row.weight;
    rows[row_count++] = row;
    return row.seq;
}

static void open_rows(void)
{
    static struct rows learnt, given;
    struct fault fault;
    struct window_setup const setup = {.learnt_from = source_of(&learnt), .records = source_of(&given),
                                       .text_offset = 0x10000};

    window = window_open(&setup, &fault);
    if (!window)
        fail_msg("%s", fault_text(fault));
}

static const struct supply_insn *op(uint64_t number)
{
    const struct supply_insn *insn;
    struct fault fault;

    assert_int_equal(supply_right(window_supply(window), number, &insn, &fault), SUPPLY_INSN);
    return insn;
}

/* How many micro-ops back the i-th source was made; 0: there is none. */
static uint64_t source(uint64_t number, unsigned i)
{
    const struct uop *const uop = op(number)->uops;
    uint64_t const registers = window_supply(window)->register_count;

    return i < uop->source_count ? (number - uop->sources[i]) % registers : 0;
}

/* Computations that depend on the one before, so that each is done when it is expected. */
static uint64_t put_chain(uint64_t pc, unsigned count, uint64_t delay_cyc)
{
    for (unsigned i = 0; i < count; i++)
        put((struct row){.type = DEP_COMP, .pc = pc + 4 * i, .delay_cyc = delay_cyc, .producers = {seq_now()}});
    return seq_now();
}

/* ---- records */
static void records_become_micro_ops(void **state)
{
    uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 9});
    uint64_t const load = put((struct row){.type = DEP_LOAD, .pc = 0x104, .delay_cyc = 1, .producers = {first},
                                           .address = 0x5000});

    put((struct row){.type = DEP_STORE, .pc = 0x106, .delay_cyc = 1, .producers = {first, load}, .address = 0x6000});
    open_rows();
    assert_int_equal(op(0)->uops->op, DETAILED_OP_INT_ALU);
    assert_int_equal(op(1)->uops->flags & UOP_MEMORY, UOP_LOAD);
    assert_int_equal(op(1)->accesses->place, 0x5000);
    assert_int_equal(op(1)->size_bytes, 2);
    assert_int_equal(source(1, 0), 1);
    assert_int_equal(op(2)->uops->flags & UOP_MEMORY, UOP_STORE);
    assert_int_equal(op(2)->uops->result_count, 0);
    assert_int_equal(source(2, 0), 2);
    assert_int_equal(source(2, 1), 1);
}

static void the_trace_ends_behind_its_last_record(void **state)
{
    const struct supply_insn *insn;
    struct fault fault;

    put_chain(0x100, 3, 1);
    open_rows();
    assert_int_equal(supply_right(window_supply(window), 3, &insn, &fault), SUPPLY_END);
    assert_int_equal(op(2)->pc, 0x108);
}

static void what_was_released_makes_room(void **state)
{
    put_chain(0x1000, 3000, 1);
    open_rows();
    for (uint64_t i = 0; i < 3000; i++) {
        assert_int_equal(op(i)->number, i);
        assert_int_equal(op(i > 200 ? i - 200 : 0)->pc, 0x1000 + 4 * (i > 200 ? i - 200 : 0));
        if (i > 400)
            supply_release(window_supply(window), i - 400);
    }
}

/* ---- 3.3 */
static void a_load_that_nothing_follows_was_squashed(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_LOAD, .pc = 0x700, .weight = 2, .address = 0x5000});
    put((struct row){.seq = seq_now() + 6, .type = DEP_COMP, .pc = 0x200});
    open_rows();
    /* the load's weight stays; the load is one of the numbers of the wrong path */
    assert_int_equal(op(1)->pc, 0x104);
    assert_int_equal(op(2)->pc, 0x108);
    assert_int_equal(op(3)->pc, 0x200);
    assert_int_equal(op(1)->outcome, SUPPLY_REDIRECTED);
    assert_int_equal(window_counts(window).squashed_loads, 1);
}

static void loads_of_the_right_path_stay(void **state)
{
    uint64_t const used = put((struct row){.type = DEP_LOAD, .pc = 0x700, .address = 0x5000});

    put((struct row){.type = DEP_COMP, .pc = 0x100, .producers = {used}});
    put((struct row){.type = DEP_LOAD, .pc = 0x104, .address = 0x5008});
    put((struct row){.type = DEP_COMP, .pc = 0x106});
    open_rows();
    assert_int_equal(op(0)->pc, 0x700);
    assert_int_equal(op(2)->pc, 0x104);
    assert_int_equal(op(3)->pc, 0x106);
    assert_int_equal(window_counts(window).squashed_loads, 0);
}

/* ---- 3.2 */
static unsigned class_of_delays(uint64_t least_cyc, unsigned at_least, uint64_t other_cyc, unsigned others)
{
    unsigned found;

    row_count = 0;
    put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 1});
    for (unsigned i = 0; i < at_least + others; i++)
        put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = i < at_least ? least_cyc : other_cyc,
                         .producers = {1}});
    open_rows();
    found = op(1)->uops->op;
    end(NULL);
    return found;
}

static void the_least_delay_is_the_latency(void **state)
{
    assert_int_equal(class_of_delays(1, 8, 1, 0), DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_delays(2, 8, 9, 8), DETAILED_OP_FLOAT_ADD);
    assert_int_equal(class_of_delays(3, 8, 9, 8), DETAILED_OP_INT_MULT);
    assert_int_equal(class_of_delays(5, 8, 9, 8), DETAILED_OP_FLOAT_MULT_ACC);
    assert_int_equal(class_of_delays(24, 1, 90, 20), DETAILED_OP_FLOAT_SQRT);
}

static void few_records_tell_no_latency(void **state)
{
    assert_int_equal(class_of_delays(3, 7, 3, 0), DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_delays(3, 1, 9, 20), DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_delays(6, 20, 9, 0), DETAILED_OP_INT_ALU);
}

/* o3-core 1.3 (c) */
static void a_result_that_woke_the_core_is_a_cycle_short(void **state)
{
    assert_int_equal(class_of_delays(19, 1, 20, 20), DETAILED_OP_INT_DIV);
    assert_int_equal(class_of_delays(11, 1, 12, 20), DETAILED_OP_FLOAT_DIV);
    assert_int_equal(class_of_delays(1, 1, 2, 20), DETAILED_OP_INT_ALU);
}

/* ---- 3.4 */
static void distances_tell_the_sizes_of_hidden_ones(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x106, .weight = 2});
    put((struct row){.type = DEP_COMP, .pc = 0x112, .weight = 2});
    open_rows();
    assert_int_equal(op(1)->pc, 0x102);
    assert_int_equal(op(2)->pc, 0x104);
    assert_int_equal(op(4)->pc, 0x10a);
    assert_int_equal(op(5)->pc, 0x10e);
    assert_int_equal(op(4)->uops->result_count, 0);
    assert_false(op(5)->is_taken);
}

static void odd_pcs_mean_instructions_of_any_length(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x101});
    put((struct row){.type = DEP_COMP, .pc = 0x108});
    put((struct row){.type = DEP_COMP, .pc = 0x108, .weight = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x400});
    open_rows();
    assert_false(op(0)->is_taken);
    assert_int_equal(op(0)->size_bytes, 7);
    assert_int_equal(op(2)->pc, 0x108);  /* of one instruction with those beside it */
    assert_false(op(2)->is_taken);
    assert_true(op(3)->is_taken);
}

static void a_jump_is_where_the_path_goes_on_elsewhere(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x400, .weight = 1});
    open_rows();
    assert_false(op(0)->is_taken);
    assert_true(op(1)->is_taken);
    assert_int_equal(op(1)->next_pc, 0x400);
}

/* ---- 3.5: a loop whose branch at 0x104 goes to 0x200 or on to 0x108, and each time back by a jump at 0x204, 0x10c */
static void put_turn(bool is_taken, uint32_t gap)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0, .producers = {seq_now()}});
    put((struct row){.seq = seq_now() + 2 + gap, .type = DEP_COMP, .pc = is_taken ? 0x200 : 0x108, .weight = 1});
}

static const struct supply_insn *branch_of_last_turn(unsigned turns, uint32_t gap)
{
    for (unsigned i = 0; i < turns; i++)
        put_turn(i % 3 == 0, 0);
    put_turn(true, gap);
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1});
    open_rows();
    return op(4 * (uint64_t)turns + 1);
}

static void missing_numbers_tell_a_misprediction(void **state)
{
    const struct supply_insn *const branch = branch_of_last_turn(12, 20);

    assert_int_equal(branch->pc, 0x104);
    assert_int_equal(branch->outcome, SUPPLY_MISPREDICTED);
    assert_true(branch->uops->flags & UOP_CONTROL);
    /* it was taken, so what was fetched stands behind it */
    assert_int_equal(branch->wrong_pc, 0x108);
}

static void few_missing_numbers_tell_a_redirect(void **state)
{
    assert_int_equal(branch_of_last_turn(12, 7)->outcome, SUPPLY_REDIRECTED);
}

static void too_few_missing_numbers_tell_nothing(void **state)
{
    assert_int_equal(branch_of_last_turn(12, 2)->outcome, SUPPLY_AS_PREDICTED);
}

static void a_jump_to_one_place_is_corrected_by_decode(void **state)
{
    for (unsigned i = 0; i < 30; i++)
        put_turn(i % 3 == 0, 0);
    put_turn(true, 0);
    put((struct row){.seq = seq_now() + 2 + 20, .type = DEP_COMP, .pc = 0x100, .weight = 1,
                     .producers = {seq_now()}});
    open_rows();
    assert_int_equal(op(123)->pc, 0x204);
    assert_int_equal(op(123)->outcome, SUPPLY_REDIRECTED);
}

/* Two hidden ones side by side: the one that always goes on, and the one that changes. */
static void the_branch_that_changes_most_was_mispredicted(void **state)
{
    for (unsigned i = 0; i <= 20; i++) {
        uint32_t const gap = i == 20 ? 30 : 0;

        put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0});
        put((struct row){.seq = seq_now() + 3 + gap, .type = DEP_COMP, .pc = i % 2 ? 0x300 : 0x10c, .weight = 2});
    }
    open_rows();
    assert_int_equal(op(101)->pc, 0x104);
    assert_int_equal(op(101)->outcome, SUPPLY_AS_PREDICTED);
    assert_int_equal(op(102)->pc, 0x108);
    assert_int_equal(op(102)->outcome, SUPPLY_MISPREDICTED);
}

/* Branches at 0x104 (to 0x400) and 0x108 (to 0x300) that change; the first one's wrong paths have 20 micro-ops where
 * nothing else is near. Outcomes of both in a last turn with that gap. */
static void assert_outcomes(uint32_t gap, enum supply_outcome first, enum supply_outcome second)
{
    for (unsigned i = 0; i <= 30; i++) {
        bool const is_first = i < 30 && i % 3 == 0;
        uint32_t const missing = i == 30 ? gap : is_first ? 20 : 0;

        put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0});
        put((struct row){.seq = seq_now() + (is_first ? 2 : 3) + missing, .type = DEP_COMP,
                         .pc = is_first ? 0x400 : i % 3 == 1 ? 0x10c : 0x300, .weight = is_first ? 1 : 2});
    }
    open_rows();
    assert_int_equal(op(141)->pc, 0x104);
    assert_int_equal(op(141)->outcome, first);
    assert_int_equal(op(142)->pc, 0x108);
    assert_int_equal(op(142)->outcome, second);
}

static void a_long_gap_is_of_two_branches(void **state)
{
    assert_outcomes(44, SUPPLY_MISPREDICTED, SUPPLY_MISPREDICTED);
}

static void a_gap_as_usual_is_of_one(void **state)
{
    assert_outcomes(28, SUPPLY_AS_PREDICTED, SUPPLY_MISPREDICTED);
}

static void behind_a_load_no_misprediction_is_placed(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_LOAD, .pc = 0x104, .address = 0x5000});
    put((struct row){.seq = seq_now() + 20, .type = DEP_COMP, .pc = 0x108});
    open_rows();
    assert_int_equal(op(1)->outcome, SUPPLY_AS_PREDICTED);
    op(2);
    assert_int_equal(window_counts(window).unplaced, 1);
}

static void loads_of_the_wrong_path_are_made_again(void **state)
{
    put_chain(0x100, 3, 1);
    put((struct row){.type = DEP_LOAD, .pc = 0x700, .weight = 1, .address = 0x5000});
    put((struct row){.seq = seq_now() + 9, .type = DEP_LOAD, .pc = 0x720, .address = 0x6000});
    put((struct row){.seq = seq_now() + 9, .type = DEP_COMP, .pc = 0x200});
    open_rows();
    assert_int_equal(op(3)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(op(3)->stray_count, 2);
    assert_int_equal(op(3)->strays[0].place, 0x5000);
    assert_int_equal(op(3)->strays[1].place, 0x6000);
    assert_int_equal(op(3)->strays[1].delay_cyc, op(3)->strays[0].delay_cyc + 1);
    assert_int_equal(op(4)->pc, 0x200);
}

/* ---- 3.6: 0x300 begins `wait_cyc` behind all that is older, 0x400 and others at once */
static const struct supply_insn *op_after_wait(uint64_t wait_cyc, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        uint64_t const older = put_chain(0x100, 4, 1);

        put((struct row){.type = DEP_COMP, .pc = 0x300, .delay_cyc = wait_cyc, .order = older});
        put((struct row){.type = DEP_COMP, .pc = 0x400, .delay_cyc = 1, .producers = {seq_now()}});
    }
    open_rows();
    return op(4);
}

static void what_always_waits_for_all_older_serialises(void **state)
{
    const struct supply_insn *const insn = op_after_wait(9, 12);

    assert_int_equal(insn->pc, 0x300);
    assert_true(insn->uops->flags & UOP_SERIALISE_BEFORE);
    assert_int_equal(insn->uops->op, DETAILED_OP_NO_OP);
    assert_int_equal(insn->uops->latency_cyc, 4);    /* 9 - 6 + 1 */
    assert_false(op(5)->uops->flags & UOP_SERIALISE_BEFORE);
}

static void short_waits_do_not_serialise(void **state)
{
    assert_false(op_after_wait(4, 12)->uops->flags & UOP_SERIALISE_BEFORE);
}

static void a_few_waits_do_not_serialise(void **state)
{
    assert_false(op_after_wait(9, 7)->uops->flags & UOP_SERIALISE_BEFORE);
}

/* ---- 3.7: sources of a hidden branch at 0x10c */
static void sources_of_a_recorded_instance_are_learnt(void **state)
{
    /* the branch at 0x108 is recorded once, as what a load followed in order */
    uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100});
    uint64_t const second = put((struct row){.type = DEP_COMP, .pc = 0x104, .producers = {first}});
    uint64_t const branch = put((struct row){.type = DEP_COMP, .pc = 0x108, .producers = {first}});

    put((struct row){.type = DEP_LOAD, .pc = 0x10c, .order = branch, .producers = {second}, .address = 0x5000});
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1, .producers = {seq_now()}});
    put((struct row){.type = DEP_COMP, .pc = 0x104, .producers = {seq_now()}});
    put((struct row){.type = DEP_LOAD, .pc = 0x10c, .weight = 1, .producers = {seq_now(), seq_now() - 1},
                     .address = 0x5000});
    put((struct row){.type = DEP_COMP, .pc = 0x110, .producers = {seq_now()}});
    open_rows();
    assert_int_equal(op(7)->pc, 0x108);
    assert_int_equal(source(7, 0), 2);   /* 0x100, not the nearer 0x104 */
    assert_int_equal(source(7, 1), 0);
    op(9);
    assert_true(window_counts(window).learnt_sources > 0);
}

static void a_mispredicted_branch_has_guessed_sources(void **state)
{
    put_chain(0x100, 3, 1);
    put((struct row){.seq = seq_now() + 22, .type = DEP_COMP, .pc = 0x110, .weight = 1, .producers = {3, 2}});
    open_rows();
    assert_int_equal(op(3)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(source(3, 0), 1);
    assert_int_equal(source(3, 1), 2);
    op(4);
    assert_int_equal(window_counts(window).guessed_sources, 1);
}

/* Each turn 0x100, 0x104, 0x108 are done one after the other; the branch at 0x10c is mispredicted, and 0x200 has its
 * result `lag_cyc` after that of 0x104. */
static void put_mispredictions(uint64_t lag_cyc)
{
    for (unsigned i = 0; i < 8; i++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0,
                                                .delay_cyc = 20, .producers = {seq_now()}});
        uint64_t const second = put((struct row){.type = DEP_COMP, .pc = 0x104, .delay_cyc = 1, .producers = {first}});
        uint64_t const third = put((struct row){.type = DEP_COMP, .pc = 0x108, .delay_cyc = 3, .producers = {second}});

        put((struct row){.seq = third + 2 + 20, .type = DEP_COMP, .pc = 0x200, .weight = 1, .delay_cyc = lag_cyc,
                         .producers = {second}});
        put((struct row){.type = DEP_COMP, .pc = 0x204, .delay_cyc = 9, .producers = {third, seq_now()}});
    }
    open_rows();
}

static void the_capture_tells_what_resolved_a_branch(void **state)
{
    put_mispredictions(10);
    /* 0x108 was not done 9 cycles before, 0x104 was */
    assert_int_equal(op(3)->pc, 0x10c);
    assert_int_equal(source(3, 0), 2);
    assert_int_equal(source(3, 1), 0);
    while (window_counts(window).resolved_sources == 0)
        op(window_counts(window).records + window_counts(window).hidden);
}

static void later_results_are_taken_if_there_was_time(void **state)
{
    put_mispredictions(13);
    assert_int_equal(source(3, 0), 1);   /* 0x108, done 10 cycles before */
}

/* The same, with the branch at 0x10c recorded in other turns, each time with 0x108 as its producer. */
static void what_all_records_agree_on_comes_first(void **state)
{
    for (unsigned i = 0; i < 6; i++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x108, .delay_cyc = 20,
                                                .producers = {seq_now()}});
        uint64_t const branch = put((struct row){.type = DEP_COMP, .pc = 0x10c, .delay_cyc = 1, .producers = {first}});

        put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 9, .order = branch});
    }
    put_mispredictions(10);
    assert_int_equal(op(18 + 4)->pc, 0x10c);
    assert_int_equal(source(18 + 4, 0), 1);  /* 0x108, which the capture's times speak against */
}

/* ---- 3.8 */
static void code_lies_where_the_offset_says(void **state)
{
    uint64_t place;

    put_chain(0x20100, 3, 1);
    open_rows();
    assert_true(supply_place(window_supply(window), 0x20100, &place));
    assert_int_equal(place, 0x10100);
    assert_false(supply_place(window_supply(window), 0x90000, &place));
}

static void wrong_paths_go_where_the_right_one_mostly_went(void **state)
{
    const struct supply_insn *insn;

    for (unsigned i = 0; i < 12; i++)
        put_turn(i % 3 == 0, 0);
    open_rows();
    insn = supply_wrong(window_supply(window), 0x104, SUPPLY_NO_STATE);
    assert_non_null(insn);
    assert_int_equal(insn->next_pc, 0x108);
    insn = supply_wrong(window_supply(window), 0x10c, SUPPLY_NO_STATE);
    assert_int_equal(insn->next_pc, 0x100);
    assert_null(supply_wrong(window_supply(window), 0x700, SUPPLY_NO_STATE));
}

static void all_can_be_counted_without_a_core(void **state)
{
    static struct rows learnt, given;
    struct window_counts counts;

    put_chain(0x100, 3, 1);
    put((struct row){.seq = seq_now() + 22, .type = DEP_COMP, .pc = 0x110, .weight = 1, .producers = {3, 2}});
    struct window_setup const setup = {.learnt_from = source_of(&learnt), .records = source_of(&given)};

    assert_fine(window_count(&setup, &counts));
    assert_int_equal(counts.records, 4);
    assert_int_equal(counts.hidden, 1);
    assert_int_equal(counts.mispredicted, 1);
}

#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(records_become_micro_ops), T(the_trace_ends_behind_its_last_record), T(what_was_released_makes_room),
        T(a_load_that_nothing_follows_was_squashed), T(loads_of_the_right_path_stay),
        T(the_least_delay_is_the_latency), T(few_records_tell_no_latency),
        T(a_result_that_woke_the_core_is_a_cycle_short), T(distances_tell_the_sizes_of_hidden_ones),
        T(odd_pcs_mean_instructions_of_any_length), T(a_jump_is_where_the_path_goes_on_elsewhere),
        T(missing_numbers_tell_a_misprediction),
        T(few_missing_numbers_tell_a_redirect), T(too_few_missing_numbers_tell_nothing),
        T(a_jump_to_one_place_is_corrected_by_decode), T(the_branch_that_changes_most_was_mispredicted),
        T(behind_a_load_no_misprediction_is_placed), T(a_long_gap_is_of_two_branches), T(a_gap_as_usual_is_of_one),
        T(loads_of_the_wrong_path_are_made_again), T(what_always_waits_for_all_older_serialises),
        T(short_waits_do_not_serialise), T(a_few_waits_do_not_serialise),
        T(sources_of_a_recorded_instance_are_learnt),
        T(a_mispredicted_branch_has_guessed_sources), T(the_capture_tells_what_resolved_a_branch),
        T(later_results_are_taken_if_there_was_time),
        T(what_all_records_agree_on_comes_first), T(code_lies_where_the_offset_says),
        T(wrong_paths_go_where_the_right_one_mostly_went), T(all_can_be_counted_without_a_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
