// How it came to be and what does not fit: the burn-down, what is gone, coherence, roles.

/** The burn-down of each rule that ever had a site, with its steps. */
function burnDown(data) {
  const { history } = data;
  if (history.missing) return part("history", "Burn-down", missing(history.missing));
  const fresh = data.unbased ? 0 : data.rules.reduce((sum, rule) => sum + rule.new, 0);
  const told = [];
  if (history.empty.length) told.push(`Whose committed baselines never held a site: ${history.empty.join(", ")}.`);
  if (history.without.length) told.push(`Without a committed baseline, so that nothing is known: ${history.without.join(", ")}.`);
  return part("history", "Burn-down",
    el("p", null, "Numbers of the committed baselines", fresh ? `: the ${plural(fresh, "new site")} of the tree ${fresh === 1 ? "is" : "are"} in none of them.` : "."),
    el("div", { class: "panels" }, history.series.map(panel)),
    sentences([...told, ...history.notes], "notes"));
}

function panel(series) {
  const [wide, narrow] = series.charts;
  const last = series.steps.length;
  return el("figure", { class: "panel" },
    el("figcaption", null, el("strong", null, series.rule), " ", el("span", null, series.change)),
    el("picture", null,
      el("source", { media: "(max-width: 520px)", srcset: narrow }),
      el("img", { src: wide, alt: `${series.rule}: ${series.change}`, loading: "lazy", width: 760, height: 144 })),
    opens(plural(last, "step"), () => new DataTable({
      caption: `Steps of ${series.rule}`,
      size: 20,
      columns: [
        { label: "date", value: ([date]) => date },
        { label: "sites", value: (step) => step[4], number: true },
        { label: "commit", value: (step) => step[1], cell: (step) => code(step[1]) },
        { label: "author", value: (step) => step[2] },
        { label: "subject", value: (step) => step[3] },
        { label: "remark", value: (step) => step[5] },
      ],
    }).show(series.steps.slice().reverse()).root));
}

/** The rows of baselines whose sites are gone. */
function gone(data) {
  if (data.unbased || !data.gone.length) return null;
  const table = new DataTable({
    caption: "Rows of baselines without a site",
    size: 20,
    columns: [
      { label: "file", value: (row) => row[1], cell: (row) => place(row[1]) },
      { label: "rule", value: (row) => row[0] },
      { label: "scope", value: (row) => row[2] },
      { label: "code", value: (row) => row[3], cell: (row) => code(row[3]) },
      { label: "sites", value: (row) => row[4], number: true },
    ],
  }).show(data.gone);
  return part("gone", "Gone", el("p", null, "The baselines still list these: ", code("ratchet tighten"), " records that they are gone."), table.root);
}

/** What flow rules found: a write or a read that is out of step with the other end of its field. */
function coherence(data) {
  const { findings } = data;
  if (findings.missing) return part("coherence", "Coherence", missing(findings.missing));
  const unjudged = data.files.not_judged
    ? el("p", { class: "missing" }, "Files that could not be judged may hold other ends of these fields.")
    : null;
  const table = new DataTable({
    caption: "Ends of fields that are out of step",
    id: "findings-table",
    size: 50,
    empty: "the rules of the kind flow find nothing in the files that were judged",
    detail: (row) => el("div", { class: "about" }, el("p", null, row[6]), el("p", null, el("strong", null, "The other ends:")), row[7].length ? sentences(row[7], "evidence") : el("p", null, "there is none")),
    columns: [
      { label: "place", value: (row) => row[2], cell: (row) => [place(`${row[2]}:${row[3]}`), el("small", null, row[4] || "module")] },
      { label: "rule", value: (row) => row[0] },
      { label: "field", value: (row) => row[1] },
      { label: "code", value: (row) => row[5], cell: (row) => code(row[5]) },
      { label: "other ends", value: (row) => row[7].length, number: true },
    ],
  }).show(findings.rows);
  return part("coherence", "Coherence", unjudged, table.root);
}

const MARKS = [["reached", "reads"], ["possible", "perhaps"], ["observed", "seen"], ["declared", "declared"]];

/** What each role reads: a row a role, a column a namespace. */
function roles(data) {
  const report = data.roles;
  if (report.missing) return part("roles", "Roles", missing(report.missing));
  const spaces = [...new Set(report.roles.flatMap((role) => role.reads.map((read) => read[0])))].sort();
  const marks = (role, space) => MARKS.filter(([set]) => Array.isArray(role[set]) && role[set].includes(space)).map(([, mark]) => mark).join(", ");
  const table = new DataTable({
    caption: "Roles, and the namespaces that their code reads",
    id: "roles-table",
    detail: roleDetail,
    empty: "no role is published",
    columns: [
      { label: "role", value: (role) => role.name },
      { label: "declared", value: (role) => (role.declared === null ? "no entry" : Array.isArray(role.declared) ? role.declared.join(", ") || "nothing" : role.declared) },
      { label: "undeclared", value: (role) => role.undeclared.length, number: true },
      ...spaces.map((space) => ({ label: space, value: (role) => marks(role, space) })),
    ],
  }).show(report.roles);
  const silent = report.unpublished.length
    ? opens(`${plural(report.unpublished.length, "process")}${report.unpublished.length === 1 ? "" : "es"} publish nothing`.replace("processs", "process"), () => silentTable(report.unpublished).root)
    : null;
  return part("roles", "Roles", el("p", null, "“reads”: calls lead there; “perhaps”: only names suggest it; “seen”: record mode observed it."),
    sentences(report.problems, "alarm"), table.root, silent, sentences(report.notes, "notes"));
}

function silentTable(processes) {
  return new DataTable({
    caption: "Processes that publish nothing",
    detail: (each) => el("div", { class: "about" }, each.reads.length ? ways(each.reads) : el("p", null, "It reads no namespace.")),
    columns: [
      { label: "process", value: (each) => each.place },
      { label: "begins as", value: (each) => each.via },
      { label: "namespaces it reads", value: (each) => each.reads.map((read) => read[0]).join(", ") },
    ],
  }).show(processes);
}

function ways(reads) {
  return el("ul", { class: "evidence" }, reads.map(([space, evidence, text, way]) => el("li", null, `${space} (${evidence}): `, code(text), el("small", null, way))));
}

function roleDetail(role) {
  return el("div", { class: "about" },
    el("p", null, el("strong", null, "Publishes at: "), role.publishes.join(", ")),
    el("p", null, el("strong", null, "Its own module reads: "), role.own.join(", ") || "nothing"),
    el("p", null, el("strong", null, "Proposed: "), role.proposed === null ? "all: it reads every namespace" : role.proposed.join(", ") || "nothing"),
    role.undeclared.length ? [el("p", { class: "bad" }, "Reads that the declared set leaves out:"), ways(role.undeclared)] : null,
    role.early.length ? [el("p", null, el("strong", null, "Reads before it publishes:")), ways(role.early)] : null,
    role.unsafe.length ? el("p", null, el("strong", null, "What a set cannot answer for: "), role.unsafe.map(([risk, number]) => `${risk} ${count(number)}`).join(", ")) : null,
    el("p", null, el("strong", null, "The nearest read of each namespace:")), ways(role.reads));
}
