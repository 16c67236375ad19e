/* proto/depend/depend.h: each rule by micro-ops made by hand. */
#include "proto/depend/depend.h"
#include "tests/support/unit.h"

enum { R1 = 1, R2, R3, REGISTERS = 8, MOST_RECORDS = 64 };

/* What a few instructions gave, with dependences kept. */
struct kept {
    struct dep_record records[MOST_RECORDS];
    uint64_t deps[MOST_RECORDS][2][16];          /* rob, reg */
    size_t count, fetches;
};

static uint64_t same_place(void *self, uint64_t address)
{
    (void)self;
    return address;
}

static struct depend *begin(bool is_in_order)
{
    struct depend_options const options = {.period_ps = 1000, .width = 4, .window = 256, .line_bytes = 64,
                                           .fetch_bytes = 64, .registers = REGISTERS, .first_seq = 1,
                                           .is_in_order = is_in_order};
    struct depend_space const space = {same_place, NULL, true};
    struct depend *const depend = depend_open(&options, &space);

    assert_non_null(depend);
    return depend;
}

static void keep(struct kept *kept, const struct depend_output *output)
{
    kept->fetches += output->fetch_count;
    for (size_t i = 0; i < output->record_count; i++) {
        const struct dep_record *const record = &output->records[i];

        assert_true(kept->count < MOST_RECORDS);
        kept->records[kept->count] = *record;
        for (uint32_t k = 0; k < record->rob_dep_count; k++)
            kept->deps[kept->count][0][k] = record->rob_dep[k];
        for (uint32_t k = 0; k < record->reg_dep_count; k++)
            kept->deps[kept->count][1][k] = record->reg_dep[k];
        kept->count++;
    }
}

/* All in one block of fetches, so that the first record is the only front end. */
static void put(struct depend *depend, struct kept *kept, const struct depend_uop *uops, size_t count)
{
    struct depend_instruction const instruction = {.has_pc = true, .pc = 0x1000, .size_bytes = 4, .uops = uops,
                                                   .uop_count = count};
    struct depend_output output;

    assert_int_equal(depend_put(depend, &instruction, &output), DEPEND_GOOD);
    keep(kept, &output);
}

static void put_one(struct depend *depend, struct kept *kept, struct depend_uop uop)
{
    put(depend, kept, &uop, 1);
}

static struct depend_uop alu(unsigned to, unsigned from)
{
    struct depend_uop uop = {.kind = DEPEND_ALU, .latency_cyc = 3, .destination_count = 1,
                             .destinations = {(uint16_t)to}};

    if (from != 0) {
        uop.source_count = 1;
        uop.sources[0] = (uint16_t)from;
    }
    return uop;
}

static struct depend_uop access_of(enum depend_kind kind, uint64_t address, uint32_t bytes, unsigned number)
{
    struct depend_uop uop = {.kind = (uint8_t)kind, .latency_cyc = 1, .bytes = bytes, .address = address};

    if (kind == DEPEND_LOAD && number != 0) {
        uop.destination_count = 1;
        uop.destinations[0] = (uint16_t)number;
    } else if (number != 0) {
        uop.source_count = 1;
        uop.sources[0] = (uint16_t)number;
    }
    return uop;
}

static struct depend_uop fence(enum depend_fence what)
{
    return (struct depend_uop){.kind = DEPEND_FENCE, .fence = (uint8_t)what, .latency_cyc = 1};
}

static bool waits(const struct kept *kept, uint64_t seq, bool for_register, uint64_t parent)
{
    const struct dep_record *const record = &kept->records[seq - 1];
    uint32_t const count = for_register ? record->reg_dep_count : record->rob_dep_count;

    assert_int_equal(record->seq_num, seq);
    for (uint32_t i = 0; i < count; i++)
        if (kept->deps[seq - 1][for_register][i] == parent)
            return true;
    return false;
}

