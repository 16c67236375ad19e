/* rubato replay: with a window beside it, or without. */
#include "cli/common/cli.h"
#include "cli/common/large_pages.h"
#include "cli/replay/request.h"
#include "cli/view/view_window.h"

int cli_replay(int argc, char **argv)
{
    struct replay_request request;
    int code;

    if (!replay_request_parse(&request, argc, argv, &code))
        return code;
    if (request.sampling.has_window)
        return view_replay(&request);
    large_pages_for_heap();
    return replay_run(&request);
}
