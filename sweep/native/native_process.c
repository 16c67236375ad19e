/* States: the process stands at its first instruction (placed); the region has begun; it has ended, and the process is
 * killed. Each stop that is none of ours is a signal, which is passed on. */
#include "sweep/native/native_process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "sweep/native/native_clock.h"
#include "sweep/native/native_machine.h"

/* A trap in data would change what the program does. */
static struct fault check_code(const struct program *program, const char *option, const struct native_place *place)
{
    uint64_t address;
    const uint8_t *bytes;
    size_t count;

    for (unsigned at = 0; program_code(program, &at, &address, &bytes, &count);)
        if (place->address >= address && place->address - address < count)
            return fault_none();
    return fault_make(FAULT_INPUT, "--%s %s: it is no code of %s; give a function, or the address of an instruction",
                      option, place->text, program->path);
}

struct fault native_place_find(struct native_place *place, const struct program *program, const char *option,
                               const char *text)
{
    char *end;

    *place = (struct native_place){.text = text};
    if (!text)
        return fault_none();
    if (strspn(text, "0123456789") == strlen(text))
        return fault_make(FAULT_INPUT, "--%s %s: a number of instructions is no place that a native run can be stopped "
                          "at; give a symbol of the program, or an address (0x...)", option, text);
    if (strncasecmp(text, "0x", 2) == 0) {
        place->address = strtoull(text, &end, 16);
        if (*end)
            return fault_make(FAULT_INPUT, "--%s %s: expected a symbol of the program, or an address (0x...)", option,
                              text);
        return program->is_fixed ? check_code(program, option, place)
            : fault_make(FAULT_INPUT, "--%s %s: %s may be loaded anywhere, so its addresses are not the same "
                         "natively and in a capture; give a symbol", option, text, program->path);
    }
    place->room = program_symbol_room(program, text);
    FORWARD(fault_within(program_symbol(program, text, &place->address), "--%s %s: ", option, text));
    return check_code(program, option, place);
}

/* ---- the process */

struct traced {
    const struct native_launch *launch;
    struct native_sample *sample;
    pid_t pid, other;                    /* other: a process or thread that it started; 0: none */
    double deadline_s;
    uint64_t moved_by;
    struct native_trap trap;             /* that is set now */
    struct native_patches patches;
    bool has_patches, has_begun, has_ended, is_gone;
    double begin_s, begin_kernel_s;
};

static struct fault failed(const struct traced *traced, const char *text)
{
    return fault_make(FAULT_STALL, "%s: %s", traced->launch->program->argv[0], text);
}

static void become(const struct native_launch *launch, int reasons)
{
    int const input = open(launch->input, O_RDONLY);
    sigset_t none;
    int reason;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    /* Refused in some containers; then addresses are random, and runs differ a little more. */
    (void)personality(ADDR_NO_RANDOMIZE);
    if (input >= 0 && dup2(input, 0) >= 0 && dup2(launch->output, 1) >= 0 && dup2(launch->errors, 2) >= 0
        && ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
        execv(launch->program->path, launch->program->argv);
    reason = errno;
    (void)!write(reasons, &reason, sizeof reason);
    _exit(127);
}

/* Sleeps until the process stops or ends: its stops send SIGCHLD, which is blocked meanwhile. */
static struct fault wait_for(struct traced *traced, int *status)
{
    sigset_t child;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    for (;;) {
        pid_t const got = waitpid(traced->pid, status, WNOHANG | __WALL);
        double const left_s = traced->deadline_s - host_clock_s();
        struct timespec const pause = {left_s > 1 ? 1 : 0, left_s > 1 ? 0 : (long)(1e9 * fmax(left_s, 0.001) * 0.999)};

        if (got == traced->pid)
            return fault_none();
        if (got < 0 && errno != EINTR)
            return failed(traced, strerror(errno));
        if (traced->launch->is_interrupted && traced->launch->is_interrupted())
            return failed(traced, "stopped by the user");
        if (left_s <= 0)
            return fault_make(FAULT_STALL, "%s: the native run has not ended after %g s; give --timeout TIME, or a "
                              "shorter input", traced->launch->program->argv[0], traced->launch->timeout_s);
        (void)sigtimedwait(&child, NULL, &pause);
    }
}

static struct fault go_on(struct traced *traced, int passed, int *status)
{
    if (ptrace(PTRACE_CONT, traced->pid, NULL, (void *)(intptr_t)passed) != 0 && errno != ESRCH)
        return failed(traced, strerror(errno));
    return wait_for(traced, status);
}

static struct fault spawn(struct traced *traced)
{
    int pipes[2], reason = 0, status;

    if (pipe2(pipes, O_CLOEXEC) != 0)
        return failed(traced, strerror(errno));
    traced->pid = fork();
    if (traced->pid == 0)
        become(traced->launch, pipes[1]);
    close(pipes[1]);
    if (traced->pid > 0 && read(pipes[0], &reason, sizeof reason) != sizeof reason)
        reason = 0;
    close(pipes[0]);
    if (traced->pid < 0 || reason != 0)
        return fault_make(FAULT_INPUT, "%s: cannot be started under ptrace: %s%s", traced->launch->program->argv[0],
                          strerror(traced->pid < 0 ? errno : reason), reason != EPERM ? ""
                          : "; outside of a debugger, and where containers may trace (docker run --cap-add SYS_PTRACE) "
                            "and kernel.yama.ptrace_scope is below 3, it can");
    FORWARD(wait_for(traced, &status));
    if (!WIFSTOPPED(status)
        || ptrace(PTRACE_SETOPTIONS, traced->pid, NULL,
                  (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE
                           | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT)) != 0)
        return failed(traced, "cannot be traced");
    return fault_none();
}

/* It stops once more, where it exits. */
static void reap(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, pid, NULL, NULL);
}

