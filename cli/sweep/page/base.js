// The page's data, what of it is shown now, and small helpers. Texts go into the page as text only, never as HTML.
const raw = JSON.parse(document.getElementById("data").textContent);
const symbols = ["circle", "rect", "triangle", "diamond", "roundRect", "pin", "arrow", "circle"];
const leastSpan = 0.05;                // of a heat map's scale, on each side of the mean
const noise = 0.01;                    // what differs by less counts as equal, as in the tables of best points

const axes = raw.about.axes;
const workloadAxis = axes.findIndex(axis => axis.workload);
const textOf = index => index < 0 ? "" : raw.texts[index];
const points = raw.points.map((p, index) => (
    {index, number: p[0], state: p[1], config: p[2], levels: p[3], figures: p[4], bound: textOf(p[5][0]), cores: textOf(p[5][1]),
        gpu: textOf(p[5][2]), error: textOf(p[5][3]), doubts: p[5].slice(4).map(textOf)}));
const isNumber = value => typeof value === "number" && isFinite(value);

// Figures that some point has: the one that the report was made for, the metrics, what things cost. better: "lower", "higher", or
// "neither", of what is no aim of its own.
// A share of the cycles is no aim: a faster run has other shares of fewer cycles.
const isShareOfCycles = name => /^(?:stall|slots)\.|^gpu\.(?:stall\.|load_wait$)/.test(name);
const figures = raw.about.figures.map((figure, index) => Object.assign({index}, figure, isShareOfCycles(figure.name) ? {better: "neither"} : {}))
    .filter(figure => points.some(p => isNumber(p.figures[figure.index])));
// Against a point that the reader names: of each workload the point that is like that one but for the workload.
const speedup = {index: raw.about.figures.length, name: "speedup", unit: "times", better: "higher", ratio: true,
    help: "Time of the reference point with the same workload, divided by the time of this point."};
function takeBaseline(point) {
    const like = p => p.levels.filter((level, axis) => axis !== workloadAxis).join(), time = figureNamed("time_ms"), times = [];
    const workload = p => workloadAxis < 0 ? 0 : p.levels[workloadAxis];
    [point, ...points.filter(p => like(p) === like(point))].forEach(p => { times[workload(p)] ??= p; });
    points.forEach(p => {
        const own = valueOf(p, time), other = valueOf(times[workload(p)], time);
        p.figures[speedup.index] = !isNumber(own) || !isNumber(other) || own <= 0 ? null
            : isHidden(times[workload(p)], p, time) ? 1 : other / own;
        if (sampleOf(p)) sampleOf(p).halves[speedup.index] = p.figures[speedup.index] * differenceHalf(times[workload(p)], p, time) / own;
    });
    relatives.delete(speedup);
    state.baseline = point;
}
const figureNamed = name => figures.find(figure => figure.name === name);
// Names that end with their unit say it once.
const saysUnit = figure => figure.name === figure.unit || figure.name.endsWith("_" + figure.unit.toLowerCase().replace("/", "_"));
const figureText = figure => figure.name + (/^of /.test(figure.unit) ? ", share " + figure.unit
    : figure.unit && !saysUnit(figure) ? ", " + figure.unit : "");
const valueOf = (point, figure) => point.figures[figure.index];
const betterText = figure => figure.better === "neither" ? "" : " (" + figure.better + " is better)";
const varies = figure => {
    const values = points.map(p => valueOf(p, figure)).filter(isNumber);
    return values.some(v => v !== values[0]);
};
// By more than counts as equal: what varies less has no axis of its own at first.
const differs = figure => {
    const values = points.map(p => valueOf(p, figure)).filter(isNumber), least = values.reduce((a, b) => Math.min(a, b), Infinity);
    const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
    return most - least > noise * Math.max(Math.abs(most), Math.abs(least));
};
const levelName = (point, axis) => axes[axis].names[point.levels[axis]];
const pointName = point => "#" + point.number;
const describe = (point, leavesOut) => axes.map((axis, i) => i === leavesOut ? null : axis.key + " " + levelName(point, i))
    .filter(text => text !== null).join(", ");

