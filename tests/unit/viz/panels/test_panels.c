/* viz/panels/panels.h: charts, banks and heat map of systems made by hand, in areas of many sizes: what can be pointed
 * at lies inside and tells the right numbers, same samples give the same picture. */
#include "tests/support/unit.h"
#include "viz/panels/panels.h"
#include "viz/panels/strip_rows.h"
#include "viz/view/view_internal.h"

#ifdef RUBATO_SDL

#include <png.h>
#include <unistd.h>

static const char *const bank_states[] = {"idle", "active", "precharge", "refresh", "power_down", "self_refresh"};
static const char *const warps[] = {"free", "ready", "memory"}, *const stalls[] = {"none", "memory", "idle"};
static const char *const parts[] = {"working", "rob", "dependences"};
static const char *const names[] = {"cpu0.inst", "cpu0.data", "dma"};

static void add(struct telemetry *layout, uint32_t component, enum telemetry_kind kind, const char *name,
                const char *unit, uint32_t count, uint64_t limit, const char *const *elements)
{
    telemetry_add(layout, &(struct telemetry_field){
        .component = component, .kind = kind, .name = name, .unit = unit, .help = "", .count = count, .limit = limit,
        .element_names = elements
    });
}

static void add_rank(struct telemetry *layout, uint32_t channel, const char *name, uint32_t banks)
{
    static const char *const counters[] = {"reads", "writes", "activates", "conflicts"};
    uint32_t const rank = telemetry_add_component(layout, TELEMETRY_RANK, channel, name);

    telemetry_add(layout, &(struct telemetry_field){
        .component = rank, .kind = TELEMETRY_STATE, .name = "banks", .unit = "State", .help = "", .count = banks,
        .state_names = bank_states, .state_count = 6
    });
    add(layout, rank, TELEMETRY_PLACE, "rows", "Row", banks, 0, NULL);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        add(layout, rank, TELEMETRY_COUNTER, counters[i], "Count", banks, 0, NULL);
}

static void make_layout(struct telemetry *layout, uint32_t cores, uint32_t sms, uint32_t channels, uint32_t ranks,
                        uint32_t banks)
{
    char name[64];

    telemetry_init(layout);
    telemetry_add_component(layout, TELEMETRY_SYSTEM, TELEMETRY_NONE, "system");
    add(layout, 0, TELEMETRY_COUNTER, "requestor_read_bytes", "Byte", 3, 0, names);
    add(layout, 0, TELEMETRY_PLACE, "heat_base", "Byte", 1, 0, NULL);
    add(layout, 0, TELEMETRY_PLACE, "heat_shift", "Count", 1, 0, NULL);
    add(layout, 0, TELEMETRY_BINS, "heat", "Count", 256, 0, NULL);
    for (uint32_t i = 0; i < cores; i++) {
        uint32_t const core = telemetry_add_component(layout, TELEMETRY_CORE, 0, "cpu");

        add(layout, core, TELEMETRY_INTEGRAL, "rob_ps", "Count", 1, 100, NULL);
        add(layout, core, TELEMETRY_COUNTER, "cycles", "Cycle", 3, 0, parts);
        add(layout, core, TELEMETRY_BINS, "load_latency", "Tick", LATENCY_BIN_COUNT, 0, NULL);
    }
    for (uint32_t i = 0; i < sms; i++) {
        uint32_t const sm = telemetry_add_component(layout, TELEMETRY_SM, 0, "sm");

        add(layout, sm, TELEMETRY_LEVEL, "warps", "Count", 3, 32, warps);
        add(layout, sm, TELEMETRY_COUNTER, "stall_cycles", "Cycle", 3, 0, stalls);
    }
    for (uint32_t i = 0; i < channels; i++) {
        uint32_t channel;

        snprintf(name, sizeof name, "mem.dram%u", i);
        channel = telemetry_add_component(layout, TELEMETRY_CHANNEL, 0, name);
        add(layout, channel, TELEMETRY_COUNTER, "bytes", "Byte", 2, 10000000000u, NULL);
        add(layout, channel, TELEMETRY_COUNTER, "read_bursts", "Count", 1, 0, NULL);
        add(layout, channel, TELEMETRY_COUNTER, "read_latency_ps", "Tick", 1, 0, NULL);
        for (uint32_t j = 0; j < ranks; j++) {
            snprintf(name, sizeof name, "mem.dram%u.rank%u", i, j);
            add_rank(layout, channel, name, banks);
        }
    }
    assert_int_equal(telemetry_freeze(layout).kind, FAULT_NONE);
}

