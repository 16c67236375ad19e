/* The assumptions of the reconstruction, in one table: each constant by name, with the section of
 * docs/spec/elastic-truth.md that has the rule, or "own" (docs/window.md). None belongs to a program; times are cycles
 * of the core that the trace was captured on. What follows from that core is in captured_core.h. */
#ifndef REPLAY_WINDOW_RULES_H
#define REPLAY_WINDOW_RULES_H

/* name, value, section, help */
#define WINDOW_RULES(R)                                                                                               \
    R(MISS_CYC, 32, "3.1", "a load that misses the capture's L1D")                                                    \
    R(HIT_CYC, 1, "3.1", "a load that hits it, behind its execution")                                                 \
    R(CACHE_SETS, 512, "3.1", "of the capture's L1D: 64 KiB, 2 ways, lines of 64 bytes")                              \
    R(L1I_SETS, 256, "own", "of the capture's L1I: 32 KiB, 2 ways, likewise")                                         \
    R(LATENCY_RECORDS, 8, "3.2", "records of a pc before its least delay counts as a latency")                        \
    R(LATENCY_PERCENT, 20, "3.2", "of its records that must have the least delay")                                    \
    R(DOUBT_RECORDS, 8, "own", "records before they can tell that a delay is no latency")                             \
    R(CROWDED_PERCENT, 90, "own", "of a pc's least delays that must have found all units for integers busy")          \
    R(LED_REACH, 8, "own", "micro-ops in a row behind a delay that tell whether it was dispatched late")              \
    R(LED_EARLY_PERCENT, 10, "own", "of those that may be done before its end")                                       \
    R(INTEGER_SOURCES, 6, "own", "pcs of an instruction's producers that can be integers")                             \
    R(UNIT_RECORDS, 8, "own", "long delays of a pc before the unit that it waited for can tell its latency")          \
    R(UNIT_PERCENT, 50, "own", "of them that must end one latency behind another long one")                           \
    R(SIZES_MOST, 4, "own", "micro-ops in a row whose distance tells their sizes")                              \
    R(LONGEST_INSTRUCTION, 15, "own", "bytes of an instruction where sizes are not 2 and 4")                          \
    R(SHORT_BRANCH, 2, "own", "bytes of a filtered one there, if sizes before it are not known")                       \
    R(SYSTEM_CALL_BYTES, 4, "own", "of a system call where instructions have 2 or 4")                                  \
    R(LATENCY_FAR, 12, "5, 5", "micro-ops behind a wrong path before a delay can tell a latency")                     \
    R(LATENCY_NEAR_PERCENT, 50, "own", "of its records that must have the least delay where all are nearer")          \
    R(GAP, 3, "3.5", "missing numbers before a record that mean a misprediction")                                     \
    R(TWO_RESTLESS, 100, "own", "of 1000 times that a second branch must go elsewhere to be mispredicted, too")       \
    R(AGAIN, 10, "own", "of 1000 times that a branch of 2 bytes that falls through is mispredicted at least")          \
    R(SURE_BRANCH, 8, "3.5", "times that a branch went to one place before it is taken for direct")                   \
    R(LATE_CYC, 4, "3.6", "behind all older ones, and its own latency, that tell a wait for them")                    \
    R(SERIALISE_RECORDS, 8, "3.6", "records of a pc before it can serialise")                                         \
    R(SERIALISE_PERCENT, 90, "3.6", "of its records that must be late")                                               \
    R(SERIALISE_LEAST_CYC, 5, "3.6", "least delay of a pc that serialises")                                           \
    R(REFILL_SPREAD_CYC, 2, "5, 6", "as near to their median are half of its waits")                                  \
    R(SERIALISE_MOST_CYC, 60, "3.6", "longest latency of such a micro-op")                                            \
    R(FOLLOWERS, 4, "own", "records behind one that waits for all older ones that tell whether they wait, too")        \
    R(FOLLOWERS_EARLY_PERCENT, 10, "own", "of such waits in which one of them may be early")                          \
    R(OVERTAKEN_PERCENT, 90, "own", "of such waits in which one of them was done no later than all older ones")        \
    R(BARRIER_SEEN, 8, "own", "loads behind a filtered micro-op before they can tell that it is a fence")              \
    R(BARRIER_PERCENT, 95, "own", "of them that must wait for all that is older than it")                             \
    R(FENCED, 32, "own", "records behind an atomic access whose loads tell whether a fence is between")              \
    R(TURN_LATE_CYC, 2, "own", "behind the sources of what one more jump made fetch later by a cycle")                 \
    R(TURN_DONE_CYC, 4, "own", "behind the start of what fetch held up, in which all before it was done")             \
    R(TURN_FETCH_CYC, 16, "own", "longest turn of a loop that tells it, in cycles of fetch")                          \
    R(TURNS, 16, "own", "turns before they can tell it")                                                              \
    R(TURNS_PERCENT, 90, "own", "of them that must be late")                                                          \
    R(STRAYS, 16, "own", "loads of one wrong path that are kept")                                                     \
    R(SOURCES, 6, "3.7", "producers kept of a record")                                                                \
    R(RESOLVE_REACH, 16, "own", "micro-ops that what resolved a branch may lie behind")                               \
    R(RESOLVE_SPREAD_CYC, 5, "own", "longer than the refill, with an access of the L1I and a walk over the ROB")      \
    R(RESOLVE_SEEN, 4, "own", "mispredictions of a pc before that counts")                                            \
    R(RESOLVE_PERCENT, 50, "own", "of them that must fit a source")                                                   \
    R(RESOLVE_EARLY_PERCENT, 10, "own", "of them that may be too early for it")                                       \
    R(READS_SEEN, 4, "own", "squashed loads of a pc before they tell where others read")                              \
    R(READS_PERCENT, 50, "own", "of them that must have read in the line that a rule says")                           \
    R(READS_MOST, 4096, "own", "of them that are looked at")                                                           \
    R(READS_MISSED, 8, "own", "loads of its pc before one that may not have been finished")                           \
    R(READS_REACH, 256, "own", "records that the right path's loads of the pc may lie away")                          \
    R(LEARNT, 3, "3.7", "sources learnt of a pc")                                                                     \
    R(LEARNT_RECORDS, 4, "own", "records with producers before they count as sure")                                   \
    R(LEARNT_PERCENT, 90, "own", "of them that must agree")                                                           \
    R(LEARNT_REACH, 300, "3.7", "micro-ops that they may lie behind")                                                 \
    R(GUESSES, 2, "3.7", "sources guessed for a mispredicted branch")                                                 \
    R(GUESS_REACH, 8, "3.7", "micro-ops that they may lie behind")

#define WINDOW_RULE_ENUM(name, value, section, help) RULE_##name = (value),
enum window_rule { WINDOW_RULES(WINDOW_RULE_ENUM) };

#endif
