/* Error messages for files other than instruction traces: their kind, if the first bytes identify it; else the nearest
 * format, with the first line or byte that deviates from it, and how to select a format. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/insn/insn_format.h"

enum { LOOKED_AT_BYTES = 1 << 14, TAR_AT = 257 };

/* Offset, bytes, kind of file, remedy. The first, a tar, may hold enough of a trace to be taken for one. */
#define FOREIGN_FILES(F)                                                                                              \
    F(TAR_AT, "ustar", "a tar archive", "unpack it (`tar xf FILE`) and give the trace that it holds")                 \
    F(0, "PK\x03\x04", "a zip archive in another one", "unpack it and give the trace that it holds")                  \
    F(0, "7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it (`7z x FILE`) and give the trace that it holds")            \
    F(0, "Rar!\x1a\x07", "a rar archive", "unpack it (`unrar x FILE`) and give the trace that it holds")              \
    F(0, "!<arch>\n", "an archive of ar", "unpack it (`ar x FILE`) and give the trace that it holds")                 \
    F(0, "\x1f\x8b", "compressed twice", "decompress it once (`zcat FILE`)")                                          \
    F(0, "\xfd" "7zXZ", "compressed twice", "decompress it once (`xzcat FILE`)")                                      \
    F(0, "\x28\xb5\x2f\xfd", "compressed twice", "decompress it once (`zstdcat FILE`)")                               \
    F(0, "\x1f\x9d", "compressed by compress, which is not read", "decompress it (`zcat FILE`)")                      \
    F(0, "LZIP", "compressed by lzip, which is not read", "decompress it (`lzip -dc FILE`)")                          \
    F(0, "\xff\x06\x00\x00sNaPpY", "compressed in snappy's framing, which is not read",                               \
      "unpack it (`snzip -d`) and give the unpacked file")                                                            \
    F(0, "\xd4\xc3\xb2\xa1", "a capture of network packets (pcap)", "expected a trace of a program")                  \
    F(0, "\xa1\xb2\xc3\xd4", "a capture of network packets (pcap)", "expected a trace of a program")                  \
    F(0, "\x4d\x3c\xb2\xa1", "a capture of network packets (pcap)", "expected a trace of a program")                  \
    F(0, "\x0a\x0d\x0d\x0a", "a capture of network packets (pcapng)", "expected a trace of a program")                \
    F(0, "\x7f" "ELF", "a program or library (ELF), not a trace of one",                                              \
      "record one with `rubato capture -o NAME.rbt -- PROGRAM`")                                                      \
    F(0, "MZ\x90", "a program of Windows", "expected a trace")                                                        \
    F(0, "\xcf\xfa\xed\xfe", "a program of macOS", "expected a trace")                                                \
    F(0, "SQLite format 3", "an SQLite database", "results of sweeps are shown by `rubato results FILE`; "            \
      "expected a trace")                                                                                             \
    F(0, "PERFILE2", "a recording of perf, which has samples and not each instruction",                               \
      "record the program with `rubato capture`")                                                                     \
    F(0, "PAR1", "a Parquet table", "expected a trace")                                                               \
    F(0, "\x89HDF", "an HDF5 file", "expected a trace")                                                               \
    F(0, "\x89PNG", "a picture (PNG)", "expected a trace")                                                            \
    F(0, "%PDF", "a PDF", "expected a trace")                                                                         \
    F(0, "SIFT", "a trace of Sniper (SIFT), which is not read", "expected one of another format")                     \
    F(0, "\xff\xfe", "text of UTF-16", "make it plain text (`iconv -f UTF-16 -t ASCII FILE`)")                        \
    F(0, "\xfe\xff", "text of UTF-16", "make it plain text (`iconv -f UTF-16 -t ASCII FILE`)")                        \
    F(0, "version https://git-lfs", "a Git LFS pointer, not the trace itself", "fetch it with `git lfs pull`")        \
    F(0, "# rubato", "the text form of an elastic trace", "make a trace of it with `rubato trace build`")             \
    F(0, "<!DOCTYPE", "a page of HTML: a download may have failed", "get the trace again")                            \
    F(0, "<!doctype", "a page of HTML: a download may have failed", "get the trace again")                            \
    F(0, "<html", "a page of HTML: a download may have failed", "get the trace again")                                \
    F(0, "<?xml", "an XML file", "expected a trace")                                                                  \
    F(0, "#!", "a script", "expected a trace; record one with `rubato capture`")                                      \
    F(0, "{", "a JSON file", "expected a trace")

struct foreign_file {
    size_t offset, length;
    const char *bytes;
    const char *what, *mend;
};

#define FOREIGN_ENTRY(offset, bytes, what, mend) {offset, sizeof bytes - 1, bytes, what, mend},
static const struct foreign_file foreign_files[] = {FOREIGN_FILES(FOREIGN_ENTRY)};

struct fault insn_refuse_foreign(struct trace_bytes *bytes, bool only_tar)
{
    struct fault fault = fault_none();
    size_t there;

    fault.kind = FAULT_NONE;
    if (trace_bytes_need(bytes, TAR_AT + 8, &fault) == STREAM_FAILED)
        return fault;
    there = (size_t)(bytes->end - bytes->next);
    for (size_t i = 0; i < sizeof foreign_files / sizeof foreign_files[0]; i++) {
        const struct foreign_file *const file = &foreign_files[i];

        if ((only_tar && file->offset != TAR_AT) || there < file->offset + file->length
            || memcmp(bytes->next + file->offset, file->bytes, file->length) != 0)
            continue;
        return fault_at(bytes->path, FAULT_NO_OFFSET, "is %s; %s", file->what, file->mend);
    }
    return fault_none();
}

