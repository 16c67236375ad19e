/* The device classes of classic-memory 12.1 (geometry, policies) and 12.2 (timing, in ps), inheritance resolved.
 * Energies are not kept. The figures of an HMC's own controller (8.1) are no part of its device: they are set under
 * memory.controller.
 *
 * Each device takes four lines: its name, then
 *   device_size, bus bits, burst length, device row buffer, devices a rank, ranks, banks, bank groups, read queue,
 *   write queue, page policy, address map, accesses a row, activation limit, two-cycle activate, data clock sync
 *   tCK, tBURST, tBURST_MIN, tBURST_MAX, tCCD_L, tCCD_L_WR, tRCD, tRCD_WR, tCL, tCWL, tRP, tRAS, tRRD, tRRD_L
 *   tXAW, tWR, tRTP, tWTR, tWTR_L, tRTW, tCS, tPPD, tAAD, tRFC, tREFI, tXP, tXS */
#include "memsys/dram/devices.h"

#include <string.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define OPEN_AD PAGE_OPEN_ADAPTIVE
#define CLOSE_AD PAGE_CLOSE_ADAPTIVE
#define COCH MAP_RO_RA_BA_CO_CH
#define ROCO MAP_RO_CO_RA_BA_CH
#define NONE PARAM_MISSING

#define DEVICE(name_, size, bits, length, row, devices, ranks, banks, groups, reads, writes, policy, map, accesses,   \
               limit, two_cycle, sync, ck, burst, burst_min, burst_max, ccd_l, ccd_l_wr, rcd, rcd_wr, cl, cwl, rp,    \
               ras, rrd, rrd_l, xaw, wr, rtp, wtr, wtr_l, rtw, cs, ppd, aad, rfc, refi, xp, xs)                       \
    {.name = #name_,                                                                                                  \
     .params = {.device_size_bytes = size, .device_bus_width_bits = bits, .burst_length = length,                     \
                .device_rowbuffer_bytes = row, .devices_per_rank = devices, .ranks_per_channel = ranks,               \
                .banks_per_rank = banks, .bank_groups_per_rank = groups, .read_buffer_size = reads,                   \
                .write_buffer_size = writes, .page_policy = policy, .addr_mapping = map,                              \
                .max_accesses_per_row = accesses, .activation_limit = limit, .two_cycle_activate = two_cycle,         \
                .data_clock_sync = sync, .enable_dram_powerdown = 0, .tCK_ps = ck, .tBURST_ps = burst,                \
                .tBURST_MIN_ps = burst_min, .tBURST_MAX_ps = burst_max, .tCCD_L_ps = ccd_l,                           \
                .tCCD_L_WR_ps = ccd_l_wr, .tRCD_ps = rcd, .tRCD_WR_ps = rcd_wr, .tCL_ps = cl, .tCWL_ps = cwl,         \
                .tRP_ps = rp, .tRAS_ps = ras, .tRRD_ps = rrd, .tRRD_L_ps = rrd_l, .tXAW_ps = xaw, .tWR_ps = wr,       \
                .tRTP_ps = rtp, .tWTR_ps = wtr, .tWTR_L_ps = wtr_l, .tRTW_ps = rtw, .tCS_ps = cs, .tPPD_ps = ppd,     \
                .tAAD_ps = aad, .tRFC_ps = rfc, .tREFI_ps = refi, .tXP_ps = xp, .tXS_ps = xs}}

