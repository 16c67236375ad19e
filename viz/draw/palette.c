/* The series of each theme were found by a search for the largest of the least distances (CIEDE2000) over all pairs and
 * all four kinds of sight. Least distance of any two: dark 13.4, light 11.5.
 * tests/unit/viz/draw/test_palette.c computes both.
 *
 * The scale of shares goes from the panel's neighbour over blue and green to a conspicuous colour: pale yellow on
 * dark, red on light. Its lightness moves one way only, in even steps, so its order is seen by everybody, and in print
 * without colours. */
#include "viz/draw/palette.h"

#include <math.h>

#define RGB(hex) {(0x##hex >> 16) & 255, (0x##hex >> 8) & 255, 0x##hex & 255, 255}

static const struct theme dark = {
    .name = "dark",
    .background = RGB(0f1318), .panel = RGB(171c23), .border = RGB(2c343f), .text = RGB(e4e8ee), .faint = RGB(98a3b1),
    .grid = RGB(262d37), .highlight = RGB(ffffff), .old = RGB(5d6774), .good = RGB(4cc38a), .bad = RGB(ff6b61),
    .series = {RGB(3d7aeb), RGB(ffa627), RGB(30d1a6), RGB(ff5369), RGB(c69ff1), RGB(ffff7c), RGB(9a5f2c), RGB(d3e9ff)},
    .share = {RGB(26303c), RGB(274561), RGB(215b87), RGB(167597), RGB(249284), RGB(63aa62), RGB(adba40), RGB(f5c33b),
              RGB(fedfa7)}
};

static const struct theme light = {
    .name = "light",
    .background = RGB(eef1f4), .panel = RGB(ffffff), .border = RGB(cfd6de), .text = RGB(1b222b), .faint = RGB(5a6572),
    .grid = RGB(e6eaee), .highlight = RGB(000000), .old = RGB(a9b2bd), .good = RGB(1a7f4e), .bad = RGB(c62f25),
    .series = {RGB(005b9b), RGB(b37000), RGB(008f6f), RGB(ff397c), RGB(964eec), RGB(b3a800), RGB(6e3f12), RGB(3c4653)},
    .share = {RGB(d3d8dd), RGB(b2c7d4), RGB(8eb7c9), RGB(61a9b8), RGB(389b93), RGB(488858), RGB(786a0c), RGB(934109),
              RGB(8d1d1c)}
};

const struct theme *palette_theme(bool is_dark)
{
    return is_dark ? &dark : &light;
}

static uint8_t between(uint8_t from, uint8_t to, double amount)
{
    return (uint8_t)lround(from + (to - from) * amount);
}

struct colour palette_mix(struct colour from, struct colour to, double amount)
{
    double const part = amount > 0 ? fmin(amount, 1) : 0;

    return (struct colour){between(from.red, to.red, part), between(from.green, to.green, part),
                           between(from.blue, to.blue, part), between(from.alpha, to.alpha, part)};
}

struct colour palette_share(const struct theme *theme, double share)
{
    enum { STEPS = sizeof theme->share / sizeof theme->share[0] - 1 };
    double const place = share > 0 ? fmin(share, 1) * STEPS : 0;
    int const step = place < STEPS ? (int)place : STEPS - 1;

    return palette_mix(theme->share[step], theme->share[step + 1], place - step);
}

/* ---- contrast */

static double linear(uint8_t channel)
{
    double const value = channel / 255.0;

    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double luminance(struct colour colour)
{
    return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

double palette_contrast(struct colour one, struct colour other)
{
    double const first = luminance(one), second = luminance(other);

    return (fmax(first, second) + 0.05) / (fmin(first, second) + 0.05);
}

struct colour palette_text_on(struct colour behind)
{
    static const struct colour black = RGB(000000), white = RGB(ffffff);

    return palette_contrast(black, behind) > palette_contrast(white, behind) ? black : white;
}
