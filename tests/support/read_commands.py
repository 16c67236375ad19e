"""Prints a binary list of DRAM commands, of Ramulator's CmdTraceRecorder (.bin) or of its viewer (.ram2bin), as the CSV
of the same run. Written from docs/spec/command-dram.md 9.11 and 9.12, in another language than the writer.

    python3 read_commands.py FILE"""
import struct
import sys


def words(data, at, count):
    names = []
    for _ in range(count):
        end = data.index(0, at)
        names.append(data[at:end].decode())
        at = end + 1
    return names, at


def show(levels, rows):
    print(",".join(["clock", "command"] + levels + ["type", "source"]))
    for clock, command, vector, kind, source in rows:
        print(",".join([str(clock), command] + [str(v) for v in vector] + [str(kind), str(source)]))


def binary(data):
    level_count, command_count = struct.unpack_from("<II", data)
    levels, at = words(data, 8, level_count)
    commands, at = words(data, at, command_count)
    record = struct.Struct("<Qiii%di" % level_count)
    rows = [r for r in record.iter_unpack(data[at:])]
    show(levels, [(r[0], commands[r[1]], r[4:], r[2], r[3]) for r in rows])


def viewer(data):
    header = struct.unpack_from("<8sBBHHHHHHHIiQQ16s", data)
    assert header[0] == b"RAM2BIN\0" and header[1:4] == (1, 1, 0), header
    level_count, command_count, timing_count, count, offset = header[4], header[5], header[6], header[12], header[13]
    levels, at = words(data, 64, level_count)
    sizes = struct.unpack_from("<%dI" % level_count, data, at)
    commands, at = words(data, at + 4 * level_count, command_count)
    at += 2 * command_count                     # flags, cycles of the command bus
    timings, at = words(data, at, timing_count)
    at += 4 * timing_count
    assert offset % 8 == 0 and 0 <= offset - at < 8 and not any(data[at:offset]), (offset, at)
    assert len(data) == offset + count * (8 + 8 + 1 + 1 + 2 + 4 * level_count), len(data)
    columns = []
    for form in ["q", "q", "B", "b", "h"] + ["i"] * level_count:
        columns.append(struct.unpack_from("<%d%s" % (count, form), data, offset))
        offset += count * struct.calcsize("<" + form)
    for level in range(1, level_count - 2):     # rows may lie beyond, columns count otherwise
        assert all(-1 <= v < sizes[level] for v in columns[5 + level]), levels[level]
    assert all(-1 <= a <= c for c, a in zip(columns[0], columns[1]))
    show(levels, zip(columns[0], (commands[c] for c in columns[2]), zip(*columns[5:]), columns[3], columns[4]))


with open(sys.argv[1], "rb") as file:
    content = file.read()
viewer(content) if content.startswith(b"RAM2BIN") else binary(content)
