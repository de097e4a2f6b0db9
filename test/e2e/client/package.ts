import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../config/package.ts';

const run = promisify(execFile);

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A project that has installed the packed tarball, and nothing else: none of its dependencies. */
export interface Consumer extends Disposable {
  readonly directory: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
  write(name: string, text: string): string;
  node(file: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  tsc(args: readonly string[]): Promise<Ran>;
}

/** Builds what is not fresh, packs it and unpacks it as npm would. */
export async function installPackage(): Promise<Consumer> {
  const root = packageRoot();
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-consumer-'));
  // One build at a time: other test files need one as well. It does nothing when dist is fresh.
  await run('flock', ['package.json', 'scripts/build'], { cwd: root });
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const answer = JSON.parse(stdout) as Packed[] | Record<string, Packed>;
  const [packed] = Object.values(answer);
  if (packed === undefined) throw new Error('npm pack packed nothing');
  const target = path.join(directory, 'node_modules/writ');
  mkdirSync(target, { recursive: true });
  await run('tar', ['-xzf', path.join(directory, packed.filename), '--strip-components=1', '-C', target]);
  writeFileSync(path.join(directory, 'package.json'), '{"type":"module"}');

  return {
    directory,
    files: packed.files.map((file) => file.path),
    write(name, text) {
      const file = path.join(directory, name);
      writeFileSync(file, text);
      return file;
    },
    node: (file, args = [], env = {}) => ran(process.execPath, [file, ...args], { cwd: directory, env: { PATH: process.env['PATH'] ?? '', ...env } }),
    tsc: (args) => ran(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), ...args], { cwd: directory, env: {} }),
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
