/* viz/draw/text_box.h: every text has one colour, and is readable on what lies below it, on both sides of an edge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viz/draw/text_box.h"

enum { FROM = 20, TO = 60, SHARES = 64 };

/* What lies below a text that has no plate: fill, ground or both. */
static void check(const struct theme *theme, double share, int edge)
{
    struct filled_box const box = {.edge = edge, .fill = palette_share(theme, share), .ground = theme->background};
    struct text_look const look = text_over_choose(theme, &box, theme->faint, FROM, TO);
    double const on_fill = palette_contrast(look.colour, box.fill);
    double const on_ground = palette_contrast(look.colour, box.ground);

    if (!look.has_plate && edge > FROM && on_fill < 4.5)
        fail_msg("%s, share %g, edge %d: contrast %.2f on the fill", theme->name, share, edge, on_fill);
    if ((look.has_plate || edge < TO) && on_ground < 4.5)
        fail_msg("%s, share %g, edge %d: contrast %.2f on the ground", theme->name, share, edge, on_ground);
    if (look.has_plate && (edge <= FROM || edge >= TO))
        fail_msg("%s, share %g, edge %d: a plate where no edge is", theme->name, share, edge);
}

static void texts_are_readable_on_both_sides(void **state)
{
    for (int dark = 0; dark < 2; dark++)
        for (int share = 0; share <= SHARES; share++)
            for (int edge = FROM - 1; edge <= TO + 1; edge++)
                check(palette_theme(dark), (double)share / SHARES, edge);
    (void)state;
}

/* A plate hides a part of the fill: it is for edges below text that would not be readable. */
static void few_edges_need_a_plate(void **state)
{
    const struct theme *const dark = palette_theme(true);
    struct filled_box box = {.edge = 40, .fill = palette_share(dark, 0), .ground = dark->background};

    assert_false(text_over_choose(dark, &box, dark->faint, FROM, TO).has_plate);
    box.fill = palette_share(dark, 1);
    assert_true(text_over_choose(dark, &box, dark->faint, FROM, TO).has_plate);
    box.edge = FROM;
    assert_false(text_over_choose(dark, &box, dark->faint, FROM, TO).has_plate);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_readable_on_both_sides),
        cmocka_unit_test(few_edges_need_a_plate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
