import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInstanceRegistry, type LinuxInstanceRegistry } from '../../../src/adapters/linux/instances.ts';
import { startTimeOf } from '../../../src/adapters/linux/proc.ts';
import type { ProcessIdentity } from '../../../src/core/ports/journal.ts';
import { NOBODY, needsRoot } from '../../support/nobody.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { type Holder, runAsNobody, startHolder, untilState } from './fixture.ts';

let root: string;
let directory: string;
let registry: LinuxInstanceRegistry;
let holders: Holder[];

beforeEach(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-instances-'));
  directory = path.join(root, 'workers');
  registry = createInstanceRegistry({ directory, timing: { waitMs: PATIENCE_MS, pollMs: 5 } });
  await registry.start();
  holders = [];
});
afterEach(async () => {
  for (const { child } of holders) child.kill('SIGKILL');
  await Promise.all(holders.map(({ ended }) => ended));
  await registry.stop();
  rmSync(root, { recursive: true, force: true });
});

async function holder(): Promise<Holder> {
  const started = await startHolder(directory);
  holders.push(started);
  return started;
}
const lockOf = (identity: ProcessIdentity): string => path.join(directory, `${identity.instance}.lock`);
const lives = (identity: ProcessIdentity): boolean => startTimeOf(identity.pid) === identity.startTime;
/** Short waits for the cases that end in false. */
const impatient = (): LinuxInstanceRegistry => createInstanceRegistry({ directory, timing: { waitMs: 150, pollMs: 5 } });

describe('the registry of worker processes', () => {
  it('names this process by a random instance, pid and start time, and shows it in its lock file', () => {
    const { self } = registry;
    expect(self).toMatchObject({ pid: process.pid, startTime: startTimeOf(process.pid) });
    expect(JSON.parse(readFileSync(lockOf(self), 'utf8'))).toEqual(self);
  });

  it('tells nobody its name while it holds no lock', async () => {
    const other = createInstanceRegistry({ directory });
    expect(() => other.self).toThrow(/holds no lock/);
    await other.stop();
    await other.start();
    const { self } = other;
    await other.start();
    expect(other.self).toEqual(self);
    await other.stop();
    await other.stop();
    expect(() => other.self).toThrow(/holds no lock/);
    expect(existsSync(lockOf(self))).toBe(false);
  });

  it('does not hand its lock to child processes, which would keep it after our death', async () => {
    const { identity } = await holder();
    const folder = `/proc/${identity.pid}/fd`;
    const open = readdirSync(folder).map((fd) => readlinkSync(path.join(folder, fd)));
    expect(open).toContain(lockOf(identity));
    expect(open).not.toContain(lockOf(registry.self));
  });
});

