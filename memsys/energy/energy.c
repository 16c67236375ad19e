/* Modelled: what energy.h says. Not modelled: the share of banks in active standby (IDD3N is that of all banks, or of
 * one, as the data sheet measured it), temperature, patterns of data, transitions between states. Where IDD3N of all
 * banks exceeds IDD0, as of DDR5, the method has no activate; such currents are refused.
 *
 * Checks are exact: currents in uA times ps. 1 uA mV ps is 1e-9 pJ. */
#include "memsys/energy/energy.h"

#include <string.h>

#include "memsys/energy/energy_params.h"

#define PJ 1e-9                          /* of uA mV ps */
#define WATT 1e-9                        /* of uA mV */
#define PIN_WATT 1e-6                    /* of uW */

/* One supply. */
struct supply {
    uint64_t mv, i0, i2n, i2p, i3n, i3p, i4r, i4w, i5b, i6;
    const char *letter, *refresh;        /* of its keys: IDD0, IPP0; IDD5B or IDD5R */
};

struct reading {
    const struct energy_conditions *at;
    const char *path;
};

static struct fault missing(const struct reading *reading, const char *key)
{
    return fault_make(FAULT_INPUT, "%s.%s: is missing; give it with the others of the data sheet (VDD, IDD0, IDD2N, "
                      "IDD2P, IDD3N, IDD3P, IDD4R, IDD4W, IDD5B or IDD5R, IDD6), or none of them", reading->path, key);
}

static struct fault check_given(const struct reading *reading, const struct energy_params *params)
{
    const struct {
        const char *key;
        uint64_t value;
    } needed[] = {
        {"VDD", params->vdd_mv}, {"IDD0", params->idd0_ua}, {"IDD2N", params->idd2n_ua}, {"IDD2P", params->idd2p_ua},
        {"IDD3N", params->idd3n_ua}, {"IDD3P", params->idd3p_ua}, {"IDD4R", params->idd4r_ua},
        {"IDD4W", params->idd4w_ua}, {"IDD5B", params->idd5b_ua + params->idd5r_ua}, {"IDD6", params->idd6_ua}
    };
    uint64_t const second = params->ipp0_ua | params->ipp2n_ua | params->ipp2p_ua | params->ipp3n_ua | params->ipp3p_ua
                            | params->ipp4r_ua | params->ipp4w_ua | params->ipp5b_ua | params->ipp6_ua;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (needed[i].value == 0)
            return missing(reading, needed[i].key);
    if (second && params->vpp_mv == 0)
        return fault_make(FAULT_INPUT, "%s.VPP: is missing; give the voltage of the currents IPP, such as 2.5V, or "
                          "none of these", reading->path);
    if (params->vpp_mv && (params->ipp0_ua == 0 || params->ipp3n_ua == 0))
        return fault_make(FAULT_INPUT, "%s.%s: is missing; give IPP0 and IPP3N with VPP, or leave VPP out",
                          reading->path, params->ipp0_ua ? "IPP3N" : "IPP0");
    return fault_none();
}

static uint64_t energy_or(uint64_t value, uint64_t otherwise)
{
    return value ? value : otherwise;
}

/* IDD5R is the mean of refreshes each tREFI with precharge standby between them. */
static uint64_t refresh_current(const struct energy_params *params, const struct energy_conditions *at)
{
    if (params->idd5b_ua || params->idd5r_ua <= params->idd2n_ua || at->tRFC_ps == 0)
        return energy_or(params->idd5b_ua, params->idd5r_ua);
    return params->idd2n_ua + (params->idd5r_ua - params->idd2n_ua) * at->tREFI_ps / at->tRFC_ps;
}

static struct supply first_supply(const struct energy_params *params, const struct energy_conditions *at)
{
    return (struct supply){params->vdd_mv, params->idd0_ua, params->idd2n_ua, params->idd2p_ua, params->idd3n_ua,
                           params->idd3p_ua, params->idd4r_ua, params->idd4w_ua, refresh_current(params, at),
                           params->idd6_ua, "D", params->idd5b_ua ? "5B" : "5R"};
}

static struct supply second_supply(const struct energy_params *params)
{
    uint64_t const standby = params->ipp3n_ua;

    return (struct supply){params->vpp_mv, params->ipp0_ua, energy_or(params->ipp2n_ua, standby),
                           energy_or(params->ipp2p_ua, standby), standby, energy_or(params->ipp3p_ua, standby),
                           energy_or(params->ipp4r_ua, standby), energy_or(params->ipp4w_ua, standby),
                           energy_or(params->ipp5b_ua, standby), energy_or(params->ipp6_ua, standby), "P", "5B"};
}

