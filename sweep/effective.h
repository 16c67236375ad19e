/* The effective configuration of a point: what decides its result, as text and as hash.
 *
 * The text is what config_to_yaml writes, without comments: two configurations that mean the same have the same text,
 * however they were written. The hash joins it with the traces' contents, the limits of the replay and the program's
 * version. */
#ifndef SWEEP_EFFECTIVE_H
#define SWEEP_EFFECTIVE_H

#include <stdint.h>

#include "memsys/fault.h"
#include "replay/config.h"
#include "sweep/spec.h"

/* config: finished. *text is the caller's to free. */
struct fault effective_text(const struct system_config *config, char **text);
/* text: of effective_text, or for a configuration that is none what stands in its place. */
uint64_t effective_hash(const char *text, uint64_t traces_hash, const struct spec_limits *limits, const char *version);

#endif
