import { BOUNDS, type ExecutorErrorCode } from '../../contracts/index.ts';
import { wellFormed } from '../../core/i-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Execution, failure, type Outcome, outputBytes, success } from '../../core/outcome.ts';
import type { PreparedRequest, ToolAnswer } from '../../core/ports/index.ts';

/** The longest message that a result may carry. */
const MAX_MESSAGE = 2000;

/**
 * The answer of a tool as an outcome; an unclear end of a `once` call is unknown, because its effect may have happened. So is data
 * for which a result has no room: how much a text grows as JSON is only known when it is here.
 */
export function outcomeOf(answer: ToolAnswer, once: boolean): Outcome {
  switch (answer.kind) {
    case 'ok': {
      const output: JsonObject = { data: answer.data };
      if (answer.meta !== undefined) output['meta'] = answer.meta;
      const bytes = outputBytes(output);
      if (bytes <= BOUNDS.output) return success(output);
      const message = `the tool answered with ${bytes} bytes of data, and a result has room for ${BOUNDS.output}`;
      return outcomeOf({ kind: 'unclear', message }, once);
    }
    case 'failed':
    case 'unsent':
      return failure('TOOL_FAILED', short(answer.message));
    case 'unclear':
      return once ? unknown(answer.message) : failure('TOOL_FAILED', short(answer.message));
  }
}

/** Nobody can tell whether the effect of a `once` call happened. */
export function unknown(why: string): Outcome {
  return failure('TOOL_OUTCOME_UNKNOWN', short(`${why}; nobody can tell whether the call had its effect`));
}

/** Why a request could not be made ready. */
export function refusal(prepared: Exclude<PreparedRequest, { kind: 'ready' }>): Execution {
  return { kind: 'outcome', outcome: failure(REFUSALS[prepared.kind], short(prepared.message)) };
}

const REFUSALS = { unfit: 'EXECUTION_FAILED', unsent: 'TOOL_FAILED', unavailable: 'TOOL_UNAVAILABLE' } as const satisfies Record<
  Exclude<PreparedRequest['kind'], 'ready'>,
  ExecutorErrorCode
>;

/** The cut may fall into a surrogate pair. */
function short(message: string): string {
  return wellFormed(message.slice(0, MAX_MESSAGE));
}
