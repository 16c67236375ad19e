"""A small reader of Parquet, written from the format's description and not from our writer: flat tables, PLAIN, with or
without gzip.

read(path): names, types, rows, units of the columns, keys of the file. What it does not know, or what does not add up,
is an AssertionError.
"""

import gzip
import struct

TYPES = {0: "boolean", 1: "int32", 2: "int64", 4: "float", 5: "double", 6: "bytes"}


class Reader:
    """Thrift's compact protocol."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.signed()
        if kind == 8:
            length = self.varint()
            self.at += length
            assert self.at <= len(self.data), "a string ends behind the file"
            return bytes(self.data[self.at - length:self.at])
        if kind == 9:
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        if kind == 12:
            fields, last = {}, 0
            while True:
                head = self.byte()
                if head == 0:
                    return fields
                last = last + (head >> 4) if head >> 4 else self.signed()
                assert last not in fields, f"field {last} comes twice"
                fields[last] = self.value(head & 15)
        raise AssertionError(f"type {kind}")


def presence(page, rows):
    """Definition levels of width 1: runs and bits."""
    length = struct.unpack_from("<I", page)[0]
    reader, levels = Reader(page[4:4 + length]), []
    while reader.at < length:
        head = reader.varint()
        if head & 1:
            for _ in range(head >> 1):
                byte = reader.byte()
                levels += [byte >> bit & 1 for bit in range(8)]
        else:
            levels += [reader.byte()] * (head >> 1)
    assert rows <= len(levels) < rows + 8 and not any(levels[rows:]), "levels of as many rows"
    return levels[:rows], page[4 + length:]


def column(data, chunk):
    """Values of a column of a row group."""
    about = chunk[3]
    reader = Reader(data, about[9])
    header = reader.value(12)
    page = data[reader.at:reader.at + header[3]]
    assert reader.at + header[3] - about[9] == about[7], "total_compressed_size"
    assert reader.at - about[9] + header[2] == about[6], "total_uncompressed_size"
    assert header[1] == 0 and header[5][2] == 0 and header[5][3] == 3 and about[4] in (0, 2), "a page of PLAIN values"
    page = gzip.decompress(page) if about[4] == 2 else page
    assert len(page) == header[2] and header[5][1] == about[5], "uncompressed_page_size, num_values"
    levels, values = presence(page, about[5])
    found, at = [], 0
    for level in levels:
        if not level:
            found.append(None)
        elif about[1] == 6:
            length = struct.unpack_from("<I", values, at)[0]
            found.append(values[at + 4:at + 4 + length].decode("utf-8"))
            at += 4 + length
        else:
            found.append(struct.unpack_from("<d" if about[1] == 5 else "<q", values, at)[0])
            at += 8
    assert at == len(values), "no byte is left"
    return found


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == data[-4:] == b"PAR1", "the magic"
    length = struct.unpack("<I", data[-8:-4])[0]
    reader = Reader(data, len(data) - 8 - length)
    about = reader.value(12)
    assert reader.at == len(data) - 8, "the metadata has its length"
    root, *schema = about[2]
    assert root[5] == len(schema)
    names = [element[4].decode("utf-8") for element in schema]
    types = []
    for element in schema:
        assert element[3] == 1, "optional"
        types.append("string" if element.get(6) == 0 and 1 in element[10] else "uint64" if element.get(6) == 14
                     else TYPES[element[1]])
    columns = {name: [] for name in names}
    units = {}
    for group in about[4]:
        assert len(group[1]) == len(names)
        for name, chunk in zip(names, group[1]):
            assert [part.decode("utf-8") for part in chunk[3][3]] == [name]
            values = column(data, chunk)
            assert len(values) == group[3], "num_rows of the group"
            columns[name] += values
            for pair in chunk[3].get(8, []):
                units[name] = pair[2].decode("utf-8")
    rows = sum(group[3] for group in about[4])
    assert about[3] == rows, "num_rows"
    keys = {pair[1].decode("utf-8"): pair[2].decode("utf-8") for pair in about[5]}
    return {"types": dict(zip(names, types)), "columns": columns, "rows": rows, "units": units, "keys": keys}
