#!/usr/bin/env bash
# Completions of the shells: what `make completions` writes completes commands, options and values, and knows all of them. bash is
# asked as its readline asks; fish and zsh, where they are there, by their own means.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/shell.sh
need_rubato

made=$WORK/completions
check 'make completions' cli/options/completions.sh "$RUBATO" "$made"
check 'three files and nothing else' [ "$(cd "$made" && echo *)" = '_rubato rubato.bash rubato.fish' ]
(cd "$WORK" && mkdir folder && : >folder/file && cp "$OLDPWD/configs/wide.yaml" mine.yaml)

# bash_says WORDS...: what the last word becomes, one a line; "=" is a word, as readline has it.
cat >"$WORK/ask.sh" <<'END'
cd "$1" && source "$2"
COMP_WORDS=(rubato "${@:3}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
_rubato rubato "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
END
bash_says() { bash "$WORK/ask.sh" "$WORK" "$made/rubato.bash" "$@"; }
# completes EXPECTED WORDS...: these, in any order
completes() {
    local expected=$1 found
    shift
    found=$(bash_says "$@" | sort | paste -sd ' ')
    if [ "$found" = "$expected" ]; then ok "bash: rubato $*"; else
        not_ok "bash: rubato $*"
        printf '    expected %s\n    found    %s\n' "$expected" "$found"
    fi
}
completes 'regions replay report results' re
completes 'pack' trace p
completes '--verify --view' replay laptop --v
completes 'plain plain+buses plain+domains plain+dram plain+fills plain+hints plain+hits plain+idle plain+lookahead plain+memo plain+walk' replay --engine pl
completes 'window' replay --model = w
completes 'laptop laptop-tlb' replay lap
completes 'mine.yaml' replay mi
completes 'folder' replay laptop fo
completes 'folder' replay laptop --quiet --stats x.json fo
completes 'l2.prefetcher.degree= l2.prefetcher.distance=' replay --set l2.prefetcher.d
completes 'stream streamer stride' replay --set l2.prefetcher = st
completes 'tree_plru' replay --set l2.replacement = tr
completes 'DDR5_4400_4x8 DDR5_6400_4x8 DDR5_8400_4x8' traffic default --set memory.device = DDR5
completes 'qemu valgrind' capture --with ''
completes 'import keys list show' config ''
completes 'hetero' config show het
completes 'folder' trace pack -o fo
completes '' sweep --jobs ''
completes 'mean worst' search --across ''
completes 'folder' sweep -j 2 fo
completes 'random stream stride' traffic --pattern ''
check 'bash: the completion is installed for rubato' eval "bash -c 'source $made/rubato.bash; complete -p rubato' | grep -q -- '-F _rubato rubato'"

# All commands, and all options of --help; all systems; the policies that config keys has.
lost=
"$RUBATO" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort >"$WORK/commands"
bash_says '' | grep -v -- '^-\|^help$' | sort | diff "$WORK/commands" - >/dev/null || lost+=' commands'
while read -r command; do
    # shellcheck disable=SC2086    # "trace info" is two words
    "$RUBATO" $command --help | sed -nE 's/^  (--[a-z0-9-]+).*/\1/p' | sort >"$WORK/options"
    # shellcheck disable=SC2086
    bash_says $command -- | sort | diff "$WORK/options" - >/dev/null || lost+=" $command"
done < <(grep -v '^trace$' "$WORK/commands"; "$RUBATO" trace --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/trace \1/p')
(cd "$WORK" && rm -r mine.yaml && bash_says replay '') | sort >"$WORK/found"
"$RUBATO" config list | awk 'NR > 1 { print $1 }' | sort | comm -23 - "$WORK/found" | grep -q . && lost+=' systems'
"$RUBATO" config keys | sed -nE 's/^  l1d\.replacement .*\[(.*)\]$/\1/p' | tr -d ' ' | tr , '\n' | sort >"$WORK/policies"
bash_says replay --set l1d.replacement = | sort | diff "$WORK/policies" - >/dev/null || lost+=' policies'
check "bash: all commands, options, systems, policies$lost" [ -z "$lost" ]
# Offered completions are accepted.
for value in $(bash_says replay --engine ''); do
    "$RUBATO" replay default "$TRACES/triad" --engine "$value" --records 100 --quiet || not_ok "replay --engine $value"
done
check 'models are those of cpu.model' [ "$(bash_says replay --model '' | sort | paste -sd ' ')" = "$(bash_says replay --set cpu.model = | sort | paste -sd ' ')" ]

if command -v fish >/dev/null; then
    export HOME=$WORK
    fish_says() { (cd "$WORK" && fish --no-config -c "source $made/rubato.fish; complete -C'$1'" 2>&1 | cut -f 1 | sort | paste -sd ' '); }
    check 'fish: no error in it' eval "fish --no-execute '$made/rubato.fish'"
    check 'fish: commands' [ "$(fish_says 'rubato re')" = 'regions replay report results' ]
    check 'fish: commands of trace' [ "$(fish_says 'rubato trace p')" = pack ]
    check 'fish: options' [ "$(fish_says 'rubato replay laptop --ve')" = --verify ]
    check 'fish: systems' [ "$(fish_says 'rubato replay lap')" = 'laptop laptop-tlb' ]
    check 'fish: values of keys' [ "$(fish_says 'rubato replay --set l2.prefetcher=st')" = 'l2.prefetcher=stream l2.prefetcher=streamer l2.prefetcher=stride' ]
    check 'fish: operands are counted' [ "$(fish_says 'rubato replay laptop fold')" = folder/ ]
else
    skip 'fish (7): not installed'
fi
if command -v zsh >/dev/null; then
    check 'zsh: no error in it' zsh -n "$made/_rubato"
    # A shell in a terminal of its own, whose matches are listed with marks instead of being inserted.
    cat >"$WORK/zsh.zsh" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= ; cd $1; fpath=($2 \$fpath); autoload -Uz compinit; compinit -u -d $1/zcompdump"
zpty -w shell 'zle_highlight=(); bindkey "^I" list-it; setopt no_beep; list-it() { compstate[insert]=; compstate[list]="list force"; _main_complete; print -r; print -rl -- "<<$compstate[nmatches]>>" }; zle -C list-it complete-word list-it; print READY''MARK'
zpty -r -m shell line '*READYMARK*'
zpty -w -n shell "$3"$'\t'
zpty -r -m shell line '*<<[0-9]##>>*' || zpty -r shell line
print -r -- $line
zpty -d shell
END
    # How many matches there are.
    zsh_says() { timeout 20 zsh -f -o extendedglob "$WORK/zsh.zsh" "$WORK" "$made" "$1" 2>/dev/null | sed -n 's/.*<<\([0-9]*\)>>.*/\1/p'; }
    check 'zsh: commands' [ "$(zsh_says 'rubato re')" = 4 ]
    check 'zsh: commands of trace' [ "$(zsh_says 'rubato trace d')" = 1 ]
    check 'zsh: options' [ "$(zsh_says 'rubato replay laptop --v')" = 2 ]
    check 'zsh: values' [ "$(zsh_says 'rubato traffic --pattern st')" = 2 ]
    check 'zsh: values of keys' [ "$(zsh_says 'rubato replay --set l2.prefetcher=st')" = 3 ]
    check 'zsh: systems' [ "$(zsh_says 'rubato replay lap')" = 2 ]
else
    skip 'zsh (7): not installed'
fi
