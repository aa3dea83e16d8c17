// QR codes after ISO/IEC 18004: bytes (UTF-8), error correction of level M, versions 1 to 40.

/** Codewords of error correction in a block, by version. */
const CORRECTION = [0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28];
/** Blocks, by version. */
const BLOCKS = [0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49];
const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3), (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** Modules that hold data, function patterns left out. */
function capacity(version) {
  let bits = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const many = Math.floor(version / 7) + 2;
    bits -= (25 * many - 10) * many - 55;
    if (version >= 7) bits -= 36;
  }
  return bits;
}

/** Codewords of data. */
const room = (version) => (capacity(version) >> 3) - CORRECTION[version] * BLOCKS[version];

/** Product in GF(256) with the polynomial 0x11d. */
function times(one, other) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((other >> bit) & 1) * one;
  }
  return product;
}

/** Coefficients of the generator, without the first, which is 1. */
function generator(degree) {
  const found = new Uint8Array(degree);
  found[degree - 1] = 1;
  let root = 1;
  for (let step = 0; step < degree; step++) {
    for (let index = 0; index < degree; index++) found[index] = times(found[index], root) ^ (found[index + 1] ?? 0);
    root = times(root, 2);
  }
  return found;
}

function correction(data, divisor) {
  const rest = new Array(divisor.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    divisor.forEach((one, index) => { rest[index] ^= times(one, factor); });
  }
  return rest;
}

/** Data and its error correction, interleaved as they are placed. */
function codewords(bytes, version) {
  const wide = version < 10 ? 8 : 16;
  const bits = [];
  const put = (value, length) => { for (let bit = length - 1; bit >= 0; bit--) bits.push((value >> bit) & 1); };
  put(4, 4);
  put(bytes.length, wide);
  for (const byte of bytes) put(byte, 8);
  const full = room(version) * 8;
  put(0, Math.min(4, full - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < full; pad ^= 0xec ^ 0x11) put(pad, 8);
  const data = [];
  for (let at = 0; at < bits.length; at += 8) data.push(bits.slice(at, at + 8).reduce((sum, bit) => (sum << 1) | bit, 0));

  const raw = capacity(version) >> 3;
  const many = BLOCKS[version];
  const short = Math.floor(raw / many) - CORRECTION[version];
  const shorts = many - (raw % many);
  const divisor = generator(CORRECTION[version]);
  const blocks = [];
  for (let index = 0, at = 0; index < many; index++) {
    const part = data.slice(at, at += short + (index < shorts ? 0 : 1));
    blocks.push({ part, check: correction(part, divisor) });
  }
  const out = [];
  for (let index = 0; index <= short; index++) for (const { part } of blocks) if (index < part.length) out.push(part[index]);
  for (let index = 0; index < CORRECTION[version]; index++) for (const { check } of blocks) out.push(check[index]);
  return out;
}

/**
 * The modules of a code, row by row; true is dark.
 * @param {string} text
 * @returns {boolean[][]}
 */
export function qr(text) {
  const bytes = new TextEncoder().encode(text);
  let version = 1;
  while (version <= 40 && room(version) * 8 < 4 + (version < 10 ? 8 : 16) + bytes.length * 8) version++;
  if (version > 40) throw new RangeError("the text is too long for a QR code");
  const size = version * 4 + 17;
  const dark = Array.from({ length: size }, () => new Array(size).fill(false));
  const fixed = Array.from({ length: size }, () => new Array(size).fill(false));
  const set = (x, y, on) => { dark[y][x] = Boolean(on); fixed[y][x] = true; };

  for (let index = 0; index < size; index++) { set(6, index, index % 2 === 0); set(index, 6, index % 2 === 0); }
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let dy = -4; dy <= 4; dy++) {
      for (let dx = -4; dx <= 4; dx++) {
        const [x, y, far] = [cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy))];
        if (x >= 0 && x < size && y >= 0 && y < size) set(x, y, far !== 2 && far !== 4);
      }
    }
  }
  const spots = alignments(version, size);
  spots.forEach((cx, i) => spots.forEach((cy, j) => {
    const last = spots.length - 1;
    if ((i === 0 && (j === 0 || j === last)) || (i === last && j === 0)) return;
    for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }));
  if (version >= 7) {
    let rest = version;
    for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let index = 0; index < 18; index++) {
      const [far, near] = [size - 11 + (index % 3), Math.floor(index / 3)];
      set(far, near, (bits >> index) & 1);
      set(near, far, (bits >> index) & 1);
    }
  }
  format(0, size, set);
  place(codewords(bytes, version), size, dark, fixed);

  let best = 0;
  let least = Infinity;
  for (let mask = 0; mask < 8; mask++) {
    flip(mask, dark, fixed);
    format(mask, size, set);
    const cost = penalty(dark);
    if (cost < least) [best, least] = [mask, cost];
    flip(mask, dark, fixed);
  }
  flip(best, dark, fixed);
  format(best, size, set);
  return dark;
}

