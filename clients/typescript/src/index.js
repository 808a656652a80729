export { Catalogue } from "./catalogue.js";
export { ApiError, ConnectionError, HistoryLostError } from "./errors.js";
export { EventFollower } from "./events.js";
export { emptyView, fold } from "./fold.js";
export { GameView } from "./game-view.js";
export { Games } from "./games.js";
export { Player } from "./player.js";
export { Game, Seat } from "./resources.js";
export { Skye } from "./skye.js";
export { Transport, randomKey } from "./transport.js";

/** @typedef {import("../types/contract.js").components["schemas"]} Schemas The schemas of the contract, by name. */
