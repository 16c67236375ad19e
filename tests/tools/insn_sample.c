/* insn_sample FILE.rbt threads|strings: traces of which all is known.
 *
 * strings: x86-64, a `rep movsb` of 100 bytes from 0x20020 to 0x30000, an iteration of it for each byte; then an
 * addition to each of rax and rsi.
 * threads: two threads of riscv64.
 * Thread 1 executes 4,000 additions, creates thread 2, executes 1,000, waits on a futex, executes 1,000 and waits for
 * the end of thread 2, then executes 1,000. Thread 2 executes 6,000, wakes the futex, and executes 9,000. */
#include <stdio.h>
#include <string.h>

#include "proto/insn/rbt/rbt_writer.h"

enum { FUTEX = 98, WAIT = 128, WAKE = 129, PLACE = 0x20000, CODE = 0x10000, LOOP = 64 };

struct making {
    struct rbt_writer *writer;
    struct fault error;
    bool good;
};

/* addi x5, x5, 1; the last of a loop is a branch to its begin. */
static void execute(struct making *making, uint32_t thread, unsigned count)
{
    static const uint8_t addition[] = {0x93, 0x82, 0x12, 0x00}, jump[] = {0x6f, 0xf0, 0x5f, 0xf0};

    for (unsigned i = 0; i < count && making->good; i++) {
        bool const is_jump = i % LOOP == LOOP - 1;
        struct insn insn = {.pc = CODE + 4 * (i % LOOP), .size_bytes = 4, .form = INSN_EXECUTED, .encoding_bytes = 4,
                            .kind = is_jump ? ISA_DIRECT_JUMP : ISA_OTHER,
                            .branch = is_jump ? INSN_TAKEN : INSN_BRANCH_UNKNOWN};

        memcpy(insn.encoding, is_jump ? jump : addition, 4);
        making->good = WORKS(making->error, rbt_writer_put(making->writer, thread, &insn, NULL));
    }
}

static void mark(struct making *making, uint32_t thread, enum insn_marker_kind kind, uint64_t value)
{
    struct insn_marker const marker = {.kind = kind, .value = value};

    making->good = making->good && WORKS(making->error, rbt_writer_mark(making->writer, thread, &marker));
}

/* Between two stamps. */
static void futex(struct making *making, uint32_t thread, uint64_t address, uint64_t command, uint64_t before,
                  uint64_t after)
{
    struct insn_marker const call = {.kind = INSN_MARKER_SYSCALL, .value = FUTEX, .arg_count = 3,
                                     .args = {address, command, 1}};

    mark(making, thread, INSN_MARKER_STAMP, before);
    making->good = making->good && WORKS(making->error, rbt_writer_mark(making->writer, thread, &call));
    mark(making, thread, INSN_MARKER_SYSCALL_END, 0);
    mark(making, thread, INSN_MARKER_STAMP, after);
}

static void make_threads(struct making *making)
{
    uint32_t const main_thread = rbt_writer_thread(making->writer, 1, &making->error);
    uint32_t const child = rbt_writer_thread(making->writer, 2, &making->error);

    execute(making, main_thread, 4000);
    mark(making, main_thread, INSN_MARKER_CREATE, 2);
    execute(making, main_thread, 1000);
    futex(making, main_thread, PLACE, WAIT, 10, 30);
    execute(making, main_thread, 1000);
    futex(making, main_thread, PLACE + 8, WAIT, 40, 60);
    execute(making, main_thread, 1000);
    mark(making, child, INSN_MARKER_THREAD_START, 1);
    execute(making, child, 6000);
    futex(making, child, PLACE, WAKE, 20, 21);
    execute(making, child, 9000);
    mark(making, child, INSN_MARKER_STAMP, 50);
    mark(making, child, INSN_MARKER_THREAD_END, 0);
}

static void put(struct making *making, uint32_t thread, const struct insn *insn)
{
    making->good = making->good && WORKS(making->error, rbt_writer_put(making->writer, thread, insn, NULL));
}

static void make_strings(struct making *making)
{
    static const uint8_t move[] = {0xf3, 0xa4}, add_rax[] = {0x48, 0xff, 0xc0}, add_rsi[] = {0x48, 0xff, 0xc6};
    uint32_t const thread = rbt_writer_thread(making->writer, 1, &making->error);
    struct insn add = {.pc = CODE + 2, .size_bytes = 3, .form = INSN_EXECUTED, .encoding_bytes = 3};

    for (unsigned i = 0; i < 100; i++) {
        struct insn_access const accesses[] = {{.address = 0x20020 + i, .size_bytes = 1},
                                               {.address = 0x30000 + i, .size_bytes = 1, .is_write = true}};
        struct insn insn = {.pc = CODE, .size_bytes = 2, .form = i ? INSN_REPEAT : INSN_EXECUTED, .encoding_bytes = 2,
                            .accesses = accesses, .access_count = 2};

        memcpy(insn.encoding, move, sizeof move);
        put(making, thread, &insn);
    }
    memcpy(add.encoding, add_rax, sizeof add_rax);
    put(making, thread, &add);
    add.pc += 3;
    memcpy(add.encoding, add_rsi, sizeof add_rsi);
    put(making, thread, &add);
}

int main(int argc, char **argv)
{
    bool const has_strings = argc == 3 && strcmp(argv[2], "strings") == 0;
    struct rbt_description const description = {.isa = has_strings ? ISA_X86_64 : ISA_RV64, .source = "made by hand",
                                                .command = ""};
    struct making making = {.good = true};

    if (argc != 3 || (!has_strings && strcmp(argv[2], "threads") != 0)) {
        fprintf(stderr, "insn_sample FILE.rbt threads|strings\n");
        return 2;
    }
    making.writer = rbt_writer_create(argv[1], &description, &making.error);
    if (making.writer) {
        (has_strings ? make_strings : make_threads)(&making);
        making.good = WORKS(making.error, rbt_writer_finish(making.writer)) && making.good;
    }
    if (making.writer && making.good)
        return 0;
    fprintf(stderr, "%s\n", fault_text(making.error));
    return 1;
}
