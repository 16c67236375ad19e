/* Files that keys of the view write into the current folder: pictures, the stretch of time that is shown, and samples
 * from now on. Files are called view-0001.png, view-0001.samples and so on, by the first number that is free.
 *
 * Use: view_files_picture and view_files_window write at once; view_recording_begin, view_recording_put for each new
 * sample, view_recording_end. The view's note reports the outcome.
 * Recordings are those of replay/record/recording.h: rubato view plays them, rubato export reads them. */
#ifndef CLI_VIEW_VIEW_FILES_H
#define CLI_VIEW_VIEW_FILES_H

#include <stdio.h>

#include "base/output_file.h"
#include "cli/view/view_source.h"
#include "viz/view/view.h"

enum { VIEW_FILES_PATH = 32, VIEW_FILES_MOST = 9999 };

/* Without a canvas no picture is to be had. */
void view_files_picture(struct view *view, struct canvas *canvas);
/* Of each run a file with the samples that the window of time is drawn from, as far as the history holds them: from the
 * last one that is not after its begin, or the first of all, to the first one that is not before its end. */
void view_files_window(struct view *view, const struct view_source *sources);

struct view_recording {
    FILE *file;                          /* NULL: none is written */
    struct output_file output;           /* of it: beside its name until it is whole */
    char path[VIEW_FILES_PATH];
    struct recording_writer writer;
};

/* Of the view's first run, which comes from `source`. */
void view_recording_begin(struct view_recording *recording, struct view *view, const struct view_source *source);
void view_recording_put(struct view_recording *recording, struct view *view, const uint64_t *words);
void view_recording_put_request(struct view_recording *recording, struct view *view,
                                const struct telemetry_request *request);
/* Does nothing where none is written. */
void view_recording_end(struct view_recording *recording, struct view *view);

#endif
