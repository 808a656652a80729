import { HistoryLostError } from "../../clients/typescript/src/errors.js";

/** @typedef {import("./api.js").Event} Event */

/**
 * Follow the events of a game until it is over. When the browser is online again, connect at once and do not wait for
 * the next retry.
 *
 * @param {import("./types.js").FollowOptions} options
 * @throws {import("../../clients/typescript/src/errors.js").ApiError} The game or the token is no longer known.
 */
export async function follow({ signal, events, onState, onEvent, onHistoryLost }) {
  while (!signal.aborted) {
    const attempt = new AbortController();
    addEventListener("online", () => attempt.abort(), { signal: attempt.signal });
    try {
      for await (const event of events(AbortSignal.any([signal, attempt.signal]), onState)) {
        if (event.reload) throw new HistoryLostError();
        onEvent(/** @type {Event} */ (event));
      }
      return onState("over");
    } catch (error) {
      if (signal.aborted) return;
      if (attempt.signal.aborted) continue;
      if (!(error instanceof HistoryLostError)) throw error;
      await onHistoryLost();
    } finally {
      attempt.abort();
    }
  }
}
