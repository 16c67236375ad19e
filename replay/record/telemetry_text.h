/* The layout of samples as text (JSON), for recordings and for readers in other processes.
 *
 * One object: format, version, interval_ps, words, components (name, part, parent), links (from, to, field, element;
 * -1: none), fields (component, name, kind, unit, help, first, count; limit, elements, states where there are any). No
 * component has two fields of one name.
 *
 * Use: telemetry_text_write; or telemetry_text_read, look at `layout`, telemetry_text_free. A layout that was read has
 * no sources: telemetry_read is not for it.
 * Errors: FAULT_INPUT names the part of the text that is wrong; FAULT_MEMORY. */
#ifndef REPLAY_RECORD_TELEMETRY_TEXT_H
#define REPLAY_RECORD_TELEMETRY_TEXT_H

#include "memsys/telemetry/telemetry.h"

struct telemetry_text {
    struct telemetry layout;
    uint64_t interval_ps;
    void *root;                          /* owns texts of the layout */
    const char ***name_lists;            /* those of fields; NULL for a field without */
};

/* *text is the caller's to free. */
struct fault telemetry_text_write(const struct telemetry *telemetry, uint64_t interval_ps, char **text);
struct fault telemetry_text_read(struct telemetry_text *read, const char *text, size_t length);
void telemetry_text_free(struct telemetry_text *read);

#endif
