import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Modules that are started as a process or a thread. One that this misses starts too, only more slowly. */
const STARTED =
  /^src\/bin\/writ\.js$|^src\/content-search\/process\/launch\.js$|^(src\/(adapters|bin|content-search|messages)|test)\/.*(-|\/)(child|parent|process|thread|scenario|server)\.js$/;
/** Packages in plain JavaScript that read no file beside them: most of the files that a process would load. */
const BUNDLED = new Set([
  ...'@marcbachmann/cel-js @modelcontextprotocol/sdk @opentelemetry/api ajv ajv-formats bullmq cron-parser fastify ioredis ipaddr.js'.split(' '),
  ...'pino prom-client smol-toml zod'.split(' '),
]);
/** As a name of its own, zod brings half a hundred languages along; as the module it brings what is used of it. */
const ZOD = /^import \{ z \} from ["']zod["']/m;
/** What these ask for that is compiled. */
const LEFT = new Set(['msgpackr-extract']);

/**
 * Puts bundles in the place of those modules of a compiled tree that are started. They share their chunks: a process
 * needs longer to find and load a thousand files than to run them.
 *
 * @param tree    directory of the compiled tree
 * @param modules its files, relative to it
 */
export async function bundleStarted(tree: string, modules: readonly string[]): Promise<void> {
  await build({
    absWorkingDir: tree,
    entryPoints: modules.filter((file) => STARTED.test(file)),
    outbase: '.',
    outdir: tree,
    allowOverwrite: true,
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    // What was CommonJS still asks for modules of Node.
    banner: { js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);` },
    plugins: [packages(tree), places(tree)],
  });
}

/** Names of packages stay names, except those above and what these ask for themselves. */
function packages(tree: string): Plugin {
  return {
    name: 'packages',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path: name, importer, kind }) => {
        if (kind === 'entry-point') return undefined;
        const [owner = name] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? [];
        const isBundled = isIn(tree, importer) ? BUNDLED.has(owner) : !LEFT.has(owner);
        return isBundled ? undefined : { external: true };
      });
    },
  };
}

/** A module in a bundle still finds what lies beside it in the tree. */
function places(tree: string): Plugin {
  return {
    name: 'places',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path: file }) => {
        if (!isIn(tree, file)) return undefined;
        const text = readFileSync(file, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
        return { contents: text.replace(ZOD, 'import * as z from "zod"') };
      });
    },
  };
}

const isIn = (tree: string, file: string): boolean => file.startsWith(tree + path.sep);
