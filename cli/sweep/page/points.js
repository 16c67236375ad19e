// Charts of chosen points: where their cycles went, their memory hierarchy, two of them side by side; memories under load.
function chosenBar(into) {
    const chips = el("span", {class: "bar", id: "chosen"});
    into.append(chips);
    const draw = () => chips.replaceChildren("chosen points:", ...state.chosen.map(p =>
        el("button", {class: "chip", title: describe(p, -1) + "; a click drops it", onclick: () => choose(p)}, pointName(p) + " \u00d7")),
    ...(state.chosen.length ? [el("button", {onclick: () => { state.chosen = []; tell("chosen"); }}, "none")] : ["none; click a row or a dot"]));
    on("chosen", draw);
    draw();
}

// What bounds each chosen point, in words, and what makes its result doubtful.
function verdicts(into) {
    const body = el("dl", {id: "verdicts"});
    into.append(body);
    function draw() {
        const said = p => [p.cores && [sides[1].parts.length && p.gpu ? "cores: " : "", p.cores], p.gpu && ["GPU: ", p.gpu],
            ...p.doubts.map(doubt => ["doubtful: ", doubt]), p.error && ["failed: ", p.error]].filter(line => line);
        body.replaceChildren(...(state.chosen.length ? state.chosen.flatMap(p => [el("dt", {}, el("b", {}, pointName(p)), " " + describe(p, -1)),
            ...(said(p).length ? said(p) : [["", p.state === "done" ? "its statistics do not say what limits it" : p.state]])
                .map(([head, line]) => el("dd", {}, head, line))])
            : [el("dt", {}, "No point is chosen. Click a row of the table or a dot in a chart.")]));
    }
    on("chosen", draw);
    draw();
}

// Cores above, the GPU below, where a point has both.
function stackChart(into) {
    const cards = sides.filter(side => points.some(p => stackOf(p, side))).map(side => {
        const made = card(into, "Where the cycles of the " + (side.name === "GPU" ? "GPU" : "cores") + " went, of the chosen points", 240, []);
        const names = side.parts.map(part => part.name);

        function draw() {
            const list = state.chosen.filter(p => stackOf(p, side)), stacks = list.map(p => stackOf(p, side));
            const legend = legendHeight(made, names, 90);
            made.resize(80 + legend + 28 * Math.max(1, list.length));
            made.set({
                grid: {left: 60, right: 30, top: legend, bottom: 45}, legend: {top: 0, left: 60, right: 30, itemGap: 10, itemWidth: 18, data: names},
                xAxis: {type: "value", name: side.unit, nameLocation: "middle", nameGap: 26},
                yAxis: {type: "category", inverse: true, data: list.map(pointName)},
                tooltip: tooltip(item => pointName(list[item.dataIndex]) + " " + item.seriesName + " " + show(item.value) + "\n"
                    + side.parts[item.seriesIndex].figure.help + "\n" + describe(list[item.dataIndex], -1)),
                series: side.parts.map((part, i) => ({type: "bar", stack: "cycles", name: part.name, barMaxWidth: 22,
                    itemStyle: partStyle(i), data: stacks.map(cycles => cycles[i])}))});
            made.note.textContent = list.length ? "" : "No point with " + side.name + " is chosen.";
            made.rows = () => [["point", ...names]].concat(list.map((p, i) => [p.number, ...stacks[i]]));
        }
        on("chosen", draw);
        on("colours", draw);
        made.again = draw;
        draw();
        return made;
    });
    return cards[0] || null;
}

