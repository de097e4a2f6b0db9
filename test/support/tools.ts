import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createToolJournal } from '../../src/adapters/sqlite/tool-journal/tool-journal.ts';
import { type TaskManifest, TOOL_CALL } from '../../src/contracts/index.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Execution, Outcome } from '../../src/core/outcome.ts';
import type { RunContext, Task } from '../../src/core/ports/index.ts';
import type { ToolExecutor } from '../../src/executors/tool/index.ts';

/** A tool journal in a directory of its own. */
export async function toolJournal(): Promise<ReturnType<typeof createToolJournal> & { directory: string; remove(): Promise<void> }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-tool-'));
  const journal = createToolJournal({ directory });
  await journal.start();
  return {
    ...journal,
    directory,
    async remove() {
      await journal.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

let counter = 0;

export interface CallOptions {
  readonly id?: string;
  readonly epoch?: number;
  readonly jti?: string;
  readonly constraints?: TaskManifest['constraints'];
}

export function callTask(tool: string, operation: string, params: JsonObject = {}, options: CallOptions = {}): Task {
  counter += 1;
  const manifest: TaskManifest = {
    task_id: options.id ?? `call-${process.pid}-${counter}`,
    capability_id: TOOL_CALL,
    inputs: { tool, operation, params },
    constraints: options.constraints ?? {},
  };
  return {
    manifest,
    manifestSha256: manifestSha256(manifest),
    authority: { jti: options.jti ?? 'lease-1', exp: 4_000_000_000, kid: 'kernel' },
    epoch: options.epoch ?? 1,
  };
}

export function context(options: { signal?: AbortSignal; gate?: RunContext['gate'] } = {}): RunContext {
  return { signal: options.signal ?? new AbortController().signal, gate: options.gate ?? ((): undefined => undefined) };
}

export type Delivered = Exclude<Execution, { kind: 'outcome' }> | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly replayed: boolean };

/** What the pipeline does around an executor, without queue and ledger; the stored text stands for the signed result. */
export async function deliver(executor: ToolExecutor, task: Task, run: RunContext = context()): Promise<Delivered> {
  const { memory } = executor;
  const recall = await memory.recall(task.manifest.task_id);
  if (recall.kind !== 'unknown' && recall.manifestSha256 !== task.manifestSha256) throw new Error('conflict');
  if (recall.kind === 'finished' || (recall.kind === 'doubtful' && recall.jti === task.authority.jti)) {
    return { kind: 'outcome', outcome: JSON.parse(recall.result) as Outcome, replayed: true };
  }
  const execution = recall.kind === 'open' ? await memory.recover(task, run, { mayRedo: true }) : await executor.execute(task, run);
  if (execution.kind !== 'outcome') return execution;
  await memory.conclude(task, execution.outcome.status, JSON.stringify(execution.outcome));
  return { ...execution, replayed: false };
}

/** The output, or `CODE: message`, or the kind of the execution. */
export async function answer(delivered: Promise<Delivered>): Promise<unknown> {
  const end = await delivered;
  if (end.kind !== 'outcome') return end.kind;
  return end.outcome.status === 'SUCCESS' ? end.outcome.output : `${end.outcome.error.error_code}: ${end.outcome.error.message}`;
}
