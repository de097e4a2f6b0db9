import { ConfigSchema } from '../../config/schema.ts';
import { bestLibrary, inlineEd25519 } from '../../src/adapters/crypto/inline.ts';
import { TaskJob } from '../../src/contracts/index.ts';
import { canonicalJson } from '../../src/core/canonical-json.ts';
import { systemClock } from '../../src/core/clock.ts';
import { manifestSha256, sha256Hex } from '../../src/core/hash.ts';
import { success } from '../../src/core/outcome.ts';
import { jwksFile, readPrivateKey } from '../../src/data-dir/key-files.ts';
import { authenticateLease, createKeyring, createResultSigner } from '../../src/lease/index.ts';
import { NOOP, type Site } from './site.ts';

const CALLS = 3_000;

/** Microseconds of each step of the pipeline that computes, one after the other in this process. */
export async function partsOfAJob(site: Site): Promise<Record<string, number>> {
  const jobs = await Promise.all(Array.from({ length: CALLS }, () => site.job()));
  const ed25519 = inlineEd25519(await bestLibrary());
  const keyring = createKeyring({ source: jwksFile(site.places.kernelKeyring), use: 'lease', clock: systemClock });
  const signer = createResultSigner(await readPrivateKey(site.places.executorKey), ed25519);
  const iss = ConfigSchema.parse({}).lease.issuer;
  const texts = jobs.map((job) => JSON.stringify(job));
  const outcome = success({ task_id: 'x', capability_id: NOOP, result_summary: {} });

  const steps: Record<string, (job: TaskJob, index: number) => unknown> = {
    json_parse: (_job, index) => JSON.parse(texts[index] ?? ''),
    shape: (job) => TaskJob.parse(job),
    canonical_and_hash: ({ manifest }) => sha256Hex(canonicalJson(manifest)),
    authenticate: ({ manifest, lease }) =>
      authenticateLease(lease, { manifest, manifestSha256: manifestSha256(manifest), aud: 'file', iss }, { keyring, ed25519 }),
    sign_result: ({ manifest }) => signer.sign(manifest, '0'.repeat(64), outcome),
  };
  const micros: Record<string, number> = {};
  for (const [name, step] of Object.entries(steps)) {
    for (const [index, job] of jobs.slice(0, CALLS / 3).entries()) await step(job, index);
    const start = performance.now();
    for (const [index, job] of jobs.entries()) await step(job, index);
    micros[`part_us.${name}`] = Math.round(((performance.now() - start) / CALLS) * 1e4) / 10;
  }
  return micros;
}