// Every point that was measured: filled if the memory kept up, hollow if it did not.
function latencyChart(into) {
    if (!raw.memories.length) return null;
    const [OFFERED, REACHED, MEAN, P50, P99, ROW_HITS, SATURATED] = [0, 1, 2, 3, 4, 5, 6];
    const made = card(into, "Loaded latency of the memories", 420, []);
    // Rates are joined; one request at a time, and as many as the queues hold, stand by themselves.
    const isRate = p => p[OFFERED] > 0;
    const mark = (memory, i, p, at) => ({value: [p[REACHED], p[at]], point: p, memory,
        itemStyle: p[SATURATED] ? {color: paint.paper, borderColor: colours[i], borderWidth: 2} : {color: colours[i]}});
    made.note.textContent = "Latency of reads at random addresses, with four reads to each write. Solid lines are means, dashed lines 99th percentiles. Hollow marks: the memory "
        + "could not keep up with the offered rate. Large marks: one request at a time, and as many as the queues hold. The vertical line is the peak bandwidth.";
    const draw = () => made.set({
        grid: {left: 70, right: 30, top: 20 + 22 * raw.memories.length, bottom: 50},
        legend: {top: 0, orient: "vertical", left: 70, data: raw.memories.map(memory => memory.name)},
        xAxis: {type: "value", max: Math.ceil(1.02 * Math.max(...raw.memories.map(memory => memory.peak))), name: "GB/s reached", nameLocation: "middle", nameGap: 28},
        yAxis: {type: "log", name: "ns", nameLocation: "middle", nameGap: 45},
        tooltip: tooltip(({data}) => data.point && data.memory.name + "\noffered " + (data.point[OFFERED] ? show(data.point[OFFERED]) + " GB/s"
            : "as fast as responses return") + "\nreached " + show(data.point[REACHED]) + " GB/s\nmean " + show(data.point[MEAN]) + " ns, p50 "
            + show(data.point[P50]) + ", p99 " + show(data.point[P99]) + "\nrow hits " + show(data.point[ROW_HITS], 3) + " %"),
        series: raw.memories.flatMap((memory, i) => [
            {type: "line", name: memory.name, symbol: symbols[i], symbolSize: 8, itemStyle: {color: colours[i]}, lineStyle: {color: colours[i]},
                data: memory.points.filter(isRate).map(p => mark(memory, i, p, MEAN)), markLine: {silent: true, symbol: "none", label: {show: false},
                    lineStyle: {color: colours[i], type: "dotted"}, data: [{xAxis: memory.peak}]}},
            {type: "line", name: memory.name, symbol: symbols[i], symbolSize: 6, itemStyle: {color: colours[i]},
                lineStyle: {color: colours[i], type: "dashed", width: 1}, data: memory.points.filter(p => p[P99] > 0 && isRate(p))
                    .map(p => mark(memory, i, p, P99))},
            {type: "scatter", name: memory.name, symbol: symbols[i], symbolSize: 13, itemStyle: {color: colours[i]},
                data: memory.points.filter(p => !isRate(p)).map(p => mark(memory, i, p, MEAN))}])});
    on("colours", draw);
    draw();
    made.rows = () => [["memory", "offered GB/s", "reached GB/s", "mean ns", "p50 ns", "p99 ns", "row hits %", "kept up"]].concat(
        raw.memories.flatMap(memory => memory.points.map(p => [memory.name, p[OFFERED], p[REACHED], p[MEAN], p[P50], p[P99], p[ROW_HITS],
            p[SATURATED] ? "no" : "yes"])));
    return made;
}

// How far replays are from detailed timing (--compare): for each program the errors of its systems.
function errorChart(into) {
    const made = card(into, "Errors of replays", 360, []), programs = [...new Set(raw.errors.map(([program]) => program))];
    const kinds = [["absolute", 2], ["relative", 3]], of = at => programs.map(program => raw.errors
        .filter(row => row[0] === program && isNumber(row[at])).map(row => row[at]).sort((a, b) => a - b));
    made.note.textContent = "Boxes span the middle half of a program's systems, whiskers all of them.";
    const draw = () => made.set({
        grid: {left: 70, right: 20, top: 40, bottom: 50}, legend: {top: 0, data: kinds.map(([name]) => name)},
        xAxis: {type: "category", data: programs, name: "program", nameLocation: "middle", nameGap: 30},
        yAxis: {type: "value", name: "error, %", nameLocation: "middle", nameGap: 50},
        tooltip: tooltip(({seriesName, name, value}) => name + "\n" + seriesName + " error\nmedian " + show(value[3]) + " %\nleast "
            + show(value[1]) + " %, most " + show(value[5]) + " %"),
        series: kinds.map(([name, at], i) => ({type: "boxplot", name, boxWidth: [8, 20], itemStyle: {color: paint.box, borderColor: colours[i]},
            data: of(at).map(list => [0, 0.25, 0.5, 0.75, 1].map(share => list.length ? quantile(list, share) : NaN))}))});
    on("colours", draw);
    draw();
    made.rows = () => [["program", "system", "absolute error %", "relative error %"], ...raw.errors];
    return made;
}