static uint64_t *word(const struct telemetry *layout, uint64_t *words, const char *component, const char *field,
                      uint32_t element)
{
    for (uint32_t i = 0; i < layout->component_count; i++)
        if (strcmp(layout->components[i].name, component) == 0)
            return &words[telemetry_find(layout, i, field)->first + element];
    fail_msg("no component %s", component);
    return NULL;
}

/* Numbers that rise, each in its own way. */
static void fill(const struct telemetry *layout, uint64_t *words, uint64_t number)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct telemetry_field *const field = &layout->fields[i];

        for (uint32_t j = 0; j < field->count; j++)
            words[field->first + j] = field->kind == TELEMETRY_STATE ? (number + i + j) % field->state_count
                                      : field->kind == TELEMETRY_LEVEL ? (number + j) % 11
                                      : number * (1 + (i * 7 + j * 3) % 13);
    }
    words[TELEMETRY_NUMBER] = number;
    words[TELEMETRY_TIME] = (number + 1) * 1000000;
    words[TELEMETRY_SINCE] = 0;
    *word(layout, words, "system", "heat_base", 0) = 0x100000;
    *word(layout, words, "system", "heat_shift", 0) = 14;
}

struct bench {
    struct telemetry layout;
    struct view view;
    struct canvas *canvas;
    uint64_t *words;
};

static struct bench *bench_make(uint32_t cores, uint32_t sms, uint32_t channels, uint32_t ranks, uint32_t banks,
                                double scale)
{
    struct bench *const bench = calloc(1, sizeof *bench);
    struct fault fault;

    assert_non_null(bench);
    make_layout(&bench->layout, cores, sms, channels, ranks, banks);
    bench->words = calloc(bench->layout.word_count, sizeof *bench->words);
    assert_non_null(bench->words);
    view_init(&bench->view);
    fault = canvas_open_image(&bench->canvas, 1280, 800, scale);
    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault_text(fault));
    assert_int_equal(view_add_run(&bench->view, "run", &bench->layout).kind, FAULT_NONE);
    return bench;
}

static void bench_free(struct bench *bench)
{
    view_free(&bench->view);
    canvas_close(bench->canvas);
    telemetry_free(&bench->layout);
    free(bench->words);
    free(bench);
}

static void put(struct bench *bench, unsigned run)
{
    history_put(&bench->view.runs[run].history, bench->words);
}

static void put_many(struct bench *bench, unsigned run, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        fill(&bench->layout, bench->words, i);
        put(bench, run);
    }
}

static void draw(struct bench *bench, void (*panel)(const struct panel *), struct area area, unsigned run)
{
    struct panel const drawn = {.view = &bench->view, .canvas = bench->canvas,
                                .theme = palette_theme(bench->view.is_dark), .area = area, .run = run};

    hits_clear(&bench->view.hits);
    canvas_begin(bench->canvas, drawn.theme->background);
    canvas_clip(bench->canvas, area);
    panel(&drawn);
    canvas_clip_all(bench->canvas);
    canvas_end(bench->canvas);
}

static bool lies_inside(struct area inner, struct area outer)
{
    return inner.x >= outer.x && inner.y >= outer.y && inner.width > 0 && inner.height > 0
           && inner.x + inner.width <= outer.x + outer.width && inner.y + inner.height <= outer.y + outer.height;
}

static void check_inside(const struct bench *bench, struct area area)
{
    for (uint32_t i = 0; i < bench->view.hits.count; i++)
        if (!lies_inside(bench->view.hits.hits[i].area, area)) {
            struct area const found = bench->view.hits.hits[i].area;

            fail_msg("hit %u '%s' (%d, %d, %d x %d) is not inside (%d, %d, %d x %d)", i,
                     bench->view.hits.hits[i].title, found.x, found.y, found.width, found.height, area.x, area.y,
                     area.width, area.height);
        }
}

