/* memsys/noc/snoop_filter.h, memsys/fast/snoop_words.h: operations of classic-memory 5.6, and a random differential
 * against an array of lines. Both tables of entries pass each test. */
#include "memsys/fast/snoop_words.h"
#include "tests/support/unit.h"

#define LINES 3000
#define STEPS 300000

static struct snoop_filter filter;

static int set_up(void **state)
{
    assert_int_equal(snoop_filter_init(&filter, NULL).kind, FAULT_NONE);
    return 0;
}

static int set_up_words(void **state)
{
    set_up(state);
    assert_int_equal(snoop_words_bind(&filter, NULL).kind, FAULT_NONE);
    return 0;
}

static int tear_down(void **state)
{
    snoop_filter_free(&filter);
    return 0;
}

static struct packet packet_of(enum command command, uint32_t flags)
{
    struct request const request = {.size_bytes = 64, .flags = flags};
    struct packet packet;

    packet_init(&packet, &request, command);
    return packet;
}

/* A whole accepted request of a snooping port. */
static uint64_t request(enum command command, uint64_t line, unsigned port)
{
    struct packet const packet = packet_of(command, 0);
    struct snoop_filter_ticket ticket;

    return snoop_filter_request(&filter, &packet, line, port, true, &ticket);
}

static void respond(uint64_t line, unsigned port, uint32_t place)
{
    struct packet packet = packet_of(CMD_ReadResp, 0);

    packet.filter_place = place;
    snoop_filter_response(&filter, line, port, &packet);
}

static void expect_masks(uint64_t line, uint64_t requested, uint64_t holders)
{
    struct snoop_filter_entry const entry = snoop_filter_find(&filter, line);

    assert_int_equal(entry.requested, requested);
    assert_int_equal(entry.holders, holders);
}

/* request marks requested, response makes a holder, eviction ends it and drops the entry */
static void life_of_a_line(void **state)
{
    assert_int_equal(request(CMD_ReadSharedReq, 9, 0), 0);
    expect_masks(9, 1, 0);
    assert_int_equal(request(CMD_ReadSharedReq, 9, 63), 1);
    expect_masks(9, 1 | UINT64_C(1) << 63, 0);
    respond(9, 0, 0);
    respond(9, 63, 0);
    expect_masks(9, 0, 1 | UINT64_C(1) << 63);
    assert_int_equal(request(CMD_CleanEvict, 9, 0), UINT64_C(1) << 63);
    expect_masks(9, 0, UINT64_C(1) << 63);
    assert_int_equal(request(CMD_WritebackDirty, 9, 63), 0);
    expect_masks(9, 0, 0);
    assert_int_equal(filter.stats.tot_requests, 4);
    assert_int_equal(filter.stats.hit_single_requests, 2);    /* the second request, the write-back */
    assert_int_equal(filter.stats.hit_multi_requests, 1);
}

/* "Undoes the request if it was not accepted" */
static void refused_request_leaves_no_trace(void **state)
{
    struct packet const read = packet_of(CMD_ReadExReq, 0), eviction = packet_of(CMD_CleanEvict, 0);
    struct snoop_filter_ticket ticket;

    snoop_filter_request(&filter, &read, 5, 2, true, &ticket);
    snoop_filter_undo(&filter, 5, ticket);
    expect_masks(5, 0, 0);
    request(CMD_ReadSharedReq, 5, 1);
    respond(5, 1, 0);
    assert_int_equal(snoop_filter_request(&filter, &read, 5, 2, true, &ticket), 2);
    expect_masks(5, 4, 2);
    snoop_filter_undo(&filter, 5, ticket);
    expect_masks(5, 0, 2);
    snoop_filter_request(&filter, &eviction, 5, 1, true, &ticket);
    snoop_filter_undo(&filter, 5, ticket);
    expect_masks(5, 0, 2);
    assert_int_equal(filter.stats.tot_requests, 4);
}

/* Uncacheable requests, those not of caches, and those of ports that do not snoop: looked up, never entered. */
static void only_requests_of_caches_are_tracked(void **state)
{
    struct packet const uncacheable = packet_of(CMD_ReadSharedReq, REQUEST_UNCACHEABLE);
    struct packet const plain = packet_of(CMD_ReadReq, 0), cached = packet_of(CMD_ReadSharedReq, 0);
    struct snoop_filter_ticket ticket;

    assert_int_equal(snoop_filter_request(&filter, &uncacheable, 1, 0, true, &ticket), 0);
    expect_masks(1, 0, 0);
    assert_int_equal(snoop_filter_request(&filter, &plain, 1, 0, true, &ticket), 0);
    assert_int_equal(snoop_filter_request(&filter, &cached, 1, 0, false, &ticket), 0);
    expect_masks(1, 0, 0);
    assert_int_equal(filter.stats.tot_requests, 0);
    request(CMD_ReadSharedReq, 1, 3);
    assert_int_equal(snoop_filter_request(&filter, &uncacheable, 1, 0, true, &ticket), 8);
    expect_masks(1, 8, 0);
    assert_int_equal(filter.stats.tot_requests, 2);
}

