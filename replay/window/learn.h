/* What a trace tells about its instructions, read once: latencies (elastic-truth 3.2), sizes (3.4), branches that have
 * one target (3.5), serialising ones (3.6), where hidden ones have their sources (3.7).
 *
 * Use: window_learn; then window_pc_at tells. */
#ifndef REPLAY_WINDOW_LEARN_H
#define REPLAY_WINDOW_LEARN_H

#include "replay/window/stream.h"

struct fault window_learn(struct window_feed *feed);

#endif
