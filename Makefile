# rubato: GNU make. `make help` lists the goals.
#
# Every .c of proto/, memsys/, replay/, sweep/ goes into librubato.a, every .c of cli/ into the command, every tests/unit/test_*.c is a
# program of its own: new files join by themselves. Variants (SANITIZE=1, another CC) build into folders of their own.

# A comma, for arguments of functions.
, := ,

CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
SANITIZE ?=
WERROR ?=
DEBUG ?=

BUILD ?= build$(if $(SANITIZE),/sanitize)$(if $(DEBUG),/debug)$(if $(filter-out gcc,$(CC)),/$(notdir $(CC)))
# The plain build puts the command and the oracle comparison where people look for them.
RUBATO := $(if $(filter build,$(BUILD)),rubato,$(BUILD)/rubato)
ORACLE := $(if $(filter build,$(BUILD)),tests/oracle,$(BUILD)/tests/oracle)
GPU_COUNTS := $(if $(filter build,$(BUILD)),tests/gpu-counts,$(BUILD)/tests/gpu-counts)
GPU_TIMING := $(if $(filter build,$(BUILD)),tests/gpu-timing,$(BUILD)/tests/gpu-timing)
MACSIM_FACTS := $(if $(filter build,$(BUILD)),tests/macsim-facts,$(BUILD)/tests/macsim-facts)

SHARED ?= ../shared
MODEL ?= $(SHARED)/refmodel
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
SEEDS ?= 1:200

