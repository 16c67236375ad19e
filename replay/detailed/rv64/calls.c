/* Modelled: the addresses that the reference gives for brk and mmap (memory that grows up from the end of the program,
 * and up from 0x4000000000000000), lengths of output, limits, 1 GiB of memory, no status of standard output by its
 * empty path. Times and random bytes are not known: zero. Files cannot be opened.
 *
 * Lengths come from the trace's registers and addresses, which may be any: the bytes that a call reads or writes are
 * bounded as in Linux (PATH_MAX, IOV_MAX), and by MOST_FILL. */
#include "replay/detailed/rv64/rv64_machine.h"

#define PAGE ((uint64_t)PAGES_BYTES)
#define NO_ENTRY ((uint64_t)-2)
#define BAD_FILE ((uint64_t)-9)
#define NO_TERMINAL ((uint64_t)-25)
#define WRONG_ARGUMENT ((uint64_t)-22)
#define NO_CALL ((uint64_t)-38)
#define NO_LIMIT UINT64_MAX
#define LEAST_ERROR ((uint64_t)-4095)

enum { STACK_LIMIT = 3, STACK_BYTES = 8 << 20, STAT_MODE = 16, STAT_BLOCK = 56, STAT_BYTES = 128, MOST_FILL = 1 << 20,
       MOST_PATH = 4096, MOST_VECTORS = 1024,
       MAP = 222, REGULAR_FILE = 0100644, PROCESS = 100, MAP_FIXED = 0x10, VECTOR_BYTES = 16,
       INFO_MEMORY = 32, INFO_UNIT = 104, INFO_BYTES = 112 };

static uint64_t argument(const struct machine *machine, unsigned i)
{
    return machine->registers[MACHINE_A0 + i];
}

static void calls_put(struct machine *machine, uint64_t address, unsigned bytes, uint64_t value)
{
    pages_make(machine->pages, address, bytes);
    pages_write(machine->pages, address, bytes, value);
}

static void calls_clear(struct machine *machine, uint64_t address, uint64_t bytes)
{
    pages_clear(machine->pages, address, bytes < MOST_FILL ? bytes : MOST_FILL);
}

static uint64_t up(uint64_t bytes)
{
    return (bytes + PAGE - 1) & ~(PAGE - 1);
}

static uint64_t set_break(struct machine *machine)
{
    if (argument(machine, 0) != 0)
        machine->kernel.break_at = argument(machine, 0);
    return machine->kernel.break_at;
}

static uint64_t map(struct machine *machine)
{
    uint64_t const wanted = argument(machine, 0), bytes = up(argument(machine, 1));
    uint64_t const at = machine->kernel.map_at;

    if (argument(machine, 3) & MAP_FIXED)
        return wanted;
    machine->kernel.map_at += bytes;
    return at;
}

static uint64_t limit(struct machine *machine)
{
    uint64_t const at = argument(machine, 3);

    if (at == 0)
        return 0;
    calls_put(machine, at, 8, argument(machine, 1) == STACK_LIMIT ? STACK_BYTES : NO_LIMIT);
    calls_put(machine, at + 8, 8, NO_LIMIT);
    return 0;
}

static uint64_t calls_describe(struct machine *machine, uint64_t file, uint64_t at)
{
    if (file > 2)
        return BAD_FILE;
    calls_clear(machine, at, STAT_BYTES);
    calls_put(machine, at + STAT_MODE, 4, REGULAR_FILE);
    calls_put(machine, at + STAT_BLOCK, 4, PAGE);
    return 0;
}

/* The program's own path, DIRECTORY/NAME: its length is the trace's to tell, which reads its end first. */
static uint64_t own_path(struct machine *machine, const struct machine_truth *truth)
{
    uint64_t const at = argument(machine, 2), asked = argument(machine, 3);
    uint64_t const room = asked < MOST_PATH ? asked : MOST_PATH;
    uint64_t const name = machine->kernel.name_bytes;

    for (unsigned i = 0; i < truth->ahead_count; i++) {
        uint64_t const length = truth->ahead[i] - at + 1;

        if (length == 0 || length > room || length < name + 1)
            continue;
        for (uint64_t n = 0; n < length; n++)
            calls_put(machine, at + n, 1, n == 0 || n == length - name - 1 ? '/' : 'x');
        return length;
    }
    return NO_ENTRY;
}

