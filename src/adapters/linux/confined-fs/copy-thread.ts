import { threadSide } from '../../threads/serve.ts';
import { libc } from '../libc.ts';
import { copyBytes } from './copy-loop.ts';
import type { CopyCalls, CopyProgress } from './copy-messages.ts';

/** The thread of `copier.ts`: several copies may run in it, each hashing in turn. */
const { tell, serve } = threadSide<CopyCalls, CopyProgress>();

/** Copies under way, and whether each was told to stop. */
const running = new Map<number, { aborted: boolean }>();

serve(() => ({
  calls: {
    async copy(id, { source, target, ...how }) {
      const state = { aborted: false };
      running.set(id, state);
      const end = await copyBytes(libc(), source, target, { ...how, aborted: () => state.aborted, onBytes: (total) => tell({ id, total }) });
      running.delete(id);
      return end;
    },
    abort(id) {
      const state = running.get(id);
      if (state !== undefined) state.aborted = true;
    },
  },
  throwing: 'death',
}));
