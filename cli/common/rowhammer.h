/* RowHammer figures as a table for people and as JSON: how often rows were activated, which bits may flip, what
 * defences cost. */
#ifndef CLI_COMMON_ROWHAMMER_H
#define CLI_COMMON_ROWHAMMER_H

#include <stdio.h>

#include "base/json.h"
#include "memsys/command/cmd_rowhammer.h"

/* Prints nothing if no rows were counted. */
void rowhammer_print(FILE *to, const struct cmd_rowhammer *figures);
/* The same as the member "rowhammer" of an object that is open. */
void rowhammer_put(struct json *json, const struct cmd_rowhammer *figures);

#endif
