import { randomUUID } from 'node:crypto';
import { createLedgerRecovery } from '../../../processors/ledger-recovery.ts';
import { isThere } from '../../adapters/files/is-there.ts';
import { openTokenFile } from '../../adapters/files/token-file.ts';
import { createRedisRevocations } from '../../adapters/redis/revocations.ts';
import { openJournalReader } from '../../adapters/sqlite/journal/journal-reader.ts';
import { systemClock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import { jwksFile } from '../../data-dir/key-files.ts';
import { createKeyring, createRevocationMirror } from '../../lease/index.ts';
import { openLedger } from '../producer-side.ts';
import { openEd25519 } from '../signatures.ts';
import type { CliRedis, CliSettings } from './settings.ts';

/** What a worker does after Redis lost the ledger, asked for by a person. Answers the number of tasks written back. */
export async function rebuildLedger(settings: CliSettings, redis: CliRedis): Promise<number> {
  const { places, loaded } = settings;
  const ledger = openLedger(loaded.config, await redis.connection('producer'));
  const feed = createRedisRevocations(await redis.connection('producer'));
  const ed25519 = await openEd25519(loaded.config.crypto.implementation);
  const keyring = createKeyring({ source: jwksFile(places.kernelKeyring), use: 'lease', clock: systemClock });
  await using revocations = createRevocationMirror({ path: places.revocations, open: openTokenFile, keyring, ed25519 });
  await revocations.start();
  const journal = isThere(places.journal) ? openJournalReader(places.journal) : undefined;
  const failures: Error[] = [];
  try {
    await using recovery = createLedgerRecovery({
      ledger,
      memories: journal ? [{ successes: async (after, limit) => journal.successes(after, limit) }] : [],
      republishRevocations: () => revocations.catchUp(feed),
      newGeneration: randomUUID,
      clock: systemClock,
      onRestored: () => undefined,
      // A worker tries again; a person is told.
      onError(error) {
        failures.push(error instanceof Error ? error : new Error(messageOf(error)));
        void recovery.stop();
      },
    });
    await recovery.start();
    await recovery.recover();
    const restored = await recovery.restored();
    const [failure] = failures;
    if (failure !== undefined) throw failure;
    return restored;
  } finally {
    journal?.close();
  }
}