static void end_process(struct traced *traced)
{
    if (traced->pid <= 0 || traced->is_gone)
        return;
    if (traced->other > 0)
        kill(traced->other, SIGKILL);
    kill(traced->pid, SIGKILL);
    if (traced->other > 0)
        reap(traced->other);
    reap(traced->pid);
}

/* ---- clocks */

static double processor_s(const struct traced *traced)
{
    clockid_t clock;
    struct timespec now;

    if (clock_getcpuclockid(traced->pid, &clock) != 0 || clock_gettime(clock, &now) != 0)
        return NAN;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* In ticks of the kernel, some milliseconds. */
static double kernel_s(const struct traced *traced)
{
    char path[64], text[1024];
    unsigned long long kernel_ticks = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)traced->pid);
    file = fopen(path, "re");
    if (file && fgets(text, sizeof text, file) && strrchr(text, ')'))
        (void)!sscanf(strrchr(text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %llu", &kernel_ticks);
    if (file)
        fclose(file);
    return (double)kernel_ticks / (double)sysconf(_SC_CLK_TCK);
}

/* ---- the region */

static void begin_region(struct traced *traced)
{
    traced->has_begun = true;
    traced->begin_kernel_s = kernel_s(traced);
    if (traced->launch->counters)
        native_counters_start(traced->launch->counters);
    traced->begin_s = processor_s(traced);
}

static void end_region(struct traced *traced)
{
    struct native_sample *const sample = traced->sample;
    double const end_s = processor_s(traced);

    if (traced->launch->counters)
        native_counters_stop(traced->launch->counters);
    traced->has_ended = true;
    /* By patches that did not stop at the begin there are ticks alone. */
    sample->cpu_s = traced->has_begun ? end_s - traced->begin_s : NAN;
    sample->kernel_s = traced->has_begun ? kernel_s(traced) - traced->begin_kernel_s : NAN;
    traced->has_begun = true;
    if (traced->has_patches && !native_patches_read(traced->pid, &traced->patches, &sample->ticks))
        sample->ticks = 0;
}

static struct fault set_trap(struct traced *traced, const struct native_place *place)
{
    if (!native_can_trap())
        return fault_make(FAULT_INPUT, "%s: on this host's architecture regions cannot be found natively; leave the "
                          "region out", traced->launch->program->argv[0]);
    if (native_trap_set(traced->pid, &traced->trap, place->address + traced->moved_by))
        return fault_none();
    return fault_make(FAULT_INPUT, "%s: the memory at %s cannot be written, so the region cannot be found natively; "
                      "leave the region out", traced->launch->program->argv[0], place->text);
}

/* By how much the program was moved: where its first instruction is, and where its file has it. */
static struct fault find_move(struct traced *traced)
{
    Elf64_auxv_t pairs[64];
    char path[64];
    FILE *file;
    size_t count;

    snprintf(path, sizeof path, "/proc/%d/auxv", (int)traced->pid);
    file = fopen(path, "re");
    count = file ? fread(pairs, sizeof pairs[0], sizeof pairs / sizeof pairs[0], file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < count; i++)
        if (pairs[i].a_type == AT_ENTRY) {
            traced->moved_by = pairs[i].a_un.a_val - program_entry(traced->launch->program);
            return fault_none();
        }
    return failed(traced, "its load address is not known");
}

/* At the begin's trap: a second stop at once tells what a stop costs. */
static struct fault pass_begin(struct traced *traced)
{
    double last_s = processor_s(traced);
    int status;

    for (int i = 0; i < 3 && !traced->has_patches; i++) {
        double now_s;

        if (!native_trap_again(traced->pid, &traced->trap))
            return failed(traced, strerror(errno));
        FORWARD(go_on(traced, 0, &status));
        if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
            return failed(traced, "it could not be stopped where the region begins");
        now_s = processor_s(traced);
        traced->sample->stop_s = i == 0 ? now_s - last_s : fmin(traced->sample->stop_s, now_s - last_s);
        last_s = now_s;
    }
    if (!traced->has_patches && !native_trap_remove(traced->pid, &traced->trap))
        return failed(traced, "it cannot go on where the region begins");
    if (!traced->has_patches && traced->launch->to.text)
        FORWARD(set_trap(traced, &traced->launch->to));
    begin_region(traced);
    return fault_none();
}

static bool can_have_patches(const struct native_launch *launch)
{
    const struct native_place *const from = &launch->from, *const to = &launch->to;

    return native_can_patch() && launch->by_patches && from->room >= NATIVE_JUMP_BYTES && to->room >= NATIVE_JUMP_BYTES;
}

/* At the first instruction. */
static struct fault place_region(struct traced *traced)
{
    const struct native_launch *const launch = traced->launch;
    struct native_patches *const patches = &traced->patches;

    if (launch->counters)
        native_counters_open(launch->counters, traced->pid);
    if (!launch->from.text && !launch->to.text) {
        begin_region(traced);
        return fault_none();
    }
    FORWARD(find_move(traced));
    if (can_have_patches(launch))
        traced->has_patches = native_patches_plant(traced->pid, launch->from.address + traced->moved_by,
                                                   launch->to.address + traced->moved_by, launch->counters != NULL,
                                                   patches);
    if (traced->has_patches) {
        traced->sample->cpu_s = NAN;
        return fault_none();
    }
    FORWARD(set_trap(traced, launch->from.text ? &launch->from : &launch->to));
    if (!launch->from.text)
        begin_region(traced);
    return fault_none();
}

/* ---- stops */

static struct fault at_event(struct traced *traced, int event)
{
    unsigned long other = 0;

    if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
        ptrace(PTRACE_GETEVENTMSG, traced->pid, NULL, &other);
        traced->other = (pid_t)other;
    }
    switch (event) {
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        return failed(traced, "it forks; only programs of one process can be compared");
    case PTRACE_EVENT_CLONE:
        return failed(traced, "it starts a thread; only programs of one thread can be compared");
    case PTRACE_EVENT_EXEC:
        return failed(traced, "it replaces itself by another program (exec); compare that one");
    case PTRACE_EVENT_EXIT:
        if (traced->has_begun && !traced->has_ended && !traced->launch->to.text)
            end_region(traced);
        return fault_none();
    default:
        return fault_none();
    }
}