describe('making sure that a process is dead', () => {
  it('kills a living process that holds its lock', async () => {
    const { identity, ended } = await holder();
    expect(await registry.ensureDead(identity)).toBe(true);
    expect(await ended).toBe('SIGKILL');
  });

  it('kills a stopped process, so that it can never go on', async () => {
    const { identity, child, ended } = await holder();
    child.kill('SIGSTOP');
    await untilState(identity.pid, 'T');
    expect(await registry.ensureDead(identity)).toBe(true);
    expect(await ended).toBe('SIGKILL');
  });

  it('answers many callers at once with one kill', async () => {
    const { identity } = await holder();
    const answers = await Promise.all(Array.from({ length: 20 }, () => registry.ensureDead(identity)));
    expect(new Set(answers)).toEqual(new Set([true]));
    expect(await registry.ensureDead(identity)).toBe(true);
  });

  it('needs no kill when the process died by itself: death frees the lock', async () => {
    const { identity, child, ended } = await holder();
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(lockOf(identity))).toBe(true);
    expect(await registry.ensureDead(identity)).toBe(true);
  });

  it('does not kill a process that got the pid later', async () => {
    const { identity } = await holder();
    const earlier = { ...identity, startTime: String(BigInt(identity.startTime) - 1n) };
    expect(await impatient().ensureDead(earlier)).toBe(false);
    expect(lives(identity)).toBe(true);
  });

  it('is satisfied with a free lock although the pid belongs to a stranger now', async () => {
    const stranger = await holder();
    const dead = { instance: 'gone-1', pid: stranger.identity.pid, startTime: '1' };
    writeFileSync(lockOf(dead), '');
    expect(await registry.ensureDead(dead)).toBe(true);
    expect(lives(stranger.identity)).toBe(true);
  });

  it('never kills itself, under whatever instance name', async () => {
    const beside = createInstanceRegistry({ directory });
    await beside.start();
    expect(await registry.ensureDead(registry.self)).toBe(false);
    expect(await registry.ensureDead(beside.self)).toBe(false);
    await beside.stop();
  });

  it('waits for a lock that somebody else only looks at', async () => {
    const looker = await holder();
    const { child, identity, ended } = await holder();
    child.kill('SIGKILL');
    await ended;
    // The name of the dead process stands for a lock that a living one holds for a moment.
    unlinkSync(lockOf(identity));
    linkSync(lockOf(looker.identity), lockOf(identity));
    const answer = registry.ensureDead(identity);
    looker.child.kill('SIGKILL');
    expect(await answer).toBe(true);
  });

  it('does not believe in the death of a living process whose lock file was deleted, and leaves it alone', async () => {
    const { identity, child, ended } = await holder();
    unlinkSync(lockOf(identity));
    expect(await registry.ensureDead(identity)).toBe(false);
    expect(lives(identity)).toBe(true);
    child.kill('SIGKILL');
    await ended;
    expect(await registry.ensureDead(identity)).toBe(true);
  });

  it('knows that a process which stopped cleanly is dead', async () => {
    const { identity, child, ended } = await holder();
    child.stdin.end();
    expect(await ended).toBeNull();
    expect(existsSync(lockOf(identity))).toBe(false);
    expect(await registry.ensureDead(identity)).toBe(true);
  });

  it.each(['../escape', '', '.', 'a/b', 'x'.repeat(65)])('refuses the instance name %j', async (instance) => {
    expect(await registry.ensureDead({ instance, pid: 1, startTime: '1' })).toBe(false);
  });

  it('touches no process of another user', async () => {
    needsRoot();
    const { identity } = await holder();
    // What the unprivileged one may see: the directory and the lock file, not the process.
    chmodSync(root, 0o755);
    chmodSync(directory, 0o755);
    chmodSync(lockOf(identity), 0o644);
    const refused = await runAsNobody('./fencer.ts', [directory, JSON.stringify(identity)]);
    expect(refused.line).toBe('false');
    expect(lives(identity)).toBe(true);
    chmodSync(lockOf(identity), 0o600);
    const blind = await runAsNobody('./fencer.ts', [directory, JSON.stringify(identity)]);
    expect(blind.line).toBe('false');
    expect(lives(identity)).toBe(true);
    // The same process may be fenced off by its own user: the refusal above came from the kernel.
    expect(await registry.ensureDead(identity)).toBe(true);
  });

  it('works without privileges among processes of one user', async () => {
    needsRoot();
    const shared = path.join(root, 'shared');
    mkdirSync(shared);
    chownSync(shared, NOBODY, NOBODY);
    chmodSync(root, 0o755);
    const { child, line } = await runAsNobody('./holder.ts', [shared]);
    const fenced = await runAsNobody('./fencer.ts', [shared, line]);
    expect(fenced.line).toBe('true');
    child.kill('SIGKILL');
  });
});

describe('cleaning up lock files', () => {
  it('removes what nobody holds and no open intent names', async () => {
    const living = await holder();
    for (const name of ['dead-1.lock', 'dead-2.lock', 'named.lock', 'foreign.txt']) writeFileSync(path.join(directory, name), '');
    expect([...registry.removeStale(new Set(['named']))].sort()).toEqual(['dead-1', 'dead-2']);
    const left = [`${living.identity.instance}.lock`, `${registry.self.instance}.lock`, 'named.lock', 'foreign.txt'].sort();
    expect(readdirSync(directory).sort()).toEqual(left);
  });
});
