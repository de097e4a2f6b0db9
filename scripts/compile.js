import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { declarationsOf } from './declarations.js';

/**
 * Writes dist: a JavaScript file with a source map for each TypeScript file, and the declarations of what the package offers to
 * programs. Types are judged by `npm run check`, not here: a fresh checkout waits for this.
 * Plain JavaScript: it runs before anything is compiled. Ends with 1 when a file cannot be parsed; all others are written.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
const FOLDERS = ['src', 'queues', 'processors', 'config', 'bench', 'test/support', 'test/chaos'];
/** What `exports` of package.json names: all types that a consumer sees are declared in these. */
const DECLARED = [...filesOf('src/surfaces/client'), 'src/content-search/index.ts'];

let failed = 0;
const written = new Set();
// What these import from elsewhere is compiled too.
for (let next = FOLDERS.flatMap(filesOf); next.length > 0; ) {
  for (const file of next) written.add(file);
  const imported = await compile(next);
  next = [...imported].filter((file) => !written.has(file));
}
for (const file of DECLARED) declare(file);
process.exitCode = failed === 0 ? 0 : 1;

/** TypeScript files of a folder without tests, relative to the root. */
function filesOf(folder) {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /(?<!\.d|\.test)\.ts$/.test(name)).map((name) => path.join(folder, name));
}

/** Compiles the files one by one; answers those of ours that they import. */
async function compile(files) {
  const imported = new Set();
  const imports = {
    name: 'imports',
    setup({ onResolve }) {
      onResolve({ filter: /^/ }, ({ path: name, kind, resolveDir }) => {
        if (kind === 'entry-point') return undefined;
        if (!name.startsWith('.') || !name.endsWith('.ts')) return { path: name, external: true };
        const file = path.relative(root, path.join(resolveDir, name));
        // What stands in a string of the tests need not be there.
        if (existsSync(path.join(root, file))) imported.add(file);
        return { path: name.replace(/\.ts$/, '.js'), external: true };
      });
    },
  };
  const options = { absWorkingDir: root, outbase: '.', outdir: dist, platform: 'node', target: 'node20', format: 'esm', charset: 'utf8', sourcemap: true };
  const { errors } = await build({ ...options, entryPoints: files, bundle: true, treeShaking: false, sourcesContent: false, plugins: [imports] }).catch(
    (error) => error,
  );
  failed += errors.length;
  return imported;
}

function declare(file) {
  const { text, problems } = declarationsOf(file);
  failed += problems.length;
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const target = path.join(dist, file.replace(/\.ts$/, '.d.ts'));
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}
