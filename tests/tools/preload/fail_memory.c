/* Allocations that fail: to be put before the C library by LD_PRELOAD, with any allocator behind it.
 *
 * Use: FAIL_MEMORY=N lets the N-th allocation of a process fail, FAIL_MEMORY=N- that one and all after it;
 * FAIL_MEMORY_COUNT=FILE adds to FILE, when a process exits, a line with the number of its allocations. Counted, from 1
 * on, are malloc, calloc, realloc, aligned_alloc, posix_memalign, mmap and mremap, and with them strdup and whatever
 * else calls malloc. A forked process continues its parent's count. FAIL_MEMORY_TRACE=1 says on standard
 * error who asked: addresses, for addr2line. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What dlsym itself may want while it looks for the allocator. */
static _Alignas(16) char first_bytes[1 << 16];
static size_t first_used;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_mmap)(void *, size_t, int, int, int, off_t);
static void *(*next_mremap)(void *, size_t, size_t, int, ...);

static atomic_ullong calls;
static unsigned long long first = 0, last = 0;
static const char *count_file;
static int is_traced, is_looking;

static void find_next(void)
{
    is_looking = 1;
    *(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&next_free = dlsym(RTLD_NEXT, "free");
    *(void **)&next_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    *(void **)&next_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    *(void **)&next_mmap = dlsym(RTLD_NEXT, "mmap");
    *(void **)&next_mremap = dlsym(RTLD_NEXT, "mremap");
    is_looking = 0;
}

static void write_count(void)
{
    char line[32];
    int const length = snprintf(line, sizeof line, "%llu\n", (unsigned long long)calls);
    int const file = open(count_file, O_WRONLY | O_CREAT | O_APPEND, 0666);

    if (file >= 0) {
        if (write(file, line, (size_t)length) != length)
            abort();
        close(file);
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *const wanted = getenv("FAIL_MEMORY");
    char *end;

    if (!next_malloc)
        find_next();
    count_file = getenv("FAIL_MEMORY_COUNT");
    if (count_file)
        atexit(write_count);
    if (getenv("FAIL_MEMORY_TRACE")) {
        void *place;

        backtrace(&place, 1);        /* loads its own dependencies */
        is_traced = 1;
    }
    calls = 0;
    if (!wanted)
        return;
    first = strtoull(wanted, &end, 10);
    last = *end == '-' ? UINT64_MAX : first;
}

static int fails(void)
{
    unsigned long long const call = ++calls;
    void *places[40];

    if (call < first || call > last || first == 0)
        return 0;
    if (is_traced) {
        is_traced = 0;
        backtrace_symbols_fd(places, backtrace(places, 40), STDERR_FILENO);
    }
    errno = ENOMEM;
    return 1;
}

static void *take_first(size_t bytes)
{
    void *const taken = first_bytes + first_used;

    first_used += (bytes + 15) & ~(size_t)15;
    if (first_used > sizeof first_bytes)
        abort();
    return taken;
}

void *malloc(size_t bytes)
{
    if (!next_malloc && is_looking)
        return take_first(bytes);
    if (!next_malloc)
        find_next();
    return fails() ? NULL : next_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    if (!next_malloc && is_looking)
        return take_first(count * bytes);
    if (!next_malloc)
        find_next();
    return fails() ? NULL : next_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    if (!next_malloc)
        find_next();
    return bytes > 0 && fails() ? NULL : next_realloc(old, bytes);
}

void free(void *old)
{
    if ((char *)old >= first_bytes && (char *)old < first_bytes + sizeof first_bytes)
        return;
    if (!next_free)
        find_next();
    next_free(old);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    if (!next_malloc)
        find_next();
    return fails() ? NULL : next_aligned_alloc(alignment, bytes);
}

int posix_memalign(void **made, size_t alignment, size_t bytes)
{
    if (!next_malloc)
        find_next();
    return fails() ? ENOMEM : next_posix_memalign(made, alignment, bytes);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (!next_malloc)
        find_next();
    return fails() ? MAP_FAILED : next_mmap(address, bytes, protection, flags, file, offset);
}

void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list arguments;
    void *address;

    va_start(arguments, flags);
    address = va_arg(arguments, void *);
    va_end(arguments);
    if (!next_malloc)
        find_next();
    return fails() ? MAP_FAILED : next_mremap(old, old_bytes, bytes, flags, address);
}
