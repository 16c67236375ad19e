/* Colours of the live view: two themes with the series of charts and the scale of shares.
 *
 * Use: palette_theme answers a theme; panels take every colour from it, never from elsewhere. palette_share gives the
 * colour of a share of a limit, 0 to 1 (idle to saturated), one scale for links, boxes and the heat map.
 * Units: colours are sRGB, 8 bits a channel. Ownership: constant tables. */
#ifndef VIZ_DRAW_PALETTE_H
#define VIZ_DRAW_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

struct colour {
    uint8_t red, green, blue, alpha;
};

enum { PALETTE_SERIES = 8 };             /* distinct for all three kinds of colour blindness, too */

struct theme {
    const char *name;
    struct colour background, panel, border, text, faint, grid, highlight;
    struct colour old;                   /* the course of the run before the last restart */
    struct colour good, bad;
    struct colour series[PALETTE_SERIES];
    struct colour share[9];              /* of 0, 1/8 ... 1; steps of even lightness */
};

const struct theme *palette_theme(bool is_dark);
/* share below 0 or above 1 counts as 0 or 1; NaN as 0. */
struct colour palette_share(const struct theme *theme, double share);
struct colour palette_mix(struct colour from, struct colour to, double amount);
/* Black or white, whichever is more legible on `behind`. */
struct colour palette_text_on(struct colour behind);

/* How well one is legible on the other, 1 to 21 (WCAG 2): 4.5 is enough for text. */
double palette_contrast(struct colour one, struct colour other);

#endif
