import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from '../config/package.ts';
import { declarationsOf } from './declarations.js';

const SOURCES = 'src/surfaces/client';
/** Most bytes of the package when it is unpacked. */
export const CLIENT_BYTES = 200 * 1024;

/**
 * Writes the package `writ-client` into a directory, which is emptied first: one module, its declarations, and the files of
 * `packages/client` with the version of this tree (docs/decisions, D271).
 *
 * @throws Error for a type that a declaration cannot say, or an import that is not the client's own
 */
export async function writeClientPackage(directory: string, root: string = packageRoot()): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(path.join(directory, 'types'), { recursive: true });
  await build({
    ...{ absWorkingDir: root, entryPoints: [`${SOURCES}/index.ts`], outfile: path.join(directory, 'index.js') },
    // `neutral` finds no module of Node, so that one which is asked for ends the build.
    ...{ bundle: true, platform: 'neutral', target: 'es2022', format: 'esm', charset: 'utf8', legalComments: 'none', logLevel: 'silent' },
  });
  for (const name of readdirSync(path.join(root, SOURCES))) {
    const { text, problems } = declarationsOf(path.join(SOURCES, name));
    if (problems.length > 0) throw new Error(problems.join('\n'));
    writeFileSync(path.join(directory, 'types', name.replace(/\.ts$/, '.d.ts')), text);
  }
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const manifest = JSON.parse(readFileSync(path.join(root, 'packages/client/package.json'), 'utf8')) as Record<string, unknown>;
  writeFileSync(path.join(directory, 'package.json'), `${JSON.stringify({ ...manifest, version }, undefined, 2)}\n`);
  cpSync(path.join(root, 'packages/client/README.md'), path.join(directory, 'README.md'));
  cpSync(path.join(root, 'LICENSE'), path.join(directory, 'LICENSE'));
}

/** What is wrong with a package that was written: what it brings along, what it asks for, how large it is. */
export function clientPackageProblems(directory: string): readonly string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const manifest = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as Record<string, unknown>;
  const code = readFileSync(path.join(directory, 'index.js'), 'utf8');
  return [
    ...(bytes > CLIENT_BYTES ? [`the client has ${bytes} bytes, at most ${CLIENT_BYTES} are allowed`] : []),
    ...Object.keys(manifest)
      .filter((name) => /dependencies$|^scripts$|^bin$/i.test(name))
      .map((name) => `the client's package.json has ${name}`),
    ...[...code.matchAll(/^(?:import|export)\b.*\bfrom\s.*$|\bimport\(.*$|\brequire\(.*$|\bBuffer\b.*$|\bprocess\.\w.*$/gm)].map(
      ([line]) => `the client asks for what is not its own: ${line}`,
    ),
  ];
}
