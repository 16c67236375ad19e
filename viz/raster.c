/* Lines and round corners are drawn by distance: a pixel is covered by how far its middle lies inside the shape, so a
 * line of whole width on a pixel's middle is sharp, and others are smooth. A course collects the cover of all its
 * pieces first, the highest counts, and is blended once: its bends show no dots. */
#include "viz/raster.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fault raster_resize(struct raster *raster, int width, int height)
{
    size_t const count = (size_t)width * (size_t)height;
    uint32_t *pixels;
    uint8_t *cover;

    assert(width > 0 && height > 0);
    if (raster->pixels && width == raster->width && height == raster->height) {
        raster_clip(raster, (struct raster_box){0, 0, width, height});
        return fault_none();
    }
    pixels = calloc(count, sizeof *pixels);
    cover = calloc(count, 1);
    if (!pixels || !cover) {
        free(pixels);
        free(cover);
        return fault_make(FAULT_MEMORY, "no memory for a picture of %d x %d pixels", width, height);
    }
    raster_free(raster);
    *raster = (struct raster){.width = width, .height = height, .pixels = pixels, .cover = cover};
    raster_clip(raster, (struct raster_box){0, 0, width, height});
    return fault_none();
}

void raster_free(struct raster *raster)
{
    free(raster->pixels);
    free(raster->cover);
    *raster = (struct raster){0};
}

static int lower_of(int one, int other)
{
    return one < other ? one : other;
}

static int higher_of(int one, int other)
{
    return one > other ? one : other;
}

static struct raster_box common(struct raster_box one, struct raster_box other)
{
    return (struct raster_box){higher_of(one.left, other.left), higher_of(one.top, other.top),
                               lower_of(one.right, other.right), lower_of(one.bottom, other.bottom)};
}

void raster_clip(struct raster *raster, struct raster_box box)
{
    raster->clip = common(box, (struct raster_box){0, 0, raster->width, raster->height});
}

/* ---- blending */

static uint32_t pixel_of(struct colour colour)
{
    return UINT32_C(0xff000000) | (uint32_t)colour.red << 16 | (uint32_t)colour.green << 8 | colour.blue;
}

/* Share of 255 as a share of 256, so that 255 is all. */
static uint32_t share_of(uint32_t alpha)
{
    return alpha + (alpha >> 7);
}

/* share: of 256 */
static inline uint32_t blend(uint32_t below, uint32_t above, uint32_t share)
{
    uint32_t const red_blue = below & 0xff00ff, green = below & 0x00ff00;
    uint32_t const above_red_blue = above & 0xff00ff, above_green = above & 0x00ff00;

    return UINT32_C(0xff000000) | (((red_blue * (256 - share) + above_red_blue * share + 0x800080) >> 8) & 0xff00ff)
           | (((green * (256 - share) + above_green * share + 0x008000) >> 8) & 0x00ff00);
}

static inline uint32_t *row_of(struct raster *raster, int y)
{
    return raster->pixels + (size_t)y * (size_t)raster->width;
}

static void blend_span(uint32_t *row, int from, int to, uint32_t pixel, uint32_t share)
{
    if (share == 256)
        for (int x = from; x < to; x++)
            row[x] = pixel;
    else
        for (int x = from; x < to; x++)
            row[x] = blend(row[x], pixel, share);
}

/* Blends what was collected in the box, and clears it. */
static void blend_cover(struct raster *raster, struct raster_box box, struct colour colour)
{
    uint32_t const pixel = pixel_of(colour), alpha = share_of(colour.alpha);

    for (int y = box.top; y < box.bottom; y++) {
        uint32_t *const row = row_of(raster, y);
        uint8_t *const cover = raster->cover + (size_t)y * (size_t)raster->width;

        for (int x = box.left; x < box.right; x++)
            if (cover[x]) {
                row[x] = blend(row[x], pixel, (share_of(cover[x]) * alpha) >> 8);
                cover[x] = 0;
            }
    }
}

static void blend_pixel(struct raster *raster, int x, int y, struct colour colour, float cover)
{
    uint32_t *const pixel = row_of(raster, y) + x;

    if (cover > 0)
        *pixel = blend(*pixel, pixel_of(colour),
                       (share_of((uint32_t)(cover * 255.0F + 0.5F)) * share_of(colour.alpha)) >> 8);
}

