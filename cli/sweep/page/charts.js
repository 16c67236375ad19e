// Charts of all points: parallel coordinates, scatter with the front, what each axis does, two axes together.
const workloadColour = point => colours[(workloadAxis < 0 ? 0 : point.levels[workloadAxis]) % colours.length];
const shorten = (text, letters) => String(text).length > letters ? String(text).slice(0, letters - 1) + "\u2026" : String(text);
const figureChoices = () => figures.map(figure => [figureText(figure), figure]);

function parallelChart(into) {
    const fixed = [...axes.map((axis, i) => ({name: axis.key, of: p => p.levels[i], names: axis.names})), ...boundLine()];
    const lineOf = figure => ({name: figure.name, figure, of: p => valueOf(p, figure)});
    const shown = usual.filter(differs).slice(0, 8);
    const made = card(into, "Parallel coordinates", 400, [chooser("axes", figures.filter(varies)
        .map(figure => [figureText(figure), figure, figure.help]), shown, () => { forget(); rename(); draw(); tell("points"); }),
    el("button", {id: "unbrush", onclick: () => unbrush()}, "clear brushes")]);
    // Lines of all points are an image of our own below what ECharts draws, axes, brushes and chosen points: thousands of elements
    // would be walked and drawn at each move of the mouse. Files that are saved as SVG have them as lines.
    const canvas = el("canvas"), faint = el("canvas");
    const image = new echarts.graphic.Image({silent: true, z: -10, style: {image: canvas, x: 0, y: 0}});
    made.chart.getZr().add(image);
    let lines = [], drawn = [], places = [], across = [], isOurs = false, scale = window.devicePixelRatio || 1;
    const rename = () => {
        lines = made.lines = [...fixed, ...shown.map(lineOf)];
        made.span(160 + 62 * (lines.length - 1));
        made.chart.resize();
    };

    function explain() {
        made.note.replaceChildren("Each line is a point. Drag along an axis to select a range (brush): the table below then lists only points within all ranges. "
            + (isDark ? "White" : "Black") + " lines are the chosen points.", ...(workloadAxis < 0 ? [] : axes[workloadAxis].names.flatMap((name, i) =>
            [" ", el("span", {style: "color:" + colours[i % colours.length]}, "\u25a0"), " " + name])));
    }
    function draw() {
        explain();
        drawn = candidates().filter(p => shown.some(figure => isNumber(valueOf(p, figure))));
        made.set({
            parallel: {left: 60, right: 100, top: 80, bottom: 30, axisExpandable: false},
            parallelAxis: lines.map((line, dim) => ({
                id: "axis" + dim, dim, name: line.name, nameRotate: lines.length > 6 ? 20 : 0,
                nameTextStyle: {fontSize: 11, color: paint.ink}, realtime: true,
                areaSelectStyle: {width: 18, color: "rgba(0,114,178,.35)", borderColor: "#0072b2", opacity: 0.5},
                ...(line.names ? {type: "category", data: line.names} : {type: "value", scale: true}),
                axisLabel: {fontSize: 10, color: paint.ink, textBorderColor: paint.paper, textBorderWidth: 3, formatter: text => shorten(text, 16)}})),
            series: [chosenLines(), span()]});
        locate();
        paintLines();
    }
    // Not seen: the axes reach over all points.
    function span() {
        const ends = lines.map(line => drawn.map(line.of).filter(isNumber).reduce(([least, most], value) =>
            [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]).map(value => isNumber(value) ? value : null));
        return {type: "parallel", id: "span", silent: true, lineStyle: {opacity: 0}, activeOpacity: 0, inactiveOpacity: 0,
            data: [ends.map(([least]) => least), ends.map(([, most]) => most)]};
    }
    // Heights of each line's corners in half pixels, -1: it has no value there; across: where the axes stand.
    function locate() {
        const system = made.chart.getModel().getComponent("parallel", 0).coordinateSystem;
        across = lines.map((line, i) => system.getAxisLayout("dim" + i).position[0]);
        places = drawn.map(p => Int16Array.from(lines, (line, i) => {
            const value = line.of(p);
            return isNumber(value) ? Math.round(2 * system.dataToPoint(value, "dim" + i)[1]) : -1;
        }));
        clear(faint);
        stroke(faint, drawn.keys(), 0.03);
    }
    function clear(on) {
        on.width = Math.round(scale * made.chart.getWidth());
        on.height = Math.round(scale * made.chart.getHeight());
    }
    // Pieces that lie on each other are drawn once, as dark as all of them.
    function stroke(on, which, opacity) {
        const context = on.getContext("2d"), counts = new Map(), colourOf = new Map(colours.map((colour, i) => [colour, i])), room = 4096;
        for (const at of which) {
            const corners = places[at], colour = colourOf.get(workloadColour(drawn[at])) * corners.length;
            for (let i = 0; i + 1 < corners.length; i++) {
                if (corners[i] < 0 || corners[i + 1] < 0) continue;
                const key = ((colour + i) * room + corners[i]) * room + corners[i + 1];
                counts.set(key, (counts.get(key) || 0) + 1);
            }
        }
        context.setTransform(scale, 0, 0, scale, 0, 0);
        counts.forEach((count, key) => {
            const gap = Math.floor(key / room / room), i = gap % lines.length;
            context.globalAlpha = 1 - (1 - opacity) ** count;
            context.strokeStyle = colours[(gap - i) / lines.length];
            context.beginPath();
            context.moveTo(across[i], Math.floor(key / room) % room / 2);
            context.lineTo(across[i + 1], key % room / 2);
            context.stroke();
        });
    }
    const usualOpacity = () => drawn.length > 1000 ? 0.15 : drawn.length > 50 ? 0.4 : 0.9;
    const opacityOf = p => !state.brushed ? usualOpacity() : state.brushed.has(p) ? Math.min(1, 2 * usualOpacity()) : 0.03;
    function paintLines() {
        clear(canvas);
        if (state.brushed && drawn.length) {
            canvas.getContext("2d").drawImage(faint, 0, 0);
            stroke(canvas, [...drawn.keys()].filter(at => state.brushed.has(drawn[at])), Math.min(1, 2 * usualOpacity()));
        } else {
            stroke(canvas, drawn.keys(), usualOpacity());
        }
        image.attr({style: {width: made.chart.getWidth(), height: made.chart.getHeight()}});
        image.dirty();
    }
    made.corner = (at, i) => [across[i], places[at][i] / 2];
    made.inScale = (wanted, take) => {
        scale = wanted;
        locate();
        paintLines();
        take();
        scale = window.devicePixelRatio || 1;
        locate();
        paintLines();
    };
    made.whole = () => {
        const groups = new Map();
        drawn.forEach(p => {
            const key = [workloadColour(p), opacityOf(p)].join();
            if (!groups.has(key)) groups.set(key, []);
            groups.get(key).push(p);
        });
        return Object.assign({}, made.option, {series: [made.option.series[0], ...[...groups.values()].map(list => ({type: "parallel", silent: true,
            lineStyle: {width: 1, color: workloadColour(list[0]), opacity: opacityOf(list[0])}, inactiveOpacity: 1,
            data: list.map(p => lines.map(line => line.of(p)))}))]});
    };
    // Chosen points stand out; brushes stay.
    function chosenLines() {
        return {type: "parallel", id: "chosen", silent: true, z: 5, lineStyle: {width: 3, opacity: 1, color: paint.ink}, inactiveOpacity: 1,
            data: state.chosen.filter(p => drawn.includes(p)).map(p => lines.map(line => line.of(p)))};
    }
    on("chosen", () => {
        made.option.series[0] = chosenLines();
        made.chart.setOption({series: [made.option.series[0]]});
    });
    // Models have the brushes at once, lines their looks later only.
    function brushed() {
        const models = lines.map((line, dim) => made.chart.getModel().getComponent("parallelAxis", dim));
        const isIn = (model, dim) => p => model.getActiveState(lines[dim].of(p)) !== "inactive";
        state.brushed = !models.some(model => model.activeIntervals.length) ? null : new Set(drawn.filter(p =>
            models.every((model, dim) => isIn(model, dim)(p))));
        state.conditions.brush = models.flatMap((model, dim) => !model.activeIntervals.length ? [] : [{text: lines[dim].name + " "
            + model.activeIntervals.map(interval => brushText(lines[dim], interval)).join(" or "), test: isIn(model, dim), clear: () => drop(dim)}]);
        isOurs = true;
        tell("points");
        isOurs = false;
        later();
    }
    // Once in each picture that the screen shows, however often the mouse moves.
    let isAsked = false;
    function later() {
        if (!isAsked) requestAnimationFrame(made.paint);
        isAsked = true;
    }
    made.paint = () => {
        if (isAsked) paintLines();
        isAsked = false;
    };
    const brushText = (line, [low, high]) => line.names ? line.names.filter((name, level) => level >= low && level <= high).join("/") || "between values"
        : show(low, 3) + ".." + show(high, 3);
    // One brush less; the action tells brushed.
    const drop = dim => {
        made.chart.dispatchAction({type: "axisAreaSelect", parallelAxisId: "axis" + dim, intervals: []});
        brushed();
    };
    function forget() {
        state.brushed = null;
        state.conditions.brush = [];
    }
    function unbrush() {
        lines.forEach((line, dim) => made.chart.dispatchAction({type: "axisAreaSelect", parallelAxisId: "axis" + dim, intervals: []}));
        forget();
        draw();
        tell("points");
    }
    made.chart.on("axisareaselected", brushed);
    made.rows = () => [["point", ...lines.map(line => line.name)]].concat(shownPoints().map(p =>
        [p.number, ...lines.map(line => line.names ? line.names[line.of(p)] : line.of(p))]));
    // What the table filters is not drawn; what is brushed here stays drawn, faintly.
    on("points", () => { if (!isOurs && !state.brushed) draw(); });
    let workload = state.workload;
    on("view", () => {
        if (workload === state.workload) return;
        workload = state.workload;
        forget();
        draw();
    });
    on("colours", draw);
    window.addEventListener("resize", () => { locate(); paintLines(); });
    rename();
    draw();
    return made;
}
// What bounds a point is an axis, too, if not all are bound by the same.
function boundLine() {
    const names = [...new Set(points.map(p => p.bound).filter(text => text))].sort();
    return names.length > 1 ? [{name: "bound by", of: p => p.bound ? names.indexOf(p.bound) : NaN, names}] : [];
}

