/* The equations, by part. A feature is that of a cell of 146 square features, CACTI's, which is 1.46 times as wide as
 * high, so that nodes with published cells go through the same equations.
 *
 * Choice: gates of access transistors are 1.31 features wide, and a bit line's junction counts 0.6 of such a gate
 * (CACTI's cells); sense amplifiers need 15 % of the supply, writes all of it on one line of two; word lines are of
 * wires 2.5 features apart. */
#include "replay/cost/sram.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define COEFFICIENT(name, value, meaning) static const double coefficient_##name = value;
SRAM_COEFFICIENTS(COEFFICIENT)
#undef COEFFICIENT

static const double cell_features = 146, cell_height = 10, cell_width = 14.6, access_width = 1.31, junction = 0.6,
                    wire_pitch = 4, word_wire = 2.56e-3, sense_swing = 0.15, read_current = 0.2, check_bits = 1.125,
                    state_bits = 2, cam_area = 2;
enum { DECODER_LEVELS = 4, LEAST_ROWS = 8, MOST_ROWS = 2048, LEAST_COLUMNS = 16, MOST_COLUMNS = 4096, MOST_CUTS = 64 };

/* Cuts along word lines and bit lines; rows of the array in one of the subarrays. */
struct cut {
    double across, along, fold;
};

struct shape {
    double rows, columns;                /* of a subarray */
    double height, width;                /* of the array, um */
    double word_ff, word_kohm, bit_ff;
};

static double feature(const struct technology_node *node)
{
    return sqrt(node->cell_um2 / cell_features);
}

static double wire_ps_per_um(const struct technology_node *node)
{
    return coefficient_wire_time * sqrt(node->gate_ps * node->wire_ohm * 1e-3 * node->wire_ff);
}

/* Area: subarrays, what lies beside them, and bundles of wires between mats of two by two. */
static struct shape shape_of(const struct technology_node *node, const struct sram_array *array, struct cut cut)
{
    double const f = feature(node), gate_ff = access_width * f * node->gate_ff;
    double const mats_across = fmax(1, cut.across / 2), mats_along = fmax(1, cut.along / 2);
    double const wires = (2 * array->out_bits + log2(array->rows)) * wire_pitch * f;
    struct shape shape = {array->rows / (cut.along * cut.fold), array->row_bits * cut.fold / cut.across, 0, 0, 0, 0, 0};

    shape.height = (shape.rows * cell_height + coefficient_edge) * f * cut.along
                 + wires * (coefficient_bundle_v * (mats_along - 1) + coefficient_bundle_h * (1 - 1 / mats_across));
    shape.width = (shape.columns * cell_width + coefficient_side) * f * cut.across;
    shape.word_ff = shape.columns * (2 * gate_ff + cell_width * f * node->wire_ff);
    shape.word_kohm = shape.columns * cell_width * f * node->wire_ohm * word_wire;
    shape.bit_ff = shape.rows * (junction * gate_ff + cell_height * f * node->wire_ff);
    return shape;
}

static double time_ps(const struct technology_node *node, const struct sram_array *array, const struct shape *shape)
{
    double const cell_kohm = node->gate_ps / node->gate_ff / (access_width * feature(node));

    return coefficient_decode * node->gate_ps * (DECODER_LEVELS + log2(array->rows))
         + coefficient_word_time * shape->word_kohm * shape->word_ff
         + coefficient_bit_time * 2 * cell_kohm * shape->bit_ff * read_current
         + wire_ps_per_um(node) * (shape->height + shape->width) + coefficient_mux_time * node->gate_ps * array->ways;
}

static double wires_fj(const struct technology_node *node, double bits, double um)
{
    return 0.5 * bits * node->wire_ff * um * node->vdd * node->vdd;
}

/* Of a read; `swing`: share of the supply by which bit lines change. */
static double energy_fj(const struct technology_node *node, const struct sram_array *array, const struct shape *shape,
                        struct cut cut, double swing)
{
    double const v2 = node->vdd * node->vdd, unused = fmax(0, array->row_bits - array->out_bits);
    double const lookup = array->is_cam ? array->rows * array->row_bits * 2 * cell_width * feature(node) * node->wire_ff
                                        : 0;

    return coefficient_bit_energy * array->row_bits * cut.fold * shape->bit_ff * v2 * swing
         + coefficient_word_energy * shape->word_ff * cut.across * v2 + lookup * v2
         + coefficient_wire_energy * wires_fj(node, array->out_bits, shape->height + shape->width)
         + coefficient_way_energy * wires_fj(node, unused, shape->width);
}

