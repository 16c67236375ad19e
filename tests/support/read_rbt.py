#!/usr/bin/env python3
"""An independent reader of .rbt files, written from docs/spec/rbt.md alone: sections are cited as (4).

Usage: read_rbt.py FILE: checks every hash of the file and prints its threads in the form of `rubato trace dump`,
without the first two lines and without what a decoder knows of an instruction (class, registers).
Needs libzstd. Exit code 1 and one line: the file is damaged; 77: there is no libzstd."""

import ctypes
import ctypes.util
import struct
import sys

MASK = (1 << 64) - 1
DESCRIPTION, DICTIONARY, BLOCK, IMAGE, PAGES, NOTES, INDEX, PROGRAM = range(1, 9)
KINDS = ("other", "sysenter", "direct_jump", "indirect_jump", "conditional", "direct_call", "indirect_call", "return",
         "other_branch")
MARKERS = ("thread_start", "thread_end", "syscall", "syscall_end", "stamp", "timestamp", "region_begin", "region_end",
           "signal", "create", "lost", "signal_return")
MULTIPLIER, SPREAD = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93


class Damaged(Exception):
    pass


# ---- XXH64 (3)

P1, P2, P3, P4, P5 = (0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63,
                      0x27d4eb2f165667c5)


def rotate(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def lane(value, word):
    return rotate((value + word * P2) & MASK, 31) * P1 & MASK


def xxh64(data):
    whole = len(data) // 32 * 32
    words = struct.unpack_from("<%dQ" % (whole // 8), data)
    lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
    for i, word in enumerate(words):
        lanes[i % 4] = lane(lanes[i % 4], word)
    value = P5
    if whole:
        value = sum(rotate(lanes[i], (1, 7, 12, 18)[i]) for i in range(4)) & MASK
        for each in lanes:
            value = ((value ^ lane(0, each)) * P1 + P4) & MASK
    value = (value + len(data)) & MASK
    at = whole
    while len(data) - at >= 8:
        value = (rotate(value ^ lane(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
        at += 8
    if len(data) - at >= 4:
        value = (rotate(value ^ struct.unpack_from("<I", data, at)[0] * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        value = rotate(value ^ byte * P5 & MASK, 11) * P1 & MASK
    value = (value ^ value >> 33) * P2 & MASK
    value = (value ^ value >> 29) * P3 & MASK
    return value ^ value >> 32


# ---- numbers and columns (1, 3)

class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def is_at_end(self):
        return self.at == len(self.data)

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Damaged("a column or chunk ends early")
        self.at += count
        return self.data[self.at - count:self.at]

    def byte(self):
        return self.take(1)[0]

    def number(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                return value & MASK
        raise Damaged("a number of more than 10 bytes")

    def difference(self):
        return unzigzag(self.number())

    def text(self):
        return self.take(self.number()).decode("utf-8", "replace")


def unzigzag(code):
    return (code >> 1 ^ -(code & 1)) & MASK


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def columns(payload, count, zstd):
    lengths = []
    for _ in range(count):
        length = payload.number()
        lengths.append((length, payload.number() if length else 0))
    result = []
    for length, packed in lengths:
        data = payload.take(packed if packed else length)
        if packed:
            room = ctypes.create_string_buffer(length)
            if zstd.ZSTD_decompress(room, ctypes.c_size_t(length), data, ctypes.c_size_t(packed)) != length:
                raise Damaged("a column that zstd cannot unpack")
            data = room.raw
        result.append(Bytes(data))
    return result


# ---- chunks, index, trailer (2, 3)

def chunk_at(data, offset):
    if offset % 8 or offset + 24 > len(data) or data[offset:offset + 4] != b"CHNK":
        raise Damaged("byte %d: no chunk" % offset)
    kind, length, expected = struct.unpack_from("<IQQ", data, offset + 4)
    behind = offset + 24 + (length + 7) // 8 * 8
    if behind > len(data) or xxh64(data[offset:offset + 16] + data[offset + 24:behind]) != expected:
        raise Damaged("byte %d: a chunk whose hash is wrong" % offset)
    return kind, Bytes(data[offset + 24:offset + 24 + length]), behind


def index_of(data):
    """Ids of the threads and, of each chunk but the index, its kind, its offset and, of a block, its thread and
    whether it restarts."""
    if data[:8] != b"\x89rubrbt\n" or struct.unpack_from("<Q", data, 8)[0] != 1:
        raise Damaged("is not an .rbt of version 1")
    place, expected, end = struct.unpack_from("<QQ8s", data, len(data) - 24)
    if end != b"rbt end\n" or xxh64(data[-24:-16]) != expected:
        raise Damaged("has no whole trailer")
    kind, index, behind = chunk_at(data, place)
    if kind != INDEX or behind != len(data) - 24:
        raise Damaged("the trailer names no index")
    index.number()
    threads = [(index.number(), index.number())[0] for _ in range(index.number())]
    places, offset = [], 0
    for _ in range(index.number()):
        kind = index.byte()
        offset += index.number()
        about = [index.number() for _ in range(4)] if kind == BLOCK else None
        places.append((kind, offset, about))
    return threads, places


# ---- dictionaries (4)

class Row:
    pass


class Dictionary:
    def __init__(self):
        self.statics, self.rows, self.runs, self.slots = [], [], [], 0

    def add(self, payload, zstd):
        first_static, statics, first_row, rows, first_run, runs = (payload.number() for _ in range(6))
        if (first_static, first_row, first_run) != (len(self.statics), len(self.rows), len(self.runs)):
            raise Damaged("a dictionary is missing")
        pcs, lengths, encodings, numbers, abouts, sizes, accesses, run_lengths, run_rows = columns(payload, 9, zstd)
        behind = 0
        for _ in range(statics):
            pc, length = (behind + pcs.difference()) & MASK, lengths.byte()
            self.statics.append((pc, encodings.take(length)))
            behind = pc + length
        expected = 0
        for _ in range(rows):
            number = (expected + numbers.difference()) & MASK
            expected = number + 1
            self.add_row(number, abouts.number(), sizes.difference(), accesses)
        expected = 0
        for _ in range(runs):
            run = []
            for _ in range(run_lengths.number()):
                run.append((expected + run_rows.difference()) & MASK)
                expected = run[-1] + 1
            self.runs.append(run)

    def add_row(self, number, about, size, accesses):
        row = Row()
        row.pc, row.encoding = self.statics[number]
        row.size = (len(row.encoding) + size) & MASK
        row.form, row.branch, row.kind = about & 3, about >> 2 & 3, about >> 4 & 15
        row.has_target, row.has_gap, row.is_irregular, row.has_time = (about >> 8 & 1 << i for i in range(4))
        row.slot, row.accesses = self.slots, []
        for _ in range(0 if row.is_irregular else accesses.byte()):
            word = accesses.number()
            source = word & 3
            back = accesses.byte() if source == 1 else 0
            by = accesses.difference() if source else 0
            row.accesses.append((word >> 3, word >> 2 & 1, source, back, by))
        self.slots += 1 if row.is_irregular else len(row.accesses)
        self.rows.append(row)


# ---- predictions (6)

class Slot:
    def __init__(self):
        self.last = self.before = self.stride = self.difference = 0
        self.multiple = None                 # None: the stride; else the shift of the move of the access before
        self.wild = 0                        # bytes of a difference; 0: the slot is not wild

    def guess(self, before):
        return self.stride if self.multiple is None else (before - self.before) << self.multiple & MASK

    def learn_wrong(self, before, difference):
        moved = (before - self.before) & MASK
        shift = zeros_below(difference) - zeros_below(moved)
        shift = shift if 0 <= shift <= 3 else 0
        if moved << shift & MASK == difference:
            self.multiple = shift
        elif difference == self.stride:
            self.multiple = None
        if difference & 0xffffffff == self.difference:
            self.stride = difference

    def learn(self, before, difference, address):
        self.difference, self.last, self.before = difference & 0xffffffff, address, before


def zeros_below(number):
    number |= 1 << 63
    return (number & -number).bit_length() - 1


class Model:
    def __init__(self):
        self.successors, self.slots, self.table, self.links, self.markers = {}, {}, {}, {}, {}
        self.history = self.address = self.before = 0

    def entry(self):
        return ((self.history ^ self.before * SPREAD & MASK) * MULTIPLIER & MASK) >> 52

    def guess_run(self, by_table):
        found = self.table.get(self.entry()) if by_table else None
        if found and found[0] == self.before:
            return found[1]
        return self.successors.get(self.before, (self.before, None))[0]

    def learn_run(self, by_table, run):
        if by_table:
            self.table[self.entry()] = (self.before, run)
            self.history = ((self.history << 13) + ((run + 1) * MULTIPLIER & MASK) // (1 << 40)) & MASK
        self.before = run + 1

    def learn_wrong_run(self, run):
        known = self.successors.get(self.before, (None, None))
        if known[0] != run:
            self.successors[self.before] = (run, known[0])

    def link(self, slot_number, last):
        return ((last + slot_number * SPREAD) & MASK) * MULTIPLIER % (1 << 64) >> 48


# ---- blocks (5)

class Block:
    """A block's instructions and markers, printed."""

    def __init__(self, payload, dictionary, zstd):
        self.dictionary = dictionary
        (self.thread, self.id, _, self.flags, rows, runs, self.first, self.count, _) = (payload.number()
                                                                                       for _ in range(9))
        if rows > len(dictionary.rows) or runs > len(dictionary.runs):
            raise Damaged("a block before its dictionary")
        (self.guesses, self.counts, self.runs, self.address_counts, self.kinds, *self.weights, self.targets, self.gaps,
         self.shapes, self.markers, self.wild) = columns(payload, 18, zstd)

    def next_guess(self):
        if self.guesses.is_at_end():
            self.right = -1
            return
        byte = self.guesses.byte()
        self.pick, self.right = byte & 3, byte >> 2
        if self.right == 63:
            self.right += self.counts.number()

    def next_kind(self):
        if self.kinds.is_at_end():
            self.address_right = -1
            return
        byte = self.kinds.byte()
        self.kind, self.address_right = byte & 15, byte >> 4
        if self.address_right == 15:
            self.address_right += self.address_counts.number()

    def run(self):
        model, by_table = self.model, not self.flags & 2
        number = model.guess_run(by_table)
        if self.right == 0:
            known = model.successors.get(model.before, (None, None))
            if self.pick == 2:
                number = (self.written + self.runs.difference()) & MASK
                self.written = number + 1
            else:
                number = known[0] if self.pick == 0 and known[0] != number else known[1]
            if number is None or number >= len(self.dictionary.runs):
                raise Damaged("a run that was never written")
            self.next_guess()
            model.learn_wrong_run(number)
        elif self.right > 0:
            self.right -= 1
        model.learn_run(by_table, number)
        return self.dictionary.runs[number]

    def wild_difference(self, slot):
        code = int.from_bytes(self.wild.take(slot.wild), "little")
        if slot.wild == 0 or (slot.wild < 8 and code == (1 << 8 * slot.wild) - 1):
            slot.wild = self.wild.byte()
            code = int.from_bytes(self.wild.take(slot.wild), "little")
        return unzigzag(code)

    def wrong_difference(self, number, slot):
        model, kind = self.model, self.kind
        if kind == 10:
            self.wild_slots.append(slot)
            difference = self.wild_difference(slot)
        else:
            link = model.link(number, slot.last)
            if kind == 9:
                difference = model.links.get(link, 0) & MASK
            else:
                difference = unzigzag(sum(self.weights[i].byte() << 8 * i for i in range(kind)))
                model.links[link] = signed(difference, 32)
            slot.learn_wrong(model.address, difference)
        self.next_kind()
        return difference

    def address(self, number):
        model = self.model
        slot = model.slots.setdefault(number, Slot())
        if slot.wild:
            difference = self.wild_difference(slot)
        elif self.address_right != 0:
            self.address_right -= self.address_right > 0
            difference = slot.guess(model.address)
        else:
            difference = self.wrong_difference(number, slot)
        address = (slot.last + difference) & MASK
        slot.learn(model.address, difference, address)
        model.address = address
        return address

    def accesses(self, row):
        if row.is_irregular:
            shapes, count = [], self.shapes.number()
            while len(shapes) < count:
                shape = self.shapes.number()
                shapes += [shape] * self.shapes.number()
            found = [(shape >> 1, shape & 1, self.address(row.slot)) for shape in shapes]
            self.recent += [access[2] for access in found]
            return found
        found = []
        for i, (size, is_write, source, back, by) in enumerate(row.accesses):
            if source == 0:
                address = self.address(row.slot + i)
            else:
                address = ((self.recent[-back] if source == 1 else row.pc) + by) & MASK
            self.recent.append(address)
            found.append((size, is_write, address))
        del self.recent[:-256]
        return found

    def target(self, row, next_row):
        if self.targets_right > 0:
            self.targets_right -= 1
            return next_row.pc
        target = (row.pc + self.targets.difference()) & MASK
        self.targets_right = self.targets.number()
        return target

    def marker(self):
        about = self.markers.byte()
        kind = about & 31
        value = self.model.markers[kind] = (self.model.markers.get(kind, 0) + self.markers.difference()) & MASK
        words = ["# %d %s %d" % (self.id, MARKERS[kind], value)]
        return " ".join(words + ["0x%x" % self.markers.number() for _ in range(about >> 5)])

    def next_marker(self, at):
        self.marker_at = -1 if self.markers.is_at_end() else at + self.markers.number()

    def line(self, row, next_row):
        gap = self.gaps.number() if row.has_gap else 0
        if row.has_time:
            self.gaps.number()
        words = ["gap %d" % gap] if gap else []
        if row.form != 2 or row.pc:
            words.append("%d 0x%x %d" % (self.id, row.pc, row.size))
        words.append((KINDS[row.kind], "repeat", "access")[row.form])
        words += ["", "taken", "not_taken"][row.branch:row.branch + 1] if row.branch else []
        accesses = self.accesses(row)
        if row.has_target:
            words.append("target 0x%x" % self.target(row, next_row))
        if row.encoding and not self.dictionary.is_champsim:
            words.append("bytes " + row.encoding.hex())
        words += ["%s 0x%x %d" % ("store" if is_write else "load", address, size)
                  for size, is_write, address in accesses]
        return " ".join(words)

    def lines(self, model):
        self.model, self.written, self.recent, self.wild_slots = model, 0, [], []
        self.next_guess()
        self.next_kind()
        self.targets_right = self.targets.number()
        self.next_marker(0)
        rows = []
        while len(rows) < self.count:
            rows += [self.dictionary.rows[number] for number in self.run()]
        for at in range(self.count + 1):
            while self.marker_at == at:
                yield self.marker()
                self.next_marker(at)
            if at < self.count:
                yield self.line(rows[at], rows[at + 1] if at + 1 < self.count else None)
        for slot in self.wild_slots:
            slot.wild = 0


# ---- the program (3)

def check_program(payload, zstd):
    payload.text()
    id_bytes = payload.byte()
    if id_bytes > 32:
        raise Damaged("a build-id of more than 32 bytes")
    payload.take(id_bytes)
    payload.number()
    size, expected = payload.number(), struct.unpack("<Q", payload.take(8))[0]
    payload.number()
    kept, stack = (column.data for column in columns(payload, 2, zstd))
    if len(stack) % 8 or len(stack) > 8 * 4096:
        raise Damaged("a stack that cannot be")
    if kept and (len(kept) != size or xxh64(kept) != expected or kept[:4] != b"\x7fELF"):
        raise Damaged("a program that is another than its hash says")


def read(path, zstd):
    with open(path, "rb") as file:
        data = file.read()
    ids, places = index_of(data)
    dictionary, blocks = Dictionary(), [[] for _ in ids]
    for kind, offset, about in places:
        found, payload, _ = chunk_at(data, offset)
        if found != kind:
            raise Damaged("byte %d: another kind of chunk than the index says" % offset)
        if kind == DESCRIPTION:
            dictionary.is_champsim = payload.text() == "champsim"
        elif kind == DICTIONARY:
            dictionary.add(payload, zstd)
        elif kind == BLOCK:
            blocks[about[0]].append(Block(payload, dictionary, zstd))
        elif kind == PROGRAM:
            check_program(payload, zstd)
    for thread in blocks:
        for block in thread:
            if block.flags & 1:
                model = Model()
            yield from block.lines(model)


def main():
    name = ctypes.util.find_library("zstd")
    if not name:
        print("there is no libzstd")
        return 77
    zstd = ctypes.CDLL(name)
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    try:
        for line in read(sys.argv[1], zstd):
            print(line)
    except Damaged as wrong:
        print("%s: %s" % (sys.argv[1], wrong))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
