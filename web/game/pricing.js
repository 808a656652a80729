import { alertNow, announce, attribute, button, h, hide, keyed, setText } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { drawing } from "../shared/drawing.js";
import { noteOn } from "./tile-note.js";
import { loadForTab, saveForTab } from "../state/items.js";
import { tilePicture } from "../state/pictures.js";
import { tileWords } from "../shared/tile-words.js";
import { isWaiting, pointAt, waitFor } from "../shared/instruction.js";
import { explain } from "../shared/toast.js";
import { ApiError } from "../../clients/typescript/src/errors.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {{tiles: string[], gold: number, minimum: number}} Constraints */
/** @typedef {{discard: string, prices: Record<string, number>}} Draft */

/** The axe, the sign of the tile to discard: its handle and its blade. @type {[string, string][]} */
const AXE = [
  ["handle", "M5 23 18.500 4l2.500 1.500L7.500 24Z"],
  ["blade", "M20 8.500C16 6.500 12.500 4 11.500 0 7 1 3.500 4.500 3 10c4.500-.5 9 .5 13.500 4Z"],
];

/**
 * Create the tray of the pricing phase: which tile to discard, and a price for each other tile.
 * The draft is separate from the store, so that no event clears typed prices.
 *
 * @param {Store} store
 * @param {(tile: string) => void} preview Shows where a tile would fit in our territory.
 */
