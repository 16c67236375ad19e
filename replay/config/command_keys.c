/* Keys of a memory of DRAM commands that are in no table: names of standard, presets and defences, and overrides, whose
 * keys are the standard's own words. Whether the standard has such a preset or timing is known when the configuration
 * is finished (command_device.c). */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "memsys/dram/memory_params.h"
#include "replay/config/command_standard.h"
#include "replay/config/config_internal.h"
#include "replay/config/device.h"
#include "replay/config/tables.h"
#include "replay/config/units.h"

enum { MOST_CK = 1 << 24 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

#define WORD(kind, word) word,
static const char *const defences[] = {CMD_MITIGATION_KINDS(WORD)};
enum { DEFENCES = sizeof defences / sizeof *defences };

static bool is_shipped_standard(const char *text)
{
    char name[32];

    for (size_t i = 0; command_standard_name(i, name); i++)
        if (strcmp(name, text) == 0)
            return true;
    return false;
}

static struct fault assign_standard(struct command_memory_params *device, const char *full, const char *text,
                                    const char *where)
{
    struct nearest nearest = nearest_to(text);
    char name[32], question[300];
    struct stat status;

    if (strlen(text) >= sizeof device->standard)
        return fault_make(FAULT_INPUT, "%s: %s: a path of %zu bytes; give one of up to %zu", where, full, strlen(text),
                          sizeof device->standard - 1);
    if (config_is_device_file(text) && (stat(text, &status) != 0 || !S_ISREG(status.st_mode)))
        return fault_make(FAULT_INPUT, "%s: %s: %s: no such file; expected one as those of configs/dram/command/",
                          where, full, config_quote(text).text);
    if (!config_is_device_file(text) && !is_shipped_standard(text)) {
        for (size_t i = 0; command_standard_name(i, name); i++)
            nearest_offer(&nearest, name);
        nearest_question(&nearest, question, sizeof question);
        return fault_make(FAULT_INPUT, "%s: %s: unknown standard \"%s\"%s `rubato config keys` lists all standards; a "
                          "file goes by its path, such as ./mine.yaml", where, full, config_quote(text).text,
                          *question ? question : ";");
    }
    memset(device->standard, 0, sizeof device->standard);
    strcpy(device->standard, text);
    return fault_none();
}

static struct fault assign_preset(char preset[COMMAND_PRESET_TEXT], const char *full, const char *text,
                                  const char *where)
{
    size_t const length = strlen(text);

    if (length == 0 || length >= COMMAND_PRESET_TEXT || strspn(text, letters) != length)
        return fault_make(FAULT_INPUT, "%s: %s: \"%s\" is no name of a preset; give one of the standard's file, of "
                          "up to %d letters, digits, _, . and -, or auto", where, full, config_quote(text).text,
                          COMMAND_PRESET_TEXT - 1);
    memset(preset, 0, COMMAND_PRESET_TEXT);
    if (strcmp(text, "auto") != 0)
        memcpy(preset, text, length);
    return fault_none();
}

/* "[PARA, RFM]", "PARA,RFM" or "none" */
static struct fault assign_mitigations(struct command_memory_params *device, const char *full, const char *text,
                                       const char *where)
{
    struct command_memory_params made = *device;
    char word[32];

    made.mitigation_count = 0;
    memset(made.mitigations, 0, sizeof made.mitigations);
    for (const char *at = text; *at;) {
        size_t const length = strcspn(at, ", []");
        unsigned kind = 0;

        snprintf(word, sizeof word, "%.*s", (int)length, at);
        while (kind < DEFENCES && strcmp(word, defences[kind]) != 0)
            kind++;
        if (length > 0 && kind == DEFENCES && strcmp(word, "none") != 0)
            return fault_make(FAULT_INPUT, "%s: %s: unknown defence \"%s\"; give none or some of PARA, Graphene, "
                              "OracleRH, TWiCe, Hydra, RRS, AQUA, RFM, HynixTRR, SamsungTRR, IdealTRR (PRAC and "
                              "BlockHammer are values of memory.command.controller)", where, full,
                              config_quote(word).text);
        for (size_t i = 0; length > 0 && i < made.mitigation_count; i++)
            if (made.mitigations[i] == kind)
                return fault_make(FAULT_INPUT, "%s: %s: %s is given twice; leave one out", where, full, word);
        if (length > 0 && kind < DEFENCES && made.mitigation_count == CMD_MOST_MITIGATIONS)
            return fault_make(FAULT_INPUT, "%s: %s: more than %d; leave some out", where, full, CMD_MOST_MITIGATIONS);
        if (length > 0 && kind < DEFENCES)
            made.mitigations[made.mitigation_count++] = kind;
        at += length ? length : 1;
    }
    *device = made;
    return fault_none();
}

struct fault config_assign_command(struct memory_params *memory, const char *key, const char *full, const char *text,
                                   const char *where)
{
    struct command_memory_params *const device = &memory->command_device;

    if (strcmp(key, "standard") == 0)
        return assign_standard(device, full, text, where);
    if (strcmp(key, "mitigation") == 0)
        return assign_mitigations(device, full, text, where);
    return assign_preset(strcmp(key, "timing") == 0 ? device->timing : device->organization, full, text, where);
}

void config_mitigations_text(const struct memory_params *memory, char text[CONFIG_MITIGATIONS_TEXT])
{
    const struct command_memory_params *const device = &memory->command_device;
    char *at = text;

    *text = '\0';
    for (size_t i = 0; i < device->mitigation_count; i++) {
        at = config_append(at, text + CONFIG_MITIGATIONS_TEXT, i ? ", " : "[");
        at = config_append(at, text + CONFIG_MITIGATIONS_TEXT, defences[device->mitigations[i]]);
    }
    config_append(at, text + CONFIG_MITIGATIONS_TEXT, device->mitigation_count ? "]" : "none");
}

const char *config_preset_text(const char *preset)
{
    return *preset ? preset : "auto";
}

bool config_mitigation_has(const struct memory_params *memory, const char *key)
{
    const struct command_memory_params *const device = &memory->command_device;

    for (size_t i = 0; i < device->mitigation_count; i++) {
        const char *const name = defences[device->mitigations[i]];

        if (strncmp(key, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

/* ---- overrides */
const struct command_override *config_override_find(const struct memory_params *memory, const char *key)
{
    const struct command_memory_params *const device = &memory->command_device;

    for (size_t i = 0; i < device->override_count; i++)
        if (strcmp(device->overrides[i].name, key) == 0)
            return &device->overrides[i];
    return NULL;
}

static struct command_override *make_override(struct command_memory_params *device, const char *key)
{
    size_t place = device->override_count;

    for (; place > 0 && strcmp(device->overrides[place - 1].name, key) > 0; place--)
        device->overrides[place] = device->overrides[place - 1];
    device->override_count++;
    memset(&device->overrides[place], 0, sizeof device->overrides[place]);
    strcpy(device->overrides[place].name, key);
    return &device->overrides[place];
}

static void remove_override(struct command_memory_params *device, const char *key)
{
    size_t kept = 0;

    for (size_t i = 0; i < device->override_count; i++)
        if (strcmp(device->overrides[i].name, key) != 0)
            device->overrides[kept++] = device->overrides[i];
    for (size_t i = kept; i < device->override_count; i++)
        memset(&device->overrides[i], 0, sizeof device->overrides[i]);
    device->override_count = kept;
}

struct fault config_assign_override(struct memory_params *memory, const char *key, const char *full, const char *text,
                                    const char *where)
{
    struct command_memory_params *const device = &memory->command_device;
    uint64_t value;
    double unused;
    const char *problem;

    if (strlen(key) >= COMMAND_OVERRIDE_TEXT || strspn(key, letters) != strlen(key))
        return fault_make(FAULT_INPUT, "%s: %s: is no word of a standard; give a timing such as nRCD, a level such as "
                          "rank, or channel_width", where, full);
    if (strcmp(text, "auto") == 0) {
        remove_override(device, key);
        return fault_none();
    }
    problem = units_parse(UNIT_COUNT, text, &value, &unused);
    if (problem)
        return fault_make(FAULT_INPUT, "%s: %s: \"%s\" %s; give a number of CK (of nodes, of bits), or auto for the "
                          "preset's", where, full, config_quote(text).text, problem);
    if (value < 1 || value > MOST_CK)
        return fault_make(FAULT_INPUT, "%s: %s: %s is out of range; give 1 to %d", where, full, config_quote(text).text,
                          MOST_CK);
    if (!config_override_find(memory, key) && device->override_count == COMMAND_MOST_OVERRIDES)
        return fault_make(FAULT_INPUT, "%s: %s: more than %d overrides; write a standard's file with a preset of its "
                          "own", where, full, COMMAND_MOST_OVERRIDES);
    if (!config_override_find(memory, key))
        make_override(device, key);
    for (size_t i = 0; i < device->override_count; i++)
        if (strcmp(device->overrides[i].name, key) == 0)
            device->overrides[i].value = value;
    return fault_none();
}

void config_forget_command(struct memory_params *memory)
{
    struct memory_params fresh;

    config_memory_defaults(&fresh, true);
    memory->command_device = fresh.command_device;
    memory->command = fresh.command;
    memory->mitigation = fresh.mitigation;
    memory->refresh = fresh.refresh;
}