/* "the records that wrote a source last"; what waits for no other record of its block waits for the front end */
static void registers_tie(void **state)
{
    struct depend *const depend = begin(false);
    struct kept kept = {.count = 0};

    put_one(depend, &kept, alu(R1, 0));          /* 2, behind the front end 1 */
    put_one(depend, &kept, alu(R2, R1));         /* 3 */
    put_one(depend, &kept, alu(R1, 0));          /* 4: writes it anew, and reads nothing */
    put_one(depend, &kept, alu(R3, R1));         /* 5 */
    assert_int_equal(kept.count, 5);
    assert_int_equal(kept.fetches, 1);
    assert_true(waits(&kept, 2, false, 1));
    assert_true(waits(&kept, 3, true, 2));
    assert_false(waits(&kept, 3, false, 1));
    assert_int_equal(kept.records[3].reg_dep_count, 0);
    assert_true(waits(&kept, 4, false, 1));
    assert_true(waits(&kept, 5, true, 4));
    assert_false(waits(&kept, 5, true, 2));
    assert_int_equal(kept.records[2].comp_delay, 3000);
    depend_close(depend);
}

/* "a load for the last store to one of its bytes"; "a store waits for the store before it and the load before it" */
static void memory_is_in_order(void **state)
{
    struct depend *const depend = begin(false);
    struct kept kept = {.count = 0};

    put_one(depend, &kept, access_of(DEPEND_STORE, 100, 8, 0));  /* 2 */
    put_one(depend, &kept, access_of(DEPEND_LOAD, 104, 2, R1));  /* 3: forwarded */
    put_one(depend, &kept, access_of(DEPEND_LOAD, 108, 4, R2));  /* 4: bytes behind it */
    put_one(depend, &kept, access_of(DEPEND_STORE, 300, 8, 0));  /* 5 */
    put_one(depend, &kept, access_of(DEPEND_PREFETCH, 100, 8, 0));   /* 6 */
    assert_true(waits(&kept, 3, false, 2));
    assert_false(waits(&kept, 4, false, 2));
    assert_true(waits(&kept, 5, false, 2));
    assert_true(waits(&kept, 5, false, 4));
    assert_false(waits(&kept, 5, false, 3));
    assert_false(waits(&kept, 6, false, 2));
    assert_int_equal(kept.records[5].flags, 0x01000000);
    depend_close(depend);
}

/* fences wait for the accesses before them, and the accesses after them for the fence */
static void fences_hold(void **state)
{
    struct depend *const depend = begin(false);
    struct kept kept = {.count = 0};

    put_one(depend, &kept, access_of(DEPEND_LOAD, 0x100, 8, R1));    /* 2 */
    put_one(depend, &kept, access_of(DEPEND_LOAD, 0x200, 8, R2));    /* 3 */
    put_one(depend, &kept, access_of(DEPEND_STORE, 0x300, 8, 0));    /* 4 */
    put_one(depend, &kept, fence(DEPEND_FENCE_FULL));                /* 5 */
    put_one(depend, &kept, access_of(DEPEND_LOAD, 0x400, 8, R3));    /* 6 */
    put_one(depend, &kept, access_of(DEPEND_STORE, 0x500, 8, 0));    /* 7 */
    put_one(depend, &kept, fence(DEPEND_FENCE_STORE));               /* 8 */
    put_one(depend, &kept, access_of(DEPEND_LOAD, 0x600, 8, R3));    /* 9 */
    assert_true(waits(&kept, 5, true, 2) && waits(&kept, 5, true, 3) && waits(&kept, 5, false, 4));
    assert_true(waits(&kept, 6, false, 5) && waits(&kept, 7, false, 5));
    assert_true(waits(&kept, 8, false, 7) && !waits(&kept, 8, true, 6));
    assert_true(waits(&kept, 9, false, 5) && !waits(&kept, 9, false, 8));
    depend_close(depend);
}

/* OWN_ACQUIRE: "waits for the loads of its instruction alone"; OWN_RELEASE: "holds up those of its instruction alone"
 */
static void own_fences_hold_less(void **state)
{
    struct depend *const depend = begin(false);
    struct kept kept = {.count = 0};
    struct depend_uop const acquire[] = {access_of(DEPEND_LOAD, 0x200, 8, R2), fence(DEPEND_FENCE_OWN_ACQUIRE)};
    struct depend_uop const release[] = {fence(DEPEND_FENCE_OWN_RELEASE), access_of(DEPEND_STORE, 0x300, 8, 0)};

    put_one(depend, &kept, access_of(DEPEND_LOAD, 0x100, 8, R1));    /* 2 */
    put(depend, &kept, acquire, 2);                                  /* 3, 4 */
    put_one(depend, &kept, access_of(DEPEND_LOAD, 0x400, 8, R3));    /* 5 */
    put(depend, &kept, release, 2);                                  /* 6, 7 */
    put_one(depend, &kept, access_of(DEPEND_LOAD, 0x500, 8, R3));    /* 8 */
    assert_true(waits(&kept, 4, true, 3) && !waits(&kept, 4, true, 2));
    assert_true(waits(&kept, 5, false, 4));
    assert_true(waits(&kept, 6, true, 2) && waits(&kept, 6, true, 5) && waits(&kept, 7, false, 6));
    assert_true(waits(&kept, 8, false, 4) && !waits(&kept, 8, false, 6));
    depend_close(depend);
}

