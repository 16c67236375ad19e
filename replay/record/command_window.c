/* Ranks are those of the layout: the figures of such a component are read from the rank itself. */
#include "replay/record/request_follow.h"

#include <stdlib.h>

#include "replay/record/telemetry_text.h"

static struct command_window_rank *find_rank(struct command_window *window, const struct dram_rank *rank)
{
    while (window->ranks[window->last].rank != rank)
        window->last = window->last + 1 < window->rank_count ? window->last + 1 : 0;
    return &window->ranks[window->last];
}

static bool is_asleep(uint32_t power)
{
    return power == POWER_SELFREFRESH || power == POWER_PRECHARGE_DOWN || power == POWER_ACTIVE_DOWN;
}

/* The present power state of the rank ends. */
static void put_power(struct command_window *window, const struct command_window_rank *of, uint64_t now_ps)
{
    uint64_t const start_ps = max_u64(of->since_ps, window->from_ps), end_ps = min_u64(now_ps, window->to_ps);

    if (is_asleep(of->power) && start_ps < end_ps)
        window->put(window->context, &(struct recorded_command){
            .component = of->component, .kind = DRAM_COMMAND_POWER, .start_ps = start_ps,
            .duration_ps = end_ps - start_ps, .row = of->power
        });
}

static void command_window_take(void *context, const struct dram_command *command)
{
    struct command_window *const window = context;
    struct command_window_rank *const of = find_rank(window, command->rank);

    if (command->kind == DRAM_COMMAND_POWER) {
        put_power(window, of, command->start_ps);
        of->power = (uint32_t)command->row;
        of->since_ps = command->start_ps;
    } else if (command->start_ps >= window->from_ps && command->start_ps < window->to_ps) {
        window->put(window->context, &(struct recorded_command){
            .component = of->component, .bank = command->bank, .kind = command->kind, .start_ps = command->start_ps,
            .duration_ps = command->duration_ps, .row = command->row
        });
    }
}

struct fault command_window_open(struct command_window *window, const struct telemetry *layout, uint64_t from_ps,
                                 uint64_t to_ps, void (*put)(void *context, const struct recorded_command *command),
                                 void *context)
{
    *window = (struct command_window){
        .from_ps = from_ps, .to_ps = to_ps, .put = put, .context = context,
        .sink = {.take = command_window_take, .context = window}
    };
    window->ranks = calloc(layout->component_count, sizeof *window->ranks);
    if (!window->ranks)
        return fault_make(FAULT_MEMORY, "out of memory for DRAM commands");
    for (uint32_t i = 0; i < layout->component_count; i++) {
        const struct dram_rank *const rank = telemetry_rank_of(layout, i);

        if (!rank)
            continue;
        window->ranks[window->rank_count++] = (struct command_window_rank){.rank = rank, .component = i,
                                                                            .power = rank->power_state};
        if (rank->channel->commands != &window->sink) {
            window->sink.next = rank->channel->commands;
            dram_channel_watch(rank->channel, &window->sink);
        }
    }
    return fault_none();
}

void command_window_close(struct command_window *window, uint64_t now_ps)
{
    for (size_t i = 0; i < window->rank_count; i++)
        put_power(window, &window->ranks[i], now_ps);
    window->rank_count = 0;
}

void command_window_free(struct command_window *window)
{
    free(window->ranks);
    *window = (struct command_window){0};
}
