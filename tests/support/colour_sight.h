/* How far two colours are apart, and for whom: what the view's palette is tested with.
 *
 * Units: colours are sRGB, 8 bits a channel. */
#ifndef TESTS_SUPPORT_COLOUR_SIGHT_H
#define TESTS_SUPPORT_COLOUR_SIGHT_H

#include "viz/draw/palette.h"

enum sight { SIGHT_FULL, SIGHT_PROTANOPIA, SIGHT_DEUTERANOPIA, SIGHT_TRITANOPIA, SIGHT_KINDS };

/* What somebody with that sight sees instead (Vienot, Brettel, Mollon 1999; tritanopia: Brettel 1997). */
struct colour sight_seen(struct colour colour, enum sight sight);
/* CIEDE2000 of two colours. */
double sight_distance(struct colour one, struct colour other);
/* The same of two places in CIELAB: L, a, b. */
double sight_lab_distance(const double one[3], const double other[3]);

#endif
