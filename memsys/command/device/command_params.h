/* Parameters of a memory that works command by command (memsys/sim/param.h): its device by standard, organization and
 * timing preset, what differs from these, its controller, its defences. Names of parameters are Ramulator's. */
#ifndef MEMSYS_COMMAND_DEVICE_COMMAND_PARAMS_H
#define MEMSYS_COMMAND_DEVICE_COMMAND_PARAMS_H

#include "memsys/command/device/cmd_config.h"
#include "memsys/sim/param.h"

/* auto first; the others in the order of CMD_..._KINDS (cmd_config.h). */
#define COMMAND_REFRESHES(V)                                                                                          \
    V(COMMAND_REFRESH_AUTO, auto) V(COMMAND_REFRESH_NONE, none) V(COMMAND_REFRESH_ALL_BANK, all-bank)                 \
    V(COMMAND_REFRESH_PER_BANK, per-bank) V(COMMAND_REFRESH_PAIRED, per-bank-hbm34)
PARAM_ENUM(command_refresh, COMMAND_REFRESHES);
#define COMMAND_CONTROLLERS(V)                                                                                        \
    V(COMMAND_CONTROLLER_AUTO, auto) V(COMMAND_CONTROLLER_SINGLE, single-bus) V(COMMAND_CONTROLLER_DUAL, dual-bus)    \
    V(COMMAND_CONTROLLER_HALF, dual-bus-half-tick) V(COMMAND_CONTROLLER_GDDR7, gddr7)                                 \
    V(COMMAND_CONTROLLER_LPDDR5, lpddr5) V(COMMAND_CONTROLLER_LPDDR6, lpddr6)                                         \
    V(COMMAND_CONTROLLER_PRAC, single-bus-prac) V(COMMAND_CONTROLLER_BLOCKHAMMER, single-bus-blockhammer)
PARAM_ENUM(command_controller, COMMAND_CONTROLLERS);
#define COMMAND_SCHEDULERS(V)                                                                                         \
    V(COMMAND_SCHEDULER_FRFCFS, FR-FCFS) V(COMMAND_SCHEDULER_ROW_HIT, FR-FCFS-RowHit)
PARAM_ENUM(command_scheduler, COMMAND_SCHEDULERS);
#define COMMAND_ROW_POLICIES(V)                                                                                       \
    V(COMMAND_ROW_OPEN, open) V(COMMAND_ROW_CLOSED_AFTER, closed-after)
PARAM_ENUM(command_row_policy, COMMAND_ROW_POLICIES);
#define COMMAND_MAPPINGS(V)                                                                                           \
    V(COMMAND_MAP_ROBARACOCH, RoBaRaCoCh) V(COMMAND_MAP_CHRABAROCO, ChRaBaRoCo) V(COMMAND_MAP_MOP4CLXOR, MOP4CLXOR)
PARAM_ENUM(command_mapping, COMMAND_MAPPINGS);
#define COMMAND_ECCS(V)                                                                                               \
    V(COMMAND_ECC_NONE, none) V(COMMAND_ECC_SIDEBAND, sideband) V(COMMAND_ECC_INLINE, inline)
PARAM_ENUM(command_ecc, COMMAND_ECCS);
/* auto: as the mode says. */
#define COMMAND_MERGES(V)                                                                                             \
    V(COMMAND_MERGE_AUTO, auto) V(COMMAND_MERGE_YES, yes) V(COMMAND_MERGE_NO, no)
PARAM_ENUM(command_merge, COMMAND_MERGES);
#define COMMAND_MODES(V)                                                                                              \
    V(COMMAND_SANE, sane) V(COMMAND_EXACT, exact)
PARAM_ENUM(command_mode, COMMAND_MODES);
#define COMMAND_WCK_MODES(V)                                                                                          \
    V(COMMAND_WCK_NEED_SYNC, need_sync) V(COMMAND_WCK_ALWAYS_ON, always_on)
PARAM_ENUM(command_wck_mode, COMMAND_WCK_MODES);
#define COMMAND_RCK_MODES(V)                                                                                          \
    V(COMMAND_RCK_ALWAYS_ON, always_on) V(COMMAND_RCK_WITH_READ, start_with_read)                                     \
    V(COMMAND_RCK_WITH_START, start_with_rckstrt)
