import type { HttpBinding, McpBinding } from '../../contracts/index.ts';
import { providerOf } from '../../contracts/index.ts';
import type { Bindings, BoundTool } from '../../core/ports/index.ts';
import type { HttpToolDeps } from '../http-tool/index.ts';
import { refusal } from '../registries/registry-file.ts';
import { concurrencyOf, openTool, type ReadBinding, readBindings } from './read.ts';

/** The bindings of this host. */
export interface ToolBindings {
  /** Each binding as it was read, by its tool. */
  readonly read: ReadonlyMap<string, unknown>;
  /** For the plan worker and the kernel: how a tool is reached. */
  readonly bindings: Bindings;
  /** One queue each: `tool-<name>`. In code-unit order of their names. */
  readonly providers: readonly Provider[];
  /** The tools of a provider for `createToolExecutor`; connections and servers are made with the first call. */
  open(provider: string, deps: HttpToolDeps): OpenTools;
}

export interface Provider {
  readonly name: string;
  /** Calls at a time in one worker. */
  readonly concurrency: number;
  /** Its tools, in code-unit order. */
  readonly tools: readonly string[];
}

export interface OpenTools extends AsyncDisposable {
  /** By ref. */
  readonly tools: ReadonlyMap<string, BoundTool>;
  /** Ends connections and servers; calls that are on their way end as unclear. */
  close(): Promise<void>;
}

/**
 * Reads the bindings below `roots` (each `<root>/config/tool-bindings/<tool>.json`; a later root replaces).
 *
 * @throws WritError INVALID_CONFIG naming the file and, where one is at fault, the field
 */
export function readToolBindings(roots: readonly string[]): ToolBindings {
  const found = readBindings(roots);
  const outside = [...found.values()].flatMap(({ binding, file }) => (binding.adapter === 'writ' ? [] : [{ binding, file }]));

  return {
    read: new Map([...found].map(([ref, { binding }]) => [ref, binding])),
    bindings(ref) {
      const binding = found.get(ref)?.binding;
      if (binding === undefined) return undefined;
      return binding.adapter === 'writ' ? { adapter: 'writ' } : { adapter: binding.adapter, provider: providerOf(binding) };
    },
    providers: providersOf(outside),
    open: (provider, deps) =>
      openTools(
        outside.map(({ binding }) => binding).filter((binding) => providerOf(binding) === provider),
        deps,
      ),
  };
}

function providersOf(found: readonly (ReadBinding & { readonly binding: HttpBinding | McpBinding })[]): Provider[] {
  const providers = new Map<string, Provider & { readonly file: string }>();
  for (const { binding, file } of found) {
    const name = providerOf(binding);
    const concurrency = concurrencyOf(binding);
    const before = providers.get(name);
    if (before && before.concurrency !== concurrency) {
      throw refusal(file, `is ${concurrency}, but the provider ${name} has ${before.concurrency} in ${before.file}`, undefined, 'concurrency');
    }
    providers.set(name, { name, concurrency, tools: [...(before?.tools ?? []), binding.tool].sort(), file });
  }
  return [...providers.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, concurrency, tools }) => ({ name, concurrency, tools }));
}

function openTools(bindings: readonly (HttpBinding | McpBinding)[], deps: HttpToolDeps): OpenTools {
  const opened = bindings.map((binding) => ({ ref: binding.tool, ...openTool(binding, deps) }));
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((one) => one.close()));
  };
  return { tools: new Map(opened.map(({ ref, tool }) => [ref, tool])), close, [Symbol.asyncDispose]: close };
}
