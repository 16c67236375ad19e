# rubato: GNU make. `make help` lists the goals, which are the lines with "#:" below.
#
# Every .c of base/, proto/, memsys/, replay/, sweep/ goes into librubato.a, every .c of cli/ and viz/ into the command, what
# replay/library/ needs into the public library, every test_*.c of tests/unit/ is a program of its own: new files join by themselves. Each kind of build has a folder of its own: build/,
# build/release/, build/debug/, build/assertions/, build/sanitize/; with another CC they lie in a folder of its name. ./rubato is
# the plain build or the release, whichever was made last.

# A comma, for arguments of functions.
, := ,

CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
RELEASE ?=
SANITIZE ?=
DEBUG ?=
ASSERTIONS ?=
WERROR ?=
V ?=

KINDS := $(RELEASE:%=/release)$(SANITIZE:%=/sanitize)$(DEBUG:%=/debug)$(ASSERTIONS:%=/assertions)
BUILD ?= build$(KINDS)$(if $(filter-out gcc,$(CC)),/$(notdir $(CC)))
# The plain build puts the command and the comparison programs where people look for them.
TOP := $(if $(filter-out build,$(BUILD)),$(BUILD)/)
RUBATO := $(TOP)rubato
ORACLE := $(TOP)tests/oracle
GPU_COUNTS := $(TOP)tests/gpu-counts
INSN_COUNTS := $(TOP)tests/insn-counts
GPU_TIMING := $(TOP)tests/gpu-timing
O3_TIMING := $(TOP)tests/o3-timing
MACSIM_FACTS := $(TOP)tests/macsim-facts

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
# Reference data: beside the repository the whole, otherwise the bundled part, which tests/support/shell.sh unpacks.
SHARED ?= $(or $(wildcard ../shared),build/reference)
MODEL ?= tests/refmodel
FUZZ_SECONDS ?= 60
SEEDS ?= 1:200
TESTS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
# All cores, if the command line has no -j.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif

# One line a file; V=1 shows the commands.
Q := $(if $(V),,@)
say = @$(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),:,printf '%-8s %s\n' '$(1)' '$(2)')

# --- flags -----------------------------------------------------------------------------------------------------------

# Where sanitizers add branches, gcc takes initialised variables for others.
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla $(WERROR:%=-Werror)
WARNINGS += $(if $(SANITIZE),$(if $(filter gcc,$(notdir $(CC))),-Wno-maybe-uninitialized))
# In a release records and nodes are written field by field and read back field by field soon after: pairs of stores merged into
# vectors would have to wait for each other.
OPTIMISE := $(if $(DEBUG),-O0,$(if $(RELEASE),-O3 -fno-tree-slp-vectorize,-O2))
SANITIZERS := $(if $(SANITIZE),-fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
# Constant tables are found at fixed addresses: a program that may be loaded anywhere needs 2 to 4 % more instructions.
FIXED := $(if $(SANITIZE)$(filter-out Linux,$(shell uname -s)),,1)

# gcc's release is built twice: the first build replays bundled traces, captures, and counts what is executed how often, the second is laid out by
# these counts. PHASE is that of the make that runs: "count" in the first. Objects are named alike in both, since the counts of a
# function are found by the name of its object. Counts that are missing or are those of other code end the build.
PHASE ?=
PROFILED := $(if $(and $(RELEASE),$(filter gcc,$(notdir $(CC)))),1)
COUNTING := -fprofile-generate -fprofile-update=prefer-atomic
# What a replay executes again and again is as large as the host's instruction cache: no gaps for alignment, and functions in
# the order of the sources, so that those of one path are neighbours, not in the order in which the training first came by.
DENSE := -fno-align-loops -fno-align-jumps -fno-align-labels -falign-functions=16 -fno-profile-reorder-functions
# A miss comes by all of memsys/ and begins anew with the next: no copies of loop bodies, or of what follows a branch.
COMPACT := -fno-tracer -fno-unroll-loops -fno-peel-loops
BY_COUNTS := -fprofile-use -fprofile-partial-training -Werror=coverage-mismatch -Werror=missing-profile $(DENSE)
LAID_OUT := $(if $(PROFILED),$(if $(PHASE),$(COUNTING),$(BY_COUNTS)))
# It optimises the command as one piece when it links; test programs link the same objects without that, in less time.
WHOLE := $(if $(PROFILED),$(if $(PHASE),,-flto=auto -ffat-lto-objects))
SEPARATE := $(if $(WHOLE),-fno-lto)

LIBRARIES := libprotobuf-c zlib liblzma libzstd yaml-0.1 jansson sqlite3
# The live view, if its headers are there: SDL2 and SDL2_ttf are loaded when needed, libpng is linked; SDL= builds without.
SDL ?= $(shell pkg-config --exists sdl2 SDL2_ttf libpng 2>/dev/null && echo 1)
SDL_FLAGS := $(if $(SDL),-DRUBATO_SDL $(patsubst -I%,-isystem %,$(shell pkg-config --cflags sdl2 SDL2_ttf libpng 2>/dev/null)))
# The faster inflater, if it is there, is loaded when needed; ISAL= builds without it.
ISAL ?= $(shell pkg-config --exists libisal 2>/dev/null && echo 1)
ISAL_FLAGS := $(if $(ISAL),-DRUBATO_ISAL $(shell pkg-config --cflags libisal 2>/dev/null))
# Zip, lz4 and bzip2, likewise; ARCHIVE= builds without.
ARCHIVE ?= $(shell pkg-config --exists libarchive 2>/dev/null && echo 1)
ARCHIVE_FLAGS := $(if $(ARCHIVE),-DRUBATO_ARCHIVE $(shell pkg-config --cflags libarchive 2>/dev/null))
# The decoder of x86, version 4 or later, likewise; ZYDIS= builds without. It has no description for pkg-config everywhere.
ifeq ($(origin ZYDIS),undefined)
ZYDIS := $(shell printf "\043include <Zydis/Zydis.h>\nint v[(ZYDIS_VERSION >> 48) >= 4 ? 1 : -1];" | \
    $(CC) -fsyntax-only -x c - 2>/dev/null && echo 1)
endif
ZYDIS_FLAGS := $(if $(ZYDIS),-DRUBATO_ZYDIS)
# The reader of symbols and DWARF, likewise; DW= builds without.
DW ?= $(shell pkg-config --exists libdw 2>/dev/null && echo 1)
DW_FLAGS := $(if $(DW),-DRUBATO_DW $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libdw 2>/dev/null)))
CHECKS := $(if $(DEBUG)$(SANITIZE)$(ASSERTIONS),-DCHECK_HOT_PATHS)
# Declares the calls of POSIX and GNU for every source.
CPPFLAGS += -D_GNU_SOURCE= -I. -I$(BUILD)/gen $(CHECKS) $(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null) $(SDL_FLAGS) $(ISAL_FLAGS) $(ARCHIVE_FLAGS) \
    $(ZYDIS_FLAGS) $(DW_FLAGS)