/* Any size, one run or two, with a course before: no assertion, nothing outside. */
static void panels_stay_inside_at_any_size(void **state)
{
    static void (*const panels[])(const struct panel *) = {panel_strips, panel_heat, panel_banks};
    struct bench *const bench = bench_make(2, 2, 3, 2, 8, 1);

    for (unsigned i = 0; i < 3; i++) {   /* before the first sample */
        draw(bench, panels[i], (struct area){7, 11, 900, 400}, 0);
        check_inside(bench, (struct area){7, 11, 900, 400});
    }
    put_many(bench, 0, 90);
    for (int pass = 0; pass < 3; pass++) {
        if (pass == 1)
            assert_int_equal(view_restart_run(&bench->view, 0, &bench->layout).kind, FAULT_NONE);
        if (pass == 2)
            assert_int_equal(view_add_run(&bench->view, "other", &bench->layout).kind, FAULT_NONE);
        put_many(bench, pass == 2, 40);
        view_update(&bench->view);
        bench->view.is_dark = pass != 1;
        for (int width = 30; width < 1270; width += 73)
            for (int height = 5; height < 700; height += 61)
                for (unsigned i = 0; i < 3; i++) {
                    struct area const area = {7, 11, width, height};

                    draw(bench, panels[i], area, pass == 2 && i == 2);
                    check_inside(bench, area);
                }
    }
    bench_free(bench);
}

/* viz/panels/panels.h: one hit for each bank, none over another: 16 channels of two ranks of 16 banks are still there.
 */
static void each_bank_can_be_pointed_at(void **state)
{
    static const struct area areas[] = {{800, 40, 455, 288}, {10, 10, 640, 430}, {10, 10, 620, 104}};
    static const struct { uint32_t channels, ranks, banks; } grids[] = {{1, 1, 8}, {2, 2, 16}, {16, 2, 16}};

    for (size_t grid = 0; grid < sizeof grids / sizeof *grids; grid++) {
        struct bench *const bench = bench_make(1, 0, grids[grid].channels, grids[grid].ranks, grids[grid].banks, 1);
        uint32_t const banks = grids[grid].channels * grids[grid].ranks * grids[grid].banks;

        put_many(bench, 0, 3);
        view_update(&bench->view);
        for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
            uint32_t found = 0;

            draw(bench, panel_banks, areas[i], 0);
            check_inside(bench, areas[i]);
            for (uint32_t j = 0; j < bench->view.hits.count; j++) {
                const struct hit *const hit = &bench->view.hits.hits[j];

                if (hit->kind != HIT_BANK)
                    continue;
                assert_ptr_equal(hits_find(&bench->view.hits, hit->area.x, hit->area.y), hit);
                found++;
            }
            assert_int_equal(found, banks);
        }
        bench_free(bench);
    }
}

/* The first one of that kind and element. */
static struct hit *find_hit(struct bench *bench, enum hit_kind kind, const char *component, uint32_t element)
{
    for (uint32_t i = 0; i < bench->view.hits.count; i++) {
        struct hit *const hit = &bench->view.hits.hits[i];

        if (hit->kind == kind && hit->element == element
            && (!component || strcmp(bench->layout.components[hit->component].name, component) == 0))
            return hit;
    }
    fail_msg("no such hit: kind %d, element %u", (int)kind, element);
    return NULL;
}

static void point_at(struct bench *bench, int x, int y)
{
    view_event(&bench->view, &(struct view_input){.kind = VIEW_MOTION, .x = x, .y = y});
}

/* The box of a bank: 10 reads, 6 writes, 4 activates of them, 3 conflicts, in 2 us. */
static void a_pointed_bank_shows_its_values(void **state)
{
    struct area const area = {800, 40, 455, 288};
    struct bench *const bench = bench_make(1, 0, 1, 2, 8, 1);
    struct hit *hit;

    bench->words[TELEMETRY_TIME] = 1000000;
    put(bench, 0);
    bench->words[TELEMETRY_NUMBER] = 1;
    bench->words[TELEMETRY_TIME] = 3000000;
    *word(&bench->layout, bench->words, "mem.dram0.rank1", "banks", 5) = 1;
    *word(&bench->layout, bench->words, "mem.dram0.rank1", "rows", 5) = 78;
    *word(&bench->layout, bench->words, "mem.dram0.rank1", "reads", 5) = 10;
    *word(&bench->layout, bench->words, "mem.dram0.rank1", "writes", 5) = 6;
    *word(&bench->layout, bench->words, "mem.dram0.rank1", "activates", 5) = 4;
    *word(&bench->layout, bench->words, "mem.dram0.rank1", "conflicts", 5) = 3;
    put(bench, 0);
    view_update(&bench->view);
    draw(bench, panel_banks, area, 0);
    hit = find_hit(bench, HIT_BANK, "mem.dram0.rank1", 5);
    bench->view.pointer_x = hit->area.x + 2;
    bench->view.pointer_y = hit->area.y + 2;
    draw(bench, panel_banks, area, 0);
    assert_string_equal(hit->title, "mem.dram0.rank1 bank 5");
    assert_string_equal(hit->numbers, "active row\nrow 77\n5.00 M reads/s, 3.00 M writes/s\n"
                                      "hits 75.0 %, misses 6.25 %, conflicts 18.8 %");
    assert_non_null(hit->meaning);
    hit = find_hit(bench, HIT_COMPONENT, "mem.dram0.rank1", TELEMETRY_NONE);
    bench->view.pointer_x = hit->area.x + 2;
    bench->view.pointer_y = hit->area.y + 2;
    draw(bench, panel_banks, area, 0);
    assert_string_equal(hit->title, "mem.dram0.rank1");
    assert_string_equal(hit->numbers, "5.00 M reads/s, 3.00 M writes/s\nhits 75.0 %, misses 6.25 %, conflicts 18.8 %");
    bench_free(bench);
}

