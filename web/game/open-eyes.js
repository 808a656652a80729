/** @typedef {import("../state/api.js").Game} Game */
/** @typedef {import("../state/api.js").Event} Event */
/** @typedef {{discard: string, prices: Record<string, number>}} Offer */
/** @typedef {{offers: Map<number, Offer>}} Secrets The hidden content of each event `offer_set`, by the number of the event. */

/**
 * Return what was hidden in a game that is over: its record has the offers, in the order of their events.
 *
 * @param {Event[]} events
 * @param {{actions: unknown[]}} record
 * @returns {Secrets}
 */
export function secretsOf(events, record) {
  const set = /** @type {any[]} */ (record.actions).filter(({ type }) => type === "set_offer");
  const setEvents = events.filter(({ type }) => type === "offer_set");
  return { offers: new Map(setEvents.map((event, index) => [event.id, set[index]])) };
}

/**
 * Return a view with the hidden information of one seat, or of all. Purses are computed from public incomes and prices.
 *
 * @param {Game} view
 * @param {Event[]} past The events that the view was folded from.
 * @param {Secrets} secrets
 * @param {number | null} seat Null for all seats.
 * @returns {Game}
 */
export function revealedView(view, past, secrets, seat) {
  const purses = pursesAfter(past, secrets);
  const offers = view.phase === "pricing" ? currentOffers(past, secrets) : new Map();
  const players = view.players.map((player) => {
    if (seat !== null && player.seat !== seat) return player;
    const offer = offers.get(player.seat);
    const tiles_on_offer = player.tiles_on_offer.map((drawn) => (offer
      ? { ...drawn, price: offer.prices[drawn.tile] ?? null, discard: drawn.tile === offer.discard } : drawn));
    return { ...player, tiles_on_offer, gold: player.gold ?? purses[player.seat] ?? null };
  });
  return { ...view, players };
}

/** Return the gold in each purse after these events. @param {any[]} past @param {Secrets} secrets @returns {number[]} */
export function pursesAfter(past, secrets) {
  /** @type {number[]} */
  const gold = [];
  /** @type {Map<number, number>} */
  let laid = new Map();
  const sum = (/** @type {Offer | undefined} */ offer) => Object.values(offer?.prices ?? {}).reduce((total, price) => total + price, 0);
  for (const event of past) {
    if (event.type === "income_paid") for (const { seat, total } of event.players) gold[seat] = (gold[seat] ?? 0) + total;
    if (event.type === "round_started") laid = new Map();
    if (event.type === "offer_set") {
      gold[event.seat] += laid.get(event.seat) ?? 0;
      laid.set(event.seat, sum(secrets.offers.get(event.id)));
      gold[event.seat] -= laid.get(event.seat) ?? 0;
    }
    if (event.type === "tile_bought") {
      gold[event.seat] -= event.price;
      gold[event.seller] += 2 * event.price;
    }
  }
  return gold;
}

/**
 * Return the offers that have been set in the current round.
 *
 * @param {any[]} past
 * @param {Secrets} secrets
 * @returns {Map<number, Offer | undefined>}
 */
function currentOffers(past, secrets) {
  const begun = past.findLastIndex(({ type }) => type === "round_started");
  const set = past.slice(begun + 1).filter(({ type }) => type === "offer_set");
  return new Map(set.map((event) => [event.seat, secrets.offers.get(event.id)]));
}
