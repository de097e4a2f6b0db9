import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are alive: how much garbage lies beside them depends on the machine and on the Node. */
export function liveBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The most that was alive while something was done, beyond what was before. */
export async function mostAlive<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly bytes: number }> {
  const before = liveBytes();
  let most = before;
  let next: NodeJS.Timeout | undefined;
  const look = (): void => {
    const began = performance.now();
    most = Math.max(most, liveBytes());
    // In a process with a large heap a look may take longer than what it looks at.
    next = setTimeout(look, Math.max(250, 4 * (performance.now() - began)));
  };
  look();
  try {
    const result = await work();
    return { result, bytes: most - before };
  } finally {
    clearTimeout(next);
  }
}
