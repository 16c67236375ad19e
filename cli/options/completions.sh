#!/usr/bin/env bash
# completions.sh RUBATO FOLDER: writes completions for bash, zsh and fish into the folder, of what the command says of itself:
# `--help=table` (help.h), `config list` and `config keys`.
set -eu -o pipefail
rubato=$1
folder=$2
mkdir -p "$folder"

members() { "$rubato" $1 --help=table | awk -F '\t' '$1 == "member" { print $2 }'; }
{
    "$rubato" --help=table
    for command in $(members ''); do
        "$rubato" "$command" --help=table
        [ "$command" != trace ] || for below in $(members trace); do "$rubato" trace "$below" --help=table; done
    done
    "$rubato" config list | awk 'NR > 1 { print "system\t" $1 }'
    "$rubato" config keys | awk '
        /^DRAM devices/ { in_devices = 1; next }
        in_devices { devices = devices " " $1; next }
        /^  [A-Za-z]/ {
            words = match($0, /\[[^][]*\]$/) ? substr($0, RSTART + 1, RLENGTH - 2) : $2 == "yes/no" ? "yes, no" : ""
            gsub(/,/, "", words)
            print "key\t" $1 "\t" words
            if (sub(/\.type$/, "", $1)) print "key\t" $1 "\t" words
        }
        END { print "key\tmemory.device\t" substr(devices, 2) }'
} >"$folder/table.new"

# All three begin by reading the table: groups, members, options and operands by command, systems, keys.
read_table='
    function quoted(text) { gsub(/\x27/, "\x27\\\x27\x27", text); return "\x27" text "\x27" }
    BEGIN { FS = "\t" }
    $1 == "group" { group = $2 == "rubato" ? "" : substr($2, 8) }
    $1 == "member" { names[group] = names[group] (names[group] ? " " : "") $2; summary[group, $2] = $3 }
    $1 == "command" { command = $2; commands[++command_count] = $2 }
    $1 == "option" {
        n = ++option_count[command]
        option[command, n] = $2; argument[command, n] = $3; kind[command, n] = $4; words[command, n] = $5; help[command, n] = $6
    }
    $1 == "operand" {
        place = $2
        if (place > operand_count[command]) operand_count[command] = place
        if (index(operand_kinds[command, place] " ", $3 " ") == 0)
            operand_kinds[command, place] = operand_kinds[command, place] (operand_kinds[command, place] ? " " : "") $3
        if ($4 && index(" " operand_words[command, place] " ", " " $4 " ") == 0)
            operand_words[command, place] = operand_words[command, place] (operand_words[command, place] ? " " : "") $4
    }
    $1 == "system" { systems = systems (systems ? " " : "") $2 }
    $1 == "key" && !($2 in key_words) { keys[++key_count] = $2; key_words[$2] = $3 }
    $1 == "key" && $3 { key_words[$2] = $3 }
    # Keys that take the same words, as PATTERN) lines of a case.
    function cases(    i, list, lists, at) {
        for (i = 1; i <= key_count; i++) if (key_words[keys[i]]) {
            list = key_words[keys[i]]
            if (!(list in of_list)) order[++lists] = list
            of_list[list] = of_list[list] (of_list[list] ? separator : "") keys[i]
        }
        for (at = 1; at <= lists; at++) printf case_form, of_list[order[at]], order[at]
    }
    function letter(name) { return name == "output" ? "o" : name == "jobs" ? "j" : "" }
    function all_keys(    i, text) { for (i = 1; i <= key_count; i++) text = text (i > 1 ? " " : "") keys[i]; return text }
'

