import { isThere } from '../src/adapters/files/is-there.ts';
import { holdPlace } from '../src/adapters/linux/hold-place.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { HeldPlace } from '../src/core/ports/index.ts';
import type { Finding } from '../src/observability/metrics-socket.ts';

/** What a role records in, compared with its path (`docs/protocol.md` 9). */
export interface HeldPlaces extends Lifecycle {
  /** The first place whose path leads to something else now, as a sentence. */
  exchanged(): string | undefined;
  findings(): readonly Finding[];
}

/**
 * Holds the data directory, and the journals in it, from `start` to `stop`. Started after the journals are open; what a role
 * does not use is not there and not held.
 *
 * @param paths absolute, by the names of `PLACE`
 */
export function holdPlaces(paths: Readonly<Record<string, string>>): HeldPlaces {
  const held = new Map<string, HeldPlace>();
  const findings = (): Finding[] =>
    [...held].map(([name, place]) => {
      const standing = place.standing();
      return { name, ok: standing.same, detail: standing.same ? 'stands at its path' : `was exchanged: ${standing.why}; put it back, or restart` };
    });
  return {
    exchanged() {
      // The path of a journal leads through the data directory's: one look tells of both.
      const asked = held.size > 1 ? [...held].filter(([name]) => name !== 'data-directory') : [...held];
      for (const [name, place] of asked) {
        const standing = place.standing();
        if (!standing.same) return `the ${name.replace('-', ' ')} of this process was exchanged (${standing.why})`;
      }
      return undefined;
    },
    findings,
    ...lifecycle(
      () => {
        for (const [name, path] of Object.entries(paths)) if (isThere(path)) held.set(name, holdPlace(path));
      },
      () => {
        for (const place of held.values()) place.close();
        held.clear();
      },
    ),
  };
}
