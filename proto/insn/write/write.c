/* An instruction is held back until the pc of the next one is known; the events between the two are kept with it, in
 * order. */
#include "proto/insn/write/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/path.h"
#include "proto/insn/write/target.h"

enum { PATH_BYTES = 4096, MOST_FOLLOWERS = 1 << 16 };

static const struct insn_target *const targets[] = {&insn_to_champsim, &insn_to_drmemtrace, &insn_to_lackey};

#define LOSS_TEXT(suffix, text) text,

const char *insn_loss_text(enum insn_loss loss)
{
    static const char *const texts[] = {INSN_LOSSES(LOSS_TEXT)};

    return texts[loss];
}

/* A marker, or an access without instruction. */
struct follower {
    bool is_marker;
    struct insn_marker marker;
    uint64_t pc;
    struct insn_access access;
};

struct waiting {
    struct insn_at_hand at;
    bool is_there;
    struct insn_access *accesses;
    size_t access_room;
    struct follower *followers;
    size_t follower_count, follower_room;
};

/* ---- a thread */

static struct fault pass_on(const struct insn_target *target, struct insn_output *output, struct waiting *waiting)
{
    struct fault fault = fault_none();
    bool good = !waiting->is_there || WORKS(fault, target->insn(output, &waiting->at));

    for (size_t i = 0; good && i < waiting->follower_count; i++) {
        const struct follower *const follower = &waiting->followers[i];

        good = follower->is_marker ? WORKS(fault, target->marker(output, &follower->marker))
                                   : WORKS(fault, target->orphan(output, follower->pc, &follower->access));
    }
    output->result->insns += waiting->is_there;
    waiting->is_there = false;
    waiting->follower_count = 0;
    return good ? fault_none() : fault;
}

static bool keep_insn(struct insn_output *output, struct waiting *waiting, const struct insn_event *event)
{
    size_t const count = event->insn.access_count;

    if (!list_fit(&waiting->accesses, count, &waiting->access_room, sizeof *waiting->accesses))
        return false;
    waiting->at = (struct insn_at_hand){.insn = event->insn, .what = event->what, .number = event->number};
    if (count > 0)
        memcpy(waiting->accesses, event->insn.accesses, count * sizeof *waiting->accesses);
    waiting->at.insn.accesses = waiting->accesses;
    waiting->is_there = true;
    output->result->losses[INSN_LOSS_GAPS] += event->insn.gap;
    return true;
}

static bool keep_follower(struct waiting *waiting, const struct follower *follower)
{
    if (!list_fit(&waiting->followers, waiting->follower_count + 1, &waiting->follower_room,
                  sizeof *waiting->followers))
        return false;
    waiting->followers[waiting->follower_count++] = *follower;
    return true;
}

/* Those behind an instruction wait with it, but not for ever. */
static struct fault take_orphans(const struct insn_target *target, struct insn_output *output, struct waiting *waiting,
                                 const struct insn *insn)
{
    for (size_t i = 0; i < insn->access_count; i++)
        if (!keep_follower(waiting, &(struct follower){.pc = insn->pc, .access = insn->accesses[i]}))
            return fault_memory(sink_name(output->sink), "accesses");
    return (waiting->is_there && waiting->follower_count < MOST_FOLLOWERS) ? fault_none() : pass_on(target, output,
                                                                                                    waiting);
}

static struct fault write_events(const struct insn_target *target, struct insn_output *output,
                                 struct insn_cursor *cursor, struct waiting *waiting)
{
    struct fault fault = fault_none();
    bool const lacks_pcs = (insn_trace_lacks(output->trace) & 1u << INSN_LACKS_PCS) != 0;
    struct insn_event event;
    enum insn_step step;

    while ((step = insn_cursor_next(cursor, &event, &fault)) == INSN_RECORD) {
        if (event.is_marker) {
            if (!keep_follower(waiting, &(struct follower){.is_marker = true, .marker = event.marker}))
                return fault_memory(sink_name(output->sink), "markers");
            continue;
        }
        output->result->losses[INSN_LOSS_TIMES] += event.insn.gap_time > 0;
        if (insn_trace_meaning(output->trace).addresses == INSN_ADDRESSES_PHYSICAL)
            output->result->losses[INSN_LOSS_PHYSICAL] += event.insn.access_count;
        /* An instruction without a pc cannot be written: it is counted, and its accesses are written without it. */
        if (event.insn.form != INSN_ACCESS_ONLY && lacks_pcs)
            output->result->losses[INSN_LOSS_GAPS]++;
        if (event.insn.form == INSN_ACCESS_ONLY || lacks_pcs) {
            output->result->losses[INSN_LOSS_GAPS] += event.insn.gap;
            FORWARD(take_orphans(target, output, waiting, &event.insn));
            continue;
        }
        waiting->at.has_next = true;
        waiting->at.next_pc = event.insn.pc;
        FORWARD(pass_on(target, output, waiting));
        if (!keep_insn(output, waiting, &event))
            return fault_memory(sink_name(output->sink), "accesses");
    }
    return (step == INSN_END && WORKS(fault, pass_on(target, output, waiting))) ? fault_none() : fault;
}