// ---- RowHammer: report_hammer.c has the same columns
const hammerColumns = [["time_ms", "time, ms"], ["mem.rowhammer.most", "activations of a row"], ["mem.rowhammer.unserved", "without a refresh"],
    ["mem.rowhammer.flips", "possible flips"], ["mem.rowhammer.prevented", "prevented flips"], ["mem.defence.refreshes", "refreshes of defences"],
    ["mem.defence.activates", "activations of defences"], ["mem.defence.waits_ms", "accesses waited, ms"], ["mem.defence.energy_mj", "energy of defences, mJ"]];
function hammerChart(into) {
    const mostRows = 100, threshold = p => Number(configOf(p).get("memory.command.rowhammer_threshold"));
    const time = figureNamed("time_ms") || figures[0], unserved = figureNamed("mem.rowhammer.unserved") || figureNamed("mem.rowhammer.most");
    const columns = hammerColumns.map(([name, heading]) => [figureNamed(name), heading]).filter(([figure]) => figure);
    const all = points.filter(p => isNumber(named(p, "mem.rowhammer.most"))), limits = [...new Set(all.map(threshold))].filter(limit => limit > 0);
    const kinds = [["no bit may flip", "circle", "best", p => !(named(p, "mem.rowhammer.flips") > 0)],
        ["bits may flip", "diamond", "worst", p => named(p, "mem.rowhammer.flips") > 0]];
    const made = card(into, "What defences against RowHammer prevent and cost", 420, []);
    made.note.textContent = "Each mark is a point: activations of a row since its victims were refreshed, at most, against its time. "
        + (limits.length ? "The dotted line is rowhammer_threshold. " : "") + "Click a mark to choose it.";
    const numbers = el("div", {id: "hammer"});
    into.append(numbers);
    function draw() {
        const shownNow = new Set(shownPoints()), list = all.filter(p => shownNow.has(p)).map(p => ({point: p, value: [effectValue(p, time), valueOf(p, unserved)]}))
            .filter(({value: [x, y]}) => isNumber(x) && isNumber(y) && x > 0 && y > 0);
        const times = list.map(({value}) => value[0]), isWide = Math.max(...times) > 5 * Math.min(...times);
        made.set({
            grid: {left: 80, right: 30, top: 40, bottom: 55}, legend: {top: 0, data: kinds.map(([name]) => name)},
            xAxis: {...(isWide ? {type: "log", min: ({min}) => min / 1.2, max: ({max}) => max * 1.2} : {type: "value", scale: true}),
                axisLabel: {formatter: value => show(value, 3)}, name: effectText(time), nameLocation: "middle", nameGap: 34},
            yAxis: {type: "log", name: "activations of a row without a refresh", nameLocation: "middle", nameGap: 55},
            tooltip: tooltip(({data}) => data.point && [pointName(data.point) + " " + describe(data.point, -1), ...columns.map(([figure, heading]) =>
                heading + " " + show(valueOf(data.point, figure)))].join("\n")),
            series: kinds.map(([name, symbol, colour, isOf], i) => ({type: "scatter", name, symbol, symbolSize: i ? 13 : 9, itemStyle: {color: paint[colour]},
                label: {show: true, position: "right", color: paint.ink, textBorderColor: paint.paper, textBorderWidth: 3,
                    formatter: ({data}) => pointName(data.point)}, labelLayout: {hideOverlap: true},
                data: list.filter(({point}) => isOf(point)),
                ...(i ? {} : {markLine: {silent: true, symbol: "none", label: {show: false}, lineStyle: {color: paint.ink, type: "dotted", width: 2},
                    data: limits.map(limit => ({yAxis: limit}))}})}))});
        const shown = list.map(({point}) => point), rows = shown.map(p => [pointName(p), ...axes.map((axis, i) => levelName(p, i)),
            ...columns.map(([figure]) => valueOf(p, figure) ?? "\u2013")]);
        made.rows = () => [["point", ...axes.map(axis => axis.key), ...columns.map(([, heading]) => heading)], ...rows];
        numbers.replaceChildren();
        smallTable(numbers, made.rows()[0], rows.slice(0, mostRows), "rowhammer");
        if (rows.length > mostRows) numbers.append(el("p", {class: "note"}, rows.length - mostRows + " more points are in the chart's CSV."));
    }
    made.chart.on("click", ({data}) => { if (data && data.point) choose(data.point); });
    on("view", draw);
    on("selected", draw);
    on("colours", draw);
    draw();
    return made;
}

