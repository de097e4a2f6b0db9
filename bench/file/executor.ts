import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { ConfigSchema } from '../../config/schema.ts';
import { bestLibrary, inlineEd25519 } from '../../src/adapters/crypto/inline.ts';
import { createConfinedFileSystem } from '../../src/adapters/linux/confined-fs/index.ts';
import { createInstanceRegistry } from '../../src/adapters/linux/instances.ts';
import { createFileJournal } from '../../src/adapters/sqlite/journal/journal.ts';
import type { TaskManifest } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import { sequential } from '../../src/core/lifecycle.ts';
import { createFileExecutor } from '../../src/executors/file/index.ts';
import { createResultSigner, generateKey, signingKey } from '../../src/lease/index.ts';

/** The file executor with its real journal and lock file, without a queue. */
export interface BenchExecutor {
  /** Runs a task to its durable end: execute, sign, conclude. Throws when it fails. */
  run(manifest: TaskManifest): Promise<void>;
  stop(): Promise<void>;
}

export async function startExecutor(home: string, base: string): Promise<BenchExecutor> {
  const data = path.join(home, 'data');
  mkdirSync(data, { mode: 0o700 });
  const { file } = ConfigSchema.parse({});
  const journal = createFileJournal({ file: path.join(data, 'journal.db') });
  const instances = createInstanceRegistry({ directory: path.join(data, 'workers') });
  const executor = createFileExecutor({
    bases: [{ id: 'main', path: base }],
    fileSystem: createConfinedFileSystem({ level: 'auto', allowedFilesystems: [...file.filesystems] }),
    journal,
    instances,
    limits: { maxRunMs: 300_000, maxBytes: file.max_bytes, hashMaxBytes: file.hash_max_bytes, vaultQuotaBytes: file.vault_quota_bytes },
    clock: systemClock,
  });
  const signer = createResultSigner(signingKey(generateKey({ use: 'result', capabilities: ['*'] })), inlineEd25519(await bestLibrary()));
  const parts = sequential([journal, instances, executor]);
  await parts.start();
  const signal = new AbortController().signal;

  return {
    async run(manifest) {
      const sha = manifestSha256(manifest);
      const task = { manifest, manifestSha256: sha, authority: { jti: manifest.task_id, exp: 4_000_000_000, kid: 'bench' }, epoch: 1 };
      const execution = await executor.execute(task, { signal, gate: () => undefined });
      if (execution.kind !== 'outcome' || execution.outcome.status !== 'SUCCESS') throw new Error(`the task failed: ${JSON.stringify(execution)}`);
      await executor.memory.conclude(task, 'SUCCESS', await signer.sign(manifest, sha, execution.outcome));
    },
    stop: () => parts.stop(),
  };
}