// Designs than which no other is as good in both and better in one; of those, only what is better in y by more than the tolerance, a share,
// than the one before. None, if of one of both neither way is better.
function front(list, x, y, tolerance) {
    const sign = figure => figure.better === "higher" ? -1 : 1;
    if (x.better === "neither" || y.better === "neither") return [];
    const sorted = list.slice().sort((a, b) => sign(x) * (a.x - b.x) || sign(y) * (a.y - b.y));
    let best = Infinity;
    return sorted.filter(design => {
        const isBetter = !isFinite(best) || sign(y) * design.y < best - tolerance * Math.abs(best);
        if (isBetter) best = sign(y) * design.y;
        return isBetter;
    });
}

// A frame that the mouse draws over a chart: done tells the ranges of values within it. A click is no frame.
function frameOf(made, done) {
    const zr = made.chart.getZr(), least = 6, inGrid = at => made.chart.containPixel({gridIndex: 0}, at);
    const rect = new echarts.graphic.Rect({silent: true, invisible: true, z: 100, style: {fill: "rgba(0,114,178,.12)", stroke: "#0072b2"}});
    let from = null;
    zr.add(rect);
    const put = (a, b) => rect.attr({invisible: false, shape: {x: Math.min(a[0], b[0]), y: Math.min(a[1], b[1]),
        width: Math.abs(a[0] - b[0]), height: Math.abs(a[1] - b[1])}});
    zr.on("mousedown", event => { from = inGrid([event.offsetX, event.offsetY]) ? [event.offsetX, event.offsetY] : null; });
    zr.on("mousemove", event => { if (from && Math.hypot(event.offsetX - from[0], event.offsetY - from[1]) > least) put(from, [event.offsetX, event.offsetY]); });
    zr.on("mouseup", event => {
        const begun = from, to = [event.offsetX, event.offsetY];
        from = null;
        if (!begun || Math.abs(to[0] - begun[0]) < least || Math.abs(to[1] - begun[1]) < least) return;
        const [a, b] = [begun, to].map(at => made.chart.convertFromPixel({gridIndex: 0}, at));
        done(...[0, 1].map(i => [Math.min(a[i], b[i]), Math.max(a[i], b[i])]));
    });
    return {show(ranges) {
        if (!ranges) rect.attr({invisible: true});
        else put(...[0, 1].map(end => made.chart.convertToPixel({gridIndex: 0}, [ranges[0][end], ranges[1][end]])));
    }};
}

