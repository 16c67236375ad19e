"""Kernels of measurements on real GPUs, as grouped Accel-Sim traces (version 5): pointer chases, bandwidths by footprint, streams
by occupancy, strides, empty kernels, chains of FFMA, vector addition, PolyBench's loops.

Each function of KERNELS takes a Card and the columns of a row, and writes kernels into a Folder. Where a figure is a slope, the
last two kernels are the same work in two lengths; the function returns both amounts. A warp's text is made from a template with
places for addresses, since a trace has up to a million lines."""
import os
import random

LANES, ALL = 32, 0xffffffff
HEAP = 0x7f0000000000
ARRAY = (2 << 30) + (2 << 20)      # as arrays of 2 GiB and a little lie: no power of two apart


class Card:
    """What a kernel's shape depends on."""

    def __init__(self, sms, l1_bytes, l2_bytes, shared_bytes, threads, version=80, partitions=1):
        self.sms, self.l1_bytes, self.l2_bytes = sms, l1_bytes, l2_bytes
        self.shared_bytes, self.threads, self.version = shared_bytes, threads, version
        self.partitions = partitions


class Text:
    """Instructions of a warp. The pc goes up by 16 with each; a loop sets it back."""

    def __init__(self, mask=ALL):
        self.lines, self.pc, self.mask = [], 0, mask

    def do(self, opcode, dst=(), src=(), access='0', mask=None):
        mask = self.mask if mask is None else mask
        self.lines.append(f'{self.pc:04x} {mask:08x} {len(dst)} {"".join(r + " " for r in dst)}{opcode} '
                          f'{len(src)} {"".join(r + " " for r in src)}{access} 0')
        self.pc += 16

    def chain(self, *opcodes):
        """Integer instructions, each on the result of the one before."""
        for opcode in opcodes:
            self.do(opcode, ['R0'], ['R0'])

    def close(self):
        self.do('EXIT', mask=ALL)
        return f'insts = {len(self.lines)}\n' + '\n'.join(self.lines) + '\n'


def strided(width, stride):
    """Lane i lies i * stride behind the first address, which is filled in later."""
    return f'{width} 1 0x%x {stride}'


def listed(width, addresses):
    """Any addresses, one for each active lane."""
    steps = [b - a for a, b in zip(addresses, addresses[1:])]
    if len(set(steps)) == 1:
        return f'{width} 1 0x{addresses[0]:x} {steps[0]}'
    return f'{width} 2 0x{addresses[0]:x} ' + ' '.join(map(str, steps))


def some_lanes(count):
    return (1 << count) - 1


class Folder:
    """kernelslist.g and its kernels."""

    def __init__(self, path, card):
        self.path, self.card, self.names = path, card, []
        os.makedirs(path, exist_ok=True)

    def copies(self, ranges):
        self.names += [f'MemcpyHtoD,0x{address:016x},{size}' for address, size in ranges]

    def kernel(self, name, grid, block, warps_of, shared=0, registers=32):
        """warps_of(block number): texts of its warps."""
        number = sum(n.startswith('kernel') for n in self.names) + 1
        self.names.append(f'kernel-{number}.traceg')
        with open(os.path.join(self.path, self.names[-1]), 'w', encoding='ascii') as file:
            file.write(f'-kernel name = {name}\n-kernel id = {number}\n-grid dim = ({grid[0]},{grid[1]},1)\n'
                       f'-block dim = ({block[0]},{block[1]},1)\n-shmem = {shared}\n-nregs = {registers}\n'
                       f'-binary version = {self.card.version}\n-cuda stream id = 0\n-shmem base_addr = 0x7e0000000000\n'
                       '-local mem base_addr = 0x7e1000000000\n-nvbit version = 1.7\n-accelsim tracer version = 5\n'
                       '-enable lineinfo = 0\n\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] '
                       'mem_width [adrrescompress?] [mem_addresses] immediate\n\n')
            for at in range(grid[0] * grid[1]):
                warps = ''.join(f'warp = {i}\n{text}\n' for i, text in enumerate(warps_of(at)))
                file.write(f'#BEGIN_TB\n\nthread block = {at % grid[0]},{at // grid[0]},0\n\n{warps}#END_TB\n\n')

    def close(self):
        with open(os.path.join(self.path, 'kernelslist.g'), 'w', encoding='ascii') as file:
            file.write('\n'.join(self.names) + '\n')


