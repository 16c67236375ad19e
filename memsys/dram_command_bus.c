/* Modelled: classic-memory 8.5, whose windows lose their counts as soon as they have begun. Not modelled: the pins;
 * when a command is sent within its window is the caller's business.
 *
 * Few windows are counted at a time, as commands lie at most some ten windows ahead: a list searched from its end. */
#include "memsys/dram_command_bus.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#define FIRST_CAPACITY 32

struct fault dram_command_bus_init(struct dram_command_bus *bus, uint64_t window_ps, uint64_t clock_ps)
{
    *bus = (struct dram_command_bus){.window_ps = window_ps, .limit = window_ps / clock_ps,
                                     .capacity = FIRST_CAPACITY};
    if (bus->limit == 0)
        return fault_make(FAULT_INPUT, "memory.command_window is %" PRIu64 " ps, shorter than the DRAM clock tCK of %"
                          PRIu64 " ps; no command would ever fit, give 10ns", window_ps, clock_ps);
    bus->windows = malloc(FIRST_CAPACITY * sizeof *bus->windows);
    if (!bus->windows)
        return fault_make(FAULT_MEMORY, "out of memory for a command bus");
    return fault_none();
}

void dram_command_bus_free(struct dram_command_bus *bus)
{
    free(bus->windows);
    bus->windows = NULL;
    bus->count = 0;
}

void dram_command_bus_forget(struct dram_command_bus *bus, uint64_t oldest_ps)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < bus->count; i++)
        if (bus->windows[i].start_ps >= oldest_ps)
            bus->windows[kept++] = bus->windows[i];
    bus->count = kept;
}

static struct dram_command_window *find(const struct dram_command_bus *bus, uint64_t start_ps)
{
    for (uint32_t i = bus->count; i-- > 0;)
        if (bus->windows[i].start_ps == start_ps)
            return &bus->windows[i];
    return NULL;
}

static uint64_t commands_in(const struct dram_command_bus *bus, uint64_t start_ps)
{
    const struct dram_command_window *const window = find(bus, start_ps);

    return window ? window->commands : 0;
}

static void begin_window(struct dram_command_bus *bus, uint64_t start_ps)
{
    if (bus->count == bus->capacity) {
        struct dram_command_window *const more = realloc(bus->windows, 2 * bus->capacity * sizeof *more);

        if (!more)
            abort();
        bus->windows = more;
        bus->capacity *= 2;
    }
    bus->windows[bus->count++] = (struct dram_command_window){start_ps, 1};
}

static void count_in(struct dram_command_bus *bus, uint64_t start_ps)
{
    struct dram_command_window *const window = find(bus, start_ps);

    if (window)
        window->commands++;
    else
        begin_window(bus, start_ps);
}

uint64_t dram_command_bus_single(struct dram_command_bus *bus, uint64_t earliest_ps)
{
    uint64_t start_ps = dram_command_bus_start_ps(bus, earliest_ps);
    uint64_t tick_ps = earliest_ps;
    struct dram_command_window *window;

    while ((window = find(bus, start_ps)) != NULL && window->commands >= bus->limit) {
        start_ps += bus->window_ps;
        tick_ps = start_ps;
    }
    if (window)
        window->commands++;
    else
        begin_window(bus, start_ps);
    return tick_ps;
}

/* The order of the three decisions in the loop is the reference's: whether the two lie too far apart is asked after the
 * second may have moved, and `first` then follows it even though it had room. */
uint64_t dram_command_bus_pair(struct dram_command_bus *bus, uint64_t earliest_ps, uint64_t max_split_ps)
{
    uint64_t second_ps = dram_command_bus_start_ps(bus, earliest_ps);
    uint64_t first_ps, back_ps = 0, tick_ps = earliest_ps;
    bool first_fits, second_fits;

    while (max_split_ps > earliest_ps % bus->window_ps + back_ps)
        back_ps += bus->window_ps;
    first_ps = second_ps - (back_ps < second_ps ? back_ps : second_ps);
    do {
        bool const same = first_ps == second_ps;
        uint64_t const in_first = commands_in(bus, first_ps);
        uint64_t const in_second = same ? in_first + 1 : commands_in(bus, second_ps);
        bool too_far;

        first_fits = in_first < bus->limit;
        second_fits = in_second < bus->limit;
        if (!second_fits) {
            second_ps += bus->window_ps;
            tick_ps = second_ps;
        }
        too_far = !same && second_ps - first_ps > max_split_ps;
        if (!first_fits || (!second_fits && too_far))
            first_ps += bus->window_ps;
    } while (!first_fits || !second_fits);
    count_in(bus, second_ps);
    count_in(bus, first_ps);
    return tick_ps;
}
