/* viz/panels/topology.h, panel_diagram of viz/panels/panels.h: the shipped systems as pictures. Nothing overlaps,
 * nothing is outside, everything is there once and can be pointed at. */
#include "memsys/telemetry/names.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"
#include "replay/record/telemetry_text.h"
#include "tests/support/unit.h"
#include "viz/panels/panels.h"
#include "viz/panels/topology.h"
#include "viz/state/state_figures.h"
#include "viz/view/view.h"

/* A system that is made and does nothing, with its layout. */
struct subject {
    const char *name;
    struct system_config config;
    struct system *system;
    struct gpu_run *gpu;
    struct gpu_source source;
    struct gpu_run_options options;
    struct telemetry_system made;
};

static struct fault no_kernel(void *self, const struct gpu_command *command, struct gpu_kernel *kernel)
{
    (void)self, (void)command, (void)kernel;
    return fault_make(FAULT_INPUT, "no kernel");
}

static void check(struct fault fault, const char *name)
{
    if (fault.kind != FAULT_NONE)
        fail_msg("%s: %s", name, fault_text(fault));
}

static void make_subject(struct subject *subject, const char *name, const char *const *settings, size_t count)
{
    struct system_traces traces[256] = {0};
    struct system_gpu gpu = {.source = {.open = no_kernel}};
    struct fault fault = {0};

    memset(subject, 0, sizeof *subject);
    subject->name = name;
    check(config_read(&subject->config, name, settings, count), name);
    for (size_t i = 0; i < 256; i++)
        traces[i] = (struct system_traces){.is_idle = true, .tick_scale = 1};
    if (config_gpu_owns_memory(&subject->config)) {
        subject->source.open = no_kernel;
        check(gpu_run_create(&subject->gpu, NULL, &subject->config.gpu, &subject->config.memories[0], NULL,
                             &subject->source, &subject->options), name);
        check(telemetry_gpu_make(&subject->made, name, subject->gpu), name);
        return;
    }
    subject->system = system_create(&subject->config, traces, config_has_gpu(&subject->config) ? &gpu : NULL,
                                    NULL, &fault);
    if (!subject->system)
        fail_msg("%s: %s", name, fault_text(fault));
    check(telemetry_system_make(&subject->made, subject->system), name);
}

static void free_subject(struct subject *subject)
{
    if (subject->gpu)
        gpu_run_destroy(subject->gpu);
    if (subject->system)
        system_destroy(subject->system);
    telemetry_system_free(&subject->made);
}

static bool overlap(struct area one, struct area other)
{
    return one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height
           && other.y < one.y + one.height;
}

static bool is_inside(struct area one, struct area other)
{
    return one.x >= other.x && one.y >= other.y && one.x + one.width <= other.x + other.width
           && one.y + one.height <= other.y + other.height;
}

/* "a node is a box, a bar, or a group"; each component is in one of them, or in what contains it. */
static void everything_is_there_once(const struct subject *subject, const struct topology *topology)
{
    const struct telemetry *const layout = topology->layout;
    uint32_t *const times = calloc(layout->component_count, sizeof *times);

    assert_non_null(times);
    for (uint32_t i = 0; i < topology->node_count; i++)
        for (uint32_t k = 0; k < topology->nodes[i].count; k++) {
            uint32_t const component = topology->members[topology->nodes[i].first + k];

            times[component]++;
            if (topology_node_of(topology, component) != i)
                fail_msg("%s: %s is in node %u, but looked up in %u", subject->name, layout->components[component].name,
                         i, topology_node_of(topology, component));
        }
    for (uint32_t i = 0; i < layout->component_count; i++) {
        enum telemetry_part const part = layout->components[i].part;
        bool const is_inner = part == TELEMETRY_RANK || part == TELEMETRY_CHANNEL;

        if (part == TELEMETRY_SYSTEM) {
            assert_int_equal(topology_node_of(topology, i), TELEMETRY_NONE);
            continue;
        }
        if (topology_node_of(topology, i) == TELEMETRY_NONE)
            fail_msg("%s: %s is shown nowhere", subject->name, layout->components[i].name);
        if (times[i] != 1 && !(is_inner && times[i] == 0))
            fail_msg("%s: %s is there %u times", subject->name, layout->components[i].name, times[i]);
    }
    free(times);
}

