/* A memory of DRAM commands for unit tests: made in one call, its commands noted.
 *
 * Use: command_bench_open, change bench.config, command_bench_start, bench_read and bench_write, bench_run; close. */
#ifndef TESTS_SUPPORT_COMMAND_BENCH_H
#define TESTS_SUPPORT_COMMAND_BENCH_H

#include "memsys/command/cmd_memory.h"
#include "replay/config/command_standard.h"
#include "tests/support/unit.h"

enum { BENCH_COMMANDS = 1 << 16, BENCH_REQUESTS = 1 << 14 };

struct bench_command {
    uint64_t tick;
    const char *name;
    int32_t vector[CMD_LEVELS];
};

struct command_bench {
    struct cmd_standard standard;
    struct cmd_spec spec;
    struct cmd_config config;
    struct cmd_memory *memory;
    struct fault fault;
    size_t command_count, request_count, done_count;
    struct bench_command commands[BENCH_COMMANDS];
    uint64_t done_at[BENCH_REQUESTS], order[BENCH_REQUESTS];    /* done_at: 0: not yet; order: numbers of requests,
                                                                   as they were done */
};

static inline void bench_note_command(void *owner, const struct cmd_issued *issued)
{
    struct command_bench *const bench = owner;
    struct bench_command *const command = &bench->commands[bench->command_count++ % BENCH_COMMANDS];

    command->tick = issued->tick;
    command->name = bench->spec.command[issued->command].name;
    memcpy(command->vector, issued->vector, bench->spec.level_count * sizeof *command->vector);
}

static inline void bench_note_done(void *owner, uint64_t token, enum cmd_kind kind, uint64_t arrive, uint64_t depart)
{
    struct command_bench *const bench = owner;

    (void)kind;
    (void)arrive;
    (void)depart;
    bench->done_at[token % BENCH_REQUESTS] = bench->memory ? cmd_memory_now(bench->memory) : 0;
    bench->order[bench->done_count++ % BENCH_REQUESTS] = token;
}

static inline struct command_bench *command_bench_open(const char *standard, const char *organization,
                                                       const char *timing,
                                                       struct cmd_overrides overrides, uint32_t mends)
{
    struct command_bench *const bench = calloc(1, sizeof *bench);

    assert_non_null(bench);
    assert_fine(command_standard_read(&bench->standard, standard));
    assert_fine(cmd_spec_make(&bench->spec, &bench->standard, organization, timing, overrides,
                              mends >> CMD_MEND_MISSING_CONSTRAINTS & 1, mends >> CMD_MEND_ONE_WINDOW & 1));
    cmd_config_default(&bench->config, &bench->spec);
    bench->config.mends = mends;
    return bench;
}

static inline void command_bench_start(struct command_bench *bench)
{
    struct cmd_hooks const hooks = {.owner = bench, .completed = bench_note_done, .issued = bench_note_command};

    assert_fine(cmd_memory_new(&bench->memory, &bench->config, &hooks, 1));
}

static inline void command_bench_close(struct command_bench *bench)
{
    cmd_memory_free(bench->memory);
    cmd_spec_free(&bench->spec);
    cmd_standard_free(&bench->standard);
    free(bench);
}

/* Number of the request; UINT64_MAX: it was refused. */
static inline uint64_t bench_send(struct command_bench *bench, enum cmd_kind kind, uint64_t address)
{
    struct cmd_access const access = {kind, address, 0, bench->request_count, NULL};
    enum cmd_answer const answer = cmd_memory_send(bench->memory, &access, &bench->fault);

    return answer == CMD_ACCEPTED ? bench->request_count++ : UINT64_MAX;
}

/* Of a memory whose mapping is given. */
static inline uint64_t bench_send_vector(struct command_bench *bench, enum cmd_kind kind, const int32_t *vector,
                                         uint64_t address)
{
    struct cmd_access const access = {kind, address, 0, bench->request_count, vector};
    enum cmd_answer const answer = cmd_memory_send(bench->memory, &access, &bench->fault);

    return answer == CMD_ACCEPTED ? bench->request_count++ : UINT64_MAX;
}

/* To the end of that tick. */
static inline struct fault bench_run(struct command_bench *bench, uint64_t tick)
{
    while (cmd_memory_now(bench->memory) < tick)
        FORWARD(cmd_memory_run(bench->memory, tick));
    return fault_none();
}

/* Until all requests are done, or that tick. */
static inline struct fault bench_finish(struct command_bench *bench, uint64_t latest)
{
    while (cmd_memory_in_flight(bench->memory) > 0 && cmd_memory_now(bench->memory) < latest)
        FORWARD(cmd_memory_run(bench->memory, latest));
    return fault_none();
}

/* The n-th (from 0) command of that name; NULL: there are fewer. */
static inline const struct bench_command *bench_command(const struct command_bench *bench, const char *name, size_t n)
{
    for (size_t i = 0; i < bench->command_count; i++)
        if (strcmp(bench->commands[i].name, name) == 0 && n-- == 0)
            return &bench->commands[i];
    return NULL;
}

static inline size_t bench_count(const struct command_bench *bench, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < bench->command_count; i++)
        count += strcmp(bench->commands[i].name, name) == 0;
    return count;
}

#define NO_OVERRIDES ((struct cmd_overrides){NULL, 0})

#endif
