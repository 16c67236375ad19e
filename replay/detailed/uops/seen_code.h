/* Code of a trace that has no code images: which static instruction stood at a pc, of those seen so far.
 *
 * Use: a struct of zeros; seen_code_put for each static instruction, once; seen_code_find; seen_code_free.
 * Ownership: the table is its own. False of seen_code_put: out of memory. */
#ifndef REPLAY_DETAILED_UOPS_SEEN_CODE_H
#define REPLAY_DETAILED_UOPS_SEEN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEEN_NOTHING = -1 };

struct seen_code {
    struct seen_insn { uint64_t pc; uint32_t number_and_1; } *table;     /* number_and_1: 0: free */
    size_t room, count;                  /* room: 0 or a power of two */
};

/* Of two at one pc the newer one counts. */
bool seen_code_put(struct seen_code *seen, uint64_t pc, uint32_t number);
/* Its number, or SEEN_NOTHING. */
int64_t seen_code_find(const struct seen_code *seen, uint64_t pc);
void seen_code_free(struct seen_code *seen);

#endif
