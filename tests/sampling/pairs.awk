# Table and bounds of sampling.sh, from a line a pair: name, system, then by whole run and sample CPI, L1D, L2 and last-level misses, GB/s;
# half-width of the interval of CPI; seconds of both. Pairs of a program follow each other, the first system first.
function size(x) { return x < 0 ? -x : x }
function off(sampled, whole) { return 100 * (sampled / whole - 1) }
# In percent where misses are common, else as of one in 1,000 instructions.
function misses(sampled, whole) { return 100 * (sampled - whole) / (whole > 1 ? whole : 1) }
function bound(name, fits, text) {
    if (fits) passed++; else failed++
    print (fits ? "ok " : "not ok ") name ": " text
}
BEGIN { print "program\tsystem\tCPI\tsampled\terror %\tinterval %\tholds\tL1D %\tL2 %\tLLC %\tGB/s %\tspeed-up" }
{
    error = off($4, $3); interval = 100 * $13 / $3
    seconds = $15 > 0 ? $15 : 0.001
    holds = size($4 - $3) <= $13
    printf("%s\t%s\t%.4f\t%.4f\t%+.2f\t%.2f\t%s\t%+.1f\t%+.1f\t%+.1f\t%+.1f\t%.0f\n", $1, $2, $3, $4, error, interval, holds ? "yes" : "no",
        misses($6, $5), misses($8, $7), misses($10, $9), ($11 > 0 ? off($12, $11) : 0), $14 / seconds)
    sum += size(error); inside += holds; n++
    speed_up += log($14 / seconds)
    if (size(error) > size(worst)) { worst = error; worst_name = $1 " on " $2 }
    if ($1 != program) { program = $1; base_whole = $3; base_sampled = $4 }
    else { change += size(off($4 / base_sampled, $3 / base_whole)); changes++ }
}
END {
    print ""
    if (n < pairs) { failed++; print "not ok pairs: " n + 0 " of " pairs }
    if (!n) { print passed + 0 " passed, " failed + 0 " failed"; exit 1 }
    bound("mean error of CPI", sum / n <= 1, sprintf("%.2f %% of %d, at most 1", sum / n, n))
    bound("worst error of CPI", size(worst) <= 3, sprintf("%+.2f %%, %s, at most 3", worst, worst_name))
    bound("truth inside the interval", inside >= 0.9 * n, sprintf("%d of %d, at least 90 %%", inside, n))
    if (changes) bound("change from the first system", change / changes <= 0.5, sprintf("%.2f %% off in the mean of %d, at most 0.5", change / changes, changes))
    bound("speed-up", exp(speed_up / n) >= 200, sprintf("%.0f, geometric mean, at least 200", exp(speed_up / n)))
    print passed + 0 " passed, " failed + 0 " failed"
    exit failed > 0
}
