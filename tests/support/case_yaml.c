/* Renames keys and adds units; values are the case's. */
#include "tests/support/case_yaml.h"

#include <ctype.h>
#include <string.h>

bool case_load(struct replay_case *made, const char *path, char *problem, size_t size)
{
    json_error_t error;
    json_t *tick, *cores;

    *made = (struct replay_case){.json = json_load_file(path, 0, &error)};
    if (made->json == NULL) {
        snprintf(problem, size, "%s:%d: %s", path, error.line, error.text);
        return false;
    }
    cores = json_object_get(made->json, "cores");
    made->core_count = (unsigned)json_array_size(cores);
    for (unsigned i = 0; i < made->core_count && i < CASE_MAX_CORES; i++)
        made->traces[i] = json_string_value(json_object_get(json_array_get(cores, i), "trace"));
    for (unsigned i = 0; i < made->core_count || i == 0; i++) {
        if (i < CASE_MAX_CORES && made->traces[i] != NULL)
            continue;
        snprintf(problem, size, "%s: names no trace in cores, or has more than %d cores", path, CASE_MAX_CORES);
        case_free(made);
        return false;
    }
    made->trace = made->traces[0];
    tick = json_object_get(json_object_get(made->json, "reference"), "final_tick");
    made->has_final_tick = json_is_integer(tick);
    made->final_tick = (int64_t)json_integer_value(tick);
    return true;
}

void case_free(struct replay_case *made)
{
    json_decref(made->json);
    *made = (struct replay_case){0};
}

/* Keys that a case calls otherwise. */
static const struct {
    const char *in_case, *in_yaml;
} renamed[] = {
    {"line_size", "line"}, {"system_clock_ps", "system_clock"}, {"cpu_clock_ps", "cpu_clock"}, {"clock_ps", "clock"},
    {"latency_ps", "latency"}, {"device_overrides", "dram"}, {"controller_overrides", "controller"}
};

static const char *yaml_key(const char *key)
{
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        if (strcmp(renamed[i].in_case, key) == 0)
            return renamed[i].in_yaml;
    }
    return key;
}

/* Numbers that are picoseconds: "clock_ps", timings of a device ("tRCD") and of a controller. */
static bool is_time(const char *section, const char *key)
{
    size_t const length = strlen(key);

    if (length > 3 && strcmp(key + length - 3, "_ps") == 0)
        return true;
    if (strcmp(section, "device_overrides") == 0)
        return key[0] == 't' && isupper((unsigned char)key[1]);
    return strcmp(section, "controller_overrides") == 0 &&
           (strstr(key, "latency") != NULL || strcmp(key, "command_window") == 0);
}

static void indent(FILE *file, unsigned depth)
{
    fprintf(file, "%*s", (int)(2 * depth), "");
}

static void write_member(FILE *file, unsigned depth, const char *section, const char *key, json_t *value);

static void write_object(FILE *file, unsigned depth, const char *section, json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
        write_member(file, depth, section, key, value);
}

static void write_member(FILE *file, unsigned depth, const char *section, const char *key, json_t *value)
{
    if (json_is_null(value) || (json_is_object(value) && json_object_size(value) == 0))
        return;
    indent(file, depth);
    fprintf(file, "%s:", yaml_key(key));
    if (json_is_object(value)) {
        fputc('\n', file);
        write_object(file, depth + 1, key, value);
        return;
    }
    fputc(' ', file);
    if (json_is_string(value))
        fputs(json_string_value(value), file);
    else
        json_dumpf(value, file, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (json_is_number(value) && is_time(section, key))
        fputs("ps", file);
    fputc('\n', file);
}

/* Members of a core but for its trace. */
static void write_core(FILE *file, unsigned depth, json_t *core)
{
    const char *key;
    json_t *value;

    json_object_foreach(core, key, value) {
        if (strcmp(key, "trace") != 0)
            write_member(file, depth, "cpu", key, value);
    }
}

/* The cores of a case use the addresses of their traces as they are. */
static void write_cores(FILE *file, json_t *cores)
{
    size_t index;
    json_t *core;

    fputs("cpu:\n", file);
    if (json_array_size(cores) == 1) {
        write_core(file, 1, json_array_get(cores, 0));
        return;
    }
    fputs("  share: yes\ncores:\n", file);
    json_array_foreach(cores, index, core) {
        fputs("  -\n", file);
        write_core(file, 2, core);
    }
}

static void write_memories(FILE *file, json_t *memories)
{
    size_t index;
    json_t *memory;

    fputs("memories:\n", file);
    json_array_foreach(memories, index, memory) {
        fputs("  -\n", file);
        write_object(file, 2, "memory", memory);
    }
}

/* A level that the case does not have must say so: the default system may have it. */
static void write_cache(FILE *file, const char *key, json_t *value)
{
    if (json_is_null(value))
        fprintf(file, "%s: none\n", key);
    else
        write_member(file, 0, "", key, value);
}

void case_write_yaml(const struct replay_case *of, FILE *file)
{
    json_t *const size = json_object_get(of->json, "memory_size");
    const char *key;
    json_t *value;

    json_object_foreach(of->json, key, value) {
        if (strcmp(key, "name") == 0 || strcmp(key, "reference") == 0 || strcmp(key, "memory_size") == 0)
            continue;
        if (strcmp(key, "exit") == 0) {
            fprintf(file, "exit_first_core: %s\n",
                    json_is_string(value) && strcmp(json_string_value(value), "first_core") == 0 ? "true" : "false");
        } else if (strcmp(key, "cores") == 0) {
            write_cores(file, value);
        } else if (strcmp(key, "memories") == 0) {
            if (json_is_array(value))
                write_memories(file, value);
        } else if (strcmp(key, "l2") == 0 || strcmp(key, "l3") == 0) {
            write_cache(file, key, value);
        } else {
            write_member(file, 0, "", key, value);
            if (strcmp(key, "memory") == 0 && json_is_object(value))
                write_member(file, 1, "memory", "size", size);
        }
    }
}
