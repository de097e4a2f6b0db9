import { EventEmitter, once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer, Api, TaskBody } from '../../chaos/containers/api.ts';
import { type Counts, onceEach, startMoves } from '../../chaos/containers/counted-moves.ts';

const SUCCESS: Answer = { status: 200, body: { state: 'success' } };
const ENOUGH = 20;

type Move = () => void;

/** The counts of twenty tasks; `answer` says what a service does with the `at`th, whose effect is `move`. */
async function countsOf(answer: (move: Move, at: number) => Answer): Promise<Counts> {
  const volume = mkdtempSync(path.join(tmpdir(), 'writ-counted-'));
  onTestFinished(() => rmSync(volume, { recursive: true }));
  const asking = new EventEmitter();
  const enough = once(asking, 'enough');
  let asked = 0;
  const outside = (inside: string): string => path.join(volume, path.posix.relative('/srv/files', inside));
  const finish = async ({ inputs }: TaskBody): Promise<Answer> => {
    const { source_path: source, destination_path: destination } = inputs as { source_path: string; destination_path: string };
    const at = asked++;
    if (asked === ENOUGH) asking.emit('enough');
    await new Promise(setImmediate);
    return answer(() => renameSync(outside(source), outside(destination)), at);
  };
  const never = (): never => {
    throw new Error('moves are tasks');
  };
  const api: Api = { send: never, finish, finishPlan: never };
  const moves = startMoves(api, volume, 'stream', 3);
  await enough;
  return moves.finish();
}

describe('the counts of moves in containers', () => {
  it('are good when each move was done once', async () => {
    const counts = await countsOf((move) => {
      move();
      return SUCCESS;
    });
    expect(counts).toMatchObject({ mostAtOnce: 3, lost: 0, doubled: 0, wrong: 0 });
    expect(counts.tasks).toBeGreaterThanOrEqual(ENOUGH);
    expect(onceEach(counts)).toBe(true);
  });

  it('tell of a move that is done again after its answer', async () => {
    let first: Move | undefined;
    const counts = await countsOf((move, at) => {
      if (at === 0) first = move;
      move();
      // The first task has its answer, and what was put under its names since.
      if (at === ENOUGH - 1) first?.();
      return SUCCESS;
    });
    expect(counts).toMatchObject({ lost: 0, doubled: 1, wrong: 0 });
    expect(onceEach(counts)).toBe(false);
  });

  it('tell of a success without its effect', async () => {
    const counts = await countsOf((move, at) => {
      if (at !== 4) move();
      return SUCCESS;
    });
    expect(counts).toMatchObject({ lost: 0, wrong: 1 });
    expect(onceEach(counts)).toBe(false);
  });

  it('tell of a task that ends with another word than success', async () => {
    const counts = await countsOf((move, at) => {
      move();
      return at === 7 ? { status: 200, body: { state: 'failure' } } : SUCCESS;
    });
    expect(counts).toMatchObject({ lost: 1, doubled: 0, wrong: 0, said: ['{"state":"failure"}'] });
    expect(onceEach(counts)).toBe(false);
  });
});
