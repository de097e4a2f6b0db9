import {
  FAILURE_REASON_NAMES,
  FAILURE_REASONS,
  type FailureReason,
  FILE_ERROR_CODES,
  RESULT_ERROR_CODES,
  RETRYABLE_CODES,
  SEARCH_ERROR_CODES,
  TOOL_ERROR_CODES,
} from '../../src/contracts/index.ts';
import { ERRORS, type ErrorCode } from '../../src/core/errors.ts';
import { CAUSES } from '../../src/core/failure-cause.ts';
import { CODES, type CoreCode } from '../../src/executors/plan/codes.ts';
import { REQUEST_ERRORS, RESULT_ERRORS } from './error-words.ts';

/** Which executors may answer with a code. */
const CLOSED_SETS: Readonly<Record<string, readonly string[]>> = { file: FILE_ERROR_CODES, search: SEARCH_ERROR_CODES, tool: TOOL_ERROR_CODES };

/** What ends a plan, by class of its code. */
const PLAN_CLASSES = { A: 'ends the plan', B: '`on_error` of the step' } as const;

/** `docs/generated/errors.md`, from the tables of codes and the words beside them. */
export function errorsDocument(): string {
  return `# Error codes

Written by \`npm run docs\` from \`src/core/errors.ts\`, \`src/contracts/error-code.ts\`, \`src/contracts/failure-reason.ts\`, \`src/core/failure-cause.ts\`, \`src/executors/plan/codes.ts\` and \`scripts/docs/error-words.ts\`; \`npm run check\` refuses a difference.

Programs decide by the code; messages are for people and may change. *Producer* is whoever sends the request, *operator* whoever runs Writ. Symptoms without a code: [troubleshooting.md](../troubleshooting.md).

## Of a request or a command

HTTP answers with a problem document whose \`code\` is one of these ([http.md](../http.md#errors)). The command line writes the code to standard error and ends with the exit code.

| code | HTTP | exit | meaning | who can mend it | what to do |
|---|---|---|---|---|---|
${Object.keys(ERRORS).filter(isErrorCode).map(requestRow).join('\n')}

## In a signed result

A task that ends in FAILURE has one of these in \`error.error_code\`. Over HTTP that is no failed request: the status is 200, and the result tells. \`writ push --wait\` and \`writ result\` end with 1. *Attempts*: whether attempts that the producer asked for are used for this code.

| code | of | attempts | meaning | who can mend it | what to do |
|---|---|---|---|---|---|
${RESULT_ERROR_CODES.map(resultRow).join('\n')}

## Of a plan

A plan may end with any code of a result, which is then what its step said, and with these. They are the author's to mend: the envelope or a definition is wrong, or does not fit the values that it met ([plans.md](../plans.md)). \`INVALID_CONTRACT\` to \`MAX_WORK_EXCEEDED\` are told by \`writ plan check\` where they can be known before anything runs.

| code | handled by | meaning |
|---|---|---|
${Object.keys(CODES).filter(isCoreCode).map(planRow).join('\n')}

## Why a task failed

One code has many reasons, and an alert must know whose they are. The reason follows from the code and the sentence of the signed result and is no part of it: it stands in \`cause\` beside the result (HTTP, client, MCP, \`writ result --json\`), in \`writ_task_outcomes_total\` (\`whose\`) and \`writ_task_failure_reasons_total\` (\`reason\`), and in the log line of the delivery. *host*: whoever operates Writ looks. *tool*: the one that was called. Those two spend the error budget; the *producer*'s do not.

| reason | whose | codes | meaning |
|---|---|---|---|
${FAILURE_REASON_NAMES.map(reasonRow).join('\n')}
`;
}

function requestRow(code: ErrorCode): string {
  const { meaning, who, mend } = REQUEST_ERRORS[code];
  return `| \`${code}\` | ${ERRORS[code].http} | ${ERRORS[code].exit} | ${meaning} | ${who} | ${mend} |`;
}

function resultRow(code: (typeof RESULT_ERROR_CODES)[number]): string {
  const { meaning, who, mend } = RESULT_ERRORS[code];
  const from = Object.keys(CLOSED_SETS).filter((name) => CLOSED_SETS[name]?.includes(code));
  return `| \`${code}\` | ${from.join(', ')} | ${RETRYABLE_CODES.has(code) ? 'yes' : 'no'} | ${meaning} | ${who} | ${mend} |`;
}

function reasonRow(reason: FailureReason): string {
  const { whose, means } = FAILURE_REASONS[reason];
  const codes = Object.entries(CAUSES).flatMap(([code, rows]) => {
    const leads = typeof rows === 'string' ? [rows] : [...rows.rows.map(([, one]) => one), rows.otherwise];
    return leads.includes(reason) ? [`\`${code}\``] : [];
  });
  return `| \`${reason}\` | ${whose} | ${codes.join(', ')} | ${means} |`;
}

function planRow(code: CoreCode): string {
  return `| \`${code}\` | ${PLAN_CLASSES[CODES[code].class]} | ${CODES[code].message} |`;
}

function isErrorCode(code: string): code is ErrorCode {
  return code in ERRORS;
}

function isCoreCode(code: string): code is CoreCode {
  return code in CODES;
}