# ---- what fills the L2 before a measurement ----

def sweep(folder, size):
    """The SMs read `size` bytes: once, or with two partitions of the L2 twice, so that each piece is read from either side."""
    pieces, warps = size // 512, 8
    blocks = max(1, min(folder.card.sms, pieces // warps))
    turns = folder.card.partitions if size <= 1.5 * folder.card.l2_bytes else 1

    def warps_of(block):
        result = []
        for warp in range(warps):
            text = Text()
            starts = [(block + turn * (blocks // 2)) % blocks for turn in range(turns)]
            for n, piece in enumerate(p for s in starts for p in range(s * warps + warp, pieces, blocks * warps)):
                text.do('LDG.E.128', [f'R{8 + 4 * (n % 6)}'], ['R2'], strided(16, 16) % (HEAP + piece * 512))
            result.append(text.close())
        return result
    folder.kernel('sweep', (blocks, 1), (warps * LANES, 1), warps_of)


def long_stream(folder, reads):
    """Leaves the L2 as a long stream does: by turns lines that were loaded and lines that were stored, before the arrays."""
    each = folder.card.l2_bytes // (len(reads) + 1) // 16384 * 16384
    text = Text()
    for array in reads:
        text.do('LDG.E.128', [f'R{8 + 4 * array}'], ['R2'], strided(16, 16))
    text.do('STG.E.128', [], ['R2', 'R4'], strided(16, 16))
    template = text.close()

    def warps_of(block):
        at = HEAP - each + block * 16384
        return [template % (*(at + warp * 512 + a * ARRAY for a in reads), at + warp * 512) for warp in range(32)]
    folder.kernel('fill', (each // 16384, 1), (1024, 1), warps_of)


# ---- measurements ----

def chase_text(pattern, order, pitch, length):
    """Loads of which each gives the next one's address, 32 to a turn of the loop. Passes after the first take the next bytes of a
    line, as the measurement does; they stay in the first sector, which long runs would have fetched."""
    text = Text(ALL if pattern == 'entry64' else 1)
    text.chain('S2R', 'IMAD', 'IMAD.WIDE')
    loop = text.pc
    for step in range(length):
        if step % 32 == 0:
            text.pc = loop
            text.do('IADD3', ['R4'], ['R4'])
            text.do('ISETP.GE.AND', [], ['R4'])
        turn, place = divmod(step, len(order))
        address = HEAP + order[place] * pitch + (turn % 4 * 8 if pattern == 'line128' else 0)
        text.do('LDG.E.64', ['R2'], ['R2'], strided(8, 0) % address)
        if step % 32 == 31:
            text.do('BRA')
    return text.close()


def latency(folder, footprint, pattern='line128', steps=1500):
    card, pitch = folder.card, {'line128': 128, 'entry64': 64}[pattern]
    count = max(2, footprint // pitch)
    is_small = count * pitch <= 4 * card.l1_bytes          # the L1 may hold some of it: whole passes
    is_warmed = count * pitch <= 1.5 * card.l2_bytes       # beyond, a pass finds nothing that the last one left
    first, second = (count, count + max(count, 512)) if is_small else (256, min(256 + steps, count))
    order = random.Random(1).sample(range(count), count if is_small or is_warmed else second)
    if is_warmed:                                          # in the chase's order, so that an LRU cache keeps what a chase leaves
        warm = [Text() for _ in range(32)]
        for n, at in enumerate(range(0, count, LANES)):
            text, addresses = warm[n % 32], [HEAP + place * pitch for place in order[at:at + LANES]]
            text.do('LDG.E', [f'R{8 + len(text.lines) % 16}'], ['R2'], listed(4, addresses), some_lanes(len(addresses)))
        folder.kernel('warm', (1, 1), (1024, 1), lambda _: [text.close() for text in warm])
    warps = 2 if pattern == 'entry64' else 1
    for length in (first, second):
        folder.kernel('chase', (1, 1), (64 if warps == 2 else 1, 1), lambda _, n=length: [chase_text(pattern, order, pitch, n)] * warps)
    return first, second


def own_text(turns):
    """Two loads of 8 bytes a lane to a turn, eight of them in flight."""
    text = Text()
    text.chain('S2R', 'S2R', 'IMAD', 'IMAD')
    loop = text.pc
    for turn in range(0, turns, 4):
        text.pc = loop
        group = range(min(4, turns - turn))
        for k in group:
            text.do('IMAD.WIDE', ['R2'], ['R0', 'R1'])
            text.do('LDG.E.64.CONSTANT', [f'R{8 + 4 * k}'], ['R2'], strided(8, 8))
            text.do('LDG.E.64.CONSTANT', [f'R{10 + 4 * k}'], ['R2'], strided(8, 8))
        for k in group:
            text.do('DFMA', ['R4'], [f'R{8 + 4 * k}', f'R{10 + 4 * k}', 'R4'])
    return text.close()


def l2_own(folder, footprint, loads=(8, 24)):
    """One wave of blocks of 1024 threads, which read pieces of their own, b modulo run."""
    card, chunk = folder.card, 16384
    blocks = card.sms * (card.threads // 1024)
    run = max(1, footprint // (loads[1] // 2 * chunk))
    sweep(folder, run * (loads[1] // 2) * chunk)
    for count in loads:
        template = own_text(count // 2)

        def warps_of(block, template=template, count=count):
            bases = [HEAP + (run * i + block % run) * chunk for i in range(count // 2)]
            return [template % tuple(b + warp * 256 + more for b in bases for more in (0, 8192)) for warp in range(32)]
        folder.kernel('sum', (blocks, 1), (1024, 1), warps_of)
    return tuple(blocks * 1024 * 8 * n for n in loads)


def same_text(block, steps, half):
    """Steps of a loop over two arrays, `half` bytes apart; a step is a load of each by all threads. With the text its addresses, to
    which those of the warp are added."""
    text, addresses = Text(), []
    text.chain('S2R', 'IMAD.WIDE')
    loop = text.pc
    for n, at in enumerate(steps):
        text.pc = loop if at == 0 else text.pc
        k, is_last = at % 8, n + 1 == len(steps) or steps[n + 1] <= at
        for more in (0, 1):
            text.do('LDG.E.CONSTANT', [f'R{8 + 2 * k + more}'], ['R2'], strided(4, 4))
            addresses.append(HEAP + at * block * 4 + more * half)
        if k == 7 or is_last:
            for j in range(k + 1):
                text.do('FFMA', ['R4'], [f'R{8 + 2 * j}', f'R{9 + 2 * j}', 'R4'])
        if is_last:
            text.do('FMUL', ['R4'], ['R4'])
    return text.close(), addresses


def same(folder, footprint, is_whole):
    """A block an SM reads the same two arrays again and again. Where they fit the L1 one SM stands for all. Of arrays that take long,
    parts that follow each other."""
    elements = footprint // 8
    block = min(512, elements)
    most = -(-elements // block)
    blocks = folder.card.sms if is_whole else 1
    lengths = [list(range(most)) * n for n in (1, 2 if is_whole else 1 + min(64, max(2, 8192 * block // elements)))]
    if is_whole:
        sweep(folder, footprint)
        if most > 160:
            lengths = [list(range(0, 40)), list(range(40, 160))]
    for steps in lengths:
        template, addresses = same_text(block, steps, elements * 4)
        folder.kernel('cache', (blocks, 1), (block, 1), lambda _, t=template, a=addresses: [
            t % tuple(base + warp * 128 for base in a) for warp in range(block // LANES)])
    return tuple(len(steps) * 2 * block * 4 * blocks for steps in lengths)


STREAMS = {                    # loads (array, offset in elements of 8 bytes), arithmetic, whether it stores, bytes counted an element
    'init': ([], [], True, 8),
    'read': ([(1, 0)], ['DSETP.NEU.AND'], False, 8),
    'scale': ([(1, 0)], ['DMUL'], True, 16),
    'triad2': ([(1, 0), (2, 0)], ['DFMA'], True, 24),
    'triad': ([(1, 0), (3, 0), (2, 0)], ['DFMA'], True, 32),
    '3pt': ([(1, -1), (1, 0), (1, 1)], ['DMUL', 'DADD', 'DFMA'], True, 16),
    '5pt': ([(1, k) for k in range(-2, 3)], ['DMUL', 'DFMA', 'DADD', 'DFMA', 'DFMA'], True, 16),
}


def stream_text(kernel, active):
    reads, arithmetic, stores, _ = STREAMS[kernel]
    text, values = Text(some_lanes(active)), [f'R{12 + 2 * k}' for k in range(len(reads))]
    text.chain('S2R', 'S2R', 'IMAD', 'SHF.R.S32.HI', 'ISETP.GE.U32.AND', 'ISETP.GE.U32.AND.EX')
    text.do('EXIT', mask=0)
    text.chain('ULDC.S8', 'ISETP.NE.AND')
    text.do('BRA', mask=0)
    for array in sorted({a for a, _ in reads}):
        text.do('IMAD.WIDE', [f'R{2 * array}'], ['R0', 'R1'])
    for value, (array, _) in zip(values, reads):
        text.do('LDG.E.64.CONSTANT', [value], [f'R{2 * array}'], strided(8, 8))
    for k, opcode in enumerate(arithmetic):
        sources = values if len(arithmetic) == 1 else [values[min(k, len(values) - 1)]] + ['R30'] * (k > 0)
        text.do(opcode, [] if opcode.startswith('DSETP') else ['R30'], sources)
    if stores:
        text.do('IMAD.WIDE', ['R10'], ['R0', 'R1'])
        text.do('STG.E.64', [], ['R10', 'R30' if reads else 'R1'], strided(8, 8))
    text.do('EXIT', mask=0)
    return text.close()


def keeper(card, blocks):
    """Shared memory of a block such that no more than `blocks` fit an SM. What cards from sm_80 on take besides is left out, so
    that a replay need not know of it."""
    size = 1024
    while card.shared_bytes // size > blocks:
        size += 256
    return size


def stream(folder, kernel, block, blocks_per_sm):
    """One element of 8 bytes a thread; two lengths in waves of blocks, one after the other in memory. Kernels that store begin with
    an L2 as a long stream leaves it and with writes under way; without that the figure depends on the length."""
    card = folder.card
    reads, _, stores, counted = STREAMS[kernel]
    first, second = (8, 24) if block * blocks_per_sm / card.threads < 0.2 else (3, 9)
    wave, shared = card.sms * blocks_per_sm, keeper(card, blocks_per_sm)
    offsets = [array * ARRAY + offset * 8 for array, offset in reads] + [0] * stores
    warps = [(w * 256, stream_text(kernel, min(LANES, block - w * LANES))) for w in range(-(-block // LANES))]

    def run(blocks, start):
        def warps_of(number):
            base = HEAP + 64 + (start + number) * block * 8
            return [text % tuple(base + at + offset for offset in offsets) for at, text in warps]
        folder.kernel(kernel, (blocks, 1), (block, 1), warps_of, shared=shared)
    if stores:
        long_stream(folder, sorted({a for a, _ in reads}))
        run(wave * first, 0)
    run(wave * first, wave * first)
    run(wave * second, 2 * wave * first)
    return tuple(wave * n * block * counted for n in (first, second))


def l1_strides(folder, kind, element, stride, block_x, block_y, turns=(8, 40)):
    """One block of 1024 threads; eight loads a turn, of elements at these offsets."""
    size = {'float': 4, 'double': 8}[element]
    load, multiply = {'float': ('LDG.E', 'FFMA'), 'double': ('LDG.E.64', 'DFMA')}[element]

    def place(thread):
        if kind == 'stride':
            return thread % 64 * stride
        return thread % block_x % 64 + thread // block_x % 32 * stride + stride        # here stride is the pitch of a row

    def warp_text(warp, count):
        text, bases = Text(), [HEAP + place(warp * LANES + lane) * size for lane in range(LANES)]
        text.chain('S2R', 'IMAD', 'IMAD.WIDE')
        loop = text.pc
        for _ in range(count):
            text.pc = loop
            text.do('IADD3', ['R2'], ['R2', 'R6'])
            text.do('IADD3.X', ['R3'], ['R3', 'R7'])
            for k, offset in enumerate((0, 4, 8, 12, 20, 16, 24, 28)):
                text.do(load, [f'R{8 + 2 * k}'], ['R2'], listed(size, [b + offset * size for b in bases]))
            for k in range(0, 8, 2):
                text.do(multiply, ['R30'], [f'R{8 + 2 * k}', f'R{10 + 2 * k}', 'R30'])
            text.do('UIADD3')
            text.do('UISETP.GE.AND')
            text.do('BRA')
        return text.close()
    for count in turns:
        folder.kernel(kind, (1, 1), (block_x, block_y), lambda _, n=count: [warp_text(warp, n) for warp in range(32)])
    return tuple(32 * 8 * n for n in turns)


def empty(folder, blocks, threads):
    text = Text()
    text.do('LDC' if folder.card.version >= 90 else 'MOV', ['R1'])
    warps = [text.close()] * -(-threads // LANES)
    folder.kernel('empty', (blocks, 1), (threads, 1), lambda _: warps)


def ffma(folder, blocks, threads, iterations):
    text = Text()
    text.do('LDC', ['R1'])
    text.do('LDC', ['R2'])
    text.do('ISETP.GE.AND', [], ['R2'])
    text.do('EXIT', mask=0)
    text.do('HFMA2.MMA', ['R3'], ['R255', 'R255'])
    text.do('UMOV')
    loop = text.pc
    for turn in range(iterations):
        text.pc = loop
        text.do('MOV', ['R0'])
        text.do('UIADD3')
        text.do('FFMA', ['R3'], ['R3', 'R0'])
        text.do('ISETP.LE.AND', [], ['R2'])
        for _ in range(127):
            text.do('FFMA', ['R3'], ['R3', 'R0'])
        text.do('BRA', mask=ALL if turn + 1 < iterations else 0)
    text.do('FSETP.NEU.AND', [], ['R3', 'R255'])
    warps = [text.close()] * -(-threads // LANES)
    folder.kernel('ffma', (blocks, 1), (threads, 1), lambda _: warps, registers=24)


def vectoradd(folder, size, is_copied, block=256):
    """The CUDA sample's, as nvcc compiles it for sm_80."""
    text = Text()
    for opcode, dst, src in (('MOV', ['R1'], []), ('S2R', ['R6'], []), ('S2R', ['R3'], []), ('IMAD', ['R6'], ['R6', 'R3']),
                             ('ISETP.GE.AND', [], ['R6'])):
        text.do(opcode, dst, src)
    text.do('EXIT', mask=0)
    text.do('HFMA2.MMA', ['R7'], ['R255', 'R255'])
    text.do('ULDC.64')
    text.do('IMAD.WIDE', ['R4'], ['R6', 'R7'])
    text.do('IMAD.WIDE', ['R2'], ['R6', 'R7'])
    text.do('LDG.E', ['R4'], ['R4'], strided(4, 4))
    text.do('LDG.E', ['R3'], ['R2'], strided(4, 4))
    text.do('IMAD.WIDE', ['R6'], ['R6', 'R7'])
    text.do('FADD', ['R0'], ['R4', 'R3'])
    text.do('FADD', ['R9'], ['R255', 'R0'])
    text.do('STG.E', [], ['R6', 'R9'], strided(4, 4))
    template = text.close()
    if is_copied:
        folder.copies([(HEAP, size * 4), (HEAP + ARRAY, size * 4)])

    def warps_of(number):
        places = [HEAP + (number * block + warp * LANES) * 4 for warp in range(block // LANES)]
        return [template % (at + ARRAY, at, at + 2 * ARRAY) for at in places]
    folder.kernel('vectoradd', (-(-size // block), 1), (block, 1), warps_of, registers=12)


# ---- PolyBench: a thread adds up one element of a result in memory, along k ----

def shape_of(step, inside):
    """Addresses of the lanes of a warp: the first is filled in, the others lie as far from it as `step` of (column, row) says."""
    first = inside[0]
    offsets = [step[0] * (j - first[0]) + step[1] * (i - first[1]) for j, i in inside]
    return listed(4, offsets).replace('0x0', '0x%x', 1) if len(offsets) > 1 else strided(4, 0)


def accumulate(folder, name, size, block, rows, left, right, result):
    """left, right and result: (array, bytes a column, bytes a row, bytes a k) of an operand. The store of each turn keeps the next
    turn's loads behind it, as the arrays may overlap for all that the compiler knows; the value stays in a register."""
    grid, templates = (-(-size // block[0]), -(-rows // block[1])), {}

    def template_of(inside, lanes):
        key = (lanes, tuple((j - inside[0][0], i - inside[0][1]) for j, i in inside))
        if key not in templates:
            at, of_left, of_right = (shape_of(operand[1:3], inside) for operand in (result, left, right))
            text = Text(lanes)
            text.chain('S2R', 'S2R', 'IMAD', 'S2R', 'S2R', 'IMAD', 'ISETP.GE.AND', 'ISETP.LT.OR')
            text.do('EXIT', mask=0)
            text.do('IMAD.WIDE', ['R6'], ['R0', 'R1'])
            text.do('LDG.E', ['R9'], ['R6'], at)
            loop = text.pc
            for k in range(size):
                text.pc = loop if k % 4 == 0 else text.pc
                text.do('LDG.E', ['R12'], ['R4'], of_left)
                text.do('LDG.E', ['R13'], ['R2'], of_right)
                text.do('FFMA', ['R9'], ['R12', 'R13', 'R9'])
                text.do('STG.E', [], ['R6', 'R9'], at)
                if k % 4 == 3 or k + 1 == size:
                    text.do('IADD3', ['R4'], ['R4'])
                    text.do('IADD3', ['R2'], ['R2'])
                    text.do('ISETP.NE.AND')
                    text.do('BRA')
            templates[key] = text.close()
        return templates[key]

    def first_of(operand, place, k=0):
        return HEAP + operand[0] * ARRAY + operand[1] * place[0] + operand[2] * place[1] + operand[3] * k

    def warps_of(number):
        x, y = number % grid[0] * block[0], number // grid[0] * block[1]
        result_texts = []
        for start in range(0, block[0] * block[1], LANES):
            threads = range(start, min(start + LANES, block[0] * block[1]))
            places = [(x + t % block[0], y + t // block[0], t - start) for t in threads]
            places = [(j, i, lane) for j, i, lane in places if j < size and i < rows]
            if not places:
                result_texts.append(Text().close())
                continue
            inside = [(j, i) for j, i, _ in places]
            template = template_of(inside, sum(1 << lane for _, _, lane in places))
            at = first_of(result, inside[0])
            addresses = [at]
            for k in range(size):
                addresses += (first_of(left, inside[0], k), first_of(right, inside[0], k), at)
            result_texts.append(template % tuple(addresses))
        return result_texts
    folder.kernel(name, grid, block, warps_of)


POLYBENCH = {                    # kernels in order and their arrays; how many matrices and vectors the host copied
    '2mm': ([('product', 0, 1, 2), ('product', 2, 3, 4)], 5, 0),
    '3mm': ([('product', 0, 1, 4), ('product', 2, 3, 5), ('product', 4, 5, 6)], 7, 0),
    'gemm': ([('product', 0, 1, 2)], 3, 0),
    'atax': ([('by_row', 0, 1, 2), ('by_column', 0, 2, 3)], 1, 3),
    'bicg': ([('by_column', 0, 1, 2), ('by_row', 0, 3, 4)], 1, 4),
    'mvt': ([('by_row', 0, 1, 2), ('by_column', 0, 3, 4)], 1, 4),
}


def polybench(folder, program, size, block_x, is_copied):
    steps, matrices, vectors = POLYBENCH[program]
    pitch = size * 4
    if is_copied:
        folder.copies([(HEAP + n * ARRAY, size * pitch) for n in range(matrices)] +
                      [(HEAP + (matrices + n) * ARRAY, pitch) for n in range(vectors)])
    for how, a, b, c in steps:
        block, rows = ((block_x, 8), size) if how == 'product' else ((block_x, 1), 1)
        operands = {'product': ((a, 0, pitch, 4), (b, 4, 0, pitch), (c, 4, pitch, 0)),
                    'by_row': ((a, pitch, 0, 4), (b, 0, 0, 4), (c, 4, 0, 0)),
                    'by_column': ((a, 4, 0, pitch), (b, 0, 0, 4), (c, 4, 0, 0))}[how]
        accumulate(folder, program, size, block, rows, *operands)
