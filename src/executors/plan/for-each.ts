import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from './json-copy.ts';
import { measure } from './measure.ts';
import { membersAt, withMember } from './memory-state.ts';
import { member, type Path, type Roots, readPath } from './paths.ts';
import type { RunState } from './run-state.ts';
import { LOCALS } from './save.ts';

/** The list as it is now: values are never written into, so this is a snapshot. `undefined`: no list. */
export function itemsOf({ list }: { readonly list: Path }, roots: Roots): readonly Json[] | undefined {
  const items = readPath(list, roots);
  return Array.isArray(items) ? items : undefined;
}

/** The state that a plan ends with, even if it is ended in the middle of a loop. */
export function withoutLocals({ memory, state }: RunState): Pick<RunState, 'memory' | 'state'> {
  return { memory, state: LOCALS in membersAt(state) ? withMember(state, LOCALS, undefined) : state };
}

/**
 * Puts a value at `memory.state._locals[name]`, or takes it away.
 *
 * @returns what was there before: the item of a loop around this one
 */
export function setLocal(run: RunState, name: string, value: Json | undefined): Json | undefined {
  const members = membersAt(run.state);
  const before = members[LOCALS];
  const { [name]: old, ...others } = isObject(before) ? before : {};
  const locals: JsonObject = value === undefined ? others : { ...others, [name]: value };
  run.meter.left -= 16 * measure(members).count;
  run.state = withMember(run.state, LOCALS, Object.keys(locals).length === 0 ? undefined : Object.freeze(locals));
  return member(before, name) === undefined ? undefined : old;
}