static uint64_t tell_memory(struct machine *machine)
{
    uint64_t const at = argument(machine, 0);

    calls_clear(machine, at, INFO_BYTES);
    calls_put(machine, at + INFO_MEMORY, 8, UINT64_C(1) << 30);
    calls_put(machine, at + INFO_UNIT, 4, 1);
    return 0;
}

static uint64_t written(struct machine *machine)
{
    uint64_t const at = argument(machine, 1), count = argument(machine, 2);
    uint64_t sum = 0;

    if (count > MOST_VECTORS)
        return WRONG_ARGUMENT;
    for (uint64_t i = 0; i < count; i++)
        sum += pages_read(machine->pages, at + VECTOR_BYTES * i + 8, 8);
    return sum;
}

/* The first write of a call, or of a later one. */
static size_t first_write(const struct insn_program *program, uint64_t call)
{
    size_t low = 0, high = program->write_count;

    while (low < high) {
        size_t const middle = low + (high - low) / 2;

        if (program->writes[middle].call < call)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void machine_call_writes(struct machine *machine, uint64_t result)
{
    const struct insn_program *const program = machine->program;
    uint64_t const call = machine->kernel.calls;

    if (!program)
        return;
    if (machine->registers[MACHINE_A7] == MAP && result < LEAST_ERROR)
        pages_wipe(machine->pages, result, argument(machine, 1));
    for (size_t i = first_write(program, call); i < program->write_count && program->writes[i].call == call; i++)
        pages_fill(machine->pages, program->writes[i].address, program->writes[i].bytes,
                   program->writes[i].byte_count);
}

uint64_t machine_call(struct machine *machine, const struct machine_truth *truth)
{
    switch (machine->registers[MACHINE_A7]) {
    case 29: return NO_TERMINAL;                                     /* ioctl */
    case 56: return NO_ENTRY;                                        /* openat */
    case 57: return 0;                                               /* close */
    case 63: return 0;                                               /* read */
    case 64: return argument(machine, 2);                            /* write */
    case 66: return written(machine);                                /* writev */
    case 78: return own_path(machine, truth);                        /* readlinkat */
    case 79: return NO_ENTRY;                                        /* newfstatat: not of an empty path */
    case 80: return calls_describe(machine, argument(machine, 0), argument(machine, 1));      /* fstat */
    case 96: return PROCESS;                                         /* set_tid_address */
    case 99:                                                         /* set_robust_list */
    case 134:                                                        /* rt_sigaction */
    case 135:                                                        /* rt_sigprocmask */
    case 215:                                                        /* munmap */
    case 226:                                                        /* mprotect */
    case 233: return 0;                                              /* madvise */
    case 113: calls_clear(machine, argument(machine, 1), 16); return 0;    /* clock_gettime */
    case 169: calls_clear(machine, argument(machine, 0), 16); return 0;    /* gettimeofday */
    case 172:                                                        /* getpid */
    case 178: return PROCESS;                                        /* gettid */
    case 174:                                                        /* getuid, geteuid, getgid, getegid */
    case 175:
    case 176:
    case 177: return PROCESS;
    case 179: return tell_memory(machine);                           /* sysinfo */
    case 214: return set_break(machine);
    case MAP: return map(machine);
    case 261: return limit(machine);                                 /* prlimit64 */
    case 278:                                                        /* getrandom */
        calls_clear(machine, argument(machine, 0), argument(machine, 1));
        return argument(machine, 1);
    case 93:                                                         /* exit, exit_group */
    case 94: return 0;
    default: break;
    }
    machine->figures.unknown_calls += !truth->has_result;
    return NO_CALL;
}
