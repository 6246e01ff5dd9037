// A treemap of files by sites, in groups by folder. The layout is "squarified": Bruls, Huizing and van Wijk 2000.

/** The worst ratio of sides among areas laid in a row along a side of this length. */
function worst(areas, sum, side) {
  const least = areas[areas.length - 1];
  return Math.max((side * side * areas[0]) / (sum * sum), (sum * sum) / (side * side * least));
}

/** Rectangles for items with a `size`, in their order, the largest first: `[item, x, y, width, height]`. */
function squarify(items, x, y, width, height) {
  const laid = [];
  const sorted = items.filter((item) => item.size > 0).sort((a, b) => b.size - a.size);
  const total = sorted.reduce((sum, item) => sum + item.size, 0);
  if (!total || width <= 0 || height <= 0) return laid;
  const scale = (width * height) / total;
  let at = 0;
  while (at < sorted.length) {
    const side = Math.min(width, height);
    const row = [];
    let sum = 0;
    while (at < sorted.length) {
      const area = sorted[at].size * scale;
      if (row.length && worst([...row, area], sum + area, side) > worst(row, sum, side)) break;
      row.push(area);
      sum += area;
      at += 1;
    }
    const depth = sum / side;
    let along = 0;
    row.forEach((area, number) => {
      const item = sorted[at - row.length + number];
      const length = area / depth;
      laid.push(width >= height ? [item, x, y + along, depth, length] : [item, x + along, y, length, depth]);
      along += length;
    });
    if (width >= height) [x, width] = [x + depth, width - depth];
    else [y, height] = [y + depth, height - depth];
  }
  return laid;
}

const HEAD = 18; // the height of a folder's name, in pixels
const DEPTH = 2; // so many folders make a group

/** The folder of a path, at most so deep. */
function folderOf(path) {
  return path.split("/").slice(0, -1).slice(0, DEPTH).join("/") || ".";
}

/** The map; `choose` is told the path or the folder that was clicked. */
class Treemap {
  constructor(choose) {
    this.choose = choose;
    this.files = [];
    this.root = el("div", { class: "treemap", role: "group", "aria-label": "Files by sites; the table of files says the same" });
    this.width = 0;
    new ResizeObserver(() => {
      if (Math.abs(this.root.clientWidth - this.width) > 1) this.draw();
    }).observe(this.root);
  }

  /** Shows files: each has a `path`, its `size` in sites, and `moves`, how many of them can move. */
  show(files) {
    this.files = files;
    this.draw();
  }

  draw() {
    this.width = this.root.clientWidth;
    const groups = new Map();
    for (const file of this.files) {
      const name = folderOf(file.path);
      if (!groups.has(name)) groups.set(name, { name, size: 0, files: [] });
      const group = groups.get(name);
      group.size += file.size;
      group.files.push(file);
    }
    const boxes = squarify([...groups.values()], 0, 0, this.root.clientWidth, this.root.clientHeight);
    this.root.replaceChildren(...boxes.flatMap((box) => this.group(...box)));
    if (!boxes.length) this.root.append(el("p", { class: "none" }, "no site is left of what was chosen"));
  }

  group(group, x, y, width, height) {
    const named = group.name !== "." && width > 50 && height > 3 * HEAD;
    const tiles = squarify(group.files, x, y + (named ? HEAD : 0), width, height - (named ? HEAD : 0)).map((box) => this.tile(...box));
    if (!named) return tiles;
    const told = `${group.name}/: ${plural(group.size, "site")}`;
    return [this.place("group", told, `${group.name}/`, group.name, x, y, width, HEAD), ...tiles];
  }

  tile(file, x, y, width, height) {
    const told = `${file.path}: ${plural(file.size, "site")}, ${count(file.moves)} can move`;
    const label = width > 44 && height > 16 ? file.path.split("/").pop() : "";
    const share = file.moves === 0 ? 0 : Math.max(1, Math.round((4 * file.moves) / file.size));
    return this.place(`tile share${share}`, told, file.path, label, x, y, width, height);
  }

  place(kind, told, path, label, x, y, width, height) {
    const made = el("button", { type: "button", class: kind, tabindex: -1, title: told, "aria-label": told, on: { click: () => this.choose(path) } }, label);
    Object.assign(made.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    return made;
  }
}
