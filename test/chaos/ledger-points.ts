import type { Redis } from 'ioredis';
import type { Point } from './setup.ts';

type Script = (...args: unknown[]) => Promise<unknown>;

/** Which points lie before and after a script of the ledger. */
const AROUND: Readonly<Record<string, { readonly before: Point; readonly after?: Point }>> = {
  writClaim: { before: 'fetched', after: 'claimed' },
  writRecord: { before: 'closed', after: 'recorded' },
};

const ROW_KEY = /^\{wl-[0-9a-f]{2}\}:task:(.+)$/;

/**
 * Tells of the points around claim and record, where the product has no seam: every connection of this process that
 * learns these scripts calls `onPoint` before it sends one and when its reply arrives.
 */
export function ledgerPoints(prototype: Redis, onPoint: (point: Point, taskId: string) => void): void {
  const define = prototype.defineCommand;
  prototype.defineCommand = function defineCommand(this: Redis, name, definition) {
    define.call(this, name, definition);
    const around = AROUND[name];
    const script: unknown = Reflect.get(this, name);
    if (around === undefined || typeof script !== 'function') return;
    const observed: Script = async (...args) => {
      const taskId = ROW_KEY.exec(String(args[0]))?.[1] ?? '';
      onPoint(around.before, taskId);
      const reply: unknown = await Reflect.apply(script, this, args);
      if (around.after !== undefined) onPoint(around.after, taskId);
      return reply;
    };
    Reflect.set(this, name, observed);
  };
}
