"""Runs command_dram.py on cases of oracle/command-dram and compares commands and completions, up to a number of ticks.

command_dram_oracle.py TICKS case...      (TICKS 0: to the end)

The recorded runs are in the folder COMMAND_DRAM_ORACLE, or in oracle/command-dram of SHARED.
"""
import lzma, os, sys, tempfile
from command_dram_frontends import *

ORACLE = os.environ.get('COMMAND_DRAM_ORACLE') or os.path.join(os.environ.get('SHARED') or '../shared', 'oracle', 'command-dram')
KIND = {'single-bus': 'GenericDDR', 'dual-bus': 'HBM12', 'dual-bus-half-tick': 'HBM34', 'gddr7': 'GDDR7', 'lpddr5': 'LPDDR5',
        'lpddr6': 'LPDDR6', 'single-bus-prac': 'PRAC', 'single-bus-blockhammer': 'BlockHammer'}
REFRESH = {'none': 'NoRefresh', 'all-bank': 'AllBank', 'per-bank': 'PerBank', 'per-bank-hbm34': 'HBM34PerBankRefresh'}
PLUGIN = {
    'PARA': ('PARA', dict(probability='threshold')), 'OracleRH': ('OracleRH', dict(threshold='tRH')),
    'Graphene': ('Graphene', dict(entries='num_table_entries', threshold='activation_threshold', reset_ns='reset_period_ns')),
    'TWiCe': ('TWiCeIdeal', dict(threshold='twice_rh_threshold', pruning_threshold='twice_pruning_interval_threshold')),
    'Hydra': ('Hydra', dict(tracking_threshold='hydra_tracking_threshold', group_threshold='hydra_group_threshold',
                            group_rows='hydra_row_group_size', reset_ns='hydra_reset_period_ns',
                            cache_entries_per_rank='hydra_rcc_num_per_rank', cache_eviction='hydra_rcc_policy')),
    'RRS': ('RRS', dict(tracker_entries='num_hrt_entries', indirection_entries='num_rit_entries', threshold='rss_threshold',
                        reset_ns='reset_period_ns')),
    'AQUA': ('AQUA', dict(tracker_entries='num_art_entries', indirection_entries='num_fpt_entries', threshold='art_threshold',
                          quarantine_rows='num_qrows_per_bank', reset_ns='reset_period_ns')),
    'RFM': ('RFMManager', dict(threshold='rfm_thresh', scope='rfm_mode')),
    'HynixTRR': ('HynixTRR', dict(probability='sample_probability')),
    'SamsungTRR': ('SamsungTRR', dict(entries='num_table_entries', rows_per_rfm='num_rows_per_rfm')),
    'IdealTRR': ('IdealTRR', dict(rows_per_rfm='num_rows_per_rfm')),
}


def mapper(m):
    if isinstance(m, dict):
        return {'impl': 'RITAddrMapper', 'reserved_rows_per_bank': m['reserved_rows'], 'addr_mapper': {'impl': m['base']}}
    return {'impl': 'PassThroughAddrMapper' if m == 'given' else m}


