#include "cli/traffic/traffic_sweep.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cli/common/interrupt.h"

#define LEAST_SHARE 0.01

enum { KNEE_STEPS = 4 };

/* What the threads share: the next curve to be run. */
struct taken_curves {
    struct traffic_sweep *sweep;
    const struct system_config *config;
    const struct traffic_load *load;
    struct fault faults[TRAFFIC_MOST_LINES];
    atomic_uint next;
};

bool traffic_sweep_parse(struct traffic_sweep *sweep, const char *text)
{
    sweep->count = 0;
    do {
        char *end;
        double const share = strtod(text, &end);

        if (end == text || !(share >= 0 && share <= 1) || sweep->count == TRAFFIC_MOST_LINES)
            return false;
        for (unsigned i = 0; i < sweep->count; i++)
            if (sweep->shares[i] == share)
                return false;
        sweep->shares[sweep->count++] = share;
        text = end;
    } while (*text++ == ',');
    return text[-1] == '\0';
}

static struct fault measure(struct traffic_curve *curve, const struct system_config *config,
                            const struct traffic_load *load, double share)
{
    struct traffic_load driven = *load;
    bool more = true;

    driven.pattern.read_share = share < LEAST_SHARE ? LEAST_SHARE : share;
    FORWARD(traffic_curve_begin(curve, config, &driven));
    if (curve->load.outstanding == 0)
        curve->load.outstanding = 8 * (uint64_t)curve->depth;
    curve->knee_steps = KNEE_STEPS;
    while (more && !interrupt_came())
        FORWARD(traffic_curve_step(curve, &more));
    return fault_none();
}

static void *take_curves(void *context)
{
    struct taken_curves *const taken = context;
    struct traffic_sweep *const sweep = taken->sweep;
    unsigned i;

    while ((i = atomic_fetch_add(&taken->next, 1)) < sweep->count)
        taken->faults[i] = measure(&sweep->curves[i], taken->config, taken->load, sweep->shares[i]);
    return NULL;
}

struct fault traffic_sweep_run(struct traffic_sweep *sweep, const struct system_config *config,
                               const struct traffic_load *load, unsigned threads)
{
    struct taken_curves taken = {.sweep = sweep, .config = config, .load = load};
    pthread_t others[TRAFFIC_MOST_LINES];
    unsigned count = 0;

    while (count + 1 < threads && count + 1 < sweep->count
           && pthread_create(&others[count], NULL, take_curves, &taken) == 0)
        count++;
    take_curves(&taken);
    while (count > 0)
        pthread_join(others[--count], NULL);
    for (unsigned i = 0; i < sweep->count; i++) {
        FORWARD(taken.faults[i]);
        sweep->lines[i] = (struct traffic_line){sweep->shares[i], sweep->curves[i].points, sweep->curves[i].count};
    }
    return fault_none();
}

void traffic_sweep_end(struct traffic_sweep *sweep)
{
    for (unsigned i = 0; i < sweep->count; i++)
        traffic_curve_end(&sweep->curves[i]);
}
