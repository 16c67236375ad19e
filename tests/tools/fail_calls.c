/* Runs a command whose n-th call that changes a file fails, is cut short, or is the last thing that it does.
 *
 * Use: fail_calls [-c FILE] [-t] MODE N COMMAND ARGUMENT...
 *     error, noroom   call N fails with EIO, with ENOSPC
 *     full            the disk is full from call N on: that one writes half of its bytes, later ones fail with ENOSPC
 *     short           call N writes half of its bytes, and says so
 *     kill            the process that makes call N is killed before it
 *     tear            call N writes half of its bytes, then its process is killed
 *     killall         all processes of the command are killed before call N
 * N 0: nothing fails. -c adds to FILE the number of calls; -t says on standard error which call N was.
 * The exit code is the command's, 128 + signal if it was killed, 125 if it cannot be run or watched.
 *
 * Counted, from 1 on, over all processes and threads of the command: write, writev, pwrite64, pwritev, ftruncate,
 * fallocate and close of regular files that are open for writing, but for the standard descriptors; fsync and fdatasync
 * of any file or folder; open that creates; link, rename, mkdir. A full disk lets fsync, close and rename pass. A
 * close that fails closes, as hosts do.
 *
 * It is a tracer (ptrace), as a C library's own streams do not pass where a preloaded function would see them. A filter
 * (seccomp) stops the command at these calls only. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 125, MOST_TASKS = 4096, CREATES = O_CREAT | (O_TMPFILE & ~O_DIRECTORY) };

enum mode { MODE_ERROR, MODE_NOROOM, MODE_FULL, MODE_SHORT, MODE_KILL, MODE_TEAR, MODE_KILLALL, MODES };
static const char *const mode_names[MODES] = {"error", "noroom", "full", "short", "kill", "tear", "killall"};

/* What a call does, and which of its arguments say with what. */
enum kind { OF_BYTES, OF_VECTOR, OF_LENGTH, OF_SYNC, OF_CLOSE, OF_OPEN, OF_NAME };
static const struct call {
    long number;
    const char *name;
    enum kind kind;
    int flags;                           /* argument of an open that has them */
} calls[] = {
    {SYS_write, "write", OF_BYTES, 0}, {SYS_pwrite64, "pwrite64", OF_BYTES, 0}, {SYS_writev, "writev", OF_VECTOR, 0},
    {SYS_pwritev, "pwritev", OF_VECTOR, 0}, {SYS_ftruncate, "ftruncate", OF_LENGTH, 0},
    {SYS_fallocate, "fallocate", OF_LENGTH, 0}, {SYS_fsync, "fsync", OF_SYNC, 0},
    {SYS_fdatasync, "fdatasync", OF_SYNC, 0}, {SYS_close, "close", OF_CLOSE, 0}, {SYS_openat, "openat", OF_OPEN, 2},
    {SYS_renameat2, "renameat2", OF_NAME, 0}, {SYS_mkdirat, "mkdirat", OF_NAME, 0},
    {SYS_linkat, "linkat", OF_NAME, 0},
#ifdef SYS_open
    {SYS_open, "open", OF_OPEN, 1},
#endif
#ifdef SYS_rename
    {SYS_rename, "rename", OF_NAME, 0}, {SYS_mkdir, "mkdir", OF_NAME, 0}, {SYS_link, "link", OF_NAME, 0},
#endif
#ifdef SYS_renameat
    {SYS_renameat, "renameat", OF_NAME, 0},
#endif
};
enum { CALLS = sizeof calls / sizeof calls[0] };

struct task {
    pid_t id;
    int error;                           /* to be answered by the call that it is in; 0: none */
    bool is_torn;                        /* to be killed when that call is done */
};

static struct task tasks[MOST_TASKS];
static unsigned task_count;
static enum mode mode;
static unsigned long long wanted, count;
static bool is_told;

static int cannot(const char *what)
{
    fprintf(stderr, "fail_calls: %s: %s\n", what, strerror(errno));
    return CANNOT;
}

static struct task *task_of(pid_t id)
{
    for (unsigned i = 0; i < task_count; i++)
        if (tasks[i].id == id)
            return &tasks[i];
    if (task_count == MOST_TASKS)
        exit(cannot("too many tasks"));
    tasks[task_count] = (struct task){.id = id};
    return &tasks[task_count++];
}

static void forget(pid_t id)
{
    *task_of(id) = tasks[task_count - 1];
    task_count--;
}

/* ---- the command */