/* No run counts in regions that large: they are not drawn. A heat map with 256 regions over the whole range is. */
static void heat_of_regions_that_cannot_be_is_left_out(void **state)
{
    static const struct { uint64_t base, shift; const char *title; } maps[] = {
        {0, 57, "Accesses by address"}, {0, 64, "Accesses by address"}, {0, UINT64_MAX, "Accesses by address"},
        {0, 56, "0x0 to "}, {UINT64_MAX - 0xfff, 12, "0x"}, {UINT64_MAX - 0xfff, 56, "0x"}
    };
    struct area const area = {0, 400, 1280, 300}, time = panel_time_area(area, 0, 1);

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct bench *const bench = bench_make(1, 0, 1, 1, 4, 1);
        const struct hit *hit;

        for (uint64_t number = 0; number < 3; number++) {
            fill(&bench->layout, bench->words, number);
            *word(&bench->layout, bench->words, "system", "heat_base", 0) = maps[i].base;
            *word(&bench->layout, bench->words, "system", "heat_shift", 0) = maps[i].shift;
            put(bench, 0);
        }
        bench->view.pointer_x = time.x + time.width / 2;
        bench->view.pointer_y = time.y + time.height - 1;
        view_update(&bench->view);
        draw(bench, panel_heat, area, 0);
        hit = find_hit(bench, HIT_HEAT, NULL, TELEMETRY_NONE);
        if (strncmp(hit->title, maps[i].title, strlen(maps[i].title)) != 0)
            fail_msg("base 0x%llx, shift %llu: expected '%s', got '%s'", (unsigned long long)maps[i].base,
                     (unsigned long long)maps[i].shift, maps[i].title, hit->title);
        bench_free(bench);
    }
}

/* memsys/noc/address_heat.h: regions double; the counts of the small ones are added up in the large ones.
 */
static void heat_counts_accesses_after_regions_grew(void **state)
{
    struct area const area = {0, 400, 1280, 300}, time = panel_time_area(area, 0, 1);
    struct bench *const bench = bench_make(1, 0, 1, 1, 8, 1);
    uint64_t *const words = bench->words;

    words[TELEMETRY_TIME] = 1000000;
    *word(&bench->layout, words, "system", "heat_base", 0) = 0x4000;
    *word(&bench->layout, words, "system", "heat_shift", 0) = 12;
    *word(&bench->layout, words, "system", "heat", 0) = 10;
    *word(&bench->layout, words, "system", "heat", 3) = 20;
    put(bench, 0);
    words[TELEMETRY_NUMBER] = 1;
    words[TELEMETRY_TIME] = 2000000;
    *word(&bench->layout, words, "system", "heat_shift", 0) = 13;
    *word(&bench->layout, words, "system", "heat", 0) = 10 + 5;
    *word(&bench->layout, words, "system", "heat", 1) = 20;
    *word(&bench->layout, words, "system", "heat", 2) = 7;
    *word(&bench->layout, words, "system", "heat", 3) = 0;
    put(bench, 0);
    view_update(&bench->view);
    /* Three rows of 8 KiB, low addresses at the bottom. */
    static const struct { double time, place; const char *title, *numbers; } places[] = {
        {0.25, 0.1, "0x4000 to 0x5fff", "10.0 M/s"}, {0.25, 0.5, "0x6000 to 0x7fff", "20.0 M/s"},
        {0.25, 0.9, "0x8000 to 0x9fff", "0/s"}, {0.75, 0.1, "0x4000 to 0x5fff", "5.00 M/s"},
        {0.75, 0.5, "0x6000 to 0x7fff", "0/s"}, {0.75, 0.9, "0x8000 to 0x9fff", "7.00 M/s"}
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct hit *hit;

        point_at(bench, time.x + (int)(places[i].time * time.width),
                 time.y + (int)((1 - places[i].place) * time.height));
        draw(bench, panel_heat, area, 0);
        hit = hits_find(&bench->view.hits, bench->view.pointer_x, bench->view.pointer_y);
        assert_non_null(hit);
        assert_string_equal(hit->title, places[i].title);
        if (strncmp(hit->numbers, places[i].numbers, strlen(places[i].numbers)) != 0)
            fail_msg("'%s' does not begin with '%s'", hit->numbers, places[i].numbers);
    }
    bench_free(bench);
}