/* *passed: the signal that it gets. */
static struct fault at_stop(struct traced *traced, int status, int *passed)
{
    int const signal = WSTOPSIG(status), event = status >> 16;
    uint64_t at;

    *passed = 0;
    if (event)
        return at_event(traced, event);
    *passed = signal;
    if (signal != SIGTRAP)
        return fault_none();
    at = native_trapped_at(traced->pid);
    if (traced->has_patches ? at != traced->patches.begin_trap && at != traced->patches.end_trap
                            : at != traced->trap.address)
        return fault_none();
    *passed = 0;
    if (!traced->has_begun && (!traced->has_patches || at == traced->patches.begin_trap))
        return pass_begin(traced);
    end_region(traced);
    return fault_none();
}

static struct fault judge_end(struct traced *traced, int status)
{
    const struct native_launch *const launch = traced->launch;
    const char *const name = launch->program->argv[0];

    traced->is_gone = true;
    if (WIFSIGNALED(status))
        return fault_make(FAULT_STALL, "%s: ended by signal %d (%s) natively", name, WTERMSIG(status),
                          strsignal(WTERMSIG(status)));
    if (launch->from.text && !traced->has_begun)
        return fault_make(FAULT_STALL, "%s: %s, where the region begins, was not reached; the program ended with exit "
                          "code %d", name, launch->from.text, WEXITSTATUS(status));
    if (launch->to.text && !traced->has_ended)
        return fault_make(FAULT_STALL, "%s: %s, where the region ends, was not reached; the program ended with exit "
                          "code %d", name, launch->to.text, WEXITSTATUS(status));
    if (WEXITSTATUS(status) != 0)
        return fault_make(FAULT_STALL, "%s: it failed natively, with exit code %d", name, WEXITSTATUS(status));
    return fault_none();
}