CFLAGS += -std=c17 -g $(OPTIMISE) $(if $(FIXED),-fno-pie) $(SANITIZERS)
LDFLAGS += $(SANITIZERS) $(if $(FIXED),-no-pie) -pthread

# A shared library costs a short run more than all that is in these, so their archives are linked where there are any;
# STATIC= takes the shared ones.
STATIC ?= $(if $(SANITIZE),,1)
archive = $(shell $(CC) -print-file-name=$(1:-l%=lib%.a))
linked = $(if $(and $(STATIC),$(filter -l%,$(1)),$(wildcard $(call archive,$(1)))),$(1:-l%=-l:lib%.a),$(1))
LDLIBS += $(foreach flag,$(shell pkg-config --libs $(if $(SDL),libpng) $(LIBRARIES) 2>/dev/null),$(call linked,$(flag)))
# Shared memory is in librt of older C libraries.
LDLIBS += -lm -ldl -lrt
CMOCKA = $(shell pkg-config --libs cmocka 2>/dev/null)
# In tests only: SHA-256.
CRYPTO = $(shell pkg-config --libs libcrypto 2>/dev/null)

# --- files -----------------------------------------------------------------------------------------------------------

MODEL_FOLDERS := base proto memsys replay sweep
COMMAND_FOLDERS := cli viz
# What a captured program's host loads is no part of the command, and has the host's licence: the plugin for QEMU, and
# the tool for Valgrind where that is, of the version whose core the tool was made for; VALGRIND= builds without.
HOSTED := proto/capture/qemu proto/capture/valgrind proto/capture/oclgrind
VALGRIND ?= $(shell [ "$$(uname -m)" = x86_64 ] && grep -qs '"3\.19\.' /usr/include/valgrind/config.h && \
    dirname "$$(ls /usr/lib*/valgrind/libcoregrind-amd64-linux.a /usr/lib/*/valgrind/libcoregrind-amd64-linux.a 2>/dev/null | head -n 1)")
