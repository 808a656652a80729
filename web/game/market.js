import { attribute, button, h, hide, keyed, setText, whenChanged } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { tilePicture } from "../state/pictures.js";
import { tileWords } from "../shared/tile-words.js";
import { colorMark } from "./seats.js";
import { noteOn } from "./tile-note.js";
import { coin } from "../shared/coins.js";
import { hintScroll } from "../shared/scroll-hint.js";
import { isWaiting, pointAt, waitFor } from "../shared/instruction.js";
import { toast } from "../shared/toast.js";

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
  /** What our seat can buy, and what each seat has sold this round, as of the last update. */
  let [can, sold] = [/** @type {Set<string>} */ (new Set()), /** @type {Offer[]} */ ([])];
  const rows = h("div", { class: "market-rows" });
  /** @type {Map<number, HTMLElement>} */
  const rowBoxes = new Map();
  /** @type {Map<string, HTMLElement>} */
  const offerBoxes = new Map();
  const confirm = button("", () => void buy(), { class: "primary", "data-act": "buy" });
  const pass = button(t("market.pass"), () => void passBuying(), { "data-act": "pass" });
  const hint = h("p", { class: "step" });
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

  hintScroll(root, rows);

  /** Return the tiles that our seat can buy now. @returns {Set<string>} */
  function buyable() {
    const tiles = (store.actions ?? []).map((action) => /** @type {any} */ (action.body)?.tile);
    return new Set(store.view.phase === "buying" && store.myTurn ? tiles.filter(Boolean) : []);
  }

  async function buy() {
    if (confirm.disabled) return;
    if (!selected || isWaiting(confirm)) return pointAt(confirm, buyableBoxes());
    const tile = selected;
    select(null);
    await store.act((seat, options) => seat.buy(/** @type {any} */ (tile), options));
  }

  /** Return the offers that our seat can buy now. */
  function buyableBoxes() {
    return [...buyable()].flatMap((tile) => offerBoxes.get(tile) ?? []);
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
    update();
  }

  /** @param {Player} player */
  function row(player) {
    const name = h("div", { class: "market-name" });
    const offers = h("div", { class: "offers" });
    const box = h("div", { class: "market-row", "data-seat": player.seat }, name, offers);
    rowBoxes.set(player.seat, box);
    const changed = whenChanged();
    return {
      root: box,
      update: (/** @type {Player} */ shown) => {
        changed([shown.color, shown.name], () =>
          name.replaceChildren(
            colorMark(shown.color),
            h("bdi", {}, shown.seat === store.seat ? t("market.yours") : shown.name),
          ),
        );
        box.classList.toggle("mine", shown.seat === store.seat);
        box.classList.toggle("acting", store.view.phase === "buying" && store.view.waiting_for.includes(shown.seat));
        keyed(offers, offersOf(shown, sold), ({ tile }) => tile, offer);
      },
    };
  }

  /** Show where a tile would fit while prices are set; later, why our seat cannot buy it. @param {string} tile */
  function explain(tile) {
    const why = offerBoxes.get(tile)?.querySelector(".why")?.textContent;
    if (store.view.phase === "pricing" && store.seat !== null) preview?.(tile);
    else if (why) toast(t("market.why", { tile, why }));
  }

  /** @param {Offer} offer */
  function offer({ tile }) {
    const price = h("span", { class: "price-tag" });
    const why = h("span", { class: "why sr-narrow" }); // there the tile is dimmed, and says why at a tap
    const box = button(
      h("img", { src: tilePicture(store.view.ruleset, tile), alt: "" }),
      (event) => {
        if (!buyable().has(tile)) return explain(tile);
        if (selected !== tile) select(tile);
        else if (event.detail) select(null); // by a pointer: a key chooses a tile, and Escape chooses none
      },
      { class: "offer", "data-tile": tile },
    );
    offerBoxes.set(tile, box);
    noteOn(box, store.view.ruleset, () => tile);
    box.append(h("span", { class: "offer-name" }, tile), price, why);
    const changed = whenChanged();
    return {
      root: box,
      update(/** @type {Offer} */ shown) {
        const isFor = can.has(shown.tile);
        const choosing = store.view.phase === "buying" && store.myTurn && store.actions !== null && !shown.buyer;
        const state = {
          isFor,
          phase: store.view.phase,
          choosing,
          isChosen: selected === tile,
          words: tileWords(store.view.ruleset, tile),
        };
        changed([shown, state], () => drawOffer(box, price, why, shown, state));
      },
    };
  }

  /**
   * @param {HTMLElement} box
   * @param {HTMLElement} price
   * @param {HTMLElement} why
   * @param {Offer} shown
   * @param {{isFor: boolean, choosing: boolean, isChosen: boolean, words: string}} state Whether our seat can buy it, chooses
   * now, and has chosen it.
   */
  function drawOffer(box, price, why, shown, { isFor, choosing, isChosen, words }) {
    const mine = shown.owner === store.seat;
    const text = shown.discard ? t("market.discarded") : t(mine ? "market.yours" : "market.hidden");
    if (shown.buyer) price.replaceChildren(...soldTo(shown.buyer));
    else price.replaceChildren(shown.price === null ? text : coin(shown.price));
    setText(why, !choosing || isFor ? "" : mine ? t("market.yours") : t("market.too_dear"));
    box.classList.toggle("priced", !shown.buyer && shown.price !== null && !shown.discard);
    attribute(box, "aria-description", words || null);
    box.classList.toggle("dim", shown.discard === true || shown.buyer !== null || (choosing && !isFor));
    attribute(box, "aria-disabled", store.view.phase === "pricing" && store.seat !== null ? null : String(!isFor));
    attribute(box, "aria-pressed", isFor ? String(isChosen) : null);
  }

  function update() {
    const { view } = store;
    hide(root, view.status !== "playing" || view.phase === "building" || view.phase === null);
    if (root.hidden) {
      selected = null;
      return;
    }
    can = buyable();
    sold = soldIn(store);
    if (selected && !can.has(selected)) selected = null;
    keyed(rows, inTurn(view), ({ seat }) => seat, row);
    const acting = view.phase === "buying" && store.myTurn;
    const seller = view.players.find(({ tiles_on_offer }) => tiles_on_offer.some(({ tile }) => tile === selected));
    const price = seller?.tiles_on_offer.find(({ tile }) => tile === selected)?.price ?? 0;
    setText(
      confirm,
      selected ? t("market.buy", { tile: selected, name: seller?.name ?? "", count: price }) : t("phase.buying"),
    );
    confirm.disabled = store.blocked;
    waitFor(confirm, selected ? "" : t("market.choose"));
    hide(confirm, acting && store.actions !== null && !can.size); // there is nothing to choose
    pass.disabled = store.blocked || !acting || !store.actions;
    setText(hint, store.actions ? t(can.size ? "market.affordable" : "market.none", { count: can.size }) : "…");
  }

  return {
    root,
    tray,
    update,
    buy,
    passBuying,
    cancel: () => selected && select(null),
    /** Choose a tile that can be bought, by its place among them. @param {number} index */
    select(index) {
      const tile = inTurn(store.view)
        .flatMap((player) => offersOf(player, soldIn(store)))
        .filter((shown) => buyable().has(shown.tile))[index]?.tile;
      if (!tile) return;
      if (selected !== tile) select(tile);
      offerBoxes.get(tile)?.focus();
    },
    /** Return the row of a seat. @param {number} seat */
    rowOf: (seat) => (root.hidden ? null : (rowBoxes.get(seat) ?? null)),
    /** Return the picture of a tile for sale. @param {string} tile */
    pictureOf: (tile) => offerBoxes.get(tile)?.firstElementChild ?? null,
    status() {
      const sale = store.view.players.flatMap(({ seat, tiles_on_offer }) =>
        seat === store.seat ? [] : tiles_on_offer,
      ).length;
      return t("status.buy", { sale, count: buyable().size, gold: store.me?.gold ?? 0 });
    },
  };
}

