"""Random cases of command-level DRAM in the format of oracle/command-dram, with what the slow model makes of them.

command_dram_random.py FOLDER FIRST LAST [MUTATION]    a folder a seed; MUTATION: one rule of the model is broken

Needs the tables of the model: $SHARED/spec/command-dram, of the whole reference data or the bundled part.
"""
import contextlib, json, lzma, os, random, sys

import command_dram as model
import command_dram_oracle as oracle

model.TABLES = os.path.join(os.environ['SHARED'], 'spec', 'command-dram')

LIMIT = 60000
PAIRS = {}
for row in model.rows('resolved.tsv'):
    PAIRS.setdefault(row['standard'], []).append((row['org'], row['timing']))
EXTRA = {'DDR4_VRR': ['VRR'], 'DDR5_RFM': ['RFMab', 'RFMpb'], 'DDR5_VRR': ['VRR'], 'DDR5_RFM_VRR': ['RFMab', 'RFMpb', 'VRR']}
KIND = {v: k for k, v in oracle.KIND.items()}


def mitigations(r, standard):
    vrr, rfm = 'VRR' in standard, 'RFM' in standard
    threshold = r.choice([3, 5, 8, 12])
    reset = r.choice([500, 2000, 20000])
    trackers = [dict(kind='PARA', probability=r.choice([0.02, 0.2, 0.5]), seed=r.randrange(1000)),
                dict(kind='Graphene', entries=r.choice([2, 6, 64]), threshold=threshold, reset_ns=reset),
                dict(kind='OracleRH', threshold=threshold),
                dict(kind='TWiCe', threshold=threshold, pruning_threshold=r.choice([0.5, 1.5, 4.0]))]
    hydra = dict(kind='Hydra', tracking_threshold=r.choice([6, 14, 300]), group_threshold=r.choice([2, 4]),
                 group_rows=r.choice([64, 128]), reset_ns=reset, cache_entries_per_rank=r.choice([16, 32, 4096]),
                 cache_eviction=r.choice(['RANDOM', 'MIN_COUNT']))
    chosen = []
    if rfm:
        chosen.append(dict(kind='RFM', threshold=threshold, scope=r.choice(['ab', 'pb'])))
    if vrr:
        chosen += r.sample(trackers + [hydra], r.choice([1, 1, 2]))
    if vrr and rfm:
        chosen.append(r.choice([dict(kind='HynixTRR', probability=r.choice([0.1, 0.6]), seed=r.randrange(1000)),
                                dict(kind='SamsungTRR', entries=r.choice([2, 8]), rows_per_rfm=r.choice([1, 2])),
                                dict(kind='IdealTRR', rows_per_rfm=r.choice([1, 2, 3]))]))
    return chosen


def controller(r, standard):
    kind = KIND[model.table('standards.tsv')[standard][0]['controller']]
    if 'RFM' in standard and r.random() < 0.4:
        kind = 'single-bus-prac'
    low = r.choice([0.1, 0.2, 0.4])
    c = dict(kind=kind, read_queue=r.choice([4, 16, 32, 64]), write_queue=r.choice([4, 16, 32, 64]),
             priority_queue=r.choice([1, 3, 1568, 1568, 1568]), write_low=low, write_high=r.choice([low, 0.6, 0.8]))
    if kind.startswith('lpddr'):
        c['wck_sync'] = r.choice(['need_sync', 'need_sync', 'always_on'])
    if kind == 'gddr7':
        c.update(rck_mode=r.choice(['always_on', 'start_with_read', 'start_with_rckstrt']), rck_idle_threshold=r.choice([0, 8, 32]))
    if kind == 'single-bus-prac':
        c['prac'] = dict(threshold=r.choice([4, 10, 30]), alert_window_ns=r.choice([100, 180]), recovery_refreshes=r.choice([1, 2, 4]),
                         delay_activations=r.choice([1, 2, 4]))
    return c


def refresh(r, standard):
    row = model.table('standards.tsv')[standard][0]
    kinds = ['none'] + ([] if row['allbank_scope'] == '-' and standard not in EXTRA else ['all-bank'] * 2)
    if row['refresh_per_bank'] == 'yes':
        kinds.append('per-bank')
    if row['refresh_hbm34_per_bank'] == 'yes':
        kinds.append('per-bank-hbm34')
    kind = r.choice(kinds)
    return dict(kind=kind, stagger=r.choice([0, 0, 100])) if kind == 'all-bank' else dict(kind=kind)


