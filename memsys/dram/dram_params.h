/* Parameters of a DRAM device and of its controller (memsys/sim/param.h). */
#ifndef MEMSYS_DRAM_DRAM_PARAMS_H
#define MEMSYS_DRAM_DRAM_PARAMS_H

#include "memsys/sim/param.h"

#define PAGE_POLICIES(V)                                                                                              \
    V(PAGE_OPEN, open) V(PAGE_OPEN_ADAPTIVE, open_adaptive) V(PAGE_CLOSE, close)                                      \
    V(PAGE_CLOSE_ADAPTIVE, close_adaptive)
PARAM_ENUM(page_policy, PAGE_POLICIES);
#define ADDR_MAPPINGS(V)                                                                                              \
    V(MAP_RO_RA_BA_CO_CH, RoRaBaCoCh) V(MAP_RO_RA_BA_CH_CO, RoRaBaChCo) V(MAP_RO_CO_RA_BA_CH, RoCoRaBaCh)
PARAM_ENUM(addr_mapping, ADDR_MAPPINGS);

#define MEM_SCHEDS(V)                                                                                                 \
    V(SCHED_FRFCFS, frfcfs) V(SCHED_FCFS, fcfs)
PARAM_ENUM(mem_sched, MEM_SCHEDS);
#define REFRESH_POLICIES(V)                                                                                           \
    V(REFRESH_ALL_BANK, all_bank) V(REFRESH_NONE, none)
PARAM_ENUM(refresh_policy, REFRESH_POLICIES);

/* classic-memory 8.1 */
#define CONTROLLER_PARAMETERS(P)                                                                                      \
    P(write_high_thresh_perc, write_high_thresh_perc, PERCENT, 85, 0, 100, "write queue fill that forces writes")     \
    P(write_low_thresh_perc, write_low_thresh_perc, PERCENT, 50, 0, 100, "write queue fill above which an idle bus "  \
      "writes")                                                                                                       \
    P(min_writes_per_switch, min_writes_per_switch, COUNT, 16, 0, 65536, "writes before the bus turns to reads")      \
    P(min_reads_per_switch, min_reads_per_switch, COUNT, 16, 0, 65536, "reads before the bus turns to forced writes") \
    P(mem_sched_policy, mem_sched_policy, MEM_SCHED, SCHED_FRFCFS, 0, 1, "row hits first, or strictly in order")      \
    P(refresh, refresh, REFRESH, REFRESH_ALL_BANK, 0, 1, "ranks are refreshed each tREFI, all banks closed, or never")\
    P(static_frontend_latency_ps, static_frontend_latency, TIME, 10000, 0, LONGEST_WAY_PS, "controller, on the "      \
      "way in")                                                                                                       \
    P(static_backend_latency_ps, static_backend_latency, TIME, 10000, 0, LONGEST_WAY_PS, "controller and PHY, on "    \
      "the way out")                                                                                                  \
    P(command_window_ps, command_window, TIME, 10000, 1, LONGEST_WAY_PS, "window in which commands are counted "      \
      "against the command bus")

