import { realpathSync } from 'node:fs';
import path from 'node:path';

/** Where a path leads, without links; of one that cannot be followed to its end, as far as it can, with the rest as it is written. */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const whole = path.resolve(file);
    const above = path.dirname(whole);
    return above === whole ? whole : path.join(realPath(above), path.basename(whole));
  }
}

/** Whether the path leads somewhere now. */
export function leadsSomewhere(file: string): boolean {
  try {
    realpathSync(file);
    return true;
  } catch {
    return false;
  }
}
