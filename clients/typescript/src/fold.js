import { UnknownRulesetError } from "./errors.js";

/** @import { components } from "../types/contract.js" */
/** @typedef {components["schemas"]["Game"]} Game */
/** @typedef {components["schemas"]["Event"]} Event */
/** @typedef {Game["players"]} Players */

/**
 * Apply one event to a view of a game. After the last event of a version, the view equals the response of
 * `GET /v1/games/{game}` for the same caller, except that `now` is the time of the event. An event of an unknown type
 * changes only `version`, `last_event` and `now`.
 *
 * @param {Game} view Changed in place.
 * @param {Event} event
 * @throws {UnknownRulesetError} `game_created` names another ruleset than the view.
 */
export function fold(view, event) {
  if (event.type === "game_created") checkRuleset(view, /** @type {any} */ (event).ruleset);
  view.version = event.version;
  view.last_event = event.id;
  view.now = event.at;
  FOLDS[event.type]?.(view, event, view.players);
}

/**
 * Return the view of a caller before the first event, to which all events of a game can be applied.
 *
 * @param {string[]} tiles The ids of all tiles of the ruleset.
 * @param {string} ruleset The id of the ruleset of the game.
 * @param {{color?: string | null, host?: boolean}} [caller] The colour of the caller's seat.
 * @returns {Game}
 */
export function emptyView(tiles, ruleset, { color = null, host = false } = {}) {
  const landscape = tiles.filter((tile) => !tile.startsWith("castle-")).sort();
  return /** @type {any} */ ({
    ruleset, version: 0, last_event: 0, status: "lobby", reserved_seats: 0, you: { seat: null, roles: host ? ["host"] : [], color }, deadline: null,
    round: 0, round_count: null, phase: null, waiting_for: [], bag: { count: landscape.length, tiles: landscape }, players: [], result: null,
    proposal: null, pause: null, abort_reason: null,
  });
}

/** @param {Game} view @param {string} ruleset */
function checkRuleset(view, ruleset) {
  if (ruleset === view.ruleset) return;
  const load = `begin with those of ${ruleset}, from GET /v1/tiles with ruleset=${ruleset}`;
  throw new UnknownRulesetError(`The view has the tiles of the ruleset ${view.ruleset}; ${load}`);
}

