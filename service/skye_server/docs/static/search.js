"use strict";

// Searches the sections of the guide and the problem codes. Without scripts the box is hidden, and the guide is complete.
const MAX_RESULTS = 12;
const EXCERPT = 120;
const box = document.getElementById("search");
const input = document.getElementById("search-words");
const found = document.getElementById("search-found");
const results = document.getElementById("search-results");
let loading = null;

// The index is loaded when the box is first used.
const index = () => {
  loading ??= fetch(box.dataset.index).then((response) => (response.ok ? response.json() : Promise.reject(response.status)));
  loading.catch(() => (loading = null));
  return loading;
};

// A title that has the word counts more than a text that has it.
const rank = (title, text, words) => {
  const [inTitle, inText] = [title.toLowerCase(), text.toLowerCase()];
  let sum = 0;
  for (const word of words) {
    if (inTitle.includes(word)) sum += inTitle === word ? 20 : 10;
    else if (inText.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
};

const excerpt = (text, words) => {
  const first = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0), text.length);
  const start = first < EXCERPT / 2 || first === text.length ? 0 : text.indexOf(" ", first - EXCERPT / 2) + 1;
  const end = start + EXCERPT;
  return `${start ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
};

const link = ({ page, anchor, title, text }, words) => {
  const [item, target, context] = ["li", "a", "p"].map((name) => document.createElement(name));
  const { guide } = box.dataset;
  target.href = `${page === "index" ? guide : `${guide}/${page}`}#${anchor}`;
  target.textContent = title;
  context.textContent = excerpt(text, words);
  item.append(target, context);
  return item;
};

// Another search may begin while the index is loaded.
const search = async () => {
  const typed = input.value;
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) {
    found.textContent = "";
    results.replaceChildren();
    return;
  }
  const { sections } = await index();
  if (input.value !== typed) return;
  const ranked = sections.map((section) => [rank(section.title, section.text, words), section]).filter(([sum]) => sum);
  ranked.sort(([one], [other]) => other - one);
  found.textContent = ranked.length ? "" : "Nothing found.";
  results.replaceChildren(...ranked.slice(0, MAX_RESULTS).map(([, section]) => link(section, words)));
};

input.addEventListener("input", () => search().catch(() => (found.textContent = "The search is not available now.")));
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") results.querySelector("a")?.click();
});
box.hidden = false;
