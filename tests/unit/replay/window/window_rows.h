/* Records made by hand as the input of the window model, and its micro-ops.
 *
 * Use: begin (set-up), put or put_chain for each record, open_rows, then op and source; end (tear-down). */
#ifndef TESTS_UNIT_REPLAY_WINDOW_WINDOW_ROWS_H
#define TESTS_UNIT_REPLAY_WINDOW_WINDOW_ROWS_H

#include "replay/config/detailed_params.h"
#include "replay/window/captured_core.h"
#include "replay/window/window.h"
#include "tests/support/unit.h"

enum { MOST_ROWS = 4096, WINDOW = 64, PERIOD = 500 };

struct row {
    uint64_t seq;
    enum dep_type type;
    uint64_t pc;
    uint32_t weight;
    uint64_t delay_cyc;
    uint64_t order, producers[2];        /* sequence numbers; 0: none */
    uint64_t address;
    uint32_t size_bytes;                 /* of an access; 0: 8 */
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
static const struct captured_core *captured;     /* NULL: the reference's */

static inline enum source_result give(void *self, struct record_batch *out, struct fault *fault)
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
    from->shape = (struct store_shape){.pc = row->pc,
                                       .size_bytes = row->type == DEP_COMP || row->size_bytes ? row->size_bytes : 8,
                                       .weight = row->weight, .comp_delay = row->delay_cyc * PERIOD,
                                       .links.type = (uint8_t)row->type,
                                       .is_access = row->type != DEP_COMP};
    from->record = (struct store_record){.shape = &from->shape, .seq_num = row->seq, .p_addr = row->address};
    *out = (struct record_batch){.records = &from->record, .count = 1};
    return SOURCE_RECORD;
}

static inline enum source_result give_lists(void *self, const struct store_shape *shape, struct store_lists *out,
                                     struct fault *fault)
{
    *out = ((struct rows *)self)->lists;
    return SOURCE_RECORD;
}

static inline struct record_source source_of(struct rows *from)
{
    *from = (struct rows){.rows = rows, .count = row_count};
    return (struct record_source){.batch = give, .lists = give_lists, .self = from, .name = "rows",
                                  .window_records = WINDOW};
}

static inline int begin(void **state)
{
    row_count = 0;
    captured = NULL;
    return 0;
}

static inline int end(void **state)
{
    window_close(window);
    window = NULL;
    return 0;
}

/* Appends a record; the one before it has the number seq_now(). */
static inline uint64_t seq_now(void)
{
    return row_count ? rows[row_count - 1].seq : 0;
}

static inline uint64_t put(struct row row)
{
    assert_true(row_count < MOST_ROWS);
    if (row.seq == 0)
        row.seq = seq_now() + 1 + row.weight;
    rows[row_count++] = row;
    return row.seq;
}

static inline void open_rows(void)
{
    static struct rows learnt, given;
    struct fault fault;
    struct window_setup const setup = {.learnt_from = source_of(&learnt), .records = source_of(&given),
                                       .text_offset = 0x10000, .captured = captured};

    window = window_open(&setup, &fault);
    if (!window)
        fail_msg("%s", fault_text(fault));
}

static inline const struct supply_insn *op(uint64_t number)
{
    const struct supply_insn *insn;
    struct fault fault;

    assert_int_equal(supply_right(window_supply(window), number, &insn, &fault), SUPPLY_INSN);
    return insn;
}

/* How many micro-ops back the i-th source was made; 0: it has none. */
static inline uint64_t source(uint64_t number, unsigned i)
{
    const struct uop *const uop = op(number)->uops;
    uint64_t const registers = window_supply(window)->register_count / 2;    /* the others are for wrong paths */

    return i < uop->source_count ? (number - uop->sources[i]) % registers : 0;
}

/* Computations that depend on the one before, so that each is done when it is expected. */
static inline uint64_t put_chain(uint64_t pc, unsigned count, uint64_t delay_cyc)
{
    for (unsigned i = 0; i < count; i++)
        put((struct row){.type = DEP_COMP, .pc = pc + 4 * i, .delay_cyc = delay_cyc, .producers = {seq_now()}});
    return seq_now();
}

#endif
