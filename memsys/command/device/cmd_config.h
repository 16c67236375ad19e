/* What a memory of DRAM commands is made of: controller, scheduler, row policy, refresh, address map, RowHammer
 * defences, and which odd behaviour of the published model is mended.
 *
 * Use: cmd_config_default, set what differs, cmd_memory_new (cmd_memory.h) checks it. Times are in ticks unless
 * their names say _ns. Tables (CMD_..._KINDS) have the words that users write. Source: docs/spec/command-dram.md 4
 * to 9 and 12. */
#ifndef MEMSYS_COMMAND_DEVICE_CMD_CONFIG_H
#define MEMSYS_COMMAND_DEVICE_CMD_CONFIG_H

#include "base/fault.h"
#include "memsys/command/device/cmd_spec.h"

#define CMD_CONTROLLER_KINDS(K)                                                                                       \
    K(SINGLE_BUS, "single-bus") K(DUAL_BUS, "dual-bus") K(HALF_TICK, "dual-bus-half-tick") K(GDDR7, "gddr7")          \
    K(LPDDR5, "lpddr5") K(LPDDR6, "lpddr6") K(PRAC, "single-bus-prac") K(BLOCKHAMMER, "single-bus-blockhammer")
#define CMD_SCHEDULER_KINDS(K) K(FRFCFS, "FR-FCFS") K(ROW_HIT, "FR-FCFS-RowHit")
#define CMD_ROW_POLICY_KINDS(K) K(OPEN, "open") K(CLOSED_AFTER, "closed-after")
#define CMD_REFRESH_KINDS(K)                                                                                          \
    K(NONE, "none") K(ALL_BANK, "all-bank") K(PER_BANK, "per-bank") K(PAIRED_BANKS, "per-bank-hbm34")
#define CMD_MAPPING_KINDS(K)                                                                                          \
    K(ROBARACOCH, "RoBaRaCoCh") K(CHRABAROCO, "ChRaBaRoCo") K(MOP4CLXOR, "MOP4CLXOR") K(GIVEN, "given")
#define CMD_MITIGATION_KINDS(K)                                                                                       \
    K(PARA, "PARA") K(GRAPHENE, "Graphene") K(ORACLE_RH, "OracleRH") K(TWICE, "TWiCe") K(HYDRA, "Hydra")              \
    K(RRS, "RRS") K(AQUA, "AQUA") K(RFM, "RFM") K(HYNIX_TRR, "HynixTRR") K(SAMSUNG_TRR, "SamsungTRR")                 \
    K(IDEAL_TRR, "IdealTRR")
#define CMD_RCK_KINDS(K)                                                                                              \
    K(ALWAYS_ON, "always_on") K(WITH_READ, "start_with_read") K(WITH_START, "start_with_rckstrt")

enum cmd_controller_kind {
#define CMD_ENUM(kind, word) CMD_CONTROLLER_##kind,
    CMD_CONTROLLER_KINDS(CMD_ENUM)
#undef CMD_ENUM
};
enum cmd_scheduler_kind {
#define CMD_ENUM(kind, word) CMD_SCHEDULER_##kind,
    CMD_SCHEDULER_KINDS(CMD_ENUM)
#undef CMD_ENUM
};
enum cmd_row_policy_kind {
#define CMD_ENUM(kind, word) CMD_ROW_POLICY_##kind,
    CMD_ROW_POLICY_KINDS(CMD_ENUM)
#undef CMD_ENUM
};
enum cmd_refresh_kind {
#define CMD_ENUM(kind, word) CMD_REFRESH_##kind,
    CMD_REFRESH_KINDS(CMD_ENUM)
#undef CMD_ENUM
};
enum cmd_mapping_kind {
#define CMD_ENUM(kind, word) CMD_MAPPING_##kind,
    CMD_MAPPING_KINDS(CMD_ENUM)
#undef CMD_ENUM
};
enum cmd_mitigation_kind {
#define CMD_ENUM(kind, word) CMD_MITIGATION_##kind,
    CMD_MITIGATION_KINDS(CMD_ENUM)
#undef CMD_ENUM
};
enum cmd_rck_kind {
#define CMD_ENUM(kind, word) CMD_RCK_##kind,
    CMD_RCK_KINDS(CMD_ENUM)
#undef CMD_ENUM
};

