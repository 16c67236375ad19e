/* Checks the DRAM commands of a run on memory.type: command (`rubato replay --commands FILE`, Ramulator's CSV)
 * against the
 * rules of its devices.
 *
 *     command_check SYSTEM [--set KEY=VALUE]... FILE    0: no rule is broken; 1: the first of each channel; 2: no
 * such file
 *
 * The system names the devices, as for the run; the rules are those of tests/support/command_rules.h. dram_check does
 * the
 * same for gem5's controllers, whose files have their devices in them. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/dram/memory_params.h"
#include "replay/config/command_device.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"
#include "tests/support/command_rules.h"

enum { MOST_CHANNELS = 4096, MOST_SETTINGS = 256, LONGEST_LINE = 1000 };

struct channel {
    const struct command_device *device;
    struct command_rules *rules;
};

struct check {
    const char *path;
    uint64_t line, commands;
    struct system_config *config;
    struct command_device devices[CONFIG_MAX_MEMORIES];
    struct channel channels[MOST_CHANNELS];
    unsigned channel_count;
    const struct command_device *named;      /* whose levels the last line of names has */
};

static void __attribute__((noreturn, format(printf, 2, 3))) refuse(const struct check *check, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%" PRIu64 ": ", check->path, check->line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static struct command_rules *rules_of(const struct check *check, const struct command_device *device)
{
    const struct cmd_config *const config = &device->config;
    const struct cmd_spec *const spec = config->spec;
    struct command_rules_options const options = {
        .opens_twice = !cmd_mends(config, CMD_MEND_OPEN_TWICE),
        .refresh_ticks = config->refresh == CMD_REFRESH_ALL_BANK ? cmd_spec_time(spec, "nREFI")
                         : config->refresh == CMD_REFRESH_PER_BANK
                             ? cmd_spec_time(spec, "nREFIpb") * (int64_t)spec->bank_count : 0};
    struct command_rules *const rules = command_rules_new(spec, &options);

    if (!rules)
        refuse(check, "out of memory");
    return rules;
}

static void make_channels(struct check *check)
{
    for (unsigned i = 0; i < config_memory_count(check->config); i++) {
        const struct memory_params *const memory = config_memory(check->config, i);
        uint64_t const count = memory->type == MEMORY_SIMPLE ? 1 : memory->channels;

        if (check->channel_count + count > MOST_CHANNELS)
            refuse(check, "more than %d channels", MOST_CHANNELS);
        if (memory->type == MEMORY_COMMAND) {
            struct fault const fault = command_device_make(&check->devices[i], memory, "memory");

            if (fault.kind != FAULT_NONE)
                refuse(check, "%s", fault_text(fault));
            for (uint64_t n = 0; n < count; n++)
                check->channels[check->channel_count + n] = (struct channel){
                    &check->devices[i], rules_of(check, &check->devices[i])};
        }
        check->channel_count += (unsigned)count;
    }
}

/* "clock,command,Channel,...,type,source": of the first device with these levels. */
static void take_names(struct check *check, const char *line)
{
    for (unsigned i = 0; i < check->channel_count; i++) {
        const struct command_device *const device = check->channels[i].device;
        char names[LONGEST_LINE] = "clock,command";

        for (unsigned level = 0; device && level < device->spec.level_count; level++)
            strcat(strcat(names, ","), device->standard.levels[level]);
        if (device && strcmp(strcat(names, ",type,source"), line) == 0) {
            check->named = device;
            return;
        }
    }
    refuse(check, "no memory of the system has these levels: %s", line);
}

static int64_t next_number(const struct check *check, char **at)
{
    char *end;
    int64_t const number = strtoll(*at, &end, 10);

    if (end == *at || (*end && *end != ','))
        refuse(check, "\"%.20s\" is not a number", *at);
    *at = end + (*end == ',');
    return number;
}

static void take_command(struct check *check, char *line)
{
    int32_t vector[CMD_LEVELS];
    char *at = line, *name;
    int64_t const tick = next_number(check, &at);
    struct channel *channel;
    int command;

    name = at;
    at += strcspn(at, ",");
    if (!*at || !check->named)
        refuse(check, "expected clock,command,levels,type,source");
    *at++ = '\0';
    for (unsigned level = 0; level < check->named->spec.level_count; level++)
        vector[level] = (int32_t)next_number(check, &at);
    if (vector[0] < 0 || (unsigned)vector[0] >= check->channel_count || !check->channels[vector[0]].device)
        refuse(check, "the system has no channel %d of commands", vector[0]);
    channel = &check->channels[vector[0]];
    command = cmd_spec_command(&channel->device->spec, name);
    if (command == CMD_NONE)
        refuse(check, "%s has no command %.20s", channel->device->standard.name, name);
    check->commands++;
    command_rules_take(channel->rules, (uint64_t)tick, (unsigned)command, vector);
}

static uint64_t read_file(struct check *check, FILE *file)
{
    char line[LONGEST_LINE];
    uint64_t broken = 0;

    while (fgets(line, sizeof line, file)) {
        check->line++;
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#')
            continue;
        if (strncmp(line, "clock,", 6) == 0)
            take_names(check, line);
        else
            take_command(check, line);
    }
    if (!check->named)
        refuse(check, "expected clock,command,... in the first line");
    for (unsigned i = 0; i < check->channel_count; i++) {
        if (check->channels[i].rules && check->channels[i].rules->broken > 0)
            printf("%s: channel %u: %" PRIu64 " commands break rules; the first: %s\n", check->path, i,
                   check->channels[i].rules->broken, check->channels[i].rules->first);
        broken += check->channels[i].rules ? check->channels[i].rules->broken : 0;
        command_rules_free(check->channels[i].rules);
    }
    return broken;
}

int main(int argc, char **argv)
{
    struct check *const check = calloc(1, sizeof *check);
    const char *settings[MOST_SETTINGS];
    size_t setting_count = 0;
    uint64_t broken;
    struct fault fault;
    FILE *file;
    int at = 2;

    for (; at + 1 < argc && strcmp(argv[at], "--set") == 0 && setting_count < MOST_SETTINGS; at += 2)
        settings[setting_count++] = argv[at + 1];
    if (!check || at + 1 != argc) {
        fprintf(stderr, "usage: command_check SYSTEM [--set KEY=VALUE]... FILE\n");
        return 2;
    }
    check->path = argv[at];
    check->config = config_new();
    if (!check->config)
        refuse(check, "out of memory");
    fault = config_read(check->config, argv[1], settings, setting_count);
    if (fault.kind != FAULT_NONE)
        refuse(check, "%s", fault_text(fault));
    make_channels(check);
    file = fopen(check->path, "r");
    if (!file)
        refuse(check, "cannot be opened");
    broken = read_file(check, file);
    fclose(file);
    printf("%s: %" PRIu64 " commands, %" PRIu64 " break rules\n", check->path, check->commands, broken);
    for (unsigned i = 0; i < CONFIG_MAX_MEMORIES; i++)
        command_device_free(&check->devices[i]);
    free(check->config);
    free(check);
    return broken > 0;
}
