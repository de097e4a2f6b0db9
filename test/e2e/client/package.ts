import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../config/package.ts';
import { writeClientPackage } from '../../../scripts/client-package.ts';
import { scriptArgs } from '../../support/compiled/script.ts';

const run = promisify(execFile);

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A project that has installed one packed tarball and nothing else. */
export interface Consumer extends Disposable {
  readonly directory: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
  write(name: string, text: string): string;
  node(file: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** What the compiler says, in the words of `tsc` (types-child.ts). */
  tsc(args: readonly string[]): Promise<Ran>;
}

/** A project with the whole program, built if it is not fresh, and none of its dependencies: unpacked as npm would. */
export async function installPackage(): Promise<Consumer> {
  const directory = emptyProject();
  // One build at a time: other test files need one as well. It does nothing when dist is fresh.
  await run('flock', ['package.json', 'scripts/build'], { cwd: packageRoot() });
  const { filename, files } = await pack(packageRoot(), directory);
  const target = path.join(directory, 'node_modules/writ');
  mkdirSync(target, { recursive: true });
  await run('tar', ['-xzf', path.join(directory, filename), '--strip-components=1', '-C', target]);
  return consumerOf(directory, files);
}

/** A project into which npm has installed `writ-client`, with no network and nothing in npm's cache. */
export async function installClient(): Promise<Consumer> {
  const directory = emptyProject();
  await writeClientPackage(path.join(directory, 'packed'));
  const { filename, files } = await pack(path.join(directory, 'packed'), directory);
  rmSync(path.join(directory, 'packed'), { recursive: true });
  const alone = ['--offline', '--registry', 'http://127.0.0.1:9/', '--cache', path.join(directory, '.cache'), '--no-audit', '--no-fund'];
  await run('npm', ['install', ...alone, `./${filename}`], { cwd: directory });
  return consumerOf(directory, files);
}

function emptyProject(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-consumer-'));
  writeFileSync(path.join(directory, 'package.json'), '{"type":"module"}');
  return directory;
}

async function pack(from: string, into: string): Promise<Packed> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', into], { cwd: from, maxBuffer: 64 * 1024 * 1024 });
  const [packed] = Object.values(JSON.parse(stdout) as Packed[] | Record<string, Packed>);
  if (packed === undefined) throw new Error('npm pack packed nothing');
  return packed;
}

function consumerOf(directory: string, files: Packed['files']): Consumer {
  return {
    directory,
    files: files.map((file) => file.path),
    write(name, text) {
      const file = path.join(directory, name);
      writeFileSync(file, text);
      return file;
    },
    node: (file, args = [], env = {}) => ran(process.execPath, [file, ...args], { cwd: directory, env: { PATH: process.env['PATH'] ?? '', ...env } }),
    tsc: (args) => ran(process.execPath, scriptArgs(new URL('types-child.ts', import.meta.url), args), { cwd: directory, env: {} }),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

async function ran(command: string, args: readonly string[], options: { cwd: string; env: Record<string, string> }): Promise<Ran> {
  return run(command, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: { code?: number; stdout?: string; stderr?: string }) => ({ code: error.code ?? -1, out: error.stdout ?? '', err: error.stderr ?? '' }),
  );
}
