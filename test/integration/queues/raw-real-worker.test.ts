import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

/** The raw producers of docs/producers.md against a real worker: a real lease, a real effect, a signed answer. */
let rig: Rig;
let connectionFile: string;
beforeAll(async () => {
  rig = await startRig();
  await rig.startWorker();
  const target = rig.redis.target();
  if (!('path' in target)) throw new Error('not a socket');
  connectionFile = path.join(rig.base, '..', 'connection.json');
  writeFileSync(connectionFile, JSON.stringify({ redis: { path: target.path, password: target.password }, keys: rig.places.executorKeyring }));
});
afterAll(() => rig.stop());

interface Pushed {
  readonly code: number;
  readonly text: string;
}

async function push([command = '', ...args]: readonly string[], manifest: TaskManifest, lease: string | undefined): Promise<Pushed> {
  const child = spawn(command, [...args, connectionFile], { cwd: packageRoot(), stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  child.stdin.end(JSON.stringify({ manifest, lease }));
  const [code] = (await once(child, 'close')) as [number];
  return { code, text };
}

const order = (name: string): { manifest: TaskManifest; destination: string } => {
  const source = path.join(rig.base, `${name}.txt`);
  writeFileSync(source, `content of ${name} ü`);
  return { manifest: manifestOf('FILE_COPY', source, `${source}.copy`), destination: `${source}.copy` };
};

describe.each([
  ['python', ['python3', 'examples/raw-producer.py']],
  ['javascript', [process.execPath, 'examples/raw-producer.mjs']],
] as const)('a raw producer in %s and a real worker', (language, command) => {
  it('pushes a leased task, gets the signed answer, and the same answer for the same task again', async () => {
    const { manifest, destination } = order(`once-${language}`);
    const lease = await rig.lease(manifest);
    const first = await push(command, manifest, lease);
    expect(first.code).toBe(0);
    expect(await rig.verify(manifest, first.text.trim())).toBe(true);
    expect(readFileSync(destination, 'utf8')).toBe(`content of once-${language} ü`);
    expect(await push(command, manifest, lease)).toEqual(first);
  });

  it('says how it is used with --help, and touches nothing', () => {
    const [program, ...given] = command;
    const help = spawnSync(program, [...given, '--help'], { cwd: packageRoot(), encoding: 'utf8' });
    expect([help.status, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain(`${given[0]} connection.json [job.json | -] [--no-wait]`);
  });

  it('has nothing done without a lease, and under the lease of another manifest', async () => {
    const { manifest, destination } = order(`refused-${language}`);
    for (const lease of ['', await rig.lease({ ...manifest, constraints: { scope: rig.base } })]) {
      const { code, text } = await push(command, manifest, lease);
      expect({ code, answer: JSON.parse(text) as unknown }).toMatchObject({ code: 1, answer: { status: 'FAILURE', error: { error_code: 'INVALID_LEASE' } } });
      expect(await rig.verify(manifest, text.trim())).toBe(true);
    }
    expect(existsSync(destination)).toBe(false);
  });
});
