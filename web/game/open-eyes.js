/** @typedef {import("../state/api.js").Game} Game */
/** @typedef {import("../state/api.js").Event} Event */
/** @typedef {{discard?: string, prices: Record<string, number>}} Offer */
/**
 * @typedef {object} Secrets What was hidden.
 * @property {Map<number, Offer>} offers The content of each event `offer_set`, by the number of the event.
 * @property {{gold: number, offer: Offer | undefined}[]} start What each seat had in the position that the game began from, if any.
 */

/**
 * Return what was hidden in a game that is over: its record has the offers, in the order of their events.
 *
 * @param {Event[]} events
 * @param {{actions: unknown[], position?: unknown}} record
 * @returns {Secrets}
 */
export function secretsOf(events, record) {
  const set = /** @type {any[]} */ (record.actions).filter(({ type }) => type === "set_offer");
  const setEvents = events.filter(({ type }) => type === "offer_set");
  const { players = [] } = /** @type {any} */ (record.position ?? {});
  return {
    offers: new Map(setEvents.map((event, index) => [event.id, set[index]])),
    start: players.map((/** @type {any} */ { gold, tiles_on_offer }) => ({ gold, offer: offerOf(tiles_on_offer) })),
  };
}

/** Return the offer of a seat in a position, if it has set one. @param {any[]} drawn @returns {Offer | undefined} */
function offerOf(drawn) {
  const priced = drawn.filter(({ price }) => price);
  return priced.length
    ? {
        discard: drawn.find(({ discard }) => discard)?.tile,
        prices: Object.fromEntries(priced.map(({ tile, price }) => [tile, price])),
      }
    : undefined;
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
    const tiles_on_offer = player.tiles_on_offer.map((drawn) =>
      offer ? { ...drawn, price: offer.prices[drawn.tile] ?? null, discard: drawn.tile === offer.discard } : drawn,
    );
    return { ...player, tiles_on_offer, gold: player.gold ?? purses[player.seat] ?? null };
  });
  return { ...view, players };
}

/**
 * Return the gold in each purse after these events.
 *
 * @param {any[]} past
 * @param {Secrets} secrets
 * @returns {number[]}
 */
export function pursesAfter(past, secrets) {
  const gold = secrets.start.map((seat) => seat.gold);
  const sum = (/** @type {Offer | undefined} */ offer) =>
    Object.values(offer?.prices ?? {}).reduce((total, price) => total + price, 0);
  let laid = new Map(secrets.start.map(({ offer }, seat) => [seat, sum(offer)]));
  for (const event of past) {
    if (event.type === "income_paid")
      for (const { seat, total } of event.players) gold[seat] = (gold[seat] ?? 0) + total;
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
  const offers = new Map((begun < 0 ? secrets.start : []).map(({ offer }, seat) => [seat, offer]));
  for (const { type, seat, id } of past.slice(begun + 1))
    if (type === "offer_set") offers.set(seat, secrets.offers.get(id));
  return offers;
}
