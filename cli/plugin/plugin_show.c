/* What a module is: kinds, parameters, statistics. */
#include "cli/plugin/plugin_show.h"

#include <stdio.h>

#include "base/shared_object.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "include/rubato_policy.h"

static void print_kinds(const struct rubato_module *module)
{
    const struct { const void *is; const char *name; } kinds[] = {
        {module->prefetcher, "prefetcher"}, {module->replacement, "replacement policy"},
        {module->direction, "direction predictor"}, {module->btb, "branch target buffer"},
        {module->indirect, "predictor of indirect jumps"}
    };
    const char *between = " ";

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!kinds[i].is)
            continue;
        printf("%s%s", between, kinds[i].name);
        between = ", ";
    }
}

static void print_value(const struct rubato_parameter *parameter, const union rubato_value *value)
{
    if (parameter->type == RUBATO_NUMBER)
        printf("%g", value->number);
    else if (parameter->type == RUBATO_YES_NO)
        printf("%s", value->count ? "yes" : "no");
    else
        printf("%llu", (unsigned long long)value->count);
}

static void print_parameters(const struct rubato_module *module)
{
    for (uint32_t i = 0; i < module->parameter_count; i++) {
        const struct rubato_parameter *const parameter = &module->parameters[i];

        printf("%s\n  %-20s ", i == 0 ? "parameters" : "", parameter->name);
        print_value(parameter, &parameter->fallback);
        printf(" (");
        print_value(parameter, &parameter->lowest);
        printf(" to ");
        print_value(parameter, &parameter->highest);
        printf(")%s%s  %s", parameter->unit ? " " : "", parameter->unit ? parameter->unit : "",
               parameter->help ? parameter->help : "");
    }
    if (module->parameter_count)
        putchar('\n');
}

static void print_statistics(const struct rubato_module *module)
{
    for (uint32_t i = 0; i < module->statistic_count; i++)
        printf("%s  %-20s %s\n", i == 0 ? "statistics\n" : "", module->statistics[i].name,
               module->statistics[i].help ? module->statistics[i].help : "");
}

const struct rubato_module *plugin_load(const char *path, const char *name)
{
    struct shared_object object;
    struct fault const fault = shared_object_load(&object, path, "rubato_module", "a module of rubato");
    const struct rubato_module *const module = object.symbol;

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault), NULL;
    if (module->version != RUBATO_POLICY_VERSION || !module->name || module->bytes < sizeof *module) {
        cli_fail_text("%s: made for version %u of rubato_policy.h, or without a name or its size; this is version %d",
                      cli_shown(name), (unsigned)module->version, RUBATO_POLICY_VERSION);
        return NULL;
    }
    return module;
}

int plugin_show(const char *path, const char *name, bool is_brief)
{
    const struct rubato_module *const module = plugin_load(path, name);

    if (!module)
        return CLI_BAD_INPUT;
    printf("%s: %s:", cli_shown(name), cli_shown(module->name));
    print_kinds(module);
    if (is_brief) {
        printf("; %u parameters, %u statistics\n", module->parameter_count, module->statistic_count);
        return CLI_OK;
    }
    printf("\n%s%s", module->help ? module->help : "", module->help ? "\n" : "");
    print_parameters(module);
    print_statistics(module);
    return CLI_OK;
}
