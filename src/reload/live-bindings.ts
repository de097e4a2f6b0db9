import { readToolBindings, type ToolBindings } from '../adapters/tool-bindings/index.ts';
import type { Fingerprint } from '../core/fingerprint.ts';
import type { Bindings } from '../core/ports/index.ts';
import { fileChanges, hashesOf } from './file-changes.ts';
import type { LiveSettings, Prepared } from './live-settings.ts';

/** Makes what calls tools ready for the next bindings; `touched` are the providers of which a binding differs. */
export type BindingsPart = (next: ToolBindings, touched: ReadonlySet<string>) => Promise<Prepared | undefined>;

/** Bindings that a role asks for each time. */
export interface LiveBindings {
  readonly bindings: Bindings;
  readonly current: ToolBindings;
  /** Adds a part that must be made ready before the bindings are exchanged. */
  follow(part: BindingsPart): void;
}

/** What a role says of its bindings beside its settings. */
export const BINDINGS = 'tool bindings';

/** A hash of all bindings below `roots`, for `writ doctor`. Throws WritError INVALID_CONFIG. */
export function bindingsMark(roots: readonly string[]): string {
  return hashesOf(readToolBindings(roots).read).mark;
}

/**
 * Reads the bindings, and again with each reload (`docs/operations.md`, Registries and bindings).
 *
 * @param settings absent: they stay as they are
 * @throws WritError INVALID_CONFIG naming the file; later it is the reload that is refused
 */
export function followBindings(roots: readonly string[], settings: LiveSettings<unknown> | undefined): LiveBindings {
  const parts: BindingsPart[] = [];
  let current = readToolBindings(roots);
  const mark = (): Fingerprint => ({ [BINDINGS]: hashesOf(current.read).mark });
  settings?.follow(async () => {
    const next = readToolBindings(roots);
    const changed = fileChanges(hashesOf(current.read).hashes, hashesOf(next.read).hashes, (ref) => `config/tool-bindings/${ref}.json`);
    if (changed.length === 0) return undefined;
    const restart = queuesThatDiffer(current, next);
    if (restart.length > 0) return { commit: noop, abandon: async () => undefined, restart };
    const touched = new Set(changed.flatMap(({ name }) => [providerIn(current, name), providerIn(next, name)].filter((one) => one !== undefined)));
    const prepared: Prepared[] = [];
    const abandon = async (): Promise<void> => void (await Promise.allSettled(prepared.map((one) => one.abandon())));
    try {
      for (const part of parts) prepared.push(...[await part(next, touched)].filter((one) => one !== undefined));
    } catch (error) {
      await abandon();
      throw error;
    }
    const commit = (): void => {
      current = next;
      for (const one of prepared) one.commit();
    };
    return { commit, abandon, changed };
  }, mark);
  return {
    bindings: (ref) => current.bindings(ref),
    get current() {
      return current;
    },
    follow: (part) => void parts.push(part),
  };
}

function noop(): void {}

function providerIn({ bindings }: ToolBindings, ref: string): string | undefined {
  const bound = bindings(ref);
  return bound === undefined || bound.adapter === 'writ' ? undefined : bound.provider;
}

/** What a reload cannot do: a provider is a queue, and what goes to or from the adapter `writ` is another task. */
function queuesThatDiffer(now: ToolBindings, next: ToolBindings): string[] {
  const slots = ({ providers }: ToolBindings) => new Map(providers.map(({ name, concurrency }) => [name, concurrency]));
  const [ours, theirs] = [slots(now), slots(next)];
  const providers = [...new Set([...ours.keys(), ...theirs.keys()])].filter((name) => ours.get(name) !== theirs.get(name)).sort();
  const isWrit = ({ bindings }: ToolBindings, ref: string): boolean => bindings(ref)?.adapter === 'writ';
  const tools = [...new Set([...now.read.keys(), ...next.read.keys()])].filter((ref) => isWrit(now, ref) !== isWrit(next, ref)).sort();
  return [...providers.map((name) => `${BINDINGS} (provider ${name})`), ...tools.map((ref) => `${BINDINGS} (tool ${ref})`)];
}
