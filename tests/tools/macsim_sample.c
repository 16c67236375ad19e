/* Writes a small MacSim set by the project's own writers: macsim_sample FOLDER KIND.
 *
 *     threads   app.txt with four threads that start at 0, 1000, 2500 and 9999999 instructions of the main thread,
 *     which
 *               has 6000: the last one's count never comes. Their work is a walk over an array each, stores into a line
 *               that all share, and a call every few instructions.
 *     stos      app.txt, one thread: 100 iterations of a STOS
 *     long      app.txt, one thread: the same walk, 2,000,000 instructions
 *     BODY TURNS STRIDE FOLD   app.txt, one thread: TURNS times the instructions of BODY, a letter each: l a load, s a
 *               store, c a load whose address is the result of the chain, x and d an addition and a division in the
 *               chain, i and v the same by themselves, j a jump to the next page of code, b
 *               a jump back to the page before, w a store whose address is
 *               the result of the chain, r a load of the same word. Each l, s and c has an address of its own, STRIDE
 *               bytes behind the one before; after FOLD bytes they begin again.
 *     random    app.txt, one thread of records drawn at random (SEED is the third argument), with everything that
 *               the translation knows: repeats, fences, accesses across lines, prefetches, gaps in the PCs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/macsim/macsim_header.h"
#include "tests/support/macsim_writer.h"

#define FLAGS 25u
#define RIP 26u
#define RAX 10u
#define RBX 7u
#define RCX 9u
#define RSP 6u
#define YMM0 123u

static struct fault error;

static void fail(void)
{
    fprintf(stderr, "macsim_sample: %s\n", fault_text(error));
    exit(1);
}

static unsigned opcode(const char *name)
{
    int const number = macsim_opcode_find(MACSIM_X86_PIN313, name);

    if (number < 0)
        abort();
    return (unsigned)number;
}

static struct macsim_cpu_record plain(uint64_t pc, unsigned size, const char *name)
{
    return (struct macsim_cpu_record){.pc = pc, .size = (uint8_t)size, .opcode = (uint16_t)opcode(name)};
}

static void reads(struct macsim_cpu_record *record, unsigned number)
{
    record->sources[record->source_count++] = (uint16_t)number;
}

static void writes(struct macsim_cpu_record *record, unsigned number)
{
    record->destinations[record->destination_count++] = (uint16_t)number;
}

static void put(struct sink *sink, const struct macsim_cpu_record *record)
{
    if (!macsim_write_cpu(sink, record, &error))
        fail();
}

static struct sink *open_stream(const char *folder, unsigned thread)
{
    char path[4096];
    struct sink *sink;

    snprintf(path, sizeof path, "%s/app_%u.raw", folder, thread);
    sink = sink_open_bytes(path, thread % 2 == 0, &error);
    if (!sink)
        fail();
    return sink;
}

static void close_stream(struct sink *sink)
{
    if (FAILS(error, sink_close(sink)))
        fail();
}

static void write_header(const char *folder, const struct macsim_thread *threads, size_t count)
{
    char path[4096], version[] = "1.3";
    struct macsim_header header = {.form = MACSIM_THREADS, .kind = MACSIM_KIND_X86, .thread_count = count};
    struct macsim_thread copies[8];

    memcpy(copies, threads, count * sizeof *threads);
    header.threads = copies;
    snprintf(header.version, sizeof header.version, "%s", version);
    snprintf(path, sizeof path, "%s/app.txt", folder);
    if (!macsim_header_write(&header, path, &error))
        fail();
}

/* A loop of six instructions, `instructions` in all: load, add, store, compare, branch back; every 16th turn a store to
 * a line that all threads share. */