// What charts and the table begin with; all others are a click away.
const usualNames = ["time_ms", "cpi", "l1d.mpki", "l2.mpki", "l3.mpki", "llc.mpki", "mem.gb_s", "mem.utilisation", "mem.latency_ns",
    "gpu.gb_s", "gpu.utilisation", "gpu.l2_hit_rate", "gpu.latency_ns"];
const usual = [...new Set([figures[0], ...usualNames.map(figureNamed).filter(figure => figure)])];

// ---- where cycles went: shares of the cores' cycles, of detailed cores' slots, of a GPU's schedulers' cycles, as the metrics have
// them, times the cycles of one instruction. A share that is missing beside others is 0.
const sides = [{name: "cores", unit: "cycles for each instruction", shares: /^(?:stall|slots)\./, each: p => named(p, "cpi")},
    {name: "GPU", unit: "scheduler cycles for each warp instruction", shares: /^gpu\.stall\./,
        each: p => named(p, "gpu.scheduler_cycles") / named(p, "gpu.warp_insts")}];
const named = (point, name) => figureNamed(name) ? valueOf(point, figureNamed(name)) : NaN;
sides.forEach(side => {
    side.parts = figures.filter(figure => side.shares.test(figure.name))
        .map(figure => ({figure, name: figure.name.replace(side.shares, "").replace(/_/g, " ")}));
});
// Cycles of each of the side's parts; null: the point has none.
function stackOf(point, side) {
    const shares = side.parts.map(part => valueOf(point, part.figure)), each = side.each(point);
    return isNumber(each) && shares.some(isNumber) ? shares.map(share => isNumber(share) ? share * each : 0) : null;
}

// ---- colours: the series are the view's, the rest is the style's. A part of the cycles has one for ever.
const media = window.matchMedia("(prefers-color-scheme: dark)");
let isDark = media.matches, colours = [], paint = {};
function takeColours() {
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    const style = getComputedStyle(document.documentElement);
    ["paper", "ink", "faint", "line", "grid", "panel", "box", "accent", "core", "wire", "memory", "worse", "worst", "better", "best"]
        .forEach(name => { paint[name] = style.getPropertyValue("--" + name).trim(); });
    colours = raw.about.colours[isDark ? "dark" : "light"];
}
takeColours();
const partStyle = i => ({color: colours[i % colours.length], ...(i < colours.length ? {} : {decal: {symbol: "rect", color: paint.paper,
    dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: Math.PI / 4}})});
function chartTheme() {
    const axis = {axisLine: {lineStyle: {color: paint.faint}}, axisTick: {lineStyle: {color: paint.faint}}, axisLabel: {color: paint.ink},
        nameTextStyle: {color: paint.ink}, splitLine: {lineStyle: {color: paint.grid}}};
    return {color: colours, textStyle: {fontFamily: "sans-serif", color: paint.ink}, categoryAxis: axis, valueAxis: axis, logAxis: axis,
        legend: {textStyle: {color: paint.ink}}, visualMap: {textStyle: {color: paint.ink}},
        tooltip: {backgroundColor: paint.paper, borderColor: paint.faint, textStyle: {color: paint.ink}}};
}

const relatives = new Map();

// ---- what is shown now
// All charts and tables show the same points: those that pass all conditions, of which each chart and the table have a list of their
// own: {text, test, clear}. views get "points" at each change, "selected" once the reader has paused, as it draws more.
const state = {baseline: null, workload: -1, figure: figures[0], chosen: [], brushed: null, filtered: points,
    conditions: {table: [], brush: [], area: []}};
const listeners = {colours: [], points: [], selected: [], chosen: [], view: []};
const on = (what, listener) => listeners[what].push(listener);
const tell = what => listeners[what].forEach(listener => listener());
let settling = 0;
function settle() {
    clearTimeout(settling);
    tell("selected");
}
on("points", () => {
    clearTimeout(settling);
    settling = setTimeout(settle, 120);
});

function choose(point) {
    const at = state.chosen.indexOf(point);
    if (at >= 0) state.chosen.splice(at, 1);
    else state.chosen.push(point);
    if (state.chosen.length > 16) state.chosen.shift();
    tell("chosen");
}