static void nothing_overlaps(const struct subject *subject, const struct topology *topology, struct area area)
{
    const struct topology_node *const nodes = topology->nodes;

    for (uint32_t i = 0; i < topology->node_count; i++) {
        if (!is_inside(nodes[i].area, area) || nodes[i].area.width < 4 || nodes[i].area.height < 4)
            fail_msg("%s, %d x %d: %s at %d, %d, %d x %d", subject->name, area.width, area.height, nodes[i].label,
                     nodes[i].area.x, nodes[i].area.y, nodes[i].area.width, nodes[i].area.height);
        if (!is_inside(nodes[i].body, nodes[i].area))
            fail_msg("%s, %d x %d: %s is larger inside", subject->name, area.width, area.height, nodes[i].label);
        for (uint32_t k = 0; k < i; k++)
            if (overlap(nodes[i].area, nodes[k].area))
                fail_msg("%s, %d x %d: %s (%d, %d, %d x %d) lies on %s (%d, %d, %d x %d)", subject->name, area.width,
                         area.height, nodes[i].label, nodes[i].area.x, nodes[i].area.y, nodes[i].area.width,
                         nodes[i].area.height, nodes[k].label, nodes[k].area.x, nodes[k].area.y, nodes[k].area.width,
                         nodes[k].area.height);
        for (uint32_t k = 0; nodes[i].shape == TOPOLOGY_GROUP && k < nodes[i].count; k++) {
            struct area const cell = topology_cell(&nodes[i], k);

            if (!is_inside(cell, nodes[i].body) || (k > 0 && overlap(cell, topology_cell(&nodes[i], k - 1))))
                fail_msg("%s, %d x %d: cell %u of %s", subject->name, area.width, area.height, k, nodes[i].label);
        }
    }
}

/* "every link goes to the right", and stays inside; each link of the layout is in one edge. */
static void links_lead_to_memory(const struct subject *subject, const struct topology *topology, struct area area)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < topology->edge_count; i++) {
        const struct topology_edge *const edge = &topology->edges[i];

        count += edge->count;
        if (topology->nodes[edge->from].column >= topology->nodes[edge->to].column)
            fail_msg("%s: %s to %s goes left", subject->name, topology->nodes[edge->from].label,
                     topology->nodes[edge->to].label);
        for (unsigned k = 0; k < edge->bend_count; k++) {
            assert_true(edge->bends[k].x >= (float)area.x && edge->bends[k].x <= (float)(area.x + area.width));
            assert_true(edge->bends[k].y >= (float)area.y && edge->bends[k].y <= (float)(area.y + area.height));
            assert_true(k == 0 || edge->bends[k].x >= edge->bends[k - 1].x - 0.01F);
        }
    }
    assert_int_equal(count, topology->link_count);
    assert_true(topology->link_count >= topology->layout->link_count);
}

static void check_at(const struct subject *subject, struct topology *topology, struct area area)
{
    topology_place(topology, area);
    everything_is_there_once(subject, topology);
    nothing_overlaps(subject, topology, area);
    links_lead_to_memory(subject, topology, area);
}

static const int windows[][2] = {{1280, 800}, {800, 500}, {1920, 1080}};

static void check_sizes(const struct subject *subject)
{
    struct topology topology;

    check(topology_make(&topology, &subject->made.layout), subject->name);
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        struct view_layout const one = view_layout(windows[i][0], windows[i][1], 1, 500);
        struct view_layout const two = view_layout(windows[i][0], windows[i][1], 2, 500);

        check_at(subject, &topology, (struct area){0, 0, windows[i][0], windows[i][1]});
        check_at(subject, &topology, area_inset(one.diagram[0], 12));
        check_at(subject, &topology, area_inset(two.diagram[1], 12));
    }
    srand(5);
    for (int i = 0; i < 300; i++)
        check_at(subject, &topology, (struct area){rand() % 50, rand() % 50, 260 + rand() % 1800, 130 + rand() % 1000});
    topology_free(&topology);
}

static void shipped_systems_are_laid_out(void **state)
{
    static const char *const systems[] = {
        "default", "wide", "quad", "laptop", "phone", "server", "hbm", "hetero", "macsim-hetero-4c-4g", "etrace-l2",
        "gpu/qv100", "gpu/h100", "gpu/r9nano", "gpu/rtx3070", "gpu/titanx-accelsim"
    };

    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        struct subject *const subject = malloc(sizeof *subject);

        assert_non_null(subject);
        make_subject(subject, systems[i], NULL, 0);
        check_sizes(subject);
        free_subject(subject);
        free(subject);
    }
}

