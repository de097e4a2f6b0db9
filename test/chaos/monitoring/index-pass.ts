import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '../../support/patience.ts';
import type { Installation } from './installation.ts';

/** More than a pass deals with between two scrapes. */
const FILES = 20_000;
const LOOK_MS = 250;
const SHOWN = 'writ_index_phase_files{part="total"} > 0';

/**
 * Builds the index of many files, again and again, until Prometheus has met a pass on its way; `meanwhile` asks the panels
 * then. What a pass shows is gone with its end.
 */
export async function meetIndexPass({ base, cli, prometheus }: Installation, meanwhile: () => Promise<void>): Promise<void> {
  const directory = path.join(base, 'pass');
  mkdirSync(directory);
  for (let n = 0; n < FILES; n += 1) writeFileSync(path.join(directory, `file-${n}`), `needle ${n}\n`);
  const end = performance.now() + PATIENCE_MS;
  for (let met = false; !met && performance.now() < end; ) {
    let over = false;
    const pass = cli(['index', 'build', '--wait']).finally(() => {
      over = true;
    });
    while (!over && !met) {
      met = (await prometheus.query(SHOWN)).length > 0;
      if (met) await meanwhile();
      else await delay(LOOK_MS);
    }
    await pass;
  }
  rmSync(directory, { recursive: true });
  // Nothing of it is left to be kept up with.
  await cli(['index', 'build', '--wait']);
}
