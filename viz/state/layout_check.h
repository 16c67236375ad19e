/* Whether a layout of samples that comes from outside, of a recording or of a run of another process, is one that the
 * view can show: it finds figures by part and name, and takes for granted how many values each of them has.
 *
 * Use: layout_check once, before a layout is given to view_add_run or shown as text. Layouts of runs in this process
 * need none. What any layout must have, replay/record/telemetry_text.h checks.
 * Errors: FAULT_INPUT names component and field, what was expected and what was found. */
#ifndef VIZ_STATE_LAYOUT_CHECK_H
#define VIZ_STATE_LAYOUT_CHECK_H

#include "memsys/telemetry/telemetry.h"

struct fault layout_check(const struct telemetry *layout);

#endif
