/* Copier: a thread that copies the log of a result file into the file while the sweep goes on, so that neither points
 * nor the end of the sweep wait for the disk.
 *
 * Use: copier_start when the file is open for writing; copier_tell of each point that was added; copier_end before the
 * writer closes the file. What it has not copied, or could not, is left to the writer, who then says what is wrong. */
#ifndef SWEEP_RESULTS_COPIER_H
#define SWEEP_RESULTS_COPIER_H

#include <stddef.h>

struct copier;

/* NULL: there is none, and all the rest takes that. */
struct copier *copier_start(const char *path);
void copier_tell(struct copier *copier, size_t bytes);
void copier_end(struct copier *copier);

#endif
