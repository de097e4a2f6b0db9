import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userSurroundings } from '../../../config/load.ts';
import { ConfigSchema } from '../../../config/schema.ts';
import * as library from '../../../src/content-search/index.ts';
import { createContentProcess } from '../../../src/content-search/process/client.ts';
import { contentProcessArgument, contentProcessEntry } from '../../../src/content-search/process/entry.ts';
import { createContentSearch } from '../../../src/content-search/search/search.ts';
import { contentSettings } from '../../../src/content-search/settings/content-settings.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import type { BackendKind, ContentSearch, SearchBackend } from '../../../src/core/ports/index.ts';
import { forkScript } from '../../support/compiled/script.ts';
import { answerTo, depsOf, eventsOf, realBackends, temporaryDirectory } from '../../support/content/rig.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
let folder: string;

beforeAll(async () => {
  backends = await realBackends();
  folder = temporaryDirectory('content-security');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a tree that changes while it is searched', () => {
  let root: string;
  let progress: string;
  let writer: ChildProcess;
  /** The version that the writer has begun last. */
  const begun = (): number => Number(readFileSync(progress, 'latin1'));

  beforeAll(async () => {
    root = path.join(folder, 'restless');
    progress = path.join(folder, 'progress');
    const outside = path.join(folder, 'outside');
    mkdirSync(root);
    mkdirSync(outside);
    for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(path.join(outside, name), 'needle SECRET\n'.repeat(100));
    writer = forkScript(new URL('../../support/content/restless-tree.ts', import.meta.url), [root, outside, progress]);
    await once(writer, 'message');
  });
  afterAll(async () => {
    writer.disconnect();
    await once(writer, 'exit');
  });

  it.each<BackendKind>(['ugrep', 'rg'])(
    'is answered by %s with lines of versions that lived meanwhile, each of its own file, and nothing from outside is among them',
    { tags: ['SEC-LSI-01', 'LSI-TM-01'] },
    async (binary) => {
      const tool = confined(root, binary);
      await tool.start();
      const [pid] = children(process.pid).filter((child) => readFileSync(`/proc/${child}/cmdline`, 'latin1').includes('content-process'));
      const held = (): readonly [number, number] => [children(Number(pid)).length, readdirSync(`/proc/${pid}/fd`).length];
      await tool.search({ pattern: 'needle' }, NEVER);
      const before = held();
      let events = 0;
      for (let turn = 0; turn < 10; turn += 1) {
        // All versions before this one are whole, so that of each directory one of the last four lives.
        const oldest = begun() - 4;
        const outcome = await tool.search({ pattern: 'needle', max_results: 5_000, follow: turn % 2 === 1 }, NEVER);
        const newest = begun();
        if (!outcome.ok) throw new Error(outcome.error.message);
        for (const { data } of outcome.answer.matches) {
          const [, version, name] = /^v(\d+) (\S+) needle/.exec(data.lines.text) ?? [];
          expect(data.path.text).toBe(`d${Number(version) % 4}/${name}`);
          expect(Number(version)).toBeGreaterThanOrEqual(oldest);
          expect(Number(version)).toBeLessThanOrEqual(newest);
        }
        events += outcome.answer.count;
      }
      expect(events).toBeGreaterThan(0);
      expect(held()).toEqual(before);
      await tool.stop();
    },
  );
});

const NEVER = new AbortController().signal;

/** The tool as servers run it: in a process that the kernel keeps within the root. */
function confined(root: string, binary: BackendKind): ContentSearch & Lifecycle {
  const config = ConfigSchema.parse({ tools: { search: { enabled: true, binary, fallback_binary: binary }, sandbox: { allowed_roots: [root] } } });
  const settings = contentSettings(config, userSurroundings());
  const options = { entry: contentProcessEntry(), args: [contentProcessArgument({ settings, landlock: 0 })], defaultTimeoutMs: 20_000 };
  return createContentProcess({ ...options, onReady: () => undefined, onLoss: () => undefined });
}

function children(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    .split(' ')
    .filter((child) => child !== '');
}

describe('read gating', () => {
  it('has nothing in the library that says that a file was read, and nothing that a search leaves behind', {
    tags: ['SEC-LSI-CACHE-01.1', 'SEC-LSI-CACHE-02', 'T-LSI-SEC-02', 'LSI-GEN-03'],
  }, async () => {
    // Nothing that it offers, and nothing that its tool offers, is about what was read.
    expect(Object.keys(library).filter((name) => /seen|wasRead|history|remember|visited/i.test(name))).toEqual([]);
    expect(Object.keys(createContentSearch(depsOf({ root: folder, backend: backends.rg })))).toEqual(['search']);
    const root = path.join(folder, 'still');
    mkdirSync(root);
    writeFileSync(path.join(root, 'a.txt'), 'needle\n');
    utimesSync(path.join(root, 'a.txt'), 1, 1);
    const before = statSync(path.join(root, 'a.txt'));
    const answer = await answerTo({ root, backend: backends.rg, emitStats: true }, { pattern: 'needle' });
    expect(eventsOf(answer)).toEqual(['a.txt:1:needle']);
    const after = statSync(path.join(root, 'a.txt'));
    expect([after.mtimeMs, after.ctimeMs, after.size, after.ino]).toEqual([before.mtimeMs, before.ctimeMs, before.size, before.ino]);
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  it('leaves it to the host to say what was read: an answer carries lines, and no hash, fingerprint or version of a file', {
    tags: ['SEC-LSI-CACHE-01.2'],
  }, async () => {
    const root = path.join(folder, 'gated');
    mkdirSync(root);
    writeFileSync(path.join(root, 'a.txt'), 'needle\nsecond\n');
    // A host as the specification has it: only its own read opens the way to an edit.
    const read = new Set<string>();
    const host = {
      read: (name: string) => {
        read.add(name);
        return readFileSync(path.join(root, name), 'utf8');
      },
      mayEdit: (name: string) => read.has(name),
    };
    const { matches } = await answerTo({ root, backend: backends.rg, emitStats: true }, { pattern: 'needle' });
    expect(matches.map((event) => [Object.keys(event), Object.keys(event.data)])).toEqual([
      [
        ['type', 'data'],
        ['path', 'line_number', 'lines'],
      ],
    ]);
    expect(host.mayEdit('a.txt')).toBe(false);
    host.read('a.txt');
    expect(host.mayEdit('a.txt')).toBe(true);
  });
});
