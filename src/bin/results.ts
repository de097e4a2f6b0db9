import { systemClock } from '../core/clock.ts';
import type { Ed25519, PlanEndReader, ResultReader } from '../core/ports/index.ts';
import { jwksFile } from '../data-dir/key-files.ts';
import type { DataDirPaths } from '../data-dir/paths.ts';
import { createKeyring, createPlanEndReader, createResultReader } from '../lease/index.ts';

export type Results = ResultReader & PlanEndReader;

/**
 * Tells what executors have signed from what others have written into Redis, with the public keys of a data directory.
 * The cryptography is opened when the first text is read: most commands read none.
 */
export function openResults(places: Pick<DataDirPaths, 'executorKeyring'>, openEd25519: () => Promise<Ed25519>): Results {
  let opened: Promise<Results> | undefined;
  const readers = (): Promise<Results> => {
    opened ??= open(places, openEd25519);
    return opened;
  };
  return {
    read: async (text, claim) => (await readers()).read(text, claim),
    verifyEnd: async (text, planSha256) => (await readers()).verifyEnd(text, planSha256),
  };
}

async function open({ executorKeyring }: Pick<DataDirPaths, 'executorKeyring'>, openEd25519: () => Promise<Ed25519>): Promise<Results> {
  const keyring = createKeyring({ source: jwksFile(executorKeyring), use: 'result', clock: systemClock });
  const verifier = { keyring, ed25519: await openEd25519() };
  return { ...createResultReader(verifier), ...createPlanEndReader(verifier) };
}
