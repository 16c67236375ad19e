#include "sweep/plan/price.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "replay/config/config.h"
#include "replay/config/config_internal.h"
#include "replay/config/config_values.h"

#define PS_PER_SECOND 1e12

struct pricing {
    const struct system_config *config;
    const struct figures *figures;       /* NULL: metrics count 1 */
};

/* A clock that no whole number of ps is the period of is written as its period. */
static bool is_clock(const struct system_config *config, const char *key, const char *where)
{
    struct config_section section;
    const struct param_info *info;
    char copy[CONFIG_KEY_TEXT], *name;

    if (strlen(key) >= sizeof copy)
        return false;
    strcpy(copy, key);
    if (config_key_find(config, copy, where, &section, &name).kind != FAULT_NONE)
        return false;
    info = config_param_find(&section, name);
    return info && info->unit == UNIT_PERIOD;
}

static struct fault number_of_key(const struct system_config *config, const char *name, const char *where,
                                  struct quantity *value)
{
    char text[CONFIG_BEHIND_TEXT];

    FORWARD(config_get(config, name, where, text, sizeof text));
    *value = strcmp(text, "none") == 0 ? quantity_number(0) : quantity_of(text);
    if (value->kind == QUANTITY_WORD)
        return fault_make(FAULT_INPUT, "%s: cost: %s is %s, which is no number; take a key with a number, or a metric",
                          where, config_quote(name).text, config_quote(text).text);
    if (value->kind == QUANTITY_PS && value->number > 0 && is_clock(config, name, where)) {
        value->kind = QUANTITY_HERTZ;
        value->number = PS_PER_SECOND / value->number;
    }
    return fault_none();
}

/* The fault for a name that is neither key nor metric: that of the key, unless a metric is a slip away. */
static struct fault unknown_name(const char *name, const char *where, struct fault of_key)
{
    enum { SLIP = 2 };
    const struct metric *nearest = NULL;
    size_t count, least = SLIP + 1;

    for (const struct metric *list = metrics_table(&count), *metric = list; metric < list + count; metric++)
        if (metric->scope != METRIC_CACHE && name_distance(name, metric->name) < least) {
            least = name_distance(name, metric->name);
            nearest = metric;
        }
    return nearest ? fault_make(FAULT_INPUT, "%s: cost: %s: unknown metric; did you mean %s?", where,
                                config_quote(name).text, nearest->name) : of_key;
}

static struct fault channels_of(const struct system_config *config, const char *where, struct quantity *value)
{
    unsigned const count = config_memory_count(config);
    struct quantity one;
    char key[40];

    *value = quantity_number(0);
    for (unsigned i = 0; i < count; i++) {
        if (count == 1)
            snprintf(key, sizeof key, "memory.channels");
        else
            snprintf(key, sizeof key, "memories.%u.channels", i);
        FORWARD(number_of_key(config, key, where, &one));
        value->number += one.number;
    }
    return fault_none();
}

static struct fault price_find(void *self, const char *name, const char *where, struct quantity *value)
{
    const struct pricing *const pricing = self;
    const char *const metric = strcmp(name, "sram_mm2") == 0 ? "area_mm2" : name;

    if (strcmp(name, "cost") == 0)
        return fault_make(FAULT_INPUT, "%s: cost: is a part of itself; take other metrics", where);
    if (strcmp(name, "channel") == 0)
        return channels_of(pricing->config, where, value);
    if (strcmp(name, "core") == 0)
        return *value = quantity_number(config_core_count(pricing->config)), fault_none();
    if (!metrics_find(metric)) {
        struct fault const fault = number_of_key(pricing->config, name, where, value);

        return fault.kind == FAULT_INPUT ? unknown_name(name, where, fault) : fault;
    }
    *value = quantity_number(pricing->figures ? metrics_value(pricing->figures, metric) : 1);
    return fault_none();
}

struct fault price_of(const struct condition *const *amounts, size_t count, const struct system_config *config,
                      const struct figures *figures, double *price)
{
    struct pricing pricing = {config, figures};
    struct condition_names const names = {price_find, &pricing};
    double one;

    *price = 0;
    for (size_t i = 0; i < count; i++) {
        FORWARD(amount_of(amounts[i], &names, &one));
        *price += one;
    }
    return fault_none();
}

double price_of_point(const struct condition *amount, const char *system, const char *name,
                      const struct figures *figures)
{
    struct system_config *const config = config_new();
    double price = NAN;

    if (!config)
        return NAN;
    config_defaults(config);
    if (config_load_text(config, name, system, strlen(system)).kind != FAULT_NONE
        || config_finish(config).kind != FAULT_NONE || price_of(&amount, 1, config, figures, &price).kind != FAULT_NONE)
        price = NAN;
    free(config);
    return price;
}

bool price_term(const char *name, const char *price, char *text, size_t size)
{
    size_t const number = strcspn(price, " ");
    const char *const per = price + number + strspn(price + number, " ");
    const char *const unit = strncmp(per, "per ", 4) == 0 ? per + 4 : "";
    char amount[80], whole[80];

    snprintf(amount, sizeof amount, "%.*s", number < sizeof amount ? (int)number : 0, price);
    snprintf(whole, sizeof whole, "%s%s", *unit >= '0' && *unit <= '9' ? "" : "1", unit);
    if (quantity_of(amount).kind != QUANTITY_NUMBER || (*per && !*unit)
        || (*unit && (quantity_of(whole).kind == QUANTITY_WORD || quantity_of(whole).number == 0)))
        return false;
    return snprintf(text, size, "%s * %s%s%s", amount, name, *unit ? " / " : "", *unit ? whole : "") < (int)size;
}