export function pricingTray(store, preview) {
  /** @type {Draft | null} */
  let draft = null;
  /**
   * The offer that our seat has set, as JSON, which the draft was made from: a change of it, also in another tab,
   * ends the draft.
   */
  let draftOf = "";
  let editing = true;
  /** Why the server has refused the offer, or why a price was not raised. */
  let reason = "";
  /** The tile of the card that has the focus. @type {string | null} */
  let focused = null;
  const cards = h("div", { class: "cards" });
  /** @type {Map<string, HTMLInputElement>} */
  const radios = new Map();
  const purse = h("output", { class: "purse" });
  const step = h("p", { class: "step" }, t("pricing.choose"));
  const help = h("p", { class: "faint help" }, t("pricing.help"));
  const others = h("p", { class: "faint others" });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const send = button("", () => void submit(), { class: "primary", "data-act": "set" });
  const change = button(
    t("pricing.change"),
    () => {
      editing = true;
      update();
    },
    { "data-act": "change" },
  );
  const root = h(
    "section",
    { class: "tray-part pricing", "aria-label": t("phase.pricing") },
    h("h2", { class: "sr-only" }, t("turn.mine.pricing")),
    cards,
    h("div", { class: "acts" }, step, help, others, trouble, h("div", { class: "bar" }, send, change)),
  );

  /** @returns {Constraints | null} */
  function constraints() {
    const action = store.actions?.find(({ type }) => type === "set_offer");
    return action && "constraints" in action ? /** @type {Constraints} */ (action.constraints) : null;
  }

  function key() {
    return `skye.draft.${store.id}.${store.seat}.${store.view.round}`;
  }

  /** @param {Constraints} limits */
  function loadDraft(limits) {
    const drawn = store.me?.tiles_on_offer ?? [];
    const of = `${key()} ${JSON.stringify(drawn)}`;
    if (draft && draftOf === of) return;
    draftOf = of;
    reason = "";
    const set = drawn.find(({ discard }) => discard);
    editing = !set;
    const stored = loadForTab(key());
    draft = (stored?.of === of && stored.draft) || {
      discard: set?.tile ?? "",
      prices: Object.fromEntries(
        limits.tiles.map((tile) => [tile, drawn.find((one) => one.tile === tile)?.price ?? limits.minimum]),
      ),
    };
  }

  function changed() {
    saveForTab(key(), { of: draftOf, draft });
    reason = "";
    store.changed();
    update();
  }

  async function submit() {
    const limits = constraints();
    if (draft && editing && limits && left(limits) < 0) return alertNow(tooMuch(limits));
    if (!draft || send.hidden || send.disabled) return;
    if (isWaiting(send)) return pointAt(send, [...cards.querySelectorAll(".discard")]);
    const { discard, prices } = draft;
    const offer = { discard, prices: Object.fromEntries(Object.entries(prices).filter(([tile]) => tile !== discard)) };
    const accepted = await store.act((seat, options) =>
      seat.setOffer(/** @type {any} */ (offer), options).catch((error) => {
        if (error instanceof ApiError) reason = explain(error);
        throw error;
      }),
    );
    if (accepted) {
      editing = false;
      announce(t("pricing.done"));
    }
    update();
    if (accepted && !change.hidden) change.focus();
  }

  /** @param {string} tile */
  function card(tile) {
    const radio = h("input", {
      type: "radio",
      "aria-label": t("pricing.discard_tile", { tile }),
      name: "discard",
      value: tile,
      id: `discard-${tile}`,
      onchange: () => discard(tile),
    });
    radios.set(tile, radio);
    const field = h("input", {
      type: "number",
      inputmode: "numeric",
      class: "price",
      "aria-label": t("pricing.price_of", { tile }),
      oninput: () => field.value && setPrice(tile, Number(field.value)),
      onfocus: () => field.select(),
      onblur: update,
    });
    const less = button("−", () => raise(tile, -1), { "aria-label": t("pricing.less", { tile }) });
    const more = button("+", () => raise(tile, 1), { "aria-label": t("pricing.more", { tile }) });
    const steps = h("div", { class: "stepper" }, less, field, more);
    const box = h(
      "article",
      {
        class: "card",
        "data-tile": tile,
        tabindex: -1,
        "aria-label": tile,
        onfocusin: () => {
          focused = tile;
        },
        onfocusout: () => {
          focused = null;
        },
      },
      button(h("img", { src: tilePicture(store.view.ruleset, tile), alt: "" }), () => preview(tile), {
        class: "try",
        "aria-label": t("trial.try", { tile }),
      }),
      h("div", { class: "card-name" }, tile),
      steps,
      h(
        "label",
        { class: "discard", for: `discard-${tile}` },
        radio,
        drawing("axe", AXE),
        h("span", {}, t("pricing.discard")),
      ),
    );
    noteOn(box, store.view.ruleset, () => tile);
    return {
      root: box,
      update: () => {
        const discarded = draft?.discard === tile;
        attribute(box, "aria-description", tileWords(store.view.ruleset, tile) || null);
        box.classList.toggle("out", discarded);
        radio.checked = discarded;
        radio.disabled = !editing;
        attribute(field, "min", constraints()?.minimum ?? 1);
        if (document.activeElement !== field || (field.value && Number(field.value) !== price(tile)))
          field.value = String(price(tile));
        for (const one of [less, more]) one.disabled = !editing;
        steps.classList.toggle("unused", discarded);
        field.disabled = !editing || discarded;
      },
    };
  }

  /** @param {string} tile */
  function discard(tile) {
    if (draft) draft.discard = tile;
    changed();
  }

  /** @param {string} tile */
  function price(tile) {
    return draft?.prices[tile] ?? 0;
  }

  /** @param {string} tile @param {number} value */
  function setPrice(tile, value) {
    const minimum = constraints()?.minimum ?? 1;
    if (draft && Number.isInteger(value)) draft.prices[tile] = Math.max(minimum, Math.min(9999, value));
    changed();
  }

  /** Raise a price as long as gold is left, or lower it. @param {string} tile @param {number} by */
  function raise(tile, by) {
    const limits = constraints();
    if (!limits || by < 0 || left(limits) >= by) return setPrice(tile, price(tile) + by);
    reason = tooMuch(limits);
    update();
  }

  /** Return how much gold the prices leave; at most, until the tile to discard is chosen. @param {Constraints} limits */
  function left({ gold, tiles }) {
    const unpaid = draft?.discard ? price(draft.discard) : Math.max(...tiles.map(price));
    return gold + unpaid - tiles.reduce((sum, tile) => sum + price(tile), 0);
  }

  /** Return why prices above our gold are refused. @param {Constraints} limits */
  function tooMuch({ gold }) {
    return t("pricing.only", { gold });
  }

  function update() {
    const limits = constraints();
    const isPaused = store.view.pause !== null;
    hide(cards, !limits);
    if (!limits) {
      for (const one of [send, change]) hide(one, true);
      hide(step, true);
      hide(help, isPaused);
      hide(others, false);
      if (isPaused) setText(trouble, "");
      setText(others, isPaused ? t("status.paused") : "");
      setText(purse, "");
      purse.classList.remove("bad");
      return;
    }
    loadDraft(limits);
    keyed(cards, limits.tiles, (tile) => tile, card);
    const rest = left(limits);
    const isKnown = draft?.discard || new Set(limits.tiles.map(price)).size === 1;
    setText(purse, isKnown ? t("pricing.left", { gold: rest }) : "");
    purse.classList.toggle("bad", rest < 0);
    const set = store.me?.offer_set ?? false;
    const last = !set && store.view.waiting_for.length === 1;
    setText(send, t(last ? "pricing.set_and_reveal" : "pricing.set"));
    send.disabled = store.blocked;
    const missing = draft?.discard ? "" : t("pricing.choose");
    const problem = rest < 0 ? tooMuch(limits) : reason;
    waitFor(send, missing || (rest < 0 ? problem : ""));
    hide(send, !editing);
    hide(change, editing || !set);
    const names = store.view.players.filter(({ offer_set }) => offer_set).length;
    const counts = { count: names, players: store.view.players.length };
    const isDone = set && !editing;
    setText(trouble, problem);
    hide(step, Boolean(problem || !missing)); // the texts have room one after the other
    hide(help, Boolean(problem || isDone));
    hide(others, Boolean(problem || missing));
    setText(others, isDone ? t("pricing.wait", { ...counts, set: names }) : t("pricing.who", counts));
  }

  return {
    root,
    /** What the prices leave of our gold, for the purse. */
    purse,
    update,
    submit,
    discards: () => Boolean(draft?.discard),
    /** Move the focus to a card, and not to its field, which would take the next digit. @param {number} index */
    focus(index) {
      /** @type {HTMLElement | undefined} */ (cards.children[index])?.focus();
    },
    /** Change the price in the card that has the focus. @param {number} by */
    raise(by) {
      if (focused && editing) raise(focused, by);
    },
    /** Discard the tile of the card that has the focus. */
    discard() {
      const tile = focused;
      if (!tile || !editing) return;
      discard(tile);
      radios.get(tile)?.focus(); // the price that had the focus is hidden
    },
  };
}