function alignments(version, size) {
  if (version === 1) return [];
  const many = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (many * 2 - 2)) * 2;
  const found = [6];
  for (let at = size - 7; found.length < many; at -= step) found.splice(1, 0, at);
  return found;
}

/** Level M and the mask, twice. */
function format(mask, size, set) {
  let rest = mask;
  for (let step = 0; step < 10; step++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  const bit = (index) => (bits >> index) & 1;
  for (let index = 0; index <= 5; index++) set(8, index, bit(index));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let index = 9; index < 15; index++) set(14 - index, 8, bit(index));
  for (let index = 0; index < 8; index++) set(size - 1 - index, 8, bit(index));
  for (let index = 8; index < 15; index++) set(8, size - 15 + index, bit(index));
  set(8, size - 8, true);
}

/** Two columns at a time, up and down, from the right. */
function place(words, size, dark, fixed) {
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (fixed[y][x] || at >= words.length * 8) continue;
        dark[y][x] = Boolean((words[at >> 3] >> (7 - (at & 7))) & 1);
        at++;
      }
    }
  }
}

function flip(mask, dark, fixed) {
  dark.forEach((row, y) => row.forEach((_, x) => { if (!fixed[y][x] && MASKS[mask](x, y) === 0) row[x] = !row[x]; }));
}

function penalty(dark) {
  const size = dark.length;
  let cost = 0;
  let total = 0;
  const line = (at) => {
    let run = 0;
    let history = "";
    for (let index = 0; index < size; index++) {
      run = index && at(index) === at(index - 1) ? run + 1 : 1;
      if (run === 5) cost += 3; else if (run > 5) cost += 1;
      history += at(index) ? "1" : "0";
    }
    for (let index = history.indexOf("1011101"); index >= 0; index = history.indexOf("1011101", index + 1)) {
      if (history.slice(Math.max(0, index - 4), index).padStart(4, "0") === "0000" || history.slice(index + 7, index + 11).padEnd(4, "0") === "0000") cost += 40;
    }
  };
  for (let y = 0; y < size; y++) {
    line((x) => dark[y][x]);
    line((x) => dark[x][y]);
    for (let x = 0; x < size; x++) {
      if (dark[y][x]) total++;
      if (x && y && dark[y][x] === dark[y][x - 1] && dark[y][x] === dark[y - 1][x] && dark[y][x] === dark[y - 1][x - 1]) cost += 3;
    }
  }
  return cost + Math.floor(Math.abs(total * 20 - size * size * 10) / (size * size)) * 10;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * A code as a picture, with the quiet zone that readers need; dark on light in both themes.
 * @param {string} text
 * @param {string} label For screen readers.
 */
export function qrPicture(text, label) {
  const rows = qr(text);
  const size = rows.length + 8;
  const make = (name, set) => { const node = document.createElementNS(SVG, name); for (const key in set) node.setAttribute(key, set[key]); return node; };
  const path = rows.flatMap((row, y) => row.map((on, x) => (on ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  const picture = make("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" });
  picture.append(make("rect", { width: size, height: size, fill: "#fff" }), make("path", { d: path, fill: "#26211b" }));
  return picture;
}
