/* The memory of a traced process is written through /proc, which reaches code as well. */
#include "sweep/native/native_machine.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- memory */

static int open_memory(pid_t process)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/mem", (int)process);
    return open(path, O_RDWR | O_CLOEXEC);
}

bool native_read_memory(pid_t process, uint64_t address, void *bytes, size_t count)
{
    int const file = open_memory(process);
    bool const good = file >= 0 && pread(file, bytes, count, (off_t)address) == (ssize_t)count;

    if (file >= 0)
        close(file);
    return good;
}

bool native_write_memory(pid_t process, uint64_t address, const void *bytes, size_t count)
{
    int const file = open_memory(process);
    bool const good = file >= 0 && pwrite(file, bytes, count, (off_t)address) == (ssize_t)count;

    if (file >= 0)
        close(file);
    return good;
}

/* ---- registers and traps */

#if defined __x86_64__
typedef struct user_regs_struct registers;
static const uint8_t trap_code[] = {0xcc};
#define PROGRAM_COUNTER(registers) (registers)->rip
enum { PAST_TRAP = 1 };
#elif defined __aarch64__
typedef struct user_regs_struct registers;
static const uint8_t trap_code[] = {0x00, 0x00, 0x20, 0xd4};     /* brk #0 */
#define PROGRAM_COUNTER(registers) (registers)->pc
enum { PAST_TRAP = 0 };
#endif

#if defined __x86_64__ || defined __aarch64__
static bool get_registers(pid_t process, registers *all)
{
    struct iovec const part = {all, sizeof *all};

    return ptrace(PTRACE_GETREGSET, process, NT_PRSTATUS, &part) == 0;
}

static bool set_registers(pid_t process, const registers *all)
{
    registers copy = *all;
    struct iovec const part = {&copy, sizeof copy};

    return ptrace(PTRACE_SETREGSET, process, NT_PRSTATUS, &part) == 0;
}

bool native_can_trap(void)
{
    return true;
}

bool native_trap_set(pid_t process, struct native_trap *trap, uint64_t address)
{
    trap->address = address;
    return native_read_memory(process, address, trap->before, sizeof trap_code)
        && native_write_memory(process, address, trap_code, sizeof trap_code);
}

bool native_trap_again(pid_t process, const struct native_trap *trap)
{
    registers all;

    if (!get_registers(process, &all))
        return false;
    PROGRAM_COUNTER(&all) = trap->address;
    return set_registers(process, &all);
}

bool native_trap_remove(pid_t process, const struct native_trap *trap)
{
    return native_write_memory(process, trap->address, trap->before, sizeof trap_code)
        && native_trap_again(process, trap);
}

uint64_t native_trapped_at(pid_t process)
{
    registers all;

    return get_registers(process, &all) ? PROGRAM_COUNTER(&all) - PAST_TRAP : 0;
}
#else
bool native_can_trap(void)
{
    return false;
}

bool native_trap_set(pid_t process, struct native_trap *trap, uint64_t address)
{
    (void)process, (void)trap, (void)address;
    return false;
}

bool native_trap_again(pid_t process, const struct native_trap *trap)
{
    (void)process, (void)trap;
    return false;
}

bool native_trap_remove(pid_t process, const struct native_trap *trap)
{
    (void)process, (void)trap;
    return false;
}

uint64_t native_trapped_at(pid_t process)
{
    (void)process;
    return 0;
}
#endif

/* ---- patches */

#if defined __x86_64__

enum { PAGE = 4096, BEGIN_CODE = 256, END_CODE = 1024, FAR = 1 << 30 };
/* Places of the page's data. */
enum { SAVED_RAX = 0, SAVED_RDX = 8, READINGS = 16, LAST_READING = READINGS + 3 * 8, END_READING = 64 };

bool native_can_patch(void)
{
    return true;
}

/* A system call in the stopped process, which stands at an instruction that may be overwritten meanwhile. */
static bool call_in(pid_t process, long number, const uint64_t arguments[6], int64_t *result)
{
    static const uint8_t code[] = {0x0f, 0x05, 0xcc};    /* syscall; int3 */
    registers before, all;
    uint8_t bytes[sizeof code];
    int status;

    if (!get_registers(process, &before) || !native_read_memory(process, before.rip, bytes, sizeof bytes)
        || !native_write_memory(process, before.rip, code, sizeof code))
        return false;
    all = before;
    all.rax = (uint64_t)number;
    all.orig_rax = UINT64_MAX;
    all.rdi = arguments[0], all.rsi = arguments[1], all.rdx = arguments[2];
    all.r10 = arguments[3], all.r8 = arguments[4], all.r9 = arguments[5];
    if (!set_registers(process, &all) || ptrace(PTRACE_CONT, process, NULL, NULL) != 0
        || waitpid(process, &status, 0) != process || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP
        || !get_registers(process, &all))
        return false;
    *result = (int64_t)all.rax;
    return native_write_memory(process, before.rip, bytes, sizeof bytes) && set_registers(process, &before);
}

/* A free page below the mapping that holds `address`, in reach of jumps. */
static uint64_t free_page(pid_t process, uint64_t address)
{
    char path[64], line[512];
    uint64_t low = 0, high, begin, end = 0;
    FILE *maps;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps) && sscanf(line, "%lx-%lx", &begin, &high) == 2 && begin <= address) {
        if (begin >= end + 4 * PAGE)
            low = begin - 2 * PAGE;
        end = high;
    }
    if (maps)
        fclose(maps);
    return low > 0x10000 && address - low < FAR ? low : 0;
}