/* Stops at the counted calls; opens only where they create, which is where this filter can see flags. */
static bool install_filter(void)
{
    struct sock_filter code[4 * CALLS + 4];
    unsigned short used = 0;
    struct sock_fprog program = {.filter = code};

    code[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < CALLS; i++) {
        bool const has_flags = calls[i].kind == OF_OPEN;

        code[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0,
                                                    has_flags ? 4 : 1);
        if (has_flags) {
            code[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(
                offsetof(struct seccomp_data, args) + 8 * (unsigned)calls[i].flags));
            code[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CREATES, 0, 1);
            code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
            code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        } else {
            code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
        }
    }
    code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program.len = used;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void be_command(char **command)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0 || !install_filter())
        _exit(cannot("no tracing here"));
    execvp(command[0], command);
    _exit(cannot(command[0]));
}

/* ---- its registers: which call, its first three arguments, its answer */
#if defined __x86_64__
static long number_of(const struct user_regs_struct *registers)
{
    return (long)registers->orig_rax;
}

static unsigned long long *argument(struct user_regs_struct *registers, unsigned i)
{
    return i == 0 ? &registers->rdi : i == 1 ? &registers->rsi : &registers->rdx;
}

static unsigned long long *answer(struct user_regs_struct *registers)
{
    return &registers->rax;
}
#elif defined __aarch64__
static long number_of(const struct user_regs_struct *registers)
{
    return (long)registers->regs[8];
}

static unsigned long long *argument(struct user_regs_struct *registers, unsigned i)
{
    return &registers->regs[i];
}

static unsigned long long *answer(struct user_regs_struct *registers)
{
    return &registers->regs[0];
}
#else
#error "which registers do the calls of this processor use?"
#endif

static void move_registers(pid_t id, bool sets, struct user_regs_struct *registers)
{
    struct iovec bytes = {registers, sizeof *registers};

    ptrace(sets ? PTRACE_SETREGSET : PTRACE_GETREGSET, id, (void *)NT_PRSTATUS, &bytes);
}

/* The call that a task is about to make is not made. */
static void skip_call(pid_t id, struct user_regs_struct *registers)
{
#if defined __x86_64__
    registers->orig_rax = (unsigned long long)-1;
    move_registers(id, true, registers);
#else
    int none = -1;
    struct iovec bytes = {&none, sizeof none};

    (void)registers;
    ptrace(PTRACE_SETREGSET, id, (void *)NT_ARM_SYSTEM_CALL, &bytes);
#endif
}

/* ---- which calls count */
static bool is_file_for_writing(pid_t id, unsigned long long descriptor)
{
    char path[80], line[80];
    struct stat about;
    unsigned flags = 0;
    FILE *file;

    if (descriptor <= STDERR_FILENO)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/fd/%llu", (long)id, descriptor);
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    if (readlink(path, line, sizeof line) > 7 && memcmp(line, "/memfd:", 7) == 0)    /* memory */
        return false;
    snprintf(path, sizeof path, "/proc/%ld/fdinfo/%llu", (long)id, descriptor);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "flags:", 6) == 0)
            flags = (unsigned)strtoul(line + 6, NULL, 8);
    if (file)
        fclose(file);
    return (flags & O_ACCMODE) != O_RDONLY;
}

static const struct call *call_of(long number)
{
    for (unsigned i = 0; i < CALLS; i++)
        if (calls[i].number == number)
            return &calls[i];
    return NULL;
}

static bool counts(pid_t id, const struct call *call, struct user_regs_struct *registers)
{
    return call && (call->kind == OF_OPEN || call->kind == OF_NAME || call->kind == OF_SYNC
                    || is_file_for_writing(id, *argument(registers, 0)));
}

/* ---- what happens at one */
static void tell(pid_t id, const struct call *call, struct user_regs_struct *registers)
{
    char link[80], name[256] = "";
    ssize_t length = 0;

    snprintf(link, sizeof link, "/proc/%ld/fd/%llu", (long)id, (unsigned long long)*argument(registers, 0));
    if (call->kind != OF_OPEN && call->kind != OF_NAME)
        length = readlink(link, name, sizeof name - 1);
    fprintf(stderr, "fail_calls: %llu: %s %.*s\n", count, call->name, (int)(length > 0 ? length : 0), name);
}

/* Half of the bytes are written. False: none can be cut. */
static bool cut(pid_t id, const struct call *call, struct user_regs_struct *registers)
{
    if (call->kind == OF_VECTOR && *argument(registers, 2) > 1)
        *argument(registers, 2) /= 2;                    /* its pieces */
    else if (call->kind == OF_BYTES && *argument(registers, 2) > 1)
        *argument(registers, 2) /= 2;
    else
        return false;
    move_registers(id, true, registers);
    return true;
}