static struct fault too_low(const struct reading *reading, const struct supply *supply, const char *number,
                            uint64_t value_ua, uint64_t lowest_ua, const char *reason)
{
    return fault_make(FAULT_INPUT, "%s.I%s%s%s: %.3f mA %s; give %.3f mA or more", reading->path, supply->letter,
                      supply->letter, number, (double)value_ua / 1000, reason, (double)lowest_ua / 1000);
}

/* No command may yield energy. */
static struct fault check_supply(const struct reading *reading, const struct supply *supply)
{
    uint64_t const tRC_ps = reading->at->tRAS_ps + reading->at->tRP_ps;
    uint64_t const standby = supply->i3n * reading->at->tRAS_ps + supply->i2n * reading->at->tRP_ps;
    const struct {
        const char *number;
        uint64_t value;
    } bursts[] = {{"4R", supply->i4r}, {"4W", supply->i4w}, {supply->refresh, supply->i5b}};

    if (supply->i0 * tRC_ps < standby)
        return too_low(reading, supply, "0", supply->i0, tRC_ps ? (standby + tRC_ps - 1) / tRC_ps : 0,
                       "is less than standby, 3N during tRAS and 2N during tRP, so an activate would yield energy");
    for (size_t i = 0; i < sizeof bursts / sizeof *bursts; i++)
        if (bursts[i].value < supply->i3n)
            return too_low(reading, supply, bursts[i].number, bursts[i].value, supply->i3n,
                           "is less than 3N, active standby, so such a command would yield energy");
    return fault_none();
}

static void add_supply(struct energy_device *device, const struct supply *supply, const struct energy_conditions *at)
{
    double const mv = (double)(supply->mv * (at->chips + at->check_chips)), burst = mv * (double)at->tBURST_ps * PJ;
    uint64_t const states[ENERGY_STATES] = {
        [ENERGY_PRECHARGED] = supply->i2n, [ENERGY_REFRESH] = supply->i3n, [ENERGY_SELF_REFRESH] = supply->i6,
        [ENERGY_PRECHARGE_DOWN] = supply->i2p, [ENERGY_ACTIVE] = supply->i3n, [ENERGY_ACTIVE_DOWN] = supply->i3p
    };

    device->activate_pj += mv * PJ * (double)(supply->i0 * (at->tRAS_ps + at->tRP_ps) - supply->i3n * at->tRAS_ps
                                              - supply->i2n * at->tRP_ps);
    device->read_pj += burst * (double)(supply->i4r - supply->i3n);
    device->write_pj += burst * (double)(supply->i4w - supply->i3n);
    device->refresh_w += mv * WATT * (double)(supply->i5b - supply->i3n);
    for (unsigned i = 0; i < ENERGY_STATES; i++)
        device->state_w[i] += mv * WATT * (double)states[i];
}

struct fault energy_device_init(struct energy_device *device, const struct energy_params *params,
                                const struct energy_conditions *conditions, const char *path)
{
    struct reading const reading = {conditions, path};
    struct supply const supplies[] = {first_supply(params, conditions), second_supply(params)};
    uint64_t const pins = conditions->pins * conditions->chips + conditions->check_pins;
    double const pins_ps = PIN_WATT * (double)(pins * conditions->tBURST_ps);
    static const struct energy_params none;

    memset(device, 0, sizeof *device);   /* configurations are compared by their bytes */
    if (memcmp(params, &none, sizeof none) == 0)
        return fault_none();
    FORWARD(check_given(&reading, params));
    for (unsigned i = 0; i < (params->vpp_mv ? 2 : 1); i++)
        FORWARD(check_supply(&reading, &supplies[i]));
    for (unsigned i = 0; i < (params->vpp_mv ? 2 : 1); i++)
        add_supply(device, &supplies[i], conditions);
    device->is_known = true;
    device->has_io = params->read_pin_uw || params->write_pin_uw;
    device->read_io_pj = pins_ps * (double)params->read_pin_uw;
    device->write_io_pj = pins_ps * (double)params->write_pin_uw;
    return fault_none();
}

struct energy energy_of(const struct energy_device *device, const struct energy_counts *counts)
{
    struct energy energy = {
        .activate = device->activate_pj * (double)counts->activates, .read = device->read_pj * (double)counts->reads,
        .write = device->write_pj * (double)counts->writes, .refresh = device->refresh_w * counts->refresh_ps,
        .io = device->read_io_pj * (double)counts->reads + device->write_io_pj * (double)counts->writes
    };

    for (unsigned i = 0; i < ENERGY_STATES; i++)
        energy.background += device->state_w[i] * counts->state_ps[i];
    return energy;
}

double energy_total(const struct energy *energy)
{
    double total = 0;

#define ADD(part) total += energy->part;
    ENERGY_PARTS(ADD)
#undef ADD
    return total;
}
