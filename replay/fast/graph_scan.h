/* The search for a record by its state, four records at a time.
 *
 * Shortens: elastic_graph_first, by which a core finds the oldest live record and the oldest in flight.
 *
 * Why the result is the same: it compares the same states in the same order, as lanes of one word.
 *
 * Test: tests/unit/replay/fast/test_graph_scan.c, test_engine.c. Use: graph_scan_bind after elastic_cpu_init. */
#ifndef REPLAY_FAST_GRAPH_SCAN_H
#define REPLAY_FAST_GRAPH_SCAN_H

#include "replay/fast/graph.h"

void graph_scan_bind(struct elastic_graph *graph);

#endif
