// The table of points: sorted by a click on a heading, filtered by what stands below it; only rows in sight exist.
const rowHeight = 24;

// "<3", ">=2", "2..5", "=4" of numbers; "=name" or a part of the name of all else. null: all pass.
function condition(text, isFigure) {
    const asked = text.trim(), range = /^(\S+)\s*\.\.\s*(\S+)$/.exec(asked), sign = /^(<=|>=|<|>|!=|=)\s*(.+)$/.exec(asked);
    if (!asked) return null;
    if (isFigure && range) return value => value >= Number(range[1]) && value <= Number(range[2]);
    if (isFigure) {
        const limit = Number(sign ? sign[2] : asked);
        if (Number.isNaN(limit)) return () => false;
        switch (sign ? sign[1] : "=") {
        case "<": return value => isNumber(value) && value < limit;
        case "<=": return value => isNumber(value) && value <= limit;
        case ">": return value => isNumber(value) && value > limit;
        case ">=": return value => isNumber(value) && value >= limit;
        case "!=": return value => isNumber(value) && show(value) !== show(limit);
        default: return value => isNumber(value) && show(value) === show(limit);
        }
    }
    if (sign && sign[1] === "=") return value => value === sign[2];
    if (sign && sign[1] === "!=") return value => value !== sign[2];
    return value => value.toLowerCase().includes(asked.toLowerCase());
}

// Keys of the configuration in which points differ and that are no axes, with what each has; made when somebody asks, as
// configurations are long.
let settings = null;
function settingsOf() {
    if (settings) return settings;
    const known = new Map(), keys = new Set();
    let first = null;
    points.filter(p => p.config >= 0 && !known.has(p.config)).forEach(p => {
        const own = configOf(p);
        first = first || own;
        const differing = new Map([...own].filter(([key, value]) => first.get(key) !== value));
        first.forEach((_, key) => { if (!own.has(key)) differing.set(key, "\u2013"); });
        differing.forEach((_, key) => keys.add(key));
        known.set(p.config, differing);
    });
    settings = [...keys].filter(key => !axes.some(axis => axis.key === key)).sort().map(key => (
        {key, of: p => p.config < 0 ? "\u2013" : known.get(p.config).get(key) ?? first.get(key) ?? "\u2013"}));
    return settings;
}
// Quantities by their size, words by their letters.
const sizeOf = text => {
    const [, number, unit] = /^(-?[0-9.]+(?:e[+-]?[0-9]+)?)\s*([A-Za-z/%]*)$/.exec(text) || [];
    const scale = {KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, B: 1, ps: 1, ns: 1e3, us: 1e6, ms: 1e9, kHz: 1e3, MHz: 1e6, GHz: 1e9};
    return number === undefined ? text : Number(number) * (scale[unit] || 1);
};

// A bar of the cycles of each instruction by where they went.
const mostCycles = sides.map(side => points.reduce((most, p) => Math.max(most, side.each(p) || 0), 0));
function stackCell(point, i) {
    const cycles = stackOf(point, sides[i]);
    if (!cycles) return el("td", {}, "\u2013");
    return el("td", {class: "stack", title: sides[i].parts.map((part, k) => part.name + " " + show(cycles[k], 3)).join("\n")},
        el("div", {style: "width:" + show(100 * sides[i].each(point) / mostCycles[i]) + "%"}, cycles.map((c, k) => c > 0 ? el("span",
            {style: "flex:" + show(c) + ";background:" + (k < colours.length ? colours[k] : "repeating-linear-gradient(45deg,"
                + colours[k % colours.length] + " 0 4px," + paint.paper + " 4px 6px)")}) : null)));
}

