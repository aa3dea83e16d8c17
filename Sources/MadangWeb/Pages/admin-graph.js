/**
 * Small graphs: SVG made by DOM.
 * @module
 */

import { h } from "./elements.js";
import { clock, t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 100;
const HEIGHT = 34;

/** Makes an SVG element. */
export function svg(kind, attributes, ...children) {
  const element = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The line as an SVG, or null if fewer than two values are known. */
function line({ label, values, colour, format, calm }) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return null;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const floor = Math.min(least, most * 0.6);
  const x = (at) => (at / (values.length - 1)) * WIDTH;
  const y = (value) => HEIGHT - 3 - ((value - floor) / (most - floor || 1)) * (HEIGHT - 7);
  let [path, area, start] = ["", "", null];
  const close = (end) => { if (start !== null) area += `L${x(end).toFixed(2)} ${HEIGHT}L${x(start).toFixed(2)} ${HEIGHT}Z`; start = null; };
  (calm ? means(values) : values).forEach((value, at) => {
    if (value === null) return close(at - 1);
    const point = `${start === null ? "M" : "L"}${x(at).toFixed(2)} ${y(value).toFixed(2)}`;
    path += point;
    area += point;
    start ??= at;
  });
  close(values.length - 1);
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", class: `graph ${colour}`,
    "aria-label": t("graph.heard", { label, least: format(least), most: format(most), last: format(known.at(-1)) }),
  }, svg("path", { class: "area", d: area }), svg("path", { class: "line", d: path }));
  return { picture, least, most, x };
}

/** A line alone, in a row of text. */
export function tinyGraph(plan) {
  const picture = line(plan)?.picture;
  picture?.classList.add("tiny");
  return picture ?? null;
}

/**
 * A line with its range below. A pointer on it reads one value.
 * @param {object} plan
 * @param {string} plan.label what the values are
 * @param {Array<number|null>} plan.values the newest last; null for a gap
 * @param {number} plan.from milliseconds of the first value
 * @param {number} plan.step milliseconds from one value to the next
 * @param {string} plan.colour persimmon, pine, sky or plum
 * @param {(value: number) => string} plan.format
 * @param {string} [plan.unit] follows the values
 * @param {boolean} [plan.calm] the line follows the mean of five values; a pointer reads the values themselves
 */
export function graph(plan) {
  const drawn = line(plan);
  if (!drawn) return h("p.graph-none.faint.small", null, t("graph.none"));
  const { values, from, step, format, unit = "" } = plan;
  const { picture, least, most, x } = drawn;
  const rest = `${least === most ? t("graph.same", { value: format(least) }) : t("graph.range", { least: format(least), most: format(most) })} ${unit}`;
  const reading = h("p.reading.faint.small", { "aria-hidden": "true" }, rest);
  const marker = svg("line", { class: "marker", y1: 0, y2: HEIGHT, visibility: "hidden" });
  picture.append(marker);
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const at = Math.max(0, Math.min(values.length - 1, Math.round(((event.clientX - box.left) / box.width) * (values.length - 1))));
    if (values[at] === null) return;
    marker.setAttribute("x1", x(at));
    marker.setAttribute("x2", x(at));
    marker.setAttribute("visibility", "visible");
    reading.textContent = `${t("graph.at", { time: clock(from + at * step), value: format(values[at]) })} ${unit}`;
  });
  picture.addEventListener("pointerleave", () => {
    marker.setAttribute("visibility", "hidden");
    reading.textContent = rest;
  });
  return h("div.graph-box", null, picture, reading);
}

/** The mean of each value and its two neighbours on both sides. */
const means = (values) => values.map((value, at) => {
  const near = values.slice(Math.max(0, at - 2), at + 3).filter((one) => one !== null);
  return value === null ? null : near.reduce((sum, one) => sum + one, 0) / near.length;
});

/** A share of something, as a bar. `warn` colours it. */
export function bar(share, label, warn = share > 0.9) {
  const part = Math.max(0, Math.min(1, share)) * WIDTH;
  return svg("svg", { viewBox: `0 0 ${WIDTH} 6`, preserveAspectRatio: "none", role: "img", class: `bar ${warn ? "plum" : "pine"}`, "aria-label": label },
    svg("rect", { class: "ground", width: WIDTH, height: 6 }), svg("rect", { class: "part", width: part, height: 6 }));
}
