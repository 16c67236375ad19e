#define _POSIX_C_SOURCE 200809L
#include "base/host_clock.h"

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