def stream(r, bytes_per_access, capacity):
    pattern = r.choice(['random', 'hot', 'rows', 'stream', 'bursts'])
    hot = [r.randrange(capacity // bytes_per_access) for _ in range(r.choice([4, 12, 40]))]
    reads, at, lines, address = r.choice([0.3, 0.7, 1.0]), 0, [], r.randrange(capacity // bytes_per_access)
    for i in range(r.choice([150, 300, 500])):
        if pattern == 'hot':
            address = r.choice(hot)
        elif pattern == 'rows':
            address = r.choice(hot) & ~15 | r.randrange(16)
        elif pattern == 'stream':
            address += 1
        else:
            address = r.randrange(capacity // bytes_per_access)
        if pattern == 'bursts' and i % 40 == 0:
            delta = r.choice([100, 1500, 4000])
        else:
            delta = r.choice([0, 0, 1, 1, 5]) if r.random() < 0.98 else 200
        offset = r.randrange(bytes_per_access) if r.random() < 0.05 else 0
        lines.append(f"{delta} {'R' if r.random() < reads else 'W'} {address % (capacity // bytes_per_access) * bytes_per_access + offset:x}\n")
    return ''.join(lines)


def make(r, name):
    standard = r.choice(sorted(PAIRS))
    org, timing = r.choice(PAIRS[standard])
    parent = standard.split('_')[0]
    overrides = {}
    levels = [x['level'] for x in model.table('levels.tsv')[standard]]
    s = model.Standard(standard, org, timing)
    if 'Rank' in levels and r.random() < 0.5:
        overrides['rank'] = r.choice([2, 4])
    if r.random() < 0.5:
        m = int(model.table('standards.tsv')[standard][0]['tick_multiplier'])
        for key, floor in (('nREFI', s.t.get('nRFC', s.t.get('nRFCab', 300))), ('nREFIpb', s.t.get('nRFCpb', 100))):
            if key in s.t:
                overrides[key] = max(r.choice([150, 700, 2000]), 2 * floor // m)
    s = model.Standard(standard, org, timing, overrides)
    c, ref = controller(r, standard), refresh(r, standard)
    plugins = mitigations(r, standard) if standard in EXTRA else []
    dual = c['kind'] in ('dual-bus', 'dual-bus-half-tick', 'gddr7')
    policy = dict(kind='open') if r.random() < 0.6 else dict(kind='closed-after', accesses=r.choice([8, 16] if dual else [1, 2, 4, 16]))
    mapping = r.choice(['RoBaRaCoCh', 'ChRaBaRoCo', 'MOP4CLXOR'])
    if standard in ('DDR4', 'DDR5', 'DDR3') and r.random() < 0.25:
        mapping = dict(kind='row-indirection', base=mapping, reserved_rows=0 if mapping == 'MOP4CLXOR' else 4)
        plugins = [r.choice([dict(kind='RRS', tracker_entries=r.choice([3, 40]), indirection_entries=r.choice([2, 20]), threshold=r.choice([20, 60]), reset_ns=4000),
                             dict(kind='AQUA', tracker_entries=r.choice([3, 40]), indirection_entries=8, quarantine_rows=4, threshold=r.choice([20, 60]), reset_ns=4000)])]
    channels = r.choice([1, 1, 1, 2])
    capacity = s.tx_bytes * channels
    for level in levels[1:]:
        capacity *= s.size[s.level[level]]
    capacity = capacity // s.prefetch
    if isinstance(mapping, dict):
        capacity //= 2
    case = dict(name=name, kind='random', device=dict(standard=parent, extra_commands=EXTRA.get(standard, []), organization_preset=org,
                timing_preset=timing, overrides=overrides), channels=channels, channel_interleave_bits=r.choice([0, 2]),
                controller=c, scheduler=r.choice(['FR-FCFS', 'FR-FCFS', 'FR-FCFS-RowHit']), row_policy=policy, refresh=ref, mapping=mapping,
                mitigations=plugins, front_end=dict(kind='timed-trace', per_cycle=r.choice([0, 1, 1, 2]), tail=r.choice([0, 3000])),
                clock_ratio=dict(front_end=1, memory=1), traces=['trace0.xz'])
    return case, stream(r, s.tx_bytes, capacity)


IMPL = dict(TWiCe='TWiCeIdeal', RFM='RFMManager')


def plugin_stats(kind, plugin):
    out = {'impl': IMPL.get(kind, kind)}
    for prefix, names in (('', ('rfm_counter', 'rfm_observed', 'vrrs_fired', 'rss_num_swaps', 'rss_num_unswaps', 'rss_num_reswaps',
                                'aqua_migrations', 'aqua_r_migrations')),):
        out.update({n: getattr(plugin, n) for n in names if hasattr(plugin, n)})
    if kind == 'Hydra':
        out.update({'hydra_' + k: v for k, v in plugin.n.items()})
    return out


def statistics(case, config, system):
    controllers, total = [], [0, 0]
    for i, c in enumerate(system.controllers):
        out = dict(c.stats)
        out.update({k: float(f'{v:.6f}') for k, v in c.derived_stats().items()})
        out.update(id=f'Channel {i}', impl=config['controller'], addr_mapper={'impl': config['addr_mapper']['impl']},
                   refresh_manager={'impl': config['refresh_manager']['impl']}, row_policy={'impl': config['row_policy']['impl']},
                   scheduler={'impl': config['scheduler']})
        for what in ('hits', 'misses', 'conflicts'):
            out[f'read_row_{what}_core_0'] = out[f'read_row_{what}']
        plugins = [plugin_stats(m['kind'], p) for m, p in zip(case['mitigations'], c.plugins)]
        if plugins:
            out['controller_plugin'] = plugins[0] if len(plugins) == 1 else plugins
        controllers.append(out)
        total[0] += c.stats['num_read_reqs']
        total[1] += c.stats['num_write_reqs']
    return {'frontend': {'impl': 'External'}, 'memory_system': {
        'impl': 'GenericDRAM', 'channel_mapper': {'impl': 'CacheLineInterleave'}, 'total_num_read_requests': total[0],
        'total_num_write_requests': total[1], 'controller': controllers[0] if len(controllers) == 1 else controllers}}


def run(case, text, folder):
    config = oracle.configure(case)
    if 'prac' in config['controller'].lower():
        pass
    trace = os.path.join(folder, 'trace')
    with open(trace, 'w') as f:
        f.write(text)
    system = oracle.Recorder(config)
    front = oracle.TimedTrace(system, dict(case['front_end'], path=trace))
    os.remove(trace)
    while True:
        front.tick()
        if front.finished():
            break
        system.tick()
        if system.controllers[0].clk > LIMIT:
            return None
    commands = sorted((e[0], ch, i) + tuple(e[1:3]) for ch, c in enumerate(system.controllers) for i, e in enumerate(c.trace))
    return config, system, commands


def write(path, text):
    with lzma.open(path, 'wt', preset=0) as f:
        f.write(text)


def save(case, text, folder, result):
    config, system, commands = result
    last, lines = 0, []
    for clk, channel, _, name, vector in commands:
        lines.append(f"{clk - last} {channel} {name} {' '.join(map(str, vector[1:]))}\n")
        last = clk
    write(os.path.join(folder, 'commands.xz'), ''.join(lines))
    last, lines = 0, []
    for arrive, latency in system.completions:
        lines.append(f"{arrive - last} {'-' if latency is None else latency}\n")
        last = arrive
    write(os.path.join(folder, 'completions.xz'), ''.join(lines))
    write(os.path.join(folder, 'trace0.xz'), text)
    with open(os.path.join(folder, 'stats.json'), 'w') as f:
        json.dump(statistics(case, config, system), f)
    case['result'] = dict(final_cycle=system.controllers[0].clk)
    with open(os.path.join(folder, 'case.json'), 'w') as f:
        json.dump(case, f, indent=1)


def without_age(self, best, req):
    ready = self.c.timing_ok(req.command, req.vector)
    return (req, ready) if best is None or (ready and not best[1]) else best


def short_window(self, *args, init=model.Standard.__init__):
    init(self, *args)
    self.constraints = [[[(f, l, min(w, 3), sib) for f, l, w, sib in rows] for rows in level] for level in self.constraints]


MUTATIONS = {'age': lambda: setattr(model.FRFCFS, 'better', without_age),
             'guard': lambda: setattr(model.Controller, 'closes_active', lambda self, req: False),
             'tFAW': lambda: setattr(model.Standard, '__init__', short_window)}


def main():
    folder, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    mutation = MUTATIONS[sys.argv[4]] if len(sys.argv) > 4 else None
    for seed in range(first, last + 1):
        r, attempt = random.Random(seed), 0
        while True:
            attempt += 1
            name = f'random-{seed}'
            try:
                case, text = make(r, name)
                place = os.path.join(folder, name)
                os.makedirs(place, exist_ok=True)
                if mutation and attempt == 1:
                    mutation()
                    mutation = None
                result = run(case, text, place)
                if result:
                    save(case, text, place, result)
                    break
            except model.Refused:
                pass


if __name__ == '__main__':
    main()
