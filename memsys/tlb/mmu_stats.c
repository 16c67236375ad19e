/* Names of an MMU's statistics: those of gem5's (dtb, itb, l2_shared, walker), where it counts the same. */
#include "memsys/sim/sim_statistics.h"
#include "memsys/tlb/mmu.h"

struct counter_name {
    const char *name, *unit, *help;
    size_t offset;
};

#define SIDE_NAME(field, counter, unit, help) {counter, unit, help, offsetof(struct mmu_side_stats, field)},
#define MMU_NAME(field, counter, unit, help) {counter, unit, help, offsetof(struct mmu_stats, field)},
static const struct counter_name side_names[] = { MMU_SIDE_STATISTICS(SIDE_NAME) };
static const struct counter_name l2_names[] = { MMU_L2_STATISTICS(MMU_NAME) };
static const struct counter_name walker_names[] = { MMU_WALKER_STATISTICS(MMU_NAME) };

static void mmu_stats_add(struct stats *stats, const void *counters, const struct counter_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        stats_add(stats, &(struct stat_entry){.name = names[i].name, .unit = names[i].unit, .help = names[i].help,
                                              .source = (const char *)counters + names[i].offset});
}

#define ADD(counters, names) mmu_stats_add(stats, counters, names, sizeof (names) / sizeof *(names))

static void mmu_stats_reset(void *owner, uint64_t now_ps)
{
    mmu_reset_stats(owner, now_ps);
}

void mmu_reset_stats(struct mmu *mmu, uint64_t now_ps)
{
    struct histogram kept = mmu->stats.walk_latency;

    histogram_reset(&kept);
    mmu->stats = (struct mmu_stats){.walk_latency = kept};
    for (unsigned i = 0; i < MMU_SIDES; i++) {
        mmu->sides[i].stats = (struct mmu_side_stats){0};
        mmu->sides[i].waiting_since_ps = now_ps;
    }
}

void mmu_add_stats(struct mmu *mmu, struct stats *stats)
{
    stats_group(stats, "system.%s.dtb", mmu->name);
    ADD(&mmu->sides[MMU_DATA].stats, side_names);
    stats_group(stats, "system.%s.itb", mmu->name);
    ADD(&mmu->sides[MMU_INST].stats, side_names);
    stats_group(stats, "system.%s.l2_shared", mmu->name);
    ADD(&mmu->stats, l2_names);
    stats_group(stats, "system.%s", mmu->walker_name);
    ADD(&mmu->stats, walker_names);
    stats_add(stats, &(struct stat_entry){.name = "walkServiceTime", .unit = "Tick", .kind = STAT_HISTOGRAM,
                                          .source = &mmu->stats.walk_latency,
                                          .help = "from the begin of a walk to its last entry"});
    stats_on_reset(stats, mmu_stats_reset, mmu);
}
