// The sites: what is chosen of them, the map and the table of their files, and the table of the sites themselves.

const NONE = "(none)";
const MOVES = "can move";
const NOBODY = "not planned";

/** The rows of the data as objects. */
function unpack({ paths, owners, rewrites, rows }) {
  return rows.map(([rule, path, line, scope, text, namespace, field, owner, state, moves, reason, start, end, lines, hunks, details]) => ({
    rule, path: paths[path], line, scope, code: text, namespace: namespace || NONE, field, owner: owners[owner] || NONE,
    state: state || "", moves: moves === 1, reason: reason || "", fate: moves === 1 ? MOVES : reason || NOBODY,
    start, end, lines, hunks, details, rewrite: rewrites[path] || { hunks: [], along: [] },
  }));
}

/** The files of sites, the fullest first. */
function filesOf(sites) {
  const files = new Map();
  for (const site of sites) {
    if (!files.has(site.path)) files.set(site.path, { path: site.path, owner: site.owner, size: 0, moves: 0 });
    const file = files.get(site.path);
    file.size += 1;
    file.moves += site.moves ? 1 : 0;
  }
  return [...files.values()].sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1));
}

/** A line of code with its number, and a mark that tells what is on it. */
function codeLine(number, mark, text, kind) {
  return el("div", { class: kind }, el("span", { class: "no" }, number === null ? "" : String(number)), el("span", { class: "mark" }, mark), el("span", { class: "text" }, text));
}

/** A block of lines of code. */
function codeBlock(label, kind, lines) {
  return el("div", { class: `code ${kind}`.trim(), role: "group", "aria-label": label, tabindex: 0 }, lines);
}

/** The lines of a hunk: what goes, then what comes. */
function hunkLines([line, old, fresh], own) {
  const kind = (name, number) => (own && own(number) ? `${name} own` : name);
  return [
    ...old.map((text, at) => codeLine(line + at, "−", text, kind("old", line + at))),
    ...fresh.map((text, at) => codeLine(old.length || at ? null : line, "+", text, "new")),
  ];
}

/** The code around a site, as it is; lines that the migration changes as it changes them. */
function around(site) {
  const own = (number) => number >= site.line && number <= site.end;
  const last = site.start + site.lines.length - 1;
  const inside = site.rewrite.hunks.filter(([line, old]) => line + Math.max(old.length, 1) > site.start && line <= last);
  const shown = [];
  let at = site.start;
  const plain = (until) => {
    for (; at < until && at <= last; at += 1) {
      const here = own(at);
      shown.push(codeLine(at, here ? "▸" : " ", site.lines[at - site.start], here ? "here" : "near"));
    }
  };
  for (const hunk of inside) {
    plain(hunk[0]);
    shown.push(...hunkLines(hunk, own));
    at = Math.max(at, hunk[0] + hunk[1].length);
  }
  plain(last + 1);
  if (site.end > last && at <= site.end) shown.push(codeLine(null, " ", `… up to line ${site.end}`, "near"));
  return codeBlock(inside.length ? "Code, with what is proposed" : "Code", inside.length ? "diff" : "", shown);
}

const FURTHER = 12; // hunks of a long list that are shown at once

/** Hunks away from the code that is shown, with the lines that were left out between them. */
function hunkBlock(label, hunks) {
  const shown = hunks.slice(0, FURTHER).flatMap((hunk, at) => [at ? codeLine(null, "", "⋯", "near") : null, ...hunkLines(hunk)]);
  if (hunks.length > FURTHER) shown.push(codeLine(null, "", `… and ${hunks.length - FURTHER} more`, "near"));
  return codeBlock(label, "diff", shown.filter(Boolean));
}

/** What the migration does beyond the code that is shown: to further reads of the site, and to the file. */
function beyond(site) {
  const last = site.start + site.lines.length - 1;
  const hunks = (places) => places.map((at) => site.rewrite.hunks[at]).filter(([line, old]) => line + old.length <= site.start || line > last);
  const away = hunks(site.hunks);
  const along = site.hunks.length ? hunks(site.rewrite.along) : [];
  return [
    away.length ? [el("p", null, el("strong", null, "Further reads that it counts:")), hunkBlock("Further reads", away)] : null,
    along.length ? [el("p", null, el("strong", null, "What comes along in this file"), ", when all of its sites move:"), hunkBlock("What comes along", along)] : null,
  ];
}

/** What a site opens to: its code with what is proposed, and why it stays. */
function siteDetail(site, reasons) {
  const part = !site.moves && site.hunks.length ? el("p", null, "A part of what it counts can move, as shown.") : null;
  return el("div", { class: "about" },
    site.lines.length ? around(site) : missing("the file's text could not be read"),
    part,
    beyond(site),
    site.reason ? el("p", null, el("strong", null, `Stays, ${site.reason}: `), reasons[site.reason] || "") : null,
    sentences(site.details, "evidence"),
    site.moves || site.reason ? null : el("p", null, "No codemod plans this site by itself."));
}

/** A labelled choice among names with their numbers. */
function choice(label, names, change) {
  const select = el("select", { on: { change } }, el("option", { value: "" }, "all"), names.map(([name, number]) => el("option", { value: name }, `${name} (${count(number)})`)));
  return { select, root: el("label", null, el("span", null, label), select) };
}

