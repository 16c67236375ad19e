/* insn_sample FILE.rbt threads: a trace of two threads of riscv64 whose waits are known.
 *
 * Thread 1 executes 4,000 additions, creates thread 2, executes 1,000, waits on a futex, executes 1,000 and waits for
 * the end of thread 2, then executes 1,000. Thread 2 executes 6,000, wakes the futex, and executes 9,000. */
#include <stdio.h>
#include <string.h>

#include "proto/insn/rbt/writer.h"

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
        making->good = rbt_writer_put(making->writer, thread, &insn, NULL, &making->error);
    }
}

static void mark(struct making *making, uint32_t thread, enum insn_marker_kind kind, uint64_t value)
{
    struct insn_marker const marker = {.kind = kind, .value = value};

    making->good = making->good && rbt_writer_mark(making->writer, thread, &marker, &making->error);
}

/* Between two stamps. */
static void futex(struct making *making, uint32_t thread, uint64_t address, uint64_t command, uint64_t before,
                  uint64_t after)
{
    struct insn_marker const call = {.kind = INSN_MARKER_SYSCALL, .value = FUTEX, .arg_count = 3,
                                     .args = {address, command, 1}};

    mark(making, thread, INSN_MARKER_STAMP, before);
    making->good = making->good && rbt_writer_mark(making->writer, thread, &call, &making->error);
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

int main(int argc, char **argv)
{
    struct rbt_description const description = {.isa = ISA_RV64, .source = "made by hand", .command = ""};
    struct making making = {.good = true};

    if (argc != 3 || strcmp(argv[2], "threads") != 0) {
        fprintf(stderr, "insn_sample FILE.rbt threads\n");
        return 2;
    }
    making.writer = rbt_writer_create(argv[1], &description, &making.error);
    if (making.writer) {
        make_threads(&making);
        making.good = rbt_writer_finish(making.writer, &making.error) && making.good;
    }
    if (making.writer && making.good)
        return 0;
    fprintf(stderr, "%s\n", making.error.text);
    return 1;
}
