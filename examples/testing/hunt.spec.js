// Tests of a bug hunt with the API client of Playwright:
//   npm install @playwright/test@1.65 && npx playwright test hunt.spec.js
// They fail with the defects that they find, and report them. SKYE_SERVER is a lab server, SKYE_DEFECTS how many to hide.
import { expect, test } from "@playwright/test";

const server = process.env.SKYE_SERVER ?? "http://127.0.0.1:8000";
let api, reports;

test.beforeAll(async ({ request }) => {
  const data = { classes: ["contract", "caching", "events"], count: Number(process.env.SKYE_DEFECTS ?? 100) };
  const hunt = await (await request.post(`${server}/v1/lab/hunts`, { data })).json();
  api = server + hunt.api;
  reports = `${server}/v1/lab/hunts/${hunt.id}/reports`;
});

const body = { players: [{ name: "Ann" }, { name: "Bob" }], auto_start: true, options: { seed: "hunt" } };

/** Report a defect of a GET of a game that was just created. */
async function report(request, operation, kind, path) {
  const evidence = [{ method: "POST", path: "/v1/games", body: JSON.stringify(body) }, { path: `/v1/games/{{1/game/id}}${path}` }];
  const result = await (await request.post(reports, { data: { operation, class: kind, evidence } })).json();
  console.log(`${operation}: ${result.verdict}`);
}

const checks = [
  ["get_game", "contract", "", async (response) => "last_event" in (await response.json())],
  ["get_record", "contract", "/record", async (response) => response.headers()["content-type"] === "application/json"],
  ["get_game", "caching", "", async (response) => response.headers().vary.includes("Authorization")],
  ["get_territory", "caching", "/players/0/territory", async (response) => response.headers()["cache-control"].includes("private")],
  ["list_events", "events", "/events?limit=6", async (response) => (await response.json()).events.every(({ id }, place) => id === place + 1)],
];

for (const [operation, kind, path, holds] of checks) {
  test(`${operation} has no defect of the class ${kind}`, async ({ request }) => {
    const created = await (await request.post(`${api}/v1/games`, { data: body })).json();
    const response = await request.get(`${api}/v1/games/${created.game.id}${path}`);
    const held = await holds(response);
    if (!held) await report(request, operation, kind, path);
    expect.soft(held).toBe(true);
  });
}
