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

enum { PATH_BYTES = 512 };

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

static void without_counter(struct measured_host *host)
{
    host->counter = HOST_COUNTER_CLOCK;
    host->counter_name = "clock_gettime";
    host->counter_doubt = "the processor has no constant counter that programs can read";
}

static void find_counter(struct measured_host *host)
{
    without_counter(host);
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

void measured_host_forget_counter(struct measured_host *host)
{
    without_counter(host);
    host->ticks_per_s = counter_rate(host->counter);
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

static void find_caches(struct measured_host *host, const char *root)
{
    unsigned const core = host->core_count > 0 ? host->cores[0] : 0;

    for (unsigned i = 0; i < 8; i++) {
        char path[PATH_BYTES + 128], type[32];
        uint64_t level;

        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/cache/index%u/type", root, core, i);
        if (!read_line(path, type, sizeof type))
            return;
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/cache/index%u/level", root, core, i);
        level = read_number(path);
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/cache/index%u/size", root, core, i);
        if (strcmp(type, "Instruction") == 0) {
            host->instruction_bytes = read_number(path);
        } else if (level >= 1 && level <= 3) {
            host->cache_bytes[level - 1] = read_number(path);
            snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/cache/index%u/ways_of_associativity",
                     root, core, i);
            host->cache_ways[level - 1] = (unsigned)read_number(path);
        }
    }
}

static void find_model(struct measured_host *host, const char *root)
{
    char path[PATH_BYTES], line[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    file = fopen(path, "re");
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

/* Of a control group's share the least. */
static void limit_share(struct measured_host *host, double quota, double period)
{
    if (quota > 0 && period > 0 && (host->cpu_share == 0 || quota / period < host->cpu_share))
        host->cpu_share = quota / period;
}

static uint64_t available_bytes(const char *root)
{
    char path[PATH_BYTES], line[128];
    FILE *file;
    uint64_t kib = 0;

    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    file = fopen(path, "re");
    while (file && kib == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kib = strtoull(line + 13, NULL, 10);
    if (file)
        fclose(file);
    return kib << 10;
}

/* The least of a file's numbers in the group's folder and those above it, up to where the hierarchy is mounted. In a
 * container the group's path may be the host's, and only the mount itself is there. 0: no limit. */
static void limit_by_folders(struct measured_host *host, const char *mount, const char *group, bool is_second)
{
    static const char *const limits[] = {"memory.limit_in_bytes", "memory.max"};
    static const char *const used[] = {"memory.usage_in_bytes", "memory.current"};
    char folder[PATH_BYTES], path[PATH_BYTES + 64], line[64];
    size_t const least = strlen(mount);

    if (snprintf(folder, sizeof folder, "%s%s", mount, strcmp(group, "/") == 0 ? "" : group) >= (int)sizeof folder)
        return;
    for (char *end = folder + strlen(folder); end; end = strlen(folder) > least ? strrchr(folder, '/') : NULL) {
        uint64_t most, in_use;

        *end = '\0';
        if (strlen(folder) < least)
            return;
        snprintf(path, sizeof path, "%s/%s", folder, limits[is_second]);
        most = read_number(path);
        snprintf(path, sizeof path, "%s/%s", folder, used[is_second]);
        in_use = read_number(path);
        if (most > 0)
            limit_memory(host, most > in_use ? most - in_use : 0, "the control group's memory limit");
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        if (read_line(path, line, sizeof line) && strncmp(line, "max", 3) != 0) {
            char *behind;
            double const quota = strtod(line, &behind);

            limit_share(host, quota, strtod(behind, NULL));
        }
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
        in_use = read_number(path);
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
        if (in_use > 0 && read_line(path, line, sizeof line) && line[0] != '-')
            limit_share(host, strtod(line, NULL), (double)in_use);
    }
}

/* Lines are number:controllers:path; without controllers it is the second version. */
static void limit_by_group(struct measured_host *host, const char *root)
{
    char path[PATH_BYTES], line[PATH_BYTES], mount[2 * PATH_BYTES];
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        char *const names = strchr(line, ':') ? strchr(line, ':') + 1 : NULL;
        char *const group = names ? strchr(names, ':') : NULL;
        bool is_second;

        if (!group)
            continue;
        *group = '\0';
        group[1 + strcspn(group + 1, "\n")] = '\0';
        is_second = names[0] == '\0';
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s%s", root, is_second ? "" : "/", names);
        limit_by_folders(host, mount, group + 1, is_second);
    }
    if (file)
        fclose(file);
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

static void find_memory(struct measured_host *host, const char *root)
{
    uint64_t const available = available_bytes(root);
    char path[PATH_BYTES], line[128];

    host->free_bytes = UINT64_MAX;
    host->free_limit = "nothing";
    if (available > 0)
        limit_memory(host, available, "the memory that is free");
    limit_by_group(host, root);
    limit_by_process(host);
    snprintf(path, sizeof path, "%s/sys/kernel/mm/transparent_hugepage/enabled", root);
    host->has_large_pages = read_line(path, line, sizeof line)
        && !strstr(line, "[never]");
}

void measured_host_read(struct measured_host *host, const char *root)
{
    *host = (struct measured_host){.core_count = 0};
    find_counter(host);
    host->ticks_per_s = counter_rate(host->counter);
    find_cores(host);
    find_caches(host, root);
    find_model(host, root);
    find_memory(host, root);
}
