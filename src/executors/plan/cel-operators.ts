import { codePointLength } from '../../core/code-points.ts';
import type { Json } from '../../core/json.ts';
import { isObject } from './json-copy.ts';
import { jsonEqual, jsonOrder } from './json-equal.ts';
import type { Meter } from './measure.ts';
import type { Roots } from './paths.ts';

/** The value of an expression; `undefined` is an error of it (a missing key, a type that does not fit). */
export type Expression = (roots: Roots, meter: Meter) => Json | undefined;

export function selection(target: Expression, key: string): Expression {
  return (roots, meter) => own(target(roots, meter), key);
}

function own(object: Json | undefined, key: string): Json | undefined {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

export function index(target: Expression, key: Expression): Expression {
  return (roots, meter) => {
    const from = target(roots, meter);
    const at = key(roots, meter);
    if (typeof at === 'string') return own(from, at);
    return typeof at === 'number' && Array.isArray(from) ? from[at] : undefined;
  };
}

export function negative(inner: Expression): Expression {
  return (roots, meter) => {
    const value = inner(roots, meter);
    return typeof value === 'number' ? -value : undefined;
  };
}

export function negation(inner: Expression): Expression {
  return (roots, meter) => {
    const value = inner(roots, meter);
    return typeof value === 'boolean' ? !value : undefined;
  };
}

/** As CEL has it: a side that decides makes the other side's error meaningless, in either order. */
export function decided(left: Expression, right: Expression, by: boolean): Expression {
  return (roots, meter) => {
    const first = left(roots, meter);
    if (first === by) return by;
    const second = right(roots, meter);
    if (second === by) return by;
    return first === !by && second === !by ? !by : undefined;
  };
}

export function equality(left: Expression, right: Expression, wanted: boolean): Expression {
  return (roots, meter) => {
    const first = left(roots, meter);
    const second = right(roots, meter);
    return first === undefined || second === undefined ? undefined : jsonEqual(first, second, meter) === wanted;
  };
}

export function order(left: Expression, right: Expression, fits: (sign: number) => boolean): Expression {
  return (roots, meter) => {
    const first = left(roots, meter);
    const second = right(roots, meter);
    const sign = first === undefined || second === undefined ? undefined : jsonOrder(first, second, meter);
    return sign === undefined ? undefined : fits(sign);
  };
}

export function containment(left: Expression, right: Expression): Expression {
  return (roots, meter) => {
    const value = left(roots, meter);
    const within = right(roots, meter);
    if (value === undefined) return undefined;
    if (Array.isArray(within)) return within.some((item) => jsonEqual(item, value, meter));
    return isObject(within) && typeof value === 'string' ? Object.hasOwn(within, value) : undefined;
  };
}

/** Code points of a string, items of a list, members of an object. */
export function size(inner: Expression): Expression {
  return (roots, meter) => {
    const value = inner(roots, meter);
    if (typeof value === 'string') {
      meter.left -= value.length;
      return codePointLength(value);
    }
    return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
  };
}
