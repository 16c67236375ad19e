"""Writes a reference case of command-level DRAM (oracle/command-dram/NAME) as `python -m ramulator export` of Ramulator 2.1
writes such a configuration: resolved sizes, timings and constraints, no names of presets.

    python3 ramulator_yaml.py CASES NAME"""
import json
import os
import sys

folder, name = sys.argv[1:]
with open(os.path.join(folder, name, "case.json")) as file:
    case = json.load(file)
with open(os.path.join(folder, case["timing_rows"])) as file:
    rows = json.load(file)["rows"]
device, controller = case["device"], case["controller"]
levels, commands = list(device["levels"]), list(device["command_cycles"])
impl = device["standard"] + "".join("_" + c for c in ("RFM", "VRR") if any(x.startswith(c) for x in device["extra_commands"]))
SCHEDULERS = {"FR-FCFS": "FRFCFS", "FR-FCFS-RowHit": "FRFCFS-RowHit"}
CONTROLLERS = {"single-bus": "GenericDDR", "dual-bus": "HBM12", "dual-bus-half-tick": "HBM34", "gddr7": "GDDR7",
               "lpddr5": "LPDDR5", "lpddr6": "LPDDR6", "single-bus-prac": "PRAC", "single-bus-blockhammer": "BlockHammer"}
REFRESHES = {"none": "NoRefresh", "all-bank": "AllBank", "per-bank": "PerBank", "per-bank-hbm34": "HBM34PerBankRefresh"}
MITIGATIONS = {
    "PARA": ("PARA", {"probability": "threshold", "seed": "seed"}), "OracleRH": ("OracleRH", {"threshold": "tRH"}),
    "Graphene": ("Graphene", {"entries": "num_table_entries", "threshold": "activation_threshold",
                              "reset_ns": "reset_period_ns"}),
    "TWiCe": ("TWiCeIdeal", {"threshold": "twice_rh_threshold",
                             "pruning_threshold": "twice_pruning_interval_threshold"}),
    "RFM": ("RFMManager", {"threshold": "rfm_thresh", "scope": "rfm_mode"}),
    "HynixTRR": ("HynixTRR", {"probability": "sample_probability", "seed": "seed"}),
    "SamsungTRR": ("SamsungTRR", {"entries": "num_table_entries", "rows_per_rfm": "num_rows_per_rfm"}),
    "IdealTRR": ("IdealTRR", {"rows_per_rfm": "num_rows_per_rfm"}),
    "Hydra": ("Hydra", {"tracking_threshold": "hydra_tracking_threshold", "group_threshold": "hydra_group_threshold",
                        "group_rows": "hydra_row_group_size", "reset_ns": "hydra_reset_period_ns",
                        "cache_entries_per_rank": "hydra_rcc_num_per_rank", "cache_eviction": "hydra_rcc_policy"}),
    "RRS": ("RRS", {"tracker_entries": "num_hrt_entries", "indirection_entries": "num_rit_entries",
                    "threshold": "rss_threshold", "reset_ns": "reset_period_ns"}),
    "AQUA": ("AQUA", {"tracker_entries": "num_art_entries", "indirection_entries": "num_fpt_entries",
                      "quarantine_rows": "num_qrows_per_bank", "threshold": "art_threshold",
                      "reset_ns": "reset_period_ns"})}
BLOCKHAMMER = {"filters": "bf_num_filters", "epoch_ns": "bf_len_epoch", "counters": "bf_ctr_count",
               "hashes": "bf_num_hashes", "threshold": "bf_ctr_thresh", "saturate": "bf_ctr_saturate",
               "history_max": "bf_hist_max_freq", "rowhammer_threshold": "bf_num_rh", "refresh_window_ns": "bf_trefw",
               "tRC_ns": "bf_trc"}


def out(depth, text):
    print("  " * depth + text)


def row(r):
    text = [str(levels.index(r[0])), str([commands.index(c) for c in r[1]]), str([commands.index(c) for c in r[2]]), str(r[3])]
    if r[4] != 1 or r[5]:
        text.append(str(r[4]))
    if r[5]:
        text.append("true")
    return "- [" + ", ".join(text) + "]"


def one_controller():
    out(2, "- impl: " + CONTROLLERS[controller["kind"]])
    for ours, theirs in (("write_low", "wr_low_watermark"), ("write_high", "wr_high_watermark"),
                         ("read_queue", "read_buffer_size"), ("write_queue", "write_buffer_size"),
                         ("priority_queue", "priority_buffer_size"), ("wck_sync", "wck_sync_mode"),
                         ("rck_mode", "rck_mode"), ("rck_idle_threshold", "rck_idle_threshold")):
        if controller.get(ours) is not None:
            out(3, "%s: %s" % (theirs, controller[ours]))
    if controller.get("prac"):
        prac = controller["prac"]
        for ours, theirs in (("threshold", "abo_threshold"), ("alert_window_ns", "abo_act_ns"),
                             ("recovery_refreshes", "abo_recovery_refs"), ("delay_activations", "abo_delay_acts")):
            out(3, "%s: %s" % (theirs, prac[ours]))
    for key, value in (controller.get("blockhammer") or {}).items():
        out(3, "%s: %s" % (BLOCKHAMMER[key], str(value).lower()))
    out(3, "scheduler:")
    out(4, "impl: " + SCHEDULERS[case["scheduler"]])
    out(3, "refresh_manager:")
    out(4, "impl: " + REFRESHES[case["refresh"]["kind"]])
    if case["refresh"]["kind"] == "all-bank":
        out(4, "scatter_interval: %d" % case["refresh"]["stagger"])
        out(4, "debug: false")
    out(3, "row_policy:")
    out(4, "impl: " + ("Open" if case["row_policy"]["kind"] == "open" else "ClosedCAP"))
    if case["row_policy"]["kind"] != "open":
        out(4, "cap: %d" % case["row_policy"]["accesses"])
    out(3, "addr_mapper:")
    mapping = case["mapping"]
    if isinstance(mapping, dict):               # rows go through a table
        out(4, "impl: RITAddrMapper")
        out(4, "reserved_rows_per_bank: %d" % mapping["reserved_rows"])
        out(4, "addr_mapper:")
        out(5, "impl: " + mapping["base"])
    else:
        out(4, "impl: " + mapping)
    if case["mitigations"]:
        out(3, "controller_plugins:")
    for mitigation in case["mitigations"]:
        theirs, keys = MITIGATIONS[mitigation["kind"]]
        out(4, "- impl: " + theirs)
        for key, value in mitigation.items():
            if key != "kind":
                out(5, "%s: %s" % (keys[key], value))
    out(3, "dram:")
    out(4, "impl: " + impl)
    out(4, "org:")
    out(5, "dq: %d" % device["dq"])
    out(5, "count: %s" % list(device["levels"].values()))
    out(4, "timing: %s" % list(device["timing"].values()))
    out(4, "command_cycles: %s" % list(device["command_cycles"].values()))
    out(4, "channel_width: %d" % device["channel_width"])
    out(4, "read_latency: %d" % device["read_latency"])
    out(4, "timing_constraints:")
    for r in rows:
        out(5, row(r))


out(0, "frontend:")
out(1, "impl: External")
out(1, "clock_ratio: 1")
out(0, "memory_system:")
out(1, "impl: GenericDRAM")
out(1, "clock_ratio: 1")
out(1, "channel_mapper:")
out(2, "impl: CacheLineInterleave")
out(2, "interleave_bits: %d" % case["channel_interleave_bits"])
out(1, "controllers:")
for _ in range(case["channels"]):
    one_controller()
