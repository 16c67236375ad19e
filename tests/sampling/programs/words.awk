{ for (i=1;i<=NF;i++) { n[$i]++; l[length($i)]++ } if ($0 ~ /ca(che|ll).*[a-f]+_/) m++; gsub(/[aeiou]+/, "x"); s+=length($0) }
END { for (w in n) { k++; if (n[w]>9) c++ }; print k, c, m, s }
