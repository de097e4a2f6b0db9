import { z } from 'zod';
import * as contracts from '../src/contracts/index.ts';
import type { GeneratedFile } from './generated.ts';

/** The contracts that others validate against, by file name. */
export const PUBLISHED = {
  'task-manifest': contracts.TaskManifest,
  'task-job': contracts.TaskJob,
  'execution-result': contracts.ExecutionResult,
  'lease-payload': contracts.LeasePayload,
  'revocation-payload': contracts.RevocationPayload,
  'token-header': contracts.TokenHeader,
} satisfies Record<string, z.ZodType>;

/** JSON Schemas (draft 2020-12) of the published contracts. */
export function contractFiles(): GeneratedFile[] {
  return Object.entries(PUBLISHED).map(([name, schema]) => ({
    path: `contracts/${name}.schema.json`,
    content: `${JSON.stringify({ $id: `urn:writ:${name}:1`, title: name, ...z.toJSONSchema(schema) }, null, 2)}\n`,
  }));
}