PARAM_ENUM(command_rck_mode, COMMAND_RCK_MODES);
#define COMMAND_CACHE_POLICIES(V)                                                                                     \
    V(COMMAND_CACHE_RANDOM, RANDOM) V(COMMAND_CACHE_MIN_COUNT, MIN_COUNT)
PARAM_ENUM(command_cache_policy, COMMAND_CACHE_POLICIES);
#define COMMAND_RFM_MODES(V)                                                                                          \
    V(COMMAND_RFM_ALL_BANKS, ab) V(COMMAND_RFM_PER_BANK, pb)
PARAM_ENUM(command_rfm_mode, COMMAND_RFM_MODES);
/* Of an odd behaviour of the published model: as the mode says, or whatever the mode. */
#define COMMAND_MEND_CHOICES(V)                                                                                       \
    V(COMMAND_MEND_BY_MODE, auto) V(COMMAND_MEND_YES, yes) V(COMMAND_MEND_NO, no)
PARAM_ENUM(command_mend_choice, COMMAND_MEND_CHOICES);

#define COMMAND_QUEUE 65536
#define COMMAND_MOST_ACTS 1000000000
#define COMMAND_LONG_PS UINT64_C(1000000000000)    /* 1 s */
#define COMMAND_MS UINT64_C(1000000000)                      /* in ps */