function scatterChart(into) {
    let x = [...["cost.caches", "cost.channels", "cost.peak"].map(figureNamed), ...usual.slice(1), ...figures]
        .find(figure => figure && figure !== state.figure && differs(figure)) || figures[0];
    let y = state.figure, logX = false, logY = false, ringsNow = null, tolerance = noise, frame = null;
    const rings = (list, item) => ({type: "scatter", id: "rings", symbolSize: 15, itemStyle: {color: "rgba(0,0,0,0)", borderColor: paint.ink,
        borderWidth: 2}, data: list.filter(d => d.design.points.some(p => state.chosen.includes(p))).map(item)});
    const names = el("div", {id: "front"});
    const made = card(into, "", 420, [
        select("x", figureChoices(), x, value => { x = value; draw(); }), toggle("log", logX, is => { logX = is; draw(); }),
        select("y", figureChoices(), y, value => { y = value; draw(); }), toggle("log", logY, is => { logY = is; draw(); }),
        select("tolerance", [["exact", 0], ["1 %", 0.01], ["2 %", 0.02], ["5 %", 0.05]], tolerance, value => { tolerance = value; draw(); })]);
    into.append(names);
    const framing = frameOf(made, ([fromX, toX], [fromY, toY]) => {
        const isIn = new Set(designs(unframedPoints()).filter(d => {
            const [a, b] = [designValue(d, x), designValue(d, y)];
            return a >= fromX && a <= toX && b >= fromY && b <= toY;
        }).flatMap(d => d.points));
        frame = {x, y, ranges: [[fromX, toX], [fromY, toY]]};
        state.conditions.area = [{text: x.name + " " + show(fromX, 3) + ".." + show(toX, 3) + ", " + y.name + " " + show(fromY, 3) + ".." + show(toY, 3),
            test: p => isIn.has(p), clear: unframe}];
        tell("points");
    });
    function unframe() {
        frame = null;
        state.conditions.area = [];
        tell("points");
    }

    function draw() {
        const all = designs(unframedPoints()).map(d => ({design: d, x: designValue(d, x), y: designValue(d, y)}))
            .filter(d => isNumber(d.x) && isNumber(d.y) && (!logX || d.x > 0) && (!logY || d.y > 0));
        const isIn = passes(state.conditions.area), list = all.filter(d => d.design.points.every(isIn)), others = all.filter(d => !list.includes(d));
        const best = front(list, x, y, tolerance);
        const item = d => ({value: [d.x, d.y], design: d.design});
        // Bars of all dots would hide each other.
        const barred = () => !isSampled ? [] : list.filter(d => best.includes(d) || d.design.points.some(p => state.chosen.includes(p)))
            .map(d => [d.x, d.y, designHalf(d.design, x), designHalf(d.design, y)]);
        const ends = at => barred().flatMap(bar => [bar[at] - bar[at + 2], bar[at] + bar[at + 2]]).filter(isNumber);
        const reach = (at, isLog) => !isSampled || isLog ? {} : {min: ({min, max}) => roundTo(Math.min(min, ...ends(at)), max - min, Math.floor),
            max: ({min, max}) => roundTo(Math.max(max, ...ends(at)), max - min, Math.ceil)};
        const half = (design, figure) => designHalf(design, figure) > 0 ? " \u00b1 " + show(designHalf(design, figure), 2) : "";
        const axis = (figure, isLog) => ({type: isLog ? "log" : "value", scale: true, name: figureText(figure) + betterText(figure), nameLocation: "middle", nameGap: 34});
        made.heading.textContent = y.name + " against " + x.name;
        made.note.textContent = (workloadAxis >= 0 && state.workload < 0 ? "Each dot is a design: its " + (y.ratio ? "geometric" : "arithmetic")
            + " mean of " + y.name + " over all workloads. " : "Each dot is a point. ") + "The labels are point numbers (of a design, its first point). "
            + "Click a dot to choose it; rings mark the chosen points. Drag a frame around dots to show their points only, everywhere on this page."
            + (tolerance && best.length ? " A step of the front gains more than " + 100 * tolerance + " %." : "")
            + (isSampled ? " Bars are intervals at " + confidence + " %, of the front and of the chosen points." : "")
            + (x.better === "neither" || y.better === "neither" ? " There is no Pareto front, because for "
                + [x, y].filter(figure => figure.better === "neither").map(figure => figure.name).join(" and ") + " neither lower nor higher is better." : "");
        made.set({
            grid: {left: 80, right: 30, top: 20, bottom: 55}, xAxis: Object.assign(axis(x, logX), reach(0, logX)),
            yAxis: Object.assign(axis(y, logY), {nameGap: 55}, reach(1, logY)),
            tooltip: tooltip(({data}) => data.design && pointName(data.design.first) + "\n" + x.name + " " + show(data.value[0]) + half(data.design, x) + "\n"
                + y.name + " " + show(data.value[1]) + half(data.design, y) + "\n" + describe(data.design.first, state.workload < 0 ? workloadAxis : -1)),
            series: [
                {type: "scatter", large: true, largeThreshold: 2000, symbolSize: 7, itemStyle: {color: colours[0], opacity: list.length > 1000 ? 0.3 : isDark ? 0.9 : 0.6}, data: list.map(item)},
                {type: "line", step: "end", symbol: "none", silent: true, lineStyle: {color: colours[1]}, data: best.map(d => [d.x, d.y])},
                {type: "scatter", symbol: "diamond", symbolSize: 12, itemStyle: {color: colours[1]}, data: best.map(item),
                    label: {show: true, position: "top", color: paint.ink, textBorderColor: paint.paper, textBorderWidth: 3, formatter: ({data}) => pointName(data.design.first)},
                    labelLayout: {moveOverlap: "shiftY"}},
                rings(list, item), ...(others.length ? [{type: "scatter", symbolSize: 5, silent: true, itemStyle: {color: paint.line, opacity: 0.5},
                    data: others.map(d => [d.x, d.y])}] : []), ...(isSampled ? [errorBars("bars", barred())] : [])]});
        framing.show(frame && frame.x === x && frame.y === y ? frame.ranges : null);
        ringsNow = () => [rings(list, item), ...(isSampled ? [errorBars("bars", barred())] : [])];
        made.rows = () => [["point", x.name, y.name, "on the front", ...axes.map(a => a.key)]].concat(list.map(d =>
            [d.design.first.number, d.x, d.y, best.includes(d) ? "yes" : "no", ...axes.map((a, i) => levelName(d.design.first, i))]));
        names.replaceChildren();
        if (best.length) smallTable(names, ["front", ...axes.filter((a, i) => i !== workloadAxis || state.workload >= 0).map(a => a.key), figureText(x),
            figureText(y), ...(isSampled ? [y.name + " against the one before"] : [])], best.map((d, at) => [pointName(d.design.first), ...axes.map((a, i) => i)
            .filter(i => i !== workloadAxis || state.workload >= 0).map(i => levelName(d.design.first, i)), d.x, d.y, ...(isSampled ? [at === 0 ? "\u2013"
                : areDesignsHidden(best[at - 1].design, d.design, y) ? notDifferent : "different"] : [])]), "front");
    }
    made.chart.on("click", ({data}) => { if (data && data.design) choose(data.design.first); });
    on("selected", draw);
    on("view", () => { y = y === made.followed ? state.figure : y; made.followed = state.figure; draw(); });
    on("chosen", () => {
        const series = ringsNow();
        series.forEach(own => { made.option.series[made.option.series.findIndex(other => other.id === own.id)] = own; });
        made.chart.setOption({series});
    });
    on("colours", draw);
    made.followed = state.figure;
    draw();
    return made;
}