def configure(case):
    d, c = case['device'], case['controller']
    extra = [e for e in ('RFM', 'VRR') if any(x.startswith(e) for x in d['extra_commands'])]
    config = {
        'dram': {'standard': '_'.join([d['standard']] + extra), 'org': d['organization_preset'], 'timing': d['timing_preset'],
                 'overrides': d['overrides']},
        'controller': KIND[c['kind']], 'channels': case['channels'], 'interleave_bits': case['channel_interleave_bits'],
        'read_buffer_size': c['read_queue'], 'write_buffer_size': c['write_queue'], 'priority_buffer_size': c['priority_queue'],
        'wr_low_watermark': c['write_low'], 'wr_high_watermark': c['write_high'],
        'scheduler': {'FR-FCFS': 'FRFCFS', 'FR-FCFS-RowHit': 'FRFCFS-RowHit'}[case['scheduler']],
        'row_policy': {'impl': 'Open'} if case['row_policy']['kind'] == 'open' else
                      {'impl': 'ClosedCAP', 'cap': case['row_policy']['accesses']},
        'refresh_manager': {'impl': REFRESH[case['refresh']['kind']], 'scatter_interval': case['refresh'].get('stagger', 0)},
        'addr_mapper': mapper(case['mapping']), 'clock_ratio': case['clock_ratio']['memory'],
        'plugins': [dict({PLUGIN[p['kind']][1].get(k, k): v for k, v in p.items() if k != 'kind'}, impl=PLUGIN[p['kind']][0])
                    for p in case['mitigations']]}
    if extra and case['refresh']['kind'] == 'all-bank':
        config['refresh_manager']['scope'] = 'Rank'
    for key, name in (('wck_sync', 'wck_sync_mode'), ('rck_mode', 'rck_mode'), ('rck_idle_threshold', 'rck_idle_threshold')):
        if key in c:
            config[name] = c[key]
    if 'prac' in c:
        p = c['prac']
        config.update(abo_threshold=p['threshold'], abo_act_ns=p['alert_window_ns'], abo_recovery_refs=p['recovery_refreshes'],
                      abo_delay_acts=p['delay_activations'])
    if 'blockhammer' in c:
        b = c['blockhammer']
        config.update(bf_num_filters=b['filters'], bf_len_epoch=b['epoch_ns'], bf_ctr_count=b['counters'], bf_num_hashes=b['hashes'],
                      bf_ctr_thresh=b['threshold'], bf_hist_max_freq=b['history_max'], bf_num_rh=b['rowhammer_threshold'],
                      bf_trefw=b['refresh_window_ns'], bf_trc=b['tRC_ns'])
    return config


class Recorder(FrontSystem):
    """Notes each accepted request as the oracle does: [tick of arrival, ticks until its callback, or None]."""

    def __init__(self, config):
        super().__init__(config)
        self.completions = []

    def note(self, req, send):
        entry, outer = [self.controllers[0].clk, None], req.callback

        def done(r):
            entry[1] = self.controllers[0].clk - entry[0]
            if outer:
                outer(r)
        req.callback = done
        self.completions.append(entry)
        if send(req):
            return True
        self.completions.pop()
        req.callback = outer
        return False

    def send(self, req):
        return self.note(req, super().send)

    def send_vector(self, req, vector):
        return self.note(req, lambda r: super(Recorder, self).send_vector(r, vector))


class TimedTrace:
    cores = 1

    def __init__(self, system, o):
        self.system, self.o, self.t, self.next, self.end = system, o, -1, 0, None
        self.requests, at = [], 0
        for line in open(o['path']):
            delta, kind, addr = line.split()
            at += int(delta)
            self.requests.append((at, WRITE if kind == 'W' else READ, int(addr, 16)))
        self.left = len(self.requests)

    def tick(self):
        self.t += 1
        taken = 0
        while self.next < len(self.requests) and self.requests[self.next][0] <= self.t:
            if self.o['per_cycle'] and taken == self.o['per_cycle']:
                break
            _, kind, addr = self.requests[self.next]
            if not self.system.send(Request(addr, kind, 0, self.done)):
                break
            self.next += 1
            taken += 1

    def done(self, req):
        self.left -= 1

    def finished(self):
        if self.next < len(self.requests) or self.left:
            return False
        if self.end is None:
            self.end = self.t + self.o.get('tail', 0)
        return self.t >= self.end


FRONTENDS['timed-trace'] = TimedTrace


