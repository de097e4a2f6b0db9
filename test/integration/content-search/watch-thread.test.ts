import {
  closeSync,
  futimesSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { policyOf } from '../../../src/content-search/ngram-index/build/indexed-tree.ts';
import { createBarrierClient } from '../../../src/content-search/ngram-index/serving/barrier-client.ts';
import { createIndexWatch, type IndexWatchOptions } from '../../../src/content-search/ngram-index/serving/watch-worker.ts';
import type { BarrierClient, IndexWatch, WatchSignal } from '../../../src/core/ports/index.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { complete, indexedTree } from './watch-rig.ts';

interface Rig extends AsyncDisposable {
  readonly root: string;
  readonly directory: string;
  readonly watch: IndexWatch;
  readonly client: BarrierClient;
  next(kind: WatchSignal['kind']): Promise<WatchSignal>;
}

async function createRig(overrides: Partial<IndexWatchOptions> = {}, name = 'index'): Promise<Rig> {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'writ-watch-thread-')));
  const root = path.join(home, 'root');
  const directory = path.join(home, name);
  mkdirSync(root);
  mkdirSync(directory, { mode: 0o700, recursive: true });
  const watch = createIndexWatch({ indexed: indexedTree(root), directory, ...overrides });
  const signals: WatchSignal[] = [];
  const listeners = new Set<() => void>();
  watch.onSignal((signal) => {
    signals.push(signal);
    for (const listener of listeners) listener();
  });
  const client = createBarrierClient(directory, PATIENCE_MS);
  await watch.start();
  return {
    root,
    directory,
    watch,
    client,
    next: (kind) =>
      new Promise((resolve) => {
        const look = (): void => {
          const at = signals.findIndex((signal) => signal.kind === kind);
          if (at < 0) return;
          listeners.delete(look);
          resolve(signals.splice(at, 1)[0] as WatchSignal);
        };
        listeners.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      client.close();
      await watch.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function armed({ watch }: Rig): Promise<number> {
  const said = await watch.arm();
  if (!said.ok) throw new Error(said.refused);
  await watch.publish(complete({ coveredThrough: said.seq, lifts: { through: said.seq } }));
  return said.seq;
}

/** What the descriptors of this process stand for. */
function openPlaces(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

describe('the watch thread of an index', () => {
  it('allows nothing before it is armed and a pass has answered for the tree', async () => {
    await using rig = await createRig();
    expect(await rig.client.barrier()).toMatchObject({ veto: 'NOT_ARMED', state: 'ABSENT', snapshot: null, overlay: { files: [], subtrees: [] } });
    await rig.watch.publish(complete());
    expect(await rig.client.barrier()).toMatchObject({ veto: 'NOT_ARMED', state: 'COMPLETE' });
    await rig.watch.arm();
    expect(await rig.client.barrier()).toMatchObject({ veto: 'NOT_ARMED', state: 'COMPLETE' });
    await armed(rig);
    expect(await rig.client.barrier()).toMatchObject({ veto: null, snapshot: { generation: 1, deltas: [] }, guarantee: 'inotify' });
  });

  it('knows of a change in the next barrier, and forgets it only when a snapshot covers it', async () => {
    await using rig = await createRig({ lookEveryMs: 0 });
    writeFileSync(path.join(rig.root, 'a'), 'one');
    await armed(rig);
    writeFileSync(path.join(rig.root, 'a'), 'two');
    const first = await rig.client.barrier();
    expect(first?.overlay).toEqual({ files: ['a'], subtrees: [] });
    // The same object: who made something of it need not make it again.
    expect((await rig.client.barrier())?.overlay).toBe(first?.overlay);

    const { entries } = await rig.watch.pending(10);
    writeFileSync(path.join(rig.root, 'a'), 'three');
    await rig.watch.publish(complete({ covered: entries }));
    expect((await rig.client.barrier())?.overlay.files).toEqual(['a']);
    await rig.watch.publish(complete({ covered: (await rig.watch.pending(10)).entries }));
    expect((await rig.client.barrier())?.overlay.files).toEqual([]);
  });

  it('says that events were lost when the queue of the kernel was full', { tags: ['FR-LSI-TRK-08'] }, async () => {
    await using rig = await createRig({ lookEveryMs: 0 });
    const limit = Number.parseInt(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'latin1'), 10);
    const files = ['a', 'b'].map((name) => openSync(path.join(rig.root, name), 'w'));
    await armed(rig);
    // By turns, because equal events that follow each other are one.
    for (let count = 0; count <= limit; count += 1) futimesSync(files[count % 2] ?? 0, 1, 1);
    for (const file of files) closeSync(file);
    expect(await rig.client.barrier()).toMatchObject({ veto: 'OVERFLOW' });
    expect(await rig.next('veto')).toMatchObject({ veto: 'OVERFLOW' });

    // A pass alone is no answer: it has to begin after the watches were set anew.
    const { seq } = await rig.watch.pending(1);
    await rig.watch.publish(complete({ coveredThrough: seq, lifts: { through: seq } }));
    expect(await rig.client.barrier()).toMatchObject({ veto: 'OVERFLOW' });
    await armed(rig);
    expect(await rig.client.barrier()).toMatchObject({ veto: null });
  });

  it('tells, unasked, that there is something to do', { tags: ['FR-LSI-TRK-06'] }, async () => {
    await using rig = await createRig({ lookEveryMs: 1, debounceMs: 1 });
    await armed(rig);
    writeFileSync(path.join(rig.root, 'a'), 'x');
    expect(await rig.next('pending')).toMatchObject({ entries: 1 });
  });

  it('is for this user alone', async () => {
    await using rig = await createRig();
    expect(statSync(path.join(rig.directory, 'host.sock')).mode & 0o777).toBe(0o600);
    const open = path.join(rig.directory, 'open');
    mkdirSync(open, { mode: 0o755 });
    await expect(createIndexWatch({ indexed: indexedTree(rig.root), directory: open }).start()).rejects.toThrow('not for this user alone');
    expect(await createBarrierClient(open).barrier()).toBeUndefined();
  });

  it('has a socket also where the path of its directory is longer than a socket may have', async () => {
    await using rig = await createRig({}, 'x'.repeat(200));
    expect(await rig.client.barrier()).toMatchObject({ veto: 'NOT_ARMED' });
  });

  it('answers the status that it was told, and hands damage on, not more than once a second', async () => {
    await using rig = await createRig();
    rig.watch.setStatus('well');
    rig.client.reportCorrupt('block 7');
    rig.client.reportCorrupt('block 8');
    expect(await rig.client.status()).toBe('well');
    expect(await rig.next('corrupt')).toEqual({ kind: 'corrupt', message: 'block 7' });
  });

  it('says who it is and by which rules it looks', async () => {
    await using rig = await createRig();
    const { identity } = (await rig.client.barrier()) ?? {};
    expect(identity).toMatchObject({ uid: process.geteuid?.(), gid: process.getegid?.(), policy: policyOf(indexedTree(rig.root)) });
    expect(identity?.mountNamespace).toMatch(/^\d+$/);
  });

  it('is gone for a search when it has stopped, and there again when it was started again', async () => {
    const ours = (): readonly string[] => openPlaces().filter((place) => /inotify|mountinfo/.test(place));
    // Other tests of this process may have left some.
    const before = ours().length;
    await using rig = await createRig();
    await armed(rig);
    await rig.client.barrier();
    expect(ours().length).toBeGreaterThan(before);
    await rig.watch.stop();
    expect(await rig.client.barrier()).toBeUndefined();
    expect(ours().length).toBeLessThanOrEqual(before);
    expect(openPlaces()).not.toContain(rig.directory);
    await rig.watch.start();
    expect(await rig.client.barrier()).toMatchObject({ veto: 'NOT_ARMED' });
  });

  it('takes the place of a socket that a dead host has left', async () => {
    await using rig = await createRig();
    await rig.watch.stop();
    // A closed server removes the path that it was bound to, and only that.
    const dead = createServer();
    await new Promise<void>((resolve) => void dead.listen(path.join(rig.directory, 'other.sock'), resolve));
    renameSync(path.join(rig.directory, 'other.sock'), path.join(rig.directory, 'host.sock'));
    await new Promise<void>((resolve) => void dead.close(() => resolve()));
    expect(await rig.client.barrier()).toBeUndefined();
    await rig.watch.start();
    expect(await rig.client.barrier()).toMatchObject({ veto: 'NOT_ARMED' });
  });

  it('is told to be down when it dies, and refuses what it is asked from then on', async () => {
    await using rig = await createRig();
    // A number that has no canonical form: the thread cannot even name its policy.
    const watch = createIndexWatch({ indexed: indexedTree(rig.root, { ngramK: Number.NaN }), directory: rig.directory });
    const signals: WatchSignal[] = [];
    watch.onSignal((signal) => void signals.push(signal));
    await expect(watch.start()).rejects.toThrow('the watch thread ended');
    expect(signals).toEqual([{ kind: 'veto', veto: 'WATCHER_DOWN', seq: 0 }]);
    await expect(watch.arm()).rejects.toThrow('does not run');
    await watch.stop();
  });

  it('drops a connection that does not speak its language, and goes on', async () => {
    await using rig = await createRig();
    for (const line of ['hello\n', '{"id":-1,"barrier":null}\n', '{"corrupt":7}\n', 'x'.repeat(20_000)]) {
      await new Promise<void>((resolve) => {
        const socket = connect(path.join(rig.directory, 'host.sock'), () => socket.write(line));
        socket.on('error', () => undefined).on('close', () => resolve());
      });
    }
    expect(await rig.client.barrier()).toMatchObject({ veto: 'NOT_ARMED' });
  });
});

describe('a search that asks for a barrier', () => {
  it('gets no answer where there is no host', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-watch-none-'));
    expect(await createBarrierClient(directory).barrier()).toBeUndefined();
    expect(await createBarrierClient(path.join(directory, 'none')).status()).toBeUndefined();
    rmSync(directory, { recursive: true });
  });
});
