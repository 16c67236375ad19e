/* Lines and round corners are drawn by distance: a pixel is covered by how far its middle lies inside the shape, so a
 * line of whole width on a pixel's middle is sharp, and others are smooth. A course collects the cover of all its
 * pieces first, the highest counts, and is blended once: its bends show no dots. */
#include "viz/draw/raster.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* With pixels that are already there, or NULL. */
static struct fault raster_resize_part(struct raster *raster, uint32_t *borrowed, int width, int height)
{
    size_t const count = (size_t)width * (size_t)height;
    uint32_t *const pixels = borrowed ? borrowed : calloc(count, sizeof *pixels);
    uint8_t *const cover = calloc(count, 1);

    assert(width > 0 && height > 0);
    if (!pixels || !cover) {
        if (!borrowed)
            free(pixels);
        free(cover);
        return fault_make(FAULT_MEMORY, "no memory for a picture of %d x %d pixels", width, height);
    }
    raster_free(raster);
    *raster = (struct raster){.width = width, .height = height, .pixels = pixels, .is_borrowed = borrowed != NULL,
                              .cover = cover};
    raster_clip(raster, (struct raster_box){0, 0, width, height});
    return fault_none();
}

struct fault raster_resize(struct raster *raster, int width, int height)
{
    if (!raster->pixels || width != raster->width || height != raster->height)
        return raster_resize_part(raster, NULL, width, height);
    raster_clip(raster, (struct raster_box){0, 0, width, height});
    return fault_none();
}

struct fault raster_use(struct raster *raster, uint32_t *pixels, int width, int height)
{
    return raster_resize_part(raster, pixels, width, height);
}

void raster_free(struct raster *raster)
{
    if (!raster->is_borrowed)
        free(raster->pixels);
    free(raster->cover);
    *raster = (struct raster){0};
}

