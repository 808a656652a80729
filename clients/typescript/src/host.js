import { ApiError, ConnectionFailedError, HistoryLostError, SkyeError, UnexpectedResponseError, UnknownRulesetError } from "./errors.js";
import { isFinal } from "./events.js";
import { isKnown } from "./known.js";
import { claim, ladderOf, playRated } from "./rated.js";
import { Skye } from "./skye.js";
import { backoff, sleep } from "./transport.js";

/** @import { Action, Game, GameData, Seat } from "./resources.js" */
/** @import { Player } from "./player.js" */
/** @typedef {{type: string, body?: unknown, method?: string, href?: string}} Decision An action; its `type` and `body` are enough. */

/**
 * @typedef {object} Turn A decision to make.
 * @property {GameData} view The view of the seat that must act.
 * @property {Action[]} actions Its legal actions.
 * @property {import("./known.js").Known<Action>[]} moves The actions of known types, without `take_back`.
 * @property {Seat} seat The seat, for `places` and `whatIf`.
 */

/**
 * @typedef {object} HostOptions
 * @property {string} [url] The address of the server.
 * @property {number} [concurrency] The number of games in which to act at the same time.
 * @property {boolean} [untilOver] Return when all games of `rulesets` are over.
 * @property {string[]} [rulesets] The rulesets whose games to play, with their corrections such as `base+0a1b2c3d`; by
 *   default `base`.
 * @property {string} [ladder] The ladder on which to wait for rated games, one after the other, such as `live_2`.
 * @property {string} [name] The name of the profile, which is claimed if the player has none.
 * @property {(line: string) => void} [onResult] Gets a line for each rated result; by default it is printed.
 * @property {AbortSignal} [signal] Ends the host after the requests under way.
 * @property {(counts: {waiting: number, decisions: number, over: number}) => void} [onProgress] By default, shows the
 *   counts on a terminal.
 */

/**
 * Play all games of a player key, those of the future too, until `signal` aborts.
 *
 * One event stream reports the games that wait. Each of them has one task, which acts as long as the game waits for the
 * seat. Games of other rulesets than `rulesets` are left out, and, with a warning on the console, games that the server
 * refuses to send. When the server has responded once, the host resumes after lost connections, outages and restarts of
 * the server.
 *
 * @param {string} key
 * @param {(turn: Turn) => Decision | Promise<Decision>} decide Chooses an action: one of `actions`, or a `set_offer`
 *   with another `body`; `type` and `body` are enough. What it throws ends the host, except errors of outages.
 * @param {HostOptions} [options]
 * @throws {ApiError} The server refuses the action, or a request of `decide`, though the game is as it saw it.
 * @throws {SkyeError} `decide` returns no action, or one that is not legal.
 * @throws {UnknownRulesetError} The server does not know one of `rulesets`.
 */
export async function host(key, decide, { url, concurrency = 8, untilOver = false, rulesets = [BASE], signal, ladder, name, onResult = console.log, onProgress = onTerminal() } = {}) {
  const client = new Skye(url), player = client.player(key), ended = new AbortController();
  const all = AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]);
  const its = new Host(player, decide, concurrency, rulesets, onProgress, all);
  await checkRulesets(client, rulesets, signal);
  const chosen = ladder ? await ladderOf(client, ladder, all) : null;
  const rated = chosen ? playRated(client, player, await claim(player, name), chosen, onResult, all) : Promise.resolve();
  let failure;
  const seeking = rated.catch((error) => {
    if (!all.aborted) failure = error;
    ended.abort();
  });
  await its.run(untilOver).finally(() => ended.abort());
  await seeking;
  if (failure) throw failure;
}

/**
 * Check that the server knows the rulesets to play; every server knows `base`.
 *
 * @param {Skye} client
 * @param {string[]} rulesets
 * @param {AbortSignal} [signal]
 * @throws {UnknownRulesetError} It does not know one.
 */
async function checkRulesets({ catalogue }, rulesets, signal) {
  for (const ruleset of rulesets.filter((one) => one !== BASE)) {
    await catalogue.scoringTiles({ ruleset }, { signal }).catch((error) => {
      if (error instanceof ApiError && error.status === 422) throw new UnknownRulesetError(`Unknown ruleset ${JSON.stringify(ruleset)}`);
      if (!signal?.aborted) throw error;
    });
  }
}