VALGRIND_FILES := $(firstword $(wildcard /usr/libexec/valgrind /usr/lib/valgrind /usr/lib/x86_64-linux-gnu/valgrind))
CAPTURE_VALGRIND := $(if $(VALGRIND:.=),$(BUILD)/valgrind/capture-amd64-linux)
CAPTURE_QEMU := $(BUILD)/capture-qemu.so
# The plugin for Oclgrind, of C++, where its headers are and those of the LLVM that it is linked with; OCLGRIND= builds without.
OCLGRIND ?= $(shell [ -f /usr/include/oclgrind/Plugin.h ] && command -v $(CXX) >/dev/null && command -v readelf >/dev/null && \
    for library in /usr/lib*/liboclgrind.so /usr/lib/*/liboclgrind.so; do readelf -d $$library 2>/dev/null; done | \
    sed -n 's/.*libLLVM-\([0-9]*\).*/\1/p' | while read -r llvm; do [ -d /usr/lib/llvm-$$llvm/include/llvm ] && echo $$llvm && break; done)
CAPTURE_OCLGRIND := $(if $(OCLGRIND),$(BUILD)/capture-oclgrind.so)
sources = $(sort $(filter-out $(HOSTED:%=%/%),$(shell find $(1) -name '*.c')))
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
# What decides the result of a replay; of sweep/ the file that starts one.
DECIDING := $(sort $(shell find base proto memsys replay \( -path proto/capture -o -path replay/library \) -prune -o -name '*.[ch]' -print -o \
    -name '*.proto' -print) $(wildcard sweep/run/run_point.[ch]) docs/spec/macsim-enums.tsv proto/macsim/tables.sh)
DIGEST := $(BUILD)/gen/cli/model_digest.h
PROTOS := $(sort $(shell find $(MODEL_FOLDERS) -name '*.proto'))
GENERATED := $(PROTOS:%.proto=$(BUILD)/gen/%.pb-c.c)
GENERATED_HEADERS := $(GENERATED:.c=.h) $(BUILD)/gen/proto/macsim/tables.h
# The command does without what stands before the model for other programs.
PUBLIC_OBJECTS := $(call objects,$(wildcard replay/library/*.c))
MODEL_OBJECTS := $(filter-out $(PUBLIC_OBJECTS),$(call objects,$(call sources,$(MODEL_FOLDERS)))) $(GENERATED:.c=.o)
CLI_OBJECTS := $(call objects,$(call sources,$(COMMAND_FOLDERS))) $(if $(SDL),$(BUILD)/viz/font/font.o) $(BUILD)/cli/sweep/page/assets.o
LIBRARY := $(BUILD)/librubato.a
# The command without its main, for tests of what stands in cli/.
CLI_LIBRARY := $(BUILD)/libcli.a
SUPPORT_OBJECTS := $(call objects,$(wildcard tests/support/*.c))
SUPPORT := $(BUILD)/libsupport.a
UNIT_SOURCES := $(call sources,tests/unit)
UNIT_PROGRAMS := $(patsubst %.c,$(BUILD)/tests/unit/%,$(notdir $(UNIT_SOURCES)))
TOOL_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/tools/*.c))
# What tests put before the C library.
PRELOADED := $(patsubst tests/tools/preload/%.c,$(BUILD)/tests/tools/%.so,$(wildcard tests/tools/preload/*.c))
REFERENCE_OBJECTS := $(call objects,$(wildcard tests/reference/*.c))
TEST_OBJECTS := $(PUBLIC_OBJECTS) $(SUPPORT_OBJECTS) $(call objects,$(UNIT_SOURCES)) $(REFERENCE_OBJECTS) $(TOOL_PROGRAMS:%=%.o)
FLAGS := $(BUILD)/flags$(PHASE:%=.%)
COUNTED := $(if $(PROFILED),$(if $(PHASE),,$(BUILD)/counted))

.DELETE_ON_ERROR:
.SECONDARY: $(TOOL_PROGRAMS:%=%.o)
.PHONY: FORCE all release debug help setup packages install uninstall clean demo check tests unit_programs test_tools fuzz torture
.PHONY: oracle oracle-viewed differential logs golden golden-commands golden-detailed golden-frames golden-report readme

# --- what people build -----------------------------------------------------------------------------------------------

#: make                   build ./rubato; V=1 shows the commands, CC=clang takes another compiler
all: $(RUBATO) $(CAPTURE_QEMU) $(CAPTURE_VALGRIND) $(CAPTURE_OCLGRIND)

#: make release           build ./rubato as fast as it gets: laid out by a profile of the bundled traces, optimised as one piece
release:
	$(Q)$(MAKE) --no-print-directory RELEASE=1 PHASE= all
	$(Q)cmp -s build/release/rubato rubato || { cp build/release/rubato rubato.new && mv rubato.new rubato; }

#: make debug             build/debug/rubato: no optimisation, assertions in hot paths; DEBUG=1 with any goal
debug:
	$(Q)$(MAKE) --no-print-directory DEBUG=1 all

#: make install           release, into PREFIX=/usr/local: command, library, man pages, completions; DESTDIR=DIR goes before it
#: make uninstall         takes out what make install puts there, with the same PREFIX, LIBDIR and DESTDIR
.PHONY: install-here
install:
	$(Q)$(MAKE) --no-print-directory RELEASE=1 PHASE= install-here

# The same of the build that is made.
BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share
INSTALL_FOLDERS = $(addprefix $(PREFIX)/,bin include lib/rubato share/rubato/traces/triad share/man/man1 share/doc/rubato/examples \
    share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d) $(LIBDIR)/pkgconfig
# Those that it makes, each before the one that it lies in: make uninstall takes them out again where nothing is in them.
NEW_FOLDERS = $(SHARE)/rubato/new-folders
INSTALL_FILES = install -m 644
install-here: all library-here man completions
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$(Q)new=$$(for folder in $(INSTALL_FOLDERS); do while [ ! -d "$(DESTDIR)$$folder" ] && [ "$$folder" != / ]; do echo "$$folder"; \
	    folder=$$(dirname "$$folder"); done; done | LC_ALL=C sort -ru); \
	    install -d $(INSTALL_FOLDERS:%=$(DESTDIR)%) && { [ ! "$$new" ] || echo "$$new" >>$(NEW_FOLDERS); }
	$(Q)install -m 755 $(RUBATO) $(BIN)/rubato
	$(Q)install -m 755 $(CAPTURE_QEMU) $(DESTDIR)$(PREFIX)/lib/rubato/ && $(INSTALL_FILES) proto/capture/qemu/LICENSE $(DESTDIR)$(PREFIX)/lib/rubato/
	$(Q)$(if $(CAPTURE_OCLGRIND),install -m 755 $(CAPTURE_OCLGRIND) $(DESTDIR)$(PREFIX)/lib/rubato/)
	$(Q)$(if $(CAPTURE_VALGRIND),cp -RP $(dir $(CAPTURE_VALGRIND)) $(DESTDIR)$(PREFIX)/lib/rubato/)
	$(Q)cp -R configs $(SHARE)/rubato/ && $(INSTALL_FILES) tests/traces/triad/* $(SHARE)/rubato/traces/triad/
	$(Q)$(INSTALL_FILES) docs/stats.schema.json $(SHARE)/rubato/
	$(Q)$(INSTALL_FILES) include/rubato.h include/rubato_policy.h $(DESTDIR)$(PREFIX)/include/
	$(Q)for folder in champsim champsim/inc champsim/inc/lib; do mkdir -p $(DESTDIR)$(PREFIX)/include/$$folder && \
	    $(INSTALL_FILES) include/$$folder/*.h $(DESTDIR)$(PREFIX)/include/$$folder/ || exit 1; done
	$(Q)$(INSTALL_FILES) $(PUBLIC_ARCHIVE) $(DESTDIR)$(LIBDIR)/
	$(Q)install -m 755 $(PUBLIC_SHARED) $(DESTDIR)$(LIBDIR)/
	$(Q)ln -sf $(notdir $(PUBLIC_SHARED)) $(DESTDIR)$(LIBDIR)/$(SONAME) && ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/librubato.so
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|; s|@VERSION@|$(VERSION)|' \
	    -e 's|@LIBRARIES@|$(PUBLIC_LIBRARIES)|' include/rubato.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/rubato.pc
	$(Q)$(INSTALL_FILES) build/man/*.1 $(SHARE)/man/man1/
	$(Q)$(INSTALL_FILES) build/completions/rubato.bash $(SHARE)/bash-completion/completions/rubato
	$(Q)$(INSTALL_FILES) build/completions/_rubato $(SHARE)/zsh/site-functions/
	$(Q)$(INSTALL_FILES) build/completions/rubato.fish $(SHARE)/fish/vendor_completions.d/
	$(Q)$(INSTALL_FILES) LICENSE $(wildcard CHANGELOG.md CITATION.cff cli/sweep/page/LICENSE.* cli/sweep/page/NOTICE.*) $(SHARE)/doc/rubato/
	$(Q)$(INSTALL_FILES) docs/examples/*.c docs/examples/*.cpp $(SHARE)/doc/rubato/examples/

uninstall:
	new=$$(cat $(NEW_FOLDERS) 2>/dev/null); $(MAKE) --no-print-directory uninstall-files && echo "$$new" | while read -r folder; do \
	    [ ! "$$folder" ] || rmdir "$(DESTDIR)$$folder" 2>/dev/null || true; done

.PHONY: uninstall-files
uninstall-files:
	rm -rf $(BIN)/rubato $(SHARE)/rubato $(SHARE)/doc/rubato $(DESTDIR)$(PREFIX)/lib/rubato $(DESTDIR)$(PREFIX)/include/rubato.h \
	    $(DESTDIR)$(PREFIX)/include/rubato_policy.h $(DESTDIR)$(PREFIX)/include/champsim
	rm -f $(DESTDIR)$(LIBDIR)/librubato.a $(DESTDIR)$(LIBDIR)/librubato.so* $(DESTDIR)$(LIBDIR)/pkgconfig/rubato.pc
	rm -f $(SHARE)/man/man1/rubato.1 $(SHARE)/man/man1/rubato-*.1 $(SHARE)/bash-completion/completions/rubato
	rm -f $(SHARE)/zsh/site-functions/_rubato $(SHARE)/fish/vendor_completions.d/rubato.fish

#: make deb               Debian packages of it, in build/deb/
.PHONY: deb
deb:
	$(Q).ci/deb

# Pages are those of the command that is there: where no plain one was built here, that of a release, or of another kind, as it is.
THERE := $(if $(TOP)$(wildcard $(BUILD)/cli/main.o),,$(firstword $(wildcard rubato build/release/rubato build/sanitize/rubato \
    build/assertions/rubato build/debug/rubato build/*/rubato)))
