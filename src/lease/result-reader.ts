import { CAPABILITY_QUEUE, ExecutionResult, PLAN_CAPABILITY, TOOL_CALL } from '../contracts/index.ts';
import { sha256Hex } from '../core/hash.ts';
import { MAX_RESULT_BYTES } from '../core/ledger-life.ts';
import type { GenuineResult, PlanEndReader, ResultReader } from '../core/ports/index.ts';
import { isRefusal } from '../core/refusal.ts';
import { mayServe } from './keys.ts';
import { verifyPlanEnd } from './plan-end.ts';
import { verifyResult } from './result.ts';
import type { Checked, Verifier } from './token.ts';

/** Texts whose signature is remembered, by hash; about 200 bytes each. */
const REMEMBERED = 10_000;

/**
 * Reads results out of places that everybody may write to. A text is read when an executor that is trusted now has signed
 * it for this task under one of these manifest hashes; every other text is none. A FAILURE does not name its capability,
 * so the known ones are tried: the signature tells which it was. Never throws on hostile input.
 */
export function createResultReader(verifier: Verifier): ResultReader {
  const remembered = createSignatureMemory(verifier);
  return {
    async read(text, { taskId, manifestSha256s, capabilityId, likely, refusal = false }) {
      // Larger than any that the ledger keeps: not worth nine looks.
      if (Buffer.byteLength(text) > MAX_RESULT_BYTES) return undefined;
      for (const manifestSha256 of new Set(manifestSha256s)) {
        if (manifestSha256 === '') continue;
        for (const capability of capabilitiesOf(text, capabilityId, likely)) {
          const subject = { taskId, capabilityId: capability, manifestSha256 };
          const name = JSON.stringify([taskId, capability, manifestSha256]);
          if (await remembered(name, text, capability, () => verifyResult(text, subject, verifier)))
            return placed({ outcome: ExecutionResult.parse(JSON.parse(text)), manifestSha256, capabilityId: capability }, refusal);
        }
      }
      return undefined;
    },
  };
}

/** A refusal counts under the key of its job only, and nothing else does there. */
function placed(genuine: GenuineResult, refusal: boolean): GenuineResult | undefined {
  return isRefusal(genuine.outcome) === refusal ? genuine : undefined;
}

/** The same for the ends of plans. */
export function createPlanEndReader(verifier: Verifier): PlanEndReader {
  const remembered = createSignatureMemory(verifier);
  return { verifyEnd: (text, planSha256) => remembered(planSha256, text, PLAN_CAPABILITY, () => verifyPlanEnd(text, planSha256, verifier)) };
}

/** The capability that is known; else the likely one, the one that the output names, then all others. */
function capabilitiesOf(text: string, known: string | undefined, likely: string | undefined): ReadonlySet<string> {
  if (known !== undefined) return new Set([known]);
  const named = /"capability_id":"([A-Z0-9_]{1,64})"/.exec(text)?.[1];
  const first = [likely, named].filter((capability) => capability !== undefined);
  return new Set([...first, ...Object.keys(CAPABILITY_QUEUE), TOOL_CALL]);
}

type SignatureMemory = (name: string, text: string, capability: string, verify: () => Promise<Checked<{ readonly kid: string }>>) => Promise<boolean>;

/** Remembers which texts were signed, and by which key: one that has left the keyring since counts no longer. */
function createSignatureMemory({ keyring }: Verifier): SignatureMemory {
  const kids = new Map<string, string>();
  return async (name, text, capability, verify) => {
    const hash = sha256Hex(`${name}\n${text}`);
    const kid = kids.get(hash);
    const key = kid === undefined ? undefined : await keyring.find(kid);
    if (key !== undefined && mayServe(key, capability)) return true;
    kids.delete(hash);
    const checked = await verify();
    if (!checked.ok) return false;
    kids.set(hash, checked.kid);
    const [oldest] = kids.keys();
    if (kids.size > REMEMBERED && oldest !== undefined) kids.delete(oldest);
    return true;
  };
}
