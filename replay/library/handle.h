/* What the parts of the public library (include/rubato.h) share: errors and systems from the inside. */
#ifndef REPLAY_LIBRARY_HANDLE_H
#define REPLAY_LIBRARY_HANDLE_H

#include "base/fault.h"
#include "include/rubato.h"
#include "memsys/sim/stats.h"
#include "replay/config/config.h"

/* A file or a text, and what was set on top of it. */
struct rubato_system {
    struct system_config read;           /* without the settings; not finished */
    char **settings;
    size_t count, room;
};

/* Fills the error, if there is one; true: the fault is none. */
bool library_say(rubato_error *error, struct fault fault);

/* Fills the error for an argument that is missing; false. */
bool library_lacks(rubato_error *error, const char *function, const char *argument);

/* The same of none, without copying its text: for what is called often. */
static inline bool library_is_fine(rubato_error *error)
{
    if (error) {
        error->kind = RUBATO_OK;
        error->message[0] = '\0';
    }
    return true;
}

/* The system, finished. first: a setting before those of the user; NULL: none. */
struct fault library_config(const struct rubato_system *system, const char *first, struct system_config *config);

/* Hands a figure on to a visitor. */
struct library_visitor {
    rubato_visit *visit;
    void *context;
};
void library_visit_leaf(void *visitor, const struct stat_leaf *leaf);

#endif