/** The part of the page in which sites are chosen; `root` is a list of sections. */
class Sites {
  constructor(data, sites) {
    this.sites = sites;
    const change = () => this.apply();
    const by = (label, value) => choice(label, tallied(sites.map(value)), change);
    this.filters = {
      rule: by("Rule", (site) => site.rule),
      namespace: by("Namespace", (site) => site.namespace),
      owner: by("Owner", (site) => site.owner),
      fate: by("Fate or reason", (site) => site.fate),
    };
    if (!data.unbased) this.filters.state = by("Baseline", (site) => site.state || "no baseline");
    this.search = el("input", { type: "search", placeholder: "path, scope, field or code", spellcheck: "false", on: { input: () => this.soon() } });
    this.said = el("p", { class: "said", "aria-live": "polite", role: "status" });
    this.map = new Treemap((path) => this.choose("search", path));
    this.files = this.filesTable();
    this.table = this.sitesTable(data);
    this.root = this.sections();
  }

  sections() {
    const clear = el("button", { type: "button", on: { click: () => this.clear() } }, "Show all");
    const controls = el("form", { class: "filters", role: "search", "aria-label": "Choose sites", on: { submit: (event) => event.preventDefault() } },
      Object.values(this.filters).map((filter) => filter.root),
      el("label", { class: "wide" }, el("span", null, "Text"), this.search), clear);
    const legend = el("p", { class: "legend" }, "Each rectangle is a file, as large as its sites are many. ",
      [["share0", "none can move"], ["share1", "few"], ["share2", "half"], ["share3", "most"], ["share4", "all can move"]].map(([kind, text]) =>
        el("span", null, el("i", { class: `tile ${kind}`, "aria-hidden": "true" }), text)));
    const leftOut = el("p", { class: "legend" }, "What is proposed leaves parameters where they are. Those that nothing uses then are dropped by ",
      el("code", null, "ratchet migrate --parameters"), ", which lists them.");
    return [
      part("sites", "Sites", controls, this.said, leftOut, this.table.root),
      part("files", "Files", legend, this.map.root, this.files.root),
    ];
  }

  filesTable() {
    return new DataTable({
      caption: "Files of the chosen sites",
      id: "files-table",
      size: 20,
      empty: "no file has a site of what was chosen",
      columns: [
        { label: "file", value: (file) => file.path, cell: (file) => el("button", { type: "button", class: "link path", on: { click: () => this.choose("search", file.path) } }, breakable(file.path, IN_PATHS)) },
        { label: "owner", value: (file) => file.owner },
        { label: "sites", value: (file) => file.size, number: true },
        { label: "can move", value: (file) => file.moves, number: true },
        { label: "stay", value: (file) => file.size - file.moves, number: true },
      ],
    });
  }

  sitesTable(data) {
    const wide = new Set(data.rules.filter((rule) => rule.wide).map((rule) => rule.name));
    const columns = [
      { label: "place", value: (site) => site.path, cell: (site) => [place(`${site.path}:${site.line}`), el("small", null, site.scope || (wide.has(site.rule) ? "the field in this file" : "module"))] },
      { label: "code", value: (site) => site.code, cell: (site) => code(site.code) },
      { label: "rule", value: (site) => site.rule },
      { label: "namespace", value: (site) => (site.namespace === NONE ? "" : site.namespace) },
      { label: "owner", value: (site) => (site.owner === NONE ? "" : site.owner) },
      { label: "fate", value: (site) => site.fate, cell: (site) => el("span", { class: site.moves ? "good fate" : site.reason ? "stale" : "faint" }, site.fate) },
    ];
    if (!data.unbased) {
      columns.push({ label: "baseline", value: (site) => site.state, cell: (site) => (site.state === "new" ? el("strong", { class: "bad" }, "new") : site.state) });
    }
    return new DataTable({ caption: "Sites", id: "sites-table", columns, size: 50, detail: (site) => siteDetail(site, data.reasons), empty: "no site is left of what was chosen" });
  }

  /** Shows the sites of one filter's value alone, and goes there. */
  choose(filter, value) {
    this.reset();
    if (filter === "search") this.search.value = value;
    else this.filters[filter].select.value = value;
    this.apply();
    goTo("sites");
  }

  reset() {
    this.search.value = "";
    for (const { select } of Object.values(this.filters)) select.value = "";
  }

  clear() {
    this.reset();
    this.apply();
  }

  /** Typing is answered when it pauses. */
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.apply(), 120);
  }

  apply() {
    const wanted = Object.entries(this.filters).map(([name, { select }]) => [name, select.value]).filter(([, value]) => value);
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const value = (site, name) => (name === "state" ? site.state || "no baseline" : site[name]);
    const holds = (site) => {
      if (!wanted.every(([name, chosen]) => value(site, name) === chosen)) return false;
      if (!words.length) return true;
      const text = `${site.path}:${site.line} ${site.scope} ${site.field || ""} ${site.code}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const chosen = wanted.length || words.length ? this.sites.filter(holds) : this.sites;
    const files = filesOf(chosen);
    const moves = chosen.filter((site) => site.moves).length;
    this.said.textContent = `${plural(chosen.length, "site")} in ${plural(files.length, "file")}, ${count(moves)} can move`;
    this.table.show(chosen);
    this.files.show(files);
    this.map.show(files);
  }
}