static const struct dram_device devices[] = {
    DEVICE(DDR3_1600_8x8,
      512 * MIB,   8,  8, 1 * KIB,  8, 2,  8, 0, 32,  64,  OPEN_AD, COCH, 16, 4, 0, 0,
      1250,  5000,  5000,  5000,     0,     0, 13750, 13750, 13750, 13750, 13750, 35000,  6000,    0,
      30000, 15000,  7500,  7500,  7500,  2500,  2500,    0,  1250, 260000, 7800000,  6000, 270000),
    DEVICE(DDR3_2133_8x8,
      512 * MIB,   8,  8, 1 * KIB,  8, 2,  8, 0, 32,  64,  OPEN_AD, COCH, 16, 4, 0, 0,
       938,  3752,  3752,  3752,     0,     0, 13090, 13090, 13090, 13090, 13090, 33000,  5000,    0,
      25000, 15000,  7500,  7500,  7500,  2500,  2500,    0,   938, 260000, 7800000,  6000, 270000),
    DEVICE(DDR4_2400_16x4,
        1 * GIB,   4,  8,     512, 16, 2, 16, 4, 64, 128,  OPEN_AD, COCH, 16, 4, 0, 0,
       833,  3332,  3332,  3332,  5000,  5000, 14160, 14160, 14160, 14160, 14160, 32000,  3332, 4900,
      13328, 15000,  7500,  5000,  5000,  1666,  1666,    0,   833, 350000, 7800000,  6000, 340000),
    DEVICE(DDR4_2400_8x8,
        1 * GIB,   8,  8, 1 * KIB,  8, 2, 16, 4, 64, 128,  OPEN_AD, COCH, 16, 4, 0, 0,
       833,  3332,  3332,  3332,  5000,  5000, 14160, 14160, 14160, 14160, 14160, 32000,  3332, 4900,
      21000, 15000,  7500,  5000,  5000,  1666,  1666,    0,   833, 350000, 7800000,  6000, 340000),
    DEVICE(DDR4_2400_4x16,
        1 * GIB,  16,  8, 2 * KIB,  4, 1,  8, 2, 64, 128,  OPEN_AD, COCH, 16, 4, 0, 0,
       833,  3332,  3332,  3332,  5000,  5000, 14160, 14160, 14160, 14160, 14160, 32000,  5300, 6400,
      30000, 15000,  7500,  5000,  5000,  1666,  1666,    0,   833, 350000, 7800000,  6000, 340000),
    DEVICE(DDR5_4400_4x8,
      512 * MIB,   8, 16,     256,  4, 1, 32, 8, 64,  64, CLOSE_AD, COCH, 16, 4, 0, 0,
       454,  3632,  3632,  3632,  5000,  5000, 14545, 14545, 14545, 13637, 14545, 32000,  3632, 5000,
      14545, 30000,  7500, 16137, 23637,  2497,  1000,  908,   454, 295000, 3900000,  7500, 295000),
    DEVICE(DDR5_6400_4x8,
      512 * MIB,   8, 16,     256,  4, 1, 32, 8, 64,  64, CLOSE_AD, COCH, 16, 4, 0, 0,
       312,  2496,  2496,  2496,  5000,  5000, 14375, 14375, 14375, 13751, 14375, 32000,  2496, 5000,
      10000, 30000,  7500, 16251, 23751,  1716,  1000,  908,   312, 295000, 3900000,  7500, 295000),
    DEVICE(DDR5_8400_4x8,
      512 * MIB,   8, 16,     256,  4, 1, 32, 8, 64,  64, CLOSE_AD, COCH, 16, 4, 0, 0,
       238,  1904,  1904,  1904,  5000,  5000, 14285, 14285, 14285, 13809, 14285, 32000,  1904, 5000,
      10000, 30000,  7500, 16309, 23809,  1309,  1000,  908,   238, 295000, 3900000,  7500, 295000),
    DEVICE(LPDDR2_S4_1066_1x32,
      512 * MIB,  32,  8, 1 * KIB,  1, 1,  8, 0, 32,  64,  OPEN_AD, COCH, 16, 4, 0, 0,
      1876,  7500,  7500,  7500,     0,     0, 15000, 15000, 15000, 15000, 15000, 42000, 10000,    0,
      50000, 15000,  7500,  7500,  7500,  3750,  3750,    0,  1876, 130000, 3900000,  7500, 140000),
    DEVICE(LPDDR3_1600_1x32,
      512 * MIB,  32,  8, 4 * KIB,  1, 1,  8, 0, 32,  64,  OPEN_AD, COCH, 16, 4, 0, 0,
      1250,  5000,  5000,  5000,     0,     0, 18000, 18000, 15000, 15000, 18000, 42000, 10000,    0,
      50000, 15000,  7500,  7500,  7500,  2500,  2500,    0,  1250, 130000, 3900000,  7500, 140000),
    DEVICE(LPDDR5_5500_1x16_BG_BL32,
        1 * GIB,  16, 32, 2 * KIB,  1, 1, 16, 4, 64,  64, CLOSE_AD, COCH, 16, 4, 1, 1,
      1455,  8730,  2910, 11640, 11640, 11640, 18000, 18000, 23280, 23280, 18000, 42000,  5000, 5000,
      20000, 34000,  4590,  6250, 12000,  1455,  2910, 2910, 11640, 210000, 3900000,  7000, 217500),
    DEVICE(LPDDR5_5500_1x16_BG_BL16,
        1 * GIB,  16, 16, 2 * KIB,  1, 1, 16, 4, 64,  64, CLOSE_AD, COCH, 16, 4, 1, 1,
      1455,  2910,  2910,  5820,  5820,  5820, 18000, 18000, 23280, 23280, 18000, 42000,  5000, 5000,
      20000, 34000,  4590,  6250, 12000,  1455,  2910, 2910, 11640, 210000, 3900000,  7000, 217500),
    DEVICE(LPDDR5_5500_1x16_8B_BL32,
        1 * GIB,  16, 32, 4 * KIB,  1, 1,  8, 0, 64,  64, CLOSE_AD, COCH, 16, 4, 1, 1,
      1455,  5820,  5820,  5820,     0,     0, 18000, 18000, 23280, 23280, 18000, 42000, 10000,    0,
      40000, 34000,  4590, 12000,     0,  1455,  2910, 2910, 11640, 210000, 3900000,  7000, 217500),
    DEVICE(LPDDR5_6400_1x16_BG_BL32,
        1 * GIB,  16, 32, 2 * KIB,  1, 1, 16, 4, 64,  64, CLOSE_AD, COCH, 16, 4, 1, 1,
      1250,  7500,  2500, 10000, 10000, 10000, 18000, 18000, 21250, 21250, 18000, 42000,  5000, 5000,
      20000, 34000,  4590,  6250, 12000,  1250,  2500, 2500, 10000, 210000, 3900000,  7000, 217500),
    DEVICE(LPDDR5_6400_1x16_BG_BL16,
        1 * GIB,  16, 16, 2 * KIB,  1, 1, 16, 4, 64,  64, CLOSE_AD, COCH, 16, 4, 1, 1,
      1250,  2500,  2500,  5000,  5000,  5000, 18000, 18000, 21250, 21250, 18000, 42000,  5000, 5000,
      20000, 34000,  4590,  6250, 12000,  1250,  2500, 2500, 10000, 210000, 3900000,  7000, 217500),
    DEVICE(LPDDR5_6400_1x16_8B_BL32,
        1 * GIB,  16, 32, 4 * KIB,  1, 1,  8, 0, 64,  64, CLOSE_AD, COCH, 16, 4, 1, 1,
      1250,  5000,  5000,  5000,     0,     0, 18000, 18000, 21250, 21250, 18000, 42000, 10000,    0,
      40000, 34000,  4590, 12000,     0,  1250,  2500, 2500, 10000, 210000, 3900000,  7000, 217500),
    DEVICE(WideIO_200_1x128,
        1 * GIB, 128,  4, 4 * KIB,  1, 1,  4, 0, 32,  64,  OPEN_AD, COCH, 16, 2, 0, 0,
      5000, 20000, 20000, 20000,     0,     0, 18000, 18000, 18000, 18000, 18000, 42000, 10000,    0,
      50000, 15000, 20000, 15000, 15000, 10000, 10000,    0,  5000, 210000, 3900000,     0,      0),
    DEVICE(HBM_1000_4H_1x128,
      128 * MIB, 128,  4, 2 * KIB,  1, 1,  8, 0, 32,  64,  OPEN_AD, COCH, 16, 4, 0, 0,
      2000,  4000,  4000,  4000,     0,     0, 15000, 15000, 15000, 15000, 15000, 33000,  4000,    0,
      30000, 18000,  7500, 10000, 10000,  4000,     0,    0,  2000, 160000, 3900000,  8000, 168000),
    DEVICE(HBM_1000_4H_1x64,
      256 * MIB,  64,  4, 1 * KIB,  1, 1, 16, 0, 32,  64,  OPEN_AD, COCH, 16, 4, 0, 0,
      2000,  4000,  4000,  4000,     0,     0, 15000, 15000, 15000, 15000, 15000, 33000,  4000,    0,
      30000, 18000,  7500, 10000, 10000,  4000,  2000,    0,  2000, 260000, 3900000, 10000,  65000),
    DEVICE(HBM_2000_4H_1x64,
      256 * MIB,  64,  4, 1 * KIB,  1, 1, 16, 4, 64,  64, CLOSE_AD, COCH, 16, 4, 1, 0,
      1000,  2000,  2000,  2000,  3000,  3000, 12000,  6000, 18000,  7000, 14000, 28000,  4000, 6000,
      16000, 14000,  5000,  4000,  9000, 18000,     0,    0,  1000, 220000, 3900000,  8000, 216000),
    DEVICE(GDDR5_4000_2x32,
      128 * MIB,  32,  8,     256,  2, 1, 16, 4, 32,  64,  OPEN_AD, COCH, 16, 0, 0, 0,
      1000,  2000,  2000,  2000,  3000,  3000, 12000, 12000, 12000, 12000, 12000, 28000,  6000, 6000,
      23000, 12000,  2000,  5000,  5000,  2000,  NONE,    0,  1000,  65000,    NONE,     0,      0),
    DEVICE(HMC_2500_1x32,
        8 * MIB,  32,  8,     256,  1, 4,  2, 0, 32,  32, CLOSE_AD, ROCO, 16, 0, 0, 0,
       800,  3200,  3200,  3200,     0,     0, 10200, 10200,  9900,  9900,  7700, 21600,  3200,    0,
      30000,  8000,  4900,  7500,  7500,  2500,   800,    0,   800,  59000, 3900000,  6000, 270000),
    /* GPUs: cycles of gpu-traces 13 and 14 at the device's command clock, 32 bytes a burst (HBM_1000_1x256: 64); what
     * is not there (refresh, activation windows) as data sheets of such devices have it: HBM_1000_1x256 has the 16
     * banks of 4 Gbit dies, whose refresh takes 260 ns (DRAMsim3's HBM1_4Gb_x128, which agrees with 14 in all that is
     * there); those of 2 Gbit have 8 banks and 160 ns, as HBM_1000_4H_1x128. HBM2_1700_1x64 is a pseudo-channel
     * (JESD235B: 64 bits, bursts of 4, rows of 1 KB, banks of its own) of HBM2_1700_1x128; bursts in one bank group are
     * 3 clocks apart, as HBM_2000_4H_1x64 has it. Reads keep their place in the queue until
     * their data have come, so that it holds some 64 that wait. */
    DEVICE(HBM_1000_1x256,
      256 * MIB, 256,  2, 2 * KIB,  1, 1, 16, 4, 128, 128, PAGE_OPEN, COCH, 0, 4, 0, 0,
      2000,  2000,  2000,  2000,  2000,  2000, 14000, 14000, 14000,  4000, 14000, 34000,  4000, 6000,
      30000, 16000,  6000,  6000,  8000, 12000,  4000,    0,  2000, 260000, 3900000,  8000, 268000),
    DEVICE(HBM2_1700_1x128,
      512 * MIB, 128,  2, 2 * KIB,  1, 1, 16, 4, 128, 128, PAGE_OPEN, COCH, 0, 4, 0, 0,
      1176,  1176,  1176,  1176,  2353,  2353, 14118, 14118, 14118,  2353, 14118, 32941,  3529, 3529,
      16000, 11765,  3529,  3529,  3529, 14118,  2353,    0,  1176, 260000, 3900000,  8000, 268000),
    DEVICE(HBM2_1700_1x64,
      256 * MIB,  64,  4, 1 * KIB,  1, 1, 16, 4, 128, 128, PAGE_OPEN, COCH, 0, 4, 0, 0,
      1176,  2353,  2353,  2353,  3529,  3529, 14118, 14118, 14118,  2353, 14118, 32941,  3529, 3529,
      16000, 11765,  3529,  3529,  3529, 14118,  2353,    0,  1176, 260000, 3900000,  8000, 268000),
    DEVICE(HBM2E_2430_1x128,
        1 * GIB, 128,  2, 2 * KIB,  1, 1, 16, 4, 192, 128, PAGE_OPEN, COCH, 0, 4, 0, 0,
       823,   823,   823,   823,  1646,  1646, 18107, 18107, 18107,  3292, 18107, 41152,  3292, 3292,
      16000, 15638,  5761,  4115,  4115, 16461,  1646,    0,   823, 260000, 3900000,  8000, 268000),
    DEVICE(HBM3_6212_1x64,
        1 * GIB,  64,  4, 2 * KIB,  1, 1, 16, 4, 192, 128, PAGE_OPEN, COCH, 0, 4, 0, 0,
       644,   644,   644,   644,  1288,  1288, 12236, 12236, 12236,  3864, 12236, 28980,  2576, 2576,
      12000, 13524,  5152,  5152,  5152,  9660,  1288,    0,   644, 260000, 3900000,  8000, 268000),
    DEVICE(GDDR5X_10000_1x32,
        1 * GIB,  32,  8, 2 * KIB,  1, 1, 16, 4, 128, 128, PAGE_OPEN, COCH, 0, 4, 0, 0,
       800,   800,   800,   800,  1600,  1600, 12800, 12800, 12800,  4800, 12800, 29600,  6400, 6400,
      25600, 12800,  2400,  5600,  5600,  9600,  1600,    0,   800, 120000, 1900000,  8000, 128000),
    DEVICE(GDDR6_14000_1x16,
        1 * GIB,  16, 16, 2 * KIB,  1, 1, 16, 4, 128, 128, PAGE_OPEN, COCH, 0, 4, 0, 0,
       571,  1143,  1143,  1143,  1714,  1714, 13714, 13714, 13714,  4571, 13714, 31429,  6857, 6857,
      27429, 13714,  2286,  5714,  5714, 10286,  1143,    0,   571, 120000, 1900000,  8000, 128000),
};

size_t dram_device_count(void)
{
    return sizeof devices / sizeof devices[0];
}

const struct dram_device *dram_device_at(size_t index)
{
    return &devices[index];
}

const struct dram_device *dram_device_find(const char *name)
{
    for (size_t i = 0; i < dram_device_count(); i++)
        if (strcmp(devices[i].name, name) == 0)
            return &devices[i];
    return NULL;
}

#define POLICY_FIELDS(F)                                                                                              \
    F(read_buffer_size) F(write_buffer_size) F(page_policy) F(addr_mapping) F(max_accesses_per_row)                   \
    F(enable_dram_powerdown)

void dram_copy_policy(struct dram_params *to, const struct dram_params *from)
{
#define COPY(field) to->field = from->field;
    POLICY_FIELDS(COPY)
}

bool dram_is_policy(const char *key)
{
#define NAME(field) #field,
    static const char *const names[] = {POLICY_FIELDS(NAME)};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(key, names[i]) == 0)
            return true;
    return false;
}
