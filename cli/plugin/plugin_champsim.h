/* Sources that are written for ChampSim: of which generation of its interface, and which classes or hooks they have,
 * found from their text. */
#ifndef CLI_PLUGIN_PLUGIN_CHAMPSIM_H
#define CLI_PLUGIN_PLUGIN_CHAMPSIM_H

#include <stdbool.h>

/* Generations, by their words of --api. CHAMPSIM_NONE: a module for rubato_policy.h. */
#define CHAMPSIM_APIS(A)                                                                                               \
    A(NONE, rubato) A(G0, g0) A(G1, g1) A(G2, g2) A(G3, g3) A(CRC2, crc2) A(CBP5, cbp5) A(CBP2025, cbp2025)
enum champsim_api {
#define CHAMPSIM_API(name, word) CHAMPSIM_##name,
    CHAMPSIM_APIS(CHAMPSIM_API)
#undef CHAMPSIM_API
    CHAMPSIM_API_COUNT
};

/* What the headers of include/champsim/ need to know of a source: kinds, hooks that cost time, words in its text,
 * whether its find_victim looks at the lines that it gets. The source that is written for the compiler has them as
 * RUBATO_HAS_NAME. */
#define CHAMPSIM_HAS(H)                                                                                                \
    H(PREFETCHER) H(REPLACEMENT) H(DIRECTION) H(BTB) H(CYCLE) H(BRANCH_OPERATE) H(CACHE_PREFETCHER)                    \
    H(CORE_PREFETCHER) H(CACHE_FILL) H(BROADCAST) H(BLOCK) H(NUM_CPUS) H(CORE_CYCLE) H(WARMUP) H(RETIRED)              \
    H(OCCUPANCY) H(GEOMETRY) H(VICTIM_LINES)
enum champsim_has_bit {
#define CHAMPSIM_BIT(name) CHAMPSIM_BIT_##name,
    CHAMPSIM_HAS(CHAMPSIM_BIT)
#undef CHAMPSIM_BIT
    CHAMPSIM_HAS_COUNT
};
enum champsim_has {
#define CHAMPSIM_VALUE(name) CHAMPSIM_##name = 1 << CHAMPSIM_BIT_##name,
    CHAMPSIM_HAS(CHAMPSIM_VALUE)
#undef CHAMPSIM_VALUE
    CHAMPSIM_KINDS = CHAMPSIM_PREFETCHER | CHAMPSIM_REPLACEMENT | CHAMPSIM_DIRECTION | CHAMPSIM_BTB
};

struct champsim_source {
    unsigned apis;                       /* 1 << enum champsim_api, of what was found */
    char class[64];                      /* of the interface of 2024; "": none */
    char kind[32];                       /* "PREFETCHER", as the macros of rubato_champsim.h are called */
    char file[4096];                     /* that defines the class, of CRC-2's kit the functions */
    unsigned has;                        /* enum champsim_has */
    unsigned prefetchers, policies;      /* of 2017: levels that have hooks, 1 << 0 for L1I, L1D, L2C, LLC */
    bool crosses_pages;                  /* of 2017: virtual addresses are told (Berti's tree) */
    char geometry[32];                   /* the first word that needs the sizes of caches; "": none */
    char refused[256];                   /* why the source cannot be built, with its file; "": it can */
    char other[64], other_file[4096];    /* a member that is no hook; "": none */
};

/* Does a file have the name of a module of 2017, such as ip_stride.l1d_pref? */
bool champsim_is_contest_file(const char *name);
/* Adds what a source or header has to `found`, which begins with zeros. */
void champsim_look(struct champsim_source *found, const char *path);
/* "CYCLE" of CHAMPSIM_BIT_CYCLE. */
const char *champsim_has_name(enum champsim_has_bit bit);
/* "g0" of CHAMPSIM_G0. */
const char *champsim_api_word(enum champsim_api api);

#endif
