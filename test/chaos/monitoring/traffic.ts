import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Installation } from './installation.ts';

/** Orders of a quiet day: each kind once, those of files good and bad. */
export interface Traffic {
  /** Resolves when all of them have ended, or rejects. */
  round(): Promise<void>;
  /** Queues so many copies that can be done, and waits for none. */
  copies(count: number): Promise<void>;
  /** Queues so many moves, each of a file of its own, and waits for none. */
  moves(count: number): Promise<void>;
  /** Names tasks and messages. */
  next(): string;
}

export function createTraffic({ base, client }: Installation): Traffic {
  let n = 0;
  const next = (): string => {
    n += 1;
    return `monitored-${n}`;
  };
  const file = (name: string): string => path.join(base, name);
  writeFileSync(file('source'), 'needle\n');
  const copy = (source: string) => {
    const id = next();
    return { task_id: id, capability_id: 'FILE_COPY' as const, inputs: { source_path: file(source), destination_path: file(id) }, constraints: {} };
  };
  return {
    next,
    async round() {
      const key = next();
      const wait = { sign: true, wait: 60 } as const;
      const search = { capability_id: 'SEARCH_FILES', inputs: { query: 'source', target_scope: 'main', max_results: 3 } } as const;
      const contents = { capability_id: 'CONTENT_SEARCH', inputs: { pattern: 'needle' } } as const;
      const ops = [{ op: 'message' as const, project: 'backend', key, subject: 'monitored', body_md: 'a needle' }];
      const ends = await Promise.all([
        client.tasks.submit(copy('source'), wait),
        client.tasks.submit(copy('nothing'), wait),
        client.tasks.submit({ task_id: next(), ...search, constraints: {} }, wait),
        client.tasks.submit({ task_id: next(), ...contents, constraints: {} }, wait),
      ]);
      if (ends.some(({ ended }) => !ended)) throw new Error('a task of the traffic has no end');
      await client.messages.ingest(ops, { wait: 60 });
      await client.messages.search({ text: 'needle' });
      await client.contentSearch({ pattern: 'needle' });
    },
    async moves(count) {
      const moves = Array.from({ length: count }, () => {
        const id = next();
        writeFileSync(file(`${id}-from`), id);
        const inputs = { source_path: file(`${id}-from`), destination_path: file(id) };
        return { task_id: id, capability_id: 'FILE_MOVE' as const, inputs, constraints: {} };
      });
      await Promise.all(moves.map((manifest) => client.tasks.submit(manifest, { sign: true })));
    },
    async copies(count) {
      await Promise.all(Array.from({ length: count }, () => client.tasks.submit(copy('source'), { sign: true })));
    },
  };
}