/* The box of the chart shows the values at the chosen moment. */
static void a_chart_shows_the_values_of_the_moment(void **state)
{
    struct area const area = {0, 300, 1280, 330};
    struct bench *const bench = bench_make(1, 0, 1, 1, 8, 1);
    uint64_t *const words = bench->words;
    const struct hit *hit;

    for (uint64_t i = 0; i < 4; i++) {
        words[TELEMETRY_NUMBER] = i;
        words[TELEMETRY_TIME] = (i + 1) * 1000000;
        *word(&bench->layout, words, "mem.dram0", "bytes", 0) += 1000 * (i + 1);
        *word(&bench->layout, words, "mem.dram0", "bytes", 1) += 250;
        put(bench, 0);
    }
    view_update(&bench->view);
    bench->view.has_at = true;
    bench->view.at_ps = 2500000;
    draw(bench, panel_strips, area, 0);
    for (uint32_t i = 0; i < bench->view.hits.count; i++) {
        hit = &bench->view.hits.hits[i];
        if (hit->kind == HIT_CHART && hit->element == STRIP_BANDWIDTH) {
            assert_string_equal(hit->title, "Memory bandwidth at 2.500 us");
            assert_string_equal(hit->numbers, "read 3.00 GB/s\nwrite 250 MB/s");
            bench_free(bench);
            return;
        }
    }
    fail_msg("no chart of bandwidth among %u hits", bench->view.hits.count);
}

static bool legend_names(const struct bench *bench, const char *text)
{
    for (uint32_t i = 0; i < bench->view.hits.count; i++)
        if (bench->view.hits.hits[i].kind == HIT_TEXT && strcmp(bench->view.hits.hits[i].title, text) == 0)
            return true;
    return false;
}

/* Two lines of legend a row: where three bands do not all have room, the wheel brings the others; in a high row all are
 * there. */
static void legends_list_all(void **state)
{
    static const uint64_t cycles[3] = {900, 500, 30};    /* as in parts[] */
    static const char *const shown[] = {"working", "ROB full", "dependences"};
    struct area const low = {0, 0, 900, 200}, high = {0, 0, 900, 500};
    struct bench *const bench = bench_make(1, 0, 1, 1, 8, 1);
    struct view_scroll *const scroll = &bench->view.scrolls[STRIP_CYCLES];
    unsigned seen = 0, at_once = 0;

    bench->words[TELEMETRY_TIME] = 1000000;
    put(bench, 0);
    bench->words[TELEMETRY_NUMBER] = 1;
    bench->words[TELEMETRY_TIME] = 2000000;
    for (uint32_t j = 0; j < 3; j++)
        *word(&bench->layout, bench->words, "cpu", "cycles", j) = cycles[j];
    put(bench, 0);
    view_update(&bench->view);
    for (int turn = 0; turn < 3; turn++) {
        draw(bench, panel_strips, low, 0);
        for (uint32_t j = 0; j < 3; j++) {
            at_once += turn == 0 && legend_names(bench, shown[j]);
            seen |= (unsigned)legend_names(bench, shown[j]) << j;
        }
        assert_true(scroll->most > 0);
        assert_true(view_scroll_by(&bench->view, scroll->area.x + 5, scroll->area.y + 1, 1));
    }
    assert_int_equal(seen, 7);
    assert_true(at_once < 3);
    assert_int_equal(scroll->first, scroll->most);
    assert_false(view_scroll_by(&bench->view, 5, 5, 1));
    assert_true(view_scroll_by(&bench->view, scroll->area.x + 5, scroll->area.y + 1, -9));
    assert_int_equal(scroll->first, 0);
    draw(bench, panel_strips, high, 0);
    assert_int_equal(scroll->most, 0);
    for (uint32_t j = 0; j < 3; j++)
        if (!legend_names(bench, shown[j]))
            fail_msg("%s is not named in a high row", shown[j]);
    bench_free(bench);
}

