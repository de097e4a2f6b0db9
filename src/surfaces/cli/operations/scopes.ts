import type { ScopeState } from '../../../core/ports/search-scopes.ts';
import type { Call } from '../command.ts';
import { table } from '../text/table.ts';

/** `writ scopes`: the allow-list of searches. What cannot be opened is said, and is no error of this command. */
export async function runScopes(call: Call): Promise<number> {
  const scopes = await (await call.services()).scopes.look();
  await call.output.answer({ scopes: scopes.map(lineOf) }, () => (scopes.length === 0 ? NONE : table(COLUMNS, scopes.map(rowOf))));
  return 0;
}

const NONE = 'no scopes, so every search is refused; docs/search-executor.md shows how to add one';

const COLUMNS = [{ title: 'scope' }, { title: 'searched by' }, { title: 'source' }, { title: 'place' }, { title: 'available' }] as const;

function rowOf({ id, capability, source, place, problem }: ScopeState): string[] {
  return [id, capability, source, place, problem === undefined ? 'yes' : `NO: ${problem}`];
}

function lineOf({ id, kind, capability, source, place, problem }: ScopeState): object {
  return { id, kind, capability_id: capability, source, place, available: problem === undefined, ...(problem === undefined ? {} : { problem }) };
}
