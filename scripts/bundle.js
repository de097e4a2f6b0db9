import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles the command line into dist, beside what `compile.js` has written there: most of a short command is loading files.
 *
 *   dist/src/bin/writ.js    the program, with what it needs to ask the resident process
 *   dist/src/bin/whole.cjs  all commands but those below, as one function: V8 keeps what it has compiled of it (src/adapters/processes/bundle.ts)
 *   dist/src/bin/roles.cjs  the same with the roles, `mcp` and what they load: a role is back sooner after a kill
 *   the entries below       threads and processes of the roles, each in one file where the compiled one was
 *   dist/src/bin/build-id   a hash, by which two processes know that they are of one build
 *
 * `tui` runs from the compiled files: it has packages that read files of their own.
 */
const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages in plain JavaScript that read no file beside them. All others stay outside: native ones, and what is rarely loaded. */
const BUNDLED = new Set(
  'brace-expansion bullmq canonicalize cli-progress commander execa ignore ioredis lru-cache smol-toml xxhash-wasm zod @marcbachmann/cel-js @opentelemetry/api'.split(
    ' ',
  ),
);
/** The same, of what only roles load. */
const BUNDLED_WITH_ROLES = new Set([
  ...BUNDLED,
  ...'@bull-board/api @bull-board/fastify @fastify/helmet @fastify/rate-limit @fastify/swagger @fastify/swagger-ui @modelcontextprotocol/sdk'.split(' '),
  ...'ajv ajv-formats cron-parser fastify ipaddr.js marked pino prom-client sodium-native'.split(' '),
]);
/** What these ask for that is native, reads files, or starts a thread from a file of its own. */
const LEFT = new Set(['msgpackr-extract']);
/** As a name of its own, zod brings half a hundred languages along; as the module it brings what is used of it. */
const ZOD = /^import \{ z \} from 'zod'/m;
/** Packages that read what lies beside their files: in a bundle these still say where they are. */
const PLACED = /node_modules[/](@fastify[/]swagger-ui|sodium-native)[/](.+[.]js)$/;
/** Modules of ours that run from the compiled files. */
const SCREEN = /^src\/surfaces\/tui\//;
/** Begins the names of what is imported when it is wanted, and is not in the bundle. */
const OUTSIDE = 'outside:';
const ROLES = /^src\/(bin\/roles|surfaces\/mcp)\//;
/** All commands: a thread that runs them has the bundle of them. */
const WHOLE = /^src\/bin\/whole[.]ts$/;

/** Threads and processes that most starts of a role wait for, and that load in half the time from one file; of others it was measured to be more. */
const ENTRIES = [
  'src/adapters/crypto/crypto-thread',
  'src/adapters/sqlite/journal/journal-thread',
  'src/adapters/sqlite/task-index/task-index-thread',
  'src/bin/cli/resident-thread',
  'src/bin/http/fed-index-thread',
  'src/content-search/process/content-process',
  'src/messages/store/write/writer-thread',
];
/** It loads what its kinds of search need and no more, so that it lies in pieces beside itself. */
const IN_PIECES = 'src/bin/search/search-process';
const PIECE = /^piece-\w+[.]js$/;

/** What is the same for all bundles. Readable in a stack trace: names stay, and every module begins with its path. */
const SHARED = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  charset: 'ascii',
  keepNames: false,
  logLevel: 'warning',
  logOverride: { 'direct-eval': 'silent' },
  metafile: true,
};

