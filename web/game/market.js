import { attribute, button, h, hide, keyed, setText, whenChanged } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { tilePicture } from "../state/pictures.js";
import { tileWords } from "../shared/tile-words.js";
import { colorMark } from "./seats.js";
import { noteOn } from "./tile-note.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {import("../state/api.js").Player} Player */
/** @typedef {import("../state/types.js").Offer} Offer */

/**
 * Create the market: the offers of each seat, a row for each in turn order.
 *
 * @param {Store} store
 * @param {(tile: string | null) => void} [preview] Shows where a tile would fit in our territory.
 */
export function market(store, preview) {
  /** @type {string | null} */
  let selected = null;
  const rows = h("div", { class: "market-rows" });
  const confirm = button("", () => void buy(), { class: "primary", "data-act": "buy" });
  const pass = button(t("market.pass"), () => void passBuying(), { "data-act": "pass" });
  const hint = h("p", { class: "faint" });
  const root = h(
    "section",
    { class: "market", "aria-label": t("tab.market"), tabindex: 0 },
    h("h2", { class: "sr-only" }, t("tab.market")),
    rows,
  );
  const tray = h(
    "section",
    { class: "tray-part buying", "aria-label": t("phase.buying") },
    h("h2", { class: "sr-only" }, t("turn.mine.buying")),
    hint,
    h("div", { class: "bar" }, confirm, pass),
  );

  /** Return the tiles that our seat can buy now. @returns {Set<string>} */
  function buyable() {
    const tiles = (store.actions ?? []).map((action) => /** @type {any} */ (action.body)?.tile);
    return new Set(store.view.phase === "buying" && store.myTurn ? tiles.filter(Boolean) : []);
  }

  async function buy() {
    if (!selected || confirm.disabled) return;
    const tile = selected;
    select(null);
    await store.act((seat, options) => seat.buy(tile, options));
  }

  /** Buy nothing: at once if no tile is affordable, otherwise after a confirmation. */
  async function passBuying() {
    if (pass.disabled) return;
    if (!buyable().size) return sendPass();
    const { confirmation } = await import("../shared/confirmation.js");
    confirmation(t("market.pass_question"), t("market.pass"), () => void sendPass()).open(pass);
  }

  async function sendPass() {
    select(null);
    await store.act((seat, options) => seat.passTurn(options));
  }

  /** @param {string | null} tile */
  function select(tile) {
    selected = tile;
    preview?.(tile);
    show();
  }

  /** @param {Player} player */
  function row(player) {
    const name = h("div", { class: "market-name" });
    const offers = h("div", { class: "offers" });
    const box = h("div", { class: "market-row", "data-seat": player.seat }, name, offers);
    const changed = whenChanged();
    return {
      root: box,
      show: (/** @type {Player} */ shown) => {
        changed([shown.color, shown.name], () =>
          name.replaceChildren(colorMark(shown.color), h("bdi", {}, shown.name)),
        );
        box.classList.toggle("mine", shown.seat === store.seat);
        box.classList.toggle("acting", store.view.phase === "buying" && store.view.waiting_for.includes(shown.seat));
        keyed(offers, offersOf(store, shown), ({ tile }) => tile, offer);
      },
    };
  }

  /** @param {Offer} offer */
  function offer({ tile }) {
    const price = h("span", { class: "price-tag" });
    const why = h("span", { class: "why" });
    const box = button(
      h("img", { src: tilePicture(store.view.ruleset, tile), alt: "" }),
      (event) => {
        if (box.getAttribute("aria-disabled") === "true") return;
        if (selected !== tile) select(tile);
        else if (event.detail) select(null); // by a pointer: a key chooses a tile, and Escape chooses none
      },
      { class: "offer", "data-tile": tile },
    );
    noteOn(box, store.view.ruleset, () => tile);
    box.append(h("span", { class: "offer-name" }, tile), price, why);
    return { root: box, show: (/** @type {Offer} */ shown) => showOffer(box, price, why, shown) };
  }

  /** @param {HTMLElement} box @param {HTMLElement} price @param {HTMLElement} why @param {Offer} shown */
  function showOffer(box, price, why, shown) {
    const can = buyable().has(shown.tile);
    const choosing = store.view.phase === "buying" && store.myTurn && store.actions !== null && !shown.buyer;
    const mine = shown.owner === store.seat;
    setText(
      price,
      shown.buyer
        ? t("market.sold", { name: shown.buyer })
        : shown.price !== null
          ? t("gold", { count: shown.price })
          : shown.discard
            ? t("market.discarded")
            : t(mine ? "market.yours" : "market.hidden"),
    );
    setText(why, !choosing || can ? "" : mine ? t("market.yours") : t("market.too_dear"));
    box.classList.toggle("priced", !shown.buyer && shown.price !== null && !shown.discard);
    attribute(box, "aria-description", tileWords(store.view.ruleset, shown.tile) || null);
    box.classList.toggle("dim", shown.discard === true || shown.buyer !== null || (choosing && !can));
    attribute(box, "aria-disabled", String(!can));
    attribute(box, "aria-pressed", can ? String(selected === shown.tile) : null);
  }

  function show() {
    const { view } = store;
    hide(root, view.status !== "playing" || view.phase === "building" || view.phase === null);
    if (root.hidden) {
      selected = null;
      return;
    }
    if (selected && !buyable().has(selected)) selected = null;
    const turn = [...view.players.slice(view.starting_seat ?? 0), ...view.players.slice(0, view.starting_seat ?? 0)];
    keyed(rows, turn, ({ seat }) => seat, row);
    const acting = view.phase === "buying" && store.myTurn;
    const seller = view.players.find(({ tiles_on_offer }) => tiles_on_offer.some(({ tile }) => tile === selected));
    const price = seller?.tiles_on_offer.find(({ tile }) => tile === selected)?.price ?? 0;
    setText(
      confirm,
      selected ? t("market.buy", { tile: selected, name: seller?.name ?? "", count: price }) : t("market.choose"),
    );
    confirm.disabled = !selected || store.blocked;
    pass.disabled = store.blocked || !acting || !store.actions;
    setText(hint, store.actions ? t("market.affordable", { count: buyable().size, gold: store.me?.gold ?? 0 }) : "…");
  }

  return {
    root,
    tray,
    show,
    buy,
    passBuying,
    cancel: () => selected && select(null),
    select(/** @type {number} */ index) {
      const able = /** @type {HTMLElement[]} */ ([...rows.querySelectorAll('.offer[aria-disabled="false"]')]);
      able[index]?.click();
      able[index]?.focus();
    },
    status() {
      const sale = store.view.players.flatMap(({ seat, tiles_on_offer }) =>
        seat === store.seat ? [] : tiles_on_offer,
      ).length;
      return t("status.buy", { sale, count: buyable().size, gold: store.me?.gold ?? 0 });
    },
  };
}

/**
 * Return the tiles that a seat has drawn this round, sold ones included.
 *
 * @param {Store} store
 * @param {Player} player
 * @returns {Offer[]}
 */
function offersOf(store, player) {
  const begun = store.log.findLastIndex(({ type }) => type === "round_started");
  const sold = store.log.slice(begun + 1).flatMap((event) =>
    event.type === "tile_bought" && event.seller === player.seat
      ? [
          {
            tile: event.tile,
            price: event.price,
            discard: false,
            owner: player.seat,
            buyer: store.view.players[event.seat]?.name ?? "",
          },
        ]
      : [],
  );
  return [...player.tiles_on_offer.map((drawn) => ({ ...drawn, owner: player.seat, buyer: null })), ...sold];
}