bool trace_bytes_are_text(const struct trace_bytes *bytes)
{
    size_t const there = (size_t)(bytes->end - bytes->next), looked_at = there < 4096 ? there : 4096;
    size_t odd = 0;

    for (size_t i = 0; i < looked_at; i++) {
        uint8_t const c = bytes->next[i];

        if (c == 0)
            return false;
        odd += (c < ' ' && !strchr("\t\n\r\f\v\x1b", c)) || c >= 0x7f;
    }
    return odd <= looked_at / 8;
}

/* A line `key:`, or `key: value`, as YAML begins; no format of traces has one. */
static bool looks_like_yaml(const struct trace_bytes *bytes)
{
    const char *at = (const char *)bytes->next;
    const char *const end = (const char *)bytes->end;

    while (at < end) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        const char *const behind = newline ? newline : end;
        const char *word = at;

        while (word < behind && ((*word >= 'a' && *word <= 'z') || *word == '_' || (word > at && *word >= '0'
                                                                                   && *word <= '9')))
            word++;
        if (word > at + 1 && word < behind && *word == ':' && (word + 1 == behind || strchr(" \r", word[1])))
            return true;
        if (at < behind && *at != '#' && *at != '\r' && *at != '-')
            return false;
        at = newline ? newline + 1 : end;
    }
    return false;
}

static struct fault refuse_near(const struct trace_bytes *bytes, const struct insn_guess *best, bool is_text)
{
    static const char how[] = "or another instruction trace, which --format NAME says (`rubato trace info --help` "
        "lists them)";
    const struct insn_format_about *const about = best->about;

    if (is_text && best->taken > 0)
        return fault_at_line(bytes->path, best->place, "column %zu: \"%s\" is no line of %s (%s), the nearest format, "
                             "of which %" PRIu64 " other%s; expected %s, %s", best->column, best->found, about->name,
                             about->what, best->taken, best->taken == 1 ? " is" : "s are", about->form, how);
    if (is_text)
        return fault_at_line(bytes->path, best->place, "column %zu: \"%s\" is not a known instruction trace; "
                             "the nearest format is %s (%s): expected %s, %s", best->column, best->found, about->name,
                             about->what, about->form, how);
    return fault_at(bytes->path, best->place, "is not a known instruction trace; the nearest format is %s "
                    "(%s), but %s; %" PRIu64 " record%s before it; expected %s, %s", about->name, about->what,
                    best->problem, best->taken, best->taken == 1 ? " is of it" : "s are of it", about->form, how);
}

/* Nothing is near: which bytes are there. */
static struct fault refuse_bytes(const struct trace_bytes *bytes)
{
    size_t const there = (size_t)(bytes->end - bytes->next), shown = there < 8 ? there : 8;
    char found[3 * 8 + 1] = "";

    for (size_t i = 0; i < shown; i++)
        snprintf(found + 3 * i, 4, " %02x", bytes->next[i]);
    return fault_at(bytes->path, 0, "is not a known instruction trace: no format begins with the bytes%s; "
                    "`rubato trace info --help` lists the formats, --format NAME says which is meant", found);
}

struct fault insn_refuse(struct trace_bytes *bytes, const struct insn_format *const *formats, size_t count)
{
    struct fault fault = fault_none();
    struct insn_guess best = {.taken = 0};
    bool is_text, is_zero = true;

    if (trace_bytes_need(bytes, LOOKED_AT_BYTES, &fault) == STREAM_FAILED)
        return fault;
    if (bytes->next == bytes->end)
        return fault_at(bytes->path, FAULT_NO_OFFSET, "is empty, and so is not an instruction trace; expected one");
    if (bytes->archive && archive_is_zip(bytes->path))
        return fault_at(bytes->path, FAULT_NO_OFFSET, "is a zip archive without a known trace in it; "
                        "unpack it and give the trace that it holds");
    FORWARD(insn_refuse_foreign(bytes, false));
    is_text = trace_bytes_are_text(bytes);
    if (is_text && looks_like_yaml(bytes))
        return fault_at(bytes->path, FAULT_NO_OFFSET, "looks like YAML, as descriptions of systems and sweeps are; "
                        "expected a trace (`rubato replay SYSTEM TRACE`)");
    for (size_t i = 0; i < count; i++) {
        struct insn_guess guess = {.about = formats[i]->about};

        if (!formats[i]->guess || is_text != formats[i]->is_text)
            continue;
        formats[i]->guess(bytes, &guess);
        if (guess.problem[0] && (!best.problem[0] || guess.taken > best.taken))
            best = guess;
    }
    if (best.problem[0] && (is_text || best.taken > 0))
        return refuse_near(bytes, &best, is_text);
    for (const uint8_t *at = bytes->next; at < bytes->end && is_zero; at++)
        is_zero = *at == 0;
    if (is_zero)
        return fault_at(bytes->path, 0,
                        "holds zeros only; the file may not have been written whole; expected a trace");
    if (is_text)
        return fault_at_line(bytes->path, 1, "has no line but comments; expected a trace");
    return refuse_bytes(bytes);
}