awk "$read_table"'
END {
    separator = "|"; case_form = "        %s) echo \x27%s\x27 ;;\n"
    print "# Completion of rubato for bash. Made by `make completions`; source it, or put it into /etc/bash_completion.d."
    print "_rubato_systems=" quoted(systems)
    print "_rubato_keys=" quoted(all_keys())
    print "_rubato_words_of_key() {\n    case $1 in"; cases(); print "    esac\n}"
    print "# Names of options, or of commands below."
    print "_rubato_names() {\n    case $1 in"
    print "        \x27\x27) echo " quoted(names[""] " help --help --version") " ;;\n        trace) echo " quoted(names["trace"] " --help") " ;;"
    for (c = 1; c <= command_count; c++) {
        text = ""
        for (n = 1; n <= option_count[commands[c]]; n++) text = text "--" option[commands[c], n] " "
        printf "        %s) echo %s ;;\n", quoted(commands[c]), quoted(text "--help")
    }
    print "    esac\n}"
    print "# KIND WORDS of what an option takes, or of the operand at a place: \"replay --engine\", \"replay 1\"."
    print "_rubato_takes() {\n    case $1 in"
    for (c = 1; c <= command_count; c++) {
        name = commands[c]
        for (n = 1; n <= option_count[name]; n++) if (kind[name, n] != "-") {
            patterns = quoted(name " --" option[name, n])
            if (letter(option[name, n])) patterns = patterns "|" quoted(name " -" letter(option[name, n]))
            printf "        %s) echo %s ;;\n", patterns, quoted((argument[name, n] ~ /^\[/ ? "=" : "") kind[name, n] " " words[name, n])
        }
        for (n = 1; n <= operand_count[name]; n++)
            printf "        %s) echo %s ;;\n", quoted(name " " n) (n == operand_count[name] ? "|" quoted(name " ") "*[0-9]" : ""), quoted(operand_kinds[name, n] " " operand_words[name, n])
    }
    print "    esac\n}"
    while ((getline line < body) > 0) print line
}' body="$(dirname "$0")/rubato.bash.in" "$folder/table.new" >"$folder/rubato.bash"

awk "$read_table"'
function escaped(text) { gsub(/:/, "\\:", text); gsub(/\[/, "\\[", text); gsub(/\]/, "\\]", text); gsub(/\x27/, "\x27\\\x27\x27", text); return text }
function action(kinds, list) {
    if (kinds ~ /setting/) return "_rubato_setting"
    if (kinds ~ /system/) return "_rubato_system"
    if (kinds ~ /words/) return "(" list ")"
    if (kinds ~ /folder/) return "_files -/"
    if (kinds ~ /file/) return "_files"
    if (kinds ~ /command/) return "_command_names -e"
    return " "
}
function describe(group, into,    parts, count, i) {
    count = split(names[group], parts, " ")
    printf "    %s=(\n", into
    for (i = 1; i <= count; i++) printf "        \x27%s:%s\x27\n", parts[i], escaped(summary[group, parts[i]])
    print "    )"
}
END {
    separator = "|"; case_form = "        (%s) compadd -- %s ;;\n"
    print "#compdef rubato\n# Completion of rubato for zsh. Made by `make completions`; put it into a folder of $fpath."
    print "_rubato_system() {\n    compadd -- " systems "\n    _files -g \x27*.y(a|)ml\x27\n}"
    print "_rubato_setting() {\n    if ! compset -P 1 \x27*=\x27; then\n        compadd -S = -- " all_keys() "\n        return\n    fi"
    print "    case ${IPREFIX%=} in"; cases(); print "    esac\n}"
    print "_rubato() {\n    local curcontext=$curcontext state line name\n    local -a list arguments"
    print "    if (( CURRENT == 2 )); then"; describe("", "list")
    print "        list+=(\x27help:list the commands\x27)\n        _describe command list\n        compadd -- --help --version\n        return\n    fi"
    print "    name=$words[2]\n    if [[ $name == trace ]]; then\n        if (( CURRENT == 3 )); then"; describe("trace", "list")
    print "            _describe command list\n            return\n        fi\n        name=\"trace $words[3]\"\n        shift words\n        (( CURRENT-- ))\n    fi"
    print "    shift words\n    (( CURRENT-- ))\n    case $name in"
    for (c = 1; c <= command_count; c++) {
        name = commands[c]
        printf "        (%s) arguments=(\n", quoted(name)
        for (n = 1; n <= option_count[name]; n++) {
            text = "[" escaped(help[name, n]) "]"
            star = help[name, n] ~ /repeated/ ? "*" : ""
            takes = kind[name, n] == "-" ? "" : (argument[name, n] ~ /^\[/ ? "::" : ":") escaped(argument[name, n]) ":" action(kind[name, n], words[name, n])
            equals = kind[name, n] == "-" ? "" : argument[name, n] ~ /^\[/ ? "=-" : "="
            printf "            \x27%s--%s%s%s%s\x27\n", star, option[name, n], equals, text, takes
            if (letter(option[name, n])) printf "            \x27-%s+%s%s\x27\n", letter(option[name, n]), text, takes
        }
        print "            \x27--help[print the options]\x27"
        for (n = 1; n <= operand_count[name]; n++)
            printf "            \x27%s:%s:%s\x27\n", n == operand_count[name] ? "*" : n, "operand", action(operand_kinds[name, n], operand_words[name, n])
        print "        ) ;;"
    }
    print "    esac\n    _arguments -s -S $arguments\n}\n_rubato \"$@\""
}' "$folder/table.new" >"$folder/_rubato"

awk "$read_table"'
function first(text) { sub(/[;,(].*/, "", text); return text }
function taken(kinds, list) {
    if (kinds ~ /setting/) return " -x -a \x27(__rubato_settings)\x27"
    if (kinds ~ /system/) return " -r -F -a " quoted(systems)
    if (kinds ~ /words/) return " -x -a " quoted(list)
    if (kinds ~ /folder/) return " -x -a \x27(__fish_complete_directories)\x27"
    if (kinds ~ /file/) return " -r -F"
    return " -x"
}
END {
    separator = " "; case_form = "        case %s\n            printf \x27%%s\\n\x27 (string split \x27 \x27 -- \x27%s\x27)\n"
    print "# Completion of rubato for fish. Made by `make completions`; put it into a folder of $fish_complete_path."
    print "function __rubato_words_of_key\n    switch $argv[1]"; cases(); print "    end\nend"
    print "function __rubato_settings\n    set -l word (commandline -ct | string replace -r \x27^--?[a-z-]+=\x27 \x27\x27)"
    print "    set -l key (string split -m 1 = -- $word)[1]"
    print "    if string match -q \x27*=*\x27 -- $word\n        for value in (__rubato_words_of_key $key)\n            echo $key=$value\n        end"
    print "    else\n        printf \x27%s=\\n\x27 (string split \x27 \x27 -- " quoted(all_keys()) ")\n    end\nend"
    print "# The command of the line is the one that is named, and the operand under the cursor has that place; 0: any."
    print "function __rubato_is\n    set -l line (commandline -opc)[2..]\n    set -l name $line[1]\n    set -l from 2"
    print "    if test \"$name\" = trace\n        set name \"trace $line[2]\"\n        set from 3\n    end"
    print "    test \"$name\" = \"$argv[1]\"; or return 1\n    test $argv[2] = 0; and return 0"
    print "    set -l operands (string match -v -- \x27-*\x27 $line[$from..])\n    set -l place (math (count $operands) + 1)"
    print "    test $place = $argv[2]; or test $place -gt $argv[2] -a \"$argv[3]\" = last\nend"
    print "complete -c rubato -f"
    count = split(names[""], parts, " ")
    for (i = 1; i <= count; i++) printf "complete -c rubato -n __fish_use_subcommand -a %s -d %s\n", parts[i], quoted(summary["", parts[i]])
    print "complete -c rubato -n __fish_use_subcommand -l version -d \x27print the version\x27"
    print "complete -c rubato -l help -d \x27print the options\x27"
    count = split(names["trace"], parts, " ")
    for (i = 1; i <= count; i++)
        printf "complete -c rubato -n \x27test (count (commandline -opc)) = 2; and __fish_seen_subcommand_from trace\x27 -a %s -d %s\n", parts[i], quoted(summary["trace", parts[i]])
    for (c = 1; c <= command_count; c++) {
        name = commands[c]
        for (n = 1; n <= option_count[name]; n++)
            printf "complete -c rubato -n \x27__rubato_is \"%s\" 0\x27%s -l %s%s -d %s\n", name, letter(option[name, n]) ? " -s " letter(option[name, n]) : "", option[name, n], kind[name, n] == "-" || argument[name, n] ~ /^\[/ ? "" : taken(kind[name, n], words[name, n]), quoted(first(help[name, n]))
        for (n = 1; n <= operand_count[name]; n++) {
            text = taken(operand_kinds[name, n], operand_words[name, n])
            sub(/ -r/, "", text); sub(/ -x/, "", text)
            if (text) printf "complete -c rubato -n \x27__rubato_is \"%s\" %d%s\x27%s\n", name, n, n == operand_count[name] ? " last" : "", text
        }
    }
}' "$folder/table.new" >"$folder/rubato.fish"
rm "$folder/table.new"