/* ---- code, put together */
struct code {
    uint8_t bytes[END_CODE];
    uint64_t at;                         /* address of bytes[0] */
    size_t count;
};

static void put(struct code *code, const void *bytes, size_t count)
{
    memcpy(code->bytes + code->count, bytes, count);
    code->count += count;
}

#define PUT(code, ...) put(code, (const uint8_t[]){__VA_ARGS__}, sizeof (const uint8_t[]){__VA_ARGS__})

/* The distance from behind these four bytes. */
static void put_distance(struct code *code, uint64_t to)
{
    int32_t const distance = (int32_t)(to - (code->at + code->count + 4));

    put(code, &distance, sizeof distance);
}

static void put_jump(struct code *code, uint64_t to)
{
    PUT(code, 0xe9);
    put_distance(code, to);
}

/* mov rax, address; mov dword [rax], bytes; mov byte [rax + 4], the fifth */
static void put_patch(struct code *code, uint64_t address, const uint8_t bytes[NATIVE_JUMP_BYTES])
{
    PUT(code, 0x48, 0xb8);
    put(code, &address, sizeof address);
    PUT(code, 0xc7, 0x00);
    put(code, bytes, 4);
    PUT(code, 0xc6, 0x40, 0x04, bytes[4]);
}

/* lfence; rdtsc; mov [low], eax; mov [high], edx */
static void put_reading(struct code *code, uint64_t to)
{
    PUT(code, 0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x89, 0x05);
    put_distance(code, to);
    PUT(code, 0x89, 0x15);
    put_distance(code, to + 4);
}

static void make_jump(uint8_t jump[NATIVE_JUMP_BYTES], uint64_t from, uint64_t to)
{
    struct code code = {.at = from};

    put_jump(&code, to);
    memcpy(jump, code.bytes, NATIVE_JUMP_BYTES);
}

static void make_begin(struct code *code, uint64_t page, uint64_t from, const uint8_t before[NATIVE_JUMP_BYTES],
                       uint64_t to, const uint8_t jump[NATIVE_JUMP_BYTES], bool stops, uint64_t *trap)
{
    PUT(code, 0x48, 0x89, 0x05);         /* mov [saved], rax */
    put_distance(code, page + SAVED_RAX);
    PUT(code, 0x48, 0x89, 0x15);         /* mov [saved], rdx */
    put_distance(code, page + SAVED_RDX);
    put_patch(code, from, before);
    put_patch(code, to, jump);
    PUT(code, 0x0f, 0xae, 0xf0);         /* mfence: the code is written before the clock is read */
    *trap = code->at + code->count;
    PUT(code, stops ? 0xcc : 0x90);
    for (int i = 0; i < 4; i++)
        put_reading(code, page + READINGS + 8 * (uint64_t)i);
    PUT(code, 0x0f, 0xae, 0xe8, 0x48, 0x8b, 0x05);       /* lfence; mov rax, [saved] */
    put_distance(code, page + SAVED_RAX);
    PUT(code, 0x48, 0x8b, 0x15);         /* mov rdx, [saved] */
    put_distance(code, page + SAVED_RDX);
    put_jump(code, from);
}

static bool make_writable(pid_t process, uint64_t address)
{
    uint64_t const first = address / PAGE * PAGE, end = address + NATIVE_JUMP_BYTES;
    int64_t result;

    return call_in(process, SYS_mprotect,
                   (const uint64_t[6]){first, end - first, PROT_READ | PROT_WRITE | PROT_EXEC}, &result) && result == 0;
}

bool native_patches_plant(pid_t process, uint64_t from, uint64_t to, bool stops, struct native_patches *patches)
{
    uint64_t const page = free_page(process, from);
    struct code begin = {.at = page + BEGIN_CODE}, end = {.at = page + END_CODE};
    uint8_t before[NATIVE_JUMP_BYTES], jump[NATIVE_JUMP_BYTES], jump_at_end[NATIVE_JUMP_BYTES];
    int64_t mapped;

    if (!page || !native_read_memory(process, from, before, sizeof before)
        || !call_in(process, SYS_mmap, (const uint64_t[6]){page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, UINT64_MAX, 0}, &mapped)
        || (uint64_t)mapped != page || !make_writable(process, from) || !make_writable(process, to))
        return false;
    patches->page = page;
    make_jump(jump, from, begin.at);
    make_jump(jump_at_end, to, end.at);
    make_begin(&begin, page, from, before, to, jump_at_end, stops, &patches->begin_trap);
    put_reading(&end, page + END_READING);
    patches->end_trap = end.at + end.count;
    PUT(&end, 0xcc);
    return native_write_memory(process, begin.at, begin.bytes, begin.count)
        && native_write_memory(process, end.at, end.bytes, end.count)
        && native_write_memory(process, from, jump, sizeof jump);
}

bool native_patches_read(pid_t process, const struct native_patches *patches, uint64_t *ticks)
{
    uint64_t readings[4], end, cost;

    if (!native_read_memory(process, patches->page + READINGS, readings, sizeof readings)
        || !native_read_memory(process, patches->page + END_READING, &end, sizeof end))
        return false;
    cost = readings[3] - readings[2];
    *ticks = end - readings[3] > cost ? end - readings[3] - cost : 0;
    return true;
}

#else

bool native_can_patch(void)
{
    return false;
}

bool native_patches_plant(pid_t process, uint64_t from, uint64_t to, bool stops, struct native_patches *patches)
{
    (void)process, (void)from, (void)to, (void)stops, (void)patches;
    return false;
}

bool native_patches_read(pid_t process, const struct native_patches *patches, uint64_t *ticks)
{
    (void)process, (void)patches, (void)ticks;
    return false;
}

#endif