/* A request that a cache above already answers is not marked; an eviction with a copy above keeps its holder. */
static void marks_of_the_packet_count(void **state)
{
    struct packet express = packet_of(CMD_ReadExReq, 0), eviction = packet_of(CMD_WritebackDirty, 0);
    struct snoop_filter_ticket ticket;

    express.cache_responding = true;
    snoop_filter_request(&filter, &express, 1, 0, true, &ticket);
    expect_masks(1, 0, 0);
    request(CMD_ReadSharedReq, 1, 2);
    respond(1, 2, 0);
    eviction.block_cached = true;
    snoop_filter_request(&filter, &eviction, 1, 2, true, &ticket);
    expect_masks(1, 0, 4);
}

static void snoops_and_their_responses(void **state)
{
    assert_int_equal(snoop_filter_snoop(&filter, 3, true), 0);
    assert_int_equal(filter.stats.tot_snoops, 0);
    request(CMD_ReadSharedReq, 3, 0);
    respond(3, 0, 0);
    request(CMD_ReadSharedReq, 3, 1);
    assert_int_equal(snoop_filter_snoop(&filter, 3, true), 3);    /* kept: port 1 waits for the line */
    expect_masks(3, 2, 1);
    snoop_filter_snoop_response_up(&filter, 3, true, 1);
    expect_masks(3, 0, 3);
    snoop_filter_snoop_response_down(&filter, 3, true);
    expect_masks(3, 0, 3);
    snoop_filter_snoop_response_up(&filter, 3, false, 4);
    expect_masks(3, 0, 16);
    assert_int_equal(snoop_filter_snoop(&filter, 3, false), 16);
    expect_masks(3, 0, 16);
    snoop_filter_snoop_response_down(&filter, 3, false);
    expect_masks(3, 0, 0);
    snoop_filter_snoop_response_up(&filter, 3, true, 2);           /* makes the entry */
    assert_int_equal(snoop_filter_snoop(&filter, 3, true), 4);
    expect_masks(3, 0, 0);
    assert_int_equal(filter.stats.tot_snoops, 3);
    assert_int_equal(filter.stats.hit_single_snoops, 2);
    assert_int_equal(filter.stats.hit_multi_snoops, 1);
}

/* "a secure line is not the other one" */
static void secure_lines_differ(void **state)
{
    request(CMD_ReadSharedReq, 7, 0);
    assert_int_equal(request(CMD_ReadSharedReq, 7 | ADDRESS_SECURE >> 6, 1), 0);
    expect_masks(7, 1, 0);
    expect_masks(7 | ADDRESS_SECURE >> 6, 2, 0);
}

struct model_line {
    uint64_t requested, holders;
};

static uint64_t random_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 16;
}

/* Lines that collide: neighbours, and far ones that differ in high bits only. Short entries hold those of shift 20. */
static unsigned line_shift;

static uint64_t line_number(unsigned index)
{
    return index < LINES / 2 ? index : (uint64_t)index << line_shift;
}

static void model_request(struct model_line *model, const struct packet *packet, unsigned port, bool is_accepted)
{
    if (!is_accepted)
        return;
    if (packet_is(packet, ATTR_NEEDS_RESPONSE))
        model->requested |= UINT64_C(1) << port;
    else
        model->holders &= ~(UINT64_C(1) << port);
}

/* "of which one port alone holds or has requested the line": what snoop_filter_request and snoop_filter_undo would
 * do; false if they have to. place: as snoop_words_request_own sets it. */
static bool request_alone(const struct packet *packet, uint64_t line, unsigned port, uint64_t present, bool is_accepted,
                          uint32_t *place)
{
    bool const wants_answer = packet_is(packet, ATTR_NEEDS_RESPONSE);
    uint64_t const requests = filter.stats.tot_requests, singles = filter.stats.hit_single_requests;
    bool has_room = false;
    uint64_t *const word = snoop_words_are_bound(&filter) && port < SNOOP_WORDS_PORTS
                               ? snoop_words_find_own(snoop_words_of(&filter), line, port, &has_room) : NULL;
    uint64_t old;

    if (!word || (!wants_answer && *word == 0))
        return false;
    assert_int_equal(present & ~(UINT64_C(1) << port), 0);
    old = wants_answer ? snoop_words_request_own(&filter, word, line, port, place)
                       : snoop_words_evict_own(&filter, word, has_room, port);
    if (!is_accepted)
        snoop_words_undo_own(snoop_words_of(&filter), line, port, old);
    assert_int_equal(filter.stats.tot_requests, requests + 1);
    assert_int_equal(filter.stats.hit_single_requests, singles + (present != 0));
    return true;
}

/* By operations only: all removals move entries back. */
static void empty(struct model_line *model)
{
    for (unsigned i = 0; i < LINES; i++) {
        for (unsigned port = 0; port < 64; port++)
            if (model[i].requested >> port & 1)
                respond(line_number(i), port, 0);
        snoop_filter_snoop_response_down(&filter, line_number(i), false);
        model[i] = (struct model_line){0, 0};
    }
}