function pointsTable(into) {
    const text = (name, of) => ({name, of, order: of});
    const figureColumn = figure => ({name: figureText(figure), help: figure.help, of: p => valueOf(p, figure),
        order: p => valueOf(p, figure), isFigure: true, text: p => withHalf(p, figure, 6),
        csv: isSampled ? [[figure.name, p => valueOf(p, figure)], [figure.name + ".ci", p => sampleOf(p) ? halfOf(p, figure) : null]] : undefined});
    const fixed = [{name: "point", of: p => p.number, order: p => p.number, isFigure: true}, text("state", p => p.state)]
        .concat(axes.map((axis, i) => ({name: axis.key, of: p => levelName(p, i), order: p => p.levels[i]})));
    const stacks = sides.map((side, i) => ({name: "cycles of " + side.name, help: side.unit + ", by where they went",
        order: p => side.each(p), cell: p => stackCell(p, i), csv: side.parts.map(part => [side.name + " " + part.name,
            p => (stackOf(p, side) || [])[side.parts.indexOf(part)]])})).filter((column, i) => points.some(p => stackOf(p, sides[i])));
    const extra = [...(points.some(p => p.bound) ? [text("bound by", p => p.bound)] : []),
        ...(points.some(p => p.error) ? [text("error", p => p.error)] : []), ...stacks, ...figures.map(figureColumn)];
    const chosenExtra = extra.filter(column => !column.isFigure || usual.some(figure => figureText(figure) === column.name));
    let columns = [], inputs = [], headings = [], sorted = null, isDown = false, rows = points, isPrinted = false;
    const mostPrinted = 100;
    const head = el("tr"), body = el("tbody"), count = el("span", {id: "count"});
    const scroll = el("div", {class: "scroll", id: "points", tabindex: "0", onscroll: draw},
        el("table", {}, el("thead", {}, head), body));
    const choice = chooser("columns", extra.map(column => [column.name, column, column.help]), chosenExtra, lay);
    const more = chooserOfSettings();

    // Filters of columns that stay, stay.
    function lay() {
        const asked = new Map(columns.map((column, i) => [column, inputs[i] ? inputs[i].value : ""]));
        columns = [...fixed, ...chosenExtra, ...more.list];
        inputs = columns.map(column => column.cell ? null : el("input", {"aria-label": "filter " + column.name, oninput: filter,
            placeholder: column.isFigure ? "<, 2..5" : "part, =all"}));
        inputs.forEach((input, i) => { if (input) input.value = asked.get(columns[i]) || ""; });
        headings = columns.map((column, i) => el("th", {scope: "col", title: column.help || null},
            el("button", {onclick: () => sortBy(column)}, column.name), inputs[i] || []));
        head.replaceChildren(...headings);
        if (!columns.includes(sorted)) [sorted, isDown] = [columns[0], false];
        filter();
    }
    function chooserOfSettings() {
        const list = [], made = el("span");
        const open = el("button", {id: "settings", onclick: event => {
            const all = settingsOf().map(({key, of}) => [key, {name: key, of, order: p => sizeOf(of(p))}]);
            const chooserNow = chooser("configuration", all, list, lay);
            chooserNow.open = true;
            made.replaceChildren(all.length ? chooserNow : "all points have the same configuration apart from the axes");
            event.stopPropagation();
        }}, "configuration");
        made.append(open);
        return {list, element: made};
    }

    function sortBy(column) {
        isDown = sorted === column && !isDown;
        sorted = column;
        arrange();
    }
    function filter() {
        const asked = columns.map((column, i) => [column, inputs[i] && condition(inputs[i].value, column.isFigure)]).filter(([, test]) => test);
        state.filtered = asked.length ? points.filter(p => asked.every(([column, test]) => test(column.of(p)))) : points;
        state.conditions.table = asked.map(([column, test]) => {
            const input = inputs[columns.indexOf(column)];
            return {text: column.name + " " + input.value.trim(), test: p => test(column.of(p)), clear: () => { input.value = ""; filter(); }};
        });
        tell("points");
    }
    // Points without a value stand last, whichever way.
    function arrange() {
        const side = isDown ? -1 : 1, known = v => v !== null && v !== undefined && !Number.isNaN(v);
        rows = shownPoints().slice().sort((a, b) => {
            const one = sorted.order(a), two = sorted.order(b);
            if (!known(one) || !known(two)) return known(two) - known(one) || a.number - b.number;
            return one < two ? -side : one > two ? side : a.number - b.number;
        });
        headings.forEach((heading, i) => {
            if (columns[i] === sorted) heading.setAttribute("aria-sort", isDown ? "descending" : "ascending");
            else heading.removeAttribute("aria-sort");
            heading.firstChild.textContent = columns[i].name + (columns[i] === sorted ? isDown ? " \u25bc" : " \u25b2" : "");
        });
        count.textContent = rows.length + " of " + points.length + " points";
        draw();
    }
    function space(height) {
        return height ? el("tr", {class: "space"}, el("td", {colspan: columns.length, style: "height:" + height + "px"})) : null;
    }
    function draw() {
        const first = isPrinted ? 0 : Math.max(0, Math.floor(scroll.scrollTop / rowHeight) - 10);
        const last = Math.min(rows.length, isPrinted ? mostPrinted : first + 50);
        const made = rows.slice(first, last).map(p => el("tr", {class: state.chosen.includes(p) ? "chosen" : "",
            "data-point": p.number, onclick: () => choose(p)},
            columns.map(column => column.cell ? column.cell(p) : el("td", column.isFigure ? {} : {class: "word", title: column.of(p)},
                column.text ? column.text(p) : column.isFigure ? show(column.of(p), 6) : column.of(p)))));
        body.replaceChildren(...[space(first * rowHeight), ...made, space((rows.length - last) * rowHeight)].filter(row => row));
    }

    ["beforeprint", "afterprint"].forEach(name => window.addEventListener(name, () => {
        isPrinted = name === "beforeprint";
        draw();
    }));
    into.append(el("div", {class: "bar"}, el("h3", {}, "Points"), count,
        el("button", {onclick: () => { inputs.forEach(input => { if (input) input.value = ""; }); filter(); }}, "clear filters"),
        el("span", {class: "gap"}), choice, more.element,
        el("button", {id: "csv", onclick: () => save("points.csv", "text/csv", csv(table.rows()))}, "CSV")), scroll,
        el("p", {class: "note"}, "Click a heading to sort, and again to reverse the order. Click a row to choose that point for the "
            + "charts below. To filter, type a part of a name or =name, or for numbers <3, >=2 or 2..5."));
    const cells = () => columns.flatMap(column => column.csv || [[column.name, column.of]]);
    const table = {rows: () => [cells().map(([name]) => name)].concat(rows.map(p => cells().map(([, of]) => of(p))))};
    on("points", arrange);
    on("view", arrange);
    on("chosen", draw);
    on("colours", draw);
    // Filters for these levels, [axis, level], or, where they are what is filtered for, none.
    filterLevels = list => {
        const own = list.map(([axis, level]) => [inputs[fixed.length - axes.length + axis], "=" + axes[axis].names[level]]);
        const isSet = own.every(([input, text]) => input.value === text);
        own.forEach(([input, text]) => { input.value = isSet ? "" : text; });
        filter();
    };
    lay();
    return table;
}
let filterLevels = () => {};

