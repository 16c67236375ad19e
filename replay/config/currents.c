/* Whose currents a memory has, and the conditions at which they were measured: those of the device, whatever single
 * times the user changes. */
#include "replay/config/currents.h"

#include <stdio.h>
#include <string.h>

#include "memsys/command/cmd_ctrl.h"
#include "memsys/dram/memory_params.h"
#include "replay/config/command_device.h"
#include "replay/config/config_internal.h"
#include "replay/config/device.h"
#include "replay/config/tables.h"
#include "replay/config/units.h"

static const struct energy_params no_currents;

/* ---- values */
const char *currents_assign(struct energy_params *params, const char *key, const char *text, char *expected,
                            size_t size)
{
    for (size_t i = 0; i < currents_param_table.count; i++) {
        const struct param_info *const info = &currents_param_table.rows[i];
        uint64_t value;
        double unused;
        const char *problem;

        if (strcmp(info->key, key) != 0)
            continue;
        units_expected(info->unit, expected, size);
        problem = units_parse(info->unit, text, &value, &unused);
        if (problem)
            return problem;
        memcpy((char *)params + info->offset, &value, sizeof value);
        if (value <= info->highest)
            return NULL;
        units_format(info->unit, info->highest, 0, expected, size);
        return "is out of range; give up to";
    }
    snprintf(expected, size, "datasheet, organization, rate, VDD, IDD0 or another key of memory.currents");
    return "is unknown; give";
}

struct fault config_assign_datasheet(struct memory_params *memory, const char *full, const char *text,
                                     const char *where)
{
    size_t const length = strlen(text);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == '"' || text[i] == '\\')
            return fault_make(FAULT_INPUT, "%s: %s: the name of a data sheet is one line without quotes and "
                              "backslashes", where, full);
    if (length >= sizeof memory->datasheet)
        return fault_make(FAULT_INPUT, "%s: %s: a name of %zu bytes; give one of up to %zu", where, full, length,
                          sizeof memory->datasheet - 1);
    memset(memory->datasheet, 0, sizeof memory->datasheet);
    memcpy(memory->datasheet, text, length);
    return fault_none();
}

bool config_has_currents(const struct memory_params *memory)
{
    return memcmp(&memory->currents, &no_currents, sizeof no_currents) != 0;
}

/* The user's values over the device's. */
static struct fault finish(struct memory_params *memory, struct energy_params params, const char *datasheet,
                           const struct energy_conditions *conditions, const char *path)
{
    char section[CONFIG_PATH_TEXT + 16];

    if (config_has_currents(memory))
        datasheet = *memory->datasheet ? memory->datasheet : "memory.currents";
    for (size_t i = 0; i < currents_param_table.count; i++) {
        size_t const offset = currents_param_table.rows[i].offset;
        uint64_t given;

        memcpy(&given, (const char *)&memory->currents + offset, sizeof given);
        if (given)
            memcpy((char *)&params + offset, &given, sizeof given);
    }
    snprintf(section, sizeof section, "%s.currents", path);
    memset(memory->energy_source, 0, sizeof memory->energy_source);
    FORWARD(energy_device_init(&memory->energy, &params, conditions, section));
    if (memory->energy.is_known)
        snprintf(memory->energy_source, sizeof memory->energy_source, "%s", datasheet);
    return fault_none();
}

/* ---- gem5's controller */
struct energy_conditions currents_conditions(const struct dram_params *measured, const struct dram_params *dram)
{
    return (struct energy_conditions){
        .tRAS_ps = measured->tRAS_ps, .tRP_ps = measured->tRP_ps, .tBURST_ps = measured->tBURST_ps,
        .tRFC_ps = measured->tRFC_ps,
        .tREFI_ps = measured->tREFI_ps == PARAM_MISSING ? dram->tREFI_ps : measured->tREFI_ps,
        .chips = dram->devices_per_rank, .pins = dram->device_bus_width_bits};
}

struct fault config_finish_energy(const struct system_config *config, struct memory_params *memory, const char *path)
{
    struct energy_conditions const conditions = currents_conditions(&memory->of_device, &memory->dram);
    char datasheet[ENERGY_SOURCE_TEXT];
    struct energy_params currents;
    struct fault fault;

    FORWARD(config_device_currents(memory->device, &currents, datasheet));
    if (FAILS(fault, finish(memory, currents, datasheet, &conditions, path)))
        return config_faulty(config, fault);
    return fault_none();
}

/* ---- DRAM command by command */

/* ps of the first of these timings that the standard has. */
static uint64_t time_of(const struct cmd_spec *spec, const char *const *names)
{
    for (; *names; names++) {
        int64_t ticks;

        if (cmd_spec_timing(spec, *names, &ticks) && ticks > 0)
            return (uint64_t)ticks * (uint64_t)spec->ck_ps / spec->standard->ticks_per_ck;
    }
    return 0;
}

static struct energy_conditions conditions_of(const struct cmd_spec *measured, const struct cmd_spec *spec,
                                              bool has_check_chips)
{
    static const char *const row[] = {"nRAS", NULL}, *const closing[] = {"nRP", "nRPpb", NULL};
    static const char *const refresh[] = {"nRFC", "nRFCab", NULL}, *const interval[] = {"nREFI", NULL};
    uint64_t const rate = max_u64((uint64_t)cmd_spec_time(measured, "rate"), 1);

    return (struct energy_conditions){
        .tRAS_ps = time_of(measured, row), .tRP_ps = time_of(measured, closing),
        .tBURST_ps = UINT64_C(1000000) * measured->standard->prefetch / rate, .tRFC_ps = time_of(measured, refresh),
        .tREFI_ps = time_of(measured, interval),
        .chips = max_u64((uint64_t)(spec->channel_width / (spec->dq > 0 ? spec->dq : 1)), 1),
        .pins = (uint64_t)(spec->dq > 0 ? spec->dq : 1),
        .check_chips = has_check_chips ? cmd_ecc_sideband_chips(spec) : 0,
        .check_pins = has_check_chips ? cmd_ecc_check_bits(spec) : 0};
}

static const struct cmd_currents *currents_of(const struct cmd_spec *spec)
{
    const struct cmd_standard *const standard = spec->standard;

    for (size_t i = standard->currents_count; i-- > 0;)      /* a file's own before those of what it extends */
        if (strcmp(standard->currents[i].organization, spec->organization) == 0
            && standard->currents[i].rate == cmd_spec_time(spec, "rate"))
            return &standard->currents[i];
    return NULL;
}

struct fault config_finish_command_energy(struct memory_params *memory, const struct command_device *device,
                                          const char *path)
{
    const struct cmd_spec *const spec = &device->spec;
    const struct cmd_currents *currents;
    struct energy_conditions conditions;
    struct cmd_spec measured;
    struct fault fault;

    FORWARD(cmd_spec_make(&measured, &device->standard, spec->organization, spec->timing, (struct cmd_overrides){0},
                          false, false));
    currents = currents_of(&measured);
    conditions = conditions_of(&measured, spec, memory->command.ecc == COMMAND_ECC_SIDEBAND);
    fault = finish(memory, currents ? *currents->params : no_currents, currents ? currents->datasheet : "",
                   &conditions, path);
    cmd_spec_free(&measured);
    return fault;
}
