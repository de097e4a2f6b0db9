import { once } from 'node:events';
import { forkScript } from './compiled/script.ts';

/** A process that exchanges things under a base as fast as it can (see `attacker-child.ts`). */
export interface AttackerProcess extends Disposable {
  /** Whether it has exchanged things more than a thousand times. */
  readonly isAtIt: boolean;
  /** Ends it. @returns how often it has exchanged things */
  stop(): Promise<number>;
}

/** Starts the attacker and waits until it attacks. */
export async function startAttacker(base: string): Promise<AttackerProcess> {
  const child = forkScript(new URL('./attacker-child.ts', import.meta.url), [base]);
  let isAtIt = false;
  let swaps = 0;
  const begun = once(child, 'message');
  const ended = once(child, 'exit');
  child.on('message', (said: 'ready' | 'at it' | { readonly swaps: number }) => {
    if (said === 'at it') isAtIt = true;
    else if (said !== 'ready') swaps = said.swaps;
  });
  await begun;
  return {
    get isAtIt() {
      return isAtIt;
    },
    async stop() {
      child.send('stop');
      await ended;
      return swaps;
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}
