/* Sources that are written for ChampSim: which classes or hooks they have, found from their text. */
#ifndef CLI_PLUGIN_PLUGIN_CHAMPSIM_H
#define CLI_PLUGIN_PLUGIN_CHAMPSIM_H

#include <stdbool.h>

/* Of the interface of 2021, whose hooks are members of CACHE and O3_CPU: kinds, and hooks that cost time. */
enum champsim_has {
    CHAMPSIM_PREFETCHER = 1, CHAMPSIM_REPLACEMENT = 2, CHAMPSIM_DIRECTION = 4, CHAMPSIM_BTB = 8, CHAMPSIM_CYCLE = 16,
    CHAMPSIM_BRANCH_OPERATE = 32,
    CHAMPSIM_BLOCK = 64, CHAMPSIM_NUM_CPUS = 128,        /* words that the source has */
    CHAMPSIM_KINDS = CHAMPSIM_PREFETCHER | CHAMPSIM_REPLACEMENT | CHAMPSIM_DIRECTION | CHAMPSIM_BTB
};

struct champsim_source {
    char class[64];                      /* of the interface of 2024; "": none */
    char kind[32];                       /* "PREFETCHER", as the macros of rubato_champsim.h are called */
    char file[4096];                     /* that defines the class */
    unsigned has;                        /* enum champsim_has */
    char other[64], other_file[4096];    /* a member that is no hook of 2021; "": none */
};

/* Adds what a source or header has to `found`, which begins with zeros. */
void champsim_look(struct champsim_source *found, const char *path);
/* "CYCLE" of CHAMPSIM_CYCLE: rubato_champsim_hooks.h has it as RUBATO_HAS_CYCLE. NULL: no such bit. */
const char *champsim_has_name(unsigned bit);

#endif
