import type { When, WhenPredicate } from '../../contracts/index.ts';
import type { Json } from '../../core/json.ts';
import { type BadField, below, noExpression } from './bad-field.ts';
import { compileCel } from './cel.ts';
import type { Expression } from './cel-operators.ts';
import { jsonEqual, jsonOrder } from './json-equal.ts';
import type { Meter } from './measure.ts';
import { parsePath, type Roots, readPath } from './paths.ts';

/** Whether the step runs; `undefined` is WHEN_ERROR. There is no truthiness: only true and false count. */
export type Condition = (roots: Roots, meter: Meter) => boolean | undefined;

/** @returns the field at fault, below the condition, when the text is no restricted CEL, or a path of the predicate is none */
export function compileWhen(when: When): Condition | BadField {
  if (typeof when !== 'string') return compilePredicate(when);
  const expression = compileCel(when);
  return typeof expression === 'function' ? boolean(expression) : noExpression([], expression.at);
}

function boolean(expression: Expression): Condition {
  return (roots, meter) => {
    const value = expression(roots, meter);
    return typeof value === 'boolean' ? value : undefined;
  };
}

function compilePredicate(predicate: WhenPredicate): Condition | BadField {
  if ('all' in predicate) return combined(predicate.all, 'all');
  if ('any' in predicate) return combined(predicate.any, 'any');
  if ('not' in predicate) return negated(predicate.not);
  return comparison(predicate);
}

/** Stops at the first part that decides or has no value, in order. */
function combined(parts: readonly WhenPredicate[], kind: 'all' | 'any'): Condition | BadField {
  const by = kind === 'any';
  const conditions: Condition[] = [];
  for (const [index, part] of parts.entries()) {
    const condition = compilePredicate(part);
    if (typeof condition !== 'function') return below([kind, String(index)], condition);
    conditions.push(condition);
  }
  return (roots, meter) => {
    for (const condition of conditions) {
      const value = condition(roots, meter);
      if (value !== !by) return value;
    }
    return !by;
  };
}

function negated(inner: WhenPredicate): Condition | BadField {
  const condition = compilePredicate(inner);
  if (typeof condition !== 'function') return below(['not'], condition);
  return (roots, meter) => {
    const value = condition(roots, meter);
    return value === undefined ? undefined : !value;
  };
}

type Comparison = Extract<WhenPredicate, { path: string }>;
type Operator = Exclude<Comparison extends infer C ? (C extends object ? keyof C : never) : never, 'path'>;

/** `value` is `undefined` where the path leads nowhere. */
type Judge = (value: Json | undefined, operand: Json, meter: Meter) => boolean | undefined;

const ordered =
  (fits: (sign: number) => boolean): Judge =>
  (value, operand, meter) => {
    const sign = value === undefined ? undefined : jsonOrder(value, operand, meter);
    return sign === undefined ? undefined : fits(sign);
  };

const JUDGES = {
  exists: (value, operand) => (value !== undefined) === operand,
  eq: (value, operand, meter) => value !== undefined && jsonEqual(value, operand, meter),
  ne: (value, operand, meter) => value === undefined || !jsonEqual(value, operand, meter),
  in: (value, operand, meter) => (value === undefined || !Array.isArray(operand) ? undefined : operand.some((item) => jsonEqual(item, value, meter))),
  gt: ordered((sign) => sign > 0),
  gte: ordered((sign) => sign >= 0),
  lt: ordered((sign) => sign < 0),
  lte: ordered((sign) => sign <= 0),
} satisfies Record<Operator, Judge>;

function comparison({ path: text, ...rest }: Comparison): Condition | BadField {
  const path = parsePath(text);
  const [name = '', operand] = Object.entries(rest)[0] ?? [];
  if (path === undefined) return noExpression(['path']);
  if (!isOperator(name)) return noExpression([]);
  const judge: Judge = JUDGES[name];
  // The envelope was read as JSON.
  const json = operand as Json;
  return (roots, meter) => judge(readPath(path, roots), json, meter);
}

function isOperator(name: string): name is Operator {
  return Object.hasOwn(JUDGES, name);
}
