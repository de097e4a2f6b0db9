import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SearchResponse } from '../../../src/contracts/index.ts';
import type { EngineTag, MessageEngine } from '../../../src/core/ports/message-engine.ts';
import type { MessageSearchEvent } from '../../../src/core/ports/message-search.ts';
import type { Tantivy } from '../../../src/messages/engines/tantivy/binding.ts';
import { createVectorMaker } from '../../../src/messages/engines/vectors/maker.ts';
import { createHashEmbedder } from '../../../src/messages/search/embed/hash.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { type MessageSearchOptions, patienceOf } from '../../../src/messages/serving/search-thread-keeper.ts';
import { engineAtWork } from '../../../src/messages/serving/search-thread-protocol.ts';
import { patient } from '../../support/patience.ts';
import { smallMailbox } from '../../support/small-search.ts';
import { describeTantivy, tantivyOver } from '../../support/tantivy.ts';

/** Others than the one that hangs must answer within it. */
const LIMIT_MS = patient(500);

let box: ReturnType<typeof smallMailbox>;
beforeAll(() => {
  box = smallMailbox();
});
afterAll(() => box.remove());

/** A file whose reader waits in the kernel, as for a server of files that is gone: no thread can be stopped there. */
function hangingFile(file: string): Disposable & { heal(): void } {
  const real = `${file}.real`;
  const pipe = `${file}.pipe`;
  execFileSync('mkfifo', [pipe]);
  renameSync(file, real);
  renameSync(pipe, file);
  let isHealed = false;
  const heal = (): void => {
    if (isHealed) return;
    isHealed = true;
    renameSync(file, pipe);
    renameSync(real, file);
    // Whoever reads it finds its end, and goes on before anything else happens here; nobody reads any more: ENXIO.
    try {
      for (;;) closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
    } catch {}
    rmSync(pipe);
  };
  return { heal, [Symbol.dispose]: heal };
}

function searching(options: Partial<MessageSearchOptions>) {
  const events: MessageSearchEvent[] = [];
  const search = createMessageSearch({ file: box.file, engineTimeoutMs: LIMIT_MS, onEvent: (event) => events.push(event), ...options });
  return { events, search };
}

/** Also those that have ended and wait for somebody to take their end. */
function childrenOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);
    } catch {
      // The thread has ended meanwhile; its children are another's now.
      return [];
    }
  });
}

describeTantivy('Tantivy whose index hangs', (tantivy: Tantivy) => {
  let rig: ReturnType<typeof tantivyOver>;
  beforeAll(() => {
    rig = tantivyOver(tantivy, box.file);
    rig.indexer.follow();
  });
  afterAll(() => rig.close());

  it('is given up with its thread, the next engine answers with the reason, and it is not asked for a while', {
    tags: ['MS-155', 'MS-156', 'MS-157', 'MS-159', 'MS-160'],
  }, async () => {
    using _ = hangingFile(path.join(rig.root, 'CURRENT'));
    const { search, events } = searching({ tantivy: rig.root, killSwitch: 'tantivy' });
    for (const query of [{ text: 'plan', explain: true }, { text: 'plan', mode: 'hybrid', explain: true } as const]) {
      const answer = await search.search(query, null);
      expect(SearchResponse.parse(answer)).toEqual(answer);
      expect(answer.results).toHaveLength(5);
      expect(answer.explain).toMatchObject({ engine: 'fts5', mode_downgraded: true });
      expect(answer.explain?.downgrade_reason).toContain(`tantivy: it took longer than ${LIMIT_MS} ms and is not asked for a while`);
      expect(answer.diagnostics).toMatchObject({ degraded: true, fallback_mode: 'engine_error' });
    }
    await search.stop();
    const given = events.filter((event) => event.event === 'search.engine.error' && event.message.includes('its thread is given up'));
    expect(given).toEqual([expect.objectContaining({ engine: 'tantivy' })]);
    expect(events).toContainEqual(expect.objectContaining({ event: 'search.mode.downgrade', actual: 'lexical' }));
  });

  it('is asked again when the while is over, and not while its thread still hangs', { tags: ['MS-157'] }, async () => {
    using hanging = hangingFile(path.join(rig.root, 'CURRENT'));
    const { search, events } = searching({ tantivy: rig.root, hungForMs: 0 });
    const asked = async () => (await search.search({ text: 'plan', explain: true }, null)).explain?.engine;
    for (let turn = 0; turn < 6; turn += 1) expect(await asked()).toBe('fts5');
    expect(events.filter((event) => event.event === 'search.engine.error' && event.message.includes('given up'))).toHaveLength(1);
    hanging.heal();
    while ((await asked()) !== 'tantivy');
    await search.stop();
  });

  it('gets more time each time: what is only slow comes to its end', { tags: ['MS-157'] }, async () => {
    const given: string[] = [];
    let hanging = hangingFile(path.join(rig.root, 'CURRENT'));
    const { search } = searching({
      tantivy: rig.root,
      hungForMs: 0,
      onEvent(event) {
        if (event.event !== 'search.engine.error' || !event.message.includes('given up')) return;
        given.push(event.message);
        hanging.heal();
        // While the listener is busy, the thread that is given up goes on: it is at another engine when the listener is done.
        for (let turn = 0; turn < 10; turn += 1) execFileSync('true');
      },
    });
    const asked = async () => (await search.search({ text: 'plan', explain: true }, null)).explain?.engine;
    for (let turn = 0; turn < 3; turn += 1) {
      const before = given.length;
      while (given.length === before) expect(await asked()).toBe('fts5');
      // Its thread has found the end of the pipe, and ends.
      while ((await asked()) !== 'tantivy');
      if (turn < 2) hanging = hangingFile(path.join(rig.root, 'CURRENT'));
    }
    await search.stop();
    expect(given).toEqual(given.map((_, index) => `it took longer than ${patienceOf(index, LIMIT_MS, 30_000)} ms: its thread is given up`));
  });

  it('never gets so much that no other engine could answer', () => {
    expect([0, 1, 2, 3, 100].map((times) => patienceOf(times, 5000, 30_000))).toEqual([5000, 10_000, 15_000, 15_000, 15_000]);
    expect(patienceOf(3, 250, 0)).toBe(250);
  });
});