static void write_loop(const char *folder, unsigned thread, unsigned instructions)
{
    uint64_t const code = 0x400000 + 0x1000 * (uint64_t)thread, data = UINT64_C(0x7f0000000000) + 0x100000 * thread;
    struct sink *const sink = open_stream(folder, thread);

    for (unsigned i = 0; i < instructions; i++) {
        unsigned const turn = i / 5, step = i % 5;
        struct macsim_cpu_record record;

        switch (step) {
        case 0:
            record = plain(code, 4, "DATAXFER");
            record.load_count = 1, record.bytes_read = 8, record.load[0] = data + 64 * (uint64_t)turn;
            reads(&record, RBX), writes(&record, RAX);
            break;
        case 1:
            record = plain(code + 4, 4, "BINARY");
            reads(&record, RAX), reads(&record, RCX), writes(&record, RCX), writes(&record, FLAGS);
            break;
        case 2:
            record = plain(code + 8, 4, "DATAXFER");
            record.has_store = true, record.bytes_written = 8;
            record.store = turn % 16 == 0 ? UINT64_C(0x7e0000000000) + 8 * thread : data + 0x80000 + 8 * (uint64_t)turn;
            reads(&record, RCX), reads(&record, RBX);
            break;
        case 3:
            record = plain(code + 12, 4, "BINARY");
            reads(&record, RBX), writes(&record, RBX), writes(&record, FLAGS);
            break;
        default:
            record = plain(code + 16, 2, "COND_BR");
            record.cf = MACSIM_CF_CONDITIONAL, record.taken = true, record.target = code;
            reads(&record, FLAGS), reads(&record, RIP), writes(&record, RIP);
            break;
        }
        put(sink, &record);
    }
    close_stream(sink);
}

static void write_threads(const char *folder)
{
    static const struct macsim_thread threads[] = {{0, 0}, {1, 1000}, {2, 2500}, {3, 9999999}};

    write_loop(folder, 0, 6000);
    for (unsigned i = 1; i < 4; i++)
        write_loop(folder, i, 4000 + 500 * i);
    write_header(folder, threads, 4);
}

static void write_one(const char *folder)
{
    static const struct macsim_thread thread = {0, 0};

    write_header(folder, &thread, 1);
}

static void write_stos(const char *folder)
{
    struct sink *const sink = open_stream(folder, 0);

    for (unsigned i = 0; i < 100; i++) {
        struct macsim_cpu_record record = plain(0x400000, 2, "STRINGOP");

        record.has_store = true, record.bytes_written = 8, record.store = UINT64_C(0x7f0000000000) + 8 * i;
        reads(&record, RAX), reads(&record, RCX), writes(&record, RCX);
        put(sink, &record);
    }
    close_stream(sink);
    write_one(folder);
}

/* ---- random records */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

static uint64_t draw_address(void)
{
    return UINT64_C(0x7f1230000000) + draw(3) * 0x10000 + draw(600);
}

static void draw_registers(struct macsim_cpu_record *record)
{
    static const uint16_t few[] = {RAX, RBX, RCX, RSP, FLAGS, RIP, YMM0, 0, 1, 14, 15};

    for (uint64_t n = draw(5); n > 0; n--)
        reads(record, few[draw(sizeof few / sizeof *few)]);
    for (uint64_t n = draw(4); n > 0; n--)
        writes(record, few[draw(sizeof few / sizeof *few)]);
}

static void write_random(const char *folder, uint64_t seed)
{
    static const char *const names[] = {
        "DATAXFER", "DATAXFER", "DATAXFER", "BINARY", "BINARY", "LOGICAL", "SSE", "AVX", "TR_MUL", "TR_DIV", "TR_FDIV",
        "SHIFT", "CMOV", "PREFETCH_T0", "PREFETCH", "MISC", "SEMAPHORE", "SYSCALL", "TR_NOP", "XSAVE", "POP", "STTNI"};
    static const uint8_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 200, 0};
    struct sink *const sink = open_stream(folder, 0);
    uint64_t pc = 0x400100;

    random_state = seed;
    for (unsigned i = 0; i < 4000; i++) {
        struct macsim_cpu_record record = plain(pc, 1 + (unsigned)draw(11), names[draw(sizeof names / sizeof *names)]);
        uint64_t repeats = 1;

        draw_registers(&record);
        record.is_fp = draw(4) == 0;
        record.load_count = (uint8_t)(draw(2) ? draw(4) : 0);
        record.load[0] = draw_address(), record.load[1] = draw_address();
        record.bytes_read = record.load_count ? sizes[draw(sizeof sizes)] : 0;
        record.has_store = draw(3) == 0;
        record.store = record.has_store ? draw_address() : 0;
        record.bytes_written = record.has_store ? sizes[draw(sizeof sizes)] : 0;
        if (draw(40) == 0) {
            record = plain(pc, 3, "MISC");       /* a fence */
            record.load[1] = 1;
        } else if (draw(12) == 0) {
            record = plain(pc, 2, draw(2) ? "COND_BR" : "CALL");
            record.cf = record.opcode == opcode("CALL") ? MACSIM_CF_CALL : MACSIM_CF_CONDITIONAL;
            record.taken = record.cf == MACSIM_CF_CALL || draw(2);
            record.target = 0x400000 + draw(4096);
            record.has_store = record.cf == MACSIM_CF_CALL;
            record.store = record.has_store ? draw_address() : 0;
            record.bytes_written = record.has_store ? 8 : 0;
            reads(&record, FLAGS), writes(&record, RIP);
        } else if (draw(30) == 0) {
            record = plain(pc, 2, "STRINGOP");
            record.load_count = (uint8_t)draw(2), record.bytes_read = record.load_count ? 8 : 0;
            record.has_store = true, record.bytes_written = 8;
            reads(&record, RCX), reads(&record, FLAGS), writes(&record, RCX);
            repeats = 1 + draw(40);
        }
        for (; repeats > 0; repeats--) {
            put(sink, &record);
            record.load[0] += 8, record.store += record.has_store ? 8 : 0;
        }
        pc = record.taken ? record.target : pc + record.size;
        if (draw(100) == 0)
            pc += 5;
        if (draw(200) == 0)
            pc = 0x400000 + draw(4096);
    }
    close_stream(sink);
    write_one(folder);
}