/* Odd behaviour of the reference that `sane` mends: number of section 12, name, what is done instead. */
#define CMD_MENDS(M)                                                                                                  \
    M(1, PRAC_RECOVERY, "prac-recovery", "a PRAC recovery reaches all banks of the rank")                             \
    M(2, VARIANT_REFRESH, "variant-refresh", "standards with VRR or RFM commands have all-bank refresh")              \
    M(3, AUTO_PRECHARGE, "auto-precharge", "no auto-precharge while another request waits in the open row")           \
    M(4, FORWARD_ACTIVE, "forward-active", "writes are forwarded from and merged until their WR")                     \
    M(5, FORWARD_ORDER, "forward-order", "answers leave in the order of their times")                                 \
    M(6, PRIORITY_BLOCKS, "priority-blocks", "a refresh holds up the requests of its banks, no others")               \
    M(7, VECTOR_ADDRESS, "vector-address", "requests with given levels have the address that they name")             \
    M(8, OPEN_TWICE, "open-twice", "no ACT to an open row")                                                           \
    M(9, MISSING_CONSTRAINTS, "missing-constraints", "refreshes keep their distance from each other")                 \
    M(13, BOUNDS, "bounds", "addresses beyond the device are refused")                                                \
    M(16, THROTTLE_HISTORY, "throttle-history", "BlockHammer takes an activation off its history once")               \
    M(17, THROTTLE_QUOTA, "throttle-quota", "BlockHammer: reads of a source beyond its share wait, one at least goes") \
    M(18, AVERAGE_LATENCY, "average-latency", "the average of read latencies counts forwarded reads on both sides")   \
    M(19, LOST_REQUESTS, "lost-requests", "what finds the priority queue full waits")                                 \
    M(20, OWN_TRAFFIC, "own-traffic", "RRS and AQUA do not count their own copies; rows end with the bank")           \
    M(21, ONE_RANK, "one-rank", "RFM and TWiCe clear the rank that was served")                                       \
    M(22, REFRESH_GRID, "refresh-grid", "a refresh that waits does not move those after it")                          \
    M(23, IDLE_PRECHARGE, "idle-precharge", "no precharge of a bank that is closed")                                  \
    M(25, IDLE_WRITE_MODE, "idle-write-mode", "no write mode without writes")                                         \
    M(30, HALF_TICK, "half-tick", "throughput of HBM3 and HBM4 by the whole clock period")                            \
    M(32, ONE_WINDOW, "one-window", "all activations of a rank share one four-activate window")                       \
    M(33, TRANSACTIONS, "transactions", "forwarding and merging compare transactions, not bytes")                    \
    M(34, ORACLE_REFRESH, "oracle-refresh", "OracleRH: a refresh clears the counts of the rows that it refreshes")

enum cmd_mend {
#define CMD_ENUM(number, mend, name, help) CMD_MEND_##mend,
    CMD_MENDS(CMD_ENUM)
#undef CMD_ENUM
    CMD_MEND_COUNT
};
#define CMD_EXACT UINT32_C(0)
#define CMD_SANE ((UINT32_C(1) << CMD_MEND_COUNT) - 1)

/* One defence against RowHammer; which fields count depends on its kind (9). */
struct cmd_mitigation_config {
    enum cmd_mitigation_kind kind;
    int64_t threshold;                   /* activations; RFM, Graphene, OracleRH, TWiCe, RRS, AQUA; Hydra: tracking */
    float probability;                   /* PARA, HynixTRR */
    float pruning;                       /* TWiCe */
    uint32_t seed;                       /* PARA, HynixTRR: 123 */
    int64_t entries;                     /* Graphene, SamsungTRR; RRS, AQUA: of the tracker */
    int64_t indirections;                /* RRS: pairs of rows */
    int64_t quarantine_rows;             /* AQUA */
    int64_t reset_ns;                    /* Graphene, Hydra, RRS, AQUA */
    int64_t rows_per_rfm;                /* SamsungTRR, IdealTRR: 1 */
    bool per_bank;                       /* RFM: RFMpb, not RFMab */
    int64_t group_threshold, group_rows, cache_entries;  /* Hydra; group_rows 128, cache_entries 4096 a rank */
    bool evict_least;                    /* Hydra: the least counter leaves, not a random one */
};

enum { CMD_MOST_MITIGATIONS = 8 };

struct cmd_engine;

struct cmd_config {
    const struct cmd_spec *spec;         /* must outlive the memory */
    uint32_t mends;                      /* CMD_SANE, CMD_EXACT, or bits of enum cmd_mend */
    uint32_t channels, interleave_bits;  /* a power of two */
    enum cmd_controller_kind controller;
    uint32_t read_queue, write_queue, priority_queue;
    float write_low, write_high;         /* parts of the write queue */
    bool wck_always_on;
    enum cmd_rck_kind rck;
    int64_t rck_idle;
    struct {
        int64_t threshold, alert_ns, recovery_refreshes, delay_activations;
    } prac;
    struct {
        int64_t filters, epoch_ns, counters, threshold, hashes, history_max, rowhammer_threshold, refresh_window_ns,
            trc_ns;
    } blockhammer;
    enum cmd_scheduler_kind scheduler;
    enum cmd_row_policy_kind row_policy;
    uint32_t accesses;                   /* closed-after */
    bool accepts_stalls;                 /* closed-after on two buses in exact mode, which is refused otherwise: to
                                            repeat runs that ended */
    enum cmd_refresh_kind refresh;
    int64_t stagger;
    double refresh_rate;                 /* refreshes in the time of one at the normal rate: 1 */
    uint32_t postponed;                  /* all-bank: refreshes of a rank that may be owed; 0: none */
    struct {
        int64_t down_idle, self_idle;    /* ticks until a rank enters power-down, self-refresh; 0: never */
    } power;
    enum cmd_mapping_kind mapping;
    bool row_indirection;                /* rows of the mapping go through a swap table */
    int64_t reserved_rows;
    uint32_t mitigation_count;
    struct cmd_mitigation_config mitigations[CMD_MOST_MITIGATIONS];
    const struct cmd_engine *engine;     /* NULL: the plain one */
};

/* The defaults of the published model, for a device; the controller and the refresh are those that its standard
 * names. */
void cmd_config_default(struct cmd_config *config, const struct cmd_spec *spec);
/* Defaults of a defence of that kind. */
struct cmd_mitigation_config cmd_mitigation_default(enum cmd_mitigation_kind kind);

/* Is that odd behaviour mended? */
static inline bool cmd_mends(const struct cmd_config *config, enum cmd_mend mend)
{
    return config->mends >> mend & 1;
}

#endif
