// Link the modules of the web client: each must parse, and have the names that others import from it.
// Run with --experimental-vm-modules; the arguments are the paths of the modules.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { SourceTextModule } from "node:vm";

const modules = new Map();

async function load(path) {
  if (!modules.has(path)) modules.set(path, readFile(path, "utf8").then((text) => new SourceTextModule(text, { identifier: path })));
  return modules.get(path);
}

for (const path of process.argv.slice(2)) {
  const module = await load(resolve(path));
  if (module.status === "unlinked") await module.link((specifier, { identifier }) => load(resolve(dirname(identifier), specifier)));
}
console.log(modules.size);
