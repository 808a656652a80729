// What kubb generates from openapi.yaml: types and a client on fetch. SKYE_OUT names the folder.
import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";

export default defineConfig({
  input: { path: process.env.SKYE_CONTRACT },
  output: { path: process.env.SKYE_OUT, format: false, lint: false },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: "fetch", bundle: true })],
});
