import assert from "node:assert/strict";
import { test } from "node:test";

import { Skye, host } from "skye-client";
import { cuttingProxy } from "./cutting-proxy.js";
import { SERVER, direct } from "./support.js";

const game = { players: [{ name: "Ann" }, { bot: "random" }], auto_start: true };
const atRandom = ({ moves }) => moves[Math.floor(Math.random() * moves.length)];

async function statuses(player) {
  const found = [];
  for await (const own of player.games.all()) found.push(own.game.status);
  return found;
}

test("a host plays all games of a player, through cut connections", { timeout: 600_000 }, async (t) => {
  const proxy = await cuttingProxy(SERVER);
  t.after(() => proxy.close());
  const player = direct.player();
  await player.leagues.create(Array(5).fill(game));
  proxy.state.mode = "cut";
  const counts = [];
  await host(player.key, atRandom, { url: proxy.url, concurrency: 2, untilOver: true, onProgress: (one) => counts.push(one) });
  assert.deepEqual(await statuses(player), Array(5).fill("finished"));
  assert.ok(counts.at(-1).decisions >= 5 * 6);
});

test("a host ends with the error of decide", async () => {
  const player = direct.player();
  await player.games.create(game);
  const decide = () => { throw new RangeError("no idea"); };
  await assert.rejects(host(player.key, decide, { url: SERVER }), RangeError);
});

test("a host ends when its signal aborts", async () => {
  const player = direct.player(), stop = new AbortController();
  await player.games.create(game);
  let decisions = 0;
  const decide = async (turn) => {
    assert.ok((await turn.seat.territory()).tiles ?? true);
    if (++decisions === 2) stop.abort();
    return atRandom(turn);
  };
  await host(player.key, decide, { url: SERVER, signal: stop.signal });
  assert.equal(decisions, 2);
  assert.equal((await new Skye(SERVER).player(player.key).games.list()).games[0].game.status, "playing");
});
