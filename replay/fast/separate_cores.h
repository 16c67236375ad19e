/* Separate cores: cores whose caches and addresses are theirs alone. They meet on the memory bus and behind it only,
 * and none has a line that another one asks for; so their order matters only there (lookahead.h), or nowhere
 * (domains.h).
 *
 * Use: separate_cores_obstacle before a system is made; separate_cores_limits when its cores are: what a core asks for
 * beyond them is a fault, and the run worthless. Ownership: plain values. */
#ifndef REPLAY_FAST_SEPARATE_CORES_H
#define REPLAY_FAST_SEPARATE_CORES_H

#include "replay/system/system.h"

enum { SEPARATE_CORES_MAX_CACHES = 4 };      /* of one core */

/* Why cores of such a system are not separate; NULL: they are. Each core replays one trace; all caches are private, do
 * nothing by chance and ask for no line that the core has not asked for; the run ends when all cores are done. */
const char *separate_cores_obstacle(const struct system_config *config, const struct system_traces *traces);
/* Addresses that the core may have, of those that memory has. */
struct elastic_limits separate_cores_limits(const struct system_config *config, unsigned core,
                                            const struct elastic_limits *memory);

#endif