// Points that pass the filters and the workload; with what is brushed, and what is framed in the scatter chart, those that all show.
// Functions, as earlier files call them.
const passes = list => p => list.every(condition => condition.test(p));
function candidates() { return state.filtered.filter(isOfWorkload).filter(passes(state.conditions.area)); }
function shownPoints() { return state.brushed ? candidates().filter(p => state.brushed.has(p)) : candidates(); }
// The same without the frame, for the chart that has it.
function unframedPoints() { return state.filtered.filter(p => isOfWorkload(p) && (!state.brushed || state.brushed.has(p))); }
const conditionsNow = () => [...state.conditions.table, ...state.conditions.brush, ...state.conditions.area];

// If nothing is left: the condition, or the two, that no point passes.
function whyNone() {
    const all = [...conditionsNow(), ...(state.workload < 0 ? [] : [{text: "workload " + axes[workloadAxis].names[state.workload], test: isOfWorkload}])];
    const one = all.find(c => !points.some(c.test));
    if (one) return "no point has " + one.text;
    for (let i = 0; i < all.length; i++)
        for (let k = 0; k < i; k++)
            if (!points.some(p => all[i].test(p) && all[k].test(p))) return "no point has both " + all[k].text + " and " + all[i].text;
    return "no point has all of them";
}

// What is shown, and why, with each condition to drop.
function selectionBar(into) {
    const bar = el("span", {class: "bar", id: "selection"});
    into.append(bar);
    function draw() {
        const all = conditionsNow(), left = shownPoints().length;
        bar.replaceChildren(...(all.length || !left ? [el("b", {}, left + " of " + points.length + " points"), ...all.map(c =>
            el("button", {class: "chip", title: "a click drops this condition", onclick: c.clear}, c.text + " \u00d7")),
        ...(left ? [] : [el("span", {class: "none"}, whyNone())]),
        ...(all.length > 1 ? [el("button", {onclick: () => conditionsNow().forEach(c => c.clear())}, "all points")] : [])] : []));
    }
    on("points", draw);
    on("view", draw);
    draw();
}

// Tables of a few rows.
function smallTable(into, headings, rows, name) {
    into.append(el("div", {class: "wide"}, el("table", {}, el("tr", {}, headings.map(text => el("th", {}, text))),
        rows.map(row => el("tr", {}, row.map(cell => el("td", {}, typeof cell === "number" ? show(cell, 5) : cell)))))),
        el("button", {onclick: () => save(name + ".csv", "text/csv", csv([headings].concat(rows)))}, "CSV"));
}
