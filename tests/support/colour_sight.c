#define _DEFAULT_SOURCE
#include "tests/support/colour_sight.h"

#include <math.h>
#include <stddef.h>

static double linear(uint8_t channel)
{
    double const value = channel / 255.0;

    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* ---- sight */

static uint8_t gamma_of(double value)
{
    double const clipped = value > 0 ? fmin(value, 1) : 0;

    return (uint8_t)lround(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * pow(clipped, 1 / 2.4) - 0.055));
}

/* From linear sRGB to linear sRGB. Vienot, Brettel and Mollon project along the missing cone onto one plane, Brettel
 * onto one of two half planes; matrices as in libDaltonLens. */
static const double protanopia[3][3] = {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}};
static const double deuteranopia[3][3] = {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}};
static const double tritanopia[2][3][3] = {
    {{1.01277, 0.13548, -0.14826}, {-0.01243, 0.86812, 0.14431}, {0.07589, 0.80500, 0.11911}},
    {{0.93678, 0.18979, -0.12657}, {0.06154, 0.81526, 0.12320}, {-0.37562, 1.12767, 0.24796}}
};
static const double tritanopia_plane[3] = {0.03901, -0.02788, -0.01113};

static double dot(const double one[3], const double other[3])
{
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
}

struct colour sight_seen(struct colour colour, enum sight sight)
{
    double const rgb[3] = {linear(colour.red), linear(colour.green), linear(colour.blue)};
    const double (*seen)[3] = NULL;

    switch (sight) {
    case SIGHT_PROTANOPIA:
        seen = protanopia;
        break;
    case SIGHT_DEUTERANOPIA:
        seen = deuteranopia;
        break;
    case SIGHT_TRITANOPIA:
        seen = tritanopia[dot(tritanopia_plane, rgb) >= 0 ? 0 : 1];
        break;
    case SIGHT_FULL:
    case SIGHT_KINDS:
        return colour;
    }
    return (struct colour){gamma_of(dot(seen[0], rgb)), gamma_of(dot(seen[1], rgb)), gamma_of(dot(seen[2], rgb)),
                           colour.alpha};
}

/* ---- distance */

static double lab_root(double share)
{
    return share > 216.0 / 24389 ? cbrt(share) : (24389.0 / 27 * share + 16) / 116;
}

/* sRGB's primaries, D65. */
static void lab_of(struct colour colour, double lab[3])
{
    double const rgb[3] = {linear(colour.red), linear(colour.green), linear(colour.blue)};
    double const x = lab_root(dot((const double[3]){0.4124564, 0.3575761, 0.1804375}, rgb) / 0.95047);
    double const y = lab_root(dot((const double[3]){0.2126729, 0.7151522, 0.0721750}, rgb));
    double const z = lab_root(dot((const double[3]){0.0193339, 0.1191920, 0.9503041}, rgb) / 1.08883);

    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double degrees(double radians)
{
    double const angle = radians * 180 / M_PI;

    return angle < 0 ? angle + 360 : angle;
}

static double cos_degrees(double angle)
{
    return cos(angle * M_PI / 180);
}

static double to_7(double value)
{
    return pow(value, 7);
}

/* Sharma, Wu, Dalal: "The CIEDE2000 color-difference formula", 2005, equations 2 to 22. */
double sight_lab_distance(const double one[3], const double other[3])
{
    double const chroma = (hypot(one[1], one[2]) + hypot(other[1], other[2])) / 2;
    double const stretch = 1 + 0.5 * (1 - sqrt(to_7(chroma) / (to_7(chroma) + to_7(25))));
    double const a_1 = stretch * one[1], a_2 = stretch * other[1];
    double const c_1 = hypot(a_1, one[2]), c_2 = hypot(a_2, other[2]);
    double const h_1 = c_1 > 0 ? degrees(atan2(one[2], a_1)) : 0, h_2 = c_2 > 0 ? degrees(atan2(other[2], a_2)) : 0;
    bool const is_grey = c_1 * c_2 <= 0;
    double const turn = h_2 - h_1;
    double const short_turn = is_grey ? 0 : turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn;
    double const delta_l = other[0] - one[0], delta_c = c_2 - c_1;
    double const delta_h = 2 * sqrt(c_1 * c_2) * sin(short_turn / 2 * M_PI / 180);
    double const l = (one[0] + other[0]) / 2, c = (c_1 + c_2) / 2, sum = h_1 + h_2;
    double const h = is_grey ? sum : fabs(turn) <= 180 ? sum / 2 : sum < 360 ? (sum + 360) / 2 : (sum - 360) / 2;
    double const t = 1 - 0.17 * cos_degrees(h - 30) + 0.24 * cos_degrees(2 * h) + 0.32 * cos_degrees(3 * h + 6)
                     - 0.20 * cos_degrees(4 * h - 63);
    double const s_l = 1 + 0.015 * (l - 50) * (l - 50) / sqrt(20 + (l - 50) * (l - 50));
    double const s_c = 1 + 0.045 * c, s_h = 1 + 0.015 * c * t;
    double const rotation = -2 * sqrt(to_7(c) / (to_7(c) + to_7(25)))
                            * sin(60 * exp(-pow((h - 275) / 25, 2)) * M_PI / 180);
    double const part_l = delta_l / s_l, part_c = delta_c / s_c, part_h = delta_h / s_h;

    return sqrt(part_l * part_l + part_c * part_c + part_h * part_h + rotation * part_c * part_h);
}

double sight_distance(struct colour one, struct colour other)
{
    double lab_1[3], lab_2[3];

    lab_of(one, lab_1);
    lab_of(other, lab_2);
    return sight_lab_distance(lab_1, lab_2);
}
