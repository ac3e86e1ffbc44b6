// the bundles of the pages as C source: node build.mjs OUT.c
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { policy, safe } from './policy.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const kinds = ['plane', 'space', 'study'];

// licences stay with the code
const licence = async (name) => `/*! ${name}\n${(await readFile(join(here, 'node_modules', name, 'LICENSE'), 'utf8')).trim()} */\n`;
const used = { plane: ['uplot'], space: ['three', 'uplot'], study: ['uplot'] };

const made = await build({
  absWorkingDir: here,
  entryPoints: kinds.map((kind) => join('src', `${kind}.ts`)),
  outdir: 'out', // nothing is written there
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'none', // whole, below
  write: false,
  logLevel: 'warning',
});

function array(name, text) {
  const bytes = Buffer.from(text, 'utf8');
  const lines = [];
  for (let i = 0; i < bytes.length; i += 64) lines.push(Array.from(bytes.subarray(i, i + 64)).join(','));
  return `static const unsigned char ${name}[] = {${lines.join(',\n')}};\n`;
}

let source = '/* written by viewer/build.mjs */\n#include "report/report.h"\n\n';
const members = [];
for (const kind of kinds) {
  const part = (suffix) => made.outputFiles.find((f) => f.path.endsWith(`${kind}.${suffix}`))?.text ?? '';
  const licences = (await Promise.all(used[kind].map(licence))).join('');
  const js = safe(licences + part('js')), css = safe(part('css'));
  source += array(`${kind}_js`, js) + array(`${kind}_css`, css);
  members.push(
    `    {"${kind}", ${kind}_js, sizeof ${kind}_js, ${kind}_css, sizeof ${kind}_css,\n     "${policy(js, css)}"},\n`,
  );
}
source += `\nconst tn_bundle tn_bundles[] = {\n${members.join('')}    {NULL, NULL, 0, NULL, 0, NULL}};\n`;
source += 'const char *const tn_bundles_missing = "";\n';
await writeFile(process.argv[2], source);
