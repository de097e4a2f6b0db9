import { z } from 'zod';
import * as contracts from '../src/contracts/index.ts';
import { sha256Hex } from '../src/core/hash.ts';
import { withDocument } from '../src/surfaces/http/openapi/document.ts';
import { ROUTES } from '../src/surfaces/http/routes/table.ts';
import { type ContractVersion, VERSIONS } from './contracts/versions.ts';
import type { GeneratedFile } from './generated.ts';
import { httpDocument } from './http-document.ts';

/** The contracts that others validate against, by file name. */
export const PUBLISHED = {
  'task-manifest': contracts.TaskManifest,
  'task-job': contracts.TaskJob,
  'execution-result': contracts.ExecutionResult,
  'lease-payload': contracts.LeasePayload,
  'revocation-payload': contracts.RevocationPayload,
  'token-header': contracts.TokenHeader,
  'search-files.inputs': contracts.SearchFilesInputs,
  'search-files.output': contracts.SearchFilesOutput,
  'search-emails.inputs': contracts.SearchEmailsInputs,
  'search-emails.output': contracts.SearchEmailsOutput,
  'search-datasets.inputs': contracts.SearchDatasetsInputs,
  'search-datasets.output': contracts.SearchDatasetsOutput,
  'content-search.request': contracts.ContentSearchRequest,
  'content-search.answer': contracts.ContentSearchAnswer,
  'message-search.query': contracts.SearchQuery,
  'message-search.response': contracts.SearchResponse,
  'search-messages.inputs': contracts.SearchMessagesInputs,
  'search-messages.output': contracts.SearchMessagesOutput,
  'search-messages-product.inputs': contracts.SearchMessagesProductInputs,
  'search-messages-product.output': contracts.SearchMessagesProductOutput,
  step: contracts.Step,
  memory: contracts.Memory,
  envelope: contracts.Envelope,
  'legacy-envelope': contracts.LegacyEnvelope,
  'execution-envelope': contracts.ExecutionEnvelope,
  'envelope-header': contracts.EnvelopeHeader,
  'tool-input': contracts.ToolInput,
  'tool-result': contracts.ToolResult,
  'tool-definition': contracts.ToolDefinition,
  capability: contracts.CapabilityDefinition,
  usecase: contracts.UsecaseDefinition,
  result: contracts.Result,
  'result-envelope': contracts.ResultEnvelope,
  'plan-job': contracts.PlanJob,
  'plan-result': contracts.PlanResult,
  'plan-lease-payload': contracts.PlanLeasePayload,
  'tool-call.inputs': contracts.ToolCallInputs,
  'tool-call.output': contracts.ToolCallOutput,
  'undo.param': contracts.UndoParam,
  'approval.inputs': contracts.ApprovalInputs,
  'tool-binding': contracts.ToolBinding,
} satisfies Record<string, z.ZodType>;

/** Each has a number. */
const NUMBERED: Readonly<Record<keyof typeof PUBLISHED, ContractVersion>> = VERSIONS;

/** The published contracts: JSON Schemas (draft 2020-12), the OpenAPI document, and the table of routes in the documentation. */
export function contractFiles(): GeneratedFile[] {
  const schemas = schemaFiles();
  return [
    ...schemas,
    versionsFile(schemas),
    { path: 'contracts/openapi.json', content: `${JSON.stringify(withDocument(ROUTES).document, null, 2)}\n` },
    httpDocument(),
  ];
}

function schemaFiles(): GeneratedFile[] {
  return Object.entries(PUBLISHED).map(([name, schema]) => ({
    path: `contracts/${name}.schema.json`,
    content: `${JSON.stringify({ $id: `urn:writ:${name}:${NUMBERED[name as keyof typeof PUBLISHED].version}`, title: name, ...z.toJSONSchema(schema) }, null, 2)}\n`,
  }));
}

/** Number, direction and hash of each contract, for those who keep copies (docs/contracts.md). */
function versionsFile(schemas: readonly GeneratedFile[]): GeneratedFile {
  const rows = Object.entries(VERSIONS).map(([name, version]) => {
    const content = schemas.find(({ path: file }) => file === `contracts/${name}.schema.json`)?.content ?? '';
    return [name, { ...version, sha256: sha256Hex(content) }] as const;
  });
  return { path: 'contracts/versions.json', content: `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n` };
}
