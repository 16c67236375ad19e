/* Tagged prefetcher: a miss, or the first use of a line that was prefetched, fetches the lines behind it.
 *
 * Source: Gindele, "Buffer block prefetching method", IBM Technical Disclosure Bulletin 1977, in the reference's form
 * (classic-memory 13.4). degree: lines behind. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

static void tagged_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    for (uint64_t i = 1; i <= prefetcher->degree; i++)
        prefetcher_propose(prefetcher, access->line_address + i * prefetcher->sim->line_bytes);
}

const struct prefetcher_ops prefetch_tagged = {
    .name = "tagged", .degree = 2, .training = PREFETCH_TRAINING_FIRST_HITS, .train = tagged_train
};
