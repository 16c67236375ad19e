/* The first differences are printed, and how many there are. */
#include "cli/plugin/plugin_test.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/plugin/plugin_show.h"
#include "replay/modules/module_feed.h"

enum { MOST_SHOWN = 10 };

struct shown { const char *log; unsigned count; };

static void show_difference(void *context, uint64_t line, const char *text)
{
    struct shown *const shown = context;

    if (shown->count++ < MOST_SHOWN)
        printf("%s: line %" PRIu64 ": %s\n", cli_shown(shown->log), line, text);
}

int plugin_test(const char *path, const char *log, const char *as)
{
    struct shown shown = {.log = log};
    const struct rubato_module *const module = plugin_load(path, path);
    struct module_feed_request const request = {
        .module = module, .path = path, .log = log, .as = as ? as : module ? module->name : "",
        .differs = show_difference, .context = &shown};
    struct module_feed_result result;
    struct fault fault;

    if (!module)
        return CLI_BAD_INPUT;
    if (FAILS(fault, module_feed(&request, &result)))
        return cli_fail(fault);
    if (result.differences > MOST_SHOWN)
        printf("... and %" PRIu64 " more\n", result.differences - MOST_SHOWN);
    printf("%s: %" PRIu64 " calls of %" PRIu64 " instance%s, %" PRIu64 " prefetches: ", cli_shown(path), result.calls,
           result.instances, result.instances == 1 ? "" : "s", result.prefetches);
    if (result.differences)
        printf("%" PRIu64 " differences\n", result.differences);
    else
        puts("all answers are those of the log");
    if (result.other_instances)
        printf("left out: %" PRIu64 " of other modules\n", result.other_instances);
    if (result.unknown)
        printf("not in the log: answers to %" PRIu64 " questions, such as %s; they were 0 or none\n", result.unknown,
               result.asked);
    return result.differences ? CLI_DIFFERS : CLI_OK;
}
