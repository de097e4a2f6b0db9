import type { FreshnessGuarantee } from '../../../core/ports/index.ts';
import type { RetryPauses } from './retries.ts';

/** Work over the whole tree. A build is a pass, too. */
export type PassKind = 'build' | 'reconcile';

/** When passes begin: those that somebody needs, and never one right behind the other for ever (docs/index-safety.md 6). */
export interface Passes {
  /** Something asks for a pass: it is submitted now, or as soon as the pause is over. */
  need(kind: PassKind, reason: string): void;
  /** A pass has its turn. */
  enter(): void;
  /** It looks at the tree from here on: whatever was asked for before is what it does. A build does what a comparison would. */
  begin(kind: PassKind): void;
  /** It is over. @param isWell the index is whole again */
  leave(isWell: boolean): void;
  stop(): void;
}

export interface PassesOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly pauses: RetryPauses;
  readonly submit: (kind: PassKind, reason: string) => void;
  /** Milliseconds after which the tree is compared although nothing asks for it, by how the pass before went; `undefined`: never. */
  readonly routineMs: (tookMs: number, isWell: boolean) => number | undefined;
}

/**
 * Paces the passes of an index. One that left the index whole is followed by another after a pause as long as it took, so
 * that no storm of changes costs more than half of a processor; one in vain (nothing can be watched, something came in
 * between, a directory is closed) after a pause that doubles each time, up to `mostMs`. Pauses are cut at random by up to
 * a half, so that hosts that were stopped by the same thing do not come back together.
 */
export function createPasses({ now, random, pauses, submit, routineMs }: PassesOptions): Passes {
  const needs = new Map<PassKind, string>();
  let isRunning = false;
  let inVain = 0;
  let enteredMs = 0;
  let restMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let routine: NodeJS.Timeout | undefined;

  const flush = (): void => {
    const asked = [...needs];
    needs.clear();
    for (const [kind, reason] of asked) submit(kind, reason);
  };
  const plan = (): void => {
    clearTimeout(timer);
    if (isRunning || needs.size === 0) return;
    const waitMs = restMs - now();
    if (waitMs <= 0) flush();
    else timer = setTimeout(flush, waitMs).unref();
  };
  const need = (kind: PassKind, reason: string): void => {
    if (!needs.has(kind)) needs.set(kind, reason);
    plan();
  };

  return {
    need,
    enter() {
      isRunning = true;
      enteredMs = now();
      clearTimeout(timer);
      clearTimeout(routine);
    },
    begin(kind) {
      needs.delete('reconcile');
      if (kind === 'build') needs.delete('build');
    },
    leave(isWell) {
      isRunning = false;
      inVain = isWell ? 0 : inVain + 1;
      const tookMs = Math.max(0, now() - enteredMs);
      const pauseMs = isWell ? Math.min(tookMs, pauses.mostMs) : Math.min(pauses.mostMs, pauses.firstMs * 2 ** Math.min(inVain - 1, DOUBLINGS_MAX));
      restMs = now() + pauseMs * (1 - random() / 2);
      const idleMs = routineMs(tookMs, isWell);
      if (idleMs !== undefined) routine = setTimeout(() => need('reconcile', 'what no event tells of'), idleMs).unref();
      plan();
    },
    stop() {
      clearTimeout(timer);
      clearTimeout(routine);
      needs.clear();
    },
  };
}

/** An index without events gets older, and no event tells of some writes: this is how old it gets, or its knowledge of these. */
const ROUTINE_MS = 60_000;
/** Where events tell of nearly everything, the comparison takes no more than this part of the time. */
const ROUTINE_SHARE = 0.01;

/** Milliseconds after which a tree is compared although nothing asks for it (docs/index-watch.md 4). */
export function routineMs(guarantee: FreshnessGuarantee, tookMs: number, isWell: boolean): number | undefined {
  if (guarantee === 'stat') return ROUTINE_MS;
  return isWell ? Math.max(ROUTINE_MS, tookMs / ROUTINE_SHARE) : undefined;
}

/** More do not count: the longest pause is reached long before. */
const DOUBLINGS_MAX = 30;