/* "a block's front end waits for that of the block before it, and for a micro-op that stops the fetch" */
static void fetch_waits_for_the_instruction_that_stopped_it(void **state)
{
    struct depend *const depend = begin(false);
    struct kept kept = {.count = 0};
    struct depend_uop stop = fence(DEPEND_FENCE_FULL);

    stop.stops_fetch = true;
    put_one(depend, &kept, stop);                /* 2 */
    put_one(depend, &kept, alu(R1, 0));          /* 3: front end, 4 */
    assert_int_equal(kept.fetches, 2);
    assert_true(waits(&kept, 3, false, 1) && waits(&kept, 3, false, 2) && waits(&kept, 4, false, 3));
    depend_close(depend);
}

/* "an access is a LOAD or STORE for each line that it touches"; what reads it waits for all of them */
static void accesses_are_cut_at_lines(void **state)
{
    struct depend *const depend = begin(false);
    struct kept kept = {.count = 0};

    put_one(depend, &kept, access_of(DEPEND_LOAD, 0x13c, 8, R1));    /* 2, 3 */
    put_one(depend, &kept, alu(R2, R1));                             /* 4 */
    assert_int_equal(kept.records[1].size_bytes, 4);
    assert_int_equal(kept.records[2].p_addr, 0x140);
    assert_true(waits(&kept, 4, true, 2) && waits(&kept, 4, true, 3));
    assert_int_equal(depend_counted(depend)->pieces, 1);
    depend_close(depend);
}

/* "All so far is complete, and nothing waits for it" */
static void a_restart_forgets(void **state)
{
    struct depend *const depend = begin(false);
    struct kept kept = {.count = 0};
    struct depend_output output;
    struct depend_uop const reader = alu(R2, R1);
    struct depend_instruction const instruction = {.has_pc = true, .pc = 0x1000, .size_bytes = 4, .uops = &reader,
                                                   .uop_count = 1};

    put_one(depend, &kept, alu(R1, 0));
    depend_restart(depend, 1000);
    assert_int_equal(depend_put(depend, &instruction, &output), DEPEND_GOOD);
    assert_int_equal(output.record_count, 2);
    assert_int_equal(output.fetch_count, 1);
    assert_int_equal(output.fetches[0].tick, 0);
    assert_int_equal(output.records[1].seq_num, 1001);
    assert_int_equal(output.records[1].reg_dep_count, 0);
    depend_close(depend);
}

/* In order: an access "waits (rob_dep) until the access before it was sent, and then as many cycles as `width`
 * micro-ops a cycle take"; it counts them in its weight */
static void accesses_go_in_order(void **state)
{
    struct depend *const depend = begin(true);
    struct kept kept = {.count = 0};
    struct depend_uop const load = access_of(DEPEND_LOAD, 0x1000, 8, R1);
    struct depend_instruction const behind = {.gap = 7, .uops = &load, .uop_count = 1};
    struct depend_output output;

    put_one(depend, &kept, access_of(DEPEND_STORE, 0x1004, 4, R1));
    assert_int_equal(depend_put(depend, &behind, &output), DEPEND_GOOD);
    keep(&kept, &output);
    assert_int_equal(kept.count, 2);             /* no front end */
    assert_int_equal(kept.records[1].weight, 7);
    assert_int_equal(kept.records[1].comp_delay, 2000);              /* micro-ops 1 to 9: from cycle 0 to 2 */
    assert_true(waits(&kept, 2, false, 1));
    assert_int_equal(kept.records[1].reg_dep_count, 0);
    depend_close(depend);
}

