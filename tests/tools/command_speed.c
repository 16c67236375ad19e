/* How many requests a second a memory of DRAM commands takes, four reads to a write.
 *
 *     command_speed STANDARD ORGANIZATION TIMING random|stream|idle REQUESTS [plain|fast] [exact|sane] [CHANNELS]
 *
 * A closed loop: requests are sent until one is refused, and that one again as soon as there is room, so that the read
 * or the write queue is always full. random: addresses of the whole device, without order; stream: one access after
 * the other; idle: one request at a time, each 1 ms after the one before.
 *
 * Prints, with tabs between them: requests, simulated ticks, seconds of user time of the whole process, thousands of
 * requests a second of it, simulated microseconds, KiB of memory at most, and a hash of all completions, which is the
 * same for both engines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "memsys/command/cmd_memory.h"
#include "memsys/command/fast/cmd_fast.h"
#include "replay/config/command_standard.h"

#define MS_PS UINT64_C(1000000000)

struct driver {
    struct cmd_memory *memory;
    uint64_t hash, done, pause;          /* pause: ticks between requests; idle */
};

static void completed(void *owner, uint64_t token, enum cmd_kind kind, uint64_t arrive, uint64_t depart)
{
    struct driver *const driver = owner;

    (void)kind;
    (void)depart;
    driver->hash = (driver->hash ^ token * 31 ^ (cmd_memory_now(driver->memory) - arrive)) * UINT64_C(0x100000001b3);
    driver->done++;
}

static struct fault drive(struct driver *driver, const char *pattern, uint64_t count, uint64_t bytes, uint64_t line)
{
    bool const is_random = strcmp(pattern, "random") == 0, is_idle = strcmp(pattern, "idle") == 0;
    uint64_t state = 88172645463325252u, sent = 0;
    struct cmd_access access = {0};
    bool is_made = false, is_refused = false;

    while (driver->done < count) {
        struct fault fault = fault_none();

        while (sent < count && (!is_refused || cmd_memory_has_room(driver->memory))) {
            if (!is_made) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                access.address = (is_random ? state >> 8 : sent) * line % bytes;
                access.kind = state % 5 == 0 ? CMD_WRITE : CMD_READ;
                access.token = sent;
                is_made = true;
            }
            is_refused = cmd_memory_send(driver->memory, &access, &fault) == CMD_REFUSED;
            if (is_refused)
                break;
            is_made = false;
            sent++;
            if (is_idle)
                break;
        }
        FORWARD(fault);
        if (is_idle) {
            uint64_t const until = cmd_memory_now(driver->memory) + driver->pause;

            while (cmd_memory_now(driver->memory) < until)
                FORWARD(cmd_memory_run(driver->memory, until));
        } else {
            FORWARD(cmd_memory_run(driver->memory, UINT64_MAX));
        }
    }
    return fault_none();
}

static struct fault run(int argc, char **argv, struct cmd_standard *standard, struct cmd_spec *spec,
                        struct driver *driver,
                        uint64_t count)
{
    struct cmd_hooks const hooks = {.owner = driver, .completed = completed};
    struct cmd_config config;
    uint64_t bytes = 1;
    bool const is_exact = argc > 7 && strcmp(argv[7], "exact") == 0;

    FORWARD(command_standard_read(standard, argv[1]));
    FORWARD(cmd_spec_make(spec, standard, argv[2], argv[3], (struct cmd_overrides){NULL, 0}, !is_exact, !is_exact));
    cmd_config_default(&config, spec);
    config.mends = is_exact ? CMD_EXACT : CMD_SANE;
    config.engine = argc > 6 && strcmp(argv[6], "plain") == 0 ? NULL : &cmd_fast_engine;
    config.channels = argc > 8 ? (uint32_t)strtoul(argv[8], NULL, 10) : 1;
    FORWARD(cmd_memory_new(&driver->memory, &config, &hooks, 1));
    for (unsigned level = 1; level < spec->level_count; level++)
        bytes *= spec->size[level];
    driver->pause = MS_PS / (uint64_t)spec->tck_ps;
    return drive(driver, argv[4], count, bytes / spec->standard->prefetch * spec->tx_bytes, spec->tx_bytes);
}

int main(int argc, char **argv)
{
    struct cmd_standard standard;
    struct cmd_spec spec;
    struct driver driver = {.hash = 1};
    uint64_t count;
    struct rusage usage;
    struct fault fault;
    double seconds;

    if (argc < 6) {
        fprintf(stderr, "usage: command_speed STANDARD ORGANIZATION TIMING random|stream|idle REQUESTS [plain|fast] "
                "[exact|sane] [CHANNELS]\n");
        return 2;
    }
    count = strtoull(argv[5], NULL, 10);
    fault = run(argc, argv, &standard, &spec, &driver, count);
    if (fault.kind != FAULT_NONE) {
        fprintf(stderr, "%s\n", fault_text(fault));
        return 1;
    }
    getrusage(RUSAGE_SELF, &usage);
    seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
    printf("%" PRIu64 "\t%" PRIu64 "\t%.3f\t%.0f\t%.0f\t%ld\t%016" PRIx64 "\n", count, cmd_memory_now(driver.memory),
           seconds, (double)count / seconds / 1000, (double)cmd_memory_now(driver.memory) * (double)spec.tck_ps / 1e6,
           usage.ru_maxrss, driver.hash);
    return 0;
}
