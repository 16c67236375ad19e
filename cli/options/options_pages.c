/* Texts of man pages beyond --help, page by page. tests/cli/man.sh runs the examples in this order, in a folder with
 * the files they name, except those that examples of earlier pages have made. */
#include "cli/options/help.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct page_item variables[] = {
    {"XDG_CACHE_HOME", "Stores of traces are kept in its folder rubato, unless `--cache` names another; without it in "
                       "~/.cache/rubato."},
    {"NO_COLOR", "If it is set, output has no colour. Without it findings have colour on a terminal."},
    {"TMPDIR", "Folder of temporary files; without it /tmp."},
    {"PATH", "Search path of the program, and of the tool that runs it."},
    {"QEMU_LD_PREFIX", "Folder of the shared libraries of the program's architecture, unless `--sysroot` names one."},
    {"DISPLAY", "The X display of the window; WAYLAND_DISPLAY likewise. Without a display use `--view text` or "
                "`--frames`."},
    {"SOURCE_DATE_EPOCH", "The date on man pages that `--help=man` prints, in seconds since 1970, instead of today's."}
};

#define SYSTEM_FILES                                                                                                  \
    {"configs/*.yaml", "Shipped systems: beside the program, in ../share/rubato from where it is installed, or " \
                          "inside the program. A file of your own with `include: NAME` begins with one of them."}
#define STORE_FILES                                                                                                   \
    {"~/.cache/rubato", "Stores of traces, made when a trace is read for the first time. May be deleted at any time."}

