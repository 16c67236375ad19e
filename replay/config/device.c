/* Names and files of DRAM devices, and the values that a memory takes from one (device.h). A memory's device has a
 * name: that of a shipped device, or of the user's own file without folder and ending. A name of a shipped device
 * always means its shipped values, so results that name it can be compared. */
#include "replay/config/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "base/path.h"
#include "replay/config/config_internal.h"
#include "replay/config/config_text.h"
#include "replay/config/system_config.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

const char *config_device_name(size_t index)
{
    return shipped_device_at(index);
}

static bool is_shipped(const char *name)
{
    for (size_t i = 0; shipped_device_at(i); i++)
        if (strcmp(shipped_device_at(i), name) == 0)
            return true;
    return false;
}

bool config_is_device_file(const char *text)
{
    return strchr(text, '/') || text_ends_in(text, ".yaml") || text_ends_in(text, ".yml");
}

bool config_is_own_device(const char *text)
{
    size_t const length = strlen(text);

    return length > 0 && length < sizeof ((struct memory_params *)0)->device && strspn(text, letters) == length
        && !config_is_device_file(text) && !is_shipped(text);
}

/* ---- parameters of the controller's policy */
#define POLICY_FIELDS(F)                                                                                              \
    F(read_buffer_size) F(write_buffer_size) F(page_policy) F(addr_mapping) F(bank_hash)                              \
    F(max_accesses_per_row) F(enable_dram_powerdown)

void config_copy_dram_policy(struct dram_params *to, const struct dram_params *from)
{
#define COPY(field) to->field = from->field;
    POLICY_FIELDS(COPY)
}

bool config_is_dram_policy(const char *key)
{
#define NAME(field) #field,
    static const char *const names[] = {POLICY_FIELDS(NAME)};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(key, names[i]) == 0)
            return true;
    return false;
}

/* ---- files */
struct device_file {
    struct dram_params dram;
    struct energy_params currents;
    char datasheet[ENERGY_SOURCE_TEXT];
};

static struct fault device_read_file(struct device_file *file, const char *path)
{
    struct system_config *const config = calloc(1, sizeof *config);
    struct fault fault;

    if (!config)
        return fault_make(FAULT_MEMORY, "%s: out of memory while reading it", config_quote(path).text);
    config->memory_count = 1;
    fault = config_load_device(config, path);
    memset(file, 0, sizeof *file);
    file->dram = config->memories[0].dram;
    file->currents = config->memories[0].currents;
    memcpy(file->datasheet, config->memories[0].datasheet, sizeof file->datasheet);
    free(config);
    return fault;
}

static struct fault read_shipped(struct device_file *file, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, SHIPPED_FOLDER "dram/%.200s.yaml", name);
    return device_read_file(file, path);
}

struct fault config_device_read(struct dram_params *dram, const char *name)
{
    struct device_file file;
    struct fault const fault = read_shipped(&file, name);

    *dram = file.dram;
    return fault;
}

struct fault config_device_currents(const char *name, struct energy_params *currents, char *datasheet)
{
    struct device_file file = {0};

    if (is_shipped(name))
        FORWARD(read_shipped(&file, name));
    *currents = file.currents;
    memcpy(datasheet, file.datasheet, sizeof file.datasheet);
    return fault_none();
}

static struct fault unknown(const char *full, const char *name, const char *where)
{
    struct nearest nearest = nearest_to(name);
    char question[300];

    for (size_t i = 0; shipped_device_at(i); i++)
        nearest_offer(&nearest, shipped_device_at(i));
    nearest_question(&nearest, question, sizeof question);
    return fault_make(FAULT_INPUT, "%s: %s: unknown device \"%s\"%s `rubato config keys` lists all devices; a file "
                      "goes by its path, such as ./mine.yaml", where, full, config_quote(name).text,
                      *question ? question : ";");
}

/* The name of a user's own device: that of its file. */
static struct fault device_name_of(const char *path, const char *full, const char *where, char *name, size_t size)
{
    const char *const base = path_name(path);
    const char *const point = strrchr(base, '.');
    size_t const length = point && point != base ? (size_t)(point - base) : strlen(base);

    if (length == 0 || length >= size || strspn(base, letters) < length)
        return fault_make(FAULT_INPUT, "%s: %s: %s: a file of a device has a name of up to %zu letters, digits, _ and "
                          "- before its ending; rename it", where, full, config_quote(base).text, size - 1);
    memset(name, 0, size);
    memcpy(name, base, length);
    return fault_none();
}

static struct fault read_own(struct device_file *file, const char *path, const char *full, const char *where,
                             char *name, size_t size)
{
    struct stat status;
    struct device_file shipped;

    FORWARD(device_name_of(path, full, where, name, size));
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return fault_make(FAULT_INPUT, "%s: %s: %s: no such file; expected one with the keys of memory.dram, or the "
                          "name of a device that `rubato config keys` lists", where, full, config_quote(path).text);
    FORWARD(device_read_file(file, path));
    if (!is_shipped(name))
        return fault_none();
    FORWARD(read_shipped(&shipped, name));
    if (memcmp(&shipped.dram, &file->dram, sizeof shipped.dram) == 0
        && memcmp(&shipped.currents, &file->currents, sizeof shipped.currents) == 0)
        return fault_none();
    return fault_make(FAULT_INPUT, "%s: %s: %s: has the name of a shipped device and other values; rename it", where,
                      full, config_quote(path).text);
}

struct fault config_assign_device(struct memory_params *memory, const char *full, const char *text, const char *where)
{
    char name[sizeof memory->device] = "";
    struct device_file file;

    if (config_is_device_file(text)) {
        FORWARD(read_own(&file, text, full, where, name, sizeof name));
    } else if (!is_shipped(text)) {
        return unknown(full, text, where);
    } else if (strcmp(memory->device, text) == 0) {
        memory->has_policy = true;
        return fault_none();
    } else {
        snprintf(name, sizeof name, "%s", text);
        FORWARD(read_shipped(&file, text));
    }
    memcpy(memory->device, name, sizeof name);
    memory->of_device = file.dram;
    if (memory->policy == DEVICE_POLICY_SYSTEM && memory->has_policy)
        config_copy_dram_policy(&file.dram, &memory->dram);
    memory->dram = file.dram;
    memset(&memory->currents, 0, sizeof memory->currents);
    memset(memory->datasheet, 0, sizeof memory->datasheet);
    if (!is_shipped(name)) {             /* the values of a name that is not shipped stand beside it */
        memory->currents = file.currents;
        memcpy(memory->datasheet, file.datasheet, sizeof file.datasheet);
    }
    memory->has_policy = true;
    return fault_none();
}

void config_name_own_device(struct memory_params *memory, const char *name)
{
    memset(memory->device, 0, sizeof memory->device);
    snprintf(memory->device, sizeof memory->device, "%s", name);
    memory->has_policy = true;
}