static void fail_with(struct task *task, const struct call *call, struct user_regs_struct *registers, int error)
{
    if (call->kind != OF_CLOSE)
        skip_call(task->id, registers);
    task->error = error;
}

static bool takes_room(const struct call *call)
{
    return call->kind == OF_BYTES || call->kind == OF_VECTOR || call->kind == OF_LENGTH || call->kind == OF_OPEN;
}

/* How the task is resumed: PTRACE_SYSCALL stops it again when the call is done. */
static int meet(struct task *task)
{
    struct user_regs_struct registers;
    const struct call *call;

    move_registers(task->id, false, &registers);
    call = call_of(number_of(&registers));
    if (!counts(task->id, call, &registers))
        return PTRACE_CONT;
    count++;
    if (wanted == 0 || count < wanted || (count > wanted && mode != MODE_FULL))
        return PTRACE_CONT;
    if (is_told && count == wanted)
        tell(task->id, call, &registers);
    switch (mode) {
    case MODE_ERROR:
    case MODE_NOROOM:
        fail_with(task, call, &registers, mode == MODE_ERROR ? EIO : ENOSPC);
        return PTRACE_SYSCALL;
    case MODE_FULL:
        if (!takes_room(call) || (count == wanted && cut(task->id, call, &registers)))
            return PTRACE_CONT;
        fail_with(task, call, &registers, ENOSPC);
        return PTRACE_SYSCALL;
    case MODE_SHORT:
        cut(task->id, call, &registers);
        return PTRACE_CONT;
    case MODE_TEAR:
        task->is_torn = true;
        cut(task->id, call, &registers);
        return PTRACE_SYSCALL;
    case MODE_KILLALL:
        for (unsigned i = 0; i < task_count; i++)
            kill(tasks[i].id, SIGKILL);
        return PTRACE_CONT;
    case MODE_KILL:
    case MODES:
        break;
    }
    kill(task->id, SIGKILL);
    return PTRACE_CONT;
}

static void leave_call(struct task *task)
{
    struct user_regs_struct registers;

    if (task->is_torn)
        kill(task->id, SIGKILL);
    if (task->error) {
        move_registers(task->id, false, &registers);
        *answer(&registers) = (unsigned long long)-(long long)task->error;
        move_registers(task->id, true, &registers);
    }
    task->error = 0;
}

/* ---- the tracer */
static void follow(pid_t id, int status)
{
    struct task *const task = task_of(id);
    int const signal = WSTOPSIG(status), event = status >> 16;
    int way = PTRACE_CONT, passed = 0;

    if (event == PTRACE_EVENT_SECCOMP)
        way = meet(task);
    else if (signal == (SIGTRAP | 0x80))
        leave_call(task);
    else if (event == 0 && signal != SIGSTOP)
        passed = signal;                 /* SIGSTOP: how a new task begins */
    if (way == PTRACE_SYSCALL)
        ptrace(PTRACE_SYSCALL, id, NULL, (void *)(intptr_t)passed);
    else
        ptrace(PTRACE_CONT, id, NULL, (void *)(intptr_t)passed);
}

static int run(char **command)
{
    long const options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
        | PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    pid_t const first = fork();
    int status, code = CANNOT;
    pid_t id;

    if (first == 0)
        be_command(command);
    if (first < 0 || waitpid(first, &status, 0) != first || !WIFSTOPPED(status)
        || ptrace(PTRACE_SETOPTIONS, first, NULL, (void *)options) != 0)
        return cannot("no tracing here");
    task_of(first);
    ptrace(PTRACE_CONT, first, NULL, NULL);
    while ((id = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        if (id > 0 && WIFSTOPPED(status)) {
            follow(id, status);
        } else if (id > 0) {
            forget(id);
            if (id == first)
                code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
    }
    return code;
}

int main(int argc, char **argv)
{
    const char *count_file = NULL;
    int option, code;
    FILE *file;

    while ((option = getopt(argc, argv, "+c:t")) != -1) {
        if (option == 'c')
            count_file = optarg;
        is_told |= option == 't';
    }
    for (mode = 0; optind + 2 < argc && mode < MODES && strcmp(argv[optind], mode_names[mode]) != 0; mode++) {
    }
    if (optind + 2 >= argc || mode == MODES) {
        fprintf(stderr, "usage: fail_calls [-c FILE] [-t] error|noroom|full|short|kill|tear|killall N COMMAND...\n");
        return CANNOT;
    }
    wanted = strtoull(argv[optind + 1], NULL, 10);
    code = run(argv + optind + 2);
    file = count_file ? fopen(count_file, "a") : NULL;
    if (count_file && (!file || fprintf(file, "%llu\n", count) < 0 || fclose(file) != 0))
        return cannot(count_file);
    return code;
}