// ---- one axis
const effectValue = (point, figure) => state.workload >= 0 ? valueOf(point, figure) : relative(point, figure);
const effectText = figure => state.workload >= 0 ? figureText(figure) : relativeText(figure);
const quantile = (sorted, share) => {
    const at = share * (sorted.length - 1), low = Math.floor(at);
    return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
};
function levelsOf(axis, figure, list = shownPoints()) {
    return axes[axis].names.map((name, level) => {
        const values = list.filter(p => p.levels[axis] === level).map(p => effectValue(p, figure))
            .filter(canBeMeant(figure)).sort((a, b) => a - b);
        return {name, values, mean: meanOf(figure, values)};
    });
}
// By how much an axis' best mean differs from its worst.
function strengthOf(axis, figure) {
    const means = levelsOf(axis, figure).map(level => level.mean).filter(isNumber);
    return means.length ? figure.ratio ? Math.max(...means) / Math.min(...means) - 1 : Math.max(...means) - Math.min(...means) : -1;
}
const isChoice = axis => axis !== workloadAxis && axes[axis].names.length > 1;

function effectCharts(into) {
    const grid = el("div", {class: "cards"}), note = el("p", {class: "note"});
    const list = axes.map((axis, i) => i).filter(isChoice).map(axis => ({axis, card: null}));
    into.append(note, grid);

    function draw() {
        const figure = state.figure;
        list.forEach(one => {
            one.levels = levelsOf(one.axis, figure);
            one.ends = one.levels.map((level, i) => i).filter(i => isNumber(one.levels[i].mean))
                .sort((a, b) => one.levels[a].mean - one.levels[b].mean);
            one.half = isSampled && one.ends.length > 1 ? levelsHalf(one.axis, one.ends[0], one.ends[one.ends.length - 1], figure) : 0;
            one.strength = strengthOf(one.axis, figure);
        });
        list.sort((a, b) => b.strength - a.strength || a.axis - b.axis);
        list.forEach(one => {
            const axis = axes[one.axis], isNew = !one.card, made = one.card || (one.card = card(grid, "", 300, []));
            grid.append(made.element);
            if (isNew) made.chart.on("click", ({dataIndex}) => { if (dataIndex !== undefined) filterLevels([[one.axis, dataIndex]]); });
            const isNone = isSampled && one.strength >= 0 && (figure.ratio ? Math.log1p(one.strength) : one.strength) <= one.half;
            const about = one.half > 0 ? " \u00b1 " + (figure.ratio ? show(100 * (1 + one.strength) * one.half, 2) : show(one.half, 2)) : "";
            made.heading.textContent = axis.key + ": " + (isNone ? "none, " + notDifferent : figure.ratio ? show(100 * one.strength, 3) + about + " %"
                : show(one.strength, 3) + about + " " + figure.unit);
            const known = one.levels.map(level => level.values.length > 0);
            made.set({
                grid: {left: 70, right: 20, top: 15, bottom: 60},
                xAxis: {type: "category", data: one.levels.map(level => level.name), name: axis.key, nameLocation: "middle", nameGap: 36,
                    axisLabel: {interval: 0, hideOverlap: true, width: Math.max(40, 330 / one.levels.length), overflow: "truncate"}},
                yAxis: {type: "value", scale: true, name: effectText(figure), nameLocation: "middle", nameGap: 50,
                    nameTextStyle: {fontSize: 10, width: 220, overflow: "break"}},
                tooltip: tooltip(({dataIndex}) => {
                    const {name, values, mean} = one.levels[dataIndex];
                    return axis.key + " " + name + "\nmean " + show(mean) + "\nleast " + show(values[0]) + ", most "
                        + show(values[values.length - 1]) + "\nmiddle half " + show(quantile(values, 0.25)) + " to "
                        + show(quantile(values, 0.75)) + "\n" + values.length + " points";
                }),
                series: [
                    {type: "boxplot", boxWidth: [8, 26], itemStyle: {color: paint.box, borderColor: paint.faint},
                        data: one.levels.map((level, i) => known[i] ? [0, 0.25, 0.5, 0.75, 1].map(share => quantile(level.values, share))
                            : [NaN, NaN, NaN, NaN, NaN])},
                    {type: axis.numbers ? "line" : "scatter", symbol: "circle", symbolSize: 9, itemStyle: {color: colours[1]},
                        lineStyle: {color: colours[1]}, data: one.levels.map((level, i) => known[i] ? level.mean : null)}]});
            made.rows = () => [["axis", "level", "mean", "least", "quarter", "median", "three quarters", "most", "points"]].concat(
                one.levels.map(({name, values, mean}) => [axis.key, name, mean, ...[0, 0.25, 0.5, 0.75, 1].map(s => quantile(values, s)),
                    values.length]));
        });
        note.textContent = "The axis with the largest effect comes first; its title gives the difference between its best and its worst mean. A dot is the "
            + (figure.ratio ? "geometric " : "") + "mean over all other axes, a box spans the middle half of the points, and the "
            + "whiskers span all of them. A line joins the means of numbers, but not those of categories. A click on a value shows its points only, and again all."
            + (isSampled ? " Points are estimates from regions: \u00b1 is of the difference of the two means, region by region, at " + confidence + " %." : "");
    }
    on("view", draw);
    on("selected", draw);
    on("colours", draw);
    draw();
    return list;
}

