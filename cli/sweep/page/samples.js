// Points that are estimates from regions: half widths of their intervals, and differences of two points region by region, as
// replay/regions/pairs.c has them. An exact value has a half width of 0, an unknown one NaN.
// Functions of this file are declared, as base.js calls them before its end.
function sampleOf(point) { return raw.samples[point.index] || null; }
const isSampled = points.some(sampleOf);
const confidence = points.reduce((most, p) => Math.max(most, sampleOf(p) ? sampleOf(p).confidence : 0), 0);
const notDifferent = "not different at " + confidence + " %";
function halfOf(point, figure) {
    const sample = sampleOf(point), half = sample ? sample.halves[figure.index] : 0;
    return isNumber(half) ? half : NaN;
}
// What is drawn: nothing for exact values.
function barOf(point, figure) { return sampleOf(point) && halfOf(point, figure) > 0 ? halfOf(point, figure) : 0; }
function withHalf(point, figure, digits) {
    return show(valueOf(point, figure), digits) + (barOf(point, figure) ? " \u00b1 " + show(barOf(point, figure), 2) : "");
}

// Student's t for degrees of freedom: of a table to 30, then between it and the normal value by 1 / degrees.
function quantileT(freedom) {
    const table = raw.about.t, most = table.length - 1;
    return freedom <= most ? table[freedom] : table[0] + (table[most] - table[0]) * most / freedom;
}
// By how much a figure changes without each region, of the figures that the page has this of.
function movesOf(point, figure) {
    const sample = sampleOf(point), moves = sample && sample.moves[figure.index];
    return moves ? {...sample, moves, value: valueOf(point, figure)} : null;
}
function shares(side, stratum) {
    const own = side.numbers.map((number, i) => ({number, move: side.moves[i], stratum: side.strata[i]})).filter(r => r.stratum === stratum);
    return own.map(r => ({number: r.number, share: -(own.length - 1) * r.move}));
}
function squares(list) {
    const middle = arithmetic(list);
    return list.reduce((sum, v) => sum + (v - middle) ** 2, 0);
}
// Half the width of the interval of b - a, of two samples of one set.
function pairedHalf(a, b) {
    let variance = 0, freedom = 0;
    for (let stratum = 0; stratum < a.intervals.length; stratum++) {
        const of = a.intervals[stratum], one = shares(a, stratum), two = shares(b, stratum), at = new Map(two.map(r => [r.number, r.share]));
        const pairs = one.filter(r => at.has(r.number)).map(r => [r.share, at.get(r.number)]);
        if (one.length >= of && two.length >= of) continue;
        if (pairs.length < 2) return NaN;
        const middles = [0, 1].map(k => arithmetic(pairs.map(pair => pair[k])));
        const covariance = pairs.reduce((sum, [x, y]) => sum + (x - middles[0]) * (y - middles[1]), 0) / (pairs.length - 1);
        const part = list => squares(list.map(r => r.share)) / (list.length - 1) * (1 / list.length - 1 / of);
        variance += part(one) + part(two) - 2 * covariance * (pairs.length / (one.length * two.length) - 1 / of);
        freedom += pairs.length - 1;
    }
    return variance > 0 && freedom > 0 ? quantileT(freedom) * Math.sqrt(variance) : 0;
}
function differenceHalf(one, two, figure) {
    if (!sampleOf(one) && !sampleOf(two)) return 0;
    const a = movesOf(one, figure), b = movesOf(two, figure);
    return a && b && a.set === b.set ? pairedHalf(a, b) : Math.hypot(halfOf(one, figure), halfOf(two, figure));
}
// Does the interval of the difference have 0 in it?
function isHidden(one, two, figure) {
    if (!sampleOf(one) && !sampleOf(two)) return false;
    return Math.abs(valueOf(two, figure) - valueOf(one, figure)) <= differenceHalf(one, two, figure);
}
// A mean over workloads, which are independent of each other.
function designHalf(design, figure) {
    const relativeTo = p => figure.ratio ? valueOf(p, figure) : 1;
    const share = Math.sqrt(design.points.reduce((sum, p) => sum + (barOf(p, figure) / relativeTo(p)) ** 2, 0)) / design.points.length;
    return (figure.ratio ? designValue(design, figure) : 1) * share;
}