def front_options(case, paths):
    f = case['front_end']
    o = dict(f, clock_ratio=case['clock_ratio']['front_end'])
    name = {'LoadStore': 'LoadStoreTrace', 'ReadWrite': 'ReadWriteTrace', 'LatencyThroughput': 'LatencyThroughputTrace'}.get(f['kind'], f['kind'])
    o['impl'] = name
    if paths:
        o['path'] = paths[0]
    if name in ('SimpleO3', 'BHO3'):
        o.update(traces=paths, num_expected_insts=f['instructions'], ipc=f['width'], inst_window_depth=f['window'],
                 llc_linesize=f['llc_line'], llc_associativity=f['llc_ways'], llc_num_mshr_per_core=f['llc_mshrs_per_core'],
                 llc_capacity_per_core=f"{f['llc_bytes_per_core'] // 1024}KB", max_addr=f['translate_modulo'])
    return o


def check(name, ticks):
    folder = os.path.join(ORACLE, name)
    case = json.load(open(os.path.join(folder, 'case.json')))
    with tempfile.TemporaryDirectory() as temporary:
        paths = []
        for t in case['traces']:
            paths.append(os.path.join(temporary, t))
            with open(paths[-1], 'wb') as f:
                f.write(lzma.open(os.path.join(folder, t)).read())
        system = Recorder(configure(case))
        options = front_options(case, paths)
        front = FRONTENDS[options['impl']](system, options)
        for controller in system.controllers:
            controller.front = front
        f, m = case['clock_ratio']['front_end'], case['clock_ratio']['memory']
        i, ended = 0, False
        while not (ticks and system.controllers[0].clk >= ticks):
            if i % m == 0:
                front.tick()
            if front.finished():
                ended = True
                break
            if i % f == 0:
                system.tick()
            i += 1
    clk = system.controllers[0].clk
    mine = sorted(((e[0], ch, i) + e[1:3] for ch, c in enumerate(system.controllers) for i, e in enumerate(c.trace)))
    mine = [(t, ch, command) + tuple(v[1:]) for t, ch, i, command, v in mine]
    ref, t = [], 0
    for line in lzma.open(os.path.join(folder, 'commands.xz'), 'rt'):
        w = line.split()
        t += int(w[0])
        if t > clk:
            break
        ref.append((t, int(w[1]), w[2]) + tuple(map(int, w[3:])))
    if mine != ref:
        k = next((k for k, (a, b) in enumerate(zip(mine, ref)) if a != b), min(len(mine), len(ref)))
        return f'{name}: DIFFERENT at command {k}: model {mine[k:k + 2]} reference {ref[k:k + 2]}', 0, 0
    cref, t = [], 0
    for line in lzma.open(os.path.join(folder, 'completions.xz'), 'rt'):
        w = line.split()
        t += int(w[0])
        cref.append([t, None if w[1] == '-' else int(w[1])])
    if ended and (len(cref), case['result']['final_cycle']) != (len(system.completions), clk):
        return f'{name}: DIFFERENT end: {len(system.completions)} requests, tick {clk}', 0, 0
    for k, (arrive, latency) in enumerate(system.completions):
        if k >= len(cref) or cref[k][0] != arrive or (latency != cref[k][1] and (ended or latency is not None)):
            return f'{name}: DIFFERENT completion {k}: model {arrive, latency} reference {cref[k:k + 1]}', 0, 0
    return (f'{name}: equal, {len(mine)} commands, {len(system.completions)} requests, {clk} ticks'
            f'{" (complete)" if ended else ""}'), len(mine), 1


if __name__ == '__main__':
    limit, total, good = int(sys.argv[1]), 0, 0
    names = sys.argv[2:] or sorted(n for n in os.listdir(ORACLE) if os.path.exists(os.path.join(ORACLE, n, 'case.json')))
    for name in names:
        try:
            text, n, ok = check(name, limit)
        except Exception as e:
            text, n, ok = f'{name}: FAILED {type(e).__name__} {e}', 0, 0
        print(text, flush=True)
        total, good = total + n, good + ok
    print(f'{good} of {len(names)} cases equal, {total} commands compared')
