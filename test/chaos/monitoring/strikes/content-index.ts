import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createOtherClock } from '../../../support/other-clock.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { removeTree } from '../../../support/remove-tree.ts';
import type { Installation } from '../installation.ts';
import { restart, type Strike } from '../strike.ts';

/** Cuts every file of the index to its half. */
function damageIndex({ cache }: Installation): void {
  for (const entry of readdirSync(cache, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && /segment|\.seg/.test(entry.name)) truncateSync(file, 100);
  }
}

const manyFiles = (base: string): string[] => Array.from({ length: 7000 }, (_, n) => path.join(base, `many-${n}`));

/** Resolves when Prometheus has seen the index whole. */
async function whole({ prometheus }: Installation): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while ((await prometheus.query('writ_index_indexes{role="index", state="COMPLETE"} == 1')).length === 0) {
    if (performance.now() > end) throw new Error('the index does not become whole');
    await delay(500);
  }
}

/** Of the index of content searches. */
export const INDEX_STRIKES: readonly Strike[] = [
  {
    what: 'the index host is killed',
    alerts: ['WritIndexHostDown'],
    strike: async ({ roles }) => void (await roles['index-host'].end('SIGKILL')),
    mend: ({ roles }) => roles['index-host'].start(),
    endsAtOnce: true,
  },
  {
    what: 'the index host starts anew while its queue is paused, so that nothing compares the index with the tree',
    alerts: ['WritIndexUncertain'],
    async strike(hurt) {
      await hurt.cli(['queue', 'pause', 'index-maintenance']);
      await restart(hurt, 'index-host');
      return undefined;
    },
    mend: ({ cli }) => cli(['queue', 'resume', 'index-maintenance']),
    endsAtOnce: true,
  },
  {
    what: 'thousands of files appear while no index host takes its queue',
    alerts: ['WritIndexNotKeepingUp'],
    async strike(hurt) {
      const { base, cli } = hurt;
      await whole(hurt);
      await cli(['queue', 'pause', 'index-maintenance']);
      // In a directory that is known: a new one would be one entry.
      for (const file of manyFiles(base)) writeFileSync(file, 'x');
      return undefined;
    },
    async mend({ base, cli }) {
      for (const file of manyFiles(base)) rmSync(file);
      await cli(['queue', 'resume', 'index-maintenance']);
    },
    endsAtOnce: true,
  },
  {
    what: 'the files of the index are cut short, and again when it was built anew',
    alerts: ['WritIndexCorrupt'],
    async strike(hurt) {
      return async () => {
        damageIndex(hurt);
        await restart(hurt, 'index-host');
        await hurt.client.contentSearch({ pattern: 'needle' });
        await delay(3000);
      };
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
  {
    what: 'the tree has more files than its index may have, and its clock runs on for an hour',
    alerts: ['WritIndexBuildFailing', 'WritIndexNotComplete'],
    async strike(hurt) {
      const clock = createOtherClock(hurt.home);
      // Its steady clock, too: staleness is counted by that.
      const launcher = clock.launcher.filter((word) => !word.includes('MONOTONIC'));
      // Its host may still be writing there.
      removeTree(hurt.cache);
      await restart(hurt, 'index-host', { env: { WRIT_TOOLS__SEARCH__INDEX_BUILD_MAX_FILES: '1' }, launcher });
      await hurt.cli(['index', 'build']);
      await delay(3000);
      clock.move(3600);
      return undefined;
    },
    mend: (hurt) => restart(hurt, 'index-host'),
    endsAtOnce: false,
  },
];