// Are two designs not different, workload by workload?
function areDesignsHidden(one, two, figure) {
    let sum = 0, variance = 0;
    one.points.forEach(p => {
        const other = two.points.find(q => workloadAxis < 0 || q.levels[workloadAxis] === p.levels[workloadAxis]), own = valueOf(p, figure);
        if (!other) return;
        sum += figure.ratio ? Math.log(valueOf(other, figure) / own) : valueOf(other, figure) - own;
        variance += (differenceHalf(p, other, figure) / (figure.ratio ? own : 1)) ** 2;
    });
    return Math.abs(sum) <= Math.sqrt(variance);
}

// The mean of points of one level and workload, as if it were one point: each region moves all of them.
function levelSide(list, figure) {
    const own = list.map(p => movesOf(p, figure));
    if (!own.every(side => side && side.set === own[0].set && side.numbers.join() === own[0].numbers.join())) return null;
    const to = side => figure.ratio ? side.value : 1;
    return {...own[0], value: arithmetic(own.map(side => figure.ratio ? Math.log(side.value) : side.value)),
        moves: own[0].moves.map((_, i) => arithmetic(own.map(side => side.moves[i] / to(side))))};
}
// Of the difference of the means of two levels; a logarithm where figures are ratios. Regions that differ are taken for independent.
function levelsHalf(axis, one, two, figure) {
    const workloads = [...new Set(points.map(p => workloadAxis < 0 ? 0 : p.levels[workloadAxis]))].filter(w => state.workload < 0 || w === state.workload);
    const halves = workloads.map(workload => {
        const lists = [one, two].map(level => shownPoints().filter(p => p.levels[axis] === level && isNumber(valueOf(p, figure))
            && (workloadAxis < 0 || p.levels[workloadAxis] === workload)));
        if (!lists.flat().some(sampleOf)) return 0;
        const both = lists.map(list => levelSide(list, figure));
        if (both[0] && both[1] && both[0].set === both[1].set) return pairedHalf(both[0], both[1]);
        return Math.hypot(...lists.map(list => arithmetic(list.map(p => halfOf(p, figure) / (figure.ratio ? valueOf(p, figure) : 1)))));
    });
    return Math.hypot(...halves) / workloads.length;
}

// The end of an axis that spans about that much, at a number that can be read.
function roundTo(value, span, to) {
    const step = span > 0 ? 10 ** Math.floor(Math.log10(span)) / 2 : 1;
    return Number((to(value / step) * step).toPrecision(12));
}
// Bars of a scatter chart's dots: data [x, y, half in x, half in y].
const errorBars = (id, data) => ({type: "custom", id, silent: true, z: 1, data, encode: {x: [0], y: [1]}, renderItem: (params, api) => {
    const [x, y, halfX, halfY] = [0, 1, 2, 3].map(i => api.value(i)), children = [];
    const line = (from, to) => children.push({type: "line", shape: {x1: from[0], y1: from[1], x2: to[0], y2: to[1]}, style: {stroke: paint.faint, lineWidth: 1.2}});
    const bar = (from, to, [dx, dy]) => {
        line(from, to);
        [from, to].forEach(end => line([end[0] - dx, end[1] - dy], [end[0] + dx, end[1] + dy]));
    };
    if (halfX > 0) bar(api.coord([x - halfX, y]), api.coord([x + halfX, y]), [0, 3]);
    if (halfY > 0) bar(api.coord([x, y - halfY]), api.coord([x, y + halfY]), [3, 0]);
    return {type: "group", children};
}});