/* All of the array, and nothing else. */
static void expect_model(const struct model_line *model)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < LINES; i++) {
        expect_masks(line_number(i), model[i].requested, model[i].holders);
        count += (model[i].requested | model[i].holders) != 0;
    }
    if (snoop_words_are_bound(&filter)) {
        assert_int_equal(snoop_words_of(&filter)->count, count);
        assert_true(8 * count <= 5 * (snoop_words_of(&filter)->mask + 1));
    }
}

/* 300,000 random operations on 3000 lines: each answer and, at times, the whole table equal those of an array. Returns
 * how many took the functions with `_own`. */
static uint64_t agree_with_an_array(unsigned first_far_step, unsigned ports)
{
    static struct model_line model[LINES];
    static uint32_t places[LINES];
    static const enum command commands[] = {CMD_ReadSharedReq, CMD_ReadExReq, CMD_CleanEvict, CMD_WritebackDirty};
    uint64_t seed = 88172645463325252;
    uint64_t alone = 0;

    memset(model, 0, sizeof model);
    line_shift = 20;
    for (unsigned step = 0; step < STEPS; step++) {
        if (step == first_far_step)      /* the table is empty */
            line_shift = 38;
        /* phases: the lines in use wax and wane, so that the table grows and empties */
        unsigned const in_use = step / 30000 % 2 == 0 ? LINES : 20;
        unsigned const index = (unsigned)(random_number(&seed) % in_use);
        unsigned const port = (unsigned)(random_number(&seed) % ports);
        bool const flag = random_number(&seed) % 2 == 0;
        uint64_t const line = line_number(index), bit = UINT64_C(1) << port;
        struct model_line *const expected = &model[index];
        uint64_t const present = expected->requested | expected->holders;
        unsigned const kind = (unsigned)(random_number(&seed) % 6);

        if (kind <= 1) {
            struct packet const packet = packet_of(commands[random_number(&seed) % 4], 0);
            struct snoop_filter_ticket ticket;

            if (kind == 1 && request_alone(&packet, line, port, present, flag, &places[index])) {
                alone++;
            } else {
                assert_int_equal(snoop_filter_request(&filter, &packet, line, port, true, &ticket), present & ~bit);
                if (!flag)
                    snoop_filter_undo(&filter, line, ticket);
            }
            model_request(expected, &packet, port, flag);
        } else if (kind == 2) {
            respond(line, port, places[index]);    /* of long ago, as a rule */
            if (present) {
                expected->requested &= ~bit;
                expected->holders |= bit;
            }
        } else if (kind == 3) {
            assert_int_equal(snoop_filter_snoop(&filter, line, flag), present);
            if (flag && expected->requested == 0)
                expected->holders = 0;
        } else if (kind == 4) {
            snoop_filter_snoop_response_down(&filter, line, flag);
            if (!flag)
                expected->holders = 0;
        } else {
            snoop_filter_snoop_response_up(&filter, line, flag, port);
            expected->holders = (flag ? expected->holders : 0) | bit;
            expected->requested &= ~bit;
        }
        expect_masks(line, expected->requested, expected->holders);
        if (step % 5000 == 4999)
            expect_model(model);
        if (step % 60000 == 59999) {
            empty(model);
            expect_model(model);
        }
    }
    return alone;
}

static void agrees_with_an_array(void **state)
{
    agree_with_an_array(60000, 16);
    tear_down(state);
    set_up(state);
    agree_with_an_array(STEPS, 64);
}

/* "The table grows when five eighths are taken" */
static void words_agree_with_an_array(void **state)
{
    const struct snoop_words *const words = snoop_words_of(&filter);

    assert_true(agree_with_an_array(STEPS, 16) > 1000);
    assert_false(words->is_long);
    assert_true(words->mask > 1024);
    for (uint64_t i = 0; i <= words->mask; i++)
        assert_true(words->words[i] == 0);       /* the last phase emptied it */
}

/* "A line or a port that no word can hold makes all entries long" */
static void words_become_long(void **state)
{
    agree_with_an_array(60000, 16);
    assert_true(snoop_words_of(&filter)->is_long);
    tear_down(state);
    set_up_words(state);
    agree_with_an_array(STEPS, 64);
    assert_true(snoop_words_of(&filter)->is_long);
}

#define BOTH(test)                                                                                                    \
    cmocka_unit_test_setup_teardown(test, set_up, tear_down),                                                         \
    cmocka_unit_test_setup_teardown(test, set_up_words, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(life_of_a_line),
        BOTH(refused_request_leaves_no_trace),
        BOTH(only_requests_of_caches_are_tracked),
        BOTH(marks_of_the_packet_count),
        BOTH(snoops_and_their_responses),
        BOTH(secure_lines_differ),
        cmocka_unit_test_setup_teardown(agrees_with_an_array, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_agree_with_an_array, set_up_words, tear_down),
        cmocka_unit_test_setup_teardown(words_become_long, set_up_words, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
