// Puts the page together. If anything fails, the static page stays as it is.
function start() {
    const explore = document.getElementById("explore"), section = (title, id) => {
        const made = el("section", {id}, el("h2", {}, title));
        page.append(made);
        return made;
    };
    const page = el("div");
    explore.append(page);

    const bar = el("div", {class: "bar sticky"});
    bar.append(select("metric", figureChoices(), state.figure, figure => { state.figure = figure; tell("view"); }));
    if (workloadAxis >= 0)
        bar.append(select("workload", [["all, relative", -1], ...axes[workloadAxis].names.map((name, i) => [name, i])], -1,
            workload => { state.workload = workload; tell("view"); }));
    const against = el("span");
    const offer = () => against.replaceChildren(select("speedup against", [...new Set([state.baseline, ...state.chosen])]
        .map(p => [pointName(p), p]), state.baseline, point => { takeBaseline(point); tell("colours"); tell("view"); }));
    if (state.baseline) {
        bar.append(against);
        on("chosen", offer);
    }
    const theme = el("button", {id: "theme", onclick: () => setDark(!isDark)}, isDark ? "light" : "dark");
    const setDark = is => {
        isDark = is;
        takeColours();
        theme.textContent = isDark ? "light" : "dark";
        tell("colours");
    };
    media.addEventListener("change", () => setDark(media.matches));
    let wasDark = false;
    window.addEventListener("beforeprint", () => {
        wasDark = isDark;
        if (isDark) setDark(false);
    });
    window.addEventListener("afterprint", () => { if (wasDark) setDark(true); });
    page.append(bar);

    const sorted = designs().map(d => [designValue(d, state.figure), d.first]).filter(([value]) => isNumber(value))
        .sort((a, b) => a[0] - b[0] || a[1].number - b[1].number);
    if (sorted.length) state.chosen = [...new Set([state.baseline || sorted[sorted.length - 1][1], sorted[0][1]])];
    chosenBar(bar);
    selectionBar(bar);
    if (state.baseline) offer();
    liveBar(bar);
    bar.append(el("span", {class: "gap"}), theme);

    // Without a script the links of the conclusions lead to the tables.
    const still = document.getElementById("static"), told = [...still.querySelectorAll("[id]")].map(element => [element, element.id]);
    told.forEach(([element]) => element.removeAttribute("id"));
    restore = () => told.forEach(([element, id]) => { element.id = id; });

    const all = section("All points");
    const cards = {parallel: parallelChart(all), table: pointsTable(all)};
    cards.pivot = pivotTable(section("Workloads and designs", "pivot"));
    cards.scatter = scatterChart(section("Two metrics, and the Pareto front"));
    cards.effects = effectCharts(section("Effect of each axis", "effects"));
    if (axes.filter((axis, i) => isChoice(i)).length > 1) cards.pair = pairChart(section("Two axes together", "pair"));
    const cycles = section("What bounds the chosen points", "bound");
    verdicts(cycles);
    cards.stack = stackChart(cycles);
    if (kernelSets.length) cards.roofline = rooflineChart(section("GPU kernels"));
    if (figureNamed("mem.rowhammer.most")) cards.hammer = hammerChart(section("RowHammer"));
    if (raw.memories.length) cards.latency = latencyChart(section("Memories under load"));
    if (raw.errors.length) cards.errors = errorChart(section("Replays against detailed timing"));
    hierarchy(section("Memory hierarchy"));
    comparison(section("Two points side by side", "compare"));

    const fold = el("details", {id: "fold"}, el("summary", {}, "The same as tables, without JavaScript"));
    still.replaceWith(fold);
    fold.append(still);
    still.querySelectorAll("table").forEach((table, i) => table.after(el("button", {onclick: () => save("table-" + (i + 1) + ".csv", "text/csv",
        csv([...table.rows].map(row => [...row.cells].map(cell => cell.textContent))))}, "CSV")));
    document.querySelectorAll("#conclusions a").forEach(link => link.addEventListener("click", event => {
        event.preventDefault();
        follow(link);
    }));
    return cards;
}
// A link of a conclusion chooses its points, and shows the part of the page that it is about.
function follow(link) {
    const numbers = (link.dataset.points || "").split(" ").map(Number), found = points.filter(p => numbers.includes(p.number));
    if (found.length) {
        state.chosen = numbers.map(number => found.find(p => p.number === number)).filter(p => p);
        tell("chosen");
    }
    const target = document.querySelector(link.getAttribute("href"));
    (target.id === "front" ? target.closest("section") : target).scrollIntoView();
}
// A served page asks for the stamp of the results: if it is another one, it loads itself again, or, once the reader has chosen
// something, offers to.
const served = document.querySelector('meta[name="stamp"]');
function liveBar(into) {
    if (!served) return;
    const of = what => points.filter(p => p.state === what).length, text = el("span", {}), live = el("span", {class: "bar", id: "live"}, text);
    const say = more => { text.textContent = of("done") + " of " + points.length + " points done, " + of("failed") + " failed" + more; };
    let isTouched = false;
    ["points", "chosen", "view"].forEach(what => on(what, () => { isTouched = true; }));
    const ask = () => fetch("/stamp", {cache: "no-store"}).then(answer => answer.text()).then(stamp => {
        if (stamp === served.content) return say("");
        if (!isTouched) return location.reload();
        say("; there are newer results");
        if (live.children.length < 2) live.append(el("button", {onclick: () => location.reload()}, "show them"));
        return null;
    }).catch(() => say("; the server has ended"));
    // What start() tells is no choice of the reader's.
    setTimeout(() => { isTouched = false; }, 500);
    setInterval(ask, 4000);
    say("");
    into.append(live);
}
let explorer = null, restore = () => {};
try {
    explorer = start();
} catch (error) {
    document.getElementById("explore").replaceChildren();
    restore();
    console.error(error);
}
