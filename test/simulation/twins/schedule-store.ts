import { WritError } from '../../../src/core/errors.ts';
import type { ScheduleStore } from '../../../src/core/ports/index.ts';
import type { StoreDeath } from '../scenario.ts';
import type { SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';

/** Writes of the store: each is one transaction, durable when it returns. */
const WRITES: ReadonlySet<string> = new Set(['put', 'remove', 'decide', 'update']);

/** The store as one process has it: nothing is written when that is dead, or the disk is full. */
export function storeFor(store: ScheduleStore, world: World, process: SimProcess, deaths: readonly StoreDeath[], counts: Map<string, number>): ScheduleStore {
  const dies = (of: string, when: StoreDeath['when']): void => {
    if (!deaths.some((death) => death.of === of && death.nth === counts.get(of) && death.when === when)) return;
    world.strike('kill-kernel', `${when} ${of} ${counts.get(of)}`);
    world.kill(process);
    throw new Error('the process is dead');
  };
  return new Proxy(store, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      if (typeof value !== 'function') return value;
      const name = String(key);
      return (...args: unknown[]) => {
        // What runs on in the same turn after its process has died.
        if (!process.alive) throw new Error('the process is dead');
        if (!WRITES.has(name)) return Reflect.apply(value, target, args) as unknown;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        dies(name, 'before');
        if (world.isDiskFull) throw new WritError('STORAGE_UNAVAILABLE', 'the kernel store cannot be written: database or disk is full');
        world.trace.say(world.now, process.name, `schedules.${name} ${String(Reflect.get(Object(args[0]), 'id') ?? args[0]).slice(0, 12)}`);
        const answer: unknown = Reflect.apply(value, target, args);
        dies(name, 'after');
        return answer;
      };
    },
  });
}