static const struct help_page pages[] = {
    {.command = "",
     .more = "A trace is recorded once: by `rubato capture`, or by gem5, DynamoRIO, ChampSim, Accel-Sim, MGPUSim or "
             "MacSim. A system is a file of a few lines of YAML, or the name of a shipped one. Results are "
             "printed to standard output, all else to standard error, one line a message.",
     .files = {SYSTEM_FILES, STORE_FILES},
     .environment = "XDG_CACHE_HOME NO_COLOR TMPDIR SOURCE_DATE_EPOCH",
     .examples = {{"One trace on one system:", "rubato replay laptop program.rbt"},
                  {"The page of a command, without having installed it:", "rubato sweep --help=man | man -l -"}},
     .see = "replay sweep search results report diff traffic compare view export capture measure trace regions config",
     .chapter = "docs/README.md"},
    {.command = "replay",
     .more = "The first lines of the summary show the system, then follow the simulated time, the bottleneck "
             "and reasons to doubt its figures; then cores, caches and memories. `--stats` writes all statistics, "
             "under gem5's names where gem5 has them. The same arguments give the same bytes, on any host.",
     .files = {SYSTEM_FILES, STORE_FILES,
               {"deptrace.proto.gz, fetchtrace.proto.gz", "The two files of an elastic trace, in one folder."},
               {"share/rubato/stats.schema.json", "The schema of `--stats` FILE.json; docs/stats.schema.json in the "
                "sources."}},
     .environment = "XDG_CACHE_HOME NO_COLOR TMPDIR DISPLAY",
     .examples = {{"An elastic trace on a shipped system:", "rubato replay default gem5"},
                  {"The same with another prefetcher, and all statistics:",
                   "rubato replay default gem5 --set l2.prefetcher=stream --stats stats.json"},
                  {"A captured program on an out-of-order core, cycle by cycle:",
                   "rubato replay laptop program.rbt --model detailed"},
                  {"Where in the program its cycles and misses are:",
                   "rubato replay laptop program.rbt --model detailed --by pc"},
                  {"Samples for `rubato view` and `rubato export`, every 5 microseconds:",
                   "rubato replay default gem5 --record run.rec --every 5us"},
                  {"GPU kernels:", "rubato replay rtx2060 kernels"}},
     .see = "sweep view diff config trace-info", .chapter = "docs/commands.md"},
    {.command = "sweep",
     .more = "Points are all combinations of the values of the axes, with each of the workloads. Workers are processes "
             "that fork from one that has read all traces, so a point costs no more than its simulation.",
     .files = {{"SPEC.yaml", "system, traces, axes: docs/sweeps.md has all keys."},
               {"RESULTS.db", "An SQLite file: `rubato results --schema` shows its tables."},
               {"RESULTS.shards", "Results of the shards of a sweep, until `--collect` merges them."}, STORE_FILES},
     .environment = "XDG_CACHE_HOME",
     .examples = {{"What would run:", "rubato sweep sweep.yaml --dry-run"},
                  {"Run it with two workers; once more continues, or finds all done:",
                   "rubato sweep sweep.yaml -j 2 -o results.db"},
                  {"Half of the points here, the other half elsewhere, then both together:",
                   "rubato sweep sweep.yaml --shard 1/2 -o shared.db &&\n"
                   "rubato sweep sweep.yaml --shard 2/2 -o shared.db &&\n"
                   "rubato sweep sweep.yaml --collect -o shared.db"}},
     .see = "search results report replay config", .chapter = "docs/sweeps.md"},
    {.command = "search",
     .more = "A design is a point without its traces: a system and a value of each axis. The first designs are the two "
             "ends of all axes and a Latin hypercube; random forests learn what has run, NSGA-II breeds proposals on "
             "their estimates, and those run that promise the largest gain. docs/search.md says how good that is.",
     .files = {{"SPEC.yaml", "system, traces, axes: docs/sweeps.md has all keys."},
               {"RESULTS.db", "The designs that were run, as of a sweep."},
               {"RESULTS.short.db", "Their short runs, of `--short`."}, STORE_FILES},
     .environment = "XDG_CACHE_HOME",
     .examples = {{"The front of time and area, of twenty designs:",
                   "rubato search sweep.yaml --objective time_ms --objective mem.energy_mj --budget 20 -o found.db"},
                  {"The fastest design with a small L2:",
                   "rubato search sweep.yaml --objective time_ms --subject-to 'l2.size < 1MiB' --budget 20 "
                   "-o fast.db"}},
     .see = "sweep results report", .chapter = "docs/search.md"},
    {.command = "results",
     .files = {{"RESULTS.db", "what `rubato sweep` wrote"}},
     .examples = {{"The three fastest points:", "rubato results results.db --sort time_ms --limit 3"},
                  {"Chosen points, with columns of statistics, metrics and the system:",
                   "rubato results results.db --where 'l2.size >= 512KiB' --columns point,l2.size,cpi,l2.mpki,bound"},
                  {"Speed-up against one of them:",
                   "rubato results results.db --baseline 'l2.size == 256KiB' --columns l2.size,time_ms,speedup"},
                  {"The table of a paper:",
                   "rubato results results.db --pivot traces,l2.size --value cpi --mean geometric"},
                  {"What the sweep says, in sentences:", "rubato results results.db --conclude"},
                  {"For DuckDB or pandas:", "rubato results results.db -o results.parquet"}},
     .see = "sweep report diff", .chapter = "docs/sweeps.md"},
    {.command = "report",
     .more = "The page begins with what the sweep says: the best design, what it gains and costs, what matters and "
             "what does not, what is doubtful, what to try next. Each sentence has a link to its chart.",
     .examples = {{"The page, by another metric:", "rubato report results.db --metric l2.mpki"},
                  {"The best against point 2:", "rubato report results.db --baseline 2"}},
     .see = "results sweep compare", .chapter = "docs/report.md"},
    {.command = "diff",
     .environment = "NO_COLOR",
     .examples = {{"Two systems on one trace:", "rubato diff default wide --traces gem5"},
                  {"One change:", "rubato diff default default --set-b l2.prefetcher=stream --traces gem5"},
                  {"Two points of a sweep:", "rubato diff results.db:1 results.db:2"}},
     .see = "replay results compare", .chapter = "docs/commands.md"},
    {.command = "traffic",
     .more = "The last line of a curve is the peak of the memory; a design should stay below the load at which latency "
             "begins to rise.",
     .files = {SYSTEM_FILES},
     .examples = {{"The curve of random reads:", "rubato traffic default --requests 2000"},
                  {"A stream with a third of writes at a given rate:",
                   "rubato traffic default --pattern stream --read-share 0.67 --rate 6GB/s --requests 20000"},
                  {"A curve for each read share, as picture:",
                   "rubato traffic default --sweep --requests 500 --plot curves.svg"},
                  {"With 16 requests under way on DDR5:",
                   "rubato traffic default --set memory.device=DDR5_6400_4x8 --outstanding 16 --requests 20000"}},
     .see = "replay config", .chapter = "docs/traffic.md"},
    {.command = "compare",
     .more = "The absolute error is that of a program's time on one system; the relative error that of the change from "
             "the base to another system, which is what an exploration needs.",
     .files = {{"DIR/table.tsv", "program, system, ticks of both runs"}},
     .environment = "XDG_CACHE_HOME TMPDIR",
     .examples = {{"How far replays of your own program are from its detailed runs:",
                   "rubato compare --detailed default wide --traces program.rbt"},
                  {"How far a system is from this host's processor:", "rubato compare --native server -- true"}},
     .see = "replay trace-elastic diff capture", .chapter = "docs/accuracy.md"},
    {.command = "view",
     .more = "All of it also works without a window: as bars or lines of text, and as pictures in files.",
     .files = {SYSTEM_FILES, STORE_FILES},
     .environment = "DISPLAY XDG_CACHE_HOME NO_COLOR",
     .examples = {{"Watch a run, as text:", "rubato view default gem5 --view text"},
                  {"Play a recording, as text:", "rubato view run.rec --view text"},
                  {"Two systems side by side, as a picture of their end:",
                   "rubato view default gem5 --compare wide --frames pictures"}},
     .see = "replay export", .chapter = "docs/view.md"},
    {.command = "export",
     .examples = {{"For a spreadsheet:", "rubato export run.rec --csv run.csv"},
                  {"For Perfetto's viewer:", "rubato export run.rec --perfetto run.perfetto"},
                  {"For DuckDB or pandas:", "rubato export run.rec --parquet run.parquet"}},
     .see = "view replay", .chapter = "docs/python.md"},
    {.command = "regions",
     .more = "Whole intervals of a trace are chosen, each behind a warm-up that is executed and not counted. The file "
             "names the trace, which must not change meanwhile.",
     .examples = {{"Regions of 5,000 instructions of a short program:",
                   "rubato regions program.rbt --interval 5k --warmup 20k -o program.regions"},
                  {"What the whole program would do on a core of today:",
                   "rubato replay core/zen4 program.regions --model detailed"}},
     .see = "replay capture trace-cut", .chapter = "docs/regions.md"},
    {.command = "capture",
     .more = "Threads, shared libraries and signals are followed. System calls of the program go to the kernel of the "
             "host: files and sockets are real.",
     .files = {{"lib/rubato/capture-qemu.so", "The plugin that QEMU loads; beside the program where that was built."}},
     .environment = "PATH QEMU_LD_PREFIX",
     .examples = {{"A program with its arguments:", "rubato capture -o true.rbt -- /bin/true --help"},
                  {"The first 100000 instructions after a million:",
                   "rubato capture --from 1000000 --instructions 100000 -o sort.rbt -- sort words.txt"},
                  {"What it does to memory:", "rubato trace info true.rbt"}},
     .see = "trace-info replay trace-cut", .chapter = "docs/capture.md"},
    {.command = "config",
     .more = "A system file has only what differs from the system that it includes, or from the defaults.",
     .files = {SYSTEM_FILES},
     .examples = {{"What there is:", "rubato config list"},
                  {"A system of your own, from a shipped one:",
                   "rubato config show laptop --set l3.size=24MiB >mine.yaml"},
                  {"What its caches cost at 7 nm, and which are too fast:",
                   "rubato config show laptop --set technology=7nm --cost"},
                  {"All keys of the DRAM controller:", "rubato config keys | grep memory.controller"}},
     .see = "replay sweep traffic", .chapter = "docs/systems.md"},
    {.command = "plugin",
     .more = "No shell takes part: the compiler is started directly, and its messages are shown as they are. A module "
             "is loaded once it is built, so that an error of the linker shows at once.",
     .files = {{"include/rubato_policy.h", "The interface of modules: beside the program, or in ../include from where "
                                           "it is installed."}},
     .environment = "PATH",
     .examples = {{"A prefetcher of your own:", "rubato plugin build next_line.c -o next_line.so"},
                  {"Its parameters and statistics:", "rubato plugin show ./next_line.so"},
                  {"A run with it:", "rubato replay default gem5 --set l2.prefetcher=./next_line.so "
                                     "--set l2.prefetcher.module.degree=2"},
                  {"Does it answer as in a run before?",
                   "rubato replay default gem5 --set l2.prefetcher=./next_line.so --module-log calls.log\n"
                   "rubato plugin test ./next_line.so calls.log"}},
     .see = "replay sweep config", .chapter = "docs/extending.md"},
    {.command = "measure",
     .more = "Passes are shorter than a slice of the scheduler, pinned to a core, and lie between two measurements of "
             "its clock; the least that a second round confirms counts.",
     .files = {SYSTEM_FILES},
     .environment = "TMPDIR",
     .examples = {{"A first look at this host, in seconds:",
                   "rubato measure --seconds 2 --memory 16MiB -o machine.yaml"},
                  {"What was found, with all defaults:", "rubato config show machine.yaml"}},
     .see = "replay config compare", .chapter = "docs/measure.md"},
    {.command = "trace",
     .more = "Instruction traces are .rbt files, drmemtrace folders, or files of ChampSim, lackey, din, pinatrace, "
             "Ramulator, DRAMsim3, STL and Prospero. The format of a file is found by its content.",
     .examples = {{"What is in a trace:", "rubato trace info gem5"}},
     .see = "trace-info trace-dump trace-build trace-cut trace-pack trace-convert trace-elastic trace-group "
            "trace-verify capture replay",
     .chapter = "docs/formats.md"},
    {.command = "trace info",
     .examples = {{"An elastic trace, and a picture of its miss rates:", "rubato trace info gem5 --svg misses.svg"},
                  {"An instruction trace:", "rubato trace info program.rbt"},
                  {"GPU kernels, for a program:", "rubato trace info kernels --json"}},
     .see = "trace-dump trace replay", .chapter = "docs/formats.md"},
    {.command = "trace dump",
     .examples = {{"The first ten records:", "rubato trace dump gem5/deptrace.proto.gz --records :10"},
                  {"As gem5's script prints it:", "rubato trace dump gem5/deptrace.proto.gz --gem5 --records :10"},
                  {"Instructions 1000 to 1009:", "rubato trace dump program.rbt --records 1000:1010"}},
     .see = "trace-build trace-info", .chapter = "docs/formats.md"},
    {.command = "trace build",
     .examples = {{"There and back:", "rubato trace dump gem5/deptrace.proto.gz >records.txt &&\n"
                                      "rubato trace build records.txt -o again.proto.gz"}},
     .see = "trace-dump trace-cut", .chapter = "docs/formats.md"},
    {.command = "trace cut",
     .examples = {{"Records 5000 to 24999 of an elastic trace:", "rubato trace cut gem5 --records 5000:25000 -o part"},
                  {"The first 10000 instructions of each thread:",
                   "rubato trace cut program.rbt --records :10000 -o head.rbt"}},
     .see = "trace-info trace-pack", .chapter = "docs/formats.md"},
    {.command = "trace pack",
     .examples = {{"An elastic trace as one file:", "rubato trace pack gem5 -o program.pack"},
                  {"With what replays on the detailed core's window need:",
                   "rubato trace pack gem5 --model window -o window.pack"},
                  {"GPU kernels as one file:", "rubato trace pack kernels -o kernels.pack"},
                  {"Check it:", "rubato trace verify program.pack"}},
     .see = "trace-verify replay", .chapter = "docs/formats.md"},
    {.command = "trace convert",
     .examples = {{"An instruction trace for gem5's TraceCPU:", "rubato trace convert program.rbt -o elastic"},
                  {"For ChampSim:", "rubato trace convert program.rbt --to champsim -o program.champsim.xz"}},
     .see = "trace-elastic trace-info", .chapter = "docs/instructions.md"},
    {.command = "trace elastic",
     .more = "Unlike `rubato trace convert`, which takes delays from a table, this runs a core, so that delays are "
             "those of its pipeline, with branches that it predicted wrongly.",
     .examples = {{"Make one and replay it:", "rubato trace elastic wide program.rbt -o probed &&\n"
                                              "rubato replay wide probed"}},
     .see = "trace-convert replay compare", .chapter = "docs/detailed-core.md"},
    {.command = "trace group",
     .environment = "TMPDIR",
     .examples = {{"Raw kernels, once for all replays:", "rubato trace group kernels -o grouped"}},
     .see = "trace-pack trace-info", .chapter = "docs/gpu.md"},
    {.command = "trace verify",
     .examples = {{"An instruction trace to its end, with all checksums:", "rubato trace verify program.rbt"}},
     .see = "trace-pack trace-cut", .chapter = "docs/formats.md"}
};

const char *help_variable(const char *name)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (strcmp(variables[i].what, name) == 0)
            return variables[i].text;
    return NULL;
}

const struct help_page *help_page_of(const char *synopsis)
{
    const struct help_page *best = &pages[0];
    const char *const words = synopsis + strcspn(synopsis, " ") + (strchr(synopsis, ' ') != NULL);

    for (size_t i = 1; i < sizeof pages / sizeof pages[0]; i++) {
        size_t const length = strlen(pages[i].command);
        bool const begins = strncmp(words, pages[i].command, length) == 0 && strchr(" \n", words[length]);

        if (begins && length > strlen(best->command))
            best = &pages[i];
    }
    return best;
}
