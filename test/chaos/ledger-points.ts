import type { Redis } from 'ioredis';
import type { ScriptName } from '../../src/adapters/redis/scripts.ts';
import type { Point } from './setup.ts';

type Script = (...args: unknown[]) => Promise<unknown>;

interface Around {
  readonly before: Point;
  readonly after: Point;
}

/** Which points lie before and after a script of the ledger, for each task that it is about. */
const AROUND: ReadonlyMap<string, Around> = new Map<ScriptName, Around>([
  ['writClaims', { before: 'fetched', after: 'claimed' }],
  ['writRecords', { before: 'closed', after: 'recorded' }],
]);

const ROW_KEY = /^\{wl-[0-9a-f]{2}\}:task:(.+)$/;

/**
 * Tells of the points around claim and record, where the product has no seam: every connection of this process that
 * learns these scripts calls `onPoint` before it sends one and when its reply arrives.
 */
export function ledgerPoints(prototype: Redis, onPoint: (point: Point, taskId: string) => void): void {
  const define = prototype.defineCommand;
  prototype.defineCommand = function defineCommand(this: Redis, name, definition) {
    define.call(this, name, definition);
    const around = AROUND.get(name);
    const script: unknown = Reflect.get(this, name);
    if (around === undefined || typeof script !== 'function') return;
    const observed: Script = async (...args) => {
      const taskIds = args.flatMap((arg) => ROW_KEY.exec(String(arg))?.[1] ?? []);
      for (const taskId of taskIds) onPoint(around.before, taskId);
      const reply: unknown = await Reflect.apply(script, this, args);
      for (const taskId of taskIds) onPoint(around.after, taskId);
      return reply;
    };
    Reflect.set(this, name, observed);
  };
}