static void make_many(struct subject *subject)
{
    static const char *const settings[] = {"cores=64", "memory.channels=16", "l2.private=yes", "cpu.share=yes"};

    make_subject(subject, "server", settings, sizeof settings / sizeof settings[0]);
}

static const struct topology_node *node_named(const struct topology *topology, const char *name)
{
    for (uint32_t i = 0; i < topology->layout->component_count; i++)
        if (strcmp(topology->layout->components[i].name, name) == 0 && topology_node_of(topology, i) != TELEMETRY_NONE)
            return &topology->nodes[topology_node_of(topology, i)];
    fail_msg("no node shows %s", name);
    return NULL;
}

/* 64 cores and 16 channels: groups with a cell for each. */
static void many_components_become_groups(void **state)
{
    static const struct {
        const char *name, *label;
        uint32_t count;
    } groups[] = {{"cpu17", "64 \u00d7 cpu", 64}, {"cpu63.l1d", "64 \u00d7 l1d", 64},
                  {"cpu00.l2", "64 \u00d7 l2", 64}, {"cpu05.tol2bus", "64 \u00d7 tol2bus", 64},
                  {"mem_ctrls07", "16 \u00d7 mem_ctrls", 16}};
    struct subject subject;
    struct topology topology;

    make_many(&subject);
    check_sizes(&subject);
    check(topology_make(&topology, &subject.made.layout), "many");
    topology_place(&topology, (struct area){0, 0, 780, 260});
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        const struct topology_node *const node = node_named(&topology, groups[i].name);

        assert_int_equal(node->shape, TOPOLOGY_GROUP);
        assert_int_equal(node->count, groups[i].count);
        assert_string_equal(node->label, groups[i].label);
        assert_in_range(topology_cell(node, 0).width, 4, 18);
    }
    assert_int_equal(node_named(&topology, "l3")->shape, TOPOLOGY_BOX);
    assert_int_equal(node_named(&topology, "membus")->shape, TOPOLOGY_BAR);
    topology_free(&topology);
    free_subject(&subject);
}

/* Recordings that were made when components had the reference's names look the same. */
static void the_references_names_are_grouped_too(void **state)
{
    struct subject subject;
    struct topology ours, theirs;

    make_many(&subject);
    check(topology_make(&ours, &subject.made.layout), "ours");
    for (uint32_t i = 0; i < subject.made.layout.component_count; i++) {
        struct telemetry_component *const component = &subject.made.layout.components[i];
        char reference[TELEMETRY_NAME];

        if (telemetry_name_reference(component->name, reference)) {
            free((void *)(uintptr_t)component->name);
            component->name = strdup(reference);
        }
    }
    check(topology_make(&theirs, &subject.made.layout), "theirs");
    topology_place(&ours, (struct area){0, 0, 780, 260});
    topology_place(&theirs, (struct area){0, 0, 780, 260});
    assert_int_equal(theirs.node_count, ours.node_count);
    for (uint32_t i = 0; i < ours.node_count; i++)
        assert_string_equal(theirs.nodes[i].label, ours.nodes[i].label);
    assert_string_equal(node_named(&theirs, "l1d63")->label, "64 \u00d7 l1d");
    topology_free(&ours);
    topology_free(&theirs);
    free_subject(&subject);
}

static int middle(const struct topology_node *node)
{
    return node->area.y + node->area.height / 2;
}

/* "what belongs to one core beside it": with room, four cores have rows of their own, from the core to its L2. */
static void private_components_are_drawn_at_their_core(void **state)
{
    struct subject subject;
    struct topology topology;
    char name[32];

    make_subject(&subject, "quad", NULL, 0);
    check(topology_make(&topology, &subject.made.layout), "quad");
    topology_place(&topology, (struct area){0, 0, 780, 250});
    for (int i = 0; i < 4; i++) {
        static const char *const parts[] = {"l1i", "l1d", "l2", "tol2bus"};

        snprintf(name, sizeof name, "cpu%d", i);
        const struct topology_node *const core = node_named(&topology, name);

        assert_int_equal(core->shape, TOPOLOGY_BOX);
        for (size_t k = 0; k < 4; k++) {
            snprintf(name, sizeof name, "cpu%d.%s", i, parts[k]);
            const struct topology_node *const part = node_named(&topology, name);

            assert_in_range(middle(part), 250 * i / 4, 250 * (i + 1) / 4);
            assert_true(part->column > core->column);
        }
    }
    assert_true(node_named(&topology, "mem_ctrls0")->column == topology.column_count - 1);
    topology_free(&topology);
    free_subject(&subject);
}

