export { Catalogue } from "./catalogue.js";
export { ApiError, ConnectionFailedError, HistoryLostError, InvalidAddressError, InvalidCredentialError, InvalidWebhookError, SkyeError, UnexpectedResponseError, UnknownRulesetError } from "./errors.js";
export { EventFollower } from "./events.js";
export { emptyView, fold } from "./fold.js";
export { GameView } from "./game-view.js";
export { Games, OwnGames } from "./games.js";
export { host } from "./host.js";
export { isKnown } from "./known.js";
export { Ladders } from "./ladders.js";
export { Leagues } from "./leagues.js";
export { Player } from "./player.js";
export { Game, Seat } from "./resources.js";
export { Skye } from "./skye.js";
export { Transport, newKey } from "./transport.js";
export * as webhooks from "./webhooks.js";

/** @typedef {import("../types/contract.js").components["schemas"]} Schemas The schemas of the contract, by name. */
/** @typedef {import("./host.js").Turn} Turn A decision that a `host` asks for. */
/** @typedef {import("./host.js").HostOptions} HostOptions */
/** @typedef {import("./resources.js").Action} Action */
/** @typedef {import("./resources.js").GameData} GameData The view of a game. */
/** @template T @typedef {import("./known.js").Known<T>} Known The members of a union that this version knows. */
