import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { codePointLength } from '../../core/code-points.ts';
import type { Json } from '../../core/json.ts';
import { isForbiddenKey, isObject } from './json-copy.ts';
import { jsonEqual, jsonOrder } from './json-equal.ts';
import type { Meter } from './measure.ts';
import type { Roots } from './paths.ts';

/** The value of an expression; `undefined` is an error of it (a missing key, a type that does not fit). */
export type Expression = (roots: Roots, meter: Meter) => Json | undefined;

/** Only the parser of the library is used: what it evaluates has functions, types and regular expressions that a plan may not have. */
const CEL = new Environment({ limits: { maxDepth: 32, maxAstNodes: 1024, maxListElements: 256, maxCallArguments: 4 } });
const MAX_SOURCE = 1024;

/**
 * Restricted CEL: the roots memory, input and context, member access, literals, `! && || == != < <= > >= in ?:`, `has()` and `size()`.
 *
 * @returns `undefined` when the source is none of it
 */
export function compileCel(source: string): Expression | undefined {
  if (source.length > MAX_SOURCE) return undefined;
  let ast: ASTNode;
  try {
    ast = CEL.parse(source).ast;
  } catch {
    return undefined;
  }
  return compile(ast);
}

/** Operators that have no case here (arithmetic, maps, methods, macros) are refused. */
function compile(node: ASTNode): Expression | undefined {
  switch (node.op) {
    case 'value':
      return literal(node.args);
    case 'id':
      return root(node.args);
    case '.':
      return isForbiddenKey(node.args[1]) ? undefined : unary(node.args[0], (target) => selection(target, node.args[1]));
    case 'list':
      return list(node.args);
    case '-_':
      return node.args.op === 'value' && typeof node.args.args !== 'string' ? unary(node.args, negative) : undefined;
    case '!_':
      return unary(node.args, negation);
    case '?:':
      return choice(node.args);
    case 'call':
      return call(...node.args);
    default:
      return isBinary(node) ? binary(node.args, BINARY[node.op]) : undefined;
  }
}

type Binary = (left: Expression, right: Expression) => Expression;

const BINARY = {
  '[]': index,
  in: containment,
  '&&': (left, right) => decided(left, right, false),
  '||': (left, right) => decided(left, right, true),
  '==': (left, right) => equality(left, right, true),
  '!=': (left, right) => equality(left, right, false),
  '<': (left, right) => order(left, right, (sign) => sign < 0),
  '<=': (left, right) => order(left, right, (sign) => sign <= 0),
  '>': (left, right) => order(left, right, (sign) => sign > 0),
  '>=': (left, right) => order(left, right, (sign) => sign >= 0),
} satisfies Record<string, Binary>;

function isBinary(node: ASTNode): node is Extract<ASTNode, { op: keyof typeof BINARY }> {
  return Object.hasOwn(BINARY, node.op);
}

function unary(node: ASTNode, build: (inner: Expression) => Expression): Expression | undefined {
  const inner = compile(node);
  return inner && build(inner);
}

function binary([left, right]: readonly [ASTNode, ASTNode], build: Binary): Expression | undefined {
  const first = compile(left);
  const second = compile(right);
  return first && second && build(first, second);
}

/** JSON has one kind of number, so `3` and `3.0` are the same; an integer that no JSON number is equal to is refused. */
function literal(value: unknown): Expression | undefined {
  const json = typeof value === 'bigint' ? Number(value) : value;
  if (typeof json === 'number') return Number.isInteger(json) && !Number.isSafeInteger(json) ? undefined : () => json;
  return json === null || typeof json === 'boolean' || typeof json === 'string' ? () => json : undefined;
}

function root(name: string): Expression | undefined {
  return name === 'memory' || name === 'input' || name === 'context' ? (roots) => roots[name] : undefined;
}

function selection(target: Expression, key: string): Expression {
  return (roots, meter) => own(target(roots, meter), key);
}

function own(object: Json | undefined, key: string): Json | undefined {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

function index(target: Expression, key: Expression): Expression {
  return (roots, meter) => {
    const from = target(roots, meter);
    const at = key(roots, meter);
    if (typeof at === 'string') return own(from, at);
    return typeof at === 'number' && Array.isArray(from) ? from[at] : undefined;
  };
}

function list(nodes: readonly ASTNode[]): Expression | undefined {
  const items: Expression[] = [];
  for (const node of nodes) {
    const item = compile(node);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return (roots, meter) => {
    const values: Json[] = [];
    for (const item of items) {
      const value = item(roots, meter);
      if (value === undefined) return undefined;
      values.push(value);
    }
    return values;
  };
}

function negative(inner: Expression): Expression {
  return (roots, meter) => {
    const value = inner(roots, meter);
    return typeof value === 'number' ? -value : undefined;
  };
}

function negation(inner: Expression): Expression {
  return (roots, meter) => {
    const value = inner(roots, meter);
    return typeof value === 'boolean' ? !value : undefined;
  };
}

/** As CEL has it: a side that decides makes the other side's error meaningless, in either order. */
function decided(left: Expression, right: Expression, by: boolean): Expression {
  return (roots, meter) => {
    const first = left(roots, meter);
    if (first === by) return by;
    const second = right(roots, meter);
    if (second === by) return by;
    return first === !by && second === !by ? !by : undefined;
  };
}

function choice([test, yes, no]: readonly [ASTNode, ASTNode, ASTNode]): Expression | undefined {
  const condition = compile(test);
  return (
    condition &&
    binary([yes, no], (first, second) => (roots, meter) => {
      const value = condition(roots, meter);
      if (typeof value !== 'boolean') return undefined;
      return value ? first(roots, meter) : second(roots, meter);
    })
  );
}

function equality(left: Expression, right: Expression, wanted: boolean): Expression {
  return (roots, meter) => {
    const first = left(roots, meter);
    const second = right(roots, meter);
    return first === undefined || second === undefined ? undefined : jsonEqual(first, second, meter) === wanted;
  };
}

function order(left: Expression, right: Expression, fits: (sign: number) => boolean): Expression {
  return (roots, meter) => {
    const first = left(roots, meter);
    const second = right(roots, meter);
    const sign = first === undefined || second === undefined ? undefined : jsonOrder(first, second, meter);
    return sign === undefined ? undefined : fits(sign);
  };
}

function containment(left: Expression, right: Expression): Expression {
  return (roots, meter) => {
    const value = left(roots, meter);
    const within = right(roots, meter);
    if (value === undefined) return undefined;
    if (Array.isArray(within)) return within.some((item) => jsonEqual(item, value, meter));
    return isObject(within) && typeof value === 'string' ? Object.hasOwn(within, value) : undefined;
  };
}

function call(name: string, args: readonly ASTNode[]): Expression | undefined {
  const [argument] = args;
  if (argument === undefined || args.length > 1) return undefined;
  if (name === 'size') return unary(argument, size);
  return name === 'has' ? has(argument) : undefined;
}

/** Whether the object at hand has the member that is named last. */
function has(argument: ASTNode): Expression | undefined {
  if (argument.op !== '.' || isForbiddenKey(argument.args[1])) return undefined;
  const [target, key] = argument.args;
  return unary(target, (object) => (roots, meter) => {
    const value = object(roots, meter);
    return isObject(value) ? Object.hasOwn(value, key) : undefined;
  });
}

/** Code points of a string, items of a list, members of an object. */
function size(inner: Expression): Expression {
  return (roots, meter) => {
    const value = inner(roots, meter);
    if (typeof value === 'string') {
      meter.left -= value.length;
      return codePointLength(value);
    }
    return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
  };
}
