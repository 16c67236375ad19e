#!/usr/bin/env bash
# Chooses reference cases of command-level DRAM from their list: command_cases.sh INDEX.tsv kinds|bundled, a name a line.
# kinds: the shortest case of each kind, standard, scheduler, row policy, refresh, map, defence, front end, number of channels and ranks.
# bundled: of those the ones that no others replace, from the longest down, then the shortest of all others, 64 cases.
set -eu
awk -F '\t' 'NR > 1 { print $14 + $15, $0 }' "$1" | sort -n | cut -d ' ' -f 2- | awk -F '\t' -v want="$2" '
    { keys[NR] = "k" $2 FS "s" $3 FS "sch" $8 $3 FS "row" $9 FS "ref" $10 $3 FS "map" $11 FS "mit" $12 FS "fe" $13 FS "ho" $17 FS "ch" $6 FS "rk" $7
      name[NR] = $1
      n = split(keys[NR], key, FS)
      for (i = 1; i <= n; i++) if (!(key[i] in seen)) { seen[key[i]] = 1; chosen[NR] = 1 }
      if (NR in chosen) for (i = 1; i <= n; i++) covered[key[i]]++ }
    END {
      for (c = NR; want == "bundled" && c > 0; c--) {
          if (!(c in chosen)) continue
          n = split(keys[c], key, FS)
          for (i = 1; i <= n && covered[key[i]] > 1; i++);
          if (i <= n) continue
          delete chosen[c]
          for (i = 1; i <= n; i++) covered[key[i]]--
      }
      for (c in chosen) count++
      for (c = 1; want == "bundled" && c <= NR && count < 64; c++) if (!(c in chosen)) { chosen[c] = 1; count++ }
      for (c = 1; c <= NR; c++) if (c in chosen) print name[c] }'
