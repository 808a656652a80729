import { announce, button, h, hide, setText, whenChanged } from "../shared/dom.js";
import { plain, t } from "../shared/i18n.js";
import { tileNameAndWords, tileWordsLoaded } from "../shared/tile-words.js";
import { loadTiles } from "../state/api.js";
import { guideStep, saveGuideStep } from "../state/guide-step.js";
import { exampleTile } from "./guide-examples.js";
import { thumbnail } from "./log.js";

/**
 * @typedef {object} Game What the lessons are about.
 * @property {import("../state/store.js").Store} store
 * @property {import("./place.js").Placing} placing
 * @property {{discards: () => boolean}} pricing
 */
/** @typedef {{id: string, stage: number, done?: (game: Game) => boolean}} Lesson */

/**
 * The lessons in their order. A lesson is taught in its stage of the round: prices, purchases, building, points. It ends when
 * the player has done it, or by "Next". @type {Lesson[]}
 */
const LESSONS = [
  { id: "income", stage: 0 },
  { id: "scoring", stage: 0 },
  { id: "discard", stage: 0, done: ({ pricing }) => pricing.discards() },
  { id: "prices", stage: 0, done: ({ store }) => store.me?.offer_set ?? false },
  { id: "buy", stage: 1, done: ({ store }) => !store.myTurn },
  { id: "edges", stage: 2, done: ({ placing }) => placing.tile !== null },
  { id: "ghost", stage: 2, done: ({ placing }) => placing.ghost !== null },
  { id: "gains", stage: 2, done: ({ store }) => (store.players[store.seat ?? 0]?.territory.length ?? 0) > 1 },
  { id: "completed", stage: 2 },
  { id: "scrolls", stage: 2 },
  { id: "finish", stage: 2, done: ({ store }) => store.me?.building_finished ?? false },
  { id: "points", stage: 3 },
  { id: "next_round", stage: 3 },
];

/** Return the stage of the first round that a view is in. @param {Game["store"]["view"]} view */
function stageOf({ round, phase, status }) {
  if (round > 1 || status !== "playing") return 3;
  return phase === "pricing" ? 0 : phase === "buying" ? 1 : 2;
}

/**
 * Create the panel of the guided first round: one lesson at a time, at the moment it matters. It continues after a reload.
 *
 * @param {Game} game
 * @param {(lesson: string | null) => void} taught Called with the lesson that is shown.
 */
export function guidePanel(game, taught) {
  const { store } = game;
  const title = h("h2", { tabindex: -1 });
  const text = h("p", {});
  /** The picture of the tile that the lesson names, with the tile in words. */
  const example = h("span", { class: "example" });
  const exampleChanged = whenChanged();
  const next = button(
    t("guide.next"),
    () => {
      move(step() + 1);
      title.focus();
    },
    { class: "primary", "data-act": "guide-next" },
  );
  const skip = button(t("guide.skip"), () => move(LESSONS.length), { "data-act": "guide-skip" });
  const root = h(
    "section",
    { class: "guide panel", hidden: true, "aria-label": t("guide.title") },
    title,
    example,
    text,
    h("div", { class: "bar" }, next, skip),
  );
  let shown = "";
  /** The tiles of the ruleset, once a lesson has asked for them. @type {import("./guide-examples.js").Tile[] | null} */
  let catalogue = null;

  function step() {
    return guideStep(store.id) ?? LESSONS.length;
  }

  /** @param {number} to */
  function move(to) {
    saveGuideStep(store.id, to);
    update();
  }

  /** Return the tile that a lesson names, of those that are there. @param {string} lesson */
  function exampleOf(lesson) {
    if (!catalogue) {
      catalogue = [];
      loadTiles(store.view.ruleset).then(
        (tiles) => {
          catalogue = tiles;
          update();
        },
        () => {},
      ); // without it no tile is named
    }
    return exampleTile(lesson, store.view, store.seat ?? 0, catalogue);
  }

  /** Return what is said in a lesson. @param {string} lesson @param {string | null} tile The tile that it names. */
  function sentences(lesson, tile) {
    if (lesson === "scrolls" && tile) return t("guide.scrolls_own", { tile });
    return plain(
      t(`guide.${lesson}`, {
        rounds: store.view.round_count ?? 0,
        example: tile ? t(`guide.${lesson}_example`, { tile }) : "",
      }),
    ).trim();
  }

  function update() {
    const stage = stageOf(store.view);
    let index = step();
    while (
      LESSONS[index] &&
      (LESSONS[index].stage < stage || (LESSONS[index].stage === stage && LESSONS[index].done?.(game)))
    )
      index += 1;
    if (index !== step()) saveGuideStep(store.id, index);
    const lesson = LESSONS[index]?.stage === stage ? LESSONS[index] : null;
    hide(root, !lesson);
    taught(lesson?.id ?? null);
    if (!lesson) return;
    const { ruleset } = store.view;
    const tile = exampleOf(lesson.id);
    setText(text, sentences(lesson.id, tile));
    exampleChanged([tile, tileWordsLoaded(ruleset)], () =>
      example.replaceChildren(...(tile ? [thumbnail(ruleset, tile)] : [])),
    );
    if (lesson.id === shown) return;
    shown = lesson.id;
    setText(title, t("guide.step", { number: index + 1, count: LESSONS.length }));
    setText(next, t(index === LESSONS.length - 1 ? "guide.end" : "guide.next"));
    hide(next, lesson.done !== undefined);
    announce([text.textContent, tile && tileNameAndWords(ruleset, tile)].filter(Boolean).join(" "));
  }

  return { root, update };
}
