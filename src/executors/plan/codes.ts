import type { PlanError } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';

/**
 * Every code that the core raises itself. Class A ends the plan whatever `on_error` says; class B is a step's error, to which its policy
 * applies. Messages are constant, so that two hosts answer with the same bytes.
 */
export const CODES = {
  INVALID_CONTRACT: { class: 'A', message: 'the envelope is not one that can be executed' },
  REGISTRY_EMPTY: { class: 'A', message: 'the envelope brings no definitions' },
  REGISTRY_INVALID: { class: 'A', message: 'a definition is not what its contract says' },
  REGISTRY_CONFLICT: { class: 'A', message: 'two definitions of the same name differ' },
  UNKNOWN_REF: { class: 'A', message: 'a step names a definition that does not exist' },
  EXPANSION_CYCLE: { class: 'A', message: 'definitions contain each other' },
  MAX_DEPTH_EXCEEDED: { class: 'A', message: 'definitions are nested too deeply' },
  MAX_STEPS_EXCEEDED: { class: 'A', message: 'the plan reaches more steps than any plan may' },
  MAX_SIZE_EXCEEDED: { class: 'A', message: 'a value of the plan has grown too large' },
  MAX_WORK_EXCEEDED: { class: 'A', message: 'conditions, templates and saves cost too much' },
  REPLAY_MISMATCH: { class: 'A', message: 'the journal has answers to steps that the plan does not take' },
  WHEN_ERROR: { class: 'B', message: 'the condition has no boolean value' },
  UNRESOLVED_REFERENCE: { class: 'B', message: 'a template names a value that does not exist' },
  INVALID_TOOL_DEF: { class: 'B', message: 'the step names no operation' },
  UNKNOWN_OPERATION: { class: 'B', message: 'the tool has no such operation' },
  PARAMS_MISMATCH: { class: 'B', message: 'the operation does not take these parameters' },
  INVALID_TOOL_RESULT: { class: 'B', message: 'the tool answered with something that is not a tool result' },
  SAVE_CONFLICT: { class: 'B', message: 'a value in memory is in the way of what is to be saved' },
  SAVE_PATH_NOT_FOUND: { class: 'B', message: 'the result lacks the value that is to be saved' },
  FOR_EACH_NOT_A_LIST: { class: 'B', message: 'the list of for_each is not a list' },
} as const satisfies Record<string, { class: 'A' | 'B'; message: string }>;

export type CoreCode = keyof typeof CODES;

/** An error as a value. `fatal`: no policy handles it. */
export class Failure {
  readonly code: string;
  readonly message: string;
  readonly details: JsonObject;
  readonly fatal: boolean;

  constructor(code: string, message: string, details: JsonObject, fatal: boolean) {
    this.code = code;
    this.message = message;
    this.details = details;
    this.fatal = fatal;
  }
}

/** An error of the core's own. */
export function failure(code: CoreCode, details: JsonObject = {}): Failure {
  return new Failure(code, CODES[code].message, details, CODES[code].class === 'A');
}

/**
 * The plan calls tools more often than its option `maxSteps` says.
 *
 * @param details what else is known of it
 */
export function tooManySteps(limit: number, details: JsonObject = {}): Failure {
  return new Failure('MAX_STEPS_EXCEEDED', `the plan calls tools more often than its option maxSteps allows (${limit})`, { limit, ...details }, true);
}

/** What a tool has answered with `ok: false`: data, whatever its code is called. */
export function toolFailure({ code, message, details }: PlanError): Failure {
  // A tool's answer was read as JSON.
  return new Failure(code, message, details ? { tool: details as JsonObject } : {}, false);
}

/** As `results` and the result envelope carry it. */
export function errorOf({ code, message, details }: Failure, more: JsonObject = {}): JsonObject & { readonly code: string; readonly message: string } {
  return Object.freeze({ code, message, details: Object.freeze({ ...details, ...more }) });
}

/** One thing that is wrong with a document. */
export interface Problem {
  /** Dotted; empty for the document itself. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}