// ---- configurations: base.js has what the page holds of them
function configLines(index) {
    const [base, ...rest] = raw.configs[index];
    if (base < 0) return rest[0].slice();
    const lines = configLines(base);
    rest.forEach(([number, line]) => { lines[number] = line; });
    return lines;
}
// Key to value, keys as `config keys` has them.
function configOf(point) {
    const keys = new Map(), path = [], counts = [];
    if (point.config < 0) return keys;
    configLines(point.config).forEach(line => {
        const [, spaces, dash, rest] = /^( *)(- )?(.*)$/.exec(line), level = (spaces.length + (dash ? 2 : 0)) / 2;
        const colon = rest.indexOf(":");
        if (!rest) return;
        if (dash) {
            counts[level] = (counts[level] ?? -1) + 1;
            path[level - 1] = String(counts[level]);
        }
        path.length = level;
        path[level] = colon < 0 ? "" : rest.slice(0, colon);
        const value = colon < 0 ? rest : rest.slice(colon + 1).trim();
        if (!dash) counts.length = level + 1;
        if (value) keys.set(path.filter(part => part).join("."), value);
    });
    return keys;
}

// ---- the memory hierarchy: boxes, cores' caches on top, memories at the bottom
const svgElement = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    if (text !== undefined) element.textContent = text;
    return element;
};
function readTree(lines) {
    const roots = [], path = [];
    lines.filter(line => line.trim()).forEach(line => {
        const [, indent, name, about] = /^((?:[|` ] {2}|[|`]- )*)(\S+)\s*(.*)$/.exec(line) || [null, "", line, ""];
        const node = {name, about, children: []}, level = indent.length / 3;
        path.length = Math.min(path.length, level);
        (path.length ? path[path.length - 1].children : roots).push(node);
        path.push(node);
    });
    return roots;
}
// "l1d" of "cpu2.l1d" and of "cpu0-1,3.l1d".
const ownName = name => name.replace(/^cpu[\d,-]+\./, "");
// Children that are alike but for their number are one box.
function gather(nodes) {
    const groups = [];
    nodes.forEach(node => {
        const kind = ownName(node.name).replace(/\d+$/, "") + "|" + node.about + "|" + shapeOf(node);
        const last = groups.find(group => group.kind === kind);
        if (last && nodes.length > 4) last.count++;
        else groups.push({kind, node, count: 1});
    });
    return groups.map(({node, count}) => ({name: count > 1 ? ownName(node.name) + " \u00d7 " + count : node.name, key: node.name, about: node.about,
        children: gather(node.children)}));
}
const shapeOf = node => node.children.map(child => child.about + shapeOf(child)).join("/");
const breakText = (text, letters) => text.split(", ").reduce((lines, part) => {
    const last = lines[lines.length - 1];
    if (last !== undefined && (last + ", " + part).length <= letters) lines[lines.length - 1] = last + ", " + part;
    else lines.push(part.slice(0, letters + 10));
    return lines;
}, []);

