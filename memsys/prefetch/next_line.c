/* Next-line prefetcher: one-block lookahead. Each miss fetches the line behind it as well.
 *
 * Source: Smith, "Cache memories", ACM Computing Surveys 14(3), 1982, section 2.1: "prefetch on misses". With
 * train_on: accesses it is his "always prefetch", with first_hits his "tagged prefetch". His lookahead is one line:
 * degree 1, no distance, and there is no other constant. degree: lines behind; distance: lines skipped before them. A
 * line in the next page is not fetched, which Smith leaves open. The three were confirmed by a posting of 1984 that
 * quotes the article; its text was not at hand, the section is from memory. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

static void next_line_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    for (uint64_t i = 1; i <= prefetcher->degree; i++)
        prefetcher_propose(prefetcher, access->line_address + (prefetcher->distance + i) * prefetcher->sim->line_bytes);
}

const struct prefetcher_ops prefetch_next_line = {
    .name = "next_line", .degree = 1, .training = PREFETCH_TRAINING_MISSES, .train = next_line_train
};
