// Folding, searching, pointing and following examples through the trees of a report.
// Every text goes into the page by textContent: nothing that a name says is ever read as HTML.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const element = (id) => document.getElementById(id);
  const itemOf = (tree, node) => element(`t${tree}n${node}`);
  const items = [...document.querySelectorAll(".tree li")];
  const placeOf = (item) => [Number(item.dataset.tree), Number(item.dataset.node)];

  function make(name, text = "", properties = {}) {
    const made = Object.assign(document.createElement(name), properties);
    made.textContent = text;
    return made;
  }

  // --- folding --------------------------------------------------------------------------------

  function fold(item, folded) {
    const button = item.querySelector(":scope > .box > .folder");
    if (!button) return;
    item.classList.toggle("folded", folded);
    button.setAttribute("aria-expanded", String(!folded));
  }

  // Children of the root stay to be seen when all else is folded.
  const foldAll = (folded) =>
    items.forEach((item) => fold(item, folded && item.dataset.node !== "0"));

  function unfoldAbove(tree, node) {
    for (let at = data.trees[tree][node].parent; at >= 0; at = data.trees[tree][at].parent) {
      fold(itemOf(tree, at), false);
    }
  }

  // --- pointing -------------------------------------------------------------------------------

  function point(item) {
    document.querySelectorAll(".near").forEach((other) => other.classList.remove("near"));
    const [tree, node] = placeOf(item);
    for (let at = node; at >= 0; at = data.trees[tree][at].parent) {
      itemOf(tree, at).classList.add("near");
    }
    const { path, counts } = data.trees[tree][node];
    element("node-text").textContent = `${path ? `Here ${path}` : "All examples"}: ${counts}.`;
  }

  // --- searching ------------------------------------------------------------------------------

  let hits = [];
  let hit = -1;

  function search() {
    const wanted = element("search").value.trim().toLowerCase();
    items.forEach((item) => item.classList.remove("hit"));
    const text = (item) => item.querySelector(":scope > .box").textContent.toLowerCase();
    hits = wanted ? items.filter((item) => text(item).includes(wanted)) : [];
    hit = -1;
    for (const item of hits) {
      item.classList.add("hit");
      unfoldAbove(...placeOf(item));
    }
    element("hits").textContent = wanted ? `${hits.length} of ${items.length} nodes` : "";
  }

  function nextHit(event) {
    if (event.key !== "Enter" || !hits.length) return;
    hit = (hit + 1) % hits.length;
    hits[hit].firstElementChild.scrollIntoView({ block: "center", inline: "center" });
    point(hits[hit]);
  }

  // --- following ------------------------------------------------------------------------------

  // In the order in which `Surfaces.sums_of` adds, so that roundings are the same.
  function sumOf({ terms }, values) {
    let sum = 0;
    for (const [features, weight] of terms) {
      let product = features.length ? values[features[0]] : 1;
      for (const feature of features.slice(1)) product *= values[feature];
      sum += product * weight;
    }
    return sum;
  }

  // The same decisions as `Tree.goes_left` makes.
  function goesLeft(asks, values) {
    if (asks.how === "sum") return sumOf(asks, values) <= asks.threshold;
    const value = values[asks.feature];
    if (value === null) return asks.missing;
    if (asks.how === "present") return asks.left;
    if (asks.how === "in") return asks.codes.includes(value);
    return asks.how === "equal" ? value === asks.threshold : value <= asks.threshold;
  }

  function wayOf(tree, values) {
    const way = [0];
    for (let node = tree[0]; node.children; node = tree[way.at(-1)]) {
      way.push(node.children[goesLeft(node, values) ? 0 : 1]);
    }
    return way;
  }

  function shown(feature, value) {
    const { name, levels } = data.features[feature];
    if (value === null) return `${name} is missing`;
    return `${name} is ${levels ? levels[value] ?? "another level" : value}`;
  }

  function steps(tree, way, values) {
    const list = make("ol");
    for (const [place, at] of way.slice(0, -1).entries()) {
      const node = tree[at];
      const yes = node.children[0] === way[place + 1];
      const known =
        node.how === "sum"
          ? `the sum is ${Number(sumOf(node, values).toPrecision(6))}`
          : shown(node.feature, values[node.feature]);
      list.append(make("li", `${known}: ${node.rule}? ${yes ? "Yes." : "No."}`));
    }
    return list;
  }

  function votesFor(leaves) {
    const votes = data.classes.map(() => 0);
    leaves.forEach((leaf) => votes[leaf.class]++);
    return { winner: votes.indexOf(Math.max(...votes)), votes };
  }

  function follow(values, label) {
    clearWay();
    const leaves = data.trees.map((tree, number) => {
      const way = wayOf(tree, values);
      way.forEach((node) => itemOf(number, node).classList.add("on-way"));
      unfoldAbove(number, way.at(-1));
      if (data.trees.length > 1) element("way").append(make("p", `Tree ${number}:`));
      element("way").append(steps(tree, way, values));
      return tree[way.at(-1)];
    });
    let prediction = `It predicts ${leaves[0].predicts}.`;
    if (leaves.length > 1) {
      const { winner, votes } = votesFor(leaves);
      const counted = votes.map((count, at) => `${data.classes[at]} ${count}`).join(", ");
      prediction = `The trees vote ${data.classes[winner]} (${counted}).`;
    }
    element("way").append(make("p", label === null ? prediction : `${prediction} The label is ${label}.`));
  }

  function clearWay() {
    document.querySelectorAll(".on-way").forEach((item) => item.classList.remove("on-way"));
    element("way").replaceChildren();
  }

  const fields = () => [...element("values").querySelectorAll("input,select")];

  const valuesEntered = () =>
    fields().map((field) => (field.value.trim() === "" ? null : Number(field.value)));

  function enter(values) {
    fields().forEach((field, at) => (field.value = values[at] ?? ""));
  }

  function followExample() {
    const chosen = data.examples[Number(element("example").value)];
    if (element("example").value === "") return reset();
    enter(chosen.values);
    follow(chosen.values, chosen.label);
  }

  function followEntered() {
    element("example").value = "";
    const values = valuesEntered();
    const absent = data.complete.filter((at) => values[at] === null);
    if (absent.length) {
      const names = absent.map((at) => data.features[at].name).join(", ");
      clearWay();
      element("way").append(make("p", `Enter a number for ${names}: none may be missing.`));
      return;
    }
    follow(values, null);
  }

  function reset() {
    element("example").value = "";
    enter(data.usual);
    clearWay();
  }

  function step(by) {
    const many = data.examples.length;
    const chosen = element("example").value;
    const next = chosen === "" ? (by > 0 ? 0 : many - 1) : (Number(chosen) + by + many) % many;
    element("example").value = String(next);
    followExample();
  }

  function field({ name, levels }) {
    const label = make("label", `${name} `);
    if (levels) {
      const choice = make("select");
      const options = [["", "missing"], ...levels.map((level, code) => [code, level]), [-1, "other"]];
      choice.append(...options.map(([value, text]) => make("option", text, { value })));
      label.append(choice);
    } else {
      label.append(make("input", "", { type: "number", step: "any", placeholder: "missing" }));
    }
    return label;
  }

  function fillForm() {
    element("values").append(...data.features.map(field));
    const entries = data.examples.map(({ row, label, wrong }, at) =>
      make("option", `row ${row}: ${label}${wrong ? " (predicted wrongly)" : ""}`, { value: at }),
    );
    element("example").append(make("option", "none", { value: "" }), ...entries);
    for (const id of ["example", "previous", "next"]) element(id).disabled = !entries.length;
    enter(data.usual);
    element("follow").hidden = !data.features.length;
  }

  // --- pictures and lists ---------------------------------------------------------------------

  const trees = [...document.querySelectorAll(".tree")];

  function show(form) {
    for (const tree of trees) {
      tree.classList.toggle("picture", form === "picture");
      tree.classList.toggle("outline", form === "outline");
    }
    element("view").textContent = form === "picture" ? "Show as a list" : "Show as a picture";
  }

  const isPicture = () => trees[0].classList.contains("picture");

  fillForm();
  // A picture much wider than its place is read better as a list.
  const tooWide = trees.some((tree) => tree.scrollWidth > 1.3 * tree.parentElement.clientWidth);
  show(isPicture() && !tooWide ? "picture" : "outline");
  element("view").addEventListener("click", () => show(isPicture() ? "outline" : "picture"));
  element("fold").addEventListener("click", () => foldAll(true));
  element("unfold").addEventListener("click", () => foldAll(false));
  element("search").addEventListener("input", search);
  element("search").addEventListener("keydown", nextHit);
  element("example").addEventListener("change", followExample);
  element("values").addEventListener("input", followEntered);
  element("previous").addEventListener("click", () => step(-1));
  element("next").addEventListener("click", () => step(1));
  element("clear").addEventListener("click", reset);
  for (const item of items) {
    const box = item.querySelector(":scope > .box");
    box.addEventListener("mouseenter", () => point(item));
    box.addEventListener("focusin", () => point(item));
    const button = box.querySelector(".folder");
    button?.addEventListener("click", () => fold(item, !item.classList.contains("folded")));
  }
})();