/* command-dram 4 to 8 */
#define COMMAND_PARAMETERS(P)                                                                                         \
    P(mode, mode, COMMAND_MODE, COMMAND_SANE, 0, 1, "odd behaviour of the published model: mended, or kept to "       \
      "compare with published work; mends has single ones")                                                           \
    P(controller, controller, COMMAND_CONTROLLER, COMMAND_CONTROLLER_AUTO, 0, COMMAND_CONTROLLER_BLOCKHAMMER,         \
      "command buses and protocol; auto: the standard's")                                                             \
    P(scheduler, scheduler, COMMAND_SCHEDULER, COMMAND_SCHEDULER_FRFCFS, 0, 1, "ready requests first, then the "      \
      "oldest; RowHit: no precharge while older requests hit the open row")                                           \
    P(row_policy, row_policy, COMMAND_ROW_POLICY, COMMAND_ROW_OPEN, 0, 1, "rows stay open, or are closed after cap "  \
      "accesses")                                                                                                     \
    P(cap, cap, COUNT, 4, 1, COMMAND_QUEUE, "closed-after: accesses to an open row")                                  \
    P(mapping, mapping, COMMAND_MAPPING, COMMAND_MAP_ROBARACOCH, 0, 2, "order of the parts of an address, from the "  \
      "top")                                                                                                          \
    P(reserved_rows_per_bank, reserved_rows_per_bank, COUNT, 0, 0, 1 << 24, "RRS, AQUA, Hydra: rows at the low end "  \
      "that addresses do not reach")                                                                                  \
    P(read_buffer_size, read_buffer_size, COUNT, 32, 1, COMMAND_QUEUE, "read queue of a channel, in accesses")        \
    P(write_buffer_size, write_buffer_size, COUNT, 32, 1, COMMAND_QUEUE, "write queue of a channel, in accesses")     \
    P(merge_reads, merge_reads, COMMAND_MERGE, COMMAND_MERGE_AUTO, 0, 2, "reads of less than an access, such as a "   \
      "GPU's sectors, join one that waits for the same access; auto: in mode sane")                                   \
    P(priority_buffer_size, priority_buffer_size, COUNT, 1568, 1, COMMAND_QUEUE, "queue of refreshes and requests of "\
      "defences")                                                                                                     \
    P(wr_low_watermark_perc, wr_low_watermark, PERCENT, 20, 0, 100, "write queue fill below which writing ends")      \
    P(wr_high_watermark_perc, wr_high_watermark, PERCENT, 80, 0, 100, "write queue fill above which writing begins")  \
    P(scatter_interval, scatter_interval, COUNT, 0, 0, 1 << 24, "all-bank: ticks between the refreshes of ranks; 0: " \
      "all at once")                                                                                                  \
    P(temperature_c, temperature_c, COUNT, 45, 0, 95, "of the case, in degrees; DDR3 to DDR5 are refreshed twice as " \
      "often above 85")                                                                                               \
    P(refresh_rate, refresh_rate, RATIO, 1.0, 0, 0, "refreshes in the time of a normal one, from 0.125 to 8; LPDDR: " \
      "what the device asks for in MR4")                                                                              \
    P(postponed_refreshes, postponed_refreshes, COUNT, 0, 0, 8, "all-bank: refreshes of a rank that wait until no "   \
      "request does; DDR5: up to 4")                                                                                  \
    P(power_down_idle, power_down_idle, COUNT, 0, 0, 1 << 30, "ticks without a request after which a rank enters "    \
      "power-down; 0: never")                                                                                         \
    P(self_refresh_idle, self_refresh_idle, COUNT, 0, 0, 1 << 30, "ticks without a read or write after which a rank " \
      "enters self-refresh; 0: never")                                                                                \
    P(power_down_exit_ps, power_down_exit, TIME, 0, 0, LONGEST_WAY_PS, "tXP, from the end of power-down to a "    \
      "command; 0: the standard's")                                                                                   \
    P(power_down_least_ps, power_down_least, TIME, 0, 0, LONGEST_WAY_PS, "tPD, of a power-down, at least; 0: the "    \
      "standard's")                                                                                                   \
    P(self_refresh_exit_ps, self_refresh_exit, TIME, 0, 0, LONGEST_WAY_PS, "tXS, from the end of self-refresh to a "  \
      "command; 0: the standard's")                                                                                   \
    P(self_refresh_least_ps, self_refresh_least, TIME, 0, 0, LONGEST_WAY_PS, "tCKESR, of a self-refresh, at least; "  \
      "0: the standard's")                                                                                            \
    P(self_refresh_lock_ps, self_refresh_lock, TIME, 0, 0, LONGEST_WAY_PS, "tXSDLL, from the end of self-refresh to " \
      "a read; 0: the standard's")                                                                                    \
    P(ecc, ecc, COMMAND_ECC, COMMAND_ECC_NONE, 0, COMMAND_ECC_INLINE, "check bits: none; in chips of their own, "   \
      "which take no time; in the last eighth of each row, which takes accesses")                                     \
    P(ecc_lines, ecc_lines, COUNT, 16, 0, 65536, "inline ECC: lines of check bits that the controller keeps; 0: none")\
    P(frontend_latency_ps, frontend_latency, TIME, 10000, 0, LONGEST_WAY_PS, "controller, on the way in")             \
    P(backend_latency_ps, backend_latency, TIME, 10000, 0, LONGEST_WAY_PS, "controller and PHY, on the way out")      \
    P(wck_sync_mode, wck_sync_mode, COMMAND_WCK, COMMAND_WCK_NEED_SYNC, 0, 1, "LPDDR: the write clock is "            \
      "synchronised before a burst, or always runs")                                                                  \
    P(rck_mode, rck_mode, COMMAND_RCK, COMMAND_RCK_ALWAYS_ON, 0, 2, "GDDR7: when the read clock runs")                \
    P(rck_idle_threshold, rck_idle_threshold, COUNT, 32, 0, 1 << 24, "GDDR7: ticks without reads after which it "     \
      "stops")                                                                                                        \
    P(abo_threshold, abo_threshold, COUNT, 512, 1, COMMAND_MOST_ACTS, "single-bus-prac: activations of a row that "   \
      "raise an alert")                                                                                               \
    P(abo_act_ps, abo_act, TIME, 180000, 1000, LONGEST_WAY_PS, "single-bus-prac: from the alert to the recovery")     \
    P(abo_recovery_refs, abo_recovery_refs, COUNT, 4, 1, 64, "single-bus-prac: RFMab of a recovery, for each rank")   \
    P(abo_delay_acts, abo_delay_acts, COUNT, 4, 0, 65536, "single-bus-prac: activations before the next alert")       \
    P(bf_num_filters, bf_num_filters, COUNT, 2, 1, 16, "single-bus-blockhammer: filters that take turns")             \
    P(bf_len_epoch_ps, bf_len_epoch, TIME, 64 * COMMAND_MS, 1000, COMMAND_LONG_PS, "single-bus-blockhammer: life of a "\
      "filter")                                                                                                       \
    P(bf_ctr_count, bf_ctr_count, COUNT, 1024, 2, 1 << 20, "single-bus-blockhammer: counters of a filter")            \
    P(bf_ctr_thresh, bf_ctr_thresh, COUNT, 128, 1, COMMAND_MOST_ACTS, "single-bus-blockhammer: activations that "     \
      "blacklist a row")                                                                                              \
    P(bf_num_hashes, bf_num_hashes, COUNT, 4, 1, 16, "single-bus-blockhammer: counters of a row")                     \
    P(bf_hist_max_freq, bf_hist_max_freq, COUNT, 1, 1, 65536, "single-bus-blockhammer: activations of a blacklisted " \
      "row in the history that delay it")                                                                             \
    P(bf_num_rh, bf_num_rh, COUNT, 16384, 1, COMMAND_MOST_ACTS, "single-bus-blockhammer: activations that flip bits") \
    P(bf_trefw_ps, bf_trefw, TIME, 64 * COMMAND_MS, 1000, COMMAND_LONG_PS, "single-bus-blockhammer: refresh window")  \
    P(bf_trc_ps, bf_trc, TIME, 75000, 1000, LONGEST_WAY_PS, "single-bus-blockhammer: row cycle")                      \
    P(rowhammer_threshold, rowhammer_threshold, COUNT, 0, 0, COMMAND_MOST_ACTS, "rows with as many activations in a " \
      "refresh window are counted, and its maximum; 0: not counted")                                                  \
    P(rowhammer_window_ps, rowhammer_window, TIME, 64 * COMMAND_MS, 1000, COMMAND_LONG_PS, "that window")

