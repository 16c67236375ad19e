#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/config/config_lines.h"
#include "replay/config/config_values.h"
#include "replay/config/units.h"
#include "replay/cost/system_cost.h"

/* Of text: three digits that count. Of the total only area and leakage are sums. */
static struct table_column const columns[] = {
    {.name = "component", .heading = "component", .width = -22},
    {.name = "instances", .heading = "x", .width = 3},
    {.name = "bytes", .data_digits = 0},
    {.heading = "size", .width = 10},
    {.name = "area_mm2", .heading = "mm2", .width = 10, .text_digits = -3, .data_digits = -6},
    {.name = "leakage_mw", .heading = "mW", .width = 10, .text_digits = -3, .data_digits = -6},
    {.name = "read_pj", .heading = "pJ a read", .width = 10, .text_digits = -3, .data_digits = -6},
    {.name = "write_pj", .heading = "a write", .width = 10, .text_digits = -3, .data_digits = -6},
    {.name = "access_ns", .heading = "ns", .width = 8, .text_digits = -3, .data_digits = -6},
    {.name = "latency_ns", .heading = "latency", .width = 8, .text_digits = -3, .data_digits = -6},
    {.name = "doubt", .heading = ""}
};

struct costs {
    const struct system_cost *cost;
};

static void put_component(struct table_writer *writer, const struct cost_component *component)
{
    char size[UNITS_TEXT];

    units_format(UNIT_BYTES, (uint64_t)(component->bytes + 0.5), 0, size, sizeof size);
    table_word(writer, component->name);
    table_count(writer, component->instances);
    table_real(writer, component->bytes);
    table_word(writer, size);
    table_real(writer, component->instances * component->cost.area_mm2);
    table_real(writer, component->instances * component->cost.leakage_mw);
    table_real(writer, component->cost.read_pj);
    table_real(writer, component->kind == COST_CACHE ? component->fill_pj : component->cost.write_pj);
    table_real(writer, component->cost.access_ns);
    if (component->latency_ps > 0)
        table_real(writer, (double)component->latency_ps * 1e-3);
    else
        table_skip(writer);
    table_word(writer, cost_is_doubtful(component) ? "doubtful" : "");
    table_end_row(writer);
}

static void put_total(struct table_writer *writer, const struct system_cost *cost)
{
    if (writer->form != TABLE_TEXT)
        return;
    table_word(writer, "all");
    table_word(writer, "");
    table_skip(writer);
    table_word(writer, "");
    table_real(writer, cost->area_mm2);
    table_real(writer, cost->leakage_mw);
    table_end_row(writer);
}

static void put_costs(const void *context, struct table_writer *writer)
{
    const struct costs *const costs = context;

    for (size_t i = 0; i < costs->cost->count; i++)
        put_component(writer, &costs->cost->list[i]);
    put_total(writer, costs->cost);
}

static void print_notes(const struct system_cost *cost)
{
    printf("\nmm2 and mW are of all instances, energies of an access to one; a cache's write is of a line.\n");
    for (size_t i = 0; i < cost->count; i++)
        if (cost_is_doubtful(&cost->list[i]))
            printf("%s is doubtful: it answers after %u cycles, %.3g ns, but its SRAM needs %.3g ns at %s.\n",
                   cost->list[i].name, cost->list[i].latency_cyc, (double)cost->list[i].latency_ps * 1e-3,
                   cost->list[i].cost.access_ns, cost->node->name);
    for (size_t i = 0; i < cost->note_count; i++)
        printf("%s%s%s", i ? "; " : "Not covered: ", cost->notes[i], i + 1 == cost->note_count ? ".\n" : "");
}

int config_cost_print(const struct system_config *config, enum table_form form)
{
    enum technology const wanted = config_technology(config);
    enum technology const technology = wanted == TECHNOLOGY_NONE ? TECHNOLOGY_22 : wanted;
    struct system_cost *const cost = malloc(sizeof *cost);
    struct costs const costs = {cost};
    struct table const table = TABLE_OF(columns, put_costs, &costs);
    bool is_fine = cost != NULL;

    if (cost) {
        system_cost_make(cost, config, technology);
        if (form == TABLE_TEXT)
            printf("%s at %s, %.3g V\n\n", config_name(config), cost->node->name, cost->node->vdd);
        is_fine = table_print(stdout, form, &table);
        if (is_fine && form == TABLE_TEXT)
            print_notes(cost);
    }
    free(cost);
    return is_fine ? CLI_OK : cli_fail_text("out of memory");
}
