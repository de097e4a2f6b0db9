import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../../support/patience.ts';

/** What stack-child.ts prints. */
interface Seen {
  readonly document: { readonly code: number; readonly out: string; readonly err: string };
  readonly exits: Readonly<Record<string, number>>;
  readonly copy: string;
  readonly metricsWithoutKey: number;
  readonly insides: Readonly<Record<string, { readonly uid: number; readonly keys: readonly string[]; readonly write: string; readonly files: string }>>;
  readonly scraped: { readonly roles: readonly string[]; readonly done?: string; readonly targets: readonly unknown[] };
  readonly searched: Readonly<Record<string, boolean>>;
  readonly dashboards: { readonly asked: number; readonly refused: readonly string[] };
}

/**
 * The services of docker-compose.yml as processes: their own commands, environments, users, volumes, secrets and checks,
 * each in a root directory of its own, all in one network namespace whose names are the services'. Only Docker itself is
 * missing, Grafana, and the interval of the scrapes is a second.
 */
const home = mkdtempSync(path.join(tmpdir(), 'writ-compose-'));
const asRoot = process.getuid?.() === 0;
let seen: Seen;
let child: ChildProcessByStdio<null, Readable, Readable> | undefined;
beforeAll(async () => {
  seen = await runStack();
}, patient(300_000));
afterAll(async () => {
  if (child?.kill('SIGKILL')) await once(child, 'close');
  // The mounts were of a namespace that is gone. If they were not, this would remove what they show.
  if (!readFileSync('/proc/self/mountinfo', 'utf8').includes(home)) rmSync(home, { recursive: true, force: true });
});

async function runStack(): Promise<Seen> {
  const script = fileURLToPath(new URL('./stack-child.ts', import.meta.url));
  const node = [process.execPath, '--import', import.meta.resolve('tsx'), script, home];
  // It ends with this process, and its services with it.
  child = spawn('setpriv', ['--pdeathsig=KILL', 'unshare', asRoot ? '-mn' : '-Urmn', ...node], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`unshare ended with ${String(code)}; mounts and a network of its own are needed (sudo npm test): ${err}`);
  return JSON.parse(out) as Seen;
}

describe('docker-compose.yml, run as processes', () => {
  it('starts with the commands of docs/monitoring.md, as they stand there', () => {
    expect(seen.document).toMatchObject({ code: 0 });
  });

  it('does a task that is pushed through the published port', () => {
    expect(JSON.parse(seen.document.out.trim().split('\n').at(-1) ?? '')).toMatchObject({ state: 'success', result: { status: 'SUCCESS', error: null } });
    expect(seen.copy).toBe('hello\n');
  });

  it('searches contents over HTTP and from the queue, both with the index that a container of its own keeps', () => {
    expect(seen.searched).toEqual({ api: true, worker: true });
  });

  it('is scraped by its own Prometheus with the key of its own, and shows the figures of nobody without one', () => {
    expect(seen.scraped).toEqual({
      roles: ['api', 'index', 'kernel', 'worker'],
      done: '1',
      targets: [{ scrapeUrl: 'http://api:8377/metrics', health: 'up', lastError: '' }],
    });
    expect(seen.metricsWithoutKey).toBe(401);
  });

  it('answers every panel of the dashboards that Grafana is given', () => {
    expect(seen.dashboards).toEqual({ asked: expect.any(Number), refused: [] });
    expect(seen.dashboards.asked).toBeGreaterThan(0);
  });

  it('lets each role see its own private key alone and the doors of the kernel that it may use, and write to its volumes alone', () => {
    const uid = asRoot ? 10_001 : 0;
    expect(seen.insides).toEqual({
      kernel: { uid, keys: ['kernel'], doors: ['kernel/kernel.sock', 'derive/derive.sock'], write: 'EROFS', files: 'ENOENT' },
      worker: { uid, keys: ['executor'], doors: ['derive/derive.sock'], write: 'EROFS', files: 'done' },
      search: { uid, keys: ['executor'], doors: [], write: 'EROFS', files: 'EROFS' },
      'index-host': { uid, keys: [], doors: [], write: 'EROFS', files: 'EROFS' },
      api: { uid, keys: [], doors: ['kernel/kernel.sock', 'derive/derive.sock'], write: 'EROFS', files: 'EROFS' },
    });
  });

  it('ends every service in order when it is stopped', () => {
    expect(seen.exits).toEqual({ redis: 0, kernel: 0, worker: 0, search: 0, 'index-host': 0, api: 0, prometheus: 0 });
  });
});
