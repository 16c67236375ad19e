/* perf's generic events of caches below the L1 are other levels with each vendor: cache-misses are those of the last
 * level with Intel, of the L2 with AMD since Zen, which counts none of the L3 for a process, and of the L1D with Arm,
 * whose architecture has events of its own. Sources: arch/x86/events/intel/core.c (intel_perfmon_event_map),
 * arch/x86/events/amd/core.c (amd_zen1_perfmon_event_map) of Linux; Arm Architecture Reference Manual, D13 (events
 * L2D_CACHE_REFILL, LL_CACHE_MISS_RD).
 *
 * A few at a time, so that the kernel need not take turns between them, which would make estimates of counts. */
#include "sweep/native/native_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

enum { AT_ONCE = 4, PERF_TYPE_BY_VENDOR = PERF_TYPE_MAX };

#define NATIVE_READ_MISSES(cache) ((uint64_t)(cache) | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8                     \
                                   | (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

const struct native_counter_about native_counters_about[NATIVE_COUNTER_COUNT] = {
#define NATIVE_COUNTER_ABOUT(id, name, type, event, metric, text) [NATIVE_##id] = {name, metric, text},
    NATIVE_COUNTERS(NATIVE_COUNTER_ABOUT)
};

struct event {
    uint32_t type;
    uint64_t event;
};

static const struct event events[NATIVE_COUNTER_COUNT] = {
#define NATIVE_COUNTER_EVENT(id, name, type, event, metric, text) [NATIVE_##id] = {PERF_TYPE_##type, event},
    NATIVE_COUNTERS(NATIVE_COUNTER_EVENT)
};

void native_counters_init(struct native_counters *counters)
{
    *counters = (struct native_counters){.end = NATIVE_COUNTER_COUNT};
    for (size_t i = 0; i < NATIVE_COUNTER_COUNT; i++) {
        counters->values[i] = NAN;
        counters->files[i] = -1;
    }
}

/* Type PERF_TYPE_MAX: this vendor has none. */
static struct event by_vendor(size_t counter)
{
#if defined __x86_64__
    uint32_t most, name[4] = {0};

    if (!__get_cpuid(0, &most, &name[0], &name[2], &name[1]))
        return (struct event){PERF_TYPE_MAX, 0};
    if (memcmp(name, "GenuineIntel", 12) == 0)
        return (struct event){PERF_TYPE_HARDWARE, counter == NATIVE_L2 ? PERF_COUNT_HW_CACHE_REFERENCES
                                                                       : PERF_COUNT_HW_CACHE_MISSES};
    if (memcmp(name, "AuthenticAMD", 12) == 0 && counter == NATIVE_L2)
        return (struct event){PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES};
#elif defined __aarch64__
    return (struct event){PERF_TYPE_RAW, counter == NATIVE_L2 ? 0x17 : 0x37};
#endif
    (void)counter;
    return (struct event){PERF_TYPE_MAX, 0};
}

static int open_counter(size_t counter, pid_t process)
{
    struct event const event = events[counter].type == PERF_TYPE_BY_VENDOR ? by_vendor(counter) : events[counter];
    struct perf_event_attr about = {
        .size = sizeof about, .type = event.type, .config = event.event, .disabled = 1,
        /* faults and switches are the kernel's own work */
        .exclude_kernel = events[counter].type != PERF_TYPE_SOFTWARE, .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING
    };

    if (event.type == PERF_TYPE_MAX) {
        errno = ENOENT;
        return -1;
    }
    return (int)syscall(SYS_perf_event_open, &about, process, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool native_counters_are_left(const struct native_counters *counters)
{
    return counters->next < counters->end;
}

bool native_counters_open(struct native_counters *counters, pid_t process)
{
    bool const are_left = native_counters_are_left(counters);

    for (int opened = 0; opened < AT_ONCE && native_counters_are_left(counters); counters->next++) {
        int const file = open_counter(counters->next, process);

        counters->files[counters->next] = file;
        opened += file >= 0;
        if (file < 0 && counters->error == 0)
            counters->error = errno;
    }
    return are_left;
}

void native_counters_start(struct native_counters *counters)
{
    for (size_t i = 0; i < NATIVE_COUNTER_COUNT; i++)
        if (counters->files[i] >= 0)
            ioctl(counters->files[i], PERF_EVENT_IOC_ENABLE, 0);
}

void native_counters_stop(struct native_counters *counters)
{
    for (size_t i = 0; i < NATIVE_COUNTER_COUNT; i++) {
        struct { uint64_t value, enabled, running; } read_out;

        if (counters->files[i] < 0)
            continue;
        ioctl(counters->files[i], PERF_EVENT_IOC_DISABLE, 0);
        if (read(counters->files[i], &read_out, sizeof read_out) == sizeof read_out && read_out.running > 0)
            counters->values[i] = (double)read_out.value * ((double)read_out.enabled / (double)read_out.running);
    }
    /* The stop at the region's end is one. */
    if (counters->values[NATIVE_SWITCHES] > 0)
        counters->values[NATIVE_SWITCHES]--;
}

void native_counters_close(struct native_counters *counters)
{
    for (size_t i = 0; i < NATIVE_COUNTER_COUNT; i++)
        if (counters->files[i] >= 0) {
            close(counters->files[i]);
            counters->files[i] = -1;
        }
}

bool native_counters_are_there(const struct native_counters *counters)
{
    for (size_t i = 0; i < NATIVE_COUNTER_COUNT; i++)
        if (events[i].type != PERF_TYPE_SOFTWARE && !isnan(counters->values[i]))
            return true;
    return false;
}