// ---- means
const geometric = list => Math.exp(list.reduce((sum, v) => sum + Math.log(v), 0) / list.length);
const arithmetic = list => list.reduce((sum, v) => sum + v, 0) / list.length;
const canBeMeant = figure => value => isNumber(value) && (!figure.ratio || value > 0);
const meanOf = (figure, values) => values.length ? (figure.ratio ? geometric : arithmetic)(values) : NaN;

// Each point's figure over the geometric mean of its workload; of figures that are no ratios of sizes, as it is.
function relative(point, figure) {
    if (!relatives.has(figure)) {
        const of = p => workloadAxis < 0 ? 0 : p.levels[workloadAxis], lists = [];
        points.forEach(p => {
            if (canBeMeant(figure)(valueOf(p, figure))) (lists[of(p)] = lists[of(p)] || []).push(valueOf(p, figure));
        });
        const means = lists.map(list => meanOf(figure, list));
        relatives.set(figure, points.map(p => !canBeMeant(figure)(valueOf(p, figure)) ? NaN
            : figure.ratio ? valueOf(p, figure) / means[of(p)] : valueOf(p, figure)));
    }
    return relatives.get(figure)[point.index];
}
const relativeText = figure => !figure.ratio ? figureText(figure)
    : figure.name + " / " + (workloadAxis < 0 ? "geometric mean of all" : "geometric mean of its workload");

if (figureNamed("time_ms") && !figureNamed("speedup")) {
    takeBaseline(points.find(p => p.number === raw.about.baseline && isNumber(valueOf(p, figureNamed("time_ms"))))
        || points.find(p => isNumber(valueOf(p, figureNamed("time_ms")))));
    figures.splice(figures.indexOf(figureNamed("time_ms")) + 1, 0, speedup);
}

const isOfWorkload = point => state.workload < 0 || point.levels[workloadAxis] === state.workload;

// Designs: points that differ in the workload only, of those that are shown. With one workload chosen, its points.
function designs(list = shownPoints()) {
    if (workloadAxis < 0 || state.workload >= 0)
        return list.filter(isOfWorkload).map(p => ({first: p, points: [p]}));
    const known = new Map();
    list.forEach(p => {
        const key = p.levels.filter((level, axis) => axis !== workloadAxis).join();
        if (!known.has(key)) known.set(key, {first: p, points: []});
        known.get(key).points.push(p);
    });
    const all = [...known.values()], most = all.reduce((so, d) => Math.max(so, d.points.length), 0);
    return all.filter(d => d.points.length === most);
}
function designValue(design, figure) {
    const values = design.points.map(p => valueOf(p, figure)).filter(canBeMeant(figure));
    return values.length === design.points.length ? meanOf(figure, values) : NaN;
}

// ---- numbers, elements, files
function show(value, digits = 4) {
    if (!isNumber(value)) return "\u2013";
    if (value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-4)) return value.toExponential(digits - 1);
    return String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(Math.abs(value) + 1))))));
}
function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    Object.entries(attributes || {}).forEach(([name, value]) => {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined) element.setAttribute(name, value);
    });
    children.flat().forEach(child => { if (child !== null) element.append(child); });
    return element;
}
function select(label, options, chosen, change) {
    const list = el("select", {onchange: () => change(options[list.selectedIndex][1])},
        options.map(([text, value]) => {
            const option = el("option", {}, text);
            option.selected = value === chosen;
            return option;
        }));
    return el("label", {}, label + " ", list);
}
// Which of `all` ([text, value, help]) are shown: `list` is changed, in the order of `all`.
function chooser(label, all, list, change) {
    const boxes = all.map(([text, value, help]) => {
        const made = toggle(text, list.includes(value), is => {
            const kept = all.map(entry => entry[1]).filter(other => other === value ? is : list.includes(other));
            list.splice(0, list.length, ...kept);
            change();
        });
        if (help) made.title = help;
        return made;
    });
    const find = el("input", {placeholder: "part of a name", "aria-label": "find " + label, oninput: () => boxes.forEach((box, i) => {
        box.hidden = !all[i][0].toLowerCase().includes(find.value.trim().toLowerCase());
    })});
    const made = el("details", {class: "chooser"}, el("summary", {}, label), el("div", {}, find, boxes));
    document.addEventListener("click", event => { if (!made.contains(event.target)) made.open = false; });
    return made;
}
function toggle(label, chosen, change) {
    const box = el("input", {type: "checkbox", onchange: () => change(box.checked)});
    box.checked = chosen;
    return el("label", {}, box, " " + label);
}
function save(name, type, content) {
    const url = content instanceof Blob ? URL.createObjectURL(content) : URL.createObjectURL(new Blob([content], {type}));
    const link = el("a", {href: url, download: name.replace(/[^A-Za-z0-9_.-]+/g, "-").slice(0, 80)});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}
