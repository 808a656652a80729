import net from "node:net";

/**
 * A TCP proxy that damages connections at random.
 *
 * @param {string} target The address of the server.
 */
export async function cuttingProxy(target) {
  const { hostname, port } = new URL(target);
  /** @type {Set<net.Socket>} */
  const sockets = new Set();
  const state = { connections: 0, cuts: 0, mode: "pass" };
  const server = net.createServer((near) => {
    state.connections += 1;
    const far = net.connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => { sockets.delete(socket); near.destroy(); far.destroy(); });
    }
    if (state.mode === "refuse") near.destroy();
    near.on("data", (data) => far.write(data));
    far.on("data", (data) => {
      if (state.mode === "silent") return; // half open: the client hears nothing more
      if (state.mode !== "cut" || Math.random() < 0.7) return void near.write(data);
      state.cuts += 1;
      near.write(data.subarray(0, Math.floor(Math.random() * data.length)), () => near.destroy());
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const address = /** @type {net.AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    state,
    cutAll() { for (const socket of sockets) socket.destroy(); },
    close() { server.close(); for (const socket of sockets) socket.destroy(); },
  };
}
