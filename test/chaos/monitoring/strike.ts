import type { Installation } from './installation.ts';
import type { Traffic } from './traffic.ts';

/** A real trouble, and the alerts that must stand while it lasts. */
export interface Strike {
  readonly what: string;
  readonly alerts: readonly string[];
  /** Hurts it; resolves at once. What is given back is done again and again until the alerts stand. */
  strike(hurt: Installation, traffic: Traffic): Promise<undefined | (() => Promise<unknown>)>;
  /** Takes the trouble away. */
  mend(hurt: Installation): Promise<unknown>;
  /** Whether the alert ends with its trouble; else with the window of its condition, which nobody waits for here. */
  readonly endsAtOnce: boolean;
}

/** Ends a role in order and starts it again, with other words before its command or in its environment. */
export async function restart(
  { roles }: Installation,
  name: keyof Installation['roles'],
  terms: Parameters<Installation['roles']['api']['start']>[0] = {},
): Promise<void> {
  await roles[name].end();
  await roles[name].start(terms);
}

/** A name in a directory, for what takes its room. */
export const FILLER = 'filler';