#: make man               build/man/rubato*.1: a man page of the command and of each command below it; of the build that is there
.PHONY: man completions
man: $(if $(THERE),,$(RUBATO))
	$(call say,MAN,build/man)
	$(Q)cli/options/pages.sh '$(abspath $(or $(THERE),$(RUBATO)))' build/man

#: make completions       build/completions/rubato.bash, _rubato (zsh), rubato.fish
completions: $(if $(THERE),,$(RUBATO))
	$(call say,COMPLETE,build/completions)
	$(Q)cli/options/completions.sh '$(abspath $(or $(THERE),$(RUBATO)))' build/completions

#: make setup             install what is missing (Debian, Ubuntu)
setup:
	$(Q).ci/setup

#: make demo              set-up, release, replay of a bundled trace
demo: setup
	$(Q)$(MAKE) --no-print-directory release
	$(Q)$(TEST_ENVIRONMENT) tests/support/demo.sh

#: make check             set-up for tests, build, all tests, or TESTS='unit-* cli-replay'; with any goal: SANITIZE=1, ASSERTIONS=1 in hot paths
check:
	$(Q).ci/setup tests
	$(Q)$(MAKE) --no-print-directory all test_tools $(if $(TESTS),$(if $(filter *% ?% [% u%,$(TESTS)),unit_programs),unit_programs)
	$(Q)$(TEST_ENVIRONMENT) tests/run.sh $(TESTS:%='%')

#: make clean             remove all that was built
clean:
	rm -rf build rubato tests/oracle tests/gpu-counts tests/gpu-timing tests/o3-timing tests/insn-counts \
	    tests/macsim-facts

help:
	@sed -n 's/^#: //p' $(firstword $(MAKEFILE_LIST))

# --- how -------------------------------------------------------------------------------------------------------------

# Commands read their flags and their lists of objects from files, and what is built follows these when they change.
# update FILE: standard input becomes the file, which stays untouched if it is the same.
update = cat >$(1).new; if cmp -s $(1).new $(1); then rm $(1).new; else mv $(1).new $(1); fi

$(FLAGS): FORCE
	@mkdir -p $(@D)
	@echo '$(CPPFLAGS) $(CFLAGS) $(LAID_OUT)' | { $(call update,$@); }

# The command looks for shipped systems beside itself. The linker writes it in small pieces, as which the host keeps it and
# maps it; a copy is written in large ones, with which it starts in 6 % less time.
$(RUBATO): $(CLI_OBJECTS) $(MODEL_OBJECTS)
	$(call say,LINK,$@)
	@printf '%s\n' $^ >$(BUILD)/rubato.objects
	$(Q)$(CC) @$(FLAGS) $(WHOLE) $(LDFLAGS) -o $(BUILD)/linked @$(BUILD)/rubato.objects $(LDLIBS)
	@cp $(BUILD)/linked $@.new && mv $@.new $@ && rm $(BUILD)/linked
	@$(if $(TOP),ln -sfn $(CURDIR)/configs $(@D)/configs)

# Loaded by QEMU, never by the command: none of its flags, no sanitizer.
$(CAPTURE_QEMU): $(wildcard proto/capture/qemu/*.[ch]) proto/capture/ring.h
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -g -O2 $(WARNINGS) -fPIC -shared -fvisibility=hidden -o $@ $(filter %.c,$^) -pthread

# Loaded by Oclgrind, likewise, and the same in every kind of build. What it takes of LLVM and of Oclgrind is there when it is
# loaded; both are built without the types of objects at run time.
build/capture-oclgrind.so: proto/capture/oclgrind/plugin.cc proto/capture/opencl/opencl_ring.h
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -fno-rtti -g1 -O2 -Wall -Wextra $(WERROR:%=-Werror) -isystem /usr/lib/llvm-$(OCLGRIND)/include -fPIC -shared \
	    -fvisibility=hidden -o $@ $<

ifneq ($(BUILD),build)
$(CAPTURE_OCLGRIND): build/capture-oclgrind.so
	@mkdir -p $(@D)
	@cp $< $@
endif

# Started by Valgrind from its folder of files, of which this one has links. It is linked as Valgrind's own tools are:
# with the core and no C library, at an address where no program is; it reads its own debug information, of DWARF 4.
$(CAPTURE_VALGRIND): $(wildcard proto/capture/valgrind/*.[ch]) proto/capture/ring.h
	$(call say,CC,$(@D))
	@mkdir -p $(@D)
	$(Q)ln -sfn $(VALGRIND_FILES)/* $(@D)/
	$(Q)$(CC) -std=c17 -gdwarf-4 -O2 $(WARNINGS) -isystem /usr/include/valgrind -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 \
	    -DVGPV_amd64_linux_vanilla=1 -fno-pie -fno-stack-protector -fno-builtin -fomit-frame-pointer -static \
	    -nodefaultlibs -nostartfiles -u _start -Wl,--build-id=none -Wl,-Ttext-segment=0x58000000 -o $@ $(filter %.c,$^) \
	    $(VALGRIND)/libcoregrind-amd64-linux.a $(VALGRIND)/libvex-amd64-linux.a -lgcc $(VALGRIND)/libgcc-sup-amd64-linux.a

$(LIBRARY): $(MODEL_OBJECTS) $(PUBLIC_OBJECTS)
$(CLI_LIBRARY): $(filter-out $(BUILD)/cli/main.o,$(CLI_OBJECTS))
$(SUPPORT): $(SUPPORT_OBJECTS)
$(LIBRARY) $(CLI_LIBRARY) $(SUPPORT):
	$(call say,AR,$@)
	@printf '%s\n' $^ >$@.objects
	$(Q)rm -f $@ && $(AR) rcs $@ @$@.objects

$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h: %.proto | packages
	$(call say,PROTOC,$<)
	@mkdir -p $(BUILD)/gen
	$(Q)protoc-c --c_out=$(BUILD)/gen $<

# Numbers and names of MacSim's opcodes are the specification's.
$(BUILD)/gen/proto/macsim/tables.h: docs/spec/macsim-enums.tsv proto/macsim/tables.sh
	@mkdir -p $(@D)
	$(Q)proto/macsim/tables.sh $< >$@.new && mv $@.new $@

# The shipped systems as bytes of the program. Asked every time, written when one changes.
SHIPPED := $(BUILD)/gen/replay/config/shipped_files.h
$(SHIPPED): FORCE
	@mkdir -p $(@D)
	@replay/config/shipped_files.sh $(sort $(shell find configs -name '*.yaml' ! -path 'configs/sweep/*')) | { $(call update,$@); }

# The same sources give the same digest on any host; sweeps know results by it. Asked every time, written when it changes.
$(DIGEST): FORCE
	@mkdir -p $(@D)
	@for file in $(DECIDING); do echo $$file; cat $$file; done | sha256sum | \
	    sed 's/^\(................\).*/#define RUBATO_MODEL_DIGEST "\1"/' | { $(call update,$@); }

# Which commit the command is of, if it is one, and which kind of build.
COMMIT := $(BUILD)/gen/cli/commit.h
$(COMMIT): FORCE
	@mkdir -p $(@D)
	@commit=$$(git rev-parse --short=12 HEAD 2>/dev/null) && { git diff --quiet HEAD 2>/dev/null || commit="$$commit with changes"; }; \
	    printf '#define RUBATO_COMMIT "%s"\n#define RUBATO_BUILD "%s"\n' "$$commit" '$(or $(patsubst /%,%,$(subst /, ,$(KINDS))),plain)' | \
	    { $(call update,$@); }

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c $(FLAGS) $(COUNTED)
	$(call say,CC,$<)
	$(Q)$(CC) @$(FLAGS) $(WHOLE) -MMD -MP -c -o $@ $<

$(BUILD)/memsys/%.o: OWN = $(if $(PROFILED),$(if $(PHASE),,$(COMPACT)))
# Tests need no speed of their own.
$(TEST_OBJECTS): OWN = $(if $(LAID_OUT),-fno-profile-use -Wno-error=missing-profile) $(if $(DEBUG),,-O1)
$(TEST_OBJECTS): WHOLE :=

$(BUILD)/%.o: %.c $(FLAGS) $(COUNTED) | packages $(GENERATED_HEADERS) $(SHIPPED) $(DIGEST) $(COMMIT)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) @$(FLAGS) $(WARNINGS) $(WHOLE) $(OWN) -MMD -MP -c -o $@ $<

$(BUILD)/viz/font/font.o: viz/font/font.S $(wildcard viz/font/*.ttf) $(COUNTED)
	$(call say,AS,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -c -o $@ $<

$(BUILD)/cli/sweep/page/assets.o: cli/sweep/page/assets.S $(wildcard cli/sweep/page/*.js cli/sweep/page/*.css) $(COUNTED)
	$(call say,AS,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -c -o $@ $<

# Any change of a source of the command, or of a flag, begins from nothing: the counts are those of exactly this code.
COUNTED_SOURCES := $(shell find $(MODEL_FOLDERS) $(COMMAND_FOLDERS) -path replay/library -prune -o -name '*.[chS]' -o -name '*.proto' -o -name '*.ttf' -o -path '*/page/*.js' -o \
    -name '*.css') docs/spec/macsim-enums.tsv proto/macsim/tables.sh
$(BUILD)/counted: $(COUNTED_SOURCES) $(FLAGS) tests/support/train.sh | packages $(GENERATED) $(GENERATED_HEADERS) $(SHIPPED) $(DIGEST) $(CAPTURE_QEMU)
	@rm -rf $@ $(RUBATO) $(addprefix $(BUILD)/,$(MODEL_FOLDERS) $(COMMAND_FOLDERS))
	@find $(BUILD)/gen -name '*.o' -delete -o -name '*.gcda' -delete
	$(Q)$(MAKE) --no-print-directory PHASE=count RUBATO=$(BUILD)/rubato-counting $(BUILD)/rubato-counting
	$(call say,TRAIN,tests/traces)
	$(Q)RUBATO='$(abspath $(BUILD)/rubato-counting)' tests/support/train.sh
	@rm $(BUILD)/rubato-counting && find $(BUILD) -name '*.o' -delete
	@touch $@

packages:
	@pkg-config --exists $(LIBRARIES) && command -v protoc-c >/dev/null || \
	    { echo 'rubato needs protoc-c and the libraries $(LIBRARIES); `make setup` installs them' >&2; exit 1; }

# --- the public library ----------------------------------------------------------------------------------------------

# The objects of the model once more, for any address, in a folder of their own: as one object, of which include/rubato.h's names alone
# are seen from outside. The release lays them out by the same counts as the command's; other kinds are for tests, and not optimised.
VERSION := $(shell sed -n 's/^.define RUBATO_VERSION_\(MAJOR\|MINOR\|PATCH\) *//p' include/rubato.h | paste -s -d .)
SONAME := librubato.so.$(basename $(VERSION))
PUBLIC := $(BUILD)/library
PUBLIC_ARCHIVE := $(PUBLIC)/librubato.a
PUBLIC_SHARED := $(PUBLIC)/librubato.so.$(VERSION)
PUBLIC_LIBRARIES := zlib liblzma libzstd yaml-0.1 jansson
PUBLIC_LDLIBS := $(shell pkg-config --libs $(PUBLIC_LIBRARIES) 2>/dev/null) -lm -ldl -lrt -pthread
PUBLIC_SOURCES := $(filter-out proto/capture/%,$(call sources,base proto memsys replay))
PUBLIC_OBJECT = $(patsubst %.c,$(PUBLIC)/%.o,$(1))
PUBLIC_MODEL := $(call PUBLIC_OBJECT,$(filter-out replay/library/%,$(PUBLIC_SOURCES)) $(PROTOS:%.proto=gen/%.pb-c.c))
PUBLIC_FLAGS = $(CPPFLAGS) -DRUBATO_LIBRARY $(filter-out -fno-pie,$(CFLAGS)) -fPIC -fvisibility=hidden $(if $(RELEASE),,-O0 -g0)
# The counts of an object have the name of the command's. Those of a function that looks different for any address are left out.
COUNTS_OF = $(if $(COUNTED),-dumpdir $(BUILD)/$(dir $(1)) -dumpbase $(notdir $(1)).c -dumpbase-ext .c \
    $(BY_COUNTS) -Wno-coverage-mismatch -Wno-missing-profile)

$(PUBLIC)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(PUBLIC_FLAGS)' | { $(call update,$@); }

$(BUILD)/gen/replay/config/data_folder.h: FORCE
	@mkdir -p $(@D)
	@echo '#define RUBATO_DATA_FOLDER "$(PREFIX)/share/rubato"' | { $(call update,$@); }

$(PUBLIC)/gen/%.o: $(BUILD)/gen/%.c $(PUBLIC)/flags $(COUNTED)
	$(call say,CC,$< for any address)
	@mkdir -p $(@D)
	$(Q)$(CC) @$(PUBLIC)/flags $(call COUNTS_OF,gen/$*) -MMD -MF $(@:.o=.d) -MP -c -o $@ $<

$(PUBLIC)/memsys/%.o: OWN = $(if $(COUNTED),$(COMPACT))
$(PUBLIC)/%.o: %.c $(PUBLIC)/flags $(COUNTED) | packages $(GENERATED_HEADERS) $(SHIPPED) $(BUILD)/gen/replay/config/data_folder.h
	$(call say,CC,$< for any address)
	@mkdir -p $(@D)
	$(Q)$(CC) @$(PUBLIC)/flags $(WARNINGS) $(if $(filter replay/library/%,$*),,$(call COUNTS_OF,$*)) $(OWN) -MMD -MF $(@:.o=.d) -MP -c -o $@ $<

# Of the model what is needed, and no more.
$(PUBLIC)/rubato.o: $(call PUBLIC_OBJECT,$(filter replay/library/%,$(PUBLIC_SOURCES))) $(PUBLIC_MODEL)
	$(call say,LINK,$@)
	@printf '%s\n' $(PUBLIC_MODEL) >$@.objects
	$(Q)rm -f $@.a && $(AR) rcs $@.a @$@.objects
	$(Q)$(CC) -r -nostdlib -o $@ $(filter-out $(PUBLIC_MODEL),$^) $@.a
	$(Q)$(or $(OBJCOPY),objcopy) --localize-hidden $@ && rm $@.a

$(PUBLIC_ARCHIVE): $(PUBLIC)/rubato.o
	$(Q)rm -f $@ && $(AR) rcs $@ $<

$(PUBLIC_SHARED): $(PUBLIC)/rubato.o
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs -Wl,--as-needed -o $@ $< $(PUBLIC_LDLIBS)

#: make library           build/release/library/: librubato.a and librubato.so, for programs that include/rubato.h is for
.PHONY: library library-here
library:
	$(Q)$(MAKE) --no-print-directory RELEASE=1 PHASE= library-here
library-here: $(PUBLIC_ARCHIVE) $(PUBLIC_SHARED)

# --- test programs ---------------------------------------------------------------------------------------------------

# Archives in the order in which one needs the next.
TEST_ARCHIVES = $(filter $(SUPPORT),$^) $(filter $(CLI_LIBRARY),$^) $(filter $(LIBRARY),$^)
link_test = $(Q)mkdir -p $(@D) && $(CC) @$(FLAGS) $(SEPARATE) $(LDFLAGS) -o $@ $(filter %.o,$^) $(TEST_ARCHIVES)

# tests/unit/ has the folders of the tree, its programs lie side by side.
$(foreach source,$(UNIT_SOURCES),$(eval $(BUILD)/tests/unit/$(notdir $(source:.c=)): $(call objects,$(source))))
$(UNIT_PROGRAMS): $(SUPPORT) $(CLI_LIBRARY) $(LIBRARY)
	$(call say,LINK,$@)
	$(link_test) $(CMOCKA) $(LDLIBS)

$(BUILD)/tests/tools/%: $(BUILD)/tests/tools/%.o $(SUPPORT) $(LIBRARY)
	$(call say,LINK,$@)
	$(link_test) $(LDLIBS)

# Of any build, sanitizers or not: they are loaded before all else.
$(BUILD)/tests/tools/%.so: tests/tools/preload/%.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -g -O1 $(WARNINGS) -fPIC -shared -o $@ $< -ldl

of_reference = $(filter $(BUILD)/tests/reference/$(1)%.o,$(REFERENCE_OBJECTS))
$(ORACLE): $(call of_reference,oracle) $(SUPPORT)
$(GPU_COUNTS): $(call of_reference,gpu_counts)
$(INSN_COUNTS): $(call of_reference,insn_counts)
$(GPU_TIMING): $(call of_reference,gpu_timing)
$(O3_TIMING): $(call of_reference,o3_timing) $(SUPPORT)
$(MACSIM_FACTS): $(call of_reference,macsim_facts)
$(ORACLE) $(GPU_COUNTS) $(INSN_COUNTS) $(GPU_TIMING) $(O3_TIMING) $(MACSIM_FACTS): $(CLI_LIBRARY) $(LIBRARY)
	$(call say,LINK,$@)
	$(link_test) $(if $(filter $(ORACLE),$@),$(CMOCKA)) $(if $(filter $(GPU_COUNTS),$@),$(CRYPTO)) $(LDLIBS)

#: make tests             build the test programs
tests: unit_programs test_tools
unit_programs: $(UNIT_PROGRAMS)
test_tools: $(TOOL_PROGRAMS) $(PRELOADED) $(ORACLE) $(GPU_COUNTS) $(INSN_COUNTS) $(GPU_TIMING) $(O3_TIMING) $(MACSIM_FACTS)

PROGRAMS = RUBATO='$(abspath $(RUBATO))' ORACLE='$(abspath $(ORACLE))' GPU_COUNTS='$(abspath $(GPU_COUNTS))' \
    GPU_TIMING='$(abspath $(GPU_TIMING))' O3_TIMING='$(abspath $(O3_TIMING))' MACSIM_FACTS='$(abspath $(MACSIM_FACTS))' \
    INSN_COUNTS='$(abspath $(INSN_COUNTS))'
TEST_ENVIRONMENT = $(PROGRAMS) BUILD='$(BUILD)' SHARED='$(SHARED)' MODEL='$(MODEL)' SEEDS='$(SEEDS)' \
    FUZZ_SECONDS='$(FUZZ_SECONDS)' CC='$(CC)'

#: make oracle            compare with gem5's runs, the bundled ones or those of SHARED=../shared; GPUs: tests/gpu-counts, tests/gpu-timing
oracle: all tests
	$(Q)$(TEST_ENVIRONMENT) tests/reference/unpack.sh
	$(Q)$(ORACLE) $(SHARED)/oracle/elastic $(SHARED)/traces/elastic
	$(Q)rm -rf $(BUILD)/oracle-stores
	$(Q)$(ORACLE) --cache $(BUILD)/oracle-stores $(SHARED)/oracle/elastic $(SHARED)/traces/elastic

#: make oracle-viewed     ten of them while somebody watches
oracle-viewed: all tests
	$(Q)$(TEST_ENVIRONMENT) tests/cli/oracle_viewed.sh all

#: make silicon           core/zen4 beside a real core: microbenchmarks of SHARED=DIR, that of docs/cores.md
.PHONY: silicon
silicon: all
	$(Q)$(TEST_ENVIRONMENT) tests/silicon $(SHARED)/oracle/silicon/zen4 genoa-measured

#: make published         the other cores beside what is published of them, by the same microbenchmarks, that of docs/cores.md
.PHONY: published
published: all
	$(Q)$(TEST_ENVIRONMENT) tests/published $(SHARED)/oracle/silicon/zen4

#: make differential      random systems against the model, MODEL=tests/refmodel SEEDS=1:200
differential: all tests
	$(Q)$(TEST_ENVIRONMENT) tests/reference/differential.sh

#: make logs              the same with the event logs, and three reference cases
logs: all tests
	$(Q)$(TEST_ENVIRONMENT) tests/reference/differential.sh --log
	$(Q)$(TEST_ENVIRONMENT) tests/reference/logs.sh

#: make fuzz              fuzz the readers and the configuration, FUZZ_SECONDS=60 a target
fuzz:
	$(Q)$(TEST_ENVIRONMENT) tests/fuzz/run.sh

#: make torture           the tests that attack, in their long forms (docs/reliability.md); TORTURE='kills writes', SHARE=0.01 of each
TORTURE ?=
SHARE ?= 1
torture: all tests
	$(Q)$(MAKE) --no-print-directory SANITIZE=1 all tests
	$(Q)$(TEST_ENVIRONMENT) JOBS='$(JOBS)' SHARE='$(SHARE)' tests/torture.sh $(TORTURE:%='%')

#: make golden            make the kept results of tests/golden again, with the model
golden:
	$(Q)$(TEST_ENVIRONMENT) tests/golden/make.sh

#: make golden-detailed   keep the present results of detailed cores on bundled traces in tests/golden/detailed
golden-detailed: all
	$(Q)$(TEST_ENVIRONMENT) tests/golden/detailed.sh --write

#: make golden-commands   keep the present results of memories of DRAM commands in tests/golden/commands
golden-commands: all
	$(Q)$(TEST_ENVIRONMENT) tests/golden/commands.sh --write

#: make golden-frames     draw the pictures of tests/golden/frames again: look at them before they are committed
golden-frames: all
	$(Q)$(TEST_ENVIRONMENT) bash tests/cli/frames.sh write

#: make golden-report     draw the pictures of tests/golden/report again: look at them before they are committed
golden-report: all
	$(Q)$(TEST_ENVIRONMENT) bash tests/cli/report_pictures.sh write

#: make readme            outputs of the README and of docs/, and the picture viz/first-sweep.svg, again
readme: all
	$(Q)$(TEST_ENVIRONMENT) bash tests/cli/readme.sh write

#: make figures           measure docs/figures.tsv and the documents' figures anew, with SHARED=DIR those of the reference, too: FIGURES='gpu o3'
FIGURES ?=
.PHONY: figures
figures: all tests
	$(Q)$(TEST_ENVIRONMENT) bash tests/cli/figures.sh write $(FIGURES)

# --- benchmarks: of the release --------------------------------------------------------------------------------------

#: make bench             ten programs against gem5 by the yardstick of zcat, GPUs beside Accel-Sim; RUNS=7; build/bench.json
#: make bench-check       instructions a record against tests/bench/baseline.tsv; make bench-baseline writes that
#: make bench-samples     what --record and --publish cost a run: instructions and time of each program
#: make bench-view        what a window costs the run that it shows: instructions and time of its thread
#: make bench-policies    what each prefetcher and replacement policy does to each program
#: make bench-conversion  what a capture's conversion costs without QEMU beside it
#: make bench-traffic     requests a second of DRAM alone: gem5's controller, and command by command beside Ramulator 2.1
#: make bench-sweep       two cores against one on the bundled sweep
#: make bench-library     programs with the public library against rubato traffic: within 10 % with the same requests
#: make bench-sampling    instructions a second that replays from regions stand for
#: make scale             memory and time at 1 and 100 million records, one and eight cores; takes minutes, 3 GB of disk
BENCHES := bench bench-check bench-baseline bench-samples bench-view bench-policies bench-sweep bench-conversion bench-library \
    bench-traffic bench-sampling scale
.PHONY: $(BENCHES)
ifeq ($(RELEASE),)
$(BENCHES):
	$(Q)$(MAKE) --no-print-directory RELEASE=1 PHASE= $@
else
$(BENCHES): all $(TOOL_PROGRAMS)
bench:
	@$(TEST_ENVIRONMENT) tests/bench/programs.sh --json build/bench.json
	@$(TEST_ENVIRONMENT) tests/bench/first.sh
	@$(TEST_ENVIRONMENT) tests/bench/packing.sh
	@$(TEST_ENVIRONMENT) tests/bench/traffic.sh
	@$(TEST_ENVIRONMENT) tests/bench/commands.sh
	@$(TEST_ENVIRONMENT) tests/bench/capture.sh
	@$(TEST_ENVIRONMENT) tests/bench/capture_opencl.sh

bench-check:
	@$(TEST_ENVIRONMENT) tests/bench/check.sh

bench-baseline:
	@$(TEST_ENVIRONMENT) tests/bench/check.sh --write

bench-traffic:
	@$(TEST_ENVIRONMENT) tests/bench/traffic.sh
	@$(TEST_ENVIRONMENT) tests/bench/commands.sh

bench-library: library-here
bench-samples bench-view bench-policies bench-sweep bench-conversion bench-library bench-sampling:
	@$(TEST_ENVIRONMENT) tests/bench/$(@:bench-%=%).sh

scale:
	@$(TEST_ENVIRONMENT) tests/bench/memory.sh --time 1000000 100000000; code=$$?; \
	    $(TEST_ENVIRONMENT) tests/bench/eight_cores.sh && exit $$code
endif

DEPENDENCIES := $(MODEL_OBJECTS:.o=.d) $(CLI_OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d) \
    $(patsubst %.o,%.d,$(call PUBLIC_OBJECT,$(PUBLIC_SOURCES)))
-include $(DEPENDENCIES)