/* After the end, while no moment is chosen: means since the statistics began, levels too; then a moment again. */
static void after_the_end_the_whole_run_is_shown(void **state)
{
    struct bench *const bench = bench_make(1, 1, 1, 1, 8, 1);
    const uint64_t *before, *words;
    uint64_t begin_ps = 7;

    for (uint64_t i = 1; i <= 4; i++) {
        bench->words[TELEMETRY_NUMBER] = i;
        bench->words[TELEMETRY_TIME] = i * 1000000;
        *word(&bench->layout, bench->words, "sm", "warps", 1) = 4 * i;
        put(bench, 0);
    }
    view_update(&bench->view);
    assert_false(view_shows_whole(&bench->view, 0, NULL));
    assert_true(view_samples(&bench->view, 0, &before, &words));
    assert_non_null(before);
    bench->view.runs[0].state = VIEW_ENDED;
    view_update(&bench->view);
    assert_true(view_shows_whole(&bench->view, 0, &begin_ps));
    assert_int_equal(begin_ps, 0);
    assert_true(view_samples(&bench->view, 0, &before, &words));
    assert_null(before);
    assert_int_equal(telemetry_span_ps(before, words), 4000000);
    memcpy(bench->words, words, bench->layout.word_count * sizeof *words);
    assert_int_equal(*word(&bench->layout, bench->words, "sm", "warps", 1), 10);
    bench->view.has_pinned_at = true;
    bench->view.pinned_ps = 2000000;
    view_update(&bench->view);
    assert_false(view_shows_whole(&bench->view, 0, NULL));
    assert_true(view_samples(&bench->view, 0, &before, &words));
    assert_int_equal(words[TELEMETRY_TIME], 2000000);
    bench->view.has_pinned_at = false;
    bench->view.runs[0].state = VIEW_RUNNING;            /* it begins anew */
    view_update(&bench->view);
    assert_false(view_shows_whole(&bench->view, 0, NULL));
    bench_free(bench);
}

static void picture(struct bench *bench, char **bytes, size_t *size)
{
    char path[] = "/tmp/test_panels_XXXXXX";
    int const file = mkstemp(path);
    FILE *from;

    assert_true(file >= 0);
    close(file);
    assert_int_equal(canvas_write_png(bench->canvas, path).kind, FAULT_NONE);
    from = fopen(path, "rb");
    assert_non_null(from);
    *bytes = malloc(1 << 22);
    assert_non_null(*bytes);
    *size = fread(*bytes, 1, 1 << 22, from);
    assert_true(*size > 1000 && *size < 1 << 22);
    fclose(from);
    unlink(path);
}

/* With nothing that panels have kept. */
static void draw_anew(struct view *view, struct canvas *canvas)
{
    struct view_memory kept[PANEL_KINDS];

    memcpy(kept, view->kept, sizeof kept);
    memset(view->kept, 0, sizeof kept);
    view_draw(view, canvas);
    for (unsigned i = 0; i < PANEL_KINDS; i++) {
        if (view->kept[i].end)
            view->kept[i].end(view->kept[i].memory);
        free(view->kept[i].memory);
    }
    memcpy(view->kept, kept, sizeof kept);
}

/* viz/view/view.h: a frame after others is the same as one drawn anew, whatever lay over the panels before, and however
 * the size, the colours or the runs have changed. */
