import { describe, expect, it } from 'vitest';
import { WritError } from '../../../../../src/core/errors.ts';
import type { Enqueue, KernelClient, TaskGateway } from '../../../../../src/core/ports/index.ts';
import { CHUNK, emptySummary, type PushPorts, type PushReport, pushAll } from '../../../../../src/surfaces/cli/push/push-all.ts';
import { createWorld } from '../world.ts';

const QUIET: PushReport = { receipt: async () => undefined, rejected: async () => undefined, outcome: async () => undefined, progress: () => undefined };
const line = (at: number): string => `${JSON.stringify({ task_id: `t${at}`, capability_id: 'FILE_COPY', inputs: {}, constraints: {} })}\n`;
const open = (): AbortSignal => new AbortController().signal;

/** A kernel that grants when it is let. */
function gatedKernel(): { kernel: Pick<KernelClient, 'issue'>; asked: () => number; let(): void } {
  const waiting: (() => void)[] = [];
  let asked = 0;
  return {
    asked: () => asked,
    let: () => waiting.shift()?.(),
    kernel: {
      async issue(manifests) {
        asked += 1;
        await new Promise<void>((resolve) => waiting.push(resolve));
        return manifests.map(() => ({ kind: 'granted', lease: 'a.b.c' }) as const);
      },
    },
  };
}

function accepting(pushed: string[][]): TaskGateway {
  const pushMany: Enqueue['pushMany'] = async (jobs) => {
    pushed.push(jobs.map(({ manifest }) => manifest.task_id));
    return jobs.map(({ manifest }) => ({ kind: 'accepted', taskId: manifest.task_id, queue: 'file', jobId: `t_${manifest.task_id}` }) as const);
  };
  return {
    enqueue: { pushMany } as Enqueue,
    ledger: {} as TaskGateway['ledger'],
    results: {} as TaskGateway['results'],
    signals: {} as TaskGateway['signals'],
    journal: undefined,
  };
}

async function* blocks(count: number, perBlock: number, taken: { blocks: number }): AsyncGenerator<Uint8Array> {
  for (let block = 0; block < count; block += 1) {
    taken.blocks = block + 1;
    yield Buffer.from(Array.from({ length: perBlock }, (_, at) => line(block * perBlock + at)).join(''));
  }
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

describe('a push of many tasks', () => {
  it('holds the reader back: four chunks are on their way, no more is read', async () => {
    const taken = { blocks: 0 };
    const gate = gatedKernel();
    const pushed: string[][] = [];
    const ports: PushPorts = { tasks: accepting(pushed), kernel: gate.kernel, follower: undefined };
    const running = pushAll(blocks(50, CHUNK, taken), ports, { terms: {}, push: {}, signal: open() }, QUIET);
    await turns(50);
    expect(gate.asked()).toBe(4);
    expect(taken.blocks).toBe(5);
    for (let chunk = 0; chunk < 50; chunk += 1) {
      gate.let();
      await turns(10);
    }
    expect(await running).toMatchObject({ accepted: 50 * CHUNK, rejected: 0, interrupted: false });
    expect(pushed.flat()).toEqual(Array.from({ length: 50 * CHUNK }, (_, at) => `t${at}`));
  });

  it('does not hold the lines of a slow writer back until a chunk is full', async () => {
    const pushed: string[][] = [];
    const seen: string[][] = [];
    async function* slow(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 3; at += 1) {
        yield Buffer.from(line(at));
        await turns(10);
        seen.push(pushed.flat());
      }
    }
    const kernel: Pick<KernelClient, 'issue'> = { issue: async (manifests) => manifests.map(() => ({ kind: 'granted', lease: 'a.b.c' }) as const) };
    await pushAll(slow(), { tasks: accepting(pushed), kernel, follower: undefined }, { terms: {}, push: {}, signal: open() }, QUIET);
    expect(seen).toEqual([['t0'], ['t0', 't1'], ['t0', 't1', 't2']]);
  });

  it('ends with the error of Redis after what was on its way, and says how far it got', async () => {
    const pushed: string[][] = [];
    const tasks = accepting(pushed);
    const { pushMany } = tasks.enqueue;
    tasks.enqueue.pushMany = async (jobs, options) => {
      if (pushed.length === 2) throw new WritError('REDIS_FULL', 'no memory left');
      return pushMany(jobs, options);
    };
    const kernel: Pick<KernelClient, 'issue'> = { issue: async (manifests) => manifests.map(() => ({ kind: 'granted', lease: 'a.b.c' }) as const) };
    const summary = emptySummary();
    const running = pushAll(blocks(20, CHUNK, { blocks: 0 }), { tasks, kernel, follower: undefined }, { terms: {}, push: {}, signal: open() }, QUIET, summary);
    await expect(running).rejects.toMatchObject({ code: 'REDIS_FULL' });
    expect(summary.accepted).toBe(2 * CHUNK);
  });

  it('stops at once when asked to, also while the writer is silent', async () => {
    const stop = new AbortController();
    const pushed: string[][] = [];
    async function* silent(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(line(0));
      setImmediate(() => stop.abort());
      await new Promise<never>(() => undefined);
    }
    const kernel: Pick<KernelClient, 'issue'> = { issue: async (manifests) => manifests.map(() => ({ kind: 'granted', lease: 'a.b.c' }) as const) };
    const summary = await pushAll(silent(), { tasks: accepting(pushed), kernel, follower: undefined }, { terms: {}, push: {}, signal: stop.signal }, QUIET);
    expect(summary).toMatchObject({ accepted: 1, interrupted: true });
  });

  it('counts an id that the kernel knows for another manifest as a conflict', async () => {
    const refused = { kind: 'refused', code: 'TASK_ID_CONFLICT', message: 'the task_id already belongs to another manifest', field: 'task_id' } as const;
    const kernel: Pick<KernelClient, 'issue'> = { issue: async (manifests) => manifests.map(() => refused) };
    const summary = await pushAll(
      blocks(1, 1, { blocks: 0 }),
      { tasks: accepting([]), kernel, follower: undefined },
      { terms: {}, push: {}, signal: open() },
      QUIET,
    );
    expect(summary).toMatchObject({ conflicts: 1, rejected: 0, accepted: 0 });
  });

  it('asks the kernel only for what has no lease, and keeps the others as they came', async () => {
    const world = await createWorld();
    const own = world.manifest('own');
    const input = `${JSON.stringify({ manifest: own, lease: await world.lease(own) })}\n${JSON.stringify(world.manifest('bare'))}\n${JSON.stringify(world.manifest('person', { constraints: { hrc_required: true } }))}\n`;
    const said = await world.cli(['push', '-', '--sign', '--json'], input);
    expect(said.code).toBe(1);
    expect(said.lines).toContainEqual(expect.objectContaining({ line: 3, task_id: 'person', code: 'HRC_REQUIRED', receipt: 'rejected' }));
    expect(said.lines.at(-1)).toMatchObject({ summary: { accepted: 2, rejected: 1 } });
  });
});
