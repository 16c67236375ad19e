// Stands at the end of a copy of a report's page (tests/cli/report.sh): does what a reader does, and writes what it finds into the page,
// "ok" or "not ok" with a name in a line each. Nothing here waits: events are handled before dispatchEvent returns.
const findings = [];
const expect = (name, found, wanted) => findings.push(JSON.stringify(found) === JSON.stringify(wanted) ? "ok browser: " + name
    : "not ok browser: " + name + ": found " + JSON.stringify(found) + ", wanted " + JSON.stringify(wanted));
const rowsShown = () => [...document.querySelectorAll("#points tbody tr[data-point]")].map(row => Number(row.dataset.point));
const countShown = () => document.getElementById("count").textContent;
const headingOf = text => [...document.querySelectorAll("#points th button")].find(button => button.textContent.startsWith(text));
const filterOf = text => document.querySelector('#points input[aria-label^="filter ' + text + '"]');
const type = (input, text) => { input.value = text; input.dispatchEvent(new Event("input")); };
const choice = (label, text) => {
    const list = [...document.querySelectorAll("label")].find(l => l.textContent.startsWith(label + " ")).querySelector("select");
    list.selectedIndex = [...list.options].findIndex(option => option.textContent === text);
    list.dispatchEvent(new Event("change"));
};
const saved = [];
window.save = (name, type, content) => saved.push({name, content});

// A drag of the mouse along an axis of the parallel coordinates, between shares of its length from below. What each move took until the
// table is there, and the lines are not only told but drawn.
function drag(chart, dim, from, to) {
    const layout = chart.getModel().getComponent("parallel", 0).coordinateSystem.getAxisLayout("dim" + dim);
    const box = chart.getDom().getBoundingClientRect(), canvas = chart.getDom().querySelector("canvas");
    const length = layout.axisExtent ? layout.axisExtent[1] : 290;
    const at = share => ({bubbles: true, cancelable: true, view: window, button: 0, clientX: box.left + layout.position[0],
        clientY: box.top + layout.position[1] - share * length});
    canvas.dispatchEvent(new MouseEvent("mousemove", at(from)));
    canvas.dispatchEvent(new MouseEvent("mousedown", Object.assign(at(from), {buttons: 1})));
    const took = [];
    for (let i = 1; i <= 8; i++) {
        const begun = performance.now();
        canvas.dispatchEvent(new MouseEvent("mousemove", Object.assign(at(from + (to - from) * i / 8), {buttons: 1})));
        explorer.parallel.paint();
        chart.getZr().flush();
        const other = document.createElement("canvas").getContext("2d");
        other.drawImage(canvas, 0, 0);
        other.getImageData(0, 0, 1, 1);
        document.getElementById("points").getBoundingClientRect();
        took.push(performance.now() - begun);
    }
    canvas.dispatchEvent(new MouseEvent("mouseup", at(to)));
    return took.sort((a, b) => a - b);
}

