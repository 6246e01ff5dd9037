// How far it is: the head of the page, and the tables by rule, namespace and owner.

/** The head: what was judged, how it ended, and all that keeps it from being the whole truth. */
function head(data) {
  const { files } = data;
  const facts = [
    data.head ? `commit ${data.head.commit} of ${data.head.date.slice(0, 10)}` : null,
    data.engine ? `engine ${data.engine}` : null,
    data.packs.join(", "),
    `${plural(files.discovered, "file")} discovered, ${count(files.analysed)} analysed, ${count(files.by_bytes)} judged by their bytes, ${count(files.not_judged)} not judged`,
  ];
  const state = data.alarms.length ? "bad" : data.unbased ? "stale" : data.outcome.startsWith("clean") ? "good" : "bad";
  const verdict = data.unbased ? "not compared with baselines" : data.outcome;
  return [
    el("h1", null, "What is left in ", el("code", null, data.root)),
    el("p", { class: "facts" }, facts.filter(Boolean).map((fact) => el("span", null, fact))),
    el("p", { class: `verdict ${state}` }, `check: ${verdict}`),
    data.alarms.length
      ? el("div", { class: "alarm", role: "alert" }, el("strong", null, "Not everything could be judged: this page may show less than there is."), sentences(data.alarms))
      : null,
    data.unbased ? missing(`how the sites stand against the baselines. ${data.unbased}`) : null,
  ];
}

/** Three numbers in large. */
function totals(data, sites) {
  const moves = sites.filter((site) => site.moves).length;
  const refused = sites.filter((site) => site.reason).length;
  const told = [
    [sites.length, "sites of rules", "A place that several rules count is a site of each."],
    [moves, "can move today", "A codemod rewrites them: that of the migration, asked for everything that moves on request, or their rule's own."],
    [refused, "stay for a reason", "A codemod refuses them."],
    [sites.length - moves - refused, "are not planned", "They are rewritten by hand, or go with something else: a hand-over with its parameter, a text with the edit around it."],
  ];
  if (!data.unbased) {
    told.splice(1, 0, [data.rules.reduce((sum, rule) => sum + rule.new, 0), "new", "They are not in the baselines."]);
  }
  return el("dl", { class: "totals" }, told.map(([number, name, why]) => el("div", { title: why }, el("dt", null, name), el("dd", null, count(number)))));
}

/** How the sites of a line divide, as a bar; the columns beside it say the numbers. */
function bar(standing, largest) {
  const made = el("span", { class: "bar", "aria-hidden": "true" });
  const refused = standing.stays.reduce((sum, [, number]) => sum + number, 0);
  for (const [kind, number] of [["moves", standing.moves], ["refused", refused], ["others", standing.others]]) {
    const piece = el("span", { class: kind });
    piece.style.width = `${(100 * number) / Math.max(1, largest)}%`;
    made.append(piece);
  }
  return made;
}

/** The reasons of a line in words. */
function because(standing) {
  const told = standing.stays.map(([reason, number]) => `${reason} ${count(number)}`);
  if (standing.others) told.push(`not planned ${count(standing.others)}`);
  return told.join(", ");
}

/** The columns of numbers; that of first ones only where any is known. */
function numbers(rows, largest) {
  const staying = (row) => row.now - row.moves;
  const first = { label: "first", value: (row) => row.first, number: true };
  return [
    { label: "now", value: (row) => row.now, number: true },
    ...(rows.some((row) => row.first !== null) ? [first] : []),
    { label: "can move", quiet: true, value: (row) => row.moves, number: true },
    { label: "stay", value: staying, number: true },
    { label: "share", quiet: true, value: (row) => row.now, cell: (row) => bar(row, largest) },
  ];
}

/** A button that shows the sites of one rule, namespace or owner. */
function chooser(filter, name, choose) {
  return el("button", { type: "button", class: "link", on: { click: () => choose(filter, name) } }, name);
}

/** The table of rules: against the baseline too. */
function rulesTable(data, choose) {
  const largest = Math.max(...data.rules.map((rule) => rule.now), 1);
  const against = data.unbased ? [] : [
    { label: "baseline", value: (rule) => rule.baseline, number: true },
    { label: "new", quiet: true, value: (rule) => (rule.baseline === null ? null : rule.new), number: true, cell: (rule) => (rule.new ? el("strong", { class: "bad" }, `+${count(rule.new)}`) : rule.baseline === null ? null : 0) },
    { label: "gone", quiet: true, value: (rule) => (rule.baseline === null ? null : rule.gone), number: true },
  ];
  const [now, ...rest] = numbers(data.rules, largest);
  const about = (rule) => el("div", { class: "about" },
    el("p", null, el("strong", null, "Why: "), rule.why),
    el("p", null, el("strong", null, "Instead: "), rule.instead),
    rule.skipped ? el("p", null, el("strong", null, "Does not apply: "), rule.skipped) : null,
    rule.now ? el("p", null, chooser("rule", rule.name, choose), ": show its sites") : null);
  return new DataTable({
    caption: "Rules",
    id: "rules-table",
    size: 100,
    sorted: 2,
    detail: about,
    columns: [
      { label: "rule", value: (rule) => rule.name, cell: (rule) => [el("span", { class: "name" }, rule.name), el("small", null, rule.skipped ? `does not apply: ${rule.skipped}` : rule.title)] },
      { label: "mode", value: (rule) => rule.mode },
      now, ...against, ...rest,
      { label: "because", value: because },
    ],
  }).show(data.rules);
}

/** The table of namespaces or of owners. */
function groupTable(caption, filter, rows, choose) {
  const largest = Math.max(...rows.map((row) => row.now), 1);
  return new DataTable({
    caption,
    id: `${filter}s-table`,
    size: 25,
    empty: "there is no site",
    detail: (row) => el("div", { class: "about" },
      because(row) ? el("p", null, el("strong", null, "What stays: "), because(row)) : null,
      row.now ? el("p", null, chooser(filter, row.name, choose), ": show the sites") : el("p", null, "No site is left.")),
    columns: [{ label: filter, value: (row) => row.name, cell: (row) => el("span", { class: "name" }, row.name) }, ...numbers(rows, largest)],
  }).show(rows);
}
