// The page's data, what of it is shown now, and small helpers. Texts go into the page as text only, never as HTML.
const raw = JSON.parse(document.getElementById("data").textContent);
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#a08a00"];
const symbols = ["circle", "rect", "triangle", "diamond", "roundRect", "pin", "arrow", "circle"];
const noise = 0.01;                    // what differs by less counts as equal, as in the tables of best points

const axes = raw.about.axes;
const workloadAxis = axes.findIndex(axis => axis.workload);
const points = raw.points.map((p, index) => (
    {index, number: p[0], state: p[1], config: p[2], levels: p[3], figures: p[4], stack: p[5]}));
const parts = raw.about.parts;
const isNumber = value => typeof value === "number" && isFinite(value);

// Figures that some point has. simTicks is the time in ps, and no column of its own.
const figures = raw.about.figures.map((figure, index) => Object.assign({index}, figure))
    .filter(figure => points.some(p => isNumber(p.figures[figure.index])))
    .filter((figure, at, all) => !(figure.name === "simTicks" && all.some(other => other.name === "time")));
const figureNamed = name => figures.find(figure => figure.name === name);
const figureText = figure => figure.name + (figure.unit ? ", " + figure.unit : "");
const valueOf = (point, figure) => point.figures[figure.index];
const varies = figure => {
    const values = points.map(p => valueOf(p, figure)).filter(isNumber);
    return values.some(v => v !== values[0]);
};
const levelName = (point, axis) => axes[axis].names[point.levels[axis]];
const pointName = point => "#" + point.number;
const describe = (point, leavesOut) => axes.map((axis, i) => i === leavesOut ? null : axis.key + " " + levelName(point, i))
    .filter(text => text !== null).join(", ");

// ---- what is shown now
const state = {workload: -1, figure: figures[0], chosen: [], brushed: null, filtered: points};
const listeners = {points: [], chosen: [], view: []};
const on = (what, listener) => listeners[what].push(listener);
const tell = what => listeners[what].forEach(listener => listener());

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
const relatives = new Map();
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

const isOfWorkload = point => state.workload < 0 || point.levels[workloadAxis] === state.workload;

// Designs: points that differ in the workload only. With one workload chosen, its points.
function designs() {
    if (workloadAxis < 0 || state.workload >= 0)
        return points.filter(isOfWorkload).map(p => ({first: p, points: [p]}));
    const known = new Map();
    points.forEach(p => {
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
const csvCell = value => {
    const text = value === null || value === undefined || Number.isNaN(value) ? "" : String(value);
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
        const still = echarts.init(null, null, {renderer: "svg", ssr: true, width: box.clientWidth || 600, height: box.clientHeight});
        still.setOption(made.option);
        const text = still.renderToSVGString();
        still.dispose();
        return text;
    };
    made.element = el("div", {class: "card"},
        el("div", {class: "bar"}, heading, el("span", {class: "gap"}), controls || [],
            el("button", {onclick: () => save(name() + ".svg", "image/svg+xml", made.svg()), title: "save as SVG"}, "SVG"),
            el("button", {onclick: () => made.png(blob => save(name() + ".png", "image/png", blob)), title: "save as PNG"}, "PNG"),
            el("button", {onclick: () => save(name() + ".csv", "text/csv", csv(made.rows())), title: "the numbers as CSV"}, "CSV")),
        box, made.note);
    into.append(made.element);
    made.chart = echarts.init(box, null, {renderer: "canvas"});
    made.png = done => {
        const url = made.chart.getDataURL({type: "png", pixelRatio: 2, backgroundColor: "#fff"});
        const bytes = Uint8Array.from(atob(url.split(",")[1]), c => c.charCodeAt(0));
        done(new Blob([bytes], {type: "image/png"}));
    };
    made.set = option => {
        made.option = Object.assign({animation: false, textStyle: {fontFamily: "sans-serif"}, color: colours}, option);
        made.chart.setOption(made.option, {notMerge: true});
    };
    made.resize = newHeight => { box.style.height = newHeight + "px"; made.chart.resize(); };
    window.addEventListener("resize", () => made.chart.resize());
    return made;
}
// Boxes that explain are drawn, not made of HTML.
const tooltip = formatter => ({renderMode: "richText", confine: true, formatter: item => formatter(item) || ""});
