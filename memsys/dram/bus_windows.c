#include "memsys/dram/bus_windows.h"

void bus_windows_init(struct bus_windows *windows, uint64_t length_ps, uint64_t burst_ps)
{
    *windows = (struct bus_windows){.length_ps = length_ps, .burst_ps = burst_ps, .end_ps = length_ps};
}

void bus_windows_reset(struct bus_windows *windows, uint64_t now_ps)
{
    *windows = (struct bus_windows){.length_ps = windows->length_ps, .burst_ps = windows->burst_ps,
                                    .end_ps = now_ps + windows->length_ps};
}

static unsigned part_of(const struct bus_windows *windows)
{
    uint64_t const part = windows->bursts * windows->burst_ps * BUS_WINDOW_PARTS / windows->length_ps;

    return part < BUS_WINDOW_PARTS ? (unsigned)part : BUS_WINDOW_PARTS - 1;
}

static void bus_windows_add(struct bus_window_sums *sums, unsigned part, uint64_t bursts)
{
    sums->windows[part]++;
    sums->bursts[part] += bursts;
}

void bus_windows_close(struct bus_windows *windows, uint64_t until_ps, uint64_t waited)
{
    uint64_t idle;
    unsigned part;

    if (until_ps < windows->end_ps)
        return;
    part = part_of(windows);
    bus_windows_add(&windows->all, part, windows->bursts);
    if (waited - windows->waited >= BUS_WINDOW_QUEUE * windows->length_ps)
        bus_windows_add(&windows->queued, part, windows->bursts);
    windows->bursts = 0;
    windows->waited = waited;
    idle = (until_ps - windows->end_ps) / windows->length_ps;        /* windows without a burst */
    windows->all.windows[0] += idle;
    windows->end_ps += (idle + 1) * windows->length_ps;
}