static struct raster_box common(struct raster_box one, struct raster_box other)
{
    return (struct raster_box){max_int(one.left, other.left), max_int(one.top, other.top),
                               min_int(one.right, other.right), min_int(one.bottom, other.bottom)};
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

static inline uint32_t *raster_row_of(struct raster *raster, int y)
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

/* Blends the coverage collected in the box, and clears it. Most of the box of a curve is empty, so eight empty pixels
 * are skipped at once. */
static void blend_cover(struct raster *raster, struct raster_box box, struct colour colour)
{
    uint32_t const pixel = pixel_of(colour), alpha = share_of(colour.alpha);

    for (int y = box.top; y < box.bottom; y++) {
        uint32_t *const row = raster_row_of(raster, y);
        uint8_t *const cover = raster->cover + (size_t)y * (size_t)raster->width;

        for (int x = box.left; x < box.right; x++) {
            uint64_t eight = 1;

            if (box.right - x >= 8)
                memcpy(&eight, cover + x, 8);
            if (eight == 0) {
                x += 7;
            } else if (cover[x]) {
                row[x] = blend(row[x], pixel, (share_of(cover[x]) * alpha) >> 8);
                cover[x] = 0;
            }
        }
    }
}

/* Pixels of one row that are covered alike. */
static void blend_covered(struct raster *raster, int from, int to, int y, struct colour colour, float cover)
{
    if (cover > 0)
        blend_span(raster_row_of(raster, y), from, to, pixel_of(colour),
                   (share_of((uint32_t)(cover * 255.0F + 0.5F)) * share_of(colour.alpha)) >> 8);
}

/* ---- boxes */

void raster_fill(struct raster *raster, struct raster_box box, struct colour colour)
{
    box = common(box, raster->clip);
    for (int y = box.top; y < box.bottom; y++)
        blend_span(raster_row_of(raster, y), box.left, box.right, pixel_of(colour), share_of(colour.alpha));
}

static float within_0_and_1(float value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* The functions of the library, and its rounding, are calls. */
static inline float less_of(float one, float other)
{
    return one < other ? one : other;
}

static inline float more_of(float one, float other)
{
    return one > other ? one : other;
}

/* Whole pixels that hold a place, from low, which is not negative, to high, however far away it is; NaN is at low. */
static inline int pixel_below(float place, int low, int high)
{
    return (int)less_of(more_of(place, (float)low), (float)high);
}

static inline int pixel_above(float place, int low, int high)
{
    float const within = less_of(more_of(place, (float)low), (float)high);
    int const pixel = (int)within;

    return pixel + ((float)pixel < within);
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

/* How much of a pixel a box with round corners covers; of a frame, its edge alone. */
static float cover_of(struct raster_box box, float radius, float width, int x, int y)
{
    float const out = outside(box, radius, (float)x + 0.5F, (float)y + 0.5F);
    float const cover = within_0_and_1(0.5F - out);

    return width > 0 ? cover - within_0_and_1(0.5F - out - width) : cover;
}

/* The sides of a frame, from its upper to its lower corners: there all rows are covered alike, and of each no more than
 * the width and a part of a pixel. */
static void blend_sides(struct raster *raster, struct raster_box box, float radius, float width, struct colour colour)
{
    struct raster_box const seen = common(box, raster->clip);
    int const edge = (int)ceilf(fmaxf(radius, width) + 0.5F), side = (int)ceilf(width + 0.5F);
    int const top = max_int(box.top + edge, seen.top), bottom = min_int(box.bottom - edge, seen.bottom);

    for (int i = 0; i < 2 * side; i++) {
        int const x = i < side ? box.left + i : box.right - 1 - (i - side);
        float const cover = cover_of(box, radius, width, x, top);
        bool const is_seen = x >= seen.left && x < seen.right && (i < side || x >= box.left + side);

        for (int y = top; is_seen && y < bottom; y++)
            blend_covered(raster, x, x + 1, y, colour, cover);
    }
}

/* Between the corners the distance from the nearest straight edge alone counts: there a row, or in a row between upper
 * and lower corners a side of a frame, is covered alike. */
void raster_round(struct raster *raster, struct raster_box box, float radius, float width, struct colour colour)
{
    struct raster_box const seen = common(box, raster->clip);
    float const most = 0.5F * (float)min_int(box.right - box.left, box.bottom - box.top);
    int edge, left_end, right_begin;

    radius = fminf(radius, most);
    edge = (int)ceilf(fmaxf(radius, width) + 0.5F);
    left_end = max_int(min_int(box.left + edge, seen.right), seen.left);
    right_begin = max_int(min_int(box.right - edge, seen.right), left_end);
    for (int y = seen.top; y < seen.bottom; y++) {
        bool const is_plain = y >= box.top + edge && y < box.bottom - edge;

        if (is_plain && width <= 0) {
            blend_span(raster_row_of(raster, y), seen.left, seen.right, pixel_of(colour), share_of(colour.alpha));
            continue;
        }
        if (is_plain) {
            blend_sides(raster, box, radius, width, colour);
            y = box.bottom - edge - 1;
            continue;
        }
        for (int x = seen.left; x < left_end; x++)
            blend_covered(raster, x, x + 1, y, colour, cover_of(box, radius, width, x, y));
        if (left_end < right_begin)
            blend_covered(raster, left_end, right_begin, y, colour, cover_of(box, radius, width, left_end, y));
        for (int x = right_begin; x < seen.right; x++)
            blend_covered(raster, x, x + 1, y, colour, cover_of(box, radius, width, x, y));
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
    *first = more_of(less_of(one, other), 0);
    *last = less_of(more_of(one, other), 1);
    return *first <= *last;
}

/* One piece of a course, from one point to the next. */
struct piece {
    struct raster_point from;
    float along_x, along_y, square;      /* to the other point; of that distance */
    float half, reach_square, strength;
    uint8_t highest;
};

/* Pixels of one row whose place along the piece has to be found for each. */
static void cover_pixels(const struct piece *piece, uint8_t *cover, int begin, int end, float to_y)
{
    for (int x = begin; x < end; x++) {
        float const to_x = (float)x + 0.5F - piece->from.x;
        float along, place, off_x, off_y, off_square;
        uint8_t here;

        if (cover[x] >= piece->highest)
            continue;
        along = to_x * piece->along_x + to_y * piece->along_y;
        place = piece->square > 0 ? within_0_and_1(along / piece->square) : 0;
        off_x = to_x - place * piece->along_x;
        off_y = to_y - place * piece->along_y;
        off_square = off_x * off_x + off_y * off_y;
        if (off_square >= piece->reach_square)
            continue;
        here = (uint8_t)(within_0_and_1(piece->half + 0.5F - sqrtf(off_square)) * piece->strength + 0.5F);
        if (here > cover[x])
            cover[x] = here;
    }
}

/* The same of a level piece: all pixels between its ends are as far from it. */
static void cover_level(const struct piece *piece, uint8_t *cover, int begin, int end, float to_y)
{
    int const first = pixel_above(piece->from.x - 0.5F, begin, end);
    int const last = pixel_below(piece->from.x + piece->along_x + 0.5F, first, end);
    uint8_t const here = (uint8_t)(within_0_and_1(piece->half + 0.5F - fabsf(to_y)) * piece->strength + 0.5F);

    cover_pixels(piece, cover, begin, first, to_y);
    for (int x = first; x < last; x++)
        cover[x] = here > cover[x] ? here : cover[x];
    cover_pixels(piece, cover, last, end, to_y);
}

/* Collects the cover of one piece of a course; the box grows by where it was. */
static void cover_piece(struct raster *raster, struct raster_point from, struct raster_point to, float width,
                        struct raster_box *touched)
{
    struct raster_box const clip = raster->clip;
    float const half = 0.5F * more_of(width, 1), strength = 255.0F * less_of(width, 1), reach = half + 0.5F;
    float const along_x = to.x - from.x, along_y = to.y - from.y;
    struct piece const piece = {.from = from, .along_x = along_x, .along_y = along_y,
                                .square = along_x * along_x + along_y * along_y, .half = half,
                                .reach_square = reach * reach, .strength = strength,
                                .highest = (uint8_t)(strength + 0.5F)};
    float const top = less_of(from.y, to.y) - reach, bottom = more_of(from.y, to.y) + reach;
    int const first_row = pixel_below(top, clip.top, clip.bottom);
    int const end_row = pixel_above(bottom, clip.top, clip.bottom);
    bool const is_level = along_y == 0 && along_x > 0;

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
        if (begin >= end)
            continue;
        (is_level ? cover_level : cover_pixels)(&piece, cover, begin, end, middle - from.y);
        touched->left = min_int(touched->left, begin);
        touched->right = max_int(touched->right, end);
        touched->top = min_int(touched->top, y);
        touched->bottom = max_int(touched->bottom, y + 1);
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

    for (size_t i = 1; i < count; i++) {
        struct raster_point const from = points[i - 1];

        if (!is_finite(from) || !is_finite(points[i]))
            continue;
        while (i + 1 < count && points[i].y == from.y && points[i].x >= from.x && points[i + 1].y == from.y
               && points[i + 1].x >= points[i].x && is_finite(points[i + 1]))
            i++;                         /* one level piece */
        cover_piece(raster, from, points[i], width, &touched);
    }
    blend_cover(raster, touched, colour);
}

/* ---- cells, glyphs */

/* The last cell and its pixel, kept because neighbouring cells often have the same colour. */
struct cell {
    struct colour colour;
    uint32_t pixel, share;
};

static inline void put_cell(uint32_t *pixel, struct colour colour, struct cell *cell)
{
    if (memcmp(&colour, &cell->colour, sizeof colour) != 0)
        *cell = (struct cell){colour, pixel_of(colour), share_of(colour.alpha)};
    if (cell->share == 256)
        *pixel = cell->pixel;
    else if (cell->share > 0)
        *pixel = blend(*pixel, cell->pixel, cell->share);
}

static bool is_opaque(const struct colour *cells, int width)
{
    unsigned all = 255;

    for (int i = 0; i < width; i++)
        all &= cells[i].alpha;
    return all == 255;
}

void raster_cells(struct raster *raster, struct raster_box box, const struct colour *cells, int width, int height)
{
    struct raster_box const seen = common(box, raster->clip);
    struct cell cell = {{0, 0, 0, 0}, pixel_of((struct colour){0, 0, 0, 0}), 0};
    int last_row = -1;

    if (seen.left >= seen.right)
        return;
    for (int y = seen.top; y < seen.bottom; y++) {
        int const cell_row = (int)((int64_t)(y - box.top) * height / (box.bottom - box.top));
        const struct colour *const from = cells + (size_t)cell_row * (size_t)width;
        uint32_t *const row = raster_row_of(raster, y);
        int64_t const before = (int64_t)(seen.left - box.left) * width;
        int64_t i = before / (box.right - box.left), rest = before % (box.right - box.left);

        if (cell_row == last_row) {
            memcpy(row + seen.left, row + seen.left - raster->width, (size_t)(seen.right - seen.left) * sizeof *row);
            continue;
        }
        last_row = is_opaque(from, width) ? cell_row : -1;
        if (width == box.right - box.left) {
            for (int x = seen.left; x < seen.right; x++)
                put_cell(row + x, from[x - box.left], &cell);
            continue;
        }
        /* (x - box.left) * width / (box.right - box.left) is i, and leaves the rest. */
        for (int x = seen.left; x < seen.right; x++) {
            put_cell(row + x, from[i], &cell);
            for (rest += width; rest >= box.right - box.left; rest -= box.right - box.left)
                i++;
        }
    }
}

void raster_stamp(struct raster *raster, int x, int y, const uint8_t *cover, int width, int height, int stride,
                  struct colour colour)
{
    struct raster_box const seen = common((struct raster_box){x, y, x + width, y + height}, raster->clip);
    uint32_t const pixel = pixel_of(colour), alpha = share_of(colour.alpha);

    for (int row = seen.top; row < seen.bottom; row++) {
        const uint8_t *const from = cover + (ptrdiff_t)(row - y) * stride;
        uint32_t *const to = raster_row_of(raster, row);

        for (int column = seen.left; column < seen.right; column++)
            if (from[column - x])
                to[column] = blend(to[column], pixel, (share_of(from[column - x]) * alpha) >> 8);
    }
}