/* Columns from the cores to memory, what the GPU has below what the cores have. */
static void a_gpu_is_below_the_cores(void **state)
{
    static const char *const way[] = {"gpu", "sm0", "gpu_icnt", "l2_slice0", "gpu_channel0", "membus", "memcache",
                                      "memcache_bus", "mem_ctrls0"};
    struct subject subject;
    struct topology topology;

    make_subject(&subject, "hetero", NULL, 0);
    check(topology_make(&topology, &subject.made.layout), "hetero");
    topology_place(&topology, (struct area){0, 0, 1200, 700});
    for (size_t i = 1; i < sizeof way / sizeof way[0]; i++)
        if (node_named(&topology, way[i])->column <= node_named(&topology, way[i - 1])->column)
            fail_msg("%s is not right of %s", way[i], way[i - 1]);
    assert_true(node_named(&topology, "sm0")->area.y > middle(node_named(&topology, "cpu3.l1d")));
    assert_true(node_named(&topology, "gpu")->area.y > middle(node_named(&topology, "cpu3")));
    assert_int_equal(node_named(&topology, "mem_ctrls0")->column, topology.column_count - 1);
    topology_free(&topology);
    free_subject(&subject);
}

/* ---- figures of all components at once */

/* "The same of all components": of a system that does nothing, and of one whose samples are random. */
static void figures_of_all_are_those_of_each(void **state)
{
    static const char *const systems[] = {"default", "quad", "hbm", "hetero", "gpu/qv100"};

    srand(7);
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        struct subject *const subject = malloc(sizeof *subject);
        const struct telemetry *const layout = &subject->made.layout;

        assert_non_null(subject);
        make_subject(subject, systems[i], NULL, 0);
        struct component_figures *const all = calloc(layout->component_count, sizeof *all);
        uint64_t *const words = calloc(2 * (size_t)layout->word_count, sizeof *words), *const before = words;
        uint64_t *const after = words + layout->word_count;

        assert_non_null(all);
        assert_non_null(words);
        for (int round = 0; round < 3; round++) {
            for (uint32_t word = TELEMETRY_HEAD; round > 0 && word < layout->word_count; word++) {
                before[word] = (uint64_t)rand() % 100;
                after[word] = before[word] + (uint64_t)rand() % 100;
            }
            after[TELEMETRY_TIME] = before[TELEMETRY_TIME] + 1000 * (uint64_t)round;
            figures_of_all(layout, before, after, all);
            for (uint32_t component = 0; component < layout->component_count; component++) {
                struct component_figures const each = figures_of(layout, component, before, after);

                if (memcmp(&each, &all[component], sizeof each) != 0)
                    fail_msg("%s: %s: occupancy %g and %g, busy %g and %g, rate %g and %g, hits %g and %g", systems[i],
                             layout->components[component].name, each.occupancy, all[component].occupancy, each.busy,
                             all[component].busy, each.rate, all[component].rate, each.hit_rate,
                             all[component].hit_rate);
            }
        }
        free(all);
        free(words);
        free_subject(subject);
        free(subject);
    }
}

/* ---- the panel */

#ifdef RUBATO_SDL

static bool is_hit_of(const struct hit *hit, const struct telemetry *layout, uint32_t component)
{
    return hit && hit->kind == HIT_COMPONENT && hit->component == component
           && strcmp(hit->title, layout->components[component].name) == 0 && hit->meaning;
}

static bool has_hit(const struct hit_map *map, const struct telemetry *layout, uint32_t component)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (is_hit_of(&map->hits[i], layout, component))
            return true;
    return false;
}

