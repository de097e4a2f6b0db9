import type { Json, JsonObject } from '../../core/json.ts';
import { measure, measureCopy } from './measure.ts';
import { member } from './paths.ts';

/**
 * `memory.state` at one moment of a run. Whoever holds a moment reads it as it was then, however much was written since, and a write costs
 * nothing for the members that it leaves alone: the newest moment has the members, an older one knows what the next has changed.
 */
export interface StateMoment {
  /** Absent once the next moment has taken it over. */
  members: JsonObject | undefined;
  /** Somebody else holds the members: they are frozen, and a write copies them. */
  isShared: boolean;
  /** What the next moment has changed. */
  changed: Change | undefined;
}

interface Change {
  readonly next: StateMoment;
  readonly key: string;
  readonly before: Json | undefined;
}

/** The moment of a state from outside, which is frozen. */
export function momentOf(members: JsonObject): StateMoment {
  return { members, isShared: true, changed: undefined };
}

/** The members for a look at one of them: whoever keeps or hands on the whole takes `stateAt`. */
export function membersAt(moment: StateMoment): JsonObject {
  return moment.members ?? stateAt(moment);
}

/** The whole state of that moment, for good. */
export function stateAt(moment: StateMoment): JsonObject {
  if (moment.isShared && moment.members !== undefined) return moment.members;
  const members = Object.freeze(moment.members ?? rewound(moment));
  moment.members = members;
  moment.isShared = true;
  moment.changed = undefined;
  return members;
}

/** A copy of the newest members with everything undone that came after the moment. */
function rewound(moment: StateMoment): JsonObject {
  const changes: Change[] = [];
  let newest = moment;
  while (newest.members === undefined && newest.changed !== undefined) {
    changes.push(newest.changed);
    newest = newest.changed.next;
  }
  const members = { ...newest.members };
  for (const { key, before } of changes.reverse()) assign(members, key, before);
  return members;
}

/** The moment after a member was replaced, added, or with `undefined` taken away. The value is frozen. */
export function withMember(moment: StateMoment, key: string, value: Json | undefined): StateMoment {
  const old = membersAt(moment);
  const before = member(old, key);
  // Taken before anything is written into.
  measure(old);
  const members = moment.isShared ? { ...old } : old;
  assign(members, key, value);
  measureCopy(old, members, key, before, value);
  const next: StateMoment = { members, isShared: false, changed: undefined };
  if (!moment.isShared) {
    moment.members = undefined;
    moment.changed = { next, key, before };
  }
  return next;
}

function assign(members: JsonObject, key: string, value: Json | undefined): void {
  if (value === undefined) delete members[key];
  else members[key] = value;
}
