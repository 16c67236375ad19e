/* Modelled: classic-memory 8.5, whose windows lose their counts as soon as they have begun. Not modelled: the pins;
 * when a command is sent within its window is the caller's business.
 *
 * Few windows are counted at a time, as commands lie at most some ten windows ahead: they have places of a ring to
 * themselves, and no window is searched. */
#include "memsys/dram/command_bus.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "memsys/sim/out_of_memory.h"

#define FIRST_CAPACITY 32

static struct dram_command_window *new_windows(uint64_t capacity)
{
    return calloc((size_t)capacity, sizeof(struct dram_command_window));
}

struct fault dram_command_bus_init(struct dram_command_bus *bus, const struct sim *sim, uint64_t window_ps,
                                   uint64_t clock_ps)
{
    *bus = (struct dram_command_bus){.sim = sim, .window = clock_domain(window_ps), .limit = window_ps / clock_ps,
                                     .mask = FIRST_CAPACITY - 1};
    if (bus->limit == 0)
        return fault_make(FAULT_INPUT, "memory.command_window is %" PRIu64 " ps, shorter than the DRAM clock tCK of %"
                          PRIu64 " ps; no command would ever fit, give 10ns", window_ps, clock_ps);
    bus->windows = new_windows(FIRST_CAPACITY);
    if (!bus->windows)
        return fault_make(FAULT_MEMORY, "out of memory for a command bus");
    return fault_none();
}

void dram_command_bus_free(struct dram_command_bus *bus)
{
    free(bus->windows);
    bus->windows = NULL;
}

/* Is the window that the place holds, if any, still counted? */
static bool counts(const struct dram_command_bus *bus, const struct dram_command_window *window)
{
    return window->commands > 0 && (window->start_ps >= bus->oldest_ps || window->forgets == bus->forgets);
}

static struct dram_command_window *command_bus_place_of(const struct dram_command_bus *bus, uint64_t start_ps)
{
    return &bus->windows[domain_quotient(bus->window, start_ps) & bus->mask];
}

/* Room for twice as many windows: two that are counted want the same place. */
static void command_bus_grow(struct dram_command_bus *bus)
{
    struct dram_command_window *const old = bus->windows;
    uint64_t const old_mask = bus->mask;

    struct dram_command_window *const windows = new_windows(2 * (old_mask + 1));

    if (!windows)
        sim_out_of_memory(bus->sim);
    bus->windows = windows;
    bus->mask = 2 * old_mask + 1;
    for (uint64_t i = 0; i <= old_mask; i++)
        if (counts(bus, &old[i]))
            *command_bus_place_of(bus, old[i].start_ps) = old[i];
    free(old);
}

static uint64_t commands_in(const struct dram_command_bus *bus, uint64_t start_ps)
{
    const struct dram_command_window *const window = command_bus_place_of(bus, start_ps);

    return window->start_ps == start_ps && counts(bus, window) ? window->commands : 0;
}

uint64_t dram_command_bus_commands(const struct dram_command_bus *bus, uint64_t tick_ps)
{
    return commands_in(bus, dram_command_bus_start_ps(bus, tick_ps));
}

static void begin_window(struct dram_command_bus *bus, struct dram_command_window *window, uint64_t start_ps)
{
    while (counts(bus, window)) {
        command_bus_grow(bus);
        window = command_bus_place_of(bus, start_ps);
    }
    *window = (struct dram_command_window){start_ps, 1, bus->forgets};
}

static void count_in(struct dram_command_bus *bus, uint64_t start_ps)
{
    struct dram_command_window *const window = command_bus_place_of(bus, start_ps);

    if (window->start_ps == start_ps && counts(bus, window))
        window->commands++;
    else
        begin_window(bus, window, start_ps);
}

uint64_t dram_command_bus_single(struct dram_command_bus *bus, uint64_t earliest_ps)
{
    uint64_t number = domain_quotient(bus->window, earliest_ps), tick_ps = earliest_ps;

    for (;;) {
        uint64_t const start_ps = number * bus->window.period_ps;
        struct dram_command_window *const window = &bus->windows[number & bus->mask];

        if (window->start_ps != start_ps || !counts(bus, window)) {
            begin_window(bus, window, start_ps);
            return tick_ps;
        }
        if (window->commands < bus->limit) {
            window->commands++;
            return tick_ps;
        }
        tick_ps = ++number * bus->window.period_ps;
    }
}

/* The order of the three decisions in the loop is the reference's: whether the two lie too far apart is asked after the
 * second may have moved, and `first` then follows it even though it had room. */
uint64_t dram_command_bus_pair(struct dram_command_bus *bus, uint64_t earliest_ps, uint64_t max_split_ps)
{
    uint64_t second_ps = dram_command_bus_start_ps(bus, earliest_ps);
    uint64_t first_ps, back_ps = 0, tick_ps = earliest_ps;
    bool first_fits, second_fits;

    while (max_split_ps > (earliest_ps - second_ps) + back_ps)
        back_ps += bus->window.period_ps;
    first_ps = second_ps - (back_ps < second_ps ? back_ps : second_ps);
    do {
        bool const same = first_ps == second_ps;
        uint64_t const in_first = commands_in(bus, first_ps);
        uint64_t const in_second = same ? in_first + 1 : commands_in(bus, second_ps);
        bool too_far;

        first_fits = in_first < bus->limit;
        second_fits = in_second < bus->limit;
        if (!second_fits) {
            second_ps += bus->window.period_ps;
            tick_ps = second_ps;
        }
        too_far = !same && second_ps - first_ps > max_split_ps;
        if (!first_fits || (!second_fits && too_far))
            first_ps += bus->window.period_ps;
    } while (!first_fits || !second_fits);
    count_in(bus, second_ps);
    count_in(bus, first_ps);
    return tick_ps;
}