function drawTree(point) {
    const roots = gather(readTree(raw.trees[raw.about.tree_of[point.config]])), width = 235, gap = 18, height = 124, down = 34;
    const rate = name => figureNamed(name + ".hit_rate") || figureNamed(name + "_hit_rate") || (ownName(name) !== name ? rate(ownName(name)) : null);
    const depth = nodes => nodes.length ? 1 + Math.max(...nodes.map(node => depth(node.children))) : 0;
    const carried = isNumber(named(point, "mem.gb_s")) ? named(point, "mem.gb_s") : named(point, "gpu.gb_s");
    const levels = depth(roots), svg = svgElement("svg", {xmlns: "http://www.w3.org/2000/svg", role: "img"});
    let columns = 0;

    function place(node, level) {
        const y = (levels - 1 - level) * (height + down), first = columns;
        const below = node.children.map(child => place(child, level + 1));
        if (!below.length) columns++;
        const x = (first + columns - 1) / 2 * (width + gap), middle = x + width / 2;
        below.forEach(other => svg.append(svgElement("path", {d: `M${middle} ${y}V${y - down / 2}H${other}V${y - down}`,
            fill: "none", stroke: paint.faint, "stroke-width": 2})));
        svg.append(svgElement("rect", {x: x + 1, y: y + 1, width: width - 2, height: height - 2, rx: 6,
            fill: /bus|interconnect/.test(node.key) ? paint.wire : /mem/.test(node.key) ? paint.memory : paint.core, stroke: paint.faint}));
        svg.append(svgElement("text", {x: middle, y: y + 20, "text-anchor": "middle", "font-weight": "bold", fill: paint.ink}, node.name));
        const figure = rate(node.key), value = figure && valueOf(point, figure), peak = isNumber(named(point, "mem.utilisation")) ? named(point, "mem.utilisation") : named(point, "gpu.utilisation");
        const texts = breakText(node.about, 32).slice(0, isNumber(value) ? 3 : 4);
        if (isNumber(value)) texts.push("hit rate " + show(100 * value, 3) + " %");
        if (/^mem/.test(node.key) && !/bus|cache/.test(node.key) && isNumber(carried))
            texts.push((roots.length > 1 ? "all carried " : "carried ") + show(carried, 3) + " GB/s" + (isNumber(peak) ? ", " + show(100 * peak, 3) + " % of peak" : ""));
        texts.forEach((text, i) => svg.append(svgElement("text", {x: middle, y: y + 40 + 16 * i, "text-anchor": "middle", "font-size": 12, fill: paint.ink}, text)));
        return middle;
    }
    roots.forEach(root => place(root, 0));
    const size = [columns * (width + gap), levels * (height + down)];
    svg.setAttribute("width", size[0]);
    svg.setAttribute("height", size[1]);
    svg.setAttribute("viewBox", "0 0 " + size.join(" "));
    svg.setAttribute("font-family", "sans-serif");
    svg.setAttribute("font-size", "13");
    return svg;
}

function hierarchy(into) {
    const picture = el("div", {class: "picture", id: "hierarchy"}), heading = el("h3");
    const text = () => new XMLSerializer().serializeToString(picture.querySelector("svg"));
    let point = null;
    const png = () => {
        const image = new Image(), svg = picture.querySelector("svg");
        image.onload = () => {
            const canvas = el("canvas", {width: 2 * svg.getAttribute("width"), height: 2 * svg.getAttribute("height")});
            const context = canvas.getContext("2d");
            context.fillStyle = paint.paper;
            context.fillRect(0, 0, canvas.width, canvas.height);
            context.drawImage(image, 0, 0, canvas.width, canvas.height);
            canvas.toBlob(blob => save(heading.textContent + ".png", "image/png", blob));
        };
        image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text());
    };
    const rows = () => [["key", "value"]].concat([...configOf(point)]);
    const settings = el("pre");
    into.append(el("div", {class: "bar"}, heading, el("span", {class: "gap"}),
        el("button", {onclick: () => point && save(heading.textContent + ".svg", "image/svg+xml", text())}, "SVG"),
        el("button", {onclick: () => point && png()}, "PNG"),
        el("button", {onclick: () => point && save(heading.textContent + ".csv", "text/csv", csv(rows()))}, "CSV")), picture,
    el("details", {}, el("summary", {}, "its whole configuration"), settings));
    function draw() {
        point = state.chosen.filter(p => p.config >= 0 && raw.about.tree_of[p.config] >= 0).pop() || null;
        heading.textContent = point ? "Memory hierarchy of " + pointName(point) + " (" + describe(point, -1) + ")"
            : "Memory hierarchy: choose a point to see it";
        picture.replaceChildren(...(point ? [drawTree(point)] : []));
        settings.textContent = point ? configLines(point.config).join("\n") : "";
    }
    on("chosen", draw);
    on("colours", draw);
    draw();
}