static double cuts_score(const struct technology_node *node, const struct sram_array *array, struct cut cut)
{
    struct shape const shape = shape_of(node, array, cut);
    double const ps = time_ps(node, array, &shape);

    if (shape.rows < LEAST_ROWS || shape.rows > MOST_ROWS || shape.columns < LEAST_COLUMNS
        || shape.columns > MOST_COLUMNS || array->row_bits * cut.fold < array->out_bits)
        return INFINITY;
    return energy_fj(node, array, &shape, cut, sense_swing) * ps * ps;
}

/* Small arrays stay whole. */
static struct cut best_cut(const struct technology_node *node, const struct sram_array *array)
{
    struct cut best = {1, 1, 1};
    double least = INFINITY;

    for (double across = 2; across <= MOST_CUTS; across *= 2)
        for (double along = 2; along <= MOST_CUTS; along *= 2)
            for (double fold = array->is_split ? 0.25 : 1; fold <= MOST_CUTS; fold *= 2) {
                struct cut const cut = {across, along, fold};
                double const score = cuts_score(node, array, cut);

                if (score < least) {
                    least = score;
                    best = cut;
                }
            }
    return best;
}

struct sram_cost sram_array_cost(const struct technology_node *node, const struct sram_array *array)
{
    struct cut const cut = best_cut(node, array);
    struct shape const shape = shape_of(node, array, cut);
    double const size = array->is_cam ? cam_area : 1, bits = array->rows * array->row_bits;

    return (struct sram_cost){
        .area_mm2 = size * shape.height * shape.width * 1e-6,
        .leakage_mw = size * coefficient_leakage * bits * feature(node) * node->leakage_na * node->vdd * 1e-6,
        .read_pj = energy_fj(node, array, &shape, cut, sense_swing) * 1e-3,
        .write_pj = energy_fj(node, array, &shape, cut, array->out_bits / (array->row_bits * cut.fold)) * 1e-3,
        .access_ns = time_ps(node, array, &shape) * 1e-3
    };
}

/* The bus that joins banks is as long as the side of all of them. */
static void join_banks(const struct technology_node *node, double banks, double out_bits, struct sram_cost *cost)
{
    double const side_um = sqrt(cost->area_mm2 * banks) * 1e3, bus_fj = coefficient_wire_energy
                           * wires_fj(node, out_bits, side_um);

    cost->area_mm2 = cost->area_mm2 * banks + side_um * 2 * out_bits * wire_pitch * feature(node) * 1e-6;
    cost->leakage_mw *= banks;
    cost->read_pj += bus_fj * 1e-3;
    cost->write_pj += bus_fj * 1e-3;
    cost->access_ns += wire_ps_per_um(node) * side_um * 1e-3;
}

struct sram_cost sram_cache_cost(const struct technology_node *node, const struct sram_cache *cache)
{
    double const sets = fmax(1, cache->size_bytes / cache->banks / cache->line_bytes / cache->ways);
    double const tag_bits = cache->address_bits - log2(sets) - log2(cache->line_bytes) + state_bits;
    bool const is_cam = sets == 1 && cache->ways > 1;
    double const rows = is_cam ? cache->ways : sets, ways = is_cam ? 1 : cache->ways;
    double const line_bits = 8 * cache->line_bytes * check_bits;
    struct sram_array const data = {.rows = rows, .row_bits = ways * line_bits, .ways = ways,
                                    .out_bits = fmin(8 * cache->out_bytes * check_bits, line_bits)};
    struct sram_array const tags = {.rows = rows, .row_bits = ways * tag_bits * check_bits, .out_bits = 2 * ways,
                                    .ways = 1, .is_split = true, .is_cam = is_cam};
    struct sram_cost const of_data = sram_array_cost(node, &data), of_tags = sram_array_cost(node, &tags);
    struct sram_cost cost = {
        of_data.area_mm2 + of_tags.area_mm2, of_data.leakage_mw + of_tags.leakage_mw,
        of_data.read_pj + of_tags.read_pj, of_data.write_pj + of_tags.read_pj,
        is_cam ? of_data.access_ns + of_tags.access_ns : fmax(of_data.access_ns, of_tags.access_ns)
    };

    if (cache->banks > 1)
        join_banks(node, cache->banks, data.out_bits, &cost);
    return cost;
}

const struct technology_node *technology_find(const char *name)
{
#define NODE(name, ...) {#name, __VA_ARGS__},
    static const struct technology_node nodes[] = {TECHNOLOGY_NODES(NODE)};
#undef NODE

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (strcmp(nodes[i].name, name) == 0)
            return &nodes[i];
    return NULL;
}
