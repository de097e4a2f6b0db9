import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import { createThreadClient, type ThreadOptions } from './client.ts';

const RESTART_MS = 5_000;

export interface KeptThreadOptions extends Pick<ThreadOptions<never>, 'launch' | 'code' | 'died' | 'stopMs'> {
  /** `false`: the part starts and stops, and does nothing. */
  readonly isWanted: boolean;
  /** Told when the thread could not be started, or has died; it is started again after a pause. */
  readonly onError: (error: unknown) => void;
}

/** A thread that is asked nothing and works by itself: it runs from the start on, and is started again when it dies. */
export function createKeptThread<Ready>({ isWanted, onError, ...options }: KeptThreadOptions): Lifecycle {
  let isStopped = true;
  let again: NodeJS.Timeout | undefined;
  const thread = createThreadClient<Record<never, never>, never, Ready>({
    ...options,
    launchedBy: 'start',
    onDeath(error) {
      onError(error);
      again = setTimeout(() => void begin(), RESTART_MS);
    },
  });

  async function begin(): Promise<void> {
    if (isStopped) return;
    try {
      await thread.start();
    } catch (error) {
      onError(error);
    }
  }

  return lifecycle(
    async () => {
      isStopped = !isWanted;
      await begin();
    },
    async () => {
      isStopped = true;
      clearTimeout(again);
      await thread.stop();
    },
  );
}
