import { WritError } from '../../core/errors.ts';
import type { RevocationFeed } from '../../core/ports/index.ts';
import type { MemoryChannels } from './signals.ts';

/** The twin of the published revocation log. */
export function createMemoryRevocations(channels: MemoryChannels): RevocationFeed & { lose(): void; save(): () => void } {
  const log: string[] = [];
  return {
    head: async () => log.length,
    read: async (from) => log.slice(Math.max(1, from) - 1),
    async publish(entries) {
      const first = entries[0]?.n ?? 1;
      if (first < 1 || entries.some(({ n }, index) => n !== first + index)) {
        throw new WritError('INVALID_ARGUMENT', 'revocations must be numbered consecutively from 1');
      }
      if (first > log.length + 1) throw new WritError('WRONG_STATE', `the published revocation log ends at ${log.length}, entry ${first} cannot follow`);
      const different = entries.find(({ n, token }) => n <= log.length && log[n - 1] !== token);
      if (different) throw new WritError('WRONG_STATE', `another revocation stands under number ${different.n}`);
      const added = entries.filter(({ n }) => n > log.length).map(({ token }) => token);
      log.push(...added);
      if (added.length > 0) channels.published(log.length);
    },
    lose() {
      log.length = 0;
    },
    save() {
      const saved = [...log];
      return () => void log.splice(0, log.length, ...saved);
    },
  };
}
