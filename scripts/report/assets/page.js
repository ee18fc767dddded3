// Draws the comparison that is shown, switches lines on and off in all its charts, zooms charts over time together.
// Data flows from each section's JSON to its charts; nothing is loaded.
"use strict";

const CONFIG = {
  responsive: true,
  displaylogo: false,
  showSendToCloud: false,
  plotlyServerURL: "",
  displayModeBar: "hover",
  modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
};

const sections = [...document.querySelectorAll("section.comparison")];

// Colours of the page's style, so that charts follow light and dark.
function template() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = {
    gridcolor: colour("--grid"), linecolor: colour("--line"), zerolinecolor: colour("--line"),
    tickcolor: colour("--line"), automargin: true, title: {standoff: 8, font: {size: 12}}, tickfont: {size: 12}, ticklabelstandoff: 4,
  };
  return {layout: {
    font: {family: style.fontFamily, size: 13, color: colour("--text")},
    colorway: [colour("--text")],  // Of curves that have no colour of their own.
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    margin: {l: 56, r: 16, t: 12, b: 44}, xaxis: axis, yaxis: axis,
    hoverlabel: {bgcolor: colour("--surface"), bordercolor: colour("--line"), font: {color: colour("--text")},
                 namelength: -1},
    modebar: {bgcolor: "rgba(0,0,0,0)", color: colour("--muted"), activecolor: colour("--accent")},
  }};
}

function chartsOf(section) {
  section.charts ??= JSON.parse(section.querySelector("script.data")?.textContent ?? "[]");
  return section.charts;
}

const drawnPlots = (section) => [...section.querySelectorAll(".plot.js-plotly-plot")];

const switchesOf = (section) => [...section.querySelectorAll("input[data-line]")];

// The numbers of the lines that are switched on; null where there are no switches, as on the page of one file.
function shownLines(section) {
  const switches = switchesOf(section);
  return switches.length ? new Set(switches.filter((input) => input.checked).map((input) => Number(input.dataset.line))) : null;
}

const isShown = (line, shown) => line === undefined || shown === null || shown.has(Number(line));

// What a line's switch says of a trace; what waits in the legend stays there.
function visibility(trace, shown) {
  return isShown(trace.meta?.line, shown) ? trace.visible ?? true : false;
}

// Pixels of a legend above the chart: it is in columns, each as wide as its longest name.
function legendHeight(plot, data) {
  const longest = Math.max(...data.map((trace) => trace.name.length));
  const columns = Math.max(1, Math.floor((plot.clientWidth - 72) / (60 + 7.5 * longest)));
  return 20 * Math.ceil(data.length / columns) + 10;
}

async function drawPlot(plot, section, shown) {
  const chart = chartsOf(section)[Number(plot.dataset.chart)];
  const data = chart.data.map((trace) => ({...trace, visible: visibility(trace, shown)}));
  if (chart.layout.showlegend) plot.style.height = `${parseFloat(plot.style.height) + legendHeight(plot, data)}px`;
  await Plotly.newPlot(plot, data, {...chart.layout, template: template(), autosize: true}, CONFIG);
  if (chart.overTime) {
    plot.dataset.overTime = "";
    plot.on("plotly_relayout", (change) => zoomTogether(plot, section, change));
  }
  plot.on("plotly_click", ({points: [point]}) => {
    if (typeof point.customdata === "string") location.hash = point.customdata;
  });
}

// Draws what is shown and was not drawn yet, and passes to drawn charts which lines they show.
async function update(section) {
  if (section.hidden) return;
  const shown = shownLines(section);
  const work = [];
  for (const plot of section.querySelectorAll(".plot")) {
    const figure = plot.closest("figure");
    figure.hidden = !isShown(figure.dataset.ofLine, shown);
    if (figure.hidden || figure.closest("details:not([open])")) continue;
    if (!plot.classList.contains("js-plotly-plot")) {
      work.push(drawPlot(plot, section, shown));
    } else if (!("ofLine" in figure.dataset)) {
      const traces = chartsOf(section)[Number(plot.dataset.chart)].data;
      work.push(Plotly.restyle(plot, {visible: traces.map((trace) => visibility(trace, shown))}));
    }
  }
  await Promise.all(work);
}

let zooming = false;

async function zoomTogether(source, section, change) {
  const range = change["xaxis.range"] ?? [change["xaxis.range[0]"], change["xaxis.range[1]"]];
  const isReset = change["xaxis.autorange"] === true;
  if (zooming || (range[0] === undefined && !isReset)) return;
  zooming = true;
  try {
    const wanted = isReset ? {"xaxis.autorange": true} : {"xaxis.range": range};
    const others = drawnPlots(section).filter((plot) => plot !== source && "overTime" in plot.dataset);
    await Promise.all(others.map((plot) => Plotly.relayout(plot, wanted)));
  } finally {
    zooming = false;
  }
}

// Shows the comparison that the address names, else the first. Its charts are drawn when this resolves.
async function show() {
  const whole = document.querySelector("section.whole");
  if (whole) await update(whole);
  const wanted = decodeURIComponent(location.hash.slice(1));
  const section = sections.find((candidate) => candidate.id === wanted) ?? sections[0];
  for (const other of sections) other.hidden = other !== section;
  const choice = document.getElementById("choice");
  if (choice) choice.value = section.id;
  await update(section);
}

function sortBy(heading) {
  const table = heading.closest("table");
  const column = [...heading.parentNode.children].indexOf(heading);
  const direction = heading.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", direction);
  const sign = direction === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => sign * compareCells(a.cells[column], b.cells[column]));
  table.tBodies[0].append(...rows);
}

function compareCells(a, b) {
  const numbers = [a, b].map((cell) => Number(cell.dataset.sort ?? NaN));
  if (numbers.every(Number.isFinite)) return numbers[0] - numbers[1];
  return a.textContent.localeCompare(b.textContent, undefined, {numeric: true});
}

// On paper everything is as wide as a page, dark on white, and nothing is folded. Draws before it returns.
function beforePrinting() {
  document.documentElement.classList.add("printed");
  for (const section of sections.filter((section) => !section.hidden)) {
    for (const details of section.querySelectorAll("details.more")) details.open = true;
    update(section);
  }
  restyle((plot) => ({width: plot.clientWidth}));
}

function afterPrinting() {
  document.documentElement.classList.remove("printed");
  restyle(() => ({width: null, autosize: true}));
}

function restyle(change) {
  const work = [...document.querySelectorAll(".js-plotly-plot")].map((plot) => Plotly.relayout(plot, {template: template(), ...change(plot)}));
  return Promise.all(work);
}

for (const section of sections) {
  for (const input of switchesOf(section)) input.addEventListener("change", () => update(section));
  for (const details of section.querySelectorAll("details.more")) details.addEventListener("toggle", () => update(section));
}
for (const heading of document.querySelectorAll(".sortable thead th")) {
  heading.addEventListener("click", () => sortBy(heading));
}
document.getElementById("choice")?.addEventListener("change", (event) => { location.hash = event.target.value; });
window.addEventListener("hashchange", show);
window.addEventListener("beforeprint", beforePrinting);
window.addEventListener("afterprint", afterPrinting);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => restyle(() => ({})));
window.drawn = show();
