// A table of any metric: rows and columns are values of axes, or whole designs; cells are means of their points, and the last row is the
// mean of each column, as `rubato results --pivot` has them. A column that lacks a cell has no mean: other workloads are another mean.
const harmonic = list => list.length / list.reduce((sum, v) => sum + 1 / v, 0);
const pivotMeans = {arithmetic, geometric, harmonic};
const designAxes = () => axes.map((axis, i) => i).filter(isChoice);
// Of points: {columns, rows: [[name, ...cells]], means}. rows and columns: lists of axes, whose levels together name a row or column.
function pivot(list, rows, columns, figure, mean) {
    const nameOf = (p, of) => of.map(i => levelName(p, i)).join(", ") || "all", keyOf = (p, of) => of.map(i => p.levels[i]).join();
    const sorted = of => [...new Map(list.map(p => [keyOf(p, of), p])).values()].sort((a, b) => {
        const at = of.find(i => a.levels[i] !== b.levels[i]);
        return at === undefined ? 0 : a.levels[at] - b.levels[at];
    });
    const lines = sorted(rows), heads = sorted(columns), values = new Map();
    list.forEach(p => {
        const key = keyOf(p, rows) + "|" + keyOf(p, columns);
        if (!values.has(key)) values.set(key, []);
        values.get(key).push(valueOf(p, figure));
    });
    const isFit = v => isNumber(v) && (mean === "arithmetic" || v > 0);
    const meanOfAll = own => own && own.length && own.every(isFit) ? pivotMeans[mean](own) : NaN;
    const cells = lines.map(r => heads.map(c => meanOfAll(values.get(keyOf(r, rows) + "|" + keyOf(c, columns)))));
    return {columns: heads.map(p => nameOf(p, columns)), rows: lines.map(p => nameOf(p, rows)), points: lines.map(r => heads.map(c =>
        list.filter(p => keyOf(p, rows) === keyOf(r, rows) && keyOf(p, columns) === keyOf(c, columns))[0])), cells,
    means: heads.map((_, c) => meanOfAll(cells.map(row => row[c])))};
}

function pivotTable(into) {
    const mostColumns = 24, mostRows = 60, choices = designAxes();
    const byEffect = choices.slice().sort((a, b) => strengthOf(b, state.figure) - strengthOf(a, state.figure) || a - b);
    const options = [...axes.map((axis, i) => [axis.key, [i]]), ...(choices.length > 1 ? [["whole design", choices]] : [])];
    const optionOf = of => (options.find(([, list]) => list.join() === of.join()) || options[0])[1];
    let rows = optionOf(workloadAxis >= 0 ? [workloadAxis] : byEffect.slice(1, 2)), columns = optionOf(byEffect.slice(0, 1));
    let figure = figureNamed("speedup") || state.figure, mean = "geometric", table = null;
    const body = el("div", {class: "wide"}), note = el("p", {class: "note"});
    const meanList = select("mean", Object.keys(pivotMeans).map(name => [name, name]), mean, value => { mean = value; draw(); });
    const made = {rows: () => [[rows.map(i => axes[i].key).join(", "), ...table.columns], ...table.rows.map((name, r) => [name, ...table.cells[r]]),
        [mean + " mean", ...table.means]]};
    if (!options.length) return null;
    into.append(el("div", {class: "bar"}, el("h3", {}, "Table"), select("of", figureChoices(), figure, value => { figure = value; draw(); }),
        select("rows are", options, rows, value => { rows = value; draw(); }),
        select("columns are", options, columns, value => { columns = value; draw(); }), meanList, el("span", {class: "gap"}),
        el("button", {onclick: () => save("pivot.csv", "text/csv", csv(made.rows())), title: "all rows and columns as CSV"}, "CSV")), body, note);

    function draw() {
        table = pivot(shownPoints(), rows, columns, figure, mean);
        const sign = figure.better === "neither" ? 0 : figure.better === "higher" ? -1 : 1, shown = table.columns.slice(0, mostColumns);
        const best = list => sign ? list.reduce((so, v) => isNumber(v) && !(sign * so <= sign * v) ? v : so, NaN) : NaN;
        const cell = (value, list, point) => el("td", {class: value === best(list) ? "best" : null,
            onclick: point ? () => choose(point) : null, title: point ? describe(point, -1) : null}, show(value, 4));
        const line = (name, list, own) => el("tr", {}, el("th", {scope: "row"}, name), list.slice(0, mostColumns).map((v, c) => cell(v, list, own && own[c])));
        body.replaceChildren(el("table", {id: "pivot-table"}, el("tr", {}, el("th", {}, made.rows()[0][0]), shown.map(name => el("th", {scope: "col"}, name))),
            table.rows.slice(0, mostRows).map((name, r) => line(name, table.cells[r], table.points[r])), line(mean + " mean", table.means)));
        note.textContent = figureText(figure) + betterText(figure) + (figure === speedup ? ", against " + pointName(state.baseline)
            + " and its like of each workload" : "") + "; columns are " + columns.map(i => axes[i].key).join(", ") + ". A cell is the " + mean
            + " mean of its points that pass all filters; bold is the best of a row. The last row is the mean of each column; a column that lacks a cell has none."
            + (table.columns.length > mostColumns || table.rows.length > mostRows ? " Not shown, but in the CSV: " + Math.max(0, table.columns.length - mostColumns)
            + " columns and " + Math.max(0, table.rows.length - mostRows) + " rows." : "");
    }
    on("selected", draw);
    on("view", draw);
    draw();
    made.draw = draw;
    return made;
}