/** Applies each type of event. @type {Record<string, (view: Game, event: any, players: Players) => void>} */
const FOLDS = {
  game_created(view, event) {
    const { name, ruleset, visibility, seat_count, auto_start, options, origin, scoring_tiles, fairness, rated } = event;
    Object.assign(view, { id: event.game_id, name, ruleset, visibility, seat_count, auto_start, origin, scoring_tiles, rated });
    Object.assign(view, { options: { ...options }, fairness: { ...fairness } });
    Object.assign(view, { created_at: event.at, starting_seat: options.first_seat });
    if (!options.hints) view.bag.tiles = null;
  },
  player_joined(view, { seat, name, color, bot }, players) {
    if (/** @type {any} */ (view.you).color === color) sit(view, seat);
    players.push(seated({ seat, name, color, bot }));
    players.sort((one, other) => one.seat - other.seat);
  },
  player_left(view, { seat }) {
    view.players = view.players.filter((player) => player.seat !== seat);
    if (view.you.seat === seat) sit(view, null);
  },
  player_changed(view, { seat, name, color }, players) {
    const tile = `castle-${/** @type {"red"} */ (color)}`;
    const changed = players.find((player) => player.seat === seat) ?? {};
    Object.assign(changed, { name, color, territory: [{ tile, x: 0, y: 0, rotation: 0 }] });
    if (/** @type {any} */ (view.you).color === color) sit(view, seat);
  },
  invitation_created(view) {
    view.reserved_seats += 1;
  },
  invitation_accepted(view) {
    view.reserved_seats -= 1; // the player joins in the event that follows
  },
  invitation_revoked(view) {
    view.reserved_seats -= 1;
  },
  game_started(view, { scoring_tiles, starting_seat, round_count, players }) {
    Object.assign(view, { status: "playing", reserved_seats: 0, scoring_tiles, starting_seat, round_count });
    const now = (/** @type {any} */ seat) => players.find((/** @type {any} */ { lobby_seat }) => lobby_seat === seat)?.seat ?? null;
    view.players = players.map(seated); // the gaps between the seats of the lobby close
    for (const { end } of view.players) end.decisions = 3 * round_count; // three in each round
    sit(view, now(view.you.seat));
    view.options.first_seat = now(view.options.first_seat);
  },
  position_set(view, event, players) {
    const { round, round_count, starting_seat, scoring_tiles, bag, result, seed, nonce, players: seats } = structuredClone(event);
    Object.assign(view, { round, round_count, starting_seat, scoring_tiles, bag, result });
    players.forEach((player, seat) => Object.assign(player, seats[seat]));
    if (result === null) return;
    view.status = "finished";
    view.fairness.seed = seed;
    view.fairness.nonce = nonce;
  },
  round_started(view, { round, starting_seat }, players) {
    Object.assign(view, { round, starting_seat });
    for (const player of players) player.offer_set = player.building_finished = false;
  },
  income_paid: setGold,
  tiles_drawn(view, event, players) {
    for (const { seat, tiles } of event.players) {
      players[seat].tiles_on_offer = tiles.map((/** @type {any} */ tile) => ({ tile, price: null, discard: null }));
      moveBag(view, { out: tiles });
    }
  },
  offer_set(_view, event, players) {
    players[event.seat].offer_set = true;
    if (event.discard !== null) showOffer(players[event.seat], event); // otherwise it is hidden from the caller
  },
  offers_revealed(_view, event, players) {
    for (const offer of event.players) showOffer(players[offer.seat], offer);
  },
  tiles_discarded(view, { tiles }, players) {
    for (const player of players) player.tiles_on_offer = player.tiles_on_offer.filter(({ tile }) => !tiles.includes(tile));
    moveBag(view, { back: tiles });
  },
  tile_bought(view, event, players) {
    setGold(view, event, players);
    const seller = players[event.seller];
    seller.tiles_on_offer = seller.tiles_on_offer.filter(({ tile }) => tile !== event.tile);
    players[event.seat].tiles_to_build.push(event.tile);
  },
  tiles_kept(_view, event, players) {
    for (const { seat, tiles } of event.players) {
      players[seat].tiles_on_offer = [];
      players[seat].tiles_to_build.push(...tiles);
    }
  },
  tile_placed(_view, { seat, tile, x, y, rotation }, players) {
    const hand = players[seat].tiles_to_build;
    hand.splice(hand.indexOf(tile), 1);
    players[seat].territory.push({ tile, x, y, rotation });
  },
  placement_taken_back(_view, { seat }, players) {
    const last = players[seat].territory.pop();
    if (last) players[seat].tiles_to_build.push(/** @type {any} */ (last.tile));
  },
  building_finished(view, { seat, tiles_returned }, players) {
    Object.assign(players[seat], { building_finished: true, tiles_to_build: [] });
    moveBag(view, { back: tiles_returned });
  },
  round_scored(_view, event, players) {
    for (const { seat, score } of event.players) players[seat].score = score;
  },
  game_finished(view, event, players) {
    for (const { seat, score, gold } of event.players) Object.assign(players[seat], { score, gold });
    Object.assign(view, { status: "finished", result: event.result, bag: structuredClone(event.bag) });
    view.fairness.seed = event.seed;
    view.fairness.nonce = event.nonce;
  },
  game_aborted(view, { reason }) {
    Object.assign(view, { status: "aborted", reserved_seats: 0, abort_reason: reason, pause: null });
  },
  game_paused(view, { until }) {
    view.pause = { until };
  },
  game_resumed(view, { counts_as_absent_at }, players) {
    view.pause = null;
    countAsAbsent(players, counts_as_absent_at);
  },
  proposal_made(view, { kind, seat, expires_at }) {
    view.proposal = { kind, seat, expires_at, agreed: [] };
  },
  proposal_answered(view, { seat, accepted }) {
    if (accepted) view.proposal?.agreed.push(seat);
  },
  proposal_ended(view) {
    view.proposal = null;
  },
  turn_changed(view, event, players) {
    const { phase, waiting_for } = event;
    Object.assign(view, { phase, waiting_for });
    setTimes(view, event, players);
  },
  record_replayed(_view, { bots }, players) {
    players.forEach((player, seat) => (player.bot = bots[seat] ?? player.bot));
  },
  time_added(view, event, players) {
    const { proposal_expires_at, paused_until, counts_as_absent_at } = event;
    setTimes(view, event, players);
    if (view.proposal) view.proposal.expires_at = proposal_expires_at;
    if (view.pause) view.pause.until = paused_until;
    countAsAbsent(players, counts_as_absent_at);
  },
  bot_took_over(view, { seat, bot, reason, since, round, phase, counts_as_absent_at }, players) {
    const takeover = counts_as_absent_at && { bot, at: since, round, phase, counts_as_absent_at };
    Object.assign(players[seat], { bot, takeover });
    if (reason === "resigned" && view.you.seat === seat) sit(view, null);
  },
  seat_returned(_view, { seat, bot }, players) {
    Object.assign(players[seat], { bot, takeover: null });
  },
  end_changed(_view, { seat, end }, players) {
    players[seat].end = { ...end };
  },
  bot_changed(_view, { seat, bot }, players) {
    players[seat].bot = bot;
  },
};