describe('vectors whose file hangs', () => {
  it('leave every mode to the engine of words, with the reason', { tags: ['MS-013', 'MS-155', 'MS-157', 'MS-161'] }, async () => {
    const directory = `${box.file}.vectors`;
    const maker = createVectorMaker(directory, createHashEmbedder(), box.reader.database);
    for (let step = await maker.step(100); step.documents > 0 || step.finished; ) step = await maker.step(100);
    maker.close();
    const files = readdirSync(directory).filter((name) => name.endsWith('.amvi'));
    expect(files.length).toBeGreaterThan(0);
    const before = childrenOf(process.pid);
    const [first = ''] = files.filter((name) => name.includes('message'));
    using file = hangingFile(path.join(directory, first));
    const { search, events } = searching({ vectors: { directory, model: '', reranker: '' } });
    for (const mode of ['hybrid', 'semantic', 'hybrid_rerank'] as const) {
      const answer = await search.search({ text: 'plan', mode, explain: true }, null);
      expect(SearchResponse.parse(answer)).toEqual(answer);
      expect(answer.results).toHaveLength(5);
      expect(answer.explain).toMatchObject({ engine: 'fts5', requested_mode: mode, actual_mode: 'lexical', mode_downgraded: true });
      expect(answer.explain?.downgrade_reason).toContain(`it took longer than ${LIMIT_MS} ms and is not asked for a while`);
    }
    await search.stop();
    expect(events.filter((event) => event.event === 'search.engine.error' && event.message.includes('given up'))).toHaveLength(1);
    // Now the thread that was given up can end, and with it the process of words that it had: not even a zombie of it stays.
    file.heal();
    await vi.waitUntil(() => childrenOf(process.pid).every((pid) => before.includes(pid)), { timeout: patient(30_000), interval: 20 });
  });
});

describe('an engine at work', () => {
  const never = new Promise<never>(() => {});
  const throws = (): never => {
    throw new Error('broken');
  };
  const engine = (calls: Partial<MessageEngine>, tag: EngineTag = 'tantivy'): MessageEngine => ({
    name: tag === 'hybrid' ? 'semantic' : 'tantivy',
    tag,
    mode: 'lexical',
    find: throws,
    rows: throws,
    absent: throws,
    ...calls,
  });

  it.each(['tantivy', 'hybrid'] as const)('is known to whoever waits for %s, at each of its calls, until it has answered', async (tag) => {
    const here = engineAtWork();
    const there = engineAtWork(here.buffer);
    expect(here.now()).toEqual({ tag: 'fts5', step: 0 });
    const hanging = there.watched(engine({ find: () => never, rows: () => never }, tag));
    for (const call of [() => hanging.find({} as never), () => hanging.rows({} as never)]) {
      const { step } = here.now();
      void call();
      expect(here.now()).toEqual({ tag, step: step + 1 });
    }
    const other = engineAtWork();
    const seen: unknown[] = [];
    const looking = other.watched(engine({ absent: () => void seen.push(other.now().tag), find: () => throws() }, tag));
    expect(looking.absent?.(false)).toBeUndefined();
    await expect(looking.find({} as never)).rejects.toThrow('broken');
    expect([seen, other.now()]).toEqual([[tag], { tag: 'fts5', step: 4 }]);
  });

  it('that asks another one is at work again after it', async () => {
    const here = engineAtWork();
    const words = here.watched(engine({ find: async () => ({ ok: false, error: { kind: 'engine_error', message: 'none' } }) }));
    const seen: EngineTag[] = [];
    const both = here.watched(
      engine(
        {
          async find(ask) {
            seen.push(here.now().tag);
            const asked = words.find(ask);
            seen.push(here.now().tag);
            await asked;
            seen.push(here.now().tag);
            return asked;
          },
        },
        'hybrid',
      ),
    );
    await both.find({} as never);
    expect([...seen, here.now().tag]).toEqual(['hybrid', 'tantivy', 'hybrid', 'fts5']);
  });
});
