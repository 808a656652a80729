/** The size of the head of a response of the real server. */
export const HEAD_BYTES = 640;
const HEARTBEAT_MS = 10_000;

/**
 * Return a `fetch` for a game or a player in this process. The events happen at given times, and the connections live
 * for a number of bytes and of milliseconds. The game is over after the last event.
 *
 * @param {{now: number}} time
 * @param {object} server
 * @param {number[]} server.happened When each event happens, in order.
 * @param {number} server.size The greatest number of bytes of padding in an event.
 * @param {{bytes: number, ms: number}[]} server.first How long the first connections live.
 * @param {{bytes: number, ms: number}[]} server.repeated How long all later ones live, in turn.
 * @param {boolean} [server.isOfPlayer]
 * @param {"stream" | "poll"} [server.blocked] Each of them is cut after `blockedBytes`.
 * @param {number} [server.blockedBytes]
 * @param {number} server.maxConnections More connections fail the test.
 */
export function flakyFetch(time, server) {
  const { happened, size, first, repeated, isOfPlayer = false, blocked, blockedBytes = 0, maxConnections } = server;
  let connections = 0;
  const idOf = (/** @type {number} */ number) => (isOfPlayer ? `${number}-7` : number);
  const event = (/** @type {number} */ number) => ({ id: idOf(number), padding: "x".repeat((number * 37) % (size + 1)) });
  const last = () => happened.filter((at) => at <= time.now).length;

  function* stream(/** @type {number} */ after) {
    yield { at: time.now, text: `event: stream\ndata: ${JSON.stringify({ last_event: idOf(last()) })}\n\n` };
    let sent = time.now;
    for (let number = after + 1; number <= happened.length; number++) {
      const at = /** @type {number} */ (happened[number - 1]);
      for (; sent + HEARTBEAT_MS < at; yield { at: sent, text: ": heartbeat\n\n" }) sent += HEARTBEAT_MS;
      sent = Math.max(sent, at);
      yield { at: sent, text: `id: ${idOf(number)}\ndata: ${JSON.stringify(event(number))}\n\n` };
    }
    if (!isOfPlayer) yield { at: sent, text: 'event: end\ndata: {"reason":"finished"}\n\n' };
  }

  function* page(/** @type {number} */ after, /** @type {URLSearchParams} */ query) {
    const until = time.now + Number(query.get("wait_ms"));
    yield { at: Math.min(Math.max(happened[after] ?? 0, time.now), until), text: "" };
    const end = Math.min(last(), after + Number(query.get("limit")));
    const events = Array.from({ length: end - after }, (_, index) => event(after + 1 + index));
    const status = last() === happened.length ? "finished" : "playing";
    yield { at: time.now, text: JSON.stringify({ events, last_event: idOf(last()), ...(isOfPlayer ? {} : { status }) }) };
  }

  return async (/** @type {string} */ url, /** @type {any} */ { headers, signal }) => {
    const { pathname, searchParams } = new URL(url), isStream = pathname.endsWith("/stream");
    const life = first[connections] ?? repeated[(connections - first.length) % repeated.length];
    if (++connections > maxConnections) return new Response('{"detail":"too many connections"}', { status: 400 });
    const bytes = blocked === (isStream ? "stream" : "poll") ? blockedBytes : /** @type {any} */ (life).bytes;
    if (bytes < HEAD_BYTES) throw new TypeError("cut in the head");
    const after = parseInt(isStream ? headers["Last-Event-ID"] : searchParams.get("after"), 10);
    if (isStream && after === happened.length && !isOfPlayer) return new Response(null, { status: 204 });
    const pieces = isStream ? stream(after) : page(after, searchParams);
    const body = cutBody(time, pieces, bytes - HEAD_BYTES, time.now + /** @type {any} */ (life).ms, signal);
    return new Response(body, { headers: { "Content-Type": isStream ? "text/event-stream" : "application/json" } });
  };
}

/**
 * Return a body of pieces at their times, which is cut after a number of bytes or at a time.
 *
 * @param {{now: number}} time
 * @param {Iterator<{at: number, text: string}>} pieces
 * @param {number} left
 * @param {number} until
 * @param {AbortSignal} signal
 */
function cutBody(time, pieces, left, until, signal) {
  const pull = async (/** @type {ReadableStreamDefaultController} */ controller) => {
    const { done, value } = pieces.next();
    if (done) return controller.close();
    const { at, text } = /** @type {{at: number, text: string}} */ (value);
    await untilTime(time, Math.min(at, until), signal);
    if (at > until) throw new TypeError("cut in time");
    const data = new TextEncoder().encode(text);
    if (data.length > left && left === 0) throw new TypeError("cut in the body");
    if (data.length) controller.enqueue(data.subarray(0, left));
    if (data.length > left) pieces = [{ at, text }][Symbol.iterator](); // the rest is cut
    left = Math.max(0, left - data.length);
    if (!data.length) await pull(controller);
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/** @param {{now: number}} time @param {number} at @param {AbortSignal} signal @returns {Promise<void>} */
function untilTime(time, at, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    if (at <= time.now) return resolve();
    signal.addEventListener("abort", stop);
    setTimeout(() => { signal.removeEventListener("abort", stop); resolve(); }, at - time.now);
  });
}
