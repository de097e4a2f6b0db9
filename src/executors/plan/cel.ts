import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import type { Json } from '../../core/json.ts';
import { containment, decided, type Expression, equality, index, negation, negative, order, selection, size } from './cel-operators.ts';
import { isForbiddenKey, isObject } from './json-copy.ts';

/** Only the parser of the library is used: what it evaluates has functions, types and regular expressions that a plan may not have. */
const CEL = new Environment({ limits: { maxDepth: 32, maxAstNodes: 1024, maxListElements: 256, maxCallArguments: 4 } });
const MAX_SOURCE = 1024;

/** Where a source stops being restricted CEL. */
export interface CelFault {
  /** Characters (UTF-16 units) before it. */
  readonly at: number;
}

type Compiled = Expression | CelFault;

/**
 * Restricted CEL: the roots memory, input and context, member access, literals, `! && || == != < <= > >= in ?:`, `has()` and `size()`.
 *
 * @returns the place at fault when the source is none of it
 */
export function compileCel(source: string): Compiled {
  if (source.length > MAX_SOURCE) return { at: MAX_SOURCE };
  let ast: ASTNode;
  try {
    ast = CEL.parse(source).ast;
  } catch (error) {
    return { at: (error instanceof ParseError ? error.node?.pos : undefined) ?? 0 };
  }
  return compile(ast);
}

/** Operators that have no case here (arithmetic, maps, methods, macros) are refused. */
function compile(node: ASTNode): Compiled {
  return compileOne(node) ?? { at: node.start };
}

/** @returns `undefined` when this very node is at fault */
function compileOne(node: ASTNode): Compiled | undefined {
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

function isFault(compiled: Compiled): compiled is CelFault {
  return typeof compiled !== 'function';
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

function unary(node: ASTNode, build: (inner: Expression) => Expression): Compiled {
  const inner = compile(node);
  return isFault(inner) ? inner : build(inner);
}

function binary([left, right]: readonly [ASTNode, ASTNode], build: Binary): Compiled {
  const first = compile(left);
  if (isFault(first)) return first;
  return unary(right, (second) => build(first, second));
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

function list(nodes: readonly ASTNode[]): Compiled {
  const items: Expression[] = [];
  for (const node of nodes) {
    const item = compile(node);
    if (isFault(item)) return item;
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

function choice([test, yes, no]: readonly [ASTNode, ASTNode, ASTNode]): Compiled {
  const condition = compile(test);
  if (isFault(condition)) return condition;
  return binary([yes, no], (first, second) => (roots, meter) => {
    const value = condition(roots, meter);
    if (typeof value !== 'boolean') return undefined;
    return value ? first(roots, meter) : second(roots, meter);
  });
}

function call(name: string, args: readonly ASTNode[]): Compiled | undefined {
  const [argument] = args;
  if (argument === undefined || args.length > 1) return undefined;
  if (name === 'size') return unary(argument, size);
  return name === 'has' ? has(argument) : undefined;
}

/** Whether the object at hand has the member that is named last. */
function has(argument: ASTNode): Compiled | undefined {
  if (argument.op !== '.' || isForbiddenKey(argument.args[1])) return undefined;
  const [target, key] = argument.args;
  return unary(target, (object) => (roots, meter) => {
    const value = object(roots, meter);
    return isObject(value) ? Object.hasOwn(value, key) : undefined;
  });
}
