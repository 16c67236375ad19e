/* Remedies: which keys of a system act on what bounds a run. One row a cause (verdict.h); a system has those of its
 * kind of cores and its levels of cache only.
 *
 * Use: remedies_of a cause by its name, "dram_bandwidth". "": no key of the memory system acts on it. */
#ifndef SWEEP_REPORT_REMEDIES_H
#define SWEEP_REPORT_REMEDIES_H

/* Keys, joined by commas, the one that helps most often first. */
const char *remedies_of(const char *cause);

#endif
