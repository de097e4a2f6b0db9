import { type HttpBinding, type McpBinding, PROVIDER_DEFAULTS, PROVIDER_PATTERN, providerOf, ToolBinding } from '../../contracts/index.ts';
import { isWritError } from '../../core/errors.ts';
import { createHttpTool } from '../http-tool/index.ts';
import { createMcpTool } from '../mcp/index.ts';
import { jsonFilesIn, readRegistryFile, refusal } from '../registries/registry-file.ts';
import { BINDINGS_FOLDER } from './folder.ts';

/** A binding that is sound, and the file that it came from. */
export interface ReadBinding {
  readonly binding: ToolBinding;
  readonly file: string;
}

/**
 * Reads `config/tool-bindings/<tool>.json` of several roots; a later root replaces bindings of the same tool. Templates,
 * hosts and secrets' names are judged here, so that a mistake shows at the start and not in the first call.
 *
 * @throws WritError INVALID_CONFIG naming the file and, where one is at fault, the field
 */
export function readBindings(roots: readonly string[]): ReadonlyMap<string, ReadBinding> {
  const found = new Map<string, ReadBinding>();
  for (const root of roots) {
    for (const file of jsonFilesIn(root, BINDINGS_FOLDER)) {
      const binding = shaped(readRegistryFile(root, file), file);
      if (file !== `${BINDINGS_FOLDER}/${binding.tool}.json`)
        throw refusal(file, `must be the name of the file, ${JSON.stringify(file.slice(BINDINGS_FOLDER.length + 1, -5))}`, undefined, 'tool');
      assertSound(binding, file);
      found.set(binding.tool, { binding, file });
    }
  }
  return found;
}

function shaped(value: unknown, file: string): ToolBinding {
  const read = ToolBinding.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []).map(String), ...unknown].join('.');
  throw refusal(file, unknown.length > 0 ? 'is not known here' : (issue?.message ?? 'is no binding'), undefined, field);
}

function assertSound(binding: ToolBinding, file: string): void {
  if (binding.adapter === 'writ') return;
  if (!PROVIDER_PATTERN.test(providerOf(binding))) throw refusal(file, 'is needed: the name of the tool is too long for a queue', undefined, 'provider');
  try {
    openTool(binding, { environment: () => undefined });
  } catch (error) {
    if (!isWritError(error)) throw error;
    throw refusal(file, error.message, undefined, error.field);
  }
}

/** Nothing is connected or started before the first call. */
export function openTool(binding: HttpBinding | McpBinding, deps: Parameters<typeof createHttpTool>[1]): ReturnType<typeof createHttpTool> {
  return binding.adapter === 'http' ? createHttpTool(binding, deps) : createMcpTool(binding, deps);
}

export function concurrencyOf(binding: HttpBinding | McpBinding): number {
  return binding.concurrency ?? PROVIDER_DEFAULTS[binding.adapter].concurrency;
}