static struct fault follow(struct traced *traced)
{
    int status = 0, passed = 0;

    for (;;) {
        FORWARD(go_on(traced, passed, &status));
        if (!WIFSTOPPED(status))
            return judge_end(traced, status);
        FORWARD(at_stop(traced, status, &passed));
        if (traced->has_ended && traced->launch->to.text)
            return fault_none();
    }
}

struct fault native_process_run(const struct native_launch *launch, struct native_sample *sample)
{
    struct traced traced = {
        .launch = launch, .sample = sample, .deadline_s = host_clock_s() + launch->timeout_s
    };
    sigset_t child, before;
    struct fault fault;

    *sample = (struct native_sample){0};
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    fault = spawn(&traced);
    if (fault.kind == FAULT_NONE)
        fault = place_region(&traced);
    if (fault.kind == FAULT_NONE)
        fault = follow(&traced);
    end_process(&traced);
    if (launch->counters)
        native_counters_close(launch->counters);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fault;
}

/* ---- behind the region */

static void become_untraced(const struct native_launch *launch)
{
    int const input = open(launch->input, O_RDONLY), nothing = open("/dev/null", O_WRONLY);
    sigset_t none;

    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    (void)personality(ADDR_NO_RANDOMIZE);
    if (input >= 0 && dup2(input, 0) >= 0 && nothing >= 0 && dup2(nothing, 1) >= 0
        && dup2(launch->errors, 2) >= 0)
        execv(launch->program->path, launch->program->argv);
    _exit(127);
}

static struct fault judge_whole(const struct native_launch *launch, int status)
{
    const char *const name = launch->program->argv[0];

    if (WIFSIGNALED(status))
        return fault_make(FAULT_STALL, "%s: ended by signal %d (%s) behind the region's end", name, WTERMSIG(status),
                          strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        return fault_make(FAULT_STALL, "%s: it fails behind the region's end, with exit code %d", name,
                          WEXITSTATUS(status));
    return fault_none();
}

struct fault native_process_whole(const struct native_launch *launch, double most_s)
{
    struct traced process = {.launch = launch, .deadline_s = host_clock_s() + fmin(launch->timeout_s, most_s)};
    sigset_t child, before;
    struct fault fault;
    int status = 0;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    process.pid = fork();
    if (process.pid == 0)
        become_untraced(launch);
    fault = process.pid < 0 ? failed(&process, strerror(errno)) : wait_for(&process, &status);
    if (process.pid > 0 && fault.kind != FAULT_NONE) {
        kill(-process.pid, SIGKILL);
        kill(process.pid, SIGKILL);
        reap(process.pid);
        /* It goes on: what it does then is not known. */
        if (host_clock_s() >= process.deadline_s)
            fault = fault_none();
    } else if (fault.kind == FAULT_NONE) {
        fault = judge_whole(launch, status);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fault;
}
