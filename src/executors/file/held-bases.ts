import type { Clock } from '../../core/clock.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { ConfinedFileSystem } from '../../core/ports/index.ts';
import { type OpenBase, type OpenBases, openBases, withBase } from './bases.ts';
import type { BaseChange, BaseOption } from './options.ts';
import { carriesMark } from './vault.ts';

/** Looks for each time that a directory must have stood at a path before it is taken up. */
const LOOKS = 5;

export interface HeldBasesOptions {
  readonly bases: readonly BaseOption[];
  readonly fileSystem: ConfinedFileSystem;
  readonly probeId: () => string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How long the same must stand at an exchanged path before it is taken up, milliseconds. */
  readonly settleMs: number;
  readonly onChange: (change: BaseChange) => void;
}

/** How a base directory stands now. */
export interface BaseState {
  readonly id: string;
  readonly path: string;
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * The base directories of one executor from its start to its stop (`docs/protocol.md` 9): opened once, compared with their
 * paths, and exchanged for what stands there once that has stood there long enough.
 */
export interface HeldBases extends Lifecycle {
  /** What is open now; stays open until the hold is closed. Throws WritError INTERNAL before `start`. */
  hold(): { readonly bases: OpenBases; close(): Promise<void> };
  /** Looks at every path at this moment. Empty before `start`. */
  states(): readonly BaseState[];
  /** One look of the watch; the timer does it, tests do. Never rejects. */
  look(): Promise<void>;
}

/** Since when what stands at the path of an exchanged base. */
interface Suspicion {
  readonly found: string;
  readonly since: number;
  /** Why it was not taken up at the last try. */
  refusal?: string;
}

export function createHeldBases({ bases, fileSystem, probeId, clock, settleMs, onChange }: HeldBasesOptions): HeldBases {
  let current: OpenBases | undefined;
  /** Runs by the bases that they hold, and what was replaced since but may be in their hands. */
  const holds = new Map<OpenBases, number>();
  const replaced = new Set<OpenBase>();
  const suspicions = new Map<string, Suspicion>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  function open(): OpenBases {
    if (current === undefined) throw new WritError('INTERNAL', 'the file executor is not running');
    return current;
  }

  async function closeReplaced(): Promise<void> {
    const free = [...replaced].filter((base) => ![...holds.keys()].some(({ all }) => all.includes(base)));
    for (const base of free) replaced.delete(base);
    await Promise.all(free.map((base) => base.close()));
  }

  async function lookAt(base: OpenBase): Promise<void> {
    const { id, path } = base;
    const standing = base.standing();
    const known = suspicions.get(id);
    if (standing.same) {
      if (suspicions.delete(id)) onChange({ base: id, path, what: 'returned', why: 'its path leads to it again' });
      return;
    }
    if (known?.found !== standing.found) {
      suspicions.set(id, { found: standing.found, since: clock.monotonic() });
      onChange({ base: id, path, what: 'exchanged', why: standing.why });
      return;
    }
    if (clock.monotonic() - known.since < settleMs) return;
    try {
      await takeUp(base, known.found);
      suspicions.delete(id);
      onChange({ base: id, path, what: 'taken-up', why: `it has stood there for ${settleMs} ms` });
    } catch (error) {
      known.refusal = messageOf(error);
    }
  }

  /** Throws WritError INVALID_CONFIG for what cannot be a base directory. */
  async function takeUp(old: OpenBase, found: string): Promise<void> {
    const opened = await fileSystem.openBase(old.id, old.path);
    try {
      const laidBare = opened.mount.id !== old.mount.id && !opened.mount.isTop && !(await carriesMark(opened));
      if (laidBare) throw new WritError('INVALID_CONFIG', 'its mount is gone, and what came to light was never a base directory; mount it again, or restart');
      const next = await withBase(open(), opened, probeId());
      const [again, itself] = [old.standing(), opened.standing()];
      if (again.same || again.found !== found || !itself.same) throw new WritError('INVALID_CONFIG', 'it was exchanged once more');
      current = next;
    } catch (error) {
      await opened.close();
      throw error;
    }
    replaced.add(old);
    await closeReplaced();
  }

  async function lookAtAll(): Promise<void> {
    for (const base of current?.all ?? []) await lookAt(base);
  }

  function look(): Promise<void> {
    looking ??= lookAtAll().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  return {
    hold() {
      const held = open();
      holds.set(held, (holds.get(held) ?? 0) + 1);
      let isHeld = true;
      return {
        bases: held,
        async close() {
          if (!isHeld) return;
          isHeld = false;
          const rest = (holds.get(held) ?? 1) - 1;
          if (rest > 0) holds.set(held, rest);
          else holds.delete(held);
          if (rest === 0 && replaced.size > 0) await closeReplaced();
        },
      };
    },
    states() {
      return (current?.all ?? []).map((base) => {
        const standing = base.standing();
        const refusal = suspicions.get(base.id)?.refusal;
        const detail = standing.same ? 'stands at its path' : `was exchanged: ${standing.why}${refusal === undefined ? '' : `; not taken up: ${refusal}`}`;
        return { id: base.id, path: base.path, ok: standing.same, detail };
      });
    },
    look,
    ...lifecycle(
      async () => {
        current = await openBases(bases, fileSystem, probeId());
        timer = setInterval(() => void look(), settleMs / LOOKS);
        timer.unref();
      },
      async () => {
        clearInterval(timer);
        await looking;
        const closing = [...(current?.all ?? []), ...replaced];
        current = undefined;
        replaced.clear();
        suspicions.clear();
        await Promise.all(closing.map((base) => base.close()));
      },
    ),
  };
}