/* Components that have a place of their own, and links: each is under some point, and all hits are in the panel. */
static void check_hits(const struct subject *subject, const struct view *view, const struct panel *panel)
{
    const struct telemetry *const layout = &subject->made.layout;
    struct area area = area_inset(panel->area, 12);
    struct topology topology;
    uint32_t links = 0;

    check(topology_make(&topology, layout), subject->name);
    area_take_bottom(&area, 24);         /* the legend */
    topology_place(&topology, area);
    for (uint32_t i = 0; i < topology.member_count; i++)
        if (!has_hit(&view->hits, layout, topology.members[i]))
            fail_msg("%s: nothing points at %s", subject->name, layout->components[topology.members[i]].name);
    for (uint32_t i = 0; i < view->hits.count; i++) {
        assert_true(is_inside(view->hits.hits[i].area, panel->area));
        links += view->hits.hits[i].kind == HIT_LINK;
    }
    if (links < topology.edge_count)
        fail_msg("%s: %u of %u edges can be pointed at", subject->name, links, topology.edge_count);
    topology_free(&topology);
}

/* Who points at a component or has pinned it sees its numbers; others are not written. */
static void check_numbers(struct panel *panel)
{
    struct view *const view = panel->view;
    struct area place = {0};

    for (uint32_t i = 0; i < view->hits.count; i++)
        if (view->hits.hits[i].kind == HIT_COMPONENT && view->hits.hits[i].area.width > 8)
            place = view->hits.hits[i].area;
    view->pointer_x = place.x + place.width / 2;
    view->pointer_y = place.y + place.height / 2;
    view->has_pointer = true;
    hits_clear(&view->hits);
    panel_diagram(panel);
    const struct hit *const hit = hits_find(&view->hits, view->pointer_x, view->pointer_y);

    assert_non_null(hit);
    assert_int_equal(hit->kind, HIT_COMPONENT);
    assert_string_not_equal(hit->numbers, "");
    view->has_pointer = false;
    view->pinned = *hit;
    view->has_pinned = true;
    hits_clear(&view->hits);
    panel_diagram(panel);
    assert_string_not_equal(hits_find(&view->hits, view->pointer_x, view->pointer_y)->numbers, "");
    view->has_pinned = false;
}

static void draw_diagram(const struct subject *subject, struct canvas *canvas, struct area area, bool has_samples)
{
    struct view *const view = malloc(sizeof *view);
    struct panel panel = {.view = view, .canvas = canvas, .theme = palette_theme(true), .area = area};
    uint64_t *const words = calloc(subject->made.layout.word_count, sizeof *words);
    struct telemetry layout = subject->made.layout;

    assert_non_null(view);
    assert_non_null(words);
    view_init(view);
    check(view_add_run(view, "run", &subject->made.layout), subject->name);
    for (uint64_t i = 1; has_samples && i <= 3; i++) {
        telemetry_read(&layout, i * 1000000, words);
        history_put(&view->runs[0].history, words);
    }
    canvas_begin(canvas, panel.theme->background);
    panel_diagram(&panel);
    check_hits(subject, view, &panel);
    if (has_samples)
        check_numbers(&panel);
    view_free(view);
    free(view);
    free(words);
}

/* "Each ... adds what can be pointed at to view->hits", with and without samples, also where there is little room. */
static void everything_can_be_pointed_at(void **state)
{
    static const char *const systems[] = {"default", "quad", "hbm", "hetero", "gpu/qv100"};
    struct canvas *canvas;

    check(canvas_open_image(&canvas, 1280, 800, 1), "canvas");
    for (size_t i = 0; i <= sizeof systems / sizeof systems[0]; i++) {
        struct subject *const subject = malloc(sizeof *subject);

        assert_non_null(subject);
        if (i < sizeof systems / sizeof systems[0])
            make_subject(subject, systems[i], NULL, 0);
        else
            make_many(subject);
        draw_diagram(subject, canvas, (struct area){8, 34, 800, 290}, true);
        draw_diagram(subject, canvas, (struct area){8, 34, 800, 290}, false);
        draw_diagram(subject, canvas, (struct area){8, 34, 400, 180}, true);
        draw_diagram(subject, canvas, (struct area){0, 0, 1280, 800}, true);
        free_subject(subject);
        free(subject);
    }
    canvas_close(canvas);
}

#endif

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_systems_are_laid_out),
        cmocka_unit_test(many_components_become_groups),
        cmocka_unit_test(the_references_names_are_grouped_too),
        cmocka_unit_test(private_components_are_drawn_at_their_core),
        cmocka_unit_test(a_gpu_is_below_the_cores),
        cmocka_unit_test(figures_of_all_are_those_of_each),
#ifdef RUBATO_SDL
        cmocka_unit_test(everything_can_be_pointed_at)
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