MODEL_FOLDERS := proto memsys replay sweep
# What decides the result of a replay; of sweep/ the file that starts one.
MODEL_SOURCES := $(sort $(wildcard $(patsubst %,%/*.[ch],proto memsys replay) proto/*.proto sweep/run_point.[ch]))
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla $(if $(WERROR),-Werror)
# Records and nodes are written field by field and read back field by field soon after: pairs of stores merged into vectors
# would have to wait for each other.
OPTIMISE := $(if $(DEBUG),-O0,-O3 -fno-tree-slp-vectorize)
# gcc optimises the command as one piece when it links; test programs link the same objects without that, in less time.
WHOLE := $(if $(DEBUG)$(SANITIZE)$(filter-out gcc,$(notdir $(CC))),,-flto=auto -ffat-lto-objects)
SEPARATE := $(if $(WHOLE),-fno-lto)
# gcc's release is built twice: a first build replays bundled traces and counts what is executed how often; the second is laid
# out by these counts, but for sources that were changed since. They are taken once, and again after `make clean`. PROFILE= does
# without.
PROFILE ?= $(if $(WHOLE),1)
PROFILED := $(if $(PROFILE),$(BUILD)/counted)
COUNTING := -fprofile-generate -fprofile-update=prefer-atomic
# What a replay executes again and again is as large as the host's instruction cache: no gaps for alignment, and functions in
# the order of the sources, so that those of one path are neighbours, not in the order in which the training first came by.
DENSE := -fno-align-loops -fno-align-jumps -fno-align-labels -falign-functions=16 -fno-profile-reorder-functions
# A miss comes by all of memsys/ and begins anew with the next: no copies of loop bodies, or of what follows a branch.
COMPACT := -fno-tracer -fno-unroll-loops -fno-peel-loops
BY_COUNTS := $(if $(PROFILE),-fprofile-use -fprofile-partial-training $(DENSE) -Wno-missing-profile -Wno-coverage-mismatch)
LAID_OUT = $(BY_COUNTS) $(if $(PROFILE),$(if $(filter memsys/%,$<),$(COMPACT)))
SANITIZERS := $(if $(SANITIZE),-fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
# Constant tables are found at fixed addresses: a program that may be loaded anywhere needs 2 to 4 % more instructions.
FIXED := $(if $(SANITIZE)$(filter-out Linux,$(shell uname -s)),,1)
CPPFLAGS += -I. -I$(BUILD)/gen $(if $(DEBUG)$(SANITIZE),-DCHECK_HOT_PATHS)
CFLAGS += -std=c17 -g $(OPTIMISE) $(if $(FIXED),-fno-pie) $(SANITIZERS)
LDFLAGS += $(SANITIZERS) $(if $(FIXED),-no-pie) -pthread

LIBRARIES := libprotobuf-c zlib liblzma yaml-0.1 jansson sqlite3
CPPFLAGS += $(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null)
# The live view, if its headers are there: SDL2 and SDL2_ttf are loaded when needed, libpng is linked; SDL= builds without.
SDL ?= $(shell pkg-config --exists sdl2 SDL2_ttf libpng 2>/dev/null && echo 1)
CPPFLAGS += $(if $(SDL),-DRUBATO_SDL $(patsubst -I%,-isystem %,$(shell pkg-config --cflags sdl2 SDL2_ttf libpng 2>/dev/null)))
# A shared library costs a short run more than all that is in these, so their archives are linked where there are any;
# STATIC= takes the shared ones.
STATIC ?= $(if $(SANITIZE),,1)
archive = $(shell $(CC) -print-file-name=$(1:-l%=lib%.a))
LDLIBS += $(foreach flag,$(shell pkg-config --libs $(if $(SDL),libpng) $(LIBRARIES) 2>/dev/null), \
    $(if $(and $(STATIC),$(filter -l%,$(flag)),$(wildcard $(call archive,$(flag)))),$(flag:-l%=-l:lib%.a),$(flag))) -lm
# The faster inflater, if it is there, is loaded when needed; ISAL= builds without it.
ISAL ?= $(shell pkg-config --exists libisal 2>/dev/null && echo 1)
CPPFLAGS += $(if $(ISAL),-DRUBATO_ISAL $(shell pkg-config --cflags libisal 2>/dev/null))
LDLIBS += $(if $(ISAL)$(SDL),-ldl)
# Shared memory, in older C libraries.
LDLIBS += -lrt
CMOCKA = $(shell pkg-config --libs cmocka 2>/dev/null)
# In tests only: SHA-256.
CRYPTO = $(shell pkg-config --libs libcrypto 2>/dev/null)

PROTOS := $(wildcard proto/*.proto)
GENERATED := $(PROTOS:%.proto=$(BUILD)/gen/%.pb-c.c)
DIGEST := $(BUILD)/gen/cli/model_digest.h
MODEL_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(MODEL_FOLDERS:%=%/*.c))) $(GENERATED:.c=.o)
CLI_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cli/*.c viz/*.c)) $(if $(SDL),$(BUILD)/viz/font/font.o)
SUPPORT_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))
UNIT_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))
ORACLE_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/oracle*.c))
GPU_COUNTS_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/gpu_counts*.c))
MACSIM_FACTS_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/macsim_facts*.c))
GPU_TIMING_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/gpu_timing*.c))
TOOL_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/tools/*.c))
LIBRARY := $(BUILD)/librubato.a
# The command without its main, for tests of what stands in cli/.
CLI_LIBRARY := $(BUILD)/libcli.a

# Objects of a time without counts, or of a first build that broke off, would be taken for the second's; so would the command.
$(if $(and $(PROFILE),$(filter-out help clean setup packages,$(or $(MAKECMDGOALS),all))),$(if $(wildcard $(PROFILED)),,\
    $(shell rm -f $(RUBATO) $(CLI_OBJECTS) $(MODEL_OBJECTS))))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE all debug help setup demo check tests bench bench-baseline bench-check bench-policies bench-samples bench-sweep bench-view fuzz \
    golden differential logs oracle oracle-viewed readme scale clean packages

all: $(RUBATO)

help:
	@echo 'make               build ./rubato, laid out by a profile of the bundled traces; PROFILE= builds in half the time'
	@echo 'make demo          install what is missing, build, replay a bundled trace'
	@echo 'make check         install what is missing, build, run all tests'
	@echo 'make setup         install what is missing (Debian, Ubuntu)'
	@echo 'make debug         build/debug/rubato; SANITIZE=1 with any goal: AddressSanitizer and UBSan'
	@echo 'make bench         ten programs against gem5 by the yardstick of zcat, GPUs beside Accel-Sim; RUNS=7; $(BUILD)/bench.json'
	@echo 'make bench-check   instructions a record against tests/bench_baseline.tsv; make bench-baseline writes that'
	@echo 'make bench-samples  what --record and --publish cost a run: instructions and time of each program'
	@echo 'make bench-view    what a window costs the run that it shows: instructions and time of its thread'
	@echo 'make bench-policies  what each prefetcher and replacement policy does to each program'
	@echo 'make bench-sweep   two cores against one on the bundled sweep'
	@echo 'make fuzz          fuzz the readers, FUZZ_SECONDS=$(FUZZ_SECONDS) a target'
	@echo 'make scale         memory and time at 1 and 100 million records, one and eight cores; takes minutes, 3 GB of disk'
	@echo "make oracle        compare with gem5's runs in $(SHARED); GPUs: tests/gpu-counts, tests/gpu-timing"
	@echo 'make oracle-viewed  ten of them while somebody watches'
	@echo 'make differential  random systems against the model, MODEL=$(MODEL) SEEDS=$(SEEDS)'
	@echo 'make logs          the same with the event logs, and three reference cases'
	@echo "make readme        the README's outputs and picture again"
	@echo 'make golden        make the kept results of tests/golden again, MODEL=$(MODEL)'
	@echo 'make golden-frames  draw the pictures of tests/golden/frames again: look at them before they are committed'

debug:
	$(MAKE) DEBUG=1 all

# --- what people build -----------------------------------------------------------------------------------------------

# The command looks for shipped systems beside itself. The linker writes it in small pieces, as which the host keeps it and
# maps it; a copy is written in large ones, with which it starts in 6 % less time.
$(RUBATO): $(CLI_OBJECTS) $(MODEL_OBJECTS)
	$(CC) $(CFLAGS) $(WHOLE) $(BY_COUNTS) $(LDFLAGS) -o $(BUILD)/linked $^ $(LDLIBS)
	@cp $(BUILD)/linked $@.new && mv $@.new $@ && rm $(BUILD)/linked
	@$(if $(filter rubato,$@),,ln -sfn $(CURDIR)/configs $(@D)/configs)

$(LIBRARY): $(MODEL_OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

$(CLI_LIBRARY): $(filter-out $(BUILD)/cli/main.o,$(CLI_OBJECTS))
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h: %.proto | packages
	@mkdir -p $(BUILD)/gen
	protoc-c --c_out=$(BUILD)/gen $<

# The same sources give the same digest on any host; sweeps know results by it. Asked every time, written when it changes.
$(DIGEST): FORCE
	@mkdir -p $(@D)
	@for file in $(MODEL_SOURCES); do echo $$file; cat $$file; done | sha256sum | \
	    sed 's/^\(................\).*/#define RUBATO_MODEL_DIGEST "\1"/' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c | $(PROFILED)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Tests need no speed of their own.
$(BUILD)/tests/%.o: CFLAGS := $(filter-out -O3,$(CFLAGS)) $(if $(DEBUG),,-O1)
$(BUILD)/tests/%.o: WHOLE :=

$(BUILD)/%.o: %.c | packages $(GENERATED:.c=.h) $(DIGEST) $(PROFILED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(WHOLE) $$([ $(@:.o=.gcda) -nt $< ] && echo '$(LAID_OUT)') -MMD -MP -c -o $@ $<

$(BUILD)/viz/font/font.o: viz/font/font.S $(wildcard viz/font/*.ttf) | $(PROFILED)
	@mkdir -p $(@D)
	$(CC) -c -o $@ $<

# Both builds must name their objects alike: the counts of a function are found by the name of its object.
$(BUILD)/counted: | packages $(GENERATED) $(GENERATED:.c=.h) $(DIGEST)
	$(MAKE) PROFILE= WHOLE= OPTIMISE='$(OPTIMISE) $(COUNTING)' RUBATO=$(BUILD)/rubato-counting $(BUILD)/rubato-counting
	RUBATO='$(abspath $(BUILD)/rubato-counting)' tests/support/train.sh
	rm -f $(CLI_OBJECTS) $(MODEL_OBJECTS)
	touch $@

packages:
	@pkg-config --exists $(LIBRARIES) && command -v protoc-c >/dev/null || \
	    { echo 'rubato needs protoc-c and the libraries $(LIBRARIES); `make setup` installs them' >&2; exit 1; }

# --- tests -----------------------------------------------------------------------------------------------------------

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(SUPPORT_OBJECTS) $(CLI_LIBRARY) $(LIBRARY)
	$(CC) $(CFLAGS) $(SEPARATE) $(LDFLAGS) -o $@ $^ $(CMOCKA) $(LDLIBS)

$(BUILD)/tests/tools/%: $(BUILD)/tests/tools/%.o $(LIBRARY)
	$(CC) $(CFLAGS) $(SEPARATE) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(ORACLE): $(ORACLE_OBJECTS) $(SUPPORT_OBJECTS) $(CLI_LIBRARY) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SEPARATE) $(LDFLAGS) -o $@ $^ $(CMOCKA) $(LDLIBS)

$(GPU_COUNTS): $(GPU_COUNTS_OBJECTS) $(CLI_LIBRARY) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SEPARATE) $(LDFLAGS) -o $@ $^ $(CRYPTO) $(LDLIBS)

$(GPU_TIMING): $(GPU_TIMING_OBJECTS) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SEPARATE) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(MACSIM_FACTS): $(MACSIM_FACTS_OBJECTS) $(CLI_LIBRARY) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SEPARATE) $(LDFLAGS) -o $@ $^ $(LDLIBS)

tests: $(UNIT_PROGRAMS) $(TOOL_PROGRAMS) $(if $(ORACLE_OBJECTS),$(ORACLE)) $(GPU_COUNTS) $(GPU_TIMING) $(MACSIM_FACTS)

TEST_ENVIRONMENT = BUILD='$(BUILD)' RUBATO='$(abspath $(RUBATO))' ORACLE='$(abspath $(ORACLE))' \
    GPU_COUNTS='$(abspath $(GPU_COUNTS))' GPU_TIMING='$(abspath $(GPU_TIMING))' \
    MACSIM_FACTS='$(abspath $(MACSIM_FACTS))' \
    SHARED='$(SHARED)' MODEL='$(MODEL)' SEEDS='$(SEEDS)' FUZZ_SECONDS='$(FUZZ_SECONDS)' CC='$(CC)'

# Set-up first, then a fresh make: pkg-config's answers change with it.
setup:
	.ci/setup

demo: setup
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@$(TEST_ENVIRONMENT) tests/demo.sh

check: setup
	@$(MAKE) --no-print-directory -j$(JOBS) all tests
	@$(TEST_ENVIRONMENT) tests/run.sh

bench: all $(TOOL_PROGRAMS)
	@$(TEST_ENVIRONMENT) tests/bench.sh --json $(BUILD)/bench.json
	@for part in $(wildcard tests/bench_first.sh tests/bench_traffic.sh); do $(TEST_ENVIRONMENT) $$part || exit 1; done

bench-check: all
	@$(TEST_ENVIRONMENT) tests/bench_check.sh

bench-baseline: all
	@$(TEST_ENVIRONMENT) tests/bench_check.sh --write

bench-samples: all $(TOOL_PROGRAMS)
	@$(TEST_ENVIRONMENT) tests/bench_samples.sh

bench-view: all $(TOOL_PROGRAMS)
	@$(TEST_ENVIRONMENT) tests/bench_view.sh

bench-policies: all
	@$(TEST_ENVIRONMENT) tests/bench_policies.sh

bench-sweep: all
	@$(TEST_ENVIRONMENT) tests/bench_sweep.sh

fuzz:
	@$(TEST_ENVIRONMENT) tests/fuzz.sh

scale: all $(TOOL_PROGRAMS)
	@$(TEST_ENVIRONMENT) tests/memory.sh --time 1000000 100000000; code=$$?; \
	    $(TEST_ENVIRONMENT) tests/eight_cores.sh && exit $$code

oracle: all tests
	@$(ORACLE) $(SHARED)/oracle/elastic $(SHARED)/traces/elastic
	@rm -rf $(BUILD)/oracle-stores
	@$(ORACLE) --cache $(BUILD)/oracle-stores $(SHARED)/oracle/elastic $(SHARED)/traces/elastic

oracle-viewed: all tests
	@$(TEST_ENVIRONMENT) tests/cli/oracle_viewed.sh all

differential: all tests
	@$(TEST_ENVIRONMENT) tests/differential.sh

logs: all tests
	@$(TEST_ENVIRONMENT) tests/differential.sh --log
	@$(TEST_ENVIRONMENT) tests/logs.sh

golden:
	@$(TEST_ENVIRONMENT) tests/golden/make.sh

.PHONY: golden-frames
golden-frames: all
	@$(TEST_ENVIRONMENT) bash tests/cli/frames.sh write

readme: all
	@$(TEST_ENVIRONMENT) bash tests/cli/readme.sh write

clean:
	rm -rf build rubato tests/oracle tests/gpu-counts tests/gpu-timing tests/macsim-facts

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
