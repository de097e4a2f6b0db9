import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TaskManifest } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { manifestSha256 } from '../../../core/hash.ts';
import type { PlanView, Receipt, SignatureReader } from '../../../core/ports/index.ts';
import type { KernelClient } from '../../../core/ports/kernel-client.ts';
import type { TaskGateway } from '../../../core/ports/task-gateway.ts';
import type { FinishedTask } from '../../shared/tasks/stored-outcome.ts';
import { unprovenTask } from '../../shared/tasks/task-id.ts';
import { waitForOutcome } from '../../shared/tasks/task-status.ts';
import type { BoardVisitor } from './board.ts';

/** What the tour works with: the same services that every surface has. */
export interface TourServices {
  readonly tasks: TaskGateway;
  readonly kernel: KernelClient;
  readonly signatures: SignatureReader;
  /** The scope that searches the workspace; undefined when the settings have none. */
  readonly searchScope: string | undefined;
  /** Whether the workspace is the first root of content searches. */
  readonly searchesContents: boolean;
  /** Links an envelope, has the kernel sign for it, pushes it, waits for its end, and checks the signature. */
  runPlan(envelope: object): Promise<PlanView>;
  /** Root of this package, whose files the tour plays with. */
  readonly packageRoot: string;
  /** Opens a session on Bull Board. */
  board(): Promise<BoardVisitor>;
}

/** Real files in a folder of their own, and the verbs that the steps are made of. */
export interface Scene {
  /** Absolute path in the tour's folder. */
  at(...parts: string[]): string;
  manifest(step: string, capability: string, inputs: TaskManifest['inputs']): TaskManifest;
  lease(manifest: TaskManifest, ttlS?: number): Promise<string>;
  push(manifest: TaskManifest, lease: string): Promise<Receipt>;
  /** Waits for the recorded outcome and checks its signature. */
  answer(manifest: TaskManifest): Promise<FinishedTask>;
  isThere(file: string): Promise<boolean>;
  same(one: string, other: string): Promise<boolean>;
}

const ANSWER_WITHIN_MS = 30_000;

/** The files of the tour; they come with the package, so that they are real and everywhere. */
const FILES = ['README.md', 'LICENSE', 'CHANGELOG.md', 'package.json'] as const;

/**
 * @param workspace a base directory of the file executor
 * @param run names this tour's folder and task ids, so that a tour can be given again
 */
export async function setScene(workspace: string, run: string, { tasks, kernel, signatures, packageRoot }: TourServices): Promise<Scene> {
  const folder = path.join(workspace, `tour-${run}`);
  await mkdir(folder);
  await mkdir(path.join(folder, 'archive'));
  for (const name of FILES) await copyFile(path.join(packageRoot, name), path.join(folder, name));
  await writeFile(path.join(folder, 'letter.txt'), 'Dear reader,\n\nthis file is about to travel.\n');

  return {
    at: (...parts) => path.join(folder, ...parts),
    manifest: (step, capability, inputs) => ({
      task_id: `tour-${run}-${step}`,
      capability_id: capability,
      inputs,
      constraints: capability === 'FILE_DELETE' ? { reversible: true } : {},
    }),
    async lease(manifest, ttlS) {
      const [grant] = await kernel.issue([manifest], ttlS === undefined ? {} : { ttlS });
      if (grant?.kind !== 'granted') throw new WritError('LEASE_REFUSED', grant?.message ?? 'the kernel did not answer');
      return grant.lease;
    },
    push: (manifest, lease) => tasks.enqueue.push({ v: 1, manifest, lease }),
    async answer(manifest) {
      const standing = await waitForOutcome(manifest.task_id, tasks, { timeoutMs: ANSWER_WITHIN_MS, signal: new AbortController().signal });
      if (standing.state === 'unproven') throw unprovenTask(manifest.task_id);
      if (standing.state !== 'finished') throw new WritError('TIMEOUT', `${manifest.task_id} is still ${standing.state}`);
      const about = { taskId: manifest.task_id, capabilityId: manifest.capability_id, manifestSha256: manifestSha256(manifest) };
      if (!(await signatures.verifyResult(standing.result, about)))
        throw new WritError('INVALID_RESULT', `the signature of ${manifest.task_id} does not verify`);
      return standing;
    },
    isThere: (file) =>
      stat(file).then(
        () => true,
        () => false,
      ),
    same: async (one, other) => (await readFile(one)).equals(await readFile(other)),
  };
}
