#include "sweep/measure/host_ticks.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <x86intrin.h>
#endif

/* ---- ticks */
static uint64_t system_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t host_ticks(enum host_counter counter)
{
    if (counter == HOST_COUNTER_CLOCK)
        return system_ns();
#if defined __x86_64__
    uint64_t ticks;

    _mm_lfence();
    ticks = __rdtsc();
    _mm_lfence();
    return ticks;
#elif defined __aarch64__
    uint64_t ticks;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
#else
    return system_ns();
#endif
}

static void find_counter(struct measured_host *host)
{
    host->counter = HOST_COUNTER_CLOCK;
    host->counter_name = "clock_gettime";
    host->counter_doubt = "the processor has no constant counter that programs can read";
#if defined __x86_64__
    unsigned a, b, c, d = 0;

    if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) != 0) {
        host->counter = HOST_COUNTER_CYCLES;
        host->counter_name = "TSC";
        host->counter_doubt = NULL;
    }
    host->is_virtual = __get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 31) != 0;
#elif defined __aarch64__
    host->counter = HOST_COUNTER_CYCLES;
    host->counter_name = "cntvct";
    host->counter_doubt = NULL;
#endif
}

static double counter_rate(enum host_counter counter)
{
    enum { SPAN_NS = 30 * 1000 * 1000 };
    uint64_t const start = host_ticks(counter), start_ns = system_ns();
    uint64_t now_ns;

    do
        now_ns = system_ns();
    while (now_ns - start_ns < SPAN_NS);
    return (double)(host_ticks(counter) - start) * 1e9 / (double)(now_ns - start_ns);
}

/* ---- cores */
bool host_pin(unsigned core)
{
    cpu_set_t cores;

    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    return sched_setaffinity(0, sizeof cores, &cores) == 0;
}

static void find_cores(struct measured_host *host)
{
    cpu_set_t cores;

    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        return;
    for (unsigned core = 0; core < CPU_SETSIZE && host->core_count < HOST_MOST_CORES; core++)
        if (CPU_ISSET(core, &cores))
            host->cores[host->core_count++] = core;
}

/* ---- files of the system */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *const file = fopen(path, "re");
    bool const is_read = file && fgets(line, (int)size, file);

    if (file)
        fclose(file);
    if (is_read)
        line[strcspn(line, "\n")] = '\0';
    return is_read;
}

/* "32K", "1024", "8M"; 0: no number. */
static uint64_t size_of_text(const char *text)
{
    char *end;
    uint64_t const number = strtoull(text, &end, 10);

    return end == text ? 0 : *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

static uint64_t read_number(const char *path)
{
    char line[64];

    return read_line(path, line, sizeof line) ? size_of_text(line) : 0;
}

static void find_caches(struct measured_host *host)
{
    unsigned const core = host->core_count > 0 ? host->cores[0] : 0;

    for (unsigned i = 0; i < 8; i++) {
        char path[128], type[32];
        uint64_t level;

        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/type", core, i);
        if (!read_line(path, type, sizeof type))
            return;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/level", core, i);
        level = read_number(path);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/size", core, i);
        if (strcmp(type, "Instruction") == 0) {
            host->instruction_bytes = read_number(path);
        } else if (level >= 1 && level <= 3) {
            host->cache_bytes[level - 1] = read_number(path);
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/ways_of_associativity", core, i);
            host->cache_ways[level - 1] = (unsigned)read_number(path);
        }
    }
}

static void find_model(struct measured_host *host)
{
    FILE *const file = fopen("/proc/cpuinfo", "re");
    char line[256];

    while (file && host->model[0] == '\0' && fgets(line, sizeof line, file)) {
        const char *const colon = strchr(line, ':');

        if (colon && strncmp(line, "model name", 10) == 0) {
            snprintf(host->model, sizeof host->model, "%s", colon + 1 + strspn(colon + 1, " \t"));
            host->model[strcspn(host->model, "\n")] = '\0';
        }
    }
    if (file)
        fclose(file);
    for (char *c = host->model; *c; c++)
        if (!isprint((unsigned char)*c))
            *c = ' ';
}

/* ---- memory */
static void limit_memory(struct measured_host *host, uint64_t bytes, const char *limit)
{
    if (bytes < host->free_bytes) {
        host->free_bytes = bytes;
        host->free_limit = limit;
    }
}

static uint64_t available_bytes(void)
{
    FILE *const file = fopen("/proc/meminfo", "re");
    char line[128];
    uint64_t kib = 0;

    while (file && kib == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kib = strtoull(line + 13, NULL, 10);
    if (file)
        fclose(file);
    return kib << 10;
}

static void limit_by_group(struct measured_host *host)
{
    static const char *const files[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}
    };
    char line[64];

    for (size_t i = 0; i < 2; i++) {
        uint64_t const most = read_number(files[i][0]), used = read_number(files[i][1]);

        if (most > 0)
            limit_memory(host, most > used ? most - used : 0, "the control group's memory limit");
    }
    if (read_line("/sys/fs/cgroup/cpu.max", line, sizeof line) && strncmp(line, "max", 3) != 0) {
        char *end;
        double const quota = strtod(line, &end), period = strtod(end, NULL);

        host->cpu_share = period > 0 ? quota / period : 0;
    }
}

static void limit_by_process(struct measured_host *host)
{
    struct rlimit limit;
    char line[64];

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        uint64_t const pages = read_line("/proc/self/statm", line, sizeof line) ? size_of_text(line) : 0;
        uint64_t const used = pages * (uint64_t)sysconf(_SC_PAGESIZE);

        limit_memory(host, limit.rlim_cur > used ? limit.rlim_cur - used : 0, "ulimit -v");
    }
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        limit_memory(host, limit.rlim_cur, "ulimit -d");
}

static void find_memory(struct measured_host *host)
{
    uint64_t const available = available_bytes();
    char line[128];

    host->free_bytes = UINT64_MAX;
    host->free_limit = "nothing";
    if (available > 0)
        limit_memory(host, available, "the memory that is free");
    limit_by_group(host);
    limit_by_process(host);
    host->has_large_pages = read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line)
        && !strstr(line, "[never]");
}

void measured_host_read(struct measured_host *host)
{
    *host = (struct measured_host){.core_count = 0};
    find_counter(host);
    host->ticks_per_s = counter_rate(host->counter);
    find_cores(host);
    find_caches(host);
    find_model(host);
    find_memory(host);
}
