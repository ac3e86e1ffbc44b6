// node wasi.mjs PROGRAM.wasm WORDS..: runs a WebAssembly program, which sees the folder where it is run and this project
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { WASI } from "node:wasi";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const [, , program, ...words] = process.argv;
const wasi = new WASI({
  version: "preview1",
  args: [program, ...words],
  env: process.env,
  preopens: { ".": process.cwd(), [project]: project },
  returnOnExit: true,
});
const module = await WebAssembly.compile(readFileSync(program));
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
