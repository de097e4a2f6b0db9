import { describe, expect, it } from 'vitest';
import type { TaskJob } from '../../../../../src/contracts/index.ts';
import { WritError } from '../../../../../src/core/errors.ts';
import type { Enqueue, Receipt } from '../../../../../src/core/ports/index.ts';
import { pushStream } from '../../../../../src/surfaces/shared/tasks/push-stream.ts';

const line = (taskId: string): string =>
  `${JSON.stringify({ manifest: { task_id: taskId, capability_id: 'FILE_MOVE', inputs: {}, constraints: {} }, lease: 'l' })}\n`;

/** Queues in memory that count; `pushMany` refuses a chunk with a task called `huge`, as the real one does. */
function ports() {
  const chunks: number[] = [];
  const receipt = ({ manifest }: TaskJob): Receipt => ({ kind: 'accepted', taskId: manifest.task_id, queue: 'file', jobId: `t_${manifest.task_id}` });
  const tooLarge = (job: TaskJob): TaskJob => {
    if (job.manifest.task_id === 'huge') throw new WritError('INVALID_MANIFEST', 'the job is too large');
    return job;
  };
  const enqueue: Pick<Enqueue, 'push' | 'pushMany'> = {
    push: async (job) => receipt(tooLarge(job)),
    pushMany: async (jobs) => {
      jobs.forEach(tooLarge);
      chunks.push(jobs.length);
      return jobs.map(receipt);
    },
  };
  return {
    chunks,
    tasks: { enqueue: enqueue as Enqueue, ledger: { row: async () => undefined, refusal: async () => undefined, cancel: async () => 'requested' as const } },
  };
}

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Everything that could go on without the reader has gone on. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const OPTIONS = { push: {}, terms: {} };
const good = async () => undefined;

describe('a stream of tasks', () => {
  it('is pushed in chunks of 200 at most, and answered in its order', async () => {
    const { chunks, tasks } = ports();
    const answers: number[] = [];
    const text = Array.from({ length: 1000 }, (_, at) => line(`t${at}`)).join('');
    for await (const chunk of pushStream(pieces(text, 1_000_000), { tasks, refusal: good, kernel: undefined }, OPTIONS))
      answers.push(...chunk.map((answer) => answer.line));
    expect(answers).toEqual(Array.from({ length: 1000 }, (_, at) => at + 1));
    expect(Math.max(...chunks)).toBe(200);
  });

  it('has its missing leases signed in one request for each chunk, and tells the check which ones those are', async () => {
    const requests: number[] = [];
    const asked: [string, boolean][] = [];
    const kernel = {
      issue: async (manifests: readonly { task_id: string }[]) => {
        requests.push(manifests.length);
        return manifests.map(({ task_id }) => ({ kind: 'granted', lease: `signed ${task_id}` }) as const);
      },
    };
    const refusal = async ({ job, granted = false }: { job: TaskJob; granted?: boolean }) => void asked.push([job.lease ?? '', granted]);
    const bare = (taskId: string): string => line(taskId).replace(',"lease":"l"', '');
    const text = [...Array.from({ length: 250 }, (_, at) => bare(`t${at}`)), line('leased')].join('');
    const answers = [];
    for await (const chunk of pushStream(pieces(text, 1_000_000), { tasks: ports().tasks, refusal, kernel }, OPTIONS)) answers.push(...chunk);
    expect(answers).toHaveLength(251);
    expect(requests).toEqual([200, 50]);
    expect(asked).toEqual([...Array.from({ length: 250 }, (_, at) => [`signed t${at}`, true]), ['l', false]]);
  });

  it('is read a little ahead and no further while nobody takes the answers', async () => {
    let read = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read += 1;
        // More than is gathered into one piece.
        yield Buffer.from(line(`t${read}`).repeat(3000));
      }
    }
    const answers = pushStream(source(), { tasks: ports().tasks, refusal: good, kernel: undefined }, OPTIONS);
    await answers.next();
    await turns();
    expect(read).toBeLessThanOrEqual(2);
    await answers.next();
    await turns();
    expect(read).toBeLessThanOrEqual(3);
  });

  it('tells of a task that the queue refuses as it stands on its own line', async () => {
    const answers = [];
    for await (const chunk of pushStream(
      pieces(line('a') + line('huge') + line('b'), 10_000),
      { tasks: ports().tasks, refusal: good, kernel: undefined },
      OPTIONS,
    ))
      answers.push(...chunk);
    expect(answers).toMatchObject([
      { line: 1, receipt: { kind: 'accepted' } },
      { line: 2, code: 'INVALID_MANIFEST', task_id: 'huge' },
      { line: 3, receipt: { kind: 'accepted' } },
    ]);
  });

  it('ends with the error of the system after what was answered before', async () => {
    const { tasks } = ports();
    let calls = 0;
    const refusal = async () => {
      calls += 1;
      if (calls === 2) throw new WritError('REDIS_UNAVAILABLE', 'gone');
      return undefined;
    };
    let answered = (): void => undefined;
    const taken = new Promise<void>((resolve) => {
      answered = resolve;
    });
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(line('a'));
      await taken;
      yield Buffer.from(line('b'));
    }
    const answers = pushStream(source(), { tasks, refusal, kernel: undefined }, OPTIONS);
    expect((await answers.next()).value).toMatchObject([{ line: 1 }]);
    answered();
    await expect(answers.next()).rejects.toThrow('gone');
  });
});
