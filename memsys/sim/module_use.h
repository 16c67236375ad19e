/* A module that a user has loaded (include/rubato_policy.h), and the values of its parameters. The model calls its
 * functions and knows no file; replay/config/ loads it. */
#ifndef MEMSYS_SIM_MODULE_USE_H
#define MEMSYS_SIM_MODULE_USE_H

#include "include/rubato_policy.h"

struct module_tap;

/* Which core an instance belongs to, of a part that each core has. */
struct module_where {
    const void *system;                  /* tells systems apart; NULL: of none */
    uint32_t core, cores;                /* cores 0: not known */
};

struct module_use {
    const struct rubato_module *module;  /* NULL: none */
    union rubato_value values[RUBATO_MOST_PARAMETERS];
    const struct module_tap *tap;        /* of replay/modules/, if `module` records the calls of another one */
};

/* Adds the module's statistics to the present group as "module.NAME". */
struct stats;
void module_add_stats(const struct rubato_module *module, const uint64_t *counters, struct stats *stats);

/* Random numbers of an instance: a step of a generator of one word (Steele, Lea, Flood: "Fast splittable pseudorandom
 * number generators", OOPSLA 2014). */
static inline uint64_t module_random(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

#endif