/* ---- boxes */

void raster_fill(struct raster *raster, struct raster_box box, struct colour colour)
{
    box = common(box, raster->clip);
    for (int y = box.top; y < box.bottom; y++)
        blend_span(row_of(raster, y), box.left, box.right, pixel_of(colour), share_of(colour.alpha));
}

static float within_0_and_1(float value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* Whole pixels that hold a place, from low to high, however far away it is. */
static int pixel_below(float place, int low, int high)
{
    return (int)fminf(fmaxf(floorf(place), (float)low), (float)high);
}

static int pixel_above(float place, int low, int high)
{
    return (int)fminf(fmaxf(ceilf(place), (float)low), (float)high);
}

/* How far a point is outside the box with round corners; negative inside. */
static float outside(struct raster_box box, float radius, float x, float y)
{
    float const middle_x = 0.5F * (float)(box.left + box.right), middle_y = 0.5F * (float)(box.top + box.bottom);
    float const over_x = fabsf(x - middle_x) - 0.5F * (float)(box.right - box.left) + radius;
    float const over_y = fabsf(y - middle_y) - 0.5F * (float)(box.bottom - box.top) + radius;

    if (over_x > 0 && over_y > 0)
        return sqrtf(over_x * over_x + over_y * over_y) - radius;
    return fmaxf(over_x, over_y) - radius;
}

void raster_round(struct raster *raster, struct raster_box box, float radius, float width, struct colour colour)
{
    struct raster_box const seen = common(box, raster->clip);
    float const most = 0.5F * (float)lower_of(box.right - box.left, box.bottom - box.top);
    int edge;

    radius = fminf(radius, most);
    edge = (int)ceilf(fmaxf(radius, width) + 0.5F);
    for (int y = seen.top; y < seen.bottom; y++) {
        /* All of this row between the corners is inside, or, of a frame, away from its edge. */
        bool const is_plain = width <= 0 || (y >= box.top + edge && y < box.bottom - edge);

        for (int x = seen.left; x < seen.right; x++) {
            float out, cover;

            if (is_plain && x >= box.left + edge && x < box.right - edge) {
                int const until = lower_of(box.right - edge, seen.right);

                if (width <= 0)
                    blend_span(row_of(raster, y), x, until, pixel_of(colour), share_of(colour.alpha));
                x = until - 1;
                continue;
            }
            out = outside(box, radius, (float)x + 0.5F, (float)y + 0.5F);
            cover = within_0_and_1(0.5F - out);
            if (width > 0)
                cover -= within_0_and_1(0.5F - out - width);
            /* Between the corners the distance from the upper or lower edge alone counts. */
            if (x >= box.left + edge && x < box.right - edge) {
                int const until = lower_of(box.right - edge, seen.right);

                for (; x < until; x++)
                    blend_pixel(raster, x, y, colour, cover);
                x--;
                continue;
            }
            blend_pixel(raster, x, y, colour, cover);
        }
    }
}

/* ---- lines */

/* Part of a piece that lies between two heights, as shares of its length; false: none. */
static bool between(float from, float to, float low, float high, float *first, float *last)
{
    float const length = to - from;
    float one, other;

    *first = 0;
    *last = 1;
    if (fabsf(length) < 1e-6F)
        return from >= low && from <= high;
    one = (low - from) / length;
    other = (high - from) / length;
    *first = fmaxf(fminf(one, other), 0);
    *last = fminf(fmaxf(one, other), 1);
    return *first <= *last;
}

/* Collects the cover of one piece of a course; the box grows by where it was. */
static void cover_piece(struct raster *raster, struct raster_point from, struct raster_point to, float width,
                        struct raster_box *touched)
{
    struct raster_box const clip = raster->clip;
    float const half = 0.5F * fmaxf(width, 1), strength = 255.0F * fminf(width, 1), reach = half + 0.5F;
    float const reach_square = reach * reach;
    uint8_t const highest = (uint8_t)(strength + 0.5F);
    float const along_x = to.x - from.x, along_y = to.y - from.y;
    float const square = along_x * along_x + along_y * along_y;
    float const top = fminf(from.y, to.y) - reach, bottom = fmaxf(from.y, to.y) + reach;
    int const first_row = pixel_below(top, clip.top, clip.bottom);
    int const end_row = pixel_above(bottom, clip.top, clip.bottom);

    for (int y = first_row; y < end_row; y++) {
        float const middle = (float)y + 0.5F;
        uint8_t *const cover = raster->cover + (size_t)y * (size_t)raster->width;
        float first, last, left, right;
        int begin, end;

        if (!between(from.y, to.y, middle - reach, middle + reach, &first, &last))
            continue;
        left = from.x + along_x * (along_x > 0 ? first : last) - reach;
        right = from.x + along_x * (along_x > 0 ? last : first) + reach;
        begin = pixel_below(left, clip.left, clip.right);
        end = pixel_above(right, clip.left, clip.right);
        for (int x = begin; x < end; x++) {
            float const to_x = (float)x + 0.5F - from.x, to_y = middle - from.y;
            float const place = square > 0 ? within_0_and_1((to_x * along_x + to_y * along_y) / square) : 0;
            float const off_x = to_x - place * along_x, off_y = to_y - place * along_y;
            float const off_square = off_x * off_x + off_y * off_y;
            float inside;
            uint8_t here;

            if (cover[x] >= highest || off_square >= reach_square)
                continue;
            inside = half + 0.5F - sqrtf(off_square);
            here = (uint8_t)(within_0_and_1(inside) * strength + 0.5F);
            if (here > cover[x])
                cover[x] = here;
        }
        if (begin < end) {
            touched->left = lower_of(touched->left, begin);
            touched->right = higher_of(touched->right, end);
            touched->top = lower_of(touched->top, y);
            touched->bottom = higher_of(touched->bottom, y + 1);
        }
    }
}

static bool is_finite(struct raster_point point)
{
    return isfinite(point.x) && isfinite(point.y);
}

void raster_course(struct raster *raster, const struct raster_point *points, size_t count, float width,
                   struct colour colour)
{
    struct raster_box touched = {raster->width, raster->height, 0, 0};

    for (size_t i = 1; i < count; i++)
        if (is_finite(points[i - 1]) && is_finite(points[i]))
            cover_piece(raster, points[i - 1], points[i], width, &touched);
    blend_cover(raster, touched, colour);
}

/* ---- cells, glyphs */

void raster_cells(struct raster *raster, struct raster_box box, const struct colour *cells, int width, int height)
{
    struct raster_box const seen = common(box, raster->clip);
    int last_row = -1;

    if (seen.left >= seen.right)
        return;
    for (int y = seen.top; y < seen.bottom; y++) {
        int const cell_row = (int)((int64_t)(y - box.top) * height / (box.bottom - box.top));
        const struct colour *const cell = cells + (size_t)cell_row * (size_t)width;
        uint32_t *const row = row_of(raster, y);
        int64_t const before = (int64_t)(seen.left - box.left) * width;
        int64_t i = before / (box.right - box.left), rest = before % (box.right - box.left);
        bool is_opaque = true;

        if (cell_row == last_row) {
            memcpy(row + seen.left, row + seen.left - raster->width, (size_t)(seen.right - seen.left) * sizeof *row);
            continue;
        }
        /* (x - box.left) * width / (box.right - box.left) is i, and leaves the rest. */
        for (int x = seen.left; x < seen.right; x++) {
            struct colour const colour = cell[i];

            is_opaque = is_opaque && colour.alpha == 255;
            if (colour.alpha == 255)
                row[x] = pixel_of(colour);
            else if (colour.alpha > 0)
                row[x] = blend(row[x], pixel_of(colour), share_of(colour.alpha));
            for (rest += width; rest >= box.right - box.left; rest -= box.right - box.left)
                i++;
        }
        last_row = is_opaque ? cell_row : -1;
    }
}

void raster_stamp(struct raster *raster, int x, int y, const uint8_t *cover, int width, int height, int stride,
                  struct colour colour)
{
    struct raster_box const seen = common((struct raster_box){x, y, x + width, y + height}, raster->clip);
    uint32_t const pixel = pixel_of(colour), alpha = share_of(colour.alpha);

    for (int row = seen.top; row < seen.bottom; row++) {
        const uint8_t *const from = cover + (ptrdiff_t)(row - y) * stride;
        uint32_t *const to = row_of(raster, row);

        for (int column = seen.left; column < seen.right; column++)
            if (from[column - x])
                to[column] = blend(to[column], pixel, (share_of(from[column - x]) * alpha) >> 8);
    }
}
