import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles the command line into dist, beside what `compile.js` has written there: most of a short command is loading files.
 *
 *   dist/src/bin/writ.js    the program, with what it needs to ask the resident process
 *   dist/src/bin/whole.cjs  all commands but those below, as one function: V8 keeps what it has compiled of it (src/adapters/processes/bundle.ts)
 *   dist/src/bin/build-id   a hash, by which two processes know that they are of one build
 *
 * Roles, `mcp` and `tui` run from the compiled files: they live long, and have packages that read files of their own.
 */
const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages in plain JavaScript that read no file beside them. All others stay outside: native ones, and what is rarely loaded. */
const BUNDLED = new Set(
  'brace-expansion bullmq canonicalize cli-progress commander execa ignore ioredis lru-cache smol-toml xxhash-wasm zod @marcbachmann/cel-js @opentelemetry/api'.split(
    ' ',
  ),
);
/** What these ask for that is native, or reads files. */
const LEFT = new Set(['msgpackr-extract']);
/** Modules of ours that start what runs from the compiled files. */
const LEFT_MODULES = /^src\/(bin\/roles\/|surfaces\/(mcp|tui)\/)/;

/** What is the same for both bundles. Readable in a stack trace: names stay, and every module begins with its path. */
const SHARED = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  charset: 'ascii',
  keepNames: false,
  logLevel: 'warning',
  metafile: true,
};

const whole = await build({
  ...SHARED,
  entryPoints: ['src/bin/whole.ts'],
  outfile: 'dist/src/bin/whole.cjs',
  format: 'cjs',
  banner: {
    js: '(function (exports, require, module, __filename, __dirname) {const placeOf = (file) => require("node:url").pathToFileURL(require("node:path").join(__dirname, "../..", file)).href;',
  },
  footer: { js: '})' },
  plugins: [outside(), places((file) => `placeOf(${JSON.stringify(file)})`)],
});
await build({
  ...SHARED,
  entryPoints: ['src/bin/writ.ts'],
  outfile: 'dist/src/bin/writ.js',
  format: 'esm',
  plugins: [wholeApart(), places((file) => `new URL(${JSON.stringify(`../../${file}`)}, import.meta.url).href`)],
});
const bundles = ['whole.cjs', 'writ.js'].map((name) => readFileSync(path.join(root, 'dist/src/bin', name)));
const hash = createHash('sha256');
for (const bytes of [...bundles, readFileSync(path.join(root, 'package.json'))]) hash.update(bytes);
writeFileSync(path.join(root, 'dist/src/bin/build-id'), hash.digest('hex'));
if (process.argv.includes('--verbose')) process.stderr.write(`${Object.keys(whole.metafile.inputs).length} modules in whole.cjs\n`);

// What this Node compiles is kept for the next command; where native packages are still being compiled, the first command does it.
const { loadBundle } = await import(new URL('../dist/src/adapters/processes/bundle.js', import.meta.url).href);
const loaded = loadBundle(path.join(root, 'dist/src/bin/whole.cjs'));
await loaded.exports.loadCommands().then(loaded.keep, () => undefined);

/** Names of packages stay names, except those above and what these ask for themselves; so do the modules that are left. */
function outside() {
  return {
    name: 'outside',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path: name, importer }) => {
        const [owner = name] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? [];
        const isOurs = !path.relative(root, importer).startsWith('node_modules');
        return (isOurs ? BUNDLED.has(owner) : !LEFT.has(owner)) ? undefined : { path: name, external: true };
      });
      onResolve({ filter: /^[.]/ }, ({ path: name, resolveDir }) => {
        const file = path.relative(root, path.resolve(resolveDir, name));
        if (!LEFT_MODULES.test(file)) return undefined;
        return { path: `./${path.relative('src/bin', file).replace(/[.]tsx?$/, '.js')}`, external: true };
      });
    },
  };
}

function wholeApart() {
  return {
    name: 'whole apart',
    setup({ onResolve }) {
      onResolve({ filter: /\/whole[.]ts$/ }, () => ({ path: './whole.js', external: true }));
    },
  };
}

/** A module in a bundle still finds what lies beside its file in dist: threads, SQL, Lua. */
function places(placeOf) {
  return {
    name: 'places',
    setup({ onLoad }) {
      onLoad({ filter: /[.]tsx?$/ }, ({ path: full }) => {
        const file = path.relative(root, full);
        if (file.startsWith('node_modules')) return undefined;
        const text = readFileSync(full, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        return { contents: text.replaceAll('import.meta.url', placeOf(file.replace(/[.]tsx?$/, '.js'))), loader: full.endsWith('x') ? 'tsx' : 'ts' };
      });
    },
  };
}