static void frames_after_others_equal_fresh_ones(void **state)
{
    struct bench *const bench = bench_make(3, 2, 2, 1, 8, 1), *const other = bench_make(1, 0, 1, 1, 4, 1);
    struct canvas *const kept = bench->canvas;
    char *bytes[2];
    size_t sizes[2];

    for (unsigned i = 0; i < 24; i++) {
        struct bench *const samples = i > 15 ? other : bench;

        for (uint64_t j = 0; j < 5; j++) {
            fill(&samples->layout, samples->words, 5 * i + j);
            history_put(&bench->view.runs[0].history, samples->words);
        }
        if (i % 4 == 1)
            point_at(bench, 40 + 47 * (int)i, 60 + 27 * (int)i);
        if (i % 6 == 2)                  /* a sheet in the middle; any key takes it away */
            view_event(&bench->view, &(struct view_input){.kind = VIEW_KEY, .key = '?'});
        bench->view.is_dark = i < 9 || i > 12;
        if (i == 15)
            assert_int_equal(view_restart_run(&bench->view, 0, &other->layout).kind, FAULT_NONE);
        if (i == 18)
            assert_int_equal(view_add_run(&bench->view, "other", &other->layout).kind, FAULT_NONE);
        if (i == 21)
            view_remove_run(&bench->view);
        view_draw(&bench->view, kept);
        view_draw(&bench->view, kept);
        bench->canvas = kept;
        picture(bench, &bytes[0], &sizes[0]);
        assert_int_equal(canvas_open_image(&bench->canvas, 1280, 800, 1).kind, FAULT_NONE);
        draw_anew(&bench->view, bench->canvas);
        picture(bench, &bytes[1], &sizes[1]);
        if (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0)
            fail_msg("frame %u: %zu bytes as a picture, drawn anew %zu, or others", i, sizes[0], sizes[1]);
        canvas_close(bench->canvas);
        bench->canvas = kept;
        free(bytes[0]);
        free(bytes[1]);
    }
    bench_free(bench);
    bench_free(other);
}

/* ---- everything answers */

/* The frame drawn last: red, green, blue. */
static unsigned char *pixels_of(struct bench *bench)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    unsigned char *pixels;
    char *bytes;
    size_t size;

    picture(bench, &bytes, &size);
    assert_true(png_image_begin_read_from_memory(&image, bytes, size));
    image.format = PNG_FORMAT_RGB;
    pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(pixels);
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    free(bytes);
    return pixels;
}

static bool lies_between(unsigned value, unsigned one, unsigned other)
{
    return value >= (one < other ? one : other) && value <= (one < other ? other : one);
}

/* Ground, a panel, or its round corner. */
static bool is_ground(const unsigned char *pixel, const struct theme *theme)
{
    return lies_between(pixel[0], theme->background.red, theme->panel.red)
           && lies_between(pixel[1], theme->background.green, theme->panel.green)
           && lies_between(pixel[2], theme->background.blue, theme->panel.blue);
}

/* Also a little beside it: edges are smooth, letters lean out, and a marked element has a frame around it. */
static bool is_answered(const struct view *view, int x, int y)
{
    enum { BESIDE = 3 };

    for (int dy = -BESIDE; dy <= BESIDE; dy++)
        for (int dx = -BESIDE; dx <= BESIDE; dx++) {
            const struct hit *const hit = hits_find(&view->hits, x + dx, y + dy);

            if (hit && hit->meaning && (hit->title[0] || hit->kind == HIT_BANK))
                return true;
        }
    return false;
}

static void check_answers(struct bench *bench, const char *what)
{
    const struct theme *const theme = palette_theme(bench->view.is_dark);
    unsigned char *pixels;
    unsigned drawn = 0;

    view_draw(&bench->view, bench->canvas);
    pixels = pixels_of(bench);
    for (int y = 0; y < 800; y++)
        for (int x = 0; x < 1280; x++) {
            if (is_ground(&pixels[3 * (y * 1280 + x)], theme))
                continue;
            drawn++;
            if (!is_answered(&bench->view, x, y))
                fail_msg("%s: what is drawn at (%d, %d) does not answer the pointer", what, x, y);
        }
    if (drawn < 20000)
        fail_msg("%s: only %u pixels are drawn", what, drawn);
    free(pixels);
}

static struct bench *bench_with_samples(uint32_t cores, uint32_t sms, uint32_t channels)
{
    struct bench *const bench = bench_make(cores, sms, channels, 2, 8, 1);

    put_many(bench, 0, 100);
    view_update(&bench->view);
    return bench;
}

/* viz/state/state_figures.h: "All that is drawn on a panel lies in such an area", and explains itself: titles, legends,
 * scales, axes, bar and status line as well as the system's parts. */
static void add_findings(struct bench *bench, unsigned run)
{
    struct findings findings = {0};
    struct finding_metric metric = {.meaning = "what it counts", .better = 1};

    findings_add_line(&findings, "bound by", "DRAM bandwidth: 71 % of cycles (93 % of peak); next: load queue, 22 %",
                      false);
    findings_add_line(&findings, "doubtful", "short", true);
    for (unsigned i = 0; i < 90; i++) {
        snprintf(metric.name, sizeof metric.name, "metric%u", i);
        snprintf(metric.value, sizeof metric.value, "%u GB/s", i * (run + 1));
        metric.number = i * (run + 1);
        assert_true(findings_add_metric(&findings, &metric));
    }
    view_judge(&bench->view, run, &findings);
    assert_null(findings.metrics);
    assert_non_null(findings_metric(&bench->view.runs[run].findings, "metric89"));
    assert_null(findings_metric(&bench->view.runs[run].findings, "metric90"));
}