const BUNDLES = {
  'whole.cjs': { packages: BUNDLED, left: [SCREEN, ROLES] },
  'roles.cjs': { packages: BUNDLED_WITH_ROLES, left: [SCREEN] },
};
for (const [name, { packages, left }] of Object.entries(BUNDLES)) {
  const { metafile, outputFiles } = await build({
    ...SHARED,
    entryPoints: ['src/bin/whole.ts'],
    outfile: `dist/src/bin/${name}`,
    write: false,
    format: 'cjs',
    banner: {
      js: '(function (exports, require, module, __filename, __dirname, importOutside) {const placeOf = (file) => require("node:url").pathToFileURL(require("node:path").join(__dirname, "../..", file)).href, placeIn = (name, file) => require("node:path").join(require.resolve(name + "/package.json"), "..", file);',
    },
    footer: { js: '})' },
    plugins: [outside(packages, left), places((file) => `placeOf(${JSON.stringify(file)})`)],
  });
  // What V8 has kept compiled cannot import: in Node 20 it has forgotten who would do it.
  const text = inAscii(outputFiles[0].text.replaceAll(`import("${OUTSIDE}`, 'importOutside("'));
  writeFileSync(path.join(root, 'dist/src/bin', name), text);
  if (process.argv.includes('--verbose')) process.stderr.write(`${Object.keys(metafile.inputs).length} modules in ${name}\n`);
}
await build({
  ...SHARED,
  entryPoints: ['src/bin/writ.ts'],
  outfile: 'dist/src/bin/writ.js',
  format: 'esm',
  plugins: [wholeApart(), places((file) => `new URL(${JSON.stringify(`../../${file}`)}, import.meta.url).href`)],
});
const pieces = path.join(root, 'dist', path.dirname(IN_PIECES));
for (const old of readdirSync(pieces).filter((name) => PIECE.test(name))) rmSync(path.join(pieces, old));
for (const entry of [...ENTRIES, IN_PIECES]) {
  const up = path.relative(path.dirname(entry), '.');
  await build({
    ...SHARED,
    entryPoints: [`${entry}.ts`],
    outdir: `dist/${path.dirname(entry)}`,
    splitting: entry === IN_PIECES,
    chunkNames: 'piece-[hash]',
    format: 'esm',
    // Packages that are CommonJS ask for others as such.
    banner: { js: "import { createRequire as requireBeside } from 'node:module'; const require = requireBeside(import.meta.url);" },
    plugins: [
      outside(BUNDLED, [SCREEN, ROLES, WHOLE], { isModule: true, directory: path.dirname(entry) }),
      places((file) => `new URL(${JSON.stringify(`${up}/${file}`)}, import.meta.url).href`),
    ],
  });
}
const bundles = [...Object.keys(BUNDLES), 'writ.js'].map((name) => readFileSync(path.join(root, 'dist/src/bin', name)));
const hash = createHash('sha256');
for (const bytes of [...bundles, readFileSync(path.join(root, 'package.json'))]) hash.update(bytes);
writeFileSync(path.join(root, 'dist/src/bin/build-id'), hash.digest('hex'));

// What this Node compiles is kept for the next command; where native packages are still being compiled, the first command does it.
const { loadBundle } = await import(new URL('../dist/src/adapters/processes/bundle.js', import.meta.url).href);
for (const name of Object.keys(BUNDLES)) {
  const loaded = loadBundle(path.join(root, 'dist/src/bin', name));
  const load = name === 'roles.cjs' ? loaded.exports.loadRoles : loaded.exports.loadCommands;
  await load().then(loaded.keep, () => undefined);
}

/**
 * The loader takes each byte for a character. esbuild escapes strings; tagged templates, expressions and comments it leaves as they are,
 * where an escape means the same.
 */
function inAscii(text) {
  const escaped = /\\[\u0080-\uffff]/.exec(text);
  if (escaped !== null) throw new Error(`a bundle has ${escaped[0]} escaped by a backslash, which no other escape can stand for`);
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Names of packages stay names, except those above and what these ask for themselves; so do the modules that are left. */
function outside(packages, left, { isModule = false, directory = 'src/bin' } = {}) {
  return {
    name: 'outside',
    setup({ onResolve }) {
      const named = (name, kind) => ({ path: kind === 'dynamic-import' && !isModule ? `${OUTSIDE}${name}` : name, external: true });
      onResolve({ filter: /^[^./]/ }, ({ path: name, importer, kind }) => {
        const [owner = name] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? [];
        const isOurs = !path.relative(root, importer).startsWith('node_modules');
        return (isOurs ? packages.has(owner) : !LEFT.has(owner)) ? undefined : named(name, kind);
      });
      onResolve({ filter: /^[.]/ }, ({ path: name, resolveDir, kind }) => {
        const file = path.relative(root, path.resolve(resolveDir, name));
        if (!left.some((modules) => modules.test(file))) return undefined;
        return named(beside(path.relative(directory, file).replace(/[.]tsx?$/, '.js')), kind);
      });
    },
  };
}

function beside(file) {
  return file.startsWith('.') ? file : `./${file}`;
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
      onLoad({ filter: PLACED }, ({ path: full }) => {
        const [, owner, inside] = PLACED.exec(full) ?? [];
        const placeOfName = (_, what) => `placeIn(${JSON.stringify(owner)}, ${JSON.stringify(what === 'file' ? inside : path.dirname(inside))})`;
        return { contents: readFileSync(full, 'utf8').replaceAll(/\b__(file|dir)name\b/g, placeOfName), loader: 'js' };
      });
      onLoad({ filter: /[.]tsx?$/ }, ({ path: full }) => {
        const file = path.relative(root, full);
        const text = readFileSync(full, 'utf8');
        if (!text.includes('import.meta.url') && !ZOD.test(text)) return undefined;
        const contents = text.replaceAll('import.meta.url', placeOf(file.replace(/[.]tsx?$/, '.js'))).replace(ZOD, 'import * as z from "zod"');
        return { contents, loader: full.endsWith('x') ? 'tsx' : 'ts' };
      });
    },
  };
}