/* a COMP follows 16 cycles of micro-ops without an access, and another is at the end */
static void time_advances_between_accesses(void **state)
{
    struct depend *const depend = begin(true);
    struct kept kept = {.count = 0};
    struct depend_uop const nop = {.kind = DEPEND_NOP};
    struct depend_instruction const behind = {.gap = 150, .gap_ps = 5000, .uops = &nop, .uop_count = 1};
    struct depend_output output;
    uint64_t weight = 0, delay = 0;

    assert_int_equal(depend_put(depend, &behind, &output), DEPEND_GOOD);
    keep(&kept, &output);
    assert_int_equal(depend_end(depend, &output), DEPEND_GOOD);
    keep(&kept, &output);
    assert_int_equal(depend_end(depend, &output), DEPEND_GOOD);
    assert_int_equal(output.record_count, 0);
    for (size_t i = 0; i < kept.count; i++) {
        assert_int_equal(kept.records[i].type, DEP_COMP);
        weight += kept.records[i].weight + 1;
        delay += kept.records[i].comp_delay;
    }
    assert_int_equal(kept.count, 4);
    assert_int_equal(kept.records[0].comp_delay, 0);     /* the reference begins with its end */
    assert_int_equal(weight, 151);
    assert_int_equal(delay, (151 / 4 + 5) * 1000);
    assert_true(waits(&kept, 2, false, 1) && waits(&kept, 3, false, 2) && waits(&kept, 4, false, 3));
    depend_close(depend);
}

static struct depend *begin_with(struct depend_options options)
{
    struct depend_space const space = {same_place, NULL, true};
    struct depend *const depend = depend_open(&options, &space);

    assert_non_null(depend);
    return depend;
}

/* "with keeps_times gaps add up to a time since the beginning", whose first counts, too; "with waits_for_answers it
 * waits until a load before it was answered (reg_dep)", and a store is answered when it is sent */
static void times_are_kept(void **state)
{
    struct depend_options options = {.period_ps = 1000, .width = 4, .window = 256, .line_bytes = 64,
                                     .fetch_bytes = 64, .registers = REGISTERS, .first_seq = 1, .is_in_order = true};
    struct depend_uop const uops[] = {access_of(DEPEND_LOAD, 0x1000, 8, R1), access_of(DEPEND_STORE, 0x2000, 8, R1),
                                      access_of(DEPEND_LOAD, 0x3000, 8, R1)};

    for (int answers = 0; answers < 2; answers++) {
        struct kept kept = {.count = 0};
        struct depend_output output;
        struct depend *depend;

        options.keeps_times = answers == 0;
        options.waits_for_answers = answers == 1;
        depend = begin_with(options);
        for (size_t i = 0; i < 3; i++) {
            struct depend_instruction const one = {.gap_ps = 700, .uops = &uops[i], .uop_count = 1};

            assert_int_equal(depend_put(depend, &one, &output), DEPEND_GOOD);
            keep(&kept, &output);
        }
        assert_int_equal(kept.count, 4);
        assert_int_equal(kept.records[0].type, DEP_COMP);
        assert_int_equal(kept.records[0].comp_delay, 0);
        for (size_t i = 1; i < 4; i++) {
            assert_int_equal(kept.records[i].comp_delay, answers ? 700 : 700 * i);
            assert_int_equal(kept.records[i].present & DEP_AT_TIME, answers ? 0 : DEP_AT_TIME);
            assert_true(waits(&kept, i + 1, answers && i == 2, i));
        }
        depend_close(depend);
    }
}

/* No record is heavier than the distances of 16 bits that a reorder buffer has, however long the gap. */
static void long_gaps_are_cut(void **state)
{
    struct depend *const depend = begin(true);
    struct depend_uop const load = access_of(DEPEND_LOAD, 0x1000, 8, R1);
    struct depend_instruction const behind = {.gap = 1000000, .uops = &load, .uop_count = 1};
    struct depend_output output;
    uint64_t weight = 0;

    assert_int_equal(depend_put(depend, &behind, &output), DEPEND_GOOD);
    for (size_t i = 0; i < output.record_count; i++) {
        assert_true(output.records[i].weight < 65536);
        weight += output.records[i].weight + 1;
    }
    assert_int_equal(weight, 1000001);
    depend_close(depend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_tie), cmocka_unit_test(memory_is_in_order), cmocka_unit_test(fences_hold),
        cmocka_unit_test(own_fences_hold_less), cmocka_unit_test(fetch_waits_for_the_instruction_that_stopped_it),
        cmocka_unit_test(accesses_are_cut_at_lines), cmocka_unit_test(a_restart_forgets),
        cmocka_unit_test(accesses_go_in_order), cmocka_unit_test(time_advances_between_accesses),
        cmocka_unit_test(long_gaps_are_cut), cmocka_unit_test(times_are_kept)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
