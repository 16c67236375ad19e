#include "base/host_facts.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double clock_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double host_clock_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

double host_thread_s(void)
{
    return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

double host_process_s(void)
{
    return clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

double host_children_s(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

unsigned host_cores(void)
{
    cpu_set_t cores;

    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? (unsigned)CPU_COUNT(&cores) : 1;
}

/* The C library knows which memory comes fresh from the system and leaves it untouched, but aligns less; the pointer
 * that it gave lies right before the table. */

#define BEFORE_BYTES (HOST_LINE_BYTES + sizeof(void *))

/* The size to allocate; 0: too large. */
static size_t whole_bytes(size_t count, size_t element_bytes)
{
    return count > (SIZE_MAX - BEFORE_BYTES) / element_bytes ? 0 : count * element_bytes + BEFORE_BYTES;
}

static void *table_in(void *whole)
{
    char *table = (char *)whole + sizeof whole;

    table += (size_t)-(uintptr_t)table % HOST_LINE_BYTES;
    ((void **)(void *)table)[-1] = whole;
    return table;
}

void *host_lines_zeroed(size_t count, size_t element_bytes)
{
    size_t const bytes = whole_bytes(count, element_bytes);
    void *const whole = bytes ? calloc(1, bytes) : NULL;

    return whole ? table_in(whole) : NULL;
}

void *host_lines_written(size_t count, size_t element_bytes)
{
    size_t const bytes = whole_bytes(count, element_bytes);
    void *const whole = bytes ? malloc(bytes) : NULL;

    return whole ? memset(table_in(whole), 0, count * element_bytes) : NULL;
}

void host_lines_free(void *table)
{
    if (table)
        free(((void **)table)[-1]);
}
