"""insn_elastic.py OURS THEIRS WINDOW: dependences of accesses in two elastic traces of one program, as text.

OURS is converted from the committed instructions, THEIRS was written by gem5's probe. Accesses are matched by pc, kind and
place in their page, in order; the probe's others are those of wrong paths. Of each matched one the pcs of what it waits for
are compared: registers, and of stores the accesses before them. What lies further back than WINDOW of the probe's numbers is
left out, as the probe leaves it out. The probe knows no forwarding and orders other records by its own pipeline, so these are
not compared. Prints: matched, accesses of OURS, those whose dependences are equal, dependences of the probe, missing, more.
"""
import gc
import subprocess
import sys
import tempfile
import re


def read(path):
    """(number, pc, kind, orders, registers, place); the lists stay text, since those of computations are not asked for."""
    records = []
    for line in open(path):
        if line[0] == '#':
            continue
        head, orders, registers = (line.rstrip('\n').split(':') + ['', ''])[:3]
        seq, pc, _, kind, rest = head.split(',', 4)
        place = int(rest.split(',', 1)[0]) & 4095 if kind != 'COMP' else 0
        records.append((int(seq), int(pc), kind, orders, registers, place))
    return records


def numbers(text):
    return [int(number) for number in text.split(',') if number]


def matches(ours, theirs):
    """Pairs of equal keys, by diff, which does not need that no key occurs twice."""
    names = []
    for records in (ours, theirs):
        with tempfile.NamedTemporaryFile('w', delete=False) as keys:
            keys.writelines('%d%s%d\n' % (r[1], r[2][0], r[5]) for r in records)
            names.append(keys.name)
    out = subprocess.run(['diff', '--minimal'] + names, capture_output=True, text=True).stdout
    subprocess.run(['rm'] + names)
    i = j = 0
    for line in out.splitlines():
        change = re.match(r'(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$', line)
        if not change:
            continue
        first, last, what, other_first, other_last = change.groups()
        first, other_first = int(first), int(other_first)
        for _ in range((first if what == 'a' else first - 1) - i):
            yield ours[i], theirs[j]
            i, j = i + 1, j + 1
        if what != 'a':
            i = int(last or first)
        if what != 'd':
            j = int(other_last or other_first)
    while i < len(ours) and j < len(theirs):
        yield ours[i], theirs[j]
        i, j = i + 1, j + 1


def parents(record, by_number):
    found = {by_number[seq][1] for seq in numbers(record[4]) if seq in by_number}
    if record[2] == 'STORE':
        found |= {by_number[seq][1] for seq in numbers(record[3]) if seq in by_number and by_number[seq][2] != 'COMP'}
    return found


def main():
    ours, theirs, window = read(sys.argv[1]), read(sys.argv[2]), int(sys.argv[3])
    ours_by, theirs_by = {r[0]: r for r in ours}, {r[0]: r for r in theirs}
    accesses = [[r for r in records if r[2] != 'COMP'] for records in (ours, theirs)]
    last, at = {}, 0
    matched = equal = known = missing = more = 0
    for one, other in matches(*accesses):
        while at < len(theirs) and theirs[at][0] < other[0]:
            last[theirs[at][1]] = theirs[at][0]
            at += 1
        has, should = parents(one, ours_by), parents(other, theirs_by)
        lacks = should - has
        extra = {pc for pc in has - should if other[0] - last.get(pc, -window) < window}
        matched, known = matched + 1, known + len(should)
        missing, more = missing + len(lacks), more + len(extra)
        equal += not lacks and not extra
    print(matched, len(accesses[0]), equal, known, missing, more)


gc.disable()     # millions of tuples, and no cycles
main()
