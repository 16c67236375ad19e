/* Copier: a process that copies the log of a result file into the file while the sweep runs, so that neither points
 * nor the end of the sweep wait for the disk. A process, as a thread could hold the allocator's lock when workers are
 * forked.
 *
 * Use: copier_start before the file is opened, and before any thread begins; copier_tell of each point that was
 * added; copier_end before the writer closes the file; copier_forget in a forked worker. The writer copies the rest,
 * and reports any error. It ends with its parent, however that ends. */
#ifndef SWEEP_RESULTS_COPIER_H
#define SWEEP_RESULTS_COPIER_H

#include <stddef.h>

struct copier;

/* NULL: no copier; the other functions accept that. */
struct copier *copier_start(const char *path);
void copier_tell(struct copier *copier, size_t bytes);
void copier_end(struct copier *copier);
void copier_forget(const struct copier *copier);

#endif
