// Checks the certificate of a report by the checker in WebAssembly, for the table in the page or for
// a file that the reader chooses. Only the answer 0 of the checker means that it is verified.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("certificate-data").textContent);
  const element = (id) => document.getElementById(id);
  const [button, chosen, form] = ["check", "table-file", "certificate-form"].map(element);

  // Why there is nothing to check, for the reader.
  class Unusable extends Error {}

  // --- the checker ----------------------------------------------------------------------------

  const packed = (text) => new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]);

  async function unpacked(text) {
    const stream = packed(text).stream().pipeThrough(new DecompressionStream("gzip"));
    const reader = stream.getReader();
    const chunks = [];
    let length = 0;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > data.limit) throw new Error(`unpacked data have more than ${data.limit} bytes`);
      chunks.push(read.value);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }

  // The number that the checker answers; every check has an instance of its own.
  async function answer({ bytes, rows }) {
    const program = await unpacked(data.checker);
    const { memory, reserve, check } = (await WebAssembly.instantiate(program)).instance.exports;
    const placed = (content) => {
      const start = reserve(content.length) >>> 0;
      new Uint8Array(memory.buffer, start, content.length).set(content);
      return [start, content.length];
    };
    const places = [...placed(await unpacked(data.certificate)), ...placed(bytes)];
    return check(...places, rows, data.features.length, BigInt(data.scale));
  }

  // --- a table from a file --------------------------------------------------------------------

  // Cells that are no level and one of these are missing values, as on the command line.
  const MISSING = new Set(["", "na", "n/a", "nan", "null", "none", "?"]);
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

  function rowsOf(text, separator) {
    const rows = [];
    let [row, cell, quoted] = [[], "", false];
    const endCell = () => {
      row.push(cell.trim());
      cell = "";
    };
    const endRow = () => {
      endCell();
      if (row.some((text) => text)) rows.push(row);
      row = [];
    };
    for (let at = 0; at < text.length; at++) {
      const letter = text[at];
      if (quoted && letter === '"' && text[at + 1] === '"') cell += text[at++];
      else if (letter === '"' && (quoted || cell.trim() === "")) quoted = !quoted;
      else if (!quoted && letter === separator) endCell();
      else if (!quoted && letter === "\n") endRow();
      else cell += letter;
    }
    endRow();
    return rows;
  }

  function separatorOf(text) {
    const [first] = text.split("\n", 1);
    const columns = (separator) => rowsOf(first, separator).flat().length;
    const widest = (best, other) => (columns(other) > columns(best) ? other : best);
    return [",", ";", "\t"].reduce(widest);
  }

  function placeOf(name, header) {
    const place = header.indexOf(name.trim());
    if (place < 0) throw new Unusable(`the file has no column “${name}”.`);
    return place;
  }

  function placeOfLabels(header, used) {
    if (data.target !== null) return placeOf(data.target, header);
    const others = header.map((_, at) => at).filter((at) => !used.includes(at));
    if (others.length === 1) return others[0];
    throw new Unusable("the page does not know which column of the file has the labels.");
  }

  function valueOf(cell, name, codes) {
    if (codes?.has(cell)) return codes.get(cell);
    if (MISSING.has(cell.toLowerCase())) return NaN;
    if (!codes && NUMBER.test(cell)) return Number(cell);
    if (!codes && /^(true|false)$/i.test(cell)) return Number(cell.toLowerCase() === "true");
    const kind = codes ? "level of the training examples" : "number";
    throw new Unusable(`“${cell}” in column “${name}” is no ${kind}.`);
  }

  // In the integers of the certificate.
  function weightOf(cell) {
    const weight = NUMBER.test(cell) ? Number(cell) * Number(data.scale) : NaN;
    if (Number.isInteger(weight) && weight >= 0 && weight < 2 ** 62) return BigInt(weight);
    throw new Unusable(`“${cell}” is no weight of the training examples.`);
  }

  // The bytes that `check` of crates/check-wasm reads.
  function tableIn(text) {
    const content = text.replace(/^\ufeff/, "");
    const [header = [], ...lines] = rowsOf(content, separatorOf(content));
    const places = data.features.map(({ name }) => placeOf(name, header));
    const ofWeights = data.weights === null ? null : placeOf(data.weights, header);
    const ofLabels = placeOfLabels(header, [...places, ofWeights]);
    const uneven = lines.find((line) => line.length !== header.length);
    if (uneven) throw new Unusable(`a row has ${uneven.length} cells, the header ${header.length}.`);
    const all = lines.map((line) => [line, ofWeights === null ? 1n : weightOf(line[ofWeights])]);
    const kept = all.filter(([, weight]) => weight > 0n);
    const rows = kept.length;
    const bytes = new Uint8Array(rows * (8 * places.length + 12));
    const view = new DataView(bytes.buffer);
    data.features.forEach(({ name, levels }, feature) => {
      const codes = levels && new Map(levels.map((level, code) => [level.trim(), code]));
      kept.forEach(([line], row) => {
        const value = valueOf(line[places[feature]], name, codes);
        view.setFloat64(8 * (feature * rows + row), value, true);
      });
    });
    const [atLabels, atWeights] = [8 * places.length * rows, (8 * places.length + 4) * rows];
    const labels = new Map();
    kept.forEach(([line, weight], row) => {
      const label = line[ofLabels];
      if (label === "") throw new Unusable("a row has no label.");
      if (!labels.has(label)) labels.set(label, labels.size);
      view.setUint32(atLabels + 4 * row, labels.get(label), true);
      view.setBigUint64(atWeights + 8 * row, weight, true);
    });
    return { bytes, rows };
  }

  async function tableOf(file) {
    if (file) return tableIn(await file.text());
    if (data.table === null) throw new Unusable("choose the file of the table first.");
    return { bytes: await unpacked(data.table), rows: data.rows };
  }

  // --- the button -----------------------------------------------------------------------------

  function say(status, text) {
    const shown = Object.assign(document.createElement("strong"), { className: "status" });
    shown.textContent = status;
    element("checked").replaceChildren(...(status ? [shown, " "] : []), text);
  }

  function sayAnswer(number, file) {
    const table = file ? `the file “${file.name}”` : "the table in this page";
    const reason = data.reasons[number - 1];
    if (number === 0) say("✓ Verified", `for ${table}: ${data.statement}.`);
    else if (reason) say("✗ Refused", `for ${table}: ${reason}.`);
    else throw new Error(`the checker answered ${number}`);
  }

  async function run() {
    const file = chosen.files[0];
    button.disabled = true;
    say("", "Checking …");
    await new Promise((shown) => setTimeout(shown, 50));
    try {
      sayAnswer(await answer(await tableOf(file)), file);
    } catch (error) {
      if (error instanceof Unusable) say("Not checked:", error.message);
      else say("The check failed", `without an answer, so nothing is verified: ${error.message}.`);
    }
    button.disabled = false;
  }

  function save() {
    const href = URL.createObjectURL(packed(data.certificate));
    Object.assign(document.createElement("a"), { href, download: "certificate.xtc" }).click();
  }

  button.addEventListener("click", run);
  element("save").addEventListener("click", save);
  chosen.addEventListener("change", () => say("", ""));
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    chosen.files = event.dataTransfer.files;
    say("", "");
  });
})();
