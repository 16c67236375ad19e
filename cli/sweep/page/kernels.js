// Kernels of GPUs, of the chosen points: a roofline of warp instructions, and a table. report_kernels.c has the fields.
const kernelSets = raw.kernels.map(set => ({point: points[set.point], roofs: set.roofs, kernels: set.kernels.map(
    ([number, name, seconds, insts, l2, dram, cycles, occupancy, bound]) => ({number, name, seconds, insts, l2, dram, cycles, occupancy, bound}))}));
const chosenKernels = () => kernelSets.filter(set => state.chosen.includes(set.point));
const levels = [["DRAM", "dram", 2], ["the L2", "l2", 1]];
function rooflineChart(into) {
    let level = levels.find(([, bytes]) => kernelSets.some(set => set.kernels.some(k => k[bytes] > 0))) || levels[0];
    const made = card(into, "Roofline of the kernels of the chosen points", 420, [select("traffic of", levels.map(l => [l[0], l]), level, chosen => {
        level = chosen;
        draw();
    })]);
    const numbers = el("div", {id: "kernels", class: "pan"}), most = 200;
    into.append(numbers);
    // [10^9 warp instructions a second] at so many of them a byte, under the roof of a system
    const under = (roofs, at) => Math.min(roofs[0], at * roofs[level[2]]);
    const rate = kernel => kernel.insts / kernel.seconds * 1e-9, intensity = kernel => kernel.insts / kernel[level[1]];
    function draw() {
        const sets = chosenKernels(), [, bytes, roof] = level, dots = sets.map(set => set.kernels.filter(k => k[bytes] > 0 && k.insts > 0 && k.seconds > 0));
        const ridges = sets.map(set => set.roofs[0] / set.roofs[roof]), all = [...dots.flat().map(intensity), ...ridges];
        const ends = all.length ? [Math.min(...all) / 4, Math.max(...all) * 4] : [0.01, 1];
        const left = sets.flatMap(set => set.kernels).length - dots.flat().length;
        made.note.textContent = !sets.length ? "No point with kernels of a GPU is chosen." : "Each dot is a kernel; its roof is what the system can do at "
            + "that many warp instructions a byte: bytes that " + level[0] + " can move, to the left of the ridge, and instructions that the schedulers can "
            + "issue, to the right of it." + (left ? " " + left + " kernels without such traffic are left out." : "");
        made.set({
            grid: {left: 80, right: 30, top: 40, bottom: 55}, legend: {top: 0, data: sets.map(set => pointName(set.point))},
            xAxis: {type: "log", min: ends[0], max: ends[1], name: "warp instructions a byte of " + level[0], nameLocation: "middle", nameGap: 34,
                axisLabel: {formatter: value => show(value, 2)}},
            yAxis: {type: "log", name: "10\u2079 warp instructions a second", nameLocation: "middle", nameGap: 55, axisLabel: {formatter: value => show(value, 2)}},
            tooltip: tooltip(({data}) => data.kernel && [pointName(data.set.point) + " kernel " + data.kernel.number + " " + data.kernel.name,
                show(rate(data.kernel)) + " \u00d7 10\u2079 warp instructions a second, " + show(100 * rate(data.kernel) / under(data.set.roofs, data.value[0]), 3)
                + " % of the roof", show(data.kernel[bytes] / data.kernel.seconds * 1e-9) + " GB/s of " + level[0], "bound by " + data.kernel.bound].join("\n")),
            series: sets.flatMap((set, i) => [
                {type: "line", name: pointName(set.point), symbol: "none", silent: true, lineStyle: {width: 1.5, color: colours[i % colours.length]},
                    itemStyle: {color: colours[i % colours.length]}, data: [ends[0], ridges[i], ends[1]].map(at => [at, under(set.roofs, at)])},
                {type: "scatter", name: pointName(set.point), symbol: symbols[i % symbols.length], symbolSize: 9, itemStyle: {color: colours[i % colours.length],
                    opacity: 0.8}, data: dots[i].map(kernel => ({value: [intensity(kernel), rate(kernel)], kernel, set}))}])});
        made.rows = () => [["point", "kernel", "name", "seconds", "warp instructions", "L2 bytes", "DRAM bytes", "cycles", "occupancy", "bound"]]
            .concat(sets.flatMap(set => set.kernels.map(k => [set.point.number, k.number, k.name, k.seconds, k.insts, k.l2, k.dram, k.cycles, k.occupancy, k.bound])));
        table(sets);
    }
    function table(sets) {
        const list = sets.flatMap(set => set.kernels.map(k => [set, k])).sort((a, b) => b[1].seconds - a[1].seconds).slice(0, most);
        const share = (bytes, seconds, peak) => peak > 0 ? show(bytes / seconds / peak * 1e-7, 3) : "\u2013";
        numbers.replaceChildren(...(list.length ? [el("table", {}, el("tr", {}, ["point", "kernel", "name", "\u00b5s", "cycles", "IPC", "L2 MB", "of peak, %",
            "DRAM MB", "of peak, %", "occupancy, %", "bound"].map(text => el("th", {}, text))), list.map(([set, k]) => el("tr", {}, [pointName(set.point), k.number,
            k.name, show(k.seconds * 1e6), k.cycles, show(k.insts / k.cycles, 3), show(k.l2 * 1e-6), share(k.l2, k.seconds, set.roofs[1]), show(k.dram * 1e-6),
            share(k.dram, k.seconds, set.roofs[2]), show(100 * k.occupancy, 3), k.bound].map(cell => el("td", {}, String(cell))))))] : []));
    }
    on("chosen", draw);
    on("colours", draw);
    draw();
    return made;
}
