/* Modules made of C or C++ sources, by the user's compiler. */
#ifndef CLI_PLUGIN_PLUGIN_BUILD_H
#define CLI_PLUGIN_PLUGIN_BUILD_H

#include <stddef.h>

enum { PLUGIN_MOST_DEFINES = 32 };

struct plugin_build {
    const char *source;                  /* a file, or a folder with all sources */
    const char *output;
    const char *compiler;                /* NULL: found */
    const char *defines[PLUGIN_MOST_DEFINES];
    size_t define_count;
    const char *system;                  /* whose number of cores NUM_CPUS of ChampSim's modules is; NULL: 1 */
    const char *api;                     /* generation of ChampSim's interface, "g0"; NULL: found from the source */
};

/* Compiles, and gives the result its name once it could be loaded. The answer is an exit code. */
int plugin_build(const struct plugin_build *build);

#endif
