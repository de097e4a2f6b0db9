import type { PlanError } from '../../../contracts/index.ts';
import type { PlanView } from '../../../core/ports/index.ts';
import { endOf } from './view.ts';

/** Names that a line can hold. */
const MAX_NAMES = 5;

/** The error that ended a plan: with its details where the end lies beside the view. */
export function endErrorText({ error, result }: PlanView): string | undefined {
  return error && planErrorText((result === undefined ? undefined : endOf(result).envelope.error) ?? error);
}

/**
 * An error of a plan in one line: code and sentence, what else its details say (the value that is missing, the names that do not
 * fit, the field of the document), and the step. What a tool has added of its own stays out of it.
 */
export function planErrorText({ code, message, details }: PlanError): string {
  const { step, errors, cause: _cause, tool: _tool, ...about } = details ?? {};
  const facts = [...Object.entries(about).flatMap(([name, value]) => factOf(name, value)), ...fieldsOf(errors)];
  return `${code}: ${message}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}${placeOf(step)}`;
}

function factOf(name: string, value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [`${name} ${value}`];
  return Array.isArray(value) && value.length > 0 ? [`${name} ${value.slice(0, MAX_NAMES).map(String).join(', ')}${more(value.length - MAX_NAMES)}`] : [];
}

/** The first field that is wrong, and how many more there are. */
function fieldsOf(errors: unknown): string[] {
  if (!Array.isArray(errors) || errors.length === 0) return [];
  const { path = '', message = '' } = (errors[0] ?? {}) as { readonly path?: unknown; readonly message?: unknown };
  return [`${path === '' ? 'envelope' : String(path)}: ${String(message)}${more(errors.length - 1)}`];
}

function placeOf(step: unknown): string {
  const { path, ref } = (step ?? {}) as { readonly path?: unknown; readonly ref?: unknown };
  return typeof path === 'string' && typeof ref === 'string' ? `, at step ${path} (${ref})` : '';
}

function more(count: number): string {
  return count > 0 ? ` and ${count} more` : '';
}