/** The games of a player, and the tasks that act in them. */
class Host {
  /** The games with a task, and whether an event has arrived that the task may not have seen. @type {Map<string, boolean>} */
  #tasks = new Map();
  /** The tasks that wait for others to end. @type {(() => void)[]} */
  #queue = [];
  /** @type {Set<Promise<void>>} */
  #running = new Set();
  #acting = 0;
  #decisions = 0;
  #over = 0;
  /** The games that the server refuses to send, until it reports them again. @type {Set<string>} */
  #leftOut = new Set();
  /** Ends the stream, to look again whether all games are over. */
  #again = new AbortController();
  /** Ends the stream and the tasks. */
  #stop = new AbortController();

  /**
   * @param {Player} player
   * @param {(turn: Turn) => Decision | Promise<Decision>} decide
   * @param {number} concurrency
   * @param {string[]} rulesets
   * @param {HostOptions["onProgress"]} onProgress
   * @param {AbortSignal} [signal]
   */
  constructor(player, decide, concurrency, rulesets, onProgress, signal) {
    this.player = player;
    this.decide = decide;
    this.concurrency = concurrency;
    this.rulesets = rulesets;
    this.onProgress = onProgress;
    if (signal?.aborted) this.#stop.abort(ENDED);
    signal?.addEventListener("abort", () => this.#stop.abort(ENDED), { once: true });
  }

  /** @param {boolean} untilOver */
  async run(untilOver) {
    try {
      await this.player.games.list({ limit: 1 }, { signal: this.#stop.signal }); // fails where no API is
      while (!await this.#followed(untilOver).catch((error) => this.#afterOutage(error)));
    } catch (error) {
      if (this.#stop.signal.reason !== ENDED) throw this.#stop.signal.aborted ? this.#stop.signal.reason : error;
    } finally {
      this.#stop.abort(ENDED);
      await Promise.all(this.#running);
    }
  }

  /** Wait after a failure that a retry can mend; throw other errors. @param {unknown} error */
  async #afterOutage(error) {
    if (error instanceof HistoryLostError || this.#again.signal.aborted && !this.#stop.signal.aborted) return false;
    if (!isFailed(error) || isFinal(error)) throw error;
    await sleep(backoff(1, OUTAGE_MS, OUTAGE_MS), this.#stop.signal);
    return false;
  }

  /** Act in all games that wait, now and after each event; return whether all are over. @param {boolean} untilOver */
  async #followed(untilOver) {
    const { signal } = this.#stop, again = this.#again = new AbortController();
    signal.addEventListener("abort", () => again.abort(), { once: true, signal: again.signal });
    // The stream has all events after this one; the lists of games include all events before it.
    const after = (await this.player.games.list({ limit: 1 }, { signal })).last_event;
    if (untilOver && await this.#allOver()) return true;
    for await (const { game, waiting, seat } of this.player.games.all({ signal })) {
      const bot = game.status === "playing" && seat !== null ? game.players[seat]?.bot : null;
      if (waiting || (bot && bot !== "url")) this.#wake(game.id); // the server may have taken the seat over
    }
    for await (const event of this.player.events({ after, signal: again.signal })) {
      if (!isKnown(event)) continue;
      if (event.type === "your_turn") this.#wake(event.game_id);
      if (event.type !== "game_over" && event.type !== "seat_left") continue;
      if (event.type === "game_over") this.#over += 1;
      this.#report();
      if (untilOver && await this.#allOver()) return true;
    }
    return false;
  }

  async #allOver() {
    for await (const { game } of this.player.games.all({ signal: this.#stop.signal })) {
      const isPlayed = this.#plays(game.ruleset) && !this.#leftOut.has(game.id);
      if (isPlayed && (game.status === "lobby" || game.status === "playing")) return false;
    }
    return true;
  }

  /** Start the task of a game, or let it look again. @param {string} id */
  #wake(id) {
    const running = this.#tasks.has(id);
    this.#tasks.set(id, running);
    if (running) return;
    const task = this.#task(id).catch((error) => this.#stop.abort(error)).finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  /** Act in a game until it waits for somebody else. @param {string} id */
  async #task(id) {
    if (this.#acting >= this.concurrency) await new Promise((resolve) => this.#queue.push(() => resolve(null)));
    this.#acting += 1;
    try {
      do {
        this.#tasks.set(id, false);
        await this.#actWhileWaiting(this.player.game(id));
      } while (this.#tasks.get(id));
    } finally {
      this.#tasks.delete(id);
      this.#acting -= 1;
      this.#queue.shift()?.();
    }
  }

  /**
   * Return the view of a game, after taking back a seat that was taken over.
   *
   * @param {Game} game
   * @param {{include: string}} query
   */
  async #current(game, query) {
    const { signal } = this.#stop, view = await game.get({ query }), { seat } = view.you;
    const isAway = view.actions?.some(({ type }) => type === "return");
    if (seat === null || !isAway || !this.#plays(view.ruleset) || signal.aborted) return view;
    await game.seat(seat).returnToSeat().catch((error) => {
      if (!(error instanceof ApiError)) throw error; // else the game may just have ended
    });
    return game.get({ query });
  }

  /** @param {Game} game */
  async #actWhileWaiting(game) {
    const query = { include: "actions" }, { signal } = this.#stop;
    /** @type {{version: number, error: unknown} | null} */
    let refused = null;
    /** @type {Turn | null} */
    let turn = null;
    for (let failures = 0; !signal.aborted;) {
      /** @type {GameData} */
      let view;
      try {
        if (turn) {
          const action = completed(await this.decide(turn), turn.actions);
          if (signal.aborted) return;
          view = await turn.seat.act(action, { query });
          failures = 0;
          this.#decisions += 1;
          this.#report();
        } else view = await this.#current(game, query);
      } catch (error) {
        if (!turn && error instanceof ApiError && GONE.has(error.status)) return;
        if (!turn && error instanceof ApiError && (isFinal(error) || error.code === DAMAGED)) return this.#leaveOut(game.id, error);
        if (!isFailed(error)) throw error;
        if (turn && isFinal(error)) refused = { version: turn.view.version, error };
        turn = null; // a deadline has passed, or the server does not respond: look again
        await sleep(backoff(++failures, 100, 15_000), signal);
        continue;
      }
      this.#leftOut.delete(game.id);
      // No deadline has passed: the action, or a request of `decide`, is wrong.
      if (refused?.version === view.version) throw refused.error;
      const number = view.you.seat;
      if (number === null || !view.waiting_for.includes(number) || !this.#plays(view.ruleset)) return;
      const actions = view.actions ?? [];
      const moves = actions.filter(isKnown).filter(({ type }) => type !== "take_back");
      turn = { view, actions, moves, seat: game.seat(number) };
    }
  }

  /** Leave out a game that no retry can read, and look whether all others are over. @param {string} id @param {ApiError} error */
  #leaveOut(id, error) {
    if (this.#leftOut.has(id)) return;
    console.warn(`The game ${id} is left out: the server refuses to send it: ${error.message}`);
    this.#leftOut.add(id);
    this.#again.abort();
  }

  /** Whether to play games of a ruleset: one of those to play, or its correction. @param {string} ruleset */
  #plays(ruleset) {
    return this.rulesets.includes(ruleset) || this.rulesets.includes(ruleset.split("+")[0]);
  }

  #report() {
    this.onProgress?.({ waiting: this.#tasks.size, decisions: this.#decisions, over: this.#over });
  }
}

/**
 * Return an action with the request of the legal action that has its type, unless it names one itself.
 *
 * @param {any} action
 * @param {Action[]} actions
 * @returns {{method: string, href: string, body?: unknown}}
 * @throws {SkyeError} It is no action, or none of a type that is legal.
 */
function completed(action, actions) {
  if (typeof action?.type !== "string") throw new SkyeError(`\`decide\` returned no action, with \`type\` and \`body\`: ${shown(action)}`);
  if (typeof action.method === "string" && typeof action.href === "string") return action;
  const listed = actions.find(({ type }) => type === action.type);
  if (!listed) throw new SkyeError(`\`decide\` returned an action that is not legal now: ${shown(action)}`);
  return { ...action, method: listed.method, href: listed.href };
}

/** Return a value as the beginning of a text. @param {unknown} value */
function shown(value) {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 200);
  } catch { // a cycle, or a BigInt
    return String(value).slice(0, 200);
  }
}

const BASE = "base";
const GONE = new Set([401, 403, 404, 410]);
const DAMAGED = "data_corrupt";
const OUTAGE_MS = 5000;
const ENDED = new Error("The host has ended");

/** Whether a request failed, as in an outage. @param {unknown} error */
const isFailed = (error) =>
  error instanceof ApiError || error instanceof ConnectionFailedError || error instanceof UnexpectedResponseError;

/** Return a function that shows the counts, where standard error is a terminal. */
function onTerminal() {
  const stderr = /** @type {any} */ (globalThis).process?.stderr;
  if (!stderr?.isTTY) return undefined;
  return (/** @type {{waiting: number, decisions: number, over: number}} */ { waiting, decisions, over }) =>
    stderr.write(`\r${waiting} waiting, ${decisions} decisions, ${over} games over\x1b[K  `);
}
