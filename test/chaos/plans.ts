import { type FSWatcher, mkdirSync, readdirSync, renameSync, statSync, unlinkSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Deed, type Point, planName } from './setup.ts';

/** A plan that struck. */
export interface Strike {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface ArmedPlan {
  readonly struck: Promise<Strike>;
  /** Takes the plan back; false when it struck already. */
  disarm(): boolean;
}

/** The plans of one field: armed here, struck in the workers (`strike.ts`). */
export interface Plans {
  readonly armed: string;
  readonly fired: string;
  arm(taskId: string, point: Point, deeds: readonly Deed[]): ArmedPlan;
  close(): void;
}

/** Notifications can be dropped under load, so the directory is also looked at. */
const LOOK_MS = 200;

export function createPlans(directory: string): Plans {
  const [armed, fired, forge] = ['armed', 'fired', 'forge'].map((name) => path.join(directory, name)) as [string, string, string];
  for (const made of [armed, fired, forge]) mkdirSync(made, { recursive: true });
  const waiting = new Map<string, (strike: Strike) => void>();

  const see = (name: string): void => {
    const [task, point, pid] = name.split('@');
    const key = `${task}@${point}`;
    const settle = waiting.get(key);
    if (!settle || pid === undefined) return;
    waiting.delete(key);
    settle({ pid: Number(pid), at: statSync(path.join(fired, name)).ctimeMs });
  };
  const lookAround = (): void => {
    if (waiting.size > 0) for (const name of readdirSync(fired)) if (waiting.has(name.slice(0, name.lastIndexOf('@')))) see(name);
  };
  const watcher: FSWatcher = watch(fired, (_, name) => name !== null && see(name));
  const timer = setInterval(lookAround, LOOK_MS);

  return {
    armed,
    fired,
    arm(taskId, point, deeds) {
      const name = planName(taskId, point);
      const struck = new Promise<Strike>((settle) => waiting.set(name, settle));
      // Complete before it has its name.
      writeFileSync(path.join(forge, name), JSON.stringify(deeds));
      renameSync(path.join(forge, name), path.join(armed, name));
      return {
        struck,
        disarm() {
          try {
            unlinkSync(path.join(armed, name));
            waiting.delete(name);
            return true;
          } catch {
            return false;
          }
        },
      };
    },
    close() {
      clearInterval(timer);
      watcher.close();
    },
  };
}