// ---- two points
function comparison(into) {
    const body = el("div", {id: "comparison"});
    into.append(body);
    function draw() {
        const [one, two] = state.chosen.slice(-2);
        body.replaceChildren();
        if (!two) {
            body.append(el("p", {class: "note"}, "Choose two points to compare them."));
            return;
        }
        const configs = [configOf(one), configOf(two)];
        const isWhole = configs.every(config => config.size), keys = !isWhole ? [] : [...new Set([...configs[0].keys(), ...configs[1].keys()])].filter(key => configs[0].get(key) !== configs[1].get(key));
        const same = [...axes.keys()].filter(i => one.levels[i] !== two.levels[i]).map(i => [axes[i].key, levelName(one, i), levelName(two, i)]);
        const judge = (figure, a, b) => differenceHalf(one, two, figure) !== 0 && isHidden(one, two, figure) ? notDifferent : Math.abs(b - a) <= noise * Math.abs(a) ? "equal within " + 100 * noise + " %"
            : figure.better === "neither" ? (b > a ? "more" : "less") : (b > a) === (figure.better === "higher") ? "better" : "worse";
        body.append(el("h3", {}, "Metrics"));
        const both = figures.filter(figure => isNumber(valueOf(one, figure)) && isNumber(valueOf(two, figure))).map(figure => {
            const a = valueOf(one, figure), b = valueOf(two, figure);
            const half = isSampled ? differenceHalf(one, two, figure) : 0;
            return {figure, row: [figureText(figure), ...(isSampled ? [withHalf(one, figure, 5), withHalf(two, figure, 5),
                show(b - a, 5) + (half > 0 ? " \u00b1 " + show(half, 2) : "")] : [a, b, b - a]), a ? b / a : NaN, judge(figure, a, b)]};
        });
        const equal = both.filter(({row}) => /^equal/.test(row[5])), hidden = both.filter(({row}) => row[5] === notDifferent);
        if (both.length > equal.length + hidden.length) smallTable(body, ["metric", pointName(one), pointName(two), "difference", "ratio", pointName(two) + " is"],
            both.filter(entry => !equal.includes(entry) && !hidden.includes(entry)).map(({row}) => row), "figures");
        if (!both.length) body.append(el("p", {class: "note"}, [one, two].filter(p => p.state !== "done").map(p => pointName(p) + " is "
            + p.state).join(", ") + ": there is nothing to compare."));
        if (hidden.length) body.append(el("p", {class: "note", id: "hidden"}, notDifferent[0].toUpperCase() + notDifferent.slice(1) + ": "
            + hidden.map(({figure, row}) => figure.name + " " + row[3]).join(", ") + "."));
        if (equal.length) body.append(el("p", {class: "note"}, "Equal within " + 100 * noise + " %: "
            + equal.map(({figure}) => figure.name + " " + show(valueOf(one, figure))).join(", ") + "."));
        sides.forEach(side => {
            const stacks = [stackOf(one, side), stackOf(two, side)];
            if (!stacks[0] || !stacks[1]) return;
            body.append(el("h3", {}, "Cycles of the " + side.name + ", the largest difference first (" + side.unit + ")"));
            smallTable(body, ["part", pointName(one), pointName(two), "difference"], side.parts.map((part, i) =>
                [part.name, stacks[0][i], stacks[1][i], stacks[1][i] - stacks[0][i]])
                .sort((a, b) => Math.abs(b[3]) - Math.abs(a[3])), "cycles");
        });
        body.append(el("h3", {}, "What differs"));
        smallTable(body, ["key", pointName(one), pointName(two)], same.filter(([key]) => !isWhole || !configs[0].has(key))
            .concat(keys.map(key => [key, configs[0].get(key) ?? "\u2013", configs[1].get(key) ?? "\u2013"])), "differences");
    }
    on("chosen", draw);
    draw();
}