/* command-dram 9 */
#define MITIGATION_PARAMETERS(P)                                                                                      \
    P(para_threshold, PARA_threshold, RATIO, 0.001, 0, 0, "probability of a VRR with an activation, below 1")         \
    P(para_seed, PARA_seed, COUNT, 123, 0, UINT32_MAX, "of its draws")                                                \
    P(graphene_entries, Graphene_num_table_entries, COUNT, 64, 1, 1 << 20, "rows of a bank that are counted")         \
    P(graphene_threshold, Graphene_activation_threshold, COUNT, 1024, 1, COMMAND_MOST_ACTS, "activations for a VRR")  \
    P(graphene_reset_ps, Graphene_reset_period, TIME, 64 * COMMAND_MS, 1000, COMMAND_LONG_PS, "counts begin anew")    \
    P(oracle_threshold, OracleRH_tRH, COUNT, 1024, 1, COMMAND_MOST_ACTS, "activations for a VRR")                     \
    P(twice_threshold, TWiCe_rh_threshold, COUNT, 1024, 1, COMMAND_MOST_ACTS, "activations for a VRR")                \
    P(twice_pruning, TWiCe_pruning_threshold, RATIO, 1.0, 0, 0, "activations a refresh that keep a row counted")      \
    P(hydra_tracking, Hydra_tracking_threshold, COUNT, 1024, 1, COMMAND_MOST_ACTS, "activations of a row for a VRR")  \
    P(hydra_group, Hydra_group_threshold, COUNT, 512, 1, COMMAND_MOST_ACTS, "activations of a group from which rows " \
      "are counted")                                                                                                  \
    P(hydra_group_rows, Hydra_row_group_size, COUNT, 128, 1, 1 << 20, "rows of a group")                              \
    P(hydra_cache, Hydra_rcc_num_per_rank, COUNT, 4096, 16, 1 << 24, "counters of a rank that the controller keeps")  \
    P(hydra_policy, Hydra_rcc_policy, COMMAND_CACHE, COMMAND_CACHE_RANDOM, 0, 1, "counter that leaves for another")   \
    P(hydra_reset_ps, Hydra_reset_period, TIME, 64 * COMMAND_MS, 1000, COMMAND_LONG_PS, "counts begin anew")          \
    P(rrs_threshold, RRS_threshold, COUNT, 1024, 1, COMMAND_MOST_ACTS, "activations for a swap of rows")              \
    P(rrs_tracker, RRS_num_hrt_entries, COUNT, 64, 1, 1 << 20, "rows of a bank that are counted")                     \
    P(rrs_pairs, RRS_num_rit_entries, COUNT, 64, 1, 1 << 20, "pairs of swapped rows of a bank")                       \
    P(rrs_reset_ps, RRS_reset_period, TIME, 64 * COMMAND_MS, 1000, COMMAND_LONG_PS, "counts begin anew")              \
    P(aqua_threshold, AQUA_threshold, COUNT, 1024, 1, COMMAND_MOST_ACTS, "activations for a move to quarantine")      \
    P(aqua_tracker, AQUA_num_art_entries, COUNT, 64, 1, 1 << 20, "rows of a bank that are counted")                   \
    P(aqua_rows, AQUA_num_qrows_per_bank, COUNT, 64, 1, 1 << 20, "rows of quarantine of a bank")                      \
    P(aqua_reset_ps, AQUA_reset_period, TIME, 64 * COMMAND_MS, 1000, COMMAND_LONG_PS, "counts begin anew")            \
    P(rfm_threshold, RFM_thresh, COUNT, 80, 1, COMMAND_MOST_ACTS, "activations of a bank for an RFM")                 \
    P(rfm_mode, RFM_mode, COMMAND_RFM, COMMAND_RFM_ALL_BANKS, 0, 1, "RFMab or RFMpb")                                 \
    P(hynix_probability, HynixTRR_sample_probability, RATIO, 0.001, 0, 0, "that an activation is the sample, up to "  \
      "1")                                                                                                            \
    P(hynix_seed, HynixTRR_seed, COUNT, 123, 0, UINT32_MAX, "of its draws")                                           \
    P(samsung_entries, SamsungTRR_num_table_entries, COUNT, 64, 1, 1 << 20, "rows of a bank that are counted")        \
    P(samsung_rows, SamsungTRR_num_rows_per_rfm, COUNT, 1, 1, 1024, "rows served by an RFM")                          \
    P(ideal_rows, IdealTRR_num_rows_per_rfm, COUNT, 1, 1, 1024, "rows served by an RFM")

