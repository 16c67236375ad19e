/* Internals of the public library (include/rubato.h), shared by its parts: errors and systems. */
#ifndef REPLAY_LIBRARY_HANDLE_H
#define REPLAY_LIBRARY_HANDLE_H

#include "base/fault.h"
#include "include/rubato.h"
#include "memsys/sim/sim_statistics.h"

struct system_config;

/* A file or a text, and the settings on top of it. */
struct rubato_system {
    struct system_config *read;          /* without the settings; not finished */
    char **settings;
    size_t count, room;
};

/* Fills the error, if there is one; true: the fault is none. */
bool library_say(rubato_error *error, struct fault fault);

/* Fills the error for an argument that is missing; false. */
bool library_lacks(rubato_error *error, const char *function, const char *argument);

/* library_say for no fault, without copying its text: for frequent calls. */
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
