/* Names of components: "cpu13.l1d" is private to core 13 of several cores, so that a sorted list keeps the components
 * of a core together. A shared component has a name of its own, "l3", with a number if there are several:
 * "mem_ctrls0". Numbers have as many digits as the last one's. replay/system/system_build.c makes these names.
 *
 * The reference calls such a component "l1d13"; so do the event log, and recordings that were made before ours were. */
#ifndef MEMSYS_TELEMETRY_NAMES_H
#define MEMSYS_TELEMETRY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/telemetry/telemetry.h"

enum { TELEMETRY_NAME = 80 };

/* The part behind "cpu13."; the name itself, if it does not begin so. */
const char *telemetry_name_own(const char *name);

/* The reference's name: "l1d13" of "cpu13.l1d". False: it is the same. */
bool telemetry_name_reference(const char *name, char reference[TELEMETRY_NAME]);

/* The component of that name, ours or the reference's, whichever the layout has; TELEMETRY_NONE without one. */
uint32_t telemetry_named(const struct telemetry *layout, const char *name);

/* The common part of the names of one kind, borrowed from the name: "l1d" of "cpu13.l1d" and of "l1d13", "cpu" of
 * "cpu13". The answer is its length. */
size_t telemetry_name_kind(const char *name, const char **kind);

#endif
