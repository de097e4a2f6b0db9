import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** Modules that are started as a process or a thread, by their names. */
const STARTED = /^(src\/(adapters|bin|content-search|messages)|test)\/.*(-|\/)(child|parent|process|thread|scenario|server)\.ts$/;
/**
 * Others that are started, that a started script imports by its place, that the shipped program leaves outside
 * (`scripts/bundle.js`), or that are read where they lie: the finder of backends has these search in its own file.
 */
const NAMED = new Set([
  ...['find-backends', 'run-program'].map((module) => `src/content-search/io/backend/${module}.ts`),
  ...['bin/writ', 'bin/whole', 'content-search/index', 'content-search/process/launch', 'lease/keys'].map((module) => `src/${module}.ts`),
  ...['api', 'index-host', 'kernel', 'up', 'worker'].map((role) => `src/bin/roles/${role}.ts`),
  ...['mcp/stdio', 'mcp/tools/table', 'tui/run', 'tui/model/facets', 'tui/model/link'].map((module) => `src/surfaces/${module}.ts`),
  ...['fixtures/content-index/killed-build', 'integration/confined-fs/exchange-unprivileged', 'support/content/restless-tree'].map(
    (module) => `test/${module}.ts`,
  ),
  ...['instances/fencer', 'instances/holder', 'content-process/confined-probe'].map((module) => `test/integration/${module}.ts`),
]);
/** Started most often, and with little in them: from one file of its own such a thread starts in two thirds of the time. */
const ALONE = /^src\/(adapters|content-search|messages)\/.*-thread\.ts$|^test\/support\/content\/index-host-process\.ts$/;
/** Packages in plain JavaScript that read no file beside them: most of the files that a process would load. */
const BUNDLED = new Set([
  ...'@marcbachmann/cel-js @modelcontextprotocol/sdk @opentelemetry/api ajv ajv-formats brace-expansion bullmq cron-parser'.split(' '),
  ...'fastify ignore ioredis ipaddr.js pino prom-client smol-toml xxhash-wasm zod'.split(' '),
]);
/** As a name of its own, zod brings half a hundred languages along; as the module it brings what is used of it. */
const ZOD = /^import \{ z \} from ["']zod["']/m;
/** What these ask for that is compiled. */
const LEFT = new Set(['msgpackr-extract']);

/**
 * Writes the modules that are started into a tree which mirrors the checkout, as plain JavaScript. Most share their chunks: a
 * process needs longer to find and load a thousand files than to run them.
 *
 * @param root    directory of the checkout
 * @param tree    directory of the compiled tree
 * @param modules TypeScript files of the checkout, relative to it
 */
export async function bundleStarted(root: string, tree: string, modules: readonly string[]): Promise<void> {
  const started = modules.filter((file) => STARTED.test(file) || NAMED.has(file));
  const shared: BuildOptions = {
    absWorkingDir: root,
    outbase: '.',
    outdir: tree,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    // What was CommonJS still asks for modules of Node.
    banner: { js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);` },
    plugins: [packages(root), places(root, tree)],
  };
  await Promise.all([
    build({ ...shared, entryPoints: started.filter((file) => !ALONE.test(file)), splitting: true, chunkNames: 'chunks/[hash]' }),
    build({ ...shared, entryPoints: started.filter((file) => ALONE.test(file)) }),
  ]);
}

/** Names of packages stay names, except those above and what these ask for themselves. */
function packages(root: string): Plugin {
  return {
    name: 'packages',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path: name, importer, kind }) => {
        if (kind === 'entry-point') return undefined;
        const [owner = name] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? [];
        const isBundled = isOurs(root, importer) ? BUNDLED.has(owner) : !LEFT.has(owner);
        return isBundled ? undefined : { external: true };
      });
    },
  };
}

/** A module in a bundle still finds what would lie beside it in the tree. */
function places(root: string, tree: string): Plugin {
  return {
    name: 'places',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        if (!isOurs(root, file)) return undefined;
        const place = pathToFileURL(path.join(tree, path.relative(root, file)).replace(/\.ts$/, '.js')).href;
        const text = readFileSync(file, 'utf8').replaceAll('import.meta.url', JSON.stringify(place));
        return { contents: text.replace(ZOD, 'import * as z from "zod"'), loader: 'ts' };
      });
    },
  };
}

const isOurs = (root: string, file: string): boolean => file.startsWith(root + path.sep) && !file.startsWith(path.join(root, 'node_modules') + path.sep);
