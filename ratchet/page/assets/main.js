// Puts the page together.

function build() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const sites = unpack(data.sites);
  const chosen = new Sites(data, sites);
  const choose = (filter, name) => chosen.choose(filter, name);
  const sections = [
    part("rules", "How far it is", totals(data, sites), rulesTable(data, choose).root,
      el("div", { class: "pair" },
        groupTable("Namespaces", "namespace", data.namespaces, choose).root,
        el("div", null, groupTable("Owners", "owner", data.owners, choose).root, data.ownerless ? missing(`who owns what. ${data.ownerless}`) : null)),
      sentences(data.notes, "notes")),
    burnDown(data),
    ...chosen.root,
    gone(data),
    coherence(data),
    roles(data),
  ].filter(Boolean);
  document.getElementById("top").append(...head(data).filter(Boolean));
  document.getElementById("nav").append(...sections.map((section) => el("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)));
  document.getElementById("main").append(...sections);
  document.getElementById("foot").append(`ratchet ${data.tool}`);
  chosen.apply();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

build();