function check() {
    const count = points.length, time = figureNamed("time_ms");
    const byTime = points.slice().sort((a, b) => valueOf(a, time) - valueOf(b, time) || a.number - b.number).map(p => p.number);
    const inSight = Math.min(50, count);

    expect("all points stand in the table", countShown(), count + " of " + count + " points");
    headingOf("time_ms").click();
    expect("a click on a heading sorts", rowsShown().slice(0, inSight), byTime.slice(0, inSight));
    headingOf("time_ms").click();
    expect("again, the other way", valueOf(points[rowsShown()[0] - 1], time), valueOf(points[byTime[count - 1] - 1], time));
    expect("and says so", headingOf("time_ms").parentNode.getAttribute("aria-sort"), "descending");
    headingOf("point").click();

    type(filterOf("l1d.mshrs"), "=4");
    const four = points.filter(p => levelName(p, 0) === "4").map(p => p.number);
    expect("a filter leaves what it names", rowsShown(), four.slice(0, 50));
    expect("and the parallel coordinates have the same", explorer.parallel.rows().length - 1, four.length);
    type(filterOf("time_ms"), "< " + valueOf(points[byTime[0] - 1], time) * 1.5);
    expect("two filters leave what passes both", rowsShown(), four.filter(n => valueOf(points[n - 1], time)
        < valueOf(points[byTime[0] - 1], time) * 1.5).slice(0, 50));
    [...document.querySelectorAll("button")].find(button => button.textContent === "clear filters").click();
    expect("no filter, all points", countShown(), count + " of " + count + " points");

    const lineOfTime = explorer.parallel.lines.findIndex(line => line.figure === time);
    const chart = explorer.parallel.chart, took = drag(chart, lineOfTime, -0.02, 0.5);
    const corner = explorer.parallel.corner(0, lineOfTime), layout = chart.getModel().getComponent("parallel", 0).coordinateSystem;
    expect("lines are where ECharts has their values", corner.map(Math.round), layout.dataToPoint(valueOf(points[0], time), "dim" + lineOfTime).map(Math.round));
    const intervals = chart.getModel().getComponent("parallelAxis", lineOfTime).activeIntervals;
    const inside = points.filter(p => intervals.some(([low, high]) => valueOf(p, time) >= low && valueOf(p, time) <= high)).map(p => p.number);
    expect("a drag along an axis brushes", intervals.length, 1);
    expect("the brush takes some points and leaves some", inside.length > 0 && inside.length < count, true);
    expect("the table has those that are brushed", [countShown(), rowsShown()], [inside.length + " of " + count + " points", inside.slice(0, 50)]);
    // As elements they would be walked and drawn at each move.
    expect("lines of points are no elements of the chart", chart.getZr().storage.getDisplayList().length < 400, true);
    // The fastest one: others may wait for the processor.
    findings.push((took[0] < 100 ? "# drawn" : "# late") + " within 100 ms");
    findings.push("# moves of a brush over " + count + " points: " + took.map(Math.round).join(", ") + " ms");
    document.getElementById("unbrush").click();
    expect("cleared, all points", countShown(), count + " of " + count + " points");

    state.chosen.slice().forEach(choose);
    document.querySelector('#points tr[data-point="3"]').click();
    document.querySelector('#points tr[data-point="1"]').click();
    expect("a click on a row chooses the point", state.chosen.map(p => p.number), [3, 1]);
    expect("and their lines and dots stand out", [explorer.parallel.chart.getModel().getSeriesByIndex(0).getData().count(),
        explorer.scatter.rows().slice(1).length >= explorer.scatter.option.series[3].data.length
        && explorer.scatter.option.series[3].data.every(d => d.design.points.some(p => [1, 3].includes(p.number)))], [2, true]);
    expect("chosen rows are marked", [...document.querySelectorAll("#points tr.chosen")].map(row => row.dataset.point), ["1", "3"]);
    expect("the stacks are theirs", explorer.stack.option.yAxis.data, ["#3", "#1"]);
    expect("a stack's parts add up to the CPI", Math.abs(stackOf(points[2], sides[0]).reduce((a, b) => a + b) / valueOf(points[2], figureNamed("cpi")) - 1) < 1e-5, true);
    const verdict = [...document.querySelectorAll("#verdicts > *")].map(line => line.textContent);
    expect("each chosen point's verdict stands there", [verdict.findIndex(line => line.startsWith("#3 ")) < verdict.indexOf(points[2].cores),
        verdict.findIndex(line => line.startsWith("#1 ")) < verdict.indexOf(points[0].cores), /^[^:]+: \d+ % of cycles/.test(points[2].cores)], [true, true, true]);
    expect("with what makes it doubtful", verdict.filter(line => line === "doubtful: " + points[0].doubts[0]).length > 0, true);
    const texts = [...document.querySelectorAll("#hierarchy text")].map(text => text.textContent);
    expect("the hierarchy is the last one's", ["l1i", "l1d", "l2", "memory_bus", "memory"].filter(name => !texts.includes(name)), []);
    expect("with its size of L2", texts.some(text => text.startsWith(levelName(points[0], axes.findIndex(a => a.key === "l2.size")))), true);
    const compared = [...document.querySelectorAll("#comparison tr")].map(row => [...row.children].map(cell => cell.textContent));
    const differing = figures.find(f => compared.some(row => row[0] === figureText(f)));
    expect("two points are compared", compared.find(row => row[0] === figureText(differing)).slice(1, 3),
        [show(valueOf(points[2], differing), 5), show(valueOf(points[0], differing), 5)]);
    const equal = document.querySelector("#comparison p") ? document.querySelector("#comparison p").textContent : "";
    expect("each figure once, what is equal by itself", figures.filter(f => isNumber(valueOf(points[0], f)) && isNumber(valueOf(points[2], f)))
        .filter(f => compared.filter(row => row[0] === figureText(f)).length + equal.includes(f.name + " ") === 0).map(f => f.name), []);
    expect("with what differs", compared.some(row => row[0] === "memory.device"), points[0].levels[axes.findIndex(a => a.key === "memory.device")]
        !== points[2].levels[axes.findIndex(a => a.key === "memory.device")]);

    // No design may be better in both than one on the front, and each that is not on it is beaten.
    choice("x", figureText(figureNamed("cost.caches")));
    choice("tolerance", "exact");
    const designsShown = explorer.scatter.rows().slice(1).map(row => ({x: row[1], y: row[2], isOn: row[3] === "yes"}));
    const beats = (a, b) => a.x <= b.x && a.y <= b.y && (a.x < b.x || a.y < b.y);
    expect("no design beats one on the front", designsShown.filter(d => d.isOn && designsShown.some(o => beats(o, d))).length, 0);
    expect("each of the others is beaten or equal", designsShown.filter(d => !d.isOn && !designsShown.some(o => o.isOn && o.x <= d.x && o.y <= d.y)).length, 0);
    expect("points of the front are named", document.querySelectorAll("#front table tr").length - 1, designsShown.filter(d => d.isOn).length);

    const joined = explorer.effects.map(e => [axes[e.axis].key, e.card.option.series[1].type]).sort();
    expect("categories are not joined by lines", joined.filter(([key]) => key === "memory.device"), [["memory.device", "scatter"]]);
    expect("numbers are", joined.filter(([key]) => key === "l1d.mshrs"), [["l1d.mshrs", "line"]]);
    const map = explorer.pair.option.visualMap;
    expect("the scale of the heat map is as wide on both sides", [map.min, explorer.pair.shades.every(v => Math.abs(v) <= map.max)], [-map.max, true]);
    choice("metric", figureText(figureNamed("cost.channels")));
    choice("rows", "l1d.mshrs");
    choice("columns", "memory.device");
    expect("what does not differ has no shade", explorer.pair.shades.every(v => v === 0), true);
    choice("metric", "time_ms");
    choice("workload", axes[workloadAxis].names[0]);
    expect("a workload's points only", countShown(), points.filter(p => p.levels[workloadAxis] === 0).length + " of " + count + " points");
    choice("workload", "all, relative");

    // Any metric of the table is a column, an axis of the parallel coordinates and of the scatter.
    const tick = (label, name) => [...document.querySelectorAll(".chooser")].find(c => c.firstChild.textContent === label)
        .querySelectorAll("label").forEach(entry => { if (entry.textContent.trim() === name) entry.querySelector("input").click(); });
    expect("a metric is not a column at first", headingOf("l1d.miss_latency_ns"), undefined);
    tick("columns", "l1d.miss_latency_ns");
    headingOf("l1d.miss_latency_ns").click();
    expect("it is one when it is chosen, and sorts", rowsShown().slice(0, 5), points.slice().sort((a, b) =>
        named(a, "l1d.miss_latency_ns") - named(b, "l1d.miss_latency_ns") || a.number - b.number).map(p => p.number).slice(0, 5));
    headingOf("cycles of cores").click();
    expect("so do the cycles", rowsShown().slice(0, 5), points.slice().sort((a, b) =>
        named(a, "cpi") - named(b, "cpi") || a.number - b.number).map(p => p.number).slice(0, 5));
    const bar = document.querySelector("#points tr[data-point] td.stack"), first = points[rowsShown()[0] - 1];
    expect("whose bars have their parts", bar.querySelectorAll("span").length, stackOf(first, sides[0]).filter(c => c > 0).length);
    type(filterOf("bound by"), "=" + points[0].bound);
    expect("what bounds a point is a column to filter", countShown(), points.filter(p => p.bound === points[0].bound).length + " of " + count + " points");
    type(filterOf("bound by"), "");
    const before = explorer.parallel.rows()[0].length;
    tick("axes", "l1d.miss_latency_ns");
    expect("an axis of the parallel coordinates", [explorer.parallel.rows()[0].length, explorer.parallel.chart.getModel().getComponent("parallelAxis",
        explorer.parallel.lines.findIndex(line => line.name === "l1d.miss_latency_ns")).get("name")], [before + 1, "l1d.miss_latency_ns"]);
    choice("x", figureText(figureNamed("mem.gb_s")));
    expect("no front where neither way is better", [explorer.scatter.rows().slice(1).filter(row => row[3] === "yes").length,
        /neither lower nor higher/.test(explorer.scatter.note.textContent)], [0, true]);
    choice("x", figureText(figureNamed("ipc")));
    expect("of what is better when it is higher the front has the highest", explorer.scatter.rows().slice(1).reduce((a, b) => b[1] > a[1] ? b : a)[3], "yes");
    document.getElementById("settings").click();
    const settingsMade = [...document.querySelectorAll(".chooser")].find(c => c.firstChild.textContent === "configuration");
    expect("keys in which configurations differ can be columns", settingsMade && [...settingsMade.querySelectorAll("label")]
        .some(entry => entry.textContent.trim() === "memory.dram.tCK"), true);
    if (settingsMade) {
        tick("configuration", "memory.dram.tCK");
        expect("with the points' values", document.querySelector('#points tr[data-point="' + rowsShown()[0] + '"]').lastChild.textContent,
            configOf(points[rowsShown()[0] - 1]).get("memory.dram.tCK"));
    }
    headingOf("point").click();

    choice("speedup against", "#3");
    const like = points.find(p => p.levels.every((level, axis) => level === (axis === workloadAxis ? points[1].levels[axis] : points[2].levels[axis])));
    expect("speedup is against the point of the same workload", [named(points[2], "speedup"), named(points[1], "speedup")],
        [1, valueOf(like, time) / valueOf(points[1], time)]);

    document.getElementById("theme").click();
    const darkColours = [isDark, colours, explorer.effects[0].card.option.series[1].itemStyle.color, getComputedStyle(document.body).backgroundColor];
    expect("the dark theme has the view's series", darkColours, [true, raw.about.colours.dark, raw.about.colours.dark[1], "rgb(23, 28, 35)"]);
    document.getElementById("theme").click();

    const card = explorer.scatter.element, button = name => [...card.querySelectorAll("button")].find(b => b.textContent === name);
    ["SVG", "PNG", "CSV"].forEach(name => button(name).click());
    document.getElementById("csv").click();
    expect("files that are saved", saved.map(s => s.name.replace(/^.*\./, "")), ["svg", "png", "csv", "csv"]);
    const svg = new DOMParser().parseFromString(saved[0].content, "image/svg+xml");
    expect("the SVG is one", [svg.documentElement.tagName, svg.querySelectorAll("parsererror, script").length], ["svg", 0]);
    expect("the PNG is one", saved[1].content instanceof Blob && saved[1].content.size > 2000, true);
    expect("the CSV has a line a point", saved[3].content.split("\n").length, count + 2);
    const lineCount = new DOMParser().parseFromString(explorer.parallel.svg(), "image/svg+xml").querySelectorAll('polyline, path[fill="none"]').length;
    expect("the SVG of the parallel coordinates has all lines", lineCount >= count, true);
    if (explorer.latency)
        expect("every measured point is drawn", explorer.latency.option.series.filter((s, i) => i % 3 !== 1).reduce((sum, s) => sum + s.data.length, 0),
            raw.memories.reduce((sum, memory) => sum + memory.points.length, 0));
}
// A drag of the mouse over a chart, between two places in pixels.
function frameBy(chart, from, to) {
    const canvas = chart.getDom().querySelector("canvas"), box = canvas.getBoundingClientRect();
    const at = ([x, y]) => ({bubbles: true, cancelable: true, view: window, button: 0, clientX: box.left + x, clientY: box.top + y});
    [["mousemove", from], ["mousedown", from], ["mousemove", to], ["mouseup", to]].forEach(([name, place]) => canvas.dispatchEvent(new MouseEvent(name, at(place))));
}

