// Elements are made here and nowhere else: what is data goes into text nodes and attributes, never into markup.

/** An element; `props` are attributes, but `class`, `on` (listeners by event) and `hidden`; null ones are left out. */
function el(name, props, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") made.className = value;
    else if (key === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** A number as people read it; a dash where it is not known. */
function count(number) {
  return number === null || number === undefined ? "–" : number.toLocaleString("en-US");
}

/** `1 site`, `2 sites`. */
function plural(number, word) {
  return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}

/** A part of the page with its heading; it is in the navigation. */
function part(id, title, ...children) {
  return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title`, tabindex: -1 }, title), ...children);
}

/** What stands in the place of a part for which there is no evidence. */
function missing(reason) {
  return el("p", { class: "missing" }, el("strong", null, "Not known: "), reason);
}

/** A list of sentences, none where there is none. */
function sentences(texts, kind) {
  return texts.length ? el("ul", { class: kind }, texts.map((text) => el("li", null, text))) : null;
}

const IN_PATHS = /(?<=[/_])/;
const IN_CODE = /(?<=[._(,])/;

/** A long text that may be broken at some places; it stays as it is. */
function breakable(text, places) {
  return text.split(places).flatMap((piece, at) => (at ? [el("wbr"), piece] : [piece]));
}

/** Code on one line. */
function code(text) {
  return el("code", null, breakable(text, IN_CODE));
}

/** A path, perhaps with a line. */
function place(text) {
  return el("span", { class: "path" }, breakable(text, IN_PATHS));
}

/** Something that opens when it is asked for; its content is made then. */
function opens(summary, make) {
  let done = false;
  const box = el("details", {
    on: {
      toggle: () => {
        if (!done && box.open) box.append(...[make()].flat());
        done = done || box.open;
      },
    },
  }, el("summary", null, summary));
  return box;
}

/** A heading moves into view and takes the focus, so that the keyboard goes on there. */
function goTo(id) {
  const heading = document.getElementById(`${id}-title`);
  heading.scrollIntoView({ block: "start" });
  heading.focus({ preventScroll: true });
}

/** How often each name occurs, the most frequent first. */
function tallied(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
