/* Fields that nothing here names are shown element by element, whatever their count. */
#include "viz/state/layout_check.h"

#include <string.h>

/* What a field must have. Banks: as many values as the component's field "banks", if it has that. */
static const struct rule {
    enum telemetry_part part;
    const char *field;
    uint32_t least, most;                /* values */
    bool has_names, is_of_banks;
} rules[] = {
    {.part = TELEMETRY_MEMORY, .field = "bytes", .least = 2, .most = 2},
    {.part = TELEMETRY_CHANNEL, .field = "bytes", .least = 2, .most = 2},
    {.part = TELEMETRY_CACHE, .field = "demand", .least = 2, .most = UINT32_MAX},
    {.part = TELEMETRY_CORE, .field = "load_latency", .least = LATENCY_BIN_COUNT, .most = LATENCY_BIN_COUNT},
    {.part = TELEMETRY_GPU, .field = "load_latency", .least = LATENCY_BIN_COUNT, .most = LATENCY_BIN_COUNT},
    {.part = TELEMETRY_CORE, .field = "cycles", .least = 1, .most = UINT32_MAX, .has_names = true},
    {.part = TELEMETRY_SM, .field = "warps", .least = 1, .most = UINT32_MAX, .has_names = true},
    {.part = TELEMETRY_SM, .field = "stalls", .least = 1, .most = UINT32_MAX, .has_names = true},
    {.part = TELEMETRY_RANK, .field = "rows", .is_of_banks = true},
    {.part = TELEMETRY_RANK, .field = "reads", .is_of_banks = true},
    {.part = TELEMETRY_RANK, .field = "writes", .is_of_banks = true},
    {.part = TELEMETRY_RANK, .field = "activates", .is_of_banks = true},
    {.part = TELEMETRY_RANK, .field = "conflicts", .is_of_banks = true}
};

static struct fault check_field(const struct telemetry *layout, const struct telemetry_field *field,
                                const struct rule *rule)
{
    const char *const component = layout->components[field->component].name;
    const struct telemetry_field *const banks
        = rule->is_of_banks ? telemetry_find(layout, field->component, "banks") : NULL;
    uint32_t const least = banks ? banks->count : rule->least;
    uint32_t const most = banks ? banks->count : rule->is_of_banks ? UINT32_MAX : rule->most;

    if (field->count < least || field->count > most)
        return fault_make(FAULT_INPUT, "layout of samples: %.80s: field %s: expected %s%u values, found %u", component,
                          rule->field, most > least ? "at least " : "", least, field->count);
    if (rule->has_names && !field->element_names)
        return fault_make(FAULT_INPUT, "layout of samples: %.80s: field %s: expected names of its %u values, found "
                          "none", component, rule->field, field->count);
    return fault_none();
}

struct fault layout_check(const struct telemetry *layout)
{
    if (layout->component_count == 0)
        return fault_make(FAULT_INPUT, "layout of samples: expected at least 1 component, found none");
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct telemetry_field *const field = &layout->fields[i];
        enum telemetry_part const part = layout->components[field->component].part;

        for (size_t j = 0; j < sizeof rules / sizeof *rules; j++)
            if (rules[j].part == part && strcmp(rules[j].field, field->name) == 0)
                FORWARD(check_field(layout, field, &rules[j]));
    }
    return fault_none();
}
