import { ROLES, Role } from '../../../contracts/index.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { McpServices } from '../../mcp/services.ts';
import { serveStdio } from '../../mcp/stdio.ts';
import { TOOLS } from '../../mcp/tools/table.ts';
import type { Call } from '../command.ts';
import type { CliServices } from '../services.ts';

export interface McpFlags {
  readonly roles: string;
}

/** How long a call may wait for an outcome: a client gives up after a minute or so unless told otherwise. */
const MAX_WAIT_S = 600;

/** `writ mcp`: serves one client over stdin and stdout until it goes away. Everything for people goes to stderr. */
export async function runMcp(call: Call, { roles }: McpFlags): Promise<number> {
  const services = await call.services();
  const caller = { name: services.who, roles: rolesOf(roles) };
  const report = (error: unknown, tool: string): void => call.output.note(`writ: ${tool} failed: ${messageOf(error)}`);
  await serveStdio(call.io, { tools: TOOLS, services: servicesOf(call, services), caller, report }, call.interrupted());
  return 0;
}

function rolesOf(list: string): ReadonlySet<Role> {
  const words = list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const strange = words.find((word) => !Role.safeParse(word).success);
  if (strange !== undefined || words.length === 0)
    throw new WritError('INVALID_ARGUMENT', `--roles wants some of ${ROLES.join(', ')}, separated by commas`, { field: '--roles' });
  return new Set(words.map((word) => Role.parse(word)));
}

function servicesOf({ version, clock }: Call, services: CliServices): McpServices {
  return {
    version,
    clock,
    maxWaitS: MAX_WAIT_S,
    regrantByDefault: services.regrantByDefault,
    tasks: services.tasks,
    plans: async () => ({ plans: await services.plans(), preview: await services.planPreview(), signatures: await services.planSignatures() }),
    contentSearch: services.serverSearch,
    contentIndex: services.contentIndex,
    messageSearch: services.messageSearch,
    kernel: services.kernel,
    signatures: services.signatures,
    audit: services.audit,
  };
}