// As cli/common/csv.h: what a spreadsheet would take for a formula gets an apostrophe before it.
const csvCell = value => {
    const plain = value === null || value === undefined || Number.isNaN(value) ? "" : String(value);
    const isFormula = /^[=+\-@\t\r]/.test(plain) && (plain.trim() === "" || Number.isNaN(Number(plain)));
    const text = isFormula ? "'" + plain : plain;

    if (isFormula)
        return '"' + text.replace(/"/g, '""') + '"';
    return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
};
const csv = rows => rows.map(row => row.map(csvCell).join(",") + "\n").join("");

// ---- cards: a chart with its title, controls, and what it can be saved as
function card(into, title, height, controls) {
    const box = el("div", {class: "chart", style: "height:" + height + "px"});
    const made = {title, rows: () => [], option: null};
    const name = () => heading.textContent;
    const heading = el("h3", {}, title);
    made.heading = heading;
    made.note = el("p", {class: "note"});
    made.svg = () => {
        const still = echarts.init(null, chartTheme(), {renderer: "svg", ssr: true, width: box.clientWidth || 600,
            height: box.clientHeight});
        still.setOption(Object.assign({backgroundColor: paint.paper}, made.whole ? made.whole() : made.option));
        const text = still.renderToSVGString();
        still.dispose();
        return text;
    };
    made.element = el("div", {class: "card"},
        el("div", {class: "bar"}, heading, el("span", {class: "gap"}), controls || [],
            el("button", {onclick: () => save(name() + ".svg", "image/svg+xml", made.svg()), title: "save as SVG"}, "SVG"),
            el("button", {onclick: () => made.png(blob => save(name() + ".png", "image/png", blob)), title: "save as PNG"}, "PNG"),
            el("button", {onclick: () => save(name() + ".csv", "text/csv", csv(made.rows())), title: "the numbers as CSV"}, "CSV")),
        el("div", {class: "pan"}, box), made.note);
    into.append(made.element);
    made.chart = echarts.init(box, chartTheme(), {renderer: "canvas"});
    on("colours", () => made.chart.setTheme(chartTheme()));
    made.png = done => {
        let url = "";
        (made.inScale || ((scale, take) => take()))(2, () => {
            url = made.chart.getDataURL({type: "png", pixelRatio: 2, backgroundColor: paint.paper});
        });
        const bytes = Uint8Array.from(atob(url.split(",")[1]), c => c.charCodeAt(0));
        done(new Blob([bytes], {type: "image/png"}));
    };
    made.set = option => {
        made.option = Object.assign({animation: false}, option);
        made.chart.setOption(made.option, {notMerge: true});
    };
    made.resize = newHeight => {
        if (box.style.height === newHeight + "px") return;
        box.style.height = newHeight + "px";
        made.chart.resize();
    };
    // A chart that needs more room than a narrow window has is moved sideways.
    made.span = least => { box.style.minWidth = least + "px"; };
    window.addEventListener("resize", () => {
        made.chart.resize();
        if (made.again) made.again();
    });
    return made;
}
// A legend's height, so that what lies below keeps clear of it in a narrow window.
function legendHeight(made, names, margin) {
    const width = Math.max(120, made.chart.getWidth() - margin);
    let rows = 1, used = 0;
    names.forEach(name => {
        const own = 38 + 7 * name.length;
        if (used + own > width && used) [rows, used] = [rows + 1, 0];
        used += own;
    });
    return 14 + 24 * rows;
}
// Boxes that explain are drawn, not made of HTML.
const tooltip = formatter => ({renderMode: "richText", confine: true, formatter: item => formatter(item) || ""});