static void everything_that_is_drawn_answers(void **state)
{
    struct bench *bench = bench_with_samples(2, 0, 1);

    check_answers(bench, "two cores");
    bench->view.is_dark = false;
    check_answers(bench, "light");
    bench->view.runs[0].lost = 7;
    bench->view.is_recording = true;
    view_note(&bench->view, "written view-0001.png");
    check_answers(bench, "lost samples, a recording, a message");
    assert_int_equal(view_restart_run(&bench->view, 0, &bench->layout).kind, FAULT_NONE);
    put_many(bench, 0, 50);
    check_answers(bench, "the course of the run before");
    view_choose(&bench->view, 0, 1);
    check_answers(bench, "a chosen core");
    assert_int_equal(view_add_run(&bench->view, "other", &bench->layout).kind, FAULT_NONE);
    check_answers(bench, "a second run that has no sample yet");
    put_many(bench, 1, 70);
    view_update(&bench->view);
    check_answers(bench, "two runs");
    for (unsigned i = 0; i < 2; i++) {
        add_findings(bench, i);
        bench->view.runs[i].state = VIEW_ENDED;
    }
    strcpy(bench->view.difference, "l2.size 256KiB vs 1MiB; l2.mshrs 16 vs 32");
    check_answers(bench, "two runs that are over");
    view_event(&bench->view, &(struct view_input){.kind = VIEW_KEY, .key = 'm'});
    assert_int_equal(bench->view.mode, MODE_METRICS);
    check_answers(bench, "metrics");
    bench_free(bench);

    bench = bench_with_samples(0, 4, 2);
    check_answers(bench, "SMs");
    bench_free(bench);
    bench = bench_with_samples(64, 0, 16);
    check_answers(bench, "64 cores and 16 channels");
    view_event(&bench->view, &(struct view_input){.kind = VIEW_WHEEL, .x = 2, .y = 2, .wheel = 20});
    check_answers(bench, "a stretch between two samples");
    bench_free(bench);
    bench = bench_make(1, 0, 1, 1, 8, 1);
    check_answers(bench, "no sample yet");
    bench_free(bench);
}

static void same_samples_give_the_same_picture(void **state)
{
    static void (*const panels[])(const struct panel *) = {panel_strips, panel_heat, panel_banks};
    struct area const area = {0, 0, 1200, 500};

    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
        char *pictures[2];
        size_t sizes[2];

        for (unsigned j = 0; j < 2; j++) {
            struct bench *const bench = bench_make(2, 2, 2, 2, 8, 2);

            put_many(bench, 0, 500);
            view_update(&bench->view);
            draw(bench, panels[i], area, 0);
            if (j == 1)                  /* whatever was drawn before */
                draw(bench, panels[i], area, 0);
            picture(bench, &pictures[j], &sizes[j]);
            bench_free(bench);
        }
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(pictures[0], pictures[1], sizes[0]);
        free(pictures[0]);
        free(pictures[1]);
    }
}

#else

static void without_sdl_drawing_is_refused(void **state)
{
    struct canvas *canvas;

    assert_int_equal(canvas_open_image(&canvas, 10, 10, 1).kind, FAULT_INPUT);
}

#endif

int main(void)
{
    struct CMUnitTest const tests[] = {
#ifdef RUBATO_SDL
        cmocka_unit_test(panels_stay_inside_at_any_size),
        cmocka_unit_test(each_bank_can_be_pointed_at),
        cmocka_unit_test(a_pointed_bank_shows_its_values),
        cmocka_unit_test(heat_of_regions_that_cannot_be_is_left_out),
        cmocka_unit_test(heat_counts_accesses_after_regions_grew),
        cmocka_unit_test(a_chart_shows_the_values_of_the_moment),
        cmocka_unit_test(legends_list_all),
        cmocka_unit_test(after_the_end_the_whole_run_is_shown),
        cmocka_unit_test(same_samples_give_the_same_picture),
        cmocka_unit_test(frames_after_others_equal_fresh_ones),
        cmocka_unit_test(everything_that_is_drawn_answers)
#else
        cmocka_unit_test(without_sdl_drawing_is_refused)
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
