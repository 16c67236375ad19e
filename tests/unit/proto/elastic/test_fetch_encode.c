/* proto/elastic/packet_reader.h, proto/store/encode_fetch.c: fetches that are taken where they lie are those that the
 * reader gives, whatever their messages look like. */
#include "proto/elastic/trace_writer.h"
#include "proto/io/wire.h"
#include "proto/store/store_pack.h"
#include "tests/support/store_folder.h"
#include "tests/support/unit.h"

#define DEP "tests/traces/gups/deptrace.proto.gz"

enum { MESSAGES = 60000, REPEATED = 3, STEP = 250 };
enum field { TICK = 1, CMD = 2, ADDR = 3, SIZE = 4, FLAGS = 5, PKT_ID = 6, PC = 7, UNKNOWN = 9 };

/* Oddities of a message. LATE_TICK: another one at the end, which counts. */
enum oddity { USUAL, USUAL_TOO, LATE_TICK, HAS_ID, SPREAD_NUMBER, HAS_UNKNOWN, LONG, SWAPPED, SHORT, ODDITIES };

struct message {
    uint8_t bytes[128];
    size_t used;
};

static void put_varint(struct message *message, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        message->bytes[message->used++] = (uint8_t)(number | 0x80);
    message->bytes[message->used++] = (uint8_t)number;
}

static void put(struct message *message, enum field field, uint64_t number)
{
    put_varint(message, WIRE_TAG(field, WIRE_VARINT));
    put_varint(message, number);
}

static struct message make_message(enum oddity oddity, uint64_t first_tick, uint64_t tick, uint64_t line)
{
    struct message message = {.used = 0};

    if (oddity == SWAPPED)
        put(&message, CMD, 1);
    put(&message, TICK, first_tick);
    if (oddity != SWAPPED)
        put(&message, CMD, 1);
    put(&message, ADDR, oddity == LONG ? UINT64_MAX - 64 * line : 0x400000 + 64 * line);
    if (oddity == SPREAD_NUMBER) {   /* of one more byte than it needs */
        message.bytes[message.used - 1] |= 0x80;
        message.bytes[message.used++] = 0;
    }
    put(&message, SIZE, 64);
    if (oddity == SHORT)
        return message;
    put(&message, FLAGS, 256);
    if (oddity == HAS_ID)
        put(&message, PKT_ID, 7 + tick / 3);
    put(&message, PC, oddity == LONG ? UINT64_MAX - line : 0x400000 + 64 * line + 8);
    if (oddity == HAS_UNKNOWN || oddity == LONG)
        put(&message, UNKNOWN, UINT64_MAX);
    if (oddity == LATE_TICK)
        put(&message, TICK, tick);
    return message;
}

static void write_message(FILE *file, struct message message)
{
    assert_int_equal(fputc((int)message.used, file), (int)message.used);
    assert_int_equal(fwrite(message.bytes, 1, message.used, file), message.used);
}

/* Each time the same two messages; the second one ends with the same late tick but begins with ticks that continue the
 * order. */
static void write_late_ticks(FILE *file, uint64_t tick)
{
    write_message(file, make_message(USUAL, tick, tick, 1));
    for (uint64_t i = 1; i <= REPEATED; i++) {
        uint64_t const now = tick + (i > 1 ? STEP : 0);

        write_message(file, make_message(USUAL, now, now, 1));
        write_message(file, make_message(LATE_TICK, tick + i * STEP, tick + STEP, 2));
    }
}

/* Loops over some lines, whose messages come again and again at steps that mostly do, too. */
static void write_fetches(const char *path)
{
    struct packet_header const header = {.tick_freq = UINT64_C(1000000000000)};
    struct fault error = fault_none();
    struct trace_writer *const writer = packet_writer_open(path, &header, &error);
    uint64_t tick = 100;
    FILE *file;

    assert_non_null(writer);
    assert_true(WORKS(error, trace_writer_close(writer)));
    file = fopen(path, "ab");
    assert_non_null(file);
    for (uint64_t i = 0, loop = 1, begin = 0; i < MESSAGES; i++) {
        uint64_t const line = begin + i % loop;
        enum oddity const oddity = line % 4 != 0 ? USUAL : (enum oddity)(line / 4 % ODDITIES);

        if (pick(500) == 0) {
            loop = 1 + pick(40);
            begin = pick(200);
        }
        tick += pick(30) == 0 ? 500 * pick(4) : 250 * (line % 3);
        if (pick(20000) == 0)
            tick <<= 8;              /* to ticks of more bytes */
        write_message(file, make_message(oddity, tick, tick, line));
    }
    write_late_ticks(file, tick);
    assert_int_equal(fclose(file), 0);
}

static void fetches_are_those_of_the_reader(void **state)
{
    struct fault error = fault_none(), reader_error = {.kind = FAULT_NONE};
    char path[sizeof store_path + 16];
    struct packet_record got, expected;
    enum packet_result result;
    uint64_t count = 0;

    snprintf(path, sizeof path, "%s.fetches", store_path);
    write_fetches(path);
    assert_true(WORKS(error, store_pack(DEP, path, store_path)));

    struct packet_reader *const reader = packet_reader_open(path, &reader_error);
    struct store *const store = store_open(store_path, &error);
    struct store_fetches *const fetches = store_fetches_open(store, 0, &error);

    while ((result = packet_reader_next(reader, &expected, &reader_error)) == PACKET_RECORD) {
        assert_int_equal(store_fetches_read(fetches, &got, &error), PACKET_RECORD);
        if (memcmp(&got, &expected, sizeof got) != 0)
            fail_msg("fetch %llu: tick %llu, %llu expected; addr %#llx, %#llx expected; present %u, %u expected",
                     (unsigned long long)count, (unsigned long long)got.tick, (unsigned long long)expected.tick,
                     (unsigned long long)got.addr, (unsigned long long)expected.addr, got.present, expected.present);
        count++;
    }
    assert_int_equal(result, PACKET_END);
    assert_int_equal(store_fetches_read(fetches, &got, &error), PACKET_END);
    assert_true(count > MESSAGES);
    assert_int_equal(store_about(store)->count[STORE_FETCH], count);
    store_fetches_close(fetches);
    store_close(store);
    packet_reader_close(reader);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(fetches_are_those_of_the_reader)};

    return cmocka_run_group_tests_name("fetch encode", tests, set_up_store_folder, tear_down_store_folder);
}
