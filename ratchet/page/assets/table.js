// A table that sorts by its columns, shows its rows in pages, and opens a row.

const DOWN = "descending";
const UP = "ascending";
const COLLATOR = new Intl.Collator("en", { numeric: true }); // far faster than localeCompare

/** Orders texts and numbers; what is not known comes last in either direction. */
function compare(a, b, sign) {
  const lacking = (value) => value === null || value === undefined || value === "";
  if (lacking(a) || lacking(b)) return lacking(a) - lacking(b);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * COLLATOR.compare(a, b);
}

/**
 * `columns` have a `label`, a `value` of a row to sort by, perhaps a `cell` (what is shown) and `number`. Of a
 * `quiet` one a phone leaves out each 0. `sorted` is the column by which rows stand at first.
 * `detail` makes what a row opens to; `size` is how many rows a page has; `empty` is said without rows.
 */
class DataTable {
  constructor({ caption, columns, detail = null, size = 50, empty = "nothing", id = null, sorted = null }) {
    Object.assign(this, { columns, detail, size, empty, rows: [], page: 0, sorted, direction: DOWN });
    this.buttons = columns.map((column, at) =>
      el("button", { type: "button", class: "sort", on: { click: () => this.sortBy(at) } }, column.label));
    this.heads = columns.map((column, at) =>
      el("th", { scope: "col", class: column.number ? "number" : null, "aria-sort": "none" }, this.buttons[at]));
    this.body = el("tbody");
    this.said = el("span", { class: "page", "aria-live": "polite" });
    this.back = el("button", { type: "button", on: { click: () => this.turn(-1) } }, "Back");
    this.on = el("button", { type: "button", on: { click: () => this.turn(1) } }, "Next");
    this.pager = el("div", { class: "pager", role: "group", "aria-label": `Pages: ${caption}` }, this.back, this.said, this.on);
    const table = el("table", { id }, el("caption", null, caption), el("thead", null, el("tr", null, this.heads)), this.body);
    this.root = el("div", { class: "table" }, el("div", { class: "scroll" }, table), this.pager);
  }

  /** Shows these rows, in the order that was chosen, from the first page on. */
  show(rows) {
    this.rows = rows.slice();
    this.page = 0;
    this.order();
    this.draw();
    return this;
  }

  /** Sorts by a column; again, the other way round. Numbers begin with the largest. */
  sortBy(at) {
    const first = this.columns[at].number ? DOWN : UP;
    this.direction = this.sorted !== at ? first : this.direction === UP ? DOWN : UP;
    this.sorted = at;
    this.page = 0;
    this.order();
    this.draw();
  }

  order() {
    this.heads.forEach((head, at) => head.setAttribute("aria-sort", at === this.sorted ? this.direction : "none"));
    if (this.sorted === null) return;
    const { value } = this.columns[this.sorted];
    const sign = this.direction === UP ? 1 : -1;
    this.rows.sort((a, b) => compare(value(a), value(b), sign));
  }

  turn(by) {
    this.page += by;
    this.draw();
    // A button that was just switched off would drop the focus.
    if (document.activeElement === document.body) (by > 0 ? this.back : this.on).focus();
    this.root.scrollIntoView({ block: "nearest" });
  }

  draw() {
    const start = this.page * this.size;
    const shown = this.rows.slice(start, start + this.size);
    this.body.replaceChildren(...shown.map((row) => this.line(row)));
    if (!shown.length) {
      this.body.append(el("tr", null, el("td", { colspan: this.columns.length, class: "none" }, this.empty)));
    }
    this.pager.hidden = this.rows.length <= this.size;
    this.said.textContent = `${count(start + 1)}–${count(start + shown.length)} of ${count(this.rows.length)}`;
    const last = start + shown.length >= this.rows.length;
    this.moveFocus(this.back, this.on, this.page === 0);
    this.moveFocus(this.on, this.back, last);
    this.back.disabled = this.page === 0;
    this.on.disabled = last;
  }

  moveFocus(from, to, off) {
    if (off && document.activeElement === from) {
      to.disabled = false;
      to.focus();
    }
  }

  line(row) {
    const cells = this.columns.map((column, at) => {
      const shown = column.cell ? column.cell(row) : column.value(row);
      const text = typeof shown === "number" || (column.number && (shown === null || shown === undefined)) ? count(shown) : shown;
      const content = at === 0 && this.detail ? this.opener(row, text) : text;
      const lacks = content === null || content === undefined || content === "" || (column.quiet && column.value(row) === 0);
      return el("td", { class: `${column.number ? "number" : ""} ${lacks ? "lacks" : ""}`.trim() || null, "data-label": column.label }, content);
    });
    return el("tr", null, cells);
  }

  /** The first cell of a row that opens: a button, and behind it what the row holds. */
  opener(row, text) {
    const button = el("button", { type: "button", class: "open", "aria-expanded": "false" }, text);
    let opened = null;
    button.addEventListener("click", () => {
      if (opened) {
        opened.remove();
        opened = null;
      } else {
        opened = el("tr", { class: "detail" }, el("td", { colspan: this.columns.length }, this.detail(row)));
        button.closest("tr").after(opened);
      }
      button.setAttribute("aria-expanded", String(opened !== null));
    });
    return button;
  }
}
