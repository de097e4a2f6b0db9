import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TaskSubmission, WritClient } from '../../src/surfaces/client/index.ts';
import type { Kind } from './costs.ts';

/** The directories of a run: files to move and copy, and a tree to search. */
export interface Ground {
  readonly base: string;
  readonly tree: string;
}

export const SCOPE = 'tree';
const STEPS = 10;
const TREE_FILES = 1000;
const FOLDERS = 20;
const LINE = 'The quick brown fox jumps over the lazy dog and goes home before it rains.\n';
const LINES = 50;
const FOUND_EVERY = 100;

/** A batch of one kind, made before anybody pushes: its files lie there, its tasks have ids of their own. */
export interface Batch {
  /** Tasks, or steps of plans. */
  readonly count: number;
  readonly queues: readonly ('file' | 'search' | 'plan')[];
  push(client: WritClient): Promise<void>;
}

/** Tasks of one kind; of steps there are ten to a plan. */
export const BATCHES = {
  move: (ground, name, count) => {
    const [from, to] = filesIn(ground, name, count);
    return tasks(['file'], name, count, (at) => ['FILE_MOVE', { source_path: path.join(from, `${at}`), destination_path: path.join(to, `${at}`) }]);
  },
  search: (_, name, count) => tasks(['search'], name, count, () => ['SEARCH_FILES', { query: 'found', target_scope: SCOPE, max_results: 50 }]),
  content: (_, name, count) => tasks(['search'], name, count, () => ['CONTENT_SEARCH', { pattern: 'needle', max_results: 50 }]),
  step: (ground, name, count) => {
    const plans = Math.max(1, Math.round(count / STEPS));
    const [from, to] = filesIn(ground, name, plans * STEPS);
    return {
      count: plans * STEPS,
      queues: ['plan', 'file'],
      async push(client) {
        for (let plan = 0; plan < plans; plan += 1) await client.plans.submit(envelope(`${name}-${plan}`, plan * STEPS, from, to), { sign: true });
      },
    };
  },
} satisfies Record<Kind, (ground: Ground, name: string, count: number) => Batch>;

/** A thousand small files in twenty folders; one of a hundred is found by name and by what it says. */
export function layOutTree(tree: string): void {
  for (let at = 0; at < TREE_FILES; at += 1) {
    const folder = path.join(tree, `folder-${at % FOLDERS}`);
    if (at < FOLDERS) mkdirSync(folder, { recursive: true });
    const found = at % FOUND_EVERY === 0;
    writeFileSync(path.join(folder, `${found ? 'found' : 'other'}-${at}.txt`), `${LINE.repeat(LINES)}${found ? 'a needle\n' : ''}`);
  }
}

function filesIn({ base }: Ground, name: string, count: number): readonly [from: string, to: string] {
  const [from, to] = [path.join(base, name, 'from'), path.join(base, name, 'to')];
  for (const directory of [from, to]) mkdirSync(directory, { recursive: true });
  for (let at = 0; at < count; at += 1) writeFileSync(path.join(from, `${at}`), `file ${at}`);
  return [from, to];
}

function tasks(queues: Batch['queues'], name: string, count: number, wish: (at: number) => readonly [capability: string, inputs: object]): Batch {
  const submissions = Array.from({ length: count }, (_, at): TaskSubmission => {
    const [capability_id, inputs] = wish(at);
    return { manifest: { task_id: `${name}-${at}`, capability_id, inputs: { ...inputs }, constraints: {} } };
  });
  return {
    count,
    queues,
    async push(client) {
      const receipts = client.tasks.submitMany(submissions, { sign: true });
      for await (const receipt of receipts) if (receipt.receipt !== 'accepted') throw new Error(`a task was not accepted: ${JSON.stringify(receipt)}`);
    },
  };
}

function envelope(name: string, first: number, from: string, to: string) {
  return {
    header: { id: name, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'capacity', destination: 'executor', type: 'execution' },
    payload: {
      steps: Array.from({ length: STEPS }, (_, at) => ({
        ...{ type: 'tool', ref: 'writ.file', operation: 'FILE_COPY' },
        params: { source_path: path.join(from, `${first + at}`), destination_path: path.join(to, `${first + at}`) },
      })),
      memory: { session_id: name, state: {} },
      options: { maxSteps: 100 },
    },
  };
}
