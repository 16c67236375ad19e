/* Unrequested differences of compared runs: keys of a memory that are the controller's, such as the page
 * policy, and differ though neither an axis nor a setting names them. It makes a comparison of devices doubtful.
 *
 * Use: begin with {0}; unasked_ask each key that was named, unasked_add each run's configuration, unasked_text,
 * unasked_free. Ownership: texts are copied. */
#ifndef CLI_SWEEP_UNASKED_H
#define CLI_SWEEP_UNASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "sweep/results/results.h"

enum { UNASKED_KEYS = 32, UNASKED_VALUES = 6, UNASKED_SEEN = 256, UNASKED_TEXT = 500 };

struct unasked_key {
    const char *key;
    const char *values[UNASKED_VALUES];  /* in the order of the runs */
    size_t count;
    bool is_asked, has_more;
};

struct unasked {
    struct unasked_key keys[UNASKED_KEYS];
    size_t key_count;
    const char *asked[UNASKED_KEYS];
    size_t asked_count;
    uint64_t seen[UNASKED_SEEN];         /* hashes of memories that were looked at */
    size_t seen_count;
    bool is_out_of_memory;
    struct arena arena;
};

/* key: "memory.device", or an assignment that begins with it */
void unasked_ask(struct unasked *unasked, const char *key);
/* yaml: the compact YAML of a finished system; NULL: not known, which says nothing. */
void unasked_add(struct unasked *unasked, const char *yaml);
/* "memory.dram.page_policy: open_adaptive, close_adaptive: differ, ..."; "": nothing does. */
void unasked_text(const struct unasked *unasked, char text[UNASKED_TEXT]);
void unasked_free(struct unasked *unasked);

/* Provenance in a result file, of the command that runs its points: time, command line, host.
 *
 * Use: origin_make, provenance_note, origin_free. Words are quoted as a shell takes them. */

struct origin {
    struct provenance_run run;           /* its texts are those below */
    char date[32], host[256], *command;
};

/* argv: of the command, "sweep" first. Out of memory: the run has no command. */
void origin_make(struct origin *origin, int argc, char *const *argv);
void origin_free(struct origin *origin);

#endif
