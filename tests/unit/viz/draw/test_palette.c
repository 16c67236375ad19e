/* viz/draw/palette.h: distances against published ones, series that all tell apart, legible texts, scale of shares. */
#include <math.h>

#include "tests/support/colour_sight.h"
#include "tests/support/unit.h"
#include "viz/draw/palette.h"

static const char *const sights[SIGHT_KINDS] = {"full sight", "protanopia", "deuteranopia", "tritanopia"};

/* Sharma, Wu, Dalal 2005, table 1: all 34 pairs, with four digits. */
static const struct {
    double one[3], other[3], distance;
} published[] = {
    {{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
    {{50, 3.1571, -77.2803}, {50, 0, -82.7485}, 2.8615},
    {{50, 2.8361, -74.0200}, {50, 0, -82.7485}, 3.4412},
    {{50, -1.3802, -84.2814}, {50, 0, -82.7485}, 1.0000},
    {{50, -1.1848, -84.8006}, {50, 0, -82.7485}, 1.0000},
    {{50, -0.9009, -85.5211}, {50, 0, -82.7485}, 1.0000},
    {{50, 0, 0}, {50, -1, 2}, 2.3669},
    {{50, -1, 2}, {50, 0, 0}, 2.3669},
    {{50, 2.49, -0.001}, {50, -2.49, 0.0009}, 7.1792},
    {{50, 2.49, -0.001}, {50, -2.49, 0.0010}, 7.1792},
    {{50, 2.49, -0.001}, {50, -2.49, 0.0011}, 7.2195},
    {{50, 2.49, -0.001}, {50, -2.49, 0.0012}, 7.2195},
    {{50, -0.001, 2.49}, {50, 0.0009, -2.49}, 4.8045},
    {{50, -0.001, 2.49}, {50, 0.0010, -2.49}, 4.8045},
    {{50, -0.001, 2.49}, {50, 0.0011, -2.49}, 4.7461},
    {{50, 2.5, 0}, {50, 0, -2.5}, 4.3065},
    {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
    {{50, 2.5, 0}, {61, -5, 29}, 22.8977},
    {{50, 2.5, 0}, {56, -27, -3}, 31.9030},
    {{50, 2.5, 0}, {58, 24, 15}, 19.4535},
    {{50, 2.5, 0}, {50, 3.1736, 0.5854}, 1.0000},
    {{50, 2.5, 0}, {50, 3.2972, 0}, 1.0000},
    {{50, 2.5, 0}, {50, 1.8634, 0.5757}, 1.0000},
    {{50, 2.5, 0}, {50, 3.2592, 0.3350}, 1.0000},
    {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644},
    {{63.0109, -31.0961, -5.8663}, {62.8187, -29.7946, -4.0864}, 1.2630},
    {{61.2901, 3.7196, -5.3901}, {61.4292, 2.2480, -4.9620}, 1.8731},
    {{35.0831, -44.1164, 3.7933}, {35.0232, -40.0716, 1.5901}, 1.8645},
    {{22.7233, 20.0904, -46.6940}, {23.0331, 14.9730, -42.5619}, 2.0373},
    {{36.4612, 47.8580, 18.3852}, {36.2715, 50.5065, 21.2231}, 1.4146},
    {{90.8027, -2.0831, 1.4410}, {91.1528, -1.6435, 0.0447}, 1.4441},
    {{90.9257, -0.5406, -0.9208}, {88.6381, -0.8985, -0.7239}, 1.5381},
    {{6.7747, -0.2908, -2.4247}, {5.8714, -0.0985, -2.2286}, 0.6377},
    {{2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}, 0.9082}
};

static void distances_are_the_published_ones(void **state)
{
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        double const found = sight_lab_distance(published[i].one, published[i].other);

        if (fabs(found - published[i].distance) > 0.00005001)
            fail_msg("pair %zu: %.6f instead of %.4f", i + 1, found, published[i].distance);
    }
}

/* sRGB to CIELAB on the way: white against black is 100, equal colours are 0. */
static void colours_are_as_far_apart_as_their_places(void **state)
{
    struct colour const white = {255, 255, 255, 255}, black = {0, 0, 0, 255}, red = {255, 0, 0, 255};
    double const red_lab[3] = {53.2408, 80.0925, 67.2032}, black_lab[3] = {0, 0, 0};

    assert_true(fabs(sight_distance(white, black) - 100) < 0.01);
    assert_true(sight_distance(red, red) == 0);
    assert_true(fabs(sight_distance(red, black) - sight_lab_distance(red_lab, black_lab)) < 0.01);
    assert_true(fabs(palette_contrast(white, black) - 21) < 1e-9);
    assert_true(palette_contrast(black, white) == palette_contrast(white, black));
}

static double least_distance(const struct theme *theme, char *where, size_t room)
{
    double least = INFINITY;

    for (int sight = 0; sight < SIGHT_KINDS; sight++)
        for (int i = 0; i < PALETTE_SERIES; i++)
            for (int k = 0; k < i; k++) {
                double const distance = sight_distance(sight_seen(theme->series[i], (enum sight)sight),
                                                         sight_seen(theme->series[k], (enum sight)sight));

                if (distance < least) {
                    least = distance;
                    snprintf(where, room, "series %d and %d, %s", k, i, sights[sight]);
                }
            }
    return least;
}

/* distinguishable also with the three kinds of colour blindness; the figures are those at the top of
 * viz/draw/palette.c */
static void series_are_distinguishable_with_any_sight(void **state)
{
    static const double stated[2] = {11.5, 13.4};

    for (int is_dark = 0; is_dark < 2; is_dark++) {
        char where[80] = "";
        double const least = least_distance(palette_theme(is_dark), where, sizeof where);

        print_message("%s: least distance %.2f (%s)\n", palette_theme(is_dark)->name, least, where);
        if (least < 10 || fabs(least - stated[is_dark]) > 0.05)
            fail_msg("%s: least distance %.2f (%s), stated %.1f, needed 10", palette_theme(is_dark)->name, least, where,
                     stated[is_dark]);
    }
}

/* Colour-blind sight keeps all greys, and each kind confuses the colours that it should. */
static void simulated_sight_is_sight(void **state)
{
    struct colour const red = {180, 60, 60, 255}, green = {84, 95, 60, 255};
    struct colour const olive = {149, 170, 89, 255}, violet = {167, 153, 203, 255};

    for (int sight = 0; sight < SIGHT_KINDS; sight++)
        for (int grey = 0; grey < 256; grey += 5) {
            struct colour const colour = {(uint8_t)grey, (uint8_t)grey, (uint8_t)grey, 255};
            double const moved = sight_distance(colour, sight_seen(colour, (enum sight)sight));

            if (moved > 1)
                fail_msg("grey %d moves by %.2f with %s", grey, moved, sights[sight]);
        }
    assert_true(sight_distance(red, green) > 30);
    assert_true(sight_distance(sight_seen(red, SIGHT_PROTANOPIA), sight_seen(green, SIGHT_PROTANOPIA)) < 5);
    assert_true(sight_distance(sight_seen(red, SIGHT_TRITANOPIA), sight_seen(green, SIGHT_TRITANOPIA)) > 20);
    assert_true(sight_distance(olive, violet) > 30);
    assert_true(sight_distance(sight_seen(olive, SIGHT_TRITANOPIA), sight_seen(violet, SIGHT_TRITANOPIA)) < 3);
    assert_true(sight_distance(sight_seen(olive, SIGHT_PROTANOPIA), sight_seen(violet, SIGHT_PROTANOPIA)) > 20);
}

static void needs_contrast(const char *what, int theme, struct colour text, struct colour behind, double least)
{
    double const found = palette_contrast(text, behind);

    if (found < least)
        fail_msg("%s of theme %s: contrast %.2f, needed %.1f", what, palette_theme(theme)->name, found, least);
}

static void texts_are_legible(void **state)
{
    for (int is_dark = 0; is_dark < 2; is_dark++) {
        const struct theme *const theme = palette_theme(is_dark);

        needs_contrast("text on panel", is_dark, theme->text, theme->panel, 4.5);
        needs_contrast("text on background", is_dark, theme->text, theme->background, 4.5);
        needs_contrast("faint text on panel", is_dark, theme->faint, theme->panel, 4.5);
        needs_contrast("faint text on background", is_dark, theme->faint, theme->background, 4.5);
        needs_contrast("good on panel", is_dark, theme->good, theme->panel, 4.5);
        needs_contrast("bad on panel", is_dark, theme->bad, theme->panel, 4.5);
        for (int i = 0; i < PALETTE_SERIES; i++) {
            needs_contrast("series on panel", is_dark, theme->series[i], theme->panel, 2.4);
            needs_contrast("text on series", is_dark, palette_text_on(theme->series[i]), theme->series[i], 4.5);
        }
        for (int i = 0; i <= 100; i++) {
            struct colour const share = palette_share(theme, i / 100.0);

            needs_contrast("text on share", is_dark, palette_text_on(share), share, 4.5);
        }
    }
}

/* CIE lightness, from the contrast with black. */
static double lightness(struct colour colour)
{
    double const luminance = palette_contrast(colour, (struct colour){0, 0, 0, 255}) * 0.05 - 0.05;

    return luminance > 216.0 / 24389 ? 116 * cbrt(luminance) - 16 : 24389.0 / 27 * luminance;
}

/* "steps of even lightness" */
static void shares_are_ordered_by_lightness(void **state)
{
    for (int is_dark = 0; is_dark < 2; is_dark++) {
        const struct theme *const theme = palette_theme(is_dark);
        double const whole = (lightness(theme->share[8]) - lightness(theme->share[0])) / 8;

        for (int i = 0; i < 8; i++) {
            double const step = lightness(theme->share[i + 1]) - lightness(theme->share[i]);

            if (fabs(step - whole) > 0.5)
                fail_msg("%s: step %d is %.2f, the mean %.2f", theme->name, i, step, whole);
        }
        for (int sight = SIGHT_PROTANOPIA; sight < SIGHT_KINDS; sight++)
            for (int i = 0; i < 8; i++) {
                double const distance = sight_distance(sight_seen(theme->share[i], (enum sight)sight),
                                                         sight_seen(theme->share[i + 1], (enum sight)sight));

                if (distance < 3)
                    fail_msg("%s: step %d with %s is %.2f", theme->name, i, sights[sight], distance);
            }
    }
}

static void is_share(const struct theme *theme, double share, int step)
{
    assert_memory_equal(&(struct colour[1]){palette_share(theme, share)}, &theme->share[step], sizeof(struct colour));
}

/* "share below 0 or above 1 counts as 0 or 1; NaN as 0" */
static void shares_are_cut_at_both_ends(void **state)
{
    const struct theme *const theme = palette_theme(true);

    is_share(theme, -1, 0);
    is_share(theme, NAN, 0);
    is_share(theme, 0, 0);
    is_share(theme, 0.5, 4);
    is_share(theme, 1, 8);
    is_share(theme, INFINITY, 8);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_the_published_ones),
        cmocka_unit_test(colours_are_as_far_apart_as_their_places),
        cmocka_unit_test(series_are_distinguishable_with_any_sight),
        cmocka_unit_test(simulated_sight_is_sight),
        cmocka_unit_test(texts_are_legible),
        cmocka_unit_test(shares_are_ordered_by_lightness),
        cmocka_unit_test(shares_are_cut_at_both_ends)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