enum { COMMAND_STANDARD_TEXT = 256, COMMAND_PRESET_TEXT = 40, COMMAND_OVERRIDE_TEXT = 24, COMMAND_MOST_OVERRIDES = 32 };

/* A timing of the standard in CK, a size of a level, or channel_width. */
struct command_override {
    char name[COMMAND_OVERRIDE_TEXT];
    uint64_t value;
};

/* What the rest of a configuration asks of a device: worked out when the configuration is finished. */
struct command_figures {
    uint64_t tx_bytes, channel_bytes;        /* of an access; of a channel's device */
    uint64_t row_bytes, banks;               /* of a row; of a channel, all its ranks and pseudo-channels */
    uint64_t tick_ps, ck_ps;                 /* of a tick, rounded down; of CK */
    uint64_t standard_digest;                /* of the standard's files: a changed one is another device */
    uint64_t row_hit_ps, closed_bank_ps, row_conflict_ps;    /* one read of an idle device, with both latencies */
    double peak_bytes_per_s;                 /* of a channel */
};

struct command_params { COMMAND_PARAMETERS(PARAM_FIELD) };
struct mitigation_params { MITIGATION_PARAMETERS(PARAM_FIELD) };

/* All of a memory that is of no other type. */
struct command_memory_params {
    char standard[COMMAND_STANDARD_TEXT];    /* name of a shipped one, or path */
    char organization[COMMAND_PRESET_TEXT], timing[COMMAND_PRESET_TEXT];    /* "": the standard's usual one */
    uint64_t mitigation_count;
    uint64_t mitigations[CMD_MOST_MITIGATIONS];    /* enum cmd_mitigation_kind */
    uint64_t mends[CMD_MEND_COUNT];          /* enum command_mend_choice */
    uint64_t override_count;
    struct command_override overrides[COMMAND_MOST_OVERRIDES];    /* by name */
    struct command_figures figures;
};

#endif
