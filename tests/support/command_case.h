/* Reference runs of command-level memories: a folder with case.json, traces, commands, completions and statistics,
 * run by the model and compared (docs/spec/command-dram.md; the format: tests/command-dram --help).
 *
 * Use: command_case_check for each folder. Ownership: nothing is kept. */
#ifndef TESTS_SUPPORT_COMMAND_CASE_H
#define TESTS_SUPPORT_COMMAND_CASE_H

#include <jansson.h>

#include "base/fault.h"
#include "base/text.h"
#include "memsys/command/cmd_memory.h"
#include "replay/config/command_device.h"

/* A memory, and what it did. Requests are numbered in the order of their acceptance. */
struct command_run {
    const json_t *description;           /* case.json */
    struct cmd_standard standard;
    struct cmd_spec spec;
    struct cmd_config config;
    struct command_device device;        /* of a system's file */
    struct cmd_memory *memory;
    struct command_front *front;
    struct command_entry *entries;
    size_t entry_count, entry_room;
    struct text commands;                /* as the reference writes them */
    uint64_t last_command, command_count;
    bool shows_source;                   /* completions have kind, address and source */
    struct fault fault;
};

/* An accepted request; done is called when it is completed. */
struct command_entry {
    struct cmd_access access;
    int32_t vector[CMD_LEVELS];
    uint64_t accepted;
    int64_t latency;                     /* -1: not done */
    void (*done)(struct command_run *run, const struct command_entry *entry, int64_t arrive, int64_t depart);
    uint64_t user;
};

/* What makes requests: a tick at a time, or (`run`) by its own loop. */
struct command_front {
    void (*tick)(struct command_front *front, struct command_run *run);
    bool (*is_finished)(const struct command_front *front);
    void (*run)(struct command_front *front, struct command_run *run);
    void (*throttled)(struct command_front *front, int32_t source, float share);
    json_t *(*stats)(const struct command_front *front);
    void (*free)(struct command_front *front);
    uint32_t sources;
};

/* True: accepted. Of `access`, token is set here. */
bool command_run_send(struct command_run *run, struct cmd_access access,
                      void (*done)(struct command_run *run, const struct command_entry *entry, int64_t arrive,
                                   int64_t depart),
                      uint64_t user);

/* Front ends by the word of case.json; texts: the traces. NULL: unknown. */
struct command_front *command_front_new(const json_t *description, char **texts, size_t count);
struct command_front *command_cores_new(const json_t *front_end, char **texts, size_t count);
struct command_front *command_latency_new(const json_t *front_end);

/* Number of a key; `otherwise` if it is not there. */
int64_t command_number(const json_t *object, const char *key, int64_t otherwise);

/* Runs a case with an engine (NULL: the plain one) and compares: one line about it in `verdict`. True: all equal. */
bool command_case_check(const char *folder, const struct cmd_engine *engine, struct text *verdict);
/* The same on device and controller of the first memory of a system's file; channels stay the case's. */
bool command_case_check_system(const char *folder, const char *system, const struct cmd_engine *engine,
                               struct text *verdict);

#endif
