"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  /* Texts of others become text nodes, and what cannot be seen in them is spelled out. */
  const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;
  const spelled = (char) => {
    const hex = char.codePointAt(0).toString(16);
    return hex.length < 3 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
  };
  const seen = (text) => text.replace(UNSEEN, spelled);

  const made = (tag, name, ...inside) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...inside);
    return element;
  };

  const appendSeen = (parent, text) => {
    let at = 0;
    for (const found of text.matchAll(UNSEEN)) {
      parent.append(text.slice(at, found.index), made("span", "ctrl", spelled(found[0])));
      at = found.index + found[0].length;
    }
    parent.append(text.slice(at));
    return parent;
  };

  /* Colours: as the system has them, light, dark. */
  const THEMES = [["", "◐ auto", "as the system has them"], ["light", "○ light", "light"], ["dark", "● dark", "dark"]];
  const root = document.documentElement;
  const button = byId("theme");
  let theme = 0;
  const setTheme = (at) => {
    theme = at;
    const [name, label, said] = THEMES[at];
    if (name) root.dataset.theme = name; else delete root.dataset.theme;
    button.textContent = label;
    button.setAttribute("aria-label", `Colours: ${said}`);
  };
  const kept = (act) => { try { return act(); } catch { return null; } };
  const known = THEMES.findIndex(([name]) => name === kept(() => localStorage.getItem("gistprobe-theme")));
  setTheme(Math.max(0, known));
  button.addEventListener("click", () => {
    setTheme((theme + 1) % THEMES.length);
    kept(() => localStorage.setItem("gistprobe-theme", THEMES[theme][0]));
  });

  const list = byId("list");
  if (!list) return;

  const index = JSON.parse(byId("index").textContent);
  const packed = Array.from(document.querySelectorAll("script.chunk"));
  const [SET, WORK, ID, CHUNK, PLACE, SCORES] = [0, 1, 2, 3, 4, 5];
  const items = index.items;
  const conditions = index.conditions.map(([names, prompt, wording, descriptions], at) => {
    const more = [wording === "own" ? "" : `wording ${wording}`, descriptions === "none" ? "" : `descriptions ${descriptions}`];
    const label = [`${names.replaceAll("_", " ")} · ${prompt}`, ...more.filter(Boolean)].join(", ");
    return { at, names, prompt, plain: wording === "own" && descriptions === "none", label: seen(label) };
  });
  const conditionOf = ([names, prompt]) => {
    const found = conditions.find((one) => one.names === names && one.prompt === prompt && one.plain);
    return found ? found.at : -1;
  };
  const isJudged = (item) => index.sets[item[SET]][3] === "share";
  const setLabel = ([task, dataset, choices]) => {
    const alike = index.sets.filter((one) => one[0] === task);
    const more = [];
    if (new Set(alike.map((one) => one[1])).size > 1) more.push(dataset);
    if (new Set(alike.map((one) => one[2])).size > 1) more.push(choices);
    return seen(task.replaceAll("_", " ") + (more.length ? ` (${more.join(", ")})` : ""));
  };

  /* Scores of an item by condition and model, without its texts. */
  const tables = items.map((item) => {
    const found = new Map();
    for (const [condition, model, score, missing, unparsed] of item[SCORES]) {
      found.set(condition * 1000 + model, { score, missing, unparsed });
    }
    return found;
  });
  const cellOf = (at, condition, model) => tables[at].get(condition * 1000 + model);
  const verdict = (cell) => (!cell || cell.score === null ? null : cell.score > 0.5);

  const glyph = (at, condition, model) => {
    const cell = cellOf(at, condition, model);
    if (!cell) return made("span", "unscored", "·");
    if (cell.score === null || !isJudged(items[at])) return made("span", "unscored", "◌");
    return verdict(cell) ? made("span", "right", "●") : made("span", "wrong", "○");
  };

  /* Chunks of texts are unpacked once: when an item of theirs is looked at, or at leisure. */
  const chunks = new Map();
  const unpack = async (number) => {
    const binary = atob(JSON.parse(packed[number].textContent));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const chunk = JSON.parse(await new Response(stream).text());
    packed[number].remove();
    return chunk;
  };
  const chunkOf = (number) => {
    if (!chunks.has(number)) chunks.set(number, unpack(number));
    return chunks.get(number);
  };

  const haystacks = new Array(items.length);
  let isSearchable = false;
  const prepare = async () => {
    for (let number = 0; number < packed.length; number += 1) {
      const chunk = await chunkOf(number);
      const lower = chunk.texts.map((text) => text.toLowerCase());
      items.forEach((item, at) => {
        if (item[CHUNK] !== number) return;
        const own = new Set(chunk.items[item[PLACE]][1].flatMap(
          ([, text, gold, , cells]) => [text, gold, ...cells.flatMap((cell) => [cell[3], cell[4]])]));
        own.delete(-1);
        haystacks[at] = Array.from(own, (text) => lower[text]);
      });
      await new Promise((resolve) => setTimeout(resolve));
    }
    isSearchable = true;
    if (textInput.value) refresh();
  };

  /* Filters. */
  const [taskSelect, modelSelect, workSelect, showSelect, aSelect, bSelect, textInput] =
    ["f-task", "f-model", "f-work", "f-show", "f-a", "f-b", "f-text"].map(byId);
  const fill = (select, options) => {
    const before = select.value;
    select.replaceChildren(...options.map(([value, label]) => {
      const option = made("option", "", label);
      option.value = value;
      return option;
    }));
    if (options.some(([value]) => value === before)) select.value = before;
  };
  fill(taskSelect, [...(index.sets.length > 1 ? [["", "all tasks"]] : []), ...index.sets.map((one, at) => [String(at), setLabel(one)])]);
  fill(modelSelect, [...(index.models.length > 1 ? [["", "any model"]] : []), ...index.models.map((name, at) => [String(at), seen(name)])]);
  const fillWorks = () => {
    const of = items.filter((item) => !taskSelect.value || item[SET] === Number(taskSelect.value));
    const works = Array.from(new Set(of.map((item) => item[WORK])));
    works.sort((a, b) => (index.works[a] < index.works[b] ? -1 : 1));
    fill(workSelect, [["", "all works"], ...works.map((at) => [String(at), seen(index.works[at])])]);
  };
  const byCondition = conditions.map((one) => [String(one.at), one.label]);
  fill(aSelect, byCondition);
  fill(bSelect, byCondition);
  const origin = conditionOf(index.origin);
  const changed = conditionOf(index.changed);
  aSelect.value = String(origin < 0 ? 0 : origin);
  bSelect.value = String(changed < 0 ? Math.min(1, conditions.length - 1) : changed);

  const labelOf = (select) => {
    const at = Number(select.value);
    if (at === origin) return "origin";
    return at === changed ? "NR" : conditions[at].label;
  };
  const KINDS = {
    all: () => true,
    lost: (a, b) => verdict(a) === true && verdict(b) === false,
    gained: (a, b) => verdict(a) === false && verdict(b) === true,
    both: (a, b) => verdict(a) === true && verdict(b) === true,
    neither: (a, b) => verdict(a) === false && verdict(b) === false,
    "right-a": (a) => verdict(a) === true,
    "wrong-a": (a) => verdict(a) === false,
    "right-b": (a, b) => verdict(b) === true,
    "wrong-b": (a, b) => verdict(b) === false,
  };
  const fillShow = () => {
    const [a, b] = [labelOf(aSelect), labelOf(bSelect)];
    fill(showSelect, [
      ["all", "all items"],
      ["lost", `flips: right under ${a}, wrong under ${b}`],
      ["gained", `flips: wrong under ${a}, right under ${b}`],
      ["both", "right under both"], ["neither", "wrong under both"],
      ["right-a", `right under ${a}`], ["wrong-a", `wrong under ${a}`],
      ["right-b", `right under ${b}`], ["wrong-b", `wrong under ${b}`],
      ["unparsed", "with a reply that holds no answer"], ["missing", "with a reply missing"],
    ]);
  };

  const modelsAsked = () => (modelSelect.value ? [Number(modelSelect.value)] : index.models.map((_, at) => at));
  const isKind = (at, kind, models) => {
    if (kind === "all") return true;
    if (kind === "unparsed" || kind === "missing") {
      return items[at][SCORES].some((one) => models.includes(one[1]) && one[kind === "missing" ? 3 : 4] > 0);
    }
    if (!isJudged(items[at])) return false;
    const [a, b] = [Number(aSelect.value), Number(bSelect.value)];
    return models.some((model) => KINDS[kind](cellOf(at, a, model), cellOf(at, b, model)));
  };
  const isFound = (at, words) => {
    if (!words) return true;
    const item = items[at];
    if (`${item[ID]} ${index.works[item[WORK]]}`.toLowerCase().includes(words)) return true;
    return (haystacks[at] || []).some((text) => text.includes(words));
  };

  let shown = [];
  let chosen = -1;
  const refresh = () => {
    const words = textInput.value.trim().toLowerCase();
    const models = modelsAsked();
    shown = [];
    items.forEach((item, at) => {
      if (taskSelect.value && item[SET] !== Number(taskSelect.value)) return;
      if (workSelect.value && item[WORK] !== Number(workSelect.value)) return;
      if (isKind(at, showSelect.value, models) && isFound(at, words)) shown.push(at);
    });
    const more = words && !isSearchable ? "; texts are still being unpacked" : "";
    byId("count").textContent = `${shown.length.toLocaleString("en")} of ${items.length.toLocaleString("en")} items${more}`;
    draw(true);
  };

  /* The list holds the rows in sight and no others. */
  const ROW_PX = 50;
  const rows = byId("rows");
  const draw = (isNew = false) => {
    if (isNew) {
      rows.style.height = `${shown.length * ROW_PX}px`;
      const place = shown.indexOf(chosen);
      list.scrollTop = place < 0 ? 0 : Math.max(0, place * ROW_PX - list.clientHeight / 2);
    }
    const first = Math.max(0, Math.floor(list.scrollTop / ROW_PX) - 4);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW_PX) + 4);
    const fresh = document.createDocumentFragment();
    for (let place = first; place < last; place += 1) fresh.append(rowOf(place));
    rows.replaceChildren(fresh);
    if (shown.includes(chosen)) list.setAttribute("aria-activedescendant", `row-${chosen}`);
    else list.removeAttribute("aria-activedescendant");
  };
  const rowOf = (place) => {
    const at = shown[place];
    const item = items[at];
    const marks = made("span", "marks");
    for (const model of modelsAsked().slice(0, 2)) {
      marks.append(made("div", "", glyph(at, Number(aSelect.value), model), " → ", glyph(at, Number(bSelect.value), model)));
    }
    marks.title = modelsAsked().slice(0, 2).map((model) => seen(index.models[model])).join(", ");
    const under = seen(`${index.works[item[WORK]]} · ${setLabel(index.sets[item[SET]])}`);
    const row = made("div", "row", made("span", "id", seen(item[ID])), made("span", "work", under), marks);
    row.id = `row-${at}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(at === chosen));
    row.setAttribute("aria-setsize", String(shown.length));
    row.setAttribute("aria-posinset", String(place + 1));
    row.style.top = `${place * ROW_PX}px`;
    row.addEventListener("click", () => choose(place));
    return row;
  };
  list.addEventListener("scroll", () => requestAnimationFrame(() => draw()));

  /* Names: those of the name map, and their parts, as whole words. */
  const SMALL_WORD = /^(?:\p{Ll}.*|Mr|Mrs|Ms|Miss|Dr|Sir|Lady|Lord|The|.)\.?$/u;
  const namesIn = (map, side) => {
    const found = new Map();
    for (const pair of Object.entries(map)) {
      const [own, other] = side ? [pair[1], pair[0]] : pair;
      if (typeof own !== "string" || typeof other !== "string") continue;
      found.set(own, other);
      for (const part of own.split(/\s+/)) {
        if (!SMALL_WORD.test(part) && !found.has(part)) found.set(part, other);
      }
    }
    found.delete("");
    return found;
  };
  const appendMarked = (parent, text, names, says) => {
    const own = Array.from(names.keys()).sort((a, b) => b.length - a.length);
    if (!own.length) return appendSeen(parent, text);
    const escaped = own.map((name) => name.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&"));
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${escaped.join("|")})(?![\\p{L}\\p{N}_])`, "gu");
    let at = 0;
    for (const found of text.matchAll(pattern)) {
      appendSeen(parent, text.slice(at, found.index));
      const mark = appendSeen(made("mark", ""), found[0]);
      mark.title = seen(says(found[0], names.get(found[0])));
      parent.append(mark);
      at = found.index + found[0].length;
    }
    return appendSeen(parent, text.slice(at));
  };

  /* The chosen item. */
  const article = byId("item");
  const inText = (text, name = "text") => {
    const box = made("div", name);
    box.dir = "auto";
    box.tabIndex = 0;
    return appendSeen(box, text);
  };
  const score = (value, item) => {
    if (value === null) return made("span", "unscored", "◌ no score");
    const number = value.toFixed(isJudged(item) ? 2 : 3);
    if (!isJudged(item)) return made("span", "", number);
    return value > 0.5 ? made("span", "right", `● ${number}`) : made("span", "wrong", `○ ${number}`);
  };
  const repliesOf = (cells, texts, item, models) => {
    const groups = new Map();
    for (const [model, sample, outcome, reply, answer, mark, unparsed, error] of cells) {
      if (!models.includes(model)) continue;
      const key = [model, outcome, reply, answer, mark, unparsed, error].join(" ");
      const own = groups.get(key) || { model, outcome, reply, answer, mark, unparsed, error, samples: [] };
      own.samples.push(sample);
      groups.set(key, own);
    }
    return Array.from(groups.values(), (own) => {
      const outcome = texts[own.outcome];
      const head = made("div", "head", made("b", "", seen(index.models[own.model])), score(own.mark, item));
      if (cells.length > 1) {
        const many = own.samples.length;
        head.append(many > 1 ? `${many} samples alike` : `sample ${own.samples[0] + 1}`);
      }
      if (outcome !== "ok") head.append(seen(outcome));
      const reply = made("div", "reply", head);
      if (own.reply >= 0) reply.append(inText(texts[own.reply], "text short"));
      const said = own.answer >= 0 ? ["Read as: ", texts[own.answer]]
        : own.unparsed >= 0 ? ["Holds no answer: ", texts[own.unparsed]]
        : own.error >= 0 ? ["No reply: ", texts[own.error]] : null;
      if (said) reply.append(made("p", "answer", said[0], appendSeen(made("span", ""), said[1])));
      return reply;
    });
  };
  const cardOf = (item, asked, texts, names) => {
    const [condition, text, gold, map, cells] = asked;
    const of = conditions[condition];
    const compared = [Number(aSelect.value), Number(bSelect.value)].includes(condition);
    const title = [of.label];
    if (condition === origin) title.push("origin");
    if (condition === changed) title.push("NR");
    const card = made("section", compared ? "card compared" : "card", made("h4", "", title.join(" — ")));
    card.id = `card-${condition}`;
    card.setAttribute("aria-label", of.label);
    const prompt = inText("", "text");
    prompt.setAttribute("aria-label", `Prompt under ${of.label}`);
    const own = namesIn(JSON.parse(texts[map]), true);
    if (own.size) appendMarked(prompt, texts[text], own, (here, other) => `${here} stands for ${other}`);
    else appendMarked(prompt, texts[text], names, (here, other) => `${here} is replaced elsewhere, for example by ${other}`);
    card.append(made("h5", "", "Prompt"), prompt);
    if (gold >= 0) card.append(made("h5", "", "Gold answer"), inText(texts[gold], "text short"));
    card.append(made("h5", "", "Replies"), ...repliesOf(cells, texts, item, modelsAsked()));
    return card;
  };
  const matrixOf = (at) => {
    const own = conditions.filter((one) => items[at][SCORES].some(([condition]) => condition === one.at));
    const lines = Array.from(new Set(own.map((one) => one.label.replace(` · ${one.prompt}`, ""))));
    const prompts = Array.from(new Set(own.map((one) => one.prompt)));
    const table = made("table", "matrix");
    const head = made("tr", "", made("td", ""), ...prompts.map((name) => made("th", "", seen(name))));
    const body = made("tbody", "");
    for (const line of lines) {
      const row = made("tr", "", made("th", "", line));
      for (const prompt of prompts) {
        const one = own.find((each) => each.prompt === prompt && each.label.replace(` · ${prompt}`, "") === line);
        const cell = made("td", "");
        if (one) {
          const jump = made("button", "", ...modelsAsked().map((model) => glyph(at, one.at, model)));
          jump.type = "button";
          const said = modelsAsked().map((model) => {
            const found = cellOf(at, one.at, model);
            return `${seen(index.models[model])} ${found && found.score !== null ? found.score.toFixed(2) : "no score"}`;
          });
          jump.title = `${one.label}: ${said.join(", ")}`;
          jump.setAttribute("aria-label", jump.title);
          jump.addEventListener("click", () => byId(`card-${one.at}`).scrollIntoView({ inline: "start", block: "nearest" }));
          cell.append(jump);
        }
        row.append(cell);
      }
      body.append(row);
    }
    table.append(made("thead", "", head), body);
    return made("div", "scroll", table);
  };
  const show = async (at) => {
    const item = items[at];
    const chunk = await chunkOf(item[CHUNK]);
    if (at !== chosen) return;
    const [notes, asked] = chunk.items[item[PLACE]];
    const names = new Map();
    for (const [, , , map] of asked) {
      for (const [own, other] of namesIn(JSON.parse(chunk.texts[map]), false)) {
        if (conditions[asked.find((one) => one[3] === map)[0]].names === "cross_culture" || !names.has(own)) names.set(own, other);
      }
    }
    const first = [Number(aSelect.value), Number(bSelect.value)];
    const place = (one) => (first.includes(one[0]) ? first.indexOf(one[0]) : 2);
    const cards = made("div", "cards", ...[...asked].sort((a, b) => place(a) - place(b)).map((one) => cardOf(item, one, chunk.texts, names)));
    cards.tabIndex = 0;
    cards.setAttribute("role", "group");
    cards.setAttribute("aria-label", "The item under every condition; scroll sideways for more");
    const [task, dataset] = index.sets[item[SET]];
    const facts = [task.replaceAll("_", " "), dataset, index.works[item[WORK]], ...notes.map((note) => chunk.texts[note])];
    article.replaceChildren(
      appendSeen(made("h3", ""), item[ID]),
      made("p", "facts", seen(facts.filter(Boolean).join(" · "))),
      matrixOf(at), cards);
    article.dataset.at = String(at);
  };

  /* Addresses: #item=task/dataset/choices/id. */
  const addressOf = (at) => `#item=${[...index.sets[items[at][SET]].slice(0, 3), items[at][ID]].map(encodeURIComponent).join("/")}`;
  const addressed = new Map(items.map((_, at) => [addressOf(at), at]));
  const choose = (place) => {
    if (!shown.length) return;
    const to = Math.max(0, Math.min(shown.length - 1, place));
    chosen = shown[to];
    const [top, bottom] = [to * ROW_PX, (to + 1) * ROW_PX];
    if (top < list.scrollTop) list.scrollTop = top;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
    draw();
    kept(() => history.replaceState(null, "", addressOf(chosen)));
    return show(chosen);
  };
  const follow = () => {
    const at = addressed.get(location.hash);
    if (at === undefined || at === chosen) return;
    if (!shown.includes(at)) {
      for (const select of [taskSelect, modelSelect, workSelect]) select.selectedIndex = 0;
      if (index.sets.length === 1) taskSelect.value = "0";
      fillWorks();
      showSelect.value = "all";
      textInput.value = "";
      refresh();
    }
    choose(shown.indexOf(at));
    draw(true);
    byId("browser").scrollIntoView();
  };

  /* Keys. */
  const isTyping = (target) => ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
  const STEPS = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && (event.target === textInput || article.contains(event.target))) {
      list.focus();
      return;
    }
    if (event.target === textInput && event.key === "Enter") {
      list.focus();
      choose(Math.max(0, shown.indexOf(chosen)));
      event.preventDefault();
      return;
    }
    if (isTyping(event.target)) return;
    if (event.key === "/") {
      textInput.focus();
      textInput.select();
      event.preventDefault();
      return;
    }
    if (event.key === "Enter" && event.target === list && chosen >= 0) {
      article.focus();
      event.preventDefault();
      return;
    }
    const isLetter = event.key === "j" || event.key === "k";
    if (!(event.key in STEPS) || (event.target !== list && !isLetter)) return;
    const place = shown.indexOf(chosen);
    choose(place < 0 ? 0 : place + STEPS[event.key]);
    if (event.target !== list) list.focus();
    event.preventDefault();
  });

  const again = () => { if (chosen >= 0) show(chosen); };
  taskSelect.addEventListener("change", () => { fillWorks(); refresh(); });
  for (const select of [workSelect, showSelect]) select.addEventListener("change", refresh);
  modelSelect.addEventListener("change", () => { refresh(); again(); });
  for (const select of [aSelect, bSelect]) {
    select.addEventListener("change", () => { fillShow(); refresh(); again(); });
  }
  textInput.addEventListener("input", refresh);
  addEventListener("hashchange", follow);

  fillWorks();
  fillShow();
  refresh();
  if (addressed.has(location.hash)) follow();
  else if (shown.length) {
    chosen = shown[0];
    show(chosen);
    draw();
  }
  root.dataset.ready = String(Math.round(performance.now()));
  setTimeout(prepare, 30);
})();