/** Return the mark of the buyer of a tile, and the name, alone where there is little room. @param {Player} buyer */
function soldTo({ color, name }) {
  const short = h("bdi", { class: "buyer", "aria-hidden": "true" }, name);
  return [colorMark(color), h("span", { class: "sold" }, t("market.sold", { name })), short];
}

/** Return the players in the order in which they buy. @param {import("../state/api.js").Game} view */
function inTurn({ players, starting_seat: first }) {
  return [...players.slice(first ?? 0), ...players.slice(0, first ?? 0)];
}

/** Return the tiles that were sold this round. @param {Store} store @returns {Offer[]} */
function soldIn({ log, view }) {
  const begun = log.findLastIndex(({ type }) => type === "round_started");
  return log.slice(begun + 1).flatMap((event) =>
    event.type === "tile_bought"
      ? [
          {
            tile: event.tile,
            price: event.price,
            discard: false,
            owner: event.seller,
            buyer: view.players[event.seat] ?? null,
          },
        ]
      : [],
  );
}

/**
 * Return the tiles that a seat has drawn this round, sold ones included.
 *
 * @param {Player} player
 * @param {Offer[]} sold
 * @returns {Offer[]}
 */
function offersOf({ seat, tiles_on_offer: tiles }, sold) {
  const left = tiles.map((drawn) => ({ ...drawn, owner: seat, buyer: null }));
  return [...left, ...sold.filter(({ owner }) => owner === seat)];
}
