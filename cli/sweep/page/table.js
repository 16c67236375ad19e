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

function pointsTable(into) {
    const columns = [{name: "point", of: p => p.number, order: p => p.number, isFigure: true},
        {name: "state", of: p => p.state, order: p => p.state}]
        .concat(axes.map((axis, i) => ({name: axis.key, of: p => levelName(p, i), order: p => p.levels[i]})))
        .concat(figures.map(figure => (
            {name: figureText(figure), help: figure.help, of: p => valueOf(p, figure), order: p => valueOf(p, figure), isFigure: true})));
    let sorted = columns[0], isDown = false, rows = points;
    const inputs = columns.map(column => el("input", {"aria-label": "filter " + column.name, oninput: filter,
        placeholder: column.isFigure ? "<, 2..5" : "part, =all"}));
    const headings = columns.map((column, i) => el("th", {scope: "col", title: column.help || null},
        el("button", {onclick: () => sortBy(column)}, column.name), inputs[i]));
    const body = el("tbody"), count = el("span", {id: "count"});
    const scroll = el("div", {class: "scroll", id: "points", tabindex: "0", onscroll: draw},
        el("table", {}, el("thead", {}, el("tr", {}, headings)), body));

    function sortBy(column) {
        isDown = sorted === column && !isDown;
        sorted = column;
        arrange();
    }
    function filter() {
        const asked = columns.map((column, i) => [column, condition(inputs[i].value, column.isFigure)]).filter(([, test]) => test);
        state.filtered = asked.length ? points.filter(p => asked.every(([column, test]) => test(column.of(p)))) : points;
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
        const first = Math.max(0, Math.floor(scroll.scrollTop / rowHeight) - 10), last = Math.min(rows.length, first + 50);
        const made = rows.slice(first, last).map(p => el("tr", {class: state.chosen.includes(p) ? "chosen" : "",
            "data-point": p.number, onclick: () => choose(p)},
            columns.map(column => el("td", {}, column.isFigure ? show(column.of(p), 6) : column.of(p)))));
        body.replaceChildren(...[space(first * rowHeight), ...made, space((rows.length - last) * rowHeight)].filter(row => row));
    }

    into.append(el("div", {class: "bar"}, el("h3", {}, "Points"), count,
        el("button", {onclick: () => { inputs.forEach(input => { input.value = ""; }); filter(); }}, "clear filters"),
        el("span", {class: "gap"}),
        el("button", {id: "csv", onclick: () => save("points.csv", "text/csv", csv(table.rows()))}, "CSV")), scroll,
        el("p", {class: "note"}, "A click on a heading sorts, again the other way; a click on a row chooses the point for the "
            + "charts below. Filters: a part of a name, or =name; of numbers <3, >=2, 2..5."));
    const table = {rows: () => [columns.map(c => c.name)].concat(rows.map(p => columns.map(c => c.of(p))))};
    on("points", arrange);
    on("view", arrange);
    on("chosen", draw);
    arrange();
    return table;
}

// Points that pass the filters and the workload; with what is brushed, those that the table has.
const candidates = () => state.filtered.filter(isOfWorkload);
const shownPoints = () => state.brushed ? candidates().filter(p => state.brushed.has(p)) : candidates();

// Tables of a few rows.
function smallTable(into, headings, rows, name) {
    into.append(el("div", {class: "wide"}, el("table", {}, el("tr", {}, headings.map(text => el("th", {}, text))),
        rows.map(row => el("tr", {}, row.map(cell => el("td", {}, typeof cell === "number" ? show(cell, 5) : cell)))))),
        el("button", {onclick: () => save(name + ".csv", "text/csv", csv([headings].concat(rows)))}, "CSV"));
}
