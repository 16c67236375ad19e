/* The name that a user may have meant: for faults that answer a mistyped one.
 *
 * Use: begin with nearest_to, offer each name that there is, then ask nearest_is_likely; the best is in `name`.
 *     struct nearest nearest = nearest_to(typed);
 *     for (...) nearest_offer(&nearest, names[i]);
 *     fault_make(..., "there is no X %s%s", typed, nearest_question(&nearest, text, sizeof text));
 * Ownership: names are borrowed. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Edits that turn one name into the other: letters put in, taken out, changed, or two neighbours swapped; case aside.
 * Names of more than 63 letters are cut. */
unsigned name_distance(const char *one, const char *other);

struct nearest {
    const char *typed, *name;            /* name: the best one so far; NULL: none was offered */
    unsigned distance;
};

struct nearest nearest_to(const char *typed);
/* A name that begins with the typed text, of three letters or more, is near. */
void nearest_offer(struct nearest *nearest, const char *name);
/* Is it near enough to have been meant? About a third of its letters may differ. */
bool nearest_is_likely(const struct nearest *nearest);
/* "; did you mean NAME?", or "" if none is likely. Returns text. */
const char *nearest_question(const struct nearest *nearest, char *text, size_t size);

#endif