/* classic-memory 9, 12. Keys are the reference's. Defaults: DDR3_1600_8x8; other devices: configs/dram/. */
#define DRAM_PARAMETERS(P)                                                                                            \
    P(device_size_bytes, device_size, BYTES, 536870912, 1, UINT64_C(1) << 60, "capacity of one chip (only checked)")  \
    P(device_bus_width_bits, device_bus_width, COUNT, 8, 1, 4096, "data pins of one chip")                            \
    P(burst_length, burst_length, COUNT, 8, 1, 1024, "beats of a burst")                                              \
    P(device_rowbuffer_bytes, device_rowbuffer_size, BYTES, 1024, 1, UINT64_C(1) << 17, "row buffer of one chip")     \
    P(devices_per_rank, devices_per_rank, COUNT, 8, 1, 256, "chips of a rank")                                        \
    P(ranks_per_channel, ranks_per_channel, COUNT, 2, 1, 16, "ranks")                                                 \
    P(banks_per_rank, banks_per_rank, COUNT, 8, 1, 1024, "banks")                                                     \
    P(bank_groups_per_rank, bank_groups_per_rank, COUNT, 0, 0, 1024, "bank groups; 0: the device has none")           \
    P(read_buffer_size, read_buffer_size, COUNT, 32, 1, 65536, "read queue of a channel, in bursts")                  \
    P(write_buffer_size, write_buffer_size, COUNT, 64, 1, 65536, "write queue of a channel, in bursts")               \
    P(page_policy, page_policy, PAGE_POLICY, PAGE_OPEN_ADAPTIVE, 0, 3, "when a row is closed")                        \
    P(addr_mapping, addr_mapping, ADDR_MAPPING, MAP_RO_RA_BA_CO_CH, 0, 2, "order of row, rank, bank, column and "     \
      "channel bits")                                                                                                 \
    P(bank_hash, bank_hash, BOOL, 0, 0, 1, "the lowest bits of the row are XORed into the bank, so that rows of one " \
      "bank lie in different ones; banks are a power of two")                                                         \
    P(max_accesses_per_row, max_accesses_per_row, COUNT, 16, 0, 65536, "accesses after which a row is "               \
      "closed; 0: no limit")                                                                                          \
    P(activation_limit, activation_limit, COUNT, 4, 0, 64, "activates in a window of tXAW; 0: no limit")              \
    P(two_cycle_activate, two_cycle_activate, BOOL, 0, 0, 1, "an activate takes two commands")                        \
    P(data_clock_sync, data_clock_sync, BOOL, 0, 0, 1, "the data clock must be synchronised before a burst")          \
    P(enable_dram_powerdown, enable_dram_powerdown, BOOL, 0, 0, 1, "idle ranks power down")                           \
    P(tCK_ps, tCK, TIME, 1250, 1, LONGEST_DRAM_PS, "clock period")                                                    \
    P(tBURST_ps, tBURST, TIME, 5000, 1, LONGEST_DRAM_PS, "duration of a burst")                                       \
    P(tBURST_MIN_ps, tBURST_MIN, TIME, 5000, 1, LONGEST_DRAM_PS, "shortest distance of bursts to other bank groups")  \
    P(tBURST_MAX_ps, tBURST_MAX, TIME, 5000, 1, LONGEST_DRAM_PS, "longest duration of a burst")                       \
    P(tCCD_L_ps, tCCD_L, TIME, 0, 0, LONGEST_DRAM_PS, "column to column, same bank group")                            \
    P(tCCD_L_WR_ps, tCCD_L_WR, TIME, 0, 0, LONGEST_DRAM_PS, "write to write, same bank group")                        \
    P(tRCD_ps, tRCD, TIME, 13750, 0, LONGEST_DRAM_PS, "activate to read")                                             \
    P(tRCD_WR_ps, tRCD_WR, TIME, 13750, 0, LONGEST_DRAM_PS, "activate to write")                                      \
    P(tCL_ps, tCL, TIME, 13750, 0, LONGEST_DRAM_PS, "read to data")                                                   \
    P(tCWL_ps, tCWL, TIME, 13750, 0, LONGEST_DRAM_PS, "write to data")                                                \
    P(tRP_ps, tRP, TIME, 13750, 0, LONGEST_DRAM_PS, "precharge")                                                      \
    P(tRAS_ps, tRAS, TIME, 35000, 0, LONGEST_DRAM_PS, "activate to precharge")                                        \
    P(tRRD_ps, tRRD, TIME, 6000, 0, LONGEST_DRAM_PS, "activate to activate")                                          \
    P(tRRD_L_ps, tRRD_L, TIME, 0, 0, LONGEST_DRAM_PS, "activate to activate, same bank group")                        \
    P(tXAW_ps, tXAW, TIME, 30000, 0, LONGEST_DRAM_PS, "window of activation_limit activates")                         \
    P(tWR_ps, tWR, TIME, 15000, 0, LONGEST_DRAM_PS, "write recovery")                                                 \
    P(tRTP_ps, tRTP, TIME, 7500, 0, LONGEST_DRAM_PS, "read to precharge")                                             \
    P(tWTR_ps, tWTR, TIME, 7500, 0, LONGEST_DRAM_PS, "write to read")                                                 \
    P(tWTR_L_ps, tWTR_L, TIME, 7500, 0, LONGEST_DRAM_PS, "write to read, same bank group")                            \
    P(tRTW_ps, tRTW, TIME, 2500, 0, LONGEST_DRAM_PS, "read to write")                                                 \
    P(tCS_ps, tCS, TIME, 2500, 0, LONGEST_DRAM_PS, "rank to rank")                                                    \
    P(tPPD_ps, tPPD, TIME, 0, 0, LONGEST_DRAM_PS, "precharge to precharge")                                           \
    P(tAAD_ps, tAAD, TIME, 1250, 0, LONGEST_DRAM_PS, "between the two commands of an activate")                       \
    P(tRFC_ps, tRFC, TIME, 260000, 0, LONGEST_DRAM_PS, "refresh")                                                     \
    P(tREFI_ps, tREFI, TIME, 7800000, 500000, UINT64_C(1) << 40, "refresh interval")                                  \
    P(tXP_ps, tXP, TIME, 6000, 0, LONGEST_DRAM_PS, "leaving power-down")                                              \
    P(tXS_ps, tXS, TIME, 270000, 0, LONGEST_DRAM_PS, "leaving self-refresh")

struct controller_params { CONTROLLER_PARAMETERS(PARAM_FIELD) };
struct dram_params { DRAM_PARAMETERS(PARAM_FIELD) };

#endif