// ---- two axes
function pairCells(rows, columns, figure) {
    const cells = axes[rows].names.map(() => axes[columns].names.map(() => []));
    shownPoints().forEach(p => {
        const value = effectValue(p, figure);
        if (canBeMeant(figure)(value)) cells[p.levels[rows]][p.levels[columns]].push(value);
    });
    return cells.map(row => row.map(list => meanOf(figure, list)));
}
// What each cell has beyond both axes' own effects: a factor of ratios, else a difference.
function beyond(cells, figure) {
    const into = figure.ratio ? Math.log : v => v;
    const logs = cells.map(row => row.map(into)), known = list => list.filter(isNumber);
    const all = arithmetic(known(logs.flat()));
    const rowMeans = logs.map(row => arithmetic(known(row))), columnMeans = logs[0].map((_, c) => arithmetic(known(logs.map(row => row[c]))));
    return logs.map((row, r) => row.map((v, c) => v - rowMeans[r] - columnMeans[c] + all));
}

// Shades are of a cell's distance from the mean of all, the same distance as dark on both sides. What is nearer than the
// noise has no shade at all, and the scale spans at least leastSpan.
function pairChart(into) {
    const choices = axes.map((axis, i) => [axis.key, i]).filter(([, i]) => isChoice(i));
    if (choices.length < 2) return null;
    let rows = choices[0][1], columns = choices[1][1], kind = "mean", strongest = -1;
    choices.forEach(([, a], i) => choices.slice(i + 1).forEach(([, b]) => {
        const most = Math.max(...beyond(pairCells(a, b, state.figure), state.figure).flat().filter(isNumber).map(Math.abs));
        if (most > strongest) [strongest, rows, columns] = [most, a, b];
    }));
    if (raw.about.rows) [rows, columns] = [raw.about.rows, raw.about.columns].map(key => axes.findIndex(axis => axis.key === key));
    const made = card(into, "", 380, [select("rows", choices, rows, value => { rows = value; draw(); }),
        select("columns", choices, columns, value => { columns = value; draw(); }),
        select("show", [["mean", "mean"], ["beyond both effects", "beyond"]], kind, value => { kind = value; draw(); })]);

    function draw() {
        const figure = state.figure, cells = pairCells(rows, columns, figure), known = cells.flat().filter(isNumber);
        const into = figure.ratio ? Math.log : v => v, middle = arithmetic(known.map(into));
        const distances = kind === "mean" ? cells.map(row => row.map(v => into(v) - middle)) : beyond(cells, figure);
        const floor = figure.ratio ? Math.log(1 + noise) : noise * Math.abs(middle);
        const most = Math.max(figure.ratio ? Math.log(1 + leastSpan) : leastSpan * Math.abs(middle), 1e-12, ...distances.flat().filter(isNumber).map(Math.abs));
        const distanceText = d => figure.ratio ? (d >= 0 ? "+" : "") + show(100 * (Math.exp(d) - 1), 3) + " %" : (d >= 0 ? "+" : "") + show(d, 3);
        const data = [];
        distances.forEach((row, r) => row.forEach((d, c) => {
            if (isNumber(d)) data.push({value: [c, r, Math.abs(d) < floor ? 0 : d], distance: d, mean: cells[r][c],
                label: {color: Math.abs(d) > 0.6 * most ? (isDark ? "#111" : "#fff") : paint.ink}});
        }));
        made.heading.textContent = axes[rows].key + " and " + axes[columns].key;
        made.note.textContent = (kind === "mean" ? "The numbers are means of " + effectText(figure) + "; the shades show the difference from the mean of all cells."
            : "The difference between a cell and what the two axes predict on their own: 0 if their effects just " + (figure.ratio ? "multiply." : "add up."))
            + " Differences below " + distanceText(floor).replace("+", "") + " are not shaded; " + (figure.better === "neither" ? "blue is lower, orange is higher."
            : "blue is better, orange is worse.");
        const shades = [paint.best, paint.better, paint.box, paint.worse, paint.worst];
        if (figure.better === "higher") shades.reverse();
        const isNarrow = made.chart.getWidth() < 620;
        made.resize(Math.min(900, Math.max(260, (isNarrow ? 210 : 150) + 36 * axes[rows].names.length)));
        made.set({
            grid: isNarrow ? {left: 95, right: 10, top: 15, bottom: 125} : {left: 150, right: 130, top: 15, bottom: 65},
            xAxis: {type: "category", data: axes[columns].names, name: axes[columns].key, nameLocation: "middle", nameGap: 38},
            yAxis: {type: "category", data: axes[rows].names, name: axes[rows].key, nameLocation: "middle", nameGap: isNarrow ? 72 : 110, inverse: true,
                axisLabel: {width: isNarrow ? 58 : 95, overflow: "truncate"}},
            tooltip: tooltip(({data: cell}) => axes[rows].key + " " + axes[rows].names[cell.value[1]] + "\n" + axes[columns].key + " "
                + axes[columns].names[cell.value[0]] + "\nmean " + show(cell.mean) + "\n" + distanceText(cell.distance)),
            visualMap: {type: "continuous", min: -most, max: most, dimension: 2, calculable: false,
                ...(isNarrow ? {orient: "horizontal", left: "center", bottom: 0} : {right: 5, top: "middle"}), itemHeight: 160,
                inRange: {color: shades}, text: [distanceText(most), distanceText(-most)], formatter: distanceText},
            series: [{type: "heatmap", data, label: {show: true, fontSize: 11, formatter: ({data: cell}) =>
                kind === "mean" ? show(cell.mean, 3) : distanceText(cell.distance)}, itemStyle: {borderColor: paint.paper, borderWidth: 1}}]});
        made.rows = () => [[axes[rows].key, axes[columns].key, "mean", "beyond both effects"]].concat(cells.flatMap((row, r) =>
            row.map((v, c) => [axes[rows].names[r], axes[columns].names[c], v, distanceText(beyond(cells, figure)[r][c])])));
        made.shades = data.map(cell => cell.value[2]);
    }
    made.again = () => draw();
    made.chart.on("click", ({data}) => { if (data && data.value) filterLevels([[rows, data.value[1]], [columns, data.value[0]]]); });
    on("selected", draw);
    on("view", draw);
    on("colours", draw);
    draw();
    return made;
}
