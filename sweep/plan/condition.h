/* Conditions: "l2.size < 2 * l1d.size and l2.prefetcher == stride", for points to skip and for results to list.
 *
 *     condition   = all { "or" all }              all = one { "and" one }
 *     one         = "not" one | "(" condition ")" | sum comparison sum
 *     comparison  = "<" "<=" ">" ">=" "==" "!="
 *     sum         = product { "+" product | "-" product }
 *     product     = value { "*" value | "/" value }
 *     value       = NAME | NUMBER with its unit | WORD | "text" | "(" sum ")"
 *
 * Names are what the caller knows: keys of a configuration, columns of results. On the right of a comparison, a word
 * that is no name is a text, unless both sides have a point, as keys have. "-" and "/" need a space before them, as
 * names and units hold them. What does not compare (a cache that is not there with a size) is equal to nothing and
 * neither less nor greater.
 *
 * Use: condition_parse, condition_holds for each point. Ownership: a condition lives in the caller's arena. */
#ifndef SWEEP_PLAN_CONDITION_H
#define SWEEP_PLAN_CONDITION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/fault.h"
#include "sweep/plan/quantity.h"

struct condition;

/* `where` begins the faults, and is copied. */
struct fault condition_parse(struct condition **made, struct arena *arena, const char *text, const char *where);

/* The words that a column is compared with by == or !=, as they are written: NAME == WORD, NAME == "text". `visit`
 * answers whether it wants the next. A word may be a name, which the caller knows. */
void condition_visit_words(const struct condition *condition,
                           bool (*visit)(void *context, const char *name, const char *word), void *context);

struct condition_names {
    /* FAULT_INPUT: an unknown name where a name is required. */
    struct fault (*find)(void *self, const char *name, const char *where, struct quantity *value);
    void *self;
};

struct fault condition_holds(const struct condition *condition, const struct condition_names *names, bool *holds);

#endif
