/* The run goes from one time to the next and rests there, and every sample is taken, so nothing depends on how fast the
 * host is. */
#include "cli/view/view_frames.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/cli.h"
#include "cli/view/view_window.h"
#include "memsys/sim/event.h"

static void press(struct view *view, uint32_t key)
{
    view_event(view, &(struct view_input){.kind = VIEW_KEY, .key = key});
}

/* Where requests are followed, those of the time that was reached. */
static void view_frames_draw(struct view_session *session, struct canvas *canvas)
{
    struct view *const view = &session->view;

    if (view->is_following)
        press(view, 'l');
    view_draw(view, canvas);
    view_draw(view, canvas);             /* pinned and found elements are where the first call drew them */
    if (view->is_following) {
        press(view, VIEW_KEY_ESCAPE);    /* the list, then the moment */
        press(view, VIEW_KEY_ESCAPE);
    }
}

static int write_frame(struct view_session *session, struct canvas *canvas, const char *folder, size_t number)
{
    char path[4096];
    struct fault fault;

    view_frames_draw(session, canvas);
    if (snprintf(path, sizeof path, "%s/frame-%04zu.png", folder, number) >= (int)sizeof path)
        return cli_fail(fault_make(FAULT_INPUT, "--frames: the name of the folder must be at most %zu bytes long",
                                   sizeof path - sizeof "/frame-0000.png"));
    fault = canvas_write_png(canvas, path);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

static int view_frames_write_all(struct view_session *session, struct canvas *canvas,
                                 const struct view_frames_options *options)
{
    int code = CLI_OK;

    for (size_t i = 0; i < options->time_count && code == CLI_OK; i++) {
        view_session_reach(session, options->times_ps[i]);
        code = write_frame(session, canvas, options->folder, i + 1);
    }
    if (options->time_count == 0) {
        view_session_reach(session, TICK_NEVER - 1);
        code = write_frame(session, canvas, options->folder, 1);
    }
    for (unsigned i = 0; i < session->view.run_count; i++)
        if (session->view.runs[i].state == VIEW_FAILED)
            code = CLI_BAD_INPUT;
    return code;
}

int view_frames_write(struct view_session *session, const struct view_frames_options *options)
{
    struct canvas *canvas = NULL;
    struct fault fault;
    int code;

    if (mkdir(options->folder, 0777) != 0 && errno != EEXIST)
        return cli_fail_text("%s: the folder cannot be created: %s", options->folder, strerror(errno));
    fault = canvas_open_image(&canvas, options->width ? options->width : VIEW_USUAL_WIDTH,
                              options->height ? options->height : VIEW_USUAL_HEIGHT, options->scale);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    code = view_session_open(session);
    if (code == CLI_OK) {
        session->view.is_dark = !options->is_light;
        code = view_frames_write_all(session, canvas, options);
    }
    canvas_close(canvas);
    return code;
}
