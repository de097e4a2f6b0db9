import type { Retry, Step, ToolDefinition } from '../../contracts/index.ts';
import { approvalProblems } from './approval-step.ts';
import { Failure, failure } from './codes.ts';
import { compileStep, placedFallbacksOf, type ReadyStep } from './compile-step.ts';
import { shownPath } from './json-copy.ts';
import { DEFAULTS, LIMITS } from './limits.ts';
import { invalidContract } from './problems.ts';
import type { Normalized } from './read-envelope.ts';
import { CATEGORY, type Definition, nameOf, type Registry } from './registry.ts';

/** A tool's operations with the parameters that each takes, or the steps that a name stands for. */
export type LinkedDefinition =
  | { readonly kind: 'tool'; readonly operations: ReadonlyMap<string, Operation> }
  | { readonly kind: 'group'; readonly steps: readonly ReadyStep[] };

/** An action of a tool. */
export interface Operation {
  /** The parameters that it takes. */
  readonly input: ReadonlySet<string>;
  /** For steps that declare none. */
  readonly retry: Retry | undefined;
  readonly timeoutMs: number | undefined;
}

export interface LinkedPlan {
  readonly steps: readonly ReadyStep[];
  /** Of a step of this plan, or of one of its definitions. */
  readonly definitionOf: (step: ReadyStep) => LinkedDefinition;
  /** Everything that a step can reach, each once, in the order in which it was found. */
  readonly definitions: readonly Definition[];
}

/** Every step that is run has been linked. */
const NOTHING: LinkedDefinition = { kind: 'tool', operations: new Map() };

interface Linker {
  readonly registry: Registry;
  readonly linked: Map<string, Linked>;
  readonly definitions: Definition[];
  /** Definitions that are being looked into, outermost first. */
  readonly open: string[];
}

/** Looks at every definition that steps, bodies and fallbacks can reach, before anything runs (rule: no effect of a plan that cannot be right). */
export function linkSteps({ steps, options, stepsAt }: Normalized, registry: Registry): LinkedPlan | Failure {
  const linker: Linker = { registry, linked: new Map(), definitions: [], open: [] };
  const compiled = compileSteps(steps, options.interpolate === 'all', stepsAt);
  if (compiled instanceof Failure) return compiled;
  const height = linkAll(compiled, stepsAt, linker);
  if (height instanceof Failure) return height;
  const limit = options.maxDepth ?? DEFAULTS.maxDepth;
  if (height > limit) return failure('MAX_DEPTH_EXCEEDED', { limit });
  return {
    steps: compiled,
    definitions: linker.definitions,
    definitionOf: (step) => linker.linked.get(nameOf(CATEGORY[step.type], step.ref))?.definition ?? NOTHING,
  };
}

function compileSteps(steps: readonly Step[], templated: boolean, at: string): ReadyStep[] | Failure {
  const wrong = steps.flatMap((step, index) => approvalProblems(step, templated, `${at}.${index}`));
  if (wrong.length > 0) return invalidContract(wrong);
  const compiled: ReadyStep[] = [];
  for (const [index, step] of steps.entries()) {
    const one = compileStep(step, templated);
    if ('path' in one) return invalidContract([{ path: shownPath([at, index, ...one.path]), keyword: 'syntax', message: one.message }]);
    compiled.push(one);
  }
  return compiled;
}

/** @returns how deeply the groups among the steps are nested; 0 when all are tools */
function linkAll(steps: readonly ReadyStep[], at: string, linker: Linker): number | Failure {
  let height = 0;
  for (const [index, step] of steps.entries()) {
    const place = `${at}.${index}`;
    for (const [below, one] of [['', step] as const, ...placedFallbacksOf(step).map(([name, fallback]) => [`.${name}`, fallback] as const)]) {
      const inner = linkOne(one, `${place}${below}`, linker);
      if (inner instanceof Failure) return inner;
      height = Math.max(height, inner);
    }
  }
  return height;
}

function linkOne({ type, ref }: ReadyStep, at: string, linker: Linker): number | Failure {
  const category = CATEGORY[type];
  const name = nameOf(category, ref);
  const before = linker.linked.get(name);
  if (before !== undefined) return before.height;
  const start = linker.open.indexOf(name);
  if (start >= 0) return failure('EXPANSION_CYCLE', { cycle: [...linker.open.slice(start), name] });
  if (linker.open.length >= LIMITS.linkDepth) return failure('MAX_DEPTH_EXCEEDED', { limit: LIMITS.linkDepth });
  const definition = linker.registry.find(category, ref);
  if (definition === undefined) return linker.registry.isEmpty ? failure('REGISTRY_EMPTY') : failure('UNKNOWN_REF', { type, ref, at: `${at}.ref` });
  if (definition instanceof Failure) return definition;
  linker.open.push(name);
  const linked = linkBody(definition, linker);
  if (linked instanceof Failure) return linked;
  linker.open.pop();
  linker.linked.set(name, linked);
  linker.definitions.push(definition);
  return linked.height;
}

interface Linked {
  readonly definition: LinkedDefinition;
  readonly height: number;
}

function linkBody({ body, category, ref }: Definition, linker: Linker): Linked | Failure {
  if ('actions' in body) return { definition: { kind: 'tool', operations: operationsOf(body.actions) }, height: 0 };
  const at = `${nameOf(category, ref)}.steps`;
  const steps = compileSteps(body.steps, true, at);
  if (steps instanceof Failure) return steps;
  const height = linkAll(steps, at, linker);
  return height instanceof Failure ? height : { definition: { kind: 'group', steps }, height: height + 1 };
}

/** Of two actions with one name the first counts. */
function operationsOf(actions: ToolDefinition['actions']): ReadonlyMap<string, Operation> {
  return new Map(actions.toReversed().map(({ name, input = [], retry, timeout_ms: timeoutMs }) => [name, { input: new Set(input), retry, timeoutMs }]));
}
