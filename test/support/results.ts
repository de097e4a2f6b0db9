import { inlineEd25519 } from '../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../src/adapters/crypto/node-crypto.ts';
import type { Results } from '../../src/bin/results.ts';
import { ExecutionResult } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { ResultReader } from '../../src/core/ports/index.ts';
import { jwksFile } from '../../src/data-dir/key-files.ts';
import type { DataDirPaths } from '../../src/data-dir/paths.ts';
import { createKeyring, createPlanEndReader, createResultReader, fixedKeyring, type SigningKey } from '../../src/lease/index.ts';

/** Where no test looks at a result: nothing is genuine. */
export const noResults: ResultReader = { read: async () => undefined };

/** For tests about what is done with results: every result that can be parsed counts as signed, for the first hash. */
export const allResults: ResultReader = {
  async read(text, { manifestSha256s, capabilityId, likely }) {
    const outcome = ExecutionResult.safeParse(JSON.parse(text)).data;
    const named = outcome?.output?.['capability_id'];
    const known = capabilityId ?? likely ?? (typeof named === 'string' ? named : 'FILE_MOVE');
    return outcome && { outcome, manifestSha256: manifestSha256s[0] ?? '', capabilityId: known };
  },
};

/** As in production, with the public keys of a data directory. */
export function resultsOf({ executorKeyring }: Pick<DataDirPaths, 'executorKeyring'>): Results {
  const keyring = createKeyring({ source: jwksFile(executorKeyring), use: 'result', clock: systemClock });
  const verifier = { keyring, ed25519: inlineEd25519(nodeEd25519()) };
  return { ...createResultReader(verifier), ...createPlanEndReader(verifier) };
}

/** Results of one key. */
export function resultsBy(key: SigningKey): ResultReader {
  return createResultReader({ keyring: fixedKeyring([key]), ed25519: inlineEd25519(nodeEd25519()) });
}