/** Return a player who has not played yet. @param {any} entry @returns {Players[number]} */
function seated({ seat, name, color, bot }) {
  return {
    seat, name, color, bot, score: 0, gold: 0, tiles_on_offer: [], tiles_to_build: [],
    offer_set: false, building_finished: false, deadline: null, clock: null, takeover: null,
    end: {
      type: "played", at: null, bot: null, round: null, phase: null,
      missed_deadlines: 0, server_decisions: 0, decisions: 0,
    },
    territory: [{ tile: `castle-${/** @type {"red"} */ (color)}`, x: 0, y: 0, rotation: 0 }],
  };
}

/** Update the deadlines and the clocks. @param {Game} view @param {any} event @param {Players} players */
function setTimes(view, { deadline, deadlines, clocks }, players) {
  view.deadline = deadline;
  for (const player of players) {
    player.deadline = deadlines[player.seat];
    if (clocks) player.clock = clocks[player.seat];
  }
}

/** Update when take-overs count as absence. @param {Players} players @param {any[]} times */
function countAsAbsent(players, times) {
  for (const { seat, takeover } of players) if (takeover) takeover.counts_as_absent_at = times[seat];
}

/** Set the seat of the caller, and whether the caller is a player. @param {Game} view @param {number | null} seat */
function sit(view, seat) {
  const others = view.you.roles.filter((role) => role !== "player");
  Object.assign(view.you, { seat, roles: seat === null ? others : [...others, "player"] });
}

/** @param {Game} _view @param {any} event @param {Players} players */
function setGold(_view, event, players) {
  for (const { seat, gold } of event.players) players[seat].gold = gold;
}

/** @param {Players[number]} player @param {{discard: string, prices: Record<string, number>, gold: number | null}} offer */
function showOffer(player, offer) {
  player.gold = offer.gold;
  for (const drawn of player.tiles_on_offer) {
    drawn.price = offer.prices[drawn.tile] ?? null;
    drawn.discard = drawn.tile === offer.discard;
  }
}

/** @param {Game} view @param {{out?: string[], back?: string[]}} tiles */
function moveBag(view, { out = [], back = [] }) {
  const { count, tiles } = view.bag;
  const left = tiles && [...new Set([...tiles, .../** @type {any[]} */ (back)])].filter((tile) => !out.includes(tile)).sort();
  view.bag = { count: count + back.length - out.length, tiles: left };
}