/* ---- bodies */
enum { NEXT = 4096 + 64 };               /* bytes to the next page of code, another set of an L1I */

struct body {
    uint64_t pc, data, stride, fold;
};

static struct macsim_cpu_record of_letter(struct body *body, char letter)
{
    bool const is_load = strchr("lcr", letter) != NULL, is_store = letter == 's' || letter == 'w';
    bool const is_long = letter == 'd' || letter == 'v', is_chained = strchr("cxdw", letter) != NULL;
    bool const is_one_word = letter == 'r' || letter == 'w';
    uint64_t const address = is_one_word ? UINT64_C(0x7e0000000000) : UINT64_C(0x7f0000000000) + body->data;
    const char *const name = is_load || is_store ? "DATAXFER" : is_long ? "TR_DIV" : "BINARY";
    struct macsim_cpu_record record = plain(body->pc, 4, name);

    if (letter == 'j' || letter == 'b') {
        record = plain(body->pc, 5, "UNCOND_BR");
        record.cf = MACSIM_CF_JUMP, record.taken = true;
        record.target = letter == 'j' ? body->pc + NEXT : body->pc - NEXT;
    } else if (is_store) {
        record.has_store = true, record.bytes_written = 8, record.store = address;
        reads(&record, RCX), reads(&record, is_chained ? RAX : RBX);
    } else {
        reads(&record, is_chained ? RAX : RBX), writes(&record, is_chained ? RAX : RSP);
    }
    if (is_load)
        record.load_count = 1, record.bytes_read = 8, record.load[0] = address;
    if ((is_load || is_store) && !is_one_word)
        body->data = (body->data + body->stride) % body->fold;
    body->pc = record.taken ? record.target : body->pc + record.size;
    return record;
}

static void write_body(const char *folder, const char *letters, uint64_t turns, uint64_t stride, uint64_t fold)
{
    struct sink *const sink = open_stream(folder, 0);
    struct body body = {.stride = stride, .fold = fold};

    for (uint64_t turn = 0; turn < turns; turn++) {
        body.pc = 0x400000;
        for (const char *letter = letters; *letter; letter++) {
            struct macsim_cpu_record const record = of_letter(&body, *letter);

            put(sink, &record);
        }
    }
    close_stream(sink);
    write_one(folder);
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[2], "threads") == 0)
        write_threads(argv[1]);
    else if (argc >= 3 && strcmp(argv[2], "stos") == 0)
        write_stos(argv[1]);
    else if (argc >= 3 && strcmp(argv[2], "long") == 0)
        write_loop(argv[1], 0, 2000000), write_one(argv[1]);
    else if (argc == 4 && strcmp(argv[2], "random") == 0)
        write_random(argv[1], strtoull(argv[3], NULL, 10));
    else if (argc == 6)
        write_body(argv[1], argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10),
                   strtoull(argv[5], NULL, 10));
    else
        return fprintf(stderr, "use: macsim_sample FOLDER threads|stos|long|random SEED|BODY TURNS STRIDE FOLD\n"), 2;
    return 0;
}
