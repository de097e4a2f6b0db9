import { setPriority } from 'node:os';

/** What the specification proposes for work in the background. */
const NICE = 10;

/** FR-LSI-BG-30. On Linux a nice value is one of a thread, and 0 is the one that asks; elsewhere it would be that of the process. */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICE);
  } catch {
    // A host that does not let a thread be nice has the throttle left.
  }
}