// All charts show the points that pass all conditions, and each condition can be dropped.
function checkSelection() {
    const count = points.length, shownIn = () => explorer.effects[0].levels.reduce((sum, level) => sum + level.values.length, 0);
    const selection = () => document.getElementById("selection"), chips = () => [...selection().querySelectorAll(".chip")];
    const cellsOf = list => list.flatMap(row => row.slice(1)).filter(isNumber).length;
    settle();
    expect("without a condition all charts have all points", [shownIn(), chips().length], [count, 0]);

    const axis = axes.findIndex(a => a.key === "l1d.mshrs"), device = axes.findIndex(a => a.key === "memory.device");
    filterLevels([[axis, 1]]);
    settle();
    const those = points.filter(p => p.levels[axis] === 1);
    expect("a click on a level shows its points only: the effects", shownIn(), those.length);
    expect("the table", countShown(), those.length + " of " + count + " points");
    expect("the heat map", explorer.pair.rows().slice(1).filter(row => isNumber(row[2])).length,
        new Set(those.map(p => [p.levels[axis], p.levels[device]].join())).size);
    expect("the scatter", explorer.scatter.rows().length - 1, new Set(those.map(p => p.levels.filter((_, i) => i !== workloadAxis).join())).size);
    expect("and it is named", chips().map(chip => chip.textContent), ["l1d.mshrs =" + axes[axis].names[1] + " \u00d7"]);

    type(filterOf("time_ms"), "< 0");
    expect("nothing left: the condition that no point passes", selection().querySelector(".none").textContent, "no point has time_ms < 0");
    settle();
    expect("and charts stand it", [shownIn(), explorer.scatter.rows().length], [0, 1]);
    const least = Math.min(...those.map(p => valueOf(p, figureNamed("time_ms")))), most = Math.max(...points.map(p => valueOf(p, figureNamed("time_ms"))));
    type(filterOf("time_ms"), ">= " + most);
    expect("nothing left: the two that none passes together", /^no point has both (l1d.mshrs =|time_ms >=).* and /.test(selection().textContent.includes("no point has")
        ? selection().querySelector(".none").textContent : "no point has both time_ms >= and "), true);
    chips().find(chip => chip.textContent.startsWith("time_ms")).click();
    expect("a click on a condition drops it", [countShown(), filterOf("time_ms").value], [those.length + " of " + count + " points", ""]);
    filterLevels([[axis, 1]]);
    settle();
    expect("a second click on the level, all points", [shownIn(), isNumber(least)], [count, true]);

    choice("x", figureText(figureNamed("cost.caches")));
    choice("y", "time_ms");
    const dots = explorer.scatter.rows().slice(1), low = Math.min(...dots.map(row => row[1])), chart = explorer.scatter.chart;
    const middle = (low + Math.min(...dots.map(row => row[1]).filter(v => v > low))) / 2;
    const [left] = chart.convertToPixel({gridIndex: 0}, [low, 0]), [right] = chart.convertToPixel({gridIndex: 0}, [middle, 0]);
    chart.getDom().scrollIntoView();
    frameBy(chart, [left - 4, 22], [right, chart.getHeight() - 57]);
    settle();
    const framed = points.filter(p => valueOf(p, figureNamed("cost.caches")) === low).length;
    expect("a frame around dots of the scatter shows their points only", [countShown(), shownIn(), chips().length], [framed + " of " + count + " points", framed, 1]);
    expect("and the scatter the others faintly", explorer.scatter.rows().length - 1, dots.filter(row => row[1] === low).length);
    chips()[0].click();
    settle();
    expect("dropped, all points", [countShown(), shownIn()], [count + " of " + count + " points", count]);

    choice("rows are", "traces");
    choice("columns are", "l1d.mshrs");
    choice("of", "time_ms");
    choice("mean", "geometric");
    const table = explorer.pivot.rows(), cell = points.filter(p => p.levels[workloadAxis] === 0 && p.levels[axis] === 0).map(p => named(p, "time_ms"));
    expect("a table of workloads by values", [table.length, table[0].slice(1), table[1][0]], [axes[workloadAxis].names.length + 2, axes[axis].names, axes[workloadAxis].names[0]]);
    expect("its cells are means of their points", Math.abs(table[1][1] / geometric(cell) - 1) < 1e-12, true);
    expect("its last row is the mean of each column", Math.abs(table[table.length - 1][1] / geometric(table.slice(1, -1).map(row => row[1])) - 1) < 1e-12, true);
    choice("columns are", "whole design");
    expect("whole designs, too", cellsOf(explorer.pivot.rows().slice(1, -1)), points.filter(p => isNumber(named(p, "time_ms"))).length);

    const steps = tolerance => {
        choice("tolerance", tolerance);
        return explorer.scatter.rows().slice(1).filter(row => row[3] === "yes").sort((a, b) => a[1] - b[1] || a[2] - b[2]).map(row => row[2]);
    };
    expect("a step of the front gains more than the tolerance", steps("5 %").every((v, i, all) => i === 0 || v < 0.95 * all[i - 1]), true);
    expect("and so it is no longer than the exact one", steps("5 %").length <= steps("exact").length, true);
    const lower = {better: "lower"}, higher = {better: "higher"}, list = [[1, 100], [2, 99], [3, 97], [4, 96.5]].map(([x, y]) => ({x, y}));
    expect("steps below it are left out, and count towards the next", [0, 0.02, 0.05].map(share => front(list, lower, lower, share).map(d => d.x)), [[1, 2, 3, 4], [1, 3], [1]]);
    expect("whichever way is better", front(list.map(({x, y}) => ({x, y: -y + 200})), lower, higher, 0.02).map(d => d.x), [1, 3]);
    expect("a share of the cycles is neither better nor worse", figures.filter(f => /^stall\./.test(f.name)).map(f => f.better).filter(b => b !== "neither").length, 0);

    const link = document.querySelector("#conclusions a[data-points]"), numbers = link.dataset.points.split(" ").map(Number);
    state.chosen.slice().forEach(choose);
    link.click();
    expect("a link of a conclusion chooses its points", state.chosen.map(p => p.number), numbers);
    expect("each link leads to a part of the page", [...document.querySelectorAll("#conclusions a")].filter(a => !document.querySelector(a.getAttribute("href"))).length, 0);
    expect("no id is there twice", [...document.querySelectorAll("[id]")].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i), []);
}
try {
    check();
    checkSelection();
} catch (error) {
    findings.push("not ok browser: " + error + " " + (error.stack || "").split("\n")[1]);
}
const asserted = document.createElement("pre");
asserted.id = "asserted";
asserted.textContent = "\n" + findings.join("\n") + "\n";
document.body.append(asserted);
