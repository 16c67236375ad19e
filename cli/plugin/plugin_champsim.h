/* Sources that are written for ChampSim: which class of which kind they have, found from their text. */
#ifndef CLI_PLUGIN_PLUGIN_CHAMPSIM_H
#define CLI_PLUGIN_PLUGIN_CHAMPSIM_H

#include <stdbool.h>

struct champsim_class {
    char name[64];
    char kind[32];                       /* "PREFETCHER", as the macros of rubato_champsim.h are called */
    char file[4096];                     /* that defines it */
    bool is_source;                      /* which is no header */
    char other[64];                      /* of an earlier interface instead: the name that shows it; "": none */
};

/* Looks into a file; true: it has such a class, or a hook of an earlier interface. */
bool champsim_class_find(const char *path, struct champsim_class *found);

#endif
