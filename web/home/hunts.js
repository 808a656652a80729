import { ApiError } from "../../clients/typescript/src/errors.js";
import { confirmation } from "../shared/confirmation.js";
import { button, form, h, section } from "../shared/dom.js";
import { has, t } from "../shared/i18n.js";
import { showInvalid } from "../shared/invalid-field.js";
import { toastError } from "../shared/toast.js";
import { skye } from "../state/api.js";
import { loadItem, saveItem } from "../state/items.js";
import { languageChoice } from "./language-choice.js";
import { share } from "./share.js";

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"get_hunt_score">} Score */
/** @typedef {import("../../clients/typescript/src/resources.js").Result<"reveal_hunt">} Revealed */
/** A hunt that this browser has opened. @typedef {{id: string, key: string | null}} Kept */

const PATH = "/v1/lab/hunts";
const KEPT = "skye.hunts";

/** Show the bug hunts that this browser has opened, and a form that opens another. @param {Element} app */
export async function openHunts(app) {
  const { classes } = await skye.transport.json("GET", "/v1/lab/defects/classes");
  const hunts = h("div", { class: "stack" });
  app.replaceChildren(
    h(
      "div",
      { class: "front-page" },
      h(
        "header",
        { class: "head" },
        h("h1", {}, t("hunt.title")),
        h("a", { href: "/play/" }, "Isle of Skye"),
        languageChoice(),
      ),
      h(
        "main",
        { class: "front" },
        section(
          t("hunt.open"),
          h("p", {}, t("hunt.text"), " ", h("a", { href: "/docs/hunts", hreflang: "en" }, t("front.guide"))),
          openForm(classes, hunts),
        ),
        hunts,
      ),
    ),
  );
  for (const kept of keptHunts()) await showHunt(hunts, kept);
}

/** Return a text of the server with its code between backticks marked. @param {string} text */
function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));
}

/** @returns {Kept[]} */
function keptHunts() {
  return JSON.parse(loadItem(KEPT) ?? "[]");
}

/**
 * @param {import("../../clients/typescript/src/resources.js").Result<"list_defect_classes">["classes"]} classes
 * @param {Element} hunts
 */
function openForm(classes, hunts) {
  const boxes = classes.map((each) => h("input", { type: "checkbox", value: each.class }));
  const difficulty = h(
    "select",
    { name: "difficulty" },
    h("option", { value: "" }, t("hunt.any")),
    ...["easy", "medium", "hard"].map((value) => h("option", { value }, t(`hunt.${value}`))),
  );
  const count = h("input", { name: "count", type: "number", min: 1, max: 100, value: 5, required: true });
  const seed = h("input", { name: "seed", maxlength: 64, autocomplete: "off" });
  const root = form(
    "stack",
    open,
    h(
      "fieldset",
      {},
      h("legend", {}, t("hunt.classes")),
      ...classes.map((each, index) =>
        h(
          "label",
          { class: "check" },
          boxes[index],
          h("span", { lang: "en" }, h("b", {}, each.class), " ", ...prose(each.description)),
        ),
      ),
    ),
    h(
      "div",
      { class: "bar" },
      h("label", {}, t("hunt.difficulty"), " ", difficulty),
      h("label", {}, t("hunt.count"), " ", count),
      h("label", {}, t("hunt.seed"), " ", seed),
    ),
    h("div", { class: "bar" }, h("button", { class: "primary", "data-act": "open-hunt" }, t("hunt.open"))),
  );

  async function open() {
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    const body = {
      // what the form leaves open is left out: the server refuses null
      count: Number(count.value),
      ...(chosen.length && { classes: chosen }),
      ...(difficulty.value && { difficulty: difficulty.value }),
      ...(seed.value.trim() && { seed: seed.value.trim() }),
    };
    try {
      const { id, key } = await skye.transport.json("POST", PATH, { body });
      saveItem(KEPT, JSON.stringify([{ id, key }, ...keptHunts()]));
      await showHunt(hunts, { id, key }, true);
    } catch (error) {
      showInvalid(error, root);
    }
  }
  return root;
}

/** Show a hunt in a list; forget it if it has expired. @param {Element} hunts @param {Kept} kept */
async function showHunt(hunts, { id, key }, first = false) {
  const path = `${PATH}/${encodeURIComponent(id)}`;
  const result = h("div", { class: "stack", "aria-live": "polite" });
  try {
    const hunt = await skye.transport.json("GET", path);
    const sure = confirmation(t("hunt.sure"), t("hunt.reveal"), () => void reveal().catch(toastError));
    const actions = h(
      "div",
      { class: "bar" },
      button(t("hunt.copy"), () => void share(location.origin + hunt.api, ""), { "data-act": "copy-api" }),
      button(t("hunt.refresh"), () => void update().catch(toastError), { "data-act": "refresh-hunt" }),
      hunt.revealed_at || !key
        ? null
        : button(t("hunt.reveal"), (event) => sure.open(/** @type {HTMLElement} */ (event.currentTarget)), {
            "data-act": "reveal",
          }),
    );
    const update = async () => result.replaceChildren(...scoreOf(await skye.transport.json("GET", `${path}/score`)));
    const reveal = async () => {
      const revealed = await skye.transport.json("POST", `${path}/reveal`, { token: key });
      result.replaceChildren(...scoreOf(revealed.score), solution(revealed.defects));
      actions.querySelector("[data-act=reveal]")?.remove();
    };
    const root = section(`${hunt.name} ${id}`, h("p", {}, h("code", {}, location.origin + hunt.api)), actions, result);
    await (hunt.revealed_at && key ? reveal() : update());
    if (first) hunts.prepend(root);
    else hunts.append(root);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "hunt_not_found") throw error;
    saveItem(KEPT, JSON.stringify(keptHunts().filter((kept) => kept.id !== id)));
  }
}

/** @param {Score} score @returns {HTMLElement[]} */
function scoreOf({ found, left, defects, false_reports: wrong, seconds }) {
  const classes = new Map(left.map((each) => [each.class, { found: 0, left: each.defects }]));
  for (const { class: name } of found)
    classes.set(name, { left: 0, ...classes.get(name), found: (classes.get(name)?.found ?? 0) + 1 });
  const rows = [...classes].map(([name, of]) =>
    h("tr", {}, h("th", { scope: "row", lang: "en" }, name), h("td", {}, of.found), h("td", {}, of.left)),
  );
  return [
    h("p", {}, t("hunt.score", { found: found.length, defects, wrong, minutes: Math.floor(seconds / 60) })),
    h(
      "table",
      { class: "standings" },
      h(
        "thead",
        {},
        h("tr", {}, ...["hunt.class", "hunt.found", "hunt.left"].map((name) => h("th", { scope: "col" }, t(name)))),
      ),
      h("tbody", {}, ...rows),
    ),
  ];
}

/** @param {Revealed["defects"]} defects */
function solution(defects) {
  return h(
    "ul",
    {},
    ...defects.map((each) =>
      h(
        "li",
        {},
        h("b", { lang: "en" }, each.name),
        ` (${has(`hunt.${each.difficulty}`) ? t(`hunt.${each.difficulty}`) : each.difficulty}) `,
        each.found ? h("span", { class: "badge" }, t("hunt.found")) : null,
        h("p", { lang: "en" }, h("code", {}, each.operation), ` ${each.breaks}`),
        h(
          "details",
          {},
          h("summary", {}, t("hunt.requests")),
          h(
            "pre",
            { lang: "en", tabindex: 0 },
            each.evidence.map(({ method, path, body }) => `${method} ${path} ${body ?? ""}`).join("\n"),
          ),
        ),
      ),
    ),
  );
}