static struct fault write_thread(const struct insn_target *target, struct insn_output *output, size_t i)
{
    struct fault fault = fault_none();
    struct insn_cursor *const cursor = insn_cursor_open(output->trace, i, &fault);
    struct waiting waiting = {.is_there = false};
    bool good;

    if (!cursor)
        return fault;
    output->cursor = cursor;
    good = WORKS(fault, target->begin(output)) && WORKS(fault, write_events(target, output, cursor, &waiting))
        && WORKS(fault, target->end(output));
    if (insn_cursor_warning(cursor) && !output->result->warning[0])
        snprintf(output->result->warning, sizeof output->result->warning, "thread %" PRIu64 ": %s", output->thread,
                 insn_cursor_warning(cursor));
    target->free(output);
    output->state = NULL;
    free(waiting.accesses);
    free(waiting.followers);
    insn_cursor_close(cursor);
    return good ? fault_none() : fault;
}

/* ---- files */

static uint64_t write_bytes_of(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

static struct fault write_file(const struct insn_target *target, const struct insn_trace *trace, size_t i,
                               const char *path, struct insn_write_result *result)
{
    struct fault fault = fault_none();
    struct insn_output output = {.trace = trace, .thread = insn_trace_thread(trace, i)->id, .result = result};

    output.sink = sink_open_text(path, &fault);
    if (!output.sink)
        return fault;
    if (FAILS(fault, write_thread(target, &output, i))) {
        sink_discard(output.sink);
        return fault;
    }
    FORWARD(sink_close(output.sink));
    result->bytes += write_bytes_of(path);
    return fault_none();
}

static struct fault write_name_of(const struct insn_target *target, const struct insn_trace *trace, size_t i,
                                  const char *folder, char path[PATH_BYTES])
{
    bool const is_drmemtrace = target == &insn_to_drmemtrace;

    return snprintf(path, PATH_BYTES, is_drmemtrace ? "%s/drmemtrace.rubato.%" PRIu64 ".%04zu%s" : "%s/thread%" PRIu64
                    ".%04zu%s", folder, insn_trace_thread(trace, i)->id, i, target->ending) < PATH_BYTES
        ? fault_none() : fault_at(folder, FAULT_NO_OFFSET, "the path is longer than %d bytes", PATH_BYTES);
}

/* Removes the files written on failure. */
static struct fault write_folder(const struct insn_target *target, const struct insn_trace *trace, const char *folder,
                                 struct insn_write_result *result)
{
    struct fault fault = fault_none();
    bool const is_new = mkdir(folder, 0777) == 0;
    char path[PATH_BYTES];
    size_t done = 0;
    bool good = true;

    if (!is_new && (errno != EEXIST || !path_is_folder(folder)))
        return fault_at(folder, FAULT_NO_OFFSET, "cannot be created: %s", strerror(errno));
    for (; good && done < insn_trace_threads(trace); done += good)
        good = WORKS(fault, write_name_of(target, trace, done, folder, path))
               && WORKS(fault, write_file(target, trace, done, path, result));
    if (good)
        return fault_none();
    while (done-- > 0)
        if (write_name_of(target, trace, done, folder, path).kind == FAULT_NONE)
            unlink(path);
    if (is_new)
        rmdir(folder);
    return fault;
}

/* Else it is a folder, for any number of threads. */
static bool is_file_name(const char *output)
{
    static const char *const endings[] = {".gz", ".xz", ".txt", ".trace", ".champsimtrace"};

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (text_ends_in(output, endings[i]))
            return true;
    return false;
}

static const struct insn_target *target_of(const char *format)
{
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(targets[i]->name, format) == 0)
            return targets[i];
    return NULL;
}

struct fault insn_write(const struct insn_trace *trace, const char *format, const char *output,
                        struct insn_write_result *result)
{
    const struct insn_target *const target = target_of(format);

    *result = (struct insn_write_result){.threads = insn_trace_threads(trace), .is_folder = !is_file_name(output)};
    if (!target)
        return fault_at(output, FAULT_NO_OFFSET, "there is no format \"%.20s\" to write; expected champsim, "
                        "drmemtrace or lackey", format);
    if (target == &insn_to_champsim && insn_trace_lacks(trace) & 1u << INSN_LACKS_PCS)
        return fault_at(output, FAULT_NO_OFFSET, "%s cannot be written as %s: it lacks %s", insn_trace_format(trace),
                        format, insn_lack_text(INSN_LACKS_PCS));
    if (result->is_folder)
        return write_folder(target, trace, output, result);
    if (result->threads != 1)
        return fault_at(output, FAULT_NO_OFFSET, "its name is that of a file, and the trace has %zu threads; give a "
                        "name without such an ending, which becomes a folder with a file for each", result->threads);
    return write_file(target, trace, 0, output, result);
}
