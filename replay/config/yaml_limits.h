/* How large and how deep a YAML document may be, before libyaml makes nodes of it: its time grows with the square of
 * the depth, ours with that of the keys of a mapping. Files made by hand or by `config show` stay far below.
 *
 * Ownership: nothing is kept. Faults: FAULT_INPUT with the line; what is no YAML is left to who loads it. */
#ifndef REPLAY_CONFIG_YAML_LIMITS_H
#define REPLAY_CONFIG_YAML_LIMITS_H

#include <stddef.h>

#include "base/fault.h"

enum { YAML_DEEPEST = 32, YAML_MOST_NODES = 20000, YAML_MOST_KEYS = 4000 };    /* keys: of one mapping */

/* `name`: of the file, for faults. */
struct fault yaml_limits_check(const char *name, const char *text, size_t length);

#endif
